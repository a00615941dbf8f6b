//! Where the comments of a line are, in every language that the scanner reads, without a parser.
//!
//! A suppression may stand in a file that no grammar reads: a Dockerfile, a properties file, a Vue component. So comments
//! are told by their marks, line by line, with quotes and blocks kept in mind. Time is linear in the length of the text.

use engine_model::Language;

/// How a language writes comments and texts.
struct Syntax {
    /// What begins a comment that ends with the line.
    line: &'static [&'static str],
    /// What begins and ends a block: a comment if the last part is true, else a text.
    blocks: &'static [(&'static str, &'static str, bool)],
    /// Quotes of texts that end on their line.
    quotes: &'static [char],
    /// Whether a comment mark counts only at the start of a word, as in a shell.
    word_start: bool,
}

const C_COMMENTS: &[(&str, &str, bool)] = &[("/*", "*/", true)];

const MARKUP: &[(&str, &str, bool)] = &[("<!--", "-->", true), ("{/*", "*/", true), ("/*", "*/", true)];

const SCRIPT: Syntax = Syntax {
    line: &["//"],
    blocks: &[("/*", "*/", true), ("<!--", "-->", true), ("`", "`", false)],
    quotes: &['"', '\''],
    word_start: false,
};

const PYTHON: Syntax = Syntax {
    line: &["#"],
    blocks: &[("\"\"\"", "\"\"\"", false), ("'''", "'''", false)],
    quotes: &['"', '\''],
    word_start: false,
};

const BRACES: Syntax = Syntax {
    line: &["//"],
    blocks: &[
        ("/*", "*/", true),
        ("\"\"\"", "\"\"\"", false),
        ("r#\"", "\"#", false),
        ("`", "`", false),
    ],
    quotes: &['"'],
    word_start: false,
};

const HASH: Syntax = Syntax {
    line: &["#"],
    blocks: &[],
    quotes: &['"', '\''],
    word_start: true,
};

fn syntax(language: Language) -> Syntax {
    match language {
        Language::Python | Language::Notebook => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Json => SCRIPT,
        Language::Go | Language::Rust | Language::Java | Language::Kotlin | Language::CSharp => BRACES,
        Language::Php => Syntax {
            line: &["//", "#"],
            blocks: C_COMMENTS,
            quotes: &['"', '\''],
            word_start: false,
        },
        Language::Shell | Language::Ruby | Language::Yaml | Language::Toml => HASH,
        Language::Html | Language::Xml | Language::Markup => Syntax {
            line: &["//"],
            blocks: MARKUP,
            quotes: &['"', '\''],
            word_start: true,
        },
        Language::Other => Syntax {
            line: &["#", "//", "--", ";", "!"],
            blocks: MARKUP,
            quotes: &['"', '\''],
            word_start: true,
        },
    }
}

/// The comments of one line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LineComments {
    /// The texts of the comments, without their marks.
    pub(crate) texts: Vec<String>,
    /// Whether the line holds a comment and nothing else.
    pub(crate) only: bool,
}

/// Reads a text line after line.
pub(crate) struct Comments {
    syntax: Syntax,
    open: Option<(&'static str, bool)>,
}

impl Comments {
    pub(crate) fn of(language: Language) -> Self {
        Self {
            syntax: syntax(language),
            open: None,
        }
    }

    /// The comments of the next line.
    pub(crate) fn line(&mut self, line: &str) -> LineComments {
        let mut found = LineComments::default();
        let mut code = false;
        let mut rest = line;
        let mut before = ' ';
        loop {
            if let Some((close, comment)) = self.open {
                let end = rest.find(close);
                let inside = &rest[..end.unwrap_or(rest.len())];
                if comment {
                    found.texts.push(inside.to_owned());
                } else {
                    code = true;
                }
                let Some(end) = end else { break };
                self.open = None;
                rest = &rest[end + close.len()..];
                before = ' ';
            }
            let Some(next) = rest.chars().next() else { break };
            if let Some((open, close, comment)) = self.syntax.blocks.iter().find(|(open, ..)| rest.starts_with(open)) {
                self.open = Some((close, *comment));
                rest = &rest[open.len()..];
                continue;
            }
            let at_word = !self.syntax.word_start || before.is_whitespace();
            if at_word && let Some(mark) = self.syntax.line.iter().find(|mark| rest.starts_with(**mark)) {
                found.texts.push(rest[mark.len()..].to_owned());
                break;
            }
            if let Some(length) = self.quoted(rest, next) {
                code = true;
                before = next;
                rest = &rest[length..];
                continue;
            }
            // The braces around a comment between tags are part of how it is written.
            code |= !next.is_whitespace() && !matches!(next, '{' | '}');
            before = next;
            rest = &rest[next.len_utf8()..];
        }
        found.only = !found.texts.is_empty() && !code;
        found
    }

    /// The length of a text in quotes at the start of `rest`. A quote that nothing closes on the line is a plain character: an
    /// apostrophe, a lifetime.
    fn quoted(&self, rest: &str, quote: char) -> Option<usize> {
        if !self.syntax.quotes.contains(&quote) {
            // A character in quotes may be a quote itself.
            return (quote == '\'' && rest.starts_with("'\"'")).then_some(3);
        }
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1).take(QUOTED_CHARS_MAX) {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == quote {
                return Some(at + c.len_utf8());
            }
        }
        None
    }
}

/// Longer texts in quotes are not looked through: the search for the end of each must not make a line cost its square.
const QUOTED_CHARS_MAX: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(language: Language, text: &str) -> Vec<(usize, String, bool)> {
        let mut reader = Comments::of(language);
        let mut out = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let found = reader.line(line);
            for text in found.texts {
                out.push((index + 1, text.trim().to_owned(), found.only));
            }
        }
        out
    }

    fn one(language: Language, text: &str) -> Option<(String, bool)> {
        let mut all = comments(language, text);
        assert!(all.len() < 2, "{all:?}");
        all.pop().map(|(_, text, only)| (text, only))
    }

    #[test]
    fn comments_are_recognised_in_every_language() {
        for (language, line, only) in [
            (Language::Python, "x = f()  # note", false),
            (Language::Python, "# note", true),
            (Language::Tsx, "  {/* note */}", true),
            (Language::TypeScript, "call(); // note", false),
            (Language::JavaScript, "/* note */ call()", false),
            (Language::Go, "\t// note", true),
            (Language::Rust, "let c = '\"'; // note", false),
            (Language::Rust, "fn f<'a>(x: &'a str) {} // note", false),
            (Language::Java, "/* note */", true),
            (Language::Kotlin, "val s = \"//\" // note", false),
            (Language::CSharp, "Call(); // note", false),
            (Language::Php, "# note", true),
            (Language::Ruby, "call # note", false),
            (Language::Shell, "curl https://a.example/#x # note", false),
            (Language::Yaml, "name: don't # note", false),
            (Language::Toml, "a = \"#\" # note", false),
            (Language::Html, "<p>it's</p> <!-- note -->", false),
            (Language::Html, "<!-- note -->", true),
            (Language::Markup, "<!-- note -->", true),
            (Language::Other, "FROM x # note", false),
            (Language::Other, "; note", true),
            (Language::Other, "-- note", true),
        ] {
            assert_eq!(
                one(language, line),
                Some(("note".to_owned(), only)),
                "{language:?} {line}"
            );
        }
    }

    #[test]
    fn texts_are_no_comments() {
        for (language, text) in [
            (Language::Python, "s = '# note'"),
            (Language::Python, "s = \"\"\"\n# note\n\"\"\""),
            (Language::JavaScript, "s = `\n// note\n`"),
            (Language::Rust, "let s = r#\"\n// note\n\"#;"),
            (Language::Java, "String s = \"// note\";"),
            (Language::Shell, "echo '# note'"),
        ] {
            assert_eq!(comments(language, text), [], "{language:?} {text}");
        }
    }

    #[test]
    fn a_block_goes_on_over_lines() {
        let found = comments(Language::Go, "/*\n note\n*/\ncall()");
        assert!(found.contains(&(2, "note".to_owned(), true)), "{found:?}");
        assert!(found.iter().all(|(line, ..)| *line < 4), "{found:?}");
    }
}
