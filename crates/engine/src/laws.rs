//! Laws that hold for every project: fixing never lowers, order tells nothing, a simulation equals the scan of the repaired
//! tree, and a finding keeps its id when what it is about stays.

#![expect(clippy::format_push_string, reason = "generated code reads best piece by piece")]

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Date, Finding, FindingType, MemoryTree, Score};
use engine_regulation::regulation;
use engine_scanner::{Evaluation, Role, ScanInput, Settings, scan_memory};
use proptest::prelude::*;

use crate::scan::score;

fn settings(role: Option<Role>) -> Settings {
    let mut settings = Settings::on(Date::constant(2028, 8, 2));
    settings.role = role;
    settings
}

fn ids(evaluation: &Evaluation) -> BTreeSet<String> {
    evaluation.findings.iter().map(|finding| finding.id.clone()).collect()
}

/// What could be fixed: gaps, and gaps of duties that are not certain.
fn open(evaluation: &Evaluation) -> BTreeSet<String> {
    let open = evaluation
        .findings
        .iter()
        .filter(|finding| finding.kind != FindingType::Pass);
    open.map(|finding| finding.id.clone()).collect()
}

/// Every obligation of every system with how it stands.
fn standing(evaluation: &Evaluation) -> BTreeMap<(String, String), String> {
    evaluation
        .systems
        .iter()
        .flat_map(|system| {
            system.obligations.iter().map(|record| {
                let key = (system.id.clone(), record.obligation_id.clone());
                (key, format!("{:?} {:?}", record.applies, record.status))
            })
        })
        .collect()
}

/// The numbers that a person reads; counts of checks are no part of a prediction.
fn numbers(score: &Score) -> (f64, f64, f64, Option<f64>, Option<String>, Vec<f64>) {
    (
        score.compliance,
        score.readiness,
        score.coverage,
        score.security,
        score.grade.clone(),
        score.caps.iter().map(|cap| cap.cap).collect(),
    )
}

/// A document of a kind with something in every required section, or with something in the first alone.
fn document(kind: &str, whole: bool) -> String {
    let document = regulation().document(kind).unwrap();
    let mut text = format!("# {}\n\n", document.title);
    for (index, section) in document.sections.iter().filter(|section| section.required).enumerate() {
        text.push_str(&format!("## {}\n\n", section.title));
        if whole || index == 0 {
            text.push_str(&format!(
                "For {} the team of the help desk decided on 2028-03-14 what holds: Maria Lindqvist answers for it, twelve \
                 cases were tried, three of them failed, and each failure was mended and tried again within nine days. \
                 The next review is on 2028-12-01; the figures lie in the folder of the team, sheet four.\n\n",
                section.title.to_lowercase()
            ));
        }
    }
    text
}

/// A small service with its shortcomings.
#[expect(clippy::struct_excessive_bools, reason = "each field is a separate shortcoming")]
#[derive(Clone, Debug, PartialEq, Eq)]
struct Service {
    handled: bool,
    logged: bool,
    disclosed: bool,
    marked: bool,
    pinned: bool,
    key_in_code: bool,
    /// Per kind of [`KINDS`]: absent, begun, whole.
    documents: [u8; 4],
}

const KINDS: [&str; 4] = [
    "transparency-notice",
    "ai-usage-policy",
    "risk-management-file",
    "content-marking-spec",
];

impl Service {
    fn tree(&self) -> MemoryTree {
        let mut code = String::from(
            "import logging\nimport os\n\nfrom fastapi import FastAPI, HTTPException\nfrom openai import OpenAI, OpenAIError\n\n\
             app = FastAPI()\nlog = logging.getLogger(__name__)\n",
        );
        code.push_str(&if self.key_in_code {
            let key = engine_sample_key();
            format!("client = OpenAI(api_key=\"{key}\")\n")
        } else {
            "client = OpenAI(api_key=os.environ[\"OPENAI_API_KEY\"])\n".to_owned()
        });
        let model = if self.pinned { "gpt-4.1-2025-04-14" } else { "gpt-4.1" };
        let call = format!("answer = client.responses.create(model=\"{model}\", input=message)\n");
        code.push_str("\n\n@app.post(\"/chat\")\ndef chat(message: str):\n");
        if self.handled {
            code.push_str(&format!(
                "    try:\n        {call}    except OpenAIError as error:\n        log.warning(\"failed: %s\", error)\n        \
                 raise HTTPException(status_code=502) from error\n"
            ));
        } else {
            code.push_str(&format!("    {call}"));
        }
        if self.logged {
            code.push_str("    log.info(\"model call %s %s\", answer.id, answer.model)\n");
        }
        code.push_str(if self.disclosed {
            "    return {\"answer\": answer.output_text, \"notice\": \"You are talking to an AI system.\"}\n"
        } else {
            "    return {\"answer\": answer.output_text}\n"
        });
        code.push_str("\n\n@app.post(\"/picture\")\ndef picture(prompt: str):\n    image = client.images.generate(model=\"dall-e-2\", prompt=prompt)\n");
        code.push_str(if self.marked {
            "    return {\"url\": image.data[0].url, \"ai_generated\": True}\n"
        } else {
            "    return {\"url\": image.data[0].url}\n"
        });
        let mut tree = MemoryTree::default();
        tree.insert("app.py", code);
        tree.insert("requirements.txt", "fastapi==0.118.0\nopenai==2.1.0\n");
        tree.insert(
            "templates/index.html",
            "<!doctype html>\n<html lang=\"en\">\n<head><title>Desk</title></head>\n<body><h1>Ask our desk</h1><form><label>Question <input name=\"message\"></label></form></body>\n</html>\n",
        );
        for (kind, state) in KINDS.iter().zip(self.documents) {
            if state > 0 {
                tree.insert(format!("docs/{kind}.md"), document(kind, state > 1));
            }
        }
        tree
    }

    /// The same service with some of its shortcomings mended.
    fn mended(&self, mends: u16) -> Self {
        let mend = |bit: u32, now: bool| now || mends >> bit & 1 == 1;
        let mut documents = self.documents;
        for (bit, state) in (6..).zip(&mut documents) {
            if mends >> bit & 1 == 1 {
                *state = 2;
            }
        }
        Self {
            handled: mend(0, self.handled),
            logged: mend(1, self.logged),
            disclosed: mend(2, self.disclosed),
            marked: mend(3, self.marked),
            pinned: mend(4, self.pinned),
            key_in_code: self.key_in_code && mends >> 5 & 1 == 0,
            documents,
        }
    }
}

/// A made-up key, put together here so that no scanner takes this file for a leak.
fn engine_sample_key() -> String {
    let body: String = (0..93u32)
        .map(|n| char::from(b"Qw3ErT7yUi9OpAs2DfG5hJk8LzXcV4bN6mB1v"[(n * n + 7 * n) as usize % 37]))
        .collect();
    ["sk-", "ant-", "api03-", &body, "AA"].concat()
}

fn services() -> impl Strategy<Value = Service> {
    (any::<[bool; 6]>(), [0u8..3, 0u8..3, 0u8..3, 0u8..3]).prop_map(|(flags, documents)| Service {
        handled: flags[0],
        logged: flags[1],
        disclosed: flags[2],
        marked: flags[3],
        pinned: flags[4],
        key_in_code: flags[5],
        documents,
    })
}

fn roles() -> impl Strategy<Value = Option<Role>> {
    prop_oneof![
        Just(None),
        Just(Some(Role::Provider)),
        Just(Some(Role::Deployer)),
        Just(Some(Role::Both))
    ]
}

fn resolving(tree: &MemoryTree, base: &Settings, resolved: BTreeSet<String>) -> Evaluation {
    let settings = Settings {
        resolved,
        ..base.clone()
    };
    scan_memory(tree, &settings)
}

/// The mends that a finding asks for, as bits of [`Service::mended`].
fn asked(service: &Service, before: &Evaluation) -> u16 {
    const CHECKS: [&str; 6] = [
        "l4-unhandled-model-failure",
        "l4-unlogged-model-call",
        "l4-undisclosed-interaction",
        "l4-unmarked-synthetic-content",
        "l4-floating-model",
        "secret-ai-key",
    ];
    let open = || before.findings.iter().filter(|f| f.kind != FindingType::Pass);
    let code = CHECKS.map(|check| open().any(|f| f.check_id == check));
    let papers = KINDS.iter().zip(service.documents).map(|(kind, state)| {
        let file = format!("docs/{kind}.md");
        let title = regulation().document(kind).unwrap().title.to_lowercase();
        open().any(|f| match state {
            0 => f.check_id == "l1-missing-document" && f.message.contains(&title),
            _ => f.check_id.starts_with("l2-incomplete-") && f.file.as_deref() == Some(&file),
        })
    });
    code.into_iter()
        .chain(papers)
        .zip(0..)
        .map(|(asked, bit)| u16::from(asked) << bit)
        .sum()
}

/// The gaps of one tree that another has no more.
fn gone(before: &Evaluation, after: &Evaluation) -> BTreeSet<String> {
    let left = open(after);
    open(before).into_iter().filter(|id| !left.contains(id)).collect()
}

#[test]
fn the_generated_service_shows_every_shortcoming_and_every_mend() {
    let worst = Service {
        handled: false,
        logged: false,
        disclosed: false,
        marked: false,
        pinned: false,
        key_in_code: true,
        documents: [1; 4],
    };
    let evaluation = scan_memory(&worst.tree(), &settings(Some(Role::Both)));
    let said: BTreeSet<&str> = evaluation
        .findings
        .iter()
        .filter(|f| f.kind != FindingType::Pass)
        .map(|f| f.check_id.as_str())
        .collect();
    for check in [
        "l4-undisclosed-interaction",
        "l4-unmarked-synthetic-content",
        "secret-ai-key",
        "l2-incomplete-transparency-notice",
    ] {
        assert!(said.contains(check), "{check}: {said:?}");
    }
    let best = worst.mended(u16::MAX);
    let evaluation = scan_memory(&best.tree(), &settings(Some(Role::Both)));
    // The model itself retires one day: no mend of this service concerns that.
    let left: Vec<&Finding> = evaluation
        .findings
        .iter()
        .filter(|f| f.kind == FindingType::Fail && f.check_id != "l3-retired-model")
        .collect();
    assert!(left.is_empty(), "{left:#?}");
    assert!((score(&evaluation).compliance - 100.0).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_simulation_equals_the_scan_of_the_repaired_tree(service in services(), mends in any::<u16>(), role in roles()) {
        let base = settings(role);
        let before = scan_memory(&service.tree(), &base);
        // What no finding asks for (a paper for a duty of others, a mark in the role of a deployer) is no fix of a finding.
        let asked = mends & asked(&service, &before);
        let after = scan_memory(&service.mended(asked).tree(), &base);
        let simulated = resolving(&service.tree(), &base, gone(&before, &after));
        prop_assert_eq!(numbers(&score(&simulated)), numbers(&score(&after)));
        prop_assert_eq!(standing(&simulated), standing(&after));
        prop_assert_eq!(open(&simulated), open(&after));
        let after = scan_memory(&service.mended(mends).tree(), &base);
        // And in any case a real repair lowers no number.
        let (was, is) = (score(&before), score(&after));
        prop_assert!(is.compliance >= was.compliance && is.readiness >= was.readiness, "{was:?} {is:?}");
        prop_assert!(is.security >= was.security);
    }

    #[test]
    fn the_order_of_files_tells_nothing(service in services(), seed in any::<u64>()) {
        let tree = service.tree();
        let mut files: Vec<_> = tree.files().map(|file| (file.info(), engine_scanner::read(&file))).collect();
        let mut seed = seed;
        for end in (1..files.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            files.swap(end, usize::try_from(seed >> 33).unwrap() % (end + 1));
        }
        let shuffled = engine_scanner::evaluate(ScanInput { files, large: Vec::new(), ignored_secrets: &[], source: &tree, memory: &engine_scanner::Memory::default() }, &settings(None));
        prop_assert_eq!(shuffled, scan_memory(&tree, &settings(None)));
    }

    #[test]
    fn ids_survive_what_is_none_of_their_business(
        service in services(),
        blank in 1usize..9,
        comments in 0usize..4,
        function in any::<bool>(),
        unrelated in any::<bool>(),
        crlf in any::<bool>(),
        wide in any::<bool>(),
    ) {
        let tree = service.tree();
        let before = scan_memory(&tree, &settings(None));
        let mut edited = tree.clone();
        let mut code = String::from_utf8(edited.remove("app.py").unwrap()).unwrap();
        let mut above = "\n".repeat(blank);
        above.push_str(&"# a note on what follows\n".repeat(comments));
        if function {
            above.push_str("def halve(number: int) -> int:\n    return number // 2\n\n\n");
        }
        code = code.replace("@app.post(\"/chat\")", &format!("{above}@app.post(\"/chat\")"));
        if wide {
            code = code.replace("client.responses.create(model=", "client.responses.create(\n        model=");
        }
        if crlf {
            code = code.replace('\n', "\r\n");
        }
        edited.insert("app.py", code);
        if unrelated {
            edited.insert("tools/halving.py", "def halving(number):\n    return number / 2\n");
            let list = edited.remove("requirements.txt").unwrap();
            edited.insert("requirements.txt", [b"# what is needed\n".to_vec(), list].concat());
        }
        prop_assert_eq!(ids(&before), ids(&scan_memory(&edited, &settings(None))));
    }
}

#[test]
fn a_secret_in_two_places_of_a_file_is_one_finding_whose_id_stays() {
    let key = engine_sample_key();
    let text = format!(
        "from openai import OpenAI\n\n\ndef ask(question: str) -> str:\n    client = OpenAI(api_key=\"{key}\")\n    \
         return client.responses.create(model=\"gpt-4.1\", input=question).output_text\n\n\n\
         def again(question: str) -> str:\n    client = OpenAI(api_key=\"{key}\")\n    \
         return client.responses.create(model=\"gpt-4.1\", input=question).output_text\n\n\nprint(ask(input()), again(input()))\n"
    );
    let find = |text: &str| -> Vec<(u32, String)> {
        let mut tree = MemoryTree::default();
        tree.insert("app.py", text);
        let found = scan_memory(&tree, &settings(None)).findings.into_iter();
        found
            .filter(|finding| finding.check_id.starts_with("secret-"))
            .map(|finding| (finding.line.unwrap(), finding.id))
            .collect()
    };
    let before = find(&text);
    assert_eq!(before.len(), 1, "{before:?}");
    let moved = find(&text.replace("\n\n\ndef", "\n\n\n# a note\n\n\ndef"));
    assert!(moved[0].0 > before[0].0);
    let ids = |found: &[(u32, String)]| -> Vec<String> { found.iter().map(|(_, id)| id.clone()).collect() };
    assert_eq!(ids(&moved), ids(&before));
}

/// An example application of the repository as a tree in memory.
#[expect(
    clippy::disallowed_methods,
    reason = "the example applications lie in the repository"
)]
fn example(name: &str) -> MemoryTree {
    fn add(tree: &mut MemoryTree, root: &std::path::Path, dir: &std::path::Path) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path
                .file_name()
                .is_some_and(|name| name == ".compliance" || name == "node_modules")
            {
                continue;
            }
            if path.is_dir() {
                add(tree, root, &path);
            } else {
                let relative = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                tree.insert(relative, std::fs::read(&path).unwrap());
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/projects")
        .join(name);
    let mut tree = MemoryTree::default();
    add(&mut tree, &root, &root);
    tree
}

const EXAMPLES: [&str; 5] = ["helpdesk", "hr-assistant", "agent-ts", "go-service", "java-service"];

#[test]
#[ignore = "slow: an evaluation for every finding of the examples"]
fn fixing_any_finding_of_the_examples_lowers_no_number() {
    let mut with_gaps = Vec::new();
    for name in EXAMPLES {
        let tree = example(name);
        let base = settings(Some(Role::Both));
        let files: Vec<_> = tree
            .files()
            .map(|file| (file.info(), engine_scanner::read(&file)))
            .collect();
        let evaluate = |resolved: BTreeSet<String>| {
            let settings = Settings {
                resolved,
                ..base.clone()
            };
            engine_scanner::evaluate(
                ScanInput {
                    files: files.clone(),
                    large: Vec::new(),
                    ignored_secrets: &[],
                    source: &tree,
                    memory: &engine_scanner::Memory::default(),
                },
                &settings,
            )
        };
        let now = evaluate(BTreeSet::new());
        let all = open(&now);
        if !all.is_empty() {
            with_gaps.push(name);
        }
        let mut so_far = BTreeSet::new();
        let mut last = score(&now);
        let first = last.clone();
        // One after the other, so that each step stands on those before it.
        for id in &all {
            so_far.insert(id.clone());
            let step = evaluate(so_far.clone());
            let next = score(&step);
            assert!(
                next.compliance >= last.compliance
                    && next.readiness >= last.readiness
                    && next.security >= last.security,
                "{name}: fixing {:?} lowered {:?} to {:?}",
                now.findings.iter().find(|f| f.id == *id),
                (last.compliance, last.readiness),
                (next.compliance, next.readiness)
            );
            assert!(!open(&step).contains(id), "{name}: {id} is still open");
            last = next;
        }
        assert!(last.compliance >= first.compliance);
    }
    assert!(with_gaps.len() + 1 >= EXAMPLES.len(), "{with_gaps:?}");
}

#[test]
fn a_simulation_of_the_examples_equals_the_scan_of_the_repaired_tree() {
    type Repair = (&'static str, &'static str, &'static str);
    const REPAIRS: [(&str, &[Repair], &[&str]); 2] = [
        (
            "helpdesk",
            &[(
                "web/src/ChatPage.tsx",
                "<h1>Mia, customer service</h1>",
                "<h1>Mia, customer service</h1>\n        <p>Mia is an AI system, not a person. Answers are generated automatically.</p>",
            )],
            &["risk-management-file"],
        ),
        (
            "hr-assistant",
            &[
                (
                    "api/main.py",
                    "return {\"from\": \"Robin\", \"text\": answer.output_text}",
                    "return {\"from\": \"Robin\", \"text\": answer.output_text, \"notice\": \"You are talking to an AI system.\"}",
                ),
                (
                    "api/main.py",
                    "\"picture\": image.data[0].b64_json}",
                    "\"picture\": image.data[0].b64_json, \"ai_generated\": True}",
                ),
            ],
            &["ai-literacy-record"],
        ),
    ];
    let base = settings(None);
    for (name, repairs, documents) in REPAIRS {
        let tree = example(name);
        let before = scan_memory(&tree, &base);
        let mut repaired = tree.clone();
        for (file, old, new) in repairs {
            let text = String::from_utf8(repaired.remove(file).unwrap()).unwrap();
            assert!(text.contains(old), "{name}: {file}");
            repaired.insert(*file, text.replace(old, new));
        }
        for kind in documents {
            let place = before.documents.iter().find(|document| document.kind == *kind);
            let path = place.map_or_else(|| format!("docs/{kind}.md"), |document| document.file.clone());
            repaired.insert(path, document(kind, true));
        }
        let after = scan_memory(&repaired, &base);
        let fixed = gone(&before, &after);
        assert!(!fixed.is_empty(), "{name}");
        let simulated = resolving(&tree, &base, fixed);
        assert_eq!(numbers(&score(&simulated)), numbers(&score(&after)), "{name}");
        assert_eq!(standing(&simulated), standing(&after), "{name}");
    }
}

#[test]
fn setting_a_finding_aside_as_wrong_lowers_no_number_and_losing_a_document_raises_none() {
    for name in ["helpdesk", "hr-assistant"] {
        let tree = example(name);
        let base = settings(Some(Role::Both));
        let now = scan_memory(&tree, &base);
        let was = score(&now);
        for id in open(&now) {
            let mut settings = base.clone();
            settings.suppressions.push(engine_scanner::SuppressionRule {
                check_id: None,
                finding_id: Some(id.clone()),
                path: None,
                kind: engine_scanner::SuppressionKind::FalsePositive,
                reason: "r".to_owned(),
                owner: Some("o".to_owned()),
                until: None,
                file: "f".to_owned(),
                line: 1,
            });
            let is = score(&scan_memory(&tree, &settings));
            assert!(
                is.compliance >= was.compliance && is.readiness >= was.readiness,
                "{name} {id}"
            );
        }
        for document in &now.documents {
            let mut without = tree.clone();
            without.remove(&document.file);
            let is = score(&scan_memory(&without, &base));
            assert!(
                is.compliance <= was.compliance && is.readiness <= was.readiness,
                "{name} {}",
                document.file
            );
        }
    }
}
