//! `l4-unlogged-model-call`: model calls without a persistent log.

use engine_model::{Call, CheckContext, Effect, EvidenceKind, Logging, Report, TraceKind, declare_check};

use super::{calls, named};

declare_check! {
    /// Unlogged model call.
    ///
    /// Article 12: a high-risk system must record events over its lifetime, so that its operation can be traced.
    /// Console output is not persistent and does not count as a log.
    ///
    /// Output that is stored in a database row or a file counts. In a repository that stores rows, output in a
    /// response may count too, because the client can send it back. The same applies to the printed output of a
    /// script that another file starts. Calls that compare faces have a separate check.
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
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import logging
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    /// logger = logging.getLogger(__name__)
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    ///     logger.info("ranked, %d characters", len(answer.output_text))
    ///     return answer.output_text
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from mongoengine import Document, StringField
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// class Row(Document):
    ///     text = StringField()
    ///     reply = StringField()
    ///
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     row = Row(text=text)
    ///     row.reply = client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    ///     row.save()
    ///     return row.reply
    /// ```
    /// Not reported:
    /// ```text
    /// //- grader.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def grade(text: str) -> str:
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// //- app.py
    /// import sqlite3
    ///
    /// from fastapi import FastAPI
    /// from grader import grade
    ///
    /// app = FastAPI()
    /// db = sqlite3.connect("essays.db")
    ///
    /// @app.post("/essays")
    /// def essays(text: str):
    ///     result = grade(text)
    ///     db.execute("INSERT INTO grades (essay, result) VALUES (?, ?)", (text, result))
    ///     return {"ok": True}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import sqlite3
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    /// db = sqlite3.connect("visits.db")
    ///
    /// @app.post("/visits")
    /// def visits(text: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    ///     if "spam" in answer:
    ///         return {"ok": False}
    ///     db.execute("INSERT INTO visits (text) VALUES (?)", (text,))
    ///     return {"ok": True}
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
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// //- auth/repository.py
    /// import sqlalchemy
    ///
    /// engine = sqlalchemy.create_engine("sqlite:///users.db")
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
    /// @app.post("/rank")
    /// def rank(text: str):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// //- store/repository.py
    /// import sqlalchemy
    ///
    /// engine = sqlalchemy.create_engine("sqlite:///ranks.db")
    /// ```
    /// Not reported:
    /// ```text
    /// //- ai/predict.py
    /// import sys
    ///
    /// import joblib
    ///
    /// model = joblib.load("loan.joblib")
    /// answer = model.predict([[float(sys.argv[1]), float(sys.argv[2])]])[0]
    /// if answer == 1:
    ///     print("Approved")
    /// else:
    ///     print("Rejected")
    /// //- controllers/loan.js
    /// const { spawn } = require("child_process");
    ///
    /// exports.apply = (req, res) => {
    ///   const script = spawn("python3", ["ai/predict.py", req.body.income, req.body.amount]);
    ///   script.stdout.on("data", (data) => Loan.create({ decision: data.toString() }));
    /// };
    /// ```
    UNLOGGED_MODEL_CALL {
        id: "l4-unlogged-model-call",
        layer: L4,
        obligation: "OBL-032",
        also: &["OBL-033"],
        evidence: "Logging of model calls found",
        severity: Medium,
        impact: Prepares,
        fix: "Log each interaction with time, model, version and a reference to input and output. Use the logger or a persistent table.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let calls = calls(context, system);
        let unlogged: Vec<_> = calls
            .iter()
            .filter(|call| {
                call.logging != Logging::Yes && !is_kept(call) && !is_biometric(call, &calls) && is_followed(call)
            })
            .collect();
        if let Some(first) = unlogged.first() {
            let others = match unlogged.len() {
                1 => String::new(),
                count => format!("; the same applies to {} of the other {}", count - 1, calls.len() - 1),
            };
            let message = format!(
                "No persistent log of requests and responses of {} was found{others}.",
                named(first)
            );
            let mut finding = report.fail(84, message).call(first).system(system);
            for call in unlogged.iter().skip(1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        } else if let Some(first) = calls.first()
            && calls.iter().all(|call| call.logging == Logging::Yes)
        {
            let message = match calls.len() {
                1 => format!("Logging of {} was found.", named(first)),
                count => format!(
                    "Logging of each of the {count} calls was found, first: {}.",
                    named(first)
                ),
            };
            report.pass(64, message).call(first).system(system);
        }
    }
}

/// Whether the answer is kept elsewhere than in a log.
fn is_kept(call: &Call) -> bool {
    call.effects.contains(&Effect::Database) || call.traced(TraceKind::Kept).is_some()
}

/// Whether a call is a part of comparing faces, voices or bodies: what a record of that has to hold is said by the check for it.
fn is_biometric(call: &Call, all: &[&Call]) -> bool {
    let biometric = |call: &Call| call.capabilities.iter().any(|known| known.is_biometric());
    biometric(call)
        || all
            .iter()
            .any(|other| biometric(other) && other.sdk.is_some() && other.sdk == call.sdk)
}

/// Whether a call runs and its answer is followed to where it is used; else nothing can be said of what becomes of it. An answer of which only
/// a branch was seen goes on through callers that were not followed, and in most programs that read so it was kept there.
fn is_followed(call: &Call) -> bool {
    let used = call
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Page | Effect::Mail | Effect::Shell | Effect::Tool));
    used && call.traced(TraceKind::Unreached).is_none()
}
