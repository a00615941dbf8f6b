//! Java.
//!
//! Choices that the intermediate form leaves open:
//! - A constructor is a method `<init>`, as is a block of instance initialisation; a static block is `<clinit>`.
//! - `throws A, B` is the decorator `throws(A, B)`.
//! - Nested types are statements after the type around them; members of an annotation type are methods.
//! - A constant of an enumeration is a field whose value is a construction of the enumeration.
//! - `x instanceof T t` is a test of an assignment, and so is a pattern of a `case` at the start of its arm.

use ecow::EcoString;
use std::cell::RefCell;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{Builder, Unknown, all_children, children, field, fields, named_type, parse, plain, unescape};
use super::names::{path, text_block, type_of, without_arguments};
use super::not_understood;
use super::operators::{Chain, combine, effect};
use crate::ir::{
    Arg, Binding, ClassId, Declares, Expr, ExprId, Field, FunctionId, Handler, Import, Module, Param, Pattern, Span,
    Stmt, StmtKind, TypeRef,
};
use crate::lower::spine::FromTheLeft;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a Java file.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_java::LANGUAGE.into(), text) else {
        return not_understood(Language::Java);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::Java, text),
    };
    let body = lowering.block(Some(tree.root_node()));
    lowering.b.module.body = body;
    lowering.b.module
}

struct Lowering<'t> {
    b: Builder<'t>,
}

/// What stands before a declaration.
#[derive(Default)]
struct Modifiers {
    decorators: ThinVec<ExprId>,
    public: bool,
}

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "method_invocation" | "field_access" => field(node, "object"),
        "array_access" => field(node, "array"),
        "binary_expression" | "instanceof_expression" => field(node, "left"),
        "ternary_expression" => field(node, "condition"),
        "unary_expression" => field(node, "operand"),
        "cast_expression" => field(node, "value"),
        "parenthesized_expression" | "update_expression" => node.named_child(0),
        _ => None,
    }
}

fn is_annotation(node: Node<'_>) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation")
}

impl<'t> FromTheLeft<'t> for Lowering<'t> {
    fn builder(&mut self) -> &mut Builder<'t> {
        &mut self.b
    }

    fn left(node: Node<'_>) -> Option<Node<'_>> {
        left_of(node)
    }

    fn innermost(&mut self, node: Node<'_>) -> ExprId {
        self.atom(node)
    }

    fn around(&mut self, node: Node<'_>, value: ExprId) -> ExprId {
        self.wrap(node, value)
    }
}

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> EcoString {
        self.b.text_of(node).into()
    }

    fn field_text(&self, node: Node<'_>, name: &str) -> Option<EcoString> {
        field(node, name).map(|name| self.text(name))
    }

    /// The expression in a field, or a stand-in where it is missing.
    fn expr_in(&mut self, node: Node<'_>, name: &str) -> ExprId {
        match field(node, name) {
            Some(inner) => self.expr(inner),
            None => self.b.left_out(node),
        }
    }

    fn condition_in(&mut self, node: Node<'_>) -> ExprId {
        let condition = self.expr_in(node, "condition");
        self.b.as_condition(condition)
    }

    fn pattern(&self, node: Option<Node<'_>>) -> Pattern {
        match node.map_or("", |node| self.b.text_of(node)) {
            "_" | "" => Pattern::Ignore,
            name => Pattern::Name(name.into()),
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
            Some(node) if matches!(node.kind(), "block" | "constructor_body" | "program") => {
                self.stmts(node, &mut body);
            }
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
            "package_declaration" => {
                let name = children(node).into_iter().rfind(|child| !is_annotation(*child));
                self.b.module.package = name.map(|name| self.text(name));
            }
            "import_declaration" => self.import(node, out),
            "class_declaration"
            | "interface_declaration"
            | "record_declaration"
            | "enum_declaration"
            | "annotation_type_declaration" => self.class_declaration(node, out),
            "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
                let id = self.method(node, None);
                out.push(self.b.stmt(node, StmtKind::Function(id)));
            }
            "local_variable_declaration" | "field_declaration" | "constant_declaration" => self.local(node, out),
            "expression_statement" | "assert_statement" | "yield_statement" | "explicit_constructor_invocation" => {
                self.expression_statement(node, out);
            }
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Return(value)));
            }
            "throw_statement" => {
                let value = node.named_child(0).map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Raise(value)));
            }
            "if_statement" => self.if_statement(node, out),
            "while_statement" | "do_statement" | "for_statement" | "enhanced_for_statement" => {
                self.loop_statement(node, out);
            }
            "switch_expression" => {
                let kind = self.switch(node);
                out.push(self.b.stmt(node, kind));
            }
            "try_statement" | "try_with_resources_statement" => self.try_statement(node, out),
            "block" | "constructor_body" => {
                let body = self.block(Some(node));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "synchronized_statement" => {
                if let Some(lock) = node.named_child(0).filter(|child| child.kind() != "block") {
                    let lock = self.expr(lock);
                    out.push(self.b.stmt(node, StmtKind::Expr(lock)));
                }
                let body = self.block(field(node, "body"));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "labeled_statement" => {
                for child in children(node).into_iter().skip(1) {
                    self.stmt(child, out);
                }
            }
            "static_initializer" | "ERROR" | "program" | "class_body" | "interface_body" | "modifiers" => {
                self.stmts(node, out);
            }
            "break_statement" | "continue_statement" | "module_declaration" => {}
            _ => {
                let value = self.expr(node);
                out.push(self.b.stmt(node, StmtKind::Expr(value)));
            }
        }
        self.b.leave();
    }

    fn import(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        let Some(name) = parts.iter().find(|part| part.kind() != "asterisk") else {
            return;
        };
        let name: String = self.b.text_of(*name).split_whitespace().collect();
        let star = parts.iter().any(|part| part.kind() == "asterisk");
        let (module, bindings) = match name.rsplit_once('.') {
            _ if star => (name.as_str(), ThinVec::new()),
            Some((module, item)) => (
                module,
                thin_vec![Binding {
                    local: item.into(),
                    module: module.into(),
                    item: Some(item.into()),
                    type_only: false,
                }],
            ),
            None => {
                let binding = Binding {
                    local: name.as_str().into(),
                    module: "".into(),
                    item: Some(name.as_str().into()),
                    type_only: false,
                };
                ("", thin_vec![binding])
            }
        };
        let span = self.b.span(node);
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        self.b.module.imports.push(Import {
            module: module.into(),
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

    fn local(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let annotation = field(node, "type").and_then(|of| self.declared(of));
        for declarator in fields(node, "declarator") {
            let target = self.pattern(field(declarator, "name"));
            let value = field(declarator, "value").map(|value| self.expr(value));
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

    /// A declared type; none for `var`.
    fn declared(&mut self, node: Node<'_>) -> Option<TypeRef> {
        if self.b.text_of(node) == "var" {
            None
        } else {
            Some(self.type_ref(node))
        }
    }

    fn expression_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let kind = match node.kind() {
            "explicit_constructor_invocation" => {
                let callee = match field(node, "constructor") {
                    Some(constructor) => self.b.name(constructor),
                    None => self.b.left_out(node),
                };
                let args = self.args(node);
                StmtKind::Expr(self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: false,
                    },
                ))
            }
            "assert_statement" => {
                let parts = children(node).into_iter().map(|part| self.expr(part)).collect();
                StmtKind::Expr(self.b.at(node, Expr::Test(parts)))
            }
            _ => {
                let Some(inner) = node.named_child(0) else {
                    return;
                };
                if inner.kind() == "switch_expression" {
                    self.switch(inner)
                } else {
                    let value = self.expr(inner);
                    effect(&mut self.b, value)
                }
            }
        };
        out.push(self.b.stmt(node, kind));
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
        if node.kind() == "enhanced_for_statement" {
            let pattern = Some(self.pattern(field(node, "name")));
            let subject = Some(self.expr_in(node, "value"));
            let body = self.block(field(node, "body"));
            out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
            return;
        }
        let mut before = ThinVec::new();
        for initializer in fields(node, "init") {
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

    /// A declaration or expression that stands without its semicolon.
    fn bare(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if node.kind() == "local_variable_declaration" {
            return self.stmt(node, out);
        }
        let value = self.expr(node);
        let kind = effect(&mut self.b, value);
        out.push(self.b.stmt(node, kind));
    }

    fn switch(&mut self, node: Node<'_>) -> StmtKind {
        let subject = self.expr_in(node, "condition");
        let mut arms = ThinVec::new();
        for group in field(node, "body").map(children).unwrap_or_default() {
            let mut arm = ThinVec::new();
            for part in children(group) {
                if part.kind() == "switch_label" {
                    self.switch_label(part, subject, &mut arm);
                } else if part.kind() == "block" {
                    self.stmts(part, &mut arm);
                } else {
                    self.stmt(part, &mut arm);
                }
            }
            arms.push(arm);
        }
        StmtKind::Match {
            subject: Some(subject),
            arms,
        }
    }

    fn switch_label(&mut self, label: Node<'_>, subject: ExprId, arm: &mut ThinVec<Stmt>) {
        for part in children(label) {
            match part.kind() {
                "pattern" => {
                    if let Some((target, to)) = part.named_child(0).and_then(|inner| self.type_pattern(inner)) {
                        let value = Some(self.b.at(
                            part,
                            Expr::Cast {
                                value: subject,
                                to: to.into(),
                            },
                        ));
                        let kind = StmtKind::Assign {
                            target,
                            value,
                            annotation: None,
                            declares: Declares::InBlock,
                        };
                        arm.push(self.b.stmt(part, kind));
                    }
                }
                "guard" => {
                    if let Some(inner) = part.named_child(0) {
                        let asked = self.expr(inner);
                        let asked = self.b.as_condition(asked);
                        arm.push(self.b.stmt(part, StmtKind::Expr(asked)));
                    }
                }
                _ => {}
            }
        }
    }

    /// What a pattern binds and the type that it asks for.
    fn type_pattern(&mut self, node: Node<'_>) -> Option<(Pattern, TypeRef)> {
        if !self.b.enter() {
            return None;
        }
        let parts = children(node);
        let found = match (node.kind(), parts.as_slice()) {
            ("record_pattern", [of, body, ..]) => {
                let to = self.type_ref(*of);
                let targets = children(*body)
                    .into_iter()
                    .map(|part| self.type_pattern(part).map_or(Pattern::Ignore, |(target, _)| target))
                    .collect();
                Some((Pattern::Tuple(targets), to))
            }
            (_, [of, name]) => {
                let to = self.type_ref(*of);
                Some((self.pattern(Some(*name)), to))
            }
            _ => None,
        };
        self.b.leave();
        found
    }

    fn try_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut items = ThinVec::new();
        for resource in field(node, "resources").map(children).unwrap_or_default() {
            let value = match (field(resource, "value"), resource.named_child(0)) {
                (Some(value), _) | (None, Some(value)) => self.expr(value),
                _ => continue,
            };
            let target = field(resource, "name").map(|name| self.pattern(Some(name)));
            items.push((value, target));
        }
        let mut body = self.block(field(node, "body"));
        if !items.is_empty() {
            body = thin_vec![self.b.stmt(node, StmtKind::With { items, body })];
        }
        let mut handlers = ThinVec::new();
        let mut finally = ThinVec::new();
        for clause in children(node) {
            match clause.kind() {
                "catch_clause" => handlers.push(self.handler(clause)),
                "finally_clause" => finally = self.block(clause.named_child(0)),
                _ => {}
            }
        }
        if handlers.is_empty() && finally.is_empty() {
            out.append(&mut body);
        } else {
            out.push(self.b.stmt(
                node,
                StmtKind::Try {
                    body,
                    handlers,
                    finally,
                },
            ));
        }
    }

    fn handler(&mut self, clause: Node<'_>) -> Handler {
        let parameter = children(clause)
            .into_iter()
            .find(|part| part.kind() == "catch_formal_parameter");
        let mut types = ThinVec::new();
        for part in parameter.map(children).unwrap_or_default() {
            if part.kind() == "catch_type" {
                types.extend(children(part).into_iter().map(|of| self.type_ref(of)));
            }
        }
        let name = parameter.and_then(|parameter| self.field_text(parameter, "name"));
        let body = self.block(field(clause, "body"));
        Handler {
            types,
            name,
            body,
            span: self.b.span(clause),
        }
    }

    // Declarations.

    fn modifiers(&mut self, node: Node<'_>) -> Modifiers {
        let mut found = Modifiers::default();
        let Some(list) = node.named_child(0).filter(|first| first.kind() == "modifiers") else {
            return found;
        };
        for modifier in all_children(list) {
            if is_annotation(modifier) {
                found.decorators.push(self.annotation(modifier));
            } else if modifier.kind() == "public" {
                found.public = true;
            }
        }
        found
    }

    fn annotation(&mut self, node: Node<'_>) -> ExprId {
        let name = field(node, "name").unwrap_or(node);
        let text = self.b.text_of(name);
        let callee = path(&mut self.b, name, text, ".");
        let Some(list) = field(node, "arguments") else {
            return callee;
        };
        let mut args = ThinVec::new();
        for part in children(list) {
            let name = self.field_text(part, "key");
            let value = if name.is_some() {
                self.expr_in(part, "value")
            } else {
                self.expr(part)
            };
            args.push(Arg {
                name,
                value,
                spread: false,
            });
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

    fn class_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let name = self.field_text(node, "name");
        let modifiers = self.modifiers(node);
        let mut bases = ThinVec::new();
        for part in children(node) {
            match part.kind() {
                "superclass" => bases.extend(children(part).into_iter().map(|of| self.type_ref(of))),
                "super_interfaces" | "extends_interfaces" => {
                    for list in children(part) {
                        bases.extend(children(list).into_iter().map(|of| self.type_ref(of)));
                    }
                }
                _ => {}
            }
        }
        let class = self.b.class_mut(id);
        class.name = name;
        class.decorators = modifiers.decorators;
        class.bases = bases;
        class.is_interface = matches!(node.kind(), "interface_declaration" | "annotation_type_declaration");
        if let Some(list) = field(node, "parameters") {
            for (param, of) in self.params(list).into_iter().zip(children(list)) {
                let Pattern::Name(name) = param.pattern else {
                    continue;
                };
                let (annotation, decorators) = (param.annotation, param.decorators);
                let field = Field {
                    name,
                    annotation,
                    value: None,
                    decorators,
                    span: self.b.span(of),
                };
                self.b.class_mut(id).fields.push(field);
            }
        }
        let mut nested = ThinVec::new();
        if let Some(body) = field(node, "body") {
            self.members(body, id, &mut nested);
        }
        out.push(self.b.stmt(node, StmtKind::Class(id)));
        out.append(&mut nested);
    }

    /// Lowers the members of a type; nested types are pushed as statements.
    fn members(&mut self, body: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        for member in children(body) {
            if !self.b.enter() {
                return;
            }
            match member.kind() {
                "field_declaration" | "constant_declaration" => self.field_declaration(member, id),
                "enum_constant" => self.enum_constant(member, id),
                "method_declaration"
                | "constructor_declaration"
                | "compact_constructor_declaration"
                | "annotation_type_element_declaration" => {
                    let method = self.method(member, Some(id));
                    self.b.class_mut(id).methods.push(method);
                }
                "block" | "static_initializer" => self.initializer(member, id),
                "enum_body_declarations" | "ERROR" => self.members(member, id, nested),
                _ => self.stmt(member, nested),
            }
            self.b.leave();
        }
    }

    fn initializer(&mut self, node: Node<'_>, id: ClassId) {
        let span = self.b.span(node);
        let function = self.b.reserve_function(span);
        let is_static = node.kind() == "static_initializer";
        let body = self.block(if is_static { node.named_child(0) } else { Some(node) });
        let entry = self.b.function_mut(function);
        entry.name = Some(if is_static { "<clinit>" } else { "<init>" }.into());
        entry.body = body;
        entry.class = Some(id);
        self.b.class_mut(id).methods.push(function);
    }

    fn field_declaration(&mut self, node: Node<'_>, id: ClassId) {
        let decorators = self.modifiers(node).decorators;
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        for declarator in fields(node, "declarator") {
            let name = self.field_text(declarator, "name").unwrap_or_default();
            let value = field(declarator, "value").map(|value| self.expr(value));
            let span = self.b.span(declarator);
            let (annotation, decorators) = (annotation.clone(), decorators.clone());
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    fn enum_constant(&mut self, node: Node<'_>, id: ClassId) {
        let decorators = self.modifiers(node).decorators;
        let name = self.field_text(node, "name").unwrap_or_default();
        let of = self.b.module.class(id).name.clone().unwrap_or_default();
        let mut args = self.args(node);
        if let Some(body) = field(node, "body") {
            let class = self.anonymous(body, named_type(&of));
            args.push(plain(class));
        }
        let value = if args.is_empty() {
            None
        } else {
            let callee = self.b.at(node, Expr::Name(of.clone()));
            Some(self.b.at(
                node,
                Expr::Call {
                    callee,
                    args,
                    new: true,
                },
            ))
        };
        let annotation = Some(named_type(&of));
        let span = self.b.span(node);
        self.b.class_mut(id).fields.push(Field {
            name,
            annotation,
            value,
            decorators,
            span,
        });
    }

    /// The class that braces after a construction make.
    fn anonymous(&mut self, body: Node<'_>, base: TypeRef) -> ExprId {
        let span = self.b.span(body);
        let id = self.b.reserve_class(span);
        self.b.class_mut(id).bases.push(base);
        let mut nested = ThinVec::new();
        self.members(body, id, &mut nested);
        let class = self.b.at(body, Expr::Class(id));
        if nested.is_empty() {
            return class;
        }
        nested.push(Stmt {
            kind: StmtKind::Expr(class),
            span,
        });
        self.b.expr(Expr::Block(nested), span)
    }

    fn method(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let mut modifiers = self.modifiers(node);
        if let Some(throws) = children(node).into_iter().find(|part| part.kind() == "throws") {
            let callee = self.b.at(throws, Expr::Name("throws".into()));
            let mut args = ThinVec::new();
            for of in children(throws) {
                let name = self.type_ref(of).name;
                args.push(plain(path(&mut self.b, of, &name, ".")));
            }
            modifiers.decorators.push(self.b.at(
                throws,
                Expr::Call {
                    callee,
                    args,
                    new: false,
                },
            ));
        }
        let constructor = node.kind().ends_with("constructor_declaration");
        let name = if constructor {
            Some("<init>".into())
        } else {
            self.field_text(node, "name")
        };
        let params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let returns = field(node, "type")
            .map(|of| self.type_ref(of))
            .filter(|of| &*of.name != "void");
        let mut body = self.block(field(node, "body"));
        if let Some(value) = field(node, "value") {
            let value = self.expr(value);
            body.push(self.b.stmt(node, StmtKind::Return(Some(value))));
        }
        let in_interface = class.is_some_and(|class| self.b.module.class(class).is_interface);
        let function = self.b.function_mut(id);
        function.name = name;
        function.params = params;
        function.decorators = modifiers.decorators;
        function.body = body;
        function.returns = returns;
        function.exported = modifiers.public || in_interface;
        function.class = class;
        id
    }

    fn params(&mut self, list: Node<'_>) -> ThinVec<Param> {
        let mut params = ThinVec::new();
        for part in children(list) {
            let rest = part.kind() == "spread_parameter";
            let (name, annotation) = match part.kind() {
                "identifier" => (Some(part), None),
                "formal_parameter" => {
                    let of = field(part, "type").and_then(|of| self.declared(of));
                    (field(part, "name"), of)
                }
                "spread_parameter" => {
                    let parts = children(part);
                    let declarator = parts.iter().rfind(|part| part.kind() == "variable_declarator");
                    let of = parts.iter().find(|part| {
                        !is_annotation(**part) && !matches!(part.kind(), "modifiers" | "variable_declarator")
                    });
                    let of = of.map(|of| self.type_ref(*of));
                    (declarator.and_then(|declarator| field(*declarator, "name")), of)
                }
                _ => continue,
            };
            let decorators = self.modifiers(part).decorators;
            params.push(Param {
                pattern: self.pattern(name),
                annotation,
                default: None,
                decorators,
                rest,
            });
        }
        params
    }

    fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let result = match node.kind() {
            "generic_type" => {
                let parts = children(node);
                let name = parts.first().map_or("", |name| self.b.text_of(*name));
                let args = parts
                    .iter()
                    .rfind(|part| part.kind() == "type_arguments")
                    .map(|list| children(*list));
                let args = args
                    .unwrap_or_default()
                    .into_iter()
                    .map(|arg| self.type_ref(arg))
                    .collect();
                type_of(name, args)
            }
            "array_type" => {
                let element = field(node, "element").map(|element| self.type_ref(element));
                type_of("[]", element.into_iter().collect())
            }
            "annotated_type" => match children(node).into_iter().rfind(|part| !is_annotation(*part)) {
                Some(inner) => self.type_ref(inner),
                None => named_type(""),
            },
            "wildcard" => match children(node)
                .into_iter()
                .rfind(|part| !is_annotation(*part) && part.kind() != "super")
            {
                Some(bound) => self.type_ref(bound),
                None => named_type("?"),
            },
            _ => named_type(without_arguments(self.b.text_of(node))),
        };
        self.b.leave();
        result
    }

    // Expressions.

    fn expr(&mut self, node: Node<'_>) -> ExprId {
        self.lowered_from_the_left(node)
    }

    fn atom(&mut self, node: Node<'_>) -> ExprId {
        if node.is_missing() {
            return self.b.left_out(node);
        }
        match node.kind() {
            "identifier" | "this" | "super" | "type_identifier" => self.b.name(node),
            "scoped_identifier" | "scoped_type_identifier" | "generic_type" => {
                let text = without_arguments(self.b.text_of(node));
                path(&mut self.b, node, text, ".")
            }
            "string_literal" | "character_literal" => self.string(node),
            "true" => self.b.at(node, Expr::Bool(true)),
            "false" => self.b.at(node, Expr::Bool(false)),
            "null_literal" => self.b.at(node, Expr::Null),
            "decimal_integer_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "binary_integer_literal"
            | "decimal_floating_point_literal"
            | "hex_floating_point_literal" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "method_invocation" => self.call(node, None),
            "object_creation_expression" => self.creation(node),
            "array_creation_expression" => self.array_creation(node),
            "array_initializer" | "element_value_array_initializer" => {
                let values = children(node).into_iter().map(|item| self.expr(item)).collect();
                self.b.at(node, Expr::List(values))
            }
            "annotation" | "marker_annotation" => self.annotation(node),
            "array_type" | "dimensions" => self.b.left_out(node),
            "lambda_expression" => self.lambda(node),
            "method_reference" => self.method_reference(node),
            "class_literal" => {
                let name = node.named_child(0).map(|of| self.type_ref(of).name).unwrap_or_default();
                let object = path(&mut self.b, node, &name, ".");
                self.b.at(
                    node,
                    Expr::Member {
                        object,
                        name: "class".into(),
                    },
                )
            }
            "assignment_expression" => self.assignment(node),
            "switch_expression" => {
                let kind = self.switch(node);
                let body = thin_vec![self.b.stmt(node, kind)];
                self.b.at(node, Expr::Block(body))
            }
            _ => self.parts(node),
        }
    }

    /// Keeps the parts of what is not understood.
    fn parts(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            let kind = part.kind();
            if kind.ends_with("statement") || kind.ends_with("declaration") || kind == "block" {
                let mut body = ThinVec::new();
                self.stmt(part, &mut body);
                values.push(self.b.at(part, Expr::Block(body)));
            } else {
                values.push(self.expr(part));
            }
        }
        self.b.at(node, Expr::Other(values.into()))
    }

    /// Puts what follows an operand around it.
    fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.kind() {
            "method_invocation" => self.call(node, Some(operand)),
            "field_access" => {
                let name = self.field_text(node, "field").unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            "array_access" => {
                let key = self.expr_in(node, "index");
                self.b.at(node, Expr::Index { object: operand, key })
            }
            "ternary_expression" => {
                let condition = Some(self.b.as_condition(operand));
                let values = thin_vec![self.expr_in(node, "consequence"), self.expr_in(node, "alternative")];
                self.b.at(node, Expr::Choice { condition, values })
            }
            "unary_expression" => self.unary(node, operand),
            "cast_expression" => {
                let to = field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of));
                self.b.at(
                    node,
                    Expr::Cast {
                        value: operand,
                        to: to.into(),
                    },
                )
            }
            "instanceof_expression" => self.instance_of(node, operand),
            _ => operand,
        }
    }

    fn unary(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match field(node, "operator").map_or("", |operator| operator.kind()) {
            "+" => operand,
            "!" => self.b.at(node, Expr::Test(thin_vec![operand])),
            "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            _ => self.b.at(node, Expr::Other(thin_vec![operand])),
        }
    }

    fn instance_of(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        let found = match (field(node, "pattern"), field(node, "right"), field(node, "name")) {
            (Some(pattern), _, _) => self.type_pattern(pattern),
            (None, Some(of), Some(name)) => {
                let to = self.type_ref(of);
                Some((self.pattern(Some(name)), to))
            }
            _ => None,
        };
        let Some((target, to)) = found else {
            return self.b.at(node, Expr::Test(thin_vec![operand]));
        };
        let value = self.b.at(
            node,
            Expr::Cast {
                value: operand,
                to: to.into(),
            },
        );
        let bound = self.b.at(
            node,
            Expr::Assign {
                target: Box::new(target),
                value,
            },
        );
        self.b.at(node, Expr::Test(thin_vec![bound]))
    }

    fn string(&mut self, node: Node<'_>) -> ExprId {
        let text = self.b.text_of(node);
        let content = if let Some(inner) = text.strip_prefix("\"\"\"") {
            let inner = inner.strip_suffix("\"\"\"").unwrap_or(inner);
            unescape(&text_block(inner, true), Unknown::Dropped)
        } else {
            let quote = if text.starts_with('\'') { '\'' } else { '"' };
            let inner = text.strip_prefix(quote).unwrap_or(text);
            unescape(inner.strip_suffix(quote).unwrap_or(inner), Unknown::Dropped)
        };
        self.b.at(node, Expr::Str(content.into()))
    }

    fn args(&mut self, node: Node<'_>) -> ThinVec<Arg> {
        let list = field(node, "arguments").map(children).unwrap_or_default();
        list.into_iter().map(|argument| plain(self.expr(argument))).collect()
    }

    fn call(&mut self, node: Node<'_>, object: Option<ExprId>) -> ExprId {
        let name_node = field(node, "name");
        let name = name_node.map(|name| self.text(name)).unwrap_or_default();
        let callee = match object {
            Some(object) => {
                let mut span = self.b.span(node);
                if let Some(end) = name_node.map(|name| self.b.span(name)) {
                    (span.end_line, span.end_column) = (end.end_line, end.end_column);
                }
                self.b.expr(Expr::Member { object, name }, span)
            }
            None => self.b.at(name_node.unwrap_or(node), Expr::Name(name)),
        };
        let args = self.args(node);
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    fn creation(&mut self, node: Node<'_>) -> ExprId {
        let of = field(node, "type");
        let base = of.map_or_else(|| named_type(""), |of| self.type_ref(of));
        let callee = path(&mut self.b, of.unwrap_or(node), &base.name, ".");
        let mut args = self.args(node);
        if let Some(body) = children(node).into_iter().find(|part| part.kind() == "class_body") {
            let class = self.anonymous(body, base);
            args.push(plain(class));
        }
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: true,
            },
        )
    }

    fn array_creation(&mut self, node: Node<'_>) -> ExprId {
        match field(node, "value") {
            Some(value) => self.expr(value),
            None => self.b.at(node, Expr::List(ThinVec::new())),
        }
    }

    fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let params = match field(node, "parameters") {
            Some(only) if only.kind() == "identifier" => {
                let pattern = self.pattern(Some(only));
                thin_vec![Param {
                    pattern,
                    annotation: None,
                    default: None,
                    decorators: ThinVec::new(),
                    rest: false,
                }]
            }
            Some(list) => self.params(list),
            None => ThinVec::new(),
        };
        let body = match field(node, "body") {
            Some(block) if block.kind() == "block" => self.block(Some(block)),
            Some(value) => {
                let result = self.expr(value);
                thin_vec![self.b.stmt(value, StmtKind::Return(Some(result)))]
            }
            None => ThinVec::new(),
        };
        let function = self.b.function_mut(id);
        function.params = params;
        function.body = body;
        self.b.at(node, Expr::Function(id))
    }

    fn method_reference(&mut self, node: Node<'_>) -> ExprId {
        let object = match node.named_child(0) {
            Some(object) => self.expr(object),
            None => self.b.left_out(node),
        };
        let name = self.b.text_of(node).rsplit("::").next().unwrap_or_default().trim();
        let name = name.rsplit('>').next().unwrap_or(name).trim().into();
        self.b.at(node, Expr::Member { object, name })
    }

    fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let left = self.expr_in(node, "left");
        let mut value = self.expr_in(node, "right");
        let operator = field(node, "operator").map_or("=", |operator| operator.kind());
        if operator != "=" {
            value = combine(
                &mut self.b,
                node,
                operator.trim_end_matches('='),
                left,
                value,
                &mut Chain::default(),
            );
        }
        let target = Box::new(self.b.place(left));
        self.b.at(node, Expr::Assign { target, value })
    }
}
