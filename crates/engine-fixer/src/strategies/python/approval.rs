//! A question before a command of a model runs.

use engine_syntax::tree::Node;

use super::places;
use super::source::{arguments, calls, deeper, function_of, is_async, lines_of, method, quote, statement_of, step_at};
use crate::code::{Code, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Asks on the terminal before a command or code of a model runs.
    ///
    /// The command is shown, and it runs only after `y`. Only programs that are used on a terminal are changed: files that call `input`
    /// or that are run as a script. A person decides what happens after a no.
    ///
    /// Before:
    ///
    /// ```text app.py
    /// import subprocess
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     subprocess.run(answer.output_text, shell=True)
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import subprocess
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     print(answer.output_text)
    ///     if input("Run this command? [y/N] ").strip().lower() == "y":
    ///         subprocess.run(answer.output_text, shell=True)
    /// ```
    ///
    /// A command whose output is used, in a loop:
    ///
    /// Before:
    ///
    /// ```text app.py
    /// import subprocess
    /// import sys
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// while True:
    ///     task = input('task: ')
    ///     code = client.responses.create(model='gpt-4.1-2025-04-14', input=task).output_text
    ///     done = subprocess.run([sys.executable, '-c', code], capture_output=True)
    ///     print(done.stdout)
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import subprocess
    /// import sys
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// while True:
    ///     task = input('task: ')
    ///     code = client.responses.create(model='gpt-4.1-2025-04-14', input=task).output_text
    ///     print(code)
    ///     if input('Run this code? [y/N] ').strip().lower() != 'y':
    ///         continue
    ///     done = subprocess.run([sys.executable, '-c', code], capture_output=True)
    ///     print(done.stdout)
    /// ```
    PYTHON_APPROVAL_BEFORE_COMMAND {
        id: "python-approval-before-command",
        checks: ["l4-answer-reaches-shell"],
        kind: Code,
        languages: [Python],
        plan: plan,
    }
}

/// What runs a command.
const COMMANDS: [&str; 13] = [
    "run",
    "Popen",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "system",
    "popen",
    "create_subprocess_shell",
    "create_subprocess_exec",
    "spawn",
    "exec_command",
];

/// What runs code.
const CODE: [&str; 2] = ["exec", "eval"];

/// Libraries whose programs have no terminal.
const SERVERS: [&str; 14] = [
    "fastapi",
    "flask",
    "django",
    "starlette",
    "aiohttp.web",
    "sanic",
    "tornado",
    "telegram",
    "aiogram",
    "telebot",
    "discord",
    "slack_bolt",
    "streamlit",
    "gradio",
];

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    // The places where the output runs: those that the finding names and that are no model calls.
    let sinks: Vec<(&str, u32)> = site
        .finding
        .evidence
        .iter()
        .filter_map(|evidence| Some((evidence.file.as_deref()?, evidence.line?)))
        .filter(|(file, line)| {
            !site
                .inventory
                .calls
                .iter()
                .any(|call| call.file == *file && call.line == *line && call.sdk.is_some())
        })
        .collect();
    let Some((path, _)) = sinks.first().copied() else {
        return Err(NoFix::here("the place where the command runs is not known"));
    };
    if sinks.iter().any(|(file, _)| *file != path) {
        return Err(NoFix::here(
            "commands run in several files; ask before each of them by hand",
        ));
    }
    let code = site.code(path)?;
    if !places::is_edited(code.zone) || code.language != engine_model::Language::Python {
        return Err(NoFix::here("the command does not run in a Python file of the product"));
    }
    let mut lines: Vec<u32> = sinks.iter().map(|(_, line)| *line).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut ran = None;
    for line in lines {
        ran = Some(ask(&code, line, draft)?);
    }
    let ran = ran.ok_or(NoFix::NoPlace)?;
    draft.describe(format!("Ask on the terminal before the {ran} of the model runs."));
    draft.manual("Decide what the program does when the user says no.");
    draft.manual("Consider running it in a container without credentials and network access.");
    Ok(())
}

/// Asks before the command on a line.
fn ask(code: &Code, line: u32, draft: &mut Draft) -> Result<&'static str, NoFix> {
    let root = code.root()?;
    let row = usize::try_from(line).unwrap_or(0).saturating_sub(1);
    let on_line = calls(root).into_iter().filter(|call| call.start_position().row == row);
    let run: Vec<Node<'_>> = on_line
        .filter(|call| COMMANDS.contains(&method(code, *call)) || is_builtin(code, *call))
        .collect();
    let [call] = run.as_slice() else {
        return Err(NoFix::here("the call that runs the command was not found on its line"));
    };
    let statement = statement_of(*call)?;
    let function = function_of(statement);
    if !is_on_terminal(code, root) {
        return Err(NoFix::here(
            "the program is not used on a terminal, so it could not ask the user there",
        ));
    }
    if function.is_some_and(is_async) {
        return Err(NoFix::here(
            "a question on the terminal would block the other tasks of the program",
        ));
    }
    let (shown, what) = shown(code, *call)?;
    let range = lines_of(code, statement)?;
    let q = quote(code);
    let indent = code.indent(statement.start_byte());
    let step = step_at(code, statement);
    let question = format!("input({q}Run this {what}? [y/N] {q}).strip().lower()");
    let show = format!("print({shown})\n{indent}");
    match statement.kind() {
        "expression_statement"
            if statement
                .named_child(0)
                .is_some_and(|child| child.kind() != "assignment") =>
        {
            let body = deeper(code, range.clone(), &step);
            draft.replace(
                code,
                range,
                &format!("{show}if {question} == {q}y{q}:\n{indent}{step}{body}"),
            );
        }
        "expression_statement" | "return_statement" | "if_statement" | "with_statement" => {
            let leave = leave(code, statement, function)?;
            let guard = format!("{show}if {question} != {q}y{q}:\n{indent}{step}{leave}\n{indent}");
            draft.insert(code, statement.start_byte(), &guard);
        }
        _ => {
            return Err(NoFix::here(
                "the command runs in a statement of a form that is not changed",
            ));
        }
    }
    Ok(what)
}

fn is_builtin(code: &Code, call: Node<'_>) -> bool {
    let function = call.child_by_field_name("function");
    function.is_some_and(|function| function.kind() == "identifier" && CODE.contains(&code.of_node(function)))
}

/// Whether somebody sits at a terminal: the file asks there, or is run as a script.
fn is_on_terminal(code: &Code, root: Node<'_>) -> bool {
    let asks = calls(root).into_iter().any(|call| {
        let function = call.child_by_field_name("function");
        function.is_some_and(|function| code.of_node(function) == "input")
    });
    let is_script = children(root).into_iter().any(|statement| {
        statement.kind() == "if_statement"
            && statement
                .child_by_field_name("condition")
                .is_some_and(|condition| code.of_node(condition).contains("__main__"))
    });
    let imports = descendants(root, |node| {
        matches!(node.kind(), "import_statement" | "import_from_statement")
    });
    let serves = imports.into_iter().any(|import| {
        let text = code.of_node(import);
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        words.skip(1).any(|word| {
            SERVERS
                .iter()
                .any(|server| word == *server || word.starts_with(&format!("{server}.")))
        })
    });
    (asks || is_script) && !serves
}

/// The expression that holds the command, and what it is.
fn shown<'c>(code: &'c Code, call: Node<'_>) -> Result<(&'c str, &'static str), NoFix> {
    let refused = || NoFix::here("the command is put together in the call itself, so it cannot be shown first");
    let first = arguments(call).into_iter().next().ok_or_else(refused)?;
    let what = if is_builtin(code, call) { "code" } else { "command" };
    if is_plain(first) {
        return Ok((code.of_node(first), what));
    }
    if first.kind() != "list" {
        return Err(refused());
    }
    let items = children(first);
    let varying: Vec<Node<'_>> = items
        .iter()
        .copied()
        .filter(|item| item.kind() != "string" && code.of_node(*item) != "sys.executable")
        .collect();
    let [only] = varying.as_slice() else {
        return Err(refused());
    };
    let runs_code = items.iter().any(|item| {
        let flag = code.of_node(*item).trim_matches(['"', '\'']);
        flag == "-c" || flag == "-e"
    }) && items.first().is_some_and(|program| {
        let program = code.of_node(*program);
        program.contains("python") || program == "sys.executable" || program.contains("node")
    });
    if !is_plain(*only) {
        return Err(refused());
    }
    Ok((code.of_node(*only), if runs_code { "code" } else { what }))
}

/// Whether an expression only reads a value: `answer.output_text`, `steps[0]`.
fn is_plain(expression: Node<'_>) -> bool {
    let mut at = expression;
    loop {
        let next = match at.kind() {
            "identifier" => return true,
            "attribute" => at.child_by_field_name("object"),
            "subscript" => at
                .child_by_field_name("subscript")
                .filter(|key| matches!(key.kind(), "string" | "integer" | "identifier"))
                .and_then(|_| at.child_by_field_name("value")),
            _ => None,
        };
        let Some(next) = next else { return false };
        at = next;
    }
}

/// How the place is left after a no.
fn leave(code: &Code, statement: Node<'_>, function: Option<Node<'_>>) -> Result<String, NoFix> {
    let mut at = statement;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "while_statement" | "for_statement" if parent.child_by_field_name("body") == Some(at) => {
                return Ok("continue".to_owned());
            }
            "function_definition" | "module" => break,
            _ => at = parent,
        }
    }
    let refused = || NoFix::here("what the program does after a no could not be determined");
    let function = function.ok_or_else(refused)?;
    let gives = function
        .child_by_field_name("return_type")
        .map(|kind| code.of_node(kind));
    if gives == Some("str") {
        let q = quote(code);
        return Ok(format!("return {q}The user declined.{q}"));
    }
    let body = function.child_by_field_name("body").ok_or_else(refused)?;
    let returns = descendants(body, |node| {
        node.kind() == "return_statement" && node.named_child_count() > 0 && function_of(node) == Some(function)
    });
    let is_generator = !descendants(body, |node| node.kind() == "yield").is_empty();
    if returns.is_empty() && !is_generator && matches!(gives, None | Some("None")) {
        return Ok("return".to_owned());
    }
    Err(refused())
}
