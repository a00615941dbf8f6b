//! Lines, numbers, quoted text and types of elements, as serialised objects write them.

use super::{LINE_BYTES_MAX, NAME_BYTES_MAX, Value};
use crate::source::Stream;

pub(super) fn line(stream: &mut Stream<'_>) -> Option<Vec<u8>> {
    let mut line = stream.line(LINE_BYTES_MAX)?;
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Some(line)
}

pub(super) fn number(line: &[u8]) -> Option<u32> {
    std::str::from_utf8(line).ok()?.trim().parse().ok()
}

/// Text in quotes, with the escapes of Python.
pub(super) fn quoted(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    let (first, rest) = line.split_first()?;
    let (last, inner) = rest.split_last()?;
    if first != last || !matches!(first, b'\'' | b'"') {
        return None;
    }
    Some(unescape(inner, false))
}

pub(super) fn unescape(text: &[u8], unicode: bool) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(NAME_BYTES_MAX * 8)]).into_owned();
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let escape = chars.next();
        let digits = match escape {
            Some('x') if !unicode => 2,
            Some('u') if unicode => 4,
            Some('U') if unicode => 8,
            _ => 0,
        };
        if digits > 0 {
            let code: String = chars.by_ref().take(digits).collect();
            out.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            continue;
        }
        match escape {
            Some(digit @ '0'..='7') if !unicode => {
                let mut code = digit.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    code = code * 8 + digit;
                    chars.next();
                }
                out.extend(char::from_u32(code));
            }
            Some('n') if !unicode => out.push('\n'),
            Some('t') if !unicode => out.push('\t'),
            Some(c @ ('\\' | '\'' | '"')) if !unicode => out.push(c),
            Some(c) => {
                out.push('\\');
                out.push(c);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// A type of array elements by its name in numpy; `None` for one that is not understood.
pub(super) fn dtype(text: &str) -> Option<Value> {
    let text = text.trim_start_matches(['<', '>', '|', '=']);
    let (kind, size) = text.split_at_checked(1)?;
    let size: u16 = if size.is_empty() {
        1
    } else {
        size.split('[').next()?.parse().ok()?
    };
    match kind {
        "O" => Some(Value::Dtype(None)),
        "U" => Some(Value::Dtype(Some(size.checked_mul(4)?))),
        "?" => Some(Value::Dtype(Some(1))),
        "b" | "i" | "u" | "f" | "c" | "S" | "a" | "V" | "M" | "m" => Some(Value::Dtype(Some(size))),
        _ => None,
    }
}
