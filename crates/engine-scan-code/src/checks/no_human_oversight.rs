//! `l4-no-human-oversight`: answers that decide without a person.

use engine_model::{Call, CheckContext, Effect, EvidenceKind, Report, Sends, StructureKind, declare_check};

use super::{calls, speaks, structures};

declare_check! {
    /// Answers of a model that act or decide without a person in between.
    ///
    /// Article 14: people must be able to oversee a high-risk system, to step in and to override it.
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
    /// @app.post("/apply")
    /// def apply(cv: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=cv).output_text
    ///     if answer == "reject":
    ///         db.execute("UPDATE applications SET state = 'rejected'")
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
    /// @app.post("/apply")
    /// def apply(cv: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=cv).output_text
    ///     db.reviews.insert_one({"proposal": answer, "status": "pending", "approved_by": None})
    /// ```
    NO_HUMAN_OVERSIGHT {
        id: "l4-no-human-oversight",
        layer: L4,
        obligation: "OBL-038",
        severity: Medium,
        fix: "Put a person between the answer and its effect: a review queue, an approval before the tool runs, a way to overrule.",
        run: run,
    }
}

/// Whether the answer does something by itself.
fn acts(call: &Call) -> bool {
    call.effects
        .iter()
        .any(|effect| matches!(effect, Effect::Branch | Effect::Database | Effect::Tool | Effect::Shell))
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let calls = calls(context, system);
        let acting: Vec<_> = calls
            .iter()
            .filter(|call| acts(call) && (speaks(call) || call.effects.contains(&Effect::Branch)))
            .collect();
        let decisions = structures(context, system, StructureKind::PersonDecision);
        let mut alone: Vec<_> = acting
            .iter()
            .filter(|call| call.human_approval == Some(false))
            .collect();
        // The most telling place decides about a person, or answers what somebody sent; a probe of the service is neither.
        alone.sort_by_key(|call| {
            let decides = decisions
                .iter()
                .any(|found| (&found.file, found.line) == (&call.file, call.line));
            let sent = call
                .sends
                .iter()
                .any(|sent| !matches!(sent, Sends::Constant | Sends::Unknown));
            (!decides, !sent)
        });
        if let Some(first) = alone.first() {
            let names: Vec<&str> = first
                .effects
                .iter()
                .filter_map(|effect| match effect {
                    Effect::Branch => Some("decides a branch"),
                    Effect::Database => Some("is written to a database"),
                    Effect::Tool => Some("may call tools"),
                    Effect::Shell => Some("is run as a command"),
                    Effect::Mail | Effect::Page => None,
                })
                .collect();
            let message = format!(
                "The answer {}, and no approval by a person was observed.",
                names.join(" and ")
            );
            let mut finding = report.fail(80, message).call(first).system(system);
            for call in alone.iter().skip(1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        } else if let Some(first) = acting.first() {
            report
                .pass(70, "A person approves before the answer has an effect.")
                .call(first)
                .system(system);
        }
    }
}
