//! `l4-no-human-oversight`: model output that takes effect without human approval.

use engine_model::{
    Call, CheckContext, Effect, EvidenceKind, Report, StepRole, Structure, StructureKind, StructureStep, TraceKind,
    declare_check,
};

use super::{calls, control, named, places, speaks, structures};
use crate::people::areas::{WORDS, flat};

declare_check! {
    /// Model output acts without human approval.
    ///
    /// Article 14: people must be able to oversee a high-risk system, to intervene and to override it.
    ///
    /// A finding requires an effect: a verdict that controls a branch, a stored status, a message that is sent, or a
    /// command that runs. Output that is only parsed, shown or stored for a person to read has no such effect.
    ///
    /// If a page lets a person make their own decision about the same people, no gap is reported, unless the output
    /// is sent to people automatically.
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
    /// def apply(resume_text: str, job_description: str):
    ///     prompt = f"{resume_text} for {job_description}"
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=prompt).output_text
    ///     if answer == "no":
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
    /// def apply(resume_text: str, job_description: str):
    ///     prompt = f"{resume_text} for {job_description}"
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=prompt).output_text
    ///     db.reviews.insert_one({"proposal": answer, "status": "pending", "approved_by": None})
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import re
    ///
    /// from flask import Flask, jsonify, request
    /// from openai import OpenAI
    ///
    /// app = Flask(__name__)
    /// client = OpenAI()
    ///
    /// def score_of(text):
    ///     match = re.search(r"\d+", text)
    ///     if match:
    ///         return int(match.group(0))
    ///     return None
    ///
    /// @app.post("/screen")
    /// def screen():
    ///     prompt = request.form["resume_text"] + request.form["job_description"]
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=prompt).output_text
    ///     return jsonify({"score": score_of(answer)})
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
    /// def apply(resume_text: str, job_description: str):
    ///     prompt = f"{resume_text} for {job_description}"
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=prompt).output_text
    ///     if answer == "no":
    ///         db.execute("UPDATE applications SET state = 'rejected'")
    /// //- web/Decision.jsx
    /// export function Decision({ candidate, save }) {
    ///   return (
    ///     <section>
    ///       <textarea name="why" />
    ///       <button onClick={() => save(candidate.id, "go")}>Proceed to interview</button>
    ///       <button onClick={() => save(candidate.id, "no")}>Reject</button>
    ///     </section>
    ///   );
    /// }
    /// ```
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
    /// def apply(resume_text: str, job_description: str):
    ///     prompt = f"{resume_text} for {job_description}"
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=prompt).output_text
    ///     if answer == "no":
    ///         db.execute("UPDATE applications SET state = 'rejected'")
    /// //- web/Filter.jsx
    /// export function Filter({ candidates, show }) {
    ///   return (
    ///     <select onChange={(event) => show(candidates, event.target.value)}>
    ///       <option>Shortlisted</option>
    ///       <option>Rejected</option>
    ///     </select>
    ///   );
    /// }
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// import pandas as pd
    /// import streamlit as st
    ///
    /// model = joblib.load("loan_model.pkl")
    ///
    /// income = st.number_input("Applicant income")
    /// amount = st.number_input("Loan amount")
    /// history = st.selectbox("Credit history", [1, 0])
    /// if st.button("Ask"):
    ///     row = pd.DataFrame([{"ApplicantIncome": income, "LoanAmount": amount, "Credit_History": history}])
    ///     if model.predict(row)[0] == 1:
    ///         st.success("Your loan is approved.")
    ///     else:
    ///         st.error("Your loan is rejected.")
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// import pandas as pd
    /// import streamlit as st
    ///
    /// model = joblib.load("loan_model.pkl")
    ///
    /// income = st.number_input("Applicant income")
    /// amount = st.number_input("Loan amount")
    /// history = st.selectbox("Credit history", [1, 0])
    /// if st.button("Ask"):
    ///     row = pd.DataFrame([{"ApplicantIncome": income, "LoanAmount": amount, "Credit_History": history}])
    ///     if model.predict(row)[0] == 1:
    ///         st.success("The model leans to a yes.")
    ///     else:
    ///         st.error("The model leans to a no.")
    /// ```
    NO_HUMAN_OVERSIGHT {
        id: "l4-no-human-oversight",
        layer: L4,
        obligation: "OBL-038",
        evidence: "Human approval before model output takes effect",
        severity: Medium,
        impact: Exposes,
        fix: "Add a human step between the output and its effect: a review queue, an approval before the tool runs, or a way to override.",
        run: run,
    }
}

/// How the answer of a call has an effect on a person, or on a machine, without anybody in between.
struct Effective<'a> {
    call: &'a Call,
    how: String,
    structure: Option<&'a Structure>,
}

/// What a step does to a person, as the middle of a sentence. That an answer is read, shown, kept or put into an order by its rating
/// leaves the decision to who reads it.
fn effect(step: &StructureStep) -> Option<String> {
    let last = step.reference.rsplit('.').next().unwrap_or(&step.reference);
    let place = format!("({}:{})", step.file, step.line);
    match step.role {
        StepRole::Branch => Some(format!("decides the verdict `{}` {place}", step.reference)),
        StepRole::Stored if WORDS.verdicts.contains(&flat(last)) && !WORDS.ratings.contains(&flat(last)) => {
            Some(format!("is stored as `{}` {place}", step.reference))
        }
        StepRole::Message => Some(format!("is sent to people by `{}` {place}", step.reference)),
        StepRole::Reply if is_told_to_its_person(&step.reference) => Some(format!(
            "is given to the affected person as `{}` {place}",
            step.reference
        )),
        _ => None,
    }
}

/// Whether a text tells a person what was decided about them: "Your loan is approved."
fn is_told_to_its_person(text: &str) -> bool {
    const DECIDED: [&str; 9] = [
        "approved",
        "rejected",
        "denied",
        "declined",
        "accepted",
        "refused",
        "shortlisted",
        "disqualified",
        "terminated",
    ];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let mut is_addressed = false;
    words.any(|word| {
        is_addressed |= matches!(word, "you" | "your");
        is_addressed && DECIDED.contains(&word)
    })
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let calls = calls(context, system);
        let mut effective: Vec<Effective<'_>> = Vec::new();
        for structure in structures(context, system, StructureKind::PersonDecision) {
            let call = calls.iter().find(|call| {
                (&call.file, call.line, call.column) == (&structure.file, structure.line, structure.column)
            });
            if let Some(call) = call
                && let Some(how) = structure.steps.iter().find_map(effect)
                && effective.iter().all(|known| !std::ptr::eq(known.call, *call))
            {
                effective.push(Effective {
                    call,
                    how,
                    structure: Some(structure),
                });
            }
        }
        for call in &calls {
            if call.effects.contains(&Effect::Shell)
                && speaks(call)
                && effective.iter().all(|known| !std::ptr::eq(known.call, *call))
            {
                effective.push(Effective {
                    call,
                    how: "is executed as a command".to_owned(),
                    structure: None,
                });
            }
        }
        let mut alone = effective
            .iter()
            .filter(|found| found.call.human_approval == Some(false))
            // A page that asks a person before it calls the route, or that offers a decision of the person's own, leaves it open how
            // much that person decides.
            .filter(|found| {
                found
                    .structure
                    .is_none_or(|structure| control(structure, StepRole::Review).is_none())
            });
        if let Some(first) = alone.next() {
            let message = format!(
                "The output of {} {}. No human approval was found in between.",
                named(first.call),
                first.how
            );
            let mut finding = report.fail(80, message).call(first.call).system(system);
            if let Some(structure) = first.structure {
                finding = places(finding, structure);
            }
            for found in alone.take(40) {
                finding = finding.evidence(
                    EvidenceKind::Code,
                    found.call.symbol.clone(),
                    &found.call.file,
                    found.call.line,
                );
            }
        } else if let Some((first, act)) = calls
            .iter()
            // Where a face, a voice or a body tells who somebody is, a question of a page beside it confirms nobody.
            .filter(|call| acts(call) && !call.capabilities.iter().any(|known| known.is_biometric()))
            // That something waits, or may be looked at, is no act of a person on this answer.
            .find_map(|call| Some((call, call.traced(TraceKind::Approved)?.chain.first()?)))
        {
            let (Some(file), Some(line)) = (&act.file, act.line) else {
                continue;
            };
            report
                .pass(
                    70,
                    format!(
                        "A person approves the output of {} before it takes effect ({file}:{line}).",
                        named(first)
                    ),
                )
                .call(first)
                .system(system)
                .evidence(EvidenceKind::Code, act.reference.clone(), file, line);
        }
    }
}

/// Whether the answer does something by itself.
fn acts(call: &Call) -> bool {
    call.effects
        .iter()
        .any(|effect| matches!(effect, Effect::Branch | Effect::Database | Effect::Tool | Effect::Shell))
}
