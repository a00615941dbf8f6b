//! The sources behind the data and the head that every data file carries.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text that is the source of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Short name by which records cite it.
    pub id: String,
    /// Title of the text.
    pub title: String,
    /// Public address, where one is known.
    pub url: Option<String>,
    /// `primary`, `official`, `official-draft` or `secondary`.
    pub kind: String,
    /// Date on the text, as exact as it is known (a year, a month or a day).
    pub apparent_date: Option<String>,
    /// The form in which the authors of the data read the text.
    pub read_as: String,
    /// Whether the address was inferred and not opened.
    #[serde(default)]
    pub address_inferred: bool,
}

/// The head of a data file: the parts that all files share and that the tables use.
///
/// Heads carry further remarks that differ from file to file, so unknown fields are let through here and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Head {
    pub(crate) as_of: Date,
    pub(crate) notice: String,
    pub(crate) sources: Vec<Source>,
}
