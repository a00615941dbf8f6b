//! Whether an interaction is logged: through a logger, a table or a tracing library, or on the console only.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine_model::Logging;
use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};
use rustc_hash::FxHashSet;

use super::{callee_name, calls_in, object_name, symbols, texts_in};
use crate::flow::{Answers, Flow};
use crate::memo::{Home, Memo, home};
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;

const METHODS: [&str; 62] = [
    "debug",
    "info",
    "warn",
    "warning",
    "error",
    "exception",
    "critical",
    "trace",
    "fatal",
    "log",
    "notice",
    "verbose",
    "LogInformation",
    "LogError",
    "LogWarning",
    "LogDebug",
    "LogCritical",
    "LogTrace",
    "Log",
    "Information",
    "Warning",
    "Error",
    "Debug",
    "Info",
    "Warn",
    "Infof",
    "Errorf",
    "Warnf",
    "Debugf",
    "Infow",
    "Errorw",
    "Warnw",
    "Debugw",
    "InfoContext",
    "ErrorContext",
    "WarnContext",
    "DebugContext",
    "Printf",
    "Println",
    "Print",
    "Fatal",
    "Fatalf",
    "Msg",
    "Msgf",
    "atInfo",
    "http",
    "success",
    "bind",
    "Write",
    "WriteEntry",
    "track_event",
    "capture_message",
    "capture_exception",
    "captureException",
    "captureMessage",
    "set_attribute",
    "setAttribute",
    "add_event",
    "addEvent",
    "SetAttributes",
    "AddEvent",
    "record",
];

/// Libraries whose functions log or trace.
const LIBRARIES: [&str; 34] = [
    "logging",
    "structlog",
    "loguru",
    "winston",
    "pino",
    "bunyan",
    "log4js",
    "slog",
    "log/slog",
    "go.uber.org/zap",
    "github.com/sirupsen/logrus",
    "github.com/rs/zerolog",
    "org.slf4j",
    "java.util.logging",
    "org.apache.logging",
    "Microsoft.Extensions.Logging",
    "Serilog",
    "NLog",
    "tracing",
    "log",
    "opentelemetry",
    "@opentelemetry",
    "langfuse",
    "langsmith",
    "mlflow",
    "wandb",
    "weave",
    "sentry_sdk",
    "@sentry",
    "io.github.oshai",
    "mu",
    "consola",
    "tslog",
    "logfire",
];

/// Macros and functions that log without an object.
const MACROS: [&str; 10] = [
    "info", "warn", "error", "debug", "trace", "info!", "warn!", "error!", "debug!", "trace!",
];

/// What the calls of one function, or of the top of a file, keep.
struct Kept {
    /// One of them writes to a log.
    logs: bool,
    /// One of them writes to the console.
    console: bool,
    /// One of them goes to a function of the project that keeps records, by its name and by what it does.
    own: bool,
    /// Answers that one of them hands to a function which writes to a log.
    given: Answers,
    /// Answers that are put into a record which is saved.
    saved: Answers,
    /// Calls that make a row of a table, by the answers in it.
    rows: BTreeMap<usize, Vec<ExprRef>>,
}

/// Rows of one function with an answer in each that are held against what was sent for it.
const ROWS_MAX: usize = 4_000;

/// Names in what was sent, or was put together for it.
const SENT_MAX: usize = 200;

/// What lambdas in one statement do, by the statement: log, and write to the console.
type Chains = Rc<BTreeMap<u32, (bool, bool)>>;

/// Looks for records of calls; what one function keeps is worked out once for all calls in it.
pub(super) struct Logs<'a, 'w, 'm> {
    world: &'w World<'m>,
    flow: &'a Flow<'w, 'm>,
    kept: Memo<Home, Rc<Kept>>,
    /// Whether a call of a function logs, or goes to one of the project that does.
    answered: Memo<Home, bool>,
    /// What lambdas in one statement at the top of a file do: log, and write to the console.
    chains: Memo<u32, Chains>,
    /// Whether a file traces by its imports or by what it names.
    traced: Memo<u32, bool>,
    /// Whether the clients of a container log by an advisor.
    advised: Memo<(), bool>,
    /// Whether a call writes to the console.
    consoles: Memo<ExprRef, bool>,
}

impl<'a, 'w, 'm> Logs<'a, 'w, 'm> {
    pub(super) fn new(world: &'w World<'m>, flow: &'a Flow<'w, 'm>) -> Self {
        Self {
            world,
            flow,
            kept: Memo::default(),
            answered: Memo::default(),
            chains: Memo::default(),
            traced: Memo::default(),
            advised: Memo::default(),
            consoles: Memo::default(),
        }
    }

    pub(super) fn of(&self, which: usize, at: ExprRef) -> Logging {
        let world = self.world;
        let function = world.home_of(at);
        let kept = self.kept(at.0, function);
        let (mut logs, mut console) = (kept.logs, kept.console);
        if function.is_none() {
            // Lambdas of the chain that the call begins.
            let stmt = world.index(at.0).expr_stmt[at.1.0 as usize];
            if let Some((logged, shown)) = self.chains(at.0).get(&stmt) {
                logs |= logged;
                console |= shown;
            }
        }
        if logs
            || self.is_traced(at, function)
            || kept.saved.contains(which)
            || self.keeps_row(which, at, &kept)
            // A function that is given the answer may keep the record.
            || kept.own
            || kept.given.contains(which)
            || self.is_kept_by_callers(function)
        {
            return Logging::Yes;
        }
        if console { Logging::Console } else { Logging::No }
    }

    /// A wrapper hands its answer to callers that log, or that have a function of theirs do so.
    fn is_kept_by_callers(&self, function: Option<FunctionRef>) -> bool {
        let world = self.world;
        let mut wrappers: Vec<FunctionRef> = function.into_iter().collect();
        let mut next = 0;
        while let Some(wrapper) = wrappers.get(next).copied() {
            next += 1;
            for caller in world.callers_of(wrapper).iter().take(8) {
                let Some(outer) = world.home_of(*caller) else {
                    if logs_in(world, caller.0, None) {
                        return true;
                    }
                    continue;
                };
                if wrappers.contains(&outer) {
                    continue;
                }
                let answered = self.answered.get_or((caller.0, Some(outer.1)), || {
                    calls_in(world, caller.0, Some(outer))
                        .iter()
                        .any(|call| is_logged(world, *call) || is_log_of_the_project(world, *call))
                });
                if answered {
                    return true;
                }
                // A method that only another of the same class calls is a part of it.
                if next <= WRAPPERS_MAX && wrappers.len() < 8 && outer.0 == wrapper.0 {
                    wrappers.push(outer);
                }
            }
        }
        false
    }

    fn is_console(&self, call: ExprRef) -> bool {
        self.consoles.get_or(call, || is_console(self.world, call))
    }

    fn kept(&self, unit: u32, function: Option<FunctionRef>) -> Rc<Kept> {
        self.kept
            .get_or(home(unit, function), || Rc::new(self.find_kept(unit, function)))
    }

    fn find_kept(&self, unit: u32, function: Option<FunctionRef>) -> Kept {
        let (world, flow) = (self.world, self.flow);
        let calls = calls_in(world, unit, function);
        let mut out = Kept {
            logs: logs_in(world, unit, function),
            console: false,
            own: false,
            given: Answers::default(),
            saved: Answers::default(),
            rows: BTreeMap::new(),
        };
        let mut rows = 0;
        // A log says all there is to say.
        if out.logs {
            return out;
        }
        for call in calls.iter() {
            out.console |= self.is_console(*call);
            for callee in world.callees(*call).iter() {
                let name = world
                    .function(*callee)
                    .name
                    .as_deref()
                    .unwrap_or("")
                    .to_ascii_lowercase();
                let keeps = ["log", "audit", "record", "trace", "track", "persist"]
                    .iter()
                    .any(|word| name.contains(word));
                if logs_in(world, callee.0, Some(*callee)) {
                    out.own |= keeps;
                    out.given.add(&flow.of_arguments(*call).answers);
                }
            }
            if makes_row(world, *call)
                && let Expr::Call { args, .. } = world.expr(*call)
            {
                let mut answers = Answers::default();
                for arg in args {
                    answers.add(&flow.origins(ExprRef(call.0, arg.value)).answers);
                }
                for answer in answers.iter() {
                    if rows < ROWS_MAX {
                        out.rows.entry(answer).or_default().push(*call);
                        rows += 1;
                    } else {
                        world.cut_short(unit);
                    }
                }
            }
        }
        out.saved = saved(world, flow, unit, function, &calls);
        out
    }

    /// A row that keeps question and answer together: `Conversation.objects.create(question=q, answer=r.text)`.
    fn keeps_row(&self, which: usize, at: ExprRef, kept: &Kept) -> bool {
        let (world, flow) = (self.world, self.flow);
        let Some(rows) = kept.rows.get(&which) else {
            return false;
        };
        let sent = sent_with(world, at);
        rows.iter().any(|call| {
            let Expr::Call { args, .. } = world.expr(*call) else {
                return false;
            };
            args.iter().any(|arg| {
                parts_within(world, ExprRef(call.0, arg.value)).into_iter().any(|id| {
                    matches!(world.module(call.0).expr(id), Expr::Name(name) if sent.contains(&**name))
                        && !flow.origins(ExprRef(call.0, id)).answers.contains(which)
                })
            })
        })
    }

    /// By statement at the top of a file, what lambdas in it do.
    fn chains(&self, unit: u32) -> Chains {
        self.chains.get_or(unit, || {
            let world = self.world;
            let index = world.index(unit);
            let mut out: BTreeMap<u32, (bool, bool)> = BTreeMap::new();
            for call in &index.calls {
                let lambda = index
                    .outermost_function_of(*call)
                    .and_then(|outer| index.function_expr[outer.0 as usize]);
                if let Some(lambda) = lambda {
                    let chain = out.entry(index.expr_stmt[lambda.0 as usize]).or_default();
                    let call = ExprRef(unit, *call);
                    chain.0 = chain.0 || is_logged(world, call);
                    chain.1 = chain.1 || self.is_console(call);
                }
            }
            Rc::new(out)
        })
    }

    /// Decorators of tracing libraries, and imports that trace by themselves.
    fn is_traced(&self, at: ExprRef, function: Option<FunctionRef>) -> bool {
        let world = self.world;
        let module = world.module(at.0);
        let decorated = function.is_some_and(|function| {
            world.function(function).decorators.iter().any(|decorator| {
                let id = match module.expr(*decorator) {
                    Expr::Call { callee, .. } => *callee,
                    _ => *decorator,
                };
                matches!(module.expr(id), Expr::Name(name) | Expr::Member { name, .. }
                    if matches!(&**name, "observe" | "traceable" | "trace" | "op" | "instrument" | "log_call" | "WithSpan" | "Traced" | "logged" | "audit" | "log_calls"))
            })
        });
        decorated || self.traced.get_or(at.0, || is_traced_file(module)) || is_advised(module) && self.has_log_advisor()
    }

    /// Whether the clients of a container are built with an advisor that logs what goes through it: one of the library, or one of the
    /// project that writes to a log.
    fn has_log_advisor(&self) -> bool {
        self.advised.get_or((), || {
            let world = self.world;
            let units = || {
                (0..crate::values::id(world.units.len()))
                    .filter(|unit| crate::project::is_jvm(world.unit(*unit).language))
            };
            let mut names: Vec<&str> = vec!["SimpleLoggerAdvisor"];
            for unit in units() {
                let module = world.module(unit);
                names.extend(module.classes.iter().filter_map(|class| {
                    let advises = class.bases.iter().any(|base| base.name.ends_with("Advisor"));
                    let logs = || {
                        class
                            .methods
                            .iter()
                            .any(|method| logs_in(world, unit, Some(FunctionRef(unit, *method))))
                    };
                    class.name.as_deref().filter(|_| advises && logs())
                }));
            }
            units().any(|unit| {
                let module = world.module(unit);
                let gives = module
                    .exprs
                    .iter()
                    .any(|expr| matches!(&expr.kind, Expr::Member { name, .. } if &**name == "defaultAdvisors"));
                let typed = |annotation: &Option<engine_syntax::ir::TypeRef>| {
                    annotation.as_ref().is_some_and(|known| names.contains(&&*known.name))
                };
                gives
                    && (module
                        .exprs
                        .iter()
                        .any(|expr| matches!(&expr.kind, Expr::Name(name) if names.contains(&&**name)))
                        || module
                            .functions
                            .iter()
                            .flat_map(|function| &function.params)
                            .any(|param| typed(&param.annotation))
                        || module
                            .classes
                            .iter()
                            .flat_map(|class| &class.fields)
                            .any(|field| typed(&field.annotation)))
            })
        })
    }
}

/// Whether a call inside a function, or at the top of a file, writes to a log.
fn logs_in(world: &World<'_>, unit: u32, function: Option<FunctionRef>) -> bool {
    world.known.logs.get_or(home(unit, function), || {
        calls_in(world, unit, function)
            .iter()
            .any(|call| is_logged(world, *call))
    })
}

/// Levels of callers that are asked for a record.
const WRAPPERS_MAX: usize = 3;

/// Whether a call goes to a function of the project that keeps a record, by its name and by what it does.
fn is_log_of_the_project(world: &World<'_>, call: ExprRef) -> bool {
    let named = |name: &str| {
        let lower = name.to_ascii_lowercase();
        lower.starts_with("log_") || lower.starts_with("audit") || lower.starts_with("record_")
    };
    named(callee_name(world, call))
        && world
            .callees(call)
            .iter()
            .any(|callee| logs_in(world, callee.0, Some(*callee)))
}

pub(crate) fn is_logged(world: &World<'_>, call: ExprRef) -> bool {
    world.known.logged.get_or(call, || finds_logged(world, call))
}

fn finds_logged(world: &World<'_>, call: ExprRef) -> bool {
    let name = callee_name(world, call);
    let object = object_name(world, call);
    if world.unit(call.0).language == engine_model::Language::Shell {
        return matches!(name, "logger" | "systemd-cat" | "log" | "log_info" | "log_error");
    }
    if object.is_empty() {
        if world.unit(call.0).language == engine_model::Language::Php && matches!(name, "logger" | "info" | "report") {
            return true;
        }
        if !MACROS.contains(&name) {
            return audit_write(world, call, name, object);
        }
        return world.unit(call.0).language == engine_model::Language::Rust
            || symbols(world, call).iter().any(|symbol| {
                LIBRARIES
                    .iter()
                    .any(|library| symbol.starts_with(&format!("{library}.")))
            });
    }
    let lower = object.to_ascii_lowercase();
    // `Log.e(…)` of Android, `mlflow.log_metric(…)` and the like.
    if (object == "Log" && matches!(name, "d" | "e" | "i" | "v" | "w" | "wtf"))
        || ((name.starts_with("log_") || name.starts_with("log") && name.len() > 4)
            && matches!(
                lower.as_str(),
                "mlflow" | "wandb" | "run" | "neptune" | "comet" | "experiment" | "clearml"
            ))
    {
        return true;
    }
    if METHODS.contains(&name) {
        let by_name = lower.ends_with("log")
            || lower.starts_with("log")
            || lower.contains("logger")
            || lower.contains("audit")
            || matches!(
                lower.as_str(),
                "slog"
                    | "tracer"
                    | "span"
                    | "telemetry"
                    | "tracing"
                    | "sugar"
                    | "pino"
                    | "winston"
                    | "_log"
                    | "zap"
                    | "sentry"
            );
        let not_math = !matches!(
            lower.as_str(),
            "login" | "logits" | "logic" | "catalog" | "dialog" | "logprobs" | "blog"
        );
        if by_name && not_math {
            return true;
        }
        if symbols(world, call).iter().any(|symbol| {
            LIBRARIES.iter().any(|library| {
                *symbol == *library
                    || symbol.starts_with(&format!("{library}."))
                    || symbol.starts_with(&format!("{library}/"))
            })
        }) {
            return true;
        }
    }
    audit_write(world, call, name, object)
}

/// A row that is written to a table of records: `db.add(AuditLog(…))`, `INSERT INTO audit_log`.
fn audit_write(world: &World<'_>, call: ExprRef, name: &str, object: &str) -> bool {
    let writes = matches!(
        name,
        "add"
            | "insert"
            | "insert_one"
            | "insertOne"
            | "create"
            | "save"
            | "execute"
            | "exec"
            | "Exec"
            | "ExecContext"
            | "run"
            | "query"
            | "append"
            | "push"
            | "Add"
            | "AddAsync"
            | "update"
            | "executeUpdate"
            | "send"
    );
    if !writes {
        return false;
    }
    let marks = |text: &str| {
        let lower = text.to_ascii_lowercase();
        lower.contains("audit")
            || lower.contains("_log")
            || lower.contains("logs")
            || lower.contains("interaction")
            || lower.contains("llm_call")
    };
    let kept_by_name =
        (object.ends_with("Log") || object.ends_with("Logs")) && object.len() > 4 && object != "changeLog";
    // What these do is told by the text that they are given.
    let by_text = matches!(name, "run" | "query" | "update" | "executeUpdate" | "send");
    if (marks(object) || kept_by_name) && !by_text {
        return true;
    }
    let object_chain = symbols(world, call).iter().any(|symbol| {
        let lower = symbol.to_ascii_lowercase();
        lower.contains("auditlog")
            || lower.contains("audit_log")
            || lower.contains("interactionlog")
            || lower.contains("chatlog")
    });
    let Expr::Call { args, .. } = world.expr(call) else {
        return false;
    };
    object_chain
        || args.iter().any(|arg| {
            let at = ExprRef(call.0, arg.value);
            let text = texts_in(world, at)
                .iter()
                .any(|text| text.to_ascii_uppercase().contains("INSERT INTO") && marks(text));
            let class = world.eval(at).iter().any(|value| match value {
                Value::Instance(class, _) => world
                    .module(class.0)
                    .class(class.1)
                    .name
                    .as_deref()
                    .is_some_and(|name| {
                        let lower = name.to_ascii_lowercase();
                        lower.contains("audit") || lower.ends_with("log") || lower.contains("interaction")
                    }),
                _ => false,
            });
            text || class
        })
}

/// Names in what a call was sent. It may have been put together from others just before.
fn sent_with<'w>(world: &World<'w>, at: ExprRef) -> FxHashSet<&'w str> {
    let own = names_within(world, at);
    let mut sent: FxHashSet<&str> = own.iter().copied().collect();
    let mut count = own.len();
    let index = world.index(at.0);
    for name in own {
        let mut scope = index.expr_scope[at.1.0 as usize];
        while scope != crate::index::NONE && scope != 0 {
            let bindings = index.scopes[scope as usize]
                .names
                .get(name)
                .map_or(&[][..], Vec::as_slice);
            if bindings.len() > SENT_MAX {
                world.cut_short(at.0);
            }
            for binding in bindings.iter().take(SENT_MAX) {
                if let crate::index::BindSource::Value(value) = binding.source
                    && value != at.1
                {
                    let names = names_within(world, ExprRef(at.0, value));
                    count += names.len();
                    sent.extend(names);
                }
            }
            scope = index.scopes[scope as usize].parent;
        }
        if count > SENT_MAX {
            break;
        }
    }
    sent
}

/// Whether a call makes a row of a table.
fn makes_row(world: &World<'_>, call: ExprRef) -> bool {
    let made = matches!(
        callee_name(world, call),
        "create" | "acreate" | "insert_one" | "insertOne" | "insert" | "values"
    );
    // `db.update(answers).set({ feedback })`, `prisma.answer.update({ data })`
    let changed = match callee_name(world, call) {
        "set" => chain(world, call).contains(&"update"),
        "update" | "upsert" => chain(world, call).contains(&"prisma"),
        _ => false,
    };
    changed
        || made
            && (matches!(object_name(world, call), "objects" | "collection" | "prisma" | "db")
                || chain(world, call)
                    .iter()
                    .any(|name| matches!(*name, "insert" | "prisma" | "db" | "supabase" | "collection" | "table"))
                || symbols(world, call).iter().any(|symbol| symbol.contains(".objects.")))
}

/// Answers that a record is given which is saved: `row.reply = answer; row.save()`.
fn saved(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    unit: u32,
    function: Option<FunctionRef>,
    calls: &[ExprRef],
) -> Answers {
    let index = world.index(unit);
    let module = world.module(unit);
    let within = |id: ExprId| function.is_none_or(|function| index.within(id, function.1));
    let saves: FxHashSet<&str> = calls
        .iter()
        .filter(|call| matches!(callee_name(world, **call), "save" | "asave"))
        .map(|call| object_name(world, *call))
        .collect();
    let mut out = Answers::default();
    if saves.is_empty() {
        return out;
    }
    for info in &index.stmts {
        let StmtKind::Assign {
            target: Pattern::Place(place),
            value: Some(value),
            ..
        } = &info.stmt.kind
        else {
            continue;
        };
        let Expr::Member { object, .. } = module.expr(*place) else {
            continue;
        };
        if matches!(module.expr(*object), Expr::Name(name) if saves.contains(&**name)) && within(*value) {
            out.add(&flow.origins(ExprRef(unit, *value)).answers);
        }
    }
    out
}

/// The names along what a call is called on: `prisma`, `modelLog` of `prisma.modelLog.create(…)`.
fn chain<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    let mut out = Vec::new();
    let Expr::Call { callee, .. } = world.expr(at) else {
        return out;
    };
    let mut id = *callee;
    for _ in 0..24 {
        match world.module(at.0).expr(id) {
            Expr::Member { object, name } => {
                if out.is_empty() || id != *callee {
                    out.push(&**name);
                }
                id = *object;
            }
            Expr::Call { callee, .. } => id = *callee,
            Expr::Await(inner) | Expr::Propagate(inner) | Expr::Index { object: inner, .. } => id = *inner,
            Expr::Name(name) => {
                out.push(&**name);
                break;
            }
            _ => break,
        }
    }
    out
}

/// The values of a map literal and of those inside it; else the expression itself.
fn parts_within(world: &World<'_>, at: ExprRef) -> Vec<ExprId> {
    let mut out = Vec::new();
    let mut stack = vec![(at.1, 0)];
    while let Some((id, depth)) = stack.pop() {
        match world.module(at.0).expr(id) {
            Expr::Map(entries) if depth < 4 && out.len() < 100 => {
                stack.extend(entries.iter().map(|entry| (entry.value, depth + 1)));
            }
            _ => out.push(id),
        }
    }
    out
}

/// The names that stand in an expression.
fn names_within<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    let mut out = Vec::new();
    let mut stack = vec![at.1];
    while let Some(id) = stack.pop() {
        if let Expr::Name(name) = world.module(at.0).expr(id) {
            out.push(&**name);
        }
        if out.len() > 200 {
            break;
        }
        stack.extend(world.module(at.0).children(id));
    }
    out
}

/// Whether a file asks models through clients to which a container gives its advisors.
fn is_advised(module: &Module) -> bool {
    crate::project::is_jvm(module.language)
        && module
            .imports
            .iter()
            .any(|import| import.module.starts_with("org.springframework.ai.chat.client"))
}

/// Whether the imports of a file trace by themselves, or it names what does.
fn is_traced_file(module: &Module) -> bool {
    module.imports.iter().any(|import| {
        !import.type_only
            && (import.module.starts_with("langfuse.openai")
                || import.module.starts_with("langfuse/openai")
                || import.module.starts_with("@langfuse/openai")
                || import.module.starts_with("opentelemetry.instrumentation.openai")
                || import.module.starts_with("openinference")
                || import.module.starts_with("traceloop"))
    }) || module.exprs.iter().any(|expr| {
        matches!(&expr.kind, Expr::Name(name) if matches!(
            &**name,
            "wrapOpenAI"
                | "observeOpenAI"
                | "LangfuseCallbackHandler"
                | "SimpleLoggerAdvisor"
                | "wrap_openai"
                | "LoggingMiddleware"
        )) || matches!(&expr.kind, Expr::Member { name, .. } if matches!(
            &**name,
            "UseLogging"
                | "UseOpenTelemetry"
                | "logRequests"
                | "logRequestsAndResponses"
                | "autolog"
                | "instrument_openai"
                | "instrument_openai_agents"
                | "instrument_anthropic"
                | "instrument_google_genai"
                | "instrument_litellm"
                | "instrument_mcp"
                | "instrument_pydantic_ai"
        ))
    })
}

/// A line on the console that speaks of the call: the answer itself has no text beside it.
fn is_console(world: &World<'_>, call: ExprRef) -> bool {
    let name = callee_name(world, call);
    let object = object_name(world, call);
    if world.unit(call.0).language == engine_model::Language::Ruby {
        return matches!(object, "" | "$stdout" | "$stderr" | "STDERR" | "STDOUT" | "Kernel")
            && matches!(name, "warn" | "puts" | "p" | "pp");
    }
    if world.unit(call.0).language == engine_model::Language::Php {
        return object.is_empty() && matches!(name, "error_log" | "trigger_error" | "syslog" | "var_dump" | "dump");
    }
    // `echo "asking the model" >&2`
    if world.unit(call.0).language == engine_model::Language::Shell {
        return matches!(name, "echo" | "printf")
            && matches!(world.expr(call), Expr::Call { args, .. } if args.iter().any(|arg| {
                arg.name.as_deref().is_some_and(|name| name == ">&2" || name.contains('>'))
                    && matches!(world.module(call.0).expr(arg.value), Expr::Str(text) | Expr::Name(text) if text.contains('2') || text.contains("stderr"))
            }));
    }
    let console = match object {
        "console" => matches!(name, "log" | "info" | "warn" | "error" | "debug" | "trace"),
        "Console" | "Error" => matches!(name, "WriteLine" | "Write"),
        "out" | "err" => matches!(name, "println" | "print" | "printf"),
        "fmt" => matches!(name, "Println" | "Printf" | "Fprintln" | "Fprintf" | "Print"),
        "stderr" | "stdout" => matches!(name, "write" | "WriteLine"),
        "" => matches!(
            name,
            "print" | "println" | "println!" | "eprintln!" | "eprintln" | "dbg!" | "dbg" | "pprint"
        ),
        _ => false,
    };
    if !console {
        return false;
    }
    if matches!(
        name,
        "error" | "warn" | "debug" | "trace" | "eprintln!" | "eprintln" | "dbg!"
    ) || matches!(object, "err" | "stderr" | "Error")
    {
        return true;
    }
    let Expr::Call { args, .. } = world.expr(call) else {
        return false;
    };
    // `fmt.Fprintln(os.Stderr, err)`, `print(error, file=sys.stderr)`
    let to_stderr = args.iter().any(|arg| {
        matches!(world.module(call.0).expr(arg.value), Expr::Member { object, name }
            if matches!(&**name, "Stderr" | "stderr")
                && matches!(world.module(call.0).expr(*object), Expr::Name(of) if matches!(&**of, "os" | "sys")))
    });
    if to_stderr {
        return true;
    }
    // Whatever is said on failure, or about the call, is a record; the bare answer is output.
    let index = world.index(call.0);
    let in_catch = index.functions_around(call.1).into_iter().any(|function| {
        index.function_expr[function.0 as usize].is_some_and(|lambda| {
            world.parent(ExprRef(call.0, lambda)).is_some_and(|outer| {
                matches!(
                    callee_name(world, outer),
                    "catch" | "onFailure" | "exceptionally" | "doOnError"
                )
            })
        })
    });
    if in_catch {
        return true;
    }
    let in_handler = index
        .statements_around(call.1)
        .iter()
        .any(|stmt| index.stmts[*stmt as usize].role == crate::index::Role::HandlerBody);
    if in_handler {
        return true;
    }
    let texts: Vec<&str> = args
        .iter()
        .flat_map(|arg| texts_in(world, ExprRef(call.0, arg.value)))
        .collect();
    texts.iter().any(|text| {
        let lower = text.to_ascii_lowercase();
        [
            "error", "fail", "usage", "token", "latency", "elapsed", "took", "request", "debug", "log", "[ai", "[llm",
            "llm ", "model ",
        ]
        .iter()
        .any(|word| lower.contains(word))
            // A label in brackets is that of a record: `[moderation] flagged=…`.
            || lower.trim_start().strip_prefix('[').is_some_and(|rest| {
                rest.split_once(']').is_some_and(|(label, _)| {
                    label.len() > 2 && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
                })
            })
    })
}
