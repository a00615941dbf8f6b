//! Logging: one line for each model call, with what identifies it and nothing of what was said.

use engine_model::{Call, Logging};
use engine_syntax::tree::Node;

use super::failures::{add_method, options};
use super::loggers::{self, Logger, Shared};
use super::places::fix_each;
use super::source::{
    Style, arguments, behind, binding, call_at, callee_name, has_spread, is_used, statement_around, value_of,
};
use crate::code::{Code, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Logs each model call with model, response id and usage.
    ///
    /// The line holds metadata only, never the prompt or the answer. It is written with the logger that the file uses or imports, else
    /// with the only logger of the project. Console output does not count as a log, so a project without a logger is left to a person.
    ///
    /// Before:
    /// ```text
    /// //- src/logger.ts
    /// import pino from "pino";
    ///
    /// export const logger = pino();
    /// //- src/rank.ts
    /// import OpenAI from "openai";
    /// import { logger } from "./logger";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function rank(text: string) {
    ///   logger.debug("ranking");
    ///   return text;
    /// }
    ///
    /// export async function grade(text: string) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: text });
    ///   return answer.output_text;
    /// }
    /// //- src/app.ts
    /// import express from "express";
    /// import { grade } from "./rank";
    ///
    /// const app = express();
    ///
    /// app.post("/grade", async (req, res) => {
    ///   res.json({ grade: await grade(req.body.text) });
    /// });
    /// ```
    /// After:
    /// ```text src/rank.ts
    /// import OpenAI from "openai";
    /// import { logger } from "./logger";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function rank(text: string) {
    ///   logger.debug("ranking");
    ///   return text;
    /// }
    ///
    /// export async function grade(text: string) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: text });
    ///   logger.info(
    ///     { model: answer.model, responseId: answer.id, usage: answer.usage },
    ///     "Model call completed"
    ///   );
    ///   return answer.output_text;
    /// }
    /// ```
    ///
    /// The logger of the project, imported the way another file does, and a call that is returned at once:
    ///
    /// Before:
    /// ```text
    /// //- lib/logger.js
    /// const winston = require('winston');
    ///
    /// const logger = winston.createLogger({ transports: [new winston.transports.File({ filename: 'app.log' })] });
    ///
    /// module.exports = { logger };
    /// //- server.js
    /// 'use strict';
    ///
    /// const express = require('express');
    /// const { logger } = require('./lib/logger');
    /// const { grade } = require('./services/grade');
    ///
    /// const app = express();
    ///
    /// app.post('/grade', async (req, res) => {
    ///   res.json({ grade: await grade(req.body.text) });
    /// });
    /// app.listen(3000, () => logger.info('listening'));
    /// //- services/grade.js
    /// 'use strict';
    ///
    /// const Anthropic = require('@anthropic-ai/sdk');
    ///
    /// const anthropic = new Anthropic();
    ///
    /// async function grade(text) {
    ///   return (await anthropic.messages.create({
    ///     model: 'claude-sonnet-4-20250514',
    ///     max_tokens: 10,
    ///     messages: [{ role: 'user', content: text }],
    ///   })).content[0].text;
    /// }
    ///
    /// module.exports = { grade };
    /// ```
    /// After:
    /// ```text services/grade.js
    /// 'use strict';
    ///
    /// const Anthropic = require('@anthropic-ai/sdk');
    /// const { logger } = require('../lib/logger');
    ///
    /// const anthropic = new Anthropic();
    ///
    /// async function grade(text) {
    ///   const response = await anthropic.messages.create({
    ///     model: 'claude-sonnet-4-20250514',
    ///     max_tokens: 10,
    ///     messages: [{ role: 'user', content: text }],
    ///   });
    ///   logger.info('Model call completed', {
    ///     model: response.model,
    ///     responseId: response.id,
    ///     usage: response.usage,
    ///   });
    ///   return response.content[0].text;
    /// }
    ///
    /// module.exports = { grade };
    /// ```
    ///
    /// A stream of the AI SDK:
    ///
    /// Before:
    /// ```text
    /// //- package.json
    /// {
    ///   "dependencies": { "ai": "^5.0.60", "@ai-sdk/openai": "^2.0.40", "fastify": "^5.6.0" }
    /// }
    /// //- src/app.mjs
    /// import Fastify from 'fastify'
    /// import { streamText } from 'ai'
    /// import { openai } from '@ai-sdk/openai'
    ///
    /// const fastify = Fastify({ logger: true })
    ///
    /// fastify.get('/health', async (request) => {
    ///   request.log.debug('health')
    ///   return { ok: true }
    /// })
    ///
    /// fastify.post('/chat', async (request, reply) => {
    ///   const result = streamText({
    ///     model: openai('gpt-4.1-2025-04-14'),
    ///     messages: request.body.messages,
    ///   })
    ///   return reply.send(result.textStream)
    /// })
    /// ```
    /// After:
    /// ```text src/app.mjs
    /// import Fastify from 'fastify'
    /// import { streamText } from 'ai'
    /// import { openai } from '@ai-sdk/openai'
    ///
    /// const fastify = Fastify({ logger: true })
    ///
    /// fastify.get('/health', async (request) => {
    ///   request.log.debug('health')
    ///   return { ok: true }
    /// })
    ///
    /// fastify.post('/chat', async (request, reply) => {
    ///   const result = streamText({
    ///     model: openai('gpt-4.1-2025-04-14'),
    ///     messages: request.body.messages,
    ///     onFinish({ response, usage }) {
    ///       request.log.info(
    ///         { model: response.modelId, responseId: response.id, usage },
    ///         'Model call completed'
    ///       )
    ///     },
    ///   })
    ///   return reply.send(result.textStream)
    /// })
    /// ```
    SCRIPT_INTERACTION_LOG {
        id: "script-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [JavaScript, TypeScript, Tsx],
        plan: plan,
    }
}

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let open = |call: &Call| call.logging != Logging::Yes;
    let shared = Shared::default();
    fix_each(site, draft, open, |call, code, draft| {
        log(site, code, call, &shared, draft)
    })?;
    draft.describe("Logs model, response id and usage of the model call, and nothing of the prompt or the answer.");
    draft.safe();
    Ok(())
}

fn log(site: &Site<'_>, code: &Code, call: &Call, shared: &Shared, draft: &mut Draft) -> Result<(), NoFix> {
    let node = call_at(code, call)?;
    let style = Style::of(code)?;
    let logger = loggers::in_scope(site, code, node)
        .or_else(|| shared.find(site, code, &style))
        .ok_or_else(|| loggers::missing(site, code))?;
    loggers::add_import(draft, code, &logger);
    if matches!(callee_name(code, node), "streamText" | "streamObject") && call.sdk.as_deref() == Some("ai") {
        return log_stream(site, code, node, &style, &logger, draft);
    }
    let waited = waited(node).ok_or_else(|| {
        NoFix::here("the program does not wait for the call with `await` at this place, so a log line cannot follow it")
    })?;
    let statement = statement_around(waited)
        .filter(|statement| always_runs(code, waited, *statement))
        .ok_or_else(|| {
            NoFix::here("the call is part of a larger statement that may not run it, so a log line cannot follow it")
        })?;
    let plain = is_plain(code, node, waited);
    let indent = code.indent(statement.start_byte()).to_owned();
    if statement.kind() == "return_statement" {
        return log_before_return(
            site,
            code,
            call,
            Place {
                node,
                waited,
                statement,
                plain,
            },
            &style,
            &logger,
            draft,
        );
    }
    let name = kept_name(code, statement, waited);
    let fields = fields(site, code, call, node, name.filter(|_| plain))?;
    let line = logger.interaction(&style, &indent, &fields);
    draft.insert(
        code,
        behind(code, statement)?,
        &format!("\n{indent}{line}{}", style.end),
    );
    Ok(())
}

/// A call with what surrounds it.
#[derive(Clone, Copy)]
struct Place<'t> {
    node: Node<'t>,
    waited: Node<'t>,
    statement: Node<'t>,
    /// Whether what is waited for is the response of the library itself.
    plain: bool,
}

/// The `await` of a call, with what is chained to it.
fn waited(call: Node<'_>) -> Option<Node<'_>> {
    let mut at = call;
    loop {
        let parent = at.parent()?;
        let chained = match parent.kind() {
            "await_expression" => return Some(parent),
            "member_expression" => parent.child_by_field_name("object") == Some(at),
            "call_expression" => parent.child_by_field_name("function") == Some(at),
            "parenthesized_expression" => true,
            _ => false,
        };
        if !chained {
            return None;
        }
        at = parent;
    }
}

/// Whether a statement runs an expression in it exactly once.
fn always_runs(code: &Code, expression: Node<'_>, statement: Node<'_>) -> bool {
    const STATEMENTS: [&str; 4] = [
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
        "return_statement",
    ];
    const PARTS: [&str; 15] = [
        "variable_declarator",
        "assignment_expression",
        "member_expression",
        "subscript_expression",
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "object",
        "pair",
        "array",
        "template_string",
        "template_substitution",
        "await_expression",
        "spread_element",
    ];
    let mut at = expression;
    while at.id() != statement.id() {
        let Some(parent) = at.parent() else { return false };
        let runs = parent.id() == statement.id() && STATEMENTS.contains(&parent.kind())
            || PARTS.contains(&parent.kind())
            || matches!(parent.kind(), "call_expression" | "arguments") && !code.of_node(parent).contains("?.")
            || parent.kind() == "binary_expression" && parent.child_by_field_name("left") == Some(at)
            || parent.kind() == "ternary_expression" && parent.child_by_field_name("condition") == Some(at);
        if !runs {
            return false;
        }
        at = parent;
    }
    true
}

/// Whether nothing but handlers that throw stands between a call and its `await`.
fn is_plain(code: &Code, call: Node<'_>, waited: Node<'_>) -> bool {
    let mut at = call;
    while let Some(parent) = at.parent().filter(|parent| parent.id() != waited.id()) {
        if parent.kind() == "call_expression" {
            let throws = || {
                let handler = arguments(parent).first().copied();
                let body = handler.and_then(|handler| handler.child_by_field_name("body"));
                body.and_then(|body| children(body).last().copied())
                    .is_some_and(|last| last.kind() == "throw_statement")
            };
            if callee_name(code, parent) != "catch" || !throws() {
                return false;
            }
        }
        at = parent;
    }
    true
}

/// The name under which a statement keeps exactly what it waits for.
fn kept_name<'c>(code: &'c Code, statement: Node<'_>, waited: Node<'_>) -> Option<&'c str> {
    let holder = waited.parent()?;
    let name = match holder.kind() {
        "variable_declarator" => holder.child_by_field_name("name")?,
        "assignment_expression" => holder.child_by_field_name("left")?,
        _ => return None,
    };
    // A type of its own may not have the fields of the response.
    let typed = |declared: Node<'_>| declared.child_by_field_name("type").is_some();
    let bound = binding(code, code.of_node(name), waited);
    let open = !typed(holder) && bound.is_none_or(|bound| !typed(bound.node));
    (open && name.kind() == "identifier" && holder.parent()?.id() == statement.id()).then(|| code.of_node(name))
}

/// `return (await call).text` becomes a statement that keeps the response, the line of the log, and the `return`.
fn log_before_return(
    site: &Site<'_>,
    code: &Code,
    call: &Call,
    place: Place<'_>,
    style: &Style,
    logger: &Logger,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    let Place {
        node,
        waited,
        statement,
        plain,
    } = place;
    let first = |mut value: Node<'_>| {
        // The call must be what is worked out first, so that nothing changes its turn.
        loop {
            if value.id() == waited.id() {
                return true;
            }
            let inner = match value.kind() {
                "member_expression" | "subscript_expression" => value.child_by_field_name("object"),
                "call_expression" => value.child_by_field_name("function"),
                "parenthesized_expression" | "as_expression" | "non_null_expression" | "satisfies_expression" => {
                    children(value).first().copied()
                }
                "binary_expression" | "ternary_expression" => value
                    .child_by_field_name("left")
                    .or(value.child_by_field_name("condition")),
                _ => None,
            };
            let Some(inner) = inner else { return false };
            value = inner;
        }
    };
    let value = children(statement).into_iter().find(|part| part.kind() != "comment");
    let value = value.filter(|value| first(*value)).ok_or_else(|| {
        NoFix::here("other parts of the returned value are evaluated before the call, so the statement is not split")
    })?;
    let name = ["response", "modelResponse"]
        .into_iter()
        .find(|name| !is_used(code, name))
        .ok_or_else(|| NoFix::here("the names `response` and `modelResponse` are taken in this file"))?;
    // Brackets around the `await` alone go with it.
    let mut whole = waited;
    while let Some(bracket) = whole
        .parent()
        .filter(|parent| parent.kind() == "parenthesized_expression" && value.start_byte() <= parent.start_byte())
    {
        whole = bracket;
    }
    let between = |range: std::ops::Range<usize>| {
        code.text
            .get(range)
            .unwrap_or("")
            .split_whitespace()
            .collect::<String>()
    };
    let open = between(statement.start_byte()..waited.start_byte());
    let close = between(waited.end_byte()..whole.end_byte());
    if value.start_byte() != whole.start_byte()
        || open
            .strip_prefix("return")
            .is_none_or(|rest| rest.contains(|c| c != '('))
        || close.contains(|c| c != ')')
    {
        return Err(NoFix::here(
            "the returned value begins with more than the brackets of the call",
        ));
    }
    let indent = code.indent(statement.start_byte()).to_owned();
    let fields = fields(site, code, call, node, plain.then_some(name))?;
    let line = logger.interaction(style, &indent, &fields);
    let stop = style.end;
    draft.replace(
        code,
        statement.start_byte()..waited.start_byte(),
        &format!("const {name} = "),
    );
    draft.replace(
        code,
        waited.end_byte()..whole.end_byte(),
        &format!("{stop}\n{indent}{line}{stop}\n{indent}return {name}"),
    );
    Ok(())
}

/// What is known of a call for certain, as names of fields and expressions.
fn fields(
    site: &Site<'_>,
    code: &Code,
    call: &Call,
    node: Node<'_>,
    response: Option<&str>,
) -> Result<Vec<(&'static str, String)>, NoFix> {
    let asked = arguments(node);
    let options = asked.iter().copied().find(|argument| argument.kind() == "object");
    let known = options.is_some_and(|options| !has_spread(options));
    let streams = !known || options.is_some_and(|options| value_of(code, options, "stream").is_some());
    let mut out = Vec::new();
    if let Some(response) = response {
        out = of_response(site, call, response, streams);
    }
    if !out.iter().any(|(name, _)| *name == "model")
        && let Some(model) = options.and_then(|options| model_of(code, options))
    {
        out.insert(0, ("model", model));
    }
    // The model of a request by hand stands in its body.
    let body = options
        .and_then(|options| value_of(code, options, "body"))
        .filter(|body| body.kind() == "call_expression" && code.of_node(*body).starts_with("JSON.stringify("));
    let sent = body
        .and_then(|body| arguments(body).first().copied())
        .filter(|sent| sent.kind() == "object");
    match sent.and_then(|sent| model_of(code, sent)) {
        Some(model) => out.insert(0, ("model", model)),
        None if is_request(call) => out.clear(),
        None => {}
    }
    if out.is_empty() {
        return Err(NoFix::here(
            "neither the model name nor the fields of the response are known here, so a log line would not identify the call",
        ));
    }
    Ok(out)
}

/// The model that a call names in its options, where reading it again changes nothing.
fn model_of(code: &Code, options: Node<'_>) -> Option<String> {
    let value = value_of(code, options, "model")?;
    let simple = match value.kind() {
        "string" | "identifier" | "shorthand_property_identifier" => true,
        "member_expression" => descendants(value, |node| {
            matches!(
                node.kind(),
                "call_expression" | "await_expression" | "subscript_expression"
            )
        })
        .is_empty(),
        _ => false,
    };
    simple.then(|| code.of_node(value).to_owned())
}

/// Whether a call is a request by hand.
fn is_request(call: &Call) -> bool {
    call.symbol.rsplit('.').next() == Some("fetch")
}

/// The fields that a response of a library has for certain.
fn of_response(site: &Site<'_>, call: &Call, response: &str, streams: bool) -> Vec<(&'static str, String)> {
    let field = |name: &'static str, path: &str| (name, format!("{response}.{path}"));
    let whole = || {
        vec![
            field("model", "model"),
            field("responseId", "id"),
            field("usage", "usage"),
        ]
    };
    let symbol = call.symbol.as_str();
    let ends = |end: &str| symbol.ends_with(end);
    let of = |root: &str| {
        symbol
            .strip_prefix(root)
            .is_some_and(|rest| rest.starts_with(['.', '/', '(']))
    };
    if is_request(call) {
        return vec![field("status", "status")];
    }
    if of("openai") || of("groq-sdk") || of("together-ai") {
        return match symbol {
            _ if streams => Vec::new(),
            _ if ends(".chat.completions.create") || ends(".responses.create") => whole(),
            _ if ends(".embeddings.create") => vec![field("model", "model"), field("usage", "usage")],
            _ => Vec::new(),
        };
    }
    if of("@anthropic-ai/sdk") && ends(".messages.create") && !streams {
        return whole();
    }
    if of("@mistralai/mistralai") && ends(".chat.complete") {
        return whole();
    }
    if of("@google/genai") && ends(".generateContent") {
        return vec![field("model", "modelVersion"), field("usage", "usageMetadata")];
    }
    if of("@google/generative-ai") && ends(".generateContent") {
        return match loggers::version(site, "@google/generative-ai") {
            Some(version) if version >= (0, 12) => vec![field("usage", "response.usageMetadata")],
            _ => Vec::new(),
        };
    }
    if symbol == "ai.generateText" || symbol == "ai.generateObject" {
        let mut out = Vec::new();
        if loggers::version(site, "ai").is_some_and(|version| version >= (4, 0)) {
            out = vec![field("model", "response.modelId"), field("responseId", "response.id")];
        }
        out.push(field("usage", "usage"));
        return out;
    }
    let chat = symbol
        .rsplit('.')
        .nth(1)
        .is_some_and(|made| made.starts_with("Chat") && made.ends_with("()"));
    if of("@langchain") && chat && ends(".invoke") {
        return vec![field("responseId", "id"), field("usage", "usage_metadata")];
    }
    Vec::new()
}

/// A stream of the AI SDK tells at its end what it used.
fn log_stream(
    site: &Site<'_>,
    code: &Code,
    call: Node<'_>,
    style: &Style,
    logger: &Logger,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    if loggers::version(site, "ai").is_none_or(|version| version < (4, 0)) {
        return Err(NoFix::here(
            "`onFinish` reports the model only from version 4 of the package `ai`, and no manifest with such a version was found",
        ));
    }
    let options = options(code, call, "onFinish")?;
    let last = children(options).into_iter().rfind(|entry| entry.kind() != "comment");
    let indent = last.map_or("", |last| code.indent(last.start_byte()));
    let fields = [
        ("model", "response.modelId".to_owned()),
        ("responseId", "response.id".to_owned()),
        ("usage", "usage".to_owned()),
    ];
    let line = logger.interaction(style, &format!("{indent}{}", style.unit), &fields);
    add_method(code, options, style, "onFinish({ response, usage })", &line, draft)
}
