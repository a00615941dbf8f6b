//! Reads any bytes as suppressions.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(failure) = engine::fuzzing::suppressions(data) {
        assert!(failure.details.len() < 40_000, "a refusal is short");
    }
});
