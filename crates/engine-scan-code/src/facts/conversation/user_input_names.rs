//! Names of user input: parameters, message fields and request fields that hold a user's text.

use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use crate::values::{FunctionRef, id};
use crate::world::World;

/// Parameters that hold what a person said.
const SAID: [&str; 12] = [
    "message",
    "msg",
    "question",
    "query",
    "usermessage",
    "userinput",
    "userquestion",
    "userquery",
    "usermsg",
    "chatinput",
    "utterance",
    "inputmessage",
];

/// Whether a function is handed what a person said, by the name of a parameter.
pub(super) fn hears(world: &World<'_>, function: FunctionRef) -> bool {
    world.function(function).params.iter().any(|param| {
        crate::flow::pattern_names(&param.pattern)
            .iter()
            .any(|name| is_said(name))
    })
}

/// Whether a function is handed the turns of a talk.
pub(super) fn takes_turns(world: &World<'_>, function: FunctionRef) -> bool {
    world.function(function).params.iter().any(|param| {
        matches!(&param.pattern, Pattern::Name(name)
            if matches!(&**name, "messages" | "history" | "conversation" | "turns" | "chatHistory" | "chat_history"))
    })
}

/// Whether the request that a handler takes holds what a person asks or says: `req.body.question`, a model of the request with a field `message`.
pub(super) fn asks_in_its_request(world: &World<'_>, function: FunctionRef) -> bool {
    // Words to search with are no question.
    let is_asked = |name: &str| is_said(name) && !name.eq_ignore_ascii_case("query");
    let node = world.function(function);
    let by_type = node
        .params
        .iter()
        .filter_map(|param| param.annotation.as_ref())
        .any(|of| {
            world.project_class(function.0, of).is_some_and(|class| {
                let fields = &world.module(class.0).class(class.1).fields;
                fields.iter().any(|field| is_asked(&field.name))
            })
        });
    if by_type {
        return true;
    }
    let index = world.index(function.0);
    let module = index.module;
    let of_request = |at: ExprId| {
        let mut at = at;
        for _ in 0..8 {
            match module.expr(at) {
                Expr::Name(name) => return matches!(&**name, "req" | "request" | "body" | "data" | "payload" | "json"),
                Expr::Member { object, .. } | Expr::Index { object, .. } => at = *object,
                Expr::Call { callee, .. } => at = *callee,
                Expr::Await(inner) | Expr::Propagate(inner) | Expr::Cast { value: inner, .. } => at = *inner,
                _ => return false,
            }
        }
        false
    };
    index
        .exprs_of(Some(function.1))
        .into_iter()
        .any(|at| match module.expr(at) {
            Expr::Member { object, name } => is_asked(name) && of_request(*object),
            Expr::Index { object, key } => {
                matches!(module.expr(*key), Expr::Str(key) if is_asked(key)) && of_request(*object)
            }
            Expr::Call { callee, args, .. } => {
                matches!(module.expr(*callee), Expr::Member { object, name } if &**name == "get" && of_request(*object))
                    && args
                        .first()
                        .is_some_and(|arg| matches!(module.expr(arg.value), Expr::Str(key) if is_asked(key)))
            }
            _ => false,
        })
        || index.stmts.iter().any(|info| {
            // `const { question } = req.body`
            matches!(&info.stmt.kind, StmtKind::Assign { target, value: Some(value), .. }
            if !matches!(target, Pattern::Name(_) | Pattern::Place(_))
                && index.within(*value, function.1)
                && of_request(*value)
                && crate::flow::pattern_names(target).iter().any(|name| is_asked(name)))
        })
}

/// Whether the message that a function is handed holds what a person asks: `message.question`.
pub(super) fn asks_something(world: &World<'_>, function: FunctionRef) -> bool {
    let index = world.index(function.0);
    let Some(Pattern::Name(message)) = world.function(function).params.first().map(|param| &param.pattern) else {
        return false;
    };
    (0..id(index.module.exprs.len())).map(ExprId).any(|at| {
        matches!(index.module.expr(at), Expr::Member { object, name }
            if is_said(name) && matches!(index.module.expr(*object), Expr::Name(of) if of == message))
            && index.functions_around(at).contains(&function.1)
    })
}

/// Whether a name is one for what a person says.
pub(super) fn is_said(name: &str) -> bool {
    let flat: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    SAID.contains(&flat.to_ascii_lowercase().as_str())
}
