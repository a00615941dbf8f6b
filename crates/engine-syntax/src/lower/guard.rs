//! What of a text is handed to a parser at all: a bounded length, and no nesting that no person writes.
//!
//! The parsers are foreign code. Their time and memory grow with the square of some kinds of nesting, and one of them takes
//! gigabytes for a page of open generics. So a text is looked at once, byte by byte, before it is parsed, and cut in front
//! of the line with which such a nesting begins. Strings and comments are not told apart from code here: a limit is set so
//! high that brackets in prose do not reach it.

/// Bytes of one file that are parsed.
pub(super) const SOURCE_BYTES_MAX: usize = 256 * 1024;

/// Brackets that are open at one time.
const OPEN_MAX: usize = 1_000;

/// Angle brackets that are open in one statement.
const ANGLES_MAX: usize = 200;

/// The part of a text that is parsed, and whether it is all of it.
pub(super) fn evaluated(text: &str) -> (&str, bool) {
    let mut end = text.len();
    if end > SOURCE_BYTES_MAX {
        end = text.floor_char_boundary(SOURCE_BYTES_MAX);
        // A line that is longer than all of that is cut where it stands.
        end = text[..end].rfind('\n').map_or(end, |line| line + 1);
    }
    if let Some(at) = nesting(&text.as_bytes()[..end]) {
        end = at;
    }
    (&text[..end], end == text.len())
}

/// Where the line begins from which on brackets stay open beyond the limits.
fn nesting(bytes: &[u8]) -> Option<usize> {
    // The line on which each open bracket stands, as far as the limit.
    let mut open: Vec<usize> = Vec::new();
    let mut angles: Vec<usize> = Vec::new();
    let mut line = 0;
    let mut before = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => line = at + 1,
            b'(' | b'[' | b'{' => {
                open.push(line);
                if open.len() > OPEN_MAX {
                    return open.get(OPEN_MAX / 2).copied();
                }
                if *byte == b'{' {
                    angles.clear();
                }
            }
            b')' | b']' | b'}' => {
                open.pop();
                if *byte == b'}' {
                    angles.clear();
                }
            }
            b'<' if before != b'<' => {
                angles.push(line);
                if angles.len() > ANGLES_MAX {
                    return angles.first().copied();
                }
            }
            b'>' if before != b'=' && before != b'-' => {
                angles.pop();
            }
            b';' => angles.clear(),
            _ => {}
        }
        before = *byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_handed_on_whole() {
        let text = "fn f<T: Into<Vec<u8>>>(x: T) -> bool { x.into().len() < 3 && 4 > 2 }\n".repeat(2_000);
        assert_eq!(evaluated(&text), (text.as_str(), true));
        let shifts = "a = b << 2\nif a < b: c\n".repeat(90);
        assert_eq!(evaluated(&shifts), (shifts.as_str(), true));
    }

    #[test]
    fn nesting_that_nobody_writes_cuts_the_text_before_its_line() {
        for unit in ["a<", "(", "[{", "f(", "List<"] {
            let text = format!("import a\n\nx = {}\n", unit.repeat(5_000));
            let (kept, whole) = evaluated(&text);
            assert_eq!((kept, whole), ("import a\n\n", false), "{unit}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_line() {
        let text = "é = 1\n".repeat(100_000);
        let (kept, whole) = evaluated(&text);
        assert!(!whole && kept.len() <= SOURCE_BYTES_MAX && kept.ends_with('\n'));
        let one_line = text.replace('\n', " ");
        let (kept, whole) = evaluated(&one_line);
        assert!(!whole && kept.len() <= SOURCE_BYTES_MAX);
    }
}
