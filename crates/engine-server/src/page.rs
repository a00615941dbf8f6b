//! The page in the browser: its files, which are part of the binary, and the token that it alone knows.
//!
//! A page of another origin cannot read the answers of this daemon, but it could try to send something. So whatever a
//! browser sends to change state must carry a token that is minted at each start and is only in the page itself.

use std::sync::LazyLock;

use engine_embed::{Packed, embed};
use engine_model::{ErrorCode, Failure};
use http::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderName, ORIGIN, REFERRER_POLICY};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};

use crate::reply::{self, Answer};

/// The header with the token of the page.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-engine-token");

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The place of the token in `index.html`.
const TOKEN_PLACE: &str = "{{token}}";

static INDEX: LazyLock<String> = LazyLock::new(|| embed!("../page/index.html").text());

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Everything from this daemon, nothing inline, and no text that becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

macro_rules! files {
    ($($name:literal => $content_type:expr,)*) => {
        /// The files below `/page/`.
        const FILES: &[(&str, &str, Packed)] = &[
            $((concat!("/page/", $name), $content_type, embed!("../page/" $name)),)*
        ];
    };
}

files! {
    "icon.svg" => "image/svg+xml",
    "style.css" => STYLE,
    "parts.css" => STYLE,
    "api.js" => SCRIPT,
    "app.js" => SCRIPT,
    "dom.js" => SCRIPT,
    "fixing.js" => SCRIPT,
    "markdown.js" => SCRIPT,
    "messages.de.js" => SCRIPT,
    "messages.en.js" => SCRIPT,
    "messages.fr.js" => SCRIPT,
    "parts.js" => SCRIPT,
    "rows.js" => SCRIPT,
    "state.js" => SCRIPT,
    "text.js" => SCRIPT,
    "views/documents.js" => SCRIPT,
    "views/evaluations.js" => SCRIPT,
    "views/events.js" => SCRIPT,
    "views/evidence.js" => SCRIPT,
    "views/findings.js" => SCRIPT,
    "views/fixes.js" => SCRIPT,
    "views/jurisdictions.js" => SCRIPT,
    "views/overview.js" => SCRIPT,
    "views/passports.js" => SCRIPT,
    "views/questions.js" => SCRIPT,
    "views/report.js" => SCRIPT,
    "views/score.js" => SCRIPT,
    "views/systems.js" => SCRIPT,
    "views/timeline.js" => SCRIPT,
}

/// The token of one start of the daemon. It is in the page, and in no address, log line or event.
pub(crate) struct PageToken(String);

impl PageToken {
    /// A token of 244 random bits.
    pub(crate) fn mint() -> Self {
        let [first, second] = [(); 2].map(|()| uuid::Uuid::new_v4().simple());
        Self(format!("{first}{second}"))
    }

    /// Whether a request may change state: a browser must show the token of the page, any other client need not.
    pub(crate) fn check(&self, parts: &Parts) -> Result<(), Failure> {
        let reads = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
        let browser = parts.headers.contains_key(ORIGIN) || parts.headers.contains_key(SEC_FETCH_SITE);
        if reads || !browser || self.is_shown(&parts.headers) {
            return Ok(());
        }
        let details = "a browser may change state only from the page of this daemon; open or reload `/` and try again";
        Err(Failure::new(ErrorCode::ForeignOrigin, details).field("X-Engine-Token"))
    }

    /// Digests are compared, so that the time says nothing about the token.
    fn is_shown(&self, headers: &HeaderMap) -> bool {
        let mut shown = headers.get_all(TOKEN_HEADER).iter();
        let (Some(shown), None) = (shown.next(), shown.next()) else {
            return false;
        };
        blake3::hash(shown.as_bytes()) == blake3::hash(self.0.as_bytes())
    }
}

/// The reply to a request for the page or one of its files. A client that does not want HTML gets what it got before.
pub(crate) fn answer(parts: &Parts, token: &PageToken) -> Option<Answer> {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return None;
    }
    let path = parts.uri.path();
    let (content_type, text) = if path == "/" {
        if !wants_html(&parts.headers) {
            return None;
        }
        ("text/html; charset=utf-8", INDEX.replace(TOKEN_PLACE, &token.0))
    } else {
        let (_, content_type, file) = FILES.iter().find(|(name, ..)| *name == path)?;
        (*content_type, file.text())
    };
    // Hyper leaves out the body of a reply to `HEAD`.
    let mut answer = reply::whole(content_type, text.into_bytes());
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Some(answer)
}

/// Whether a person opens a share in a browser; a failure is then a page too.
pub(crate) fn opens_share(parts: &Parts) -> bool {
    matches!(parts.method, Method::GET | Method::HEAD)
        && parts.uri.path().starts_with("/share/")
        && parts.headers.get_all(ACCEPT).iter().any(|accept| {
            let accept = accept.to_str().unwrap_or_default();
            let html = accept.find("text/html");
            html.is_some() && accept.find("application/json").is_none_or(|json| html < Some(json))
        })
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .any(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

#[cfg(test)]
mod tests;
