//! Secrets in base64: the text behind a run of its letters is read like a file, and what is found is reported at the run.
//!
//! A run may be broken over lines, as `base64` writes it. Runs behind which there is no text cost the decoding of their start.

use std::ops::Range;

use engine_model::Language;

use crate::checksum::base64;
use crate::find::{Hit, Surroundings, find};

/// A shorter run holds no key.
const RUN_MIN: usize = 24;
/// A longer run is a file of its own, such as a picture or a map of sources.
const RUN_MAX: usize = 64 * 1024;
/// Letters of a line on which a run may end to go on with the next.
const WRAPPED_MIN: usize = 32;
/// Lines of one run.
const LINES_MAX: usize = 2048;
/// Letters of all runs of a text that are decoded.
const DECODED_MAX: usize = 1024 * 1024;
/// Letters at the start of a run that decide on whether text is behind it.
const START: usize = 16;
/// Texts inside one another: the settings of a registry hold a pair of name and password.
const DEPTH_MAX: u8 = 2;
/// The least weight of a secret in a text that says nothing about itself: one with a form, a service or an address.
const WEIGHT_MIN: u8 = 2;

/// A run of letters of base64.
struct Run {
    /// From its first letter to the last one, line ends included.
    all: Range<usize>,
    /// Its first line.
    first: Range<usize>,
    letters: String,
}

/// The secrets of a text that are written in base64.
pub(crate) fn secrets(text: &str, surroundings: Surroundings<'_>) -> Vec<Hit> {
    let mut out = Vec::new();
    if surroundings.depth >= DEPTH_MAX {
        return out;
    }
    let mut left = DECODED_MAX;
    let mut at = 0;
    while let Some(first) = next_line(text, at) {
        at = first.end;
        if !starts_as_text(&text[first.clone()]) || is_of_something_else(text, &first) {
            continue;
        }
        let run = whole(text, first);
        if run.letters.len() > RUN_MAX || run.letters.len() > left {
            at = run.all.end;
            continue;
        }
        left -= run.letters.len();
        if let Some(hit) = decoded(&run, surroundings) {
            at = run.all.end;
            out.push(hit);
        }
    }
    out
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The next run of letters on one line.
fn next_line(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if !is_letter(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_letter(bytes[at]) {
            at += 1;
        }
        if at - start >= RUN_MIN {
            while at < bytes.len() && bytes[at] == b'=' && at - start < RUN_MAX {
                at += 1;
            }
            return Some(start..at);
        }
    }
    None
}

/// Whether what a run begins with is text.
fn starts_as_text(run: &str) -> bool {
    let start = run.get(..START).unwrap_or(run);
    base64(start).is_some_and(|bytes| {
        bytes
            .iter()
            .all(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
    })
}

/// Whether a run is a part of a token, or sources that lie elsewhere.
fn is_of_something_else(text: &str, run: &Range<usize>) -> bool {
    let before = &text.as_bytes()[..run.start];
    before.last() == Some(&b'.')
        || text.as_bytes().get(run.end) == Some(&b'.')
        || before.ends_with(b"base64,") && {
            let from = before.len().saturating_sub(80);
            before[from..].windows(16).any(|part| part == b"sourceMappingURL")
        }
}

/// A run with the lines on which it goes on.
fn whole(text: &str, first: Range<usize>) -> Run {
    let mut run = Run {
        all: first.clone(),
        letters: text[first.clone()].to_owned(),
        first,
    };
    let mut length = run.first.len();
    for _ in 0..LINES_MAX {
        // Every line but the last is as long as the first one, and nothing but marks of a text in code stands around it.
        if run.letters.ends_with('=') || length < WRAPPED_MIN || run.letters.len() > RUN_MAX {
            break;
        }
        let rest = &text[run.all.end..];
        let Some((behind, next)) = rest.split_once('\n') else {
            break;
        };
        if behind.len() > 8 || !behind.chars().all(is_mark) {
            break;
        }
        let line = next.split('\n').next().unwrap_or("");
        let inner = line.trim_start_matches(is_mark);
        let letters = inner.trim_end_matches(is_mark);
        let body = letters.trim_end_matches('=');
        if letters.is_empty() || letters.len() > run.first.len() || !body.bytes().all(is_letter) {
            break;
        }
        let start = run.all.end + behind.len() + 1 + (line.len() - inner.len());
        run.all.end = start + letters.len();
        run.letters.push_str(letters);
        if letters.len() < run.first.len() {
            break;
        }
        length = letters.len();
    }
    run
}

/// What may stand around the lines of a run.
fn is_mark(letter: char) -> bool {
    letter.is_whitespace() && letter != '\n'
        || matches!(
            letter,
            '"' | '\'' | '\\' | '+' | ',' | '|' | '#' | '>' | '(' | ')' | ';'
        )
}

/// The greatest secret behind a run.
fn decoded(run: &Run, surroundings: Surroundings<'_>) -> Option<Hit> {
    // A last letter that is too much is a piece of something else.
    let letters = run.letters.trim_end_matches('=');
    let letters = letters.get(..letters.len() - usize::from(letters.len() % 4 == 1))?;
    let bytes = base64(letters)?;
    let decoded = String::from_utf8_lossy(&bytes);
    let text = decoded.trim();
    let named = text.starts_with('{') && (text.contains("\"auths\"") || text.contains("\"auth\""));
    let language = if text.starts_with(['{', '[']) {
        Language::Json
    } else {
        Language::Other
    };
    let inner = Surroundings {
        language,
        depth: surroundings.depth + 1,
        ..surroundings
    };
    let best = find(text, inner)
        .into_iter()
        .filter(|hit| named || hit.weight >= WEIGHT_MIN)
        .max_by_key(|hit| (hit.weight, hit.confidence))
        .or_else(|| registry(text, inner))?;
    Some(Hit {
        title: format!("{} in base64", best.title).into(),
        place: run.first.clone(),
        all: run.all.clone(),
        hidden: true,
        weight: 4,
        ..best
    })
}

/// The pair of a name and a password that the settings of a registry hold: `"auth": "bmFtZTpwYXNz"`.
fn registry(text: &str, surroundings: Surroundings<'_>) -> Option<Hit> {
    let (_, rest) = text.split_once("\"auth\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let value = value.split('"').next()?;
    let pair = String::from_utf8(base64(value)?).ok()?;
    let (name, password) = pair.split_once(':')?;
    let worth = password.len() >= 8
        && name != password
        && (surroundings.masking
            || !crate::judge::is_sample(password)
                && crate::judge::stand_in(password) != Some(crate::judge::StandIn::Plain));
    worth.then(|| Hit {
        rule: "secret-registry-password".into(),
        check: "secret-generic-assignment".into(),
        title: "Password of a container registry".into(),
        provider: None,
        confidence: crate::find::lowered(80, surroundings.zone),
        place: 0..0,
        all: 0..0,
        hidden: true,
        weight: WEIGHT_MIN,
    })
}
