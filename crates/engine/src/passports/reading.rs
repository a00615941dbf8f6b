//! What can be asked of passports; nothing here changes anything.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Agent, AutonomyReason, Call, DocumentState, Effect, ErrorCode, Failure, Logging, ScanResult};
use engine_passport::{
    Completeness, Document, MissingField, Permissions, SignatureVerdict, completeness, export, permissions, signature,
    validate,
};
use engine_signing::Trust;
use serde::Deserialize;
use serde_json::Value;

use super::requests::{
    AgentAutonomy, AgentCompleteness, AutonomyEvidence, AutonomyReply, ChainState, CompletenessReply, ExportReply,
    ExportRequest, NamedRequest, RegistryEntry, ValidationReply,
};
use super::{Stored, choose, shown_path, stored};
use crate::{Engine, VerifyRequest};

impl Engine {
    /// All passports of a project that can be read; the registry tells of the others.
    pub fn passports(&self, path: Option<&str>) -> Result<Vec<Document>, Failure> {
        let state = self.project_or_current(path)?;
        let all = stored(&state)?;
        Ok(all.into_iter().filter_map(|one| one.document.ok()).collect())
    }

    /// The score of each agent in the last scan, by its id.
    pub fn agent_scores(&self, path: Option<&str>) -> Result<BTreeMap<String, f64>, Failure> {
        let last = self.project_or_current(path)?.last_scan()?;
        let agents = last.iter().flat_map(|scan| &scan.agents);
        let scored = agents.filter_map(|agent| Some((agent.agent_id.clone(), agent.score?)));
        Ok(scored.collect())
    }

    /// One passport.
    pub fn passport(&self, request: &NamedRequest) -> Result<Document, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let all = stored(&state)?;
        readable(choose(&all, request.name.as_deref())?).cloned()
    }

    /// Checks a passport: shape, signature, spelling, and what code says of it now.
    pub fn validate_passport(&self, request: &NamedRequest) -> Result<ValidationReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let all = stored(&state)?;
        let one = choose(&all, request.name.as_deref())?;
        let (_, seen) = self.seen(&state, &all)?;
        let fresh = one.document().and_then(|document| {
            seen.iter()
                .find(|seen| seen.agent.agent_id == document.agent_id())
                .map(|seen| &seen.fresh)
        });
        Ok(ValidationReply {
            file: shown_path(&one.slug),
            validation: validate(&one.bytes, &self.trust()?, fresh),
        })
    }

    /// How complete a passport is, or all of them.
    pub fn passport_completeness(&self, request: &NamedRequest) -> Result<CompletenessReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let all = stored(&state)?;
        let chosen: Vec<&Document> = match request.name.as_deref() {
            Some(_) => vec![readable(choose(&all, request.name.as_deref())?)?],
            None => all.iter().filter_map(Stored::document).collect(),
        };
        let agents: Vec<AgentCompleteness> = chosen
            .into_iter()
            .map(|document| AgentCompleteness {
                name: document.name().to_owned(),
                passport: completeness(document),
            })
            .collect();
        let sum = |count: fn(&Completeness) -> u64| agents.iter().map(|agent| count(&agent.passport)).sum();
        let missing: BTreeSet<&MissingField> = agents.iter().flat_map(|agent| &agent.passport.missing_fields).collect();
        let missing = missing.into_iter().cloned().collect();
        let whole = Completeness::of(sum(|one| one.filled_count), sum(|one| one.total_required), missing);
        Ok(CompletenessReply { whole, agents })
    }

    /// How much the agents of a project do by themselves.
    pub fn autonomy(&self, path: Option<&str>) -> Result<AutonomyReply, Failure> {
        let state = self.project_or_current(path)?;
        let (documents, seen, scan) = self.agents_now(&state)?;
        let agents: Vec<AgentAutonomy> = documents
            .iter()
            .map(|document| {
                let level = document.get("autonomy_level").and_then(Value::as_u64);
                let agent = seen
                    .iter()
                    .find(|seen| seen.agent.agent_id == document.agent_id())
                    .map(|seen| &seen.agent);
                let observed = agent.map(|agent| agent.autonomy_level);
                let reasons = document
                    .get("autonomy_evidence")
                    .and_then(|value| Vec::<AutonomyReason>::deserialize(value).ok())
                    .unwrap_or_default();
                AgentAutonomy {
                    name: document.name().to_owned(),
                    observed_level: observed.filter(|observed| Some(u64::from(*observed)) != level),
                    level,
                    agent_type: document.text_at("type").map(ToOwned::to_owned),
                    evidence: counted(reasons, agent, &scan),
                }
            })
            .collect();
        let highest = agents
            .iter()
            .filter_map(|agent| Some((agent.level?, &agent.name)))
            .max_by_key(|(level, _)| *level);
        let summary = match highest {
            None => "no agent found".to_owned(),
            Some((level, name)) => format!(
                "{} agent{}; the highest level is L{level}, of `{name}`: {}",
                agents.len(),
                if agents.len() == 1 { "" } else { "s" },
                in_words(level)
            ),
        };
        Ok(AutonomyReply {
            level: highest.map(|(level, _)| format!("L{level}")),
            summary,
            agents,
        })
    }

    /// What the agents of a project may do, side by side.
    pub fn permissions(&self, path: Option<&str>) -> Result<Permissions, Failure> {
        let state = self.project_or_current(path)?;
        let (documents, ..) = self.agents_now(&state)?;
        Ok(permissions(&documents))
    }

    /// One line for each agent: its passport, and what the last scan found in it.
    pub fn registry(&self, path: Option<&str>) -> Result<Vec<RegistryEntry>, Failure> {
        let state = self.project_or_current(path)?;
        let all = stored(&state)?;
        let last = state.last_scan()?;
        let trust = self.trust()?;
        let chain = self.verify_evidence(&VerifyRequest {
            path: Some(state.path().to_string_lossy().into_owned()),
            full: None,
        })?;
        let scanned: &[Agent] = last.as_ref().map_or(&[], |scan| &scan.agents);
        let mut entries: Vec<RegistryEntry> = all
            .iter()
            .map(|one| entry(one, &trust, last.is_some().then_some(scanned)))
            .collect();
        let known = |agent: &Agent| {
            all.iter()
                .filter_map(Stored::document)
                .any(|document| document.agent_id() == agent.agent_id)
        };
        for agent in scanned.iter().filter(|agent| !known(agent)) {
            let mut line = blank(&agent.name, "no_passport");
            line.agent_id = Some(agent.agent_id.clone());
            line.autonomy_level = Some(u64::from(agent.autonomy_level));
            line.risk_class = Some(agent.risk_class.clone());
            line.model.clone_from(&agent.model);
            with_findings(&mut line, agent);
            entries.push(line);
        }
        entries.sort_by(|one, other| (&one.name, &one.agent_id).cmp(&(&other.name, &other.agent_id)));
        let fria = last.as_ref().map_or("missing", |scan| fria_status(scan));
        for entry in &mut entries {
            entry.compliance_score = entry.score;
            entry.passport_completeness = entry.completeness;
            fria.clone_into(&mut entry.fria_status);
            entry.evidence_chain = ChainState {
                valid: chain.valid,
                entries: chain.entries,
            };
            entry.grade = last.as_ref().and_then(|scan| scan.score.grade.clone());
        }
        Ok(entries)
    }

    /// A passport in another format.
    pub fn export_passport(&self, request: &ExportRequest) -> Result<ExportReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let all = stored(&state)?;
        let document = readable(choose(&all, request.name.as_deref())?)?;
        let keys = self.signer().keys()?;
        if signature(document, &keys.trust) == SignatureVerdict::Tampered {
            let details = "the passport was changed after signing, so it cannot be exported. Check it with GET /agent/validate; to accept \
                           your changes, use POST /agent/init with `force`";
            return Err(Failure::new(ErrorCode::StateConflict, details));
        }
        let (_, seen) = self.seen(&state, &all)?;
        let records = seen
            .iter()
            .find(|seen| seen.agent.agent_id == document.agent_id())
            .map_or(&[][..], |seen| &seen.system.obligations);
        let now = self.timestamp();
        let exported = export(document, request.format, records, &keys.secret, &now)
            .map_err(|error| crate::project::conflict(&error))?;
        Ok(ExportReply {
            format: request.format,
            data: exported.data,
            valid: exported.valid,
            timestamp: now,
        })
    }

    /// The keys that count; none where there is no place for keys.
    pub(super) fn trust(&self) -> Result<Trust, Failure> {
        self.signer().trust()
    }
}

/// The share of the required fields of a passport with a value from code or a person, 0 to 100.
pub fn passport_completeness(document: &Document) -> f64 {
    completeness(document).score
}

/// The passport of a file, or why it is none.
pub(super) fn readable(one: &Stored) -> Result<&Document, Failure> {
    one.document.as_ref().map_err(|why| {
        let details = format!(
            "`{}` is not a valid passport: {why}; correct or remove the file",
            shown_path(&one.slug)
        );
        Failure::new(ErrorCode::StateConflict, details)
    })
}

/// The reasons for a level, with counts of the calls of the agent.
fn counted(reasons: Vec<AutonomyReason>, agent: Option<&Agent>, scan: &ScanResult) -> AutonomyEvidence {
    let calls: Vec<&Call> = agent.map_or_else(Vec::new, |agent| {
        let own = |call: &&Call| call.system.as_ref() == Some(&agent.system) && agent.files.contains(&call.file);
        scan.inventory.calls.iter().filter(own).collect()
    });
    let count = |wanted: &dyn Fn(&Call) -> bool| calls.iter().filter(|call| wanted(call)).count() as u64;
    let acts = |call: &Call| call.effects.iter().any(|effect| *effect != Effect::Page);
    AutonomyEvidence {
        reasons,
        human_approval_gates: count(&|call| acts(call) && call.human_approval == Some(true)),
        unsupervised_actions: count(&|call| acts(call) && call.human_approval != Some(true)),
        no_logging_actions: count(&|call| call.logging == Logging::No),
    }
}

fn in_words(level: u64) -> &'static str {
    match level {
        0 | 1 => "it only answers",
        2 => "its answers take effect after human approval",
        3 => "it acts after human approval",
        4 => "it acts, and no human approval was found",
        _ => "it acts unattended, and no human approval was found",
    }
}

fn entry(one: &Stored, trust: &Trust, scanned: Option<&[Agent]>) -> RegistryEntry {
    let Some(document) = one.document() else {
        let mut line = blank(&one.slug, "unreadable");
        line.file = Some(shown_path(&one.slug));
        return line;
    };
    let validation = validate(&one.bytes, trust, Some(document));
    let agent = scanned.and_then(|agents| agents.iter().find(|agent| agent.agent_id == document.agent_id()));
    let generated = document.provenance().generated.is_some();
    let status = match (validation.valid, scanned, agent) {
        (false, ..) => "invalid",
        (true, Some(_), None) if generated => "gone",
        _ => "valid",
    };
    let text = |path: &str| document.text_at(path).map(ToOwned::to_owned);
    let mut line = RegistryEntry {
        agent_id: Some(document.agent_id().to_owned()),
        file: Some(shown_path(&one.slug)),
        signature: Some(validation.signature),
        completeness: Some(validation.completeness),
        autonomy_level: document.get("autonomy_level").and_then(Value::as_u64),
        risk_class: text("compliance.eu_ai_act.risk_class"),
        model: text("model.name"),
        issues: validation.errors.iter().map(|issue| issue.message.clone()).collect(),
        system: text("compliance.eu_ai_act.system"),
        updated: text("updated"),
        ..blank(document.name(), status)
    };
    if let Some(agent) = agent {
        with_findings(&mut line, agent);
    }
    line
}

fn with_findings(line: &mut RegistryEntry, agent: &Agent) {
    line.system = Some(agent.system.clone());
    line.score = agent.score;
    line.findings = Some(agent.findings);
    line.critical = Some(agent.critical);
    line.high = Some(agent.high);
}

/// The state of the fundamental rights impact assessment among the documents of a scan.
fn fria_status(scan: &ScanResult) -> &'static str {
    let found: Vec<bool> = scan
        .documents
        .iter()
        .filter(|document| document.kind == "fria")
        .map(|document| document.state == DocumentState::Filled && !document.draft)
        .collect();
    match found.as_slice() {
        [] => "missing",
        states if states.contains(&true) => "filled",
        _ => "draft",
    }
}

fn blank(name: &str, status: &str) -> RegistryEntry {
    RegistryEntry {
        name: name.to_owned(),
        agent_id: None,
        file: None,
        status: status.to_owned(),
        signature: None,
        completeness: None,
        autonomy_level: None,
        risk_class: None,
        model: None,
        system: None,
        score: None,
        findings: None,
        critical: None,
        high: None,
        updated: None,
        compliance_score: None,
        passport_completeness: None,
        fria_status: String::new(),
        evidence_chain: ChainState::default(),
        grade: None,
        issues: Vec::new(),
    }
}
