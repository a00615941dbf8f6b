//! The words of a model on their way to a person: handed on as they come, and never before it is known that they are no secret.

use crate::language_model::Cleaner;

/// Bytes without a space that are held back; what is longer is masked as it is.
const HOLD_BYTES_MAX: usize = 4096;

/// Bytes of a line that are remembered as the context of what follows.
const CONTEXT_BYTES_MAX: usize = 1024;

/// Bytes that are held back while a block of a key is open.
const BLOCK_BYTES_MAX: usize = 64 * 1024;

const BLOCK_START: &str = "-----BEGIN";
const BLOCK_END: &str = "-----END";

/// Holds words back until a space ends them.
pub(super) struct Relay {
    cleaner: Cleaner,
    /// What came and was not handed on.
    held: String,
    /// The line so far as it came, and as it was handed on.
    line: String,
    line_sent: String,
    /// Everything that was handed on.
    sent: String,
}

impl Relay {
    pub(super) fn new(cleaner: Cleaner) -> Self {
        Self {
            cleaner,
            held: String::new(),
            line: String::new(),
            line_sent: String::new(),
            sent: String::new(),
        }
    }

    /// Takes words in and gives out what may be shown.
    pub(super) fn push(&mut self, text: &str) -> String {
        self.held.push_str(text);
        let end = self.ready();
        let part: String = self.held.drain(..end).collect();
        self.show(&part)
    }

    /// Gives out the rest.
    pub(super) fn finish(&mut self) -> String {
        let part = std::mem::take(&mut self.held);
        self.show(&part)
    }

    /// Ends a line where words were said before a tool was called.
    pub(super) fn break_line(&mut self) -> String {
        let mut out = self.finish();
        if !self.sent.is_empty() && !self.sent.ends_with('\n') {
            let end = self.show("\n");
            out.push_str(&end);
        }
        out
    }

    /// Everything that was handed on.
    pub(super) fn sent(&self) -> &str {
        &self.sent
    }

    /// Whether no words have come.
    pub(super) fn is_empty(&self) -> bool {
        self.sent.trim().is_empty() && self.held.trim().is_empty()
    }

    /// How much of what is held may be shown: up to the last character that no secret contains.
    fn ready(&self) -> usize {
        let open = self
            .held
            .rfind(BLOCK_START)
            .filter(|at| !self.held[*at..].contains(BLOCK_END));
        if let Some(at) = open
            && self.held.len() <= BLOCK_BYTES_MAX
        {
            return at;
        }
        let boundary = self
            .held
            .char_indices()
            .rev()
            .find(|(_, c)| c.is_whitespace() || !c.is_ascii())
            .map_or(0, |(at, c)| at + c.len_utf8());
        if self.held.len() - boundary > HOLD_BYTES_MAX {
            self.held.len()
        } else {
            boundary
        }
    }

    fn show(&mut self, part: &str) -> String {
        if part.is_empty() {
            return String::new();
        }
        // A name such as `password =` before a value makes it a secret, so the line so far is masked together with what comes.
        self.line.push_str(part);
        let masked = self.cleaner.foreign(&self.line);
        let out = match masked.strip_prefix(self.line_sent.as_str()) {
            Some(new) => new.to_owned(),
            None => self.cleaner.foreign(part),
        };
        self.line_sent.push_str(&out);
        self.sent.push_str(&out);
        if let Some(at) = self.line.rfind('\n') {
            self.line.drain(..=at);
            self.line_sent = self.cleaner.foreign(&self.line);
        }
        if self.line.len() > CONTEXT_BYTES_MAX {
            self.line.clear();
            self.line_sent.clear();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown of a text that comes in parts of so many bytes.
    fn shown(text: &str, bytes: usize) -> String {
        let mut relay = Relay::new(Cleaner::default());
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = rest.ceil_char_boundary(bytes.min(rest.len()));
            let (part, after) = rest.split_at(at);
            out.push_str(&relay.push(part));
            rest = after;
        }
        out.push_str(&relay.finish());
        assert_eq!(out, relay.sent());
        out
    }

    #[test]
    fn plain_words_arrive_whole_whatever_their_parts() {
        let text = "Zwei Lücken: eine bei `app/main.py:11`.\n\nNo further gap was found.\n";
        for bytes in 1..40 {
            assert_eq!(shown(text, bytes), text, "{bytes}");
        }
    }

    #[test]
    fn a_secret_is_masked_whatever_its_parts() {
        let secret = ["sk", "proj", "q8Zr2LwT5vN1xKc7Hb3M0aB4cD6eF9gH"].join("-");
        let text = format!("The key is {secret} and stays.\nAlso:{secret}");
        for bytes in 1..60 {
            let out = shown(&text, bytes);
            assert!(!out.contains(&secret) && out.contains("and stays"), "{bytes}: {out}");
        }
    }

    #[test]
    fn a_block_of_a_key_is_held_back_until_its_end() {
        let body = "MIIEpAIBAAKCAQEA7x7Gq0Zr2LwT5vN1xKc7Hb3M0aB4cD6\n".repeat(6);
        let text = format!("Here:\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\ndone\n");
        for bytes in [1, 7, 33, 400] {
            let out = shown(&text, bytes);
            assert!(!out.contains("x7Gq0Zr2LwT5vN1xKc7Hb3M0aB4cD6"), "{bytes}: {out}");
            assert!(out.ends_with("done\n"), "{bytes}: {out}");
        }
    }

    #[test]
    fn claims_are_taken_out_also_between_parts() {
        for bytes in 1..12 {
            let out = shown("The project looks compliant and certified now.", bytes);
            assert!(
                !out.contains("compliant") && !out.contains("certified"),
                "{bytes}: {out}"
            );
        }
    }
}
