//! What a required field of a passport is for, told where it is missing.

use schemars::JsonSchema;
use serde::Serialize;

/// A required field without a value from code or a person.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct MissingField {
    /// The dotted path of the field.
    pub field: String,
    /// The expected content.
    pub description: String,
    /// The obligation that the value supports, `OBL-<number>`; null where none rests on it.
    pub obligation: Option<String>,
    /// Its provision.
    pub article: Option<String>,
}

/// A field, what belongs there, and the obligation with its provision.
type Row = (&'static str, &'static str, Option<(&'static str, &'static str)>);

const ROWS: &[Row] = &[
    ("description", "what the agent does, in a sentence", None),
    ("version", "the version of the agent", None),
    (
        "owner.organization",
        "the organisation that answers for the agent",
        None,
    ),
    ("owner.contact", "how to reach the owner", None),
    (
        "provider.organization",
        "the provider of the system",
        Some(("OBL-036", "Art. 13(3)(a)")),
    ),
    ("role", "the role of the organisation: provider, deployer or both", None),
    ("type", "the kind of program", None),
    ("autonomy_level", "the autonomy level, 1 to 5", None),
    (
        "intended_purpose",
        "the intended purpose",
        Some(("OBL-036", "Art. 13(3)(b)")),
    ),
    ("domain", "the field of use", None),
    (
        "affected_persons",
        "groups of people whom the output affects",
        Some(("OBL-082", "Art. 27(1)(c)")),
    ),
    ("framework.name", "the library that the agent is built with", None),
    ("model.provider", "the provider of the model", None),
    ("model.name", "the name of the model", None),
    ("source_files", "the files of the agent", None),
    ("endpoints", "where the agent can be reached", None),
    ("permissions.tools", "the tools that the model may call", None),
    (
        "constraints.limits",
        "known limits and uses that are excluded",
        Some(("OBL-037", "Art. 13(3)(b)")),
    ),
    (
        "data.inputs",
        "the data that the model receives",
        Some(("OBL-072", "Art. 26(4)")),
    ),
    (
        "data.personal_data",
        "whether personal data is processed, and which",
        None,
    ),
    ("data.retention", "how long the data is kept", None),
    (
        "compliance.eu_ai_act.risk_class",
        "the risk class under the AI Act",
        Some(("OBL-015", "Art. 6(2)")),
    ),
    (
        "oversight.human_approval",
        "whether a person approves before an answer has an effect",
        Some(("OBL-038", "Art. 14(1)")),
    ),
    (
        "oversight.responsible",
        "the person or role who oversees the agent",
        Some(("OBL-071", "Art. 26(2)")),
    ),
    (
        "disclosure.informed",
        "whether users are informed that they interact with an AI",
        Some(("OBL-094", "Art. 50(1)")),
    ),
    (
        "logging.interactions",
        "whether requests and answers are logged",
        Some(("OBL-032", "Art. 12(1)")),
    ),
    (
        "logging.retention",
        "how long the logs are kept",
        Some(("OBL-075", "Art. 26(6)")),
    ),
    (
        "security.error_handling",
        "whether failures of the model are handled",
        Some(("OBL-045", "Art. 15(4)")),
    ),
    ("security.contact", "where to report a security problem", None),
    (
        "evaluation.last_run",
        "the last evaluation of the agent",
        Some(("OBL-043", "Art. 15(1)")),
    ),
    ("jurisdictions", "the countries in which the agent is used", None),
    (
        "lifecycle.status",
        "whether the agent is planned, in use or retired",
        None,
    ),
    ("lifecycle.review_due", "the date of the next review", None),
];

impl MissingField {
    /// The missing field of a path.
    pub fn of(path: &str) -> Self {
        let row = ROWS.iter().find(|(field, ..)| *field == path);
        let law = row.and_then(|(.., law)| *law);
        Self {
            field: path.to_owned(),
            description: row.map_or_else(String::new, |(_, text, _)| (*text).to_owned()),
            obligation: law.map(|(id, _)| id.to_owned()),
            article: law.map(|(_, article)| article.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::FIELDS;

    #[test]
    fn every_required_field_is_described_once() {
        let required: Vec<&str> = FIELDS
            .iter()
            .filter(|field| field.required)
            .map(|field| field.path)
            .collect();
        let described: Vec<&str> = ROWS.iter().map(|(field, ..)| *field).collect();
        assert_eq!(described, required);
    }
}
