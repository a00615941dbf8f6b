//! Reads the headers of files of weights.

#![no_main]

use engine_fuzz::model_file;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = [
    "m.gguf",
    "m.safetensors",
    "m.h5",
    "m.tflite",
    "m.pte",
    "m.ggml",
];

fuzz_target!(|data: &[u8]| model_file(&NAMES, data));
