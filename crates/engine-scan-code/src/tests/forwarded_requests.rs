//! Requests that are sent in one place and described in another.

use engine_model::{Call, CallKind, ErrorHandling};

use super::{check, scan};

#[test]
fn request_helper_is_attributed_to_its_callers() {
    let tool = "//- src/http.ts\nexport async function send(url: string, body: unknown) {\n  const r = await fetch(url, { method: 'POST', body: JSON.stringify(body) });\n  return r.json();\n}\n";
    check(
        &format!(
            "{tool}//- src/a.ts\nimport {{ send }} from './http';\nexport const ask = (q: string) => send('https://api.openai.com/v1/chat/completions', {{ model: 'gpt-4o', messages: [{{ role: 'user', content: q }}] }});\nexport const order = (id: string) => send('https://shop.example.com/v1/orders', {{ id }});\nexport const paint = (p: string) => send('https://api.openai.com/v1/images/generations', {{ model: 'dall-e-3', prompt: p }});\n"
        ),
        "src/a.ts:2 openai gpt-4o\nsrc/a.ts:4 openai dall-e-3",
    );
    // Whoever only orders asks nobody.
    check(
        &format!(
            "{tool}//- src/a.ts\nimport {{ send }} from './http';\n// https://api.openai.com/v1/chat/completions\nexport const order = (id: string) => send('https://shop.example.com/v1/orders', {{ model: id, prompt: 'x' }});\n"
        ),
        "",
    );
}

#[test]
fn a_wrapper_around_one_model_stands_for_itself() {
    check(
        "//- a.py\nimport requests\ndef post(path, body):\n    return requests.post('https://api.mistral.ai/v1/' + path, json=body).json()\ndef ask(q):\n    return post('chat/completions', {'model': 'mistral-small-latest', 'messages': q})\ndef again(q):\n    return post('chat/completions', {'model': 'mistral-small-latest', 'messages': q})\n",
        "a.py:3 mistral mistral-small-latest",
    );
}

#[test]
fn a_request_of_go_is_sent_by_another_function() {
    let head = "package a\nimport (\n\t\"bytes\"\n\t\"net/http\"\n)\ntype client struct{ hc *http.Client }\nfunc (c *client) send(req *http.Request) (*http.Response, error) {\n\treturn c.hc.Do(req)\n}\n";
    check(
        &format!(
            "//- a.go\n{head}const chat = \"https://api.openai.com/v1/chat/completions\"\nfunc (c *client) Ask(b []byte) {{\n\treq, _ := http.NewRequest(http.MethodPost, chat, bytes.NewReader(b))\n\tc.send(req)\n}}\nfunc (c *client) Order(b []byte) {{\n\treq, _ := http.NewRequest(http.MethodPost, \"https://shop.example.com/orders\", bytes.NewReader(b))\n\tc.send(req)\n}}\n"
        ),
        "a.go:13 openai -",
    );
}

#[test]
fn unknown_address_is_identified_by_request_body() {
    check(
        "//- a.ts\nexport async function ask(cfg: Settings, q: string) {\n  const r = await fetch(cfg.apiUrl, { method: 'POST', body: JSON.stringify({ model: cfg.model, max_tokens: 9, messages: [{ role: 'user', content: q }] }) });\n  const data = await r.json();\n  return data.choices[0].message.content;\n}\n",
        "a.ts:2 openai-compatible -",
    );
    for tree in [
        // A page that asks its own server.
        "//- a.ts\nexport const ask = (q: string) => fetch('/api/chat', { method: 'POST', body: JSON.stringify({ model: 'x', max_tokens: 9, messages: [{ role: 'user', content: q }] }) });\n",
        // A hook of a chat room.
        "//- a.ts\nexport const tell = (cfg: Settings) => fetch(cfg.hookUrl, { method: 'POST', body: JSON.stringify({ messages: [{ text: 'hi' }], model: 'card', prompt: 'x' }) });\n",
    ] {
        check(tree, "");
    }
}

#[test]
fn a_model_that_a_caller_chooses_is_asked_behind_an_address_that_a_caller_gives() {
    let tree = |body: &str| {
        format!(
            "//- url.ts\nexport const getUrl = (base: string) => {{\n  return `${{base}}/api/generate`;\n}};\n//- a.ts\nimport {{ getUrl }} from './url';\nexport const ask = async (base: string, model: string, prompt: string) => {{\n  const r = await fetch(getUrl(base), {{ method: 'POST', body: JSON.stringify({body}) }});\n  return r.json();\n}};\n"
        )
    };
    check(&tree("{ model, prompt, stream: true }"), "a.ts:3 ollama -");
    for body in [
        "{ template: model, title: prompt }",
        "{ model, prompt }",
        "{ prompt, stream: true }",
    ] {
        check(&tree(body), "");
    }
}

#[test]
fn setting_named_after_provider_gives_provider() {
    check(
        "//- a.ts\nexport const ask = (body: unknown) => fetch(process.env.OPENAI_API_URL, { method: 'POST', body: JSON.stringify(body) });\n",
        "a.ts:1 openai -",
    );
    check(
        "//- a.ts\n// OPENAI_API_URL\nexport const ask = (body: unknown) => fetch(process.env.BILLING_API_URL, { method: 'POST', body: JSON.stringify(body) });\nexport const get = () => fetch(process.env.OPENAI_STATUS_URL + '/status', { body: 'x' });\n",
        "",
    );
}

#[test]
fn clients_are_taken_out_of_the_context_of_a_request() {
    check(
        "//- src/hooks.server.ts\nimport OpenAI from 'openai';\nconst openai = new OpenAI();\nexport const handle = async ({ event, resolve }) => {\n  event.locals.openai = openai;\n  return resolve(event);\n};\n//- src/routes/ask/+server.ts\nexport const POST = async ({ request, locals: { user, openai } }) => {\n  return openai.chat.completions.create({ model: 'gpt-4o', messages: [] });\n};\n",
        "src/routes/ask/+server.ts:2 openai gpt-4o",
    );
    check(
        "//- app.py\nfrom fastapi import FastAPI, Request\nfrom openai import OpenAI\napp = FastAPI()\napp.state.llm = OpenAI()\n@app.post('/x')\ndef f(request: Request):\n    return request.app.state.llm.responses.create(model='o3', input='x')\n",
        "app.py:7 openai o3",
    );
    check(
        "//- src/hooks.server.ts\nimport OpenAI from 'openai';\nexport const handle = async ({ event, resolve }) => {\n  event.locals.openai = new OpenAI();\n  event.locals.chat = makeRoom();\n  return resolve(event);\n};\n//- src/routes/ask/+server.ts\nexport const POST = async ({ request, locals: { chat } }) => {\n  return chat.completions.create({ model: 'x', messages: [] });\n};\n",
        "",
    );
}

#[test]
fn branches_are_values() {
    check(
        "//- src/main.rs\nuse reqwest::Client;\nasync fn ask(client: &Client, p: Provider) {\n    let (url, key) = match p {\n        Provider::Groq => (\"https://api.groq.com/openai/v1/chat/completions\".to_string(), 1),\n        Provider::Shop => (\"https://shop.example.com/orders\".to_string(), 2),\n    };\n    let r = client.post(url).json(&body).send().await;\n}\n",
        "src/main.rs:7 groq -",
    );
    check(
        "//- src/config.rs\nuse std::env;\npub struct Config { pub base: String }\nimpl Config {\n    pub fn new() -> Self {\n        let base = env::var(\"BASE\").unwrap_or_else(|_| String::from(\"https://api.openai.com/v1\"));\n        Self { base }\n    }\n}\n//- src/main.rs\nuse config::Config;\nuse reqwest::blocking::Client;\nmod config;\nfn main() {\n    let config = Config::new();\n    let r = Client::new().post(format!(\"{}/completions\", config.base)).json(&serde_json::json!({ \"model\": \"gpt-3.5-turbo-instruct\", \"prompt\": \"x\" })).send();\n}\n",
        "src/main.rs:6 openai gpt-3.5-turbo-instruct",
    );
}

#[test]
fn scripts_of_components_hold_calls() {
    check(
        "//- src/Chat.vue\n<template>\n  <p>{{ answer }}</p>\n</template>\n<script setup lang=\"ts\">\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst answer = await client.responses.create({ model: 'gpt-4o', input: 'x' });\n</script>\n//- src/urls.svelte\n<script context=\"module\">\n  export const at = () => import.meta.env.VITE_AT || '/v1/chat/completions';\n</script>\n//- src/ask.svelte\n<script>\n  import { at } from './urls.svelte';\n  fetch(at(), { method: 'POST', body: JSON.stringify({ model: 'gpt-4o', messages: [] }) });\n</script>\n",
        "src/Chat.vue:7 openai gpt-4o\nsrc/ask.svelte:3 openai-compatible gpt-4o",
    );
    let none = scan(
        "//- src/Chat.vue\n<template>\n  <pre>import OpenAI from 'openai'; new OpenAI().responses.create({ model: 'gpt-4o' })</pre>\n</template>\n<script>\nexport default { name: 'Chat', data: () => ({ model: 'room', messages: [] }) };\n</script>\n",
    );
    assert!(none.calls.is_empty(), "{:?}", none.calls);
}

#[test]
fn what_is_handed_to_a_thread_is_run() {
    check(
        "//- a.py\nfrom threading import Thread\nfrom diffusers import StableDiffusionPipeline\npipe = StableDiffusionPipeline.from_pretrained('a/b')\ndef f(t):\n    Thread(target=pipe, args=(t,)).start()\n",
        "a.py:5 huggingface a/b",
    );
    check(
        "//- a.py\nfrom threading import Thread\nfrom openai import OpenAI\nclient = OpenAI()\ndef log(x): ...\ndef f(t):\n    Thread(target=log, args=(client,)).start()\n",
        "",
    );
}

#[test]
fn long_path_on_local_port_is_not_a_model_server() {
    check(
        "//- a.ts\nexport const quiz = (data: unknown) => fetch('http://localhost:8080/api/quiz/generate', { method: 'POST', body: JSON.stringify({ prompt: data }) });\n",
        "",
    );
    check(
        "//- a.py\nimport requests\nrequests.post('http://localhost:8080/completion', json={'prompt': 'x'})\n",
        "a.py:2 local -",
    );
}

#[test]
fn a_default_and_what_callers_put_in_its_place_are_all_told() {
    let names = |tree: &str| -> Vec<(String, Vec<String>)> {
        let models = scan(tree).models.into_iter();
        models.map(|model| (model.name, model.occurrences)).collect()
    };
    let tree = "//- src/ask.js\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function ask(prompt, options = { model: 'gpt-3.5-turbo' }) {\n  const reply = await client.chat.completions.create({ model: options.model, messages: [{ role: 'user', content: prompt }] });\n  return reply.choices[0].message.content;\n}\n//- src/main.js\nimport { ask } from './ask';\nawait ask('a');\nawait ask('b', { model: 'gpt-4' });\n";
    let found = names(tree);
    let of = |name: &str| {
        found
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, places)| places.clone())
    };
    assert_eq!(of("gpt-3.5-turbo"), Some(vec!["src/ask.js:3".to_owned()]), "{found:?}");
    assert!(of("gpt-4").is_some(), "{found:?}");
    // What a test hands over is no model of the product, and what is only compared is asked for by nobody.
    let tested = tree
        .replace("{ model: 'gpt-3.5-turbo' }", "{ model: 'gpt-4' }")
        .replace("//- src/main.js", "//- tests/ask.test.js")
        .replace(
            "await ask('b', { model: 'gpt-4' })",
            "test('x', () => ask('b', { model: 'gpt-3.5-turbo' }))",
        );
    let found = names(&tested);
    assert!(found.iter().all(|(name, _)| name != "gpt-3.5-turbo"), "{found:?}");
}

/// The first call of a project.
fn asked(text: &str) -> Call {
    scan(text)
        .calls
        .into_iter()
        .find(|call| call.kind == CallKind::Call)
        .unwrap()
}

#[test]
fn deletion_dialog_is_not_an_approval() {
    let approved = |question: &str, shown: &str| {
        let text = format!(
            "//- src/app.ts\nimport OpenAI from 'openai';\nconst c = new OpenAI();\nexport async function ask(text: string) {{\n  const answer = await c.responses.create({{ model: 'o3', input: text }});\n  save(answer.output_text);\n}}\nexport function remove(name: string) {{\n  if (window.confirm({question})) {{\n    {shown};\n  }}\n}}\n"
        );
        asked(&text).human_approval
    };
    assert_ne!(approved("`Remove ${name} from the system?`", "drop(name)"), Some(true));
    assert_eq!(approved("`Send the draft of ${name}?`", "send(name)"), Some(true));
}

#[test]
fn a_function_that_another_thread_runs_fails_where_its_result_is_taken() {
    let tree = |run: &str| {
        format!(
            "//- app.py\nimport asyncio\nfrom concurrent.futures import ThreadPoolExecutor\nfrom openai import OpenAI\nc = OpenAI()\nasync def grade(text):\n    def ask():\n        return c.responses.create(model='o3', input=text)\n    executor = ThreadPoolExecutor(max_workers=1)\n{run}\n    except Exception as e:\n        log(e)\n        return 'later'\n"
        )
    };
    let of = |run: &str| asked(&tree(run)).error_handling;
    assert_eq!(
        of("    future = executor.submit(ask)\n    try:\n        return future.result(timeout=5)"),
        ErrorHandling::Yes
    );
    assert_eq!(
        of("    try:\n        return await asyncio.to_thread(ask)"),
        ErrorHandling::Yes
    );
    // Nobody takes its result in the block that catches.
    assert_eq!(
        of("    future = executor.submit(ask)\n    print(future.result())\n    try:\n        text.strip()"),
        ErrorHandling::No
    );
}

#[test]
fn handler_that_reraises_is_not_error_handling() {
    let tree = |raised: &str| {
        format!(
            "//- app.py\nfrom openai import OpenAI\nfrom rest_framework.response import Response\nc = OpenAI()\ndef ask(text):\n    try:\n        return c.responses.create(model='o3', input=text)\n    except Exception as e:\n        logger.error(e)\n        {raised}\n"
        )
    };
    assert_eq!(
        asked(&tree("raise Response({'error': str(e)}, status=400) from e")).error_handling,
        ErrorHandling::No
    );
    assert_eq!(
        asked(&tree("return Response({'error': str(e)}, status=400)")).error_handling,
        ErrorHandling::Yes
    );
}

#[test]
fn a_text_that_names_the_maker_is_kept_beside_a_call_and_a_note_for_a_log_is_not() {
    let hinted = |shown: &str| {
        let text = format!(
            "//- app.py\nfrom flask import Flask, request\nfrom openai import OpenAI\napp = Flask(__name__)\nc = OpenAI()\n@app.post('/x')\ndef ask():\n    answer = c.responses.create(model='o3', input=request.form['text'])\n    {shown}\n    return answer.output_text\n"
        );
        let call = asked(&text);
        (
            call.disclosure,
            call.traced(engine_model::TraceKind::ToldOfAi).is_some(),
        )
    };
    assert_eq!(hinted("flash('Basado en OpenAI')"), (Some(false), true));
    assert_eq!(hinted("logger.info('Basado en OpenAI')"), (Some(false), false));
}

#[test]
fn another_name_of_a_text_in_go_hides_no_model() {
    let tree = |of: &str| {
        format!(
            "//- main.go\npackage main\n\nimport (\n\t\"bytes\"\n\t\"encoding/json\"\n\t\"net/http\"\n)\n\ntype Kind {of}\n\ntype Request struct {{\n\tModel Kind `json:\"model\"`\n}}\n\nfunc ask(r *Request) (*http.Response, error) {{\n\tbody, err := json.Marshal(r)\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n\treq, _ := http.NewRequest(\"POST\", \"https://api.openai.com/v1/chat/completions\", bytes.NewBuffer(body))\n\treturn http.DefaultClient.Do(req)\n}}\n\nfunc main() {{\n\task(&Request{{Model: \"gpt-3.5-turbo\"}})\n}}\n"
        )
    };
    let model = |of: &str| scan(&tree(of)).calls.into_iter().find_map(|call| call.model);
    assert_eq!(model("string").as_deref(), Some("gpt-3.5-turbo"));
    // What a structure holds is not known by its name.
    assert_eq!(model("struct { Name string }"), None);
}

#[test]
fn registered_message_handler_receives_user_input() {
    let tree = |library: &str, place: &str| {
        format!(
            "//- main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"{library}\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\n\nfunc hear(msg *openwechat.Message) {{\n\tclient := openai.NewClient(\"k\")\n\treply, _ := client.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{{Model: \"gpt-4.1\", Messages: []openai.ChatCompletionMessage{{{{Role: \"user\", Content: msg.Content}}}}}})\n\tmsg.ReplyText(reply.Choices[0].Message.Content)\n}}\n\nfunc main() {{\n\tbot := openwechat.DefaultBot(openwechat.Desktop)\n\tbot.{place} = hear\n\tbot.Block()\n}}\n"
        )
    };
    let hears = |library: &str, place: &str| {
        let join = scan(&tree(library, place));
        let sends = |call: &Call| call.sends.contains(&engine_model::Sends::UserInput);
        join.calls.iter().any(|call| call.kind == CallKind::Call && sends(call))
    };
    assert!(hears("github.com/eatmoreapple/openwechat", "MessageHandler"));
    assert!(!hears("github.com/eatmoreapple/openwechat", "LogHandler"));
    assert!(!hears("example.org/openwechat", "MessageHandler"));
}
