//! Reads documents in every markup, and joins them.

#![no_main]

use engine_fuzz::choose;
use engine_model::{SourceFile, Zone};
use engine_scan_documents::{join, read, wants};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = [
    "docs/risk-management.md",
    "README.rst",
    "docs/policy.adoc",
    "web/index.html",
    "NOTES.txt",
    "README.mdx",
];

fuzz_target!(|data: &[u8]| {
    if let Some((name, bytes)) = choose(&NAMES, data) {
        let file = SourceFile::new(*name, bytes);
        // What a generator has marked as its own is left out.
        let read_at_all = wants(name, file.language, file.zone) || file.zone == Zone::Generated;
        assert!(read_at_all, "{name} is read");
        join(&[(file.info(), read(&file))]);
    }
});
