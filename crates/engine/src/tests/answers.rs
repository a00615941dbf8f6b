//! Answers: what they change, what they leave, what reopens them, and how the chain records them.

use serde_json::{Value, json};

use super::*;
use engine_model::{Applies, Date, FindingType, ObligationStatus, ProfileStatus};

/// A job that scores applicants and keeps the verdict.
const JOB: &str = r#"import json
import anthropic
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

MODEL = "claude-sonnet-4-5-20250929"
SHORTLIST_FROM = 70


class Base(DeclarativeBase):
    pass


class Applicant(Base):
    __tablename__ = "applicant"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    cv_text: Mapped[str]
    shortlisted: Mapped[bool]


def score(client: anthropic.Anthropic, applicant: Applicant) -> dict:
    message = client.messages.create(
        model=MODEL,
        max_tokens=400,
        messages=[{"role": "user", "content": f"Rate this CV:\n{applicant.cv_text}"}],
    )
    return json.loads(message.content[0].text)


def screen(session: Session, client: anthropic.Anthropic) -> None:
    for applicant in session.scalars(select(Applicant)).all():
        result = score(client, applicant)
        applicant.shortlisted = result["score"] >= SHORTLIST_FROM
        session.commit()


def main() -> None:
    engine = create_engine("sqlite:///applicants.db")
    with Session(engine) as session:
        screen(session, anthropic.Anthropic())


if __name__ == "__main__":
    main()
"#;

fn hiring(dir: &Path) -> Engine {
    write(dir, "job.py", JOB);
    write(dir, "requirements.txt", "anthropic==0.40.0\nsqlalchemy==2.0.36\n");
    engine(dir)
}

fn request(answers: Value) -> AnswerRequest {
    AnswerRequest {
        path: Some(".".to_owned()),
        answers: serde_json::from_value(answers).unwrap(),
        by: Some("Ada Example".to_owned()),
        why: Some("as agreed with legal".to_owned()),
        ..AnswerRequest::default()
    }
}

fn scan(engine: &Engine) -> ScanResult {
    engine.scan(&ScanRequest::of(".")).unwrap()
}

fn open(scan: &ScanResult) -> Vec<String> {
    engine_model::open_questions(&scan.systems)
        .into_iter()
        .map(|open| open.question.key)
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test looks at the file that a person would review"
)]
fn profile_text(dir: &Path) -> String {
    std::fs::read_to_string(dir.join(".compliance/profile.toml")).unwrap()
}

#[test]
fn answers_settle_every_obligation_of_a_high_risk_system() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    let before = scan(&engine);
    let system = &before.systems[0];
    assert_eq!(system.risk_class, "unknown", "{}", system.risk_basis);
    let id = system.id.clone();
    let area = system
        .questions
        .iter()
        .find(|question| question.id == "annex-iii-employment")
        .unwrap();
    assert!(
        area.decides > 60
            && area
                .options
                .iter()
                .any(|option| option.value == "4(a)" && option.adds > 50)
    );
    assert_eq!(
        area.suggestion.as_ref().map(|likely| likely.value.as_str()),
        Some("4(a)")
    );
    // Each obligation that waits names a question that is open.
    for record in system
        .obligations
        .iter()
        .filter(|record| record.applies == Applies::Undetermined)
    {
        let named = record.question_id.as_deref();
        assert!(
            system
                .questions
                .iter()
                .any(|question| Some(question.id.as_str()) == named),
            "{record:?}"
        );
    }
    let mut given = 0;
    loop {
        let now = engine.open_questions(Some(".")).unwrap().1;
        let Some((_, question)) = now.first() else { break };
        let answer = match question.id.as_str() {
            "annex-iii-employment" => json!("4a"),
            "role" => json!("both"),
            "established" => json!("eu"),
            "public-role" => json!("private"),
            "placed-on-market" => json!("2026-03-01"),
            "use" => json!(["input-data", "decisions"]),
            "development" => json!("none"),
            _ => json!("no"),
        };
        let reply = engine
            .answer(&request(json!({ question.key.clone(): answer })))
            .unwrap();
        assert!(reply.changed, "{}", question.key);
        given += 1;
        assert!(given <= 12, "{:?}", now.iter().map(|(_, q)| &q.key).collect::<Vec<_>>());
    }
    let after = scan(&engine);
    let system = &after.systems[0];
    assert!(
        system
            .obligations
            .iter()
            .all(|record| record.applies != Applies::Undetermined)
    );
    assert_eq!(
        (system.risk_class.as_str(), system.role.as_str()),
        ("high", "provider and deployer")
    );
    assert!(
        system.risk_basis.contains("stated by Ada Example on 2026-11-20"),
        "{}",
        system.risk_basis
    );
    assert!(
        system.role_basis.starts_with("stated by Ada Example"),
        "{}",
        system.role_basis
    );
    assert_eq!(after.profile.status, ProfileStatus::Read);
    assert_eq!(after.profile.answers, given);
    // Findings that waited for the class speak now.
    assert!(after.findings.iter().any(|finding| finding.check_id.starts_with("l4-")));
    assert!(profile_text(dir.path()).contains(&format!("[systems.{id}.annex-iii-employment]")));
}

#[test]
fn a_key_or_value_that_is_not_known_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    for (answers, field, said) in [
        (
            json!({"main.rolle": "provider"}),
            "answers.main.rolle",
            "did you mean `main.role`",
        ),
        (json!({"role": "provder"}), "answers.role", "did you mean `provider`"),
        (
            json!({"mian.role": "provider"}),
            "answers.mian.role",
            "did you mean `main`",
        ),
        (
            json!({"organisation.role": "provider"}),
            "answers.organisation.role",
            "applies to a system",
        ),
        (
            json!({"main.established": "eu"}),
            "answers.main.established",
            "applies to the organisation",
        ),
        (json!({"Q99": "yes"}), "answers.Q99", "Q1 to Q"),
        (
            json!({"role": {"value": "provider", "who": "me"}}),
            "answers.role.who",
            "unknown field",
        ),
        (
            json!({"role": {"value": "provider", "on": "soon"}}),
            "answers.role.on",
            "must be a date",
        ),
        (json!({"role": 3.5}), "answers.role", "answer any of"),
        // One good answer beside a bad one is not kept either.
        (
            json!({"role": "provider", "direct-interaction": "maybe"}),
            "answers.direct-interaction",
            "answer `yes`",
        ),
    ] {
        let failure = engine.answer(&request(answers.clone())).unwrap_err();
        assert_eq!(failure.field.as_deref(), Some(field), "{answers}: {failure}");
        assert!(failure.details.contains(said), "{answers}: {failure}");
    }
    assert!(!dir.path().join(".compliance/profile.toml").exists());
}

#[test]
fn the_chain_names_answers_by_digest_and_people_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    engine.answer(&request(json!({"role": "both"}))).unwrap();
    let entries = |engine: &Engine| {
        engine
            .audit(&AuditRequest {
                path: Some(".".to_owned()),
                kind: Some(EntryType::Profile),
                ..AuditRequest::default()
            })
            .unwrap()
    };
    let lines = serde_json::to_string(&entries(&engine)).unwrap();
    assert!(
        lines.contains("\"action\":\"answered\"") && lines.contains("main.role"),
        "{lines}"
    );
    assert!(
        !lines.contains("Ada") && !lines.contains("legal") && !lines.contains("deployer"),
        "{lines}"
    );
    assert!(
        engine
            .personal(Some("."))
            .unwrap()
            .iter()
            .any(|one| one.value == "Ada Example")
    );
    // A change by hand is recorded at the next scan, once.
    let edited = profile_text(dir.path()).replace("Ada Example", "Bea Example");
    write(dir.path(), ".compliance/profile.toml", &edited);
    scan(&engine);
    scan(&engine);
    let all = serde_json::to_value(entries(&engine)).unwrap();
    let edits = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line.to_string().contains("\"edited\""))
        .count();
    assert_eq!(edits, 1, "{all}");
    // What leaves the machine names nobody either.
    let mut stated = request(json!({"art-5-social-scoring": "no"}));
    stated.by = Some("Cleo Example".to_owned());
    stated.evidence = vec![EvidenceRequest {
        system: None,
        obligation: "OBL-001".to_owned(),
        reference: "training".to_owned(),
        until: None,
    }];
    engine.answer(&stated).unwrap();
    let kept = serde_json::to_string(&scan(&engine)).unwrap();
    assert!(kept.contains("Bea Example") && kept.contains("Cleo Example"));
    let handed_on = engine_package::portable(&scan(&engine));
    let text = serde_json::to_string(&handed_on).unwrap();
    assert!(
        !text.contains("Example") && text.contains("by a named person"),
        "{text}"
    );
    assert_eq!(engine_package::portable(&handed_on), handed_on);
    let verdict = engine
        .verify_evidence(&VerifyRequest {
            path: Some(".".to_owned()),
            full: Some(true),
        })
        .unwrap();
    assert!(verdict.valid, "{verdict:?}");
}

#[test]
fn a_broken_profile_is_said_and_the_scan_goes_on_without_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    let without = scan(&engine);
    let broken = "[systems.main]\nrole = \"provder\"\n";
    write(dir.path(), ".compliance/profile.toml", broken);
    let with = scan(&engine);
    assert_eq!(with.profile.status, ProfileStatus::Broken);
    let error = with.profile.error.clone().unwrap();
    assert!(
        error.contains("line 2, column 8") && error.contains("did you mean `provider`"),
        "{error}"
    );
    assert_eq!(with.systems, without.systems);
    // An answer does not overwrite what it cannot read.
    let failure = engine.answer(&request(json!({"role": "both"}))).unwrap_err();
    assert_eq!(failure.code, ErrorCode::StateConflict);
    assert_eq!(profile_text(dir.path()), broken);
}

#[test]
fn code_that_contradicts_an_answer_is_a_finding_with_both_places() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    engine
        .answer(&request(json!({"annex-iii-employment": "none", "role": "both"})))
        .unwrap();
    let now = scan(&engine);
    let finding = now
        .findings
        .iter()
        .find(|finding| finding.check_id == "cross-contradicted-answer")
        .unwrap();
    assert_eq!(finding.kind, FindingType::Fail);
    let files: Vec<&str> = finding
        .evidence
        .iter()
        .filter_map(|place| place.file.as_deref())
        .collect();
    assert!(
        files.contains(&"job.py") && files.contains(&".compliance/profile.toml"),
        "{finding:?}"
    );
    assert!(
        finding.message.contains("job.py:") && finding.message.contains("profile.toml:"),
        "{}",
        finding.message
    );
    // The answer counts all the same: the owner decides.
    assert_ne!(now.systems[0].risk_class, "high");
}

#[test]
fn a_prohibited_practice_says_so_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    let reply = engine.answer(&request(json!({"art-5-social-scoring": "yes"}))).unwrap();
    assert!(
        reply.warnings[0].contains("has been prohibited since 2025-02-02"),
        "{:?}",
        reply.warnings
    );
    assert!(reply.warnings[0].contains("Stop the practice"));
    let now = scan(&engine);
    assert_eq!(now.systems[0].risk_class, "prohibited");
    let status = |scan: &ScanResult, id: &str| {
        let records = &scan.systems[0].obligations;
        records.iter().find(|record| record.obligation_id == id).unwrap().status
    };
    assert_eq!(status(&now, "OBL-004"), ObligationStatus::Gap);
    assert!(
        now.score.critical_cap_applied && now.score.compliance <= 29.0,
        "{:?}",
        now.score.caps
    );
    // Excluded by a named person with a reason, it counts as screened.
    engine.answer(&request(json!({"art-5-social-scoring": "no"}))).unwrap();
    let now = scan(&engine);
    assert_eq!(status(&now, "OBL-004"), ObligationStatus::Evidenced);
    assert!(!now.score.critical_cap_applied);
    // After twelve months the screening is done again.
    let mut later = ScanRequest::of(".");
    later.as_of = Some(Date::constant(2027, 11, 21));
    assert_eq!(
        status(&engine.scan(&later).unwrap(), "OBL-004"),
        ObligationStatus::NotEvaluated
    );
}

#[test]
fn stated_evidence_counts_until_its_day_and_never_against_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    let mut stated = request(json!({}));
    stated.evidence = vec![EvidenceRequest {
        system: None,
        obligation: "OBL-001".to_owned(),
        reference: "training of 3 November, record HR-12".to_owned(),
        until: Some(Date::constant(2027, 1, 31)),
    }];
    engine.answer(&stated).unwrap();
    let on = |day: &str| {
        let mut request = ScanRequest::of(".");
        request.as_of = Some(day.parse().unwrap());
        let scan = engine.scan(&request).unwrap();
        let records = &scan.systems[0].obligations;
        records
            .iter()
            .find(|record| record.obligation_id == "OBL-001")
            .unwrap()
            .clone()
    };
    let record = on("2027-01-31");
    assert_eq!(record.status, ObligationStatus::Evidenced);
    assert!(
        record.evidence[0]
            .reference
            .contains("stated by Ada Example on 2026-11-20, until 2027-01-31"),
        "{record:?}"
    );
    assert_ne!(on("2027-02-01").status, ObligationStatus::Evidenced);
    stated.evidence[0].obligation = "OBL-999".to_owned();
    assert_eq!(
        engine.answer(&stated).unwrap_err().field.as_deref(),
        Some("evidence.0.obligation")
    );
}

/// Edits that change no data, purpose, decision or effect.
const HARMLESS: &[(&str, &str)] = &[
    ("import json\n", "# Scores applicants.\nimport json\n"),
    ("import json\n", "\"\"\"Scores applicants.\"\"\"\nimport json\n"),
    ("import json\n", "\n\n\nimport json\n"),
    ("MODEL = ", "# The model.\nMODEL = "),
    ("SHORTLIST_FROM = 70", "SHORTLIST_FROM = 65"),
    ("SHORTLIST_FROM", "LIMIT"),
    ("MODEL", "MODEL_NAME"),
    ("result", "verdict"),
    ("applicant in", "one in"),
    ("def score(", "def rate("),
    ("def screen(", "def run_screening("),
    ("message = ", "reply = "),
    ("message.content", "message.content"),
    ("max_tokens=400", "max_tokens=800"),
    ("Rate this CV", "Please rate the following CV from 0 to 100"),
    ("claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"),
    ("sqlite:///applicants.db", "sqlite:///people.db"),
    ("    session.commit()", "    session.commit()  # keep it"),
    ("session", "db"),
    ("client", "model"),
    ("engine = ", "connection = "),
    ("    return json.loads", "\n    # Parse.\n    return json.loads"),
    ("-> dict:", "-> dict[str, object]:"),
    ("-> None:", "-> None:\n    \"\"\"Does its part.\"\"\""),
    ("if __name__", "\n\nif __name__"),
    ("class Base(", "class Tables("),
    ("    pass\n", "    \"\"\"The tables.\"\"\"\n"),
    (
        "f\"Rate this CV:\\n{applicant.cv_text}\"",
        "\"Rate this CV:\\n\" + applicant.cv_text",
    ),
    (
        "        session.commit()\n",
        "        session.commit()\n        print(applicant.id)\n",
    ),
    ("import anthropic\n", "import anthropic\nimport logging\n"),
    ("import anthropic\n", "import anthropic\nimport os\n"),
    (
        "    __tablename__ = \"applicant\"",
        "    __tablename__ = \"applicants\"",
    ),
    ("name: Mapped[str]\n", "name: Mapped[str]\n    city: Mapped[str]\n"),
    ("max_tokens=400,", "max_tokens=400, temperature=0,"),
    ("SHORTLIST_FROM = 70\n", "SHORTLIST_FROM = 70\nVERSION = \"1.2\"\n"),
    (
        "def main() -> None:",
        "def helper() -> int:\n    return 1\n\n\ndef main() -> None:",
    ),
    ("    main()\n", "    main()\n    print(\"done\")\n"),
    ("\"role\": \"user\", \"content\"", "\"content\""),
    ("    ", "  "),
    ("\n", "\r\n"),
];

#[test]
fn forty_harmless_edits_reopen_no_answer_and_a_new_effect_reopens_the_ones_that_depend_on_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    let answers = json!({
        "annex-iii-employment": "4a", "role": "both", "direct-interaction": "no", "use": ["decisions"],
        "development": "none", "organisation.established": "eu", "placed-on-market": "2026-03-01",
    });
    engine.answer(&request(answers)).unwrap();
    let standing = |scan: &ScanResult| -> Vec<(String, String, Vec<String>)> {
        let answers = scan.systems[0].answers.iter();
        answers
            .map(|a| (a.question.clone(), a.status.clone(), a.changes.clone()))
            .collect()
    };
    let reopened = |scan: &ScanResult| -> Vec<String> {
        let all = standing(scan).into_iter();
        all.filter(|(_, status, _)| status != "answered")
            .map(|(id, ..)| id)
            .collect()
    };
    assert_eq!(reopened(&scan(&engine)), Vec::<String>::new());
    assert_eq!(HARMLESS.len(), 40);
    for (from, to) in HARMLESS {
        let edited = JOB.replace(from, to);
        write(dir.path(), "job.py", &edited);
        let now = scan(&engine);
        assert_eq!(now.systems.len(), 1, "{from:?} -> {to:?}");
        assert_eq!(
            reopened(&now),
            Vec::<String>::new(),
            "{from:?} -> {to:?}: {:?}",
            standing(&now)
        );
    }
    // A mail to the applicant is a new effect: what depends on effects is asked again, with the change.
    let mails = JOB
        .replace("import json\n", "import json\nimport smtplib\n")
        .replace(
            "        session.commit()\n",
            "        session.commit()\n        smtplib.SMTP(\"mail\").sendmail(\"hr@example.org\", applicant.name, result[\"reason\"])\n",
        );
    write(dir.path(), "job.py", &mails);
    let now = scan(&engine);
    let again = reopened(&now);
    assert!(
        again.contains(&"annex-iii-employment".to_owned()),
        "{:?}",
        standing(&now)
    );
    for kept in ["role", "established", "placed-on-market", "development"] {
        assert!(!again.contains(&kept.to_owned()), "{again:?}");
    }
    let changed = standing(&now)
        .into_iter()
        .find(|(id, ..)| id == "annex-iii-employment")
        .unwrap()
        .2;
    assert!(
        changed.iter().all(|fact| fact.starts_with("output reaches: ")),
        "{changed:?}"
    );
    // What was taken on counts until it is answered again.
    assert_eq!(now.systems[0].risk_class, "high");
    assert!(open(&now).contains(&"main.annex-iii-employment".to_owned()));
}

#[test]
fn owners_merge_split_name_and_leave_out_systems() {
    let dir = tempfile::tempdir().unwrap();
    let chat = CHAT;
    for folder in ["shop", "desk", "trainer"] {
        write(dir.path(), &format!("{folder}/app.py"), chat);
        write(
            dir.path(),
            &format!("{folder}/pyproject.toml"),
            &format!("[project]\nname = \"{folder}\"\ndependencies = [\"openai\", \"fastapi\"]\n"),
        );
    }
    let engine = engine(dir.path());
    let ids = |scan: &ScanResult| -> Vec<String> { scan.systems.iter().map(|system| system.id.clone()).collect() };
    assert_eq!(scan(&engine).systems.len(), 3);
    write(
        dir.path(),
        ".compliance/profile.toml",
        "[systems.assistant]\nname = \"Assistant\"\npaths = [\"shop\", \"desk\"]\nwhy = \"one product\"\n\n[[leave_out]]\npath = \"trainer\"\nwhy = \"measurements\"\n",
    );
    let merged = scan(&engine);
    assert_eq!(ids(&merged), ["assistant"]);
    assert_eq!(
        (merged.systems[0].name.as_str(), merged.systems[0].files.len()),
        ("Assistant", 2)
    );
    // A call outside every declared system is reported, and is a system of its own until it is declared.
    write(dir.path(), "jobs/rank.py", CHAT);
    let with_new = scan(&engine);
    assert!(
        with_new
            .findings
            .iter()
            .any(|finding| finding.check_id == "cross-undeclared-system"
                && finding.file.as_deref() == Some("jobs/rank.py")),
        "{:?}",
        with_new.findings
    );
    assert_eq!(with_new.systems.len(), 2);
    // A folder can be split into two systems.
    write(
        dir.path(),
        ".compliance/profile.toml",
        "[systems.shop]\npaths = [\"shop\"]\n[systems.desk]\npaths = [\"desk\"]\n[systems.rest]\npaths = [\".\"]\n",
    );
    let mut split = ids(&scan(&engine));
    split.sort();
    assert_eq!(split, ["desk", "rest", "shop"]);
}

#[test]
fn a_passport_and_the_profile_state_one_class() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hiring(dir.path());
    scan(&engine);
    let init = |overrides: Value, force: bool| {
        let request = InitRequest {
            path: Some(".".to_owned()),
            overrides: Some(overrides.as_object().unwrap().clone()),
            force: Some(force),
            ..InitRequest::default()
        };
        engine.init_passports(&request).unwrap()
    };
    let made = init(
        json!({"risk_class": "high", "intended_purpose": "ranks applicants"}),
        false,
    );
    let passport = made.manifests[0].to_value();
    assert_eq!(passport["compliance"]["eu_ai_act"]["risk_class"], "high");
    assert_eq!(
        passport["provenance"]["fields"]["compliance.eu_ai_act.risk_class"],
        "answer"
    );
    let now = scan(&engine);
    assert_eq!(now.systems[0].risk_class, "high");
    assert_eq!(now.systems[0].purpose.as_deref(), Some("ranks applicants"));
    // The other way round.
    engine
        .answer(&request(json!({"risk-class": "limited", "purpose": "sorts letters"})))
        .unwrap();
    let passport = init(json!({}), true).manifests[0].to_value();
    assert_eq!(passport["compliance"]["eu_ai_act"]["risk_class"], "limited");
    assert_eq!(passport["intended_purpose"], "sorts letters");
    assert_eq!(passport["provenance"]["fields"]["intended_purpose"], "answer");
    // What is withdrawn is gone from both.
    let mut back = request(json!({}));
    back.withdraw = vec!["risk-class".to_owned(), "purpose".to_owned()];
    engine.answer(&back).unwrap();
    let passport = init(json!({}), true).manifests[0].to_value();
    assert_eq!(passport["compliance"]["eu_ai_act"]["risk_class"], "unknown");
    assert_eq!(passport["intended_purpose"], Value::Null);
}

#[test]
fn the_guide_goes_step_by_step_and_can_be_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let first = hiring(dir.path());
    scan(&first);
    let path = || Some(".".to_owned());
    let step = |engine: &Engine, number: u32| {
        engine.guided_step(
            number,
            &GuidedStepRequest {
                path: path(),
                ..GuidedStepRequest::default()
            },
        )
    };
    assert_eq!(step(&first, 1).unwrap_err().code, ErrorCode::Impossible);
    let start = GuidedStartRequest {
        path: path(),
        reconfigure: None,
    };
    assert_eq!(first.guided_start(&start).unwrap().current_step, Some(1));
    assert_eq!(step(&first, 3).unwrap_err().code, ErrorCode::Impossible);
    step(&first, 1).unwrap();
    let answered = first
        .guided_step(
            2,
            &GuidedStepRequest {
                path: path(),
                answers: serde_json::from_value(json!({"main.annex-iii-employment": "4a"})).unwrap(),
                by: Some("Ada Example".to_owned()),
                ..GuidedStepRequest::default()
            },
        )
        .unwrap();
    assert!(
        answered.result["questions"]
            .as_array()
            .is_some_and(|open| !open.is_empty())
    );
    drop(first);
    // The next process goes on where this one stopped.
    let second = engine(dir.path());
    assert_eq!(second.guided_start(&start).unwrap().current_step, Some(3));
    assert_eq!(step(&second, 3).unwrap().result["computed"]["riskLevel"], "high");
    for number in 4..=8 {
        step(&second, number).unwrap();
        let again = step(&second, number).unwrap();
        assert_eq!((again.step, again.status.as_str()), (number, "done"));
        let told = |member: &str| again.result[member].as_array().is_some_and(|all| !all.is_empty());
        match number {
            6 => assert!(told("unfixedFindings") || told("fixes"), "{}", again.result),
            7 => assert!(told("generated") && told("documents"), "{}", again.result),
            8 => assert_eq!(again.result["badge"]["path"], "COMPLIANCE.md"),
            _ => {}
        }
    }
    assert!(dir.path().join("COMPLIANCE.md").is_file());
    assert!(dir.path().join(".compliance/documents").is_dir());
    let status = second.guided_status(Some(".")).unwrap();
    assert!(status.completed && status.current_step.is_none());
    let onboarding = second.onboarding_status(Some(".")).unwrap();
    assert!(onboarding.answered > 0 && onboarding.guided.is_some());
}
