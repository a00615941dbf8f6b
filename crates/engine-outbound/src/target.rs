//! The address of a request, checked once, and how it may be shown.

use std::fmt;

use http::Uri;
use http::uri::{PathAndQuery, Scheme};

/// Longer addresses are refused.
const TARGET_BYTES_MAX: usize = 4096;

/// Why a text is no address that can be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTarget {
    /// Not an address at all.
    #[error("the target is not a URL such as `https://host/path`")]
    Malformed,
    /// Another scheme than http and https.
    #[error("the target must begin with `http://` or `https://`")]
    Scheme,
    /// A user name or password in the address would end up in logs and results.
    #[error("the target must not contain a user name or password; send them in a header")]
    Credentials,
    /// Too long to be meant.
    #[error("the target is longer than {TARGET_BYTES_MAX} bytes")]
    TooLong,
}

/// An http or https address without credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    uri: Uri,
    host: String,
    port: u16,
    secure: bool,
}

impl Target {
    /// Reads an address. A fragment is dropped, a missing path is `/`.
    pub fn parse(text: &str) -> Result<Self, BadTarget> {
        let text = text.trim();
        if text.len() > TARGET_BYTES_MAX {
            return Err(BadTarget::TooLong);
        }
        let text = text.split_once('#').map_or(text, |(before, _)| before);
        let uri: Uri = text.parse().map_err(|_| BadTarget::Malformed)?;
        Self::of(uri)
    }

    fn of(uri: Uri) -> Result<Self, BadTarget> {
        let secure = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(_) => return Err(BadTarget::Scheme),
            None => return Err(BadTarget::Malformed),
        };
        let authority = uri.authority().ok_or(BadTarget::Malformed)?;
        if authority.as_str().contains('@') {
            return Err(BadTarget::Credentials);
        }
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() {
            return Err(BadTarget::Malformed);
        }
        let after = authority.as_str().get(authority.host().len()..).unwrap_or_default();
        let port = match authority.port_u16() {
            Some(0) => return Err(BadTarget::Malformed),
            Some(port) => port,
            // A number that is no port is not a missing one.
            None if !after.is_empty() => return Err(BadTarget::Malformed),
            None if secure => 443,
            None => 80,
        };
        Ok(Self {
            uri,
            host,
            port,
            secure,
        })
    }

    /// The same host with another path (and query).
    pub fn with_path(&self, path: &str) -> Result<Self, BadTarget> {
        let path: PathAndQuery = path.parse().map_err(|_| BadTarget::Malformed)?;
        let mut parts = self.uri.clone().into_parts();
        parts.path_and_query = Some(path);
        Uri::from_parts(parts)
            .map_err(|_| BadTarget::Malformed)
            .and_then(Self::of)
    }

    /// Where a `Location` leads from here.
    pub(crate) fn follow(&self, location: &str) -> Result<Self, BadTarget> {
        if location.starts_with("//") {
            let scheme = if self.secure { "https:" } else { "http:" };
            Self::parse(&format!("{scheme}{location}"))
        } else if location.starts_with('/') {
            self.with_path(location.split('#').next().unwrap_or(location))
        } else {
            Self::parse(location)
        }
    }

    /// The path without its query.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The query, which may hold a key and is for sending only.
    pub fn query(&self) -> Option<&str> {
        self.uri.query()
    }

    /// Parts of the path that look like a token: some services take it there.
    pub fn secret_segments(&self) -> impl Iterator<Item = &str> {
        self.uri.path().split('/').filter(|part| is_token(part))
    }

    /// Host and port, which is all that errors and the list of destinations say.
    pub fn destination(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The host in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether the connection is encrypted.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Whether a request may be sent on to another address with its headers: the same host, and never from an encrypted
    /// connection to a plain one.
    pub(crate) fn may_lead_to(&self, other: &Self) -> bool {
        self.host == other.host
            && (self.port == other.port && self.secure == other.secure
                || !self.secure && other.secure && other.port == 443)
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }
}

/// Letters and digits in one piece of a token; names of models and versions have shorter pieces.
const TOKEN_PIECE_MIN: usize = 12;

/// Whether a part of a path looks like a token: a long piece in which letters and digits are mixed.
fn is_token(part: &str) -> bool {
    part.split(['-', '_', '.', ':', '%', '=', '~']).any(|piece| {
        piece.len() >= TOKEN_PIECE_MIN
            && piece.bytes().any(|byte| byte.is_ascii_digit())
            && piece.bytes().any(|byte| byte.is_ascii_alphabetic())
            // `conversations2024` is a word with a number.
            && piece.trim_end_matches(|c: char| c.is_ascii_digit()).bytes().any(|byte| byte.is_ascii_digit())
            || piece.len() >= 2 * TOKEN_PIECE_MIN
                && piece.bytes().any(|byte| byte.is_ascii_uppercase())
                && piece.bytes().any(|byte| byte.is_ascii_lowercase())
    })
}

/// Values of the query and tokens of the path are hidden: some services take their key there.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port != if self.secure { 443 } else { 80 } {
            write!(f, ":{}", self.port)?;
        }
        for (index, part) in self.uri.path().split('/').enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            write!(f, "{slash}{}", if is_token(part) { "…" } else { part })?;
        }
        for (index, pair) in self
            .uri
            .query()
            .into_iter()
            .flat_map(|query| query.split('&'))
            .enumerate()
        {
            let name = pair.split('=').next().unwrap_or(pair);
            write!(f, "{}{name}=…", if index == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_query_are_never_shown() {
        let target = Target::parse("https://Example.org:8443/v1/chat?key=SECRET&alt=sse#part").unwrap();
        assert_eq!(target.to_string(), "https://example.org:8443/v1/chat?key=…&alt=…");
        assert_eq!(format!("{target:?}"), target.to_string());
        assert_eq!(target.destination(), "example.org:8443");
        assert_eq!(target.query(), Some("key=SECRET&alt=sse"));
    }

    #[test]
    fn a_token_in_the_path_is_never_shown() {
        let target = Target::parse("https://h/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs/send").unwrap();
        assert_eq!(target.to_string(), "https://h/…/send");
        assert_eq!(
            target.secret_segments().collect::<Vec<_>>(),
            ["bot110201543:AAHdqTcvCH1vGWJxfSeofSAs"]
        );
        for plain in [
            "https://h/openai/deployments/gpt-4o-mini-2024-07-18/chat/completions",
            "https://h/v1/models/gemini-2.5-flash:generateContent",
            "https://h/api/conversations2024/messages",
            "https://h/",
        ] {
            assert_eq!(Target::parse(plain).unwrap().to_string(), plain);
        }
    }

    #[test]
    fn what_is_no_address_is_told_apart() {
        assert_eq!(Target::parse("ftp://host/x"), Err(BadTarget::Scheme));
        assert_eq!(Target::parse("https://user:pass@host/"), Err(BadTarget::Credentials));
        assert_eq!(Target::parse("http://host:99999/"), Err(BadTarget::Malformed));
        assert_eq!(Target::parse("http://host:0/"), Err(BadTarget::Malformed));
        assert_eq!(Target::parse("host/path"), Err(BadTarget::Malformed));
        assert_eq!(Target::parse(""), Err(BadTarget::Malformed));
        assert_eq!(
            Target::parse(&format!("http://h/{}", "a".repeat(5000))),
            Err(BadTarget::TooLong)
        );
    }

    #[test]
    fn headers_go_along_on_the_same_host_only() {
        let target = Target::parse("http://host/a").unwrap();
        for (location, allowed) in [
            ("/b", true),
            ("http://host/c", true),
            ("https://host/c", true),
            ("http://host:8080/c", false),
            ("http://other/c", false),
            ("//other/c", false),
        ] {
            assert_eq!(
                target.may_lead_to(&target.follow(location).unwrap()),
                allowed,
                "{location}"
            );
        }
        let secure = Target::parse("https://host/a").unwrap();
        assert!(!secure.may_lead_to(&secure.follow("http://host/a").unwrap()));
    }
}
