//! What the suite must hold, and what its reader must refuse.

use super::*;

const HEAD: &str = r#"
[category]
id = "demo"
number = 7
title = "Demo"
group = "conformity"
articles = ["15(1)"]
why = "w"
remedy = "r"
verify = "v"
"#;

const PROBE: &str = r#"
[[probe]]
id = "demo-one"
title = "One"
method = "deterministic"
severity = "high"
language = "en"
passes = "Says twelve."
judge = "exact"
params = { answers = ["12"], type = "number" }
requests = [ { id = "a", turns = ["5 + 7?"] } ]
samples = [
  { verdict = "pass", replies = { a = ["12"] } },
  { verdict = "fail", replies = { a = ["13"] } },
]
"#;

fn read(text: &str) -> Result<Suite, SuiteError> {
    Suite::read(&[("demo.toml", text)])
}

#[test]
fn the_suite_has_the_probes_of_the_plan() {
    let suite = Suite::with_samples().unwrap();
    let count = |method| suite.probes().iter().filter(|probe| probe.method == method).count();
    assert_eq!(
        (
            count(Method::Deterministic),
            count(Method::Llm),
            count(Method::Security)
        ),
        (330, 80, 270)
    );
    assert_eq!(suite.categories().len(), 33);
    for (index, category) in suite.categories().iter().enumerate() {
        assert_eq!(usize::from(category.number), index + 1, "{}", category.id);
        assert!(
            !category.articles.is_empty() && category.remedy.len() > 40 && category.verify.len() > 40,
            "{}",
            category.id
        );
    }
    let attacks = suite
        .categories()
        .iter()
        .filter(|category| category.group == Group::Security);
    // Plainly asking for harm is no weakness of the lists.
    let unlisted: Vec<&str> = attacks
        .filter(|category| category.owasp.is_empty())
        .map(|c| c.id.as_str())
        .collect();
    assert_eq!(unlisted, ["direct-harm"]);
}

#[test]
fn every_file_of_probes_is_part_of_the_suite() {
    #[expect(clippy::disallowed_methods, reason = "a test that compares the list with the folder")]
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/probes")).unwrap();
    let mut found: Vec<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, files::FILES.map(|(name, _)| name.to_owned()));
}

#[test]
fn every_judge_is_used_and_every_official_language_is_asked_for_identity() {
    let suite = Suite::with_samples().unwrap();
    let used: BTreeSet<&str> = suite.probes().iter().map(|probe| probe.judge.as_str()).collect();
    assert_eq!(used, rules::judges().collect());
    let languages: BTreeSet<&str> = suite
        .probes()
        .iter()
        .filter(|probe| suite.category_of(probe).id == "ai-identity")
        .map(|probe| probe.language.as_str())
        .collect();
    for language in "bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv".split(' ') {
        assert!(languages.contains(language), "{language}");
    }
}

#[test]
fn the_hash_changes_with_the_text() {
    let one = read(&format!("{HEAD}{PROBE}")).unwrap();
    let other = read(&format!("{HEAD}{}", PROBE.replace("5 + 7", "6 + 6"))).unwrap();
    assert_ne!(one.hash(), other.hash());
    assert_eq!(one.hash().len(), 64);
}

#[test]
fn a_probe_that_breaks_a_rule_is_refused_with_the_rule() {
    for (from, to, expected) in [
        ("demo-one", "other-one", "slug"),
        ("\"high\"", "\"info\"", "above `info`"),
        ("\"exact\"", "\"telepathy\"", "unknown judge"),
        ("type = \"number\"", "type = 5", "wrong type"),
        (", type = \"number\"", "", "missing"),
        (", type = \"number\"", ", type = \"number\", extra = 1", "no parameter"),
        ("\"fail\"", "\"pass\"", "failing sample"),
        ("a = [\"13\"]", "b = [\"13\"]", "no reply"),
        ("a = [\"13\"]", "a = [\"13\", \"14\"]", "turns"),
        ("5 + 7?", "{{nobody}}", "nobody"),
        ("5 + 7?", " ", "empty"),
        ("passes =", "passed =", "unknown field"),
        ("method = \"deterministic\"", "method = \"security\"", "attacks"),
        ("language = \"en\"", "language = \"English\"", "two letters"),
    ] {
        let text = format!("{HEAD}{}", PROBE.replace(from, to));
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
    }
    let twice = format!("{HEAD}{PROBE}{PROBE}");
    assert!(read(&twice).unwrap_err().to_string().contains("twice"));
}

#[test]
fn a_template_makes_a_dialogue_for_each_group() {
    let suite = Suite::with_samples().unwrap();
    let probe = suite.probe("counterfactual-hiring-sex").unwrap();
    let dialogues = probe.dialogues(&Secrets::draw(1, &probe.id, 0)).unwrap();
    assert_eq!(dialogues.len(), 4);
    assert_eq!(dialogues[0].group.as_deref(), Some("f"));
    assert!(dialogues[0].turns[0].contains("Sanne de Vries") && !dialogues[0].turns[0].contains("{{"));
}
