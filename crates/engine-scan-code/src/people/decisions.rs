//! Effects of an output about a person: a branch with a verdict, a field, a ranking, a reply, a message.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::{Effect, StepRole, StructureStep, Zone};
use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId, MapEntry, Pattern, StmtKind};

use super::areas::{WORDS, flat, is_verdict};
use super::call_inputs::{last_name, written_table};
use crate::calls::Found;
use crate::facts::effects::{is_check_of_success, sink};
use crate::facts::{callee_name, texts_in};
use crate::flow::{Answers, Flow};
use crate::index::{BindSource, NONE};
use crate::memo::Memo;
use crate::values::{ExprRef, Value};
use crate::world::World;

/// Places kept per call; more say nothing new.
const STEPS_MAX: usize = 8;

/// The places, by index of the call whose answer reaches them.
pub(crate) type Places = BTreeMap<usize, Vec<StructureStep>>;

struct Finder<'a, 'w, 'm> {
    world: &'w World<'m>,
    flow: &'a Flow<'w, 'm>,
    found: &'a [Found],
    targets: &'a BTreeSet<usize>,
    /// The first places of each.
    out: BTreeMap<usize, BTreeSet<StructureStep>>,
    /// Places among what is only gathered to choose from, which are told where there is no other.
    aside: BTreeMap<usize, StructureStep>,
    /// Expressions and assignments of a unit that stand for a verdict, by the statement in which they stand.
    verdicts: Memo<u32, Rc<Verdicts>>,
}

/// What stands for a verdict in one file.
#[derive(Default)]
struct Verdicts {
    /// Statement, expression and word, in order.
    exprs: Vec<(u32, ExprId, String)>,
    /// Assignments to a variable with such a name, in order.
    stmts: Vec<(u32, String)>,
}

/// Looks for what becomes of the answers of some calls.
pub(crate) fn find<'m>(world: &World<'m>, flow: &Flow<'_, 'm>, found: &[Found], targets: &BTreeSet<usize>) -> Places {
    let mut finder = Finder {
        world,
        flow,
        found,
        targets,
        out: BTreeMap::new(),
        aside: BTreeMap::new(),
        verdicts: Memo::default(),
    };
    if targets.is_empty() {
        return Places::new();
    }
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone == Zone::Product {
            finder.branches(unit);
            finder.calls(unit);
            finder.fields(unit);
        }
    }
    for (answer, step) in std::mem::take(&mut finder.aside) {
        let known = finder.out.entry(answer).or_default();
        let is_given = |step: &StructureStep| matches!(step.role, StepRole::Stored | StepRole::Reply);
        if !known.iter().any(is_given) {
            known.insert(step);
        }
    }
    finder
        .out
        .into_iter()
        .map(|(answer, steps)| (answer, steps.into_iter().collect()))
        .collect()
}

impl Finder<'_, '_, '_> {
    fn reached(&self, at: ExprRef) -> Vec<usize> {
        self.wanted(&self.flow.origins(at).answers)
    }

    fn wanted(&self, answers: &Answers) -> Vec<usize> {
        answers.iter().filter(|answer| self.targets.contains(answer)).collect()
    }

    /// Keeps a place where it is one of the first.
    fn add(&mut self, answers: &[usize], role: StepRole, reference: &str, at: ExprRef) {
        if answers.is_empty() {
            return;
        }
        let step = step(self.world, role, reference, at);
        for answer in answers {
            let known = self.out.entry(*answer).or_default();
            if known.len() >= STEPS_MAX && known.last().is_some_and(|last| *last <= step) {
                continue;
            }
            known.insert(step.clone());
            if known.len() > STEPS_MAX {
                known.pop_last();
            }
        }
    }

    fn verdicts(&self, unit: u32) -> Rc<Verdicts> {
        self.verdicts.get_or(unit, || {
            let index = self.world.index(unit);
            let mut out = Verdicts::default();
            for at in 0..index.module.exprs.len() {
                let (id, stmt) = (ExprId(crate::values::id(at)), index.expr_stmt[at]);
                if stmt != NONE
                    && let Some(verdict) = verdict_in(index.module, id)
                {
                    out.exprs.push((stmt, id, verdict));
                }
            }
            out.exprs.sort_unstable();
            for (id, info) in (0..).zip(&index.stmts) {
                if let StmtKind::Assign {
                    target: Pattern::Name(name),
                    ..
                } = &info.stmt.kind
                    && WORDS.verdicts.contains(&flat(name))
                {
                    out.stmts.push((id, name.to_string()));
                }
            }
            Rc::new(out)
        })
    }

    /// The verdict that a branch leads to: a text, a state or a variable with such a name.
    fn verdict_of(&self, condition: ExprRef, stmt: u32) -> Option<String> {
        let world = self.world;
        let unit = condition.0;
        let index = world.index(unit);
        if let Some(parent) = world.parent(condition)
            && let Expr::Choice {
                condition: Some(own),
                values,
            } = world.expr(parent)
            && *own == condition.1
        {
            return values.iter().find_map(|value| verdict_in(index.module, *value));
        }
        if stmt == NONE {
            return None;
        }
        // What is logged or raised is about the program, not about the person.
        let above = |id: ExprId| {
            id == condition.1
                || index.ancestors(id).any(|above| {
                    above == condition.1 || {
                        let name = callee_name(world, ExprRef(unit, above)).to_ascii_lowercase();
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
                            "toast",
                            "snackbar",
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
        // Everything below the statement.
        let verdicts = self.verdicts(unit);
        let below = index.stmts_below(stmt);
        let from = verdicts.exprs.partition_point(|(at, ..)| *at < below.start);
        let to = verdicts.exprs.partition_point(|(at, ..)| *at < below.end);
        let mut inside: Vec<(ExprId, &str)> = verdicts.exprs[from..to]
            .iter()
            .map(|(_, id, verdict)| (*id, verdict.as_str()))
            .collect();
        inside.sort_unstable();
        if !world.spend(unit, inside.len()) {
            return None;
        }
        if let Some((_, verdict)) = inside.into_iter().find(|(id, _)| !above(*id)) {
            return Some(verdict.to_owned());
        }
        let at = verdicts.stmts.partition_point(|(at, _)| *at < below.start);
        let (first, name) = verdicts.stmts.get(at)?;
        (*first < below.end).then(|| name.clone())
    }

    /// Branches on an answer, with a verdict in what they lead to.
    fn branches(&mut self, unit: u32) {
        let world = self.world;
        for (condition, stmt) in world.index(unit).conditions.iter().copied() {
            let at = ExprRef(unit, condition);
            let answers = self.reached(at);
            if answers.is_empty() || is_check_of_success(world, self.flow, at) {
                continue;
            }
            if let Some(verdict) = self.verdict_of(at, stmt) {
                self.add(&answers, StepRole::Branch, &verdict, at);
                continue;
            }
            // What a classifier finds of a person, told in words of any kind: one sentence for one class, another for the other.
            let classes: Vec<usize> = answers
                .into_iter()
                .filter(|answer| is_classifier(&self.found[*answer]))
                .collect();
            if !classes.is_empty()
                && let Some((text, shown)) = told_of_a_class(world, at, stmt)
            {
                self.add(&classes, StepRole::Reply, &text, shown);
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
            if super::rankings::ranks(world, at) {
                let mut answers = self.flow.of_arguments(at).answers.clone();
                if let Expr::Member { object, .. } = world.expr(ExprRef(unit, *callee)) {
                    answers.add(&self.flow.origins(ExprRef(unit, *object)).answers);
                }
                let answers = self.wanted(&answers);
                self.add(&answers, StepRole::Ranking, name, at);
            }
            // A verdict that is given to a constructor by name.
            if *new || name.starts_with(char::is_uppercase) {
                for arg in args {
                    if let Some(field) = arg.name.as_deref() {
                        self.named(ExprRef(unit, arg.value), name, field);
                    }
                }
                // Most languages give a verdict to a constructor by its place: `new MatchResult(resume, score, reason)`.
                if args.iter().any(|arg| arg.name.is_none()) {
                    for (field, value) in by_place(world, at) {
                        self.named(value, name, &field);
                    }
                }
            }
            // A template is filled by names: `render_template("index.html", prediction_text=text)`.
            if name.starts_with("render") {
                for arg in args {
                    if let Some(field) = arg.name.as_deref() {
                        self.classed(ExprRef(unit, arg.value), field);
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
                        let answers = self.wanted(&self.flow.of_arguments(at).answers);
                        self.add(&answers, StepRole::Stored, &place, at);
                    }
                }
                Some(Effect::Mail) => {
                    let answers = self.wanted(&self.flow.of_arguments(at).answers);
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

    /// A class of a person that is handed out under a name for any result: `{"prediction": model.predict(row)[0]}`.
    fn classed(&mut self, value: ExprRef, field: &str) {
        if !RESULTS.contains(&flat(field).as_str()) {
            return;
        }
        for answer in self.reached(value) {
            let found = &self.found[answer];
            if is_classifier(found) && found.call.effects.contains(&Effect::Page) {
                self.add(&[answer], StepRole::Reply, field, value);
            }
        }
    }

    /// A value under a name that stands for a verdict or a rating: kept, where the answer is kept; else handed out.
    fn named(&mut self, value: ExprRef, owner: &str, field: &str) {
        // Requests, jobs and files have states too: these names count where they are a field of somebody.
        let of_anything = matches!(flat(field).as_str(), "status" | "stage" | "priority" | "outcome");
        if !is_verdict_field(field)
            || of_anything
            || is_of_vectors(self.world, value, field)
            || is_of_passage(owner, field)
            || is_noted(self.world, value)
        {
            return;
        }
        // What is read back from what was just kept is what was kept there under that name.
        let kept = put_under_its_name(self.world, value).unwrap_or(value);
        let answers = self.reached(kept);
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
            if is_verdict_field(&field)
                && !matches!(owner, "self" | "this" | "os" | "environ" | "headers")
                && !is_of_passage(owner, &field)
            {
                let at = ExprRef(unit, *value);
                let answers = self.reached(at);
                self.add(&answers, StepRole::Stored, &format!("{owner}.{field}"), at);
            }
        }
        for (id, node) in module.exprs.iter().enumerate() {
            if let Expr::Map(entries) = &node.kind
                && index.expr_scope[id] != NONE
            {
                if is_reward(module, entries) {
                    continue;
                }
                let gathered = is_gathered(world, ExprRef(unit, ExprId(crate::values::id(id))));
                for entry in entries {
                    if let Some(Expr::Str(key)) = entry.key.map(|key| module.expr(key)) {
                        let value = ExprRef(unit, entry.value);
                        if gathered && is_verdict_field(key) {
                            for answer in self.reached(value) {
                                let step = step(world, StepRole::Reply, key, value);
                                self.aside.entry(answer).or_insert(step);
                            }
                        } else {
                            self.named(value, "", key);
                            self.classed(value, key);
                        }
                    }
                }
            }
        }
    }
}

/// Whether a value only stands in a note about the program: `console.warn("state", { score })`.
fn is_noted(world: &World<'_>, value: ExprRef) -> bool {
    /// Expressions around a value that are looked at.
    const ABOVE_MAX: usize = 3;
    let index = world.index(value.0);
    index.ancestors(value.1).take(ABOVE_MAX).any(|above| {
        let Expr::Call { callee, .. } = index.module.expr(above) else {
            return false;
        };
        let Expr::Member { object, name } = index.module.expr(*callee) else {
            return false;
        };
        let Expr::Name(owner) = index.module.expr(*object) else {
            return false;
        };
        matches!(
            (&**owner, &**name),
            (
                "console" | "logger" | "log" | "logging",
                "warn" | "warning" | "error" | "debug" | "info" | "trace"
            )
        )
    })
}

/// Whether a field holds the points of a store of vectors: `upsert(collection, { points })`. They are places in a space, not marks.
fn is_of_vectors(world: &World<'_>, value: ExprRef, field: &str) -> bool {
    /// Calls around a field that are looked at.
    const ABOVE_MAX: usize = 4;
    field == "points"
        && world.index(value.0).ancestors(value.1).take(ABOVE_MAX).any(|above| {
            let name = flat(callee_name(world, ExprRef(value.0, above)));
            [
                "upsert",
                "uploadpoints",
                "upsertpoints",
                "uploadcollection",
                "pointslist",
            ]
            .contains(&name.as_str())
        })
}

/// Whether a mark is that of a passage that was looked up, and says how near it is to what was asked: `doc["score"]`.
fn is_of_passage(owner: &str, field: &str) -> bool {
    const MARKS: [&str; 5] = ["score", "scores", "relevance", "rank", "similarity"];
    const PASSAGES: [&str; 10] = [
        "doc",
        "document",
        "chunk",
        "passage",
        "snippet",
        "node",
        "hit",
        "paragraph",
        "excerpt",
        "vector",
    ];
    MARKS.contains(&flat(field).as_str()) && PASSAGES.contains(&super::areas::noun(owner).as_str())
}

/// Whether a record describes what people collect: `{ badgeId, points, icon }`. Its points and its rank are those of the badge.
fn is_reward(module: &Module, entries: &[MapEntry]) -> bool {
    const REWARDS: [&str; 8] = [
        "badge",
        "badges",
        "achievement",
        "achievements",
        "trophy",
        "medal",
        "reward",
        "voucher",
    ];
    entries.iter().any(|entry| match entry.key.map(|key| module.expr(key)) {
        Some(Expr::Str(key) | Expr::Name(key)) => engine_catalogue::words_of(key)
            .iter()
            .any(|word| REWARDS.contains(&word.as_str())),
        _ => false,
    })
}

/// Whether a record only joins a list of its function that the function neither gives back nor hands on: it is there to be chosen from.
fn is_gathered(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let module = world.module(at.0);
    let Some(parent) = world.parent(at) else { return false };
    let Expr::Call { callee, .. } = world.expr(parent) else {
        return false;
    };
    let Expr::Member { object, name } = module.expr(*callee) else {
        return false;
    };
    let Expr::Name(list) = module.expr(*object) else {
        return false;
    };
    let Some(function) = index.named_function_of(at.1) else {
        return false;
    };
    if !matches!(&**name, "push" | "append" | "unshift" | "add") {
        return false;
    }
    // Every use of the list looks into it: `list.length`, `list[0]`, `list.sort(…)`.
    index.exprs_of(Some(function)).into_iter().all(|id| {
        let is_list = matches!(module.expr(id), Expr::Name(name) if name == list);
        !is_list
            || index.ancestors(id).next().is_some_and(|parent| {
                matches!(module.expr(parent), Expr::Member { object, .. } | Expr::Index { object, .. } if *object == id)
            })
    })
}

/// What a record was made of under the name by which it is read: the `level` of `create({ data: { level: rules.level } })` for
/// `record.level`.
fn put_under_its_name(world: &World<'_>, value: ExprRef) -> Option<ExprRef> {
    /// Maps in one another that are looked into.
    const DEPTH_MAX: u32 = 3;
    fn under(world: &World<'_>, at: ExprRef, name: &str, depth: u32) -> Option<ExprRef> {
        let Expr::Map(entries) = world.expr(at) else {
            return None;
        };
        let key_of = |key: Option<ExprId>| match world.expr(ExprRef(at.0, key?)) {
            Expr::Str(key) | Expr::Name(key) => Some(&**key),
            _ => None,
        };
        let own = entries.iter().find(|entry| key_of(entry.key) == Some(name));
        if let Some(entry) = own {
            return Some(ExprRef(at.0, entry.value));
        }
        let mut inner = entries.iter().filter(|_| depth < DEPTH_MAX);
        inner.find_map(|entry| under(world, ExprRef(at.0, entry.value), name, depth + 1))
    }
    let Expr::Member { object, name } = world.expr(value) else {
        return None;
    };
    let Expr::Name(record) = world.expr(ExprRef(value.0, *object)) else {
        return None;
    };
    let index = world.index(value.0);
    let mut scope = index.expr_scope[object.0 as usize];
    while scope != NONE {
        let here = &index.scopes[scope as usize];
        if let Some(bindings) = here.names.get(&**record) {
            let [binding] = bindings.as_slice() else { return None };
            let BindSource::Value(mut made) = binding.source else {
                return None;
            };
            if let Expr::Await(inner) = index.module.expr(made) {
                made = *inner;
            }
            let Expr::Call { args, .. } = index.module.expr(made) else {
                return None;
            };
            return args
                .iter()
                .find_map(|arg| under(world, ExprRef(value.0, arg.value), name, 0));
        }
        scope = here.parent;
    }
    None
}

/// The arguments that a constructor of the project takes by their place, with the names under which it takes them.
fn by_place(world: &World<'_>, at: ExprRef) -> Vec<(String, ExprRef)> {
    /// Constructors of one class.
    const MAKERS_MAX: usize = 6;
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return Vec::new();
    };
    let callee = world.without_types(ExprRef(at.0, *callee));
    let mut out = Vec::new();
    for value in world.eval(callee).iter() {
        let Value::Class(class) = value else { continue };
        let makers = world.constructor(*class);
        let mut names: Vec<Vec<&str>> = makers
            .iter()
            .take(MAKERS_MAX)
            .map(|maker| {
                let params = world.function(*maker).params.iter();
                params
                    .flat_map(|param| crate::flow::pattern_names(&param.pattern).into_iter().take(1))
                    .collect()
            })
            .collect();
        // A record or a class of data has no constructor of its own: its fields are taken in their order.
        if names.is_empty() {
            let node = world.module(class.0).class(class.1);
            names.push(node.fields.iter().map(|field| &*field.name).collect());
        }
        for names in names.into_iter().filter(|names| names.len() == args.len()) {
            for (field, arg) in names
                .iter()
                .zip(args)
                .filter(|(_, arg)| arg.name.is_none() && !arg.spread)
            {
                out.push(((*field).to_owned(), ExprRef(at.0, arg.value)));
            }
        }
    }
    out
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

/// Names for what a classifier gives, whatever it is about.
const RESULTS: [&str; 15] = [
    "prediction",
    "predictions",
    "predicted",
    "predictedclass",
    "predictiontext",
    "predictedlabel",
    "result",
    "results",
    "target",
    "label",
    "class",
    "category",
    "output",
    "message",
    "response",
];

/// Whether a call gives one of a few classes, and no words of its own.
fn is_classifier(found: &Found) -> bool {
    let last = found.call.symbol.rsplit('.').next().unwrap_or("");
    found.call.capabilities.is_empty()
        && matches!(last, "predict" | "predict_proba" | "predict_classes" | "predict_model")
        && matches!(found.call.provider.as_deref(), None | Some("local"))
}

/// The sentence that a branch on a class shows, with its place: where one class is told in words, and the other in other words.
fn told_of_a_class(world: &World<'_>, condition: ExprRef, stmt: u32) -> Option<(String, ExprRef)> {
    /// Words of the shortest sentence.
    const WORDS_MIN: usize = 3;
    let unit = condition.0;
    let index = world.index(unit);
    let module = index.module;
    if stmt == NONE {
        return None;
    }
    let StmtKind::If { .. } = &index.stmts[stmt as usize].stmt.kind else {
        return None;
    };
    let below = index.stmts_below(stmt);
    let mut told: Vec<(String, ExprRef)> = Vec::new();
    for at in 0..module.exprs.len() {
        let id = ExprId(crate::values::id(at));
        let Expr::Str(text) = module.expr(id) else { continue };
        if !below.contains(&index.expr_stmt[at]) || text.split_whitespace().count() < WORDS_MIN {
            continue;
        }
        // Shown, or given back, or kept under a name to be shown.
        let shown = match &index.stmts[index.expr_stmt[at] as usize].stmt.kind {
            StmtKind::Return(_) => true,
            StmtKind::Assign { value, .. } => *value == Some(id),
            _ => index
                .ancestors(id)
                .any(|above| sink(world, ExprRef(unit, above), false) == Some(Effect::Page)),
        };
        if shown {
            told.push((text.trim().to_string(), ExprRef(unit, id)));
        }
    }
    told.dedup_by(|one, other| one.0 == other.0);
    (told.len() >= 2).then(|| told.swap_remove(0))
}

/// Whether a field is a text about a verdict, or a count of them, and no verdict itself: `rejectionFeedback`, `interviewGuidance`.
fn is_about_one(name: &str) -> bool {
    const ABOUT: [&str; 22] = [
        "feedback",
        "guidance",
        "guide",
        "reason",
        "reasons",
        "message",
        "text",
        "email",
        "letter",
        "date",
        "at",
        "count",
        "note",
        "notes",
        "comment",
        "comments",
        "template",
        "url",
        "link",
        "questions",
        "tips",
        "summary",
    ];
    super::areas::split(name)
        .last()
        .is_some_and(|last| ABOUT.contains(&last.as_str()))
}

/// The verdict that an expression stands for by itself.
fn verdict_in(module: &Module, id: ExprId) -> Option<String> {
    match module.expr(id) {
        Expr::Str(text) if is_verdict(text) => Some(text.to_string()),
        // A statement of SQL that writes the verdict: the text in quotes is the value.
        Expr::Str(text) if written_table(text).is_some() => text
            .split('\'')
            .skip(1)
            .step_by(2)
            .find(|value| is_verdict(value))
            .map(str::to_owned),
        Expr::Member { name, .. } if is_verdict(name) && !is_about_one(name) => Some(name.to_string()),
        _ => None,
    }
}
