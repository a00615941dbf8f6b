//! User interaction with a model over every channel, and its absence.

use engine_model::{Applies, FindingType, fixture};

use super::today;
use crate::scan_memory;

/// What is said of Art. 50(1) for each system, the kinds of findings about it, and whether a person is asked if people know.
fn told(text: &str) -> (Vec<Applies>, Vec<FindingType>, bool) {
    let evaluation = scan_memory(&fixture(text).unwrap(), &today());
    let applies: Vec<Applies> = evaluation
        .systems
        .iter()
        .flat_map(|system| &system.obligations)
        .filter(|record| record.obligation_id == "OBL-094")
        .map(|record| record.applies)
        .collect();
    let findings = evaluation
        .findings
        .iter()
        .filter(|finding| finding.check_id == "l4-undisclosed-interaction")
        .map(|finding| finding.kind)
        .collect();
    let asked = evaluation
        .systems
        .iter()
        .flat_map(|system| &system.questions)
        .any(|question| question.id == "ai-is-obvious");
    // The same question stands with the duty, for whoever reads that alone.
    let with_duty = evaluation
        .systems
        .iter()
        .flat_map(|system| &system.obligations)
        .filter(|record| record.obligation_id == "OBL-094" && record.applies == Applies::Applies)
        .any(|record| record.question.is_some());
    assert_eq!(asked && applies.contains(&Applies::Applies), with_duty, "{text}");
    (applies, findings, asked)
}

/// Whether the duty applies, and the findings on it.
type Expected = (&'static [Applies], &'static [FindingType]);

const GAP: Expected = (&[Applies::Applies], &[FindingType::Fail]);
const TOLD: Expected = (&[Applies::Applies], &[FindingType::Pass]);
/// It applies, and whether people are told is a question.
const ASKED: Expected = (&[Applies::Applies], &[]);
const OPEN: Expected = (&[Applies::Undetermined], &[]);

fn assert_all(cases: &[(&str, Expected)]) {
    for (text, (applies, findings)) in cases {
        let (seen, found, _) = told(text);
        assert_eq!((&*seen, &*found), (*applies, *findings), "{text}");
    }
}

#[test]
fn decorated_handlers_receive_user_messages() {
    let bot = "//- package.json\n{\"dependencies\":{\"openai\":\"4.1.0\",\"nestjs-telegraf\":\"2.0.0\",\"telegraf\":\"4.0.0\"}}\n\
        //- src/ask.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport class Model {\n  async send(text: string) {\n    const r = await client.chat.completions.create({ model: 'gpt-4o-2024-08-06', messages: [{ role: 'user', content: text }] });\n    return r.choices[0].message.content;\n  }\n}\n\
        //- src/update.ts\nimport { Ctx, Hears, Start, Update } from 'nestjs-telegraf';\nimport { Context } from 'telegraf';\nimport { Model } from './ask';\n@Update()\nexport class Desk {\n  private readonly model: Model = new Model();\n  @Start()\n  async start(@Ctx() ctx: Context) {\n    await ctx.reply('WELCOME');\n  }\n  @Hears(/.*/)\n  async hears(@Ctx() ctx: Context) {\n    const said = await this.model.send((ctx.message as any).text);\n    await ctx.reply(said);\n  }\n}\n";
    let silent = bot.replace("WELCOME", "Welcome to the desk!");
    let open = bot.replace("WELCOME", "Hello! I am your AI guide.");
    // What a clock starts and a channel gets was asked by nobody.
    let digest = "//- requirements.txt\nopenai==1.51.0\nslack_sdk==3.0.0\n\
        //- digest.py\nfrom openai import OpenAI\nfrom slack_sdk import WebClient\nmodel = OpenAI()\nslack = WebClient()\ndef run():\n    text = open('news.txt').read()\n    answer = model.responses.create(model='gpt-4.1-2025-04-14', input=text).output_text\n    slack.chat_postMessage(channel='#news', text=answer)\nif __name__ == '__main__':\n    run()\n";
    assert_all(&[(&silent, GAP), (&open, TOLD), (digest, OPEN)]);
}

#[test]
fn assistant_with_history_is_interaction_and_named_model_is_question() {
    let bot = "//- requirements.txt\nanthropic==0.40.0\nslack_bolt==1.20.0\n\
        //- desk.py\nimport anthropic\nfrom slack_bolt.async_app import AsyncApp, AsyncAssistant\nmodel = anthropic.AsyncAnthropic()\nassistant = AsyncAssistant()\n\
        @assistant.thread_started\nasync def started(say):\n    await say(blocks=[{\"type\": \"mrkdwn\", \"text\": \"HINT\"}], text=\"How can I help?\")\n\
        @assistant.user_message\nasync def respond_in_thread(context, say):\n    system = open('role.txt').read()\n    r = await model.messages.create(model='claude-sonnet-4-20250514', max_tokens=9, system=system, messages=context.thread)\n    await say(r.content[0].text)\n";
    let (applies, findings, asked) = told(&bot.replace("HINT", "Currently in *Normal Mode* (Claude Sonnet 4)"));
    assert_eq!((applies, findings, asked), (vec![Applies::Applies], vec![], true));
    assert_all(&[(&bot.replace("HINT", "Currently in *Normal Mode*"), GAP)]);
}

#[test]
fn started_voice_session_is_interaction() {
    let agent = "//- requirements.txt\nlivekit-agents==1.0.0\nlivekit-plugins-openai==1.0.0\n\
        //- agent.py\nfrom livekit import agents\nfrom livekit.agents import AgentSession, Agent\nfrom livekit.plugins import openai\n\
        async def entrypoint(ctx):\n    session = AgentSession(llm=openai.realtime.RealtimeModel())\n    await session.start(room=ctx.room, agent=Agent(instructions='Take orders.'))\n    SAYS\n\
        if __name__ == '__main__':\n    agents.cli.run_app(agents.WorkerOptions(entrypoint_fnc=entrypoint))\n";
    assert_all(&[
        (&agent.replace("SAYS", "pass"), GAP),
        (
            &agent.replace("SAYS", "await session.say('Hello, I am an AI assistant.')"),
            TOLD,
        ),
    ]);
    let page = |import: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"@vapi-ai/web\":\"2.0.0\",\"react\":\"18.0.0\",\"openai\":\"4.1.0\"}}}}\n\
             //- src/App.tsx\nimport Vapi from '{import}';\nconst vapi = new Vapi('k');\nexport default function App() {{\n  const go = () => (vapi.start as (c: unknown) => void)({{ name: 'x' }});\n  return <button onClick={{go}}>Start</button>;\n}}\n\
             //- src/rate.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function rateText(text: string) {{\n  return client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: text }}] }});\n}}\n"
        )
    };
    assert_eq!(told(&page("@vapi-ai/web")).0, [Applies::Applies]);
    assert_eq!(told(&page("./own/timer")).0, [Applies::Undetermined]);
}

#[test]
fn chat_hook_receives_streamed_answer() {
    let app = "//- package.json\n{\"dependencies\":{\"ai\":\"4.0.0\",\"@ai-sdk/openai\":\"1.0.0\",\"next\":\"14.0.0\",\"react\":\"18.0.0\"}}\n\
        //- app/api/find/route.ts\nimport { streamText } from 'ai';\nimport { openai } from '@ai-sdk/openai';\nexport async function POST(req: Request) {\n  const { messages } = await req.json();\n  const result = await streamText({ model: openai('gpt-4o-2024-08-06'), prompt: messages[0].content });\n  return result.toDataStreamResponse();\n}\n\
        //- app/page.tsx\nHEAD\nexport default function Page() {\n  BODY\n}\n";
    let hook = app
        .replace("HEAD", "'use client';\nimport { useChat } from 'ai/react';")
        .replace("BODY", "const { input, handleSubmit } = useChat({ api: 'api/find' });\n  return <form onSubmit={handleSubmit}><input value={input} /></form>;");
    let result = app
        .replace("HEAD", "'use client';")
        .replace("BODY", "return <form><input name=\"text\" /></form>;");
    assert_all(&[(&hook, GAP), (&result, OPEN)]);
}

#[test]
fn helper_shared_with_generator_still_is_interaction() {
    let app = "//- requirements.txt\nfastapi==0.115.0\nrequests==2.32.0\n\
        //- model.py\nimport requests\ndef ask_model(context, question):\n    r = requests.post('http://localhost:11434/api/generate', json={'model': 'llama3.1:8b', 'prompt': context + question})\n    return r.json().get('response')\n\
        //- paper.py\nfrom model import ask_model\ndef generate_petition(facts):\n    return ask_model('', facts)\n\
        //- main.py\nfrom fastapi import FastAPI\nfrom paper import generate_petition\nfrom model import ask_model\napp = FastAPI()\n\
        @app.post('/documents')\ndef create_document(facts: str):\n    return {'document': generate_petition(facts)}\nTALK";
    let talk = app.replace(
        "TALK",
        "@app.post('/chat')\ndef chat(message: str):\n    return {'answer': ask_model('', message)}\n",
    );
    let page = "//- templates/chat.html\n<html lang=\"en\"><body><h1>Desk</h1><form><input name=\"message\"></form></body></html>\n";
    let shown = |app: &str| format!("{app}{page}");
    assert_all(&[
        (&shown(&talk), GAP),
        // Who shows the answers of a service without pages is a question.
        (&talk, ASKED),
        (&app.replace("TALK", ""), OPEN),
    ]);
    // Pages that lie elsewhere settle there what they say.
    let opened = talk.replace(
        "app = FastAPI()",
        "app = FastAPI()\napp.add_middleware(CORSMiddleware, allow_origins=['https://desk.example'])",
    );
    assert_ne!(opened, talk);
    assert_all(&[(&opened, ASKED), (&shown(&opened), GAP)]);
}

#[test]
fn search_helper_output_is_not_shown_to_users() {
    let app = "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
        //- templates/chat.html\n<html lang=\"en\"><body><h1>Desk</h1><form><input name=\"message\"></form></body></html>\n\
        //- main.py\nimport logging\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nfrom store import search_entries\napp = FastAPI()\nmodel = OpenAI()\nlogger = logging.getLogger()\n\
        @app.post('/chat')\ndef chat(message: str):\n    words = model.responses.create(model='gpt-4.1-2025-04-14', input=message)\n    logger.info(words.output_text)\n    if words.output_text == 'none':\n        return {'reply': []}\n    found = search_entries(words.output_text)\n    return ENDS\n\
        //- store.py\nfrom db import rows\ndef search_entries(text):\n    return [row for row in rows if text in row]\n";
    let (_, findings, _) = told(&app.replace("ENDS", "{'reply': found}"));
    assert!(findings.is_empty(), "{findings:?}");
    assert_all(&[(
        &app.replace("ENDS", "{'reply': words.output_text, 'found': found}"),
        GAP,
    )]);
}

#[test]
fn classified_intent_is_not_a_reply() {
    let app = "//- requirements.txt\nfastapi==0.115.0\npydantic-ai==0.1.0\n\
        //- templates/chat.html\n<html lang=\"en\"><body><h1>Desk</h1><form><input name=\"message\"></form></body></html>\n\
        //- main.py\nfrom fastapi import FastAPI\nfrom pydantic_ai import Agent\napp = FastAPI()\nagent = Agent('openai:gpt-4.1-2025-04-14', output_type=TYPE)\n\
        @app.post('/chat')\nasync def chat(message: str):\n    answer = await agent.run(message)\n    return {'reply': answer.output}\n";
    assert_eq!(told(&app.replace("TYPE", "list[int]")).1, []);
    assert_all(&[(&app.replace("TYPE", "str"), GAP)]);
}

#[test]
fn chat_field_makes_page_answers_a_conversation() {
    let page = "//- requirements.txt\nstreamlit==1.40.0\nlangchain-openai==0.2.0\nlanggraph==0.2.0\n\
        //- app.py\nimport streamlit as st\nfrom langchain_openai import ChatOpenAI\nfrom langgraph.graph import StateGraph\nmodel = ChatOpenAI(model='gpt-4o-2024-08-06')\n\
        def reply(state):\n    said = model.invoke(state['messages'])\n    st.markdown(said.content)\n    return {'messages': [said]}\n\
        graph = StateGraph(dict)\ngraph.add_node('reply', reply)\nrun = graph.compile()\n\
        FIELD\n";
    let talk = page.replace(
        "FIELD",
        "text = st.chat_input('Your answer')\nif text:\n    run.invoke({'messages': [text]})",
    );
    let report = page.replace("FIELD", "run.invoke({'messages': [open('report.txt').read()]})");
    assert_all(&[(&talk, GAP)]);
    assert!(told(&report).1.is_empty());
}

#[test]
fn command_with_single_result_is_no_interaction() {
    let tool = "//- requirements.txt\nopenai==1.51.0\n\
        //- commit.py\nimport subprocess\nfrom openai import OpenAI\nmodel = OpenAI()\n\
        def NAME(diff, hint):\n    r = model.responses.create(model='gpt-4.1-2025-04-14', input=diff + hint)\n    return r.output_text\n\
        def main():\n    diff = subprocess.check_output(['git', 'diff']).decode()\n    hint = input('Hint: ')\n    subprocess.run(['git', 'commit', '-m', NAME(diff, hint)])\n\
        if __name__ == '__main__':\n    main()\n";
    assert_eq!(
        told(&tool.replace("NAME", "generate_commit_message")).0,
        [Applies::DoesNotApply]
    );
    assert_eq!(told(&tool.replace("NAME", "answer")).0, [Applies::Undetermined]);
}

#[test]
fn message_list_in_window_is_conversation() {
    let app = |list: &str| {
        format!(
            "//- App.csproj\n<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>WinExe</OutputType></PropertyGroup></Project>\n\
             //- Llm.cs\nusing System.Net.Http;\nusing System.Net.Http.Json;\nnamespace App;\npublic class Llm {{\n  private readonly HttpClient _http = new HttpClient();\n  public async Task<string> Send(object body) {{\n    var r = await _http.PostAsJsonAsync(\"https://api.openai.com/v1/chat/completions\", body);\n    return await r.Content.ReadAsStringAsync();\n  }}\n}}\n\
             //- Desk.xaml\n<Window xmlns=\"x\"><ItemsControl ItemsSource=\"{{Binding {list}}}\"><TextBlock Visibility=\"{{Binding IsUser}}\"/></ItemsControl><TextBox Text=\"{{Binding Draft}}\"/></Window>\n"
        )
    };
    let (applies, findings, asked) = told(&app("Messages"));
    assert_eq!((applies, findings, asked), (vec![Applies::Applies], vec![], true));
    assert_eq!(told(&app("Invoices")).0, [Applies::Undetermined]);
}

#[test]
fn operator_screen_is_no_disclosure_for_users() {
    let app = |folder: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"4.0.0\",\"vue\":\"3.0.0\"}}}}\n\
             //- server.js\nconst express = require('express');\nconst OpenAI = require('openai');\nconst client = new OpenAI();\nconst app = express();\napp.post('/chat', async (req, res) => {{\n  const r = await client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: req.body.message }}] }});\n  res.json({{ reply: r.choices[0].message.content }});\n}});\napp.listen(3000);\n\
             //- web/views/widget/Widget.vue\n<template><div v-for=\"m in messages\" :key=\"m.id\">{{{{ m.role }}}} {{{{ m.content }}}}</div><form><input v-model=\"text\"></form></template>\n\
             //- web/views/{folder}/Board.vue\n<template><h2>AI at work</h2></template>\n"
        )
    };
    assert_all(&[(&app("admin"), GAP)]);
    let (applies, findings, asked) = told(&app("start"));
    assert_eq!((applies, findings, asked), (vec![Applies::Applies], vec![], true));
}

#[test]
fn separate_front_end_is_conversation_with_back_end() {
    let app = |route: &str, page: &str| {
        format!(
            "//- backend/go.mod\nmodule backend\n\ngo 1.22\n\nrequire github.com/sashabaranov/go-openai v1.30.0\n\
             //- backend/main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"net/http\"\n\n\topenai \"github.com/sashabaranov/go-openai\"\n)\n\n\
             var client = openai.NewClient(\"key\")\n\nfunc handle(w http.ResponseWriter, r *http.Request) {{\n\tsaid := shelf.Next()\n\
             \tanswer, err := client.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{{Model: \"gpt-4.1-2025-04-14\", Messages: said}})\n\
             \tif err != nil {{\n\t\treturn\n\t}}\n\tshelf.Put(answer)\n}}\n\nfunc main() {{\n\thttp.HandleFunc(\"{route}\", handle)\n\thttp.ListenAndServe(\":8080\", nil)\n}}\n\
             //- frontend/package.json\n{{\"dependencies\":{{\"react\":\"18.0.0\"}}}}\n\
             //- frontend/src/App.jsx\nexport default function App({{ messages, input, send }}) {{\n  return <div>{page}<input value={{input}} /><button onClick={{send}}>Send</button></div>;\n}}\n"
        )
    };
    let list = "{messages.map((m) => <p className={m.role}>{m.content}</p>)}";
    assert_eq!(told(&app("/api/chat", list)).0, [Applies::Applies]);
    assert_eq!(told(&app("/api/chat", "<p>Hello</p>")).0, [Applies::Undetermined]);
    assert_eq!(told(&app("/api/report", list)).0, [Applies::Undetermined]);
}

#[test]
fn stored_result_from_rows_is_no_interaction() {
    let app = "//- requirements.txt\nflask==3.0.0\nopenai==1.51.0\npymongo==4.0.0\n\
        //- rate.py\nfrom openai import OpenAI\nfrom pymongo import MongoClient\nmodel = OpenAI()\ndb = MongoClient().forms\n\
        def NAME(number):\n    form = db.forms.find_one({'_id': number})\n    answer = model.responses.create(model='gpt-4.1-2025-04-14', input=form['text']).output_text\n    db.forms.update_one({'_id': number}, {'$set': {'kind': answer}})\n\
        //- app.py\nfrom flask import Flask\nfrom rate import NAME\napp = Flask(__name__)\n@app.post('/forms/<number>')\ndef form(number):\n    NAME(number)\n    return {'ok': True}\n";
    assert_eq!(told(&app.replace("NAME", "classify_form")).0, [Applies::DoesNotApply]);
    assert_eq!(told(&app.replace("NAME", "answer_form")).0, [Applies::Undetermined]);
}

#[test]
fn question_chain_answers_user() {
    let app = "//- package.json\n{\"dependencies\":{\"langchain\":\"0.1.0\",\"next\":\"14.0.0\",\"react\":\"18.0.0\"}}\n\
        //- app/api/doc-search/route.ts\nimport { OpenAI } from 'langchain/llms/openai';\nimport { VectorDBQAChain } from 'langchain/chains';\nconst model = new OpenAI({ modelName: 'gpt-4.1-2025-04-14' });\n\
        export async function POST(req: Request) {\n  const { query } = await req.json();\n  const chain = VectorDBQAChain.fromLLM(model, store);\n  const answer = await ASKED;\n  return Response.json({ text: answer.text });\n}\n\
        //- app/page.tsx\nexport default function Page() {\n  return <form><label htmlFor=\"q\">Search</label><input id=\"q\" name=\"query\" /></form>;\n}\n";
    assert_all(&[
        (&app.replace("ASKED", "chain.call({ query })"), GAP),
        (&app.replace("ASKED", "model.invoke(query)"), OPEN),
    ]);
}

#[test]
fn ai_named_on_chat_page_is_disclosed() {
    let app = "//- package.json\n{\"dependencies\":{\"openai\":\"4.1.0\",\"next\":\"14.0.0\",\"react\":\"18.0.0\"}}\n\
        //- app/api/chat/route.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function POST(req: Request) {\n  const { message } = await req.json();\n  const answer = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: message });\n  return Response.json({ reply: answer.output_text });\n}\n\
        //- app/Curax.tsx\nexport default function Curax({ messages, input }) {\n  return <div><h1>Desk</h1>HEAD{messages.map((m) => <p className={m.role}>{m.content}</p>)}<textarea value={input} /></div>;\n}\n\
        //- app/page.tsx\nimport Curax from './Curax';\nexport default function Page() {\n  return <Curax />;\n}\n";
    assert_all(&[
        (&app.replace("HEAD", "<p>Your personal medical AI assistant</p>"), TOLD),
        (&app.replace("HEAD", "<p>Your personal medical desk</p>"), GAP),
    ]);
}

#[test]
fn messenger_card_shows_output() {
    let bot = "//- requirements.txt\nopenai==1.51.0\ndiscord.py==2.3.0\n\
        //- bot.py\nimport discord\nfrom openai import OpenAI\nmodel = OpenAI()\nbot = discord.Client()\n\
        @bot.event\nasync def on_message(message):\n    answer = model.responses.create(model='gpt-4.1-2025-04-14', input=message.content).output_text\n    card = discord.Embed(description=answer)\n    await message.channel.send(embed=card)\n";
    assert_all(&[(bot, GAP)]);
}

#[test]
fn page_disclosure_does_not_cover_messenger_users() {
    let tree = |package: &str, bot: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"4.0.0\",\"{package}\":\"4.0.0\"}}}}\n//- server.js\nimport express from 'express';\nimport OpenAI from 'openai';\n{bot}const app = express();\nconst client = new OpenAI();\nasync function answer(text) {{\n  const said = await client.responses.create({{ model: 'gpt-5.5', input: text }});\n  return said.output_text;\n}}\napp.post('/chat', async (req, res) => {{\n  res.json({{ reply: await answer(req.body.message) }});\n}});\napp.listen(3000);\n//- public/chat.html\n<!doctype html><html lang=\"en\"><head><title>Chat</title></head><body><div id=\"messages\"></div><form><input name=\"message\" placeholder=\"Message\"></form><p>You are chatting with an AI assistant. AI can make mistakes.</p><script>fetch('/chat', {{ method: 'POST' }})</script></body></html>\n"
        )
    };
    let bot = "import { Telegraf } from 'telegraf';\nconst telegraf = new Telegraf(process.env.BOT);\ntelegraf.on('text', async (ctx) => { await ctx.reply(await answer(ctx.message.text)); });\ntelegraf.launch();\n";
    assert_all(&[(&tree("cors", ""), TOLD), (&tree("telegraf", bot), ASKED)]);
}

#[test]
fn bot_handlers_with_injected_library_send_messages() {
    let bot = |event: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"@slack/bolt\":\"3.0.0\"}}}}\n\
             //- app.js\nconst {{ App }} = require('@slack/bolt');\nconst listeners = require('./listeners');\nconst app = new App({{ token: 't' }});\nlisteners.register(app);\napp.start(3000);\n\
             //- listeners.js\nconst {{ answer }} = require('./answer');\nmodule.exports.register = (app) => {{\n  {event};\n}};\n\
             //- answer.js\nconst OpenAI = require('openai');\nconst model = new OpenAI();\nconst answer = async ({{ event, client }}) => {{\n  const said = await model.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: event.text }}] }});\n  await client.chat.postMessage({{ channel: event.channel, text: said.choices[0].message.content }});\n}};\nmodule.exports = {{ answer }};\n"
        )
    };
    assert_all(&[
        (&bot("app.event('app_mention', answer)"), GAP),
        (&bot("later.push(answer)"), OPEN),
    ]);
}

#[test]
fn bot_platform_method_sends_message() {
    let bot = |method: &str, key: &str| {
        format!(
            "//- composer.json\n{{\"require\":{{\"openai-php/client\":\"0.10.0\"}}}}\n\
             //- bot.php\n<?php\nuse Desk\\Bot;\n$bot = new Bot();\n$update = json_decode(file_get_contents('php://input'), true);\n$bot->hear($update['message']);\n\
             //- src/Bot.php\n<?php\nnamespace Desk;\nuse OpenAI;\nclass Bot\n{{\n    public function ask($method, $what)\n    {{\n        $handle = curl_init('https://desk.example/bot/' . $method . '?' . http_build_query($what));\n        return curl_exec($handle);\n    }}\n    public function hear($message)\n    {{\n        if (strpos($message['text'], '/start') === 0) {{\n            $this->ask('{method}', array('{key}' => $message['chat'], 'text' => 'Welcome to the desk'));\n            return;\n        }}\n        $client = OpenAI::client('k');\n        $said = $client->chat()->create(['model' => 'gpt-4o-2024-08-06', 'messages' => [['role' => 'user', 'content' => $message['text']]]]);\n        $this->ask('{method}', array('{key}' => $message['chat'], 'text' => $said->choices[0]->message->content));\n    }}\n}}\n"
        )
    };
    assert_all(&[(&bot("sendMessage", "chat_id"), GAP)]);
    assert_ne!(told(&bot("keepNote", "chat_id")).1, [FindingType::Fail]);
    assert_ne!(told(&bot("sendMessage", "row")).1, [FindingType::Fail]);
}

#[test]
fn question_route_is_interaction() {
    let app = |field: &str, read: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- main.py\nfrom fastapi import FastAPI, Request\nfrom openai import OpenAI\nfrom pydantic import BaseModel\napp = FastAPI()\nmodel = OpenAI()\nclass Asked(BaseModel):\n    {field}: str\n    number: int\n\
             @app.post('/desk')\ndef desk(REQUEST):\n    said = model.responses.create(model='gpt-4.1-2025-04-14', input={read})\n    return {{'text': said.output_text}}\n"
        )
    };
    let typed = |field: &str| app(field, &format!("asked.{field}")).replace("REQUEST", "asked: Asked");
    let plain =
        |field: &str| app("other", &format!("request.json()['{field}']")).replace("REQUEST", "request: Request");
    assert_all(&[
        (&typed("question"), ASKED),
        (&typed("topic"), OPEN),
        (&plain("message"), ASKED),
        (&plain("invoice"), OPEN),
    ]);
}

#[test]
fn setting_next_to_answer_may_disclose_ai() {
    let bot = |name: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\npython-telegram-bot==21.0\n\
             //- bot.py\nimport os\nfrom openai import OpenAI\nfrom telegram.ext import Application, MessageHandler, filters\nHEAD = os.environ['{name}']\nmodel = OpenAI()\n\
             async def hear(update, context):\n    said = model.responses.create(model='gpt-4.1-2025-04-14', input=update.message.text).output_text\n    reply = f'{{HEAD}}: {{said}}'\n    await update.message.reply_text(reply)\n\
             app = Application.builder().token('t').build()\napp.add_handler(MessageHandler(filters.TEXT, hear))\napp.run_polling()\n"
        )
    };
    let (applies, findings, asked) = told(&bot("BOT_PREFIX"));
    assert_eq!((applies, findings, asked), (vec![Applies::Applies], vec![], true));
    assert_all(&[(&bot("DESK_URL"), GAP)]);
}

#[test]
fn label_before_each_answer_discloses_ai() {
    let app = |label: &str| {
        format!(
            "//- app/build.gradle.kts\nplugins {{ id(\"com.android.application\") }}\n\
             //- app/src/main/java/desk/data/ChatRepository.kt\npackage desk.data\n\nimport com.aallam.openai.client.OpenAI\nimport com.aallam.openai.api.chat.ChatCompletionRequest\n\nclass ChatRepository {{\n    private val openai = OpenAI(\"k\")\n    suspend fun ask(question: String): String {{\n        val said = openai.chatCompletion(ChatCompletionRequest(model = ModelId(\"gpt-4o-2024-08-06\"), messages = listOf(question)))\n        return said.choices.first().message.content\n    }}\n}}\n\
             //- app/src/main/java/desk/ui/ChatViewModel.kt\npackage desk.ui\n\nimport androidx.lifecycle.ViewModel\nimport desk.data.ChatRepository\n\nclass ChatViewModel : ViewModel() {{\n    private val repository = ChatRepository()\n    val messages = MutableStateFlow(listOf<String>())\n    suspend fun send(message: String) {{\n        val reply = repository.ask(message)\n        messages.value = messages.value + reply\n    }}\n}}\n\
             //- app/src/main/java/desk/ui/ChatScreen.kt\npackage desk.ui\n\nimport androidx.compose.material3.Text\nimport androidx.compose.runtime.Composable\n\n@Composable\nfun ChatScreen(model: ChatViewModel) {{\n    items(model.messages) {{ (own, said) ->\n        Text(text = if (own) \"You: $said\" else \"{label}: $said\")\n    }}\n}}\n"
        )
    };
    let (applies, findings, asked) = told(&app("AI"));
    assert_eq!((applies, findings, asked), (vec![Applies::Applies], vec![], true));
    assert_all(&[(&app("Desk"), GAP)]);
}

#[test]
fn preview_text_is_no_disclosure() {
    let app = |mark: &str| {
        format!(
            "//- app/build.gradle.kts\nplugins {{ id(\"com.android.application\") }}\n\
             //- app/src/main/java/desk/ui/ChatViewModel.kt\npackage desk.ui\n\nimport androidx.lifecycle.ViewModel\nimport com.aallam.openai.client.OpenAI\nimport com.aallam.openai.api.chat.ChatCompletionRequest\n\nclass ChatViewModel : ViewModel() {{\n    private val openai = OpenAI(\"k\")\n    val messages = MutableStateFlow(listOf<String>())\n    suspend fun send(message: String) {{\n        val said = openai.chatCompletion(ChatCompletionRequest(model = ModelId(\"gpt-4o-2024-08-06\"), messages = listOf(message)))\n        messages.value = messages.value + said.choices.first().message.content\n    }}\n}}\n\
             //- app/src/main/java/desk/ui/ChatScreen.kt\npackage desk.ui\n\nimport androidx.compose.material3.Text\nimport androidx.compose.runtime.Composable\n\n@Composable\nfun ChatScreen(model: ChatViewModel) {{\n    items(model.messages) {{ said -> Text(text = said) }}\n}}\n\n{mark}\n@Composable\nfun Shown() {{\n    Text(text = \"Hello, I'm an AI assistant and answer your questions.\")\n}}\n"
        )
    };
    assert_eq!(told(&app("")).1, [FindingType::Pass]);
    assert!(!told(&app("@Preview")).1.contains(&FindingType::Pass));
    assert!(
        !told(&app("@Preview(showBackground = true)"))
            .1
            .contains(&FindingType::Pass)
    );
}

#[test]
fn health_check_route_is_no_disclosure() {
    let app = |health: &str, reply: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"4.0.0\"}}}}\n\
             //- app.js\nconst express = require('express');\nconst OpenAI = require('openai');\nconst client = new OpenAI();\nconst app = express();\nasync function answer(message) {{\n  const said = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: message }});\n  return said.output_text;\n}}\n\
             app.get('{health}', async (req, res) => {{\n  const works = await answer('ping');\n  res.json({{ name: 'Our AI assistant answers', works: Boolean(works) }});\n}});\n\
             app.post('/chat', async (req, res) => {{\n  res.json({{ reply: await answer(req.body.message){reply} }});\n}});\napp.listen(3000);\n"
        )
    };
    assert_all(&[
        (&app("/api/health", ""), ASKED),
        (&app("/api/hello", ""), TOLD),
        (&app("/api/health", ", notice: 'An AI assistant answers.'"), TOLD),
    ]);
}

#[test]
fn greeting_page_of_other_program_discloses_ai() {
    let app = |greeting: &str| {
        format!(
            "//- composer.json\n{{\"require\":{{\"laravel/framework\":\"11.0\"}}}}\n\
             //- resources/views/reader.blade.php\n<div id=\"messages\"><p>{greeting}</p></div>\n<input id=\"text\" placeholder=\"Votre question\">\n\
             //- ai/requirements.txt\nflask==3.0.0\nopenai==1.51.0\n\
             //- ai/app.py\nfrom flask import Flask, request\nfrom openai import OpenAI\napp = Flask(__name__)\nmodel = OpenAI()\n@app.post('/ask')\ndef ask():\n    said = model.responses.create(model='gpt-4.1-2025-04-14', input=request.json['question'])\n    return {{'answer': said.output_text}}\n"
        )
    };
    let (_, findings, _) = told(&app("Bonjour ! Je suis votre assistant IA."));
    assert_eq!(findings, [FindingType::Pass]);
    let (_, findings, _) = told(&app("Bonjour ! Nous sommes votre bureau."));
    assert!(!findings.contains(&FindingType::Pass), "{findings:?}");
}

#[test]
fn disclosure_on_page_of_other_part_is_no_gap() {
    let app = |page: &str, said: &str| {
        format!(
            "//- bot/package.json\n{{\"name\":\"bot\",\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"4.0.0\"}}}}\n\
             //- bot/server.js\nimport express from 'express';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst app = express();\napp.post('/chat', async (req, res) => {{\n  const said = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: req.body.message }});\n  res.json({{ reply: said.output_text }});\n}});\napp.listen(3000);\n\
             //- draw/package.json\n{{\"name\":\"draw\",\"dependencies\":{{\"openai\":\"4.1.0\"}}}}\n\
             //- draw/index.js\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function rate(text) {{\n  return client.embeddings.create({{ model: 'text-embedding-3-small', input: text }});\n}}\nrate('x');\n\
             //- {page}\n{said}\n"
        )
    };
    let html = |said: &str| {
        let page = format!("<html lang=\"en\"><head><title>Desk</title></head><body><p>{said}</p></body></html>");
        told(&app("draw/page.html", &page))
    };
    assert_eq!(html("You are chatting with an AI assistant.").1, [FindingType::Pass]);
    assert_eq!(html("You are at the desk.").1, [FindingType::Fail]);
    // A page that no code leads to may be anybody's.
    let script = |said: &str| {
        let page = format!("export default function Desk() {{\n  return (\n    <p>\n      {said}\n    </p>\n  );\n}}");
        told(&app("draw/desk.js", &page))
    };
    let (_, findings, asked) = script("You are chatting with an AI assistant.");
    assert_eq!((findings, asked), (vec![], true));
    assert_eq!(script("You are at the desk.").1, []);
}

/// A bot in Go whose handlers are made by functions and handed over as settings, and whose client asks two addresses through one wrapper.
fn bot_of_made_handlers(handler: &str, start: &str) -> String {
    format!(
        "//- go.mod\nmodule example.org/desk\n\ngo 1.22\n\nrequire github.com/go-telegram/bot v1.2.0\n\
         //- main.go\npackage main\n\nimport (\n\t\"context\"\n\n\t\"example.org/desk/ask\"\n\t\"example.org/desk/handlers\"\n\t\"github.com/go-telegram/bot\"\n)\n\nfunc main() {{\n\tclient := ask.New()\n\tb, _ := bot.New(\"t\", bot.WithDefaultHandler(handlers.Talk(client)), bot.WithMessageTextHandler(\"/start\", bot.MatchTypePrefix, handlers.Start()))\n\tb.Start(context.Background())\n}}\n\
         //- ask/client.go\npackage ask\n\nimport (\n\t\"bytes\"\n\t\"encoding/json\"\n\t\"io\"\n\t\"net/http\"\n)\n\ntype Client struct{{ hc *http.Client }}\n\ntype reply struct {{\n\tChoices []struct {{\n\t\tMessage struct{{ Content string }}\n\t}}\n}}\n\nfunc New() *Client {{ return &Client{{hc: &http.Client{{}}}} }}\n\nfunc (c *Client) do(req *http.Request) ([]byte, error) {{\n\tresp, err := c.hc.Do(req)\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n\tdefer resp.Body.Close()\n\tbody, err := io.ReadAll(resp.Body)\n\treturn body, err\n}}\n\nfunc (c *Client) Complete(text string) (string, error) {{\n\tb, _ := json.Marshal(map[string]any{{\"model\": \"gpt-4o-2024-08-06\", \"messages\": []map[string]string{{{{\"role\": \"user\", \"content\": text}}}}}})\n\treq, _ := http.NewRequest(http.MethodPost, \"https://api.openai.com/v1/chat/completions\", bytes.NewBuffer(b))\n\tbody, err := c.do(req)\n\tif err != nil {{\n\t\treturn \"\", err\n\t}}\n\tvar parsed reply\n\tif err := json.Unmarshal(body, &parsed); err != nil {{\n\t\treturn \"\", err\n\t}}\n\treturn parsed.Choices[0].Message.Content, nil\n}}\n\nfunc (c *Client) Draw(text string) ([]byte, error) {{\n\tb, _ := json.Marshal(map[string]any{{\"model\": \"gpt-image-1\", \"prompt\": text}})\n\treq, _ := http.NewRequest(http.MethodPost, \"https://api.openai.com/v1/images/generations\", bytes.NewBuffer(b))\n\treturn c.do(req)\n}}\n\
         //- handlers/talk.go\npackage handlers\n\nimport (\n\t\"context\"\n\n\t\"example.org/desk/ask\"\n\t\"github.com/go-telegram/bot\"\n\t\"github.com/go-telegram/bot/models\"\n)\n\nfunc Talk(client *ask.Client) bot.HandlerFunc {{\n\treturn func(ctx context.Context, b *bot.Bot, update *models.Update) {{\n\t\t{handler}\n\t}}\n}}\n\
         //- handlers/start.go\npackage handlers\n\nimport (\n\t\"context\"\n\n\t\"github.com/go-telegram/bot\"\n\t\"github.com/go-telegram/bot/models\"\n)\n\nfunc Start() bot.HandlerFunc {{\n\treturn func(ctx context.Context, b *bot.Bot, update *models.Update) {{\n\t\tb.SendMessage(ctx, &bot.SendMessageParams{{ChatID: update.Message.Chat.ID, Text: \"{start}\"}})\n\t}}\n}}\n"
    )
}

#[test]
fn bot_handlers_receive_user_messages() {
    let talk = "said, err := client.Complete(update.Message.Text)\n\t\tif err != nil {\n\t\t\treturn\n\t\t}\n\t\tb.SendMessage(ctx, &bot.SendMessageParams{ChatID: update.Message.Chat.ID, Text: said})";
    let sort = "kind, err := client.Complete(\"spam or not: \" + update.Message.Text)\n\t\tif err != nil {\n\t\t\treturn\n\t\t}\n\t\tif kind == \"not\" {\n\t\t\treturn\n\t\t}\n\t\tb.SendMessage(ctx, &bot.SendMessageParams{ChatID: update.Message.Chat.ID, Text: \"Removed.\"})";
    assert_all(&[
        (&bot_of_made_handlers(talk, "Welcome to the desk."), GAP),
        // The greeting in the file beside it introduces who answers.
        (&bot_of_made_handlers(talk, "Привет! Я твой ChatGPT бот."), TOLD),
        (
            &bot_of_made_handlers(talk, "Привет! Я твой ChatGPT бот. Рисую картинки."),
            TOLD,
        ),
        (
            &bot_of_made_handlers(
                talk,
                &format!("Привет! Я твой ChatGPT бот. {}", "Задай мне вопрос. ".repeat(30)),
            ),
            TOLD,
        ),
        (&bot_of_made_handlers(sort, "Welcome to the desk."), OPEN),
    ]);
}

#[test]
fn answer_read_from_channel_is_reply_to_user() {
    let bot = |kept: &str| {
        format!(
            "//- go.mod\nmodule example.org/desk\n\ngo 1.22\n\nrequire (\n\tgithub.com/bwmarrin/discordgo v0.28.0\n\tgithub.com/sashabaranov/go-openai v1.20.0\n)\n\
             //- main.go\npackage main\n\nimport (\n\t\"context\"\n\n\t\"github.com/bwmarrin/discordgo\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\n\nvar replies = make(chan string)\n\ntype job struct {{\n\ttext string\n\tdone chan string\n}}\n\nfunc ask(j *job) {{\n\tclient := openai.NewClient(\"k\")\n\tresp, err := client.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{{Model: \"gpt-4o-2024-08-06\", Messages: []openai.ChatCompletionMessage{{{{Role: \"user\", Content: j.text}}}}}})\n\tif err != nil {{\n\t\treturn\n\t}}\n\t{kept}\n}}\n\nfunc hear(s *discordgo.Session, m *discordgo.MessageCreate) {{\n\tj := &job{{text: m.Content, done: make(chan string)}}\n\tgo ask(j)\n\tfor said := range j.done {{\n\t\ts.ChannelMessageSend(m.ChannelID, said)\n\t}}\n}}\n\nfunc main() {{\n\tdg, _ := discordgo.New(\"Bot t\")\n\tdg.AddHandler(hear)\n\tdg.Open()\n\tselect {{}}\n}}\n"
        )
    };
    assert_all(&[
        (&bot("j.done <- resp.Choices[0].Message.Content"), ASKED),
        (
            &bot("if resp.Choices[0].Message.Content == \"spam\" {\n\t\tj.done <- \"Removed.\"\n\t}"),
            OPEN,
        ),
    ]);
}

#[test]
fn answer_stored_next_to_user_turn_is_shown() {
    let app = |role: &str| {
        format!(
            "//- Gemfile\nsource 'https://rubygems.org'\ngem 'rails', '7.1.0'\ngem 'ruby_llm', '1.2.0'\n\
             //- config/routes.rb\nRails.application.routes.draw do\n  resources :notes\nend\n\
             //- app/controllers/notes_controller.rb\nclass NotesController < ApplicationController\n  def create\n    @note = Note.new(note_params)\n    @note.save\n    said = RubyLLM.chat.ask(@note.content)\n    Note.create!({role}: \"assistant\", content: said.content)\n    redirect_to notes_path\n  end\n\n  private\n\n  def note_params\n    params.require(:note).permit(:content)\n  end\nend\n"
        )
    };
    assert_all(&[(&app("role"), ASKED), (&app("label"), OPEN)]);
}

#[test]
fn program_entries_in_history_are_no_user_turns() {
    let app = |kept: &str| {
        format!(
            "//- requirements.txt\nopenai==1.0.0\nfastapi==0.110.0\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nfrom rows import history, Row\napp = FastAPI()\nclient = OpenAI()\n@app.post('/claims')\ndef claim(text: str):\n    said = client.chat.completions.create(model='gpt-4o-2024-08-06', messages=[{{'role': 'user', 'content': text}}])\n    {kept}\n    return {{'ok': True}}\n\
             //- rows.py\nclass Row:\n    def __init__(self, role, content):\n        self.role = role\n        self.content = content\nclass History:\n    def add_message(self, role, content):\n        pass\nhistory = History()\n"
        )
    };
    let applies = |kept: &str| told(&app(kept)).0 == [Applies::Applies];
    assert!(!applies(
        "history.add_message(role='assistant', content=said.choices[0].message.content)"
    ));
    assert!(applies(
        "Row(role='assistant', content=said.choices[0].message.content)"
    ));
}

#[test]
fn view_model_with_turns_of_both_sides_is_conversation() {
    let app = |role: &str| {
        format!(
            "//- app/build.gradle.kts\ndependencies {{ implementation(\"com.google.ai.client.generativeai:generativeai:0.9.0\") }}\n\
             //- app/src/main/java/org/example/desk/Line.kt\npackage org.example.desk\n\nenum class Role {{ YOU, GEMINI, DRAFT }}\n\ndata class Line(val text: String, val participant: Role)\n\
             //- app/src/main/java/org/example/desk/DeskViewModel.kt\npackage org.example.desk\n\nimport androidx.lifecycle.ViewModel\nimport com.google.ai.client.generativeai.GenerativeModel\n\nclass DeskViewModel(private val rows: LineDao) : ViewModel() {{\n    private val model = GenerativeModel(\"gemini-1.5-pro-002\", \"k\")\n\n    suspend fun go(text: String) {{\n        rows.put(Line(text = text, participant = Role.YOU))\n        val said = model.generateContent(text)\n        rows.put(Line(text = said.text ?: \"\", participant = Role.{role}))\n    }}\n}}\n"
        )
    };
    let (applies, _, asked) = told(&app("GEMINI"));
    assert_eq!((&*applies, asked), (&[Applies::Applies][..], true));
    assert_ne!(told(&app("DRAFT")).0, [Applies::Applies]);
}

#[test]
fn window_field_passes_user_input() {
    let app = |name: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"desk\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\neframe = \"0.27\"\negui = \"0.27\"\nreqwest = \"0.12\"\n\
             //- src/main.rs\nmod model;\nmod window;\nfn main() {{\n    window::open();\n}}\n\
             //- src/model.rs\nuse reqwest::Client;\npub async fn ask(prompt: &str) -> String {{\n    let body = serde_json::json!({{ \"model\": \"llama3.2\", \"prompt\": prompt }});\n    Client::new().post(\"http://localhost:11434/api/generate\").json(&body).send().await.unwrap().text().await.unwrap()\n}}\n\
             //- src/window.rs\nuse eframe::egui;\nuse crate::model::ask;\npub struct Desk {{ input: String, done: std::sync::Arc<std::sync::Mutex<Vec<Step>>> }}\npub enum Step {{ Said(String) }}\nimpl Desk {{\n    fn {name}(&mut self) {{\n        let done = self.done.clone();\n        let text = self.input.clone();\n        tokio::spawn(async move {{\n            let said = ask(&text).await;\n            done.lock().unwrap().push(Step::Said(said));\n        }});\n    }}\n    fn draw(&mut self, ui: &mut egui::Ui) {{\n        egui::TextEdit::multiline(&mut self.input).show(ui);\n        if ui.button(\"Go\").clicked() {{ self.{name}(); }}\n    }}\n}}\npub fn open() {{}}\n"
        )
    };
    let (applies, findings, _) = told(&app("send_message"));
    assert_eq!((&*applies, &*findings), (&[Applies::Applies][..], &[][..]));
    assert_ne!(told(&app("tidy_up")).0, [Applies::Applies]);
}

#[test]
fn untraced_output_leaves_interaction_open() {
    let basis = |text: &str| {
        let evaluation = scan_memory(&fixture(text).unwrap(), &today());
        evaluation.systems[0].risk_basis.clone()
    };
    let lost = basis(&format!(
        "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\"}}}}\n//- ask.js\nconst OpenAI = require('openai');\nconst model = new OpenAI();\n{}",
        "module.exports = async (text, later) => {\n  const said = await model.chat.completions.create({ model: 'gpt-4o-2024-08-06', messages: [{ role: 'user', content: text }] });\n  later.put(said.choices[0].message.content);\n};\n"
    ));
    assert!(lost.starts_with("the output could not be traced"), "{lost}");
    let ended = basis(
        "//- requirements.txt\nopenai==1.0.0\n//- nightly.py\nimport sqlite3\nfrom openai import OpenAI\nclient = OpenAI()\nif __name__ == '__main__':\n    db = sqlite3.connect('notes.db')\n    said = client.chat.completions.create(model='gpt-4o-2024-08-06', messages=[{'role': 'user', 'content': open('notes.txt').read()}])\n    db.execute('INSERT INTO notes VALUES (?)', (said.choices[0].message.content,))\n",
    );
    assert!(ended.starts_with("no interaction with users was found"), "{ended}");
}

/// A bot of Telegram in Python that greets with one text, and holds another one besides.
fn telegram(start: &str, further: &str) -> String {
    format!(
        "//- requirements.txt\nopenai==1.51.0\npyTelegramBotAPI==4.20.0\n\
         //- desk.py\nimport telebot\nfrom openai import OpenAI\nbot = telebot.TeleBot('x')\nclient = OpenAI()\n\
         @bot.message_handler(commands=['start'])\ndef start(message):\n    bot.send_message(message.chat.id, \"{start}\")\n{further}\
         @bot.message_handler(func=lambda message: True)\ndef reply(message):\n    \
         answer = client.chat.completions.create(model='gpt-4o-2024-08-06', messages=[{{'role': 'user', 'content': message.text}}])\n    \
         bot.reply_to(message, answer.choices[0].message.content)\n"
    )
}

#[test]
fn refusal_message_is_no_disclosure() {
    let refused = "    if message.chat.id != 7:\n        bot.send_message(message.chat.id, \"TEXT\")\n        return\n";
    let english = refused.replace("TEXT", "You are not authorized to talk to this AI assistant.");
    let russian = refused.replace("TEXT", "Для доступа к AI-ассистенту нужна подписка на канал.");
    let greets = refused.replace("TEXT", "You are talking to an AI assistant.");
    assert_all(&[
        (&telegram("Welcome!", &english), GAP),
        (&telegram("Welcome!", &russian), GAP),
        (&telegram("Welcome!", &greets), TOLD),
    ]);
}

#[test]
fn long_multibyte_greeting_is_detected() {
    let long = "Я ваш AI-ассистент. ".to_owned() + &"Помогаю с вопросами. ".repeat(40);
    assert!(long.len() > 1_500 && long.chars().count() < 1_500);
    let article = "I am your AI assistant. ".to_owned() + &"I help with questions of all kinds. ".repeat(60);
    assert_all(&[(&telegram(&long, ""), TOLD), (&telegram(&article, ""), GAP)]);
}

#[test]
fn role_in_prompt_is_no_order_to_disclose() {
    let bot = |system: &str| {
        telegram("Welcome!", "").replace(
            "messages=[",
            &format!("messages=[{{'role': 'system', 'content': {system}}}, "),
        )
    };
    let ordered = bot("'Please inform the user that an AI assistant answers.'");
    let part = bot("'Please inform the user that the document is being read. You are a helpful AI tutor.'");
    assert_all(&[(&ordered, TOLD), (&part, GAP)]);
}

#[test]
fn product_name_in_settings_may_disclose_ai() {
    let app = |name: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"next\":\"14.0.0\",\"react\":\"18.0.0\"}}}}\n\
             //- config/site-config.js\nexport const desk = {{\n  name: \"{name}\",\n}};\n\
             //- pages/index.jsx\nimport {{ useState }} from 'react';\nimport {{ desk }} from '../config/site-config';\n\
             export default function Home() {{\n  const [turns, setTurns] = useState([]);\n  const [text, setText] = useState('');\n  \
             const send = async () => {{\n    const r = await fetch('/api/chat', {{ method: 'POST', body: JSON.stringify({{ message: text }}) }});\n    \
             const data = await r.json();\n    setTurns([...turns, {{ role: 'assistant', content: data.reply }}]);\n  }};\n  \
             return <main><h1>{{desk.name}}</h1>{{turns.map((turn) => <p>{{turn.content}}</p>)}}<input value={{text}} onChange={{(e) => setText(e.target.value)}} /><button onClick={{send}}>Send</button></main>;\n}}\n\
             //- pages/api/chat.js\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport default async function handler(req, res) {{\n  \
             const answer = await client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: req.body.message }}] }});\n  \
             res.json({{ reply: answer.choices[0].message.content }});\n}}\n"
        )
    };
    assert_all(&[
        (&app("Chatbot Palmera"), ASKED),
        (&app("Palmera"), GAP),
        // The name of a model in settings says nothing of the product.
        (&app("gpt-4o-mini"), GAP),
    ]);
}

#[test]
fn news_summary_on_request_raises_question() {
    let bot = |function: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\npyTelegramBotAPI==4.20.0\n\
             //- desk.py\nimport telebot\nfrom openai import OpenAI\nbot = telebot.TeleBot('x')\nclient = OpenAI()\n\
             def {function}(text):\n    return client.chat.completions.create(model='gpt-4o-2024-08-06', messages=[{{'role': 'user', 'content': text}}]).choices[0].message.content\n\
             @bot.message_handler(func=lambda message: True)\ndef reply(message):\n    bot.reply_to(message, {function}(message.text))\n"
        )
    };
    assert_all(&[(&bot("process_news"), ASKED), (&bot("process_text"), GAP)]);
}

#[test]
fn sign_in_page_shows_no_answers() {
    let app = |page: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"5.0.0\"}}}}\n\
             //- app.js\nimport express from 'express';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst app = express();\n\
             app.post('/chat', async (req, res) => {{\n  const answer = await client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: req.body.message }}] }});\n  \
             res.json({{ reply: answer.choices[0].message.content }});\n}});\napp.listen(80);\n\
             //- public/{page}.html\n<!doctype html><html lang=\"en\"><head><title>Desk</title></head><body><p>Please wait</p></body></html>\n"
        )
    };
    assert_all(&[(&app("callback"), ASKED), (&app("index"), GAP)]);
}

#[test]
fn line_next_to_feedback_buttons_is_no_disclosure() {
    let app = |file: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"next\":\"14.0.0\",\"react\":\"18.0.0\"}}}}\n\
             //- components/{file}.tsx\nexport function Line() {{\n  return <small>AI-generated content may be incorrect</small>;\n}}\n\
             //- pages/index.tsx\nimport {{ Line }} from '../components/{file}';\n\
             export default function Home() {{\n  const send = async (text: string) => {{\n    const r = await fetch('/api/chat', {{ method: 'POST', body: JSON.stringify({{ message: text }}) }});\n    \
             document.title = (await r.json()).reply;\n  }};\n  return <main><input onChange={{(e) => send(e.target.value)}} /><Line /></main>;\n}}\n\
             //- pages/api/chat.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport default async function handler(req: any, res: any) {{\n  \
             const answer = await client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: req.body.message }}] }});\n  \
             res.json({{ reply: answer.choices[0].message.content }});\n}}\n"
        )
    };
    let (_, few, _) = told(&app("UserFeedbackActions"));
    assert!(!few.contains(&FindingType::Pass), "{few:?}");
    let (_, all, _) = told(&app("ChatLine"));
    assert_eq!(all, [FindingType::Pass]);
}

#[test]
fn command_named_after_model_may_disclose_ai() {
    let bot = |name: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"discord.js\":\"14.0.0\"}}}}\n\
             //- ask.js\nconst {{ SlashCommandBuilder }} = require('discord.js');\nconst OpenAI = require('openai');\nconst client = new OpenAI();\n\
             module.exports = {{\n  data: new SlashCommandBuilder().setName('{name}').setDescription('Ask something').addStringOption((o) => o.setName('text').setDescription('what')),\n  \
             async execute(interaction) {{\n    const r = await client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: interaction.options.getString('text') }}] }});\n    \
             await interaction.reply(r.choices[0].message.content);\n  }},\n}};\n"
        )
    };
    assert_all(&[(&bot("gpt"), ASKED), (&bot("ask-claude"), ASKED), (&bot("ask"), GAP)]);
}

#[test]
fn bot_settings_menu_is_visible_to_users() {
    let bot = |label: &str| {
        let keyboard = format!(
            "//- keyboards/settings.py\nfrom telebot.types import InlineKeyboardButton\nchoices = [[InlineKeyboardButton(text='{label}', callback_data='m')]]\n"
        );
        telegram("Welcome!", "") + &keyboard
    };
    assert_all(&[(&bot("🎛 GPT - model"), ASKED), (&bot("🎛 Model"), GAP)]);
}

#[test]
fn bot_texts_in_json_may_disclose_ai() {
    let bot = |key: &str| {
        let settings = format!(
            "//- config/default.json\n{{\"params\": {{\"model\": \"gpt-4o-2024-08-06\"}}, \"start\": {{\"{key}\": \"Я - бот для личного общения с ChatGPT\"}}}}\n"
        );
        telegram("Welcome!", "") + &settings
    };
    assert_all(&[(&bot("about"), ASKED), (&bot("prompt"), GAP)]);
}
