//! Scans a whole project: an input is a fixture in which `//- path` opens a file.

#![no_main]

use engine_model::{Date, fixture};
use engine_scanner::{Settings, scan_memory};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(tree) = fixture(&String::from_utf8_lossy(data)) {
        scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)));
    }
});
