//! Whether a person writes to the model at a call and reads its output, rather than only a result that the program made
//! of it.

mod delayed_replies;
mod python_chat_pages;
mod user_input_names;

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::words_of;
use engine_model::{Call, CallKind, Effect, EntryPointKind, Evidence, Language, Sends, Zone};
use engine_syntax::ir::{Expr, ExprId, Pattern};

use self::delayed_replies::Later;
use self::python_chat_pages::posts;
use self::user_input_names::{asks_in_its_request, asks_something, hears, is_said, takes_turns};
use super::effects::Reach;
use super::{callee_name, evidence, object_name, symbols};
use crate::calls::Found;
use crate::entry::Entry;
use crate::flow::Flow;
use crate::values::{ExprRef, FunctionRef, id};
use crate::world::World;

/// Words by which a route, a handler or a file is named for a talk.
const TALK: [&str; 32] = [
    "chat",
    "chats",
    "chatbot",
    "chatting",
    "conversation",
    "conversations",
    "converse",
    "conversational",
    "assistant",
    "assistants",
    "bot",
    "talk",
    "dialog",
    "dialogue",
    "tutor",
    "coach",
    "concierge",
    "companion",
    "therapist",
    "copilot",
    "ask",
    "asks",
    "question",
    "answer",
    "reply",
    "respond",
    "message",
    "messages",
    "msg",
    "msgs",
    "converse",
    "rag",
];

/// Of these the ones that mean a talk whatever is done: `generateQuestion` makes one, `generateChatReply` takes part in one.
const TALK_ITSELF: [&str; 14] = [
    "chat",
    "chats",
    "chatbot",
    "chatting",
    "conversation",
    "converse",
    "assistant",
    "bot",
    "talk",
    "tutor",
    "coach",
    "companion",
    "therapist",
    "concierge",
];

/// Words of a name whose function makes a thing of its own, judges or sorts.
const MAKES: [&str; 44] = [
    "generate",
    "generates",
    "create",
    "make",
    "suggest",
    "draft",
    "compose",
    "build",
    "summarize",
    "summarise",
    "summary",
    "analyze",
    "analyse",
    "analysis",
    "analytics",
    "insight",
    "insights",
    "extract",
    "translate",
    "transcribe",
    "transcription",
    "classify",
    "classifier",
    "categorize",
    "triage",
    "tag",
    "label",
    "sentiment",
    "title",
    "rank",
    "rerank",
    "score",
    "grade",
    "grading",
    "evaluate",
    "evaluation",
    "detect",
    "moderate",
    "moderation",
    "embed",
    "embedding",
    "refine",
    "correct",
    "rewrite",
];

/// Names of libraries for what is sent, which say nothing of who sends it: `chatCompletion`, `createChatCompletion`.
const PROTOCOL: [&str; 4] = ["completion", "completions", "openai", "llm"];

/// What any wrapper around a model makes, whatever it is for.
const GENERIC: [&str; 21] = [
    "json",
    "text",
    "content",
    "contents",
    "completion",
    "completions",
    "ai",
    "llm",
    "gpt",
    "openai",
    "gemini",
    "claude",
    "ollama",
    "stream",
    "async",
    "with",
    "from",
    "prompt",
    "chatgpt",
    "tool",
    "tools",
];

/// Calls that draw a talk or take part in one.
const WIDGETS: [&str; 8] = [
    "chat_input",
    "chat_message",
    "ChatInterface",
    "Chatbot",
    "ChatMessage",
    "useChat",
    "ChatWindow",
    "on_chat_start",
];

/// Sessions in which a voice talks with whoever is connected, by the end of what starts them.
const VOICES: [&str; 2] = ["AgentSession().start", "VoicePipelineAgent().start"];

/// Whether a call starts a session in which a voice talks with somebody.
pub(crate) fn is_voice(call: &Call) -> bool {
    call.symbol.starts_with("livekit.") && VOICES.iter().any(|voice| call.symbol.ends_with(voice))
}

/// Calls of a library that give what the hooks of its pages read.
const STREAMED: [&str; 2] = [".streamText", ".generateText"];
/// Replies in the stream that such hooks read.
const STREAMS: [&str; 8] = [
    "toDataStreamResponse",
    "toUIMessageStreamResponse",
    "toAIStreamResponse",
    "pipeDataStreamToResponse",
    "pipeUIMessageStreamToResponse",
    "createDataStreamResponse",
    "createUIMessageStreamResponse",
    "StreamingTextResponse",
];

/// Calls that take a text apart into the fields of a record.
const PARSES: [&str; 16] = [
    "parse",
    "loads",
    "Unmarshal",
    "readValue",
    "readTree",
    "model_validate_json",
    "parse_raw",
    "from_str",
    "fromJson",
    "decodeFromString",
    "Deserialize",
    "DeserializeObject",
    "safeParse",
    "literal_eval",
    "json_repair",
    "parse_obj",
];

/// Settings of a call that ask for a record instead of words.
const STRUCTURED: [&str; 12] = [
    "response_format",
    "responseFormat",
    "response_mime_type",
    "responseMimeType",
    "response_schema",
    "responseSchema",
    "response_model",
    "text_format",
    "output_schema",
    "guided_json",
    "json_schema",
    "output_type",
];

/// Where people write to models, for all calls of a project.
pub(super) struct Talks<'a, 'w, 'm> {
    world: &'w World<'m>,
    entries: BTreeMap<FunctionRef, Vec<&'a Entry>>,
    /// Units with a talk that is drawn by a library.
    widgets: BTreeMap<u32, ExprRef>,
    /// Units with a field for a talk, which nothing else than a talk has.
    fields: BTreeMap<u32, ExprRef>,
    /// Pages with such a field that are written in Python and send what it gives to a server: the field, by the path of the address.
    posts: BTreeMap<String, ExprRef>,
    /// The hook by which a page of the product holds a talk.
    hook: Option<ExprRef>,
    /// Answers that go out in the stream which such hooks read.
    streams: BTreeSet<usize>,
    /// Answers whose words are taken apart, with the functions in which that is done.
    parsed: BTreeMap<usize, BTreeMap<Option<FunctionRef>, usize>>,
    /// Answers that go out on a platform for messages, with the place.
    messages: BTreeMap<usize, ExprRef>,
    /// Answers that are printed or said by a program that talks with the one at the machine, with the place.
    typed: BTreeMap<usize, ExprRef>,
    /// Answers that go into a store whose state a page shows, with the place.
    stored: BTreeMap<usize, ExprRef>,
    /// Whether a file of the product takes in what people write on a platform for messages.
    listens: bool,
    /// Answers that are read in another place than the one that asks.
    later: Later,
}

impl<'a, 'w, 'm> Talks<'a, 'w, 'm> {
    pub(super) fn new(world: &'w World<'m>, flow: &Flow<'_, '_>, entries: &'a [Entry], sinks: &[Reach]) -> Self {
        let mut by_function: BTreeMap<FunctionRef, Vec<&Entry>> = BTreeMap::new();
        for entry in entries {
            if let Some(function) = entry.function {
                by_function.entry(function).or_default().push(entry);
            }
        }
        let mut widgets = BTreeMap::new();
        let mut fields = BTreeMap::new();
        let mut hook = None;
        let mut streams = BTreeSet::new();
        let mut parsed: BTreeMap<usize, BTreeMap<Option<FunctionRef>, usize>> = BTreeMap::new();
        let mut messages = BTreeMap::new();
        for unit in 0..id(world.units.len()) {
            for call in &world.index(unit).calls {
                let at = ExprRef(unit, *call);
                let name = callee_name(world, at);
                if WIDGETS.contains(&name) && (name != "chat_message" || super::screens::is_of_a_talk(world, at)) {
                    widgets.entry(unit).or_insert(at);
                    if name == "chat_input" {
                        fields.entry(unit).or_insert(at);
                    }
                    if name == "useChat" && world.unit(unit).zone == Zone::Product && is_of_sdk(world, unit) {
                        hook.get_or_insert(at);
                    }
                }
                if STREAMS.contains(&name) {
                    streams.extend(flow.origins(at).answers.iter());
                    streams.extend(flow.of_arguments(at).answers.iter());
                }
                if PARSES.contains(&name) && !is_of_tool(world, at) {
                    let home = world.named_function_of(at);
                    for answer in flow.of_arguments(at).answers.iter() {
                        *parsed.entry(answer).or_default().entry(home).or_default() += 1;
                    }
                }
            }
        }
        for sent in sinks
            .iter()
            .filter(|sink| sink.effect == Effect::Mail && is_message(world, sink.at))
        {
            for answer in sent.answers.iter() {
                messages.entry(answer).or_insert(sent.at);
            }
        }
        let screens = super::screens::Screens::new(world);
        let mut stored = BTreeMap::new();
        for shown in sinks
            .iter()
            .filter(|sink| sink.effect == Effect::Page && screens.is_put_into_a_store(world, sink.at))
        {
            for answer in shown.answers.iter() {
                stored.entry(answer).or_insert(shown.at);
            }
        }
        let mut typed = BTreeMap::new();
        for said in sinks
            .iter()
            .filter(|sink| sink.effect == Effect::Page && super::speech_output::is_aloud(world, sink.at))
        {
            for answer in said.answers.iter() {
                typed.entry(answer).or_insert(said.at);
            }
        }
        if super::effects::is_typed_at(world, entries) {
            for shown in sinks.iter().filter(|sink| sink.effect == Effect::Page) {
                for answer in shown.answers.iter() {
                    typed.entry(answer).or_insert(shown.at);
                }
            }
        }
        let posts = posts(world, &fields);
        Self {
            world,
            entries: by_function,
            widgets,
            fields,
            posts,
            hook,
            streams,
            parsed,
            messages,
            typed,
            stored,
            listens: listens(world, entries),
            later: Later::new(world, flow),
        }
    }

    /// Whether an answer goes out on a platform for messages, where no page stands around it.
    pub(super) fn is_sent(&self, which: usize) -> bool {
        self.messages.contains_key(&which)
    }

    /// Where a person writes to the model of a call.
    pub(super) fn of(&self, which: usize, found: &Found, at: ExprRef) -> Option<Evidence> {
        let (world, call) = (self.world, &found.call);
        if is_voice(call) {
            return Some(evidence(world, at, callee_name(world, at)));
        }
        if call.kind != CallKind::Call || gives_media(call) {
            return None;
        }
        // A turn that is kept beside those of the person is read there, whatever else is looked for in it.
        if let Some(kept) = self.later.turn(which)
            && call.sends.contains(&Sends::UserInput)
            && chain(world, at).is_some_and(|chain| chain.iter().any(|function| self.is_entered(*function)))
        {
            return Some(evidence(world, kept, callee_name(world, kept)));
        }
        // Where both sides of a talk are kept in one place, somebody has it, whoever calls that place.
        if let Some(kept) = self.later.turn(which)
            && !only_constant(call)
            && self.later.keeps_both(world, kept)
        {
            return Some(evidence(world, kept, callee_name(world, kept)));
        }
        if self.makes_a_record(which, found, at) {
            return None;
        }
        // What only helps the program to find something is said to nobody.
        // The record of a run says how far it is; the answer stands in the thread.
        if !call.symbol.contains(".threads.") && super::internal_use::stays(world, at) {
            return None;
        }
        let shown = call.effects.contains(&Effect::Page);
        let said = call.sends.contains(&Sends::UserInput);
        // One that sorts or judges takes part in no talk, even in the middle of one; a helper that others talk through does.
        let chain = chain(world, at)?;
        let heard = chain.iter().find_map(|function| {
            self.entries
                .get(function)?
                .iter()
                .find(|entry| entry.kind == EntryPointKind::Message)
        });
        // What is constant or read from a file was not said by anybody.
        // What goes out on a platform for messages out of the handler of one answers whoever wrote it, whatever way the words took in between.
        let replies = heard.is_some() && self.messages.contains_key(&which);
        // The turns of a talk that a function is handed were said by those who write where it is answered.
        let turns = self.listens
            && self.messages.contains_key(&which)
            && chain.first().is_some_and(|function| takes_turns(world, *function));
        let may_be_said = said
            || turns
            || call.sends.contains(&Sends::Unknown)
            || !only_constant(call)
                && (replies
                    || chain.iter().any(|function| hears(world, *function))
                    || heard.is_some_and(|entry| talks(&entry.name)))
            || replies && heard.is_some_and(|entry| words_of(&entry.name).iter().any(|word| word == "message"));
        if let Some(sent) = self.messages.get(&which)
            && (said || (heard.is_some() || self.listens) && may_be_said)
        {
            return Some(evidence(world, *sent, callee_name(world, *sent)));
        }
        if let Some(printed) = self.typed.get(&which)
            && may_be_said
        {
            return Some(evidence(world, *printed, callee_name(world, *printed)));
        }
        // A window with a field to write in, whose own function for a talk hands it over; its list is drawn anew from what was answered.
        if let Some(field) = self.later.field(world, &chain) {
            return Some(evidence(world, field, callee_name(world, field)));
        }
        // A message that a person writes is handed to the model, and what sends messages on the way takes the answer out of a channel or a stored
        // handler. An answer by which the program only decides is not among them.
        let lost = !shown && !call.effects.contains(&Effect::Mail);
        let streamed = || call.symbol.to_ascii_lowercase().contains("stream");
        if lost
            && heard.is_some()
            && may_be_said
            && (!call.effects.contains(&Effect::Branch) || streamed())
            && let Some(sent) = self.later.sent(&chain)
        {
            return Some(evidence(world, sent, callee_name(world, sent)));
        }
        // A store of the pages to which somebody says something, and which keeps what was answered.
        if let Some(kept) = self.stored.get(&which)
            && !only_constant(call)
            && chain.iter().any(|function| {
                hears(world, *function)
                    && (name_of(world, *function).is_some_and(talks)
                        || world.unit(function.0).path.rsplit('/').take(2).any(talks))
            })
        {
            return Some(evidence(world, *kept, callee_name(world, *kept)));
        }
        // The page of an extension that hands over a question and is given the answer.
        if shown
            && let Some(entry) = chain.iter().find_map(|function| {
                let mut entries = self.entries.get(function)?.iter();
                entries
                    .find(|entry| entry.name == crate::message_handlers::EXTENSION && asks_something(world, *function))
            })
        {
            return Some(Evidence {
                reference: entry.name.clone(),
                file: Some(world.unit(entry.unit).path.to_owned()),
                line: Some(entry.line),
                ..evidence(world, at, "")
            });
        }
        // A page with a field for a talk, whose answer goes by way of a state: what the field gave is in it.
        if shown
            && may_be_said
            && let Some(field) = self.fields.get(&at.0).or_else(|| self.field_of_callers(at, &chain))
        {
            return Some(evidence(world, *field, callee_name(world, *field)));
        }
        // Where the product has such a field, the engine of a library that answers questions is asked by it, however its answer is handed on.
        if said
            && !shown
            && answers_questions(&call.symbol)
            && let Some(field) = self.fields.values().next()
        {
            return Some(evidence(world, *field, callee_name(world, *field)));
        }
        // A page of the project's own that sends what its field gives to the route behind which this is asked.
        if shown
            && may_be_said
            && let Some(field) = chain.iter().find_map(|function| {
                let mut entries = self.entries.get(function)?.iter();
                entries.find_map(|entry| self.posts.get(entry.name.trim_end_matches('/')))
            })
        {
            return Some(evidence(world, *field, callee_name(world, *field)));
        }
        if !(shown && said) {
            return None;
        }
        // What a library makes for questions answers whoever wrote one.
        if answers_questions(&call.symbol) {
            return Some(evidence(world, at, callee_name(world, at)));
        }
        // A page that holds a talk by a hook is answered in the stream of its library.
        if let Some(hook) = self.hook
            && STREAMED.iter().any(|name| call.symbol.ends_with(name))
            && self.streams.contains(&which)
        {
            return Some(evidence(world, hook, callee_name(world, hook)));
        }
        let drawn = std::iter::once(at.0)
            .chain(chain.iter().map(|function| function.0))
            .find_map(|unit| self.widgets.get(&unit));
        if let Some(widget) = drawn {
            return Some(evidence(world, *widget, callee_name(world, *widget)));
        }
        let (function, entry) = chain.iter().find_map(|function| {
            let entry = self.entries.get(function)?.iter().find(|entry| {
                matches!(
                    entry.kind,
                    EntryPointKind::Http | EntryPointKind::Page | EntryPointKind::Message
                ) && entry.name != crate::message_handlers::EXTENSION
            })?;
            Some((*function, *entry))
        })?;
        // A gateway speaks the protocol of a model service with other programs.
        if is_protocol(&entry.name) {
            return None;
        }
        let path = world.unit(entry.unit).path;
        // A handler in a file of its own is named by its folders: `app/api/chat/route.ts`.
        let folders = path.rsplit('/').take(3).any(talks);
        let asked = || !only_makes(&entry.name) && asks_in_its_request(world, function);
        let named = talks(&entry.name)
            || folders
            || chain
                .iter()
                .any(|function| name_of(world, *function).is_some_and(talks))
            || world.function(function).params.iter().any(|param| {
                crate::flow::pattern_names(&param.pattern)
                    .iter()
                    .any(|name| is_said(name))
                    || matches!(&param.pattern, Pattern::Name(name) if is_said(name))
            })
            || asked();
        named.then(|| Evidence {
            reference: entry.name.clone(),
            file: Some(path.to_owned()),
            line: Some(entry.line),
            ..evidence(world, at, "")
        })
    }

    /// The field for a talk in the file of a page that asks, at its top, a function in another file: the wrapper of a client.
    fn field_of_callers(&self, at: ExprRef, chain: &[FunctionRef]) -> Option<&ExprRef> {
        /// Callers of one function that are looked at.
        const CALLERS_MAX: usize = 8;
        if self.fields.is_empty() {
            return None;
        }
        let world = self.world;
        let zone = world.unit(at.0).zone;
        chain.iter().find_map(|function| {
            let callers = world.callers_of(*function);
            let mut pages = callers
                .iter()
                .take(CALLERS_MAX)
                .filter(|caller| world.home_of(**caller).is_none() && world.unit(caller.0).zone == zone);
            pages.find_map(|caller| self.fields.get(&caller.0))
        })
    }

    /// Whether a function is one by which people reach the program.
    fn is_entered(&self, function: FunctionRef) -> bool {
        self.entries.get(&function).is_some_and(|entries| {
            entries.iter().any(|entry| {
                matches!(
                    entry.kind,
                    EntryPointKind::Http | EntryPointKind::Page | EntryPointKind::Message
                )
            })
        })
    }

    /// Whether the answer is asked for as a record, or taken apart into one.
    fn makes_a_record(&self, which: usize, found: &Found, at: ExprRef) -> bool {
        let call = &found.call;
        let last = call.symbol.rsplit('.').next().unwrap_or("");
        // A chain of LangChain predicts words.
        let of_chain = call.symbol.contains("Chain().predict");
        if !of_chain
            && matches!(
                last.trim_end_matches("()"),
                "generateObject"
                    | "streamObject"
                    | "parse"
                    | "with_structured_output"
                    | "withStructuredOutput"
                    | "predict"
            )
        {
            return true;
        }
        let given = |at: ExprRef, part: ExprId| {
            match self.world.module(at.0).expr(part) {
            Expr::Call { args, .. } => args.iter().any(|arg| {
                arg.name.as_deref().is_some_and(|name| STRUCTURED.contains(&name))
                    && !is_text(self.world, ExprRef(at.0, arg.value))
            }),
            Expr::Map(entries) => entries.iter().any(|entry| {
                entry.key.is_some_and(|key| {
                    matches!(self.world.module(at.0).expr(key), Expr::Str(name) | Expr::Name(name) if STRUCTURED.contains(&name.as_str()))
                })
            }),
            _ => false,
        }
        };
        let asked = crate::capabilities::below(self.world, at, 400)
            .into_iter()
            .any(|part| given(at, part));
        // An agent may be made to give a record whatever it is asked, and a chain of calls may end in one: `.call().entity(Intent.class)`.
        let made = || found.path.calls().any(|call| given(call, call.1)) || is_mapped(self.world, at);
        let asked = asked || made();
        // Of a bare request the reply itself is taken apart, whatever the model said; where that is done twice, what it said is as well.
        let times = if call.sdk.is_some() {
            1
        } else if crate::project::is_jvm(self.world.unit(at.0).language) {
            2
        } else {
            usize::MAX
        };
        let near = || {
            let homes = self.parsed.get(&which)?;
            let own = self.world.named_function_of(at);
            let callers = own.map(|function| self.world.callers_of(function)).unwrap_or_default();
            let mut around = callers
                .iter()
                .map(|caller| self.world.named_function_of(*caller))
                .chain([own]);
            around.find(|function| homes.get(function).is_some_and(|count| *count >= times))
        };
        asked || near().is_some()
    }
}

/// Whether a file of the product takes in what people write on a platform for messages, however it is handed on from there.
fn listens(world: &World<'_>, entries: &[Entry]) -> bool {
    let messengers = super::messengers::Messengers::new(world);
    let product = |unit: u32| world.unit(unit).zone == Zone::Product && messengers.speaks(unit);
    entries
        .iter()
        .any(|entry| entry.kind == EntryPointKind::Message && product(entry.unit))
        || (0..id(world.units.len())).filter(|unit| product(*unit)).any(|unit| {
            // `bot { dispatch { text { … } } }`
            let kotlin = world.unit(unit).language == Language::Kotlin;
            world.index(unit).calls.iter().any(|call| {
                let name = callee_name(world, ExprRef(unit, *call));
                kotlin && name == "dispatch"
                    || matches!(
                        name,
                        "GetUpdatesChan"
                        | "GetUpdates"
                        | "getUpdates"
                        | "get_updates"
                        | "ListenForWebhook"
                        | "start_polling"
                        | "run_polling"
                        | "NewSocketmodeHandler"
                        | "NewSocketmodeHandlerWithDebug"
                        // What people write behind a command of a bot.
                        | "SlashCommandBuilder"
                    )
            })
        })
}

/// Whether a type that an answer is asked in is plain text.
fn is_text(world: &World<'_>, value: ExprRef) -> bool {
    matches!(world.expr(value), Expr::Name(name) if matches!(&**name, "str" | "String" | "string"))
}

/// Whether the end of a chain of calls takes the answer apart into a class.
fn is_mapped(world: &World<'_>, at: ExprRef) -> bool {
    let module = world.module(at.0);
    world.index(at.0).ancestors(at.1).take(8).any(|above| {
        matches!(module.expr(above), Expr::Call { callee, args, .. } if !args.is_empty()
            && matches!(module.expr(*callee), Expr::Member { name, .. } if matches!(&**name, "entity" | "responseEntity")))
    })
}

/// Whether a call asks what a library makes for questions of people: a chain over documents, a conversation with a memory, a query engine.
fn answers_questions(symbol: &str) -> bool {
    const MADE: [&str; 9] = [
        "QAChain",
        "RetrievalQA",
        "ConversationalRetrieval",
        "ConversationChain",
        "RetrieverQueryEngine",
        "as_query_engine",
        "as_chat_engine",
        "ChatEngine",
        "create_retrieval_chain",
    ];
    MADE.iter().any(|made| symbol.contains(made))
}

/// Whether nothing but constants is sent.
fn only_constant(call: &Call) -> bool {
    call.sends.iter().all(|sent| matches!(sent, Sends::Constant))
}

/// Whether a file draws a talk by the hook of the library that also streams the answers.
fn is_of_sdk(world: &World<'_>, unit: u32) -> bool {
    world.module(unit).imports.iter().any(|import| {
        matches!(&*import.module, "ai/react" | "ai/svelte" | "ai/vue" | "ai/solid")
            || import.module.starts_with("@ai-sdk/")
    })
}

/// Whether what is taken apart are the arguments of a tool that a model asks for, and not its words.
fn is_of_tool(world: &World<'_>, at: ExprRef) -> bool {
    /// Steps into the argument.
    const STEPS_MAX: usize = 6;
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let Some(first) = args.first() else { return false };
    let module = world.module(at.0);
    let mut expr = first.value;
    for _ in 0..STEPS_MAX {
        expr = match module.expr(expr) {
            Expr::Member { name, .. } => return matches!(&**name, "arguments" | "Arguments"),
            Expr::Call { args, .. } => match args.first() {
                Some(arg) => arg.value,
                None => return false,
            },
            Expr::Await(inner) | Expr::Propagate(inner) => *inner,
            _ => return false,
        };
    }
    false
}

/// Whether a call makes pictures or sounds, writes down what was said or fills an index: it answers nobody.
fn gives_media(call: &Call) -> bool {
    let symbol = call.symbol.to_ascii_lowercase();
    !call.capabilities.is_empty()
        || call.sdk.as_deref() == Some("langchain-stores")
        || ["image", "audio", "speech", "video", "transcri"]
            .iter()
            .any(|media| symbol.contains(media))
}

/// Whether a route is one of the protocol of a model service.
fn is_protocol(route: &str) -> bool {
    [
        "/chat/completions",
        "/v1/completions",
        "/v1/messages",
        "/v1/responses",
        "/api/generate",
    ]
    .iter()
    .any(|end| route.trim_end_matches('/').ends_with(end))
}

/// The function around a call and those that lead to it; nothing where it is asked only in order to make, sort or judge something.
fn chain(world: &World<'_>, at: ExprRef) -> Option<Vec<FunctionRef>> {
    /// Functions that are looked at.
    const MAX: usize = 24;
    let mut out: Vec<FunctionRef> = Vec::new();
    let around = |place: ExprRef, out: &mut Vec<FunctionRef>| {
        // A handler may be a lambda inside of others.
        for function in world.index(place.0).functions_around(place.1) {
            let function = FunctionRef(place.0, function);
            if !out.contains(&function) && out.len() < MAX {
                out.push(function);
            }
        }
    };
    around(at, &mut out);
    let makes = |function: &FunctionRef| name_of(world, *function).is_some_and(only_makes);
    if out.first().is_some_and(makes) {
        return None;
    }
    let (mut next, mut making) = (0, false);
    while let Some(function) = out.get(next).copied() {
        next += 1;
        for caller in world.callers_of(function).iter().take(8) {
            if world.unit(caller.0).zone != world.unit(at.0).zone {
                continue;
            }
            // A caller that makes something of it leads to no talk; another may.
            if next == 1 && world.named_function_of(*caller).is_some_and(|caller| makes(&caller)) {
                making = true;
                continue;
            }
            around(*caller, &mut out);
        }
    }
    let own = world.index(at.0).functions_around(at.1).len();
    (!making || out.len() > own).then_some(out)
}

fn name_of<'w>(world: &World<'w>, function: FunctionRef) -> Option<&'w str> {
    world.function(function).name.as_deref()
}

/// The words of a name, without those that name a product and not a talk: `ChatGPT`.
fn words(name: &str) -> Vec<String> {
    let mut words = words_of(name);
    while let Some(at) = words
        .windows(2)
        .position(|pair| pair[0] == "chat" && pair[1].starts_with("gpt"))
    {
        words.drain(at..at + 2);
    }
    words
}

/// What is said in an argument between programs.
const ARGUED: [&str; 7] = [
    "objection",
    "objections",
    "clarification",
    "critique",
    "rebuttal",
    "argument",
    "challenge",
];

/// Whether a name is one for a talk with somebody.
pub fn talks(name: &str) -> bool {
    let mut words = words(name);
    // What programs that argue say to each other: `respond_to_objection`.
    if words
        .windows(2)
        .any(|pair| pair[0] == "to" && ARGUED.contains(&pair[1].as_str()))
    {
        words.retain(|word| !matches!(word.as_str(), "respond" | "reply" | "answer"));
    }
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&PROTOCOL) {
        return false;
    }
    has(if has(&MAKES) { &TALK_ITSELF } else { &TALK })
}

/// Whether a name is one of a function that makes something, judges or sorts, and takes no part in a talk.
pub fn only_makes(name: &str) -> bool {
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    // `generateText`, `create_completion`: whatever a model gives.
    if words.iter().all(|word| {
        matches!(
            word.as_str(),
            "generate" | "create" | "make" | "message" | "messages" | "msg" | "msgs"
        ) || GENERIC.contains(&word.as_str())
    }) {
        return false;
    }
    has(&MAKES) && !has(&TALK_ITSELF) && !has(&["reply", "response", "answer"])
}

/// Whether a message goes out on a platform for talks; a letter is no talk.
fn is_message(world: &World<'_>, at: ExprRef) -> bool {
    let name = callee_name(world, at);
    let object = object_name(world, at).to_ascii_lowercase();
    let letter = name.to_ascii_lowercase().contains("mail")
        || ["mail", "smtp", "sendgrid", "resend", "postmark", "transporter"]
            .iter()
            .any(|word| object.contains(word))
        || symbols(world, at).iter().any(|symbol| {
            [
                "smtplib",
                "nodemailer",
                "sendgrid",
                "@sendgrid",
                "resend",
                "django.core.mail",
            ]
            .iter()
            .any(|known| symbol.starts_with(known))
        });
    !letter
}

#[cfg(test)]
mod tests {
    use super::{only_makes, talks};

    #[test]
    fn names_of_talks_are_told_from_those_of_makers() {
        for name in [
            "/api/chat",
            "askQuestion",
            "handle_message",
            "generateChatReply",
            "/api/{message}",
        ] {
            assert!(talks(name), "{name}");
        }
        for name in [
            "chatCompletion",
            "generate-interview-questions",
            "generate_answer_key",
            "/tickets/kind",
            "createChatCompletion",
        ] {
            assert!(!talks(name), "{name}");
        }
        assert!(only_makes("classify_ticket"));
        assert!(only_makes("generateCommitMessage"));
        assert!(!only_makes("generate_reply"));
        assert!(!only_makes("generateContentStream"));
        assert!(!only_makes("generateMessage"));
        assert!(!only_makes("createMsg"));
        assert!(!talks("generateChatGPTCoverLetter"));
        assert!(!talks("respond_to_objection"));
        assert!(talks("respond_to_user"));
    }
}
