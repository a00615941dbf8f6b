//! The first reading: digests of all files, and those that are small.

use std::collections::BTreeMap;
use std::io::Read;

use engine_package::{ArchiveError, FileRecord, paths, read};

/// Bytes of all files kept in memory together.
const KEPT_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What the first reading brings.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) files: BTreeMap<String, FileRecord>,
    pub(crate) kept: BTreeMap<String, Vec<u8>>,
}

/// Whether the content of a file is looked at, beyond its digest.
fn is_kept(path: &str) -> bool {
    let document = path.starts_with(paths::DOCUMENT_FOLDER) && path != paths::DOCUMENTS;
    path != paths::ENTRIES && path != paths::README && !document && !path.starts_with(paths::SCHEMA_FOLDER)
}

pub(crate) fn gather(input: impl Read) -> Result<Gathered, ArchiveError> {
    let mut kept: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut held = 0;
    let files = read(input, &mut |path, _, piece| {
        if is_kept(path) {
            held += piece.len() as u64;
            if held > KEPT_BYTES_MAX {
                return Err(ArchiveError::Limit(format!(
                    "more than {KEPT_BYTES_MAX} bytes outside the chain"
                )));
            }
            match kept.get_mut(path) {
                Some(bytes) => bytes.extend_from_slice(piece),
                None => drop(kept.insert(path.to_owned(), piece.to_vec())),
            }
        }
        Ok(())
    })?;
    Ok(Gathered {
        files: files.into_iter().map(|file| (file.path.clone(), file)).collect(),
        kept,
    })
}
