//! Whether a program asks on its terminal and goes on only after a word of consent.

use engine_model::Language;
use engine_syntax::ir::{Expr, ExprId};

use super::{asks, asks_person, texts_in_args};
use crate::facts::{callee_name, calls_in, object_name, symbols, texts_in};
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// Whether a function asks on the terminal and goes on only after a word of consent.
pub(super) fn answered_on_terminal(world: &World<'_>, unit: u32, function: Option<FunctionRef>) -> bool {
    waits_for_yes(world, unit, function)
        && calls_in(world, unit, function)
            .iter()
            .any(|call| texts_in_args(world, *call).iter().any(|text| asks(text)))
}

/// Whether a function reads from the terminal and compares with a word of consent.
fn waits_for_yes(world: &World<'_>, unit: u32, function: Option<FunctionRef>) -> bool {
    let calls = calls_in(world, unit, function);
    let reads = calls.iter().any(|call| {
        let name = callee_name(world, *call);
        let object = object_name(world, *call);
        matches!(
            name,
            "ReadString"
                | "Scanln"
                | "Scan"
                | "Scanf"
                | "Fscanln"
                | "read_line"
                | "readLine"
                | "nextLine"
                | "readln"
                | "ReadLine"
                | "ReadKey"
        ) && !matches!(object, "file" | "f" | "reader_file")
            && (matches!(name, "Scanln" | "Scanf" | "readln" | "ReadLine" | "ReadKey") || of_terminal(world, *call))
    });
    reads
        && world.index(unit).exprs_of(function.map(|function| function.1)).into_iter().any(|id| {
            let expr = world.module(unit).expr(id);
            let compares = match expr {
                Expr::Test(_) => true,
                Expr::Call { callee, .. } => matches!(world.module(unit).expr(*callee), Expr::Member { name, .. }
                    if matches!(&**name, "equals" | "equalsIgnoreCase" | "startsWith" | "starts_with" | "EqualFold" | "HasPrefix" | "Equals" | "eq_ignore_ascii_case" | "lowercase")),
                _ => false,
            };
            compares
                && (texts_in(world, ExprRef(unit, id)).into_iter().any(yes)
                    || matches!(expr, Expr::Test(_)) && names_key_of_consent(world, unit, id))
        })
}

/// Whether a script asks on the terminal behind a place and goes on only after a word of consent:
/// `printf 'Apply? [y/N] '; read -r yes; [ "$yes" = y ] && git apply`. What was asked before was about something else.
pub(super) fn answered_in_script(world: &World<'_>, record: ExprRef, function: Option<FunctionRef>) -> bool {
    if world.unit(record.0).language != Language::Shell {
        return false;
    }
    let line = world.span(record).line;
    let calls = calls_in(world, record.0, function);
    let behind = || calls.iter().filter(|call| world.span(**call).line > line);
    let reads = behind().any(|call| callee_name(world, *call) == "read");
    let asked = || {
        behind().any(|call| {
            matches!(callee_name(world, *call), "read" | "printf" | "echo")
                && texts_in_args(world, *call).iter().any(|text| asks(text))
        })
    };
    reads
        && asked()
        && world
            .index(record.0)
            .exprs_of(function.map(|function| function.1))
            .into_iter()
            .any(|id| {
                let at = ExprRef(record.0, id);
                matches!(world.module(record.0).expr(id), Expr::Test(_))
                    && world.span(at).line > line
                    && texts_in(world, at).into_iter().any(|text| yes(&without_marks(text)))
            })
}

/// A pattern of a script without its marks: `^[Yy]$` asks for `Y`.
fn without_marks(text: &str) -> String {
    let inner = text.trim_start_matches('^').trim_end_matches('$').trim_end_matches('*');
    match inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(either) => either.chars().take(1).collect(),
        None => inner.to_owned(),
    }
}

/// Words of the name of a function that asks a person.
const ASKERS: [&str; 8] = [
    "confirm", "approv", "ask", "prompt", "proceed", "consent", "yesno", "yes_no",
];

/// Calls of a function that does nothing but ask.
const ASKER_CALLS_MAX: usize = 16;

/// Whether a call runs a small function of the project that asks on the terminal and tells whether the answer was yes:
/// `if confirm("Send?") { … }`.
pub(super) fn asks_by_helper(world: &World<'_>, call: ExprRef) -> bool {
    world.callees(call).iter().take(3).any(|function| {
        let name = world
            .function(*function)
            .name
            .as_deref()
            .unwrap_or("")
            .to_ascii_lowercase();
        if !ASKERS.iter().any(|word| name.contains(word)) {
            return false;
        }
        let calls = calls_in(world, function.0, Some(*function));
        calls.len() <= ASKER_CALLS_MAX
            && (calls.iter().any(|inner| *inner != call && asks_person(world, *inner))
                || waits_for_yes(world, function.0, Some(*function)))
    })
}

/// Whether a call waits for one of several keys, each of which stands for an act: `read_single_key(&['e', 'r', 'q'], 'e', "…")`,
/// `Prompt.ask("…", choices=["e", "m", "a"])`.
pub(super) fn offers_keys(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let name = callee_name(world, at).to_ascii_lowercase();
    let waits = ["read", "get", "ask", "wait", "prompt", "choose"]
        .iter()
        .any(|word| name.contains(word))
        && (name.contains("key") || matches!(&*name, "ask" | "prompt" | "choose"));
    let module = world.module(at.0);
    let is_key = |part: &ExprId| matches!(module.expr(*part), Expr::Str(key) if key.chars().count() == 1);
    let keys = |part: ExprId| matches!(module.expr(part), Expr::List(all) if all.len() > 1 && all.iter().all(is_key));
    waits
        && args
            .iter()
            .any(|arg| keys(arg.value) || module.children(arg.value).into_iter().any(keys))
}

/// `Console.ReadKey().Key == ConsoleKey.Y`
fn names_key_of_consent(world: &World<'_>, unit: u32, test: ExprId) -> bool {
    let module = world.module(unit);
    module.children(test).into_iter().any(|part| {
        matches!(module.expr(part), Expr::Member { object, name } if yes(name)
            && matches!(module.expr(*object), Expr::Name(of) if &**of == "ConsoleKey"))
    })
}

/// Whether a call reads what is typed: `bufio.NewReader(os.Stdin).ReadString`, `io::stdin().read_line`.
fn of_terminal(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return false;
    };
    let mut said = symbols(world, at);
    let mut stack = vec![*callee];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 60 {
            break;
        }
        if let Expr::Name(name) | Expr::Member { name, .. } = world.module(at.0).expr(id) {
            said.push(name.to_string());
            // A reader that was made before.
            for value in world.eval(ExprRef(at.0, id)).iter() {
                if let Value::Path(path) = value {
                    for call in path.calls().take(3) {
                        stack.extend(
                            world
                                .module(call.0)
                                .children(call.1)
                                .into_iter()
                                .filter(|_| call.0 == at.0),
                        );
                    }
                }
            }
        }
        stack.extend(world.module(at.0).children(id));
    }
    said.iter().any(|name| {
        let lower = name.to_ascii_lowercase();
        lower.contains("stdin") || lower == "in" || lower.contains("scanner") || lower == "console"
    })
}

/// A word of consent.
pub(super) fn yes(text: &str) -> bool {
    matches!(
        text.trim().to_lowercase().as_str(),
        "y" | "yes" | "ja" | "j" | "oui" | "o" | "si" | "sí" | "sì" | "s" | "tak" | "t" | "sim" | "ok" | "approve"
    )
}
