//! Which files git tracks, read from its index.
//!
//! Rules that ignore a file hold for what is not tracked. What is in the index is part of the project whatever they say: a file of keys
//! that was committed before it was listed among the files to ignore is still handed to everybody.

use std::collections::HashSet;

/// A longer index is not read; a million files fit into it.
pub(crate) const INDEX_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// The mark at the start of an index.
const MARK: &[u8] = b"DIRC";
/// Bytes of an entry before its flags, with the digest of SHA-1.
const FIXED_BYTES: usize = 60;
/// The flags that hold the length of a path.
const LENGTH: u16 = 0x0fff;
/// The extension that says that a part of the list is kept in another file.
const SHARED: [u8; 4] = *b"link";
/// Bytes of the digest at the end.
const DIGEST_BYTES: usize = 20;
/// The flag that says that two bytes of further flags follow.
const EXTENDED: u16 = 0x4000;

/// The paths in the index of a repository, relative to its top.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    paths: HashSet<Box<[u8]>>,
    /// The folders that hold them, and the paths themselves.
    within: HashSet<Box<[u8]>>,
}

impl Tracked {
    /// The paths of an index; none where it cannot be read.
    pub(crate) fn of(index: &[u8]) -> Self {
        let paths = parse(index).unwrap_or_default();
        let mut within = HashSet::new();
        #[expect(clippy::iter_over_hash_type, reason = "a set of their folders, in whatever order")]
        for path in &paths {
            let mut at = path.len();
            // The folders above one that is known are known too.
            while within.insert(Box::from(&path[..at])) {
                match path[..at].iter().rposition(|byte| *byte == b'/') {
                    Some(slash) => at = slash,
                    None => break,
                }
            }
        }
        Self { paths, within }
    }

    /// Whether anything in a folder is tracked, or the folder itself as another repository.
    pub(crate) fn holds_within(&self, folder: &str) -> bool {
        self.within.contains(folder.as_bytes())
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
    entries(bytes).map(|entries| entries.paths)
}

/// The paths of an index, if it certainly lists them all: the length of each path is as its entry has it, and no part of the list is kept
/// in another file.
pub(crate) fn complete(bytes: &[u8]) -> Option<HashSet<Box<[u8]>>> {
    let entries = entries(bytes)?;
    let mut at = entries.end;
    // Extensions: four letters, a length, and so many bytes; the digest of the index follows the last one.
    while bytes.len().saturating_sub(at) > DIGEST_BYTES {
        let name: [u8; 4] = number(bytes, at)?;
        if name == SHARED {
            return None;
        }
        let length = usize::try_from(u32::from_be_bytes(number(bytes, at + 4)?)).ok()?;
        at = at.checked_add(8)?.checked_add(length)?;
    }
    (entries.named_lengths && bytes.len() == at + DIGEST_BYTES).then_some(entries.paths)
}

/// The entries of an index.
struct Entries {
    paths: HashSet<Box<[u8]>>,
    /// Where they end.
    end: usize,
    /// Whether each path is as long as its flags say; in an index with other digests it is not.
    named_lengths: bool,
}

fn entries(bytes: &[u8]) -> Option<Entries> {
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
    let mut named_lengths = true;
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
        let named = usize::from(flags & LENGTH);
        named_lengths &= named == before.len().min(usize::from(LENGTH));
        if version < 4 {
            // Entries are filled up with zeros to a multiple of eight bytes.
            at = start + (at - start).div_ceil(8) * 8;
        }
        paths.insert(before.clone().into_boxed_slice());
    }
    Some(Entries {
        paths,
        end: at,
        named_lengths,
    })
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
