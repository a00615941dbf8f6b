//! Duties that show in documents and configuration together: review of risks, incidents, changes.

use engine_model::{
    ArtefactKind, CheckContext, Document, EvidenceKind, Location, Report, SectionState, StatementKind, System,
    declare_check,
};

use super::subject::{calls_of, document, documents, has_section, said_of, section, speaks_of};

declare_check! {
    /// Risk review without monitoring data.
    ///
    /// Art. 9(2)(c) requires an evaluation of further risks from the data of post-market monitoring. The check reads the section on monitoring data
    /// in the risk management file and the section on feedback in the monitoring plan. One of them with substance is evidence.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/risk-management.md
    /// # Risk management file: ranking of applicants
    ///
    /// The AI system of the recruiting team.
    ///
    /// ## Process, scope and roles
    ///
    /// The product owner reviews this file every quarter together with the works council and the data officer.
    ///
    /// ## Known and foreseeable risks
    ///
    /// Applications in simple language are ranked lower than others; measured each quarter with 200 pairs of texts.
    ///
    /// ## Risks from monitoring data
    ///
    /// TBD
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/risk-management.md
    /// # Risk management file: ranking of applicants
    ///
    /// The AI system of the recruiting team.
    ///
    /// ## Process, scope and roles
    ///
    /// The product owner reviews this file every quarter together with the works council and the data officer.
    ///
    /// ## Known and foreseeable risks
    ///
    /// Applications in simple language are ranked lower than others; measured each quarter with 200 pairs of texts.
    ///
    /// ## Risks from monitoring data
    ///
    /// Complaints, overruled results and the weekly figures of the dashboard are read before each review and rated like new risks.
    /// ```
    MONITORING_WITHOUT_REVIEW {
        id: "l2-monitoring-without-risk-review",
        layer: L2,
        obligation: "OBL-022",
        evidence: "Monitoring data used in risk review",
        severity: Medium,
        impact: Prepares,
        fix: "Document which figures and reports from operation go into the risk review, how often, and who reviews them.",
        fixable: false,
        run: monitoring_review,
    }
}

fn monitoring_review(context: &CheckContext<'_>, report: &mut Report) {
    const LINKS: [(&str, &str); 2] = [
        ("risk-management-file", "monitoring_input"),
        ("post-market-monitoring-plan", "feedback"),
    ];
    for system in context.systems {
        let mut open: Option<(&Document, u32)> = None;
        let mut linked = false;
        for (kind, key) in LINKS {
            for document in documents(context, kind).filter(|document| speaks_of(context, &document.file, system)) {
                let (state, line) = section(document, key);
                let line = line.unwrap_or(document.line);
                if state == SectionState::Filled && !document.draft {
                    linked = true;
                    report
                        .pass(60, "monitoring data goes into the risk review")
                        .system(system)
                        .at(Location::line(document.file.clone(), line))
                        .anchor(key)
                        .evidence(EvidenceKind::Document, key, &document.file, line);
                } else if state != SectionState::Filled && open.is_none() {
                    open = Some((document, line));
                }
            }
        }
        if let Some((document, line)) = open.filter(|_| !linked) {
            let builder = report
                .fail(
                    65,
                    "the document does not state how monitoring data goes into the risk review",
                )
                .system(system)
                .at(Location::line(document.file.clone(), line))
                .anchor(document.kind.clone())
                .evidence(EvidenceKind::Document, document.kind.clone(), &document.file, line);
            if let Some(monitoring) = context
                .artefacts
                .iter()
                .find(|artefact| artefact.kind == ArtefactKind::Monitoring)
            {
                builder.evidence(
                    EvidenceKind::Configuration,
                    monitoring.because.clone(),
                    &monitoring.file,
                    monitoring.line,
                );
            }
        }
    }
}

declare_check! {
    /// Incomplete incident procedure.
    ///
    /// Art. 26(5) requires deployers of a high-risk system to suspend its use when a risk appears, to inform the provider and the authority, and to
    /// report serious incidents immediately. The check reads the sections on incidents in procedures and in documents that the AI Act requires.
    /// An off switch in the configuration counts as a way to stop the system. Not reported: projects without any such document.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/policy.md
    /// # AI usage policy
    ///
    /// ## Scope and systems
    ///
    /// The policy covers the ranking service and all who work with it in the recruiting team of Brightwater Energy.
    ///
    /// ## Incidents
    ///
    /// Whoever sees something odd opens a ticket with the date, the vacancy and a screenshot, and tells the team lead within the same day.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/policy.md
    /// # AI usage policy
    ///
    /// ## Scope and systems
    ///
    /// The policy covers the ranking service and all who work with it in the recruiting team of Brightwater Energy.
    ///
    /// ## Incidents
    ///
    /// The team lead suspends the ranking on the day and reports the incident to the provider and to the market surveillance authority at once.
    /// ```
    INCIDENT_PROCEDURE {
        id: "l2-no-incident-procedure",
        layer: L2,
        obligation: "OBL-074",
        evidence: "Incident procedure found",
        severity: Medium,
        impact: Prepares,
        fix: "Document who stops the system and how. Document who informs the provider and which authority, and by when.",
        fixable: false,
        run: incident_procedure,
    }
}

/// Documents that have a place for incidents, with the section that holds it.
const INCIDENT_SECTIONS: [(&str, &str); 4] = [
    ("ai-usage-policy", "incidents"),
    ("post-market-monitoring-plan", "incident_link"),
    ("qms", "incidents"),
    ("gpai-systemic-risk-file", "incidents"),
];

fn incident_procedure(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let said: Vec<_> = said_of(context, StatementKind::Incident, system)
            .into_iter()
            .filter(|statement| {
                document(context, &statement.file).is_some() || statement.file.to_ascii_lowercase().contains("incident")
            })
            .collect();
        let part = |value: &str| said.iter().find(|statement| statement.value == value).copied();
        let switch = said_of(context, StatementKind::StopSwitch, system).into_iter().next();
        let stop_section = has_section(context, system, "human-oversight-plan", "stop");
        if let Some(told) = part("report")
            && (part("suspend").is_some() || switch.is_some() || stop_section)
        {
            let builder = report
                .pass(
                    65,
                    "a procedure states who is informed of an incident, and the system can be stopped",
                )
                .system(system)
                .at(Location::line(told.file.clone(), told.line))
                .anchor("incident")
                .evidence(
                    EvidenceKind::Document,
                    "who is informed of an incident",
                    &told.file,
                    told.line,
                );
            if let Some(stop) = part("suspend").or(switch) {
                builder.evidence(
                    EvidenceKind::Document,
                    "how the system is stopped",
                    &stop.file,
                    stop.line,
                );
            }
            continue;
        }
        let at = part("procedure").or_else(|| part("report")).or_else(|| part("suspend"));
        if let Some(at) = at {
            let lacking = match (part("report"), part("suspend").or(switch)) {
                (None, None) => "who informs the provider and the authority, nor how the system is stopped",
                (None, Some(_)) => "who informs the provider and the authority",
                (Some(_), _) => "how the system is stopped",
            };
            report
                .fail(60, format!("the incident procedure does not state {lacking}"))
                .system(system)
                .at(Location::line(at.file.clone(), at.line))
                .anchor("incident")
                .evidence(EvidenceKind::Document, "an incident procedure", &at.file, at.line);
            continue;
        }
        for (kind, key) in INCIDENT_SECTIONS {
            let Some(document) = documents(context, kind).find(|document| speaks_of(context, &document.file, system))
            else {
                continue;
            };
            let (state, line) = section(document, key);
            if state != SectionState::Filled {
                let line = line.unwrap_or(document.line);
                report
                    .fail(55, "the section on incidents is not filled in")
                    .system(system)
                    .at(Location::line(document.file.clone(), line))
                    .anchor(document.kind.clone())
                    .evidence(EvidenceKind::Document, document.kind.clone(), &document.file, line);
                break;
            }
        }
    }
}

declare_check! {
    /// No rule for reassessment of changes.
    ///
    /// Art. 43(4) requires a new assessment after a substantial modification, unless the change was pre-determined. The model behind a floating
    /// model name can change without a commit. Reported if the technical documentation does not state which changes need a new assessment. Evidence
    /// is a rule for changes or the section on pre-determined changes.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Changes
    ///
    /// TBD
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Changes
    ///
    /// A change of the model or of the prompt is a substantial modification for us: it is tested on 400 applications and assessed again before the release.
    /// ```
    UNASSESSED_CHANGE {
        id: "l2-unassessed-change",
        layer: L2,
        obligation: "OBL-088",
        also: &["OBL-031"],
        evidence: "Rule for reassessment of changes found",
        severity: Medium,
        impact: Prepares,
        fix: "State which changes of model, prompt and data are pre-determined, and which need a new assessment. Pin the model version.",
        fixable: false,
        run: unassessed_change,
    }
}

fn unassessed_change(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        if let Some(rule) = said_of(context, StatementKind::ChangeRule, system)
            .into_iter()
            .find(|rule| document(context, &rule.file).is_some() || rule.file.to_ascii_lowercase().contains("change"))
        {
            report
                .pass(60, "a rule states which changes need a new assessment")
                .system(system)
                .at(Location::line(rule.file.clone(), rule.line))
                .anchor("rule")
                .evidence(EvidenceKind::Document, "a rule for changes", &rule.file, rule.line);
            continue;
        }
        if let Some(document) = determined(context, system) {
            report
                .pass(60, "pre-determined changes are documented")
                .system(system)
                .at(Location::line(document.file.clone(), document.line))
                .anchor("determined")
                .evidence(
                    EvidenceKind::Document,
                    "predetermined_changes",
                    &document.file,
                    document.line,
                );
            continue;
        }
        let Some(document) =
            documents(context, "tech-documentation").find(|document| speaks_of(context, &document.file, system))
        else {
            continue;
        };
        let Some(call) = calls_of(context, &[system])
            .into_iter()
            .find(|call| call.model_pinned == Some(false))
        else {
            continue;
        };
        let (_, line) = section(document, "changes");
        let line = line
            .or(section(document, "predetermined_changes").1)
            .unwrap_or(document.line);
        report
            .fail(
                60,
                format!(
                    "the document does not state which changes need a new assessment, and the model `{}` at {}:{} can change without a commit",
                    call.model.as_deref().unwrap_or_default(),
                    call.file,
                    call.line
                ),
            )
            .system(system)
            .at(Location::line(document.file.clone(), line))
            .anchor("changes")
            .evidence(EvidenceKind::Document, document.kind.clone(), &document.file, line)
            .evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
    }
}

fn determined<'a>(context: &CheckContext<'a>, system: &System) -> Option<&'a Document> {
    documents(context, "tech-documentation").find(|document| {
        !document.draft
            && speaks_of(context, &document.file, system)
            && section(document, "predetermined_changes").0 == SectionState::Filled
    })
}
