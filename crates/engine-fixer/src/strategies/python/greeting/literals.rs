//! Sentences that are put into texts.

use engine_syntax::tree::Node;

use super::super::phrases;
use super::super::source::{arguments, function_of, method, statements, uses};
use super::Disclosure;
use crate::NoFix;
use crate::code::{Code, children, descendants};

/// Words that greet, in lower case.
const GREETS: [&str; 26] = [
    "hi",
    "hey",
    "hello",
    "welcome",
    "hallo",
    "moin",
    "servus",
    "willkommen",
    "bonjour",
    "salut",
    "bienvenue",
    "hola",
    "bienvenido",
    "ciao",
    "benvenuto",
    "buongiorno",
    "olá",
    "oi",
    "hoi",
    "welkom",
    "cześć",
    "witaj",
    "привет",
    "здравствуйте",
    "привіт",
    "вітаю",
];

/// One part of a text: what stands between quotes, without what is filled in.
struct Part<'c> {
    start: usize,
    text: &'c str,
    /// Whether the text ends with this part.
    is_last: bool,
}

/// Steps from an expression to the text that it is.
const STEPS_MAX: usize = 8;

/// The text that an expression is, where it is written down: a string, strings side by side, a name for one of these.
pub(super) fn text_of<'c>(code: &'c Code, expression: Node<'c>) -> Option<Node<'c>> {
    let mut at = expression;
    for _ in 0..STEPS_MAX {
        at = match at.kind() {
            "string" | "concatenated_string" => return Some(at),
            "parenthesized_expression" => at.named_child(0)?,
            // `"Hello {}".format(name)`, `dedent("…")`
            "call" => match method(code, at) {
                "format" | "strip" => at.child_by_field_name("function")?.child_by_field_name("object")?,
                "dedent" | "cleandoc" => arguments(at).into_iter().next()?,
                _ => return None,
            },
            // `"Hello %s" % name`
            "binary_operator" => {
                let operator = at.child_by_field_name("operator")?;
                at.child_by_field_name("left")
                    .filter(|_| code.of_node(operator) == "%")?
            }
            "identifier" => named(code, at)?,
            _ => return None,
        };
    }
    None
}

/// The value that a name stands for: one that is given once, in the function or at the top of the file.
fn named<'c>(code: &'c Code, name: Node<'c>) -> Option<Node<'c>> {
    let text = code.of_node(name);
    if is_for_the_model(text) {
        return None;
    }
    let is_it = |node: Node<'_>| node.kind() == "identifier" && code.of_node(node) == text;
    let local = function_of(name).map_or_else(Vec::new, |scope| {
        descendants(scope, |node| {
            node.kind() == "assignment" && node.child_by_field_name("left").is_some_and(is_it)
        })
    });
    match local.as_slice() {
        [] => constant(code, text),
        [only] => only.child_by_field_name("right"),
        _ => None,
    }
}

/// The value of a constant at the top of a file.
pub(super) fn constant<'c>(code: &'c Code, name: &str) -> Option<Node<'c>> {
    let root = code.root().ok()?;
    let all: Vec<Node<'c>> = statements(root)
        .into_iter()
        .filter_map(|statement| statement.named_child(0).filter(|child| child.kind() == "assignment"))
        .filter(|assignment| {
            assignment
                .child_by_field_name("left")
                .is_some_and(|left| code.of_node(left) == name)
        })
        .collect();
    let [only] = all.as_slice() else { return None };
    // A name that is changed elsewhere holds more than this text.
    let written = uses(code, root, name).into_iter().filter(|place| {
        place.parent().is_some_and(|parent| {
            matches!(
                parent.kind(),
                "assignment" | "augmented_assignment" | "global_statement"
            ) && parent.child_by_field_name("right") != Some(*place)
        })
    });
    (written.count() == 1)
        .then(|| only.child_by_field_name("right"))
        .flatten()
}

/// Whether a name is one of a text for a model or for something else than people.
fn is_for_the_model(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "prompt",
        "system",
        "instruction",
        "template",
        "descri",
        "persona",
        "schema",
        "help",
        "usage",
        "keyword",
        "pattern",
        "error",
    ];
    let lower = name.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
        || matches!(
            lower.as_str(),
            "messages" | "message" | "msgs" | "history" | "conversation"
        )
}

/// The first text that a call is given.
pub(super) fn first_text<'c>(code: &'c Code, call: Node<'c>) -> Option<Node<'c>> {
    let all = arguments(call);
    let named = all.iter().find_map(|argument| {
        let is_text = argument.kind() == "keyword_argument"
            && matches!(
                super::super::source::name_of(code, *argument),
                "text" | "content" | "message"
            );
        argument.child_by_field_name("value").filter(|_| is_text)
    });
    let positional = all.into_iter().filter(|argument| argument.kind() != "keyword_argument");
    named
        .into_iter()
        .chain(positional)
        .find_map(|argument| text_of(code, argument))
}

/// The letters of a text.
pub(super) fn letters(code: &Code, text: Node<'_>) -> String {
    parts(code, text)
        .iter()
        .map(|part| part.text)
        .collect::<Vec<_>>()
        .join(" ")
        .replace("\\n", " ")
}

/// Whether a text begins with a greeting.
pub(super) fn greets(code: &Code, text: Node<'_>) -> bool {
    let letters = letters(code, text).to_lowercase();
    let mut words = letters
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.by_ref().take(3).any(|word| GREETS.contains(&word))
}

/// The sentence of a bot, put into a text behind its first sentence.
pub(super) fn introduced(code: &Code, text: Node<'_>, place: &'static str) -> Result<Disclosure, NoFix> {
    let all = parts(code, text);
    let unknown = || NoFix::here("the language of the greeting could not be determined");
    let phrases = phrases::language(&letters(code, text)).ok_or_else(unknown)?;
    let sentence = phrases.bot;
    if all.iter().any(|part| part.text.contains(sentence)) {
        return Err(NoFix::Done);
    }
    if phrases.language == phrases::ENGLISH.language
        && let Some((offset, text, sentence)) = all.iter().find_map(in_introduction)
    {
        return Ok(Disclosure {
            offset,
            text,
            sentence,
            place,
        });
    }
    let (offset, text) = behind_first_sentence(&all, sentence)
        .or_else(|| at_end(&all, sentence))
        .ok_or_else(|| NoFix::here("the greeting has a form that is not changed"))?;
    Ok(Disclosure {
        offset,
        text,
        sentence,
        place,
    })
}

/// "I am the support assistant" becomes "I am the support AI assistant": who says already what it is needs no sentence more.
fn in_introduction(part: &Part<'_>) -> Option<(usize, String, &'static str)> {
    const BEGINS: [&str; 3] = ["i am ", "i'm ", "i’m "];
    const NOUNS: [(&str, &str); 4] = [
        ("assistant", "AI assistant"),
        ("chatbot", "AI chatbot"),
        ("bot", "AI bot"),
        ("helper", "AI helper"),
    ];
    // Words between the article and the noun.
    const WORDS_MAX: usize = 6;
    let lower = part.text.to_ascii_lowercase();
    let begin = BEGINS.iter().find_map(|words| {
        let at = lower.find(words)?;
        let before = lower.get(..at)?.chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric()).then_some(at + words.len())
    })?;
    let clause = lower
        .get(begin..)?
        .split(['.', '!', '?', ',', '\n', '\\', ':', ';', '('])
        .next()?;
    let mut at = begin;
    for (index, word) in clause.split_inclusive(' ').enumerate().take(WORDS_MAX + 2) {
        let bare = word.trim();
        if index == 0 {
            if !matches!(bare, "a" | "an" | "the" | "your" | "our") {
                return None;
            }
        } else if matches!(bare, "who" | "that" | "which" | "for" | "of" | "to") {
            return None;
        } else if let Some((_, noun)) = NOUNS.iter().find(|(noun, _)| *noun == bare) {
            // "a bot" becomes "an AI bot".
            let article = lower.get(begin..at)?;
            return Some(match article {
                "a " => (begin + 1, "n AI".to_owned(), *noun),
                _ => (at, "AI ".to_owned(), *noun),
            })
            .map(|(offset, text, noun)| (part.start + offset, text, noun));
        }
        at += word.len();
    }
    None
}

/// A sentence at the end of a text.
pub(super) fn appended(code: &Code, text: Node<'_>, sentence: &str) -> Option<(usize, String)> {
    at_end(&parts(code, text), sentence)
}

fn parts<'c>(code: &'c Code, text: Node<'_>) -> Vec<Part<'c>> {
    let strings = descendants(text, |node| node.kind() == "string");
    let mut out = Vec::new();
    for string in strings {
        // A string inside of what is filled in is none of the text.
        let mut around = string.parent();
        let mut is_inner = false;
        while let Some(parent) = around {
            is_inner |= parent.kind() == "interpolation";
            if parent == text {
                break;
            }
            around = parent.parent();
        }
        if is_inner && string != text {
            continue;
        }
        for content in children(string)
            .into_iter()
            .filter(|child| child.kind() == "string_content")
        {
            out.push(Part {
                start: content.start_byte(),
                text: code.of_node(content),
                is_last: false,
            });
        }
    }
    if let Some(last) = out.last_mut() {
        let end = last.start + last.text.len();
        // Nothing is filled in behind it.
        last.is_last = descendants(text, |node| node.kind() == "interpolation" && node.start_byte() >= end).is_empty();
    }
    out
}

/// Behind the first sentence that ends in the text.
fn behind_first_sentence(parts: &[Part<'_>], sentence: &str) -> Option<(usize, String)> {
    for part in parts {
        for (at, mark) in part.text.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?')) {
            let end = at + mark.len_utf8();
            let (before, after) = (part.text.get(..at)?, part.text.get(end..)?);
            let ends = after.starts_with([' ', '\n', '\r']) || after.starts_with("\\n") || after.is_empty();
            // "Dr. Jones" and "e.g. this" go on.
            let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            let is_word = mark != '.' || word.chars().count() > 3 || GREETS.contains(&word.to_lowercase().as_str());
            if ends && is_word {
                return Some((part.start + end, format!(" {sentence}")));
            }
        }
    }
    None
}

/// At the end of the text, behind its last letter.
fn at_end(parts: &[Part<'_>], sentence: &str) -> Option<(usize, String)> {
    let last = parts.last().filter(|part| part.is_last)?;
    let mut kept = last.text.trim_end();
    while let Some(rest) = kept.strip_suffix("\\n") {
        kept = rest.trim_end();
    }
    let end = kept.chars().next_back()?;
    let text = if end.is_alphanumeric() || matches!(end, ')' | '"' | '\'') {
        format!(". {sentence}")
    } else if matches!(end, ':' | ',' | ';' | '\\' | '*' | '_' | '>' | '(' | '[') {
        return None;
    } else {
        format!(" {sentence}")
    };
    Some((last.start + kept.len(), text))
}
