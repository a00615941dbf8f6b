//! Lowers Python.
//!
//! Choices that the intermediate form leaves open:
//! - The `else` of a loop follows the loop, the `else` of a `try` follows its body.
//! - `global x` and `nonlocal x` are calls of the names `global` and `nonlocal`, which nothing else can have.
//! - `x += y` is an assignment of the template of `x` and `y`; other operators give `Other`.
//! - The docstring of a class is its field `__doc__`; statements of a class body that are neither fields nor methods
//!   stand before the class.
//! - A pattern of a `match` that binds names is an assignment from the subject at the start of its arm.
//! - A filter of a comprehension is a loop over the condition that binds nothing.

mod text;

use std::cell::RefCell;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{self, Builder, ParserSlot, all_children, children, field, fields, has_token, plain};
use crate::ir::{
    Arg, Binding, ClassId, Declares, Expr, ExprId, Field, Function, Handler, Import, MapEntry, Module, Param, Pattern,
    Stmt, StmtKind, TypeRef,
};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a Python file.
pub(super) fn lower(text: &str) -> Module {
    let mut module = Module::new(Language::Python);
    lower_into(&mut module, text, Vec::new());
    module
}

/// Lowers a text behind what a module holds already; `rows` gives the line and cell of each row of the text.
pub(super) fn lower_into(module: &mut Module, text: &str, rows: Vec<(u32, u32)>) {
    let (text, whole) = super::guard::evaluated(text);
    module.truncated |= !whole;
    if headers_stay_open(text) {
        module.truncated = true;
        return;
    }
    let slot: &'static ParserSlot = &PARSER;
    let Some(tree) = builder::parse(slot, || tree_sitter_python::LANGUAGE.into(), text) else {
        module.truncated = true;
        return;
    };
    let mut b = Builder::new(module.language, text);
    b.rows = rows;
    std::mem::swap(&mut b.module, module);
    let mut python = Python {
        b,
        optional: false,
        type_only: false,
    };
    let body = python.block(tree.root_node());
    python.b.module.body.extend(body);
    std::mem::swap(&mut python.b.module, module);
}

/// Words that open a block; the line of each holds a colon unless the header goes on behind an open bracket.
const BLOCK_WORDS: [&str; 8] = ["with ", "if ", "for ", "while ", "def ", "class ", "elif ", "except "];

/// Headers without a colon beyond which a text is not parsed.
const OPEN_HEADERS_MAX: usize = 300;

/// Whether a text holds so many block headers without an end that the grammar would reduce the whole nesting anew at each
/// of them: its time is then the square of the length. People write none.
fn headers_stay_open(text: &str) -> bool {
    let open = |line: &&str| {
        let line = line.trim_start();
        BLOCK_WORDS.iter().any(|word| line.starts_with(word))
            && !line.contains([':', '(', '[', '{'])
            && !line.trim_end().ends_with(['\\', ','])
    };
    text.lines().filter(open).take(OPEN_HEADERS_MAX + 1).count() > OPEN_HEADERS_MAX
}

/// The lowering of one file.
struct Python<'t> {
    b: Builder<'t>,
    /// Whether a `try` around catches a failing import.
    optional: bool,
    /// Whether an `if TYPE_CHECKING` is around.
    type_only: bool,
}

impl Python<'_> {
    fn block(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
        let mut out = ThinVec::new();
        for child in children(node) {
            self.stmt(child, &mut out);
        }
        out
    }

    fn field_block(&mut self, node: Node<'_>, name: &str) -> ThinVec<Stmt> {
        field(node, name).map(|block| self.block(block)).unwrap_or_default()
    }

    fn stmt(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if self.b.enter() {
            self.stmt_inner(node, out);
            self.b.leave();
        }
    }

    fn push(&self, node: Node<'_>, kind: StmtKind, out: &mut ThinVec<Stmt>) {
        out.push(self.b.stmt(node, kind));
    }

    fn stmt_inner(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        match node.kind() {
            "expression_statement" => self.expression_statement(node, out),
            "assignment" => self.assignment(node, out),
            "augmented_assignment" => self.augmented(node, out),
            "return_statement" => {
                let value = self.values(node);
                self.push(node, StmtKind::Return(value), out);
            }
            "raise_statement" => {
                let value = children(node).first().map(|value| self.expr(*value));
                self.push(node, StmtKind::Raise(value), out);
            }
            "if_statement" => self.if_statement(node, out),
            "for_statement" | "while_statement" => self.loop_statement(node, out),
            "with_statement" => self.with_statement(node, out),
            "try_statement" => self.try_statement(node, out),
            "match_statement" => self.match_statement(node, out),
            "function_definition" => {
                let function = self.function(node, &[], None);
                self.push(node, StmtKind::Function(function), out);
            }
            "class_definition" => self.class(node, &[], out),
            "decorated_definition" => self.decorated(node, None, out),
            "import_statement" => self.import(node, out),
            "import_from_statement" | "future_import_statement" => self.import_from(node, out),
            "assert_statement" => {
                let parts = self.exprs(&children(node));
                let test = self.b.at(node, Expr::Test(parts));
                self.push(node, StmtKind::Expr(test), out);
            }
            "delete_statement" => {
                let parts = self.exprs(&children(node));
                let deleted = self.b.at(node, Expr::Other(parts));
                self.push(node, StmtKind::Expr(deleted), out);
            }
            "global_statement" | "nonlocal_statement" => {
                let word = if node.kind() == "global_statement" {
                    "global"
                } else {
                    "nonlocal"
                };
                let callee = self.b.at(node, Expr::Name(word.into()));
                let args = children(node)
                    .into_iter()
                    .map(|name| plain(self.b.name(name)))
                    .collect();
                let call = self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: false,
                    },
                );
                self.push(node, StmtKind::Expr(call), out);
            }
            "print_statement" | "exec_statement" => {
                let word = if node.kind() == "print_statement" {
                    "print"
                } else {
                    "exec"
                };
                let callee = self.b.at(node, Expr::Name(word.into()));
                let args = self.exprs(&children(node)).into_iter().map(plain).collect();
                let call = self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: false,
                    },
                );
                self.push(node, StmtKind::Expr(call), out);
            }
            "pass_statement" | "break_statement" | "continue_statement" | "type_alias_statement" | "comment" => {}
            "block" | "module" | "ERROR" => {
                for child in children(node) {
                    self.stmt(child, out);
                }
            }
            _ => {
                let value = self.expr(node);
                self.push(node, StmtKind::Expr(value), out);
            }
        }
    }

    fn expression_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        match parts.as_slice() {
            [one] if matches!(one.kind(), "assignment" | "augmented_assignment") => self.stmt_inner(*one, out),
            [one] => {
                let value = self.expr(*one);
                self.push(node, StmtKind::Expr(value), out);
            }
            many => {
                let parts = self.exprs(many);
                let list = self.b.at(node, Expr::List(parts));
                self.push(node, StmtKind::Expr(list), out);
            }
        }
    }

    /// `a = b = value` gives one assignment for each target; they share the value.
    fn assignment(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut targets = ThinVec::new();
        let mut current = node;
        let value = loop {
            if let Some(left) = field(current, "left") {
                targets.push((left, field(current, "type")));
            }
            match field(current, "right") {
                Some(right) if right.kind() == "assignment" => current = right,
                Some(right) => break Some(self.expr(right)),
                None => break None,
            }
        };
        for (left, annotation) in targets {
            let target = self.pattern(left);
            let annotation = annotation.map(|node| self.type_ref(node));
            self.push(
                node,
                StmtKind::Assign {
                    target,
                    value,
                    annotation: annotation.map(Box::new),
                    declares: Declares::Nothing,
                },
                out,
            );
        }
    }

    fn augmented(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return;
        };
        let target = self.pattern(left);
        let before = self.expr(left);
        let added = self.expr(right);
        let plus = field(node, "operator").is_some_and(|operator| operator.kind() == "+=");
        let value = if plus && !self.is_number(added) {
            self.b.concat(node, before, added)
        } else {
            self.b.at(node, Expr::Other(thin_vec![before, added]))
        };
        self.push(
            node,
            StmtKind::Assign {
                target,
                value: Some(value),
                annotation: None,
                declares: Declares::Nothing,
            },
            out,
        );
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches = ThinVec::new();
        let mut otherwise = ThinVec::new();
        for branch in std::iter::once(node).chain(fields(node, "alternative")) {
            if branch.kind() == "else_clause" {
                otherwise = self.field_block(branch, "body");
                continue;
            }
            let Some(condition) = field(branch, "condition") else {
                otherwise.extend(self.field_block(branch, "consequence"));
                continue;
            };
            let types = self.b.text_of(condition).rsplit('.').next() == Some("TYPE_CHECKING");
            let condition = self.condition(condition);
            let before = self.type_only;
            self.type_only |= types;
            let body = self.field_block(branch, "consequence");
            self.type_only = before;
            branches.push((condition, body, self.b.span(branch)));
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    fn loop_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let (pattern, subject) = if node.kind() == "for_statement" {
            let subject = field(node, "right").map(|over| self.expr(over));
            (field(node, "left").map(|left| self.pattern(left)), subject)
        } else {
            (
                None,
                field(node, "condition").map(|condition| self.condition(condition)),
            )
        };
        let body = self.field_block(node, "body");
        self.push(node, StmtKind::Loop { pattern, subject, body }, out);
        if let Some(otherwise) = field(node, "alternative") {
            out.extend(self.field_block(otherwise, "body"));
        }
    }

    fn with_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut items = ThinVec::new();
        for clause in children(node).into_iter().filter(|child| child.kind() == "with_clause") {
            for item in children(clause) {
                let value = field(item, "value").unwrap_or(item);
                if matches!(value.kind(), "tuple" | "parenthesized_expression")
                    && children(value).iter().any(|part| part.kind() == "as_pattern")
                {
                    for part in children(value) {
                        items.push(self.with_item(part));
                    }
                } else {
                    items.push(self.with_item(value));
                }
            }
        }
        let body = self.field_block(node, "body");
        self.push(node, StmtKind::With { items, body }, out);
    }

    fn with_item(&mut self, value: Node<'_>) -> (ExprId, Option<Pattern>) {
        if value.kind() != "as_pattern" {
            return (self.expr(value), None);
        }
        let resource = self.expr_or(children(value).first().copied(), value);
        let target = field(value, "alias").map(|alias| self.pattern(alias));
        (resource, target)
    }

    fn try_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let clauses = children(node);
        let catches_import = clauses.iter().any(|clause| {
            if !clause.kind().starts_with("except") {
                return false;
            }
            let head = clause.child(1).filter(|head| head.is_named() && head.kind() != "block");
            head.is_none_or(|head| {
                let text = self.b.text_of(head);
                ["ImportError", "ModuleNotFoundError", "Exception"]
                    .iter()
                    .any(|kind| text.contains(kind))
            })
        });
        let before = self.optional;
        self.optional |= catches_import;
        let mut body = self.field_block(node, "body");
        self.optional = before;
        let (mut handlers, mut finally) = (ThinVec::new(), ThinVec::new());
        for clause in clauses {
            match clause.kind() {
                "else_clause" => body.extend(self.field_block(clause, "body")),
                "finally_clause" => {
                    for block in children(clause) {
                        finally.extend(self.block(block));
                    }
                }
                kind if kind.starts_with("except") => handlers.push(self.handler(clause)),
                "ERROR" => self.stmt(clause, &mut body),
                _ => {}
            }
        }
        self.push(
            node,
            StmtKind::Try {
                body,
                handlers,
                finally,
            },
            out,
        );
    }

    fn handler(&mut self, clause: Node<'_>) -> Handler {
        let mut handler = Handler {
            types: ThinVec::new(),
            name: None,
            body: ThinVec::new(),
            span: self.b.span(clause),
        };
        let mut alias = field(clause, "alias");
        for part in children(clause) {
            if part.kind() == "block" {
                handler.body.extend(self.block(part));
            } else if Some(part) != field(clause, "alias") {
                let mut caught = part;
                if part.kind() == "as_pattern" {
                    alias = field(part, "alias").or(alias);
                    caught = children(part).first().copied().unwrap_or(part);
                }
                if matches!(caught.kind(), "tuple" | "expression_list" | "parenthesized_expression") {
                    handler
                        .types
                        .extend(children(caught).into_iter().map(|kind| self.type_ref(kind)));
                } else {
                    handler.types.push(self.type_ref(caught));
                }
            }
        }
        handler.name = alias.map(|alias| self.b.text_of(alias).into());
        handler
    }

    fn match_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let subjects = fields(node, "subject");
        let subject = match subjects.as_slice() {
            [] => None,
            [one] => Some(self.expr(*one)),
            many => {
                let parts = self.exprs(many);
                Some(self.b.at(node, Expr::List(parts)))
            }
        };
        let mut arms = ThinVec::new();
        let clauses = field(node, "body").map(children).unwrap_or_default();
        for clause in clauses.into_iter().filter(|clause| clause.kind() == "case_clause") {
            let mut arm = ThinVec::new();
            let patterns: Vec<Node<'_>> = children(clause)
                .into_iter()
                .filter(|part| part.kind() == "case_pattern")
                .collect();
            let target = match patterns.as_slice() {
                [one] => self.case_pattern(*one),
                many => text::tuple(many.iter().map(|part| self.case_pattern(*part)).collect()),
            };
            if target != Pattern::Ignore {
                self.push(
                    clause,
                    StmtKind::Assign {
                        target,
                        value: subject,
                        annotation: None,
                        declares: Declares::Nothing,
                    },
                    &mut arm,
                );
            }
            if let Some(guard) = field(clause, "guard").and_then(|guard| guard.named_child(0)) {
                let asked = self.condition(guard);
                self.push(guard, StmtKind::Expr(asked), &mut arm);
            }
            arm.extend(self.field_block(clause, "consequence"));
            arms.push(arm);
        }
        self.push(node, StmtKind::Match { subject, arms }, out);
    }

    fn case_pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "case_pattern" | "union_pattern" | "splat_pattern" => node
                .named_child(0)
                .map_or(Pattern::Ignore, |inner| self.case_pattern(inner)),
            "dotted_name" if node.named_child_count() == 1 => text::bound(self.b.text_of(node)),
            "identifier" => text::bound(self.b.text_of(node)),
            "as_pattern" => {
                let alias = field(node, "alias").or_else(|| children(node).last().copied());
                alias.map_or(Pattern::Ignore, |alias| text::bound(self.b.text_of(alias)))
            }
            "list_pattern" | "tuple_pattern" => {
                text::tuple(children(node).into_iter().map(|part| self.case_pattern(part)).collect())
            }
            "dict_pattern" => {
                let (keys, values) = (fields(node, "key"), fields(node, "value"));
                let parts = keys.into_iter().zip(values).filter_map(|(key, value)| {
                    let name = text::unquoted(self.b.text_of(key))?.into();
                    Some((name, self.case_pattern(value))).filter(|(_, pattern)| *pattern != Pattern::Ignore)
                });
                text::object(parts.collect())
            }
            "class_pattern" => {
                let mut parts = ThinVec::new();
                for part in children(node) {
                    let inner = part.named_child(0).filter(|inner| inner.kind() == "keyword_pattern");
                    if let Some(inner) = inner
                        && let (Some(name), Some(value)) = (inner.named_child(0), inner.named_child(1))
                    {
                        parts.push((self.b.text_of(name).into(), self.case_pattern(value)));
                    }
                }
                text::object(parts)
            }
            _ => Pattern::Ignore,
        };
        self.b.leave();
        pattern
    }

    fn decorated(&mut self, node: Node<'_>, class: Option<ClassId>, out: &mut ThinVec<Stmt>) {
        let mut decorators = ThinVec::new();
        for child in children(node) {
            match child.kind() {
                "decorator" => {
                    if let Some(value) = child.named_child(0) {
                        decorators.push(self.expr(value));
                    }
                }
                "function_definition" => {
                    let function = self.function(child, &decorators, class);
                    match class {
                        Some(class) => self.b.class_mut(class).methods.push(function),
                        None => self.push(node, StmtKind::Function(function), out),
                    }
                }
                "class_definition" => self.class(child, &decorators, out),
                _ => self.stmt(child, out),
            }
        }
    }

    fn function(&mut self, node: Node<'_>, decorators: &[ExprId], class: Option<ClassId>) -> crate::ir::FunctionId {
        let id = self.b.reserve_function(self.b.span(node));
        let name = field(node, "name").map_or("", |name| self.b.text_of(name));
        let mut params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let is_static = decorators
            .iter()
            .any(|id| matches!(self.b.module.expr(*id), Expr::Name(name) if &**name == "staticmethod"));
        let mut receiver = None;
        if class.is_some()
            && !is_static
            && let Some(Param {
                pattern: Pattern::Name(first),
                rest: false,
                ..
            }) = params.first()
        {
            receiver = Some(first.clone());
            params.remove(0);
        }
        let returns = field(node, "return_type").map(|node| self.type_ref(node));
        let body = self.field_block(node, "body");
        let hidden = name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
        *self.b.function_mut(id) = Function {
            name: (!name.is_empty()).then(|| name.into()),
            params,
            receiver,
            extends: None,
            decorators: decorators.to_vec().into(),
            body,
            returns,
            is_async: has_token(node, "async"),
            exported: !hidden,
            class,
            span: self.b.span(node),
        };
        id
    }

    fn params(&mut self, list: Node<'_>) -> ThinVec<Param> {
        let mut params = ThinVec::new();
        for node in children(list) {
            let (mut target, mut annotation, mut default) = (node, None, None);
            match node.kind() {
                "default_parameter" | "typed_default_parameter" => {
                    target = field(node, "name").unwrap_or(node);
                    annotation = field(node, "type").map(|node| self.type_ref(node));
                    default = field(node, "value").map(|value| self.expr(value));
                }
                "typed_parameter" => {
                    target = node.named_child(0).unwrap_or(node);
                    annotation = field(node, "type").map(|node| self.type_ref(node));
                }
                "keyword_separator" | "positional_separator" => continue,
                _ => {}
            }
            let rest = matches!(target.kind(), "list_splat_pattern" | "dictionary_splat_pattern");
            let pattern = self.pattern(target);
            params.push(Param {
                pattern,
                annotation,
                default,
                decorators: ThinVec::new(),
                rest,
            });
        }
        params
    }

    fn class(&mut self, node: Node<'_>, decorators: &[ExprId], out: &mut ThinVec<Stmt>) {
        let id = self.b.reserve_class(self.b.span(node));
        let mut bases = ThinVec::new();
        for base in field(node, "superclasses").map(children).unwrap_or_default() {
            match base.kind() {
                "keyword_argument" | "dictionary_splat" | "list_splat" => {}
                "call" => bases.extend(field(base, "function").map(|callee| self.type_ref(callee))),
                _ => bases.push(self.type_ref(base)),
            }
        }
        let class = self.b.class_mut(id);
        class.is_interface = bases
            .iter()
            .any(|base| matches!(&*base.name, "Protocol" | "typing.Protocol"));
        class.bases = bases;
        class.decorators = decorators.to_vec().into();
        let name = field(node, "name").map(|name| self.b.text_of(name).into());
        self.b.class_mut(id).name = name;
        if let Some(body) = field(node, "body") {
            self.class_body(body, id, true, out);
        }
        self.push(node, StmtKind::Class(id), out);
    }

    fn class_body(&mut self, body: Node<'_>, class: ClassId, top: bool, out: &mut ThinVec<Stmt>) {
        if !self.b.enter() {
            return;
        }
        for (place, child) in children(body).into_iter().enumerate() {
            match child.kind() {
                "function_definition" => {
                    let function = self.function(child, &[], Some(class));
                    self.b.class_mut(class).methods.push(function);
                }
                "decorated_definition" => self.decorated(child, Some(class), out),
                "if_statement" => {
                    for branch in std::iter::once(child).chain(fields(child, "alternative")) {
                        for block in ["consequence", "body"].iter().filter_map(|name| field(branch, name)) {
                            self.class_body(block, class, false, out);
                        }
                    }
                }
                "expression_statement" => self.class_statement(child, class, top && place == 0, out),
                "ERROR" => self.class_body(child, class, false, out),
                _ => self.stmt(child, out),
            }
        }
        self.b.leave();
    }

    fn class_statement(&mut self, node: Node<'_>, class: ClassId, first: bool, out: &mut ThinVec<Stmt>) {
        let mut made = ThinVec::new();
        self.expression_statement(node, &mut made);
        for stmt in made {
            let span = stmt.span;
            let (name, annotation, value) = match stmt.kind {
                StmtKind::Assign {
                    target: Pattern::Name(name),
                    value,
                    annotation,
                    ..
                } => (name, annotation, value),
                StmtKind::Expr(value) if matches!(self.b.module.expr(value), Expr::Str(_)) => {
                    if !first {
                        continue;
                    }
                    ("__doc__".into(), None, Some(value))
                }
                kind => {
                    out.push(Stmt { kind, span });
                    continue;
                }
            };
            self.b.class_mut(class).fields.push(Field {
                name,
                annotation: annotation.map(|of| *of),
                value,
                decorators: ThinVec::new(),
                span,
            });
        }
    }

    fn add_import(
        &mut self,
        node: Node<'_>,
        module: &str,
        bindings: ThinVec<Binding>,
        star: bool,
        out: &mut ThinVec<Stmt>,
    ) {
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        let import = Import {
            module: module.into(),
            bindings,
            star,
            type_only: self.type_only,
            optional: self.optional,
            span: self.b.span(node),
        };
        self.b.module.imports.push(import);
        self.push(node, StmtKind::Import(index), out);
    }

    fn import(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        for name in fields(node, "name") {
            let (module, local, bound) = if name.kind() == "aliased_import" {
                let module = field(name, "name")
                    .map(|name| text::dotted(self.b.text_of(name)))
                    .unwrap_or_default();
                let local = field(name, "alias")
                    .map_or("", |alias| self.b.text_of(alias))
                    .to_owned();
                let bound = module.clone();
                (module, local, bound)
            } else {
                let module = text::dotted(self.b.text_of(name));
                let first = module.split('.').next().unwrap_or("").to_owned();
                (module, first.clone(), first)
            };
            let binding = Binding {
                local: local.into(),
                module: bound.into(),
                item: None,
                type_only: self.type_only,
            };
            self.add_import(node, &module, thin_vec![binding], false, out);
        }
    }

    fn import_from(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let module = match field(node, "module_name") {
            Some(module) => text::dotted(self.b.text_of(module)),
            None => "__future__".to_owned(),
        };
        let mut bindings = ThinVec::new();
        for name in fields(node, "name") {
            let item = field(name, "name").unwrap_or(name);
            let local = field(name, "alias").unwrap_or(item);
            bindings.push(Binding {
                local: self.b.text_of(local).into(),
                module: module.as_str().into(),
                item: Some(self.b.text_of(item).into()),
                type_only: self.type_only,
            });
        }
        let star = children(node).iter().any(|child| child.kind() == "wildcard_import");
        self.add_import(node, &module, bindings, star, out);
    }

    fn pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "identifier" => Pattern::Name(self.b.text_of(node).into()),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "expression_list" | "tuple" | "list" => {
                Pattern::Tuple(children(node).into_iter().map(|part| self.pattern(part)).collect())
            }
            "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "list_splat"
            | "as_pattern_target"
            | "parenthesized_expression" => node.named_child(0).map_or(Pattern::Ignore, |inner| self.pattern(inner)),
            _ => {
                let place = self.expr(node);
                self.b.place(place)
            }
        };
        self.b.leave();
        pattern
    }

    fn type_ref(&self, node: Node<'_>) -> TypeRef {
        text::type_ref(self.b.text_of(node))
    }

    fn exprs(&mut self, nodes: &[Node<'_>]) -> ThinVec<ExprId> {
        nodes.iter().map(|node| self.expr(*node)).collect()
    }

    /// The value of a `return`: none, one, or a tuple.
    fn values(&mut self, node: Node<'_>) -> Option<ExprId> {
        match children(node).as_slice() {
            [] => None,
            [one] => Some(self.expr(*one)),
            many => {
                let parts = self.exprs(many);
                Some(self.b.at(node, Expr::List(parts)))
            }
        }
    }

    fn expr_or(&mut self, part: Option<Node<'_>>, whole: Node<'_>) -> ExprId {
        match part {
            Some(part) => self.expr(part),
            None => self.b.left_out(whole),
        }
    }

    fn condition(&mut self, node: Node<'_>) -> ExprId {
        let id = self.expr(node);
        self.b.as_condition(id)
    }

    fn is_number(&self, id: ExprId) -> bool {
        matches!(self.b.module.expr(id), Expr::Number(_))
    }

    fn expr(&mut self, node: Node<'_>) -> ExprId {
        if !self.b.enter() {
            return self.b.left_out(node);
        }
        let id = match node.kind() {
            "call"
            | "attribute"
            | "subscript"
            | "binary_operator"
            | "boolean_operator"
            | "parenthesized_expression" => self.spine(node),
            _ => self.leaf(node),
        };
        self.b.leave();
        id
    }

    /// Walks down the left side in a loop: chains of calls and operators are as long as people like.
    fn spine(&mut self, node: Node<'_>) -> ExprId {
        let mut passed = ThinVec::new();
        let mut current = node;
        loop {
            let left = match current.kind() {
                "call" => field(current, "function"),
                "attribute" => field(current, "object"),
                "subscript" => field(current, "value"),
                "binary_operator" | "boolean_operator" => field(current, "left"),
                "parenthesized_expression" => {
                    let inner = children(current);
                    if inner.len() == 1 { Some(inner[0]) } else { None }
                }
                _ => None,
            };
            let Some(left) = left else { break };
            passed.push(current);
            current = left;
        }
        let mut id = self.leaf(current);
        let mut plus = false;
        for node in passed.into_iter().rev() {
            let operator = field(node, "operator").map_or("", |operator| operator.kind());
            if plus && operator != "+" {
                self.b.fold(id);
            }
            plus = operator == "+";
            id = match node.kind() {
                "call" => self.call(node, id),
                "attribute" => {
                    let name = field(node, "attribute").map_or("", |name| self.b.text_of(name)).into();
                    self.b.at(node, Expr::Member { object: id, name })
                }
                "subscript" => {
                    let keys = self.exprs(&fields(node, "subscript"));
                    let key = if let [key] = keys[..] {
                        key
                    } else {
                        self.b.at(node, Expr::List(keys))
                    };
                    self.b.at(node, Expr::Index { object: id, key })
                }
                "boolean_operator" => {
                    let right = field(node, "right").map_or(id, |right| self.expr(right));
                    if operator == "or" {
                        self.b.either(node, id, right)
                    } else {
                        self.b.both(node, id, right)
                    }
                }
                "binary_operator" => self.binary(node, operator, id),
                _ => id,
            };
        }
        if plus {
            self.b.fold(id);
        }
        id
    }

    fn binary(&mut self, node: Node<'_>, operator: &str, left: ExprId) -> ExprId {
        let Some(right_node) = field(node, "right") else {
            return left;
        };
        let right = self.expr(right_node);
        if operator == "+" && !self.is_number(left) && !self.is_number(right) {
            return self.b.concat(node, left, right);
        }
        if operator == "%" && matches!(self.b.module.expr(left), Expr::Str(_) | Expr::Template(_)) {
            let mut parts = thin_vec![left];
            match self.b.module.expr(right) {
                Expr::List(values) => parts.extend(values.iter().copied()),
                Expr::Map(entries) => parts.extend(entries.iter().map(|entry| entry.value)),
                _ => parts.push(right),
            }
            return self.b.at(node, Expr::Template(parts));
        }
        self.b.at(node, Expr::Other(thin_vec![left, right]))
    }

    fn call(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        let list = field(node, "arguments");
        let args = list.map(|list| self.args(list)).unwrap_or_default();
        let brings = match self.b.module.expr(callee) {
            Expr::Name(name) => matches!(&**name, "__import__" | "import_module"),
            Expr::Member { name, .. } => &**name == "import_module",
            _ => false,
        };
        if brings
            && let Some(Arg {
                name: None,
                value,
                spread: false,
            }) = args.first()
            && let Expr::Str(module) = self.b.module.expr(*value)
        {
            let module = module.clone();
            return self.b.at(node, Expr::Import(module));
        }
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    fn args(&mut self, list: Node<'_>) -> ThinVec<Arg> {
        if list.kind() == "generator_expression" {
            return thin_vec![plain(self.expr(list))];
        }
        let mut args = ThinVec::new();
        for node in children(list) {
            let arg = match node.kind() {
                "keyword_argument" => {
                    let name = field(node, "name").map(|name| self.b.text_of(name).into());
                    let value = field(node, "value").unwrap_or(node);
                    Arg {
                        name,
                        value: self.expr(value),
                        spread: false,
                    }
                }
                "list_splat" | "dictionary_splat" => {
                    let value = node.named_child(0).unwrap_or(node);
                    Arg {
                        name: None,
                        value: self.expr(value),
                        spread: true,
                    }
                }
                _ => plain(self.expr(node)),
            };
            args.push(arg);
        }
        args
    }

    fn leaf(&mut self, node: Node<'_>) -> ExprId {
        match node.kind() {
            "identifier" | "dotted_name" | "keyword_identifier" => self.b.name(node),
            "string" => self.string(node),
            "concatenated_string" => {
                let mut whole: ThinVec<ExprId> = ThinVec::new();
                for part in children(node) {
                    let part = self.expr(part);
                    match self.b.module.expr(part) {
                        Expr::Template(parts) => whole.extend(parts.iter().copied()),
                        _ => whole.push(part),
                    }
                }
                self.b.template(node, whole)
            }
            "integer" | "float" => {
                let text = self.b.text_of(node).into();
                self.b.at(node, Expr::Number(text))
            }
            "true" => self.b.at(node, Expr::Bool(true)),
            "false" => self.b.at(node, Expr::Bool(false)),
            "none" => self.b.at(node, Expr::Null),
            "list" | "tuple" | "set" | "expression_list" | "pattern_list" => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::List(parts))
            }
            "dictionary" => self.dictionary(node),
            "pair" => {
                let entry = self.entry(node);
                self.b.at(node, Expr::Map(thin_vec![entry]))
            }
            "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
                self.comprehension(node)
            }
            "lambda" => self.lambda(node),
            "await" => {
                let value = self.expr_or(node.named_child(0), node);
                self.b.at(node, Expr::Await(value))
            }
            "conditional_expression" => self.conditional(node),
            "comparison_operator" | "not_operator" => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::Test(parts))
            }
            "unary_operator" => {
                let value = self.expr_or(field(node, "argument"), node);
                if self.is_number(value) {
                    let text = self.b.text_of(node).into();
                    return self.b.at(node, Expr::Number(text));
                }
                self.b.at(node, Expr::Other(thin_vec![value]))
            }
            "named_expression" => {
                let target = field(node, "name").map_or(Pattern::Ignore, |name| self.pattern(name));
                let value = self.expr_or(field(node, "value"), node);
                self.b.at(
                    node,
                    Expr::Assign {
                        target: Box::new(target),
                        value,
                    },
                )
            }
            "assignment" | "augmented_assignment" => {
                let mut body = ThinVec::new();
                self.stmt(node, &mut body);
                self.b.at(node, Expr::Block(body))
            }
            "as_pattern" | "type" | "interpolation" | "case_pattern" if node.named_child_count() > 0 => {
                self.expr_or(node.named_child(0), node)
            }
            _ => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::Other(parts))
            }
        }
    }

    fn string(&mut self, node: Node<'_>) -> ExprId {
        let parts = all_children(node);
        let prefix = parts
            .first()
            .map_or("", |start| self.b.text_of(*start))
            .to_ascii_lowercase();
        let raw = prefix.contains('r');
        let format = prefix.contains('f') || prefix.contains('t');
        let mut values = ThinVec::new();
        for part in parts {
            match part.kind() {
                "string_content" => {
                    let content = text::content(self.b.text_of(part), raw, format);
                    values.push(self.b.at(part, Expr::Str(content.into())));
                }
                "interpolation" => {
                    if let Some(value) = field(part, "expression") {
                        values.push(self.expr(value));
                    }
                    let specifier = field(part, "format_specifier").map(children).unwrap_or_default();
                    for inner in specifier {
                        if let Some(value) = field(inner, "expression") {
                            values.push(self.expr(value));
                        }
                    }
                }
                _ => {}
            }
        }
        if let [only] = values[..]
            && matches!(self.b.module.expr(only), Expr::Str(_))
        {
            self.b.module.exprs[only.0 as usize].place = self.b.span(node).into();
            return only;
        }
        self.b.template(node, values)
    }

    fn dictionary(&mut self, node: Node<'_>) -> ExprId {
        let mut entries = ThinVec::new();
        for child in children(node) {
            let entry = match child.kind() {
                "pair" => self.entry(child),
                "dictionary_splat" => {
                    let value = child.named_child(0).unwrap_or(child);
                    MapEntry {
                        key: None,
                        value: self.expr(value),
                    }
                }
                _ => MapEntry {
                    key: None,
                    value: self.expr(child),
                },
            };
            entries.push(entry);
        }
        self.b.at(node, Expr::Map(entries))
    }

    fn entry(&mut self, pair: Node<'_>) -> MapEntry {
        let key = field(pair, "key").map(|key| self.expr(key));
        let value = self.expr_or(field(pair, "value"), pair);
        MapEntry { key, value }
    }

    fn comprehension(&mut self, node: Node<'_>) -> ExprId {
        let mut loops = ThinVec::new();
        for child in children(node) {
            match child.kind() {
                "for_in_clause" => {
                    let over = fields(child, "right");
                    let over = match over.as_slice() {
                        [one] => self.expr(*one),
                        many => {
                            let parts = self.exprs(many);
                            self.b.at(child, Expr::List(parts))
                        }
                    };
                    let target = field(child, "left").map_or(Pattern::Ignore, |left| self.pattern(left));
                    loops.push((target, over));
                }
                "if_clause" => {
                    if let Some(condition) = child.named_child(0) {
                        loops.push((Pattern::Ignore, self.condition(condition)));
                    }
                }
                _ => {}
            }
        }
        let value = self.expr_or(field(node, "body"), node);
        self.b.at(node, Expr::Comprehension { loops, value })
    }

    fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let id = self.b.reserve_function(self.b.span(node));
        let params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let mut body = ThinVec::new();
        if let Some(value) = field(node, "body") {
            let result = self.expr(value);
            self.push(value, StmtKind::Return(Some(result)), &mut body);
        }
        let function = self.b.function_mut(id);
        function.params = params;
        function.body = body;
        self.b.at(node, Expr::Function(id))
    }

    /// `a if c else b`; a chain of them on the right side is flat in its values.
    fn conditional(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let [value, condition, otherwise] = parts[..] else {
            let parts = self.exprs(&parts);
            return self.b.at(node, Expr::Other(parts));
        };
        let value = self.expr(value);
        let condition = self.condition(condition);
        let otherwise = self.expr(otherwise);
        self.b.at(
            node,
            Expr::Choice {
                condition: Some(condition),
                values: thin_vec![value, otherwise],
            },
        )
    }
}
