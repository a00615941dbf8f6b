//! The agents of a project: definitions in code, else one for each system.

use std::collections::BTreeSet;

use engine_model::{Agent, Call, CallKind, Effect, EntryPointKind, Finding, FindingType, Severity, System, Zone};
use engine_scan_code::CodeJoin;

use crate::systems::{SystemDraft, slug};

/// The agents, in the order of the systems and files. Scores are filled in by whoever computes them.
pub(crate) fn agents(drafts: &[SystemDraft], systems: &[System], code: &CodeJoin, findings: &[Finding]) -> Vec<Agent> {
    let mut taken = BTreeSet::new();
    let mut agents = Vec::new();
    for (draft, system) in drafts.iter().zip(systems) {
        let calls: Vec<&Call> = draft.calls.iter().map(|index| &code.calls[*index]).collect();
        let files: BTreeSet<&str> = calls.iter().map(|call| call.file.as_str()).collect();
        let definitions: Vec<_> = code
            .agents
            .iter()
            .filter(|agent| agent.zone == Zone::Product && files.contains(agent.file.as_str()))
            .collect();
        if definitions.is_empty() {
            let main = calls.iter().find(|call| call.kind == CallKind::Call).or(calls.first());
            let all: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            agents.push(Agent {
                name: system.name.clone(),
                agent_id: unique(&system.id, &mut taken),
                system: system.id.clone(),
                framework: calls.iter().find_map(|call| call.sdk.clone()),
                provider: main.and_then(|call| call.provider.clone()),
                model: main.and_then(|call| call.model.clone()),
                autonomy_level: autonomy(&calls, &[], false, system),
                risk_class: system.risk_class.clone(),
                findings: count(findings, system, &all, |_| true),
                critical: count(findings, system, &all, |f| f.severity == Severity::Critical),
                high: count(findings, system, &all, |f| f.severity == Severity::High),
                files: all,
                score: None,
            });
        }
        for definition in definitions {
            let own: Vec<&Call> = calls
                .iter()
                .filter(|call| call.file == definition.file)
                .copied()
                .collect();
            let all = vec![definition.file.clone()];
            agents.push(Agent {
                name: definition.name.clone(),
                agent_id: unique(&format!("{}-{}", system.id, slug(&definition.name)), &mut taken),
                system: system.id.clone(),
                framework: Some(definition.framework.clone()),
                provider: definition
                    .provider
                    .clone()
                    .or_else(|| own.iter().find_map(|call| call.provider.clone())),
                model: definition
                    .model
                    .clone()
                    .or_else(|| own.iter().find_map(|call| call.model.clone())),
                autonomy_level: autonomy(&own, &definition.tools, definition.human_approval, system),
                risk_class: system.risk_class.clone(),
                findings: count(findings, system, &all, |_| true),
                critical: count(findings, system, &all, |f| f.severity == Severity::Critical),
                high: count(findings, system, &all, |f| f.severity == Severity::High),
                files: all,
                score: None,
            });
        }
    }
    agents
}

fn unique(base: &str, taken: &mut BTreeSet<String>) -> String {
    let mut id = base.to_owned();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        id = format!("{base}-{number}");
        number += 1;
    }
    id
}

fn count(findings: &[Finding], system: &System, files: &[String], wanted: impl Fn(&Finding) -> bool) -> u64 {
    findings
        .iter()
        .filter(|f| {
            f.kind == FindingType::Fail && f.suppressed.is_none() && f.system.as_deref() == Some(system.id.as_str())
        })
        .filter(|f| f.file.as_ref().is_none_or(|file| files.contains(file)))
        .filter(|f| wanted(f))
        .count() as u64
}

/// 1 answers, 2 answers that a program acts on after a person agreed, 3 tools or effects with approval,
/// 4 the same without, 5 without approval and started by no person.
fn autonomy(calls: &[&Call], tools: &[String], approved: bool, system: &System) -> u8 {
    let acts = !tools.is_empty()
        || calls.iter().any(|call| {
            !call.tools.is_empty()
                || call
                    .effects
                    .iter()
                    .any(|e| matches!(e, Effect::Tool | Effect::Shell | Effect::Database | Effect::Mail))
        });
    let decides = calls.iter().any(|call| call.effects.contains(&Effect::Branch));
    let approved = approved || calls.iter().any(|call| call.human_approval == Some(true));
    let unattended = !system.entry_points.is_empty()
        && system
            .entry_points
            .iter()
            .all(|entry| entry.kind == EntryPointKind::Job);
    match (acts, decides, approved) {
        (true, _, true) => 3,
        (true, _, false) if unattended => 5,
        (true, _, false) | (false, true, false) => 4,
        (false, true, true) => 2,
        (false, false, _) => 1,
    }
}
