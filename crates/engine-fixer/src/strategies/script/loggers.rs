//! The logger that a file uses, and the lines that are written with it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine_model::{DependencyRelation, Ecosystem};
use engine_syntax::tree::Node;

use super::source::{
    Binding, Style, arguments, binding, callee_name, function_around, is_client, is_script, is_used, module_of,
    receiver, required,
};
use crate::code::{Code, around, children, descendants};
use crate::{NoFix, Site};

/// Methods that write a line of a log.
const LEVELS: [&str; 12] = [
    "trace", "debug", "info", "warn", "warning", "error", "fatal", "log", "verbose", "http", "notice", "success",
];

/// Objects of a request or a server that have a logger.
const HOLDERS: [&str; 8] = ["req", "request", "fastify", "app", "server", "ctx", "context", "c"];

/// Files of a project that are looked through for its logger.
const FILES_MAX: usize = 400;

/// Files whose names say that they make a logger.
const MODULES_MAX: usize = 8;

/// How a logger takes a message and what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `logger.info({ model }, "text")`
    ObjectFirst,
    /// `logger.info("text", { model })`, `logger.error("text", error)`
    MessageFirst,
    /// `logger.error("text", { error })`
    MessageAndFields,
    /// `logger.info("text")`, with nothing behind it for certain.
    Text,
}

/// How the loggers of a library are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Library {
    error: Shape,
    info: Shape,
    /// The method for what happens as it should.
    method: &'static str,
}

const OBJECT_FIRST: Library = Library {
    error: Shape::ObjectFirst,
    info: Shape::ObjectFirst,
    method: "info",
};

const MESSAGE_FIRST: Library = Library {
    error: Shape::MessageFirst,
    info: Shape::MessageFirst,
    method: "info",
};

const NEST: Library = Library {
    error: Shape::Text,
    info: Shape::Text,
    method: "log",
};

/// Libraries whose loggers take an object first.
const OBJECT_LIBRARIES: [&str; 3] = ["pino", "pino-http", "bunyan"];

/// Libraries whose loggers take a text first, and anything behind it.
const MESSAGE_LIBRARIES: [&str; 8] = [
    "winston",
    "log4js",
    "consola",
    "tslog",
    "loglevel",
    "signale",
    "firebase-functions",
    "firebase-functions/logger",
];

/// Libraries that are a logger themselves, or export one.
const INSTANCES: [(&str, &str); 9] = [
    ("winston", "default"),
    ("winston", "*"),
    ("consola", "default"),
    ("consola", "consola"),
    ("loglevel", "default"),
    ("loglevel", "*"),
    ("signale", "default"),
    ("firebase-functions", "logger"),
    ("firebase-functions/logger", "*"),
];

fn library_of(module: &str) -> Option<Library> {
    if OBJECT_LIBRARIES.contains(&module) {
        Some(OBJECT_FIRST)
    } else if MESSAGE_LIBRARIES.contains(&module) {
        Some(MESSAGE_FIRST)
    } else if module == "@nestjs/common" {
        Some(NEST)
    } else {
        None
    }
}

/// Packages that log.
pub(super) const PACKAGES: [&str; 14] = [
    "pino",
    "winston",
    "bunyan",
    "log4js",
    "consola",
    "tslog",
    "loglevel",
    "signale",
    "pino-http",
    "fastify",
    "nestjs-pino",
    "@nestjs/common",
    "firebase-functions",
    "@aws-lambda-powertools/logger",
];

/// A line of an import that a fix adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) at: usize,
    pub(super) text: String,
}

/// A logger that can be called at a place.
#[derive(Clone, Debug)]
pub(super) struct Logger {
    receiver: String,
    error: Shape,
    info: Shape,
    method: &'static str,
    pub(super) import: Option<Import>,
}

impl Logger {
    /// A statement that logs a failure, without its end.
    pub(super) fn failure(&self, style: &Style, error: &str) -> String {
        let (to, text) = (&self.receiver, style.text("Model call failed"));
        match self.error {
            Shape::ObjectFirst => format!("{to}.error({{ err: {error} }}, {text})"),
            Shape::MessageFirst => format!("{to}.error({text}, {error})"),
            Shape::MessageAndFields => format!("{to}.error({text}, {{ error }})"),
            Shape::Text => format!("{to}.error(`Model call failed: ${{String({error})}}`)"),
        }
    }

    /// A statement that logs the status of a failed request, without its end.
    pub(super) fn status(&self, style: &Style, response: &str) -> String {
        let (to, text) = (&self.receiver, style.text("Model call failed"));
        match self.info {
            Shape::ObjectFirst => format!("{to}.error({{ status: {response}.status }}, {text})"),
            Shape::MessageFirst | Shape::MessageAndFields => {
                format!("{to}.error({text}, {{ status: {response}.status }})")
            }
            Shape::Text => format!("{to}.error(`Model call failed with status ${{{response}.status}}`)"),
        }
    }

    /// A statement that logs what is known of a call, without its end. `indent` stands in front of each line but the first.
    pub(super) fn interaction(&self, style: &Style, indent: &str, fields: &[(&str, String)]) -> String {
        let (to, method, text) = (&self.receiver, self.method, style.text("Model call completed"));
        if self.info == Shape::Text {
            let parts: Vec<String> = fields
                .iter()
                .map(|(name, value)| match *name {
                    "usage" => format!("{name}=${{JSON.stringify({value})}}"),
                    _ => format!("{name}=${{{value}}}"),
                })
                .collect();
            return format!("{to}.{method}(`Model call completed: {}`)", parts.join(" "));
        }
        let pair = |(name, value): &(&str, String)| {
            if *name == value {
                value.clone()
            } else {
                format!("{name}: {value}")
            }
        };
        let pairs: Vec<String> = fields.iter().map(pair).collect();
        let one_line = format!("{{ {} }}", pairs.join(", "));
        let fits = |before: &str, text: &str| before.chars().count() + text.chars().count() < LINE_MAX;
        let (inner, comma) = (format!("{indent}{}", style.unit), style.argument_comma);
        let over_lines = |indent: &str| {
            let lines = pairs.join(&format!(",\n{indent}{}", style.unit));
            format!("{{\n{indent}{}{lines}{}\n{indent}}}", style.unit, style.comma)
        };
        if self.info != Shape::ObjectFirst {
            let line = format!("{to}.{method}({text}, {one_line})");
            if fits(indent, &line) {
                return line;
            }
            return format!("{to}.{method}({text}, {})", over_lines(indent));
        }
        let line = format!("{to}.{method}({one_line}, {text})");
        if fits(indent, &line) {
            return line;
        }
        let object = if fits(&inner, &one_line) {
            one_line
        } else {
            over_lines(&inner)
        };
        format!("{to}.{method}(\n{inner}{object},\n{inner}{text}{comma}\n{indent})")
    }

    /// The console, which is no log that is kept.
    pub(super) fn console_failure(style: &Style, error: &str) -> String {
        format!("console.error({}, {error})", style.text("Model call failed:"))
    }

    /// The status of a failed request on the console.
    pub(super) fn console_status(style: &Style, response: &str) -> String {
        format!(
            "console.error({}, {response}.status)",
            style.text("Model call failed with status")
        )
    }
}

/// Characters of a line, its end left out, from which on it is written over several lines.
const LINE_MAX: usize = 80;

/// Whether a file writes to the console.
pub(super) fn uses_console(code: &Code) -> bool {
    let Ok(root) = code.root() else { return false };
    let console = |node: Node<'_>| {
        node.kind() == "call_expression" && receiver(node).is_some_and(|object| code.of_node(object) == "console")
    };
    !descendants(root, console).is_empty()
}

/// The logger that can be called at a node because the file uses or imports it.
pub(super) fn in_scope(site: &Site<'_>, code: &Code, at: Node<'_>) -> Option<Logger> {
    let root = code.root().ok()?;
    let home = function_around(at).map(|function| function.id());
    let mut best: Option<(bool, Logger)> = None;
    for call in descendants(root, |node| node.kind() == "call_expression") {
        let Some(object) = receiver(call) else { continue };
        if !LEVELS.contains(&callee_name(code, call)) {
            continue;
        }
        let library = match library(site, code, object, 0) {
            Some(library) => Some(library),
            None if is_logger(code, object) => None,
            None => continue,
        };
        if !is_counted(code, object) || !is_visible(code, object, at) {
            continue;
        }
        let near = function_around(call).map(|function| function.id()) == home;
        if best.as_ref().is_none_or(|(known, _)| near && !known) {
            best = Some((near, logger(code, object, library)));
        }
    }
    if let Some((_, logger)) = best {
        return Some(logger);
    }
    // A field of the class that holds a logger and is not used yet.
    if owner_of_this(at).is_some()
        && let Some((name, library)) = around(at, &["class_body"]).and_then(|body| field_with_logger(site, code, body))
    {
        return Some(Logger {
            receiver: format!("this.{name}"),
            error: library.error,
            info: library.info,
            method: library.method,
            import: None,
        });
    }
    // A logger that was made or imported and is not used yet.
    for name in names_at_top(code, root) {
        let text = code.of_node(name);
        let Some(bound) = binding(code, text, at) else { continue };
        let same = bound.node.start_byte() <= name.start_byte() && name.end_byte() <= bound.node.end_byte();
        // Without a call in the file nothing says that the library itself is set up to write anywhere.
        let bare = module_of(code, &bound).is_some_and(|(module, _)| module == "winston");
        if same
            && !bare
            && is_counted(code, name)
            && let Some(library) = library(site, code, name, 0)
        {
            return Some(logger(code, name, Some(library)));
        }
    }
    None
}

/// The identifiers that imports and declarations at the top of a file bind.
fn names_at_top<'t>(code: &Code, root: Node<'t>) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    for statement in children(root) {
        let statement = match statement.kind() {
            "export_statement" => statement.child_by_field_name("declaration").unwrap_or(statement),
            _ => statement,
        };
        match statement.kind() {
            "import_statement" => out.extend(names_of_loggers(code, statement)),
            "lexical_declaration" | "variable_declaration" => {
                let names = children(statement)
                    .into_iter()
                    .filter_map(|declarator| declarator.child_by_field_name("name"));
                out.extend(names.flat_map(|name| names_of_loggers(code, name)));
            }
            _ => {}
        }
    }
    out
}

/// The names below a node that a logger may have.
fn names_of_loggers<'t>(code: &Code, node: Node<'t>) -> Vec<Node<'t>> {
    descendants(node, |node| node.kind() != "member_expression" && is_logger(code, node))
}

/// Whether an object is a logger by its name.
fn is_logger(code: &Code, object: Node<'_>) -> bool {
    let named = |name: &str| {
        let lower = name.trim_start_matches('#').to_ascii_lowercase();
        lower == "log" || lower.ends_with("logger") || lower == "winston" || lower == "consola"
    };
    match object.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => named(code.of_node(object)),
        "member_expression" => {
            let holder = object.child_by_field_name("object");
            let name = object.child_by_field_name("property");
            let (Some(holder), Some(name)) = (holder, name) else {
                return false;
            };
            named(code.of_node(name))
                && (holder.kind() == "this" || holder.kind() == "identifier" && HOLDERS.contains(&code.of_node(holder)))
        }
        _ => false,
    }
}

/// Whether the scanner takes a call on an object for a line of a log whatever is known of its library.
fn is_counted(code: &Code, object: Node<'_>) -> bool {
    let name = match object.kind() {
        "member_expression" => object
            .child_by_field_name("property")
            .map_or("", |name| code.of_node(name)),
        _ => code.of_node(object),
    };
    let lower = name.trim_start_matches('#').to_ascii_lowercase();
    lower == "log" || lower.contains("logger") || lower == "winston" || lower == "consola"
}

/// Whether an object that is called somewhere in a file means the same at a node.
fn is_visible(code: &Code, object: Node<'_>, at: Node<'_>) -> bool {
    let root = match object.kind() {
        "member_expression" => object.child_by_field_name("object"),
        _ => Some(object),
    };
    let Some(root) = root else { return false };
    if root.kind() == "this" {
        return owner_of_this(root).is_some_and(|owner| owner_of_this(at) == Some(owner));
    }
    let name = code.of_node(root);
    let (Some(own), Some(there)) = (binding(code, name, root), binding(code, name, at)) else {
        return false;
    };
    // Each handler of a request is given its own object under the same name.
    let handed = |bound: &Binding<'_>| {
        let list = bound.node.parent().filter(|list| list.kind() == "formal_parameters");
        list.and_then(|list| list.parent())
            .and_then(|function| function.parent())
            .is_some_and(|list| list.kind() == "arguments")
    };
    own.node.id() == there.node.id()
        || object.kind() == "member_expression" && matches!(name, "req" | "request") && handed(&own) && handed(&there)
}

/// The class whose object `this` is at a node.
fn owner_of_this(at: Node<'_>) -> Option<usize> {
    let mut node = at;
    loop {
        let parent = node.parent()?;
        match parent.kind() {
            "class_body" => {
                let mut cursor = node.walk();
                let fixed = node.children(&mut cursor).any(|part| part.kind() == "static");
                return (!fixed).then_some(parent.id());
            }
            "function_declaration"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration" => {
                return None;
            }
            // A method of an object literal has a `this` of its own.
            "method_definition" if parent.parent().is_none_or(|above| above.kind() != "class_body") => return None,
            _ => {}
        }
        node = parent;
    }
}

/// How the library behind an object is called, if it is known.
fn library(site: &Site<'_>, code: &Code, object: Node<'_>, depth: u32) -> Option<Library> {
    if depth > 3 {
        return None;
    }
    match object.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            let bound = binding(code, code.of_node(object), object)?;
            of_binding(site, code, &bound, depth)
        }
        "member_expression" => {
            let holder = object.child_by_field_name("object")?;
            if holder.kind() == "this" {
                return of_field(site, code, object, depth);
            }
            let log = object
                .child_by_field_name("property")
                .is_some_and(|name| code.of_node(name) == "log");
            let web = depends_on(site, code, "fastify") || depends_on(site, code, "pino-http");
            (log && holder.kind() == "identifier" && HOLDERS.contains(&code.of_node(holder)) && web)
                .then_some(OBJECT_FIRST)
        }
        _ => None,
    }
}

fn of_binding(site: &Site<'_>, code: &Code, bound: &Binding<'_>, depth: u32) -> Option<Library> {
    if let Some((module, item)) = module_of(code, bound) {
        if INSTANCES.contains(&(module.as_str(), item.as_str())) {
            return library_of(&module);
        }
        let path = resolved(site, &code.path, &module)?;
        let other = site.code(path).ok()?;
        return of_export(site, &other, &item, depth + 1);
    }
    (bound.node.kind() == "variable_declarator" && bound.item.is_none())
        .then(|| of_maker(site, code, bound.node.child_by_field_name("value")?, depth))?
}

/// The library of what an expression makes: `pino()`, `winston.createLogger(…)`, `new Logger(…)`, `logger.child(…)`.
fn of_maker(site: &Site<'_>, code: &Code, value: Node<'_>, depth: u32) -> Option<Library> {
    let mut head = match value.kind() {
        "call_expression" => value.child_by_field_name("function")?,
        "new_expression" => value.child_by_field_name("constructor")?,
        "as_expression" | "satisfies_expression" | "non_null_expression" | "parenthesized_expression" => {
            return of_maker(site, code, children(value).first().copied()?, depth);
        }
        _ => return None,
    };
    if value.kind() == "call_expression" && callee_name(code, value) == "child" {
        return library(site, code, receiver(value)?, depth + 1);
    }
    while head.kind() == "member_expression" {
        head = head.child_by_field_name("object")?;
    }
    if let Some(module) = required(code, head) {
        return library_of(module);
    }
    let bound = binding(code, code.of_node(head), head)?;
    let (module, _) = module_of(code, &bound)?;
    library_of(&module)
}

/// The library of a field of a class: `private readonly logger = new Logger(…)`.
fn of_field(site: &Site<'_>, code: &Code, object: Node<'_>, depth: u32) -> Option<Library> {
    let name = code.of_node(object.child_by_field_name("property")?);
    let body = around(object, &["class_body"])?;
    let mut fields = fields(code, body).into_iter();
    let (_, field) = fields.find(|(known, _)| *known == name)?;
    library_of_field(site, code, field, depth)
}

/// The only field of a class that holds a logger of a known library.
fn field_with_logger<'c>(site: &Site<'_>, code: &'c Code, body: Node<'c>) -> Option<(&'c str, Library)> {
    let is_log = |name: &str| {
        let lower = name.trim_start_matches('#').to_ascii_lowercase();
        lower == "log" || lower.ends_with("logger")
    };
    let known: Vec<(&str, Library)> = fields(code, body)
        .into_iter()
        .filter(|(name, _)| is_log(name))
        .filter_map(|(name, field)| Some((name, library_of_field(site, code, field, 0)?)))
        .collect();
    match known.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// The fields of a class with their names, those among them that its constructor declares.
fn fields<'c>(code: &'c Code, body: Node<'c>) -> Vec<(&'c str, Node<'c>)> {
    let mut out = Vec::new();
    for member in children(body) {
        match member.kind() {
            "public_field_definition" | "field_definition" => {
                let mut cursor = member.walk();
                let fixed = member.children(&mut cursor).any(|part| part.kind() == "static");
                let name = member
                    .child_by_field_name("name")
                    .or(member.child_by_field_name("property"));
                out.extend(name.filter(|_| !fixed).map(|name| (code.of_node(name), member)));
            }
            "method_definition"
                if member
                    .child_by_field_name("name")
                    .is_some_and(|name| code.of_node(name) == "constructor") =>
            {
                let parameters = member
                    .child_by_field_name("parameters")
                    .map(children)
                    .unwrap_or_default();
                for parameter in parameters {
                    let declares = children(parameter)
                        .iter()
                        .any(|part| part.kind() == "accessibility_modifier")
                        || code.of_node(parameter).starts_with("readonly ");
                    let name = parameter.child_by_field_name("pattern").filter(|_| declares);
                    out.extend(name.map(|name| (code.of_node(name), parameter)));
                }
            }
            _ => {}
        }
    }
    out
}

/// The library of what a field is made of, or else of its type.
fn library_of_field(site: &Site<'_>, code: &Code, field: Node<'_>, depth: u32) -> Option<Library> {
    if let Some(value) = field.child_by_field_name("value") {
        return of_maker(site, code, value, depth);
    }
    let annotation = field.child_by_field_name("type")?;
    let named = children(annotation).first().copied()?;
    let root = code.of_node(named).split('.').next().unwrap_or("");
    let bound = binding(code, root, field)?;
    let (module, item) = module_of(code, &bound)?;
    if module == "nestjs-pino" {
        return match item.as_str() {
            "PinoLogger" => Some(OBJECT_FIRST),
            "Logger" => Some(NEST),
            _ => None,
        };
    }
    library_of(&module)
}

/// The library of what a file exports under a name.
fn of_export(site: &Site<'_>, code: &Code, item: &str, depth: u32) -> Option<Library> {
    if depth > 3 {
        return None;
    }
    let root = code.root().ok()?;
    let local = exported(code, root, item)?;
    if local.kind() == "identifier" {
        let bound = binding(code, code.of_node(local), local)?;
        return of_binding(site, code, &bound, depth);
    }
    of_maker(site, code, local, depth)
}

/// The expression or the name that a file exports under a name.
fn exported<'t>(code: &Code, root: Node<'t>, item: &str) -> Option<Node<'t>> {
    for statement in children(root) {
        match statement.kind() {
            "export_statement" => {
                if let Some(value) = statement.child_by_field_name("value")
                    && item == "default"
                {
                    return Some(value);
                }
                let declaration = statement.child_by_field_name("declaration");
                for declarator in declaration.map(children).unwrap_or_default() {
                    let name = declarator.child_by_field_name("name");
                    if name.is_some_and(|name| name.kind() == "identifier" && code.of_node(name) == item) {
                        return declarator.child_by_field_name("value");
                    }
                }
                let clause = children(statement)
                    .into_iter()
                    .find(|part| part.kind() == "export_clause");
                // What another file exports is looked for there only.
                let own = statement.child_by_field_name("source").is_none();
                for specifier in clause.filter(|_| own).map(children).unwrap_or_default() {
                    let name = specifier.child_by_field_name("name")?;
                    let shown = specifier.child_by_field_name("alias").unwrap_or(name);
                    if code.of_node(shown) == item {
                        return Some(name);
                    }
                }
            }
            // `module.exports = logger`, `module.exports = { logger }`, `exports.logger = …`
            "expression_statement" => {
                let Some(set) = children(statement)
                    .into_iter()
                    .find(|part| part.kind() == "assignment_expression")
                else {
                    continue;
                };
                let (Some(left), Some(right)) = (set.child_by_field_name("left"), set.child_by_field_name("right"))
                else {
                    continue;
                };
                let left = code.of_node(left);
                if left == "module.exports" && right.kind() == "object" {
                    for entry in children(right) {
                        let (name, value) = match entry.kind() {
                            "pair" => (entry.child_by_field_name("key")?, entry.child_by_field_name("value")?),
                            _ => (entry, entry),
                        };
                        if code.of_node(name) == item && matches!(value.kind(), "identifier" | "call_expression") {
                            return Some(value);
                        }
                        // The shorthand is a name as well, and its declaration stands at the top.
                        if entry.kind() == "shorthand_property_identifier" && code.of_node(entry) == item {
                            return declared_value(code, root, item);
                        }
                    }
                } else if left == "module.exports" && matches!(item, "*" | "default")
                    || left.strip_prefix("exports.").or(left.strip_prefix("module.exports.")) == Some(item)
                {
                    return Some(right);
                }
            }
            _ => {}
        }
    }
    None
}

/// The value of a name that is declared at the top of a file.
fn declared_value<'t>(code: &Code, root: Node<'t>, name: &str) -> Option<Node<'t>> {
    children(root).into_iter().find_map(|statement| {
        children(statement).into_iter().find_map(|declarator| {
            let own = declarator.child_by_field_name("name")?;
            (declarator.kind() == "variable_declarator" && code.of_node(own) == name)
                .then(|| declarator.child_by_field_name("value"))?
        })
    })
}

/// The logger behind an object: what its library says, else what the calls of the file show.
fn logger(code: &Code, object: Node<'_>, library: Option<Library>) -> Logger {
    let receiver = code.of_node(object).to_owned();
    let (error, info, method) = if let Some(library) = library {
        (library.error, library.info, library.method)
    } else {
        let (error, info) = shapes(code, &receiver);
        (error, info, method_of(code, &receiver))
    };
    Logger {
        receiver,
        error,
        info,
        method,
        import: None,
    }
}

fn calls_on<'c>(code: &'c Code, to: &str) -> Vec<Node<'c>> {
    let Ok(root) = code.root() else { return Vec::new() };
    descendants(root, |node| {
        node.kind() == "call_expression"
            && receiver(node).is_some_and(|object| code.of_node(object) == to)
            && LEVELS.contains(&callee_name(code, node))
    })
}

/// The method of a logger of no known library for what happens as it should.
fn method_of(code: &Code, to: &str) -> &'static str {
    let calls = calls_on(code, to);
    let has = |method: &str| calls.iter().any(|call| callee_name(code, *call) == method);
    if has("log") && !has("info") { "log" } else { "info" }
}

/// The shapes in which a file calls a logger of no known library: for a failure, and for anything else.
fn shapes(code: &Code, to: &str) -> (Shape, Shape) {
    let (mut error, mut info) = (Shape::Text, Shape::Text);
    for call in calls_on(code, to) {
        let given = arguments(call);
        let Some(first) = given.first() else { continue };
        if first.kind() == "object" {
            return (Shape::ObjectFirst, Shape::ObjectFirst);
        }
        let Some(second) = given.get(1).filter(|_| given.len() == 2) else {
            continue;
        };
        let failure = matches!(callee_name(code, call), "error" | "warn" | "fatal");
        match second.kind() {
            "object" => {
                info = Shape::MessageFirst;
                if failure && error == Shape::Text && super::source::value_of(code, *second, "error").is_some() {
                    error = Shape::MessageAndFields;
                }
            }
            "identifier" if failure && is_caught(code, *second) => error = Shape::MessageFirst,
            _ => {}
        }
    }
    (error, info)
}

/// Whether a name is what a block or a function catches.
fn is_caught(code: &Code, name: Node<'_>) -> bool {
    binding(code, code.of_node(name), name).is_some_and(|bound| {
        let clause = around(bound.node, &["catch_clause", "statement_block", "program"]);
        bound.node.kind() == "identifier" && clause.is_some_and(|clause| clause.kind() == "catch_clause")
    })
}

/// The version of a package that a file of a project uses, as major and minor number.
pub(super) fn version(site: &Site<'_>, name: &str) -> Option<(u32, u32)> {
    let numbers = |text: &str| {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = digits.split(|c: char| !c.is_ascii_digit());
        let major = parts.next()?.parse().ok()?;
        Some((major, parts.next().and_then(|minor| minor.parse().ok()).unwrap_or(0)))
    };
    let packages = site.inventory.packages.iter();
    let own = packages.filter(|package| package.ecosystem == Ecosystem::Npm && package.name == name);
    // The least of several is what can be relied on.
    own.filter_map(|package| numbers(package.version.as_deref().or(package.requirement.as_deref())?))
        .min()
}

/// Whether the manifest nearest to a file names a package.
pub(super) fn depends_on(site: &Site<'_>, code: &Code, name: &str) -> bool {
    let folder = package_folder(site, &code.path);
    site.inventory.packages.iter().any(|package| {
        package.ecosystem == Ecosystem::Npm
            && package.name == name
            && package.relation != DependencyRelation::Transitive
            && folder_of(&package.file) == folder
    })
}

/// The logging library that the manifest of a file names.
pub(super) fn logging_package(site: &Site<'_>, code: &Code) -> Option<&'static str> {
    PACKAGES.into_iter().find(|package| depends_on(site, code, package))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of the manifest nearest to a file.
fn package_folder<'p>(site: &Site<'_>, path: &'p str) -> &'p str {
    let mut folder = folder_of(path);
    loop {
        let manifest = if folder.is_empty() {
            "package.json".to_owned()
        } else {
            format!("{folder}/package.json")
        };
        if folder.is_empty() || has(site, &manifest) {
            return folder;
        }
        folder = folder_of(folder);
    }
}

/// Whether two files belong to the same package.
pub(super) fn in_package(site: &Site<'_>, one: &str, other: &str) -> bool {
    package_folder(site, one) == package_folder(site, other)
}

fn has(site: &Site<'_>, path: &str) -> bool {
    site.paths.binary_search(&path).is_ok()
}

/// The file of the project that a specifier of a file names.
pub(super) fn resolved<'s>(site: &Site<'s>, from: &str, specifier: &str) -> Option<&'s str> {
    let base = if specifier.starts_with("./") || specifier.starts_with("../") {
        joined(folder_of(from), specifier)?
    } else {
        // The usual alias of a project for its own sources.
        let rest = specifier.strip_prefix("@/").or(specifier.strip_prefix("~/"))?;
        let folder = package_folder(site, from);
        let below = |inner: &str| {
            if folder.is_empty() {
                format!("{inner}{rest}")
            } else {
                format!("{folder}/{inner}{rest}")
            }
        };
        let (plain, source) = (file_for(site, &below("")), file_for(site, &below("src/")));
        return match (plain, source) {
            (Some(path), None) | (None, Some(path)) => Some(path),
            _ => None,
        };
    };
    file_for(site, &base)
}

/// The file that a path without or with an ending stands for.
fn file_for<'s>(site: &Site<'s>, base: &str) -> Option<&'s str> {
    const ENDINGS: [&str; 8] = ["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"];
    let without = ["js", "mjs", "cjs", "jsx"]
        .iter()
        .find_map(|ending| base.strip_suffix(&format!(".{ending}")));
    let with = |stem: &str| ENDINGS.map(|ending| format!("{stem}.{ending}"));
    let candidates = std::iter::once(base.to_owned())
        .chain(with(base))
        .chain(without.into_iter().flat_map(with))
        .chain(with(&format!("{base}/index")));
    candidates
        .into_iter()
        .filter(|path| is_script(engine_model::Language::of_path(path)))
        .find_map(|path| site.paths.binary_search(&path.as_str()).ok())
        .and_then(|at| site.paths.get(at).copied())
}

/// A relative specifier seen from a folder.
fn joined(folder: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The relative specifier of a path seen from a folder.
fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(from.len() - same);
    let rest = to.get(same..).unwrap_or_default().join("/");
    if up.is_empty() {
        format!("./{rest}")
    } else {
        format!("{up}{rest}")
    }
}

/// The loggers of the project by the file that would import them; each file is looked at once for a fix.
#[derive(Default)]
pub(super) struct Shared(RefCell<BTreeMap<String, Option<Logger>>>);

impl Shared {
    /// The logger of the project that a file can import: the only one, in the way that another file imports it.
    pub(super) fn find(&self, site: &Site<'_>, code: &Code, style: &Style) -> Option<Logger> {
        if let Some(known) = self.0.borrow().get(&code.path) {
            return known.clone();
        }
        let found = of_project(site, code, style);
        self.0.borrow_mut().insert(code.path.clone(), found.clone());
        found
    }
}

fn of_project(site: &Site<'_>, code: &Code, style: &Style) -> Option<Logger> {
    // What writes to files or to a service of a server is not for a browser.
    if is_client(code) {
        return None;
    }
    let folder = package_folder(site, &code.path);
    let inside = |path: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let scripts = || {
        site.paths.iter().copied().filter(|path| {
            inside(path) && is_script(engine_model::Language::of_path(path)) && package_folder(site, path) == folder
        })
    };
    let named: Vec<&str> = scripts()
        .filter(|path| makes_loggers(path))
        .take(MODULES_MAX + 1)
        .collect();
    if named.len() > MODULES_MAX {
        return None;
    }
    let mut made: Vec<(&str, String, Library)> = Vec::new();
    for path in named {
        let other = site.code(path).ok()?;
        if other.zone != engine_model::Zone::Product {
            continue;
        }
        let root = other.root().ok()?;
        for item in items(&other, root) {
            if let Some(library) = of_export(site, &other, &item, 0) {
                made.push((path, item, library));
            }
        }
    }
    // The same object may be exported under its name and as the default.
    let module = made.first()?.0;
    if made.iter().any(|(path, _, _)| *path != module) || module == code.path {
        return None;
    }
    for path in scripts()
        .filter(|path| *path != code.path && *path != module)
        .take(FILES_MAX)
    {
        let file = site.source.file(path)?;
        let stem = module
            .rsplit('/')
            .next()
            .and_then(|name| name.split('.').next())
            .unwrap_or("");
        let stem = if stem == "index" {
            folder_of(module).rsplit('/').next().unwrap_or("")
        } else {
            stem
        };
        if !String::from_utf8_lossy(&file.bytes).contains(stem) {
            continue;
        }
        let Ok(other) = site.code(path) else { continue };
        let Some((statement, name, item)) = import_of(site, &other, module) else {
            continue;
        };
        let Some((_, _, library)) = made.iter().find(|(_, known, _)| *known == item) else {
            continue;
        };
        return imported(code, style, &other, statement, module, &name, *library);
    }
    None
}

/// Whether a file makes loggers, by its name.
fn makes_loggers(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|name| name.split('.').next()).unwrap_or("");
    let stem = if stem == "index" {
        parts.next().unwrap_or("")
    } else {
        stem
    };
    matches!(
        stem.to_ascii_lowercase().as_str(),
        "logger" | "log" | "logging" | "winston" | "pino"
    )
}

/// The names that a file exports, `default` and `*` among them.
fn items(code: &Code, root: Node<'_>) -> Vec<String> {
    let mut out = vec!["default".to_owned(), "*".to_owned()];
    let loggers = descendants(root, |node| {
        matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && ["log", "logger"].contains(&code.of_node(node).to_ascii_lowercase().as_str())
    });
    out.extend(loggers.into_iter().map(|node| code.of_node(node).to_owned()));
    out.sort();
    out.dedup();
    out
}

/// The statement at the top of a file that imports a name from a file of the project, the name and the item.
fn import_of<'c>(site: &Site<'_>, code: &'c Code, module: &str) -> Option<(Node<'c>, String, String)> {
    let root = code.root().ok()?;
    for statement in children(root) {
        for name in names_of_loggers(code, statement) {
            let Some(bound) = binding(code, code.of_node(name), name) else {
                continue;
            };
            let holds =
                bound.node.start_byte() >= statement.start_byte() && bound.node.end_byte() <= statement.end_byte();
            let Some((specifier, item)) = module_of(code, &bound).filter(|_| holds) else {
                continue;
            };
            if resolved(site, &code.path, &specifier) == Some(module) {
                return Some((statement, code.of_node(name).to_owned(), item));
            }
        }
    }
    None
}

/// A logger that a file imports in the way that another one does.
fn imported(
    code: &Code,
    style: &Style,
    other: &Code,
    statement: Node<'_>,
    module: &str,
    name: &str,
    library: Library,
) -> Option<Logger> {
    let whole = other.of_node(statement).trim_end_matches(';');
    let single = whole.matches(['"', '\'']).count() == 2 && !whole.contains('\n');
    let open = whole.find(['"', '\''])?;
    let close = whole.rfind(['"', '\''])?;
    let specifier = whole.get(open + 1..close)?;
    // Only the logger may be imported along, and the name must be free.
    let alone = !whole.contains(',') && !whole.contains(" as ") && !whole.contains("import type");
    if !single || !alone || is_used(code, name) {
        return None;
    }
    let own = if specifier.starts_with('.') {
        let ending = specifier
            .rsplit('/')
            .next()
            .and_then(|last| last.rsplit_once('.'))
            .map(|(_, ending)| ending);
        let ending = ending.filter(|ending| matches!(*ending, "js" | "mjs" | "cjs" | "ts" | "mts"));
        let mut path = relative(folder_of(&code.path), module);
        let stem = path.rsplit_once('.').map(|(stem, _)| stem.to_owned())?;
        path = match ending {
            Some(ending) => format!("{stem}.{ending}"),
            None => stem.strip_suffix("/index").map(str::to_owned).unwrap_or(stem),
        };
        path
    } else {
        specifier.to_owned()
    };
    let is_module = statement.kind() == "import_statement";
    let at = import_place(code, is_module)?;
    let (before, after) = (whole.get(..open)?, whole.get(close + 1..)?);
    Some(Logger {
        receiver: name.to_owned(),
        error: library.error,
        info: library.info,
        method: library.method,
        import: Some(Import {
            at,
            text: format!("\n{before}{}{after}{}", style.text(&own), style.end),
        }),
    })
}

/// The end of the line of the last import of a file, where another one can follow.
fn import_place(code: &Code, is_module: bool) -> Option<usize> {
    let root = code.root().ok()?;
    let is_import = |statement: Node<'_>| {
        if is_module {
            return statement.kind() == "import_statement";
        }
        matches!(statement.kind(), "lexical_declaration" | "variable_declaration")
            && children(statement).iter().any(|declarator| {
                declarator.child_by_field_name("value").is_some_and(|value| {
                    let head = if value.kind() == "member_expression" {
                        value.child_by_field_name("object")
                    } else {
                        Some(value)
                    };
                    head.is_some_and(|head| required(code, head).is_some())
                })
            })
    };
    let mut last = None;
    for statement in children(root) {
        let directive = statement.kind() == "expression_statement"
            && children(statement).first().is_some_and(|only| only.kind() == "string");
        if is_import(statement) {
            last = Some(statement);
        } else if last.is_some() && !directive && statement.kind() != "comment" {
            break;
        }
    }
    super::source::behind(code, last?).ok()
}

/// What to say where no logger was found.
pub(super) fn missing(site: &Site<'_>, code: &Code) -> NoFix {
    match logging_package(site, code) {
        Some(package) => NoFix::here(format!(
            "the project depends on `{package}`, but this file uses no logger and no shared one was found; \
             import the logger of the project here first"
        )),
        None => NoFix::here(
            "no logger was found in this file or in the project; decide which logging library and storage the project uses, \
             because console output does not count as a log",
        ),
    }
}

/// Adds a line to a draft that imports the logger, where that is needed.
pub(super) fn add_import(draft: &mut crate::Draft, code: &Code, logger: &Logger) {
    if let Some(import) = &logger.import {
        draft.insert(code, import.at, &import.text);
    }
}

#[cfg(test)]
mod tests {
    use super::{joined, relative};

    #[test]
    fn specifiers_lead_there_and_back() {
        assert_eq!(joined("src/api", "../lib/log").as_deref(), Some("src/lib/log"));
        assert_eq!(joined("", "./log").as_deref(), Some("log"));
        assert_eq!(joined("", "../log"), None);
        assert_eq!(relative("src/api", "src/lib/log.ts"), "../lib/log.ts");
        assert_eq!(relative("src", "src/log.ts"), "./log.ts");
        assert_eq!(relative("", "src/log.ts"), "./src/log.ts");
    }
}
