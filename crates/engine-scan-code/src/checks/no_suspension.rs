//! `l4-no-suspension`: no off switch for a model that decides about people.

use engine_model::{CheckContext, Report, StepRole, StructureKind, declare_check};

use super::{control, decision, place, places, runs, step_place, structures};

declare_check! {
    /// No off switch for AI decisions.
    ///
    /// Article 26(5): a deployer with reason to see a risk must suspend the use. A setting or feature flag around the
    /// call makes this possible in minutes, without a new release. Stopping the whole service also works, so this is
    /// a hint and not a serious gap.
    ///
    /// This check covers models that decide about people.
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
        evidence: "Off switch for AI decisions found",
        severity: Low,
        impact: Prepares,
        fix: "Put a setting or a feature flag around the call. Provide a fallback without the model: a queue for manual review, or a simple rule.",
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
                "A model determines {} in a decision about people, and no off switch was found.",
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
                .pass(60, format!("The use can be suspended with `{}`.", step.reference))
                .at(step_place(step))
                .system(system);
        }
    }
}
