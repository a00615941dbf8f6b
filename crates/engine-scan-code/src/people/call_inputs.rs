//! The origin of the data of a call: fields, columns, tables, types and form fields, traced backwards from its
//! arguments.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::Zone;
use engine_syntax::ir::{ClassId, Expr, ExprId, TypeRef};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::areas::{flat, split};
use crate::facts::{callee_name, object_name};
use crate::flow::Flow;
use crate::index::{BindSource, Binding, NONE, ScopeKind, Step, base_name};
use crate::memo::Memo;
use crate::values::{ClassRef, ExprRef, FunctionRef, Value};
use crate::world::World;

/// Bindings and calls are followed no further back than this.
const DEPTH_MAX: u8 = 7;

/// Expressions that are looked at for one call.
const NODES_MAX: usize = 4_000;

/// Callers of one function that are followed.
const CALLERS_MAX: usize = 12;

/// Settings of a call: what they hold describes the model or its answer, and is not sent as data.
const SETTINGS: [&str; 30] = [
    "model",
    "temperature",
    "max_tokens",
    "maxTokens",
    "stream",
    "timeout",
    "headers",
    "top_p",
    "tools",
    "functions",
    "tool_choice",
    "text_format",
    "textFormat",
    "response_format",
    "responseFormat",
    "result_type",
    "response_type",
    "output_format",
    "json_schema",
    "response_schema",
    "responseSchema",
    "response_model",
    "output_schema",
    "output_type",
    "schema",
    "generation_config",
    "generationConfig",
    "metadata",
    "output_config",
    "n_jobs",
];

/// Names behind which the fields of a form or request stand.
const FORMS: [&str; 16] = [
    "form", "files", "body", "args", "query", "params", "POST", "GET", "FILES", "values", "json", "formData", "fields",
    "file", "request", "req",
];

/// What data is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A field of something with a name: `applicant.cv`, `row["income"]`.
    Field(String, String),
    /// A column or key by itself.
    Key(String),
    /// A field of a form or request.
    Form(String),
    /// A file that a person hands in, by the name or label of its field.
    Upload(String),
    /// All fields of the form of a request, whatever their names.
    WholeForm,
    /// A variable.
    Name(String),
    /// A type of the project.
    Class(ClassRef),
    /// A table or collection, with the columns that the query names.
    Table(String, Vec<String>),
    /// A file or table by its constant name, as something that can be written too.
    Store(String),
    /// A constant text, or one that is put together from constants and values.
    Text,
    /// A constant text of another file.
    Constant(Rc<str>),
}

/// One part of the data, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) what: What,
    pub(crate) at: ExprRef,
}

/// Keys by which the data under a name is looked into, for one file.
type Keys = Rc<BTreeMap<String, Vec<(String, ExprRef)>>>;

/// The backward view that keeps what it walks over.
pub(crate) struct Carrier<'w, 'm, 'f> {
    world: &'w World<'m>,
    flow: &'f Flow<'w, 'm>,
    keys: Memo<u32, Keys>,
    fields: Memo<ClassRef, Rc<BTreeSet<String>>>,
    /// Fields that methods of a unit assign, by class.
    assigned: Memo<u32, Rc<HashMap<ClassId, Vec<&'m str>>>>,
    /// The class of the project that an annotation names, by unit and place of the annotation.
    classes: Memo<(u32, usize), Option<ClassRef>>,
    /// What was made of names.
    names: RefCell<HashMap<Box<str>, Rc<Spelt>>>,
}

/// A name as lists of words are asked for it.
#[derive(Debug)]
pub(super) struct Spelt {
    /// Without case and separators.
    pub(super) plain: String,
    /// Its words.
    pub(super) words: Vec<String>,
}

struct Walk {
    /// The unit in which the walk began.
    from: u32,
    items: Vec<Item>,
    /// Items that were counted as work.
    counted: usize,
    stack: Vec<(ExprRef, u8)>,
    seen: HashSet<ExprRef>,
    params: HashSet<(FunctionRef, u32)>,
}

impl Walk {
    fn add(&mut self, what: What, at: ExprRef) {
        if self.items.len() < NODES_MAX {
            self.items.push(Item { what, at });
        }
    }

    fn push(&mut self, at: ExprRef, depth: u8) {
        if depth <= DEPTH_MAX {
            self.stack.push((at, depth));
        }
    }
}

impl<'w, 'm, 'f> Carrier<'w, 'm, 'f> {
    pub(crate) fn new(world: &'w World<'m>, flow: &'f Flow<'w, 'm>) -> Self {
        Self {
            world,
            flow,
            keys: Memo::default(),
            fields: Memo::default(),
            assigned: Memo::default(),
            classes: Memo::default(),
            names: RefCell::default(),
        }
    }

    /// A name without case, and its words: the same few names stand in the data of thousands of calls.
    pub(super) fn spelt(&self, name: &str) -> Rc<Spelt> {
        if let Some(known) = self.names.borrow().get(name) {
            return known.clone();
        }
        let spelt = Rc::new(Spelt {
            plain: flat(name),
            words: split(name),
        });
        self.names.borrow_mut().insert(name.into(), spelt.clone());
        spelt
    }

    /// What a call is given, its receiver included: a trained model carries what it learned from.
    pub(crate) fn of_call(&self, call: ExprRef) -> Vec<Item> {
        self.of_made_call(call, &[])
    }

    /// What a call is given, with what was given where that was made which it calls: `ai.definePrompt({ prompt: "…" })`.
    pub(crate) fn of_made_call(&self, call: ExprRef, made: &[ExprRef]) -> Vec<Item> {
        let Expr::Call { callee, args, .. } = self.world.expr(call) else {
            return Vec::new();
        };
        let mut walk = Walk {
            from: call.0,
            items: Vec::new(),
            counted: 0,
            stack: Vec::new(),
            seen: HashSet::default(),
            params: HashSet::default(),
        };
        if let Expr::Member { object, .. } = self.world.expr(ExprRef(call.0, *callee)) {
            walk.push(ExprRef(call.0, *object), 1);
        }
        for made in made {
            if let Expr::Call { args, .. } = self.world.expr(*made) {
                for arg in args.iter().rev() {
                    walk.push(ExprRef(made.0, arg.value), 0);
                }
            }
        }
        for arg in args.iter().rev() {
            if !arg.name.as_deref().is_some_and(|name| SETTINGS.contains(&name)) {
                walk.push(ExprRef(call.0, arg.value), 0);
            }
        }
        self.run(&mut walk);
        walk.items
    }

    /// What one value is made of.
    pub(crate) fn of_value(&self, value: ExprRef) -> Vec<Item> {
        let mut walk = Walk {
            from: value.0,
            items: Vec::new(),
            counted: 0,
            stack: vec![(value, 0)],
            seen: HashSet::default(),
            params: HashSet::default(),
        };
        self.run(&mut walk);
        walk.items
    }

    fn run(&self, walk: &mut Walk) {
        while let Some((at, depth)) = walk.stack.pop() {
            if walk.seen.len() >= NODES_MAX || !self.world.spend(walk.from, 1 + walk.items.len() - walk.counted) {
                break;
            }
            walk.counted = walk.items.len();
            if self.world.unit(at.0).zone == Zone::Product && walk.seen.insert(at) {
                self.step(walk, at, depth);
            }
        }
    }

    fn step(&self, walk: &mut Walk, at: ExprRef, depth: u8) {
        let ExprRef(unit, _) = at;
        match self.world.expr(at) {
            Expr::Name(name) => {
                self.constant(walk, at, name);
                self.name(walk, at, name, depth);
            }
            Expr::Member { object, name } => {
                let object = ExprRef(unit, *object);
                if let Some(base) = base_name(self.world.module(unit), object.1) {
                    self.constant(walk, at, base);
                }
                self.member(walk, at, object, name);
                if let Expr::Name(base) = self.world.expr(object)
                    && matches!(&**base, "self" | "this")
                {
                    self.own_field(walk, object, name, depth);
                } else {
                    walk.push(object, depth);
                }
            }
            Expr::Index { object, key } => {
                let object = ExprRef(unit, *object);
                for key in texts(self.world, ExprRef(unit, *key)) {
                    self.member(walk, at, object, &key);
                }
                walk.push(object, depth);
                if !matches!(self.world.expr(ExprRef(unit, *key)), Expr::Str(_) | Expr::List(_)) {
                    walk.push(ExprRef(unit, *key), depth + 1);
                }
            }
            Expr::Call { callee, args, new } => self.call(walk, at, ExprRef(unit, *callee), args, *new, depth),
            Expr::Map(entries) => {
                for entry in entries {
                    let key = entry.key.map(|key| self.world.module(unit).expr(key));
                    if let Some(Expr::Str(key)) = key {
                        if SETTINGS.contains(&&**key) {
                            continue;
                        }
                        walk.add(What::Key(key.to_string()), ExprRef(unit, entry.value));
                    }
                    walk.push(ExprRef(unit, entry.value), depth);
                }
            }
            Expr::List(parts) => {
                for text in texts(self.world, at) {
                    walk.add(What::Key(text), at);
                }
                for part in parts {
                    walk.push(ExprRef(unit, *part), depth);
                }
            }
            Expr::Str(text) => {
                let part = self
                    .world
                    .parent(at)
                    .is_some_and(|parent| matches!(self.world.expr(parent), Expr::Template(_)));
                if !part && (text.contains(' ') || self.world.prompt_file(at).is_some()) {
                    walk.add(What::Text, at);
                }
            }
            Expr::Template(parts) => {
                walk.add(What::Text, at);
                for part in parts {
                    walk.push(ExprRef(unit, *part), depth);
                }
            }
            Expr::Function(function) => {
                for value in &self.world.index(unit).returns[function.0 as usize] {
                    walk.push(ExprRef(unit, *value), depth);
                }
            }
            _ => {
                for child in self.world.module(unit).children(at.1) {
                    walk.push(ExprRef(unit, child), depth);
                }
            }
        }
    }

    /// A text that another file of the project keeps under a name: `PROMPT`, `PROMPTS.SCREENING`, `Prompts.SCREENING`.
    fn constant(&self, walk: &mut Walk, at: ExprRef, base: &str) {
        if !self.comes_from_elsewhere(at, base) {
            return;
        }
        for value in self.world.eval(at).iter() {
            if let Value::Text(parts) = value {
                let text = crate::values::render(parts);
                if text.contains(' ') || text.chars().count() < text.len() {
                    walk.add(What::Constant(Rc::from(text)), at);
                }
            }
        }
    }

    /// Whether a name is bound by an import, or nowhere in its file.
    fn comes_from_elsewhere(&self, at: ExprRef, base: &str) -> bool {
        let index = self.world.index(at.0);
        let mut scope = index.expr_scope[at.1.0 as usize];
        while scope != NONE {
            let here = &index.scopes[scope as usize];
            if let Some(bindings) = here.names.get(base) {
                return bindings
                    .iter()
                    .all(|binding| matches!(binding.source, BindSource::Import(..)));
            }
            if let ScopeKind::Class(class) = here.kind
                && index.fields.contains_key(&(class, base))
            {
                return false;
            }
            scope = here.parent;
        }
        !matches!(base, "self" | "this" | "cls" | "super")
    }

    /// A field of a named thing, a field of a form, or a key by itself.
    fn member(&self, walk: &mut Walk, at: ExprRef, object: ExprRef, name: &str) {
        let base = last_name(self.world, object).unwrap_or("");
        if matches!(base, "files" | "FILES") {
            walk.add(What::Upload(name.to_owned()), at);
        }
        let what = if FORMS.contains(&base) {
            What::Form(name.to_owned())
        } else if base.is_empty() {
            What::Key(name.to_owned())
        } else {
            What::Field(base.to_owned(), name.to_owned())
        };
        walk.add(what, at);
    }

    fn name(&self, walk: &mut Walk, at: ExprRef, name: &str, depth: u8) {
        if matches!(name, "self" | "this" | "cls" | "super") {
            return;
        }
        walk.add(What::Name(name.to_owned()), at);
        for value in self.world.eval(at).iter() {
            if let Value::Instance(class, _) | Value::Class(class) = value {
                walk.add(What::Class(*class), at);
            }
        }
        if depth >= DEPTH_MAX {
            return;
        }
        let index = self.world.index(at.0);
        let mut scope = index.expr_scope[at.1.0 as usize];
        while scope != NONE {
            let here = &index.scopes[scope as usize];
            if let Some(bindings) = here.names.get(name) {
                for binding in bindings.iter().take(12) {
                    self.binding(walk, at, binding, depth);
                }
                // What a library is called with is no part of the library.
                let imported = bindings
                    .iter()
                    .all(|binding| matches!(binding.source, BindSource::Import(..)));
                let put_in = index.mutations.get(&(scope, name)).filter(|_| !imported);
                // What is put into a map stands as near as an entry of one that is written out.
                for value in put_in.into_iter().flatten().take(24) {
                    walk.push(ExprRef(at.0, *value), depth);
                }
                if crate::project::is_python(self.world.unit(at.0).language) {
                    for (key, place) in self.keys_of(at.0).get(name).into_iter().flatten().take(60) {
                        walk.add(What::Field(name.to_owned(), key.clone()), *place);
                    }
                }
                return;
            }
            if let ScopeKind::Class(class) = here.kind
                && let Some(bindings) = index.fields.get(&(class, name))
            {
                for binding in bindings.iter().take(8) {
                    self.binding(walk, at, binding, depth);
                }
                return;
            }
            scope = here.parent;
        }
    }

    fn binding(&self, walk: &mut Walk, at: ExprRef, binding: &Binding<'m>, depth: u8) {
        let unit = at.0;
        if let Some(annotation) = binding.annotation {
            self.typed(walk, at, annotation, 0);
        }
        match binding.source {
            BindSource::Value(value) | BindSource::Each(value) => {
                let value = ExprRef(unit, value);
                for step in &binding.steps {
                    if let Step::Key(key) = step {
                        let what = if self.flow.origins(value).user {
                            What::Form((*key).to_owned())
                        } else {
                            What::Key((*key).to_owned())
                        };
                        walk.add(what, at);
                    }
                }
                walk.push(value, depth + 1);
            }
            BindSource::Param(function, position) => self.param(walk, at, FunctionRef(unit, function), position, depth),
            // A name that comes from another file of the project.
            BindSource::Import(..) | BindSource::Function(_) | BindSource::Class(_) | BindSource::Nothing => {}
        }
    }

    fn param(&self, walk: &mut Walk, at: ExprRef, function: FunctionRef, position: u32, depth: u8) {
        if !walk.params.insert((function, position)) {
            return;
        }
        let node = self.world.function(function);
        let param = &node.params[position as usize];
        if let Some(annotation) = &param.annotation {
            self.typed(walk, at, annotation, 0);
        }
        let injected = param
            .default
            .is_some_and(|default| callee_name(self.world, ExprRef(function.0, default)) == "Depends");
        if self.flow.handlers.contains(&function) && !injected {
            let file = param.annotation.as_ref().is_some_and(takes_file);
            for name in crate::flow::pattern_names(&param.pattern) {
                walk.add(What::Form(name.to_owned()), at);
                if file {
                    walk.add(What::Upload(name.to_owned()), at);
                }
            }
        }
        for caller in self.world.callers_of(function).iter().take(CALLERS_MAX) {
            if let Some(arg) = self.world.argument_for(function, position, *caller) {
                walk.push(arg, depth + 1);
            }
        }
        // What is left over by name is handed on as a whole: `def ask(**settings): client.create(**settings)`.
        if param.rest {
            for caller in self.world.callers_of(function).iter().take(CALLERS_MAX) {
                let Expr::Call { args, .. } = self.world.expr(*caller) else {
                    continue;
                };
                for arg in args.iter().filter(|arg| {
                    arg.name
                        .as_deref()
                        .is_some_and(|name| !SETTINGS.contains(&name) && !named_param(node, name))
                }) {
                    walk.push(ExprRef(caller.0, arg.value), depth + 1);
                }
            }
        }
        // A lambda that is handed to a method is given what the method is called on.
        if let Some(expr) = self.world.index(function.0).function_expr[function.1.0 as usize]
            && let Some(call) = self.world.parent(ExprRef(function.0, expr))
            && let Expr::Call { callee, .. } = self.world.expr(call)
            && let Expr::Member { object, name } = self.world.expr(ExprRef(call.0, *callee))
            && matches!(
                &**name,
                "map"
                    | "forEach"
                    | "filter"
                    | "flatMap"
                    | "reduce"
                    | "apply"
                    | "Select"
                    | "stream"
                    | "then"
                    | "for_each"
                    | "each"
                    | "sort"
                    | "sorted"
            )
        {
            walk.push(ExprRef(call.0, *object), depth + 1);
        }
    }

    /// The types of the project in a type as written: `List[Applicant]`, `Applicant[]`, `Task<Applicant>`.
    fn typed(&self, walk: &mut Walk, at: ExprRef, annotation: &TypeRef, depth: u8) {
        let key = (at.0, std::ptr::from_ref(annotation).addr());
        let class = self
            .world
            .known_or(&self.classes, key, || self.world.project_class(at.0, annotation));
        if let Some(class) = class {
            walk.add(What::Class(class), at);
        }
        if depth < 4 {
            for arg in annotation.args.iter().take(6) {
                self.typed(walk, at, arg, depth + 1);
            }
        }
    }

    fn own_field(&self, walk: &mut Walk, receiver: ExprRef, name: &str, depth: u8) {
        let index = self.world.index(receiver.0);
        let scope = index.expr_scope[receiver.1.0 as usize];
        if let Some(class) = index.class_of_scope(scope)
            && let Some(bindings) = index.fields.get(&(class, name))
        {
            for binding in bindings.iter().take(8) {
                self.binding(walk, receiver, binding, depth);
            }
        }
    }

    fn call(
        &self,
        walk: &mut Walk,
        at: ExprRef,
        callee: ExprRef,
        args: &'m [engine_syntax::ir::Arg],
        new: bool,
        depth: u8,
    ) {
        let unit = at.0;
        let name = callee_name(self.world, at);
        let first = args.first().map(|arg| self.world.module(unit).expr(arg.value));
        let text = match first {
            Some(Expr::Str(text)) => Some(&**text),
            _ => None,
        };
        // `applicant.getIncome()` reads a field.
        if args.is_empty()
            && let Expr::Member { object, .. } = self.world.expr(callee)
            && let Some(field) = name.strip_prefix("get").or_else(|| name.strip_prefix("is"))
            && field.starts_with(char::is_uppercase)
        {
            self.member(walk, at, ExprRef(unit, *object), field);
        }
        if matches!(name, "values" | "items" | "to_dict" | "dict" | "getlist" | "entries")
            && matches!(object_name(self.world, at), "form" | "POST" | "body")
        {
            walk.add(What::WholeForm, at);
        }
        if let Some(text) = text {
            let base = object_name(self.world, at);
            if matches!(
                name,
                "get"
                    | "getlist"
                    | "getAll"
                    | "getParameter"
                    | "FormValue"
                    | "PostFormValue"
                    | "FormFile"
                    | "Query"
                    | "Param"
                    | "pop"
                    | "single"
                    | "PostForm"
                    | "get_json"
                    | "getPart"
            ) {
                let what = if FORMS.contains(&base) || matches!(base, "r" | "c" | "ctx") || name.contains("Form") {
                    What::Form(text.to_owned())
                } else {
                    What::Field(base.to_owned(), text.to_owned())
                };
                walk.add(what, at);
            }
            // Each input of a model has its name: `NamedOnnxValue.CreateFromTensor("person_income", …)`.
            if matches!(name, "CreateFromTensor" | "createTensor") && text.len() <= 80 {
                walk.add(What::Key(text.to_owned()), at);
            }
            if is_widget(name) && text.len() <= 80 {
                walk.add(What::Form(text.to_owned()), at);
            }
            if matches!(name, "file_uploader" | "File" | "FileField" | "FormFile" | "single") && text.len() <= 80
                || name == "get" && base == "files"
            {
                walk.add(What::Upload(text.to_owned()), at);
            }
            if matches!(
                name,
                "from"
                    | "from_"
                    | "table"
                    | "Table"
                    | "collection"
                    | "Collection"
                    | "getCollection"
                    | "GetCollection"
                    | "model"
                    | "into"
                    | "knex"
                    | "read_sql_table"
            ) && text.len() <= 60
            {
                walk.add(What::Table(text.to_owned(), Vec::new()), at);
                walk.add(What::Store(text.to_owned()), at);
            }
            if looks_like_path(text) {
                walk.add(What::Store(text.to_owned()), at);
            }
        }
        for arg in args.iter().filter(|_| is_query(name)) {
            if let Expr::Str(text) = self.world.module(unit).expr(arg.value) {
                for (table, columns) in select(text) {
                    walk.add(What::Store(table.clone()), at);
                    walk.add(What::Table(table, columns), at);
                }
            }
        }
        if matches!(
            name,
            "findMany" | "findUnique" | "findFirst" | "find" | "findOne" | "findAll" | "findById"
        ) {
            let table = object_name(self.world, at);
            walk.add(What::Table(table.to_owned(), Vec::new()), at);
            walk.add(What::Store(table.to_owned()), at);
        }
        for value in self.world.eval(callee).iter() {
            if let Value::Class(class) = value {
                walk.add(What::Class(*class), at);
            }
        }
        // Fields that are given to a constructor by name.
        if new || name.starts_with(char::is_uppercase) {
            for arg in args {
                if let Some(field) = arg.name.as_deref()
                    && !SETTINGS.contains(&field)
                {
                    walk.add(What::Field(name.to_owned(), field.to_owned()), ExprRef(unit, arg.value));
                }
            }
        }
        if depth < DEPTH_MAX {
            for function in self.world.callees(at).iter().take(3) {
                for value in self.world.index(function.0).returns[function.1.0 as usize]
                    .iter()
                    .take(8)
                {
                    walk.push(ExprRef(function.0, *value), depth + 2);
                }
            }
        }
        if let Expr::Member { object, .. } = self.world.expr(callee) {
            walk.push(ExprRef(unit, *object), depth);
        }
        for arg in args {
            if !arg.name.as_deref().is_some_and(|name| SETTINGS.contains(&name)) {
                walk.push(ExprRef(unit, arg.value), depth);
            }
        }
    }

    /// The keys by which a file looks into what stands under each name: `df["income"]`, `df[["a", "b"]]`.
    fn keys_of(&self, unit: u32) -> Keys {
        self.keys.get_or(unit, || self.find_keys(unit))
    }

    fn find_keys(&self, unit: u32) -> Keys {
        let module = self.world.module(unit);
        let mut out: BTreeMap<String, Vec<(String, ExprRef)>> = BTreeMap::new();
        for (id, node) in module.exprs.iter().enumerate() {
            if let Expr::Index { object, key } = &node.kind
                && let Expr::Name(base) = module.expr(*object)
            {
                let at = ExprRef(unit, ExprId(crate::values::id(id)));
                for text in texts(self.world, ExprRef(unit, *key)) {
                    out.entry(base.to_string()).or_default().push((text, at));
                }
            }
        }
        Rc::new(out)
    }

    /// The names of the fields of a type of the project.
    pub(crate) fn fields_of(&self, class: ClassRef) -> Rc<BTreeSet<String>> {
        self.fields.get_or(class, || {
            let mut out = BTreeSet::new();
            for part in self.world.class_parts(class) {
                let node = self.world.module(part.0).class(part.1);
                out.extend(node.fields.iter().map(|field| flat(&field.name)));
                let assigned = self.assigned(part.0);
                out.extend(assigned.get(&part.1).into_iter().flatten().map(|name| flat(name)));
            }
            Rc::new(out)
        })
    }

    fn assigned(&self, unit: u32) -> Rc<HashMap<ClassId, Vec<&'m str>>> {
        self.assigned.get_or(unit, || {
            let mut out: HashMap<ClassId, Vec<&'m str>> = HashMap::default();
            #[expect(clippy::iter_over_hash_type, reason = "the names go into a set")]
            for (class, name) in self.world.index(unit).fields.keys() {
                out.entry(*class).or_default().push(name);
            }
            Rc::new(out)
        })
    }
}

/// Whether a function has a parameter of its own with that name.
fn named_param(function: &engine_syntax::ir::Function, name: &str) -> bool {
    function
        .params
        .iter()
        .any(|param| matches!(&param.pattern, engine_syntax::ir::Pattern::Name(own) if **own == *name))
}

/// The texts that an index or a list names: one, or several when all of its parts are texts.
fn texts(world: &World<'_>, at: ExprRef) -> Vec<String> {
    match world.expr(at) {
        Expr::Str(text) if text.len() <= 60 => vec![text.to_string()],
        Expr::List(parts) if !parts.is_empty() && parts.len() <= 200 => parts
            .iter()
            .map(|part| match world.module(at.0).expr(*part) {
                Expr::Str(text) if text.len() <= 60 => Some(text.to_string()),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The last name of a chain: `applicant` of `self.applicant`, `form` of `request.form`.
pub(crate) fn last_name<'w>(world: &World<'w>, mut at: ExprRef) -> Option<&'w str> {
    for _ in 0..16 {
        match world.expr(at) {
            Expr::Name(name) | Expr::Member { name, .. } => return Some(name),
            Expr::Await(inner) | Expr::Propagate(inner) | Expr::Cast { value: inner, .. } => {
                at = ExprRef(at.0, *inner);
            }
            Expr::Index { object, .. } => at = ExprRef(at.0, *object),
            Expr::Call { callee, args, .. } if args.is_empty() => {
                at = ExprRef(at.0, *callee);
            }
            _ => return None,
        }
    }
    None
}

/// Whether a parameter takes a file that somebody hands in.
fn takes_file(annotation: &TypeRef) -> bool {
    let last = annotation.name.rsplit(['.', ':']).next().unwrap_or(&annotation.name);
    matches!(last, "UploadFile" | "MultipartFile" | "IFormFile" | "FileStorage")
        || annotation.args.iter().any(takes_file)
}

/// Whether a call runs a query, by its name.
fn is_query(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["execute", "query", "fetch", "sql", "prepare", "raw", "select"]
        .iter()
        .any(|word| lower.contains(word))
        || matches!(name, "text" | "QueryRow")
}

/// Elements of a form by the name of what makes them.
fn is_widget(name: &str) -> bool {
    matches!(
        name,
        "text_input"
            | "text_area"
            | "number_input"
            | "selectbox"
            | "slider"
            | "file_uploader"
            | "radio"
            | "multiselect"
            | "select_slider"
            | "date_input"
            | "checkbox"
            | "Textbox"
            | "File"
            | "Number"
            | "Dropdown"
            | "Slider"
            | "Radio"
            | "FileField"
            | "StringField"
            | "IntegerField"
            | "input"
    )
}

/// Whether a text is the path of a file with data.
pub(crate) fn looks_like_path(text: &str) -> bool {
    text.len() <= 200
        && [
            ".csv", ".jsonl", ".json", ".parquet", ".tsv", ".xlsx", ".feather", ".txt", ".arrow", ".sqlite", ".db",
        ]
        .iter()
        .any(|ending| text.ends_with(ending))
}

/// The tables that a query of SQL reads, each with the columns that the query names.
fn select(text: &str) -> Vec<(String, Vec<String>)> {
    let head = text.trim_start();
    if head.len() > 8_000 || !head.get(..6).is_some_and(|verb| verb.eq_ignore_ascii_case("select")) {
        return Vec::new();
    }
    let words: Vec<&str> = head
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';' | '"' | '`'))
        .filter(|word| !word.is_empty())
        .collect();
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    let from = words.iter().position(|word| is(word, "from")).unwrap_or(words.len());
    let columns: Vec<String> = words[1..from.max(1)]
        .iter()
        .map(|word| word.rsplit('.').next().unwrap_or(word).to_owned())
        .filter(|word| word != "*")
        .collect();
    words
        .windows(2)
        .filter(|pair| is(pair[0], "from") || is(pair[0], "join"))
        .map(|pair| {
            let table = pair[1].rsplit('.').next().unwrap_or(pair[1]);
            (table.to_owned(), columns.clone())
        })
        .collect()
}

/// The table that a statement of SQL writes, with the columns that it names.
pub(crate) fn written_table(text: &str) -> Option<(String, Vec<String>)> {
    let words: Vec<&str> = text
        .trim_start()
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';' | '"' | '`' | '='))
        .filter(|word| !word.is_empty())
        .take(200)
        .collect();
    let is = |at: usize, wanted: &str| words.get(at).is_some_and(|word| word.eq_ignore_ascii_case(wanted));
    let table = if is(0, "update") {
        1
    } else if (is(0, "insert") || is(0, "replace")) && is(1, "into") || is(0, "merge") && is(1, "into") {
        2
    } else {
        return None;
    };
    let name = words.get(table)?.rsplit('.').next()?.to_owned();
    Some((name, words[table + 1..].iter().map(|word| (*word).to_owned()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_name_their_tables_and_columns() {
        assert_eq!(
            select("SELECT a.income, loan_amount FROM applicants a JOIN loans ON 1"),
            [
                (
                    "applicants".to_owned(),
                    vec!["income".to_owned(), "loan_amount".to_owned()]
                ),
                ("loans".to_owned(), vec!["income".to_owned(), "loan_amount".to_owned()])
            ]
        );
        assert!(select("Select one of the candidates from the list").len() <= 1);
        assert_eq!(
            written_table("UPDATE hr.applications SET status = ? WHERE id = ?").map(|(table, _)| table),
            Some("applications".to_owned())
        );
        assert_eq!(
            written_table("Update on the candidate"),
            Some(("on".to_owned(), vec!["the".to_owned(), "candidate".to_owned()]))
        );
    }
}
