//! Private keys as blocks of lines, and the values of Kubernetes secrets.

use std::ops::Range;

use crate::checksum::base64;
use crate::judge::{self, StandIn};
use crate::name;

/// How far a block is followed.
const BLOCK_MAX: usize = 16_384;

/// A block that holds a private key: the place of its first line, and its whole extent.
pub(crate) struct Block {
    pub(crate) header: Range<usize>,
    pub(crate) all: Range<usize>,
    pub(crate) encrypted: bool,
    pub(crate) kind: &'static str,
}

/// The private key whose first line begins at `at`.
pub(crate) fn private_key(text: &str, at: usize) -> Option<Block> {
    let rest = text.get(at..)?;
    let header_end = rest
        .get(..rest.len().min(64))
        .or_else(|| rest.get(..32))?
        .get(11..)?
        .find("-----")?
        + 16;
    let header = &rest[..header_end];
    if !header.contains("PRIVATE KEY") {
        return None;
    }
    let kind = if header.contains("PGP") {
        "PGP private key"
    } else if header.contains("OPENSSH") {
        "OpenSSH private key"
    } else {
        "Private key"
    };
    let mut limit = rest.len().min(header_end + BLOCK_MAX);
    while !rest.is_char_boundary(limit) {
        limit -= 1;
    }
    let body = &rest[header_end..limit];
    let end = body.find("-----").unwrap_or(body.len());
    let closed = body[end..].starts_with("-----END");
    let body = &body[..end];
    // Lines may be written with `\n` inside a string, with quotes and signs of concatenation around them.
    let mut letters = 0;
    let mut sample = String::new();
    for line in body.split(['\n', '\r']).flat_map(|line| line.split("\\n")) {
        let line = line.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '+' | ',' | '\\' | '#' | '*' | '>' | '|')
        });
        if line.contains(':') {
            continue;
        }
        let run = line
            .bytes()
            .filter(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
            .count();
        // A key is one run of lines: behind three dots in its place stands whatever follows in the text.
        if line.contains("...") || line.contains('…') || line.contains(char::is_whitespace) {
            break;
        }
        if run == line.len() && run >= 6 {
            letters += run;
            if sample.len() < 2000 {
                sample.push_str(line);
            }
        }
    }
    let random = judge::entropy(sample.as_bytes()) >= 3.6 && judge::stand_in(&sample) != Some(StandIn::Plain);
    if letters < 40 || !random {
        return None;
    }
    let footer = if closed {
        (header_end + end + 8).min(rest.len())
    } else {
        header_end + end
    };
    Some(Block {
        header: at..at + header_end,
        all: at..at + footer,
        encrypted: header.contains("ENCRYPTED") || body.contains("ENCRYPTED"),
        kind,
    })
}

/// The encoded values below `data:` of the Kubernetes secret whose `kind:` stands at `at`.
///
/// Also returns where the document ends, before which nothing more is to be looked for.
pub(crate) fn kubernetes(text: &str, at: usize) -> (usize, Vec<Range<usize>>) {
    let mut out = Vec::new();
    let mut near = text.len().min(at + 120);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    let line_end = text[at..near].find('\n').map_or(near, |end| at + end);
    let kind = text[at..line_end]
        .trim_start_matches(|c| c != ':')
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '"' | '\'' | ','));
    if !kind.eq_ignore_ascii_case("secret") {
        return (at, out);
    }
    // The document of the object, between separators; both ways are bounded.
    let mut from = at.saturating_sub(BLOCK_MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let start = text[from..at].rfind("\n---").map_or(from, |found| from + found + 4);
    let mut to = text.len().min(at + BLOCK_MAX * 4);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let stop = text[at..to].find("\n---").map_or(to, |found| at + found);
    let mut offset = start;
    let mut data: Option<usize> = None;
    for line in text[start..stop].split_inclusive('\n') {
        let place = offset;
        offset += line.len();
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        let word = content.trim_start();
        if word.is_empty() || word.starts_with('#') {
            continue;
        }
        match data {
            Some(depth) if indent > depth => {
                let Some((name, value)) = word.split_once(':') else {
                    continue;
                };
                let value = value.trim().trim_matches(['"', '\'']);
                if let Some(at) = content
                    .rfind(value)
                    .filter(|_| worth(value) && !is_plain_setting(name, value))
                {
                    out.push(place + at..place + at + value.len());
                }
            }
            _ => data = (word == "data:").then_some(indent),
        }
    }
    (stop, out)
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
        || value.len() > 8000
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
