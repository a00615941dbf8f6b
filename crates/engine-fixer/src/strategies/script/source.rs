//! How a script is written, and what its names mean.

use engine_model::{Call, Language};
use engine_syntax::tree::Node;

use crate::NoFix;
use crate::code::{Code, around, children, descendants};

/// Nodes that are functions.
const FUNCTIONS: [&str; 6] = [
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
    "generator_function_declaration",
];

/// Nodes whose children are statements that run one after the other.
const BLOCKS: [&str; 2] = ["program", "statement_block"];

pub(super) fn is_function(node: Node<'_>) -> bool {
    FUNCTIONS.contains(&node.kind())
}

/// The function around a node, the node itself left out.
pub(super) fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    around(node.parent()?, &FUNCTIONS)
}

/// Whether a function is declared `async`.
pub(super) fn is_async(function: Node<'_>) -> bool {
    let mut cursor = function.walk();
    function.children(&mut cursor).any(|child| child.kind() == "async")
}

/// Whether a file is TypeScript.
pub(super) fn is_typed(code: &Code) -> bool {
    matches!(code.language, Language::TypeScript | Language::Tsx)
}

/// Whether a file is a script of one of the languages of this module.
pub(super) fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx)
}

/// How a file writes what a fix adds.
pub(super) struct Style {
    /// The quote of its texts.
    pub(super) quote: char,
    /// What ends a statement: a semicolon or nothing.
    pub(super) end: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// Whether the only parameter of an arrow function has no brackets.
    pub(super) bare: bool,
    /// What follows the last entry of an object over several lines: a comma or nothing.
    pub(super) comma: &'static str,
    /// What follows the last argument of a call over several lines.
    pub(super) argument_comma: &'static str,
}

impl Style {
    pub(super) fn of(code: &Code) -> Result<Self, NoFix> {
        const KINDS: [&str; 8] = [
            "object",
            "arguments",
            "string",
            "expression_statement",
            "lexical_declaration",
            "return_statement",
            "import_statement",
            "arrow_function",
        ];
        let (mut double, mut single) = (0_usize, 0_usize);
        let (mut ended, mut open) = (0_usize, 0_usize);
        let (mut bare, mut bracketed) = (0_usize, 0_usize);
        let (mut with_comma, mut without) = (0_usize, 0_usize);
        let mut argument_comma = "";
        for node in descendants(code.root()?, |node| KINDS.contains(&node.kind())) {
            match node.kind() {
                "string" => {
                    let attribute = node.parent().is_some_and(|parent| parent.kind() == "jsx_attribute");
                    let is_single = code.of_node(node).starts_with('\'');
                    single += usize::from(is_single && !attribute);
                    double += usize::from(!is_single && !attribute);
                }
                "object" | "arguments" => {
                    let inner = content(code, node);
                    let last_line = inner.trim_end_matches([' ', '\t', '\r']);
                    let Some(entries) = last_line.strip_suffix('\n') else {
                        continue;
                    };
                    let ended = entries.trim_end().ends_with(',');
                    if node.kind() == "object" {
                        with_comma += usize::from(ended);
                        without += usize::from(!ended);
                    } else if ended {
                        argument_comma = ",";
                    }
                }
                "arrow_function" if node.child_by_field_name("parameter").is_some() => bare += 1,
                "arrow_function" => {
                    let one = node
                        .child_by_field_name("parameters")
                        .is_some_and(|all| matches!(children(all).as_slice(), [only] if only.kind() == "identifier"));
                    bracketed += usize::from(one);
                }
                _ if code.of_node(node).ends_with(';') => ended += 1,
                _ => open += 1,
            }
        }
        Ok(Self {
            quote: if single > double { '\'' } else { '"' },
            end: if open > ended { "" } else { ";" },
            // A file without an indented line says nothing; most scripts use two spaces.
            unit: if code.text.lines().any(|line| line.starts_with(['\t', ' '])) {
                code.indent_unit()
            } else {
                "  ".to_owned()
            },
            bare: bare > bracketed,
            comma: if without > with_comma { "" } else { "," },
            argument_comma,
        })
    }

    /// A text in the quotes of the file. It must contain no quote and no backslash.
    pub(super) fn text(&self, text: &str) -> String {
        format!("{0}{text}{0}", self.quote)
    }
}

/// The name under which a call calls: `create` of `client.responses.create(…)`.
pub(super) fn callee_name<'c>(code: &'c Code, call: Node<'_>) -> &'c str {
    let Some(callee) = call.child_by_field_name("function") else {
        return "";
    };
    match callee.kind() {
        "identifier" => code.of_node(callee),
        "member_expression" => callee
            .child_by_field_name("property")
            .map_or("", |name| code.of_node(name)),
        _ => "",
    }
}

/// What a method is called on.
pub(super) fn receiver(call: Node<'_>) -> Option<Node<'_>> {
    let callee = call.child_by_field_name("function")?;
    (callee.kind() == "member_expression").then(|| callee.child_by_field_name("object"))?
}

/// The arguments of a call, without comments.
pub(super) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let list = call
        .child_by_field_name("arguments")
        .filter(|list| list.kind() == "arguments");
    let mut all = list.map(children).unwrap_or_default();
    all.retain(|node| node.kind() != "comment");
    all
}

/// The call expression of a call of the inventory.
pub(super) fn call_at<'c>(code: &'c Code, call: &Call) -> Result<Node<'c>, NoFix> {
    let lost = || NoFix::here("the model call was not found at the place of the finding");
    let offset = code.offset(call.line, call.column).ok_or_else(lost)?;
    let mut at = code.node_at(call.line, call.column);
    let mut found = Vec::new();
    while let Some(node) = at {
        if node.kind() == "call_expression" {
            let callee = node.child_by_field_name("function").ok_or_else(lost)?;
            if !callee.byte_range().contains(&offset) {
                break;
            }
            found.push(node);
        } else if is_function(node) || node.kind().ends_with("_statement") || node.kind().ends_with("_declaration") {
            break;
        }
        at = node.parent();
    }
    let name = call.symbol.rsplit('.').next().unwrap_or("").trim_end_matches("()");
    let named: Vec<Node<'_>> = found
        .iter()
        .copied()
        .filter(|node| callee_name(code, *node) == name)
        .collect();
    match (named.as_slice(), found.as_slice()) {
        ([only], _) | ([], [only]) => Ok(*only),
        _ => Err(lost()),
    }
}

/// The statement around a node that stands among other statements, so that lines can be put behind it.
pub(super) fn statement_around(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        let parent = at.parent()?;
        if BLOCKS.contains(&parent.kind()) {
            return Some(at);
        }
        if is_function(parent) {
            return None;
        }
        at = parent;
    }
}

/// The place behind a statement where a new line can begin: the end of its last line, a remark on that line included.
pub(super) fn behind(code: &Code, statement: Node<'_>) -> Result<usize, NoFix> {
    let start = statement.end_byte();
    let rest = code.text.get(start..).unwrap_or("");
    let line = rest.split('\n').next().unwrap_or("");
    let shown = line.trim();
    // A statement without a semicolon of its own in the tree may have one behind it.
    let shown = shown.strip_prefix(';').unwrap_or(shown).trim_start();
    let remark =
        shown.starts_with("//") || shown.starts_with("/*") && shown.find("*/") == Some(shown.len().saturating_sub(2));
    if shown.is_empty() || remark {
        Ok(start + line.trim_end_matches('\r').len())
    } else {
        Err(NoFix::here("other code follows on the line of the statement"))
    }
}

/// The content of a string literal as it is written, without its quotes.
pub(super) fn content<'c>(code: &'c Code, string: Node<'_>) -> &'c str {
    let text = code.of_node(string);
    text.get(1..text.len().saturating_sub(1)).unwrap_or("")
}

/// The value of a pair of an object literal under a key.
pub(super) fn value_of<'t>(code: &Code, object: Node<'t>, key: &str) -> Option<Node<'t>> {
    children(object).into_iter().find_map(|entry| match entry.kind() {
        "pair" => {
            let name = entry.child_by_field_name("key")?;
            let named = code.of_node(name).trim_matches(['"', '\'']) == key;
            if named {
                entry.child_by_field_name("value")
            } else {
                None
            }
        }
        "shorthand_property_identifier" => (code.of_node(entry) == key).then_some(entry),
        "method_definition" => {
            let name = entry.child_by_field_name("name")?;
            (code.of_node(name) == key).then_some(entry)
        }
        _ => None,
    })
}

/// Whether an object literal takes in another object, so that its keys are not all known.
pub(super) fn has_spread(object: Node<'_>) -> bool {
    children(object).iter().any(|entry| entry.kind() == "spread_element")
}

/// Whether a file runs in a browser.
pub(super) fn is_client(code: &Code) -> bool {
    let client = |directive: &str| {
        let lines = code.text.lines().take(20);
        lines.map(|line| line.trim().trim_end_matches(';')).any(|line| {
            line.strip_prefix(['"', '\''])
                .and_then(|rest| rest.strip_suffix(['"', '\'']))
                == Some(directive)
        })
    };
    client("use client") || code.language == Language::Tsx || code.path.rsplit('.').next() == Some("jsx")
}

/// Where a name comes from.
#[derive(Clone, Debug)]
pub(super) struct Binding<'t> {
    /// The import, the declarator, the parameter or the declaration.
    pub(super) node: Node<'t>,
    /// The name of the imported or unpacked item; `default` and `*` for imports of these kinds.
    pub(super) item: Option<String>,
}

/// What a name means at a node; nothing if the file does not say so with certainty.
pub(super) fn binding<'t>(code: &Code, name: &str, at: Node<'t>) -> Option<Binding<'t>> {
    let in_function = function_around(at).is_some();
    let mut child = at;
    while let Some(scope) = child.parent() {
        let kind = scope.kind();
        if BLOCKS.contains(&kind) || kind == "switch_case" || kind == "switch_default" {
            let declared = children(scope)
                .into_iter()
                .find_map(|statement| Some((statement, declared_by(code, statement, name)?)));
            if let Some((statement, binding)) = declared {
                let hoisted = matches!(statement.kind(), "import_statement" | "function_declaration")
                    || kind == "program" && in_function;
                return (hoisted || statement.start_byte() <= at.start_byte()).then_some(binding);
            }
        } else if is_function(scope) {
            let own = [
                scope.child_by_field_name("parameters"),
                scope.child_by_field_name("parameter"),
            ];
            if let Some(parameter) = own.into_iter().flatten().find_map(|all| named_in(code, all, name)) {
                return Some(Binding {
                    node: parameter,
                    item: None,
                });
            }
        } else if matches!(kind, "catch_clause" | "for_statement" | "for_in_statement") {
            let own = [
                scope.child_by_field_name("parameter"),
                scope.child_by_field_name("initializer"),
                scope.child_by_field_name("left"),
            ];
            if let Some(node) = own.into_iter().flatten().find_map(|all| named_in(code, all, name)) {
                return Some(Binding { node, item: None });
            }
        }
        child = scope;
    }
    None
}

/// The first identifier of a pattern that has a name.
fn named_in<'t>(code: &Code, pattern: Node<'t>, name: &str) -> Option<Node<'t>> {
    let named = descendants(pattern, |node| {
        matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern") && code.of_node(node) == name
    });
    named.first().copied()
}

/// How a statement declares a name, if it does.
fn declared_by<'t>(code: &Code, statement: Node<'t>, name: &str) -> Option<Binding<'t>> {
    match statement.kind() {
        "import_statement" => imported(code, statement, name),
        "lexical_declaration" | "variable_declaration" => children(statement).into_iter().find_map(|declarator| {
            let pattern = declarator.child_by_field_name("name")?;
            if pattern.kind() == "identifier" {
                return (code.of_node(pattern) == name).then_some(Binding {
                    node: declarator,
                    item: None,
                });
            }
            named_in(code, pattern, name)?;
            let item = children(pattern).into_iter().find_map(|part| match part.kind() {
                "shorthand_property_identifier_pattern" => (code.of_node(part) == name).then(|| name.to_owned()),
                "pair_pattern" => {
                    let value = part.child_by_field_name("value")?;
                    let key = part.child_by_field_name("key")?;
                    (code.of_node(value) == name).then(|| code.of_node(key).to_owned())
                }
                _ => None,
            });
            Some(Binding { node: declarator, item })
        }),
        "export_statement" => declared_by(code, statement.child_by_field_name("declaration")?, name),
        "function_declaration" | "generator_function_declaration" | "class_declaration" => {
            let own = statement.child_by_field_name("name")?;
            (code.of_node(own) == name).then_some(Binding {
                node: statement,
                item: None,
            })
        }
        _ => None,
    }
}

fn imported<'t>(code: &Code, statement: Node<'t>, name: &str) -> Option<Binding<'t>> {
    let clause = children(statement)
        .into_iter()
        .find(|part| part.kind() == "import_clause")?;
    let item = children(clause).into_iter().find_map(|part| match part.kind() {
        "identifier" => (code.of_node(part) == name).then(|| "default".to_owned()),
        "namespace_import" => {
            let local = children(part).into_iter().next()?;
            (code.of_node(local) == name).then(|| "*".to_owned())
        }
        "named_imports" => children(part).into_iter().find_map(|specifier| {
            let item = specifier.child_by_field_name("name")?;
            let local = specifier.child_by_field_name("alias").unwrap_or(item);
            (code.of_node(local) == name).then(|| code.of_node(item).to_owned())
        }),
        _ => None,
    })?;
    Some(Binding {
        node: statement,
        item: Some(item),
    })
}

/// The module that a `require` call, or the head of a chain of members and calls, names.
pub(super) fn required<'c>(code: &'c Code, expression: Node<'_>) -> Option<&'c str> {
    if expression.kind() != "call_expression" || callee_name(code, expression) != "require" {
        return None;
    }
    let arguments = arguments(expression);
    let [only] = arguments.as_slice() else { return None };
    (only.kind() == "string").then(|| content(code, *only))
}

/// The module and the item in it that a name stands for.
pub(super) fn module_of(code: &Code, binding: &Binding<'_>) -> Option<(String, String)> {
    match binding.node.kind() {
        "import_statement" => {
            let source = binding.node.child_by_field_name("source")?;
            Some((content(code, source).to_owned(), binding.item.clone()?))
        }
        "variable_declarator" => {
            let value = binding.node.child_by_field_name("value")?;
            if value.kind() == "member_expression" {
                let module = required(code, value.child_by_field_name("object")?)?;
                let item = code.of_node(value.child_by_field_name("property")?);
                return binding.item.is_none().then(|| (module.to_owned(), item.to_owned()));
            }
            let module = required(code, value)?;
            Some((
                module.to_owned(),
                binding.item.clone().unwrap_or_else(|| "*".to_owned()),
            ))
        }
        _ => None,
    }
}

/// Whether a name stands anywhere in a file.
pub(super) fn is_used(code: &Code, name: &str) -> bool {
    let Ok(root) = code.root() else { return true };
    !descendants(root, |node| {
        node.kind().contains("identifier") && code.of_node(node) == name
    })
    .is_empty()
}
