//! The facts of each call: data sent, failure handling, recipients of the output, disclosure.

mod approval;
#[cfg(test)]
mod audience_tests;
pub(crate) mod conversation;
pub(crate) mod disclosure;
pub(crate) mod effects;
mod errors;
mod fallbacks;
pub(crate) mod handlers;
#[cfg(test)]
mod indirect_output_tests;
mod internal_use;
mod logging;
pub(crate) mod messengers;
mod notice_placement;
pub(crate) mod notices;
mod owner;
mod persistence;
pub(crate) mod php;
mod reachability;
#[cfg(test)]
mod relevance_tests;
mod reraised_failures;
pub(crate) mod ruby;
mod screens;
mod speech_output;
mod statuses;
mod streams;
pub(crate) mod subprocesses;
#[cfg(test)]
mod tests;
pub(crate) mod untraced_output;

use std::rc::Rc;

use engine_model::{CallKind, ErrorHandling, Evidence, EvidenceKind, Location, Sends, Trace, TraceKind, Zone};
use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId};

use crate::calls::Found;
use crate::entry::Entry;
use crate::flow::Flow;
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

pub(crate) use conversation::is_voice;
pub use conversation::{only_makes as makes, talks as names_talk};
pub(crate) use disclosure::marks_ai;
pub(crate) use effects::{list_of, sink};
pub(crate) use logging::is_logged;
pub(crate) use persistence::is_store;

use errors::Failures;
use logging::Logs;

/// What the files tell that are not resolved; asked for only where there is a call.
pub(crate) struct Around<'a> {
    /// The templates that tell people that an AI answers, the best first, and what pages ask of a server.
    pub(crate) pages: &'a dyn Fn() -> disclosure::ToldOnPages,
    /// The first file of the product that imports a store of rows.
    pub(crate) stored: &'a dyn Fn() -> Option<Evidence>,
    /// Scripts that a file of the product starts.
    pub(crate) started: &'a dyn Fn() -> subprocesses::Started,
    /// The failures for which the product has a place of its own.
    pub(crate) taken: &'a dyn Fn() -> handlers::Handled,
    /// Components that nothing brings in.
    pub(crate) unused: &'a std::collections::BTreeSet<String>,
}

/// Fills in the facts of all records.
pub(crate) fn fill<'m>(
    world: &World<'m>,
    flow: &Flow<'_, 'm>,
    entries: &[Entry],
    files: &Around<'_>,
    found: &mut [Found],
) {
    if found.is_empty() {
        return;
    }
    let (mut effects, sinks) = effects::all(world, flow, entries, found);
    // Pictures and voices are handed to a program as files; nothing in them is a command.
    let is_media = |call: &engine_model::Call| call.capabilities.iter().any(|known| known.is_media());
    for (effects, found) in effects.iter_mut().zip(found.iter()) {
        if is_media(&found.call) {
            effects.remove(&engine_model::Effect::Shell);
        }
    }
    let approvals = approval::all(world, flow, found);
    let told = disclosure::Told::new(world, flow, entries, files.pages);
    let (failures, logs) = (Failures::new(world, files.taken), Logs::new(world, flow));
    let stored = (files.stored)();
    let mut kept = persistence::all(world, flow, entries, &sinks, stored.as_ref());
    let talks = conversation::Talks::new(world, flow, entries, &sinks);
    let reached = reachability::Reached::new(world, entries);
    let streams = streams::Streams::new(world);
    // Where each answer is run first.
    let mut commands: std::collections::BTreeMap<usize, ExprRef> = std::collections::BTreeMap::new();
    for reach in sinks.iter().filter(|reach| reach.effect == engine_model::Effect::Shell) {
        for answer in reach.answers.iter().filter(|answer| !is_media(&found[*answer].call)) {
            commands.entry(answer).or_insert(reach.at);
        }
    }
    let started: std::cell::OnceCell<subprocesses::Started> = std::cell::OnceCell::new();
    for at in 0..found.len() {
        if !matches!(found[at].call.kind, CallKind::Call | CallKind::Declare) {
            continue;
        }
        let place = found[at].at;
        let origins = flow.of_arguments(place);
        let sends = &mut found[at].call.sends;
        if origins.user {
            sends.push(Sends::UserInput);
        }
        if origins.file {
            sends.push(Sends::File);
        }
        if origins.database {
            sends.push(Sends::Database);
        }
        if sends.is_empty() {
            sends.push(if origins.constant && !origins.unknown && origins.answers.is_empty() {
                Sends::Constant
            } else {
                Sends::Unknown
            });
        }
        found[at].call.error_handling = failures.of(&found[at]);
        if streams.is_told(&found[at].call, place) {
            found[at].call.error_handling = ErrorHandling::Yes;
        }
        found[at].call.logging = logs.of(at, place);
        found[at].call.human_approval = Some(approvals.all.contains(&at));
        found[at].call.effects = effects[at].iter().copied().collect();
        if !found[at].call.tools.is_empty() && !found[at].call.effects.contains(&engine_model::Effect::Tool) {
            found[at].call.effects.insert(0, engine_model::Effect::Tool);
        }
        // A hook of a component shows the answers of the route that it asks, and a voice speaks by itself.
        if (found[at].call.kind == CallKind::Declare && shows(&found[at].call.symbol) || is_voice(&found[at].call))
            && !found[at].call.effects.contains(&engine_model::Effect::Page)
        {
            found[at].call.effects.push(engine_model::Effect::Page);
        }
        let page = effects[at].contains(&engine_model::Effect::Page) && !talks.is_sent(at);
        // What few or none read tells nobody, and whether another place does is for a person to say.
        // A mark in a record that is kept and goes to nobody marks it for the program alone; on a picture it may be the very mark that is asked for.
        let read = page
            || talks.is_sent(at)
            || found[at].output.is_some()
            || !effects[at].contains(&engine_model::Effect::Database);
        let told_somewhere = told
            .tells(place, page, talks.is_sent(at))
            .filter(|notice| read || !disclosure::is_mark(&notice.text));
        let notice = told_somewhere
            .clone()
            .filter(|notice| notice_placement::counts(world, notice, files.unused));
        found[at].call.disclosure = (told_somewhere.is_some() == notice.is_some()).then_some(notice.is_some());
        let mut traces = Vec::new();
        if let Some(act) = approvals.seen.get(&at) {
            let name = callee_name(world, *act);
            traces.push((TraceKind::Approved, evidence(world, *act, name)));
        }
        if let Some(sink) = commands.get(&at) {
            let name = callee_name(world, *sink);
            traces.push((TraceKind::RunsAnswer, evidence(world, *sink, name)));
        }
        let answered = fallbacks::find(world, flow, at, place).or_else(|| {
            (found[at].call.error_handling == ErrorHandling::No)
                .then(|| statuses::reported(world, &found[at].call, place))
                .flatten()
        });
        let answered = answered.or_else(|| {
            (found[at].call.error_handling == ErrorHandling::Yes)
                .then(|| reraised_failures::find(world, &failures, place))
                .flatten()
        });
        let answered = answered.or_else(|| {
            (found[at].call.error_handling == ErrorHandling::No)
                .then(|| reraised_failures::taken(world, flow, &failures, place))
                .flatten()
        });
        let answered = answered.or_else(|| {
            let thrown = streams.find(&found[at].call, place)?;
            found[at].call.error_handling = ErrorHandling::No;
            Some(thrown)
        });
        traces.extend(answered.map(|place| (TraceKind::FailureAnswered, place)));
        // What names the maker of the model is no notice, and whether it is enough is for a person to say.
        let hint = told_somewhere
            .is_none()
            .then(|| {
                told.hints(place, is_media(&found[at].call))
                    .or_else(|| told.set_beside(at, place))
            })
            .flatten();
        if let Some(notice) = notice.as_ref().or(hint.as_ref()) {
            traces.push((
                TraceKind::ToldOfAi,
                Evidence {
                    kind: EvidenceKind::Code,
                    reference: notice.text.clone(),
                    file: Some(notice.file.clone()),
                    line: Some(notice.line),
                    hash: None,
                },
            ));
        }
        found[at].call.disclosure_at = notice.map(|notice| Location {
            file: notice.file,
            line: notice.line,
            column: 1,
            cell: None,
        });
        // What a script prints that another file starts may be kept by that one.
        let read_by = || {
            let alone = !world.is_imported(place.0) && world.unit(place.0).zone == Zone::Product;
            if !alone {
                return None;
            }
            started.get_or_init(files.started).by(world.unit(place.0).path)
        };
        traces.extend(kept.remove(&at).or_else(read_by).map(|place| (TraceKind::Kept, place)));
        traces.extend(
            talks
                .of(at, &found[at], place)
                .map(|place| (TraceKind::Conversation, place)),
        );
        traces.extend(reached.unseen(place));
        traces.extend(owner::asks(world, place).map(|place| (TraceKind::OwnerOnly, place)));
        let seen = found[at]
            .call
            .effects
            .iter()
            .any(|effect| matches!(effect, engine_model::Effect::Page | engine_model::Effect::Mail));
        if found[at].call.kind == CallKind::Call && !seen && may_speak(&found[at].call) {
            traces.push((TraceKind::Lost, untraced_output::last(world, flow, at, place)));
        }
        let call = &mut found[at].call;
        call.traces.extend(traces.into_iter().map(|(kind, place)| Trace {
            kind,
            chain: vec![place],
        }));
        call.traces.sort();
    }
}

/// Whether an answer may be language, and no number or label.
pub(crate) fn may_speak(call: &engine_model::Call) -> bool {
    let symbol = call.symbol.to_ascii_lowercase();
    call.capabilities.is_empty()
        && (call.provider.as_deref() != Some("local")
            || ["generat", "chat", "complet"].iter().any(|word| symbol.contains(word)))
}

/// A place as evidence.
pub(crate) fn evidence(world: &World<'_>, at: ExprRef, reference: impl Into<String>) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: reference.into(),
        file: Some(world.unit(at.0).path.to_owned()),
        line: Some(world.span(at).line),
        hash: None,
    }
}

/// Whether a declaration is a hook that shows answers.
fn shows(symbol: &str) -> bool {
    matches!(
        symbol.rsplit('.').next(),
        Some("useChat" | "useCompletion" | "useObject" | "experimental_useObject" | "useAssistant" | "useActions")
    )
}

/// All calls inside a function, lambdas included; of the top of a file where there is no function.
pub(crate) fn calls_in(world: &World<'_>, unit: u32, function: Option<FunctionRef>) -> Rc<[ExprRef]> {
    let function = function.map(|function| function.1);
    world.known.calls.get_or((unit, function), || {
        let calls = world.index(unit).calls_of(function);
        calls.into_iter().map(|call| ExprRef(unit, call)).collect()
    })
}

/// The last part of what a call names.
pub(crate) fn callee_name<'w>(world: &World<'w>, at: ExprRef) -> &'w str {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return "";
    };
    match world.module(at.0).expr(*callee) {
        // Macros carry a mark of their own.
        Expr::Name(name) | Expr::Member { name, .. } => name.trim_end_matches('!'),
        _ => "",
    }
}

/// The last name before the called member: `logger` of `self.logger.info(…)`.
pub(crate) fn object_name<'w>(world: &World<'w>, at: ExprRef) -> &'w str {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return "";
    };
    let Expr::Member { object, .. } = world.module(at.0).expr(*callee) else {
        return "";
    };
    let mut object = *object;
    for _ in 0..12 {
        match world.module(at.0).expr(object) {
            Expr::Name(name) | Expr::Member { name, .. } => return name,
            Expr::Call { callee, .. } => object = *callee,
            Expr::Await(inner)
            | Expr::Propagate(inner)
            | Expr::Cast { value: inner, .. }
            | Expr::Index { object: inner, .. } => object = *inner,
            _ => return "",
        }
    }
    ""
}

/// The name with which the chain of a call begins: `res` of `res.status(200).json(…)`.
pub(crate) fn root_name<'w>(world: &World<'w>, at: ExprRef) -> &'w str {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return "";
    };
    let mut object = *callee;
    for _ in 0..24 {
        match world.module(at.0).expr(object) {
            Expr::Name(name) if object != *callee => return name,
            Expr::Member { object: inner, .. }
            | Expr::Index { object: inner, .. }
            | Expr::Await(inner)
            | Expr::Propagate(inner)
            | Expr::Cast { value: inner, .. }
            | Expr::Call { callee: inner, .. } => object = *inner,
            _ => return "",
        }
    }
    ""
}

/// The paths that a call's callee can stand for, as text.
pub(crate) fn symbols(world: &World<'_>, at: ExprRef) -> Vec<String> {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return Vec::new();
    };
    world
        .eval(ExprRef(at.0, *callee))
        .iter()
        .filter_map(|value| match value {
            crate::values::Value::Path(path) => Some(path.symbol()),
            _ => None,
        })
        .collect()
}

/// All texts that stand in an expression.
pub(crate) fn texts_in<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    texts_of(world.module(at.0), at.1)
}

/// All texts that stand in an expression of a module.
pub(crate) fn texts_of(module: &Module, at: ExprId) -> Vec<&str> {
    let mut out = Vec::new();
    let mut stack = vec![at];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 2_000 {
            break;
        }
        if let Expr::Str(text) = module.expr(id) {
            out.push(&**text);
        }
        stack.extend(module.children(id));
    }
    out
}
