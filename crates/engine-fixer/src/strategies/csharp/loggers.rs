//! The logger that a place in C# can name.

use engine_syntax::tree::Node;

use super::FUNCTIONS;
use crate::code::{Code, around, children, descendants};
use crate::strategies::model_calls::{children_of, refused};
use crate::{NoFix, Site};

/// How a logger is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `ILogger` of Microsoft.
    Microsoft,
    /// Serilog and `NLog`.
    Plain,
    /// The standard error of a program at a terminal.
    Console,
}

/// A logger by the expression that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logger {
    name: String,
    kind: Kind,
}

impl Logger {
    pub(super) fn error(&self, message: &str, error: &str) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Microsoft => format!("{name}.LogError({error}, \"{message}\");"),
            Kind::Plain => format!("{name}.Error({error}, \"{message}\");"),
            Kind::Console => format!("Console.Error.WriteLine($\"{message}: {{{error}.Message}}\");"),
        }
    }

    pub(super) fn info(&self, message: &str, fields: &[(&str, String)]) -> String {
        let method = if self.kind == Kind::Microsoft {
            "LogInformation"
        } else {
            "Information"
        };
        let keys: Vec<String> = fields.iter().map(|(key, _)| format!("{{{key}}}")).collect();
        let keys = if keys.is_empty() {
            String::new()
        } else {
            format!(": {}", keys.join(", "))
        };
        let values = fields
            .iter()
            .map(|(_, value)| format!(", {value}"))
            .collect::<Vec<String>>()
            .concat();
        format!("{}.{method}(\"{message}{keys}\"{values});", self.name)
    }
}

/// The logger in reach of a statement.
pub(super) fn logger(site: &Site<'_>, code: &Code, statement: Node<'_>, for_failure: bool) -> Result<Logger, NoFix> {
    let has = |namespace: &str| code.text.contains(&format!("using {namespace};"));
    // `ILogger` of Serilog where nothing else has that name.
    let kind = if has("Serilog") && !has("Microsoft.Extensions.Logging") {
        Kind::Plain
    } else {
        Kind::Microsoft
    };
    let found = |name: &str| Logger {
        name: name.to_owned(),
        kind,
    };
    let mut function = around(statement, &FUNCTIONS);
    let mut is_static = false;
    while let Some(at) = function {
        if let Some(list) = at.child_by_field_name("parameters")
            && let Some(name) = typed(code, &children(list))
        {
            return Ok(found(&name));
        }
        is_static |= children_of(at, &["modifier"])
            .iter()
            .any(|modifier| code.of_node(*modifier) == "static");
        function = at.parent().and_then(|parent| around(parent, &FUNCTIONS));
    }
    if let Some(class) = around(
        statement,
        &["class_declaration", "record_declaration", "struct_declaration"],
    ) {
        if let Some(name) = of_class(code, class, is_static) {
            return Ok(found(&name));
        }
        if let Some(logger) = used(code, class, is_static) {
            return Ok(logger);
        }
        if let Some(name) = of_base(site, code, class).filter(|_| !is_static) {
            return Ok(found(&name));
        }
    }
    if has("Serilog") && !is_static_name_taken(code) {
        return Ok(Logger {
            name: "Log".to_owned(),
            kind: Kind::Plain,
        });
    }
    let at_top = around(
        statement,
        &["class_declaration", "record_declaration", "struct_declaration"],
    )
    .is_none();
    if at_top
        && !is_static
        && code.text.contains("WebApplication.CreateBuilder(")
        && code.text.contains("var app = builder.Build();")
    {
        let visible = code.text.contains("using Microsoft.Extensions.Logging;")
            || !code.text.contains("using Microsoft.AspNetCore.Builder;");
        if visible {
            return Ok(Logger {
                name: "app.Logger".to_owned(),
                kind: Kind::Microsoft,
            });
        }
    }
    if for_failure && code.text.contains("Console.ReadLine(") && code.text.contains("Console.Write") {
        return Ok(Logger {
            name: String::new(),
            kind: Kind::Console,
        });
    }
    refused("no logger is in reach here; give the class an `ILogger` first")
}

/// Whether the file declares something of the name of the static logger.
fn is_static_name_taken(code: &Code) -> bool {
    code.text.contains("class Log") || code.text.contains(" Log =") || code.text.contains(" Log {")
}

fn is_logger_type(text: &str) -> bool {
    let name = text.split('<').next().unwrap_or(text);
    matches!(name.rsplit('.').next(), Some("ILogger")) && !text.ends_with('?')
}

/// The name of a parameter that is a logger.
fn typed(code: &Code, parameters: &[Node<'_>]) -> Option<String> {
    parameters.iter().find_map(|parameter| {
        let kind = code.of_node(parameter.child_by_field_name("type")?);
        let name = code.of_node(parameter.child_by_field_name("name")?);
        is_logger_type(kind).then(|| name.to_owned())
    })
}

fn of_class(code: &Code, class: Node<'_>, only_static: bool) -> Option<String> {
    let body = class.child_by_field_name("body")?;
    for member in children_of(body, &["field_declaration", "property_declaration"]) {
        let is_static = children_of(member, &["modifier"])
            .iter()
            .any(|modifier| code.of_node(*modifier) == "static");
        if only_static && !is_static {
            continue;
        }
        let declaration = children_of(member, &["variable_declaration"])
            .into_iter()
            .next()
            .unwrap_or(member);
        let Some(kind) = declaration.child_by_field_name("type") else {
            continue;
        };
        if !is_logger_type(code.of_node(kind)) {
            continue;
        }
        let name = children_of(declaration, &["variable_declarator"])
            .into_iter()
            .next()
            .unwrap_or(declaration)
            .child_by_field_name("name")?;
        return Some(code.of_node(name).to_owned());
    }
    if only_static {
        return None;
    }
    // Parameters of the class itself.
    let list = children_of(class, &["parameter_list"]).into_iter().next()?;
    typed(code, &children(list))
}

/// A logger that the base of a class keeps for it.
fn of_base(site: &Site<'_>, code: &Code, class: Node<'_>) -> Option<String> {
    let bases = children_of(class, &["base_list"]).into_iter().next().map(children)?;
    bases.iter().find_map(|base| {
        let base = code.of_node(*base);
        let base = base.split(['<', '(']).next().unwrap_or(base).trim();
        let end = format!("/{base}.cs");
        let mut files = site.paths.iter().filter(|path| path.ends_with(&end));
        let (path, None) = (files.next()?, files.next()) else {
            return None;
        };
        let other = site.code(path).ok()?;
        // `ILogger` is the same type there.
        if !other.text.contains("using Microsoft.Extensions.Logging;") || code.text.contains("using Serilog;") {
            return None;
        }
        let root = other.root().ok()?;
        let classes = descendants(root, |at| {
            at.kind() == "class_declaration"
                && at
                    .child_by_field_name("name")
                    .is_some_and(|name| other.of_node(name) == base)
        });
        let body = classes.first()?.child_by_field_name("body")?;
        children_of(body, &["field_declaration"])
            .into_iter()
            .find_map(|member| {
                let modifiers = children_of(member, &["modifier"]);
                let is_open = modifiers
                    .iter()
                    .any(|modifier| matches!(other.of_node(*modifier), "protected" | "public"));
                let declaration = children_of(member, &["variable_declaration"]).into_iter().next()?;
                let kind = other.of_node(declaration.child_by_field_name("type")?);
                let variable = children_of(declaration, &["variable_declarator"]).into_iter().next()?;
                let name = other.of_node(variable.child_by_field_name("name")?);
                (is_open && is_logger_type(kind)).then(|| name.to_owned())
            })
    })
}

/// A logger that the class uses elsewhere and does not declare: one of its base.
fn used(code: &Code, class: Node<'_>, only_static: bool) -> Option<Logger> {
    if only_static || children_of(class, &["base_list"]).is_empty() {
        return None;
    }
    let uses = descendants(class, |at| {
        at.kind() == "member_access_expression"
            && at.child_by_field_name("name").is_some_and(|name| {
                matches!(
                    code.of_node(name),
                    "LogInformation" | "LogError" | "LogWarning" | "LogDebug" | "LogCritical"
                )
            })
            && at
                .child_by_field_name("expression")
                .is_some_and(|object| object.kind() == "identifier")
    });
    let name = code
        .of_node(uses.first()?.child_by_field_name("expression")?)
        .to_owned();
    let declared = descendants(class, |at| {
        matches!(at.kind(), "parameter" | "variable_declarator")
            && at
                .child_by_field_name("name")
                .is_some_and(|known| code.of_node(known) == name)
    });
    declared.is_empty().then_some(Logger {
        name,
        kind: Kind::Microsoft,
    })
}
