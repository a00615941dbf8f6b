//! Statements, scopes and names of a Python file.

use std::ops::Range;

use engine_syntax::tree::Node;

use crate::NoFix;
use crate::code::{Code, children, descendants};

/// The statement in which a place is evaluated.
///
/// # Errors
///
/// Where the place is evaluated at another time than its statement, or only now and then.
pub(super) fn statement_of(node: Node<'_>) -> Result<Node<'_>, NoFix> {
    let mut at = node;
    loop {
        let parent = at.parent().ok_or(NoFix::Unparsed)?;
        let why = match parent.kind() {
            "block" if is_class_body(parent) => "the call is in the body of a class",
            "block" | "module" => return Ok(at),
            "lambda" => "the call is in a lambda, which runs elsewhere",
            "generator_expression" => "the call is in a generator expression, which runs elsewhere",
            "list_comprehension" | "set_comprehension" | "dictionary_comprehension" => "the call is in a comprehension",
            "decorator" => "the call is in a decorator",
            "parameters" | "lambda_parameters" => "the call is in a default value of a parameter",
            "elif_clause" | "while_statement" | "case_clause" | "except_clause" | "match_statement" => {
                "the call is in a condition that cannot be changed with certainty"
            }
            "ERROR" => return Err(NoFix::Unparsed),
            _ => {
                at = parent;
                continue;
            }
        };
        return Err(NoFix::here(why));
    }
}

fn is_class_body(block: Node<'_>) -> bool {
    block.parent().is_some_and(|parent| parent.kind() == "class_definition")
}

/// The function definition around a node.
pub(super) fn function_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.parent();
    while let Some(parent) = at {
        if parent.kind() == "function_definition" {
            return Some(parent);
        }
        at = parent.parent();
    }
    None
}

/// The class around a method; none where the function is no method.
pub(super) fn class_of(function: Node<'_>) -> Option<Node<'_>> {
    let mut block = function.parent()?;
    if block.kind() == "decorated_definition" {
        block = block.parent()?;
    }
    let class = block.parent()?;
    (class.kind() == "class_definition").then_some(class)
}

/// Whether a function definition is a coroutine.
pub(super) fn is_async(function: Node<'_>) -> bool {
    function.child(0).is_some_and(|first| first.kind() == "async")
}

/// The name of a definition.
pub(super) fn name_of<'c>(code: &'c Code, definition: Node<'_>) -> &'c str {
    definition
        .child_by_field_name("name")
        .map_or("", |name| code.of_node(name))
}

/// The end of a line, before its line end.
pub(super) fn line_end(code: &Code, offset: usize) -> usize {
    let rest = code.text.get(offset..).unwrap_or("");
    let line = rest.split('\n').next().unwrap_or(rest);
    offset + line.strip_suffix('\r').unwrap_or(line).len()
}

/// The lines of a statement from its first letter to the end of its last line.
///
/// # Errors
///
/// Where it shares a line with other code.
pub(super) fn lines_of(code: &Code, statement: Node<'_>) -> Result<Range<usize>, NoFix> {
    let shared = || NoFix::here("the statement shares its line with other code");
    let (start, end) = (statement.start_byte(), statement.end_byte());
    let before = code.text.get(code.line_start(start)..start).ok_or_else(shared)?;
    let stop = line_end(code, end);
    let after = code.text.get(end..stop).ok_or_else(shared)?.trim();
    if !before.trim().is_empty() || !(after.is_empty() || after.starts_with('#')) {
        return Err(shared());
    }
    Ok(start..stop)
}

/// One step of indentation at a statement.
pub(super) fn step_at(code: &Code, statement: Node<'_>) -> String {
    let step = |block: Node<'_>| {
        let header = code.indent(block.parent()?.start_byte());
        let first = children(block).into_iter().find(|child| child.kind() != "comment")?;
        let step = code.indent(first.start_byte()).strip_prefix(header)?;
        (!step.is_empty()).then(|| step.to_owned())
    };
    let own = statement
        .parent()
        .filter(|parent| parent.kind() == "block")
        .and_then(step);
    own.or_else(|| {
        let root = code.root().ok()?;
        descendants(root, |node| node.kind() == "block")
            .into_iter()
            .find_map(step)
    })
    .unwrap_or_else(|| "    ".to_owned())
}

/// The text of a range with each line after the first moved to the right by one step. Lines inside of a string stay as they are.
pub(super) fn deeper(code: &Code, range: Range<usize>, step: &str) -> String {
    let strings = strings_in(code, &range);
    let mut out = String::new();
    let mut offset = range.start;
    for (index, line) in code.text.get(range).unwrap_or("").split_inclusive('\n').enumerate() {
        let in_string = strings
            .iter()
            .any(|string| string.start < offset && offset < string.end);
        if index > 0 && !line.trim().is_empty() && !in_string {
            out.push_str(step);
        }
        out.push_str(line);
        offset += line.len();
    }
    out
}

/// Strings that begin in a range.
fn strings_in(code: &Code, range: &Range<usize>) -> Vec<Range<usize>> {
    let Ok(root) = code.root() else { return Vec::new() };
    descendants(root, |node| {
        node.kind() == "string" && range.contains(&node.start_byte())
    })
    .into_iter()
    .map(|node| node.byte_range())
    .collect()
}

/// The quote that most strings of a file have.
pub(super) fn quote(code: &Code) -> char {
    let Ok(root) = code.root() else { return '"' };
    let (mut single, mut double) = (0_usize, 0_usize);
    for start in descendants(root, |node| node.kind() == "string_start") {
        let text = code
            .of_node(start)
            .trim_start_matches(|c: char| c.is_ascii_alphabetic());
        single += usize::from(text == "'");
        double += usize::from(text == "\"");
    }
    if single > double { '\'' } else { '"' }
}

/// Places of a name, without attributes and names of arguments.
pub(super) fn uses<'t>(code: &Code, scope: Node<'t>, name: &str) -> Vec<Node<'t>> {
    descendants(scope, |node| {
        node.kind() == "identifier" && code.of_node(node) == name && !is_label(node)
    })
}

fn is_label(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        let label = match parent.kind() {
            "attribute" => parent.child_by_field_name("attribute"),
            "keyword_argument" => parent.child_by_field_name("name"),
            _ => None,
        };
        label == Some(node)
    })
}

/// The first of some names that a scope does not use.
pub(super) fn free_name<'n>(code: &Code, scope: Node<'_>, names: &[&'n str]) -> Option<&'n str> {
    names.iter().copied().find(|name| uses(code, scope, name).is_empty())
}

/// The exception and the name of a handler: `except ValueError as error:`.
pub(super) fn caught<'c>(code: &'c Code, clause: Node<'_>) -> (Vec<&'c str>, Option<&'c str>) {
    let mut alias = clause.child_by_field_name("alias");
    let mut classes = Vec::new();
    let mut cursor = clause.walk();
    for value in clause.children_by_field_name("value", &mut cursor) {
        let mut class = value;
        if value.kind() == "as_pattern" {
            alias = value.child_by_field_name("alias");
            let Some(first) = value.named_child(0) else { continue };
            class = first;
        }
        if class.kind() == "tuple" {
            classes.extend(children(class).into_iter().map(|one| code.of_node(one)));
        } else {
            classes.push(code.of_node(class));
        }
    }
    (classes, alias.map(|alias| code.of_node(alias)))
}

/// The block of a clause or a compound statement.
pub(super) fn block_of(node: Node<'_>) -> Option<Node<'_>> {
    children(node).into_iter().rfind(|child| child.kind() == "block")
}

/// Statements of a block, without comments.
pub(super) fn statements(block: Node<'_>) -> Vec<Node<'_>> {
    let mut all = children(block);
    all.retain(|child| child.kind() != "comment");
    all
}

/// The arguments of a call.
pub(super) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let list = call
        .child_by_field_name("arguments")
        .filter(|list| list.kind() == "argument_list");
    list.map_or_else(Vec::new, statements)
}

/// The value of a named argument.
pub(super) fn keyword<'t>(code: &Code, call: Node<'t>, name: &str) -> Option<Node<'t>> {
    arguments(call).into_iter().find_map(|argument| {
        let is_it = argument.kind() == "keyword_argument" && name_of(code, argument) == name;
        argument.child_by_field_name("value").filter(|_| is_it)
    })
}

/// Whether arguments of a call come from a list or a mapping: `**options`.
pub(super) fn has_splat(call: Node<'_>) -> bool {
    arguments(call)
        .iter()
        .any(|argument| matches!(argument.kind(), "dictionary_splat" | "list_splat"))
}

/// What is called, as it is written: `client.responses.create`.
pub(super) fn callee<'c>(code: &'c Code, call: Node<'_>) -> &'c str {
    call.child_by_field_name("function")
        .map_or("", |function| code.of_node(function))
}

/// The last name of what is called.
pub(super) fn method<'c>(code: &'c Code, call: Node<'_>) -> &'c str {
    let Some(function) = call.child_by_field_name("function") else {
        return "";
    };
    match function.kind() {
        "attribute" => function
            .child_by_field_name("attribute")
            .map_or("", |attribute| code.of_node(attribute)),
        "identifier" => code.of_node(function),
        _ => "",
    }
}

/// Calls below a node.
pub(super) fn calls(scope: Node<'_>) -> Vec<Node<'_>> {
    descendants(scope, |node| node.kind() == "call")
}

/// Whether a node lies in another one.
pub(super) fn is_within(node: Node<'_>, outer: Node<'_>) -> bool {
    outer.start_byte() <= node.start_byte() && node.end_byte() <= outer.end_byte()
}

/// Adds an argument behind the last one, on a line of its own where the arguments have one each.
pub(super) fn added_argument(code: &Code, call: Node<'_>, argument: &str) -> Result<(usize, String), NoFix> {
    let refused = || NoFix::here("the arguments of the call have a form that is not changed");
    let list = call.child_by_field_name("arguments").ok_or_else(refused)?;
    if list.kind() != "argument_list" || has_splat(call) {
        return Err(refused());
    }
    let Some(final_one) = arguments(call).into_iter().next_back() else {
        return Ok((list.start_byte() + 1, argument.to_owned()));
    };
    if final_one.kind().contains("comprehension") || final_one.kind() == "generator_expression" {
        return Err(refused());
    }
    let close = list.end_byte().saturating_sub(1);
    let rest = code.text.get(final_one.end_byte()..close).ok_or_else(refused)?;
    let comma = rest.trim_start().starts_with(',');
    let is_last = rest.trim().trim_start_matches(',').is_empty();
    if !is_last {
        return Err(refused());
    }
    let own_line = code
        .text
        .get(code.line_start(final_one.start_byte())..final_one.start_byte())
        .is_some_and(|before| before.trim().is_empty());
    let at = if comma {
        final_one.end_byte() + rest.find(',').unwrap_or(0) + 1
    } else {
        final_one.end_byte()
    };
    let text = match (own_line, comma) {
        (true, true) => format!("\n{}{argument},", code.indent(final_one.start_byte())),
        (true, false) => format!(",\n{}{argument}", code.indent(final_one.start_byte())),
        (false, true) => format!(" {argument},"),
        (false, false) => format!(", {argument}"),
    };
    Ok((at, text))
}
