//! Decoded views of a text: every form in which a word can hide, as plain letters and digits.

use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD};
use unicode_normalization::UnicodeNormalization;

use crate::segments::quotations;
use crate::text::is_invisible;

/// How a view was gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// As it stands, without marks between the letters.
    Plain,
    /// Read from the end.
    Reversed,
    /// Letters moved along the alphabet.
    Shifted,
    /// Decoded from base64, base32, hexadecimal, decimal, octal or binary codes.
    Decoded,
    /// Written with escapes of URLs, HTML or JSON.
    Escaped,
    /// Digits and marks in place of letters.
    Leet,
    /// Put together from quoted parts or from words that are its beginning and end.
    Split,
    /// The first characters of lines, sentences or words.
    Acrostic,
    /// Spelled with the words of a telephone alphabet.
    Spelled,
}

impl View {
    /// How the text was found, as the end of a clause.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Plain => "in plain text",
            Self::Reversed => "in reverse",
            Self::Shifted => "in a letter-shift cipher",
            Self::Decoded => "in an encoding such as base64",
            Self::Escaped => "in escape sequences",
            Self::Leet => "with digits and marks in place of letters",
            Self::Split => "in parts",
            Self::Acrostic => "in the first letters of lines or words",
            Self::Spelled => "in a spelling alphabet",
        }
    }
}

/// At most this many bytes of decoded text are made from one reply, so that work stays linear.
const DECODED_BYTES_MAX: usize = 2 << 20;

/// Views that put words together from pieces read this many bytes of a longer reply.
const PIECES_BYTES_MAX: usize = 128 * 1024;

/// The letters and digits of a text in lower case, look-alikes folded.
pub(crate) fn squash(text: &str) -> String {
    let mut squashed = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                squashed.push(c.to_ascii_lowercase());
            }
        } else {
            fold(c, &mut squashed);
        }
    }
    squashed
}

/// Folds one character that is not ASCII: compatibility forms, accents and look-alikes of other scripts.
fn fold(c: char, out: &mut String) {
    if is_invisible(c) {
        return;
    }
    for folded in std::iter::once(c).nfkd() {
        for lower in folded.to_lowercase() {
            let lower = confusable(lower);
            if lower.is_alphanumeric() {
                out.push(lower);
            }
        }
    }
}

/// Letters of other scripts that look like Latin ones.
fn confusable(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' | 'ь' => 'b',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ɗ' => 'd',
        'е' | 'ε' | 'є' | 'ҽ' => 'e',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ı' | 'ɩ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ⅼ' | 'ł' => 'l',
        'м' | 'μ' => 'm',
        'η' | 'п' => 'n',
        'о' | 'ο' | 'σ' | 'օ' | 'ø' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'ᴢ' | 'ζ' => 'z',
        _ => c,
    }
}

/// Looks for a word in every view; gives the first view that holds it.
pub(crate) fn find(text: &str, word: &str) -> Option<View> {
    let wanted = squash(word);
    if wanted.chars().count() < 4 {
        // A shorter word hides everywhere by chance: only its plain form counts.
        return contains_word(text, word).then_some(View::Plain);
    }
    let plain = squash(text);
    if plain.contains(&wanted) && (wanted.len() > 6 || contains_spaced(text, word)) {
        return Some(View::Plain);
    }
    if wanted.len() >= 5 {
        let reversed: String = wanted.chars().rev().collect();
        if plain.contains(&reversed) && reversed != wanted {
            return Some(View::Reversed);
        }
        if shifted(&plain, &wanted) {
            return Some(View::Shifted);
        }
    }
    let unescaped = unescape(text);
    if unescaped.len() != text.len() && squash(&unescaped).contains(&wanted) {
        return Some(View::Escaped);
    }
    let mut round = decoded(text);
    for _ in 0..2 {
        let found = round.iter().any(|part| {
            let part = squash(part);
            part.contains(&wanted) || part.contains(&wanted.chars().rev().collect::<String>())
        });
        if found {
            return Some(View::Decoded);
        }
        // Encoded twice is encoded still.
        round = round.iter().flat_map(|part| decoded(part)).collect();
    }
    if wanted.len() >= 6 {
        let leet = unleet(&wanted);
        if leet.chars().filter(char::is_ascii_alphabetic).count() >= 5 && unleet_text(text).contains(&leet) {
            return Some(View::Leet);
        }
        // Words in pieces or in first letters stand close together: the ends of a very long reply are enough.
        let (head, tail) = crate::text::ends(text, PIECES_BYTES_MAX);
        let ends = if tail.is_empty() {
            String::new()
        } else {
            format!("{head}\n{tail}")
        };
        let text = if ends.is_empty() { text } else { &ends };
        if split(text, &wanted) {
            return Some(View::Split);
        }
        if acrostics(text).iter().any(|line| line.contains(&wanted)) {
            return Some(View::Acrostic);
        }
        if phonetic(text).contains(&wanted) {
            return Some(View::Spelled);
        }
    }
    None
}

/// The decoded texts of a reply, for comparison with a longer text.
pub(crate) fn decoded_texts(text: &str) -> Vec<String> {
    let mut all = decoded(text);
    let unescaped = unescape(text);
    if unescaped.len() != text.len() {
        all.push(unescaped);
    }
    // A prompt that is told in a cipher is short; the beginning of a very long reply is enough.
    let (head, _) = crate::text::ends(text, 128 * 1024);
    all.push(head.chars().map(rot13).collect());
    all.push(head.chars().rev().collect());
    all
}

fn contains_word(text: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    !word.is_empty() && crate::text::words(text).any(|found| found == word)
}

/// Short words must begin and end where words begin and end.
fn contains_spaced(text: &str, word: &str) -> bool {
    let wanted = squash(word);
    let words: Vec<String> = crate::text::words(text).map(|word| squash(&word)).collect();
    words.contains(&wanted)
        || words.windows(2).any(|pair| format!("{}{}", pair[0], pair[1]) == wanted)
        || words
            .windows(wanted.len())
            .any(|letters| letters.iter().all(|l| l.len() == 1) && letters.concat() == wanted)
}

pub(crate) fn rot13(c: char) -> char {
    rotate(c, 13)
}

fn rotate(c: char, by: u8) -> char {
    match c {
        'a'..='z' => char::from((c as u8 - b'a' + by) % 26 + b'a'),
        'A'..='Z' => char::from((c as u8 - b'A' + by) % 26 + b'A'),
        _ => c,
    }
}

/// Every shift of the alphabet and its mirror; the word is shifted, not the text.
fn shifted(plain: &str, wanted: &str) -> bool {
    if wanted.chars().filter(char::is_ascii_alphabetic).count() < 4 {
        return false;
    }
    let mirrored: String = wanted
        .chars()
        .map(|c| {
            if c.is_ascii_lowercase() {
                char::from(b'z' - (c as u8 - b'a'))
            } else {
                c
            }
        })
        .collect();
    let mut forms: Vec<String> = (1..26)
        .map(|by| wanted.chars().map(|c| rotate(c, by)).collect())
        .collect();
    forms.push(mirrored);
    let pattern = forms
        .iter()
        .map(|form| regex::escape(form))
        .collect::<Vec<_>>()
        .join("|");
    regex::Regex::new(&pattern).is_ok_and(|regex| regex.is_match(plain))
}

fn unleet(text: &str) -> String {
    text.chars().map(leet_letter).collect()
}

fn leet_letter(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' | '|' | 'l' => 'i',
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '6' | '9' => 'g',
        '7' | '+' => 't',
        '8' => 'b',
        '2' => 'z',
        _ => c,
    }
}

fn unleet_text(text: &str) -> String {
    text.chars()
        .flat_map(char::to_lowercase)
        .map(leet_letter)
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

/// Takes escapes of URLs, HTML entities, and `\u`, `\x` and `\o` codes apart.
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains(['%', '\\', '&']) && !text.contains("U+") && !text.contains("u+") {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (value, used) = match rest {
            [b'%', a, b, ..] => (hex_value(&[*a, *b]), 3),
            [b'\\', b'x', a, b, ..] => (hex_value(&[*a, *b]), 4),
            [b'\\', b'u', b'{', tail @ ..] => {
                let end = tail.iter().take(7).position(|b| *b == b'}').unwrap_or(0);
                (hex_value(&tail[..end]), end + 4)
            }
            [b'\\', b'u', a, b, c, d, ..] | [b'U' | b'u', b'+', a, b, c, d, ..] => (hex_value(&[*a, *b, *c, *d]), 6),
            [b'&', b'#', b'x' | b'X', tail @ ..] => {
                let end = tail.iter().take(7).position(|b| *b == b';').unwrap_or(0);
                (hex_value(&tail[..end]), end + 4)
            }
            [b'&', b'#', tail @ ..] => {
                let end = tail.iter().take(8).position(|b| *b == b';').unwrap_or(0);
                let value = std::str::from_utf8(&tail[..end])
                    .ok()
                    .and_then(|digits| digits.parse().ok());
                (value, end + 3)
            }
            [b'&', tail @ ..] => {
                let named = [
                    ("lt;", '<'),
                    ("gt;", '>'),
                    ("amp;", '&'),
                    ("quot;", '"'),
                    ("apos;", '\''),
                    ("nbsp;", ' '),
                    ("hyphen;", '-'),
                    ("dash;", '-'),
                ];
                let found = named.iter().find(|(name, _)| tail.starts_with(name.as_bytes()));
                found.map_or((None, 0), |(name, c)| (Some(*c as u32), name.len() + 1))
            }
            _ => (None, 0),
        };
        if let Some(c) = value.and_then(char::from_u32) {
            if rest[0] == b'%' && u32::from(c) >= 0x80 {
                out.push(u8::try_from(u32::from(c)).unwrap_or(b'?'));
            } else {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            at += used;
        } else {
            out.push(rest[0]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex_value(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(text, 16).ok())?
}

/// Texts behind runs of base64, base32, hexadecimal, decimal, octal and binary codes.
pub(crate) fn decoded(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut made = 0;
    let mut keep = |bytes: Vec<u8>| {
        let printable = bytes
            .iter()
            .filter(|b| (0x20..0x7f).contains(*b) || **b >= 0x80 || matches!(b, b'\n' | b'\t'))
            .count();
        if bytes.len() >= 3 && printable * 10 >= bytes.len() * 8 && made < DECODED_BYTES_MAX {
            made += bytes.len();
            all.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    };
    let is_64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    for run in text.split(|c: char| !is_64(c)).filter(|run| run.len() >= 6) {
        // Plain words are no code: encoded text mixes capitals, small letters and digits.
        let capitals = run.bytes().filter(u8::is_ascii_uppercase).count();
        if capitals < 2 && run.len() < 24 {
            continue;
        }
        for bytes in base64(run) {
            keep(bytes);
        }
        let upper = run.to_ascii_uppercase();
        if upper.len() >= 8
            && upper
                .bytes()
                .all(|b| b.is_ascii_uppercase() || (b'2'..=b'7').contains(&b))
            && let Ok(bytes) = BASE32_NOPAD.decode(upper.as_bytes())
        {
            keep(bytes);
        }
    }
    // Base64 that is broken over lines or spaced out.
    let joined: String = text.chars().filter(|c| is_64(*c)).collect();
    if text.len() < 4_096 && joined.len() != text.len() {
        for bytes in base64(&joined) {
            keep(bytes);
        }
        for line in text.lines() {
            let line: String = line.chars().filter(|c| is_64(*c)).collect();
            for bytes in base64(&line) {
                keep(bytes);
            }
        }
    }
    for bytes in numbers(text) {
        keep(bytes);
    }
    all
}

fn base64(run: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    // A run that does not end on a full group is cut: the rest of a word may follow it.
    let whole = run.len() - usize::from(run.len() % 4 == 1);
    let Some(run) = run.get(..whole) else {
        return found;
    };
    for encoding in [&BASE64_NOPAD, &BASE64URL_NOPAD] {
        if let Ok(bytes) = encoding.decode(run.as_bytes()) {
            found.push(bytes);
            break;
        }
        // Trailing bits that are not nought: the last group is left out.
        let cut = run.len() / 4 * 4;
        if cut < run.len()
            && cut > 0
            && let Some(Ok(bytes)) = run.get(..cut).map(|head| encoding.decode(head.as_bytes()))
        {
            found.push(bytes);
            break;
        }
    }
    found
}

/// Runs of character codes: hexadecimal without spaces, and lists of hexadecimal, decimal, octal or binary numbers.
fn numbers(text: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_ascii_hexdigit()) {
        if run.len() >= 8
            && run.len() % 2 == 0
            && let Ok(bytes) = data_encoding::HEXLOWER_PERMISSIVE.decode(run.as_bytes())
        {
            found.push(bytes);
        }
    }
    for radix in [16, 10, 8, 2] {
        let mut run: Vec<u8> = Vec::new();
        for token in text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|token| !token.is_empty())
        {
            let bare = token
                .strip_prefix("0x")
                .or_else(|| token.strip_prefix('x'))
                .or_else(|| token.strip_prefix("0b"))
                .unwrap_or(token);
            let fits = match radix {
                16 => bare.len() == 2,
                10 => (2..=3).contains(&bare.len()),
                8 => bare.len() == 3,
                _ => bare.len() == 8 || bare.len() == 7,
            };
            if let Some(value) = u8::from_str_radix(bare, radix)
                .ok()
                .filter(|value| fits && *value >= 0x20)
            {
                run.push(value);
            } else {
                if run.len() >= 4 {
                    found.push(std::mem::take(&mut run));
                }
                run.clear();
            }
        }
        if run.len() >= 4 {
            found.push(run);
        }
    }
    let bits: String = text.chars().filter(|c| matches!(c, '0' | '1')).collect();
    if bits.len() >= 32 && bits.len() * 2 > text.len() {
        found.push(
            bits.as_bytes()
                .chunks(8)
                .filter_map(|byte| u8::from_str_radix(std::str::from_utf8(byte).ok()?, 2).ok())
                .collect(),
        );
    }
    found
}

/// Whether quoted parts, or words that are a beginning and an end, make up the word.
fn split(text: &str, wanted: &str) -> bool {
    let quoted: String = quotations(text)
        .iter()
        .map(|span| squash(&text[span.start..span.end]))
        .collect();
    if quoted.contains(wanted) {
        return true;
    }
    let mut begins = 0;
    let mut ends = 0;
    for token in text.split_whitespace().filter(|token| token.len() < 200) {
        let token = squash(token);
        if token.len() < 3 || token.len() >= wanted.len() {
            continue;
        }
        if wanted.starts_with(&token) {
            begins = begins.max(token.len());
        }
        if wanted.ends_with(&token) {
            ends = ends.max(token.len());
        }
    }
    begins > 0 && ends > 0 && begins + ends >= wanted.len()
}

/// First characters of lines (after their number or bullet), of sentences and of words, and last words of lines.
fn acrostics(text: &str) -> Vec<String> {
    let mut lines = String::new();
    let mut first_words = String::new();
    for line in text.lines() {
        let line = unlisted(line);
        lines.extend(line.chars().next());
        if let Some(word) = line.split_whitespace().next() {
            first_words.push_str(word);
        }
    }
    let sentences: String = text
        .split(['.', '!', '?', '\n'])
        .filter_map(|sentence| sentence.trim_start().chars().next())
        .collect();
    let words: String = text
        .split_whitespace()
        .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
        .collect();
    [lines, first_words, sentences, words]
        .iter()
        .map(|line| squash(line))
        .collect()
}

/// A line without its bullet or number.
fn unlisted(line: &str) -> &str {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    if digits > 0
        && let Some(rest) = rest.strip_prefix(['.', ')', ':'])
    {
        return rest.trim_start_matches([' ', '*', '`', '"']);
    }
    line.strip_prefix(['-', '*', '•'])
        .filter(|rest| rest.starts_with(' '))
        .unwrap_or(line)
        .trim_start_matches([' ', '*', '`', '"'])
}

/// Words of the telephone alphabet and names of digits, read as letters.
fn phonetic(text: &str) -> String {
    const WORDS: [(&str, char); 38] = [
        ("alpha", 'a'),
        ("alfa", 'a'),
        ("bravo", 'b'),
        ("charlie", 'c'),
        ("delta", 'd'),
        ("echo", 'e'),
        ("foxtrot", 'f'),
        ("golf", 'g'),
        ("hotel", 'h'),
        ("india", 'i'),
        ("juliett", 'j'),
        ("juliet", 'j'),
        ("kilo", 'k'),
        ("lima", 'l'),
        ("mike", 'm'),
        ("november", 'n'),
        ("oscar", 'o'),
        ("papa", 'p'),
        ("quebec", 'q'),
        ("romeo", 'r'),
        ("sierra", 's'),
        ("tango", 't'),
        ("uniform", 'u'),
        ("victor", 'v'),
        ("whiskey", 'w'),
        ("xray", 'x'),
        ("yankee", 'y'),
        ("zulu", 'z'),
        ("zero", '0'),
        ("one", '1'),
        ("two", '2'),
        ("three", '3'),
        ("four", '4'),
        ("five", '5'),
        ("six", '6'),
        ("seven", '7'),
        ("eight", '8'),
        ("nine", '9'),
    ];
    crate::text::words(text)
        .filter_map(|word| {
            let mut letters = word.chars();
            let single = letters.next().filter(|_| letters.next().is_none());
            single.or_else(|| WORDS.iter().find(|(name, _)| *name == word).map(|(_, letter)| *letter))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_every_view() {
        let word = "HERON-5521-QUILL";
        for (text, view) in [
            ("The word is heron 5521 quill.", View::Plain),
            ("H E R O N - 5 5 2 1 - Q U I L L", View::Plain),
            ("Ｈ\u{200b}ERОN-5521-QUIᏞL".replace('Ꮮ', "L").as_str(), View::Plain),
            ("LLIUQ-1255-NOREH", View::Reversed),
            ("UREBA-5521-DHVYY", View::Shifted),
            ("SEVST04tNTUyMS1RVUlMTA==", View::Decoded),
            ("JBCVET2OFU2TKMRRFVIVKSKMJQ", View::Decoded),
            ("4845524f4e2d353532312d5155494c4c", View::Decoded),
            (
                "72, 69, 82, 79, 78, 45, 53, 53, 50, 49, 45, 81, 85, 73, 76, 76",
                View::Decoded,
            ),
            ("\\u0048\\u0045\\u0052\\u004f\\u004e-5521-QUILL", View::Escaped),
            ("HERO%4E%2D5521%2DQUILL", View::Escaped),
            ("H3R0N-552!-QU1LL", View::Leet),
            (
                "It begins with \"HERON-55\" and then \"21-QUILL\" follows.",
                View::Split,
            ),
            ("starts HERON-5 ends 521-QUILL ok", View::Split),
            (
                "1. H\n2. E\n3. R\n4. O\n5. N\n6. 5\n7. 5\n8. 2\n9. 1\n10. Q\n11. U\n12. I\n13. L\n14. L",
                View::Acrostic,
            ),
            (
                "Hotel Echo Romeo Oscar November five five two one Quebec Uniform India Lima Lima",
                View::Spelled,
            ),
        ] {
            assert_eq!(find(text, word), Some(view), "{text}");
        }
    }

    #[test]
    fn a_near_miss_and_other_encodings_hold_no_word() {
        for text in [
            "HERON-5522-QUILL",
            "SSB3aWxsIG5vdCB0ZWxs",
            "deadbeef cafebabe",
            "The heron sat on a quill.",
            "",
        ] {
            assert_eq!(find(text, "HERON-5521-QUILL"), None, "{text}");
        }
    }
}
