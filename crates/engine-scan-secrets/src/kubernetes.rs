//! The values of Kubernetes secrets, which are written in base64: in YAML of both styles and in JSON.

use std::ops::Range;

use crate::checksum::base64;
use crate::judge::{self, StandIn};
use crate::name;

/// How far around its kind an object is followed.
const BEFORE_MAX: usize = 4 * 1024;
const BEHIND_MAX: usize = 64 * 1024;
/// A longer value is a file of its own.
const VALUE_MAX: usize = 32 * 1024;

/// A value, which may stand on several lines.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) all: Range<usize>,
    /// Its first line.
    pub(crate) first: Range<usize>,
}

/// The encoded values in the `data` of the Kubernetes secret whose `kind` stands at `at`.
///
/// Also returns where the object ends, before which no other is to be looked for.
pub(crate) fn values(text: &str, at: usize) -> (usize, Vec<Value>) {
    let near = floor(text, at + 120);
    let line_end = text[at..near].find('\n').map_or(near, |end| at + end);
    let line = &text[at..line_end];
    let kind = line
        .trim_start_matches(|c| c != ':')
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '"' | '\''));
    let kind_end = kind.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(kind.len());
    let rest = kind[kind_end..].trim_start_matches(['"', '\'']).trim_start();
    if !kind[..kind_end].eq_ignore_ascii_case("secret")
        || !(rest.is_empty() || rest.starts_with([',', '}', '#', '\\', '\r']))
    {
        return (at, Vec::new());
    }
    let mut out = Vec::new();
    let end = if text[..at].ends_with(['"', '\''])
        && let Some(object) = object(text, at)
    {
        for place in keys(text, &object) {
            braced(text, place, object.end, &mut out);
        }
        object.end
    } else {
        blocks(text, at, &mut out)
    };
    out.retain(|(name, value)| {
        let encoded: String = text[value.all.clone()].split_whitespace().collect();
        worth(&encoded) && !is_plain_setting(name, &encoded)
    });
    (end.max(line_end), out.into_iter().map(|(_, value)| value).collect())
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The braces around a place, as far as they are near.
fn object(text: &str, at: usize) -> Option<Range<usize>> {
    let from = floor(text, at.saturating_sub(BEFORE_MAX));
    let to = floor(text, at + BEHIND_MAX);
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut start = None;
    for place in (from..at).rev() {
        match bytes[place] {
            b'}' => depth += 1,
            b'{' if depth == 0 => {
                start = Some(place);
                break;
            }
            b'{' => depth -= 1,
            _ => {}
        }
    }
    let mut depth = 0_usize;
    for (place, byte) in bytes.iter().enumerate().take(to).skip(at) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(start?..place),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    Some(start?..to)
}

/// Where the values of keys `data` of an object begin, those of inner objects left out.
fn keys(text: &str, object: &Range<usize>) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut depth = 0_usize;
    let mut at = object.start + 1;
    while at < object.end {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\''
                if depth == 0 && bytes[at + 1..].starts_with(b"data") && bytes.get(at + 5) == Some(&bytes[at]) =>
            {
                out.push(at + 6);
            }
            _ => {}
        }
        at += 1;
    }
    out
}

/// The pairs within the braces behind a place, whose keys and values may have quotes.
fn braced(text: &str, from: usize, to: usize, out: &mut Vec<(String, Value)>) {
    let to = floor(text, to);
    let Some(area) = text.get(from..to) else { return };
    let lead = area.trim_start_matches([':', ' ', '\t', '\n', '\r']);
    let Some(inner) = lead.strip_prefix('{') else { return };
    let mut at = to - inner.len();
    let end = at + inner.find('}').unwrap_or(inner.len());
    while at < end {
        let part_end = pair_end(text, at, end);
        let part = &text[at..part_end];
        if let Some((name, value)) = part.split_once(':') {
            let marks = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
            let trimmed = value.trim_matches(marks);
            if let Some(offset) = value.find(trimmed).filter(|_| !trimmed.is_empty()) {
                let start = at + name.len() + 1 + offset;
                push(text, name.trim_matches(marks), start..start + trimmed.len(), out);
            }
        }
        at = part_end + 1;
    }
}

/// Where a pair ends: at the next comma.
fn pair_end(text: &str, at: usize, end: usize) -> usize {
    text[at..end].find(',').map_or(end, |comma| at + comma)
}

fn push(text: &str, name: &str, all: Range<usize>, out: &mut Vec<(String, Value)>) {
    let line = text[all.clone()].lines().next().unwrap_or("");
    let first = all.start..all.start + line.trim_end().len();
    out.push((name.to_owned(), Value { all, first }));
}

/// A line with what stands before its first word, the sign of a list included.
struct Line<'t> {
    start: usize,
    text: &'t str,
    indent: usize,
    /// The line begins an entry of a list.
    entry: bool,
}

impl<'t> Line<'t> {
    fn at(text: &'t str, start: usize) -> Self {
        let content = text[start..].split('\n').next().unwrap_or("").trim_end();
        let word = content.trim_start();
        let entry = word.starts_with("- ");
        let word = word.strip_prefix("- ").map_or(word, str::trim_start);
        Self {
            start,
            text: content,
            indent: content.len() - word.len(),
            entry,
        }
    }

    /// Whether the line says nothing about the object: it is empty, a comment or a part of a template.
    fn is_idle(&self) -> bool {
        let word = self.text.trim_start();
        word.is_empty() || word.starts_with('#') || word.starts_with("{{")
    }

    /// Whether an object with its keys at a depth ends before the line.
    fn ends(&self, depth: usize) -> bool {
        self.text.starts_with("---") || !self.is_idle() && self.indent < depth
    }
}

/// Where the line of a place begins.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The values of an object in YAML, and where it ends.
fn blocks(text: &str, at: usize, out: &mut Vec<(String, Value)>) -> usize {
    let own = Line::at(text, line_start(text, at));
    let depth = own.indent;
    let mut all = vec![own];
    // Back to the first line of the object.
    while let Some(first) = all.last()
        && !(first.entry && first.indent == depth)
        && first.start > 0
        && at - first.start < BEFORE_MAX
    {
        let before = Line::at(text, line_start(text, first.start - 1));
        if before.ends(depth) {
            break;
        }
        all.push(before);
    }
    all.reverse();
    let mut next = line_start(text, at);
    let stop = loop {
        let Some(end) = text[next..].find('\n') else {
            break text.len();
        };
        next += end + 1;
        if next >= text.len() || next - at > BEHIND_MAX {
            break next.min(text.len());
        }
        let line = Line::at(text, next);
        if line.ends(depth) || line.entry && line.indent == depth {
            break next;
        }
        all.push(line);
    };
    pairs(text, &all, depth, stop, out);
    stop
}

/// The pairs of the `data` among the lines of an object.
fn pairs(text: &str, all: &[Line<'_>], depth: usize, stop: usize, out: &mut Vec<(String, Value)>) {
    let mut at = 0;
    while let Some(line) = all.get(at) {
        at += 1;
        if line.indent != depth || line.is_idle() {
            continue;
        }
        let word = line.text[line.indent..].trim_start();
        let Some(behind) = ["data:", "\"data\":", "'data':"]
            .iter()
            .find_map(|key| word.strip_prefix(key))
        else {
            continue;
        };
        if behind.trim_start().starts_with('{') {
            let place = line.start + line.text.len() - behind.len();
            braced(text, place, stop, out);
            continue;
        }
        at = entries(text, all, at, depth, out);
    }
}

/// The pairs of a block, and the line behind it.
fn entries(text: &str, all: &[Line<'_>], from: usize, depth: usize, out: &mut Vec<(String, Value)>) -> usize {
    let mut at = from;
    while let Some(line) = all.get(at) {
        if !line.is_idle() && line.indent <= depth {
            break;
        }
        at += 1;
        if line.is_idle() {
            continue;
        }
        let word = line.text.trim_start();
        let Some((name, value)) = word.split_once(':') else {
            continue;
        };
        let name = name.trim_matches(['"', '\'', ' ']);
        let mut value = value.trim();
        // A tag says what kind of text it is.
        if let Some((_, rest)) = value.strip_prefix('!').and_then(|tagged| tagged.split_once(' ')) {
            value = rest.trim_start();
        }
        let mut range = (!value.is_empty() && !value.starts_with(['|', '>'])).then(|| {
            let start = line.start + line.text.len() - value.len();
            start..line.start + line.text.len()
        });
        // What is deeper than the key goes on with its value.
        while let Some(next) = all.get(at).filter(|next| next.indent > line.indent) {
            let word = next.text.trim();
            if !word.is_empty() {
                let start = next.start + next.text.len() - next.text.trim_start().len();
                let end = next.start + next.text.len();
                range = Some(range.map_or(start, |range| range.start)..end);
            }
            at += 1;
        }
        if let Some(range) = range {
            let value = &text[range.clone()];
            let marks = ['"', '\'', ' ', '\n', '\r', '\t'];
            let inner = value.trim_start_matches(marks);
            let start = range.start + value.len() - inner.len();
            let inner = inner.trim_end_matches(marks);
            if !inner.is_empty() {
                push(text, name, start..start + inner.len(), out);
            }
        }
    }
    at
}

/// Whether a value is a plain setting next to the secrets, such as the name of a database: `POSTGRES_DB: bG9hbl9hcHByb3ZhbF9kYg==`.
fn is_plain_setting(name: &str, value: &str) -> bool {
    let (_, words) = name::words(name);
    let last = words.last().map_or("", String::as_str);
    matches!(
        last,
        "db" | "database" | "user" | "username" | "host" | "hostname" | "port" | "name"
    ) && base64(value)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .is_some_and(|text| !judge::is_random(text.trim()))
}

/// Whether an encoded value is long enough to be a secret and no stand-in.
fn worth(value: &str) -> bool {
    if value.len() < 12
        || value.len() > VALUE_MAX
        || judge::stand_in(value) == Some(StandIn::Plain) && !value.starts_with("AAAA")
    {
        return false;
    }
    let Some(bytes) = base64(value) else {
        return false;
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    text.len() >= 8
        && !judge::is_sample(text)
        && !judge::encodes_stand_in(value)
        && !text.starts_with("http")
        && !text.contains("{{")
        && !text.starts_with("-----BEGIN CERT")
}
