//! How much of a passport is filled in by code or by a person.

use schemars::JsonSchema;
use serde::Serialize;

use crate::document::Document;
use crate::fields::FIELDS;
use crate::generate::says_nothing;
use crate::missing::MissingField;
use crate::provenance::SourceKind;

/// How complete a passport is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completeness {
    /// Share of the required fields that count, 0 to 100.
    pub completeness: f64,
    /// The same.
    pub score: f64,
    /// Required fields that count.
    pub filled_count: u64,
    /// Required fields.
    pub total_required: u64,
    /// Required fields that do not count.
    pub missing_fields: Vec<MissingField>,
}

impl Completeness {
    /// Of what was counted.
    pub fn of(filled: u64, total: u64, missing: Vec<MissingField>) -> Self {
        // Shares are shown with one decimal place; counts of fields are small enough for this to be exact.
        let share = (filled * 1000).checked_div(total).unwrap_or(0);
        let share = f64::from(u32::try_from(share).unwrap_or(0)) / 10.0;
        Self {
            completeness: share,
            score: share,
            filled_count: filled,
            total_required: total,
            missing_fields: missing,
        }
    }
}

/// Counts the required fields that code or a person supplied. Defaults, proposals of models and values that came from
/// elsewhere do not count until a person confirms them.
pub fn completeness(document: &Document) -> Completeness {
    let provenance = document.provenance();
    let mut missing = Vec::new();
    let (mut filled, mut total) = (0, 0);
    for field in FIELDS.iter().filter(|field| field.required) {
        total += 1;
        let value = document.get(field.path);
        let answered = provenance.fields.get(field.path) == Some(&SourceKind::Answer);
        // That there are none is an answer, if a person says so.
        let says = value
            .is_some_and(|value| !says_nothing(value) || (answered && value.as_array().is_some_and(Vec::is_empty)));
        let counts = says && (answered || provenance.fields.get(field.path) == Some(&SourceKind::Code));
        if counts {
            filled += 1;
        } else {
            missing.push(MissingField::of(field.path));
        }
    }
    Completeness::of(filled, total, missing)
}
