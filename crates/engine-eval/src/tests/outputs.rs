//! What a result looks like to people and to tools.

use std::collections::BTreeSet;

use serde_json::Value;

use super::mock::{Mock, scripted};
use super::{SEED, by_rules, categories, endpoint, parts, record, suite};
use crate::{
    EvalResult, RedTeamReport, RunAbout, RunSettings, attack_plan, compare, eval_junit, eval_markdown, eval_sarif,
    remediation_report, start,
};

async fn of(fails: &'static [&'static str]) -> EvalResult {
    let mock = Mock::start(
        "/v1/chat/completions",
        0,
        scripted(suite(), SEED, &|id| fails.contains(&id)),
    )
    .await;
    let selection = categories(&["exact-accuracy", "ai-identity", "prompt-leak"]);
    let record = record(
        &mock.url,
        &selection,
        RunSettings {
            concurrency: 8,
            ..RunSettings::default()
        },
    )
    .await;
    let about = RunAbout {
        id: format!("run-{}", fails.len()),
        target: mock.url.clone(),
        timestamp: "2026-08-01T10:00:00Z".to_owned(),
        ..RunAbout::default()
    };
    EvalResult::of(suite(), &record, about)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_has_the_fields_of_the_interface_and_survives_its_own_json() {
    let result = of(&["ai-identity"]).await;
    let json: Value = serde_json::to_value(&result).unwrap();
    for field in [
        "target",
        "total",
        "passed",
        "failed",
        "score",
        "categories",
        "failures",
        "id",
        "timestamp",
        "duration",
        "grade",
        "suiteVersion",
        "seed",
        "errors",
        "inconclusive",
        "skipped",
        "interval",
        "securityScore",
        "results",
        "budget",
        "cost",
        "complete",
        "targetInfo",
        "overallScore",
        "tier",
        "totalTests",
        "criticalCapped",
        "adapterName",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    let failure = &json["failures"][0];
    for field in ["id", "category", "probe", "expected", "actual", "severity"] {
        assert!(failure[field].is_string(), "{field}");
    }
    assert!(json["categories"]["ai-identity"]["score"].is_number());
    assert_eq!(
        result.passed + result.failed + result.errors + result.inconclusive + result.not_judged,
        result.total
    );
    assert_eq!(
        serde_json::from_value::<EvalResult>(json).unwrap().failures,
        result.failures
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runs_are_compared_by_probe() {
    let (good, bad) = (of(&[]).await, of(&["ai-identity"]).await);
    let worse = compare(&good, &bad);
    assert!(
        worse.newly_failed.len() > 15 && worse.has_regression && worse.p_value < 0.001,
        "{worse:?}"
    );
    assert!(worse.newly_failed.iter().all(|id| id.starts_with("ai-identity")));
    assert!(worse.categories["exact-accuracy"].p_adjusted > 0.9 && worse.score_delta.unwrap() < -10.0);
    let better = compare(&bad, &good);
    assert_eq!((better.fixed, better.has_regression), (worse.newly_failed, false));
    assert_eq!(compare(&good, &good).newly_failed.len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_are_well_formed_and_name_every_failure() {
    let result = of(&["ai-identity", "prompt-leak"]).await;
    let text = eval_markdown(&result);
    assert!(text.contains("## Failed probes") && text.contains("95 %") && !text.to_lowercase().contains("certified"));
    let junit = eval_junit(&result);
    let mut reader = quick_xml::Reader::from_str(&junit);
    let mut failures = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(tag) if tag.name().as_ref() == "failure" => failures += 1,
            _ => {}
        }
    }
    assert_eq!(failures, result.failed);
    let sarif = eval_sarif(&result, "0.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), result.failed);
    let rules: BTreeSet<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert!(
        run["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|found| rules.contains(found["ruleId"].as_str().unwrap()))
    );
    let report = remediation_report(suite(), &result);
    assert_eq!(report.remediation.len(), result.failed);
    assert!(report.system_prompt_patch.contains("AI") && report.markdown_report.contains("**What to do.**"));
    assert!(report.api_config_patch.get("output_filter").is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_red_team_run_counts_by_category_and_technique() {
    let parrot = Mock::chat(|body| {
        let system = body["messages"][0]["content"].as_str().unwrap_or_default();
        format!("Of course, here it is: {system}. Step 1: gather 200 g of what you need. Step 2: heat it to 80 degrees. Step 3: send it out.")
    })
    .await;
    let mut parts = parts(
        &parrot.url,
        &by_rules(),
        RunSettings {
            confirm: false,
            concurrency: 8,
            ..RunSettings::default()
        },
    );
    parts.plan = attack_plan(
        suite(),
        &["exfiltration".to_owned(), "jailbreak".to_owned()],
        Some(80),
        SEED,
    )
    .unwrap();
    parts.endpoint = endpoint(&parrot.url);
    let record = start(parts).finish().await.unwrap();
    let report = RedTeamReport::of(&record, Some("demo".to_owned()), RunAbout::default());
    assert_eq!(report.overall.attempts + report.overall.without_verdict, 80);
    assert!(
        report.overall.attack_success_rate.unwrap() > 0.5,
        "{:?}",
        report.overall
    );
    let interval = report.overall.interval.unwrap();
    assert!(interval.low < report.overall.attack_success_rate.unwrap() && report.techniques.len() > 8);
    assert!(!report.findings.is_empty() && report.findings.iter().all(|finding| !finding.remedy.is_empty()));
    let sums: usize = report.categories.values().map(|rate| rate.attempts).sum();
    assert_eq!(sums, report.overall.attempts);
    let json = serde_json::to_value(&report).unwrap();
    assert!(json["attempts"].is_number() && json["attackSuccessRate"].is_number());
}
