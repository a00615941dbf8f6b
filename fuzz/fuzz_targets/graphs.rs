//! Walks graphs as protocol buffers.

#![no_main]

use engine_fuzz::model_file;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = [
    "m.onnx",
    "saved_model.pb",
    "m.mlmodel",
    "frozen.pb",
    "m.ort",
    "m.dat",
];

fuzz_target!(|data: &[u8]| model_file(&NAMES, data));
