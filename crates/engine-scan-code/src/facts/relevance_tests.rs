//! Facts that decide whether a finding is useful: the place of a disclosure, the handling of a failure, the place where
//! output runs, the place where a name is written.

use engine_model::{Call, CallKind, Effect, TraceKind, fixture};

use crate::{CodeJoin, ManifestNames, join, read};

fn scan(tree: &str) -> CodeJoin {
    let tree = fixture(tree).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, &ManifestNames::default(), &tree)
}

fn call(tree: &str) -> Call {
    let join = scan(tree);
    join.calls
        .into_iter()
        .find(|call| call.kind == CallKind::Call)
        .expect("a call")
}

fn place(call: &Call, kind: TraceKind) -> Option<(String, u32)> {
    let place = call.traced(kind)?.chain.first()?;
    Some((place.file.clone()?, place.line?))
}

const CHAT: &str = "//- app.py\nfrom flask import Flask, request\nfrom openai import OpenAI\napp = Flask(__name__)\nclient = OpenAI()\n@app.post('/chat')\ndef chat():\n    text = request.json['text']\n{BRANCH}    answer = client.responses.create(model='gpt-4.1', input=text)\n    return {'reply': answer.output_text}\n";

fn told(branch: &str) -> Option<bool> {
    call(&CHAT.replace("{BRANCH}", branch)).disclosure
}

#[test]
fn disclosure_in_one_greeting_is_uncertain() {
    for branch in [
        "    if text.lower().strip() in ['hi', 'hello']:\n        return {'reply': \"Hello, I'm your AI assistant.\"}\n",
        "    greetings = ['hi', 'hello']\n    if text.lower().strip() in greetings:\n        return {'reply': \"Hello, I'm your AI assistant.\"}\n",
        "    if text == 'hi':\n        return {'reply': \"Hello, I'm your AI assistant.\"}\n",
    ] {
        assert_eq!(told(branch), None, "{branch}");
    }
    for branch in [
        "    if text == '/start':\n        return {'reply': \"Hello, I'm your AI assistant.\"}\n",
        "    if not text:\n        return {'reply': \"Hello, I'm your AI assistant.\"}\n",
    ] {
        assert_eq!(told(branch), Some(true), "{branch}");
    }
    assert_eq!(told(""), Some(false));
}

const RATE: &str = "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef rate(text):\n    try:\n        answer = client.responses.create(model='gpt-4.1', input=text)\n        return {GOOD}\n    except Exception as e:\n        return {BAD}\nprint(rate(input()))\n";

fn stands_in(good: &str, bad: &str) -> bool {
    let tree = RATE.replace("{GOOD}", good).replace("{BAD}", bad);
    call(&tree).traced(TraceKind::FailureAnswered).is_some()
}

#[test]
fn default_rating_is_not_error_handling() {
    assert!(stands_in("int(answer.output_text), 'fine'", "1, 'no rating'"));
    assert!(stands_in(
        "{'score': int(answer.output_text)}",
        "{'score': 0, 'comment': ''}"
    ));
    for (good, bad) in [
        ("answer.output_text", "'Something went wrong, try again.'"),
        ("int(answer.output_text)", "None"),
        ("{'score': int(answer.output_text)}", "{'error': str(e), 'score': 0}"),
        (
            "{'score': int(answer.output_text)}",
            "(jsonify({'message': 'no'}), 500)",
        ),
    ] {
        assert!(!stands_in(good, bad), "{bad}");
    }
}

const RUN: &str = "//- go.mod\nmodule acme/run\n//- main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"os/exec\"\n\n\t\"github.com/google/generative-ai-go/genai\"\n)\n\nfunc main() {\n\tctx := context.Background()\n\tclient, _ := genai.NewClient(ctx)\n\tresp, _ := client.GenerativeModel(\"gemini-pro\").GenerateContent(ctx, genai.Text(\"x\"))\n{START}\texec.CommandContext(ctx, {WORDS}, resp.Candidates[0]).Run()\n}\n";

#[test]
fn code_in_own_container_is_not_shell_effect() {
    let runs = |start: &str, words: &str| {
        let call = call(&RUN.replace("{START}", start).replace("{WORDS}", words));
        let sink = place(&call, TraceKind::RunsAnswer).map(|(_, line)| line);
        (call.effects.contains(&Effect::Shell), sink)
    };
    let start = "\texec.CommandContext(ctx, \"docker\", \"run\", \"-d\", \"sandbox\").Run()\n";
    assert_eq!(runs("", "\"sh\", \"-c\""), (true, Some(14)));
    assert_eq!(
        runs("", "\"docker\", \"run\", \"sandbox\", \"sh\", \"-c\""),
        (false, None)
    );
    assert_eq!(
        runs(start, "\"docker\", \"exec\", \"box\", \"sh\", \"-c\""),
        (false, None)
    );
    assert_eq!(
        runs("", "\"docker\", \"exec\", \"box\", \"sh\", \"-c\""),
        (true, Some(14))
    );
}

#[test]
fn interpreter_input_is_not_a_command() {
    let runs = |words: &str| {
        let tree = format!(
            "//- app.py\nimport subprocess, sys\nfrom openai import OpenAI\nclient = OpenAI()\nanswer = client.responses.create(model='gpt-4.1', \
             input=input()).output_text\nsubprocess.run({words})\n"
        );
        call(&tree).effects.contains(&Effect::Shell)
    };
    assert!(!runs(
        "[sys.executable, '-m', 'piper', '--model', 'a'], input=answer, text=True"
    ));
    assert!(!runs("['python3', 'speak.py'], input=answer"));
    assert!(!runs("command(), input=answer"));
    assert!(runs("answer, input='yes'"));
    assert!(runs("['bash'], input=answer, text=True"));
    assert!(runs("['python3', '-c', answer]"));
    assert!(runs("[sys.executable, '-m', 'piper', answer]"));
    assert!(runs("['python3', 'speak.py'], input=answer, shell=True"));
}

#[test]
fn the_name_of_a_retired_model_is_found_where_it_is_written() {
    let written = |tree: &str| place(&call(tree), TraceKind::ModelNamed);
    assert_eq!(
        written(
            "//- settings.py\nNAME = 'gpt-3.5-turbo-0301'\n//- app.py\nfrom openai import OpenAI\nfrom settings import NAME\nclient = OpenAI()\nprint(client.responses.create(model=NAME, input=input()))\n"
        ),
        Some(("settings.py".to_owned(), 1))
    );
    assert_eq!(
        written(
            "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\nprint(client.responses.create(\n    model='gpt-3.5-turbo-0301',\n    input=input()))\n"
        ),
        Some(("app.py".to_owned(), 4))
    );
    assert_eq!(
        written(
            "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\nprint(client.responses.create(model='gpt-5.5', input=input()))\n"
        ),
        None,
        "a name that is served"
    );
}

#[test]
fn model_name_from_callers_is_reported_per_caller() {
    let tree = |body: &str| {
        format!(
            "//- llm.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text, model):\n    return client.responses.create({body}, input=text)\n//- app.py\nfrom llm import ask\nprint(ask(input(), 'gpt-3.5-turbo-0301'))\n//- jobs.py\nfrom llm import ask\nprint(ask('news', 'gpt-3.5-turbo-0301'))\n"
        )
    };
    let places = |tree: &str| {
        call(tree).traced(TraceKind::ModelNamed).map_or_else(Vec::new, |trace| {
            let at =
                |place: &engine_model::Evidence| format!("{}:{}", place.file.clone().unwrap(), place.line.unwrap());
            trace.chain.iter().map(at).collect()
        })
    };
    assert_eq!(places(&tree("model=model")), ["app.py:2", "jobs.py:2"]);
    assert_eq!(places(&tree("model='gpt-3.5-turbo-0301'")), ["llm.py:4"]);
}

#[test]
fn call_limited_to_bot_owner_is_marked() {
    let owned = |before: &str, condition: &str| {
        let tree = format!(
            "//- bot.py\nfrom openai import OpenAI\nclient = OpenAI()\nOWNER_ID = 7\nasync def on_message(message):\n{before}    if {condition}:\n        answer = client.responses.create(model='gpt-5.5', input=message.content)\n        await message.channel.send(answer.output_text)\n"
        );
        call(&tree).traced(TraceKind::OwnerOnly).is_some()
    };
    assert!(owned("", "message.author.id == OWNER_ID"));
    assert!(owned("", "message.is_from_me and message.content.startswith('!ask')"));
    assert!(owned(
        "    if message.author.id != OWNER_ID:\n        return\n",
        "message.content"
    ));
    assert!(!owned("", "message.author.id in ALLOWED"));
    // One person whom the settings name is the owner; of a list not all are.
    for one in ["YOUR_CHAT_ID", "ADMIN_ID", "ALLOWED_USER_ID"] {
        assert!(owned(
            &format!("    if message.author.id != {one}:\n        return\n"),
            "message.content"
        ));
    }
    assert!(!owned(
        "    if message.author.id not in ALLOWED_USER_IDS:\n        return\n",
        "message.content"
    ));
    // What the owner writes is left alone: everybody else is answered.
    assert!(!owned("", "not message.is_from_me"));
    assert!(!owned("    if message.from_me:\n        return\n", "message.content"));
    assert!(owned(
        "    if not message.from_me:\n        return\n",
        "message.content"
    ));
    assert!(!owned(
        "    if message.author.id == OWNER_ID:\n        print('hi')\n",
        "message.content"
    ));
}

#[test]
fn disclosure_in_unused_component_does_not_count() {
    let tree = |import: &str| {
        format!(
            "//- src/main.jsx\nimport App from './App';\n//- src/App.jsx\n{import}import Ask from './Ask';\nimport Bar from './Bar';\nimport Foot from './Foot';\nexport default () => <Ask/>;\n//- src/Bar.jsx\nexport default () => <p>Bar</p>;\n//- src/Foot.jsx\nexport default () => <p>Foot</p>;\n//- src/OldChat.jsx\nexport default () => <p>You are chatting with an AI assistant. It can make mistakes.</p>;\n//- src/Ask.jsx\nimport {{ useState }} from 'react';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport default function Ask() {{\n  const [text, setText] = useState('');\n  const [reply, setReply] = useState('');\n  const ask = async () => {{\n    const answer = await client.responses.create({{ model: 'gpt-4.1', input: text }});\n    setReply(answer.output_text);\n  }};\n  return <div><input onChange={{e => setText(e.target.value)}}/><button onClick={{ask}}/><p>{{reply}}</p></div>;\n}}\n"
        )
    };
    let join = scan(&tree(""));
    assert_eq!(join.unused, ["src/OldChat.jsx"]);
    let told = |tree: &str| call(tree).traced(TraceKind::ToldOfAi).is_some();
    assert!(!told(&tree("")));
    assert!(scan(&tree("import OldChat from './OldChat';\n")).unused.is_empty());
    assert!(told(&tree("import OldChat from './OldChat';\n")));
}

const GRADE: &str = "//- app.py\nfrom dataclasses import dataclass\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n\
    @dataclass\nclass Grade:\n    topic: str\n    points: int\n    words: str\n\
    def ask(text):\n    return client.responses.create(model='gpt-4.1', input=text).output_text\n\
    def fallback_grade(text):\n    return {'score': len(text)}\n\
    def grade(text):\n    try:\n        words = ask(text)\n        return Grade('essay', int(words), words)\n    except Exception as error:\n        {BAD}\n\
    @app.post('/grade')\ndef route(text: str):\n    return grade(text)\n";

#[test]
fn failure_turned_into_grade_by_caller_is_not_handled() {
    let with = |bad: &str| {
        call(&GRADE.replace("{BAD}", bad))
            .traced(TraceKind::FailureAnswered)
            .is_some()
    };
    assert!(!with("print(error)\n        return None"));
    assert!(!with("print(error)\n        return ErrorReply('essay', 502)"));
    assert!(with("print(error)\n        return Grade('essay', 0, 'no answer')"));
    assert!(with("print(error)\n        return keep(fallback_grade(text))"));
    assert!(with("grades.append({'name': text, 'score': 0})"));
    assert!(!with("grades.append({'name': text, 'score': 0, 'error': str(error)})"));
    assert!(with("text.score = 0"));
    assert!(with("pass"));
}

#[test]
fn status_turned_into_rating_is_not_handled() {
    let app = "//- rank.ts\nexport async function rank(all: any[]) {\n  const out: any[] = [];\n  for (const one of all) {\n    const response = await fetch('https://api.openai.com/v1/responses', { method: 'POST', body: JSON.stringify({ model: 'gpt-4.1', input: one.text }) });\n    if (!response.ok) {\n      PUT\n      continue;\n    }\n    const data = await response.json();\n    out.push({ id: one.id, matchScore: data.score });\n  }\n  return out;\n}\n";
    let with = |put: &str| {
        call(&app.replace("PUT", put))
            .traced(TraceKind::FailureAnswered)
            .is_some()
    };
    assert!(with("out.push({ id: one.id, matchScore: 0 });"));
    assert!(!with("out.push({ id: one.id, error: 'try again later' });"));
}

#[test]
fn overridden_default_names_no_model() {
    let tree = |calls: &str| {
        format!(
            "//- llm.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text, model='gpt-3.5-turbo-0301'):\n    return client.responses.create(model=model, input=text)\n//- app.py\nfrom llm import ask\n{calls}"
        )
    };
    let model = |calls: &str| call(&tree(calls)).model;
    assert_eq!(model("print(ask(input(), 'gpt-5.5'))\n").as_deref(), Some("gpt-5.5"));
    assert_eq!(
        model("print(ask(input(), model='gpt-5.5'))\nprint(ask('x', 'gpt-5.5'))\n").as_deref(),
        Some("gpt-5.5")
    );
    assert_eq!(model("print(ask(input()))\n").as_deref(), Some("gpt-3.5-turbo-0301"));
    assert_eq!(
        model("print(ask(input(), **settings))\n").as_deref(),
        Some("gpt-3.5-turbo-0301")
    );
    let kotlin = |given: &str| {
        let tree = format!(
            "//- src/Request.kt\npackage a\ndata class Request(\n  val model: String = \"gpt-3.5-turbo-0301\",\n  val messages: List<String>,\n)\n//- src/Service.kt\npackage a\nimport io.ktor.client.HttpClient\nimport io.ktor.client.request.post\nimport io.ktor.client.request.setBody\nclass Service(private val httpClient: HttpClient) {{\n  suspend fun send(request: Request): String {{\n    return httpClient.post(\"https://api.openai.com/v1/chat/completions\") {{\n      setBody(request)\n    }}.body()\n  }}\n}}\n//- src/Client.kt\npackage a\nclass Client(private val service: Service) {{\n  suspend fun ask(model: String, text: String): String = service.send(Request({given}messages = listOf(text)))\n}}\n//- src/Main.kt\npackage a\nsuspend fun main() {{\n  println(Client(Service(HttpClient())).ask(\"gpt-5.5\", readln()))\n}}\n"
        );
        call(&tree).model
    };
    assert_eq!(kotlin("model = model, ").as_deref(), Some("gpt-5.5"));
    assert_eq!(kotlin("").as_deref(), Some("gpt-3.5-turbo-0301"));
}

#[test]
fn turn_label_in_model_history_is_not_a_disclosure() {
    let tree = |lines: &str| {
        format!(
            "//- server.js\nconst express = require('express');\nconst OpenAI = require('openai');\nconst app = express();\nconst client = new OpenAI();\napp.post('/chat', async (req, res) => {{\n  const past = req.body.turns.map((turn) => {lines}).join('\\n');\n  const answer = await client.responses.create({{ model: 'gpt-5.5', input: `Past: ${{past}} Now: ${{req.body.message}}` }});\n  res.json({{ reply: answer.output_text }});\n}});\napp.listen(3000);\n"
        )
    };
    let label = tree("`${turn.role === 'user' ? 'Student' : 'AI Career Advisor'}: ${turn.content}`");
    assert_eq!(call(&label).disclosure, Some(false));
    // People read what the reply says.
    let said = label.replace(
        "res.json({ reply: answer.output_text })",
        "res.json({ reply: answer.output_text, from: req.body.role === 'user' ? 'AI Career Advisor' : 'You are talking to an AI assistant' })",
    );
    assert_eq!(call(&said).disclosure, Some(true));
}

#[test]
fn a_greeting_is_told_before_what_labels_pictures() {
    let bot = "//- bot.py\nfrom aiogram import Router, F\nfrom aiogram.filters import Command, CommandStart\nfrom aiogram.types import Message\nfrom openai import OpenAI\nclient = OpenAI()\nrouter = Router()\n@router.message(F.text)\nasync def hear(message: Message):\n    answer = client.responses.create(model='gpt-5.5', input=message.text)\n    await message.answer(answer.output_text)\n@router.message(Command('draw'))\nasync def draw(message: Message):\n    await message.answer('Describe the image that is generated by AI')\n@router.message(CommandStart())\nasync def start(message: Message):\n    await message.answer(\"Hello! GREETING\")\n";
    let at = |greeting: &str| {
        let call = call(&bot.replace("GREETING", greeting));
        call.disclosure_at.map(|place| place.line)
    };
    assert_eq!(at("I am your AI assistant."), Some(16));
    assert_eq!(at("Welcome."), Some(13));
}

#[test]
fn an_advisor_of_a_container_that_logs_is_a_record() {
    let tree = |base: &str, line: &str| {
        format!(
            "//- src/main/java/app/Chat.java\npackage app;\nimport org.springframework.ai.chat.client.ChatClient;\n@RestController\npublic class Chat {{\n  private final ChatClient client;\n  public Chat(ChatClient client) {{ this.client = client; }}\n  @PostMapping(\"/ask\")\n  public String ask(@RequestBody String text) {{ return client.prompt().user(text).call().content(); }}\n}}\n//- src/main/java/app/ChatConfig.java\npackage app;\nimport org.springframework.ai.chat.client.ChatClient;\n@Configuration\npublic class ChatConfig {{\n  @Bean\n  ChatClient chatClient(ChatClient.Builder builder, Recorder recorder) {{ return builder.defaultAdvisors(recorder).build(); }}\n}}\n//- src/main/java/app/Recorder.java\npackage app;\nimport org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\n@Component\npublic class Recorder implements {base} {{\n  private static final Logger log = LoggerFactory.getLogger(Recorder.class);\n  public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {{\n    {line}\n    return chain.nextCall(request);\n  }}\n}}\n"
        )
    };
    let logged = |base: &str, line: &str| call(&tree(base, line)).logging;
    let without = logged("CallAdvisor", "request.context();");
    assert_ne!(logged("CallAdvisor", "log.info(\"asked {}\", request);"), without);
    assert_eq!(logged("Filter", "log.info(\"asked {}\", request);"), without);
}
