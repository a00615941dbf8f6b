//! AI disclosure in the greeting of a bot.

use engine_model::Language;
use engine_syntax::tree::Node;

use super::loggers::in_package;
use super::source::{
    arguments, binding, callee_name, content, is_function, is_script, module_of, receiver, required, value_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

mod languages;

declare_strategy! {
    /// Adds an AI disclosure to the greeting of a bot.
    ///
    /// The greeting is what the bot says to `/start` or to a new member. The sentence is in the language of the
    /// greeting. Bots of telegraf, grammY, node-telegram-bot-api, discord.js and Slack Bolt are known.
    ///
    /// Before:
    /// ```text bot.js
    /// import { Telegraf } from 'telegraf';
    /// import OpenAI from 'openai';
    ///
    /// const bot = new Telegraf(process.env.BOT_TOKEN);
    /// const client = new OpenAI();
    ///
    /// bot.start((ctx) => ctx.reply('Welcome! Ask me anything.'));
    ///
    /// bot.on('text', async (ctx) => {
    ///   const answer = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: ctx.message.text });
    ///   await ctx.reply(answer.output_text);
    /// });
    ///
    /// bot.launch();
    /// ```
    /// After:
    /// ```text bot.js
    /// import { Telegraf } from 'telegraf';
    /// import OpenAI from 'openai';
    ///
    /// const bot = new Telegraf(process.env.BOT_TOKEN);
    /// const client = new OpenAI();
    ///
    /// bot.start((ctx) => ctx.reply('Welcome! Ask me anything. You are chatting with an AI assistant.'));
    ///
    /// bot.on('text', async (ctx) => {
    ///   const answer = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: ctx.message.text });
    ///   await ctx.reply(answer.output_text);
    /// });
    ///
    /// bot.launch();
    /// ```
    ///
    /// A greeting in German over several lines, kept as a constant:
    ///
    /// Before:
    /// ```text src/bot.ts
    /// import TelegramBot from "node-telegram-bot-api";
    /// import OpenAI from "openai";
    ///
    /// const bot = new TelegramBot(process.env.BOT_TOKEN!, { polling: true });
    /// const client = new OpenAI();
    /// const GREETING = "Hallo! Ich bin die Hilfe der Stadt.\n\nStell mir deine Frage.";
    ///
    /// bot.onText(/\/start/, async (msg) => {
    ///   await bot.sendMessage(msg.chat.id, GREETING);
    /// });
    ///
    /// bot.on("message", async (msg) => {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: msg.text ?? "" });
    ///   await bot.sendMessage(msg.chat.id, answer.output_text);
    /// });
    /// ```
    /// After:
    /// ```text src/bot.ts
    /// import TelegramBot from "node-telegram-bot-api";
    /// import OpenAI from "openai";
    ///
    /// const bot = new TelegramBot(process.env.BOT_TOKEN!, { polling: true });
    /// const client = new OpenAI();
    /// const GREETING = "Hallo! Ich bin die Hilfe der Stadt.\n\nStell mir deine Frage.\n\nDu chattest mit einer KI.";
    ///
    /// bot.onText(/\/start/, async (msg) => {
    ///   await bot.sendMessage(msg.chat.id, GREETING);
    /// });
    ///
    /// bot.on("message", async (msg) => {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: msg.text ?? "" });
    ///   await bot.sendMessage(msg.chat.id, answer.output_text);
    /// });
    /// ```
    SCRIPT_GREETING_DISCLOSURE {
        id: "script-greeting-disclosure",
        checks: ["l4-undisclosed-interaction"],
        kind: Code,
        languages: [JavaScript, TypeScript, Tsx],
        plan: plan,
    }
}

/// Files that are looked through for a greeting.
const FILES_MAX: usize = 400;

/// Characters of a greeting; the scanner takes a longer text for an article.
const GREETING_CHARS_MAX: usize = 1_300;

/// Libraries of bots.
const LIBRARIES: [&str; 5] = [
    "telegraf",
    "grammy",
    "node-telegram-bot-api",
    "discord.js",
    "@slack/bolt",
];

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let own = site.file()?;
    if greet(&own, draft)? {
        finish(draft);
        return Ok(());
    }
    let mut done = false;
    let others =
        site.paths.iter().copied().filter(|path| {
            *path != own.path && is_script(Language::of_path(path)) && in_package(site, &own.path, path)
        });
    for path in others.take(FILES_MAX) {
        let Some(file) = site.source.file(path) else { continue };
        if !LIBRARIES
            .iter()
            .any(|library| String::from_utf8_lossy(&file.bytes).contains(library))
        {
            continue;
        }
        let code = site.code(path)?;
        if code.zone != engine_model::Zone::Product {
            continue;
        }
        let mut other = Draft::default();
        if greet(&code, &mut other)? {
            if done {
                return Err(NoFix::here(
                    "several files of the project greet users; add a sentence that discloses the AI to the right one",
                ));
            }
            *draft = other;
            done = true;
        }
    }
    if done {
        finish(draft);
        return Ok(());
    }
    Err(NoFix::here(
        "no greeting of a bot was found; add a sentence that discloses the AI where users see it first, in their language",
    ))
}

fn finish(draft: &mut Draft) {
    draft.describe("Adds a sentence to the greeting that discloses the AI.");
    draft.manual("Check the wording of the new sentence: it is what users read first.");
    draft.manual("Users who already talk with the bot do not see the greeting again. Decide how they are informed.");
}

/// Adds the sentence to the greeting of a file, if it has one.
fn greet(code: &Code, draft: &mut Draft) -> Result<bool, NoFix> {
    let root = code.root()?;
    let library = library(code, root);
    if library.is_empty() {
        return Ok(false);
    }
    for registered in descendants(root, |node| node.kind() == "call_expression") {
        let Some(handler) = greeting_handler(code, registered, &library) else {
            continue;
        };
        let Some(text) = said(code, handler) else { continue };
        add_sentence(code, text, draft)?;
        return Ok(true);
    }
    Ok(false)
}

/// The libraries of bots that a file imports.
fn library(code: &Code, root: Node<'_>) -> Vec<&'static str> {
    let named = |specifier: &str| LIBRARIES.iter().copied().find(|library| *library == specifier);
    let sources = descendants(root, |node| match node.kind() {
        "import_statement" => true,
        "call_expression" => required(code, node).is_some(),
        _ => false,
    });
    let mut out: Vec<&str> = sources
        .into_iter()
        .filter_map(|node| match node.kind() {
            "import_statement" => named(content(code, node.child_by_field_name("source")?)),
            _ => named(required(code, node)?),
        })
        .collect();
    out.dedup();
    out
}

/// The function that a call registers for greeting whoever begins to talk.
fn greeting_handler<'t>(code: &Code, call: Node<'t>, libraries: &[&str]) -> Option<Node<'t>> {
    let has = |library: &str| libraries.contains(&library);
    let given = arguments(call);
    receiver(call)?;
    let first = given.first().copied()?;
    let names = |wanted: &[&str]| {
        let texts = descendants(first, |node| node.kind() == "string");
        let simple = matches!(first.kind(), "string" | "array");
        simple && texts.iter().any(|text| wanted.contains(&content(code, *text)))
            || first.kind() == "member_expression"
                && wanted.iter().any(|name| {
                    let last = code.of_node(first).rsplit('.').next().unwrap_or("");
                    last.eq_ignore_ascii_case(name)
                })
    };
    let greets = match callee_name(code, call) {
        "start" => (has("telegraf") || has("grammy")) && given.len() == 1,
        "command" => (has("telegraf") || has("grammy")) && names(&["start"]),
        "onText" => has("node-telegram-bot-api") && first.kind() == "regex" && code.of_node(first).contains("\\/start"),
        "on" | "once" => has("discord.js") && names(&["guildMemberAdd"]),
        "event" => has("@slack/bolt") && names(&["app_home_opened", "team_join", "member_joined_channel"]),
        _ => false,
    };
    let last = given.last().copied().filter(|_| greets)?;
    if is_function(last) {
        return Some(last);
    }
    if last.kind() != "identifier" {
        return None;
    }
    let bound = binding(code, code.of_node(last), last)?;
    match bound.node.kind() {
        "function_declaration" => Some(bound.node),
        "variable_declarator" => bound
            .node
            .child_by_field_name("value")
            .filter(|value| is_function(*value)),
        _ => None,
    }
}

/// The literal that a handler says first.
fn said<'t>(code: &Code, handler: Node<'t>) -> Option<Node<'t>> {
    let calls = descendants(handler, |node| node.kind() == "call_expression");
    calls.into_iter().find_map(|call| {
        // What is said in a branch is not said to everybody.
        let branch = around(
            call,
            &["catch_clause", "if_statement", "switch_statement", "ternary_expression"],
        );
        if branch.is_some_and(|branch| branch.start_byte() > handler.start_byte()) {
            return None;
        }
        let given = arguments(call);
        let markup = given
            .iter()
            .any(|argument| code.of_node(*argument).contains("MarkdownV2"));
        let text = match callee_name(code, call) {
            "reply" | "replyWithMarkdown" | "replyWithHTML" | "send" | "say" | "postMessage" => given.first(),
            "sendMessage" => given.get(1),
            _ => None,
        }?;
        if markup { None } else { literal(code, *text, 0) }
    })
}

/// The last literal of a text.
fn literal<'t>(code: &Code, text: Node<'t>, depth: u32) -> Option<Node<'t>> {
    if depth > 4 {
        return None;
    }
    match text.kind() {
        "string" | "template_string" => Some(text),
        "binary_expression" => literal(code, text.child_by_field_name("right")?, depth + 1),
        "parenthesized_expression" => literal(code, children(text).first().copied()?, depth + 1),
        "object" => {
            let said = value_of(code, text, "content").or_else(|| value_of(code, text, "text"))?;
            literal(code, said, depth + 1)
        }
        "identifier" => {
            let bound = binding(code, code.of_node(text), text)?;
            let fixed = bound
                .node
                .parent()
                .is_some_and(|declared| code.of_node(declared).starts_with("const"));
            let own =
                bound.node.kind() == "variable_declarator" && bound.item.is_none() && module_of(code, &bound).is_none();
            if fixed && own {
                literal(code, bound.node.child_by_field_name("value")?, depth + 1)
            } else {
                None
            }
        }
        // `["Hello!", "Ask me."].join("\n")`
        "call_expression" if callee_name(code, text) == "join" => {
            let array = receiver(text).filter(|array| array.kind() == "array")?;
            let parts = children(array);
            let last = parts.iter().rfind(|part| part.kind() != "comment").copied()?;
            literal(code, last, depth + 1)
        }
        _ => None,
    }
}

/// Adds the sentence at the end of a literal, as a sentence or a paragraph of its own.
fn add_sentence(code: &Code, literal: Node<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let text = content(code, literal);
    let mut kept = text.trim_end();
    while let Some(rest) = kept.strip_suffix("\\n") {
        kept = rest.trim_end();
    }
    let last = kept
        .chars()
        .next_back()
        .ok_or_else(|| NoFix::here("the greeting is empty"))?;
    if text.chars().count() > GREETING_CHARS_MAX {
        return Err(NoFix::here(
            "the greeting is very long; disclose the AI at its beginning by hand",
        ));
    }
    let sentence = languages::sentence(text)
        .ok_or_else(|| NoFix::here("the language of the greeting was not recognised; disclose the AI in it by hand"))?;
    if text.contains(sentence) {
        return Err(NoFix::Done);
    }
    let start = literal.start_byte() + 1;
    let paragraphs = kept.contains("\\n") || kept.contains('\n');
    if last == ':' {
        let apart = if paragraphs { "\\n\\n" } else { " " };
        draft.insert(code, start, &format!("{sentence}{apart}"));
        return Ok(());
    }
    if matches!(last, ',' | ';' | '-' | '–' | '\\') {
        return Err(NoFix::here("the greeting ends in the middle of a sentence"));
    }
    let apart = match last {
        _ if paragraphs => "\\n\\n",
        last if last.is_alphanumeric() || last == '}' => ". ",
        _ => " ",
    };
    draft.insert(code, start + kept.len(), &format!("{apart}{sentence}"));
    Ok(())
}
