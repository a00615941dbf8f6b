//! Facts of calls beyond their place.

use engine_model::{CallKind, Effect, TraceKind, fixture};

use crate::{CodeJoin, ManifestNames, join, read};

fn scan(tree: &str) -> CodeJoin {
    let tree = fixture(tree).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, &ManifestNames::default(), &tree)
}

/// The kinds of traces of the first call of a tree.
fn traces(tree: &str) -> Vec<TraceKind> {
    let join = scan(tree);
    let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    call.traces.iter().map(|trace| trace.kind).collect()
}

const BOT: &str = r#"//- package.json
{"name": "bot", "dependencies": {"openai": "4", "discord.js": "14"}}
//- src/ask.ts
import OpenAI from "openai";
const client = new OpenAI();
export async function answerQuestion(req: any) {
  const completion = await client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content: req.question }] });
  const answer = completion.choices[0].message.content ?? "No answer.";
  return { answer, citations: [] };
}
//- src/command.ts
import { answerQuestion } from "./ask";
function render(options: any) { return options.text.trim(); }
export async function handleAsk(interaction: any) {
  const question = interaction.options.getString("question");
  const { answer, citations } = await answerQuestion({ question });
  const rendered = render({ text: answer, citations });
  await interaction.editReply({ content: answer });
}
//- src/index.ts
import { Client } from "discord.js";
import { handleAsk } from "./command";
const bot = new Client({ intents: [] });
bot.on("interactionCreate", async (interaction) => { await handleAsk(interaction); });
"#;

#[test]
fn a_reply_on_a_platform_is_a_talk() {
    let join = scan(BOT);
    let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    assert!(call.effects.contains(&Effect::Mail), "{:?}", call.effects);
    assert!(traces(BOT).contains(&TraceKind::Conversation));
}

/// Of the calls of a tree: the function, and what is done about a failure.
fn failures(tree: &str) -> Vec<String> {
    scan(tree)
        .calls
        .iter()
        .filter(|call| call.kind == CallKind::Call)
        .map(|call| {
            let handling = serde_json::to_value(call.error_handling).unwrap();
            format!(
                "{} {}",
                call.function.as_deref().unwrap_or(""),
                handling.as_str().unwrap_or("")
            )
        })
        .collect()
}

const CHAIN: &str = r#"//- llm.py
from openai import OpenAI
client = OpenAI()
def send(text):
    return client.responses.create(model="m", input=text).output_text
def ask(text):
    return send("Rate: " + text)
"#;

#[test]
fn a_failure_ends_at_the_callers_however_far_they_are() {
    let handled = format!(
        "{CHAIN}//- app.py\nfrom llm import ask\ndef show(text):\n    try:\n        return ask(text)\n    except Exception:\n        return \"later\"\n"
    );
    assert_eq!(failures(&handled), ["send yes"]);
    // One way on which nobody catches it is enough.
    let open = format!("{handled}\ndef print_it(text):\n    print(ask(text))\n");
    assert_eq!(failures(&open), ["send no"]);
    // What a test does about it says nothing of the product.
    let tested = format!(
        "{CHAIN}//- tests/test_llm.py\nfrom llm import ask\ndef test_ask():\n    try:\n        ask(\"x\")\n    except Exception:\n        pass\n"
    );
    assert_eq!(failures(&tested), ["send no"]);
}

#[test]
fn a_failure_that_becomes_the_reply_of_a_request_is_handled() {
    let tree = |raised: &str| {
        format!(
            "//- app.py\nfrom fastapi import HTTPException\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text):\n    try:\n        return client.responses.create(model=\"m\", input=text).output_text\n    except Exception as error:\n        raise {raised}\n"
        )
    };
    assert_eq!(
        failures(&tree("HTTPException(status_code=502, detail=str(error))")),
        ["ask yes"]
    );
    assert_eq!(failures(&tree("error")), ["ask no"]);
    assert_eq!(failures(&tree("ValueError(str(error))")), ["ask no"]);
}

#[test]
fn steps_of_a_graph_fail_where_the_graph_is_run() {
    let tree = |run: &str| {
        format!(
            "//- app.py\nfrom langgraph.graph import StateGraph\nfrom openai import OpenAI\nclient = OpenAI()\ndef answer(state):\n    return client.responses.create(model=\"m\", input=state[\"text\"]).output_text\ngraph = StateGraph(dict)\ngraph.add_node(\"answer\", answer)\nagent = graph.compile()\ndef reply(text):\n{run}\n"
        )
    };
    let caught = "    try:\n        return agent.invoke({\"text\": text})\n    except Exception:\n        return None";
    assert_eq!(failures(&tree(caught)), ["answer yes", "reply yes"]);
    assert_eq!(
        failures(&tree("    return agent.invoke({\"text\": text})")),
        ["answer no", "reply no"]
    );
}

#[test]
fn storage_by_receiving_program_is_unknown() {
    let kept = |rest: &str| {
        let tree = format!(
            "//- rate.js\nimport OpenAI from 'openai';\nimport axios from 'axios';\nconst client = new OpenAI();\nexport async function rate(text) {{\n  const answer = await client.responses.create({{ model: 'm', input: text }});\n  {rest}\n}}\n"
        );
        traces(&tree).contains(&TraceKind::Kept)
    };
    assert!(kept(
        "await fetch('/api/rates', { method: 'POST', body: JSON.stringify({ r: answer.output_text }) });"
    ));
    assert!(kept("await axios.post(`${base}/rates`, { r: answer.output_text });"));
    assert!(kept("window.desk.recordGrade({ r: answer.output_text });"));
    assert!(!kept("window.location.assign(answer.output_text);"));
    assert!(!kept("await fetch('/api/rates', { body: text });"));
    assert!(!kept("list.post(answer.output_text);"));
}

#[test]
fn output_is_stored_in_rows_files_or_by_client() {
    let kept = |rest: &str| {
        let tree = format!(
            "//- app.py\nimport json\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n{rest}"
        );
        traces(&tree).contains(&TraceKind::Kept)
    };
    let ask = "client.responses.create(model=\"m\", input=text).output_text";
    assert!(kept(&format!(
        "def rate(text):\n    result = {ask}\n    with open(\"r.json\", \"w\") as f:\n        json.dump({{\"r\": result}}, f)\n"
    )));
    assert!(kept(&format!(
        "def rate(text):\n    result = {ask}\n    supabase.table(\"rates\").insert({{\"r\": result}}).execute()\n"
    )));
    assert!(kept(&format!(
        "@app.post(\"/rate\")\ndef rate(text: str):\n    return {{\"r\": {ask}}}\n//- store.py\nimport psycopg2\ndb = psycopg2.connect(\"\")\n"
    )));
    // Without a store nobody is known to keep the reply, and what is dumped is something else.
    assert!(!kept(&format!(
        "@app.post(\"/rate\")\ndef rate(text: str):\n    return {{\"r\": {ask}}}\n"
    )));
    assert!(!kept(&format!(
        "def rate(text):\n    result = {ask}\n    with open(\"r.json\", \"w\") as f:\n        json.dump({{\"asked\": 1}}, f)\n    return result\n"
    )));
}

#[test]
fn record_label_and_letter_are_not_conversations() {
    let talks = |path: &str, name: &str, more: &str, rest: &str| {
        let tree = format!(
            "//- app.py\nimport json\nimport smtplib\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n@app.post(\"{path}\")\ndef {name}(text: str):\n    answer = client.responses.create(model=\"m\", input=text{more}).output_text\n    {rest}\n"
        );
        traces(&tree).contains(&TraceKind::Conversation)
    };
    assert!(talks("/chat", "chat", "", "return {\"reply\": answer}"));
    assert!(!talks(
        "/chat",
        "chat",
        ", response_format={\"type\": \"json_object\"}",
        "return {\"reply\": answer}"
    ));
    assert!(!talks("/chat", "chat", "", "return json.loads(answer)"));
    assert!(!talks("/tickets", "classify_message", "", "return {\"kind\": answer}"));
    assert!(!talks("/summary", "summarize", "", "return {\"text\": answer}"));
    assert!(!talks("/letters", "letter", "", "smtplib.SMTP().send_message(answer)"));
}

#[test]
fn unnamed_function_is_unreachable() {
    let tree = |main: &str| {
        format!(
            "//- go.mod\nmodule acme/rank\n//- main.go\npackage main\nimport (\n\t\"context\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\nvar client = openai.NewClient(\"k\")\nfunc rate(text string) string {{\n\tresp, err := client.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{{Model: \"m\"}})\n\tif err != nil {{\n\t\treturn \"\"\n\t}}\n\treturn resp.Choices[0].Message.Content\n}}\nfunc main() {{\n\t{main}\n}}\n"
        )
    };
    assert!(traces(&tree("println(\"idle\")")).contains(&TraceKind::Unreached));
    assert!(!traces(&tree("println(rate(\"x\"))")).contains(&TraceKind::Unreached));
}

/// Where people are told by the first call of a tree, with the text.
fn told(tree: &str) -> Option<String> {
    let join = scan(tree);
    let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    let place = call.traced(TraceKind::ToldOfAi)?.chain.first()?.clone();
    Some(format!("{}:{} {}", place.file?, place.line?, place.reference))
}

const ROUTE: &str = r#"//- package.json
{"name": "desk", "dependencies": {"openai": "4", "next": "15"}}
//- app/api/chat/route.ts
import OpenAI from "openai";
const client = new OpenAI();
export async function POST(req: Request) {
  const { text } = await req.json();
  const answer = await client.responses.create({ model: "m", input: text });
  return Response.json({ reply: answer.output_text });
}
"#;

#[test]
fn page_text_next_to_chat_is_read() {
    let page = |path: &str, body: &str| {
        told(&format!(
            "{ROUTE}//- {path}\nexport default function Page() {{\n  return {body};\n}}\n"
        ))
    };
    assert_eq!(
        page("app/chat/page.tsx", "<p>You are chatting with an AI assistant.</p>").as_deref(),
        Some("app/chat/page.tsx:2 You are chatting with an AI assistant.")
    );
    for (path, body) in [
        ("app/chat/page.tsx", "<p>Waiting for the AI response...</p>"),
        (
            "app/chat/page.tsx",
            "<p>The AI assistant is temporarily unavailable.</p>",
        ),
        (
            "app/chat/page.tsx",
            "<button title=\"Play AI generated music\">Music</button>",
        ),
        (
            "app/chat/page.tsx",
            "<button accessibilityHint=\"Chatting with an AI assistant\">Go</button>",
        ),
        (
            "app/privacy/page.tsx",
            "<p>The AI assistant answers your questions.</p>",
        ),
    ] {
        assert_eq!(page(path, body), None, "{path} {body}");
    }
}

#[test]
fn server_console_output_does_not_reach_client() {
    let tree = |serves: &str| {
        format!(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n{serves}def chat(text: str):\n    print(\"The AI assistant answers now.\")\n    return client.responses.create(model=\"m\", input=text).output_text\n"
        )
    };
    assert_eq!(told(&tree("@app.post(\"/chat\")\n")), None);
    assert!(told(&tree("")).is_some());
}

#[test]
fn a_function_that_a_library_wraps_fails_where_what_it_made_is_called() {
    let tree = |caller: &str| {
        format!(
            "//- src/flow.ts\nimport {{ genkit }} from 'genkit';\nconst ai = genkit({{ plugins: [] }});\nexport async function score(text: string) {{\n  return scoreFlow(text);\n}}\nconst prompt = ai.definePrompt({{ name: 'score' }});\nconst scoreFlow = ai.defineFlow({{ name: 'score' }}, async (text: string) => {{\n  const {{ output }} = await prompt(text);\n  return output;\n}});\n//- src/actions.ts\n'use server';\nimport {{ score }} from './flow';\nexport async function rate(text: string) {{\n{caller}\n}}\n"
        )
    };
    let handled = |tree: &str| failures(tree).iter().any(|call| call.ends_with(" yes"));
    assert!(handled(&tree(
        "  try {\n    return { data: await score(text) };\n  } catch (e) {\n    return { error: 'later' };\n  }"
    )));
    assert!(!handled(&tree("  return { data: await score(text) };")));
}

#[test]
fn a_failure_that_is_noted_or_tried_again_and_raised_is_shown_as_handled_only_where_a_caller_ends_it() {
    let noted = "    try:\n        return client.responses.create(model='m', input=text).output_text\n    except Exception as error:\n        log.error(error)\n        raise RuntimeError('no answer')\n";
    let again = "    for attempt in range(3):\n        try:\n            return client.responses.create(model='m', input=text).output_text\n        except Exception as error:\n            last = error\n            time.sleep(attempt)\n    raise RuntimeError(last)\n";
    let reply = again.replace("raise RuntimeError(last)", "raise HTTPException(502, str(last))");
    let given = again.replace("raise RuntimeError(last)", "return 'later'");
    let open = "    return ask(text)\n";
    let ended = "    try:\n        return ask(text)\n    except RuntimeError:\n        return 'later'\n";
    let is_raised = |body: &str, caller: &str| {
        let tree = format!(
            "//- app.py\nimport time\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text):\n{body}def show(text):\n{caller}print(show(input()))\n"
        );
        assert_eq!(failures(&tree), ["ask yes"], "{body}");
        traces(&tree).contains(&TraceKind::FailureAnswered)
    };
    assert!(is_raised(noted, open));
    assert!(is_raised(again, open));
    for (body, caller) in [(noted, ended), (again, ended), (&reply, open), (&given, open)] {
        assert!(!is_raised(body, caller), "{body}{caller}");
    }
}

#[test]
fn a_failure_that_leaves_a_route_is_answered_where_an_advice_takes_every_failure() {
    let tree = |kind: &str, runs: &str| {
        format!(
            "//- src/main/java/a/Rate.java\npackage a;\nimport org.springframework.ai.chat.client.ChatClient;\nimport org.springframework.web.bind.annotation.*;\n@RestController\nclass Rate {{\n  private final ChatClient chat;\n  Rate(ChatClient.Builder builder) {{ this.chat = builder.build(); }}\n  {runs}\n  String rate(@RequestBody String text) {{ return ask(text); }}\n  private String ask(String text) {{ return chat.prompt().user(text).call().content(); }}\n}}\n//- src/main/java/a/ErrorHandler.java\npackage a;\nimport org.springframework.web.bind.annotation.*;\n@RestControllerAdvice\nclass ErrorHandler {{\n  @ExceptionHandler({kind}.class)\n  String failed({kind} e) {{ return \"later\"; }}\n}}\n"
        )
    };
    let answered = |kind: &str, runs: &str| traces(&tree(kind, runs)).contains(&TraceKind::FailureAnswered);
    assert!(answered("Exception", "@PostMapping(\"/rate\")"));
    assert!(!answered("IllegalArgumentException", "@PostMapping(\"/rate\")"));
    assert!(!answered("Exception", "@Scheduled(cron = \"0 0 * * * *\")"));
}
