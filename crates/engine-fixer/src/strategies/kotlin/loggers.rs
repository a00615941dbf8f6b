//! The logger of a Kotlin file, or the one that a class can get.

use std::ops::Range;

use engine_syntax::tree::Node;

use super::{below, has_slf4j};
use crate::code::{Code, around, children};
use crate::strategies::model_calls::{children_of, is_named, refused};
use crate::{NoFix, Site};

/// How a logger is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// SLF4J and Log4j.
    Slf4j,
    /// kotlin-logging, with a lambda for the message.
    Lambda,
    /// The logger of the JDK.
    Jul,
    /// The log of Android, with a tag.
    Android,
    /// The standard error of a program at a terminal.
    Console,
}

/// A logger by the expression that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logger {
    name: String,
    kind: Kind,
}

/// A logger, with what must be added for it.
pub(super) struct Found {
    pub(super) logger: Logger,
    pub(super) imports: Vec<&'static str>,
    pub(super) changes: Vec<(Range<usize>, String)>,
}

impl Logger {
    pub(super) fn error(&self, message: &str, error: &str) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Slf4j => format!("{name}.error(\"{message}\", {error})"),
            Kind::Lambda => format!("{name}.error({error}) {{ \"{message}\" }}"),
            Kind::Jul => format!("{name}.log(Level.SEVERE, \"{message}\", {error})"),
            Kind::Android => format!("Log.e(\"{name}\", \"{message}\", {error})"),
            Kind::Console => format!("System.err.println(\"{message}: ${{{error}.message}}\")"),
        }
    }

    pub(super) fn info(&self, message: &str) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Lambda => format!("{name}.info {{ \"{message}\" }}"),
            Kind::Android => format!("Log.i(\"{name}\", \"{message}\")"),
            Kind::Slf4j | Kind::Jul | Kind::Console => format!("{name}.info(\"{message}\")"),
        }
    }

    /// Whether a line needs the levels of the logger of the JDK.
    pub(super) fn needs_level(&self, error: bool) -> bool {
        error && self.kind == Kind::Jul
    }
}

/// The logger that a node can name, or one that the class is given.
pub(super) fn logger(site: &Site<'_>, code: &Code, node: Node<'_>, for_failure: bool) -> Result<Found, NoFix> {
    let ready = |name: &str, kind| Found {
        logger: Logger {
            name: name.to_owned(),
            kind,
        },
        imports: Vec::new(),
        changes: Vec::new(),
    };
    let root = code.root()?;
    let mut class = around(node, &["class_declaration", "object_declaration"]);
    let outermost_name = class
        .and_then(|class| class.child_by_field_name("name"))
        .map_or_else(|| stem(&code.path), |name| code.of_node(name).to_owned());
    let innermost = class;
    while let Some(at) = class {
        for property in members(at) {
            if let Some((name, kind)) = property_logger(code, property) {
                return Ok(ready(&name, kind));
            }
        }
        for parameter in below(at, &["class_parameter"]) {
            let typed = children_of(parameter, &["user_type"])
                .first()
                .map(|kind| code.of_node(*kind));
            let is_kept = code.of_node(parameter).contains("val ") || code.of_node(parameter).contains("var ");
            let name = children_of(parameter, &["identifier"])
                .first()
                .map(|name| code.of_node(*name));
            if let (Some("Logger" | "KLogger"), true, Some(name)) = (typed, is_kept, name)
                && let Some(kind) = by_import(code)
            {
                return Ok(ready(name, kind));
            }
        }
        class = at
            .parent()
            .and_then(|parent| around(parent, &["class_declaration", "object_declaration"]));
    }
    for property in children_of(root, &["property_declaration"]) {
        if let Some((name, kind)) = property_logger(code, property) {
            return Ok(ready(&name, kind));
        }
    }
    let imports = children_of(root, &["import"]);
    if imports
        .iter()
        .any(|import| code.of_node(*import).starts_with("import android"))
    {
        let mut found = ready(&outermost_name, Kind::Android);
        found.imports = vec!["android.util.Log"];
        return Ok(found);
    }
    let Some(class) = innermost.filter(|class| class.kind() == "class_declaration") else {
        if for_failure
            && code.text.contains("println(")
            && code.text.contains("readln") | code.text.contains("readLine(")
        {
            return Ok(ready("", Kind::Console));
        }
        return refused("no logger is in reach here; choose one for the project first");
    };
    if ["commonMain", "iosMain", "jsMain", "nativeMain", "wasmJsMain"]
        .iter()
        .any(|target| code.path.contains(target))
    {
        return refused("the file is for several platforms and has no logger");
    }
    if is_named(code, class, "logger") {
        return refused("the class has no logger, and the usual name for one is in use");
    }
    given(site, code, class)
}

/// The name of a file without its folder and ending.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_end_matches(".kt").to_owned()
}

/// The properties of a class and of its companion.
fn members(class: Node<'_>) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    for body in children_of(class, &["class_body"]) {
        out.extend(children_of(body, &["property_declaration"]));
        for companion in children_of(body, &["companion_object"]) {
            for body in children_of(companion, &["class_body"]) {
                out.extend(children_of(body, &["property_declaration"]));
            }
        }
    }
    out
}

/// The kind of a `Logger` by the imports of the file.
fn by_import(code: &Code) -> Option<Kind> {
    let has = |path: &str| code.text.contains(&format!("import {path}"));
    if has("org.slf4j.") || has("org.apache.logging.log4j.") {
        Some(Kind::Slf4j)
    } else if has("io.github.oshai.") || has("mu.") {
        Some(Kind::Lambda)
    } else if has("java.util.logging.") {
        Some(Kind::Jul)
    } else {
        None
    }
}

fn property_logger(code: &Code, property: Node<'_>) -> Option<(String, Kind)> {
    let variable = children_of(property, &["variable_declaration"]).into_iter().next()?;
    let name = code.of_node(children_of(variable, &["identifier"]).into_iter().next()?);
    let text = code.of_node(property);
    let kind = if text.contains("KotlinLogging.logger") {
        Kind::Lambda
    } else if text.contains("LoggerFactory.getLogger(") || text.contains("LogManager.getLogger(") {
        Kind::Slf4j
    } else if text.contains("Logger.getLogger(") || text.contains(": Logger") {
        by_import(code)?
    } else {
        return None;
    };
    Some((name.to_owned(), kind))
}

/// Gives a class a logger.
fn given(site: &Site<'_>, code: &Code, class: Node<'_>) -> Result<Found, NoFix> {
    let name = class.child_by_field_name("name").map_or("", |name| code.of_node(name));
    let body = children_of(class, &["class_body"])
        .into_iter()
        .next()
        .ok_or_else(|| NoFix::here("the class has no body"))?;
    let first = children(body).into_iter().next().ok_or(NoFix::Unparsed)?;
    let indent = code.indent(first.start_byte()).to_owned();
    let start = code.line_start(first.start_byte());
    if start + indent.len() != first.start_byte() || first.kind().contains("comment") || first.kind() == "enum_entry" {
        return refused("the class begins in a way that is not known");
    }
    let (kind, imports, field) = if has_slf4j(site, code) {
        (
            Kind::Slf4j,
            vec!["org.slf4j.LoggerFactory"],
            format!("private val logger = LoggerFactory.getLogger({name}::class.java)"),
        )
    } else {
        (
            Kind::Jul,
            vec!["java.util.logging.Logger"],
            format!("private val logger = Logger.getLogger({name}::class.java.name)"),
        )
    };
    let gap = if first.kind() == "property_declaration" {
        ""
    } else {
        "\n"
    };
    Ok(Found {
        logger: Logger {
            name: "logger".to_owned(),
            kind,
        },
        imports,
        changes: vec![(start..start, format!("{indent}{field}\n{gap}"))],
    })
}
