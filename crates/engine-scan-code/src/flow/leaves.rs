//! Ends of a backward trace: known constants of the code, and unknown values.
//!
//! A value that is made of several parts is constant only if all of them are. So what nothing in the project makes is unknown, and not nothing: a free
//! name, a field that nobody fills, what a library gives by itself (`clock.now()`). What a library makes of what it is handed (`tidy(text)`) comes from
//! that alone.

use engine_catalogue::words_of;
use engine_model::Language;
use engine_syntax::ir::{Arg, Expr, ExprId, TypeRef};

use super::{Flow, Origins};
use crate::index::{BindSource, Binding, base_name};
use crate::values::{ExprRef, Root, Seg, Value};
use crate::world::World;

/// Last words of names for settings of a call, which are no part of what is said.
const SETTINGS: [&str; 34] = [
    "agent",
    "auth",
    "authorization",
    "client",
    "config",
    "count",
    "ctx",
    "deployment",
    "endpoint",
    "engine",
    "header",
    "headers",
    "host",
    "key",
    "length",
    "limit",
    "logger",
    "max",
    "model",
    "options",
    "p",
    "schema",
    "secret",
    "seed",
    "settings",
    "stream",
    "temperature",
    "timeout",
    "token",
    "tokens",
    "tools",
    "uri",
    "url",
    "voice",
];

/// Words of functions that bring something from elsewhere, whatever constant they are asked with.
const BRINGS: [&str; 18] = [
    "capture", "choice", "download", "fetch", "find", "get", "load", "lookup", "now", "query", "random", "read",
    "receive", "record", "retrieve", "scrape", "search", "select",
];

/// Words of functions without arguments that make something empty, and bring nothing.
const MAKES: [&str; 16] = [
    "array", "build", "builder", "clone", "copy", "create", "default", "dict", "empty", "init", "instance", "list",
    "make", "map", "new", "of",
];

/// Whether a name is that of a setting.
pub(super) fn is_setting(name: &str) -> bool {
    words_of(name)
        .last()
        .is_some_and(|word| SETTINGS.binary_search(&word.as_str()).is_ok())
}

/// Whether a parameter of that type carries the call itself and nothing that a person said.
pub(super) fn carries_nothing(annotation: Option<&TypeRef>) -> bool {
    annotation.is_some_and(|of| matches!(&*of.name, "CancellationToken" | "context.Context" | "BackgroundTasks"))
}

/// What values that are known tell of their origin: constant, or nothing.
fn known(values: &[Value]) -> Option<bool> {
    let mut constant = false;
    for value in values {
        match value {
            Value::Text(_) | Value::Number(_) | Value::Bool(_) | Value::Literal(_) | Value::Env(_) => constant = true,
            Value::Null
            | Value::Function(_)
            | Value::Class(_)
            | Value::Instance(..)
            | Value::Module(_)
            | Value::Package(_) => {}
            Value::Path(_) | Value::Unknown => return None,
        }
    }
    (!values.is_empty()).then_some(constant)
}

/// Whether a name begins as types and constants do.
fn is_capital(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

impl Flow<'_, '_> {
    /// What a name is that nothing in sight binds, or that an import binds.
    pub(super) fn free(&self, at: ExprRef, name: &str, out: &mut Origins) {
        if matches!(
            name,
            "self" | "this" | "super" | "cls" | "base" | "parent" | "static" | "nil" | "_" | "it"
        ) || self.is_receiver(at, name)
        {
            return;
        }
        match known(&self.world.eval(at)) {
            Some(constant) => out.constant |= constant,
            // Types say nothing; a constant of a library is not known.
            None if is_capital(name) && (name.len() == 1 || name.chars().any(char::is_lowercase)) => {}
            None => out.unknown = true,
        }
    }

    /// What a member is of which nothing else is known.
    pub(super) fn free_member(&self, at: ExprRef, name: &str, of_type: bool, out: &mut Origins) {
        match known(&self.world.eval(at)) {
            Some(constant) => out.constant |= constant,
            // `Role.USER`, `openai.ChatMessageRoleUser`
            None if of_type && is_capital(name) && !matches!(name, "Now" | "UtcNow" | "Today") => out.constant = true,
            None => out.unknown = true,
        }
    }

    /// Whether a place begins with something of a library or with a type, and nothing was made of it yet.
    pub(super) fn is_library(&self, at: ExprRef) -> bool {
        let module = self.world.module(at.0);
        if base_name(module, at.1).is_none_or(|base| matches!(base, "self" | "this")) {
            return false;
        }
        self.world.eval(at).iter().any(|value| match value {
            Value::Module(_) | Value::Package(_) | Value::Class(_) => true,
            Value::Path(path) => {
                !matches!(path.root, Root::Param(..))
                    && !path
                        .segs
                        .iter()
                        .any(|seg| matches!(seg, Seg::Call(_) | Seg::Typed | Seg::Index | Seg::Key(_)))
            }
            _ => false,
        })
    }

    /// Whether what a call of a function outside of the project gives is not known: it was handed nothing that tells.
    pub(super) fn brings(&self, callee: ExprRef, of_library: bool, new: bool, bare: bool, out: &Origins) -> bool {
        if new || out.user || out.file || out.database || !out.answers.is_empty() || out.unknown {
            return false;
        }
        let name = match self.world.expr(callee) {
            Expr::Name(name) | Expr::Member { name, .. } => &**name,
            _ => return false,
        };
        let capital = is_capital(name);
        let constructs = capital && !matches!(self.world.unit(callee.0).language, Language::Go | Language::CSharp);
        if constructs || is_setting(name) {
            return false;
        }
        let words = words_of(name);
        let has = |list: &[&str]| words.iter().any(|word| list.binary_search(&word.as_str()).is_ok());
        if bare && !out.constant {
            return !has(&MAKES) && !name.ends_with('!');
        }
        of_library
            && words
                .first()
                .is_some_and(|word| BRINGS.binary_search(&word.as_str()).is_ok())
    }

    /// Whether a field is one that nobody is seen to fill.
    pub(super) fn is_unfilled(bindings: &[Binding<'_>]) -> bool {
        bindings
            .iter()
            .all(|binding| matches!(binding.source, BindSource::Nothing))
    }

    /// The name under which an argument is handed over: its own, or that of the variable where there are others beside it. An address and a header count as
    /// what they are.
    pub(super) fn named<'a>(&'a self, unit: u32, arg: &'a Arg, of: usize) -> Option<&'a str> {
        if let Some(name) = &arg.name {
            return Some(name);
        }
        match self.world.module(unit).expr(arg.value) {
            Expr::Name(name) | Expr::Member { name, .. } if of > 1 => Some(name),
            Expr::Template(parts) => match parts.first().map(|first| self.world.module(unit).expr(*first)) {
                Some(Expr::Str(text)) if text.starts_with("http") => Some("url"),
                Some(Expr::Str(text)) if text.starts_with("Bearer") => Some("key"),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a name stands for the object whose method this is.
    pub(super) fn is_receiver(&self, at: ExprRef, name: &str) -> bool {
        let scope = self.world.index(at.0).expr_scope[at.1.0 as usize];
        matches!(name, "self" | "this") || self.world.is_receiver(at.0, scope, name)
    }
}

/// Whether a call gives the frame of a request and nothing of what it says: `r.Context()`, `context.Background()` of Go.
pub(super) fn is_frame(world: &World<'_>, unit: u32, callee: ExprId) -> bool {
    world.unit(unit).language == Language::Go
        && matches!(world.module(unit).expr(callee), Expr::Member { name, .. } if matches!(&**name, "Context" | "UserContext" | "Background" | "TODO"))
}
