//! Whether a text reaches a person from its place in the code.

use std::rc::Rc;

use engine_syntax::ir::{Arg, Expr, ExprId, MapEntry, Module, Pattern, StmtKind};
use rustc_hash::FxHashMap;

use super::words::MARKS;
use super::{Told, numbered};
use crate::facts::{callee_name, effects, notices, object_name};
use crate::index::NONE;
use crate::values::ExprRef;
use crate::world::World;

/// Arguments whose text explains a program to those who run or build it, or goes to a model.
const NOT_SHOWN: [&str; 30] = [
    "help",
    "description",
    "summary",
    "epilog",
    "usage",
    "about",
    "long_about",
    "doc",
    "docs",
    "prompt",
    "system",
    "system_prompt",
    "systemprompt",
    "system_message",
    "systemmessage",
    "system_instruction",
    "systeminstruction",
    "instruction",
    "instructions",
    "template",
    "backstory",
    "goal",
    "role",
    "persona",
    "expected_output",
    "response_description",
    "tags",
    // What is said of a failure is read by those who get no answer.
    "error",
    "errors",
    "err",
];

/// Calls whose texts are read by those who run a program, not by those who talk to it.
const ASIDE: [&str; 53] = [
    "add_argument",
    "add_parser",
    "add_subparsers",
    "ArgumentParser",
    "Option",
    "Argument",
    "option",
    "argument",
    "Field",
    "about",
    "long_about",
    "describe",
    "StringVar",
    "StringP",
    "String",
    "StringVarP",
    "BoolVar",
    "addOption",
    "requiredOption",
    "description",
    "summary",
    "contains",
    "Contains",
    "includes",
    "startswith",
    "startsWith",
    "HasPrefix",
    "endswith",
    "match",
    "search",
    "test",
    "find",
    "index",
    "indexOf",
    "equals",
    "replace",
    "replaceAll",
    "sub",
    "gsub",
    "removeprefix",
    "removesuffix",
    "compile",
    "RegExp",
    "split",
    "count",
    "warn",
    "warning",
    "panic",
    "expect",
    "getenv",
    "get",
    "register_tool",
    "tool",
];

/// Calls that make what a model is sent.
const TO_MODEL: [&str; 24] = [
    "SystemMessage",
    "HumanMessage",
    "AIMessage",
    "UserMessage",
    "SystemPromptTemplate",
    "PromptTemplate",
    "ChatPromptTemplate",
    "from_template",
    "fromTemplate",
    "from_messages",
    "fromMessages",
    "Agent",
    "LlmAgent",
    "ChatAgent",
    "AssistantAgent",
    "ConversableAgent",
    "Task",
    "Crew",
    "system",
    "defaultSystem",
    "preamble",
    "SystemChatMessage",
    "ChatMessage",
    "addSystemMessage",
];

/// Calls with which a text leaves for a person.
const DELIVERS: [&str; 84] = [
    "Encode",
    "dump",
    "Ok",
    "Content",
    "print",
    "println",
    "printf",
    "eprintln",
    "Print",
    "Println",
    "Printf",
    "Fprint",
    "Fprintf",
    "Fprintln",
    "puts",
    "echo",
    "secho",
    "cat",
    "write",
    "writeln",
    "writeLine",
    "writeText",
    "Write",
    "WriteLine",
    "WriteString",
    "WriteAsync",
    "WriteLineAsync",
    "MarkupLine",
    "rule",
    "panel",
    "Panel",
    "send",
    "sendText",
    "sendMail",
    "reply",
    "replyText",
    "replyWithMarkdown",
    "respond",
    "respondText",
    "respondHtml",
    "say",
    "ask",
    "json",
    "JSON",
    "html",
    "HTML",
    "Html",
    "render",
    "render_template",
    "render_template_string",
    "jsonify",
    "end",
    "status",
    "setHeader",
    "set_header",
    "add_header",
    "addHeader",
    "header",
    "headers",
    "Header",
    "markdown",
    "text",
    "Text",
    "title",
    "subheader",
    "caption",
    "info",
    "banner",
    "toast",
    "alert",
    "notify",
    "speak",
    "display",
    "emit",
    "publish",
    "broadcast",
    "Markdown",
    "HttpResponse",
    "Response",
    "JSONResponse",
    "HTMLResponse",
    "PlainTextResponse",
    "Label",
    "createTextNode",
];

/// Fields of a page or message that hold what a person reads.
const READ: [&str; 8] = [
    "textContent",
    "innerText",
    "innerHTML",
    "text",
    "content",
    "body",
    "value",
    "Text",
];

/// Steps from a name to where it is used, and on.
const USES_MAX: u32 = 3;

impl<'m> Told<'_, '_, 'm> {
    /// Whether a text leaves for a person from where it stands.
    ///
    /// Neither what a model is sent nor what those read who run or build the program is a notice to people.
    pub(super) fn reaches(&self, unit: u32, id: ExprId, depth: u32) -> bool {
        let key = (ExprRef(unit, id), depth);
        if let Some(known) = self.reached.get(&key) {
            return known;
        }
        let found = self.finds_reader(unit, id, depth);
        self.reached.put(key, found);
        found
    }

    fn finds_reader(&self, unit: u32, id: ExprId, depth: u32) -> bool {
        let world = self.world;
        let module = world.module(unit);
        let index = world.index(unit);
        let mut child = id;
        let mut through = false;
        // `${turn.role === 'user' ? 'Student' : 'AI Tutor'}: …`
        let mut labels_turn = false;
        for parent in index.ancestors(id) {
            let at = ExprRef(unit, parent);
            match world.expr(at) {
                Expr::Element { .. } => return true,
                Expr::Test(_) | Expr::Function(_) | Expr::Class(_) => return false,
                Expr::Index { key, .. } if *key == child => return false,
                Expr::Choice { condition, .. } if *condition == Some(child) => return false,
                Expr::Choice {
                    condition: Some(condition),
                    ..
                } if asks_for_role(module, *condition) => labels_turn = true,
                Expr::Map(entries) => {
                    let key_of = |entry: &MapEntry| match entry.key.map(|key| module.expr(key)) {
                        Some(Expr::Str(key) | Expr::Name(key)) => Some(key.to_lowercase()),
                        _ => None,
                    };
                    // A message of a conversation has a role.
                    let has_role = || entries.iter().any(|entry| key_of(entry).as_deref() == Some("role"));
                    if self.roles.get_or(at, has_role) {
                        return false;
                    }
                    let parts = self.parts.get_or(at, || {
                        let ids = entries.iter().map(|entry| entry.key.into_iter().chain([entry.value]));
                        numbered(ids)
                    });
                    for entry in parts.get(&child).into_iter().flatten().map(|at| &entries[*at]) {
                        let marks = key_of(entry).is_some_and(|key| MARKS.contains(&key.as_str()));
                        if entry.key == Some(child) && !marks {
                            return false;
                        }
                        if entry.key == Some(child)
                            && matches!(module.expr(entry.value), Expr::Bool(false) | Expr::Null)
                        {
                            return false;
                        }
                        if entry.value == child && key_of(entry).is_some_and(|key| NOT_SHOWN.contains(&key.as_str())) {
                            return false;
                        }
                    }
                }
                Expr::Call { args, callee, .. } if *callee != child => {
                    if self.flow.answers.contains_key(&at) {
                        return false;
                    }
                    let name = callee_name(world, at);
                    let object = object_name(world, at);
                    if is_interface(object) {
                        return true;
                    }
                    if notices::is_console(world, at) && !self.is_read_on_console(unit) {
                        return false;
                    }
                    let lower = object.to_ascii_lowercase();
                    let parts = self
                        .parts
                        .get_or(at, || numbered(args.iter().map(|arg| std::iter::once(arg.value))));
                    let said = parts
                        .get(&child)
                        .and_then(|parts| parts.first())
                        .and_then(|at| args[*at].name.as_deref());
                    let set_aside = said.is_some_and(|said| NOT_SHOWN.contains(&said.to_lowercase().as_str()));
                    let error = ["Error", "Exception", "Errorf", "Failure", "HTTPException"]
                        .iter()
                        .any(|end| name.ends_with(end))
                        || matches!(name, "anyhow" | "bail" | "ensure" | "error" | "fail" | "abort");
                    // What a program tells its developer has a tag in front or values behind it.
                    let trace = object == "console"
                        && (args.len() > 1
                            || matches!(module.expr(child), Expr::Str(text) if text.trim_start().starts_with('[')));
                    let log = lower.contains("log")
                        // What a service for errors and times is told.
                        || matches!(
                            name,
                            "add_breadcrumb" | "addBreadcrumb" | "capture_message" | "captureMessage" | "start_span" | "startSpan"
                        )
                        || trace
                        || matches!(name, "debug" | "trace" | "warn" | "error")
                        || (matches!(name, "info" | "warning") && !is_interface(object));
                    if set_aside || error || log || TO_MODEL.contains(&name) || ASIDE.contains(&name) {
                        return false;
                    }
                    if self.is_set_for_the_model(at, args, child) {
                        return false;
                    }
                    if DELIVERS.contains(&name) || is_sender(name) {
                        return true;
                    }
                    through = true;
                }
                _ => {}
            }
            child = parent;
        }
        let stmt = index.expr_stmt[id.0 as usize];
        if stmt == NONE {
            return false;
        }
        let info = &index.stmts[stmt as usize];
        match &info.stmt.kind {
            // A line of the talk so far, made for each of its turns: the model reads it, as people see their talk on a page.
            StmtKind::Return(_) if labels_turn && is_in_lambda(world, unit, id) => false,
            StmtKind::Return(_) => !self.writes_prompts(unit, id),
            StmtKind::Expr(whole) => match module.expr(*whole) {
                // A text that stands alone is a remark, except where it is the value of its block.
                Expr::Str(_) => {
                    module.language != engine_model::Language::Python
                        && info.next == NONE
                        && !self.writes_prompts(unit, id)
                }
                // What a generator gives out.
                Expr::Other(_) => true,
                Expr::Template(_) | Expr::Map(_) => info.next == NONE && !self.writes_prompts(unit, id),
                // A call that takes it without saying what for, as its only business: it hands it on.
                Expr::Call { .. } | Expr::Await(_) | Expr::Propagate(_) => through,
                Expr::Assign { target, .. } => self.assigned(unit, target, id, depth, through),
                _ => false,
            },
            StmtKind::Assign { target, .. } => self.assigned(unit, target, id, depth, through),
            StmtKind::With { .. } => through,
            _ => false,
        }
    }

    /// Whether an argument is what a model is told beforehand: beside it stands the role of the system, or the function that takes it calls it
    /// a prompt.
    fn is_set_for_the_model(&self, at: ExprRef, args: &[Arg], child: ExprId) -> bool {
        /// Functions that a call may mean.
        const CALLEES_MAX: usize = 4;
        let module = self.world.module(at.0);
        let beside = args
            .iter()
            .any(|arg| arg.value != child && is_system_role(module, arg.value));
        beside
            || self.world.callees(at).iter().take(CALLEES_MAX).any(|function| {
                let params = &self.world.function(*function).params;
                params.iter().zip(0_u32..).any(|(param, position)| {
                    matches!(&param.pattern, Pattern::Name(name) if is_told_beforehand(&name.to_ascii_lowercase()))
                        && self.world.argument_for(*function, position, at) == Some(ExprRef(at.0, child))
                })
            })
    }

    /// Whether a container makes and calls the classes of a file: what they print goes to the log of a server.
    fn is_kept_by_a_container(&self, unit: u32) -> bool {
        const MARKS: [&str; 6] = [
            "Service",
            "Component",
            "RestController",
            "Controller",
            "ApplicationScoped",
            "Repository",
        ];
        let module = self.world.module(unit);
        crate::project::is_jvm(module.language)
            && module.classes.iter().any(|class| {
                class.decorators.iter().any(|mark| {
                    let at = match module.expr(*mark) {
                        Expr::Call { callee, .. } => *callee,
                        _ => *mark,
                    };
                    matches!(module.expr(at), Expr::Name(name) if MARKS.contains(&&**name))
                })
            })
    }

    /// Whether the console of a program is where its answers are read: it asks there, or serves nobody else.
    fn is_read_on_console(&self, unit: u32) -> bool {
        if self.is_kept_by_a_container(unit) {
            return false;
        }
        !self.served
            || self.consoles.get_or(unit, || {
                effects::reads_lines(self.world, unit, &["prompt", "Scan", "ReadString"])
            })
    }

    /// Whether what is assigned is read by a person from there.
    fn assigned(&self, unit: u32, target: &Pattern, id: ExprId, depth: u32, through: bool) -> bool {
        let module = self.world.module(unit);
        match target {
            // Whatever a sender gives back is of no interest.
            Pattern::Ignore => through,
            Pattern::Place(place) => match module.expr(*place) {
                Expr::Member { name, .. } => {
                    READ.contains(&&**name) || !is_prompt_name(&name.to_ascii_lowercase()) && depth < USES_MAX
                }
                Expr::Index { key, .. } => match module.expr(*key) {
                    Expr::Str(key) => {
                        let key = key.to_lowercase();
                        !is_prompt_name(&key) && !NOT_SHOWN.contains(&key.as_str())
                    }
                    _ => true,
                },
                _ => false,
            },
            target => {
                if depth >= USES_MAX {
                    return false;
                }
                let names = crate::flow::pattern_names(target);
                let set_aside = |name: &&str| {
                    let lower = name.to_ascii_lowercase();
                    // What is said of a failure is read where no answer came.
                    is_prompt_name(&lower) || lower.contains("error")
                };
                if names.iter().any(set_aside) {
                    return false;
                }
                let index = self.world.index(unit);
                let home = index.outermost_function_of(id);
                names.into_iter().any(|name| {
                    let key = (unit, Box::from(name), home, depth + 1);
                    if let Some(known) = self.used.get(&key) {
                        return known;
                    }
                    let uses = self.uses(unit);
                    let found = uses.get(name).into_iter().flatten().any(|used| {
                        home.is_none_or(|home| index.within(*used, home)) && self.reaches(unit, *used, depth + 1)
                    });
                    self.used.put(key, found);
                    found
                })
            }
        }
    }

    /// Places of each name in a file, in order.
    fn uses(&self, unit: u32) -> Rc<FxHashMap<&'m str, Vec<ExprId>>> {
        self.uses.get_or(unit, || {
            let index = self.world.index(unit);
            let mut out: FxHashMap<&'m str, Vec<ExprId>> = FxHashMap::default();
            for (at, expr) in index.module.exprs.iter().enumerate() {
                if let Expr::Name(name) = &expr.kind
                    && index.expr_scope[at] != NONE
                {
                    out.entry(name).or_default().push(ExprId(crate::values::id(at)));
                }
            }
            Rc::new(out)
        })
    }

    /// Whether the function around a place makes what a model is sent.
    fn writes_prompts(&self, unit: u32, id: ExprId) -> bool {
        self.world
            .named_function_of(ExprRef(unit, id))
            .and_then(|function| self.world.function(function).name.as_deref())
            .is_some_and(|name| is_prompt_name(&name.to_ascii_lowercase()))
    }
}

/// Whether an expression is the role of the system: `"system"`, `ChatMessageRoleSystem`, `ChatRole.System`.
fn is_system_role(module: &Module, at: ExprId) -> bool {
    let ends = |name: &str| name.ends_with("System") || name.ends_with("SYSTEM");
    match module.expr(at) {
        Expr::Str(role) => matches!(&**role, "system" | "developer"),
        Expr::Name(name) => ends(name) && name.to_ascii_lowercase().contains("role"),
        Expr::Member { object, name } => {
            let of = match module.expr(*object) {
                Expr::Name(of) | Expr::Member { name: of, .. } => of,
                _ => "",
            };
            let is_role = |name: &str| name.to_ascii_lowercase().contains("role");
            ends(name) && (is_role(of) || is_role(name))
        }
        _ => false,
    }
}

/// Whether a parameter has a name for what a model is told before it is asked.
fn is_told_beforehand(lower: &str) -> bool {
    ["prompt", "system", "instruction", "persona"]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether a condition asks who spoke.
fn asks_for_role(module: &Module, condition: ExprId) -> bool {
    let is_role = |name: &str| matches!(name, "role" | "sender" | "author" | "isUser" | "is_user" | "speaker");
    let names = |at: ExprId| match module.expr(at) {
        Expr::Member { name, .. } => is_role(name),
        Expr::Index { key, .. } => matches!(module.expr(*key), Expr::Str(key) if is_role(key)),
        _ => false,
    };
    names(condition) || module.children(condition).into_iter().any(names)
}

/// Whether the function around a place has no name.
fn is_in_lambda(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    world
        .function_of(ExprRef(unit, id))
        .is_some_and(|function| world.function(function).name.is_none())
}

/// Whether a name is one of the libraries with which a script draws its page.
pub(super) fn is_interface(object: &str) -> bool {
    matches!(object, "st" | "gr" | "cl" | "ui" | "streamlit" | "gradio" | "sidebar")
}

/// Whether a call sends something by its name: `send_message`, `replyTo`, `PostMessageAsync`.
fn is_sender(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [
        "send",
        "reply",
        "respond",
        "post_message",
        "postmessage",
        "write_text",
        "write_message",
        "write_reply",
        "write_line",
        "print_",
        "show",
        "render",
        "say_",
    ]
    .iter()
    .any(|verb| lower.starts_with(verb))
}

/// Whether a name is one for texts that a model is sent, or that describe instead of telling.
pub(super) fn is_prompt_name(lower: &str) -> bool {
    [
        "prompt",
        "system",
        "instruction",
        "template",
        "descri",
        "persona",
        "schema",
        "help",
        "usage",
        "keyword",
        "pattern",
    ]
    .iter()
    .any(|word| lower.contains(word))
        || matches!(lower, "messages" | "message" | "msgs" | "history" | "conversation")
}
