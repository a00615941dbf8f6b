//! Error handling of model calls.

use std::ops::Range;

use engine_model::Language;
use engine_syntax::tree::Node;

use super::imports::Imports;
use super::loggers::Logger;
use super::places::{self, Place};
use super::source::{
    block_of, callee, calls, caught, deeper, function_of, is_within, line_end, lines_of, method, statement_of,
    statements, step_at, uses,
};
use crate::code::{Code, children, descendants};
use crate::strategies::model_calls::DECIDE;
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Logs the failure of a model call and raises it again.
    ///
    /// The statement of the call goes into a `try` block. The handler names the base exception of the client library where the file
    /// imports the library and its timeouts are among them: `OpenAIError`, `AnthropicError`, `GroqError`, `RequestException`,
    /// `HTTPError`. It names `Exception` otherwise. The log line goes to the logger of the file; where there is none, one is created.
    /// Callers see the same exception as before.
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
    /// from openai import OpenAI, OpenAIError
    ///
    /// logger = logging.getLogger(__name__)
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     try:
    ///         return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    ///     except OpenAIError as error:
    ///         logger.error("Model call failed: %s", error)
    ///         raise
    /// ```
    ///
    /// The logger of the class, the name that the file gives to exceptions, and lines of a text that stay where they are:
    ///
    /// Before:
    ///
    /// ```text app.py
    /// """Ranks texts."""
    /// from __future__ import annotations
    ///
    /// import json
    /// import logging
    ///
    /// import anthropic
    /// from fastapi import FastAPI
    ///
    ///
    /// class Ranker:
    ///     def __init__(self):
    ///         self.client = anthropic.AsyncAnthropic()
    ///         self.logger = logging.getLogger("ranker")
    ///
    ///     async def rank(self, text: str) -> dict:
    ///         # One call for each text.
    ///         message = await self.client.messages.create(
    ///             model="claude-sonnet-4-5-20250929",
    ///             max_tokens=20,
    ///             system="""Rank the text.
    ///
    /// Answer with a number.""",
    ///             messages=[{"role": "user", "content": text}],
    ///         )  # a short answer
    ///         try:
    ///             return json.loads(message.content[0].text)
    ///         except ValueError as exc:
    ///             self.logger.warning("No number: %s", exc)
    ///             return {}
    ///
    ///
    /// app = FastAPI()
    /// ranker = Ranker()
    ///
    ///
    /// @app.post("/rank")
    /// async def rank(text: str):
    ///     return await ranker.rank(text)
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// """Ranks texts."""
    /// from __future__ import annotations
    ///
    /// import json
    /// import logging
    ///
    /// import anthropic
    /// from fastapi import FastAPI
    ///
    ///
    /// class Ranker:
    ///     def __init__(self):
    ///         self.client = anthropic.AsyncAnthropic()
    ///         self.logger = logging.getLogger("ranker")
    ///
    ///     async def rank(self, text: str) -> dict:
    ///         # One call for each text.
    ///         try:
    ///             message = await self.client.messages.create(
    ///                 model="claude-sonnet-4-5-20250929",
    ///                 max_tokens=20,
    ///                 system="""Rank the text.
    ///
    /// Answer with a number.""",
    ///                 messages=[{"role": "user", "content": text}],
    ///             )  # a short answer
    ///         except anthropic.AnthropicError as exc:
    ///             self.logger.error("Model call failed: %s", exc)
    ///             raise
    ///         try:
    ///             return json.loads(message.content[0].text)
    ///         except ValueError as exc:
    ///             self.logger.warning("No number: %s", exc)
    ///             return {}
    ///
    ///
    /// app = FastAPI()
    /// ranker = Ranker()
    ///
    ///
    /// @app.post("/rank")
    /// async def rank(text: str):
    ///     return await ranker.rank(text)
    /// ```
    ///
    /// A handler that only raises again gets the log line:
    ///
    /// Before:
    ///
    /// ```text app.py
    /// import structlog
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// log = structlog.get_logger()
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// class RankError(Exception):
    ///     pass
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     try:
    ///         answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    ///     except Exception as e:
    ///         raise RankError("no rank") from e
    ///     return answer.output_text
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import structlog
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// log = structlog.get_logger()
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// class RankError(Exception):
    ///     pass
    ///
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     try:
    ///         answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    ///     except Exception as e:
    ///         log.error("model_call_failed", error=str(e))
    ///         raise RankError("no rank") from e
    ///     return answer.output_text
    /// ```
    PYTHON_ERROR_HANDLING {
        id: "python-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Python],
        plan: plan,
    }
}

/// Lines of a compound statement that is wrapped because its first line calls the model.
const WRAPPED_LINES_MAX: usize = 40;

/// What the log line says.
const TEXT: &str = "Model call failed";

/// An edit of a file for one call.
enum Change<'c> {
    /// The lines of a statement go into a `try` block.
    Wrap { statement: Node<'c>, lines: Range<usize> },
    /// A handler gets a log line before its only statement.
    Log {
        statement: Node<'c>,
        alias: Option<&'c str>,
    },
}

impl<'c> Change<'c> {
    fn statement(&self) -> Node<'c> {
        match self {
            Self::Wrap { statement, .. } | Self::Log { statement, .. } => *statement,
        }
    }
}

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let mut found = places::of(site)?;
    if let Some(place) = central_handler(site) {
        return Err(NoFix::here(format!(
            "a central error handler takes every failure of the product ({place}), so the call needs no separate one"
        )));
    }
    let in_django = |path: &String| {
        site.code(path).is_ok_and(|code| {
            let mut lines = code.text.lines();
            lines.any(|line| line.starts_with("from django") || line.starts_with("import django"))
        })
    };
    if found.by_file.keys().any(in_django) {
        return Err(NoFix::here(
            "Django logs an uncaught failure with its trace; catch it where you decide what the user gets",
        ));
    }
    let (mut unchecked, mut is_program) = (false, false);
    let mut count = 0_usize;
    for (path, places) in found.by_file.clone() {
        let code = site.code(&path)?;
        if !places::is_edited(code.zone) {
            continue;
        }
        let imports = Imports::of(&code)?;
        let mut changes: Vec<(Change<'_>, Place)> = Vec::new();
        for place in places {
            match change(&code, &imports, &place) {
                Ok(change) => changes.push((change, place)),
                Err(why) if place.is_first => return Err(why),
                Err(_) => found.leave(&path, place.line),
            }
        }
        // What stands in a statement that is wrapped is wrapped with it.
        let outer: Vec<Node<'_>> = changes.iter().map(|(change, _)| change.statement()).collect();
        let mut done: Vec<usize> = Vec::new();
        for (change, place) in &changes {
            let statement = change.statement();
            let inside = outer
                .iter()
                .any(|other| *other != statement && is_within(statement, *other));
            if inside || done.contains(&statement.start_byte()) {
                continue;
            }
            done.push(statement.start_byte());
            match written(&code, &imports, change, place, draft) {
                Ok(()) => count += 1,
                Err(why) if place.is_first => return Err(why),
                Err(_) => found.leave(&path, place.line),
            }
            unchecked |= matches!(place.library(), "requests" | "httpx") && ignores_status(&code, statement);
            is_program |= place.library() == "subprocess" && !code.of_node(statement).contains("check");
        }
    }
    if count == 0 {
        return Err(NoFix::NoPlace);
    }
    draft.describe(match count {
        1 => "Log the failure of the model call and raise it again.".to_owned(),
        count => format!("Log the failures of {count} model calls and raise them again."),
    });
    if unchecked {
        draft.manual("Check the status of the response, for example with `response.raise_for_status()`: a rate limit raises no exception here.");
    }
    if is_program {
        draft.manual("Check the exit code of the program: it raises no exception without `check=True`.");
    }
    if let Some(left) = found.left() {
        draft.manual(format!("Handle the failures of these calls as well: {left}."));
    }
    draft.manual(DECIDE);
    Ok(())
}

/// What is to be changed for a call.
fn change<'c>(code: &'c Code, imports: &Imports<'_>, place: &Place) -> Result<Change<'c>, NoFix> {
    let node = place.node(code)?;
    let statement = statement_of(node)?;
    match statement.kind() {
        "expression_statement" | "return_statement" => {}
        "with_statement" | "for_statement" | "if_statement" => {
            let lines = statement.end_position().row - statement.start_position().row + 1;
            if lines > WRAPPED_LINES_MAX {
                return Err(NoFix::here(
                    "the block that the call opens is long; handle the failure by hand",
                ));
            }
        }
        _ => return Err(NoFix::here("the call is in a statement of a form that is not changed")),
    }
    let opens = matches!(statement.kind(), "with_statement" | "for_statement");
    let is_read_here = opens || code.of_node(statement).starts_with("yield from");
    if place.is_lazy() && !is_read_here {
        return Err(NoFix::here("the call returns a stream that fails where it is read"));
    }
    if !is_run(code, node, statement, place) {
        return Err(NoFix::here("the call is started here and awaited elsewhere"));
    }
    if let Some(change) = handler(code, imports, statement, place) {
        return Ok(change);
    }
    if is_before_fallback(code, statement) {
        return Err(NoFix::here(
            "the `try` block behind the call has a fallback for every failure; decide whether the call belongs into it",
        ));
    }
    let mut lines = lines_of(code, statement)?;
    // A request fails where its status is checked.
    if let Some(next) = status_check(code, statement) {
        lines.end = lines_of(code, next)?.end;
    }
    Ok(Change::Wrap { statement, lines })
}

/// Whether a failure comes out of the statement: what is awaited is awaited in it.
fn is_run(code: &Code, node: Node<'_>, statement: Node<'_>, place: &Place) -> bool {
    /// Functions that run a coroutine to its end.
    const RUNS: [&str; 4] = ["run", "run_until_complete", "async_to_sync", "run_sync"];
    let mut awaited = matches!(statement.kind(), "with_statement" | "for_statement")
        && statement.child(0).is_some_and(|first| first.kind() == "async");
    let mut is_called = false;
    let mut at = Some(node);
    while let Some(node) = at {
        match node.kind() {
            "await" => awaited = true,
            "call" => {
                let function = node.child_by_field_name("function");
                is_called |= function.is_some_and(|function| {
                    function.start_byte() <= place_start(code, place) && place_start(code, place) < function.end_byte()
                });
                awaited |= RUNS.contains(&method(code, node));
            }
            _ => {}
        }
        if node == statement {
            break;
        }
        at = node.parent();
    }
    // What is only named here is run by what it is handed to.
    awaited || is_called && !place.is_awaited()
}

fn place_start(code: &Code, place: &Place) -> usize {
    code.offset(place.line, place.column).unwrap_or(usize::MAX)
}

/// The handler around a statement that catches the failure and only raises again.
fn handler<'c>(code: &'c Code, imports: &Imports<'_>, statement: Node<'c>, place: &Place) -> Option<Change<'c>> {
    let mut at = statement;
    let tried = loop {
        let parent = at.parent()?;
        match parent.kind() {
            "function_definition" | "module" => return None,
            "try_statement" if parent.child_by_field_name("body") == Some(at) => break parent,
            _ => at = parent,
        }
    };
    let base = exception(code, imports, place, usize::MAX, &mut Draft::default());
    let mut cursor = tried.walk();
    let clauses: Vec<Node<'c>> = tried.named_children(&mut cursor).collect();
    clauses
        .into_iter()
        .filter(|child| child.kind() == "except_clause")
        .find_map(|clause| {
            let (caught_names, alias) = caught(code, clause);
            let of_library = |class: &str| {
                let root = class.split('.').next().unwrap_or(class);
                imports
                    .binds(root)
                    .is_some_and(|statement| imports.root_of(statement) == place.library())
            };
            let catches = caught_names.is_empty()
                || caught_names.iter().any(|class| {
                    matches!(*class, "Exception" | "BaseException") || *class == base || of_library(class)
                });
            let body = statements(block_of(clause)?);
            let [only] = body.as_slice() else { return None };
            let raises = only.kind() == "raise_statement" && !raises_a_reply(code, *only);
            let alone = lines_of(code, *only).is_ok();
            (catches && raises && alone).then_some(Change::Log {
                statement: *only,
                alias,
            })
        })
}

/// Whether the statement behind a call is a `try` block that catches everything and goes on.
fn is_before_fallback(code: &Code, statement: Node<'_>) -> bool {
    let Some(next) = statement
        .next_named_sibling()
        .filter(|next| next.kind() == "try_statement")
    else {
        return false;
    };
    children(next)
        .into_iter()
        .filter(|child| child.kind() == "except_clause")
        .any(|clause| {
            let names = caught(code, clause).0;
            let catches = names.is_empty() || names.contains(&"Exception");
            let last = block_of(clause).and_then(|body| statements(body).pop());
            catches && last.is_some_and(|last| last.kind() != "raise_statement")
        })
}

/// Where the product of the finding registers a handler for every failure.
fn central_handler(site: &Site<'_>) -> Option<String> {
    /// Files that are looked at.
    const FILES_MAX: usize = 500;
    const HANDLERS: [&str; 4] = [
        "exception_handler(Exception",
        "errorhandler(Exception",
        "register_error_handler(Exception",
        "errorhandler(500",
    ];
    let top = |path: &str| path.split_once('/').map_or("", |(top, _)| top).to_owned();
    let own = top(site.finding.file.as_deref()?);
    let mut files = site
        .paths
        .iter()
        .filter(|path| Language::of_path(path) == Language::Python && top(path) == own)
        .take(FILES_MAX);
    files.find_map(|path| {
        let file = site.source.file(path).filter(|file| places::is_edited(file.zone))?;
        let text = String::from_utf8_lossy(&file.bytes);
        let line = text.lines().position(|line| {
            !line.trim_start().starts_with('#') && HANDLERS.iter().any(|handler| line.contains(handler))
        })?;
        Some(format!("`{path}:{}`", line + 1))
    })
}

/// Whether what is raised is a reply and no exception.
fn raises_a_reply(code: &Code, raise: Node<'_>) -> bool {
    calls(raise).into_iter().any(|call| {
        let name = method(code, call);
        name.ends_with("Response") || matches!(name, "jsonify" | "make_response")
    })
}

/// The statement behind a request that checks its status: `response.raise_for_status()`.
fn status_check<'c>(code: &Code, statement: Node<'c>) -> Option<Node<'c>> {
    let assignment = statement.named_child(0).filter(|child| child.kind() == "assignment")?;
    let target = assignment
        .child_by_field_name("left")
        .filter(|left| left.kind() == "identifier")?;
    let next = statement.next_named_sibling()?;
    let call = next
        .named_child(0)
        .filter(|child| next.kind() == "expression_statement" && child.kind() == "call")?;
    (callee(code, call) == format!("{}.raise_for_status", code.of_node(target))).then_some(next)
}

/// Whether nothing around a request looks at its status.
fn ignores_status(code: &Code, statement: Node<'_>) -> bool {
    const LOOKS: [&str; 6] = [
        "raise_for_status",
        "status_code",
        "is_success",
        "is_error",
        ".ok",
        "reason_phrase",
    ];
    let scope = function_of(statement).map_or(code.text.as_str(), |function| code.of_node(function));
    !LOOKS.iter().any(|word| scope.contains(word))
}

/// Writes a change into the draft.
fn written(
    code: &Code,
    imports: &Imports<'_>,
    change: &Change<'_>,
    place: &Place,
    draft: &mut Draft,
) -> Result<(), NoFix> {
    let statement = change.statement();
    let mut own = Draft::default();
    let logger = Logger::at(code, imports, statement, &mut own)?;
    match change {
        Change::Log { alias, .. } => {
            let line = match alias {
                Some(alias) => logger.line("error", TEXT, &[("", &said(code, place, alias))], false),
                None => logger.line("exception", TEXT, &[], false),
            };
            let indent = code.indent(statement.start_byte());
            own.insert(code, statement.start_byte(), &format!("{line}\n{indent}"));
        }
        Change::Wrap { lines, .. } => {
            let before = if function_of(statement).is_some() {
                usize::MAX
            } else {
                statement.start_byte()
            };
            let class = exception(code, imports, place, before, &mut own);
            let name = error_name(code, statement)?;
            let step = step_at(code, statement);
            let indent = code.indent(statement.start_byte());
            let body = deeper(code, lines.clone(), &step);
            let line = logger.line("error", TEXT, &[("", &said(code, place, name))], true);
            own.replace(
                code,
                lines.clone(),
                &format!("try:\n{indent}{step}{body}\n{indent}except {class} as {name}:\n{indent}{step}{line}\n{indent}{step}raise"),
            );
        }
    }
    for (path, edits) in own.edits {
        let all = draft.edits.entry(path).or_default();
        for edit in edits {
            if !all.contains(&edit) {
                all.push(edit);
            }
        }
    }
    Ok(())
}

/// What the log says of a failure. The message of a failed request has its address, and that may have a key in it.
fn said(code: &Code, place: &Place, name: &str) -> String {
    const REQUESTS: [&str; 5] = ["requests", "httpx", "aiohttp", "urllib", "urllib3"];
    let with_key = ["key=", "token=", "params="]
        .iter()
        .any(|word| code.text.contains(word));
    if with_key && REQUESTS.contains(&place.library()) {
        format!("type({name}).__name__")
    } else {
        name.to_owned()
    }
}

/// Libraries with a base exception that their timeouts and refused connections have as well.
const BASES: [(&str, &str); 5] = [
    ("openai", "OpenAIError"),
    ("anthropic", "AnthropicError"),
    ("groq", "GroqError"),
    ("requests", "RequestException"),
    ("httpx", "HTTPError"),
];

/// The exception that the handler names.
fn exception(code: &Code, imports: &Imports<'_>, place: &Place, before: usize, draft: &mut Draft) -> String {
    let known = BASES.iter().find(|(library, _)| *library == place.library());
    let named = known.and_then(|(library, base)| {
        if *library == "openai" && code.text.contains("openai.error.") {
            return Some("openai.error.OpenAIError".to_owned());
        }
        imports
            .item(library, base, before)
            .or_else(|| imports.module(library, before).map(|module| format!("{module}.{base}")))
            .or_else(|| {
                imports
                    .add_item(draft, library, base, before)
                    .then(|| (*base).to_owned())
            })
    });
    named.unwrap_or_else(|| "Exception".to_owned())
}

/// A name for the exception: the one that the file uses for its own, if the function does not use it for something else.
fn error_name<'c>(code: &'c Code, statement: Node<'c>) -> Result<&'c str, NoFix> {
    let root = code.root()?;
    let scope = function_of(statement).unwrap_or(root);
    let clauses = descendants(root, |node| node.kind() == "except_clause");
    let known: Vec<&str> = clauses.iter().filter_map(|clause| caught(code, *clause).1).collect();
    let mut names: Vec<&str> = known.clone();
    names.sort_by_key(|name| std::cmp::Reverse(known.iter().filter(|other| *other == name).count()));
    names.dedup();
    names.extend(["error", "exc", "err"]);
    names
        .into_iter()
        .find(|name| {
            let own = |node: &Node<'_>| {
                clauses.iter().any(|clause| {
                    caught(code, *clause).1 == Some(*name)
                        && is_within(*node, *clause)
                        && !is_within(statement, *clause)
                })
            };
            uses(code, scope, name).iter().all(own)
        })
        .ok_or_else(|| NoFix::here("no name is free for the exception"))
}

/// The end of the lines of a statement, for what is written behind it.
pub(super) fn end_of(code: &Code, statement: Node<'_>) -> usize {
    line_end(code, statement.end_byte())
}
