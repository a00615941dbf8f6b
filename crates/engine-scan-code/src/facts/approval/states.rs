//! Whether a record that is `pending` waits for a person, or for the program itself.

use std::rc::Rc;

use engine_model::Zone;
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use crate::memo::Memo;
use crate::world::World;

/// States of a job: nobody sets them by hand.
const OF_A_JOB: [&str; 20] = [
    "active",
    "processing",
    "processed",
    "in_progress",
    "running",
    "done",
    "complete",
    "completed",
    "finished",
    "ready",
    "success",
    "succeeded",
    "failed",
    "failure",
    "error",
    "indexed",
    "embedded",
    "parsed",
    "uploaded",
    "synced",
];

/// States that somebody who decides gives.
const OF_A_PERSON: [&str; 16] = [
    "approv", "reject", "accept", "declin", "denied", "confirm", "publish", "review", "releas", "dismiss", "granted",
    "refus", "signed", "resolved", "sent", "hired",
];

/// Whether states of jobs, and such that people give, are written or asked for.
#[derive(Clone, Copy, Default)]
struct Known {
    jobs: bool,
    people: bool,
}

impl Known {
    const fn is_of_jobs(self) -> Option<bool> {
        match self {
            Self { people: true, .. } => Some(false),
            Self { jobs: true, .. } => Some(true),
            _ => None,
        }
    }

    fn add(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        self.jobs |= OF_A_JOB.contains(&lower.as_str());
        self.people |= OF_A_PERSON.iter().any(|word| lower.contains(word));
    }
}

/// What the states of a project are called.
pub(super) struct States<'w, 'm> {
    world: &'w World<'m>,
    units: Memo<u32, Rc<Known>>,
    project: std::cell::OnceCell<Known>,
}

impl<'w, 'm> States<'w, 'm> {
    pub(super) fn new(world: &'w World<'m>) -> Self {
        Self {
            world,
            units: Memo::default(),
            project: std::cell::OnceCell::new(),
        }
    }

    /// Whether a state only tells how far the program has come: a bare `pending` that the program itself follows by `active` or `done`, and
    /// nobody by `approved` or `rejected`. The states of its file count first.
    pub(super) fn is_of_a_job(&self, unit: u32, value: &Expr) -> bool {
        let Expr::Str(text) = value else { return false };
        if !text.eq_ignore_ascii_case("pending") {
            return false;
        }
        self.of(unit).is_of_jobs().unwrap_or_else(|| {
            let all = self.project.get_or_init(|| {
                let mut all = Known::default();
                for unit in 0..crate::values::id(self.world.units.len()) {
                    if self.world.unit(unit).zone == Zone::Product {
                        let known = self.of(unit);
                        all.jobs |= known.jobs;
                        all.people |= known.people;
                    }
                }
                all
            });
            all.is_of_jobs().unwrap_or(false)
        })
    }

    fn of(&self, unit: u32) -> Rc<Known> {
        self.units.get_or(unit, || {
            let mut out = Known::default();
            let module = self.world.module(unit);
            let mut add = |id: ExprId| {
                if let Expr::Str(text) = module.expr(id) {
                    out.add(text);
                }
            };
            for info in &self.world.index(unit).stmts {
                if let StmtKind::Assign {
                    target: Pattern::Place(place),
                    value: Some(value),
                    ..
                } = &info.stmt.kind
                    && matches!(module.expr(*place), Expr::Member { name, .. } if is_state(name))
                {
                    add(*value);
                }
            }
            for expr in &module.exprs {
                match &expr.kind {
                    Expr::Map(entries) => {
                        for entry in entries {
                            let key = entry.key.map(|key| module.expr(key));
                            if matches!(key, Some(Expr::Str(key) | Expr::Name(key)) if is_state(key)) {
                                add(entry.value);
                            }
                        }
                    }
                    Expr::Call { args, .. } => {
                        for arg in args {
                            if arg.name.as_deref().is_some_and(is_state) {
                                add(arg.value);
                            }
                        }
                    }
                    _ => {}
                }
            }
            Rc::new(out)
        })
    }
}

/// Whether a field holds a state, by its name.
fn is_state(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with("status") || lower.ends_with("state")
}
