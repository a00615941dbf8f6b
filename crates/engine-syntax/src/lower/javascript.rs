//! Lowers JavaScript, TypeScript and TSX.
//!
//! Choices that the intermediate form leaves open:
//! - A default inside a destructuring pattern is an assignment right after it: `model = choice(model | "x")`.
//! - `const x = require("x")` and `const { a } = await import("x")` are assignments and also entries of the imports,
//!   without a statement of their own. `export … from "x"` has an entry too, which binds nothing.
//! - A constructor parameter with a modifier is a field and an assignment to `this.x` at the start of the body.
//! - A static block is a method named `static`; an accessor is a method.
//! - A spread in an array is `Other` of its value; in an object literal it is an entry without key.
//! - A sequence is a block; `++` and operators without meaning for texts are `Other`.
//! - Spread JSX attributes are named `...`; a fragment is an element without name.
//! - A type alias is an interface: with the fields of its object type, else with its type as base.

mod class;
mod jsx;
mod module;
mod types;

use ecow::EcoString;
use std::cell::RefCell;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{self, Builder, ParserSlot, Unknown, children, field, has_token, plain, unescape};
use crate::ir::{
    Arg, ClassId, Declares, Expr, ExprId, FunctionId, Handler, MapEntry, Module, Param, Pattern, Stmt, StmtKind,
};

thread_local! {
    static JAVASCRIPT: RefCell<Option<Parser>> = const { RefCell::new(None) };
    static TYPESCRIPT: RefCell<Option<Parser>> = const { RefCell::new(None) };
    static TSX: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a file of the JavaScript family.
pub(super) fn lower(language: Language, text: &str) -> Module {
    let (javascript, typescript, tsx): (&'static ParserSlot, &'static ParserSlot, &'static ParserSlot) =
        (&JAVASCRIPT, &TYPESCRIPT, &TSX);
    let tree = match language {
        Language::TypeScript => builder::parse(typescript, || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), text),
        Language::Tsx => builder::parse(tsx, || tree_sitter_typescript::LANGUAGE_TSX.into(), text),
        _ => builder::parse(javascript, || tree_sitter_javascript::LANGUAGE.into(), text),
    };
    let Some(tree) = tree else {
        return super::not_understood(language);
    };
    let mut lowering = JavaScript {
        b: Builder::new(language, text),
        optional: false,
        ambient: false,
        defaults: ThinVec::new(),
        importers: Vec::new(),
    };
    let body = lowering.block(tree.root_node());
    lowering.b.module.body = body;
    lowering.mark_exported();
    lowering.b.module
}

/// The lowering of one file.
struct JavaScript<'t> {
    b: Builder<'t>,
    /// Whether a `try` around catches a failing import.
    optional: bool,
    /// Whether a `declare` is around.
    ambient: bool,
    /// Assignments of the defaults of the pattern that is being lowered.
    defaults: ThinVec<Stmt>,
    /// Names of functions that were made out of a text and do nothing but import what they are handed.
    importers: Vec<EcoString>,
}

/// Functions of one file that only import and are kept by name.
const IMPORTERS_MAX: usize = 16;

impl JavaScript<'_> {
    fn block(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
        let mut out = ThinVec::new();
        for child in children(node) {
            self.stmt(child, &mut out);
        }
        out
    }

    /// The statements of a body, with or without braces.
    fn body(&mut self, node: Option<Node<'_>>) -> ThinVec<Stmt> {
        let Some(node) = node else {
            return ThinVec::new();
        };
        if node.kind() == "statement_block" {
            return self.block(node);
        }
        let mut out = ThinVec::new();
        self.stmt(node, &mut out);
        out
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
            "expression_statement" => {
                for child in children(node) {
                    self.effect(child, out);
                }
            }
            "lexical_declaration" | "variable_declaration" => {
                let declares = if node.kind() == "lexical_declaration" {
                    Declares::InBlock
                } else {
                    Declares::InFunction
                };
                for declarator in children(node) {
                    self.declarator(declarator, declares, out);
                }
            }
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.expr(value));
                self.push(node, StmtKind::Return(value), out);
            }
            "throw_statement" => {
                let value = node.named_child(0).map(|value| self.expr(value));
                self.push(node, StmtKind::Raise(value), out);
            }
            "if_statement" => self.if_statement(node, out),
            "for_statement" => self.for_statement(node, out),
            "for_in_statement" => self.for_in_statement(node, out),
            "while_statement" | "do_statement" => {
                let subject = field(node, "condition").map(|condition| self.condition(condition));
                let body = self.body(field(node, "body"));
                self.push(
                    node,
                    StmtKind::Loop {
                        pattern: None,
                        subject,
                        body,
                    },
                    out,
                );
            }
            "switch_statement" => self.switch_statement(node, out),
            "try_statement" => self.try_statement(node, out),
            "statement_block" => {
                let body = self.block(node);
                self.push(node, StmtKind::Block(body), out);
            }
            "labeled_statement" | "with_statement" => {
                if let Some(body) = field(node, "body") {
                    self.stmt(body, out);
                }
            }
            "function_declaration" | "generator_function_declaration" => {
                let function = self.function(node, None);
                self.push(node, StmtKind::Function(function), out);
            }
            "class_declaration" | "abstract_class_declaration" => {
                let class = self.class(node, &[]);
                self.push(node, StmtKind::Class(class), out);
            }
            "interface_declaration" | "type_alias_declaration" | "enum_declaration" => {
                let class = self.described(node);
                self.push(node, StmtKind::Class(class), out);
            }
            "ambient_declaration" => {
                let before = std::mem::replace(&mut self.ambient, true);
                for child in children(node) {
                    self.stmt(child, out);
                }
                self.ambient = before;
            }
            "internal_module" | "module" => {
                // What a namespace exports is a member of it, not of the module.
                let exported = self.b.module.exports.len();
                let body = self.body(field(node, "body"));
                self.b.module.exports.truncate(exported);
                self.push(node, StmtKind::Block(body), out);
            }
            "import_statement" => self.import(node, out),
            "import_alias" => self.import_alias(node, out),
            "export_statement" => self.export(node, out),
            "program" | "ERROR" => {
                for child in children(node) {
                    self.stmt(child, out);
                }
            }
            "empty_statement"
            | "debugger_statement"
            | "break_statement"
            | "continue_statement"
            | "function_signature"
            | "hash_bang_line"
            | "comment"
            | "property_identifier"
            | "decorator" => {}
            _ => self.effect(node, out),
        }
    }

    /// An expression that stands alone.
    fn effect(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        match node.kind() {
            "assignment_expression" => self.assignment(node, out),
            "augmented_assignment_expression" => {
                if let Some((target, value)) = self.augmented(node) {
                    let value = Some(value);
                    self.push(
                        node,
                        StmtKind::Assign {
                            target,
                            value,
                            annotation: None,
                            declares: Declares::Nothing,
                        },
                        out,
                    );
                }
            }
            "sequence_expression" => {
                for part in sequence(node) {
                    self.effect(part, out);
                }
            }
            "internal_module" => self.stmt(node, out),
            "parenthesized_expression"
                if node
                    .named_child(0)
                    .is_some_and(|inner| matches!(inner.kind(), "assignment_expression" | "sequence_expression")) =>
            {
                for inner in children(node) {
                    self.effect(inner, out);
                }
            }
            _ => {
                let value = self.expr(node);
                self.push(node, StmtKind::Expr(value), out);
            }
        }
    }

    /// `a = b = value` gives one assignment for each target; they share the value.
    fn assignment(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut targets = ThinVec::new();
        let mut current = node;
        let value = loop {
            targets.extend(field(current, "left"));
            match field(current, "right") {
                Some(right) if right.kind() == "assignment_expression" => current = right,
                Some(right) => break Some(self.expr(right)),
                None => break None,
            }
        };
        let outer = std::mem::take(&mut self.defaults);
        for left in targets {
            if let Some(value) = value {
                self.common_js_export(left, value);
            }
            let target = self.pattern(left);
            self.push(
                node,
                StmtKind::Assign {
                    target,
                    value,
                    annotation: None,
                    declares: Declares::Nothing,
                },
                out,
            );
        }
        out.append(&mut self.defaults);
        self.defaults = outer;
    }

    fn augmented(&mut self, node: Node<'_>) -> Option<(Pattern, ExprId)> {
        let (left, right) = (field(node, "left")?, field(node, "right")?);
        let target = self.pattern(left);
        let before = self.expr(left);
        let added = self.expr(right);
        let value = match field(node, "operator").map_or("", |operator| operator.kind()) {
            "+=" if !self.is_number(added) => self.b.concat(node, before, added),
            "??=" | "||=" => self.b.either(node, before, added),
            "&&=" => self.b.both(node, before, added),
            _ => self.b.at(node, Expr::Other(thin_vec![before, added])),
        };
        Some((target, value))
    }

    fn declarator(&mut self, node: Node<'_>, declares: Declares, out: &mut ThinVec<Stmt>) {
        let Some(name) = field(node, "name") else {
            return;
        };
        let annotation = field(node, "type").map(|kind| self.type_ref(kind));
        let value = field(node, "value").map(|value| self.expr(value));
        let outer = std::mem::take(&mut self.defaults);
        let target = self.pattern(name);
        if let Some(value) = value {
            self.import_by_declaration(node, &target, value);
            if let Pattern::Name(name) = &target
                && self.importers.len() < IMPORTERS_MAX
                && self.is_importer(value)
            {
                self.importers.push(name.clone());
            }
        }
        self.push(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation: annotation.map(Box::new),
                declares,
            },
            out,
        );
        out.append(&mut self.defaults);
        self.defaults = outer;
    }

    /// Whether a value is `new Function("specifier", "return import(specifier)")`, which keeps a compiler from turning the import
    /// into a `require`.
    fn is_importer(&self, value: ExprId) -> bool {
        let mut at = value;
        while let Expr::Cast { value, .. } = self.b.module.expr(at) {
            at = *value;
        }
        let Some([taken, body]) = self.function_of_text(at) else {
            return false;
        };
        match (self.b.module.expr(taken.value), self.b.module.expr(body.value)) {
            (Expr::Str(taken), Expr::Str(body)) => imported_by(body) == Some(taken.trim()),
            _ => false,
        }
    }

    /// The arguments of `new Function(…)`.
    fn function_of_text(&self, at: ExprId) -> Option<&[Arg]> {
        match self.b.module.expr(at) {
            Expr::Call { callee, args, .. } => {
                matches!(self.b.module.expr(*callee), Expr::Name(name) if &**name == "Function").then_some(args)
            }
            _ => None,
        }
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches = ThinVec::new();
        let mut otherwise = ThinVec::new();
        let mut current = Some(node);
        while let Some(branch) = current.take() {
            let condition = match field(branch, "condition") {
                Some(condition) => self.condition(condition),
                None => self.b.left_out(branch),
            };
            let then = self.body(field(branch, "consequence"));
            branches.push((condition, then, self.b.span(branch)));
            let last = field(branch, "alternative").map(|clause| children(clause).into_iter().next().unwrap_or(clause));
            match last {
                Some(last) if last.kind() == "if_statement" => current = Some(last),
                last => otherwise = self.body(last),
            }
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    fn for_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if let Some(first) = field(node, "initializer") {
            self.stmt(first, out);
        }
        let condition = field(node, "condition").filter(Node::is_named);
        let subject = match condition {
            Some(condition) if condition.kind() == "expression_statement" => {
                condition.named_child(0).map(|condition| self.condition(condition))
            }
            Some(condition) if condition.kind() != "empty_statement" => Some(self.condition(condition)),
            _ => None,
        };
        let mut body = self.body(field(node, "body"));
        if let Some(step) = field(node, "increment") {
            self.effect(step, &mut body);
        }
        self.push(
            node,
            StmtKind::Loop {
                pattern: None,
                subject,
                body,
            },
            out,
        );
    }

    fn for_in_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let subject = field(node, "right").map(|over| self.expr(over));
        let outer = std::mem::take(&mut self.defaults);
        let pattern = field(node, "left").map(|left| self.pattern(left));
        let mut body = std::mem::replace(&mut self.defaults, outer);
        body.extend(self.body(field(node, "body")));
        self.push(node, StmtKind::Loop { pattern, subject, body }, out);
    }

    fn switch_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let subject = field(node, "value").map(|value| self.expr(value));
        let mut arms = ThinVec::new();
        for case in field(node, "body").map(children).unwrap_or_default() {
            let value = field(case, "value");
            let mut arm = ThinVec::new();
            for child in children(case) {
                if Some(child) != value {
                    self.stmt(child, &mut arm);
                }
            }
            arms.push(arm);
        }
        self.push(node, StmtKind::Match { subject, arms }, out);
    }

    fn try_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let handler = field(node, "handler");
        let before = self.optional;
        self.optional |= handler.is_some();
        let body = self.body(field(node, "body"));
        self.optional = before;
        let mut handlers = ThinVec::new();
        if let Some(clause) = handler {
            let name = field(clause, "parameter").filter(|name| name.kind() == "identifier");
            let name = name.map(|name| self.b.text_of(name).into());
            let body = self.body(field(clause, "body"));
            handlers.push(Handler {
                types: ThinVec::new(),
                name,
                body,
                span: self.b.span(clause),
            });
        }
        let finally = self.body(field(node, "finalizer").and_then(|clause| field(clause, "body")));
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

    /// A function, arrow or method; the class is the one it belongs to.
    fn function(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let id = self.b.reserve_function(self.b.span(node));
        let outer = std::mem::take(&mut self.defaults);
        let mut params = ThinVec::new();
        let mut body = ThinVec::new();
        if let Some(list) = field(node, "parameters") {
            for param in children(list) {
                self.param(param, class, &mut params, &mut body);
            }
        } else if let Some(single) = field(node, "parameter") {
            params.push(Param {
                pattern: self.pattern(single),
                annotation: None,
                default: None,
                decorators: ThinVec::new(),
                rest: false,
            });
        }
        body.append(&mut self.defaults);
        let name = field(node, "name").map(|name| self.key_text(name));
        let returns = field(node, "return_type").map(|kind| self.type_ref(kind));
        match field(node, "body") {
            Some(block) if block.kind() == "statement_block" => body.extend(self.block(block)),
            Some(value) => {
                let result = self.expr(value);
                self.push(value, StmtKind::Return(Some(result)), &mut body);
            }
            None => {}
        }
        self.defaults = outer;
        let is_async = has_token(node, "async");
        let function = self.b.function_mut(id);
        function.exported = class.is_some() && !name.as_ref().is_some_and(|name| name.starts_with('#'));
        function.name = name;
        function.params = params;
        function.body = body;
        function.returns = returns;
        function.is_async = is_async;
        function.class = class;
        id
    }

    fn param(&mut self, node: Node<'_>, class: Option<ClassId>, params: &mut ThinVec<Param>, body: &mut ThinVec<Stmt>) {
        let (mut target, mut default) = (node, None);
        let mut annotation = None;
        let mut decorators = ThinVec::new();
        let mut is_field = false;
        match node.kind() {
            "required_parameter" | "optional_parameter" => {
                target = field(node, "pattern").or_else(|| field(node, "name")).unwrap_or(node);
                annotation = field(node, "type").map(|kind| self.type_ref(kind));
                default = field(node, "value");
                decorators = self.decorators(node);
                is_field = children(node)
                    .iter()
                    .any(|part| matches!(part.kind(), "accessibility_modifier" | "override_modifier"))
                    || has_token(node, "readonly");
            }
            "assignment_pattern" => {
                target = field(node, "left").unwrap_or(node);
                default = field(node, "right");
            }
            _ => {}
        }
        if target.kind() == "this" {
            return;
        }
        let default = default.map(|value| self.expr(value));
        let rest = target.kind() == "rest_pattern";
        let pattern = self.pattern(target);
        if let (true, Some(class), Pattern::Name(name)) = (is_field, class, &pattern) {
            self.param_field(node, class, name, annotation.clone(), body);
        }
        params.push(Param {
            pattern,
            annotation,
            default,
            decorators,
            rest,
        });
    }

    fn pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => Pattern::Name(self.b.text_of(node).into()),
            "array_pattern" | "array" => self.array_pattern(node),
            "object_pattern" | "object" => Pattern::Object(
                children(node)
                    .into_iter()
                    .filter_map(|part| self.object_part(part))
                    .collect(),
            ),
            "rest_pattern" | "spread_element" | "parenthesized_expression" | "non_null_expression" => {
                node.named_child(0).map_or(Pattern::Ignore, |inner| self.pattern(inner))
            }
            "assignment_pattern" | "object_assignment_pattern" | "assignment_expression" => {
                let pattern = field(node, "left").map_or(Pattern::Ignore, |left| self.pattern(left));
                if let Some(right) = field(node, "right") {
                    self.default(node, &pattern, right);
                }
                pattern
            }
            "undefined" | "ERROR" => Pattern::Ignore,
            _ => {
                let place = self.expr(node);
                self.b.place(place)
            }
        };
        self.b.leave();
        pattern
    }

    /// Holes of an array pattern count: `[, second]`.
    fn array_pattern(&mut self, node: Node<'_>) -> Pattern {
        let mut parts = ThinVec::new();
        let mut open = true;
        for child in builder::all_children(node) {
            match child.kind() {
                "," => {
                    if open {
                        parts.push(Pattern::Ignore);
                    }
                    open = true;
                }
                _ if child.is_named() && !child.is_extra() => {
                    parts.push(self.pattern(child));
                    open = false;
                }
                _ => {}
            }
        }
        Pattern::Tuple(parts)
    }

    fn object_part(&mut self, node: Node<'_>) -> Option<(EcoString, Pattern)> {
        match node.kind() {
            "shorthand_property_identifier_pattern" | "shorthand_property_identifier" => {
                let name: EcoString = self.b.text_of(node).into();
                Some((name.clone(), Pattern::Name(name)))
            }
            "pair_pattern" | "pair" => {
                let name = field(node, "key").map(|key| self.key_text(key))?;
                let value = field(node, "value").map_or(Pattern::Ignore, |value| self.pattern(value));
                Some((name, value))
            }
            "object_assignment_pattern" => {
                let name: EcoString = field(node, "left").map(|left| self.b.text_of(left))?.into();
                Some((name, self.pattern(node)))
            }
            "rest_pattern" | "spread_element" => Some(("...".into(), self.pattern(node))),
            _ => None,
        }
    }

    /// A default is an assignment after the pattern, where the value is the bound one or the default.
    fn default(&mut self, node: Node<'_>, pattern: &Pattern, value: Node<'_>) {
        let value = self.expr(value);
        if let Pattern::Name(name) = pattern {
            let bound = self.b.at(node, Expr::Name(name.clone()));
            let choice = self.b.either(node, bound, value);
            let target = pattern.clone();
            let kind = StmtKind::Assign {
                target,
                value: Some(choice),
                annotation: None,
                declares: Declares::Nothing,
            };
            self.defaults.push(self.b.stmt(node, kind));
        }
    }

    /// The text of a key: an identifier, a string without quotes, the source of what is computed.
    fn key_text(&self, node: Node<'_>) -> EcoString {
        let text = self.b.text_of(node);
        match node.kind() {
            "string" => unescape(inside(text), Unknown::Dropped).into(),
            "computed_property_name" => {
                let inner = inside(text).trim();
                match inner.chars().next() {
                    Some('"' | '\'' | '`') => inside(inner).into(),
                    _ => inner.into(),
                }
            }
            _ => text.into(),
        }
    }

    fn exprs(&mut self, nodes: &[Node<'_>]) -> ThinVec<ExprId> {
        nodes.iter().map(|node| self.expr(*node)).collect()
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
        let id = if spine_left(node).is_some() {
            self.spine(node)
        } else {
            self.leaf(node)
        };
        self.b.leave();
        id
    }

    /// Walks down the left side in a loop: chains of calls and operators are as long as people like.
    fn spine(&mut self, node: Node<'_>) -> ExprId {
        let mut passed = ThinVec::new();
        let mut current = node;
        while let Some(left) = spine_left(current) {
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
                "call_expression" => self.call(node, id),
                "member_expression" => {
                    let name = field(node, "property").map_or("", |name| self.b.text_of(name)).into();
                    self.b.at(node, Expr::Member { object: id, name })
                }
                "subscript_expression" => {
                    let key = self.expr_or(field(node, "index"), node);
                    self.b.at(node, Expr::Index { object: id, key })
                }
                // `satisfies` asks for a type and changes none.
                "as_expression" => match children(node).get(1) {
                    Some(to) => {
                        let to = self.type_ref(*to);
                        self.b.at(
                            node,
                            Expr::Cast {
                                value: id,
                                to: to.into(),
                            },
                        )
                    }
                    None => id,
                },
                "binary_expression" => self.binary(node, operator, id),
                _ => id,
            };
        }
        if plus {
            self.b.fold(id);
        }
        id
    }

    fn binary(&mut self, node: Node<'_>, operator: &str, left: ExprId) -> ExprId {
        let Some(right) = field(node, "right") else {
            return left;
        };
        let right = self.expr(right);
        match operator {
            "+" if !self.is_number(left) && !self.is_number(right) => self.b.concat(node, left, right),
            "||" | "??" => self.b.either(node, left, right),
            "&&" => self.b.both(node, left, right),
            "==" | "===" | "!=" | "!==" | "<" | "<=" | ">" | ">=" | "in" | "instanceof" => {
                self.b.at(node, Expr::Test(thin_vec![left, right]))
            }
            _ => self.b.at(node, Expr::Other(thin_vec![left, right])),
        }
    }

    fn call(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        let list = field(node, "arguments");
        let args = match list {
            Some(list) if list.kind() == "template_string" => thin_vec![plain(self.expr(list))],
            Some(list) => self.args(list),
            None => ThinVec::new(),
        };
        // The grammar takes `await load<T>("x")` for a call of what is waited for.
        let named = match self.b.module.expr(callee) {
            Expr::Await(inner) => *inner,
            _ => callee,
        };
        if let Expr::Name(name) = self.b.module.expr(named)
            && (matches!(&**name, "require" | "import") || self.importers.contains(name))
            && let Some(Arg {
                value, spread: false, ..
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
        let mut args = ThinVec::new();
        for node in children(list) {
            if node.kind() == "spread_element" {
                let value = self.expr_or(node.named_child(0), node);
                args.push(Arg {
                    name: None,
                    value,
                    spread: true,
                });
            } else {
                args.push(plain(self.expr(node)));
            }
        }
        args
    }

    fn leaf(&mut self, node: Node<'_>) -> ExprId {
        match node.kind() {
            "identifier"
            | "this"
            | "super"
            | "import"
            | "meta_property"
            | "property_identifier"
            | "shorthand_property_identifier"
            | "type_identifier"
            | "nested_identifier"
            | "private_property_identifier"
            | "statement_identifier" => self.b.name(node),
            "string" => {
                let text = unescape(inside(self.b.text_of(node)), Unknown::Dropped);
                self.b.at(node, Expr::Str(text.into()))
            }
            "template_string" => self.template(node),
            "number" => {
                let text = self.b.text_of(node).into();
                self.b.at(node, Expr::Number(text))
            }
            "true" => self.b.at(node, Expr::Bool(true)),
            "false" => self.b.at(node, Expr::Bool(false)),
            "null" | "undefined" => self.b.at(node, Expr::Null),
            "array" => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::List(parts))
            }
            "object" => self.object(node),
            "function_expression"
            | "function"
            | "generator_function"
            | "arrow_function"
            | "function_declaration"
            | "generator_function_declaration" => {
                let function = self.function(node, None);
                self.b.at(node, Expr::Function(function))
            }
            "class" | "class_declaration" => {
                let class = self.class(node, &[]);
                self.b.at(node, Expr::Class(class))
            }
            "new_expression" => {
                let callee = self.expr_or(field(node, "constructor"), node);
                let args = field(node, "arguments").map(|list| self.args(list)).unwrap_or_default();
                self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: true,
                    },
                )
            }
            "await_expression" => {
                let value = self.expr_or(node.named_child(0), node);
                self.b.at(node, Expr::Await(value))
            }
            "ternary_expression" => {
                let condition = field(node, "condition").map(|condition| self.condition(condition));
                let first = self.expr_or(field(node, "consequence"), node);
                let second = self.expr_or(field(node, "alternative"), node);
                self.b.at(
                    node,
                    Expr::Choice {
                        condition,
                        values: thin_vec![first, second],
                    },
                )
            }
            "unary_expression" => self.unary(node),
            "assignment_expression" => {
                let value = self.expr_or(field(node, "right"), node);
                let target = field(node, "left").map_or(Pattern::Ignore, |left| {
                    self.common_js_export(left, value);
                    self.pattern(left)
                });
                self.b.at(
                    node,
                    Expr::Assign {
                        target: Box::new(target),
                        value,
                    },
                )
            }
            "augmented_assignment_expression" => match self.augmented(node) {
                Some((target, value)) => self.b.at(
                    node,
                    Expr::Assign {
                        target: Box::new(target),
                        value,
                    },
                ),
                None => self.b.left_out(node),
            },
            "sequence_expression" => {
                let mut body = ThinVec::new();
                self.effect(node, &mut body);
                self.b.at(node, Expr::Block(body))
            }
            "type_assertion" => {
                let parts = children(node);
                let value = self.expr_or(parts.last().copied(), node);
                let to = match parts.first() {
                    Some(first) => self.type_ref(*first),
                    None => builder::named_type(""),
                };
                self.b.at(node, Expr::Cast { value, to: to.into() })
            }
            "instantiation_expression" => self.expr_or(node.named_child(0), node),
            "jsx_element" | "jsx_self_closing_element" | "jsx_fragment" => self.element(node),
            "jsx_expression" | "template_substitution" | "computed_property_name" => {
                self.expr_or(children(node).first().copied(), node)
            }
            "regex" => self.b.left_out(node),
            _ => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::Other(parts))
            }
        }
    }

    fn unary(&mut self, node: Node<'_>) -> ExprId {
        let value = self.expr_or(field(node, "argument"), node);
        match field(node, "operator").map_or("", |operator| operator.kind()) {
            "!" => self.b.at(node, Expr::Test(thin_vec![value])),
            "-" | "+" if self.is_number(value) => {
                let text = self.b.text_of(node).into();
                self.b.at(node, Expr::Number(text))
            }
            _ => self.b.at(node, Expr::Other(thin_vec![value])),
        }
    }

    fn template(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = ThinVec::new();
        let mut from = node.start_byte() + 1;
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "template_substitution")
        {
            self.constant(node, from, part.start_byte(), &mut parts);
            from = part.end_byte();
            parts.push(self.expr(part));
        }
        self.constant(node, from, node.end_byte().saturating_sub(1), &mut parts);
        self.b.template(node, parts)
    }

    /// Adds the constant text between two interpolations.
    fn constant(&mut self, node: Node<'_>, from: usize, to: usize, parts: &mut ThinVec<ExprId>) {
        if let Some(text) = self.b.text.get(from..to).filter(|text| !text.is_empty()) {
            let text = unescape(text, Unknown::Dropped);
            parts.push(self.b.at(node, Expr::Str(text.into())));
        }
    }

    fn object(&mut self, node: Node<'_>) -> ExprId {
        let mut entries = ThinVec::new();
        for child in children(node) {
            let entry = match child.kind() {
                "pair" => {
                    let key = field(child, "key").map(|key| self.key(key));
                    MapEntry {
                        key,
                        value: self.expr_or(field(child, "value"), child),
                    }
                }
                "shorthand_property_identifier" => {
                    let name = self.b.text_of(child).into();
                    let key = Some(self.b.at(child, Expr::Str(name)));
                    MapEntry {
                        key,
                        value: self.b.name(child),
                    }
                }
                "method_definition" => {
                    let key = field(child, "name").map(|key| self.key(key));
                    let function = self.function(child, None);
                    MapEntry {
                        key,
                        value: self.b.at(child, Expr::Function(function)),
                    }
                }
                "spread_element" => MapEntry {
                    key: None,
                    value: self.expr_or(child.named_child(0), child),
                },
                _ => MapEntry {
                    key: None,
                    value: self.expr(child),
                },
            };
            entries.push(entry);
        }
        self.b.at(node, Expr::Map(entries))
    }

    fn key(&mut self, node: Node<'_>) -> ExprId {
        if matches!(node.kind(), "computed_property_name" | "number") {
            return self.expr(node);
        }
        let text = self.key_text(node);
        self.b.at(node, Expr::Str(text))
    }
}

/// What stands on the left of a member, call or operator.
fn spine_left(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "call_expression" => field(node, "function"),
        "member_expression" | "subscript_expression" => field(node, "object"),
        "binary_expression" => field(node, "left"),
        "non_null_expression" | "as_expression" | "satisfies_expression" => children(node).first().copied(),
        "parenthesized_expression" => {
            let inner = children(node);
            if inner.is_empty() { None } else { Some(inner[0]) }
        }
        _ => None,
    }
}

/// What the text of a function imports and gives back: `return import(specifier);`.
fn imported_by(body: &str) -> Option<&str> {
    let body = body.trim().trim_end_matches(';').trim_end();
    let inner = body.strip_prefix("return")?.trim_start().strip_prefix("import(")?;
    inner.strip_suffix(')').map(str::trim)
}

/// The parts of `a, b, c`, which the grammar may nest on either side.
fn sequence(node: Node<'_>) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.kind() == "sequence_expression" {
            open.extend(children(node).into_iter().rev());
        } else {
            parts.push(node);
        }
    }
    parts
}

/// A text without its first and last character, which are quotes or brackets.
fn inside(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}
