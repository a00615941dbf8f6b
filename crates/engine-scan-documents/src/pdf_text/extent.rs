//! Extents: how far the value of an object reaches, so that no look-up of the library goes further than is known before.
//!
//! An object whose text or list is never closed would be read to the end of the file each time something refers to it. Such an object is
//! taken out, and so is one that is longer than any that text needs. What all references cost together has a budget.

use std::collections::BTreeMap;

use super::index::{Id, is_regular, is_space};

/// Bytes of an object without the content of its stream. Fonts and lists of pages are far below.
const OBJECT_BYTES_MAX: usize = 256 * 1024;
/// Values within values.
const DEPTH_MAX: usize = 64;
/// Bytes that are looked through to find the extents of all objects, where they are in one another.
const SCANNED_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of all objects to which something refers, counted once for each reference.
const REFERRED_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Bytes that are looked through for references of pages, which are followed again and again.
const FOLLOWED_BYTES_MAX: usize = 512 * 1024 * 1024;
/// References of pages that are followed in any case.
const FOLLOWED_MAX: usize = 100_000;

/// The extents of the objects of a file.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    bytes: BTreeMap<Id, usize>,
    references: BTreeMap<Id, usize>,
    scanned: usize,
}

impl Extents {
    /// Reads the extent of an object; false where it must be left out, and none where the file goes beyond the limit.
    pub(crate) fn add(&mut self, id: Id, object: &[u8]) -> Option<bool> {
        let object = &object[..object.len().min(OBJECT_BYTES_MAX)];
        let references = &mut self.references;
        let extent = value(object, |id| *references.entry(id).or_default() += 1);
        self.scanned = self.scanned.saturating_add(extent.unwrap_or(object.len()));
        if let Some(extent) = extent {
            self.bytes.insert(id, extent);
        }
        (self.scanned <= SCANNED_BYTES_MAX).then_some(extent.is_some())
    }

    /// How many references of pages can be followed; none where the references of the file cost too much.
    pub(crate) fn lookups(&self) -> Option<usize> {
        let referred = self.references.iter().fold(0_usize, |sum, (id, count)| {
            let bytes = self.bytes.get(id).copied().unwrap_or(0);
            sum.saturating_add(bytes.saturating_mul(*count))
        });
        let longest = self.bytes.values().max().copied().unwrap_or(0).max(1);
        (referred <= REFERRED_BYTES_MAX).then(|| (FOLLOWED_BYTES_MAX / longest).min(FOLLOWED_MAX))
    }
}

/// The bytes of an object, from its number to the end of its value and of the comments after it; none where the value has no end.
fn value(bytes: &[u8], mut refers: impl FnMut(Id)) -> Option<usize> {
    let mut at = after_header(bytes);
    let mut open: Vec<u8> = Vec::new();
    let mut words = Words::default();
    loop {
        at += space(&bytes[at..])?;
        let (length, closes) = match *bytes.get(at)? {
            b'(' => (text(&bytes[at..])?, None),
            b'<' if bytes.get(at + 1) == Some(&b'<') => {
                open.push(b'>');
                (2, None)
            }
            b'<' => (bytes[at..].iter().position(|byte| *byte == b'>')? + 1, None),
            b'>' if bytes.get(at + 1) == Some(&b'>') => (2, Some(b'>')),
            b'[' => {
                open.push(b']');
                (1, None)
            }
            b']' => (1, Some(b']')),
            b'/' => {
                let length = 1 + regular(&bytes[at + 1..]);
                words.name(&bytes[at + 1..at + length]);
                (length, None)
            }
            byte if is_regular(byte) => {
                let length = regular(&bytes[at..]);
                if let Some(id) = words.word(&bytes[at..at + length]) {
                    refers(id);
                }
                (length, None)
            }
            _ => (1, None),
        };
        at += length;
        if let Some(closes) = closes
            && open.pop() != Some(closes)
        {
            return None;
        }
        if open.len() > DEPTH_MAX {
            return None;
        }
        if open.is_empty() {
            // A reference as the value of an object has three words.
            let rest = &bytes[at..];
            return Some(at + space(rest).unwrap_or(rest.len()));
        }
    }
}

/// Bytes of the two numbers and the word before the value.
fn after_header(bytes: &[u8]) -> usize {
    let word = super::index::find(&bytes[..bytes.len().min(64)], b"obj");
    word.map_or(bytes.len(), |at| at + 3)
}

/// Bytes of white space and comments; none where a comment has no end.
fn space(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|byte| is_space(**byte)).count();
        if bytes.get(at) != Some(&b'%') {
            return Some(at);
        }
        at += bytes[at..].iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    }
}

/// Bytes of a text in round brackets.
fn text(bytes: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 1,
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        at += 1;
        if open == 0 {
            return Some(at);
        }
    }
}

fn regular(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_regular(**byte)).count()
}

/// The last words, of which three can be a reference.
#[derive(Default)]
struct Words {
    numbers: [Option<u32>; 2],
    /// Whether they belong to a name that leads back, which no reader of text follows.
    back: bool,
}

/// Names that lead from a part to the whole.
const BACK: [&[u8]; 4] = [b"P", b"Parent", b"Pg", b"Prev"];

impl Words {
    fn name(&mut self, name: &[u8]) {
        self.numbers = [None; 2];
        self.back = BACK.contains(&name);
    }

    /// Takes a word; the object to which it refers where it ends a reference.
    fn word(&mut self, word: &[u8]) -> Option<Id> {
        let [number, generation] = self.numbers;
        let is_number = word.len() <= 10 && word.iter().all(u8::is_ascii_digit);
        let value = is_number
            .then(|| std::str::from_utf8(word).ok()?.parse().ok())
            .flatten();
        self.numbers = [generation, value];
        let back = self.back;
        (word == b"R" && !back).then_some((number?, generation?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Option<usize>, Vec<Id>) {
        let mut seen = Vec::new();
        let extent = value(text.as_bytes(), |id| seen.push(id));
        (extent, seen)
    }

    #[test]
    fn extent_ends_with_the_value_and_the_comments_after_it() {
        let text = "1 0 obj <</A [1 2 (a\\)(b)) <</B/C>>] /F 12 0 R>> %c\n endobj";
        assert_eq!(of(text), (Some(text.len() - "endobj".len()), vec![(12, 0)]));
        assert_eq!(of("1 0 obj 42 endobj"), (Some(11), vec![]));
        assert_eq!(of("1 0 obj <48 65> endobj").0, Some(16));
    }

    #[test]
    fn value_without_an_end_has_no_extent() {
        for text in [
            "1 0 obj (aaa",
            "1 0 obj <</A [1 2 >>",
            "1 0 obj <</A 1",
            "1 0 obj <00",
            "1 0 obj [1 2 >> ]",
            "1 0 obj %abc",
            "1 0 obj",
        ] {
            assert_eq!(of(text).0, None, "{text}");
        }
        assert_eq!(of(&format!("1 0 obj {}1{}", "[".repeat(65), "]".repeat(65))).0, None);
    }

    #[test]
    fn references_that_lead_back_do_not_count() {
        let text = "1 0 obj <</P 2 0 R/K [3 0 R 4 0 R]/Parent 5 0 R/Length 6 0 R>>";
        assert_eq!(of(text).1, [(3, 0), (4, 0), (6, 0)]);
    }

    #[test]
    fn many_references_to_a_long_object_go_beyond_the_limit() {
        let long = format!("1 0 obj ({})", "a".repeat(200_000));
        let list = format!("2 0 obj [{}]", "1 0 R ".repeat(1000));
        let mut extents = Extents::default();
        assert_eq!(extents.add((1, 0), long.as_bytes()), Some(true));
        assert!(extents.lookups().is_some_and(|lookups| lookups > 1000));
        assert_eq!(extents.add((2, 0), list.as_bytes()), Some(true));
        assert_eq!(extents.lookups(), None);
        let too_long = format!("3 0 obj ({})", "a".repeat(300_000));
        assert_eq!(extents.add((3, 0), too_long.as_bytes()), Some(false));
    }
}
