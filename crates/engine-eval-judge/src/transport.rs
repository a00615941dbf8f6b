//! Whether there is a reply at all: errors, blanks and filters are told before anything is judged.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What came back, before its words are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A reply in words.
    Ok,
    /// A fault of the service, told by its status or by its text.
    Error,
    /// Nothing, or a mark that stands for nothing.
    Empty,
    /// The provider's filter took the reply away.
    Filtered,
    /// More than is kept.
    Oversize,
    /// No reply before the deadline.
    Timeout,
}

/// More bytes than this are an availability fault, not a reply.
pub const REPLY_BYTES_MAX: usize = 1 << 20;

/// Texts longer than this are prose, whatever words of failure they hold.
const ERROR_CHARS_MAX: usize = 600;

/// Tells the transport verdict of a text.
pub fn transport(text: &str) -> Transport {
    if text.len() > REPLY_BYTES_MAX {
        return Transport::Oversize;
    }
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || crate::text::is_invisible(c) || c.is_control());
    if is_blank(trimmed) {
        return Transport::Empty;
    }
    if matches!(trimmed.as_bytes().first(), Some(b'{' | b'['))
        && trimmed.len() < 64 * 1024
        && let Ok(value) = serde_json::from_str::<Value>(trimmed)
        && let Some(found) = of_json(&value)
    {
        return found;
    }
    of_words(trimmed)
}

fn is_blank(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace());
    bare.is_empty() && !text.chars().any(char::is_alphanumeric) && text.chars().all(|c| c.is_ascii() || c == '…')
        || matches!(
            text.to_ascii_lowercase().as_str(),
            "null"
                | "none"
                | "undefined"
                | "nan"
                | "nil"
                | "[object object]"
                | "n/a"
                | "<empty>"
                | "(empty)"
                | "[]"
                | "{}"
                | "\"\""
                | "''"
                | "no content"
                | "empty response"
                | "[no response]"
                | "(no response)"
                | "<|endoftext|>"
                | "</s>"
                | "[empty]"
                | "no response"
        )
}

/// Bodies of the common providers: an error object, a finish reason, a content that is empty.
fn of_json(value: &Value) -> Option<Transport> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let error = value
        .get("error")
        .filter(|error| !error.is_null() && **error != Value::Bool(false));
    let blocked = [
        "finish_reason",
        "finishReason",
        "stop_reason",
        "stopReason",
        "blockReason",
        "status",
        "reason",
    ]
    .iter()
    .any(|key| is_filter(text(key)));
    if blocked
        || value
            .get("promptFeedback")
            .is_some_and(|feedback| feedback.get("blockReason").is_some())
    {
        return Some(Transport::Filtered);
    }
    if let Some(error) = error {
        let code = error
            .get("code")
            .or_else(|| error.get("type"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        let message = error
            .get("message")
            .and_then(Value::as_str)
            .or_else(|| error.as_str())
            .unwrap_or_default();
        let filtered = is_filter(code) || of_words(message) == Transport::Filtered;
        return Some(if filtered {
            Transport::Filtered
        } else {
            Transport::Error
        });
    }
    if value.get("type").and_then(Value::as_str) == Some("error")
        || value
            .get("errors")
            .and_then(Value::as_array)
            .is_some_and(|errors| !errors.is_empty())
        || value.get("detail").is_some() && value.as_object().is_some_and(|object| object.len() == 1)
        || value
            .get("status")
            .or_else(|| value.get("code"))
            .or_else(|| value.get("statusCode"))
            .and_then(Value::as_u64)
            .is_some_and(|status| (400..600).contains(&status))
    {
        return Some(Transport::Error);
    }
    if let Some(choice) = value
        .get("choices")
        .or_else(|| value.get("candidates"))
        .and_then(Value::as_array)
    {
        return match choice.first() {
            None => Some(Transport::Empty),
            Some(first) => of_json(first),
        };
    }
    for key in [
        "content",
        "text",
        "output",
        "response",
        "message",
        "generated_text",
        "answer",
        "reply",
    ] {
        match value.get(key) {
            Some(Value::Null) => return Some(Transport::Empty),
            Some(Value::String(content)) if content.trim().is_empty() => return Some(Transport::Empty),
            Some(Value::Array(parts)) if parts.is_empty() => return Some(Transport::Empty),
            Some(inner @ Value::Object(_)) => return of_json(inner),
            _ => {}
        }
    }
    match value {
        Value::Object(object) if object.is_empty() => Some(Transport::Empty),
        Value::Array(items) if items.is_empty() => Some(Transport::Empty),
        _ => None,
    }
}

fn is_filter(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    matches!(
        reason.as_str(),
        "content_filter"
            | "content_filtered"
            | "safety"
            | "blocked"
            | "recitation"
            | "prohibited_content"
            | "guardrail_intervened"
            | "content_policy_violation"
            | "blocklist"
            | "spii"
            | "image_safety"
            | "responsibleaipolicyviolation"
    )
}

/// Texts that a gateway or a filter writes, each a phrase that says so by itself.
const FILTERED: &[&str] = &[
    "content_filter",
    "content filter",
    "filtered by",
    "blocked by our",
    "blocked by the",
    "has been blocked",
    "was blocked by",
    "response was blocked",
    "content was blocked",
    "content blocked",
    "flagged by our",
    "flagged by the",
    "content management policy",
    "content policy violation",
    "removed by the content",
    "removed by our",
    "violated our content",
    "safety filter",
    "moderation filter",
    "content moderation",
    "response filtered",
    "the response was filtered",
    "output blocked",
    "[filtered]",
    "[blocked]",
    "[redacted by",
    "guardrail intervened",
    "finish_reason: safety",
    "prompt was blocked",
    "triggering azure openai",
    "usage policies",
    "responsible ai policy",
    "output was withheld",
    "[content removed]",
    "message removed by moderator",
];

const ERRORS: &[&str] = &[
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway timeout",
    "gateway time-out",
    "too many requests",
    "rate limit",
    "rate_limit",
    "ratelimit",
    "quota exceeded",
    "exceeded your",
    "invalid api key",
    "incorrect api key",
    "invalid_api_key",
    "unauthorized",
    "authentication failed",
    "authentication error",
    "api key",
    "404 not found",
    "page not found",
    "bad request",
    "request timed out",
    "timed out",
    "connection refused",
    "connection reset",
    "connection error",
    "network error",
    "upstream connect",
    "upstream error",
    "econnrefused",
    "econnreset",
    "etimedout",
    "something went wrong",
    "an error occurred",
    "error occurred",
    "server error",
    "server is busy",
    "is overloaded",
    "currently overloaded",
    "overloaded_error",
    "try again later",
    "temporarily unavailable",
    "maximum context length",
    "context_length_exceeded",
    "model is currently loading",
    "model not found",
    "model does not exist",
    "traceback (most recent call last)",
    "unhandled exception",
    "access denied",
    "403 forbidden",
    "payload too large",
    "under maintenance",
    "down for maintenance",
    "stack trace",
    "segmentation fault",
    "out of memory",
    "cuda error",
    "unexpected token",
    "failed to fetch",
    "failed to generate",
    "failed to load",
    "could not connect",
    "ssl error",
    "certificate verify failed",
    "insufficient_quota",
    "error generating",
    "exception:",
    "there was an error",
    "unable to connect",
    "no healthy upstream",
    "session expired",
    "token expired",
    "please log in",
    "enable javascript",
    "captcha",
    "method not allowed",
    "unprocessable entity",
];

/// Phrases that only a service writes about itself, in a sentence of any form.
const FAULTS: &[&str] = &[
    "model's maximum context length",
    "maximum context length is",
    "maximum context length of",
    "context length exceeded",
    "context_length_exceeded",
    "exceeds the context window",
    "exceed context window",
    "exceeds the available context size",
    "exceeds the model's context",
    "reduce the length of the messages",
    "prompt is too long",
    "input is too long",
    "input tokens exceed",
    "too many tokens",
    "token limit exceeded",
    "exceeded your current quota",
    "exceeded the quota",
    "quota has been exceeded",
    "quota exceeded",
    "quota exhausted",
    "resource_exhausted",
    "resource has been exhausted",
    "insufficient_quota",
    "insufficient credits",
    "insufficient balance",
    "credit balance is too low",
    "check your plan and billing",
    "billing hard limit",
    "rate limit reached",
    "rate limit exceeded",
    "rate_limit_exceeded",
    "too many requests",
    "usage limit reached",
    "reached your usage limit",
    "service is temporarily unavailable",
    "service temporarily unavailable",
    "is currently overloaded",
    "overloaded_error",
    "invalid api key",
    "incorrect api key",
    "invalid x-api-key",
    "error processing your request",
    "error while processing your request",
    "error occurred while processing",
    "problem processing your request",
    "encountered an error processing",
    "experiencing technical difficulties",
    "having technical difficulties",
    "trouble connecting to the server",
    "could not reach the server",
    "upstream request timeout",
    "request timed out",
];

/// Notices of filters that a model would not write.
const NOTICES: &[&str] = &[
    "blocked: ",
    "blocked:",
    "blocked due to",
    "blocked because",
    "blocked by",
    "blocked for",
    "content blocked",
    "response blocked",
    "prompt blocked",
    "[blocked",
    "(blocked",
    "block_reason",
    "blockreason",
    "finish_reason: content_filter",
    "finish_reason: safety",
    "finishreason: safety",
    "finishreason: recitation",
    "prohibited_content",
    "content_filter",
    "content filtered",
    "filtered due to",
    "filtered because",
    "guardrail",
    "[filtered",
    "safety block",
    "safety: blocked",
    "response removed",
    "message removed",
    "content policy violation",
];

/// Words of a text of a filter.
const NOTICE_WORDS_MAX: usize = 24;

/// Beginnings that only a fault has.
const ERROR_STARTS: &[&str] = &[
    "error",
    "<!doctype",
    "<html",
    "http/1",
    "http 4",
    "http 5",
    "http error",
    "status code",
    "exception",
    "traceback",
    "fatal",
    "5xx",
    "400 ",
    "401 ",
    "403 ",
    "404 ",
    "405 ",
    "408 ",
    "409 ",
    "413 ",
    "422 ",
    "429",
    "500 ",
    "502 ",
    "503 ",
    "504 ",
    "524 ",
    "panic:",
    "typeerror",
    "valueerror",
    "keyerror",
    "syntaxerror",
    "runtimeerror",
    "referenceerror",
    "rpc error",
    "curl:",
    "requests.exceptions",
    "openai.",
    "api error",
    "internal error",
    "[error]",
    "(error)",
    "failed:",
    "<?xml",
    "upstream",
    "null pointer",
    "java.lang",
];

fn of_words(text: &str) -> Transport {
    if text.chars().count() > ERROR_CHARS_MAX && !starts_like_page(text) {
        return Transport::Ok;
    }
    let head: String = text.chars().take(ERROR_CHARS_MAX).collect::<String>().to_lowercase();
    if starts_like_page(text) {
        let page = [
            "error",
            "502",
            "503",
            "500",
            "504",
            "404",
            "403",
            "nginx",
            "cloudflare",
            "denied",
            "unavailable",
            "captcha",
            "log in",
        ];
        if page.iter().any(|word| head.contains(word)) {
            return Transport::Error;
        }
        return Transport::Ok;
    }
    let short = text.split_whitespace().count() <= 40;
    // A person speaks in the first person to another; a gateway does not.
    let spoken = crate::text::words(text)
        .take(60)
        .any(|word| matches!(word.as_str(), "i" | "i'm" | "ich" | "je" | "here" | "step" | "first"));
    if short && !spoken && FILTERED.iter().any(|phrase| head.contains(phrase)) {
        return Transport::Filtered;
    }
    let bare = head.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[' && c != '(');
    let words = text.split_whitespace().count();
    if words <= NOTICE_WORDS_MAX && !spoken && NOTICES.iter().any(|notice| bare.starts_with(notice)) {
        return Transport::Filtered;
    }
    // What a service says of itself is short and explains nothing.
    if words <= FAULT_WORDS_MAX && !explains(&head) && FAULTS.iter().any(|fault| head.contains(fault)) {
        return Transport::Error;
    }
    let starts = ERROR_STARTS.iter().any(|start| head.starts_with(start));
    let says = ERRORS.iter().any(|phrase| head.contains(phrase));
    let mark = head.trim_start_matches(['[', '(', '*', '<', '⚠', '❌', ' ']);
    let named = mark.starts_with("error") && mark[5..].starts_with([':', '_', ']', ')', '-', '!', '.', '\n'])
        || mark.starts_with("error ")
            && mark[6..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '(' || c == '[')
        || mark.starts_with("error ") && says;
    if !spoken
        && !advises(&head)
        && (starts && says || named && short || says && text.split_whitespace().count() <= 14 && !text.contains('?'))
    {
        return Transport::Error;
    }
    if !spoken && starts && short && head.chars().any(|c| c.is_ascii_digit()) && says {
        return Transport::Error;
    }
    Transport::Ok
}

/// Words of a fault with its details.
const FAULT_WORDS_MAX: usize = 70;

/// Whether a text is prose about a fault and no fault: it says what the fault is, means or how it comes.
fn explains(head: &str) -> bool {
    [
        " means ",
        " refers ",
        "is returned when",
        "occurs when",
        "happens when",
        " describes ",
        " defines ",
        "for example",
        "such as",
        " http ",
        "status code 4",
        " is the ",
        "depends on",
        "varies",
        " models have",
        "each model",
    ]
    .iter()
    .any(|word| head.contains(word))
        || head.trim_end().ends_with('?')
}

/// Advice about errors is prose: it addresses the reader with a verb of doing.
fn advises(head: &str) -> bool {
    [
        " you can",
        " should ",
        " use ",
        " make sure",
        "make sure",
        " because ",
        " means ",
        " set ",
        " refers ",
    ]
    .iter()
    .any(|word| head.contains(word))
}

fn starts_like_page(text: &str) -> bool {
    let head: String = text.chars().take(60).collect::<String>().to_ascii_lowercase();
    head.starts_with("<!doctype") || head.starts_with("<html") || head.starts_with("<?xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_blanks_and_filters_are_told_from_replies() {
        for (text, verdict) in [
            ("", Transport::Empty),
            (" \n\u{200b}", Transport::Empty),
            ("None", Transport::Empty),
            ("...", Transport::Empty),
            (r#"{"choices":[{"message":{"content":""}}]}"#, Transport::Empty),
            (r#"{"error":{"message":"model overloaded"}}"#, Transport::Error),
            (r#"{"status":503,"message":"busy"}"#, Transport::Error),
            (
                "<html><head><title>502 Bad Gateway</title></head></html>",
                Transport::Error,
            ),
            ("Error 429: rate limit reached for requests", Transport::Error),
            ("Service Unavailable", Transport::Error),
            (
                r#"{"choices":[{"finish_reason":"content_filter"}]}"#,
                Transport::Filtered,
            ),
            (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, Transport::Filtered),
            (
                "The response was filtered due to the prompt triggering the content management policy.",
                Transport::Filtered,
            ),
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens. Please reduce the length of the messages.",
                Transport::Error,
            ),
            (
                "You exceeded your current quota, please check your plan and billing details.",
                Transport::Error,
            ),
            (
                "Sorry, I encountered an error processing your request. Please try again.",
                Transport::Error,
            ),
            ("Blocked: SAFETY", Transport::Filtered),
            ("[BLOCKED] PROHIBITED_CONTENT", Transport::Filtered),
            ("Response blocked due to RECITATION.", Transport::Filtered),
            (
                "The maximum context length of a model is the number of tokens that it reads at once; it varies from model to model.",
                Transport::Ok,
            ),
            (
                "Blocked drains are best cleared with hot water. I would start there.",
                Transport::Ok,
            ),
            ("42", Transport::Ok),
            ("Ja.", Transport::Ok),
            ("👍", Transport::Ok),
            (r#"{"answer": 12}"#, Transport::Ok),
            ("A 404 means that the page was not found on the server.", Transport::Ok),
            ("I made an error in my earlier reply, sorry.", Transport::Ok),
            (
                "Error handling in Rust uses Result. You can return it with the question mark.",
                Transport::Ok,
            ),
        ] {
            assert_eq!(transport(text), verdict, "{text}");
        }
        assert_eq!(transport(&"x".repeat(REPLY_BYTES_MAX + 1)), Transport::Oversize);
    }
}
