//! `l4-undisclosed-interaction`: answers that reach people who are not told.

use engine_model::{
    Call, CallKind, CheckContext, Effect, EntryPointKind, EvidenceKind, Report, Sends, Statement, StatementKind,
    System, declare_check,
};

use super::{calls, more, named as place_of, reaches_person, speaks};
use crate::facts::disclosure::speaks_to_a_person;

declare_check! {
    /// Answers of a model that reach people who are not told that an AI answers.
    ///
    /// Article 50(1): people who deal directly with an AI system must be told so, unless it is obvious. A sentence on the
    /// page, in the reply or in the greeting is enough; one place tells it for the whole system. Where only the interface names an AI, in a title,
    /// a label or the description of a command, nothing is held to be wanting: whether people take from it that the answers are its own is for a
    /// person to say, and the place is named. A label, a category or a list that a program asks a model for is no conversation.
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
    /// @app.post("/chat")
    /// def chat(question: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=question)
    ///     return {"reply": answer.output_text}
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
    /// @app.post("/chat")
    /// def chat(question: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=question)
    ///     return {"reply": answer.output_text, "notice": "This reply comes from an AI assistant."}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from flask import Flask, request
    /// from openai import OpenAI
    ///
    /// app = Flask(__name__)
    /// client = OpenAI()
    ///
    /// @app.post("/chat")
    /// def chat():
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=request.json["question"])
    ///     return {"reply": answer.output_text}
    /// //- templates/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <head><title>Desk</title></head>
    /// <body><h1>Ask our AI</h1><p>An AI writes the answers.</p><form><label>Question <input name="question"></label></form></body>
    /// </html>
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// from flask import Flask, request
    /// from openai import OpenAI
    ///
    /// # The AI behind the desk.
    /// app = Flask(__name__)
    /// client = OpenAI()
    ///
    /// @app.post("/chat")
    /// def chat():
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=request.json["question"])
    ///     return {"reply": answer.output_text}
    /// //- templates/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <head><title>Desk</title></head>
    /// <body><!-- the AI chat --><h1>Ask our desk</h1><form><label>Question <input name="question"></label></form></body>
    /// </html>
    /// ```
    /// Not reported:
    /// ```text
    /// //- tickets.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/tickets/kind")
    /// def classify_ticket(text: str):
    ///     kind = client.responses.create(model="gpt-4.1-2025-04-14", input="complaint or praise: " + text)
    ///     return {"kind": kind.output_text}
    /// ```
    UNDISCLOSED_INTERACTION {
        id: "l4-undisclosed-interaction",
        layer: L4,
        obligation: "OBL-094",
        severity: High,
        fix: "Tell people where the answer appears that an AI gives it, in their language: a line above the chat, in the first reply, or a field of the response that the page shows.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let calls = calls(context, system);
        if let Some(told) = calls.iter().find(|call| call.disclosure == Some(true)) {
            let (file, line) = told
                .disclosure_at
                .as_ref()
                .map_or((&told.file, told.line), |place| (&place.file, place.line));
            report
                .pass(88, format!("People are told at {file}:{line} that an AI answers."))
                .call(told)
                .system(system)
                .evidence(EvidenceKind::Code, "a text that names the AI", file, line);
            continue;
        }
        let mut shown: Vec<_> = calls
            .iter()
            .filter(|call| speaks(call) && reaches_person(call) && call.disclosure == Some(false))
            .filter(|call| converses(context, system, call))
            .collect();
        // The most telling place is the conversation itself: what a person sends, answered with tools at hand, and not
        // the title that another call writes for it.
        shown.sort_by_key(|call| {
            (
                !call.sends.contains(&Sends::UserInput),
                !call.effects.contains(&Effect::Tool),
            )
        });
        let Some(first) = shown.first() else { continue };
        // A sentence on the page that tells people is a notice; a name alone is not.
        if let Some(sentence) = named(context, system).find(|named| speaks_to_a_person(&named.value)) {
            report
                .pass(
                    NOTICE,
                    format!(
                        "The interface tells people that an AI answers ({}:{}).",
                        sentence.file, sentence.line
                    ),
                )
                .call(first)
                .system(system)
                .evidence(
                    EvidenceKind::Code,
                    "a text that names the AI",
                    &sentence.file,
                    sentence.line,
                );
            continue;
        }
        if let Some(named) = named(context, system).next() {
            report
                .info(
                    NAMED,
                    format!(
                        "The interface names an AI (`{}`, {}:{}), and no sentence tells people that it gives the answers of {}.",
                        named.value.chars().take(60).collect::<String>(),
                        named.file,
                        named.line,
                        place_of(first)
                    ),
                )
                .call(first)
                .system(system)
                .evidence(EvidenceKind::Code, named.value.clone(), &named.file, named.line);
            continue;
        }
        let message = if answers_programs(context, system) {
            format!(
                "The answer of {} goes out by a route, the reply says nowhere that an AI gives it, and no page of the tree shows it{}.",
                place_of(first),
                more(shown.len())
            )
        } else {
            format!(
                "The answer of {} reaches a person, and neither the reply nor a page says that an AI gives it{}.",
                place_of(first),
                more(shown.len())
            )
        };
        let mut finding = report.fail(70, message).call(first).system(system);
        for call in shown.iter().skip(1).take(20) {
            finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

/// Words in the name of a function, a file or an entry point where a person and a model talk.
const TALK: [&str; 30] = [
    "chat",
    "ask",
    "message",
    "conversation",
    "convers",
    "assistant",
    "bot",
    "question",
    "answer",
    "repl",
    "respond",
    "talk",
    "dialog",
    "tutor",
    "coach",
    "concierge",
    "support",
    "copilot",
    "query",
    "prompt",
    "completion",
    "voice",
    "agent",
    "discuss",
    "therap",
    "companion",
    "generate",
    "stream",
    "help",
    "advis",
];

/// Whether a person deals with the model at a place. Article 50(1) is about that, and not about a label that a program asks for.
fn converses(context: &CheckContext<'_>, system: &System, call: &Call) -> bool {
    let talks = |name: &str| {
        let lower = name.to_ascii_lowercase();
        TALK.iter().any(|word| lower.contains(word))
    };
    let stem = call.file.rsplit('/').next().unwrap_or(&call.file);
    let entries = &system.entry_points;
    let sorts = call.function.as_deref().is_some_and(|name| {
        let lower = name.to_ascii_lowercase();
        SORTING.iter().any(|word| lower.contains(word))
    });
    !sorts
        && (call.function.as_deref().is_some_and(talks)
            || talks(stem)
            || call.kind == CallKind::Declare
            || entries.iter().any(|entry| entry.kind == EntryPointKind::Message)
            || entries
                .iter()
                .any(|entry| entry.file == call.file && talks(&entry.name))
            || context.statements.iter().any(|statement| {
                statement.kind == StatementKind::ChatInterface && context.speaks_of(system, &statement.file)
            }))
}

/// Words in the name of a function whose answer is a label, a list or a summary for the program or for the owner of the data.
const SORTING: [&str; 14] = [
    "classif",
    "categor",
    "triage",
    "extract",
    "tag",
    "label",
    "sentiment",
    "title",
    "rank",
    "score",
    "detect",
    "parse",
    "route",
    "embed",
];

/// Confidence where the interface names an AI and no sentence says more: lower than of a gap, since nobody has judged such findings yet.
const NAMED: u8 = 60;

/// Confidence of a notice that stands in the interface and is not tied to this very call.
const NOTICE: u8 = 75;

/// The texts of the interface of a system that name an AI.
fn named<'a>(context: &CheckContext<'a>, system: &System) -> impl Iterator<Item = &'a Statement> {
    context
        .statements
        .iter()
        .filter(|statement| statement.kind == StatementKind::AiNamed && context.speaks_of(system, &statement.file))
}

/// Whether a system gives its answers by routes only, in a tree that holds no page at all: who shows them to people is not in sight.
fn answers_programs(context: &CheckContext<'_>, system: &System) -> bool {
    let routes = !system.entry_points.is_empty()
        && system
            .entry_points
            .iter()
            .all(|entry| matches!(entry.kind, EntryPointKind::Http | EntryPointKind::Library))
        && system
            .entry_points
            .iter()
            .any(|entry| entry.kind == EntryPointKind::Http);
    routes
        && !context.product_files().any(|file| {
            let ending = file.path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
            matches!(
                ending.as_str(),
                "html"
                    | "htm"
                    | "tsx"
                    | "jsx"
                    | "vue"
                    | "svelte"
                    | "astro"
                    | "cshtml"
                    | "razor"
                    | "jsp"
                    | "ftl"
                    | "erb"
                    | "php"
                    | "dart"
                    | "swift"
                    | "xaml"
                    | "j2"
                    | "jinja"
                    | "ejs"
                    | "hbs"
                    | "pug"
            )
        })
}
