//! A passport from what a scan saw of one agent.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Agent, Call, CallKind, DependencyRelation, Effect, EntryPoint, EntryPointKind, ErrorHandling, Inventory, Logging,
    Sends, System, Zone,
};
use serde_json::Value;

use crate::PASSPORT_VERSION;
use crate::document::Document;
use crate::fields::FIELDS;
use crate::passport::{
    AgentType, ComplianceState, Constraints, DataUse, Disclosure, EuAiAct, EvaluationState, Extent, Framework,
    GrantedPermissions, Interop, Lifecycle, LoggingState, Model, Oversight, Owner, Passport, PassportEndpoint,
    Provider, RiskClass, SecurityState, SupplyChain,
};
use crate::provenance::{GeneratedFrom, Provenance, SourceKind, mark};

/// What is known of one agent, and when.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The system that it belongs to.
    pub system: &'a System,
    /// All agents of the project; what begins in a file of another agent alone is no entry of this one.
    pub agents: &'a [Agent],
    /// What was observed in the project.
    pub inventory: &'a Inventory,
    /// The name that it gets.
    pub name: &'a str,
    /// The time, as RFC 3339 in UTC.
    pub now: &'a str,
    /// When the code was looked at.
    pub scanned_at: &'a str,
    /// The version of the engine.
    pub engine_version: &'a str,
    /// The version of the regulation data.
    pub regulation_version: &'a str,
}

/// Makes a passport, unsigned. What code does not tell is left unknown.
pub fn generate(facts: &Facts<'_>) -> Document {
    let Facts {
        agent,
        system,
        inventory,
        ..
    } = *facts;
    let calls: Vec<&Call> = inventory
        .calls
        .iter()
        .filter(|call| call.zone == Zone::Product && call.system.as_deref() == Some(system.id.as_str()))
        .filter(|call| agent.files.contains(&call.file))
        .collect();
    let asks: Vec<&Call> = calls
        .iter()
        .filter(|call| matches!(call.kind, CallKind::Call | CallKind::Declare))
        .copied()
        .collect();
    let (risk_class, risk_source) = risk(&system.risk_class);
    let (observed_class, observed_source) = risk(&system.observed_class);
    let risk_source = if class_is_stated(system) {
        SourceKind::Answer
    } else {
        risk_source
    };
    // What was made before the class of code was kept apart has one class only.
    let (observed_class, observed_source) = if system.observed_class.is_empty() {
        (risk_class, risk_source)
    } else {
        (observed_class, observed_source)
    };
    let entries = entries(facts);
    let used: BTreeSet<String> = calls.iter().filter_map(|call| call.model.clone()).collect();
    let pinned = calls
        .iter()
        .filter(|call| call.model.is_some() && call.model == agent.model)
        .find_map(|call| call.model_pinned);
    let passport = Passport {
        passport_version: PASSPORT_VERSION.to_owned(),
        agent_id: agent.agent_id.clone(),
        name: facts.name.to_owned(),
        display_name: None,
        description: None,
        version: None,
        created: facts.now.to_owned(),
        updated: facts.now.to_owned(),
        owner: Owner::default(),
        provider: Provider::default(),
        role: Some(system.role.clone()).filter(|role| role != "unknown"),
        kind: kind(agent, &entries, &asks),
        autonomy_level: Some(agent.autonomy_level),
        autonomy_evidence: agent.autonomy_evidence.clone(),
        intended_purpose: system.purpose.clone(),
        domain: None,
        affected_persons: None,
        framework: Framework {
            name: agent.framework.clone(),
            packages: packages(system, inventory, true),
            ..Framework::default()
        },
        model: Model {
            provider: agent.provider.clone(),
            name: agent.model.clone(),
            pinned,
            used: used.into_iter().collect(),
            ..Model::default()
        },
        source_files: agent.files.clone(),
        endpoints: endpoints(&entries),
        interop: Interop {
            mcp_servers: sorted(
                inventory
                    .mcp_servers
                    .iter()
                    .filter(|server| within(&system.scope, &server.file))
                    .map(|server| server.name.clone()),
            ),
            ..Interop::default()
        },
        permissions: GrantedPermissions {
            tools: agent.tools.clone(),
            data_access: data_access(&asks),
            hosts: sorted(calls.iter().filter_map(|call| call.host.clone())),
            ..GrantedPermissions::default()
        },
        constraints: Constraints::default(),
        data: DataUse {
            inputs: inputs(&asks),
            datasets: sorted(
                inventory
                    .datasets
                    .iter()
                    .filter(|data| agent.files.contains(&data.file))
                    .map(|data| data.name.clone()),
            ),
            ..DataUse::default()
        },
        compliance: ComplianceState {
            eu_ai_act: EuAiAct {
                risk_class,
                risk_basis: Some(system.risk_basis.clone()),
                observed_class,
                role_basis: Some(system.role_basis.clone()),
                system: Some(system.id.clone()),
                obligations: sorted(
                    system
                        .obligations
                        .iter()
                        .filter(|record| record.is_expected())
                        .map(|record| record.obligation_id.clone()),
                ),
                obligations_basis: Some(if class_is_stated(system) {
                    format!("risk class `{}`, as stated", system.risk_class)
                } else {
                    format!("risk class `{}`, found in the code", system.risk_class)
                }),
                open_questions: sorted(system.questions.iter().map(|question| question.id.clone())),
                ..EuAiAct::default()
            },
            ..ComplianceState::default()
        },
        oversight: Oversight {
            human_approval: agent.human_approval,
            evidence: places(asks.iter().filter(|call| call.human_approval == Some(true))),
            ..Oversight::default()
        },
        disclosure: Disclosure {
            informed: all_or_not(asks.iter().filter_map(|call| call.disclosure)),
            evidence: sorted(
                asks.iter()
                    .filter_map(|call| call.disclosure_at.as_ref())
                    .map(|at| format!("{}:{}", at.file, at.line)),
            ),
            ..Disclosure::default()
        },
        logging: LoggingState {
            interactions: logging(&asks),
            ..LoggingState::default()
        },
        security: SecurityState {
            error_handling: error_handling(&asks),
            ..SecurityState::default()
        },
        evaluation: EvaluationState::default(),
        supply_chain: SupplyChain {
            packages: packages(system, inventory, false),
            ..SupplyChain::default()
        },
        jurisdictions: None,
        lifecycle: Lifecycle::default(),
        provenance: Provenance {
            generated: Some(GeneratedFrom {
                scanned_at: facts.scanned_at.to_owned(),
                engine_version: facts.engine_version.to_owned(),
                regulation_version: facts.regulation_version.to_owned(),
            }),
            ..Provenance::default()
        },
        signature: None,
        extra: serde_json::Map::new(),
    };
    let mut document = Document::from(&passport);
    let mut provenance = document.provenance();
    let special = BTreeMap::from([
        ("role", role_source(system)),
        ("compliance.eu_ai_act.risk_class", risk_source),
        ("compliance.eu_ai_act.risk_basis", risk_source),
        ("compliance.eu_ai_act.observed_class", observed_source),
        (
            "compliance.eu_ai_act.obligations",
            if class_is_stated(system) {
                SourceKind::Answer
            } else {
                SourceKind::Code
            },
        ),
        (
            "intended_purpose",
            if system.purpose.is_some() {
                SourceKind::Answer
            } else {
                SourceKind::Unknown
            },
        ),
        ("compliance.eu_ai_act.role_basis", role_source(system)),
    ]);
    for field in FIELDS {
        let value = document.get(field.path).cloned().unwrap_or_default();
        let source = match special.get(field.path) {
            Some(source) => *source,
            None if !field.from_code || says_nothing(&value) => SourceKind::Unknown,
            None => SourceKind::Code,
        };
        provenance.fields.insert(field.path.to_owned(), source);
        if source == SourceKind::Answer {
            provenance
                .derived
                .insert(field.path.to_owned(), FROM_PROFILE.to_owned());
        }
        if let Some(mark) = mark(&value) {
            provenance.written.insert(field.path.to_owned(), mark);
        }
    }
    document.set_provenance(&provenance);
    document
}

/// Whether a value says nothing. An empty list seen in code does: it was looked for, and nothing was there; but for a
/// passport an empty list of tools and one that nobody looked at are told apart by nothing, so neither counts.
pub(crate) fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty() || text == "unknown",
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A class that a case of Art. 50 shows is seen; one that rests on nothing being there is presumed.
fn risk(class: &str) -> (RiskClass, SourceKind) {
    match class {
        "prohibited" => (RiskClass::Prohibited, SourceKind::Code),
        "high" => (RiskClass::High, SourceKind::Code),
        "limited" => (RiskClass::Limited, SourceKind::Code),
        "minimal" => (RiskClass::Minimal, SourceKind::Default),
        _ => (RiskClass::Unknown, SourceKind::Unknown),
    }
}

/// What fields follow from that the profile answers.
pub(crate) const FROM_PROFILE: &str = "profile";

/// Whether a person stated what the class of a system rests on.
fn class_is_stated(system: &System) -> bool {
    !system.observed_class.is_empty() && system.risk_basis.contains("stated ")
}

/// Who develops a system is presumed to be its provider until somebody says what they are.
fn role_source(system: &System) -> SourceKind {
    if system.role == "unknown" {
        SourceKind::Unknown
    } else if system.role_basis.starts_with("stated") {
        SourceKind::Answer
    } else {
        SourceKind::Default
    }
}

/// The places at which an agent is started: those of its own files, and those of the system that no agent claims.
fn entries<'a>(facts: &Facts<'a>) -> Vec<&'a EntryPoint> {
    let Facts {
        agent, system, agents, ..
    } = *facts;
    let others: BTreeSet<&String> = agents
        .iter()
        .filter(|other| other.agent_id != agent.agent_id && other.system == agent.system)
        .flat_map(|other| &other.files)
        .collect();
    system
        .entry_points
        .iter()
        .filter(|entry| agent.files.contains(&entry.file) || !others.contains(&entry.file))
        .collect()
}

fn kind(agent: &Agent, entries: &[&EntryPoint], asks: &[&Call]) -> Option<AgentType> {
    let starts = |kinds: &[EntryPointKind]| entries.iter().any(|entry| kinds.contains(&entry.kind));
    let only_jobs = !entries.is_empty() && entries.iter().all(|entry| entry.kind == EntryPointKind::Job);
    if !agent.tools.is_empty() {
        Some(AgentType::Agent)
    } else if only_jobs {
        Some(AgentType::Batch)
    } else if asks.iter().any(|call| call.effects.contains(&Effect::Branch)) {
        Some(AgentType::Decision)
    } else if asks.iter().any(|call| call.effects.contains(&Effect::Page))
        || starts(&[EntryPointKind::Page, EntryPointKind::Message])
    {
        Some(AgentType::Assistant)
    } else if starts(&[EntryPointKind::Http]) {
        Some(AgentType::Service)
    } else {
        None
    }
}

fn endpoints(entries: &[&EntryPoint]) -> Vec<PassportEndpoint> {
    let mut seen = BTreeSet::new();
    let mut endpoints = Vec::new();
    for entry in entries {
        let kind = match entry.kind {
            EntryPointKind::Http => "http",
            EntryPointKind::Main => "main",
            EntryPointKind::Command => "command",
            EntryPointKind::Job => "job",
            EntryPointKind::Page => "page",
            EntryPointKind::Message => "message",
            EntryPointKind::Library => "library",
        };
        if seen.insert((kind, &entry.name, &entry.file)) {
            endpoints.push(PassportEndpoint {
                kind: kind.to_owned(),
                name: entry.name.clone(),
                file: Some(entry.file.clone()),
                ..PassportEndpoint::default()
            });
        }
    }
    endpoints
}

fn data_access(asks: &[&Call]) -> Vec<String> {
    let sent = asks
        .iter()
        .flat_map(|call| &call.sends)
        .filter_map(|sends| match sends {
            Sends::UserInput => Some("user_input:read"),
            Sends::File => Some("files:read"),
            Sends::Database => Some("database:read"),
            Sends::Constant | Sends::Unknown => None,
        });
    let reached = asks
        .iter()
        .flat_map(|call| &call.effects)
        .filter_map(|effect| match effect {
            Effect::Shell => Some("processes:run"),
            Effect::Database => Some("database:write"),
            Effect::Mail => Some("messages:send"),
            Effect::Tool | Effect::Page | Effect::Branch => None,
        });
    sorted(sent.chain(reached).map(ToOwned::to_owned))
}

fn inputs(asks: &[&Call]) -> Option<Vec<String>> {
    let inputs = sorted(
        asks.iter()
            .flat_map(|call| &call.sends)
            .filter_map(|sends| match sends {
                Sends::UserInput => Some("user_input".to_owned()),
                Sends::File => Some("file".to_owned()),
                Sends::Database => Some("database".to_owned()),
                Sends::Constant => Some("constant".to_owned()),
                Sends::Unknown => None,
            }),
    );
    Some(inputs).filter(|inputs| !inputs.is_empty())
}

fn logging(asks: &[&Call]) -> Option<Extent> {
    let count = |wanted| asks.iter().filter(|call| call.logging == wanted).count();
    let (logged, console) = (count(Logging::Yes), count(Logging::Console));
    match asks.len() {
        0 => None,
        all if logged == all => Some(Extent::All),
        _ if logged > 0 => Some(Extent::Some),
        _ if console > 0 => Some(Extent::Console),
        _ => Some(Extent::None),
    }
}

fn error_handling(asks: &[&Call]) -> Option<Extent> {
    let handled = asks
        .iter()
        .filter(|call| call.error_handling != ErrorHandling::No)
        .count();
    match asks.len() {
        0 => None,
        all if handled == all => Some(Extent::All),
        _ if handled > 0 => Some(Extent::Some),
        _ => Some(Extent::None),
    }
}

fn packages(system: &System, inventory: &Inventory, of_ai: bool) -> Vec<String> {
    sorted(
        inventory
            .packages
            .iter()
            .filter(|package| package.zone == Zone::Product && within(&system.scope, &package.file))
            .filter(|package| package.relation != DependencyRelation::Transitive)
            .filter(|package| !of_ai || package.ai_kind.is_some())
            .map(|package| package.purl.clone()),
    )
}

/// Whether a file lies in a folder; everything lies in the root.
fn within(scope: &str, file: &str) -> bool {
    let scope = scope.trim_matches('/');
    scope.is_empty()
        || scope == "."
        || file
            .strip_prefix(scope)
            .is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
}

fn all_or_not(mut said: impl Iterator<Item = bool>) -> Option<bool> {
    let first = said.next()?;
    Some(first && said.all(|one| one))
}

fn places<'a>(calls: impl Iterator<Item = &'a &'a Call>) -> Vec<String> {
    sorted(calls.map(|call| format!("{}:{}", call.file, call.line)))
}

fn sorted(items: impl Iterator<Item = String>) -> Vec<String> {
    let set: BTreeSet<String> = items.collect();
    set.into_iter().collect()
}
