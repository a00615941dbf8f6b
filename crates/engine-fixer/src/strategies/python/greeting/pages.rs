//! Disclosures on pages of Streamlit, Gradio and Chainlit.

use engine_syntax::tree::Node;

use super::super::failures::end_of;
use super::super::imports::Imports;
use super::super::phrases::{self, Phrases};
use super::super::source::{
    added_argument, arguments, block_of, callee, calls, function_of, is_within, keyword, lines_of, name_of, quote,
    statement_of, statements, step_at, uses,
};
use super::Disclosure;
use super::literals::{appended, first_text, introduced, letters, text_of};
use crate::NoFix;
use crate::code::{Code, children, descendants};

const PLACE: &str = "on the page";

/// The line of a page.
pub(super) fn disclosure(code: &Code) -> Result<(String, Disclosure), NoFix> {
    let imports = Imports::of(code)?;
    let root = code.root()?;
    let drawn: [(&str, &str, Draw); 3] = [
        ("streamlit", "st", streamlit),
        ("gradio", "gr", gradio),
        ("chainlit", "cl", chainlit),
    ];
    let found = drawn.into_iter().find_map(|(library, alias, draw)| {
        let name = imports.module(library, usize::MAX)?;
        Some(if name == alias || name == library {
            draw(code, root, &name)
        } else {
            Err(NoFix::here("the library of the page is imported under an unusual name"))
        })
    });
    let found = found.unwrap_or_else(|| Err(NoFix::here("the page is drawn in a way that is not changed")));
    found.map(|disclosure| (code.path.clone(), disclosure))
}

type Draw = fn(&Code, Node<'_>, &str) -> Result<Disclosure, NoFix>;

fn on_page(phrases: &'static Phrases, offset: usize, text: String) -> Disclosure {
    Disclosure {
        offset,
        text,
        sentence: phrases.page,
        place: PLACE,
    }
}

/// The language of the texts that a page is drawn with.
fn language(code: &Code, root: Node<'_>, library: &str) -> Result<&'static Phrases, NoFix> {
    let drawn = calls(root).into_iter().filter(|call| {
        let called = callee(code, *call);
        called.strip_prefix(library).is_some_and(|rest| rest.starts_with('.'))
    });
    let texts: Vec<String> = drawn
        .filter_map(|call| {
            let named = keyword(code, call, "title").and_then(|value| text_of(code, value));
            named.or_else(|| first_text(code, call))
        })
        .take(40)
        .map(|text| letters(code, text))
        .collect();
    phrases::language(&texts.join(" ")).ok_or_else(|| NoFix::here("the language of the page could not be determined"))
}

fn streamlit(code: &Code, root: Node<'_>, library: &str) -> Result<Disclosure, NoFix> {
    let phrases = language(code, root, library)?;
    let q = quote(code);
    let caption = format!("{library}.caption({q}{}{q})", phrases.page);
    let named = |names: &'static [&'static str]| {
        calls(root).into_iter().filter(move |call| {
            callee(code, *call)
                .strip_prefix(library)
                .and_then(|rest| rest.strip_prefix('.'))
                .is_some_and(|method| names.contains(&method))
        })
    };
    let talks: Vec<Node<'_>> = named(&["chat_input"]).collect();
    let talks = if talks.is_empty() {
        named(&["text_area", "text_input"]).collect()
    } else {
        talks
    };
    // A title in the function of the talk, or above all functions.
    let titles = named(&["title", "header"]).filter(|title| {
        let scope = function_of(*title);
        let beside = talks.is_empty() || scope.is_none() || talks.iter().any(|talk| function_of(*talk) == scope);
        beside && !is_aside(*title)
    });
    for title in titles {
        let Ok(statement) = statement_of(title) else { continue };
        let is_whole = statement.kind() == "expression_statement" && statement.named_child(0) == Some(title);
        if is_whole && lines_of(code, statement).is_ok() {
            let indent = code.indent(statement.start_byte());
            return Ok(on_page(
                phrases,
                end_of(code, statement),
                format!("\n{indent}{caption}"),
            ));
        }
    }
    let talk = talks
        .first()
        .copied()
        .ok_or_else(|| NoFix::here("the page has no title below which the disclosure could be shown"))?;
    let statement = statement_of(talk)?;
    lines_of(code, statement)?;
    let indent = code.indent(statement.start_byte());
    Ok(on_page(phrases, statement.start_byte(), format!("{caption}\n{indent}")))
}

/// Whether a statement is drawn in a sidebar, a column or only now and then.
fn is_aside(node: Node<'_>) -> bool {
    let mut at = node.parent();
    while let Some(parent) = at {
        match parent.kind() {
            "function_definition" => return false,
            "with_statement" | "if_statement" | "for_statement" | "while_statement" | "except_clause" => return true,
            _ => at = parent.parent(),
        }
    }
    false
}

fn gradio(code: &Code, root: Node<'_>, library: &str) -> Result<Disclosure, NoFix> {
    let phrases = language(code, root, library)?;
    let q = quote(code);
    let called = |name: &str| {
        let whole = format!("{library}.{name}");
        calls(root).into_iter().filter(move |call| callee(code, *call) == whole)
    };
    if let Some(interface) = called("ChatInterface").chain(called("Interface")).next() {
        if let Some(value) = keyword(code, interface, "description") {
            let text = text_of(code, value)
                .ok_or_else(|| NoFix::here("the description of the page is not a string in its code"))?;
            let (offset, text) = appended(code, text, phrases.page)
                .ok_or_else(|| NoFix::here("the description of the page has a form that is not changed"))?;
            return Ok(on_page(phrases, offset, text));
        }
        let argument = format!("description={q}{}{q}", phrases.page);
        let (offset, text) = added_argument(code, interface, &argument)?;
        return Ok(on_page(phrases, offset, text));
    }
    let line = format!("{library}.Markdown({q}{}{q})", phrases.page);
    let whole = |call: Node<'_>| {
        let statement = statement_of(call).ok()?;
        let in_blocks = function_or_blocks(code, statement, library);
        (in_blocks && lines_of(code, statement).is_ok()).then_some(())
    };
    for heading in called("Markdown") {
        if whole(heading).is_some() {
            let statement = statement_of(heading)?;
            if statement.named_child(0) == Some(heading) {
                let indent = code.indent(statement.start_byte());
                return Ok(on_page(phrases, end_of(code, statement), format!("\n{indent}{line}")));
            }
        }
    }
    for chat in called("Chatbot") {
        if whole(chat).is_some() {
            let statement = statement_of(chat)?;
            let indent = code.indent(statement.start_byte());
            return Ok(on_page(phrases, statement.start_byte(), format!("{line}\n{indent}")));
        }
    }
    Err(NoFix::here("the page is drawn in a way that is not changed"))
}

/// Whether a statement stands in a `with gr.Blocks()`.
fn function_or_blocks(code: &Code, statement: Node<'_>, library: &str) -> bool {
    let blocks = format!("{library}.Blocks");
    let mut at = statement.parent();
    while let Some(parent) = at {
        if parent.kind() == "with_statement" {
            let header = children(parent).into_iter().find(|child| child.kind() == "with_clause");
            if header.is_some_and(|header| code.of_node(header).contains(&blocks)) {
                return true;
            }
        }
        at = parent.parent();
    }
    false
}

fn chainlit(code: &Code, root: Node<'_>, library: &str) -> Result<Disclosure, NoFix> {
    let marked = |name: &str| {
        let mark = format!("@{library}.{name}");
        descendants(root, |node| node.kind() == "decorated_definition")
            .into_iter()
            .find(|definition| {
                children(*definition)
                    .into_iter()
                    .any(|child| child.kind() == "decorator" && code.of_node(child) == mark)
            })
    };
    let q = quote(code);
    let message = |sentence: &str| format!("await {library}.Message(content={q}{sentence}{q}).send()");
    let Some(start) = marked("on_chat_start") else {
        let talk = marked("on_message").ok_or_else(|| NoFix::here("the page is drawn in a way that is not changed"))?;
        let taken = !uses(code, root, "on_chat_start").is_empty();
        if taken || talk.parent() != Some(root) {
            return Err(NoFix::here("the page is drawn in a way that is not changed"));
        }
        let phrases = language(code, root, library).unwrap_or(phrases::ENGLISH);
        let step = step_at(code, talk);
        let text = format!(
            "@{library}.on_chat_start\nasync def on_chat_start():\n{step}{}\n\n\n",
            message(phrases.bot)
        );
        return Ok(Disclosure {
            offset: talk.start_byte(),
            text,
            sentence: phrases.bot,
            place: "when the chat starts",
        });
    };
    let function = children(start)
        .into_iter()
        .find(|child| child.kind() == "function_definition")
        .ok_or(NoFix::Unparsed)?;
    let whole = format!("{library}.Message");
    let said = calls(function)
        .into_iter()
        .filter(|call| callee(code, *call) == whole && is_within(*call, function))
        .find_map(|call| {
            first_text(code, call).filter(|_| keyword(code, call, "content").is_some() || !arguments(call).is_empty())
        });
    if let Some(text) = said {
        return introduced(code, text, "in the first message of the chat");
    }
    let is_async = super::super::source::is_async(function);
    let body = block_of(function).ok_or(NoFix::Unparsed)?;
    let last = statements(body).into_iter().next_back().ok_or(NoFix::Unparsed)?;
    if !is_async
        || last.kind() == "return_statement"
        || !descendants(body, |node| node.kind() == "return_statement").is_empty()
    {
        return Err(NoFix::here(format!(
            "`{}` has a form that is not changed",
            name_of(code, function)
        )));
    }
    lines_of(code, last)?;
    let phrases = language(code, root, library).unwrap_or(phrases::ENGLISH);
    let indent = code.indent(last.start_byte());
    Ok(Disclosure {
        offset: end_of(code, last),
        text: format!("\n{indent}{}", message(phrases.bot)),
        sentence: phrases.bot,
        place: "when the chat starts",
    })
}
