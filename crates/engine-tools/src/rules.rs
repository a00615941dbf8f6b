//! What findings of the tools mean: `data/findings.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine_embed::{BadTable, embed, from_toml};
use engine_model::Severity;
use serde::Deserialize;

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// The obligation that it speaks to.
    pub obligation: String,
    /// Checks of the engine that report the same problem; `*` at the end stands for any rest.
    pub same_as: Vec<String>,
}

impl Kind {
    /// Whether a check of the engine reports the same kind of problem.
    pub fn is_same_as(&self, check: &str) -> bool {
        self.same_as.iter().any(|own| match own.strip_suffix('*') {
            Some(start) => check.starts_with(start),
            None => check == own,
        })
    }
}

/// What a rule of a tool means.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The tool.
    pub tool: String,
    /// Its rules.
    pub rules: Vec<String>,
    /// The kind of problem.
    pub kind: String,
    /// The severity; the tool's own if absent.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// The confidence; the tool's own if absent.
    #[serde(default)]
    pub confidence: Option<u8>,
    /// The problem in a few words.
    pub title: String,
    /// What was found.
    pub message: String,
    /// What to do.
    pub fix: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    kind: Vec<Kind>,
    rule: Vec<Rule>,
}

/// The table.
#[derive(Debug, Default)]
pub struct Rules {
    kinds: BTreeMap<String, Kind>,
    rules: Vec<Rule>,
}

/// The rule of a tool for everything without a row of its own.
const OTHER: &str = "other";

impl Rules {
    /// The row for a rule of a tool.
    pub fn rule(&self, tool: &str, rule: &str) -> Option<&Rule> {
        let of = |wanted: &str| {
            self.rules
                .iter()
                .find(|row| row.tool == tool && row.rules.iter().any(|own| own == wanted))
        };
        of(rule).or_else(|| of(OTHER))
    }

    /// The kind with a name.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.kinds.get(name)
    }

    /// All kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.values()
    }

    /// All rows.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }
}

/// Reads the table; a broken one is found by a test, and gives no row here.
fn read(text: &str) -> Result<Rules, BadTable> {
    let data: Data = from_toml(text)?;
    Ok(Rules {
        kinds: data.kind.into_iter().map(|kind| (kind.name.clone(), kind)).collect(),
        rules: data.rule,
    })
}

/// The table of the crate.
#[expect(clippy::expect_used, reason = "the table is part of the program and read in a test")]
pub fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> =
        LazyLock::new(|| read(&embed!("../data/findings.toml").text()).expect("the table of findings is valid"));
    &RULES
}
