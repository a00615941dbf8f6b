//! What becomes of an answer about a person: a branch with a verdict, a field, an order of people, a reply, a message.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Effect, StepRole, StructureStep, Zone};
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use super::areas::{WORDS, flat, is_verdict};
use super::carried::{last_name, written_table};
use crate::calls::Found;
use crate::facts::effects::{is_check_of_success, sink};
use crate::facts::{callee_name, texts_in};
use crate::flow::Flow;
use crate::index::NONE;
use crate::values::ExprRef;
use crate::world::World;

/// Places kept per call; more say nothing new.
const STEPS_MAX: usize = 8;

/// Calls that put things into an order.
const ORDERS: [&str; 16] = [
    "sorted",
    "sort",
    "sort_values",
    "sort_by",
    "sort_by_key",
    "sort_unstable_by",
    "sortBy",
    "orderBy",
    "OrderBy",
    "OrderByDescending",
    "sortedByDescending",
    "sortedBy",
    "nlargest",
    "toSorted",
    "Slice",
    "rank",
];

/// The places, by index of the call whose answer reaches them.
pub(crate) type Places = BTreeMap<usize, Vec<StructureStep>>;

struct Finder<'a, 'w, 'm> {
    world: &'w World<'m>,
    flow: &'a Flow<'w, 'm>,
    found: &'a [Found],
    targets: &'a BTreeSet<usize>,
    out: Places,
}

/// Looks for what becomes of the answers of some calls.
pub(crate) fn find(world: &World<'_>, flow: &Flow<'_, '_>, found: &[Found], targets: &BTreeSet<usize>) -> Places {
    let mut finder = Finder {
        world,
        flow,
        found,
        targets,
        out: Places::new(),
    };
    if targets.is_empty() {
        return finder.out;
    }
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone == Zone::Product {
            finder.branches(unit);
            finder.calls(unit);
            finder.fields(unit);
        }
    }
    for steps in finder.out.values_mut() {
        steps.sort();
        steps.dedup();
        steps.truncate(STEPS_MAX);
    }
    finder.out
}

impl Finder<'_, '_, '_> {
    fn reached(&self, at: ExprRef) -> Vec<usize> {
        self.flow
            .origins(at)
            .answers
            .into_iter()
            .filter(|answer| self.targets.contains(answer))
            .collect()
    }

    fn add(&mut self, answers: &[usize], role: StepRole, reference: &str, at: ExprRef) {
        for answer in answers {
            let step = step(self.world, role, reference, at);
            self.out.entry(*answer).or_default().push(step);
        }
    }

    /// Branches on an answer, with a verdict in what they lead to.
    fn branches(&mut self, unit: u32) {
        let world = self.world;
        let conditions = world.index(unit).conditions.clone();
        for (condition, stmt) in conditions {
            let at = ExprRef(unit, condition);
            let answers = self.reached(at);
            if answers.is_empty() || is_check_of_success(world, self.flow, at) {
                continue;
            }
            if let Some(verdict) = verdict_of(world, at, stmt) {
                self.add(&answers, StepRole::Branch, &verdict, at);
            }
        }
    }

    fn calls(&mut self, unit: u32) {
        let world = self.world;
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let name = callee_name(world, at);
            let Expr::Call { callee, args, new } = world.expr(at) else {
                continue;
            };
            if ORDERS.contains(&name) && is_by_something(world, at) {
                let mut answers: BTreeSet<usize> = self.flow.of_arguments(at).answers;
                if let Expr::Member { object, .. } = world.expr(ExprRef(unit, *callee)) {
                    answers.extend(self.flow.origins(ExprRef(unit, *object)).answers);
                }
                let answers: Vec<usize> = answers.into_iter().filter(|at| self.targets.contains(at)).collect();
                self.add(&answers, StepRole::Ranking, name, at);
            }
            // A verdict that is given to a constructor by name.
            if *new || name.starts_with(char::is_uppercase) {
                for arg in args {
                    if let Some(field) = arg.name.as_deref() {
                        self.named(ExprRef(unit, arg.value), name, field);
                    }
                }
            }
            // A setter writes a field: `result.setRecommendation(x)`.
            if let (Some(field), Expr::Member { object, .. }, [arg]) = (
                name.strip_prefix("set")
                    .filter(|field| field.starts_with(char::is_uppercase)),
                world.expr(ExprRef(unit, *callee)),
                args.as_slice(),
            ) && is_verdict_field(field)
            {
                let owner = last_name(world, ExprRef(unit, *object)).unwrap_or("");
                if !matches!(owner, "response" | "res" | "request" | "") {
                    let answers = self.reached(ExprRef(unit, arg.value));
                    let mut chars = field.chars();
                    let field: String = chars
                        .next()
                        .map(|c| c.to_ascii_lowercase())
                        .into_iter()
                        .chain(chars)
                        .collect();
                    self.add(&answers, StepRole::Stored, &format!("{owner}.{field}"), at);
                }
            }
            match self.effect(at, name) {
                Some(Effect::Database) => {
                    let person = texts_in(world, at).into_iter().find_map(|text| {
                        let (table, columns) = written_table(text)?;
                        columns
                            .iter()
                            .find(|column| is_verdict_field(column))
                            .map(|column| format!("{table}.{column}"))
                    });
                    if let Some(place) = person {
                        let answers: Vec<usize> = self
                            .flow
                            .of_arguments(at)
                            .answers
                            .into_iter()
                            .filter(|at| self.targets.contains(at))
                            .collect();
                        self.add(&answers, StepRole::Stored, &place, at);
                    }
                }
                Some(Effect::Mail) => {
                    let answers: Vec<usize> = self
                        .flow
                        .of_arguments(at)
                        .answers
                        .into_iter()
                        .filter(|at| self.targets.contains(at))
                        .collect();
                    self.add(&answers, StepRole::Message, name, at);
                }
                _ => {}
            }
        }
    }

    /// The effect of a call, asked only where its name makes one likely: telling it needs resolution.
    fn effect(&self, at: ExprRef, name: &str) -> Option<Effect> {
        let lower = name.to_ascii_lowercase();
        let likely = [
            "exec", "query", "run", "update", "insert", "send", "mail", "message", "reply", "prepare", "create",
        ]
        .iter()
        .any(|word| lower.contains(word));
        if likely { sink(self.world, at, false) } else { None }
    }

    /// A value under a name that stands for a verdict or a rating: kept, where the answer is kept; else handed out.
    fn named(&mut self, value: ExprRef, owner: &str, field: &str) {
        // Requests, jobs and files have states too: these names count where they are a field of somebody.
        let of_anything = matches!(flat(field).as_str(), "status" | "stage" | "priority" | "outcome");
        if !is_verdict_field(field) || of_anything {
            return;
        }
        let answers = self.reached(value);
        for answer in answers {
            let effects = &self.found[answer].call.effects;
            let role = if effects.contains(&Effect::Database) {
                StepRole::Stored
            } else if effects.contains(&Effect::Page) {
                StepRole::Reply
            } else {
                continue;
            };
            let reference = if owner.is_empty() {
                field.to_owned()
            } else {
                format!("{owner}.{field}")
            };
            self.add(&[answer], role, &reference, value);
        }
    }

    /// Fields and keys with the name of a verdict or a rating into which an answer is written.
    fn fields(&mut self, unit: u32) {
        let world = self.world;
        let module = world.module(unit);
        let index = world.index(unit);
        for info in &index.stmts {
            let StmtKind::Assign {
                target: Pattern::Place(place),
                value: Some(value),
                ..
            } = &info.stmt.kind
            else {
                continue;
            };
            let (object, field) = match module.expr(*place) {
                Expr::Member { object, name } => (*object, name.to_string()),
                Expr::Index { object, key } => match module.expr(*key) {
                    Expr::Str(key) => (*object, key.to_string()),
                    _ => continue,
                },
                _ => continue,
            };
            let owner = last_name(world, ExprRef(unit, object)).unwrap_or("");
            if is_verdict_field(&field) && !matches!(owner, "self" | "this" | "os" | "environ" | "headers") {
                let at = ExprRef(unit, *value);
                let answers = self.reached(at);
                self.add(&answers, StepRole::Stored, &format!("{owner}.{field}"), at);
            }
        }
        for (id, node) in module.exprs.iter().enumerate() {
            if let Expr::Map(entries) = &node.kind
                && index.expr_scope[id] != NONE
            {
                for entry in entries {
                    if let Some(Expr::Str(key)) = entry.key.map(|key| module.expr(key)) {
                        self.named(ExprRef(unit, entry.value), "", key);
                    }
                }
            }
        }
    }
}

/// Whether things are put into an order by something of theirs; an order of texts by themselves ranks nobody.
fn is_by_something(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    args.iter().any(|arg| {
        matches!(arg.name.as_deref(), Some("key" | "by" | "columns" | "ascending"))
            || matches!(
                world.module(at.0).expr(arg.value),
                Expr::Function(_) | Expr::Str(_) | Expr::Name(_)
            ) && arg.name.is_none()
                && !matches!(callee_name(world, at), "sorted")
    })
}

/// Whether a field holds a verdict or a rating, by its name.
pub(super) fn is_verdict_field(name: &str) -> bool {
    let flat = flat(name);
    WORDS.verdicts.contains(&flat) || WORDS.ratings.contains(&flat) || WORDS.socialscores.contains(&flat)
}

/// A place as a step.
pub(crate) fn step(world: &World<'_>, role: StepRole, reference: &str, at: ExprRef) -> StructureStep {
    StructureStep {
        role,
        reference: reference.chars().take(80).collect(),
        file: world.unit(at.0).path.to_owned(),
        line: world.span(at).line,
    }
}

/// The verdict that a branch leads to: a text, a state or a variable with such a name.
fn verdict_of(world: &World<'_>, condition: ExprRef, stmt: u32) -> Option<String> {
    let unit = condition.0;
    let module = world.module(unit);
    let index = world.index(unit);
    let named = |id: ExprId| match module.expr(id) {
        Expr::Str(text) if is_verdict(text) => Some(text.to_string()),
        // A statement of SQL that writes the verdict: the text in quotes is the value.
        Expr::Str(text) if written_table(text).is_some() => text
            .split('\'')
            .skip(1)
            .step_by(2)
            .find(|value| is_verdict(value))
            .map(str::to_owned),
        Expr::Member { name, .. } if is_verdict(name) => Some(name.to_string()),
        _ => None,
    };
    if let Some(parent) = world.parent(condition)
        && let Expr::Choice {
            condition: Some(own),
            values,
        } = world.expr(parent)
        && *own == condition.1
    {
        return values.iter().find_map(|value| named(*value));
    }
    if stmt == NONE {
        return None;
    }
    // Everything below the statement, by the chain of statements above each expression.
    let below = |mut at: u32| {
        for _ in 0..60 {
            if at == NONE {
                return false;
            }
            if at == stmt {
                return true;
            }
            at = index.stmts[at as usize].parent;
        }
        false
    };
    // What is logged or raised is about the program, not about the person.
    let above = |id: ExprId| {
        id == condition.1
            || index.ancestors(id).iter().any(|above| {
                *above == condition.1 || {
                    let name = callee_name(world, ExprRef(unit, *above)).to_ascii_lowercase();
                    [
                        "log",
                        "warn",
                        "error",
                        "exception",
                        "debug",
                        "info",
                        "trace",
                        "print",
                        "fail",
                    ]
                    .iter()
                    .any(|word| name.contains(word))
                }
            })
            || matches!(
                index.expr_stmt[id.0 as usize],
                stmt if stmt != NONE && matches!(index.stmts[stmt as usize].stmt.kind, StmtKind::Raise(_))
            )
    };
    for id in 0..module.exprs.len() {
        let expr = ExprId(crate::values::id(id));
        if let Some(verdict) = named(expr)
            && below(index.expr_stmt[id])
            && !above(expr)
        {
            return Some(verdict);
        }
    }
    index.stmts.iter().enumerate().find_map(|(id, info)| {
        let StmtKind::Assign {
            target: Pattern::Name(name),
            ..
        } = &info.stmt.kind
        else {
            return None;
        };
        (WORDS.verdicts.contains(&flat(name)) && below(crate::values::id(id))).then(|| name.to_string())
    })
}
