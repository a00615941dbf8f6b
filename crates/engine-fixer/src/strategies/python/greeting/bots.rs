//! Greetings of bots.

use std::rc::Rc;

use engine_syntax::tree::Node;

use super::super::source::{arguments, callee, calls, function_of, is_within, method, name_of};
use super::Disclosure;
use super::literals::{constant, first_text, greets, introduced, text_of};
use crate::NoFix;
use crate::code::{Code, children, descendants};

/// The file that a module is, as a file names it.
type Modules<'m> = &'m dyn Fn(&str, &str) -> Option<Rc<Code>>;

/// Libraries of messengers.
pub(super) const LIBRARIES: [&str; 9] = [
    "telegram",
    "aiogram",
    "telebot",
    "discord",
    "nextcord",
    "disnake",
    "slack_bolt",
    "pyrogram",
    "vkbottle",
];

/// Methods that send a text to a person.
const SENDS: [&str; 14] = [
    "answer",
    "reply",
    "reply_text",
    "reply_html",
    "reply_markdown",
    "reply_to",
    "send_message",
    "send",
    "say",
    "respond",
    "chat_postMessage",
    "answer_photo",
    "send_text",
    "reply_photo",
];

/// Events with which a talk begins.
const BEGINS: [&str; 6] = [
    "start",
    "/start",
    "thread_started",
    "assistant_thread_started",
    "app_home_opened",
    "on_member_join",
];

const PLACE: &str = "in the greeting of the bot";

/// The greeting of a bot with the sentence in it.
pub(super) fn disclosure(modules: Modules<'_>, code: &Code) -> Result<(String, Disclosure), NoFix> {
    let root = code.root()?;
    if ["MARKDOWN_V2", "MarkdownV2", "markdown_v2"]
        .iter()
        .any(|mark| code.text.contains(mark))
    {
        return Err(NoFix::here(
            "the bot sends MarkdownV2, in which a sentence needs special marks",
        ));
    }
    let mut why = None;
    for handler in handlers(code, root) {
        match greeting(modules, code, handler) {
            Ok(found) => return Ok(found),
            Err(error) => why = why.or(Some(error)),
        }
    }
    Err(why.unwrap_or_else(|| {
        NoFix::here("no greeting of the bot was found; let it say in its first message that it is an AI")
    }))
}

/// Functions that answer the start of a talk.
fn handlers<'c>(code: &'c Code, root: Node<'c>) -> Vec<Node<'c>> {
    let functions = descendants(root, |node| node.kind() == "function_definition");
    let registered: Vec<&str> = calls(root)
        .into_iter()
        .filter(|call| method(code, *call).ends_with("CommandHandler") || method(code, *call) == "register")
        .filter_map(|call| {
            let all = arguments(call);
            let starts = all.iter().any(|argument| names_start(code, *argument));
            let handler = all
                .iter()
                .copied()
                .find(|argument| matches!(argument.kind(), "identifier" | "attribute"))?;
            starts.then(|| code.of_node(handler).rsplit('.').next().unwrap_or(""))
        })
        .collect();
    let mut out: Vec<Node<'c>> = functions
        .into_iter()
        .filter(|function| {
            let name = name_of(code, *function);
            registered.contains(&name) || decorators(*function).into_iter().any(|mark| begins(code, mark, name))
        })
        .collect();
    // A function for the start alone comes before one for several commands.
    out.sort_by_key(|function| !name_of(code, *function).contains("start"));
    out
}

fn decorators(function: Node<'_>) -> Vec<Node<'_>> {
    let around = function
        .parent()
        .filter(|parent| parent.kind() == "decorated_definition");
    around.map_or_else(Vec::new, |around| {
        children(around)
            .into_iter()
            .filter(|child| child.kind() == "decorator")
            .collect()
    })
}

/// Whether a decorator registers a function for the start of a talk.
fn begins(code: &Code, decorator: Node<'_>, function: &str) -> bool {
    let text = code.of_node(decorator);
    if text.contains("CommandStart(") || text.ends_with(".thread_started") {
        return true;
    }
    // `@client.event` of Discord, `@bot.command()` with the name of the function.
    let by_name = text.rsplit('.').next() == Some("event") && function == "on_member_join"
        || text.strip_suffix("()").unwrap_or(text).rsplit('.').next() == Some("command") && function == "start";
    by_name || names_start(code, decorator)
}

/// Whether an expression names the command or the event of a start.
fn names_start(code: &Code, node: Node<'_>) -> bool {
    if calls(node).into_iter().any(|call| method(code, call) == "CommandStart") {
        return true;
    }
    descendants(node, |node| {
        node.kind() == "string_content" && BEGINS.contains(&code.of_node(node))
    })
    .into_iter()
    .any(|text| {
        // `description="start"` names nothing.
        let around = text.parent().and_then(|string| string.parent());
        !around.is_some_and(|around| around.kind() == "keyword_argument" && name_of(code, around) == "description")
    })
}

/// The text that a handler sends first.
fn greeting(modules: Modules<'_>, code: &Code, handler: Node<'_>) -> Result<(String, Disclosure), NoFix> {
    let none = || NoFix::here("the greeting of the bot is not a string in its code");
    let sent: Vec<Node<'_>> = calls(handler)
        .into_iter()
        .filter(|call| function_of(*call) == Some(handler))
        .filter(|call| SENDS.contains(&method(code, *call)) || callee(code, *call) == "say")
        .collect();
    // What is sent in any case comes before what is sent now and then.
    let always = |call: &Node<'_>| !is_conditional(*call, handler);
    let mut texts: Vec<(bool, Node<'_>)> = sent
        .iter()
        .filter_map(|call| Some((always(call), first_text(code, *call)?)))
        .collect();
    texts.sort_by_key(|(always, text)| (!greets(code, *text), !*always, text.start_byte()));
    if let Some((always, text)) = texts.first().copied()
        && (always || greets(code, text))
    {
        return Ok((code.path.clone(), introduced(code, text, PLACE)?));
    }
    // A constant of another file: `from texts import GREETING`.
    for call in sent.iter().filter(|call| always(call)) {
        for argument in arguments(*call) {
            let value = argument
                .child_by_field_name("value")
                .filter(|_| argument.kind() == "keyword_argument")
                .unwrap_or(argument);
            let Some((module, name)) = imported_constant(code, value) else {
                continue;
            };
            let Some(other) = modules(&code.path, &module) else {
                continue;
            };
            if let Some(text) = constant(&other, &name).and_then(|value| text_of(&other, value)) {
                return Ok((other.path.clone(), introduced(&other, text, PLACE)?));
            }
        }
    }
    Err(none())
}

fn is_conditional(call: Node<'_>, handler: Node<'_>) -> bool {
    let mut at = call;
    while let Some(parent) = at.parent() {
        if parent == handler {
            return false;
        }
        if matches!(
            parent.kind(),
            "if_statement"
                | "except_clause"
                | "elif_clause"
                | "else_clause"
                | "for_statement"
                | "while_statement"
                | "match_statement"
        ) && is_within(call, parent)
        {
            return true;
        }
        at = parent;
    }
    false
}

/// The module and the name of a constant that a file imports: `GREETING`, `texts.GREETING`.
fn imported_constant(code: &Code, value: Node<'_>) -> Option<(String, String)> {
    let root = code.root().ok()?;
    let statements = descendants(root, |node| {
        node.kind() == "import_from_statement" || node.kind() == "import_statement"
    });
    let (owner, name) = match value.kind() {
        "identifier" => (None, code.of_node(value)),
        "attribute" => (
            value
                .child_by_field_name("object")
                .filter(|object| object.kind() == "identifier")
                .map(|object| code.of_node(object)),
            value
                .child_by_field_name("attribute")
                .map(|attribute| code.of_node(attribute))?,
        ),
        _ => return None,
    };
    if value.kind() == "attribute" && owner.is_none() {
        return None;
    }
    let bound = owner.unwrap_or(name);
    statements.into_iter().find_map(|statement| {
        let mut cursor = statement.walk();
        let names: Vec<Node<'_>> = statement.children_by_field_name("name", &mut cursor).collect();
        let item = names
            .into_iter()
            .find(|item| code.of_node(item.child_by_field_name("alias").unwrap_or(*item)) == bound)?;
        let original = code.of_node(item.child_by_field_name("name").unwrap_or(item));
        let module = statement
            .child_by_field_name("module_name")
            .map(|module| code.of_node(module));
        match (module, owner) {
            (Some(module), None) => Some((module.to_owned(), original.to_owned())),
            (Some(module), Some(_)) => {
                let joint = if module.ends_with('.') { "" } else { "." };
                Some((format!("{module}{joint}{original}"), name.to_owned()))
            }
            (None, Some(_)) => Some((original.to_owned(), name.to_owned())),
            (None, None) => None,
        }
    })
}
