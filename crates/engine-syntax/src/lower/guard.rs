//! What of a text is handed to a parser at all: a bounded length, and no nesting that no person writes.
//!
//! The parsers are foreign code. Their time and memory grow with the square of some kinds of nesting, and one of them takes
//! gigabytes for a page of open generics. So a text is looked at once, byte by byte, before it is parsed, and cut in front
//! of the line with which such a nesting begins. Strings and comments are not told apart from code here: a limit is set so
//! high that brackets in prose do not reach it.

use rustc_hash::FxHashSet;

/// Bytes of one file that are parsed.
pub(super) const SOURCE_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a file that are parsed where it says the same over and over: enough for what a person wrote at its top.
const REPEATED_BYTES_MAX: usize = 64 * 1024;

/// Bytes that are compared as one piece, and how many of a hundred pieces may be new in a text that repeats itself. In files of more than that
/// length that people write, nearly all are.
const PIECE_BYTES: usize = 32;
const NEW_PIECES_PERCENT: usize = 5;

/// Brackets that are open at one time.
const OPEN_MAX: usize = 1_000;

/// Angle brackets that are open in one statement.
const ANGLES_MAX: usize = 200;

/// The part of a text that is parsed, and whether it is all of it.
pub(super) fn evaluated(text: &str) -> (&str, bool) {
    let mut end = text.len();
    if end > SOURCE_BYTES_MAX {
        end = at_line(text, SOURCE_BYTES_MAX);
    }
    if end > REPEATED_BYTES_MAX && repeats_itself(&text.as_bytes()[..end]) {
        end = at_line(text, REPEATED_BYTES_MAX);
    }
    if let Some(at) = nesting(&text.as_bytes()[..end]) {
        end = at;
    }
    (&text[..end], end == text.len())
}

/// The end of the last line before a length. A line that is longer than all of that is cut where it stands.
fn at_line(text: &str, length: usize) -> usize {
    let end = text.floor_char_boundary(length);
    text[..end].rfind('\n').map_or(end, |line| line + 1)
}

/// Whether a text is made of the same few pieces: a table, or one that is made to cost time. Numbers are taken for the same.
fn repeats_itself(bytes: &[u8]) -> bool {
    let pieces = bytes.chunks_exact(PIECE_BYTES);
    let most = pieces.len() * NEW_PIECES_PERCENT / 100;
    let mut seen: FxHashSet<[u8; PIECE_BYTES]> = FxHashSet::default();
    for piece in pieces {
        let mut plain = [0; PIECE_BYTES];
        for (to, from) in plain.iter_mut().zip(piece) {
            *to = if from.is_ascii_digit() { b'0' } else { *from };
        }
        seen.insert(plain);
        if seen.len() > most {
            return false;
        }
    }
    true
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
        let text = "fn f<T: Into<Vec<u8>>>(x: T) -> bool { x.into().len() < 3 && 4 > 2 }\n".repeat(900);
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

    /// Lines of which no two are alike.
    fn lines(count: u32) -> String {
        (0..count).fold(String::new(), |mut out, at| {
            let name: String = name_of(at);
            out.push_str(&name);
            out.push_str(" = é(1)\n");
            out
        })
    }

    /// A name that differs for each number in more than digits.
    fn name_of(at: u32) -> String {
        let mut rest = at.wrapping_mul(2_654_435_761);
        (0..7)
            .map(|_| {
                let letter = char::from(b'a' + u8::try_from(rest % 26).unwrap());
                rest /= 26;
                letter
            })
            .collect()
    }

    #[test]
    fn what_repeats_itself_is_parsed_at_its_top_only() {
        for unit in ["@", "a = a + 1\n", "x1234 = f(x1234)\n", "0x00, 17, "] {
            let text = unit.repeat(200_000 / unit.len());
            let (kept, whole) = evaluated(&text);
            assert!(!whole && kept.len() <= REPEATED_BYTES_MAX, "{unit}");
            let short = unit.repeat(50_000 / unit.len());
            assert_eq!(evaluated(&short), (short.as_str(), true), "{unit}");
        }
        let numbered: Vec<String> = (0..20_000).map(|at| format!("v{at} = f(v{at})\n")).collect();
        let numbered = numbered.concat();
        assert!(evaluated(&numbered).0.len() <= REPEATED_BYTES_MAX);
        let text = lines(12_000);
        assert!(text.len() > REPEATED_BYTES_MAX * 2);
        assert_eq!(evaluated(&text), (text.as_str(), true));
    }

    #[test]
    fn a_long_text_is_cut_at_a_line() {
        let text = lines(40_000);
        let (kept, whole) = evaluated(&text);
        assert!(!whole && kept.len() <= SOURCE_BYTES_MAX && kept.ends_with('\n'));
        let one_line = text.replace('\n', " ");
        let (kept, whole) = evaluated(&one_line);
        assert!(!whole && kept.len() <= SOURCE_BYTES_MAX);
    }
}
