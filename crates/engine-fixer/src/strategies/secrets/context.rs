//! The text of a secret, and what stands around it.

use std::ops::Range;
use std::rc::Rc;

use engine_model::Language;
use engine_syntax::tree::Node;

use crate::code::{Code, around, children, descendants};
use crate::strategy::Site;
use crate::{Draft, NoFix};

use super::imports;

/// A text in quotes that holds nothing but characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    /// With its quotes.
    pub(super) range: Range<usize>,
    inner: Range<usize>,
}

impl Literal {
    pub(super) fn content<'c>(&self, code: &'c Code) -> &'c str {
        code.text.get(self.inner.clone()).unwrap_or("")
    }
}

/// What becomes of the text.
#[derive(Debug)]
enum Form {
    /// The variable is read in its place.
    Read,
    /// It is the fallback of a variable that is read already, and is taken away with what joins them.
    Fallback(Range<usize>),
    /// An expression with a fallback becomes a plain read, which fails where the variable is missing.
    Plain(Range<usize>),
    /// The statement sets the variable itself, and is taken away.
    Statement(Range<usize>),
}

/// A place of a secret.
#[derive(Debug)]
pub(super) struct Spot {
    pub(super) code: Rc<Code>,
    pub(super) literal: Range<usize>,
    pub(super) value: String,
    /// What the code calls the value.
    pub(super) hint: Option<String>,
    /// The variable that the code names already.
    pub(super) given: Option<String>,
    form: Form,
    /// Further edits that the change needs, such as `const` to `var`.
    beside: Vec<(Range<usize>, &'static str)>,
    /// Whether the type of the place allows for a missing value.
    optional: bool,
}

const fn literal_kinds(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python | Language::Ruby => &["string"],
        Language::JavaScript | Language::TypeScript | Language::Tsx => &["string", "template_string"],
        Language::Go => &["interpreted_string_literal", "raw_string_literal"],
        Language::Java | Language::Kotlin => &["string_literal"],
        Language::CSharp => &["string_literal", "verbatim_string_literal"],
        Language::Php => &["string", "encapsed_string"],
        _ => &[],
    }
}

/// A literal, if its node is a plain text on one line.
fn literal(code: &Code, node: Node<'_>) -> Option<Literal> {
    let parts = children(node);
    let composed = |kind: &str| {
        ["interpol", "substitution", "variable", "escape", "expression"]
            .iter()
            .any(|part| kind.contains(part))
    };
    if parts.iter().any(|part| composed(part.kind())) {
        return None;
    }
    let text = code.of_node(node);
    let at = text.find(['"', '\'', '`'])?;
    let prefix = text.get(..at)?;
    let plain = match code.language {
        Language::Python => matches!(prefix, "" | "r" | "R" | "u" | "U"),
        Language::CSharp => matches!(prefix, "" | "@"),
        _ => prefix.is_empty(),
    };
    let quote = text.get(at..)?.chars().next()?;
    let body = text.get(at + 1..)?;
    let content = body.strip_suffix(quote)?;
    let strange = content.contains(['\\', '\n', quote]) || content.starts_with(quote);
    let holes = match code.language {
        Language::Php | Language::Kotlin => quote == '"' && content.contains('$'),
        Language::Ruby => content.contains("#{"),
        _ => content.contains("${"),
    };
    (plain && !strange && !holes && !content.is_empty()).then(|| {
        let start = node.start_byte() + at + 1;
        Literal {
            range: node.byte_range(),
            inner: start..start + content.len(),
        }
    })
}

/// The literal of a finding: the whole text must be the secret.
pub(super) fn literal_at(code: &Code, line: u32, column: u32, check: &str) -> Result<Literal, NoFix> {
    let part = || NoFix::here("the secret is only a part of the text; move it to an environment variable by hand");
    let offset = code.offset(line, column).ok_or(NoFix::NoPlace)?;
    let node = code
        .root()?
        .descendant_for_byte_range(offset, offset + 1)
        .ok_or(NoFix::Unparsed)?;
    let node = around(node, literal_kinds(code.language)).ok_or_else(part)?;
    let literal = literal(code, node).ok_or_else(part)?;
    let content = literal.content(code);
    // A connection string is a secret as a whole, wherever its password is.
    let address = check == "secret-connection-string"
        && content.split("://").next().is_some_and(is_scheme)
        && content.contains("://");
    let whole = literal.inner.start == offset || (address && literal.inner.contains(&offset));
    if !whole || content.contains(char::is_whitespace) {
        return Err(part());
    }
    Ok(literal)
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The literals that begin in a line.
pub(super) fn literals_in_line(code: &Code, line: u32) -> Vec<Literal> {
    let Some(start) = code.offset(line, 1) else {
        return Vec::new();
    };
    let end = code.next_line(start);
    let Ok(root) = code.root() else { return Vec::new() };
    let kinds = literal_kinds(code.language);
    descendants(root, |node| {
        kinds.contains(&node.kind()) && (start..end).contains(&node.start_byte())
    })
    .into_iter()
    .filter_map(|node| literal(code, node))
    .collect()
}

/// Reads what stands around a literal.
pub(super) fn spot(code: &Rc<Code>, literal: &Literal) -> Result<Spot, NoFix> {
    let node = code
        .root()?
        .descendant_for_byte_range(literal.range.start, literal.range.end)
        .and_then(|node| around(node, literal_kinds(code.language)))
        .ok_or(NoFix::Unparsed)?;
    let mut spot = Spot {
        code: Rc::clone(code),
        literal: literal.range.clone(),
        value: literal.content(code).to_owned(),
        hint: None,
        given: None,
        form: Form::Read,
        beside: Vec::new(),
        optional: false,
    };
    climb(code, node, &mut spot)?;
    if spot.given.as_deref().is_some_and(|name| !is_variable(name)) {
        return Err(refused(code, node));
    }
    Ok(spot)
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn refused(code: &Code, node: Node<'_>) -> NoFix {
    NoFix::here(format!(
        "the code at {}:{} has a form that is not edited; move the secret to an environment variable by hand",
        code.path,
        code.line_of(node.start_byte())
    ))
}

/// What passes a value on as it is.
const PASSES: [&str; 10] = [
    "parenthesized_expression",
    "satisfies_expression",
    "non_null_expression",
    "as_expression",
    "expression_list",
    "literal_element",
    "equals_value_clause",
    "conditional_expression",
    "ternary_expression",
    "conditional",
];

/// Goes outwards from a literal to what takes its value.
#[expect(clippy::match_same_arms, reason = "each arm is a form of one language")]
fn climb(code: &Code, literal: Node<'_>, spot: &mut Spot) -> Result<(), NoFix> {
    let mut node = literal;
    let no = || refused(code, literal);
    loop {
        let parent = node.parent().ok_or_else(no)?;
        let field = |name: &str| parent.child_by_field_name(name);
        let is = |name: &str| field(name).is_some_and(|child| child.byte_range() == node.byte_range());
        match (code.language, parent.kind()) {
            (_, kind) if PASSES.contains(&kind) && !code.of_node(parent).ends_with("as const") => node = parent,

            // Named arguments, entries of tables, parameters with a default.
            (Language::Python, "keyword_argument") if is("value") => {
                let name = field("name").map_or("", |name| code.of_node(name));
                if name == "default" {
                    return fallback_of_keyword(code, parent, spot).ok_or_else(no);
                }
                spot.hint = Some(name.to_owned());
                return Ok(());
            }
            (Language::Python, "default_parameter" | "typed_default_parameter") if is("value") => {
                return named(code, field("name"), spot);
            }
            (_, "pair") if is("value") => {
                spot.optional = is_option(literal);
                return named(code, field("key"), spot);
            }
            (Language::Go, "keyed_element") => {
                let parts = children(parent);
                let [key, value] = parts.as_slice() else {
                    return Err(no());
                };
                if value.byte_range() != node.byte_range() {
                    return Err(no());
                }
                return named(code, Some(*key), spot);
            }
            (Language::Php, "array_element_initializer") => {
                let parts = children(parent);
                match parts.as_slice() {
                    [_] => return Ok(()),
                    [key, value] if value.byte_range() == node.byte_range() => return named(code, Some(*key), spot),
                    _ => return Err(no()),
                }
            }

            // Declarations and assignments.
            (Language::Python, "assignment") if is("right") => {
                let left = field("left").ok_or_else(no)?;
                if let Some(done) = settings_field(code, parent, left, spot) {
                    return done;
                }
                return assigned(code, parent, left, spot, |text| {
                    text.starts_with("os.environ[") || text.starts_with("environ[")
                });
            }
            (Language::JavaScript | Language::TypeScript | Language::Tsx, "variable_declarator") if is("value") => {
                return named(code, field("name"), spot);
            }
            (Language::JavaScript | Language::TypeScript | Language::Tsx, "assignment_expression") if is("right") => {
                let left = field("left").ok_or_else(no)?;
                return assigned(code, parent, left, spot, |text| text.starts_with("process.env"));
            }
            (
                Language::JavaScript | Language::TypeScript | Language::Tsx,
                "public_field_definition" | "field_definition",
            ) if is("value") => {
                return named(code, field("name").or(field("property")), spot);
            }
            (Language::JavaScript | Language::TypeScript | Language::Tsx, "assignment_pattern") if is("right") => {
                return named(code, field("left"), spot);
            }
            (Language::TypeScript | Language::Tsx, "required_parameter" | "optional_parameter") if is("value") => {
                return named(code, field("pattern"), spot);
            }
            (Language::Go, "short_var_declaration" | "assignment_statement") => {
                let one = |side: Option<Node<'_>>| side.is_some_and(|side| side.named_child_count() == 1);
                if !one(field("left")) || !one(field("right")) || !is("right") {
                    return Err(no());
                }
                return named(code, field("left"), spot);
            }
            (Language::Go, "var_spec") if is("value") => return named(code, field("name"), spot),
            (Language::Go, "const_spec") if is("value") => {
                constant_of_go(code, parent, spot).ok_or_else(no)?;
                return named(code, field("name"), spot);
            }
            (Language::Java, "variable_declarator") if is("value") => {
                let name = field("name").ok_or_else(no)?;
                if used_as_constant(code, code.of_node(name), name) {
                    return Err(no());
                }
                return named(code, Some(name), spot);
            }
            (Language::Java, "assignment_expression") if is("right") => return named(code, field("left"), spot),
            (Language::CSharp, "variable_declarator") => {
                let name = field("name").or(parent.named_child(0)).ok_or_else(no)?;
                constant_of_csharp(code, parent, name, spot).ok_or_else(no)?;
                return named(code, Some(name), spot);
            }
            (Language::CSharp, "property_declaration") if is("value") => return named(code, field("name"), spot),
            (Language::CSharp, "assignment_expression") if is("right") => return named(code, field("left"), spot),
            (Language::Kotlin, "property_declaration") => {
                let name = children(parent)
                    .into_iter()
                    .find(|child| child.kind() == "variable_declaration")
                    .and_then(|declaration| declaration.named_child(0))
                    .ok_or_else(no)?;
                constant_of_kotlin(code, parent, name, spot).ok_or_else(no)?;
                return named(code, Some(name), spot);
            }
            (Language::Kotlin, "assignment") => return named(code, parent.named_child(0), spot),
            (Language::Php, "assignment_expression") if is("right") => {
                let left = field("left").ok_or_else(no)?;
                return assigned(code, parent, left, spot, |text| {
                    text.starts_with("$_ENV[") || text.starts_with("$_SERVER[")
                });
            }
            (Language::Ruby, "assignment") if is("right") => {
                let left = field("left").ok_or_else(no)?;
                return assigned(code, parent, left, spot, |text| text.starts_with("ENV["));
            }
            (Language::Ruby, "optional_parameter" | "keyword_parameter") if is("value") => {
                return named(code, field("name"), spot);
            }

            // Arguments by their position.
            (Language::Python | Language::Ruby, "argument_list") => {
                return argument(code, parent, node, spot).ok_or_else(no);
            }
            (Language::JavaScript | Language::TypeScript | Language::Tsx, "arguments") => {
                return argument(code, parent, node, spot).ok_or_else(no);
            }
            (Language::Go | Language::Java, "argument_list") => {
                return argument(code, parent, node, spot).ok_or_else(no);
            }
            (Language::CSharp | Language::Php, "argument") => {
                if let Some(name) = field("name") {
                    return named(code, Some(name), spot);
                }
                let list = parent.parent().ok_or_else(no)?;
                return argument(code, list, parent, spot).ok_or_else(no);
            }
            (Language::Kotlin, "value_argument") => {
                let parts = children(parent);
                return match parts.as_slice() {
                    [_] => Ok(()),
                    [name, _] => named(code, Some(*name), spot),
                    _ => Err(no()),
                };
            }

            // Fallbacks and comparisons.
            (_, "boolean_operator" | "binary_expression" | "binary" | "elvis_expression") => {
                let (left, right) = match (field("left"), field("right")) {
                    (Some(left), Some(right)) => (left, right),
                    _ => match children(parent).as_slice() {
                        [left, right] => (*left, *right),
                        _ => return Err(no()),
                    },
                };
                let operator = code.text.get(left.end_byte()..right.start_byte()).unwrap_or("").trim();
                let last = right.byte_range() == node.byte_range();
                match operator {
                    "or" | "||" | "??" | "?:" if last => {
                        if let Some(name) = environment_read(code, left) {
                            spot.given = Some(name);
                            spot.form = if matches!(code.language, Language::Python | Language::Ruby) {
                                Form::Plain(parent.byte_range())
                            } else {
                                Form::Fallback(left.end_byte()..right.end_byte())
                            };
                            spot.optional = is_option(parent);
                            return Ok(());
                        }
                        node = parent;
                    }
                    "==" | "===" | "!=" | "!==" => return named(code, Some(if last { left } else { right }), spot),
                    _ => return Err(no()),
                }
            }
            (Language::Python, "comparison_operator") if parent.named_child_count() == 2 => {
                let other = children(parent)
                    .into_iter()
                    .find(|child| child.byte_range() != node.byte_range());
                return named(code, other, spot);
            }

            // A value of a list or a function.
            (
                _,
                "return_statement"
                | "list"
                | "array"
                | "array_initializer"
                | "arrow_expression_clause"
                | "return_expression"
                | "return",
            ) => {
                return Ok(());
            }
            _ => return Err(no()),
        }
    }
}

/// Takes the last name of a target, such as `apiKey` of `this.apiKey`, or the text of a key.
fn named(code: &Code, target: Option<Node<'_>>, spot: &mut Spot) -> Result<(), NoFix> {
    let text = target.map_or("", |target| code.of_node(target));
    let last = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
        .rfind(|part| !part.is_empty())
        .unwrap_or("");
    if last.is_empty() || text.contains(['{', ',']) {
        return target.map_or(Ok(()), |target| Err(refused(code, target)));
    }
    spot.hint = Some(last.to_owned());
    Ok(())
}

/// An assignment; one to the environment itself is taken away, since the variable comes from outside then.
fn assigned(
    code: &Code,
    assignment: Node<'_>,
    left: Node<'_>,
    spot: &mut Spot,
    is_environment: impl Fn(&str) -> bool,
) -> Result<(), NoFix> {
    let text = code.of_node(left);
    if !is_environment(text) {
        return named(code, Some(left), spot);
    }
    let no = || refused(code, assignment);
    let name = text
        .split(['"', '\'', '.', '[', ']'])
        .rfind(|part| !part.is_empty())
        .filter(|name| is_variable(name))
        .ok_or_else(no)?;
    let statement = match assignment.parent() {
        Some(parent) if parent.kind() == "expression_statement" => parent,
        _ if code.language == Language::Ruby => assignment,
        _ => return Err(no()),
    };
    // The last statement of a block leaves an empty one.
    let block = statement.parent().ok_or_else(no)?;
    let start = code.line_start(statement.start_byte());
    let end = code.next_line(statement.end_byte());
    let before = code.text.get(start..statement.start_byte()).unwrap_or("");
    let after = code
        .text
        .get(statement.end_byte()..end)
        .unwrap_or("")
        .trim_start_matches(';')
        .trim();
    let alone = before.trim().is_empty() && (after.is_empty() || after.starts_with('#') || after.starts_with("//"));
    if !alone || block.named_child_count() < 2 {
        return Err(no());
    }
    spot.given = Some(name.to_owned());
    spot.form = Form::Statement(start..end);
    Ok(())
}

/// An argument without a name.
fn argument(code: &Code, list: Node<'_>, node: Node<'_>, spot: &mut Spot) -> Option<()> {
    let arguments: Vec<Node<'_>> = children(list)
        .into_iter()
        .filter(|child| !child.kind().contains("comment"))
        .collect();
    let call = list.parent()?;
    let function = code.text.get(call.start_byte()..list.start_byte())?.trim();
    let function = function.strip_prefix("new ").unwrap_or(function);
    let at = arguments
        .iter()
        .position(|argument| argument.byte_range() == node.byte_range())?;
    let reads = matches!(
        function,
        "os.getenv"
            | "getenv"
            | "os.environ.get"
            | "environ.get"
            | "env"
            | "ENV.fetch"
            | "config"
            | "System.getenv().getOrDefault"
    );
    if reads {
        let [name, _] = arguments.as_slice() else { return None };
        // In PHP, the second argument of `getenv` is no fallback.
        if at != 1
            || (function == "getenv" && code.language != Language::Python)
            || (function == "config" && code.language != Language::Python)
        {
            return None;
        }
        spot.given = Some(text_in(code.of_node(*name))?.to_owned());
        spot.form = if matches!(function, "config" | "env" | "ENV.fetch") {
            Form::Fallback(name.end_byte()..node.end_byte())
        } else {
            Form::Plain(call.byte_range())
        };
        return Some(());
    }
    // Setting the environment, or a text that is made of parts.
    let sets = [
        "setdefault",
        "putenv",
        "setenv",
        "Setenv",
        "SetEnvironmentVariable",
        "setProperty",
    ];
    let made = ["format", "sprintf", "Sprintf", "concat", "join", "Format"];
    if sets.iter().chain(&made).any(|name| function.ends_with(name)) {
        return None;
    }
    if code.language == Language::Php && function == "define" && at == 1 {
        spot.hint = Some(text_in(code.of_node(*arguments.first()?))?.to_owned());
    }
    Some(())
}

/// `config("OPENAI_API_KEY", default="…")`
fn fallback_of_keyword(code: &Code, keyword: Node<'_>, spot: &mut Spot) -> Option<()> {
    let list = keyword.parent()?;
    let call = list.parent()?;
    let function = code.text.get(call.start_byte()..list.start_byte())?.trim();
    if !matches!(
        function,
        "config" | "env" | "env.str" | "os.getenv" | "environ.get" | "os.environ.get"
    ) {
        return None;
    }
    let arguments = children(list);
    let [name, default] = arguments.as_slice() else {
        return None;
    };
    if default.byte_range() != keyword.byte_range() {
        return None;
    }
    spot.given = Some(text_in(code.of_node(*name))?.to_owned());
    spot.form = if function.contains("environ") || function.contains("getenv") {
        Form::Plain(call.byte_range())
    } else {
        Form::Fallback(name.end_byte()..keyword.end_byte())
    };
    Some(())
}

/// The text between the quotes of a plain literal.
fn text_in(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text.strip_prefix(quote)?
        .strip_suffix(quote)
        .filter(|inner| is_variable(inner))
}

/// The variable that an expression reads, if that is all it does.
fn environment_read(code: &Code, node: Node<'_>) -> Option<String> {
    let text = code.of_node(node);
    if let Some(name) = text.strip_prefix("process.env.") {
        return is_variable(name).then(|| name.to_owned());
    }
    let starts = [
        "process.env[",
        "os.environ.get(",
        "os.getenv(",
        "os.environ[",
        "getenv(",
        "environ.get(",
        "Environment.GetEnvironmentVariable(",
        "System.Environment.GetEnvironmentVariable(",
        "System.getenv(",
        "ENV[",
        "$_ENV[",
        "env(",
        "Deno.env.get(",
    ];
    if let Some(start) = starts.iter().find(|start| text.starts_with(**start)) {
        let inner = text.strip_prefix(start)?.strip_suffix([')', ']'])?;
        return text_in(inner.trim()).map(str::to_owned);
    }
    // `builder.Configuration["OpenAI:ApiKey"]` is `OpenAI__ApiKey` in the environment.
    if code.language == Language::CSharp && text.to_ascii_lowercase().contains("config") {
        let inner = text.split_once('[')?.1.strip_suffix(']')?;
        let key = inner.strip_prefix('"')?.strip_suffix('"')?.replace(':', "__");
        return is_variable(&key).then_some(key);
    }
    None
}

/// Whether a value is one of the options of something that is made, where SDKs allow for a missing key.
fn is_option(value: Node<'_>) -> bool {
    let Some(pair) =
        around(value, &["pair", "statement_block", "variable_declarator"]).filter(|node| node.kind() == "pair")
    else {
        return false;
    };
    let made = pair
        .parent()
        .and_then(|object| object.parent())
        .filter(|list| list.kind() == "arguments");
    made.and_then(|list| list.parent())
        .is_some_and(|call| call.kind() == "new_expression")
}

/// The settings class of Pydantic reads the variable of a field by itself: the default is taken away, and the field is required.
fn settings_field(code: &Code, assignment: Node<'_>, left: Node<'_>, spot: &mut Spot) -> Option<Result<(), NoFix>> {
    let kind = assignment.child_by_field_name("type")?;
    let class = around(assignment, &["class_definition", "function_definition"])
        .filter(|node| node.kind() == "class_definition")?;
    let bases = class
        .child_by_field_name("superclasses")
        .map_or("", |bases| code.of_node(bases));
    if !bases.contains("BaseSettings") {
        return None;
    }
    let text = code.of_node(class);
    if text.contains("env_prefix") || text.contains("alias") || left.kind() != "identifier" {
        return Some(Err(refused(code, assignment)));
    }
    spot.given = Some(code.of_node(left).to_ascii_uppercase());
    spot.form = Form::Fallback(kind.end_byte()..assignment.end_byte());
    Some(Ok(()))
}

/// `const key = "…"` becomes a variable, if it is declared alone and no other constant is made of it.
fn constant_of_go(code: &Code, spec: Node<'_>, spot: &mut Spot) -> Option<()> {
    let declaration = spec.parent().filter(|parent| parent.kind() == "const_declaration")?;
    let keyword = declaration.child(0).filter(|child| child.kind() == "const")?;
    let name = spec.child_by_field_name("name")?;
    let alone = declaration.named_child_count() == 1 && !code.of_node(declaration).contains('(');
    let one = children(spec)
        .iter()
        .filter(|child| child.kind() == "identifier")
        .count()
        == 1;
    let root = code.root().ok()?;
    let in_constants = descendants(root, |node| {
        node.kind() == "const_spec" && node.byte_range() != spec.byte_range()
    })
    .into_iter()
    .any(|other| has_identifier(code, other, code.of_node(name)));
    if !alone || !one || in_constants {
        return None;
    }
    spot.beside.push((keyword.byte_range(), "var"));
    Some(())
}

fn has_identifier(code: &Code, within: Node<'_>, name: &str) -> bool {
    !descendants(within, |node| {
        node.kind().ends_with("identifier") && code.of_node(node) == name
    })
    .is_empty()
}

/// Whether a name stands where the compiler needs a constant.
fn used_as_constant(code: &Code, name: &str, declared: Node<'_>) -> bool {
    const CONSTANTS: [&str; 12] = [
        "annotation",
        "attribute",
        "attribute_list",
        "switch_label",
        "case_switch_label",
        "constant_pattern",
        "marker_annotation",
        "element_value_pair",
        "parameter",
        "switch_expression_arm",
        "when_condition",
        "enum_member_declaration",
    ];
    let Ok(root) = code.root() else { return true };
    descendants(root, |node| {
        node.kind().ends_with("identifier") && code.of_node(node) == name
    })
    .into_iter()
    .filter(|node| node.byte_range() != declared.byte_range())
    .any(|node| around(node, &CONSTANTS).is_some())
}

/// `private const string` becomes `private static readonly string`, a local `const` a variable.
fn constant_of_csharp(code: &Code, declarator: Node<'_>, name: Node<'_>, spot: &mut Spot) -> Option<()> {
    let declaration = declarator
        .parent()
        .filter(|parent| parent.kind() == "variable_declaration")?;
    let holder = declaration.parent()?;
    let mut cursor = holder.walk();
    let modifiers: Vec<Node<'_>> = holder
        .children(&mut cursor)
        .filter(|child| child.end_byte() <= declaration.start_byte())
        .collect();
    let Some(keyword) = modifiers.iter().find(|child| code.of_node(**child) == "const") else {
        return Some(());
    };
    let open = ["public", "internal", "protected"]
        .iter()
        .any(|word| modifiers.iter().any(|child| code.of_node(*child) == *word));
    if open || used_as_constant(code, code.of_node(name), name) || declaration.named_child_count() != 2 {
        return None;
    }
    if holder.kind() == "field_declaration" {
        spot.beside.push((keyword.byte_range(), "static readonly"));
    } else {
        spot.beside.push((keyword.start_byte()..declaration.start_byte(), ""));
    }
    Some(())
}

/// `private const val` becomes `private val`.
fn constant_of_kotlin(code: &Code, property: Node<'_>, name: Node<'_>, spot: &mut Spot) -> Option<()> {
    let head = code.text.get(property.start_byte()..name.start_byte())?;
    let Some(at) = head.find("const ") else { return Some(()) };
    let private = head.split_whitespace().any(|word| word == "private");
    if !private || head.contains('@') || used_as_constant(code, code.of_node(name), name) {
        return None;
    }
    let start = property.start_byte() + at;
    spot.beside.push((start..start + "const ".len(), ""));
    Some(())
}

impl Spot {
    /// Writes down the edits.
    pub(super) fn edit(&self, site: &Site<'_>, name: &str, draft: &mut Draft) -> Result<(), NoFix> {
        let code = &self.code;
        match &self.form {
            Form::Fallback(range) => {
                // The type of a variable that may be missing is not that of a text.
                let typed = matches!(code.language, Language::TypeScript | Language::Tsx) && !self.optional;
                draft.replace(code, range.clone(), if typed { "!" } else { "" });
            }
            Form::Statement(range) => draft.replace(code, range.clone(), ""),
            Form::Plain(range) => {
                let read = self.read(site, name)?;
                draft.replace(code, range.clone(), &read);
                if code.language == Language::Python {
                    imports::python(code, draft)?;
                }
            }
            Form::Read => {
                let read = self.read(site, name)?;
                draft.replace(code, self.literal.clone(), &read);
                for (range, text) in &self.beside {
                    draft.replace(code, range.clone(), text);
                }
                match code.language {
                    Language::Python => imports::python(code, draft)?,
                    Language::Go => imports::go(code, draft)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a missing variable goes unnoticed: the language gives an empty value for it.
    pub(super) fn is_lenient(&self) -> bool {
        !matches!(self.code.language, Language::Python | Language::Ruby) && !self.may_throw()
    }

    /// Whether the secret is a whole value in C#, so that a `throw` can follow the variable.
    fn may_throw(&self) -> bool {
        let text = &self.code.text;
        let before = text.get(..self.literal.start).unwrap_or("").trim_end();
        let after = text.get(self.literal.end..).unwrap_or("").trim_start();
        let is_compared = ["==", "!=", "+="].iter().any(|sign| before.ends_with(sign));
        self.code.language == Language::CSharp
            && !is_compared
            && (before.ends_with(['=', '(', ',', '{']) || before.ends_with("=>") || before.ends_with("return"))
            && after.starts_with([';', ',', ')', '}'])
    }

    /// The expression that reads the variable.
    fn read(&self, site: &Site<'_>, name: &str) -> Result<String, NoFix> {
        let code = &self.code;
        let text = code.text.get(self.literal.clone()).unwrap_or("");
        let quote = if text.contains('\'') { '\'' } else { '"' };
        Ok(match code.language {
            Language::Python => format!("os.environ[{quote}{name}{quote}]"),
            Language::JavaScript => {
                if uses_deno(code) {
                    format!("Deno.env.get({quote}{name}{quote})")
                } else {
                    format!("process.env.{name}")
                }
            }
            Language::TypeScript | Language::Tsx => {
                let read = if uses_deno(code) {
                    format!("Deno.env.get({quote}{name}{quote})")
                } else {
                    format!("process.env.{name}")
                };
                // The type of a variable that may be missing is not that of a text.
                if self.optional { read } else { format!("{read}!") }
            }
            Language::Go => format!("os.Getenv(\"{name}\")"),
            Language::Java | Language::Kotlin => format!("System.getenv(\"{name}\")"),
            Language::CSharp => {
                let imported = code.text.lines().any(|line| {
                    let line = line.trim_start_matches('\u{feff}').trim();
                    matches!(line, "using System;" | "global using System;")
                });
                let system = if imported { "" } else { "System." };
                let read = format!("{system}Environment.GetEnvironmentVariable(\"{name}\")");
                if self.may_throw() {
                    format!("{read} ?? throw new {system}InvalidOperationException(\"{name} is not set\")")
                } else {
                    read
                }
            }
            Language::Php => {
                let laravel = site.has("artisan");
                let settings = code.path.starts_with("config/");
                match (laravel, settings) {
                    (true, true) => format!("env({quote}{name}{quote})"),
                    (true, false) => {
                        return Err(NoFix::here(
                            "Laravel reads the environment in its settings: add the key to `config/services.php` and read it with `config(…)`",
                        ));
                    }
                    (false, _) => format!("getenv({quote}{name}{quote})"),
                }
            }
            Language::Ruby => format!("ENV.fetch({quote}{name}{quote})"),
            _ => return Err(NoFix::Unparsed),
        })
    }
}

fn uses_deno(code: &Code) -> bool {
    code.text.contains("Deno.") || code.text.contains("https://deno.land/") || code.path.contains("supabase/functions/")
}

/// Settings of projects whose sources are bundled.
const BUNDLERS: [&str; 6] = [
    "vite.config.",
    "webpack.config.",
    "angular.json",
    "app.json",
    "vue.config.js",
    "manifest.json",
];

/// Settings of workers at the edge.
const EDGE: [&str; 3] = ["wrangler.toml", "wrangler.json", "wrangler.jsonc"];

/// Whether a script is sent to the browser, an app or an extension.
pub(super) fn runs_in_browser(site: &Site<'_>, code: &Code) -> bool {
    let path = code.path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let folders = || path.split('/').rev().skip(1);
    let of_server = folders().any(|folder| {
        matches!(
            folder,
            "server" | "api" | "backend" | "functions" | "netlify" | "lambda"
        )
    }) || name.starts_with("server")
        || name.starts_with("route.")
        || name.contains(".server.")
        || name.contains(".config.");
    if folders().any(|folder| {
        matches!(
            folder,
            "public" | "static" | "assets" | "wwwroot" | "frontend" | "client" | "components" | "pages" | "hooks"
        )
    }) && !of_server
    {
        return true;
    }
    if matches!(name.rsplit('.').next(), Some("tsx" | "jsx")) {
        return true;
    }
    let text = &code.text;
    let marks = [
        "'use client'",
        "\"use client\"",
        "import.meta.env",
        "window.",
        "document.",
        "localStorage",
        "chrome.",
        "dangerouslyAllowBrowser",
        "from 'react'",
        "from \"react\"",
        "from 'vue'",
        "from \"vue\"",
        "from 'svelte'",
        "react-native",
        "expo-",
        "@angular/core",
        "alert(",
        "NEXT_PUBLIC_",
        "VITE_",
    ];
    if marks.iter().any(|mark| text.contains(mark)) {
        return true;
    }
    // A project of a bundler sends its sources to the browser, unless their place says otherwise. A worker at the edge gets its variables as
    // an argument.
    let configured = |names: &[&str]| {
        site.paths.iter().any(|other| {
            let (folder, file) = other.rsplit_once('/').unwrap_or(("", other));
            let above = folder.is_empty() || code.path.starts_with(&format!("{folder}/"));
            above
                && names.iter().any(|name| {
                    file.strip_prefix(name)
                        .is_some_and(|rest| rest.is_empty() || name.ends_with('.'))
                })
        })
    };
    configured(&EDGE) || configured(&BUNDLERS) && !of_server
}
