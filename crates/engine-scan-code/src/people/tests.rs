//! Records about people in several languages, and words that must raise nothing.

use engine_model::{MemoryTree, PersonArea, StepRole, StructureKind, fixture};

use crate::{CodeJoin, ManifestNames, SignalKind, join, read};

pub(super) fn scan(text: &str) -> CodeJoin {
    let tree: MemoryTree = fixture(text).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, &ManifestNames::default(), &tree)
}

pub(super) fn kinds(text: &str) -> Vec<(StructureKind, Option<PersonArea>)> {
    scan(text)
        .structures
        .iter()
        .map(|found| (found.structure.kind, found.structure.area))
        .collect()
}

#[test]
fn records_in_typed_languages_are_followed_into_the_call_and_out_of_it() {
    let java = "//- src/main/java/a/Screening.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiChatModel;\nclass Applicant { private String email; private String coverLetter; private String status; String getCoverLetter() { return coverLetter; } void setStatus(String s) { status = s; } }\nclass Screening {\n  private final OpenAiChatModel model = OpenAiChatModel.builder().modelName(\"gpt-4.1\").build();\n  String screen(Applicant applicant) {\n    String answer = model.generate(applicant.getCoverLetter());\n    if (answer.startsWith(\"yes\")) {\n      return \"shortlisted\";\n    }\n    return \"rejected\";\n  }\n}\n";
    assert_eq!(
        kinds(java),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    let csharp = "//- Screening.cs\nusing OpenAI.Chat;\npublic class LoanApplication { public decimal LoanAmount { get; set; } public string CreditHistory { get; set; } public string Status { get; set; } }\npublic class Screening {\n  private readonly ChatClient client = new ChatClient(\"gpt-4.1\", \"key\");\n  public void Decide(LoanApplication application) {\n    var answer = client.CompleteChat($\"{application.LoanAmount} {application.CreditHistory}\");\n    application.Status = answer.Value.Content[0].Text == \"yes\" ? \"approved\" : \"declined\";\n  }\n}\n";
    assert_eq!(
        kinds(csharp),
        [(StructureKind::PersonDecision, Some(PersonArea::Credit))]
    );
    let go = "//- main.go\npackage main\nimport openai \"github.com/sashabaranov/go-openai\"\ntype Student struct {\n\tEmail string\n\tEssay string\n\tGrade string\n}\nfunc grade(c *openai.Client, student *Student) error {\n\tr, err := c.CreateChatCompletion(nil, openai.ChatCompletionRequest{Model: openai.GPT4o, Messages: []openai.ChatCompletionMessage{{Content: student.Essay}}})\n\tif err != nil {\n\t\treturn err\n\t}\n\tstudent.Grade = r.Choices[0].Message.Content\n\treturn nil\n}\n";
    assert_eq!(
        kinds(go),
        [(StructureKind::PersonDecision, Some(PersonArea::Education))]
    );
}

#[test]
fn every_step_has_its_place() {
    let result = scan(
        "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef rank(candidates):\n    for candidate in candidates:\n        candidate.score = c.responses.create(model='o3', input=candidate.cv_text).output_text\n    return sorted(candidates, key=lambda x: x.score)\nrank(load())\n",
    );
    let structure = &result.structures[0].structure;
    let places: Vec<(StepRole, u32)> = structure.steps.iter().map(|step| (step.role, step.line)).collect();
    assert!(places.contains(&(StepRole::Input, 5)), "{places:?}");
    assert!(places.contains(&(StepRole::Stored, 5)), "{places:?}");
}

#[test]
fn a_form_that_is_taken_as_a_whole_has_the_fields_of_its_page() {
    let text = "//- app.py\nimport pickle\nfrom flask import Flask, render_template, request\napp = Flask(__name__)\nmodel = pickle.load(open('m.pkl', 'rb'))\n@app.route('/predict', methods=['POST'])\ndef predict():\n    row = [float(x) for x in request.form.values()]\n    output = 'Approved' if model.predict([row])[0] == 1 else 'Rejected'\n    return render_template('index.html', text=output)\n//- templates/index.html\n<form><input name=\"ApplicantIncome\"><input name=\"LoanAmount\"></form>\n";
    assert_eq!(kinds(text), [(StructureKind::PersonDecision, Some(PersonArea::Credit))]);
    assert!(kinds(&text.replace("LoanAmount", "length").replace("ApplicantIncome", "width")).is_empty());
}

#[test]
fn a_record_that_is_turned_into_a_map_hands_over_all_its_fields() {
    let text = "//- app/main.py\nfrom fastapi import FastAPI\nfrom app.model import probability\nfrom app.schemas import CreditRequest\napp = FastAPI()\n@app.post('/predict')\ndef predict(request: CreditRequest):\n    features = request.model_dump()\n    decision = 'declined' if probability(features) > 0.4 else 'approved'\n    return {'decision': decision}\n//- app/model.py\nimport joblib\nimport pandas as pd\nmodel = joblib.load('model.pkl')\ndef probability(features):\n    df = pd.DataFrame([features])\n    return float(model.predict_proba(df)[0][1])\n//- app/schemas.py\nfrom pydantic import BaseModel, Field\nclass CreditRequest(BaseModel):\n    income: float = Field(gt=0)\n    fico: float = Field(ge=300)\n    loan_amount: float\n    debt: float\n";
    assert_eq!(kinds(text), [(StructureKind::PersonDecision, Some(PersonArea::Credit))]);
    for dump in ["asdict(request)", "request.__dict__", "vars(request)", "request.dict()"] {
        let other = text.replace("request.model_dump()", dump);
        assert_eq!(kinds(&other).len(), 1, "{dump}");
    }
    let of_things = text
        .replace("income", "width")
        .replace("fico", "height")
        .replace("loan_amount", "depth")
        .replace("debt", "weight");
    assert!(kinds(&of_things).is_empty());
}

#[test]
fn words_alone_raise_nothing() {
    for body in [
        "# candidate, applicant, loan, suspect\n    return c.responses.create(model='o3', input=text)",
        "candidate = text\n    return c.responses.create(model='o3', input=candidate)",
        "score = grade = credit = benefit = visa = emergency = text\n    return c.responses.create(model='o3', input=[score, grade, credit, benefit, visa, emergency])",
        "resume = text\n    return c.responses.create(model='o3', input=text, resume=resume)",
        "card = load(text)\n    return c.responses.create(model='o3', input=[card.visa, card.number, account.credit, plan.benefits])",
        "best = max(response.candidates, key=lambda candidate: candidate.score)\n    return c.responses.create(model='o3', input=best.content)",
    ] {
        let text = format!(
            "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef ask(text):\n    {body}\nask(input())\n//- docs/a.md\n# Applicants are rejected\n"
        );
        let result = scan(&text);
        assert!(result.signals.is_empty(), "{body}: {:?}", result.signals);
        assert!(result.structures.is_empty(), "{body}: {:?}", result.structures);
    }
}

#[test]
fn a_prompt_alone_raises_a_question_and_a_field_that_keeps_its_verdict_a_structure() {
    let prompt = "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef ask(text):\n    answer = c.responses.create(model='o3', input='Screen the resume of the applicant for the job: ' + text)\n    BODY\nask(input())\n";
    let shown = scan(&prompt.replace("BODY", "return answer.output_text"));
    let raised: Vec<(SignalKind, u32)> = shown.signals.iter().map(|signal| (signal.kind, signal.line)).collect();
    assert_eq!(raised, [(SignalKind::Employment, 4)]);
    assert!(
        shown
            .structures
            .iter()
            .all(|found| found.structure.kind == StructureKind::PersonInput)
    );
    // A branch may be about the answer itself.
    let branch = scan(&prompt.replace("BODY", "if answer.output_text == 'x':\n        return 'rejected'"));
    assert!(
        branch
            .structures
            .iter()
            .all(|found| found.structure.kind == StructureKind::PersonInput)
    );
    assert_eq!(
        kinds(&prompt.replace("BODY", "row.rejected = answer.output_text")),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    assert!(
        scan(&prompt.replace("BODY", "return answer").replace("Screen", "Translate"))
            .signals
            .is_empty()
    );
}

#[test]
fn records_in_tests_are_nobody() {
    let result = scan(
        "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef ask(text):\n    return c.responses.create(model='o3', input=text)\n//- tests/test_app.py\nfrom app import ask\ndef test_ask():\n    assert ask(candidate.cv_text + candidate.cover_letter) == 'rejected'\n",
    );
    assert!(result.signals.is_empty(), "{:?}", result.signals);
}

#[test]
fn practices_are_raised_by_fields_and_where_the_answer_goes() {
    let signals = |text: &str| -> Vec<SignalKind> {
        let mut kinds: Vec<SignalKind> = scan(text).signals.iter().map(|signal| signal.kind).collect();
        kinds.dedup();
        kinds
    };
    let scoring = "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef rate(citizen):\n    citizen.social_score = c.responses.create(model='o3', input=citizen.posts).output_text\n    db.session.add(citizen)\nrate(load())\n";
    assert_eq!(signals(scoring), [SignalKind::SocialScoring]);
    let crime = "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef assess(suspect):\n    return c.responses.create(model='o3', input=[suspect.prior_arrests, suspect.nationality, suspect.religion])\nassess(load())\n";
    assert_eq!(
        signals(crime),
        [SignalKind::LawEnforcement, SignalKind::CrimePrediction]
    );
    let sale = "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef offer(customer):\n    text = c.responses.create(model='o3', input=customer.gambling_losses).output_text\n    send_email(customer.email, text)\noffer(load())\n";
    assert_eq!(signals(sale), [SignalKind::Vulnerability]);
}

#[test]
fn answers_that_reach_a_controller_raise_the_question_of_infrastructure() {
    let result = scan(
        "//- plant.py\nfrom openai import OpenAI\nfrom pymodbus.client import ModbusTcpClient\nc = OpenAI()\nplc = ModbusTcpClient('10.0.0.5')\nvalue = c.responses.create(model='o3', input=input()).output_text\nplc.write_register(40, int(value))\n",
    );
    assert!(
        result
            .signals
            .iter()
            .any(|signal| signal.kind == SignalKind::Infrastructure),
        "{:?}",
        result.signals
    );
}

#[test]
fn a_wrapper_of_many_does_not_join_the_data_of_one_with_the_answer_of_another() {
    let text = "//- llm.py\nfrom openai import OpenAI\nc = OpenAI()\ndef complete(text):\n    return c.responses.create(model='o3', input=text).output_text\n//- letters.py\nfrom llm import complete\ndef letter(candidate):\n    return complete(candidate.cover_letter)\nletter(load())\n//- judge.py\nfrom llm import complete\ndef judge(page):\n    page.score = complete(page.text)\njudge(load())\n";
    assert_eq!(
        kinds(text),
        [(StructureKind::PersonInput, Some(PersonArea::Employment))]
    );
    // What one caller gives, and what becomes of its own answer, belong together.
    let same = text.replace(
        "    return complete(candidate.cover_letter)",
        "    candidate.rating = complete(candidate.cover_letter)",
    );
    assert_eq!(
        kinds(&same),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    // Way by way: a caller asks, and who called it keeps the answer in another file.
    let above = format!(
        "{}//- store.py\nfrom letters import letter\ndef keep(candidate):\n    candidate.verdict = letter(candidate)\nkeep(load())\n",
        text.replace("letter(load())\n", "")
    );
    assert_eq!(
        kinds(&above),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    let more = format!("{text}//- more.py\nfrom llm import complete\nprint(complete('a'))\nprint(complete('b'))\n");
    assert_eq!(
        kinds(&more),
        [(StructureKind::PersonInput, Some(PersonArea::Employment))]
    );
}

#[test]
fn an_answer_that_is_handed_on_whole_holds_the_verdict_that_the_prompt_asks_for() {
    let of = |file: &str, key: &str, back: &str| {
        kinds(&format!(
            "//- {file}\nimport json\nfrom flask import Flask, request, jsonify\nfrom openai import OpenAI\napp = Flask(__name__)\nc = OpenAI()\n@app.post('/screen')\ndef screen():\n    resume_text = request.files['resume'].read()\n    prompt = f'Compare this resume with the job description. Return JSON: {{{{\"{key}\": 75}}}} {{resume_text}}'\n    answer = c.responses.create(model='o3', input=prompt).output_text\n    {back}\n"
        ))
    };
    let whole = "return jsonify(json.loads(answer))";
    let decides = [(StructureKind::PersonDecision, Some(PersonArea::Employment))];
    let input = [(StructureKind::PersonInput, Some(PersonArea::Employment))];
    assert_eq!(of("app.py", "overallScore", whole), decides);
    // A state of the request, an answer that nobody is handed, and help for those whose paper it is.
    assert_eq!(of("app.py", "status", whole), input);
    assert_eq!(of("app.py", "overallScore", "print(answer)"), input);
    assert_eq!(of("resume_rewrite.py", "overallScore", whole), input);
}

#[test]
fn the_title_of_a_service_says_what_its_scores_are_about() {
    let of = |title: &str, named: &str| -> Vec<SignalKind> {
        let text = format!(
            "//- app.py\nimport joblib\nfrom fastapi import FastAPI\napp = FastAPI(title='{title}')\nmodel = joblib.load('model.joblib')\n@app.get('/predict/{{key}}')\ndef predict(key: int):\n    score = model.predict_proba(load(key))[0, 1]\n    return {{'{named}': key, 'score': float(score)}}\n"
        );
        let mut kinds: Vec<SignalKind> = scan(&text).signals.iter().map(|signal| signal.kind).collect();
        kinds.dedup();
        kinds
    };
    assert_eq!(of("Credit Scoring API", "client_id"), [SignalKind::Credit]);
    assert!(of("Credit Scoring API", "machine_id").is_empty());
    assert!(of("Stock Forecast API", "client_id").is_empty());
}

#[test]
fn what_trials_of_a_model_keep_is_about_the_model() {
    let of = |file: &str, above: &str| {
        kinds(&format!(
            "//- llm.py\nfrom openai import OpenAI\nc = OpenAI()\ndef judge(candidate):\n    return c.responses.create(model='o3', input=candidate.cover_letter).output_text\n//- {file}\nfrom llm import judge\ndef run(case, candidate):\n    case.score = judge(candidate)\nrun(load(), load())\n{above}"
        ))
    };
    let decides = [(StructureKind::PersonDecision, Some(PersonArea::Employment))];
    assert_eq!(of("hire.py", ""), decides);
    // Where nothing else follows, it is told all the same.
    assert_eq!(of("ai_eval.py", ""), decides);
}

#[test]
fn how_near_a_passage_is_to_a_question_is_no_verdict() {
    let of = |owner: &str| {
        kinds(&format!(
            "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef rank(candidate, {owner}):\n    {owner}['score'] = float(c.responses.create(model='o3', input=candidate.cover_letter).output_text)\n    return {owner}\nrank(load(), load())\n"
        ))
    };
    assert_eq!(of("doc"), [(StructureKind::PersonInput, Some(PersonArea::Employment))]);
    assert_eq!(
        of("applicant"),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
}

#[test]
fn work_beside_a_rubric_raises_a_question_and_words_for_other_things_do_not() {
    let signals = |text: &str| -> Vec<SignalKind> {
        let mut kinds: Vec<SignalKind> = scan(text).signals.iter().map(|signal| signal.kind).collect();
        kinds.dedup();
        kinds
    };
    let exam = "//- app.py\nimport openai\ndef ask(**settings):\n    return openai.chat.completions.create(**settings)\ndef grade_exam(rubric, questions, responses):\n    prompt = f'{rubric} {questions} {responses}'\n    return ask(model='gpt-4.1', messages=[{'role': 'user', 'content': prompt}])\ngrade_exam(open('r').read(), open('q').read(), open('a').read())\n";
    assert_eq!(signals(exam), [SignalKind::Education]);
    let named = "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef run(rubric_md, student_response_md):\n    return c.responses.create(model='o3', input=rubric_md + student_response_md)\nrun(open('r').read(), open('s').read())\n";
    assert_eq!(signals(named), [SignalKind::Education]);
    let typed = "//- src/grade.ts\nimport OpenAI from 'openai';\ninterface GradingQuestion { id: string; studentAnswer: string; correctAnswer: string }\nconst c = new OpenAI();\nexport async function grade(questions: GradingQuestion[]) {\n  return (await c.responses.create({ model: 'o3', input: JSON.stringify({ questions }) })).output_text;\n}\n";
    assert_eq!(signals(typed), [SignalKind::Education]);
    for other in [
        // A model that judges the answers of another model.
        "def judge(rubric, response):\n    return c.responses.create(model='o3', input=f'{rubric} {response}')\njudge(load(), load())",
        "def evaluate_answer(question, answer, rubric):\n    return c.responses.create(model='o3', input=[question, answer, rubric])\nevaluate_answer(load(), load(), load())",
        // Eggs are graded, games are scored, authors are credited, and a model has a score.
        "def grade_eggs(eggs, rubric):\n    return c.responses.create(model='o3', input=[eggs, rubric])\ngrade_eggs(load(), load())",
        "def score_game(player_answers, answer_key):\n    return c.responses.create(model='o3', input=[player_answers, answer_key])\nscore_game(load(), load())",
        "def thank(credits, authors):\n    return c.responses.create(model='o3', input=[credits, authors])\nthank(load(), load())",
        "def report(model_score, metrics):\n    return c.responses.create(model='o3', input=[model_score, metrics])\nreport(load(), load())",
        // A quiz that gives grades by arithmetic, with a model that writes a greeting.
        "def grade_exam(answers, rubric):\n    return sum(1 for a, b in zip(answers, rubric) if a == b)\ndef greet(name):\n    return c.responses.create(model='o3', input=name)\nprint(grade_exam(load(), load()), greet('x'))",
    ] {
        let text = format!("//- app.py\nfrom openai import OpenAI\nc = OpenAI()\n{other}\n");
        assert_eq!(signals(&text), [], "{other}");
    }
}

#[test]
fn a_setter_keeps_a_verdict_and_one_of_a_reply_does_not() {
    let text = "//- src/main/java/a/S.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiChatModel;\nclass Applicant { String resumeText; String email; }\nclass S {\n  private final OpenAiChatModel model = OpenAiChatModel.builder().modelName(\"gpt-4.1\").build();\n  void screen(Applicant applicant, Result result) {\n    String text = model.generate(applicant.resumeText);\n    result.setRecommendation(text);\n  }\n}\n";
    assert_eq!(
        kinds(text),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    for other in ["result.setTitle(text)", "response.setStatus(text)"] {
        let text = text.replace("result.setRecommendation(text)", other);
        assert_eq!(
            kinds(&text),
            [(StructureKind::PersonInput, Some(PersonArea::Employment))]
        );
    }
}

#[test]
fn a_prompt_in_a_file_of_its_own_is_followed_into_the_call() {
    let order = "You are a recruiter.\n\nScore the candidate's interview from 0 to 100.\n";
    let python = "//- app/ask.py\nfrom pathlib import Path\nfrom openai import OpenAI\nc = OpenAI()\nPROMPT = Path(__file__).parent.joinpath('prompts/screen.txt').read_text()\ndef rate(text):\n    return c.responses.create(model='o3', instructions=PROMPT, input=text).output_text\n";
    let opened = "//- app/ask.py\nfrom openai import OpenAI\nc = OpenAI()\ndef rate(text):\n    with open('app/prompts/screen.txt') as f:\n        order = f.read()\n    return c.responses.create(model='o3', instructions=order, input=text).output_text\n";
    let script = "//- app/ask.ts\nimport fs from 'fs';\nimport path from 'path';\nimport OpenAI from 'openai';\nconst c = new OpenAI();\nconst order = fs.readFileSync(path.join(__dirname, 'prompts', 'screen.txt'), 'utf8');\nexport const rate = (text: string) => c.responses.create({ model: 'o3', instructions: order, input: text });\n";
    let go = "//- app/main.go\npackage main\nimport (\n\t\"os\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\nfunc rate(c *openai.Client, text string) {\n\torder, _ := os.ReadFile(\"prompts/screen.txt\")\n\tc.CreateChatCompletion(nil, openai.ChatCompletionRequest{Model: openai.GPT4o, Messages: []openai.ChatCompletionMessage{{Content: string(order)}, {Content: text}}})\n}\n";
    for code in [python, opened, script, go] {
        let with = |text: &str| format!("{code}//- app/prompts/screen.txt\n{text}");
        let raised: Vec<Option<PersonArea>> = kinds(&with(order)).into_iter().map(|(_, area)| area).collect();
        assert_eq!(raised, [Some(PersonArea::Employment)], "{code}");
        assert!(kinds(&with("Answer in one friendly sentence, and ask for what is missing.\n")).is_empty());
        // A file that the code does not read orders nothing.
        assert!(kinds(&format!("{code}//- app/prompts/other.txt\n{order}")).is_empty());
    }
    let found = scan(&format!("{python}//- app/prompts/screen.txt\n{order}"));
    let record = &found.structures[0].structure.steps[0];
    assert_eq!((record.file.as_str(), record.line), ("app/prompts/screen.txt", 3));
}

#[test]
fn of_a_tuple_only_the_part_that_is_taken_out_counts() {
    let tree = |field: &str| {
        format!(
            "//- app.py\nfrom openai import OpenAI\nc = OpenAI()\ndef justify(rows):\n    out = []\n    for candidate in rows:\n        answer = c.responses.create(model='o3', input=candidate['resume_text'] + candidate['email']).output_text\n        out.append((candidate['id'], candidate['similarity'], answer))\n    return out\ndef refresh(db):\n    for id, score, words in justify(db.fetch()):\n        candidate = db.load(id)\n        candidate.score = {field}\n"
        )
    };
    assert_eq!(
        kinds(&tree("words")),
        [(StructureKind::PersonDecision, Some(PersonArea::Employment))]
    );
    assert_eq!(
        kinds(&tree("score")),
        [(StructureKind::PersonInput, Some(PersonArea::Employment))]
    );
}

#[test]
fn an_answer_that_is_handed_out_as_a_verdict_on_people_raises_the_question() {
    let tree = |reply: &str, beside: &str| {
        format!(
            "//- model.py\nimport joblib\nmodel = joblib.load('m.joblib')\ndef predict(row):\n    if row is None:\n        return 0.0, 'error'\n    value = float(model.predict_proba(row)[0, 1])\n    return value, 'low'\n//- app.py\nfrom fastapi import FastAPI\nfrom model import predict\napp = FastAPI()\n@app.post('/x')\ndef rate(body: dict):\n    value, level = predict(load(body))\n    return {reply}({beside}=body['id'], score=value, level=level)\n"
        )
    };
    let raised = |text: &str| -> Vec<SignalKind> { scan(text).signals.iter().map(|signal| signal.kind).collect() };
    assert_eq!(
        raised(&tree("CreditScoreResponse", "applicant_id")),
        [SignalKind::from(PersonArea::Credit)]
    );
    for (reply, beside) in [
        ("CreditScoreResponse", "company_id"),
        ("PageScoreResponse", "applicant_id"),
    ] {
        assert!(raised(&tree(reply, beside)).is_empty(), "{reply} {beside}");
    }
}

#[test]
fn exam_question_with_rubric_is_not_a_person_record() {
    let tree = |fields: &str| {
        format!(
            "//- src/refine.ts\nimport OpenAI from 'openai';\ninterface Question {{ examId: string; questionText: string; rubric: string; {fields}}}\nconst c = new OpenAI();\nexport async function analyse(question: Question) {{\n  const answer = await c.responses.create({{ model: 'o3', input: JSON.stringify({{ question }}) }});\n  return {{ recommendation: JSON.parse(answer.output_text).recommendation }};\n}}\n"
        )
    };
    assert!(kinds(&tree("")).is_empty(), "{:?}", kinds(&tree("")));
    assert!(!kinds(&tree("studentAnswer: string; ")).is_empty());
}
