//! Accessible pages: the language of a page, names of fields, and new messages that are announced.

use std::collections::BTreeMap;

use engine_model::{EvidenceKind, Zone};

use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

use super::document::{Element, Kind, Page, ending};
use super::{front, notice, place, words};

/// Places that a finding names at most; of more it names the first ones.
const PLACES_MAX: usize = 20;

declare_strategy! {
    /// Mends a fault of a page for assistive technology: its language, names of fields, or messages that are not announced.
    ///
    /// The language is the one that the texts show. A label next to a field is connected with it; other text before the field becomes its
    /// accessible name. The list of messages of a chat becomes one that screen readers announce.
    ///
    /// A page that does not declare its language:
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
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html>
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <p>Enter the CV and the vacancy here. The ranking is sent to you.</p>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// </body>
    /// </html>
    /// ```
    /// After:
    /// ```text
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <p>Enter the CV and the vacancy here. The ranking is sent to you.</p>
    /// <form action="/applicants/rank" method="post">
    /// <label for="cv">CV</label><textarea id="cv" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// </body>
    /// </html>
    /// ```
    ///
    /// A frame without texts gets the language of the pages in it:
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
    /// @app.post("/bewerbungen")
    /// def rank():
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": request.form["cv"]}])
    ///     return render_template("bewerbung.html", text=reply.choices[0].message.content)
    /// //- templates/base.html
    /// <!doctype html>
    /// <html>
    /// <head><title>{% block title %}{% endblock %}</title></head>
    /// <body>
    /// <main>{% block content %}{% endblock %}</main>
    /// </body>
    /// </html>
    /// //- templates/bewerbung.html
    /// {% extends "base.html" %}
    /// {% block content %}
    /// <h1>Bewerbungen ordnen</h1>
    /// <p>Fügen Sie hier den Lebenslauf ein, und senden Sie die Frage ab.</p>
    /// <form method="post">
    /// <label for="cv">Lebenslauf</label><textarea id="cv" name="cv"></textarea>
    /// <button>Absenden</button>
    /// </form>
    /// <output>{{ text }}</output>
    /// {% endblock %}
    /// ```
    /// After:
    /// ```text
    /// //- templates/base.html
    /// <!doctype html>
    /// <html lang="de">
    /// <head><title>{% block title %}{% endblock %}</title></head>
    /// <body>
    /// <main>{% block content %}{% endblock %}</main>
    /// </body>
    /// </html>
    /// ```
    ///
    /// Fields next to their names:
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
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label>Vacancy:</label>
    /// <input name="vacancy">
    /// <p>CV</p><textarea name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// </body>
    /// </html>
    /// ```
    /// After:
    /// ```text
    /// //- web/index.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    /// <main>
    /// <h1>Ranking of applicants</h1>
    /// <form action="/applicants/rank" method="post">
    /// <label for="vacancy">Vacancy:</label>
    /// <input id="vacancy" name="vacancy">
    /// <p>CV</p><textarea aria-label="CV" name="cv"></textarea>
    /// <button>Rank</button>
    /// </form>
    /// </main>
    /// </body>
    /// </html>
    /// ```
    ///
    /// In a component:
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
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/src/Rank.tsx
    /// export function Rank({ skills, change, send }) {
    ///   return (
    ///     <form onSubmit={send}>
    ///       <div>
    ///         <label className="font-medium">
    ///           CV of the applicant
    ///         </label>
    ///         <textarea
    ///           className="border"
    ///           onChange={change}
    ///         />
    ///       </div>
    ///       {skills.map((skill) => (
    ///         <div key={skill.id}>
    ///           <label>Level:</label>
    ///           <input type="text" value={skill.level} onChange={change} />
    ///         </div>
    ///       ))}
    ///     </form>
    ///   );
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- web/src/Rank.tsx
    /// export function Rank({ skills, change, send }) {
    ///   return (
    ///     <form onSubmit={send}>
    ///       <div>
    ///         <label htmlFor="cv-of-the-applicant" className="font-medium">
    ///           CV of the applicant
    ///         </label>
    ///         <textarea
    ///           id="cv-of-the-applicant"
    ///           className="border"
    ///           onChange={change}
    ///         />
    ///       </div>
    ///       {skills.map((skill) => (
    ///         <div key={skill.id}>
    ///           <label>Level:</label>
    ///           <input aria-label="Level" type="text" value={skill.level} onChange={change} />
    ///         </div>
    ///       ))}
    ///     </form>
    ///   );
    /// }
    /// ```
    ///
    /// A list of messages:
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
    /// @app.post("/applicants/ask")
    /// def ask(cv: str, question: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": question + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/src/Chat.tsx
    /// export function Chat({ messages, send }) {
    ///   return (
    ///     <main>
    ///       <div className="list">
    ///         {messages.map((message) => (
    ///           <div key={message.id} className={message.role}>{message.text}</div>
    ///         ))}
    ///       </div>
    ///       <form onSubmit={send}>
    ///         <textarea aria-label="Question" />
    ///       </form>
    ///     </main>
    ///   );
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- web/src/Chat.tsx
    /// export function Chat({ messages, send }) {
    ///   return (
    ///     <main>
    ///       <div role="log" className="list">
    ///         {messages.map((message) => (
    ///           <div key={message.id} className={message.role}>{message.text}</div>
    ///         ))}
    ///       </div>
    ///       <form onSubmit={send}>
    ///         <textarea aria-label="Question" />
    ///       </form>
    ///     </main>
    ///   );
    /// }
    /// ```
    ///
    /// A list keeps its role:
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
    /// @app.post("/applicants/ask")
    /// def ask(cv: str, question: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": question + cv}])
    ///     return reply.choices[0].message.content
    /// //- web/chat.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    ///   <h1>Applicants</h1>
    ///   <ol id="messages"></ol>
    ///   <form id="ask"><input name="question" aria-label="Question"><button>Send</button></form>
    /// </body>
    /// </html>
    /// ```
    /// After:
    /// ```text
    /// //- web/chat.html
    /// <!doctype html>
    /// <html lang="en">
    /// <body>
    ///   <h1>Applicants</h1>
    ///   <ol aria-live="polite" id="messages"></ol>
    ///   <form id="ask"><input name="question" aria-label="Question"><button>Send</button></form>
    /// </body>
    /// </html>
    /// ```
    ACCESSIBLE_PAGE {
        id: "accessible-page",
        checks: ["l1-inaccessible-interface"],
        kind: Code,
        languages: [],
        plan: mend,
    }
}

fn mend(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let kind = site
        .finding
        .evidence
        .iter()
        .find(|evidence| evidence.kind == EvidenceKind::Code);
    match kind.map(|evidence| evidence.reference.as_str()) {
        Some("PageWithoutLanguage") => declare_language(site, draft),
        Some("UnlabelledField") => name_fields(site, draft),
        Some("ChatInterface") => announce_messages(site, draft),
        _ => Err(NoFix::NoPlace),
    }
}

/// The places of a finding of one kind, by file.
fn places(site: &Site<'_>, kind: &str) -> Result<BTreeMap<String, Vec<u32>>, NoFix> {
    let all: Vec<_> = site
        .finding
        .evidence
        .iter()
        .filter(|evidence| evidence.kind == EvidenceKind::Code && evidence.reference == kind)
        .collect();
    if all.is_empty() {
        return Err(NoFix::here("the finding is about another fault of the page"));
    }
    if all.len() >= PLACES_MAX {
        return Err(NoFix::here("the fault is in 20 places or more; change them by hand"));
    }
    let mut out: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for evidence in all {
        if let (Some(file), Some(line)) = (&evidence.file, evidence.line) {
            out.entry(file.clone()).or_default().push(line);
        }
    }
    Ok(out)
}

fn page_of(site: &Site<'_>, path: &str) -> Result<Page, NoFix> {
    Page::of(site.code(path)?).ok_or(NoFix::Unparsed)
}

fn declare_language(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let places = places(site, "PageWithoutLanguage")?;
    let mut codes: Vec<&str> = Vec::new();
    for path in places.keys() {
        let page = page_of(site, path)?;
        let element = page
            .elements
            .iter()
            .find(|element| element.name.eq_ignore_ascii_case("html") && !element.has("lang"))
            .ok_or(NoFix::Gone)?;
        if !matches!(notice::translated(&page), Ok(None)) {
            return Err(NoFix::here(format!(
                "`{path}` is translated; set its language where the language is chosen"
            )));
        }
        let code = spoken_in(site, &page).ok_or_else(|| {
            NoFix::here(format!(
                "the texts of `{path}` do not show its language; add `lang` by hand"
            ))
        })?;
        draft.insert(&page.code, element.name_end, &format!(" lang=\"{code}\""));
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    draft.describe(format!("Declares the language of the page: `{}`", codes.join("`, `")));
    draft.manual("Check that the language fits all texts of the page.");
    Ok(())
}

/// The language of a page by its own texts, else by those of all pages of the product.
fn spoken_in(site: &Site<'_>, page: &Page) -> Option<&'static str> {
    /// Words that must show the language of a whole page.
    const LEAST: usize = 3;
    let own = page.visible();
    if let Some((wording, hits)) = words::spoken(&own)
        && hits >= LEAST
    {
        return Some(wording.code);
    }
    let mut all = own;
    for path in site.paths {
        if front::is_page(path)
            && ending(path) != "php"
            && Zone::of_path(path, "") == Zone::Product
            && let Ok(code) = site.code(path)
            && let Some(page) = Page::of(code)
        {
            if !matches!(notice::translated(&page), Ok(None)) {
                return None;
            }
            all.push_str(&page.visible());
        }
    }
    let (wording, hits) = words::spoken(&all)?;
    (hits >= LEAST).then_some(wording.code)
}

fn name_fields(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let places = places(site, "UnlabelledField")?;
    for (path, lines) in &places {
        let page = page_of(site, path)?;
        let mut given: Vec<String> = Vec::new();
        let mut lines = lines.clone();
        lines.sort_unstable();
        lines.dedup();
        for line in lines {
            let fields: Vec<usize> = page
                .elements
                .iter()
                .enumerate()
                .filter(|(_, element)| page.code.line_of(element.open.start) == line && is_unnamed(&page, element))
                .map(|(index, _)| index)
                .collect();
            if fields.is_empty() {
                return Err(NoFix::Gone);
            }
            for field in fields {
                name_field(draft, &page, field, &mut given)?;
            }
        }
    }
    draft.describe("Gives each field the name that is next to it");
    draft.manual("Check the names of the fields with a screen reader.");
    Ok(())
}

/// Whether a field has no name.
fn is_unnamed(page: &Page, element: &Element) -> bool {
    let is_field = match element.name.as_str() {
        "textarea" => true,
        "input" => matches!(
            page.literal(element, "type").unwrap_or(""),
            "" | "text" | "search" | "email" | "tel" | "url" | "password" | "number"
        ),
        _ => false,
    };
    let named = [
        "aria-label",
        "aria-labelledby",
        "title",
        "placeholder",
        ":placeholder",
        ":aria-label",
        "...",
        "v-bind",
    ];
    is_field && !named.iter().any(|name| element.has(name))
}

/// What is in front of a field.
enum Beside {
    /// A label that is connected with nothing.
    Label(usize),
    /// A text.
    Text(String),
}

fn name_field(draft: &mut Draft, page: &Page, index: usize, given: &mut Vec<String>) -> Result<(), NoFix> {
    let field = page.elements.get(index).ok_or(NoFix::Gone)?;
    let line = page.code.line_of(field.open.start);
    let why = || {
        NoFix::here(format!(
            "no name is next to the field in `{}` (line {line}); add a label by hand",
            page.code.path
        ))
    };
    let said = beside(page, index).ok_or_else(why)?;
    let text = match &said {
        Beside::Text(text) => text.clone(),
        Beside::Label(label) => label_text(page, *label).ok_or_else(why)?,
    };
    let is_repeated = field.repeated || page.has_loops || is_entry(&page.code.path);
    if let (Beside::Label(label), false) = (&said, is_repeated) {
        let label = page.elements.get(*label).ok_or(NoFix::Gone)?;
        let own = page.literal(field, "id").map(str::to_owned);
        if own.is_none() && field.has("id") {
            return Err(why());
        }
        let id = if let Some(id) = own {
            id
        } else {
            let id = new_id(page, field, &text, given).ok_or_else(why)?;
            add(draft, page, field, &format!("id=\"{id}\""));
            id
        };
        let name = if page.kind == Kind::Jsx { "htmlFor" } else { "for" };
        add(draft, page, label, &format!("{name}=\"{id}\""));
        given.push(id);
        return Ok(());
    }
    if text.contains(['"', '\'', '<', '>', '{', '}', '&', '\\']) {
        return Err(why());
    }
    add(draft, page, field, &format!("aria-label=\"{text}\""));
    Ok(())
}

/// Adds an attribute behind the name of an element, on a line of its own where the others have one.
fn add(draft: &mut Draft, page: &Page, element: &Element, attribute: &str) {
    let code = &page.code;
    let rest = code.text.get(element.name_end..element.open.end).unwrap_or("");
    let blanks = rest.len() - rest.trim_start().len();
    let gap = rest.get(..blanks).unwrap_or("");
    let text = if gap.contains('\n') {
        format!("\n{}{attribute}", gap.rsplit('\n').next().unwrap_or(" "))
    } else {
        format!(" {attribute}")
    };
    draft.insert(code, element.name_end, &text);
}

/// Whether a component is drawn more than once, by its name.
fn is_entry(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let words = engine_catalogue::words_of(name.split('.').next().unwrap_or(name));
    path.contains("components/ui/")
        || words.last().is_some_and(|word| {
            matches!(
                word.as_str(),
                "item" | "row" | "card" | "entry" | "cell" | "field" | "input"
            )
        })
}

/// The text of a label, in one line.
fn label_text(page: &Page, label: usize) -> Option<String> {
    let element = page.elements.get(label)?;
    let inner = page.inner(element)?;
    let has_children = page.elements.iter().any(|other| other.parent == Some(label));
    if has_children || inner.contains(['{', '<', '@']) {
        return None;
    }
    name_of(inner)
}

/// A text as the name of a field: short, in one line, without the marks around it.
fn name_of(text: &str) -> Option<String> {
    const CHARS_MAX: usize = 60;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = joined.trim_end_matches([':', '*', ' ']).to_owned();
    let has_letters = bare.chars().any(char::is_alphabetic);
    (has_letters && bare.chars().count() <= CHARS_MAX).then_some(bare)
}

/// The label or text directly in front of a field, or in front of the element that contains only the field.
fn beside(page: &Page, index: usize) -> Option<Beside> {
    let mut at = index;
    for _ in 0..3 {
        let element = page.elements.get(at)?;
        if let Some(found) = before(page, at) {
            return Some(found);
        }
        let parent = element.parent?;
        let holder = page.elements.get(parent)?;
        // Only what holds the field alone has the name of the field before it.
        let only = page
            .elements
            .iter()
            .filter(|other| other.parent == Some(parent))
            .count()
            == 1;
        let is_cell = matches!(holder.name.as_str(), "td" | "dd" | "div" | "span" | "p");
        let says = page
            .texts
            .iter()
            .any(|text| holder.open.end <= text.start && text.end <= element.open.start);
        if !only || !is_cell || says {
            return None;
        }
        at = parent;
    }
    None
}

/// What is said between the last element before another, or by that element.
fn before(page: &Page, index: usize) -> Option<Beside> {
    let element = page.elements.get(index)?;
    let start = element.outer;
    let from = element
        .parent
        .and_then(|parent| page.elements.get(parent))
        .map_or(0, |parent| parent.open.end);
    let sibling = page
        .elements
        .iter()
        .enumerate()
        .filter(|(_, other)| other.parent == element.parent && other.end() <= start && other.open.start >= from)
        .max_by_key(|(_, other)| other.end());
    // A line break may be between a text and its field.
    let sibling = match sibling {
        Some((at, other)) if other.name == "br" => page
            .elements
            .iter()
            .enumerate()
            .filter(|(_, earlier)| {
                earlier.parent == element.parent && earlier.end() <= other.open.start && earlier.open.start >= from
            })
            .max_by_key(|(_, earlier)| earlier.end())
            .filter(|_| {
                page.code
                    .text
                    .get(other.end()..start)
                    .is_some_and(|gap| gap.trim().is_empty())
            })
            .filter(|(earlier, _)| *earlier != at),
        other => other,
    };
    let behind = sibling.map_or(from, |(_, other)| other.end());
    let gap = page
        .code
        .text
        .get(behind..start)?
        .replace("<br>", " ")
        .replace("<br/>", " ")
        .replace("<br />", " ");
    if !gap.trim().is_empty() {
        let is_plain = !gap.contains(['{', '}', '<', '>', '(', ';', '=', '@'])
            && sibling.is_none_or(|(_, other)| other.name != "label");
        return name_of(&gap).filter(|_| is_plain).map(Beside::Text);
    }
    let (at, other) = sibling?;
    if other.name == "label" {
        let is_free = !other.has("for") && !other.has("htmlFor") && !other.has("...");
        let holds_field = page.elements.iter().enumerate().any(|(inner, element)| {
            page.is_within(inner, at) && matches!(element.name.as_str(), "input" | "textarea" | "select")
        });
        return (is_free && !holds_field).then_some(Beside::Label(at));
    }
    let is_text = matches!(
        other.name.as_str(),
        "p" | "span" | "strong" | "b" | "td" | "th" | "dt" | "div" | "h2" | "h3" | "h4" | "h5" | "legend"
    );
    if !is_text {
        return None;
    }
    label_text(page, at).map(Beside::Text)
}

/// An id that the file does not have yet.
fn new_id(page: &Page, field: &Element, text: &str, given: &[String]) -> Option<String> {
    let name = page.literal(field, "name").filter(|name| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    });
    let from_text = || {
        let mut out = String::new();
        for c in text.to_lowercase().chars() {
            if c.is_ascii_alphanumeric() {
                out.push(c);
            } else if !out.ends_with('-') && !out.is_empty() {
                out.push('-');
            }
        }
        out.trim_end_matches('-').to_owned()
    };
    let id = name.map_or_else(from_text, str::to_owned);
    let starts = id.starts_with(|c: char| c.is_ascii_alphabetic());
    let taken = given.contains(&id)
        || [format!("id=\"{id}\""), format!("id='{id}'"), format!("id={{'{id}'}}")]
            .iter()
            .any(|known| page.code.text.contains(known.as_str()));
    (starts && id.len() <= 40 && !taken).then_some(id)
}

fn announce_messages(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let places = places(site, "ChatInterface")?;
    for (path, lines) in &places {
        let page = page_of(site, path)?;
        for line in lines {
            let list = list_at(&page, *line).ok_or_else(|| {
                NoFix::here(format!(
                    "the element around the messages in `{path}` (line {line}) was not found; add `role=\"log\"` by hand"
                ))
            })?;
            let element = page.elements.get(list).ok_or(NoFix::Gone)?;
            let is_list =
                matches!(element.name.as_str(), "ol" | "ul" | "dl" | "table" | "tbody") || element.has("role");
            add(
                draft,
                &page,
                element,
                if is_list {
                    "aria-live=\"polite\""
                } else {
                    "role=\"log\""
                },
            );
        }
    }
    draft.describe("Makes screen readers announce new messages of the chat");
    draft.manual("Check with a screen reader how new messages are announced while an answer is written.");
    Ok(())
}

/// What marks a list of messages in a line.
const LISTS: [&str; 12] = [
    "essages.map(",
    "essages?.map(",
    "onversation.map(",
    "istory.map(",
    "Log.map(",
    "#each ",
    "v-for=",
    "id=\"",
    "class",
    "essages",
    "onversation",
    "istory",
];

/// The element that holds the messages that a line draws.
fn list_at(page: &Page, line: u32) -> Option<usize> {
    let start = page.code.offset(line, 1)?;
    let end = page.code.next_line(start);
    let text = page.code.text.get(start..end)?;
    let mark = LISTS.iter().find(|mark| text.contains(*mark))?;
    let at = start + text.find(mark)?;
    let mut index = page.element_at(at)?;
    let in_tag = page.elements.get(index).is_some_and(|element| at < element.open.end);
    if in_tag && *mark == "v-for=" {
        index = page.elements.get(index)?.parent?;
    } else if in_tag && !mark.starts_with("id") && *mark != "class" {
        return None;
    }
    // Components may not pass an attribute on to their element.
    for _ in 0..4 {
        let element = page.elements.get(index)?;
        if is_host(element) {
            break;
        }
        index = element.parent?;
    }
    // A frame around the whole chat contains both the list and the field.
    if holds_field(page, index) {
        index = list_within(page, index)?;
    }
    let element = page.elements.get(index)?;
    let is_free = !element.has("aria-live") && !element.has("...") && !element.repeated;
    (is_free && is_host(element)).then_some(index)
}

fn is_host(element: &Element) -> bool {
    matches!(
        element.name.as_str(),
        "div" | "section" | "main" | "article" | "ol" | "ul" | "aside" | "dl" | "tbody"
    )
}

/// Whether people write within an element.
fn holds_field(page: &Page, index: usize) -> bool {
    page.elements.iter().enumerate().any(|(at, element)| {
        page.is_within(at, index) && (place::is_field(page, element) || place::is_form(page, element))
    })
}

/// The one element within a chat that holds its messages and no field, by its name or since a loop fills it.
fn list_within(page: &Page, index: usize) -> Option<usize> {
    let is_named = |element: &Element| {
        let name = ["id", "class", "className"]
            .iter()
            .filter_map(|name| page.literal(element, name))
            .any(|value| {
                value.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
                    matches!(
                        word,
                        "messages" | "message" | "history" | "log" | "conversation" | "output"
                    )
                })
            });
        name && is_host(element) && !element.repeated
    };
    let fits: Vec<usize> = page
        .elements
        .iter()
        .enumerate()
        .filter(|(at, element)| {
            *at != index && page.is_within(*at, index) && is_named(element) && !holds_field(page, *at)
        })
        .map(|(at, _)| at)
        .collect();
    match fits.as_slice() {
        [only] => Some(*only),
        // Of one in another the outer one holds all of them.
        [first, rest @ ..] => rest
            .iter()
            .all(|other| page.is_within(*other, *first))
            .then_some(*first),
        [] => None,
    }
}
