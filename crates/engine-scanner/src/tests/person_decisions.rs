//! Decisions about people: human approval, and reasons that count.

use engine_model::{FindingType, ObligationStatus, fixture};

use super::today;
use crate::scan_memory;

/// The kinds of findings of one check.
fn kinds(check: &str, text: &str) -> Vec<FindingType> {
    let evaluation = scan_memory(&fixture(text).unwrap(), &today());
    let findings = evaluation.findings.iter();
    findings
        .filter(|finding| finding.check_id == check)
        .map(|finding| finding.kind)
        .collect()
}

const SCREEN: &str = "//- package.json\n{\"dependencies\":{\"openai\":\"4.1.0\",\"express\":\"5.0.0\"}}\n\
    //- server/screen.js\nconst OpenAI = require('openai');\nconst client = new OpenAI();\n\
    exports.decide = async (req, res) => {\n  const { resumeText, jobDescription } = req.body;\n  const answer = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input: `${resumeText} for ${jobDescription}` });\n  const applicant = {};\n  if (answer.output_text === 'no') {\n    applicant.status = 'Rejected';\n  }\n  res.json(applicant);\n};\n\
    //- server/routes.js\nconst express = require('express');\nconst { decide } = require('./screen');\nconst router = express.Router();\nrouter.post('/:id/decide-all', decide);\nmodule.exports = router;\n";

#[test]
fn confirmation_page_leaves_oversight_open() {
    let page = |asks: &str, route: &str| {
        format!(
            "{SCREEN}//- web/Job.jsx\nexport default function Job({{ id }}) {{\n  const go = async () => {{\n    {asks}\n    await fetch(`/api/screening/${{id}}/{route}`, {{ method: 'POST' }});\n  }};\n  return <button onClick={{go}}>Go</button>;\n}}\n"
        )
    };
    let check = "l4-no-human-oversight";
    assert_eq!(kinds(check, SCREEN).len(), 1);
    assert_eq!(kinds(check, &page("", "decide-all")).len(), 1);
    let asks = "if (!window.confirm('Reject all others?')) return;";
    assert_eq!(kinds(check, &page(asks, "decide-all")), []);
    assert_eq!(kinds(check, &page(asks, "delete-all")).len(), 1);
}

#[test]
fn output_of_other_prompt_is_no_reason() {
    let app = |given: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n\
             @app.post('/apply')\ndef apply(resume_text: str, job_description: str):\n    \
             answer = client.responses.create(model='gpt-4.1-2025-04-14', input=resume_text + job_description).output_text\n    \
             why = client.responses.create(model='gpt-4.1-2025-04-14', input={given}).output_text\n    \
             verdict = 'Rejected' if answer == 'no' else 'Shortlisted'\n    \
             db.applications.update_one({{'status': verdict, 'feedback': why}})\n    return {{'status': verdict, 'feedback': why}}\n"
        )
    };
    // Whether Art. 86 binds is open: what is seen stands with the duty, and is no finding yet.
    let check = "l4-unexplained-decision";
    let evidenced = |given: &str| {
        let evaluation = scan_memory(&fixture(&app(given)).unwrap(), &today());
        let mut records = evaluation.systems.iter().flat_map(|system| &system.obligations);
        let record = records.find(|record| record.obligation_id == "OBL-120").unwrap();
        record.status == ObligationStatus::Evidenced
    };
    assert_eq!(kinds(check, &app("'Explain ' + answer")), []);
    assert!(evidenced("'Explain ' + answer"));
    assert!(!evidenced("'Say something kind to somebody'"));
}

#[test]
fn empty_verdict_list_is_no_decision() {
    let app = |condition: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- app.py\nimport json\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n\
             @app.post('/interview')\ndef finish(resume_text: str, job_description: str, applicant_id: str):\n    evaluations = []\n    \
             for question in QUESTIONS:\n        text = client.responses.create(model='gpt-4.1-2025-04-14', input=resume_text + job_description + question).output_text\n        \
             evaluations.append(json.loads(text))\n    \
             verdict = 'OPEN'\n    if {condition}:\n        verdict = 'Rejected'\n    return {{'status': verdict}}\n"
        )
    };
    let check = "l4-person-decision";
    assert_eq!(kinds(check, &app("evaluations[0]['score'] < 5")).len(), 1);
    assert!(kinds(check, &app("not evaluations")).is_empty());
}

/// A paper of an applicant that a model reads, with a page of the product.
fn papers(page: &str) -> (bool, bool) {
    let text = format!(
        "//- app.py\nfrom fastapi import FastAPI, UploadFile, Form\nfrom openai import OpenAI\n\napp = FastAPI()\nclient = OpenAI()\n\n\
         @app.post(\"/letter\")\ndef letter(resume: str = Form(...), job_description: str = Form(...)):\n    answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", \
         input=f\"Here is {{resume}} for {{job_description}}\")\n    return answer.output_text\n\
         //- web/index.html\n<html lang=\"en\"><body><h1>{page}</h1></body></html>\n"
    );
    let evaluation = scan_memory(&fixture(&text).unwrap(), &today());
    (
        evaluation
            .systems
            .iter()
            .flat_map(|system| &system.questions)
            .any(|question| question.id == "annex-iii-employment"),
        evaluation
            .findings
            .iter()
            .any(|finding| finding.check_id == "l4-unhandled-model-failure"),
    )
}

#[test]
fn improving_own_cv_is_no_selection() {
    // The question stays, and no finding hangs on it.
    assert_eq!(papers("Optimize your resume with AI"), (true, false));
    assert_eq!(papers("AI cover letter generator"), (true, false));
    // Who chooses, or who says nothing of the kind, is another matter.
    assert_eq!(papers("Rank the candidates. Optimize your resume page."), (true, true));
    assert_eq!(papers("Upload your resume to apply"), (true, true));
}

#[test]
fn agent_criteria_about_people_raise_question() {
    let asked = |told: &str| {
        let text = format!(
            "//- requirements.txt\ngoogle-adk==1.0.0\n//- agent.py\nfrom google.adk.agents import Agent\n\
             root_agent = Agent(model='gemini-2.5-flash', name='desk', instruction=\"\"\"{told}\"\"\")\n"
        );
        let evaluation = scan_memory(&fixture(&text).unwrap(), &today());
        let questions = evaluation.systems.into_iter().flat_map(|system| system.questions);
        questions
            .map(|question| question.id)
            .any(|id| id == "annex-iii-employment")
    };
    assert!(asked(
        "You assess candidates for our company.\nRate the candidate and provide a hiring recommendation."
    ));
    assert!(!asked(
        "You help people to plan a journey.\nRate the hotels and provide a recommendation."
    ));
}
