//! PHP: how names and values are followed, and what surrounds a call.

use super::{calls, check, facts, scan};

const ASKED: &str = "$r = OpenAI::client('k')->chat()->create(['model' => 'gpt-4o', 'messages' => [['role' => 'user', 'content' => $q]]]);";

/// A page that asks a model and then does something with the answer.
fn page(then: &str) -> String {
    format!("//- a.php\n<?php\n$q = $_POST['q'];\n{ASKED}\n$answer = $r->choices[0]->message->content;\n{then}\n")
}

#[test]
fn classes_are_found_by_their_namespace_and_not_by_their_name() {
    check(
        "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n//- src/Llm/Client.php\n<?php\nnamespace App\\Llm;\nclass Client {\n  private \\OpenAI\\Client $inner;\n  \
         public function __construct() { $this->inner = \\OpenAI::client('k'); }\n  public function inner() { return $this->inner; }\n  public function ask($q) { return \
         $this->inner->chat()->create(['model' => Models::FAST->value, 'messages' => $q]); }\n}\n//- src/Llm/Models.php\n<?php\nnamespace App\\Llm;\nenum Models: string { case FAST = 'gpt-4o-mini'; \
         }\n//- src/Other/Client.php\n<?php\nnamespace App\\Other;\nclass Client { public function chat() { return $this; } public function create($x) { return $x; } }\n//- src/Use.php\n<?php\nnamespace \
         App;\nuse App\\Other\\Client;\nfunction f(Client $c) { return $c->chat()->create(['model' => 'gpt-4o', 'messages' => []]); }\n",
        "src/Llm/Client.php:7 openai gpt-4o-mini",
    );
}

#[test]
fn clients_come_from_factories_parents_traits_and_containers() {
    check(
        "//- base.php\n<?php\nabstract class Base {\n  protected function client(): OpenAI\\Client { return OpenAI::client('k'); }\n}\n//- talk.php\n<?php\nclass Talk extends Base {\n  public function \
         run($q) {\n    return $this->client()->responses()->create(['model' => 'gpt-4.1', 'input' => $q]);\n  }\n}\n",
        "talk.php:4 openai gpt-4.1",
    );
    check(
        "//- a.php\n<?php\nuse OpenAI\\Client;\ntrait Asks {\n  private Client $ai;\n}\nclass A {\n  use Asks;\n  function f($q) { return $this->ai->completions()->create(['model' => MODEL, 'prompt' => $q]); \
         }\n}\ndefine('MODEL', 'gpt-3.5-turbo-instruct');\n",
        "a.php:8 openai gpt-3.5-turbo-instruct",
    );
    check(
        "//- a.php\n<?php\nuse Anthropic\\Client;\n$c = resolve(Client::class);\n$r = $c->messages()->create(['model' => getenv('M') ?: 'claude-sonnet-4-5', 'messages' => []]);\n",
        "a.php:4 anthropic claude-sonnet-4-5",
    );
}

#[test]
fn php_requests_are_identified_by_address() {
    check(
        "//- lib/http.php\n<?php\nfunction post_json($url, $data) {\n  $ch = curl_init($url);\n  curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode($data));\n  $out = curl_exec($ch);\n  return \
         json_decode($out, true);\n}\n//- index.php\n<?php\nrequire_once __DIR__ . '/lib/http.php';\nrequire 'config.php';\necho post_json(API . '/chat/completions', ['model' => 'gpt-4o', 'messages' => \
         [$_GET['q']]])['choices'][0]['message']['content'];\n//- config.php\n<?php\nconst API = 'https://api.openai.com/v1';\n",
        "index.php:4 openai gpt-4o",
    );
    check(
        "//- a.php\n<?php\nclass A {\n  private $ch;\n  function open() { $this->ch = curl_init(); curl_setopt($this->ch, CURLOPT_URL, 'https://api.mistral.ai/v1/chat/completions'); }\n  function send($b) \
         { curl_setopt($this->ch, CURLOPT_POSTFIELDS, json_encode(['model' => 'mistral-large-latest', 'messages' => $b])); return curl_exec($this->ch); }\n}\n",
        "a.php:5 mistral mistral-large-latest",
    );
    // The same with a host of somebody else, and with the address in a comment only.
    assert_eq!(
        calls(
            "//- a.php\n<?php\n// https://api.openai.com/v1/chat/completions\n$ch = curl_init('https://shop.example.org/v1/orders');\ncurl_setopt($ch, CURLOPT_POSTFIELDS, json_encode(['model' => 'x1']));\necho \
             curl_exec($ch);\n"
        ),
        ""
    );
    // Two handles in one function are two requests.
    check(
        "//- a.php\n<?php\nfunction f($q) {\n  $a = curl_init();\n  $b = curl_init();\n  curl_setopt($a, CURLOPT_URL, 'https://shop.example.org/v1');\n  curl_setopt($b, CURLOPT_URL, \
         'https://api.anthropic.com/v1/messages');\n  $x = curl_exec($a);\n  return curl_exec($b);\n}\n",
        "a.php:8 anthropic -",
    );
}

#[test]
fn php_functions_give_output_effects() {
    for (then, words) in [
        ("echo $answer;", "unhandled unlogged page"),
        ("shell_exec($answer);", "unhandled unlogged shell"),
        ("mail('a@example.org', 'Answer', $answer);", "unhandled unlogged mail"),
        (
            "$pdo->prepare('INSERT INTO a VALUES (?)')->execute([$answer]);",
            "unhandled unlogged database",
        ),
        (
            "error_log('asked'); wp_send_json_success($answer);",
            "unhandled console page",
        ),
        (
            "$this->logger->info('asked', ['answer' => $answer]);",
            "unhandled logged",
        ),
        ("$n = strlen($answer);", "unhandled unlogged"),
        ("curl_exec(curl_init('https://example.org'));", "unhandled unlogged"),
    ] {
        facts(&page(then), words);
    }
    facts(
        &page("if (!$r) { echo 'nothing'; }")
            .replace("<?php\n", "<?php\ntry {\n")
            .replace("; }\n", "; }\n} catch (\\Exception $e) { report($e); }\n"),
        "handled logged branch",
    );
}

#[test]
fn a_component_shows_what_its_fields_hold_and_a_job_shows_nothing() {
    let class = |head: &str| {
        format!(
            "//- a.php\n<?php\nuse Livewire\\Component;\nclass A {head} {{\n  public $q = '';\n  public $answer = '';\n  function ask() {{ $r = OpenAI::client('k')->chat()->create(['model' => 'gpt-4o', \
             'messages' => [['role' => 'user', 'content' => $this->q]]]); $this->answer = $r->choices[0]; $this->dispatch($r); }}\n}}\n"
        )
    };
    facts(&class("extends Component"), "unhandled unlogged page");
    facts(&class(""), "unhandled unlogged");
}

#[test]
fn what_is_sent_is_told_by_requests_rows_and_files() {
    use engine_model::Sends;
    let sent = |source: &str| {
        let tree = format!(
            "//- a.php\n<?php\nnamespace App;\nuse App\\Models\\Note;\nfunction f($request) {{\n$q = {source};\n{}\n}}\n",
            ASKED.replace("OpenAI::", "\\OpenAI::")
        );
        scan(&tree)
            .calls
            .iter()
            .find(|call| !call.sends.is_empty())
            .expect("a call")
            .sends
            .clone()
    };
    assert_eq!(sent("$request->input('q')"), [Sends::UserInput]);
    assert_eq!(sent("trim($_GET['q'])"), [Sends::UserInput]);
    assert_eq!(
        sent("json_decode(file_get_contents('php://input'))->q"),
        [Sends::UserInput]
    );
    assert_eq!(sent("Note::where('id', 3)->first()->text"), [Sends::Database]);
    assert_eq!(sent("file_get_contents('notes.txt')"), [Sends::File]);
    assert_eq!(sent("'a fixed question'"), [Sends::Constant]);
    assert_eq!(sent("$given"), [Sends::Unknown]);
}

#[test]
fn routes_hooks_commands_and_pages_lead_to_calls() {
    let tree = format!(
        "//- routes/web.php\n<?php\nuse App\\Http\\Ask;\nuse Illuminate\\Support\\Facades\\Route;\nRoute::post('ask', [Ask::class, 'now']);\n//- app/Http/Ask.php\n<?php\nnamespace App\\Http;\nclass Ask {{\n  public \
         function now($q) {{ {} return $r; }}\n}}\n//- wp/plugin.php\n<?php\nadd_action('wp_ajax_ask', 'plugin_ask');\nfunction plugin_ask() {{ {ASKED} wp_send_json($r); }}\n//- bin/ask.php\n<?php\n$q = $argv[1];\n{ASKED}\n\
         echo $r;\n//- page.php\n<p>Ask</p>\n<?php $q = $_POST['q']; {ASKED} echo $r; ?>\n",
        ASKED.replace("OpenAI::", "\\OpenAI::")
    );
    let mut found: Vec<String> = scan(&tree)
        .entry_points
        .iter()
        .map(|entry| format!("{:?} {} {}", entry.entry.kind, entry.entry.name, entry.entry.file))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "Http ask routes/web.php",
            "Http page.php page.php",
            "Http wp_ajax_ask wp/plugin.php",
            "Main bin/ask.php bin/ask.php",
        ]
    );
}

#[test]
fn imports_are_told_from_lines() {
    let found = crate::prefilter::imports(
        engine_model::Language::Php,
        "<?php\nuse A\\B;\nuse A\\{C, D\\E as F};\nuse function G\\h;\n$f = function () use ($x) {};\nrequire_once __DIR__ . '/../lib/i.php';\n",
    );
    assert_eq!(found, ["./../lib/i.php", "A\\B", "A\\C", "A\\D\\E", "G\\h"]);
}
