//! Documents in which required sections are missing, empty or still placeholders.

use engine_model::{
    CheckContext, Document, DocumentState, EvidenceKind, Location, Report, SectionState, System, declare_check,
};

declare_check! {
    /// Incomplete technical documentation.
    ///
    /// Art. 11 and Annex IV list the contents of the technical documentation of a high-risk system. Sections of this list
    /// are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// TBD
    ///
    /// ## Architecture
    ///
    /// A FastAPI service sends the text of a CV to a hosted language model and returns its answer.
    ///
    /// ## Human oversight
    ///
    /// ## Risk management system
    ///
    /// To be completed.
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has technical documentation in a shared folder; ask the platform team.
    /// ```
    TECHNICAL_DOCUMENTATION {
        id: "l2-incomplete-technical-documentation",
        layer: L2,
        obligation: "OBL-030",
        also: &["OBL-031"],
        evidence: "Filled-in technical documentation found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. If a section does not apply, state the reason in it.",
        fixable: false,
        run: technical_documentation,
    }
}

fn technical_documentation(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["tech-documentation"]);
}

declare_check! {
    /// Incomplete instructions for use.
    ///
    /// Art. 13(3) lists the information that a provider gives to the deployers of a high-risk system. Sections of this list
    /// are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/instructions.md
    /// # Instructions for use
    ///
    /// The AI system ranks applicants.
    ///
    /// ## Provider and contact
    ///
    /// Brightwater Energy, Hafenstrasse 12, Hamburg, screening@brightwater.example, weekdays from 8 to 18.
    ///
    /// ## Intended purpose
    ///
    /// [insert purpose]
    ///
    /// ## Accuracy, robustness and cybersecurity
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy and can set each result aside with a reason.
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has instructions for use in a shared folder; ask the platform team.
    /// ```
    INSTRUCTIONS_FOR_USE {
        id: "l2-incomplete-instructions-for-use",
        layer: L2,
        obligation: "OBL-036",
        also: &["OBL-035"],
        evidence: "Filled-in instructions for use found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. Deployers rely on them.",
        fixable: false,
        run: instructions_for_use,
    }
}

fn instructions_for_use(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["instructions-for-use"]);
}

declare_check! {
    /// Incomplete risk management file.
    ///
    /// Art. 9 requires a process that identifies risks, takes measures, accepts residual risks and includes tests. Sections
    /// on these points are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// ## Process, scope and roles
    ///
    /// The file covers the AI service from the inbox to the shortlist; the head of recruiting owns it and reviews it twice a year.
    ///
    /// ## Known and foreseeable risks
    ///
    /// | # | Risk | Severity |
    /// | --- | --- | --- |
    /// | R1 | Applicants with gaps in employment are scored lower | high |
    ///
    /// ## Risks from use and foreseeable misuse
    ///
    /// TODO
    ///
    /// ## Residual risk and acceptance
    ///
    /// ____
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a risk management file in a shared folder; ask the platform team.
    /// ```
    RISK_MANAGEMENT {
        id: "l2-incomplete-risk-management",
        layer: L2,
        obligation: "OBL-019",
        also: &["OBL-020", "OBL-021", "OBL-023", "OBL-025"],
        evidence: "Filled-in risk management file found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. Give each risk a severity, a measure, an owner and a dated decision on the residual risk.",
        fixable: false,
        run: risk_management,
    }
}

fn risk_management(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["risk-management-file", "risk-register"]);
}

declare_check! {
    /// Incomplete data governance record.
    ///
    /// Art. 10(2) to (4) lists the governance practices for training, validation and testing data. Sections on these
    /// practices are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/data-governance.md
    /// # Data governance record
    ///
    /// For the AI model that ranks applicants.
    ///
    /// ## Collection and origin
    ///
    /// Two hundred applications of 2024 whose outcome is known, from our own personnel database.
    ///
    /// ## Preparation operations
    ///
    /// Lorem ipsum dolor sit amet.
    ///
    /// ## Examination for bias
    ///
    /// ## Gaps and shortcomings
    ///
    /// <describe gaps>
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a data governance record in a shared folder; ask the platform team.
    /// ```
    DATA_GOVERNANCE {
        id: "l2-incomplete-data-governance",
        layer: L2,
        obligation: "OBL-026",
        also: &["OBL-027", "OBL-028", "OBL-029"],
        evidence: "Filled-in data governance record found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. Include the names and versions of the data sets.",
        fixable: false,
        run: data_governance,
    }
}

fn data_governance(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["data-governance"]);
}

declare_check! {
    /// Incomplete human oversight plan.
    ///
    /// Art. 14 lists the abilities that people need to oversee a high-risk system. Art. 26(2) requires deployers to assign
    /// oversight to competent persons. Sections on these points are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/oversight.md
    /// # Human oversight plan
    ///
    /// ## Override
    ///
    /// Recruiters set a result aside in the personnel database and write down the reason for it.
    ///
    /// ## Stop procedure
    ///
    /// TBD
    ///
    /// ## Guard against automation bias
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a human oversight plan in a shared folder; ask the platform team.
    /// ```
    HUMAN_OVERSIGHT_PLAN {
        id: "l2-incomplete-human-oversight-plan",
        layer: L2,
        obligation: "OBL-038",
        also: &["OBL-039", "OBL-040", "OBL-041", "OBL-071"],
        evidence: "Filled-in human oversight plan found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. State who may override and stop the system, and how.",
        fixable: false,
        run: human_oversight_plan,
    }
}

fn human_oversight_plan(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["human-oversight-plan"]);
}

declare_check! {
    /// Incomplete logging and retention specification.
    ///
    /// Art. 12 requires a high-risk system to log events automatically. Art. 19 and 26(6) require retention for at least
    /// six months. Sections on these points are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// For the AI system that ranks applicants.
    ///
    /// ## Events recorded
    ///
    /// Each request with the number of the applicant, the model version, the score and the recruiter who opened it.
    ///
    /// ## Retention period
    ///
    /// To be defined.
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
    /// //- docs/logging.md
    /// # Logging and retention specification
    ///
    /// For the AI system that ranks applicants.
    ///
    /// ## Events recorded
    ///
    /// Each request with the number of the applicant, the model version, the score and the recruiter who opened it.
    ///
    /// ## Log fields
    ///
    /// - time of the request in UTC
    /// - number of the applicant
    /// - version of the model and of the prompt
    ///
    /// ## Retention period
    ///
    /// Logs are kept for 365 days and then deleted.
    ///
    /// ## Access and export for authorities
    ///
    /// The data protection officer exports the logs of a period as CSV within three working days.
    ///
    /// ## Data protection limits
    ///
    /// The text of a CV is not logged; the number of the applicant is replaced after the procedure ends.
    /// ```
    LOG_RETENTION {
        id: "l2-incomplete-log-retention",
        layer: L2,
        obligation: "OBL-055",
        also: &["OBL-032", "OBL-033", "OBL-075"],
        evidence: "Filled-in logging specification found",
        severity: Medium,
        impact: Prepares,
        fix: "Name the logged events, their fields and the retention period. State who can export the logs.",
        fixable: false,
        run: log_retention,
    }
}

fn log_retention(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["log-retention-spec"]);
}

declare_check! {
    /// Incomplete AI transparency notice.
    ///
    /// Art. 50(5) requires clear information in an accessible form, at the latest at the first interaction. The notice does
    /// not describe, for example, where it is shown or how it is made accessible.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/transparency-notice.md
    /// # Transparency notice
    ///
    /// ## AI interaction disclosure
    ///
    /// You are talking to an AI system that ranks applications; a recruiter reads each result before a decision.
    ///
    /// ## Place, time and clarity
    ///
    /// TBD
    ///
    /// ## Accessibility
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
    /// //- docs/transparency-notice.md
    /// # Transparency notice
    ///
    /// ## AI interaction disclosure
    ///
    /// You are talking to an AI system that ranks applications; a recruiter reads each result before a decision.
    ///
    /// ## Place, time and clarity
    ///
    /// The notice stands above the upload form, in the language of the page, before an applicant sends anything.
    ///
    /// ## Accessibility
    ///
    /// The notice is plain text that screen readers read first; contrast is 7 to 1 and the wording is in plain language.
    /// ```
    TRANSPARENCY_NOTICE {
        id: "l2-incomplete-transparency-notice",
        layer: L2,
        obligation: "OBL-099",
        also: &["OBL-094"],
        evidence: "Filled-in AI transparency notice found",
        severity: Medium,
        impact: Prepares,
        fix: "State where and when users see the notice. State how it is accessible to people with disabilities.",
        fixable: false,
        run: transparency_notice,
    }
}

fn transparency_notice(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["transparency-notice"]);
}

declare_check! {
    /// Incomplete AI literacy record.
    ///
    /// Art. 4 requires providers and deployers to take measures for the AI literacy of people who work with their systems.
    /// Participants, content or dates are missing or incomplete in this record.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/ai-literacy.md
    /// # AI literacy record
    ///
    /// ## Audiences and roles
    ///
    /// Recruiters who read the ranking, and the developers of the platform team who maintain the service.
    ///
    /// ## Systems covered
    ///
    /// [list of systems]
    ///
    /// ## Dates and attendance
    ///
    /// | Date | Who |
    /// | --- | --- |
    /// | YYYY-MM-DD | [name] |
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has an AI literacy record in a shared folder; ask the platform team.
    /// ```
    AI_LITERACY_RECORD {
        id: "l2-incomplete-ai-literacy-record",
        layer: L2,
        obligation: "OBL-001",
        evidence: "Filled-in AI literacy record found",
        severity: Medium,
        impact: Prepares,
        fix: "Record who was trained, on which systems, with what content and when.",
        fixable: false,
        run: ai_literacy_record,
    }
}

fn ai_literacy_record(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["ai-literacy-record"]);
}

declare_check! {
    /// Incomplete AI usage policy.
    ///
    /// Art. 26(1) requires deployers to use a high-risk system in line with its instructions for use. A policy is how an
    /// organisation ensures this. Sections of the policy are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// The policy holds for all employees and for the ranking of applicants in this repository.
    ///
    /// ## Allowed and banned uses
    ///
    /// TBD
    ///
    /// ## Training
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has an AI usage policy in a shared folder; ask the platform team.
    /// ```
    AI_USAGE_POLICY {
        id: "l2-incomplete-ai-usage-policy",
        layer: L2,
        obligation: "OBL-070",
        also: &["OBL-001"],
        evidence: "Filled-in AI usage policy found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. State who approves a use, which uses are allowed or banned, and who monitors them.",
        fixable: false,
        run: ai_usage_policy,
    }
}

fn ai_usage_policy(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["ai-usage-policy"]);
}

declare_check! {
    /// Incomplete fundamental rights impact assessment.
    ///
    /// Art. 27(1) lists the points that certain deployers must assess before they first use a high-risk system. Sections on
    /// these points are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/fria.md
    /// # Fundamental rights impact assessment
    ///
    /// ## Processes in which the system is used
    ///
    /// The pre-selection of applicants for the service centre, before a recruiter invites anybody to an interview.
    ///
    /// ## Categories of persons and groups affected
    ///
    /// TBD
    ///
    /// ## Specific risks of harm
    ///
    /// ## Human oversight measures
    ///
    /// _Describe the oversight measures here._
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a fundamental rights impact assessment in a shared folder; ask the platform team.
    /// ```
    FRIA {
        id: "l2-incomplete-fria",
        layer: L2,
        obligation: "OBL-082",
        also: &["OBL-083"],
        evidence: "Filled-in fundamental rights impact assessment found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. Describe the process, the affected groups, the specific risks and the measures.",
        fixable: false,
        run: fria,
    }
}

fn fria(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["fria"]);
}

declare_check! {
    /// Incomplete post-market monitoring plan.
    ///
    /// Art. 72(3) requires providers of high-risk systems to have a plan for monitoring the system in operation. Sections
    /// of this plan are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/monitoring-plan.md
    /// # Post-market monitoring plan
    ///
    /// ## Data collected from deployers
    ///
    /// The share of results that recruiters set aside, by week and vacancy, from the personnel database.
    ///
    /// ## Thresholds and actions
    ///
    /// TODO
    ///
    /// ## Responsibilities
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a post-market monitoring plan in a shared folder; ask the platform team.
    /// ```
    POST_MARKET_PLAN {
        id: "l2-incomplete-post-market-plan",
        layer: L2,
        obligation: "OBL-114",
        also: &["OBL-113"],
        evidence: "Filled-in post-market monitoring plan found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. Cover data sources, indicators, thresholds, actions and the persons responsible.",
        fixable: false,
        run: post_market_plan,
    }
}

fn post_market_plan(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["post-market-monitoring-plan"]);
}

declare_check! {
    /// Incomplete quality management system description.
    ///
    /// Art. 17(1) lists the aspects of a provider's quality management system. Sections on these aspects are missing or
    /// incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/quality.md
    /// # Quality management system
    ///
    /// For the AI systems that we provide.
    ///
    /// ## Regulatory compliance strategy
    ///
    /// The legal team reviews each change of a high-risk system against the requirements before a release.
    ///
    /// ## Risk management system
    ///
    /// TBD
    ///
    /// ## Accountability framework
    ///
    /// ## Incident reporting
    ///
    /// [procedure]
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a quality management system in a shared folder; ask the platform team.
    /// ```
    QMS {
        id: "l2-incomplete-qms",
        layer: L2,
        obligation: "OBL-051",
        also: &["OBL-052"],
        evidence: "Filled-in quality management description found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. Keep them in proportion to the size of the organisation.",
        fixable: false,
        run: qms,
    }
}

fn qms(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["qms"]);
}

declare_check! {
    /// Incomplete risk classification assessment.
    ///
    /// Art. 6(4) applies to a provider who considers an Annex III system not to be high-risk. The provider must document
    /// the reasons. Steps of this assessment are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// The service ranks applicants for vacancies of the service centre so that recruiters read the best ones first.
    ///
    /// ## Annex III points tested
    ///
    /// TBD
    ///
    /// ## Profiling test
    ///
    /// ## Date and responsible person
    ///
    /// ____
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a classification assessment in a shared folder; ask the platform team.
    /// ```
    CLASSIFICATION {
        id: "l2-incomplete-classification",
        layer: L2,
        obligation: "OBL-016",
        also: &["OBL-014", "OBL-015"],
        evidence: "Filled-in classification assessment found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing steps that the finding lists to the assessment document. Name the condition of Art. 6(3) that applies, the date and the responsible person.",
        fixable: false,
        run: classification,
    }
}

fn classification(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["classification-assessment"]);
}

declare_check! {
    /// Incomplete screening for prohibited practices.
    ///
    /// Art. 5 prohibits certain AI practices for every provider and deployer. A screening states for each practice why it
    /// does not occur. Some practices are missing or incomplete in this screening.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/screening.md
    /// # Screening against prohibited practices
    ///
    /// ## Manipulation
    ///
    /// The service shows no text to applicants and does not try to change what anybody does.
    ///
    /// ## Social scoring
    ///
    /// TBD
    ///
    /// ## Emotion inference
    ///
    /// ## Decision and date
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a screening against prohibited practices in a shared folder; ask the platform team.
    /// ```
    ART5_SCREENING {
        id: "l2-incomplete-art5-screening",
        layer: L2,
        obligation: "OBL-002",
        also: &["OBL-003", "OBL-004", "OBL-005", "OBL-006", "OBL-007", "OBL-008", "OBL-009", "OBL-010", "OBL-011"],
        evidence: "Filled-in prohibited practices screening found",
        severity: Medium,
        impact: Prepares,
        fix: "Answer for each prohibited practice. Date and sign the decision.",
        fixable: false,
        run: art5_screening,
    }
}

fn art5_screening(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["art5-screening"]);
}

declare_check! {
    /// Incomplete general-purpose model documentation.
    ///
    /// Art. 53(1)(a) and Annex XI list the contents of the technical documentation of a general-purpose AI model. Points of
    /// this list are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/model-documentation.md
    /// # GPAI technical documentation
    ///
    /// ## Architecture and parameters
    ///
    /// A decoder with 32 layers and 7 billion parameters, published as weights in half precision.
    ///
    /// ## Training, testing and validation data
    ///
    /// TBD
    ///
    /// ## Energy consumption
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has GPAI technical documentation in a shared folder; ask the platform team.
    /// ```
    GPAI_DOCUMENTATION {
        id: "l2-incomplete-gpai-documentation",
        layer: L2,
        obligation: "OBL-102",
        evidence: "Filled-in general-purpose model documentation found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document.",
        fixable: false,
        run: gpai_documentation,
    }
}

fn gpai_documentation(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["gpai-technical-documentation"]);
}

declare_check! {
    /// Incomplete information for downstream providers.
    ///
    /// Art. 53(1)(b) and Annex XII list the information for providers who integrate a general-purpose AI model into their
    /// systems. Points of this list are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/downstream.md
    /// # Information for downstream providers
    ///
    /// ## Acceptable use
    ///
    /// The model must not be used for decisions about persons without a person who reviews each of them.
    ///
    /// ## Input and output limits
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has information for downstream providers in a shared folder; ask the platform team.
    /// ```
    GPAI_DOWNSTREAM {
        id: "l2-incomplete-gpai-downstream-information",
        layer: L2,
        obligation: "OBL-103",
        evidence: "Filled-in downstream provider information found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document.",
        fixable: false,
        run: gpai_downstream,
    }
}

fn gpai_downstream(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["gpai-downstream-information"]);
}

declare_check! {
    /// Incomplete copyright policy.
    ///
    /// Art. 53(1)(c) requires providers of general-purpose AI models to have a policy to comply with copyright law. The
    /// policy must also cover reservations of rights. Measures are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/copyright.md
    /// # Copyright policy
    ///
    /// For the training of our AI model.
    ///
    /// ## Lawful access when crawling
    ///
    /// The crawler reads public pages only and does not go around paywalls or technical protection measures.
    ///
    /// ## Rights reservations
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a copyright policy in a shared folder; ask the platform team.
    /// ```
    GPAI_COPYRIGHT {
        id: "l2-incomplete-gpai-copyright-policy",
        layer: L2,
        obligation: "OBL-104",
        evidence: "Filled-in copyright policy found",
        severity: Medium,
        impact: Prepares,
        fix: "Add the missing sections that the finding lists to the document. State how rights reservations are detected and respected, and where to complain.",
        fixable: false,
        run: gpai_copyright,
    }
}

fn gpai_copyright(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["gpai-copyright-policy"]);
}

declare_check! {
    /// Incomplete public training content summary.
    ///
    /// Art. 53(1)(d) requires providers of general-purpose AI models to publish a summary of the training content. The
    /// summary follows the template of the AI Office. Parts of this template are missing or incomplete.
    /// A section counts as incomplete if it has only a heading, a placeholder or template instructions.
    /// A document that does not exist is not reported by this check.
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
    /// //- docs/training-summary.md
    /// # Public summary of training content
    ///
    /// ## List of data sources
    ///
    /// Public web pages crawled in 2024, and two licensed collections of newspaper articles.
    ///
    /// ## Relevant data processing aspects
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
    /// //- README.md
    /// # Ranking service
    ///
    /// The service has a public summary of training content in a shared folder; ask the platform team.
    /// ```
    GPAI_TRAINING_SUMMARY {
        id: "l2-incomplete-gpai-training-summary",
        layer: L2,
        obligation: "OBL-105",
        evidence: "Filled-in training content summary found",
        severity: Medium,
        impact: Prepares,
        fix: "Complete the parts that the finding lists.",
        fixable: false,
        run: gpai_training_summary,
    }
}

fn gpai_training_summary(context: &CheckContext<'_>, report: &mut Report) {
    run(context, report, &["gpai-training-summary"]);
}

/// Number of sections that a message names; further ones are counted.
const NAMED_MAX: usize = 8;

/// Evaluates the documents of some kinds. The scanner decides whether the obligation binds a system on the date.
fn run(context: &CheckContext<'_>, report: &mut Report, kinds: &[&str]) {
    if !context.has_systems() {
        return;
    }
    for document in context
        .documents
        .iter()
        .filter(|document| kinds.contains(&document.kind.as_str()))
    {
        let system = system_of(context, &document.file);
        let finished = document.state == DocumentState::Filled;
        let message = if finished {
            "All required sections have text".to_owned()
        } else {
            missing(document)
        };
        // If a finished document of the same kind exists, an unfinished copy is a notice, not a gap.
        let replaced = context.documents.iter().any(|other| {
            other.kind == document.kind
                && other.state == DocumentState::Filled
                && !other.draft
                && other.file != document.file
        });
        let builder = if finished && !document.draft {
            report.pass(document.confidence, message)
        } else if finished {
            report.info(
                document.confidence,
                "Draft: all required sections have text, but no person has finalised the document",
            )
        } else if replaced || document.draft && document.state == DocumentState::Scaffold {
            // A generated draft without answers adds nothing and takes nothing away: that the document is missing is reported elsewhere.
            report.info(document.confidence, message)
        } else {
            report.fail(document.confidence, message)
        };
        let builder = builder
            .at(Location::line(document.file.clone(), document.line))
            .anchor(document.kind.clone())
            .evidence(
                EvidenceKind::Document,
                document.kind.clone(),
                &document.file,
                document.line,
            );
        if let Some(system) = system {
            builder.system(system);
        }
    }
}

/// The system that a document belongs to: the system whose folder contains it, or the only system.
pub(super) fn system_of<'a>(context: &CheckContext<'a>, file: &str) -> Option<&'a System> {
    if let [only] = context.systems {
        return Some(only);
    }
    let mut inside = context
        .systems
        .iter()
        .filter(|system| !system.scope.is_empty() && context.in_scope(system, file));
    let first = inside.next()?;
    inside.next().is_none().then_some(first)
}

/// Names the missing or incomplete required sections, each with the provision that requires it.
fn missing(document: &Document) -> String {
    let required = document.sections.iter().filter(|section| section.required);
    let total = required.clone().count();
    let open: Vec<_> = required
        .filter(|section| section.state != SectionState::Filled)
        .collect();
    let mut named: Vec<String> = Vec::new();
    for section in open.iter().take(NAMED_MAX) {
        let state = match section.state {
            SectionState::Missing | SectionState::Filled => "missing",
            SectionState::Empty => "empty",
            SectionState::Placeholder => "only a placeholder",
            SectionState::Thin => "only a few words",
        };
        named.push(match section.line {
            Some(line) => format!("{} ({}, {state}, line {line})", section.title, section.source),
            None => format!("{} ({}, {state})", section.title, section.source),
        });
    }
    if open.len() > NAMED_MAX {
        named.push(format!("{} more", open.len() - NAMED_MAX));
    }
    format!(
        "{} of {total} required sections missing or incomplete: {}",
        open.len(),
        named.join("; ")
    )
}
