//! Evaluation: what an expression can stand for, over imports, fields, functions and files.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::{Arg, ClassId, ExportSource, Expr, ExprId, TypeRef};

use crate::index::{BindSource, Binding, NONE, ScopeKind, Step};
use crate::project::{is_jvm, is_python, is_script};
use crate::shapes;
use crate::values::{ClassRef, ExprRef, FunctionRef, Part, Path, Root, Seg, Value};
use crate::world::World;

/// An expression stands for at most this many values; more say less.
const VALUES_MAX: usize = 6;

/// Evaluation follows no longer chain of expressions.
const DEPTH_MAX: u32 = 60;

/// Work for one project; a project beyond it gets fewer resolved names, never an endless scan.
const STEPS_MAX: u64 = 40_000_000;

/// Types that only wrap another one.
const WRAPPERS: [&str; 32] = [
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
const TRANSPARENT: [&str; 35] = ["ConfigureAwait", "asStateFlow", "as_bytes", "as_mut", "as_ref", "as_str", "borrow", "clone", "deref", "encode", "encodeToByteArray", "expect", "format", "formatted", "getBytes", "get_or_init", "into", "into_bytes", "lock", "orElseThrow", "read", "removesuffix", "rstrip", "strip", "toByteArray", "toRequestBody", "toString", "to_owned", "to_string", "trim", "trimIndent", "trimMargin", "unwrap", "unwrap_or_default", "valueOf"];

pub(crate) type Values = Rc<[Value]>;

fn one(value: Value) -> Values {
    Rc::from([value])
}

fn none() -> Values {
    Rc::from([])
}

fn text(text: &str) -> Value {
    Value::Text(Rc::from([Part::Known(Rc::from(text))]))
}

/// Adds values up to the limit, without doubles and without "unknown".
fn merge(into: &mut Vec<Value>, values: &[Value]) {
    for value in values {
        if into.len() < VALUES_MAX && *value != Value::Unknown && !into.contains(value) {
            into.push(value.clone());
        }
    }
}

impl World<'_> {
    /// What an expression can stand for.
    pub(crate) fn eval(&self, at: ExprRef) -> Values {
        if let Some(known) = self.memo.borrow().get(&at) {
            return known.clone();
        }
        self.steps.set(self.steps.get() + 1);
        if self.depth.get() >= DEPTH_MAX || self.steps.get() > STEPS_MAX {
            return none();
        }
        if !self.active.borrow_mut().insert(at) {
            return none();
        }
        self.depth.set(self.depth.get() + 1);
        let values = self.eval_now(at);
        self.depth.set(self.depth.get() - 1);
        self.active.borrow_mut().remove(&at);
        self.memo.borrow_mut().insert(at, values.clone());
        values
    }

    fn eval_now(&self, at: ExprRef) -> Values {
        let ExprRef(unit, id) = at;
        match self.expr(at) {
            Expr::Name(name) => self.lookup(unit, self.index(unit).expr_scope[id.0 as usize], name),
            Expr::Member { object, name } => {
                let mut out = Vec::new();
                for value in self.eval(ExprRef(unit, *object)).iter() {
                    merge(&mut out, &self.member(value, name));
                }
                if out.is_empty() {
                    merge(&mut out, &self.mutated(ExprRef(unit, *object), name));
                }
                out.into()
            }
            Expr::Index { object, key } => {
                let keys = self.eval(ExprRef(unit, *key));
                let key = keys.iter().find_map(|value| match value {
                    Value::Text(parts) => crate::values::constant(parts),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                });
                let mut out = Vec::new();
                for value in self.eval(ExprRef(unit, *object)).iter() {
                    merge(&mut out, &self.element(value, key.as_deref()));
                }
                out.into()
            }
            Expr::Call { callee, .. } => {
                let mut out = Vec::new();
                for value in self.eval(ExprRef(unit, *callee)).iter() {
                    merge(&mut out, &self.call(value, at));
                }
                out.into()
            }
            Expr::Str(value) => one(text(value)),
            Expr::Template(parts) => one(self.template(unit, parts)),
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
                let informative = values.iter().any(|value| {
                    matches!(value, Value::Path(path) if path.root == Root::Import)
                        || matches!(value, Value::Instance(..) | Value::Literal(_) | Value::Text(_))
                });
                if informative {
                    values
                } else {
                    let typed = self.typed(unit, to, 0);
                    if typed.is_empty() { values } else { typed.into() }
                }
            }
            Expr::Choice { values, .. } => {
                let mut out = Vec::new();
                for value in values {
                    merge(&mut out, &self.eval(ExprRef(unit, *value)));
                }
                out.into()
            }
            Expr::Import(module) => self.import(unit, module, None).into(),
            Expr::Block(stmts) => match stmts.last().map(|stmt| &stmt.kind) {
                Some(engine_syntax::ir::StmtKind::Expr(value)) => self.eval(ExprRef(unit, *value)),
                _ => none(),
            },
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
    fn mutated(&self, object: ExprRef, name: &str) -> Vec<Value> {
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
                    if let engine_syntax::ir::StmtKind::Assign {
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

    /// The text that parts make together.
    pub(crate) fn template(&self, unit: u32, parts: &[ExprId]) -> Value {
        let mut out: Vec<Part> = Vec::new();
        for part in parts {
            let values = self.eval(ExprRef(unit, *part));
            let chosen = values.iter().find(|value| matches!(value, Value::Text(_))).or_else(|| {
                values
                    .iter()
                    .find(|value| matches!(value, Value::Env(_) | Value::Number(_)))
            });
            match chosen {
                Some(Value::Text(parts)) => out.extend(parts.iter().cloned()),
                Some(Value::Number(number)) => out.push(Part::Known(number.clone())),
                Some(Value::Env(name)) => out.push(Part::Env(name.clone())),
                _ => out.push(Part::Unknown),
            }
            if out.len() > 400 {
                break;
            }
        }
        Value::Text(out.into())
    }

    /// What a name means in a scope.
    pub(crate) fn lookup(&self, unit: u32, scope: u32, name: &str) -> Values {
        let index = self.index(unit);
        let language = self.unit(unit).language;
        if (matches!(name, "self" | "this" | "cls") || self.is_receiver(unit, scope, name))
            && let Some(class) = index.class_of_scope(scope)
        {
            return one(Value::Instance(ClassRef(unit, class), None));
        }
        let mut at = scope;
        while at != NONE {
            let here = &index.scopes[at as usize];
            let skip =
                matches!(here.kind, ScopeKind::Class(_)) && at != scope && (is_python(language) || is_script(language));
            if !skip {
                let mut out = Vec::new();
                let mut found = false;
                if let ScopeKind::Class(class) = here.kind {
                    // What is assigned says more than what is declared.
                    out = self.field(ClassRef(unit, class), name);
                    found = !out.is_empty();
                }
                if !found && let Some(bindings) = here.names.get(name) {
                    found = true;
                    // The last binding is looked at first: it wins when the limit of values is reached.
                    for binding in bindings.iter().rev() {
                        merge(&mut out, &self.binding(unit, binding));
                    }
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

    /// Values that functions of a Python module give to a name which the module only declares as empty.
    fn set_elsewhere(&self, unit: u32, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for scope in &self.index(unit).scopes[1..] {
            if matches!(scope.kind, ScopeKind::Function(_)) {
                for binding in scope.names.get(name).into_iter().flatten() {
                    if matches!(binding.source, BindSource::Value(_)) {
                        merge(&mut out, &self.binding(unit, binding));
                    }
                }
            }
        }
        out
    }

    fn is_receiver(&self, unit: u32, mut scope: u32, name: &str) -> bool {
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

    /// A name that the file itself does not bind.
    fn outside(&self, unit: u32, scope: u32, name: &str) -> Vec<Value> {
        let here = self.unit(unit);
        let module = self.module(unit);
        let mut out = Vec::new();
        // The fields of base classes are in scope where the language does not ask for a receiver.
        if (is_jvm(here.language) || here.language == Language::CSharp)
            && let Some(class) = self.index(unit).class_of_scope(scope)
        {
            merge(&mut out, &self.instance_member(ClassRef(unit, class), None, name, 0));
            if !out.is_empty() {
                return out;
            }
        }
        if let Some(key) = crate::world::package_key(here.language, here.path, module.package.as_deref()) {
            for mate in self.packages.get(&key).into_iter().flatten() {
                if *mate != unit && self.index(*mate).scopes[0].names.contains_key(name) {
                    merge(&mut out, &self.lookup_top(*mate, name));
                    if !out.is_empty() {
                        return out;
                    }
                }
            }
        }
        let upper = name.starts_with(|c: char| c.is_uppercase());
        for import in module.imports.iter().filter(|import| import.star && !import.type_only) {
            if let Some(target) = self.paths.resolve(here.path, here.language, &import.module)
                && let Some(other) = self.by_path.get(target)
                && *other != unit
            {
                merge(&mut out, &self.exported(*other, name, 0));
            } else if shapes::knows_member(here.language, &import.module, name) {
                merge(&mut out, &self.path_of(here.language, &import.module, Some(name)));
            }
        }
        if here.language == Language::CSharp {
            for using in &self.global_usings {
                if shapes::knows_member(here.language, using, name) {
                    merge(&mut out, &self.path_of(here.language, using, Some(name)));
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
                    merge(&mut out, &self.path_of(here.language, module, Some(name)));
                }
            }
        }
        if out.is_empty() {
            let segs = vec![Seg::Name(Rc::from(name))];
            out.push(Value::Path(Rc::new(Path {
                root: Root::Global,
                segs,
            })));
        }
        out
    }

    fn lookup_top(&self, unit: u32, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for binding in self.index(unit).scopes[0].names.get(name).into_iter().flatten().rev() {
            merge(&mut out, &self.binding(unit, binding));
        }
        if is_python(self.unit(unit).language) && !out.is_empty() && out.iter().all(|value| *value == Value::Null) {
            merge(&mut out, &self.set_elsewhere(unit, name));
        }
        out
    }

    /// What one binding gives.
    pub(crate) fn binding(&self, unit: u32, binding: &Binding<'_>) -> Vec<Value> {
        let index = self.index(unit);
        let mut values: Vec<Value> = match binding.source {
            BindSource::Value(value) => self.eval(ExprRef(unit, value)).to_vec(),
            BindSource::Each(over) => {
                let mut out = Vec::new();
                for value in self.eval(ExprRef(unit, over)).iter() {
                    merge(&mut out, &self.element(value, None));
                }
                out
            }
            BindSource::Param(function, at) => {
                let function = FunctionRef(unit, function);
                let param = &self.function(function).params[at as usize];
                let mut typed = param
                    .annotation
                    .as_ref()
                    .map(|annotation| self.typed(unit, annotation, 0))
                    .unwrap_or_default();
                if typed.is_empty()
                    && let Some(default) = param.default
                {
                    typed = self.injected(ExprRef(unit, default));
                }
                if typed.is_empty() {
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
        for step in &binding.steps {
            let mut next = Vec::new();
            for value in &values {
                let part = match step {
                    Step::Key(key) => self.member(value, key),
                    Step::Position(at) => self.position(value, *at, self.unit(unit).language),
                };
                merge(&mut next, &part);
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
            ) || matches!(value, Value::Path(path) if path.root == Root::Import)
        });
        if !informed
            && binding.steps.is_empty()
            && !matches!(binding.source, BindSource::Param(..))
            && let Some(annotation) = binding.annotation
        {
            let typed = self.typed(unit, annotation, 0);
            if !typed.is_empty() {
                values = typed;
            }
        }
        values
    }

    /// `import a.b.c` binds `a`, from which the rest is reached by name.
    fn namespace(&self, unit: u32, bound: &str, module: &str) -> Vec<Value> {
        let here = self.unit(unit);
        if self.paths.resolve(here.path, here.language, module).is_some()
            && let Some(dir) = self.paths.python_folder(here.path, bound)
        {
            return vec![Value::Package(Rc::from(format!("dir:{dir}")))];
        }
        self.path_of(here.language, bound, None)
    }

    /// The value of a framework's marker for injection: `Depends(get_client)`.
    fn injected(&self, default: ExprRef) -> Vec<Value> {
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

    /// An instance of a declared type.
    pub(crate) fn typed(&self, unit: u32, name: &TypeRef, depth: u32) -> Vec<Value> {
        let mut out = Vec::new();
        if depth > 4 {
            return out;
        }
        let last = name.name.rsplit(['.', ':']).next().unwrap_or(&name.name);
        if WRAPPERS.contains(&last) && !name.args.is_empty() {
            for arg in &name.args {
                merge(&mut out, &self.typed(unit, arg, depth + 1));
            }
            return out;
        }
        let mut parts = name.name.split(['.', ':']).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return out;
        };
        let mut values: Vec<Value> = self
            .type_lookup(unit, first)
            .into_iter()
            .filter(|value| !matches!(value, Value::Path(path) if path.root != Root::Import))
            .collect();
        for part in parts {
            let mut next = Vec::new();
            for value in &values {
                merge(&mut next, &self.member(value, part));
            }
            values = next;
        }
        for value in values {
            match value {
                Value::Class(class) => merge(&mut out, &[Value::Instance(class, None)]),
                Value::Path(path) => {
                    if let Some(path) = path.then(Seg::Typed) {
                        merge(&mut out, &[Value::Path(Rc::new(path))]);
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// What a name means as a type: imports of types count here.
    fn type_lookup(&self, unit: u32, name: &str) -> Vec<Value> {
        let module = self.module(unit);
        for import in &module.imports {
            for bound in &import.bindings {
                if *bound.local == *name {
                    return self.import(unit, &bound.module, bound.item.as_deref());
                }
            }
        }
        self.lookup(unit, 0, name).to_vec()
    }

    /// What an import gives.
    pub(crate) fn import(&self, unit: u32, module: &str, item: Option<&str>) -> Vec<Value> {
        let here = self.unit(unit);
        let language = here.language;
        if is_python(language) || is_script(language) || language == Language::Rust {
            if let Some(item) = item
                && is_python(language)
            {
                let dot = if module.ends_with('.') { "" } else { "." };
                let inner = format!("{module}{dot}{item}");
                let whole = self.paths.resolve(here.path, language, module);
                let defined = whole
                    .and_then(|path| self.by_path.get(path))
                    .is_some_and(|other| self.index(*other).scopes[0].names.contains_key(item));
                if !defined
                    && let Some(path) = self.paths.resolve(here.path, language, &inner)
                    && let Some(other) = self.by_path.get(path)
                {
                    return vec![Value::Module(*other)];
                }
            }
            if language == Language::Rust
                && let Some(item) = item
                && let Some(path) = self.paths.resolve(here.path, language, &format!("{module}::{item}"))
                && let Some(other) = self.by_path.get(path)
                && *other != unit
            {
                return vec![Value::Module(*other)];
            }
            if let Some(path) = self.paths.resolve(here.path, language, module) {
                let Some(other) = self.by_path.get(path) else {
                    return Vec::new();
                };
                return match item {
                    Some(item) if *other != unit => self.exported(*other, item, 0),
                    Some(item) => self.lookup_top(*other, item),
                    None => vec![Value::Module(*other)],
                };
            }
        }
        if language == Language::Go
            && let Some(dir) = self.paths.go_folder(module)
        {
            return vec![Value::Package(Rc::from(format!("godir:{dir}")))];
        }
        if (is_jvm(language) || language == Language::CSharp) && !shapes::knows_root(language, module) {
            let class = item.unwrap_or_else(|| module.rsplit('.').next().unwrap_or(module));
            if self.classes.contains_key(class)
                && let Some(found) = self.class_near(unit, class)
            {
                return vec![Value::Class(found)];
            }
            // A static import names a member of a class; Kotlin imports functions.
            if let Some(class) = module.rsplit('.').next()
                && let Some(item) = item
                && let Some(found) = self.class_near(unit, class)
            {
                return self.member(&Value::Class(found), item);
            }
            if let Some(item) = item {
                for mate in self.packages.get(&format!("jvm:{module}")).into_iter().flatten() {
                    let values = self.lookup_top(*mate, item);
                    if !values.is_empty() {
                        return values;
                    }
                }
            }
        }
        self.path_of(language, module, item)
    }

    /// A path that starts at an import from outside the project.
    pub(crate) fn path_of(&self, language: Language, module: &str, item: Option<&str>) -> Vec<Value> {
        let mut segs: Vec<Seg> = shapes::split_module(language, module)
            .map(|part| Seg::Name(Rc::from(part)))
            .collect();
        if let Some(item) = item {
            segs.extend(
                shapes::split_module(language, item)
                    .filter(|part| *part != "*")
                    .map(|part| Seg::Name(Rc::from(part))),
            );
        }
        vec![Value::Path(Rc::new(Path {
            root: Root::Import,
            segs,
        }))]
    }

    /// What a module of the project hands out under a name.
    pub(crate) fn exported(&self, unit: u32, name: &str, depth: u32) -> Vec<Value> {
        if depth > 8 {
            return Vec::new();
        }
        let mut out = Vec::new();
        let module = self.module(unit);
        let here = self.unit(unit);
        for export in &module.exports {
            let every = &*export.name == "*";
            if *export.name != *name && !every {
                continue;
            }
            match &export.source {
                ExportSource::Local(local) => merge(&mut out, &self.lookup_top(unit, local)),
                ExportSource::Expr(value) => {
                    let values = self.eval(ExprRef(unit, *value));
                    merge(&mut out, &values);
                }
                ExportSource::From { module: other, item } => {
                    let item = match item.as_deref() {
                        Some("*") | None if every => Some(name),
                        other => other,
                    };
                    if let Some(path) = self.paths.resolve(here.path, here.language, other) {
                        if let Some(next) = self.by_path.get(path)
                            && *next != unit
                        {
                            match item {
                                Some(item) => merge(&mut out, &self.exported(*next, item, depth + 1)),
                                None => merge(&mut out, &[Value::Module(*next)]),
                            }
                        }
                    } else if !every || shapes::knows_root(here.language, other) {
                        merge(&mut out, &self.path_of(here.language, other, item));
                    }
                }
            }
        }
        if out.is_empty() {
            merge(&mut out, &self.lookup_top(unit, name));
        }
        if out.is_empty() {
            for import in module.imports.iter().filter(|import| import.star) {
                if let Some(path) = self.paths.resolve(here.path, here.language, &import.module)
                    && let Some(next) = self.by_path.get(path)
                    && *next != unit
                {
                    merge(&mut out, &self.exported(*next, name, depth + 1));
                }
            }
        }
        // `module.exports = { ask }` hands out the members of one object.
        if out.is_empty()
            && name != "default"
            && let Some(default) = module.exports.iter().find(|export| &*export.name == "default")
            && let ExportSource::Expr(value) = default.source
        {
            for value in self.eval(ExprRef(unit, value)).iter() {
                merge(&mut out, &self.member(value, name));
            }
        }
        out
    }

    /// A member of a value.
    pub(crate) fn member(&self, value: &Value, name: &str) -> Vec<Value> {
        match value {
            Value::Path(path) => {
                if environment(path) && !matches!(name, "get" | "setdefault" | "copy" | "items" | "update" | "pop") {
                    return vec![Value::Env(Rc::from(name))];
                }
                path.then(Seg::Name(Rc::from(name)))
                    .map(|path| Value::Path(Rc::new(path)))
                    .into_iter()
                    .collect()
            }
            Value::Module(unit) => {
                let values = self.exported(*unit, name, 0);
                if values.is_empty() && name == "default" {
                    vec![value.clone()]
                } else {
                    values
                }
            }
            Value::Package(key) => {
                if let Some(dir) = key.strip_prefix("dir:") {
                    for path in [format!("{dir}/{name}.py"), format!("{dir}/{name}/__init__.py")] {
                        if let Some(unit) = self.by_path.get(path.as_str()) {
                            return vec![Value::Module(*unit)];
                        }
                    }
                    if let Some(unit) = self.by_path.get(format!("{dir}/__init__.py").as_str()) {
                        return self.exported(*unit, name, 0);
                    }
                    return vec![Value::Package(Rc::from(format!("dir:{dir}/{name}")))];
                }
                let mut out = Vec::new();
                for unit in self.packages.get(&**key).into_iter().flatten() {
                    merge(&mut out, &self.lookup_top(*unit, name));
                }
                out
            }
            Value::Instance(class, made) => self.instance_member(*class, *made, name, 0),
            Value::Class(class) => self.class_member(*class, name),
            Value::Literal(at) => self.entry(*at, name),
            Value::Text(_) | Value::Env(_) if TRANSPARENT.contains(&name) => vec![value.clone()],
            Value::Function(_) if matches!(name, "bind" | "call" | "apply" | "remote" | "delay" | "invoke") => {
                vec![value.clone()]
            }
            _ => Vec::new(),
        }
    }

    fn class_member(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for method in self.method(class, name) {
            merge(&mut out, &[Value::Function(method)]);
        }
        if out.is_empty() {
            out = self.field(class, name);
        }
        if out.is_empty() && name == "Companion" {
            out.push(Value::Class(class));
        }
        if out.is_empty()
            && let Some(inner) = self
                .classes
                .get(name)
                .into_iter()
                .flatten()
                .find(|inner| inner.0 == class.0)
        {
            out.push(Value::Class(*inner));
        }
        if out.is_empty() {
            for base in self.external_bases(class) {
                if let Some(path) = base.then(Seg::Name(Rc::from(name))) {
                    merge(&mut out, &[Value::Path(Rc::new(path))]);
                }
            }
        }
        out
    }

    /// The values that fields of a class get, in its body or in its methods.
    fn field(&self, class: ClassRef, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        for part in self.class_parts(class) {
            let index = self.index(part.0);
            if let Some(bindings) = index.fields.get(&(part.1, name)) {
                for binding in bindings.iter().rev() {
                    merge(&mut out, &self.binding(part.0, binding));
                }
            }
            // Methods may assign a field without naming the receiver.
            let scope = index.class_scope[part.1.0 as usize];
            if scope != NONE {
                for binding in index.scopes[scope as usize].names.get(name).into_iter().flatten().rev() {
                    if matches!(binding.source, BindSource::Value(_)) && binding.scope != scope {
                        merge(&mut out, &self.binding(part.0, binding));
                    }
                }
            }
            if let Some(field) = index
                .module
                .class(part.1)
                .fields
                .iter()
                .find(|field| *field.name == *name)
            {
                if let Some(value) = field.value {
                    merge(&mut out, &self.eval(ExprRef(part.0, value)));
                }
                if field.value.is_none() {
                    merge(&mut out, &self.configured(part.0, &field.decorators));
                }
                let informed = out.iter().any(|value| {
                    matches!(
                        value,
                        Value::Instance(..) | Value::Text(_) | Value::Literal(_) | Value::Function(_)
                    ) || matches!(value, Value::Path(path) if path.root == Root::Import)
                });
                if !informed && let Some(annotation) = &field.annotation {
                    merge(&mut out, &self.typed(part.0, annotation, 0));
                }
            }
        }
        out
    }

    /// The default of a setting that a container fills in: `@Value("${llm.url:https://…}")`.
    fn configured(&self, unit: u32, decorators: &[ExprId]) -> Vec<Value> {
        for decorator in decorators {
            if let Expr::Call { callee, args, .. } = self.module(unit).expr(*decorator)
                && matches!(self.module(unit).expr(*callee), Expr::Name(name) if matches!(&**name, "Value" | "ConfigProperty"))
                && let Some(Expr::Str(setting)) = args.first().map(|arg| self.module(unit).expr(arg.value))
            {
                let inside = setting.trim_start_matches("${").trim_end_matches('}');
                let (name, default) = inside.split_once(':').unwrap_or((inside, ""));
                let mut out = vec![Value::Env(Rc::from(name))];
                if !default.is_empty() {
                    out.push(text(default));
                }
                return out;
            }
        }
        Vec::new()
    }

    fn instance_member(&self, class: ClassRef, made: Option<ExprRef>, name: &str, depth: u32) -> Vec<Value> {
        let mut out = Vec::new();
        for method in self.method(class, name) {
            let property = self.function(method).decorators.iter().any(|decorator| {
                matches!(self.module(method.0).expr(*decorator), Expr::Name(name) if name.ends_with("property"))
                    || matches!(self.module(method.0).expr(*decorator), Expr::Member { name, .. } if name.ends_with("property") )
                    || matches!(self.module(method.0).expr(*decorator), Expr::Name(name) if &**name == "get")
            });
            if property {
                merge(&mut out, &self.results(method, None));
            } else {
                merge(&mut out, &[Value::Function(method)]);
            }
        }
        if !out.is_empty() {
            return out;
        }
        out = self.field(class, name);
        if let Some(made) = made {
            // What the constructor was given is known here; its parameters are replaced.
            let mut exact = Vec::new();
            for value in &out {
                match value {
                    Value::Path(path) if matches!(path.root, Root::Param(..)) => {
                        merge(&mut exact, &self.replace_params(value, made));
                    }
                    value => merge(&mut exact, std::slice::from_ref(value)),
                }
            }
            out = exact;
            if let Expr::Call { args, .. } = self.expr(made)
                && !out
                    .iter()
                    .any(|value| matches!(value, Value::Path(path) if !matches!(path.segs.last(), Some(Seg::Typed))))
            {
                // Records, data classes and literals of structs take their fields by name or in order.
                let fields = &self.module(class.0).class(class.1).fields;
                let position = fields.iter().position(|field| *field.name == *name);
                let given = args
                    .iter()
                    .find(|arg| arg.name.as_deref() == Some(name))
                    .or_else(|| position.and_then(|at| args.get(at).filter(|arg| arg.name.is_none() && !arg.spread)));
                if let Some(arg) = given {
                    let mut values = self.eval(ExprRef(made.0, arg.value)).to_vec();
                    if !values.is_empty() {
                        merge(&mut values, &out);
                        out = values;
                    }
                }
            }
        }
        if out.is_empty() && depth < 5 {
            for part in self.class_parts(class) {
                for base in &self.module(part.0).class(part.1).bases {
                    if let Some(base) = self.project_class(part.0, base)
                        && base != class
                    {
                        merge(&mut out, &self.instance_member(base, made, name, depth + 1));
                    }
                }
            }
        }
        if out.is_empty() {
            for base in self.external_bases(class) {
                let call = made.map_or(Seg::Typed, Seg::Call);
                if let Some(path) = base.then(call).and_then(|path| path.then(Seg::Name(Rc::from(name)))) {
                    merge(&mut out, &[Value::Path(Rc::new(path))]);
                }
            }
        }
        // Elements of a struct that is embedded without a name are reached through it.
        out
    }

    /// Base classes from outside the project.
    pub(crate) fn external_bases(&self, class: ClassRef) -> Vec<Rc<Path>> {
        let mut out = Vec::new();
        for base in &self.module(class.0).class(class.1).bases {
            for value in self.typed(class.0, base, 0) {
                if let Value::Path(path) = value
                    && path.root == Root::Import
                {
                    let mut bare = (*path).clone();
                    bare.segs.pop();
                    out.push(Rc::new(bare));
                }
            }
        }
        out
    }

    /// An entry of a map literal, or an element of a list literal by number.
    pub(crate) fn entry(&self, at: ExprRef, key: &str) -> Vec<Value> {
        let mut out = Vec::new();
        match self.expr(at) {
            Expr::Map(entries) => {
                for entry in entries.iter().rev() {
                    match entry.key {
                        Some(id) => {
                            if self.key_text(ExprRef(at.0, id)).as_deref() == Some(key) {
                                return self.eval(ExprRef(at.0, entry.value)).to_vec();
                            }
                        }
                        None => {
                            for value in self.eval(ExprRef(at.0, entry.value)).iter() {
                                merge(&mut out, &self.member(value, key));
                            }
                        }
                    }
                }
            }
            Expr::List(parts) => {
                if let Ok(position) = key.parse::<usize>()
                    && let Some(part) = parts.get(position)
                {
                    return self.eval(ExprRef(at.0, *part)).to_vec();
                }
            }
            _ => {}
        }
        out
    }

    /// A key of a map literal as text.
    pub(crate) fn key_text(&self, at: ExprRef) -> Option<String> {
        match self.expr(at) {
            Expr::Str(text) => Some(text.to_string()),
            _ => self.eval(at).iter().find_map(|value| match value {
                Value::Text(parts) => crate::values::constant(parts),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            }),
        }
    }

    /// An element of a value; any element when the key is not known.
    fn element(&self, value: &Value, key: Option<&str>) -> Vec<Value> {
        match value {
            Value::Path(path) => {
                if environment(path)
                    && let Some(key) = key
                {
                    return vec![Value::Env(Rc::from(key))];
                }
                path.then(Seg::Index)
                    .map(|path| Value::Path(Rc::new(path)))
                    .into_iter()
                    .collect()
            }
            Value::Literal(at) => {
                if let Some(key) = key {
                    return self.entry(*at, key);
                }
                let mut out = Vec::new();
                match self.expr(*at) {
                    Expr::List(parts) => {
                        for part in parts.iter().take(VALUES_MAX) {
                            merge(&mut out, &self.eval(ExprRef(at.0, *part)));
                        }
                    }
                    Expr::Map(entries) => {
                        for entry in entries.iter().take(VALUES_MAX) {
                            merge(&mut out, &self.eval(ExprRef(at.0, entry.value)));
                        }
                    }
                    _ => {}
                }
                out
            }
            Value::Instance(..) => vec![Value::Unknown],
            _ => Vec::new(),
        }
    }

    /// A position of a value that is taken apart.
    fn position(&self, value: &Value, at: usize, language: Language) -> Vec<Value> {
        match value {
            // A Go function gives its result and an error; the result stands for the call.
            Value::Path(_) | Value::Instance(..) | Value::Text(_) | Value::Env(_) if language == Language::Go => {
                if at == 0 { vec![value.clone()] } else { Vec::new() }
            }
            Value::Literal(literal) => self.entry(*literal, &at.to_string()),
            Value::Path(path) => path
                .then(Seg::Index)
                .map(|path| Value::Path(Rc::new(path)))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The result of calling a value at a place.
    pub(crate) fn call(&self, callee: &Value, at: ExprRef) -> Vec<Value> {
        match callee {
            Value::Class(class) => vec![Value::Instance(*class, Some(at))],
            Value::Function(function) => self.results(*function, Some(at)),
            Value::Path(path) => self.call_path(path, at),
            Value::Instance(class, made) => {
                let mut out = Vec::new();
                for name in ["__call__", "invoke", "apply", "call"] {
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
                if let Expr::Call { callee: inner, .. } = self.expr(at)
                    && let Expr::Member { name, .. } = self.module(at.0).expr(*inner)
                    && TRANSPARENT.contains(&&**name)
                {
                    vec![callee.clone()]
                } else {
                    Vec::new()
                }
            }
            _ => Vec::new(),
        }
    }

    fn call_path(&self, path: &Rc<Path>, at: ExprRef) -> Vec<Value> {
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
        match symbol.as_str() {
            "functools.partial" | "partial" => {
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
            "importlib.import_module" => {
                if let Some(first) = first
                    && let Some(module) = self.key_text(first)
                {
                    return self.import(at.0, &module, None);
                }
            }
            _ => {}
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
            if TRANSPARENT.contains(&name) || name == "remote" {
                return vec![Value::Path(Rc::new(object))];
            }
            if matches!(
                name,
                "unwrap_or" | "unwrap_or_else" | "getOrDefault" | "unwrap_or_default"
            ) {
                let mut out = vec![Value::Path(Rc::new(object))];
                if let Some(first) = first {
                    merge(&mut out, &self.eval(first));
                }
                return out;
            }
        }
        path.then(Seg::Call(at))
            .map(|path| Value::Path(Rc::new(path)))
            .into_iter()
            .collect()
    }

    /// What a function of the project gives back, with its parameters replaced when the call is known.
    pub(crate) fn results(&self, function: FunctionRef, at: Option<ExprRef>) -> Vec<Value> {
        let mut out = Vec::new();
        let returns = &self.index(function.0).returns[function.1.0 as usize];
        for value in returns.iter().rev() {
            for value in self.eval(ExprRef(function.0, *value)).iter() {
                match value {
                    Value::Path(path) if matches!(path.root, Root::Param(of, _) if of == function) => match at {
                        Some(at) => merge(&mut out, &self.replace_params(value, at)),
                        None => merge(&mut out, std::slice::from_ref(value)),
                    },
                    value => merge(&mut out, std::slice::from_ref(value)),
                }
            }
        }
        let informed = out.iter().any(|value| {
            matches!(value, Value::Instance(..) | Value::Text(_) | Value::Literal(_))
                || matches!(value, Value::Path(path) if path.root == Root::Import)
        });
        if !informed && let Some(declared) = &self.function(function).returns {
            merge(&mut out, &self.typed(function.0, declared, 0));
        }
        out
    }

    /// A value whose root is a parameter, seen from one call of that function.
    fn replace_params(&self, value: &Value, at: ExprRef) -> Vec<Value> {
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
        let name = match &param.pattern {
            engine_syntax::ir::Pattern::Name(name) => Some(&**name),
            _ => None,
        };
        let by_name = args
            .iter()
            .find(|arg: &&Arg| arg.name.is_some() && arg.name.as_deref() == name);
        let arg = by_name.or_else(|| {
            args.get(position as usize)
                .filter(|arg| arg.name.is_none() && !arg.spread)
        })?;
        Some(ExprRef(at.0, arg.value))
    }

    /// Takes the steps of a path again from another start.
    fn replay(&self, start: &Value, segs: &[Seg]) -> Vec<Value> {
        let mut values = vec![start.clone()];
        for seg in segs {
            let mut next = Vec::new();
            for value in &values {
                let part = match seg {
                    Seg::Name(name) => self.member(value, name),
                    Seg::Call(at) => self.call(value, *at),
                    Seg::Index => self.element(value, None),
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
            match value {
                Value::Path(path) => match path.root {
                    Root::Param(function, position) => {
                        let from = self.param_values(function, position);
                        if from.is_empty() {
                            merge(&mut out, std::slice::from_ref(value));
                        }
                        for given in &from {
                            merge(&mut out, &self.replay(given, &path.segs));
                        }
                    }
                    _ => merge(&mut out, std::slice::from_ref(value)),
                },
                value => merge(&mut out, std::slice::from_ref(value)),
            }
        }
        out
    }

    /// What the callers of a function, or its default, give to a parameter.
    pub(crate) fn param_values(&self, function: FunctionRef, position: u32) -> Vec<Value> {
        if self.active_params.borrow().len() > 8 || !self.active_params.borrow_mut().insert((function, position)) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for caller in self.callers_of(function).into_iter().take(24) {
            if let Some(arg) = self.argument_for(function, position, caller) {
                let given = self.eval(arg);
                let given = self.expand(&given);
                merge(&mut out, &given);
            }
        }
        if let Some(default) = self.function(function).params[position as usize].default {
            merge(&mut out, &self.eval(ExprRef(function.0, default)));
        }
        self.active_params.borrow_mut().remove(&(function, position));
        out
    }

    /// Evaluates every callee once and notes which functions of the project are called where.
    pub(crate) fn link(&self) {
        for _ in 0..2 {
            let mut callers: std::collections::HashMap<FunctionRef, Vec<ExprRef>> = std::collections::HashMap::new();
            for unit in 0..self.units.len() as u32 {
                for call in &self.index(unit).calls {
                    let at = ExprRef(unit, *call);
                    for function in self.callees(at) {
                        callers.entry(function).or_default().push(at);
                    }
                }
            }
            for places in callers.values_mut() {
                places.sort_unstable();
                places.dedup();
            }
            *self.callers.borrow_mut() = callers;
            self.memo.borrow_mut().clear();
        }
    }

    /// The functions of the project that a call runs directly: constructors count.
    pub(crate) fn callees(&self, at: ExprRef) -> Vec<FunctionRef> {
        let Expr::Call { callee, .. } = self.expr(at) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let values = self.eval(ExprRef(at.0, *callee));
        for value in self.expand(&values) {
            match value {
                Value::Function(function) => out.push(function),
                Value::Class(class) => out.extend(self.constructor(class)),
                Value::Instance(class, _) => {
                    out.extend(self.method(class, "__call__"));
                    out.extend(self.method(class, "invoke"));
                }
                _ => {}
            }
        }
        out.sort_unstable();
        out.dedup();
        out
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

    /// A class of this unit by id, for callers outside this module.
    pub(crate) fn class_ref(unit: u32, class: ClassId) -> ClassRef {
        ClassRef(unit, class)
    }
}

/// Whether a path means the environment of the process.
fn environment(path: &Path) -> bool {
    matches!(path.segs.as_slice(), [Seg::Name(a), Seg::Name(b)] if matches!((&**a, &**b), ("os", "environ") | ("process", "env") | ("Bun" | "Deno", "env")))
        || matches!(path.segs.as_slice(), [Seg::Name(a), Seg::Name(b), Seg::Name(c)] if (&**a, &**b, &**c) == ("import", "meta", "env"))
        || matches!(path.segs.as_slice(), [Seg::Name(a), Seg::Name(b), Seg::Name(c)] if (&**a, &**b, &**c) == ("import.meta", "env", ""))
}
