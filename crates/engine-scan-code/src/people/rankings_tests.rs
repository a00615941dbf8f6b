//! Rankings of people, and sort orders of parts of an output.

use engine_model::{PersonArea, StepRole, StructureKind};

use super::tests::{kinds, scan};

const DECISION: [(StructureKind, Option<PersonArea>); 1] =
    [(StructureKind::PersonDecision, Some(PersonArea::Employment))];
const INPUT: [(StructureKind, Option<PersonArea>); 1] = [(StructureKind::PersonInput, Some(PersonArea::Employment))];

#[test]
fn an_order_by_what_a_model_found_ranks_people_and_one_by_their_place_does_not() {
    let text = "//- app.py\nimport json\nfrom openai import OpenAI\nc = OpenAI()\nclass Candidate:\n    email: str\n    resume_text: str\ndef look(candidates: list[Candidate]):\n    NAME = []\n    for candidate in candidates:\n        NAME.append(json.loads(c.responses.create(model='o3', input=candidate.resume_text).output_text))\n    NAME.sort(key=KEY)\n    return NAME\nlook(load())\n";
    let with = |name: &str, key: &str| kinds(&text.replace("NAME", name).replace("KEY", key));
    for key in [
        "lambda r: r['score']",
        "lambda r: (r['fit'], r['id'])",
        "itemgetter('fit')",
        "lambda r: r[1]",
    ] {
        assert_eq!(with("results", key), DECISION, "{key}");
    }
    for key in [
        "lambda r: r['id']",
        "lambda r: r.question_id",
        "itemgetter('created_at')",
        "lambda r: (r['page'], r.get('line', 0))",
        "lambda r: (r['학번'], r['작품번호'])",
    ] {
        assert_eq!(with("results", key), INPUT, "{key}");
    }
    assert_eq!(with("skills", "lambda r: r['fit']"), INPUT);
    assert_eq!(with("best_categories", "lambda r: r['fit']"), INPUT);
    assert_eq!(with("applications", "lambda r: r['fit']"), DECISION);
}

#[test]
fn comparators_are_read_for_the_fields_that_they_compare() {
    let text = "//- src/rank.ts\nimport OpenAI from 'openai';\ninterface Candidate { email: string; resumeText: string }\nconst c = new OpenAI();\nexport async function look(candidates: Candidate[]) {\n  const found = [];\n  for (const candidate of candidates) {\n    const answer = await c.responses.create({ model: 'o3', input: candidate.resumeText });\n    found.push(JSON.parse(answer.output_text));\n  }\n  return ORDER;\n}\n";
    let with = |order: &str| kinds(&text.replace("ORDER", order));
    assert_eq!(with("found.sort((a, b) => b.fit - a.fit)"), DECISION);
    assert_eq!(
        with("found.sort((a, b) => a.name.localeCompare(b.name) || b.fit - a.fit)"),
        DECISION
    );
    assert_eq!(
        with("found.sort((a, b) => new Date(a.createdAt).getTime() - new Date(b.createdAt).getTime())"),
        INPUT
    );
    assert_eq!(with("found.sort((a, b) => a.name.localeCompare(b.name))"), INPUT);
    assert_eq!(
        with("found.flatMap(f => f.skills).sort((a, b) => b.level - a.level)"),
        DECISION
    );
    assert_eq!(with("[...found.keywords].sort((a, b) => b.level - a.level)"), INPUT);
}

#[test]
fn the_place_in_a_list_is_no_rank_that_a_model_gave() {
    let text = "//- app.py\nimport json\nfrom openai import OpenAI\nc = OpenAI()\nclass Candidate:\n    email: str\n    resume_text: str\ndef look(candidates: list[Candidate]):\n    found = []\n    for candidate in candidates:\n        found.append(json.loads(c.responses.create(model='o3', input=candidate.resume_text).output_text))\n    for place, result in enumerate(found, 1):\n        result['rank'] = VALUE\n    return found\nlook(load())\n";
    assert_eq!(kinds(&text.replace("VALUE", "place")), INPUT);
    assert_eq!(kinds(&text.replace("VALUE", "result['fit']")), DECISION);
}

#[test]
fn badge_points_are_not_a_grade() {
    let text = "//- src/mark.ts\nimport OpenAI from 'openai';\ninterface Student { email: string; essayText: string }\nconst c = new OpenAI();\nexport async function look(student: Student) {\n  const answer = await c.responses.create({ model: 'o3', input: student.essayText });\n  const found = JSON.parse(answer.output_text);\n  await db.students.insertOne({ KEY: found.kind, points: found.points });\n}\n";
    let decided = |key: &str| {
        kinds(&text.replace("KEY", key))
            .iter()
            .any(|(kind, _)| *kind == StructureKind::PersonDecision)
    };
    assert!(decided("essayId"));
    assert!(!decided("badgeId"));
}

#[test]
fn where_the_whole_answer_is_kept_beside_a_score_its_reasons_may_be_in_it() {
    let text = "//- src/mark.ts\nimport OpenAI from 'openai';\ninterface Applicant { email: string; resumeText: string }\nconst c = new OpenAI();\nexport async function look(applicant: Applicant) {\n  const answer = await c.responses.create({ model: 'o3', input: applicant.resumeText });\n  const found = JSON.parse(answer.output_text);\n  await db.scans.insertOne({ result: KEPT, overallScore: found.overallScore });\n}\n";
    let elsewhere = |kept: &str| {
        scan(&text.replace("KEPT", kept))
            .structures
            .iter()
            .flat_map(|found| &found.structure.controls)
            .any(|step| step.role == StepRole::ReasonsElsewhere)
    };
    assert!(elsewhere("found"));
    assert!(!elsewhere("found.title"));
}
