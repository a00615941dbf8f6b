//! Every check of the registry, from its documented examples to the reply of `POST /scan`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Daemon;

/// A service beside an example that shows a secret alone: a secret is a gap where there is a system to protect.
const SERVICE: &str =
    "//- service/chat.py\nimport openai\n\nprint(openai.OpenAI().responses.create(model=\"gpt-4.1\", input=input()))\n";

/// A second part of the same system that ranks applicants: what it decides on leaves the class of the system open, so that
/// the duties of high-risk systems show as well. It is written so that no check has much to say about it, and what it says
/// about this file does not count.
const ADDED: &str = "zz_applicants.py";

/// The call of the added part, of a known supplier and of an unknown one.
const CALLS: [(&str, &str); 2] = [
    (
        "from openai import OpenAI, OpenAIError as Failed\n\nclient = OpenAI()\n",
        "client.responses.create(model=\"gpt-4.1-2025-04-14\", input=vacancy + cv).output_text",
    ),
    (
        "import os\n\nimport requests\nfrom requests import RequestException as Failed\n",
        "requests.post(os.environ[\"MODEL_URL\"] + \"/v1/chat/completions\", json={\"messages\": [{\"role\": \"user\", \"content\": vacancy + cv}]}).json()[\"choices\"][0][\"message\"][\"content\"]",
    ),
];

fn added(import: &str, call: &str) -> String {
    format!(
        "import logging\n\nfrom fastapi import FastAPI, HTTPException\n{import}\napp = FastAPI()\nlog = logging.getLogger(__name__)\n\n\n\
         @app.post(\"/applicants/rank\")\ndef rank(cv: str, vacancy: str) -> dict[str, str]:\n    try:\n        answer = {call}\n    \
         except Failed as error:\n        log.warning(\"failed: %s\", error)\n        raise HTTPException(status_code=502) from error\n    \
         log.info(\"model call %s\", answer)\n    return {{\"rank\": answer, \"notice\": \"You are talking to an AI system.\"}}\n"
    )
}

/// They speak where a person has stated the class of a system: elsewhere a duty of high-risk systems stays open, and what nobody may have to
/// write or to show is not missing.
const BY_CLASS: [&str; 14] = [
    "l1-inaccessible-interface",
    "l1-missing-document",
    "l1-nameless-interface",
    "l1-unmonitored-deployment",
    "l3-undeclared-ai-dependency",
    "l3-unpinned-ai-dependency",
    "l4-deserialised-model",
    "l4-no-suspension",
    "l4-single-person-identification",
    "l4-thin-identification-log",
    "l4-unchecked-person-input",
    "l4-unexplained-decision",
    "l4-unlogged-model-call",
    "l4-untold-affected-person",
];

/// On which day, in which role and in which surroundings a check is looked at: as it stands, or beside an added part.
#[derive(Clone, Copy, Debug)]
struct Way {
    date: &'static str,
    role: &'static str,
    beside: Option<usize>,
    class: Option<&'static str>,
}

/// Today and the day on which everything that is known to come applies, most usual first.
fn ways() -> impl Iterator<Item = Way> {
    [None, Some(0), Some(1)].into_iter().flat_map(|beside| {
        ["2026-11-20", "2028-08-02"].into_iter().flat_map(move |date| {
            ["both", "provider"].map(|role| Way {
                date,
                role,
                beside,
                class: None,
            })
        })
    })
}

/// What a check reports on a folder, at another place than the added file.
fn reported(daemon: &Daemon, root: &Path, folder: &str, check: &str, way: Way) -> Vec<Value> {
    let file = root.join(folder).join(ADDED);
    match way.beside {
        Some(which) => fs::write(file, added(CALLS[which].0, CALLS[which].1)).unwrap(),
        None => drop(fs::remove_file(file)),
    }
    let mut body = json!({ "path": folder, "asOf": way.date, "role": way.role });
    if let Some(class) = way.class {
        body["riskClass"] = json!(class);
    }
    let reply = daemon.post("/scan", &body.to_string());
    assert_eq!(reply.status, 200, "{folder}: {reply:?}");
    let mut findings = reply.json()["findings"].as_array().unwrap().clone();
    findings.retain(|f| f["checkId"] == check && f["type"] != "pass" && f["file"] != ADDED);
    findings
}

/// Lays an example out on the disk; files of bytes are written in digits.
fn write_example(folder: &Path, tree: &str) {
    let tree = engine_model::fixture(tree).unwrap();
    for file in tree.files() {
        let path = folder.join(&*file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.bytes).unwrap();
    }
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn every_check_reports_its_example_over_http_and_leaves_the_near_miss_alone() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path(), &["--read-only"]);
    let mut wrong = Vec::new();
    for check in engine_scanner::checks() {
        let examples = check.examples();
        let (good, bad): (Vec<_>, Vec<_>) = examples.iter().partition(|example| example.reported);
        if good.is_empty() || bad.is_empty() {
            wrong.push(format!("{} lacks an example", check.id));
        }
        // Near misses are judged in the way in which the check speaks.
        let mut spoken = None;
        for (index, example) in good.into_iter().chain(bad).enumerate() {
            let place = format!("{}-{index}", check.id);
            let mut tree = engine_scan_secrets::expand_examples(&example.tree);
            if check.id.starts_with("secret-") {
                tree.push_str(SERVICE);
            }
            write_example(&folder.path().join(&place), &tree);
            let look = |way| reported(&daemon, folder.path(), &place, check.id, way);
            if !example.reported {
                let found = spoken.map(look).unwrap_or_default();
                if !found.is_empty() {
                    wrong.push(format!("{place}: reported by {spoken:?}: {}", found[0]["message"]));
                }
                continue;
            }
            let ways: Vec<Way> = if BY_CLASS.contains(&check.id) {
                let unstated: Vec<Way> = ways().filter(|way| !look(*way).is_empty()).collect();
                assert!(unstated.is_empty(), "{place}: no class was stated: {unstated:?}");
                let high = |way| Way {
                    class: Some("high"),
                    ..way
                };
                ways().map(high).collect()
            } else {
                ways().collect()
            };
            let Some((way, found)) = ways
                .into_iter()
                .map(|way| (way, look(way)))
                .find(|(_, found)| !found.is_empty())
            else {
                wrong.push(format!("{place}: never reported"));
                continue;
            };
            spoken = spoken.or(Some(way));
            for finding in found {
                let missing = ["id", "title", "message", "severity", "fix"]
                    .iter()
                    .any(|field| finding[field].as_str().is_none_or(str::is_empty));
                assert!(!missing, "{place}: {finding}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
