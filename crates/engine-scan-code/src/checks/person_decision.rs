//! `l4-person-decision`: model output that decides about a person whose record is the input.

use engine_model::{
    CheckContext, DocumentState, PersonArea, Report, StepRole, Structure, StructureKind, declare_check,
};

use super::{decided, place, places, structures};

declare_check! {
    /// Unclassified AI decision about people.
    ///
    /// Article 6(2) and Annex III: systems that decide about people are high-risk in these areas: work, education,
    /// credit, insurance, benefits, emergencies, law enforcement, migration and justice. Article 6(3) exempts some of
    /// them.
    ///
    /// This finding is an indicator from the code structure. Three things occur together: a record about a person, a call
    /// to a model, and an output that decides about, rates or ranks that person. Words alone never trigger the finding.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import json
    /// from fastapi import FastAPI
    /// from pydantic import BaseModel
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// class Applicant(BaseModel):
    ///     email: str
    ///     cover_letter: str
    ///     years_experience: int
    ///
    /// @app.post("/screen")
    /// def screen(applicant: Applicant):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=applicant.cover_letter)
    ///     result = json.loads(answer.output_text)
    ///     if result["score"] >= 70:
    ///         db.execute("UPDATE applications SET status = 'shortlisted' WHERE email = ?", applicant.email)
    ///     else:
    ///         db.execute("UPDATE applications SET status = 'rejected' WHERE email = ?", applicant.email)
    /// ```
    /// Reported:
    /// ```text
    /// //- train.py
    /// import pandas as pd
    /// from sklearn.ensemble import RandomForestClassifier
    ///
    /// df = pd.read_csv("loans.csv")
    /// model = RandomForestClassifier()
    /// model.fit(df[["ApplicantIncome", "LoanAmount", "Credit_History"]], df["Loan_Status"])
    ///
    /// def decide(row):
    ///     prediction = model.predict([[row["ApplicantIncome"], row["LoanAmount"], row["Credit_History"]]])[0]
    ///     return "Approved" if prediction == 1 else "Rejected"
    ///
    /// print(decide(df.iloc[0]))
    /// ```
    /// Reported:
    /// ```text
    /// //- src/rank.ts
    /// import OpenAI from "openai";
    ///
    /// interface Candidate { email: string; resumeText: string; score?: number }
    /// const client = new OpenAI();
    ///
    /// export async function rank(candidates: Candidate[]) {
    ///   for (const candidate of candidates) {
    ///     const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: candidate.resumeText });
    ///     candidate.score = Number(answer.output_text);
    ///   }
    ///   return candidates.sort((a, b) => b.score! - a.score!);
    /// }
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
    /// # Rates candidates: applicants, employees, loans.
    /// @app.post("/ask")
    /// def ask(question: str):
    ///     answer = client.chat.completions.create(model="gpt-4.1-2025-04-14", n=3, messages=[{"role": "user", "content": question}])
    ///     candidates = sorted(answer.choices, key=lambda candidate: len(candidate.message.content))
    ///     score = len(candidates[0].message.content)
    ///     if score > 70:
    ///         return {"status": "approved", "candidate": candidates[0].message.content}
    ///     return {"status": "rejected"}
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/letter.ts
    /// import OpenAI from "openai";
    ///
    /// interface Candidate { email: string; resumeText: string }
    /// const client = new OpenAI();
    ///
    /// export async function letter(candidate: Candidate) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: `Write a letter: ${candidate.resumeText}` });
    ///   return answer.output_text;
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/feedback.ts
    /// import OpenAI from "openai";
    /// import { db } from "./db";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function feedback(transcript: string) {
    ///   const answer = await client.responses.create({
    ///     model: "gpt-4.1-2025-04-14",
    ///     input: `You evaluate a candidate after a mock interview. Rate the candidate: ${transcript}`,
    ///   });
    ///   const result = JSON.parse(answer.output_text);
    ///   await db.collection("feedback").insertOne({ score: result.score });
    ///   return { score: result.score };
    /// }
    /// ```
    /// Reported:
    /// ```text
    /// //- src/feedback.ts
    /// import OpenAI from "openai";
    /// import { db } from "./db";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function feedback(transcript: string) {
    ///   const answer = await client.responses.create({
    ///     model: "gpt-4.1-2025-04-14",
    ///     input: `You evaluate a candidate after the screening interview of our company. Rate the candidate: ${transcript}`,
    ///   });
    ///   const result = JSON.parse(answer.output_text);
    ///   await db.collection("feedback").insertOne({ score: result.score });
    ///   return { score: result.score };
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- churn.py
    /// import pandas as pd
    /// from sklearn.ensemble import RandomForestClassifier
    ///
    /// df = pd.read_csv("customers.csv")
    /// model = RandomForestClassifier()
    /// model.fit(df[["tenure", "credit", "visits"]], df["churn"])
    /// row = df.iloc[0]
    /// label = "Approved" if model.predict([[row["tenure"], row["credit"], row["visits"]]])[0] == 1 else "Rejected"
    /// print(label)
    /// ```
    PERSON_DECISION {
        id: "l4-person-decision",
        layer: L4,
        obligation: "OBL-015",
        evidence: "AI decision about people classified",
        severity: High,
        impact: Exposes,
        fix: "Document the intended purpose and the point of Annex III that covers it. If Art. 6(3) exempts the use, because it only prepares or checks a human decision, document why. Profiling of people is never exempt.",
        run: run,
    }
}

/// What a step does with the answer, as the end of a sentence.
fn words(role: StepRole) -> Option<&'static str> {
    Some(match role {
        StepRole::Branch => "decides what the code does next through",
        StepRole::Ranking => "ranks them by",
        StepRole::Stored => "is stored in",
        StepRole::Reply => "is returned as",
        _ => return None,
    })
}

/// How sure it is: a verdict or a rating that is kept says more than a field of a reply.
fn confidence(structure: &Structure) -> u8 {
    let has = |role: StepRole| structure.steps.iter().any(|step| step.role == role);
    if has(StepRole::Stored) || has(StepRole::Ranking) {
        88
    } else if has(StepRole::Branch) {
        84
    } else {
        79
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    let classified = context.documents.iter().find(|document| {
        document.kind == "classification-assessment" && document.state == DocumentState::Filled && !document.draft
    });
    for system in context.systems {
        let mut areas: Vec<PersonArea> = Vec::new();
        for structure in structures(context, system, StructureKind::PersonDecision) {
            let Some(area) = structure
                .area
                .filter(|area| area.in_annex_iii() && !areas.contains(area))
            else {
                continue;
            };
            areas.push(area);
            let Some(record) = structure.steps.first() else {
                continue;
            };
            if let Some(document) = classified {
                report
                    .pass(
                        75,
                        format!("An AI decision about people is classified in {}.", document.file),
                    )
                    .at(place(structure))
                    .system(system)
                    .anchor(format!("{area:?}"));
                continue;
            }
            let decision = decided(structure).and_then(|step| {
                words(step.role).map(|words| format!("{words} `{}` ({}:{})", step.reference, step.file, step.line))
            });
            // What a prompt orders stands in quotation marks.
            let judged = if record.reference.starts_with('“') {
                format!(
                    "a prompt instructs the model to judge people, {} ({}:{})",
                    record.reference, record.file, record.line
                )
            } else {
                format!(
                    "data from `{}` ({}:{}) is sent to the model",
                    record.reference, record.file, record.line
                )
            };
            let message = format!(
                "Observed: {judged}, and the output {}. This suggests a use under {}, which is high-risk unless Art. 6(3) exempts it.",
                decision.unwrap_or_default(),
                area.reference(),
            );
            let finding = report
                .fail(confidence(structure), message)
                .at(place(structure))
                .system(system)
                .anchor(format!("{area:?}#{}", structure.function.as_deref().unwrap_or("")));
            places(finding, structure);
        }
    }
}
