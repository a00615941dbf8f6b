//! `l4-no-suspension`: no way to switch off a model that decides about people.

use engine_model::{CheckContext, Report, StepRole, StructureKind, declare_check};

use super::{control, decision, place, places, runs, step_place, structures};

declare_check! {
    /// A model that decides about people and cannot be switched off without a new release.
    ///
    /// Article 26(5): a deployer who has reason to see a risk suspends the use. A setting or a feature flag around the call
    /// makes that a matter of minutes. Stopping the whole service is a way too, so this is a hint and not a grave gap.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     if not app.config["AI_DECISIONS_ENABLED"]:
    ///         return {"state": "a person decides"}
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status}
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/screen.ts
    /// import OpenAI from "openai";
    /// import { OpenFeature } from "@openfeature/server-sdk";
    ///
    /// const client = new OpenAI();
    /// const features = OpenFeature.getClient();
    ///
    /// export async function screen(applicant: any) {
    ///   if (await features.getBooleanValue("ai-screening", false)) {
    ///     const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: applicant.coverLetter });
    ///     applicant.status = answer.output_text === "yes" ? "shortlisted" : "rejected";
    ///   }
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/screen.ts
    /// import OpenAI from "openai";
    ///
    /// const apiKey = process.env.OPENAI_API_KEY;
    ///
    /// export async function screen(applicant: any) {
    ///   if (!apiKey) {
    ///     return { status: "for a person" };
    ///   }
    ///   const client = new OpenAI({ apiKey });
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: `${applicant.coverLetter} ${applicant.yearsOfExperience}` });
    ///   applicant.status = answer.output_text === "yes" ? "shortlisted" : "rejected";
    ///   return applicant;
    /// }
    /// ```
    NO_SUSPENSION {
        id: "l4-no-suspension",
        layer: L4,
        obligation: "OBL-074",
        also: &["OBL-041"],
        evidence: "The use can be suspended",
        severity: Low,
        fix: "Put a setting or a feature flag around the call, with a way on without the model: a queue for people, or a plain rule.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let decisions = structures(context, system, StructureKind::PersonDecision);
        let open = decisions
            .iter()
            .find(|structure| control(structure, StepRole::Switch).is_none());
        if let Some(structure) = open {
            let message = format!(
                "A model gives {} about people, and no setting was observed that switches it off.",
                decision(structure)
            );
            let finding = report
                .fail(89, message)
                .at(place(structure))
                .system(system)
                .anchor(structure.function.as_deref().unwrap_or("").to_owned());
            let finding = places(finding, structure);
            // That nobody is told of this very decision is a finding of its own, with the same way from the record to the verdict.
            let untold = decisions
                .iter()
                .all(|structure| control(structure, StepRole::Notice).is_none());
            if untold && decisions.first().is_some_and(|first| std::ptr::eq(*first, *structure)) {
                finding.aside();
            }
        } else if let Some(step) = decisions
            .iter()
            .filter(|structure| runs(context, system, structure))
            .find_map(|structure| control(structure, StepRole::Switch))
        {
            report
                .pass(60, format!("The use can be suspended by `{}`.", step.reference))
                .at(step_place(step))
                .system(system);
        }
    }
}
