//! Follows serialised Python objects, bare and compressed.

#![no_main]

use engine_fuzz::model_file;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = [
    "m.pkl",
    "m.joblib",
    "m.pt",
    "m.npy",
    "m.pkl.gz",
    "notes.txt",
];

fuzz_target!(|data: &[u8]| model_file(&NAMES, data));
