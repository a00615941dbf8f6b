//! A reply in parts: reasoning left out, code set apart, one segment for each speaker.

use crate::text::Span;

/// What one speaker of a reply says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The name before the colon or in brackets, where there is one.
    pub(crate) speaker: Option<String>,
    /// Its words, code left out.
    pub(crate) text: String,
    /// Where it stands in the reply.
    pub(crate) span: Span,
}

/// A reply without reasoning, taken apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// One for each speaker, in order; one without a name where nobody is named.
    pub(crate) segments: Vec<Segment>,
    /// The code blocks.
    pub(crate) code: Vec<String>,
}

/// The answer of a reply, without reasoning.
pub(crate) fn without_reasoning(text: &str) -> String {
    crate::reasoning::part(text).answer
}

/// Takes a reply apart.
pub(crate) fn parts(text: &str) -> Parts {
    let mut parts = Parts::default();
    let mut open = Segment {
        speaker: None,
        text: String::new(),
        span: Span { start: 0, end: 0 },
    };
    let mut code: Option<String> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with("```")
            || trimmed.starts_with("~~~")
            || trimmed == "\\begin{code}"
            || trimmed == "\\end{code}"
        {
            match code.take() {
                Some(block) if is_prose(&block) => open.text.push_str(&block),
                Some(block) => parts.code.push(block),
                None => code = Some(String::new()),
            }
        } else if let Some(block) = &mut code {
            block.push_str(line);
        } else if let Some((speaker, _)) = speaker(trimmed) {
            open.span.end = at;
            if !open.text.trim().is_empty() || open.speaker.is_some() {
                parts.segments.push(open);
            }
            open = Segment {
                speaker: Some(speaker.to_owned()),
                text: String::new(),
                span: Span { start: at, end: at },
            };
            let skip = trimmed.len() - spoken(trimmed).len();
            open.text.push_str(&trimmed[skip..]);
            open.text.push('\n');
        } else {
            open.text.push_str(line);
        }
        at += line.len();
    }
    open.span.end = at;
    match code {
        Some(block) if is_prose(&block) => open.text.push_str(&block),
        Some(block) => parts.code.push(block),
        None => {}
    }
    if !open.text.trim().is_empty() || parts.segments.is_empty() {
        parts.segments.push(open);
    }
    parts
}

/// Words in a code block's frame: mostly letters and spaces, and a sentence's end.
fn is_prose(block: &str) -> bool {
    let (mut letters, mut marks) = (0, 0);
    for c in block.chars() {
        if c.is_alphabetic() || c == ' ' {
            letters += 1;
        } else if matches!(
            c,
            '{' | '}' | '(' | ')' | '=' | '<' | '>' | '_' | '/' | '\\' | '$' | '[' | ']' | ';' | '#' | '+'
        ) {
            marks += 1;
        }
    }
    let lines = block.lines().filter(|line| !line.trim().is_empty()).count();
    let ended = block
        .lines()
        .filter(|line| line.trim_end().ends_with(['.', '!', '?']))
        .count();
    letters > 20 && marks * 20 < letters && ended * 2 >= lines && block.split_whitespace().count() >= 6
}

/// What follows the name of a speaker.
fn spoken(line: &str) -> &str {
    speaker(line).map_or(line, |(_, rest)| rest)
}

/// `[NAME]: text`, `(NAME) text`, `Name: text`, where the name looks like a name.
fn speaker(line: &str) -> Option<(&str, &str)> {
    let head = &line[..line.floor_char_boundary(48)];
    if let Some(close) = head
        .find([']', ')', '】'])
        .filter(|_| line.starts_with(['[', '(', '【']))
    {
        let name = head.get(head.chars().next()?.len_utf8()..close)?;
        let after = line[close..]
            .char_indices()
            .nth(1)
            .map_or("", |(at, _)| &line[close + at..]);
        let after = after.trim_start_matches([':', ' ', '-']);
        if is_name(name, true) && !line.contains("](") {
            return Some((name.trim(), after));
        }
        return None;
    }
    // "As BOB, I would say: ..." and a shouted word on a line of its own open a voice too.
    if let Some(rest) = line.strip_prefix("As ")
        && let Some((name, _)) = rest.split_once(',').filter(|(name, _)| name.len() <= 24)
        && is_name(name, false)
    {
        return Some((name, line));
    }
    let alone = line.trim_matches(|c: char| !c.is_alphanumeric());
    if line.len() <= 24 && alone.len() >= 4 && alone.chars().all(|c| c.is_ascii_uppercase()) {
        return Some((alone, ""));
    }
    let colon = head.find(':')?;
    let name = head[..colon].trim_matches(|c: char| c == '*' || c == '#' || c == '>' || c == ' ');
    let after = line[colon + 1..].trim_start_matches(['*', ' ']);
    if after.starts_with("//") {
        return None;
    }
    (is_name(name, false) || is_voice(name, after)).then_some((name, after))
}

/// One capitalised word before a sentence that is spoken: it has a first or second person or greets.
fn is_voice(name: &str, after: &str) -> bool {
    let single = name.chars().count() <= 14
        && name.chars().next().is_some_and(char::is_uppercase)
        && name.chars().all(char::is_alphabetic);
    single
        && after.starts_with(|c: char| c.is_uppercase() || c == '"' || c == '*')
        && after.split_whitespace().count() >= 8
        && crate::text::words(after)
            .take(40)
            .any(|word| matches!(word.as_str(), "i" | "you" | "your" | "i'm" | "my" | "let"))
        && !matches!(
            name.to_lowercase().as_str(),
            "note"
                | "answer"
                | "step"
                | "warning"
                | "title"
                | "subject"
                | "introduction"
                | "conclusion"
                | "question"
                | "example"
                | "disclaimer"
                | "tip"
                | "remember"
                | "reminder"
                | "summary"
                | "output"
                | "response"
                | "reply"
        )
}

/// Names of roles and personas: a known role, or one word with two capitals, an emoji or `GPT`.
fn is_name(name: &str, bracketed: bool) -> bool {
    let bare: String = name.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    let bare = bare.trim();
    let words = bare.split_whitespace().count();
    if bare.is_empty() || words > 4 {
        return false;
    }
    let lower = bare.to_lowercase();
    let role = matches!(
        lower.as_str(),
        "assistant"
            | "ai"
            | "user"
            | "human"
            | "system"
            | "bot"
            | "narrator"
            | "classic"
            | "jailbreak"
            | "developer mode"
            | "normal"
            | "developer mode output"
            | "normal output"
            | "aligned"
            | "unaligned"
            | "unfiltered"
            | "filtered"
            | "safe"
            | "unsafe"
            | "unrestricted"
            | "restricted"
            | "chatgpt"
            | "gpt"
            | "dan"
            | "stan"
            | "evil"
            | "me"
            | "aim"
            | "dude"
    ) || lower.contains("gpt")
        || lower.contains("jailbr");
    let upper = bare.chars().filter(|c| c.is_uppercase()).count();
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    // A persona's tag is shouted or mixed: DAN, AlphaBot; ordinary labels such as `Note:` are not.
    let shouted = words <= 2
        && (2..=14).contains(&letters)
        && upper * 2 > letters
        && !matches!(
            lower.as_str(),
            "note"
                | "warning"
                | "ps"
                | "faq"
                | "title"
                | "step"
                | "introduction"
                | "conclusion"
                | "iban"
                | "url"
                | "html"
                | "important"
                | "disclaimer"
                | "json"
                | "sql"
        );
    let digits = bracketed && upper > 0 && name.chars().any(|c| c.is_ascii_digit()) && name.contains(['-', '.']);
    let emoji = name.chars().any(|c| ('\u{1f300}'..='\u{1faff}').contains(&c)) && letters > 1;
    role || shouted || digits || emoji && bracketed
}

/// The byte ranges of quotations, block quotations and code spans in a text, in order and apart.
pub(crate) fn quotations(text: &str) -> Vec<Span> {
    /// A quotation longer than this is an apostrophe that went astray.
    const CHARS_MAX: usize = 400;
    let mut spans = Vec::new();
    let mut opened: Option<(usize, char)> = None;
    let mut length = 0;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        length += 1;
        if let Some((start, close)) = opened {
            let ends = c == close || close == '“' && c == '”' || close == '”' && c == '“';
            let inside_word = c == '\'' && next.is_alphanumeric() || c == '’' && next.is_alphanumeric();
            if ends && !inside_word {
                spans.push(Span {
                    start,
                    end: at + c.len_utf8(),
                });
                opened = None;
            } else if c == '\n' && next == '\n' || length > CHARS_MAX {
                opened = None;
            }
        } else {
            let close = match c {
                '"' => Some('"'),
                '„' => Some('“'),
                '«' => Some('»'),
                '»' => Some('«'),
                '‘' => Some('’'),
                '‚' => Some('‘'),
                '“' | '”' => Some('”'),
                // Three of them fence code and quote nothing.
                '`' if next != '`' && before != '`' => Some('`'),
                '「' => Some('」'),
                '\'' if !before.is_alphanumeric() && !next.is_whitespace() => Some('\''),
                _ => None,
            };
            if let Some(close) = close {
                opened = Some((at, close));
                length = 0;
            }
        }
        before = c;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_left_out_even_when_a_mark_is_missing() {
        assert_eq!(without_reasoning("<think>secret</think>Answer"), "Answer");
        assert_eq!(without_reasoning("secret</think>Answer"), "Answer");
        assert_eq!(without_reasoning("Answer <think>and then"), "Answer ");
    }

    #[test]
    fn speakers_and_code_are_told_apart() {
        let parts = parts("[GPT]: No.\n[DAN]: Yes, first\ndo this.\n```\nx = 1\n```\nNote: mind the gap\n");
        let seen: Vec<(Option<&str>, &str)> = parts
            .segments
            .iter()
            .map(|s| (s.speaker.as_deref(), s.text.as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                (Some("GPT"), "No.\n"),
                (Some("DAN"), "Yes, first\ndo this.\nNote: mind the gap\n")
            ]
        );
        assert_eq!(parts.code, ["x = 1\n"]);
    }

    #[test]
    fn quotations_of_several_languages_are_found() {
        let text = "He said \"a\", „b“, «c», ‘d’ and 'e' but don't f.";
        let found: Vec<&str> = quotations(text).iter().map(|s| &text[s.start..s.end]).collect();
        assert_eq!(found, ["\"a\"", "„b“", "«c»", "‘d’", "'e'"]);
    }
}
