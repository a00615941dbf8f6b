//! Access control: programs on this machine may use the daemon, foreign web pages may not.

use engine_model::{ErrorCode, Failure};
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use thiserror::Error;

/// A shorter token could be guessed.
const TOKEN_BYTES_MIN: usize = 16;

/// A longer token is a mistake.
const TOKEN_BYTES_MAX: usize = 4096;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The token that clients must send. Only its digest is stored.
pub struct Token(blake3::Hash);

/// The reason why a text is not a valid token.
#[derive(Debug, Error)]
pub enum TokenError {
    /// It is too short or too long.
    #[error("the token has {0} bytes; use {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} bytes from a random source")]
    Length(usize),
    /// It contains characters that a header cannot carry.
    #[error("the token contains characters other than visible ASCII; use letters, digits and punctuation only")]
    Characters,
}

impl Token {
    /// Parses the token in a file; it ignores surrounding whitespace.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&text.len()) {
            return Err(TokenError::Length(text.len()));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Characters);
        }
        Ok(Self(blake3::hash(text.as_bytes())))
    }

    /// Whether this is the token. Digests are compared in constant time.
    fn is(&self, shown: &str) -> bool {
        self.0 == blake3::hash(shown.as_bytes())
    }
}

/// Checks where a request comes from, before any other code handles it.
pub(crate) fn check_source(parts: &Parts) -> Result<(), Failure> {
    check_host(parts)?;
    check_origin(parts)?;
    check_fetch_site(&parts.headers)
}

/// Checks the token of a daemon that was started with one.
pub(crate) fn check_bearer(headers: &HeaderMap, token: Option<&Token>) -> Result<(), Failure> {
    match token {
        Some(token) => check_token(headers, token),
        None => Ok(()),
    }
}

/// A web page can point its own host name at this machine. That name is in `Host`.
fn check_host(parts: &Parts) -> Result<(), Failure> {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        let details = "the request must have exactly one `Host` header; send `Host: localhost` with the port";
        return Err(Failure::new(ErrorCode::InvalidRequest, details).field("Host"));
    };
    let target = parts.uri.authority().map(http::uri::Authority::as_str);
    if host.to_str().is_ok_and(is_loopback) && target.is_none_or(is_loopback) {
        return Ok(());
    }
    let details = "the daemon accepts requests to this machine only; use localhost, 127.0.0.1 or [::1] as the host";
    Err(Failure::new(ErrorCode::ForeignHost, details))
}

/// Another program on this machine may serve pages too, on another port; they are foreign as well.
fn check_origin(parts: &Parts) -> Result<(), Failure> {
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    let port = host.and_then(port_of);
    let own = |origin: &HeaderValue| {
        let origin = origin.to_str().ok();
        origin
            .and_then(|origin| origin.strip_prefix("http://"))
            .is_some_and(|origin| is_loopback(origin) && port.is_some() && port_of(origin) == port)
    };
    if parts.headers.get_all(ORIGIN).iter().all(own) {
        return Ok(());
    }
    let details = "the daemon rejects requests from foreign web pages; use a program on this machine";
    Err(Failure::new(ErrorCode::ForeignOrigin, details))
}

fn check_fetch_site(headers: &HeaderMap) -> Result<(), Failure> {
    let own = |site: &HeaderValue| matches!(site.as_bytes(), b"none" | b"same-origin");
    if headers.get_all(SEC_FETCH_SITE).iter().all(own) {
        return Ok(());
    }
    let details = "the daemon rejects browser requests from other sites; use a program on this machine";
    Err(Failure::new(ErrorCode::ForeignOrigin, details))
}

fn check_token(headers: &HeaderMap, token: &Token) -> Result<(), Failure> {
    let shown = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    if shown.is_some_and(|shown| token.is(shown)) {
        return Ok(());
    }
    let details =
        "this daemon requires a token; send `Authorization: Bearer <token>` with the content of its token file";
    Err(Failure::new(ErrorCode::TokenRequired, details))
}

/// A form or a plain text could be sent by any web page without asking; JSON could not.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<(), Failure> {
    if headers
        .get(CONTENT_ENCODING)
        .is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        let details = "the body is compressed; send it uncompressed, without `Content-Encoding`";
        return Err(Failure::new(ErrorCode::NotJson, details).field("Content-Encoding"));
    }
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    if let (Some(content_type), None) = (types.next(), types.next())
        && content_type.to_str().is_ok_and(is_json)
    {
        return Ok(());
    }
    let details = "the body must be JSON in UTF-8; send `Content-Type: application/json`";
    Err(Failure::new(ErrorCode::NotJson, details).field("Content-Type"))
}

fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case("application/json"));
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    })
}

/// The port of `host[:port]`.
fn port_of(authority: &str) -> Option<u16> {
    match authority.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => port.parse().ok(),
        _ => Some(80),
    }
}

/// Whether `host[:port]` names this machine.
fn is_loopback(authority: &str) -> bool {
    let name = match authority.rsplit_once(':') {
        // The last colon of `[::1]` belongs to the address.
        Some((name, port)) if !port.ends_with(']') => {
            if port.parse::<u16>().is_err() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
                return false;
            }
            name
        }
        _ => authority,
    };
    name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1" || name == "[::1]"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1",
            "127.0.0.1:3578",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            ":",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "evil@localhost",
            "localhost@evil",
            "localhost:",
            "localhost:+80",
            "localhost:80:80",
            "localhost:99999",
            "[::1",
            "::1",
            "0.0.0.0",
            "[::]",
            "localhost ",
            "localhost/x",
            "2130706433",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn json_is_told_from_what_a_form_can_send() {
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
            "application/json; x=y",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in [
            "",
            "text/plain",
            "application/jsonp",
            "application/json, text/plain",
            "text/plain; application/json",
            "application/json; charset=utf-16",
        ] {
            assert!(!is_json(bad), "{bad}");
        }
    }

    #[test]
    fn a_token_must_be_long_and_plain() {
        assert!(matches!(Token::parse("short"), Err(TokenError::Length(5))));
        assert!(matches!(Token::parse("0123456789 abcdef"), Err(TokenError::Characters)));
        let token = Token::parse(" 0123456789abcdef\n").unwrap();
        assert!(token.is("0123456789abcdef"));
        assert!(!token.is("0123456789abcdeF") && !token.is(""));
    }
}
