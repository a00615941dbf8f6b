//! Model calls in Java: failures that nothing logs, and calls without a log line.

use std::ops::Range;

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    ANSWERED, CALLED, DECIDE, FAILED, Fix, Guard, Shape, UNUSABLE, children_of, fix_calls, free_name,
    has_text_over_lines, import_line, is_conditional, is_rethrow_of, lines_of, node_of, refused, rest_of_block,
    statement_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

mod loggers;
#[cfg(test)]
mod tests;

pub(in crate::strategies) use loggers::module_uses;
use loggers::{Found, logger_for};

declare_strategy! {
    /// Logs a failure of a model call and passes it on.
    ///
    /// A `Mono` or `Flux` gets `doOnError`, a handler that only throws again gets a log line, and any other call a `try`.
    ///
    /// Before:
    /// ```text src/main/java/app/RankController.java
    /// package app;
    ///
    /// import com.openai.client.OpenAIClient;
    /// import com.openai.client.okhttp.OpenAIOkHttpClient;
    /// import com.openai.models.responses.Response;
    /// import com.openai.models.responses.ResponseCreateParams;
    /// import org.slf4j.Logger;
    /// import org.slf4j.LoggerFactory;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// class RankController {
    ///   private static final Logger log = LoggerFactory.getLogger(RankController.class);
    ///   private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();
    ///
    ///   @PostMapping("/rank")
    ///   String rank(@RequestBody String text) {
    ///     Response response = client.responses().create(ResponseCreateParams.builder()
    ///         .model("gpt-4.1-2025-04-14")
    ///         .input(text)
    ///         .build());
    ///     return response.toString();
    ///   }
    /// }
    /// ```
    /// After:
    /// ```text src/main/java/app/RankController.java
    /// package app;
    ///
    /// import com.openai.client.OpenAIClient;
    /// import com.openai.client.okhttp.OpenAIOkHttpClient;
    /// import com.openai.models.responses.Response;
    /// import com.openai.models.responses.ResponseCreateParams;
    /// import org.slf4j.Logger;
    /// import org.slf4j.LoggerFactory;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// class RankController {
    ///   private static final Logger log = LoggerFactory.getLogger(RankController.class);
    ///   private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();
    ///
    ///   @PostMapping("/rank")
    ///   String rank(@RequestBody String text) {
    ///     Response response;
    ///     try {
    ///       response = client.responses().create(ResponseCreateParams.builder()
    ///           .model("gpt-4.1-2025-04-14")
    ///           .input(text)
    ///           .build());
    ///     } catch (RuntimeException e) {
    ///       log.error("The call to the AI model failed", e);
    ///       throw e;
    ///     }
    ///     return response.toString();
    ///   }
    /// }
    /// ```
    /// Before:
    /// ```text
    /// //- src/main/java/app/ChatController.java
    /// package app;
    ///
    /// import org.springframework.ai.chat.client.ChatClient;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// public class ChatController {
    ///
    ///     private final ChatClient chatClient;
    ///
    ///     public ChatController(ChatClient.Builder builder) {
    ///         this.chatClient = builder.build();
    ///     }
    ///
    ///     @GetMapping("/chat")
    ///     public String chat(@RequestParam String message) {
    ///         return chatClient.prompt()
    ///                 .user(message)
    ///                 .call()
    ///                 .content();
    ///     }
    /// }
    /// //- src/main/java/app/Clock.java
    /// package app;
    ///
    /// import lombok.extern.slf4j.Slf4j;
    ///
    /// @Slf4j
    /// class Clock {
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/main/java/app/ChatController.java
    /// package app;
    ///
    /// import lombok.extern.slf4j.Slf4j;
    /// import org.springframework.ai.chat.client.ChatClient;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @Slf4j
    /// @RestController
    /// public class ChatController {
    ///
    ///     private final ChatClient chatClient;
    ///
    ///     public ChatController(ChatClient.Builder builder) {
    ///         this.chatClient = builder.build();
    ///     }
    ///
    ///     @GetMapping("/chat")
    ///     public String chat(@RequestParam String message) {
    ///         try {
    ///             return chatClient.prompt()
    ///                     .user(message)
    ///                     .call()
    ///                     .content();
    ///         } catch (RuntimeException e) {
    ///             log.error("The call to the AI model failed", e);
    ///             throw e;
    ///         }
    ///     }
    /// }
    /// ```
    /// Before:
    /// ```text
    /// //- pom.xml
    /// <project>
    ///   <dependencies>
    ///     <dependency>
    ///       <groupId>org.springframework.boot</groupId>
    ///       <artifactId>spring-boot-starter-webflux</artifactId>
    ///     </dependency>
    ///   </dependencies>
    /// </project>
    /// //- src/main/java/app/ChatController.java
    /// package app;
    ///
    /// import java.util.Map;
    /// import org.springframework.web.bind.annotation.*;
    /// import org.springframework.web.reactive.function.client.WebClient;
    /// import reactor.core.publisher.Mono;
    ///
    /// @RestController
    /// public class ChatController {
    ///     private final WebClient webClient = WebClient.create("https://api.openai.com/v1");
    ///
    ///     @PostMapping("/chat")
    ///     public Mono<String> chat(@RequestBody String body) {
    ///         return webClient.post()
    ///                 .uri("/chat/completions")
    ///                 .bodyValue(Map.of("model", "gpt-4.1-2025-04-14", "messages", body))
    ///                 .retrieve()
    ///                 .bodyToMono(String.class);
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/main/java/app/ChatController.java
    /// package app;
    ///
    /// import java.util.Map;
    /// import org.slf4j.Logger;
    /// import org.slf4j.LoggerFactory;
    /// import org.springframework.web.bind.annotation.*;
    /// import org.springframework.web.reactive.function.client.WebClient;
    /// import reactor.core.publisher.Mono;
    ///
    /// @RestController
    /// public class ChatController {
    ///     private static final Logger log = LoggerFactory.getLogger(ChatController.class);
    ///     private final WebClient webClient = WebClient.create("https://api.openai.com/v1");
    ///
    ///     @PostMapping("/chat")
    ///     public Mono<String> chat(@RequestBody String body) {
    ///         return webClient.post()
    ///                 .uri("/chat/completions")
    ///                 .bodyValue(Map.of("model", "gpt-4.1-2025-04-14", "messages", body))
    ///                 .retrieve()
    ///                 .bodyToMono(String.class)
    ///                 .doOnError(e -> log.error("The call to the AI model failed", e));
    ///     }
    /// }
    /// ```
    /// Before:
    /// ```text src/main/java/app/Rank.java
    /// package app;
    ///
    /// import java.net.URI;
    /// import java.net.http.HttpClient;
    /// import java.net.http.HttpRequest;
    /// import java.net.http.HttpResponse;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// public class Rank {
    ///     private final HttpClient http = HttpClient.newHttpClient();
    ///
    ///     @PostMapping("/rank")
    ///     public String rank(@RequestBody String body) throws Exception {
    ///         HttpRequest request = HttpRequest.newBuilder(URI.create("https://api.openai.com/v1/responses"))
    ///             .POST(HttpRequest.BodyPublishers.ofString("{\"model\": \"gpt-4.1-2025-04-14\", \"input\": \"" + body + "\"}"))
    ///             .build();
    ///         var response = http.send(request, HttpResponse.BodyHandlers.ofString());
    ///         return response.body();
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text src/main/java/app/Rank.java
    /// package app;
    ///
    /// import java.net.URI;
    /// import java.net.http.HttpClient;
    /// import java.net.http.HttpRequest;
    /// import java.net.http.HttpResponse;
    /// import java.util.logging.Level;
    /// import java.util.logging.Logger;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// public class Rank {
    ///     private static final Logger logger = Logger.getLogger(Rank.class.getName());
    ///     private final HttpClient http = HttpClient.newHttpClient();
    ///
    ///     @PostMapping("/rank")
    ///     public String rank(@RequestBody String body) throws Exception {
    ///         HttpRequest request = HttpRequest.newBuilder(URI.create("https://api.openai.com/v1/responses"))
    ///             .POST(HttpRequest.BodyPublishers.ofString("{\"model\": \"gpt-4.1-2025-04-14\", \"input\": \"" + body + "\"}"))
    ///             .build();
    ///         try {
    ///             var response = http.send(request, HttpResponse.BodyHandlers.ofString());
    ///             return response.body();
    ///         } catch (Exception e) {
    ///             logger.log(Level.SEVERE, "No usable answer from the AI model", e);
    ///             throw e;
    ///         }
    ///     }
    /// }
    /// ```
    JAVA_ERROR_HANDLING {
        id: "java-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Java],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call with the model and the id, never the prompt or the answer.
    ///
    /// Before:
    /// ```text src/main/java/app/RankController.java
    /// package app;
    ///
    /// import com.openai.client.OpenAIClient;
    /// import com.openai.client.okhttp.OpenAIOkHttpClient;
    /// import com.openai.models.responses.Response;
    /// import com.openai.models.responses.ResponseCreateParams;
    /// import org.slf4j.Logger;
    /// import org.slf4j.LoggerFactory;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// class RankController {
    ///   private static final Logger log = LoggerFactory.getLogger(RankController.class);
    ///   private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();
    ///
    ///   @PostMapping("/rank")
    ///   String rank(@RequestBody String text) {
    ///     Response response = client.responses().create(ResponseCreateParams.builder().model("gpt-4.1-2025-04-14").input(text).build());
    ///     return response.toString();
    ///   }
    /// }
    /// ```
    /// After:
    /// ```text src/main/java/app/RankController.java
    /// package app;
    ///
    /// import com.openai.client.OpenAIClient;
    /// import com.openai.client.okhttp.OpenAIOkHttpClient;
    /// import com.openai.models.responses.Response;
    /// import com.openai.models.responses.ResponseCreateParams;
    /// import org.slf4j.Logger;
    /// import org.slf4j.LoggerFactory;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @RestController
    /// class RankController {
    ///   private static final Logger log = LoggerFactory.getLogger(RankController.class);
    ///   private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();
    ///
    ///   @PostMapping("/rank")
    ///   String rank(@RequestBody String text) {
    ///     Response response = client.responses().create(ResponseCreateParams.builder().model("gpt-4.1-2025-04-14").input(text).build());
    ///     log.info("The AI model answered: model={}, id={}", response.model(), response.id());
    ///     return response.toString();
    ///   }
    /// }
    /// ```
    /// Before:
    /// ```text src/main/java/app/ChatController.java
    /// package app;
    ///
    /// import lombok.extern.slf4j.Slf4j;
    /// import org.springframework.ai.chat.client.ChatClient;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @Slf4j
    /// @RestController
    /// public class ChatController {
    ///
    ///     private final ChatClient chatClient;
    ///
    ///     public ChatController(ChatClient.Builder builder) {
    ///         this.chatClient = builder.build();
    ///     }
    ///
    ///     @GetMapping("/chat")
    ///     public String chat(@RequestParam String message) {
    ///         return chatClient.prompt().user(message).call().content();
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text src/main/java/app/ChatController.java
    /// package app;
    ///
    /// import lombok.extern.slf4j.Slf4j;
    /// import org.springframework.ai.chat.client.ChatClient;
    /// import org.springframework.web.bind.annotation.*;
    ///
    /// @Slf4j
    /// @RestController
    /// public class ChatController {
    ///
    ///     private final ChatClient chatClient;
    ///
    ///     public ChatController(ChatClient.Builder builder) {
    ///         this.chatClient = builder.build();
    ///     }
    ///
    ///     @GetMapping("/chat")
    ///     public String chat(@RequestParam String message) {
    ///         log.info("Calling the AI model");
    ///         return chatClient.prompt().user(message).call().content();
    ///     }
    /// }
    /// ```
    JAVA_INTERACTION_LOG {
        id: "java-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Java],
        plan: log_calls,
    }
}

const SHAPE: Shape = Shape {
    blocks: &["block", "constructor_body", "switch_block_statement_group"],
    functions: &[
        "lambda_expression",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "class_body",
    ],
    comments: &["//"],
};

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs and passes on a failure of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

fn handled(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    let mut fix = Fix::default();
    let found = logger_for(site, code, statement)?;
    if let Some((at, error)) = bare_rethrow(code, statement) {
        let indent = code.indent(at.start_byte()).to_owned();
        lines_of(code, at, at, &SHAPE)?;
        fix.insert(
            at.start_byte(),
            format!("{}\n{indent}", found.logger.error(FAILED, &error)),
        );
    } else if let Some(publisher) = publisher(code, node, statement) {
        observed(code, statement, publisher, &found, &mut fix)?;
    } else {
        not_later(code, statement, call)?;
        wrapped(code, statement, call, &found, &mut fix)?;
    }
    add(code, &found, true, &mut fix)?;
    fix.manual.push(DECIDE.to_owned());
    Ok(fix)
}

/// The `throw` of a handler around a statement that does nothing else, with the name of what it caught.
fn bare_rethrow<'t>(code: &Code, statement: Node<'t>) -> Option<(Node<'t>, String)> {
    let mut at = statement;
    while let Some(parent) = at.parent() {
        if SHAPE.functions.contains(&parent.kind()) {
            return None;
        }
        if matches!(parent.kind(), "try_statement" | "try_with_resources_statement")
            && parent.child_by_field_name("body") == Some(at)
        {
            for clause in children_of(parent, &["catch_clause"]) {
                let body = children(clause.child_by_field_name("body")?);
                let parameter = children_of(clause, &["catch_formal_parameter"]).into_iter().next()?;
                let types = children_of(parameter, &["catch_type"]).into_iter().next()?;
                let name = code.of_node(parameter.child_by_field_name("name")?);
                if let [only] = body.as_slice()
                    && only.kind() == "throw_statement"
                    && is_rethrow_of(code.of_node(types))
                {
                    return Some((*only, name.to_owned()));
                }
            }
        }
        at = parent;
    }
    None
}

/// Methods of a chain that give a `Mono` or a `Flux`.
const PUBLISHES: [&str; 5] = [
    "bodyToMono",
    "bodyToFlux",
    "exchangeToMono",
    "exchangeToFlux",
    "toEntityFlux",
];

/// The call of a chain that gives a `Mono` or a `Flux` on which nothing waits.
fn publisher<'t>(code: &Code, node: Node<'t>, statement: Node<'t>) -> Option<Node<'t>> {
    let mut names: Vec<(&str, Node<'t>)> = Vec::new();
    let mut at = Some(node);
    while let Some(step) = at.filter(|step| *step != statement) {
        if step.kind() == "method_invocation" {
            names.push((
                step.child_by_field_name("name").map_or("", |name| code.of_node(name)),
                step,
            ));
        } else if matches!(step.kind(), "argument_list" | "lambda_expression") && !names.is_empty() {
            break;
        }
        at = step.parent();
    }
    if names
        .iter()
        .any(|(name, _)| name.starts_with("block") || matches!(*name, "toStream" | "toIterable" | "toFuture"))
    {
        return None;
    }
    let given = names.iter().find(|(name, _)| PUBLISHES.contains(name));
    let streamed = || {
        let stream = names.iter().position(|(name, _)| *name == "stream")?;
        names
            .get(stream + 1)
            .filter(|(name, _)| matches!(*name, "content" | "chatResponse"))
    };
    given.or_else(streamed).map(|(_, call)| *call)
}

/// Adds `doOnError` behind a call that gives a `Mono` or a `Flux`.
fn observed(code: &Code, statement: Node<'_>, publisher: Node<'_>, found: &Found, fix: &mut Fix) -> Result<(), NoFix> {
    let name = free_name(code, around_function(statement), &["e", "ex", "error"])?;
    let text = format!(
        ".doOnError({name} -> {})",
        found.logger.error(FAILED, name).trim_end_matches(';')
    );
    let dot = publisher.child_by_field_name("name").map(|name| {
        code.text
            .get(code.line_start(name.start_byte())..name.start_byte())
            .unwrap_or("")
    });
    match dot {
        // The chain has its calls on lines of their own.
        Some(before) if before.trim() == "." => {
            let indent = before.trim_end_matches('.').to_owned();
            fix.insert(publisher.end_byte(), format!("\n{indent}{text}"));
        }
        _ => fix.insert(publisher.end_byte(), text),
    }
    Ok(())
}

fn around_function(node: Node<'_>) -> Node<'_> {
    around(
        node,
        &[
            "method_declaration",
            "constructor_declaration",
            "compact_constructor_declaration",
            "class_body",
        ],
    )
    .unwrap_or(node)
}

/// Types of which a failure comes later, where a `try` does not see it.
const LATER: [&str; 14] = [
    "Mono",
    "Flux",
    "CompletableFuture",
    "CompletionStage",
    "Future",
    "ListenableFuture",
    "Uni",
    "Multi",
    "Single",
    "Maybe",
    "Observable",
    "Flowable",
    "Completable",
    "ApiFuture",
];

/// Refuses a call whose failure comes after the statement is done.
fn not_later(code: &Code, statement: Node<'_>, call: &Call) -> Result<(), NoFix> {
    let is_later = |kind: &str| LATER.contains(&kind.split('<').next().unwrap_or(kind).trim());
    let declared = statement
        .child_by_field_name("type")
        .is_some_and(|kind| is_later(code.of_node(kind)));
    let returned = statement.kind() == "return_statement"
        && around(statement, &["method_declaration", "lambda_expression"])
            .and_then(|method| method.child_by_field_name("type"))
            .is_some_and(|kind| is_later(code.of_node(kind)));
    let by_name =
        call.symbol.ends_with("Async") || call.symbol.contains(".async()") || call.symbol.ends_with(".enqueue");
    let turned = [".toFuture(", "sendAsync("]
        .iter()
        .any(|name| code.of_node(statement).contains(name));
    if declared || returned || by_name || turned {
        return refused("the call is asynchronous, so its failure does not reach this statement");
    }
    Ok(())
}

fn wrapped(code: &Code, statement: Node<'_>, call: &Call, found: &Found, fix: &mut Fix) -> Result<(), NoFix> {
    let function = around_function(statement);
    let name = free_name(code, function, &["e", "ex", "exception", "error"])?;
    let catch = format!("catch ({} {name})", caught(statement, call));
    let lines = |message| [found.logger.error(message, name), format!("throw {name};")];
    let guard = |lines: &[String], range: Range<usize>| {
        Guard {
            catch: &catch,
            lines,
            own_lines: false,
        }
        .around(code, range)
    };
    match statement.kind() {
        "return_statement" | "expression_statement" => {
            let range = lines_of(code, statement, statement, &SHAPE)?;
            let text = guard(&lines(FAILED), range.clone())?;
            fix.replace(range, text);
        }
        "local_variable_declaration" => {
            let declarators = children_of(statement, &["variable_declarator"]);
            let [declarator] = declarators.as_slice() else {
                return refused("the statement declares more than one variable");
            };
            let kind = statement.child_by_field_name("type").ok_or(NoFix::Unparsed)?;
            let rest = rest_of_block(statement, &["local_variable_declaration", "return_statement"]);
            let known = known_type(code, call, *declarator);
            if code.of_node(kind) == "var" && (known.is_none() || rest.is_ok()) {
                let last = rest?;
                let range = lines_of(code, statement, last, &SHAPE)?;
                let text = guard(&lines(UNUSABLE), range.clone())?;
                fix.replace(range, text);
                return Ok(());
            }
            let variable = declarator.child_by_field_name("name").ok_or(NoFix::Unparsed)?;
            let value = declarator.child_by_field_name("value").ok_or(NoFix::Unparsed)?;
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
            if head == "var" || head.ends_with(" var") {
                return refused("the type of the variable is not written");
            }
            let behind = code.text.get(variable.end_byte()..value.start_byte()).unwrap_or("");
            if behind.trim() != "=" {
                return refused("the variable is an array declared after its name");
            }
            let body = code
                .indented(variable.start_byte()..range.end, &unit)
                .ok_or(NoFix::Gone)?;
            let lines = lines(FAILED);
            let guard = Guard {
                catch: &catch,
                lines: &lines,
                own_lines: false,
            };
            let text = guard.text(&indent, &unit, &body);
            fix.replace(range, format!("{head} {};\n{indent}{text}", code.of_node(variable)));
        }
        _ => return refused("the call is in the head of a statement, such as a condition or a loop"),
    }
    // A text block keeps its text: all of its lines move alike.
    if has_text_over_lines(statement, &["string_literal"]) {
        return refused("the statement contains a string over several lines");
    }
    fix.cover(statement);
    Ok(())
}

/// The type that a call of a known client gives.
fn known_type(code: &Code, call: &Call, declarator: Node<'_>) -> Option<&'static str> {
    let value = declarator.child_by_field_name("value")?;
    let name = code.of_node(value.child_by_field_name("name")?);
    let called = call.symbol.rsplit('.').next();
    let is_text = call.symbol.starts_with("org.springframework.ai.chat.client.ChatClient")
        && called == Some("call")
        && name == "content"
        && code.of_node(value).ends_with("content()");
    is_text.then_some("String")
}

/// The type to catch: only calls that may throw checked exceptions need the general one.
fn caught(statement: Node<'_>, call: &Call) -> &'static str {
    let method = around(
        statement,
        &[
            "method_declaration",
            "constructor_declaration",
            "lambda_expression",
            "class_body",
        ],
    );
    let throws = method.is_some_and(|method| !children_of(method, &["throws"]).is_empty());
    let plain = ["java.net.", "okhttp3.", "org.apache.http", "org.apache.hc"]
        .iter()
        .any(|library| call.symbol.starts_with(library));
    let mut at = statement;
    let mut in_try = false;
    while let Some(parent) = at.parent().filter(|_| Some(at) != method) {
        in_try |= parent.kind().starts_with("try_")
            && !children_of(parent, &["catch_clause"]).is_empty()
            && parent.child_by_field_name("body") == Some(at);
        at = parent;
    }
    if throws || plain || in_try {
        "Exception"
    } else {
        "RuntimeException"
    }
}

/// Adds the imports and the logger that the edits need.
fn add(code: &Code, found: &Found, error: bool, fix: &mut Fix) -> Result<(), NoFix> {
    for (range, text) in &found.changes {
        fix.replace(range.clone(), text.clone());
    }
    let level = found.logger.needs_level(error).then_some("java.util.logging.Level");
    let wanted: Vec<&str> = found.imports.iter().copied().chain(level).collect();
    for (range, text) in imports(code, &wanted)? {
        fix.replace(range, text);
    }
    Ok(())
}

/// Adds imports where they are missing.
pub(super) fn imports(code: &Code, wanted: &[&str]) -> Result<Vec<(Range<usize>, String)>, NoFix> {
    let root = code.root()?;
    let all = children_of(root, &["import_declaration"]);
    let mut missing = Vec::new();
    for path in wanted {
        let (package, own) = path.rsplit_once('.').unwrap_or(("", path));
        let mut known = false;
        for import in &all {
            let text = code
                .of_node(*import)
                .trim_start_matches("import")
                .trim()
                .trim_end_matches(';')
                .trim();
            if text == *path || text.strip_suffix(".*") == Some(package) {
                known = true;
            } else if text.rsplit('.').next() == Some(own) && !text.starts_with("static ") {
                return Err(NoFix::here(format!(
                    "the name `{own}` is imported from another package"
                )));
            }
        }
        let declared = descendants(root, |at| {
            matches!(
                at.kind(),
                "class_declaration" | "interface_declaration" | "enum_declaration" | "record_declaration"
            ) && at
                .child_by_field_name("name")
                .is_some_and(|name| code.of_node(name) == own)
        });
        if !declared.is_empty() {
            return Err(NoFix::here(format!("the file itself declares a type `{own}`")));
        }
        if !known && !missing.contains(path) {
            missing.push(path);
        }
    }
    missing.sort_unstable();
    let plain: Vec<Node<'_>> = all
        .into_iter()
        .filter(|import| !code.of_node(*import).starts_with("import static"))
        .collect();
    if plain.is_empty() && !missing.is_empty() {
        let lines: Vec<String> = missing.iter().map(|path| format!("import {path};\n")).collect();
        let block = lines.concat();
        if let Some(package) = children_of(root, &["package_declaration"]).into_iter().next() {
            let at = code.next_line(package.end_byte());
            return Ok(vec![(at..at, format!("\n{block}"))]);
        }
        let first = children(root).into_iter().find(|node| !node.kind().contains("comment"));
        let at = first.ok_or(NoFix::Unparsed)?.start_byte();
        return Ok(vec![(at..at, format!("{block}\n"))]);
    }
    Ok(missing
        .iter()
        .filter_map(|path| import_line(code, &plain, path, &format!("import {path};")))
        .collect())
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    if statement.kind() == "explicit_constructor_invocation" {
        return refused("the call is an argument of another constructor");
    }
    let found = logger_for(site, code, statement)?;
    if !found.changes.is_empty() && code.text.contains("System.in") {
        return refused("the program talks at a terminal; choose a log for it first");
    }
    if is_conditional(code, node, statement) {
        return refused("the call runs only on a condition");
    }
    let mut fix = Fix::default();
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(statement.start_byte()).to_owned();
    let known = [
        "local_variable_declaration",
        "expression_statement",
        "return_statement",
        "enhanced_for_statement",
        "if_statement",
    ];
    if !known.contains(&statement.kind()) {
        return refused("the call is in the head of a statement, such as a condition or a loop");
    }
    let fields = answer(code, statement, call)
        .map(|name| fields(call, &name))
        .unwrap_or_default();
    if fields.is_empty() {
        fix.insert(range.start, format!("{}\n{indent}", found.logger.info(CALLED, &[])));
    } else {
        fix.insert(range.end, format!("\n{indent}{}", found.logger.info(ANSWERED, &fields)));
    }
    add(code, &found, false, &mut fix)?;
    fix.cover_block(statement);
    fix.safe = true;
    Ok(fix)
}

/// The variable that holds the answer of a call, where the call is all that it is given.
fn answer(code: &Code, statement: Node<'_>, call: &Call) -> Option<String> {
    let declarators = children_of(statement, &["variable_declarator"]);
    let [declarator] = declarators.as_slice() else {
        return None;
    };
    let value = declarator.child_by_field_name("value")?;
    let method = value.child_by_field_name("name").map(|name| code.of_node(name));
    (value.kind() == "method_invocation" && method == call.symbol.rsplit('.').next()).then(|| {
        declarator
            .child_by_field_name("name")
            .map(|name| code.of_node(name).to_owned())
    })?
}

/// What an answer of a known client says about the call.
fn fields(call: &Call, answer: &str) -> Vec<(&'static str, String)> {
    let symbol = call.symbol.as_str();
    let known = symbol.starts_with("com.openai.")
        && (symbol.ends_with(".responses().create") || symbol.ends_with(".completions().create"))
        || symbol.starts_with("com.anthropic.") && symbol.ends_with(".messages().create");
    if known {
        return vec![("model", format!("{answer}.model()")), ("id", format!("{answer}.id()"))];
    }
    Vec::new()
}
