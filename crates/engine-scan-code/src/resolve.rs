//! Evaluation: what an expression can stand for, over imports, fields, functions and files.

mod calling;
mod collections;
mod composed_values;
pub(crate) mod context;
mod defaults;
mod extensions;
mod members;
pub(crate) mod modules;
pub(crate) mod php;
pub(crate) mod ruby;
mod schemas;
mod session;
mod types;

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::{Arg, Expr, ExprId, StmtKind};

use crate::index::{BindSource, Binding, NONE, ScopeKind, Step};
use crate::memo::Star;
use crate::origins::Origin;
use crate::project::{is_jvm, is_python, is_script};
use crate::shapes;
use crate::values::{ClassRef, ExprRef, FunctionRef, Part, Path, Root, Seg, Value};
use crate::world::World;

/// An expression stands for at most this many values; more say less.
pub(super) const VALUES_MAX: usize = 6;

/// Evaluation follows no longer chain of expressions.
const DEPTH_MAX: u32 = 80;

/// Ways in which one name gets its value that are joined at a time: a name that is set again and again would otherwise be
/// asked for all of them at each place where it stands.
const BLOCK: usize = 64;

/// Work for one project; a project beyond it gets fewer resolved names, never an endless scan.
pub(crate) const STEPS_MAX: u64 = 8_000_000;

/// The same for a small project: as many for any, and some for each of its expressions.
pub(crate) const STEPS_MIN: u64 = 1_000_000;
pub(crate) const STEPS_OF_EACH: u64 = 20;

/// Types that only wrap another one.
const WRAPPERS: [&str; 35] = [
    "IOptions",
    "IOptionsSnapshot",
    "IOptionsMonitor",
    "Optional",
    "|",
    "Annotated",
    "Promise",
    "Awaitable",
    "Arc",
    "Rc",
    "Box",
    "Mutex",
    "RwLock",
    "Lazy",
    "OnceCell",
    "OnceLock",
    "LazyLock",
    "Task",
    "ValueTask",
    "ObjectProvider",
    "Provider",
    "Option",
    "Result",
    "Mono",
    "Supplier",
    "ClassVar",
    "Final",
    "Readonly",
    "Partial",
    "NonNullable",
    "Ref",
    "Func",
    "State",
    "Data",
    "Extension",
];

/// Methods that hand out what they are called on.
pub(super) const TRANSPARENT: [&str; 38] = [
    "ConfigureAwait",
    "asStateFlow",
    "as_bytes",
    "as_mut",
    "as_ref",
    "as_str",
    "borrow",
    "clone",
    "deref",
    "encode",
    "encodeToByteArray",
    "expect",
    "format",
    "formatted",
    "getBytes",
    "get_or_init",
    "into",
    "into_bytes",
    "lock",
    "map_err",
    "ok_or",
    "ok_or_else",
    "orElseThrow",
    "read",
    "removesuffix",
    "rstrip",
    "strip",
    "toByteArray",
    "toRequestBody",
    "toString",
    "to_owned",
    "to_string",
    "trim",
    "trimIndent",
    "trimMargin",
    "unwrap",
    "unwrap_or_default",
    "valueOf",
];

/// Methods that give back what was put into a collection.
const TAKES_OUT: [&str; 12] = [
    "get",
    "getOrDefault",
    "computeIfAbsent",
    "getOrPut",
    "setdefault",
    "pop",
    "at",
    "values",
    "GetOrAdd",
    "GetOrCreate",
    "GetOrCreateAsync",
    "GetValueOrDefault",
];

/// Those of them that are handed a function for what is not there yet.
const MAKES: [&str; 5] = [
    "computeIfAbsent",
    "getOrPut",
    "GetOrAdd",
    "GetOrCreate",
    "GetOrCreateAsync",
];

/// Functions of Java, Kotlin and C# that fail where a value is missing, and give it back otherwise.
const GUARDS: [&str; 11] = [
    "requireNonNull",
    "requireNonNullElse",
    "checkNotNull",
    "requireNotNull",
    "verifyNotNull",
    "ThrowIfNull",
    "NotNull",
    "CheckNotNull",
    "ArgumentNotNull",
    "IsNotNull",
    "ThrowIfArgumentIsNull",
];

/// The word by which a language names what the class around extends.
fn above(language: Language) -> &'static str {
    match language {
        Language::CSharp => "base",
        _ => "super",
    }
}

/// Whether a value is what a collection of a standard library gives, of which nothing more is known.
fn is_of_collections(value: &Value) -> bool {
    const COLLECTIONS: [&str; 5] = [
        "java.util.",
        "kotlin.collections.",
        "System.Collections.",
        "Microsoft.Extensions.Caching.",
        "com.github.benmanes.caffeine.",
    ];
    matches!(value, Value::Path(path) if path.root == Root::Import && {
        let symbol = path.symbol();
        COLLECTIONS.iter().any(|of| symbol.starts_with(of))
    })
}

/// Classes that stand for an interface which itself is not looked at.
const IMPLEMENTERS_MAX: usize = 3;

/// Types of requests that are made in one function and sent in another.
const REQUESTS: [&str; 8] = [
    "Request",
    "HttpRequest",
    "HttpRequestMessage",
    "HttpUriRequest",
    "HttpPost",
    "RestRequest",
    "ClientRequest",
    "HttpRequestBuilder",
];

/// Values that were put into one collection and are looked at.
const PUT_MAX: usize = 24;

/// Whether a value is an object: of a class of the project, or made by a call of a library.
fn is_made(value: &Value) -> bool {
    match value {
        Value::Instance(..) => true,
        Value::Path(path) => path.root == Root::Import && path.calls().next().is_some(),
        _ => false,
    }
}

/// Whether one of these values is a thing of a library that was made, or an object of the project.
fn leads_on(values: &[Value]) -> bool {
    values.iter().any(|value| match value {
        Value::Instance(..) | Value::Text(_) | Value::Env(_) | Value::Number(_) | Value::Literal(_) => true,
        Value::Path(path) => path.root == Root::Import,
        _ => false,
    })
}

/// Whether something stands for an object that the project or a library made.
fn gives_an_object(values: &[Value]) -> bool {
    values.iter().any(|value| match value {
        Value::Instance(..) => true,
        Value::Path(path) => path.root == Root::Import,
        _ => false,
    })
}

pub(crate) type Values = Rc<[Value]>;

fn one(value: Value) -> Values {
    Rc::from([value])
}

fn none() -> Values {
    Rc::from([])
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(Rc::from([Part::Known(Rc::from(text))]))
}

/// Adds values up to the limit, without doubles and without "unknown".
pub(super) fn merge(into: &mut Vec<Value>, values: &[Value]) {
    for value in values {
        if into.len() < VALUES_MAX && *value != Value::Unknown && !into.contains(value) {
            into.push(value.clone());
        }
    }
}

/// First parts of the names of packages of Java and Kotlin.
const PACKAGES: [&str; 8] = ["ai", "com", "dev", "io", "java", "javax", "okhttp3", "org"];

impl World<'_> {
    /// What an expression can stand for.
    pub(crate) fn eval(&self, at: ExprRef) -> Values {
        // A literal is what it is: remembering it would only keep a second copy of its text.
        if matches!(
            self.expr(at),
            Expr::Str(_) | Expr::Number(_) | Expr::Bool(_) | Expr::Null | Expr::List(_) | Expr::Map(_)
        ) {
            return self.eval_now(at);
        }
        if let Some(known) = self.remembered(at) {
            return known;
        }
        self.steps.set(self.steps.get() + 1);
        if self.depth.get() >= DEPTH_MAX || self.steps.get() > self.steps_max || !self.active.borrow_mut().insert(at) {
            self.cut();
            return none();
        }
        self.depth.set(self.depth.get() + 1);
        let values = self.eval_now(at);
        self.depth.set(self.depth.get() - 1);
        self.active.borrow_mut().remove(&at);
        self.remember(at, values)
    }

    pub(super) fn eval_now(&self, at: ExprRef) -> Values {
        let ExprRef(unit, id) = at;
        match self.expr(at) {
            Expr::Name(name) => self.lookup(unit, self.index(unit).expr_scope[id.0 as usize], name),
            Expr::Member { object, name } => {
                let language = self.unit(unit).language;
                if language == Language::Ruby
                    && name.starts_with(char::is_uppercase)
                    && let Some(written) = self.written_constant(at)
                {
                    let scope = self.index(unit).expr_scope[id.0 as usize];
                    return self.constant_of_ruby(unit, scope, &written).into();
                }
                // What the build writes into a program of Android.
                if is_jvm(language)
                    && matches!(self.expr(ExprRef(unit, *object)), Expr::Name(of) if &**of == "BuildConfig")
                {
                    let values = self.setting(unit, &format!("BuildConfig.{name}"));
                    if !values.is_empty() {
                        return values.into();
                    }
                }
                let mut out = Vec::new();
                let as_field = matches!(language, Language::Php | Language::Ruby) && !self.is_called(at);
                for value in self.eval(ExprRef(unit, *object)).iter() {
                    self.as_field.set(as_field);
                    merge(&mut out, &self.member(value, name));
                }
                self.as_field.set(false);
                // What a reference of a component holds is what was put into it.
                let holder =
                    &**name == "current" && matches!(out.as_slice(), [Value::Path(path)] if path.has_name("useRef"));
                if out.is_empty() || holder {
                    let mut held = self.mutated(ExprRef(unit, *object), name);
                    merge(&mut held, &out);
                    out = held;
                }
                out.into()
            }
            Expr::Index { object, key } => {
                if self.unit(unit).language == Language::CSharp
                    && let Some(key) = self.setting_key(at)
                {
                    let values = self.setting(unit, &key);
                    return if values.is_empty() {
                        one(Value::Env(Rc::from(key)))
                    } else {
                        values.into()
                    };
                }
                let keys = self.eval(ExprRef(unit, *key));
                let brackets = ExprRef(unit, *key);
                let key = keys.iter().find_map(|value| match value {
                    Value::Text(parts) => crate::values::constant(parts),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                });
                let mut out = Vec::new();
                for value in self.eval(ExprRef(unit, *object)).iter() {
                    // `ClientDep = Annotated[Client, Depends(get_client)]` names a type.
                    if let Value::Path(path) = value
                        && path.last_name() == Some("Annotated")
                    {
                        return self.annotated(brackets).into();
                    }
                    merge(&mut out, &self.element(value, key.as_deref()));
                }
                // One of several keys that is in no table says nothing of the others.
                if out.is_empty() && keys.len() > 1 && key.is_some() {
                    for value in self.eval(ExprRef(unit, *object)).iter() {
                        merge(&mut out, &self.element(value, None));
                    }
                }
                if !leads_on(&out) {
                    merge(&mut out, &self.put_into(ExprRef(unit, *object)));
                }
                out.into()
            }
            Expr::Call { callee, args, .. } => {
                let mut out = Vec::new();
                if self.unit(unit).language == Language::Ruby
                    && let Some(values) = self.handed_on_in_ruby(at)
                {
                    return values.into();
                }
                if !args.is_empty()
                    && (self.unit(unit).language == Language::CSharp || is_jvm(self.unit(unit).language))
                    && let Some(key) = self.setting_key(at)
                {
                    out = self.setting(unit, &key);
                    if !out.is_empty() {
                        return out.into();
                    }
                }
                if let Some(receiver) = self.set_up_in_place(unit, *callee, args) {
                    return self.eval(ExprRef(unit, receiver));
                }
                // What only refuses a missing value hands it on: `Objects.requireNonNull(client)`, `Guard.ThrowIfNull(kernel)`.
                if (self.unit(unit).language == Language::CSharp || is_jvm(self.unit(unit).language))
                    && matches!(self.expr(ExprRef(unit, *callee)), Expr::Name(name) | Expr::Member { name, .. } if GUARDS.contains(&&**name))
                    && let Some(first) = args.first()
                {
                    let values = self.eval(ExprRef(unit, first.value));
                    if !values.is_empty() {
                        return values;
                    }
                }
                // `super().ask(…)` of Python asks the class above.
                if is_python(self.unit(unit).language)
                    && matches!(self.expr(ExprRef(unit, *callee)), Expr::Name(name) if &**name == "super")
                {
                    let index = self.index(unit);
                    let class = index.class_of_scope(index.expr_scope[at.1.0 as usize]);
                    let above = class.map_or_else(Vec::new, |class| self.above(ClassRef(unit, class)));
                    if !above.is_empty() {
                        return above.into();
                    }
                }
                for value in self.eval(self.without_types(ExprRef(unit, *callee))).iter() {
                    merge(&mut out, &self.call(value, at));
                }
                // What is handed to another thread is waited for.
                if !leads_on(&out)
                    && let Some(position) = self.handed_over(at)
                    && let Some(arg) = args.get(position)
                {
                    for value in self.eval(ExprRef(unit, arg.value)).iter() {
                        if let Value::Function(function) = value {
                            let given: Vec<Value> = self
                                .results(*function, Some(at))
                                .into_iter()
                                .filter(|value| matches!(value, Value::Instance(..)) || is_made(value))
                                .collect();
                            merge(&mut out, &given);
                        }
                    }
                }
                let waited = self.waited_for(at);
                if leads_on(&waited) {
                    out = waited;
                }
                if let Expr::Member { object, name } = self.module(unit).expr(*callee)
                    && TAKES_OUT.contains(&&**name)
                    && (!leads_on(&out) || out.iter().all(is_of_collections))
                {
                    let mut held = self.put_into(ExprRef(unit, *object));
                    // What is made where nothing is kept yet: `clients.computeIfAbsent(key, k -> new Client(k))`.
                    if MAKES.contains(&&**name) {
                        for lambda in self.lambdas_in_args(at) {
                            let made = self.results(lambda, None);
                            let made: Vec<Value> = made.into_iter().filter(is_made).collect();
                            merge(&mut held, &made);
                        }
                    }
                    if !held.is_empty() {
                        out.retain(|value| !is_of_collections(value));
                    }
                    merge(&mut out, &held);
                    if out.is_empty() && matches!(&**name, "get" | "pop" | "setdefault") {
                        out = self.taken_out_of_table(at, ExprRef(unit, *object));
                    }
                }
                out.into()
            }
            Expr::Str(value) => one(self.text_at(Origin::Code(at), value)),
            Expr::Template(parts) => self.templates(unit, parts).into(),
            Expr::Number(number) => one(Value::Number(Rc::from(&**number))),
            Expr::Bool(value) => one(Value::Bool(*value)),
            Expr::Null => one(Value::Null),
            Expr::List(_) | Expr::Map(_) => one(Value::Literal(at)),
            Expr::Function(function) => one(Value::Function(FunctionRef(unit, *function))),
            Expr::Class(class) => one(Value::Class(ClassRef(unit, *class))),
            Expr::Await(value) | Expr::Propagate(value) | Expr::Assign { value, .. } => {
                self.eval(ExprRef(unit, *value))
            }
            Expr::Cast { value, to } => {
                let values = self.eval(ExprRef(unit, *value));
                // `{} as OpenAI` says nothing but its type.
                let is_empty = matches!(self.expr(ExprRef(unit, *value)), Expr::Map(entries) if entries.is_empty());
                let informative = !is_empty
                    && values.iter().any(|value| {
                        matches!(value, Value::Path(path) if path.root == Root::Import && !hands_out(path))
                            || matches!(value, Value::Instance(..) | Value::Literal(_) | Value::Text(_))
                    });
                if informative {
                    values
                } else {
                    let typed = self.typed(unit, to, 0);
                    if typed.is_empty() { values } else { typed.into() }
                }
            }
            Expr::Choice { condition, values } => {
                let mut out = Vec::new();
                for value in values.iter().take(self.reachable_of(unit, *condition, values)) {
                    merge(&mut out, &self.eval(ExprRef(unit, *value)));
                }
                out.into()
            }
            Expr::Import(module) => self.import(unit, module, None).into(),
            Expr::Block(stmts) => {
                let mut out = Vec::new();
                self.block_values(unit, stmts, 0, &mut out);
                out.into()
            }
            Expr::Other(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    for value in self.eval(ExprRef(unit, *part)).iter() {
                        // `prompt | model | parser` is a chain that runs all its parts.
                        if let Value::Path(path) = value
                            && path.root == Root::Import
                            && let Some(Seg::Name(first)) = path.segs.first()
                            && (first.starts_with("langchain") || first.starts_with("langgraph"))
                        {
                            let segs = vec![
                                Seg::Name(Rc::from("langchain_core")),
                                Seg::Name(Rc::from("runnables")),
                                Seg::Name(Rc::from("RunnableSequence")),
                                Seg::Call(at),
                            ];
                            merge(
                                &mut out,
                                &[Value::Path(Rc::new(Path {
                                    root: Root::Import,
                                    segs,
                                }))],
                            );
                        }
                    }
                }
                // `Path(folder) / "model.gguf"`
                if let [_, file] = parts.as_slice()
                    && out.is_empty()
                    && is_python(self.unit(unit).language)
                    && let Expr::Str(file) = self.module(unit).expr(*file)
                    && crate::model_text::is_file(file)
                {
                    let name = Part::Known(Rc::from(format!("/{file}")));
                    out.push(Value::Text(Rc::from([Part::Unknown, name])));
                }
                out.into()
            }
            Expr::Test(_) | Expr::Element { .. } | Expr::Comprehension { .. } => none(),
        }
    }

    /// What was stored in a field of a named object after it was made.
    pub(crate) fn set_later(&self, object: ExprRef, name: &str) -> Vec<Value> {
        self.mutated(object, name)
    }

    /// A value that was stored under a key of a named object after it was made.
    pub(super) fn mutated(&self, object: ExprRef, name: &str) -> Vec<Value> {
        let (unit, scope) = (object.0, self.index(object.0).expr_scope[object.1.0 as usize]);
        let Expr::Name(base) = self.expr(object) else {
            return Vec::new();
        };
        let mut at = scope;
        while at != NONE {
            let index = self.index(unit);
            if let Some(values) = index.mutations.get(&(at, &**base)) {
                for value in values {
                    let stmt = index.expr_stmt[value.0 as usize];
                    if stmt == NONE {
                        continue;
                    }
                    if let StmtKind::Assign {
                        target: engine_syntax::ir::Pattern::Place(place),
                        ..
                    } = &index.stmts[stmt as usize].stmt.kind
                        && let Expr::Member { name: field, .. } = index.module.expr(*place)
                        && **field == *name
                    {
                        return self.eval(ExprRef(unit, *value)).to_vec();
                    }
                }
            }
            at = self.index(unit).scopes[at as usize].parent;
        }
        Vec::new()
    }

    /// What a block sets up and hands back: `GenerativeModel(name).apply { … }`, `client.also { log(it) }`, and `tap` of Ruby.
    fn set_up_in_place(&self, unit: u32, callee: ExprId, args: &[Arg]) -> Option<ExprId> {
        let module = self.module(unit);
        let [Arg { value, .. }] = args else {
            return None;
        };
        let Expr::Member { object, name } = module.expr(callee) else {
            return None;
        };
        let hands_back = match self.unit(unit).language {
            Language::Kotlin => matches!(&**name, "apply" | "also"),
            Language::Ruby => &**name == "tap",
            _ => false,
        };
        (hands_back && matches!(module.expr(*value), Expr::Function(_))).then_some(*object)
    }

    /// The function of Go that a callee names, without the types that it is made for: `GenerateData[Dish](ctx, g)`.
    pub(crate) fn without_types(&self, callee: ExprRef) -> ExprRef {
        match self.expr(callee) {
            Expr::Index { object, key } if self.unit(callee.0).language == Language::Go => {
                let key = ExprRef(callee.0, *key);
                let named = matches!(self.expr(key), Expr::Name(name) if name.starts_with(char::is_uppercase))
                    || self.eval(key).iter().any(|value| matches!(value, Value::Class(_)))
                    || matches!(self.expr(key), Expr::Name(name) if matches!(&**name, "string" | "int" | "bool" | "float64" | "any"));
                if named { ExprRef(callee.0, *object) } else { callee }
            }
            // `(client.start as (options: Options) => void)(options)`
            Expr::Cast { value, .. } if is_script(self.unit(callee.0).language) => ExprRef(callee.0, *value),
            _ => callee,
        }
    }

    /// The type that stands first between the brackets of `Annotated[…]`.
    fn annotated(&self, key: ExprRef) -> Vec<Value> {
        let first = match self.expr(key) {
            Expr::List(parts) | Expr::Other(parts) => parts.first().copied(),
            _ => Some(key.1),
        };
        first.map_or_else(Vec::new, |first| self.eval(ExprRef(key.0, first)).to_vec())
    }

    /// What a name means in a scope.
    pub(crate) fn lookup(&self, unit: u32, scope: u32, name: &str) -> Values {
        let index = self.index(unit);
        let language = self.unit(unit).language;
        // `cls(…)` and `Self { … }` make an instance of the class around them.
        if (name == "cls" && is_python(language) || name == "Self" && language == Language::Rust)
            && let Some(class) = index.class_of_scope(scope)
        {
            return one(Value::Class(ClassRef(unit, class)));
        }
        // `Client c = new(key)` names no class, and none of the members that a class inherits.
        if name == "new" && language == Language::CSharp {
            let segs = vec![Seg::Name(Rc::from(name))];
            return one(Value::Path(Rc::new(Path {
                root: Root::Global,
                segs,
            })));
        }
        if name == "super" && matches!(language, Language::Php | Language::Ruby) {
            return self.base_of_php(unit, scope).into();
        }
        if name == above(language)
            && let Some(class) = index.class_of_scope(scope)
        {
            let above = self.above(ClassRef(unit, class));
            if !above.is_empty() {
                return above.into();
            }
        }
        if name == "this"
            && let Some(extended) = self.extended(unit, scope)
        {
            return extended.into();
        }
        if (matches!(name, "self" | "this" | "cls") || self.is_receiver(unit, scope, name))
            && let Some(class) = index.class_of_scope(scope)
        {
            return one(Value::Instance(ClassRef(unit, class), None));
        }
        let mut at = scope;
        while at != NONE {
            let here = &index.scopes[at as usize];
            let skip = matches!(here.kind, ScopeKind::Class(_))
                && (matches!(language, Language::Go | Language::Rust | Language::Php)
                    || at != scope && (is_python(language) || is_script(language)));
            if !skip {
                let mut out = Vec::new();
                let mut found = false;
                if let ScopeKind::Class(class) = here.kind
                    && language == Language::Ruby
                    && !name.starts_with(char::is_uppercase)
                {
                    // A word that is no variable is a method of the object around.
                    let methods = self.method_by_word(ClassRef(unit, class), name);
                    if !methods.is_empty() {
                        return methods.into();
                    }
                    at = here.parent;
                    continue;
                }
                if let ScopeKind::Class(class) = here.kind {
                    // What is assigned says more than what is declared.
                    out = self.field(ClassRef(unit, class), name);
                    found = !out.is_empty();
                }
                if !found && let Some(bindings) = here.names.get(name) {
                    found = true;
                    // The last binding is looked at first: it wins when the limit of values is reached.
                    self.bound(unit, bindings, &mut out);
                    let only_null = out.iter().all(|value| *value == Value::Null);
                    if only_null && at == 0 && is_python(language) {
                        merge(&mut out, &self.set_elsewhere(unit, name));
                    }
                }
                if found {
                    return out.into();
                }
            }
            at = here.parent;
        }
        self.outside(unit, scope, name).into()
    }

    /// What a class extends, as `super` and `base` mean it: classes of the project, each as an instance.
    pub(super) fn above(&self, class: ClassRef) -> Vec<Value> {
        let bases = self.bases_of(class).into_iter();
        bases
            .filter(|base| !self.module(base.0).class(base.1).is_interface)
            .map(|base| Value::Instance(base, None))
            .collect()
    }

    /// What the extension function around a scope extends.
    fn extended(&self, unit: u32, scope: u32) -> Option<Vec<Value>> {
        if self.unit(unit).language != Language::Kotlin {
            return None;
        }
        let index = self.index(unit);
        let mut at = scope;
        while at != NONE {
            if let ScopeKind::Function(function) = index.scopes[at as usize].kind
                && let Some(of) = &index.module.function(function).extends
            {
                // What it is called on says more than the type, where that is known.
                let given = self.called_on(FunctionRef(unit, function));
                return Some(if gives_an_object(&given) {
                    given
                } else {
                    self.typed(unit, of, 0)
                });
            }
            at = index.scopes[at as usize].parent;
        }
        None
    }

    /// Values that functions of a Python module give to a name which the module only declares as empty.
    pub(super) fn set_elsewhere(&self, unit: u32, name: &str) -> Vec<Value> {
        let index = self.index(unit);
        let Some((name, _)) = index.scopes[0].names.get_key_value(name) else {
            return Vec::new();
        };
        let plain = self.is_plain();
        if let Some(known) = self.known.elsewhere.get(&(unit, *name)).filter(|_| plain) {
            return known.to_vec();
        }
        let before = self.known.cuts.get();
        let mut out = Vec::new();
        for scope in index.function_scopes_with(name) {
            for binding in index.scopes[*scope as usize].names.get(*name).into_iter().flatten() {
                if matches!(binding.source, BindSource::Value(_)) {
                    merge(&mut out, &self.binding(unit, binding));
                }
            }
        }
        if plain && before == self.known.cuts.get() {
            self.known.elsewhere.put((unit, *name), out.as_slice().into());
        }
        out
    }

    /// Something was not followed, as it was being followed already or stood too deep.
    pub(super) fn cut(&self) {
        self.known.cuts.set(self.known.cuts.get() + 1);
    }

    /// Adds what bindings give, the last of them first: it wins when the limit of values is reached.
    pub(super) fn bound(&self, unit: u32, bindings: &[Binding<'_>], out: &mut Vec<Value>) {
        let plain = self.is_plain();
        for block in bindings.rchunks(BLOCK) {
            let key = block.as_ptr().addr();
            if let Some(known) = self.known.blocks.get(&key).filter(|_| plain) {
                merge(out, &known);
                continue;
            }
            let before = self.known.cuts.get();
            let mut joined = Vec::new();
            for binding in block.iter().rev() {
                merge(&mut joined, &self.binding(unit, binding));
            }
            merge(out, &joined);
            // What was cut short may give more another time, unless each of its values is kept.
            if plain && (before == self.known.cuts.get() || block.iter().all(|binding| self.is_settled(unit, binding)))
            {
                self.known.blocks.put(key, joined.as_slice().into());
            }
        }
    }

    /// Whether what a binding gives is kept.
    fn is_settled(&self, unit: u32, binding: &Binding<'_>) -> bool {
        let kept = match binding.source {
            BindSource::Value(value) => {
                let at = ExprRef(unit, value);
                let literal = matches!(
                    self.expr(at),
                    Expr::Str(_) | Expr::Number(_) | Expr::Bool(_) | Expr::Null | Expr::List(_) | Expr::Map(_)
                );
                literal || self.remembered(at).is_some()
            }
            BindSource::Function(_) | BindSource::Class(_) | BindSource::Nothing => true,
            _ => false,
        };
        kept && binding.steps.is_empty() && binding.annotation.is_none()
    }

    pub(crate) fn is_receiver(&self, unit: u32, mut scope: u32, name: &str) -> bool {
        let index = self.index(unit);
        while scope != NONE {
            if let ScopeKind::Function(function) = index.scopes[scope as usize].kind
                && index.module.function(function).receiver.as_deref() == Some(name)
            {
                return true;
            }
            scope = index.scopes[scope as usize].parent;
        }
        false
    }

    /// Whether another file of the same package declares a name.
    fn has_mate_with(&self, unit: u32, name: &str) -> bool {
        let here = self.unit(unit);
        let package = self.module(unit).package.as_deref();
        crate::world::package_key(here.language, here.path, package)
            .is_some_and(|key| self.mates_with(&key, name).iter().any(|mate| *mate != unit))
    }

    /// A name that the file itself does not bind.
    pub(super) fn outside(&self, unit: u32, scope: u32, name: &str) -> Vec<Value> {
        let here = self.unit(unit);
        let module = self.module(unit);
        let mut out = Vec::new();
        // The fields of base classes are in scope where the language does not ask for a receiver.
        if (is_jvm(here.language) || here.language == Language::CSharp)
            && let Some(class) = self.index(unit).class_of_scope(scope)
        {
            merge(&mut out, &self.instance_member(ClassRef(unit, class), None, name, 0));
            // A type is rather one of the same package, or one that all of it brings in, than a part of a base of which
            // nothing is known.
            let foreign = name.starts_with(|c: char| c.is_uppercase())
                && out
                    .iter()
                    .all(|value| matches!(value, Value::Path(path) if path.root == Root::Import))
                && (self.has_mate_with(unit, name)
                    || self.stars(unit).iter().any(|star| {
                        matches!(star, Star::Module(module) if shapes::knows_member(here.language, module, name)
                            || self.class_of_package(here.language, module, Some(name)).is_some())
                    }));
            if foreign {
                out.clear();
            }
            if !out.is_empty() {
                return out;
            }
        }
        if let Some(key) = crate::world::package_key(here.language, here.path, module.package.as_deref()) {
            if here.language == Language::Php {
                return self.outside_of_php(unit, &key, name);
            }
            if here.language == Language::Ruby {
                return self.outside_of_ruby(unit, scope, name);
            }
            for mate in self.mates_with(&key, name).iter() {
                if *mate != unit {
                    merge(&mut out, &self.lookup_top(*mate, name));
                    if !out.is_empty() {
                        return out;
                    }
                }
            }
        }
        let upper = name.starts_with(|c: char| c.is_uppercase());
        let mut foreign: Vec<&str> = Vec::new();
        for star in self.stars(unit).iter() {
            match star {
                Star::Unit(other) => merge(&mut out, &self.exported(*other, name, 0)),
                Star::Module(module) => {
                    if let Some(class) = self.class_of_package(here.language, module, Some(name)) {
                        merge(&mut out, &[Value::Class(class)]);
                    } else if shapes::knows_member(here.language, module, name) {
                        foreign.push(module);
                    }
                }
            }
        }
        // Of several namespaces of one library that a file brings in, a class belongs to the one that it is named after.
        if foreign.len() > 1 {
            foreign.sort_by_key(|module| !modules::is_named_after(name, module));
        }
        for module in foreign {
            merge(&mut out, &Self::path_of(here.language, module, Some(name)));
        }
        if here.language == Language::CSharp {
            for using in &self.global_usings {
                if shapes::knows_member(here.language, using, name) {
                    merge(&mut out, &Self::path_of(here.language, using, Some(name)));
                }
            }
        }
        if out.is_empty()
            && upper
            && (is_jvm(here.language) || matches!(here.language, Language::CSharp | Language::Rust | Language::Go))
        {
            if let Some(class) = self.class_near(unit, name) {
                out.push(Value::Class(class));
            } else if here.language == Language::CSharp {
                // Without a using that names it, a known class of a package is still told by its own name.
                if let Some(module) = shapes::module_of_class(Language::CSharp, name) {
                    merge(&mut out, &Self::path_of(here.language, module, Some(name)));
                }
            }
        }
        if out.is_empty()
            && let Some(extended) = self.extended(unit, scope)
        {
            for value in &extended {
                merge(&mut out, &self.member(value, name));
            }
        }
        // A crate sees itself by its name in its examples and its program.
        if out.is_empty()
            && here.language == Language::Rust
            && let Some(path) = self.paths.resolve(here.path, here.language, name)
            && let Some(other) = self.by_path.get(path)
            && self.paths.is_own(here.path, here.language, name)
        {
            out.push(Value::Module(*other));
        }
        if out.is_empty() {
            // What is written out with its package needs no import: `java.net.http.HttpClient.newHttpClient()`.
            let package = is_jvm(here.language) && PACKAGES.contains(&name);
            let segs = vec![Seg::Name(Rc::from(name))];
            out.push(Value::Path(Rc::new(Path {
                root: if package { Root::Import } else { Root::Global },
                segs,
            })));
        }
        out
    }

    pub(super) fn lookup_top(&self, unit: u32, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        if let Some(bindings) = self.index(unit).scopes[0].names.get(name) {
            self.bound(unit, bindings, &mut out);
        }
        if is_python(self.unit(unit).language) && !out.is_empty() && out.iter().all(|value| *value == Value::Null) {
            merge(&mut out, &self.set_elsewhere(unit, name));
        }
        out
    }

    /// What one binding gives.
    pub(crate) fn binding(&self, unit: u32, binding: &Binding<'_>) -> Vec<Value> {
        self.steps.set(self.steps.get() + 1);
        if self.depth.get() >= DEPTH_MAX || self.steps.get() > self.steps_max {
            self.cut();
            return Vec::new();
        }
        self.depth.set(self.depth.get() + 1);
        let values = self.binding_now(unit, binding);
        self.depth.set(self.depth.get() - 1);
        values
    }

    fn binding_now(&self, unit: u32, binding: &Binding<'_>) -> Vec<Value> {
        let index = self.index(unit);
        let mut values: Vec<Value> = match binding.source {
            BindSource::Value(value) => self.eval(ExprRef(unit, value)).to_vec(),
            BindSource::Each(over) => {
                if let Some((values, taken)) = self.each_of_several(ExprRef(unit, over), &binding.steps) {
                    return self.taken_apart(unit, values, &binding.steps[taken..]);
                }
                let mut out = Vec::new();
                for value in self.eval(ExprRef(unit, over)).iter() {
                    merge(&mut out, &self.element(value, None));
                }
                out
            }
            BindSource::Param(function, at) => {
                let function = FunctionRef(unit, function);
                let node = self.function(function);
                let param = &node.params[at as usize];
                if at == 0 && node.extends.is_some() && self.unit(unit).language == Language::CSharp {
                    let given = self.param_values(function, 0);
                    if gives_an_object(&given) {
                        return given;
                    }
                }
                let set = self.configured(unit, &param.decorators);
                if !set.is_empty() {
                    return set;
                }
                let mut typed = self.provided(unit, &param.decorators);
                if typed.is_empty() {
                    typed = param
                        .annotation
                        .as_ref()
                        .map(|annotation| self.typed(unit, annotation, 0))
                        .unwrap_or_default();
                }
                if typed.is_empty()
                    && let Some(default) = param.default
                {
                    typed = self.injected(ExprRef(unit, default));
                }
                if at == 0 && typed.is_empty() && self.unit(unit).language == Language::Ruby {
                    typed = self.handed_to_block(function);
                    if !typed.is_empty() {
                        return typed;
                    }
                }
                // What an interface of the project stands for is told by those who hand it in.
                let request = typed.iter().any(
                    |value| matches!(value, Value::Path(path) if path.last_name().is_some_and(|name| REQUESTS.contains(&name))),
                );
                if request
                    || typed
                        .iter()
                        .all(|value| self.is_open_interface(value) || is_base_type(value) || self.is_enumeration(value))
                {
                    typed.push(Value::Path(Rc::new(Path {
                        root: Root::Param(function, at),
                        segs: Vec::new(),
                    })));
                }
                typed
            }
            BindSource::Function(function) => vec![Value::Function(FunctionRef(unit, function))],
            BindSource::Class(class) => vec![Value::Class(ClassRef(unit, class))],
            BindSource::Import(import, which) => {
                let import = &index.module.imports[import as usize];
                let bound = &import.bindings[which as usize];
                if bound.module != import.module && bound.item.is_none() && is_python(self.unit(unit).language) {
                    self.namespace(unit, &bound.module, &import.module)
                } else {
                    self.import(unit, &bound.module, bound.item.as_deref())
                }
            }
            BindSource::Nothing => Vec::new(),
        };
        // A type that is written out tells what its parts are: `{ client }: { client: OpenAI }`.
        let mut shape = match binding.source {
            BindSource::Param(function, at) => index.module.function(function).params[at as usize].annotation.as_ref(),
            _ => binding.annotation,
        };
        for step in &binding.steps {
            let mut next = Vec::new();
            shape = match step {
                Step::Key(key) => shape.filter(|shape| &*shape.name == "{}").and_then(|shape| {
                    let part = shape.args.iter().find(|part| part.name.as_str() == *key)?;
                    part.args.first()
                }),
                Step::Position(_) => None,
            };
            for value in &values {
                let part = match step {
                    // What is left of an object is still that object.
                    Step::Key("...") => vec![value.clone()],
                    Step::Key(key) => self.member(value, key),
                    Step::Position(at) => self.position(value, *at, self.unit(unit).language),
                };
                merge(&mut next, &part);
            }
            if let Some(shape) = shape {
                let typed = self.typed(unit, shape, 0);
                merge(&mut next, &typed);
            }
            values = next;
        }
        let informed = values.iter().any(|value| {
            matches!(
                value,
                Value::Instance(..)
                    | Value::Function(_)
                    | Value::Text(_)
                    | Value::Literal(_)
                    | Value::Number(_)
                    | Value::Env(_)
            ) || matches!(value, Value::Path(path) if path.root == Root::Import && !hands_out(path))
        });
        if !informed
            && binding.steps.is_empty()
            && !matches!(binding.source, BindSource::Param(..))
            && let Some(annotation) = binding.annotation
        {
            let mut typed = self.typed(unit, annotation, 0);
            if let BindSource::Value(value) = binding.source {
                typed = self.made_as(ExprRef(unit, value), typed);
            }
            if !typed.is_empty() {
                values = typed;
            }
        }
        values
    }

    /// What a name stands for in a loop of Python over several things at once: `for name, model in zip(names, models)`,
    /// `for number, model in enumerate(models)`, also one in the other. Tells how many steps into the value that took.
    fn each_of_several(&self, over: ExprRef, steps: &[Step<'_>]) -> Option<(Vec<Value>, usize)> {
        let (Some(Step::Position(at)), true) = (steps.first(), is_python(self.unit(over.0).language)) else {
            return None;
        };
        let Expr::Call { callee, args, .. } = self.expr(over) else {
            return None;
        };
        let Expr::Name(name) = self.expr(ExprRef(over.0, *callee)) else {
            return None;
        };
        let given = match (&**name, at) {
            ("zip", at) => args.get(*at)?,
            ("enumerate", 1) => args.first()?,
            _ => return None,
        };
        if given.spread || given.name.is_some() {
            return None;
        }
        let given = ExprRef(over.0, given.value);
        // `for number, (name, model) in enumerate(zip(names, models))`
        if let Some((values, taken)) = self.each_of_several(given, &steps[1..]) {
            return Some((values, taken + 1));
        }
        let mut out = Vec::new();
        for value in self.eval(given).iter() {
            merge(&mut out, &self.element(value, None));
        }
        Some((out, 1))
    }

    /// What lies at the end of some steps into values.
    fn taken_apart(&self, unit: u32, values: Vec<Value>, steps: &[Step<'_>]) -> Vec<Value> {
        let mut values = values;
        for step in steps {
            let mut next = Vec::new();
            for value in &values {
                let part = match step {
                    Step::Key("...") => vec![value.clone()],
                    Step::Key(key) => self.member(value, key),
                    Step::Position(at) => self.position(value, *at, self.unit(unit).language),
                };
                merge(&mut next, &part);
            }
            values = next;
        }
        values
    }

    /// Whether a value is only known as one of the texts that an enumeration of the project holds. Which one it is, those tell who hand it in.
    fn is_enumeration(&self, value: &Value) -> bool {
        let Value::Instance(class, None) = value else {
            return false;
        };
        let language = self.unit(class.0).language;
        let fields = &self.module(class.0).class(class.1).fields;
        (is_script(language) || is_python(language))
            && !fields.is_empty()
            && fields.iter().all(|field| {
                let text = |value| matches!(self.expr(ExprRef(class.0, value)), Expr::Str(_));
                field.value.is_some_and(text)
            })
    }

    /// Whether a value is only known as an interface of the project.
    pub(super) fn is_open_interface(&self, value: &Value) -> bool {
        let Value::Instance(class, None) = value else {
            return false;
        };
        self.module(class.0).class(class.1).is_interface
    }

    /// `import a.b.c` binds `a`, from which the rest is reached by name.
    pub(super) fn namespace(&self, unit: u32, bound: &str, module: &str) -> Vec<Value> {
        let here = self.unit(unit);
        if self.paths.resolve(here.path, here.language, module).is_some()
            && let Some(dir) = self.paths.python_folder(here.path, bound)
        {
            return vec![Value::Package(Rc::from(format!("dir:{dir}")))];
        }
        Self::path_of(here.language, bound, None)
    }

    /// The value of a framework's marker for injection: `Depends(get_client)`.
    pub(super) fn injected(&self, default: ExprRef) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.eval(default).iter() {
            if let Value::Path(path) = value
                && matches!(path.last_name(), Some("Depends" | "Security" | "Provide"))
                && let Expr::Call { args, .. } = self.expr(default)
                && let Some(arg) = args.first()
            {
                for provider in self.eval(ExprRef(default.0, arg.value)).iter() {
                    merge(&mut out, &self.call(provider, default));
                }
            } else if matches!(value, Value::Instance(..))
                || matches!(value, Value::Path(path) if path.root == Root::Import && matches!(path.segs.last(), Some(Seg::Call(_))))
            {
                merge(&mut out, std::slice::from_ref(value));
            }
        }
        out
    }
}

/// Whether a path is that of a container, which hands out whatever the type says that it is asked for: `by inject()`.
fn hands_out(path: &Path) -> bool {
    matches!(path.segs.as_slice(), [Seg::Name(first), Seg::Name(second), ..]
        if &**first == "org" && matches!(&**second, "koin" | "kodein"))
}

/// Whether a value is only known as a type of a library that others extend: `Runnable`, `RunnableSerializable`, `Any`. What it
/// stands for is told by those who hand it in.
fn is_base_type(value: &Value) -> bool {
    let Value::Path(path) = value else { return false };
    matches!(path.segs.last(), Some(Seg::Typed))
        && path
            .segs
            .iter()
            .rev()
            .find_map(|seg| match seg {
                Seg::Name(name) => Some(name),
                _ => None,
            })
            .is_some_and(|name| {
                matches!(
                    &**name,
                    "Runnable" | "RunnableSerializable" | "RunnableSequence" | "Any" | "Callable"
                )
            })
}
