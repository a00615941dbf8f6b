//! Reads one file into its outline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_messages::{Language as Tongue, Messages};
use engine_model::{Language, SourceFile, Zone};

use crate::facts::{DocumentFacts, FrontMatter, SectionFacts};
use crate::substance::{Measure, Setting, measure};
use crate::words::{automaton, fold};
use crate::{dates, html, markdown, office, pdf_text, plain};

/// Bytes of a document that are read; the longest real one is far below.
const DOCUMENT_BYTES_MAX: usize = 1 << 20;
/// Headings of a document that are kept.
const OUTLINE_ENTRIES_MAX: usize = 1000;
/// Bytes of a heading that are kept.
const HEADING_BYTES_MAX: usize = 240;
/// Bytes of one block of text that are measured; longer ones are filled in any case.
const BLOCK_BYTES_MAX: usize = 32 * 1024;
/// Lines of front matter that are read.
const FRONT_LINES_MAX: usize = 200;
/// The value of `generatedBy` in the documents of this engine.
const OWN_GENERATOR: &str = "engine-documents";
/// How an open question begins in such a document, in each language.
static OPEN_QUESTION: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let starts: Vec<&str> = Tongue::ALL
        .iter()
        .map(|language| Messages::of(*language).question_mark().0.trim_end())
        .collect();
    automaton(&starts)
});

/// Whether a file can hold a document of the product.
pub fn wants(path: &str, language: Language, zone: Zone) -> bool {
    if !matches!(zone, Zone::Product | Zone::Docs) {
        return false;
    }
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    // The engine's own reports and exports are no evidence; the documents that people finish there are.
    let own = lower
        .split_once(".compliance/")
        .is_some_and(|(_, rest)| !rest.starts_with("documents/"));
    if own
        || name == "compliance.md"
        || name == "robots.txt"
        || name == "cmakelists.txt"
        || name.starts_with("requirements") && ending(name) == "txt"
    {
        return false;
    }
    match language {
        Language::Markup => true,
        Language::Html => matches!(ending(name), "html" | "htm"),
        // Word puts a file of this name beside each document that is open.
        _ => is_packed(name) && !name.starts_with("~$"),
    }
}

/// The outline of a file. Text that cannot be read gives an empty outline.
pub fn read(file: &SourceFile<'_>) -> DocumentFacts {
    let lower = file.path.to_ascii_lowercase();
    if is_packed(&lower) {
        return read_packed(&file.bytes, ending(&lower) == "docx");
    }
    let Some(text) = file.text() else {
        return DocumentFacts::default();
    };
    let mut builder = Builder::default();
    let text = cut(&text, DOCUMENT_BYTES_MAX, &mut builder.facts.truncated);
    let (front, front_lines, body) = front_matter(text);
    builder.facts.front = front;
    match ending(&lower) {
        "html" | "htm" => html::outline(body, front_lines, &mut builder),
        "rst" => plain::outline(body, front_lines, plain::Flavour::Rst, &mut builder),
        "adoc" | "asciidoc" => plain::outline(body, front_lines, plain::Flavour::AsciiDoc, &mut builder),
        "txt" => plain::outline(body, front_lines, plain::Flavour::Text, &mut builder),
        _ => markdown::outline(body, front_lines, &mut builder),
    }
    described(builder.finish(), text)
}

/// Whether a name is that of a Word or PDF document.
fn is_packed(name: &str) -> bool {
    matches!(ending(name), "docx" | "pdf")
}

/// The outline of a Word or PDF document.
fn read_packed(bytes: &[u8], word: bool) -> DocumentFacts {
    let mut builder = Builder::default();
    let (text, unread) = if word {
        office::outline(bytes, &mut builder)
    } else {
        pdf_text::outline(bytes, &mut builder)
    };
    builder.facts.unread = unread;
    builder.facts.truncated |= unread.is_some();
    described(builder.finish(), &text)
}

/// The outline with what the whole text tells.
fn described(mut facts: DocumentFacts, text: &str) -> DocumentFacts {
    let folded = fold(text);
    facts.dates = dates::read(text, &folded);
    facts.cites_act = CITES_ACT.is_match(&folded);
    facts.speaks_of_ai = facts.cites_act || speaks_of_ai(text, &folded);
    facts.language = language_of(text);
    facts
}

/// What follows the last stop of a name in lower case.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn cut<'a>(text: &'a str, max: usize, truncated: &mut bool) -> &'a str {
    if text.len() <= max {
        return text;
    }
    *truncated = true;
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Reads the front matter, if there is one, and gives the number of its lines and the text after it.
fn front_matter(text: &str) -> (FrontMatter, u32, &str) {
    let mut front = FrontMatter::default();
    let mut lines = text.split_inclusive('\n');
    let Some(fence @ ("---" | "+++")) = lines.next().map(str::trim_end) else {
        return (front, 0, text);
    };
    let mut offset = text.find('\n').map_or(text.len(), |at| at + 1);
    let mut count = 1;
    let mut marks_of_article = 0;
    let mut found = FrontMatter::default();
    for line in lines.take(FRONT_LINES_MAX) {
        offset += line.len();
        count += 1;
        let line = line.trim_end();
        if line == fence {
            front = found;
            front.article |= marks_of_article >= 2;
            return (front, count, &text[offset..]);
        }
        let Some((key, value)) = line.split_once([':', '=']) else {
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']).trim();
        match key.trim().to_ascii_lowercase().replace(['-', '_'], "").as_str() {
            "title" if !value.is_empty() => found.title = Some(value.chars().take(HEADING_BYTES_MAX).collect()),
            "doctype" | "documenttype" if !value.is_empty() => found.doc_type = Some(value.to_ascii_lowercase()),
            "status" | "state" if !value.is_empty() => found.status = Some(value.to_ascii_lowercase()),
            "generatedby" | "aigenerated" | "generator" | "generated" => {
                found.generated |= !matches!(value, "" | "false" | "no" | "none");
                found.own |= value == OWN_GENERATOR;
            }
            "layout" => found.article |= matches!(value, "post" | "blog" | "article" | "news"),
            "tags" | "categories" | "author" | "authors" | "slug" | "permalink" | "excerpt" | "canonicalurl" => {
                marks_of_article += 1;
            }
            _ => {}
        }
    }
    (front, 0, text)
}

/// Collects the outline while a reader of one format walks through the text.
#[derive(Default)]
pub(crate) struct Builder {
    facts: DocumentFacts,
    current: SectionFacts,
    seen: BTreeSet<String>,
}

impl Builder {
    /// Opens the section of a heading.
    pub(crate) fn heading(&mut self, level: u8, text: &str, line: u32) {
        let heading = heading_text(text);
        if heading.is_empty() {
            return;
        }
        if self.facts.sections.len() >= OUTLINE_ENTRIES_MAX {
            self.facts.truncated = true;
            return;
        }
        self.close();
        self.current = SectionFacts {
            level: level.max(1),
            heading,
            line,
            ..SectionFacts::default()
        };
    }

    /// Takes a comment for the mark of the section whose heading was read last; only in a document that names its type.
    pub(crate) fn mark(&mut self, comment: &str) {
        let current = &mut self.current;
        let at_heading = current.level > 0 && current.words == 0 && current.placeholders == 0 && current.open == 0;
        if at_heading && current.key.is_none() && self.facts.front.doc_type.is_some() {
            current.key = section_key(comment).map(str::to_owned);
        }
    }

    /// Whether quotations are the text of this engine.
    pub(crate) fn leaves_out_quotations(&self) -> bool {
        self.facts.front.own
    }

    /// Counts the open questions in a text of this engine.
    fn count_open(&mut self, text: &str) {
        if self.facts.front.own {
            let open = u32::try_from(OPEN_QUESTION.find_iter(text).count()).unwrap_or(u32::MAX);
            self.current.open = self.current.open.saturating_add(open);
        }
    }

    /// Adds running text.
    pub(crate) fn text(&mut self, text: &str, setting: Setting) {
        self.count_open(text);
        let found = self.measure(text, setting);
        self.add(&found);
    }

    /// Adds an item of a list.
    pub(crate) fn item(&mut self, text: &str, setting: Setting) {
        self.count_open(text);
        let found = self.measure(text, setting);
        if found.words >= 2 && found.placeholders == 0 {
            self.current.items = self.current.items.saturating_add(1);
        }
        self.add(&found);
    }

    /// Adds something that waits to be filled in: an open box, an unknown tag.
    pub(crate) fn hole(&mut self) {
        self.current.placeholders = self.current.placeholders.saturating_add(1);
    }

    /// Adds a row of a table; a header names what should stand there and is no substance.
    pub(crate) fn row(&mut self, cells: &[String]) {
        if let [cell] = cells {
            self.item(cell, Setting::Plain);
            return;
        }
        let mut filled = false;
        let mut found = Vec::with_capacity(cells.len());
        for (index, cell) in cells.iter().enumerate() {
            self.count_open(cell);
            let measured = self.measure(cell, Setting::Plain);
            filled |= index > 0 && measured.placeholders == 0 && measured.words + measured.numbers > 0;
            found.push(measured);
        }
        for measured in found {
            if filled {
                self.add(&measured);
            } else {
                self.current.placeholders = self.current.placeholders.saturating_add(measured.placeholders);
            }
        }
        if filled {
            self.current.rows = self.current.rows.saturating_add(1);
        }
    }

    /// Adds a block of code.
    pub(crate) fn code(&mut self, text: &str) {
        for line in text.lines().take(1000) {
            let found = self.measure(line, Setting::Plain);
            if found.placeholders > 0 {
                self.hole();
            } else if line.chars().any(char::is_alphanumeric) {
                self.current.code_lines = self.current.code_lines.saturating_add(1);
            }
        }
    }

    fn measure(&mut self, text: &str, setting: Setting) -> Measure {
        measure(cut(text, BLOCK_BYTES_MAX, &mut self.facts.truncated), setting)
    }

    fn add(&mut self, found: &Measure) {
        let current = &mut self.current;
        current.words = current.words.saturating_add(found.words);
        current.placeholders = current.placeholders.saturating_add(found.placeholders);
        current.numbers = current.numbers.saturating_add(found.numbers);
        for word in &found.seen {
            if self.seen.len() >= 32 {
                break;
            }
            if !self.seen.contains(word) {
                self.seen.insert(word.clone());
            }
        }
    }

    fn close(&mut self) {
        self.current.distinct = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        self.seen.clear();
        let closed = std::mem::take(&mut self.current);
        if closed.level == 0 {
            self.facts.preamble = closed;
        } else {
            self.facts.sections.push(closed);
        }
    }

    fn finish(mut self) -> DocumentFacts {
        self.close();
        self.facts
    }
}

/// The key in a comment such as `<!-- section: purpose -->`.
fn section_key(comment: &str) -> Option<&str> {
    let inner = comment.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let key = inner.trim().strip_prefix("section:")?.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!key.is_empty() && key.len() <= HEADING_BYTES_MAX && key.chars().all(plain)).then_some(key)
}

/// A heading without its number, marks and anchors.
fn heading_text(text: &str) -> String {
    let mut text = text.trim().trim_matches(['#', '*', '_', '=', '`', ' ']).trim();
    // `3.`, `3.2`, `§ 3`, `(a)`, `A.`: numbers of sections say nothing about the meaning.
    loop {
        let rest = text.trim_start_matches(['§', ' ', '\t']);
        let Some((first, after)) = rest.split_once(|c: char| c.is_whitespace()) else {
            break;
        };
        let core = first.trim_matches(['(', ')', '.', ':', '-']);
        let number = !core.is_empty() && core.chars().all(|c| c.is_ascii_digit() || c == '.');
        let letter = core.len() == 1 && first.len() > 1 && core.chars().all(char::is_alphabetic);
        let roman = first.ends_with('.') && !core.is_empty() && core.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
        if !(number || letter || roman) {
            text = rest;
            break;
        }
        text = after.trim_start_matches([' ', '–', '-', ':']);
    }
    let mut out: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut ignored = false;
    let kept = cut(&out, HEADING_BYTES_MAX, &mut ignored).len();
    out.truncate(kept);
    out
}

/// Words that tell by themselves that a text is about AI, folded.
const AI_PHRASES: &[&str] = &[
    "artificial intelligence",
    "machine learning",
    "language model",
    "kunstliche intelligenz",
    "kunstlicher intelligenz",
    "intelligence artificielle",
    "inteligencia artificial",
    "intelligenza artificiale",
    "sztucznej inteligencji",
    "sztuczna inteligencja",
    "kunstmatige intelligentie",
    "chatbot",
    "2024/1689",
    "neural network",
    "the model",
    "des modells",
    "du modele",
    "del modelo",
    "del modello",
    "het model",
    "prompt",
];

/// Names of the Act, folded.
const ACT_PHRASES: &[&str] = &[
    "ai act",
    "2024/1689",
    "ki-verordnung",
    "ki-vo",
    "annex iv",
    "anhang iv",
    "annexe iv",
    "reglement sur l'ia",
    "reglement sur l'intelligence",
    "reglamento de ia",
    "reglamento de inteligencia",
    "regolamento sull'ia",
    "regolamento sull'intelligenza",
    "ai-verordening",
    "akt w sprawie sztucznej",
    "akt o sztucznej",
];

static CITES_ACT: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(ACT_PHRASES));
static NAMES_AI: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(AI_PHRASES));

fn speaks_of_ai(text: &str, folded: &str) -> bool {
    let short = text
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "AI" | "KI" | "IA" | "LLM" | "LLMs" | "GPAI" | "GPT" | "ML"));
    short || NAMES_AI.is_match(folded)
}

/// Common words that tell a language; each list is for one code.
const COMMON: &[(&str, &[&str])] = &[
    (
        "en",
        &["the", "and", "of", "is", "are", "with", "that", "for", "by", "not"],
    ),
    (
        "de",
        &[
            "der", "die", "und", "das", "ist", "werden", "mit", "nicht", "für", "wird",
        ],
    ),
    (
        "fr",
        &["le", "les", "des", "est", "et", "une", "pour", "dans", "sont", "du"],
    ),
    (
        "es",
        &["el", "los", "las", "es", "y", "una", "para", "por", "con", "del"],
    ),
    (
        "it",
        &["il", "gli", "di", "è", "e", "una", "per", "con", "della", "sono"],
    ),
    (
        "nl",
        &["het", "een", "van", "en", "is", "zijn", "voor", "niet", "wordt", "op"],
    ),
    (
        "pl",
        &["się", "jest", "nie", "oraz", "przez", "w", "z", "na", "do", "są"],
    ),
];

/// Words that are looked at to tell the language.
const LANGUAGE_WORDS_MAX: usize = 3000;

/// The common words with the languages that they tell, as bits.
static TELLING: LazyLock<BTreeMap<&str, u8>> = LazyLock::new(|| {
    let mut out = BTreeMap::new();
    for (index, (_, words)) in COMMON.iter().enumerate() {
        for word in *words {
            *out.entry(*word).or_default() |= 1 << index;
        }
    }
    out
});
/// Bytes of the longest of them.
const COMMON_BYTES_MAX: usize = 6;

fn language_of(text: &str) -> Option<String> {
    let telling = &*TELLING;
    let mut counts = [0_u32; COMMON.len()];
    for word in text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(LANGUAGE_WORDS_MAX)
    {
        if word.len() > COMMON_BYTES_MAX {
            continue;
        }
        let languages = telling.get(word.to_lowercase().as_str()).copied().unwrap_or(0);
        for (index, count) in counts.iter_mut().enumerate() {
            *count += u32::from(languages >> index & 1);
        }
    }
    let (index, count) = counts
        .iter()
        .enumerate()
        .max_by_key(|(index, count)| (**count, usize::MAX - index))?;
    (*count >= 3).then(|| COMMON[index].0.to_owned())
}
