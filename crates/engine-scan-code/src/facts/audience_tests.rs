//! Recipients of output: people on messaging platforms, at screens, on open connections.

use engine_model::{CallKind, Effect, TraceKind, fixture};

use crate::{CodeJoin, ManifestNames, join, read};

fn scan(tree: &str) -> CodeJoin {
    let tree = fixture(tree).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, &ManifestNames::default(), &tree)
}

/// What the first answer of a tree reaches, and whether that is a talk.
fn reached(tree: &str) -> (Vec<Effect>, bool) {
    let join = scan(tree);
    let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    (call.effects.clone(), call.traced(TraceKind::Conversation).is_some())
}

fn is_talk(tree: &str) -> bool {
    let (effects, talk) = reached(tree);
    talk && effects.contains(&Effect::Mail)
}

const LINE: &str = r#"//- go.mod
module acme/bot
//- main.go
package main

import (
	"context"
	"net/http"

	"github.com/google/generative-ai-go/genai"
	"github.com/line/line-bot-sdk-go/v7/linebot"
)

func hear(w http.ResponseWriter, req *http.Request) {
	bot, _ := linebot.New("a", "b")
	events, _ := bot.ParseRequest(req)
	for _, event := range events {
		answer := ask(event.Message.Text)
		bot.ReplyMessage(event.ReplyToken, linebot.NewTextMessage(answer)).Do()
	}
}

func ask(text string) string {
	client, _ := genai.NewClient(context.Background())
	model := client.GenerativeModel("gemini-pro")
	resp, _ := model.GenerateContent(context.Background(), genai.Text(text))
	return resp.Candidates[0]
}

func main() {
	http.HandleFunc("/callback", hear)
}
"#;

#[test]
fn replies_of_bots_are_told_by_the_library_of_their_platform() {
    assert!(is_talk(LINE));
    // Without the library the same name says nothing, and what is sent is something else.
    assert!(!is_talk(&LINE.replace(
        "linebot.NewTextMessage(answer)",
        "linebot.NewTextMessage(\"later\")"
    )));
    let rust = "//- Cargo.toml\n[package]\nname = \"b\"\n[dependencies]\nteloxide = \"0\"\nasync-openai = \"0\"\n//- src/main.rs\nuse async_openai::{Client, types::CreateChatCompletionRequestArgs};\nuse teloxide::prelude::*;\nasync fn hear(bot: Bot, msg: Message) {\n    let text = msg.text().unwrap();\n    let request = CreateChatCompletionRequestArgs::default().model(\"gpt-4o\").messages(text).build().unwrap();\n    let answer = Client::new().chat().create(request).await.unwrap();\n    bot.send_message(msg.chat.id, answer.choices[0].text).await;\n}\n#[tokio::main]\nasync fn main() {\n    let bot = Bot::from_env();\n    teloxide::repl(bot, hear).await;\n}\n";
    assert!(is_talk(rust));
    let edited = "//- package.json\n{\"dependencies\": {\"openai\": \"4\", \"node-telegram-bot-api\": \"1\"}}\n//- src/bot.ts\nimport OpenAI from 'openai';\nimport TelegramBot from 'node-telegram-bot-api';\nconst client = new OpenAI();\nconst bot = new TelegramBot('t', {});\nbot.on('message', async (msg) => {\n  const first = await bot.sendMessage(msg.chat.id, '...');\n  const answer = await client.responses.create({ model: 'm', input: msg.text });\n  await bot.editMessageText(answer.output_text, { message_id: first.message_id });\n});\n";
    assert!(is_talk(edited));
    assert!(!is_talk(
        &edited.replace("editMessageText(answer.output_text", "editMessageText('done'")
    ));
}

const SLACK: &str = "//- bot.py\nimport asyncio\nimport re\nfrom claude_code_sdk import query\nfrom slack_bolt import App\n\nclass Bot:\n    def __init__(self):\n        self.app = App(token='t')\n        self.app.event('app_mention')(self.mentioned)\n\n    def mentioned(self, event, say, client):\n        said = re.sub('<@.>', '', event['text'])\n        first = say(text='...')\n        client.chat_update(ts=first['ts'], text=self.asked(said))\n\n    def asked(self, said):\n        async def run():\n            parts = []\n            async for part in query(prompt=said):\n                parts.append(part.text)\n            return parts\n        return ''.join(asyncio.run(run()))\n";

#[test]
fn handler_passed_to_decorator_answers_its_user() {
    assert!(is_talk(SLACK));
    // Nobody is heard where nothing is handed over.
    assert!(!is_talk(
        &SLACK.replace("        self.app.event('app_mention')(self.mentioned)\n", "")
    ));
}

#[test]
fn a_page_of_python_posts_to_the_route_of_another_file() {
    let tree = "//- backend.py\nfrom fastapi import FastAPI\nfrom agent import run\napp = FastAPI()\n@app.post('/support')\ndef support(req: dict):\n    state = run({'all': req['messages']})\n    return {'final': state}\n//- agent.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef run(state):\n    state = kept(state)\n    return client.responses.create(model='m', input=state['all']).output_text\n//- page.py\nimport requests\nimport streamlit as st\nBASE = 'http://localhost:8000'\nsaid = st.chat_input('Type')\nif said:\n    st.markdown(requests.post(f'{BASE}/support', json={'messages': [said]}).json()['final'])\n";
    assert!(reached(tree).1);
    assert!(!reached(&tree.replace("{BASE}/support", "{BASE}/other")).1);
    assert!(!reached(&tree.replace("chat_input('Type')", "text_area('Type')")).1);
}

#[test]
fn a_bot_out_of_flows_answers_with_what_it_is_handed() {
    let flow = "//- package.json\n{\"dependencies\": {\"openai\": \"4\", \"@builderbot/bot\": \"1\"}}\n//- src/ai.ts\nimport fs from 'fs';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst prompt = fs.readFileSync('menu.txt', 'utf8');\nexport async function chat(messages: any[]) {\n  const answer = await client.responses.create({ model: 'm', input: [prompt, ...messages] });\n  return answer.output_text;\n}\n//- src/order.ts\nimport { addKeyword, EVENTS } from '@builderbot/bot';\nimport { chat } from './ai';\nexport const order = addKeyword(EVENTS.WELCOME).addAction(async (ctx, { state, flowDynamic }) => {\n  const answer = await chat([...(state.get('messages') || []), ctx.body]);\n  return flowDynamic(answer);\n});\n";
    assert!(is_talk(flow));
    assert!(!is_talk(&flow.replace("flowDynamic(answer)", "flowDynamic('later')")));
    assert!(!is_talk(&flow.replace("@builderbot/bot", "@orders/menu")));
}

#[test]
fn session_state_of_page_is_user_input() {
    let page = "//- app.py\nimport streamlit as st\nfrom openai import OpenAI\nif 'client' not in st.session_state:\n    st.session_state.client = OpenAI()\n    st.session_state.pending = None\nsaid = st.chat_input('Type')\nif said:\n    st.session_state.pending = said\n    st.rerun()\nif st.session_state.pending:\n    pending = st.session_state.pending\n    answer = st.session_state.client.responses.create(model='m', input=pending)\n    st.markdown(answer.output_text)\n";
    assert!(reached(page).1);
    assert!(!reached(&page.replace("st.chat_input('Type')", "open('said.txt').read()")).1);
}

#[test]
fn a_server_file_hands_out_what_a_library_made_of_its_handler() {
    let nuxt = "//- package.json\n{\"dependencies\": {\"openai\": \"4\", \"nuxt\": \"3\"}}\n//- server/api/chat.post.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport default defineEventHandler(async (event) => {\n  const { message } = await readBody(event);\n  const answer = await client.responses.create({ model: 'm', input: message });\n  return { reply: answer.output_text };\n});\n";
    assert!(reached(nuxt).0.contains(&Effect::Page));
    // In a folder that no server looks at it is handed out to nobody.
    assert!(
        !reached(&nuxt.replace("server/api/", "lib/made/"))
            .0
            .contains(&Effect::Page)
    );
}

#[test]
fn what_is_made_without_a_failure_is_asked_by_its_methods() {
    let rust = "//- Cargo.toml\n[package]\nname = \"b\"\n[dependencies]\nreqwest = \"0\"\naxum = \"0\"\n//- src/client.rs\nuse reqwest::Client;\nuse serde_json::json;\npub struct Tutor { client: Client, url: String }\nimpl Tutor {\n    pub fn new(key: String) -> Result<Self, String> {\n        let client = Client::builder().build().unwrap();\n        Ok(Self { client, url: \"https://api.groq.com/openai/v1/chat/completions\".to_string() })\n    }\n    pub async fn ask_question(&self, question: &str) -> Result<String, String> {\n        let body = json!({\"model\": \"llama3-70b-8192\", \"messages\": [{\"role\": \"user\", \"content\": question}]});\n        let reply = self.client.post(&self.url).json(&body).send().await.unwrap();\n        Ok(reply.text().await.unwrap())\n    }\n}\n//- src/main.rs\nmod client;\nuse axum::{extract::Json, routing::post, Router};\nuse client::Tutor;\npub struct Asked { question: String }\nasync fn handle(Json(request): Json<Asked>) -> Result<String, String> {\n    let tutor = Tutor::new(\"k\".into()).map_err(|e| e.to_string())?;\n    let answer = tutor.ask_question(&request.question).await.map_err(|e| e.to_string())?;\n    Ok(answer)\n}\n#[tokio::main]\nasync fn main() {\n    let app = Router::new().route(\"/ask\", post(handle));\n}\n";
    let (effects, talk) = reached(rust);
    assert!(effects.contains(&Effect::Page) && talk, "{effects:?}");
    assert!(
        !reached(&rust.replace(
            "tutor.ask_question(&request.question).await.map_err(|e| e.to_string())?",
            "request.question"
        ))
        .1
    );
}

#[test]
fn a_message_of_kotlin_is_put_together_in_a_block() {
    let kord = "//- Chat.kt\nimport com.aallam.openai.client.OpenAI\nimport dev.kord.core.Kord\nimport dev.kord.core.event.message.MessageCreateEvent\nimport dev.kord.core.on\n\nclass Chat(val openAI: OpenAI) {\n    fun answer(question: String) = flow {\n        var part = \"\"\n        openAI.chatCompletions(request(question)).onEach { part += it.choices[0].delta.content }.collect()\n        emit(part)\n    }\n}\n\nsuspend fun main() {\n    val chat = Chat(OpenAI(\"k\"))\n    val kord = Kord(\"t\")\n    kord.on<MessageCreateEvent> {\n        chat.answer(message.content).onEach { chunk ->\n            message.channel.createMessage { content = chunk }\n        }.collect()\n    }\n}\n";
    assert!(reached(kord).0.contains(&Effect::Mail));
    assert!(
        !reached(&kord.replace("content = chunk", "content = \"later\""))
            .0
            .contains(&Effect::Mail)
    );
}

#[test]
fn a_digest_and_a_sound_are_no_talk() {
    // Nobody said what is summarised.
    let digest = "//- job.py\nfrom openai import OpenAI\nfrom slack_sdk import WebClient\nclient = OpenAI()\nslack = WebClient()\ndef run():\n    text = open('news.txt').read()\n    answer = client.responses.create(model='m', input=text).output_text\n    slack.chat_postMessage(channel='c', text=answer)\nif __name__ == '__main__':\n    run()\n";
    assert!(!is_talk(digest));
    let spoken = "//- bot.py\nimport discord\nfrom openai import OpenAI\nclient = OpenAI()\nbot = discord.Client()\n@bot.event\nasync def on_message(message):\n    sound = client.audio.speech.create(model='tts-1', input=message.content)\n    await message.channel.send(sound)\n";
    assert!(!is_talk(spoken));
    let written = spoken
        .replace("audio.speech.create", "responses.create")
        .replace("tts-1", "m");
    assert!(is_talk(&written));
}

#[test]
fn a_message_goes_out_by_an_address_as_well() {
    let tree = |address: &str| {
        format!(
            "//- app.py\nimport requests\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n@app.post('/webhook')\ndef hook(update: dict):\n    answer = client.responses.create(model='m', input=update['text']).output_text\n    requests.post(f'https://{address}/bot/sendMessage', json={{'text': answer}})\n    return {{}}\n"
        )
    };
    assert!(is_talk(&tree("api.telegram.org")));
    assert!(!is_talk(&tree("api.shop.example")));
}

#[test]
fn apps_show_answers_by_texts_and_states() {
    let android = "//- app/src/main/java/a/ChatViewModel.kt\npackage a\nimport androidx.lifecycle.ViewModel\nimport androidx.lifecycle.MutableLiveData\nimport com.google.ai.client.generativeai.GenerativeModel\nclass ChatViewModel : ViewModel() {\n    private val model = GenerativeModel(\"gemini-pro\", \"k\")\n    private val _messages = MutableLiveData<List<String>>()\n    suspend fun send(message: String) {\n        val answer = model.generateContent(message)\n        _messages.value = listOf(answer.text)\n    }\n}\n";
    let (effects, talk) = reached(android);
    assert!(effects.contains(&Effect::Page) && talk, "{effects:?} {talk}");
    let (effects, _) = reached(&android.replace("listOf(answer.text)", "listOf(message)"));
    assert!(!effects.contains(&Effect::Page), "{effects:?}");
    // A field of a record is no window.
    let (effects, _) = reached(
        "//- a.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef fill(record, text):\n    record.text = client.responses.create(model='m', input=text).output_text\n    store(record)\n",
    );
    assert!(!effects.contains(&Effect::Page), "{effects:?}");
    let page = "//- package.json\n{\"dependencies\": {\"openai\": \"4\"}}\n//- src/main.js\nimport OpenAI from 'openai';\nconst client = new OpenAI({ dangerouslyAllowBrowser: true });\nexport async function ask(text) {\n  const answer = await client.responses.create({ model: 'm', input: text });\n  document.getElementById('out').innerHTML = answer.output_text;\n}\n";
    assert!(reached(page).0.contains(&Effect::Page));
    assert!(!reached(&page.replace(".innerHTML", ".total")).0.contains(&Effect::Page));
}

#[test]
fn where_an_answer_is_lost_is_told() {
    let lost = |tree: &str| {
        let join = scan(tree);
        let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
        let place = call.traced(TraceKind::Lost)?.chain.first()?.clone();
        Some(format!("{}:{} {}", place.file?, place.line?, place.reference))
    };
    let head = "//- app.py\nfrom openai import OpenAI\nimport bus\nclient = OpenAI()\n";
    assert_eq!(
        lost(&format!("{head}def ask(text):\n    answer = client.responses.create(model='m', input=text).output_text\n    bus.put(answer)\n")).as_deref(),
        Some("app.py:6 is passed to `bus.put`")
    );
    assert_eq!(
        lost(&format!(
            "{head}def ask(text):\n    return client.responses.create(model='m', input=text).output_text\n"
        ))
        .as_deref(),
        Some("app.py:4 is returned by `ask`, and no caller was found")
    );
    // What people are seen to read is not lost.
    assert_eq!(
        lost(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n@app.post('/chat')\ndef ask(text: str):\n    return client.responses.create(model='m', input=text).output_text\n"
        ),
        None
    );
}

#[test]
fn call_used_only_by_side_script_is_unreachable() {
    let tree = |rest: &str| {
        format!(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n@app.get('/rate')\ndef rate(text: str):\n    return client.responses.create(model='m', input=text).output_text\n//- photos.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef portrait(name: str):\n    return client.images.generate(model='dall-e-2', prompt=name)\n{rest}"
        )
    };
    let unreached = |tree: &str| {
        let join = scan(tree);
        let call = join.calls.iter().find(|call| call.symbol.contains("images")).unwrap();
        call.traced(TraceKind::Unreached).is_some()
    };
    let asks = "from photos import portrait\nportrait('a person for the demo')\n";
    assert!(unreached(&tree(&format!("//- scripts/samples.py\n{asks}"))));
    assert!(!unreached(&tree(&format!("//- samples.py\n{asks}"))));
}

#[test]
fn an_object_that_waits_for_the_reply_is_given_it() {
    let tree = "//- app/Home.java\npackage a;\nimport android.os.Bundle;\nimport androidx.fragment.app.Fragment;\nimport okhttp3.Call;\nimport okhttp3.Callback;\nimport okhttp3.OkHttpClient;\nimport okhttp3.Request;\nimport okhttp3.RequestBody;\nimport okhttp3.Response;\npublic class Home extends Fragment {\n  private final OkHttpClient client = new OkHttpClient();\n  void ask(String text) {\n    Request request = new Request.Builder().url(\"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:generateContent\").post(RequestBody.create(text)).build();\n    client.newCall(request).enqueue(new Callback() {\n      @Override public void onFailure(Call call, IOException e) { }\n      @Override public void onResponse(Call call, Response response) {\n        String answer = response.body().string();\n        view.setText(answer);\n      }\n    });\n  }\n}\n";
    assert!(reached(tree).0.contains(&Effect::Page));
    assert!(
        !reached(&tree.replace("setText(answer)", "setText(\"done\")"))
            .0
            .contains(&Effect::Page)
    );
}

#[test]
fn a_handler_in_a_file_of_its_own_speaks_for_its_platform() {
    let tree = "//- package.json\n{\"dependencies\": {\"openai\": \"4\", \"@slack/bolt\": \"3\"}}\n//- src/index.ts\nimport { App } from '@slack/bolt';\nimport { mentioned } from './mention';\nconst app = new App({});\napp.event('app_mention', mentioned);\n//- src/mention.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport const mentioned = async ({ event, say }) => {\n  const answer = await client.responses.create({ model: 'm', input: event.text });\n  await say({ text: answer.output_text });\n};\n";
    assert!(is_talk(tree));
    assert!(!is_talk(&tree.replace("await say(", "await keep(")));
}

/// A hub of connections whose methods people call.
const HUB: &str = r#"//- ChatHub.cs
using Microsoft.AspNetCore.SignalR;
using OpenAI.Chat;

public class ChatHub : Hub
{
    private readonly ChatClient _chat = new ChatClient("gpt-4o", "k");

    public async Task GetMessage(string message)
    {
        await foreach (var part in _chat.CompleteChatStreamingAsync(message))
        {
            await Clients.Caller.SendAsync("ReceiveMessage", part.ContentUpdate[0].Text);
        }
    }
}
"#;

#[test]
fn a_hub_answers_those_who_call_it() {
    let (effects, talk) = reached(HUB);
    assert!(effects.contains(&Effect::Page) && talk, "{effects:?}");
    // A class that is no hub is called by the program.
    let (_, talk) = reached(&HUB.replace(": Hub", ": Worker"));
    assert!(!talk);
}

/// A page of Spring that is filled with an answer.
const VIEW: &str = r#"//- AskController.java
package a;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

@Controller
public class AskController {
    private final ChatClient chat;
    public AskController(ChatClient.Builder builder) { this.chat = builder.build(); }

    @PostMapping("/ask")
    public String ask(@RequestParam String question, Model model) {
        String answer = chat.prompt().user(question).call().content();
        model.addAttribute("answer", answer);
        return "ask";
    }
}
"#;

#[test]
fn a_view_that_is_filled_shows_the_answer() {
    assert!(reached(VIEW).0.contains(&Effect::Page));
    let kept = VIEW.replace(
        "model.addAttribute(\"answer\", answer);",
        "model.addAttribute(\"size\", 1);",
    );
    assert!(!reached(&kept).0.contains(&Effect::Page));
}

#[test]
fn a_page_that_go_executes_from_a_template_is_shown() {
    let server = |package: &str, call: &str| {
        format!(
            "//- go.mod\nmodule acme/desk\n//- main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"{package}\"\n\t\"net/http\"\n\n\t\"github.com/google/generative-ai-go/genai\"\n)\n\n\
             var page = template.Must(template.ParseFiles(\"ask.html\"))\n\nfunc ask(w http.ResponseWriter, r *http.Request) {{\n\tclient, _ := genai.NewClient(context.Background())\n\tmodel := client.GenerativeModel(\"gemini-pro\")\n\t\
             resp, _ := model.GenerateContent(context.Background(), genai.Text(r.FormValue(\"q\")))\n\tpage.{call}\n}}\n\nfunc main() {{\n\thttp.HandleFunc(\"/\", ask)\n}}\n"
        )
    };
    for call in ["Execute(w, resp)", "ExecuteTemplate(w, \"ask.html\", resp)"] {
        assert_eq!(reached(&server("html/template", call)).0, [Effect::Page], "{call}");
        // Templates of plain texts write settings, letters and code.
        assert_eq!(reached(&server("text/template", call)).0, [], "{call}");
    }
}
