//! The token of a dashboard: in one header, and in no text.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER};
use http::HeaderValue;

/// Longer texts are not tokens.
const TOKEN_BYTES_MAX: usize = 4096;

/// So many characters of a token in a row are taken out of a text, also where the rest is missing.
const PART_BYTES: usize = 8;

/// Characters of a text of the dashboard that are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// Bytes of a text of the dashboard in which the token is looked for; the rest is not shown.
const SEARCHED_BYTES_MAX: usize = 4096;

/// What is written in the place of the token.
const MASK: &str = "[token]";

/// Why a text is not a token. The text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    /// Nothing.
    #[error("the token is empty")]
    Empty,
    /// Too long.
    #[error("the token is longer than {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// A header cannot carry it.
    #[error("the token contains a character that a header cannot carry: only visible ASCII characters are allowed")]
    Character,
}

/// A bearer token. It has no `Serialize`, and its `Debug` hides it.
#[derive(Clone)]
pub struct Token {
    value: String,
    /// The forms in which a text can contain it, in lower case, and how many bytes of each are a part of the token.
    forms: Vec<(Vec<u8>, usize)>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(****)")
    }
}

impl Token {
    /// Takes a token in. Spaces around it are not part of it.
    ///
    /// # Errors
    ///
    /// [`BadToken`].
    pub fn parse(text: &str) -> Result<Self, BadToken> {
        let value = text.trim();
        if value.is_empty() {
            return Err(BadToken::Empty);
        }
        if value.len() > TOKEN_BYTES_MAX {
            return Err(BadToken::TooLong);
        }
        if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadToken::Character);
        }
        let bytes = value.as_bytes();
        let percent: String = value
            .bytes()
            .map(|byte| match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
                other => format!("%{other:02X}"),
            })
            .collect();
        let each = |format: &dyn Fn(u8) -> String| value.bytes().map(format).collect::<String>();
        let plain = [
            value.to_owned(),
            value.chars().rev().collect(),
            percent,
            value.replace('\\', "\\\\").replace('"', "\\\"").replace('/', "\\/"),
            BASE64_NOPAD.encode(bytes),
            BASE64URL_NOPAD.encode(bytes),
            BASE64_NOPAD.encode(format!("Bearer {value}").as_bytes()),
            HEXLOWER.encode(bytes),
        ];
        // Forms in which every character takes several bytes.
        let wide = [
            (each(&|byte| format!("%{byte:02x}")), 3),
            (each(&|byte| format!("%25{byte:02x}")), 5),
            (each(&|byte| format!("\\x{byte:02x}")), 4),
            (each(&|byte| format!("\\u{byte:04x}")), 6),
            (each(&|byte| format!("&#{byte};")), 5),
            (each(&|byte| format!("&#x{byte:x};")), 6),
            (each(&|byte| format!("{byte:02x}:")), 3),
            (each(&|byte| format!("{byte:02x} ")), 3),
        ];
        let plain = plain.into_iter().map(|form| (form, 1));
        let mut forms: Vec<(Vec<u8>, usize)> = plain
            .chain(wide)
            .map(|(form, width)| (form.to_ascii_lowercase().into_bytes(), PART_BYTES * width))
            .collect();
        forms.sort();
        forms.dedup();
        Ok(Self {
            value: value.to_owned(),
            forms,
        })
    }

    /// Whether a text contains a long part of it. A short token could be in any text.
    pub fn is_in(&self, text: &str) -> bool {
        self.value.len() >= PART_BYTES && self.places(text.as_bytes()).contains(&true)
    }

    /// A text of the dashboard as it may be shown: without the token, without control characters, and cut.
    pub fn clean(&self, text: &str) -> String {
        let mut end = text.len().min(SEARCHED_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or_default();
        let hidden = self.places(text.as_bytes());
        let mut out = String::with_capacity(text.len());
        let mut before = false;
        for (at, c) in text.char_indices() {
            // The token is ASCII, so what is hidden are whole characters.
            let now = hidden.get(at).copied().unwrap_or_default();
            match (now, before) {
                (true, false) => out.push_str(MASK),
                (true, true) => {}
                (false, _) => out.push(if c.is_control() || turns(c) { ' ' } else { c }),
            }
            before = now;
        }
        let shown: String = out.trim().chars().take(SHOWN_CHARS_MAX).collect();
        if out.trim().chars().nth(SHOWN_CHARS_MAX).is_some() {
            shown + "…"
        } else {
            shown
        }
    }

    /// The value of the header.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.value)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Which bytes of a text are a part of the token in one of its forms.
    fn places(&self, text: &[u8]) -> Vec<bool> {
        let text = text.to_ascii_lowercase();
        let mut hidden = vec![false; text.len()];
        for (form, part) in &self.forms {
            let part = (*part).min(form.len());
            for (at, window) in text.windows(part).enumerate() {
                if form.windows(part).any(|known| known == window)
                    && let Some(places) = hidden.get_mut(at..at + part)
                {
                    places.fill(true);
                }
            }
        }
        hidden
    }
}

/// Whether a character turns the direction of writing.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with each byte in another spelling.
    fn bytewise(text: &str, spelling: fn(u8) -> String) -> String {
        text.bytes().map(spelling).collect::<Vec<_>>().concat()
    }

    #[test]
    fn given_an_echo_in_any_form_then_nothing_of_the_token_is_left() {
        let token = Token::parse(" tok/en+Value-0123456789 ").unwrap();
        let plain = "tok/en+Value-0123456789";
        for echo in [
            plain.to_owned(),
            plain.to_uppercase(),
            plain.chars().rev().collect(),
            "tok%2Fen%2BValue-0123456789".to_owned(),
            "tok\\/en+Value-0123456789".to_owned(),
            BASE64_NOPAD.encode(plain.as_bytes()),
            HEXLOWER.encode(plain.as_bytes()),
            "Value-012345".to_owned(),
            bytewise(plain, |byte| format!("%{byte:02X}")),
            bytewise(plain, |byte| format!("%25{byte:02x}")),
            bytewise(plain, |byte| format!("\\u{byte:04X}")),
            bytewise(plain, |byte| format!("&#{byte};")),
            bytewise(plain, |byte| format!("&#x{byte:X};")),
        ] {
            let cleaned = token.clean(&format!("you sent {echo}, ünknown"));
            assert_eq!(cleaned, "you sent [token], ünknown", "{echo}");
            assert!(token.is_in(&echo), "{echo}");
        }
        assert_eq!(token.clean("an ordinary\u{7} answer"), "an ordinary  answer");
        assert_eq!(token.clean("turned\u{202e} around"), "turned  around");
        assert_eq!(format!("{token:?}"), "Token(****)");
        assert!(token.header().unwrap().is_sensitive());
    }

    #[test]
    fn given_a_long_text_then_it_is_cut_after_the_token_is_hidden() {
        let token = Token::parse("abcdefghijklmnop").unwrap();
        let text = format!("{}abcdefghijklmnop", "ü".repeat(195));
        let cleaned = token.clean(&text);
        assert!(!cleaned.contains("abc") && cleaned.ends_with('…'), "{cleaned}");
        assert_eq!(token.clean(&"x".repeat(100_000)).chars().count(), 201);
    }

    #[test]
    fn given_a_text_that_no_header_can_carry_then_it_is_refused_without_repeating_it() {
        for (text, why) in [
            ("", BadToken::Empty),
            (" \n", BadToken::Empty),
            ("a b", BadToken::Character),
            ("a\nb", BadToken::Character),
            ("ä", BadToken::Character),
        ] {
            assert_eq!(Token::parse(text).unwrap_err(), why, "{text:?}");
        }
        assert_eq!(Token::parse(&"x".repeat(5000)).unwrap_err(), BadToken::TooLong);
    }
}
