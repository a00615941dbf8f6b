//! Approval of a person before an answer runs as a command.

use engine_model::TraceKind;
use engine_syntax::tree::Node;

use super::source::{Style, arguments, behind, binding, callee_name, function_around, receiver, statement_around};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Shows a command that the model wrote, and runs it only after the user typed `y`.
    ///
    /// Only for programs that already ask on the terminal with `readline/promises` in the same function.
    ///
    /// Before:
    /// ```text cli.mjs
    /// import { execSync } from 'node:child_process';
    /// import readline from 'node:readline/promises';
    /// import OpenAI from 'openai';
    ///
    /// const client = new OpenAI();
    /// const rl = readline.createInterface({ input: process.stdin, output: process.stdout });
    ///
    /// while (true) {
    ///   const task = await rl.question('> ');
    ///   const answer = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: task });
    ///   execSync(answer.output_text, { stdio: 'inherit' });
    /// }
    /// ```
    /// After:
    /// ```text cli.mjs
    /// import { execSync } from 'node:child_process';
    /// import readline from 'node:readline/promises';
    /// import OpenAI from 'openai';
    ///
    /// const client = new OpenAI();
    /// const rl = readline.createInterface({ input: process.stdin, output: process.stdout });
    ///
    /// while (true) {
    ///   const task = await rl.question('> ');
    ///   const answer = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: task });
    ///   console.log(answer.output_text);
    ///   if ((await rl.question('Run this command? [y/N] ')).trim().toLowerCase() === 'y') {
    ///     execSync(answer.output_text, { stdio: 'inherit' });
    ///   }
    /// }
    /// ```
    SCRIPT_APPROVAL_BEFORE_COMMAND {
        id: "script-approval-before-command",
        checks: ["l4-answer-reaches-shell"],
        kind: Code,
        languages: [JavaScript, TypeScript, Tsx],
        plan: plan,
    }
}

/// Functions that run a command.
const RUNS: [&str; 5] = ["exec", "execSync", "execAsync", "execPromise", "execaCommand"];

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let other = || {
        NoFix::here(
            "the program does not ask on a terminal where it runs the command; decide who approves a command, and where",
        )
    };
    let call = site.call().ok_or_else(other)?;
    let sinks = call.traced(TraceKind::RunsAnswer).map_or(&[][..], |trace| &trace.chain);
    let [sink] = sinks else { return Err(other()) };
    let (Some(file), Some(line)) = (sink.file.as_deref(), sink.line) else {
        return Err(other());
    };
    let code = site.code(file)?;
    let root = code.root()?;
    let running = descendants(root, |node| {
        node.kind() == "call_expression"
            && RUNS.contains(&callee_name(&code, node))
            && code.line_of(node.start_byte()) == line
    });
    let [run] = running.as_slice() else { return Err(other()) };
    ask(&code, *run, draft)?;
    draft.describe("Shows the command and runs it only after the user typed `y`.");
    draft.manual("Check the question, and decide whether the user can judge the commands.");
    Ok(())
}

fn ask(code: &Code, run: Node<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let style = Style::of(code)?;
    let statement = statement_around(run).filter(|statement| {
        let whole = children(*statement).first().copied();
        let bare = whole.map(|whole| match whole.kind() {
            "await_expression" => children(whole).first().copied().unwrap_or(whole),
            _ => whole,
        });
        statement.kind() == "expression_statement" && bare.is_some_and(|bare| bare.id() == run.id())
    });
    let statement = statement.ok_or_else(|| {
        NoFix::here(
            "the program goes on with the result of the command; decide by hand what happens when it is not approved",
        )
    })?;
    let command = arguments(run).first().copied().filter(|command| {
        let simple = matches!(command.kind(), "identifier" | "member_expression");
        simple && descendants(*command, |node| node.kind() == "call_expression").is_empty()
    });
    let command =
        command.ok_or_else(|| NoFix::here("the command is put together where it runs; keep it under a name first"))?;
    let terminal = terminal(code, statement).ok_or_else(|| {
        NoFix::here("the program does not ask on a terminal where it runs the command; decide who approves a command, and where")
    })?;
    let spans =
        |node: Node<'_>| matches!(node.kind(), "template_string" | "comment") && code.of_node(node).contains('\n');
    if !descendants(statement, spans).is_empty() {
        return Err(NoFix::here("the statement contains a string over several lines"));
    }
    let end = behind(code, statement)?;
    let (start, indent) = (statement.start_byte(), code.indent(statement.start_byte()));
    if code
        .text
        .get(code.line_start(start)..start)
        .is_some_and(|before| !before.trim().is_empty())
    {
        return Err(NoFix::here("other code is on the line of the statement"));
    }
    let (unit, stop) = (&style.unit, style.end);
    let text = code.of_node(command);
    let shown = descendants(statement.parent().unwrap_or(statement), |node| {
        node.kind() == "call_expression"
            && node.end_byte() <= start
            && receiver(node).is_some_and(|object| code.of_node(object) == "console")
            && arguments(node).iter().any(|argument| code.of_node(*argument) == text)
    });
    let show = if shown.is_empty() {
        format!("console.log({text}){stop}\n{indent}")
    } else {
        String::new()
    };
    let question = style.text("Run this command? [y/N] ");
    let yes = style.text("y");
    let body = code
        .indented(start..end, unit)
        .ok_or_else(|| NoFix::here("the statement was not found in the file"))?
        .replace("\r\n", "\n");
    draft.replace(
        code,
        start..end,
        &format!(
            "{show}if ((await {terminal}.question({question})).trim().toLowerCase() === {yes}) {{\n{indent}{unit}{body}\n{indent}}}"
        ),
    );
    Ok(())
}

/// The interface with which a function asked on the terminal before a statement, and which is still open.
fn terminal<'c>(code: &'c Code, statement: Node<'c>) -> Option<&'c str> {
    let home = function_around(statement).map(|function| function.id());
    let whole = around(statement, &["program"])?;
    let here = descendants(whole, |node| {
        node.kind() == "call_expression"
            && node.end_byte() <= statement.start_byte()
            && function_around(node).map(|function| function.id()) == home
    });
    let asked = here.iter().copied().rfind(|call| {
        callee_name(code, *call) == "question"
            && call.parent().is_some_and(|parent| parent.kind() == "await_expression")
            && receiver(*call).is_some_and(|object| object.kind() == "identifier")
    })?;
    let object = receiver(asked)?;
    let name = code.of_node(object);
    let (own, there) = (binding(code, name, object)?, binding(code, name, statement)?);
    let closed = here.iter().any(|call| {
        callee_name(code, *call) == "close" && receiver(*call).is_some_and(|object| code.of_node(object) == name)
    });
    let promises = code.text.contains("readline/promises");
    (own.node.id() == there.node.id() && !closed && promises).then_some(name)
}
