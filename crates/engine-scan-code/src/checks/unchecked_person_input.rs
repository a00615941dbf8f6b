//! `l4-unchecked-person-input`: data about people that is not validated before a model decides on it.

use engine_model::{CheckContext, Report, StepRole, Structure, declare_check};

use super::{decision, each_decision_has, record};

declare_check! {
    /// Unvalidated input to AI decision.
    ///
    /// Article 26(4): deployers who control the input data must ensure that it is relevant and representative for the
    /// purpose. In code, this is a typed and constrained input, a check for missing values, or a condition that
    /// rejects unsuitable data.
    ///
    /// The check covers data about a person that is sent to a model which decides about that person. A document in
    /// free text has no values to validate and is not reported.
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
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: `${applicant.coverLetter} ${applicant.yearsOfExperience}` });
    ///   applicant.status = answer.output_text === "yes" ? "shortlisted" : "rejected";
    /// }
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
    ///     if not request.form.get("loan_amount") or not request.form.get("credit_history"):
    ///         return {"error": "incomplete"}, 400
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status}
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/screen.ts
    /// import OpenAI from "openai";
    /// import { z } from "zod";
    ///
    /// const client = new OpenAI();
    /// const Applicant = z.object({ coverLetter: z.string().min(50), yearsOfExperience: z.number() });
    ///
    /// export async function screen(body: unknown) {
    ///   const applicant = Applicant.parse(body);
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: `${applicant.coverLetter} ${applicant.yearsOfExperience}` });
    ///   return answer.output_text === "yes" ? "shortlisted" : "rejected";
    /// }
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import os
    /// import joblib
    /// from flask import Flask, redirect, request, session
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     loan_amount = request.form["loan_amount"]
    ///     if "loan_amount" not in session or not os.environ["API_KEY"]:
    ///         return redirect("/login")
    ///     row = [[loan_amount, request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// from fastapi import FastAPI
    /// from pydantic import BaseModel, Field
    ///
    /// app = FastAPI()
    /// model = joblib.load("loan.joblib")
    ///
    /// class Form(BaseModel):
    ///     loan_amount: float = Field(gt=0)
    ///     credit_history: int = Field(ge=0, le=10)
    ///     income: float
    ///
    /// def rate(row):
    ///     return "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///
    /// @app.post("/decide")
    /// def decide(form: Form):
    ///     return {"loan_status": rate([[form.loan_amount, form.credit_history, form.income]])}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    /// import pandas as pd
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     try:
    ///         row = pd.DataFrame([{"loan_amount": request.form["loan_amount"], "credit_history": request.form["credit_history"]}])
    ///         row = row.astype({"loan_amount": float, "credit_history": float})
    ///         status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///         return {"loan_status": status}
    ///     except ValueError as error:
    ///         return {"error": str(error)}, 400
    /// ```
    UNCHECKED_PERSON_INPUT {
        id: "l4-unchecked-person-input",
        layer: L4,
        obligation: "OBL-072",
        evidence: "Input data about people is validated",
        severity: Medium,
        impact: Prepares,
        fix: "Validate the record before it goes into the model: a schema with ranges, and a check for missing values. If it is outside the purpose of the model, reject it or pass it to a person.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    each_decision_has(
        context,
        report,
        StepRole::Validation,
        (86, 60),
        has_values,
        |structure| {
            format!(
                "Data from {} is sent to the model that determines {}. No validation was found on the way.",
                record(structure),
                decision(structure)
            )
        },
        |name| format!("Input data about people is validated by `{name}`."),
    );
}

/// Whether a record has values of its own that can be checked: a paper in words has none.
fn has_values(structure: &Structure) -> bool {
    let record = structure.steps.iter().find(|step| step.role == StepRole::Record);
    structure
        .steps
        .iter()
        .any(|step| step.role == StepRole::Input && record.is_none_or(|record| record.reference != step.reference))
}
