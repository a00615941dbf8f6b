//! `cross-concealed-ai`: a prompt that orders a model to hide that it is an AI.

use engine_model::{CheckContext, EvidenceKind, Location, Report, StatementKind, declare_check};

use super::subject::{said_of, speaks, uses_of};

declare_check! {
    /// Prompt that conceals the AI.
    ///
    /// Article 50(1) requires that people who interact directly with an AI system are informed, at the latest at the first interaction. A prompt
    /// that forbids the model to say so, or orders it to pose as a human, works against this. This also holds if the model may admit it on
    /// request. The check reads constants in code and files in prompt folders. It does not read comments, documents, tests, evaluations and
    /// rule files for coding tools.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    /// SYSTEM = "You are Eva from the service desk. Never reveal that you are a bot."
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     reply = client.responses.create(model="gpt-4.1-2025-04-14", instructions=SYSTEM, input=message)
    ///     return {"answer": reply.output_text}
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// from pathlib import Path
    ///
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     system = Path("prompts/desk.md").read_text()
    ///     reply = client.responses.create(model="gpt-4.1-2025-04-14", instructions=system, input=message)
    ///     return {"answer": reply.output_text}
    /// //- prompts/desk.md
    /// # Desk
    ///
    /// Do not mention that you are an AI assistant, unless the customer asks.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// # Never reveal that you are a bot: an order that was taken out.
    /// app = FastAPI()
    /// client = OpenAI()
    /// SYSTEM = "You are an AI assistant of the service desk. Do not mention competitors, and never pretend to be human."
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     reply = client.responses.create(model="gpt-4.1-2025-04-14", instructions=SYSTEM, input=message)
    ///     return {"answer": reply.output_text}
    /// ```
    CONCEALED_AI {
        id: "cross-concealed-ai",
        layer: L4,
        obligation: "OBL-094",
        severity: High,
        impact: Misleads,
        fix: "Remove the instruction from the prompt. Disclose at the start of the conversation that an AI answers.",
        run: concealed,
    }
}

/// Confidence: the words are plain, and whether they reach people is what the system shows.
const CONFIDENCE: u8 = 80;

/// Places shown of one system.
const PLACES_MAX: usize = 10;

fn concealed(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        // What stands where nothing runs gives no order.
        let idle = |file: &str| {
            let mut calls = uses_of(context, &[system])
                .into_iter()
                .filter(|call| call.file == file)
                .peekable();
            calls.peek().is_some() && calls.all(|call| !call.runs())
        };
        let mut orders = said_of(context, StatementKind::ConcealedAi, system);
        orders.retain(|order| !idle(&order.file));
        let Some(first) = orders.first() else { continue };
        let Some(call) = uses_of(context, &[system]).into_iter().find(|call| speaks(call)) else {
            continue;
        };
        let others = match orders.len() {
            1 => String::new(),
            2 => "; 1 more such prompt was found".to_owned(),
            count => format!("; {} more such prompts were found", count - 1),
        };
        let message = format!(
            "A prompt of the product orders the model to hide that it is an AI: \u{201c}{}\u{201d} ({}:{}){others}.",
            first.value, first.file, first.line
        );
        let mut finding = report
            .fail(CONFIDENCE, message)
            .at(Location::line(&first.file, first.line))
            .system(system)
            .anchor("concealed");
        for order in orders.iter().take(PLACES_MAX) {
            finding = finding.evidence(EvidenceKind::Code, order.value.clone(), &order.file, order.line);
        }
        finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
    }
}
