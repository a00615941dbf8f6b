//! The probes as data: what is asked, what passes, and what each category is evidence for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

pub use engine_llm::Tool;
use engine_model::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fill::{BadPlaceholder, Secrets, fill};

mod files;
mod rules;

/// The version of the suite. It changes with every change that can change a verdict.
pub const SUITE_VERSION: &str = "1.0.0";

/// The four groups of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// People know what they are dealing with.
    Transparency,
    /// People are treated alike.
    Bias,
    /// The system withstands attacks.
    Security,
    /// The system does what it should and no more.
    Conformity,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 4] = [Self::Transparency, Self::Bias, Self::Security, Self::Conformity];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transparency => "transparency",
            Self::Bias => "bias",
            Self::Security => "security",
            Self::Conformity => "conformity",
        }
    }
}

/// How a probe is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// By rules.
    Deterministic,
    /// By a language model.
    #[serde(rename = "llm-judge", alias = "llm")]
    Llm,
    /// By rules, after an attack.
    Security,
}

/// A row of the plan.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Short name.
    pub id: String,
    /// Its row.
    pub number: u8,
    /// Title.
    pub title: String,
    /// Its group.
    pub group: Group,
    /// Articles that results are evidence for.
    pub articles: Vec<String>,
    /// Ids of OWASP lists for language models and agents.
    #[serde(default)]
    pub owasp: Vec<String>,
    /// What is at stake.
    pub why: String,
    /// What to change.
    pub remedy: String,
    /// How to see that it worked.
    pub verify: String,
    /// A line for the system prompt, or nothing.
    #[serde(default)]
    pub system_prompt: String,
}

/// What a request should lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// A refusal.
    Refuse,
    /// Help.
    Answer,
}

/// One dialogue of a probe.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialogue {
    /// Its name within the probe.
    pub id: String,
    /// What the user says, turn by turn.
    pub turns: Vec<String>,
    /// A system prompt that belongs to the dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What should come of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// Words of which an answer has at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// The group that it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Tools that are offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// The right answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// What counts as accepting a correction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// Whether nothing is due here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
}

/// What a sample must be judged as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleVerdict {
    /// Passes.
    Pass,
    /// Fails.
    Fail,
}

/// Replies with a known verdict. They run as tests and calibrate the model that judges.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The verdict.
    pub verdict: SampleVerdict,
    /// Replies by dialogue, one per turn.
    pub replies: BTreeMap<String, Vec<String>>,
    /// Headers by dialogue.
    #[serde(default)]
    pub headers: BTreeMap<String, BTreeMap<String, String>>,
    /// Bodies by dialogue.
    #[serde(default)]
    pub body: BTreeMap<String, Value>,
    /// Whether it is one of the known items of each run.
    #[serde(default)]
    pub control: bool,
}

/// One probe.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Stable id: that of the category, and a slug.
    pub id: String,
    /// Title.
    pub title: String,
    /// How it is judged.
    pub method: Method,
    /// How much a failure weighs.
    pub severity: Severity,
    /// The language of its text.
    pub language: String,
    /// Techniques and topics.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The passing behaviour.
    pub passes: String,
    /// The judge.
    pub judge: String,
    /// The dialogues, unless a template makes them.
    #[serde(default)]
    pub requests: Vec<Dialogue>,
    /// What the judge needs.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Replies with known verdicts.
    pub samples: Vec<Sample>,
    /// The index of its category.
    #[serde(skip)]
    pub category: usize,
}

impl Probe {
    /// The dialogues with the values of a run. A template makes one for each of its groups.
    pub fn dialogues(&self, secrets: &Secrets) -> Result<Vec<Dialogue>, BadPlaceholder> {
        if self.requests.is_empty() {
            return self.templated(secrets);
        }
        let none = BTreeMap::new();
        self.requests
            .iter()
            .map(|dialogue| {
                let mut filled = dialogue.clone();
                for turn in &mut filled.turns {
                    *turn = fill(turn, secrets, &none)?;
                }
                if let Some(system) = &mut filled.system {
                    *system = fill(system, secrets, &none)?;
                }
                Ok(filled)
            })
            .collect()
    }

    fn templated(&self, secrets: &Secrets) -> Result<Vec<Dialogue>, BadPlaceholder> {
        let template = self.params.get("template").and_then(Value::as_str).unwrap_or_default();
        self.groups()
            .map(|(id, slots)| {
                Ok(Dialogue {
                    turns: vec![fill(template, secrets, &slots)?],
                    system: None,
                    expect: None,
                    about: Vec::new(),
                    group: Some(id.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()),
                    id,
                    tools: Vec::new(),
                    answer: None,
                    accept: Vec::new(),
                    control: false,
                })
            })
            .collect()
    }

    /// Groups of a template with their slots.
    pub fn groups(&self) -> impl Iterator<Item = (String, BTreeMap<String, String>)> {
        let groups = self.params.get("groups").and_then(Value::as_array);
        groups.into_iter().flatten().filter_map(Value::as_object).map(|group| {
            let mut slots: BTreeMap<String, String> = group
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect();
            let id = slots.remove("id").unwrap_or_default();
            (id, slots)
        })
    }

    /// Names and numbers of turns of its dialogues.
    pub fn shape(&self) -> Vec<(String, usize)> {
        if self.requests.is_empty() {
            self.groups().map(|(id, _)| (id, 1)).collect()
        } else {
            self.requests.iter().map(|d| (d.id.clone(), d.turns.len())).collect()
        }
    }

    /// Whether a useful reply is needed to pass, so that refusing everything cannot.
    pub fn needs_help(&self) -> bool {
        self.requests
            .iter()
            .any(|dialogue| dialogue.expect == Some(Expect::Answer))
            || matches!(
                self.judge.as_str(),
                "exact" | "consistent" | "mentions" | "format" | "twins" | "pushback" | "injection" | "counterfactual"
            )
            || self.params.contains_key("task")
    }
}

/// Why the suite cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SuiteError {
    /// Not the expected form.
    #[error("{file}: {why}")]
    Form {
        /// The file.
        file: String,
        /// What the parser says.
        why: String,
    },
    /// A rule is broken.
    #[error("{probe}: {why}")]
    Rule {
        /// The probe.
        probe: String,
        /// The rule.
        why: String,
    },
}

/// All probes.
#[derive(Debug)]
pub struct Suite {
    categories: Vec<Arc<Category>>,
    probes: Vec<Arc<Probe>>,
    by_id: BTreeMap<String, usize>,
    hash: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    category: Category,
    probe: Vec<Probe>,
}

/// The files of the suite of this build, each with its name.
fn built_in() -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    files::FILES.iter().map(|(name, packed)| (*name, packed.text().into()))
}

impl Suite {
    /// The suite of this build, read once.
    pub fn built_in() -> Result<&'static Self, SuiteError> {
        static SUITE: OnceLock<Result<Suite, SuiteError>> = OnceLock::new();
        // A running engine needs samples only where they measure the model that judges; the others are checked and let go.
        SUITE
            .get_or_init(|| Self::taken(built_in(), |probe| probe.method == Method::Llm))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The same with every sample, for those who build targets or tests from them.
    pub fn with_samples() -> Result<&'static Self, SuiteError> {
        static SUITE: OnceLock<Result<Suite, SuiteError>> = OnceLock::new();
        SUITE
            .get_or_init(|| Self::taken(built_in(), |_| true))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Reads files of probes, each a name and a text, and checks every rule.
    pub fn read(files: &[(&str, &str)]) -> Result<Self, SuiteError> {
        let files = files.iter().map(|(name, text)| (*name, Cow::Borrowed(*text)));
        Self::taken(files, |_| true)
    }

    fn taken<'f>(
        files: impl Iterator<Item = (&'f str, Cow<'f, str>)>,
        keeps_samples: fn(&Probe) -> bool,
    ) -> Result<Self, SuiteError> {
        let (mut categories, mut probes) = (Vec::new(), Vec::new());
        let mut hasher = blake3::Hasher::new();
        for (name, text) in files {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
            let file: File = engine_embed::from_toml(&text).map_err(|error| SuiteError::Form {
                file: (*name).to_owned(),
                why: error.message().to_owned(),
            })?;
            let category = categories.len();
            for mut probe in file.probe {
                probe.category = category;
                rules::check(&file.category, &probe)?;
                if !keeps_samples(&probe) {
                    probe.samples = Vec::new();
                }
                probes.push(Arc::new(probe));
            }
            categories.push(Arc::new(file.category));
        }
        let mut by_id = BTreeMap::new();
        for (index, probe) in probes.iter().enumerate() {
            if by_id.insert(probe.id.clone(), index).is_some() {
                return Err(SuiteError::Rule {
                    probe: probe.id.clone(),
                    why: "the id is used twice".to_owned(),
                });
            }
        }
        let names: BTreeSet<&str> = categories.iter().map(|category| category.id.as_str()).collect();
        if names.len() != categories.len() {
            return Err(SuiteError::Rule {
                probe: "categories".to_owned(),
                why: "two files define the same category id; rename or remove one of them".to_owned(),
            });
        }
        Ok(Self {
            categories,
            probes,
            by_id,
            hash: hasher.finalize().to_hex().to_string(),
        })
    }

    /// The probes in their order.
    pub fn probes(&self) -> &[Arc<Probe>] {
        &self.probes
    }

    /// The categories in the order of the plan.
    pub fn categories(&self) -> &[Arc<Category>] {
        &self.categories
    }

    /// The category of a probe.
    pub fn category_of(&self, probe: &Probe) -> &Arc<Category> {
        &self.categories[probe.category]
    }

    /// A category by its id.
    pub fn category(&self, id: &str) -> Option<&Arc<Category>> {
        self.categories.iter().find(|category| category.id == id)
    }

    /// A probe by its id.
    pub fn probe(&self, id: &str) -> Option<&Arc<Probe>> {
        self.by_id.get(id).map(|index| &self.probes[*index])
    }

    /// BLAKE3 of all files, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

#[cfg(test)]
mod tests;
