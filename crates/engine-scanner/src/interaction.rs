//! User interaction with a system (Art. 50(1)): found, ruled out by evidence, or open.
//!
//! Output that could not be traced leaves the question open, never "no". The obligation is ruled out only if every output is known to
//! end in the program.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::{catalogue, normalize_name, words_of};
use engine_model::{
    Call, CallKind, DependencyRelation, DependencyScope, Effect, EntryPoint, EntryPointKind, Language, Package, Sends,
    Statement, StatementKind, TraceKind, Zone,
};
use engine_regulation::Known;
use engine_scan_code::{CodeEntryPoint, CodeJoin, EXTENSION_ENTRY, makes, measures, names_talk};

use crate::systems::SystemDraft;

/// Whether people deal with the system directly, and where they do not, what shows it.
pub(crate) fn observe(
    draft: &SystemDraft,
    code: &CodeJoin,
    statements: &[Statement],
    is_served: bool,
    unasked: Option<&Package>,
) -> (Known, Option<String>) {
    let all = || draft.calls.iter().map(|index| &code.calls[*index]);
    // A hook that keeps a conversation in a component of a page is a person exchanging messages with a model.
    if all().any(|call| call.kind == CallKind::Declare && CHAT_HOOKS.iter().any(|hook| call.symbol.ends_with(hook))) {
        return (Known::Yes, None);
    }
    // A client in a page whose only use is to have a voice talk with whoever opens it.
    let own = |call: &&Call| call.system.as_ref() == Some(&draft.id) && call.zone == Zone::Product;
    if code
        .calls
        .iter()
        .filter(own)
        .any(|call| call.kind == CallKind::Construct && call.runs() && is_voice_client(&call.symbol))
    {
        return (Known::Yes, None);
    }
    let speaking: Vec<usize> = draft
        .calls
        .iter()
        .copied()
        .filter(|index| speaks(&code.calls[*index]))
        .collect();
    if speaking.is_empty() {
        // What was not found is no reason to say that nobody talks with the system.
        if let Some(package) = unasked {
            let place = package.line.map_or_else(String::new, |line| format!(":{line}"));
            return (
                Known::Unknown,
                Some(format!(
                    "The LLM library `{}` is declared at {}{place}, but no call was found.",
                    package.name, package.file
                )),
            );
        }
        if let Some(entry) = talked_to(draft, code) {
            return (
                Known::Unknown,
                Some(format!(
                    "`{}` ({}:{}) is named like a chat, but its answers could not be traced to a model.",
                    entry.name, entry.file, entry.line
                )),
            );
        }
        let ground = "no call of the system generates text, audio or images for people: its models measure, classify or recognise";
        return (Known::No, Some(ground.to_owned()));
    }
    let calls: Vec<&Call> = speaking.iter().map(|index| &code.calls[*index]).collect();
    // A person writes to the model at this place and reads what it says.
    if calls.iter().any(|call| call.traced(TraceKind::Conversation).is_some()) {
        return (Known::Yes, None);
    }
    // Whoever holds a connection to a voice that answers open, and hands on what it says, has it talk with somebody.
    if calls.iter().any(|call| is_live(call) && is_shown(call)) {
        return (Known::Yes, None);
    }
    // Services that do nothing else than have a voice talk with somebody, on a page or by telephone.
    if calls
        .iter()
        .any(|call| call.kind == CallKind::Call && matches!(call.provider.as_deref(), Some("vapi" | "retell")))
    {
        return (Known::Yes, None);
    }
    // A model that asks people back what they meant, and is given what they answer, exchanges messages with them.
    if calls
        .iter()
        .any(|call| is_shown(call) && call.sends.contains(&Sends::UserInput) && asks_back(call))
    {
        return (Known::Yes, None);
    }
    let asked = reached_by(code, EntryPointKind::Http, names_talk);
    let heard = reached_by(code, EntryPointKind::Message, names_talk);
    if speaking.iter().any(|index| {
        let call = &code.calls[*index];
        asked.contains(index) && is_asked_by_name(call) || heard.contains(index) && is_heard(call)
    }) {
        return (Known::Yes, None);
    }
    let answered = calls
        .iter()
        .any(|call| is_shown(call) && call.sends.contains(&Sends::UserInput) && !only_makes(call));
    if answered && is_conversation(draft, &calls) {
        return (Known::Yes, None);
    }
    if calls.iter().any(|call| may_answer(call)) && has_conversation(draft, statements) {
        return (Known::Yes, None);
    }
    if is_served_to_a_talk(&speaking, code, draft, statements) {
        return (Known::Yes, None);
    }
    // A program that brings along what serves a page or a bot has people in front of it, wherever the way to them was lost.
    let ground = ends_in_the_program(&speaking, code)
        .or_else(|| makes_at_a_command(draft, &calls).filter(|_| !has_page(draft, statements)));
    // What is only kept was seen to its end, whoever else is served.
    if !has_conversation(draft, statements)
        && let Some(ground) = makes_what_is_kept(&calls)
    {
        return (Known::No, Some(ground));
    }
    match ground {
        Some(ground) if !is_served => (Known::No, Some(ground)),
        _ => (Known::Unknown, None),
    }
}

/// A place of the system at which people reach it that is named for a talk.
fn talked_to<'a>(draft: &SystemDraft, code: &'a CodeJoin) -> Option<&'a EntryPoint> {
    let reached = |kind: EntryPointKind| {
        matches!(
            kind,
            EntryPointKind::Http | EntryPointKind::Message | EntryPointKind::Page
        )
    };
    let mut entries = code.entry_points.iter().filter(|entry| entry.zone == Zone::Product);
    let found = entries.find(|entry| {
        reached(entry.entry.kind) && names_conversation(&entry.entry.name) && lies_below(draft, &entry.entry.file)
    });
    found.map(|entry| &entry.entry)
}

/// The package of the product with which programs ask models of language, where the system makes nothing of it that was found.
pub(crate) fn unasked<'a>(draft: &SystemDraft, code: &CodeJoin, packages: &'a [Package]) -> Option<&'a Package> {
    let asks = |package: &Package| {
        matches!(
            package.ai_kind.as_deref(),
            Some("sdk" | "framework" | "agent-framework")
        )
    };
    let own = |package: &Package| {
        let folder = package.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        lies_below(draft, &package.file) || folder.is_empty() || draft.scope.starts_with(&format!("{folder}/"))
    };
    let used = |package: &Package| {
        let known = catalogue().package(package.ecosystem, &package.name);
        let records = code.calls.iter().filter(|call| call.zone == Zone::Product);
        known.is_some_and(|known| {
            let name = normalize_name(known.ecosystem, &known.name);
            let mut records = records;
            // What Go imports is the path of the module.
            records.any(|call| {
                call.sdk
                    .as_deref()
                    .is_some_and(|sdk| normalize_name(known.ecosystem, sdk) == name)
                    || package.name.contains('/') && call.symbol.starts_with(&package.name)
            })
        })
    };
    packages.iter().find(|package| {
        package.zone == Zone::Product
            && package.scope != DependencyScope::Development
            && package.relation != DependencyRelation::Transitive
            && asks(package)
            && own(package)
            && !used(package)
    })
}

/// Whether an answer of one of the calls is seen to be read by people.
pub(crate) fn is_read(calls: &[&Call]) -> bool {
    calls.iter().any(|call| speaks(call) && is_shown(call))
}

/// Why the code does not settle it: at which step an answer was lost, or what an answer that people read does not tell.
pub(crate) fn open_at(calls: &[&Call]) -> String {
    let speaking = || calls.iter().filter(|call| speaks(call));
    if let Some(call) = speaking().find(|call| is_shown(call)) {
        return format!(
            "People see the output of the call at {}:{}. Code does not show whether they chat with the model or only receive a result.",
            call.file, call.line
        );
    }
    let lost = speaking().find_map(|call| Some((call, call.traced(TraceKind::Lost)?.chain.first()?)));
    match lost {
        Some((call, place)) => {
            let file = place.file.as_deref().unwrap_or(&call.file);
            format!(
                "The output of the call at {}:{} {} ({file}:{}). It could not be traced from there, so it is open whether a person reads it.",
                call.file,
                call.line,
                place.reference,
                place.line.unwrap_or(call.line)
            )
        }
        None => "The output of these calls could not be traced, so it is open whether a person reads it.".to_owned(),
    }
}

/// Whether a call opens a connection over which both sides speak.
fn is_live(call: &Call) -> bool {
    let symbol = call.symbol.to_ascii_lowercase();
    symbol.starts_with("websockets.connect")
        || [
            "websocket",
            "realtime",
            "live.connect",
            "conversational_ai",
            "start_session",
        ]
        .iter()
        .any(|word| symbol.contains(word))
}

/// The calls that places of one kind in the product lead to, of which the name says something: looked for once for all calls.
fn reached_by(code: &CodeJoin, kind: EntryPointKind, named: fn(&str) -> bool) -> BTreeSet<usize> {
    let entries = code.entry_points.iter();
    entries
        .filter(|entry| entry.zone == Zone::Product && entry.entry.kind == kind && named(&entry.entry.name))
        .flat_map(|entry| entry.calls.iter().copied())
        .collect()
}

/// Whether a route that is named for a conversation and leads to a call hands it what a person writes, however its reply is put together.
fn is_asked_by_name(call: &Call) -> bool {
    call.kind == CallKind::Call
        && call.capabilities.is_empty()
        && call.sends.contains(&Sends::UserInput)
        && !call
            .function
            .as_deref()
            .is_some_and(|name| !names_talk(name) && makes(name))
}

/// Whether a route that is named for a talk leads to one of the calls, and a page with a conversation stands in the tree that belongs to no other
/// system: a front end in a folder of its own asks the back end in another.
fn is_served_to_a_talk(speaking: &[usize], code: &CodeJoin, draft: &SystemDraft, statements: &[Statement]) -> bool {
    let is_talk = |statement: &Statement| statement.kind == StatementKind::ChatInterface;
    if !statements.iter().any(is_talk) {
        return false;
    }
    // Other systems of the tree have pages of their own.
    let of_another = |call: &Call| {
        call.zone == Zone::Product
            && call.kind != CallKind::Construct
            && call.system.as_ref().is_some_and(|system| *system != draft.id)
    };
    if code.calls.iter().any(of_another) {
        return false;
    }
    let routed = reached_by(code, EntryPointKind::Http, names_conversation);
    speaking.iter().any(|index| {
        let call = &code.calls[*index];
        routed.contains(index) && call.kind == CallKind::Call && call.capabilities.is_empty() && !only_makes(call)
    })
}

/// What shows that nobody exchanges messages with a system: each call makes one thing out of what the program has, and keeps it.
fn makes_what_is_kept(calls: &[&Call]) -> Option<String> {
    let kept = |call: &Call| {
        only_makes(call)
            && !is_shown(call)
            && call.effects.contains(&Effect::Database)
            && !call.effects.contains(&Effect::Tool)
            && !call.sends.is_empty()
            && call
                .sends
                .iter()
                .all(|sent| matches!(sent, Sends::File | Sends::Database | Sends::Constant))
    };
    let first = calls.first().filter(|_| calls.iter().all(|call| kept(call)))?;
    Some(format!(
        "each call turns stored data into one result and stores it (`{}`, {}:{}), without an exchange of messages with people",
        first.function.as_deref().unwrap_or_default(),
        first.file,
        first.line
    ))
}

/// Whether a handler of messages that is named for a talk hands what a person writes to a call, however the reply goes out: by a channel, a
/// queue, an event.
fn is_heard(call: &Call) -> bool {
    call.kind == CallKind::Call
        && call.capabilities.is_empty()
        && call.sends.contains(&Sends::UserInput)
        && !call.effects.contains(&Effect::Branch)
        && !only_makes(call)
}

/// Whether the function around a call makes a thing of its own out of what it is given: minutes, a title, a rating.
fn only_makes(call: &Call) -> bool {
    call.function.as_deref().is_some_and(makes)
}

/// Whether the function around a call is named for questions by which something is cleared up: `generateClarificationQuestions`.
fn asks_back(call: &Call) -> bool {
    let words = call.function.as_deref().map(words_of).unwrap_or_default();
    words.iter().any(|word| word.starts_with("clarif")) && words.iter().any(|word| word.starts_with("question"))
}

/// Whether a client has a voice talk with whoever opens a page, and does nothing else.
fn is_voice_client(symbol: &str) -> bool {
    ["@vapi-ai/web.", "@vapi-ai/react-native.", "retell-client-js-sdk."]
        .iter()
        .any(|client| symbol.starts_with(client))
}

/// Whether a call answers in language or media, as opposed to numbers and labels. An agent that is declared and run elsewhere speaks as well.
pub(crate) fn speaks(call: &Call) -> bool {
    matches!(call.kind, CallKind::Call | CallKind::Declare) && is_generative(call)
}

/// Whether an answer is seen to reach a person.
fn is_shown(call: &Call) -> bool {
    call.effects
        .iter()
        .any(|effect| matches!(effect, Effect::Page | Effect::Mail))
}

/// Whether a call may be the one that answers what a person writes: it is given that, or what it is given could not be told.
fn may_answer(call: &Call) -> bool {
    call.sends
        .iter()
        .any(|sent| matches!(sent, Sends::UserInput | Sends::Unknown))
        && call.capabilities.is_empty()
}

/// Whether a page of the system shows a conversation, with messages in a row and a field to write one, or a prompt says what people are to be
/// left in the dark about.
fn has_conversation(draft: &SystemDraft, statements: &[Statement]) -> bool {
    statements
        .iter()
        .filter(|statement| {
            matches!(
                statement.kind,
                StatementKind::ChatInterface | StatementKind::ConcealedAi
            )
        })
        .any(|statement| lies_below(draft, &statement.file))
}

/// Whether anything of the system draws a page.
fn has_page(draft: &SystemDraft, statements: &[Statement]) -> bool {
    let page = |kind: StatementKind| matches!(kind, StatementKind::Page | StatementKind::ChatInterface);
    statements
        .iter()
        .any(|statement| page(statement.kind) && lies_below(draft, &statement.file))
}

fn lies_below(draft: &SystemDraft, file: &str) -> bool {
    draft.scope.is_empty()
        || file
            .strip_prefix(draft.scope.as_str())
            .is_some_and(|rest| rest.starts_with('/'))
}

fn is_python(file: &str) -> bool {
    matches!(Language::of(file, ""), Language::Python | Language::Notebook)
}

/// What shows that no answer reaches a person: each call is made by a program that is started without anybody's words, is given nothing
/// but files, rows and constants, and shows its answer to nobody. Only of Python is a plain main program known well enough.
fn ends_in_the_program(calls: &[usize], code: &CodeJoin) -> Option<String> {
    let mut first: Option<&CodeEntryPoint> = None;
    // What is declared speaks where it is asked; only where nothing asks it, its own place tells.
    let asked = calls.iter().any(|index| code.calls[*index].kind == CallKind::Call);
    let mut entries: BTreeMap<usize, Vec<&CodeEntryPoint>> = BTreeMap::new();
    for entry in code.entry_points.iter().filter(|entry| entry.zone == Zone::Product) {
        for index in &entry.calls {
            entries.entry(*index).or_default().push(entry);
        }
    }
    for index in calls {
        let call = &code.calls[*index];
        if asked && call.kind == CallKind::Declare && !is_shown(call) && !call.effects.contains(&Effect::Tool) {
            continue;
        }
        let told = call
            .sends
            .iter()
            .all(|sent| matches!(sent, Sends::File | Sends::Database | Sends::Constant));
        if !told || call.sends.is_empty() || is_shown(call) || call.effects.contains(&Effect::Tool) {
            return None;
        }
        let mut reached = false;
        for entry in entries.get(index).into_iter().flatten().copied() {
            match entry.entry.kind {
                EntryPointKind::Main if !is_python(&call.file) => return None,
                EntryPointKind::Job | EntryPointKind::Main | EntryPointKind::Command => {
                    reached = true;
                    first.get_or_insert(entry);
                }
                EntryPointKind::Library => {}
                EntryPointKind::Http | EntryPointKind::Page | EntryPointKind::Message => return None,
            }
        }
        if !reached {
            return None;
        }
    }
    let entry = &first?.entry;
    Some(format!(
        "each call runs in a program without user input (`{}`, {}:{}), on files, database rows or constants, and its output is \
         not shown to people",
        entry.name, entry.file, entry.line
    ))
}

/// What shows that a program on the command line has one thing made for whoever starts it, and talks with nobody: a message for a commit, a title,
/// minutes.
fn makes_at_a_command(draft: &SystemDraft, calls: &[&Call]) -> Option<String> {
    let started = |kind: EntryPointKind| {
        matches!(
            kind,
            EntryPointKind::Main | EntryPointKind::Command | EntryPointKind::Job | EntryPointKind::Library
        )
    };
    let entry = draft.entry_points.first()?;
    let ends = |call: &Call| {
        !is_shown(call)
            && !call
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::Tool | Effect::Database))
    };
    let made = |call: &&&Call| only_makes(call) && ends(call);
    let alone =
        draft.entry_points.iter().all(|entry| started(entry.kind)) && calls.iter().filter(made).count() == calls.len();
    let first = calls.first().filter(|_| alone)?;
    Some(format!(
        "each call produces one result for the person who starts the program (`{}`, {}:{}; started at {}:{}), without an exchange \
         of messages",
        first.function.as_deref().unwrap_or_default(),
        first.file,
        first.line,
        entry.file,
        entry.line
    ))
}

/// Whether what is sent and answered is a conversation with a person, and not a request of a program: a page or a
/// message handler leads to the call, or the route, the function or the file is named for a conversation.
fn is_conversation(draft: &SystemDraft, calls: &[&Call]) -> bool {
    draft.entry_points.iter().any(|entry| {
        // What the page of an extension asks its background for may be anything.
        matches!(entry.kind, EntryPointKind::Page | EntryPointKind::Message) && entry.name != EXTENSION_ENTRY
            || names_conversation(&entry.name)
    }) || calls
        .iter()
        .any(|call| names_conversation(&call.file) || call.function.as_deref().is_some_and(names_conversation))
}

/// Words by which a route, a function or a file is named for a conversation.
const CONVERSATION: [&str; 12] = [
    "chat",
    "chats",
    "chatbot",
    "conversation",
    "conversations",
    "assistant",
    "ask",
    "talk",
    "dialog",
    "dialogue",
    "bot",
    "converse",
];

/// Whether one of the words of an identifier is a word for a conversation. Types of libraries (`ChatModel`) are not.
fn names_conversation(identifier: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for c in identifier.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_numeric();
    }
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().any(|(index, word)| {
        let of_library = words.get(index + 1).is_some_and(|next| {
            // `ChatGPT` names who answers.
            matches!(*next, "model" | "models" | "client" | "completion" | "completions") || next.starts_with("gpt")
                // `askPerplexity` names whom a program asks.
                || *word == "ask" && ASKED.contains(next)
        });
        CONVERSATION.contains(word) && !of_library
    })
}

/// Services that wrappers are named for.
const ASKED: [&str; 13] = [
    "perplexity",
    "openai",
    "gemini",
    "claude",
    "anthropic",
    "ollama",
    "groq",
    "mistral",
    "deepseek",
    "llama",
    "llm",
    "bedrock",
    "huggingface",
];

/// Hooks of front-end libraries that hold a conversation with a model.
const CHAT_HOOKS: [&str; 4] = [".useChat", ".useCompletion", ".useAssistant", ".useCopilotChat"];

/// Libraries whose models measure, sort or recognise, and make nothing.
const MEASURING: [&str; 27] = [
    "ML.NET",
    "catboost",
    "deepface",
    "dlib",
    "face-recognition",
    "faiss",
    "insightface",
    "joblib",
    "joblib-load",
    "jvm-ml",
    "keras",
    "lightgbm",
    "mediapipe",
    "mlkit",
    "onnxruntime",
    "opencv",
    "scikit-learn",
    "sentence-transformers",
    "sherpa-onnx",
    "spacy",
    "statsmodels",
    "tensorflow",
    "tensorflow-hub",
    "ultralytics",
    "vosk",
    "whisper-rs",
    "xgboost",
];

/// Pieces of names that stand for making language or media, also in a library that mostly measures.
const MAKES: [&str; 7] = [
    "generate",
    "chat",
    "complet",
    "causallm",
    "seq2seq",
    "texttospeech",
    "synthesi",
];

/// Whether a call makes text, sound or pictures, as opposed to numbers and labels.
pub(crate) fn is_generative(call: &Call) -> bool {
    if !call.capabilities.is_empty() {
        return call.capabilities.iter().any(|known| known.is_media());
    }
    if measures(call) {
        return false;
    }
    let symbol = call.symbol.to_ascii_lowercase();
    let last = symbol
        .rsplit(['.', '(', ')'])
        .find(|part| !part.is_empty())
        .unwrap_or("");
    let measuring = [
        // A model without a head gives vectors.
        "automodel.from",
        "embed",
        // What goes into a store of vectors is asked nothing.
        "from_documents",
        "fromdocuments",
        "from_texts",
        "fromtexts",
        "add_documents",
        "adddocuments",
        "add_texts",
        "moderat",
        "classif",
        "rerank",
        "tokeniz",
        "detect",
        "transcri",
        "similarity",
        "predict",
    ];
    if measuring.iter().any(|word| symbol.contains(word))
        && !symbol.contains("dspy.predict")
        && !symbol.contains("chain().predict")
        || last == "encode"
    {
        return false;
    }
    // What these addresses give that are no models of language: faces, words of a picture, the mood of a text.
    let looks = |host: &str| host.ends_with("api.cognitive.microsoft.com");
    if call.provider.as_deref() == Some("azure-ai") && call.model.is_none() && call.host.as_deref().is_some_and(looks) {
        return false;
    }
    // A service that only looks at faces.
    if call.provider.as_deref() == Some("megvii") {
        return false;
    }
    let local = call.provider.as_deref() == Some("local");
    let measuring = call.sdk.as_deref().is_some_and(|sdk| MEASURING.contains(&sdk))
        || local && call.sdk.as_deref() == Some("torch");
    !measuring || MAKES.iter().any(|word| symbol.contains(word))
}

#[cfg(test)]
mod tests {
    use super::names_conversation;

    #[test]
    fn conversation_names_match_whole_words() {
        for name in [
            "POST /chat",
            "askQuestion",
            "api/chat/route.ts",
            "CustomerAssistant",
            "support_bot",
        ] {
            assert!(names_conversation(name), "{name}");
        }
        for name in [
            "DeepSeekChatModelResource",
            "task_runner",
            "chat.completions",
            "bottom",
            "generateChatGPTCoverLetter",
            "askew",
            "askPerplexityForPrompt",
            "src/chat_models/x.py",
        ] {
            assert!(!names_conversation(name), "{name}");
        }
    }
}
