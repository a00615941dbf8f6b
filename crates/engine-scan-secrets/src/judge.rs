//! Whether a value looks like a secret: randomness, stand-ins, samples.

use crate::checksum::base64;
use crate::rules::RULES;
use crate::url;

/// Shannon entropy in bits per byte.
pub(crate) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX).max(1));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}

/// Pairs of letters that are common in names and prose of European languages.
const PAIRS: &str = "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa si ar ve ra ld ur ro ic me ne ri \
    li io ma co el ec la ce ta fo pr ch ho om no us ly il tr ge di sh ee ay so ut em ot id un wo do ol pa po ow pe ul ad be ac ct ev ie ue ir if im \
    ke ey mo ap pl op ki ss cl ck ab am ag ai ak av aw br bl bo ca ci cr cu da du ef ep ew ew fa fe fi fl fr fu ga gi gl go gr gu ib ig ip iv \
    jo ju kn lo lu ls lt mb mi mm mp mu na nc nf ni ns nu oa ob od og oi ok oo os ov pi pp ps pu qu rc rd rm rn rr rs rt ru ry sc sk sl sm sn sp su \
    sw tt tu tw ty ub ug ui um up vi vo wa we wh wi xt ye ys ex ey gh ph pt ft lf ll dd ff bu by my ny dy va ja je ze";

const fn pair_table() -> [u32; 26] {
    let text = PAIRS.as_bytes();
    let mut table = [0_u32; 26];
    let mut at = 0;
    while at + 1 < text.len() {
        if text[at].is_ascii_lowercase() && text[at + 1].is_ascii_lowercase() {
            table[(text[at] - b'a') as usize] |= 1 << (text[at + 1] - b'a');
            at += 2;
        } else {
            at += 1;
        }
    }
    table
}

static TABLE: [u32; 26] = pair_table();

/// Pairs of neighbouring letters, and how many of them are common.
pub(crate) fn letter_pairs(value: &[u8]) -> (usize, usize) {
    let (mut pairs, mut common) = (0, 0);
    for pair in value.windows(2) {
        let (a, b) = (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
        if a.is_ascii_lowercase() && b.is_ascii_lowercase() {
            pairs += 1;
            common += usize::from(TABLE[usize::from(a - b'a')] >> (b - b'a') & 1 == 1);
        }
    }
    (pairs, common)
}

/// Figures of a value.
pub(crate) struct Figures {
    pub(crate) length: usize,
    pub(crate) digits: usize,
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    pub(crate) other: usize,
    pub(crate) changes: usize,
    pub(crate) hex: bool,
    pub(crate) entropy: f64,
}

impl Figures {
    pub(crate) fn of(value: &str) -> Self {
        let bytes = value.as_bytes();
        let class = |b: u8| match b {
            b'0'..=b'9' => 0_u8,
            b'A'..=b'Z' => 1,
            b'a'..=b'z' => 2,
            _ => 3,
        };
        let mut counts = [0_usize; 4];
        for byte in bytes {
            counts[usize::from(class(*byte))] += 1;
        }
        Self {
            length: bytes.len(),
            digits: counts[0],
            upper: counts[1],
            lower: counts[2],
            other: counts[3],
            changes: bytes.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count(),
            hex: bytes.iter().all(u8::is_ascii_hexdigit),
            entropy: entropy(bytes),
        }
    }
}

/// Whether a value has the form of a UUID.
pub(crate) fn is_uuid(value: &str) -> bool {
    let mut parts = value.split('-');
    let lengths = [8, 4, 4, 4, 12];
    lengths.iter().all(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == *length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    }) && parts.next().is_none()
}

/// Whether a value looks like the work of a random generator rather than of a person naming things.
pub(crate) fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    let figures = Figures::of(value);
    if figures.length < 10 || !value.is_ascii() {
        return false;
    }
    let letters = figures.upper + figures.lower;
    if figures.hex {
        let capped = figures.upper == 0 || figures.lower == 0 || figures.length >= 32;
        return figures.length >= 16 && figures.digits >= 3 && letters >= 2 && figures.entropy >= 2.7 && capped;
    }
    let length = f64::from(u32::try_from(figures.length).unwrap_or(u32::MAX));
    if figures.entropy < (length.log2() * 0.75).min(3.4) || figures.other * 3 > figures.length {
        return false;
    }
    if is_worded(value) {
        return false;
    }
    let (pairs, common) = letter_pairs(value.as_bytes());
    let wordy = |share: usize| pairs >= 5 && common * 100 > pairs * share;
    if figures.digits >= 2 {
        !wordy(if figures.digits >= 4 { 84 } else { 74 }) && figures.changes * 8 >= figures.length
    } else if figures.upper >= 2 && figures.lower >= 2 {
        figures.length >= 14 && !wordy(56) && figures.changes * 5 >= figures.length
    } else {
        figures.length >= 20 && !wordy(44)
    }
}

/// Whether most of a value is made of words between marks or capitals, as in a name.
pub(crate) fn is_worded(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mut words = 0;
    let mut start = 0;
    for at in 0..=bytes.len() {
        let ends = at == bytes.len()
            || !bytes[at].is_ascii_alphabetic()
            || (at > start && bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase());
        if !ends {
            continue;
        }
        let part = &bytes[start..at];
        if part.len() >= 4 {
            let (pairs, common) = letter_pairs(part);
            let vowel = part.iter().any(|b| b"aeiouyAEIOUY".contains(b));
            if vowel && common * 5 >= pairs * 4 {
                words += part.len();
            }
        }
        start = if at < bytes.len() && bytes[at].is_ascii_alphabetic() {
            at
        } else {
            at + 1
        };
    }
    let letters = bytes.iter().filter(|b| b.is_ascii_alphanumeric()).count();
    words * 10 > letters * 6
}

/// Why a value is taken for a stand-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIn {
    /// It has the form of a template, a mask or an invitation to fill in.
    Plain,
    /// It is made of an alphabet in order or of a repeated piece, as people type samples.
    Typed,
}

/// Whether a value stands for a value.
pub(crate) fn stand_in(value: &str) -> Option<StandIn> {
    if is_template(value) || has_run(value) {
        return Some(StandIn::Plain);
    }
    if is_counted(value) {
        return Some(StandIn::Plain);
    }
    (is_sequence(value) || is_periodic(value)).then_some(StandIn::Typed)
}

/// A decoded value that is longer holds a file rather than one value.
const DECODED_MAX: usize = 80;

/// Whether a value is base64 of a text that stands for a value: `CHANGE_ME`, or a URL with such a password.
pub(crate) fn encodes_stand_in(value: &str) -> bool {
    let Some(text) = base64(value).and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return false;
    };
    let text = text.trim();
    if text.len() > DECODED_MAX || text.contains(|c: char| c.is_control()) {
        return false;
    }
    let password = text
        .find("://")
        .map(|sign| sign + "://".len())
        .and_then(|at| url::userinfo(text, at))
        .and_then(|(_, password, _)| text.get(password));
    let text = password.unwrap_or(text);
    RULES.stand_in.is_match(text) || is_sample(text)
}

/// Whether all parts of a short value, but for the first, count up: `123456:ABC-DEF`, `123456:ABC_Def`, `MTIzNDU2Nzg5.ABCDEF.xyz123`.
fn is_counted(value: &str) -> bool {
    const BYTES_MAX: usize = 40;
    let counts = |part: &str| {
        let part = part.to_ascii_lowercase();
        let bytes = part.as_bytes();
        let mut run = 1;
        for at in 1..bytes.len() {
            if bytes[at] == bytes[at - 1] + 1 {
                run += 1;
            } else if run < 3 || bytes[at].is_ascii_digit() == bytes[at - 1].is_ascii_digit() {
                return false;
            } else {
                run = 1;
            }
        }
        run >= 3
    };
    let mut parts = value.split(|c: char| !c.is_ascii_alphanumeric());
    let first = parts.next().unwrap_or("");
    let rest: Vec<&str> = parts.collect();
    value.len() <= BYTES_MAX
        && first.len() >= 3
        && rest.len() >= 2
        && value.is_ascii()
        && rest.iter().all(|part| counts(part))
}

/// Whether a value has the form of the public half of a key for push messages: a point on the curve, 65 bytes after `0x04`.
pub(crate) fn is_point(value: &str) -> bool {
    value.len() == 87
        && value.starts_with('B')
        && matches!(value.as_bytes()[1], b'A'..=b'P')
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Whether a value has the form of a template, or holds a word of one.
pub(crate) fn is_template(value: &str) -> bool {
    RULES.stand_in.is_match(value)
        || value.ends_with("..")
        || value.starts_with(['$', '%', '@', '&', '[', '(', '{', '*'])
}

/// One character many times over.
pub(crate) fn has_run(value: &str) -> bool {
    let limit = (value.len() / 6).max(6);
    let mut run = 1;
    for pair in value.as_bytes().windows(2) {
        run = if pair[0].eq_ignore_ascii_case(&pair[1]) {
            run + 1
        } else {
            1
        };
        if run >= limit {
            return true;
        }
    }
    false
}

/// Letters or digits in the order of the alphabet, one by one or every second.
pub(crate) fn is_sequence(value: &str) -> bool {
    let bytes = value.as_bytes();
    let follows = |a: u8, b: u8| {
        let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
        a.is_ascii_alphanumeric()
            && b.is_ascii_alphanumeric()
            && (b == a + 1 || a == b + 1 || (a == b'9' && (b == b'0' || b == b'a')))
    };
    let mut run = 1;
    for pair in bytes.windows(2) {
        run = if follows(pair[0], pair[1]) { run + 1 } else { 1 };
        if run >= 8 {
            return true;
        }
    }
    let mut run = 0;
    for pair in bytes.windows(3) {
        let (a, b) = (pair[0].to_ascii_lowercase(), pair[2].to_ascii_lowercase());
        run = if b == a + 1 || (a == b'9' && b == b'0') {
            run + 1
        } else {
            0
        };
        if run >= 10 {
            return true;
        }
    }
    false
}

/// A piece of up to sixteen characters that is repeated to the end.
pub(crate) fn is_periodic(value: &str) -> bool {
    let bytes = value.as_bytes();
    (1..=16).any(|period| {
        bytes.len() >= period * 3 && bytes.len() >= 12 && {
            let differing = bytes[period..]
                .iter()
                .zip(bytes)
                .filter(|(a, b)| !a.eq_ignore_ascii_case(b))
                .count();
            differing * 4 <= bytes.len()
        }
    })
}

/// Words that a password holds where it stands for one.
const NAMES_A_PASSWORD: [&str; 5] = ["pass", "password", "passwd", "passwort", "pwd"];

/// What such a word says of itself.
const SAYS_OF_IT: [&str; 6] = ["secure", "strong", "super", "very", "weak", "safe"];

/// The words of a value in lower case, told apart by marks, digits and capitals.
fn parts_of(value: &str) -> impl Iterator<Item = String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut small = false;
    for c in value.chars() {
        if !c.is_ascii_alphabetic() || c.is_ascii_uppercase() && small {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c.is_ascii_alphabetic()) {
            part.push(c.to_ascii_lowercase());
        }
        small = c.is_ascii_lowercase();
    }
    parts.into_iter().filter(|part| !part.is_empty())
}

/// Whether a password or a value is a word that people write when none is meant.
pub(crate) fn is_sample(value: &str) -> bool {
    let sample = &RULES.vocabulary.sample;
    let lower = value.to_ascii_lowercase();
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_ascii_punctuation());
    if sample.contains(&lower) || sample.contains(bare) {
        return true;
    }
    if is_worded(value) && parts_of(value).any(|part| NAMES_A_PASSWORD.contains(&part.as_str())) {
        return true;
    }
    // A password that says of itself what it is: `WrongPass1!`, `securepassword123`.
    let says = |part: &str| {
        let rest = NAMES_A_PASSWORD
            .iter()
            .filter_map(|name| part.strip_suffix(name))
            .min_by_key(|rest| rest.len());
        rest.is_some_and(|rest| rest.is_empty() || sample.contains(rest) || SAYS_OF_IT.contains(&rest))
    };
    let words: Vec<String> = parts_of(value).collect();
    if words.iter().any(|part| says(part))
        && words
            .iter()
            .all(|part| says(part) || sample.contains(part.as_str()) || SAYS_OF_IT.contains(&part.as_str()))
    {
        return true;
    }
    let mut parts = lower
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|part| !part.is_empty());
    // A value all of whose words are such words, or that begins with one and goes on with a word.
    let mut any = false;
    let mut all = true;
    for part in parts.by_ref() {
        if sample.contains(part) {
            any = true;
        } else if part.len() > 2 {
            all = false;
        }
    }
    any && (all || is_worded(value))
}
