//! Kotlin.
//!
//! Choices that the intermediate form leaves open:
//! - A constructor is a method `<init>`, as is an `init` block; what a primary constructor hands to its base is one too.
//! - Members of a companion object are members of the class around it; nested types are statements after it.
//! - A property is a field; its accessors with bodies are methods `get_X` and `set_X`; `by d` makes `d` its value.
//! - The receiver of an extension function is called `this`; its type is kept apart.
//! - `a op b` with a named function is a call of the member `op`; `!!` and `?.` say nothing about the value.
//! - The last expression of a lambda is returned; a lambda that mentions `it` without parameters has it as one.

mod expressions;

use ecow::EcoString;
use std::cell::RefCell;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{Builder, all_children, children, field, fields, has_token, named_type, parse};
use super::names::{path, type_of, without_arguments};
use super::not_understood;
use super::operators::{Chain, combine};
use crate::ir::{
    Binding, ClassId, Declares, Expr, ExprId, Field, FunctionId, Handler, Import, Module, Param, Pattern, Span, Stmt,
    StmtKind, TypeRef,
};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a Kotlin file.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_kotlin_ng::LANGUAGE.into(), text) else {
        return not_understood(Language::Kotlin);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::Kotlin, text),
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
    private: bool,
    suspend: bool,
}

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "binary_expression" | "in_expression" | "is_expression" | "as_expression" => field(node, "left"),
        "unary_expression" => field(node, "argument"),
        "call_expression"
        | "navigation_expression"
        | "index_expression"
        | "infix_expression"
        | "parenthesized_expression"
        | "spread_expression" => children(node).into_iter().next(),
        "annotated_expression" | "labeled_expression" => children(node).into_iter().next_back(),
        _ => None,
    }
}

fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type" | "nullable_type" | "function_type" | "non_nullable_type" | "parenthesized_type" | "dynamic"
    )
}

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> EcoString {
        self.b.text_of(node).trim_matches('`').into()
    }

    fn expr_in(&mut self, node: Node<'_>, name: &str) -> ExprId {
        match field(node, name) {
            Some(inner) => self.expr(inner),
            None => self.b.left_out(node),
        }
    }

    fn named(&self, node: Option<Node<'_>>) -> Pattern {
        match node.map(|node| self.text(node)) {
            Some(name) if !name.is_empty() && &*name != "_" => Pattern::Name(name),
            _ => Pattern::Ignore,
        }
    }

    fn name_of(&self, node: Node<'_>) -> Option<EcoString> {
        let name = field(node, "name").or_else(|| children(node).into_iter().find(|part| part.kind() == "identifier"));
        name.map(|name| self.text(name))
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
            Some(node) if matches!(node.kind(), "block" | "source_file") => self.stmts(node, &mut body),
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
            "package_header" => {
                let name = children(node).into_iter().next();
                self.b.module.package = name.map(|name| self.text(name));
            }
            "import" => self.import(node, out),
            "class_declaration" | "object_declaration" | "companion_object" => self.class_declaration(node, out),
            "type_alias" => self.type_alias(node, out),
            "function_declaration" | "secondary_constructor" => {
                let id = self.function(node, None);
                out.push(self.b.stmt(node, StmtKind::Function(id)));
            }
            "property_declaration" => self.local(node, out),
            "assignment" => self.assignment(node, out),
            "if_expression" => self.if_statement(node, out),
            "when_expression" => {
                let mut body = self.when(node);
                out.append(&mut body);
            }
            "try_expression" => {
                let kind = self.try_kind(node);
                out.push(self.b.stmt(node, kind));
            }
            "for_statement" | "while_statement" | "do_while_statement" => self.loop_statement(node, out),
            "return_expression" => {
                let label = field(node, "label");
                let value = children(node)
                    .into_iter()
                    .find(|part| Some(*part) != label)
                    .map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Return(value)));
            }
            "throw_expression" => {
                let value = children(node).into_iter().next().map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Raise(value)));
            }
            "block" => {
                let body = self.block(Some(node));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "ERROR" | "source_file" | "class_body" | "anonymous_initializer" => self.stmts(node, out),
            "file_annotation" | "shebang" | "label" | "continue_expression" | "break_expression" | "modifiers" => {}
            _ => {
                let value = self.expr(node);
                out.push(self.b.stmt(node, StmtKind::Expr(value)));
            }
        }
        if node.has_error() && node.kind().ends_with("_declaration") {
            // A body on one line without semicolons defeats the grammar: what follows ends up in the declaration.
            for error in children(node).into_iter().filter(Node::is_error) {
                self.stmts(error, out);
            }
        }
        self.b.leave();
    }

    fn import(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        let Some(name) = parts.first() else {
            return;
        };
        let name: String = self
            .b
            .text_of(*name)
            .split_whitespace()
            .collect::<String>()
            .replace('`', "");
        let star = has_token(node, "*");
        let alias = parts.get(1).map(|alias| self.text(*alias));
        let (module, item) = match name.rsplit_once('.') {
            _ if star => (name.as_str(), ""),
            Some((module, item)) => (module, item),
            None => ("", name.as_str()),
        };
        let binding = (!star).then(|| Binding {
            local: alias.unwrap_or_else(|| item.into()),
            module: module.into(),
            item: Some(item.into()),
            type_only: false,
        });
        let span = self.b.span(node);
        let bindings = binding.into_iter().collect();
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        let import = Import {
            module: module.into(),
            bindings,
            star,
            type_only: false,
            optional: false,
            span,
        };
        self.b.module.imports.push(import);
        out.push(Stmt {
            kind: StmtKind::Import(index),
            span,
        });
    }

    fn type_alias(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let name = field(node, "type").map(|name| self.text(name));
        let base = children(node)
            .into_iter()
            .rfind(|part| is_type(*part))
            .map(|of| self.type_ref(of));
        let class = self.b.class_mut(id);
        class.name = name;
        class.bases.extend(base);
        out.push(self.b.stmt(node, StmtKind::Class(id)));
    }

    /// The name and type of a declared variable.
    fn variable(&mut self, node: Node<'_>) -> (Pattern, Option<TypeRef>) {
        let parts = children(node);
        if node.kind() == "multi_variable_declaration" {
            let targets = parts.into_iter().map(|part| self.variable(part).0).collect();
            return (Pattern::Tuple(targets), None);
        }
        let of = parts.iter().find(|part| is_type(**part)).map(|of| self.type_ref(*of));
        (
            self.named(parts.into_iter().find(|part| part.kind() == "identifier")),
            of,
        )
    }

    /// What a property is called, its type, its value and its accessors.
    fn property<'n>(&mut self, node: Node<'n>) -> (Pattern, Option<TypeRef>, Option<ExprId>, Vec<Node<'n>>) {
        let mut accessors = Vec::new();
        let (mut target, mut of, mut value) = (Pattern::Ignore, None, None);
        let mut after_equals = false;
        for part in all_children(node) {
            match part.kind() {
                "=" => after_equals = true,
                "variable_declaration" | "multi_variable_declaration" => (target, of) = self.variable(part),
                "getter" | "setter" => accessors.push(part),
                "property_delegate" => {
                    value = children(part).into_iter().next().map(|inner| self.expr(inner));
                }
                _ if after_equals && part.is_named() && !part.is_extra() => {
                    value = Some(self.expr(part));
                    after_equals = false;
                }
                _ => {}
            }
        }
        (target, of, value, accessors)
    }

    fn local(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let (target, annotation, value, accessors) = self.property(node);
        let name = match &target {
            Pattern::Name(name) => name.clone(),
            _ => "".into(),
        };
        out.push(self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation: annotation.map(Box::new),
                declares: Declares::InBlock,
            },
        ));
        for accessor in accessors {
            if let Some(id) = self.accessor(accessor, &name, None) {
                out.push(self.b.stmt(accessor, StmtKind::Function(id)));
            }
        }
    }

    fn assignment(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
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
        let target = self.b.place(left);
        out.push(self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value: Some(value),
                annotation: None,
                declares: Declares::Nothing,
            },
        ));
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches: ThinVec<(ExprId, ThinVec<Stmt>, Span)> = ThinVec::new();
        let mut otherwise = ThinVec::new();
        let mut at = Some(node);
        while let Some(node) = at.take() {
            let condition = self.expr_in(node, "condition");
            let condition = self.b.as_condition(condition);
            let (then, last) = if_parts(node);
            let then = self.block(then);
            branches.push((condition, then, self.b.span(node)));
            match last {
                Some(next) if next.kind() == "if_expression" => at = Some(next),
                last => otherwise = self.block(last),
            }
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    /// A `when` with the declaration of its subject before it.
    fn when(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        let mut subject = None;
        let mut arms = ThinVec::new();
        for part in children(node) {
            match part.kind() {
                "when_subject" => {
                    let inner = children(part);
                    let value = inner.last().map(|value| self.expr(*value));
                    subject = value;
                    if let Some(variable) = inner.iter().find(|part| part.kind() == "variable_declaration") {
                        let (target, annotation) = self.variable(*variable);
                        if let Pattern::Name(name) = &target {
                            subject = Some(self.b.at(*variable, Expr::Name(name.clone())));
                        }
                        body.push(self.b.stmt(
                            part,
                            StmtKind::Assign {
                                target,
                                value,
                                annotation: annotation.map(Box::new),
                                declares: Declares::InBlock,
                            },
                        ));
                    }
                }
                "when_entry" => {
                    let mut arm = ThinVec::new();
                    let conditions = fields(part, "condition");
                    for condition in &conditions {
                        self.when_condition(*condition, &mut arm);
                    }
                    let result = children(part).into_iter().rfind(|inner| !conditions.contains(inner));
                    arm.append(&mut self.block(result));
                    arms.push(arm);
                }
                _ => {}
            }
        }
        body.push(self.b.stmt(node, StmtKind::Match { subject, arms }));
        body
    }

    /// Keeps what an entry asks when it is more than a constant or a type.
    fn when_condition(&mut self, node: Node<'_>, arm: &mut ThinVec<Stmt>) {
        if matches!(node.kind(), "type_test" | "identifier") || node.kind().ends_with("_literal") {
            return;
        }
        let asked = self.expr(node);
        let asked = self.b.as_condition(asked);
        arm.push(self.b.stmt(node, StmtKind::Expr(asked)));
    }

    fn try_kind(&mut self, node: Node<'_>) -> StmtKind {
        let mut body = ThinVec::new();
        let mut handlers = ThinVec::new();
        let mut finally = ThinVec::new();
        for part in children(node) {
            match part.kind() {
                "block" => body = self.block(Some(part)),
                "catch_block" => {
                    let parts = children(part);
                    let types = parts
                        .iter()
                        .filter(|part| is_type(**part))
                        .map(|of| self.type_ref(*of))
                        .collect();
                    let name = self.name_of(part);
                    let body = self.block(parts.into_iter().rfind(|part| part.kind() == "block"));
                    handlers.push(Handler {
                        types,
                        name,
                        body,
                        span: self.b.span(part),
                    });
                }
                "finally_block" => finally = self.block(children(part).into_iter().next()),
                _ => {}
            }
        }
        StmtKind::Try {
            body,
            handlers,
            finally,
        }
    }

    fn loop_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut pattern = None;
        let mut subject = field(node, "condition").map(|condition| {
            let asked = self.expr(condition);
            self.b.as_condition(asked)
        });
        let condition = field(node, "condition");
        let mut body = ThinVec::new();
        for part in children(node) {
            match part.kind() {
                "label" | "annotation" => {}
                "variable_declaration" | "multi_variable_declaration" => pattern = Some(self.variable(part).0),
                _ if Some(part) == condition => {}
                _ if subject.is_none() => subject = Some(self.expr(part)),
                _ => body = self.block(Some(part)),
            }
        }
        out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
    }

    // Declarations.

    fn modifiers(&mut self, node: Node<'_>) -> Modifiers {
        let mut found = Modifiers::default();
        let lists = children(node)
            .into_iter()
            .filter(|part| matches!(part.kind(), "modifiers" | "parameter_modifiers"));
        for part in lists.flat_map(children) {
            match part.kind() {
                "annotation" => self.annotation(part, &mut found.decorators),
                "visibility_modifier" => found.private |= self.b.text_of(part) == "private",
                "function_modifier" => found.suspend |= self.b.text_of(part) == "suspend",
                _ => {}
            }
        }
        found
    }

    fn annotation(&mut self, node: Node<'_>, out: &mut ThinVec<ExprId>) {
        for part in children(node) {
            match part.kind() {
                "constructor_invocation" => out.push(self.construction(part)),
                "use_site_target" => {}
                _ => {
                    let name = self.type_ref(part).name;
                    out.push(path(&mut self.b, part, &name, "."));
                }
            }
        }
    }

    /// A type with its arguments, as a call.
    fn construction(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let name = parts.first().map(|of| self.type_ref(*of).name).unwrap_or_default();
        let callee = path(&mut self.b, node, &name, ".");
        let list = parts.into_iter().find(|part| part.kind() == "value_arguments");
        let args = list.map(|list| self.args(list)).unwrap_or_default();
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
        let decorators = self.modifiers(node).decorators;
        let name = field(node, "name").map(|name| self.text(name));
        let class = self.b.class_mut(id);
        class.name = name;
        class.decorators = decorators;
        class.is_interface = has_token(node, "interface");
        let mut nested = ThinVec::new();
        self.class_parts(node, id, &mut nested);
        out.push(self.b.stmt(node, StmtKind::Class(id)));
        out.append(&mut nested);
    }

    /// The constructor, bases and members of a class, object or object literal.
    fn class_parts(&mut self, node: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        let mut constructor = None;
        for part in children(node) {
            match part.kind() {
                "primary_constructor" => {
                    constructor = Some(part);
                    for list in children(part)
                        .into_iter()
                        .filter(|list| list.kind() == "class_parameters")
                    {
                        for param in children(list) {
                            self.class_parameter(param, id);
                        }
                    }
                }
                "delegation_specifiers" => {
                    for specifier in children(part) {
                        self.base(specifier, constructor, id);
                    }
                }
                "class_body" | "enum_class_body" => self.members(part, id, nested),
                _ => {}
            }
        }
    }

    fn class_parameter(&mut self, node: Node<'_>, id: ClassId) {
        let (name, annotation, value) = self.parameter(node);
        let decorators = self.modifiers(node).decorators;
        let span = self.b.span(node);
        if let Pattern::Name(name) = name {
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    /// The name, type and default of a parameter whose default stands inside of it.
    fn parameter(&mut self, node: Node<'_>) -> (Pattern, Option<TypeRef>, Option<ExprId>) {
        let parts = children(node);
        let name = self.named(parts.iter().copied().find(|part| part.kind() == "identifier"));
        let at = parts.iter().position(|part| is_type(*part));
        let annotation = at.map(|at| self.type_ref(parts[at]));
        let default = at.and_then(|at| parts.get(at + 1)).map(|value| self.expr(*value));
        (name, annotation, default)
    }

    fn base(&mut self, specifier: Node<'_>, constructor: Option<Node<'_>>, id: ClassId) {
        let Some(part) = children(specifier)
            .into_iter()
            .rfind(|part| part.kind() != "annotation")
        else {
            return;
        };
        let inner = children(part);
        let of = if is_type(part) {
            Some(part)
        } else {
            inner.iter().copied().find(|part| is_type(*part))
        };
        let base = of.map(|of| self.type_ref(of));
        self.b.class_mut(id).bases.extend(base);
        let list = inner.into_iter().find(|part| part.kind() == "value_arguments");
        let Some(list) = list.filter(|list| !children(*list).is_empty()) else {
            return;
        };
        let span = self.b.span(list);
        let function = self.b.reserve_function(span);
        let mut params = ThinVec::new();
        for parameters in constructor.map(children).unwrap_or_default() {
            if parameters.kind() == "class_parameters" {
                for param in children(parameters) {
                    let (pattern, annotation, default) = self.parameter(param);
                    params.push(Param {
                        pattern,
                        annotation,
                        default,
                        decorators: ThinVec::new(),
                        rest: false,
                    });
                }
            }
        }
        let callee = self.b.at(list, Expr::Name("super".into()));
        let args = self.args(list);
        let call = self.b.at(
            list,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        );
        let entry = self.b.function_mut(function);
        entry.name = Some("<init>".into());
        entry.params = params;
        entry.body = thin_vec![Stmt {
            kind: StmtKind::Expr(call),
            span,
        }];
        entry.exported = true;
        entry.class = Some(id);
        self.b.class_mut(id).methods.push(function);
    }

    /// Lowers the members of a type; nested types are pushed as statements.
    fn members(&mut self, body: Node<'_>, id: ClassId, nested: &mut ThinVec<Stmt>) {
        for member in children(body) {
            if !self.b.enter() {
                return;
            }
            match member.kind() {
                "property_declaration" => self.member_property(member, id),
                "function_declaration" | "secondary_constructor" => {
                    let method = self.function(member, Some(id));
                    self.b.class_mut(id).methods.push(method);
                }
                "anonymous_initializer" => {
                    let span = self.b.span(member);
                    let function = self.b.reserve_function(span);
                    let inner = self.block(children(member).into_iter().next());
                    let entry = self.b.function_mut(function);
                    entry.name = Some("<init>".into());
                    entry.body = inner;
                    entry.class = Some(id);
                    self.b.class_mut(id).methods.push(function);
                }
                "companion_object" => self.class_parts(member, id, nested),
                "enum_entry" => self.enum_entry(member, id),
                "ERROR" => self.members(member, id, nested),
                _ => self.stmt(member, nested),
            }
            self.b.leave();
        }
    }

    fn enum_entry(&mut self, node: Node<'_>, id: ClassId) {
        let name = self.name_of(node).unwrap_or_default();
        let of = self.b.module.class(id).name.clone().unwrap_or_default();
        let list = children(node).into_iter().find(|part| part.kind() == "value_arguments");
        let value = list.map(|list| {
            let callee = self.b.at(list, Expr::Name(of.clone()));
            let args = self.args(list);
            self.b.at(
                list,
                Expr::Call {
                    callee,
                    args,
                    new: true,
                },
            )
        });
        let decorators = self.modifiers(node).decorators;
        let (annotation, span) = (Some(named_type(&of)), self.b.span(node));
        self.b.class_mut(id).fields.push(Field {
            name,
            annotation,
            value,
            decorators,
            span,
        });
    }

    fn member_property(&mut self, node: Node<'_>, id: ClassId) {
        let decorators = self.modifiers(node).decorators;
        let (target, annotation, value, accessors) = self.property(node);
        let Pattern::Name(name) = target else {
            return;
        };
        let span = self.b.span(node);
        self.b.class_mut(id).fields.push(Field {
            name: name.clone(),
            annotation,
            value,
            decorators,
            span,
        });
        for accessor in accessors {
            if let Some(method) = self.accessor(accessor, &name, Some(id)) {
                self.b.class_mut(id).methods.push(method);
            }
        }
    }

    fn accessor(&mut self, node: Node<'_>, name: &str, class: Option<ClassId>) -> Option<FunctionId> {
        let parts = children(node);
        let body = parts.iter().copied().find(|part| part.kind() == "function_body")?;
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let param = self.named(parts.into_iter().find(|part| part.kind() == "identifier"));
        let body = self.function_body(body);
        let word = if node.kind() == "getter" { "get" } else { "set" };
        let function = self.b.function_mut(id);
        function.name = Some(format!("{word}_{name}").into());
        if param != Pattern::Ignore {
            let (annotation, default) = (None, None);
            function.params.push(Param {
                pattern: param,
                annotation,
                default,
                decorators: ThinVec::new(),
                rest: false,
            });
        }
        function.body = body;
        function.class = class;
        Some(id)
    }

    fn function_body(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
        match children(node).into_iter().next() {
            Some(block) if block.kind() == "block" => self.block(Some(block)),
            Some(value) => {
                let result = self.expr(value);
                thin_vec![self.b.stmt(value, StmtKind::Return(Some(result)))]
            }
            None => ThinVec::new(),
        }
    }

    fn function(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let modifiers = self.modifiers(node);
        let constructor = node.kind() == "secondary_constructor";
        let name = field(node, "name").map(|name| self.text(name));
        let mut params = ThinVec::new();
        let mut receiver = None;
        let mut extends = None;
        let mut returns = None;
        let mut body = ThinVec::new();
        let mut after_params = false;
        for part in children(node) {
            match part.kind() {
                "function_value_parameters" => {
                    params = self.params(part);
                    after_params = true;
                }
                "function_body" => body.append(&mut self.function_body(part)),
                "block" => body.append(&mut self.block(Some(part))),
                "constructor_delegation_call" => {
                    let word = if has_token(part, "super") { "super" } else { "this" };
                    let callee = self.b.at(part, Expr::Name(word.into()));
                    let list = children(part).into_iter().find(|list| list.kind() == "value_arguments");
                    let args = list.map(|list| self.args(list)).unwrap_or_default();
                    let call = self.b.at(
                        part,
                        Expr::Call {
                            callee,
                            args,
                            new: false,
                        },
                    );
                    body.push(self.b.stmt(part, StmtKind::Expr(call)));
                }
                _ if is_type(part) && after_params => returns = Some(self.type_ref(part)),
                _ if is_type(part) => {
                    receiver = Some("this".into());
                    extends = Some(self.type_ref(part));
                }
                _ => {}
            }
        }
        let function = self.b.function_mut(id);
        function.name = if constructor { Some("<init>".into()) } else { name };
        function.params = params;
        function.receiver = receiver;
        function.extends = extends;
        function.decorators = modifiers.decorators;
        function.body = body;
        function.returns = returns;
        function.is_async = modifiers.suspend;
        function.exported = !modifiers.private;
        function.class = class;
        id
    }

    /// Parameters whose modifiers and defaults stand beside them.
    fn params(&mut self, list: Node<'_>) -> ThinVec<Param> {
        let mut params: ThinVec<Param> = ThinVec::new();
        let mut decorators = ThinVec::new();
        let mut rest = false;
        for part in children(list) {
            match part.kind() {
                "parameter_modifiers" => {
                    for modifier in children(part) {
                        if modifier.kind() == "annotation" {
                            self.annotation(modifier, &mut decorators);
                        } else if self.b.text_of(modifier) == "vararg" {
                            rest = true;
                        }
                    }
                }
                "parameter" => {
                    let (pattern, annotation, default) = self.parameter(part);
                    let decorators = std::mem::take(&mut decorators);
                    params.push(Param {
                        pattern,
                        annotation,
                        default,
                        decorators,
                        rest: std::mem::take(&mut rest),
                    });
                }
                _ => {
                    let default = self.expr(part);
                    if let Some(last) = params.last_mut() {
                        last.default = Some(default);
                    }
                }
            }
        }
        params
    }

    fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let parts = children(node);
        let result = match node.kind() {
            "nullable_type" | "parenthesized_type" | "non_nullable_type" | "type_projection" => {
                match parts.into_iter().find(|part| is_type(*part)) {
                    Some(inner) => self.type_ref(inner),
                    None => named_type(self.b.text_of(node)),
                }
            }
            "function_type" => {
                let result = parts.last().filter(|part| is_type(**part)).map(|of| self.type_ref(*of));
                type_of("fn", result.into_iter().collect())
            }
            "user_type" => {
                let names: Vec<&str> = parts
                    .iter()
                    .filter(|part| part.kind() == "identifier")
                    .map(|part| self.b.text_of(*part).trim_matches('`'))
                    .collect();
                let name = names.join(".");
                let args = parts
                    .iter()
                    .rfind(|part| part.kind() == "type_arguments")
                    .map(|list| children(*list));
                let args = args
                    .unwrap_or_default()
                    .into_iter()
                    .map(|arg| self.type_ref(arg))
                    .collect();
                type_of(&name, args)
            }
            _ => named_type(without_arguments(self.b.text_of(node))),
        };
        self.b.leave();
        result
    }
}

/// The two sides of an `if`, which have no names in the tree.
fn if_parts(node: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let condition = field(node, "condition");
    let (mut then, mut otherwise) = (None, None);
    let mut after_else = false;
    for part in all_children(node) {
        if part.kind() == "else" {
            after_else = true;
        } else if part.is_named() && (!part.is_extra() || part.is_error()) && Some(part) != condition {
            let side = if after_else { &mut otherwise } else { &mut then };
            *side = Some(part);
        }
    }
    (then, otherwise)
}
