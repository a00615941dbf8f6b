//! PHP.
//!
//! Choices that the intermediate form leaves open:
//! - A variable loses its `$`; `$this` is `this`, `self` and `static` are `self`, `parent` is `super`.
//! - A name that is qualified (`\OpenAI\Client`, `Enums\Provider`) is imported under its last part, as if `use` had brought it in.
//! - The constructor is a method `<init>`; a promoted parameter is a field, and is assigned at the start of it.
//! - A trait that a class uses is one of its bases.
//! - `echo`, `print`, `<?=` and what is read of the text between tags are calls of `echo`; backticks are a call of `shell_exec`.
//! - An option of curl is put into its handle: `curl_setopt($ch, CURLOPT_URL, $url)` is `ch["CURLOPT_URL"] = url`.
//! - A file that is required for its effect brings in all of its names.
//! - An array with a key somewhere is a map.

mod classes;
mod expressions;
mod names;
mod texts;

use std::cell::RefCell;

use ecow::EcoString;
use engine_model::Language;
use rustc_hash::{FxHashMap, FxHashSet};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::{Node, Parser};

use super::builder::{Builder, all_children, children, field, fields, named_type, parse, plain};
use super::not_understood;
use super::operators::effect;
use crate::ir::{
    ClassId, Declares, Expr, ExprId, FunctionId, Handler, Module, Param, Pattern, Span, Stmt, StmtKind, TypeRef,
};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a file of PHP, with the text around its tags.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_php::LANGUAGE_PHP.into(), text) else {
        return not_understood(Language::Php);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::Php, text),
        namespace: EcoString::new(),
        used: FxHashMap::default(),
        declared: FxHashSet::default(),
        classes: Vec::new(),
    };
    let body = lowering.block(Some(tree.root_node()));
    lowering.b.module.body = body;
    lowering.b.module
}

struct Lowering<'t> {
    b: Builder<'t>,
    /// The namespace that names are relative to.
    namespace: EcoString,
    /// The full names behind names that `use` brought in.
    used: FxHashMap<EcoString, EcoString>,
    /// Names of classes that the file declared so far.
    declared: FxHashSet<EcoString>,
    /// The classes around, innermost last.
    classes: Vec<EcoString>,
}

/// The tag behind which an expression is written into the page.
fn writes(tag: Option<Node<'_>>, text: &str) -> bool {
    tag.is_some_and(|tag| text.get(tag.byte_range()) == Some("<?="))
}

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> EcoString {
        self.b.text_of(node).into()
    }

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

    /// A call of a function by its name.
    fn call_of(&mut self, node: Node<'_>, name: &str, values: ThinVec<ExprId>) -> ExprId {
        let callee = self.b.at(node, Expr::Name(name.into()));
        let args = values.into_iter().map(plain).collect();
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    // Statements.

    fn stmts(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut writes_next = false;
        for child in all_children(node) {
            match child.kind() {
                "php_tag" => writes_next = writes(Some(child), self.b.text),
                "text" => self.shown(child, out),
                "text_interpolation" => {
                    self.between(child, out);
                    let tag = children(child).into_iter().rfind(|part| part.kind() == "php_tag");
                    writes_next = writes(tag, self.b.text);
                }
                _ if !child.is_named() || child.is_extra() && !child.is_error() => {}
                "expression_statement" if writes_next => {
                    writes_next = false;
                    if self.b.enter() {
                        let values = children(child).into_iter().map(|value| self.expr(value)).collect();
                        let call = self.call_of(child, "echo", values);
                        out.push(self.b.stmt(child, StmtKind::Expr(call)));
                        self.b.leave();
                    }
                }
                _ => self.stmt(child, out),
            }
        }
    }

    /// What stands between the end of one tag and the start of the next.
    fn between(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        for text in children(node).into_iter().filter(|part| part.kind() == "text") {
            self.shown(text, out);
        }
    }

    /// Text between tags, which goes out as it stands.
    fn shown(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let whole = self.b.span(node);
        let mut values = ThinVec::new();
        for (line, text) in texts::visible(self.b.text_of(node)) {
            let line = whole.line.saturating_add(line);
            let span = Span {
                line,
                end_line: line,
                ..whole
            };
            values.push(self.b.expr(Expr::Str(text.into()), span));
        }
        if !values.is_empty() {
            let call = self.call_of(node, "echo", values);
            out.push(self.b.stmt(node, StmtKind::Expr(call)));
        }
    }

    /// The statements of a block, or of a single statement that stands for one.
    fn block(&mut self, node: Option<Node<'_>>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        match node {
            Some(node) if matches!(node.kind(), "program" | "compound_statement" | "colon_block") => {
                self.stmts(node, &mut body);
                // A block without statements leaves its text to the statement around it.
                let mut next = node.next_sibling().filter(|_| node.kind() == "colon_block");
                while let Some(text) = next.filter(|next| next.kind() == "text_interpolation") {
                    self.between(text, &mut body);
                    next = text.next_sibling();
                }
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
            "namespace_definition" => self.namespace(node, out),
            "namespace_use_declaration" => self.uses(node, out),
            "expression_statement" => {
                for inner in children(node) {
                    self.effect_of(inner, out);
                }
            }
            "echo_statement" => {
                let mut values = ThinVec::new();
                for part in children(node) {
                    self.sequence(part, &mut values);
                }
                let call = self.call_of(node, "echo", values);
                out.push(self.b.stmt(node, StmtKind::Expr(call)));
            }
            "compound_statement" | "colon_block" => {
                let body = self.block(Some(node));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "if_statement" => self.if_statement(node, out),
            "switch_statement" => self.switch(node, out),
            "while_statement" | "do_statement" => {
                let subject = Some(self.condition_in(node));
                let body = self.block(field(node, "body"));
                let pattern = None;
                out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
            }
            "for_statement" => self.for_statement(node, out),
            "foreach_statement" => self.foreach(node, out),
            "return_statement" => {
                let value = children(node).into_iter().next().map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Return(value)));
            }
            "exit_statement" => {
                let values = children(node).into_iter().map(|value| self.expr(value)).collect();
                let call = self.call_of(node, "exit", values);
                out.push(self.b.stmt(node, StmtKind::Expr(call)));
            }
            "try_statement" => self.try_statement(node, out),
            "const_declaration" => self.constants(node, out),
            "global_declaration" => {
                let values = children(node).into_iter().map(|value| self.expr(value)).collect();
                let call = self.call_of(node, "global", values);
                out.push(self.b.stmt(node, StmtKind::Expr(call)));
            }
            "function_static_declaration" => {
                for variable in children(node) {
                    let target = self.variable(field(variable, "name"));
                    let value = field(variable, "value").map(|value| self.expr(value));
                    out.push(self.assigned(variable, target, value));
                }
            }
            "function_definition" => {
                let id = self.function(node, None);
                out.push(self.b.stmt(node, StmtKind::Function(id)));
            }
            "class_declaration" | "interface_declaration" | "trait_declaration" | "enum_declaration" => {
                self.class_declaration(node, out);
            }
            "declare_statement" => {
                for part in children(node)
                    .into_iter()
                    .filter(|part| part.kind() != "declare_directive")
                {
                    self.stmt(part, out);
                }
            }
            "ERROR" | "program" | "declaration_list" => self.stmts(node, out),
            "empty_statement"
            | "break_statement"
            | "continue_statement"
            | "goto_statement"
            | "named_label_statement"
            | "unset_statement"
            | "php_end_tag"
            | "comment" => {}
            _ => {
                let value = self.expr(node);
                out.push(self.b.stmt(node, StmtKind::Expr(value)));
            }
        }
        self.b.leave();
    }

    fn assigned(&self, node: Node<'_>, target: Pattern, value: Option<ExprId>) -> Stmt {
        self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation: None,
                declares: Declares::Nothing,
            },
        )
    }

    /// The values of a list with commas.
    fn sequence(&mut self, node: Node<'_>, out: &mut ThinVec<ExprId>) {
        if node.kind() == "sequence_expression" && self.b.enter() {
            for part in children(node) {
                self.sequence(part, out);
            }
            self.b.leave();
        } else {
            out.push(self.expr(node));
        }
    }

    /// An expression for its effect.
    fn effect_of(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        match node.kind() {
            "throw_expression" => {
                let value = children(node).into_iter().next().map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Raise(value)));
            }
            "match_expression" => {
                let kind = self.match_kind(node);
                out.push(self.b.stmt(node, kind));
            }
            "include_expression" | "include_once_expression" | "require_expression" | "require_once_expression" => {
                if !self.required(node, out) {
                    let value = self.expr(node);
                    out.push(self.b.stmt(node, StmtKind::Expr(value)));
                }
            }
            "function_call_expression" if self.options(node, out) => {}
            _ => {
                let value = self.expr(node);
                let kind = effect(&mut self.b, value);
                out.push(self.b.stmt(node, kind));
            }
        }
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let condition = self.condition_in(node);
        let then = self.block(field(node, "body"));
        let mut branches: ThinVec<(ExprId, ThinVec<Stmt>, Span)> = thin_vec![(condition, then, self.b.span(node))];
        let mut otherwise = ThinVec::new();
        let mut rest: Vec<Node<'_>> = fields(node, "alternative");
        rest.reverse();
        while let Some(part) = rest.pop() {
            if part.kind() == "else_if_clause" {
                let condition = self.condition_in(part);
                let then = self.block(field(part, "body"));
                branches.push((condition, then, self.b.span(part)));
                continue;
            }
            match field(part, "body") {
                // `else if` is an `if` inside of an `else`.
                Some(next) if next.kind() == "if_statement" => {
                    let condition = self.condition_in(next);
                    let then = self.block(field(next, "body"));
                    branches.push((condition, then, self.b.span(next)));
                    rest = fields(next, "alternative");
                    rest.reverse();
                }
                last => otherwise = self.block(last),
            }
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    fn switch(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let subject = field(node, "condition").map(|subject| self.expr(subject));
        let mut arms = ThinVec::new();
        for case in field(node, "body").map(children).unwrap_or_default() {
            let value = field(case, "value");
            let mut arm = ThinVec::new();
            if let Some(value) = value
                && !is_constant(value)
            {
                let asked = self.expr(value);
                let asked = self.b.as_condition(asked);
                arm.push(self.b.stmt(value, StmtKind::Expr(asked)));
            }
            for part in children(case).into_iter().filter(|part| Some(*part) != value) {
                self.stmt(part, &mut arm);
            }
            arms.push(arm);
        }
        out.push(self.b.stmt(node, StmtKind::Match { subject, arms }));
    }

    /// A `match` as a statement, whose arms end in their values.
    fn match_kind(&mut self, node: Node<'_>) -> StmtKind {
        let subject = field(node, "condition").map(|subject| self.expr(subject));
        let mut arms = ThinVec::new();
        for case in field(node, "body").map(children).unwrap_or_default() {
            let mut arm = ThinVec::new();
            if let Some(asked) = field(case, "conditional_expressions") {
                for asked in children(asked).into_iter().filter(|asked| !is_constant(*asked)) {
                    let value = self.expr(asked);
                    let value = self.b.as_condition(value);
                    arm.push(self.b.stmt(asked, StmtKind::Expr(value)));
                }
            }
            if let Some(value) = field(case, "return_expression") {
                self.effect_of(value, &mut arm);
            }
            arms.push(arm);
        }
        StmtKind::Match { subject, arms }
    }

    fn for_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if let Some(first) = field(node, "initialize") {
            self.bare(first, out);
        }
        let subject = field(node, "condition").map(|condition| self.expr(condition));
        let subject = subject.map(|subject| self.b.as_condition(subject));
        let mut body = ThinVec::new();
        for part in fields(node, "body") {
            body.append(&mut self.block(Some(part)));
        }
        if let Some(update) = field(node, "update") {
            self.bare(update, &mut body);
        }
        let pattern = None;
        out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
    }

    /// Expressions with commas between them, each for its effect.
    fn bare(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if node.kind() == "sequence_expression" && self.b.enter() {
            for part in children(node) {
                self.bare(part, out);
            }
            self.b.leave();
        } else {
            self.effect_of(node, out);
        }
    }

    fn foreach(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let block = field(node, "body");
        let parts: Vec<Node<'_>> = children(node).into_iter().filter(|part| Some(*part) != block).collect();
        let subject = parts.first().map(|over| self.expr(*over));
        let mut body = ThinVec::new();
        let mut pattern = None;
        if let Some(each) = parts.get(1) {
            let inner = children(*each);
            let (key, value) = match (each.kind(), inner.as_slice()) {
                ("pair", [key, value]) => (Some(*key), *value),
                _ => (None, *each),
            };
            pattern = Some(self.pattern(value));
            if let Some(key) = key {
                let target = self.pattern(key);
                body.push(self.assigned(key, target, None));
            }
        }
        body.append(&mut self.block(block));
        out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
    }

    fn try_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let body = self.block(field(node, "body"));
        let mut handlers = ThinVec::new();
        let mut finally = ThinVec::new();
        for part in children(node) {
            match part.kind() {
                "catch_clause" => {
                    let list = field(part, "type").map(children).unwrap_or_default();
                    let mut types: ThinVec<TypeRef> = list.into_iter().map(|of| self.type_ref(of)).collect();
                    // Whatever can be thrown is one of these.
                    if types.iter().any(|of| matches!(&*of.name, "Throwable" | "Exception")) {
                        types.retain(|of| matches!(&*of.name, "Throwable" | "Exception"));
                    }
                    let name = field(part, "name").map(|name| self.bare_name(name));
                    let body = self.block(field(part, "body"));
                    let span = self.b.span(part);
                    handlers.push(Handler {
                        types,
                        name,
                        body,
                        span,
                    });
                }
                "finally_clause" => finally = self.block(field(part, "body")),
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

    fn constants(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        for element in children(node).into_iter().filter(|part| part.kind() == "const_element") {
            let parts = children(element);
            let (Some(name), Some(value)) = (parts.first(), parts.get(1)) else {
                continue;
            };
            let name = Pattern::Name(self.text(*name));
            let value = self.expr(*value);
            out.push(self.assigned(element, name, Some(value)));
        }
    }

    // Functions.

    fn function(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let decorators = self.attributes(node);
        let name = field(node, "name").map(|name| self.text(name));
        let (params, promoted) = self.params(node, class);
        let returns = field(node, "return_type").and_then(|of| self.declared_type(of));
        let mut body = promoted;
        if let Some(inner) = field(node, "body") {
            if inner.kind() == "compound_statement" {
                body.append(&mut self.block(Some(inner)));
            } else {
                let value = self.expr(inner);
                body.push(self.b.stmt(inner, StmtKind::Return(Some(value))));
            }
        }
        let private = children(node)
            .into_iter()
            .any(|part| part.kind() == "visibility_modifier" && self.b.text_of(part).eq_ignore_ascii_case("private"));
        let function = self.b.function_mut(id);
        function.name = match name.as_deref() {
            Some("__construct") if class.is_some() => Some("<init>".into()),
            _ => name,
        };
        function.params = params;
        function.decorators = decorators;
        function.body = body;
        function.returns = returns;
        function.exported = !private;
        function.class = class;
        id
    }

    /// The parameters of a function, and the statements that put promoted ones into fields.
    fn params(&mut self, node: Node<'_>, class: Option<ClassId>) -> (ThinVec<Param>, ThinVec<Stmt>) {
        let mut params = ThinVec::new();
        let mut promoted = ThinVec::new();
        for part in field(node, "parameters").map(children).unwrap_or_default() {
            let Some(name) = field(part, "name") else { continue };
            let pattern = self.variable(Some(name));
            let annotation = field(part, "type").and_then(|of| self.declared_type(of));
            let default = field(part, "default_value").map(|value| self.expr(value));
            let decorators = self.attributes(part);
            if part.kind() == "property_promotion_parameter"
                && let Some(class) = class
                && let Pattern::Name(name) = &pattern
            {
                promoted.push(self.promoted(part, class, name, annotation.clone()));
            }
            params.push(Param {
                pattern,
                annotation,
                default,
                decorators,
                rest: part.kind() == "variadic_parameter",
            });
        }
        (params, promoted)
    }

    /// A closure, with what it takes from around it by reference.
    fn closure(&mut self, node: Node<'_>) -> ExprId {
        let id = self.function(node, None);
        let taken = children(node)
            .into_iter()
            .find(|part| part.kind() == "anonymous_function_use_clause");
        let by_ref: Vec<Node<'_>> = taken
            .map(children)
            .unwrap_or_default()
            .into_iter()
            .filter(|part| part.kind() == "by_ref")
            .collect();
        if let Some(first) = by_ref.first() {
            let values = by_ref.iter().map(|part| self.expr(*part)).collect();
            let call = self.call_of(*first, "nonlocal", values);
            let stmt = self.b.stmt(*first, StmtKind::Expr(call));
            self.b.function_mut(id).body.insert(0, stmt);
        }
        self.b.function_mut(id).exported = false;
        self.b.at(node, Expr::Function(id))
    }

    // Patterns.

    /// The name of a variable without its `$`.
    fn bare_name(&self, node: Node<'_>) -> EcoString {
        self.b.text_of(node).trim_start_matches(['&', '$', ' ']).into()
    }

    fn variable(&self, node: Option<Node<'_>>) -> Pattern {
        match node.map(|node| self.bare_name(node)) {
            Some(name) if !name.is_empty() => Pattern::Name(name),
            _ => Pattern::Ignore,
        }
    }

    /// What an assignment binds.
    fn pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "list_literal" | "array_creation_expression" => self.parts_bound(node),
            "by_ref" => match children(node).into_iter().next() {
                Some(inner) => self.pattern(inner),
                None => Pattern::Ignore,
            },
            _ => {
                let place = self.expr(node);
                self.b.place(place)
            }
        };
        self.b.leave();
        pattern
    }

    /// `[$a, $b]` and `['a' => $a]` on the left of an assignment.
    fn parts_bound(&mut self, node: Node<'_>) -> Pattern {
        let mut by_position = ThinVec::new();
        let mut by_key: ThinVec<(EcoString, Pattern)> = ThinVec::new();
        let mut last: Option<Node<'_>> = None;
        let mut key: Option<Node<'_>> = None;
        let mut parts: Vec<Node<'_>> = Vec::new();
        for part in all_children(node) {
            if part.kind() == "array_element_initializer" {
                parts.extend(all_children(part));
            } else {
                parts.push(part);
            }
        }
        for part in parts {
            match part.kind() {
                "=>" => key = last.take(),
                "," | "]" | ")" => {
                    let bound = match last.take() {
                        Some(bound) => self.pattern(bound),
                        None if part.kind() == "," => Pattern::Ignore,
                        None => continue,
                    };
                    match key.take() {
                        Some(key) => {
                            let name = self.b.text_of(key).trim_matches(['\'', '"']).into();
                            by_key.push((name, bound));
                        }
                        None => by_position.push(bound),
                    }
                }
                _ if part.is_named() && !part.is_extra() => last = Some(part),
                _ => {}
            }
        }
        if by_key.is_empty() {
            Pattern::Tuple(by_position)
        } else {
            Pattern::Object(by_key)
        }
    }

    // Types.

    /// A declared type; none where it tells nothing.
    fn declared_type(&mut self, node: Node<'_>) -> Option<TypeRef> {
        let of = self.type_ref(node);
        (!of.name.is_empty()).then_some(of)
    }

    fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let of = match node.kind() {
            "optional_type" | "named_type" => match children(node).into_iter().next() {
                Some(inner) => self.type_ref(inner),
                None => named_type(""),
            },
            "union_type" | "intersection_type" | "disjunctive_normal_form_type" => {
                let args: ThinVec<TypeRef> = children(node)
                    .into_iter()
                    .map(|part| self.type_ref(part))
                    .filter(|part| &*part.name != "null")
                    .collect();
                match <[TypeRef; 1]>::try_from(Vec::from_iter(args)) {
                    Ok([only]) => only,
                    Err(args) => TypeRef {
                        name: "|".into(),
                        args: args.into(),
                    },
                }
            }
            "name" | "qualified_name" | "relative_name" => {
                let name = self.class_name(node);
                match (&*name, self.classes.last()) {
                    ("self", Some(class)) => named_type(class),
                    _ => named_type(&name),
                }
            }
            _ => named_type(self.b.text_of(node)),
        };
        self.b.leave();
        of
    }
}

/// Whether what a case is compared with is only a constant.
fn is_constant(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "string" | "integer" | "float" | "boolean" | "null" | "class_constant_access_expression" | "name"
    )
}
