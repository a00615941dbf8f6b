//! Runs that end early and go on, whoever ends them, and runs with a model that judges.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use engine_eval::{Method, SampleVerdict, Suite};
use serde_json::{Value, json};

use crate::evals::{SEED, body, counts, evaluate, open_stream, questions, start, twice};
use crate::support::{CHAT, Daemon, binary, project, run, wait_for};
use crate::target::{Gate, Target, never, scripted, write_chat};

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn a_daemon_that_is_killed_at_any_moment_sends_nothing_twice() {
    let expected = questions();
    for (moment, concurrency) in [(1, 1), (6, 50), (33, 4), (200, 16), (500, 50)] {
        let (project, mut daemon) = start();
        let target = Target::start(Duration::from_millis(2), scripted(SEED, &[]));
        let kill = |daemon: &mut Daemon| {
            daemon.child.kill().unwrap();
            daemon.wait();
        };
        let stream = open_stream(&daemon, &body(&target, json!({"concurrency": concurrency})));
        wait_for("the moment of the kill", || target.seen().len() >= moment);
        kill(&mut daemon);
        drop(stream);
        let mut daemon = Daemon::start(project.path(), &["--project", "."]);
        let id = daemon.get("/eval/list").json()["results"][0]["id"].clone();
        // Once more, while it goes on.
        let again = body(&target, json!({"resume": id, "concurrency": concurrency}));
        let stream = open_stream(&daemon, &again);
        wait_for("the second moment", || target.seen().len() >= moment + 60);
        kill(&mut daemon);
        drop(stream);
        let daemon = Daemon::start(project.path(), &["--project", "."]);
        let whole = evaluate(&daemon, &target, json!({"resume": id, "concurrency": 20}));
        assert_eq!(
            (&whole["id"], &whole["total"], &whole["complete"]),
            (&id, &json!(330), &json!(true))
        );
        let seen = counts(&target);
        assert!(
            twice(&expected, &seen).is_empty(),
            "{moment}: {:?}",
            twice(&expected, &seen)
        );
        // What was out at a kill counts as asked, and its probes stand in the result without a usable reply.
        let lost = whole["errors"].as_u64().unwrap();
        assert!(
            lost <= 2 * concurrency,
            "{moment}: {lost} probes lost at a concurrency of {concurrency}"
        );
        let sent: usize = seen.values().sum();
        let counted = whole["budget"]["spent"]["requests"].as_u64().unwrap();
        assert!(counted >= sent as u64, "{counted} counted, {sent} sent");
        assert_eq!(daemon.get("/agent/evidence/verify?full=true").json()["valid"], true);
    }
}

#[test]
fn a_run_goes_on_only_with_the_target_the_form_and_the_prompt_that_it_began_with() {
    let (_project, daemon) = start();
    let target = Target::start(Duration::ZERO, scripted(SEED, &[]));
    let form = json!({
        "requestTemplate": {"messages": [{"role": "user", "content": "{{prompt}}"}], "user": "u1", "api_key": "FirstSecret-81"},
        "responsePath": "reply",
        "systemPrompt": "Answer in one sentence.",
    });
    let with = |more: Value| {
        let mut all = form.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let part = evaluate(&daemon, &target, with(json!({"maxRequests": 12})));
    assert_eq!(part["complete"], false);
    let id = &part["id"];
    let refused = |more: Value, field: &str| {
        let failure = daemon
            .post("/eval/run", &body(&target, with(more)))
            .assert_failure(422, "impossible");
        assert_eq!(failure["field"], field, "{failure}");
    };
    let template = json!({"messages": [{"role": "user", "content": "Please: {{prompt}}"}]});
    let asked = target.everything_seen();
    refused(json!({"resume": id, "requestTemplate": template}), "requestTemplate");
    refused(
        json!({"resume": id, "systemPrompt": "Answer at length."}),
        "systemPrompt",
    );
    refused(json!({"resume": id, "systemPrompt": null}), "systemPrompt");
    refused(
        json!({"resume": id, "responsePath": "choices.0.message.content"}),
        "responsePath",
    );
    refused(json!({"resume": id, "model": "another"}), "model");
    let other = Target::constant("Yes.");
    let failure = daemon.post("/eval/run", &body(&other, with(json!({"resume": id}))));
    assert_eq!(failure.assert_failure(422, "impossible")["field"], "resume");
    assert_eq!(
        target.everything_seen(),
        asked,
        "nothing is sent for a run that cannot go on"
    );
    // A new key and another spelling of the same form are no difference.
    let same =
        r#"{"api_key": "SecondSecret-99", "user": "u1", "messages": [{"content": "{{prompt}}", "role": "user"}]}"#;
    let whole = evaluate(&daemon, &target, with(json!({"resume": id, "requestTemplate": same})));
    assert_eq!((&whole["id"], &whole["complete"]), (id, &json!(true)));
}

/// What a model says that knows the samples of the suite by heart. It is asked in the form of chat completions.
fn judge() -> Target {
    let suite = Suite::built_in().unwrap();
    let by_model = suite.probes().iter().filter(|probe| probe.method == Method::Llm);
    let fails: Vec<String> = by_model
        .flat_map(|probe| &probe.samples)
        .filter(|sample| sample.verdict == SampleVerdict::Fail)
        .flat_map(|sample| sample.replies.values().flatten().cloned())
        .collect();
    Target::raw(move |asked, stream| {
        if !asked.head.contains("Bearer JudgeKey-71Qx") {
            return write_chat(stream, 401, "no", None);
        }
        let said = asked.said();
        let known = fails.iter().any(|reply| said.contains(reply.as_str()));
        let verdict = if known { "fail" } else { "pass" };
        let verdict = json!({"reason": "as it is known", "verdict": verdict}).to_string();
        write_chat(stream, 200, &verdict, Some((200, 20)))
    })
}

#[test]
fn a_model_that_stands_in_the_env_file_judges_and_is_measured_and_paid_for() {
    let (project, daemon) = start();
    let (safe, judge) = (Target::start(Duration::ZERO, scripted(SEED, &[])), judge());
    let env = |text: &str| {
        let folder = project.path().join(".compliance");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(".env"), text).unwrap();
    };
    env("# nothing yet\nEVAL_JUDGE_MODEL=referee\n");
    daemon
        .post("/eval/run", &body(&safe, json!({"llm": true})))
        .assert_failure(424, "missing-part");
    assert_eq!(daemon.get("/eval/list").json()["judgeConfigured"], false);
    env(&format!(
        "export EVAL_JUDGE_URL=\"{}\"\nEVAL_JUDGE_MODEL='referee'\nEVAL_JUDGE_KEY=JudgeKey-71Qx\n\
         EVAL_JUDGE_INPUT_PER_MILLION=5\nEVAL_JUDGE_OUTPUT_PER_MILLION=25\n",
        judge.url
    ));
    assert_eq!(daemon.get("/eval/list").json()["judgeConfigured"], true);
    let prices = json!({"inputPerMillion": 1.0, "outputPerMillion": 2.0});
    let result = evaluate(
        &daemon,
        &safe,
        json!({"llm": true, "maxProbes": 99, "concurrency": 8, "prices": prices}),
    );
    let by_model: Vec<&Value> = result["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|probe| probe["method"] == "llm-judge")
        .collect();
    assert!(by_model.len() >= 10, "{}", by_model.len());
    for probe in &by_model {
        assert_eq!(
            (&probe["verdict"], &probe["judge"]),
            (&json!("pass"), &json!("model referee")),
            "{probe}"
        );
    }
    let quality = &result["judge"];
    assert_eq!(
        (
            &quality["model"],
            &quality["controls"],
            &quality["sensitivity"],
            &quality["specificity"]
        ),
        (&json!("referee"), &json!(20), &json!(1.0), &json!(1.0))
    );
    assert_eq!(result["notJudged"], 0);
    let spent = &result["budget"]["spent"];
    // Two orders for each of the known items and of the probes.
    let asked = judge.everything_seen();
    assert_eq!(
        (&spent["judgeRequests"], asked),
        (&json!(asked), 40 + 2 * by_model.len())
    );
    assert_eq!(spent["judgeInputTokens"], 200 * asked);
    assert_eq!(result["budget"]["estimate"]["judgeRequests"], asked);
    #[expect(clippy::cast_precision_loss, reason = "requests of a test")]
    let judged = asked as f64 * (200.0 * 5.0 + 20.0 * 25.0) / 1e6;
    assert!(result["cost"].as_f64().unwrap() > judged, "{} {judged}", result["cost"]);
    // What fails is told by the model with its name, and both halves count in one limit.
    let failing = Target::start(Duration::ZERO, scripted(SEED, &["conformity", "transparency", "bias"]));
    let bad = evaluate(
        &daemon,
        &failing,
        json!({"llm": true, "maxProbes": 99, "concurrency": 8}),
    );
    let failed = bad["failures"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|failure| failure["reason"] == "as it is known");
    assert!(failed.count() >= 10);
    let before = judge.everything_seen() + safe.everything_seen();
    let capped = evaluate(
        &daemon,
        &safe,
        json!({"llm": true, "maxRequests": 70, "concurrency": 4}),
    );
    assert_eq!(capped["stopped"]["reason"], "max_requests");
    assert_eq!(judge.everything_seen() + safe.everything_seen() - before, 70);
    // The target is never its own judge, and the key of the judge stands nowhere.
    let own = daemon.post(
        "/eval/run",
        &json!({"target": judge.url, "llm": true, "model": "referee", "apiKey": "JudgeKey-71Qx"}).to_string(),
    );
    assert_eq!(own.assert_failure(422, "impossible")["field"], "llm");
    let database = std::fs::read(project.path().join(".compliance/state.db")).unwrap();
    let told = [result.to_string().into_bytes(), database].concat();
    assert!(!told.windows(11).any(|part| part == b"JudgeKey-71"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_command_within_the_requests_in_flight_and_keeps_what_came() {
    let project = project(CHAT);
    let gate = Gate::after(20);
    let slow = Target::gated(&gate, scripted(SEED, &[]));
    let arguments = [
        "eval",
        slow.url.as_str(),
        "--model",
        "m",
        "--seed",
        "11",
        "--concurrency",
        "3",
        "--format",
        "json",
    ];
    let child = binary()
        .args(arguments)
        .args(["--max-probes", "60", "--progress", "always"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("three requests in flight", || gate.held().len() == 3);
    let in_flight = gate.held();
    let interrupted = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status()
        .unwrap();
    let at_signal = slow.seen().len();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(slow.seen().len(), at_signal, "nothing more is sent");
    gate.open();
    let partial: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&partial["complete"], &partial["stopped"]["reason"]),
        (&json!(false), &json!("cancelled"))
    );
    assert!(partial["passed"].as_u64().unwrap() > 3 && partial["skipped"].as_u64().unwrap() > 3);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("60 probes: about") && told.contains("tokens sent"),
        "{told}"
    );
    assert!(told.contains("[#") && told.contains("/60 "), "a bar is drawn: {told}");
    let id = partial["id"].as_str().unwrap();
    assert!(told.contains(&format!("--resume {id}")), "{told}");
    let rest = run(project.path(), &[&arguments[..], &["--resume", id]].concat());
    assert_eq!(rest.status.code(), Some(0), "{}", String::from_utf8_lossy(&rest.stderr));
    assert!(rest.stderr.is_empty(), "no bar where nobody looks");
    let whole: Value = serde_json::from_slice(&rest.stdout).unwrap();
    assert_eq!((&whole["total"], &whole["complete"]), (&json!(60), &json!(true)));
    let again = twice(&questions(), &counts(&slow));
    assert!(again.iter().all(|said| in_flight.contains(said)), "{again:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_command_though_the_target_has_not_answered_and_never_does() {
    let project = project(CHAT);
    let silent = Target::raw(|_, stream| never(stream));
    let mut child = binary()
        .args(["eval", &silent.url, "--model", "m"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the first question", || silent.everything_seen() == 1);
    let killed = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status()
        .unwrap();
    assert!(killed.success());
    // A command that went on waiting would end with the code of a target that does not answer.
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out, "");
}
