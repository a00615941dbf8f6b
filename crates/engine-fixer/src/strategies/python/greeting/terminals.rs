//! Disclosures of terminal programs.

use engine_syntax::tree::Node;

use super::super::phrases;
use super::super::source::{arguments, callee, calls, function_of, lines_of, quote, statement_of};
use super::Disclosure;
use super::literals::letters;
use crate::NoFix;
use crate::code::{Code, descendants};

/// Calls that ask on a terminal.
pub(super) const ASKS: [&str; 5] = ["input(", "Prompt.ask(", "click.prompt(", "typer.prompt(", ".prompt("];

/// The line that a program prints before the talk.
pub(super) fn disclosure(code: &Code) -> Result<(String, Disclosure), NoFix> {
    let root = code.root()?;
    let asks: Vec<Node<'_>> = calls(root)
        .into_iter()
        .filter(|call| is_question(code, *call))
        .collect();
    // A loop of questions is a talk; a single question may be one.
    let looped = asks.iter().copied().find_map(|call| Some((outer_loop(call)?, call)));
    let (statement, call) = if let Some(found) = looped {
        found
    } else {
        if asks.is_empty() {
            return Err(NoFix::here("no question on the terminal was found"));
        }
        let [only] = asks.as_slice() else {
            return Err(NoFix::here(
                "the program asks in several places; print the disclosure before the talk by hand",
            ));
        };
        (statement_of(*only)?, *only)
    };
    let range = lines_of(code, statement)?;
    let scope = function_of(statement).unwrap_or(root);
    let beside: String = descendants(scope, |node| node.kind() == "string")
        .into_iter()
        .filter(|string| is_printed(code, *string, call))
        .map(|string| letters(code, string))
        .collect::<Vec<_>>()
        .join(" ");
    let phrases =
        phrases::language(&beside).ok_or_else(|| NoFix::here("the language of the program could not be determined"))?;
    let q = quote(code);
    let indent = code.indent(range.start);
    let show = printer(code, scope);
    Ok((
        code.path.clone(),
        Disclosure {
            offset: range.start,
            text: format!("{show}({q}{}{q})\n{indent}", phrases.terminal),
            sentence: phrases.terminal,
            place: "before the talk begins",
        },
    ))
}

fn is_question(code: &Code, call: Node<'_>) -> bool {
    let called = callee(code, call);
    matches!(
        called,
        "input" | "Prompt.ask" | "click.prompt" | "typer.prompt" | "console.input" | "session.prompt"
    )
}

/// The outermost loop around a question in its function.
fn outer_loop(call: Node<'_>) -> Option<Node<'_>> {
    let mut found = None;
    let mut at = call;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "function_definition" | "lambda" => break,
            "while_statement" | "for_statement" => found = Some(parent),
            _ => {}
        }
        at = parent;
    }
    found
}

/// Whether a text is printed, or is the question itself.
fn is_printed(code: &Code, string: Node<'_>, question: Node<'_>) -> bool {
    let mut at = string.parent();
    while let Some(node) = at {
        if node == question {
            return true;
        }
        if node.kind() == "call" {
            let called = callee(code, node);
            return called == "print" || called.rsplit('.').next() == Some("print") || called.ends_with("echo");
        }
        if matches!(node.kind(), "block" | "module") {
            return false;
        }
        at = node.parent();
    }
    false
}

/// What the program prints with.
fn printer(code: &Code, scope: Node<'_>) -> &'static str {
    let all = calls(scope);
    let shows = |name: &str| {
        all.iter()
            .any(|call| callee(code, *call) == name && !arguments(*call).is_empty())
    };
    ["print", "console.print", "click.echo", "typer.echo", "rprint"]
        .into_iter()
        .find(|name| shows(name))
        .unwrap_or("print")
}
