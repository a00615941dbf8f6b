//! Statements about people and texts that must not be false alarms.

use engine_model::{ErrorHandling, Finding, FindingType, Outcome, fixture};

use super::today;
use crate::scan_memory;

/// The findings of one check.
fn findings(check: &str, text: &str) -> Vec<Finding> {
    let evaluation = scan_memory(&fixture(text).unwrap(), &today());
    let findings = evaluation.findings.into_iter();
    findings.filter(|finding| finding.check_id == check).collect()
}

fn kinds(check: &str, text: &str) -> Vec<FindingType> {
    findings(check, text).iter().map(|finding| finding.kind).collect()
}

const OVERSIGHT: &str = "l4-no-human-oversight";

#[test]
fn progress_state_is_no_human_approval() {
    let app = |next: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n\
             @app.post('/apply')\ndef apply(resume_text: str, job_description: str):\n    \
             answer = client.responses.create(model='gpt-4.1-2025-04-14', input=resume_text + job_description).output_text\n    \
             row = db.applications.insert_one({{'email': 'x', 'verdict': 'rejected' if answer == 'no' else 'shortlisted', 'status': 'pending'}})\n    \
             {next}\n    return {{'id': row.id}}\n"
        )
    };
    let job = app("row.status = 'active'");
    assert!(!kinds(OVERSIGHT, &job).contains(&FindingType::Pass));
    // Somebody who decides on what was stored is seen; that something waits is not yet evidence.
    let waits = app("row.note = 'for the desk'");
    assert_eq!(kinds(OVERSIGHT, &waits), []);
    let decided = format!(
        "{waits}@app.post('/applications/{{id}}/approve')\ndef approve(id: int, reviewer: str, approved: bool):\n    \
         db.applications.update_one({{'id': id}}, {{'approved_by': reviewer, 'approved': approved}})\n    return {{'ok': True}}\n"
    );
    let found = findings(OVERSIGHT, &decided);
    assert_eq!(
        found.iter().map(|finding| finding.kind).collect::<Vec<_>>(),
        [FindingType::Pass]
    );
    assert!(found[0].message.contains("(app.py:"), "{}", found[0].message);
}

#[test]
fn model_approval_is_no_human_approval() {
    let app = |approved: &str| {
        format!(
            "//- requirements.txt\nflask==3.0.0\nscikit-learn==1.5.0\njoblib==1.4.0\n\
             //- app.py\nimport joblib\nfrom flask import Flask, request\napp = Flask(__name__)\nmodel = joblib.load('loan_model.joblib')\n\
             @app.post('/loan')\ndef loan():\n    data = request.get_json()\n    \
             row = [[data['applicant_income'], data['credit_history'], data['loan_amount']]]\n    \
             risk = model.predict_proba(row)[0][1]\n    approved = {approved}\n    status = 'Rejected'\n    \
             if approved:\n        status = 'Approved'\n        db.loans.update_one({{'loan_status': status, 'risk': risk}})\n    \
             return {{'loan_status': status}}\n"
        )
    };
    assert!(!kinds(OVERSIGHT, &app("risk < 0.3")).contains(&FindingType::Pass));
    assert_eq!(kinds(OVERSIGHT, &app("data['approved']")), [FindingType::Pass]);
}

const DECISION: &str = "l4-person-decision";

/// Routes of one router: one asks a model about an applicant, the other writes a state.
fn routes(state: &str) -> String {
    format!(
        "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"5.0.0\"}}}}\n\
         //- routes.js\nimport express from 'express';\nimport OpenAI from 'openai';\nimport {{ Applicant }} from './models.js';\n\
         const client = new OpenAI();\nconst router = express.Router();\n\
         router.post('/advice', async (req, res) => {{\n  const applicant = await Applicant.findOne({{ id: req.user.id }});\n  \
         const answer = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: `${{applicant.coverLetter}} ${{applicant.yearsOfExperience}}` }});\n  \
         applicant.advice = answer.output_text;\n  await applicant.save();\n  res.json({{ advice: answer.output_text }});\n}});\n\
         router.put('/:id', async (req, res) => {{\n  const applicant = await Applicant.findById(req.params.id);\n  \
         const {{ status }} = req.body;\n  applicant.status = {state};\n  await applicant.save();\n  res.json(applicant);\n}});\n\
         export default router;\n"
    )
}

#[test]
fn user_request_is_no_decision_of_model_on_other_route() {
    assert_eq!(kinds(DECISION, &routes("status")), []);
    let asked = "(await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: `${applicant.coverLetter} ${applicant.yearsOfExperience}` })).output_text";
    assert_eq!(kinds(DECISION, &routes(asked)), [FindingType::Info]);
}

#[test]
fn value_of_one_field_is_not_read_from_another() {
    let app = |read: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"express\":\"5.0.0\"}}}}\n\
             //- app.js\nimport express from 'express';\nimport OpenAI from 'openai';\nimport {{ Plan, Applicant }} from './models.js';\n\
             const client = new OpenAI();\nconst app = express();\n\
             app.post('/plan', async (req, res) => {{\n  const plan = await Plan.findById(req.body.id);\n  \
             const applicant = await Applicant.findOne({{ id: plan.owner }});\n  \
             const answer = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: `${{applicant.coverLetter}} ${{applicant.yearsOfExperience}}` }});\n  \
             plan.advice = answer.output_text;\n  applicant.status = {read};\n  await applicant.save();\n  res.json(plan);\n}});\n"
        )
    };
    assert_eq!(kinds(DECISION, &app("plan.wanted")), []);
    assert_eq!(kinds(DECISION, &app("plan.advice")), [FindingType::Info]);
}

#[test]
fn helper_argument_is_not_returned_to_other_caller() {
    let app = |given: &str| {
        routes(&format!("clean({given})"))
            .replace("const router =", "function clean(text) {\n  const short = text.trim();\n  return short.toLowerCase();\n}\nconst router =")
            .replace("applicant.advice = answer.output_text", "applicant.advice = clean(answer.output_text)")
    };
    assert_eq!(kinds(DECISION, &app("status")), []);
    let asked = "(await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: `${applicant.coverLetter} ${applicant.yearsOfExperience}` })).output_text";
    assert_eq!(kinds(DECISION, &app(asked)), [FindingType::Info]);
}

const TOLD: &str = "l4-undisclosed-interaction";

#[test]
fn text_in_stored_record_is_no_disclosure() {
    let app = |made: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nfrom models import Exam\napp = FastAPI()\nclient = OpenAI()\n\
             @app.post('/chat')\ndef chat(question: str):\n    \
             answer = client.responses.create(model='gpt-4.1-2025-04-14', input=question).output_text\n    {made}\n    \
             return {{'reply': answer}}\n\
             //- templates/chat.html\n<html lang=\"en\"><body><h1>Ask our desk</h1><form><label>Question <input name=\"question\"></label></form></body></html>\n"
        )
    };
    let kept = app("exam = Exam(name='x', subject='This reply comes from an AI assistant.')\n    db.session.add(exam)");
    assert!(!kinds(TOLD, &kept).contains(&FindingType::Pass), "{kept}");
    let given = app("return {'reply': answer, 'note': 'This reply comes from an AI assistant.'}");
    assert_eq!(kinds(TOLD, &given), [FindingType::Pass]);
}

#[test]
fn bot_start_message_discloses_before_other_handlers() {
    let bot = |start: &str| {
        format!(
            "//- requirements.txt\naiogram==3.4.1\nopenai==1.51.0\n\
             //- handlers/talk.py\nfrom aiogram import Router, F\nfrom aiogram.types import Message\nfrom openai import OpenAI\nrouter = Router()\nclient = OpenAI()\n\
             @router.message(F.text == 'About')\nasync def about(message: Message):\n    await message.answer('Every answer is AI generated by a large model.')\n\n\
             @router.message()\nasync def talk(message: Message):\n    \
             answer = client.responses.create(model='gpt-4.1-2025-04-14', input=message.text).output_text\n    await message.answer(answer)\n\
             //- handlers/start.py\nfrom aiogram import Router\nfrom aiogram.filters import CommandStart\nfrom aiogram.types import Message\nrouter = Router()\n\
             @router.message(CommandStart())\nasync def start(message: Message):\n    await message.answer('{start}')\n\
             //- main.py\nfrom aiogram import Bot, Dispatcher\nfrom handlers import start, talk\ndp = Dispatcher()\n\
             dp.include_routers(start.router, talk.router)\ndp.run_polling(Bot('x'))\n"
        )
    };
    let place = |text: &str| findings(TOLD, text).remove(0).message;
    let greeted = place(&bot("Hello! I am your AI assistant."));
    assert!(greeted.contains("handlers/start.py:7"), "{greeted}");
    let other = place(&bot("Hello! Have a seat."));
    assert!(other.contains("handlers/talk.py:8"), "{other}");
}

#[test]
fn picture_title_is_visible_mark() {
    let bot = |caption: &str, back: &str| {
        format!(
            "//- requirements.txt\npython-telegram-bot==21.0\nopenai==1.51.0\n\
             //- media.py\nfrom openai import OpenAI\nfrom telegram import Update\nfrom telegram.ext import Application, CommandHandler\nclient = OpenAI()\n\n\
             async def draw(update: Update, context):\n    prompt = ' '.join(context.args)\n    \
             picture = client.images.generate(model='dall-e-2', prompt=prompt)\n    \
             caption = f\"{caption}{{prompt[:80]}}\"\n    await update.message.reply_photo(picture.data[0].url, caption=caption)\n    return {back}\n\n\
             app = Application.builder().token('x').build()\napp.add_handler(CommandHandler('draw', draw))\napp.run_polling()\n"
        )
    };
    let check = "l4-unmarked-synthetic-content";
    let message = |text: &str| findings(check, text).remove(0).message;
    let marked = message(&bot("Generated: ", "'Image generated and sent.'"));
    assert!(marked.contains("(\"Generated:\", media.py:9)"), "{marked}");
    let plain = message(&bot("Your wish: ", "None"));
    assert!(plain.contains("no mark of the output was found"), "{plain}");
}

#[test]
fn error_in_next_prompt_is_no_error_handling() {
    let app = |looks: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n\n\
             def extract(text):\n    try:\n        return client.responses.create(model='gpt-4.1-2025-04-14', input=text).output_text\n    \
             except Exception as e:\n        return {{'error': str(e)}}\n\n\
             def judge(profile):\n    try:\n        return client.responses.create(model='gpt-4.1-2025-04-14', input=f'Judge: {{profile}}').output_text\n    \
             except Exception as e:\n        return {{'error': str(e)}}\n\n\
             @app.post('/screen')\ndef screen(resume_text: str):\n    profile = extract(resume_text)\n    {looks}\n    return {{'verdict': judge(profile)}}\n"
        )
    };
    let stated = crate::Settings {
        risk_class: Some(crate::StatedClass::High),
        ..today()
    };
    let kinds = |settings: &crate::Settings, looks: &str| -> Vec<FindingType> {
        let findings = scan_memory(&fixture(&app(looks)).unwrap(), settings).findings;
        let of = findings.iter().filter(|f| f.check_id == "l4-unhandled-model-failure");
        of.map(|f| f.kind).collect()
    };
    assert!(!kinds(&stated, "pass").contains(&FindingType::Pass));
    assert_eq!(kinds(&stated, "assert 'error' not in profile"), [FindingType::Pass]);
    // Evidence for a duty that may not bind stays with it.
    assert_eq!(kinds(&today(), "assert 'error' not in profile"), []);
}

#[test]
fn program_messages_on_page_are_no_interaction() {
    let app = |drawn: &str| {
        format!(
            "//- requirements.txt\nstreamlit==1.40.0\nopenai==1.51.0\n\
             //- app.py\nimport streamlit as st\nfrom openai import OpenAI\nclient = OpenAI()\nclaim = st.text_area('Claim')\n\
             if claim:\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=claim).output_text\n    {drawn}\n        st.markdown(answer)\n"
        )
    };
    assert_eq!(
        kinds(TOLD, &app("label = 'Reviewer'\n    with st.chat_message(name=label):")),
        []
    );
    let talk = app("st.chat_message('user').write(claim)\n    with st.chat_message('Reviewer'):");
    assert_eq!(kinds(TOLD, &talk), [FindingType::Fail]);
}

#[test]
fn component_default_is_no_disclosure() {
    let app = |head: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\",\"svelte\":\"5.0.0\",\"@sveltejs/kit\":\"2.0.0\"}}}}\n\
             //- src/lib/chat.svelte\n<script lang=\"ts\">\n  {head}\n  let messages = $state([]);\n  let input = '';\n  async function send() {{\n    \
             const r = await fetch('/api/chat', {{ method: 'POST', body: JSON.stringify({{ message: input }}) }});\n    messages = [...messages, await r.json()];\n  }}\n</script>\n\
             <h2>{{title}}</h2>\n{{#each messages as message}}<p>{{message.reply}}</p>{{/each}}\n<input bind:value={{input}} /><button onclick={{send}}>Send</button>\n\
             //- src/routes/+page.svelte\n<script>\n  import Chat from '$lib/chat.svelte';\n</script>\n<Chat title=\"Desk\" />\n\
             //- src/routes/api/chat/+server.ts\nimport OpenAI from 'openai';\nimport {{ json }} from '@sveltejs/kit';\nconst client = new OpenAI();\n\
             export async function POST({{ request }}) {{\n  const {{ message }} = await request.json();\n  \
             const answer = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: message }});\n  return json({{ reply: answer.output_text }});\n}}\n"
        )
    };
    let default = app("let { api = '/api/chat', title = \"AI Assistant\" } = $props();");
    assert!(!kinds(TOLD, &default).contains(&FindingType::Pass));
    let fixed = app("const head = { title: \"AI Assistant\" }; let { title = head.title } = $props();");
    assert_eq!(kinds(TOLD, &fixed), [FindingType::Pass]);
}

#[test]
fn ai_disclosure_is_no_deep_fake_label_for_cloned_voice() {
    let app = |label: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\ncoqui-tts==0.24.0\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom TTS.api import TTS\napp = FastAPI()\nvoice = TTS('xtts_v2')\n\
             @app.post('/speak')\ndef speak(text: str, sample: str):\n    \
             voice.tts_to_file(text=text, speaker_wav=sample, file_path='a.wav')\n    return {{'sound': 'a.wav', 'note': '{label}'}}\n"
        )
    };
    let check = "l4-unlabelled-deep-fake";
    assert_eq!(kinds(check, &app("This voice is AI-generated.")), [FindingType::Pass]);
    assert!(!kinds(check, &app("I am your AI assistant.")).contains(&FindingType::Pass));
}

/// A bot whose handlers stand in an assembly that two programs reference; `KIND` is what the project of the assembly says it builds.
const ASSEMBLY: &str = "//- src/bot/Bot.csproj\n<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup><TargetFramework>net8.0</TargetFramework>KIND</PropertyGroup>\n\
      <ItemGroup><PackageReference Include=\"Betalgo.OpenAI\" Version=\"8.7.1\" /><PackageReference Include=\"Telegram.Bot\" Version=\"19.0.0\" /></ItemGroup>\n</Project>\n\
    //- src/bot/UpdateHandler.cs\nusing OpenAI.Interfaces;\nusing OpenAI.ObjectModels.RequestModels;\nusing Telegram.Bot;\nusing Telegram.Bot.Types;\nnamespace Acme.Bot;\n\
    public class UpdateHandler : IUpdateHandler\n{\n    private readonly IOpenAIService ai;\n    private readonly ITelegramBotClient bot;\n    public UpdateHandler(IOpenAIService ai, ITelegramBotClient bot) { this.ai = ai; this.bot = bot; }\n\
        public async Task HandleUpdateAsync(ITelegramBotClient client, Update update, CancellationToken cancel)\n    {\n        var answer = await ai.ChatCompletion.CreateCompletion(new ChatCompletionCreateRequest { Model = \"gpt-4.1-2025-04-14\", Messages = new[] { ChatMessage.FromUser(update.Message.Text) } });\n        await bot.SendTextMessageAsync(update.Message.Chat.Id, answer.Choices[0].Message.Content);\n    }\n}\n\
    //- src/bot/Summary.cs\nusing OpenAI.Interfaces;\nusing OpenAI.ObjectModels.RequestModels;\nnamespace Acme.Bot;\npublic class Summary\n{\n    private readonly IOpenAIService ai;\n    public Summary(IOpenAIService ai) { this.ai = ai; }\n\
        public async Task<string> Of(string text)\n    {\n        var answer = await ai.ChatCompletion.CreateCompletion(new ChatCompletionCreateRequest { Model = \"gpt-4.1-2025-04-14\", Messages = new[] { ChatMessage.FromUser(text) } });\n        return answer.Choices[0].Message.Content;\n    }\n}\n\
    //- src/web/Web.csproj\n<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>\n  <ItemGroup><ProjectReference Include=\"..\\bot\\Bot.csproj\" /></ItemGroup>\n</Project>\n\
    //- src/web/SummaryController.cs\nusing Acme.Bot;\nusing Microsoft.AspNetCore.Mvc;\nnamespace Acme.Web;\n[ApiController]\n[Route(\"summary\")]\npublic class SummaryController : ControllerBase\n{\n\
        private readonly Summary summary;\n    public SummaryController(Summary summary) { this.summary = summary; }\n\
        [HttpPost]\n    public async Task<IActionResult> Post([FromBody] string text)\n    {\n        return Ok(await summary.Of(text));\n    }\n}\n";

#[test]
fn referenced_assembly_is_part_of_program() {
    let scopes = |kind: &str| -> Vec<String> {
        let files = fixture(&ASSEMBLY.replace("KIND", kind)).unwrap();
        let evaluation = scan_memory(&files, &today());
        evaluation.systems.iter().map(|system| system.name.clone()).collect()
    };
    assert_eq!(scopes("").len(), 1, "{:?}", scopes(""));
    // What is a program of its own stays one.
    assert_eq!(scopes("<OutputType>Exe</OutputType>").len(), 2);
}

#[test]
fn provider_watermark_is_evidence() {
    let outcomes = |model: &str| {
        let text = format!(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\n\napp = FastAPI()\nclient = OpenAI()\n\n@app.post('/picture')\n\
             def picture(prompt: str):\n    return {{'url': client.images.generate(model='{model}', prompt=prompt).data[0].url}}\n"
        );
        crate::evaluate::outcomes("l4-unmarked-synthetic-content", &fixture(&text).unwrap(), &today())
    };
    // A model that answers no more makes nothing that could lose its mark.
    assert!(outcomes("dall-e-3").is_empty());
    for model in ["gpt-image-1.5", "chatgpt-image-latest"] {
        let outcomes = outcomes(model);
        assert!(
            outcomes.contains(&Outcome::Pass) && !outcomes.contains(&Outcome::Fail),
            "{model}"
        );
    }
    for model in ["dall-e-2", "flux-1-schnell"] {
        assert!(outcomes(model).contains(&Outcome::Fail), "{model}");
    }
}

#[test]
fn practice_interview_is_no_selection() {
    let tree = |said: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"@google/generative-ai\":\"0.24.0\",\"next\":\"15.0.0\",\"react\":\"19.0.0\"}}}}\n\
             //- lib/gemini.ts\nimport {{ GoogleGenerativeAI }} from '@google/generative-ai';\nconst client = new GoogleGenerativeAI(process.env.KEY!);\n\
             export async function judge(resumeText: string, answer: string) {{\n  const model = client.getGenerativeModel({{ model: 'gemini-2.5-flash' }});\n\
             \x20 const result = await model.generateContent(`Score what the candidate with the resume ${{resumeText}} said: ${{answer}}. Return {{\"score\": number}}`);\n\
             \x20 return JSON.parse(result.response.text());\n}}\n\
             //- app/api/interview/[id]/answer/route.ts\nimport {{ judge }} from '../../../../../lib/gemini';\nimport {{ Interview }} from '../../../../../models';\n\
             export async function POST(request: Request, {{ params }}: any) {{\n  const interview = await Interview.findById(params.id);\n  const {{ answer }} = await request.json();\n\
             \x20 const analysis = await judge(interview.resumeText, answer);\n  interview.overallScore = analysis.score;\n  await interview.save();\n  return Response.json(analysis);\n}}\n\
             //- app/dashboard/page.tsx\nexport default function Page() {{\n  return <p>{said}</p>;\n}}\n"
        )
    };
    let raised = |text: &str| {
        crate::evaluate::outcomes("l4-person-decision", &fixture(text).unwrap(), &today())
            .iter()
            .any(|outcome| *outcome != Outcome::Pass)
    };
    let asked = |said: &str| raised(&tree(said));
    // Where the project introduces itself so, it is said as well.
    let introduced = |words: &str| {
        raised(&format!(
            "{}//- README.md\n# Desk\n\n{words}\n",
            tree("Your interviews are rated with AI")
        ))
    };
    assert!(!introduced("AI-powered mock interview coach, with scores."));
    assert!(introduced("AI-powered interviews of candidates, with scores."));
    assert!(asked("Your interviews are rated with AI"));
    assert!(!asked("Practice your interview skills with AI-powered feedback"));
    // Who chooses among people is not practising.
    assert!(asked(
        "Practice interviews with AI, or let recruiters shortlist candidates with AI"
    ));
}

#[test]
fn rating_of_own_cv_is_no_selection() {
    let asked = |said: &str, kept: &str| {
        let text = format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"5.0.0\",\"next\":\"15.0.0\",\"react\":\"19.0.0\"}}}}\n\
             //- lib/analyse.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\n\
             export async function compare(resumeText: string, jobDescription: string) {{\n  const answer = await client.chat.completions.create({{ model: 'gpt-4.1-2025-04-14', messages: [\n\
             \x20   {{ role: 'system', content: 'You are a recruiter screening resumes. Score 0-100 how well the candidate fits the job. Return JSON.' }},\n\
             \x20   {{ role: 'user', content: `Resume: ${{resumeText}} Job: ${{jobDescription}}` }},\n  ] }});\n\
             \x20 const data = JSON.parse(answer.choices[0].message.content!);\n  return {{ {kept}: data.{kept}, summary: data.summary }};\n}}\n\
             //- app/api/process/route.ts\nimport {{ compare }} from '../../../lib/analyse';\nimport {{ Process }} from '../../../models';\n\
             export async function POST(request: Request) {{\n  const process = await Process.findById(1);\n  const analysis = await compare(process.resumeText, process.jobDescription);\n\
             \x20 process.{kept} = analysis.{kept};\n  await process.save();\n  return Response.json({{}});\n}}\n\
             //- app/page.tsx\nexport default function Page() {{\n  return <p>{said}</p>;\n}}\n"
        );
        crate::evaluate::outcomes("l4-person-decision", &fixture(&text).unwrap(), &today())
            .iter()
            .any(|outcome| *outcome != Outcome::Pass)
    };
    assert!(asked("Upload resumes", "score"));
    assert!(!asked("Tailor your resume to any job", "score"));
    assert!(asked("Tailor your resume to any job, or rank candidates", "score"));
    // A verdict is more than a rating.
    assert!(asked("Tailor your resume to any job", "decision"));
}

#[test]
fn command_started_by_key_press_is_user_action() {
    let app = |asks: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\nrich==13.0.0\n\
             //- desk.py\nimport subprocess, sys\nfrom openai import OpenAI\nfrom rich.prompt import Prompt\nclient = OpenAI()\n\
             def suggest(text):\n    return client.chat.completions.create(model='gpt-4o-2024-08-06', messages=[{{'role': 'user', 'content': text}}]).choices[0].message.content\n\
             def main():\n    command = suggest(sys.argv[1])\n    print(command)\n    {asks}\n    subprocess.run(command, shell=True)\nmain()\n"
        )
    };
    let check = "l4-answer-reaches-shell";
    assert_eq!(kinds(check, &app("pass")).len(), 1);
    let pressed = app("if Prompt.ask('[e]xecute, [a]bort', choices=['e', 'a']) == 'a': return");
    assert_eq!(kinds(check, &pressed), []);
    // A choice among words may be about anything.
    let chosen = app("colour = Prompt.ask('Colour', choices=['red', 'blue'])");
    assert_eq!(kinds(check, &chosen).len(), 1);
}

#[test]
fn image_prompt_shows_output_type_of_multi_model_host() {
    let app = |input: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"express\":\"5.0.0\"}}}}\n\
             //- app.js\nimport express from 'express';\nconst app = express();\napp.post('/make', async (req, res) => {{\n  \
             const r = await fetch('https://api.replicate.com/v1/predictions', {{ method: 'POST', body: JSON.stringify({{ version: '854e8727697a057c', input: {{ prompt: req.body.text, {input} }} }}) }});\n  \
             res.json(await r.json());\n}});\napp.listen(80);\n"
        )
    };
    let check = "l4-unmarked-synthetic-content";
    assert_eq!(kinds(check, &app("negative_prompt: 'blurry'")).len(), 1);
    assert_eq!(kinds(check, &app("n_prompt: 'lowres, bad anatomy'")).len(), 1);
    assert_eq!(kinds(check, &app("max_tokens: 200")), []);
}

#[test]
fn package_script_resolves_sibling_modules() {
    let app = |name: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\npyTelegramBotAPI==4.20.0\n\
             //- desk/__init__.py\n\n\
             //- desk/{name}.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text):\n    \
             return client.chat.completions.create(model='gpt-4o-2024-08-06', messages=[{{'role': 'user', 'content': text}}]).choices[0].message.content\n\
             //- desk/main.py\nimport telebot\nimport {name}\nbot = telebot.TeleBot('x')\n\
             @bot.message_handler(func=lambda message: True)\ndef reply(message):\n    bot.reply_to(message, {name}.ask(message.text))\nbot.polling()\n"
        )
    };
    let check = "l4-undisclosed-interaction";
    assert_eq!(kinds(check, &app("model_utils")), [FindingType::Fail]);
    // In a package a name of Python's own library is the library's.
    assert_eq!(kinds(check, &app("queue")), []);
}

#[test]
fn error_handling_in_chain_step_covers_chain() {
    let app = |handler: &str| {
        format!(
            "//- requirements.txt\nlangchain-openai==0.2.0\nlangchain-core==0.3.0\n\
             //- desk.py\nimport sys, time\nfrom langchain_core.output_parsers import StrOutputParser\nfrom langchain_core.prompts import ChatPromptTemplate\nfrom langchain_openai import ChatOpenAI\n\
             class Guarded:\n    def __init__(self, model):\n        self.model = model\n    def __call__(self, messages):\n        \
             try:\n            return self.model.invoke(messages)\n        except Exception as failure:\n            {handler}\n\
             def ask(text):\n    model = Guarded(ChatOpenAI(model='gpt-4o-2024-08-06'))\n    \
             chain = ChatPromptTemplate.from_template('{{text}}') | model | StrOutputParser()\n    return chain.invoke({{'text': text}})\nprint(ask(sys.argv[1]))\n"
        )
    };
    let handled = |text: &str| {
        let evaluation = scan_memory(&fixture(text).unwrap(), &today());
        let calls = evaluation.inventory.calls;
        let of_chain = calls
            .iter()
            .find(|call| call.symbol.contains("RunnableSequence"))
            .unwrap();
        of_chain.error_handling
    };
    assert_eq!(handled(&app("time.sleep(30)")), ErrorHandling::Yes);
    assert_eq!(handled(&app("raise")), ErrorHandling::No);
}

#[test]
fn standard_input_is_program_data() {
    let app = |program: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"openai\":\"4.1.0\"}}}}\n\
             //- speak.ts\nimport {{ spawn }} from 'child_process';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\n\
             async function main() {{\n  const answer = await client.chat.completions.create({{ model: 'gpt-4o-2024-08-06', messages: [{{ role: 'user', content: process.argv[2] }}] }});\n  \
             const child = spawn('{program}', []);\n  child.stdin.write(answer.choices[0].message.content);\n  child.stdin.end();\n}}\nmain();\n"
        )
    };
    let check = "l4-answer-reaches-shell";
    assert_eq!(kinds(check, &app("piper")), []);
    assert_eq!(kinds(check, &app("bash")).len(), 1);
}
