//! `l4-undisclosed-interaction`: model output that reaches people without an AI disclosure.

use std::collections::HashSet;

use engine_model::{
    Applies, Call, CallKind, CheckContext, DependencyRelation, Effect, EntryPointKind, EvidenceKind, Report, Sends,
    Statement, StatementKind, System, TraceKind, declare_check,
};

use super::{calls, more, named as place_of, reaches_person, speaks};
use crate::facts::disclosure::{names_maker, speaks_to_a_person, tells_of_ai};
use crate::facts::notices::{Rank, excerpt, introduces, rank};
use crate::facts::{is_voice, may_speak};

declare_check! {
    /// Undisclosed AI interaction.
    ///
    /// Article 50(1): people who interact directly with an AI system must be informed of it, unless it is obvious. A
    /// sentence on the page, in the reply or in the greeting is enough. One place covers the whole system.
    ///
    /// An interface that only mentions AI, in a title, a button text or a command description, is not reported as a gap.
    /// The report names the place, and a person decides whether users understand that the AI produces the output. A class,
    /// a category or a list that a program requests from a model is not a conversation.
    ///
    /// Some cases raise a question instead of a gap. A back end may serve pages of another origin. A document may
    /// name a front end in another repository, or call the project a back end or an API at its beginning. Or no page
    /// in the repository shows the output of a service.
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
    /// //- templates/chat.html
    /// <!doctype html>
    /// <html lang="en">
    /// <head><title>Desk</title></head>
    /// <body><h1>Ask our desk</h1><form><label>Question <input name="question"></label></form></body>
    /// </html>
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
    ///     return {"reply": answer.output_text}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from fastapi.middleware.cors import CORSMiddleware
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// app.add_middleware(CORSMiddleware, allow_origins=["https://desk.example"])
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
        evidence: "AI disclosure found",
        severity: High,
        impact: Misleads,
        fix: "Disclose next to the output that it comes from an AI, in the user's language. Use a line above the chat, the first reply, or a response field that the page shows.",
        run: run,
    }
}

/// What is known of those who deal with one system.
struct Talk<'a> {
    system: &'a System,
    calls: Vec<&'a Call>,
    /// Calls whose answers people read in a talk, the most telling first.
    talks: Vec<&'a Call>,
    /// A call whose readers are told.
    told: Option<&'a Call>,
}

impl<'a> Talk<'a> {
    fn of(context: &CheckContext<'a>, system: &'a System) -> Self {
        let calls = calls(context, system);
        let mut talks: Vec<&Call> = calls
            .iter()
            .copied()
            .filter(|call| speaks(call) && reaches_person(call))
            .filter(|call| call.kind == CallKind::Declare || call.traced(TraceKind::Conversation).is_some())
            .collect();
        // The most telling place is the conversation itself: what a person sends, answered with tools at hand, and not
        // the title that another call writes for it.
        talks.sort_by_key(|call| {
            (
                // What only the owner of a program can ask for is no talk with people.
                call.traced(TraceKind::OwnerOnly).is_some(),
                !call.sends.contains(&Sends::UserInput),
                !call.effects.contains(&Effect::Tool),
                !call.effects.contains(&Effect::Page),
                // What is read aloud or drawn goes with a talk, and is none.
                is_medium(call),
                // What only finds out what is meant, or is there to try a prompt, answers nobody by itself.
                prepares(call),
                // What sums up is read, and answers nobody.
                sums_up(call),
                // Of many that a bot makes, the one that answers what somebody wrote comes before a helper's.
                !answers(call),
            )
        });
        // Where nobody is seen to talk with it, a text for those who read an answer tells it all the same. The label of another kind of
        // content tells nothing to those who talk.
        let told = talks.iter().copied().find(|call| is_told(call)).or_else(|| {
            // The text may stand in the very file that talks, though its answer was not followed.
            let beside = calls.iter().copied().find(|call| {
                let place = call.disclosure_at.as_ref();
                talks.is_empty()
                    && speaks(call)
                    && !is_picture(call)
                    && is_told(call)
                    // Who sends nothing but what stands in the program talks with nobody.
                    && call.sends.iter().any(|sent| *sent != Sends::Constant)
                    && place.is_some_and(|place| place.file == call.file)
            });
            let mut reading: Vec<&Call> = calls
                .iter()
                .copied()
                .filter(|call| talks.is_empty() && speaks(call) && reaches_person(call))
                .filter(|call| !embeds(call) && says_what_answers(call))
                .collect();
            reading.sort_by_key(|call| is_medium(call));
            let mut read = reading.into_iter();
            // Whoever is seen to write to it is told, however the answer goes out.
            let mut written = calls.iter().copied().filter(|call| talks.is_empty() && speaks(call));
            beside
                .or_else(|| read.find(|call| is_told(call)))
                .or_else(|| written.find(|call| is_told(call) && call.traced(TraceKind::Conversation).is_some()))
        });
        Self {
            system,
            calls,
            talks,
            told,
        }
    }

    /// The file with the text that tells those who talk, where it is the one of this very talk.
    fn own_notice(&self) -> Option<&'a str> {
        let told = self.told?;
        let file = told.disclosure_at.as_ref()?.file.as_str();
        (!self.talks.is_empty() || file == told.file).then_some(file)
    }
}

/// Whether a call stands in a function or a file that is named for what comes before an answer, or for trying a prompt.
fn prepares(call: &Call) -> bool {
    const PREPARES: [&str; 20] = [
        "parse",
        "parser",
        "parsing",
        "intent",
        "intents",
        "router",
        "classify",
        "classifier",
        "extract",
        "extractor",
        "rewrite",
        "rewriter",
        "title",
        "titles",
        "test",
        "tests",
        // What a tool finds goes back to the model that asked for it.
        "tool",
        "tools",
        "search",
        "retriever",
    ];
    let file = call.file.rsplit('/').next().unwrap_or("");
    let stem = file.split('.').next().unwrap_or("");
    holds_one_of(stem, &PREPARES) || in_function_for(call, &PREPARES)
}

/// Whether one of the words of a name is among others.
fn holds_one_of(name: &str, words: &[&str]) -> bool {
    engine_catalogue::words_of(name)
        .iter()
        .any(|word| words.contains(&word.as_str()))
}

/// Whether a call stands in a function that is named by one of several words.
fn in_function_for(call: &Call, words: &[&str]) -> bool {
    call.function.as_deref().is_some_and(|name| holds_one_of(name, words))
}

/// Whether a call stands in a function that is named for summing up what others wrote.
fn sums_up(call: &Call) -> bool {
    const SUMS_UP: [&str; 12] = [
        "news",
        "headlines",
        "briefing",
        "summarize",
        "summarise",
        "summarizer",
        "summary",
        "summaries",
        "summarization",
        "digest",
        "recap",
        "tldr",
    ];
    in_function_for(call, &SUMS_UP)
}

/// Whether a call stands in a function that is named for answering people.
fn answers(call: &Call) -> bool {
    const ANSWERS: [&str; 14] = [
        "chat",
        "message",
        "messages",
        "reply",
        "respond",
        "response",
        "converse",
        "conversation",
        "talk",
        "ask",
        "answer",
        "handle",
        "on",
        "say",
    ];
    in_function_for(call, &ANSWERS)
}

/// Whether a call makes pictures, films or sound.
fn is_medium(call: &Call) -> bool {
    call.capabilities.iter().any(|known| known.is_media())
}

/// Whether a call makes pictures, films or sound for people, and is no voice that talks with them.
fn is_picture(call: &Call) -> bool {
    !is_voice(call) && is_medium(call)
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    let all: Vec<Talk<'_>> = context.systems.iter().map(|system| Talk::of(context, system)).collect();
    let noticed: HashSet<&str> = all.iter().filter_map(Talk::own_notice).collect();
    for talk in all {
        // That the page of another system's talk names an AI is told there.
        let again = talk.own_notice().is_none();
        let Talk {
            system,
            calls,
            talks,
            told,
        } = talk;
        let nobody = talks.is_empty();
        if let Some(told) = told {
            let (file, line) = told
                .disclosure_at
                .as_ref()
                .map_or((&told.file, told.line), |place| (&place.file, place.line));
            let text = told
                .traced(TraceKind::ToldOfAi)
                .and_then(|trace| trace.chain.first())
                .map(|place| place.reference.as_str())
                .filter(|text| !text.is_empty());
            let said = text.map_or_else(String::new, |text| format!(": \"{text}\""));
            let entry = report
                .pass(
                    88,
                    format!(
                        "AI disclosure found at {file}:{line}{said}. Model call: {}:{}.",
                        told.file, told.line
                    ),
                )
                .call(told)
                .system(system)
                .evidence(
                    EvidenceKind::Code,
                    text.unwrap_or("a text that names the AI"),
                    file,
                    line,
                );
            if again && noticed.contains(file.as_str()) {
                entry.aside();
            }
            continue;
        }
        let shown: Vec<&Call> = talks
            .into_iter()
            .filter(|call| call.disclosure == Some(false))
            .collect();
        let Some(first) = shown.first() else {
            ask(context, system, &calls, nobody, report);
            continue;
        };
        // A prompt that orders the model to hide what it is leaves little doubt that nobody is to be told. The order is told as the gap, with
        // a call that follows it.
        let hides = context
            .statements
            .iter()
            .any(|said| said.kind == StatementKind::ConcealedAi && context.speaks_of(system, &said.file));
        if hides || in_interface(context, system, first, report) {
            continue;
        }
        // Where the product names the maker of the model, or has the model introduce itself, whether that tells people is a question.
        let hint = shown.iter().find_map(|call| hint(context, system, call));
        if let Some((text, file, line)) = hint {
            let may_tell = match text.strip_prefix('$') {
                Some(setting) => {
                    format!("the setting `{setting}` in its message may contain an AI disclosure ({file}:{line})")
                }
                None => format!("a text may be an AI disclosure (\"{text}\", {file}:{line})"),
            };
            report
                .info(
                    UNSEEN,
                    format!(
                        "The output of {} reaches a person, and {may_tell}. Whether every user sees or hears it first could not be determined{}.",
                        place_of(first),
                        more(&shown)
                    ),
                )
                .call(first)
                .system(system)
                .evidence(EvidenceKind::Code, text, file, line);
            continue;
        }
        // What people read around the answer is not in sight: whether they are told there is a question.
        let is_own = |call: &&Call| call.traced(TraceKind::OwnerOnly).is_some();
        // A bot of whose calls most are for its owner alone is the owner's; the others are helpers whose way was lost.
        let owned = shown.iter().filter(|call| is_own(call)).count();
        let own = owned * 2 > shown.len() && shown.iter().all(|call| is_own(call) || !answers(call));
        let shown: Vec<&Call> = shown.iter().copied().filter(|call| own || !is_own(call)).collect();
        let unseen = if own {
            Some("only the operator of the program can request it")
        } else {
            unseen(context, system, &calls, first)
        };
        if let Some(unseen) = unseen {
            report
                .info(
                    UNSEEN,
                    format!(
                        "The output of {} reaches a person, and no AI disclosure was found in the response, but {unseen}{}.",
                        place_of(first),
                        more(&shown)
                    ),
                )
                .call(first)
                .system(system)
                .evidence(EvidenceKind::Code, first.symbol.clone(), &first.file, first.line);
            continue;
        }
        let (first_of, others) = (place_of(first), more(&shown));
        // Who shows the answers of a service to people, and what stands around them there, is no fact of this tree.
        if !own && is_served_alone(context, system, &calls) {
            report
                .info(
                    UNSEEN,
                    format!(
                        "The output of {first_of} is returned to every client of the service, and no AI disclosure was found in the response. \
                         No page that shows it is in this repository: check whether the page elsewhere discloses the AI{others}."
                    ),
                )
                .call(first)
                .system(system)
                .evidence(EvidenceKind::Code, first.symbol.clone(), &first.file, first.line);
            continue;
        }
        // Whether whoever gets a summary deals with the system, or only reads what it wrote of others, is for a person to say.
        if !own && shown.iter().all(|call| sums_up(call)) {
            report
                .info(
                    UNSEEN,
                    format!(
                        "The output of {first_of} is a summary that reaches a person, and no AI disclosure was found. If people request it \
                         from the system, they must be informed: check whether they do{others}."
                    ),
                )
                .call(first)
                .system(system)
                .evidence(EvidenceKind::Code, first.symbol.clone(), &first.file, first.line);
            continue;
        }
        let message = format!(
            "The output of {first_of} reaches a person, and no AI disclosure was found in the response or on a page{others}."
        );
        let mut finding = report.fail(UNTOLD, message).call(first).system(system);
        // Where one call is the whole of it, the finding itself is the place.
        for call in shown.iter().filter(|_| shown.len() > 1).take(20) {
            finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

/// Whether a text greets whoever begins to talk.
fn greets(text: &str) -> bool {
    const GREETINGS: [&str; 16] = [
        "hello",
        "hi",
        "hey",
        "welcome",
        "привет",
        "здравствуй",
        "здравствуйте",
        "вітаю",
        "hola",
        "bonjour",
        "hallo",
        "ciao",
        "olá",
        "merhaba",
        "你好",
        "cześć",
    ];
    let lower = text.to_lowercase();
    let first = lower
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty());
    first.is_some_and(|word| GREETINGS.contains(&word))
}

/// Whether a text speaks of a talk with an AI, or invites to one.
fn speaks_of_a_talk(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_there = |words: &str| {
        lower.match_indices(words).any(|(at, _)| {
            let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            apart(lower[..at].chars().next_back()) && apart(lower[at + words.len()..].chars().next())
        })
    };
    [
        "conversations with ai",
        "conversation with ai",
        "ai conversation partner",
        "start ai interview",
        "start the ai interview",
        "start your ai interview",
        "begin ai interview",
        "begin the ai interview",
        "start ai chat",
        "start the ai chat",
        "chat with ai",
        "chat with our ai",
        "chat with an ai",
        "chat with your ai",
        "chat with the ai",
        "talk to ai",
        "talk to our ai",
        "talk to an ai",
        "talk to your ai",
        "talk to the ai",
        "talk with ai",
        "talk with our ai",
        "talk with your ai",
        "speak with our ai",
        "speak to our ai",
        "ask ai",
        "ask our ai",
        "ask the ai",
        "ask your ai",
    ]
    .iter()
    .any(|words| is_there(words))
}

/// The words of the name of a file, without its folder.
fn words_of_name(file: &str) -> Vec<String> {
    let name = file.rsplit('/').next().unwrap_or(file);
    engine_catalogue::words_of(name.split('.').next().unwrap_or(name))
}

/// Whether a page or component offers a plan or tells of a quota, by its name.
fn is_offer(file: &str) -> bool {
    const OFFERS: [&str; 11] = [
        "usage", "quota", "limit", "upgrade", "upsell", "paywall", "premium", "pricing", "billing", "plan", "plans",
    ];
    words_of_name(file).iter().any(|word| OFFERS.contains(&word.as_str()))
}

/// Whether a page is named for the talk itself, whatever its folders are called.
fn is_named_for_talk(file: &str) -> bool {
    const TALKS: [&str; 9] = [
        "chat",
        "chatbot",
        "conversation",
        "assistant",
        "tutor",
        "coach",
        "interview",
        "companion",
        "ask",
    ];
    words_of_name(file).iter().any(|word| TALKS.contains(&word.as_str()))
}

/// The text of a system that names the maker of the model that answers, or in which the model introduces itself, with its place.
fn hint<'a>(context: &CheckContext<'a>, system: &System, call: &'a Call) -> Option<(&'a str, &'a str, u32)> {
    let place = call.traced(TraceKind::ToldOfAi)?.chain.first()?;
    let (file, line) = (place.file.as_deref()?, place.line?);
    let says = place.reference.starts_with('$') || names_maker(&place.reference) || tells_of_ai(&place.reference);
    (says && context.in_scope(system, file)).then_some((place.reference.as_str(), file, line))
}

/// Whether the product depends on the library of a messenger, in which people talk.
fn has_messenger(context: &CheckContext<'_>) -> bool {
    const MESSENGERS: [&str; 7] = [
        "telegra", "aiogram", "discord", "slack", "whatsapp", "viber", "line-bot",
    ];
    context.inventory.packages.iter().any(|package| {
        MESSENGERS
            .iter()
            .any(|known| package.name.to_ascii_lowercase().contains(known))
    })
}

/// Whether the interface of a system tells who answers, or names an AI at least; it is reported.
fn in_interface(context: &CheckContext<'_>, system: &System, first: &Call, report: &mut Report) -> bool {
    // A page that shows the talk itself is where people talk, whatever it is called.
    let talked_on: HashSet<&str> = context
        .statements
        .iter()
        .filter(|statement| statement.kind == StatementKind::ChatInterface)
        .map(|statement| statement.file.as_str())
        .collect();
    // What people read where they talk with it is a notice, and so is a sentence elsewhere; a name on some page is not.
    let best = named(context, system)
        .filter_map(|named| {
            let rank = rank(&named.file, &named.value, talked_on.contains(named.file.as_str()))?;
            // So does the greeting of a bot, which is no page.
            let rank = if rank < Rank::Addresses && !is_page(&named.file) && greets(&named.value) {
                Rank::Addresses
            } else {
                rank
            };
            // A page that says that people have conversations with an AI speaks of the talk wherever it stands.
            let rank = if rank < Rank::NamesThere && speaks_of_a_talk(&named.value) {
                Rank::NamesThere
            } else {
                rank
            };
            Some((rank, named))
        })
        .filter(|(rank, named)| *rank > Rank::Tells && tells_of_ai(&named.value))
        // What speaks to those who talk tells them wherever it is written; of other texts only those of pages.
        .filter(|(rank, named)| *rank == Rank::Addresses || is_page(&named.file))
        .max_by(|a, b| {
            // The title of a page is told in its tab, and again where people see it.
            let same = (&a.1.file, &a.1.value) == (&b.1.file, &b.1.value);
            // What praises a plan or stands beside a quota tells of it to those who come there only; a page that is named for the talk does best.
            let worth = |file: &str| (!is_offer(file), is_named_for_talk(file));
            a.0.cmp(&b.0)
                .then_with(|| worth(&a.1.file).cmp(&worth(&b.1.file)))
                .then_with(|| {
                    if same {
                        a.1.line.cmp(&b.1.line)
                    } else {
                        (&b.1.file, b.1.line).cmp(&(&a.1.file, a.1.line))
                    }
                })
        });
    // Where an answer is only kept, a name on some screen says nothing of it: nobody is seen to talk there.
    let is_only_kept = first.effects == [Effect::Database] && first.traced(TraceKind::Conversation).is_none();
    let best = best.filter(|(rank, _)| !is_only_kept || *rank > Rank::NamesThere);
    if let Some((_, sentence)) = &best
        && first.effects.contains(&Effect::Mail)
        && first.effects.contains(&Effect::Page)
        && has_messenger(context)
    {
        // Whoever gets it in a chat sees no page; a mail is what the page was asked to send.
        report
            .info(
                UNSEEN,
                format!(
                    "The interface contains an AI disclosure (\"{}\", {}:{}), but the output of {} is also sent as a message. No AI disclosure was found in that message.",
                    excerpt(&sentence.value),
                    sentence.file,
                    sentence.line,
                    place_of(first)
                ),
            )
            .call(first)
            .system(system)
            .evidence(EvidenceKind::Code, "a text that names the AI", &sentence.file, sentence.line);
        return true;
    }
    if let Some((rank, sentence)) = best {
        let words = if rank == Rank::NamesThere {
            "The interface names the AI where users talk to it"
        } else {
            "The interface contains an AI disclosure"
        };
        report
            .pass(
                NOTICE,
                format!(
                    "{words}: \"{}\" ({}:{}).",
                    excerpt(&sentence.value),
                    sentence.file,
                    sentence.line
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
        return true;
    }
    // A page in another folder may be the one that shows the answers.
    let outside = context
        .statements
        .iter()
        .filter(|said| said.kind == StatementKind::AiNamed && !context.speaks_of(system, &said.file))
        .filter(|said| !for_operators(context, &said.file))
        .find(|said| rank(&said.file, &said.value, false) == Some(Rank::Addresses))
        .filter(|said| context.product_files().any(|file| file.path == said.file));
    if let Some(sentence) = outside.filter(|_| !first.effects.contains(&Effect::Mail)) {
        report
            .info(
                UNSEEN,
                format!(
                    "The output of {} reaches a person. A page in another part of the repository contains an AI disclosure (\"{}\", {}:{}), but whether that page shows the output could not be determined.",
                    place_of(first),
                    excerpt(&sentence.value),
                    sentence.file,
                    sentence.line
                ),
            )
            .call(first)
            .system(system)
            .evidence(EvidenceKind::Code, "a text that names the AI", &sentence.file, sentence.line);
        return true;
    }
    // Who writes to a bot on a platform for messages never sees the pages by which it is run.
    let by_message = first.effects.contains(&Effect::Mail) && !first.effects.contains(&Effect::Page);
    let seen = |named: &&Statement| !(by_message && is_for_running(&named.file));
    // Of several, what stands in the messages themselves comes before a page.
    let in_message = |named: &&Statement| by_message && !is_page(&named.file) && seen(named);
    let in_own = named(context, system).find(in_message);
    let named = in_own.or_else(|| named(context, system).find(seen));
    let named = named.or_else(|| named_elsewhere(context).filter(|named| seen(named)));
    // What a component shows unless it is given something else.
    let by_default = || {
        let mut all = context.statements.iter();
        all.find(|said| said.kind == StatementKind::AiNamedByDefault && context.speaks_of(system, &said.file))
    };
    // The page with its documentation is the only one that such a service shows.
    let by_description = || {
        let mut all = context.statements.iter();
        let first =
            all.find(|said| said.kind == StatementKind::ServiceNamesAi && context.speaks_of(system, &said.file));
        first.filter(|_| answers_programs(context, system))
    };
    if let Some(named) = named.or_else(by_default).or_else(by_description) {
        report
            .info(
                NAMED,
                format!(
                    "The interface names an AI (`{}`, {}:{}), but no text discloses that it produces the output of {}.",
                    named.value.chars().take(60).collect::<String>(),
                    named.file,
                    named.line,
                    place_of(first)
                ),
            )
            .call(first)
            .system(system)
            .evidence(EvidenceKind::Code, named.value.clone(), &named.file, named.line);
        return true;
    }
    false
}

/// Asks whether people are told where they deal with a system, while no answer was followed to them: the duty binds all the same.
fn ask(context: &CheckContext<'_>, system: &System, calls: &[&Call], nobody: bool, report: &mut Report) {
    let binds = system
        .obligations
        .iter()
        .any(|record| record.obligation_id == UNDISCLOSED_INTERACTION.obligation && record.applies == Applies::Applies);
    let asked = |call: &&&Call| speaks(call) && may_speak(call) && !embeds(call);
    let first = calls
        .iter()
        .filter(asked)
        .find(|call| call.sends.contains(&Sends::UserInput))
        .or_else(|| calls.iter().find(asked));
    let Some(first) = first.filter(|_| binds) else { return };
    if in_interface(context, system, first, report) {
        return;
    }
    report
        .info(
            UNSEEN,
            if nobody {
                format!(
                    "Users interact with {}, but its output could not be traced to a user interface, and no AI disclosure was found.",
                    place_of(first)
                )
            } else {
                format!(
                    "Users interact with {}, but not all of them see the AI disclosure.",
                    place_of(first)
                )
            },
        )
        .call(first)
        .system(system)
        .evidence(EvidenceKind::Code, first.symbol.clone(), &first.file, first.line);
}

/// Whether a call is one whose answer is numbers to search by, as its place tells.
fn embeds(call: &Call) -> bool {
    let named = |name: &str| name.to_ascii_lowercase().contains("embed");
    named(&call.file) || call.function.as_deref().is_some_and(named)
}

/// Whether the text by which people are told of an AI says that it answers, and is not only the name of something: where nobody is seen to talk,
/// the text of another part of a program may be about anything.
fn says_what_answers(call: &Call) -> bool {
    let folder = |file: &str| file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let text = call.traced(TraceKind::ToldOfAi).and_then(|trace| trace.chain.first());
    text.is_none_or(|place| {
        let near = |file: &String| is_page(file) || folder(file) == folder(&call.file);
        place.reference.is_empty()
            || place.file.as_ref().is_some_and(near)
            || speaks_to_a_person(&place.reference)
            || introduces(&place.reference)
    })
}

/// Whether those who read the answer of a call are told where it comes from.
fn is_told(call: &Call) -> bool {
    call.disclosure == Some(true)
}

/// Confidence of a gap: what people read elsewhere may not have been seen.
const UNTOLD: u8 = 70;

/// Confidence where the interface names an AI and no sentence says more: lower than of a gap, since nobody has judged such findings yet.
const NAMED: u8 = 60;

/// Confidence where what stands around the answer is not in sight.
const UNSEEN: u8 = 60;

/// Confidence of a notice that stands in the interface and is not tied to this very call.
const NOTICE: u8 = 75;

/// Whether a file is one that draws a page.
fn is_page(file: &str) -> bool {
    let ending = file.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    matches!(ending.as_str(), "js" | "cshtml" | "razor")
        || PAGES.contains(&ending.as_str()) && ending != "xaml"
        || file.ends_with(".blade.php")
}

/// The texts of the interface of a system that name an AI.
fn named<'a>(context: &CheckContext<'a>, system: &System) -> impl Iterator<Item = &'a Statement> {
    context
        .statements
        .iter()
        .filter(|statement| statement.kind == StatementKind::AiNamed && context.speaks_of(system, &statement.file))
        .filter(|statement| !for_operators(context, &statement.file))
        // Names of classes and marks for a console are no words to people; a greeting may list the commands of its bot.
        .filter(|statement| !statement.value.contains(['[', '{', '_']) || introduces(&statement.value))
}

/// Whether a page is for those who run a service, while people talk with the model on another.
fn for_operators(context: &CheckContext<'_>, file: &str) -> bool {
    let inside = |file: &str| {
        file.rsplit('/')
            .skip(1)
            .any(|folder| matches!(folder, "admin" | "backoffice" | "back-office"))
    };
    inside(file)
        && context
            .statements
            .iter()
            .any(|statement| statement.kind == StatementKind::ChatInterface && !inside(&statement.file))
}

/// Whether a page is one by which somebody runs a service, by its name or that of a folder.
fn is_for_running(file: &str) -> bool {
    const RUNNING: [&str; 7] = [
        "admin",
        "backoffice",
        "dashboard",
        "settings",
        "config",
        "configuration",
        "panel",
    ];
    // Neither settings nor code that draws nothing are a page; what a bot says may stand there.
    is_page(file)
        && file.split('/').any(|part| {
            engine_catalogue::words_of(part.split('.').next().unwrap_or(part))
                .iter()
                .any(|word| RUNNING.contains(&word.as_str()))
        })
}

/// Why it is not known what people read around an answer, if that is so.
///
/// A message stands for itself, with nothing around it. Screens that are written in a language that is not read may say it, and whoever
/// starts a program by its command knows what it is.
fn unseen(context: &CheckContext<'_>, system: &System, calls: &[&Call], call: &Call) -> Option<&'static str> {
    if call.effects.contains(&Effect::Mail) {
        return None;
    }
    if has_files(context, &FOREIGN_PAGES) {
        return Some("the screens that show it are written in a language that this scanner does not read");
    }
    let elsewhere = context
        .statements
        .iter()
        .any(|statement| statement.kind == StatementKind::FrontElsewhere && context.speaks_of(system, &statement.file));
    // What stands around the answers of a back end whose pages lie elsewhere is settled there.
    if elsewhere && is_served_alone(context, system, calls) {
        return Some("the pages that show it are not in this repository");
    }
    if draws_windows(context) && is_served_alone(context, system, calls) {
        return Some("another program in this repository draws the windows that show it, and their texts are not read");
    }
    let started = system.entry_points.iter().all(|entry| {
        matches!(
            entry.kind,
            EntryPointKind::Main | EntryPointKind::Command | EntryPointKind::Library
        )
    });
    // A page for a talk that a script draws is served to whoever opens it.
    let served = call.traced(TraceKind::Conversation).is_some_and(|trace| {
        trace
            .chain
            .iter()
            .any(|place| matches!(place.reference.as_str(), "chat_input" | "chat_message"))
    });
    (started && !served && !is_voice(call) && !has_files(context, &PAGES))
        .then_some("its reader is the person who started the program")
}

/// Whether a manifest of the tree names a library that draws windows or a terminal from code.
fn draws_windows(context: &CheckContext<'_>) -> bool {
    const DRAW: [&str; 24] = [
        "iced",
        "eframe",
        "egui",
        "slint",
        "gtk4",
        "relm4",
        "dioxus",
        "leptos",
        "yew",
        "ratatui",
        "fyne.io/fyne/v2",
        "gioui.org",
        "github.com/charmbracelet/bubbletea",
        "github.com/rivo/tview",
        "github.com/wailsapp/wails/v2",
        "org.openjfx:javafx-controls",
        "Avalonia",
        "PyQt5",
        "PyQt6",
        "PySide6",
        "customtkinter",
        "kivy",
        "flet",
        "textual",
    ];
    context
        .inventory
        .packages
        .iter()
        .any(|package| package.relation == DependencyRelation::Direct && DRAW.contains(&package.name.as_str()))
}

/// The first text of any page of the product that names an AI: where a tree holds several programs, the pages of one may show the answers of another.
fn named_elsewhere<'a>(context: &CheckContext<'a>) -> Option<&'a Statement> {
    let product: HashSet<&str> = context.product_files().map(|file| file.path.as_str()).collect();
    context
        .statements
        .iter()
        .filter(|statement| !statement.value.contains(['[', '{', '_']))
        .filter(|statement| statement.kind == StatementKind::AiNamed && product.contains(statement.file.as_str()))
        .find(|statement| !for_operators(context, &statement.file))
}

/// Whether a system answers whoever asks its routes, and nothing else of the tree shows people anything. A tree that sends messages has a bot.
fn is_served_alone(context: &CheckContext<'_>, system: &System, calls: &[&Call]) -> bool {
    let sent = calls.iter().any(|call| call.effects.contains(&Effect::Mail));
    !sent && answers_programs(context, system)
}

/// Whether a system gives its answers by routes only, in a tree that shows nothing to people itself: no page, no bot, no terminal. Who shows them
/// to people is not in sight.
fn answers_programs(context: &CheckContext<'_>, system: &System) -> bool {
    let served = |kind: EntryPointKind| kind == EntryPointKind::Http;
    let shows = |kind: EntryPointKind| matches!(kind, EntryPointKind::Page | EntryPointKind::Message);
    let drawn = |statement: &&Statement| {
        matches!(statement.kind, StatementKind::ChatInterface | StatementKind::Page) && !is_paper(&statement.file)
    };
    system.entry_points.iter().any(|entry| served(entry.kind))
        && !context
            .systems
            .iter()
            .flat_map(|system| &system.entry_points)
            .any(|entry| shows(entry.kind))
        && !has_files(context, &PAGES)
        && !has_files(context, &FOREIGN_PAGES)
        && !context.statements.iter().any(|statement| drawn(&statement))
}

/// Whether a page is what a program fills and hands on as a paper or a letter, or one on which people sign in, by its name: nobody talks with
/// anything there.
fn is_paper(file: &str) -> bool {
    const PAPERS: [&str; 19] = [
        "callback",
        "oauth",
        "login",
        "signin",
        "404",
        "resume",
        "cv",
        "invoice",
        "receipt",
        "certificate",
        "letter",
        "email",
        "emails",
        "mail",
        "mails",
        "newsletter",
        "pdf",
        "otp",
        "verification",
    ];
    let ending = file.rsplit('.').next().unwrap_or("");
    if matches!(ending, "tsx" | "jsx" | "vue" | "svelte" | "astro" | "razor" | "xaml") {
        return false;
    }
    let mut parts = file.rsplit('/').take(2);
    parts.any(|part| {
        engine_catalogue::words_of(part.split('.').next().unwrap_or(part))
            .iter()
            .any(|word| PAPERS.contains(&word.as_str()))
    })
}

/// Whether the product has files of a kind, papers and letters apart.
fn has_files(context: &CheckContext<'_>, endings: &[&str]) -> bool {
    let is_blade = |path: &str| path.ends_with(".blade.php");
    let blade = context.product_files().any(|file| is_blade(&file.path));
    context.product_files().any(|file| {
        // Where pages are templates of Blade, other files of PHP show none.
        if blade && file.language == engine_model::Language::Php {
            return endings.contains(&"html") && is_blade(&file.path);
        }
        let ending = file.path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        endings.contains(&ending.as_str()) && !is_paper(&file.path)
    })
}

/// Endings of files with pages and screens whose texts are not read.
const FOREIGN_PAGES: [&str; 9] = [
    "dart",
    "swift",
    "php",
    "ftl",
    "pug",
    "slim",
    "haml",
    "storyboard",
    "qml",
];

/// Endings of files with pages whose texts are read.
const PAGES: [&str; 24] = [
    "html",
    "htm",
    "tsx",
    "jsx",
    "vue",
    "svelte",
    "astro",
    "cshtml",
    "razor",
    "jsp",
    "xaml",
    "j2",
    "jinja",
    "ejs",
    "erb",
    "hbs",
    "jte",
    "kte",
    "ftlh",
    "gohtml",
    "njk",
    "twig",
    "mustache",
    "handlebars",
];

#[cfg(test)]
mod tests {
    use super::{is_named_for_talk, is_offer, speaks_of_a_talk};

    #[test]
    fn offers_and_pages_of_a_talk_are_told_by_their_own_names() {
        assert!(is_offer("src/routes/chat/UsageIndicator.svelte"));
        assert!(!is_offer("src/usage/Chat.svelte"));
        assert!(is_named_for_talk("tutor/templates/tutor.html"));
        assert!(!is_named_for_talk("tutor/templates/index.html"));
        assert!(speaks_of_a_talk("Start having real conversations with AI."));
        assert!(speaks_of_a_talk("Tell us about yourself to start the AI interview"));
        assert!(!speaks_of_a_talk("Get AI-powered grammar tips"));
        assert!(!speaks_of_a_talk("Task AI with a summary"));
    }
}
