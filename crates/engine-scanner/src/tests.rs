//! What must hold for every check, and what the example applications must come to.

use std::collections::BTreeSet;

use engine_model::{
    Applicability, Applies, AutonomySignal, CallKind, Date, FindingType, Impact, MemoryTree, Outcome, Zone, fixture,
};

use crate::{Evaluation, Settings, StatedClass, checks, scan_memory};

mod applicability;
mod disclosure_texts;
mod false_positives;
mod model_files;
mod newest_syntax;
mod office_documents;
mod person_decisions;
mod retired_models;
mod secrets;
mod two_starts;
mod user_interaction;

fn on(year: i16, month: i8, day: i8) -> Settings {
    Settings::on(Date::constant(year, month, day))
}

fn high_risk() -> Settings {
    Settings {
        risk_class: Some(StatedClass::High),
        ..today()
    }
}

fn today() -> Settings {
    on(2026, 11, 20)
}

/// An example application of the repository as a tree in memory.
#[expect(
    clippy::disallowed_methods,
    reason = "the example applications lie in the repository"
)]
fn project(name: &str) -> MemoryTree {
    fn add(tree: &mut MemoryTree, root: &std::path::Path, dir: &std::path::Path) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["node_modules", "__pycache__", ".pytest_cache", ".compliance"].contains(&name.as_str()) {
                    add(tree, root, &path);
                }
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

fn scan_project(name: &str) -> Evaluation {
    scan_memory(&project(name), &today())
}

/// The places where a product call sends data to a model, as `file:line provider`.
fn calls(evaluation: &Evaluation) -> Vec<String> {
    evaluation
        .inventory
        .calls
        .iter()
        .filter(|call| call.zone == Zone::Product && call.kind == CallKind::Call)
        .map(|call| {
            format!(
                "{}:{} {}",
                call.file,
                call.line,
                call.provider.as_deref().unwrap_or("?")
            )
        })
        .collect()
}

#[test]
fn documented_examples_match_their_expected_result() {
    let mut wrong = Vec::new();
    for check in checks() {
        for (index, example) in check.examples().iter().enumerate() {
            let Ok(mut tree) = fixture(&engine_scan_secrets::expand_examples(&example.tree)) else {
                wrong.push(format!("{} example {index}: not a tree", check.id));
                continue;
            };
            if check.id.starts_with("secret-") {
                // A secret is a gap where there is a system to protect; the examples show the secret alone.
                tree.insert(
                    "service/chat.py",
                    "import openai\n\nprint(openai.OpenAI().responses.create(model=\"gpt-4.1\", input=input()))\n",
                );
            }
            // The check itself decides: whether its duty binds the class of an example is another question. What is
            // missing shows only after the join, where its duty is certain to come; so does what people stated.
            let after_the_join = match check.id {
                "l1-missing-document" => Some(high_risk()),
                _ => crate::answers::CHECKS.iter().any(|own| own.id == check.id).then(today),
            };
            let reported = after_the_join.map_or_else(
                || crate::evaluate::outcomes(check.id, &tree, &today()).contains(&Outcome::Fail),
                |settings| {
                    let findings = scan_memory(&tree, &settings).findings;
                    findings
                        .iter()
                        .any(|f| f.check_id == check.id && f.kind != FindingType::Pass)
                },
            );
            if reported != example.reported {
                wrong.push(format!("{} example {index}: reported {reported}", check.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn helpdesk_has_two_systems_with_their_calls() {
    let evaluation = scan_project("helpdesk");
    assert_eq!(
        evaluation.applicability,
        Applicability::SystemsFound,
        "{}",
        evaluation.reason
    );
    assert_eq!(
        calls(&evaluation),
        [
            "api/chat.py:46 openai",
            "api/retrieval.py:45 openai",
            "notebooks/evaluate.ipynb:52 openai",
            "screening/job.py:21 anthropic"
        ]
    );
    assert_eq!(evaluation.systems.len(), 2);
    let screening = evaluation
        .systems
        .iter()
        .find(|system| system.scope == "screening")
        .unwrap();
    assert!(
        screening.questions.iter().any(|q| q.id == "annex-iii-employment"),
        "{:?}",
        screening.questions
    );
    assert_eq!(screening.risk_class, "unknown");
    let duty = screening
        .obligations
        .iter()
        .find(|record| record.obligation_id == "OBL-038")
        .unwrap();
    assert_eq!(duty.applies, Applies::Undetermined);
    let chat = evaluation
        .systems
        .iter()
        .find(|system| system.scope != "screening")
        .unwrap();
    assert_eq!(chat.risk_class, "limited");
    assert!(
        evaluation
            .findings
            .iter()
            .any(|f| f.check_id == "l4-undisclosed-interaction"
                && f.kind == FindingType::Fail
                && f.system.as_deref() == Some(chat.id.as_str())),
        "{:#?}",
        evaluation.findings
    );
}

#[test]
fn go_and_java_services_are_detected() {
    assert_eq!(
        calls(&scan_project("go-service")),
        ["internal/summary/summary.go:60 openai"]
    );
    let java = calls(&scan_project("java-service"));
    assert_eq!(java.len(), 1, "{java:?}");
    assert!(java[0].contains("drafts/DraftService.java:33"), "{java:?}");
}

#[test]
fn agent_has_tools_and_shell() {
    let evaluation = scan_project("agent-ts");
    assert_eq!(calls(&evaluation), ["src/agent.ts:41 openai"]);
    assert_eq!(evaluation.agents.len(), 1, "{:?}", evaluation.agents);
    // It acts, and a person agrees before some of its tools do.
    assert_eq!(evaluation.agents[0].autonomy_level, 2);
    assert_eq!(evaluation.agents[0].human_approval, Some(true));
    assert!(!evaluation.inventory.mcp_servers.is_empty());
}

#[test]
fn library_has_no_obligations() {
    let evaluation = scan_project("library-py");
    assert_eq!(
        evaluation.applicability,
        Applicability::Library,
        "{}",
        evaluation.reason
    );
    assert!(evaluation.systems.is_empty() && evaluation.obligations.is_empty() && evaluation.findings.is_empty());
    assert_eq!(calls(&evaluation).len(), 2);
}

#[test]
fn framework_that_supports_models_is_library() {
    let tree = |classifier: &str| {
        fixture(&format!(
            "//- pyproject.toml\n[project]\nname = \"chatframe\"\nclassifiers = [\"{classifier}\"]\n\
             dependencies = [\"openai\"]\n[build-system]\nbuild-backend = \"hatchling.build\"\n\
             //- chatframe/__init__.py\nfrom .hooks import on_message\n//- chatframe/hooks.py\ndef on_message(f):\n    return f\n"
        ))
        .unwrap()
    };
    let settings = Settings::on(Date::constant(2026, 11, 20));
    let library = scan_memory(
        &tree("Topic :: Software Development :: Libraries :: Python Modules"),
        &settings,
    );
    assert_eq!(library.applicability, Applicability::Library, "{}", library.reason);
    // A build system alone says nothing: an application has one too.
    let open = scan_memory(&tree("Environment :: Web Environment"), &settings);
    assert_eq!(open.applicability, Applicability::Undetermined, "{}", open.reason);
}

#[test]
fn pipeline_dependencies_do_not_count_as_product() {
    let tree = |folder: &str| {
        fixture(&format!(
            "//- {folder}/requirements.txt\nopenai==1.50.0\n//- shop/cart.py\ndef total(rows):\n    return sum(rows)\n"
        ))
        .unwrap()
    };
    let settings = Settings::on(Date::constant(2026, 11, 20));
    let product = scan_memory(&tree("server"), &settings);
    assert_eq!(product.applicability, Applicability::Undetermined, "{}", product.reason);
    for folder in ["ci/requirements", ".github/scripts"] {
        let found = scan_memory(&tree(folder), &settings);
        assert_eq!(
            found.applicability,
            Applicability::NoAiFound,
            "{folder}: {}",
            found.reason
        );
    }
}

/// A wrapper around a model in a package, with a manifest that says nothing but its name.
const BARE_WRAPPER: &str = "//- pyproject.toml\n[project]\nname = \"acme-llm\"\nversion = \"1.0\"\ndependencies = [\"openai\"]\n\
    //- acme_llm/__init__.py\nfrom .client import ask\n\
    //- acme_llm/client.py\nfrom openai import OpenAI\n\ndef ask(text):\n    \
    return OpenAI().responses.create(model=\"gpt-4o\", input=text).output_text\n";

#[test]
fn wrapper_package_without_manifest_signals_is_library() {
    let scan = |text: &str| scan_memory(&fixture(text).unwrap(), &today());
    for more in [
        "",
        "//- README.md\n# acme-llm\n",
        "//- tests/test_client.py\nfrom acme_llm import ask\n\ndef test_ask():\n    assert ask(\"x\")\n",
        "//- examples/demo.py\nfrom acme_llm import ask\n\nif __name__ == \"__main__\":\n    print(ask(input()))\n",
        "//- conftest.py\nimport sys\n//- docs/conf.py\nproject = \"acme\"\n",
    ] {
        let found = scan(&format!("{BARE_WRAPPER}{more}"));
        assert_eq!(found.applicability, Applicability::Library, "{more}: {}", found.reason);
        assert!(found.agents.is_empty() && found.systems.is_empty(), "{more}");
    }
    let inner = scan(&BARE_WRAPPER.replace("//- acme_llm", "//- src/acme_llm"));
    assert_eq!(inner.applicability, Applicability::Library, "{}", inner.reason);
    let longer = scan(&BARE_WRAPPER.replace("name = \"acme-llm\"", "name = \"acme-llm-wrapper\""));
    assert_eq!(longer.applicability, Applicability::Library, "{}", longer.reason);
}

#[test]
fn start_script_makes_sibling_package_an_application() {
    let declared = "//- setup.py\nfrom setuptools import setup, find_packages\nsetup(name=\"packs\", packages=find_packages(), \
        classifiers=[\"Topic :: Software Development :: Libraries :: Python Modules\"])\n\
        //- packs/__init__.py\nfrom flask import Flask\n\ndef create_app():\n    return Flask(__name__)\n\
        //- packs/default/answers.py\nfrom openai import OpenAI\n\n@register\ndef ask(text):\n    \
        return OpenAI().responses.create(model=\"gpt-4.1\", input=text).output_text\n";
    let scan = |more: &str| scan_memory(&fixture(&format!("{declared}{more}")).unwrap(), &today());
    let script = |path: &str, import: &str| format!("//- {path}\n{import}\napp = create()\napp.run(port=8080)\n");
    for import in ["import packs", "from packs.server import create"] {
        let found = scan(&script("main.py", import));
        assert_eq!(found.applicability, Applicability::SystemsFound, "{}", found.reason);
    }
    for more in [
        script("examples/main.py", "import packs"),
        script("main.py", "import flask"),
        script("bump.py", "import packs"),
        String::new(),
    ] {
        let found = scan(&more);
        assert_eq!(found.applicability, Applicability::Library, "{more}: {}", found.reason);
    }
}

#[test]
fn application_without_manifest_signals_is_system() {
    let scan = |text: &str| scan_memory(&fixture(text).unwrap(), &today());
    for more in [
        "//- main.py\nfrom acme_llm import ask\n\nprint(ask(input()))\n",
        "//- run_all.py\nimport acme_llm\n",
        "//- acme_llm/__main__.py\nfrom .client import ask\n\nprint(ask(input()))\n",
        "//- acme_llm/cli.py\nfrom .client import ask\n\nif __name__ == \"__main__\":\n    print(ask(input()))\n",
        "//- acme_llm/server.py\nfrom fastapi import FastAPI\nfrom .client import ask\n\napp = FastAPI()\n\n\
         @app.post(\"/ask\")\ndef route(text: str):\n    return ask(text)\n",
        "//- Dockerfile\nFROM python:3.12\nCMD [\"python\", \"-m\", \"acme_llm\"]\n",
        "//- docker-compose.yml\nservices:\n  app:\n    build: .\n",
        "//- Procfile\nworker: python -m acme_llm\n",
        "//- start.sh\npython -m acme_llm\n",
        "//- scripts/nightly.py\nfrom acme_llm import ask\n\nprint(ask(\"report\"))\n",
    ] {
        let found = scan(&format!("{BARE_WRAPPER}{more}"));
        assert_eq!(
            found.applicability,
            Applicability::SystemsFound,
            "{more}: {}",
            found.reason
        );
    }
    for (from, to) in [
        // A manifest that asks for what serves it, one that names a script, and a package that is not the project's own.
        ("[\"openai\"]", "[\"openai\", \"streamlit\"]"),
        (
            "[\"openai\"]\n",
            "[\"openai\"]\n[project.scripts]\nacme = \"acme_llm.client:ask\"\n",
        ),
        ("name = \"acme-llm\"", "name = \"helpdesk\""),
        ("//- acme_llm/__init__.py\nfrom .client import ask\n", ""),
    ] {
        let found = scan(&BARE_WRAPPER.replace(from, to));
        assert_eq!(
            found.applicability,
            Applicability::SystemsFound,
            "{to}: {}",
            found.reason
        );
    }
}

#[test]
fn stated_risk_class_changes_obligations_and_basis() {
    let text = "//- app.py\nfrom flask import Flask, request\nfrom openai import OpenAI\n\napp = Flask(__name__)\n\n\
        @app.post(\"/chat\")\ndef chat():\n    \
        return OpenAI().responses.create(model=\"gpt-4o\", input=request.json[\"q\"]).output_text\n";
    let under = |class: Option<StatedClass>| {
        let settings = Settings {
            risk_class: class,
            ..today()
        };
        let system = scan_memory(&fixture(text).unwrap(), &settings).systems.remove(0);
        let applying: BTreeSet<String> = system
            .obligations
            .iter()
            .filter(|record| matches!(record.applies, Applies::Applies | Applies::Upcoming))
            .map(|record| record.obligation_id.clone())
            .collect();
        (system.risk_class, system.risk_basis, applying)
    };
    let (class, _, seen) = under(None);
    assert_eq!(class, "limited");
    let (class, basis, high) = under(Some(StatedClass::High));
    assert_eq!(class, "high");
    assert!(
        basis.contains("stated in the request") && basis.contains("`limited`"),
        "{basis}"
    );
    // Codes of conduct (Art. 95) are for systems that are not high-risk.
    assert_eq!(seen.difference(&high).collect::<Vec<_>>(), ["OBL-130"]);
    assert!(high.contains("OBL-019") && high.len() > seen.len() + 10, "{high:?}");
    let (_, _, minimal) = under(Some(StatedClass::Minimal));
    assert!(
        minimal.is_subset(&seen) && minimal.len() < seen.len(),
        "{seen:?} {minimal:?}"
    );
    assert_eq!(under(Some(StatedClass::Limited)).2, seen);
    assert_eq!(under(Some(StatedClass::Prohibited)).2, seen);
}

#[test]
fn project_without_ai_has_no_findings() {
    let evaluation = scan_project("no-ai");
    assert_eq!(
        evaluation.applicability,
        Applicability::NoAiFound,
        "{}",
        evaluation.reason
    );
    assert_eq!(calls(&evaluation), [""; 0]);
    assert!(evaluation.obligations.is_empty() && evaluation.findings.is_empty() && evaluation.agents.is_empty());
}

#[test]
fn obligations_apply_from_their_date_and_upcoming_are_listed() {
    let tree = project("helpdesk");
    let applying = |settings: &Settings| -> BTreeSet<String> {
        scan_memory(&tree, settings)
            .obligations
            .into_iter()
            .filter(|o| o.record.applies == Applies::Applies)
            .map(|o| o.record.obligation_id)
            .collect()
    };
    assert!(applying(&on(2025, 2, 1)).is_empty());
    let first = applying(&on(2025, 2, 2));
    assert!(
        first.contains("OBL-001") && first.contains("OBL-002") && !first.contains("OBL-094"),
        "{first:?}"
    );
    let now = applying(&today());
    assert!(
        now.contains("OBL-094") && !now.contains("OBL-010") && !now.contains("OBL-032"),
        "{now:?}"
    );
    assert!(applying(&on(2026, 12, 2)).contains("OBL-010"));
    let upcoming = scan_memory(&tree, &today()).upcoming;
    assert!(
        upcoming
            .iter()
            .any(|row| row.applies_from == Date::constant(2026, 12, 2) && row.certain)
    );
    assert!(
        upcoming
            .iter()
            .any(|row| row.applies_from == Date::constant(2027, 12, 2))
    );
}

#[test]
fn scan_is_deterministic() {
    let tree = project("helpdesk");
    assert_eq!(scan_memory(&tree, &today()), scan_memory(&tree, &today()));
}

#[test]
fn finding_ids_are_stable_when_lines_move() {
    let tree = project("helpdesk");
    let before: BTreeSet<String> = scan_memory(&tree, &today())
        .findings
        .into_iter()
        .map(|f| f.id)
        .collect();
    let mut moved = tree.clone();
    let text = String::from_utf8(moved.remove("api/chat.py").unwrap()).unwrap();
    moved.insert("api/chat.py", format!("# a comment\n\n\n{text}"));
    let after: BTreeSet<String> = scan_memory(&moved, &today())
        .findings
        .into_iter()
        .map(|f| f.id)
        .collect();
    assert_eq!(before, after);
}

#[test]
fn comment_with_reason_suppresses_only_its_finding() {
    let tree = project("helpdesk");
    let scan = scan_memory(&tree, &today());
    let finding = scan
        .findings
        .iter()
        .find(|f| f.kind == FindingType::Fail && f.file.as_deref() == Some("api/chat.py"))
        .unwrap();
    let line = finding.line.unwrap() as usize;
    let mut edited = tree.clone();
    let text = String::from_utf8(edited.remove("api/chat.py").unwrap()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.insert(
        line - 1,
        format!("    # compliance-ignore: {} -- reviewed", finding.check_id),
    );
    edited.insert("api/chat.py", lines.join("\n"));
    let again = scan_memory(&edited, &today());
    let same = again.findings.iter().find(|f| f.id == finding.id).unwrap();
    assert!(same.suppressed.is_some(), "{same:?}");
}

const MOOD_OF_EMPLOYEES: &str = "//- app.py\nimport sqlite3\n\nfrom deepface import DeepFace\nfrom fastapi import FastAPI\n\napp = FastAPI()\ndb = sqlite3.connect(\"shifts.db\")\n\n@app.post(\"/shift/{employee_id}\")\ndef shift(employee_id: int, frame: str):\n    result = DeepFace.analyze(frame, actions=[\"emotion\"])\n    mood = result[0][\"dominant_emotion\"]\n    db.execute(\"INSERT INTO shift (employee_id, mood) VALUES (?, ?)\", (employee_id, mood))\n";

#[test]
fn emotion_in_worker_record_raises_practice_question_with_evidence() {
    let tree = fixture(MOOD_OF_EMPLOYEES).unwrap();
    let evaluation = scan_memory(&tree, &today());
    let finding = evaluation
        .findings
        .iter()
        .find(|f| f.check_id == "l4-emotion-of-workers-or-pupils")
        .unwrap();
    assert_eq!(finding.kind, FindingType::Fail);
    assert_eq!(finding.obligation_id.as_deref(), Some("OBL-007"));
    assert_eq!(
        finding.explanation.as_ref().unwrap().applies_from,
        Some(Date::constant(2025, 2, 2))
    );
    let chain: Vec<(&str, u32)> = finding
        .evidence
        .iter()
        .map(|place| (place.reference.as_str(), place.line.unwrap()))
        .collect();
    assert_eq!(
        chain,
        [("deepface.DeepFace.analyze", 11), ("mood", 13), ("employee_id", 13)]
    );
    let system = &evaluation.systems[0];
    let question = system.questions.iter().find(|q| q.id == "art-5-emotion").unwrap();
    assert!(question.effect.contains("2025-02-02"), "{}", question.effect);
    let before = scan_memory(&tree, &on(2025, 2, 1));
    assert!(
        before
            .findings
            .iter()
            .all(|f| f.check_id != "l4-emotion-of-workers-or-pupils" || f.kind == FindingType::Info)
    );
}

#[test]
fn comments_strings_documents_and_tests_raise_no_practice() {
    for tree in [
        MOOD_OF_EMPLOYEES.replace("//- app.py", "//- tests/test_app.py"),
        MOOD_OF_EMPLOYEES.replace("//- app.py", "//- docs/app.py"),
        MOOD_OF_EMPLOYEES.replace("//- app.py", "//- README.md"),
        format!(
            "//- app.py\nSAMPLE = r'''\n{}'''\n# DeepFace.analyze(employee.photo, actions=['emotion'])\nprint(SAMPLE)\n",
            MOOD_OF_EMPLOYEES.trim_start_matches("//- app.py\n")
        ),
        "//- rules.toml\n[[rule]]\npattern = 'DeepFace.analyze'\nmessage = 'emotion of an employee'\n".to_owned(),
    ] {
        let evaluation = scan_memory(&fixture(&tree).unwrap(), &today());
        assert!(
            evaluation.findings.is_empty() && evaluation.systems.is_empty(),
            "{tree}\n{:#?}",
            evaluation.findings
        );
    }
}

#[test]
fn unfiltered_generator_is_gap_from_ban_date() {
    let tree = fixture(
        "//- app.py\nfrom diffusers import StableDiffusionPipeline\nfrom flask import Flask, request\napp = Flask(__name__)\npipe = StableDiffusionPipeline.from_pretrained('runwayml/stable-diffusion-v1-5', safety_checker=None)\n@app.post('/paint')\ndef paint():\n    return pipe(prompt=request.form['prompt']).images[0]\n",
    )
    .unwrap();
    let kinds = |settings: &Settings| -> Vec<(Option<String>, FindingType)> {
        let found = scan_memory(&tree, settings).findings;
        let own = found.iter().filter(|f| f.check_id == "l4-unfiltered-image-generation");
        assert!(
            own.clone()
                .all(|f| f.message.contains("(ba)") && f.message.contains("(bb)"))
        );
        own.map(|f| (f.obligation_id.clone(), f.kind)).collect()
    };
    let one = |kind| vec![(Some("OBL-010".to_owned()), kind)];
    assert_eq!(kinds(&on(2026, 12, 1)), one(FindingType::Info));
    assert_eq!(kinds(&on(2026, 12, 2)), one(FindingType::Fail));
    // The second point is as open as the first.
    let open = scan_memory(&tree, &on(2026, 12, 2));
    let status = |id: &str| {
        let mut records = open.systems[0].obligations.iter();
        records
            .find(|record| record.obligation_id == id)
            .map(|record| record.status)
    };
    assert_eq!(status("OBL-010"), status("OBL-011"));
}

#[test]
fn biometric_identification_points_to_annex_but_verification_does_not() {
    let questions = |call: &str| -> Vec<String> {
        let tree = format!(
            "//- app.py\nfrom deepface import DeepFace\nfrom flask import Flask, request\napp = Flask(__name__)\n@app.post('/door')\ndef door():\n    return {{'found': {call}}}\n"
        );
        let evaluation = scan_memory(&fixture(&tree).unwrap(), &today());
        evaluation.systems[0].questions.iter().map(|q| q.id.clone()).collect()
    };
    let verified = questions("DeepFace.verify(request.files['a'], request.files['b'])['verified']");
    assert!(!verified.contains(&"annex-iii-biometrics".to_owned()), "{verified:?}");
    let found = questions("str(DeepFace.find(request.files['a'], db_path='faces'))");
    assert!(found.contains(&"annex-iii-biometrics".to_owned()), "{found:?}");
}

/// Findings of the checks that hold one layer against another, as `type check file:line obligation`.
fn contradictions(text: &str) -> Vec<String> {
    scan_memory(&fixture(text).unwrap(), &today())
        .findings
        .iter()
        .filter(|finding| finding.check_id.starts_with("cross-"))
        .map(|finding| {
            format!(
                "{:?} {} {}:{} {}",
                finding.kind,
                finding.check_id,
                finding.file.as_deref().unwrap_or(""),
                finding.line.unwrap_or(0),
                finding.obligation_id.as_deref().unwrap_or("-")
            )
        })
        .collect()
}

const CHAT: &str = "//- app.py
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()

@app.post(\"/chat\")
def chat(message: str) -> dict:
    reply = client.chat.completions.create(model=\"gpt-4.1\", messages=[{\"role\": \"user\", \"content\": message}])
    return {\"answer\": reply.choices[0].message.content}
";

#[test]
fn contradiction_names_both_places_and_is_notice_without_obligation() {
    let privacy = "//- docs/privacy.md
# Privacy notice

## Processors

- Hetzner Online GmbH: servers
- Anthropic PBC: model
//- README.md
# Service centre

No AI is used in this product.
";
    let tree = format!("{CHAT}{privacy}");
    // The list of suppliers is a duty of high-risk systems only; the denial touches Art. 50(1), which binds the chat.
    assert_eq!(
        contradictions(&tree),
        [
            "Fail cross-ai-denied README.md:3 OBL-094",
            "Info cross-unlisted-provider docs/privacy.md:3 -"
        ]
    );
    let evaluation = scan_memory(&fixture(&tree).unwrap(), &today());
    for finding in evaluation.findings.iter().filter(|f| f.check_id.starts_with("cross-")) {
        assert!(
            finding
                .evidence
                .iter()
                .any(|e| e.file.as_deref() == Some("app.py") && e.line == Some(9)),
            "{finding:?}"
        );
        assert!(finding.evidence.iter().any(|e| e.file == finding.file), "{finding:?}");
    }
    let named = tree.replace("- Anthropic PBC: model", "- OpenAI Ireland Ltd: model");
    assert_eq!(contradictions(&named), ["Fail cross-ai-denied README.md:3 OBL-094"]);
}

#[test]
fn documents_of_one_system_do_not_contradict_another() {
    let tree = "//- chat/pyproject.toml
[project]
name = \"chat\"
[project.scripts]
chat = \"app:main\"
//- chat/app.py
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()

@app.post(\"/chat\")
def chat(message: str) -> str:
    return OpenAI().responses.create(model=\"gpt-4.1\", input=message).output_text
//- mail/pyproject.toml
[project]
name = \"mail\"
[project.scripts]
mail = \"app:main\"
//- mail/app.py
from anthropic import Anthropic
from fastapi import FastAPI

app = FastAPI()

@app.post(\"/mail\")
def mail(text: str) -> str:
    return Anthropic().messages.create(model=\"claude-sonnet-4-5\", max_tokens=9, messages=[{\"role\": \"user\", \"content\": text}]).content[0].text
//- mail/docs/privacy.md
# Privacy notice

## Processors

- Hetzner Online GmbH: servers
- Anthropic PBC: model
";
    assert_eq!(contradictions(tree), [""; 0]);
    let moved = tree.replace("mail/docs/privacy.md", "docs/privacy.md");
    assert_eq!(
        contradictions(&moved),
        ["Info cross-unlisted-provider docs/privacy.md:3 -"]
    );
}

#[test]
fn claims_without_system_are_not_reported() {
    let claims = "//- README.md
# Library

No AI is used in this product. Every request and answer is logged. No personal data is processed.
//- .github/workflows/ci.yml
on: push
jobs:
  evaluation:
    if: false
    steps:
      - run: promptfoo eval
//- index.html
<html><body><p><textarea></textarea></p></body></html>
//- app.py
print(\"hello\")
";
    let evaluation = scan_memory(&fixture(claims).unwrap(), &today());
    assert_eq!(evaluation.applicability, Applicability::NoAiFound);
    assert!(evaluation.findings.is_empty(), "{:?}", evaluation.findings);
}

#[test]
fn training_and_publishing_raises_gpai_question_only() {
    let train = "//- train.py
from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained(\"mistralai/Mistral-7B-v0.3\")
trainer = Trainer(model=model)
trainer.train()
";
    let duties = |text: &str| -> (bool, BTreeSet<Applies>) {
        let evaluation = scan_memory(&fixture(text).unwrap(), &today());
        assert!(!evaluation.systems.is_empty(), "{}", evaluation.reason);
        (
            evaluation.systems[0].questions.iter().any(|q| q.id == "gpai-provider"),
            evaluation.systems[0]
                .obligations
                .iter()
                .filter(|o| ["OBL-100", "OBL-102", "OBL-109", "OBL-112"].contains(&o.obligation_id.as_str()))
                .map(|o| o.applies)
                .collect(),
        )
    };
    assert_eq!(duties(train), (false, BTreeSet::from([Applies::DoesNotApply])));
    let published = format!("{train}model.push_to_hub(\"brightwater/bw-7b\")\n");
    assert_eq!(duties(&published), (true, BTreeSet::from([Applies::Undetermined])));
    let findings = scan_memory(&fixture(&published).unwrap(), &today()).findings;
    let gpai: Vec<_> = findings
        .iter()
        .filter(|f| f.check_id == "l4-untracked-compute" || f.check_id == "l4-unevaluated-model")
        .collect();
    assert_eq!(gpai.len(), 2);
    assert!(gpai.iter().all(|f| f.kind == FindingType::Info), "{gpai:?}");
    // An adapter takes a fraction of the computation of the weights that it is put beside.
    let adapted = published.replace(
        "trainer =",
        "from peft import LoraConfig, get_peft_model\nmodel = get_peft_model(model, LoraConfig(r=8))\ntrainer =",
    );
    assert_eq!(duties(&adapted), (false, BTreeSet::from([Applies::DoesNotApply])));
}

/// Name and level of each agent of a project, with the signals that the level rests on.
fn autonomy(text: &str) -> Vec<(String, u8, Vec<AutonomySignal>)> {
    let evaluation = scan_memory(&fixture(text).unwrap(), &today());
    evaluation
        .agents
        .into_iter()
        .map(|agent| {
            let signals: BTreeSet<AutonomySignal> = agent.autonomy_evidence.iter().map(|one| one.signal).collect();
            (agent.name, agent.autonomy_level, signals.into_iter().collect())
        })
        .collect()
}

#[test]
fn autonomy_levels_have_reasons() {
    let app = |body: &str| {
        format!(
            "//- app/main.py\nimport subprocess\nimport openai\nfrom fastapi import FastAPI\napp = FastAPI()\n\
             client = openai.OpenAI()\n{body}\n//- requirements.txt\nopenai==1.51.0\nfastapi==0.115.0\n"
        )
    };
    let ask = "client.chat.completions.create(model=\"gpt-4o\", messages=[{\"role\": \"user\", \"content\": message}])";
    let answers = app(&format!(
        "@app.post(\"/chat\")\ndef chat(message: str):\n    return {ask}.choices[0].message.content\n"
    ));
    assert_eq!(autonomy(&answers)[0].1, 1);
    assert_eq!(autonomy(&answers)[0].2, [AutonomySignal::AnswersOnly]);
    let runs = app(&format!(
        "@app.post(\"/run\")\ndef run(message: str):\n    command = {ask}.choices[0].message.content\n    \
         subprocess.run(command, shell=True)\n"
    ));
    assert_eq!(autonomy(&runs)[0].1, 4);
    assert_eq!(
        autonomy(&runs)[0].2,
        [AutonomySignal::Effects, AutonomySignal::NoApproval]
    );
    let nightly = format!(
        "//- job.py\nimport subprocess\nimport openai\nfrom celery import shared_task\nclient = openai.OpenAI()\n\
         @shared_task\ndef nightly():\n    message = open(\"in.txt\").read()\n    \
         command = {ask}.choices[0].message.content\n    subprocess.run(command, shell=True)\n\
         //- requirements.txt\nopenai==1.51.0\ncelery==5.4.0\n"
    );
    let nightly = autonomy(&nightly);
    assert_eq!(nightly[0].1, 5, "{nightly:?}");
    assert!(nightly[0].2.contains(&AutonomySignal::Unattended), "{nightly:?}");
}

#[test]
fn entry_point_with_model_call_is_agent_next_to_defined_agents() {
    let defined = "//- app/desk.py\nfrom agents import Agent\ndesk = Agent(name=\"Desk\", model=\"gpt-4o\", tools=[find])\n\
                   //- app/main.py\nfrom agents import Runner\nfrom fastapi import FastAPI\nfrom app.desk import desk\n\
                   app = FastAPI()\n@app.post(\"/chat\")\nasync def chat(message: str):\n    \
                   return (await Runner.run(desk, message)).final_output\n\
                   //- requirements.txt\nopenai==1.51.0\nopenai-agents==0.3.0\nfastapi==0.115.0\n";
    let names = |text: &str| autonomy(text).into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
    assert_eq!(names(defined), ["Desk"], "who runs an agent is no second one");
    let beside = format!(
        "{defined}//- app/restart.py\nimport openai\nclient = openai.OpenAI()\nif __name__ == \"__main__\":\n    \
         print(client.chat.completions.create(model=\"gpt-4o\", messages=[{{\"role\": \"user\", \"content\": input()}}]))\n"
    );
    assert_eq!(names(&beside), ["main", "Desk"]);
}

#[test]
fn interface_that_names_ai_raises_question_instead_of_gap() {
    let app = "//- app.py\nfrom flask import Flask, request\nfrom openai import OpenAI\napp = Flask(__name__)\nclient = OpenAI()\n@app.post('/chat')\ndef chat():\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=request.json['question'])\n    return {'reply': answer.output_text}\n//- templates/index.html\n<html lang=\"en\"><body>\n<h1>Ask HEADING</h1><form><label>Question <input name=\"question\"></label></form></body></html>\n";
    let scan = |heading: &str| scan_memory(&fixture(&app.replace("HEADING", heading)).unwrap(), &today());
    let told = |evaluation: &Evaluation| {
        let findings: Vec<FindingType> = evaluation
            .findings
            .iter()
            .filter(|finding| finding.check_id == "l4-undisclosed-interaction")
            .map(|finding| finding.kind)
            .collect();
        let question = evaluation.systems[0]
            .questions
            .iter()
            .find(|question| question.id == "ai-is-obvious")
            .cloned();
        (findings, question)
    };
    let (findings, question) = told(&scan("our AI"));
    assert_eq!(findings, []);
    let question = question.unwrap();
    assert!(question.why.contains("Ask our AI"), "{}", question.why);
    let place = question.evidence.first().unwrap();
    assert_eq!(
        (place.file.as_deref(), place.line, place.reference.as_str()),
        (Some("templates/index.html"), Some(2), "Ask our AI")
    );
    let (findings, question) = told(&scan("our desk"));
    assert_eq!((findings, question), (vec![FindingType::Fail], None));
}

#[test]
fn fact_about_two_systems_is_one_finding_with_its_legal_basis() {
    let text = "//- requirements.txt\nopenai>=1.0\nfastapi==0.115.0\n\
                //- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n@app.post('/grade')\ndef grade(rubric: str, student_answer: str):\n    answer = client.responses.create(model='gpt-4.1-2025-04-14', input=rubric + student_answer)\n    return {'text': answer.output_text}\n\
                //- nightly/job.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef run(rubric, student_answer):\n    text = client.responses.create(model='gpt-4.1-2025-04-14', input=rubric + student_answer).output_text\n    db.execute('INSERT INTO notes (text) VALUES (?)', (text,))\nif __name__ == '__main__':\n    run(open('r').read(), open('a').read())\n";
    let tree = fixture(text).unwrap();
    let of = |settings: &Settings, id: &str| -> Vec<engine_model::Finding> {
        let evaluation = scan_memory(&tree, settings);
        assert_eq!(evaluation.systems.len(), 2);
        let mut findings = evaluation.findings;
        findings.retain(|finding| finding.check_id == id);
        findings
    };
    assert_eq!(of(&high_risk(), "l3-unpinned-ai-dependency").len(), 1);
    // What hangs on the class waits for it.
    assert_eq!(of(&today(), "l3-unpinned-ai-dependency"), []);
    assert_eq!(of(&today(), "l4-unlogged-model-call"), []);
    let unlogged = of(&high_risk(), "l4-unlogged-model-call");
    assert_eq!(unlogged.len(), 1, "the answer of the other call is kept in a row");
    assert_eq!(unlogged[0].file.as_deref(), Some("app.py"));
    // It breaks the product today, whatever the class.
    let said = &of(&today(), "l4-unhandled-model-failure")[0];
    assert_eq!((said.kind, said.impact), (FindingType::Fail, Some(Impact::Breaks)));
    let article = said.explanation.as_ref().map(|law| law.article.as_str());
    assert_eq!(article, Some("Art. 15(4)"));
}
