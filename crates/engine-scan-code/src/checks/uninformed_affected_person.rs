//! `l4-untold-affected-person`: decisions about people without an AI notice to them.

use engine_model::{
    CheckContext, Location, PersonArea, Report, Statement, StatementKind, StepRole, StructureKind, System,
    declare_check,
};

use super::{control, decision, place, places, record, structures};

declare_check! {
    /// Missing AI notice to affected person.
    ///
    /// Article 26(11): deployers of Annex III systems that make decisions about natural persons, or help to make
    /// them, must inform those persons. A sentence in the form, in the message with the decision or in the reply is
    /// enough.
    ///
    /// A page that names an AI which screens or rates, in words addressed to the person who is rated, is not
    /// reported.
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
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status, "notice": "This is an automated decision. You can ask for a person to review it."}
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
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status}
    /// //- templates/index.html
    /// <!doctype html>
    /// <html lang="en"><body><p>Get an AI-powered screening with a score.</p></body></html>
    /// ```
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
    /// //- templates/index.html
    /// <!doctype html>
    /// <html lang="en"><body><p>AI-powered screening of your applicants.</p></body></html>
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/letter.ts
    /// import OpenAI from "openai";
    ///
    /// const client = new OpenAI();
    ///
    /// export async function letter(applicant: any) {
    ///   return (await client.responses.create({ model: "gpt-4.1-2025-04-14", input: applicant.coverLetter })).output_text;
    /// }
    /// ```
    UNINFORMED_AFFECTED_PERSON {
        id: "l4-untold-affected-person",
        layer: L4,
        obligation: "OBL-080",
        evidence: "AI notice to affected person found",
        severity: High,
        impact: Misleads,
        fix: "Inform the person in the form or with the decision, in plain words, that an AI system takes part in it. State where to request a human and the reasons.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let decisions = structures(context, system, StructureKind::PersonDecision);
        // One place tells it for the whole system.
        if let Some(step) = decisions
            .iter()
            .find_map(|structure| control(structure, StepRole::Notice))
        {
            report
                .pass(60, "People are informed that a system takes part in the decision.")
                .at(super::step_place(step))
                .system(system);
        } else if let Some(said) = decisions
            .iter()
            .any(|structure| structure.area == Some(PersonArea::Education))
            .then(|| told_on_page(context, system))
            .flatten()
        {
            report
                .pass(60, "The page that shows a grade discloses that an AI takes part in it.")
                .at(Location::line(said.file.clone(), said.line))
                .system(system);
        } else if let Some(structure) = decisions.first().filter(|structure| {
            // Pages about marks speak to those who teach, unless they say what the mark is worth.
            structure.area == Some(PersonArea::Education) || !is_named_on_page(context, system)
        }) {
            let finding = report
                .fail(
                    90,
                    format!(
                        "A model determines {} about the person in {}. No notice to that person was found.",
                        decision(structure),
                        record(structure)
                    ),
                )
                .at(place(structure))
                .system(system)
                .anchor(structure.function.as_deref().unwrap_or("").to_owned());
            places(finding, structure);
        }
    }
}

/// Whether a page of the product names an AI that screens or rates, in words for the one who is rated: whether that person reads it, and takes
/// it for the decision, is for somebody to say. What is said to those who choose among people tells the others nothing.
fn is_named_on_page(context: &CheckContext<'_>, system: &System) -> bool {
    const RATES: [&str; 12] = [
        "screen",
        "scor",
        "rate ",
        "rated",
        "rating",
        "rank",
        "assess",
        "evaluat",
        "match",
        "interviewer",
        "analy",
        "eligib",
    ];
    const OTHERS: [&str; 12] = [
        "candidate",
        "applicant",
        "recruit",
        "hiring",
        "employer",
        "teacher",
        "instructor",
        "educator",
        "student",
        "customer",
        "admin",
        "officer",
    ];
    const PAGES: [&str; 9] = ["tsx", "jsx", "html", "htm", "vue", "svelte", "astro", "cshtml", "razor"];
    context.statements.iter().any(|statement| {
        let ending = statement.file.rsplit('.').next().unwrap_or("");
        let lower = statement.value.to_lowercase();
        let holds = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let addressed = lower.split(|c: char| !c.is_alphanumeric()).any(|word| {
            matches!(
                word,
                "you" | "your" | "get" | "receive" | "dein" | "deine" | "ihre" | "votre"
            )
        });
        statement.kind == StatementKind::AiNamed
            && PAGES.contains(&ending)
            && addressed
            && holds(&RATES)
            && !holds(&OTHERS)
            && context.speaks_of(system, &statement.file)
    })
}

/// A sentence on a page that calls a mark the work of an AI and says what it is worth: a learner who reads the mark there is told. What is
/// said to those who teach tells the learner nothing.
fn told_on_page<'a>(context: &CheckContext<'a>, system: &System) -> Option<&'a Statement> {
    const MARK: [&str; 7] = ["grading", "grade", "scor", "assess", "mark", "evaluat", "feedback"];
    const WORTH: [&str; 9] = [
        "approximat",
        "estimat",
        "formative",
        "automated",
        "not final",
        "not official",
        "mistake",
        "inaccura",
        "generated by",
    ];
    const OTHERS: [&str; 5] = ["teacher", "instructor", "educator", "examiner", "professor"];
    context.statements.iter().find(|statement| {
        let lower = statement.value.to_lowercase();
        let holds = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        statement.kind == StatementKind::AiNamed
            && holds(&MARK)
            && holds(&WORTH)
            && !holds(&OTHERS)
            && context.speaks_of(system, &statement.file)
    })
}
