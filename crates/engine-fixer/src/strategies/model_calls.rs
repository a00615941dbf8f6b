//! What the strategies for model calls share in Go, Java, Kotlin, C#, PHP, Ruby and Rust.

use std::collections::BTreeSet;
use std::ops::Range;

use engine_model::{Call, Language};
use engine_syntax::tree::Node;

use crate::code::{Code, around, children, descendants};
use crate::{Draft, NoFix, Site};

#[cfg(test)]
pub(super) mod testing;

/// The message of a log line about a failure.
pub(super) const FAILED: &str = "The call to the AI model failed";

/// The message of a log line before a call.
pub(super) const CALLED: &str = "Calling the AI model";

/// The message of a log line after a call.
pub(super) const ANSWERED: &str = "The AI model answered";

/// The message of a log line about a failure of a call or of what reads its answer.
pub(super) const UNUSABLE: &str = "No usable answer from the AI model";

/// What a person must still decide after a failure is logged and passed on. A framework or a caller may log it as well, which the code
/// does not show reliably, so no such fix is safe.
pub(super) const DECIDE: &str = "Decide what the user gets when the model does not answer. Keep the log line only if no framework \
    and no caller logs the same failure.";

/// The edits for one call, all in the file of the call.
#[derive(Debug, Default)]
pub(super) struct Fix {
    /// Ranges with the text that replaces them.
    pub(super) changes: Vec<(Range<usize>, String)>,
    /// Other calls in this range are fixed as well.
    pub(super) covers: Option<Range<usize>>,
    /// Whether the product behaves as before.
    pub(super) safe: bool,
    /// What a person must still do.
    pub(super) manual: Vec<String>,
}

impl Fix {
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.changes.push((range, text.into()));
    }

    pub(super) fn insert(&mut self, offset: usize, text: impl Into<String>) {
        self.replace(offset..offset, text);
    }

    /// Says that all calls in a node are fixed.
    pub(super) fn cover(&mut self, node: Node<'_>) {
        self.covers = Some(node.byte_range());
    }

    /// Says that the calls of the block of a statement are fixed: one that runs in another branch is not.
    pub(super) fn cover_block(&mut self, statement: Node<'_>) {
        self.cover(statement.parent().unwrap_or(statement));
    }
}

/// A reason about the code at this place.
pub(super) fn refused<T>(why: &str) -> Result<T, NoFix> {
    Err(NoFix::here(why))
}

/// Fixes the call of a finding and, where the finding lists more, those in files of the same language.
pub(super) fn fix_calls(
    site: &Site<'_>,
    draft: &mut Draft,
    done: &str,
    fix: impl Fn(&Site<'_>, &Code, &Call) -> Result<Fix, NoFix>,
) -> Result<(), NoFix> {
    let first = site.call().ok_or(NoFix::NoPlace)?;
    let language = site.file()?.language;
    let mut taken: Vec<(String, Range<usize>)> = Vec::new();
    let (mut fixed, mut left) = (0, Vec::new());
    let mut safe = true;
    let mut manual: BTreeSet<String> = BTreeSet::new();
    for call in listed(site, first, language) {
        let is_first = std::ptr::eq(call, first);
        let code = match site.code(&call.file) {
            Ok(code) => code,
            Err(why) if is_first => return Err(why),
            Err(_) => {
                left.push(format!("{}:{}", call.file, call.line));
                continue;
            }
        };
        let at = code.offset(call.line, call.column).unwrap_or(0);
        if taken
            .iter()
            .any(|(path, range)| *path == code.path && range.contains(&at))
        {
            fixed += 1;
            continue;
        }
        let clashes = |fix: &Fix| {
            fix.changes.iter().any(|(range, _)| {
                !range.is_empty()
                    && taken
                        .iter()
                        .any(|(path, known)| *path == code.path && known.start < range.end && range.start < known.end)
            })
        };
        match fix(site, &code, call) {
            Ok(fix) if !clashes(&fix) => {
                for (range, text) in fix.changes {
                    if !range.is_empty() {
                        taken.push((code.path.clone(), range.clone()));
                    }
                    draft.replace(&code, range, &text);
                }
                taken.extend(fix.covers.map(|range| (code.path.clone(), range)));
                safe &= fix.safe;
                manual.extend(fix.manual);
                fixed += 1;
            }
            Err(why) if is_first => return Err(why),
            _ => left.push(format!("{}:{}", call.file, call.line)),
        }
    }
    if safe {
        draft.safe();
    }
    draft.describe(match fixed {
        1 => format!("{done} the model call."),
        _ => format!("{done} {fixed} model calls."),
    });
    for step in manual {
        draft.manual(step);
    }
    if !left.is_empty() {
        draft.manual(format!("Change the other calls by hand: {}.", left.join(", ")));
    }
    Ok(())
}

/// The call of a finding and the others that it lists, in the order of the list.
fn listed<'a>(site: &Site<'a>, first: &'a Call, language: Language) -> Vec<&'a Call> {
    let mut out = vec![first];
    for evidence in &site.finding.evidence {
        let call = site.inventory.calls.iter().find(|call| {
            evidence.file.as_ref() == Some(&call.file)
                && evidence.line == Some(call.line)
                && evidence.reference == call.symbol
        });
        let Some(call) = call else { continue };
        let known = out
            .iter()
            .any(|known| known.file == call.file && known.line == call.line);
        if !known && Language::of_path(&call.file) == language {
            out.push(call);
        }
    }
    out
}

/// The smallest node at the place of a call.
pub(super) fn node_of<'c>(code: &'c Code, call: &Call) -> Result<Node<'c>, NoFix> {
    let node = code.node_at(call.line, call.column).ok_or(NoFix::Unparsed)?;
    if code.is_in_text(node.start_byte()) {
        return refused("the call is inside a text");
    }
    if node.has_error() {
        return Err(NoFix::Unparsed);
    }
    Ok(node)
}

/// How a language writes statements.
pub(super) struct Shape {
    /// Nodes whose children are statements.
    pub(super) blocks: &'static [&'static str],
    /// Functions and lambdas, at which the way to a statement ends.
    pub(super) functions: &'static [&'static str],
    /// What begins a comment up to the end of the line.
    pub(super) comments: &'static [&'static str],
}

/// The statement around a node, a child of a block.
pub(super) fn statement_of<'t>(node: Node<'t>, shape: &Shape) -> Result<Node<'t>, NoFix> {
    let mut at = node;
    while let Some(parent) = at.parent() {
        if shape.blocks.contains(&parent.kind()) {
            return Ok(at);
        }
        if shape.functions.contains(&parent.kind()) {
            return refused("the call is the whole body of a lambda or a function, not a statement of a block");
        }
        at = parent;
    }
    refused("the call is not in a statement")
}

/// The range of a statement that has its lines to itself, with a comment behind it.
pub(super) fn lines_of(code: &Code, first: Node<'_>, last: Node<'_>, shape: &Shape) -> Result<Range<usize>, NoFix> {
    let (start, end) = (first.start_byte(), last.end_byte());
    if code.line_start(start) + code.indent(start).len() != start {
        return refused("the statement shares its line with other code");
    }
    let rest = code.text.get(end..code.next_line(end)).unwrap_or("").trim_end();
    let behind = rest.trim_start();
    if behind.is_empty() {
        Ok(start..end)
    } else if shape.comments.iter().any(|mark| behind.starts_with(mark)) {
        Ok(start..end + rest.len())
    } else {
        refused("the statement shares its line with other code")
    }
}

/// Statements after a call that a `try` may hold as well.
const REST_MAX: usize = 4;

/// The last statement of the block of a statement, where all that follow it only read what it gives and return it.
pub(super) fn rest_of_block<'t>(statement: Node<'t>, kinds: &[&str]) -> Result<Node<'t>, NoFix> {
    let mut last = statement;
    let mut count = 0;
    while let Some(next) = last.next_named_sibling() {
        count += 1;
        if count > REST_MAX || !(kinds.contains(&next.kind()) || next.kind().contains("comment")) {
            return refused("the type of the variable is not written, and more than its use follows");
        }
        last = next;
    }
    Ok(last)
}

/// Whether a caught type takes failures of a service, so that a handler that only throws again belongs to the call.
pub(super) fn is_rethrow_of(types: &str) -> bool {
    types.split('|').map(str::trim).any(|kind| {
        let kind = kind.rsplit(['.', '\\', ':']).next().unwrap_or(kind);
        matches!(
            kind,
            "Exception" | "RuntimeException" | "Throwable" | "IOException" | "StandardError" | "HttpRequestException"
        ) || [
            "OpenAI",
            "OpenAi",
            "Anthropic",
            "Api",
            "API",
            "RestClient",
            "HttpClient",
            "WebClient",
            "Guzzle",
            "Faraday",
        ]
        .iter()
        .any(|part| kind.contains(part))
    })
}

/// Whether a node holds a text over several lines, which another indentation would change.
pub(super) fn has_text_over_lines(node: Node<'_>, harmless: &[&str]) -> bool {
    let texts = descendants(node, |at| {
        let kind = at.kind();
        ["string", "heredoc", "nowdoc", "template", "text", "encapsed"]
            .iter()
            .any(|part| kind.contains(part))
            && at.start_position().row != at.end_position().row
            && around(at, harmless).is_none()
    });
    !texts.is_empty()
}

/// A statement in a `try` with a handler.
pub(super) struct Guard<'a> {
    /// What follows the closing brace of the block: `catch (RuntimeException e)`.
    pub(super) catch: &'a str,
    /// The lines of the handler.
    pub(super) lines: &'a [String],
    /// Whether braces have a line of their own.
    pub(super) own_lines: bool,
}

impl Guard<'_> {
    /// The text for a range that begins behind the indentation of its line.
    pub(super) fn around(&self, code: &Code, range: Range<usize>) -> Result<String, NoFix> {
        let unit = code.indent_unit();
        let indent = code.indent(range.start).to_owned();
        let body = code.indented(range, &unit).ok_or(NoFix::Gone)?;
        Ok(self.text(&indent, &unit, &body))
    }

    /// The text for a body that is indented already.
    pub(super) fn text(&self, indent: &str, unit: &str, body: &str) -> String {
        let mut out = if self.own_lines {
            format!(
                "try\n{indent}{{\n{indent}{unit}{body}\n{indent}}}\n{indent}{}\n{indent}{{\n",
                self.catch
            )
        } else {
            format!("try {{\n{indent}{unit}{body}\n{indent}}} {} {{\n", self.catch)
        };
        for line in self.lines {
            out.extend([indent, unit, line, "\n"]);
        }
        out.push_str(indent);
        out.push('}');
        out
    }
}

/// Whether a leaf below a node has this text.
pub(super) fn is_named(code: &Code, node: Node<'_>, name: &str) -> bool {
    let found = descendants(node, |at| at.child_count() == 0 && code.of_node(at) == name);
    !found.is_empty()
}

/// The first name that nothing below a node has.
pub(super) fn free_name<'n>(code: &Code, node: Node<'_>, names: &[&'n str]) -> Result<&'n str, NoFix> {
    names
        .iter()
        .copied()
        .find(|name| !is_named(code, node, name))
        .ok_or_else(|| NoFix::here("the usual names for an error are in use here"))
}

/// Adds a line to lines of imports, where they are sorted at its place, else after the last one of its kind.
///
/// Each node has its lines to itself. `name` is what the line is sorted by.
pub(super) fn import_line(code: &Code, imports: &[Node<'_>], name: &str, line: &str) -> Option<(Range<usize>, String)> {
    let name_of = |node: Node<'_>| sort_name(code.of_node(node)).to_owned();
    let shared = |other: &str| {
        other
            .split(['.', '\\'])
            .zip(name.split(['.', '\\']))
            .take_while(|(a, b)| a == b)
            .count()
    };
    let mut groups: Vec<Vec<Node<'_>>> = Vec::new();
    for node in imports {
        match groups.last_mut() {
            Some(group)
                if group
                    .last()
                    .is_some_and(|last| last.end_position().row + 1 >= node.start_position().row) =>
            {
                group.push(*node);
            }
            _ => groups.push(vec![*node]),
        }
    }
    let mut best: Option<(usize, &Vec<Node<'_>>)> = None;
    for group in &groups {
        let fit = group.iter().map(|node| shared(&name_of(*node))).max().unwrap_or(0);
        if best.is_none_or(|(known, _)| fit >= known) {
            best = Some((fit, group));
        }
    }
    let (_, group) = best?;
    let names: Vec<String> = group.iter().map(|node| name_of(*node)).collect();
    let is_sorted = names.windows(2).all(|pair| matches!(pair, [a, b] if a <= b));
    let before = names.iter().position(|known| is_sorted && known.as_str() > name);
    let at = match before.and_then(|index| group.get(index)) {
        Some(node) => code.line_start(node.start_byte()),
        None => code.next_line(group.last()?.end_byte()),
    };
    let feed = if at == code.text.len() && !code.text.ends_with('\n') {
        "\n"
    } else {
        ""
    };
    Some((at..at, format!("{feed}{line}\n")))
}

/// What a line of imports is sorted by.
fn sort_name(line: &str) -> &str {
    let line = line.trim().trim_end_matches(';');
    let line = ["import ", "use ", "using "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    line.split(' ').next().unwrap_or(line)
}

/// The children of a node that have one of these kinds.
pub(super) fn children_of<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    children(node)
        .into_iter()
        .filter(|child| kinds.contains(&child.kind()))
        .collect()
}

/// Whether a node runs only on a condition, or later, in the statement that holds it.
pub(super) fn is_conditional(code: &Code, node: Node<'_>, statement: Node<'_>) -> bool {
    let mut at = node;
    while at != statement {
        let Some(parent) = at.parent() else { return false };
        let kind = parent.kind();
        let branches = [
            "conditional",
            "ternary",
            "lambda",
            "closure",
            "anonymous_function",
            "arrow_function",
            "func_literal",
            "do_block",
            "switch_expression",
            "match_expression",
            "when_expression",
            "elvis",
            "conditional_access",
            "if_expression",
            "if_modifier",
            "unless_modifier",
            "operator_assignment",
            "while",
            "until",
            "for_",
            "foreach",
            "rescue_modifier",
        ];
        let joins = || {
            let mut cursor = parent.walk();
            parent.children(&mut cursor).any(|child| {
                !child.is_named()
                    && matches!(
                        code.of_node(child),
                        "&&" | "||" | "??" | "?:" | "and" | "or" | "??=" | "||="
                    )
            })
        };
        // The first operand of a chain of conditions always runs.
        let is_first = parent.named_child(0) == Some(at);
        let is_branch =
            branches.iter().any(|part| kind.contains(part)) || kind == "block" && code.language == Language::Ruby;
        if is_branch && !(is_first && kind.starts_with("foreach")) || joins() && !is_first {
            return true;
        }
        at = parent;
    }
    false
}

/// Whether a manifest in a folder around a file has a text.
pub(super) fn manifest_has(site: &Site<'_>, code: &Code, names: &[&str], text: &str) -> bool {
    let mut paths = site.paths.iter().filter(|path| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_around = folder.is_empty() || code.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        is_around
            && names.iter().any(|wanted| match wanted.strip_prefix('*') {
                Some(end) => name.ends_with(end),
                None => name == *wanted,
            })
    });
    paths.any(|path| file_has(site, path, &[text]))
}

/// Whether a file has one of some texts; it is not parsed for that.
pub(super) fn file_has(site: &Site<'_>, path: &str, texts: &[&str]) -> bool {
    site.source.file(path).is_some_and(|file| {
        std::str::from_utf8(&file.bytes).is_ok_and(|known| texts.iter().any(|text| known.contains(text)))
    })
}
