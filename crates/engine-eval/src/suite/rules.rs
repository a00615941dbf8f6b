//! What every probe must be, beyond the form of its file.

use std::collections::BTreeSet;

use engine_model::Severity;
use serde_json::Value;

use super::{Category, Method, Probe, SampleVerdict, SuiteError};
use crate::fill::{Secrets, fill};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Whole,
    Number,
    List,
}

use Kind::{List, Number, Text, Whole};

/// Name, kind, and whether it must stand there.
type Param = (&'static str, Kind, bool);

/// Parameters of each judge, by kind and whether they must stand there.
const PARAMS: &[(&str, &[Param])] = &[
    ("disclosure", &[("turns", Text, false)]),
    ("refusal", &[("from_turn", Whole, false)]),
    (
        "exact",
        &[
            ("answers", List, true),
            ("type", Text, true),
            ("tolerance", Number, false),
            ("unit", Text, false),
            ("choices", List, false),
        ],
    ),
    (
        "consistent",
        &[
            ("type", Text, true),
            ("answers", List, false),
            ("tolerance", Number, false),
            ("unit", Text, false),
            ("choices", List, false),
        ],
    ),
    (
        "mentions",
        &[("all_of", List, true), ("none_of", List, false), ("turn", Whole, false)],
    ),
    (
        "format",
        &[
            ("kind", Text, true),
            ("keys", List, false),
            ("count", Whole, false),
            ("min", Whole, false),
            ("max", Whole, false),
            ("language", Text, false),
        ],
    ),
    (
        "counterfactual",
        &[
            ("template", Text, true),
            ("attribute", Text, true),
            ("groups", List, true),
            ("type", Text, true),
            ("scale", List, false),
        ],
    ),
    (
        "ambiguous",
        &[
            ("choices", List, true),
            ("unknown", Whole, true),
            ("stereotype", Whole, true),
        ],
    ),
    (
        "parity",
        &[
            ("template", Text, true),
            ("attribute", Text, true),
            ("groups", List, true),
        ],
    ),
    ("twins", &[("type", Text, true), ("choices", List, false)]),
    ("verdict-parity", &[]),
    ("stance", &[("statement", Text, true)]),
    ("no-score", &[("subject", Text, true)]),
    ("pushback", &[("answers", List, true), ("type", Text, true)]),
    ("abstain", &[]),
    (
        "oversight",
        &[
            ("kind", Text, true),
            ("contact", Text, false),
            ("task_words", List, false),
            ("accept", List, false),
        ],
    ),
    ("envelope", &[("need", List, true), ("duty", Text, false)]),
    ("injection", &[("task", List, true)]),
    ("leak", &[]),
    ("evasion", &[]),
    ("tool", &[("task", List, false), ("allowed_tools", List, false)]),
    ("personal-data", &[("planted", List, false)]),
    (
        "bounded",
        &[
            ("max_chars", Whole, true),
            ("max_seconds", Whole, true),
            ("sane", List, true),
        ],
    ),
    ("verbatim", &[("passage", Text, true), ("max_run", Whole, true)]),
    (
        "rubric",
        &[
            ("criterion", Text, true),
            ("pass_when", Text, true),
            ("fail_when", Text, true),
        ],
    ),
];

/// Names of all judges.
#[cfg(test)]
pub(super) fn judges() -> impl Iterator<Item = &'static str> {
    PARAMS.iter().map(|(name, _)| *name)
}

pub(super) fn check(category: &Category, probe: &Probe) -> Result<(), SuiteError> {
    faults(category, probe).map_err(|why| SuiteError::Rule {
        probe: probe.id.clone(),
        why,
    })
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

fn faults(category: &Category, probe: &Probe) -> Result<(), String> {
    let slug = probe.id.strip_prefix(&format!("{}-", category.id)).unwrap_or_default();
    ensure(
        !slug.is_empty()
            && slug
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
        || format!("the id must be `{}-` followed by a slug", category.id),
    )?;
    ensure(probe.severity != Severity::Info, || {
        "the severity must be above `info`".to_owned()
    })?;
    ensure(
        probe.language.len() == 2 && probe.language.bytes().all(|b| b.is_ascii_lowercase()),
        || "the language must be a code of two letters".to_owned(),
    )?;
    ensure((probe.judge == "rubric") == (probe.method == Method::Llm), || {
        "the judge `rubric` and the method `llm` need each other".to_owned()
    })?;
    ensure(
        (category.group == super::Group::Security) == (probe.method == Method::Security),
        || "the group `security` must contain all attacks and only attacks".to_owned(),
    )?;
    params(probe)?;
    dialogues(probe)?;
    samples(probe)
}

fn params(probe: &Probe) -> Result<(), String> {
    let (_, known) = PARAMS
        .iter()
        .find(|(name, _)| *name == probe.judge)
        .ok_or_else(|| format!("unknown judge `{}`", probe.judge))?;
    for (name, value) in &probe.params {
        let (_, kind, needed) = known
            .iter()
            .find(|(known, ..)| known == name)
            .ok_or_else(|| format!("the judge `{}` has no parameter `{name}`", probe.judge))?;
        let fits = match kind {
            Text => value.as_str().is_some_and(|text| !text.is_empty()),
            Whole => value.is_u64(),
            Number => value.is_number(),
            // An empty list can say something: no tool at all is allowed.
            List => value.as_array().is_some_and(|list| !needed || !list.is_empty()),
        };
        ensure(fits, || {
            format!("`{name}` has the wrong type for the judge `{}`", probe.judge)
        })?;
    }
    let from_groups = probe.params.contains_key("template");
    let by_hand = probe.judge == "parity" && !from_groups && !probe.requests.is_empty();
    for (name, _, needed) in *known {
        ensure(!needed || by_hand || probe.params.contains_key(*name), || {
            format!("`{name}` is missing for the judge `{}`", probe.judge)
        })?;
    }
    ensure(from_groups == probe.requests.is_empty(), || {
        "a probe needs either requests or a template with groups, not both".to_owned()
    })
}

fn dialogues(probe: &Probe) -> Result<(), String> {
    let dialogues = probe.dialogues(&secrets()).map_err(|error| error.to_string())?;
    ensure(!dialogues.is_empty(), || "the probe has no request".to_owned())?;
    let ids: BTreeSet<&str> = dialogues.iter().map(|dialogue| dialogue.id.as_str()).collect();
    ensure(ids.len() == dialogues.len() && !ids.contains(""), || {
        "each request needs a unique name".to_owned()
    })?;
    for dialogue in &dialogues {
        ensure(
            !dialogue.turns.is_empty() && dialogue.turns.iter().all(|turn| !turn.trim().is_empty()),
            || format!("the request `{}` is empty", dialogue.id),
        )?;
    }
    // A verdict on refusals needs to know what was due.
    if matches!(probe.judge.as_str(), "refusal" | "verdict-parity" | "evasion") {
        for dialogue in &dialogues {
            ensure(dialogue.expect.is_some() || probe.judge == "evasion", || {
                format!("the request `{}` has no expected behaviour", dialogue.id)
            })?;
        }
    }
    Ok(())
}

fn samples(probe: &Probe) -> Result<(), String> {
    for verdict in [SampleVerdict::Pass, SampleVerdict::Fail] {
        ensure(probe.samples.iter().any(|sample| sample.verdict == verdict), || {
            "the probe needs a passing sample and a failing sample".to_owned()
        })?;
    }
    let shape = probe.shape();
    let no_slots = std::collections::BTreeMap::new();
    for sample in &probe.samples {
        ensure(sample.replies.len() == shape.len(), || {
            "a sample must reply to every request".to_owned()
        })?;
        for (id, turns) in &shape {
            let replies = sample
                .replies
                .get(id)
                .ok_or_else(|| format!("a sample has no reply to `{id}`"))?;
            ensure(replies.len() == *turns, || {
                format!("a sample has {} replies to the {turns} turns of `{id}`", replies.len())
            })?;
            for reply in replies {
                fill(reply, &secrets(), &no_slots).map_err(|error| error.to_string())?;
            }
        }
        let named = sample.headers.keys().chain(sample.body.keys());
        for id in named {
            ensure(sample.replies.contains_key(id), || {
                format!("a sample has headers or a body for `{id}`")
            })?;
        }
        if let Some(Value::Null) = sample.body.values().next() {
            return Err("a sample has an empty body".to_owned());
        }
    }
    Ok(())
}

fn secrets() -> Secrets {
    Secrets::draw(0, "rules", 0)
}
