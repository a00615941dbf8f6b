//! Masks what looks like a secret in any line.

#![no_main]

use engine_scanner::mask_secrets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let line = String::from_utf8_lossy(data);
    let masked = mask_secrets(&line);
    // A mask is four stars in place of what it hides, and what it hides may be a single character.
    assert!(masked.len() <= line.len() * 5, "masking adds little more than stars");
});
