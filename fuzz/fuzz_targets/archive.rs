//! Takes archives apart: zip with what lies in it, and tar.

#![no_main]

use engine_fuzz::model_file;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = [
    "m.pt",
    "m.keras",
    "m.npz",
    "m.bin",
    "bundle.zip",
    "m.nemo",
];

fuzz_target!(|data: &[u8]| model_file(&NAMES, data));
