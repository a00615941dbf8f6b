//! Identifiers with a checksum or a shape of their own: bank accounts, cards, e-mail addresses, telephone numbers, citations.

use std::collections::BTreeSet;

/// What an identifier is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An account number with a valid remainder.
    Iban,
    /// A payment card number with a valid check digit.
    Card,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A digital object identifier.
    Doi,
    /// A book number with a valid check digit.
    Isbn,
    /// A personal number of a state with a valid check.
    NationalId,
}

impl Kind {
    /// The kind as a noun with its article.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Iban => "a valid bank account number (IBAN)",
            Self::Card => "a valid payment card number",
            Self::Email => "an e-mail address",
            Self::Phone => "a telephone number",
            Self::Doi => "a digital object identifier (DOI)",
            Self::Isbn => "a book number (ISBN)",
            Self::NationalId => "a valid national identification number",
        }
    }
}

/// The identifiers of a text, each once.
pub fn identifiers(text: &str) -> BTreeSet<(Kind, String)> {
    let mut found = BTreeSet::new();
    for token in text.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '<' | '>' | '(' | ')' | '"' | '\'' | ',' | ';' | '[' | ']' | '`' | '*' | '“' | '”' | '„' | '«' | '»'
            )
    }) {
        let token = token.trim_end_matches(['.', ':', '!', '?']);
        let token = token.strip_prefix("mailto:").unwrap_or(token);
        if token.len() < 200 && is_email(token) {
            found.insert((Kind::Email, token.to_lowercase()));
        }
        if let Some(at) = token
            .find("10.")
            .filter(|at| *at == 0 || token[..*at].ends_with('/') || token[..*at].ends_with(':'))
            && let Some((prefix, suffix)) = token[at + 3..].split_once('/')
            && prefix.len() >= 4
            && prefix.bytes().all(|b| b.is_ascii_digit() || b == b'.')
            && suffix.len() >= 2
        {
            found.insert((Kind::Doi, token[at..].to_lowercase()));
        }
    }
    ibans(text, &mut found);
    national(text, &mut found);
    digit_runs(text, &mut found);
    found
}

fn is_email(token: &str) -> bool {
    let Some((name, host)) = token.split_once('@') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    !name.is_empty()
        && name.chars().all(plain)
        && host.contains('.')
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        && host
            .rsplit('.')
            .next()
            .is_some_and(|top| top.len() >= 2 && top.chars().all(|c| c.is_ascii_alphabetic()))
        && !host.starts_with('.')
}

/// Two letters, two digits, and groups of letters and digits with spaces between them.
fn ibans(text: &str, found: &mut BTreeSet<(Kind, String)>) {
    let bytes = text.as_bytes();
    for at in 0..bytes.len().saturating_sub(14) {
        let start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if !(start
            && bytes[at].is_ascii_uppercase()
            && bytes[at + 1].is_ascii_uppercase()
            && bytes[at + 2].is_ascii_digit()
            && bytes[at + 3].is_ascii_digit())
        {
            continue;
        }
        let mut number = String::new();
        for byte in &bytes[at..bytes.len().min(at + 48)] {
            match byte {
                b' ' | b'-' => {}
                _ if byte.is_ascii_uppercase() || byte.is_ascii_digit() => number.push(char::from(*byte)),
                _ => break,
            }
        }
        // Words that follow in capitals may have been taken along: every length is tried, the longest first.
        let longest = number.len().min(34);
        if let Some(length) = (15..=longest)
            .rev()
            .find(|length| iban_remainder(&number[..*length]) == 1)
        {
            found.insert((Kind::Iban, number[..length].to_owned()));
        }
    }
}

fn iban_remainder(number: &str) -> u32 {
    let (country, rest) = number.split_at(4);
    rest.bytes().chain(country.bytes()).fold(0, |remainder, byte| {
        if byte.is_ascii_digit() {
            (remainder * 10 + u32::from(byte - b'0')) % 97
        } else {
            (remainder * 100 + u32::from(byte - b'A') + 10) % 97
        }
    })
}

/// Runs of digits with marks between them: cards, books, telephones.
fn digit_runs(text: &str, found: &mut BTreeSet<(Kind, String)>) {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let opens =
            chars[at].is_ascii_digit() || chars[at] == '+' && chars.get(at + 1).is_some_and(char::is_ascii_digit);
        if !opens || at > 0 && chars[at - 1].is_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        let mut digits = String::new();
        let mut gaps = 0;
        while at < chars.len() {
            let c = chars[at];
            if c.is_ascii_digit() {
                digits.push(c);
                gaps = 0;
            } else if matches!(c, ' ' | '-' | '/' | '(' | ')' | '.' | '\u{a0}' | '+') && gaps < 2 && c != '\n' {
                gaps += 1;
            } else {
                break;
            }
            at += 1;
        }
        at = at.max(start + 1);
        let raw: String = chars[start..at].iter().collect();
        let raw = raw.trim_end_matches(|c: char| !c.is_ascii_digit());
        if found
            .iter()
            .any(|(kind, text)| *kind == Kind::Iban && text.contains(&digits))
        {
            continue;
        }
        let groups = raw
            .split(|c: char| !c.is_ascii_digit())
            .filter(|group| !group.is_empty())
            .count();
        if matches!(digits.len(), 13..=16 | 19) && luhn(&digits) && digits.starts_with(['3', '4', '5', '6', '2']) {
            found.insert((Kind::Card, digits));
        } else if digits.len() == 13 && (digits.starts_with("978") || digits.starts_with("979")) && isbn(&digits) {
            found.insert((Kind::Isbn, digits));
        } else if (raw.starts_with('+') || raw.starts_with('0') && groups >= 2)
            && (8..=15).contains(&digits.len())
            && !raw.contains(". ")
            && !raw.starts_with("0.")
        {
            found.insert((Kind::Phone, digits));
        }
    }
}

/// Personal numbers of member states whose check can be computed, from tokens and from runs of digit groups.
fn national(text: &str, found: &mut BTreeSet<(Kind, String)>) {
    let mut words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | ':' | '*' | '`'))
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
        .filter(|word| !word.is_empty() && word.len() <= 24)
        .collect();
    // Groups of digits that stand beside each other may be one number.
    let mut joined = Vec::new();
    let mut run = String::new();
    for word in &words {
        let digits: String = word.chars().filter(char::is_ascii_digit).collect();
        if digits.len() * 2 > word.len() && run.len() + digits.len() <= 24 {
            run.push_str(&digits);
            joined.push(run.clone());
        } else {
            run.clear();
        }
    }
    words.extend(joined);
    for word in words {
        let bare: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        if is_national(&word, &bare) {
            found.insert((Kind::NationalId, bare));
        }
    }
}

fn is_national(word: &str, bare: &str) -> bool {
    let digits: Vec<u32> = bare.chars().filter_map(|c| c.to_digit(10)).collect();
    let weighted = |weights: &[u32]| {
        digits
            .iter()
            .zip(weights)
            .map(|(digit, weight)| digit * weight)
            .sum::<u32>()
    };
    let all_digits = digits.len() == bare.len();
    let value = |count: usize| {
        digits
            .iter()
            .take(count)
            .fold(0_u64, |sum, digit| sum * 10 + u64::from(*digit))
    };
    match (bare.len(), all_digits) {
        // Spain: eight digits and a letter.
        (9, false) if digits.len() == 8 && bare.ends_with(|c: char| c.is_ascii_uppercase()) => {
            let letters = b"TRWAGMYFPDXBNJZSQVHLCKE";
            letters.get(usize::try_from(value(8) % 23).unwrap_or(0)).copied() == bare.bytes().last()
        }
        // The Netherlands: the eleven test.
        (9, true) => {
            let sum = weighted(&[9, 8, 7, 6, 5, 4, 3, 2]);
            sum > 0 && sum % 11 == digits[8]
        }
        // Sweden: a birth date, a mark and four digits.
        (10, true)
            if word.contains(['-', '+'])
                && luhn(bare)
                && is_day(digits[4] * 10 + digits[5], digits[2] * 10 + digits[3]) =>
        {
            true
        }
        // Finland: a birth date, a mark, three digits and a sign.
        (10, _) if word.contains(['-', 'A', '+']) || all_digits && word.contains(' ') => finnish(bare),
        // Poland.
        (11, true) => {
            let sum = weighted(&[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
            (10 - sum % 10) % 10 == digits[10] && is_day(digits[4] * 10 + digits[5], (digits[2] * 10 + digits[3]) % 20)
        }
        // Romania.
        (13, true) => {
            let rest = weighted(&[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
            (if rest == 10 { 1 } else { rest }) == digits[12]
                && (1..=8).contains(&digits[0])
                && is_day(digits[5] * 10 + digits[6], digits[3] * 10 + digits[4])
        }
        // France: thirteen digits and a key.
        (15, true) => (1..=2).contains(&digits[0]) && 97 - value(13) % 97 == u64::from(digits[13] * 10 + digits[14]),
        // Italy: letters of the names, a birth date in code, a place and a sign.
        (16, false) => bare.chars().enumerate().all(|(at, c)| match at {
            6 | 7 | 9 | 10 | 12 | 13 | 14 => c.is_ascii_digit(),
            _ => c.is_ascii_uppercase(),
        }),
        _ => false,
    }
}

fn is_day(day: u32, month: u32) -> bool {
    (1..=31).contains(&day) && (1..=12).contains(&month)
}

fn finnish(bare: &str) -> bool {
    let digits: String = bare.chars().take(9).collect();
    let signs = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let day = digits.get(..2).and_then(|part| part.parse().ok()).unwrap_or(0);
    let month = digits.get(2..4).and_then(|part| part.parse().ok()).unwrap_or(0);
    digits
        .parse::<usize>()
        .is_ok_and(|number| signs.get(number % 31).copied() == bare.as_bytes().get(9).copied())
        && is_day(day, month)
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, byte)| {
            let digit = u32::from(byte - b'0');
            match (at % 2, digit * 2) {
                (0, _) => digit,
                (_, double) if double > 9 => double - 9,
                (_, double) => double,
            }
        })
        .sum();
    sum.is_multiple_of(10) && digits.bytes().any(|byte| byte != b'0')
}

fn isbn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(at, byte)| u32::from(byte - b'0') * if at % 2 == 0 { 1 } else { 3 })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identifiers_with_a_valid_check_are_taken() {
        let found = identifiers(
            "Pay DE89 3704 0044 0532 0130 00 or 4111 1111 1111 1111, write to eva@example.org, call +49 30 901820. \
             See doi.org/10.1000/xyz123 and ISBN 978-3-16-148410-0. Not DE89 3704 0044 0532 0130 01, not 4111 1111 1111 1112, not 3.14.",
        );
        let kinds: Vec<Kind> = found.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(
            kinds,
            [Kind::Iban, Kind::Card, Kind::Email, Kind::Phone, Kind::Doi, Kind::Isbn]
        );
    }

    #[test]
    fn numbers_of_sweden_and_finland_are_told_by_their_checks() {
        let kinds = |text: &str| identifiers(text).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        // A sign that is a digit does not make a Finnish number a Swedish one.
        for number in ["811218-9876", "131052-308T", "140366-9172"] {
            assert_eq!(kinds(&format!("It is {number}.")), [Kind::NationalId], "{number}");
        }
        assert!(kinds("It is 140366-9173 or 811218-9877.").is_empty());
    }

    #[test]
    fn dates_years_and_sums_are_no_telephone_numbers() {
        assert!(identifiers("On 14.03.2026 at 10:30 we paid 1 250 000 euro for 2024-2027.").is_empty());
    }
}
