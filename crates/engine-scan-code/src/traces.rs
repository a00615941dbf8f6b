//! What data flow shows around a call where an article of the law speaks of it: whose record the answer is kept with,
//! where a face comes from, what a record of the call holds, who confirms.
//!
//! Every trace carries its places, so that a person can follow it. Words count only as names in the data flow of the
//! call: of fields, columns, parameters and receivers. Text for readers never makes one, but for notices to people.

mod local_playback;
mod stored_pictures;

pub(crate) use local_playback::first as played_in;

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::{Capabilities, NameKind, SourceKind, catalogue};
use engine_model::{CallKind, Capability, Effect, Evidence, EvidenceKind, Trace, TraceKind, Zone};
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use crate::calls::Found;
use crate::capabilities::{Sources, below};
use crate::facts::notices;
use crate::facts::{callee_name, is_logged, object_name, sink, texts_in};
use crate::flow::{Answers, Flow};
use crate::memo::Memo;
use crate::values::{ExprRef, FunctionRef, Value, id};
use crate::world::World;

/// Fields of one record that are looked at; a record of a person has fewer.
const FIELDS_MAX: usize = 64;

/// Expressions of one argument that are looked at.
const PARTS_MAX: usize = 300;

/// Characters of a statement in SQL that are read for names.
const SQL_CHARS_MAX: usize = 250;

/// Calls that show or write a line and keep nothing.
const SHOWS: [&str; 22] = [
    "print",
    "println",
    "puttext",
    "imshow",
    "info",
    "debug",
    "warning",
    "warn",
    "log",
    "error",
    "format",
    "str",
    "len",
    "range",
    "zip",
    "enumerate",
    "sorted",
    "min",
    "max",
    "fillText",
    "isinstance",
    "write_text_on_frame",
];

/// One part of a record: what it is called and what it holds.
struct Field<'m> {
    name: &'m str,
    value: ExprRef,
}

/// Things that are kept together.
struct Record<'m> {
    /// Names of the call, class, table or object that holds them.
    owner: String,
    at: ExprRef,
    fields: Box<[Field<'m>]>,
}

/// Gives the first text of a page that is of a kind: one text by itself, or all that one page shows, a line each.
type Pages<'a> = dyn Fn(bool, &dyn Fn(&str) -> bool) -> Option<Evidence> + 'a;

/// Fills in the traces of all records.
///
/// `pages` gives the first text of a page that is of a kind.
pub(crate) fn fill(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    sources: Option<&Sources<'_, '_>>,
    pages: &Pages<'_>,
    found: &mut [Found],
) {
    let set: Memo<(u32, usize), Option<ExprRef>> = Memo::default();
    for record in found.iter_mut() {
        loads(world, record);
        filters(world, &set, record);
        local_playback::mark(world, record);
    }
    let Some(sources) = sources else { return };
    let table = catalogue().capabilities();
    let wanted: Vec<usize> = (0..found.len())
        .filter(|at| {
            let call = &found[*at].call;
            call.kind == CallKind::Call
                && call.zone == Zone::Product
                && call
                    .capabilities
                    .iter()
                    .any(|known| known.is_biometric() || known.exposes_people())
        })
        .collect();
    if wanted.is_empty() {
        return;
    }
    for at in &wanted {
        inputs(world, sources, &mut found[*at]);
        watch_list(world, table, &mut found[*at]);
    }
    people(world, flow, table, &wanted, found);
    tables(world, flow, table, &wanted, found);
    stores(world, flow, table, &wanted, found);
    logs(world, flow, table, &wanted, found);
    let two = two_persons(world, table);
    let exposes = wanted
        .iter()
        .any(|at| found[*at].call.capabilities.iter().any(|known| known.exposes_people()));
    let notice = notice(world, table).or_else(|| {
        exposes
            .then(|| pages(false, &|text| table.tells_of_biometrics(text)))
            .flatten()
    });
    let named = if exposes && notice.is_none() {
        pages(false, &|text| table.names_biometrics(text))
            .or_else(|| named_in_code(world, table))
            .or_else(|| pages(true, &|page| table.names_biometrics_over(page)))
    } else {
        None
    };
    for at in wanted {
        let call = &mut found[at].call;
        if let (Some(place), true) = (&two, call.can(Capability::BiometricIdentification)) {
            add(call, TraceKind::TwoPersons, vec![place.clone()]);
        }
        if let (Some(place), true) = (&notice, call.capabilities.iter().any(|known| known.exposes_people())) {
            add(call, TraceKind::Notice, vec![place.clone()]);
        }
        if let (Some(place), true) = (&named, call.capabilities.iter().any(|known| known.exposes_people())) {
            add(call, TraceKind::NamedOnPage, vec![place.clone()]);
        }
        call.traces.sort();
    }
}

/// Adds a trace, one of each kind.
fn add(call: &mut engine_model::Call, kind: TraceKind, chain: Vec<Evidence>) {
    if call.traced(kind).is_none() {
        call.traces.push(Trace { kind, chain });
    }
}

fn evidence(world: &World<'_>, at: ExprRef, reference: impl Into<String>) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: reference.into(),
        file: Some(world.unit(at.0).path.to_owned()),
        line: Some(world.span(at).line),
        hash: None,
    }
}

fn own(record: &Found) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: record.call.symbol.clone(),
        file: Some(record.call.file.clone()),
        line: Some(record.call.line),
        hash: None,
    }
}

/// Whether a file of weights is read in a format that can run code.
fn loads(world: &World<'_>, record: &mut Found) {
    let Some(row) = catalogue().capabilities().unsafe_load(&record.call.symbol) else {
        return;
    };
    let mut reference = record.call.symbol.clone();
    if let Some(setting) = &row.unless {
        for call in std::iter::once(record.at).chain(record.path.calls()) {
            let values = world.argument(call, setting);
            if values.contains(&Value::Bool(true)) {
                return;
            }
            if values.contains(&Value::Bool(false)) {
                reference = format!("{}({setting}=False)", record.call.symbol);
            }
        }
    }
    // The answer is asked for elsewhere; what runs code is the reading of the file.
    let load = record
        .path
        .steps()
        .find(|(name, _)| name.starts_with("load") || name.starts_with("from_") || *name == "read_pickle");
    let place = match load {
        Some((_, call)) => evidence(world, call, reference),
        None => Evidence {
            reference,
            ..own(record)
        },
    };
    add(&mut record.call, TraceKind::RunsCodeOnLoad, vec![place]);
}

/// Whether the filter of a generator is switched off, where the call or its model is made or set.
fn filters(world: &World<'_>, set: &Memo<(u32, usize), Option<ExprRef>>, record: &mut Found) {
    if record.call.kind != CallKind::Call || !record.call.capabilities.iter().any(|known| known.is_media()) {
        return;
    }
    let is_off = |values: &[Value], off: &str| {
        values.iter().any(|value| match off {
            "null" => matches!(value, Value::Null | Value::Function(_)),
            "true" => *value == Value::Bool(true),
            _ => *value == Value::Bool(false),
        })
    };
    for (number, row) in catalogue().capabilities().filters().iter().enumerate() {
        let references = [
            row.name.clone(),
            format!("input.{}", row.name),
            format!("#1.input.{}", row.name),
            format!("arguments.{}", row.name),
            format!("extra_body.{}", row.name),
            format!("#0.{}", row.name),
        ];
        let mut calls = std::iter::once(record.at).chain(record.path.calls());
        let place = calls
            .find(|call| {
                references
                    .iter()
                    .any(|reference| is_off(&world.argument(*call, reference), &row.off))
            })
            .or_else(|| {
                set.get_or((record.at.0, number), || {
                    set_off(world, record.at.0, &row.name, &|values| is_off(values, &row.off))
                })
            });
        if let Some(place) = place {
            let chain = vec![own(record), evidence(world, place, row.name.clone())];
            add(&mut record.call, TraceKind::SafetyOff, chain);
        }
    }
}

/// The place where a setting of some object of a file is given a value of that kind: `pipe.safety_checker = None`.
fn set_off(world: &World<'_>, unit: u32, name: &str, is_off: &dyn Fn(&[Value]) -> bool) -> Option<ExprRef> {
    let index = world.index(unit);
    index.stmts.iter().find_map(|info| {
        let StmtKind::Assign {
            target: Pattern::Place(place),
            value: Some(value),
            ..
        } = &info.stmt.kind
        else {
            return None;
        };
        let at = ExprRef(unit, *value);
        let named = matches!(index.module.expr(*place), Expr::Member { name: known, .. } if **known == *name);
        (named && is_off(&world.eval(at))).then_some(at)
    })
}

/// Where the data comes from that a call is given.
fn inputs(world: &World<'_>, sources: &Sources<'_, '_>, record: &mut Found) {
    for (kind, at) in sources.reaching(record.at) {
        let kind = match kind {
            SourceKind::LiveCamera => TraceKind::LiveCamera,
            SourceKind::RemoteCamera => TraceKind::RemoteCamera,
            SourceKind::Crawled => TraceKind::CrawledPages,
            SourceKind::Picture => continue,
        };
        let chain = vec![evidence(world, at, callee_name(world, at)), own(record)];
        add(&mut record.call, kind, chain);
    }
}

/// Whether an identification compares against people who are searched for.
fn watch_list(world: &World<'_>, table: &Capabilities, record: &mut Found) {
    if !record.call.can(Capability::BiometricIdentification) {
        return;
    }
    let mut names = BTreeMap::new();
    crate::signals::carried(world, record.at, &mut names);
    let span = world.span(record.at).line;
    if let Expr::Call { args, .. } = world.expr(record.at) {
        for arg in args {
            for text in texts_in(world, ExprRef(record.at.0, arg.value)) {
                names.entry(text.to_owned()).or_insert(span);
            }
        }
    }
    let hit = names
        .iter()
        .find(|(name, _)| table.names(NameKind::WatchList, name))
        .map(|(name, line)| (name.clone(), *line));
    if let Some((name, line)) = hit {
        let place = Evidence {
            reference: name,
            line: Some(line),
            ..own(record)
        };
        let chain = vec![own(record), place];
        add(&mut record.call, TraceKind::WatchList, chain);
    }
}

/// Whose record the answers are kept with.
fn people(world: &World<'_>, flow: &Flow<'_, '_>, table: &Capabilities, wanted: &[usize], found: &mut [Found]) {
    let is_wanted = |answer: usize| wanted.binary_search(&answer).is_ok();
    let bound: Memo<usize, Says> = Memo::default();
    for record in records(world) {
        let holders: Vec<(usize, Answers)> = record
            .fields
            .iter()
            .enumerate()
            .map(|(at, field)| (at, flow.origins(field.value).answers.clone()))
            .filter(|(_, answers)| answers.iter().any(is_wanted))
            .collect();
        if holders.is_empty() {
            continue;
        }
        for (kinds, trace) in [
            (&[NameKind::Worker][..], TraceKind::WorkerRecord),
            (&[NameKind::Pupil][..], TraceKind::PupilRecord),
            (
                &[NameKind::Person, NameKind::Worker, NameKind::Pupil][..],
                TraceKind::PersonRecord,
            ),
        ] {
            let Some((identity, identifier)) = whose(world, table, &record, kinds) else {
                continue;
            };
            for (at, answers) in holders.iter().filter(|(at, _)| identity != Some(*at)) {
                let field = &record.fields[*at];
                let says = told(world, table, &bound, field);
                for answer in answers.iter().filter(|answer| is_wanted(*answer)) {
                    let call = &found[answer];
                    let kept = if trace == TraceKind::PersonRecord {
                        keeps_sensitive(call, says)
                    } else {
                        keeps_emotion(call, says)
                    };
                    if !kept || call.call.traced(trace).is_some() {
                        continue;
                    }
                    let label = if field.name.is_empty() {
                        dotted(world, field.value)
                    } else {
                        field.name.to_owned()
                    };
                    let chain = vec![own(call), evidence(world, field.value, label), identifier.clone()];
                    add(&mut found[answer].call, trace, chain);
                }
            }
        }
    }
}

/// The part of a record that names a person of that kind, or the record itself where its name does.
fn whose(
    world: &World<'_>,
    table: &Capabilities,
    record: &Record<'_>,
    kinds: &[NameKind],
) -> Option<(Option<usize>, Evidence)> {
    let names = |text: &str| kinds.iter().any(|kind| table.names(*kind, text));
    for (at, field) in record.fields.iter().enumerate() {
        // A constant text is for readers; what is stored under a name is what counts.
        let value = match world.expr(field.value) {
            Expr::Str(_) => String::new(),
            _ => dotted(world, field.value),
        };
        if let Some(label) = [field.name, value.as_str()].into_iter().find(|text| names(text)) {
            return Some((Some(at), evidence(world, field.value, label)));
        }
    }
    names(&record.owner).then(|| (None, evidence(world, record.at, record.owner.clone())))
}

/// What the names of a field speak of.
#[derive(Clone, Copy, Default)]
struct Says {
    emotion: bool,
    age_or_sex: bool,
    sensitive: bool,
}

impl Says {
    fn add(&mut self, table: &Capabilities, name: &str) {
        for word in engine_catalogue::words_of(name) {
            self.emotion |= matches!(
                word.as_str(),
                "emotion" | "emotions" | "mood" | "moods" | "expression" | "sentiment"
            );
            self.age_or_sex |= matches!(word.as_str(), "age" | "gender" | "sex");
        }
        self.sensitive |= table.names(NameKind::Sensitive, name);
    }

    fn join(&mut self, other: Self) {
        self.emotion |= other.emotion;
        self.age_or_sex |= other.age_or_sex;
        self.sensitive |= other.sensitive;
    }
}

/// What the names speak of that say what a field holds: its own, those of its value, and the keys that were read from the
/// answer.
fn told(world: &World<'_>, table: &Capabilities, bound: &Memo<usize, Says>, field: &Field<'_>) -> Says {
    let mut says = Says::default();
    says.add(table, field.name);
    says.add(table, &dotted(world, field.value));
    for text in texts_in(world, field.value) {
        says.add(table, text);
    }
    says.join(bound_says(world, table, bound, field.value));
    says
}

/// Whether a field holds an emotion: a call that reads more is told apart by what is taken from its answer.
fn keeps_emotion(record: &Found, says: Says) -> bool {
    record.call.can(Capability::EmotionInference) && (says.emotion || !(says.age_or_sex || says.sensitive))
}

/// Whether a field holds a sensitive trait.
fn keeps_sensitive(record: &Found, says: Says) -> bool {
    let can = |known| record.call.can(known);
    let only = !can(Capability::EmotionInference) && !can(Capability::BiometricCategorisation);
    can(Capability::SensitiveCategorisation) && (only || says.sensitive)
}

/// What texts speak of in what a name was bound to, one step back: `race = result["dominant_race"]`.
fn bound_says(world: &World<'_>, table: &Capabilities, bound: &Memo<usize, Says>, at: ExprRef) -> Says {
    let Expr::Name(name) = world.expr(at) else {
        return Says::default();
    };
    let index = world.index(at.0);
    let mut scope = index.expr_scope[at.1.0 as usize];
    while scope != crate::index::NONE {
        if let Some(bindings) = index.scopes[scope as usize].names.get(&**name) {
            return bound.get_or(bindings.as_ptr().addr(), || {
                let mut says = Says::default();
                for binding in bindings {
                    if let crate::index::BindSource::Value(value) = binding.source {
                        for text in texts_in(world, ExprRef(at.0, value)) {
                            says.add(table, text);
                        }
                    }
                }
                says
            });
        }
        scope = index.scopes[scope as usize].parent;
    }
    Says::default()
}

/// Everything in product code that keeps several things together.
fn records<'m>(world: &World<'m>) -> Vec<Record<'m>> {
    let mut out = Vec::new();
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        let index = world.index(unit);
        for (at, expr) in index.module.exprs.iter().enumerate() {
            if index.expr_scope[at] == crate::index::NONE {
                continue;
            }
            let at = ExprRef(unit, ExprId(id(at)));
            match &expr.kind {
                Expr::Map(entries) => {
                    let fields: Box<[Field<'_>]> = entries
                        .iter()
                        .filter_map(|entry| {
                            let name = match index.module.expr(entry.key?) {
                                Expr::Str(text) | Expr::Name(text) => &**text,
                                _ => "",
                            };
                            Some(Field {
                                name,
                                value: ExprRef(unit, entry.value),
                            })
                        })
                        .take(FIELDS_MAX)
                        .collect();
                    if fields.is_empty() {
                        continue;
                    }
                    let owner = world
                        .parent(at)
                        .filter(|parent| matches!(world.expr(*parent), Expr::Call { .. }))
                        .map(|call| owner(world, call))
                        .unwrap_or_default();
                    out.push(Record { owner, at, fields });
                }
                Expr::Call { .. } => out.extend(called(world, at)),
                _ => {}
            }
        }
        out.extend(assigned(world, unit));
    }
    out
}

/// What a call is given together: `save(student_id, mood)`, `Mood(employee=e, value=v)`, `execute("INSERT …", (a, b))`.
fn called<'m>(world: &World<'m>, at: ExprRef) -> Option<Record<'m>> {
    let Expr::Call { args, .. } = world.expr(at) else {
        return None;
    };
    let name = callee_name(world, at);
    if SHOWS.contains(&name) {
        return None;
    }
    let writes = ["write", "append", "insert"].iter().any(|verb| name.starts_with(verb));
    let mut owner = owner(world, at);
    let mut fields = Vec::new();
    for arg in args.iter().take(FIELDS_MAX) {
        let value = ExprRef(at.0, arg.value);
        match world.expr(value) {
            Expr::List(parts) => fields.extend(parts.iter().take(FIELDS_MAX).map(|part| Field {
                name: "",
                value: ExprRef(at.0, *part),
            })),
            Expr::Template(parts) if writes => fields.extend(parts.iter().take(FIELDS_MAX).map(|part| Field {
                name: "",
                value: ExprRef(at.0, *part),
            })),
            Expr::Str(text) if is_write(text) => {
                owner.push(' ');
                owner.extend(text.chars().take(SQL_CHARS_MAX.saturating_sub(owner.len())));
            }
            // A map is a record of its own.
            Expr::Map(_) => {}
            _ => fields.push(Field {
                name: arg.name.as_deref().unwrap_or(""),
                value,
            }),
        }
    }
    (!fields.is_empty()).then(|| Record {
        owner,
        at,
        fields: fields.into(),
    })
}

/// Whether a text is a statement that writes rows.
fn is_write(text: &str) -> bool {
    let start: String = text
        .trim_start()
        .chars()
        .take(8)
        .collect::<String>()
        .to_ascii_uppercase();
    ["INSERT", "UPDATE", "REPLACE", "MERGE"]
        .iter()
        .any(|verb| start.starts_with(verb))
}

/// What is set on one object within one function: `row.student_id = s; row.mood = m`, `dto.setMood(m)`.
fn assigned<'m>(world: &World<'m>, unit: u32) -> Vec<Record<'m>> {
    let index = world.index(unit);
    let mut groups: BTreeMap<(Option<FunctionRef>, String), (ExprRef, Vec<Field<'m>>)> = BTreeMap::new();
    let mut put = |base: String, name: &'m str, value: ExprRef, at: ExprRef| {
        if base.is_empty() {
            return;
        }
        let (_, fields) = groups
            .entry((world.function_of(at), base))
            .or_insert_with(|| (at, Vec::new()));
        if fields.len() < FIELDS_MAX {
            fields.push(Field { name, value });
        }
    };
    for info in &index.stmts {
        let StmtKind::Assign {
            target: Pattern::Place(place),
            value: Some(value),
            ..
        } = &info.stmt.kind
        else {
            continue;
        };
        let (object, name, key) = match index.module.expr(*place) {
            Expr::Member { object, name } => (*object, &**name, String::new()),
            Expr::Index { object, key } => match index.module.expr(*key) {
                Expr::Str(text) => (*object, &**text, String::new()),
                // What the place is looked up by says whose it is.
                _ => (*object, "", dotted(world, ExprRef(unit, *key))),
            },
            _ => continue,
        };
        let base = format!("{} {key}", dotted(world, ExprRef(unit, object)))
            .trim()
            .to_owned();
        if !matches!(base.as_str(), "self" | "this") {
            put(base, name, ExprRef(unit, *value), ExprRef(unit, *value));
        }
    }
    for call in &index.calls {
        let at = ExprRef(unit, *call);
        let Expr::Call { callee, args, .. } = world.expr(at) else {
            continue;
        };
        let (Expr::Member { object, name }, [arg]) = (index.module.expr(*callee), args.as_slice()) else {
            continue;
        };
        if let Some(field) = name
            .strip_prefix("set")
            .filter(|rest| rest.starts_with(char::is_uppercase))
        {
            put(
                dotted(world, ExprRef(unit, *object)),
                field,
                ExprRef(unit, arg.value),
                ExprRef(unit, arg.value),
            );
        }
    }
    groups
        .into_iter()
        .map(|((_, owner), (at, fields))| Record {
            owner,
            at,
            fields: fields.into(),
        })
        .collect()
}

/// The names of what is called, such as `StudentMood objects create`.
fn owner(world: &World<'_>, at: ExprRef) -> String {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return String::new();
    };
    dotted(world, ExprRef(at.0, *callee))
}

/// The names along an access, with a space between: `employee.id` is `employee id`, `rows["mood"]` is `rows mood`.
fn dotted(world: &World<'_>, at: ExprRef) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut next = at.1;
    for _ in 0..16 {
        match world.module(at.0).expr(next) {
            Expr::Name(name) => {
                parts.push(name);
                break;
            }
            Expr::Str(text) => {
                parts.push(text);
                break;
            }
            Expr::Member { object, name } => {
                parts.push(name);
                next = *object;
            }
            Expr::Index { object, key } => {
                if let Expr::Str(text) | Expr::Name(text) = world.module(at.0).expr(*key) {
                    parts.push(text);
                }
                next = *object;
            }
            Expr::Call { callee, .. } => next = *callee,
            Expr::Await(inner) | Expr::Propagate(inner) | Expr::Cast { value: inner, .. } => next = *inner,
            _ => break,
        }
    }
    parts.reverse();
    let mut out = String::new();
    for part in parts {
        if out.len() + part.len() > SQL_CHARS_MAX {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// A statement in SQL that a call is given.
struct Statement {
    at: ExprRef,
    text: String,
}

/// The statements in SQL of product code; the parts of a text that are put in at run time are left out.
fn statements(world: &World<'_>) -> Vec<Statement> {
    let mut out = Vec::new();
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let Expr::Call { args, .. } = world.expr(at) else {
                continue;
            };
            let Some(arg) = args.first() else { continue };
            let text = match world.module(unit).expr(arg.value) {
                Expr::Str(text) => text.to_string(),
                Expr::Template(parts) => parts
                    .iter()
                    .filter_map(|part| match world.module(unit).expr(*part) {
                        Expr::Str(text) => Some(&**text),
                        _ => None,
                    })
                    .collect::<Vec<_>>()
                    .join(" "),
                _ => continue,
            };
            if is_write(&text) || text.trim_start().to_ascii_uppercase().starts_with("SELECT") {
                out.push(Statement { at, text });
            }
        }
    }
    out
}

/// The names behind the words of SQL that announce a table.
fn tables_of(text: &str, announced: &[&str]) -> Vec<String> {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '(' | ')' | ',' | ';'))
        .filter(|word| !word.is_empty())
        .take(PARTS_MAX)
        .map(str::to_ascii_lowercase)
        .collect();
    words
        .windows(2)
        .filter(|two| announced.contains(&two[0].as_str()))
        .map(|two| two[1].clone())
        .collect()
}

/// Emotions that are written to a table which is read again beside the table of workers or pupils.
fn tables(world: &World<'_>, flow: &Flow<'_, '_>, table: &Capabilities, wanted: &[usize], found: &mut [Found]) {
    let emotions: Vec<usize> = wanted
        .iter()
        .copied()
        .filter(|at| found[*at].call.can(Capability::EmotionInference))
        .collect();
    if emotions.is_empty() {
        return;
    }
    let statements = statements(world);
    // By table, the first statement that reads it beside a table of people, with that table's statement.
    let mut beside: BTreeMap<(String, usize), (usize, usize, String)> = BTreeMap::new();
    for (kind, (names, _)) in RECORDS.iter().enumerate() {
        // The first statement of each function that reads a table of people.
        let mut people: BTreeMap<FunctionRef, (usize, String)> = BTreeMap::new();
        let read = |at: usize| tables_of(&statements[at].text, &["from", "join"]);
        let person = |at: usize| read(at).into_iter().find(|name| table.names(*names, name));
        for (at, statement) in statements.iter().enumerate() {
            if let (Some(function), Some(person)) = (world.function_of(statement.at), person(at)) {
                people.entry(function).or_insert((at, person));
            }
        }
        for (at, statement) in statements.iter().enumerate() {
            if is_write(&statement.text) {
                continue;
            }
            let near = world
                .function_of(statement.at)
                .and_then(|function| people.get(&function).cloned());
            if let Some((other, person)) = near.or_else(|| person(at).map(|person| (at, person))) {
                for name in read(at) {
                    beside.entry((name, kind)).or_insert((at, other, person.clone()));
                }
            }
        }
    }
    for written in statements.iter().filter(|statement| is_write(&statement.text)) {
        let Some(name) = tables_of(&written.text, &["into", "update"]).into_iter().next() else {
            continue;
        };
        for (kind, (_, trace)) in RECORDS.iter().enumerate() {
            let Some((read, other, person)) = beside.get(&(name.clone(), kind)) else {
                continue;
            };
            for answer in flow.of_arguments(written.at).answers.iter() {
                if emotions.binary_search(&answer).is_err() || found[answer].call.traced(*trace).is_some() {
                    continue;
                }
                let chain = vec![
                    own(&found[answer]),
                    evidence(world, written.at, name.clone()),
                    evidence(world, statements[*read].at, name.clone()),
                    evidence(world, statements[*other].at, person.clone()),
                ];
                add(&mut found[answer].call, *trace, chain);
            }
        }
    }
}

/// Kinds of people whose records count by themselves.
const RECORDS: [(NameKind, TraceKind); 2] = [
    (NameKind::Worker, TraceKind::WorkerRecord),
    (NameKind::Pupil, TraceKind::PupilRecord),
];

/// Templates of faces that are added to a store.
fn stores(world: &World<'_>, flow: &Flow<'_, '_>, table: &Capabilities, wanted: &[usize], found: &mut [Found]) {
    let templates: Vec<usize> = wanted
        .iter()
        .copied()
        .filter(|at| found[*at].call.can(Capability::BiometricTemplate))
        .collect();
    if templates.is_empty() {
        return;
    }
    for at in &templates {
        // A service that keeps what it is given is a store itself.
        if found[*at].keeps {
            let chain = vec![own(&found[*at])];
            add(&mut found[*at].call, TraceKind::FaceIndex, chain);
        }
    }
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            if !table.is_store(callee_name(world, at)) || flow.answers.contains_key(&at) {
                continue;
            }
            for answer in flow.of_arguments(at).answers.iter() {
                if templates.binary_search(&answer).is_ok() && found[answer].call.traced(TraceKind::FaceIndex).is_none()
                {
                    let name = format!("{}.{}", object_name(world, at), callee_name(world, at));
                    let chain = vec![own(&found[answer]), evidence(world, at, name.trim_start_matches('.'))];
                    add(&mut found[answer].call, TraceKind::FaceIndex, chain);
                }
            }
        }
    }
}

/// What the records of an identification hold.
fn logs(world: &World<'_>, flow: &Flow<'_, '_>, table: &Capabilities, wanted: &[usize], found: &mut [Found]) {
    let identifying: Vec<usize> = wanted
        .iter()
        .copied()
        .filter(|at| found[*at].call.can(Capability::BiometricIdentification))
        .collect();
    if identifying.is_empty() {
        return;
    }
    let homes: Vec<(usize, u32, Option<FunctionRef>)> = identifying
        .iter()
        .map(|at| {
            let place = found[*at].at;
            (*at, place.0, world.home_of(place))
        })
        .collect();
    stored_pictures::keep(world, table, &homes, found);
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let logged = is_logged(world, at);
            let written = callee_name(world, at).starts_with("write") || callee_name(world, at) == "append_row";
            if !logged && !written && sink(world, at, false) != Some(Effect::Database) {
                continue;
            }
            let arguments = flow.of_arguments(at);
            let names = names_in(world, at);
            let mut records = Vec::new();
            for (kind, trace) in [
                (NameKind::LogTime, TraceKind::LogTime),
                (NameKind::LogDatabase, TraceKind::LogDatabase),
                (NameKind::LogInput, TraceKind::LogInput),
                (NameKind::LogVerifier, TraceKind::LogVerifier),
            ] {
                // A logger writes the time by itself.
                let by_itself = trace == TraceKind::LogTime && logged;
                let name = names.iter().find(|name| table.names(kind, name));
                if by_itself || name.is_some() {
                    let reference = name.cloned().unwrap_or_else(|| callee_name(world, at).to_owned());
                    records.push((trace, evidence(world, at, reference)));
                }
            }
            if records.is_empty() {
                continue;
            }
            for (which, home, function) in &homes {
                let beside = *home == unit
                    && match function {
                        Some(function) => world.index(unit).within(*call, function.1),
                        None => world.index(unit).function_of(*call).is_none(),
                    };
                if !beside && !arguments.answers.contains(*which) {
                    continue;
                }
                for (trace, record) in &records {
                    if found[*which].call.traced(*trace).is_none() {
                        add(&mut found[*which].call, *trace, vec![record.clone()]);
                    }
                }
            }
        }
    }
}

/// The names in what a call is given: of arguments, keys, columns, variables.
fn names_in(world: &World<'_>, at: ExprRef) -> Vec<String> {
    let Expr::Call { args, .. } = world.expr(at) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for arg in args {
        out.extend(arg.name.as_deref().map(str::to_owned));
        for part in below(world, ExprRef(at.0, arg.value), PARTS_MAX) {
            match world.module(at.0).expr(part) {
                Expr::Name(name) | Expr::Member { name, .. } => out.push(name.to_string()),
                Expr::Str(text) => out.extend(text.split([',', '(', ')', '=', ';']).map(str::to_owned)),
                Expr::Call { args, .. } => {
                    out.extend(args.iter().filter_map(|arg| arg.name.as_deref()).map(str::to_owned));
                }
                _ => {}
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// A condition that asks for two confirmations, or for two different people.
fn two_persons(world: &World<'_>, table: &Capabilities) -> Option<Evidence> {
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for (condition, _) in &world.index(unit).conditions {
            let at = ExprRef(unit, *condition);
            let mut number = false;
            let mut several = false;
            let mut people = BTreeSet::new();
            for part in below(world, at, 60) {
                match world.module(unit).expr(part) {
                    Expr::Number(text) => number |= matches!(&**text, "2" | "1"),
                    Expr::Name(name) | Expr::Member { name, .. } => {
                        several |= table.names(NameKind::Confirmations, name);
                        if table.names(NameKind::Confirmer, name) {
                            people.insert(&**name);
                        }
                    }
                    _ => {}
                }
            }
            if number && several || people.len() >= 2 {
                return Some(evidence(world, at, "two confirmations"));
            }
        }
    }
    None
}

/// A text that tells people that their emotions or traits are read.
fn notice(world: &World<'_>, table: &Capabilities) -> Option<Evidence> {
    let (at, _) = crate::model_names::product_texts(world).find(|(at, text)| {
        table.tells_of_biometrics(text)
            && !is_docstring(world, at.0, at.1)
            && !is_hidden(world, at.0, at.1)
            && !is_order(text)
    })?;
    Some(evidence(world, at, "disclosure to people"))
}

/// Where a script that draws its own page names there what it reads: `gr.Interface(…, description="Detects emotions from the voice")`.
fn named_in_code(world: &World<'_>, table: &Capabilities) -> Option<Evidence> {
    let (at, _) = crate::model_names::product_texts(world).find(|(at, text)| {
        table.names_biometrics(text) && crate::facts::disclosure::in_interface_call(world, at.0, at.1)
    })?;
    Some(evidence(world, at, "named on a page"))
}

/// Whether a text tells a model what it is and does, and no person what is read from them.
fn is_order(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "you are a",
        "you're a",
        "act as",
        "your task",
        "your role",
        "respond with",
        "you must",
        "the user",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

/// Whether a text stands where nobody sees it on a page.
fn is_hidden(world: &World<'_>, unit: u32, at: ExprId) -> bool {
    let drawn = world
        .index(unit)
        .ancestors(at)
        .any(|parent| matches!(world.module(unit).expr(parent), Expr::Element { .. }));
    // A script of a page says to people what stands in its elements; its other texts are for programs.
    (drawn || crate::project::is_script(world.unit(unit).language)) && !notices::is_visible(world, unit, at)
}

/// Whether a text stands by itself as a statement, as documentation does.
pub(crate) fn is_docstring(world: &World<'_>, unit: u32, at: ExprId) -> bool {
    let index = world.index(unit);
    // The text of a class is a field of it.
    index.module.classes.iter().any(|class| {
        class
            .fields
            .iter()
            .any(|field| &*field.name == "__doc__" && field.value == Some(at))
    }) || index
        .stmts
        .iter()
        .any(|info| matches!(info.stmt.kind, StmtKind::Expr(value) if value == at))
}
