//! What the agents of a project may do, side by side, and where that contradicts what people said.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::Document;

/// From this level on an agent acts without a person agreeing.
const UNAPPROVED_LEVEL: u64 = 4;

/// The permissions of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentPermissions {
    /// The name of the agent.
    pub agent: String,
    /// The id of the agent.
    pub agent_id: String,
    /// Tools that its model may call.
    pub tools: Vec<String>,
    /// Resources with the operations on them.
    pub data_access: Vec<String>,
    /// Hosts that it reaches.
    pub hosts: Vec<String>,
    /// The autonomy level, 1 to 5.
    pub autonomy_level: Option<u64>,
    /// Whether human approval was found before an answer has an effect.
    pub human_approval: Option<bool>,
    /// Actions that people declared forbidden, or allowed only after approval.
    pub constraints: Value,
}

/// The kind of access that an agent has to a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// Granted after human approval.
    WithApproval,
    /// Granted; human approval was found for an action of this agent, but not necessarily for this one.
    ApprovalSeen,
    /// Granted; no human approval was found.
    WithoutApproval,
    /// Granted; the access only reads, or human approval could not be determined.
    Granted,
    /// Declared forbidden, and not found in the code.
    Denied,
    /// Not found in the code.
    None,
}

/// A contradiction between permissions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// Its kind: `denied_but_granted`, `approval_required_but_missing`, `approval_required_but_not_shown`, `approval_differs`,
    /// `high_risk_unapproved`.
    pub kind: String,
    /// The agents that it is about.
    pub agents: Vec<String>,
    /// The permission that it is about.
    pub permission: Option<String>,
    /// The contradiction in words.
    pub message: String,
    /// The same as `kind`, for existing clients.
    #[serde(rename = "type")]
    pub same_kind: String,
    /// The same as `message`, for existing clients.
    pub description: String,
}

impl Conflict {
    fn new(kind: &str, agents: Vec<String>, permission: Option<String>, message: String) -> Self {
        Self {
            kind: kind.to_owned(),
            agents,
            permission,
            same_kind: kind.to_owned(),
            description: message.clone(),
            message,
        }
    }
}

/// `GET /agent/permissions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Permissions {
    /// The names of the agents.
    pub agents: Vec<String>,
    /// The permissions of each agent.
    pub permissions: Vec<AgentPermissions>,
    /// The access by permission, then by agent.
    pub grants: BTreeMap<String, BTreeMap<String, Grant>>,
    /// Permissions by agent: true if granted, false if declared forbidden and not found in the code.
    pub matrix: BTreeMap<String, BTreeMap<String, bool>>,
    /// Contradictions.
    pub conflicts: Vec<Conflict>,
}

/// Lays the permissions of agents side by side.
pub fn permissions(documents: &[Document]) -> Permissions {
    let mut agents: Vec<&Document> = documents.iter().collect();
    agents.sort_by_key(|document| (document.name(), document.agent_id()));
    let granted: Vec<BTreeSet<String>> = agents.iter().map(|document| held(document)).collect();
    let denied: Vec<BTreeSet<String>> = agents.iter().map(|document| listed(document, "denied")).collect();
    let all: BTreeSet<&String> = granted.iter().chain(&denied).flatten().collect();
    let mut grants: BTreeMap<String, BTreeMap<String, Grant>> = BTreeMap::new();
    for permission in all {
        let row = grants.entry(permission.clone()).or_default();
        for ((document, granted), denied) in agents.iter().zip(&granted).zip(&denied) {
            let several = granted.iter().filter(|one| !reads(one)).count() > 1;
            let grant = match (granted.contains(permission), approval(document)) {
                (true, _) if reads(permission) => Grant::Granted,
                (true, Some(true)) if several => Grant::ApprovalSeen,
                (true, Some(true)) => Grant::WithApproval,
                (true, Some(false)) => Grant::WithoutApproval,
                (true, None) => Grant::Granted,
                (false, _) if denied.contains(permission) => Grant::Denied,
                (false, _) => Grant::None,
            };
            row.insert(document.name().to_owned(), grant);
        }
    }
    let mut conflicts = Vec::new();
    for ((document, granted), denied) in agents.iter().zip(&granted).zip(&denied) {
        conflicts.extend(own_conflicts(document, granted, denied));
    }
    conflicts.extend(differing(&grants));
    let mut matrix: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for document in &agents {
        matrix.entry(document.name().to_owned()).or_default();
    }
    for (permission, row) in &grants {
        for (agent, grant) in row.iter().filter(|(_, grant)| **grant != Grant::None) {
            let granted = *grant != Grant::Denied;
            matrix
                .entry(agent.clone())
                .or_default()
                .insert(permission.clone(), granted);
        }
    }
    Permissions {
        agents: agents.iter().map(|document| document.name().to_owned()).collect(),
        permissions: agents
            .iter()
            .map(|document| AgentPermissions {
                agent: document.name().to_owned(),
                agent_id: document.agent_id().to_owned(),
                tools: owned(document.texts_at("permissions.tools")),
                data_access: owned(document.texts_at("permissions.data_access")),
                hosts: owned(document.texts_at("permissions.hosts")),
                autonomy_level: document.get("autonomy_level").and_then(Value::as_u64),
                human_approval: approval(document),
                constraints: document.get("constraints").cloned().unwrap_or_default(),
            })
            .collect(),
        grants,
        matrix,
        conflicts,
    }
}

/// What contradicts itself within one agent.
fn own_conflicts(document: &Document, granted: &BTreeSet<String>, denied: &BTreeSet<String>) -> Vec<Conflict> {
    let name = document.name();
    let conflict = |kind: &str, permission: Option<&String>, message: String| {
        Conflict::new(kind, vec![name.to_owned()], permission.cloned(), message)
    };
    let mut conflicts = Vec::new();
    for permission in granted.intersection(denied) {
        conflicts.push(conflict(
            "denied_but_granted",
            Some(permission),
            format!("`{name}` must not have `{permission}`, but the code grants it"),
        ));
    }
    let approved = approval(document) == Some(true);
    // Approval is seen of the agent, not of the permission: where it holds several, it need not be this one.
    let shown = approved && granted.iter().filter(|one| !reads(one)).count() == 1;
    for permission in granted.intersection(&listed(document, "approval_required")) {
        if !approved {
            conflicts.push(conflict(
                "approval_required_but_missing",
                Some(permission),
                format!(
                    "`{name}` needs human approval before it uses `{permission}`, but no approval was found in the code"
                ),
            ));
        } else if !shown || reads(permission) {
            conflicts.push(conflict(
                "approval_required_but_not_shown",
                Some(permission),
                format!(
                    "`{name}` needs human approval before it uses `{permission}`; an approval was found, but the code does not \
                     show that it covers this permission"
                ),
            ));
        }
    }
    let acts = document.get("autonomy_level").and_then(Value::as_u64);
    if document.get("constraints.human_approval") == Some(&Value::Bool(true)) && !approved && acts > Some(1) {
        conflicts.push(conflict(
            "approval_required_but_missing",
            None,
            format!("`{name}` needs human approval before it acts, but no approval was found in the code"),
        ));
    }
    let high = matches!(
        document.text_at("compliance.eu_ai_act.risk_class"),
        Some("high" | "prohibited")
    );
    if high && acts >= Some(UNAPPROVED_LEVEL) {
        conflicts.push(conflict(
            "high_risk_unapproved",
            None,
            format!("`{name}` is in a risk class that requires human oversight (Art. 14), but acts without approval"),
        ));
    }
    conflicts
}

/// Permissions that one agent holds with approval and another without.
fn differing(matrix: &BTreeMap<String, BTreeMap<String, Grant>>) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for (permission, row) in matrix.iter().filter(|(permission, _)| permission.starts_with("tool:")) {
        let of = |wanted: &[Grant]| -> Vec<&String> {
            let names = row.iter().filter(|(_, grant)| wanted.contains(grant));
            names.map(|(name, _)| name).collect()
        };
        let approved = of(&[Grant::WithApproval, Grant::ApprovalSeen]);
        let free = of(&[Grant::WithoutApproval]);
        if !approved.is_empty() && !free.is_empty() {
            conflicts.push(Conflict::new(
                "approval_differs",
                approved.iter().chain(&free).map(|name| (*name).clone()).collect(),
                Some(permission.clone()),
                format!("agents with `{permission}` differ: human approval was found in some and not in others"),
            ));
        }
    }
    conflicts
}

/// Whether a permission only lets an agent read; nobody is asked before that.
fn reads(permission: &str) -> bool {
    permission.ends_with(":read") && !permission.starts_with("tool:")
}

/// The permissions that an agent holds, under one name each.
fn held(document: &Document) -> BTreeSet<String> {
    let tools = document.texts_at("permissions.tools");
    let data = document.texts_at("permissions.data_access");
    tools
        .iter()
        .map(|tool| format!("tool:{tool}"))
        .chain(data.iter().map(|access| (*access).to_owned()))
        .collect()
}

/// The permissions of a list of constraints; a bare name is the name of a tool.
fn listed(document: &Document, list: &str) -> BTreeSet<String> {
    document
        .texts_at(&format!("constraints.{list}"))
        .into_iter()
        .map(|name| {
            if name.contains(':') {
                name.to_owned()
            } else {
                format!("tool:{name}")
            }
        })
        .collect()
}

fn approval(document: &Document) -> Option<bool> {
    document.get("oversight.human_approval").and_then(Value::as_bool)
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(ToOwned::to_owned).collect()
}
