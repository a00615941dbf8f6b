//! The languages, and how each writes numbers.

use engine_embed::{Packed, embed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language of the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// German.
    De,
    /// French.
    Fr,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Self] = &[Self::En, Self::De, Self::Fr];

    /// The code of two letters (ISO 639-1).
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
        }
    }

    /// The language of a tag such as `de` or `fr-BE`, in any case.
    pub fn of(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.code().eq_ignore_ascii_case(primary))
    }

    /// The file of its texts.
    pub(crate) const fn data(self) -> Packed {
        match self {
            Self::En => embed!("../data/en.toml"),
            Self::De => embed!("../data/de.toml"),
            Self::Fr => embed!("../data/fr.toml"),
        }
    }

    /// Whether a count takes the form of one.
    pub(crate) const fn is_one(self, count: u64) -> bool {
        match self {
            Self::En | Self::De => count == 1,
            Self::Fr => count < 2,
        }
    }

    /// What stands between thousands.
    pub(crate) const fn thousands(self) -> char {
        match self {
            Self::En => ',',
            Self::De => '.',
            Self::Fr => '\u{a0}',
        }
    }

    /// What stands before decimal places.
    pub(crate) const fn decimal(self) -> char {
        match self {
            Self::En => '.',
            Self::De | Self::Fr => ',',
        }
    }
}
