//! What becomes an action, with which places, and with which command.

use engine_model::{
    Action, ActionKind, Finding, FindingType, Impact, ObligationStatus, ScanResult, Severity, open_questions,
};

use super::fixtures::{
    crowded, date, finding, finished, helpdesk, in_force, likely, nothing, options, retired, secret, system,
    unevaluated,
};
use crate::actions;

fn of_findings(findings: Vec<Finding>) -> Vec<Action> {
    let mut scan = unevaluated();
    scan.findings = findings;
    let mut actions = actions(&finished(scan));
    actions.retain(|action| !action.findings.is_empty());
    actions
}

/// All places of an action.
fn places(action: &Action) -> Vec<&str> {
    action.place.iter().chain(&action.places).map(String::as_str).collect()
}

#[test]
fn secrets_of_several_kinds_are_one_action_with_all_places() {
    let actions = of_findings(vec![
        secret("secret-password", "Committed password", "deploy/values.yaml", 17),
        secret("secret-ai-key", "Committed AI key", "scripts/seed.py", 73),
        secret("secret-ai-key", "Committed AI key", "api/config.py", 124),
        secret("secret-private-key", "Committed private key", "certs/key.pem", 1),
    ]);
    assert_eq!(actions.len(), 1, "{actions:#?}");
    let action = &actions[0];
    assert_eq!(action.kind, ActionKind::FixNow);
    assert_eq!(action.title, "Committed secrets");
    assert_eq!(
        places(action),
        [
            "api/config.py:124",
            "certs/key.pem:1",
            "deploy/values.yaml:17",
            "scripts/seed.py:73"
        ]
    );
    assert_eq!(action.findings.len(), 4);
    assert_eq!(
        action.why,
        "4 secrets in the repository: AI key (2), private key, password."
    );
}

#[test]
fn fixable_findings_name_the_command_that_shows_their_fix() {
    let found = |fixable: [bool; 2]| {
        let mut findings = vec![
            secret("secret-password", "Committed password", "deploy/values.yaml", 17),
            secret("secret-ai-key", "Committed AI key", "scripts/seed.py", 73),
        ];
        for (finding, fixable) in findings.iter_mut().zip(fixable) {
            finding.fixable = fixable;
        }
        of_findings(findings).remove(0).command
    };
    assert_eq!(found([false, false]), None);
    assert_eq!(
        found([false, true]).as_deref(),
        Some("engine-server fix . --check secret-ai-key")
    );
    assert_eq!(found([true, true]).as_deref(), Some("engine-server fix ."));
}

#[test]
fn retirement_within_a_month_comes_before_a_missing_error_handling() {
    let mut soon = retired("gemini-2.5-pro", "api/triage.py", 40, "main", FindingType::Info);
    soon.severity = Severity::High;
    let mut unhandled = finding(
        "l4-unhandled-model-failure",
        FindingType::Fail,
        Severity::Medium,
        Some(("api/chat.py", 9)),
        "No error handling was found.",
    );
    unhandled.impact = Some(Impact::Breaks);
    let places: Vec<Option<String>> = of_findings(vec![unhandled, soon])
        .into_iter()
        .map(|action| action.place)
        .collect();
    assert_eq!(
        places,
        [Some("api/triage.py:40".to_owned()), Some("api/chat.py:9".to_owned())]
    );
}

#[test]
fn one_secret_keeps_its_title_and_message() {
    let actions = of_findings(vec![secret("secret-ai-key", "Committed AI key", "api/config.py", 124)]);
    assert_eq!(actions[0].title, "Committed AI key");
    assert_eq!(actions[0].why, "A key is committed in api/config.py:124.");
}

#[test]
fn each_retired_model_is_an_action() {
    let actions = of_findings(vec![
        retired("gpt-3.5-turbo-0301", "a.py", 1, "assistant", FindingType::Fail),
        retired("claude-2.1", "b.py", 1, "assistant", FindingType::Fail),
        retired("gemini-1.0-pro", "c.py", 1, "assistant", FindingType::Fail),
    ]);
    assert_eq!(actions.len(), 3);
    assert!(actions.iter().all(|action| action.kind == ActionKind::FixNow));
}

#[test]
fn a_model_that_is_retired_soon_is_to_be_fixed_now() {
    let notice = retired("gpt-4-0613", "a.py", 1, "assistant", FindingType::Info);
    assert_eq!(
        (notice.kind, notice.severity, notice.impact),
        (FindingType::Info, Severity::Medium, Some(Impact::Breaks))
    );
    let actions = of_findings(vec![notice.clone()]);
    assert_eq!(actions[0].kind, ActionKind::FixNow);
    assert_eq!(actions[0].findings, [notice.id]);
}

#[test]
fn findings_of_one_check_with_the_same_advice_are_one_action() {
    let make = |file: &str, severity, fix: &str| {
        let mut finding = finding(
            "l4-x",
            FindingType::Fail,
            severity,
            Some((file, 1)),
            "No log was found.",
        );
        finding.fix = Some(fix.to_owned());
        finding
    };
    let actions = of_findings(vec![
        make("b.py", Severity::Low, "Add a log."),
        make("a.py", Severity::High, "Add a log."),
        make("c.py", Severity::Low, "Add a timeout."),
    ]);
    assert_eq!(actions.len(), 2);
    assert_eq!(actions[0].severity, Some(Severity::High));
    assert_eq!(places(&actions[0]), ["a.py:1", "b.py:1"]);
}

#[test]
fn suppressed_findings_and_evidence_are_in_no_action() {
    let scan = helpdesk();
    let listed: Vec<String> = actions(&scan).into_iter().flat_map(|action| action.findings).collect();
    for finding in &scan.findings {
        let asks = finding.suppressed.is_none() && finding.kind != FindingType::Pass;
        assert_eq!(listed.contains(&finding.id), asks, "{}", finding.id);
    }
    let mut suppressed = scan.clone();
    for finding in &mut suppressed.findings {
        finding.suppressed.clone_from(&scan.findings[2].suppressed);
    }
    let actions = actions(&finished(suppressed));
    assert!(actions.iter().all(|action| action.findings.is_empty()), "{actions:#?}");
}

#[test]
fn every_open_finding_is_in_exactly_one_action() {
    let scan = crowded();
    let mut listed: Vec<String> = actions(&scan).into_iter().flat_map(|action| action.findings).collect();
    let mut open: Vec<String> = scan
        .findings
        .iter()
        .filter(|finding| finding.suppressed.is_none() && finding.kind != FindingType::Pass)
        .map(|finding| finding.id.clone())
        .collect();
    listed.sort();
    open.sort();
    assert_eq!(listed, open);
}

#[test]
fn numbers_in_commands_are_those_of_the_open_questions() {
    for scan in [helpdesk(), crowded()] {
        let questions = open_questions(&scan.systems);
        let mut commands = 0;
        for action in actions(&scan) {
            let Some(command) = &action.command else { continue };
            let Some(rest) = command.strip_prefix("engine-server answer . Q") else {
                assert!(
                    command.starts_with("engine-server answer . --evidence OBL-"),
                    "{command}"
                );
                continue;
            };
            let number: usize = rest.split_once('=').unwrap().0.parse().unwrap();
            let key = &questions[number - 1].question.key;
            assert_eq!(action.question.as_ref(), Some(key), "{command}");
            let system = &questions[number - 1].system;
            assert!(
                system.as_ref().is_none_or(|system| action.systems.contains(system)),
                "{command} for {:?}",
                action.systems
            );
            commands += 1;
        }
        assert!(commands >= questions.len());
    }
}

/// A project with one question.
fn asking(kind: &str, values: &[&str], suggested: Option<&str>, command: &str) -> ScanResult {
    let mut scan = unevaluated();
    scan.systems[0].questions = vec![engine_model::Question {
        id: "use".to_owned(),
        key: "assistant.use".to_owned(),
        command: format!("engine-server answer . --set assistant.use={command}"),
        kind: kind.to_owned(),
        options: options(values),
        suggestion: suggested.map(|value| likely(value, "the code indicates it")),
        text: "What is the system used for?".to_owned(),
        ..engine_model::Question::default()
    }];
    finished(scan)
}

#[test]
fn the_command_of_a_question_writes_the_likely_answer_as_its_own_command_does() {
    let command = |scan: &ScanResult| {
        let mut decisions = actions(scan)
            .into_iter()
            .filter(|action| action.kind == ActionKind::Decide);
        decisions.find_map(|action| action.command)
    };
    let points = ["4(a)", "4(b)", "none"];
    for (suggested, value) in [("4(a)", "4a"), ("4(b)", "4b"), ("none", "none")] {
        let scan = asking("any_of", &points, Some(suggested), "4a");
        assert_eq!(command(&scan), Some(format!("engine-server answer . Q1={value}")));
        let own = &open_questions(&scan.systems)[0].question.command;
        assert!(value != "4a" || own.ends_with("=4a"));
    }
    for (kind, values, placeholder) in [
        ("yes_no", &[][..], "yes"),
        ("date", &[], "<date>"),
        ("text", &[], "<text>"),
        ("one_of", &["provider", "deployer"], "<provider|deployer>"),
        ("one_of", &["a", "b", "c", "d", "e"], "<a|…|e>"),
    ] {
        let scan = asking(kind, values, None, "x");
        assert_eq!(command(&scan), Some(format!("engine-server answer . Q1={placeholder}")));
    }
}

#[test]
fn a_duty_that_depends_on_a_question_of_its_system_names_that_question() {
    let mut scan = nothing(
        "/home/ada/two",
        engine_model::Applicability::SystemsFound,
        "product code calls a model at 2 places",
    );
    scan.systems = ["first", "second"]
        .map(|id| {
            let mut duty = in_force("OBL-094", ObligationStatus::NotEvaluated);
            duty.question_id = Some("direct-interaction".to_owned());
            let mut system = system(id, id, vec![duty]);
            system.questions = vec![engine_model::Question {
                id: "direct-interaction".to_owned(),
                key: format!("{id}.direct-interaction"),
                kind: "yes_no".to_owned(),
                text: "Do users interact with it?".to_owned(),
                evidence: vec![super::fixtures::evidence(&format!("{id}/a.py"), 1, "call")],
                ..engine_model::Question::default()
            }];
            system
        })
        .into();
    let duties: Vec<Action> = actions(&finished(scan))
        .into_iter()
        .filter(|action| action.kind == ActionKind::Duty)
        .collect();
    let named: Vec<_> = duties
        .iter()
        .map(|action| (action.systems.join(","), action.question.clone().unwrap()))
        .collect();
    assert_eq!(
        named,
        [
            ("first".to_owned(), "first.direct-interaction".to_owned()),
            ("second".to_owned(), "second.direct-interaction".to_owned())
        ]
    );
}

#[test]
fn a_gap_without_a_finding_of_its_own_system_is_a_duty() {
    let mut scan = helpdesk();
    scan.systems[1]
        .obligations
        .push(in_force("OBL-094", ObligationStatus::Gap));
    let duties: Vec<Action> = actions(&finished(scan))
        .into_iter()
        .filter(|action| action.findings.is_empty() && action.obligations.contains(&"OBL-094".to_owned()))
        .collect();
    assert_eq!(
        duties.len(),
        1,
        "the finding of `chat` reports its own gap: {duties:#?}"
    );
    assert_eq!(duties[0].systems, ["screening"]);
    assert_eq!(duties[0].kind, ActionKind::Duty);
}

#[test]
fn notices_for_duties_in_force_are_decisions_and_those_for_later_are_preparations() {
    let scan = crowded();
    for action in actions(&scan) {
        if action.findings.first().is_some_and(|id| id.contains("notice")) {
            let (kind, question) = match action.obligations[0].as_str() {
                "OBL-070" => (ActionKind::Decide, true),
                _ => (ActionKind::Prepare, false),
            };
            assert_eq!(action.kind, kind);
            let has_question = scan
                .systems
                .iter()
                .any(|system| action.systems.contains(&system.id) && !system.questions.is_empty());
            assert_eq!(action.question.is_some(), question && has_question, "{action:?}");
        }
    }
}

#[test]
fn until_is_a_date_after_the_scan_and_only_set_where_something_is_to_be_prepared() {
    for scan in [helpdesk(), crowded()] {
        let actions = actions(&scan);
        assert!(actions.iter().any(|action| action.until == Some(date("2026-12-02"))));
        for action in actions {
            if let Some(until) = action.until {
                assert!(until > scan.as_of && action.kind == ActionKind::Prepare, "{action:?}");
            }
        }
    }
}
