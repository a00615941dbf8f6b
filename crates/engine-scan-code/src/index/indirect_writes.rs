//! Writes to a variable without an assignment: its own methods, calls that fill an argument, and functions of the
//! project that take it by reference.

use engine_model::Language;
use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId, Pattern};

use super::{ARGS_MAX, BindSource, NONE, Walker, base_name};

/// Calls that are kept for one variable that they may fill.
const CALLS_MAX: usize = 12;

/// Methods that put what they are given into a text, a list or a table, in eleven languages.
const PUTS: [&str; 45] = [
    "append",
    "append!",
    "Append",
    "AppendLine",
    "appendLine",
    "appendln",
    "AppendFormat",
    "AppendJoin",
    "concat",
    "push",
    "push_str",
    "push_back",
    "pushAll",
    "unshift",
    "add",
    "Add",
    "AddRange",
    "AddLast",
    "addLast",
    "addFirst",
    "addAll",
    "Enqueue",
    "enqueue",
    "offer",
    "insert",
    "Insert",
    "extend",
    "extend_from_slice",
    "update",
    "put",
    "putAll",
    "putIfAbsent",
    "set",
    "store",
    "write",
    "Write",
    "WriteLine",
    "writeln",
    "WriteString",
    "WriteRune",
    "WriteByte",
    "write_str",
    "prepend",
    "setdefault",
    "merge!",
];

/// Those that a list of turns or of parts has; a field is filled by no other, since much else that a class keeps has methods of these names.
const LISTS: [&str; 17] = [
    "append",
    "Append",
    "AppendLine",
    "appendLine",
    "push",
    "push_str",
    "push_back",
    "unshift",
    "add",
    "Add",
    "AddRange",
    "addLast",
    "AddLast",
    "addAll",
    "Enqueue",
    "extend",
    "WriteString",
];

impl<'m> Walker<'m> {
    /// What a call puts into the thing whose method it is: `text.append(a)`, `this.history.push(b)`. Of a call whose result is used only a method that is
    /// known to do so counts.
    pub(super) fn put_by(&mut self, call: ExprId, scope: u32, used: bool) {
        let module = self.index.module;
        let mut value = call;
        while let Expr::Await(inner) | Expr::Propagate(inner) = module.expr(value) {
            value = *inner;
        }
        let Expr::Call { callee, args, .. } = module.expr(value) else {
            return;
        };
        if !used {
            self.hand(value, scope);
        }
        let Expr::Member { object, name: method } = module.expr(*callee) else {
            return;
        };
        let known = PUTS.contains(&&**method);
        if used && !known {
            return;
        }
        let mut values: Vec<_> = args.iter().map(|arg| arg.value).collect();
        let mut object = *object;
        // `text.append(a).append(b)` puts both.
        while known
            && values.len() < ARGS_MAX
            && let Expr::Call { callee, args, .. } = module.expr(object)
            && let Expr::Member { object: before, name } = module.expr(*callee)
        {
            if !PUTS.contains(&&**name) {
                break;
            }
            values.extend(args.iter().map(|arg| arg.value));
            object = *before;
        }
        if let Some(name) = base_name(module, object) {
            if LISTS.contains(&&**method) && self.is_receiver(name, scope) {
                self.put_in_field(object, &values, scope);
            }
            self.mutate(scope, name, values);
        }
    }

    /// Keeps what a method puts into a field of its own object.
    fn put_in_field(&mut self, mut place: ExprId, values: &[ExprId], scope: u32) {
        /// Steps from a place to the field.
        const STEPS_MAX: usize = 8;
        let module = self.index.module;
        for _ in 0..STEPS_MAX {
            match module.expr(place) {
                Expr::Member { object, name } => {
                    if matches!(module.expr(*object), Expr::Name(_))
                        && let Some(class) = self.index.class_of_scope(scope)
                    {
                        self.index
                            .put_in_fields
                            .entry((class, name))
                            .or_default()
                            .extend(values);
                        return;
                    }
                    place = *object;
                }
                Expr::Index { object, .. } => place = *object,
                _ => return,
            }
        }
    }

    /// Notes a call of which nothing is kept beside the variables that it is handed: it may be there to fill one.
    pub(super) fn hand(&mut self, call: ExprId, scope: u32) {
        let module = self.index.module;
        let Expr::Call { args, .. } = module.expr(call) else {
            return;
        };
        for arg in args.iter().take(ARGS_MAX) {
            let Expr::Name(name) = module.expr(arg.value) else {
                continue;
            };
            let mut at = scope;
            while at != NONE {
                if let Some(bindings) = self.index.scopes[at as usize].names.get(&**name) {
                    let may = bindings.iter().any(|binding| match binding.source {
                        BindSource::Param(..) => true,
                        BindSource::Nothing => module.language == Language::Go,
                        BindSource::Value(value) => binding.steps.is_empty() && is_built(module, value),
                        _ => false,
                    });
                    if may {
                        let calls = self.index.handed.entry((at, name)).or_default();
                        if calls.len() < CALLS_MAX && calls.last() != Some(&call) {
                            calls.push(call);
                        }
                    }
                    break;
                }
                at = self.index.scopes[at as usize].parent;
            }
        }
    }

    /// Notes a writer that is made around a text or a body, or for a part of one: what is written there is in the text.
    pub(super) fn note_writer(&mut self, target: &'m Pattern, mut value: ExprId, scope: u32) {
        let module = self.index.module;
        while let Expr::Await(inner) | Expr::Propagate(inner) | Expr::Cast { value: inner, .. } = module.expr(value) {
            value = *inner;
        }
        let Expr::Call { callee, args, .. } = module.expr(value) else {
            return;
        };
        let (owner, name) = match module.expr(*callee) {
            Expr::Member { object, name } => (Some(*object), &**name),
            Expr::Name(name) => (None, &**name),
            _ => return,
        };
        // `writer.CreateFormFile("file", path)`
        let part = name.starts_with("CreateForm") || name == "CreatePart";
        let around = ["Writer", "writer", "Encoder"].iter().any(|end| name.ends_with(end));
        let inner = match args.first().map(|arg| module.expr(arg.value)) {
            _ if part => match owner.map(|owner| module.expr(owner)) {
                Some(Expr::Name(inner)) => inner,
                _ => return,
            },
            Some(Expr::Name(inner)) if around => inner,
            _ => return,
        };
        let writer = match target {
            Pattern::Name(writer) => writer,
            Pattern::Tuple(parts) => match parts.first() {
                Some(Pattern::Name(writer)) => writer,
                _ => return,
            },
            _ => return,
        };
        let (Some(writer), Some(inner)) = (self.bound_in(scope, writer), self.bound_in(scope, inner)) else {
            return;
        };
        if writer != inner && !self.is_reply(inner.1, scope) {
            let inner = self.writers.get(&inner).copied().unwrap_or(inner);
            self.writers.insert(writer, inner);
        }
    }

    /// The scope in which a name is bound, with the name.
    fn bound_in(&self, scope: u32, name: &'m str) -> Option<(u32, &'m str)> {
        let mut at = scope;
        while at != NONE {
            let here = &self.index.scopes[at as usize];
            if here.names.contains_key(name) {
                return Some((at, name));
            }
            at = here.parent;
        }
        None
    }

    /// Whether a name is what a server answers with: what is written into that goes out and stays in nothing.
    pub(super) fn is_reply(&self, name: &str, scope: u32) -> bool {
        let mut at = scope;
        while at != NONE {
            let here = &self.index.scopes[at as usize];
            if let Some(bindings) = here.names.get(name) {
                let typed = |of: &&engine_syntax::ir::TypeRef| of.name.ends_with("ResponseWriter");
                return bindings
                    .iter()
                    .any(|binding| binding.annotation.as_ref().is_some_and(typed));
            }
            at = here.parent;
        }
        false
    }
}

/// Whether an assignment keeps nothing but whether a call failed: `_ = fill(&text)`, `if err := fill(&text); err != nil`.
pub(super) fn drops(target: &Pattern) -> bool {
    match target {
        Pattern::Ignore => true,
        Pattern::Name(name) => matches!(&**name, "_" | "err"),
        Pattern::Tuple(parts) => parts.iter().all(drops),
        Pattern::Place(_) | Pattern::Object(_) => false,
    }
}

/// Whether a value is a text, a list or a table that is made here, to be filled.
pub(crate) fn is_built(module: &Module, mut value: ExprId) -> bool {
    /// Names of what is made empty, in lower case without marks.
    const MADE: [&str; 35] = [
        "array",
        "arraydeque",
        "arraylist",
        "arrayof",
        "buffer",
        "builder",
        "bytesio",
        "concurrenthashmap",
        "deque",
        "dict",
        "dictionary",
        "hashmap",
        "jarray",
        "jobject",
        "jsonarray",
        "jsonobject",
        "linkedhashmap",
        "linkedlist",
        "list",
        "make",
        "map",
        "mutablelistof",
        "mutablemapof",
        "new",
        "newbuffer",
        "newstringbuilder",
        "ordereddict",
        "set",
        "string",
        "stringbuffer",
        "stringbuilder",
        "stringio",
        "stringjoiner",
        "stringwriter",
        "with_capacity",
    ];
    while let Expr::Cast { value: inner, .. } = module.expr(value) {
        value = *inner;
    }
    match module.expr(value) {
        Expr::List(_) | Expr::Map(_) | Expr::Str(_) => true,
        Expr::Call { callee, .. } => match module.expr(*callee) {
            Expr::Name(name) | Expr::Member { name, .. } => MADE
                .binary_search(&name.to_ascii_lowercase().trim_end_matches('!'))
                .is_ok(),
            _ => false,
        },
        _ => false,
    }
}

/// Variables that a call fills: `c.ShouldBindJSON(&question)`, `row.Scan(&name, &text)`, `fmt.Fprintf(&text, …)`, `write!(text, …)`,
/// `array_push($list, …)`, `Object.assign(body, …)`, `print(…, file=text)`.
pub(super) fn filled_by(module: &Module, call: ExprId) -> impl Iterator<Item = &str> {
    let args = match module.expr(call) {
        Expr::Call { callee, args, .. } => {
            let (owner, name) = match module.expr(*callee) {
                Expr::Member { object, name } => match module.expr(*object) {
                    Expr::Name(owner) => (&**owner, &**name),
                    _ => ("-", &**name),
                },
                Expr::Name(name) => ("", &**name),
                _ => ("", ""),
            };
            let first = || args.first().map(std::slice::from_ref).unwrap_or_default();
            match module.language {
                Language::Go => match name {
                    _ if owner.is_empty() => &[],
                    "ShouldBindJSON" | "ShouldBind" | "ShouldBindQuery" | "ShouldBindUri" | "BindJSON" | "Bind"
                    | "BindQuery" | "BodyParser" | "QueryParser" | "Decode" | "Unmarshal" => {
                        args.last().map(std::slice::from_ref).unwrap_or_default()
                    }
                    "Scan" | "StructScan" => args,
                    "Fprintf" | "Fprint" | "Fprintln" if owner == "fmt" => first(),
                    "Copy" | "WriteString" if owner == "io" => first(),
                    "Execute" | "ExecuteTemplate" if args.len() > 1 => first(),
                    "Encode" => match module.expr(*callee) {
                        // `json.NewEncoder(&buf).Encode(x)` writes what it is given into the buffer.
                        Expr::Member { object, .. } => match module.expr(*object) {
                            Expr::Call { args, .. } => args.first().map(std::slice::from_ref).unwrap_or_default(),
                            _ => &[],
                        },
                        _ => &[],
                    },
                    _ => &[],
                },
                Language::Rust if matches!(name, "write!" | "writeln!") => first(),
                Language::Php if matches!(name, "array_push" | "array_unshift") => first(),
                Language::JavaScript | Language::TypeScript | Language::Tsx
                    if (owner, name) == ("Object", "assign") =>
                {
                    first()
                }
                Language::Java | Language::Kotlin if (owner, name) == ("Collections", "addAll") => first(),
                Language::Python | Language::Notebook if name == "print" && owner.is_empty() => args
                    .iter()
                    .find(|arg| arg.name.as_deref() == Some("file"))
                    .map(std::slice::from_ref)
                    .unwrap_or_default(),
                _ => &[],
            }
        }
        _ => &[],
    };
    args.iter().filter_map(|arg| match module.expr(arg.value) {
        Expr::Name(name) => Some(&**name),
        _ => None,
    })
}
