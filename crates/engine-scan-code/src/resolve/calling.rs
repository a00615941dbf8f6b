//! Results of calls, parameters and callers.

use std::rc::Rc;

use engine_model::Zone;
use engine_syntax::ir::{Arg, Expr, ExprId, TypeRef};

use super::{TAKES_OUT, TRANSPARENT, VALUES_MAX, merge};
use crate::values::{ClassRef, ExprRef, FunctionRef, Part, Path, Root, Seg, Value};
use crate::world::World;

/// Methods that give what they are handed where there is nothing else.
pub(super) const FALLS_BACK: [&str; 8] = [
    "unwrap_or",
    "unwrap_or_else",
    "getOrDefault",
    "or_else",
    "ifBlank",
    "ifEmpty",
    "orElse",
    "orElseGet",
];

/// Methods of texts that put something in the place of what a pattern finds.
pub(super) const CUTS: [&str; 2] = ["replace", "replaceAll"];

/// A text without a slash at its end.
fn without_slash(value: &Value) -> Value {
    match value {
        Value::Text(parts) if matches!(parts.last(), Some(Part::Known(text)) if text.ends_with('/')) => {
            let mut parts = parts.to_vec();
            if let Some(Part::Known(text)) = parts.last_mut() {
                *text = Rc::from(text.trim_end_matches('/'));
            }
            Value::Text(parts.into())
        }
        value => value.clone(),
    }
}

/// Calls of libraries that give back what is called like the function they were handed.
const WRAPS: [&str; 11] = [
    "cache",
    "unstable_cache",
    "memoize",
    "useCallback",
    "traceable",
    "observe",
    "action",
    "handler",
    "debounce",
    "throttle",
    "asyncHandler",
];

/// Callers of a function whose arguments are followed into a parameter.
const CALLERS_MAX: usize = 24;

/// Types of Rust around one value, that hand on whatever is asked of them.
const POINTERS: [&str; 6] = ["Arc", "Rc", "Box", "Mutex", "RwLock", "RefCell"];

impl World<'_> {
    /// The result of calling a value at a place.
    pub(crate) fn call(&self, callee: &Value, at: ExprRef) -> Vec<Value> {
        match callee {
            Value::Class(class) => vec![Value::Instance(*class, Some(at))],
            Value::Function(function) => self.results(*function, Some(at)),
            Value::Path(path) => self.call_path(path, at),
            Value::Instance(class, _)
                if self.unit(class.0).language == engine_model::Language::Rust && self.is_handed_on(at) =>
            {
                vec![callee.clone()]
            }
            Value::Instance(class, made) => {
                let mut out = Vec::new();
                for name in ["__call__", "__invoke", "invoke", "apply", "call"] {
                    for method in self.method(*class, name) {
                        merge(&mut out, &self.results(method, Some(at)));
                    }
                }
                if out.is_empty() {
                    for base in self.external_bases(*class) {
                        let made = made.map_or(Seg::Typed, Seg::Call);
                        if let Some(path) = base.then(made).and_then(|path| path.then(Seg::Call(at))) {
                            merge(&mut out, &[Value::Path(Rc::new(path))]);
                        }
                    }
                }
                out
            }
            Value::Env(_) | Value::Text(_) | Value::Module(_) => {
                if let Expr::Call {
                    callee: inner, args, ..
                } = self.expr(at)
                    && let Expr::Member { name, .. } = self.module(at.0).expr(*inner)
                    && (TRANSPARENT.contains(&&**name)
                        || FALLS_BACK.contains(&&**name)
                        || self.is_cut(at)
                        // The accessor of a record is called like its field.
                        || args.is_empty() && crate::project::is_jvm(self.unit(at.0).language))
                {
                    let mut out = vec![if self.is_cut(at) {
                        without_slash(callee)
                    } else {
                        callee.clone()
                    }];
                    if FALLS_BACK.contains(&&**name) {
                        merge(&mut out, &self.fallback(at));
                    }
                    out
                } else {
                    Vec::new()
                }
            }
            _ => Vec::new(),
        }
    }

    /// Whether what is called hands out what it is called on: `.map_err(told)`, `.unwrap()`.
    fn is_handed_on(&self, at: ExprRef) -> bool {
        let Expr::Call { callee, .. } = self.expr(at) else {
            return false;
        };
        matches!(self.expr(ExprRef(at.0, *callee)), Expr::Member { name, .. } if TRANSPARENT.contains(&&**name))
    }

    /// Whether a call of a script only takes away what a pattern finds, as what stands at the end of an address: `url.replace(/\/+$/, "")`.
    fn is_cut(&self, at: ExprRef) -> bool {
        let Expr::Call { callee, args, .. } = self.expr(at) else {
            return false;
        };
        let [pattern, with] = &args[..] else { return false };
        let expr = |id: ExprId| self.expr(ExprRef(at.0, id));
        crate::project::is_script(self.unit(at.0).language)
            && matches!(expr(*callee), Expr::Member { name, .. } if CUTS.contains(&&**name))
            && matches!(expr(pattern.value), Expr::Other(parts) if parts.is_empty())
            && matches!(expr(with.value), Expr::Str(text) if text.is_empty())
    }

    pub(super) fn call_path(&self, path: &Rc<Path>, at: ExprRef) -> Vec<Value> {
        let Expr::Call { args, .. } = self.expr(at) else {
            return Vec::new();
        };
        let first = args.first().map(|arg| ExprRef(at.0, arg.value));
        let Some(Seg::Name(name)) = path.segs.last() else {
            return path
                .then(Seg::Call(at))
                .map(|path| Value::Path(Rc::new(path)))
                .into_iter()
                .collect();
        };
        let name = &**name;
        let symbol = if path.segs.len() <= 6 {
            path.symbol()
        } else {
            String::new()
        };
        if let Some(values) = self
            .called_in_php(path, at, args)
            .or_else(|| self.called_in_ruby(path, at, args))
        {
            return values;
        }
        match symbol.as_str() {
            // What is frozen or copied stands for itself.
            "Object.freeze"
            | "Object.seal"
            | "structuredClone"
            | "Map.copyOf"
            | "List.copyOf"
            | "java.util.Map.copyOf"
            | "java.util.Collections.unmodifiableMap"
            | "copy.deepcopy"
            | "types.MappingProxyType"
            | "String.from"
            | "std.string.String.from"
            | "Cow.from"
            | "serde_json.to_string"
            | "serde_json.to_vec"
            | "serde_json.to_value" => {
                if let Some(first) = first {
                    return self.eval(first).to_vec();
                }
            }
            // A stand-in hands on what it stands for: `new Proxy({} as OpenAI, { get: (_, name) => client()[name] })`.
            "Proxy" if crate::project::is_script(self.unit(at.0).language) => {
                let mut out = Vec::new();
                if let Some(handler) = args.get(1) {
                    merge(&mut out, &self.stood_for(ExprRef(at.0, handler.value)));
                }
                if let Some(first) = first
                    && out.is_empty()
                {
                    out = self.eval(first).to_vec();
                }
                if !out.is_empty() {
                    return out;
                }
            }
            // What is waited for together is taken apart by its places: `const [a, b] = await Promise.all([one(), other()])`.
            "Promise.all" => {
                if let Some(first) = first
                    && matches!(self.expr(first), Expr::List(_))
                {
                    return vec![Value::Literal(first)];
                }
            }
            // What is written out as a text stands for itself where it is one: `String(settings.model || "gpt-4o-mini")`.
            "String" | "str" => {
                if let Some(first) = first {
                    let inner = self.eval(first);
                    if inner
                        .iter()
                        .any(|value| matches!(value, Value::Text(_) | Value::Env(_)))
                    {
                        return inner.to_vec();
                    }
                }
            }
            // What went well, or is there, stands for what it holds: `Ok(Self { client })`.
            "Ok" | "Some" | "std.result.Result.Ok" | "std.option.Option.Some"
                if self.unit(at.0).language == engine_model::Language::Rust =>
            {
                if let Some(first) = first {
                    let inner = self.eval(first);
                    if super::leads_on(&inner) {
                        return inner.to_vec();
                    }
                }
            }
            "functools.partial" | "partial" | "asgiref.sync.sync_to_async" | "sync_to_async" => {
                if let Some(first) = first {
                    return self
                        .eval(first)
                        .iter()
                        .map(|value| match value {
                            Value::Path(inner) => inner
                                .then(Seg::With(at))
                                .map_or(Value::Unknown, |path| Value::Path(Rc::new(path))),
                            other => other.clone(),
                        })
                        .collect();
                }
            }
            "os.getenv"
            | "os.Getenv"
            | "os.LookupEnv"
            | "java.lang.System.getenv"
            | "System.getenv"
            | "System.Environment.GetEnvironmentVariable"
            | "Environment.GetEnvironmentVariable"
            | "std.env.var"
            | "env.var"
            | "dotenv.var"
            | "os.environ.get"
            | "Deno.env.get"
            | "environ.get"
            | "decouple.config" => {
                let mut out = Vec::new();
                if let Some(first) = first
                    && let Some(name) = self.key_text(first)
                {
                    out.push(Value::Env(Rc::from(name)));
                }
                if let Some(default) = args
                    .iter()
                    .skip(1)
                    .find(|arg| arg.name.is_none() || arg.name.as_deref() == Some("default"))
                {
                    merge(&mut out, &self.eval(ExprRef(at.0, default.value)));
                }
                return out;
            }
            // What the command line says holds its default where it says nothing: `flag.String("model", "gemma2:2b", "…")`.
            "flag.String" | "github.com/spf13/pflag.String" if args.len() == 3 => {
                if let Some(default) = args.get(1) {
                    return self.eval(ExprRef(at.0, default.value)).to_vec();
                }
            }
            "dataclasses.field" | "pydantic.Field" | "attrs.field" | "attr.ib" | "field" | "Field" => {
                let mut out = Vec::new();
                for arg in args {
                    let values = self.eval(ExprRef(at.0, arg.value));
                    match arg.name.as_deref() {
                        Some("default_factory" | "factory") => {
                            for value in values.iter() {
                                merge(&mut out, &self.call(value, at));
                            }
                        }
                        Some("default") => merge(&mut out, &values),
                        _ => {}
                    }
                }
                if !out.is_empty() {
                    return out;
                }
            }
            // `getattr(module, "Client", None)`
            "getattr" => {
                if let Some(first) = first
                    && let Some(name) = args.get(1).and_then(|arg| self.key_text(ExprRef(at.0, arg.value)))
                {
                    let mut out = Vec::new();
                    for value in self.eval(first).iter() {
                        merge(&mut out, &self.member(value, &name));
                    }
                    // `getattr(self, "model", "…")`: what is taken where nothing is set.
                    if let Some(default) = args.get(2) {
                        let default = self.eval(ExprRef(at.0, default.value));
                        if default.iter().all(|value| matches!(value, Value::Text(_))) {
                            merge(&mut out, &default);
                        }
                    }
                    return out;
                }
            }
            "importlib.import_module" => {
                if let Some(first) = first
                    && let Some(module) = self.key_text(first)
                {
                    return self.import(at.0, &module, None);
                }
            }
            symbol => {
                if let Some(value) = self.loaded_by(symbol, at) {
                    return vec![value];
                }
            }
        }
        if let Some(values) = self
            .loaded_get(path, at)
            .or_else(|| self.asked_setting(path, at))
            .or_else(|| self.session_get(path, at))
        {
            return values;
        }
        // `Retrofit.Builder()….build().create(ChatApi::class.java)` implements an interface of the project.
        if name == "create"
            && matches!(path.segs.first(), Some(Seg::Name(root)) if root.starts_with("retrofit2"))
            && let Some(class) = first.and_then(|first| self.class_literal(first))
        {
            return vec![Value::Instance(class, None)];
        }
        // A pointer or a lock of Rust stands for what is put into it, and so does its copy.
        if matches!(name, "new" | "clone")
            && let Some(first) = first
            && self.unit(at.0).language == engine_model::Language::Rust
            && matches!(path.segs.iter().rev().nth(1), Some(Seg::Name(of)) if POINTERS.contains(&&**of))
        {
            let inner = self.eval(first);
            if !inner.is_empty() {
                return inner.to_vec();
            }
        }
        // A value that is made when it is first asked for.
        let lazy = matches!(name, "lazy" | "remember" | "memoize" | "memo" | "useMemo" | "useState")
            || (name == "new" && (path.has_name("LazyLock") || path.has_name("Lazy") || path.has_name("LazyCell")))
            || name == "Lazy";
        if lazy {
            let mut out = Vec::new();
            for lambda in self.lambdas_in_args(at) {
                merge(&mut out, &self.results(lambda, None));
            }
            if !out.is_empty() {
                return out;
            }
        }
        // A provider of one's own has models by names of one's own: `customProvider({ languageModels: { small: openai("…") } }).languageModel("small")`.
        let group = match name {
            "languageModel" => Some("languageModels"),
            "imageModel" => Some("imageModels"),
            "textEmbeddingModel" => Some("textEmbeddingModels"),
            _ => None,
        };
        if let Some(group) = group
            && path.has_name("customProvider")
            && let Some(first) = first
            && let Some(made) = path.calls().next()
            && let Some(key) = self.key_text(first)
            && let Expr::Call { args: given, .. } = self.expr(made)
            && let Some(options) = given.first()
        {
            let mut out = Vec::new();
            for options in self.eval(ExprRef(made.0, options.value)).iter() {
                for models in self.member(options, group) {
                    merge(&mut out, &self.element(&models, Some(&key)));
                }
            }
            if !out.is_empty() {
                return out;
            }
        }
        // What a function of the project is registered as is called like the function: `ai.defineFlow({ … }, async (input) => …)`.
        if name == "defineFlow"
            && let Some(lambda) = self.lambdas_in_args(at).pop()
        {
            return vec![Value::Function(lambda)];
        }
        // A frame around other code hands on what that code gives: `withContext(…) { … }`, `tracer.startSpan(…, () => …)`.
        let frame = name
            .strip_prefix("with")
            .is_some_and(|rest| rest.starts_with(char::is_uppercase))
            || matches!(
                name,
                "startSpan" | "startActiveSpan" | "runInContext" | "runBlocking" | "coroutineScope"
            );
        if frame {
            let mut out = Vec::new();
            for lambda in self.lambdas_in_args(at) {
                for value in self.results(lambda, None) {
                    if matches!(&value, Value::Instance(..))
                        || matches!(&value, Value::Path(path) if path.root == Root::Import)
                    {
                        merge(&mut out, &[value]);
                    }
                }
            }
            if !out.is_empty() {
                return out;
            }
        }
        // What was called on stands for the result of methods that hand it on.
        if path.segs.len() > 1 {
            let mut object = (**path).clone();
            object.segs.pop();
            if matches!(
                name,
                "bind"
                    | "with_options"
                    | "withOptions"
                    | "with_retry"
                    | "withRetry"
                    | "with_fallbacks"
                    | "withFallbacks"
            ) && let Some(path) = object.then(Seg::With(at))
            {
                return vec![Value::Path(Rc::new(path))];
            }
            // `ObjectProvider<ChatClient>` hands out what it holds, one or all of them.
            let picks = match name {
                "getObject" | "getIfAvailable" | "getIfUnique" | "stream" | "orderedStream" | "findFirst"
                | "findAny" => args.is_empty(),
                "filter" => true,
                _ => false,
            };
            if picks
                && matches!(object.segs.last(), Some(Seg::Typed))
                && crate::project::is_jvm(self.unit(at.0).language)
            {
                return vec![Value::Path(Rc::new(object))];
            }
            // `prompt.pipe(model).pipe(parser)` is a chain that runs all its parts.
            if name == "pipe"
                && let Some(Seg::Name(module)) = path.segs.first()
                && (module.starts_with("@langchain") || module.starts_with("langchain"))
            {
                if object.has_name("RunnableSequence") {
                    return vec![Value::Path(Rc::new(object))];
                }
                let model = first.is_some_and(|first| {
                    self.eval(first).iter().any(|value| {
                        matches!(value, Value::Path(path) if path.calls().next().is_some()
                            && path.segs.iter().all(|seg| !matches!(seg, Seg::Name(name) if name.contains("Parser") || name.contains("Template"))))
                    })
                });
                if model {
                    return vec![Value::Path(Rc::new(Path {
                        root: Root::Import,
                        segs: vec![
                            Seg::Name(Rc::from("@langchain/core/runnables")),
                            Seg::Name(Rc::from("RunnableSequence")),
                            Seg::Name(Rc::from("from")),
                            Seg::Call(at),
                        ],
                    }))];
                }
            }
            // `String.format(pattern, …)` is no method of a text, and gives what it is handed.
            let of_type = matches!(object.segs.as_slice(), [Seg::Name(root)] if matches!(&**root, "String" | "string"));
            let is_handed_on = !of_type && TRANSPARENT.contains(&name) || self.is_cut(at);
            if is_handed_on || matches!(name, "remote" | "catch" | "finally") {
                return vec![Value::Path(Rc::new(object))];
            }
            // `import("x").then((x) => new x.Client())`
            if name == "then"
                && let Some(Value::Function(next)) = first.and_then(|first| self.eval(first).first().cloned())
                && path.calls().next().is_none()
            {
                let object = Value::Path(Rc::new(object));
                let mut out = Vec::new();
                for value in self.results(next, None) {
                    match &value {
                        Value::Path(path) if path.root == Root::Param(next, 0) => {
                            merge(&mut out, &self.replay(&object, &path.segs));
                        }
                        _ => merge(&mut out, &[value]),
                    }
                }
                return out;
            }
            if FALLS_BACK.contains(&name) || matches!(name, "unwrap_or_default") {
                let mut out = vec![Value::Path(Rc::new(object))];
                merge(&mut out, &self.fallback(at));
                return out;
            }
        }
        path.then(Seg::Call(at))
            .map(|path| Value::Path(Rc::new(path)))
            .into_iter()
            .collect()
    }

    /// What a call gives where there is nothing else: its argument, or what the function gives that it was handed.
    fn fallback(&self, at: ExprRef) -> Vec<Value> {
        let mut out = Vec::new();
        let Expr::Call { args, .. } = self.expr(at) else {
            return out;
        };
        for arg in args.iter().take(2) {
            for value in self.eval(ExprRef(at.0, arg.value)).iter() {
                match value {
                    Value::Function(function) => merge(&mut out, &self.results(*function, None)),
                    value => merge(&mut out, std::slice::from_ref(value)),
                }
            }
        }
        out
    }

    /// The class of the project that a literal of a class names: `Api::class.java`, `Api.class`.
    pub(crate) fn class_literal(&self, at: ExprRef) -> Option<ClassRef> {
        let mut inner = at;
        for _ in 0..4 {
            match self.expr(inner) {
                Expr::Name(name) => return self.class_near(inner.0, name),
                Expr::Member { object, .. } => inner = ExprRef(at.0, *object),
                Expr::Other(parts) => inner = ExprRef(at.0, *parts.first()?),
                _ => return None,
            }
        }
        None
    }

    /// What a function of the project gives back, with its parameters replaced when the call is known.
    pub(crate) fn results(&self, function: FunctionRef, at: Option<ExprRef>) -> Vec<Value> {
        let mut out = Vec::new();
        let returns = &self.index(function.0).returns[function.1.0 as usize];
        // What stands in for a setting that is missing tells nothing of it. A page asks its own server by an address without a host.
        let stands_in = returns.len() > 1 && !crate::project::is_script(self.unit(function.0).language);
        for value in returns.iter().rev() {
            for value in self.eval(ExprRef(function.0, *value)).iter() {
                match value {
                    Value::Text(parts) if stands_in && matches!(&parts[..], [Part::Known(text)] if text.is_empty()) => {
                    }
                    Value::Path(path) if matches!(path.root, Root::Param(of, _) if of == function) => match at {
                        Some(at) => merge(&mut out, &self.replace_params(value, at)),
                        None => merge(&mut out, std::slice::from_ref(value)),
                    },
                    value => merge(&mut out, std::slice::from_ref(value)),
                }
            }
        }
        // What a crate hands out of which nothing is known tells less than the type that is declared.
        let language = self.unit(function.0).language;
        let tells = |path: &Path| {
            path.root == Root::Import
                && (language != engine_model::Language::Rust
                    || matches!(path.segs.first(), Some(Seg::Name(first)) if crate::shapes::knows_root(language, first)))
        };
        let informed = out.iter().any(|value| {
            matches!(value, Value::Instance(..) | Value::Text(_) | Value::Literal(_))
                || matches!(value, Value::Path(path) if tells(path))
        });
        if !informed && let Some(declared) = &self.function(function).returns {
            merge(&mut out, &self.typed(function.0, declared, 0));
            // `-> Result<Self, Error>` gives the class around the function.
            if language == engine_model::Language::Rust
                && names_self(declared)
                && let Some(class) = self.function(function).class
            {
                merge(&mut out, &[Value::Instance(ClassRef(function.0, class), None)]);
            }
        }
        out
    }

    /// A value whose root is a parameter, seen from one call of that function.
    pub(super) fn replace_params(&self, value: &Value, at: ExprRef) -> Vec<Value> {
        let Value::Path(path) = value else {
            return vec![value.clone()];
        };
        let Root::Param(function, position) = path.root else {
            return vec![value.clone()];
        };
        let mut out = Vec::new();
        if let Some(arg) = self.argument_for(function, position, at) {
            for given in self.eval(arg).iter() {
                merge(&mut out, &self.replay(given, &path.segs));
            }
        } else if let Some(default) = self.function(function).params[position as usize].default {
            for given in self.eval(ExprRef(function.0, default)).iter() {
                merge(&mut out, &self.replay(given, &path.segs));
            }
        }
        if out.is_empty() {
            out.push(value.clone());
        }
        out
    }

    /// The argument of a call that a parameter gets.
    pub(crate) fn argument_for(&self, function: FunctionRef, position: u32, at: ExprRef) -> Option<ExprRef> {
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        let param = &self.function(function).params[position as usize];
        // What an extension method is called on is its first parameter.
        let extended = self.extended_at(function, at);
        if position == 0 && extended.is_some() {
            return extended;
        }
        // Behind a function that is handed over stand its arguments: `to_thread(f, a, b)`.
        let handed = self.handed_over(at).map_or(0, |behind| behind + 1);
        let position = position as usize + handed - usize::from(extended.is_some());
        let name = match &param.pattern {
            engine_syntax::ir::Pattern::Name(name) => Some(&**name),
            _ => None,
        };
        let by_name = args
            .iter()
            .find(|arg: &&Arg| arg.name.is_some() && arg.name.as_deref() == name);
        let arg = by_name.or_else(|| args.get(position).filter(|arg| arg.name.is_none() && !arg.spread))?;
        Some(ExprRef(at.0, arg.value))
    }

    /// The position of the function that a call hands to another thread, task or pool.
    pub(super) fn handed_over(&self, at: ExprRef) -> Option<usize> {
        let Expr::Call { callee, .. } = self.expr(at) else {
            return None;
        };
        match self.expr(ExprRef(at.0, *callee)) {
            Expr::Member { name, .. } | Expr::Name(name) => match &**name {
                "to_thread" | "submit" | "run_sync" | "apply_async" | "run_in_threadpool" | "add_task" | "map"
                | "starmap" | "imap" | "call_soon" | "sync_to_async" | "defer" => Some(0),
                "run_in_executor" => Some(1),
                _ => None,
            },
            _ => None,
        }
        .filter(|_| crate::project::is_python(self.unit(at.0).language))
    }

    /// What a coroutine gives that a call runs to its end: `asyncio.run(Client.create())`.
    pub(super) fn waited_for(&self, at: ExprRef) -> Vec<Value> {
        let Expr::Call { callee, args, .. } = self.expr(at) else {
            return Vec::new();
        };
        let Expr::Member { object, name } = self.expr(ExprRef(at.0, *callee)) else {
            return Vec::new();
        };
        let of_asyncio =
            matches!(self.expr(ExprRef(at.0, *object)), Expr::Name(of) if matches!(&**of, "asyncio" | "anyio"));
        let runs = match &**name {
            "run" | "wait_for" | "create_task" | "ensure_future" => of_asyncio,
            "run_until_complete" => true,
            _ => false,
        };
        let Some(arg) = args
            .first()
            .filter(|_| runs && crate::project::is_python(self.unit(at.0).language))
        else {
            return Vec::new();
        };
        self.eval(ExprRef(at.0, arg.value)).to_vec()
    }

    /// Functions of libraries that a call hands to a thread, a task or a pool: `to_thread(client.ask, x)`, `Thread(target=model)`.
    pub(crate) fn handed_paths(&self, at: ExprRef) -> Vec<Value> {
        let Expr::Call { callee, args, .. } = self.expr(at) else {
            return Vec::new();
        };
        if !crate::project::is_python(self.unit(at.0).language) {
            return Vec::new();
        }
        let name = match self.expr(ExprRef(at.0, *callee)) {
            Expr::Member { name, .. } | Expr::Name(name) => &**name,
            _ => return Vec::new(),
        };
        let arg = match name {
            "Thread" | "Process" | "Timer" => args.iter().find(|arg| arg.name.as_deref() == Some("target")),
            // What only stands ready is run where it is called.
            "sync_to_async" => None,
            _ => self.handed_over(at).and_then(|position| args.get(position)),
        };
        let Some(arg) = arg else {
            return self.run_by_helper(at);
        };
        let given = self.expand(&self.eval(ExprRef(at.0, arg.value)));
        given
            .into_iter()
            .filter(|value| matches!(value, Value::Path(path) if path.root == Root::Import && path.segs.len() > 1))
            .collect()
    }

    /// Methods of libraries that a call hands to a function of the project which runs whatever it is handed with what stands behind it:
    /// `with_retry(self.chat.send_message, prompt)` beside `def with_retry(fn, *args, **kwargs): return fn(*args, **kwargs)`.
    fn run_by_helper(&self, at: ExprRef) -> Vec<Value> {
        let Expr::Call { callee, args, .. } = self.expr(at) else {
            return Vec::new();
        };
        let module = self.module(at.0);
        let named = |at: ExprId| matches!(module.expr(at), Expr::Member { .. } | Expr::Name(_));
        if !args.iter().any(|arg| !arg.spread && named(arg.value)) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for value in self.eval(ExprRef(at.0, *callee)).iter() {
            let Value::Function(helper) = value else { continue };
            let Some(position) = self.runs_what_it_is_handed(*helper) else {
                continue;
            };
            let Some(given) = self.argument_for(*helper, position, at) else {
                continue;
            };
            if !named(given.1) {
                continue;
            }
            let given = self.expand(&self.eval(given));
            out.extend(given.into_iter().filter(
                |value| matches!(value, Value::Path(path) if path.root == Root::Import && path.segs.len() > 1),
            ));
        }
        out
    }

    /// The parameter that a function of Python runs with nothing but the rest of what it is handed.
    pub(crate) fn runs_what_it_is_handed(&self, function: FunctionRef) -> Option<u32> {
        self.known_or(&self.known.runs, function, || {
            let index = self.index(function.0);
            index.calls_of(Some(function.1)).into_iter().find_map(|call| {
                let position = self.runs_a_parameter(ExprRef(function.0, call))?;
                (index.named_function_of(call) == Some(function.1)).then_some(position)
            })
        })
    }

    /// The parameter of the function around a call that the call runs with nothing but the rest of what that function is handed.
    pub(crate) fn runs_a_parameter(&self, at: ExprRef) -> Option<u32> {
        let Expr::Call { callee, args, .. } = self.expr(at) else {
            return None;
        };
        let index = self.index(at.0);
        if !crate::project::is_python(self.unit(at.0).language) {
            return None;
        }
        // What runs in a thread stands in front of what it is handed there: `to_thread(fn, *args)`.
        let (run, behind) = match self.handed_over(at) {
            Some(position) => (args.get(position)?.value, args.get(position + 1..)?),
            None => (*callee, args.as_slice()),
        };
        let Expr::Name(name) = index.module.expr(run) else {
            return None;
        };
        if behind.is_empty() {
            return None;
        }
        let params = &index.module.function(index.named_function_of(at.1)?).params;
        let is = |param: &engine_syntax::ir::Param, name: &str| matches!(&param.pattern, engine_syntax::ir::Pattern::Name(own) if **own == *name);
        let rest = behind.iter().all(|arg| {
            arg.spread
                && matches!(index.module.expr(arg.value), Expr::Name(given) if params.iter().any(|param| param.rest && is(param, given)))
        });
        let position = params.iter().position(|param| !param.rest && is(param, name))?;
        rest.then(|| crate::values::id(position))
    }

    /// Whether a call only runs what its function was handed, and the places are seen that hand it in: these ask, and not this line.
    pub(crate) fn is_run_for_others(&self, at: ExprRef) -> bool {
        if self.runs_a_parameter(at).is_none() {
            return false;
        }
        let Some(helper) = self.named_function_of(at) else {
            return false;
        };
        self.known_or(&self.known.runs_for, helper, || {
            let callers = self.callers_of(helper);
            callers
                .iter()
                .take(CALLERS_MAX)
                .any(|caller| !self.run_by_helper(*caller).is_empty())
        })
    }

    /// Takes the steps of a path again from another start.
    pub(super) fn replay(&self, start: &Value, segs: &[Seg]) -> Vec<Value> {
        let mut values = vec![start.clone()];
        for seg in segs {
            let mut next = Vec::new();
            for value in &values {
                let part = match seg {
                    Seg::Name(name) => self.member(value, name),
                    Seg::Call(at) => self.call(value, *at),
                    Seg::Index => self.element(value, None),
                    Seg::Key(key) => {
                        let part = self.element(value, Some(key));
                        if part.is_empty() {
                            self.element(value, None)
                        } else {
                            part
                        }
                    }
                    Seg::Typed => vec![value.clone()],
                    Seg::With(_) => match value {
                        Value::Path(path) => path
                            .then(seg.clone())
                            .map(|path| Value::Path(Rc::new(path)))
                            .into_iter()
                            .collect(),
                        other => vec![other.clone()],
                    },
                };
                merge(&mut next, &part);
            }
            values = next;
            if values.is_empty() {
                break;
            }
        }
        values
    }

    /// Values with parameters replaced by what the callers of the function give.
    pub(crate) fn expand(&self, values: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        for value in values {
            if out.len() >= VALUES_MAX {
                break;
            }
            match value {
                Value::Path(path) => self.expand_path(value, path, &mut out),
                value => merge(&mut out, std::slice::from_ref(value)),
            }
        }
        out
    }

    fn expand_path(&self, value: &Value, path: &Path, out: &mut Vec<Value>) {
        let Root::Param(function, position) = path.root else {
            merge(out, std::slice::from_ref(value));
            if path.segs.contains(&Seg::Typed) {
                merge(out, &self.out_of_context(path));
            }
            return;
        };
        let seen = self.seen_from.borrow();
        let seen = seen.iter().rev().find(|(of, _)| *of == function).copied();
        if let Some((_, caller)) = seen {
            // Functions that call one another in a circle lead nowhere.
            let deep = self.depth.get() >= super::DEPTH_MAX;
            self.depth.set(self.depth.get() + 1);
            for given in self.replace_params(value, caller) {
                if given == *value || deep {
                    merge(out, std::slice::from_ref(value));
                } else {
                    merge(out, &self.expand(std::slice::from_ref(&given)));
                }
            }
            self.depth.set(self.depth.get() - 1);
            return;
        }
        if self.left_open.get() {
            merge(out, std::slice::from_ref(value));
            return;
        }
        let from = self.param_values(function, position);
        for given in &from {
            if out.len() >= VALUES_MAX {
                break;
            }
            merge(out, &self.replay(given, &path.segs));
        }
        if from.is_empty() {
            let found = self.out_of_context(path);
            let kept = if found.is_empty() {
                std::slice::from_ref(value)
            } else {
                &found
            };
            merge(out, kept);
        }
    }

    /// What a lambda gets that waits for a value: `getClient().then((client) => client.ask())`.
    fn handed_to_lambda(&self, function: FunctionRef) -> Vec<Value> {
        let Some(lambda) = self.index(function.0).function_expr[function.1.0 as usize] else {
            return Vec::new();
        };
        let Some(call) = self.parent(ExprRef(function.0, lambda)) else {
            return Vec::new();
        };
        let Expr::Call { callee, args, .. } = self.expr(call) else {
            return Vec::new();
        };
        match self.module(function.0).expr(*callee) {
            Expr::Member { object, name }
                if args.first().is_some_and(|arg| arg.value == lambda)
                    && matches!(
                        &**name,
                        "then" | "thenApply" | "thenCompose" | "thenAccept" | "let" | "also" | "use"
                    ) =>
            {
                let given = self.eval(ExprRef(function.0, *object));
                self.expand(&given)
            }
            _ => Vec::new(),
        }
    }

    /// What the callers of a function, or its default, give to a parameter.
    pub(crate) fn param_values(&self, function: FunctionRef, position: u32) -> Vec<Value> {
        if let Some(known) = self.params.borrow().get(&(function, position)) {
            return known.clone();
        }
        if self.active_params.borrow().len() > 4 || !self.active_params.borrow_mut().insert((function, position)) {
            self.cut();
            return Vec::new();
        }
        let mut out = Vec::new();
        // A default counts where somebody leaves the parameter to it, and where nobody is known to give a text in its place; what tests
        // give says nothing of the product.
        let (mut gives, mut leaves) = (false, false);
        for (number, caller) in self.callers_of(function).iter().enumerate() {
            let arg = self.argument_for(function, position, *caller);
            if self.unit(caller.0).zone == self.unit(function.0).zone {
                gives |= arg.is_some();
                leaves |= arg.is_none();
            }
            if let Some(arg) = arg.filter(|_| number < CALLERS_MAX) {
                let values = self.eval(arg);
                merge(&mut out, &self.expand(&values));
            }
        }
        if let Some(default) = self.function(function).params[position as usize].default
            && (leaves || !gives || !out.iter().any(|value| matches!(value, Value::Text(_))))
        {
            merge(&mut out, &self.eval(ExprRef(function.0, default)));
        }
        if out.is_empty() && position == 0 {
            merge(&mut out, &self.handed_to_lambda(function));
        }
        self.active_params.borrow_mut().remove(&(function, position));
        self.params.borrow_mut().insert((function, position), out.clone());
        out
    }

    /// Evaluates every callee once and notes which functions of the project are called where.
    pub(crate) fn link(&self) {
        let own = self.own_names();
        for _ in 0..2 {
            let mut callers: rustc_hash::FxHashMap<FunctionRef, Vec<ExprRef>> = rustc_hash::FxHashMap::default();
            let mut constructions: rustc_hash::FxHashMap<ClassRef, Vec<ExprRef>> = rustc_hash::FxHashMap::default();
            for unit in 0..crate::values::id(self.units.len()) {
                let marked = self.holds_tests(unit);
                for call in &self.index(unit).calls {
                    let at = ExprRef(unit, *call);
                    if self.is_foreign(at, &own) {
                        continue;
                    }
                    // What a test hands to the product is no value of the product.
                    let tries = marked && self.is_test(at);
                    if let Expr::Call { callee, args, .. } = self.expr(at)
                        && !args.is_empty()
                    {
                        for value in self.eval(ExprRef(unit, *callee)).iter() {
                            if let Value::Class(class) = value
                                && !(tries && self.unit(class.0).zone != Zone::Test)
                            {
                                constructions.entry(*class).or_default().push(at);
                            }
                        }
                    }
                    // Places come in order, and each names a function once.
                    for function in self.callees(at).iter().copied() {
                        if !tries || self.is_of_test(function) {
                            callers.entry(function).or_default().push(at);
                        }
                    }
                }
            }
            let callers = callers
                .into_iter()
                .map(|(function, places)| (function, places.into()))
                .collect();
            // What was evaluated holds as long as it was evaluated with the same callers.
            let settled = *self.callers.borrow() == callers && *self.constructions.borrow() == constructions;
            *self.callers.borrow_mut() = callers;
            *self.constructions.borrow_mut() = constructions;
            if settled {
                break;
            }
            *self.memo.borrow_mut() = crate::world::Remembered::default();
            self.exports.borrow_mut().clear();
            self.params.borrow_mut().clear();
            self.known.blocks.clear();
            self.known.elsewhere.clear();
        }
        self.known.is_linked.set(true);
    }

    /// Names under which something of the project can be called as a member: functions, classes, fields, entries, and what
    /// modules bind.
    fn own_names(&self) -> rustc_hash::FxHashSet<&str> {
        let mut out: rustc_hash::FxHashSet<&str> = rustc_hash::FxHashSet::default();
        for unit in &self.units {
            let index = &unit.index;
            let module = index.module;
            out.extend(module.functions.iter().filter_map(|function| function.name.as_deref()));
            for class in &module.classes {
                out.extend(class.name.as_deref());
                out.extend(class.fields.iter().map(|field| &*field.name));
            }
            #[expect(clippy::iter_over_hash_type, reason = "the names go into a set")]
            for (_, name) in index.fields.keys() {
                out.insert(name);
            }
            out.extend(index.scopes[0].names.keys().copied());
            for expr in &module.exprs {
                if let Expr::Map(entries) = &expr.kind {
                    for entry in entries {
                        if let Some(key) = entry.key
                            && let Expr::Str(name) | Expr::Name(name) = module.expr(key)
                        {
                            out.insert(name);
                        }
                    }
                }
            }
        }
        out
    }

    /// Whether a call is of a member that nothing in the project has by that name.
    fn is_foreign(&self, at: ExprRef, own: &rustc_hash::FxHashSet<&str>) -> bool {
        let Expr::Call { callee, .. } = self.expr(at) else {
            return true;
        };
        let Expr::Member { name, .. } = self.expr(ExprRef(at.0, *callee)) else {
            return false;
        };
        !own.contains(&**name)
            && !matches!(
                &**name,
                "bind" | "call" | "apply" | "remote" | "delay" | "invoke" | "new"
            )
            && !TAKES_OUT.contains(&&**name)
            && self.handed_over(at).is_none()
    }

    /// The functions of the project that a call runs directly: constructors count.
    pub(crate) fn callees(&self, at: ExprRef) -> Rc<[FunctionRef]> {
        if self.known.is_linked.get() {
            self.known_or(&self.known.callees, at, || self.callees_now(at).into())
        } else {
            self.callees_now(at).into()
        }
    }

    /// The function that a library was handed to make the called thing of: `const answer = ai.defineFlow({ … }, async (input) => …)` is called as
    /// `answer(input)`.
    pub(crate) fn wrapped_by(&self, path: &Path) -> Option<FunctionRef> {
        let [.., Seg::Name(name), Seg::Call(made)] = path.segs.as_slice() else {
            return None;
        };
        let is_named = WRAPS.contains(&&**name)
            || ["define", "wrap", "with"].iter().any(|start| {
                name.strip_prefix(start)
                    .is_some_and(|rest| rest.starts_with(char::is_uppercase))
            });
        let Expr::Call { args, .. } = self.expr(*made) else {
            return None;
        };
        if !is_named {
            return None;
        }
        let mut functions = args.iter().filter_map(|arg| {
            let arg = ExprRef(made.0, arg.value);
            match self.expr(arg) {
                Expr::Function(function) => Some(FunctionRef(arg.0, *function)),
                Expr::Name(_) => self.eval(arg).iter().find_map(|value| match value {
                    Value::Function(function) => Some(*function),
                    _ => None,
                }),
                _ => None,
            }
        });
        // Of several it is open which one runs.
        let only = functions.next()?;
        functions.next().is_none().then_some(only)
    }

    /// What the getter of a handler of `Proxy` reads its members from.
    fn stood_for(&self, handler: ExprRef) -> Vec<Value> {
        let mut out = Vec::new();
        let Expr::Map(entries) = self.expr(handler) else {
            return out;
        };
        for entry in entries {
            let is_getter = entry
                .key
                .is_some_and(|key| matches!(self.expr(ExprRef(handler.0, key)), Expr::Str(name) | Expr::Name(name) if &**name == "get"));
            let Expr::Function(function) = self.expr(ExprRef(handler.0, entry.value)) else {
                continue;
            };
            if !is_getter {
                continue;
            }
            for returned in &self.index(handler.0).returns[function.0 as usize] {
                let mut read = *returned;
                while let Expr::Cast { value, .. } = self.expr(ExprRef(handler.0, read)) {
                    read = *value;
                }
                let from = match self.expr(ExprRef(handler.0, read)) {
                    Expr::Index { object, .. } => Some(*object),
                    Expr::Call { callee, args, .. } => {
                        let reflects = matches!(self.expr(ExprRef(handler.0, *callee)), Expr::Member { object, name } if &**name == "get" && matches!(self.expr(ExprRef(handler.0, *object)), Expr::Name(of) if &**of == "Reflect"));
                        args.first().filter(|_| reflects).map(|arg| arg.value)
                    }
                    _ => None,
                };
                if let Some(from) = from {
                    merge(&mut out, &self.eval(ExprRef(handler.0, from)));
                }
            }
        }
        out
    }

    fn callees_now(&self, at: ExprRef) -> Vec<FunctionRef> {
        let Expr::Call { callee, .. } = self.expr(at) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        if let Some(position) = self.handed_over(at)
            && let Expr::Call { args, .. } = self.expr(at)
            && let Some(arg) = args.get(position)
        {
            for value in self.eval(ExprRef(at.0, arg.value)).iter() {
                if let Value::Function(function) = value
                    && self.function(*function).name.is_some()
                {
                    out.push(*function);
                }
            }
        }
        if let Expr::Name(name) = self.expr(ExprRef(at.0, *callee))
            && &**name == "super"
        {
            for base in self.bases_around(at) {
                out.extend(self.constructor(base));
            }
            return out;
        }
        let values = self.eval(self.without_types(ExprRef(at.0, *callee)));
        for value in self.expand(&values) {
            match value {
                Value::Function(function) => out.push(function),
                Value::Class(class) => out.extend(self.constructor(class)),
                Value::Instance(class, _) => {
                    out.extend(self.method(class, "__call__"));
                    out.extend(self.method(class, "invoke"));
                }
                Value::Path(path) => out.extend(self.wrapped_by(&path)),
                _ => {}
            }
        }
        if out.is_empty() {
            out = self.extensions(at, &values);
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The classes of the project which that around a place extends.
    pub(crate) fn bases_around(&self, at: ExprRef) -> Vec<ClassRef> {
        let index = self.index(at.0);
        let Some(class) = index.class_of_scope(index.expr_scope[at.1.0 as usize]) else {
            return Vec::new();
        };
        self.bases_of(ClassRef(at.0, class))
    }

    /// The classes of the project which a class extends.
    pub(super) fn bases_of(&self, own: ClassRef) -> Vec<ClassRef> {
        self.class_parts(own)
            .into_iter()
            .flat_map(|part| {
                let bases = &self.module(part.0).class(part.1).bases;
                bases.iter().filter_map(move |base| self.project_class(part.0, base))
            })
            .filter(|base| *base != own)
            .collect()
    }

    pub(crate) fn constructor(&self, class: ClassRef) -> Vec<FunctionRef> {
        let own = self.module(class.0).class(class.1).name.clone();
        let mut out = Vec::new();
        for name in ["__init__", "constructor", "<init>"] {
            out.extend(self.method(class, name));
        }
        if let Some(name) = own {
            out.extend(self.method(class, &name));
        }
        out
    }
}

/// Whether a type of Rust is, or wraps, that of the class around it.
fn names_self(declared: &TypeRef) -> bool {
    &*declared.name == "Self" || super::WRAPPERS.contains(&&*declared.name) && declared.args.iter().any(names_self)
}
