//! Whether a page asks a person for confirmation before it calls the route of a decision, or offers a human decision.

use std::cell::OnceCell;
use std::sync::Arc;

use engine_model::{EntryPointKind, FileInfo, Language, PersonArea, StepRole, StructureStep, Zone};

use super::areas::{WORDS, split};
use super::forms::Pages;
use crate::entry::Entry;
use crate::project::is_script;
use crate::readings::{Reading, Said};
use crate::world::World;

/// Pages that are read, and the longest that is.
const FILES_MAX: usize = 400;
const BYTES_MAX: u64 = 256 * 1024;
/// Characters after a question in which the route is called.
const NEAR_MAX: usize = 1_500;
/// Questions that are kept.
const QUESTIONS_MAX: usize = 500;

/// How pages ask.
const ASKS: [&str; 5] = [
    "confirm(",
    "confirmDialog",
    "showConfirm",
    "ConfirmDialog",
    "AlertDialogAction",
];

/// Characters of a choice, and of what stands before it in the tag that offers it.
const CHOICE_MAX: usize = 40;
const TAG_MAX: usize = 600;
/// Characters from a list of choices to what offers each of them.
const MAPPED_MAX: usize = 300;
/// Pages with choices that are kept.
const CHOICES_MAX: usize = 40;

/// Places of one such word that are looked at.
const MATCHES_MAX: usize = 200;

/// First words of a choice for somebody, and of one against, as orders: `Rejected` names a state, which may be the model's.
const FOR: [&str; 8] = [
    "accept",
    "approve",
    "proceed",
    "hire",
    "shortlist",
    "advance",
    "invite",
    "admit",
];
const AGAINST: [&str; 3] = ["reject", "decline", "deny"];

/// What is accepted or declined by those whom nobody decides about: cookies, terms, an offer that an applicant got.
const OWN: [&str; 8] = [
    "all",
    "cookie",
    "cookies",
    "terms",
    "offer",
    "invitation",
    "call",
    "changes",
];

/// Tags that offer a choice.
const OFFERS: [&str; 8] = [
    "<button",
    "<Button",
    "<option",
    "<Option",
    "<MenuItem",
    "<SelectItem",
    "<Radio",
    "<ToggleButton",
];

/// Names of what a list of choices holds.
const LABELS: [&str; 5] = ["label", "value", "text", "title", "name"];

/// A page that offers choices for and against, with the areas whose people it speaks of.
struct Choice {
    file: String,
    /// For each area its reference, with the line of the first choice.
    said: Arc<Said>,
}

/// The questions of all pages, read when they are asked for.
pub(super) struct Confirmed<'a> {
    entries: &'a [Entry],
    pages: &'a Pages<'a>,
    /// The pages that ask, with each question and what follows it.
    questions: OnceCell<Vec<(String, Arc<Said>)>>,
    choices: OnceCell<Vec<Choice>>,
}

impl<'a> Confirmed<'a> {
    pub(super) const fn new(entries: &'a [Entry], pages: &'a Pages<'a>) -> Self {
        Self {
            entries,
            pages,
            questions: OnceCell::new(),
            choices: OnceCell::new(),
        }
    }

    /// The question that a page asks before it calls the route in whose handler the first of these steps takes effect.
    pub(super) fn of(&self, world: &World<'_>, steps: &[StructureStep]) -> Option<StructureStep> {
        // The first of them is the one that is told of.
        let step = steps
            .iter()
            .find(|step| matches!(step.role, StepRole::Branch | StepRole::Stored | StepRole::Message))?;
        let unit = *world.by_path.get(step.file.as_str())?;
        let mut routes = self.entries.iter().filter(|entry| {
            entry.kind == EntryPointKind::Http
                && entry.function.is_some_and(|function| {
                    let span = world.function(function).span;
                    function.0 == unit && (span.line..=span.end_line.max(span.line)).contains(&step.line)
                })
        });
        routes.find_map(|entry| self.asked(last_word(&entry.name)?))
    }

    fn asked(&self, word: &str) -> Option<StructureStep> {
        let called = format!("/{word}");
        let calls = |after: &str| {
            after.match_indices(&called).any(|(at, _)| {
                let next = after[at + called.len()..].chars().next();
                next.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_')
            })
        };
        let questions = self.questions().iter();
        let mut questions = questions
            .flat_map(|(file, said)| said.lines.iter().map(move |(line, after)| (file, *line, after)))
            .take(QUESTIONS_MAX);
        let (file, line, _) = questions.find(|(_, _, after)| calls(after))?;
        Some(StructureStep {
            role: StepRole::Review,
            reference: "a page asks for confirmation first".to_owned(),
            file: file.clone(),
            line,
        })
    }

    /// The page on which a person decides about the people of an area: choices for and against somebody. What goes out to people
    /// by itself waits for none of them.
    pub(super) fn chosen(&self, area: PersonArea, steps: &[StructureStep]) -> Option<StructureStep> {
        if steps.iter().any(|step| step.role == StepRole::Message) {
            return None;
        }
        let (choice, line) = self.choices().iter().find_map(|choice| {
            let mut lines = choice.said.lines.iter();
            let (line, _) = lines.find(|(_, reference)| reference == area.reference())?;
            Some((choice, *line))
        })?;
        Some(StructureStep {
            role: StepRole::Review,
            reference: "a page with a human decision".to_owned(),
            file: choice.file.clone(),
            line,
        })
    }

    fn choices(&self) -> &[Choice] {
        self.choices.get_or_init(|| {
            let said = self.said(Reading::Choices).take(CHOICES_MAX);
            said.map(|(file, said)| Choice { file, said }).collect()
        })
    }

    /// The pages of the product that are read.
    fn files(&self) -> impl Iterator<Item = &'a FileInfo> {
        let pages = self.pages.files.iter().map(|(info, _)| *info).filter(|info| {
            info.zone == Zone::Product
                && info.size <= BYTES_MAX
                && (is_script(info.language) || info.language == Language::Html)
        });
        pages.take(FILES_MAX)
    }

    fn questions(&self) -> &[(String, Arc<Said>)] {
        self.questions
            .get_or_init(|| self.said(Reading::Questions).take(QUESTIONS_MAX).collect())
    }

    /// The pages that say something of a kind.
    fn said(&self, reading: Reading) -> impl Iterator<Item = (String, Arc<Said>)> {
        self.files().filter_map(move |info| {
            let said = self.pages.texts.said(reading, info);
            (!said.lines.is_empty()).then(|| (info.path.clone(), said))
        })
    }
}

/// Where a page asks a person, with what follows each question.
pub(crate) fn questions(text: &str) -> Vec<(u32, String)> {
    let places = ASKS.iter().flat_map(|ask| text.match_indices(ask));
    let asked = places.map(|(at, _)| (line_at(text, at), text[at..].chars().take(NEAR_MAX).collect()));
    asked.take(QUESTIONS_MAX).collect()
}

/// The areas whose people a page speaks of that offers choices for and against somebody, with the line of the first choice.
pub(crate) fn areas_of_choices(text: &str) -> Vec<(u32, String)> {
    let Some(at) = choices(text) else { return Vec::new() };
    let words: Vec<String> = split_all(text);
    let speaks = |area: &&super::areas::Area| words.iter().any(|word| area.names_record(word));
    let line = line_at(text, at);
    let areas = WORDS.areas().iter().filter(speaks);
    areas.map(|area| (line, area.id.reference().to_owned())).collect()
}

fn line_at(text: &str, at: usize) -> u32 {
    crate::values::id(text[..at].matches('\n').count() + 1)
}

/// Where a page offers choices for and against somebody: the place of the first of them.
fn choices(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let first = |words: &[&str]| words.iter().filter_map(|word| offered(text, &lower, word)).min();
    let against = first(&AGAINST)?;
    let before = first(&FOR)?;
    Some(against.min(before))
}

/// Where a page offers a choice that starts with a word.
fn offered(text: &str, lower: &str, word: &str) -> Option<usize> {
    lower
        .match_indices(word)
        .take(MATCHES_MAX)
        .map(|(at, _)| at)
        .find(|at| {
            let rest: String = text[*at..].chars().take(CHOICE_MAX + 1).collect();
            let end = rest.find(['"', '\'', '`', '<', '{', '\n']).unwrap_or(rest.len());
            let words = split(&rest[..end]);
            if rest[..end].chars().count() > CHOICE_MAX
                || words.first().is_none_or(|first| first != word)
                || words.iter().any(|word| OWN.contains(&word.as_str()))
            {
                return false;
            }
            let before = &text[..*at];
            match before.trim_end().chars().next_back() {
                Some('"' | '\'' | '`') => is_listed(text, before),
                Some('>' | '}') => is_in_offer(before),
                _ => false,
            }
        })
}

/// Whether a tag that offers a choice is open where a text ends, and chooses no part of what is shown.
fn is_in_offer(before: &str) -> bool {
    let near = tail(before, TAG_MAX);
    let open = OFFERS.iter().filter_map(|tag| near.rfind(tag)).max();
    open.is_some_and(|open| {
        let inside = &near[open..];
        !inside.contains("</") && !inside.contains("ilter")
    })
}

/// Whether a text ends at an entry of a list which the page makes into choices: `const CHOICES = [{ label: "`, and then
/// `CHOICES.map((choice) => <button …`.
fn is_listed(text: &str, before: &str) -> bool {
    let near = tail(before, TAG_MAX);
    let key = near[..near.len() - 1].trim_end();
    let entry = key
        .strip_suffix(':')
        .is_some_and(|key| LABELS.iter().any(|label| key.trim_end().ends_with(label)))
        || key.ends_with(['[', ',']);
    if !entry {
        return false;
    }
    let Some(list) = near.rfind("= [").map(|at| near[..at].trim_end()) else {
        return false;
    };
    // `const CHOICES: Choice[] = [`
    let list = list.rsplit(['\n', ';']).next().unwrap_or(list);
    let named = list.split(':').next().unwrap_or(list).trim_end();
    let name = named
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or("");
    if name.is_empty() {
        return false;
    }
    let called = format!("{name}.map(");
    text.match_indices(&called).take(8).any(|(at, _)| {
        let after: String = text[at..].chars().take(MAPPED_MAX).collect();
        !after.contains("ilter") && OFFERS.iter().any(|tag| after.contains(tag))
    })
}

/// The end of a text, of about so many bytes.
fn tail(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The words of the names in a page, each once.
fn split_all(text: &str) -> Vec<String> {
    let names: std::collections::BTreeSet<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .filter(|name| !name.is_empty())
        .collect();
    let words: std::collections::BTreeSet<String> = names.into_iter().flat_map(split).collect();
    words.into_iter().collect()
}

/// The last part of a route that is a word of its own: `send-emails` of `POST /:id/send-emails`.
fn last_word(route: &str) -> Option<&str> {
    /// Shorter ones stand for too much.
    const CHARS_MIN: usize = 4;
    route
        .rsplit(['/', ' '])
        .find(|part| !part.is_empty() && !part.starts_with([':', '{', '[', '<']))
        .filter(|part| part.len() >= CHARS_MIN)
}

#[cfg(test)]
mod tests {
    use super::{choices, last_word};

    #[test]
    fn a_page_offers_the_decision_of_a_person() {
        let buttons =
            "<div><button onClick={hire}>Hire</button>\n<button onClick={no}><X size={3} /> Reject</button></div>";
        assert_eq!(choices(buttons), buttons.find("Hire"));
        let list = "const CHOICES = [\n  { label: \"Proceed to the talk\", value: \"go\" },\n  { label: \"Decline\" }\n];\nCHOICES.map((choice) => (\n  <button key={choice.value}>{choice.label}</button>))";
        assert_eq!(choices(list), list.find("Proceed"));
        // What is shown of a verdict, and what chooses a part of a table, is no choice about anybody.
        let badge = "const COLOURS = [{ label: \"Hire\", colour: \"green\" }, { label: \"Reject\", colour: \"red\" }];\n<button onClick={close}>Close</button>";
        assert_eq!(choices(badge), None);
        let shown = "<button>{row.state === \"Reject\" ? \"Reject\" : \"Hire\"}</button>";
        assert_eq!(choices(shown), None);
        let states = "<select><option>Accepted</option><option>Rejected</option></select>";
        assert_eq!(choices(states), None);
        let filters = "<button onClick={() => setFilter('hire')}>Hire</button><button onClick={() => setFilter('no')}>Reject</button>";
        assert_eq!(choices(filters), None);
        let own = "<button>Accept offer</button><button>Decline offer</button>";
        assert_eq!(choices(own), None);
        let one = "<button>Approve</button><button>Later</button>";
        assert_eq!(choices(one), None);
    }

    #[test]
    fn a_route_is_known_by_its_last_word() {
        assert_eq!(last_word("POST /:jobId/send-emails"), Some("send-emails"));
        assert_eq!(last_word("/decide/{id}"), Some("decide"));
        assert_eq!(last_word("/:id"), None);
    }
}
