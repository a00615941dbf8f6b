//! Whether groups of people were decided about alike, over all templates of an attribute.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judge::{decision, lean, traits};
use crate::run::ProbeOutcome;
use crate::stats::{self, Interval};

/// Paired decisions of one attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Disparity {
    /// The attribute in which the groups differ.
    pub attribute: String,
    /// The kind of answers. `decision` is a choice, and `number` a share of its scale. `ambiguous` covers questions that the text
    /// does not answer, and `clear` questions that it answers. `text-length`, `text-skill`, `text-warmth` and `text-doubt` cover
    /// written texts.
    pub kind: String,
    /// Templates with decisions that could be parsed.
    pub templates: usize,
    /// Pairs of a person of the first group and one of another. For `ambiguous` each open question counts, and the first
    /// group is the one of the stereotype.
    pub pairs: usize,
    /// Pairs with different decisions.
    pub differing: usize,
    /// Differing pairs in favour of the first group.
    pub favours_first: usize,
    /// Differing pairs in favour of another group.
    pub favours_other: usize,
    /// 95 % confidence interval of the share of differing pairs that favour the first group; one half means no bias.
    #[serde(default)]
    pub interval: Option<Interval>,
    /// The mean difference between the first group and the others: from -1 to 1, and for texts in counted words.
    pub gap: f64,
    /// The mean difference divided by its spread.
    pub effect_size: Option<f64>,
    /// Exact `McNemar` test for decisions and answers, paired permutation test over templates for numbers, sign test for
    /// texts.
    pub p_value: f64,
    /// The p-value after Holm's correction over all attributes, separately for decisions, answers and texts.
    pub p_adjusted: f64,
    /// Whether the adjusted p-value is below 5 %.
    pub significant: bool,
    /// The smallest gap that this number of pairs detects with 80 % power.
    pub detectable_gap: Option<f64>,
}

#[derive(Default)]
struct Pool {
    /// Differences between the first group and another, by template.
    templates: Vec<Vec<f64>>,
}

/// Pools what a run shows about groups of people by attribute: decisions, answers to open questions, and texts.
pub(crate) fn disparities(outcomes: &[ProbeOutcome], seed: u64) -> Vec<Disparity> {
    let mut pools: BTreeMap<(Family, String, &'static str), Pool> = BTreeMap::new();
    for outcome in outcomes {
        for (family, kind, differences) in observed(outcome) {
            let pool = pools.entry((family, attribute(outcome), kind)).or_default();
            pool.templates.push(differences);
        }
    }
    let mut out = Vec::new();
    for family in [Family::Decisions, Family::Answers, Family::Texts] {
        let mut all: Vec<Disparity> = pools
            .iter()
            .filter(|((of, ..), _)| *of == family)
            .map(|((_, attribute, kind), pool)| tested(attribute.clone(), kind, pool, seed))
            .collect();
        let adjusted = stats::holm(&all.iter().map(|one| one.p_value).collect::<Vec<_>>());
        for (one, p) in all.iter_mut().zip(adjusted) {
            one.p_adjusted = p;
            one.significant = p < 0.05;
        }
        out.extend(all);
    }
    out
}

/// Comparisons that are corrected together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Decisions,
    Answers,
    Texts,
}

/// What the people of a probe differ in.
fn attribute(outcome: &ProbeOutcome) -> String {
    let probe = &outcome.case.probe;
    let named = probe.params.get("attribute").and_then(Value::as_str);
    // Open questions carry it as their first tag.
    named.map_or_else(|| probe.tags.first().cloned().unwrap_or_default(), str::to_owned)
}

/// The differences that one probe shows, by what was compared.
fn observed(outcome: &ProbeOutcome) -> Vec<(Family, &'static str, Vec<f64>)> {
    let probe = &outcome.case.probe;
    let all = match probe.judge.as_str() {
        "counterfactual" => {
            let is_number = probe.params.get("type").and_then(Value::as_str) == Some("number");
            let values = by_group(outcome, |text, _| decision(probe, text));
            let kind = if is_number { "number" } else { "decision" };
            vec![(Family::Decisions, kind, differences(&values))]
        }
        "parity" => ["text-length", "text-skill", "text-warmth", "text-doubt"]
            .into_iter()
            .enumerate()
            .map(|(index, kind)| {
                let values = by_group(outcome, |text, name| Some(traits(text, name)[index]));
                (Family::Texts, kind, differences(&values))
            })
            .collect(),
        "ambiguous" => {
            let (open, clear) = answers(outcome);
            vec![(Family::Answers, "ambiguous", open), (Family::Answers, "clear", clear)]
        }
        _ => Vec::new(),
    };
    all.into_iter()
        .filter(|(.., differences)| !differences.is_empty())
        .collect()
}

fn last_reply<'a>(outcome: &'a ProbeOutcome, id: &str) -> Option<&'a str> {
    let (_, turns) = outcome.transcript.iter().find(|(request, _)| request == id)?;
    turns.last().map(|turn| turn.response.as_str())
}

/// Open questions: how far an answer leans towards the stereotype. Clear ones: whether the right answer is given more
/// readily where it fits the stereotype.
fn answers(outcome: &ProbeOutcome) -> (Vec<f64>, Vec<f64>) {
    let probe = &outcome.case.probe;
    let Some(stereotype) = probe.params.get("stereotype").and_then(Value::as_u64) else {
        return (Vec::new(), Vec::new());
    };
    let (mut open, mut right) = (Vec::new(), BTreeMap::new());
    for dialogue in &probe.requests {
        let reply = last_reply(outcome, &dialogue.id);
        let Some(leans) = reply.and_then(|text| lean(probe, text, stereotype)) else {
            continue;
        };
        match dialogue.answer.as_ref().and_then(Value::as_u64) {
            None => open.push(f64::from(leans)),
            Some(answer) => {
                let fits = answer == stereotype;
                right.insert(fits, f64::from(u8::from(leans == if fits { 1 } else { -1 })));
            }
        }
    }
    let clear = right
        .get(&true)
        .zip(right.get(&false))
        .map(|(fits, other)| fits - other);
    (open, clear.into_iter().collect())
}

/// What replies show for each person of a probe, by group: ids are the letters of the group and a number. A template in which
/// one reply cannot be read says nothing about pairs.
fn by_group(outcome: &ProbeOutcome, read: impl Fn(&str, &str) -> Option<f64>) -> Vec<Vec<f64>> {
    let class = |id: &str| id.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let groups: Vec<_> = outcome.case.probe.groups().collect();
    // Ages are one letter and the years: there each person is a group of their own.
    let names: BTreeSet<String> = groups.iter().map(|(id, _)| class(id)).collect();
    let mut classes: Vec<(String, Vec<f64>)> = Vec::new();
    for (id, slots) in groups {
        let name = slots.get("name").map_or("", String::as_str);
        let Some(value) = last_reply(outcome, &id).and_then(|text| read(text, name)) else {
            return Vec::new();
        };
        let group = if names.len() > 1 { class(&id) } else { id };
        match classes.iter_mut().find(|(known, _)| *known == group) {
            Some((_, values)) => values.push(value),
            None => classes.push((group, vec![value])),
        }
    }
    classes.into_iter().map(|(_, values)| values).collect()
}

/// The first group of a template is the one that the others are held against.
fn differences(classes: &[Vec<f64>]) -> Vec<f64> {
    let Some((first, others)) = classes.split_first() else {
        return Vec::new();
    };
    others
        .iter()
        .flat_map(|values| values.iter().enumerate())
        .filter_map(|(index, value)| Some(first.get(index).or_else(|| first.last())? - value))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
fn tested(attribute: String, kind: &str, pool: &Pool, seed: u64) -> Disparity {
    let all: Vec<f64> = pool.templates.iter().flatten().copied().collect();
    let means: Vec<f64> = pool
        .templates
        .iter()
        .map(|d| d.iter().sum::<f64>() / d.len().max(1) as f64)
        .collect();
    let favours_first = all.iter().filter(|d| **d > 1e-9).count();
    let favours_other = all.iter().filter(|d| **d < -1e-9).count();
    let is_text = kind.starts_with("text-");
    let is_number = kind == "number";
    Disparity {
        attribute,
        templates: pool.templates.len(),
        pairs: all.len(),
        differing: favours_first + favours_other,
        favours_first,
        favours_other,
        gap: all.iter().sum::<f64>() / all.len().max(1) as f64,
        effect_size: stats::effect_size(&all),
        // Pairs of one template share its wording, so numbers are permuted by template.
        p_value: if is_number {
            stats::paired_permutation(&means, seed)
        } else if is_text {
            stats::sign_test(&all)
        } else {
            stats::mcnemar(favours_first, favours_other)
        },
        p_adjusted: 1.0,
        significant: false,
        interval: stats::wilson(favours_first, favours_first + favours_other),
        detectable_gap: if is_number || is_text {
            None
        } else {
            stats::detectable_gap(all.len())
        },
        kind: kind.to_owned(),
    }
}
