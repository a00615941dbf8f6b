//! Rules from evaluations on real applications: each with its near miss.

use engine_model::{Call, CallKind, Capability, Effect, EntryPointKind, Sends, TraceKind};

use super::{check, scan};

fn only(tree: &str) -> Call {
    let join = scan(tree);
    let mut calls = join.calls.into_iter().filter(|call| call.kind == CallKind::Call);
    calls.next().unwrap()
}

fn is_talk(tree: &str) -> bool {
    only(tree).traced(TraceKind::Conversation).is_some()
}

#[test]
fn a_branch_chooses_among_the_models_of_an_address() {
    let tree = "//- a.js\nasync function ask(old, body) {\n  let url = '';\n  if (old) {\n    url = 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent';\n  } else {\n    url = 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent';\n  }\n  return fetch(url, { method: 'POST', body });\n}\n";
    let models: Vec<(String, Vec<String>)> = scan(tree)
        .models
        .into_iter()
        .map(|model| (model.name, model.occurrences))
        .collect();
    assert!(
        models.contains(&("gemini-2.5-flash".to_owned(), vec!["a.js:4".to_owned()])),
        "{models:?}"
    );
    assert!(models.iter().any(|(name, _)| name == "gemini-2.5-pro"), "{models:?}");
}

#[test]
fn single_vendor_service_gets_no_foreign_model() {
    check(
        "//- a.py\nimport requests\ndef ask(prompt, family, model):\n    if family == 'mistral':\n        return requests.post('https://api.mistral.ai/v1/chat/completions', json={'model': model, 'messages': [{'role': 'user', 'content': prompt}]})\n    return requests.post('https://api.deepseek.com/v1/chat/completions', json={'model': model, 'messages': [{'role': 'user', 'content': prompt}]})\nask('x', 'deepseek', 'deepseek-chat')\nask('x', 'mistral', 'mistral-large-latest')\n",
        "a.py:4 mistral mistral-large-latest\na.py:5 deepseek deepseek-chat",
    );
}

#[test]
fn go_marks_what_is_set() {
    let tree = |model: &str| {
        format!(
            "//- a.go\npackage main\nimport (\n\t\"context\"\n\t\"github.com/openai/openai-go\"\n)\nfunc main() {{\n\tc := openai.NewClient()\n\tc.Audio.Transcriptions.New(context.TODO(), openai.AudioTranscriptionNewParams{{Model: {model}, File: nil}})\n}}\n"
        )
    };
    check(&tree("openai.F(openai.AudioModelWhisper1)"), "a.go:8 openai whisper-1");
    check(&tree("openai.AudioModelWhisper1"), "a.go:8 openai whisper-1");
    check(&tree("openai.F(name)"), "a.go:8 openai -");
}

#[test]
fn a_chat_of_an_injected_model_of_firebase_is_asked() {
    let tree = |rest: &str| {
        format!(
            "//- app/src/main/java/a/Repo.kt\npackage a\nimport com.google.firebase.ai.GenerativeModel\nimport javax.inject.Inject\nclass Repo @Inject constructor(private val model: GenerativeModel) {{\n    suspend fun ask(history: List<Content>, prompt: String): String? {{\n        val chat = model.startChat(history)\n        {rest}\n    }}\n}}\n"
        )
    };
    check(
        &tree("return chat.sendMessage(prompt).text"),
        "app/src/main/java/a/Repo.kt:7 google -",
    );
    check(&tree("return chat.history.last().text"), "");
}

#[test]
fn settings_of_laravel_are_read_under_their_key() {
    let tree = |key: &str| {
        format!(
            "//- config/services.php\n<?php\nreturn [\n    'gemini' => [\n        'url' => env('GEMINI_URL', 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:generateContent'),\n        'site' => 'https://books.example.com/api',\n    ],\n];\n//- app/Services/Ai.php\n<?php\nnamespace App\\Services;\nuse Illuminate\\Support\\Facades\\Http;\nclass Ai {{\n    private $url;\n    public function __construct() {{ $this->url = config('{key}'); }}\n    public function ask($text) {{\n        return Http::timeout(20)->post($this->url, ['contents' => [['parts' => [['text' => $text]]]]]);\n    }}\n}}\n"
        )
    };
    check(
        &tree("services.gemini.url"),
        "app/Services/Ai.php:8 google gemini-2.0-flash",
    );
    check(&tree("services.gemini.site"), "");
}

#[test]
fn obsidian_sends_requests_of_its_own() {
    let tree = |body: &str| {
        format!(
            "//- main.ts\nimport {{ requestUrl }} from 'obsidian';\nexport async function ask(base: string, model: string, q: string) {{\n  const r = await requestUrl({{ url: base, method: 'POST', body: JSON.stringify({body}) }});\n  return r.json.choices[0].message.content;\n}}\n"
        )
    };
    check(
        &tree("{ model, temperature: 0.2, messages: [{ role: 'user', content: q }] }"),
        "main.ts:3 openai-compatible -",
    );
    check(&tree("{ note: q }"), "");
}

#[test]
fn service_header_gives_provider_behind_setting() {
    let tree = |header: &str| {
        format!(
            "//- src/routes/api/tts/+server.ts\nimport {{ env }} from '$env/dynamic/public';\nexport const POST = (async ({{ request }}) => {{\n  const {{ text, voice }} = await request.json();\n  return fetch(`${{env.PUBLIC_VOICE_URL}}/text-to-speech/${{voice}}`, {{ method: 'POST', headers: {{ '{header}': key }}, body: JSON.stringify({{ text, model_id: 'eleven_turbo_v2' }}) }});\n}}) satisfies RequestHandler;\n"
        )
    };
    let told = tree("xi-api-key");
    check(&told, "src/routes/api/tts/+server.ts:4 elevenlabs eleven_turbo_v2");
    check(&tree("x-shop-key").replace("eleven_turbo_v2", "warm"), "");
    // What a type is asked of is handed out as what it is.
    let entries = scan(&told).entry_points;
    assert!(
        entries
            .iter()
            .any(|entry| entry.entry.kind == EntryPointKind::Http && entry.entry.name.starts_with("POST")),
        "{entries:?}"
    );
}

#[test]
fn the_place_of_a_model_of_yandex_ends_in_its_name() {
    check(
        "//- a.py\nimport requests\ndef ask(q, folder):\n    return requests.post('https://llm.api.cloud.yandex.net/foundationModels/v1/completion', json={'modelUri': f'gpt://{folder}/yandexgpt-lite/latest', 'messages': [{'role': 'user', 'text': q}]})\n",
        "a.py:3 yandex yandexgpt-lite",
    );
}

#[test]
fn job_status_is_not_a_model_call() {
    let tree =
        |verb: &str| format!("//- a.js\nimport axios from 'axios';\nexport const look = (id) => axios.{verb};\n");
    check(&tree("get(`https://api.vapi.ai/call/${id}`)"), "");
    check(
        &tree("post('https://api.vapi.ai/call', { assistantId: id })"),
        "a.js:2 vapi -",
    );
}

#[test]
fn line_handler_receives_user_messages() {
    let tree = |library: &str| {
        format!(
            "//- app.py\nfrom {library} import LineBotApi, WebhookHandler\nfrom {library}.models import MessageEvent, TextMessage, TextSendMessage\nfrom openai import OpenAI\nclient = OpenAI()\nclass Bot:\n    def __init__(self, api):\n        self.api = api\n        self.handler = WebhookHandler('s')\n        @self.handler.add(MessageEvent, message=TextMessage)\n        def hear(event):\n            self.answer(event)\n    def answer(self, event):\n        said = client.responses.create(model='m', input=event.message.text).output_text\n        self.api.reply_message(event.reply_token, TextSendMessage(text=said))\n"
        )
    };
    let hears = |library: &str| {
        let join = scan(&tree(library));
        join.entry_points
            .iter()
            .any(|entry| entry.entry.kind == EntryPointKind::Message)
    };
    assert!(hears("linebot"));
    assert!(is_talk(&tree("linebot")));
    assert!(!hears("registry"));
}

#[test]
fn functions_of_a_cloud_are_started_by_what_their_parameter_says() {
    let kind = |trigger: &str| {
        let join = scan(&format!(
            "//- Ask.cs\nusing OpenAI.Chat;\nnamespace A;\npublic class Ask {{\n    private readonly ChatClient _client = new(\"gpt-4o\", \"k\");\n    [Function(\"Ask\")]\n    public string Run([{trigger}] string text) {{\n        return _client.CompleteChat(text).Value.Content[0].Text;\n    }}\n}}\n"
        ));
        join.entry_points.first().map(|entry| entry.entry.kind)
    };
    assert_eq!(kind("HttpTrigger(\"post\")"), Some(EntryPointKind::Http));
    assert_eq!(kind("TimerTrigger(\"0 0 * * *\")"), Some(EntryPointKind::Job));
    assert_eq!(kind("QueueTrigger(\"q\")"), Some(EntryPointKind::Message));
    assert_eq!(kind("FromBody"), Some(EntryPointKind::Library));
}

#[test]
fn text_to_speech_is_not_a_conversation() {
    let tree = |url: &str| {
        format!(
            "//- bot.py\nimport requests\nfrom telegram.ext import MessageHandler, filters\nasync def say(update, context):\n    response = requests.post('{url}', json={{'text': update.message.text, 'model': 'm', 'messages': [{{'role': 'user', 'content': update.message.text}}]}})\n    await update.message.reply_text(response.text)\napp.add_handler(MessageHandler(filters.TEXT, say))\n"
        )
    };
    assert!(!is_talk(&tree("https://api.elevenlabs.io/v1/text-to-speech/a")));
    assert!(is_talk(&tree("https://api.openai.com/v1/chat/completions")));
}

#[test]
fn a_helper_that_makes_a_message_takes_part_in_the_talk() {
    let tree = |name: &str| {
        format!(
            "//- index.js\nconst {{ Client }} = require('discord.js');\nconst Anthropic = require('@anthropic-ai/sdk');\nconst anthropic = new Anthropic();\nconst client = new Client();\nasync function {name}(msg) {{\n  const result = await anthropic.messages.create({{ model: 'm', max_tokens: 9, messages: [{{ role: 'user', content: msg }}] }});\n  return result.content[0].text;\n}}\nclient.on('messageCreate', async (msg) => {{\n  await msg.channel.send(await {name}(msg.content));\n}});\n"
        )
    };
    assert!(is_talk(&tree("createMsg")));
    assert!(!is_talk(&tree("summarizeThread")));
}

#[test]
fn unread_age_and_gender_give_no_categorisation() {
    let sorts = |rest: &str| {
        let join = scan(&format!(
            "//- a.js\nimport * as faceapi from 'face-api.js';\nexport async function look(image, canvas) {{\n  const found = await faceapi.detectAllFaces(image).withFaceLandmarks().withAgeAndGender();\n  {rest}\n}}\n"
        ));
        join.calls
            .iter()
            .any(|call| call.capabilities.contains(&Capability::BiometricCategorisation))
    };
    assert!(sorts("found.forEach((face) => canvas.write(face.gender));"));
    assert!(!sorts("faceapi.draw.drawDetections(canvas, found);"));
}

#[test]
fn disclosure_of_other_program_does_not_count() {
    let tree = |import: &str| {
        format!(
            "//- graph.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(q):\n    return client.responses.create(model='m', input=q).output_text\n//- talk.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef answer(q):\n    return client.responses.create(model='m', input=q).output_text\n//- page.py\nimport streamlit as st\nfrom {import}\nst.title('Hello! I am your AI assistant.')\nst.write(ask(st.chat_input('Question')))\n//- api.py\nfrom fastapi import FastAPI\nfrom talk import answer\napp = FastAPI()\n@app.post('/chat')\ndef chat(message: str):\n    return {{'reply': answer(message)}}\n"
        )
    };
    let told = |tree: &str| {
        let join = scan(tree);
        let call = join
            .calls
            .iter()
            .find(|call| call.file == "talk.py" && call.kind == CallKind::Call);
        call.unwrap().disclosure
    };
    assert_eq!(told(&tree("graph import ask")), Some(false));
    assert_eq!(told(&tree("graph import ask\nimport requests")), Some(true));
}

#[test]
fn what_a_page_of_gradio_is_described_with_is_read() {
    let told = |text: &str| {
        only(&format!(
            "//- app.py\nimport gradio as gr\nfrom openai import OpenAI\nclient = OpenAI()\nINTRO = '''{text}'''\ndef advise(q):\n    return client.responses.create(model='m', input=q).output_text\ngr.Interface(fn=advise, inputs='text', outputs='text', description=INTRO).launch()\n"
        ))
        .disclosure
    };
    assert_eq!(told("The AI will read it and answer you."), Some(true));
    assert_eq!(told("Write what you want to know."), Some(false));
}

#[test]
fn system_message_and_machine_field_are_not_disclosures() {
    let told = |message: &str| {
        only(&format!(
            "//- server.js\nconst express = require('express');\nconst Groq = require('groq-sdk');\nconst groq = new Groq();\nconst app = express();\napp.post('/api/chat', async (req, res) => {{\n  const said = await groq.chat.completions.create({{ model: 'm', messages: [{{ role: 'user', content: req.body.message }}] }});\n  {message}\n}});\n"
        ))
        .disclosure
    };
    assert_eq!(
        told("res.json({ reply: said.choices[0].message.content, mode: 'ai-powered' });"),
        Some(false)
    );
    assert_eq!(
        told("res.json({ reply: said.choices[0].message.content, note: 'AI-powered answer' });"),
        Some(true)
    );
    assert_eq!(
        told(
            "history.push(new Message('system', 'This is an AI assistant for the shop.')); res.json({ reply: said.choices[0].message.content });"
        ),
        Some(false)
    );
}

#[test]
fn what_a_setter_puts_into_a_state_is_sent_from_there() {
    let sends = |field: &str| {
        only(&format!(
            "//- Ask.tsx\nimport {{ useState }} from 'react';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport default function Ask() {{\n  const [text, setText] = useState('');\n  const [reply, setReply] = useState('');\n  const ask = async () => {{\n    const answer = await client.responses.create({{ model: 'm', input: text }});\n    setReply(answer.output_text);\n  }};\n  return <div>{field}<button onClick={{ask}}/><p>{{reply}}</p></div>;\n}}\n"
        ))
        .sends
    };
    assert_eq!(
        sends("<input onChange={(e) => setText(e.target.value)} />"),
        [Sends::UserInput]
    );
    assert_eq!(sends("<TextInput onChangeText={setText} />"), [Sends::UserInput]);
    assert_eq!(sends("<Editor text={text} fill={setText} />"), [Sends::Unknown]);
    assert_eq!(
        sends("<a onClick={() => setText('Tell me a joke')} />"),
        [Sends::Constant]
    );
    assert_eq!(sends(""), [Sends::Constant]);
}

#[test]
fn scripts_of_a_page_are_read() {
    let page = |head: &str, script: &str| {
        format!(
            "//- index.html\n<!doctype html>\n<html><body><input id=\"q\"><div id=\"log\"></div>\n<{head}>\nasync function ask() {{\n  const q = document.getElementById('q').value;\n  {script}\n}}\n</script></body></html>\n"
        )
    };
    let asks = "const r = await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: q }] }) });\n  const d = await r.json();\n  document.getElementById('log').innerHTML += d.choices[0].message.content;";
    let tree = page("script", asks);
    check(&tree, "index.html:6 openai gpt-4o");
    let call = only(&tree);
    assert_eq!(call.sends, [Sends::UserInput]);
    assert!(call.effects.contains(&Effect::Page), "{:?}", call.effects);
    check(&page("script type=\"text/template\"", asks), "");
    check(
        "//- index.html\n<html><body><pre>fetch('https://api.openai.com/v1/chat/completions', {})</pre></body></html>\n",
        "",
    );
}

#[test]
fn a_controller_of_csharp_is_handed_what_implements_its_interface() {
    let tree = |folder: &str, field: &str| {
        format!(
            "//- Services/Ai.cs\nusing OpenAI.Chat;\nnamespace App.Services;\npublic class Analyst : IAnalyst {{\n    private readonly ChatClient _client = new(\"gpt-4o\", \"k\");\n    public async Task<string> AnalyzeAsync(string text) {{\n        return (await _client.CompleteChatAsync(text)).Value.Content[0].Text;\n    }}\n}}\n//- {folder}\nusing App.Services;\nnamespace App.Web;\npublic class Home : ControllerBase {{\n    {field};\n    [HttpGet(\"/ask\")] public async Task<string> Ask(string q) {{\n        return await _ai.AnalyzeAsync(q);\n    }}\n}}\n"
        )
    };
    let effects = |folder: &str, field: &str| only(&tree(folder, field)).effects;
    assert_eq!(effects("Web/Home.cs", "private readonly IAnalyst _ai"), [Effect::Page]);
    assert!(effects("Web/Home.cs", "private readonly IBook _ai").is_empty());
    let page = "//- Pages/Details.razor\n@page \"/details\"\n@using App.Services\n@inject IAnalyst Ai\n@code {\n    private string? _said;\n    private async Task Ask(string q) {\n        _said = await Ai.AnalyzeAsync(q);\n    }\n}\n";
    let lost = |tree: &str| {
        only(tree)
            .traced(TraceKind::Lost)
            .is_some_and(|trace| trace.chain[0].reference.contains("no caller was found"))
    };
    let service = tree("Web/Home.cs", "private readonly IBook _ai");
    assert!(lost(&service));
    assert!(!lost(&format!("{service}{page}")));
}

#[test]
fn guard_and_error_texts_are_not_disclosures() {
    let told = |file: &str, text: &str| {
        let tree = format!(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nfrom {file} import check\napp = FastAPI()\nclient = OpenAI()\n@app.post('/chat')\ndef chat(message: str):\n    return {{'reply': check(client.responses.create(model='m', input=message).output_text)}}\n//- {file}.py\nNOTE = '{text}'\ndef check(text):\n    if 'dose' in text:\n        return text + NOTE\n    return text\n"
        );
        only(&tree).disclosure
    };
    assert_eq!(told("wording", "This answer was written by an AI."), Some(true));
    assert_eq!(told("guardrails", "This AI assistant gives no diagnosis."), Some(false));
    let failed = |key: &str| {
        only(&format!(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n@app.post('/chat')\ndef chat(message: str):\n    if len(message) > 99:\n        return {{'{key}': 'AI-generated answers are limited today'}}\n    return {{'reply': client.responses.create(model='m', input=message).output_text}}\n"
        ))
        .disclosure
    };
    assert_eq!(failed("note"), Some(true));
    assert_eq!(failed("error"), Some(false));
}

#[test]
fn page_that_calls_route_discloses_its_output() {
    let tree = |asked: &str| {
        format!(
            "//- app/api/analyze/route.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function POST(request: Request) {{\n  const {{ text }} = await request.json();\n  const said = await client.responses.create({{ model: 'm', input: text }});\n  return Response.json({{ said: said.output_text }});\n}}\n//- app/page.tsx\nexport default function Page() {{\n  return <h1>AI Companion: your AI assistant for calm evenings</h1>;\n}}\n//- components/journal.tsx\nexport default function Journal() {{\n  const ask = async (text: string) => (await fetch('{asked}', {{ method: 'POST', body: text }})).json();\n  return <div onClick={{() => ask('x')}}><h1>Your AI assistant answers here</h1></div>;\n}}\n"
        )
    };
    let told = |tree: &str| only(tree).disclosure_at.map(|place| place.file);
    assert_eq!(told(&tree("/api/analyze")).as_deref(), Some("components/journal.tsx"));
    assert_ne!(told(&tree("/api/other")).as_deref(), Some("components/journal.tsx"));
}

#[test]
fn help_page_with_chat_discloses_it() {
    let tree = |hook: &str| {
        format!(
            "//- app/api/chat/route.ts\nimport {{ anthropic }} from '@ai-sdk/anthropic';\nimport {{ streamText }} from 'ai';\nexport async function POST(req: Request) {{\n  const {{ messages }} = await req.json();\n  return streamText({{ model: anthropic('m'), messages }}).toUIMessageStreamResponse();\n}}\n//- app/help/page.tsx\n'use client';\nimport {{ useChat, useThings }} from '@ai-sdk/react';\nexport default function Help() {{\n  const {{ messages }} = {hook}();\n  return <main><p>You are chatting with an AI assistant, not a person.</p>{{messages.map((m) => <b>{{m.text}}</b>)}}</main>;\n}}\n"
        )
    };
    let told = |hook: &str| {
        let calls = scan(&tree(hook)).calls;
        let call = calls.into_iter().find(|call| call.kind == CallKind::Call).unwrap();
        call.disclosure_at.map(|place| place.file)
    };
    assert_eq!(told("useChat").as_deref(), Some("app/help/page.tsx"));
    assert_eq!(told("useThings"), None);
}

#[test]
fn an_empty_state_that_markup_fills_is_no_constant() {
    let sends = |tree: &str| only(tree).sends;
    let vue = |value: &str| {
        format!(
            "//- Chat.vue\n<template><textarea v-model=\"q\"></textarea></template>\n<script setup>\nimport {{ ref }} from 'vue';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst q = ref({value});\nconst ask = () => client.responses.create({{ model: 'm', input: q.value }});\n</script>\n"
        )
    };
    assert_eq!(sends(&vue("''")), [Sends::Unknown]);
    assert_eq!(sends(&vue("'Tell me a joke'")), [Sends::Constant]);
    let angular = |value: &str| {
        format!(
            "//- chat.component.ts\nimport {{ Component }} from '@angular/core';\nimport OpenAI from 'openai';\n@Component({{ selector: 'chat', template: '<input [(ngModel)]=\"q\">' }})\nexport class ChatComponent {{\n  client = new OpenAI();\n  q = {value};\n  ask() {{\n    return this.client.responses.create({{ model: 'm', input: this.q }});\n  }}\n}}\n"
        )
    };
    assert_eq!(sends(&angular("''")), [Sends::Unknown]);
    assert_eq!(sends(&angular("'Tell me a joke'")), [Sends::Constant]);
}

#[test]
fn an_alias_that_looks_like_a_scope_of_packages_is_followed() {
    let tree = |alias: &str| {
        format!(
            "//- src/services/client.ts\nimport OpenAI from 'openai';\nexport const client = new OpenAI();\n//- src/use.ts\nimport {{ client }} from '{alias}';\nexport const ask = (input: string) => client.responses.create({{ model: 'm', input }});\n"
        )
    };
    let found = |alias: &str| {
        let calls = scan(&tree(alias)).calls;
        calls.iter().any(|call| call.kind == CallKind::Call)
    };
    for alias in ["@services/client", "#services/client", "@/services/client"] {
        assert!(found(alias), "{alias}");
    }
    assert!(!found("@others/client"));
    assert!(!found("openai-services/client"));
}

#[test]
fn pictures_of_people_are_looked_through_in_the_browser() {
    check(
        "//- a.js\nimport { Pose } from '@mediapipe/pose';\nconst pose = new Pose({ locateFile: (f) => f });\nexport const look = (video) => pose.send({ image: video });\n",
        "a.js:3 local -",
    );
    check(
        "//- a.js\nimport { Pose } from './figures';\nconst pose = new Pose({});\nexport const look = (video) => pose.send({ image: video });\n",
        "",
    );
}

#[test]
fn a_host_is_asked_to_let_its_model_answer() {
    check(
        "//- a.ts\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nconst mcp = new McpServer({ name: 'n', version: '1' });\nexport const ask = (text: string) => mcp.server.createMessage({ messages: [], maxTokens: 3 });\n",
        "a.ts:3 - -",
    );
}

#[test]
fn the_client_for_gemini_of_dotnet_makes_models_by_name() {
    let tree = |made: &str| {
        format!(
            "//- A.cs\nusing GenerativeAI;\nclass A {{\n    public async Task<string> Ask(string q) {{\n        var ai = new {made}(\"k\");\n        var model = ai.CreateGenerativeModel(\"models/gemini-2.5-flash\");\n        var r = await model.GenerateContentAsync(q);\n        return r.Text();\n    }}\n}}\n"
        )
    };
    check(&tree("GoogleAi"), "A.cs:6 google models/gemini-2.5-flash");
    check(&tree("Painter"), "");
}

#[test]
fn what_takes_a_mark_away_tells_nobody() {
    let told = |line: &str| {
        let tree = format!(
            "//- app.py\nimport re\nfrom flask import Flask, request\nfrom openai import OpenAI\napp = Flask(__name__)\nclient = OpenAI()\n@app.post('/ask')\ndef ask():\n    said = client.responses.create(model='m', input=request.json['q']).output_text\n    return {line}\n"
        );
        only(&tree).disclosure
    };
    assert_eq!(told("'AI assistant: ' + said"), Some(true));
    assert_ne!(told("re.sub(r'^AI assistant: ', '', said)"), Some(true));
}

#[test]
fn what_is_put_into_a_state_is_shown_by_the_markup_of_its_component() {
    let shown = |tree: String| only(&tree).effects.contains(&Effect::Page);
    let vue = |state: &str, put: &str| {
        format!(
            "//- Chat.vue\n<template><p>{{{{ answer }}}}</p></template>\n<script setup>\nimport {{ ref }} from 'vue';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst answer = {state};\nconst plain = new Map();\nasync function ask(q) {{\n  const said = await client.responses.create({{ model: 'm', input: q }});\n  {put};\n}}\n</script>\n"
        )
    };
    assert!(shown(vue("ref('')", "answer.value = said.output_text")));
    assert!(shown(vue("ref([])", "answer.value.push({ text: said.output_text })")));
    assert!(!shown(vue("keep('')", "answer.value = said.output_text")));
    assert!(!shown(vue("ref('')", "plain.set(q, said.output_text)")));
    let svelte = |put: &str| {
        format!(
            "//- Chat.svelte\n<script>\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nlet answer = '';\nasync function ask(q) {{\n  let own = '';\n  const said = await client.responses.create({{ model: 'm', input: q }});\n  {put} = said.output_text;\n}}\n</script>\n<p>{{answer}}</p>\n"
        )
    };
    assert!(shown(svelte("answer")));
    assert!(!shown(svelte("own")));
    let angular = |decorator: &str| {
        format!(
            "//- chat.ts\nimport {{ Component, Injectable }} from '@angular/core';\nimport OpenAI from 'openai';\n@{decorator}({{}})\nexport class Chat {{\n  client = new OpenAI();\n  answer = '';\n  async ask(q: string) {{\n    const said = await this.client.responses.create({{ model: 'm', input: q }});\n    this.answer = said.output_text;\n  }}\n}}\n"
        )
    };
    assert!(shown(angular("Component")));
    assert!(!shown(angular("Injectable")));
}

#[test]
fn alert_text_reaches_app_user() {
    let shown = |call: &str| {
        let tree = format!(
            "//- a.js\nimport OpenAI from 'openai';\nimport {{ Alert }} from 'react-native';\nimport {{ Bell }} from './bell';\nconst client = new OpenAI();\nexport async function ask(q) {{\n  const said = await client.responses.create({{ model: 'm', input: q }});\n  {call};\n}}\n"
        );
        only(&tree).effects.contains(&Effect::Page)
    };
    assert!(shown("Alert.alert('Answer', said.output_text)"));
    assert!(!shown("Bell.alert('Answer', said.output_text)"));
}

#[test]
fn a_loop_asks_each_model_of_a_list() {
    let models = |over: &str, asked: &str| -> Vec<String> {
        let tree = format!(
            "//- a.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst CHAIN = ['gpt-4o', 'gpt-4.1-nano'];\nexport async function run(text: string, at: number) {{\n  const list = {over};\n  for (const name of list) {{\n    await client.responses.create({{ model: {asked}, input: text }});\n  }}\n}}\n"
        );
        scan(&tree).models.into_iter().map(|model| model.name).collect()
    };
    assert_eq!(models("CHAIN", "name"), ["gpt-4.1-nano", "gpt-4o"]);
    assert_eq!(models("[...CHAIN]", "name"), ["gpt-4.1-nano", "gpt-4o"]);
    // Which of a list a number chooses, nobody knows.
    assert_eq!(models("[1, 2]", "CHAIN[at]"), ["gpt-4o"]);
}

#[test]
fn the_first_message_of_a_talk_is_read() {
    let tree = |first: &str| {
        format!(
            "//- app/api/chat/route.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function POST(req: Request) {{\n  const {{ messages }} = await req.json();\n  const r = await client.chat.completions.create({{ model: 'm', messages }});\n  return Response.json({{ text: r.choices[0].message.content }});\n}}\n//- app/page.tsx\n'use client';\nimport {{ useState }} from 'react';\nexport default function Page() {{\n  const [messages, setMessages] = useState([{{ id: '1', {first} }}]);\n  const send = async () => {{\n    const r = await fetch('/api/chat', {{ method: 'POST', body: JSON.stringify({{ messages }}) }});\n    setMessages([...messages, await r.json()]);\n  }};\n  return <div>{{messages.map((m) => <p key={{m.id}}>{{m.text}}</p>)}}<button onClick={{send}}>Send</button></div>;\n}}\n"
        )
    };
    let told = |first: &str| only(&tree(first)).disclosure_at.map(|place| (place.file, place.line));
    let page = Some(("app/page.tsx".to_owned(), 4));
    assert_eq!(
        told("text: \"Hi! I'm Clara, your AI cooking assistant!\", isUser: false"),
        page
    );
    assert_eq!(told("text: 'Hi! I\\'m an AI assistant.', isUser: false"), page);
    assert_eq!(
        told("text: \"Hi! I'm Clara, your cooking assistant!\", isUser: false"),
        None
    );
    assert_eq!(told("content: \"Hi! I'm Clara, your AI cook!\", role: 'user'"), None);
}

#[test]
fn what_follows_the_file_of_a_program_is_data_to_it() {
    let shell = |words: &str| {
        let tree = format!(
            "//- app.py\nimport subprocess\nfrom openai import OpenAI\nclient = OpenAI()\ndef run(q):\n    said = client.responses.create(model='m', input=q).output_text\n    subprocess.call([{words}])\nif __name__ == '__main__':\n    run(input())\n"
        );
        only(&tree).effects.contains(&Effect::Shell)
    };
    assert!(!shell("'python3', 'speak.py', said"));
    assert!(shell("'python3', said"));
    assert!(shell("'bash', '-c', said"));
}

#[test]
fn a_message_of_slack_that_is_changed_is_read_as_well() {
    let sent = |call: &str| {
        let tree = format!(
            "//- ask.js\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport class Ask {{\n  static async handle(command, slack, ts) {{\n    const said = await client.responses.create({{ model: 'm', input: command.text }});\n    await slack.{call};\n  }}\n}}\n"
        );
        only(&tree).effects.contains(&Effect::Mail)
    };
    assert!(sent(
        "chat.update({ channel: command.channel, ts, text: said.output_text })"
    ));
    assert!(sent(
        "chat.postEphemeral({ channel: command.channel, user: command.user, text: said.output_text })"
    ));
    assert!(!sent("chat.update({ title: said.output_text })"));
}

#[test]
fn dify_and_estimators_are_uses_of_a_model() {
    check(
        "//- a.js\nimport { ChatClient } from 'dify-client';\nconst client = new ChatClient(process.env.K);\nexport const ask = (text, user) => client.createChatMessage({}, text, user);\n",
        "a.js:3 dify -",
    );
    check(
        "//- a.py\nimport tensorflow as tf\ndef run(columns, rows):\n    model = tf.estimator.DNNClassifier(feature_columns=columns)\n    return list(model.predict(input_fn=rows))\n",
        "a.py:4 local -",
    );
    check(
        "//- a.py\nimport shop as tf\ndef run(columns, rows):\n    model = tf.estimator.DNNClassifier(feature_columns=columns)\n    return list(model.predict(input_fn=rows))\n",
        "",
    );
}

#[test]
fn reading_stored_output_is_not_a_model_call() {
    let tree = |way: &str| {
        format!(
            "//- a.go\npackage main\n\nimport (\n\t\"context\"\n\t\"io\"\n\t\"net/http\"\n)\n\nfunc Ask(ctx context.Context, id string, body io.Reader) (*http.Response, error) {{\n\treq, err := http.NewRequestWithContext(ctx, {way}, body)\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n\treturn http.DefaultClient.Do(req)\n}}\n"
        )
    };
    check(
        &tree("http.MethodPost, \"https://api.openai.com/v1/responses\""),
        "a.go:14 openai -",
    );
    check(
        &tree("http.MethodDelete, \"https://api.openai.com/v1/responses/\"+id"),
        "",
    );
    check(
        &tree("http.MethodPost, \"https://api.openai.com/v1/responses/\"+id+\"/cancel\""),
        "",
    );
}

#[test]
fn lists_that_spread_each_other_end() {
    let tree = "//- a.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nlet one = ['gpt-5.5'];\nlet two = [...one];\none = [...two, 'gpt-4o'];\ntwo = [...one, ...two];\nexport async function run(text: string) {\n  for (const name of two) {\n    await client.responses.create({ model: name, input: text });\n  }\n}\n";
    assert_eq!(only(tree).provider.as_deref(), Some("openai"));
}
