//! Claims of documents, compared with code and pipelines.

use std::collections::BTreeSet;

use engine_model::{
    ArtefactKind, Call, CheckContext, Document, DocumentState, Effect, Evidence, EvidenceKind, Logging, Report,
    SectionState, Statement, StatementKind, System, declare_check,
};

use super::subject::{
    calls_of, contradiction, counted, document, is_front, said, section, speaks, speaks_of, systems_of, uses_of,
};

declare_check! {
    /// Documented logging not found in code.
    ///
    /// Art. 12(1) requires that a high-risk system can record events over its lifetime. A document that promises more logging than
    /// the code does misleads its readers. Not reported: systems that use a tracing package, and calls whose output is printed.
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
    /// //- docs/logging.md
    /// # Logging and retention specification
    ///
    /// For the ranking service, an AI system.
    ///
    /// ## Events recorded
    ///
    /// Every request and every answer of the model is logged with its time and the version of the prompt.
    ///
    /// ## Retention period
    ///
    /// Logs are kept for 12 months in the archive of the operations team.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import logging
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    /// log = logging.getLogger(__name__)
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     answer = reply.choices[0].message.content
    ///     log.info("ranked with %s: %s", "gpt-4.1", answer)
    ///     return answer
    /// //- docs/logging.md
    /// # Logging and retention specification
    ///
    /// For the ranking service, an AI system.
    ///
    /// ## Events recorded
    ///
    /// Every request and every answer of the model is logged with its time and the version of the prompt.
    ///
    /// ## Retention period
    ///
    /// Logs are kept for 12 months in the archive of the operations team.
    /// ```
    CLAIMED_LOGGING {
        id: "cross-claimed-logging",
        layer: L2,
        obligation: "OBL-032",
        also: &["OBL-033"],
        severity: Medium,
        impact: Misleads,
        fix: "Log each interaction at the model call, or state in the document what is logged and what is not.",
        fixable: false,
        run: claimed_logging,
    }
}

/// Parts of the names of packages that record calls without a line at the call.
const TRACERS: &[&str] = &[
    "langfuse",
    "langsmith",
    "openinference",
    "openllmetry",
    "traceloop",
    "helicone",
    "arize",
    "phoenix",
    "opentelemetry",
    "mlflow",
    "weave",
    "litellm",
    "logfire",
    "agentops",
    "portkey",
    "braintrust",
];

fn claimed_logging(context: &CheckContext<'_>, report: &mut Report) {
    let traced = context.inventory.packages.iter().any(|package| {
        let name = package.name.to_lowercase();
        TRACERS.iter().any(|part| name.contains(part))
    });
    if traced {
        return;
    }
    for (statement, _) in in_law(context, StatementKind::Logging) {
        let systems = systems_of(context, &statement.file);
        let calls = calls_of(context, &systems);
        let silent: Vec<&&Call> = calls
            .iter()
            .filter(|call| speaks(call) && call.logging == Logging::No)
            .collect();
        let Some(first) = silent.first() else { continue };
        let all = silent.len() == calls.len();
        let message = format!(
            "no log was found for {} of {}, first at {}:{}, but the document states that every interaction is logged",
            silent.len(),
            counted(calls.len(), "model call"),
            first.file,
            first.line
        );
        let at = (statement.file.as_str(), statement.line);
        let mut builder = contradiction(report, "OBL-032", &systems, if all { 75 } else { 70 }, at, message)
            .anchor("logging")
            .evidence(
                EvidenceKind::Document,
                "states that every interaction is logged",
                at.0,
                at.1,
            );
        for call in silent.iter().take(PLACES_MAX) {
            builder = builder.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

/// Places in code that one finding names.
const PLACES_MAX: usize = 20;

/// The first statement of a kind in each document that the law knows.
fn in_law<'a>(context: &CheckContext<'a>, kind: StatementKind) -> Vec<(&'a Statement, &'a Document)> {
    let mut seen = BTreeSet::new();
    said(context, kind)
        .filter_map(|statement| Some((statement, document(context, &statement.file)?)))
        .filter(|(statement, _)| seen.insert(statement.file.as_str()))
        .collect()
}

declare_check! {
    /// Log retention shorter than documented.
    ///
    /// Art. 19(1) and Art. 26(6) require that the logs of a high-risk system are kept for at least six months. If the document states
    /// a year and the configuration deletes logs after thirty days, the document is wrong or the logs are lost. Only documents that
    /// the AI Act requires and privacy notices are checked, and only retention periods of logs count. Not reported: documents with at least one
    /// period that the configuration meets.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import logging
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    /// log = logging.getLogger(__name__)
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     answer = reply.choices[0].message.content
    ///     log.info("ranked with %s: %s", "gpt-4.1", answer)
    ///     return answer
    /// //- docs/logging.md
    /// # Logging and retention specification
    ///
    /// For the ranking service, an AI system.
    ///
    /// ## Events recorded
    ///
    /// Every request and every answer of the model is logged with its time and the version of the prompt.
    ///
    /// ## Retention period
    ///
    /// Logs of the ranking service are kept for 12 months.
    /// //- infra/logs.tf
    /// resource "aws_cloudwatch_log_group" "app" {
    ///   name              = "/ecs/ranking"
    ///   retention_in_days = 30
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import logging
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    /// log = logging.getLogger(__name__)
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     answer = reply.choices[0].message.content
    ///     log.info("ranked with %s: %s", "gpt-4.1", answer)
    ///     return answer
    /// //- docs/logging.md
    /// # Logging and retention specification
    ///
    /// For the ranking service, an AI system.
    ///
    /// ## Events recorded
    ///
    /// Every request and every answer of the model is logged with its time and the version of the prompt.
    ///
    /// ## Retention period
    ///
    /// Logs of the ranking service are kept for 12 months.
    /// //- infra/logs.tf
    /// resource "aws_cloudwatch_log_group" "app" {
    ///   name              = "/ecs/ranking"
    ///   retention_in_days = 365
    /// }
    /// ```
    RETENTION_PERIOD {
        id: "cross-retention-period",
        layer: L2,
        obligation: "OBL-055",
        also: &["OBL-075"],
        severity: Medium,
        impact: Misleads,
        fix: "Set the log retention to the documented period, or correct the document.",
        fixable: false,
        run: retention_period,
    }
}

fn retention_period(context: &CheckContext<'_>, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for statement in said(context, StatementKind::LogRetention) {
        let privacy = is_privacy(&statement.file);
        if document(context, &statement.file).is_none() && !privacy {
            continue;
        }
        if !seen.insert(statement.file.as_str()) {
            continue;
        }
        let systems = systems_of(context, &statement.file);
        let claims: Vec<(&Statement, u32)> = said(context, StatementKind::LogRetention)
            .filter(|other| other.file == statement.file)
            .filter_map(|other| Some((other, other.days?)))
            .collect();
        let kept: Vec<_> = context
            .artefacts
            .iter()
            .filter(|artefact| artefact.kind == ArtefactKind::LogConfiguration)
            .filter(|artefact| systems.iter().any(|system| speaks_of(context, &artefact.file, system)))
            .filter_map(|artefact| Some((artefact, artefact.days?)))
            .collect();
        let (Some((claim, claimed)), Some((artefact, days))) = (
            claims.iter().max_by_key(|(_, days)| *days),
            kept.iter().max_by_key(|(_, days)| *days),
        ) else {
            continue;
        };
        // Months have no fixed length: a difference of a few days is none.
        let near = |a: u32, b: u32| a.abs_diff(b).saturating_mul(100) <= a.max(b).saturating_mul(4);
        let settled = claims
            .iter()
            .any(|(_, claimed)| kept.iter().any(|(_, days)| near(*claimed, *days)));
        if settled || days >= claimed {
            continue;
        }
        let at = (claim.file.as_str(), claim.line);
        contradiction(
            report,
            "OBL-055",
            &systems,
            75,
            at,
            format!(
                "the document states that logs are kept for {claimed} days, but {} ({}:{})",
                artefact.because, artefact.file, artefact.line
            ),
        )
        .anchor("retention")
        .evidence(EvidenceKind::Document, format!("states {claimed} days"), at.0, at.1)
        .evidence(
            EvidenceKind::Configuration,
            artefact.because.clone(),
            &artefact.file,
            artefact.line,
        );
    }
}

/// Whether a file is a privacy notice by its name.
fn is_privacy(file: &str) -> bool {
    let lower = file.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    name.starts_with("privacy") || name.starts_with("datenschutz")
}

declare_check! {
    /// Documented human approval not found in code.
    ///
    /// Art. 14 requires human oversight that fits the risk. If the documented approval is missing in code, the output takes effect
    /// without human control. Mails, commands and tools that change something count as effects. A result that is stored for a later
    /// review does not.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import smtplib
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(applicant: str, cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     text = reply.choices[0].message.content
    ///     with smtplib.SMTP("mail.internal") as server:
    ///         server.sendmail("jobs@brightwater.example", applicant, text)
    ///     return text
    /// //- docs/oversight.md
    /// # Human oversight plan
    ///
    /// For the AI system that answers applicants.
    ///
    /// ## Measures
    ///
    /// A recruiter approves every letter before it is sent to an applicant.
    ///
    /// ## Override
    ///
    /// The head of recruiting can overrule each result in the tool and gives a reason for the record.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import smtplib
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(applicant: str, cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     text = reply.choices[0].message.content
    ///     with smtplib.SMTP("mail.internal") as server:
    ///         server.sendmail("jobs@brightwater.example", applicant, text)
    ///     return text
    /// //- docs/oversight.md
    /// # Human oversight plan
    ///
    /// For the AI system that answers applicants.
    ///
    /// ## Measures
    ///
    /// A recruiter reads a sample of ten letters each week and notes what was wrong with them.
    ///
    /// ## Override
    ///
    /// The head of recruiting can overrule each result in the tool and gives a reason for the record.
    /// ```
    CLAIMED_APPROVAL {
        id: "cross-claimed-approval",
        layer: L2,
        obligation: "OBL-038",
        severity: High,
        impact: Misleads,
        fix: "Require the approval in code before the effect, or state in the document what happens without approval.",
        fixable: false,
        run: claimed_approval,
    }
}

/// Words in the names of tools that change something.
const ACTING_TOOLS: &[&str] = &[
    "send", "mail", "delete", "remove", "create", "update", "write", "pay", "refund", "transfer", "book", "cancel",
    "execute", "run", "shell", "bash", "deploy", "post", "publish", "reject", "approve", "order",
];

/// Effects of an answer that cannot be taken back by looking at it later.
fn effect_of(call: &Call) -> Option<&'static str> {
    let acting = call.tools.iter().any(|tool| {
        let tool = tool.to_lowercase();
        tool.split(|c: char| !c.is_alphanumeric())
            .any(|word| ACTING_TOOLS.contains(&word))
    });
    if call.effects.contains(&Effect::Shell) {
        Some("is run as a command")
    } else if call.effects.contains(&Effect::Mail) {
        Some("is sent as a message")
    } else if acting && call.effects.contains(&Effect::Tool) {
        Some("may call tools that change something")
    } else {
        None
    }
}

fn claimed_approval(context: &CheckContext<'_>, report: &mut Report) {
    for (statement, _) in in_law(context, StatementKind::Approval) {
        let systems = systems_of(context, &statement.file);
        let uses = uses_of(context, &systems);
        // Where one place asks, the document may speak of that place.
        if uses.iter().any(|call| call.human_approval == Some(true)) {
            continue;
        }
        let alone: Vec<(&&Call, &str)> = uses
            .iter()
            .filter(|call| call.human_approval == Some(false))
            .filter_map(|call| Some((call, effect_of(call)?)))
            .collect();
        let Some((first, effect)) = alone.first() else { continue };
        let at = (statement.file.as_str(), statement.line);
        let message = format!(
            "no human approval was found at {}:{}, where the model output {effect}, but the document states that a person approves",
            first.file, first.line
        );
        let mut builder = contradiction(report, "OBL-038", &systems, 70, at, message)
            .anchor("approval")
            .evidence(EvidenceKind::Document, "states that a person approves", at.0, at.1);
        for (call, _) in alone.iter().take(PLACES_MAX) {
            builder = builder.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

declare_check! {
    /// Documented AI disclosure not shown.
    ///
    /// Art. 50(1) requires that people are informed when they interact with an AI system. A document in a repository does not inform
    /// them. The check reports a gap only if answers reach people and no AI disclosure was found in any reply or interface text.
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
    /// @app.post("/chat")
    /// def chat(message: str) -> dict:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": message}])
    ///     return {"answer": reply.choices[0].message.content}
    /// //- docs/transparency-notice.md
    /// # Transparency notice
    ///
    /// For the assistant of the service centre, an AI system.
    ///
    /// ## AI interaction disclosure
    ///
    /// People are told above the chat that they are writing with an AI and that a person can take over.
    ///
    /// ## Place, time and clarity
    ///
    /// The line stands above the field of the chat from the first message on, in the language of the page.
    ///
    /// ## Accessibility
    ///
    /// The line is text, is read by screen readers before the field, and keeps a contrast of 7 to 1.
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
    /// @app.post("/chat")
    /// def chat(message: str) -> dict:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": message}])
    ///     return {"answer": reply.choices[0].message.content, "notice": "You are talking to an AI assistant."}
    /// //- docs/transparency-notice.md
    /// # Transparency notice
    ///
    /// For the assistant of the service centre, an AI system.
    ///
    /// ## AI interaction disclosure
    ///
    /// People are told above the chat that they are writing with an AI and that a person can take over.
    ///
    /// ## Place, time and clarity
    ///
    /// The line stands above the field of the chat from the first message on, in the language of the page.
    ///
    /// ## Accessibility
    ///
    /// The line is text, is read by screen readers before the field, and keeps a contrast of 7 to 1.
    /// ```
    NOTICE_NOT_SHOWN {
        id: "cross-notice-not-shown",
        layer: L2,
        obligation: "OBL-094",
        also: &["OBL-099"],
        severity: High,
        impact: Misleads,
        fix: "Show the text of the notice next to the answers.",
        fixable: false,
        run: notice_not_shown,
    }
}

fn notice_not_shown(context: &CheckContext<'_>, report: &mut Report) {
    let written = context
        .documents
        .iter()
        .filter(|document| document.kind == "transparency-notice" && document.state != DocumentState::Scaffold)
        .map(|document| {
            let (state, line) = section(document, "interaction");
            let line = line.filter(|_| state == SectionState::Filled).unwrap_or(document.line);
            (document.file.as_str(), line)
        });
    let said = in_law(context, StatementKind::AiNotice)
        .into_iter()
        .map(|(statement, _)| (statement.file.as_str(), statement.line));
    let mut seen = BTreeSet::new();
    for at in written.chain(said) {
        let systems = systems_of(context, at.0);
        if !seen.insert(at.0)
            || context
                .artefacts
                .iter()
                .any(|artefact| artefact.kind == ArtefactKind::DisclosureNotice)
        {
            continue;
        }
        let shown: Vec<&Call> = calls_of(context, &systems)
            .into_iter()
            .filter(|call| speaks(call) && call.effects.iter().any(|e| matches!(e, Effect::Page | Effect::Mail)))
            .collect();
        let Some(first) = shown.first() else { continue };
        if uses_of(context, &systems)
            .iter()
            .any(|call| call.disclosure == Some(true))
            || shown.iter().any(|call| call.disclosure.is_none())
        {
            continue;
        }
        let message = format!(
            "no AI disclosure was found in a user interface or in the reply at {}:{}, but the document describes a notice to users",
            first.file, first.line
        );
        let mut builder = contradiction(report, "OBL-094", &systems, 70, at, message)
            .anchor("notice")
            .evidence(EvidenceKind::Document, "describes a notice to users", at.0, at.1);
        for call in shown.iter().take(PLACES_MAX) {
            builder = builder.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

declare_check! {
    /// Product text denies use of AI.
    ///
    /// Art. 50(1) requires that people are informed that they interact with an AI system. A text that denies it misleads them. The
    /// check reads the first page, the privacy notice, the terms and similar texts. Only a sentence that denies AI for the whole
    /// product is reported.
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
    /// @app.post("/chat")
    /// def chat(message: str) -> dict:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": message}])
    ///     return {"answer": reply.choices[0].message.content}
    /// //- README.md
    /// # Service centre
    ///
    /// Answers for customers of the city works. No AI is used in this product.
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
    /// @app.post("/chat")
    /// def chat(message: str) -> dict:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": message}])
    ///     return {"answer": reply.choices[0].message.content}
    /// //- README.md
    /// # Service centre
    ///
    /// Answers for customers of the city works. No AI is used to train on what customers write.
    /// ```
    AI_DENIED {
        id: "cross-ai-denied",
        layer: L2,
        obligation: "OBL-094",
        severity: High,
        impact: Misleads,
        fix: "Correct the text: state where an AI model is used.",
        fixable: false,
        run: ai_denied,
    }
}

fn ai_denied(context: &CheckContext<'_>, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for statement in said(context, StatementKind::NoAi) {
        let read = is_front(&statement.file) || document(context, &statement.file).is_some();
        if !read || !seen.insert(statement.file.as_str()) {
            continue;
        }
        let systems = systems_of(context, &statement.file);
        let uses = uses_of(context, &systems);
        let Some(first) = uses.first() else { continue };
        let at = (statement.file.as_str(), statement.line);
        contradiction(
            report,
            "OBL-094",
            &systems,
            75,
            at,
            format!(
                "the text states that no AI is used, but code uses a model in {}, first at {}:{}",
                counted(uses.len(), "place"),
                first.file,
                first.line
            ),
        )
        .anchor("no-ai")
        .evidence(EvidenceKind::Document, "states that no AI is used", at.0, at.1)
        .evidence(EvidenceKind::Code, first.symbol.clone(), &first.file, first.line);
    }
}

declare_check! {
    /// Document denies processing of personal data.
    ///
    /// Art. 9 requires that the risks of a high-risk system to people are identified. A document that denies the processing of their
    /// data leaves these risks out. Reported if the data sent to a model has names such as a CV, a pupil or a patient.
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
    /// No personal data is processed by the service, so that risks to privacy are left out here.
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
    /// No personal data is used for training. Applications hold personal data, which are deleted after the vacancy is filled.
    /// ```
    PERSONAL_DATA_DENIED {
        id: "cross-personal-data-denied",
        layer: L2,
        obligation: "OBL-019",
        severity: Medium,
        impact: Misleads,
        fix: "Correct the document. Assess the risks to the people whose data is sent.",
        fixable: false,
        run: personal_data_denied,
    }
}

/// Questions that data about people raises.
const ABOUT_PEOPLE: &[&str] = &[
    "annex-iii-employment",
    "annex-iii-education",
    "annex-iii-credit",
    "annex-iii-insurance",
    "annex-iii-benefits",
    "annex-iii-emergency",
    "annex-iii-law-enforcement",
    "annex-iii-migration",
    "annex-iii-biometrics",
    "annex-iii-emotion",
    "annex-i",
];

/// What raised one of some questions about a system.
fn raised<'a>(systems: &[&'a System], ids: &[&str]) -> Option<(&'a str, &'a Evidence)> {
    systems
        .iter()
        .flat_map(|system| &system.questions)
        .filter(|question| ids.contains(&question.id.as_str()))
        .find_map(|question| Some((question.id.as_str(), question.evidence.first()?)))
}

fn personal_data_denied(context: &CheckContext<'_>, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for statement in said(context, StatementKind::NoPersonalData) {
        let read = is_front(&statement.file) || document(context, &statement.file).is_some();
        if !read || !seen.insert(statement.file.as_str()) {
            continue;
        }
        let systems = systems_of(context, &statement.file);
        let Some((_, evidence)) = raised(&systems, ABOUT_PEOPLE) else {
            continue;
        };
        let at = (statement.file.as_str(), statement.line);
        let place = place_of(evidence);
        contradiction(
            report,
            "OBL-019",
            &systems,
            70,
            at,
            format!(
                "the document states that no personal data is processed, but a model call sends `{}` ({}:{})",
                evidence.reference, place.0, place.1
            ),
        )
        .anchor("personal-data")
        .evidence(
            EvidenceKind::Document,
            "states that no personal data is processed",
            at.0,
            at.1,
        )
        .evidence(EvidenceKind::Code, evidence.reference.clone(), place.0, place.1);
    }
}

fn place_of(evidence: &Evidence) -> (&str, u32) {
    (evidence.file.as_deref().unwrap_or_default(), evidence.line.unwrap_or(1))
}

declare_check! {
    /// Documented risk class contradicted by data.
    ///
    /// Under Art. 6(2) and Annex III, the use decides the risk class. Art. 6(4) requires documented grounds for the conclusion that a use
    /// under Annex III is not high-risk. Reported if a document calls the risk minimal or limited and the data sent to a model points
    /// to a use under Annex III. Not reported: documents that address the point or argue that the system is not high-risk.
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
    /// //- docs/classification.md
    /// # Classification assessment
    ///
    /// ## System and intended purpose
    ///
    /// The AI system puts applications into an order for recruiters of the service centre.
    ///
    /// ## Annex III points tested
    ///
    /// The system is classified as minimal risk, because it only gives advice.
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
    /// //- docs/classification.md
    /// # Classification assessment
    ///
    /// ## System and intended purpose
    ///
    /// The AI system puts applications into an order for recruiters of the service centre.
    ///
    /// ## Annex III points tested
    ///
    /// Point 4(a) of Annex III was tested: the order is used to select applicants, so the system is high-risk.
    /// ```
    UNDERSTATED_RISK {
        id: "cross-understated-risk",
        layer: L2,
        obligation: "OBL-015",
        also: &["OBL-016"],
        severity: High,
        impact: Misleads,
        fix: "Check the use against the Annex III point of this question, and document the grounds of the conclusion.",
        fixable: false,
        run: understated_risk,
    }
}

/// Questions under Annex III.
const ANNEX_III: &[&str] = &[
    "annex-iii-employment",
    "annex-iii-education",
    "annex-iii-credit",
    "annex-iii-insurance",
    "annex-iii-benefits",
    "annex-iii-emergency",
    "annex-iii-law-enforcement",
    "annex-iii-migration",
    "annex-iii-justice",
    "annex-iii-biometrics",
    "annex-iii-emotion",
    "annex-iii-infrastructure",
];

fn understated_risk(context: &CheckContext<'_>, report: &mut Report) {
    for (statement, _) in in_law(context, StatementKind::MinimalRisk) {
        let systems = systems_of(context, &statement.file);
        let Some((question, evidence)) = raised(&systems, ANNEX_III) else {
            continue;
        };
        let at = (statement.file.as_str(), statement.line);
        let place = place_of(evidence);
        contradiction(
            report,
            "OBL-015",
            &systems,
            65,
            at,
            format!(
                "the document calls the risk minimal or limited, but data sent to a model (`{}`, {}:{}) raises the question `{question}`",
                evidence.reference, place.0, place.1
            ),
        )
        .anchor("risk")
        .evidence(EvidenceKind::Document, "calls the risk minimal or limited", at.0, at.1)
        .evidence(EvidenceKind::Code, evidence.reference.clone(), place.0, place.1);
    }
}

declare_check! {
    /// Documented evaluation not found in pipelines.
    ///
    /// Art. 9(8) requires tests of high-risk systems against metrics that were defined beforehand. The check reports a gap only if the project
    /// contains pipelines whose steps can be checked. Evaluations on an external platform cannot be found.
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
    /// ## Validation and testing
    ///
    /// The ranking is evaluated on every release against 400 labelled applications.
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: pytest tests/test_retrieval.py
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
    /// ## Validation and testing
    ///
    /// The ranking is evaluated on every release against 400 labelled applications.
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: npx promptfoo eval
    /// ```
    CLAIMED_EVALUATION {
        id: "cross-claimed-evaluation",
        layer: L2,
        obligation: "OBL-024",
        also: &["OBL-043"],
        severity: Medium,
        impact: Misleads,
        fix: "Run the evaluation in the pipeline, or state in the document when it runs and who runs it.",
        fixable: false,
        run: claimed_evaluation,
    }
}

fn claimed_evaluation(context: &CheckContext<'_>, report: &mut Report) {
    let of_kind = |kind: ArtefactKind| context.artefacts.iter().find(move |artefact| artefact.kind == kind);
    let Some(pipeline) = of_kind(ArtefactKind::CiPipeline) else {
        return;
    };
    if of_kind(ArtefactKind::CiEvaluation).is_some() {
        return;
    }
    for (statement, _) in in_law(context, StatementKind::EvaluationInPipeline) {
        let systems = systems_of(context, &statement.file);
        let at = (statement.file.as_str(), statement.line);
        contradiction(
            report,
            "OBL-024",
            &systems,
            65,
            at,
            format!(
                "the document states that the model is evaluated with each change, but no pipeline step for it was found ({}:{} runs other steps)",
                pipeline.file, pipeline.line
            ),
        )
        .anchor("evaluation")
        .evidence(EvidenceKind::Document, "states that an evaluation runs", at.0, at.1)
        .evidence(EvidenceKind::Configuration, pipeline.because.clone(), &pipeline.file, pipeline.line);
    }
}

declare_check! {
    /// Evaluation step that never runs.
    ///
    /// Art. 9(8) requires tests of high-risk systems against metrics that were defined beforehand. A pipeline step that never runs looks
    /// like a test but is not one. Reported if the step is disabled or runs a file that was not found in the project.
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
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   evaluation:
    ///     if: false
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: npx promptfoo eval
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
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   evaluation:
    ///     if: github.ref == 'refs/heads/main'
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: python evals/run.py
    /// //- evals/run.py
    /// print("measured")
    /// ```
    EVALUATION_NEVER_RUNS {
        id: "cross-evaluation-never-runs",
        layer: L1,
        obligation: "OBL-024",
        also: &["OBL-043"],
        severity: Medium,
        impact: Prepares,
        fix: "Enable the step with thresholds below which it fails, or remove it.",
        fixable: false,
        run: evaluation_never_runs,
    }
}

fn evaluation_never_runs(context: &CheckContext<'_>, report: &mut Report) {
    if !context.has_systems() {
        return;
    }
    for statement in said(context, StatementKind::EvaluationDisabled) {
        let systems = systems_of(context, &statement.file);
        let at = (statement.file.as_str(), statement.line);
        contradiction(
            report,
            "OBL-024",
            &systems,
            80,
            at,
            "the evaluation step is disabled, so no version is evaluated".to_owned(),
        )
        .anchor("switched-off")
        .evidence(EvidenceKind::Configuration, "disabled", at.0, at.1);
    }
    for statement in said(context, StatementKind::EvaluationFile) {
        // A step may run in a folder of its own, so any file that ends like the path is the file.
        let ending = format!("/{}", statement.value.trim_start_matches("../"));
        let there = context
            .files
            .iter()
            .any(|file| file.path == statement.value || file.path.ends_with(&ending));
        if there {
            continue;
        }
        let systems = systems_of(context, &statement.file);
        let at = (statement.file.as_str(), statement.line);
        contradiction(
            report,
            "OBL-024",
            &systems,
            75,
            at,
            format!(
                "the evaluation step runs `{}`, but this file was not found in the project",
                statement.value
            ),
        )
        .anchor(statement.value.as_str())
        .evidence(EvidenceKind::Configuration, statement.value.clone(), at.0, at.1);
    }
}
