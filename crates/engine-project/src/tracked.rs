//! Which files git tracks, read from its index.
//!
//! Rules that ignore a file hold for what is not tracked. What is in the index is part of the project whatever they say: a file of keys
//! that was committed before it was listed among the files to ignore is still handed to everybody.

use std::collections::HashSet;

use crate::disk::{self, Content, RootHandle};

/// A longer index is not read; a million files fit into it.
const INDEX_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// The mark at the start of an index.
const MARK: &[u8] = b"DIRC";
/// Bytes of an entry before its flags, with the digest of SHA-1.
const FIXED_BYTES: usize = 60;
/// The flag that says that two bytes of further flags follow.
const EXTENDED: u16 = 0x4000;

/// The paths in the index of a repository, relative to its top.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    paths: HashSet<Box<[u8]>>,
}

impl Tracked {
    /// Reads the index of the repository whose top is a folder; nothing where there is none that can be read.
    pub(crate) fn read(root: &RootHandle, folder: &str) -> Self {
        let path = if folder.is_empty() {
            ".git/index".to_owned()
        } else {
            format!("{folder}/.git/index")
        };
        match disk::read(root, &path, INDEX_BYTES_MAX) {
            Ok(Content::Whole(bytes)) => Self {
                paths: parse(&bytes).unwrap_or_default(),
            },
            _ => Self::default(),
        }
    }

    /// Whether a path relative to the top is tracked.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.paths.contains(path.as_bytes())
    }
}

/// How many paths an index names, for whoever tries the reader on bytes of any kind.
#[doc(hidden)]
#[must_use]
pub fn paths_in_index(index: &[u8]) -> usize {
    parse(index).map_or(0, |paths| paths.len())
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// The paths of an index of version 2, 3 or 4; none where anything about it is not as its format has it.
fn parse(bytes: &[u8]) -> Option<HashSet<Box<[u8]>>> {
    if bytes.get(..4)? != MARK {
        return None;
    }
    let version = u32::from_be_bytes(number(bytes, 4)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = u32::from_be_bytes(number(bytes, 8)?);
    let mut paths = HashSet::new();
    let mut at = 12;
    let mut before: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        let flags = u16::from_be_bytes(number(bytes, at + FIXED_BYTES)?);
        at += FIXED_BYTES + 2;
        if flags & EXTENDED != 0 {
            at += 2;
        }
        if version == 4 {
            // A path begins like the one before it, less so many bytes.
            let mut dropped = 0_usize;
            loop {
                let byte = *bytes.get(at)?;
                at += 1;
                dropped = dropped.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
                if byte & 0x80 == 0 {
                    break;
                }
                dropped = dropped.checked_add(1)?;
            }
            before.truncate(before.len().checked_sub(dropped)?);
        } else {
            before.clear();
        }
        let length = bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        before.extend_from_slice(&bytes[at..at + length]);
        at += length + 1;
        if version < 4 {
            // Entries are filled up with zeros to a multiple of eight bytes.
            at = start + (at - start).div_ceil(8) * 8;
        }
        paths.insert(before.clone().into_boxed_slice());
    }
    Some(paths)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::parse;

    /// An index of version 2 with some paths.
    pub(crate) fn index(paths: &[&str]) -> Vec<u8> {
        let mut out = b"DIRC".to_vec();
        out.extend(2_u32.to_be_bytes());
        out.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        for path in paths {
            let start = out.len();
            out.extend([0; 60]);
            out.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
            out.extend(path.as_bytes());
            out.push(0);
            while !(out.len() - start).is_multiple_of(8) {
                out.push(0);
            }
        }
        out
    }

    #[test]
    fn an_index_gives_its_paths_and_a_broken_one_none() {
        let whole = index(&[".env", "a/key.txt", "src/main.py"]);
        let paths = parse(&whole).unwrap();
        assert_eq!(paths.len(), 3);
        assert!(paths.contains(b"a/key.txt".as_slice()));
        for end in 0..whole.len() {
            let _ = parse(&whole[..end]);
        }
        assert!(parse(b"DIRC\0\0\0\x09").is_none());
        assert!(parse(&whole[..70]).is_none());
    }

    #[test]
    fn no_bytes_make_the_reader_of_an_index_panic() {
        let version_4 = {
            let mut out = b"DIRC".to_vec();
            out.extend(4_u32.to_be_bytes());
            out.extend(2_u32.to_be_bytes());
            for (dropped, path) in [(0, "src/main.py"), (7, "app.py")] {
                out.extend([0; 62]);
                out.push(dropped);
                out.extend(path.as_bytes());
                out.push(0);
            }
            out
        };
        let names: Vec<_> = parse(&version_4).unwrap().into_iter().collect();
        assert!(names.contains(&b"src/app.py".to_vec().into_boxed_slice()), "{names:?}");
        // Bytes of a valid index are changed at places that a simple sequence of numbers tells.
        let mut number = 7_u64;
        let mut next = |below: usize| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(number >> 33).unwrap() % below
        };
        for whole in [index(&[".env", "a/key.txt", "src/main.py"]), version_4] {
            for _ in 0..20_000 {
                let mut bytes = whole.clone();
                for _ in 0..=next(4) {
                    let at = next(bytes.len());
                    bytes[at] = u8::try_from(next(256)).unwrap();
                }
                bytes.truncate(bytes.len() - next(16));
                let count = u32::from_be_bytes(bytes[8..12].try_into().unwrap());
                assert!(parse(&bytes).is_none_or(|paths| paths.len() as u64 <= u64::from(count)));
            }
        }
    }
}
