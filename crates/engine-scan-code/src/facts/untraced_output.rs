//! The last known place of an output that could not be traced to a person.

use engine_model::{Evidence, Zone};
use engine_syntax::ir::Expr;

use super::{callee_name, calls_in, evidence, object_name};
use crate::flow::Flow;
use crate::values::ExprRef;
use crate::world::World;

/// How it is said that nothing calls what hands an answer back.
pub(crate) const NO_CALL_SEEN: &str = ", and no caller was found";
/// Functions that an answer is handed back through.
const LEVELS_MAX: usize = 8;
/// Calls of one function that are looked at.
const CALLS_MAX: usize = 120;

/// Calls that look at a text, take it apart or write it down for those who run the program.
const ASIDE: [&str; 34] = [
    "print",
    "println",
    "log",
    "info",
    "debug",
    "warn",
    "error",
    "warning",
    "len",
    "str",
    "String",
    "strip",
    "trim",
    "split",
    "join",
    "replace",
    "get",
    "isinstance",
    "loads",
    "parse",
    "stringify",
    "Unmarshal",
    "decode",
    "encode",
    "json",
    "text",
    "format",
    "Sprintf",
    "Println",
    "Printf",
    "append",
    "push",
    "Ok",
    "Some",
];

/// The last place to which an answer is followed.
pub(super) fn last(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef) -> Evidence {
    let carries = |place: ExprRef| flow.origins(place).answers.contains(which);
    let mut place = at;
    for _ in 0..LEVELS_MAX {
        let Some(function) = world.named_function_of(place) else {
            break;
        };
        let index = world.index(function.0);
        let of = function.1.0 as usize;
        let given = index.returns[of]
            .iter()
            .chain(&index.yields[of])
            .any(|value| carries(ExprRef(function.0, *value)));
        if !given {
            break;
        }
        let next = world.callers_of(function).iter().copied().find(|caller| {
            world.unit(caller.0).zone == Zone::Product && world.named_function_of(*caller) != Some(function)
        });
        let Some(next) = next else {
            let node = world.function(function);
            return Evidence {
                reference: format!("is returned by `{}`{NO_CALL_SEEN}", node.name.as_deref().unwrap_or("")),
                line: Some(node.span.line),
                ..evidence(world, place, "")
            };
        };
        place = next;
    }
    // What the function does with it: the last call that it is handed to.
    let handed = calls_in(world, place.0, world.named_function_of(place))
        .iter()
        .copied()
        .take(CALLS_MAX)
        .filter(|call| *call != at && *call != place && world.callees(*call).is_empty())
        .filter(|call| {
            let name = callee_name(world, *call);
            !name.is_empty()
                && !ASIDE.contains(&name)
                && !object_name(world, *call).to_ascii_lowercase().contains("log")
        })
        .filter(|call| {
            let Expr::Call { args, .. } = world.expr(*call) else {
                return false;
            };
            args.iter().any(|arg| carries(ExprRef(call.0, arg.value)))
        })
        .max_by_key(|call| (world.span(*call).line, call.1.0));
    match handed {
        Some(call) => {
            let object = object_name(world, call);
            let name = callee_name(world, call);
            let whole = if object.is_empty() {
                name.to_owned()
            } else {
                format!("{object}.{name}")
            };
            evidence(world, call, format!("is passed to `{whole}`"))
        }
        None => evidence(world, place, "stays in the calling function"),
    }
}
