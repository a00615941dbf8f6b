//! Texts that name the maker of a model, or have the model introduce itself: weaker than a disclosure, but a hint.

use std::collections::BTreeMap;

use engine_model::Zone;
use engine_syntax::ir::{Expr, ExprId, StmtKind};

use super::reach::is_prompt_name;
use super::words::{introduces, is_picture_maker, is_visible_mark, may_name_maker, names_maker};
use super::{Notice, notice_at};
use crate::facts::{callee_name, notices, object_name, root_name};
use crate::index::NONE;
use crate::traces::is_docstring;
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Texts of one project that are kept; more say nothing new.
const HINTS_MAX: usize = 400;

/// What is known of such texts in a project.
#[derive(Default)]
pub(super) struct Hints {
    /// Texts that stand beside what is made, by unit.
    marks: BTreeMap<u32, Vec<ExprId>>,
    /// Texts that name the maker of a model wherever they stand, and prompts of their own that introduce it.
    named: Vec<(u32, Notice)>,
}

impl Hints {
    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.named.is_empty()
    }

    /// Looks at one text of the code.
    pub(super) fn look(&mut self, world: &World<'_>, unit: u32, id: ExprId, text: &str) {
        if world.unit(unit).zone != Zone::Product || self.named.len() + self.marks.len() >= HINTS_MAX {
            return;
        }
        if let Some(file) = world.paths.prompts.find(world.unit(unit).path, text)
            && introduces(&file.text)
        {
            let at = file.text.lines().position(introduces).unwrap_or(0);
            let said = file.text.lines().nth(at).unwrap_or("");
            let said = said
                .split(['"', '“', '”'])
                .skip(1)
                .step_by(2)
                .find(|said| super::tells_of_ai(said));
            self.named.push((
                unit,
                Notice {
                    file: file.path.clone(),
                    line: u32::try_from(at).unwrap_or(0) + 1,
                    text: notices::excerpt(said.unwrap_or("")),
                },
            ));
            return;
        }
        let titles = is_picture_maker(text);
        if !(titles || may_name_maker(text)) || !is_for_people(world, unit, id) {
            return;
        }
        if names_maker(text) {
            self.named.push((unit, sentence_at(world, unit, id)));
        }
        if (is_visible_mark(text) || titles && is_title(world, unit, id)) && !passes(world, unit, id) {
            self.marks.entry(unit).or_default().push(id);
        }
    }

    /// The text that is nearest to a call: in a function that leads to it, in its file, else the first.
    pub(super) fn of(
        &self,
        world: &World<'_>,
        at: ExprRef,
        functions: &[(u32, Option<FunctionRef>)],
        is_media: bool,
    ) -> Option<Notice> {
        let around = functions.iter().find_map(|(unit, function)| {
            let index = world.index(*unit);
            let marks = self.marks.get(unit)?.iter();
            let within = marks.filter(|id| match function {
                Some(function) => index.within(**id, function.1),
                None => index.function_of(**id).is_none(),
            });
            // A title or a line below the picture comes before what is said about having made one.
            let best = within.min_by_key(|id| !is_title(world, *unit, **id))?;
            Some(sentence_at(world, *unit, *best))
        });
        around.or_else(|| {
            let near = |unit: u32| {
                let (one, other) = (world.unit(unit).path, world.unit(at.0).path);
                one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
            };
            // Of what is made, only what stands in the same places, or on a page and speaks of such things: a line of a chat is about its answers.
            let beside = |unit: u32, text: &str| {
                !is_media
                    || functions.iter().any(|(around, _)| *around == unit)
                    || crate::flow::has_elements(world, unit) && notices::is_of_media(text)
            };
            let named = self
                .named
                .iter()
                .rev()
                .filter(|(unit, notice)| beside(*unit, &notice.text));
            let best = named.max_by_key(|(unit, _)| near(*unit))?;
            Some(best.1.clone())
        })
    }
}

/// The sentence of a text that names a maker, with the place of the text.
fn sentence_at(world: &World<'_>, unit: u32, id: ExprId) -> Notice {
    let whole = notice_at(world, unit, id);
    let Expr::Str(text) = world.module(unit).expr(id) else {
        return whole;
    };
    let sentence = text
        .split_inclusive(['.', '!', '?', '\n'])
        .find(|part| may_name_maker(part));
    Notice {
        text: sentence.map_or(whole.text, |sentence| notices::excerpt(sentence.trim())),
        ..whole
    }
}

/// Whether a text may be read by people: no note for a log, no failure, no remark of a function, no text under a name for prompts.
fn is_for_people(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    if is_docstring(world, unit, id) {
        return false;
    }
    let index = world.index(unit);
    let module = world.module(unit);
    let stmt = index.expr_stmt[id.0 as usize];
    if stmt != NONE {
        match &index.stmts[stmt as usize].stmt.kind {
            StmtKind::Raise(_) => return false,
            StmtKind::Assign { target, .. }
                if crate::flow::pattern_names(target)
                    .iter()
                    .any(|name| is_prompt_name(&name.to_ascii_lowercase())) =>
            {
                return false;
            }
            _ => {}
        }
    }
    let mut inner = id;
    for above in index.ancestors(id) {
        let named = match module.expr(above) {
            Expr::Call { args, .. } => {
                let name = callee_name(world, ExprRef(unit, above)).to_ascii_lowercase();
                let of_program = [
                    "log",
                    "warn",
                    "error",
                    "debug",
                    "info",
                    "trace",
                    "exception",
                    "print",
                    "require",
                    "import",
                ]
                .iter()
                .any(|word| name.contains(word));
                if of_program {
                    return false;
                }
                args.iter()
                    .find(|arg| arg.value == inner)
                    .and_then(|arg| arg.name.as_deref())
            }
            Expr::Map(entries) => {
                let key_of = |key: ExprId| match module.expr(key) {
                    Expr::Str(key) | Expr::Name(key) => Some(&**key),
                    _ => None,
                };
                // What stands beside the words for a model is a setting of the request.
                let mut keys = entries.iter().filter_map(|entry| key_of(entry.key?));
                if keys.any(|key| {
                    matches!(
                        key,
                        "system" | "messages" | "maxTokens" | "max_tokens" | "temperature" | "systemPrompt"
                    )
                }) {
                    return false;
                }
                let own = entries.iter().find(|entry| entry.value == inner);
                own.and_then(|entry| key_of(entry.key?))
            }
            _ => None,
        };
        if named.is_some_and(|name| {
            let lower = name.to_ascii_lowercase();
            is_prompt_name(&lower) && !lower.starts_with("descri")
                || matches!(lower.as_str(), "content" | "role" | "model")
        }) {
            return false;
        }
        inner = above;
    }
    true
}

/// Whether a text is shown for a moment and gone: a toast, a dialog, a note in a corner. It stays with nothing that was made.
fn passes(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    const PASSING: [&str; 8] = [
        "toast",
        "snackbar",
        "notification",
        "notifications",
        "notify",
        "alert",
        "notifier",
        "toaster",
    ];
    let passing = |name: &str| {
        engine_catalogue::words_of(name)
            .iter()
            .any(|word| PASSING.contains(&word.as_str()))
    };
    world.index(unit).ancestors(id).any(|above| {
        let at = ExprRef(unit, above);
        matches!(world.expr(at), Expr::Call { .. })
            && (passing(callee_name(world, at)) || passing(object_name(world, at)) || passing(root_name(world, at)))
    })
}

/// Whether a text stands under the name of a title or a line below something, or in a variable of such a name.
fn is_title(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    let index = world.index(unit);
    let module = index.module;
    let mut inner = id;
    for parent in index.ancestors(id) {
        let named = match module.expr(parent) {
            // `f"Generated: {prompt}"`
            Expr::Template(_) => {
                inner = parent;
                continue;
            }
            Expr::Call { args, .. } => args
                .iter()
                .find(|arg| arg.value == inner)
                .and_then(|arg| arg.name.as_deref()),
            Expr::Map(entries) => entries
                .iter()
                .find(|entry| entry.value == inner)
                .and_then(|entry| entry.key)
                .and_then(|key| match module.expr(key) {
                    Expr::Str(key) | Expr::Name(key) => Some(&**key),
                    _ => None,
                }),
            _ => None,
        };
        return named.is_some_and(is_title_name);
    }
    let stmt = index.expr_stmt[id.0 as usize];
    stmt != NONE
        && matches!(&index.stmts[stmt as usize].stmt.kind, StmtKind::Assign { target, value, .. }
            if *value == Some(inner) && crate::flow::pattern_names(target).into_iter().any(is_title_name))
}

fn is_title_name(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "title" | "caption" | "footer" | "header" | "text"
    )
}
