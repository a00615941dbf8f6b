//! Effects of model output: the places that it reaches.

use std::collections::BTreeSet;

use engine_model::{Effect, EntryPointKind, Language, Zone};
use engine_syntax::ir::{Expr, ExprId};
use rustc_hash::FxHashSet as HashSet;

use super::messengers::Messengers;
use super::screens::Screens;
use super::{callee_name, object_name, symbols, texts_in};
use crate::calls::Found;
use crate::entry::Entry;
use crate::flow::{Answers, Flow};
use crate::index::BindSource;
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// A place that an answer reaches.
pub(super) struct Reach {
    pub(super) at: ExprRef,
    pub(super) effect: Effect,
    pub(super) answers: Answers,
}

/// The effects of each answer, by index of its call, and the calls by which they come about.
pub(super) fn all(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    entries: &[Entry],
    found: &[Found],
) -> (Vec<BTreeSet<Effect>>, Vec<Reach>) {
    let mut out = vec![BTreeSet::new(); found.len()];
    let mut reached: Vec<Reach> = Vec::new();
    if found.is_empty() {
        return (out, reached);
    }
    let messengers = Messengers::new(world).with(world, entries);
    let screens = Screens::new(world);
    let typed = is_typed_at(world, entries);
    let asking: HashSet<FunctionRef> = flow
        .answers
        .keys()
        .filter_map(|at| world.named_function_of(*at))
        .collect();
    let mut add = |answers: &Answers, effect: Effect| {
        for answer in answers.iter() {
            if let Some(effects) = out.get_mut(answer) {
                effects.insert(effect);
            }
        }
    };
    for unit in 0..crate::values::id(world.units.len()) {
        let interactive = typed || reads_lines(world, unit, &["chat_input", "text_input", "interact_text"]);
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            // What the model itself is sent goes to nobody else.
            let own = || flow.answers.contains_key(&at);
            // Neither does what is handed to the function of the project that asks it: `client.send_message(&conversation)`.
            let wrapped = || {
                let callees = world.callees(at);
                !callees.is_empty() && callees.iter().all(|callee| asking.contains(callee))
            };
            let effect = sink(world, at, interactive)
                .filter(|effect| *effect != Effect::Mail || !wrapped())
                .or_else(|| (messengers.sends(world, at) && !own() && !wrapped()).then_some(Effect::Mail))
                .or_else(|| (screens.shows(world, at) && !own()).then_some(Effect::Page));
            let Some(effect) = effect else {
                continue;
            };
            let answers = match effect {
                Effect::Shell => runs(world, flow, at),
                Effect::Database if super::php::saved_record(world, at).is_some() => {
                    let record = super::php::saved_record(world, at).unwrap_or(at);
                    flow.origins(record).answers.clone()
                }
                _ => flow.of_arguments(at).answers.clone(),
            };
            if !answers.is_empty() {
                add(&answers, effect);
                reached.push(Reach { at, effect, answers });
            }
        }
        for (id, expr) in world.module(unit).exprs.iter().enumerate() {
            if matches!(expr.kind, Expr::Element { .. }) && world.index(unit).expr_scope[id] != crate::index::NONE {
                add(
                    &flow.origins(ExprRef(unit, ExprId(crate::values::id(id)))).answers,
                    Effect::Page,
                );
            }
        }
        for (at, value) in screens
            .written(world, unit)
            .into_iter()
            .chain(super::php::shown_fields(world, unit))
            .chain(super::ruby::kept_for_views(world, unit))
        {
            let answers = flow.origins(value).answers.clone();
            if !answers.is_empty() {
                add(&answers, Effect::Page);
                reached.push(Reach {
                    at,
                    effect: Effect::Page,
                    answers,
                });
            }
        }
        for (condition, _) in &world.index(unit).conditions {
            let at = ExprRef(unit, *condition);
            if !is_check_of_success(world, flow, at) {
                add(&flow.origins(at).answers, Effect::Branch);
            }
        }
    }
    for said in super::speech_output::all(world, flow, &messengers, found) {
        add(&said.answers, said.effect);
        reached.push(said);
    }
    // What a handler of a request gives back is the reply.
    let handlers: HashSet<FunctionRef> = entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryPointKind::Http | EntryPointKind::Page))
        .filter_map(|entry| entry.function)
        .collect();
    let mut handlers: Vec<FunctionRef> = handlers.into_iter().collect();
    handlers.sort_unstable();
    for handler in handlers {
        let index = world.index(handler.0);
        for value in index.returns[handler.1.0 as usize]
            .iter()
            .chain(&index.yields[handler.1.0 as usize])
        {
            add(&flow.origins(ExprRef(handler.0, *value)).answers, Effect::Page);
        }
    }
    (out, reached)
}

/// Calls that ask the one at the keyboard for a line, whatever the language.
const LINE_READERS: [&str; 6] = ["input", "question", "ReadLine", "readLine", "read_line", "readln"];

/// Whether a file asks the one at the keyboard for a line: by one of the calls that all programs have, or by one of some more.
pub(super) fn reads_lines(world: &World<'_>, unit: u32, more: &[&str]) -> bool {
    world.index(unit).calls.iter().any(|call| {
        let name = callee_name(world, ExprRef(unit, *call));
        LINE_READERS.contains(&name) || more.contains(&name)
    })
}

/// Libraries with which a program talks with the one at the keyboard, line by line.
const PROMPTS: [&str; 15] = [
    "prompt_toolkit",
    "questionary",
    "readline",
    "node:readline",
    "readline/promises",
    "node:readline/promises",
    "inquirer",
    "@inquirer/prompts",
    "prompts",
    "@clack/prompts",
    "reedline",
    "rustyline",
    "github.com/chzyer/readline",
    "github.com/manifoldco/promptui",
    "github.com/c-bata/go-prompt",
];

/// Whether a program talks with the one at the keyboard and serves nobody else, so that what any of its files prints is read by that person.
pub(super) fn is_typed_at(world: &World<'_>, entries: &[Entry]) -> bool {
    let served = entries.iter().any(|entry| {
        matches!(
            entry.kind,
            EntryPointKind::Http | EntryPointKind::Message | EntryPointKind::Page
        ) && world.unit(entry.unit).zone == Zone::Product
    });
    !served
        && (0..crate::values::id(world.units.len())).any(|unit| {
            world.unit(unit).zone == Zone::Product
                && (world.module(unit).imports.iter().any(|import| {
                    let module = import.module.split("::").next().unwrap_or("");
                    PROMPTS.contains(&module)
                }) || asks_for_text(world, unit))
        })
}

/// Whether a file of Rust has whoever sits at the keyboard write a text, and not only choose or agree.
fn asks_for_text(world: &World<'_>, unit: u32) -> bool {
    world.unit(unit).language == Language::Rust
        && world
            .index(unit)
            .calls
            .iter()
            .any(|call| callee_name(world, ExprRef(unit, *call)) == "interact_text")
}

/// Programs that take code as an argument.
const INTERPRETERS: [&str; 22] = [
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "cmd",
    "cmd.exe",
    "powershell",
    "pwsh",
    "python",
    "python3",
    "node",
    "deno",
    "bun",
    "ruby",
    "perl",
    "php",
    "osascript",
    "executable",
    "execPath",
    "ssh",
    "docker",
];

/// The answers of which a started program makes a command: all that stand in its arguments, unless a list names one fixed program. What
/// follows the name of a program that is no interpreter is data to it, and no shell looks at it.
fn runs(world: &World<'_>, flow: &Flow<'_, '_>, at: ExprRef) -> Answers {
    let all = flow.of_arguments(at).answers.clone();
    if all.is_empty() {
        return all;
    }
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return all;
    };
    // What a command that was put together before is told at the end is nothing: `exec.Command(…).Run()`.
    if let Expr::Member { object, .. } = world.expr(ExprRef(at.0, *callee))
        && args.is_empty()
        && matches!(world.expr(ExprRef(at.0, *object)), Expr::Call { .. })
    {
        return Answers::default();
    }
    let through_shell = args.iter().any(|arg| {
        let set = |value| !matches!(world.module(at.0).expr(value), Expr::Bool(false) | Expr::Null);
        match world.module(at.0).expr(arg.value) {
            _ if arg.name.as_deref() == Some("shell") => set(arg.value),
            Expr::Map(entries) => entries.iter().any(|entry| {
                entry.key.is_some_and(
                    |key| matches!(world.module(at.0).expr(key), Expr::Str(key) | Expr::Name(key) if &**key == "shell"),
                ) && set(entry.value)
            }),
            _ => false,
        }
    });
    let plain: Vec<ExprRef> = args
        .iter()
        .filter(|arg| arg.name.is_none() || arg.name.as_deref() == Some("args"))
        .map(|arg| ExprRef(at.0, arg.value))
        .collect();
    // A context that can be cancelled comes before the words.
    let skipped = usize::from(callee_name(world, at) == "CommandContext");
    let plain: Vec<ExprRef> = plain.into_iter().skip(skipped).collect();
    let Some(first) = plain.first() else { return all };
    // The words of the command: a list, or the arguments themselves after the name of a program.
    let words: Vec<ExprRef> = match list_of(world, *first) {
        Some(list) => list,
        None if plain.len() > 1 && takes_words(callee_name(world, at)) => plain.clone(),
        // A command that was put together elsewhere; what it reads is data to it.
        None if !through_shell && args.iter().any(|arg| arg.name.as_deref() == Some("input")) => {
            return flow.origins(*first).answers.clone();
        }
        None => return all,
    };
    let Some((program, rest)) = words.split_first() else {
        return all;
    };
    if is_contained(world, at, *program, rest) {
        return Answers::default();
    }
    let fixed = flow.origins(*program).answers.is_empty();
    let mut texts = texts_in(world, *program);
    if let Expr::Member { name, .. } | Expr::Name(name) = world.expr(*program) {
        texts.push(name);
    }
    let interpreter = texts.iter().any(|text| {
        text.rsplit(['/', '\\'])
            .next()
            .is_some_and(|base| INTERPRETERS.contains(&base))
    });
    let code = rest
        .iter()
        .any(|word| matches!(world.expr(*word), Expr::Str(text) if matches!(&**text, "-c" | "-e" | "/c" | "-Command" | "eval" | "exec")));
    if fixed && !interpreter && !code && !through_shell {
        return Answers::default();
    }
    // What follows the file of a program is data to it: `["python3", "speak.py", text]`.
    let file = rest.first().is_some_and(|word| {
        matches!(world.expr(*word), Expr::Str(text) if text.rsplit_once('.').is_some_and(|(_, ending)| {
            matches!(ending, "py" | "js" | "mjs" | "ts" | "rb" | "pl" | "php" | "sh" | "jar")
        }))
    });
    if fixed && !code && !through_shell && file {
        return Answers::default();
    }
    // An interpreter that is told which program to run takes what comes in from its standard input as data.
    if fixed && !code && !through_shell && rest.iter().any(|word| matches!(world.expr(*word), Expr::Str(_))) {
        let mut written = Answers::default();
        for word in rest {
            written.add(&flow.origins(*word).answers);
        }
        return written;
    }
    all
}

/// Whether what is written goes to the standard input of a program that is named and runs no code: `spawn("piper").stdin.write(text)`.
fn feeds_a_program(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return false;
    };
    let Expr::Member { object, .. } = world.module(at.0).expr(*callee) else {
        return false;
    };
    let started: Vec<ExprRef> = world
        .eval(ExprRef(at.0, *object))
        .iter()
        .filter_map(|value| match value {
            Value::Path(path) => path.calls().next(),
            _ => None,
        })
        .collect();
    !started.is_empty()
        && started.into_iter().all(|start| {
            let Expr::Call { args, .. } = world.expr(start) else {
                return false;
            };
            let program = args.first().map(|arg| ExprRef(start.0, arg.value));
            let program = program.and_then(|first| {
                list_of(world, first)
                    .and_then(|words| words.first().copied())
                    .or(Some(first))
            });
            program.is_some_and(|program| {
                matches!(world.expr(program), Expr::Str(name)
                    if !name.contains(char::is_whitespace)
                        && name.rsplit(['/', '\\']).next().is_some_and(|base| !INTERPRETERS.contains(&base)))
            })
        })
}

/// Programs that run others in a container.
const CONTAINERS: [&str; 4] = ["docker", "podman", "nerdctl", "container"];

/// Whether a command runs in a container that the project starts for it: what it does stays in there.
fn is_contained(world: &World<'_>, at: ExprRef, program: ExprRef, rest: &[ExprRef]) -> bool {
    let text_of = |at: &ExprRef| match world.expr(*at) {
        Expr::Str(text) => Some(&**text),
        _ => None,
    };
    let starts = |program: ExprRef| {
        let named = match world.expr(program) {
            Expr::Str(name) | Expr::Name(name) | Expr::Member { name, .. } => name.to_ascii_lowercase(),
            _ => return false,
        };
        CONTAINERS.iter().any(|known| named.contains(known))
    };
    if !starts(program) {
        return false;
    }
    match rest.first().and_then(text_of) {
        Some("run") => true,
        // Somebody else's container is no place of its own: the file starts one as well.
        Some("exec") => world.index(at.0).calls.iter().any(|call| {
            let Expr::Call { args, .. } = world.module(at.0).expr(*call) else {
                return false;
            };
            let words: Vec<ExprRef> = args.iter().map(|arg| ExprRef(at.0, arg.value)).collect();
            words
                .windows(2)
                .any(|pair| starts(pair[0]) && matches!(text_of(&pair[1]), Some("run" | "create")))
        }),
        _ => false,
    }
}

/// The elements of the list that an expression is.
pub(crate) fn list_of(world: &World<'_>, at: ExprRef) -> Option<Vec<ExprRef>> {
    let elements = |at: ExprRef| match world.expr(at) {
        Expr::List(items) => Some(items.iter().map(|item| ExprRef(at.0, *item)).collect()),
        _ => None,
    };
    elements(at).or_else(|| {
        world.eval(at).iter().find_map(|value| match value {
            Value::Literal(literal) => elements(*literal),
            _ => None,
        })
    })
}

/// Whether a call starts a program from its name and its words, without a shell.
fn takes_words(name: &str) -> bool {
    matches!(
        name,
        "create_subprocess_exec"
            | "Command"
            | "CommandContext"
            | "spawn"
            | "spawnSync"
            | "execFile"
            | "execFileSync"
            | "execa"
            | "ProcessBuilder"
    )
}

/// Whether a condition is the name of a list that was made here, or its opposite: `if not evaluations`. What stands in the list decides nothing.
fn is_list_asked_for_being_empty(world: &World<'_>, unit: u32, condition: ExprId) -> bool {
    let index = world.index(unit);
    let mut at = condition;
    if let Expr::Other(parts) | Expr::Test(parts) = index.module.expr(at)
        && let [only] = parts.as_slice()
    {
        at = *only;
    }
    let Expr::Name(name) = index.module.expr(at) else {
        return false;
    };
    let mut scope = index.expr_scope[at.0 as usize];
    while let Some(here) = index.scopes.get(scope as usize) {
        if let Some(bindings) = here.names.get(&**name) {
            return bindings.iter().all(|binding| {
                matches!(binding.source, BindSource::Value(value)
                    if binding.steps.is_empty() && matches!(index.module.expr(value), Expr::List(_)))
            });
        }
        scope = here.parent;
    }
    false
}

/// Whether a condition only asks if there is an answer at all.
pub(crate) fn is_check_of_success(world: &World<'_>, flow: &Flow<'_, '_>, at: ExprRef) -> bool {
    let module = world.module(at.0);
    let mut whole = at.1;
    while let Expr::Await(inner) | Expr::Propagate(inner) = module.expr(whole) {
        whole = *inner;
    }
    if flow.answers.contains_key(&ExprRef(at.0, whole)) || is_list_asked_for_being_empty(world, at.0, whole) {
        return true;
    }
    let mut stack = vec![at.1];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 100 {
            return false;
        }
        match module.expr(id) {
            Expr::Null => return true,
            Expr::Member { name, .. }
                if matches!(
                    &**name,
                    "ok" | "status"
                        | "status_code"
                        | "statusCode"
                        | "StatusCode"
                        | "IsSuccessStatusCode"
                        | "is_success"
                        | "error"
                        | "length"
                        | "isSuccessful"
                ) =>
            {
                return true;
            }
            Expr::Name(_) if id == at.1 => {
                // A name for the whole answer, asked only for being there.
                return flow.is_whole_answer(ExprRef(at.0, id));
            }
            _ => {}
        }
        stack.extend(module.children(id));
    }
    false
}

/// Whether a call is a sink, and of which kind.
pub(crate) fn sink(world: &World<'_>, at: ExprRef, interactive: bool) -> Option<Effect> {
    if world.unit(at.0).language == Language::Php {
        return super::php::sink(world, at);
    }
    if world.unit(at.0).language == Language::Ruby {
        return super::ruby::sink(world, at, interactive);
    }
    let name = callee_name(world, at);
    let object = object_name(world, at);
    let symbols = symbols(world, at);
    let is = |wanted: &[&str]| {
        symbols.iter().any(|symbol| {
            wanted.iter().any(|known| {
                symbol
                    .strip_suffix(known)
                    .is_some_and(|before| before.is_empty() || before.ends_with('.'))
            })
        })
    };
    let begins = |wanted: &[&str]| {
        symbols
            .iter()
            .any(|symbol| wanted.iter().any(|known| symbol.starts_with(known)))
    };
    // What is done with the output of a program starts none: `run(cmd).stdout.replace(prompt, "")`.
    let of_output = symbols.iter().any(|symbol| {
        [
            "subprocess.",
            "os.popen(",
            "child_process.",
            "node:child_process.",
            "asyncio.create_subprocess",
        ]
        .iter()
        .any(|known| symbol.starts_with(known))
            && symbol.contains("().")
    }) && !matches!(name, "communicate" | "write" | "writelines" | "end");
    if of_output || matches!(name, "write" | "writelines" | "communicate" | "end") && feeds_a_program(world, at) {
        return None;
    }
    if begins(&[
        "subprocess.",
        "os.system",
        "os.popen",
        "pty.spawn",
        "child_process.",
        "node:child_process.",
        "execa",
        "shelljs.",
        "os/exec.",
        "asyncio.create_subprocess",
        "std.process.Command",
        "java.lang.Runtime",
        "Runtime.getRuntime",
        "System.Diagnostics.Process",
        "vm.run",
        "zx.",
    ]) || is(&[
        "exec",
        "eval",
        "execSync",
        "spawnSync",
        "exec.Command",
        "Process.Start",
        "Runtime.exec",
        "ProcessBuilder",
        "runInNewContext",
        "PythonREPL",
        "code.interact",
    ]) && !matches!(
        object,
        "db" | "conn" | "pool" | "client" | "regex" | "pattern" | "re" | "tx" | "query"
    ) && !name.starts_with("findAll")
        && (object.is_empty() || !begins(&["RegExp"]))
        && (matches!(name, "exec" | "eval") && object.is_empty() || !matches!(name, "exec" | "eval"))
        || (object == "Command" && name == "new")
        || (object.is_empty()
            && matches!(name, "eval" | "exec" | "bash" | "sh")
            && world.unit(at.0).language == Language::Shell)
    {
        return Some(Effect::Shell);
    }
    if matches!(
        name,
        "sendmail"
            | "send_message"
            | "sendMail"
            | "send_mail"
            | "send_email"
            | "sendEmail"
            | "send_messages"
            | "chat_postMessage"
            | "chat_postEphemeral"
            | "postMessage"
            | "postEphemeral"
            | "reply_text"
            | "SendMailAsync"
            | "sendMessage"
            | "send_sms"
            | "followUp"
            | "EmailMessage"
            | "answer"
            | "SendMessageAsync"
            | "SendTextMessageAsync"
            | "reply_markdown"
            | "editReply"
    ) && !begins(&[
        "google.",
        "openai",
        "window",
        "self.postMessage",
        "@google",
        "node-llama-cpp",
    ]) && !matches!(object, "window" | "self" | "worker" | "port" | "parentPort")
        // A talk with a model has a `sendMessage` too; `client.chat.postMessage` is how Slack is written to.
        && (object != "chat" || matches!(name, "postMessage" | "postEphemeral"))
        || changes_a_message_of_slack(world, at, name, object)
        || (matches!(name, "send" | "reply" | "create")
            && matches!(
                object,
                "emails"
                    | "mail"
                    | "mailer"
                    | "sgMail"
                    | "message"
                    | "msg"
                    | "ctx"
                    | "channel"
                    | "sms"
                    | "transporter"
                    | "smtp"
                    | "context"
                    | "bot"
                    | "messages"
                    | "author"
            )
            && !begins(&[
                "openai",
                "anthropic",
                "@anthropic",
                "groq",
                "@fastify",
                "github.com/anthropics",
            ])
            && (object != "messages" || begins(&["twilio"]))
            // A row of a table is made, and nobody gets it.
            && (name != "create" || object == "emails" || begins(&["twilio"])))
        || begins(&["smtplib.", "sendgrid.", "@sendgrid", "resend.", "nodemailer."])
            && matches!(name, "send" | "sendMail" | "sendmail" | "send_message")
    {
        return Some(Effect::Mail);
    }
    if database(world, at, name, object, &symbols) {
        return Some(Effect::Database);
    }
    // `res.status(200).json(…)`
    let replies = matches!(object, "res" | "response" | "reply" | "resp")
        || matches!(object, "status" | "code" | "type" | "header" | "set")
            && matches!(super::root_name(world, at), "res" | "response" | "reply" | "resp");
    let reply = replies && matches!(name, "json" | "send" | "render" | "end" | "write" | "status" | "code")
        || matches!(object, "c" | "ctx" | "context" | "gc")
            && matches!(
                name,
                "JSON"
                    | "String"
                    | "HTML"
                    | "IndentedJSON"
                    | "json"
                    | "text"
                    | "html"
                    | "body"
                    | "SendString"
                    | "Stream"
                    | "streamText"
            )
        || matches!(
            name,
            "NextResponse"
                | "Response"
                | "jsonify"
                | "render_template"
                | "StreamingResponse"
                | "JSONResponse"
                | "HTMLResponse"
                | "PlainTextResponse"
                | "JsonResponse"
                | "HttpResponse"
                | "StreamingHttpResponse"
                | "EventSourceResponse"
                | "render"
                | "toDataStreamResponse"
                | "toUIMessageStreamResponse"
                | "toTextStreamResponse"
                | "pipeDataStreamToResponse"
                | "pipeUIMessageStreamToResponse"
                | "pipeTextStreamToResponse"
                | "createUIMessageStreamResponse"
                | "createDataStreamResponse"
                | "toAIStreamResponse"
                | "StreamingTextResponse"
                | "streamSSE"
                | "streamText"
                | "sendEventStream"
                | "streaming_response"
                | "Ok"
                | "ResponseEntity"
                | "TemplateResponse"
        ) && world.unit(at.0).language != Language::Rust
        || matches!(object, "NextResponse" | "Response" | "Results" | "ResponseEntity")
            && matches!(name, "json" | "Ok" | "Json" | "ok" | "body")
        || matches!(name, "Execute" | "ExecuteTemplate") && begins(&["html/template."])
        // A part of a page of Streamlit may have a name of its own: `placeholder = st.empty()`, `column.markdown(…)`.
        || (matches!(object, "st" | "sidebar" | "cl") || begins(&["streamlit."]))
            && matches!(
                name,
                "write" | "markdown" | "text" | "success" | "write_stream" | "info" | "Message" | "chat_message"
            )
        // The page of an extension is answered by what its listener is handed.
        || name == "sendResponse"
            && object.is_empty()
            && crate::project::is_script(world.unit(at.0).language)
            && world.callees(at).is_empty()
        // A window of a browser or an app over its page.
        || name == "alert"
            && matches!(object, "" | "window" | "Alert")
            && crate::project::is_script(world.unit(at.0).language)
            && world.callees(at).is_empty()
        || matches!(object, "w" | "rw" | "writer" | "Writer") && matches!(name, "Write" | "WriteString")
        || matches!(name, "SSEvent" | "WriteAsync") && matches!(object, "c" | "ctx" | "Response" | "Body")
        || object == "emitter" && name == "send"
        || name == "ServerSentEvents"
        || fills_a_view(world, at, name)
        || (object == "fmt" && matches!(name, "Fprint" | "Fprintf" | "Fprintln"))
        || name == "Encode"
        || (interactive
            && matches!(
                name,
                "print" | "println" | "println!" | "WriteLine" | "Println" | "Printf" | "log" | "write"
            )
            && matches!(object, "" | "console" | "Console" | "out" | "fmt" | "stdout"))
        || setter(world, at, name);
    reply.then_some(Effect::Page)
}

/// Whether a message is changed that Slack shows: `client.chat.update({ channel, ts, text })`.
fn changes_a_message_of_slack(world: &World<'_>, at: ExprRef, name: &str, object: &str) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let module = world.module(at.0);
    let has = |wanted: &str| {
        args.iter().any(|arg| match module.expr(arg.value) {
            Expr::Map(entries) => entries.iter().any(|entry| {
                entry
                    .key
                    .is_some_and(|key| matches!(module.expr(key), Expr::Str(key) | Expr::Name(key) if &**key == wanted))
            }),
            _ => false,
        })
    };
    name == "update" && object == "chat" && has("channel") && has("ts")
}

/// What a page of Spring is filled with: `model.addAttribute("answer", answer)`.
fn fills_a_view(world: &World<'_>, at: ExprRef, name: &str) -> bool {
    matches!(name, "addAttribute" | "addObject" | "addFlashAttribute")
        && crate::project::is_jvm(world.unit(at.0).language)
        && world.module(at.0).imports.iter().any(|import| {
            import.module.starts_with("org.springframework.ui") || import.module.starts_with("org.springframework.web")
        })
}

/// A setter of a component's state: `const [answer, setAnswer] = useState("")`.
fn setter(world: &World<'_>, at: ExprRef, name: &str) -> bool {
    name.len() > 3
        && name.starts_with("set")
        && crate::flow::has_elements(world, at.0)
        && symbols(world, at).iter().any(|symbol| symbol.contains("useState"))
}

/// Whether a chain begins with the client of a hosted store: `supabase.from("results").insert(…)`.
fn is_client_of_rows(root: &str) -> bool {
    let lower = root.to_ascii_lowercase();
    lower.starts_with("supabase") || matches!(lower.as_str(), "prisma" | "knex" | "firestore" | "pb" | "pocketbase")
}

fn database(world: &World<'_>, at: ExprRef, name: &str, object: &str, symbols: &[String]) -> bool {
    if matches!(
        name,
        "insert_one"
            | "insertOne"
            | "insert_many"
            | "insertMany"
            | "updateOne"
            | "update_one"
            | "updateMany"
            | "update_many"
            | "bulk_create"
            | "upsert"
            | "executemany"
            | "to_sql"
            | "hset"
            | "replaceOne"
            | "replace_one"
            | "findOneAndUpdate"
            | "findByIdAndUpdate"
            | "createMany"
            | "SaveChangesAsync"
            | "saveAll"
            | "ExecContext"
            | "put_item"
            | "PutItem"
            | "merge_all"
            | "add_all"
            | "update_or_create"
            | "get_or_create"
            | "insert_row"
    ) {
        return true;
    }
    let lower = object.to_ascii_lowercase();
    let store = matches!(
        lower.as_str(),
        "db" | "session"
            | "cursor"
            | "cur"
            | "conn"
            | "connection"
            | "collection"
            | "tx"
            | "store"
            | "table"
            | "prisma"
            | "supabase"
            | "database"
            | "objects"
            | "entitymanager"
            | "jdbctemplate"
            | "_context"
            | "dbcontext"
            | "em"
            | "pool"
            | "knex"
            | "redis"
            | "query"
            | "sqlite"
    ) || lower.ends_with("repository")
        || lower.ends_with("repo")
        || lower.ends_with("dao")
        || lower.ends_with("collection")
        || symbols.iter().any(|symbol| {
            symbol.contains("prisma") || symbol.starts_with("sqlalchemy") || symbol.starts_with("mongoose")
        })
        || is_client_of_rows(super::root_name(world, at));
    if !store {
        return false;
    }
    if matches!(
        name,
        "execute" | "exec" | "Exec" | "query" | "Query" | "run" | "raw" | "update" | "ExecuteAsync" | "prepare"
    ) {
        let sql = texts_in(world, at).iter().any(|text| {
            let upper = text.trim_start().to_ascii_uppercase();
            ["INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "DROP", "ALTER"]
                .iter()
                .any(|verb| upper.starts_with(verb))
        });
        let reads = texts_in(world, at)
            .iter()
            .any(|text| text.trim_start().to_ascii_uppercase().starts_with("SELECT"));
        return sql || !reads;
    }
    matches!(
        name,
        "add"
            | "insert"
            | "save"
            | "create"
            | "merge"
            | "set"
            | "Add"
            | "AddAsync"
            | "Create"
            | "Save"
            | "put"
            | "Update"
            | "persist"
            | "delete"
            | "values"
            | "Insert"
            | "update"
    )
}
