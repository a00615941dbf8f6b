//! Reads audit packages that nobody made.
//!
//! `A` in front: the bytes are the archive. `B` in front: the archive is made of files, `path`, a new line and the content,
//! with the byte `FF` between two files, so that changes reach what stands behind the checksums of archives.

#![no_main]

use engine_package::Writer;
use engine_verify::{Options, verify_bytes};
use libfuzzer_sys::fuzz_target;

/// Packs files in the order in which they stand; a path that no package may hold ends it.
fn pack(files: &[u8]) -> Option<Vec<u8>> {
    let mut writer = Writer::new(Vec::new()).ok()?;
    for file in files.split(|byte| *byte == 0xFF) {
        let end = file.iter().position(|byte| *byte == b'\n')?;
        let path = std::str::from_utf8(file.get(..end)?).ok()?;
        writer.add(path, file.get(end + 1..)?).ok()?;
    }
    Some(writer.finish().ok()?.out)
}

fuzz_target!(|data: &[u8]| {
    let Some((mode, rest)) = data.split_first() else {
        return;
    };
    let packed = (*mode == b'B').then(|| pack(rest)).flatten();
    if let Ok(outcome) = verify_bytes(packed.as_deref().unwrap_or(rest), &Options::default()) {
        assert_eq!(outcome.valid, outcome.faults.is_empty(), "a fault is never valid");
        assert!(outcome.text().len() < 1 << 20, "a report is short");
    }
});
