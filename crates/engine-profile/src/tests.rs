//! Every practice, point, ground and case of the law is reached by answers; files survive edits; plans are stable.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Date;
use engine_regulation::{Applies, Condition, Exclusion, Fact, Known, LawQuery, Role, TransparencyCase, regulation};
use proptest::prelude::*;

use crate::{
    Answer, Answers, Change, Kind, Place, Plan, QuestionSpec, Scope, Status, Target, Value, edit, facts, parse,
    practices, question, questions,
};

const TODAY: Date = Date::constant(2026, 11, 28);

fn value(id: &str, words: &str) -> Value {
    question(id)
        .unwrap_or_else(|| panic!("no question `{id}`"))
        .read(words.split(", "))
        .unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// The law with these answers, for an operator of whom nothing else is known but the day.
fn law(day: Date, answers: &[(&str, &str)]) -> LawQuery {
    let values: Vec<(&str, Value)> = answers.iter().map(|(id, words)| (*id, value(id, words))).collect();
    let answers: Answers<'_> = values.iter().map(|(id, value)| (*id, value)).collect();
    let code = LawQuery::new(day).high_risk(false).gpai(false).gpai_systemic(false);
    facts(&code, &answers, &BTreeSet::new())
}

fn applies(query: &LawQuery, obligation: &str) -> Applies {
    query.evaluate_one(obligation).expect("an obligation").applies
}

/// A day on which everything has begun.
const LATER: Date = Date::constant(2031, 1, 1);

#[test]
fn every_practice_of_the_data_is_reached_by_its_question() {
    let asked: BTreeMap<&str, &QuestionSpec> = practices().map(|(spec, obligation)| (obligation, spec)).collect();
    for practice in regulation().prohibited_practices() {
        let spec = asked
            .get(practice.obligation_id.as_str())
            .unwrap_or_else(|| panic!("{}", practice.id));
        assert_eq!(spec.kind, Kind::YesNo);
        assert!(
            practice.reference.contains(spec.provision) || spec.provision.contains(&practice.reference),
            "{}",
            practice.id
        );
    }
    assert_eq!(asked.len(), regulation().prohibited_practices().len());
    // The two bans of 2 December 2026 are among them.
    for id in ["art-5-intimate-imagery", "art-5-child-abuse-material"] {
        let (_, obligation) = practices().find(|(spec, _)| spec.id == id).expect("a question");
        assert_eq!(
            regulation()
                .obligation(obligation)
                .map(|obligation| obligation.applies_from),
            Some(Date::constant(2026, 12, 2))
        );
    }
}

#[test]
fn every_point_of_annex_iii_makes_a_system_high_risk_by_some_answer() {
    for area in regulation().annex_iii_areas() {
        for point in &area.points {
            let wanted = point.reference.trim_start_matches("Annex III point ");
            let reached = crate::area_questions().any(|spec| {
                let answer = spec.read([if spec.kind == Kind::YesNo { "yes" } else { wanted }]);
                answer.is_ok_and(|answer| {
                    let answers: Answers<'_> = [(spec.id, &answer)].into();
                    let query = facts(&LawQuery::new(TODAY).high_risk(false), &answers, &BTreeSet::new());
                    query.risk.annex_iii_points.contains(wanted) && query.risk.is_high_risk() == Known::Yes
                })
            });
            assert!(reached, "{}", point.id);
        }
    }
}

#[test]
fn each_ground_of_article_6_3_lifts_the_class_unless_people_are_profiled() {
    for ground in &regulation().article_6_3().conditions {
        let with = |profiling: &str| {
            law(
                LATER,
                &[
                    ("role", "provider"),
                    ("annex-iii-employment", "4a"),
                    ("annex-iii-exemption", &ground.id),
                    ("profiling", profiling),
                ],
            )
        };
        let exempt = with("no");
        assert_eq!(applies(&exempt, "OBL-019"), Applies::DoesNotApply, "{}", ground.id);
        for duty in &regulation().article_6_3().obligation_ids {
            assert_eq!(applies(&exempt, duty), Applies::Applies, "{duty}");
        }
        let profiles = with("yes");
        assert_eq!(applies(&profiles, "OBL-019"), Applies::Applies, "{}", ground.id);
        assert_eq!(applies(&profiles, "OBL-016"), Applies::DoesNotApply);
        // Without a word on profiling the exemption is open, and that is the question.
        let open = with("unknown").evaluate_one("OBL-019").expect("an obligation");
        assert_eq!(open.asks, Some(Fact::Exemption));
    }
}

#[test]
fn each_law_of_annex_i_brings_in_what_its_section_brings_in() {
    for option in question("annex-i").expect("a question").options() {
        let query = law(
            LATER,
            &[
                ("role", "provider"),
                ("annex-i", &option.value),
                ("development", "real-world-testing"),
            ],
        );
        let (risk, section_b) = (applies(&query, "OBL-019"), applies(&query, "OBL-122"));
        match option.value.get(..2) {
            Some("a-") => assert_eq!(
                (risk, section_b),
                (Applies::Applies, Applies::DoesNotApply),
                "{}",
                option.value
            ),
            Some("b-") => assert_eq!(
                (risk, section_b),
                (Applies::DoesNotApply, Applies::Applies),
                "{}",
                option.value
            ),
            _ => assert_eq!(
                (risk, section_b),
                (Applies::DoesNotApply, Applies::DoesNotApply),
                "{}",
                option.value
            ),
        }
    }
    assert_eq!(
        question("annex-i").expect("a question").options().len(),
        regulation().risk().annex_i.len() + 1
    );
    assert_eq!(question("annex-i-medical").map(|spec| spec.id), Some("annex-i"));
}

#[test]
fn each_case_of_article_50_brings_in_its_duties() {
    for case in TransparencyCase::ALL {
        let spec = questions()
            .iter()
            .find(|spec| spec.settles(Fact::Case(*case)))
            .unwrap_or_else(|| panic!("{case:?}"));
        let record = regulation()
            .article_50_cases()
            .iter()
            .find(|record| record.id == case.id())
            .expect("a case");
        for duty in &record.obligation_ids {
            for (answer, verdict) in [("yes", Applies::Applies), ("no", Applies::DoesNotApply)] {
                let query = law(
                    LATER,
                    &[("role", "both"), (spec.id, answer), ("placed-on-market", "2026-09-01")],
                );
                assert_eq!(applies(&query, duty), verdict, "{duty} {answer}");
            }
        }
    }
    // Paragraphs 5 and 6 come with any of the four, and with none of them they do not apply.
    let none = [
        ("role", "both"),
        ("direct-interaction", "no"),
        ("synthetic-content", "no"),
        ("emotion-or-biometric", "no"),
        ("deep-fake", "no"),
        ("public-interest-text", "no"),
    ];
    for duty in ["OBL-099", "OBL-131"] {
        assert_eq!(applies(&law(LATER, &none), duty), Applies::DoesNotApply);
    }
}

#[test]
fn models_scope_and_conditions_are_reached_by_answers() {
    let provider = ("role", "provider");
    let gpai = law(
        LATER,
        &[provider, ("gpai-provider", "gpai"), ("placed-on-market", "2026-01-01")],
    );
    assert_eq!(applies(&gpai, "OBL-102"), Applies::Applies);
    assert_eq!(applies(&gpai, "OBL-109"), Applies::DoesNotApply);
    let open = law(
        LATER,
        &[
            ("gpai-provider", "gpai"),
            ("gpai-open", "yes"),
            ("placed-on-market", "2026-01-01"),
        ],
    );
    assert_eq!(applies(&open, "OBL-102"), Applies::DoesNotApply);
    assert_eq!(applies(&open, "OBL-104"), Applies::Applies);
    let systemic = law(
        LATER,
        &[
            ("gpai-provider", "gpai-systemic"),
            ("gpai-open", "yes"),
            ("placed-on-market", "2026-01-01"),
        ],
    );
    for duty in ["OBL-102", "OBL-109", "OBL-110", "OBL-111", "OBL-112"] {
        assert_eq!(applies(&systemic, duty), Applies::Applies, "{duty}");
    }
    assert_eq!(
        applies(&law(TODAY, &[provider, ("in-union", "no")]), "OBL-002"),
        Applies::DoesNotApply
    );
    for exclusion in Exclusion::ALL {
        let query = law(TODAY, &[provider, ("exclusion", exclusion.name())]);
        assert_eq!(query.scope.exclusion, Some(*exclusion));
    }
    assert_eq!(law(TODAY, &[("exclusion", "none")]).scope.exclusion, None);

    // Art. 25(1), 26(7) to (11), 27, 86, 4a, 15(4), 22, 60 and 75: each is one answer away.
    let high = [
        ("role", "both"),
        ("annex-iii-credit", "yes"),
        ("placed-on-market", "2029-01-01"),
    ];
    let with = |more: &[(&'static str, &'static str)]| law(LATER, &[&high[..], more].concat());
    for (id, answer, duty) in [
        ("use", "input-data", "OBL-072"),
        ("use", "workplace", "OBL-076"),
        ("use", "impact-assessment", "OBL-078"),
        ("use", "decisions", "OBL-120"),
        ("public-role", "public-body", "OBL-077"),
        ("public-role", "public-body", "OBL-082"),
        ("public-role", "private", "OBL-082"),
        ("public-role", "public-body", "OBL-093"),
        ("role-change", "yes", "OBL-066"),
        ("role-change", "yes", "OBL-067"),
        ("established", "outside", "OBL-059"),
        ("development", "learns-in-use", "OBL-046"),
        ("development", "sensitive-data-for-bias", "OBL-013"),
        ("development", "real-world-testing", "OBL-121"),
        ("development", "own-model-or-large-platform", "OBL-119"),
        ("development", "own-model-or-large-platform", "OBL-128"),
    ] {
        assert_eq!(
            applies(&with(&[(id, answer)]), duty),
            Applies::Applies,
            "{id} = {answer}: {duty}"
        );
    }
    assert_eq!(
        applies(&with(&[]), "OBL-080"),
        Applies::Applies,
        "Art. 26(11) comes with the class"
    );
    // A private body that scores credit assesses the impact; one that hires does not.
    let hires = law(
        LATER,
        &[
            ("role", "both"),
            ("annex-iii-employment", "4(a)"),
            ("public-role", "private"),
            ("placed-on-market", "2029-01-01"),
        ],
    );
    assert_eq!(applies(&hires, "OBL-082"), Applies::DoesNotApply);
    let schools = law(
        LATER,
        &[
            ("role", "both"),
            ("annex-iii-education", "3b"),
            ("public-role", "public-services"),
            ("placed-on-market", "2029-01-01"),
        ],
    );
    assert_eq!(applies(&schools, "OBL-082"), Applies::Applies);
    assert_eq!(applies(&schools, "OBL-093"), Applies::DoesNotApply);
    let water = law(
        LATER,
        &[
            ("role", "both"),
            ("annex-iii-infrastructure", "yes"),
            ("public-role", "public-body"),
        ],
    );
    assert_eq!(
        applies(&water, "OBL-082"),
        Applies::DoesNotApply,
        "Art. 27(1) leaves point 2 out"
    );
    let police = law(
        LATER,
        &[
            ("role", "deployer"),
            ("annex-iii-biometrics", "1a"),
            ("use", "law-enforcement"),
            ("placed-on-market", "2029-01-01"),
        ],
    );
    assert_eq!(applies(&police, "OBL-079"), Applies::Applies);
}

#[test]
fn answer_on_real_time_identification_decides_the_conditions_of_its_exceptions() {
    let of = |answer: &str| {
        let query = law(
            LATER,
            &[("role", "deployer"), ("art-5-real-time-identification", answer)],
        );
        applies(&query, "OBL-012")
    };
    assert_eq!(of("yes"), Applies::Applies);
    assert_eq!(of("no"), Applies::DoesNotApply);
    assert_eq!(of("unknown"), Applies::Undetermined);
    let fact = Fact::Condition(Condition::RealTimeIdentification);
    assert_eq!(
        crate::question_for(fact, &Answers::new(), &BTreeSet::new()),
        "art-5-real-time-identification"
    );
}

#[test]
fn every_question_is_reached_by_a_fact_an_article_or_a_form() {
    let mut facts: Vec<Fact> = vec![
        Fact::InUnion,
        Fact::Role,
        Fact::HighRisk,
        Fact::Exemption,
        Fact::AnnexI,
        Fact::GeneralPurposeModel,
        Fact::PlacedOnMarket,
        Fact::SignificantChange,
    ];
    facts.extend(TransparencyCase::ALL.iter().map(|case| Fact::Case(*case)));
    facts.extend(Condition::ALL.iter().map(|condition| Fact::Condition(*condition)));
    // Every fact that a verdict can wait for has a question.
    for fact in &facts {
        let id = crate::question_for(*fact, &Answers::new(), &BTreeSet::from(["annex-iii-employment"]));
        assert!(question(id).is_some(), "{fact:?}");
    }
    // And every question is settled by a fact, names a practice or a point, or is used by forms, fines and documents.
    let of_forms = [
        "size",
        "countries",
        "purpose",
        "users",
        "exclusion",
        "profiling",
        "ai-is-obvious",
    ];
    for spec in questions() {
        let reached = facts.iter().any(|fact| spec.settles(*fact))
            || practices().any(|(own, _)| own.id == spec.id)
            || crate::area_questions().any(|own| own.id == spec.id)
            || of_forms.contains(&spec.id);
        assert!(reached, "`{}` is reached by nothing", spec.id);
    }
}

#[test]
fn questions_read_well_and_name_provisions_that_exist() {
    let mut ids = BTreeSet::new();
    for spec in questions() {
        assert!(ids.insert(spec.id), "{}", spec.id);
        assert!(spec.text.ends_with('?'), "{}", spec.id);
        assert!(spec.text.split_whitespace().count() <= 25, "{}: {}", spec.id, spec.text);
        assert!(spec.why.ends_with('.'), "{}", spec.id);
        for sentence in spec.why.split(". ") {
            assert!(sentence.split_whitespace().count() <= 30, "{}: {sentence}", spec.id);
        }
        assert!(
            (2..=8).contains(&spec.title.split_whitespace().count()),
            "{}",
            spec.title
        );
        for reference in engine_regulation::cited(spec.provision) {
            assert!(
                reference
                    .article()
                    .is_none_or(|number| regulation().article(number).is_some()),
                "{}: {}",
                spec.id,
                spec.provision
            );
        }
        for option in spec.options() {
            assert_eq!(
                spec.read([option.value.as_str()]).map(|value| value.has(&option.value)),
                Ok(true)
            );
            assert!(!option.label.is_empty());
        }
        if spec.kind != Kind::Text {
            assert!(spec.read(["unknown"]).expect("an answer").is_unknown());
            let error = spec.read(["nonsense"]).expect_err(spec.id).to_string();
            assert!(error.contains("nonsense") && error.contains("answer"), "{error}");
        }
        assert!(spec.read([]).is_err());
    }
}

#[test]
fn answers_are_read_in_the_spellings_that_people_use() {
    for (id, given, read) in [
        ("role", "both", "provider, deployer"),
        ("role", "Deployer, provider", "provider, deployer"),
        ("annex-iii-employment", "4a", "4(a)"),
        ("annex-iii-employment", "ANNEX-III-4b", "4(b)"),
        ("annex-iii-employment", "no", "none"),
        ("annex-iii-credit", "Y", "yes"),
        ("annex-i", "no", "none"),
        ("placed-on-market", "not yet", "not-yet"),
        ("placed-on-market", "2026-03-01", "2026-03-01"),
        ("established", "1", "eu"),
        ("direct-interaction", "?", "unknown"),
        ("countries", "de, FR", "DE, FR"),
    ] {
        assert_eq!(value(id, given).to_string(), read, "{id} {given}");
    }
    for (id, given) in [
        ("role", "provder"),
        ("direct-interaction", "maybe"),
        ("placed-on-market", "soon"),
        ("role", "none, provider"),
    ] {
        assert!(
            question(id).expect("a question").read(given.split(", ")).is_err(),
            "{id} {given}"
        );
    }
    let error = question("role")
        .expect("a question")
        .read(["provder"])
        .expect_err("a typing error");
    assert!(error.to_string().contains("did you mean `provider`"), "{error}");
}

const FILE: &str = "\
# Our profile
version = 1
team = \"platform\" # another tool reads this

[organisation]
# asked legal on 3 November
established = { value = \"eu\", by = \"A. Person\", on = 2026-11-03, why = \"Berlin\" }

[systems.main]
name = \"Helpdesk\"
role = [\"provider\", \"deployer\"]
annex-i-medical = \"none\"

[[systems.main.evidence]]
obligation = \"OBL-001\"
reference = \"training of 3 November, record HR-12\"
by = \"B. Person\"
on = 2026-11-03

[[leave_out]]
path = \"./benchmarks/\"
why = \"measurements of developers\"
";

#[test]
fn a_profile_is_read_with_the_place_of_each_value() {
    let profile = parse(FILE).expect("a profile");
    let established = &profile.organisation["established"];
    assert_eq!((established.value.word(), established.place.line), ("eu", 7));
    assert_eq!(established.by_and_on(), "by A. Person on 2026-11-03");
    let main = &profile.systems["main"];
    assert_eq!(main.name.as_deref(), Some("Helpdesk"));
    assert_eq!(main.answers["role"].place, Place { line: 11, column: 8 });
    // A former id counts as the present one.
    assert!(main.answers.contains_key("annex-i"));
    assert_eq!(main.evidence[0].until, Date::constant(2027, 11, 3));
    assert_eq!(profile.left_out[0].path, "benchmarks");
    assert_eq!(profile.warnings.len(), 1, "{:?}", profile.warnings);
    assert!(profile.warnings[0].message.contains("`team`"));
}

#[test]
fn a_broken_profile_names_line_column_and_remedy() {
    for (text, line, column, said) in [
        ("version = 1\n[systems.main\n", 2, 14, "not valid TOML"),
        ("[systems.main]\nrole = \"provder\"\n", 2, 8, "did you mean `provider`"),
        ("[systems.main]\nrole = 3.5\n", 2, 8, "answer any of"),
        ("version = 2\n", 1, 11, "version = 1"),
        (
            "[[leave_out]]\npath = \"../x\"\nwhy = \"y\"\n",
            1,
            1,
            "inside the project",
        ),
        ("[systems.main]\npaths = [\"/etc\"]\n", 2, 9, "is outside the project"),
        ("[[systems.main.evidence]]\nobligation = \"OBL-999\"\n", 1, 1, "OBL-001"),
        ("[systems]\nall = {}\n", 2, 7, "write `[all]`"),
        (
            "[systems.main]\nplaced-on-market = { by = \"A\" }\n",
            2,
            20,
            "has no `value`",
        ),
        (
            "[systems.main]\nrole = { value = \"provider\", on = \"soon\" }\n",
            2,
            35,
            "must be a date",
        ),
    ] {
        let error = parse(text).expect_err(text);
        let first = &error.problems[0];
        assert_eq!(
            (first.place.line, first.place.column),
            (line, column),
            "{text}: {error}"
        );
        assert!(error.to_string().contains(said), "{error}");
    }
    let unknown = parse("[systems.main]\nrolle = \"provider\"\n").expect("kept");
    assert!(
        unknown.warnings[0].message.contains("did you mean `role`"),
        "{:?}",
        unknown.warnings
    );
}

fn answer(id: &str, words: &str) -> Answer {
    Answer {
        value: value(id, words),
        by: Some("A. Person".to_owned()),
        on: Some(TODAY),
        why: Some("as agreed".to_owned()),
        until: None,
        seen: Some(BTreeSet::from(["input: user input".to_owned()])),
        place: Place::default(),
    }
}

fn change(target: Target, id: &str, words: &str) -> Change {
    Change::Answer {
        target,
        question: question(id).expect("a question"),
        answer: answer(id, words),
    }
}

#[test]
fn an_edit_keeps_comments_and_keys_that_are_not_known() {
    let after = edit(
        Some(FILE),
        &[
            change(Target::Organisation, "established", "outside"),
            change(Target::System("main".to_owned()), "annex-i", "a-11"),
            change(Target::System("screening".to_owned()), "role", "provider"),
            change(Target::AllSystems, "placed-on-market", "2026-03-01"),
            Change::Evidence {
                target: Target::System("main".to_owned()),
                obligation: "OBL-001".to_owned(),
                reference: "training of 3 November, record HR-12".to_owned(),
                by: "C. Person".to_owned(),
                on: TODAY,
                until: None,
            },
        ],
    )
    .expect("an edit");
    for kept in [
        "# Our profile",
        "team = \"platform\" # another tool reads this",
        "# asked legal on 3 November",
    ] {
        assert!(after.contains(kept), "{after}");
    }
    let profile = parse(&after).expect("a profile");
    assert_eq!(profile.organisation["established"].value.word(), "outside");
    assert_eq!(profile.systems["main"].answers["annex-i"].value.word(), "a-11");
    assert!(!after.contains("annex-i-medical"));
    assert_eq!(
        profile.systems["screening"].answers["role"].by.as_deref(),
        Some("A. Person")
    );
    assert_eq!(
        profile.all["placed-on-market"].value.date(),
        Some(Date::constant(2026, 3, 1))
    );
    assert_eq!(profile.systems["main"].evidence.len(), 1);
    assert_eq!(profile.systems["main"].evidence[0].by, "C. Person");
    // The same edit again changes nothing.
    assert_eq!(
        edit(Some(&after), &[change(Target::Organisation, "established", "outside")]).as_deref(),
        Ok(after.as_str())
    );
    let gone = edit(
        Some(&after),
        &[Change::Withdraw {
            target: Target::Organisation,
            question: question("established").expect("a question"),
        }],
    )
    .expect("an edit");
    assert!(
        !parse(&gone)
            .expect("a profile")
            .organisation
            .contains_key("established")
    );
}

#[test]
fn a_new_profile_explains_itself() {
    let text = edit(None, &[change(Target::System("main".to_owned()), "role", "both")]).expect("a profile");
    assert!(text.starts_with("# Facts for the EU AI Act"), "{text}");
    assert!(
        text.contains(
            "[systems.main.role]\nvalue = [\"provider\", \"deployer\"]\nby = \"A. Person\"\non = 2026-11-28\n"
        ),
        "{text}"
    );
    assert!(edit(Some("[broken"), &[]).is_err());
}

fn plan_of(code: &LawQuery, answers: &[(&str, &str)], seen: &[&str], raised: &[&str]) -> Plan {
    let own: BTreeMap<String, Answer> = answers
        .iter()
        .map(|(id, words)| ((*id).to_owned(), answer(id, words)))
        .collect();
    let answers = own
        .iter()
        .map(|(id, answer)| (id.as_str(), ("system", answer)))
        .collect();
    let seen = seen.iter().map(|fact| (*fact).to_owned()).collect();
    Plan::of(code.clone(), &answers, &seen, &raised.iter().copied().collect())
}

/// What code shows of a chat: a provider, people who talk, generated text.
fn chat() -> LawQuery {
    LawQuery::new(TODAY)
        .role(Role::Provider, true)
        .high_risk(false)
        .gpai(false)
        .gpai_systemic(false)
        .transparency(TransparencyCase::DirectInteraction, true)
        .transparency(TransparencyCase::SyntheticContent, true)
        .transparency(TransparencyCase::EmotionOrBiometric, false)
        .transparency(TransparencyCase::DeepFake, false)
        .transparency(TransparencyCase::PublicInterestText, false)
}

/// Answers the first open question again and again, and says how many it took.
fn answered(code: &LawQuery, raised: &[&'static str], choose: impl Fn(&str) -> &'static str) -> (usize, Plan) {
    let mut given: Vec<(&str, &str)> = Vec::new();
    loop {
        let plan = plan_of(code, &given, &["input: user input"], raised);
        let Some(next) = plan.open(&raised.iter().copied().collect()).into_iter().next() else {
            return (given.len(), plan);
        };
        given.push((next.spec.id, choose(next.spec.id)));
        assert!(given.len() < 30, "{given:?}");
    }
}

#[test]
fn few_answers_settle_a_chat_and_a_high_risk_system() {
    let choose = |id: &str| match id {
        "role" => "both",
        "placed-on-market" => "2026-03-01",
        "established" => "eu",
        "public-role" => "private",
        "annex-iii-employment" => "4a",
        "development" | "use" => "none",
        _ => "no",
    };
    let (number, plan) = answered(&chat(), &["role"], choose);
    assert!(number <= 7, "{number}");
    assert!(plan.settles.is_empty(), "{:?}", plan.settles);
    let hiring = chat().high_risk_indicator("data about applicants");
    let (number, plan) = answered(&hiring, &["role", "annex-iii-employment"], choose);
    assert!(number <= 12, "{number}");
    assert!(plan.settles.is_empty(), "{:?}", plan.settles);
}

#[test]
fn the_question_that_decides_most_comes_first_and_the_rest_waits() {
    let hiring = chat().high_risk_indicator("data about applicants");
    let plan = plan_of(&hiring, &[], &[], &["role", "annex-iii-employment"]);
    let open = plan.open(&BTreeSet::from(["role", "annex-iii-employment"]));
    let decides: Vec<usize> = open.iter().map(|planned| planned.decides).collect();
    assert!(decides.is_sorted_by(|one, next| one >= next), "{decides:?}");
    let at = open
        .iter()
        .position(|planned| planned.spec.id == "annex-iii-employment")
        .expect("it is open");
    assert!(at < 2 && decides[at] > 60, "{decides:?}");
    let effect = |value: &str| {
        open[at]
            .effects
            .iter()
            .find(|effect| effect.value == value)
            .expect("an effect")
    };
    assert!(effect("4(a)").adds.len() > 50 && effect("4(a)").removes.len() < 25);
    assert!(effect("none").adds.len() < 5 && effect("none").removes.len() > 50);
    // What depends on the class is not asked before the class is known.
    assert!(open.iter().all(|planned| planned.spec.id != "role-change"), "{open:?}");
    // Each undetermined obligation names a question that is open.
    for row in plan.query.evaluate() {
        if row.applies == Applies::Undetermined {
            let id = plan.settles[row.obligation.id.as_str()];
            assert!(
                open.iter().any(|planned| planned.spec.id == id),
                "{}: {id}",
                row.obligation.id
            );
        }
    }
}

#[test]
fn a_new_fact_reopens_the_answers_that_depend_on_it_and_no_other() {
    let code = chat().high_risk_indicator("data about applicants");
    let raised = ["annex-iii-employment"];
    let given = [("annex-iii-employment", "none"), ("role", "both")];
    let same = plan_of(&code, &given, &["input: user input"], &raised);
    assert_eq!(same.standing["annex-iii-employment"].0, Status::Answered);
    let fewer = plan_of(&code, &given, &[], &raised);
    assert_eq!(fewer.standing["annex-iii-employment"].0, Status::Answered);
    let more = plan_of(
        &code,
        &given,
        &["input: user input", "decision about people: applicants or workers"],
        &raised,
    );
    let (status, changes) = &more.standing["annex-iii-employment"];
    assert_eq!((*status, changes.len()), (Status::Reopened, 1));
    assert_eq!(more.standing["role"].0, Status::Answered);
    // The answer that lifted duties no longer counts; the question is open again with the change.
    assert_eq!(applies(&same.query, "OBL-019"), Applies::DoesNotApply);
    assert_eq!(applies(&more.query, "OBL-019"), Applies::Undetermined);
    let open = more.open(&raised.into());
    assert_eq!(open[0].changes, ["decision about people: applicants or workers"]);
    // An answer that took duties on keeps counting.
    let taken = plan_of(
        &code,
        &[("annex-iii-employment", "4a"), ("role", "both")],
        &["effect", "output reaches: a database"],
        &raised,
    );
    assert_eq!(taken.standing["annex-iii-employment"].0, Status::Reopened);
    assert_eq!(applies(&taken.query, "OBL-019"), Applies::Upcoming);
}

#[test]
fn i_do_not_know_is_kept_and_stays_visible() {
    let plan = plan_of(&chat(), &[("placed-on-market", "unknown")], &[], &["role"]);
    let open = plan.open(&BTreeSet::from(["role"]));
    let asked = open
        .iter()
        .find(|planned| planned.spec.id == "placed-on-market")
        .expect("it stays");
    assert_eq!(asked.status, Status::Unknown);
}

#[test]
fn what_the_profile_states_for_all_systems_yields_to_a_systems_own_answer() {
    let profile =
        parse("[all]\nrole = \"provider\"\n[systems.a]\nrole = \"deployer\"\n[organisation]\nestablished = \"eu\"\n")
            .expect("a profile");
    let of = |system: &str| profile.answers_of(system)["role"].1.value.to_string();
    assert_eq!((of("a").as_str(), of("b").as_str()), ("deployer", "provider"));
    assert!(profile.answers_of("b").contains_key("established"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn any_toml_with_known_names_is_read_or_refused(
        id in prop::sample::select(questions().iter().map(|spec| spec.id).collect::<Vec<_>>()),
        word in "[a-z0-9 (),.-]{0,20}",
    ) {
        let text = format!("[systems.x]\n{id} = \"{word}\"\n[organisation]\n{id} = {{ value = [\"{word}\"] }}\n");
        let _ = parse(&text);
    }

    #[test]
    fn what_is_written_is_read_back(
        spec in prop::sample::select((0..questions().len()).collect::<Vec<_>>()),
        pick in 0usize..40,
        why in "[ -~]{0,40}",
    ) {
        let spec = &questions()[spec];
        let options = spec.options();
        let word = match spec.kind {
            Kind::Text => "for \"all\" of us".to_owned(),
            Kind::Date => "2026-02-03".to_owned(),
            _ => options[pick % options.len()].value.clone(),
        };
        let mut given = answer("role", "both");
        given.value = spec.read([word.as_str()]).expect("an option");
        given.why = Some(why).filter(|why| !why.trim().is_empty()).map(|why| why.trim().to_owned());
        let target = Target::of(spec, "main");
        let text = edit(Some(FILE), &[Change::Answer { target, question: spec, answer: given.clone() }]).expect("an edit");
        let profile = parse(&text).expect("a profile");
        let read = match spec.scope {
            Scope::Organisation => &profile.organisation[spec.id],
            Scope::System => &profile.systems["main"].answers[spec.id],
        };
        prop_assert_eq!(&read.value, &given.value);
        prop_assert_eq!(&read.why, &given.why);
        prop_assert_eq!(&read.seen, &given.seen);
    }
}
