//! Looks for secrets in files of several kinds.

#![no_main]

use engine_fuzz::choose;
use engine_model::SourceFile;
use engine_scan_secrets::{join, read};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = ["app.py", ".env", "config.yaml", "settings.json", "notes.md", "main.tf"];

fuzz_target!(|data: &[u8]| {
    if let Some((name, bytes)) = choose(&NAMES, data) {
        let file = SourceFile::new(*name, bytes);
        let facts = read(&file, b"a key of exactly thirty-two byte");
        join(&[(file.info(), facts)]);
    }
});
