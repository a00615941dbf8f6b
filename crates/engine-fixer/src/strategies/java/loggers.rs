//! The logger of a Java class, or the one that it can get.

use std::ops::Range;

use engine_model::Language;
use engine_syntax::tree::Node;

use crate::code::{Code, around, children, descendants};
use crate::strategies::model_calls::{children_of, file_has, is_named, manifest_has, refused};
use crate::{NoFix, Site};

/// How a logger is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `error(text, exception)` and placeholders in braces.
    Braces,
    /// `error(text, exception)` and no placeholders.
    Plain,
    /// The logger of the JDK.
    Jul,
    /// `System.Logger`.
    System,
    /// The log of Android, with a tag.
    Android,
}

/// A logger by the expression that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logger {
    name: String,
    kind: Kind,
    tag: String,
}

/// A logger, with what must be added for it.
pub(super) struct Found {
    pub(super) logger: Logger,
    pub(super) imports: Vec<&'static str>,
    pub(super) changes: Vec<(Range<usize>, String)>,
}

impl Logger {
    fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            tag: String::new(),
        }
    }

    pub(super) fn error(&self, message: &str, error: &str) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Braces | Kind::Plain => format!("{name}.error(\"{message}\", {error});"),
            Kind::Jul => format!("{name}.log(Level.SEVERE, \"{message}\", {error});"),
            Kind::System => format!("{name}.log(System.Logger.Level.ERROR, \"{message}\", {error});"),
            Kind::Android => format!("{name}.e(\"{}\", \"{message}\", {error});", self.tag),
        }
    }

    pub(super) fn info(&self, message: &str, fields: &[(&str, String)]) -> String {
        let name = &self.name;
        let joined = || {
            let mut text = format!("\"{message}");
            for (index, (key, value)) in fields.iter().enumerate() {
                let lead = if index == 0 { ": " } else { " + \", " };
                text.extend([lead, key, "=\" + ", value]);
            }
            if fields.is_empty() {
                text.push('"');
            }
            text
        };
        match self.kind {
            Kind::Braces => {
                let keys: Vec<String> = fields.iter().map(|(key, _)| format!("{key}={{}}")).collect();
                let values = fields
                    .iter()
                    .map(|(_, value)| format!(", {value}"))
                    .collect::<Vec<String>>()
                    .concat();
                let keys = if keys.is_empty() {
                    String::new()
                } else {
                    format!(": {}", keys.join(", "))
                };
                format!("{name}.info(\"{message}{keys}\"{values});")
            }
            Kind::Plain | Kind::Jul => format!("{name}.info({});", joined()),
            Kind::System => format!("{name}.log(System.Logger.Level.INFO, {});", joined()),
            Kind::Android => format!("{name}.i(\"{}\", {});", self.tag, joined()),
        }
    }

    /// Whether a line needs the levels of the logger of the JDK.
    pub(super) fn needs_level(&self, error: bool) -> bool {
        error && self.kind == Kind::Jul
    }
}

const CLASSES: [&str; 3] = ["class_declaration", "enum_declaration", "record_declaration"];

/// The logger that a statement can name, or one that the class is given.
pub(super) fn logger_for(site: &Site<'_>, code: &Code, statement: Node<'_>) -> Result<Found, NoFix> {
    let is_static =
        around(statement, &["method_declaration"]).is_some_and(|method| has_modifier(code, method, "static"));
    let mut class = around(statement, &CLASSES);
    let mut outermost = None;
    let mut inner = is_static;
    while let Some(at) = class {
        outermost = Some(at);
        if let Some(logger) = of_class(code, at, inner) {
            return Ok(Found {
                logger,
                imports: Vec::new(),
                changes: Vec::new(),
            });
        }
        // Of the class around, only what is static is in reach for certain.
        inner = true;
        class = at.parent().and_then(|parent| around(parent, &CLASSES));
    }
    let outermost = outermost.ok_or_else(|| NoFix::here("the call is in no class"))?;
    let text = |path: &str| has_import(code, path);
    if text("io.quarkus.logging.Log") {
        return Ok(ready(Logger::new("Log", Kind::Plain)));
    }
    if let Some(logger) = inherited(code, outermost, is_static) {
        return Ok(ready(logger));
    }
    new_logger(site, code, outermost)
}

fn ready(logger: Logger) -> Found {
    Found {
        logger,
        imports: Vec::new(),
        changes: Vec::new(),
    }
}

fn has_modifier(code: &Code, node: Node<'_>, wanted: &str) -> bool {
    children_of(node, &["modifiers"])
        .first()
        .is_some_and(|modifiers| code.of_node(*modifiers).split_whitespace().any(|word| word == wanted))
}

/// Whether a file imports a type, by its name or with its package.
fn has_import(code: &Code, path: &str) -> bool {
    let (package, _) = path.rsplit_once('.').unwrap_or(("", path));
    let Ok(root) = code.root() else { return false };
    children_of(root, &["import_declaration"]).iter().any(|import| {
        let text = code
            .of_node(*import)
            .trim_start_matches("import")
            .trim()
            .trim_end_matches(';')
            .trim();
        text == path || text.strip_suffix(".*") == Some(package)
    })
}

fn of_class(code: &Code, class: Node<'_>, only_static: bool) -> Option<Logger> {
    let modifiers = children_of(class, &["modifiers"]);
    for annotation in modifiers.iter().flat_map(|modifiers| children(*modifiers)) {
        let name = annotation
            .child_by_field_name("name")
            .map_or("", |name| code.of_node(name));
        let kind = match name.rsplit('.').next().unwrap_or(name) {
            "Slf4j" | "Log4j2" | "XSlf4j" => Kind::Braces,
            "CommonsLog" | "Log4j" | "JBossLog" => Kind::Plain,
            "Log" if has_import(code, "lombok.extern.java.Log") => Kind::Jul,
            _ => continue,
        };
        return Some(Logger::new("log", kind));
    }
    let body = class.child_by_field_name("body")?;
    let mut fields = children_of(body, &["field_declaration"]);
    // Members of an enumeration follow its constants.
    for more in children_of(body, &["enum_body_declarations"]) {
        fields.extend(children_of(more, &["field_declaration"]));
    }
    fields.into_iter().find_map(|field| {
        let kind = code.of_node(field.child_by_field_name("type")?);
        let kind = match kind {
            "org.slf4j.Logger" => Kind::Braces,
            "System.Logger" => Kind::System,
            "java.util.logging.Logger" => Kind::Jul,
            "Logger" if has_import(code, "org.slf4j.Logger") => Kind::Braces,
            "Logger" if has_import(code, "org.apache.logging.log4j.Logger") => Kind::Braces,
            "Logger" if has_import(code, "java.util.logging.Logger") => Kind::Jul,
            "Logger" if has_import(code, "org.jboss.logging.Logger") => Kind::Plain,
            "Logger" if has_import(code, "org.apache.log4j.Logger") => Kind::Plain,
            "Log" if has_import(code, "org.apache.commons.logging.Log") => Kind::Plain,
            _ => return None,
        };
        if only_static && !has_modifier(code, field, "static") {
            return None;
        }
        let declarator = children_of(field, &["variable_declarator"]).into_iter().next()?;
        Some(Logger::new(code.of_node(declarator.child_by_field_name("name")?), kind))
    })
}

/// A logger that the class uses elsewhere and does not declare: one of its base.
fn inherited(code: &Code, class: Node<'_>, is_static: bool) -> Option<Logger> {
    if is_static || class.child_by_field_name("superclass").is_none() {
        return None;
    }
    let uses = descendants(class, |at| {
        at.kind() == "method_invocation"
            && at
                .child_by_field_name("object")
                .is_some_and(|object| matches!(code.of_node(object), "log" | "logger" | "LOG" | "LOGGER"))
            && at
                .child_by_field_name("name")
                .is_some_and(|name| matches!(code.of_node(name), "error" | "warn" | "debug"))
    });
    let name = code.of_node(uses.first()?.child_by_field_name("object")?).to_owned();
    let declared = descendants(class, |at| {
        matches!(at.kind(), "variable_declarator" | "formal_parameter")
            && at
                .child_by_field_name("name")
                .is_some_and(|known| code.of_node(known) == name)
    });
    declared.is_empty().then(|| Logger::new(name, Kind::Plain))
}

/// The folder of sources that a file belongs to.
fn source_root(path: &str) -> &str {
    for mark in ["src/main/java/", "src/main/kotlin/", "src/"] {
        if let Some(at) = path.find(mark) {
            return path.get(..at).unwrap_or("");
        }
    }
    path.split('/').next().filter(|_| path.contains('/')).unwrap_or("")
}

/// Files of a module that are looked at.
const FILES_MAX: usize = 1_000;

/// Whether another file of the same module has a text, so that its library is there.
pub(in crate::strategies) fn module_uses(site: &Site<'_>, code: &Code, texts: &[&str]) -> bool {
    let root = source_root(&code.path);
    let files = site.paths.iter().filter(|path| {
        matches!(Language::of_path(path), Language::Java | Language::Kotlin)
            && **path != code.path
            && source_root(path) == root
            && !path.contains("/test/")
    });
    files.take(FILES_MAX).any(|path| file_has(site, path, texts))
}

fn new_logger(site: &Site<'_>, code: &Code, class: Node<'_>) -> Result<Found, NoFix> {
    let name = class
        .child_by_field_name("name")
        .map_or("", |name| code.of_node(name))
        .to_owned();
    let root = code.root()?;
    if children_of(root, &["import_declaration"])
        .iter()
        .any(|import| code.of_node(*import).starts_with("import android."))
    {
        let mut logger = Logger::new("Log", Kind::Android);
        logger.tag = name;
        return Ok(Found {
            logger,
            imports: vec!["android.util.Log"],
            changes: Vec::new(),
        });
    }
    if class.kind() != "class_declaration" {
        return refused("the enclosing type has no logger");
    }
    if ["log", "logger"].iter().any(|name| is_named(code, class, name)) {
        return refused("the class has no logger, and the usual names for one are in use");
    }
    if module_uses(site, code, &["import lombok.extern.slf4j.Slf4j;"]) {
        let at = class.start_byte();
        let indent = code.indent(at).to_owned();
        return Ok(Found {
            logger: Logger::new("log", Kind::Braces),
            imports: vec!["lombok.extern.slf4j.Slf4j"],
            changes: vec![(at..at, format!("@Slf4j\n{indent}"))],
        });
    }
    let manifests = ["pom.xml", "build.gradle", "build.gradle.kts"];
    let has_slf4j = module_uses(site, code, &["import org.slf4j.Logger;"])
        || manifest_has(site, code, &manifests, "spring-boot-starter")
        || manifest_has(site, code, &manifests, "slf4j-api")
        || manifest_has(site, code, &manifests, "io.micronaut");
    let (logger, imports, field) = if has_slf4j {
        (
            Logger::new("log", Kind::Braces),
            vec!["org.slf4j.Logger", "org.slf4j.LoggerFactory"],
            format!("private static final Logger log = LoggerFactory.getLogger({name}.class);"),
        )
    } else {
        (
            Logger::new("logger", Kind::Jul),
            vec!["java.util.logging.Logger"],
            format!("private static final Logger logger = Logger.getLogger({name}.class.getName());"),
        )
    };
    let body = class.child_by_field_name("body").ok_or(NoFix::Unparsed)?;
    let first = children(body)
        .into_iter()
        .find(|member| !member.kind().contains("comment"));
    let first = first.ok_or(NoFix::Unparsed)?;
    let indent = code.indent(first.start_byte()).to_owned();
    if code.line_start(first.start_byte()) + indent.len() != first.start_byte() {
        return refused("the members of the class share their lines");
    }
    // A comment above the first member belongs to it.
    let mut at = first;
    while let Some(before) = at
        .prev_named_sibling()
        .filter(|before| before.kind().contains("comment"))
    {
        if before.end_position().row + 1 < at.start_position().row
            || before.start_position().row == body.start_position().row
        {
            break;
        }
        at = before;
    }
    let start = code.line_start(at.start_byte());
    let gap = if first.kind() == "field_declaration" && at == first {
        ""
    } else {
        "\n"
    };
    Ok(Found {
        logger,
        imports,
        changes: vec![(start..start, format!("{indent}{field}\n{gap}"))],
    })
}
