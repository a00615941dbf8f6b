//! The texts of one language: lookup, placeholders, counts, dates and numbers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;

use crate::{Counted, Key, Language};

/// The texts of one language.
#[derive(Debug)]
pub struct Messages {
    language: Language,
    texts: BTreeMap<String, String>,
}

static ALL: LazyLock<Vec<Messages>> = LazyLock::new(|| {
    Language::ALL
        .iter()
        .map(|language| Messages {
            language: *language,
            texts: read(&language.data().text()),
        })
        .collect()
});

#[expect(
    clippy::expect_used,
    reason = "the files are part of the program, and a test reads each of them"
)]
fn read(text: &str) -> BTreeMap<String, String> {
    engine_embed::from_toml(text).expect("a file of texts is a table of strings")
}

impl Messages {
    /// The texts of a language.
    pub fn of(language: Language) -> &'static Self {
        ALL.iter()
            .find(|messages| messages.language == language)
            .unwrap_or(&ALL[0])
    }

    /// Their language.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// A text without placeholders.
    pub fn text(&self, key: Key) -> &str {
        self.get(key.key()).unwrap_or(key.key())
    }

    /// A text with its placeholders filled in.
    pub fn fill(&self, key: Key, values: &[(&str, &str)]) -> String {
        filled(self.text(key), values)
    }

    /// A text for a number of things; the number itself is filled in.
    pub fn count(&self, key: Counted, number: u64) -> String {
        let form = if self.language.is_one(number) { "one" } else { "other" };
        let text = self.get(&format!("{}.{form}", key.key())).unwrap_or(key.key());
        filled(text, &[("count", &self.number(number))])
    }

    /// A text by its key in the data file.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    /// The texts below a prefix such as `page.`, by their whole keys.
    pub fn with_prefix<'m>(&'m self, prefix: &'m str) -> impl Iterator<Item = (&'m str, &'m str)> {
        self.texts
            .range(prefix.to_owned()..)
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(key, text)| (key.as_str(), text.as_str()))
    }

    /// The title of a kind of document. English titles are those of the law data, so there are none here.
    pub fn document_title(&self, id: &str) -> Option<&str> {
        self.get(&format!("document.{id}.title"))
    }

    /// The heading of a section of a document; in English there are none here.
    pub fn section_title(&self, id: &str, section: &str) -> Option<&str> {
        self.get(&format!("document.{id}.section.{section}"))
    }

    /// The name of a country by its code of two letters. English names are those of the law data, so there are none here.
    pub fn country(&self, code: &str) -> Option<&str> {
        self.get(&format!("country.{code}"))
    }

    /// What is before and after the label of an open question in a document.
    pub fn question_mark(&self) -> (&str, &str) {
        self.text(Key::DocMark).split_once("{label}").unwrap_or_default()
    }

    /// The head of a column of a table in a document, by its English words.
    pub fn column(&self, english: &str) -> Option<&str> {
        let slug: String = english
            .to_ascii_lowercase()
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-");
        self.get(&format!("doc.column.{slug}"))
    }

    /// A date in words, such as `28 November 2026`.
    pub fn date(&self, date: Date) -> String {
        let month = self.get(&format!("month.{:02}", date.month())).unwrap_or_default();
        let day = match (self.language, date.day()) {
            (Language::Fr, 1) => "1er".to_owned(),
            (_, day) => day.to_string(),
        };
        let year = date.year().to_string();
        self.fill(Key::DateFull, &[("day", &day), ("month", month), ("year", &year)])
    }

    /// A whole number.
    pub fn number(&self, number: u64) -> String {
        let digits = number.to_string();
        let mut out = String::with_capacity(digits.len() + digits.len() / 3);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                out.push(self.language.thousands());
            }
            out.push(digit);
        }
        out
    }

    /// A number with at most one decimal place.
    pub fn decimal(&self, number: f64) -> String {
        let text = format!("{number:.1}");
        let text = text.strip_suffix(".0").unwrap_or(&text);
        let text = if text == "-0" { "0" } else { text };
        text.replace('.', &self.language.decimal().to_string())
    }
}

/// A text with its placeholders filled in. Braces inside a value are left as they are; an unknown placeholder stays.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let Some(end) = from.find('}') else {
            out.push_str(from);
            return out;
        };
        let name = &from[1..end];
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => out.push_str(value),
            None => out.push_str(&from[..=end]),
        }
        rest = &from[end + 1..];
    }
    out.push_str(rest);
    out
}
