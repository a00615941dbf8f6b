//! Reads audit packages that nobody made.

#![no_main]

use engine_verify::{Options, verify_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(outcome) = verify_bytes(data, &Options::default()) {
        assert_eq!(outcome.valid, outcome.faults.is_empty(), "a fault is never valid");
        assert!(outcome.text().len() < 1 << 20, "a report is short");
    }
});
