//! Programming languages that are not parsed, and lines of theirs that tell the use of a model.

use aho_corasick::AhoCorasick;
use serde::Deserialize;

use crate::{HostKind, Origin, catalogue};

/// A programming language that is known by the endings of its files and not parsed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnreadLanguage {
    /// The name, as its users write it.
    pub name: String,
    /// Endings of its files, in lower case.
    pub endings: Vec<String>,
    /// What a line of a comment begins with.
    pub comments: Vec<String>,
}

/// A line that brings in a library for models.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    language: String,
    /// What the line begins with.
    starts: String,
    /// What stands further on in it, as a word of its own.
    holds: String,
    /// The library.
    what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnreadFile {
    source: String,
    as_of: String,
    language: Vec<UnreadLanguage>,
    sign: Vec<Sign>,
}

#[derive(Debug)]
pub(crate) struct Unread {
    origin: Origin,
    languages: Vec<UnreadLanguage>,
    signs: Vec<Sign>,
    /// What a telling line holds: pieces of addresses and of what is brought in.
    pieces: AhoCorasick,
}

impl Unread {
    #[expect(
        clippy::expect_used,
        reason = "the pieces are embedded data and a test builds the automaton"
    )]
    pub(crate) fn load(addresses: Vec<String>) -> Self {
        let file: UnreadFile = crate::parse("unread.toml", engine_embed::embed!("../data/unread.toml"));
        let origin = Origin {
            file: "unread.toml",
            source: file.source,
            as_of: file.as_of,
        };
        let mut pieces = addresses;
        pieces.extend(file.sign.iter().map(|sign| format!("{}{}", sign.starts, sign.holds)));
        pieces.extend(file.sign.iter().map(|sign| sign.holds.trim().to_owned()));
        pieces.retain(|piece| piece.len() > 2);
        let pieces = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&pieces)
            .expect("the pieces fit into one automaton");
        Self {
            pieces,
            origin,
            languages: file.language,
            signs: file.sign,
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn of_path(&self, path: &str) -> Option<&UnreadLanguage> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        self.languages
            .iter()
            .find(|language| language.endings.iter().any(|known| known.eq_ignore_ascii_case(ending)))
    }

    /// The first line of a text that tells the use of a model, counted from 1, and what it tells.
    pub(crate) fn first_told<'a>(&'a self, language: &UnreadLanguage, text: &'a str) -> Option<(u32, &'a str)> {
        let mut done = 0;
        for hit in self.pieces.find_iter(text) {
            if hit.start() < done {
                continue;
            }
            let start = text[..hit.start()].rfind('\n').map_or(0, |at| at + 1);
            let line = text[start..].lines().next().unwrap_or_default();
            done = start + line.len();
            // A value may stand alone in the line below what it is given to.
            let above = text[..start].lines().next_back().unwrap_or_default().trim_end();
            let opened = above.ends_with(['=', '(', ':', '>']);
            if let Some(what) = self.told(language, line, opened) {
                let before = text[..start].bytes().filter(|byte| *byte == b'\n').count();
                return Some((u32::try_from(before + 1).unwrap_or(u32::MAX), what));
            }
        }
        None
    }

    /// What a line of a language tells: a library that it brings in, or the host of a model service that it names.
    ///
    /// `opened` says that the line above ends with what the text of this one is given to.
    fn told<'a>(&'a self, language: &UnreadLanguage, line: &'a str, opened: bool) -> Option<&'a str> {
        let line = line.trim();
        // What begins a directive may begin a comment too: `#include`.
        let sign = self.signs.iter().find(|sign| {
            sign.language == language.name
                && line
                    .strip_prefix(sign.starts.as_str())
                    .is_some_and(|rest| holds_word(rest, &sign.holds))
        });
        if let Some(sign) = sign {
            return Some(&sign.what);
        }
        if language.comments.iter().any(|mark| line.starts_with(mark.as_str())) {
            return None;
        }
        addresses(line, opened).find_map(host_of_a_model_service)
    }
}

/// Whether a text holds a piece that does not go on as a longer name.
fn holds_word(text: &str, piece: &str) -> bool {
    let ends_open = piece.ends_with(|c: char| c.is_ascii_alphanumeric());
    text.match_indices(piece).any(|(at, _)| {
        let after = text.as_bytes().get(at + piece.len());
        !ends_open || !after.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    })
}

/// Texts in quotes that are given to something, and could be addresses; those of a plain list are not.
fn addresses(line: &str, opened: bool) -> impl Iterator<Item = &str> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let open = rest + line.get(rest..)?.find(['"', '\'', '`'])?;
            let quote = char::from(line.as_bytes()[open]);
            let inside = line.get(open + 1..)?;
            let close = inside.find(quote)?;
            let text = &inside[..close];
            let before = &line[..open];
            rest = open + close + 2;
            let given = if before.trim().is_empty() {
                opened
            } else {
                before.contains(|c: char| c.is_alphanumeric()) && !is_in_a_list(before)
            };
            if given && text.contains('.') | text.contains("://") && !text.contains(char::is_whitespace) {
                return Some(text);
            }
        }
    })
}

/// Whether a square bracket is open at the end of a text, and nothing was called inside it.
fn is_in_a_list(before: &str) -> bool {
    match (before.rfind('['), before.rfind(']'), before.rfind('(')) {
        (Some(open), close, called) => {
            close.is_none_or(|close| close < open) && called.is_none_or(|called| called < open)
        }
        _ => false,
    }
}

/// The host of an address and its port: what stands around them may be a secret.
fn authority(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// The host of an address of a model service.
pub(crate) fn host_of_a_model_service(text: &str) -> Option<&str> {
    is_model_service(text).then(|| authority(text))
}

fn is_model_service(text: &str) -> bool {
    let catalogue = catalogue();
    if text.contains("://") {
        return catalogue.request(text).is_some_and(|target| {
            target
                .host
                .is_some_and(|host| host.kind != HostKind::Telemetry && (!host.needs_path || target.model_call))
        });
    }
    // A name alone is an address where nothing but the name is known of it.
    !text.contains('/')
        && catalogue
            .host(text)
            .is_some_and(|host| !host.needs_path && !matches!(host.kind, HostKind::Telemetry | HostKind::Local))
}

#[cfg(test)]
mod tests {
    use super::Unread;

    fn load() -> Unread {
        Unread::load(crate::hosts::Hosts::load().literals())
    }

    fn told(path: &str, line: &str) -> Option<String> {
        let unread = load();
        let language = unread.of_path(path).expect(path);
        let text = format!("\n{line}\n");
        let (number, what) = unread.first_told(language, &text)?;
        assert_eq!(number, 2, "{line}");
        Some(what.to_owned())
    }

    #[test]
    fn each_sign_is_known_in_its_language_and_not_as_part_of_a_longer_name_or_in_a_comment() {
        let unread = load();
        for sign in &unread.signs {
            let language = unread
                .languages
                .iter()
                .find(|language| language.name == sign.language)
                .unwrap_or_else(|| panic!("{sign:?}"));
            let line = format!("{}{}", sign.starts, sign.holds);
            assert_eq!(
                unread.told(language, &line, false),
                Some(sign.what.as_str()),
                "{sign:?}"
            );
            let comment = format!("{} {line}", language.comments[0]);
            assert_eq!(unread.told(language, &comment, false), None, "{sign:?}");
            if sign.holds.ends_with(char::is_alphanumeric) {
                assert_ne!(
                    unread.told(language, &format!("{line}Nothing"), false),
                    Some(sign.what.as_str())
                );
            }
        }
    }

    #[test]
    fn an_address_that_is_given_to_something_is_told() {
        for (path, line, host) in [
            (
                "lib/a.dart",
                "final r = await http.post(Uri.parse('https://api.openai.com/v1/chat/completions'),",
                "api.openai.com",
            ),
            (
                "lib/a.dart",
                "Uri.https('api.openai.com', '/v1/responses')",
                "api.openai.com",
            ),
            (
                "App/Api.swift",
                "let url = URL(string: \"https://api.anthropic.com/v1/messages\")!",
                "api.anthropic.com",
            ),
            (
                "src/a.cpp",
                "curl_easy_setopt(curl, CURLOPT_URL, \"http://localhost:11434/api/generate\");",
                "localhost:11434",
            ),
            (
                "lib/a.dart",
                "get('https://me:secret@generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent?key=abc')",
                "generativelanguage.googleapis.com",
            ),
            ("lib/a.ex", "@url \"https://api.openai.com/v1\"", "api.openai.com"),
        ] {
            assert_eq!(told(path, line).as_deref(), Some(host), "{line}");
        }
    }

    #[test]
    fn an_address_below_what_it_is_given_to_is_told_and_one_of_a_list_is_not() {
        let unread = load();
        let dart = unread.of_path("a.dart").unwrap();
        let first = |text| unread.first_told(dart, text);
        assert_eq!(
            first("static const String url =\n    \"https://api.groq.com/openai/v1/chat/completions\";\n"),
            Some((2, "api.groq.com"))
        );
        assert_eq!(
            first("final blocked = [\n    \"https://api.groq.com/openai/v1\",\n];\n"),
            None
        );
        assert_eq!(first("// url =\n// \"https://api.groq.com/openai/v1\"\n"), None);
    }

    #[test]
    fn lists_comments_pages_and_other_hosts_are_not() {
        for (path, line) in [
            (
                "lib/a.dart",
                "// http.post('https://api.openai.com/v1/chat/completions')",
            ),
            ("lib/a.dart", "  'api.openai.com',"),
            ("lib/a.dart", "const blocked = ['example.com', 'api.openai.com'];"),
            ("lib/a.dart", "launch('https://openai.com/policies/terms-of-use');"),
            ("lib/a.dart", "launch('https://platform.openai.com/account/api-keys');"),
            ("lib/a.dart", "import 'package:google_fonts/google_fonts.dart';"),
            ("src/a.cpp", "get(\"http://localhost:8080/items\");"),
            ("src/a.h", "#include \"llama_farm.h\""),
        ] {
            assert_eq!(told(path, line), None, "{line}");
        }
    }

    #[test]
    fn endings_tell_the_language_whatever_their_case() {
        let unread = load();
        let name = |path: &str| unread.of_path(path).map(|language| language.name.as_str());
        assert_eq!(name("lib/main.dart"), Some("Dart"));
        assert_eq!(name("analysis.R"), Some("R"));
        assert_eq!(name("src/main.rs"), None);
        assert_eq!(name("Makefile"), None);
    }
}
