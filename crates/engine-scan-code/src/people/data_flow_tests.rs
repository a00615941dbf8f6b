//! Data flows by which a prompt reaches a call, and a score leaves it.

use engine_model::{PersonArea, StructureKind};

use super::tests::{kinds, scan};
use crate::SignalKind;

fn raised(text: &str) -> Vec<SignalKind> {
    let mut kinds: Vec<SignalKind> = scan(text).signals.iter().map(|signal| signal.kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn a_prompt_that_another_file_keeps_is_read_under_its_name() {
    let script = "//- src/summary.ts\nimport OpenAI from 'openai';\nimport { PROMPTS } from './prompts';\nconst c = new OpenAI();\nexport const ask = (data: string) => c.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'system', content: PROMPTS.NAME }, { role: 'user', content: data }] });\n//- src/prompts.ts\nexport const PROMPTS = {\n  UNDERWRITING: `You are a loan underwriting assistant. Recommend to approve or reject the applicant.`,\n  LABEL: `Name the kind of the document that follows.`,\n};\n";
    let credit = [SignalKind::from(PersonArea::Credit)];
    assert_eq!(raised(&script.replace("NAME", "UNDERWRITING")), credit);
    assert!(raised(&script.replace("NAME", "LABEL")).is_empty());
    let python = "//- app/ask.py\nfrom openai import OpenAI\nfrom app.prompts import NAME\nc = OpenAI()\ndef ask(text):\n    return c.responses.create(model='o3', instructions=NAME, input=text)\n//- app/prompts.py\nSCREEN = 'Score the resume of the candidate for this job from 0 to 100.'\nGREET = 'Write a friendly greeting in one sentence, please.'\n";
    assert_eq!(raised(&python.replace("NAME", "SCREEN")), [SignalKind::Employment]);
    assert!(raised(&python.replace("NAME", "GREET")).is_empty());
    let java = "//- src/main/java/a/S.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiChatModel;\nclass S {\n  private final OpenAiChatModel model = OpenAiChatModel.builder().modelName(\"gpt-4.1\").build();\n  String ask(String text) {\n    return model.generate(Prompts.NAME + text);\n  }\n}\n//- src/main/java/a/Prompts.java\npackage a;\nclass Prompts {\n  static final String GRADE = \"Grade the essay of the student from 1 to 6 and say why.\";\n  static final String MEAL = \"Rate the meal on this picture from 1 to 6 and say why.\";\n}\n";
    assert_eq!(raised(&java.replace("NAME", "GRADE")), [SignalKind::Education]);
    assert!(raised(&java.replace("NAME", "MEAL")).is_empty());
}

#[test]
fn a_score_that_a_constructor_takes_by_its_place_is_kept() {
    let text = "//- src/main/java/a/S.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiChatModel;\nimport java.util.*;\nimport java.util.regex.*;\nclass Applicant { private String resumeText; private String email; String getResumeText() { return resumeText; } }\nclass Result {\n  private final String note;\n  private final Double FIELD;\n  Result(String note, Double FIELD) { this.note = note; this.FIELD = FIELD; }\n  Double getValue() { return FIELD; }\n}\nclass S {\n  private final OpenAiChatModel model = OpenAiChatModel.builder().modelName(\"gpt-4.1\").build();\n  Result one(Applicant applicant) {\n    String text = model.generate(applicant.getResumeText());\n    Matcher m = Pattern.compile(\"([0-9]+)\").matcher(text);\n    return new Result(\"x\", m.find() ? Double.parseDouble(m.group(1)) : 0.0);\n  }\n  List<Result> all(List<Applicant> applicants) {\n    List<Result> out = new ArrayList<>();\n    for (Applicant a : applicants) {\n      out.add(one(a));\n    }\n    ORDER\n    return out;\n  }\n}\n";
    let sorted = text
        .replace("FIELD", "value")
        .replace("ORDER", "out.sort(Comparator.comparing(Result::getValue).reversed());");
    assert_eq!(
        kinds(&sorted),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    let plain = text.replace("FIELD", "value").replace("ORDER", "out.forEach(x -> {});");
    assert_eq!(
        kinds(&plain),
        [(StructureKind::PersonInput, Some(PersonArea::Employment))]
    );
}

#[test]
fn a_rating_of_an_application_for_a_job_is_one_of_a_person() {
    let text = "//- src/rating.ts\nimport OpenAI from 'openai';\nimport ENTITY from './entities/ENTITY';\nconst openai = new OpenAI();\nexport async function generateRating(id: string) {\n  const found = await ENTITY.findById(id).populate('job');\n  const content = `Role: ${found?.job.title}, Text: ${found.answers.join('. ')}`;\n  const completion = await openai.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });\n  const reply = JSON.parse(completion.choices[0].message.content);\n  await ENTITY.findOneAndUpdate({ _id: id }, { rating: reply.rate });\n}\n//- src/entities/ENTITY.ts\nimport mongoose from 'mongoose';\nconst schema = new mongoose.Schema({ userId: String, answers: [String], rating: String });\nexport default mongoose.model('ENTITY', schema);\n";
    let with = |entity: &str, name: &str| text.replace("ENTITY", entity).replace("found", name);
    assert_eq!(
        raised(&with("JobApplication", "jobApplication")),
        [SignalKind::Employment]
    );
    // A meal, a product and a program are rated too.
    for (entity, name) in [("Meal", "meal"), ("Product", "product"), ("Application", "application")] {
        assert!(raised(&with(entity, name)).is_empty(), "{entity}");
    }
}

#[test]
fn pieces_that_one_builder_takes_are_one_prompt() {
    let text = "//- src/main/java/a/S.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiChatModel;\nclass S {\n  private final OpenAiChatModel model = OpenAiChatModel.builder().modelName(\"gpt-4.1\").build();\n  String ask(String text) {\n    StringBuilder prompt = new StringBuilder();\n    prompt.append(\"Give the score as a number. \");\n    prompt.append(\"Below stands the text of the SUBJECT. \").append(text);\n    return model.generate(prompt.toString());\n  }\n}\n";
    assert_eq!(raised(&text.replace("SUBJECT", "student")), [SignalKind::Education]);
    assert!(raised(&text.replace("SUBJECT", "game")).is_empty());
}

#[test]
fn what_is_read_back_from_a_record_is_what_was_put_there() {
    let text = "//- src/run.ts\nimport OpenAI from 'openai';\nimport { prisma } from './db';\nimport { rules } from './rules';\nconst c = new OpenAI();\nexport async function run(req: any, res: any) {\n  const level = rules(req.body.rows);\n  const summary = (await c.responses.create({ model: 'o3', input: 'Summarise the loan of the applicant, and recommend to approve or reject: ' + req.body.text })).output_text;\n  const kept = await prisma.analysis.create({ data: { riskLevel: VALUE, summary } });\n  res.json({ riskLevel: kept.riskLevel, summary: kept.summary });\n}\n//- src/rules.ts\nexport const rules = (rows: number[]) => (rows.length > 3 ? 'high' : 'low');\n//- src/db.ts\nimport { PrismaClient } from '@prisma/client';\nexport const prisma = new PrismaClient();\n";
    let credit = Some(PersonArea::Credit);
    assert_eq!(
        kinds(&text.replace("VALUE", "level")),
        [(StructureKind::PersonInput, credit)]
    );
    assert_eq!(
        kinds(&text.replace("VALUE", "summary")),
        [(StructureKind::PersonDecision, credit)]
    );
}

#[test]
fn documents_ranked_by_similarity_to_job_are_person_records() {
    let text = "//- app.py\nfrom sentence_transformers import SentenceTransformer, util\nmodel = SentenceTransformer('all-MiniLM-L6-v2')\ndef rank(NAMES, OTHER):\n    wanted = model.encode(OTHER)\n    out = []\n    for name, text in NAMES.items():\n        out.append((name, float(util.cos_sim(model.encode(text), wanted))))\n    return sorted(out, key=lambda pair: pair[1])\nrank(load(), input())\n";
    let with = |names: &str, other: &str| text.replace("NAMES", names).replace("OTHER", other);
    assert_eq!(raised(&with("resumes", "job_description")), [SignalKind::Employment]);
    for (names, other) in [
        ("recipes", "job_description"),
        ("resumes", "query"),
        ("pages", "question"),
    ] {
        assert!(raised(&with(names, other)).is_empty(), "{names} {other}");
    }
    let apart = with("resumes", "job_description")
        .replace("util.cos_sim(model.encode(text), wanted)", "len(model.encode(text))");
    assert!(raised(&apart).is_empty());
}

#[test]
fn a_camera_in_code_that_is_named_after_watching_exams_raises_the_question() {
    let text = "//- src/CLASS.py\nclass CLASS:\n    def add(self, n):\n        return n\n//- src/main.py\nimport mediapipe as mp\nfrom CLASS import CLASS\nmesh = mp.solutions.face_mesh.FaceMesh()\ndef FUNCTION(frame):\n    # proctoring of an exam for students\n    return CLASS().add(mesh.process(frame))\n";
    let with = |class: &str, function: &str| raised(&text.replace("CLASS", class).replace("FUNCTION", function));
    assert_eq!(with("CheatingProbability", "watch_exam"), [SignalKind::Education]);
    assert_eq!(with("ProctoringSession", "watch"), [SignalKind::Education]);
    assert!(with("CheatDetector", "watch_player").is_empty());
    assert!(with("Counter", "watch_exam").is_empty());
    let deaf = text
        .replace("CLASS", "ProctoringSession")
        .replace("mp.solutions.face_mesh.FaceMesh()", "open('x')");
    assert!(raised(&deaf).is_empty());
}

#[test]
fn classifier_result_about_person_is_found_under_any_name() {
    let tree = |one: &str, other: &str| {
        format!(
            "//- app.py\nimport pickle\nimport pandas as pd\nimport streamlit as st\nrow = {{'JobRole': st.selectbox('Job role', ('a', 'b')), 'YearsAtCompany': st.slider('Years', 0, 9), 'OverTime': st.selectbox('Overtime', ('Yes', 'No'))}}\nmodel = pickle.load(open('clf.pkl', 'rb'))\nfound = model.predict(pd.DataFrame(row, index=[0]))\nif found == 0:\n    {one}\nelse:\n    {other}\n"
        )
    };
    let decision = [(StructureKind::PersonDecision, Some(PersonArea::Employment))];
    let input = [(StructureKind::PersonInput, Some(PersonArea::Employment))];
    let said = tree(
        "st.write('The employee will stay with us')",
        "st.write('The employee is going to leave')",
    );
    assert_eq!(kinds(&said), decision);
    // A branch that tells of the program, and one that says nothing of the other class.
    assert_eq!(
        kinds(&tree("raise ValueError('no class was found at all')", "pass")),
        input
    );
    assert_eq!(
        kinds(&tree("st.write('The employee will stay with us')", "pass")),
        input
    );
    let given = |key: &str| {
        format!(
            "//- app.py\nimport pickle\nfrom fastapi import FastAPI\nfrom pydantic import BaseModel\napp = FastAPI()\nmodel = pickle.load(open('clf.pkl', 'rb'))\nclass Employee(BaseModel):\n    jobrole: str\n    years_at_company: int\n    overtime: str\n@app.post('/x')\ndef x(employee: Employee):\n    return {{'{key}': model.predict([[employee.jobrole, employee.years_at_company, employee.overtime]])[0]}}\n"
        )
    };
    assert_eq!(kinds(&given("prediction")), decision);
    assert_eq!(kinds(&given("version")), input);
}

#[test]
fn a_prompt_that_is_defined_and_asked_in_a_flow_is_read() {
    let tree = |prompt: &str| {
        format!(
            "//- src/ai.ts\nimport {{ genkit }} from 'genkit';\nimport {{ googleAI }} from '@genkit-ai/googleai';\nexport const ai = genkit({{ plugins: [googleAI()], model: 'googleai/gemini-2.5-flash' }});\n//- src/rank.ts\nimport {{ ai }} from './ai';\nconst prompt = ai.definePrompt({{ name: 'rank', prompt: `{prompt}` }});\nconst flow = ai.defineFlow({{ name: 'rankFlow' }}, async (input) => {{\n  const {{ output }} = await prompt(input);\n  return output;\n}});\nexport async function rankAll(input: string) {{\n  return flow(input);\n}}\n"
        )
    };
    let screened =
        tree("You are a recruitment assistant. Score the resume of the candidate for this job from 0 to 100.");
    assert_eq!(raised(&screened), [SignalKind::Employment]);
    let call = scan(&screened)
        .calls
        .into_iter()
        .find(|call| call.symbol.ends_with("definePrompt()"))
        .unwrap();
    assert_eq!(call.function.as_deref(), Some("rankAll"));
    assert!(raised(&tree("Write a friendly greeting in one sentence, please.")).is_empty());
}

#[test]
fn embeddings_and_vector_points_are_not_ratings() {
    let tree = |call: &str| {
        format!(
            "//- src/ingest.ts\nimport {{ GoogleGenAI }} from '@google/genai';\nimport {{ QdrantClient }} from '@qdrant/js-client-rest';\nconst genai = new GoogleGenAI({{}});\nconst qdrant = new QdrantClient({{ url: process.env.Q }});\nconst DOCUMENTS = [{{ url: 'a.pdf', description: 'Score the resume of the candidate for this job.' }}];\nexport async function run() {{\n  for (const doc of DOCUMENTS) {{\n    const answer = await genai.models.{call}({{ model: 'gemini-2.5-pro', contents: doc.description }});\n    await qdrant.upsert('all', {{ points: [answer] }});\n  }}\n}}\n"
        )
    };
    assert!(raised(&tree("embedContent")).is_empty());
    assert!(kinds(&tree("embedContent")).is_empty());
    assert_eq!(raised(&tree("generateContent")), [SignalKind::Employment]);
    assert_eq!(
        kinds(&tree("generateContent")),
        [(StructureKind::PersonInput, Some(PersonArea::Employment))]
    );
    assert_eq!(
        kinds(&tree("generateContent").replace(
            "qdrant.upsert('all', { points: [answer] })",
            "qdrant.upsert('all', { score: [answer] })"
        )),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
}

#[test]
fn awaited_group_results_are_kept_apart() {
    let decided = |text: &str| -> Vec<u32> {
        let result = scan(text);
        let decisions = result
            .structures
            .iter()
            .filter(|found| found.structure.kind == StructureKind::PersonDecision);
        decisions.map(|found| found.structure.line).collect()
    };
    let tree = |waited: &str, put: &str| {
        format!(
            "//- src/grade.ts\nimport OpenAI from 'openai';\nconst c = new OpenAI();\nasync function grade(text: string) {{\n  return c.responses.create({{ model: 'o3', instructions: 'Grade the essay of the student from 1 to 6.', input: text }});\n}}\nasync function check(text: string) {{\n  return c.responses.create({{ model: 'o3', instructions: 'Check the grammar in the essay of the student and grade it.', input: text }});\n}}\nexport async function both(row: any, text: string) {{\n  const [one, two] = await {waited};\n  {put}\n}}\n"
        )
    };
    for waited in [
        "Promise.all([grade(text), check(text)])",
        "Promise.allSettled([grade(text), check(text)])",
    ] {
        assert_eq!(decided(&tree(waited, "row.score = one.output_text;")), [4], "{waited}");
        assert_eq!(decided(&tree(waited, "row.score = two.output_text;")), [7], "{waited}");
    }
    // What is spread has no place of its own.
    let spread = "Promise.all([...more, grade(text), check(text)])";
    assert_eq!(decided(&tree(spread, "row.score = two.output_text;")), [4, 7]);
    assert!(
        decided(&tree(
            "Promise.all([grade(text), check(text)])",
            "console.warn('x', { score: one.output_text });"
        ))
        .is_empty()
    );
    let python = "//- grade.py\nimport asyncio\nfrom openai import AsyncOpenAI\nc = AsyncOpenAI()\nasync def grade(text):\n    return await c.responses.create(model='o3', instructions='Grade the essay of the student from 1 to 6.', input=text)\nasync def check(text):\n    return await c.responses.create(model='o3', instructions='Check the grammar in the essay of the student and grade it.', input=text)\nasync def both(row, text):\n    one, two = await asyncio.gather(grade(text), check(text))\n    row.score = two.output_text\n";
    assert_eq!(decided(python), [7]);
}
