//! Dummy values in the place of secrets: in commented-out lines, and in tests.

use engine_model::{Language, Zone};

/// The beginning of the first part of a token of the kind `eyJ….eyJ….…`: `{"alg":` in base64.
const TOKEN_HEAD: &str = "eyJhbGciOi";

/// Parts of a value that mark it as a test value.
const TEST_PARTS: [&str; 14] = [
    "test", "tests", "testing", "fake", "dummy", "mock", "mocked", "demo", "sample", "stub", "invalid", "expected",
    "unit", "wrong",
];

/// What begins a comparison in a test, in lower case.
const ASSERTIONS: [&str; 12] = [
    "assertequals(",
    "assertthat(",
    "assertequal(",
    "assert.equal(",
    "assert.strictequal(",
    "assert_eq!(",
    "assert ",
    ".areequal(",
    ".tobe(",
    ".toequal(",
    ".should().be(",
    "require.equal(",
];

/// Characters of a line in front of a value that are looked at.
const LINE_MAX: usize = 300;

/// Places of one value in a file that are looked at.
const PLACES_MAX: usize = 20;

/// Whether a place stands in a line that was commented out.
pub(crate) fn is_commented_out(text: &str, at: usize, language: Language) -> bool {
    // A number sign begins a heading there.
    if language == Language::Markup {
        return false;
    }
    let line = before_on_line(text, at).trim_start();
    let hash =
        line.starts_with('#') && !line.starts_with("#[") && !line.starts_with("#define") && !line.starts_with("#{");
    hash || line.starts_with("//")
        || line.starts_with("-- ")
        || line.starts_with("<!--")
        || line.starts_with(';') && !language.is_code()
        || line.starts_with("* ") && language.is_code()
}

/// Words in front of a value with which a document says that it shows what such a value is like.
const SHOWN: [&str; 12] = [
    "look something like",
    "sample above",
    "example above",
    "above example",
    "above sample",
    "looks like",
    "look like",
    "looks something like",
    "for example:",
    "**example**",
    "**example:**",
    "- example:",
];

/// Lines before a value on which a document may say so, those of fences included.
const SHOWN_WITHIN: usize = 3;

/// Whether a document tells of a value that it shows what such a one is like: `In the example above it is 270485614:AAH…`,
/// `It should look something like this:`.
pub(crate) fn is_shown(text: &str, at: usize, language: Language) -> bool {
    if language != Language::Markup {
        return false;
    }
    let mut from = at.saturating_sub(LINE_MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text.get(from..at).unwrap_or("");
    before.rsplit('\n').take(SHOWN_WITHIN).enumerate().any(|(lines, line)| {
        let line = line.trim_end().to_ascii_lowercase();
        SHOWN
            .iter()
            .any(|words| line.contains(words) && (lines == 0 || line.ends_with(':')))
    })
}

/// Whether a key has the form of a service but for what every one of them has: letters beyond `f` in an identifier of hexadecimal
/// digits, or another character where keys of `OpenAI` hold their mark.
pub(crate) fn is_altered(value: &str) -> bool {
    const MARK: &str = "T3BlbkFJ";
    if value.contains(&MARK[2..]) {
        return !value.contains(MARK);
    }
    let mut groups = value.split('-');
    let grouped = [8, 4, 4, 4, 12].iter().all(|length| {
        groups
            .next()
            .is_some_and(|group| group.len() == *length && group.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    });
    grouped && groups.next().is_none() && !value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Whether a key without a known format is a dummy: it contains only the head of a token, or it is in a test and the value itself
/// or a comparison with an expected result shows it.
pub(crate) fn is_dummy(text: &str, value: &str, zone: Zone) -> bool {
    if let Some((_, rest)) = value.split_once(TOKEN_HEAD)
        && !rest.contains('.')
    {
        return true;
    }
    if is_altered(value) {
        return true;
    }
    if zone != Zone::Test {
        return false;
    }
    if digits_climb(value) {
        return true;
    }
    let mut parts = value.split(|c: char| !c.is_ascii_alphanumeric());
    if parts.any(|part| TEST_PARTS.iter().any(|known| part.eq_ignore_ascii_case(known))) {
        return true;
    }
    text.match_indices(value).take(PLACES_MAX).any(|(at, _)| {
        let line = before_on_line(text, at).to_ascii_lowercase();
        ASSERTIONS.iter().any(|assertion| line.contains(assertion))
    })
}

/// Whether all digits of a value go up one by one: `k3n4m5p6q7r8s9t0`. Outside of tests a key that holds its digits in this order is told.
fn digits_climb(value: &str) -> bool {
    const DIGITS_MIN: usize = 6;
    let digits: Vec<u8> = value
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|digit| digit - b'0')
        .collect();
    digits.len() >= DIGITS_MIN && digits.windows(2).all(|pair| (pair[0] + 1) % 10 == pair[1])
}

/// What stands before a place on its line.
fn before_on_line(text: &str, at: usize) -> &str {
    let mut from = at.saturating_sub(LINE_MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text.get(from..at).unwrap_or("");
    before.rsplit('\n').next().unwrap_or(before)
}

#[cfg(test)]
mod tests {
    use super::{digits_climb, is_altered};

    #[test]
    fn a_key_without_its_required_marker_is_ignored() {
        assert!(is_altered("87juwi58-1jk9-9182-9b3c-f84d90e8bshq"));
        assert!(!is_altered("87abdf58-1bc9-9182-9b3c-f84d90e8b5e7"));
        // Four groups are no identifier of this kind.
        assert!(!is_altered("87juwi58-1jk9-9182-9b3c"));
        let key = |mark: &str| format!("sk-11KRr4uuTwpRGfeRTfj1{mark}jjP8QTrswHU1yGruru2F");
        assert!(is_altered(&key("T9BlbkFJ")));
        assert!(!is_altered(&key("T3BlbkFJ")));
        assert!(!is_altered(&key("Qx7nWz2L")));
    }

    #[test]
    fn ascending_digits_are_a_placeholder() {
        assert!(digits_climb("gsk_live_k3n4m5p6q7r8s9t0"));
        assert!(!digits_climb("gsk_k3n4m5p6"));
        assert!(!digits_climb("gsk_k3n4m5p6q7r8s9t1"));
    }
}
