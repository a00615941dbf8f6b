//! Where sentences end, so that a text can be shortened without cutting one.

use crate::foreign::{clean, columns};

/// Abbreviations after which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "Art", "Arts", "No", "e.g", "i.e", "cf", "para", "vs", "approx", "etc", "St", "Reg",
];

/// A sentence with its capital letter and full stop. A place such as `bot.py:22` at its start stays as it is written.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    if text
        .split(' ')
        .next()
        .is_some_and(|word| word.contains(['.', '/', '_']))
    {
        return format!("{text}.");
    }
    format!("{}{}.", first.to_uppercase(), chars.as_str())
}

/// The leading whole sentences of a text that fit into a number of columns; the first one in any case.
pub(crate) fn brief(text: &str, most: usize) -> String {
    let text = clean(text);
    let mut out = String::new();
    for sentence in sentences(&text) {
        if !out.is_empty() && columns(&out) + 1 + columns(sentence) > most {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(sentence);
    }
    out
}

/// The sentences of a text. A full stop inside a code span, a path, a number or an abbreviation ends none.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = end(rest).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// The byte after the first sentence, where another one follows it.
fn end(text: &str) -> Option<usize> {
    let mut code = false;
    for (at, c) in text.char_indices() {
        match c {
            '`' => code = !code,
            '.' | '?' | '!' if !code => {
                let next = at + c.len_utf8();
                let mut after = text[next..].chars();
                let begins = after.next() == Some(' ')
                    && after
                        .next()
                        .is_some_and(|c| c.is_uppercase() || matches!(c, '`' | '“' | '"' | '(' | '['));
                let word = text[..at].rsplit([' ', '(', '“']).next().unwrap_or_default();
                let abbreviated =
                    c == '.' && (ABBREVIATIONS.contains(&word) || word.chars().count() == 1 && word != "I");
                if begins && !abbreviated {
                    return Some(next);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_at_the_start_keeps_its_letters() {
        assert_eq!(
            sentence("bot.py:22 prepares a model call"),
            "bot.py:22 prepares a model call."
        );
        assert_eq!(sentence("no model call was found."), "No model call was found.");
    }

    #[test]
    fn full_stops_in_articles_paths_and_code_end_no_sentence() {
        let text = "The model `a. B` (src/a.py:3) is retired (Art. 50(1)). Calls fail. See docs/x.md for more? Yes.";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(
            found,
            [
                "The model `a. B` (src/a.py:3) is retired (Art. 50(1)).",
                "Calls fail.",
                "See docs/x.md for more?",
                "Yes."
            ]
        );
    }

    #[test]
    fn a_text_is_shortened_by_whole_sentences_and_keeps_its_first() {
        assert_eq!(brief("One two three. Four five six.", 20), "One two three.");
        assert_eq!(brief("One two three. Four five six.", 3), "One two three.");
        assert_eq!(brief("One. Two. Three.", 9), "One. Two.");
        assert_eq!(brief("", 9), "");
    }
}
