//! Private keys as blocks of lines.

use std::ops::Range;

use crate::judge::{self, StandIn};

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
