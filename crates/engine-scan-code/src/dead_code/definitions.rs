//! Files that contain only definitions: loading one has no effect.

use engine_model::Language;
use engine_syntax::ir::{ExportSource, Expr, ExprId, Module, Pattern, Stmt, StmtKind};

use super::{is_plain, name_of, stem_of};
use crate::unused_components::STARTED;

/// Further names of files that a tool starts without naming them, beside those of components.
const ALSO_STARTED: [&str; 27] = [
    "__init__",
    "__main__",
    "wsgi",
    "asgi",
    "manage",
    "models",
    "views",
    "admin",
    "apps",
    "tasks",
    "signals",
    "urls",
    "consumers",
    "conftest",
    "setup",
    "handler",
    "lambda_function",
    "function_app",
    "middleware",
    "instrumentation",
    "route",
    "page",
    "layout",
    "gulpfile",
    "bot",
    "run",
    "agent",
];

/// Folders whose files a framework or a loop over the folder brings in.
const FOLDERS: [&str; 47] = [
    "pages",
    "app",
    "api",
    "routes",
    "views",
    "layouts",
    "screens",
    "layout",
    "plugins",
    "plugin",
    "content",
    "functions",
    "server",
    "commands",
    "cogs",
    "events",
    "handlers",
    "hooks",
    "composables",
    "jobs",
    "workers",
    "tasks",
    "modules",
    "actions",
    "integrations",
    "extensions",
    "addons",
    "skills",
    "spiders",
    "dags",
    "custom_components",
    "custom_nodes",
    "management",
    "migrations",
    "templatetags",
    "blocks",
    "nodes",
    "webparts",
    "lambdas",
    "edge",
    "listeners",
    "preconditions",
    "interaction-handlers",
    "entrypoints",
    "contents",
    "background",
    "tabs",
];

/// Names under which a runtime looks for what a file holds.
pub(super) const LOOKED_FOR: [&str; 34] = [
    "app",
    "application",
    "server",
    "bot",
    "api",
    "demo",
    "handler",
    "dp",
    "dispatcher",
    "root_agent",
    "agent",
    "graph",
    "mcp",
    "router",
    "celery",
    "dag",
    "flow",
    "scheduler",
    "main",
    "run",
    "setup",
    "register",
    "activate",
    "default",
    "loader",
    "action",
    "config",
    "plugin",
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "onRequest",
];

/// Calls that prepare a file and do nothing else, beside what makes an object.
const PREPARES: [&str; 49] = [
    "load_dotenv",
    "config",
    "configure",
    "basicConfig",
    "getLogger",
    "get_logger",
    "setLevel",
    "getenv",
    "get",
    "env",
    "Path",
    "resolve",
    "join",
    "dirname",
    "abspath",
    "fileURLToPath",
    "compile",
    "from_template",
    "from_messages",
    "getGenerativeModel",
    "str",
    "int",
    "float",
    "bool",
    "len",
    "list",
    "dict",
    "set",
    "tuple",
    "frozenset",
    "strip",
    "trim",
    "split",
    "lower",
    "toLowerCase",
    "parseInt",
    "freeze",
    "require",
    "namedtuple",
    "TypeVar",
    "NewType",
    "partial",
    "object",
    "string",
    "array",
    "number",
    "enum",
    "describe",
    "defineProperty",
];

/// Parts of one expression that are looked at.
const STEPS_MAX: usize = 4_000;

/// Whether a file is one that something may start for the sake of its place or its name.
pub(super) fn is_started_by_place(path: &str) -> bool {
    let stem = stem_of(path).to_ascii_lowercase();
    let first = stem.split('.').next().unwrap_or(&stem);
    STARTED.contains(&first)
        || ALSO_STARTED.contains(&first)
        || name_of(path).starts_with(['+', '[', '('])
        || ["config", "stories", "worker", "handler", "plugin", "server", "client"]
            .iter()
            .any(|word| stem.ends_with(word))
        || path
            .split('/')
            .rev()
            .skip(1)
            .any(|folder| FOLDERS.contains(&folder.to_ascii_lowercase().as_str()))
        || matches!(Language::of_path(path), Language::Tsx | Language::Html)
        || name_of(path).split('.').next_back() == Some("jsx")
}

/// Whether a module of Python or of a script only defines what others may use.
pub(super) fn only_defines(module: &Module) -> bool {
    let functions = module
        .functions
        .iter()
        .all(|function| is_plain(module, &function.decorators));
    let classes = module.classes.iter().all(|class| is_plain(module, &class.decorators));
    let named = module
        .functions
        .iter()
        .filter(|function| function.class.is_none())
        .filter_map(|function| function.name.as_deref())
        .any(|name| LOOKED_FOR.contains(&name));
    let handed = module.exports.iter().all(|export| match &export.source {
        ExportSource::Expr(at) => is_harmless(module, *at),
        ExportSource::Local(_) | ExportSource::From { .. } => true,
    });
    !module.truncated && functions && classes && !named && handed && block(module, &module.body)
}

fn block(module: &Module, stmts: &[Stmt]) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Import(_) | StmtKind::Function(_) | StmtKind::Class(_) | StmtKind::Raise(_) => true,
        StmtKind::Expr(at) => match module.expr(*at) {
            Expr::Assign { target, value } => is_quiet(target) && is_harmless(module, *value),
            Expr::Call { callee, .. } => is_prepared(module, *callee) && is_harmless(module, *at),
            _ => is_harmless(module, *at),
        },
        StmtKind::Assign { target, value, .. } => {
            is_quiet(target) && value.is_none_or(|value| is_harmless(module, value))
        }
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => is_harmless(module, *condition) && block(module, then) && block(module, otherwise),
        StmtKind::Try {
            body,
            handlers,
            finally,
        } => {
            block(module, body) && handlers.iter().all(|handler| block(module, &handler.body)) && block(module, finally)
        }
        StmtKind::Block(inner) => block(module, inner),
        StmtKind::Return(_) | StmtKind::Match { .. } | StmtKind::Loop { .. } | StmtKind::With { .. } => false,
    })
}

/// Whether nobody looks for what a name holds.
fn is_quiet(target: &Pattern) -> bool {
    match target {
        Pattern::Name(name) => !LOOKED_FOR.contains(&&**name),
        _ => true,
    }
}

fn is_prepared(module: &Module, callee: ExprId) -> bool {
    matches!(module.expr(callee), Expr::Name(name) | Expr::Member { name, .. } if PREPARES.contains(&&**name))
}

/// Whether nothing happens when an expression is evaluated but that objects are made.
fn is_harmless(module: &Module, at: ExprId) -> bool {
    let mut stack = vec![at];
    for _ in 0..STEPS_MAX {
        let Some(at) = stack.pop() else { return true };
        match module.expr(at) {
            Expr::Call { callee, new, .. } => {
                let name = match module.expr(*callee) {
                    Expr::Name(name) | Expr::Member { name, .. } => &**name,
                    _ => "",
                };
                let makes = *new || name.starts_with(char::is_uppercase);
                if !makes && !PREPARES.contains(&name) {
                    return false;
                }
            }
            Expr::Await(_) | Expr::Element(_) | Expr::Block(_) => return false,
            _ => {}
        }
        stack.extend(module.children(at));
    }
    false
}
