//! Fixes on the pages that people see: the sentence that tells of the AI, and accessible names, languages and live regions.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine_model::{Call, Capability, Effect, EvidenceKind, Language, PersonArea, StructureKind, TraceKind};

use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

mod access;
mod document;
mod find;
mod front;
mod notice;
mod origin;
mod place;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use access::ACCESSIBLE_PAGE;

use document::{Page, ending};
use front::Front;
use notice::Sentence;
use origin::{Origin, Place};
use place::Use;
use words::{ENGLISH, Wording};

declare_strategy! {
    /// Puts a sentence that discloses the AI above the form with which they use it.
    ///
    /// The page is the one that asks for the route of the handler, the one that the handler draws, or the only page of the product with a
    /// field to write in. The sentence is in the language of the page. If the page gets its texts from JSON files of translations, the
    /// sentence goes into each of them.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    ///
    /// @app.post("/chat")
    /// def chat(question: str):
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=question)
    ///     return {"reply": answer.output_text}
    /// //- templates/desk.html
    /// <!doctype html>
    /// <html lang="en">
    /// <head>
    ///   <title>Desk</title>
    /// </head>
    /// <body>
    ///   <h1>Ask our desk</h1>
    ///   <form id="ask">
    ///     <label>Question <input name="question"></label>
    ///     <button>Send</button>
    ///   </form>
    ///   <script>
    ///     const send = (body) => fetch("/chat", { method: "POST", body });
    ///   </script>
    /// </body>
    /// </html>
    /// ```
    /// After:
    /// ```text
    /// //- templates/desk.html
    /// <!doctype html>
    /// <html lang="en">
    /// <head>
    ///   <title>Desk</title>
    /// </head>
    /// <body>
    ///   <h1>Ask our desk</h1>
    ///   <p>You are interacting with an AI system.</p>
    ///   <form id="ask">
    ///     <label>Question <input name="question"></label>
    ///     <button>Send</button>
    ///   </form>
    ///   <script>
    ///     const send = (body) => fetch("/chat", { method: "POST", body });
    ///   </script>
    /// </body>
    /// </html>
    /// ```
    ///
    /// A component gets the class of its other small text, and keeps one root:
    ///
    /// Before:
    /// ```text
    /// //- server/app.js
    /// import express from "express";
    /// import OpenAI from "openai";
    ///
    /// const app = express();
    /// const client = new OpenAI();
    ///
    /// app.post("/api/ask", async (req, res) => {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: req.body.question });
    ///   res.json({ text: answer.output_text });
    /// });
    /// //- web/src/api.ts
    /// export async function ask(question: string): Promise<string> {
    ///   const reply = await fetch("/api/ask", { method: "POST", body: JSON.stringify({ question }) });
    ///   return (await reply.json()).text;
    /// }
    /// //- web/src/Desk.tsx
    /// "use client";
    ///
    /// import { useState } from "react";
    /// import { ask } from "./api";
    ///
    /// export function Desk() {
    ///   const [question, setQuestion] = useState("");
    ///   const [answer, setAnswer] = useState("");
    ///   return (
    ///     <form
    ///       className="space-y-2"
    ///       onSubmit={async (event) => {
    ///         event.preventDefault();
    ///         setAnswer(await ask(question));
    ///       }}
    ///     >
    ///       <textarea value={question} placeholder="Your question" onChange={(e) => setQuestion(e.target.value)} />
    ///       <button type="submit">Send</button>
    ///       <output>{answer}</output>
    ///       <p className="text-sm text-gray-500">We are here for you from 8 to 18.</p>
    ///     </form>
    ///   );
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- web/src/Desk.tsx
    /// "use client";
    ///
    /// import { useState } from "react";
    /// import { ask } from "./api";
    ///
    /// export function Desk() {
    ///   const [question, setQuestion] = useState("");
    ///   const [answer, setAnswer] = useState("");
    ///   return (
    ///     <form
    ///       className="space-y-2"
    ///       onSubmit={async (event) => {
    ///         event.preventDefault();
    ///         setAnswer(await ask(question));
    ///       }}
    ///     >
    ///       <p className="text-sm text-gray-500">You are interacting with an AI system.</p>
    ///       <textarea value={question} placeholder="Your question" onChange={(e) => setQuestion(e.target.value)} />
    ///       <button type="submit">Send</button>
    ///       <output>{answer}</output>
    ///       <p className="text-sm text-gray-500">We are here for you from 8 to 18.</p>
    ///     </form>
    ///   );
    /// }
    /// ```
    ///
    /// A page in another language:
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from flask import Flask, render_template, request
    /// from openai import OpenAI
    ///
    /// app = Flask(__name__)
    /// client = OpenAI()
    ///
    ///
    /// @app.post("/")
    /// def answer():
    ///     text = client.responses.create(model="gpt-4.1-2025-04-14", input=request.form["question"]).output_text
    ///     return render_template("start.html", text=text)
    /// //- templates/start.html
    /// {% extends "base.html" %}
    /// {% block content %}
    /// <h1>Fragen Sie uns</h1>
    /// <div class="row">
    ///   <form method="post">
    ///     <label for="question">Ihre Frage</label>
    ///     <textarea id="question" name="question"></textarea>
    ///     <button>Absenden</button>
    ///   </form>
    /// </div>
    /// <p>{{ text }}</p>
    /// {% endblock %}
    /// ```
    /// After:
    /// ```text
    /// //- templates/start.html
    /// {% extends "base.html" %}
    /// {% block content %}
    /// <h1>Fragen Sie uns</h1>
    /// <p>Sie chatten mit einem KI-System.</p>
    /// <div class="row">
    ///   <form method="post">
    ///     <label for="question">Ihre Frage</label>
    ///     <textarea id="question" name="question"></textarea>
    ///     <button>Absenden</button>
    ///   </form>
    /// </div>
    /// <p>{{ text }}</p>
    /// {% endblock %}
    /// ```
    ///
    /// A translated page:
    ///
    /// Before:
    /// ```text
    /// //- server/app.js
    /// import express from "express";
    /// import OpenAI from "openai";
    ///
    /// const app = express();
    /// const client = new OpenAI();
    ///
    /// app.post("/api/ask", async (req, res) => {
    ///   const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: req.body.question });
    ///   res.json({ text: answer.output_text });
    /// });
    /// //- src/locales/de.json
    /// {
    ///   "desk": {
    ///     "label": "Ihre Frage",
    ///     "send": "Absenden"
    ///   }
    /// }
    /// //- src/locales/en.json
    /// {
    ///   "desk": {
    ///     "label": "Your question",
    ///     "send": "Send"
    ///   }
    /// }
    /// //- src/Desk.vue
    /// <template>
    ///   <main>
    ///     <form @submit.prevent="ask">
    ///       <label for="question">{{ $t('desk.label') }}</label>
    ///       <textarea id="question" v-model="question" />
    ///       <button>{{ $t('desk.send') }}</button>
    ///     </form>
    ///     <output>{{ answer }}</output>
    ///   </main>
    /// </template>
    ///
    /// <script setup>
    /// import { ref } from 'vue'
    ///
    /// const question = ref('')
    /// const answer = ref('')
    ///
    /// async function ask() {
    ///   const reply = await fetch('/api/ask', { method: 'POST', body: JSON.stringify({ question: question.value }) })
    ///   answer.value = (await reply.json()).text
    /// }
    /// </script>
    /// ```
    /// After:
    /// ```text
    /// //- src/locales/de.json
    /// {
    ///   "desk": {
    ///     "label": "Ihre Frage",
    ///     "aiNotice": "Sie chatten mit einem KI-System.",
    ///     "send": "Absenden"
    ///   }
    /// }
    /// //- src/locales/en.json
    /// {
    ///   "desk": {
    ///     "label": "Your question",
    ///     "aiNotice": "You are interacting with an AI system.",
    ///     "send": "Send"
    ///   }
    /// }
    /// //- src/Desk.vue
    /// <template>
    ///   <main>
    ///     <p>{{ $t('desk.aiNotice') }}</p>
    ///     <form @submit.prevent="ask">
    ///       <label for="question">{{ $t('desk.label') }}</label>
    ///       <textarea id="question" v-model="question" />
    ///       <button>{{ $t('desk.send') }}</button>
    ///     </form>
    ///     <output>{{ answer }}</output>
    ///   </main>
    /// </template>
    ///
    /// <script setup>
    /// import { ref } from 'vue'
    ///
    /// const question = ref('')
    /// const answer = ref('')
    ///
    /// async function ask() {
    ///   const reply = await fetch('/api/ask', { method: 'POST', body: JSON.stringify({ question: question.value }) })
    ///   answer.value = (await reply.json()).text
    /// }
    /// </script>
    /// ```
    ///
    /// A document that describes the notice, while the page does not show it:
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/chat")
    /// def chat(message: str) -> dict:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": message}])
    ///     return {"answer": reply.choices[0].message.content}
    /// //- web/chat.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body><h1>Service centre</h1><form action="/chat" method="post"><input name="message" aria-label="Message"><button>Send</button></form></body>
    /// </html>
    /// //- docs/transparency-notice.md
    /// # Transparency notice
    ///
    /// For the assistant of the service centre, an AI system.
    ///
    /// ## AI interaction disclosure
    ///
    /// People are told above the chat that they are writing with an AI and that a person can take over.
    ///
    /// ## Place, time and clarity
    ///
    /// The line stands above the field of the chat from the first message on, in the language of the page.
    ///
    /// ## Accessibility
    ///
    /// The line is text, is read by screen readers before the field, and keeps a contrast of 7 to 1.
    /// ```
    /// After:
    /// ```text
    /// //- web/chat.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body><h1>Service centre</h1><p>You are interacting with an AI system.</p><form action="/chat" method="post"><input name="message" aria-label="Message"><button>Send</button></form></body>
    /// </html>
    /// ```
    PAGE_DISCLOSURE {
        id: "page-disclosure",
        checks: ["l4-undisclosed-interaction", "cross-notice-not-shown"],
        kind: Code,
        languages: [],
        plan: disclose,
    }
}

fn disclose(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let mut why = None;
    for at in places(site)? {
        let mut tried = Draft::default();
        match disclose_at(site, &mut tried, &at) {
            Ok(()) => {
                *draft = tried;
                return Ok(());
            }
            Err(error) if why.is_none() => why = Some(error),
            Err(_) => {}
        }
    }
    Err(why.unwrap_or(NoFix::NoPlace))
}

/// The calls that a finding is about, the most telling first.
fn places<'s>(site: &'s Site<'_>) -> Result<Vec<Place<'s>>, NoFix> {
    let finding = site.finding;
    let mut out: Vec<Place<'_>> = Vec::new();
    if finding.check_id != "cross-notice-not-shown"
        && let Some(file) = finding.file.as_deref()
    {
        let (line, column) = site.place()?;
        out.push(Place { file, line, column });
    }
    for evidence in finding
        .evidence
        .iter()
        .filter(|evidence| evidence.kind == EvidenceKind::Code)
    {
        let (Some(file), Some(line)) = (evidence.file.as_deref(), evidence.line) else {
            continue;
        };
        if let Some(call) = site
            .inventory
            .calls
            .iter()
            .find(|call| call.file == file && call.line == line)
            && !out.iter().any(|known| known.file == file && known.line == line)
        {
            out.push(Place {
                file,
                line,
                column: call.column,
            });
        }
    }
    Ok(out)
}

/// The call at a place.
fn call_at<'s>(site: &'s Site<'_>, at: &Place<'_>) -> Option<&'s Call> {
    let mut calls = site
        .inventory
        .calls
        .iter()
        .filter(|call| call.file == at.file && call.line == at.line);
    let first = calls.next()?;
    if first.column == at.column {
        return Some(first);
    }
    calls.find(|call| call.column == at.column).or(Some(first))
}

fn disclose_at(site: &Site<'_>, draft: &mut Draft, at: &Place<'_>) -> Result<(), NoFix> {
    if let Some(call) = call_at(site, at) {
        if call.effects.contains(&Effect::Mail) {
            return Err(NoFix::here(
                "the answer also goes out as a message, so a sentence on a page does not reach all users",
            ));
        }
        if call.traced(TraceKind::OwnerOnly).is_some() {
            return Err(NoFix::here("only the operator of the program can request the answer"));
        }
    }
    let origin = origin::origin(site, at);
    let front = Front::of(site);
    if let Some(found) = find::connected(site, &front, at, &origin, Use::Talk)? {
        return tell(site, draft, &found.page, &|part| found.uses(&origin, part), false);
    }
    // A page may be a text of the program.
    let asks = |part: &str| origin.asks(part);
    if let Some(page) = in_a_literal(site, &origin)? {
        return tell(site, draft, &page, &asks, false);
    }
    if let Some(path) = origin.files.iter().find(|path| draws_itself(site, path)) {
        return Err(NoFix::here(format!("the page is written in a program: `{path}`")));
    }
    let page = find::only(site, &front, Use::Talk)?;
    tell(site, draft, &page, &asks, true)
}

/// Whether a file draws its page, window or terminal with a library.
fn draws_itself(site: &Site<'_>, path: &str) -> bool {
    const LIBRARIES: [&str; 16] = [
        "streamlit",
        "gradio",
        "chainlit",
        "nicegui",
        "reflex",
        "dash",
        "flet",
        "tkinter",
        "customtkinter",
        "PyQt5",
        "PyQt6",
        "PySide6",
        "kivy",
        "textual",
        "taipy",
        "mesop",
    ];
    ending(path) == "py"
        && front::text_of(site, path).is_some_and(|text| {
            text.lines()
                .filter(|line| line.starts_with("import ") || line.starts_with("from "))
                .any(|line| LIBRARIES.iter().any(|library| front::has_word(line, library)))
        })
}

/// The page that a file on the way holds as a text, if there is one.
fn in_a_literal(site: &Site<'_>, origin: &Origin) -> Result<Option<Page>, NoFix> {
    let mut found: Vec<Page> = Vec::new();
    for path in &origin.files {
        let code = site.code(path)?;
        if !matches!(
            code.language,
            Language::Python | Language::JavaScript | Language::TypeScript
        ) {
            continue;
        }
        for (range, one_line) in notice::literals(&code) {
            let page = Page::of_literal(Rc::clone(&code), range, one_line);
            if place::has_block(&page, Use::Talk) {
                found.push(page);
            }
        }
    }
    if found.len() > 1 {
        return Err(NoFix::here(
            "the program holds several pages as texts; choose the one that shows the answer",
        ));
    }
    Ok(found.pop())
}

/// Puts the sentence for users on a page.
fn tell(
    site: &Site<'_>,
    draft: &mut Draft,
    page: &Page,
    uses: &dyn Fn(&str) -> bool,
    is_only: bool,
) -> Result<(), NoFix> {
    let path = page.code.path.as_str();
    is_read(path, &page.code.text)?;
    let block = place::block(page, Use::Talk, uses)?;
    let visible = page.visible();
    let is_talk = is_of_a_talk(path, &page.code.text);
    if let Some(translated) = notice::translated(page)? {
        let sentence = |language: &str| {
            let wording = words::of_code(language)?;
            let brazilian = language.to_ascii_lowercase().ends_with("-br") || language.ends_with("_BR");
            Some(match wording.other_form {
                Some((other, _)) if brazilian => other,
                _ => wording.sentence,
            })
        };
        let content = notice::add_to_locales(site, draft, page, &translated, &sentence)?;
        notice::put(draft, page, block, Sentence { content: &content })?;
        draft.describe(format!(
            "Adds a sentence that discloses the AI to `{path}` and to its translations"
        ));
        manual(draft, path, is_only);
        return Ok(());
    }
    let language = language(site, page, &visible);
    let (wording, translate) = match language {
        Some(wording) if wording.anywhere || is_talk => (wording, None),
        Some(wording) => (
            ENGLISH,
            Some(format!(
                "Replace the English sentence with {}: \"{}\".",
                wording.name, wording.sentence
            )),
        ),
        None => (
            ENGLISH,
            words::is_foreign(&visible).then(|| "Translate the sentence into the language of the page.".to_owned()),
        ),
    };
    let sentence = wording.sentence_for(&visible);
    if page.code.text.contains(sentence) {
        return Err(NoFix::Done);
    }
    notice::put(draft, page, block, Sentence { content: sentence })?;
    draft.describe(format!("Adds the sentence \"{sentence}\" above the form in `{path}`"));
    if let Some(step) = translate {
        draft.manual(step);
    }
    manual(draft, path, is_only);
    Ok(())
}

fn manual(draft: &mut Draft, path: &str, is_only: bool) {
    if is_only {
        draft.manual(format!(
            "Check that `{path}` is the page that shows the answer. It was chosen because no other page has a field to write in."
        ));
    }
    draft.manual("Check wording and place of the sentence. Users must see it before they use the system.");
}

/// Parts of paths of pages for something else, whose texts do not count as a disclosure.
const ELSEWHERE: [&str; 34] = [
    "privacy",
    "terms",
    "policy",
    "policies",
    "legal",
    "imprint",
    "impressum",
    "datenschutz",
    "cookie",
    "cookies",
    "admin",
    "settings",
    "cms",
    "pricing",
    "blog",
    "changelog",
    "docs",
    "test",
    "tests",
    "scripts",
    "stories",
    "story",
    "examples",
    "marketing",
    "seo",
    "merchant",
    "login",
    "signup",
    "help",
    "faq",
    "about",
    "auth",
    "signin",
    "register",
];

/// Refuses pages on which a disclosure is not read by those who use the system.
fn is_read(path: &str, text: &str) -> Result<(), NoFix> {
    let words: Vec<String> = path.split(['/', '.']).flat_map(engine_catalogue::words_of).collect();
    let elsewhere = ELSEWHERE.iter().find(|word| words.iter().any(|own| own == *word));
    match elsewhere {
        // A page that asks for the answer itself counts wherever it lies.
        Some(_) if text.contains("/api/") => Ok(()),
        Some(word) => Err(NoFix::here(format!(
            "`{path}` is named for something else (`{word}`); add the sentence where users read the answer"
        ))),
        None => Ok(()),
    }
}

/// Whether a page is one of a conversation, by its path or its list of messages.
fn is_of_a_talk(path: &str, text: &str) -> bool {
    const TALKS: [&str; 23] = [
        "answer",
        "chat",
        "chats",
        "chatbot",
        "conversation",
        "conversations",
        "assistant",
        "ask",
        "message",
        "messages",
        "interview",
        "bot",
        "tutor",
        "companion",
        "coach",
        "copilot",
        "support",
        "talk",
        "session",
        "call",
        "widget",
        "dialog",
        "agent",
    ];
    const ASIDE: [&str; 17] = [
        "success",
        "results",
        "thanks",
        "completed",
        "creator",
        "editor",
        "builder",
        "new",
        "wizard",
        "preview",
        "dashboard",
        "guide",
        "guides",
        "learn",
        "features",
        "landing",
        "demo",
    ];
    let words: Vec<String> = path.split(['/', '.']).flat_map(engine_catalogue::words_of).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let lists = [
        "messages.map(",
        "in messages",
        "#each messages",
        "id=\"messages",
        "id=\"chat-messages",
    ];
    !has(&ASIDE) && (has(&TALKS) || lists.iter().any(|list| text.contains(list)))
}

/// The language of a page: by what it says, else by what it or its frame declares.
fn language(site: &Site<'_>, page: &Page, visible: &str) -> Option<&'static Wording> {
    /// Words beyond which what a page says counts more than what it declares.
    const SURE: usize = 4;
    let declared = declared(page).or_else(|| declared_in_frames(site));
    let spoken = words::spoken(visible);
    match (spoken, declared) {
        (Some((wording, hits)), Some(declared)) if hits < SURE && declared.code != wording.code => {
            // A page of few words; those of another language may be names.
            if declared.code == "en" {
                Some(wording)
            } else {
                Some(declared)
            }
        }
        (Some((wording, _)), _) => Some(wording),
        (None, declared) => declared,
    }
}

/// The language that a page declares.
fn declared(page: &Page) -> Option<&'static Wording> {
    let element = page
        .elements
        .iter()
        .find(|element| element.name.eq_ignore_ascii_case("html"))?;
    words::of_code(page.literal(element, "lang")?)
}

/// The language that all frames of the product declare.
fn declared_in_frames(site: &Site<'_>) -> Option<&'static Wording> {
    let mut codes: BTreeSet<&'static str> = BTreeSet::new();
    for path in site
        .paths
        .iter()
        .filter(|path| matches!(ending(path), "html" | "tsx" | "jsx" | "cshtml" | "php" | "erb"))
    {
        let Some(text) = front::text_of(site, path) else {
            continue;
        };
        let Some((_, rest)) = text.split_once("<html") else {
            continue;
        };
        let tag = rest.split('>').next().unwrap_or("");
        let Some((_, value)) = tag.split_once("lang=") else {
            continue;
        };
        let value = value.trim_start_matches(['"', '\'']);
        let code: String = value
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        if let Some(wording) = words::of_code(&code) {
            codes.insert(wording.code);
        }
    }
    if codes.len() > 1 {
        None
    } else {
        codes.first().and_then(|code| words::of_code(code))
    }
}

declare_strategy! {
    /// Puts a sentence about the part of the AI in a decision above the form of the person whom the decision affects.
    ///
    /// The form must ask for the route of the decision, and the page must speak to that person: `your income`. A page for those who
    /// decide, or about marks, is left alone.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// import joblib
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = joblib.load("loan.joblib")
    ///
    ///
    /// @app.route("/decide", methods=["POST"])
    /// def decide():
    ///     row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    ///     status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    ///     return {"loan_status": status}
    /// //- templates/apply.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    ///   <h1>Apply for a loan</h1>
    ///   <form action="/decide" method="post">
    ///     <label>Loan amount <input name="loan_amount"></label>
    ///     <label>Your credit history <input name="credit_history"></label>
    ///     <label>Your income <input name="income"></label>
    ///     <button>Apply</button>
    ///   </form>
    /// </body>
    /// </html>
    /// ```
    /// After:
    /// ```text
    /// //- templates/apply.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    ///   <h1>Apply for a loan</h1>
    ///   <p>An AI system takes part in the assessment of your request.</p>
    ///   <form action="/decide" method="post">
    ///     <label>Loan amount <input name="loan_amount"></label>
    ///     <label>Your credit history <input name="credit_history"></label>
    ///     <label>Your income <input name="income"></label>
    ///     <button>Apply</button>
    ///   </form>
    /// </body>
    /// </html>
    /// ```
    DECISION_NOTICE {
        id: "page-decision-notice",
        checks: ["l4-untold-affected-person"],
        kind: Code,
        languages: [],
        plan: announce_decision,
    }
}

fn announce_decision(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let (line, column) = site.place()?;
    let file = site.finding.file.as_deref().ok_or(NoFix::NoPlace)?;
    let of_marks = site.inventory.structures.iter().any(|structure| {
        structure.kind == StructureKind::PersonDecision && structure.area == Some(PersonArea::Education)
    });
    if of_marks {
        return Err(NoFix::here(
            "the decision is about marks; add the notice where pupils or students see the mark",
        ));
    }
    let at = Place { file, line, column };
    let origin = origin::origin(site, &at);
    let found = find::connected(site, &Front::of(site), &at, &origin, Use::Form)?
        .ok_or_else(|| NoFix::here("no form was found that asks for the decision"))?;
    let page = &found.page;
    let path = page.code.path.as_str();
    if !matches!(
        ending(path),
        "html" | "htm" | "tsx" | "jsx" | "vue" | "svelte" | "astro" | "cshtml" | "razor"
    ) {
        return Err(NoFix::here(format!("`{path}` is not a kind of page that is edited")));
    }
    is_read(path, &page.code.text)?;
    if notice::translated(page)?.is_some() {
        return Err(NoFix::here(format!(
            "the texts of `{path}` are translated; add the notice to the translations by hand"
        )));
    }
    let visible = page.visible();
    speaks_to_the_affected(path, &visible)?;
    let block = place::block(page, Use::Form, &|part| found.uses(&origin, part))?;
    let language = language(site, page, &visible);
    let sentence = match language.map(|wording| wording.code) {
        Some("de") => "Ein KI-System analysiert Ihre Angaben und wirkt an der Entscheidung mit.",
        Some("fr") => "Une intelligence artificielle analyse votre demande et participe à la décision.",
        _ => "An AI system takes part in the assessment of your request.",
    };
    if let Some(wording) = language.filter(|wording| !matches!(wording.code, "en" | "de" | "fr")) {
        draft.manual(format!("Translate the sentence into {}.", wording.name));
    }
    notice::put(draft, page, block, Sentence { content: sentence })?;
    draft.describe(format!("Adds the sentence \"{sentence}\" above the form in `{path}`"));
    draft.manual(
        "Check wording and place of the sentence, and state where the person can ask for a human and for the reasons.",
    );
    Ok(())
}

/// Refuses pages that do not speak to the person whom a decision affects.
fn speaks_to_the_affected(path: &str, visible: &str) -> Result<(), NoFix> {
    const OTHERS: [&str; 14] = [
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
        "bewerber",
        "kunde",
    ];
    let lower = visible.to_lowercase();
    let mut said = lower.split(|c: char| !c.is_alphanumeric());
    let addressed = said.any(|word| {
        matches!(
            word,
            "you"
                | "your"
                | "my"
                | "apply"
                | "ihr"
                | "ihre"
                | "ihren"
                | "dein"
                | "deine"
                | "votre"
                | "vos"
                | "su"
                | "sus"
                | "suo"
                | "sua"
                | "uw"
                | "je"
                | "twój"
                | "twoje"
                | "twoja"
                | "seu"
        )
    });
    let others = OTHERS.iter().find(|word| lower.contains(*word));
    match others {
        Some(word) => Err(NoFix::here(format!(
            "`{path}` speaks of others (`{word}`), so the affected person may not see it"
        ))),
        None if !addressed => Err(NoFix::here(format!(
            "`{path}` does not show whether the affected person uses it"
        ))),
        None => Ok(()),
    }
}

declare_strategy! {
    /// Puts a sentence about the recognition of emotions before the part of a page that takes the picture or the recording.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from fer import FER
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// reader = FER()
    ///
    /// @app.post("/mood")
    /// def mood():
    ///     return {"mood": reader.top_emotion(request.files["photo"])}
    /// //- templates/input.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    ///   <h1>Songs for today</h1>
    ///   <form action="/mood" method="post" enctype="multipart/form-data">
    ///     <label>Photo <input type="file" name="photo"></label>
    ///     <button>Send</button>
    ///   </form>
    /// </body>
    /// </html>
    /// ```
    /// After:
    /// ```text
    /// //- templates/input.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    ///   <h1>Songs for today</h1>
    ///   <p>An AI system analyses your face to infer your emotions.</p>
    ///   <form action="/mood" method="post" enctype="multipart/form-data">
    ///     <label>Photo <input type="file" name="photo"></label>
    ///     <button>Send</button>
    ///   </form>
    /// </body>
    /// </html>
    /// ```
    ///
    /// In a component that recognises emotions itself:
    ///
    /// Before:
    /// ```text
    /// //- src/Booth.tsx
    /// import * as faceapi from "face-api.js";
    /// import { useRef, useState } from "react";
    ///
    /// export function Booth() {
    ///   const video = useRef<HTMLVideoElement>(null);
    ///   const [mood, setMood] = useState("");
    ///   async function read() {
    ///     const face = await faceapi.detectSingleFace(video.current!).withFaceExpressions();
    ///     setMood(face.expressions.asSortedArray()[0].expression);
    ///   }
    ///   return (
    ///     <div>
    ///       <video ref={video} autoPlay muted />
    ///       <button onClick={read}>{mood}</button>
    ///     </div>
    ///   );
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/Booth.tsx
    /// import * as faceapi from "face-api.js";
    /// import { useRef, useState } from "react";
    ///
    /// export function Booth() {
    ///   const video = useRef<HTMLVideoElement>(null);
    ///   const [mood, setMood] = useState("");
    ///   async function read() {
    ///     const face = await faceapi.detectSingleFace(video.current!).withFaceExpressions();
    ///     setMood(face.expressions.asSortedArray()[0].expression);
    ///   }
    ///   return (
    ///     <div>
    ///       <p>An AI system analyses your face to infer your emotions.</p>
    ///       <video ref={video} autoPlay muted />
    ///       <button onClick={read}>{mood}</button>
    ///     </div>
    ///   );
    /// }
    /// ```
    EMOTION_NOTICE {
        id: "page-emotion-notice",
        checks: ["l4-unannounced-emotion-recognition"],
        kind: Code,
        languages: [],
        plan: announce_emotions,
    }
}

/// Sentences about emotions that are read from a face and from a voice.
const EMOTIONS: [(&str, &str, Option<&str>); 7] = [
    (
        "en",
        "An AI system analyses your face to infer your emotions.",
        Some("An AI system analyses your voice to infer your emotions."),
    ),
    (
        "de",
        "Ein KI-System wertet Ihr Gesicht aus, um Ihre Emotionen zu erkennen.",
        Some("Ein KI-System wertet Ihre Stimme aus, um Ihre Emotionen zu erkennen."),
    ),
    (
        "fr",
        "Une intelligence artificielle analyse votre visage pour reconnaître vos émotions.",
        Some("Une intelligence artificielle analyse votre voix pour reconnaître vos émotions."),
    ),
    (
        "es",
        "Una inteligencia artificial analiza su rostro para detectar sus emociones.",
        Some("Una inteligencia artificial analiza su voz para detectar sus emociones."),
    ),
    (
        "it",
        "Questa telecamera analizza il volto con intelligenza artificiale per rilevare le emozioni.",
        None,
    ),
    (
        "nl",
        "Een AI-systeem analyseert uw gezicht om uw emoties te herkennen.",
        Some("Een AI-systeem analyseert uw stem om uw emoties te herkennen."),
    ),
    ("pl", "System AI analizuje twoją twarz, aby rozpoznać emocje.", None),
];

fn announce_emotions(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let call = site.call().ok_or(NoFix::NoPlace)?;
    if !call.can(Capability::EmotionInference) || call.can(Capability::SensitiveCategorisation) {
        return Err(NoFix::here(
            "people are sorted by a trait; a person must say in the notice what is inferred and why",
        ));
    }
    let at = Place {
        file: &call.file,
        line: call.line,
        column: call.column,
    };
    let origin = origin::origin(site, &at);
    let front = Front::of(site);
    let (page, is_only) = match find::connected(site, &front, &at, &origin, Use::Recording)? {
        Some(found) => (found.page, false),
        None => (find::only(site, &front, Use::Recording)?, true),
    };
    let page = &page;
    let path = page.code.path.as_str();
    if notice::translated(page)?.is_some() {
        return Err(NoFix::here(format!(
            "the texts of `{path}` are translated; add the notice to the translations by hand"
        )));
    }
    let block = place::block(page, Use::Recording, &|part| origin.asks(part))?;
    let visible = page.visible();
    let of_voice = ["voice", "speech", "audio", "wav", "hubert"]
        .iter()
        .any(|word| call.symbol.to_ascii_lowercase().contains(word));
    let language = language(site, page, &visible);
    let code = language.map_or("en", |wording| wording.code);
    let of_language = EMOTIONS.iter().find(|(own, ..)| *own == code);
    let english = EMOTIONS.first();
    let sentence = |row: &(&str, &'static str, Option<&'static str>)| if of_voice { row.2 } else { Some(row.1) };
    let own = of_language.and_then(sentence);
    if let (None, Some(wording)) = (own, language) {
        draft.manual(format!("Translate the sentence into {}.", wording.name));
    }
    let sentence = own.or_else(|| english.and_then(sentence)).ok_or(NoFix::Unparsed)?;
    notice::put(draft, page, block, Sentence { content: sentence })?;
    draft.describe(format!("Adds the sentence \"{sentence}\" to `{path}`"));
    if is_only {
        draft.manual(format!("Check that `{path}` is the page that takes the recording."));
    }
    draft.manual(
        "Check wording and place of the sentence. State why emotions are inferred, and how long the data is kept.",
    );
    Ok(())
}
