//! Orders of people, and orders of what an answer is made of.

use engine_model::{PersonArea, StructureKind};

use super::tests::kinds;

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
