//! Message handlers marked by a decorator of a bot library (`@Hears(/.*/)`, `@SlashCommand(…)`,
//! `@assistant.user_message`), and handlers by which a browser extension answers its own pages.

use engine_model::{EntryPointKind, Language};
use engine_syntax::ir::{Expr, ExprId};

use crate::entry::Entry;
use crate::facts::messengers::is_library;
use crate::project::is_script;
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// Beginnings of modules whose decorators mark handlers of messages.
const LIBRARIES: [&str; 8] = [
    "nestjs-telegraf",
    "necord",
    "@discord-nestjs",
    "discordx",
    "slack_bolt",
    "DSharpPlus",
    "Discord",
    "NetCord",
];

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

/// What an entry is called by which the page of an extension reaches its background.
pub const EXTENSION: &str = "runtime.onMessage";

/// The functions that a file of an extension hands over to answer its pages: `chrome.runtime.onMessage.addListener(answer)`.
pub(crate) fn of_extensions(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    if !is_script(world.unit(unit).language) {
        return;
    }
    let module = world.module(unit);
    let is = |id: ExprId, wanted: &[&str]| match module.expr(id) {
        Expr::Member { object, name } if wanted.contains(&&**name) => Some(*object),
        _ => None,
    };
    for call in &world.index(unit).calls {
        let Expr::Call { callee, args, .. } = module.expr(*call) else {
            continue;
        };
        let heard = is(*callee, &["addListener"])
            .and_then(|object| is(object, &["onMessage", "onMessageExternal", "onConnect"]))
            .and_then(|object| is(object, &["runtime"]));
        let Some(first) = args.first().filter(|_| heard.is_some()) else {
            continue;
        };
        let function = match module.expr(first.value) {
            Expr::Function(function) => Some(FunctionRef(unit, *function)),
            _ => world
                .eval(ExprRef(unit, first.value))
                .iter()
                .find_map(|value| match value {
                    Value::Function(function) => Some(*function),
                    _ => None,
                }),
        };
        if let Some(function) = function {
            out.push(Entry {
                kind: EntryPointKind::Page,
                name: EXTENSION.to_owned(),
                unit: function.0,
                line: world.function(function).span.line,
                function: Some(function),
            });
        }
    }
}

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

/// Types by which libraries for Go hand on what somebody wrote.
const WRITTEN: [&str; 9] = [
    "Update",
    "MessageCreate",
    "GuildMessageCreate",
    "DMMessageCreate",
    "MessageEvent",
    "MessageCreateEvent",
    "AppMentionEvent",
    "NewMessage",
    "Context",
];

/// The functions of a file of Go that are handed what somebody wrote and that nothing of the project calls: what is made for a library, wherever
/// it is handed over: `func Answer(ai Service) bot.HandlerFunc { return func(…, update *models.Update) { … } }`.
pub(crate) fn by_type(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    if world.unit(unit).language != Language::Go {
        return;
    }
    let module = world.module(unit);
    let of_library = |alias: &str| {
        module
            .imports
            .iter()
            .any(|import| is_library(&import.module) && import.bindings.iter().any(|binding| &*binding.local == alias))
    };
    for function in world.functions(unit) {
        let node = world.function(function);
        let handed = node
            .params
            .iter()
            .filter_map(|param| param.annotation.as_ref())
            .any(|of| {
                of.name
                    .split_once('.')
                    .is_some_and(|(alias, name)| WRITTEN.contains(&name) && of_library(alias))
            });
        // A helper that is handed it by another is no door of its own.
        let known = || {
            !world.callers_of(function).is_empty()
                || out
                    .iter()
                    .any(|entry| entry.function == Some(function) && entry.kind == EntryPointKind::Message)
        };
        if handed && !known() {
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
