//! Between two possible starts nothing goes silent: neither a gap nor a missing document.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine_model::{Applies, Date, FindingType, MemoryTree, ObligationRecord, ObligationStatus, fixture};
use engine_profile::{Profile, parse};
use engine_regulation::regulation;

use super::{on, project};
use crate::{Evaluation, Settings, StatedClass, scan_memory};

/// One call to a model of which the name is a setting, so that no date retires it.
const CALL: &str = r#"//- app.py
import os

from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()


@app.post("/chat")
def chat(message: str):
    answer = client.responses.create(model=os.environ["MODEL"], input=message)
    return {"answer": answer.output_text}
"#;

/// Answers that decide a start, each on its own and together.
const ANSWERS: [&str; 7] = [
    "",
    "placed-on-market = { value = 2026-03-01, by = \"A. Person\", on = 2026-11-20 }",
    "placed-on-market = { value = 2028-01-01, by = \"A. Person\", on = 2026-11-20 }",
    "placed-on-market = { value = \"not-yet\", by = \"A. Person\", on = 2026-11-20 }",
    "annex-i = { value = \"none\", by = \"A. Person\", on = 2026-11-20 }",
    "significant-change = { value = \"no\", by = \"A. Person\", on = 2026-11-20 }\n\
     placed-on-market = { value = 2028-01-01, by = \"A. Person\", on = 2026-11-20 }",
    "gpai-provider = { value = \"gpai\", by = \"A. Person\", on = 2026-11-20 }",
];

fn profile(answers: &str) -> Profile {
    let text = format!(
        "version = 1\n\n[all]\nrole = {{ value = [\"provider\", \"deployer\"], by = \"A. Person\", on = 2026-11-20 }}\n{answers}\n"
    );
    parse(&text).unwrap()
}

fn high(day: Date) -> Settings {
    Settings {
        risk_class: Some(StatedClass::High),
        profile: Arc::new(profile("")),
        ..Settings::on(day)
    }
}

/// The day before, the day and the day after each date of the data.
fn days() -> Vec<Date> {
    let dates: BTreeSet<Date> = regulation()
        .obligations()
        .iter()
        .flat_map(|row| row.applies_from_by_route.values().copied())
        .collect();
    let around = |day: Date| [day.yesterday().unwrap(), day, day.tomorrow().unwrap()];
    let days: BTreeSet<Date> = dates.into_iter().flat_map(around).collect();
    days.into_iter().collect()
}

/// The documents that a scan reports as missing, each with its system.
type Missing = BTreeSet<(String, String)>;

/// The documents that a scan reports as missing, by system.
fn missing(evaluation: &Evaluation) -> Missing {
    let missing = evaluation.findings.iter().filter_map(|finding| {
        let document = crate::missing_document(finding)?;
        Some((finding.system.clone().unwrap_or_default(), document.to_owned()))
    });
    missing.collect()
}

/// The record of each system on each obligation.
type Records = BTreeMap<(String, String), ObligationRecord>;

fn records(evaluation: &Evaluation) -> Records {
    let records = evaluation.systems.iter().flat_map(|system| {
        let own = system.obligations.iter();
        own.map(|record| ((system.id.clone(), record.obligation_id.clone()), record.clone()))
    });
    records.collect()
}

fn nothing_goes_silent(tree: &MemoryTree, class: Option<StatedClass>, answers: &str) -> usize {
    let mut before: Option<(Date, Missing, Records)> = None;
    let mut between = 0;
    for day in days() {
        let settings = Settings {
            risk_class: class,
            profile: Arc::new(profile(answers)),
            ..Settings::on(day)
        };
        let evaluation = scan_memory(tree, &settings);
        let (documents, records) = (missing(&evaluation), records(&evaluation));
        if let Some((earlier_day, earlier_documents, earlier_records)) = &before {
            let gone: Vec<_> = earlier_documents.difference(&documents).collect();
            assert!(gone.is_empty(), "{earlier_day} to {day}, {answers}: {gone:?}");
            for (key, earlier) in earlier_records.iter().filter(|(_, record)| record.is_expected()) {
                let now = &records[key];
                assert!(now.is_expected(), "{earlier_day} to {day}, {answers}: {now:?}");
                let gap = earlier.status == ObligationStatus::Gap;
                assert!(
                    !gap || now.status == ObligationStatus::Gap,
                    "{earlier_day} to {day}, {answers}: {now:?}"
                );
            }
        }
        for record in records.values() {
            let open = !record.possible_starts.is_empty();
            between += usize::from(open);
            assert!(!open || record.applies == Applies::Undetermined, "{record:?}");
            if let (true, Some(certain)) = (open, record.certain_from) {
                // What is certain is announced.
                let row = evaluation.upcoming.iter().find(|row| {
                    row.obligation_id == record.obligation_id && row.applies_from == certain && row.certain
                });
                assert!(row.is_some(), "{day}: {record:?}");
            }
        }
        before = Some((day, documents, records));
    }
    between
}

#[test]
fn nothing_goes_silent_between_two_starts() {
    let tree = fixture(CALL).unwrap();
    for class in [None, Some(StatedClass::High)] {
        let mut between = 0;
        for answers in ANSWERS {
            between += nothing_goes_silent(&tree, class, answers);
        }
        // Marking has two starts without a class, Chapter III with it.
        assert!(between > if class.is_some() { 300 } else { 10 }, "{class:?}: {between}");
    }
}

#[test]
#[ignore = "slow: example application on every date"]
fn nothing_goes_silent_in_the_example_application() {
    let tree = project("hr-assistant");
    for class in [None, Some(StatedClass::High)] {
        for answers in ANSWERS {
            nothing_goes_silent(&tree, class, answers);
        }
    }
}

#[test]
fn high_risk_system_without_route_keeps_gap_and_documents_between_the_starts() {
    let tree = fixture(CALL).unwrap();
    let of = |day: Date| scan_memory(&tree, &high(day));
    let before = of(Date::constant(2027, 12, 1));
    let documents = missing(&before);
    assert!(documents.len() >= 9, "{documents:?}");
    let status = |evaluation: &Evaluation, id: &str| {
        let records = records(evaluation);
        let found = records.into_iter().find(|((_, own), _)| own == id).unwrap();
        (found.1.applies, found.1.status, found.1.question_id)
    };
    assert_eq!(status(&before, "OBL-019").0, Applies::Upcoming);
    for day in [
        Date::constant(2027, 12, 2),
        Date::constant(2028, 3, 1),
        Date::constant(2028, 8, 1),
    ] {
        let within = of(day);
        assert_eq!(missing(&within), documents, "{day}");
        let (applies, gap, question) = status(&within, "OBL-019");
        assert_eq!((applies, gap), (Applies::Undetermined, ObligationStatus::Gap), "{day}");
        // The class is stated: what is open is the route.
        assert_eq!(question.as_deref(), Some("annex-i"), "{day}");
        let told: Vec<_> = within
            .findings
            .iter()
            .filter(|finding| finding.check_id == "l1-missing-document")
            .collect();
        for finding in told {
            assert_eq!(finding.kind, FindingType::Info);
            let words =
                "in force for an Annex III system since 2 December 2027; for an Annex I product from 2 August 2028.";
            assert!(finding.message.ends_with(words), "{}", finding.message);
        }
    }
    let after = of(Date::constant(2028, 8, 2));
    assert_eq!(missing(&after), documents);
    assert_eq!(
        (status(&after, "OBL-019").0, status(&after, "OBL-019").1),
        (Applies::Applies, ObligationStatus::Gap)
    );
}

#[test]
fn marking_is_announced_for_its_later_start() {
    let picture = "//- draw.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\n\napp = FastAPI()\nclient = OpenAI()\n\n\n\
                   @app.post(\"/draw\")\ndef draw(idea: str):\n    picture = client.images.generate(model=\"dall-e-3\", prompt=idea)\n    \
                   return {\"picture\": picture.data[0].url}\n";
    let settings = Settings {
        profile: Arc::new(profile("")),
        ..on(2026, 11, 28)
    };
    let evaluation = scan_memory(&fixture(picture).unwrap(), &settings);
    let later = Date::constant(2026, 12, 2);
    let marking = &evaluation.systems[0]
        .obligations
        .iter()
        .find(|record| record.obligation_id == "OBL-095")
        .unwrap();
    assert_eq!(
        (marking.applies, marking.certain_from),
        (Applies::Undetermined, Some(later))
    );
    assert!(
        evaluation
            .upcoming
            .iter()
            .any(|row| row.obligation_id == "OBL-095" && row.applies_from == later && row.certain)
    );
}
