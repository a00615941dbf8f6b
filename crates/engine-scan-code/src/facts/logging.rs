//! Whether an interaction is logged: through a logger, a table or a tracing library, or on the console only.

use engine_model::Logging;
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use super::{callee_name, calls_in, object_name, symbols, texts_in};
use crate::flow::Flow;
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

pub(super) fn of(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef) -> Logging {
    let function = world.home_of(at);
    let mut best = Logging::No;
    let mut calls = calls_in(world, at.0, function);
    if function.is_none() {
        // Lambdas of the chain that the call begins.
        let index = world.index(at.0);
        let stmt = index.expr_stmt[at.1.0 as usize];
        calls.extend(index.calls.iter().map(|call| ExprRef(at.0, *call)).filter(|call| {
            index.functions_around(call.1).last().is_some_and(|outer| {
                index.function_expr[outer.0 as usize].is_some_and(|lambda| index.expr_stmt[lambda.0 as usize] == stmt)
            })
        }));
    }
    for call in calls {
        if is_logged(world, call) {
            return Logging::Yes;
        }
        if is_console(world, flow, which, call) {
            best = Logging::Console;
        }
    }
    if traced(world, at, function) || kept(world, flow, which, at, function) {
        return Logging::Yes;
    }
    // A function that is given the answer may keep the record.
    for call in calls_in(world, at.0, function) {
        for callee in world.callees(call) {
            let name = world
                .function(callee)
                .name
                .as_deref()
                .unwrap_or("")
                .to_ascii_lowercase();
            let keeps = ["log", "audit", "record", "trace", "track", "persist"]
                .iter()
                .any(|word| name.contains(word));
            let given = flow.of_arguments(call).answers.contains(&which);
            if (keeps || given)
                && calls_in(world, callee.0, Some(callee))
                    .into_iter()
                    .any(|inner| is_logged(world, inner))
            {
                return Logging::Yes;
            }
        }
    }
    // A wrapper hands its answer to callers that log, or that have a function of theirs do so.
    let mut wrappers: Vec<FunctionRef> = function.into_iter().collect();
    let mut next = 0;
    while let Some(wrapper) = wrappers.get(next).copied() {
        next += 1;
        for caller in world.callers_of(wrapper).into_iter().take(8) {
            let Some(outer) = world.home_of(caller) else {
                if calls_in(world, caller.0, None)
                    .into_iter()
                    .any(|call| is_logged(world, call))
                {
                    return Logging::Yes;
                }
                continue;
            };
            if wrappers.contains(&outer) {
                continue;
            }
            for call in calls_in(world, caller.0, Some(outer)) {
                if is_logged(world, call) || is_log_of_the_project(world, call) {
                    return Logging::Yes;
                }
            }
            // A method that only another of the same class calls is a part of it.
            if next <= WRAPPERS_MAX && wrappers.len() < 8 && outer.0 == wrapper.0 {
                wrappers.push(outer);
            }
        }
    }
    best
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
        && world.callees(call).into_iter().any(|callee| {
            calls_in(world, callee.0, Some(callee))
                .into_iter()
                .any(|inner| is_logged(world, inner))
        })
}

pub(crate) fn is_logged(world: &World<'_>, call: ExprRef) -> bool {
    let name = callee_name(world, call);
    let object = object_name(world, call);
    if world.unit(call.0).language == engine_model::Language::Shell {
        return matches!(name, "logger" | "systemd-cat" | "log" | "log_info" | "log_error");
    }
    if object.is_empty() {
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

/// A row that keeps question and answer together: `Conversation.objects.create(question=q, answer=r.text)`.
fn kept(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef, function: Option<FunctionRef>) -> bool {
    let mut sent = names_within(world, at);
    // What was sent may have been put together from it just before.
    for name in sent.clone() {
        let index = world.index(at.0);
        let mut scope = index.expr_scope[at.1.0 as usize];
        while scope != crate::index::NONE && scope != 0 {
            for binding in index.scopes[scope as usize].names.get(name).into_iter().flatten() {
                if let crate::index::BindSource::Value(value) = binding.source
                    && value != at.1
                {
                    sent.extend(names_within(world, ExprRef(at.0, value)));
                }
            }
            scope = index.scopes[scope as usize].parent;
        }
        if sent.len() > 200 {
            break;
        }
    }
    saved(world, flow, which, at, function)
        || calls_in(world, at.0, function).into_iter().any(|call| {
            let Expr::Call { args, .. } = world.expr(call) else {
                return false;
            };
            let made = matches!(
                callee_name(world, call),
                "create" | "acreate" | "insert_one" | "insertOne" | "insert" | "values"
            );
            let stored = matches!(object_name(world, call), "objects" | "collection" | "prisma" | "db")
                || chain(world, call)
                    .iter()
                    .any(|name| matches!(*name, "insert" | "prisma" | "db" | "supabase" | "collection" | "table"))
                || symbols(world, call).iter().any(|symbol| symbol.contains(".objects."));
            let question = |value| {
                parts_within(world, ExprRef(call.0, value)).into_iter().any(|id| {
                    matches!(world.module(call.0).expr(id), Expr::Name(name) if sent.contains(&&**name))
                        && !flow.origins(ExprRef(call.0, id)).answers.contains(&which)
                })
            };
            made && stored
                && args.iter().any(|arg| question(arg.value))
                && args
                    .iter()
                    .any(|arg| flow.origins(ExprRef(call.0, arg.value)).answers.contains(&which))
        })
}

/// A record that is given the answer and saved: `row.reply = answer; row.save()`.
fn saved(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, at: ExprRef, function: Option<FunctionRef>) -> bool {
    let index = world.index(at.0);
    let module = world.module(at.0);
    let within = |id: ExprId| function.is_none_or(|function| index.within(id, function.1));
    let saves: Vec<&str> = calls_in(world, at.0, function)
        .into_iter()
        .filter(|call| matches!(callee_name(world, *call), "save" | "asave"))
        .map(|call| object_name(world, call))
        .collect();
    !saves.is_empty()
        && index.stmts.iter().any(|info| {
            let StmtKind::Assign {
                target: Pattern::Place(place),
                value: Some(value),
                ..
            } = &info.stmt.kind
            else {
                return false;
            };
            let Expr::Member { object, .. } = module.expr(*place) else {
                return false;
            };
            matches!(module.expr(*object), Expr::Name(name) if saves.contains(&&**name))
                && within(*value)
                && flow.origins(ExprRef(at.0, *value)).answers.contains(&which)
        })
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

/// Decorators of tracing libraries, and imports that trace by themselves.
fn traced(world: &World<'_>, at: ExprRef, function: Option<FunctionRef>) -> bool {
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
    decorated
        || module.imports.iter().any(|import| {
            !import.type_only
                && (import.module.starts_with("langfuse.openai")
                    || import.module.starts_with("langfuse/openai")
                    || import.module.starts_with("@langfuse/openai")
                    || import.module.starts_with("opentelemetry.instrumentation.openai")
                    || import.module.starts_with("openinference")
                    || import.module.starts_with("traceloop"))
        })
        || module.exprs.iter().any(|expr| {
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
                "UseLogging" | "UseOpenTelemetry" | "logRequests" | "logRequestsAndResponses" | "instrument_openai" | "autolog"
            ))
        })
}

/// A line on the console that speaks of the call, not the answer itself put out.
fn is_console(world: &World<'_>, flow: &Flow<'_, '_>, which: usize, call: ExprRef) -> bool {
    let name = callee_name(world, call);
    let object = object_name(world, call);
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
    let speaks = texts.iter().any(|text| {
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
    });
    let bare = args
        .iter()
        .all(|arg| flow.origins(ExprRef(call.0, arg.value)).answers.contains(&which))
        && texts.is_empty();
    speaks && !bare
}
