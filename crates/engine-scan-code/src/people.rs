//! Decisions about people: which record about a person goes into a call, and what becomes of the answer.
//!
//! Nothing here goes by words of prose. A noun such as `candidate` counts only together with fields of a record, and only
//! where data flow carries them into a call; a decision counts only where the answer reaches it.

pub(crate) mod areas;
mod call_inputs;
mod callers;
pub(crate) mod confirmation;
mod controls;
#[cfg(test)]
mod data_flow_tests;
mod decisions;
pub(crate) mod forms;
mod models;
mod monitoring;
mod pieces;
pub(crate) mod practice;
mod practices;
mod purposes;
mod rankings;
#[cfg(test)]
mod rankings_tests;
mod similarity;
#[cfg(test)]
mod tests;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::{CallKind, Effect, PersonArea, StepRole, StructureKind, StructureStep, Zone};
use engine_syntax::ir::Expr;

use crate::calls::Found;
use crate::entry::Entry;
use crate::flow::Flow;
use crate::values::{ClassRef, ExprRef};
use crate::world::World;
use crate::{CodeStructure, Signal, SignalKind};
use areas::{WORDS, flat, noun, split};
use call_inputs::{Carrier, Item, Spelt, What, last_name};
use callers::{Called, Ways};
use confirmation::Confirmed;
use controls::Controls;
use decisions::step;

/// Fields that are shown of one record.
const INPUTS_MAX: usize = 6;

/// A function with a call in it that is called from this many places is a wrapper.
const WRAPPER_CALLERS_MIN: usize = 4;

/// What belongs to one area in the data of one call.
struct Hit {
    area: PersonArea,
    record: StructureStep,
    inputs: Vec<StructureStep>,
    /// Names of all fields, without case and separators.
    fields: BTreeSet<String>,
}

/// The fields of one record that a call is given, with the place of each.
#[derive(Default)]
struct Record {
    fields: BTreeMap<String, StructureStep>,
    place: Option<StructureStep>,
}

/// Looks at every call: signals for questions, structures for checks.
pub(crate) fn find<'w, 'm>(
    world: &'w World<'m>,
    flow: &Flow<'w, 'm>,
    found: &[Found],
    entries: &[Entry],
    pages: &forms::Pages<'_>,
) -> (Vec<Signal>, Vec<CodeStructure>) {
    let carrier = Carrier::new(world, flow);
    let controls = Controls::new(world, flow, found);
    let confirmed = Confirmed::new(entries, pages);
    let called = Called::new(world);
    let mut hits: BTreeMap<usize, (Vec<Item>, Vec<Hit>)> = BTreeMap::new();
    let mut signals = Vec::new();
    let mut data = BTreeMap::new();
    for (at, record) in found.iter().enumerate() {
        if record.call.zone != Zone::Product {
            continue;
        }
        // What an agent is told to judge people by raises a question; who asks it, and what becomes of the answer, is seen elsewhere.
        if record.call.kind == CallKind::Declare {
            let items = carrier.of_made_call(record.at, &[]);
            for hit in purposes::hits(world, &items, &[]) {
                signals.extend(signals_of(&hit, at));
            }
        }
        if record.call.kind != CallKind::Call {
            continue;
        }
        // A prompt may be defined in one place and asked in another.
        let defined: Vec<ExprRef> = record
            .path
            .calls()
            .filter(|call| crate::facts::callee_name(world, *call) == "definePrompt")
            .collect();
        let items = carrier.of_made_call(record.at, &defined);
        let mut own = hits_of(world, (&carrier, &called), record.at, &items);
        own.extend(forms::hits(world, pages, &items, &own));
        // What is embedded is no order to anybody, whatever it is about.
        if !similarity::is_embedding(record) {
            let ordered = purposes::hits(world, &items, &[]);
            own.extend(ordered);
        }
        signals.extend(practices::signals_of_input(world, record, at, &items, &own));
        if !own.is_empty() {
            hits.insert(at, (items, own));
        } else if practices::may_rate(&items) {
            data.insert(at, items);
        }
    }
    for (at, items, own) in similarity::hits(world, (&carrier, &called), found, &hits) {
        hits.insert(at, (items, own));
    }
    let mut targets: BTreeSet<usize> = hits.keys().copied().collect();
    targets.extend(data.keys());
    // What only writes down speech orders and rates nobody.
    targets.retain(|which| {
        !found[*which]
            .call
            .capabilities
            .contains(&engine_model::Capability::Transcription)
    });
    let places = decisions::find(world, flow, found, &targets);
    let mut out = Vec::new();
    for (at, (items, own)) in &hits {
        let reached = places.get(at).cloned().unwrap_or_default();
        let areas: BTreeSet<PersonArea> = own.iter().map(|hit| hit.area).collect();
        for area in areas {
            // Of what one area has in the data of a call, that which a decision follows on is told, or the first.
            let mut told: Option<(&Hit, CodeStructure)> = None;
            for hit in own.iter().filter(|hit| hit.area == area) {
                let made = structure(
                    world,
                    (&controls, &confirmed, &called),
                    &found[*at],
                    *at,
                    items,
                    hit,
                    &reached,
                );
                let decides = made.structure.kind == StructureKind::PersonDecision;
                if told.is_none() || decides {
                    told = Some((hit, made));
                }
                if decides {
                    break;
                }
            }
            if let Some((hit, made)) = told {
                signals.extend(signals_of(hit, *at));
                out.push(made);
            }
        }
    }
    for (at, steps) in &places {
        let items = hits.get(at).map(|(items, _)| items).or_else(|| data.get(at));
        signals.extend(practices::social_scores(
            *at,
            steps,
            items.map_or(&[][..], Vec::as_slice),
        ));
    }
    let told = |at: usize| {
        let call = &found[at].call;
        hits.contains_key(&at) || call.kind != CallKind::Call || call.zone != Zone::Product
    };
    signals.extend(verdicts::signals(world, flow, &told));
    signals.extend(models::signals(world, found, &|at| hits.contains_key(&at)));
    signals.extend(monitoring::signals(world, found));
    signals.extend(practices::controllers(world, flow, found));
    out.extend(practices::structures(world, flow, found, &carrier));
    (signals, out)
}

fn structure(
    world: &World<'_>,
    (controls, confirmed, called): (&Controls<'_, '_, '_>, &Confirmed<'_>, &Called),
    record: &Found,
    at: usize,
    items: &[Item],
    hit: &Hit,
    reached: &[StructureStep],
) -> CodeStructure {
    // A wrapper that several places call joins the data of one with the answer of another: only what lies on the way of one caller
    // with the record belongs to it, and where many call it, only what stands in one file with the record.
    let callers = world
        .named_function_of(record.at)
        .map_or(0, |function| world.callers_of(function).len());
    let ways = Ways::of(world, called, record.at);
    let data: Vec<&StructureStep> = std::iter::once(&hit.record).chain(&hit.inputs).collect();
    let near: BTreeSet<&str> = data.iter().map(|step| step.file.as_str()).collect();
    let reached: Vec<StructureStep> = reached
        .iter()
        .filter(|step| callers < WRAPPER_CALLERS_MIN || near.contains(step.file.as_str()))
        .filter(|step| ways.join(&data, step))
        // Where only a prompt says that people are judged, a branch may be about anything; a field that keeps the verdict is not.
        .filter(|step| !hit.fields.is_empty() || matches!(step.role, StepRole::Stored | StepRole::Reply))
        .cloned()
        .collect();
    // Showing an answer to somebody, or writing to a person, decides nothing by itself, and neither does what is handed to those
    // who have a paper of their own made better. A rehearsal decides about nobody, whatever is kept of it.
    let follows = |reached: &[StructureStep]| {
        reached.iter().any(|step| match step.role {
            StepRole::Branch | StepRole::Ranking | StepRole::Stored => true,
            StepRole::Reply => !helps_its_owner(world, record.at),
            _ => false,
        })
    };
    let is_rehearsal = practice::is_rehearsal(world, record.at, items);
    let mut reached = reached;
    // What trials of the model keep of its answers is about the model.
    let (trials, others): (Vec<StructureStep>, Vec<StructureStep>) =
        reached.iter().cloned().partition(|step| is_of_trials(&step.file));
    // An answer that is handed on as it is holds the verdict for which the prompt asks by its name.
    if !is_rehearsal && !follows(&others) && record.call.effects.contains(&Effect::Page) {
        let mut asked = purposes::asked_verdicts(world, items).into_iter();
        if let Some(asked) = asked.find(|step| ways.join(&data, step)) {
            reached = others.iter().cloned().chain([asked]).collect();
        }
    } else if !trials.is_empty() && follows(&others) {
        reached = others;
    }
    let decides = !is_rehearsal && follows(&reached);
    let mut steps = vec![hit.record.clone()];
    steps.extend(hit.inputs.iter().cloned());
    if decides {
        steps.extend(reached.iter().cloned());
    }
    let kind = if decides {
        StructureKind::PersonDecision
    } else {
        StructureKind::PersonInput
    };
    let mut controls = controls.of((record, at), items, &hit.record.reference, &steps);
    if decides {
        controls.extend(
            confirmed
                .of(world, &reached)
                .or_else(|| confirmed.chosen(hit.area, &reached)),
        );
    }
    practices::around_call(record, at, kind, Some(hit.area), steps, controls)
}

/// Whether a file is named for trials of a model: `ai-eval.ts`, `evals.py`, `benchmark_scoring.py`.
fn is_of_trials(file: &str) -> bool {
    split(crate::project::stem(file))
        .iter()
        .any(|word| matches!(word.as_str(), "eval" | "evals" | "benchmark" | "benchmarks"))
}

/// Whether keys are those of a record about a person, as one of the areas has them.
pub(crate) fn is_of_a_person(keys: &BTreeSet<String>) -> bool {
    WORDS.areas().iter().any(|area| area.is_record("", keys))
}

/// A name without case and separators.
pub(crate) fn plain(name: &str) -> String {
    flat(name)
}

/// Words in the names of functions that help people with a paper of their own.
const HELPS: [&str; 11] = [
    "optimize",
    "optimise",
    "optimizer",
    "improve",
    "improvement",
    "tailor",
    "rewrite",
    "polish",
    "practice",
    "rehearse",
    "coach",
];

/// Whether a call, or one that leads to it, stands in a function, or the call in a file, that is named for helping people with a
/// paper of their own.
fn helps_its_owner(world: &World<'_>, at: ExprRef) -> bool {
    /// Levels of callers.
    const LEVELS_MAX: usize = 3;
    let mut level: Vec<ExprRef> = vec![at];
    let helps = |name: &str| split(name).iter().any(|word| HELPS.contains(&word.as_str()));
    if helps(crate::project::stem(world.unit(at.0).path)) {
        return true;
    }
    for _ in 0..=LEVELS_MAX {
        let functions: BTreeSet<_> = level
            .iter()
            .filter_map(|place| world.named_function_of(*place))
            .collect();
        let named = functions
            .iter()
            .any(|function| helps(world.function(*function).name.as_deref().unwrap_or("")));
        if named {
            return true;
        }
        level = functions
            .into_iter()
            .flat_map(|function| world.callers_of(function).iter().copied().take(8).collect::<Vec<_>>())
            .take(40)
            .collect();
    }
    false
}

fn signals_of(hit: &Hit, call: usize) -> Vec<Signal> {
    let kind = SignalKind::from(hit.area);
    std::iter::once(&hit.record)
        .chain(&hit.inputs)
        .map(|step| Signal {
            kind,
            file: step.file.clone(),
            line: step.line,
            detail: step.reference.clone(),
            call,
        })
        .collect()
}

/// The areas whose records stand in the data of a call.
fn hits_of(
    world: &World<'_>,
    (carrier, called): (&Carrier<'_, '_, '_>, &Called),
    call: ExprRef,
    items: &[Item],
) -> Vec<Hit> {
    let (records, columns) = grouped(world, carrier, items);
    let named = |record: &Record| -> BTreeSet<String> { record.fields.keys().cloned().collect() };
    let fields: Vec<BTreeSet<String>> = records.values().map(named).collect();
    // Columns that one caller of a shared client gives it make a record before those of all callers do.
    let pools: Vec<(Record, BTreeSet<String>)> = Ways::of(world, called, call)
        .split(columns)
        .into_iter()
        .map(|record| {
            let fields = named(&record);
            (record, fields)
        })
        .collect();
    let flat = Flat::of(carrier, items);
    let mut out = Vec::new();
    for area in WORDS.areas() {
        let named = records.iter().zip(&fields).find_map(|((noun, record), fields)| {
            let judged = area.is_judged(fields) && !areas::is_thing(noun, fields);
            (area.names_record(noun) && area.is_record(noun, fields) || judged).then_some(record)
        });
        let pooled = || {
            let fits = pools
                .iter()
                .filter(|(_, fields)| area.is_record("", fields) && !area.yields(fields));
            fits.map(|(record, _)| record)
        };
        let of_area: Vec<&Record> = match named {
            Some(record) => vec![record],
            None => pooled().collect(),
        };
        let mut made: Vec<Hit> = Vec::new();
        for record in &of_area {
            let inputs: Vec<StructureStep> = record
                .fields
                .iter()
                .filter(|(name, _)| area.fits(name))
                .map(|(_, step)| step.clone())
                .take(INPUTS_MAX)
                .collect();
            let Some(place) = record.place.clone().or_else(|| {
                // The number of a record says who is meant, and nothing about them.
                let says = |input: &&StructureStep| split(&input.reference).last().is_none_or(|word| word != "id");
                inputs
                    .iter()
                    .find(says)
                    .or_else(|| inputs.first())
                    .or_else(|| record.fields.values().next())
                    .map(|first| StructureStep {
                        role: StepRole::Record,
                        ..first.clone()
                    })
            }) else {
                continue;
            };
            // Several ways may give the same.
            if !made.iter().any(|known| known.record == place && known.inputs == inputs) {
                made.push(Hit {
                    area: area.id,
                    record: place,
                    inputs,
                    fields: record.fields.keys().cloned().collect(),
                });
            }
        }
        if !made.is_empty() {
            out.append(&mut made);
            continue;
        }
        if let Some(hit) = paper(world, area, &flat) {
            out.push(hit);
        }
    }
    out
}

/// A part of the data with a name.
struct Flat<'i> {
    item: &'i Item,
    name: &'i str,
    /// The name without case and separators, and its words.
    spelt: Rc<Spelt>,
}

impl<'i> Flat<'i> {
    /// The parts that have a name.
    fn of(carrier: &Carrier<'_, '_, '_>, items: &'i [Item]) -> Vec<Self> {
        let named = items.iter().filter_map(|item| match &item.what {
            What::Name(name) | What::Form(name) | What::Key(name) | What::Field(_, name) | What::Upload(name) => {
                Some(Self {
                    item,
                    name,
                    spelt: carrier.spelt(name),
                })
            }
            _ => None,
        });
        named.collect()
    }
}

/// A paper of a person: a file that is handed in, a field of a form, or a variable beside what it is held against.
fn paper(world: &World<'_>, area: &areas::Area, items: &[Flat<'_>]) -> Option<Hit> {
    let has_companion = items
        .iter()
        .any(|part| !matches!(part.item.what, What::Upload(_)) && area.companions.contains(&part.spelt.plain));
    let beside = items
        .iter()
        .any(|part| matches!(part.item.what, What::Form(_)) && area.besides.contains(&part.spelt.plain));
    let measured = items.iter().any(|part| area.is_measure(&part.spelt.words));
    items.iter().find_map(|part| {
        let item = part.item;
        let judged = measured && {
            let function = world
                .named_function_of(item.at)
                .and_then(|function| world.function(function).name.as_deref())
                .unwrap_or("");
            !area.is_measure(&part.spelt.words) && area.is_work(&part.spelt.words, function)
        };
        let hit = match &item.what {
            What::Name(_) | What::Form(_) | What::Key(_) | What::Field(..) | What::Upload(_) if judged => true,
            What::Form(name) if beside && area.names_record(&noun(name)) => true,
            // The label of a form that asks for such a paper.
            What::Form(name) if name.contains(' ') => {
                let words = split(name);
                let asks = [
                    "upload",
                    "paste",
                    "enter",
                    "your",
                    "submit",
                    "add",
                    "provide",
                    "candidate",
                    "applicant",
                    "student",
                ];
                words.iter().any(|word| asks.contains(&word.as_str()))
                    && words.iter().any(|word| area.documents.contains(word))
            }
            What::Upload(name) => {
                let words = split(name);
                area.documents.contains(&part.spelt.plain) || words.iter().any(|word| area.documents.contains(word))
            }
            // `resume` goes on with a conversation too; `cv` and `resume` count beside a companion.
            What::Form(_) | What::Field(..) => {
                let name = &part.spelt.plain;
                area.documents.contains(name) && (name.len() > 6 && !name.ends_with('s') || has_companion)
            }
            What::Name(_) => has_companion && area.names.contains(&part.spelt.plain),
            _ => false,
        };
        hit.then(|| Hit {
            area: area.id,
            record: step(world, StepRole::Record, part.name, item.at),
            inputs: vec![step(world, StepRole::Input, part.name, item.at)],
            fields: BTreeSet::from([part.spelt.plain.clone()]),
        })
    })
}

/// Fields by the noun of what they belong to, and all of them together.
fn grouped(world: &World<'_>, carrier: &Carrier<'_, '_, '_>, items: &[Item]) -> (BTreeMap<String, Record>, Record) {
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let mut columns = Record::default();
    let mut whole: BTreeSet<(ClassRef, bool)> = BTreeSet::new();
    for item in items {
        match &item.what {
            What::Field(base, name) => {
                let input = step(world, StepRole::Input, &format!("{base}.{name}"), item.at);
                columns.fields.entry(flat(name)).or_insert_with(|| input.clone());
                let record = records.entry(noun(base)).or_default();
                record.fields.entry(flat(name)).or_insert(input);
            }
            What::Key(name) | What::Form(name) => {
                let input = step(world, StepRole::Input, name, item.at);
                columns.fields.entry(flat(name)).or_insert(input);
            }
            What::Table(name, named) => {
                let record = records.entry(noun(name)).or_default();
                record
                    .place
                    .get_or_insert_with(|| step(world, StepRole::Record, name, item.at));
                for column in named {
                    let input = step(world, StepRole::Input, column, item.at);
                    columns.fields.entry(flat(column)).or_insert_with(|| input.clone());
                    record.fields.entry(flat(column)).or_insert(input);
                }
            }
            What::Class(class) => {
                if world.unit(class.0).zone != Zone::Product {
                    continue;
                }
                let node = world.module(class.0).class(class.1);
                let Some(name) = node.name.as_deref() else { continue };
                let place = StructureStep {
                    role: StepRole::Record,
                    reference: name.to_owned(),
                    file: world.unit(class.0).path.to_owned(),
                    line: node.span.line,
                };
                let record = records.entry(noun(name)).or_default();
                record.place = Some(place.clone());
                // One field of it is used: only that field goes in.
                if let Some((field, at)) = part_of(world, item.at) {
                    let input = step(world, StepRole::Input, &format!("{name}.{field}"), at);
                    columns.fields.entry(flat(&field)).or_insert_with(|| input.clone());
                    record.fields.entry(flat(&field)).or_insert(input);
                    continue;
                }
                // What is handed over by the names of its fields is so many columns, whatever the class is called.
                let dumped = is_dumped(world, item.at);
                if !whole.insert((*class, dumped)) {
                    continue;
                }
                for field in carrier.fields_of(*class).iter() {
                    let input = || StructureStep {
                        role: StepRole::Input,
                        reference: format!("{name}.{field}"),
                        ..place.clone()
                    };
                    record.fields.entry(field.clone()).or_insert_with(input);
                    if dumped {
                        columns.fields.entry(field.clone()).or_insert_with(input);
                    }
                }
            }
            What::Name(_) | What::Upload(_) | What::Store(_) | What::Text | What::Constant(_) | What::WholeForm => {}
        }
    }
    (records, columns)
}

/// The field of a named thing that is read, where only a field of it is: `applicant.cv`, and not `str(applicant)` or
/// `applicant.dict()`.
fn part_of(world: &World<'_>, at: ExprRef) -> Option<(String, ExprRef)> {
    let parent = world.parent(at)?;
    let Expr::Member { object, name } = world.expr(parent) else {
        return None;
    };
    if *object != at.1 || &**name == "__dict__" {
        return None;
    }
    if let Some(call) = world.parent(parent)
        && let Expr::Call { callee, .. } = world.expr(call)
        && *callee == parent.1
    {
        let getter = name
            .strip_prefix("get")
            .filter(|field| field.starts_with(char::is_uppercase))?;
        return Some((getter.to_owned(), call));
    }
    last_name(world, parent)?;
    Some((name.to_string(), parent))
}

/// What turns a record into a map of its fields.
const DUMPS: [&str; 7] = [
    "asdict",
    "dict",
    "model_dump",
    "model_dump_json",
    "to_dict",
    "toMap",
    "vars",
];

/// Whether a named thing is turned into a map of all its fields: `request.model_dump()`, `asdict(applicant)`, `request.__dict__`.
fn is_dumped(world: &World<'_>, at: ExprRef) -> bool {
    let Some(parent) = world.parent(at) else {
        return false;
    };
    match world.expr(parent) {
        Expr::Call { .. } => DUMPS.contains(&crate::facts::callee_name(world, parent)),
        Expr::Member { object, name } => *object == at.1 && (&**name == "__dict__" || DUMPS.contains(&&**name)),
        _ => false,
    }
}

/// Whether the answer goes out as a message.
fn sends_message(record: &Found) -> bool {
    record.call.effects.contains(&Effect::Mail)
}
