//! Whether a person approves an output before it takes effect.

mod signatures;
mod states;
mod terminals;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::CallKind;
use engine_syntax::ir::{Expr, ExprId};
use rustc_hash::FxHashMap;

use self::terminals::{answered_in_script, answered_on_terminal, asks_by_helper, yes};
use super::{callee_name, calls_in, object_name, symbols, texts_in};
use crate::calls::Found;
use crate::flow::{Answers, Flow};
use crate::memo::{Home, Memo, home};
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// Arguments that make a framework ask a person.
const SETTINGS: [&str; 22] = [
    "needs_approval",
    "needsApproval",
    "require_approval",
    "requireApproval",
    "requires_confirmation",
    "requiresConfirmation",
    "interrupt_before",
    "interrupt_after",
    "interruptBefore",
    "interruptAfter",
    "interrupt_on",
    "interruptOn",
    "human_input",
    "require_confirmation",
    "requires_approval",
    "requiresApproval",
    "user_confirmation",
    "require_user_confirmation",
    "NeedsApproval",
    "humanInTheLoop",
    "human_in_the_loop",
    "requires_user_input",
];

/// Calls that stop for a person.
const STOPS: [&str; 16] = [
    "interrupt",
    "humanApproval",
    "HumanApprovalCallbackHandler",
    "HumanInTheLoopMiddleware",
    "humanInTheLoopMiddleware",
    "HumanInputRun",
    "request_approval",
    "requestApproval",
    "wait_for_approval",
    "waitForApproval",
    "ask_human",
    "require_approval",
    "HumanLayer",
    "ApprovalRequiredAIFunction",
    "RequestPort",
    "ask_for_approval",
];

/// Words of a question that asks for consent.
const ASKS: [&str; 22] = [
    "approve",
    "confirm",
    "proceed",
    "y/n",
    "[y",
    "(y",
    "allow",
    "accept",
    "are you sure",
    "continue?",
    "send it",
    "apply",
    "genehmig",
    "bestätig",
    "freigeb",
    "valider",
    "confirmer",
    "aprobar",
    "confirmar",
    "approva",
    "goedkeur",
    "zatwierd",
];

/// What is known of people who approve answers.
#[derive(Default)]
pub(super) struct Approvals {
    /// The calls of which somebody may approve the answer: nothing is held to be wanting there.
    pub(super) all: BTreeSet<usize>,
    /// Those of which a person's own act on the answer is seen, with the place of the act.
    pub(super) seen: BTreeMap<usize, ExprRef>,
}

impl Approvals {
    fn see(&mut self, answers: &Answers, at: ExprRef) {
        for answer in answers.iter() {
            self.all.insert(answer);
            self.seen.entry(answer).or_insert(at);
        }
    }
}

/// The calls of which a person approves the answer.
pub(super) fn all(world: &World<'_>, flow: &Flow<'_, '_>, found: &[Found]) -> Approvals {
    let mut out = Approvals::default();
    let mut marked_units: BTreeMap<u32, Vec<ExprRef>> = BTreeMap::new();
    // What a model does with tools may be a removal too.
    let mut removing_units = BTreeSet::new();
    let states = states::States::new(world);
    for unit in 0..crate::values::id(world.units.len()) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            if asks_person(world, at) {
                if asks_of_removal(world, flow, at) {
                    removing_units.insert(unit);
                } else {
                    marked_units.entry(unit).or_default().push(at);
                    // Who is asked is shown the answer.
                    out.see(&flow.of_arguments(at).answers, at);
                }
            }
            // What stands behind the choice of a key is done because somebody pressed it.
            if terminals::offers_keys(world, at) {
                let line = world.span(at).line;
                for behind in calls_in(world, unit, world.home_of(at)).iter() {
                    if world.span(*behind).line > line {
                        out.see(&flow.of_arguments(*behind).answers, at);
                    }
                }
            }
            if offers_an_act(world, at) {
                out.see(&flow.of_arguments(at).answers, at);
            }
            if queued(world, &states, at) {
                out.all.extend(flow.of_arguments(at).answers.iter());
            }
            // What a dialog does only when its button for yes is pressed.
            if callee_name(world, at) == "setPositiveButton" {
                for lambda in world.lambdas_in_args(at) {
                    for inner in calls_in(world, unit, Some(lambda)).iter() {
                        out.see(&flow.of_arguments(*inner).answers, at);
                    }
                }
            }
        }
        for (id, expr) in world.module(unit).exprs.iter().enumerate() {
            if matches!(expr.kind, Expr::Map(_)) {
                let at = ExprRef(unit, ExprId(crate::values::id(id)));
                if world.index(unit).expr_scope[id] != crate::index::NONE && is_pending(world, &states, at) {
                    let origins = flow.origins(at);
                    // What a page keeps as being under review is shown to whoever has the page in front of them.
                    if is_under_review(world, at) && crate::flow::has_elements(world, unit) {
                        out.see(&origins.answers, at);
                    }
                    out.all.extend(origins.answers.iter());
                }
            }
        }
        // A branch on an approval by a person, with the answer inside.
        let mut approved: FxHashMap<u32, (bool, ExprRef)> = FxHashMap::default();
        for (condition, stmt) in &world.index(unit).conditions {
            let at = ExprRef(unit, *condition);
            if filters_tools(world, at) {
                marked_units.entry(unit).or_default().push(at);
            }
            let asked = holds_question(world, at);
            if asked || approval_condition(world, flow, at) {
                let seen = asked || flow.origins(at).user;
                let known = approved.entry(*stmt).or_insert((seen, at));
                known.0 |= seen;
            }
        }
        let calls = if approved.is_empty() {
            &[][..]
        } else {
            world.index(unit).calls.as_slice()
        };
        for call in calls {
            let around = world.index(unit).statements_around(*call).into_iter();
            for (seen, at) in around.filter_map(|stmt| approved.get(&stmt)) {
                let answers = &flow.of_arguments(ExprRef(unit, *call)).answers;
                if *seen {
                    out.see(answers, *at);
                } else {
                    out.all.extend(answers.iter());
                }
            }
        }
    }
    signatures::see(world, flow, &mut out);
    let with_records: BTreeSet<u32> = found.iter().map(|record| record.at.0).collect();
    let deciders: BTreeMap<u32, (bool, FunctionRef)> = with_records
        .into_iter()
        .filter_map(|unit| {
            let decided = world
                .functions(unit)
                .filter_map(|function| Some((decides(world, function)?, function)));
            Some((unit, decided.max_by_key(|(named, _)| *named)?))
        })
        .collect();
    let beside: Memo<u32, bool> = Memo::default();
    let terminals: Memo<Home, bool> = Memo::default();
    let stored: Memo<Home, Rc<Stored>> = Memo::default();
    for (at, record) in found.iter().enumerate() {
        if !matches!(record.call.kind, CallKind::Call | CallKind::Declare) {
            continue;
        }
        let unit = record.at.0;
        let acts = !record.call.tools.is_empty();
        let near = marked_units
            .get(&unit)
            .is_some_and(|asks| asks.iter().any(|ask| !was_asked_before(world, *ask, record)))
            || acts && removing_units.contains(&unit)
            || acts
                && beside.get_or(unit, || {
                    world.module(unit).imports.iter().any(|import| {
                        world
                            .paths
                            .resolve(world.unit(unit).path, world.unit(unit).language, &import.module)
                            .and_then(|path| world.by_path.get(path))
                            .is_some_and(|other| marked_units.contains_key(other))
                    })
                });
        let function = world.home_of(record.at);
        let place = home(unit, function);
        let asked = marked_units
            .get(&unit)
            .and_then(|asks| asks.iter().find(|ask| stops_here(world, **ask, record, function)));
        if let Some(ask) = asked {
            out.seen.entry(at).or_insert(*ask);
        }
        if function.is_some() && terminals.get_or(place, || answered_on_terminal(world, unit, function))
            || answered_in_script(world, record.at, function)
        {
            out.seen.entry(at).or_insert(record.at);
            out.all.insert(at);
        }
        let decided = deciders.get(&unit).filter(|_| {
            stored
                .get_or(place, || Rc::new(stores(world, flow, unit, function)))
                .get(&at)
                .is_some_and(|calls| calls.iter().any(|call| *call != record.at))
        });
        if let Some((named, decider)) = decided {
            out.all.insert(at);
            if *named && let Some(act) = calls_in(world, unit, Some(*decider)).first() {
                out.seen.entry(at).or_insert(*act);
            }
        }
        if near {
            out.all.insert(at);
        }
    }
    out
}

/// Whether a script, which runs from top to bottom, asked before it came to a record: that was about something else.
fn was_asked_before(world: &World<'_>, ask: ExprRef, record: &Found) -> bool {
    world.unit(ask.0).language == engine_model::Language::Shell
        && ask.0 == record.at.0
        && world.span(ask).line < world.span(record.at).line
}

/// Whether a call that asks a person stops before the answer of this very record has an effect: a library stops where it is told to, a
/// tool asks before it acts, and a program asks on its terminal in the function of the call or in one that leads there. A dialog of a page in
/// the same file may be about anything.
fn stops_here(world: &World<'_>, ask: ExprRef, record: &Found, function: Option<FunctionRef>) -> bool {
    if was_asked_before(world, ask, record) {
        return false;
    }
    let name = callee_name(world, ask);
    if !matches!(world.expr(ask), Expr::Call { .. }) || STOPS.contains(&name) || is_told_to_stop(world, ask) {
        return true;
    }
    let home = world.home_of(ask);
    let tool = home
        .and_then(|home| world.function(home).name.as_deref())
        .is_some_and(|name| record.call.tools.iter().any(|tool| tool == name));
    if tool {
        return true;
    }
    let dialog = matches!(name, "confirm" | "prompt") && matches!(object_name(world, ask), "" | "window");
    !dialog
        && (home == function
            || function.is_some_and(|function| {
                let callers = world.callers_of(function);
                callers
                    .iter()
                    .any(|caller| caller.0 == ask.0 && world.home_of(*caller) == home)
            }))
}

/// Calls that write an answer down, two for each: the call that gives the answer may be one of them itself.
type Stored = FxHashMap<usize, Vec<ExprRef>>;

/// The answers that are written down in a function.
fn stores(world: &World<'_>, flow: &Flow<'_, '_>, unit: u32, function: Option<FunctionRef>) -> Stored {
    let mut out = Stored::default();
    for call in calls_in(world, unit, function).iter() {
        let name = callee_name(world, *call).to_ascii_lowercase();
        let writes = [
            "insert", "create", "add", "save", "execute", "exec", "put", "bind", "values", "store", "enqueue", "push",
        ]
        .iter()
        .any(|verb| name.starts_with(verb));
        if writes {
            for answer in flow.of_arguments(*call).answers.iter() {
                let calls = out.entry(answer).or_default();
                if calls.len() < 2 {
                    calls.push(*call);
                }
            }
        }
    }
    out
}

/// A call that tells a framework to stop for a person.
fn is_told_to_stop(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let on = |value: ExprId| {
        !matches!(world.module(at.0).expr(value), Expr::Bool(false) | Expr::Null)
            && !matches!(world.module(at.0).expr(value), Expr::List(parts) if parts.is_empty())
            && !matches!(world.module(at.0).expr(value), Expr::Str(text) if matches!(&**text, "never" | "NEVER"))
    };
    for arg in args {
        if let Some(name) = &arg.name {
            if SETTINGS.contains(&&**name) && on(arg.value) {
                return true;
            }
            if &**name == "human_input_mode"
                && matches!(world.module(at.0).expr(arg.value), Expr::Str(text) if matches!(&**text, "ALWAYS" | "TERMINATE"))
            {
                return true;
            }
        }
        if let Expr::Map(entries) = world.module(at.0).expr(arg.value) {
            for entry in entries {
                if let Some(key) = entry.key
                    && let Expr::Str(key) = world.module(at.0).expr(key)
                    && SETTINGS.contains(&&**key)
                    && on(entry.value)
                {
                    return true;
                }
            }
        }
    }
    false
}

/// A call that stops for a person or tells a framework to do so.
fn asks_person(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    if is_told_to_stop(world, at) {
        return true;
    }
    let name = callee_name(world, at);
    let object = object_name(world, at);
    if world.unit(at.0).language == engine_model::Language::Shell {
        // `read -p "Push? [y/N] " ok`
        return name == "read" && texts_in_args(world, at).iter().any(|text| asks(text));
    }
    // `prompt.yes?("Take it?")` of TTY::Prompt, `agree("Take it?")` of HighLine.
    if world.unit(at.0).language == engine_model::Language::Ruby {
        let asked = matches!(name, "yes?" | "no?") && matches!(object, "prompt" | "tty" | "shell" | "TTY" | "new" | "");
        if (asked || name == "agree") && !args.is_empty() {
            return true;
        }
    }
    if symbols(world, at)
        .iter()
        .any(|symbol| symbol.contains("Confirm") && (symbol.contains("dialoguer") || symbol.contains("inquire")))
    {
        return true;
    }
    if compared_with_yes(world, at, name) || terminals::offers_keys(world, at) {
        return true;
    }
    // `Question::new("Run it? [Y/n]").yes_no().ask()`
    if matches!(name, "ask" | "interact" | "show" | "prompt") && texts_along(world, at).iter().any(|text| asks(text)) {
        return true;
    }
    if STOPS.contains(&name) {
        return name != "interrupt" || symbols(world, at).iter().any(|symbol| symbol.contains("langgraph"));
    }
    let question = matches!(
        name,
        "input"
            | "confirm"
            | "question"
            | "prompt"
            | "Confirm"
            | "ReadLine"
            | "readLine"
            | "ask"
            | "readline"
            | "select"
            | "Select"
            | "interact"
            | "with_prompt"
    ) || (name == "prompt" && object == "inquirer");
    if question {
        let texts: Vec<String> = args
            .iter()
            .flat_map(|arg| texts_in(world, ExprRef(at.0, arg.value)))
            .map(str::to_lowercase)
            .collect();
        if texts.iter().any(|text| ASKS.iter().any(|word| text.contains(word))) {
            return true;
        }
        // A library that asks on the terminal asks by being called.
        if matches!(name, "confirm" | "Confirm" | "interact" | "prompt")
            && symbols(world, at).iter().any(|symbol| {
                [
                    "inquirer",
                    "@clack/",
                    "enquirer",
                    "questionary",
                    "dialoguer",
                    "inquire.",
                ]
                .iter()
                .any(|library| symbol.contains(library))
                    && symbol.to_ascii_lowercase().contains("confirm")
            })
        {
            return true;
        }
        // `window.confirm(answer)` asks by being called.
        if name == "confirm"
            && (object.is_empty()
                || matches!(
                    object,
                    "window" | "typer" | "click" | "questionary" | "Prompt" | "Confirm"
                ))
        {
            let known = symbols(world, at);
            return known.iter().any(|symbol| {
                matches!(
                    symbol.as_str(),
                    "confirm" | "window.confirm" | "click.confirm" | "typer.confirm" | "questionary.confirm"
                )
            });
        }
    }
    false
}

/// Words on a button by which somebody takes what is shown.
const ACTS: [&str; 12] = [
    "accept", "apply", "approve", "commit", "confirm", "insert", "replace", "run", "send", "save", "use", "yes",
];

/// Whether a dialog of an editor shows something and offers to take it: `showInformationMessage(text, { modal: true }, "Insert")`.
fn offers_an_act(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    matches!(callee_name(world, at), "showInformationMessage" | "showWarningMessage")
        && args.iter().skip(1).any(|arg| match world.module(at.0).expr(arg.value) {
            Expr::Str(text) => {
                let lower = text.to_lowercase();
                let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
                ACTS.contains(&first)
            }
            _ => false,
        })
}

/// Words of a question whether something is to be taken away.
const REMOVES: [&str; 15] = [
    "delete",
    "remove",
    "clear ",
    "reset",
    "discard",
    "log out",
    "sign out",
    "logout",
    "löschen",
    "entfernen",
    "supprimer",
    "eliminar",
    "удалить",
    "删除",
    "削除",
];

/// Whether a dialog of a page asks only whether something is to be taken away, and not about an answer:
/// `window.confirm("Remove the student?")`.
fn asks_of_removal(world: &World<'_>, flow: &Flow<'_, '_>, at: ExprRef) -> bool {
    callee_name(world, at) == "confirm"
        && matches!(object_name(world, at), "" | "window")
        && texts_in_args(world, at).iter().any(|text| {
            let lower = text.to_lowercase();
            REMOVES.iter().any(|word| lower.contains(word))
        })
        && flow.of_arguments(at).answers.is_empty()
}

/// The texts that the calls of a builder were given before its last one.
fn texts_along<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    let mut out = Vec::new();
    let mut step = at;
    for _ in 0..12 {
        let Expr::Call { callee, .. } = world.expr(step) else {
            break;
        };
        let Expr::Member { object, .. } = world.expr(ExprRef(at.0, *callee)) else {
            break;
        };
        step = ExprRef(at.0, *object);
        out.extend(texts_in_args(world, step));
    }
    out
}

fn asks(text: &str) -> bool {
    let lower = text.to_lowercase();
    ASKS.iter().any(|word| lower.contains(word))
}

fn texts_in_args<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    let Expr::Call { args, .. } = world.expr(at) else {
        return Vec::new();
    };
    args.iter()
        .flat_map(|arg| texts_in(world, ExprRef(at.0, arg.value)))
        .collect()
}

/// What a person types is compared with a word of consent: `input("send? ") == "yes"`.
fn compared_with_yes(world: &World<'_>, at: ExprRef, name: &str) -> bool {
    if !matches!(
        name,
        "input" | "readln" | "readLine" | "ReadLine" | "question" | "prompt" | "nextLine" | "read_line" | "readline"
    ) {
        return false;
    }
    world.index(at.0).ancestors(at.1).take(6).any(|parent| {
        let module = world.module(at.0);
        let compares = match module.expr(parent) {
            Expr::Test(_) => true,
            Expr::Call { callee, .. } => matches!(module.expr(*callee), Expr::Member { name, .. }
                if matches!(&**name, "equals" | "equalsIgnoreCase" | "startswith" | "startsWith" | "Equals")),
            _ => false,
        };
        compares && texts_in(world, ExprRef(at.0, parent)).into_iter().any(yes)
    })
}

/// A record that waits for a person: a state that says so, or an approver who is still open.
fn is_pending(world: &World<'_>, states: &states::States<'_, '_>, at: ExprRef) -> bool {
    let Expr::Map(entries) = world.expr(at) else {
        return false;
    };
    entries.iter().any(|entry| {
        let Some(key) = entry.key else { return false };
        let Expr::Str(key) = world.module(at.0).expr(key) else {
            return false;
        };
        let value = world.module(at.0).expr(entry.value);
        pending(key, value) && !states.is_of_a_job(at.0, value)
    })
}

fn pending(key: &str, value: &Expr) -> bool {
    let key = key.to_ascii_lowercase();
    match value {
        Expr::Str(text) => {
            let text = text.to_ascii_lowercase();
            (key.contains("status") || key.contains("state"))
                && [
                    "pending",
                    "review",
                    "await",
                    "needs_approval",
                    "proposed",
                    "to_approve",
                    "draft",
                ]
                .iter()
                .any(|word| text.contains(word))
        }
        Expr::Null => {
            key.contains("approved") || key.contains("reviewed") || key.contains("reviewer") || key.contains("approver")
        }
        Expr::Bool(false) => key == "approved" || key == "reviewed" || key == "is_approved" || key == "isapproved",
        Expr::Bool(true) => {
            key.contains("needs_review")
                || key.contains("requires_review")
                || key.contains("needsreview")
                || key.contains("needsapproval")
        }
        Expr::Member { name, .. } => {
            let name = name.to_ascii_lowercase();
            (key.contains("status") || key.contains("state")) && (name.contains("pending") || name.contains("review"))
        }
        _ => false,
    }
}

/// Whether the state of a record says that somebody looks at it: `{ result, status: "review" }`.
fn is_under_review(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Map(entries) = world.expr(at) else {
        return false;
    };
    let module = world.module(at.0);
    entries.iter().any(|entry| {
        let key = entry.key.map(|key| module.expr(key));
        matches!(key, Some(Expr::Str(key) | Expr::Name(key)) if matches!(&**key, "status" | "state" | "step" | "stage"))
            && matches!(module.expr(entry.value), Expr::Str(text) if text.to_ascii_lowercase().contains("review"))
    })
}

/// A record that is made with such fields as arguments: `Review(proposal=answer, status="pending")`.
fn queued(world: &World<'_>, states: &states::States<'_, '_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let mut waits = args.iter().any(|arg| {
        let value = world.module(at.0).expr(arg.value);
        arg.name
            .as_deref()
            .is_some_and(|name| pending(name, value) && !states.is_of_a_job(at.0, value))
            || waiting_state(world.module(at.0), arg.value)
    });
    // A row that is written with such a state: `INSERT INTO proposals … 'pending_approval'`.
    waits = waits
        || args.iter().any(|arg| match world.module(at.0).expr(arg.value) {
            Expr::Str(text) => {
                let lower = text.to_ascii_lowercase();
                lower.trim_start().starts_with("insert into")
                    && [
                        "'pending",
                        "'awaiting",
                        "'needs_review",
                        "'in_review",
                        "'proposed",
                        "'to_approve",
                    ]
                    .iter()
                    .any(|word| lower.contains(word))
            }
            _ => false,
        });
    let name = callee_name(world, at).to_ascii_lowercase();
    let queue = [
        "queue_for_review",
        "queueforreview",
        "submit_for_review",
        "submitforreview",
        "enqueue_review",
        "enqueuereview",
        "send_to_review",
        "create_review",
        "submitforapproval",
        "submit_for_approval",
    ]
    .iter()
    .any(|word| name.contains(word));
    waits || queue
}

/// A filter around the functions that a model calls asks first: `if (await desk.ApproveAsync(…)) await next(context);`.
fn filters_tools(world: &World<'_>, condition: ExprRef) -> bool {
    let mut call = condition.1;
    while let Expr::Await(inner) | Expr::Propagate(inner) = world.module(condition.0).expr(call) {
        call = *inner;
    }
    if !matches!(world.module(condition.0).expr(call), Expr::Call { .. }) {
        return false;
    }
    let name = callee_name(world, ExprRef(condition.0, call)).to_ascii_lowercase();
    let asks = [
        "approve",
        "confirm",
        "requestapproval",
        "askforapproval",
        "getapproval",
        "askuser",
    ]
    .iter()
    .any(|word| name.replace('_', "").trim_end_matches("async") == *word);
    asks && world.function_of(condition).is_some_and(|function| {
        let name = world
            .function(function)
            .name
            .as_deref()
            .unwrap_or("")
            .to_ascii_lowercase();
        ["invoc", "tool", "filter", "middleware", "execute", "intercept"]
            .iter()
            .any(|word| name.contains(word))
    })
}

/// A constant that says that somebody must look first: `Status.PENDING_REVIEW`, `State::AwaitingApproval`.
fn waiting_state(module: &engine_syntax::Module, value: ExprId) -> bool {
    let Expr::Member { object, name } = module.expr(value) else {
        return false;
    };
    let of = match module.expr(*object) {
        Expr::Name(of) | Expr::Member { name: of, .. } => of.to_ascii_lowercase(),
        _ => return false,
    };
    let bare = name.to_ascii_lowercase().replace("_", "");
    (of.contains("status") || of.contains("state"))
        && (matches!(bare.as_str(), "pending" | "proposed" | "inreview" | "draft" | "waiting")
            || ["pending", "awaiting", "needs", "waitingfor", "requires", "to"]
                .iter()
                .any(|word| {
                    bare.strip_prefix(word).is_some_and(|rest| {
                        ["review", "approv", "human", "confirm", "decision"]
                            .iter()
                            .any(|of| rest.contains(of))
                    })
                }))
}

/// Words for those who decide.
const DECIDERS: [&str; 21] = [
    "examiner",
    "recruiter",
    "teacher",
    "reviewer",
    "reviewed",
    "approver",
    "approved_by",
    "approvedby",
    "moderator",
    "manager",
    "underwriter",
    "supervisor",
    "officer",
    "clerk",
    "editor",
    "caseworker",
    "case_worker",
    "decided_by",
    "decidedby",
    "signed_by",
    "operator",
];

/// A function by which a person decides on what was stored: it is told who decides, or how, and writes that down. Gives whether its name or a
/// parameter says that it is somebody else than the one who is served.
fn decides(world: &World<'_>, function: FunctionRef) -> Option<bool> {
    let node = world.function(function);
    let name = node.name.as_deref().unwrap_or("").to_ascii_lowercase();
    let verb = [
        "approve", "reject", "confirm", "resolve", "decide", "sign", "release", "close", "review", "accept",
    ]
    .iter()
    .any(|verb| name.starts_with(verb));
    let names = || {
        node.params
            .iter()
            .flat_map(|param| crate::flow::pattern_names(&param.pattern))
    };
    let who = names().any(|name| {
        let lower = name.to_ascii_lowercase();
        DECIDERS.iter().any(|word| lower.contains(word))
    });
    let how = names().any(|name| {
        matches!(
            name.to_ascii_lowercase().as_str(),
            "approve" | "approved" | "accept" | "accepted" | "confirmed" | "is_approved" | "isapproved" | "decision"
        )
    });
    if !(who && (how || verb) || how && verb) {
        return None;
    }
    let by_a_person = who
        || ["approve", "reject", "decide", "release", "review"]
            .iter()
            .any(|verb| name.starts_with(verb));
    let calls = calls_in(world, function.0, Some(function));
    let written = calls.iter().any(|call| {
        let name = callee_name(world, *call).to_ascii_lowercase();
        [
            "update", "save", "execute", "exec", "set", "insert", "put", "write", "commit", "patch", "persist",
        ]
        .iter()
        .any(|verb| name.starts_with(verb))
            || texts_in_args(world, *call)
                .iter()
                .any(|text| text.trim_start().to_ascii_uppercase().starts_with("UPDATE "))
    });
    written.then_some(by_a_person)
}

/// A condition that asks a person itself: `if (await confirm({ message })) …`.
fn holds_question(world: &World<'_>, at: ExprRef) -> bool {
    let mut stack = vec![at.1];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 60 {
            return false;
        }
        if matches!(world.module(at.0).expr(id), Expr::Call { .. }) {
            let call = ExprRef(at.0, id);
            if asks_person(world, call) || asks_by_helper(world, call) {
                return true;
            }
        }
        stack.extend(world.module(at.0).children(id));
    }
    false
}

/// A condition on what a person decided. What a model decided is none, whatever it is called.
fn approval_condition(world: &World<'_>, flow: &Flow<'_, '_>, at: ExprRef) -> bool {
    let mut stack = vec![at.1];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 200 {
            return false;
        }
        match world.module(at.0).expr(id) {
            Expr::Name(name) | Expr::Member { name, .. } => {
                let name = name.to_ascii_lowercase();
                if matches!(
                    name.as_str(),
                    "approved"
                        | "is_approved"
                        | "isapproved"
                        | "approved_by"
                        | "approvedby"
                        | "human_approved"
                        | "confirmed"
                        | "user_confirmed"
                        | "userconfirmed"
                ) {
                    return flow.origins(ExprRef(at.0, id)).answers.is_empty();
                }
            }
            Expr::Call { .. } => {
                let call = ExprRef(at.0, id);
                let name = callee_name(world, call);
                if matches!(
                    name,
                    "ask_human"
                        | "human_approves"
                        | "get_approval"
                        | "getApproval"
                        | "requestApproval"
                        | "request_approval"
                        | "approve"
                        | "confirm_with_user"
                        | "confirmWithUser"
                ) {
                    let own = world.callees(call);
                    let modelled = own.iter().any(|function| world.callers_of(*function).is_empty());
                    return !modelled && !matches!(world.eval(call).first(), Some(Value::Bool(true)));
                }
            }
            _ => {}
        }
        stack.extend(world.module(at.0).children(id));
    }
    false
}
