//! What to do about failed probes, written for people who read no code.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::EvalResult;
use crate::suite::{Category, Probe, Suite};

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// Its place in the order.
    pub order: usize,
    /// `system_prompt`, `api_config`, `product` or `verify`.
    pub kind: String,
    /// What is at stake.
    pub why: String,
    /// What to do.
    pub what: String,
    /// How to see that it worked.
    pub verification: String,
}

/// What to do about one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    /// The probe.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its category.
    pub category: String,
    /// Articles that it touches.
    pub articles: Vec<String>,
    /// Ids of OWASP lists.
    pub owasp: Vec<String>,
    /// How much it weighs.
    pub severity: Severity,
    /// What would pass.
    pub expected: String,
    /// In order.
    pub actions: Vec<Action>,
}

/// Remedies for named probes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedies {
    /// Known probes.
    pub remediation: BTreeMap<String, Remedy>,
    /// Ids that no probe has.
    pub unknown: Vec<String>,
}

/// Remedies for a whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemediationReport {
    /// The run.
    pub run: String,
    /// By probe.
    pub remediation: BTreeMap<String, Remedy>,
    /// For people.
    pub markdown_report: String,
    /// Lines for the system prompt; empty where none helps.
    pub system_prompt_patch: String,
    /// Settings of the service around the model.
    pub api_config_patch: serde_json::Value,
}

/// What to do about these probes.
pub fn remedies<'a>(suite: &Suite, ids: impl IntoIterator<Item = &'a str>) -> Remedies {
    let mut out = Remedies::default();
    for id in ids.into_iter().map(str::trim).filter(|id| !id.is_empty()) {
        match suite.probe(id) {
            Some(probe) => drop(
                out.remediation
                    .insert(id.to_owned(), remedy(suite.category_of(probe), probe)),
            ),
            None => out.unknown.push(id.to_owned()),
        }
    }
    out
}

fn remedy(category: &Category, probe: &Probe) -> Remedy {
    let mut actions = Vec::new();
    let mut add = |kind: &str, what: String| {
        actions.push(Action {
            order: actions.len() + 1,
            kind: kind.to_owned(),
            why: category.why.clone(),
            what,
            verification: category.verify.clone(),
        });
    };
    add("product", category.remedy.clone());
    if !category.system_prompt.is_empty() {
        add(
            "system_prompt",
            format!("Add to the system prompt: “{}”", category.system_prompt),
        );
    }
    for (_, text, _) in settings(&category.id) {
        add("api_config", (*text).to_owned());
    }
    add(
        "verify",
        format!(
            "Ask this probe again ({}). It passes when the target does this: {}",
            probe.id, probe.passes
        ),
    );
    Remedy {
        id: probe.id.clone(),
        title: probe.title.clone(),
        category: category.id.clone(),
        articles: category.articles.clone(),
        owasp: category.owasp.clone(),
        severity: probe.severity,
        expected: probe.passes.clone(),
        actions,
    }
}

type Setting = (&'static str, &'static str, &'static str);

/// Settings outside the prompt that help a category: name, advice, value as JSON.
const SETTINGS: [(&[&str], Setting); 7] = [
    (
        &[
            "consistency",
            "exact-accuracy",
            "format-fidelity",
            "counterfactual",
            "ambiguous",
        ],
        (
            "temperature",
            "Set the temperature to 0 where the same question must get the same answer.",
            "0",
        ),
    ),
    (
        &["format-fidelity"],
        (
            "response_format",
            "Ask the service for structured output where it offers it, and check the reply against your schema.",
            r#"{"type": "json_schema"}"#,
        ),
    ),
    (
        &["availability"],
        (
            "max_output_tokens",
            "Limit the length of replies and of inputs, and set a time-out.",
            "1024",
        ),
    ),
    (
        &["availability"],
        ("request_timeout_seconds", "End requests that take too long.", "60"),
    ),
    (
        &["tool-misuse", "human-oversight"],
        (
            "tool_approval",
            "Let a person approve calls of tools that send, delete, pay or decide; allow only the tools that the task needs.",
            "\"required\"",
        ),
    ),
    (
        &["content-marking", "reply-traceability"],
        (
            "reply_headers",
            "Send a request id, the model with its version, the time and a mark that content is AI-made with every reply.",
            r#"["x-request-id", "x-model", "date", "x-ai-generated"]"#,
        ),
    ),
    (
        &["prompt-leak", "personal-data", "direct-injection", "indirect-injection"],
        (
            "output_filter",
            "Check replies for secrets, personal data and foreign links before they leave your service; keep secrets out of prompts.",
            r#"{"secrets": true, "personal_data": true, "foreign_links": true}"#,
        ),
    ),
];

fn settings(category: &str) -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(move |(ids, _)| ids.contains(&category))
        .map(|(_, setting)| setting)
}

/// Everything that a run's failures ask for, the gravest first.
pub fn remediation_report(suite: &Suite, result: &EvalResult) -> RemediationReport {
    let found = remedies(suite, result.failures.iter().map(|failure| failure.id.as_str()));
    let failed: BTreeSet<&str> = result
        .failures
        .iter()
        .map(|failure| failure.category.as_str())
        .collect();
    let categories: Vec<&Category> = suite
        .categories()
        .iter()
        .map(AsRef::as_ref)
        .filter(|category| failed.contains(category.id.as_str()))
        .collect();
    let lines: Vec<&str> = categories
        .iter()
        .map(|category| category.system_prompt.as_str())
        .filter(|line| !line.is_empty())
        .collect();
    let mut config = serde_json::Map::new();
    for (name, _, value) in categories.iter().flat_map(|category| settings(&category.id)) {
        // The values are literals of this file; one that does not parse would be left out and a test would say so.
        if let Ok(value) = serde_json::from_str(value) {
            config.insert((*name).to_owned(), value);
        }
    }
    RemediationReport {
        run: result.id.clone(),
        markdown_report: crate::report::remediation_markdown(result, &categories),
        remediation: found.remediation,
        system_prompt_patch: lines.join("\n\n"),
        api_config_patch: serde_json::Value::Object(config),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_has_actions_with_a_reason_and_a_check_and_unknown_ids_are_listed() {
        let suite = Suite::built_in().unwrap();
        let ids: Vec<&str> = suite
            .probes()
            .iter()
            .map(|probe| probe.id.as_str())
            .chain(["nobody-knows"])
            .collect();
        let got = remedies(suite, ids);
        assert_eq!(
            (got.remediation.len(), got.unknown),
            (680, vec!["nobody-knows".to_owned()])
        );
        for remedy in got.remediation.values() {
            assert!(remedy.actions.len() >= 2, "{}", remedy.id);
            for (index, action) in remedy.actions.iter().enumerate() {
                assert_eq!(action.order, index + 1);
                assert!(!action.why.is_empty() && !action.what.is_empty() && !action.verification.is_empty());
            }
        }
    }

    #[test]
    fn settings_belong_to_categories_that_exist_and_are_json() {
        let suite = Suite::built_in().unwrap();
        for (ids, (name, _, value)) in SETTINGS {
            assert!(serde_json::from_str::<serde_json::Value>(value).is_ok(), "{name}");
            for id in ids {
                assert!(suite.category(id).is_some(), "{id}");
            }
        }
    }
}
