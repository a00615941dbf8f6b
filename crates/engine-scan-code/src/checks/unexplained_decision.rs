//! `l4-unexplained-decision`: decisions about people without recorded reasons.

use engine_model::{CheckContext, Report, StepRole, declare_check};

use super::{control, decision, each_decision_has, record};

declare_check! {
    /// AI decision without recorded reasons.
    ///
    /// Article 86(1): a person affected by a decision with legal or similarly significant effects can request a clear
    /// and meaningful explanation. It covers the role of the system and the main elements of the decision.
    ///
    /// This requires reasons that are stored with the decision, or a method that computes how much each factor
    /// weighed.
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
    /// Reported:
    /// ```text
    /// //- src/screen.ts
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function screen(applicant: any) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: applicant.coverLetter });
    ///   applicant.status = answer.output_text === "yes" ? "shortlisted" : "rejected";
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// import shap
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    /// explainer = shap.TreeExplainer(model)
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status, "factors": explainer.shap_values(row)}
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/screen.ts
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function screen(applicant: any) {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: applicant.coverLetter });
    ///   const result = JSON.parse(answer.output_text);
    ///   applicant.status = result.fits ? "shortlisted" : "rejected";
    ///   applicant.reason = result.reason;
    /// }
    /// ```
    UNEXPLAINED_DECISION {
        id: "l4-unexplained-decision",
        layer: L4,
        obligation: "OBL-120",
        evidence: "Reasons for AI decisions found",
        severity: Medium,
        impact: Prepares,
        fix: "Store the basis of each decision: the reasons requested from the model, or the weight of each field. Add the version of the model and the input.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    each_decision_has(
        context,
        report,
        StepRole::Explanation,
        (84, 88),
        |structure| control(structure, StepRole::ReasonsElsewhere).is_none(),
        |structure| {
            format!(
                "A model determines {} about the person in {}. No stored or computed reasons were found.",
                decision(structure),
                record(structure)
            )
        },
        |name| format!("Reasons are stored or computed: `{name}`."),
    );
}
