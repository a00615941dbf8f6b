//! Whether a page asks a person before it calls the route behind which a decision takes effect.

use std::cell::OnceCell;

use engine_model::{EntryPointKind, Language, StepRole, StructureStep, Zone};

use super::forms::Pages;
use crate::entry::Entry;
use crate::project::is_script;
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

/// A question of a page, with what follows it.
struct Question {
    file: String,
    line: u32,
    after: String,
}

/// The questions of all pages, read when they are asked for.
pub(super) struct Confirmed<'a> {
    entries: &'a [Entry],
    pages: &'a Pages<'a>,
    questions: OnceCell<Vec<Question>>,
}

impl<'a> Confirmed<'a> {
    pub(super) const fn new(entries: &'a [Entry], pages: &'a Pages<'a>) -> Self {
        Self {
            entries,
            pages,
            questions: OnceCell::new(),
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
        let question = self.questions().iter().find(|question| {
            question.after.match_indices(&called).any(|(at, _)| {
                question.after[at + called.len()..]
                    .chars()
                    .next()
                    .is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_')
            })
        })?;
        Some(StructureStep {
            role: StepRole::Review,
            reference: "a page asks a person first".to_owned(),
            file: question.file.clone(),
            line: question.line,
        })
    }

    fn questions(&self) -> &[Question] {
        self.questions.get_or_init(|| {
            let mut out = Vec::new();
            let pages = self.pages.files.iter().map(|(info, _)| info).filter(|info| {
                info.zone == Zone::Product
                    && info.size <= BYTES_MAX
                    && (is_script(info.language) || info.language == Language::Html)
            });
            for info in pages.take(FILES_MAX) {
                let Some(file) = self.pages.source.file(&info.path) else {
                    continue;
                };
                let Some(text) = file.text() else { continue };
                for ask in ASKS {
                    for (at, _) in text.match_indices(ask) {
                        if out.len() < QUESTIONS_MAX {
                            out.push(Question {
                                file: info.path.clone(),
                                line: crate::values::id(text[..at].matches('\n').count() + 1),
                                after: text[at..].chars().take(NEAR_MAX).collect(),
                            });
                        }
                    }
                }
            }
            out
        })
    }
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
    use super::last_word;

    #[test]
    fn a_route_is_known_by_its_last_word() {
        assert_eq!(last_word("POST /:jobId/send-emails"), Some("send-emails"));
        assert_eq!(last_word("/decide/{id}"), Some("decide"));
        assert_eq!(last_word("/:id"), None);
    }
}
