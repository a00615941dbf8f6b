//! Framework scores, debt and cost.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

use super::*;
use crate::{Clock, CostRequest, Debt, DebtRequest, FrameworkScoresRequest, Options, Signing};

/// 2026-11-20.
const FIRST_DAY: i64 = 1_795_132_800;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// An engine with a clock of its own.
fn engine_at(dir: &Path, now: fn() -> Timestamp) -> Engine {
    Engine::start(Options {
        working_dir: dir.to_owned(),
        project: None,
        read_only: false,
        clock: Clock {
            now,
            new_id: || {
                static NEXT: AtomicI64 = AtomicI64::new(1);
                format!("00000000-0000-4000-9000-{:012}", NEXT.fetch_add(1, Ordering::Relaxed))
            },
        },
        signing: Signing {
            data_dir: Some(dir.join(".compliance/private/user")),
            key: None,
        },
    })
    .unwrap()
}

fn debt(engine: &Engine, trend: bool) -> Debt {
    let request = DebtRequest {
        path: Some(".".to_owned()),
        trend: Some(trend),
    };
    engine.debt(&request).unwrap()
}

/// The age of the row of a check, by the title of its finding.
fn age(debt: &Debt, scan: &ScanResult, check: &str) -> Option<u32> {
    let finding = scan.findings.iter().find(|finding| finding.check_id == check)?;
    let row = debt
        .breakdown
        .iter()
        .find(|row| row.finding_id.as_ref() == Some(&finding.id))?;
    Some(row.age_days)
}

#[test]
fn debt_grows_with_the_clock_and_begins_anew_when_a_gap_comes_back() {
    static NOW: AtomicI64 = AtomicI64::new(FIRST_DAY);
    const CHECK: &str = "l4-undisclosed-interaction";
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let now = || Timestamp::from_second(NOW.load(Ordering::Relaxed)).unwrap();
    let engine = engine_at(dir.path(), now);

    // Nothing is remembered before a scan is kept.
    let today = debt(&engine, true);
    assert!(today.breakdown.iter().any(|row| row.finding_id.is_some()), "{today:#?}");
    assert_eq!((today.trend.len(), today.previous_debt), (1, None));
    assert!(today.freshness_debt.is_sign_positive(), "nothing is 0 and not -0");

    let first = engine.scan(&ScanRequest::of(".")).unwrap();
    assert_eq!(age(&debt(&engine, false), &first, CHECK), Some(0));
    let new = debt(&engine, true).total_debt;
    assert!(new > 0.0);

    // The clock alone makes it older; reading it writes nothing.
    NOW.store(FIRST_DAY + 73 * DAY, Ordering::Relaxed);
    for _ in 0..2 {
        let later = debt(&engine, true);
        assert_eq!(age(&later, &first, CHECK), Some(73));
        assert!(later.total_debt > new, "{later:#?}");
        assert_eq!(later.previous_debt, Some(new));
        assert_eq!(later.trend.len(), 2, "{:?}", later.trend);
        assert!(debt(&engine, false).trend.is_empty());
    }

    // A scan for another date, and one with a stated role, forget nothing.
    let mut other = ScanRequest::of(".");
    other.as_of = Some(Date::constant(2030, 1, 1));
    engine.scan(&other).unwrap();
    let mut other = ScanRequest::of(".");
    other.role = Some(OperatorRole::Deployer);
    engine.scan(&other).unwrap();
    assert_eq!(age(&debt(&engine, false), &first, CHECK), Some(73));

    // Another engine knows it too.
    drop(engine);
    let engine = engine_at(dir.path(), now);
    assert_eq!(age(&debt(&engine, false), &first, CHECK), Some(73));

    // A gap that is gone leaves the map, and is new when it comes back.
    let repaired = Service {
        satisfied: [true; 3],
        ..bare()
    };
    repaired.write(dir.path());
    let gone = engine.scan(&ScanRequest::of(".")).unwrap();
    assert!(
        !gone
            .findings
            .iter()
            .any(|f| f.check_id == CHECK && f.kind == FindingType::Fail)
    );
    NOW.store(FIRST_DAY + 80 * DAY, Ordering::Relaxed);
    bare().write(dir.path());
    let back = engine.scan(&ScanRequest::of(".")).unwrap();
    assert_eq!(age(&debt(&engine, true), &back, CHECK), Some(0));
    let trend: Vec<String> = debt(&engine, true)
        .trend
        .iter()
        .map(|point| point.date.to_string())
        .collect();
    assert_eq!(trend, ["2026-11-20", "2027-02-01", "2027-02-08"], "one point a day");
}

#[test]
fn a_stated_answer_past_its_date_is_debt() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let profile = "[all]\nrisk-class = \"high\"\n\n[systems.main]\nprofiling = { value = \"no\", by = \"A. Person\", on = 2025-01-01, \
                   until = 2026-01-01 }\n\n[[organisation.evidence]]\nobligation = \"OBL-001\"\nreference = \"training record 7\"\nby = \"A. Person\"\n\
                   on = 2025-01-01\nuntil = 2026-02-01\n";
    write(dir.path(), ".compliance/profile.toml", profile);
    let engine = engine(dir.path());
    let scan = engine.scan(&ScanRequest::of(".")).unwrap();
    let found = debt(&engine, false);
    let stated: Vec<&str> = found
        .breakdown
        .iter()
        .filter(|row| row.why.starts_with("Stated on 2025-01-01"))
        .map(|row| row.item.as_str())
        .collect();
    assert!(
        stated.contains(&"declared evidence: training record 7"),
        "{stated:?} {:?}",
        scan.profile
    );
    assert!(found.freshness_debt > 0.0);
}

#[test]
fn a_cost_estimate_follows_rate_size_and_system() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    write(
        dir.path(),
        ".compliance/profile.toml",
        "[organisation]\nsize = \"sme\"\n\n[all]\nrisk-class = \"high\"\n",
    );
    let engine = engine(dir.path());
    let cost = |rate: Option<f64>, agent: Option<&str>| {
        engine.cost_estimate(&CostRequest {
            path: Some(".".to_owned()),
            hourly_rate: rate,
            agent: agent.map(str::to_owned),
        })
    };
    let plain = cost(None, None).unwrap();
    assert!(
        plain.estimate.total_cost > 0.0 && !plain.estimate.breakdown.is_empty(),
        "{plain:#?}"
    );
    let sme = serde_json::to_value(&plain).unwrap();
    assert!(
        sme["fineExposure"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["appliesRule"] == "sme"),
        "{sme:#}"
    );
    assert_eq!(sme["roi"], 0.0);
    let hundred = cost(Some(100.0), None).unwrap();
    assert_eq!(
        tenths(hundred.estimate.total_cost),
        tenths(hundred.estimate.hours.likely * 100.0),
        "one rate for all roles"
    );
    let scan = engine.scan(&ScanRequest::of(".")).unwrap();
    let system = &scan.systems[0];
    for name in [&system.id, &system.name, &scan.agents[0].name, &scan.agents[0].agent_id] {
        let own = cost(None, Some(name)).unwrap();
        assert_eq!(own.systems, std::slice::from_ref(&system.id), "{name}");
        assert_eq!(own.estimate, plain.estimate, "it is the only system");
    }
    let failure = cost(None, Some("no-such-agent")).unwrap_err();
    assert_eq!(
        (failure.code, failure.field.as_deref()),
        (ErrorCode::UnknownPassport, Some("agent"))
    );
    assert!(failure.details.contains(&format!("`{}`", system.id)), "{failure}");
    for rate in [0.0, -1.0, 1000.1, f64::NAN, f64::INFINITY] {
        let failure = cost(Some(rate), None).unwrap_err();
        assert_eq!(
            (failure.code, failure.field.as_deref()),
            (ErrorCode::InvalidRequest, Some("hourlyRate")),
            "{rate}"
        );
    }
    cost(Some(1000.0), None).unwrap();
}

#[test]
fn framework_scores_are_those_of_a_scan() {
    let dir = tempfile::tempdir().unwrap();
    bare().write(dir.path());
    let engine = engine(dir.path());
    let request = FrameworkScoresRequest {
        path: Some(".".to_owned()),
        as_of: Some(LATE),
    };
    let scores = engine.framework_scores(&request).unwrap();
    assert_eq!(scores.computed_at, "2026-11-20T00:00:00.000Z");
    assert_eq!(scores.selected_framework_ids.len(), regulation().frameworks().len());
    let mut scan = ScanRequest::of(".");
    scan.as_of = Some(LATE);
    let scan = engine.scan(&scan).unwrap();
    for framework in scores.frameworks.iter().filter(|framework| framework.assessed) {
        let own = &scan.frameworks[&framework.framework_id];
        assert_eq!(
            Some(tenths(own.score)),
            framework.score.map(tenths),
            "{}",
            framework.framework_id
        );
    }
    assert!(scores.frameworks.iter().any(|framework| framework.assessed));
    let unscored = |framework: &&engine_scoring::FrameworkReport| framework.assessed != framework.score.is_some();
    assert_eq!(scores.frameworks.iter().find(unscored), None, "a score is a result");
    assert_eq!(scores, engine.framework_scores(&request).unwrap(), "nothing is kept");
}
