//! In-house models whose files are named after their subject: `credit_score_model.onnx`, `diabetes_model.tflite`.
//!
//! What such a model is given may be numbers without names. Its name raises a question, and nothing more.

use engine_catalogue::words_of;
use engine_model::{CallKind, PersonArea, Zone};
use engine_syntax::ir::Expr;

use crate::calls::Found;
use crate::values::{ExprRef, Value, constant};
use crate::world::World;
use crate::{Signal, SignalKind};

/// Endings of files that hold a model.
const ENDINGS: [&str; 12] = [
    ".tflite", ".onnx", ".h5", ".keras", ".pkl", ".pickle", ".joblib", ".pt", ".pth", ".ort", ".mlmodel", ".sav",
];

/// Words of names of models, with the area that each belongs to.
const NAMES: [(PersonArea, &[&str]); 5] = [
    (
        PersonArea::Health,
        &[
            "diabetes",
            "cancer",
            "tumor",
            "tumour",
            "melanoma",
            "disease",
            "pneumonia",
            "retinopathy",
            "medical",
            "symptom",
            "symptoms",
            "alzheimer",
            "alzheimers",
            "diagnosis",
            "stroke",
            "lesion",
        ],
    ),
    (PersonArea::Credit, &["loan", "credit", "creditworthiness", "mortgage"]),
    (PersonArea::Education, &["dropout", "admission", "admissions"]),
    (PersonArea::Employment, &["attrition", "hiring", "resume", "resumes"]),
    (PersonArea::Emergency, &["triage", "esi"]),
];

/// Words beside which the same names mean something else: cards that were stolen, plants that are ill.
const OTHERS: [&str; 10] = [
    "card", "fraud", "plant", "plants", "leaf", "crop", "tomato", "potato", "rice", "animal",
];

/// Expressions of one call that are looked at.
const PARTS_MAX: usize = 80;

/// What is asked of models that are named so, of calls about which nothing else is told.
pub(super) fn signals(world: &World<'_>, found: &[Found], told: &dyn Fn(usize) -> bool) -> Vec<Signal> {
    let mut out: Vec<Signal> = Vec::new();
    for (at, record) in found.iter().enumerate() {
        let own = matches!(record.call.kind, CallKind::Call | CallKind::ModelLoad)
            && record.call.zone == Zone::Product
            && record.call.provider.as_deref() == Some("local");
        if !own || told(at) {
            continue;
        }
        let mut names: Vec<String> = record.call.model.iter().cloned().collect();
        for part in crate::capabilities::below(world, record.at, PARTS_MAX) {
            let place = ExprRef(record.at.0, part);
            match world.expr(place) {
                Expr::Str(text) => names.push(text.to_string()),
                Expr::Name(_) => names.extend(world.eval(place).iter().filter_map(|value| match value {
                    Value::Text(parts) => constant(parts),
                    _ => None,
                })),
                _ => {}
            }
        }
        for name in names.iter().filter(|name| is_file(name)) {
            let Some(area) = area_of(name) else { continue };
            let kind = SignalKind::from(area);
            let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
            if !out.iter().any(|signal| signal.kind == kind && signal.detail == file) {
                out.push(Signal {
                    kind,
                    file: record.call.file.clone(),
                    line: record.call.line,
                    detail: file.to_owned(),
                    call: at,
                });
            }
        }
    }
    out
}

fn is_file(name: &str) -> bool {
    name.len() < 200 && ENDINGS.iter().any(|end| name.ends_with(end))
}

/// The area of which the name of a model speaks.
fn area_of(name: &str) -> Option<PersonArea> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let words = words_of(stem);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&OTHERS) {
        return None;
    }
    NAMES.iter().find(|(_, known)| has(known)).map(|(area, _)| *area)
}

#[cfg(test)]
mod tests {
    use engine_model::PersonArea;

    use super::{area_of, is_file};

    #[test]
    fn a_model_is_told_by_the_words_of_its_file() {
        for (name, area) in [
            ("../models/credit_score_model.onnx", PersonArea::Credit),
            ("heart_disease_model.tflite", PersonArea::Health),
            ("DropoutModel.joblib", PersonArea::Education),
            ("esi_model.pth", PersonArea::Emergency),
        ] {
            assert!(is_file(name));
            assert_eq!(area_of(name), Some(area), "{name}");
        }
        for name in [
            "credit_card_fraud.pkl",
            "plant_disease_model.h5",
            "final_model.tflite",
            "floating_model.onnx",
            "resumable.pt",
        ] {
            assert_eq!(area_of(name), None, "{name}");
        }
    }
}
