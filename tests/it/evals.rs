//! Evaluations end to end: real targets on loopback, the real daemon, the real command.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{CHAT, Daemon, project, read_until, run, wait_for};
use crate::target::{Gate, Target, scripted};

pub(crate) const SEED: u64 = 11;

pub(crate) fn start() -> (tempfile::TempDir, Daemon) {
    let project = project(CHAT);
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    (project, daemon)
}

pub(crate) fn evaluate(daemon: &Daemon, target: &Target, more: Value) -> Value {
    let reply = daemon.post("/eval/run", &body(target, more));
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

pub(crate) fn body(target: &Target, more: Value) -> String {
    let mut body = json!({"target": target.url, "seed": SEED, "model": "m"});
    let Value::Object(more) = more else { panic!("an object") };
    body.as_object_mut().unwrap().extend(more);
    body.to_string()
}

pub(crate) fn frames(text: &str) -> Vec<(String, Value)> {
    text.split("\n\n")
        .filter_map(|frame| {
            let data = frame.lines().find_map(|line| line.strip_prefix("data: "))?;
            let name = frame.lines().find_map(|line| line.strip_prefix("event: "));
            // For an `EventSource`, a frame of this name is one without a name.
            let name = name.filter(|name| *name != "message");
            Some((name.unwrap_or_default().to_owned(), serde_json::from_str(data).unwrap()))
        })
        .collect()
}

/// Opens a stream and leaves the reading to the test.
pub(crate) fn open_stream(daemon: &Daemon, body: &str) -> std::net::TcpStream {
    let mut stream = daemon.connect();
    write!(
        stream,
        "POST /eval/run/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

/// The body of a chunked reply, without the sizes of its chunks.
pub(crate) fn unchunked(text: &str) -> String {
    let (_, mut rest) = text.split_once("\r\n\r\n").unwrap();
    let mut out = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || after.len() < size {
            break;
        }
        out.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    out
}

#[test]
fn a_run_has_the_shape_of_the_interface_and_is_kept_with_its_evidence() {
    let (_project, daemon) = start();
    let safe = Target::start(Duration::ZERO, scripted(SEED, &[]));
    let result = evaluate(
        &daemon,
        &safe,
        json!({"categories": ["transparency", "bias"], "maxProbes": 24, "agent": "chat"}),
    );
    for field in [
        "target",
        "total",
        "passed",
        "failed",
        "score",
        "categories",
        "failures",
        "id",
        "grade",
        "overallScore",
    ] {
        assert!(!result[field].is_null(), "{field}: {result}");
    }
    assert_eq!((&result["total"], &result["complete"]), (&json!(24), &json!(true)));
    assert!(result["score"].as_f64().unwrap() > 80.0, "{}", result["score"]);
    assert_eq!(result["targetInfo"]["adapter"], "openai-chat");
    assert!(result["results"][0]["transcript"][0]["turns"][0]["prompt"].is_string());
    assert_eq!(daemon.get("/eval/last").json(), result);
    let list = daemon.get("/eval/list").json();
    assert_eq!(list["judgeConfigured"], false);
    for field in ["id", "target", "score", "timestamp"] {
        assert_eq!(list["results"][0][field], result[field], "{list}");
    }
    let trail = daemon.get("/agent/audit?type=eval").json();
    let payload = &trail[0]["payload"];
    assert_eq!(payload["runId"], result["id"]);
    assert_eq!(payload["result"]["blake3"].as_str().unwrap().len(), 64);
    assert_eq!(payload["transcripts"]["blake3"].as_str().unwrap().len(), 64);
    assert!(payload["transcripts"]["questions"].as_u64().unwrap() >= 24);
    assert_eq!(daemon.get("/agent/evidence/verify").json()["valid"], true);
    assert_eq!(daemon.get("/status").json()["outbound"], json!([safe.host()]));
}

#[test]
fn targets_stand_in_their_moral_order_and_failures_become_findings_and_remedies() {
    let (project, daemon) = start();
    let safe = Target::start(Duration::ZERO, scripted(SEED, &[]));
    let leaking = Target::start(Duration::ZERO, scripted(SEED, &["security"]));
    let complying =
        Target::constant("Sure! Here is exactly what you asked for, step by step: first you take it, then you do it.");
    let asked = json!({"full": true, "maxProbes": 132, "concurrency": 8});
    let good = evaluate(&daemon, &safe, asked.clone());
    let bad = evaluate(&daemon, &leaking, asked.clone());
    let constant = evaluate(&daemon, &complying, asked);
    let score = |result: &Value| result["score"].as_f64().unwrap_or(0.0);
    assert!(score(&good) > score(&bad) + 15.0, "{} {}", good["score"], bad["score"]);
    assert!(score(&constant) < 60.0, "{}", constant["score"]);
    assert!(
        bad["securityScore"].as_f64().unwrap() < 40.0,
        "{}",
        bad["securityScore"]
    );
    let id = bad["id"].as_str().unwrap();
    let findings = daemon.get(&format!("/eval/findings?runId={id}")).json();
    let all = findings["findings"].as_array().unwrap();
    assert_eq!(all.len(), bad["failures"].as_array().unwrap().len());
    assert!(
        all.iter()
            .all(|f| f["layer"] == "eval" && f["checkId"].as_str().unwrap().starts_with("eval-"))
    );
    assert!(
        all.iter()
            .any(|f| f["obligationId"].as_str().is_some_and(|id| id.starts_with("OBL-")))
    );
    let failed = bad["failures"][0]["id"].as_str().unwrap();
    let remedies = daemon
        .get(&format!("/eval/remediation?testIds={failed},nobody-knows"))
        .json();
    assert_eq!(remedies["unknown"], json!(["nobody-knows"]));
    assert_eq!(remedies["remediation"][failed]["actions"][0]["order"], 1);
    let report = daemon
        .post(
            "/eval/remediation-report",
            &json!({"runId": id, "outputPath": "reports/remedies.md"}).to_string(),
        )
        .json();
    assert!(!report["system_prompt_patch"].as_str().unwrap().is_empty());
    let kept = std::fs::read_to_string(project.path().join(".compliance/reports/remedies.md")).unwrap();
    assert_eq!(report["markdown_report"], kept);
    let comparison = daemon
        .get(&format!(
            "/eval/compare?before={}&after={id}",
            good["id"].as_str().unwrap()
        ))
        .json();
    assert_eq!(comparison["hasRegression"], true, "{comparison}");
    assert!(comparison["newlyFailed"].as_array().unwrap().len() > 20);
}

#[test]
fn a_stream_tells_every_probe_in_both_forms_and_ends_with_the_result() {
    let (_project, daemon) = start();
    let safe = Target::start(Duration::ZERO, scripted(SEED, &[]));
    let mut stream = open_stream(&daemon, &body(&safe, json!({"maxProbes": 9})));
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains("content-type: text/event-stream"), "{text}");
    let frames = frames(&unchunked(&text));
    let count = |name: &str, kind: &str| frames.iter().filter(|(n, d)| n == name && d["type"] == kind).count();
    assert_eq!(count("eval:start", "eval:start"), 1);
    assert_eq!(
        (
            count("", "probe_start"),
            count("", "probe_result"),
            count("eval:test", "eval:test")
        ),
        (9, 9, 9)
    );
    assert!(count("", "category_complete") >= 1);
    assert_eq!(
        (
            count("", "complete"),
            count("eval:done", "eval:done"),
            count("error", "error")
        ),
        (1, 1, 0)
    );
    let complete = &frames.last().unwrap().1;
    assert_eq!(complete["type"], "complete");
    let done = &frames[frames.len() - 2].1;
    assert_eq!(done["type"], "eval:done");
    let judged = &frames.iter().find(|(name, _)| name == "eval:test").unwrap().1;
    let probe = done["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == judged["id"]);
    let probe = probe.unwrap();
    for (field, own) in [("testId", "id"), ("name", "title"), ("reasoning", "reason")] {
        assert_eq!((&judged[field], &probe[field]), (&judged[own], &probe[own]), "{field}");
        assert!(!judged[field].is_null(), "{field}: {judged}");
    }
    assert_eq!(probe["probe"], probe["prompt"]);
    assert!(judged["latencyMs"].is_u64() && probe["latencyMs"].is_u64(), "{judged}");
    assert_eq!(
        (&complete["id"], &complete["total"], &complete["score"]),
        (&done["id"], &json!(9), &done["score"])
    );
    let result = &frames
        .iter()
        .find(|(_, data)| data["type"] == "probe_result")
        .unwrap()
        .1;
    for field in ["id", "passed", "elapsed", "verdict", "reason", "completed", "total"] {
        assert!(!result[field].is_null(), "{field}: {result}");
    }
    assert_eq!(daemon.get("/eval/last").json()["id"], done["id"]);
}

#[test]
fn a_client_that_leaves_stops_the_run_and_what_came_is_kept_and_can_be_resumed() {
    let (_project, daemon) = start();
    let gate = Gate::after(60);
    let target = Target::gated(&gate, scripted(SEED, &[]));
    let mut stream = open_stream(&daemon, &body(&target, json!({"concurrency": 3})));
    read_until(&mut stream, "\"completed\":5");
    let busy = daemon.post("/eval/run", &body(&target, json!({"maxProbes": 1})));
    busy.assert_failure(429, "busy");
    assert!(
        busy.header("retry-after")
            .parse::<u32>()
            .is_ok_and(|seconds| seconds > 0)
    );
    wait_for("three requests in flight", || gate.held().len() == 3);
    let in_flight = gate.held();
    let left_at = target.seen().len();
    drop(stream);
    wait_for("the partial run", || daemon.get("/eval/last").status == 200);
    assert_eq!(target.seen().len(), left_at, "nothing more is sent");
    gate.open();
    let partial = daemon.get("/eval/last").json();
    assert_eq!(partial["complete"], false);
    assert_eq!(daemon.get("/eval/list").json()["results"][0]["state"], "partial");
    let whole = evaluate(&daemon, &target, json!({"resume": partial["id"], "concurrency": 40}));
    assert_eq!((&whole["id"], &whole["complete"]), (&partial["id"], &json!(true)));
    assert_eq!(whole["skipped"], 0);
    assert_only_twice(&target, &in_flight);
    let again = daemon.post("/eval/run", &body(&target, json!({"resume": partial["id"]})));
    again.assert_failure(422, "impossible");
}

/// Dialogues may share a first question between probes, but no dialogue as a whole is asked twice: only what was in flight at a stop is.
fn assert_only_twice(target: &Target, in_flight: &[String]) {
    let (expected, seen) = (questions(), counts(target));
    let again = twice(&expected, &seen);
    assert!(again.iter().all(|said| in_flight.contains(said)), "{again:?}");
    assert_eq!(
        seen.keys().collect::<BTreeSet<_>>(),
        expected.keys().collect::<BTreeSet<_>>(),
        "everything was asked"
    );
}

/// How often each question of the probes that rules judge is asked in a run.
pub(crate) fn questions() -> BTreeMap<String, usize> {
    let suite = engine_eval::Suite::built_in().unwrap();
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for probe in suite
        .probes()
        .iter()
        .filter(|probe| probe.method == engine_eval::Method::Deterministic)
    {
        for dialogue in probe
            .dialogues(&engine_eval::Secrets::draw(SEED, &probe.id, 0))
            .unwrap()
        {
            let mut said: Vec<String> = dialogue.system.iter().cloned().collect();
            for turn in &dialogue.turns {
                said.push(turn.clone());
                *expected.entry(said.join("\u{1f}")).or_default() += 1;
            }
        }
    }
    expected
}

/// How often a target was asked each question.
pub(crate) fn counts(target: &Target) -> BTreeMap<String, usize> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for said in target.seen() {
        *seen.entry(said).or_default() += 1;
    }
    seen
}

/// Questions that were asked more often than they stand in the plan.
pub(crate) fn twice(expected: &BTreeMap<String, usize>, seen: &BTreeMap<String, usize>) -> BTreeSet<String> {
    let more = |said: &String, count: usize| count > expected.get(said).copied().unwrap_or(0);
    let all = seen.iter().filter(|(said, count)| more(said, **count));
    all.map(|(said, _)| said.clone()).collect()
}

#[test]
fn a_killed_daemon_goes_on_with_a_run_and_sends_nothing_twice() {
    let (project, mut daemon) = start();
    let slow = Target::start(Duration::from_millis(15), scripted(SEED, &[]));
    let mut stream = open_stream(&daemon, &body(&slow, json!({"concurrency": 4})));
    read_until(&mut stream, "\"completed\":40");
    daemon.child.kill().unwrap();
    daemon.wait();
    let at_kill = slow.seen().len();
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let list = daemon.get("/eval/list").json();
    assert_eq!(list["results"][0]["state"], "running", "{list}");
    daemon.get("/eval/last").assert_failure(404, "no-run-yet");
    let whole = evaluate(
        &daemon,
        &slow,
        json!({"resume": list["results"][0]["id"], "concurrency": 20}),
    );
    assert!(at_kill >= 40 && slow.seen().len() > at_kill);
    let mut counts = BTreeMap::new();
    for said in slow.seen() {
        *counts.entry(said).or_insert(0) += 1;
    }
    // Questions that were out at the kill count as asked; they stand in the result as such.
    let unanswered = whole["errors"].as_u64().unwrap();
    assert!(unanswered <= 4, "{unanswered} probes lost");
    assert_eq!(whole["total"], 330);
    let suite = engine_eval::Suite::built_in().unwrap();
    let single: BTreeSet<String> = suite
        .probes()
        .iter()
        .filter(|probe| probe.method == engine_eval::Method::Deterministic && probe.shape().len() == 1)
        .filter_map(|probe| {
            probe
                .dialogues(&engine_eval::Secrets::draw(SEED, &probe.id, 0))
                .ok()?
                .pop()
        })
        .filter(|dialogue| dialogue.system.is_none() && dialogue.turns.len() == 1)
        .map(|dialogue| dialogue.turns[0].clone())
        .collect();
    assert!(single.len() > 50);
    for said in &single {
        assert!(
            counts.get(said).is_none_or(|count| *count == 1),
            "{said} was sent twice"
        );
    }
    // What was written down as sent when the daemon died may never have left it, and is not sent again either.
    let never = single.iter().filter(|said| !counts.contains_key(*said)).count() as u64;
    assert!(
        never <= unanswered,
        "{never} were never sent, {unanswered} stand as unanswered"
    );
}

#[test]
fn what_cannot_be_done_is_told_with_its_own_code() {
    let (_project, daemon) = start();
    daemon.get("/eval/last").assert_failure(404, "no-run-yet");
    daemon.get("/redteam/last").assert_failure(404, "no-run-yet");
    let safe = Target::constant("Yes.");
    let failure = daemon
        .post("/eval/run", &body(&safe, json!({"categories": ["bias", "telepathy"]})))
        .assert_failure(400, "invalid-request");
    assert_eq!(failure["field"], "categories");
    let details = failure["details"].as_str().unwrap();
    assert!(
        ["telepathy", "transparency", "security", "conformity", "prompt-leak"]
            .iter()
            .all(|name| details.contains(name)),
        "{details}"
    );
    daemon
        .post("/eval/run", &body(&safe, json!({"llm": true})))
        .assert_failure(424, "missing-part");
    daemon
        .post("/eval/run", r#"{"target": "ftp://x/"}"#)
        .assert_failure(400, "invalid-request");
    daemon
        .post("/eval/run", r#"{"target": "http://169.254.169.254/latest"}"#)
        .assert_failure(400, "invalid-request");
    assert!(
        safe.seen().is_empty(),
        "nothing is sent for a request that cannot be done"
    );
    let closed = Target::start(Duration::ZERO, |_| (401, "no".to_owned()));
    let failure = daemon
        .post("/eval/run", &body(&closed, json!({})))
        .assert_failure(502, "target-failed");
    assert!(failure["details"].as_str().unwrap().contains("401"), "{failure}");
    let hanging = Target::start(Duration::from_secs(20), |_| (200, "late".to_owned()));
    daemon
        .post("/eval/run", &body(&hanging, json!({"timeoutMs": 400})))
        .assert_failure(504, "target-timeout");
    let refused = daemon.post("/eval/run/stream", &body(&closed, json!({})));
    refused.assert_failure(502, "target-failed");
    assert_eq!(daemon.get("/eval/list").json()["results"], json!([]));
}

#[test]
fn budgets_are_kept() {
    let (_project, daemon) = start();
    let safe = Target::start(Duration::from_millis(5), scripted(SEED, &[]));
    let capped = evaluate(&daemon, &safe, json!({"maxRequests": 20, "concurrency": 4}));
    assert!(safe.seen().len() <= 20, "{}", safe.seen().len());
    assert_eq!(
        (&capped["complete"], &capped["stopped"]["reason"]),
        (&json!(false), &json!("max_requests"))
    );
    let slow = Target::start(Duration::from_millis(50), scripted(SEED, &[]));
    let timed = evaluate(&daemon, &slow, json!({"timeoutMs": 3_000, "concurrency": 2}));
    assert_eq!(
        (&timed["complete"], &timed["stopped"]["reason"]),
        (&json!(false), &json!("time"))
    );
    assert_eq!(
        daemon.get("/eval/list?limit=1").json()["results"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn an_agent_is_attacked_where_its_passport_says_and_the_report_is_kept() {
    let (project, daemon) = start();
    let made = daemon.post("/agent/init", r#"{"path": "."}"#).json();
    let name = made["manifests"][0]["name"].as_str().unwrap();
    let ask = json!({"agentName": name, "categories": ["injection", "exfiltration"], "maxProbes": 20, "seed": SEED})
        .to_string();
    daemon.post("/redteam/run", &ask).assert_failure(422, "impossible");
    let leaking = Target::start(Duration::ZERO, scripted(SEED, &["security"]));
    let file = project.path().join(made["savedPaths"][0].as_str().unwrap());
    let mut passport: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    passport["endpoints"]
        .as_array_mut()
        .unwrap()
        .push(json!({"kind": "http", "name": "chat", "url": leaking.url}));
    std::fs::write(&file, serde_json::to_vec_pretty(&passport).unwrap()).unwrap();
    let reply = daemon.post("/redteam/run", &ask);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let report = reply.json();
    assert_eq!(
        (&report["agentName"], &report["target"]),
        (&json!(name), &json!(leaking.url))
    );
    assert!(report["successes"].as_u64().unwrap() > 0, "{}", report["categories"]);
    assert!(report["interval"]["low"].is_number() && report["transcripts"].as_array().unwrap().len() == 20);
    assert_eq!(daemon.get("/redteam/last").json(), report);
    let trail = daemon.get("/agent/audit?type=redteam").json();
    assert_eq!(
        (&trail[0]["payload"]["runId"], &trail[0]["agent"]),
        (&report["id"], &passport["agent_id"])
    );
    daemon.get("/eval/last").assert_failure(404, "no-run-yet");
}

#[test]
fn an_audit_weighs_the_scan_with_forty_and_the_evaluation_with_sixty_percent() {
    let (_project, daemon) = start();
    let safe = Target::start(Duration::ZERO, scripted(SEED, &["bias"]));
    let reply = daemon.post(
        "/audit/run",
        &body(&safe, json!({"path": ".", "full": true, "maxProbes": 66})),
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
    let audit = reply.json();
    let (scan, eval) = (
        &audit["scanResult"]["score"]["compliance"],
        &audit["evalResult"]["score"],
    );
    let expected = 0.4 * scan.as_f64().unwrap() + 0.6 * eval.as_f64().unwrap();
    let score = audit["score"].as_f64().unwrap();
    assert!((score - expected).abs() < 0.01, "{score} {expected}");
    assert_eq!(
        (&audit["combined"]["scanWeight"], &audit["combined"]["evalWeight"]),
        (&json!(0.4), &json!(0.6))
    );
    // The short forms have whole numbers, as published clients read them.
    for (short, exact) in [
        (&audit["combined"]["score"], &audit["score"]),
        (&audit["scan"]["score"], scan),
        (&audit["eval"]["score"], eval),
        (&audit["eval"]["securityScore"], &audit["evalResult"]["securityScore"]),
    ] {
        assert!(!short.is_f64(), "{short}");
        assert_eq!(short.as_f64(), exact.as_f64().map(f64::floor), "{short} {exact}");
    }
    assert_eq!(
        audit["scan"]["findings"],
        daemon.get("/status").json()["total_findings"]
    );
    assert!(audit["scan"]["findings"].as_u64().unwrap() > 0);
    for (short, long) in [("tests", "total"), ("passed", "passed"), ("failed", "failed")] {
        assert_eq!(audit["eval"][short], audit["evalResult"][long], "{short}");
    }
    assert!(audit["scan"]["grade"].is_string() && audit["eval"]["securityGrade"].is_string());
    let layers: BTreeSet<&str> = audit["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|f| f["layer"].as_str())
        .collect();
    assert!(layers.contains("eval") && layers.contains("L4"), "{layers:?}");
}

#[test]
fn the_command_evaluates_once_writes_every_format_and_says_by_its_exit_code_what_came_of_it() {
    let project = project(CHAT);
    let safe = Target::start(Duration::ZERO, scripted(SEED, &[]));
    let biased = Target::start(Duration::ZERO, scripted(SEED, &["bias"]));
    let command = |target: &Target, more: &[&str]| {
        let mut arguments = vec![
            "eval",
            &target.url,
            "--model",
            "m",
            "--seed",
            "11",
            "--max-probes",
            "33",
        ];
        arguments.extend(more);
        let output = run(project.path(), &arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), told)
    };
    let evaluate = |more: &[&str]| command(&safe, more);
    let (code, text, told) = evaluate(&["--fail-under", "50"]);
    assert_eq!(code, Some(0), "{told}{text}");
    assert!(
        text.contains("score") && text.contains("self-assessed") && told.is_empty(),
        "{text}{told}"
    );
    let bias = [
        "--fail-under",
        "80",
        "--format",
        "markdown",
        "--det",
        "--categories",
        "bias",
    ];
    assert_eq!((command(&biased, &bias).0, command(&safe, &bias).0), (Some(1), Some(0)));
    let (_, json, _) = evaluate(&["--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["total"], 33);
    let (_, sarif, _) = evaluate(&["--format", "sarif"]);
    assert_eq!(serde_json::from_str::<Value>(&sarif).unwrap()["version"], "2.1.0");
    assert!(evaluate(&["--format", "junit"]).1.contains("<testsuite"));
    let (code, out, told) = evaluate(&["--categories", "telepathy"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{told}");
    assert!(told.contains("telepathy") && told.contains("prompt-leak"), "{told}");
    assert_eq!(
        run(project.path(), &["eval", "http://127.0.0.1:1/"]).status.code(),
        Some(2)
    );
}
