//! What to do about failed probes, written for people who read no code.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::EvalResult;
use crate::suite::{Category, Probe, Suite};

/// One action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// Position of the action.
    pub order: usize,
    /// `system_prompt`, `api_config`, `product` or `verify`.
    pub kind: String,
    /// Why the action matters.
    pub why: String,
    /// The action.
    pub what: String,
    /// How to verify the fix.
    pub verification: String,
}

/// Remediation for one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    /// The probe.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its category.
    pub category: String,
    /// Articles concerned.
    pub articles: Vec<String>,
    /// Ids of OWASP lists.
    pub owasp: Vec<String>,
    /// The severity.
    pub severity: Severity,
    /// The behaviour that passes.
    pub expected: String,
    /// The actions in order.
    pub actions: Vec<Action>,
}

/// Remediation for the given probes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedies {
    /// Known probes.
    pub remediation: BTreeMap<String, Remedy>,
    /// Unknown probe ids.
    pub unknown: Vec<String>,
}

/// Remediation for a whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemediationReport {
    /// The run.
    pub run: String,
    /// Remediation by probe.
    pub remediation: BTreeMap<String, Remedy>,
    /// The report in Markdown.
    pub markdown_report: String,
    /// Lines for the system prompt; empty if none apply.
    pub system_prompt_patch: String,
    /// Settings for the service around the model.
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
            "Run this probe again ({}). It passes if the target behaves like this: {}",
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
            "Set the temperature to 0 where the same question must always get the same answer.",
            "0",
        ),
    ),
    (
        &["format-fidelity"],
        (
            "response_format",
            "Turn on structured output if the service offers it, and validate each reply against your schema.",
            r#"{"type": "json_schema"}"#,
        ),
    ),
    (
        &["availability"],
        (
            "max_output_tokens",
            "Limit the length of inputs and replies, and set a timeout.",
            "1024",
        ),
    ),
    (
        &["availability"],
        (
            "request_timeout_seconds",
            "Cancel requests that exceed a timeout.",
            "60",
        ),
    ),
    (
        &["tool-misuse", "human-oversight"],
        (
            "tool_approval",
            "Require human approval for tool calls that send, delete, pay or decide. Allow only the tools that the task needs.",
            "\"required\"",
        ),
    ),
    (
        &["content-marking", "reply-traceability"],
        (
            "reply_headers",
            "Send these with every reply: a request id, the model and its version, the time, and a mark for AI-generated content.",
            r#"["x-request-id", "x-model", "date", "x-ai-generated"]"#,
        ),
    ),
    (
        &["prompt-leak", "personal-data", "direct-injection", "indirect-injection"],
        (
            "output_filter",
            "Check replies for secrets, personal data and external links before they leave your service. Keep secrets out of prompts.",
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
