//! Forms of PHP that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, LOG, fixed, has};

fn script(body: &str) -> String {
    format!(
        "//- chat.php\n<?php\nrequire 'vendor/autoload.php';\n\n$client = OpenAI::client(getenv('OPENAI_API_KEY'));\n{body}"
    )
}

#[test]
fn script_logs_to_the_log_of_the_server() {
    let out = fixed(
        &script(
            "echo $client->chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]])->choices[0]->message->content;\n",
        ),
        FAILURE,
    );
    assert!(
        has(
            &out,
            &[
                "try {\n    echo $client",
                "} catch (Throwable $e) {\n    error_log('The call to the AI model failed: ' . $e->getMessage());\n    throw $e;\n}\n"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn heredoc_is_not_moved() {
    let body = "echo $client->chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => <<<TEXT\nAnswer: {$_POST['q']}\nTEXT]]])->choices[0]->message->content;\n";
    assert!(fixed(&script(body), FAILURE).unwrap_err().contains("several lines"));
}

#[test]
fn statement_behind_a_condition_without_braces_is_refused() {
    let body = "if ($_POST['q']) echo $client->chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]])->choices[0]->message->content;\n";
    assert!(fixed(&script(body), FAILURE).is_err());
}

#[test]
fn log_of_a_project_without_a_logger_is_refused() {
    let body = "echo $client->chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $_POST['q']]]])->choices[0]->message->content;\n";
    assert!(fixed(&script(body), LOG).unwrap_err().contains("no logger"));
}

/// A controller of Laravel in a project with another class of the name `Log`.
const CONTROLLER: &str = "//- composer.json\n{\"require\": {\"laravel/framework\": \"^11.0\"}}\n//- app/Http/Controllers/ChatController.php\n<?php\n\nnamespace App\\Http\\Controllers;\n\nuse App\\Models\\Log;\nuse OpenAI\\Laravel\\Facades\\OpenAI;\n\nclass ChatController extends Controller\n{\n    public function chat(Request $request)\n    {\n        $result = OpenAI::chat()->create(['model' => 'gpt-4.1-2025-04-14', 'messages' => [['role' => 'user', 'content' => $request->input('q')]]]);\n        return response()->json(['reply' => $result->choices[0]->message->content]);\n    }\n}\n";

#[test]
fn failure_that_the_framework_logs_is_not_logged_twice() {
    assert!(fixed(CONTROLLER, FAILURE).unwrap_err().contains("Laravel logs"));
}

#[test]
fn other_class_named_log_is_left_alone() {
    let out = fixed(CONTROLLER, LOG);
    assert!(has(&out, &["logger()->info('The AI model answered'"]), "{out:?}");
}
