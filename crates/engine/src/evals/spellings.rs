//! Finds texts in the spellings that programs give them: percent signs, escapes of JSON and HTML, base64, hexadecimal digits.
//!
//! A text is decoded step by step, and every byte of a step remembers which part of the text it came from. A secret that is found
//! in any step is cut out of the text itself.

use aho_corasick::{AhoCorasick, MatchKind};

/// What stands in the place of a secret.
const MASK: &str = "[secret]";

/// Encodings inside each other that are looked through.
const STEPS_MAX: usize = 3;

/// Characters of a piece of base64 that stand for a secret and nothing beside it; fewer would be found by accident.
const BASE64_CHARS_MIN: usize = 7;

/// The secrets, ready to be found.
#[derive(Clone, Default)]
pub(super) struct Spellings {
    /// As they are, in any case.
    plain: Option<AhoCorasick>,
    /// In base64, with the standard alphabet and without line breaks.
    base64: Option<AhoCorasick>,
    /// In hexadecimal digits, without signs between them.
    hex: Option<AhoCorasick>,
    /// Everyday words, which are found as whole words only.
    words: Option<AhoCorasick>,
}

/// A byte with the part of the text that it came from.
#[derive(Clone, Copy)]
struct Unit {
    byte: u8,
    start: usize,
    end: usize,
}

impl Spellings {
    pub(super) fn of(secrets: &[String]) -> Self {
        let (words, strong): (Vec<&String>, Vec<&String>) = secrets.iter().partition(|secret| is_word(secret));
        let search = |patterns: Vec<Vec<u8>>, any_case: bool| {
            if patterns.is_empty() {
                return None;
            }
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .ascii_case_insensitive(any_case)
                .build(patterns)
                .ok()
        };
        let bytes = |secret: &&String| secret.as_bytes().to_vec();
        Self {
            plain: search(strong.iter().map(bytes).collect(), true),
            base64: search(strong.iter().flat_map(|secret| in_base64(secret)).collect(), false),
            hex: search(
                strong
                    .iter()
                    .map(|secret| data_encoding::HEXLOWER.encode(secret.as_bytes()).into_bytes())
                    .collect(),
                true,
            ),
            words: search(words.iter().map(bytes).collect(), false),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_none() && self.words.is_none()
    }

    /// The text without the secrets; none where it has none. `words` says whether everyday words count.
    pub(super) fn masked(&self, text: &str, words: bool) -> Option<String> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let identity = |(at, byte): (usize, u8)| Unit {
            byte,
            start: at,
            end: at + 1,
        };
        let mut units: Vec<Unit> = text.bytes().enumerate().map(identity).collect();
        if words && let Some(search) = &self.words {
            let bytes = text.as_bytes();
            let is_part = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
            let whole = search.find_iter(bytes).filter(|hit| {
                let before = hit.start().checked_sub(1).and_then(|at| bytes.get(at));
                !is_part(before) && !is_part(bytes.get(hit.end()))
            });
            found.extend(whole.map(|hit| (hit.start(), hit.end())));
        }
        if self.plain.is_some() {
            for step in 0..STEPS_MAX {
                self.find(&units, &mut found);
                if step + 1 == STEPS_MAX {
                    break;
                }
                let Some(decoded) = decoded(&units) else { break };
                units = decoded;
            }
        }
        if found.is_empty() {
            return None;
        }
        found.sort_unstable();
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end) in found {
            // A part may begin or end within a character where a secret is a part of its encoding.
            let start = floor(text, start.max(done));
            let end = ceil(text, end);
            if end <= done {
                continue;
            }
            if start > done || done == 0 || !out.ends_with(MASK) {
                out.push_str(text.get(done..start).unwrap_or_default());
                out.push_str(MASK);
            }
            done = end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Some(out)
    }

    fn find(&self, units: &[Unit], found: &mut Vec<(usize, usize)>) {
        let bytes: Vec<u8> = units.iter().map(|unit| unit.byte).collect();
        let mut add = |search: &Option<AhoCorasick>, bytes: &[u8], units: &[Unit]| {
            let Some(search) = search else { return };
            for hit in search.find_iter(bytes) {
                if let (Some(first), Some(last)) = (units.get(hit.start()), units.get(hit.end() - 1)) {
                    found.push((first.start, last.end));
                }
            }
        };
        add(&self.plain, &bytes, units);
        // Lines of base64 are broken, and pairs of digits may have signs between them.
        let packed: Vec<Unit> = units
            .iter()
            .filter(|unit| !unit.byte.is_ascii_whitespace())
            .map(|unit| Unit {
                byte: match unit.byte {
                    b'-' => b'+',
                    b'_' => b'/',
                    byte => byte,
                },
                ..*unit
            })
            .collect();
        let bytes: Vec<u8> = packed.iter().map(|unit| unit.byte).collect();
        add(&self.base64, &bytes, &packed);
        let digits: Vec<Unit> = units
            .iter()
            .copied()
            .filter(|unit| !unit.byte.is_ascii_whitespace() && !matches!(unit.byte, b':' | b'-' | b','))
            .collect();
        let bytes: Vec<u8> = digits.iter().map(|unit| unit.byte).collect();
        add(&self.hex, &bytes, &digits);
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(text.len())
}

/// Whether a value is an everyday word: small letters and little else.
fn is_word(secret: &str) -> bool {
    secret.len() <= 24
        && secret
            .chars()
            .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | ' '))
}

/// The characters of base64 that stand for a secret alone, at each of the three places where it may begin.
fn in_base64(secret: &str) -> Vec<Vec<u8>> {
    (0..3_usize)
        .filter_map(|before| {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(secret.as_bytes());
            let encoded = data_encoding::BASE64_NOPAD.encode(&bytes);
            // The first characters depend on what stands before, and the last one on what follows.
            let first = (before * 8).div_ceil(6);
            let last = bytes.len() * 8 / 6;
            let core = encoded.get(first..last)?;
            (core.len() >= BASE64_CHARS_MIN).then(|| core.as_bytes().to_vec())
        })
        .collect()
}

/// One step of decoding; none where nothing is encoded.
fn decoded(units: &[Unit]) -> Option<Vec<Unit>> {
    let mut out = Vec::with_capacity(units.len());
    let mut changed = false;
    let mut at = 0;
    while at < units.len() {
        let rest = &units[at..];
        let taken = escape(rest);
        let Some((code, length)) = taken else {
            out.push(units[at]);
            at += 1;
            continue;
        };
        changed = true;
        let (start, end) = (units[at].start, units[at + length - 1].end);
        match code {
            Code::Byte(byte) => out.push(Unit { byte, start, end }),
            Code::Char(c) => {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).as_bytes();
                out.extend(bytes.iter().map(|byte| Unit {
                    byte: *byte,
                    start,
                    end,
                }));
            }
        }
        at += length;
    }
    changed.then_some(out)
}

enum Code {
    Byte(u8),
    Char(char),
}

/// What the start of a text stands for, and how many bytes it takes.
fn escape(units: &[Unit]) -> Option<(Code, usize)> {
    let byte = |at: usize| units.get(at).map(|unit| unit.byte);
    let number = |from: usize, count: usize, radix: u32| {
        let mut digits = (from..from + count).map(|at| byte(at).and_then(|byte| char::from(byte).to_digit(radix)));
        digits.try_fold(0_u32, |number, digit| Some(number * radix + digit?))
    };
    match byte(0)? {
        b'%' => {
            let code = number(1, 2, 16)?;
            Some((Code::Byte(u8::try_from(code).ok()?), 3))
        }
        b'\\' => match byte(1)? {
            b'u' => Some((Code::Char(char::from_u32(number(2, 4, 16)?)?), 6)),
            b'x' => Some((Code::Byte(u8::try_from(number(2, 2, 16)?).ok()?), 4)),
            sign @ (b'/' | b'"' | b'\'' | b'\\') => Some((Code::Byte(sign), 2)),
            _ => None,
        },
        b'&' => {
            let end = (1..10).find(|at| byte(*at) == Some(b';'))?;
            if byte(1)? == b'#' {
                let (from, radix) = if matches!(byte(2)?, b'x' | b'X') {
                    (3, 16)
                } else {
                    (2, 10)
                };
                let code = number(from, end.checked_sub(from).filter(|count| *count > 0)?, radix)?;
                return Some((Code::Char(char::from_u32(code)?), end + 1));
            }
            let name: Vec<u8> = (1..end).filter_map(byte).collect();
            let sign = match name.as_slice() {
                b"amp" => b'&',
                b"lt" => b'<',
                b"gt" => b'>',
                b"quot" => b'"',
                b"apos" => b'\'',
                _ => return None,
            };
            Some((Code::Byte(sign), end + 1))
        }
        _ => None,
    }
}
