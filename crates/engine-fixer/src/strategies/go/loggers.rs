//! The loggers that a Go file has.

use engine_syntax::tree::Node;

use super::imported_name;
use crate::code::{Code, children, descendants};

/// How a logger is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Slog,
    Standard,
    Zap,
    Sugared,
    Logrus,
    Zerolog,
}

/// A logger in reach, by the expression that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logger {
    name: String,
    kind: Kind,
}

impl Logger {
    pub(super) fn slog(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Slog,
        }
    }

    pub(super) fn standard(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Standard,
        }
    }

    /// A line about a failure.
    pub(super) fn error(&self, error: &str) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Slog => format!("{name}.Error(\"call the model\", \"error\", {error})"),
            Kind::Standard => format!("{name}.Printf(\"call the model: %v\", {error})"),
            Kind::Zap => format!("{name}.Error(\"call the model\", zap.Error({error}))"),
            Kind::Sugared => format!("{name}.Errorw(\"call the model\", \"error\", {error})"),
            Kind::Logrus => format!("{name}.Errorf(\"call the model: %v\", {error})"),
            Kind::Zerolog => format!("{name}.Error().Err({error}).Msg(\"call the model\")"),
        }
    }

    /// A line about a call.
    pub(super) fn info(&self, message: &str, fields: &[(&str, String)]) -> String {
        let name = &self.name;
        let pairs = || {
            let pairs = fields.iter().map(|(key, value)| format!(", \"{key}\", {value}"));
            pairs.collect::<Vec<String>>().concat()
        };
        let format = || -> (String, String) {
            let keys: Vec<String> = fields.iter().map(|(key, _)| format!("{key}=%v")).collect();
            let values = fields
                .iter()
                .map(|(_, value)| format!(", {value}"))
                .collect::<Vec<String>>()
                .concat();
            let text = if keys.is_empty() {
                message.to_owned()
            } else {
                format!("{message}: {}", keys.join(" "))
            };
            (text, values)
        };
        match self.kind {
            Kind::Slog => format!("{name}.Info(\"{message}\"{})", pairs()),
            Kind::Sugared => format!("{name}.Infow(\"{message}\"{})", pairs()),
            Kind::Standard => {
                let (text, values) = format();
                let verb = if fields.is_empty() { "Print" } else { "Printf" };
                format!("{name}.{verb}(\"{text}\"{values})")
            }
            Kind::Logrus => {
                let (text, values) = format();
                format!("{name}.Infof(\"{text}\"{values})")
            }
            Kind::Zap => {
                let values = fields
                    .iter()
                    .map(|(key, value)| format!(", zap.Any(\"{key}\", {value})"))
                    .collect::<Vec<String>>()
                    .concat();
                format!("{name}.Info(\"{message}\"{values})")
            }
            Kind::Zerolog => {
                let values = fields
                    .iter()
                    .map(|(key, value)| format!(".Interface(\"{key}\", {value})"))
                    .collect::<Vec<String>>()
                    .concat();
                format!("{name}.Info(){values}.Msg(\"{message}\")")
            }
        }
    }
}

/// The kind of a logger by its type as it is written.
fn by_type(text: &str) -> Option<Kind> {
    Some(match text {
        "*slog.Logger" => Kind::Slog,
        "*log.Logger" => Kind::Standard,
        "*zap.Logger" => Kind::Zap,
        "*zap.SugaredLogger" => Kind::Sugared,
        "*logrus.Logger" | "*logrus.Entry" | "logrus.FieldLogger" => Kind::Logrus,
        "zerolog.Logger" | "*zerolog.Logger" => Kind::Zerolog,
        _ => return None,
    })
}

/// A logger that a function can name: a parameter, a field of its receiver, a variable of the file, or a package.
pub(super) fn logger(code: &Code, function: Node<'_>) -> Option<Logger> {
    let root = code.root().ok()?;
    let mut at = Some(function);
    let mut outer = function;
    while let Some(node) = at {
        if let Some(list) = node.child_by_field_name("parameters") {
            for param in children(list) {
                let typed = param
                    .child_by_field_name("type")
                    .and_then(|kind| by_type(code.of_node(kind)));
                if let (Some(kind), Some(name)) = (typed, param.child_by_field_name("name")) {
                    return Some(Logger {
                        name: code.of_node(name).to_owned(),
                        kind,
                    });
                }
            }
        }
        if matches!(node.kind(), "function_declaration" | "method_declaration") {
            outer = node;
            break;
        }
        at = node.parent();
    }
    if let Some(found) = of_receiver(code, root, outer) {
        return Some(found);
    }
    for spec in descendants(root, |node| node.kind() == "var_spec") {
        let at_top = spec
            .parent()
            .and_then(|parent| {
                if parent.kind() == "var_spec_list" {
                    parent.parent()
                } else {
                    Some(parent)
                }
            })
            .and_then(|declaration| declaration.parent());
        if at_top != Some(root) {
            continue;
        }
        let typed = spec
            .child_by_field_name("type")
            .and_then(|kind| by_type(code.of_node(kind)));
        let made = spec.child_by_field_name("value").and_then(|value| {
            let text = code.of_node(value);
            match () {
                () if text.starts_with("slog.New(") || text.starts_with("slog.Default()") => Some(Kind::Slog),
                () if text.starts_with("log.New(") || text.starts_with("log.Default()") => Some(Kind::Standard),
                () if text.starts_with("logrus.New()") => Some(Kind::Logrus),
                () => None,
            }
        });
        if let (Some(kind), Some(name)) = (typed.or(made), spec.child_by_field_name("name")) {
            return Some(Logger {
                name: code.of_node(name).to_owned(),
                kind,
            });
        }
    }
    by_import(code, root)
}

fn of_receiver(code: &Code, root: Node<'_>, function: Node<'_>) -> Option<Logger> {
    let receiver = children(function.child_by_field_name("receiver")?).into_iter().next()?;
    let name = code.of_node(receiver.child_by_field_name("name")?);
    let own = code
        .of_node(receiver.child_by_field_name("type")?)
        .trim_start_matches('*');
    let own = own.split('[').next().unwrap_or(own);
    let spec = descendants(root, |node| {
        node.kind() == "type_spec"
            && node
                .child_by_field_name("name")
                .is_some_and(|name| code.of_node(name) == own)
    });
    let fields = descendants(*spec.first()?, |node| node.kind() == "field_declaration");
    fields.into_iter().find_map(|field| {
        let kind = by_type(code.of_node(field.child_by_field_name("type")?))?;
        let field = code.of_node(field.child_by_field_name("name")?);
        Some(Logger {
            name: format!("{name}.{field}"),
            kind,
        })
    })
}

/// A package that logs without an object.
fn by_import(code: &Code, root: Node<'_>) -> Option<Logger> {
    let specs = descendants(root, |node| node.kind() == "import_spec");
    let found = |path: &str| {
        specs
            .iter()
            .find(|spec| {
                spec.child_by_field_name("path")
                    .is_some_and(|known| code.of_node(known).trim_matches('"') == path)
            })
            .map(|spec| imported_name(code, *spec).to_owned())
            .filter(|name| name != "_" && name != ".")
    };
    for (path, kind) in [
        ("log/slog", Kind::Slog),
        ("github.com/sirupsen/logrus", Kind::Logrus),
        ("github.com/rs/zerolog/log", Kind::Zerolog),
        ("log", Kind::Standard),
    ] {
        if let Some(name) = found(path) {
            return Some(Logger { name, kind });
        }
    }
    None
}
