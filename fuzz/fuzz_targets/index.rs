//! Reads the paths out of an index of git.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = engine_project::paths_in_index(data);
});
