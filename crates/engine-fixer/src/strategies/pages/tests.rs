//! Pages that are edited, and pages that are refused.

use std::cell::RefCell;

use engine_model::{Date, Finding, FindingType, MemoryTree, SourceText, fixture};
use engine_scanner::{Evaluation, Settings, StatedClass, scan_memory};

use super::words::{self, WORDINGS};
use crate::tests::NoDrafts;
use crate::{Draft, FixInput, NoFix, Plan, Site, plan};

const APP: &str = r#"//- app.py
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()


@app.post("/desk")
def desk(question: str):
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=question)
    return {"reply": answer.output_text}
"#;

const EXPRESS: &str = r#"//- server/app.js
import express from "express";
import OpenAI from "openai";

const app = express();
const client = new OpenAI();

app.post("/api/ask", async (req, res) => {
  const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: req.body.question });
  res.json({ text: answer.output_text });
});
"#;

fn scanned(tree: &MemoryTree, class: Option<StatedClass>) -> Evaluation {
    let settings = Settings {
        risk_class: class,
        ..Settings::on(Date::constant(2026, 11, 20))
    };
    scan_memory(tree, &settings)
}

fn planned(tree: &MemoryTree, evaluation: &Evaluation, finding: &Finding) -> Result<Plan, NoFix> {
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    plan(FixInput {
        finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: Date::constant(2026, 11, 20),
        paths: &paths,
        source: tree,
        documents: &NoDrafts,
    })
}

/// Fixes the finding of a check; returns the changed files, whether the finding is gone, and the plan.
fn fixed(text: &str, check: &str) -> Result<(String, bool, Plan), NoFix> {
    let tree = fixture(text).unwrap();
    let class = (check != "l4-undisclosed-interaction").then_some(StatedClass::High);
    let before = scanned(&tree, class);
    let open = |evaluation: &Evaluation| {
        evaluation
            .findings
            .iter()
            .find(|finding| finding.check_id == check && finding.kind != FindingType::Pass)
            .cloned()
    };
    let Some(finding) = open(&before) else {
        panic!(
            "no finding: {:?}",
            before
                .findings
                .iter()
                .map(|finding| &finding.check_id)
                .collect::<Vec<_>>()
        )
    };
    let plan = planned(&tree, &before, &finding)?;
    let mut after = tree.clone();
    let mut shown = String::new();
    for change in &plan.files {
        let bytes = tree
            .file(&change.path)
            .map(|file| file.bytes.into_owned())
            .unwrap_or_default();
        let bytes = change.apply(&bytes).unwrap();
        shown.push_str(&String::from_utf8_lossy(&bytes));
        after.insert(change.path.clone(), bytes);
    }
    let next = scanned(&after, class);
    let gone = next
        .findings
        .iter()
        .all(|other| other.id != finding.id || other.kind == FindingType::Pass);
    Ok((shown, gone, plan))
}

#[track_caller]
fn disclosed(text: &str, wanted: &str) {
    let (shown, gone, plan) = fixed(text, "l4-undisclosed-interaction").unwrap_or_else(|error| panic!("{error}"));
    assert!(shown.contains(wanted), "{shown}");
    assert!(gone, "not gone:\n{shown}");
    assert!(!plan.safe && !plan.manual.is_empty());
}

/// Asserts the reason for which the page strategy refuses a project, whatever other strategies do.
#[track_caller]
fn refused(text: &str, why: &str) {
    let tree = fixture(text).unwrap();
    let evaluation = scanned(&tree, None);
    let finding = evaluation
        .findings
        .iter()
        .find(|finding| finding.check_id == "l4-undisclosed-interaction" && finding.kind != FindingType::Pass)
        .expect("a finding");
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let site = Site {
        finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: Date::constant(2026, 11, 20),
        paths: &paths,
        source: &tree,
        documents: &NoDrafts,
        read: RefCell::default(),
    };
    match super::disclose(&site, &mut Draft::default()) {
        Ok(()) => panic!("it is not refused"),
        Err(error) => assert!(error.to_string().contains(why), "{error}"),
    }
}

/// A chat page without a `lang` attribute.
fn page(path: &str, text: &str) -> String {
    format!(
        "{APP}//- {path}\n<!doctype html>\n<html>\n<body>\n  {text}\n  <form action=\"/desk\" method=\"post\">\n    <textarea name=\"message\"></textarea>\n  </form>\n</body>\n</html>\n"
    )
}

#[test]
fn sentences_need_no_escaping() {
    for wording in WORDINGS {
        let all = [Some(wording.sentence), wording.other_form.map(|form| form.0)];
        for sentence in all.into_iter().flatten() {
            assert!(
                !sentence.contains(['"', '\'', '’', '<', '>', '{', '}', '&', '\\', '$']),
                "{sentence}"
            );
        }
    }
}

#[test]
fn scanner_accepts_every_sentence() {
    for wording in WORDINGS {
        for (path, code) in [("web/chat.html", true), ("web/index.html", wording.anywhere)] {
            let text = page(path, "<h1>X</h1>").replace("<html>", &format!("<html lang=\"{}\">", wording.code));
            let (shown, gone, plan) = fixed(&text, "l4-undisclosed-interaction").unwrap();
            assert!(gone, "{} in {path}:\n{shown}", wording.name);
            assert_eq!(
                shown.contains(wording.sentence),
                code,
                "{} in {path}:\n{shown}",
                wording.name
            );
            if !code {
                assert!(
                    plan.manual.iter().any(|step| step.contains(wording.sentence)),
                    "{:?}",
                    plan.manual
                );
            }
        }
        if let Some((other, _)) = wording.other_form {
            let tree = page("web/index.html", &format!("<p>{other}</p>"));
            let evaluation = scanned(&fixture(&tree).unwrap(), None);
            let open = evaluation
                .findings
                .iter()
                .find(|finding| finding.check_id == "l4-undisclosed-interaction" && finding.kind != FindingType::Pass);
            assert!(open.is_none(), "{other}: {open:?}");
        }
    }
}

#[test]
fn language_is_detected_from_words() {
    for (text, code) in [
        ("Ask our desk a question. Send your message here", Some("en")),
        ("Stellen Sie hier Ihre Frage", Some("de")),
        ("Posez votre question ici", Some("fr")),
        ("Escribe tu pregunta aquí", Some("es")),
        ("Scrivi qui la tua domanda", Some("it")),
        ("Stel hier je vraag", Some("nl")),
        ("Wpisz pytanie i wyślij wiadomość", Some("pl")),
        ("Faça uma pergunta aqui", Some("pt")),
        ("Ställ din fråga här", Some("sv")),
        ("Stil dit spørgsmål her", Some("da")),
        ("Kirjoita viestisi tähän", Some("fi")),
        ("Napište zprávu a zeptejte se nás", Some("cs")),
        ("Napíšte správu a opýtajte sa nás", Some("sk")),
        ("Postavite vprašanje in pošlji sporočilo", Some("sl")),
        ("Upišite pitanje i pošalji poruku", Some("hr")),
        ("Írja be a kérdését és kérdezzen", Some("hu")),
        ("Scrie întrebarea aici și trimite", Some("ro")),
        ("Напишете въпрос и попитайте", Some("bg")),
        ("Γράψτε την ερώτησή σας", Some("el")),
        ("Kirjuta küsimus siin", Some("et")),
        ("Rakstiet jautājums šeit un sūtīt", Some("lv")),
        ("Rašykite klausimas čia ir siųsti", Some("lt")),
        ("Ikteb mistoqsija hawn", Some("mt")),
        ("Scríobh do ceist anseo", Some("ga")),
        ("Desk 24", None),
        ("客服", None),
    ] {
        assert_eq!(words::spoken(text).map(|(wording, _)| wording.code), code, "{text}");
    }
    assert!(words::is_foreign("请输入您的问题"));
    assert!(!words::is_foreign("Γράψτε"));
}

#[test]
fn informal_page_gets_informal_sentence() {
    disclosed(
        &page("web/index.html", "<h1>Stell deine Frage, wir sind für dich da</h1>"),
        "<p>Du chattest mit einem KI-System.</p>",
    );
    disclosed(
        &page("web/index.html", "<h1>Stellen Sie uns Ihre Frage</h1>"),
        "<p>Sie chatten mit einem KI-System.</p>",
    );
}

#[test]
fn ambiguous_pages_are_refused_by_name() {
    let other = "//- web/b.html\n<form action=\"/desk\"><textarea name=\"message\"></textarea></form>\n";
    refused(
        &format!("{}{other}", page("web/a.html", "")),
        "`web/a.html` and `web/b.html` may both show the answer",
    );
}

#[test]
fn page_with_the_route_is_chosen() {
    let other = "//- web/b.html\n<form action=\"/orders\"><textarea name=\"message\"></textarea></form>\n";
    disclosed(
        &format!("{}{other}", page("web/a.html", "")),
        "<p>You are interacting with an AI system.</p>\n  <form action=\"/desk\"",
    );
}

#[test]
fn only_page_is_chosen_with_a_manual_step() {
    let text = format!(
        "{APP}//- web/start.html\n<html lang=\"en\"><body>\n<form><input name=\"question\"><button>Ask</button></form>\n</body></html>\n"
    );
    let (shown, gone, plan) = fixed(&text, "l4-undisclosed-interaction").unwrap();
    assert!(
        gone && shown.contains("<body>\n<p>You are interacting with an AI system.</p>\n<form>"),
        "{shown}"
    );
    assert!(
        plan.manual.iter().any(|step| step.contains("no other page")),
        "{:?}",
        plan.manual
    );
}

#[test]
fn sign_in_and_search_forms_are_ignored() {
    let text = format!(
        "{APP}//- web/start.html\n<html lang=\"en\"><body>\n<form><input name=\"user\"><input type=\"password\"></form>\n<form role=\"search\"><input name=\"search\"></form>\n</body></html>\n"
    );
    refused(&text, "no page that shows the answer was found");
}

#[test]
fn flex_row_keeps_its_layout() {
    let text = format!(
        "{EXPRESS}//- web/src/Chat.jsx\nexport function Chat({{ text, send }}) {{\n  return (\n    <main>\n      <div className=\"flex gap-2\">\n        <input value={{text}} onKeyDown={{() => fetch(`${{API}}/api/ask`)}} />\n        <button onClick={{send}}>Send</button>\n      </div>\n    </main>\n  );\n}}\n"
    );
    disclosed(
        &text,
        "    <main>\n      <p>You are interacting with an AI system.</p>\n      <div className=\"flex gap-2\">",
    );
    // As the root of a component there is no place beside it.
    let text = text.replace("    <main>\n", "").replace("    </main>\n", "");
    refused(&text, "no container around the field");
}

#[test]
fn conditional_form_gets_the_sentence_inside() {
    let text = format!(
        "{EXPRESS}//- web/src/Chat.tsx\nexport function Chat({{ open, send }}: Props) {{\n  return (\n    <main>\n      {{open ? (\n        <form action=\"/api/ask\" onSubmit={{send}}>\n          <textarea name=\"q\" />\n        </form>\n      ) : null}}\n    </main>\n  );\n}}\n"
    );
    disclosed(
        &text,
        "onSubmit={send}>\n          <p>You are interacting with an AI system.</p>\n          <textarea",
    );
}

#[test]
fn v_else_form_gets_the_sentence_inside() {
    let text = format!(
        "{EXPRESS}//- web/Chat.vue\n<template>\n  <main>\n    <p v-if=\"done\">Done</p>\n    <form v-else @submit=\"ask\">\n      <textarea v-model=\"question\" />\n    </form>\n  </main>\n</template>\n<script>\nexport default {{ methods: {{ ask() {{ return fetch('/api/ask') }} }} }}\n</script>\n"
    );
    disclosed(
        &text,
        "    <form v-else @submit=\"ask\">\n      <p>You are interacting with an AI system.</p>",
    );
}

#[test]
fn svelte_blocks_are_parsed() {
    let text = format!(
        "{EXPRESS}//- web/src/Chat.svelte\n<script>\n  let question = '';\n  let answers = [];\n  const ask = () => fetch('/api/ask', {{ method: 'POST', body: question }});\n</script>\n\n{{#each answers as answer}}\n  <p>{{answer}}</p>\n{{/each}}\n<form on:submit|preventDefault={{() => ask()}}>\n  <input bind:value={{question}} />\n</form>\n"
    );
    disclosed(&text, "{/each}\n<p>You are interacting with an AI system.</p>\n<form");
}

#[test]
fn ejs_handlebars_and_twig_are_parsed() {
    for (path, page, wanted) in [
        (
            "views/ask.ejs",
            "<% if (text) { %><p><%= text %></p><% } %>\n<form action=\"/api/ask\" method=\"post\">\n  <textarea name=\"question\"><%= question %></textarea>\n</form>\n",
            "<% } %>\n<p>You are interacting with an AI system.</p>\n<form",
        ),
        (
            "views/ask.hbs",
            "{{#if text}}<p>{{text}}</p>{{/if}}\n<form action=\"/api/ask\" method=\"post\">\n  <input name=\"question\" value=\"{{question}}\">\n</form>\n",
            "{{/if}}\n<p>You are interacting with an AI system.</p>\n<form",
        ),
        (
            "views/ask.twig",
            "{# the form #}\n<form action=\"/api/ask\" method=\"post\">\n  <input name=\"question\" value=\"{{ question }}\">\n</form>\n",
            "<p>You are interacting with an AI system.</p>\n{# the form #}\n<form",
        ),
    ] {
        disclosed(&format!("{EXPRESS}//- {path}\n{page}"), wanted);
    }
}

#[test]
fn blade_page_is_found_by_route_name() {
    let text = r#"//- composer.json
{"require": {"openai-php/laravel": "^0.10"}}
//- app/Http/Controllers/DeskController.php
<?php

namespace App\Http\Controllers;

use Illuminate\Http\Request;
use OpenAI\Laravel\Facades\OpenAI;

class DeskController extends Controller
{
    public function answer(Request $request)
    {
        $result = OpenAI::chat()->create([
            'model' => 'gpt-4.1-2025-04-14',
            'messages' => [['role' => 'user', 'content' => $request->input('question')]],
        ]);
        return view('desk', ['text' => $result->choices[0]->message->content]);
    }
}
//- routes/web.php
<?php

use App\Http\Controllers\DeskController;
use Illuminate\Support\Facades\Route;

Route::post('/desk/answer', [DeskController::class, 'answer'])->name('desk.answer');
//- resources/views/desk.blade.php
@extends('layouts.app')
@section('content')
<h1>Ask our desk</h1>
<form action="{{ route('desk.answer') }}" method="post">
    @csrf
    <textarea name="question">{{ old('question') }}</textarea>
    <button>Send</button>
</form>
<p>{{ $text ?? '' }}</p>
@endsection
"#;
    disclosed(
        text,
        "<h1>Ask our desk</h1>\n<p>You are interacting with an AI system.</p>\n<form action=",
    );
}

#[test]
fn razor_page_is_found_by_action() {
    let text = r#"//- Desk.csproj
<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup><PackageReference Include="OpenAI" Version="2.1.0" /></ItemGroup></Project>
//- Controllers/DeskController.cs
using Microsoft.AspNetCore.Mvc;
using OpenAI.Chat;

namespace Desk.Controllers;

public class DeskController : Controller
{
    private readonly ChatClient client = new ChatClient(model: "gpt-4.1-2025-04-14", apiKey: Environment.GetEnvironmentVariable("KEY"));

    [HttpPost]
    public async Task<IActionResult> Ask(string question)
    {
        ChatCompletion completion = await client.CompleteChatAsync(question);
        return View("Index", completion.Content[0].Text);
    }
}
//- Views/Desk/Index.cshtml
@{
    ViewData["Title"] = "Desk";
}
@* the form *@
<h1>Ask our desk</h1>
<form asp-action="Ask" method="post">
    <textarea name="question"></textarea>
    <button type="submit">Send</button>
</form>
<p>@Model</p>
"#;
    disclosed(
        text,
        "<h1>Ask our desk</h1>\n<p>You are interacting with an AI system.</p>\n<form asp-action",
    );
}

#[test]
fn thymeleaf_page_is_found_by_mapping() {
    let text = r#"//- pom.xml
<project><dependencies><dependency><groupId>com.openai</groupId><artifactId>openai-java</artifactId><version>2.0.0</version></dependency></dependencies></project>
//- src/main/java/org/desk/DeskController.java
package org.desk;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.responses.ResponseCreateParams;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/desk")
public class DeskController {
    private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();

    @PostMapping("/ask")
    public String ask(@RequestParam String question) {
        var params = ResponseCreateParams.builder().model("gpt-4.1-2025-04-14").input(question).build();
        return client.responses().create(params).output().toString();
    }
}
//- src/main/resources/templates/desk.html
<!doctype html>
<html lang="en" xmlns:th="http://www.thymeleaf.org">
<body>
<h1>Ask our desk</h1>
<form th:action="@{/desk/ask}" method="post">
    <textarea name="question"></textarea>
</form>
</body>
</html>
"#;
    disclosed(
        text,
        "<h1>Ask our desk</h1>\n<p>You are interacting with an AI system.</p>\n<form th:action",
    );
}

#[test]
fn page_of_a_go_service_is_found_by_route() {
    let text = r#"//- go.mod
module desk

go 1.22

require github.com/openai/openai-go v0.1.0
//- main.go
package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openai/openai-go"
)

func ask(w http.ResponseWriter, r *http.Request) {
	client := openai.NewClient()
	answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    "gpt-4.1-2025-04-14",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(r.FormValue("question"))},
	})
	if err != nil {
		http.Error(w, "no answer", http.StatusBadGateway)
		return
	}
	fmt.Fprint(w, answer.Choices[0].Message.Content)
}

func main() {
	http.HandleFunc("POST /desk/ask", ask)
	http.ListenAndServe(":8080", nil)
}
//- web/desk.html
<html lang="en">
<body>
<h1>Ask our desk</h1>
<form hx-post="/desk/ask">
	<textarea name="question"></textarea>
</form>
</body>
</html>
"#;
    disclosed(
        text,
        "<h1>Ask our desk</h1>\n<p>You are interacting with an AI system.</p>\n<form hx-post",
    );
}

#[test]
fn next_route_leads_to_the_component_with_the_field() {
    let text = r#"//- app/api/chat/route.ts
import OpenAI from "openai";

const client = new OpenAI();

export async function POST(request: Request) {
  const { question } = await request.json();
  const answer = await client.responses.create({ model: "gpt-4.1-2025-04-14", input: question });
  return Response.json({ text: answer.output_text });
}
//- app/layout.tsx
export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
//- app/page.tsx
"use client";
import { useState } from "react";
import { Field } from "@/components/Field";

export default function Page() {
  const [text, setText] = useState("");
  const ask = async (question) => {
    const reply = await fetch("/api/chat", { method: "POST", body: JSON.stringify({ question }) });
    setText((await reply.json()).text);
  };
  return <main><p>{text}</p><Field send={ask} /></main>;
}
//- components/Field.tsx
export function Field({ send }) {
  return (
    <section>
      <form onSubmit={send}>
        <textarea placeholder="Question" />
      </form>
    </section>
  );
}
"#;
    disclosed(
        text,
        "    <section>\n      <p>You are interacting with an AI system.</p>\n      <form",
    );
}

#[test]
fn page_in_a_string_literal_is_edited() {
    let text = r#"//- app.py
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)
client = OpenAI()

PAGE = """
<!doctype html>
<html lang="en">
<body>
  <h1>Ask our desk</h1>
  <form method="post"><textarea name="question"></textarea><button>Send</button></form>
</body>
</html>
"""


@app.get("/")
def start():
    return PAGE


@app.post("/ask")
def ask():
    return client.responses.create(model="gpt-4.1-2025-04-14", input=request.form["question"]).output_text
//- templates/thanks.html
<html lang="en"><body><h1>Thank you</h1></body></html>
"#;
    disclosed(
        text,
        "  <h1>Ask our desk</h1>\n  <p>You are interacting with an AI system.</p>\n  <form",
    );
}

#[test]
fn bot_messages_are_refused() {
    let text = r#"//- bot.py
import os

from openai import OpenAI
from telegram import Update
from telegram.ext import ApplicationBuilder, MessageHandler, filters

client = OpenAI()


async def reply(update: Update, context):
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=update.message.text)
    await update.message.reply_text(answer.output_text)


app = ApplicationBuilder().token(os.environ["TOKEN"]).build()
app.add_handler(MessageHandler(filters.TEXT, reply))
app.run_polling()
//- web/index.html
<html lang="en"><body><form><textarea name="message"></textarea></form></body></html>
"#;
    refused(text, "also goes out as a message");
}

#[test]
fn streamlit_page_is_refused() {
    let text = r#"//- app.py
import streamlit as st
from openai import OpenAI

client = OpenAI()
st.title("Desk")
question = st.chat_input("Your question")
if question:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=question)
    st.write(answer.output_text)
//- web/index.html
<html lang="en"><body><form><textarea name="message"></textarea></form></body></html>
"#;
    refused(text, "is written in a program");
}

#[test]
fn pages_with_another_purpose_are_refused() {
    refused(
        &page("web/help/index.html", "<h1>Ask</h1>"),
        "is named for something else",
    );
}

#[test]
fn translated_page_needs_the_key_in_every_locale() {
    let text = format!(
        "{EXPRESS}//- web/src/Chat.tsx\nimport {{ useTranslation }} from \"react-i18next\";\nexport function Chat({{ send }}) {{\n  const {{ t }} = useTranslation();\n  return (\n    <main>\n      <form action=\"/api/ask\" onSubmit={{send}}>\n        <textarea placeholder={{t(\"chat.question\")}} />\n      </form>\n    </main>\n  );\n}}\n"
    );
    refused(&text, "translated");
    let locales = "//- web/locales/en/common.json\n{\n  \"chat\": { \"question\": \"Question\" }\n}\n";
    disclosed(
        &format!("{text}{locales}"),
        "{ \"question\": \"Question\", \"aiNotice\": \"You are interacting with an AI system.\" }",
    );
    // One language lacks the key.
    refused(
        &format!("{text}{locales}//- web/locales/fr/common.json\n{{ \"other\": \"Autre\" }}\n"),
        "translated",
    );
    // A language without a sentence.
    refused(
        &format!("{text}{locales}//- web/locales/ja/common.json\n{{ \"chat\": {{ \"question\": \"質問\" }} }}\n"),
        "translated",
    );
}

#[test]
fn crlf_and_tabs_are_kept() {
    let text = page("web/a.html", "<h1>Ask our desk</h1>").replace("  ", "\t");
    let tree = fixture(&text).unwrap();
    let crlf = String::from_utf8(tree.file("web/a.html").unwrap().bytes.into_owned())
        .unwrap()
        .replace('\n', "\r\n");
    let mut tree = tree;
    tree.insert("web/a.html", crlf.into_bytes());
    let evaluation = scanned(&tree, None);
    let finding = evaluation
        .findings
        .iter()
        .find(|finding| finding.check_id == "l4-undisclosed-interaction")
        .unwrap();
    let plan = planned(&tree, &evaluation, finding).unwrap();
    let bytes = tree.file("web/a.html").unwrap().bytes.into_owned();
    let after = String::from_utf8(plan.files[0].apply(&bytes).unwrap()).unwrap();
    assert!(
        after.contains("</h1>\r\n\t<p>You are interacting with an AI system.</p>\r\n\t<form"),
        "{after:?}"
    );
}

#[test]
fn fields_get_the_adjacent_name_or_are_refused() {
    let app = r#"//- app.py
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()

@app.post("/applicants/rank")
def rank(cv: str) -> str:
    reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": cv}])
    return reply.choices[0].message.content
"#;
    let page = |field: &str| {
        format!(
            "{app}//- web/index.html\n<html lang=\"en\"><body>\n<form action=\"/applicants/rank\">{field}</form>\n</body></html>\n"
        )
    };
    let name = |field: &str| fixed(&page(field), "l1-inaccessible-interface");
    assert!(name("<textarea name=\"cv\"></textarea>").is_err());
    assert!(name("<p>{{ label }}</p><textarea name=\"cv\"></textarea>").is_err());
    for (field, wanted) in [
        (
            "Your CV: <textarea name=\"cv\"></textarea>",
            "Your CV: <textarea aria-label=\"Your CV\" name=\"cv\">",
        ),
        (
            "<label>CV:</label><div><input name=\"cv\"></div>",
            "<label for=\"cv\">CV:</label><div><input id=\"cv\" name=\"cv\">",
        ),
        (
            "<table><tr><td>CV</td><td><input name=\"cv\"></td></tr></table>",
            "<td><input aria-label=\"CV\" name=\"cv\"></td>",
        ),
        (
            "<label>CV *</label><br><input id=\"a\" name=\"cv\">",
            "<label for=\"a\">CV *</label><br><input id=\"a\"",
        ),
    ] {
        let (shown, gone, _) = name(field).unwrap_or_else(|error| panic!("{field}: {error}"));
        assert!(shown.contains(wanted), "{shown}");
        assert!(gone, "{shown}");
    }
}

#[test]
fn form_that_sends_the_request_is_chosen() {
    let text = format!(
        "{EXPRESS}//- web/src/api.ts\nexport const ask = (text: string) => fetch(\"/api/ask\", {{ method: \"POST\", body: text }});\nexport const save = (text: string) => fetch(\"/api/notes\", {{ method: \"POST\", body: text }});\n//- web/src/Notes.tsx\nimport {{ ask, save }} from \"./api\";\n\nexport function Notes() {{\n  const [note, setNote] = useState(\"\");\n  const keep = () => save(note);\n  const send = async () => setNote(await (await ask(note)).text());\n  return (\n    <main>\n      <section>\n        <textarea value={{note}} />\n        <button onClick={{keep}}>Save</button>\n      </section>\n      <section>\n        <textarea value={{note}} />\n        <button onClick={{send}}>Send</button>\n      </section>\n    </main>\n  );\n}}\n//- web/src/Other.tsx\nimport {{ save }} from \"./api\";\nexport const Other = () => <form onSubmit={{save}}><textarea name=\"message\" /></form>;\n"
    );
    disclosed(
        &text,
        "        <button onClick={keep}>Save</button>\n      </section>\n      <p>You are interacting with an AI system.</p>\n      <section>\n        <textarea value={note} />\n        <button onClick={send}>",
    );
}

#[test]
fn component_libraries_get_their_text_element() {
    let page = |import: &str, body: &str| {
        format!(
            "{EXPRESS}//- web/src/Chat.tsx\n{import}\n\nexport function Chat({{ send }}: Props) {{\n  const ask = () => fetch(\"/api/ask\");\n  return (\n{body}  );\n}}\n"
        )
    };
    disclosed(
        &page(
            "import { Box, TextField, Typography } from \"@mui/material\";",
            "    <Box>\n      <Typography variant=\"h1\">Desk</Typography>\n      <form onSubmit={ask}>\n        <TextField name=\"question\" />\n      </form>\n    </Box>\n",
        ),
        "      <Typography variant=\"body2\">You are interacting with an AI system.</Typography>\n      <form",
    );
    disclosed(
        &page(
            "import { Text, TextInput, View, Button } from \"react-native\";",
            "    <View>\n      <Text style={styles.title}>Desk</Text>\n      <View style={styles.bar}>\n        <TextInput placeholder=\"Question\" />\n        <Button title=\"Send\" onPress={ask} />\n      </View>\n    </View>\n",
        ),
        "      <Text>You are interacting with an AI system.</Text>\n      <View style={styles.bar}>",
    );
}

#[test]
fn disclosed_page_has_no_finding() {
    let text = page(
        "web/index.html",
        "<h1>Ask us</h1>\n  <p>You are interacting with an AI system.</p>",
    );
    let evaluation = scanned(&fixture(&text).unwrap(), None);
    assert!(
        evaluation
            .findings
            .iter()
            .all(|finding| finding.check_id != "l4-undisclosed-interaction" || finding.kind == FindingType::Pass)
    );
}

#[test]
fn page_text_overrides_the_default_lang_attribute() {
    let text =
        page("web/index.html", "<h1>Stellen Sie uns hier Ihre Frage</h1>").replace("<html>", "<html lang=\"en\">");
    disclosed(&text, "<p>Sie chatten mit einem KI-System.</p>");
    let text = page("web/index.html", "<h1>Desk</h1>").replace("<html>", "<html lang=\"nl-BE\">");
    disclosed(&text, "<p>Je praat met een AI-assistent.</p>");
}

#[test]
fn paragraph_is_placed_in_a_valid_container() {
    let text = page("web/index.html", "<h1>Ask us</h1>")
        .replace("  <form", "  <table><tr><td><form")
        .replace("</form>", "</form></td></tr></table>");
    disclosed(&text, "<td><p>You are interacting with an AI system.</p><form");
    let text = page("web/index.html", "<h1>Ask us</h1>")
        .replace("  <form", "  <ul>\n<form")
        .replace("</form>", "</form>\n</ul>");
    disclosed(&text, "  <p>You are interacting with an AI system.</p>\n  <ul>\n<form");
    // The wrapper opens in a branch.
    let text =
        page("web/index.html", "<h1>Ask us</h1>").replace("  <form", "{% if a %}<span class=\"a\">{% endif %}\n<form");
    refused(&text, "no container");
}

#[test]
fn generic_types_in_razor_are_not_elements() {
    let code = crate::Code::of(&engine_model::SourceFile::new(
        "Views/A.cshtml",
        &b"@model IEnumerable<Answer>\n<h1>Ask</h1>\n<form>\n<textarea name=\"question\"></textarea>\n</form>\nName<input>\n"[..],
    ))
    .unwrap();
    let page = super::Page::of(std::rc::Rc::new(code)).unwrap();
    let names: Vec<&str> = page.elements.iter().map(|element| element.name.as_str()).collect();
    assert_eq!(names, ["h1", "form", "textarea", "input"]);
    assert_eq!(page.elements[1].parent, None);
}

#[test]
fn decision_pages_for_staff_are_refused() {
    let text = |form: &str| {
        format!(
            r#"//- app.py
import joblib
from flask import Flask, request

app = Flask(__name__)
model = joblib.load("loan.joblib")


@app.route("/decide", methods=["POST"])
def decide():
    row = [[request.form["loan_amount"], request.form["credit_history"], request.form["income"]]]
    status = "Approved" if model.predict(row)[0] == 1 else "Rejected"
    return {{"loan_status": status}}
//- templates/apply.html
<!doctype html>
<html lang="en">
<body>
  {form}
    <input name="income" aria-label="Income">
    <button>Decide</button>
  </form>
</body>
</html>
"#
        )
    };
    let why = |form: &str| {
        fixed(&text(form), "l4-untold-affected-person")
            .map(|(shown, ..)| shown)
            .unwrap_err()
            .to_string()
    };
    assert!(why("<h1>Loans of customers</h1><form action=\"/decide\">").contains("speaks of others"));
    assert!(why("<h1>Loans</h1><form action=\"/decide\">").contains("does not show whether the affected person"));
    assert!(why("<h1>Your loan</h1><form action=\"/other\">").contains("no form was found"));
}
