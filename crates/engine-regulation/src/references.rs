//! References to provisions of the Act, read out of the short forms that the data and reports use.

use std::fmt;
use std::str::FromStr;

/// What kind of provision a reference names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provision {
    /// An article by its number, for example `4a`.
    Article(String),
    /// An annex by its Roman number.
    Annex(String),
    /// A chapter by its Roman number.
    Chapter(String),
}

/// A reference to a provision of the Act, for example `Art. 27(1)(a)` or `Annex III point 1(c)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArticleRef {
    /// The article, annex or chapter.
    pub provision: Provision,
    /// The section within an annex or a chapter.
    pub section: Option<String>,
    /// The paragraph of an article or the point of an annex, for example `1` or `1a`.
    pub paragraph: Option<String>,
    /// Points below the paragraph, outermost first.
    pub points: Vec<String>,
}

impl ArticleRef {
    fn new(provision: Provision) -> Self {
        Self {
            provision,
            section: None,
            paragraph: None,
            points: Vec::new(),
        }
    }

    /// The number of the article, if an article is meant.
    pub fn article(&self) -> Option<&str> {
        match &self.provision {
            Provision::Article(number) => Some(number),
            Provision::Annex(_) | Provision::Chapter(_) => None,
        }
    }

    /// The number of the annex, if an annex is meant.
    pub fn annex(&self) -> Option<&str> {
        match &self.provision {
            Provision::Annex(number) => Some(number),
            Provision::Article(_) | Provision::Chapter(_) => None,
        }
    }
}

impl fmt::Display for ArticleRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.provision {
            Provision::Article(number) => write!(formatter, "Art. {number}")?,
            Provision::Annex(number) => write!(formatter, "Annex {number}")?,
            Provision::Chapter(number) => write!(formatter, "Chapter {number}")?,
        }
        if let Some(section) = &self.section {
            write!(formatter, " Section {section}")?;
        }
        match (&self.provision, &self.paragraph) {
            (Provision::Article(_), Some(paragraph)) => write!(formatter, "({paragraph})")?,
            (_, Some(paragraph)) => write!(formatter, " point {paragraph}")?,
            (_, None) => {}
        }
        self.points.iter().try_for_each(|point| write!(formatter, "({point})"))
    }
}

/// A text that is not exactly one reference to the Act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseArticleRefError {
    text: String,
}

impl fmt::Display for ParseArticleRefError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` is not one reference to an article, annex or chapter",
            self.text
        )
    }
}

impl std::error::Error for ParseArticleRefError {}

impl FromStr for ArticleRef {
    type Err = ParseArticleRefError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut cursor = Cursor { text, position: 0 };
        let refs = cursor.references().unwrap_or_default();
        match <[Self; 1]>::try_from(refs) {
            Ok([reference]) if cursor.rest().is_empty() => Ok(reference),
            _ => Err(ParseArticleRefError { text: text.to_owned() }),
        }
    }
}

/// Every provision of the Act that a text cites, in reading order; ranges are spelled out where they can be.
///
/// References to other acts (`GDPR Art. 35`, `Regulation 2026/1744 Art. 1(5)`) are left out.
pub fn cited(text: &str) -> Vec<ArticleRef> {
    let mut found = Vec::new();
    let mut cursor = Cursor { text, position: 0 };
    while !cursor.rest().is_empty() {
        let start = cursor.position;
        let at_word = !text[..start].ends_with(|before: char| before.is_alphanumeric());
        if let Some(refs) = cursor.references().filter(|_| at_word) {
            if !names_another_act(&text[..start], cursor.rest()) {
                found.extend(refs);
            }
        } else {
            cursor.position = start;
            cursor.skip_character();
        }
    }
    found
}

/// Whether the words around a reference say that it belongs to another act.
fn names_another_act(before: &str, after: &str) -> bool {
    let mut words = before.split_whitespace().rev();
    let last = words.next().unwrap_or_default().trim_start_matches('(');
    let named = match last {
        "GDPR" => true,
        "Act" => words.next().is_some_and(|word| word.trim_start_matches('(') != "AI"),
        word => {
            word.contains('/')
                && word.starts_with(|first: char| first.is_ascii_digit())
                && !before.ends_with(['.', ';', ':'])
        }
    };
    let after = after.trim_start();
    named
        || ["GDPR", "of Regulation", "of Directive", "of the GDPR"]
            .iter()
            .any(|owner| after.starts_with(owner))
}

/// A reader over a text that only moves forward.
struct Cursor<'text> {
    text: &'text str,
    position: usize,
}

impl<'text> Cursor<'text> {
    fn rest(&self) -> &'text str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn eat(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.position += word.len();
        }
        there
    }

    fn eat_any(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.eat(word))
    }

    fn skip_character(&mut self) {
        self.position += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// Moves past a run of characters that ends at a word boundary, or stays.
    fn run(&mut self, allowed: impl Fn(char) -> bool, longest: usize) -> Option<&'text str> {
        let rest = self.rest();
        let end = rest.find(|character| !allowed(character)).unwrap_or(rest.len());
        let ends_word = !rest[end..].starts_with(char::is_alphanumeric);
        if end == 0 || end > longest || !ends_word {
            return None;
        }
        self.position += end;
        Some(&rest[..end])
    }

    fn roman(&mut self) -> Option<&'text str> {
        self.run(|character| matches!(character, 'I' | 'V' | 'X'), 5)
    }

    /// A number with at most one small letter behind it, such as `75c`.
    fn number(&mut self) -> Option<&'text str> {
        let start = self.position;
        let run = self.run(
            |character| character.is_ascii_digit() || character.is_ascii_lowercase(),
            4,
        )?;
        let digits = run.trim_end_matches(|character: char| character.is_ascii_lowercase());
        let fits = !digits.is_empty()
            && digits.len() <= 3
            && run.len() - digits.len() <= 1
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !fits {
            self.position = start;
        }
        fits.then_some(run)
    }

    /// One group in brackets, such as `(ba)` or `(1a)`.
    fn group(&mut self) -> Option<&'text str> {
        let inner = self.rest().strip_prefix('(')?;
        // The search is short, so that a row of opening brackets cannot make reading slow.
        let end = inner
            .bytes()
            .take(5)
            .position(|byte| byte == b')')
            .filter(|end| *end > 0)?;
        let group = &inner[..end];
        if !group
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
        {
            return None;
        }
        self.position += end + 2;
        Some(group)
    }

    /// The references behind a keyword at this place; none if there is no keyword or nothing follows it.
    fn references(&mut self) -> Option<Vec<ArticleRef>> {
        let mut found = Vec::new();
        if self.eat_any(&["Articles ", "Article ", "Arts. ", "Art. "]) {
            self.articles(&mut found);
        } else if self.eat_any(&["Annexes ", "Annex "]) {
            self.annexes(&mut found);
        } else if self.eat_any(&["Chapters ", "Chapter "]) {
            self.chapters(&mut found);
        }
        (!found.is_empty()).then_some(found)
    }

    /// Reads items with separators between them; an item that cannot be read ends the list before its separator.
    fn list(&mut self, found: &mut Vec<ArticleRef>, mut item: impl FnMut(&mut Self, &mut Vec<ArticleRef>) -> bool) {
        if !item(self, found) {
            return;
        }
        loop {
            let before_separator = self.position;
            let range = self.eat_any(&["-", "–", " to "]);
            if !range && !self.eat_any(&[", and ", ", ", " and ", " or "]) {
                return;
            }
            let first_new = found.len();
            if !item(self, found) {
                self.position = before_separator;
                return;
            }
            if range {
                let between = in_between(&found[first_new - 1], &found[first_new]);
                found.splice(first_new..first_new, between);
            }
        }
    }

    fn articles(&mut self, found: &mut Vec<ArticleRef>) {
        self.list(found, |cursor, found| {
            let current = match (cursor.number(), found.last()) {
                (Some(number), _) => ArticleRef::new(Provision::Article(number.to_owned())),
                (None, Some(last)) if cursor.rest().starts_with('(') => {
                    return cursor.groups(last.clone(), found, false);
                }
                (None, _) => return false,
            };
            cursor.groups(current, found, true)
        });
    }

    /// Reads the groups of one item onto a reference and files it, more than once where paragraphs stand side by side.
    fn groups(&mut self, mut current: ArticleRef, found: &mut Vec<ArticleRef>, fresh: bool) -> bool {
        let mut groups = 0;
        let mut paragraph_before = false;
        while let Some(group) = self.group() {
            let is_paragraph = group.starts_with(|first: char| first.is_ascii_digit());
            if is_paragraph {
                if paragraph_before {
                    found.push(current.clone());
                }
                current.paragraph = Some(group.to_owned());
                current.points.clear();
            } else {
                if groups == 0 && !fresh {
                    current.points.pop();
                }
                current.points.push(group.to_owned());
            }
            paragraph_before = is_paragraph;
            groups += 1;
        }
        let read = fresh || groups > 0;
        if read {
            found.push(current);
        }
        read
    }

    fn annexes(&mut self, found: &mut Vec<ArticleRef>) {
        self.list(found, |cursor, found| {
            let Some(roman) = cursor.roman() else { return false };
            let annex = ArticleRef::new(Provision::Annex(roman.to_owned()));
            let before = found.len();
            cursor.list(found, |cursor, found| cursor.annex_part(&annex, found, before));
            if found.len() == before {
                found.push(annex);
            }
            true
        });
    }

    /// One part of an annex: a section, a point, or both.
    fn annex_part(&mut self, annex: &ArticleRef, found: &mut Vec<ArticleRef>, before: usize) -> bool {
        let start = self.position;
        let mut part = annex.clone();
        self.eat(" ");
        if self.eat("Section ") || self.eat("s.") {
            let letters = |character: char| character.is_ascii_uppercase() || character.is_ascii_digit();
            part.section = self.run(letters, 1).map(str::to_owned);
        } else if let Some(section) = self.rest().chars().next().filter(|first| matches!(first, 'A'..='E'))
            && !self.rest()[1..].starts_with(char::is_alphanumeric)
        {
            self.position += 1;
            part.section = Some(section.to_string());
        } else if let Some(last) = found.get(before..).and_then(<[_]>::last) {
            part.section.clone_from(&last.section);
        }
        let named = part.section.is_some() && self.position > start + 1;
        let before_point = self.position;
        let pointed = self.eat_any(&[" points ", " point ", "points ", "point "]);
        if let Some(point) = self.number() {
            part.paragraph = Some(point.to_owned());
        } else if pointed {
            self.position = before_point;
        }
        let bracketed = self.rest().starts_with('(');
        if !named && part.paragraph.is_none() && !bracketed {
            self.position = start;
            return false;
        }
        if !self.groups(part.clone(), found, named || part.paragraph.is_some()) {
            self.position = start;
            return false;
        }
        true
    }

    fn chapters(&mut self, found: &mut Vec<ArticleRef>) {
        self.list(found, |cursor, found| {
            let Some(roman) = cursor.roman() else { return false };
            let chapter = ArticleRef::new(Provision::Chapter(roman.to_owned()));
            if !cursor.eat_any(&[" Sections ", " Section "]) {
                found.push(chapter);
                return true;
            }
            cursor.list(found, |cursor, found| {
                let Some(number) = cursor.number() else { return false };
                found.push(ArticleRef {
                    section: Some(number.to_owned()),
                    ..chapter.clone()
                });
                true
            });
            true
        });
    }
}

/// How many provisions a range may spell out; longer ones are foreign text and keep only their ends.
const RANGE_LENGTH_MAX: u32 = 150;

/// What lies between the ends of a range, where both ends count in the same way.
fn in_between(first: &ArticleRef, last: &ArticleRef) -> Vec<ArticleRef> {
    let numbers = |from: &str, to: &str| -> Vec<String> {
        match (from.parse::<u32>(), to.parse::<u32>()) {
            (Ok(from), Ok(to)) if to > from && to - from < RANGE_LENGTH_MAX => {
                (from + 1..to).map(|number| number.to_string()).collect()
            }
            _ => letters_between(from, to),
        }
    };
    match (&first.provision, &last.provision, &first.paragraph, &last.paragraph) {
        (Provision::Article(from), Provision::Article(to), None, None) => numbers(from, to)
            .into_iter()
            .map(|number| ArticleRef::new(Provision::Article(number)))
            .collect(),
        (Provision::Chapter(one), Provision::Chapter(other), None, None) if one == other => {
            match (&first.section, &last.section) {
                (Some(from), Some(to)) => numbers(from, to)
                    .into_iter()
                    .map(|number| ArticleRef {
                        section: Some(number),
                        ..first.clone()
                    })
                    .collect(),
                _ => Vec::new(),
            }
        }
        (one, other, Some(from), Some(to)) if one == other && first.points.is_empty() && last.points.is_empty() => {
            numbers(from, to)
                .into_iter()
                .map(|number| ArticleRef {
                    paragraph: Some(number),
                    ..first.clone()
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// `75b` and `75c` between `75a` and `75d`, or `1a` and `1b` between `1` and `1c`; nothing between other pairs.
fn letters_between(from: &str, to: &str) -> Vec<String> {
    let split = |text: &str| {
        let digits = text.trim_end_matches(|character: char| character.is_ascii_lowercase());
        (digits.to_owned(), text.as_bytes().get(digits.len()).copied())
    };
    let ((from_digits, from_letter), (to_digits, to_letter)) = (split(from), split(to));
    let Some(last) = to_letter.filter(|_| from_digits == to_digits) else {
        return Vec::new();
    };
    let first = from_letter.map_or(b'a', |letter| letter + 1);
    (first..last)
        .map(|letter| format!("{to_digits}{}", char::from(letter)))
        .collect()
}
