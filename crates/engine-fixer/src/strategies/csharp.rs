//! Model calls in C#: failures that nothing logs, and calls without a log line.

use std::ops::Range;

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    ANSWERED, CALLED, DECIDE, FAILED, Fix, Guard, Shape, UNUSABLE, children_of, fix_calls, free_name,
    has_text_over_lines, is_conditional, is_named, is_rethrow_of, lines_of, manifest_has, node_of, refused,
    rest_of_block, statement_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

mod loggers;
#[cfg(test)]
mod tests;

use loggers::logger;

declare_strategy! {
    /// Logs a failure of a model call and throws it again.
    ///
    /// Before:
    /// ```text Controllers/ChatController.cs
    /// using Microsoft.AspNetCore.Mvc;
    /// using Microsoft.Extensions.Logging;
    /// using OpenAI.Chat;
    ///
    /// namespace Desk.Controllers;
    ///
    /// [ApiController]
    /// [Route("chat")]
    /// public class ChatController : ControllerBase
    /// {
    ///     private readonly ChatClient _client;
    ///     private readonly ILogger<ChatController> _logger;
    ///
    ///     public ChatController(ChatClient client, ILogger<ChatController> logger)
    ///     {
    ///         _client = client;
    ///         _logger = logger;
    ///     }
    ///
    ///     [HttpPost]
    ///     public async Task<IActionResult> Post([FromBody] string question)
    ///     {
    ///         ChatCompletion completion = await _client.CompleteChatAsync(question);
    ///         return Ok(completion.Content[0].Text);
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text Controllers/ChatController.cs
    /// using Microsoft.AspNetCore.Mvc;
    /// using Microsoft.Extensions.Logging;
    /// using OpenAI.Chat;
    ///
    /// namespace Desk.Controllers;
    ///
    /// [ApiController]
    /// [Route("chat")]
    /// public class ChatController : ControllerBase
    /// {
    ///     private readonly ChatClient _client;
    ///     private readonly ILogger<ChatController> _logger;
    ///
    ///     public ChatController(ChatClient client, ILogger<ChatController> logger)
    ///     {
    ///         _client = client;
    ///         _logger = logger;
    ///     }
    ///
    ///     [HttpPost]
    ///     public async Task<IActionResult> Post([FromBody] string question)
    ///     {
    ///         ChatCompletion completion;
    ///         try
    ///         {
    ///             completion = await _client.CompleteChatAsync(question);
    ///         }
    ///         catch (Exception ex)
    ///         {
    ///             _logger.LogError(ex, "The call to the AI model failed");
    ///             throw;
    ///         }
    ///         return Ok(completion.Content[0].Text);
    ///     }
    /// }
    /// ```
    /// Before:
    /// ```text Program.cs
    /// using OpenAI.Chat;
    ///
    /// var builder = WebApplication.CreateBuilder(args);
    /// builder.Services.AddSingleton(new ChatClient("gpt-4.1-2025-04-14", "x"));
    /// var app = builder.Build();
    ///
    /// app.MapPost("/chat", async (string question, ChatClient client) =>
    /// {
    ///     var completion = await client.CompleteChatAsync(question);
    ///     return Results.Ok(new { reply = completion.Value.Content[0].Text });
    /// });
    ///
    /// app.Run();
    /// ```
    /// After:
    /// ```text Program.cs
    /// using OpenAI.Chat;
    ///
    /// var builder = WebApplication.CreateBuilder(args);
    /// builder.Services.AddSingleton(new ChatClient("gpt-4.1-2025-04-14", "x"));
    /// var app = builder.Build();
    ///
    /// app.MapPost("/chat", async (string question, ChatClient client) =>
    /// {
    ///     try
    ///     {
    ///         var completion = await client.CompleteChatAsync(question);
    ///         return Results.Ok(new { reply = completion.Value.Content[0].Text });
    ///     }
    ///     catch (Exception ex)
    ///     {
    ///         app.Logger.LogError(ex, "No usable answer from the AI model");
    ///         throw;
    ///     }
    /// });
    ///
    /// app.Run();
    /// ```
    /// Before:
    /// ```text Desk/AiController.cs
    /// using System;
    /// using System.Threading;
    /// using System.Threading.Tasks;
    /// using Microsoft.AspNetCore.Mvc;
    /// using Microsoft.Extensions.AI;
    /// using Microsoft.Extensions.Logging;
    ///
    /// namespace Desk
    /// {
    ///     public class AiController(IChatClient chatClient, ILogger<AiController> logger) : ControllerBase
    ///     {
    ///         [HttpPost("/chat")]
    ///         public async Task<ChatResponse> AskAsync(string question, CancellationToken cancellationToken)
    ///         {
    ///             return await chatClient.GetResponseAsync(question, cancellationToken: cancellationToken);
    ///         }
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text Desk/AiController.cs
    /// using System;
    /// using System.Threading;
    /// using System.Threading.Tasks;
    /// using Microsoft.AspNetCore.Mvc;
    /// using Microsoft.Extensions.AI;
    /// using Microsoft.Extensions.Logging;
    ///
    /// namespace Desk
    /// {
    ///     public class AiController(IChatClient chatClient, ILogger<AiController> logger) : ControllerBase
    ///     {
    ///         [HttpPost("/chat")]
    ///         public async Task<ChatResponse> AskAsync(string question, CancellationToken cancellationToken)
    ///         {
    ///             try
    ///             {
    ///                 return await chatClient.GetResponseAsync(question, cancellationToken: cancellationToken);
    ///             }
    ///             catch (Exception ex) when (ex is not OperationCanceledException)
    ///             {
    ///                 logger.LogError(ex, "The call to the AI model failed");
    ///                 throw;
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    CSHARP_ERROR_HANDLING {
        id: "csharp-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [CSharp],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call with the model and the id, never the prompt or the answer.
    ///
    /// Before:
    /// ```text Controllers/ChatController.cs
    /// using Microsoft.AspNetCore.Mvc;
    /// using Microsoft.Extensions.AI;
    /// using Microsoft.Extensions.Logging;
    ///
    /// namespace Desk.Controllers;
    ///
    /// public class ChatController(IChatClient chatClient, ILogger<ChatController> logger) : ControllerBase
    /// {
    ///     [HttpPost("/chat")]
    ///     public async Task<string> Ask(string question)
    ///     {
    ///         var response = await chatClient.GetResponseAsync(question);
    ///         return response.Text;
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text Controllers/ChatController.cs
    /// using Microsoft.AspNetCore.Mvc;
    /// using Microsoft.Extensions.AI;
    /// using Microsoft.Extensions.Logging;
    ///
    /// namespace Desk.Controllers;
    ///
    /// public class ChatController(IChatClient chatClient, ILogger<ChatController> logger) : ControllerBase
    /// {
    ///     [HttpPost("/chat")]
    ///     public async Task<string> Ask(string question)
    ///     {
    ///         var response = await chatClient.GetResponseAsync(question);
    ///         logger.LogInformation("The AI model answered: {Model}, {Id}", response.ModelId, response.ResponseId);
    ///         return response.Text;
    ///     }
    /// }
    /// ```
    CSHARP_INTERACTION_LOG {
        id: "csharp-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [CSharp],
        plan: log_calls,
    }
}

const SHAPE: Shape = Shape {
    blocks: &["block", "switch_section", "global_statement"],
    functions: &[
        "lambda_expression",
        "anonymous_method_expression",
        "method_declaration",
        "constructor_declaration",
        "local_function_statement",
        "arrow_expression_clause",
        "declaration_list",
    ],
    comments: &["//"],
};

const FUNCTIONS: [&str; 5] = [
    "lambda_expression",
    "anonymous_method_expression",
    "method_declaration",
    "constructor_declaration",
    "local_function_statement",
];

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs and throws again a failure of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

fn handled(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    let mut fix = Fix {
        manual: vec![DECIDE.to_owned()],
        ..Fix::default()
    };
    let log = logger(site, code, statement, true)?;
    if let Some((at, error)) = bare_rethrow(code, statement) {
        lines_of(code, at, at, &SHAPE)?;
        let indent = code.indent(at.start_byte()).to_owned();
        fix.insert(at.start_byte(), format!("{}\n{indent}", log.error(FAILED, &error)));
        return Ok(fix);
    }
    is_awaited(code, node, statement)?;
    let scope = around(
        statement,
        &["method_declaration", "constructor_declaration", "compilation_unit"],
    )
    .unwrap_or(statement);
    let name = free_name(code, scope, &["ex", "exception", "error"])?;
    let system = system(site, code);
    let filter = if cancels(code, statement) {
        format!(" when ({name} is not {system}OperationCanceledException)")
    } else {
        String::new()
    };
    let catch = format!("catch ({system}Exception {name}){filter}");
    let lines = |message| [log.error(message, name), "throw;".to_owned()];
    let own_lines = opens_on_own_line(code, statement);
    let guarded = |range: Range<usize>, message| {
        Guard {
            catch: &catch,
            lines: &lines(message),
            own_lines,
        }
        .around(code, range)
    };
    declares_nothing(statement)?;
    let mut last = statement;
    match statement.kind() {
        "return_statement" | "expression_statement" => {
            let range = lines_of(code, statement, statement, &SHAPE)?;
            let text = guarded(range.clone(), FAILED)?;
            fix.replace(range, text);
        }
        "foreach_statement" => {
            if !descendants(statement, |at| at.kind() == "yield_statement").is_empty() {
                return refused("a `yield` cannot be in a `try` with a handler");
            }
            let range = lines_of(code, statement, statement, &SHAPE)?;
            let text = guarded(range.clone(), UNUSABLE)?;
            fix.replace(range, text);
        }
        "local_declaration_statement" => {
            if ["using", "await using", "const"]
                .iter()
                .any(|word| code.of_node(statement).starts_with(word))
            {
                return refused("the variable is disposed of at the end of the block");
            }
            let declaration = children_of(statement, &["variable_declaration"])
                .into_iter()
                .next()
                .ok_or(NoFix::Unparsed)?;
            let declarators = children_of(declaration, &["variable_declarator"]);
            let [declarator] = declarators.as_slice() else {
                return refused("the statement declares more than one variable");
            };
            let kind = declaration.child_by_field_name("type").ok_or(NoFix::Unparsed)?;
            let in_block = statement.parent().is_some_and(|parent| parent.kind() == "block");
            let rest = rest_of_block(statement, &["local_declaration_statement", "return_statement"]);
            let known = known_type(code, call, *declarator);
            if code.of_node(kind) == "var" && (known.is_none() || in_block && rest.is_ok()) {
                if !in_block {
                    return refused("the type of the variable is not written");
                }
                last = rest?;
                let range = lines_of(code, statement, last, &SHAPE)?;
                let text = guarded(range.clone(), UNUSABLE)?;
                fix.replace(range, text);
            } else {
                let variable = declarator.child_by_field_name("name").ok_or(NoFix::Unparsed)?;
                if code.of_node(kind).starts_with("Task") || code.of_node(kind).starts_with("ValueTask") {
                    return refused("the call is not awaited here");
                }
                if code.of_node(kind).starts_with("ref") {
                    return refused("the variable is a reference");
                }
                let range = lines_of(code, statement, statement, &SHAPE)?;
                let indent = code.indent(statement.start_byte()).to_owned();
                let unit = code.indent_unit();
                let written = code
                    .text
                    .get(statement.start_byte()..variable.start_byte())
                    .unwrap_or("")
                    .trim_end();
                let head = if written == "var" {
                    known.unwrap_or(written)
                } else {
                    written
                };
                let body = code
                    .indented(variable.start_byte()..range.end, &unit)
                    .ok_or(NoFix::Gone)?;
                let text = Guard {
                    catch: &catch,
                    lines: &lines(FAILED),
                    own_lines,
                }
                .text(&indent, &unit, &body);
                fix.replace(range, format!("{head} {};\n{indent}{text}", code.of_node(variable)));
            }
        }
        _ => return refused("the call is in the head of a statement, such as a condition or a loop"),
    }
    // A raw string keeps its text: all of its lines move alike.
    let mut at = Some(statement);
    while let Some(node) = at {
        if has_text_over_lines(node, &["raw_string_literal"]) {
            return refused("the statement contains a string over several lines");
        }
        at = if node == last { None } else { node.next_named_sibling() };
    }
    fix.cover(statement);
    Ok(fix)
}

/// The type that a call of a known client gives, where the file can name it.
fn known_type(code: &Code, call: &Call, declarator: Node<'_>) -> Option<&'static str> {
    let has = |namespace: &str| code.text.contains(&format!("using {namespace};"));
    let value = children(declarator)
        .into_iter()
        .last()
        .filter(|value| value.kind() == "await_expression")?;
    let invoked = children(value)
        .into_iter()
        .next()?
        .child_by_field_name("function")?
        .child_by_field_name("name")?;
    let method = code.of_node(invoked);
    if call.symbol.starts_with("Microsoft.Extensions.AI.IChatClient") && method == "GetResponseAsync" {
        // The OpenAI library has a type of this name as well.
        return (has("Microsoft.Extensions.AI") && !has("OpenAI.Responses")).then_some("ChatResponse");
    }
    let is_openai = call.symbol.starts_with("OpenAI.Chat.ChatClient") && method == "CompleteChatAsync";
    (is_openai && has("System.ClientModel") && has("OpenAI.Chat")).then_some("ClientResult<ChatCompletion>")
}

/// The `throw` of a handler around a statement that does nothing else, with the name of what it caught.
fn bare_rethrow<'t>(code: &Code, statement: Node<'t>) -> Option<(Node<'t>, String)> {
    let mut at = statement;
    while let Some(parent) = at.parent() {
        if FUNCTIONS.contains(&parent.kind()) {
            return None;
        }
        if parent.kind() == "try_statement" && parent.child_by_field_name("body") == Some(at) {
            for clause in children_of(parent, &["catch_clause"]) {
                let body = children(clause.child_by_field_name("body")?);
                let Some(caught) = children_of(clause, &["catch_declaration"]).into_iter().next() else {
                    continue;
                };
                let Some(name) = caught.child_by_field_name("name") else {
                    continue;
                };
                let kind = caught.child_by_field_name("type").map_or("", |kind| code.of_node(kind));
                if let [only] = body.as_slice()
                    && only.kind() == "throw_statement"
                    && is_rethrow_of(kind)
                {
                    return Some((*only, code.of_node(name).to_owned()));
                }
            }
        }
        at = parent;
    }
    None
}

/// Refuses a call whose failure comes after the statement is done.
fn is_awaited(code: &Code, node: Node<'_>, statement: Node<'_>) -> Result<(), NoFix> {
    let text = code.of_node(statement);
    if ["await ", ".GetAwaiter().GetResult()", ".Result", ".Wait()"]
        .iter()
        .any(|wait| text.contains(wait))
    {
        return Ok(());
    }
    let mut at = node;
    while let Some(parent) = at.parent().filter(|_| at != statement) {
        if at.kind() == "invocation_expression"
            && let Some(name) = at
                .child_by_field_name("function")
                .and_then(|function| function.child_by_field_name("name"))
            && code.of_node(name).ends_with("Async")
        {
            return refused("the call is not awaited here");
        }
        at = parent;
    }
    let returned = around(statement, &FUNCTIONS)
        .and_then(|function| function.child_by_field_name("returns"))
        .map_or("", |kind| code.of_node(kind));
    let is_task = ["Task", "ValueTask", "IAsyncEnumerable"]
        .iter()
        .any(|kind| returned.starts_with(kind));
    let in_lambda = around(statement, &FUNCTIONS).is_some_and(|function| function.kind() == "lambda_expression");
    if is_task || in_lambda {
        return refused("the call is not awaited here");
    }
    Ok(())
}

/// Refuses a statement that declares variables inside of an expression: they are used after it.
fn declares_nothing(statement: Node<'_>) -> Result<(), NoFix> {
    let declared = descendants(statement, |at| {
        matches!(
            at.kind(),
            "declaration_expression" | "declaration_pattern" | "recursive_pattern" | "var_pattern" | "tuple_pattern"
        )
    });
    if declared.is_empty() || matches!(statement.kind(), "foreach_statement" | "return_statement") {
        Ok(())
    } else {
        refused("the statement declares variables inside of an expression")
    }
}

/// Whether a statement is handed something by which it can be cancelled.
fn cancels(code: &Code, statement: Node<'_>) -> bool {
    let mut at = around(statement, &FUNCTIONS);
    while let Some(function) = at {
        let list = function
            .child_by_field_name("parameters")
            .map(children)
            .unwrap_or_default();
        for parameter in list {
            let is_token = parameter
                .child_by_field_name("type")
                .is_some_and(|kind| code.of_node(kind).starts_with("CancellationToken"));
            if is_token
                && let Some(name) = parameter.child_by_field_name("name")
                && is_named(code, statement, code.of_node(name))
            {
                return true;
            }
        }
        at = function.parent().and_then(|parent| around(parent, &FUNCTIONS));
    }
    false
}

/// What stands before a type of the namespace `System`: nothing where it is imported.
fn system(site: &Site<'_>, code: &Code) -> &'static str {
    let imported = code.text.contains("using System;")
        || code.text.contains("catch (Exception")
        || code.text.contains("new Exception(");
    // Files that leave out usual imports get them from the project.
    let has = |namespace: &str| code.text.contains(&format!("using {namespace};"));
    let implied = code.text.contains("Task") && !has("System.Threading.Tasks")
        || code.text.contains("WebApplication.CreateBuilder") && !has("Microsoft.AspNetCore.Builder");
    if imported
        || implied
        || manifest_has(
            site,
            code,
            &["*.csproj", "Directory.Build.props"],
            "<ImplicitUsings>enable",
        )
    {
        ""
    } else {
        "System."
    }
}

/// Whether braces have a line of their own around a statement.
fn opens_on_own_line(code: &Code, statement: Node<'_>) -> bool {
    let mut own: i32 = 0;
    for line in code.text.lines() {
        let line = line.trim();
        if line == "{" {
            own += 1;
        } else if line.ends_with(") {") || line.ends_with("try {") || line.ends_with("else {") {
            own -= 1;
        }
    }
    let block = around(statement, &["block"]);
    let alone = block
        .map(|block| code.indent(block.start_byte()).len() + code.line_start(block.start_byte()) == block.start_byte());
    own > 0 || own == 0 && alone != Some(false)
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    let log = logger(site, code, statement, false)?;
    let mut fix = Fix {
        safe: true,
        ..Fix::default()
    };
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(statement.start_byte()).to_owned();
    let fields = answer(code, statement, call).unwrap_or_default();
    if fields.is_empty() {
        if is_conditional(code, node, statement) || statement.kind() == "switch_section" {
            return refused("the call runs only on a condition");
        }
        if !matches!(
            statement.kind(),
            "local_declaration_statement" | "expression_statement" | "return_statement" | "foreach_statement"
        ) {
            return refused("the call is in the head of a statement, such as a condition or a loop");
        }
        fix.insert(range.start, format!("{}\n{indent}", log.info(CALLED, &[])));
    } else {
        fix.insert(range.end, format!("\n{indent}{}", log.info(ANSWERED, &fields)));
    }
    fix.cover_block(statement);
    Ok(fix)
}

/// What the answer of a known client says about the call.
fn answer(code: &Code, statement: Node<'_>, call: &Call) -> Option<Vec<(&'static str, String)>> {
    let declaration = children_of(statement, &["variable_declaration"]).into_iter().next()?;
    let kind = code.of_node(declaration.child_by_field_name("type")?);
    let declarators = children_of(declaration, &["variable_declarator"]);
    let [declarator] = declarators.as_slice() else {
        return None;
    };
    let name = code.of_node(declarator.child_by_field_name("name")?);
    let value = children(*declarator).into_iter().last()?;
    let value = match value.kind() {
        "await_expression" => children(value).into_iter().next()?,
        _ => value,
    };
    let method = code.of_node(value.child_by_field_name("function")?.child_by_field_name("name")?);
    let symbol = call.symbol.as_str();
    if symbol.rsplit('.').next() != Some(method) {
        return None;
    }
    if symbol.starts_with("Microsoft.Extensions.AI.IChatClient") && method == "GetResponseAsync" {
        return Some(vec![
            ("Model", format!("{name}.ModelId")),
            ("Id", format!("{name}.ResponseId")),
        ]);
    }
    if symbol.starts_with("OpenAI.Chat.ChatClient") && matches!(method, "CompleteChat" | "CompleteChatAsync") {
        let of = match kind {
            "ChatCompletion" => name.to_owned(),
            "var" => format!("{name}.Value"),
            _ => return None,
        };
        return Some(vec![("Model", format!("{of}.Model")), ("Id", format!("{of}.Id"))]);
    }
    None
}
