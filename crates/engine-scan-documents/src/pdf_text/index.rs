//! The index: where the objects of a file begin, found in the bytes and not in the tables of the file.
//!
//! Tables can name one place many times, or places within other objects. Each object is found once.

use std::collections::BTreeMap;

/// Numbers of an object and of its generation.
pub(crate) type Id = (u32, u32);

/// The objects of a file.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Where each object begins. A later object replaces an earlier one: that is how changes are appended.
    pub(crate) objects: BTreeMap<Id, usize>,
    /// How many were found, with those that were replaced.
    pub(crate) found: usize,
    /// Objects that are named as the catalogue, in the order of the file.
    pub(crate) roots: Vec<Id>,
    /// Whether the file is encrypted.
    pub(crate) encrypted: bool,
}

/// Catalogues that are tried.
const ROOTS_MAX: usize = 4;

/// Finds the objects outside of the contents of streams.
pub(crate) fn read(bytes: &[u8], objects_max: usize) -> Index {
    let mut index = Index::default();
    let mut at = 0;
    while at < bytes.len() && index.found <= objects_max {
        match bytes[at] {
            b'o' if bytes[at..].starts_with(b"obj") => {
                if let Some((id, from)) = header(bytes, at) {
                    index.objects.insert(id, from);
                    index.found += 1;
                }
                at += 3;
            }
            b's' if begins_stream(bytes, at) => {
                let content = at + b"stream".len();
                // A stream without an end is the last thing of a file that was cut off.
                let Some(length) = find(&bytes[content..], b"endstream") else {
                    break;
                };
                at = content + length + b"endstream".len();
            }
            b'/' => {
                if names(bytes, at, b"/Root") {
                    if let Some(id) = reference(&bytes[at + 5..]) {
                        index.roots.retain(|known| *known != id);
                        index.roots.push(id);
                        if index.roots.len() > ROOTS_MAX {
                            index.roots.remove(0);
                        }
                    }
                } else if names(bytes, at, b"/Encrypt") {
                    index.encrypted = true;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    index
}

/// Whether a name is at a place, as a whole.
fn names(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    bytes[at..].starts_with(name) && bytes.get(at + name.len()).is_none_or(|after| !is_regular(*after))
}

/// Whether the content of a stream begins after the word at a place.
fn begins_stream(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"stream")
        && matches!(bytes.get(at + b"stream".len()), Some(b'\r' | b'\n'))
        && (at == 0 || !is_regular(bytes[at - 1]))
}

/// The numbers before the word `obj` at a place, and where they begin.
fn header(bytes: &[u8], at: usize) -> Option<(Id, usize)> {
    if bytes
        .get(at + 3)
        .is_some_and(|after| is_regular(*after) && !after.is_ascii_digit())
    {
        return None;
    }
    let (generation, before) = number_before(bytes, at)?;
    let (number, from) = number_before(bytes, before)?;
    let stands_alone = from == 0 || !is_regular(bytes[from - 1]);
    stands_alone.then_some(((number, generation), from))
}

/// The number that ends before white space at a place, and where it begins.
fn number_before(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    /// Digits of the largest number of an object.
    const DIGITS_MAX: usize = 10;
    /// White space between two numbers.
    const SPACE_MAX: usize = 16;
    let space = bytes[..at]
        .iter()
        .rev()
        .take(SPACE_MAX)
        .take_while(|byte| is_space(**byte))
        .count();
    let end = at - space;
    let digits = bytes[..end]
        .iter()
        .rev()
        .take(DIGITS_MAX)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let from = end - digits;
    let number = std::str::from_utf8(&bytes[from..end]).ok()?.parse().ok()?;
    (space > 0).then_some((number, from))
}

/// A reference such as `12 0 R` after white space.
fn reference(bytes: &[u8]) -> Option<Id> {
    let head = &bytes[..bytes.len().min(48)];
    let text: String = head.iter().map(|byte| char::from(*byte)).collect();
    let mut words = text
        .split(|c: char| c.is_ascii_whitespace() || c == '\0')
        .filter(|word| !word.is_empty());
    let number = words.next()?.parse().ok()?;
    let generation = words.next()?.parse().ok()?;
    words.next()?.starts_with('R').then_some((number, generation))
}

/// White space of PDF.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

/// A byte that can be part of a word.
pub(crate) const fn is_regular(byte: u8) -> bool {
    !is_space(byte)
        && !matches!(
            byte,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
        )
}

/// Where a word is found first.
pub(crate) fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(word) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}
