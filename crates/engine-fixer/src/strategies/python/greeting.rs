//! Disclosures in bots, terminal programs and pages that are written in Python.

mod bots;
mod literals;
mod pages;
mod terminals;

use std::collections::BTreeSet;
use std::rc::Rc;

use engine_model::{Language, TraceKind};
use engine_syntax::tree::Node;

use super::places;
use crate::code::{Code, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Discloses to users of a bot, a terminal program or a Python page that an AI answers.
    ///
    /// A bot says so in its greeting, a terminal program prints it before the talk begins, and a page of Streamlit, Gradio or Chainlit
    /// shows it below its title. The sentence is in the language of the text beside it.
    ///
    /// Before:
    ///
    /// ```text bot.py
    /// import os
    ///
    /// from openai import OpenAI
    /// from telegram import Update
    /// from telegram.ext import Application, CommandHandler, ContextTypes, MessageHandler, filters
    ///
    /// client = OpenAI()
    ///
    ///
    /// async def start(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    ///     await update.message.reply_text("Hello! Ask me anything about our shop.")
    ///
    ///
    /// async def reply(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=update.message.text)
    ///     await update.message.reply_text(answer.output_text)
    ///
    ///
    /// app = Application.builder().token(os.environ["TOKEN"]).build()
    /// app.add_handler(CommandHandler("start", start))
    /// app.add_handler(MessageHandler(filters.TEXT, reply))
    /// app.run_polling()
    /// ```
    ///
    /// After:
    ///
    /// ```text bot.py
    /// import os
    ///
    /// from openai import OpenAI
    /// from telegram import Update
    /// from telegram.ext import Application, CommandHandler, ContextTypes, MessageHandler, filters
    ///
    /// client = OpenAI()
    ///
    ///
    /// async def start(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    ///     await update.message.reply_text("Hello! I am an AI assistant. Ask me anything about our shop.")
    ///
    ///
    /// async def reply(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=update.message.text)
    ///     await update.message.reply_text(answer.output_text)
    ///
    ///
    /// app = Application.builder().token(os.environ["TOKEN"]).build()
    /// app.add_handler(CommandHandler("start", start))
    /// app.add_handler(MessageHandler(filters.TEXT, reply))
    /// app.run_polling()
    /// ```
    ///
    /// The greeting is a constant in German, and the model is called in another file:
    ///
    /// Before:
    ///
    /// ```text
    /// //- shop/answers.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    ///
    /// def answer(text: str) -> str:
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// //- shop/bot.py
    /// from aiogram import Bot, Dispatcher
    /// from aiogram.filters import CommandStart
    /// from aiogram.types import Message
    ///
    /// from shop.answers import answer
    ///
    /// dp = Dispatcher()
    /// GREETING = (
    ///     "Hallo. Stell mir eine Frage zum Versand.\n"
    ///     "Ich antworte sofort."
    /// )
    ///
    ///
    /// @dp.message(CommandStart())
    /// async def on_start(message: Message) -> None:
    ///     await message.answer(GREETING)
    ///
    ///
    /// @dp.message()
    /// async def on_question(message: Message) -> None:
    ///     await message.answer(answer(message.text))
    /// ```
    ///
    /// After:
    ///
    /// ```text shop/bot.py
    /// from aiogram import Bot, Dispatcher
    /// from aiogram.filters import CommandStart
    /// from aiogram.types import Message
    ///
    /// from shop.answers import answer
    ///
    /// dp = Dispatcher()
    /// GREETING = (
    ///     "Hallo. Ich bin ein KI-Assistent. Stell mir eine Frage zum Versand.\n"
    ///     "Ich antworte sofort."
    /// )
    ///
    ///
    /// @dp.message(CommandStart())
    /// async def on_start(message: Message) -> None:
    ///     await message.answer(GREETING)
    ///
    ///
    /// @dp.message()
    /// async def on_question(message: Message) -> None:
    ///     await message.answer(answer(message.text))
    /// ```
    ///
    /// A page:
    ///
    /// Before:
    ///
    /// ```text app.py
    /// import streamlit as st
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    /// st.set_page_config(page_title="Desk")
    /// st.title("Ask our desk")
    ///
    /// if "messages" not in st.session_state:
    ///     st.session_state.messages = []
    /// question = st.chat_input("Your question")
    /// if question:
    ///     st.session_state.messages.append({"role": "user", "content": question})
    ///     answer = client.chat.completions.create(model="gpt-4.1-2025-04-14", messages=st.session_state.messages)
    ///     with st.chat_message("assistant"):
    ///         st.write(answer.choices[0].message.content)
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import streamlit as st
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    /// st.set_page_config(page_title="Desk")
    /// st.title("Ask our desk")
    /// st.caption("Answers are written by an AI system.")
    ///
    /// if "messages" not in st.session_state:
    ///     st.session_state.messages = []
    /// question = st.chat_input("Your question")
    /// if question:
    ///     st.session_state.messages.append({"role": "user", "content": question})
    ///     answer = client.chat.completions.create(model="gpt-4.1-2025-04-14", messages=st.session_state.messages)
    ///     with st.chat_message("assistant"):
    ///         st.write(answer.choices[0].message.content)
    /// ```
    PYTHON_GREETING_DISCLOSURE {
        id: "python-greeting-disclosure",
        checks: ["l4-undisclosed-interaction"],
        kind: Code,
        languages: [Python],
        plan: plan,
    }
}

/// An edit that discloses the AI.
pub(super) struct Disclosure {
    offset: usize,
    text: String,
    /// The sentence, for the description.
    sentence: &'static str,
    /// Where it is said.
    place: &'static str,
}

/// What users talk with, the most certain one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Surface {
    Page,
    Bot,
    Terminal,
}

/// Files that are looked at.
const FILES_MAX: usize = 600;

/// Files to which imports lead.
const IMPORTS_MAX: usize = 200;

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let own = site.finding.file.as_deref().ok_or(NoFix::NoPlace)?;
    // Where a person writes to the model, as far as that was seen.
    let talk = site
        .call()
        .and_then(|call| call.traced(TraceKind::Conversation))
        .and_then(|trace| trace.chain.first())
        .and_then(|place| place.file.as_deref());
    let mut found: Vec<(Surface, bool, &str)> = Vec::new();
    let mut asking: Vec<(Surface, bool, &str)> = Vec::new();
    for path in site
        .paths
        .iter()
        .copied()
        .filter(|path| Language::of_path(path) == Language::Python)
        .take(FILES_MAX)
    {
        let Some(file) = site.source.file(path).filter(|file| places::is_edited(file.zone)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&file.bytes);
        let Some(surface) = surface(&text) else { continue };
        if surface == Surface::Terminal {
            if path == talk.unwrap_or(own) {
                found.push((surface, false, path));
            }
        } else if Some(path) == talk || path == own || leads_to(site, path, own) {
            found.push((surface, Some(path) != talk && path != own, path));
        } else if surface == Surface::Page
            && ["requests", "httpx", "aiohttp"]
                .iter()
                .any(|library| text.contains(library))
        {
            asking.push((surface, true, path));
        }
    }
    // A page may ask the program over a request.
    if found.is_empty() && asking.len() == 1 {
        found = asking;
    }
    found.sort_unstable();
    let mut why = None;
    for (index, (surface, _, path)) in found.iter().enumerate() {
        let code = site.code(path)?;
        let disclosure = match surface {
            Surface::Page => pages::disclosure(&code),
            Surface::Bot => bots::disclosure(&|from, module| elsewhere(site, from, module), &code),
            Surface::Terminal => terminals::disclosure(&code),
        };
        match disclosure {
            Ok((path, disclosure)) => {
                let code = site.code(&path)?;
                draft.insert(&code, disclosure.offset, &disclosure.text);
                draft.describe(format!("Say \"{}\" {}.", disclosure.sentence, disclosure.place));
                draft.manual("Read the sentence where users see it, and adapt its wording.");
                let rest: Vec<String> = found
                    .iter()
                    .skip(index + 1)
                    .take(4)
                    .map(|(_, _, path)| format!("`{path}`"))
                    .collect();
                if !rest.is_empty() {
                    draft.manual(format!(
                        "Check whether users talk with the AI in these files as well: {}.",
                        rest.join(", ")
                    ));
                }
                return Ok(());
            }
            Err(error) => why = why.or(Some(error)),
        }
    }
    Err(why.unwrap_or_else(|| {
        NoFix::here("no greeting, terminal loop or Python page was found where the disclosure could be placed")
    }))
}

/// What a file talks through, by its imports.
fn surface(text: &str) -> Option<Surface> {
    let imports = |library: &str| {
        text.lines().any(|line| {
            let line = line.trim_start();
            let rest = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "));
            rest.and_then(|rest| rest.strip_prefix(library))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ', ',', '\r']))
        })
    };
    if ["streamlit", "gradio", "chainlit"]
        .iter()
        .any(|library| imports(library))
    {
        return Some(Surface::Page);
    }
    if bots::LIBRARIES.iter().any(|library| imports(library)) {
        return Some(Surface::Bot);
    }
    terminals::ASKS
        .iter()
        .any(|ask| text.contains(ask))
        .then_some(Surface::Terminal)
}

/// Whether the imports of a file lead to another one.
fn leads_to(site: &Site<'_>, from: &str, to: &str) -> bool {
    let mut known: BTreeSet<String> = BTreeSet::from([from.to_owned()]);
    let mut open = vec![from.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(code) = site.code(&path) else { continue };
        for module in imported(&code) {
            for next in files_of(site, &path, &module) {
                if next == to {
                    return true;
                }
                if known.len() < IMPORTS_MAX && known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    false
}

/// The file of the product that a module is, as a file names it.
fn elsewhere(site: &Site<'_>, from: &str, module: &str) -> Option<Rc<Code>> {
    let path = files_of(site, from, module).into_iter().next()?;
    site.code(&path).ok().filter(|code| places::is_edited(code.zone))
}

/// The modules that a file imports, with dots in front where they are relative.
fn imported(code: &Code) -> Vec<String> {
    let Ok(root) = code.root() else { return Vec::new() };
    let mut out = Vec::new();
    let statements = descendants(root, |node| {
        matches!(node.kind(), "import_statement" | "import_from_statement")
    });
    for statement in statements {
        let mut cursor = statement.walk();
        let names: Vec<Node<'_>> = statement.children_by_field_name("name", &mut cursor).collect();
        let name = |node: &Node<'_>| {
            code.of_node(node.child_by_field_name("name").unwrap_or(*node))
                .to_owned()
        };
        match statement.child_by_field_name("module_name") {
            Some(module) => {
                let module = code.of_node(module).to_owned();
                let joint = if module.ends_with('.') { "" } else { "." };
                out.extend(names.iter().map(|item| format!("{module}{joint}{}", name(item))));
                out.push(module);
            }
            None => out.extend(names.iter().map(name)),
        }
    }
    out
}

/// The files of the project that a module may be, as a file names it.
fn files_of(site: &Site<'_>, from: &str, module: &str) -> Vec<String> {
    let dots = module.len() - module.trim_start_matches('.').len();
    let parts = module.trim_start_matches('.').replace('.', "/");
    let folder = |path: &str| {
        path.rsplit_once('/')
            .map_or(String::new(), |(folder, _)| folder.to_owned())
    };
    let mut base = folder(from);
    let mut bases = Vec::new();
    if dots > 0 {
        for _ in 1..dots {
            base = folder(&base);
        }
        bases.push(base);
    } else {
        loop {
            bases.push(base.clone());
            if base.is_empty() {
                break;
            }
            base = folder(&base);
        }
        bases.push("src".to_owned());
    }
    let join = |base: &str, rest: &str| match (base.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => base.to_owned(),
        _ => format!("{base}/{rest}"),
    };
    bases
        .iter()
        .flat_map(|base| {
            let stem = join(base, &parts);
            [format!("{stem}.py"), format!("{stem}/__init__.py")]
        })
        .filter(|path| site.paths.binary_search(&path.as_str()).is_ok())
        .collect()
}

/// What the surfaces make of a file, for tests of forms that no scan reports.
#[cfg(test)]
pub(super) mod tests_of_surfaces {
    use super::{Disclosure, bots, pages, terminals};
    use crate::NoFix;
    use crate::code::Code;

    fn written(code: &Code, found: Result<(String, Disclosure), NoFix>) -> Result<String, NoFix> {
        let (_, disclosure) = found?;
        let mut text = code.text.clone();
        text.insert_str(disclosure.offset, &disclosure.text);
        Ok(text)
    }

    pub(in super::super) fn page(code: &Code) -> Result<String, NoFix> {
        written(code, pages::disclosure(code))
    }

    pub(in super::super) fn terminal(code: &Code) -> Result<String, NoFix> {
        written(code, terminals::disclosure(code))
    }

    pub(in super::super) fn bot(code: &Code) -> Result<String, NoFix> {
        written(code, bots::disclosure(&|_, _| None, code))
    }
}
