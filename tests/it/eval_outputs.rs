//! What is written about an evaluation: valid in every format whatever a target says, and the same in every form of reply.

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};

use crate::evals::{SEED, body, evaluate, frames, open_stream, start, unchunked};
use crate::support::{CHAT, project, run};
use crate::target::{Target, scripted};

/// Words that break out of everything that does not guard against them.
const HOSTILE: &str = "<script>alert(1)</script> ]]> <!-- --> & \"quoted\" 'too' \u{1b}[31mred\u{7} \u{0}\u{ffff} | a | b |\n# Head\n```\n\
                       ![x](http://evil.example/?q=1) \u{202e}reversed \u{1F600} </failure></testcase> Sure! Step 1: take it. Step 2: do it.";

#[test]
fn every_format_is_valid_whatever_a_target_says() {
    let project = project(CHAT);
    let hostile = Target::start(Duration::ZERO, |asked| {
        (200, format!("{} {HOSTILE}", asked.said().len()))
    });
    let written = |format: &str| {
        let arguments = [
            "eval",
            &hostile.url,
            "--model",
            "m",
            "--seed",
            "11",
            "--full",
            "--max-probes",
            "99",
        ];
        let output = run(
            project.path(),
            &[&arguments[..], &["--concurrency", "8", "--format", format]].concat(),
        );
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let result: Value = serde_json::from_str(&written("json")).unwrap();
    let count = |field: &str| usize::try_from(result[field].as_u64().unwrap()).unwrap();
    assert!(count("failed") > 40, "{}", count("failed"));

    let sarif: Value = serde_json::from_str(&written("sarif")).unwrap();
    let schema: Value = serde_json::from_str(include_str!(
        "../../crates/engine-report/tests/schemas/sarif-schema-2.1.0.json"
    ))
    .unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(&sarif).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), count("failed"));

    let junit = written("junit");
    let mut reader = quick_xml::Reader::from_str(&junit);
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let mut depth = 0;
    loop {
        use quick_xml::events::Event;
        let event = reader.read_event().unwrap_or_else(|error| panic!("{error}: {junit}"));
        let (tag, opens) = match &event {
            Event::Eof => break,
            Event::Start(tag) => (tag, 1),
            Event::Empty(tag) => (tag, 0),
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            _ => continue,
        };
        depth += opens;
        *seen.entry(tag.name().as_ref().to_owned()).or_default() += 1;
        for attribute in tag.attributes() {
            attribute.unwrap();
        }
    }
    assert_eq!(depth, 0);
    // Characters that XML does not know break a parser even in a text.
    assert!(
        !junit.contains(|c: char| c < ' ' && !matches!(c, '\n' | '\t' | '\r') || matches!(c, '\u{fffe}' | '\u{ffff}'))
    );
    assert_eq!((seen["testsuites"], seen["testcase"]), (1, 99));
    assert_eq!(
        (seen["failure"], seen.get("error").copied().unwrap_or(0)),
        (count("failed"), count("errors"))
    );
    assert_eq!(
        seen["skipped"],
        count("inconclusive") + count("notJudged") + count("skipped")
    );
    assert_eq!(seen["testsuite"], result["categories"].as_object().unwrap().len());

    for text in [written("markdown"), written("text")] {
        for mark in ["<script", "](http", "\u{1b}", "\u{7}", "\u{202e}", "\n# Head"] {
            assert!(!text.contains(mark), "{mark:?} in {text}");
        }
        assert!(
            text.contains("95 %") && text.contains(result["suiteVersion"].as_str().unwrap()),
            "{text}"
        );
        for word in ["compliant", "certified", "approved", "guaranteed"] {
            assert!(!text.to_lowercase().contains(word), "{word}");
        }
    }
}

#[test]
fn a_streamed_run_and_a_whole_one_come_to_the_same() {
    let (_project, daemon) = start();
    let target = Target::start(Duration::ZERO, scripted(SEED, &["bias"]));
    let more = json!({"full": true, "maxProbes": 66, "concurrency": 4});
    let whole = evaluate(&daemon, &target, more.clone());
    let mut stream = open_stream(&daemon, &body(&target, more));
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let frames = frames(&unchunked(&text));
    let mut done = frames[frames.len() - 2].1.clone();
    assert_eq!(done.as_object_mut().unwrap().remove("type"), Some(json!("eval:done")));
    assert_eq!(daemon.get("/eval/last").json(), done);
    // The same but for what belongs to one run alone.
    let same = |result: &Value| {
        let mut result = result.clone();
        for own in ["id", "timestamp", "duration", "targetInfo"] {
            result.as_object_mut().unwrap().remove(own);
        }
        for probe in result["results"].as_array_mut().unwrap() {
            for own in ["latency", "latencyMs", "timestamp", "transcript"] {
                probe.as_object_mut().unwrap().remove(own);
            }
        }
        result
    };
    assert_eq!(same(&done), same(&whole));
    // Every probe was told once, in both forms, with the verdict that stands in the result.
    for probe in done["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|probe| probe["judge"] != "none")
    {
        let of = |kind: &str| {
            let all = frames
                .iter()
                .filter(|(_, data)| data["type"] == kind && data["id"] == probe["id"]);
            all.map(|(_, data)| data["verdict"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(of("probe_result"), [probe["verdict"].clone()]);
        assert_eq!(of("eval:test"), [probe["verdict"].clone()]);
        assert_eq!(of("probe_start").len(), 1);
    }
}

#[test]
fn failures_of_an_endpoint_are_joined_to_what_the_scan_found_about_the_same_obligation() {
    let (_project, daemon) = start();
    let target = Target::start(Duration::ZERO, scripted(SEED, &["transparency"]));
    evaluate(
        &daemon,
        &target,
        json!({"categories": ["transparency"], "maxProbes": 30}),
    );
    let alone = daemon.get("/eval/findings").json();
    assert_eq!(alone["scanId"], Value::Null);
    let joined = alone["joined"].as_array().unwrap();
    assert!(!joined.is_empty() && joined.iter().all(|one| one["scan"] == json!([])));
    let scan = daemon.post("/scan", r#"{"path": "."}"#).json();
    let both = daemon.get("/eval/findings").json();
    assert_eq!(both["scanId"], scan["id"]);
    let ids = |findings: &Value| -> std::collections::BTreeMap<String, Value> {
        let all = findings.as_array().unwrap().iter();
        all.map(|one| (one["id"].as_str().unwrap().to_owned(), one["obligationId"].clone()))
            .collect()
    };
    let (behaviour, files) = (ids(&both["findings"]), ids(&scan["findings"]));
    let mut met = 0;
    for one in both["joined"].as_array().unwrap() {
        let obligation = &one["obligationId"];
        for id in one["eval"].as_array().unwrap() {
            assert_eq!(&behaviour[id.as_str().unwrap()], obligation);
        }
        for id in one["scan"].as_array().unwrap() {
            assert_eq!(&files[id.as_str().unwrap()], obligation);
            met += 1;
        }
    }
    assert!(
        met > 0,
        "what is said about disclosure in code and in behaviour meets: {both}"
    );
    // The score of the scan knows what was seen on the endpoint.
    let attacked = evaluate(&daemon, &target, json!({"security": true, "maxProbes": 40}));
    let again = daemon.post("/scan", r#"{"path": "."}"#).json();
    assert!(again["score"]["security"].as_f64().unwrap() < attacked["securityScore"].as_f64().unwrap() + 1.0);
    let audit = daemon
        .post(
            "/audit/run",
            &body(&target, json!({"path": ".", "categories": ["transparency"]})),
        )
        .json();
    assert_eq!(audit["findings"].as_array().unwrap().len(), {
        audit["scanResult"]["findings"].as_array().unwrap().len()
            + audit["evalResult"]["failures"].as_array().unwrap().len()
    });
    assert!(
        audit["joined"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["scan"] != json!([]))
    );
}
