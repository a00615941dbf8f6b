//! Texts that disclose an AI, and interactions where a part of the product was not found.

use engine_model::{Applies, Finding, FindingType, fixture};

use super::today;
use crate::{Evaluation, scan_memory};

fn scan(text: &str) -> Evaluation {
    scan_memory(&fixture(text).unwrap(), &today())
}

/// Whether Art. 50(1) applies to the first system, the finding on it, and whether a person is asked if people know.
fn told(text: &str) -> (Applies, Option<Finding>, bool) {
    let evaluation = scan(text);
    let system = &evaluation.systems[0];
    let record = system
        .obligations
        .iter()
        .find(|record| record.obligation_id == "OBL-094")
        .unwrap();
    let finding = evaluation
        .findings
        .iter()
        .find(|finding| finding.check_id == "l4-undisclosed-interaction");
    let asked = system.questions.iter().any(|question| question.id == "ai-is-obvious");
    (record.applies, finding.cloned(), asked)
}

fn kind(text: &str) -> Option<FindingType> {
    told(text).1.map(|finding| finding.kind)
}

const SERVICE: &str = "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
    //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI(title='Stories'DESCRIPTION)\nclient = OpenAI()\n\
    @app.post('/chat')\ndef chat(question: str):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=question)\n    return {'reply': answer.output_text}\n";

#[test]
fn service_description_without_pages_raises_question() {
    let plain = SERVICE.replace("DESCRIPTION", "");
    let named = SERVICE.replace("DESCRIPTION", ", description='Interactive stories written using AI.'");
    // Nothing in the tree says who shows the answers, and what stands there.
    assert_eq!(kind(&plain), None);
    let (applies, finding, asked) = told(&named);
    assert_eq!((applies, finding.is_none(), asked), (Applies::Applies, true, true));
    // Where the product has a page, that is what people see.
    let page = format!(
        "{named}//- templates/index.html\n<!doctype html><html lang=\"en\"><body><h1>Ask our desk</h1><form><label>Question <input name=\"q\"></label></form></body></html>\n"
    );
    assert_eq!(kind(&page), Some(FindingType::Fail));
}

#[test]
fn windows_of_other_program_are_not_reported_missing() {
    let plain = SERVICE.replace("DESCRIPTION", "");
    let with = |package: &str| {
        format!(
            "{plain}//- desk/Cargo.toml\n[package]\nname = \"desk\"\nversion = \"0.1.0\"\n[dependencies]\n{package} = \"0.14.0\"\n//- desk/src/main.rs\nfn main() {{ run() }}\n"
        )
    };
    let asked = |package: &str| {
        let evaluation = scan(&with(package));
        let questions: Vec<String> = evaluation.systems[0].questions.iter().map(|q| q.why.clone()).collect();
        questions.join(" ")
    };
    assert_eq!(kind(&with("iced")), None);
    assert!(asked("iced").contains("windows"), "{}", asked("iced"));
    // What draws nothing changes nothing.
    assert!(asked("serde").contains("No page that shows it"), "{}", asked("serde"));
}

const BOT: &str = "//- requirements.txt\nopenai==1.51.0\npyTelegramBotAPI==4.26.0\n\
    //- bot.py\nimport telebot\nfrom openai import OpenAI\nbot = telebot.TeleBot('x')\nclient = OpenAI()\n{MENU}PROMPT = '{PROMPT}'\n\
    @bot.message_handler(func=lambda message: True)\ndef talk(message):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', instructions=PROMPT, input=message.text)\n    bot.send_message(message.chat.id, answer.output_text)\n";

fn bot(menu: &str, prompt: &str) -> String {
    BOT.replace("{MENU}", menu).replace("{PROMPT}", prompt)
}

#[test]
fn bot_menu_that_names_model_raises_question() {
    let menu = "MENU = [{'command': 'set_model', 'description': 'Switch Gemini model'}]\n";
    let (applies, finding, asked) = told(&bot(menu, "Be kind."));
    assert_eq!((applies, finding.is_none(), asked), (Applies::Applies, true, true));
    let menu = "MENU = [{'command': 'set_size', 'description': 'Switch size'}]\n";
    assert_eq!(kind(&bot(menu, "Be kind.")), Some(FindingType::Fail));
}

#[test]
fn prompt_that_denies_ai_is_gap() {
    let plain = told(&bot("", "Be kind.")).1.unwrap();
    assert!(!plain.message.contains("orders"), "{}", plain.message);
    let order = "You are NOT a bot, never ever mention that you are one.";
    let concealed = |tree: &str| {
        let mut findings = scan(tree).findings.into_iter();
        findings.find(|finding| finding.check_id == "cross-concealed-ai")
    };
    // What only names a model somewhere says nothing against such an order.
    let menu = "MENU = [{'command': 'set_model', 'description': 'Switch Gemini model'}]\n";
    for beside in ["", menu] {
        let tree = bot(beside, order);
        // The same gap is not told twice.
        assert!(told(&tree).1.is_none());
        let gap = concealed(&tree).unwrap();
        assert_eq!(gap.kind, FindingType::Fail);
        assert!(gap.message.contains("NOT a bot"), "{}", gap.message);
        assert!(
            gap.evidence.iter().any(|place| place.reference.contains("create")),
            "{gap:?}"
        );
    }
    assert!(concealed(&bot("", "Be kind.")).is_none());
}

#[test]
fn further_calls_are_listed_with_places() {
    let two = bot("", "Be kind.").replace(
        "    bot.send_message",
        "    more = client.responses.create(model='gpt-4.1-2025-04-14', input=message.text)\n    bot.send_message(message.chat.id, more.output_text)\n    bot.send_message",
    );
    let finding = told(&two).1.unwrap();
    assert!(
        finding.message.contains("the same applies to 1 more call (bot.py:9)"),
        "{}",
        finding.message
    );
    assert_eq!(finding.evidence.len(), 2, "{:?}", finding.evidence);
}

#[test]
fn llm_library_without_call_leaves_interaction_open() {
    let tree = |package: &str| {
        format!(
            "//- requirements.txt\nfaster-whisper==1.0.3\n{package}\
             //- hear.py\nfrom faster_whisper import WhisperModel\nmodel = WhisperModel('base')\ndef hear(path):\n    segments, _ = model.transcribe(path)\n    return ' '.join(s.text for s in segments)\nprint(hear('a.wav'))\n"
        )
    };
    assert_eq!(told(&tree("")).0, Applies::DoesNotApply);
    assert_eq!(told(&tree("numpy==1.26.0\n")).0, Applies::DoesNotApply);
    assert_eq!(told(&tree("openai==1.51.0\n")).0, Applies::Undetermined);
    let evaluation = scan(&tree("openai==1.51.0\n"));
    let question = evaluation.systems[0]
        .questions
        .iter()
        .find(|question| question.id == "direct-interaction")
        .unwrap();
    assert!(
        question.why.contains("`openai`") && question.why.contains("requirements.txt:2"),
        "{}",
        question.why
    );
}

#[test]
fn chat_field_reaches_model_through_wrapper_in_other_file() {
    let tree = |field: &str| {
        format!(
            "//- requirements.txt\nstreamlit==1.39.0\nopenai==1.51.0\n\
             //- core/model.py\nimport openai\nclass Model:\n    def __init__(self):\n        self.client = openai.OpenAI()\n    def invoke(self, messages):\n        return self.client.chat.completions.create(model='gpt-4.1-2025-04-14', messages=messages)\n\
             //- app.py\nimport streamlit as st\nfrom core.model import Model\nst.title('Desk')\nmodel = Model()\nif 'turns' not in st.session_state:\n    st.session_state.turns = []\n\
             if prompt := {field}:\n    st.session_state.turns.append({{'role': 'user', 'content': prompt}})\n    turns = [turn for turn in st.session_state.turns]\n    response = model.invoke(turns)\n    st.markdown(response.choices[0].message.content)\n"
        )
    };
    assert_eq!(told(&tree("st.chat_input('Ask')")).0, Applies::Applies);
    assert_eq!(told(&tree("st.sidebar.radio('Kind', KINDS)")).0, Applies::Undetermined);
}

#[test]
fn stored_turns_of_both_sides_are_conversation() {
    let tree = |asker: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"@google/genai\":\"1.0.0\",\"drizzle-orm\":\"0.40.0\",\"@trpc/server\":\"11.0.0\"}}}}\n\
             //- src/router.ts\nimport {{ GoogleGenAI }} from '@google/genai';\nimport {{ procedure, router }} from './trpc';\nimport {{ turns }} from './schema';\nconst ai = new GoogleGenAI({{}});\n\
             async function reply(said: Array<{{ role: string; content: string }}>) {{\n  const answer = await ai.models.generateContent({{ model: 'gemini-2.5-flash', contents: said.map((turn) => turn.content).join(' ') }});\n  return {{ text: answer.text }};\n}}\n\
             export const desk = router({{\n  begin: procedure.mutation(async ({{ input, ctx }}) => {{\n    await ctx.db.insert(turns).values({{ {asker}, content: input.text }});\n    const answer = await reply([{{ role: 'user', content: input.text }}]);\n    await ctx.db.insert(turns).values({{ role: 'assistant', content: answer.text }});\n    return answer;\n  }}),\n}});\n"
        )
    };
    assert_eq!(told(&tree("role: 'user'")).0, Applies::Applies);
    assert_ne!(told(&tree("kind: 'note'")).0, Applies::Applies);
}

#[test]
fn clarification_questions_are_interaction() {
    let tree = |name: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.80.0\",\"express\":\"4.21.0\"}}}}\n\
             //- server.js\nimport OpenAI from 'openai';\nimport express from 'express';\nconst client = new OpenAI();\nconst app = express();\n\
             async function {name}(text) {{\n  const answer = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: text }});\n  return answer.output_text;\n}}\n\
             app.post('/api/start', async (req, res) => {{\n  res.json({{ out: await {name}(req.body.details) }});\n}});\n"
        )
    };
    assert_eq!(told(&tree("generateClarificationQuestions")).0, Applies::Applies);
    assert_ne!(told(&tree("generateExamQuestions")).0, Applies::Applies);
}

/// What is said of a picture that is not marked.
fn unmarked(text: &str) -> String {
    let evaluation = scan(text);
    let finding = evaluation
        .findings
        .iter()
        .find(|finding| finding.check_id == "l4-unmarked-synthetic-content");
    finding.unwrap().message.clone()
}

#[test]
fn unrelated_texts_are_no_content_mark() {
    let tree = |said: &str, other: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.80.0\",\"sonner\":\"1.7.0\",\"express\":\"4.21.0\"}}}}\n\
             //- src/draw.ts\nimport OpenAI from 'openai';\nimport express from 'express';\nconst client = new OpenAI();\nconst app = express();\n\
             app.post('/draw', async (req, res) => {{\n  const made = await client.images.generate({{ model: 'dall-e-2', prompt: req.body.text }});\n  {said}\n}});\n\
             //- src/words.ts\nexport function need(key: string) {{\n  return checked(key, {{ context: '{other}' }});\n}}\n"
        )
    };
    let marked = tree(
        "res.json({ title: 'Generated with DALL-E', url: made.data[0].url });",
        "",
    );
    assert!(
        unmarked(&marked).contains("only a visible mark was found"),
        "{}",
        unmarked(&marked)
    );
    for text in [
        tree(
            "toast.success('Your generated image is ready'); res.json({ url: made.data[0].url });",
            "",
        ),
        tree(
            "res.json({ state: 'Image generated successfully', url: made.data[0].url });",
            "",
        ),
        tree(
            "res.json({ title: 'Thank you for using OpenAI!', url: made.data[0].url });",
            "",
        ),
        tree(
            "res.json({ url: made.data[0].url });",
            "Better words are written with OpenAI text models.",
        ),
    ] {
        assert!(
            unmarked(&text).contains("no mark of the output was found"),
            "{}",
            unmarked(&text)
        );
    }
}

#[test]
fn symptom_text_raises_medical_device_question() {
    let asks = |prompt: &str| {
        let text = SERVICE
            .replace("DESCRIPTION", "")
            .replace("input=question", &format!("instructions='{prompt}', input=question"));
        let evaluation = scan(&text);
        evaluation.systems[0]
            .questions
            .iter()
            .any(|question| question.id == "annex-i")
    };
    assert!(asks(
        "You are a medical assistant. From the symptoms, list possible conditions."
    ));
    assert!(!asks("You are an assistant of a shop. Tell the terms and conditions."));
}

#[test]
fn browser_transcription_needs_no_disclosure() {
    let evaluation = scan(
        "//- src/App.jsx\nimport { useState } from 'react';\nexport default function App() {\n  const [text, setText] = useState('');\n  const listen = () => {\n    const recognition = new window.webkitSpeechRecognition();\n    recognition.onresult = (event) => setText(event.results[0][0].transcript);\n    recognition.start();\n  };\n  return <div><p>Ask our AI assistant</p><button onClick={listen}>Speak</button><p>{text}</p></div>;\n}\n",
    );
    assert!(
        !evaluation
            .findings
            .iter()
            .any(|finding| finding.check_id == "l4-undisclosed-interaction"),
        "{:?}",
        evaluation.findings
    );
}

#[test]
fn mcp_server_without_model_call_is_undetermined() {
    let evaluation = scan(
        "//- server.mjs\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nconst server = new McpServer({ name: 'figures', version: '1.0.0' });\nserver.registerTool('list', {}, async () => ({ content: [] }));\n",
    );
    assert_eq!(
        evaluation.reason,
        "server.mjs:2 serves tools to external models (MCP), but no model call was found in the code"
    );
    let evaluation = scan("//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\n");
    assert_eq!(
        evaluation.reason,
        "app.py:2 prepares a model call, but no model call was found in the code"
    );
}

/// A service that keeps what a model says, with a route that gives `back`.
fn kept(record: &str, back: &str) -> String {
    format!(
        "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
         //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nfrom store import db\napp = FastAPI()\nclient = OpenAI()\n\
         @app.post('/chat')\ndef chat(question: str):\n    said = client.responses.create(model='gpt-4.1-2025-04-14', input=question).output_text\n    \
         db.rows.insert_one({record})\n    return {back}\n"
    )
}

#[test]
fn unshown_mark_is_no_disclosure() {
    let evaluation = scan(&kept("{'text': said, 'ai_generated': True}", "{'status': 'kept'}"));
    let call = &evaluation.inventory.calls.last().unwrap();
    assert_ne!(call.disclosure, Some(true), "{call:?}");
    let given = kept("{'text': said}", "{'text': said, 'ai_generated': True}");
    assert_eq!(kind(&given), Some(FindingType::Pass));
}

#[test]
fn reply_prefix_may_disclose_ai() {
    let bot = |prefix: &str| {
        kept("{'text': said}", "{'text': PREFIX + said}").replace("PREFIX", &format!("'{prefix}\\n\\n'"))
    };
    assert_eq!(kind(&bot("（本条消息为基于AI的自动回复）")), Some(FindingType::Pass));
    assert_eq!(kind(&bot("智能客服：")), Some(FindingType::Pass));
    assert_eq!(kind(&bot("（本条消息为自动回复）")), None);
}

#[test]
fn obligation_without_evidence_raises_question() {
    let bot = |reply: &str| {
        format!(
            "//- requirements.txt\ndiscord.py==2.3.0\nopenai==1.51.0\n\
             //- bot.py\nimport discord\nfrom openai import OpenAI\nfrom discord.ext import commands\nclient = OpenAI()\nbot = commands.Bot(command_prefix='!')\n\
             @bot.command()\nasync def draw(ctx, *, prompt):\n    made = client.images.generate(model='dall-e-3', prompt=prompt)\n    await ctx.send({reply})\n\
             bot.run('x')\n"
        )
    };
    let record = |text: &str| {
        let evaluation = scan(text);
        let mut records = evaluation.systems[0].obligations.clone().into_iter();
        records.find(|record| record.obligation_id == "OBL-094").unwrap()
    };
    let open = record(&bot("made.data[0].url"));
    assert_eq!(
        (open.applies, open.status),
        (Applies::Applies, engine_model::ObligationStatus::NotEvaluated),
        "{open:?}"
    );
    assert!(open.question.is_some(), "{open:?}");
    // A talk that was seen has a status, and asks nothing.
    let seen = record(&format!(
        "{}//- templates/index.html\n<!doctype html><html lang=\"en\"><body><h1>Ask our desk</h1><form><label>Question <input name=\"q\"></label></form></body></html>\n",
        SERVICE.replace("DESCRIPTION", "")
    ));
    assert_ne!(seen.status, engine_model::ObligationStatus::NotEvaluated, "{seen:?}");
    assert_eq!(seen.question, None);
}

#[test]
fn command_description_and_card_disclose_ai() {
    let bot = |extra: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"discord.js\":\"14.0.0\"}}}}\n\
             //- bot.js\nimport {{ Client }} from 'discord.js';\nimport OpenAI from 'openai';\nconst client = new Client();\nconst model = new OpenAI();\n\
             client.on('messageCreate', async (message) => {{\n  const said = await model.responses.create({{ model: 'gpt-4.1-2025-04-14', input: message.content }});\n  await message.reply(said.output_text);\n}});\nclient.login('x');\n{extra}"
        )
    };
    assert_eq!(kind(&bot("")), Some(FindingType::Fail));
    let command = |folder: &str, said: &str| {
        bot(&format!(
            "//- {folder}/chat.json\n{{\"name\": \"chat\", \"description\": \"{said}\", \"options\": []}}\n"
        ))
    };
    assert_eq!(kind(&command("commands", "Chat with the AI")), None);
    assert_eq!(
        kind(&command("commands", "Chat with the desk")),
        Some(FindingType::Fail)
    );
    assert_eq!(kind(&command("data", "Chat with the AI")), Some(FindingType::Fail));
    let card = |said: &str| {
        bot(&format!(
            "//- cards.ts\nexport const welcome = () => [new TextBlock(\"{said}\", {{ wrap: true }})];\n"
        ))
    };
    assert_eq!(kind(&card("I'm Claude Code running on your machine.")), None);
    assert_eq!(kind(&card("I'm the desk.")), Some(FindingType::Fail));
}

#[test]
fn market_date_question_is_open_while_obligation_depends_on_it() {
    let asked = |day: &str| {
        let settings = crate::Settings {
            as_of: day.parse().unwrap(),
            ..today()
        };
        let evaluation = scan_memory(&fixture(&bot("", "Be kind.")).unwrap(), &settings);
        let questions = evaluation.systems.into_iter().flat_map(|system| system.questions);
        questions.filter(|question| question.id == "placed-on-market").count()
    };
    assert_eq!(asked("2026-11-20"), 1);
    // Before the one day and from the other on, nothing hangs on it.
    assert_eq!(asked("2026-07-31"), 0);
    assert_eq!(asked("2026-12-02"), 0);
}

#[test]
fn first_message_of_script_component_discloses_ai() {
    let app = |greeting: &str| {
        format!(
            "{}//- web/src/App.js\nimport {{ useEffect, useState }} from 'react';\nexport default function App() {{\n  const [messages, setMessages] = useState([]);\n  useEffect(() => {{\n    setMessages([{{ text: \"{greeting}\", sender: 'bot' }}]);\n  }}, []);\n  const send = (text) => fetch('/chat', {{ method: 'POST', body: JSON.stringify({{ question: text }}) }});\n  return <div>{{messages.map((m) => <p>{{m.text}}</p>)}}<input onChange={{(e) => send(e.target.value)}} /></div>;\n}}\n",
            SERVICE.replace("DESCRIPTION", "")
        )
    };
    assert_eq!(
        kind(&app("Hello! I'm your AI customer support assistant.")),
        Some(FindingType::Pass)
    );
    assert_eq!(
        kind(&app("Hello! I'm your Aven AI support assistant.")),
        Some(FindingType::Pass)
    );
    assert_ne!(kind(&app("Hello! How can we help?")), Some(FindingType::Pass));
}

#[test]
fn multi_line_block_discloses_ai_but_breadcrumb_does_not() {
    let app = |extra: &str, said: &str| {
        format!(
            "//- requirements.txt\nslack_bolt==1.18\nopenai==1.51.0\n//- bot.py\nimport sentry_sdk\nfrom openai import OpenAI\nfrom slack_bolt import App\napp = App(token='t')\nclient = OpenAI()\n\
             @app.event('app_mention')\ndef talk(event, say):\n    {said}\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=event['text'])\n    say(answer.output_text)\n{extra}"
        )
    };
    assert_eq!(kind(&app("", "pass")), Some(FindingType::Fail));
    let help = "HELP = [{'type': 'section', 'text': {'type': 'mrkdwn', 'text': (\n    '*Welcome to the desk bot!*'\n    ' More.')}}]\n";
    assert_eq!(kind(&app(help, "pass")), Some(FindingType::Fail));
    assert_ne!(
        kind(&app(&help.replace("desk bot", "AI bot"), "pass")),
        Some(FindingType::Fail)
    );
    let crumb = "sentry_sdk.add_breadcrumb(message='You are chatting with an AI assistant.')";
    assert_eq!(kind(&app("", crumb)), Some(FindingType::Fail));
    assert_eq!(
        kind(&app("", "say('You are chatting with an AI assistant.')")),
        Some(FindingType::Pass)
    );
}

#[test]
fn ai_suspicion_notice_is_no_disclosure() {
    let desk = |text: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n//- templates/index.html\n<!doctype html><html lang=\"en\"><body><h1>Desk</h1></body></html>\n//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI(title='Desk')\nclient = OpenAI()\n@app.post('/chat')\ndef chat(question: str):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=question)\n    return {{'reply': '{text} ' + answer.output_text}}\n"
        )
    };
    assert_eq!(kind(&desk("This answer is AI-generated.")), Some(FindingType::Pass));
    assert_ne!(
        kind(&desk("Possible AI-generated content, flagged for the teacher.")),
        Some(FindingType::Pass)
    );
}

#[test]
fn answering_call_is_reported_before_intent_call() {
    let code = "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n//- templates/index.html\n<!doctype html><html lang=\"en\"><body><h1>Desk</h1></body></html>\n//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI(title='Desk')\nclient = OpenAI()\n@app.post('/a')\ndef parse_intent(question: str):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=question)\n    return {'reply': answer.output_text}\n@app.post('/b')\ndef chat(question: str):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=question)\n    return {'reply': answer.output_text}\n";
    let finding = told(code).1.unwrap();
    assert_eq!(
        (finding.kind, finding.line),
        (FindingType::Fail, Some(11)),
        "{}",
        finding.message
    );
}

#[test]
fn only_regularly_visible_texts_disclose_ai() {
    let bot = |body: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\npyTelegramBotAPI==4.22.0\n//- bot.py\nimport telebot\nfrom openai import OpenAI\nbot = telebot.TeleBot('t')\nclient = OpenAI()\n\n\n\
             @bot.message_handler(func=lambda m: True)\ndef reply(message):\n    try:\n        answer = client.responses.create(model='gpt-4.1-2025-04-14', input=message.text)\n{body}"
        )
    };
    let told = bot(
        "        bot.reply_to(message, 'Your AI assistant answers: ' + answer.output_text)\n    except Exception:\n        bot.reply_to(message, 'Later please')\n",
    );
    assert_eq!(kind(&told), Some(FindingType::Pass));
    // What stands where something failed is read by nobody who is answered.
    let failed = bot(
        "        bot.reply_to(message, answer.output_text)\n    except Exception:\n        bot.reply_to(message, 'Your AI assistant answers later')\n",
    );
    assert_ne!(kind(&failed), Some(FindingType::Pass));
    // So is what goes into a log, whatever it is called.
    let logged = bot(
        "        log_step('Your AI assistant answers you')\n        bot.reply_to(message, answer.output_text)\n    except Exception:\n        bot.reply_to(message, 'Later please')\n\n\ndef log_step(text):\n    print('> ' + text)\n",
    );
    assert_eq!(kind(&logged), Some(FindingType::Fail));
}

#[test]
fn bot_summary_raises_question() {
    let bot = |name: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\npyTelegramBotAPI==4.22.0\n//- bot.py\nimport telebot\nfrom openai import OpenAI\nbot = telebot.TeleBot('t')\nclient = OpenAI()\n\n\n\
             def {name}(text):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=text)\n    return answer.output_text\n\n\n\
             @bot.message_handler(func=lambda m: True)\ndef on_message(message):\n    bot.reply_to(message, {name}(message.text))\n"
        )
    };
    assert_eq!(kind(&bot("ask_model")), Some(FindingType::Fail));
    assert_ne!(kind(&bot("summarize_chat")), Some(FindingType::Fail));
}

#[test]
fn terminal_output_is_shown_to_user() {
    let script = |title: &str| {
        format!(
            "//- package.json\n{{\"name\": \"desk\", \"type\": \"module\", \"dependencies\": {{\"openai\": \"4.67.0\"}}}}\n//- cli.js\nimport readline from 'node:readline/promises';\nimport OpenAI from 'openai';\n\
             const client = new OpenAI();\nconst rl = readline.createInterface({{ input: process.stdin, output: process.stdout }});\nasync function main() {{\n  console.log('{title}');\n  while (true) {{\n    const q = await rl.question('> ');\n    \
             const r = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: q }});\n    console.log(r.output_text);\n  }}\n}}\nmain();\n"
        )
    };
    assert_eq!(
        kind(&script("You are talking to an AI assistant.")),
        Some(FindingType::Pass)
    );
    assert_ne!(kind(&script("The desk of the school")), Some(FindingType::Pass));
}

#[test]
fn composed_images_are_no_shell_commands() {
    let tree = |made: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\n//- film.py\nimport subprocess\nfrom openai import OpenAI\nclient = OpenAI()\n\n\n\
             def build(text):\n    {made}\n    subprocess.run(['sh', '-c', made], check=True)\n\n\nbuild(input())\n"
        )
    };
    let reaches = |made: &str| {
        let findings = scan(&tree(made)).findings;
        findings
            .iter()
            .any(|finding| finding.check_id == "l4-answer-reaches-shell")
    };
    assert!(reaches(
        "made = client.responses.create(model='gpt-4.1-2025-04-14', input=text).output_text"
    ));
    assert!(!reaches(
        "made = client.images.generate(model='gpt-image-2', prompt=text).data[0].url"
    ));
}
