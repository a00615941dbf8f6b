//! The SARIF log: its schema, places, levels and comparison.

use engine_model::{Finding, FindingType, ScanResult, Severity};
use serde_json::Value;

use super::fixtures::{finding, finished, helpdesk, library, no_ai, retired, undetermined, unevaluated};
use crate::{sarif, sarif_against};

pub(super) fn sarif_schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../../tests/schemas/sarif-schema-2.1.0.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

pub(super) fn assert_valid(schema: &jsonschema::Validator, log: &Value) {
    let errors: Vec<String> = schema
        .iter_errors(log)
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn sarif_of_a_project_with_two_systems() {
    insta::assert_json_snapshot!(sarif(&helpdesk()));
}

#[test]
fn sarif_is_valid_against_its_schema() {
    let schema = sarif_schema();
    for scan in [helpdesk(), no_ai(), library(), undetermined(), unevaluated()] {
        assert_valid(&schema, &sarif(&scan));
    }
    let broken = serde_json::json!({"version": "2.1.0", "runs": [{"results": []}]});
    assert!(!schema.is_valid(&broken), "the schema refuses a run without a tool");
}

#[test]
fn odd_paths_become_relative_references_and_come_back_unchanged() {
    let schema = sarif_schema();
    let paths = [
        "mit leer zeichen/ä ö ü.py",
        "a#b?c%20d.py",
        "c:/d.py",
        "日本/語.ts",
        "x\u{1b}[31m\n.py",
        "back\\slash",
    ];
    let mut scan = helpdesk();
    scan.findings = paths
        .iter()
        .map(|path| {
            finding(
                "l4-x",
                FindingType::Fail,
                Severity::Critical,
                Some((path, 1)),
                "message",
            )
        })
        .collect();
    let log = sarif(&scan);
    assert_valid(&schema, &log);
    for (result, path) in log["runs"][0]["results"].as_array().unwrap().iter().zip(paths) {
        let artifact = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        let uri = artifact["uri"].as_str().unwrap();
        assert_eq!(artifact["uriBaseId"], "%SRCROOT%");
        assert!(
            uri.is_ascii() && !uri.contains([':', '#', '?', ' ', '\\']) && !uri.starts_with('/'),
            "{uri}"
        );
        assert_eq!(decoded(uri), path);
    }
}

fn decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let hex = [rest.next().unwrap(), rest.next().unwrap()];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_result_points_at_its_rule_and_at_a_place() {
    let log = sarif(&helpdesk());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].is_string());
        assert!(
            result["suppressions"].is_array(),
            "one has suppressions, so all have them"
        );
        if result["kind"] != "fail" {
            assert_eq!(result["level"], "none");
        }
    }
    let suppressed: Vec<&Value> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r["suppressions"].as_array().unwrap())
        .collect();
    assert_eq!(suppressed.len(), 2);
    assert_eq!(suppressed[0]["kind"], "inSource");
    assert_eq!(suppressed[1]["kind"], "external");
    assert_eq!(suppressed[1]["justification"], "replaced in October");
}

#[test]
fn the_result_without_assessment_points_at_its_rule_and_at_a_place() {
    let mut suppressed = unevaluated();
    suppressed.findings = helpdesk().findings;
    suppressed.findings.retain(|finding| finding.suppressed.is_some());
    for scan in [no_ai(), library(), undetermined(), unevaluated(), finished(suppressed)] {
        let log = sarif(&scan);
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        let result = results.last().unwrap();
        assert_eq!(result["ruleId"], "not-assessed");
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "not-assessed");
        assert!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].is_string());
        let with = results
            .iter()
            .filter(|result| result["suppressions"].is_array())
            .count();
        assert!(
            with == 0 || with == results.len(),
            "all results have suppressions, or none"
        );
    }
}

#[test]
fn urgent_findings_are_errors_of_kind_fail_whatever_their_severity() {
    let mut scan = helpdesk();
    scan.findings = vec![
        retired("gpt-4-0613", "api/chat.py", 12, "chat", FindingType::Info),
        finding(
            "l4-x",
            FindingType::Fail,
            Severity::Medium,
            Some(("a.py", 1)),
            "No log was found.",
        ),
        finding(
            "l4-y",
            FindingType::Info,
            Severity::High,
            Some(("a.py", 2)),
            "No log was found.",
        ),
    ];
    let log = sarif(&finished(scan));
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |check: &str| {
        let found = results.iter().find(|result| result["ruleId"] == check).unwrap();
        (found["kind"].as_str().unwrap(), found["level"].as_str().unwrap())
    };
    assert_eq!(of("l3-retired-model"), ("fail", "error"));
    assert_eq!(of("l4-x"), ("fail", "warning"));
    assert_eq!(of("l4-y"), ("informational", "none"));
    assert_eq!(results[0]["properties"]["impact"], "breaks");
}

#[test]
fn a_comparison_marks_each_result_as_new_updated_unchanged_or_absent() {
    let after = helpdesk();
    let mut before = after.clone();
    let gone = Finding {
        id: "gone".to_owned(),
        ..after.findings[0].clone()
    };
    let [new, updated] = [after.findings[0].id.clone(), after.findings[1].id.clone()];
    before.findings[1].message.push_str(" Before.");
    before.findings[0] = gone;
    let log = sarif_against(&before, &after);
    assert_valid(&sarif_schema(), &log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), after.findings.len() + 1);
    for result in results {
        let id = result["partialFingerprints"]["complianceFindingId/v1"]
            .as_str()
            .unwrap();
        let expected = match id {
            "gone" => "absent",
            id if id == new => "new",
            id if id == updated => "updated",
            _ => "unchanged",
        };
        assert_eq!(result["baselineState"], expected, "{id}");
    }
    assert!(sarif(&after)["runs"][0]["results"][0].get("baselineState").is_none());
}

#[test]
fn an_absent_result_has_no_rank_and_changes_no_rank() {
    let after = helpdesk();
    let mut before = after.clone();
    before.findings.push(Finding {
        id: "gone".to_owned(),
        title: "Aggregated".to_owned(),
        severity: Severity::Critical,
        ..after.findings[0].clone()
    });
    let log = sarif_against(&before, &after);
    let alone = sarif(&after);
    let results = log["runs"][0]["results"].as_array().unwrap();
    for (result, same) in results.iter().zip(alone["runs"][0]["results"].as_array().unwrap()) {
        assert_eq!(result["properties"]["actionRank"], same["properties"]["actionRank"]);
    }
    let gone = results.last().unwrap();
    assert_eq!(gone["baselineState"], "absent");
    assert!(gone["properties"].get("actionRank").is_none());
}

#[test]
fn the_result_without_assessment_is_unchanged_if_it_was_there_before() {
    let state = |before: ScanResult, after: ScanResult| {
        let log = sarif_against(&before, &after);
        assert_valid(&sarif_schema(), &log);
        log["runs"][0]["results"].as_array().unwrap().last().unwrap()["baselineState"].clone()
    };
    assert_eq!(state(unevaluated(), unevaluated()), "unchanged");
    assert_eq!(state(helpdesk(), undetermined()), "new");
}

#[test]
fn results_beyond_25000_are_counted_and_the_urgent_ones_are_kept() {
    let mut scan = undetermined();
    scan.findings = (0..25_010)
        .map(|n| {
            finding(
                &format!("l4-check-{}", n / 5_000),
                FindingType::Fail,
                Severity::Low,
                Some(("a.py", n + 1)),
                "No log was found.",
            )
        })
        .collect();
    scan.findings
        .push(retired("gpt-4-0613", "api/chat.py", 12, "chat", FindingType::Info));
    let scan = finished(scan);
    let log = sarif(&scan);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    assert_eq!(results[0]["ruleId"], "l3-retired-model");
    assert_eq!(results[24_999]["ruleId"], "not-assessed");
    assert!(results.iter().all(|result| result["ruleIndex"].is_u64()));
    let notices = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notices.contains("findings: 12 more than listed here"), "{notices}");
}
