//! Model calls in PHP: failures that nothing logs, and calls without a log line.

use std::ops::Range;

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    ANSWERED, CALLED, DECIDE, FAILED, Fix, Guard, Shape, children_of, fix_calls, has_text_over_lines, import_line,
    is_conditional, is_named, is_rethrow_of, lines_of, manifest_has, node_of, refused, statement_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

#[cfg(test)]
mod tests;

declare_strategy! {
    /// Logs a failure of a model call and passes it on.
    ///
    /// Clients that throw get a `try`, but not in Laravel, which logs an uncaught failure itself. Requests that report a failure in
    /// their result, such as those of curl, get a check of it.
    ///
    /// Before:
    /// ```text chat.php
    /// <?php
    /// require 'vendor/autoload.php';
    ///
    /// $client = OpenAI::client(getenv('OPENAI_API_KEY'));
    /// $result = $client->chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]]);
    /// echo $result->choices[0]->message->content;
    /// ```
    /// After:
    /// ```text chat.php
    /// <?php
    /// require 'vendor/autoload.php';
    ///
    /// $client = OpenAI::client(getenv('OPENAI_API_KEY'));
    /// try {
    ///     $result = $client->chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]]);
    /// } catch (Throwable $e) {
    ///     error_log('The call to the AI model failed: ' . $e->getMessage());
    ///     throw $e;
    /// }
    /// echo $result->choices[0]->message->content;
    /// ```
    /// Before:
    /// ```text
    /// //- composer.json
    /// {"require": {"laravel/framework": "^11.0"}}
    /// //- app/Http/Controllers/ChatController.php
    /// <?php
    ///
    /// namespace App\Http\Controllers;
    ///
    /// use Illuminate\Http\Request;
    /// use Illuminate\Support\Facades\Http;
    /// use Illuminate\Support\Facades\Log;
    ///
    /// class ChatController extends Controller
    /// {
    ///     public function chat(Request $request)
    ///     {
    ///         return Http::withToken(config('services.openai.key'))
    ///             ->post('https://api.openai.com/v1/chat/completions', [
    ///                 'model' => 'gpt-4.1-2025-04-14',
    ///                 'messages' => [['role' => 'user', 'content' => $request->input('q')]],
    ///             ]);
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- app/Http/Controllers/ChatController.php
    /// <?php
    ///
    /// namespace App\Http\Controllers;
    ///
    /// use Illuminate\Http\Request;
    /// use Illuminate\Support\Facades\Http;
    /// use Illuminate\Support\Facades\Log;
    ///
    /// class ChatController extends Controller
    /// {
    ///     public function chat(Request $request)
    ///     {
    ///         $response = Http::withToken(config('services.openai.key'))
    ///             ->post('https://api.openai.com/v1/chat/completions', [
    ///                 'model' => 'gpt-4.1-2025-04-14',
    ///                 'messages' => [['role' => 'user', 'content' => $request->input('q')]],
    ///             ]);
    ///         if ($response->failed()) {
    ///             Log::error('The call to the AI model failed', ['status' => $response->status()]);
    ///         }
    ///
    ///         return $response;
    ///     }
    /// }
    /// ```
    /// Before:
    /// ```text chat.php
    /// <?php
    /// $ch = curl_init('https://api.openai.com/v1/chat/completions');
    /// curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
    /// curl_setopt($ch, CURLOPT_HTTPHEADER, ['Content-Type: application/json', 'Authorization: Bearer ' . getenv('OPENAI_API_KEY')]);
    /// curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]]));
    /// $response = curl_exec($ch); // ask
    /// curl_close($ch);
    /// $data = json_decode($response, true);
    /// echo json_encode(['reply' => $data['choices'][0]['message']['content']]);
    /// ```
    /// After:
    /// ```text chat.php
    /// <?php
    /// $ch = curl_init('https://api.openai.com/v1/chat/completions');
    /// curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
    /// curl_setopt($ch, CURLOPT_HTTPHEADER, ['Content-Type: application/json', 'Authorization: Bearer ' . getenv('OPENAI_API_KEY')]);
    /// curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]]));
    /// $response = curl_exec($ch); // ask
    /// if (curl_errno($ch) !== 0 || curl_getinfo($ch, CURLINFO_RESPONSE_CODE) >= 400) {
    ///     error_log('The call to the AI model failed: HTTP ' . curl_getinfo($ch, CURLINFO_RESPONSE_CODE) . ' ' . curl_error($ch));
    /// }
    /// curl_close($ch);
    /// $data = json_decode($response, true);
    /// echo json_encode(['reply' => $data['choices'][0]['message']['content']]);
    /// ```
    PHP_ERROR_HANDLING {
        id: "php-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Php],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call with the model and the id, never the prompt or the answer.
    ///
    /// Before:
    /// ```text
    /// //- composer.json
    /// {"require": {"laravel/framework": "^11.0", "openai-php/laravel": "^0.10"}}
    /// //- app/Http/Controllers/ChatController.php
    /// <?php
    ///
    /// namespace App\Http\Controllers;
    ///
    /// use Illuminate\Http\Request;
    /// use OpenAI\Laravel\Facades\OpenAI;
    ///
    /// class ChatController extends Controller
    /// {
    ///     public function chat(Request $request)
    ///     {
    ///         $result = OpenAI::chat()->create([
    ///             'model' => 'gpt-4.1-2025-04-14',
    ///             'messages' => [['role' => 'user', 'content' => $request->input('q')]],
    ///         ]);
    ///
    ///         return response()->json(['reply' => $result->choices[0]->message->content]);
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- app/Http/Controllers/ChatController.php
    /// <?php
    ///
    /// namespace App\Http\Controllers;
    ///
    /// use Illuminate\Http\Request;
    /// use Illuminate\Support\Facades\Log;
    /// use OpenAI\Laravel\Facades\OpenAI;
    ///
    /// class ChatController extends Controller
    /// {
    ///     public function chat(Request $request)
    ///     {
    ///         $result = OpenAI::chat()->create([
    ///             'model' => 'gpt-4.1-2025-04-14',
    ///             'messages' => [['role' => 'user', 'content' => $request->input('q')]],
    ///         ]);
    ///         Log::info('The AI model answered', ['model' => $result->model, 'id' => $result->id]);
    ///
    ///         return response()->json(['reply' => $result->choices[0]->message->content]);
    ///     }
    /// }
    /// ```
    /// Before:
    /// ```text src/Controller/ChatController.php
    /// <?php
    ///
    /// declare(strict_types=1);
    ///
    /// namespace App\Controller;
    ///
    /// use OpenAI\Client;
    /// use Psr\Log\LoggerInterface;
    /// use Symfony\Component\HttpFoundation\JsonResponse;
    /// use Symfony\Component\HttpFoundation\Request;
    /// use Symfony\Component\Routing\Attribute\Route;
    ///
    /// final class ChatController
    /// {
    ///     public function __construct(private readonly Client $client, private readonly LoggerInterface $logger)
    ///     {
    ///     }
    ///
    ///     #[Route('/chat', methods: ['POST'])]
    ///     public function chat(Request $request): JsonResponse
    ///     {
    ///         return new JsonResponse($this->client->chat()->create([
    ///             'model' => 'gpt-4.1-2025-04-14',
    ///             'messages' => [['role' => 'user', 'content' => $request->get('q')]],
    ///         ])->choices[0]->message->content);
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text src/Controller/ChatController.php
    /// <?php
    ///
    /// declare(strict_types=1);
    ///
    /// namespace App\Controller;
    ///
    /// use OpenAI\Client;
    /// use Psr\Log\LoggerInterface;
    /// use Symfony\Component\HttpFoundation\JsonResponse;
    /// use Symfony\Component\HttpFoundation\Request;
    /// use Symfony\Component\Routing\Attribute\Route;
    ///
    /// final class ChatController
    /// {
    ///     public function __construct(private readonly Client $client, private readonly LoggerInterface $logger)
    ///     {
    ///     }
    ///
    ///     #[Route('/chat', methods: ['POST'])]
    ///     public function chat(Request $request): JsonResponse
    ///     {
    ///         $this->logger->info('Calling the AI model');
    ///         return new JsonResponse($this->client->chat()->create([
    ///             'model' => 'gpt-4.1-2025-04-14',
    ///             'messages' => [['role' => 'user', 'content' => $request->get('q')]],
    ///         ])->choices[0]->message->content);
    ///     }
    /// }
    /// ```
    PHP_INTERACTION_LOG {
        id: "php-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Php],
        plan: log_calls,
    }
}

const SHAPE: Shape = Shape {
    blocks: &["compound_statement", "program"],
    functions: &[
        "function_definition",
        "method_declaration",
        "anonymous_function",
        "anonymous_function_creation_expression",
        "arrow_function",
        "declaration_list",
    ],
    comments: &["//", "#"],
};

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs a failure of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

/// A logger by what stands before the method: `Log::`, `$this->logger->`.
struct Logger {
    call: Option<String>,
    import: Option<&'static str>,
}

impl Logger {
    /// A line with entries beside the message, or with the text of an expression where there is no logger.
    fn error(&self, entries: &str, text: &str, space: &str) -> String {
        match &self.call {
            Some(call) => format!("{call}error('{FAILED}', [{entries}]);"),
            None => format!("error_log({space}'{FAILED}: ' . {text}{space});"),
        }
    }
}

/// The name under which a file imports a class.
fn used_as(code: &Code, path: &str) -> Option<String> {
    let root = code.root().ok()?;
    let uses = descendants(root, |at| at.kind() == "namespace_use_clause");
    uses.into_iter().find_map(|clause| {
        let text = code.of_node(clause);
        let (known, alias) = text
            .split_once(" as ")
            .map_or((text, None), |(known, alias)| (known, Some(alias)));
        (known.trim().trim_start_matches('\\') == path).then(|| {
            alias
                .map_or(path.rsplit('\\').next().unwrap_or(path), str::trim)
                .to_owned()
        })
    })
}

const FACADE: &str = "Illuminate\\Support\\Facades\\Log";

fn logger(site: &Site<'_>, code: &Code, statement: Node<'_>) -> Logger {
    if let Some(name) = used_as(code, FACADE) {
        return Logger {
            call: Some(format!("{name}::")),
            import: None,
        };
    }
    if let Some(call) = of_function(code, statement).or_else(|| of_class(code, statement)) {
        return Logger {
            call: Some(call),
            import: None,
        };
    }
    if is_laravel(site, code) && code.language == engine_model::Language::Php {
        let has_log = code.root().is_ok_and(|root| {
            descendants(root, |at| at.kind() == "namespace_use_clause")
                .iter()
                .any(|clause| code.of_node(*clause).rsplit(['\\', ' ']).next() == Some("Log"))
        });
        let uses = |text: &str| code.text.contains(text);
        return if has_log || uses("class Log") {
            Logger {
                call: Some("logger()->".to_owned()),
                import: None,
            }
        } else {
            Logger {
                call: Some("Log::".to_owned()),
                import: Some(FACADE),
            }
        };
    }
    Logger {
        call: None,
        import: None,
    }
}

fn is_laravel(site: &Site<'_>, code: &Code) -> bool {
    ["\"laravel/framework\"", "\"laravel/lumen-framework\""]
        .iter()
        .any(|package| manifest_has(site, code, &["composer.json"], package))
}

fn is_logger_type(text: &str) -> bool {
    matches!(
        text.trim_start_matches(['?', '\\']).rsplit('\\').next(),
        Some("LoggerInterface")
    )
}

/// A parameter of the function around a statement.
fn of_function(code: &Code, statement: Node<'_>) -> Option<String> {
    let function = around(
        statement,
        &[
            "function_definition",
            "method_declaration",
            "anonymous_function",
            "anonymous_function_creation_expression",
        ],
    )?;
    let list = function.child_by_field_name("parameters")?;
    children_of(list, &["simple_parameter"])
        .into_iter()
        .find_map(|parameter| {
            let kind = code.of_node(parameter.child_by_field_name("type")?);
            let name = code.of_node(parameter.child_by_field_name("name")?);
            (is_logger_type(kind) && !kind.starts_with('?')).then(|| format!("{name}->"))
        })
}

/// A property of the class around a statement.
fn of_class(code: &Code, statement: Node<'_>) -> Option<String> {
    let method = around(statement, &["method_declaration"])?;
    if !children_of(method, &["static_modifier"]).is_empty() {
        return None;
    }
    let class = around(method, &["class_declaration", "anonymous_class", "trait_declaration"])?;
    let typed = descendants(class, |at| {
        matches!(at.kind(), "property_declaration" | "property_promotion_parameter")
            && at
                .child_by_field_name("type")
                .is_some_and(|kind| is_logger_type(code.of_node(kind)) && !code.of_node(kind).starts_with('?'))
    });
    if let Some(property) = typed.first() {
        let name = descendants(*property, |at| at.kind() == "variable_name");
        let name = code.of_node(*name.first()?).trim_start_matches('$');
        return Some(format!("$this->{name}->"));
    }
    // A logger that the class uses elsewhere: one of its base.
    let uses = descendants(class, |at| {
        at.kind() == "member_call_expression"
            && at
                .child_by_field_name("object")
                .is_some_and(|object| code.of_node(object) == "$this->logger")
            && at
                .child_by_field_name("name")
                .is_some_and(|name| matches!(code.of_node(name), "error" | "info" | "warning" | "debug" | "critical"))
    });
    (!uses.is_empty()).then(|| "$this->logger->".to_owned())
}

/// Adds a `use` for a class.
fn import(code: &Code, path: &str) -> Result<(Range<usize>, String), NoFix> {
    let root = code.root()?;
    let line = format!("use {path};");
    let uses: Vec<Node<'_>> = children_of(root, &["namespace_use_declaration"])
        .into_iter()
        .filter(|node| {
            let text = code.of_node(*node);
            !text.starts_with("use function") && !text.starts_with("use const") && !text.contains('{')
        })
        .collect();
    if let Some(change) = import_line(code, &uses, path, &line) {
        return Ok(change);
    }
    if let Some(namespace) = children_of(root, &["namespace_definition"]).into_iter().next() {
        if namespace.child_by_field_name("body").is_some() {
            return refused("the namespace has braces and no imports");
        }
        let at = code.next_line(namespace.end_byte());
        return Ok((at..at, format!("\n{line}\n")));
    }
    let after = children_of(root, &["declare_statement"])
        .into_iter()
        .next()
        .or_else(|| children_of(root, &["php_tag"]).into_iter().next())
        .ok_or(NoFix::Unparsed)?;
    let at = code.next_line(after.end_byte());
    Ok((at..at, format!("\n{line}\n")))
}

/// The whole chain of calls that a node is a part of.
fn chain_of(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while let Some(parent) = at.parent() {
        let goes_on = match parent.kind() {
            "member_call_expression" | "nullsafe_member_call_expression" | "member_access_expression" => {
                parent.child_by_field_name("object") == Some(at) || parent.child_by_field_name("name") == Some(at)
            }
            "scoped_call_expression" | "variable_name" => true,
            "function_call_expression" => parent.child_by_field_name("function") == Some(at),
            _ => false,
        };
        if !goes_on {
            break;
        }
        at = parent;
    }
    at
}

/// The variable that a statement assigns a chain to.
fn assigned<'c>(code: &'c Code, statement: Node<'_>, chain: Node<'_>) -> Option<&'c str> {
    let [only] = children(statement)
        .try_into()
        .ok()
        .filter(|_| statement.kind() == "expression_statement")?;
    let only: Node<'_> = only;
    let left = only.child_by_field_name("left")?;
    let right = only.child_by_field_name("right")?;
    let right = match right.kind() {
        "error_suppression_expression" => children(right).into_iter().next()?,
        _ => right,
    };
    (only.kind() == "assignment_expression" && left.kind() == "variable_name" && right == chain)
        .then(|| code.text.get(left.byte_range()).unwrap_or(""))
}

fn handled(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    let chain = chain_of(node);
    let logger = logger(site, code, statement);
    let mut fix = Fix::default();
    let symbol = call.symbol.as_str();
    let method = symbol.rsplit('.').next().unwrap_or("");
    // WordPress writes blanks inside of parentheses.
    let space = if code.text.contains("wp_") && code.text.contains("( ") {
        " "
    } else {
        ""
    };
    let mut decision = DECIDE;
    if let Some((at, error)) = bare_rethrow(code, statement) {
        lines_of(code, at, at, &SHAPE)?;
        let indent = code.indent(at.start_byte()).to_owned();
        let line = logger.error(
            &format!("'exception' => {error}"),
            &format!("{error}->getMessage()"),
            space,
        );
        fix.insert(at.start_byte(), format!("{line}\n{indent}"));
    } else if matches!(method, "curl_exec" | "file_get_contents") || method.starts_with("wp_remote_") {
        let variable = assigned(code, statement, chain)
            .ok_or_else(|| NoFix::here("the result of the request is not assigned to a variable"))?;
        let (condition, line) = checked(code, chain, method, variable, &logger, space)?;
        check(code, statement, &condition, &line, space, &mut fix)?;
        decision = "The failure is logged, and the code goes on as before. Decide what the user gets when the model does not answer.";
    } else if symbol.starts_with("Illuminate.Support.Facades.Http") && !code.of_node(chain).contains("->throw(") {
        answered(code, statement, chain, method, &logger, &mut fix)?;
        decision = "The failure is logged, and the code goes on as before. Decide what the user gets when the model does not answer.";
    } else if symbol.contains("HttpClientInterface") {
        return refused("the client sends the request only where its response is read");
    } else if is_laravel(site, code) {
        return refused(
            "Laravel logs an uncaught failure with its trace; catch it where you decide what the user gets",
        );
    } else {
        wrapped(code, statement, &logger, space, &mut fix)?;
    }
    if let Some(path) = logger.import {
        let (range, text) = import(code, path)?;
        fix.replace(range, text);
    }
    fix.manual.push(decision.to_owned());
    Ok(fix)
}

/// The `throw` of a handler around a statement that does nothing else, with what it caught.
fn bare_rethrow<'t>(code: &Code, statement: Node<'t>) -> Option<(Node<'t>, String)> {
    let mut at = statement;
    while let Some(parent) = at.parent() {
        if SHAPE.functions.contains(&parent.kind()) {
            return None;
        }
        if parent.kind() == "try_statement" && parent.child_by_field_name("body") == Some(at) {
            for clause in children_of(parent, &["catch_clause"]) {
                let body = children(clause.child_by_field_name("body")?);
                let types = clause.child_by_field_name("type")?;
                let Some(name) = clause.child_by_field_name("name") else {
                    continue;
                };
                if let [only] = body.as_slice()
                    && code.of_node(*only).starts_with("throw ")
                    && is_rethrow_of(code.of_node(types))
                {
                    return Some((*only, code.of_node(name).to_owned()));
                }
            }
        }
        at = parent;
    }
    None
}

/// The condition of a failure, and the line that logs it.
fn checked(
    code: &Code,
    chain: Node<'_>,
    method: &str,
    variable: &str,
    logger: &Logger,
    space: &str,
) -> Result<(String, String), NoFix> {
    if method == "file_get_contents" {
        return Ok((
            format!("{variable} === false"),
            match &logger.call {
                Some(call) => format!("{call}error('{FAILED}');"),
                None => format!("error_log('{FAILED}');"),
            },
        ));
    }
    if method == "curl_exec" {
        let arguments = chain.child_by_field_name("arguments").map(children).unwrap_or_default();
        let handle = match arguments.as_slice() {
            [only] => code.of_node(*only),
            _ => "",
        };
        let is_plain = handle.starts_with('$')
            && handle
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '$' | '_' | '-' | '>'));
        if !is_plain {
            return refused("the handle of the request is not a variable");
        }
        let status = format!("curl_getinfo({handle}, CURLINFO_RESPONSE_CODE)");
        return Ok((
            format!("curl_errno({handle}) !== 0 || {status} >= 400"),
            match &logger.call {
                Some(call) => {
                    format!("{call}error('{FAILED}', ['status' => {status}, 'error' => curl_error({handle})]);")
                }
                None => format!("error_log('{FAILED}: HTTP ' . {status} . ' ' . curl_error({handle}));"),
            },
        ));
    }
    let status = format!("wp_remote_retrieve_response_code({space}{variable}{space})");
    let text = format!(
        "({space}is_wp_error({space}{variable}{space}) ? {variable}->get_error_message() : 'HTTP ' . {status}{space})"
    );
    Ok((
        format!("is_wp_error({space}{variable}{space}) || {status} >= 400"),
        logger.error(&format!("'error' => {text}"), &text, space),
    ))
}

/// Adds a check behind a statement.
fn check(
    code: &Code,
    statement: Node<'_>,
    condition: &str,
    line: &str,
    space: &str,
    fix: &mut Fix,
) -> Result<(), NoFix> {
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(statement.start_byte());
    let unit = code.indent_unit();
    fix.insert(
        range.end,
        format!("\n{indent}if ({space}{condition}{space}) {{\n{indent}{unit}{line}\n{indent}}}"),
    );
    Ok(())
}

/// Checks the response of the client of Laravel, which throws nothing on a status.
fn answered(
    code: &Code,
    statement: Node<'_>,
    chain: Node<'_>,
    method: &str,
    logger: &Logger,
    fix: &mut Fix,
) -> Result<(), NoFix> {
    let is_request = chain
        .child_by_field_name("name")
        .is_some_and(|name| code.of_node(name) == method);
    if !is_request {
        return refused("the response is read in the same expression, so its status is lost");
    }
    let line = |variable: &str| match &logger.call {
        Some(call) => format!("{call}error('{FAILED}', ['status' => {variable}->status()]);"),
        None => format!("error_log('{FAILED}: HTTP ' . {variable}->status());"),
    };
    if let Some(variable) = assigned(code, statement, chain) {
        let condition = format!("{variable}->failed()");
        return check(code, statement, &condition, &line(variable), "", fix);
    }
    if statement.kind() != "return_statement" || children(statement) != [chain] {
        return refused("the response is used in the same expression");
    }
    let function = around(statement, SHAPE.functions).unwrap_or(statement);
    let name = ["response", "reply", "answer"]
        .into_iter()
        .find(|name| !is_named(code, function, name))
        .ok_or_else(|| NoFix::here("the usual names for a response are in use here"))?;
    let variable = format!("${name}");
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(statement.start_byte());
    let unit = code.indent_unit();
    fix.replace(statement.start_byte()..chain.start_byte(), format!("{variable} = "));
    fix.insert(
        range.end,
        format!(
            "\n{indent}if ({variable}->failed()) {{\n{indent}{unit}{}\n{indent}}}\n\n{indent}return {variable};",
            line(&variable)
        ),
    );
    Ok(())
}

fn wrapped(code: &Code, statement: Node<'_>, logger: &Logger, space: &str, fix: &mut Fix) -> Result<(), NoFix> {
    if !matches!(
        statement.kind(),
        "expression_statement" | "return_statement" | "echo_statement"
    ) {
        return refused("the call is in the head of a statement, such as a condition or a loop");
    }
    if has_text_over_lines(statement, &[]) {
        return refused("the statement contains a string over several lines");
    }
    let scope = around(statement, SHAPE.functions).unwrap_or(statement);
    let name = ["e", "exception", "error"]
        .into_iter()
        .find(|name| !is_named(code, scope, name))
        .ok_or_else(|| NoFix::here("the usual names for an error are in use here"))?;
    let short = used_as(code, "Throwable").is_some() || children_of(code.root()?, &["namespace_definition"]).is_empty();
    let class = if short { "Throwable" } else { "\\Throwable" };
    let catch = format!("catch ({space}{class} ${name}{space})");
    let lines = [
        logger.error(
            &format!("'exception' => ${name}"),
            &format!("${name}->getMessage()"),
            space,
        ),
        format!("throw ${name};"),
    ];
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let guard = Guard {
        catch: &catch,
        lines: &lines,
        own_lines: false,
    };
    let text = guard.around(code, range.clone())?;
    fix.replace(range, text);
    fix.cover(statement);
    Ok(())
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    let logger = logger(site, code, statement);
    let Some(log) = &logger.call else {
        return refused("no logger is in reach here; choose one for the project first");
    };
    let mut fix = Fix::default();
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(statement.start_byte()).to_owned();
    let chain = chain_of(node);
    let symbol = call.symbol.as_str();
    let variable = assigned(code, statement, chain);
    let is_client = symbol.starts_with("OpenAI.") && symbol.ends_with(".create");
    let is_response = symbol.starts_with("Illuminate.Support.Facades.Http")
        && chain
            .child_by_field_name("name")
            .is_some_and(|name| Some(code.of_node(name)) == symbol.rsplit('.').next());
    match variable {
        Some(variable) if is_client => fix.insert(
            range.end,
            format!("\n{indent}{log}info('{ANSWERED}', ['model' => {variable}->model, 'id' => {variable}->id]);"),
        ),
        Some(variable) if is_response => fix.insert(
            range.end,
            format!(
                "\n{indent}{log}info('{ANSWERED}', ['status' => {variable}->status(), 'model' => {variable}->json('model')]);"
            ),
        ),
        _ => {
            if is_conditional(code, node, statement) {
                return refused("the call runs only on a condition");
            }
            fix.insert(range.start, format!("{log}info('{CALLED}');\n{indent}"));
        }
    }
    if let Some(path) = logger.import {
        let (range, text) = import(code, path)?;
        fix.replace(range, text);
    }
    fix.cover_block(statement);
    fix.safe = true;
    Ok(fix)
}
