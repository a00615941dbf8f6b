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
}

/// The identifiers of a text, each once.
pub fn identifiers(text: &str) -> BTreeSet<(Kind, String)> {
    let mut found = BTreeSet::new();
    for token in text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | '"' | '\'' | ',' | ';' | '[' | ']' | '`' | '*' | '“' | '”' | '„' | '«' | '»')) {
        let token = token.trim_end_matches(['.', ':', '!', '?']);
        let token = token.strip_prefix("mailto:").unwrap_or(token);
        if token.len() < 200 && is_email(token) {
            found.insert((Kind::Email, token.to_lowercase()));
        }
        if let Some(at) = token.find("10.").filter(|at| *at == 0 || token[..*at].ends_with('/') || token[..*at].ends_with(':'))
            && let Some((prefix, suffix)) = token[at + 3..].split_once('/')
            && prefix.len() >= 4 && prefix.bytes().all(|b| b.is_ascii_digit() || b == b'.') && suffix.len() >= 2
        {
            found.insert((Kind::Doi, token[at..].to_lowercase()));
        }
    }
    ibans(text, &mut found);
    digit_runs(text, &mut found);
    found
}

fn is_email(token: &str) -> bool {
    let Some((name, host)) = token.split_once('@') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    !name.is_empty() && name.chars().all(plain) && host.contains('.') && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        && host.rsplit('.').next().is_some_and(|top| top.len() >= 2 && top.chars().all(|c| c.is_ascii_alphabetic()))
        && !host.starts_with('.')
}

/// Two letters, two digits, and groups of letters and digits with spaces between them.
fn ibans(text: &str, found: &mut BTreeSet<(Kind, String)>) {
    let bytes = text.as_bytes();
    for at in 0..bytes.len().saturating_sub(14) {
        let start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if !(start && bytes[at].is_ascii_uppercase() && bytes[at + 1].is_ascii_uppercase() && bytes[at + 2].is_ascii_digit() && bytes[at + 3].is_ascii_digit()) {
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
        if let Some(length) = (15..=longest).rev().find(|length| iban_remainder(&number[..*length]) == 1) {
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
        let opens = chars[at].is_ascii_digit() || chars[at] == '+' && chars.get(at + 1).is_some_and(char::is_ascii_digit);
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
        let groups = raw.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
        if (13..=19).contains(&digits.len()) && luhn(&digits) && digits.starts_with(['3', '4', '5', '6', '2']) {
            found.insert((Kind::Card, digits));
        } else if digits.len() == 13 && (digits.starts_with("978") || digits.starts_with("979")) && isbn(&digits) {
            found.insert((Kind::Isbn, digits));
        } else if (raw.starts_with('+') || raw.starts_with('0') && groups >= 2) && (8..=15).contains(&digits.len()) && !raw.contains(". ") && !raw.starts_with("0.") {
            found.insert((Kind::Phone, digits));
        }
    }
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
    sum % 10 == 0 && digits.bytes().any(|byte| byte != b'0')
}

fn isbn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(at, byte)| u32::from(byte - b'0') * if at % 2 == 0 { 1 } else { 3 })
        .sum();
    sum % 10 == 0
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
        assert_eq!(kinds, [Kind::Iban, Kind::Card, Kind::Email, Kind::Phone, Kind::Doi, Kind::Isbn]);
    }

    #[test]
    fn dates_years_and_sums_are_no_telephone_numbers() {
        assert!(identifiers("On 14.03.2026 at 10:30 we paid 1 250 000 euro for 2024-2027.").is_empty());
    }
}
