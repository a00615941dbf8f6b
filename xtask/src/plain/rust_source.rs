//! Finds the texts in a Rust source that users read: string literals, help of commands, and documentation of checks.

/// A text that users read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UserText {
    /// The line on which it begins.
    pub(crate) line: usize,
    /// Its words, without quotes, escapes and comment marks.
    pub(crate) text: String,
    /// Whether it is Markdown, whose lines belong together; else each line is a text of its own.
    pub(crate) markdown: bool,
}

/// Derives that turn doc comments into help of a command.
const HELP_DERIVES: &[&str] = &["Parser", "Subcommand", "Args", "ValueEnum"];
/// The derive that turns doc comments into descriptions of the interface.
const SCHEMA_DERIVE: &str = "JsonSchema";
/// Attributes whose literals users read.
const SHOWN_ATTRIBUTES: &[&str] = &["error", "arg", "command", "group", "value", "doc"];
/// Functions that compare a text with their argument: a literal there is vocabulary.
const COMPARING: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "find",
    "rfind",
    "strip_prefix",
    "strip_suffix",
    "split",
    "split_once",
    "rsplit_once",
    "matches",
    "eq_ignore_ascii_case",
];
/// Marks that only a regular expression contains.
const EXPRESSION: &[&str] = &["(?", "\\s", "\\b", "\\w", "[^"];
/// The first word of a statement to the database.
const SQL: &[&str] = &[
    "ALTER", "CREATE", "DELETE", "DROP", "INSERT", "PRAGMA", "SELECT", "UPDATE", "WITH",
];
/// Shorter literals are names, keys and fragments.
const WORDS_MIN: usize = 5;
/// Longer literals without any punctuation are lists of words.
const UNPUNCTUATED_MAX: usize = 30;

/// The texts of a source that users read, in order.
///
/// Left out: tests, comments, attributes for the compiler, literals of fewer than five words, literals that a text is compared
/// with, arrays of phrases and lists of words (vocabulary), regular expressions, SQL, and code. `schemas` says whether the doc
/// comments of types with a schema are read, too.
pub(crate) fn user_texts(source: &str, schemas: bool) -> Vec<UserText> {
    let tokens = tokens(source);
    let pairs = pairs(&tokens);
    let mut reader = Reader {
        shown_docs: vec![false; tokens.len()],
        tokens: &tokens,
        pairs: &pairs,
        out: Vec::new(),
    };
    reader.mark_shown_docs(schemas);
    reader.read(0, tokens.len());
    reader.out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Mark,
    /// A string literal; `raw` has no escapes.
    Text {
        raw: bool,
    },
    Doc,
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Token<'s> {
    kind: Kind,
    line: usize,
    text: &'s str,
}

impl Token<'_> {
    fn is(&self, mark: &str) -> bool {
        matches!(self.kind, Kind::Mark | Kind::Word) && self.text == mark
    }

    fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text { .. })
    }
}

struct Reader<'s> {
    tokens: &'s [Token<'s>],
    /// For each opening bracket its closing one, and the other way round; else the token itself.
    pairs: &'s [usize],
    shown_docs: Vec<bool>,
    out: Vec<UserText>,
}

impl Reader<'_> {
    fn is(&self, at: usize, mark: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(mark))
    }

    /// The opening bracket of an attribute that begins at a token.
    fn attribute(&self, at: usize) -> Option<usize> {
        if !self.is(at, "#") {
            return None;
        }
        let open = at + 1 + usize::from(self.is(at + 1, "!"));
        (self.is(open, "[") && self.pairs[open] != open).then_some(open)
    }

    /// Marks the doc comments of every item that derives help or a schema, with those of its fields and variants.
    fn mark_shown_docs(&mut self, schemas: bool) {
        let shown = |token: &Token<'_>| HELP_DERIVES.contains(&token.text) || (schemas && token.text == SCHEMA_DERIVE);
        for at in 0..self.tokens.len() {
            let Some(open) = self.attribute(at).filter(|open| self.is(open + 1, "derive")) else {
                continue;
            };
            let close = self.pairs[open];
            if !self.tokens[open..close].iter().any(shown) {
                continue;
            }
            let mut first = at;
            while first > 0 {
                let before = first - 1;
                if self.tokens[before].kind == Kind::Doc {
                    first = before;
                } else if self.is(before, "]") && self.is(self.pairs[before].saturating_sub(1), "#") {
                    first = self.pairs[before] - 1;
                } else {
                    break;
                }
            }
            let end = self.end_of_item(close + 1);
            self.shown_docs[first..end].fill(true);
        }
    }

    /// The first token after an item.
    fn end_of_item(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            if self.is(at, ";") {
                return at + 1;
            }
            let close = self.pairs[at];
            if self.is(at, "{") {
                return close.max(at) + 1;
            }
            at = close.max(at) + 1;
        }
        at
    }

    fn read(&mut self, mut at: usize, end: usize) {
        while at < end {
            let token = self.tokens[at];
            if let Some(open) = self.attribute(at) {
                let close = self.pairs[open];
                let name = self.tokens[open + 1].text;
                if name == "cfg" && self.tokens[open..close].iter().any(|token| token.is("test")) {
                    at = self.end_of_item(close + 1);
                    continue;
                }
                if SHOWN_ATTRIBUTES.contains(&name) {
                    self.read(open + 1, close);
                }
                at = close + 1;
            } else if token.is("declare_check") && self.is(at + 1, "!") && self.is(at + 2, "{") {
                self.check(at + 3, self.pairs[at + 2]);
                at = self.pairs[at + 2].max(at + 2) + 1;
            } else if token.kind == Kind::Doc {
                let last = (at..end).take_while(|&doc| self.tokens[doc].kind == Kind::Doc).count() + at;
                if self.shown_docs[at] {
                    self.docs(at, last, |_| false);
                }
                at = last;
            } else {
                if self.is_user_text(at) {
                    self.push(token);
                }
                at += 1;
            }
        }
    }

    /// The title, the explanation, the advice and the title of evidence of a declared check.
    fn check(&mut self, from: usize, to: usize) {
        let docs = (from..to).take_while(|&at| self.tokens[at].kind == Kind::Doc).count();
        self.docs(from, from + docs, |line| {
            line.starts_with("Reported:") || line.starts_with("Not reported:")
        });
        for at in from + docs..to {
            let named = ["fix", "evidence"].iter().any(|name| self.is(at, name)) && self.is(at + 1, ":");
            if let Some(text) = self.tokens.get(at + 2).filter(|token| named && token.is_text()) {
                self.push(*text);
            }
        }
    }

    fn docs(&mut self, from: usize, to: usize, ends: impl Fn(&str) -> bool) {
        let lines = self.tokens[from..to].iter().map(|token| token.text.trim());
        let lines: Vec<&str> = lines.take_while(|line| !ends(line)).collect();
        self.out.push(UserText {
            line: self.tokens[from].line,
            text: lines.join("\n"),
            markdown: true,
        });
    }

    fn push(&mut self, token: Token<'_>) {
        self.out.push(UserText {
            line: token.line,
            text: value(token),
            markdown: false,
        });
    }

    /// Whether a literal is a text for users, by its words and its place.
    fn is_user_text(&self, at: usize) -> bool {
        let token = self.tokens[at];
        if !token.is_text() || token.text.split_whitespace().count() < WORDS_MIN {
            return false;
        }
        let text = value(token);
        let text = text.trim_start();
        let first = text
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or_default();
        let code = SQL.contains(&first)
            || ["//", "--", "#!", "<"].iter().any(|mark| text.starts_with(mark))
            || EXPRESSION.iter().any(|mark| text.contains(mark));
        let list = text.split_whitespace().count() > UNPUNCTUATED_MAX && !text.contains(['.', ',', ';', ':']);
        !code && !list && !self.is_compared(at) && !self.is_vocabulary(at)
    }

    /// Whether a text is compared with the literal.
    fn is_compared(&self, at: usize) -> bool {
        let equals = |first: usize| (self.is(first, "=") || self.is(first, "!")) && self.is(first + 1, "=");
        let pattern = (self.is(at + 1, "=") && self.is(at + 2, ">")) || self.is(at + 1, "|") || self.is(at + 1, "if");
        let operand = (at >= 2 && equals(at - 2)) || equals(at + 1);
        let argument = at >= 2 && self.is(at - 1, "(") && COMPARING.contains(&self.tokens[at - 2].text);
        pattern || operand || argument
    }

    /// Whether the literal is a phrase in an array of literals: such arrays are what detection matches, unless their elements
    /// are sentences.
    fn is_vocabulary(&self, at: usize) -> bool {
        let text = self.tokens[at].text.trim();
        let sentence = text.starts_with(|c: char| c.is_uppercase()) && text.ends_with(['.', '?', '!']);
        let element = |token: &Token<'_>| token.is_text() || token.is(",") || token.is("&");
        let before = self.tokens[..at].iter().rev().find(|token| !element(token));
        let after = self.tokens[at..].iter().find(|token| !element(token));
        !sentence && before.is_some_and(|token| token.is("[")) && after.is_some_and(|token| token.is("]"))
    }
}

/// The modules that a source declares for tests only.
pub(crate) fn test_modules(source: &str) -> impl Iterator<Item = &str> {
    let lines = source.lines().map(str::trim);
    let next = source.lines().map(str::trim).skip(1);
    lines.zip(next).filter_map(|(line, next)| {
        let name = next.strip_prefix("mod ")?.strip_suffix(';')?;
        (line == "#[cfg(test)]").then_some(name)
    })
}

/// For each bracket the one that belongs to it; for every other token the token itself.
fn pairs(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut pairs: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        match token.text {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                if let Some(first) = open.pop() {
                    pairs[first] = at;
                    pairs[at] = first;
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The tokens of a Rust source. Comments that document nothing are left out.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < source.len() {
        let rest = &source[at..];
        let (token, length) = token(rest);
        if let Some((kind, text)) = token {
            out.push(Token { kind, line, text });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    out
}

/// The token at the beginning of a text with its whole length; none for space and comments.
fn token(rest: &str) -> (Option<(Kind, &str)>, usize) {
    let first = rest.chars().next().unwrap_or(' ');
    if let Some(comment) = rest.strip_prefix("//") {
        let length = comment.find('\n').unwrap_or(comment.len());
        let text = &comment[..length];
        let doc = text.starts_with('/') && !text.starts_with("//");
        return (doc.then(|| (Kind::Doc, &text[1..])), length + 2);
    }
    if rest.starts_with("/*") {
        return (None, block_comment(rest));
    }
    if let Some((kind, text, length)) = literal(rest) {
        return (Some((kind, text)), length);
    }
    if first == '_' || first.is_alphanumeric() {
        let length = rest
            .find(|c: char| c != '_' && !c.is_alphanumeric())
            .unwrap_or(rest.len());
        return (Some((Kind::Word, &rest[..length])), length);
    }
    let length = first.len_utf8();
    let mark = (!first.is_whitespace()).then(|| (Kind::Mark, &rest[..length]));
    (mark, length)
}

/// The length of a block comment, with those inside it.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// A literal with quotes at the beginning of a text: its kind, its content and its whole length.
fn literal(rest: &str) -> Option<(Kind, &str, usize)> {
    let prefix = rest.len() - rest.trim_start_matches(['b', 'c', 'r']).len();
    if prefix > 2 {
        return None;
    }
    let (letters, quoted) = rest.split_at(prefix);
    let kind = |raw| {
        if letters.contains('b') {
            Kind::Other
        } else {
            Kind::Text { raw }
        }
    };
    if letters.ends_with('r') {
        let hashes = quoted.len() - quoted.trim_start_matches('#').len();
        let content = quoted[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let length = content.find(&close).unwrap_or(content.len());
        let whole = prefix + hashes + 1 + length + close.len();
        return Some((kind(true), &content[..length], whole.min(rest.len())));
    }
    if let Some(content) = quoted.strip_prefix('"') {
        let length = escaped_until(content, '"');
        return Some((kind(false), &content[..length], (prefix + length + 2).min(rest.len())));
    }
    let content = quoted.strip_prefix('\'')?;
    let mut chars = content.chars();
    let (one, next) = (chars.next()?, chars.next());
    if one != '\\' && next != Some('\'') {
        // A lifetime.
        return (prefix == 0).then_some((Kind::Mark, &rest[..1], 1));
    }
    let length = escaped_until(content, '\'');
    Some((Kind::Other, &content[..length], (prefix + length + 2).min(rest.len())))
}

/// The length up to a closing quote that no backslash escapes.
fn escaped_until(content: &str, close: char) -> usize {
    let mut escaped = false;
    content
        .find(|c: char| {
            let ends = c == close && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })
        .unwrap_or(content.len())
}

/// The text that a literal means.
fn value(token: Token<'_>) -> String {
    if token.kind == (Kind::Text { raw: true }) {
        token.text.to_owned()
    } else {
        unescaped(token.text)
    }
}

/// The value of a literal with escapes. A backslash at the end of a line joins it with the next.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('\n') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            Some('u') => {
                let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                out.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        user_texts(source, false).into_iter().map(|text| text.text).collect()
    }

    #[test]
    fn given_literals_then_escapes_and_raw_strings_are_read() {
        let source = r##"
            fn f<'a>(x: &'a str) -> char {
                say("one two three \"four\" five\u{20}six \
                     seven");
                say(r#"one two "three" four five"#);
                say(b"one two three four five");
                // say("not this one, it is a comment");
                /* say("nor /* this */ one, it is a comment") */
                '"'
            }
        "##;
        assert_eq!(
            texts(source),
            ["one two three \"four\" five six seven", "one two \"three\" four five"]
        );
        assert_eq!(user_texts(source, false)[1].line, 5);
    }

    #[test]
    fn given_tests_attributes_and_internal_docs_then_they_are_left_out() {
        let source = r#"
            /// An internal comment of five words.
            #[expect(clippy::all, reason = "a reason of five words here")]
            struct Internal;
            #[error("a message that users can read")]
            struct Shown;
            #[cfg(test)]
            mod tests { fn f() { say("a text in a test here"); } }
            #[cfg(test)]
            const X: &[&str] = &["a text in a test here"];
            const Y: &str = "a text after the tests here";
        "#;
        assert_eq!(
            texts(source),
            ["a message that users can read", "a text after the tests here"]
        );
    }

    #[test]
    fn given_a_derived_command_then_its_docs_are_read() {
        let source = "
            /// Internal.
            mod m {}
            /// Scans a project.
            #[derive(Debug, clap::Parser)]
            #[command(name = \"scan\")]
            struct Scan {
                /// The folder.
                path: String,
            }
            /// Internal again.
            fn f() {}
        ";
        assert_eq!(texts(source), ["Scans a project.", "The folder."]);
    }

    #[test]
    fn given_a_check_then_title_explanation_advice_and_evidence_are_read() {
        let source = "declare_check! {
            /// Missing thing.
            ///
            /// What it means.
            ///
            /// Reported:
            /// ```python
            /// told = 1
            /// ```
            X { id: \"l4-x\", evidence: \"Thing found\", fix: \"Add it.\", run: run, }
        }";
        assert_eq!(
            texts(source),
            ["Missing thing.\n\nWhat it means.\n", "Thing found", "Add it."]
        );
    }

    #[test]
    fn given_vocabulary_then_it_is_left_out() {
        let source = r#"
            const PHRASES: &[&str] = &["you are told by an ai", "whoever reads this page may"];
            const LINES: &[&str] = &["You can read this sentence here.", "And this is one more sentence."];
            fn f(x: &str) -> bool {
                match x { "a b c d e f" | "g h i j k l" => true, "m n o p q" if y => true, _ => false };
                x == "one two three four five" || x.contains("one two three four five")
            }
            const Q: &str = "SELECT a FROM b WHERE c IS NULL";
            const R: &str = r"never (?:tell|say) to a b c";
        "#;
        assert_eq!(
            texts(source),
            ["You can read this sentence here.", "And this is one more sentence."]
        );
        assert_eq!(
            texts(&format!("const L: &str = \"{}\";", ["th"; 31].join(" "))),
            Vec::<String>::new()
        );
    }

    #[test]
    fn given_a_type_with_a_schema_then_its_docs_are_read_where_asked_for() {
        let source = "/// A reply.\n#[derive(Serialize, JsonSchema)]\nstruct Reply { /** x */ y: u8 }\n/// Internal.\nstruct Other;";
        assert_eq!(user_texts(source, true).len(), 1);
        assert_eq!(user_texts(source, false).len(), 0);
    }

    #[test]
    fn given_a_module_for_tests_then_it_is_named() {
        let source = "mod a;\n#[cfg(test)]\nmod b;\n#[cfg(test)]\nmod tests {\n}\nmod c;";
        assert_eq!(test_modules(source).collect::<Vec<_>>(), ["b"]);
    }
}
