//! Where a passport and the code of today say different things.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::Document;
use crate::fields::FIELDS;
use crate::generate::says_nothing;
use crate::provenance::SourceKind;

/// The kind of difference between passport and code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// The value came from code, and the code now gives another value.
    CodeChanged,
    /// The value of a person or an import contradicts the code.
    Contradicted,
    /// The value came from code, and was not found in the code any more.
    NoLongerSeen,
    /// The latest scan did not find the agent.
    AgentGone,
}

/// One field in which passport and code differ.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Drift {
    /// The dotted path of the field.
    pub field: String,
    /// The kind of difference.
    pub kind: DriftKind,
    /// The value in the passport.
    pub passport: Value,
    /// The value from code.
    pub code: Value,
    /// The difference in words.
    pub message: String,
}

/// Compares a passport with what a scan tells now; without a scan of the agent, the agent is gone. A passport that was
/// never generated from this project has no code to differ from.
pub fn drift(document: &Document, fresh: Option<&Document>) -> Vec<Drift> {
    let provenance = document.provenance();
    let Some(fresh) = fresh else {
        return provenance
            .generated
            .is_some()
            .then(|| Drift {
                field: "agent_id".to_owned(),
                kind: DriftKind::AgentGone,
                passport: document.get("agent_id").cloned().unwrap_or_default(),
                code: Value::Null,
                message: "the latest scan did not find this agent".to_owned(),
            })
            .into_iter()
            .collect();
    };
    let now = fresh.provenance();
    let mut found = Vec::new();
    // What follows from another field is not held against code by itself: the other one is.
    let compared = |path: &str| !provenance.derived.contains_key(path);
    for field in FIELDS.iter().filter(|field| field.drifts && compared(field.path)) {
        let source = provenance
            .fields
            .get(field.path)
            .copied()
            .unwrap_or(SourceKind::Unknown);
        let told = now.fields.get(field.path).copied() == Some(SourceKind::Code);
        let (Some(is), code) = (document.get(field.path), fresh.get(field.path)) else {
            continue;
        };
        let code = code.cloned().unwrap_or_default();
        if same(is, &code) {
            continue;
        }
        let (kind, what) = match (source, told) {
            (SourceKind::Code, true) => (DriftKind::CodeChanged, "the value in the code has changed"),
            (SourceKind::Code, false) => (DriftKind::NoLongerSeen, "the code no longer shows this value"),
            (SourceKind::Unknown | SourceKind::Default, true) => (
                DriftKind::CodeChanged,
                "the code now shows a value that was unknown before",
            ),
            (SourceKind::Answer | SourceKind::Import | SourceKind::Llm, true) if !says_nothing(is) => (
                DriftKind::Contradicted,
                "the code does not support the value in the passport",
            ),
            _ => continue,
        };
        found.push(Drift {
            field: field.path.to_owned(),
            kind,
            passport: is.clone(),
            code,
            message: format!("`{}`: {what}", field.path),
        });
    }
    found.extend(understated(document, fresh));
    found
}

/// A person may say another class of risk than code shows. A graver one is theirs to say; a lighter one is told.
fn understated(document: &Document, fresh: &Document) -> Option<Drift> {
    const CLASS: &str = "compliance.eu_ai_act.risk_class";
    let sources = (document.provenance(), fresh.provenance());
    let kept = sources.0.fields.get(CLASS).is_some_and(|source| source.is_kept());
    let seen = sources.1.fields.get(CLASS) == Some(&SourceKind::Code);
    let rank = |document: &Document| {
        let order = ["minimal", "limited", "high", "prohibited"];
        let class = document.text_at(CLASS)?;
        order.iter().position(|one| *one == class)
    };
    (kept && seen && rank(document)? < rank(fresh)?).then(|| Drift {
        field: CLASS.to_owned(),
        kind: DriftKind::Contradicted,
        passport: document.get(CLASS).cloned().unwrap_or_default(),
        code: fresh.get(CLASS).cloned().unwrap_or_default(),
        message: format!(
            "`{CLASS}`: the code points to a higher risk class than the passport states: {}",
            fresh
                .text_at("compliance.eu_ai_act.risk_basis")
                .unwrap_or("no reason recorded")
        ),
    })
}

/// Whether two values say the same; lists are compared without their order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let texts = |items: &[Value]| items.iter().map(Value::to_string).collect::<BTreeSet<_>>();
            texts(one) == texts(other)
        }
        _ => one == other || (says_nothing(one) && says_nothing(other)),
    }
}
