//! Small trees with the records that must come out of them.

mod blocks;
mod incremental;

mod application_rules;
mod clients;
mod forwarded_requests;
mod later_application_rules;

use engine_model::{CallKind, Effect, ErrorHandling, Logging, fixture};

mod bounds;
mod input_sources;
mod models;
mod names;
mod php;
mod ruby;

use crate::{CodeJoin, ManifestNames, join, read, shapes, wants};

fn scan(tree: &str) -> CodeJoin {
    scan_with(tree, &ManifestNames::default())
}

fn scan_with(tree: &str, packages: &ManifestNames) -> CodeJoin {
    let tree = fixture(tree).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, packages, &tree)
}

fn kind(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Call => "call",
        CallKind::Construct => "construct",
        CallKind::Declare => "declare",
        CallKind::ModelLoad => "model_load",
        CallKind::McpServer => "mcp_server",
    }
}

/// Calls as `file:line provider model`, one a line.
fn calls(tree: &str) -> String {
    scan(tree)
        .calls
        .iter()
        .filter(|call| call.kind == CallKind::Call)
        .map(|call| {
            format!(
                "{}:{} {} {}",
                call.file,
                call.line,
                call.provider.as_deref().unwrap_or("-"),
                call.model.as_deref().unwrap_or("-")
            )
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
fn check(tree: &str, expected: &str) {
    assert_eq!(calls(tree).trim(), expected.trim());
}

#[track_caller]
fn facts(tree: &str, expected: &str) {
    let result = scan(tree);
    let call = result
        .calls
        .iter()
        .find(|call| call.kind == CallKind::Call)
        .expect("a call");
    let errors = match call.error_handling {
        ErrorHandling::Yes => "handled",
        ErrorHandling::Propagate => "propagated",
        ErrorHandling::No => "unhandled",
    };
    let logging = match call.logging {
        Logging::Yes => "logged",
        Logging::Console => "console",
        Logging::No => "unlogged",
    };
    let mut words = vec![errors, logging];
    if call.human_approval == Some(true) {
        words.push("approved");
    }
    if call.disclosure == Some(true) {
        words.push("disclosed");
    }
    for effect in &call.effects {
        words.push(match effect {
            Effect::Tool => "tool",
            Effect::Shell => "shell",
            Effect::Database => "database",
            Effect::Mail => "mail",
            Effect::Page => "page",
            Effect::Branch => "branch",
        });
    }
    assert_eq!(words.join(" "), expected);
}

#[test]
fn every_example_of_the_shapes_is_found() {
    let mut wrong = Vec::new();
    for (family, sdk) in shapes::all() {
        let Some(example) = &sdk.example else { continue };
        let path = match family {
            shapes::Family::Python => "app.py",
            shapes::Family::Script => "src/app.ts",
            shapes::Family::Go => "main.go",
            shapes::Family::Rust => "src/main.rs",
            shapes::Family::Jvm => "src/main/java/a/A.java",
            shapes::Family::DotNet => "A.cs",
            shapes::Family::Php => "app.php",
            shapes::Family::Ruby => "app.rb",
            shapes::Family::Shell => "run.sh",
        };
        let result = scan(&format!("//- {path}\n{example}"));
        let found: Vec<String> = result
            .calls
            .iter()
            .map(|call| format!("{} {}", kind(call.kind), call.symbol))
            .collect();
        for expected in &sdk.expect {
            if !found.contains(expected) {
                wrong.push(format!("{family:?} {}: wanted `{expected}`, found {found:?}", sdk.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn aliases_factories_and_globals_are_followed() {
    check(
        "//- a.py\nfrom openai import AsyncOpenAI as Client\n_c = None\ndef get():\n    global _c\n    if _c is None:\n        _c = Client()\n    return _c\nasync def ask(q):\n    return await get().chat.completions.create(model='gpt-4o', messages=q)\n",
        "a.py:9 openai gpt-4o",
    );
    check(
        "//- a.py\nimport functools\nfrom anthropic import Anthropic\nclient = Anthropic()\nask = functools.partial(client.messages.create, model='claude-3-haiku-20240307')\ndef run(q):\n    return ask(messages=q)\n",
        "a.py:6 anthropic claude-3-haiku-20240307",
    );
}

#[test]
fn clients_cross_files_fields_and_parameters() {
    check(
        "//- app/llm.py\nfrom openai import OpenAI\nMODEL = 'gpt-4.1'\nclient = OpenAI()\n//- app/service.py\nfrom .llm import client, MODEL\nclass Service:\n    def __init__(self, c):\n        self.c = c\n    def ask(self, q):\n        return self.c.responses.create(model=MODEL, input=q)\nservice = Service(client)\n",
        "app/service.py:6 openai gpt-4.1",
    );
    check(
        "//- src/lib/llm.ts\nimport OpenAI from 'openai';\nexport const llm = new OpenAI();\n//- src/app.ts\nimport { llm } from '@/lib/llm';\nexport async function ask(q: string) {\n  return llm.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: q }] });\n}\n",
        "src/app.ts:3 openai gpt-4o",
    );
    check(
        "//- src/a.ts\nimport Anthropic from '@anthropic-ai/sdk';\nexport class A {\n  constructor(private readonly client: Anthropic) {}\n  ask(q: string) {\n    return this.client.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 5, messages: [] });\n  }\n}\n",
        "src/a.ts:5 anthropic claude-sonnet-4-5",
    );
    check(
        "//- a.py\nfrom openai import OpenAI\ndef ask(client, q):\n    return client.responses.create(model='o3', input=q)\ndef main():\n    ask(OpenAI(), 'hi')\n",
        "a.py:3 openai o3",
    );
}

#[test]
fn addresses_decide_about_requests() {
    check(
        "//- a.py\nimport os, requests\nBASE = os.getenv('BASE', 'https://api.mistral.ai')\ndef ask(q):\n    return requests.post(f'{BASE}/v1/chat/completions', json={'model': 'mistral-small-latest', 'messages': q})\n",
        "a.py:4 mistral mistral-small-latest",
    );
    check(
        "//- a.ts\nconst r = await fetch('http://localhost:11434/api/generate', { method: 'POST', body: JSON.stringify({ model: 'llama3', prompt: 'x' }) });\n",
        "a.ts:1 ollama llama3",
    );
    check(
        "//- a.py\nimport requests\nrequests.post('https://example.com/v1/orders', json={'model': 'x100'})\n",
        "",
    );
    check(
        "//- a.py\nURLS = ['https://api.openai.com/v1/chat/completions']\nimport requests\nrequests.get('https://openai.com/blog')\n",
        "",
    );
}

#[test]
fn another_server_behind_the_same_library_is_told() {
    check(
        "//- a.py\nfrom openai import OpenAI\nc = OpenAI(base_url='http://gpu-box.internal:8000/v1')\nc.chat.completions.create(model='qwen', messages=[])\n",
        "a.py:3 openai-compatible qwen",
    );
    check(
        "//- a.py\nfrom openai import OpenAI\nc = OpenAI(base_url='https://openrouter.ai/api/v1')\nc.chat.completions.create(model='meta-llama/llama-3-70b', messages=[])\n",
        "a.py:3 openrouter meta-llama/llama-3-70b",
    );
    check(
        "//- a.py\nfrom openai import AzureOpenAI\nc = AzureOpenAI(azure_endpoint='https://x.openai.azure.com')\nc.chat.completions.create(model='prod', messages=[])\n",
        "a.py:3 azure-openai prod",
    );
}

#[test]
fn what_only_looks_like_a_call_is_none() {
    for tree in [
        "//- a.py\n# client.chat.completions.create()\nx = 'openai.OpenAI()'\n",
        "//- a.py\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from openai import OpenAI\ndef f(c: 'OpenAI'): ...\n",
        "//- a.ts\nimport type OpenAI from 'openai';\nexport type A = OpenAI.ChatCompletion;\n",
        "//- a.py\nclass OpenAI:\n    pass\nOpenAI().chat.completions.create()\n",
        "//- agents.py\nclass Agent: ...\nclass Runner:\n    @staticmethod\n    def run(a, b): ...\n//- main.py\nfrom agents import Agent, Runner\nRunner.run(Agent(), 'x')\n",
        "//- m.py\nfrom agents import Agent\nAgent('x').run()\n",
        "//- a.py\nimport re\nmodel = re.compile('x')\nmodel.predict = 1\n",
        "//- a.ts\nimport { embed } from './ai';\nembed('x');\n",
    ] {
        let result = scan(tree);
        assert!(result.calls.is_empty(), "{tree}\n{:?}", result.calls);
    }
}

#[test]
fn failures_logging_and_approval_are_seen() {
    facts(
        "//- a.py\nfrom openai import OpenAI\nc = OpenAI()\ndef f(q):\n    try:\n        return c.responses.create(model='o3', input=q)\n    except Exception:\n        raise\n",
        "unhandled unlogged",
    );
    facts(
        "//- a.go\npackage a\nimport openai \"github.com/sashabaranov/go-openai\"\nfunc f(c *openai.Client) (string, error) {\n\tr, err := c.CreateChatCompletion(nil, openai.ChatCompletionRequest{Model: openai.GPT4o})\n\tif err != nil {\n\t\treturn \"\", err\n\t}\n\treturn r.Choices[0].Message.Content, nil\n}\n",
        "propagated unlogged",
    );
    facts(
        "//- a.ts\nimport OpenAI from 'openai';\nconst c = new OpenAI();\nexport const f = (q: string) => c.responses.create({ model: 'o3', input: q }).catch((e) => { console.error(e); return null; });\n",
        "handled console",
    );
    facts(
        "//- a.py\nfrom openai import OpenAI\nimport subprocess\nc = OpenAI()\ndef f(q):\n    cmd = c.responses.create(model='o3', input=q).output_text\n    if input('Run it? approve [y/n] ') == 'y':\n        subprocess.run(cmd, shell=True)\n",
        "unhandled unlogged approved shell",
    );
}

#[test]
fn replies_of_routes_are_pages_and_notices_disclose() {
    facts(
        "//- a.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nc = OpenAI()\n@app.post('/x')\ndef f(q: str):\n    return {'reply': c.responses.create(model='o3', input=q).output_text}\n",
        "unhandled unlogged page",
    );
    facts(
        "//- a.ts\nimport express from 'express';\nimport OpenAI from 'openai';\nconst app = express();\nconst c = new OpenAI();\napp.post('/chat', async (req, res) => {\n  const r = await c.responses.create({ model: 'o3', input: req.body.q });\n  res.json({ text: r.output_text, note: 'Generated by AI' });\n});\n",
        "unhandled unlogged disclosed page",
    );
}

#[test]
fn entry_points_lead_to_calls() {
    let result = scan(
        "//- llm.py\nfrom openai import OpenAI\nc = OpenAI()\ndef ask(q):\n    return c.responses.create(model='o3', input=q)\n//- app.py\nfrom fastapi import FastAPI\nfrom llm import ask\napp = FastAPI()\n@app.get('/ask')\ndef route(q: str):\n    return ask(q)\n",
    );
    let names: Vec<String> = result
        .entry_points
        .iter()
        .map(|entry| format!("{} {:?}", entry.entry.name, entry.calls))
        .collect();
    assert!(names.iter().any(|name| name.starts_with("/ask [")), "{names:?}");
}

#[test]
fn signals_come_from_names_in_the_data_flow() {
    let result = scan(
        "//- a.py\nfrom openai import OpenAI\nc = OpenAI()\ndef f(candidate):\n    return c.responses.create(model='o3', input=candidate.cv)\n",
    );
    assert!(
        result
            .signals
            .iter()
            .any(|signal| signal.kind == crate::SignalKind::Employment)
    );
    let result = scan(
        "//- a.py\nfrom openai import OpenAI\n# candidates and employees\nc = OpenAI()\ndef f(text):\n    return c.responses.create(model='o3', input=text)\n",
    );
    assert!(result.signals.is_empty(), "{:?}", result.signals);
}

#[test]
fn circles_of_names_imports_and_bases_end() {
    let result = scan(
        "//- a.py\nimport openai\nfrom b import *\nd = {**d, 'k': 1}\nd.x.y()\nclass Foo(Foo.Bar): pass\nFoo().z()\nx = x.y\n//- b.py\nimport openai\nfrom a import *\nfrom a import d, gone\ngone.create()\n//- c.ts\nimport OpenAI from 'openai';\nexport * from './d';\nexport const q = { ...q };\nq.a();\n//- d.ts\nexport * from './c';\nimport { w } from './c';\nw.b();\n",
    );
    assert!(result.calls.is_empty(), "{:?}", result.calls);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_it_panic(text in "(import openai\n)?[a-z ()=.:,\\[\\]{}'\"\n#|]{0,200}") {
        for path in ["a.py", "a.ts", "a.go", "a.rs", "A.java", "a.cs", "a.kt", "a.sh"] {
            let mut tree = engine_model::MemoryTree::default();
            tree.insert(path, text.clone());
            let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
            join(&files, &ManifestNames::default(), &tree);
        }
    }
}

#[test]
fn what_constructors_are_given_is_known_in_methods() {
    check(
        r#"
//- app/writer.go
package app

import openai "github.com/sashabaranov/go-openai"

type Completer interface {
	CreateChatCompletion(ctx context.Context, r openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error)
}

type Writer struct{ client Completer }

func NewWriter(key string) *Writer { return With(openai.NewClient(key)) }

func With(client Completer) *Writer { return &Writer{client: client} }

func (w *Writer) Write(ctx context.Context) error {
	_, err := w.client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{Model: openai.GPT4oMini})
	return err
}
"#,
        "app/writer.go:16 openai gpt-4o-mini",
    );
    check(
        "//- svc.py\nfrom typing import Protocol\nfrom openai import OpenAI\n\nclass Chat(Protocol):\n    def create(self, q): ...\n\nclass Service:\n    def __init__(self, llm):\n        self.llm = llm\n\n    @classmethod\n    def standard(cls):\n        return cls(OpenAI())\n\n    def ask(self, q):\n        return self.llm.responses.create(model='gpt-4.1', input=q)\n",
        "svc.py:16 openai gpt-4.1",
    );
    check(
        "//- src/gateway.rs\nuse async_openai::{config::OpenAIConfig, Client};\npub struct Gateway { inner: Client<OpenAIConfig> }\nimpl Gateway {\n    pub fn new() -> Self {\n        Self { inner: Client::with_config(OpenAIConfig::new().with_api_base(\"https://llm.house.example/v1\")) }\n    }\n    pub async fn ask(&self, r: Request) { self.inner.chat().create(r).await; }\n}\n",
        "src/gateway.rs:7 openai-compatible -",
    );
}

#[test]
fn shell_and_notebook_commands_call_models() {
    check(
        "//- bin/a.sh\nllm keys set openai\nexec llama-cli -m \"$HOME/m/x.gguf\" -p hello\naws bedrock-runtime invoke-model --model-id amazon.titan-embed-text-v2:0 out.json\naws s3 ls\ngemini -p \"explain\"\n",
        "bin/a.sh:2 local x.gguf\nbin/a.sh:3 aws-bedrock amazon.titan-embed-text-v2:0\nbin/a.sh:5 google -",
    );
    check("//- bin/b.sh\nllm() { ls \"$@\"; }\nllm src\n", "");
    check(
        r#"//- n.ipynb
{"cells":[{"cell_type":"code","source":["x = 1\n",
"!curl https://api.openai.com/v1/responses -d '{\"model\": \"gpt-4o\"}'\n"]},
{"cell_type":"code","source":["%%bash\n",
"ollama run llama3 hello"]}]}
"#,
        "n.ipynb:2 openai gpt-4o\nn.ipynb:4 ollama llama3",
    );
}

#[test]
fn requests_that_are_built_elsewhere_are_known_by_the_addresses_of_their_file() {
    check(
        "//- src/claude.rs\nuse reqwest::RequestBuilder;\nconst API_BASE: &str = \"https://api.anthropic.com/v1\";\nfn url(base: &str) -> String { format!(\"{base}/messages\") }\npub async fn ask(builder: RequestBuilder) -> Result<String> {\n    let res = builder.send().await?;\n    Ok(res.text().await?)\n}\n//- src/net.rs\nuse reqwest::RequestBuilder;\nconst HOME: &str = \"https://example.org/openai\";\npub async fn get(builder: RequestBuilder) { builder.send().await; }\n",
        "src/claude.rs:5 anthropic -",
    );
}

#[test]
fn streamed_answers_are_pages() {
    for body in [
        "return r.toUIMessageStreamResponse();",
        "return createUIMessageStreamResponse({ stream: createUIMessageStream({ execute: ({ writer }) => { writer.merge(r.toUIMessageStream()); } }) });",
        "return new Response(new ReadableStream({ async start(controller) { for await (const c of r.textStream) controller.enqueue(c); } }));",
    ] {
        facts(
            &format!(
                "//- app/api/chat/route.ts\nimport {{ streamText }} from 'ai';\nimport {{ openai }} from '@ai-sdk/openai';\nexport async function POST(req: Request) {{\n  const r = streamText({{ model: openai('gpt-4.1'), prompt: await req.text() }});\n  {body}\n}}\n"
            ),
            "unhandled unlogged page",
        );
    }
    facts(
        "//- app.py\nfrom fastapi import FastAPI\nfrom fastapi.responses import StreamingResponse\nfrom openai import OpenAI\napp = FastAPI()\nc = OpenAI()\n@app.post('/chat')\ndef chat(q: str):\n    def gen():\n        for part in c.responses.create(model='gpt-4.1', input=q, stream=True):\n            yield part.delta\n    return StreamingResponse(gen())\n",
        "unhandled unlogged page",
    );
}

#[test]
fn tests_beside_rust_code_are_no_product() {
    let result = scan(
        "//- src/lib.rs\n#[cfg(test)]\nmod tests {\n    use async_openai::Client;\n    async fn ask() { Client::new().chat().create(r).await; }\n}\n",
    );
    assert!(!result.calls.is_empty());
    assert!(result.calls.iter().all(|call| call.zone == engine_model::Zone::Test));
}

#[test]
fn tests_wait_until_they_bring_in_a_library_and_hand_the_product_nothing() {
    let result = scan(
        "//- app/llm.py\nimport openai\nclass Chat:\n    def __init__(self, model):\n        self.model = model\n        self.client = openai.OpenAI()\n    def ask(self, q):\n        return self.client.chat.completions.create(model=self.model, messages=q)\n\
         //- app/main.py\nfrom app.llm import Chat\nprint(Chat('gpt-4.1').ask(input()))\n\
         //- tests/test_own.py\nfrom app.llm import Chat\ndef test_own():\n    # openai\n    Chat('gpt-3.5-turbo-0301').ask('x')\n\
         //- tests/test_live.py\nimport openai\nfrom app.llm import Chat\ndef test_live():\n    Chat('gpt-3.5-turbo-0301').ask('x')\n    openai.OpenAI().embeddings.create(model='text-embedding-3-small', input='x')\n",
    );
    let calls: Vec<(&str, Option<&str>)> = result
        .calls
        .iter()
        .filter(|call| call.kind == CallKind::Call)
        .map(|call| (call.file.as_str(), call.model.as_deref()))
        .collect();
    assert_eq!(
        calls,
        [
            ("app/llm.py", Some("gpt-4.1")),
            ("tests/test_live.py", Some("text-embedding-3-small")),
        ]
    );
    assert_eq!(
        result.calls.last().map(|call| call.zone),
        Some(engine_model::Zone::Test)
    );
    // Without the product the test is still seen.
    let alone =
        scan("//- tests/test_live.py\nimport openai\nopenai.OpenAI().embeddings.create(model='x', input='x')\n");
    assert!(alone.calls.iter().any(|call| call.kind == CallKind::Call));
}

#[test]
fn values_of_tests_beside_rust_code_do_not_reach_the_product() {
    let result = scan(
        "//- src/lib.rs\nuse async_openai::Client;\nuse async_openai::types::CreateChatCompletionRequestArgs;\npub async fn ask(model: &str) {\n    let r = CreateChatCompletionRequestArgs::default().model(model).build().unwrap();\n    Client::new().chat().create(r).await;\n}\n#[cfg(test)]\nmod tests {\n    async fn tries() { super::ask(\"gpt-3.5-turbo-0301\").await; }\n}\n",
    );
    let call = result.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    assert_eq!(call.model, None);
}

#[test]
fn a_go_request_behind_an_interface_is_followed_to_its_address() {
    check(
        r#"//- client/chat.go
package client

import (
	"fmt"
	"net/http"
)

type Doer interface {
	Do(req *http.Request) (*http.Response, error)
}

type Client struct {
	baseURL string
	http    Doer
}

func (c *Client) url(suffix string) string {
	return fmt.Sprintf("%s%s", c.baseURL, suffix)
}

func (c *Client) Chat() (*http.Response, error) {
	req, err := http.NewRequest("POST", c.url("/chat/completions"), nil)
	if err != nil {
		return nil, err
	}
	return c.http.Do(req)
}
"#,
        "client/chat.go:26 openai-compatible -",
    );
}

#[test]
fn a_notice_is_named_by_its_own_place() {
    let result = scan(
        "//- app.py\nfrom openai import OpenAI\nfrom notices import footer\nclient = OpenAI()\ndef ask(q):\n    \"\"\"Ask the AI assistant.\"\"\"\n    \
         r = client.responses.create(model=\"gpt-4o\", input=q)\n    return footer(r.output_text)\n\
         //- notices.py\ndef footer(text):\n    return text + \"\\n(This answer was generated by AI.)\"\n",
    );
    let call = result
        .calls
        .iter()
        .find(|call| call.kind == CallKind::Call)
        .expect("a call");
    let place = call.disclosure_at.as_ref().expect("a place");
    assert_eq!((place.file.as_str(), place.line), ("notices.py", 2));
}

#[test]
fn help_logs_prompts_and_errors_are_not_disclosures() {
    for line in [
        "p.add_argument('q', help='question for the AI assistant')",
        "logger.info('answered by an AI model')",
        "raise ValueError('no answer from the AI assistant')",
        "system_prompt = 'Answers are generated by AI.'",
    ] {
        let tree = format!(
            "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(q, p, logger):\n    \
             r = client.responses.create(model=\"gpt-4o\", input=q)\n    {line}\n    return r.output_text\n"
        );
        let result = scan(&tree);
        let call = result
            .calls
            .iter()
            .find(|call| call.kind == CallKind::Call)
            .expect("a call");
        assert_eq!(call.disclosure, Some(false), "{line}");
    }
}

#[test]
fn maps_that_are_spread_into_one_another_are_looked_into_once_each() {
    let steps = "  s = { ...s, next: q, ...s };\n".repeat(24);
    let result = scan(&format!(
        "//- app.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function ask(q: string) {{\n  \
         let s: any = {{ model: 'gpt-4o' }};\n{steps}  return await client.chat.completions.create({{ ...s, messages: [] }});\n}}\n"
    ));
    let call = result
        .calls
        .iter()
        .find(|call| call.kind == CallKind::Call)
        .expect("a call");
    assert_eq!(call.provider.as_deref(), Some("openai"));
}

/// Two products in one folder, of which only the first tells people and only the second calls the library of the first.
const SIDE_BY_SIDE: &str = r#"
//- one/LICENSE
MIT
//- one/page.html
<html><body><h1>Chat</h1><p>You are talking to an AI assistant, its answers may be wrong.</p></body></html>
//- one/app.py
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)
client = OpenAI()

@app.post("/chat")
def chat():
    answer = client.responses.create(model="gpt-4.1", input=request.json["q"])
    return {"answer": answer.output_text}
//- two/.github/workflows/ci.yml
on: push
//- two/app.py
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)
client = OpenAI()

@app.post("/chat")
def chat():
    answer = client.responses.create(model="gpt-4.1", input=request.json["q"])
    return {"answer": answer.output_text}
"#;

#[test]
fn a_notice_of_one_repository_says_nothing_of_the_next() {
    let told = |tree: &str| -> Vec<(String, Option<bool>)> {
        let calls = scan(tree).calls;
        let calls = calls.into_iter().filter(|call| call.kind == CallKind::Call);
        calls.map(|call| (call.file, call.disclosure)).collect()
    };
    let apart = told(SIDE_BY_SIDE);
    assert_eq!(apart[0], ("one/app.py".to_owned(), Some(true)));
    assert_eq!(apart[1].0, "two/app.py");
    assert_ne!(apart[1].1, Some(true), "the notice stands in another product");
    let together = told(&SIDE_BY_SIDE.replace("//- one/LICENSE", "//- LICENSE"));
    assert_eq!(together[1].1, Some(true), "both are parts of one product");
}

#[test]
fn a_change_in_one_repository_leaves_the_join_of_the_next() {
    struct Watched<'a>(&'a engine_model::MemoryTree, std::sync::Mutex<Vec<String>>);
    impl engine_model::SourceText for Watched<'_> {
        fn file(&self, path: &str) -> Option<engine_model::SourceFile<'_>> {
            self.1.lock().unwrap().push(path.to_owned());
            self.0.file(path)
        }
    }
    let again = |tree: &engine_model::MemoryTree, before: Option<_>| {
        let mut files: Vec<_> = tree
            .files()
            .map(|file| {
                let wanted = wants(&file.path, file.language, file.zone);
                let facts = if wanted {
                    read(&file)
                } else {
                    crate::CodeFacts::default()
                };
                (file.info(), std::sync::Arc::new(facts.without_module()))
            })
            .collect();
        let source = Watched(tree, std::sync::Mutex::default());
        let (after, changes) = crate::join_again(
            &mut files,
            &ManifestNames::default(),
            &source,
            before.map(std::sync::Arc::new),
            &crate::Modules::default(),
        );
        (after, source.1.into_inner().unwrap(), changes)
    };
    let tree = fixture(SIDE_BY_SIDE).unwrap();
    let (before, asked, counted) = again(&tree, None);
    assert_eq!((counted.joined, counted.noted), (2, 0));
    let first = before.join().calls[0].line;
    assert!(asked.iter().any(|path| path == "two/app.py"), "{asked:?}");
    let changed = fixture(&SIDE_BY_SIDE.replacen("client = OpenAI()", "\nclient = OpenAI()", 1)).unwrap();
    let (remarked, _, counted) = again(
        &fixture(&SIDE_BY_SIDE.replacen("client = OpenAI()", "client = OpenAI()  # the client", 1)).unwrap(),
        Some(before.clone()),
    );
    assert_eq!(remarked.join(), before.join());
    assert_eq!((counted.joined, counted.noted), (0, 1));
    let (after, asked, counted) = again(&changed, Some(before));
    assert_eq!((counted.joined, counted.noted), (1, 0));
    assert!(asked.iter().any(|path| path == "one/app.py"), "{asked:?}");
    assert!(!asked.iter().any(|path| path.starts_with("two/")), "{asked:?}");
    let (anew, ..) = again(&changed, None);
    assert_eq!(after, anew);
    assert_eq!(after.join().calls[0].line, first + 1);
}
