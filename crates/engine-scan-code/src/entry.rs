//! Where code is started or reached, and which calls each entry point leads to.

mod php;
mod ruby;

pub(crate) use php::is_found_by_place;

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{EntryPoint, EntryPointKind, Language, Zone};
use engine_syntax::ir::{Expr, ExprId, FunctionId, Pattern, StmtKind};
use rustc_hash::FxHashMap as HashMap;

use crate::CodeEntryPoint;
use crate::facts::messengers::Messengers;
use crate::flow::Answers;
use crate::memo::{Home, home};
use crate::project::{is_python, is_script};
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

/// What each function, or the top of a unit, calls: records and functions of the project.
type Direct = BTreeMap<Home, (Vec<usize>, Vec<FunctionRef>)>;

/// An entry point before it is known what it reaches.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: EntryPointKind,
    pub(crate) name: String,
    pub(crate) unit: u32,
    pub(crate) line: u32,
    /// The function that runs; none for the top of a file.
    pub(crate) function: Option<FunctionRef>,
}

/// All entry points that the code declares.
pub(crate) fn find(world: &World<'_>) -> Vec<Entry> {
    let mut out = Vec::new();
    let messengers = Messengers::new(world);
    for unit in 0..crate::values::id(world.units.len()) {
        decorated(world, unit, &mut out);
        crate::message_handlers::handlers(world, unit, &mut out);
        crate::message_handlers::of_extensions(world, unit, &mut out);
        registered(world, unit, messengers.speaks(unit), &mut out);
        if messengers.speaks(unit) {
            heard(world, unit, &mut out);
            crate::message_handlers::by_type(world, unit, &mut out);
        }
        screens(world, unit, &mut out);
        by_place(world, unit, &mut out);
        php::entries(world, unit, &mut out);
        ruby::entries(world, unit, messengers.speaks(unit), &mut out);
        started(world, unit, &mut out);
    }
    let mut seen = BTreeSet::new();
    out.retain(|entry| seen.insert((entry.unit, entry.function, entry.kind, entry.name.clone())));
    out
}

/// The name of a decorator and the first text that it is given.
fn decorator(world: &World<'_>, unit: u32, id: ExprId) -> (String, Option<String>, bool) {
    let module = world.module(unit);
    let (callee, args) = match module.expr(id) {
        Expr::Call { callee, args, .. } => (*callee, args.as_slice()),
        _ => (id, &[][..]),
    };
    let (name, member) = match module.expr(callee) {
        Expr::Name(name) => (name.to_string(), false),
        Expr::Member { name, .. } => (name.to_string(), true),
        _ => (String::new(), false),
    };
    let text = args.iter().find_map(|arg| match module.expr(arg.value) {
        Expr::Str(text) => Some(text.to_string()),
        Expr::List(parts) => parts.iter().find_map(|part| match module.expr(*part) {
            Expr::Str(text) => Some(text.to_string()),
            _ => None,
        }),
        _ => None,
    });
    (name, text, member)
}

/// What starts a function of a cloud, by the attribute of its parameter.
fn trigger(world: &World<'_>, unit: u32, id: ExprId) -> Option<EntryPointKind> {
    let (name, ..) = decorator(world, unit, id);
    match name.as_str() {
        "HttpTrigger" => Some(EntryPointKind::Http),
        "TimerTrigger" => Some(EntryPointKind::Job),
        name if name.ends_with("Trigger") => Some(EntryPointKind::Message),
        _ => None,
    }
}

fn decorated(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    let language = world.unit(unit).language;
    for function in world.functions(unit) {
        let node = world.function(function);
        for id in &node.decorators {
            let (name, text, member) = decorator(world, unit, *id);
            let route = text
                .as_deref()
                .is_some_and(|text| text.starts_with('/') || text.is_empty());
            let kind = match name.as_str() {
                "get" | "post" | "put" | "delete" | "patch" | "route" | "websocket" | "api_route" | "head"
                | "options"
                    if is_python(language) && member && (route || text.is_none()) =>
                {
                    EntryPointKind::Http
                }
                "get" | "post" | "put" | "delete" | "patch" | "handler"
                    if language == Language::Rust && (route || name == "handler") =>
                {
                    EntryPointKind::Http
                }
                "GetMapping" | "PostMapping" | "PutMapping" | "DeleteMapping" | "PatchMapping" | "RequestMapping"
                | "GET" | "POST" | "PUT" | "DELETE" | "HttpGet" | "HttpPost" | "HttpPut" | "HttpDelete"
                | "HttpPatch" | "Get" | "Post" | "Put" | "Delete" | "Patch" | "All" | "api_view" | "Sse" | "action"
                | "QueryMapping" | "MutationMapping" | "Query" | "Mutation"
                    if name != "action" || is_python(language) =>
                {
                    EntryPointKind::Http
                }
                // What a page in a shell of Rust asks of its program.
                "command" if language == Language::Rust && member && imports(world, unit, "tauri") => {
                    EntryPointKind::Page
                }
                "command" if language == Language::Rust && imports(world, unit, "poise") => EntryPointKind::Message,
                // Functions that a cloud runs: `[Function("Ask")] … ([HttpTrigger] HttpRequest request)`.
                "Function" | "FunctionName" if language == Language::CSharp => {
                    match node
                        .params
                        .iter()
                        .flat_map(|param| &param.decorators)
                        .find_map(|id| trigger(world, unit, *id))
                    {
                        Some(kind) => kind,
                        None => continue,
                    }
                }
                // `@handler.add(MessageEvent, message=TextMessage)`
                "add" if is_python(language) && member && imports(world, unit, "linebot") => EntryPointKind::Message,
                "command" | "group" | "callback" | "ShellMethod" | "Command"
                    if name != "command" || !is_discord(member, world, unit) =>
                {
                    EntryPointKind::Command
                }
                "task" | "shared_task" | "periodic_task" | "scheduled_job" | "cron" | "Scheduled" | "Cron"
                | "Interval" | "flow" | "dag" | "job" | "on_schedule" | "Recurring" | "schedule" => EntryPointKind::Job,
                "event"
                | "message"
                | "on_message"
                | "message_handler"
                | "slash_command"
                | "on"
                | "KafkaListener"
                | "RabbitListener"
                | "EventListener"
                | "JmsListener"
                | "SqsListener"
                | "MessagePattern"
                | "EventPattern"
                | "SubscribeMessage"
                | "on_event"
                | "callback_query_handler"
                | "command_handler"
                | "on_chat_start"
                | "MessageMapping"
                | "command" => EntryPointKind::Message,
                _ => continue,
            };
            out.push(Entry {
                kind,
                name: text
                    .filter(|text| !text.is_empty())
                    .unwrap_or_else(|| node.name.as_deref().unwrap_or("handler").to_owned()),
                unit,
                line: node.span.line,
                function: Some(function),
            });
        }
    }
    // Methods of views that are named after the verb.
    for class in &module.classes {
        let view = class.bases.iter().any(|base| {
            let last = base.name.rsplit('.').next().unwrap_or(&base.name);
            matches!(
                last,
                "View"
                    | "APIView"
                    | "Resource"
                    | "HTTPEndpoint"
                    | "RequestHandler"
                    | "MethodView"
                    | "GenericAPIView"
                    | "HttpServlet"
            ) || last.ends_with("View")
                || last.ends_with("ViewSet")
        });
        let worker = class.bases.iter().any(|base| {
            matches!(
                &*base.name,
                "BackgroundService" | "IHostedService" | "IJob" | "BaseCommand"
            )
        });
        // What a cloud runs for each request: `implements RequestHandler<…>` of AWS Lambda.
        let lambda = crate::project::is_jvm(world.unit(unit).language)
            && class.bases.iter().any(|base| {
                let last = base.name.rsplit('.').next().unwrap_or(&base.name);
                matches!(last, "RequestHandler" | "RequestStreamHandler")
            });
        // What people call over an open connection.
        let hub = world.unit(unit).language == Language::CSharp && class.bases.iter().any(|base| base.name == "Hub");
        for method in &class.methods {
            let name = module.function(*method).name.as_deref().unwrap_or("");
            let called = hub && module.function(*method).exported && !name.starts_with("On");
            let kind = if called
                || lambda && name == "handleRequest"
                || view
                    && matches!(
                        name,
                        "get"
                            | "post"
                            | "put"
                            | "patch"
                            | "delete"
                            | "list"
                            | "create"
                            | "retrieve"
                            | "update"
                            | "doGet"
                            | "doPost"
                            | "on_get"
                            | "on_post"
                    ) {
                EntryPointKind::Http
            } else if worker && matches!(name, "ExecuteAsync" | "StartAsync" | "Execute" | "handle") {
                EntryPointKind::Job
            } else {
                continue;
            };
            out.push(Entry {
                kind,
                name: format!("{}.{name}", class.name.as_deref().unwrap_or("")),
                unit,
                line: module.function(*method).span.line,
                function: Some(FunctionRef(unit, *method)),
            });
        }
    }
}

/// Whether a file imports from a package.
fn imports(world: &World<'_>, unit: u32, package: &str) -> bool {
    let module = world.module(unit);
    module.imports.iter().any(|import| {
        import
            .module
            .strip_prefix(package)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.']))
    })
}

fn is_discord(member: bool, world: &World<'_>, unit: u32) -> bool {
    member
        && world.module(unit).imports.iter().any(|import| {
            import.module.starts_with("discord")
                || import.module.starts_with("telegram")
                || import.module.starts_with("aiogram")
        })
}

/// Calls that hand a function to a router, a scheduler, a bot.
fn registered(world: &World<'_>, unit: u32, speaks: bool, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    for call in &world.index(unit).calls {
        let at = ExprRef(unit, *call);
        let Expr::Call { callee, args, .. } = world.expr(at) else {
            continue;
        };
        // What a decorator would mark may be handed to it as well: `app.event("app_mention")(answer)`.
        let (callee, told) = match module.expr(*callee) {
            Expr::Call { callee, args, .. } if is_python(world.unit(unit).language) => (callee, args),
            _ => (callee, args),
        };
        let (name, member) = match module.expr(*callee) {
            Expr::Name(name) => (&**name, false),
            Expr::Member { name, .. } => (&**name, true),
            _ => continue,
        };
        let text = told.iter().take(2).find_map(|arg| match module.expr(arg.value) {
            Expr::Str(text) => Some(text.to_string()),
            _ => None,
        });
        let path = text.as_deref().is_some_and(|text| {
            text.starts_with('/')
                || ["GET /", "POST /", "PUT /", "DELETE /"]
                    .iter()
                    .any(|verb| text.starts_with(verb))
                || text == "*"
        });
        let kind = match name {
            // Handlers of messages are told by the library of their platform: `b.Handle("/start", greet)`.
            "Handle"
            | "AddHandler"
            | "AddEventHandler"
            | "RegisterHandler"
            | "RegisterHandlerMatchFunc"
            | "WithDefaultHandler"
            | "WithEventListenerFunc"
            | "NewListenerFunc"
            | "OnMessage"
            | "HandleMessage"
            | "endpoint"
            | "repl"
            | "add_event_handler"
            | "StartReceiving"
            | "register"
            | "OnP2MessageReceiveV1"
            | "RegisterChatBotCallbackRouter"
            | "onMessageReceived"
            | "onUpdate"
            | "register_handler"
            | "addAction"
            | "addAnswer"
                if speaks =>
            {
                EntryPointKind::Message
            }
            "get"
            | "post"
            | "put"
            | "delete"
            | "patch"
            | "all"
            | "GET"
            | "POST"
            | "PUT"
            | "DELETE"
            | "Get"
            | "Post"
            | "Put"
            | "Delete"
            | "Patch"
            | "HandleFunc"
            | "Handle"
            | "MapGet"
            | "MapPost"
            | "MapPut"
            | "MapDelete"
            | "route"
            | "Any"
            | "handle"
            | "add_api_route"
            | "add_url_rule"
            | "add_route"
            | "MapMethods"
            | "add_api_websocket_route"
            | "Methods"
                if path =>
            {
                EntryPointKind::Http
            }
            "path" | "re_path" | "url" if is_python(world.unit(unit).language) && text.is_some() && !member => {
                EntryPointKind::Http
            }
            "serve" | "createServer" if is_script(world.unit(unit).language) => EntryPointKind::Http,
            "onRequest" | "onCall" | "http" if is_script(world.unit(unit).language) && member => EntryPointKind::Http,
            "on" | "onMessage" | "event" | "message" | "command" | "hears" | "action" | "onText" | "add_handler"
            | "MessageHandler" | "CommandHandler"
                if member && text.as_deref() != Some("error")
                    || matches!(name, "MessageHandler" | "CommandHandler") =>
            {
                if name == "action" && text.is_none() {
                    EntryPointKind::Command
                } else {
                    EntryPointKind::Message
                }
            }
            // What a bot says first and to a call for help has methods of its own.
            "start" | "help"
                if member
                    && is_script(world.unit(unit).language)
                    && (imports(world, unit, "telegraf") || imports(world, unit, "grammy"))
                    && !args.is_empty() =>
            {
                EntryPointKind::Message
            }
            "addEventListener" if text.as_deref() == Some("fetch") => EntryPointKind::Http,
            "schedule" | "AddFunc" | "add_job" | "every" | "scheduleJob" => EntryPointKind::Job,
            "ChatInterface" | "Interface" => EntryPointKind::Page,
            _ => continue,
        };
        let mut handlers = Vec::new();
        let mut stack: Vec<(ExprRef, u32)> = args.iter().map(|arg| (ExprRef(unit, arg.value), 0)).collect();
        while let Some((arg, depth)) = stack.pop() {
            match world.expr(arg) {
                Expr::Function(function) => handlers.push(FunctionRef(unit, *function)),
                Expr::Name(_) | Expr::Member { .. } => {
                    for value in world.eval(arg).iter() {
                        match value {
                            Value::Function(function) => handlers.push(*function),
                            Value::Class(class) => {
                                for verb in ["get", "post", "__call__"] {
                                    handlers.extend(world.method(*class, verb));
                                }
                            }
                            _ => {}
                        }
                    }
                }
                Expr::Call { callee, args, .. } if depth < 3 => {
                    stack.extend(args.iter().map(|arg| (ExprRef(unit, arg.value), depth + 1)));
                    if let Expr::Member { object, name } = module.expr(*callee)
                        && &**name == "as_view"
                    {
                        stack.push((ExprRef(unit, *object), depth + 1));
                    }
                }
                Expr::List(parts) if depth < 3 => {
                    stack.extend(parts.iter().map(|part| (ExprRef(unit, *part), depth + 1)));
                }
                Expr::Map(entries) if depth < 3 => {
                    stack.extend(entries.iter().map(|entry| (ExprRef(unit, entry.value), depth + 1)));
                }
                _ => {}
            }
        }
        // `get("/x") { … }` in a language with trailing lambdas counts only with a lambda.
        if !member && matches!(name, "get" | "post" | "put" | "delete" | "patch" | "route") && handlers.is_empty() {
            continue;
        }
        for handler in handlers {
            let shown = text.clone().filter(|text| !text.is_empty()).unwrap_or_else(|| {
                world
                    .function(handler)
                    .name
                    .as_deref()
                    .map_or_else(|| name.to_owned(), str::to_owned)
            });
            out.push(Entry {
                kind,
                name: shown,
                unit,
                line: world.span(at).line,
                function: Some(handler),
            });
        }
    }
}

/// Methods by which libraries for messages hand one on, and events of theirs to which a function is added.
const HEARS: [&str; 27] = [
    "MessageHandler",
    "message",
    "interaction_create",
    "on_message",
    "on_interaction",
    "on_message_activity",
    "on_room_message",
    "onMessage",
    "onMessageActivity",
    "onMessageReceived",
    "onSlashCommandInteraction",
    "onInteractionCreate",
    "onUpdateReceived",
    "onMessageCreate",
    "consume",
    "HandleUpdateAsync",
    "OnMessageActivityAsync",
    "OnMessageReceived",
    "OnMessageCreated",
    "MessageReceived",
    "MessageCreated",
    "InteractionCreated",
    "SlashCommandExecuted",
    "ComponentInteractionCreated",
    "MessageUpdated",
    "OnUpdate",
    "OnChatCommandReceived",
];

/// Methods that a library for messages calls by their name: `impl EventHandler for Bot { async fn message(…) }`, `client.MessageReceived += Hear`.
fn heard(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    let mut add = |function: FunctionRef| {
        let node = world.function(function);
        out.push(Entry {
            kind: EntryPointKind::Message,
            name: node.name.as_deref().unwrap_or("message").to_owned(),
            unit,
            line: node.span.line,
            function: Some(function),
        });
    };
    for class in &module.classes {
        for method in &class.methods {
            let node = module.function(*method);
            if node.name.as_deref().is_some_and(|name| HEARS.contains(&name)) && !node.params.is_empty() {
                add(FunctionRef(unit, *method));
            }
        }
    }
    for info in &world.index(unit).stmts {
        let (target, value) = match &info.stmt.kind {
            StmtKind::Assign {
                target,
                value: Some(value),
                ..
            } => (target, *value),
            StmtKind::Expr(whole) => match module.expr(*whole) {
                Expr::Assign { target, value } => (&**target, *value),
                _ => continue,
            },
            _ => continue,
        };
        let Pattern::Place(place) = target else { continue };
        let added = matches!(module.expr(*place), Expr::Member { name, .. } if HEARS.contains(&&**name));
        if !added {
            continue;
        }
        // `x += f` may stand for both of its parts.
        let mut stack = vec![value];
        while let Some(part) = stack.pop() {
            match module.expr(part) {
                Expr::Function(function) => add(FunctionRef(unit, *function)),
                Expr::Name(_) | Expr::Member { .. } => {
                    for value in world.eval(ExprRef(unit, part)).iter() {
                        if let Value::Function(function) = value {
                            add(*function);
                        }
                    }
                }
                Expr::Template(parts) | Expr::List(parts) | Expr::Test(parts) => stack.extend(parts.iter().copied()),
                _ => {}
            }
        }
    }
}

/// Functions by which an app on a phone or a desk is used: screens, and what they hand the input of people to.
fn screens(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let here = world.unit(unit);
    if !matches!(here.language, Language::Kotlin | Language::Java) {
        return;
    }
    let module = world.module(unit);
    let mut add = |function: FunctionRef| {
        out.push(Entry {
            kind: EntryPointKind::Page,
            name: here.path.to_owned(),
            unit,
            line: world.function(function).span.line,
            function: Some(function),
        });
    };
    let android = module
        .imports
        .iter()
        .any(|import| import.module.starts_with("androidx.") || import.module.starts_with("android."));
    if !android {
        return;
    }
    for class in &module.classes {
        let screen = class.bases.iter().any(|base| {
            let last = base.name.rsplit('.').next().unwrap_or(&base.name);
            ["Activity", "Fragment", "ViewModel"]
                .iter()
                .any(|end| last.ends_with(end))
        });
        if screen {
            for method in &class.methods {
                add(FunctionRef(unit, *method));
            }
        }
    }
    for function in world.functions(unit) {
        let composed = world.function(function).decorators.iter().any(|decorator| {
            let named = match module.expr(*decorator) {
                Expr::Call { callee, .. } => *callee,
                _ => *decorator,
            };
            matches!(module.expr(named), Expr::Name(name) if &**name == "Composable")
        });
        if composed {
            add(function);
        }
    }
}

/// Files whose place in the tree makes their exports entry points.
fn by_place(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let here = world.unit(unit);
    let module = world.module(unit);
    if is_python(here.language) && here.path.ends_with("views.py") {
        for function in world.functions(unit) {
            let node = world.function(function);
            let takes_request = node
                .params
                .first()
                .is_some_and(|param| matches!(&param.pattern, Pattern::Name(name) if &**name == "request"));
            if takes_request && node.class.is_none() {
                out.push(Entry {
                    kind: EntryPointKind::Http,
                    name: node.name.as_deref().unwrap_or("view").to_owned(),
                    unit,
                    line: node.span.line,
                    function: Some(function),
                });
            }
        }
    }
    if !is_script(here.language) {
        return;
    }
    let name = here.path.rsplit('/').next().unwrap_or(here.path);
    let stem = name.split('.').next().unwrap_or(name);
    let in_api = here.path.contains("pages/api/")
        || here.path.starts_with("api/")
        || here.path.starts_with("server/api/")
        || here.path.starts_with("server/routes/")
        || here.path.contains("/server/api/")
        || here.path.contains("/server/routes/");
    let route_file = matches!(stem, "route" | "+server" | "+page");
    let page_file = stem == "page" || (here.path.contains("pages/") && !in_api);
    let components = crate::flow::has_elements(world, unit);
    let route = here.path.trim_end_matches(name).trim_end_matches('/');
    let mut names: Vec<(String, Vec<Value>)> = module
        .exports
        .iter()
        .map(|export| (export.name.to_string(), world.exported(unit, &export.name, 0)))
        .collect();
    for function in world.functions(unit) {
        let node = world.function(function);
        if node.exported
            && node.class.is_none()
            && let Some(name) = &node.name
        {
            names.push((name.to_string(), vec![Value::Function(function)]));
        }
    }
    for (export, values) in names {
        let verb = matches!(
            export.as_str(),
            "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "actions" | "load"
        );
        let handler = matches!(export.as_str(), "handler" | "fetch") && !components;
        let kind = if (route_file && verb) || (in_api && export == "default") || handler {
            EntryPointKind::Http
        } else if components
            && (page_file || export.starts_with(|c: char| c.is_ascii_uppercase()) || export == "default")
        {
            EntryPointKind::Page
        } else if export == "default" && !components {
            // Workers hand out an object with a method `fetch`.
            for value in &values {
                for function in world.member(value, "fetch") {
                    if let Value::Function(function) = function {
                        out.push(Entry {
                            kind: EntryPointKind::Http,
                            name: "fetch".to_owned(),
                            unit,
                            line: world.function(function).span.line,
                            function: Some(function),
                        });
                    }
                }
            }
            continue;
        } else {
            continue;
        };
        for value in values {
            // A server file hands out what a library made of its handler: `export default defineEventHandler(async (event) => …)`.
            let function = match &value {
                Value::Function(function) => Some(*function),
                Value::Path(path) if kind == EntryPointKind::Http => world.wrapped_by(path),
                _ => None,
            };
            if let Some(function) = function {
                out.push(Entry {
                    kind,
                    name: if kind == EntryPointKind::Http && route_file {
                        format!("{export} {route}")
                    } else {
                        here.path.to_owned()
                    },
                    unit,
                    line: world.function(function).span.line,
                    function: Some(function),
                });
            }
        }
    }
}

/// Main functions, scripts, notebooks.
fn started(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let here = world.unit(unit);
    let module = world.module(unit);
    for function in world.functions(unit) {
        let node = world.function(function);
        let main = match here.language {
            Language::Go => {
                node.name.as_deref() == Some("main")
                    && module.package.as_deref() == Some("main")
                    && node.class.is_none()
            }
            Language::Rust | Language::Kotlin => node.name.as_deref() == Some("main") && node.class.is_none(),
            Language::Java => node.name.as_deref() == Some("main"),
            Language::CSharp => node.name.as_deref() == Some("Main"),
            _ => false,
        };
        if main {
            out.push(Entry {
                kind: EntryPointKind::Main,
                name: here.path.to_owned(),
                unit,
                line: node.span.line,
                function: Some(function),
            });
        }
    }
    let guarded = module.body.iter().find(|stmt| match &stmt.kind {
        StmtKind::If { condition, .. } => {
            let mut found = false;
            let mut stack = vec![*condition];
            while let Some(id) = stack.pop() {
                found |= matches!(module.expr(id), Expr::Name(name) if &**name == "__name__");
                stack.extend(module.children(id));
            }
            found
        }
        _ => false,
    });
    let runs_at_top = world
        .index(unit)
        .calls
        .iter()
        .any(|call| world.function_of(ExprRef(unit, *call)).is_none());
    let script = matches!(here.language, Language::Shell | Language::Notebook)
        || (here.language == Language::CSharp && here.path.ends_with("Program.cs"))
        || (runs_at_top && is_python(here.language))
        || (runs_at_top && is_script(here.language) && is_run_directly(world, unit));
    if guarded.is_some() || script {
        out.push(Entry {
            kind: EntryPointKind::Main,
            name: here.path.to_owned(),
            unit,
            line: guarded.map_or(1, |stmt| stmt.span.line),
            function: None,
        });
    }
}

/// Whether a module of JavaScript is run and not only imported: nothing imports it and it hands nothing out, or it asks
/// itself whether it is the main module, or it lies where scripts lie.
fn is_run_directly(world: &World<'_>, unit: u32) -> bool {
    let here = world.unit(unit);
    let module = world.module(unit);
    let asks = module.exprs.iter().any(|expr| match &expr.kind {
        Expr::Member { object, name } if &**name == "main" => match module.expr(*object) {
            Expr::Name(base) => matches!(&**base, "require" | "import.meta"),
            Expr::Member { name, .. } => &**name == "meta",
            _ => false,
        },
        _ => false,
    });
    let placed = here.path.split('/').rev().skip(1).any(|part| {
        matches!(
            part,
            "scripts" | "script" | "bin" | "cli" | "tools" | "jobs" | "cron" | "tasks"
        )
    });
    if asks || placed {
        return true;
    }
    if crate::flow::has_elements(world, unit) || !module.exports.is_empty() {
        return false;
    }
    let exported = module
        .functions
        .iter()
        .any(|function| function.exported && function.class.is_none() && function.name.is_some());
    !exported && !world.is_imported(unit)
}

/// Which calls each entry point leads to.
pub(crate) fn reach(
    world: &World<'_>,
    entries: &[Entry],
    answers: &HashMap<ExprRef, usize>,
    sending: &BTreeSet<usize>,
) -> Vec<CodeEntryPoint> {
    // Calls and callees of each function, once; the top of a file has no function.
    let mut direct = Direct::new();
    for unit in 0..crate::values::id(world.units.len()) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let mut functions = world.callees(at).to_vec();
            if let Expr::Call { args, .. } = world.expr(at) {
                for arg in args {
                    if matches!(world.module(unit).expr(arg.value), Expr::Name(_) | Expr::Member { .. }) {
                        for value in world.eval(ExprRef(unit, arg.value)).iter() {
                            if let Value::Function(function) = value {
                                functions.push(*function);
                            }
                        }
                    }
                }
            }
            let around = world.index(unit).functions_around(*call);
            let keys: Vec<Option<FunctionId>> = if around.is_empty() {
                vec![None]
            } else {
                around.into_iter().map(Some).collect()
            };
            for key in keys {
                let entry = direct.entry((unit, key)).or_default();
                entry.0.extend(answers.get(&at).copied());
                entry.1.extend(functions.iter().copied());
            }
        }
    }
    let mut out = Vec::new();
    let mut covered = BTreeSet::new();
    let reached = reached(&direct);
    for entry in entries {
        let calls: Vec<usize> = reached
            .get(&home(entry.unit, entry.function))
            .map(|calls| calls.iter().collect())
            .unwrap_or_default();
        // A module that only makes a client when it is loaded is not started by that.
        let counts = calls.iter().any(|call| sending.contains(call));
        if calls.is_empty() || (!counts && entry.kind != EntryPointKind::Page) {
            continue;
        }
        covered.extend(calls.iter().copied());
        out.push((entry.clone(), calls));
    }
    // What no entry point leads to is offered to others by the functions that hold it.
    let mut offered: BTreeMap<FunctionRef, Vec<usize>> = BTreeMap::new();
    let mut places: Vec<(&ExprRef, &usize)> = answers.iter().collect();
    places.sort_unstable();
    for (at, call) in places {
        if !covered.contains(call)
            && sending.contains(call)
            && let Some(function) = world.named_function_of(*at)
        {
            offered.entry(function).or_default().push(*call);
        }
    }
    for (function, mut calls) in offered {
        calls.sort_unstable();
        let node = world.function(function);
        out.push((
            Entry {
                kind: EntryPointKind::Library,
                name: node.name.as_deref().unwrap_or("function").to_owned(),
                unit: function.0,
                line: node.span.line,
                function: Some(function),
            },
            calls,
        ));
    }
    let mut out: Vec<CodeEntryPoint> = out
        .into_iter()
        .map(|(entry, calls)| CodeEntryPoint {
            entry: EntryPoint {
                kind: entry.kind,
                name: entry.name,
                file: world.unit(entry.unit).path.to_owned(),
                line: entry.line,
            },
            zone: world.unit(entry.unit).zone,
            calls,
        })
        .collect();
    out.sort_by(|a, b| {
        (&a.entry.file, a.entry.line, &a.entry.name, a.entry.kind).cmp(&(
            &b.entry.file,
            b.entry.line,
            &b.entry.name,
            b.entry.kind,
        ))
    });
    out.dedup_by(|a, b| a.entry == b.entry);
    debug_assert!(out.iter().all(|entry| entry.zone != Zone::Vendored));
    out
}

/// The calls that each function leads to, over whatever it calls.
///
/// Functions that call one another in a circle lead to the same calls, and what a function leads to is worked out after
/// all that it calls: so each way is gone once, whatever the number of entry points.
fn reached(direct: &Direct) -> BTreeMap<Home, Answers> {
    let homes: Vec<Home> = direct.keys().copied().collect();
    let number = |home: Home| homes.binary_search(&home).ok();
    let next: Vec<Vec<usize>> = direct
        .values()
        .map(|(_, functions)| {
            let keys = functions.iter().map(|function| (function.0, Some(function.1)));
            let mut next: Vec<usize> = keys.filter_map(number).collect();
            next.sort_unstable();
            next.dedup();
            next
        })
        .collect();
    let own: Vec<Answers> = direct
        .values()
        .map(|(calls, _)| calls.iter().copied().collect())
        .collect();
    // Tarjan's way: circles are found in an order in which what is called comes first.
    let unseen = usize::MAX;
    let (mut order, mut low) = (vec![unseen; homes.len()], vec![0; homes.len()]);
    let mut out: Vec<Option<Answers>> = vec![None; homes.len()];
    let (mut open, mut count) = (Vec::new(), 0);
    for start in 0..homes.len() {
        if order[start] != unseen {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((at, step)) = stack.pop() {
            if step == 0 {
                (order[at], low[at]) = (count, count);
                count += 1;
                open.push(at);
            }
            if let Some(to) = next[at].get(step).copied() {
                stack.push((at, step + 1));
                if order[to] == unseen {
                    stack.push((to, 0));
                } else if out[to].is_none() {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            if let Some((above, _)) = stack.last() {
                low[*above] = low[*above].min(low[at]);
            }
            if low[at] == order[at] {
                let from = open.iter().rposition(|other| *other == at).unwrap_or_default();
                let circle = open.split_off(from);
                let mut calls = Answers::default();
                for member in &circle {
                    calls.add(&own[*member]);
                    for to in &next[*member] {
                        if let Some(known) = &out[*to] {
                            calls.add(known);
                        }
                    }
                }
                for member in circle {
                    out[member] = Some(calls.clone());
                }
            }
        }
    }
    homes
        .into_iter()
        .zip(out)
        .filter_map(|(home, calls)| Some((home, calls?)))
        .collect()
}
