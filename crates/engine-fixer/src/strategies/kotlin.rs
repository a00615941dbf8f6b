//! Model calls in Kotlin: failures that nothing logs, and calls without a log line.

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    CALLED, DECIDE, FAILED, Fix, Shape, children_of, fix_calls, free_name, has_text_over_lines, import_line,
    is_conditional, is_rethrow_of, lines_of, manifest_has, node_of, refused, statement_of,
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
    /// ```text src/main/kotlin/app/ChatController.kt
    /// package app
    ///
    /// import org.slf4j.LoggerFactory
    /// import org.springframework.ai.chat.client.ChatClient
    /// import org.springframework.web.bind.annotation.*
    ///
    /// @RestController
    /// class ChatController(builder: ChatClient.Builder) {
    ///     private val logger = LoggerFactory.getLogger(javaClass)
    ///     private val chatClient = builder.build()
    ///
    ///     @GetMapping("/chat")
    ///     fun chat(@RequestParam message: String): String? =
    ///         chatClient.prompt()
    ///             .user(message)
    ///             .call()
    ///             .content()
    ///
    ///     @GetMapping("/short")
    ///     fun short(@RequestParam message: String): String? {
    ///         val answer = chatClient.prompt().user(message).call().content()
    ///         return answer?.take(80)
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text src/main/kotlin/app/ChatController.kt
    /// package app
    ///
    /// import org.slf4j.LoggerFactory
    /// import org.springframework.ai.chat.client.ChatClient
    /// import org.springframework.web.bind.annotation.*
    ///
    /// @RestController
    /// class ChatController(builder: ChatClient.Builder) {
    ///     private val logger = LoggerFactory.getLogger(javaClass)
    ///     private val chatClient = builder.build()
    ///
    ///     @GetMapping("/chat")
    ///     fun chat(@RequestParam message: String): String? =
    ///         try {
    ///             chatClient.prompt()
    ///                 .user(message)
    ///                 .call()
    ///                 .content()
    ///         } catch (e: Exception) {
    ///             logger.error("The call to the AI model failed", e)
    ///             throw e
    ///         }
    ///
    ///     @GetMapping("/short")
    ///     fun short(@RequestParam message: String): String? {
    ///         val answer = try {
    ///             chatClient.prompt().user(message).call().content()
    ///         } catch (e: Exception) {
    ///             logger.error("The call to the AI model failed", e)
    ///             throw e
    ///         }
    ///         return answer?.take(80)
    ///     }
    /// }
    /// ```
    /// Before:
    /// ```text
    /// //- build.gradle.kts
    /// dependencies {
    ///     implementation("org.springframework.boot:spring-boot-starter-web")
    /// }
    /// //- src/main/kotlin/app/ChatController.kt
    /// package app
    ///
    /// import org.springframework.ai.chat.client.ChatClient
    /// import org.springframework.web.bind.annotation.*
    ///
    /// @RestController
    /// class ChatController(builder: ChatClient.Builder) {
    ///     private val chatClient = builder.build()
    ///
    ///     @GetMapping("/chat")
    ///     fun chat(@RequestParam message: String): String? {
    ///         return chatClient.prompt().user(message).call().content() // ask
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/main/kotlin/app/ChatController.kt
    /// package app
    ///
    /// import org.slf4j.LoggerFactory
    /// import org.springframework.ai.chat.client.ChatClient
    /// import org.springframework.web.bind.annotation.*
    ///
    /// @RestController
    /// class ChatController(builder: ChatClient.Builder) {
    ///     private val logger = LoggerFactory.getLogger(ChatController::class.java)
    ///     private val chatClient = builder.build()
    ///
    ///     @GetMapping("/chat")
    ///     fun chat(@RequestParam message: String): String? {
    ///         return try {
    ///             chatClient.prompt().user(message).call().content() // ask
    ///         } catch (e: Exception) {
    ///             logger.error("The call to the AI model failed", e)
    ///             throw e
    ///         }
    ///     }
    /// }
    /// ```
    KOTLIN_ERROR_HANDLING {
        id: "kotlin-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Kotlin],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call, never the prompt or the answer.
    ///
    /// Before:
    /// ```text src/main/kotlin/app/ChatController.kt
    /// package app
    ///
    /// import io.github.oshai.kotlinlogging.KotlinLogging
    /// import org.springframework.ai.chat.client.ChatClient
    /// import org.springframework.web.bind.annotation.*
    ///
    /// private val logger = KotlinLogging.logger {}
    ///
    /// @RestController
    /// class ChatController(builder: ChatClient.Builder) {
    ///     private val chatClient = builder.build()
    ///
    ///     @GetMapping("/chat")
    ///     fun chat(@RequestParam message: String): String? {
    ///         val answer = chatClient.prompt().user(message).call().content()
    ///         return answer
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text src/main/kotlin/app/ChatController.kt
    /// package app
    ///
    /// import io.github.oshai.kotlinlogging.KotlinLogging
    /// import org.springframework.ai.chat.client.ChatClient
    /// import org.springframework.web.bind.annotation.*
    ///
    /// private val logger = KotlinLogging.logger {}
    ///
    /// @RestController
    /// class ChatController(builder: ChatClient.Builder) {
    ///     private val chatClient = builder.build()
    ///
    ///     @GetMapping("/chat")
    ///     fun chat(@RequestParam message: String): String? {
    ///         logger.info { "Calling the AI model" }
    ///         val answer = chatClient.prompt().user(message).call().content()
    ///         return answer
    ///     }
    /// }
    /// ```
    KOTLIN_INTERACTION_LOG {
        id: "kotlin-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Kotlin],
        plan: log_calls,
    }
}

const SHAPE: Shape = Shape {
    blocks: &["block", "lambda_literal"],
    functions: &["function_declaration", "class_body", "anonymous_function"],
    comments: &["//"],
};

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs and throws again a failure of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

/// Methods of clients that give a stream whose failure comes later.
const STREAMS: [&str; 6] = [
    "chatCompletions",
    "completions",
    "generateContentStream",
    "sendMessageStream",
    "bodyToFlow",
    "stream",
];

/// The expression that a `try` takes the place of, a child of a declaration, an assignment, a `return` or a function.
fn host<'t>(code: &Code, node: Node<'t>) -> Result<(Node<'t>, Node<'t>), NoFix> {
    let mut at = node;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "property_declaration" | "assignment" | "return_expression" => {
                let starts = code.line_start(parent.start_byte()) + code.indent(parent.start_byte()).len();
                if starts != parent.start_byte() || around(parent, &["function_body", "lambda_literal"]).is_none() {
                    return refused("the call has a form that is not known");
                }
                if !parent
                    .parent()
                    .is_some_and(|block| SHAPE.blocks.contains(&block.kind()))
                {
                    return refused("the call is in the head of a statement, such as a condition or a loop");
                }
                return Ok((parent, at));
            }
            "function_body" => return Ok((parent, at)),
            kind if SHAPE.blocks.contains(&kind) => {
                if !matches!(
                    at.kind(),
                    "call_expression" | "navigation_expression" | "binary_expression"
                ) {
                    return refused("the call is in the head of a statement, such as a condition or a loop");
                }
                return Ok((at, at));
            }
            "property_delegate" | "function_declaration" | "class_body" | "class_parameter" | "parameter" => {
                return refused("the call is not in a statement");
            }
            _ => at = parent,
        }
    }
    refused("the call is not in a statement")
}

fn handled(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let function = around(node, &["function_declaration", "anonymous_function"])
        .ok_or_else(|| NoFix::here("the call is in no function"))?;
    let mut fix = Fix {
        manual: vec![DECIDE.to_owned()],
        ..Fix::default()
    };
    if let Some((at, error)) = bare_rethrow(code, node) {
        let found = logger(site, code, node, true)?;
        lines_of(code, at, at, &SHAPE)?;
        let indent = code.indent(at.start_byte()).to_owned();
        fix.insert(
            at.start_byte(),
            format!("{}\n{indent}", found.logger.error(FAILED, &error)),
        );
        add(code, &found, true, &mut fix)?;
        return Ok(fix);
    }
    let (host, value) = host(code, node)?;
    let text = code.of_node(value);
    let method = call.symbol.rsplit('.').next().unwrap_or("");
    let ends = [
        ".collect", ".toList(", ".first(", ".single(", ".fold(", ".block(", ".await",
    ];
    let later = STREAMS.contains(&method)
        || [
            "bodyToMono",
            "bodyToFlux",
            "Async(",
            "enqueue(",
            ".stream()",
            "asFlow()",
        ]
        .iter()
        .any(|name| text.contains(name));
    if later && !ends.iter().any(|end| text.contains(end)) {
        return refused("the call gives a stream, so its failure does not reach this statement");
    }
    let last = if host.kind() == "function_body" { value } else { host };
    let rest = lines_of_end(code, last)?;
    if has_text_over_lines(value, &[]) {
        return refused("the statement contains a string over several lines");
    }
    let found = logger(site, code, node, true)?;
    let name = free_name(code, function, &["e", "ex", "error"])?;
    let indent = code.indent(value.start_byte()).to_owned();
    let unit = code.indent_unit();
    let body = code.indented(value.start_byte()..rest, &unit).ok_or(NoFix::Gone)?;
    fix.replace(
        value.start_byte()..rest,
        format!(
            "try {{\n{indent}{unit}{body}\n{indent}}} catch ({name}: Exception) {{\n{indent}{unit}{}\n{indent}{unit}throw {name}\n{indent}}}",
            found.logger.error(FAILED, name)
        ),
    );
    fix.cover(value);
    add(code, &found, true, &mut fix)?;
    Ok(fix)
}

/// The end of a node, with a comment behind it, where nothing else follows on its line.
fn lines_of_end(code: &Code, node: Node<'_>) -> Result<usize, NoFix> {
    let end = node.end_byte();
    let rest = code.text.get(end..code.next_line(end)).unwrap_or("").trim_end();
    let behind = rest.trim_start();
    if behind.is_empty() {
        Ok(end)
    } else if behind.starts_with("//") {
        Ok(end + rest.len())
    } else {
        refused("the statement shares its line with other code")
    }
}

/// The `throw` of a handler around a node that does nothing else, with the name of what it caught.
fn bare_rethrow<'t>(code: &Code, node: Node<'t>) -> Option<(Node<'t>, String)> {
    let mut at = node;
    while let Some(parent) = at.parent() {
        if matches!(parent.kind(), "function_declaration" | "lambda_literal" | "class_body") {
            return None;
        }
        if parent.kind() == "try_expression" && at.kind() == "block" {
            for clause in children_of(parent, &["catch_block"]) {
                let parts = children(clause);
                let (Some(name), Some(kind), Some(block)) = (
                    parts.iter().find(|part| part.kind() == "identifier"),
                    parts.iter().find(|part| part.kind() == "user_type"),
                    parts.iter().find(|part| part.kind() == "block"),
                ) else {
                    continue;
                };
                if let [only] = children(*block).as_slice()
                    && only.kind() == "throw_expression"
                    && is_rethrow_of(code.of_node(*kind))
                {
                    return Some((*only, code.of_node(*name).to_owned()));
                }
            }
        }
        at = parent;
    }
    None
}

/// Adds the imports and the logger that the edits need.
fn add(code: &Code, found: &loggers::Found, error: bool, fix: &mut Fix) -> Result<(), NoFix> {
    for (range, text) in &found.changes {
        fix.replace(range.clone(), text.clone());
    }
    let level = found.logger.needs_level(error).then_some("java.util.logging.Level");
    let wanted: Vec<&str> = found.imports.iter().copied().chain(level).collect();
    let root = code.root()?;
    let imports = children_of(root, &["import"]);
    let mut missing: Vec<&str> = Vec::new();
    for path in wanted {
        let (package, own) = path.rsplit_once('.').unwrap_or(("", path));
        let mut known = false;
        for import in &imports {
            let text = code.of_node(*import).trim_start_matches("import").trim();
            let named = text.split(" as ").last().unwrap_or(text);
            if text == path || text.strip_suffix(".*") == Some(package) {
                known = true;
            } else if named.rsplit('.').next() == Some(own) {
                return Err(NoFix::here(format!(
                    "the name `{own}` is imported from another package"
                )));
            }
        }
        if !known {
            missing.push(path);
        }
    }
    if imports.is_empty() && !missing.is_empty() {
        let block = missing
            .iter()
            .map(|path| format!("import {path}\n"))
            .collect::<Vec<String>>()
            .concat();
        match children_of(root, &["package_header"]).into_iter().next() {
            Some(package) => fix.insert(code.next_line(package.end_byte()), format!("\n{block}")),
            None => fix.insert(0, format!("{block}\n")),
        }
        return Ok(());
    }
    for path in missing {
        if let Some((range, text)) = import_line(code, &imports, path, &format!("import {path}")) {
            fix.replace(range, text);
        }
    }
    Ok(())
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    if around(node, &["function_body"]).is_some_and(|body| code.of_node(body).starts_with('='))
        && around(node, &["block", "lambda_literal"]).is_none()
    {
        return refused("the call is the whole body of a function");
    }
    let statement = statement_of(node, &SHAPE)?;
    if is_conditional(code, node, statement) {
        return refused("the call runs only on a condition");
    }
    if !matches!(
        statement.kind(),
        "property_declaration" | "assignment" | "return_expression" | "call_expression" | "navigation_expression"
    ) {
        return refused("the call is in the head of a statement, such as a condition or a loop");
    }
    let found = logger(site, code, node, false)?;
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(range.start).to_owned();
    let mut fix = Fix {
        safe: true,
        ..Fix::default()
    };
    fix.insert(range.start, format!("{}\n{indent}", found.logger.info(CALLED)));
    fix.cover_block(statement);
    add(code, &found, false, &mut fix)?;
    Ok(fix)
}

/// Whether the build of the project has the logging of Spring Boot or SLF4J.
fn has_slf4j(site: &Site<'_>, code: &Code) -> bool {
    let manifests = ["pom.xml", "build.gradle", "build.gradle.kts"];
    manifest_has(site, code, &manifests, "spring-boot-starter")
        || manifest_has(site, code, &manifests, "slf4j-api")
        || manifest_has(site, code, &manifests, "io.micronaut")
        // The server of Ktor comes with it.
        || code.text.contains("import io.ktor.server.")
        || super::java::module_uses(site, code, &["import org.slf4j.Logger"])
}

/// All nodes of some kinds below a node.
fn below<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    descendants(node, |at| kinds.contains(&at.kind()))
}
