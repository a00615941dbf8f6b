//! Documents whose own dates are more than a year old.

use engine_model::{CheckContext, DocumentDateKind, DocumentState, EvidenceKind, Location, Report, declare_check};

use super::incomplete::system_of;

/// Months after which a stated date counts as old.
const MONTHS_MAX: i32 = 12;

declare_check! {
    /// Document date over a year old.
    ///
    /// Art. 11(1) requires technical documentation to be kept up to date. Other compliance documents become outdated too.
    /// This check uses the latest date in the document: of a version, an approval or the next review.
    /// It reports the document if that date is more than 12 months in the past.
    /// Dates whose day and month are ambiguous are not reported.
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
    /// Approved on 10 February 2019. Next review: 2020-02-10.
    ///
    /// ## Scope and systems
    ///
    /// The policy holds for all employees and for the ranking of applicants in this repository.
    ///
    /// ## Allowed and banned uses
    ///
    /// Ordering applications is allowed; guessing moods or rating people by their private behaviour is banned.
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
    /// Written after the incident of 10 February 2019. Next review: 2099-02-10.
    ///
    /// ## Scope and systems
    ///
    /// The policy holds for all employees and for the ranking of applicants in this repository.
    /// ```
    REVIEW_DATE {
        id: "l2-stale-review-date",
        layer: L2,
        obligation: "OBL-031",
        severity: Low,
        impact: Prepares,
        fix: "Review the document and correct outdated content. State the date of this review and of the next one.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    if !context.has_systems() {
        return;
    }
    for document in context
        .documents
        .iter()
        .filter(|document| document.state != DocumentState::Scaffold)
    {
        let Some(latest) = document.dates.iter().max_by_key(|date| date.date) else {
            continue;
        };
        let months = (i32::from(context.as_of.year()) - i32::from(latest.date.year())) * 12
            + i32::from(context.as_of.month())
            - i32::from(latest.date.month())
            - i32::from(context.as_of.day() < latest.date.day());
        if months <= MONTHS_MAX {
            continue;
        }
        let (confidence, message) = match latest.kind {
            DocumentDateKind::NextReview => (
                75,
                format!(
                    "The next review was due on {}, {months} months before {}",
                    latest.date, context.as_of
                ),
            ),
            DocumentDateKind::Version => (
                60,
                format!(
                    "The latest date in the document is {}, {months} months before {}",
                    latest.date, context.as_of
                ),
            ),
        };
        let builder = report
            .fail(confidence, message)
            .at(Location::line(document.file.clone(), latest.line))
            .anchor(document.kind.clone())
            .evidence(
                EvidenceKind::Document,
                document.kind.clone(),
                &document.file,
                latest.line,
            );
        if let Some(system) = system_of(context, &document.file) {
            builder.system(system);
        }
    }
}
