//! A module as compact text, one line for each statement.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::ir::{
    ClassId, Declares, Element, ExportSource, Expr, ExprId, Function, FunctionId, Handler, Module, Param, Pattern,
    Stmt, StmtKind, TypeRef,
};

/// The imports, exports and statements of a module.
pub(super) fn dump(module: &Module) -> String {
    let mut dump = Dump {
        module,
        out: String::new(),
        indent: 0,
        imported: BTreeSet::new(),
    };
    if module.truncated {
        dump.line("truncated");
    }
    dump.block(&module.body);
    for index in 0..u32::try_from(module.imports.len()).unwrap_or(0) {
        if !dump.imported.contains(&index) {
            dump.import(index);
        }
    }
    for export in &module.exports {
        let source = match &export.source {
            ExportSource::Local(name) => name.to_string(),
            ExportSource::From { module, item } => format!("{module}#{}", item.as_deref().unwrap_or("")),
            ExportSource::Expr(id) => dump.expr(*id),
        };
        dump.line(&format!("export {} = {source}", export.name));
    }
    dump.out.trim_end().to_owned()
}

struct Dump<'m> {
    module: &'m Module,
    out: String,
    indent: usize,
    imported: BTreeSet<u32>,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.indent));
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn nested(&mut self, head: &str, body: &[Stmt]) {
        self.line(head);
        self.indent += 1;
        self.block(body);
        self.indent -= 1;
    }

    /// The statements of a block on one line, for blocks inside expressions.
    fn inline(&self, body: &[Stmt]) -> String {
        let mut inner = Dump {
            module: self.module,
            out: String::new(),
            indent: 0,
            imported: BTreeSet::new(),
        };
        inner.block(body);
        inner.out.lines().map(str::trim).collect::<Vec<_>>().join("; ")
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(id) => {
                let text = self.expr(*id);
                self.line(&text);
            }
            StmtKind::Assign {
                target,
                value,
                annotation,
                declares,
            } => {
                let word = if *declares == Declares::Nothing { "" } else { "let " };
                let kind = annotation
                    .as_ref()
                    .map(|kind| format!(": {}", type_ref(kind)))
                    .unwrap_or_default();
                let value = value.map(|id| format!(" = {}", self.expr(id))).unwrap_or_default();
                let text = format!("{word}{}{kind}{value}", self.pattern(target));
                self.line(&text);
            }
            StmtKind::Return(value) => {
                let value = value.map(|id| format!(" {}", self.expr(id))).unwrap_or_default();
                self.line(&format!("return{value}"));
            }
            StmtKind::Raise(value) => {
                let value = value.map(|id| format!(" {}", self.expr(id))).unwrap_or_default();
                self.line(&format!("raise{value}"));
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let head = format!("if {}", self.expr(*condition));
                self.nested(&head, then);
                if !otherwise.is_empty() {
                    self.nested("else", otherwise);
                }
            }
            StmtKind::Match { subject, arms } => {
                let subject = subject.map(|id| format!(" {}", self.expr(id))).unwrap_or_default();
                self.line(&format!("match{subject}"));
                for arm in arms {
                    self.indent += 1;
                    self.nested("arm", arm);
                    self.indent -= 1;
                }
            }
            StmtKind::Loop { pattern, subject, body } => {
                let pattern = pattern
                    .as_ref()
                    .map(|pattern| format!(" {} in", self.pattern(pattern)))
                    .unwrap_or_default();
                let subject = subject.map(|id| format!(" {}", self.expr(id))).unwrap_or_default();
                self.nested(&format!("loop{pattern}{subject}"), body);
            }
            StmtKind::With { items, body } => {
                let items: Vec<String> = items
                    .iter()
                    .map(|(id, target)| {
                        let target = target
                            .as_ref()
                            .map(|target| format!(" as {}", self.pattern(target)))
                            .unwrap_or_default();
                        format!("{}{target}", self.expr(*id))
                    })
                    .collect();
                self.nested(&format!("with {}", items.join(", ")), body);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                self.nested("try", body);
                for Handler { types, name, body, .. } in handlers {
                    let mut head = "catch".to_owned();
                    for kind in types {
                        let _ = write!(head, " {}", type_ref(kind));
                    }
                    if let Some(name) = name {
                        let _ = write!(head, " as {name}");
                    }
                    self.nested(&head, body);
                }
                if !finally.is_empty() {
                    self.nested("finally", finally);
                }
            }
            StmtKind::Function(id) => {
                let head = self.function_head(*id);
                let module = self.module;
                self.nested(&head, &module.function(*id).body);
            }
            StmtKind::Class(id) => self.class(*id),
            StmtKind::Import(index) => self.import(*index),
            StmtKind::Block(body) => self.nested("block", body),
        }
    }

    fn import(&mut self, index: u32) {
        self.imported.insert(index);
        let import = &self.module.imports[index as usize];
        let mut text = format!("import {}", import.module);
        for binding in &import.bindings {
            let kind = if binding.type_only { "type " } else { "" };
            let _ = write!(text, " {kind}{}=", binding.local);
            if binding.module != import.module {
                let _ = write!(text, "{}", binding.module);
            }
            let _ = write!(text, "#{}", binding.item.as_deref().unwrap_or(""));
        }
        for (set, word) in [
            (import.star, " *"),
            (import.type_only, " (types)"),
            (import.optional, " (optional)"),
        ] {
            if set {
                text.push_str(word);
            }
        }
        self.line(&text);
    }

    fn class(&mut self, id: ClassId) {
        let class = self.module.class(id);
        let word = if class.is_interface { "interface" } else { "class" };
        for decorator in &class.decorators {
            let text = format!("@{}", self.expr(*decorator));
            self.line(&text);
        }
        let bases: Vec<String> = class.bases.iter().map(type_ref).collect();
        self.line(&format!(
            "{word} {}({})",
            class.name.as_deref().unwrap_or(""),
            bases.join(", ")
        ));
        self.indent += 1;
        for field in &class.fields {
            let kind = field
                .annotation
                .as_ref()
                .map(|kind| format!(": {}", type_ref(kind)))
                .unwrap_or_default();
            let value = field
                .value
                .map(|id| format!(" = {}", self.expr(id)))
                .unwrap_or_default();
            let marks = self.marks(&field.decorators);
            self.line(&format!("{marks}.{}{kind}{value}", field.name));
        }
        let module = self.module;
        for method in &class.methods {
            let head = self.function_head(*method);
            self.nested(&head, &module.function(*method).body);
        }
        self.indent -= 1;
    }

    fn function_head(&self, id: FunctionId) -> String {
        let function: &Function = self.module.function(id);
        let mut head = String::new();
        for decorator in &function.decorators {
            let _ = write!(head, "@{} ", self.expr(*decorator));
        }
        if function.is_async {
            head.push_str("async ");
        }
        let _ = write!(head, "fn {}", function.name.as_deref().unwrap_or(""));
        if let Some(receiver) = &function.receiver {
            let _ = write!(head, "[{receiver}]");
        }
        let _ = write!(head, "({})", self.params(&function.params));
        if let Some(kind) = &function.returns {
            let _ = write!(head, " -> {}", type_ref(kind));
        }
        head
    }

    fn marks(&self, decorators: &[ExprId]) -> String {
        decorators
            .iter()
            .fold(String::new(), |marks, id| marks + "@" + &self.expr(*id) + " ")
    }

    fn params(&self, params: &[Param]) -> String {
        let texts: Vec<String> = params
            .iter()
            .map(|param| {
                let marks = self.marks(&param.decorators);
                let rest = if param.rest { "..." } else { "" };
                let kind = param
                    .annotation
                    .as_ref()
                    .map(|kind| format!(": {}", type_ref(kind)))
                    .unwrap_or_default();
                let value = param
                    .default
                    .map(|id| format!(" = {}", self.expr(id)))
                    .unwrap_or_default();
                format!("{marks}{rest}{}{kind}{value}", self.pattern(&param.pattern))
            })
            .collect();
        texts.join(", ")
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Name(name) => name.to_string(),
            Pattern::Place(id) => self.expr(*id),
            Pattern::Tuple(parts) => {
                format!(
                    "[{}]",
                    parts
                        .iter()
                        .map(|part| self.pattern(part))
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            Pattern::Object(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|(name, part)| format!("{name}: {}", self.pattern(part)))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Pattern::Ignore => "_".to_owned(),
        }
    }

    fn list(&self, ids: &[ExprId]) -> String {
        ids.iter().map(|id| self.expr(*id)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, id: ExprId) -> String {
        match self.module.expr(id) {
            Expr::Name(name) | Expr::Number(name) => name.to_string(),
            Expr::Member { object, name } => format!("{}.{name}", self.expr(*object)),
            Expr::Index { object, key } => format!("{}[{}]", self.expr(*object), self.expr(*key)),
            Expr::Call { callee, args, new } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|arg| {
                        let name = arg.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
                        let spread = if arg.spread { "..." } else { "" };
                        format!("{name}{spread}{}", self.expr(arg.value))
                    })
                    .collect();
                let new = if *new { "new " } else { "" };
                format!("{new}{}({})", self.expr(*callee), args.join(", "))
            }
            Expr::Str(text) => format!("{text:?}"),
            Expr::Template(parts) => format!("tpl({})", self.list(parts)),
            Expr::Bool(value) => value.to_string(),
            Expr::Null => "null".to_owned(),
            Expr::List(parts) => format!("[{}]", self.list(parts)),
            Expr::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|entry| match entry.key {
                        Some(key) => format!("{}: {}", self.expr(key), self.expr(entry.value)),
                        None => format!("...{}", self.expr(entry.value)),
                    })
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            Expr::Function(id) => {
                format!(
                    "({} => {{{}}})",
                    self.function_head(*id),
                    self.inline(&self.module.function(*id).body)
                )
            }
            Expr::Class(id) => {
                let mut inner = Dump {
                    module: self.module,
                    out: String::new(),
                    indent: 0,
                    imported: BTreeSet::new(),
                };
                inner.class(*id);
                format!("({})", inner.out.lines().map(str::trim).collect::<Vec<_>>().join("; "))
            }
            Expr::Await(value) => format!("await {}", self.expr(*value)),
            Expr::Propagate(value) => format!("{}?", self.expr(*value)),
            Expr::Choice { condition, values } => {
                let values = values.iter().map(|id| self.expr(*id)).collect::<Vec<_>>().join(" | ");
                match condition {
                    Some(condition) => format!("choice({} ? {values})", self.expr(*condition)),
                    None => format!("choice({values})"),
                }
            }
            Expr::Test(parts) => format!("test({})", self.list(parts)),
            Expr::Import(module) => format!("import({module:?})"),
            Expr::Assign { target, value } => format!("({} := {})", self.pattern(target), self.expr(*value)),
            Expr::Cast { value, to } => format!("({} as {})", self.expr(*value), type_ref(to)),
            Expr::Element(element) => {
                let Element {
                    name,
                    attributes,
                    children,
                } = &**element;
                let mut text = format!("<{name}");
                for (name, value) in attributes {
                    let _ = write!(text, " {name}={}", self.expr(*value));
                }
                let _ = write!(text, ">[{}]", self.list(children));
                text
            }
            Expr::Block(body) => format!("block{{{}}}", self.inline(body)),
            Expr::Comprehension { loops, value } => {
                let mut text = String::from("each(");
                for (target, over) in loops {
                    let _ = write!(text, "{} in {}; ", self.pattern(target), self.expr(*over));
                }
                let _ = write!(text, "{})", self.expr(*value));
                text
            }
            Expr::Other(parts) => format!("other({})", self.list(parts)),
        }
    }
}

fn type_ref(kind: &TypeRef) -> String {
    if kind.args.is_empty() {
        return kind.name.to_string();
    }
    format!(
        "{}<{}>",
        kind.name,
        kind.args.iter().map(type_ref).collect::<Vec<_>>().join(", ")
    )
}
