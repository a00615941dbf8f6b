//! What a Go function does with an error, by what it returns and what it is given.

use engine_model::Language;
use engine_syntax::tree::Node;

use super::loggers::{Logger, logger};
use crate::code::{Code, around, children, descendants};
use crate::strategies::model_calls::refused;
use crate::{NoFix, Site};

/// The lines that deal with an error.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) lines: Vec<String>,
    pub(super) imports: Vec<&'static str>,
    /// What a person must know or do.
    pub(super) note: Option<String>,
}

impl Way {
    /// The check of an error, for the end of the line before.
    pub(super) fn check(&self, indent: &str, unit: &str, name: &str) -> String {
        let inner = format!("\n{indent}{unit}");
        format!(
            "\n{indent}if {name} != nil {{{inner}{}\n{indent}}}",
            self.lines.join(&inner)
        )
    }
}

const UNAVAILABLE: &str = "The AI service is not available.";

/// How the function around a statement leaves with an error.
pub(super) fn way(
    site: &Site<'_>,
    code: &Code,
    statement: Node<'_>,
    function: Node<'_>,
    name: &str,
) -> Result<Way, NoFix> {
    let results = results(code, function);
    owes_nothing(code, statement, function)?;
    if results.last().is_some_and(|last| last.text == "error") {
        return passed_on(site, code, function, &results, name);
    }
    if !results.is_empty() {
        return refused("the function returns no error, so the failure cannot be passed on");
    }
    if let Some(writer) = parameter(code, function, &["http.ResponseWriter"]) {
        let reply = format!("http.Error({writer}, \"{UNAVAILABLE}\", http.StatusBadGateway)");
        return Ok(handler(code, function, name, reply));
    }
    if let Some(context) = parameter(code, function, &["*gin.Context"]) {
        let reply =
            format!("{context}.AbortWithStatusJSON(http.StatusBadGateway, gin.H{{\"error\": \"{UNAVAILABLE}\"}})");
        let mut way = handler(code, function, name, reply);
        way.imports.push("net/http");
        return Ok(way);
    }
    if function.kind() != "function_declaration" && function.kind() != "method_declaration" {
        return refused("the function around the call returns no error and handles no request");
    }
    let (logger, import) = logger_or_standard(code, function);
    let mut lines = vec![logger.error(name)];
    match around(
        statement,
        &[
            "for_statement",
            "func_literal",
            "function_declaration",
            "method_declaration",
        ],
    ) {
        Some(turn) if turn.kind() == "for_statement" => {
            let text = code.of_node(turn);
            let reads = [
                ".Scan()",
                ".ReadString(",
                ".ReadLine()",
                ".Readline()",
                ".Receive(",
                "range updates",
            ];
            if !reads.iter().any(|read| text.contains(read)) {
                return refused("the call is in a loop of a function that returns no error");
            }
            lines.push("continue".to_owned());
        }
        _ => lines.push("return".to_owned()),
    }
    Ok(Way {
        lines,
        imports: import.into_iter().collect(),
        note: Some(
            "The function returns no error. Check that its callers need to know nothing of the failure.".to_owned(),
        ),
    })
}

/// What is done after a stream has ended with an error; a part of the answer is out already.
pub(super) fn after_stream(
    site: &Site<'_>,
    code: &Code,
    statement: Node<'_>,
    function: Node<'_>,
    name: &str,
) -> Result<Way, NoFix> {
    let results = results(code, function);
    if results.last().is_some_and(|last| last.text == "error") {
        owes_nothing(code, statement, function)?;
        return passed_on(site, code, function, &results, name);
    }
    let (logger, import) = logger_or_standard(code, function);
    Ok(Way {
        lines: vec![logger.error(name)],
        imports: import.into_iter().collect(),
        note: Some("Decide what the user sees when the answer breaks off.".to_owned()),
    })
}

fn handler(code: &Code, function: Node<'_>, name: &str, reply: String) -> Way {
    let (logger, import) = logger_or_standard(code, function);
    let lines = vec![logger.error(name), reply, "return".to_owned()];
    Way {
        lines,
        imports: import.into_iter().collect(),
        note: Some(format!("Check the reply for users: status 502 and \"{UNAVAILABLE}\"")),
    }
}

fn logger_or_standard(code: &Code, function: Node<'_>) -> (Logger, Option<&'static str>) {
    match logger(code, function) {
        Some(logger) => (logger, None),
        None => (Logger::standard("log"), Some("log")),
    }
}

/// One result of a function.
struct ResultOf<'t> {
    text: String,
    node: Node<'t>,
}

fn results<'t>(code: &Code, function: Node<'t>) -> Vec<ResultOf<'t>> {
    let Some(result) = function.child_by_field_name("result") else {
        return Vec::new();
    };
    let of = |node: Node<'t>| ResultOf {
        text: code.of_node(node).to_owned(),
        node,
    };
    if result.kind() != "parameter_list" {
        return vec![of(result)];
    }
    let mut out = Vec::new();
    for entry in children(result) {
        let Some(kind) = entry.child_by_field_name("type") else {
            continue;
        };
        let mut cursor = entry.walk();
        let names = entry.children_by_field_name("name", &mut cursor).count();
        for _ in 0..names.max(1) {
            out.push(of(kind));
        }
    }
    out
}

/// The name of the parameter of a type.
fn parameter(code: &Code, function: Node<'_>, types: &[&str]) -> Option<String> {
    let list = function.child_by_field_name("parameters")?;
    children(list).into_iter().find_map(|param| {
        let kind = code.of_node(param.child_by_field_name("type")?);
        let name = code.of_node(param.child_by_field_name("name")?);
        (types.contains(&kind) && name != "_").then(|| name.to_owned())
    })
}

/// Whether a function may be left here: it unlocks, closes and sends nothing later that others wait for.
fn owes_nothing(code: &Code, statement: Node<'_>, function: Node<'_>) -> Result<(), NoFix> {
    let Some(body) = function.child_by_field_name("body") else {
        return Ok(());
    };
    let later = descendants(body, |at| {
        at.start_byte() >= statement.end_byte()
            && match at.kind() {
                "send_statement" => true,
                "call_expression" => {
                    let callee = at
                        .child_by_field_name("function")
                        .map_or("", |callee| code.of_node(callee));
                    callee == "close" || [".Unlock", ".RUnlock", ".Done"].iter().any(|end| callee.ends_with(end))
                }
                _ => false,
            }
            && around(at, &["defer_statement"]).is_none()
            && around(at, &["func_literal", "function_declaration", "method_declaration"]) == Some(function)
    });
    if later.is_empty() {
        Ok(())
    } else {
        refused("the function unlocks, closes or sends something after the call, so it must not be left early")
    }
}

/// Returns the error with zero values.
fn passed_on(
    site: &Site<'_>,
    code: &Code,
    function: Node<'_>,
    results: &[ResultOf<'_>],
    name: &str,
) -> Result<Way, NoFix> {
    let values = results.get(..results.len().saturating_sub(1)).unwrap_or_default();
    let elsewhere = as_elsewhere(code, function, results.len());
    let mut out = match elsewhere {
        Some(zeros) => zeros,
        None => values
            .iter()
            .map(|value| zero(site, code, value))
            .collect::<Result<Vec<String>, NoFix>>()?,
    };
    // Its framework would send the text of any other error to the client.
    if parameter(code, function, &["*fiber.Ctx", "fiber.Ctx"]).is_some() {
        let (logger, import) = logger_or_standard(code, function);
        return Ok(Way {
            lines: vec![
                logger.error(name),
                format!("return fiber.NewError(fiber.StatusBadGateway, \"{UNAVAILABLE}\")"),
            ],
            imports: import.into_iter().collect(),
            note: Some(format!("Check the reply for users: status 502 and \"{UNAVAILABLE}\"")),
        });
    }
    out.push(format!("fmt.Errorf(\"call the model: %w\", {name})"));
    Ok(Way {
        lines: vec![format!("return {}", out.join(", "))],
        imports: vec!["fmt"],
        note: Some(
            "The function now returns the error of the model call. Check what its callers do with it.".to_owned(),
        ),
    })
}

/// The zero values that the function returns with another error.
fn as_elsewhere(code: &Code, function: Node<'_>, count: usize) -> Option<Vec<String>> {
    let body = function.child_by_field_name("body")?;
    let returns = descendants(body, |at| {
        at.kind() == "return_statement"
            && around(at, &["func_literal", "function_declaration", "method_declaration"]) == Some(function)
    });
    returns.into_iter().find_map(|at| {
        let values = children(*children(at).first()?);
        let last = code.of_node(*values.last()?);
        let is_error = last == "err" || last.starts_with("fmt.Errorf(") || last.starts_with("errors.New(");
        let others = values.get(..values.len() - 1)?;
        let zeros = others.iter().all(|value| {
            matches!(code.of_node(*value), "nil" | "\"\"" | "0" | "false")
                || value.kind() == "composite_literal"
                    && value
                        .child_by_field_name("body")
                        .is_some_and(|body| children(body).is_empty())
        });
        (is_error && zeros && values.len() == count)
            .then(|| others.iter().map(|value| code.of_node(*value).to_owned()).collect())
    })
}

/// The zero value of a type.
fn zero(site: &Site<'_>, code: &Code, value: &ResultOf<'_>) -> Result<String, NoFix> {
    let text = value.text.as_str();
    let known = match text {
        "string" => Some("\"\""),
        "bool" => Some("false"),
        "error" | "any" | "context.Context" | "io.Reader" | "io.ReadCloser" | "json.RawMessage" => Some("nil"),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64"
        | "uintptr" | "byte" | "rune" | "float32" | "float64" | "complex64" | "complex128" | "time.Duration" => {
            Some("0")
        }
        "time.Time" => Some("time.Time{}"),
        _ => None,
    };
    if let Some(known) = known {
        return Ok(known.to_owned());
    }
    match value.node.kind() {
        "pointer_type" | "slice_type" | "map_type" | "channel_type" | "function_type" | "interface_type" => {
            return Ok("nil".to_owned());
        }
        "type_identifier" => {}
        _ => return refused("the zero value of a result of the function is not known"),
    }
    // A type of the same package.
    let folder = code.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let same = site.paths.iter().filter(|path| {
        Language::of_path(path) == Language::Go && path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder
    });
    for path in same.take(60) {
        let Ok(other) = site.code(path) else { continue };
        let Ok(root) = other.root() else { continue };
        let declared = descendants(root, |at| {
            at.kind() == "type_spec"
                && at
                    .child_by_field_name("name")
                    .is_some_and(|name| other.of_node(name) == text)
        });
        let kind = declared
            .first()
            .and_then(|spec| spec.child_by_field_name("type"))
            .map(|kind| kind.kind());
        match kind {
            Some("struct_type") => return Ok(format!("{text}{{}}")),
            Some("interface_type" | "slice_type" | "map_type" | "function_type" | "pointer_type") => {
                return Ok("nil".to_owned());
            }
            Some(_) => break,
            None => {}
        }
    }
    refused("the zero value of a result of the function is not known")
}
