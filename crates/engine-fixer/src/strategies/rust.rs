//! Model calls in Rust: results that end in a panic, and calls without a log line.

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    ANSWERED, CALLED, Fix, Shape, fix_calls, is_conditional, lines_of, node_of, refused, statement_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

#[cfg(test)]
mod tests;

declare_strategy! {
    /// Passes on the error of a model call that ends in a panic.
    ///
    /// Only in functions whose error type takes every error, such as `anyhow::Result` or `Box<dyn Error>`.
    ///
    /// Before:
    /// ```text src/main.rs
    /// use anyhow::Result;
    /// use async_openai::Client;
    /// use async_openai::types::CreateChatCompletionRequestArgs;
    ///
    /// #[tokio::main]
    /// async fn main() -> Result<()> {
    ///     let client = Client::new();
    ///     let request = CreateChatCompletionRequestArgs::default().model("gpt-4.1-2025-04-14").build()?;
    ///     let response = client.chat().create(request).await.unwrap();
    ///     println!("{:?}", response.choices.first());
    ///     Ok(())
    /// }
    /// ```
    /// After:
    /// ```text src/main.rs
    /// use anyhow::Result;
    /// use async_openai::Client;
    /// use async_openai::types::CreateChatCompletionRequestArgs;
    ///
    /// #[tokio::main]
    /// async fn main() -> Result<()> {
    ///     let client = Client::new();
    ///     let request = CreateChatCompletionRequestArgs::default().model("gpt-4.1-2025-04-14").build()?;
    ///     let response = client.chat().create(request).await?;
    ///     println!("{:?}", response.choices.first());
    ///     Ok(())
    /// }
    /// ```
    /// Before:
    /// ```text src/main.rs
    /// use anyhow::{Context, Result};
    /// use async_openai::Client;
    /// use async_openai::types::CreateChatCompletionRequestArgs;
    ///
    /// #[tokio::main]
    /// async fn main() -> Result<()> {
    ///     let client = Client::new();
    ///     let request = CreateChatCompletionRequestArgs::default().model("gpt-4.1-2025-04-14").build().context("request")?;
    ///     let response = client
    ///         .chat()
    ///         .create(request)
    ///         .await
    ///         .expect("no answer");
    ///     println!("{:?}", response.choices.first());
    ///     Ok(())
    /// }
    /// ```
    /// After:
    /// ```text src/main.rs
    /// use anyhow::{Context, Result};
    /// use async_openai::Client;
    /// use async_openai::types::CreateChatCompletionRequestArgs;
    ///
    /// #[tokio::main]
    /// async fn main() -> Result<()> {
    ///     let client = Client::new();
    ///     let request = CreateChatCompletionRequestArgs::default().model("gpt-4.1-2025-04-14").build().context("request")?;
    ///     let response = client
    ///         .chat()
    ///         .create(request)
    ///         .await
    ///         .context("no answer")?;
    ///     println!("{:?}", response.choices.first());
    ///     Ok(())
    /// }
    /// ```
    RUST_ERROR_HANDLING {
        id: "rust-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Rust],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call with the model and the id, never the prompt or the answer.
    ///
    /// Before:
    /// ```text
    /// //- Cargo.toml
    /// [package]
    /// name = "desk"
    ///
    /// [dependencies]
    /// anyhow = "1"
    /// async-openai = "0.30"
    /// axum = "0.8"
    /// tokio = "1"
    /// tracing = "0.1"
    /// //- src/main.rs
    /// use anyhow::Result;
    /// use async_openai::Client;
    /// use async_openai::types::CreateChatCompletionRequestArgs;
    /// use axum::{Json, Router, routing::post};
    ///
    /// async fn ask(question: &str) -> Result<String> {
    ///     let client = Client::new();
    ///     let request = CreateChatCompletionRequestArgs::default().model("gpt-4.1-2025-04-14").user(question).build()?;
    ///     let response = client.chat().create(request).await?;
    ///     Ok(response.choices[0].message.content.clone().unwrap_or_default())
    /// }
    ///
    /// async fn chat(body: String) -> Json<String> {
    ///     Json(ask(&body).await.unwrap_or_default())
    /// }
    ///
    /// #[tokio::main]
    /// async fn main() {
    ///     let app = Router::new().route("/chat", post(chat));
    ///     let listener = tokio::net::TcpListener::bind("0.0.0.0:3000").await.unwrap();
    ///     axum::serve(listener, app).await.unwrap();
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/main.rs
    /// use anyhow::Result;
    /// use async_openai::Client;
    /// use async_openai::types::CreateChatCompletionRequestArgs;
    /// use axum::{Json, Router, routing::post};
    ///
    /// async fn ask(question: &str) -> Result<String> {
    ///     let client = Client::new();
    ///     let request = CreateChatCompletionRequestArgs::default().model("gpt-4.1-2025-04-14").user(question).build()?;
    ///     let response = client.chat().create(request).await?;
    ///     tracing::info!(model = %response.model, id = %response.id, "The AI model answered");
    ///     Ok(response.choices[0].message.content.clone().unwrap_or_default())
    /// }
    ///
    /// async fn chat(body: String) -> Json<String> {
    ///     Json(ask(&body).await.unwrap_or_default())
    /// }
    ///
    /// #[tokio::main]
    /// async fn main() {
    ///     let app = Router::new().route("/chat", post(chat));
    ///     let listener = tokio::net::TcpListener::bind("0.0.0.0:3000").await.unwrap();
    ///     axum::serve(listener, app).await.unwrap();
    /// }
    /// ```
    RUST_INTERACTION_LOG {
        id: "rust-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Rust],
        plan: log_calls,
    }
}

const SHAPE: Shape = Shape {
    blocks: &["block"],
    functions: &["function_item", "closure_expression"],
    comments: &["//"],
};

const FUNCTIONS: [&str; 3] = ["function_item", "closure_expression", "async_block"];

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Passes on the error of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

/// The panic at the end of a chain: its call, and the chain before it.
fn panicking<'t>(code: &Code, node: Node<'t>) -> Option<(Node<'t>, Node<'t>, String)> {
    let mut at = node;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "field_expression" => {
                let name = parent
                    .child_by_field_name("field")
                    .map_or("", |name| code.of_node(name));
                if parent.child_by_field_name("value") == Some(at) && matches!(name, "unwrap" | "expect") {
                    let call = parent.parent().filter(|call| call.kind() == "call_expression")?;
                    return Some((call, at, name.to_owned()));
                }
            }
            "call_expression" if parent.child_by_field_name("function") != Some(at) => return None,
            "call_expression" | "await_expression" | "scoped_identifier" | "generic_function" => {}
            _ => return None,
        }
        at = parent;
    }
    None
}

/// What a function makes of an error.
enum Takes {
    /// A report of `anyhow` or `eyre`.
    Report,
    /// Any error.
    Any,
    /// Errors of one type for which the file has a conversion.
    Converts,
}

fn takes(code: &Code, function: Node<'_>, call: &Call) -> Option<Takes> {
    if function.kind() != "function_item" {
        return None;
    }
    let returned = code
        .of_node(function.child_by_field_name("return_type")?)
        .replace(' ', "");
    let uses = |path: &str| code.text.contains(path);
    for library in ["anyhow", "eyre"] {
        let by_path = returned.starts_with(&format!("{library}::Result<"))
            || library == "eyre" && returned.starts_with("color_eyre::");
        let one = returned.starts_with("Result<")
            && !returned.trim_start_matches("Result").contains(">,")
            && arguments(&returned) == 1;
        if by_path && arguments(&returned) == 1 || one && is_imported(code, library) {
            return Some(Takes::Report);
        }
        if returned.ends_with(&format!(",{library}::Error>")) {
            return Some(Takes::Report);
        }
    }
    if returned.contains("Result<")
        && returned.contains(",Box<dyn")
        && returned.contains("Error")
        && returned.ends_with(">>")
    {
        return Some(Takes::Any);
    }
    let error = last_argument(&returned)?;
    let source = if call.symbol.starts_with("async_openai.") {
        "OpenAIError"
    } else if call.symbol.starts_with("reqwest.") {
        "reqwest::Error"
    } else {
        return None;
    };
    if error == source || error == format!("async_openai::error::{source}") {
        return Some(Takes::Converts);
    }
    let converts = uses(&format!("impl From<{source}> for {error}"));
    converts.then_some(Takes::Converts)
}

/// The number of type arguments of a type.
fn arguments(text: &str) -> usize {
    let Some((_, rest)) = text.split_once('<') else {
        return 0;
    };
    let mut depth: i32 = 0;
    let mut count = 1;
    for c in rest.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    count
}

/// The last of two type arguments.
fn last_argument(text: &str) -> Option<String> {
    if arguments(text) != 2 || !text.contains("Result<") {
        return None;
    }
    let inner = text.strip_suffix('>')?;
    let mut depth: i32 = 0;
    for (at, c) in inner.char_indices().rev() {
        match c {
            '>' | ')' | ']' => depth += 1,
            '<' | '(' | '[' => depth -= 1,
            ',' if depth == 0 => return inner.get(at + 1..).map(str::to_owned),
            _ => {}
        }
    }
    None
}

/// Whether `Result` of a file is that of a library.
fn is_imported(code: &Code, library: &str) -> bool {
    let Ok(root) = code.root() else { return false };
    descendants(root, |at| at.kind() == "use_declaration").iter().any(|at| {
        let text: String = code.of_node(*at).chars().filter(|c| !c.is_whitespace()).collect();
        let names = [
            format!("use{library}::"),
            format!("usecolor_{library}::{library}::"),
            format!("usecolor_{library}::"),
        ];
        names.iter().any(|name| {
            text.strip_prefix(name.as_str()).is_some_and(|rest| {
                rest.trim_end_matches(';')
                    .trim_matches(['{', '}'])
                    .split(',')
                    .any(|part| part == "Result" || part == "*")
            })
        })
    })
}

fn handled(_site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let Some((panic, chain, name)) = panicking(code, node) else {
        return refused("the result of the call ends in no `unwrap` or `expect`");
    };
    let function = around(node, &FUNCTIONS).ok_or_else(|| NoFix::here("the call is in no function"))?;
    let takes = takes(code, function, call).ok_or_else(|| {
        NoFix::here("the function around the call does not return an error that takes this one for certain")
    })?;
    let mut fix = Fix::default();
    let message = panic
        .child_by_field_name("arguments")
        .map(children)
        .unwrap_or_default()
        .first()
        .map(|message| code.of_node(*message).to_owned());
    let has_context = code.text.contains("Context") && code.text.contains(".context(");
    let dot = code
        .text
        .get(chain.end_byte()..panic.end_byte())
        .and_then(|rest| rest.find('.'))
        .unwrap_or(0);
    match (takes, message) {
        (Takes::Report, Some(message)) if name == "expect" && has_context => {
            fix.replace(
                chain.end_byte() + dot..panic.end_byte(),
                format!(".context({message})?"),
            );
        }
        _ => fix.replace(chain.end_byte()..panic.end_byte(), "?"),
    }
    fix.manual
        .push("The function now returns the error instead of a panic. Check what its callers do with it.".to_owned());
    Ok(fix)
}

/// The macro of the logger that a file can name.
fn logger(site: &Site<'_>, code: &Code) -> Option<(String, bool)> {
    let uses = |path: &str| code.text.contains(path);
    for library in ["tracing", "log"] {
        let imported = uses(&format!("use {library}::info;"))
            || code.text.lines().any(|line| {
                let line = line.trim();
                line.starts_with(&format!("use {library}::{{"))
                    && line.split(['{', '}', ',', ' ']).any(|part| part == "info")
            });
        if imported {
            return Some(("info".to_owned(), library == "tracing"));
        }
        if uses(&format!("{library}::info!("))
            || uses(&format!("{library}::error!("))
            || uses(&format!("{library}::warn!("))
        {
            return Some((format!("{library}::info"), library == "tracing"));
        }
    }
    // The manifest of the crate, or of the workspace member that the file is in.
    let mut folder = code.path.as_str();
    loop {
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = if folder.is_empty() {
            "Cargo.toml".to_owned()
        } else {
            format!("{folder}/Cargo.toml")
        };
        if site.has(&path) {
            let manifest = site.code(&path).ok()?;
            let mut section = "";
            for line in manifest.text.lines() {
                let line = line.trim();
                if line.starts_with('[') {
                    section = line;
                }
                for library in ["tracing", "log"] {
                    let is_it = line
                        .strip_prefix(library)
                        .is_some_and(|rest| rest.trim_start().starts_with('=') || rest.starts_with(".workspace"));
                    if section == "[dependencies]" && is_it && !line.contains("optional") {
                        return Some((format!("{library}::info"), library == "tracing"));
                    }
                }
            }
            return None;
        }
        if folder.is_empty() {
            return None;
        }
    }
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let Some((log, has_fields)) = logger(site, code) else {
        return refused("the crate depends on neither `tracing` nor `log`; choose one first");
    };
    let statement = statement_of(node, &SHAPE)?;
    if is_conditional(code, node, statement) {
        return refused("the call runs only on a condition");
    }
    if !matches!(
        statement.kind(),
        "let_declaration" | "expression_statement" | "call_expression" | "try_expression" | "await_expression"
    ) {
        return refused("the call is in the head of a statement, such as a condition or a loop");
    }
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(range.start).to_owned();
    let mut fix = Fix {
        safe: true,
        ..Fix::default()
    };
    // The answer of this client names the model and has an id.
    let answer = statement
        .child_by_field_name("pattern")
        .filter(|pattern| pattern.kind() == "identifier" && statement.kind() == "let_declaration")
        .map(|pattern| code.of_node(pattern).to_owned());
    let value = statement
        .child_by_field_name("value")
        .map_or("", |value| code.of_node(value));
    let is_known = call.symbol.starts_with("async_openai.") && call.symbol.ends_with(".chat().create");
    let is_answer = value.ends_with(".await?") || value.ends_with(".await.unwrap()");
    match answer {
        Some(answer) if is_known && is_answer && has_fields => fix.insert(
            range.end,
            format!("\n{indent}{log}!(model = %{answer}.model, id = %{answer}.id, \"{ANSWERED}\");"),
        ),
        Some(answer) if is_known && is_answer => fix.insert(
            range.end,
            format!("\n{indent}{log}!(\"{ANSWERED}: model={{}}, id={{}}\", {answer}.model, {answer}.id);"),
        ),
        _ => fix.insert(range.start, format!("{log}!(\"{CALLED}\");\n{indent}")),
    }
    fix.cover_block(statement);
    Ok(fix)
}
