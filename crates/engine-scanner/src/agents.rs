//! The agents of a project: definitions in code, else one for each system.

use std::collections::BTreeSet;

use engine_model::{
    Agent, AutonomyReason, AutonomySignal, Call, CallKind, Effect, EntryPointKind, Finding, FindingType, Severity,
    System, Zone,
};
use engine_scan_code::{AgentDefinition, CodeJoin};

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
        // What no definition speaks for: all of a system without one, and else the entry points that ask a model by
        // themselves and not through the library of an agent.
        let rest: Vec<&Call> = if definitions.is_empty() {
            calls.clone()
        } else {
            let defined = |call: &Call| {
                definitions.iter().any(|definition| {
                    definition.file == call.file || call.sdk.as_deref() == Some(definition.framework.as_str())
                })
            };
            let begins = |call: &Call| system.entry_points.iter().any(|entry| entry.file == call.file);
            calls
                .iter()
                .filter(|call| call.kind == CallKind::Call && begins(call) && !defined(call))
                .copied()
                .collect()
        };
        if !rest.is_empty() {
            let main = rest.iter().find(|call| call.kind == CallKind::Call).or(rest.first());
            let all: BTreeSet<String> = rest.iter().map(|call| call.file.clone()).collect();
            let all: Vec<String> = all.into_iter().collect();
            let acts = Acts {
                calls: &rest,
                definition: None,
                system,
            };
            let (autonomy_level, autonomy_evidence) = acts.autonomy();
            agents.push(Agent {
                name: system.name.clone(),
                agent_id: unique(&system.id, &mut taken),
                system: system.id.clone(),
                framework: rest.iter().find_map(|call| call.sdk.clone()),
                provider: main.and_then(|call| call.provider.clone()),
                model: main.and_then(|call| call.model.clone()),
                autonomy_level,
                autonomy_evidence,
                tools: acts.tools(),
                human_approval: acts.approved(),
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
            let acts = Acts {
                calls: &own,
                definition: Some(definition),
                system,
            };
            let (autonomy_level, autonomy_evidence) = acts.autonomy();
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
                autonomy_level,
                autonomy_evidence,
                tools: acts.tools(),
                human_approval: acts.approved(),
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

/// Findings of a system in some files, whose names are in their order, and those without a file.
fn count(findings: &[Finding], system: &System, files: &[String], wanted: impl Fn(&Finding) -> bool) -> u64 {
    findings
        .iter()
        .filter(|f| {
            f.kind == FindingType::Fail && f.suppressed.is_none() && f.system.as_deref() == Some(system.id.as_str())
        })
        .filter(|f| f.file.as_ref().is_none_or(|file| files.binary_search(file).is_ok()))
        .filter(|f| wanted(f))
        .count() as u64
}

/// What tells how much a part of the program does by itself.
struct Acts<'a> {
    calls: &'a [&'a Call],
    definition: Option<&'a AgentDefinition>,
    system: &'a System,
}

impl Acts<'_> {
    fn tools(&self) -> Vec<String> {
        let defined = self.definition.map(|definition| definition.tools.as_slice());
        let called = self.calls.iter().flat_map(|call| call.tools.iter());
        let names: BTreeSet<&String> = called.chain(defined.unwrap_or_default()).collect();
        names.into_iter().cloned().collect()
    }

    /// Whether a person agrees before something happens: yes where one was seen anywhere, unknown where nothing was told.
    fn approved(&self) -> Option<bool> {
        if self.definition.is_some_and(|definition| definition.human_approval) {
            return Some(true);
        }
        let said: Vec<bool> = self.calls.iter().filter_map(|call| call.human_approval).collect();
        if said.contains(&true) {
            Some(true)
        } else {
            said.first().copied()
        }
    }

    /// 1 answers, 2 answers that a program acts on after a person agreed, 3 tools or effects with approval,
    /// 4 the same without, 5 without approval and started by no person; with the reasons in a stable order.
    fn autonomy(&self) -> (u8, Vec<AutonomyReason>) {
        let mut reasons = BTreeSet::new();
        let mut note = |signal, reason: String, file: Option<&str>, line: Option<u32>| {
            reasons.insert(AutonomyReason {
                signal,
                reason,
                file: file.map(ToOwned::to_owned),
                line,
            });
        };
        let (mut acts, mut decides) = (false, false);
        // The definition speaks for the call that declares it.
        let declares = |call: &Call| {
            self.definition
                .is_some_and(|definition| (&definition.file, definition.line) == (&call.file, call.line))
        };
        for call in self.calls.iter().filter(|call| !declares(call)) {
            let at = (Some(call.file.as_str()), Some(call.line));
            if !call.tools.is_empty() {
                acts = true;
                let reason = format!("the model may call {}", call.tools.join(", "));
                note(AutonomySignal::Tools, reason, at.0, at.1);
            }
            let reached: Vec<&str> = call.effects.iter().filter_map(|effect| reached(*effect)).collect();
            if !reached.is_empty() {
                acts = true;
                let reason = format!("the output reaches {}", reached.join(", "));
                note(AutonomySignal::Effects, reason, at.0, at.1);
            }
            if call.effects.contains(&Effect::Branch) {
                decides = true;
                let reason = "the output decides which branch of the program runs".to_owned();
                note(AutonomySignal::Decides, reason, at.0, at.1);
            }
            if call.human_approval == Some(true) {
                let reason = "a person approves before the output has an effect".to_owned();
                note(AutonomySignal::Approval, reason, at.0, at.1);
            }
        }
        if let Some(definition) = self.definition {
            let at = (Some(definition.file.as_str()), Some(definition.line));
            if !definition.tools.is_empty() {
                acts = true;
                let reason = format!("the agent may call {}", definition.tools.join(", "));
                note(AutonomySignal::Tools, reason, at.0, at.1);
                let reason = format!(
                    "`{}` calls the model in a loop, again after each tool result",
                    definition.framework
                );
                note(AutonomySignal::Loop, reason, at.0, at.1);
            }
            if definition.human_approval {
                let reason = "a person approves before a tool has an effect".to_owned();
                note(AutonomySignal::Approval, reason, at.0, at.1);
            }
        }
        let approved = self.approved() == Some(true);
        let entries = &self.system.entry_points;
        let unattended = !entries.is_empty() && entries.iter().all(|entry| entry.kind == EntryPointKind::Job);
        if unattended {
            for entry in entries {
                let reason = format!("`{}` is started by a timer or a queue", entry.name);
                note(AutonomySignal::Unattended, reason, Some(&entry.file), Some(entry.line));
            }
        }
        if acts || decides {
            if !approved {
                let reason = "no human approval was found before the effect".to_owned();
                note(AutonomySignal::NoApproval, reason, None, None);
            }
        } else {
            let reason = "no tool, effect or decision was found: the output is only an answer".to_owned();
            note(AutonomySignal::AnswersOnly, reason, None, None);
        }
        let level = match (acts, decides, approved) {
            (true, _, true) => 3,
            (true, _, false) if unattended => 5,
            (true, _, false) | (false, true, false) => 4,
            (false, true, true) => 2,
            (false, false, _) => 1,
        };
        (level, reasons.into_iter().collect())
    }
}

/// What an answer acts on; a page that is shown and a branch act on nothing by themselves.
const fn reached(effect: Effect) -> Option<&'static str> {
    match effect {
        Effect::Tool => Some("a tool"),
        Effect::Shell => Some("a process"),
        Effect::Database => Some("a database"),
        Effect::Mail => Some("a message to a person"),
        Effect::Page | Effect::Branch => None,
    }
}
