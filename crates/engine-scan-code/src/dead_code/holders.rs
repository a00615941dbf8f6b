//! Enclosing definitions of a line that must be referenced by name: its class, and its method or function.

use engine_model::Language;
use engine_syntax::ir::{Class, ExportSource, Expr, ExprId, Function, FunctionId, Module, Pattern, Span, StmtKind};

use super::definitions::LOOKED_FOR;
use super::{CALLED_BY_NAME, Holder, NAME_CHARS_MIN, bases_of, is_plain, names_its_class};
use crate::mentions::Kind;
use crate::project::{is_jvm, is_python, is_script};
use crate::world::World;

/// First parameters of functions that a server, a cloud or a bot calls by a name that stands in no text of the tree.
const HANDED_IN: [&str; 18] = [
    "request",
    "req",
    "_req",
    "event",
    "_event",
    "ctx",
    "context",
    "update",
    "message",
    "msg",
    "interaction",
    "argv",
    "args",
    "cloud_event",
    "client",
    "bot",
    "app",
    "server",
];

/// Names under which a framework looks for functions and methods, beside those that a runtime looks for in a file.
const ALSO_CALLED: [&str; 64] = [
    "execute",
    "fetch",
    "load",
    "render",
    "start",
    "stop",
    "init",
    "open",
    "close",
    "process",
    "transform",
    "parse",
    "validate",
    "forward",
    "predict",
    "train",
    "build",
    "create",
    "update",
    "delete",
    "destroy",
    "index",
    "show",
    "list",
    "find",
    "save",
    "apply",
    "call",
    "compute",
    "upgrade",
    "downgrade",
    "up",
    "down",
    "seed",
    "next",
    "send",
    "scheduled",
    "queue",
    "email",
    "tail",
    "entries",
    "connect",
    "disconnect",
    "mounted",
    "created",
    "getServerSideProps",
    "getStaticProps",
    "getStaticPaths",
    "getInitialProps",
    "generateMetadata",
    "generateStaticParams",
    "middleware",
    "proxy",
    "instrument",
    "prerender",
    "headers",
    "meta",
    "links",
    "ErrorBoundary",
    "Page",
    "Layout",
    "lambda_handler",
    "setup_module",
    "componentDidMount",
];

/// The classes around a line, and the function of the tree that has to be called for it.
pub(super) fn around(world: &World<'_>, unit: u32, line: u32) -> Vec<(Holder, Vec<String>)> {
    let module = world.module(unit);
    let language = world.unit(unit).language;
    let inside = |of: Span| (of.line..=of.end_line).contains(&line);
    let mut out = Vec::new();
    for class in module.classes.iter().filter(|class| inside(class.span)) {
        out.extend(of_class(world, unit, class));
    }
    let mut functions: Vec<(usize, &Function)> = module
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| inside(function.span))
        .collect();
    // From the outside to the inside.
    functions.sort_by_key(|(_, function)| (function.span.line, std::cmp::Reverse(function.span.end_line)));
    if is_jvm(language) || language == Language::CSharp {
        let named = functions.iter().rev().find(|(_, function)| function.name.is_some());
        out.extend(named.and_then(|(_, function)| of_method(world, unit, function)));
    } else if (is_python(language) || is_script(language))
        && let Some((at, function)) = functions.first()
    {
        out.extend(of_function(world, unit, FunctionId(crate::values::id(*at)), function));
    }
    out
}

fn of_class(world: &World<'_>, unit: u32, class: &Class) -> Option<(Holder, Vec<String>)> {
    let module = world.module(unit);
    let name = class.name.as_deref().filter(|name| name.len() >= NAME_CHARS_MIN)?;
    let starts = class.methods.iter().any(|method| {
        let method = module.function(*method);
        method
            .name
            .as_deref()
            .is_some_and(|name| CALLED_BY_NAME[..2].contains(&name))
            || !is_plain(module, &method.decorators)
    });
    // What a framework finds by its name or its folder is named by nobody.
    let found =
        world.unit(unit).language == Language::Php && crate::entry::is_found_by_place(class, world.unit(unit).path);
    // What a file hands out as a whole is known by other names elsewhere.
    if found
        || class.is_interface
        || starts
        || is_handed_out_whole(module, name)
        || !is_plain(module, &class.decorators)
    {
        return None;
    }
    // Methods that extend another class are called without the name of their own.
    let extends = class
        .methods
        .iter()
        .any(|method| module.function(*method).extends.is_some())
        || world.unit(unit).language == Language::CSharp && name.ends_with("Extensions");
    (!extends).then(|| {
        let mut holder = Holder::new(world, unit, Kind::Class, name, class.span);
        holder.is_class = true;
        (holder, bases_of(class))
    })
}

/// A method of a language in which every function has a class, and a name that calls it.
fn of_method(world: &World<'_>, unit: u32, function: &Function) -> Option<(Holder, Vec<String>)> {
    let module = world.module(unit);
    let name = function.name.as_deref().filter(|name| name.len() >= NAME_CHARS_MIN)?;
    let is_called = !CALLED_BY_NAME.contains(&name)
        // What extends a class of a framework is named in its settings: `fun Application.module()`.
        && (function.extends.is_none() || world.unit(unit).language == Language::CSharp)
        && is_plain(module, &function.decorators)
        && !names_its_class(module, function);
    is_called.then(|| {
        let class = function.class.map(|class| module.class(class));
        let mut holder = Holder::new(world, unit, Kind::Method, name, function.span);
        holder.is_method = true;
        (holder, class.map_or_else(Vec::new, bases_of))
    })
}

/// A function at the top of a file, or a method of a class there, that only its name leads to.
fn of_function(world: &World<'_>, unit: u32, at: FunctionId, function: &Function) -> Option<(Holder, Vec<String>)> {
    let module = world.module(unit);
    let class = function.class.map(|class| module.class(class));
    let name = match class {
        Some(_) => function.name.as_deref()?,
        None => top_name(module, at)?,
    };
    let first = function.params.first().map(|param| &param.pattern);
    let is_handed_in = match first {
        Some(Pattern::Name(first)) => HANDED_IN.contains(&&**first),
        _ => false,
    };
    let lower = name.to_ascii_lowercase();
    let is_looked_for = name.len() < NAME_CHARS_MIN
        || name.starts_with("__")
        || lower.starts_with("on_")
        || name
            .strip_prefix("on")
            .is_some_and(|rest| rest.starts_with(char::is_uppercase))
        || lower.starts_with("test")
        || CALLED_BY_NAME.contains(&name)
        || LOOKED_FOR.contains(&name)
        || ALSO_CALLED.contains(&name);
    let plain_class = class.is_none_or(|class| !class.is_interface && is_plain(module, &class.decorators));
    if is_handed_in
        || is_looked_for
        || !plain_class
        || !is_plain(module, &function.decorators)
        || names_its_class(module, function)
        || is_handed_out_whole(module, name)
        || module.truncated
    {
        return None;
    }
    let mut holder = Holder::new(world, unit, Kind::Function, name, function.span);
    holder.is_method = true;
    holder.others = class.is_none().then(Vec::new);
    holder.is_handed_out = class.is_none()
        && module.exports.iter().any(|export| match &export.source {
            ExportSource::Local(local) => {
                *export.name == *name && *local == *name
                    || &*export.name == "default"
                        && kept(module, local).is_some_and(|list| is_entry(module, list, name))
            }
            // `export default { ask, tell };`
            ExportSource::Expr(list) => is_entry(module, *list, name),
            ExportSource::From { .. } => false,
        });
    Some((holder, class.map_or_else(Vec::new, bases_of)))
}

/// What a container hands out under a name alone, which somebody has to ask for: `@Provides @Named("Default")`.
pub(super) fn provided(world: &World<'_>, unit: u32, at: ExprId) -> Option<(Holder, Vec<String>)> {
    if !is_jvm(world.unit(unit).language) {
        return None;
    }
    let module = world.module(unit);
    let parts = |mark: ExprId| match module.expr(mark) {
        Expr::Call { callee, args, .. } => (*callee, args.first().map(|arg| arg.value)),
        _ => (mark, None),
    };
    let is_called =
        |mark: ExprId, name: &str| matches!(module.expr(parts(mark).0), Expr::Name(known) if **known == *name);
    world.index(unit).functions_around(at).into_iter().find_map(|function| {
        let function = module.function(function);
        let marks = &function.decorators;
        if !marks.iter().any(|mark| is_called(*mark, "Provides")) {
            return None;
        }
        let named = marks.iter().find(|mark| is_called(**mark, "Named"))?;
        let Expr::Str(name) = module.expr(parts(*named).1?) else {
            return None;
        };
        let mut span = function.span;
        span.line = span.line.min(module.exprs[named.0 as usize].span().line);
        Some((
            Holder::new(world, unit, Kind::Value, &format!("Named(\"{name}\")"), span),
            Vec::new(),
        ))
    })
}

/// Whether an expression is a record that has something under its own name: `{ ask, tell }`.
fn is_entry(module: &Module, list: ExprId, name: &str) -> bool {
    matches!(module.expr(list), Expr::Map(entries)
    if entries.iter().any(|entry| {
        let is = |part| matches!(module.expr(part), Expr::Name(known) | Expr::Str(known) if **known == *name);
        is(entry.value) && entry.key.is_some_and(is)
    }))
}

/// What a file gives a name at its top: `const service = { ask, tell };`.
fn kept(module: &Module, local: &str) -> Option<ExprId> {
    module.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign {
            target: Pattern::Name(name),
            value,
            ..
        } if **name == *local => *value,
        _ => None,
    })
}

/// The name by which a file knows a function at its top: `def ask(…)`, `function ask(…)`, `const ask = async (…) => …`.
fn top_name(module: &Module, at: FunctionId) -> Option<&str> {
    module.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Function(known) if *known == at => module.function(at).name.as_deref(),
        StmtKind::Assign {
            target: Pattern::Name(name),
            value: Some(value),
            ..
        } => matches!(module.expr(*value), Expr::Function(known) if *known == at).then_some(&**name),
        _ => None,
    })
}

/// Whether a file hands something out as a whole, under whatever name others give it.
fn is_handed_out_whole(module: &Module, name: &str) -> bool {
    module.exports.iter().any(|export| {
        &*export.name == "default" && matches!(&export.source, ExportSource::Local(local) if **local == *name)
    })
}
