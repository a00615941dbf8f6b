//! What an answer cites, whether it exists, and which statements cite nothing.

use std::collections::BTreeSet;

use engine_regulation::regulation;
use schemars::JsonSchema;
use serde::Serialize;

use super::tools::Facts;
use crate::language_model::hex_runs;

/// Words of a sentence that states something.
const STATEMENT_WORDS: usize = 4;

/// Statements without a citation that are listed.
const UNCITED_MAX: usize = 30;

/// Characters of one of them.
const STATEMENT_CHARS: usize = 200;

/// Citations that are listed.
const CITATIONS_MAX: usize = 100;

/// Words that end with a point and no sentence.
const ABBREVIATIONS: [&str; 10] = ["Art", "Arts", "art", "e.g", "i.e", "No", "vs", "cf", "para", "Reg"];

/// Other laws with articles of their own.
const OTHER_LAWS: [&str; 6] = ["GDPR", "DSGVO", "RGPD", "DSA", "DMA", "NIS2"];

/// What kind of thing is cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CitationKind {
    /// A finding of the last scan.
    Finding,
    /// An obligation of the law data.
    Obligation,
    /// An article of the Act.
    Article,
    /// An annex of the Act.
    Annex,
}

/// Something that an answer cites and that exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Citation {
    /// What kind of thing it is.
    pub kind: CitationKind,
    /// Its id, or the provision.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What it is called.
    pub title: String,
}

/// The citations of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) citations: Vec<Citation>,
    pub(super) unverified: Vec<String>,
    pub(super) uncited: Vec<String>,
    pub(super) uncited_total: u64,
    pub(super) statements: u64,
}

/// Something that looks like a citation.
struct Mention {
    start: usize,
    end: usize,
    reference: String,
    found: Option<Citation>,
}

/// Checks an answer against the results and the law data.
pub(super) fn check(text: &str, facts: &Facts) -> Checked {
    let mut out = Checked::default();
    let (mut cited, mut unverified) = (BTreeSet::new(), BTreeSet::new());
    for statement in statements(text, facts) {
        let mut verified = false;
        for mention in mentions(statement, facts) {
            match mention.found {
                Some(citation) => {
                    verified = true;
                    cited.insert(citation);
                }
                None => drop(unverified.insert(mention.reference)),
            }
        }
        if !is_statement(statement) {
            continue;
        }
        out.statements += 1;
        if !verified {
            out.uncited_total += 1;
            if out.uncited.len() < UNCITED_MAX {
                out.uncited
                    .push(statement.trim().chars().take(STATEMENT_CHARS).collect());
            }
        }
    }
    out.citations = cited.into_iter().take(CITATIONS_MAX).collect();
    out.unverified = unverified.into_iter().take(CITATIONS_MAX).collect();
    out
}

/// Whether a sentence states something: no heading, no question, no line that announces a list.
fn is_statement(sentence: &str) -> bool {
    let sentence = sentence.trim();
    let words = sentence
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphabetic))
        .count();
    words >= STATEMENT_WORDS && !sentence.starts_with('#') && !sentence.ends_with('?') && !sentence.ends_with(':')
}

/// The sentences of a text. What follows a sentence and is nothing but citations belongs to it.
fn statements<'t>(text: &'t str, facts: &Facts) -> Vec<&'t str> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (start, end) in sentences(text) {
        let piece = &text[start..end];
        let mut rest = piece.to_owned();
        for mention in mentions(piece, facts).iter().rev() {
            rest.replace_range(mention.start..mention.end, "");
        }
        let only_citations = rest.len() < piece.len()
            && rest
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| word.chars().any(char::is_alphabetic) && word.len() > 1)
                .count()
                <= 1;
        match out.last_mut() {
            Some(last) if only_citations => last.1 = end,
            _ => out.push((start, end)),
        }
    }
    out.into_iter().map(|(start, end)| &text[start..end]).collect()
}

fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut push = |from: usize, to: usize| {
        if !text[from..to].trim().is_empty() {
            out.push((from, to));
        }
    };
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, c)) in chars.iter().enumerate() {
        let next = chars.get(index + 1).map(|(_, next)| *next);
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                let word = text[start..*at]
                    .rsplit(|c: char| c.is_whitespace() || c == '(')
                    .next()
                    .unwrap_or_default();
                let listed = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
                next.is_none_or(char::is_whitespace) && !ABBREVIATIONS.contains(&word) && !listed
            }
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            push(start, end);
            start = end;
        }
    }
    push(start, text.len());
    out
}

/// Everything in a sentence that looks like a citation, in order.
fn mentions(text: &str, facts: &Facts) -> Vec<Mention> {
    let mut out: Vec<Mention> = hex_runs(text)
        .into_iter()
        .map(|(start, end)| Mention {
            start,
            end,
            reference: text[start..end].to_owned(),
            found: facts.title_of(&text[start..end]).map(|title| Citation {
                kind: CitationKind::Finding,
                reference: text[start..end].to_owned(),
                title,
            }),
        })
        .collect();
    for (start, _) in text.match_indices("OBL-") {
        let digits = text[start + 4..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let end = start + 4 + digits;
            let id = &text[start..end];
            out.push(Mention {
                start,
                end,
                reference: id.to_owned(),
                found: regulation().obligation(id).map(|obligation| Citation {
                    kind: CitationKind::Obligation,
                    reference: id.to_owned(),
                    title: obligation.title.clone(),
                }),
            });
        }
    }
    out.extend(articles(text));
    out.extend(annexes(text));
    out.sort_by_key(|mention| mention.start);
    let mut end = 0;
    out.retain(|mention| {
        let apart = mention.start >= end;
        if apart {
            end = mention.end;
        }
        apart
    });
    out
}

/// `Art. 50(1)`, `Article 4a`, `Artikel 50`.
fn articles(text: &str) -> Vec<Mention> {
    let mut out = Vec::new();
    for name in ["Articles", "Article", "Artikel", "Art.", "Art", "article", "art."] {
        for (start, _) in text.match_indices(name) {
            let before = text[..start].chars().next_back();
            let rest = &text[start + name.len()..];
            let gap = rest.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
            let rest = &rest[gap..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 || digits > 3 || before.is_some_and(char::is_alphanumeric) {
                continue;
            }
            let letter = rest[digits..]
                .chars()
                .next()
                .filter(char::is_ascii_lowercase)
                .filter(|_| {
                    let after = rest[digits + 1..].chars().next();
                    !after.is_some_and(char::is_alphanumeric)
                });
            let number_end = digits + letter.map_or(0, char::len_utf8);
            let number = &rest[..number_end];
            let mut end = start + name.len() + gap + number_end;
            // Paragraphs and points in brackets belong to the provision.
            while let Some(part) = text[end..].strip_prefix('(') {
                let Some(close) = part.find(')').filter(|close| *close <= 4) else {
                    break;
                };
                end += close + 2;
            }
            let after: String = text[end..].chars().take(24).collect();
            let other = OTHER_LAWS.iter().any(|law| after.contains(law));
            let provision = text[start + name.len() + gap..end].to_owned();
            out.push(Mention {
                start,
                end,
                reference: if other {
                    format!("Art. {provision} of another law")
                } else {
                    format!("Art. {provision}")
                },
                found: regulation().article(number).filter(|_| !other).map(|article| Citation {
                    kind: CitationKind::Article,
                    reference: format!("Art. {provision}"),
                    title: article.title.clone(),
                }),
            });
        }
    }
    out
}

/// `Annex III`.
fn annexes(text: &str) -> Vec<Mention> {
    let mut out = Vec::new();
    for name in ["Annex ", "Anhang "] {
        for (start, _) in text.match_indices(name) {
            let rest = &text[start + name.len()..];
            let numerals = rest.bytes().take_while(|byte| b"IVX".contains(byte)).count();
            if numerals == 0 {
                continue;
            }
            let number = &rest[..numerals];
            out.push(Mention {
                start,
                end: start + name.len() + numerals,
                reference: format!("Annex {number}"),
                found: regulation().annex(number).map(|annex| Citation {
                    kind: CitationKind::Annex,
                    reference: format!("Annex {number}"),
                    title: annex.title.clone(),
                }),
            });
        }
    }
    out
}
