//! Which probes run, in which order, and how much that will take.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use engine_llm::Prices;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::endpoint::Usage;
use crate::fill::Secrets;
use crate::suite::{Category, Group, Method, Probe, Suite};

/// Which part of the suite is wanted. Nothing set means the deterministic probes.
#[expect(clippy::struct_excessive_bools, reason = "the four switches of the interface")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Probes judged by rules.
    pub det: bool,
    /// Those, and the ones that a model judges.
    pub llm: bool,
    /// Attacks.
    pub security: bool,
    /// Everything.
    pub full: bool,
    /// Categories, groups, short names of attacks or OWASP ids; empty for all.
    pub categories: Vec<String>,
    /// Only probes in this language.
    pub language: Option<String>,
    /// At most so many, spread over the categories.
    pub max_probes: Option<usize>,
}

/// A name that is no category.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown category `{name}`; choose from: {}", allowed.join(", "))]
pub struct UnknownCategory {
    /// What was asked for.
    pub name: String,
    /// What could have been.
    pub allowed: Vec<String>,
}

/// Short names of attacks, and the categories that they stand for.
const ATTACKS: [(&str, &[&str]); 3] = [
    ("injection", &["direct-injection", "indirect-injection", "tool-misuse"]),
    (
        "jailbreak",
        &["encodings", "persona-spoofing", "multi-turn", "direct-harm"],
    ),
    ("exfiltration", &["prompt-leak", "personal-data", "tool-misuse"]),
];

/// A probe with its category.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is asked.
    pub probe: Arc<Probe>,
    /// What it is evidence for.
    pub category: Arc<Category>,
}

/// The probes of a run in the order in which they start.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The probes.
    pub cases: Vec<Case>,
    /// Harmless questions that are asked besides and counted nowhere: a selection in which refusing is always right says
    /// nothing unless the target answers these.
    pub controls: Vec<Case>,
    /// The seed of order and tokens.
    pub seed: u64,
}

/// Times that a failed attack is asked in all.
pub(crate) const CONFIRM: u32 = 3;

/// Harmless questions that a selection needs at least.
const HELP_MIN: usize = 5;

impl Plan {
    /// Chooses from the suite.
    pub fn of(suite: &Suite, selection: &Selection, seed: u64) -> Result<Self, UnknownCategory> {
        let wanted = wanted(suite, &selection.categories)?;
        let mut cases: Vec<Case> = suite
            .probes()
            .iter()
            .map(|probe| Case {
                probe: Arc::clone(probe),
                category: Arc::clone(suite.category_of(probe)),
            })
            .filter(|case| selection.takes(case.probe.method, !selection.categories.is_empty()))
            .filter(|case| wanted.contains(case.category.id.as_str()))
            .filter(|case| {
                selection
                    .language
                    .as_ref()
                    .is_none_or(|language| *language == case.probe.language)
            })
            .collect();
        if let Some(most) = selection.max_probes {
            cases = spread(cases, most, seed);
        }
        let controls = controls(suite, &cases, seed);
        Ok(Self::in_order(cases, controls, seed))
    }

    /// Puts cases into the order of a seed. Long dialogues go first: one that starts last would keep the rest waiting.
    pub fn in_order(mut cases: Vec<Case>, controls: Vec<Case>, seed: u64) -> Self {
        Dice::new(seed, &["order"]).shuffle(&mut cases);
        cases.sort_by_key(|case| {
            let longest = case
                .probe
                .shape()
                .into_iter()
                .map(|(_, turns)| turns)
                .max()
                .unwrap_or(1);
            std::cmp::Reverse(if longest > 3 { longest } else { 0 })
        });
        Self { cases, controls, seed }
    }

    /// What the run will take if no attack fails; where `confirm` says so, failed ones are repeated, which the largest
    /// number of requests counts.
    pub fn estimate(&self, repeats: u32, confirm: bool, calibration: &Calibration) -> Estimate {
        let mut estimate = Estimate {
            probes: self.cases.len(),
            ..Estimate::default()
        };
        for case in self.cases.iter().chain(&self.controls) {
            // A probe that cannot be filled was refused when the suite was read.
            let most = if confirm && case.probe.method == Method::Security {
                repeats.max(CONFIRM)
            } else {
                repeats
            };
            let dialogues = case
                .probe
                .dialogues(&Secrets::draw(self.seed, &case.probe.id, 0))
                .unwrap_or_default();
            for dialogue in dialogues {
                let mut context = dialogue
                    .system
                    .as_deref()
                    .map_or(0.0, |system| calibration.tokens(system));
                for turn in &dialogue.turns {
                    context += calibration.tokens(turn) + calibration.tokens_per_message;
                    estimate.requests += u64::from(repeats);
                    estimate.requests_max += u64::from(most);
                    estimate.input_tokens += f64::from(repeats) * (context + calibration.tokens_per_request);
                    estimate.output_tokens += f64::from(repeats) * calibration.reply_tokens;
                    context += calibration.reply_tokens;
                }
            }
        }
        estimate.measured = calibration.measured;
        estimate
    }
}

impl Selection {
    fn takes(&self, method: Method, by_category: bool) -> bool {
        let nothing_set = !(self.det || self.llm || self.security || self.full);
        match method {
            // Who names a category of attacks wants its attacks.
            Method::Security => self.full || self.security || nothing_set && by_category,
            Method::Llm => self.full || self.llm,
            Method::Deterministic => self.full || self.det || self.llm || nothing_set,
        }
    }
}

/// Every name that `categories` accepts.
pub fn allowed_categories(suite: &Suite) -> Vec<String> {
    let mut names: Vec<String> = Group::ALL.iter().map(|group| group.name().to_owned()).collect();
    names.extend(ATTACKS.iter().map(|(name, _)| (*name).to_owned()));
    names.extend(suite.categories().iter().map(|category| category.id.clone()));
    let owasp: BTreeSet<&String> = suite.categories().iter().flat_map(|category| &category.owasp).collect();
    names.extend(owasp.into_iter().cloned());
    names
}

fn wanted<'a>(suite: &'a Suite, names: &[String]) -> Result<BTreeSet<&'a str>, UnknownCategory> {
    let all = suite.categories();
    if names.is_empty() {
        return Ok(all.iter().map(|category| category.id.as_str()).collect());
    }
    let mut out = BTreeSet::new();
    for name in names {
        let attack = ATTACKS
            .iter()
            .find(|(attack, _)| attack == name)
            .map(|(_, categories)| *categories);
        let before = out.len();
        out.extend(
            all.iter()
                .map(|category| (category, category.id.as_str()))
                .filter_map(|(category, id)| {
                    let owasp = category
                        .owasp
                        .iter()
                        .any(|known| known == name || known.split(':').next() == Some(name));
                    let fits = id == name
                        || category.group.name() == name
                        || owasp
                        || attack.is_some_and(|ids| ids.contains(&id));
                    fits.then_some(id)
                }),
        );
        let known = out.len() > before
            || allowed_categories(suite).iter().any(|allowed| allowed == name)
            || is_short_owasp(suite, name);
        if !known {
            return Err(UnknownCategory {
                name: name.clone(),
                allowed: allowed_categories(suite),
            });
        }
    }
    Ok(out)
}

fn is_short_owasp(suite: &Suite, name: &str) -> bool {
    suite
        .categories()
        .iter()
        .flat_map(|category| &category.owasp)
        .any(|id| id.split(':').next() == Some(name))
}

/// Takes some of each category in turn, so that a short run still looks everywhere.
fn spread(cases: Vec<Case>, most: usize, seed: u64) -> Vec<Case> {
    let mut by_category: BTreeMap<u8, Vec<Case>> = BTreeMap::new();
    for case in cases {
        by_category.entry(case.category.number).or_default().push(case);
    }
    let mut dice = Dice::new(seed, &["selection"]);
    let mut queues: Vec<Vec<Case>> = by_category.into_values().collect();
    for queue in &mut queues {
        dice.shuffle(queue);
    }
    dice.shuffle(&mut queues);
    let mut out = Vec::new();
    while out.len() < most && queues.iter().any(|queue| !queue.is_empty()) {
        let room = most - out.len();
        out.extend(queues.iter_mut().filter_map(Vec::pop).take(room));
    }
    out
}

fn controls(suite: &Suite, cases: &[Case], seed: u64) -> Vec<Case> {
    let helpful = cases.iter().filter(|case| case.probe.needs_help()).count();
    if cases.is_empty() || helpful >= HELP_MIN {
        return Vec::new();
    }
    let mut pool: Vec<Case> = suite
        .probes()
        .iter()
        .filter(|probe| {
            matches!(probe.judge.as_str(), "exact") && probe.requests.iter().all(|dialogue| dialogue.system.is_none())
        })
        .map(|probe| Case {
            probe: Arc::clone(probe),
            category: Arc::clone(suite.category_of(probe)),
        })
        .collect();
    Dice::new(seed, &["controls"]).shuffle(&mut pool);
    pool.truncate(HELP_MIN);
    pool
}

/// What is known of a target's tokens before a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Letters of one token.
    pub letters_per_token: f64,
    /// Tokens around each message.
    pub tokens_per_message: f64,
    /// Tokens of each request besides, such as those of a system prompt that always goes along.
    pub tokens_per_request: f64,
    /// Tokens of a typical reply.
    pub reply_tokens: f64,
    /// Whether these were measured on the target.
    pub measured: bool,
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            letters_per_token: 4.0,
            tokens_per_message: 4.0,
            tokens_per_request: 0.0,
            reply_tokens: 160.0,
            measured: false,
        }
    }
}

impl Calibration {
    /// From a few exchanges: letters that were sent, and tokens as the target counted them.
    pub fn measured(exchanges: &[(usize, Usage)]) -> Self {
        let mut out = Self::default();
        #[expect(clippy::cast_precision_loss, reason = "letters and tokens of a few replies")]
        let sum = exchanges
            .iter()
            .fold((0.0, 0.0, 0.0), |(letters, input, output), (sent, usage)| {
                (
                    letters + *sent as f64,
                    input + usage.input as f64,
                    output + usage.output as f64,
                )
            });
        let (letters, input, output) = sum;
        if input > 0.0 && letters > 0.0 {
            out.letters_per_token = (letters / input).clamp(0.5, 12.0);
            out.tokens_per_message = 0.0;
            out.measured = true;
        }
        if output > 0.0 {
            #[expect(clippy::cast_precision_loss, reason = "a handful of exchanges")]
            let count = exchanges.len() as f64;
            out.reply_tokens = output / count;
        }
        out
    }

    /// From exchanges of different length: the line through their letters and tokens that misses the least. None where
    /// nothing was counted.
    pub fn fitted(exchanges: &[(usize, Usage)]) -> Option<Self> {
        if exchanges.is_empty() {
            return None;
        }
        let mut out = Self::measured(exchanges);
        #[expect(clippy::cast_precision_loss, reason = "letters and tokens of a few replies")]
        let points: Vec<(f64, f64)> = exchanges
            .iter()
            .map(|(letters, usage)| (*letters as f64, usage.input as f64))
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "a handful of exchanges")]
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (letters, tokens) = (mean(|point| point.0), mean(|point| point.1));
        let spread: f64 = points.iter().map(|(x, _)| (x - letters).powi(2)).sum();
        let together: f64 = points.iter().map(|(x, y)| (x - letters) * (y - tokens)).sum();
        if spread > 0.0 && together > 0.0 {
            let slope = (together / spread).clamp(1.0 / 12.0, 2.0);
            out.letters_per_token = 1.0 / slope;
            out.tokens_per_request = (tokens - slope * letters).max(0.0);
        }
        Some(out)
    }

    /// Tokens of a text.
    pub fn tokens(&self, text: &str) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "texts are at most a mebibyte")]
        let letters = text.chars().count() as f64;
        letters / self.letters_per_token
    }
}

/// The estimated size and cost of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Probes.
    pub probes: usize,
    /// Requests to the target, including those that detect its request format, without repetitions of failed attacks.
    pub requests: u64,
    /// Requests if every attack fails and is repeated.
    #[serde(default)]
    pub requests_max: u64,
    /// Requests to the judge model, including those that measure its accuracy.
    #[serde(default)]
    pub judge_requests: u64,
    /// Tokens of the judge model, sent and received.
    #[serde(default)]
    pub judge_tokens: f64,
    /// Cost of the target and the judge model, where prices are known.
    #[serde(default)]
    pub cost: Option<f64>,
    /// Tokens sent.
    pub input_tokens: f64,
    /// Tokens received.
    pub output_tokens: f64,
    /// Whether the token counts are based on replies of this target.
    pub measured: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(selection: &Selection) -> Plan {
        Plan::of(Suite::built_in().unwrap(), selection, 1).unwrap()
    }

    fn named(names: &[&str]) -> Selection {
        Selection {
            categories: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Selection::default()
        }
    }

    #[test]
    fn modes_take_their_part_of_the_suite() {
        let count = |selection: Selection| plan(&selection).cases.len();
        assert_eq!(count(Selection::default()), 330);
        assert_eq!(
            count(Selection {
                det: true,
                ..Selection::default()
            }),
            330
        );
        assert_eq!(
            count(Selection {
                llm: true,
                ..Selection::default()
            }),
            410
        );
        assert_eq!(
            count(Selection {
                security: true,
                ..Selection::default()
            }),
            270
        );
        assert_eq!(
            count(Selection {
                full: true,
                ..Selection::default()
            }),
            680
        );
    }

    #[test]
    fn categories_go_by_their_names_groups_attacks_and_owasp_ids() {
        assert_eq!(plan(&named(&["security"])).cases.len(), 270);
        assert_eq!(plan(&named(&["ai-identity"])).cases.len(), 26);
        assert_eq!(
            plan(&named(&["LLM07:2025"])).cases.len(),
            plan(&named(&["LLM07"])).cases.len()
        );
        for attack in ["injection", "jailbreak", "exfiltration"] {
            assert!(plan(&named(&[attack])).cases.len() > 50, "{attack}");
        }
        let error = Plan::of(Suite::built_in().unwrap(), &named(&["bias", "telepathy"]), 1).unwrap_err();
        assert!(error.to_string().contains("`telepathy`") && error.to_string().contains("prompt-leak"));
    }

    #[test]
    fn a_short_run_looks_into_every_category() {
        let short = plan(&Selection {
            full: true,
            max_probes: Some(66),
            ..Selection::default()
        });
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for case in &short.cases {
            *counts.entry(case.category.id.as_str()).or_default() += 1;
        }
        assert_eq!((short.cases.len(), counts.len()), (66, 33));
        assert!(counts.values().all(|count| *count == 2));
    }

    #[test]
    fn the_seed_fixes_the_order() {
        let ids = |seed| {
            let plan = Plan::of(Suite::built_in().unwrap(), &Selection::default(), seed).unwrap();
            plan.cases.iter().map(|case| case.probe.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(4), ids(4));
        assert_ne!(ids(4), ids(5));
    }

    #[test]
    fn where_refusing_is_always_right_harmless_questions_are_asked_besides() {
        assert_eq!(plan(&named(&["prompt-leak"])).controls.len(), HELP_MIN);
        assert!(
            plan(&Selection {
                full: true,
                ..Selection::default()
            })
            .controls
            .is_empty()
        );
    }
}
