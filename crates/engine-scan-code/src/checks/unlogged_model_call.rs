//! `l4-unlogged-model-call`: calls that leave no record.

use engine_model::{CheckContext, EvidenceKind, Logging, Report, declare_check};

use super::{calls, named};

declare_check! {
    /// Calls of a model that leave no record.
    ///
    /// Article 12: a high-risk system records events over its lifetime, so that what it did can be traced. Output on the
    /// console is not kept and is no record.
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
    UNLOGGED_MODEL_CALL {
        id: "l4-unlogged-model-call",
        layer: L4,
        obligation: "OBL-032",
        also: &["OBL-033"],
        severity: Medium,
        fix: "Record each interaction with time, model, version and a reference to input and answer, through the logger or a table that is kept.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let calls = calls(context, system);
        let unlogged: Vec<_> = calls.iter().filter(|call| call.logging != Logging::Yes).collect();
        if let Some(first) = unlogged.first() {
            let others = match unlogged.len() {
                1 => String::new(),
                count => format!("; the same holds for {} of the other {}", count - 1, calls.len() - 1),
            };
            let message = format!(
                "No record that is kept was observed of what {} was asked and answered{others}.",
                named(first)
            );
            let mut finding = report.fail(90, message).call(first).system(system);
            for call in unlogged.iter().skip(1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        } else if let Some(first) = calls.first() {
            let message = match calls.len() {
                1 => format!("A record beside {} was observed.", named(first)),
                count => format!(
                    "A record beside each of {count} calls was observed, first at {}.",
                    named(first)
                ),
            };
            report.pass(64, message).call(first).system(system);
        }
    }
}
