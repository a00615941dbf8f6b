//! The logger that a Python file uses, and log lines in its style.

use engine_syntax::tree::Node;

use super::imports::Imports;
use super::source::{
    arguments, callee, calls, class_of, function_of, is_within, method, quote, statements, step_at, uses,
};
use crate::code::{Code, children, descendants};
use crate::{Draft, NoFix};

/// Methods that write to a log.
const LEVELS: [&str; 7] = ["debug", "info", "warning", "warn", "error", "exception", "critical"];

/// Names of a logger that is created.
const NAMES: [&str; 3] = ["logger", "log", "_logger"];

/// How values get into a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `logger.info("id=%s", id)`
    Percent,
    /// `logger.info(f"id={id}")`
    Template,
    /// `logger.info("id={}", id)`
    Braces,
    /// `logger.info("model_call", id=id)`
    Named {
        /// Events are written as a sentence.
        in_words: bool,
    },
}

/// A logger as it is written at a place.
pub(super) struct Logger {
    name: String,
    style: Style,
    quote: char,
    width: usize,
    step: String,
    indent: String,
}

/// A call of a logger.
struct Line<'c> {
    call: Node<'c>,
    receiver: &'c str,
}

impl Logger {
    /// The logger for a statement; one is created in the draft where the file has none.
    pub(super) fn at(
        code: &Code,
        imports: &Imports<'_>,
        statement: Node<'_>,
        draft: &mut Draft,
    ) -> Result<Self, NoFix> {
        let root = code.root()?;
        let lines = lines(code, root);
        let own = |name: &str| Self::named(code, statement, name, style(code, imports, &lines, name));
        let scope = function_of(statement);
        let before = if scope.is_some() {
            usize::MAX
        } else {
            statement.start_byte()
        };
        // The one that the function uses already, and else the one of the file.
        let in_scope = lines
            .iter()
            .filter(|line| scope.is_none_or(|scope| is_within(line.call, scope)));
        let elsewhere = lines
            .iter()
            .filter(|line| scope.is_some_and(|scope| !is_within(line.call, scope)));
        let bound = bound_loggers(code, root);
        let of_loguru = imports.item("loguru", "logger", before);
        let candidates = in_scope
            .map(|line| line.receiver)
            .chain(bound.iter().map(|(name, _)| *name))
            .chain(of_loguru.as_deref())
            .chain(elsewhere.map(|line| line.receiver));
        let mut plain = None;
        for name in candidates {
            if !is_visible(code, imports, &lines, &bound, statement, name) {
                continue;
            }
            if imports.module("logging", before).as_deref() == Some(name) {
                plain = plain.or(Some(name));
                continue;
            }
            return Ok(own(name));
        }
        if let Some(name) = plain {
            return Ok(own(name));
        }
        let name = NAMES
            .into_iter()
            .find(|name| uses(code, root, name).is_empty())
            .ok_or_else(|| NoFix::here("the file has a logger that cannot be used at this place"))?;
        let mut adds_import = false;
        let getter = if let Some(module) = imports.module("logging", before) {
            format!("{module}.getLogger")
        } else if let Some(getter) = imports.item("logging", "getLogger", before) {
            getter
        } else if uses(code, root, "logging").is_empty() {
            adds_import = true;
            "logging.getLogger".to_owned()
        } else {
            return Err(NoFix::here("the name `logging` means something else in this file"));
        };
        let top = top_of(statement);
        imports.add_below(
            draft,
            &format!("{name} = {getter}(__name__)"),
            adds_import,
            top.start_byte(),
        )?;
        Ok(Self::named(code, statement, name, Style::Percent))
    }

    fn named(code: &Code, statement: Node<'_>, name: &str, style: Style) -> Self {
        let longest = code.text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        Self {
            name: name.to_owned(),
            style,
            quote: quote(code),
            width: longest.clamp(88, 120),
            step: step_at(code, statement),
            indent: code.indent(statement.start_byte()).to_owned(),
        }
    }

    /// A log line, without its indentation and line end. `deeper` lines stand one step further in than the statement.
    pub(super) fn line(&self, level: &str, text: &str, values: &[(&str, &str)], deeper: bool) -> String {
        let q = self.quote;
        let list = |mark: &dyn Fn(&(&str, &str)) -> String| {
            let parts: Vec<String> = values.iter().map(mark).collect();
            parts.join(", ")
        };
        let whole = |fields: String| {
            if fields.is_empty() {
                text.to_owned()
            } else {
                format!("{text}: {fields}")
            }
        };
        let label = |name: &str| {
            if name.is_empty() {
                String::new()
            } else {
                format!("{name}=")
            }
        };
        let mut args = Vec::new();
        // Before Python 3.12, an f-string cannot hold its own quote.
        let quoted = values.iter().any(|(_, value)| value.contains(['"', '\'', '{', '\\']));
        let style = if quoted && self.style == Style::Template {
            Style::Percent
        } else {
            self.style
        };
        match style {
            Style::Percent => {
                args.push(format!(
                    "{q}{}{q}",
                    whole(list(&|(name, _)| format!("{}%s", label(name))))
                ));
                args.extend(values.iter().map(|(_, value)| (*value).to_owned()));
            }
            Style::Braces => {
                args.push(format!(
                    "{q}{}{q}",
                    whole(list(&|(name, _)| format!("{}{{}}", label(name))))
                ));
                args.extend(values.iter().map(|(_, value)| (*value).to_owned()));
            }
            Style::Template => {
                let fields = list(&|(name, value)| format!("{}{{{value}}}", label(name)));
                let mark = if values.is_empty() { "" } else { "f" };
                args.push(format!("{mark}{q}{}{q}", whole(fields)));
            }
            Style::Named { in_words } => {
                let event = if in_words {
                    text.to_owned()
                } else {
                    text.to_lowercase().replace(' ', "_")
                };
                args.push(format!("{q}{event}{q}"));
                args.extend(values.iter().map(|(name, value)| match *name {
                    "" if value.ends_with("__") => format!("error={value}"),
                    "" => format!("error=str({value})"),
                    name => format!("{name}={value}"),
                }));
            }
        }
        self.call(level, &args, deeper)
    }

    fn call(&self, level: &str, args: &[String], deeper: bool) -> String {
        let more = if deeper { self.step.as_str() } else { "" };
        let short = format!("{}.{level}({})", self.name, args.join(", "));
        if self.indent.chars().count() + more.chars().count() + short.chars().count() <= self.width || args.len() < 2 {
            return short;
        }
        let inner = format!("{}{more}{}", self.indent, self.step);
        let joined = args.join(", ");
        let mut out = format!("{}.{level}(\n", self.name);
        if inner.chars().count() + joined.chars().count() <= self.width {
            out.push_str(&inner);
            out.push_str(&joined);
            out.push('\n');
        } else {
            for arg in args {
                out.push_str(&inner);
                out.push_str(arg);
                out.push_str(",\n");
            }
        }
        out.push_str(&self.indent);
        out.push_str(more);
        out.push(')');
        out
    }
}

/// Calls of loggers.
fn lines<'c>(code: &'c Code, root: Node<'c>) -> Vec<Line<'c>> {
    calls(root)
        .into_iter()
        .filter(|call| LEVELS.contains(&method(code, *call)))
        .filter_map(|call| {
            let receiver = call.child_by_field_name("function")?.child_by_field_name("object")?;
            matches!(receiver.kind(), "identifier" | "attribute").then(|| Line {
                call,
                receiver: code.of_node(receiver),
            })
        })
        .filter(|line| names_logger(line.receiver))
        .collect()
}

/// Whether the last name of a path is one of a logger: `self.logger`, `LOG`, `audit_log`.
fn names_logger(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path).to_ascii_lowercase();
    let last = last.trim_start_matches('_');
    matches!(last, "logger" | "log" | "logging") || last.ends_with("_logger") || last.ends_with("_log")
}

/// Names at the top level of a file that are bound to a logger, with the statement.
fn bound_loggers<'c>(code: &'c Code, root: Node<'c>) -> Vec<(&'c str, Node<'c>)> {
    statements(root)
        .into_iter()
        .filter(|statement| statement.kind() == "expression_statement")
        .filter_map(|statement| {
            let assignment = statement.named_child(0).filter(|child| child.kind() == "assignment")?;
            let left = assignment.child_by_field_name("left")?;
            let right = assignment.child_by_field_name("right")?;
            let name = code.of_node(left);
            (makes_logger(code, right, name) && left.kind() == "identifier").then_some((name, statement))
        })
        .collect()
}

/// Whether a value that gets a name is a logger.
fn makes_logger(code: &Code, value: Node<'_>, name: &str) -> bool {
    const MAKERS: [&str; 4] = ["getLogger", "get_logger", "get_task_logger", "getChild"];
    let made = if value.kind() == "call" {
        method(code, value)
    } else {
        ""
    };
    code.of_node(value) == "loguru.logger"
        || MAKERS.contains(&made)
        || made.to_ascii_lowercase().contains("logger") && names_logger(name)
}

/// The statement before another one, in a block around it, that binds a name to a logger.
fn bound_before<'c>(code: &'c Code, statement: Node<'c>, name: &str) -> Option<Node<'c>> {
    let mut at = statement;
    loop {
        let parent = at.parent().filter(|parent| parent.kind() != "function_definition")?;
        let before = statements(parent)
            .into_iter()
            .filter(|other| other.end_byte() <= at.start_byte());
        let mut binding = before.filter(|other| {
            let assignment = other.named_child(0).filter(|child| child.kind() == "assignment");
            let parts = assignment.and_then(|assignment| {
                Some((
                    assignment.child_by_field_name("left")?,
                    assignment.child_by_field_name("right")?,
                ))
            });
            parts.is_some_and(|(left, right)| code.of_node(left) == name && makes_logger(code, right, name))
        });
        if let Some(found) = binding.next() {
            return Some(found);
        }
        at = parent;
    }
}

/// Whether a logger that is written as `name` elsewhere can be written so at a statement.
fn is_visible(
    code: &Code,
    imports: &Imports<'_>,
    lines: &[Line<'_>],
    bound: &[(&str, Node<'_>)],
    statement: Node<'_>,
    name: &str,
) -> bool {
    let function = function_of(statement);
    let before = top_of(statement).start_byte();
    let root_name = name.split('.').next().unwrap_or(name);
    if root_name == "self" {
        return is_of_self(code, lines, statement, name);
    }
    // A name of the function itself hides that of the file.
    let mut around = function;
    while let Some(scope) = around {
        if let Some(local) = local_binding(code, scope, root_name) {
            let is_first = local.parent().and_then(|block| block.parent()) == Some(scope);
            return is_in_parameters(scope, local) || is_first && local.end_byte() <= statement.start_byte();
        }
        around = function_of(scope);
    }
    if name == "current_app.logger" {
        let used = |line: &Line<'_>| line.receiver == name && function.is_some_and(|scope| is_within(line.call, scope));
        return lines.iter().any(used);
    }
    if name.contains('.') && name != "app.logger" {
        return false;
    }
    let definition = bound
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, statement)| *statement)
        .or_else(|| imports.binds(root_name))
        .or_else(|| {
            if function.is_none() {
                bound_before(code, statement, name)
            } else {
                None
            }
        })
        .or_else(|| {
            if name.contains('.') {
                assigned_at_top(code, root_name)
            } else {
                None
            }
        });
    // A function runs when all of its file has been read.
    definition.is_some_and(|definition| {
        function.is_some() || definition.end_byte() <= before || is_within(definition, top_of(statement))
    })
}

/// `self.logger` in a method of a class that uses it.
fn is_of_self(code: &Code, lines: &[Line<'_>], statement: Node<'_>, name: &str) -> bool {
    if name.matches('.').count() != 1 {
        return false;
    }
    let mut around = function_of(statement);
    while let Some(function) = around {
        if let Some(class) = class_of(function) {
            let first = function
                .child_by_field_name("parameters")
                .and_then(|all| all.named_child(0));
            let has_self = first.is_some_and(|first| code.of_node(first) == "self");
            // What makes the object may not have set it yet.
            let is_ready = super::source::name_of(code, function) != "__init__";
            let used = |line: &Line<'_>| line.receiver == name && is_within(line.call, class);
            return has_self && is_ready && lines.iter().any(used);
        }
        around = function_of(function);
    }
    false
}

/// The statement, or the parameter, that binds a name in a function.
fn local_binding<'t>(code: &Code, scope: Node<'t>, name: &str) -> Option<Node<'t>> {
    let parameters = scope.child_by_field_name("parameters")?;
    if let Some(parameter) = uses(code, parameters, name).into_iter().next() {
        return Some(parameter);
    }
    let body = scope.child_by_field_name("body")?;
    let binds = |node: Node<'_>| match node.kind() {
        "assignment" | "augmented_assignment" | "for_statement" => node
            .child_by_field_name("left")
            .is_some_and(|left| left.kind() != "attribute" && !uses(code, left, name).is_empty()),
        "as_pattern_target"
        | "import_from_statement"
        | "import_statement"
        | "named_expression"
        | "global_statement" => !uses(code, node, name).is_empty(),
        _ => false,
    };
    let found = descendants(body, binds).into_iter().next()?;
    // The statement around an assignment.
    let statement = found.parent().filter(|parent| parent.kind() == "expression_statement");
    Some(statement.unwrap_or(found))
}

fn is_in_parameters(scope: Node<'_>, node: Node<'_>) -> bool {
    scope
        .child_by_field_name("parameters")
        .is_some_and(|parameters| is_within(node, parameters))
}

fn assigned_at_top<'c>(code: &'c Code, name: &str) -> Option<Node<'c>> {
    let root = code.root().ok()?;
    statements(root).into_iter().find(|statement| {
        statement.kind() == "expression_statement"
            && statement
                .named_child(0)
                .and_then(|child| child.child_by_field_name("left"))
                .is_some_and(|left| code.of_node(left) == name)
    })
}

/// The statement at the top level of the file around a node.
fn top_of(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while let Some(parent) = at.parent() {
        if parent.kind() == "module" {
            break;
        }
        at = parent;
    }
    at
}

/// How a file writes values into the lines of a logger.
fn style(code: &Code, imports: &Imports<'_>, lines: &[Line<'_>], name: &str) -> Style {
    let own: Vec<Node<'_>> = lines
        .iter()
        .filter(|line| line.receiver == name)
        .map(|line| line.call)
        .collect();
    let is_template = |call: &Node<'_>| {
        first_argument(call).is_some_and(|text| !descendants(text, |node| node.kind() == "interpolation").is_empty())
    };
    let templates = own.iter().filter(|call| is_template(call)).count();
    let positional = own.iter().filter(|call| {
        arguments(**call)
            .iter()
            .filter(|argument| argument.kind() != "keyword_argument")
            .count()
            > 1
    });
    let positional = positional.count();
    let of_loguru = imports.item("loguru", "logger", usize::MAX).as_deref() == Some(name)
        || code.root().is_ok_and(|root| {
            bound_loggers(code, root)
                .iter()
                .any(|(bound, statement)| *bound == name && code.of_node(*statement).ends_with("loguru.logger"))
        });
    let of_structlog = is_of_structlog(code, imports, name);
    let named = |call: &Node<'_>| {
        arguments(*call).iter().any(|argument| {
            argument.kind() == "keyword_argument"
                && !matches!(
                    super::source::name_of(code, *argument),
                    "exc_info" | "extra" | "stack_info" | "stacklevel"
                )
        })
    };
    if of_structlog || !of_loguru && own.iter().any(named) {
        let in_words = own
            .iter()
            .filter_map(first_argument)
            .any(|text| code.of_node(text).contains(' '));
        return Style::Named { in_words };
    }
    if templates > 0 && positional == 0 {
        return Style::Template;
    }
    if of_loguru { Style::Braces } else { Style::Percent }
}

fn first_argument<'t>(call: &Node<'t>) -> Option<Node<'t>> {
    arguments(*call).into_iter().next()
}

fn is_of_structlog(code: &Code, imports: &Imports<'_>, name: &str) -> bool {
    let Ok(root) = code.root() else { return false };
    bound_loggers(code, root).iter().any(|(bound, statement)| {
        *bound == name
            && calls(*statement).iter().any(|call| {
                let called = callee(code, *call);
                called.starts_with("structlog.")
                    || imports.item("structlog", called, usize::MAX).is_some()
                    || imports.item("structlog.stdlib", called, usize::MAX).is_some()
            })
    })
}

/// Words that say that a project decides where its log goes.
const CONFIGURES: [&str; 6] = [
    "basicConfig(",
    "dictConfig(",
    "fileConfig(",
    "addHandler(",
    "LOGGING =",
    "structlog.configure(",
];

/// Whether a file decides where the log goes.
pub(super) fn configures_log(text: &str) -> bool {
    CONFIGURES.iter().any(|words| text.contains(words)) || text.contains("from loguru import")
}

/// The named children of the first block, for tests of what a statement holds.
pub(super) fn returns_within(statement: Node<'_>) -> bool {
    let mut stack = children(statement);
    while let Some(node) = stack.pop() {
        match node.kind() {
            "return_statement" | "raise_statement" => return true,
            "function_definition" | "class_definition" | "lambda" => {}
            _ => stack.extend(children(node)),
        }
    }
    false
}
