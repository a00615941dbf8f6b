//! `l4-unexplained-decision`: decisions about people without reasons.

use engine_model::{CheckContext, Report, StepRole, declare_check};

use super::{control, decision, each_decision_has, record};

declare_check! {
    /// A decision about a person of which no reasons are kept or worked out.
    ///
    /// Article 86(1): a person affected by a decision with legal or similarly grave effects can ask for a clear and
    /// meaningful explanation of the role of the system and of the main elements of the decision. That needs reasons that
    /// were kept beside the decision, or a method that works out what weighed how much.
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
        evidence: "Reasons of decisions are kept or worked out",
        severity: Medium,
        fix: "Keep with each decision what it rested on: the reasons that the model was asked for, or the weight of each field, the version of the model and the input.",
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
                "{}, about the person of {}, comes from a model, and no reasons were observed that are kept or worked out beside it.",
                decision(structure),
                record(structure)
            )
        },
        |name| format!("Reasons are kept or worked out: `{name}`."),
    );
}
