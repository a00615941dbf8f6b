//! C#.
//!
//! Choices that the intermediate form leaves open:
//! - A constructor is a method `<init>`, a static one `<clinit>`; what it hands to `base` or `this` is its first call.
//! - A property is a field; its accessors with bodies are methods `get_X` and `set_X`.
//! - `using var x = y;` is a `With` without a body: the statements that follow stay where they are.
//! - An initialiser of elements alone is a list or map, one of members gives named arguments.
//! - `x is T t` is a test of an assignment, and so is a pattern of a `case` at the start of its arm.
//! - A filter of a query is a loop over the condition that binds nothing.

use std::cell::RefCell;

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{
    Builder, Unknown, all_children, children, field, fields, has_token, named_type, parse, plain, unescape,
};
use super::names::{path, text_block, type_of, without_arguments};
use super::not_understood;
use super::operators::{Chain, combine, effect};
use crate::ir::{
    Arg, Binding, ClassId, Expr, ExprId, Field, FunctionId, Handler, Import, MapEntry, Module, Param, Pattern, Span,
    Stmt, StmtKind, TypeRef,
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
    };
    let body = lowering.block(Some(tree.root_node()));
    lowering.b.module.body = body;
    lowering.b.module
}

struct Lowering<'t> {
    b: Builder<'t>,
    /// Whether a namespace has ended: the first path of namespaces is the file's.
    namespace_closed: bool,
}

/// What stands before a declaration.
#[derive(Default)]
struct Modifiers {
    decorators: Vec<ExprId>,
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
    fn text(&self, node: Node<'_>) -> Box<str> {
        let text = self.b.text_of(node);
        text.strip_prefix('@').unwrap_or(text).into()
    }

    fn field_text(&self, node: Node<'_>, name: &str) -> Option<Box<str>> {
        field(node, name).map(|name| self.simple_name(name))
    }

    /// The name without type arguments.
    fn simple_name(&self, node: Node<'_>) -> Box<str> {
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

    fn stmts(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        for child in children(node) {
            self.stmt(child, out);
        }
    }

    /// The statements of a block, or of a single statement that stands for one.
    fn block(&mut self, node: Option<Node<'_>>) -> Vec<Stmt> {
        let mut body = Vec::new();
        match node {
            Some(node) if matches!(node.kind(), "block" | "compilation_unit") => self.stmts(node, &mut body),
            Some(node) => self.stmt(node, &mut body),
            None => {}
        }
        body
    }

    fn stmt(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
                let condition = field(node, "condition");
                for child in children(node).into_iter().filter(|child| Some(*child) != condition) {
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

    fn using_directive(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let alias = field(node, "name");
        let Some(name) = children(node).into_iter().rfind(|part| Some(*part) != alias) else {
            return;
        };
        let name: String = without_arguments(self.b.text_of(name)).replace("::", ".");
        let name = name.strip_prefix("global.").unwrap_or(&name);
        let mut bindings = Vec::new();
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

    fn namespace(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
    fn bare(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        if node.kind() == "variable_declaration" {
            return self.variables(node, out);
        }
        let value = self.expr(node);
        let kind = effect(&mut self.b, value);
        out.push(self.b.stmt(node, kind));
    }

    fn local(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
                    body: Vec::new(),
                },
            ));
        } else {
            self.variables(declaration, out);
        }
    }

    fn variables(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
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
                    annotation,
                    declares: true,
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

    fn resources(&mut self, declaration: Node<'_>) -> Vec<(ExprId, Option<Pattern>)> {
        let mut items = Vec::new();
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

    fn if_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let mut branches: Vec<(ExprId, Vec<Stmt>, Span)> = Vec::new();
        let mut otherwise = Vec::new();
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

    fn loop_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        if node.kind() == "foreach_statement" {
            let pattern = field(node, "left").map(|left| self.target(left));
            let subject = Some(self.expr_in(node, "right"));
            let body = self.block(field(node, "body"));
            out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
            return;
        }
        let mut before = Vec::new();
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

    fn switch_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let subject = self.expr_in(node, "value");
        let mut arms = Vec::new();
        for section in field(node, "body").map(children).unwrap_or_default() {
            let mut arm = Vec::new();
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
    fn case_label(&mut self, part: Node<'_>, subject: ExprId, arm: &mut Vec<Stmt>) {
        if part.kind() == "when_clause" {
            let asked = self.last_value(part);
            let asked = self.b.as_condition(asked);
            arm.push(self.b.stmt(part, StmtKind::Expr(asked)));
        } else if part.kind().ends_with("_pattern")
            && let Some((target, to)) = self.pattern(part)
        {
            let value = match to {
                Some(to) => self.b.at(part, Expr::Cast { value: subject, to }),
                None => subject,
            };
            let kind = StmtKind::Assign {
                target,
                value: Some(value),
                annotation: None,
                declares: true,
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
        let mut parts = Vec::new();
        for clause in children(node) {
            match clause.kind() {
                "property_pattern_clause" => {
                    let mut entries = Vec::new();
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

    fn try_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let body = self.block(field(node, "body"));
        let mut handlers = Vec::new();
        let mut finally = Vec::new();
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
        let mut types = Vec::new();
        let mut name = None;
        let mut body = Vec::new();
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

    fn using_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let body = field(node, "body");
        let resource = values(node).into_iter().find(|part| Some(*part) != body);
        let items = match resource {
            Some(declaration) if declaration.kind() == "variable_declaration" => self.resources(declaration),
            Some(value) => vec![(self.expr(value), None)],
            None => Vec::new(),
        };
        let body = self.block(body);
        out.push(self.b.stmt(node, StmtKind::With { items, body }));
    }

    // Declarations.

    fn modifiers(&mut self, node: Node<'_>) -> Modifiers {
        let mut found = Modifiers::default();
        for part in all_children(node) {
            match part.kind() {
                "attribute_list" => {
                    for attribute in children(part).into_iter().filter(|part| part.kind() == "attribute") {
                        found.decorators.push(self.attribute(attribute));
                    }
                }
                "modifier" => match self.b.text_of(part) {
                    "public" => found.public = true,
                    "static" => found.is_static = true,
                    "async" => found.is_async = true,
                    _ => {}
                },
                "block" | "parameter_list" | "declaration_list" => break,
                _ => {}
            }
        }
        found
    }

    fn attribute(&mut self, node: Node<'_>) -> ExprId {
        let name = field(node, "name").unwrap_or(node);
        let text = without_arguments(self.b.text_of(name));
        let callee = path(&mut self.b, name, text, ".");
        let Some(list) = children(node)
            .into_iter()
            .find(|part| part.kind() == "attribute_argument_list")
        else {
            return callee;
        };
        let mut args = Vec::new();
        for part in children(list) {
            let name = self.field_text(part, "name");
            let value = self.last_value(part);
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

    fn class_declaration(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let modifiers = self.modifiers(node);
        let name = self.field_text(node, "name");
        let class = self.b.class_mut(id);
        class.name = name;
        class.decorators = modifiers.decorators;
        class.is_interface = matches!(node.kind(), "interface_declaration" | "delegate_declaration");
        let mut nested = Vec::new();
        if node.kind() == "delegate_declaration" {
            let method = self.method(node, Some(id));
            self.b.function_mut(method).name = Some("Invoke".into());
            self.b.class_mut(id).methods.push(method);
            out.push(self.b.stmt(node, StmtKind::Class(id)));
            return;
        }
        for part in children(node) {
            match part.kind() {
                "parameter_list" => self.primary_parameters(part, id),
                "base_list" => self.bases(node, part, id),
                "declaration_list" | "enum_member_declaration_list" => self.members(part, id, &mut nested),
                _ => {}
            }
        }
        out.push(self.b.stmt(node, StmtKind::Class(id)));
        out.append(&mut nested);
    }

    /// Parameters of a primary constructor are in scope everywhere in the type: fields.
    fn primary_parameters(&mut self, list: Node<'_>, id: ClassId) {
        let span = self.b.span(list);
        for param in self.params(list) {
            let Pattern::Name(name) = param.pattern else {
                continue;
            };
            let (annotation, value, decorators) = (param.annotation, param.default, param.decorators);
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    fn bases(&mut self, declaration: Node<'_>, list: Node<'_>, id: ClassId) {
        for part in children(list) {
            match part.kind() {
                "argument_list" => self.base_call(declaration, part, id),
                "primary_constructor_base_type" => {
                    let base = field(part, "type").map(|of| self.type_ref(of));
                    self.b.class_mut(id).bases.extend(base);
                    if let Some(args) = children(part).into_iter().find(|part| part.kind() == "argument_list") {
                        self.base_call(declaration, args, id);
                    }
                }
                _ => {
                    let base = self.type_ref(part);
                    self.b.class_mut(id).bases.push(base);
                }
            }
        }
    }

    /// What a primary constructor hands to its base type, as a constructor of its own.
    fn base_call(&mut self, declaration: Node<'_>, args: Node<'_>, id: ClassId) {
        let span = self.b.span(args);
        let function = self.b.reserve_function(span);
        let list = children(declaration)
            .into_iter()
            .find(|part| part.kind() == "parameter_list");
        let params = list.map(|list| self.params(list)).unwrap_or_default();
        let callee = self.b.at(args, Expr::Name("base".into()));
        let args_values = self.args(args);
        let call = self.b.at(
            args,
            Expr::Call {
                callee,
                args: args_values,
                new: false,
            },
        );
        let entry = self.b.function_mut(function);
        entry.name = Some("<init>".into());
        entry.params = params;
        entry.body = vec![Stmt {
            kind: StmtKind::Expr(call),
            span,
        }];
        entry.exported = true;
        entry.class = Some(id);
        self.b.class_mut(id).methods.push(function);
    }

    /// Lowers the members of a type; nested types are pushed as statements.
    fn members(&mut self, body: Node<'_>, id: ClassId, nested: &mut Vec<Stmt>) {
        let condition = field(body, "condition");
        for member in children(body).into_iter().filter(|member| Some(*member) != condition) {
            if !self.b.enter() {
                return;
            }
            match member.kind() {
                "field_declaration" | "event_field_declaration" => self.field_declaration(member, id),
                "property_declaration" | "indexer_declaration" | "event_declaration" => {
                    self.property(member, id);
                }
                "enum_member_declaration" => {
                    let name = self.field_text(member, "name").unwrap_or_default();
                    let value = field(member, "value").map(|value| self.expr(value));
                    let decorators = self.modifiers(member).decorators;
                    let span = self.b.span(member);
                    self.b.class_mut(id).fields.push(Field {
                        name,
                        annotation: None,
                        value,
                        decorators,
                        span,
                    });
                }
                "method_declaration"
                | "constructor_declaration"
                | "operator_declaration"
                | "conversion_operator_declaration"
                | "destructor_declaration"
                | "local_function_statement" => {
                    let method = self.method(member, Some(id));
                    self.b.class_mut(id).methods.push(method);
                }
                "preproc_if" | "preproc_else" | "preproc_elif" | "ERROR" | "declaration_list" => {
                    self.members(member, id, nested);
                }
                _ => self.stmt(member, nested),
            }
            self.b.leave();
        }
    }

    fn field_declaration(&mut self, node: Node<'_>, id: ClassId) {
        let decorators = self.modifiers(node).decorators;
        let Some(declaration) = children(node)
            .into_iter()
            .find(|part| part.kind() == "variable_declaration")
        else {
            return;
        };
        let annotation = field(declaration, "type").map(|of| self.type_ref(of));
        for declarator in children(declaration)
            .into_iter()
            .filter(|part| part.kind() == "variable_declarator")
        {
            let (target, value) = self.declarator(declarator);
            let Pattern::Name(name) = target else {
                continue;
            };
            let (annotation, decorators, span) = (annotation.clone(), decorators.clone(), self.b.span(declarator));
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    /// A property that error recovery left outside a type.
    fn loose_property(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let target = self.named(field(node, "name"));
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        let value = field(node, "value").filter(|value| value.kind() != "arrow_expression_clause");
        let value = value.map(|value| self.expr(value));
        out.push(self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation,
                declares: true,
            },
        ));
    }

    fn property(&mut self, node: Node<'_>, id: ClassId) {
        let modifiers = self.modifiers(node);
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        let name = self.field_text(node, "name").unwrap_or_else(|| "Item".into());
        let span = self.b.span(node);
        let params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let mut value = None;
        match field(node, "value") {
            Some(arrow) if arrow.kind() == "arrow_expression_clause" => {
                let body = self.body(arrow);
                self.accessor(
                    arrow,
                    id,
                    &format!("get_{name}"),
                    params.clone(),
                    annotation.clone(),
                    body,
                );
            }
            Some(initial) => value = Some(self.expr(initial)),
            None => {}
        }
        if node.kind() != "indexer_declaration" {
            let (annotation, decorators) = (annotation.clone(), modifiers.decorators);
            self.b.class_mut(id).fields.push(Field {
                name: name.clone(),
                annotation,
                value,
                decorators,
                span,
            });
        }
        for accessor in field(node, "accessors").map(children).unwrap_or_default() {
            let (Some(word), Some(body)) = (accessor_word(accessor), field(accessor, "body")) else {
                continue;
            };
            let body = self.body(body);
            let word = self.b.text_of(word);
            let mut params = params.clone();
            let mut returns = None;
            if word == "get" {
                returns = annotation.clone();
            } else {
                let (pattern, annotation) = (Pattern::Name("value".into()), annotation.clone());
                params.push(Param {
                    pattern,
                    annotation,
                    default: None,
                    decorators: Vec::new(),
                    rest: false,
                });
            }
            let word = if word == "init" { "set" } else { word };
            self.accessor(accessor, id, &format!("{word}_{name}"), params, returns, body);
        }
    }

    fn accessor(
        &mut self,
        node: Node<'_>,
        id: ClassId,
        name: &str,
        params: Vec<Param>,
        returns: Option<TypeRef>,
        body: Vec<Stmt>,
    ) {
        let span = self.b.span(node);
        let function = self.b.reserve_function(span);
        let entry = self.b.function_mut(function);
        entry.name = Some(name.into());
        entry.params = params;
        entry.returns = returns;
        entry.body = body;
        entry.class = Some(id);
        self.b.class_mut(id).methods.push(function);
    }

    /// A block, or the value after an arrow.
    fn body(&mut self, node: Node<'_>) -> Vec<Stmt> {
        if node.kind() != "arrow_expression_clause" {
            return self.block(Some(node));
        }
        match values(node).last() {
            Some(value) => vec![self.result(*value)],
            None => Vec::new(),
        }
    }

    /// The expression that is all of a body, as a statement.
    fn result(&mut self, node: Node<'_>) -> Stmt {
        let kind = if node.kind() == "throw_expression" {
            StmtKind::Raise(Some(self.last_value(node)))
        } else {
            let value = self.expr(node);
            match effect(&mut self.b, value) {
                StmtKind::Expr(value) => StmtKind::Return(Some(value)),
                assignment => assignment,
            }
        };
        self.b.stmt(node, kind)
    }

    fn method(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let modifiers = self.modifiers(node);
        let name = match node.kind() {
            "constructor_declaration" if modifiers.is_static => Some("<clinit>".into()),
            "constructor_declaration" => Some("<init>".into()),
            "destructor_declaration" => Some("<finalize>".into()),
            "operator_declaration" => {
                field(node, "operator").map(|operator| format!("operator {}", self.b.text_of(operator)).into())
            }
            "conversion_operator_declaration" => Some("operator".into()),
            _ => self.field_text(node, "name"),
        };
        let params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let returns = field(node, "returns").or_else(|| field(node, "type"));
        let returns = returns
            .and_then(|of| self.declared(of))
            .filter(|of| &*of.name != "void");
        let mut body = Vec::new();
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "constructor_initializer")
        {
            let word = if has_token(part, "base") { "base" } else { "this" };
            let callee = self.b.at(part, Expr::Name(word.into()));
            let list = children(part).into_iter().next();
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
        if let Some(inner) = field(node, "body") {
            body.append(&mut self.body(inner));
        }
        let in_interface = class.is_some_and(|class| self.b.module.class(class).is_interface);
        let function = self.b.function_mut(id);
        function.name = name;
        function.params = params;
        function.decorators = modifiers.decorators;
        function.body = body;
        function.returns = returns;
        function.is_async = modifiers.is_async;
        function.exported = modifiers.public || in_interface;
        function.class = class;
        id
    }

    fn params(&mut self, list: Node<'_>) -> Vec<Param> {
        let mut params = Vec::new();
        for part in children(list).into_iter().filter(|part| part.kind() == "parameter") {
            let annotation = field(part, "type").and_then(|of| self.declared(of));
            let name = field(part, "name");
            let default = values(part).into_iter().skip_while(|child| Some(*child) != name).nth(1);
            let default = default.map(|default| self.expr(default));
            let decorators = self.modifiers(part).decorators;
            params.push(Param {
                pattern: self.named(name),
                annotation,
                default,
                decorators,
                rest: false,
            });
        }
        // `params T[] rest` has no node of its own.
        if let Some(name) = field(list, "name") {
            let annotation = field(list, "type").and_then(|of| self.declared(of));
            let pattern = self.named(Some(name));
            params.push(Param {
                pattern,
                annotation,
                default: None,
                decorators: Vec::new(),
                rest: true,
            });
        }
        params
    }

    fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let result = match node.kind() {
            "nullable_type" | "pointer_type" | "ref_type" | "scoped_type" => {
                field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of))
            }
            "array_type" => type_of(
                "[]",
                field(node, "type").map(|of| self.type_ref(of)).into_iter().collect(),
            ),
            "generic_name" => {
                let parts = children(node);
                let args = parts
                    .last()
                    .filter(|part| part.kind() == "type_argument_list")
                    .map(|list| children(*list));
                let args = args
                    .unwrap_or_default()
                    .into_iter()
                    .map(|arg| self.type_ref(arg))
                    .collect();
                TypeRef {
                    name: self.simple_name(node),
                    args,
                }
            }
            "qualified_name" => {
                let inner = field(node, "name").map_or_else(|| named_type(""), |name| self.type_ref(name));
                let outer = field(node, "qualifier").map_or("", |qualifier| self.b.text_of(qualifier));
                type_of(&format!("{}.{}", without_arguments(outer), inner.name), inner.args)
            }
            "tuple_type" => {
                let elements = children(node).into_iter().filter_map(|element| field(element, "type"));
                let args = elements.map(|of| self.type_ref(of)).collect();
                type_of("()", args)
            }
            _ => named_type(self.b.text_of(node)),
        };
        self.b.leave();
        result
    }

    // Expressions.

    fn expr(&mut self, node: Node<'_>) -> ExprId {
        let mut spine = Vec::new();
        let mut at = node;
        while let Some(left) = left_of(at) {
            spine.push(at);
            at = left;
        }
        if !self.b.enter() {
            return self.b.left_out(node);
        }
        let mut value = self.atom(at);
        let mut chain = Chain::default();
        for outer in spine.into_iter().rev() {
            if outer.kind() == "binary_expression" {
                let right = self.expr_in(outer, "right");
                let operator = field(outer, "operator").map_or("", |operator| operator.kind());
                value = combine(&mut self.b, outer, operator, value, right, &mut chain);
            } else {
                self.b.fold(value);
                value = self.wrap(outer, value);
            }
        }
        self.b.leave();
        self.b.fold(value);
        value
    }

    fn atom(&mut self, node: Node<'_>) -> ExprId {
        if node.is_missing() {
            return self.b.left_out(node);
        }
        match node.kind() {
            "identifier" | "generic_name" | "this" | "base" | "predefined_type" | "implicit_parameter" => {
                let name = self.simple_name(node);
                self.b.at(node, Expr::Name(name))
            }
            "qualified_name" | "alias_qualified_name" => {
                let text = without_arguments(self.b.text_of(node)).replace("::", ".");
                path(&mut self.b, node, &text, ".")
            }
            "literal"
            | "constant_pattern"
            | "expression_element"
            | "spread_element"
            | "collection_element"
            | "argument"
            | "arrow_expression_clause" => self.last_value(node),
            "string_literal" | "verbatim_string_literal" | "raw_string_literal" | "character_literal" => {
                self.string(node)
            }
            "interpolated_string_expression" => self.interpolated(node),
            "boolean_literal" => {
                let value = self.b.text_of(node) == "true";
                self.b.at(node, Expr::Bool(value))
            }
            "null_literal" | "default_expression" => self.b.at(node, Expr::Null),
            "integer_literal" | "real_literal" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "object_creation_expression" | "implicit_object_creation_expression" => self.creation(node),
            "array_creation_expression"
            | "implicit_array_creation_expression"
            | "stackalloc_expression"
            | "implicit_stackalloc_expression" => {
                match children(node)
                    .into_iter()
                    .find(|part| part.kind() == "initializer_expression")
                {
                    Some(list) => self.list(list),
                    None => self.b.at(node, Expr::List(Vec::new())),
                }
            }
            "anonymous_object_creation_expression" => self.anonymous_object(node),
            "collection_expression" | "initializer_expression" | "tuple_expression" => self.list(node),
            "lambda_expression" | "anonymous_method_expression" => self.lambda(node),
            "assignment_expression" => self.assignment(node),
            "query_expression" => self.query(node),
            "throw_expression" => {
                let value = Some(self.last_value(node));
                let body = vec![self.b.stmt(node, StmtKind::Raise(value))];
                self.b.at(node, Expr::Block(body))
            }
            "typeof_expression" => self.type_question(node),
            "declaration_expression" => match field(node, "name") {
                Some(name) => self.b.name(name),
                None => self.b.left_out(node),
            },
            "array_type" | "nullable_type" | "tuple_type" | "implicit_type" | "sizeof_expression" => {
                self.b.left_out(node)
            }
            _ => self.parts(node),
        }
    }

    fn list(&mut self, node: Node<'_>) -> ExprId {
        let items = values(node).into_iter().map(|item| self.expr(item)).collect();
        self.b.at(node, Expr::List(items))
    }

    fn type_question(&mut self, node: Node<'_>) -> ExprId {
        let name = field(node, "type").map(|of| self.type_ref(of).name).unwrap_or_default();
        let callee = self.b.at(node, Expr::Name("typeof".into()));
        let of = path(&mut self.b, node, &name, ".");
        self.b.at(
            node,
            Expr::Call {
                callee,
                args: vec![plain(of)],
                new: false,
            },
        )
    }

    /// Keeps the parts of what is not understood.
    fn parts(&mut self, node: Node<'_>) -> ExprId {
        let parts = values(node);
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            let kind = part.kind();
            if kind.ends_with("statement") || kind.ends_with("_declaration") || kind == "block" {
                let mut body = Vec::new();
                self.stmt(part, &mut body);
                kept.push(self.b.at(part, Expr::Block(body)));
            } else {
                kept.push(self.expr(part));
            }
        }
        self.b.at(node, Expr::Other(kept))
    }

    /// Puts what follows an operand around it.
    fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.kind() {
            "member_access_expression" => {
                let name = self.field_text(node, "name").unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            "conditional_access_expression" => self.conditional_access(node, operand),
            "element_access_expression" => match field(node, "subscript") {
                Some(subscript) => self.index(node, operand, subscript),
                None => operand,
            },
            "invocation_expression" => {
                let args = field(node, "arguments").map(|list| self.args(list)).unwrap_or_default();
                self.b.at(
                    node,
                    Expr::Call {
                        callee: operand,
                        args,
                        new: false,
                    },
                )
            }
            "conditional_expression" => {
                let condition = Some(self.b.as_condition(operand));
                let values = vec![self.expr_in(node, "consequence"), self.expr_in(node, "alternative")];
                self.b.at(node, Expr::Choice { condition, values })
            }
            "cast_expression" => self.cast(node, operand, "type"),
            "as_expression" => self.cast(node, operand, "right"),
            "is_expression" => self.b.at(node, Expr::Test(vec![operand])),
            "is_pattern_expression" => self.is_pattern(node, operand),
            "await_expression" => self.b.at(node, Expr::Await(operand)),
            "prefix_unary_expression" => self.prefix(node, operand),
            "switch_expression" => self.switch_expression(node, operand),
            "with_expression" => self.with_expression(node, operand),
            _ => operand,
        }
    }

    fn cast(&mut self, node: Node<'_>, value: ExprId, name: &str) -> ExprId {
        let to = field(node, name).map_or_else(|| named_type(""), |of| self.type_ref(of));
        self.b.at(node, Expr::Cast { value, to })
    }

    fn conditional_access(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match children(node).last() {
            Some(binding) if binding.kind() == "member_binding_expression" => {
                let name = self.field_text(*binding, "name").unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            Some(binding) if binding.kind() == "element_binding_expression" => self.index(node, operand, *binding),
            _ => operand,
        }
    }

    fn index(&mut self, node: Node<'_>, object: ExprId, list: Node<'_>) -> ExprId {
        let keys = children(list);
        let key = match keys.as_slice() {
            [only] => self.expr(*only),
            _ => self.list(list),
        };
        self.b.at(node, Expr::Index { object, key })
    }

    fn prefix(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.child(0).map_or("", |operator| operator.kind()) {
            "!" => self.b.at(node, Expr::Test(vec![operand])),
            "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "-" | "~" => self.b.at(node, Expr::Other(vec![operand])),
            _ => operand,
        }
    }

    fn is_pattern(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        let Some((target, to)) = field(node, "pattern").and_then(|pattern| self.pattern(pattern)) else {
            return self.b.at(node, Expr::Test(vec![operand]));
        };
        let value = match to {
            Some(to) => self.b.at(node, Expr::Cast { value: operand, to }),
            None => operand,
        };
        let bound = self.b.at(
            node,
            Expr::Assign {
                target: Box::new(target),
                value,
            },
        );
        self.b.at(node, Expr::Test(vec![bound]))
    }

    fn switch_expression(&mut self, node: Node<'_>, subject: ExprId) -> ExprId {
        let mut arms = Vec::new();
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "switch_expression_arm")
        {
            let mut arm = Vec::new();
            let parts = values(part);
            let (value, labels) = match parts.split_last() {
                Some((value, labels)) => (*value, labels),
                None => continue,
            };
            for label in labels {
                self.case_label(*label, subject, &mut arm);
            }
            if value.kind() == "throw_expression" {
                let thrown = Some(self.last_value(value));
                arm.push(self.b.stmt(value, StmtKind::Raise(thrown)));
            } else {
                let result = self.expr(value);
                arm.push(self.b.stmt(value, StmtKind::Expr(result)));
            }
            arms.push(arm);
        }
        let body = vec![self.b.stmt(
            node,
            StmtKind::Match {
                subject: Some(subject),
                arms,
            },
        )];
        self.b.at(node, Expr::Block(body))
    }

    fn with_expression(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        let callee = self.b.at(
            node,
            Expr::Member {
                object: operand,
                name: "with".into(),
            },
        );
        let mut args = Vec::new();
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "with_initializer")
        {
            let name = part.named_child(0).map(|name| self.text(name));
            let value = self.last_value(part);
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
                new: true,
            },
        )
    }

    fn string(&mut self, node: Node<'_>) -> ExprId {
        let text = self.b.text_of(node);
        let content = match node.kind() {
            "verbatim_string_literal" => {
                let inner = text.strip_prefix("@\"").unwrap_or(text);
                inner
                    .rsplit_once('"')
                    .map_or(inner, |(inner, _)| inner)
                    .replace("\"\"", "\"")
            }
            "raw_string_literal" => {
                let inner = children(node)
                    .into_iter()
                    .find(|part| part.kind() == "raw_string_content");
                text_block(inner.map_or("", |inner| self.b.text_of(inner)), false)
            }
            kind => {
                let quote = if kind == "character_literal" { '\'' } else { '"' };
                let inner = text.strip_prefix(quote).unwrap_or(text);
                unescape(
                    inner.rsplit_once(quote).map_or(inner, |(inner, _)| inner),
                    Unknown::Dropped,
                )
            }
        };
        self.b.at(node, Expr::Str(content.into()))
    }

    fn interpolated(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let start = parts
            .iter()
            .find(|part| part.kind() == "interpolation_start")
            .map_or("", |part| self.b.text_of(*part));
        let raw = parts.iter().any(|part| part.kind() == "interpolation_quote");
        let verbatim = start.contains('@');
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            let text = match part.kind() {
                "string_content" if raw => self.b.text_of(part).to_owned(),
                "string_content" => {
                    let text = self.b.text_of(part).replace("{{", "{").replace("}}", "}");
                    if verbatim { text.replace("\"\"", "\"") } else { text }
                }
                "escape_sequence" => unescape(self.b.text_of(part), Unknown::Dropped),
                "interpolation" => {
                    let inner = values(part)
                        .into_iter()
                        .find(|inner| inner.kind() != "interpolation_brace");
                    kept.extend(inner.map(|inner| self.expr(inner)));
                    continue;
                }
                _ => continue,
            };
            let same = kept
                .last()
                .and_then(|last: &ExprId| match &mut self.b.module.exprs[last.0 as usize].kind {
                    Expr::Str(before) if part.kind() != "interpolation" => Some(before),
                    _ => None,
                });
            match same {
                Some(before) if !before.is_empty() => *before = format!("{before}{text}").into(),
                _ => kept.push(self.b.at(part, Expr::Str(text.into()))),
            }
        }
        self.b.template(node, kept)
    }

    fn args(&mut self, list: Node<'_>) -> Vec<Arg> {
        let items = children(list);
        let mut args = Vec::with_capacity(items.len());
        for item in items {
            let name = self.field_text(item, "name").filter(|_| item.kind() == "argument");
            let value = if item.kind() == "argument" {
                self.last_value(item)
            } else {
                self.expr(item)
            };
            args.push(Arg {
                name,
                value,
                spread: false,
            });
        }
        args
    }

    fn creation(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let of = field(node, "type");
        let list = parts.iter().find(|part| part.kind() == "argument_list");
        let initializer = parts.iter().find(|part| part.kind() == "initializer_expression");
        let mut args = list.map(|list| self.args(*list)).unwrap_or_default();
        if let Some(initializer) = initializer {
            let elements = values(*initializer);
            let member = |element: &Node<'_>| {
                element.kind() == "assignment_expression"
                    && field(*element, "left").is_some_and(|left| left.kind() == "identifier")
            };
            if elements.iter().any(member) {
                for element in elements {
                    let name = if member(&element) {
                        self.field_text(element, "left")
                    } else {
                        None
                    };
                    let value = if name.is_some() {
                        self.expr_in(element, "right")
                    } else {
                        self.expr(element)
                    };
                    args.push(Arg {
                        name,
                        value,
                        spread: false,
                    });
                }
            } else if !elements.is_empty() || (args.is_empty() && of.is_none()) {
                let contents = self.contents(*initializer, &elements);
                if args.is_empty() {
                    return contents;
                }
                args.push(plain(contents));
            }
        }
        let callee = match of {
            Some(of) => {
                let name = self.type_ref(of).name;
                path(&mut self.b, of, &name, ".")
            }
            None => self.b.at(node, Expr::Name("new".into())),
        };
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: true,
            },
        )
    }

    /// Elements of an initialiser: a map when they have keys, else a list.
    fn contents(&mut self, node: Node<'_>, elements: &[Node<'_>]) -> ExprId {
        let keyed = |element: &Node<'_>| {
            (element.kind() == "initializer_expression" && values(*element).len() == 2)
                || (element.kind() == "assignment_expression"
                    && field(*element, "left").is_some_and(|left| left.kind() == "element_binding_expression"))
        };
        if elements.is_empty() || !elements.iter().all(keyed) {
            return self.list(node);
        }
        let mut entries = Vec::with_capacity(elements.len());
        for element in elements {
            let (key, value) = match (field(*element, "left"), field(*element, "right")) {
                (Some(left), Some(right)) => (left.named_child(0), Some(right)),
                _ => {
                    let pair = values(*element);
                    (pair.first().copied(), pair.last().copied())
                }
            };
            let key = key.map(|key| self.expr(key));
            let value = match value {
                Some(value) => self.expr(value),
                None => self.b.left_out(*element),
            };
            entries.push(MapEntry { key, value });
        }
        self.b.at(node, Expr::Map(entries))
    }

    fn anonymous_object(&mut self, node: Node<'_>) -> ExprId {
        let mut entries = Vec::new();
        let mut pending = None;
        let mut after_equals = false;
        let parts = all_children(node);
        for (index, part) in parts.iter().enumerate() {
            if part.kind() == "=" {
                after_equals = true;
            } else if part.kind() == "identifier" && parts.get(index + 1).is_some_and(|next| next.kind() == "=") {
                let text = self.text(*part);
                pending = Some(self.b.at(*part, Expr::Str(text)));
            } else if (part.is_named() && !part.is_extra()) || part.kind() == "this" {
                let value = self.expr(*part);
                let own = match self.b.module.expr(value) {
                    Expr::Name(name) | Expr::Member { name, .. } => Some(name.clone()),
                    _ => None,
                };
                let key = match pending.take().filter(|_| after_equals) {
                    Some(key) => Some(key),
                    None => own.map(|name| self.b.at(*part, Expr::Str(name))),
                };
                after_equals = false;
                entries.push(MapEntry { key, value });
            }
        }
        self.b.at(node, Expr::Map(entries))
    }

    fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let modifiers = self.modifiers(node);
        let params = match field(node, "parameters") {
            Some(list) if list.kind() == "parameter_list" => self.params(list),
            Some(only) => {
                let pattern = self.named(Some(only));
                vec![Param {
                    pattern,
                    annotation: None,
                    default: None,
                    decorators: Vec::new(),
                    rest: false,
                }]
            }
            None => Vec::new(),
        };
        let inner = field(node, "body").or_else(|| children(node).into_iter().find(|part| part.kind() == "block"));
        let body = match inner {
            Some(block) if block.kind() == "block" => self.block(Some(block)),
            Some(value) => vec![self.result(value)],
            None => Vec::new(),
        };
        let function = self.b.function_mut(id);
        function.params = params;
        function.decorators = modifiers.decorators;
        function.is_async = modifiers.is_async;
        function.body = body;
        self.b.at(node, Expr::Function(id))
    }

    /// What an assignment, a loop or a declaration binds.
    fn target(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "identifier" | "discard" => self.named(Some(node)),
            "tuple_pattern" => Pattern::Tuple(children(node).into_iter().map(|part| self.target(part)).collect()),
            "tuple_expression" => Pattern::Tuple(children(node).into_iter().map(|part| self.target(part)).collect()),
            "argument" => values(node).last().map_or(Pattern::Ignore, |inner| self.target(*inner)),
            "declaration_expression" => self.named(field(node, "name")),
            _ => {
                let place = self.expr(node);
                self.b.place(place)
            }
        };
        self.b.leave();
        pattern
    }

    fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let operator = field(node, "operator").map_or("=", |operator| self.b.text_of(operator));
        let mut value = self.expr_in(node, "right");
        if operator != "=" {
            let before = self.expr_in(node, "left");
            let operator = operator.strip_suffix('=').unwrap_or(operator);
            value = combine(&mut self.b, node, operator, before, value, &mut Chain::default());
        }
        let target = field(node, "left").map_or(Pattern::Ignore, |left| self.target(left));
        self.b.at(
            node,
            Expr::Assign {
                target: Box::new(target),
                value,
            },
        )
    }

    fn query(&mut self, node: Node<'_>) -> ExprId {
        let mut loops = Vec::new();
        let mut value = None;
        for clause in children(node) {
            let parts = values(clause);
            match clause.kind() {
                "from_clause" | "join_clause" => {
                    let of = field(clause, "type");
                    let named = parts
                        .iter()
                        .find(|part| part.kind() == "identifier" && Some(**part) != of);
                    let target = self.named(named.copied());
                    let over = parts.iter().skip_while(|part| Some(*part) != named).nth(1);
                    if let Some(over) = over {
                        loops.push((target, self.expr(*over)));
                    }
                }
                "let_clause" => {
                    let target = self.named(parts.first().copied());
                    let inner = self.last_value(clause);
                    let once = self.b.at(clause, Expr::List(vec![inner]));
                    loops.push((target, once));
                }
                "where_clause" => {
                    let asked = self.last_value(clause);
                    let asked = self.b.as_condition(asked);
                    loops.push((Pattern::Ignore, asked));
                }
                "select_clause" => value = Some(self.last_value(clause)),
                "group_clause" => value = Some(self.parts(clause)),
                _ => {}
            }
        }
        let value = match value {
            Some(value) => value,
            None => self.b.left_out(node),
        };
        self.b.at(node, Expr::Comprehension { loops, value })
    }
}

/// The word that says what an accessor does.
fn accessor_word(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("name")
}
