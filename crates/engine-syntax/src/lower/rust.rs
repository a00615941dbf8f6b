//! Rust.
//!
//! Choices that the intermediate form leaves open:
//! - Blocks of `impl` belong to the class of their type's name; a trait that is implemented is one of its bases.
//! - A block's value is its last `Expr`; an `if` or `match` that is a value stands in a `Block` expression, an `if`
//!   between two plain values is a `Choice`.
//! - A pattern around one part, like `Some(x)`, binds the part to the whole; names that begin with a capital bind nothing.
//! - `if let` is a test of an assignment; `let … else` is the assignment and then an `If` without a question.
//! - `mod x;` imports `self::x`; the items of `mod x { … }` are a block.
//! - Attributes are decorators. Macros: see the module for them.

mod expressions;
mod macros;

use ecow::EcoString;
use std::cell::RefCell;
use std::collections::BTreeMap;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{Builder, children, field, has_token, named_type, parse};
use super::names::{path, type_of};
use super::not_understood;
use super::operators::effect;
use crate::ir::{
    Binding, ClassId, Declares, Export, ExportSource, Expr, ExprId, Field, FunctionId, Import, Module, Param, Pattern,
    Span, Stmt, StmtKind, TypeRef,
};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a Rust file.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_rust::LANGUAGE.into(), text) else {
        return not_understood(Language::Rust);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::Rust, text),
        classes: BTreeMap::new(),
        aliases: BTreeMap::new(),
        macro_depth: 0,
        testing: false,
    };
    let mut body = ThinVec::new();
    lowering.stmts(tree.root_node(), &mut body);
    lowering.b.module.body = body;
    lowering.b.module
}

struct Lowering<'t> {
    b: Builder<'t>,
    /// Types by name: `impl` blocks stand apart from their type.
    classes: BTreeMap<EcoString, ClassId>,
    /// What a name stands for that an import gave to something of another name: the first of each.
    aliases: BTreeMap<EcoString, EcoString>,
    /// How many macros are around the current place.
    macro_depth: u32,
    /// Whether a module that only exists in tests is around; its functions are marked with `cfg_test`.
    testing: bool,
}

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "call_expression" | "generic_function" => field(node, "function"),
        "field_expression" | "type_cast_expression" | "reference_expression" => field(node, "value"),
        "binary_expression" => field(node, "left"),
        "index_expression"
        | "try_expression"
        | "await_expression"
        | "unary_expression"
        | "parenthesized_expression" => children(node).into_iter().next(),
        _ => None,
    }
}

/// Whether the kind of a node says that it is a value when it ends a block.
fn is_value(node: Node<'_>) -> bool {
    let kind = node.kind();
    !(kind.ends_with("_item")
        || kind.ends_with("_declaration")
        || kind.ends_with("_statement")
        || matches!(kind, "macro_definition" | "associated_type" | "ERROR" | "label"))
}

/// A path without the type arguments in it; what stands between the brackets at the start is the path itself.
fn without_turbofish(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_u32;
    let leading = text.starts_with('<');
    let mut kept_leading = !leading;
    for ch in text.chars() {
        match ch {
            '<' => depth += 1,
            '>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    kept_leading = true;
                }
            }
            _ if depth == 0 || (depth == 1 && !kept_leading) => out.push(ch),
            _ => {}
        }
    }
    // `<T as Trait>::f` is `f` of `T`.
    match out.split_once(" as ") {
        Some((of, rest)) => match rest.split_once("::") {
            Some((_, rest)) => format!("{of}::{rest}"),
            None => of.to_owned(),
        },
        None => out,
    }
}

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> EcoString {
        let text = self.b.text_of(node);
        text.strip_prefix("r#").unwrap_or(text).into()
    }

    fn field_text(&self, node: Node<'_>, name: &str) -> Option<EcoString> {
        field(node, name).map(|name| self.text(name))
    }

    fn expr_in(&mut self, node: Node<'_>, name: &str) -> ExprId {
        match field(node, name) {
            Some(inner) => self.expr(inner),
            None => self.b.left_out(node),
        }
    }

    fn path_of(&mut self, node: Node<'_>) -> ExprId {
        let text = without_turbofish(self.b.text_of(node));
        path(&mut self.b, node, &text, "::")
    }

    // Statements.

    /// The statements of a block or file; attributes go to the item that follows them.
    fn stmts(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        let is_block = node.kind() == "block";
        let last = parts.len().saturating_sub(1);
        let mut attributes = ThinVec::new();
        for (index, child) in parts.into_iter().enumerate() {
            match child.kind() {
                "attribute_item" => attributes.push(child),
                "label" | "inner_attribute_item" => {}
                _ => {
                    let decorators = std::mem::take(&mut attributes);
                    if is_block && index == last {
                        self.tail(child, &decorators, out);
                    } else {
                        self.stmt(child, &decorators, out);
                    }
                }
            }
        }
    }

    fn block(&mut self, node: Option<Node<'_>>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        if let Some(node) = node
            && self.b.enter()
        {
            if node.kind() == "block" {
                self.stmts(node, &mut body);
            } else {
                self.tail(node, &[], &mut body);
            }
            self.b.leave();
        }
        body
    }

    /// The last statement of a block, which may be its value.
    fn tail(&mut self, node: Node<'_>, attributes: &[Node<'_>], out: &mut ThinVec<Stmt>) {
        let mut inner = node;
        if node.kind() == "expression_statement" {
            if has_token(node, ";") {
                return self.stmt(node, attributes, out);
            }
            inner = node.named_child(0).unwrap_or(node);
        }
        match inner.kind() {
            "match_expression" => {}
            "if_expression" if field(inner, "alternative").is_some() => {}
            "block" | "unsafe_block" if node.kind() != "expression_statement" => {}
            _ => return self.stmt(inner, attributes, out),
        }
        let value = self.expr(inner);
        out.push(self.b.stmt(inner, StmtKind::Expr(value)));
    }

    fn stmt(&mut self, node: Node<'_>, attributes: &[Node<'_>], out: &mut ThinVec<Stmt>) {
        if !self.b.enter() {
            return;
        }
        match node.kind() {
            "expression_statement" => {
                if let Some(inner) = children(node).into_iter().next() {
                    self.stmt(inner, attributes, out);
                }
            }
            "let_declaration" => self.let_declaration(node, out),
            "use_declaration" | "extern_crate_declaration" => self.use_declaration(node, out),
            "function_item" | "function_signature_item" => {
                let id = self.function(node, attributes, None);
                out.push(self.b.stmt(node, StmtKind::Function(id)));
            }
            "struct_item" | "union_item" | "enum_item" | "type_item" | "trait_item" | "associated_type" => {
                self.type_item(node, attributes, out);
            }
            "impl_item" => self.impl_item(node, out),
            "mod_item" => {
                let outside = self.testing;
                self.testing |= attributes.iter().any(|item| self.b.text_of(*item).contains("cfg(test"));
                self.mod_item(node, out);
                self.testing = outside;
            }
            "const_item" | "static_item" => {
                let target = self.pattern_name(field(node, "name"));
                let annotation = field(node, "type").map(|of| self.type_ref(of));
                let value = field(node, "value").map(|value| self.expr(value));
                out.push(self.b.stmt(
                    node,
                    StmtKind::Assign {
                        target,
                        value,
                        annotation: annotation.map(Box::new),
                        declares: Declares::InBlock,
                    },
                ));
            }
            "foreign_mod_item" => {
                if let Some(body) = field(node, "body") {
                    self.stmts(body, out);
                }
            }
            "if_expression" => self.if_statement(node, out),
            "match_expression" => {
                let kind = self.match_kind(node);
                out.push(self.b.stmt(node, kind));
            }
            "while_expression" | "loop_expression" | "for_expression" => {
                let kind = self.loop_kind(node);
                out.push(self.b.stmt(node, kind));
            }
            "block" => {
                let body = self.block(Some(node));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "unsafe_block" | "const_block" => {
                let body = self.block(children(node).into_iter().next());
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "return_expression" => {
                let value = children(node).into_iter().next().map(|value| self.expr(value));
                out.push(self.b.stmt(node, StmtKind::Return(value)));
            }
            "break_expression" | "yield_expression" => {
                if let Some(value) = children(node).into_iter().find(|part| part.kind() != "label") {
                    let value = self.expr(value);
                    out.push(self.b.stmt(node, StmtKind::Expr(value)));
                }
            }
            "macro_invocation" => self.macro_statement(node, out),
            "source_file" | "declaration_list" | "ERROR" => self.stmts(node, out),
            "continue_expression"
            | "empty_statement"
            | "macro_definition"
            | "attribute_item"
            | "inner_attribute_item"
            | "visibility_modifier"
            | "shebang"
            | "label" => {}
            _ => {
                let value = self.expr(node);
                let kind = effect(&mut self.b, value);
                out.push(self.b.stmt(node, kind));
            }
        }
        self.b.leave();
    }

    fn let_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        let value = field(node, "value").map(|value| self.expr(value));
        let target = field(node, "pattern").map_or(Pattern::Ignore, |pattern| self.pattern(pattern));
        let otherwise = field(node, "alternative").map(|block| self.block(Some(block)));
        out.push(self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation: annotation.map(Box::new),
                declares: Declares::InBlock,
            },
        ));
        if let Some(then) = otherwise {
            let condition = self.b.at(node, Expr::Test(ThinVec::new()));
            out.push(self.b.stmt(
                node,
                StmtKind::If {
                    condition,
                    then,
                    otherwise: ThinVec::new(),
                },
            ));
        }
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches: ThinVec<(ExprId, ThinVec<Stmt>, Span)> = ThinVec::new();
        let mut otherwise = ThinVec::new();
        let mut at = Some(node);
        while let Some(node) = at.take() {
            let condition = self.condition(field(node, "condition"), node);
            let then = self.block(field(node, "consequence"));
            branches.push((condition, then, self.b.span(node)));
            match field(node, "alternative").and_then(|clause| children(clause).into_iter().next()) {
                Some(next) if next.kind() == "if_expression" => at = Some(next),
                last => otherwise = self.block(last),
            }
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    /// What an `if` or `while` asks; what it binds by `let` is assigned inside.
    fn condition(&mut self, node: Option<Node<'_>>, around: Node<'_>) -> ExprId {
        let Some(node) = node else {
            return self.b.left_out(around);
        };
        match node.kind() {
            "let_condition" | "let_chain" => {
                let parts = if node.kind() == "let_chain" {
                    children(node)
                } else {
                    vec![node]
                };
                let parts = parts.into_iter().map(|part| self.expr(part)).collect();
                self.b.at(node, Expr::Test(parts))
            }
            _ => {
                let condition = self.expr(node);
                self.b.as_condition(condition)
            }
        }
    }

    fn let_condition(&mut self, node: Node<'_>) -> ExprId {
        let value = self.expr_in(node, "value");
        match field(node, "pattern").map_or(Pattern::Ignore, |pattern| self.pattern(pattern)) {
            Pattern::Ignore => value,
            target => self.b.at(
                node,
                Expr::Assign {
                    target: Box::new(target),
                    value,
                },
            ),
        }
    }

    fn match_kind(&mut self, node: Node<'_>) -> StmtKind {
        let subject = self.expr_in(node, "value");
        let mut arms = ThinVec::new();
        for part in field(node, "body").map(children).unwrap_or_default() {
            if part.kind() != "match_arm" {
                continue;
            }
            let mut arm = ThinVec::new();
            if let Some(label) = field(part, "pattern") {
                let target = label
                    .named_child(0)
                    .map_or(Pattern::Ignore, |pattern| self.pattern(pattern));
                if target != Pattern::Ignore {
                    let kind = StmtKind::Assign {
                        target,
                        value: Some(subject),
                        annotation: None,
                        declares: Declares::InBlock,
                    };
                    arm.push(self.b.stmt(label, kind));
                }
                if let Some(guard) = field(label, "condition") {
                    let asked = self.condition(Some(guard), label);
                    arm.push(self.b.stmt(guard, StmtKind::Expr(asked)));
                }
            }
            arm.append(&mut self.block(field(part, "value")));
            arms.push(arm);
        }
        StmtKind::Match {
            subject: Some(subject),
            arms,
        }
    }

    fn loop_kind(&mut self, node: Node<'_>) -> StmtKind {
        let mut pattern = None;
        let subject = match node.kind() {
            "for_expression" => {
                let over = self.expr_in(node, "value");
                pattern = field(node, "pattern").map(|pattern| self.pattern(pattern));
                Some(over)
            }
            "while_expression" => Some(self.condition(field(node, "condition"), node)),
            _ => None,
        };
        let body = self.block(field(node, "body"));
        StmtKind::Loop { pattern, subject, body }
    }

    // Items.

    fn use_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut leaves = Vec::new();
        if let Some(name) = field(node, "name") {
            let module = self.text(name);
            let local = self.field_text(node, "alias").unwrap_or_else(|| module.clone());
            leaves.push(Leaf {
                module,
                item: None,
                local,
                star: false,
            });
        } else if let Some(tree) = field(node, "argument") {
            self.use_tree(tree, "", &mut leaves);
        }
        let is_public = children(node)
            .first()
            .is_some_and(|first| first.kind() == "visibility_modifier");
        let span = self.b.span(node);
        let mut imports: Vec<Import> = Vec::new();
        for leaf in leaves {
            if is_public {
                let name = if leaf.star { "*".into() } else { leaf.local.clone() };
                let item = if leaf.star { Some("*".into()) } else { leaf.item.clone() };
                let source = ExportSource::From {
                    module: leaf.module.clone(),
                    item,
                };
                self.b.module.exports.push(Export { name, source });
            }
            let binding = (!leaf.star).then(|| Binding {
                local: leaf.local,
                module: leaf.module.clone(),
                item: leaf.item,
                type_only: false,
            });
            match imports.last_mut() {
                Some(last) if last.module == leaf.module && !last.star && !leaf.star => last.bindings.extend(binding),
                _ => imports.push(Import {
                    module: leaf.module,
                    bindings: binding.into_iter().collect(),
                    star: leaf.star,
                    type_only: false,
                    optional: false,
                    span,
                }),
            }
        }
        for import in imports {
            self.push_import(import, out);
        }
    }

    fn push_import(&mut self, mut import: Import, out: &mut ThinVec<Stmt>) {
        let span = import.span;
        // A path may begin with a name that this file gave to a crate: `use async_openai as openai; use openai::Client;`.
        let head = import.module.split("::").next().unwrap_or("");
        if let Some(whole) = self.aliases.get(head) {
            let renamed: EcoString = format!("{whole}{}", &import.module[head.len()..]).into();
            for binding in &mut import.bindings {
                binding.module = renamed.clone();
            }
            import.module = renamed;
        }
        for bound in &import.bindings {
            let last = bound.item.as_deref().unwrap_or(&bound.module);
            if last.rsplit("::").next() != Some(&*bound.local) && !self.aliases.contains_key(&bound.local) {
                let whole = match &bound.item {
                    Some(item) => format!("{}::{item}", bound.module),
                    None => bound.module.to_string(),
                };
                self.aliases.insert(bound.local.clone(), whole.into());
            }
        }
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        self.b.module.imports.push(import);
        out.push(Stmt {
            kind: StmtKind::Import(index),
            span,
        });
    }

    /// Flattens a tree of `use` into its leaves, below a prefix.
    fn use_tree(&mut self, node: Node<'_>, prefix: &str, leaves: &mut Vec<Leaf>) {
        if !self.b.enter() {
            return;
        }
        let join = |path: &str| {
            if prefix.is_empty() {
                path.to_owned()
            } else {
                format!("{prefix}::{path}")
            }
        };
        let compact = |text: &str| text.split_whitespace().collect::<String>();
        match node.kind() {
            "scoped_use_list" => {
                let path = field(node, "path").map(|path| compact(self.b.text_of(path)));
                let prefix = path.map_or_else(|| prefix.to_owned(), |path| join(&path));
                if let Some(list) = field(node, "list") {
                    self.use_tree(list, &prefix, leaves);
                }
            }
            "use_list" => {
                for part in children(node) {
                    self.use_tree(part, prefix, leaves);
                }
            }
            "use_as_clause" => {
                let path = field(node, "path")
                    .map(|path| compact(self.b.text_of(path)))
                    .unwrap_or_default();
                let alias = self.field_text(node, "alias").unwrap_or_default();
                leaves.push(Leaf::new(&path, prefix, Some(alias)));
            }
            "use_wildcard" => {
                let path = node.named_child(0).map(|path| compact(self.b.text_of(path)));
                let module = path.map_or_else(|| prefix.to_owned(), |path| join(&path));
                leaves.push(Leaf {
                    module: module.into(),
                    item: None,
                    local: "*".into(),
                    star: true,
                });
            }
            _ => leaves.push(Leaf::new(&compact(self.b.text_of(node)), prefix, None)),
        }
        self.b.leave();
    }

    fn mod_item(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if let Some(body) = field(node, "body") {
            let mut inner = ThinVec::new();
            self.stmts(body, &mut inner);
            out.push(self.b.stmt(node, StmtKind::Block(inner)));
            return;
        }
        let local = self.field_text(node, "name").unwrap_or_default();
        let module: EcoString = format!("self::{local}").into();
        let binding = Binding {
            local,
            module: module.clone(),
            item: None,
            type_only: false,
        };
        let span = self.b.span(node);
        let bindings = thin_vec![binding];
        let import = Import {
            module,
            bindings,
            star: false,
            type_only: false,
            optional: false,
            span,
        };
        self.push_import(import, out);
    }

    /// The class of a name, declared where it is first met.
    fn class_of(&mut self, name: &str, node: Node<'_>, out: &mut ThinVec<Stmt>) -> ClassId {
        if let Some(id) = self.classes.get(name) {
            return *id;
        }
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        self.b.class_mut(id).name = Some(name.into());
        self.classes.insert(name.into(), id);
        out.push(Stmt {
            kind: StmtKind::Class(id),
            span,
        });
        id
    }

    fn decorators(&mut self, attributes: &[Node<'_>]) -> ThinVec<ExprId> {
        let mut found = ThinVec::new();
        for item in attributes {
            if let Some(attribute) = children(*item).into_iter().find(|part| part.kind() == "attribute") {
                found.push(self.attribute(attribute));
            }
        }
        found
    }

    fn type_item(&mut self, node: Node<'_>, attributes: &[Node<'_>], out: &mut ThinVec<Stmt>) {
        let Some(name) = field(node, "name") else {
            return;
        };
        let decorators = self.decorators(attributes);
        let name = self.text(name);
        let id = self.class_of(&name, node, out);
        let span = self.b.span(node);
        let class = self.b.class_mut(id);
        class.span = span;
        class.decorators.extend(decorators);
        match node.kind() {
            "trait_item" => {
                self.b.class_mut(id).is_interface = true;
                for bound in field(node, "bounds").map(children).unwrap_or_default() {
                    if bound.kind() != "lifetime" {
                        let base = self.type_ref(bound);
                        self.b.class_mut(id).bases.push(base);
                    }
                }
                if let Some(body) = field(node, "body") {
                    self.members(body, id, out);
                }
            }
            "type_item" => {
                let base = field(node, "type").map(|of| self.type_ref(of));
                self.b.class_mut(id).bases.extend(base);
            }
            _ => {
                if let Some(body) = field(node, "body") {
                    self.fields(body, id);
                }
            }
        }
    }

    fn fields(&mut self, body: Node<'_>, id: ClassId) {
        let mut attributes = ThinVec::new();
        let mut position = 0_usize;
        for part in children(body) {
            let name: EcoString = match part.kind() {
                "attribute_item" => {
                    attributes.push(part);
                    continue;
                }
                "visibility_modifier" | "ERROR" => continue,
                "field_declaration" | "enum_variant" => self.field_text(part, "name").unwrap_or_default(),
                _ => {
                    position += 1;
                    (position - 1).to_string().into()
                }
            };
            let annotation = match part.kind() {
                "field_declaration" => field(part, "type").map(|of| self.type_ref(of)),
                "enum_variant" => None,
                _ => Some(self.type_ref(part)),
            };
            let value = field(part, "value")
                .filter(|_| part.kind() == "enum_variant")
                .map(|value| self.expr(value));
            let decorators = self.decorators(&std::mem::take(&mut attributes));
            let span = self.b.span(part);
            self.b.class_mut(id).fields.push(Field {
                name,
                annotation,
                value,
                decorators,
                span,
            });
        }
    }

    fn impl_item(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let Some(of) = field(node, "type") else {
            return;
        };
        let name = self.type_ref(of).name;
        let id = self.class_of(&name, node, out);
        if let Some(of) = field(node, "trait") {
            let base = self.type_ref(of);
            self.b.class_mut(id).bases.push(base);
        }
        if let Some(body) = field(node, "body") {
            self.members(body, id, out);
        }
    }

    /// Lowers the members of an `impl` or trait; constants are fields, types of its own are left out.
    fn members(&mut self, body: Node<'_>, id: ClassId, out: &mut ThinVec<Stmt>) {
        let mut attributes = ThinVec::new();
        for member in children(body) {
            match member.kind() {
                "attribute_item" => {
                    attributes.push(member);
                    continue;
                }
                "function_item" | "function_signature_item" => {
                    let decorators = std::mem::take(&mut attributes);
                    if self.b.enter() {
                        let method = self.function(member, &decorators, Some(id));
                        self.b.class_mut(id).methods.push(method);
                        self.b.leave();
                    }
                }
                "const_item" => {
                    let name = self.field_text(member, "name").unwrap_or_default();
                    let annotation = field(member, "type").map(|of| self.type_ref(of));
                    let value = field(member, "value").map(|value| self.expr(value));
                    let span = self.b.span(member);
                    let decorators = ThinVec::new();
                    self.b.class_mut(id).fields.push(Field {
                        name,
                        annotation,
                        value,
                        decorators,
                        span,
                    });
                }
                "type_item" | "associated_type" => {}
                _ => self.stmt(member, &[], out),
            }
            attributes.clear();
        }
    }

    fn function(&mut self, node: Node<'_>, attributes: &[Node<'_>], class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let mut decorators = self.decorators(attributes);
        if self.testing {
            decorators.push(self.b.at(node, Expr::Name("cfg_test".into())));
        }
        let (params, receiver) = self.params(field(node, "parameters"));
        let returns = field(node, "return_type").map(|of| self.type_ref(of));
        let parts = children(node);
        let public = parts.iter().any(|part| part.kind() == "visibility_modifier");
        let is_async = parts
            .iter()
            .any(|part| part.kind() == "function_modifiers" && has_token(*part, "async"));
        let body = self.block(field(node, "body"));
        let in_interface = class.is_some_and(|class| self.b.module.class(class).is_interface);
        let name = self.field_text(node, "name");
        let function = self.b.function_mut(id);
        function.name = name;
        function.params = params;
        function.receiver = receiver;
        function.decorators = decorators;
        function.body = body;
        function.returns = returns;
        function.is_async = is_async;
        function.exported = public || in_interface;
        function.class = class;
        id
    }

    /// The parameters and the receiver, which is always called `self`.
    fn params(&mut self, list: Option<Node<'_>>) -> (ThinVec<Param>, Option<EcoString>) {
        let mut params = ThinVec::new();
        let mut receiver = None;
        let mut attributes = ThinVec::new();
        for part in list.map(children).unwrap_or_default() {
            let (pattern, annotation) = match part.kind() {
                "attribute_item" => {
                    attributes.push(part);
                    continue;
                }
                "self_parameter" => {
                    receiver = Some("self".into());
                    continue;
                }
                "parameter" => {
                    let annotation = field(part, "type").map(|of| self.type_ref(of));
                    match field(part, "pattern") {
                        Some(pattern) if pattern.kind() == "self" => {
                            receiver = Some("self".into());
                            continue;
                        }
                        Some(pattern) => (self.pattern(pattern), annotation),
                        None => (Pattern::Ignore, annotation),
                    }
                }
                "variadic_parameter" | "ERROR" => continue,
                _ if list.is_some_and(|list| list.kind() == "parameters") => {
                    let annotation = Some(self.type_ref(part));
                    (Pattern::Ignore, annotation)
                }
                _ => (self.pattern(part), None),
            };
            let decorators = self.decorators(&std::mem::take(&mut attributes));
            params.push(Param {
                pattern,
                annotation,
                default: None,
                decorators,
                rest: false,
            });
        }
        (params, receiver)
    }

    fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.b.enter() {
            return named_type("");
        }
        let result = match node.kind() {
            "reference_type" | "pointer_type" | "higher_ranked_trait_bound" | "type_binding" | "qualified_type" => {
                field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of))
            }
            "dynamic_type" | "abstract_type" => {
                field(node, "trait").map_or_else(|| named_type(""), |of| self.type_ref(of))
            }
            "bounded_type" | "removed_trait_bound" | "bracketed_type" => {
                let first = children(node).into_iter().find(|part| part.kind() != "lifetime");
                first.map_or_else(|| named_type(""), |of| self.type_ref(of))
            }
            "generic_type" => {
                let name = field(node, "type")
                    .map(|name| self.type_ref(name).name)
                    .unwrap_or_default();
                let args = field(node, "type_arguments").map(children).unwrap_or_default();
                let args = args
                    .into_iter()
                    .filter(|arg| !matches!(arg.kind(), "lifetime" | "trait_bounds" | "block"))
                    .map(|arg| self.type_ref(arg))
                    .collect();
                TypeRef { name, args }
            }
            "tuple_type" | "unit_type" => {
                let args = children(node).into_iter().map(|of| self.type_ref(of)).collect();
                type_of("()", args)
            }
            "array_type" => type_of(
                "[]",
                field(node, "element").map(|of| self.type_ref(of)).into_iter().collect(),
            ),
            "function_type" => {
                let name = field(node, "trait").map_or("fn", |name| self.b.text_of(name));
                type_of(
                    name,
                    field(node, "return_type")
                        .map(|of| self.type_ref(of))
                        .into_iter()
                        .collect(),
                )
            }
            "scoped_type_identifier" => named_type(&without_turbofish(self.b.text_of(node))),
            _ => named_type(self.b.text_of(node)),
        };
        self.b.leave();
        result
    }

    // Patterns.

    fn pattern_name(&self, node: Option<Node<'_>>) -> Pattern {
        match node.map(|node| self.text(node)) {
            Some(name) if !name.is_empty() && &*name != "_" => Pattern::Name(name),
            _ => Pattern::Ignore,
        }
    }

    fn pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "identifier" if !self.text(node).starts_with(char::is_uppercase) => self.pattern_name(Some(node)),
            "self" => Pattern::Name("self".into()),
            "parameter" | "field_pattern" => {
                field(node, "pattern").map_or(Pattern::Ignore, |inner| self.pattern(inner))
            }
            "tuple_struct_pattern" => {
                let of = field(node, "type");
                let mut parts = self.patterns(children(node).into_iter().filter(|part| Some(*part) != of).collect());
                if parts.len() == 1 {
                    parts.remove(0)
                } else {
                    Pattern::Tuple(parts)
                }
            }
            "tuple_pattern" | "slice_pattern" => Pattern::Tuple(self.patterns(children(node))),
            "struct_pattern" => self.struct_pattern(node),
            "captured_pattern" => self.pattern_name(node.named_child(0)),
            "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                let inner = children(node)
                    .into_iter()
                    .rfind(|part| part.kind() != "mutable_specifier");
                inner.map_or(Pattern::Ignore, |inner| self.pattern(inner))
            }
            "or_pattern" => {
                let mut at = node;
                let mut found = Pattern::Ignore;
                // The alternatives lean to the left, and bind the same names.
                loop {
                    let parts = children(at);
                    if let Some(last) = parts.last() {
                        found = self.pattern(*last);
                    }
                    match parts.first() {
                        Some(first) if found == Pattern::Ignore && parts.len() > 1 => {
                            if first.kind() == "or_pattern" {
                                at = *first;
                                continue;
                            }
                            found = self.pattern(*first);
                        }
                        _ => {}
                    }
                    break found;
                }
            }
            _ => Pattern::Ignore,
        };
        self.b.leave();
        pattern
    }

    fn patterns(&mut self, parts: Vec<Node<'_>>) -> ThinVec<Pattern> {
        parts.into_iter().map(|part| self.pattern(part)).collect()
    }

    fn struct_pattern(&mut self, node: Node<'_>) -> Pattern {
        let mut entries = ThinVec::new();
        for part in children(node).into_iter().filter(|part| part.kind() == "field_pattern") {
            let name = self.field_text(part, "name").unwrap_or_default();
            let target = match field(part, "pattern") {
                Some(inner) => self.pattern(inner),
                None => Pattern::Name(name.clone()),
            };
            entries.push((name, target));
        }
        Pattern::Object(entries)
    }
}

/// The value of a block that is nothing else.
fn only(block: Option<Node<'_>>) -> Option<Node<'_>> {
    let block = block.filter(|block| block.kind() == "block")?;
    match children(block).as_slice() {
        [only] if is_value(*only) && only.kind() != "return_expression" => Some(*only),
        _ => None,
    }
}

/// One name that a `use` brings in.
struct Leaf {
    module: EcoString,
    item: Option<EcoString>,
    local: EcoString,
    star: bool,
}

impl Leaf {
    /// Splits a path below a prefix into its module and its item; `self` means the prefix.
    fn new(path: &str, prefix: &str, alias: Option<EcoString>) -> Self {
        let whole = match (prefix, path) {
            (prefix, "self") if !prefix.is_empty() => {
                let local = alias.unwrap_or_else(|| prefix.rsplit("::").next().unwrap_or(prefix).into());
                return Self {
                    module: prefix.into(),
                    item: None,
                    local,
                    star: false,
                };
            }
            ("", path) => path.to_owned(),
            (prefix, path) => format!("{prefix}::{path}"),
        };
        match whole.rsplit_once("::") {
            Some((module, item)) => {
                let local = alias.unwrap_or_else(|| item.into());
                Self {
                    module: module.into(),
                    item: Some(item.into()),
                    local,
                    star: false,
                }
            }
            None => Self {
                local: alias.unwrap_or_else(|| whole.as_str().into()),
                module: whole.into(),
                item: None,
                star: false,
            },
        }
    }
}
