//! Handlers of messages that a decorator of a library for bots marks: `@Hears(/.*/)`, `@SlashCommand(…)`, `@assistant.user_message`.

use engine_model::EntryPointKind;
use engine_syntax::ir::Expr;

use crate::entry::Entry;
use crate::values::FunctionRef;
use crate::world::World;

/// Beginnings of modules whose decorators mark handlers of messages.
const LIBRARIES: [&str; 5] = ["nestjs-telegraf", "necord", "@discord-nestjs", "discordx", "slack_bolt"];

/// Names of such decorators.
const DECORATORS: [&str; 13] = [
    "Hears",
    "On",
    "Once",
    "Start",
    "Help",
    "Command",
    "SlashCommand",
    "Slash",
    "Handler",
    "MessageCommand",
    "InquirerMessage",
    "user_message",
    "thread_started",
];

/// The handlers that a file marks so.
pub(crate) fn handlers(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    let library = module.imports.iter().any(|import| {
        LIBRARIES.iter().any(|known| {
            import
                .module
                .strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        })
    });
    if !library {
        return;
    }
    for function in world.functions(unit) {
        let node = world.function(function);
        let marked = node.decorators.iter().any(|decorator| {
            let named = match module.expr(*decorator) {
                Expr::Call { callee, .. } => *callee,
                _ => *decorator,
            };
            matches!(module.expr(named), Expr::Name(name) | Expr::Member { name, .. } if DECORATORS.contains(&&**name))
        });
        if marked {
            out.push(entry_of(world, function));
        }
    }
}

fn entry_of(world: &World<'_>, function: FunctionRef) -> Entry {
    let node = world.function(function);
    Entry {
        kind: EntryPointKind::Message,
        name: node.name.as_deref().unwrap_or("message").to_owned(),
        unit: function.0,
        line: node.span.line,
        function: Some(function),
    }
}
