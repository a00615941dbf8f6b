//! Names with values: `name = "value"` in the many ways of code, configuration and commands.

use std::ops::Range;

use engine_model::Language;

/// A name with the place of its value.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) name: Range<usize>,
    pub(crate) value: Range<usize>,
    /// The value stands in quotes.
    pub(crate) quoted: bool,
    /// A scheme such as `Bearer` stands before the value.
    pub(crate) headed: bool,
    /// The scheme is that of a user and a password in base64.
    pub(crate) basic: bool,
}

/// How far a name reaches to either side of the word in it.
const NAME_MAX: usize = 64;

/// How long a value may be.
pub(crate) const VALUE_MAX: usize = 800;

const fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The name around a place.
pub(crate) fn name_at(bytes: &[u8], at: usize, end: usize) -> Range<usize> {
    let mut start = at;
    while start > 0 && at - start < NAME_MAX && in_name(bytes[start - 1]) {
        start -= 1;
    }
    let mut stop = end;
    while stop < bytes.len() && stop - end < NAME_MAX && in_name(bytes[stop]) {
        stop += 1;
    }
    // The `n` of an escaped line end in a string is no part of the name.
    if start > 0 && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b't' | b'r') {
        start += 1;
    }
    start.min(at)..stop
}

/// Whether a name and what follows its colon are the coordinates of a package of Maven: `'io.jsonwebtoken:jjwt-api:0.12.3'`.
fn is_coordinate(bytes: &[u8], start: usize, at: usize) -> bool {
    let quoted = start > 0 && matches!(bytes[start - 1], b'"' | b'\'');
    let artifact = bytes[at.min(bytes.len())..]
        .iter()
        .take(NAME_MAX)
        .take_while(|byte| in_name(**byte))
        .count();
    quoted
        && artifact > 0
        && bytes.get(at + artifact) == Some(&b':')
        && bytes
            .get(at + artifact + 1)
            .is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'$' | b'+' | b'['))
}

/// The value that is assigned to the name, if one is.
pub(crate) fn value_of(bytes: &[u8], name: Range<usize>, language: Language, netrc: bool) -> Option<Assignment> {
    let mut at = name.end;
    let flag = bytes[name.start] == b'-';
    let element = name.start > 0 && bytes[name.start - 1] == b'<';
    let (mut closed, mut left) = (false, false);
    let mut spaces = 0;
    // What may stand between a name and its sign: quotes, brackets, spaces.
    while at < bytes.len() && at - name.end < 24 {
        match bytes[at] {
            b'"' | b'\'' | b'`' => closed = true,
            b')' => left = true,
            b']' | b'\\' | b'?' | b'!' => {}
            b' ' | b'\t' => spaces += 1,
            _ => break,
        }
        at += 1;
    }
    if bytes[name.start..].starts_with(b"--") && matches!(bytes.get(name.end), Some(b' ')) {
        // `--api-key "value"`
        at = skip_space(bytes, name.end, 0);
        return take(bytes, name, at);
    }
    let mut at = type_name(bytes, at, spaces > 0 && !closed);
    let rest = &bytes[at.min(bytes.len())..(at + 8).min(bytes.len())];
    let sign = |text: &[u8]| rest.starts_with(text);
    let (mut lines, mut opens) = (0, false);
    if sign(b"===") || sign(b"!==") || sign(b"==") || sign(b"!=") || sign(b"=~") {
        return None;
    } else if sign(b":=") || sign(b"=>") || sign(b".=") || sign(b"+=") || sign(b"??=") || sign(b"||=") || sign(b"?=") {
        at += if rest.starts_with(b"??=") || rest.starts_with(b"||=") {
            3
        } else {
            2
        };
        if bytes.get(at) == Some(&b'=') {
            at += 1;
        }
    } else if sign(b"=") {
        at += 1;
    } else if sign(b"::") && !sign(b"::=") && !sign(b":::=") {
        return None;
    } else if sign(b":") {
        at += 1;
        if !closed && is_coordinate(bytes, name.start, at) {
            return None;
        }
        // Parts of a resource name, as in `arn:aws:secretsmanager:eu-west-1`.
        if name.start > 0 && bytes[name.start - 1] == b':' && !matches!(bytes.get(at), Some(b' ')) {
            return None;
        }
        // `:=`, and `::=` of makefiles.
        while at < name.end + 32 && matches!(bytes.get(at), Some(b':' | b'=')) {
            at += 1;
        }
        at = annotation(bytes, at);
        lines = usize::from(matches!(language, Language::Yaml | Language::Other | Language::Markup));
    } else if sign(b">") && element {
        at += 1;
        lines = 1;
        opens = true;
    } else if sign(b"</key>") && bytes[..name.start].ends_with(b"<key>") {
        at = skip_space(bytes, at + 6, 1);
        at += if bytes[at.min(bytes.len())..].starts_with(b"<string>") {
            8
        } else {
            return None;
        };
    } else if sign(b",") && closed && left {
        // `os.Getenv("API_KEY"), …`: what follows is no value of the name.
        return None;
    } else if sign(b",") && closed {
        at += 1;
    } else if closed && sign(b"value") {
        at = skip_space(bytes, at + 5, 0);
        if bytes.get(at) != Some(&b'=') {
            return None;
        }
        at += 1;
    } else if spaces > 0
        && !closed
        && (flag || netrc || language == Language::Other && starts_line(bytes, name.start, b"ENV "))
    {
        // `--password hunter2`, `password hunter2` in a netrc file, `ENV NAME value` in a Dockerfile.
    } else if name_of_pair(bytes, name.start) && (rest.is_empty() || rest[0] == b'\n' || rest[0] == b'\r') {
        // `- name: API_KEY` with `value: …` on the line below.
        at = skip_space(bytes, at, 1);
        let text = &bytes[at.min(bytes.len())..(at + 10).min(bytes.len())];
        if !text.starts_with(b"value:") && !text.starts_with(b"\"value\":") {
            return None;
        }
        at += if text[0] == b'"' { 8 } else { 6 };
    } else {
        return None;
    }
    at = skip_space(bytes, at, lines);
    let assignment = take(bytes, name, at)?;
    // `<api-key>value</api-key>` holds a value, `KEY=<random-secret>` on the line before another assignment does not.
    let is_element = |end: usize| bytes[skip_space(bytes, end, 1)..].starts_with(b"</");
    (!opens || is_element(assignment.value.end)).then_some(assignment)
}

/// Whether the name is the value of `name:` or `key:` in a list of pairs.
fn name_of_pair(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[start.saturating_sub(16)..start];
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
    before.ends_with(b"name:") || before.ends_with(b"key:") || before.ends_with(b"\"name\":")
}

fn starts_line(bytes: &[u8], start: usize, word: &[u8]) -> bool {
    let before = &bytes[start.saturating_sub(24)..start];
    before.trim_ascii_end().ends_with(word.trim_ascii_end())
}

/// Skips the name of a type between a name and its sign, as in `var token string = "…"`.
fn type_name(bytes: &[u8], at: usize, spaced: bool) -> usize {
    if !spaced {
        return at;
    }
    let mut end = at;
    while end < bytes.len()
        && end - at < 20
        && (bytes[end].is_ascii_alphanumeric() || matches!(bytes[end], b'*' | b'[' | b']'))
    {
        end += 1;
    }
    if end == at {
        return at;
    }
    let after = skip_space(bytes, end, 0);
    let known = matches!(
        &bytes[at..end],
        b"string" | b"String" | b"str" | b"text" | b"TEXT" | b"varchar"
    );
    if known && after > end && matches!(bytes.get(after), Some(b'=')) && bytes.get(after + 1) != Some(&b'=') {
        after
    } else {
        at
    }
}

/// Skips the type behind a colon, as in `const token: string = "…"`.
fn annotation(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < bytes.len()
        && end - at < 40
        && (bytes[end].is_ascii_alphanumeric()
            || matches!(
                bytes[end],
                b' ' | b'&' | b'\'' | b'?' | b'|' | b'[' | b']' | b'<' | b'>' | b'.' | b'_'
            ))
    {
        end += 1;
    }
    let named = bytes[at..end].iter().any(u8::is_ascii_alphabetic);
    let assigned = bytes.get(end) == Some(&b'=') && !matches!(bytes.get(end + 1), Some(b'=' | b'>'));
    let spaced = end > at && bytes[end - 1] == b' ';
    if named && assigned && spaced { end + 1 } else { at }
}

fn skip_space(bytes: &[u8], mut at: usize, mut lines: usize) -> usize {
    let start = at;
    while at < bytes.len() && at - start < 120 {
        match bytes[at] {
            b' ' | b'\t' | b'\r' => {}
            b'\n' if lines > 0 => lines -= 1,
            _ => break,
        }
        at += 1;
    }
    at
}

/// Words that stand before the secret in the value itself.
const SCHEMES: &[&[u8]] = &[
    b"Bearer ",
    b"bearer ",
    b"BEARER ",
    b"Basic ",
    b"basic ",
    b"Token ",
    b"token ",
    b"token=",
    b"Token token=",
    b"ApiKey ",
    b"Api-Key ",
    b"GenieKey ",
    b"Bot ",
    b"AWS4-HMAC-SHA256 ",
];

/// What ends a value without quotes.
static STOPS: [bool; 256] = {
    let mut table = [false; 256];
    let stops = b" \t\n\r\"'`;,<>";
    let mut at = 0;
    while at < stops.len() {
        table[stops[at] as usize] = true;
        at += 1;
    }
    table
};

/// The value that begins at a place.
fn take(bytes: &[u8], name: Range<usize>, mut at: usize) -> Option<Assignment> {
    // `b"…"`, `r'…'`, `@"…"`, `new String("…")`: what stands before the quote is skipped.
    let mut prefix = at;
    while prefix < bytes.len()
        && prefix - at < 4
        && (bytes[prefix].is_ascii_alphabetic() || matches!(bytes[prefix], b'@' | b'\\' | b'(' | b'['))
    {
        prefix += 1;
    }
    let mut quote = None;
    if matches!(bytes.get(prefix), Some(b'"' | b'\'' | b'`'))
        && !bytes[at..prefix].iter().any(|b| matches!(b, b'f' | b'F'))
    {
        quote = Some(bytes[prefix]);
        at = prefix + 1;
        // Quotes within quotes: `"'value'"`, `"\"value\""`, `"""value"""`.
        while let Some(next @ (b'"' | b'\'' | b'\\')) = bytes.get(at) {
            if at - prefix > 4 {
                return None;
            }
            if *next != b'\\' {
                quote = Some(*next);
            }
            at += 1;
        }
    }
    let start_of_value = at;
    for scheme in SCHEMES {
        if bytes[at..].starts_with(scheme) {
            at += scheme.len();
            break;
        }
    }
    let headed = at > start_of_value;
    let limit = bytes.len().min(at + VALUE_MAX);
    let mut end = at;
    if let Some(quote) = quote {
        while end < limit && bytes[end] != b'\n' {
            if bytes[end] == b'\\' && matches!(bytes.get(end + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'')) {
                break;
            }
            if bytes[end] == quote {
                break;
            }
            end += 1;
        }
        if end == limit && limit < bytes.len() {
            return None;
        }
    } else {
        while end < limit
            && !(bytes[end] == b'\\' && matches!(bytes.get(end + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'')))
            && !STOPS[usize::from(bytes[end])]
        {
            end += 1;
        }
        // A call or an index is an expression.
        while end > at && matches!(bytes[end - 1], b')' | b']' | b'}' | b'\\') {
            end -= 1;
        }
        if bytes[at..end].iter().any(|b| matches!(b, b'(' | b'[' | b'{')) && !headed {
            return None;
        }
    }
    (end > at).then_some(Assignment {
        name,
        value: at..end,
        quoted: quote.is_some(),
        headed,
        basic: headed && bytes[at.saturating_sub(6)..at].eq_ignore_ascii_case(b"basic "),
    })
}
