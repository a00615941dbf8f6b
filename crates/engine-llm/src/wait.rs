//! How long a service asks to wait, and how many tokens a text has where the service does not count.

use std::time::Duration;

use engine_outbound::HeaderMap;
use jiff::fmt::rfc2822;

use crate::Usage;

/// Letters of a token where nothing better is known.
const LETTERS_PER_TOKEN: f64 = 4.0;

/// Tokens by length, for services that do not count them.
pub fn by_length(sent_bytes: usize, said_chars: usize) -> Usage {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    let tokens = |letters: usize| (letters as f64 / LETTERS_PER_TOKEN).ceil() as u64;
    Usage {
        input: tokens(sent_bytes),
        output: tokens(said_chars),
    }
}

/// How long a service asks to wait: seconds, or a date beside its own clock.
pub fn asked_to_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = rfc2822::parse(after).ok()?.timestamp();
    let now = rfc2822::parse(text("date")?).ok()?.timestamp();
    u64::try_from(at.as_second() - now.as_second())
        .ok()
        .map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use engine_outbound::HeaderValue;

    use super::*;

    fn wait(pairs: &[(&'static str, &'static str)]) -> Option<Duration> {
        asked_to_wait(
            &pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                .collect(),
        )
    }

    #[test]
    fn a_wish_to_wait_is_read_in_seconds_milliseconds_and_as_a_date() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wait(&[("retry-after-ms", "250")]), Some(Duration::from_millis(250)));
        let date = [
            ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"),
            ("date", "Wed, 21 Oct 2026 07:28:00 GMT"),
        ];
        assert_eq!(wait(&date), Some(Duration::from_secs(30)));
        assert_eq!(wait(&date[..1]), None);
        assert_eq!(wait(&[("retry-after", "-3")]), None);
        assert_eq!(wait(&[("retry-after", "soon")]), None);
    }
}
