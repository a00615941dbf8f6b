//! Log lines behind model calls.

use engine_syntax::tree::Node;

use super::failures::end_of;
use super::imports::Imports;
use super::loggers::{Logger, configures_log, returns_within};
use super::places::{self, Place};
use super::source::{
    arguments, free_name, function_of, has_splat, is_within, keyword, line_end, lines_of, statement_of,
};
use crate::code::{Code, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Logs each model call, without the texts of prompt and output.
    ///
    /// The log line follows the call. It has the id of the response, the model and the token usage where the response of the library
    /// has them for certain. It never has the text of a prompt or an output, because both may be personal data. The line goes to the
    /// logger of the file; where there is none, one is created. A call in a larger expression gets a name first.
    ///
    /// Before:
    ///
    /// ```text app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import logging
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// logger = logging.getLogger(__name__)
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     response = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    ///     logger.info(
    ///         "Model call: id=%s, model=%s, usage=%s",
    ///         response.id,
    ///         response.model,
    ///         response.usage,
    ///     )
    ///     return response.output_text
    /// ```
    ///
    /// The response has a name, and the file uses `loguru`:
    ///
    /// Before:
    ///
    /// ```text app.py
    /// from anthropic import AsyncAnthropic
    /// from fastapi import FastAPI
    /// from loguru import logger
    ///
    /// app = FastAPI()
    /// client = AsyncAnthropic()
    ///
    ///
    /// @app.on_event("startup")
    /// async def start():
    ///     logger.info("ready")
    ///
    ///
    /// @app.post("/rank")
    /// async def rank(text: str):
    ///     message = await client.messages.create(
    ///         model="claude-sonnet-4-5-20250929",
    ///         max_tokens=20,
    ///         messages=[{"role": "user", "content": text}],
    ///     )
    ///     return message.content[0].text
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// from anthropic import AsyncAnthropic
    /// from fastapi import FastAPI
    /// from loguru import logger
    ///
    /// app = FastAPI()
    /// client = AsyncAnthropic()
    ///
    ///
    /// @app.on_event("startup")
    /// async def start():
    ///     logger.info("ready")
    ///
    ///
    /// @app.post("/rank")
    /// async def rank(text: str):
    ///     message = await client.messages.create(
    ///         model="claude-sonnet-4-5-20250929",
    ///         max_tokens=20,
    ///         messages=[{"role": "user", "content": text}],
    ///     )
    ///     logger.info(
    ///         "Model call: id={}, model={}, usage={}",
    ///         message.id,
    ///         message.model,
    ///         message.usage,
    ///     )
    ///     return message.content[0].text
    /// ```
    ///
    /// A library whose response has no metadata for certain:
    ///
    /// Before:
    ///
    /// ```text app.py
    /// import logging
    /// import os
    ///
    /// from fastapi import FastAPI
    /// from langchain_openai import ChatOpenAI
    ///
    /// LOG = logging.getLogger("ranker")
    /// app = FastAPI()
    /// llm = ChatOpenAI(model="gpt-4.1-2025-04-14")
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     return llm.invoke(text).content
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import logging
    /// import os
    ///
    /// from fastapi import FastAPI
    /// from langchain_openai import ChatOpenAI
    ///
    /// LOG = logging.getLogger("ranker")
    /// app = FastAPI()
    /// llm = ChatOpenAI(model="gpt-4.1-2025-04-14")
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     result = llm.invoke(text).content
    ///     LOG.info("Model call finished")
    ///     return result
    /// ```
    PYTHON_INTERACTION_LOG {
        id: "python-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Python],
        plan: plan,
    }
}

/// Names for a response in a larger expression.
const RESPONSES: [&str; 4] = ["response", "completion", "model_response", "llm_response"];

/// Names for what a function returns.
const RESULTS: [&str; 4] = ["result", "answer", "output", "model_result"];

/// Attributes of a response, with the names that they have in the log.
type Metadata = &'static [(&'static str, &'static str)];

const ALL: Metadata = &[("id", "id"), ("model", "model"), ("usage", "usage")];

/// Methods whose response has metadata for certain: library, end of the path, attributes.
const KNOWN: [(&str, &str, Metadata); 15] = [
    ("openai", ".chat.completions.create", ALL),
    ("openai", ".chat.completions.parse", ALL),
    ("openai", ".responses.create", ALL),
    ("openai", ".responses.parse", ALL),
    ("openai", "().completions.create", ALL),
    (
        "openai",
        ".embeddings.create",
        &[("model", "model"), ("usage", "usage")],
    ),
    ("anthropic", ".messages.create", ALL),
    ("anthropic", ".messages.parse", ALL),
    ("groq", ".chat.completions.create", ALL),
    ("mistralai", ".chat.complete", ALL),
    ("mistralai", ".chat.complete_async", ALL),
    ("google", ".models.generate_content", &[("usage", "usage_metadata")]),
    ("cerebras", ".chat.completions.create", ALL),
    ("requests", ".post", &[("status", "status_code")]),
    ("httpx", ".post", &[("status", "status_code")]),
];

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let mut found = places::of(site)?;
    let mut count = 0_usize;
    for (path, places) in found.by_file.clone() {
        let code = site.code(&path)?;
        if !places::is_edited(code.zone) {
            continue;
        }
        let imports = Imports::of(&code)?;
        let mut done: Vec<usize> = Vec::new();
        for place in places {
            let mut own = Draft::default();
            match logged(&code, &imports, &place, &done, &mut own) {
                Ok(at) => {
                    done.push(at);
                    count += 1;
                    for (path, edits) in own.edits {
                        let all = draft.edits.entry(path).or_default();
                        for edit in edits {
                            if !all.contains(&edit) {
                                all.push(edit);
                            }
                        }
                    }
                }
                Err(NoFix::Done) => {}
                Err(why) if place.is_first => return Err(why),
                Err(_) => found.leave(&path, place.line),
            }
        }
    }
    if count == 0 {
        return Err(NoFix::NoPlace);
    }
    draft.describe(match count {
        1 => "Log the model call, without the texts of prompt and output.".to_owned(),
        count => format!("Log {count} model calls, without the texts of prompts and outputs."),
    });
    // A line that is stored nowhere is no record, so a person decides.
    if is_configured(site) {
        draft.safe();
    } else {
        draft.manual(
            "No configuration of the log was found. Configure `logging` so that lines of level INFO are stored for as long as you must keep them.",
        );
    }
    if let Some(left) = found.left() {
        draft.manual(format!("Log these model calls as well: {left}."));
    }
    Ok(())
}

/// Writes the log line for one call; gives the start of its statement. `done` are statements that have one already.
fn logged(
    code: &Code,
    imports: &Imports<'_>,
    place: &Place,
    done: &[usize],
    draft: &mut Draft,
) -> Result<usize, NoFix> {
    let node = place.node(code)?;
    let statement = statement_of(node)?;
    let start = statement.start_byte();
    if done.contains(&start) {
        return Err(NoFix::Done);
    }
    let lines = lines_of(code, statement)?;
    let scope = function_of(statement).map_or_else(|| code.root(), Ok)?;
    let call = place.call(code);
    let value = call.map(awaited);
    if place.is_awaited() && !is_awaited_within(node, statement) {
        return Err(NoFix::here("the call is started here and awaited elsewhere"));
    }
    let metadata = call.map_or(&[][..], |call| metadata(code, call, place));
    let logger = |draft: &mut Draft| Logger::at(code, imports, statement, draft);
    let indent = code.indent(start);
    let line_for = |logger: &Logger, response: &str| {
        let values: Vec<(&str, String)> = metadata
            .iter()
            .map(|(name, attribute)| (*name, format!("{response}.{attribute}")))
            .collect();
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        logger.line("info", "Model call", &values, false)
    };
    let plain_line = |logger: &Logger| {
        let model = call.and_then(|call| model_argument(code, call));
        let values: Vec<(&str, &str)> = model.map(|model| ("model", model)).into_iter().collect();
        logger.line("info", "Model call finished", &values, false)
    };
    match statement.kind() {
        "for_statement" | "with_statement" => {
            if returns_within(statement) {
                return Err(NoFix::here("the block that the call opens is left in several ways"));
            }
            let line = plain_line(&logger(draft)?);
            draft.insert(code, end_of(code, statement), &format!("\n{indent}{line}"));
            return Ok(start);
        }
        "expression_statement" | "return_statement" => {}
        _ => return Err(NoFix::here("the call is in a statement of a form that is not changed")),
    }
    // `response = client.responses.create(…)`
    let target = statement
        .named_child(0)
        .filter(|child| child.kind() == "assignment" && child.child_by_field_name("right") == value && value.is_some())
        .and_then(|assignment| assignment.child_by_field_name("left"))
        .filter(|left| left.kind() == "identifier");
    if let Some(target) = target
        && !metadata.is_empty()
    {
        let line = line_for(&logger(draft)?, code.of_node(target));
        draft.insert(code, lines.end, &format!("\n{indent}{line}"));
        return Ok(start);
    }
    // The call gets a name of its own where all before it is free of effects.
    if let Some(value) = value
        && !metadata.is_empty()
        && is_evaluated_first(value, statement)
        && let Some(name) = free_name(code, scope, &RESPONSES)
    {
        let line = line_for(&logger(draft)?, name);
        let outer = without_parentheses(value);
        let moved = shifted(code, value, name);
        let before = code.text.get(start..outer.start_byte()).ok_or(NoFix::Unparsed)?;
        let after = code.text.get(outer.end_byte()..lines.end).ok_or(NoFix::Unparsed)?;
        draft.replace(
            code,
            lines,
            &format!("{name} = {moved}\n{indent}{line}\n{indent}{before}{name}{after}"),
        );
        return Ok(start);
    }
    if statement.kind() == "return_statement" {
        let returned = statement.named_child(0).ok_or(NoFix::Unparsed)?;
        let name = free_name(code, scope, &RESULTS).ok_or_else(|| NoFix::here("no name is free for the result"))?;
        let line = plain_line(&logger(draft)?);
        let moved = shifted(code, returned, name);
        let moved = if returned.kind() == "expression_list" {
            format!("({moved})")
        } else {
            moved
        };
        let after = code.text.get(returned.end_byte()..lines.end).ok_or(NoFix::Unparsed)?;
        draft.replace(
            code,
            lines,
            &format!("{name} = {moved}{after}\n{indent}{line}\n{indent}return {name}"),
        );
        return Ok(start);
    }
    let line = plain_line(&logger(draft)?);
    draft.insert(code, lines.end, &format!("\n{indent}{line}"));
    Ok(start)
}

/// The call with the `await` around it.
fn awaited(call: Node<'_>) -> Node<'_> {
    call.parent().filter(|parent| parent.kind() == "await").unwrap_or(call)
}

fn is_awaited_within(node: Node<'_>, statement: Node<'_>) -> bool {
    let mut at = Some(node);
    while let Some(node) = at {
        if node.kind() == "await" {
            return true;
        }
        if node == statement {
            break;
        }
        at = node.parent();
    }
    matches!(statement.kind(), "for_statement" | "with_statement")
}

/// What the response of a call has for certain.
fn metadata(code: &Code, call: Node<'_>, place: &Place) -> Metadata {
    let by_request = matches!(place.library(), "requests" | "httpx");
    let streams = !by_request && keyword(code, call, "stream").is_some_and(|value| code.of_node(value) != "False");
    if streams
        || has_splat(call)
        || place.symbol.contains("raw_response")
        || place.symbol.contains("streaming_response")
    {
        return &[];
    }
    let known = KNOWN.iter().find(|(library, end, _)| {
        place.library() == *library
            && place.symbol.ends_with(end)
            && (*library != "google" || place.symbol.starts_with("google.genai"))
    });
    known.map_or(&[], |(_, _, metadata)| metadata)
}

/// The model that a call is given, if it is no literal: a copy of a name would go stale.
fn model_argument<'c>(code: &'c Code, call: Node<'_>) -> Option<&'c str> {
    let value = ["model", "model_name", "model_id", "engine"]
        .iter()
        .find_map(|name| keyword(code, call, name))?;
    let mut at = value;
    loop {
        match at.kind() {
            "identifier" => return Some(code.of_node(value)),
            "attribute" => at = at.child_by_field_name("object")?,
            _ => return None,
        }
    }
}

/// Whether a value is evaluated always, and before everything else in its statement that could have an effect.
fn is_evaluated_first(value: Node<'_>, statement: Node<'_>) -> bool {
    let mut at = value;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "conditional_expression"
            | "boolean_operator"
            | "comparison_operator"
            | "named_expression"
            | "yield"
            | "augmented_assignment" => return false,
            _ => {}
        }
        if parent == statement {
            break;
        }
        at = parent;
    }
    let before = |node: Node<'_>| {
        matches!(
            node.kind(),
            "call" | "await" | "yield" | "named_expression" | "subscript"
        ) && node.end_byte() <= value.start_byte()
    };
    // What an assignment is made to is evaluated behind the value.
    let value_side = statement
        .named_child(0)
        .filter(|child| child.kind() == "assignment")
        .and_then(|assignment| assignment.child_by_field_name("right"))
        .unwrap_or(statement);
    is_within(value, value_side) && descendants(value_side, before).is_empty()
}

/// Parentheses around a value: `(await call())`.
fn without_parentheses(value: Node<'_>) -> Node<'_> {
    value
        .parent()
        .filter(|parent| parent.kind() == "parenthesized_expression")
        .unwrap_or(value)
}

/// The text of a value that moves behind `name = `. Lines that were set below its bracket move with it.
fn shifted(code: &Code, value: Node<'_>, name: &str) -> String {
    let text = code.of_node(value);
    let column = value.start_byte() - code.line_start(value.start_byte());
    let first_line = line_end(code, value.start_byte());
    let prefix = code.indent(value.start_byte()).len() + name.len() + " = ".len();
    let hangs = descendants(value, |node| node.kind() == "argument_list")
        .into_iter()
        .any(|list| {
            let opens = list.start_byte();
            opens < first_line
                && arguments_start(list).is_some_and(|argument| argument < first_line)
                && list.end_byte() > first_line
        });
    if !hangs || prefix == column {
        return text.to_owned();
    }
    let strings = descendants(value, |node| node.kind() == "string");
    let mut out = String::new();
    let mut offset = value.start_byte();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let in_string = strings
            .iter()
            .any(|string| string.start_byte() < offset && offset < string.end_byte());
        let blanks = line.len() - line.trim_start_matches(' ').len();
        if index == 0 || in_string || line.trim().is_empty() || blanks < column {
            out.push_str(line);
        } else {
            out.push_str(&" ".repeat((blanks + prefix).saturating_sub(column)));
            out.push_str(line.trim_start_matches(' '));
        }
        offset += line.len();
    }
    out
}

fn arguments_start(list: Node<'_>) -> Option<usize> {
    let call = list.parent()?;
    arguments(call).first().map(Node::start_byte)
}

/// Whether the project decides somewhere where its log goes.
fn is_configured(site: &Site<'_>) -> bool {
    /// Files that are looked at.
    const FILES_MAX: usize = 500;
    let files = site
        .paths
        .iter()
        .filter(|path| engine_model::Language::of_path(path) == engine_model::Language::Python)
        .take(FILES_MAX);
    let mut files = files.filter_map(|path| site.source.file(path));
    files.any(|file| places::is_edited(file.zone) && configures_log(&String::from_utf8_lossy(&file.bytes)))
}
