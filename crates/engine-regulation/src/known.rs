//! Three-valued truth: a fact can be known to hold, known not to hold, or unknown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a fact is known to hold, known not to hold, or unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// It holds.
    Yes,
    /// It does not hold.
    No,
    /// It was not stated, and no evidence settles it.
    #[default]
    Unknown,
}

impl Known {
    /// Whether the fact is known to hold.
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Whether the fact is known not to hold.
    pub const fn is_no(self) -> bool {
        matches!(self, Self::No)
    }

    /// Whether the fact is open.
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Both facts: one known `No` settles it.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    /// Either fact: one known `Yes` settles it.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
            _ => Self::Unknown,
        }
    }

    /// The opposite; what is unknown stays unknown.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }

    /// This fact where it is known, else the other.
    #[must_use]
    pub const fn or_else(self, other: Self) -> Self {
        match self {
            Self::Unknown => other,
            known => known,
        }
    }
}

impl From<bool> for Known {
    fn from(fact: bool) -> Self {
        if fact { Self::Yes } else { Self::No }
    }
}

impl From<Option<bool>> for Known {
    fn from(fact: Option<bool>) -> Self {
        fact.map_or(Self::Unknown, Self::from)
    }
}
