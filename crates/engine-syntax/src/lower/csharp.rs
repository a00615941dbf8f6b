//! C#.
//!
//! Choices that the intermediate form leaves open:
//! - A constructor is a method `<init>`, a static one `<clinit>`; what it hands to `base` or `this` is its first call.
//! - A property is a field; its accessors with bodies are methods `get_X` and `set_X`.
//! - `using var x = y;` is a `With` without a body: the statements that follow stay where they are.
//! - An initialiser of elements alone is a list or map, one of members gives named arguments.
//! - `x is T t` is a test of an assignment, and so is a pattern of a `case` at the start of its arm.
//! - A method that extends a type keeps what it extends as its first parameter; so do the methods of an extension block.
//! - A filter of a query is a loop over the condition that binds nothing.

mod declarations;
mod expressions;

use ecow::EcoString;
use std::cell::RefCell;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{Builder, all_children, children, field, fields, has_token, parse};
use super::names::without_arguments;
use super::not_understood;
use super::operators::effect;
use crate::ir::{
    Binding, Declares, Expr, ExprId, Handler, Import, Module, Param, Pattern, Span, Stmt, StmtKind, TypeRef,
};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a C# file.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_c_sharp::LANGUAGE.into(), text) else {
        return not_understood(Language::CSharp);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::CSharp, text),
        namespace_closed: false,
        extended: None,
    };
    let body = lowering.block(Some(tree.root_node()));
    lowering.b.module.body = body;
    lowering.b.module
}

struct Lowering<'t> {
    b: Builder<'t>,
    /// Whether a namespace has ended: the first path of namespaces is the file's.
    namespace_closed: bool,
    /// The receiver of the extension block around.
    extended: Option<Param>,
}

/// What stands before a declaration.
#[derive(Default)]
struct Modifiers {
    decorators: ThinVec<ExprId>,
    public: bool,
    is_static: bool,
    is_async: bool,
}

/// The named children and the keywords that are expressions of their own.
fn values(node: Node<'_>) -> Vec<Node<'_>> {
    all_children(node)
        .into_iter()
        .filter(|child| {
            (child.is_named() && (!child.is_extra() || child.is_error())) || matches!(child.kind(), "this" | "base")
        })
        .collect()
}

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "member_access_expression" | "element_access_expression" | "is_pattern_expression" => field(node, "expression"),
        "invocation_expression" => field(node, "function"),
        "conditional_access_expression" | "conditional_expression" => field(node, "condition"),
        "binary_expression" | "is_expression" | "as_expression" => field(node, "left"),
        "cast_expression" => field(node, "value"),
        "postfix_unary_expression"
        | "prefix_unary_expression"
        | "parenthesized_expression"
        | "switch_expression"
        | "with_expression"
        | "await_expression"
        | "checked_expression"
        | "ref_expression" => values(node).into_iter().next(),
        _ => None,
    }
}

fn is_type_declaration(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "struct_declaration"
            | "record_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "delegate_declaration"
    )
}

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> EcoString {
        let text = self.b.text_of(node);
        text.strip_prefix('@').unwrap_or(text).into()
    }

    /// What is compiled of a node that a condition for the compiler may stand on: nothing of what `#if false` holds, and of an
    /// `#if true` not what stands behind its `#else`. Of any other condition both sides are taken.
    fn compiled<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let condition = field(node, "condition");
        let alternative = field(node, "alternative");
        let stated = condition.map_or("", |condition| self.b.text_of(condition).trim());
        children(node)
            .into_iter()
            .filter(|child| Some(*child) != condition)
            .filter(|child| match stated {
                "false" | "!true" => Some(*child) == alternative,
                "true" | "!false" => Some(*child) != alternative,
                _ => true,
            })
            .collect()
    }

    fn field_text(&self, node: Node<'_>, name: &str) -> Option<EcoString> {
        field(node, name).map(|name| self.simple_name(name))
    }

    /// The name without type arguments.
    fn simple_name(&self, node: Node<'_>) -> EcoString {
        if node.kind() == "generic_name"
            && let Some(name) = node.named_child(0)
        {
            return self.text(name);
        }
        self.text(node)
    }

    /// The expression in a field, or a stand-in where it is missing.
    fn expr_in(&mut self, node: Node<'_>, name: &str) -> ExprId {
        match field(node, name) {
            Some(inner) => self.expr(inner),
            None => self.b.left_out(node),
        }
    }

    fn last_value(&mut self, node: Node<'_>) -> ExprId {
        match values(node).last() {
            Some(inner) => self.expr(*inner),
            None => self.b.left_out(node),
        }
    }

    fn condition_in(&mut self, node: Node<'_>) -> ExprId {
        let condition = self.expr_in(node, "condition");
        self.b.as_condition(condition)
    }

    fn named(&self, node: Option<Node<'_>>) -> Pattern {
        match node.map(|node| self.text(node)) {
            Some(name) if !name.is_empty() && &*name != "_" => Pattern::Name(name),
            _ => Pattern::Ignore,
        }
    }

    // Statements.

    fn stmts(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        for child in children(node) {
            self.stmt(child, out);
        }
    }

    /// The statements of a block, or of a single statement that stands for one.
    fn block(&mut self, node: Option<Node<'_>>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        match node {
            Some(node) if matches!(node.kind(), "block" | "compilation_unit") => self.stmts(node, &mut body),
            Some(node) => self.stmt(node, &mut body),
            None => {}
        }
        body
    }

    fn stmt(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if !self.b.enter() {
            return;
        }
        match node.kind() {
            "using_directive" => self.using_directive(node, out),
            "namespace_declaration" | "file_scoped_namespace_declaration" => self.namespace(node, out),
            kind if is_type_declaration(kind) => self.class_declaration(node, out),
            "method_declaration"
            | "local_function_statement"
            | "constructor_declaration"
            | "operator_declaration"
            | "conversion_operator_declaration"
            | "destructor_declaration" => {
                let id = self.method(node, None);
                out.push(self.b.stmt(node, StmtKind::Function(id)));
            }
            "local_declaration_statement" | "field_declaration" | "event_field_declaration" => self.local(node, out),
            "variable_declaration" => self.variables(node, out),
            "property_declaration" => self.loose_property(node, out),
            "expression_statement" | "yield_statement" => {
                if let Some(inner) = values(node).into_iter().next() {
                    self.bare(inner, out);
                }
            }
            "return_statement" => {
                let value = values(node).into_iter().next().map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Return(value)));
            }
            "throw_statement" => {
                let value = values(node).into_iter().next().map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Raise(value)));
            }
            "if_statement" => self.if_statement(node, out),
            "while_statement" | "do_statement" | "for_statement" | "foreach_statement" => {
                self.loop_statement(node, out);
            }
            "switch_statement" => self.switch_statement(node, out),
            "try_statement" => self.try_statement(node, out),
            "using_statement" => self.using_statement(node, out),
            "block" => {
                let body = self.block(Some(node));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "labeled_statement" => {
                for child in children(node).into_iter().skip(1) {
                    self.stmt(child, out);
                }
            }
            "preproc_if" | "preproc_else" | "preproc_elif" => {
                for child in self.compiled(node) {
                    self.stmt(child, out);
                }
            }
            "global_statement" | "declaration_list" | "ERROR" | "compilation_unit" | "lock_statement"
            | "checked_statement" | "unsafe_statement" | "fixed_statement" => self.stmts(node, out),
            "break_statement"
            | "continue_statement"
            | "goto_statement"
            | "empty_statement"
            | "global_attribute"
            | "extern_alias_directive"
            | "shebang_directive"
            | "modifier"
            | "attribute_list" => {}
            _ => {
                let value = self.expr(node);
                let kind = effect(&mut self.b, value);
                out.push(self.b.stmt(node, kind));
            }
        }
        self.b.leave();
    }

    fn using_directive(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let alias = field(node, "name");
        let Some(name) = children(node).into_iter().rfind(|part| Some(*part) != alias) else {
            return;
        };
        let name: String = without_arguments(self.b.text_of(name)).replace("::", ".");
        let name = name.strip_prefix("global.").unwrap_or(&name);
        let mut bindings = ThinVec::new();
        let mut star = true;
        if let Some(alias) = alias {
            star = false;
            let (module, item) = match name.rsplit_once('.') {
                Some((module, item)) => (module, Some(item.into())),
                None => (name, None),
            };
            bindings.push(Binding {
                local: self.text(alias),
                module: module.into(),
                item,
                type_only: false,
            });
        }
        let span = self.b.span(node);
        let module = bindings
            .first()
            .map_or_else(|| name.into(), |binding| binding.module.clone());
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        self.b.module.imports.push(Import {
            module,
            bindings,
            star,
            type_only: false,
            optional: false,
            span,
        });
        out.push(Stmt {
            kind: StmtKind::Import(index),
            span,
        });
    }

    fn namespace(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if let Some(name) = field(node, "name").filter(|_| !self.namespace_closed) {
            let name = self.b.text_of(name);
            self.b.module.package = Some(match &self.b.module.package {
                Some(outer) => format!("{outer}.{name}").into(),
                None => name.into(),
            });
        }
        if let Some(body) = field(node, "body") {
            self.stmts(body, out);
            self.namespace_closed = true;
        }
    }

    /// An expression or declaration without its semicolon.
    fn bare(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if node.kind() == "variable_declaration" {
            return self.variables(node, out);
        }
        let value = self.expr(node);
        let kind = effect(&mut self.b, value);
        out.push(self.b.stmt(node, kind));
    }

    fn local(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let Some(declaration) = children(node)
            .into_iter()
            .find(|part| part.kind() == "variable_declaration")
        else {
            return;
        };
        if has_token(node, "using") {
            let items = self.resources(declaration);
            out.push(self.b.stmt(
                node,
                StmtKind::With {
                    items,
                    body: ThinVec::new(),
                },
            ));
        } else {
            self.variables(declaration, out);
        }
    }

    fn variables(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let annotation = field(node, "type").and_then(|of| self.declared(of));
        for declarator in children(node)
            .into_iter()
            .filter(|part| part.kind() == "variable_declarator")
        {
            let (target, value) = self.declarator(declarator);
            let annotation = annotation.clone();
            out.push(self.b.stmt(
                declarator,
                StmtKind::Assign {
                    target,
                    value,
                    annotation: annotation.map(Box::new),
                    declares: Declares::InBlock,
                },
            ));
        }
    }

    /// What a declarator binds, and to what.
    fn declarator(&mut self, node: Node<'_>) -> (Pattern, Option<ExprId>) {
        let parts = values(node);
        let target = match parts.first() {
            Some(first) if first.kind() == "tuple_pattern" => self.target(*first),
            first => self.named(first.copied()),
        };
        let value = parts
            .into_iter()
            .skip(1)
            .rfind(|part| part.kind() != "bracketed_argument_list");
        (target, value.map(|value| self.expr(value)))
    }

    fn resources(&mut self, declaration: Node<'_>) -> ThinVec<(ExprId, Option<Pattern>)> {
        let mut items = ThinVec::new();
        for declarator in children(declaration)
            .into_iter()
            .filter(|part| part.kind() == "variable_declarator")
        {
            let (target, value) = self.declarator(declarator);
            let value = match value {
                Some(value) => value,
                None => self.b.left_out(declarator),
            };
            items.push((value, Some(target)));
        }
        items
    }

    /// A declared type; none for `var`.
    fn declared(&mut self, node: Node<'_>) -> Option<TypeRef> {
        if node.kind() == "implicit_type" || self.b.text_of(node) == "var" {
            None
        } else {
            Some(self.type_ref(node))
        }
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches: ThinVec<(ExprId, ThinVec<Stmt>, Span)> = ThinVec::new();
        let mut otherwise = ThinVec::new();
        let mut at = Some(node);
        while let Some(node) = at.take() {
            let condition = self.condition_in(node);
            let then = self.block(field(node, "consequence"));
            branches.push((condition, then, self.b.span(node)));
            match field(node, "alternative") {
                Some(next) if next.kind() == "if_statement" => at = Some(next),
                last => otherwise = self.block(last),
            }
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    fn loop_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if node.kind() == "foreach_statement" {
            let pattern = field(node, "left").map(|left| self.target(left));
            let subject = Some(self.expr_in(node, "right"));
            let body = self.block(field(node, "body"));
            out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
            return;
        }
        let mut before = ThinVec::new();
        for initializer in fields(node, "initializer") {
            self.bare(initializer, &mut before);
        }
        let subject = field(node, "condition").map(|condition| self.expr(condition));
        let subject = subject.map(|subject| self.b.as_condition(subject));
        let mut body = self.block(field(node, "body"));
        for update in fields(node, "update") {
            self.bare(update, &mut body);
        }
        let whole = self.b.stmt(
            node,
            StmtKind::Loop {
                pattern: None,
                subject,
                body,
            },
        );
        if before.is_empty() {
            out.push(whole);
        } else {
            before.push(whole);
            out.push(self.b.stmt(node, StmtKind::Block(before)));
        }
    }

    fn switch_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let subject = self.expr_in(node, "value");
        let mut arms = ThinVec::new();
        for section in field(node, "body").map(children).unwrap_or_default() {
            let mut arm = ThinVec::new();
            let mut in_label = true;
            for part in all_children(section) {
                if in_label {
                    in_label = part.kind() != ":";
                    self.case_label(part, subject, &mut arm);
                } else if part.is_named() && !part.is_extra() {
                    self.stmt(part, &mut arm);
                }
            }
            arms.push(arm);
        }
        out.push(self.b.stmt(
            node,
            StmtKind::Match {
                subject: Some(subject),
                arms,
            },
        ));
    }

    /// What a part of a case's label binds or asks.
    fn case_label(&mut self, part: Node<'_>, subject: ExprId, arm: &mut ThinVec<Stmt>) {
        if part.kind() == "when_clause" {
            let asked = self.last_value(part);
            let asked = self.b.as_condition(asked);
            arm.push(self.b.stmt(part, StmtKind::Expr(asked)));
        } else if part.kind().ends_with("_pattern")
            && let Some((target, to)) = self.pattern(part)
        {
            let value = match to {
                Some(to) => self.b.at(
                    part,
                    Expr::Cast {
                        value: subject,
                        to: to.into(),
                    },
                ),
                None => subject,
            };
            let kind = StmtKind::Assign {
                target,
                value: Some(value),
                annotation: None,
                declares: Declares::InBlock,
            };
            arm.push(self.b.stmt(part, kind));
        }
    }

    /// What a pattern binds and the type that it asks for; none when it binds nothing.
    fn pattern(&mut self, node: Node<'_>) -> Option<(Pattern, Option<TypeRef>)> {
        if !self.b.enter() {
            return None;
        }
        let name = field(node, "name").filter(|_| node.kind() != "subpattern");
        let found = match node.kind() {
            "declaration_pattern" | "var_pattern" | "recursive_pattern" | "list_pattern" => {
                let to = field(node, "type").and_then(|of| self.declared(of));
                let target = match name {
                    Some(name) => Some(self.named(Some(name))),
                    None => self.parts_pattern(node),
                };
                target.map(|target| (target, to))
            }
            "parenthesized_pattern" | "negated_pattern" | "and_pattern" | "or_pattern" | "subpattern" => {
                children(node).into_iter().find_map(|part| self.pattern(part))
            }
            _ => None,
        };
        self.b.leave();
        found
    }

    /// What the parts of a pattern bind, by name or in order.
    fn parts_pattern(&mut self, node: Node<'_>) -> Option<Pattern> {
        let mut parts = ThinVec::new();
        for clause in children(node) {
            match clause.kind() {
                "property_pattern_clause" => {
                    let mut entries = ThinVec::new();
                    for sub in children(clause) {
                        let inner = children(sub);
                        let (Some(name), Some(pattern)) = (inner.first(), inner.last()) else {
                            continue;
                        };
                        if let Some((target, _)) = self.pattern(*pattern) {
                            entries.push((self.text(*name), target));
                        }
                    }
                    return (!entries.is_empty()).then_some(Pattern::Object(entries));
                }
                "positional_pattern_clause" => {
                    for sub in children(clause) {
                        parts.push(self.pattern(sub).map_or(Pattern::Ignore, |(target, _)| target));
                    }
                }
                "parenthesized_variable_designation" => {
                    parts.extend(children(clause).into_iter().map(|name| self.named(Some(name))));
                }
                _ if node.kind() == "list_pattern" => {
                    parts.push(self.pattern(clause).map_or(Pattern::Ignore, |(target, _)| target));
                }
                _ => {}
            }
        }
        parts
            .iter()
            .any(|part| *part != Pattern::Ignore)
            .then_some(Pattern::Tuple(parts))
    }

    fn try_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let body = self.block(field(node, "body"));
        let mut handlers = ThinVec::new();
        let mut finally = ThinVec::new();
        for clause in children(node) {
            match clause.kind() {
                "catch_clause" => handlers.push(self.handler(clause)),
                "finally_clause" => finally = self.block(clause.named_child(0)),
                _ => {}
            }
        }
        out.push(self.b.stmt(
            node,
            StmtKind::Try {
                body,
                handlers,
                finally,
            },
        ));
    }

    fn handler(&mut self, clause: Node<'_>) -> Handler {
        let mut types = ThinVec::new();
        let mut name = None;
        let mut body = ThinVec::new();
        for part in children(clause) {
            match part.kind() {
                "catch_declaration" => {
                    types.extend(field(part, "type").map(|of| self.type_ref(of)));
                    name = self.field_text(part, "name");
                }
                "catch_filter_clause" => {
                    let asked = self.last_value(part);
                    let asked = self.b.as_condition(asked);
                    body.push(self.b.stmt(part, StmtKind::Expr(asked)));
                }
                _ => {}
            }
        }
        if let Some(block) = field(clause, "body") {
            self.stmts(block, &mut body);
        }
        Handler {
            types,
            name,
            body,
            span: self.b.span(clause),
        }
    }

    fn using_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let body = field(node, "body");
        let resource = values(node).into_iter().find(|part| Some(*part) != body);
        let items = match resource {
            Some(declaration) if declaration.kind() == "variable_declaration" => self.resources(declaration),
            Some(value) => thin_vec![(self.expr(value), None)],
            None => ThinVec::new(),
        };
        let body = self.block(body);
        out.push(self.b.stmt(node, StmtKind::With { items, body }));
    }
}
