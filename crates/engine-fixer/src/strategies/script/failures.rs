//! Error handling: a failure of a model call is logged and thrown again.

use engine_model::{Call, ErrorHandling};
use engine_syntax::tree::Node;

use super::loggers::{self, Logger, Shared};
use super::places::fix_each;
use super::source::{
    Style, behind, call_at, callee_name, function_around, has_spread, is_async, is_function, is_typed, receiver,
    statement_around, value_of,
};
use crate::code::{Code, children, descendants};
use crate::strategies::model_calls::DECIDE;
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Logs a failure of the model call and throws it again.
    ///
    /// The call gets a `.catch` that logs and rethrows, so scope, type and result stay as they are. A `fetch` whose status is not
    /// checked gets a line that logs a failed status. A stream of the AI SDK gets an `onError` function.
    ///
    /// The logger of the file is used, else the one of the project, else `console.error`.
    ///
    /// Before:
    /// ```text src/app.ts
    /// import express from "express";
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    /// const app = express();
    ///
    /// app.post("/rank", async (req, res) => {
    ///   const answer = await client.responses.create({
    ///     model: "gpt-4.1-2025-04-14",
    ///     input: req.body.text,
    ///   });
    ///   res.json({ reply: answer.output_text });
    /// });
    /// ```
    /// After:
    /// ```text src/app.ts
    /// import express from "express";
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    /// const app = express();
    ///
    /// app.post("/rank", async (req, res) => {
    ///   const answer = await client.responses.create({
    ///     model: "gpt-4.1-2025-04-14",
    ///     input: req.body.text,
    ///   }).catch((error: unknown) => {
    ///     console.error("Model call failed:", error);
    ///     throw error;
    ///   });
    ///   res.json({ reply: answer.output_text });
    /// });
    /// ```
    ///
    /// With the logger of the file, without semicolons:
    ///
    /// Before:
    /// ```text src/app.js
    /// 'use strict'
    ///
    /// const express = require('express')
    /// const pino = require('pino')
    /// const Anthropic = require('@anthropic-ai/sdk')
    ///
    /// const logger = pino()
    /// const anthropic = new Anthropic()
    /// const app = express()
    ///
    /// app.post('/rank', async (req, res) => {
    ///   const message = await anthropic.messages
    ///     .create({ model: 'claude-sonnet-4-20250514', max_tokens: 100, messages: req.body.messages })
    ///   res.json({ reply: message.content[0].text })
    /// })
    /// ```
    /// After:
    /// ```text src/app.js
    /// 'use strict'
    ///
    /// const express = require('express')
    /// const pino = require('pino')
    /// const Anthropic = require('@anthropic-ai/sdk')
    ///
    /// const logger = pino()
    /// const anthropic = new Anthropic()
    /// const app = express()
    ///
    /// app.post('/rank', async (req, res) => {
    ///   const message = await anthropic.messages
    ///     .create({ model: 'claude-sonnet-4-20250514', max_tokens: 100, messages: req.body.messages })
    ///     .catch((error) => {
    ///       logger.error({ err: error }, 'Model call failed')
    ///       throw error
    ///     })
    ///   res.json({ reply: message.content[0].text })
    /// })
    /// ```
    ///
    /// A direct request whose status is not checked:
    ///
    /// Before:
    /// ```text server.js
    /// import express from "express";
    ///
    /// const app = express();
    ///
    /// app.post("/rank", async (req, res) => {
    ///   const response = await fetch("https://api.openai.com/v1/responses", {
    ///     method: "POST",
    ///     headers: { Authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    ///     body: JSON.stringify({ model: "gpt-4.1-2025-04-14", input: req.body.text }),
    ///   });
    ///   const data = await response.json();
    ///   res.json({ reply: data.output_text });
    /// });
    /// ```
    /// After:
    /// ```text server.js
    /// import express from "express";
    ///
    /// const app = express();
    ///
    /// app.post("/rank", async (req, res) => {
    ///   const response = await fetch("https://api.openai.com/v1/responses", {
    ///     method: "POST",
    ///     headers: { Authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    ///     body: JSON.stringify({ model: "gpt-4.1-2025-04-14", input: req.body.text }),
    ///   }).catch((error) => {
    ///     console.error("Model call failed:", error);
    ///     throw error;
    ///   });
    ///   if (!response.ok) {
    ///     console.error("Model call failed with status", response.status);
    ///   }
    ///   const data = await response.json();
    ///   res.json({ reply: data.output_text });
    /// });
    /// ```
    ///
    /// A stream of the AI SDK:
    ///
    /// Before:
    /// ```text
    /// //- package.json
    /// {
    ///   "dependencies": { "ai": "5.0.60", "@ai-sdk/openai": "2.0.40", "express": "5.1.0" }
    /// }
    /// //- src/app.mjs
    /// import express from 'express';
    /// import { streamText } from 'ai';
    /// import { openai } from '@ai-sdk/openai';
    ///
    /// const app = express();
    ///
    /// app.post('/chat', (req, res) => {
    ///   const result = streamText({
    ///     model: openai('gpt-4.1-2025-04-14'),
    ///     messages: req.body.messages
    ///   });
    ///   result.pipeTextStreamToResponse(res);
    /// });
    /// ```
    /// After:
    /// ```text src/app.mjs
    /// import express from 'express';
    /// import { streamText } from 'ai';
    /// import { openai } from '@ai-sdk/openai';
    ///
    /// const app = express();
    ///
    /// app.post('/chat', (req, res) => {
    ///   const result = streamText({
    ///     model: openai('gpt-4.1-2025-04-14'),
    ///     messages: req.body.messages,
    ///     onError({ error }) {
    ///       console.error('Model call failed:', error);
    ///     }
    ///   });
    ///   result.pipeTextStreamToResponse(res);
    /// });
    /// ```
    SCRIPT_ERROR_HANDLING {
        id: "script-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [JavaScript, TypeScript, Tsx],
        plan: plan,
    }
}

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let open = |call: &Call| call.error_handling == ErrorHandling::No;
    let shared = Shared::default();
    fix_each(site, draft, open, |call, code, draft| {
        handle(site, code, call, &shared, draft)
    })?;
    draft.describe("Logs a failure of the model call and throws it again, so that callers see it as before.");
    draft.manual(DECIDE);
    Ok(())
}

/// Methods of libraries that give something else than a promise: a stream or a runner.
const NO_PROMISE: [&str; 15] = [
    "createAndStream",
    "generateStream",
    "live",
    "query",
    "promptStreaming",
    "runFunctions",
    "runTools",
    "sendStream",
    "streamEvents",
    "streamObject",
    "streamText",
    "streamUI",
    "submit",
    "submitToolOutputsStream",
    "toolRunner",
];

/// Methods whose names speak of a stream, and that give a promise of one.
const PROMISED_STREAMS: [&str; 4] = [
    "generateContentStream",
    "sendMessageStream",
    "chatStream",
    "converseStream",
];

/// Whether what a call gives is a promise.
fn is_promise(call: &Call, name: &str) -> bool {
    if PROMISED_STREAMS.contains(&name) {
        return true;
    }
    if name == "stream" {
        let sdk = call.sdk.as_deref().unwrap_or("");
        return sdk.starts_with("langchain") || sdk.starts_with("langgraph") || sdk.contains("mistral");
    }
    !NO_PROMISE.contains(&name) && !name.to_ascii_lowercase().contains("stream")
}

fn handle(site: &Site<'_>, code: &Code, call: &Call, shared: &Shared, draft: &mut Draft) -> Result<(), NoFix> {
    let node = call_at(code, call)?;
    let style = Style::of(code)?;
    let name = callee_name(code, node);
    let logger = logger(site, code, node, &style, shared);
    if matches!(name, "streamText" | "streamObject") && call.sdk.as_deref() == Some("ai") {
        return listen(site, code, node, &style, logger.as_ref(), draft);
    }
    if !is_promise(call, name) {
        return Err(NoFix::here(format!(
            "`{name}` returns a stream, which reports its failure while it is read; handle the error there"
        )));
    }
    let promise = promise(code, node)?;
    let log = match &logger {
        Some(logger) => logger.failure(&style, "error"),
        None => Logger::console_failure(&style, "error"),
    };
    if is_fetch(code, node) {
        check_status(code, node, promise, &style, logger.as_ref(), draft)?;
    }
    if let Some(logger) = &logger {
        loggers::add_import(draft, code, logger);
    }
    let end = promise.end_byte();
    let (unit, stop) = (&style.unit, style.end);
    let own_line = dot_on_own_line(code, promise);
    let mut indent = code.indent(own_line.unwrap_or(end)).to_owned();
    let mut before = if own_line.is_some() {
        format!("\n{indent}")
    } else {
        String::new()
    };
    if let Some(dot) = dot_to_break(code, promise) {
        indent.push_str(unit);
        before = format!("\n{indent}");
        draft.insert(code, dot, &before);
    }
    let parameter = match (is_typed(code), style.bare) {
        (true, _) => "(error: unknown)",
        (false, true) => "error",
        (false, false) => "(error)",
    };
    draft.insert(
        code,
        end,
        &format!(
            "{before}.catch({parameter} => {{\n{indent}{unit}{log}{stop}\n{indent}{unit}throw error{stop}\n{indent}}})"
        ),
    );
    Ok(())
}

/// The logger for failures: of the file, else of the project where the file does not write to the console.
fn logger(site: &Site<'_>, code: &Code, at: Node<'_>, style: &Style, shared: &Shared) -> Option<Logger> {
    loggers::in_scope(site, code, at).or_else(|| {
        if loggers::uses_console(code) {
            None
        } else {
            shared.find(site, code, style)
        }
    })
}

/// The whole promise that a call begins, with what is chained to it, where the program waits for it.
fn promise<'t>(code: &Code, call: Node<'t>) -> Result<Node<'t>, NoFix> {
    /// Methods that give another promise.
    const CHAINED: [&str; 7] = [
        "then",
        "finally",
        "promise",
        "withResponse",
        "asResponse",
        "json",
        "text",
    ];
    let mut top = call;
    let mut chained = false;
    while let Some(parent) = top.parent() {
        let outer = parent.parent().filter(|outer| {
            parent.kind() == "member_expression"
                && parent.child_by_field_name("object") == Some(top)
                && outer.kind() == "call_expression"
                && outer.child_by_field_name("function") == Some(parent)
        });
        let Some(outer) = outer else { break };
        let name = callee_name(code, outer);
        if !CHAINED.contains(&name) {
            return Err(NoFix::here(format!(
                "`.{name}` is chained to the call, and it is not known what it returns"
            )));
        }
        chained |= name == "then";
        top = outer;
    }
    let mut parent = top.parent();
    while let Some(bracket) = parent.filter(|parent| parent.kind() == "parenthesized_expression") {
        parent = bracket.parent();
    }
    let waits = match parent {
        Some(parent) => match parent.kind() {
            "await_expression" => true,
            "return_statement" => function_around(parent).is_some_and(|function| gives_promise(code, function)),
            "arrow_function" => gives_promise(code, parent) || is_gathered(code, parent),
            "expression_statement" => chained,
            "array" => is_gathered(code, parent),
            _ => false,
        },
        None => false,
    };
    if waits {
        Ok(top)
    } else {
        Err(NoFix::here(
            "the program does not wait for the call at this place; handle the failure where it does",
        ))
    }
}

/// Whether a function gives a promise whatever it returns: it is `async`, or says so.
fn gives_promise(code: &Code, function: Node<'_>) -> bool {
    let annotated = function.child_by_field_name("return_type").is_some_and(|of| {
        code.of_node(of)
            .trim_start_matches(':')
            .trim_start()
            .starts_with("Promise<")
    });
    is_async(function) || annotated
}

/// Whether a list of promises, or the function that makes each of them, is handed to `Promise.all`.
fn is_gathered(code: &Code, node: Node<'_>) -> bool {
    let call_of = |inside: Node<'_>| {
        inside
            .parent()
            .filter(|list| list.kind() == "arguments")
            .and_then(|list| list.parent())
            .map(|call| call.id())
    };
    let Some(list) = node.parent().filter(|list| list.kind() == "arguments") else {
        return false;
    };
    let Some(call) = list.parent() else { return false };
    let gathers = |call: Node<'_>| {
        receiver(call).is_some_and(|object| code.of_node(object) == "Promise")
            && matches!(callee_name(code, call), "all" | "allSettled" | "race" | "any")
    };
    if is_function(node) {
        callee_name(code, call) == "map"
            && call_of(call).is_some()
            && call.parent().and_then(|list| list.parent()).is_some_and(gathers)
    } else {
        gathers(call)
    }
}

/// The dot of the last method, where it begins a line of its own.
fn dot_on_own_line(code: &Code, call: Node<'_>) -> Option<usize> {
    let object = receiver(call)?;
    let property = call.child_by_field_name("function")?.child_by_field_name("property")?;
    let start = code.line_start(property.start_byte());
    let before = code.text.get(start..property.start_byte())?.trim();
    (object.end_byte() < start && matches!(before, "." | "?.")).then_some(property.start_byte())
}

/// The dot of the last method of a long line, which begins a line of its own then.
fn dot_to_break(code: &Code, call: Node<'_>) -> Option<usize> {
    /// Characters of a line that need no break, with those that are added to it.
    const LINE_MAX: usize = 100;
    const ADDED: usize = 28;
    let object = receiver(call)?;
    let line = code.text.get(code.line_start(call.start_byte())..call.end_byte())?;
    let is_short = line.contains('\n') || line.chars().count() + ADDED <= LINE_MAX;
    let dot = object.end_byte();
    let plain = code.text.get(dot..).is_some_and(|rest| rest.starts_with('.'));
    let of_this = matches!(object.kind(), "this" | "super" | "identifier");
    (!is_short && plain && !of_this).then_some(dot)
}

fn is_fetch(code: &Code, call: Node<'_>) -> bool {
    call.child_by_field_name("function")
        .is_some_and(|callee| matches!(code.of_node(callee), "fetch" | "globalThis.fetch" | "window.fetch"))
}

/// A request with a failed status rejects nothing: where the status is not checked, it is logged.
fn check_status(
    code: &Code,
    call: Node<'_>,
    promise: Node<'_>,
    style: &Style,
    logger: Option<&Logger>,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    const TELLS: [&str; 2] = ["ok", "status"];
    let unseen = || {
        NoFix::here(
            "the status of the response is not checked, and `fetch` does not reject on a failed status; check `response.ok` by hand first",
        )
    };
    let asks = |node: Node<'_>| {
        node.kind() == "member_expression"
            && node
                .child_by_field_name("property")
                .is_some_and(|name| TELLS.contains(&code.of_node(name)))
    };
    if promise.id() != call.id() {
        return if descendants(promise, asks).is_empty() {
            Err(unseen())
        } else {
            Ok(())
        };
    }
    let statement = statement_around(call).ok_or_else(unseen)?;
    let name = response_name(code, statement, promise).ok_or_else(unseen)?;
    let block = statement.parent().ok_or_else(unseen)?;
    let of_it = |node: Node<'_>| {
        asks(node)
            && node
                .child_by_field_name("object")
                .is_some_and(|of| code.of_node(of) == name)
    };
    if !descendants(block, of_it).is_empty() {
        return Ok(());
    }
    let log = match logger {
        Some(logger) => logger.status(style, name),
        None => Logger::console_status(style, name),
    };
    let (indent, unit, stop) = (code.indent(statement.start_byte()), &style.unit, style.end);
    let at = behind(code, statement)?;
    draft.insert(
        code,
        at,
        &format!("\n{indent}if (!{name}.ok) {{\n{indent}{unit}{log}{stop}\n{indent}}}"),
    );
    Ok(())
}

/// The name under which a statement keeps what it waits for: `const response = await …`.
fn response_name<'c>(code: &'c Code, statement: Node<'_>, promise: Node<'_>) -> Option<&'c str> {
    let waited = promise.parent().filter(|parent| parent.kind() == "await_expression")?;
    let holder = waited.parent()?;
    let name = match holder.kind() {
        "variable_declarator" => {
            let declared = children(statement);
            if holder.parent()?.id() != statement.id() || declared.len() != 1 {
                return None;
            }
            holder.child_by_field_name("name")?
        }
        "assignment_expression" if holder.parent()?.id() == statement.id() => holder.child_by_field_name("left")?,
        _ => return None,
    };
    (name.kind() == "identifier").then(|| code.of_node(name))
}

/// A stream of the AI SDK throws nothing; it calls a function that it was given for failures.
fn listen(
    site: &Site<'_>,
    code: &Code,
    call: Node<'_>,
    style: &Style,
    logger: Option<&Logger>,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    if loggers::version(site, "ai").is_none_or(|version| version < (4, 2)) {
        return Err(NoFix::here(
            "`onError` needs version 4.2 of the package `ai`, and no manifest with that version or a later one was found",
        ));
    }
    let options = options(code, call, "onError")?;
    let log = match logger {
        Some(logger) => logger.failure(style, "error"),
        None => Logger::console_failure(style, "error"),
    };
    add_method(code, options, style, "onError({ error })", &log, draft)?;
    if let Some(logger) = logger {
        loggers::add_import(draft, code, logger);
    }
    Ok(())
}

/// The options of a call, where all keys are known and a key is not among them.
pub(super) fn options<'t>(code: &Code, call: Node<'t>, key: &str) -> Result<Node<'t>, NoFix> {
    let arguments = super::source::arguments(call);
    let [options] = arguments.as_slice() else {
        return Err(NoFix::here("the call has no separate options"));
    };
    if options.kind() != "object" || has_spread(*options) || value_of(code, *options, key).is_some() {
        return Err(NoFix::here(format!(
            "the options of the call are not all visible here, or contain `{key}` already"
        )));
    }
    Ok(*options)
}

/// Adds a method with one statement as the last entry of an object.
pub(super) fn add_method(
    code: &Code,
    object: Node<'_>,
    style: &Style,
    head: &str,
    statement: &str,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    let (stop, unit) = (style.end, &style.unit);
    let last = children(object).into_iter().rfind(|entry| entry.kind() != "comment");
    let indent = last.map_or("", |last| code.indent(last.start_byte()));
    let lines = format!("{head} {{\n{indent}{unit}{statement}{stop}\n{indent}}}");
    let line = (!statement.contains('\n')).then(|| format!("{head} {{ {statement}{stop} }}"));
    add_entry(code, object, &lines, line.as_deref(), draft)
}

/// Adds an entry as the last one of an object: in its own lines, or in one where the object stands in one.
pub(super) fn add_entry(
    code: &Code,
    object: Node<'_>,
    lines: &str,
    line: Option<&str>,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    let last = children(object).into_iter().rfind(|entry| entry.kind() != "comment");
    let last = last.ok_or_else(|| NoFix::here("the object has no entries yet"))?;
    let end = last.end_byte();
    let close = object.end_byte().saturating_sub(1);
    let has_comma = code.text.get(end..close).unwrap_or("").trim_start().starts_with(',');
    let start = code.line_start(close);
    if start > end && code.text.get(start..close).is_some_and(|blank| blank.trim().is_empty()) {
        if !has_comma {
            draft.insert(code, end, ",");
        }
        let (indent, comma) = (code.indent(last.start_byte()), if has_comma { "," } else { "" });
        draft.insert(code, start, &format!("{indent}{lines}{comma}\n"));
        return Ok(());
    }
    let line = line.ok_or_else(|| NoFix::here("the object is on one line"))?;
    if has_comma || code.line_start(end) != start {
        return Err(NoFix::here("the object is written in an unusual way"));
    }
    draft.insert(code, end, &format!(", {line}"));
    Ok(())
}
