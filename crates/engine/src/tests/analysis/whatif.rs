//! What-if analyses equal a real scan with the same settings, or of the changed project.

use engine_model::{Applies, Failure};
use engine_scanner::Evaluation;
use serde_json::Value;

use super::*;
use crate::scan::score;
use crate::whatif::Hypothesis;
use crate::{RiskClass, WhatIfKind, WhatIfReply, WhatIfRequest};

fn request(kind: WhatIfKind, params: Value) -> WhatIfRequest {
    WhatIfRequest {
        kind,
        params: serde_json::from_value(params).unwrap(),
        path: Some(".".to_owned()),
    }
}

fn hypothesis(engine: &Engine, kind: WhatIfKind, params: Value) -> Hypothesis {
    engine
        .hypothesis(&request(kind, params), &ScanHooks::default())
        .unwrap()
}

fn what_if(engine: &Engine, kind: WhatIfKind, params: Value) -> Result<WhatIfReply, Failure> {
    engine.what_if(&request(kind, params), &ScanHooks::default())
}

/// A side is what a real scan comes to, whole and without tolerance.
fn assert_equal(side: &Evaluation, scan: &ScanResult) {
    assert_eq!(side.systems, scan.systems);
    assert_eq!(side.obligations, scan.obligations);
    assert_eq!(side.findings, scan.findings);
    assert_eq!(side.documents, scan.documents);
    assert_eq!(side.inventory, scan.inventory);
    assert_eq!(side.upcoming, scan.upcoming);
    assert_eq!(score(side), scan.score);
}

fn asked(change: impl FnOnce(&mut ScanRequest)) -> ScanRequest {
    let mut request = ScanRequest::of(".");
    change(&mut request);
    request
}

#[test]
fn another_class_role_or_date_equals_a_real_scan_with_it() {
    let classes = prop_oneof![
        Just(("high", RiskClass::High)),
        Just(("limited", RiskClass::Limited)),
        Just(("minimal", RiskClass::Minimal))
    ];
    let roles = prop_oneof![
        Just(("provider", OperatorRole::Provider)),
        Just(("deployer", OperatorRole::Deployer)),
        Just(("both", OperatorRole::Both))
    ];
    let wanted = (services(), classes, roles, 0i16..48);
    runner(6)
        .run(&wanted, |(service, (class, stated), (role, operator), month)| {
            let dir = tempfile::tempdir().unwrap();
            service.write(dir.path());
            let engine = engine(dir.path());
            let as_it_is = engine.scan(&ScanRequest::of(".")).unwrap();
            let date = Date::constant(2025, 1, 2) + jiff::Span::new().months(month);

            let found = hypothesis(&engine, WhatIfKind::RiskLevel, json!({"to": class}));
            assert_equal(&found.before.evaluation, &as_it_is);
            let real = engine.scan(&asked(|scan| scan.risk_class = Some(stated))).unwrap();
            assert_equal(&found.after.evaluation, &real);

            let found = hypothesis(&engine, WhatIfKind::Role, json!({"to": role}));
            assert_equal(&found.before.evaluation, &as_it_is);
            let real = engine.scan(&asked(|scan| scan.role = Some(operator))).unwrap();
            assert_equal(&found.after.evaluation, &real);

            let found = hypothesis(&engine, WhatIfKind::Date, json!({"to": date.to_string()}));
            assert_equal(&found.before.evaluation, &as_it_is);
            let real = engine.scan(&asked(|scan| scan.as_of = Some(date))).unwrap();
            assert_equal(&found.after.evaluation, &real);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_risk_level_from_states_the_side_before() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", crate::tests::CHAT);
    let engine = engine(dir.path());
    let found = hypothesis(&engine, WhatIfKind::RiskLevel, json!({"from": "minimal", "to": "high"}));
    let minimal = engine
        .scan(&asked(|scan| scan.risk_class = Some(RiskClass::Minimal)))
        .unwrap();
    assert_equal(&found.before.evaluation, &minimal);
    let reply = what_if(&engine, WhatIfKind::RiskLevel, json!({"from": "minimal", "to": "high"})).unwrap();
    assert!(
        reply.before.risk_classes.values().all(|class| class == "minimal"),
        "{reply:#?}"
    );
    assert!(
        reply.after.risk_classes.values().all(|class| class == "high"),
        "{reply:#?}"
    );
    assert!(reply.obligations_added.len() > 30, "{reply:#?}");
    let added = &reply.obligations_added[0];
    assert_ne!(added.after, Some(Applies::DoesNotApply));
    assert!(
        added.applies_from.is_some() && added.article.starts_with("Art."),
        "{added:?}"
    );
    // The way back removes what the way there added.
    let back = what_if(&engine, WhatIfKind::RiskLevel, json!({"from": "high", "to": "minimal"})).unwrap();
    let ids = |rows: &[crate::WhatIfObligation]| -> Vec<String> { rows.iter().map(|row| row.id.clone()).collect() };
    assert_eq!(ids(&back.obligations_removed), ids(&reply.obligations_added));
    assert_eq!(ids(&back.obligations_added), ids(&reply.obligations_removed));
    assert_eq!(back.findings_removed, reply.findings_added);
    assert_eq!(tenths(back.score_delta), -tenths(reply.score_delta));
    let banned = what_if(&engine, WhatIfKind::RiskLevel, json!({"to": "prohibited"})).unwrap();
    assert!(
        banned.after.risk_classes.values().all(|class| class == "prohibited"),
        "{banned:#?}"
    );
}

#[test]
fn the_counts_of_a_side_are_those_of_its_obligations() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let engine = engine(dir.path());
    let reply = what_if(&engine, WhatIfKind::Date, json!({"to": "2028-08-02"})).unwrap();
    let real = engine.scan(&asked(|scan| scan.as_of = Some(LATE))).unwrap();
    let count = |applies: Applies| {
        let all = real.systems.iter().flat_map(|system| &system.obligations);
        all.filter(|record| record.applies == applies).count() as u64
    };
    let counts = reply.after.obligations;
    assert_eq!(counts.applies, count(Applies::Applies));
    assert_eq!(counts.upcoming, count(Applies::Upcoming));
    assert_eq!(counts.undetermined, count(Applies::Undetermined));
    assert_eq!(counts.does_not_apply, count(Applies::DoesNotApply));
    assert!(counts.applies > reply.before.obligations.applies, "{reply:#?}");
    assert_eq!(
        (reply.after.score, reply.after.readiness),
        (real.score.compliance, real.score.readiness)
    );
    assert_eq!(
        tenths(reply.score_delta),
        tenths(reply.after.score) - tenths(reply.before.score)
    );
}

#[test]
fn a_python_package_equals_a_scan_with_its_line_in_the_manifest() {
    for before in [Some("fastapi==0.118.0\nopenai==2.1.0\n"), Some("openai==2.1.0"), None] {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "app.py", crate::tests::CHAT);
        write(dir.path(), "templates/index.html", crate::tests::PAGE);
        if let Some(before) = before {
            write(dir.path(), "requirements.txt", before);
        }
        let engine = engine(dir.path());
        let as_it_is = engine.scan(&ScanRequest::of(".")).unwrap();
        let params = json!({"name": "pypi:face-recognition"});
        let found = hypothesis(&engine, WhatIfKind::Tool, params);
        assert_equal(&found.before.evaluation, &as_it_is);
        assert_ne!(found.after.evaluation.inventory, found.before.evaluation.inventory);
        let line = before.map_or(1, |text| text.lines().count() + 1);
        assert!(
            found.change.contains("requirements.txt") && found.change.contains(&format!("line {line}")),
            "{}",
            found.change
        );
        let mut text = before.unwrap_or_default().to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        write(dir.path(), "requirements.txt", &format!("{text}face-recognition\n"));
        let real = engine.scan(&ScanRequest::of(".")).unwrap();
        assert_equal(&found.after.evaluation, &real);
    }
}

#[test]
fn a_node_package_equals_a_scan_with_its_member_in_the_manifest() {
    const BEFORE: &str = "{\n  \"name\": \"desk\",\n  \"dependencies\": {\n    \"express\": \"^5.1.0\"\n  }\n}\n";
    const AFTER: &str = "{\n  \"name\": \"desk\",\n  \"dependencies\": {\n    \"openai\": \"*\",\n    \"express\": \"^5.1.0\"\n  }\n}\n";
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "server.mjs",
        "import express from \"express\";\n\nexpress().listen(80);\n",
    );
    write(dir.path(), "package.json", BEFORE);
    let engine = engine(dir.path());
    // The only manifest at the root says which registry is meant.
    let found = hypothesis(&engine, WhatIfKind::Tool, json!({"name": "openai"}));
    assert!(found.change.contains("`package.json`, line 4"), "{}", found.change);
    write(dir.path(), "package.json", AFTER);
    let real = engine.scan(&ScanRequest::of(".")).unwrap();
    assert_equal(&found.after.evaluation, &real);
    // A package that is there already changes nothing.
    let again = what_if(&engine, WhatIfKind::Tool, json!({"name": "npm:openai"})).unwrap();
    assert_eq!(again.before, again.after);
    assert!(again.change.contains("package.json:4"), "{}", again.change);
}

#[test]
fn a_package_without_a_plain_place_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", crate::tests::CHAT);
    let engine = engine(dir.path());
    let refused = |name: &str| {
        let failure = what_if(&engine, WhatIfKind::Tool, json!({"name": name})).unwrap_err();
        assert_eq!(
            (failure.code, failure.field.as_deref()),
            (ErrorCode::Impossible, Some("params.name")),
            "{failure}"
        );
        failure.details
    };
    assert!(refused("opnai").contains("openai`?"));
    assert!(refused("no-such-package-of-anyone").contains("`pypi:openai`"));
    let several = refused("openai");
    assert!(
        several.contains("`pypi:openai`") && several.contains("`npm:openai`"),
        "{several}"
    );
    assert!(refused("cargo:async-openai").contains("requirements.txt"));
    write(dir.path(), "package.json", "{ broken");
    assert!(refused("npm:openai").contains("not valid JSON"));
    write(dir.path(), "package.json", "[]");
    assert!(refused("npm:openai").contains("not a JSON object"));
    write(dir.path(), ".gitignore", "package.json\n");
    assert!(refused("npm:openai").contains("was not read"));
}

#[test]
fn another_country_changes_authority_and_language_only() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let engine = engine(dir.path());
    let reply = what_if(&engine, WhatIfKind::Jurisdiction, json!({"from": "de", "to": "EL"})).unwrap();
    assert_eq!(reply.before, reply.after);
    assert!(reply.obligations_added.is_empty() && reply.dates_changed.is_empty());
    let language = reply.language.unwrap();
    assert_eq!(
        (language.from.as_deref(), language.to.as_deref()),
        (Some("de"), Some("el"))
    );
    let (germany, greece) = (engine.jurisdiction("DE").unwrap(), engine.jurisdiction("GR").unwrap());
    let authority = reply.authority.unwrap();
    assert_eq!((authority.from, authority.to), (germany.authority, greece.authority));
    let contact = reply.contact.unwrap();
    assert_eq!((contact.from, contact.to), (germany.contact, greece.contact));
    // The country of the profile is the one before.
    let missing = what_if(&engine, WhatIfKind::Jurisdiction, json!({"to": "FR"})).unwrap_err();
    assert_eq!(missing.field.as_deref(), Some("params.from"));
    write(
        dir.path(),
        ".compliance/profile.toml",
        "[organisation]\ncountries = [\"SE\"]\n",
    );
    let reply = what_if(&engine, WhatIfKind::Jurisdiction, json!({"to": "FR"})).unwrap();
    assert!(reply.change.contains("Sweden (SE)"), "{}", reply.change);
    let failure = what_if(
        &engine,
        WhatIfKind::Jurisdiction,
        json!({"from": "DE", "to": "Frankreich"}),
    )
    .unwrap_err();
    assert_eq!(failure.code, ErrorCode::UnknownJurisdiction);
    let failure = what_if(
        &engine,
        WhatIfKind::Jurisdiction,
        json!({"from": "DE", "to": "Francee"}),
    )
    .unwrap_err();
    assert!(failure.details.contains("`FR`"), "{failure}");
}

#[test]
fn parameters_are_read_strictly() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    for (kind, params, field, words) in [
        (
            WhatIfKind::RiskLevel,
            json!({"too": "high"}),
            "params.too",
            "`params.to`",
        ),
        (WhatIfKind::RiskLevel, json!({}), "params.to", "missing"),
        (WhatIfKind::RiskLevel, json!({"to": "hihg"}), "params.to", "`high`"),
        (WhatIfKind::RiskLevel, json!({"to": 3}), "params.to", "a string"),
        (WhatIfKind::Role, json!({"to": "deploier"}), "params.to", "`deployer`"),
        (WhatIfKind::Date, json!({"to": "2027-13-02"}), "params.to", "2027-12-02"),
        (
            WhatIfKind::Date,
            json!({"to": "2027-12-02", "name": "x"}),
            "params.name",
            "`to`",
        ),
        (WhatIfKind::Tool, json!({"name": null}), "params.name", "missing"),
    ] {
        let failure = what_if(&engine, kind, params).unwrap_err();
        assert_eq!(failure.code, ErrorCode::InvalidRequest, "{failure}");
        assert_eq!(failure.field.as_deref(), Some(field), "{failure}");
        assert!(failure.details.contains(words), "{failure}");
    }
}

#[test]
fn a_project_without_a_system_says_so() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", "print('hello')\n");
    let reply = what_if(&engine(dir.path()), WhatIfKind::Role, json!({"to": "both"})).unwrap();
    assert_eq!(reply.before.obligations, crate::ObligationCounts::default());
    assert!(
        reply.notes.iter().any(|note| note.contains("No AI system")),
        "{reply:#?}"
    );
}
