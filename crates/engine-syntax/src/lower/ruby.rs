//! Ruby.
//!
//! Choices that the intermediate form leaves open:
//! - A word without arguments is a variable where one of that name was set before in the same method, and a call of a method otherwise: `client` may be
//!   either. `a.b` is a call of `b` without arguments.
//! - `@name` is the field `name` of `self`; `attr_reader :name` is a method that gives it.
//! - `X.new(…)` makes an object of `X`. The constructor is a method `<init>`; what a class does while it is declared (`before_action :ask`) stands in a
//!   method `<clinit>`.
//! - A module is a class; what `include` and `extend` bring in is one of its bases. A class keeps the modules around it as its namespace.
//! - A constant that the file does not declare is imported under its full name, since no line says from which file it comes. `::A` keeps its colons.
//! - Symbols are texts. Keys of a call without braces are named arguments; a block is the last argument, and is named `block`.
//! - The last value of a method or a block is returned.
//! - Backticks are a call of `system`; `list << value` is a call of `push`; `obj.public_send(:name)` is a call of `name`.

mod calls;
mod classes;
mod expressions;
mod functions;
mod patterns;
mod texts;

use std::cell::RefCell;

use ecow::{EcoString, eco_format};
use engine_model::Language;
use rustc_hash::{FxHashMap, FxHashSet};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::{Node, Parser};

use super::builder::{Builder, children, field, named_type, parse, plain};
use super::not_understood;
use super::operators::effect;
use crate::ir::{ClassId, Declares, Expr, ExprId, Handler, Import, Module, Pattern, Span, Stmt, StmtKind, TypeRef};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a file of Ruby.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_ruby::LANGUAGE.into(), text) else {
        return not_understood(Language::Ruby);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::Ruby, text),
        heredocs: texts::heredocs(tree.root_node(), text),
        spaces: Vec::new(),
        around: Vec::new(),
        methods: Vec::new(),
        locals: vec![Locals::default()],
        declared: FxHashSet::default(),
        used: FxHashMap::default(),
    };
    let mut body = ThinVec::new();
    lowering.stmts(tree.root_node(), &mut body);
    lowering.b.module.body = body;
    lowering.constants();
    lowering.b.module
}

/// The names that are variables in one method or block.
#[derive(Default)]
struct Locals {
    names: FxHashSet<EcoString>,
    /// Whether the names around are seen: a block sees them, a method does not.
    open: bool,
    /// Whether a block without parameters names what it is given: `it`, `_1`.
    unnamed: bool,
    /// The name that it gave it.
    given: Option<EcoString>,
    /// Whether the method hands something to its block by `yield`.
    yields: bool,
}

struct Lowering<'t> {
    b: Builder<'t>,
    /// The bodies of texts that stand below the line where they begin, by the place of their beginning.
    heredocs: FxHashMap<usize, Node<'t>>,
    /// The full names of the modules and classes around, innermost last.
    spaces: Vec<EcoString>,
    /// The classes around, innermost last.
    around: Vec<ClassId>,
    /// The names of the methods around, with their parameters.
    methods: Vec<(EcoString, Vec<EcoString>)>,
    /// The variables of the methods and blocks around, innermost last.
    locals: Vec<Locals>,
    /// Names of constants that the file declares.
    declared: FxHashSet<EcoString>,
    /// Constants that the file names, with the place of the first.
    used: FxHashMap<EcoString, Span>,
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

    fn condition_in(&mut self, node: Node<'_>, negated: bool) -> ExprId {
        let condition = self.expr_in(node, "condition");
        let condition = self.b.as_condition(condition);
        if negated {
            return self.b.at(node, Expr::Test(thin_vec![condition]));
        }
        condition
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

    /// A field of the object around.
    fn own(&mut self, node: Node<'_>, name: &str) -> ExprId {
        let object = self.b.at(node, Expr::Name("self".into()));
        let name = name.trim_start_matches('@').into();
        self.b.at(node, Expr::Member { object, name })
    }

    // Names.

    fn declare(&mut self, name: &str) {
        if let Some(locals) = self.locals.last_mut() {
            locals.names.insert(name.into());
        }
    }

    /// Whether a word is a variable here.
    fn is_local(&mut self, name: &str) -> bool {
        for locals in self.locals.iter().rev() {
            if locals.names.contains(name) {
                return true;
            }
            if !locals.open {
                break;
            }
        }
        if matches!(name, "it" | "_1")
            && let Some(locals) = self.locals.last_mut()
            && locals.unnamed
        {
            locals.given = Some(name.into());
            locals.names.insert(name.into());
            return true;
        }
        false
    }

    /// The modules and the class around, as one name.
    fn space(&self) -> EcoString {
        self.spaces.last().cloned().unwrap_or_default()
    }

    /// A name inside of the modules around.
    fn inside(&self, name: &str) -> EcoString {
        match self.spaces.last() {
            Some(space) => eco_format!("{space}::{name}"),
            None => name.into(),
        }
    }

    /// Imports the constants that the file names and does not declare.
    fn constants(&mut self) {
        let mut used: Vec<(EcoString, Span)> = std::mem::take(&mut self.used).into_iter().collect();
        used.sort_by_key(|(_, span)| *span);
        for (name, span) in used {
            let root = name.split("::").next().unwrap_or(&name);
            if self.declared.contains(root) && !name.contains("::") {
                continue;
            }
            self.b.module.imports.push(Import {
                module: name.trim_start_matches(':').into(),
                bindings: ThinVec::new(),
                star: false,
                type_only: false,
                optional: false,
                span,
            });
        }
    }

    // Statements.

    fn stmts(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let parts = children(node);
        if parts.iter().any(|part| matches!(part.kind(), "rescue" | "ensure")) {
            let guarded = self.guarded(node, &parts);
            out.push(guarded);
            return;
        }
        for part in parts {
            self.stmt(part, out);
        }
    }

    /// Statements of which some are there for failures.
    fn guarded(&mut self, node: Node<'_>, parts: &[Node<'_>]) -> Stmt {
        let mut body = ThinVec::new();
        let mut handlers = ThinVec::new();
        let mut finally = ThinVec::new();
        for part in parts {
            match part.kind() {
                "rescue" => handlers.push(self.rescue(*part)),
                "ensure" => self.stmts(*part, &mut finally),
                "else" => self.stmts(*part, &mut body),
                _ => self.stmt(*part, &mut body),
            }
        }
        self.b.stmt(
            node,
            StmtKind::Try {
                body,
                handlers,
                finally,
            },
        )
    }

    fn rescue(&mut self, node: Node<'_>) -> Handler {
        let mut types: ThinVec<TypeRef> = ThinVec::new();
        for part in field(node, "exceptions").map(children).unwrap_or_default() {
            let name = self.b.text_of(part).trim_start_matches(['*', ':']);
            types.push(named_type(&name.replace("::", ".")));
        }
        // Whatever fails is one of these.
        if types
            .iter()
            .any(|of| matches!(&*of.name, "StandardError" | "Exception"))
        {
            types.clear();
        }
        let name = field(node, "variable")
            .and_then(|variable| children(variable).into_iter().next())
            .map(|variable| self.text(variable));
        if let Some(name) = &name {
            self.declare(name);
        }
        let body = self.block(field(node, "body"));
        let span = self.b.span(node);
        Handler {
            types,
            name,
            body,
            span,
        }
    }

    /// The statements of a block, or of a single statement that stands for one.
    fn block(&mut self, node: Option<Node<'_>>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        if let Some(node) = node {
            match node.kind() {
                "then" | "else" | "do" | "body_statement" | "block_body" => self.stmts(node, &mut body),
                _ => self.stmt(node, &mut body),
            }
        }
        body
    }

    fn stmt(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if !self.b.enter() {
            return;
        }
        match node.kind() {
            "begin"
            | "parenthesized_statements"
            | "begin_block"
            | "end_block"
            | "program"
            | "body_statement"
            | "block_body"
            | "then"
            | "else"
            | "do"
            | "ERROR" => self.stmts(node, out),
            "if" | "unless" => self.if_statement(node, out),
            "if_modifier" | "unless_modifier" => {
                let condition = self.condition_in(node, node.kind() == "unless_modifier");
                let then = self.block(field(node, "body"));
                let otherwise = ThinVec::new();
                out.push(self.b.stmt(
                    node,
                    StmtKind::If {
                        condition,
                        then,
                        otherwise,
                    },
                ));
            }
            "while" | "until" | "while_modifier" | "until_modifier" => {
                let subject = Some(self.condition_in(node, false));
                let body = self.block(field(node, "body"));
                let pattern = None;
                out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
            }
            "for" => {
                let over = field(node, "value").and_then(|value| children(value).into_iter().next());
                let subject = over.map(|over| self.expr(over));
                let pattern = field(node, "pattern").map(|bound| self.pattern(bound));
                let body = self.block(field(node, "body"));
                out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
            }
            "case" | "case_match" => {
                let kind = self.case(node);
                out.push(self.b.stmt(node, kind));
            }
            "rescue_modifier" => {
                let body = self.block(field(node, "body"));
                let handled = self.block(field(node, "handler"));
                out.push(self.rescued(node, body, handled));
            }
            "return" | "next" => {
                let value = self.handed_back(node);
                out.push(self.b.stmt(node, StmtKind::Return(value)));
            }
            "break" => {
                if let Some(value) = self.handed_back(node) {
                    out.push(self.b.stmt(node, StmtKind::Expr(value)));
                }
            }
            "method" | "singleton_method" => {
                let class = self.around.last().copied();
                let id = self.method(node, class);
                out.push(self.b.stmt(node, StmtKind::Function(id)));
            }
            "class" | "module" => self.class_declaration(node, out),
            "singleton_class" => self.block_of(node, out),
            "comment" | "empty_statement" | "undef" | "alias" | "uninterpreted" | "redo" | "heredoc_body" => {}
            _ => self.effect_of(node, out),
        }
        self.b.leave();
    }

    /// The statements inside of a node that means nothing by itself.
    fn block_of(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if let Some(body) = field(node, "body") {
            self.stmts(body, out);
        }
    }

    /// What stands behind `return`, `next` or `break`.
    fn handed_back(&mut self, node: Node<'_>) -> Option<ExprId> {
        let list = children(node).into_iter().next()?;
        let values = self.args(list);
        match values.as_slice() {
            [] => None,
            [only] if only.name.is_none() => Some(only.value),
            _ => {
                let values = values.into_iter().map(|arg| arg.value).collect();
                Some(self.b.at(list, Expr::List(values)))
            }
        }
    }

    /// A value, and what stands for it where it fails.
    fn rescued(&mut self, node: Node<'_>, body: ThinVec<Stmt>, handled: ThinVec<Stmt>) -> Stmt {
        let span = self.b.span(node);
        let only = Handler {
            types: ThinVec::new(),
            name: None,
            body: handled,
            span,
        };
        Stmt {
            kind: StmtKind::Try {
                body,
                handlers: thin_vec![only],
                finally: ThinVec::new(),
            },
            span,
        }
    }

    /// An expression for its effect.
    fn effect_of(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if matches!(node.kind(), "call" | "identifier") && self.statement_call(node, out) {
            return;
        }
        if node.kind() == "assignment" && self.class_by_assignment(node, out) {
            return;
        }
        let value = self.expr(node);
        let kind = effect(&mut self.b, value);
        out.push(self.b.stmt(node, kind));
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches: ThinVec<(ExprId, ThinVec<Stmt>, Span)> = ThinVec::new();
        let mut otherwise = ThinVec::new();
        let mut at = Some(node);
        while let Some(part) = at {
            if part.kind() == "else" {
                otherwise = self.block(Some(part));
                break;
            }
            let condition = self.condition_in(part, part.kind() == "unless");
            let then = self.block(field(part, "consequence"));
            branches.push((condition, then, self.b.span(part)));
            at = field(part, "alternative");
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    fn case(&mut self, node: Node<'_>) -> StmtKind {
        let value = field(node, "value");
        let subject = value.map(|subject| self.expr(subject));
        let name = value
            .filter(|value| value.kind() == "identifier")
            .map(|value| self.text(value));
        let mut arms = ThinVec::new();
        for part in children(node) {
            let mut arm = ThinVec::new();
            match part.kind() {
                "when" => {
                    for asked in super::builder::fields(part, "pattern").into_iter().flat_map(children) {
                        if !patterns::is_constant(asked) {
                            let asked_for = self.expr(asked);
                            let asked_for = self.b.as_condition(asked_for);
                            arm.push(self.b.stmt(asked, StmtKind::Expr(asked_for)));
                        }
                    }
                    arm.append(&mut self.block(field(part, "body")));
                }
                "in_clause" => {
                    if let Some(bound) = field(part, "pattern") {
                        let target = self.pattern(bound);
                        if !matches!(target, Pattern::Ignore) {
                            let value = name.clone().map(|name| self.b.at(bound, Expr::Name(name)));
                            arm.push(self.assigned(bound, target, value));
                        }
                    }
                    arm.append(&mut self.block(field(part, "body")));
                }
                "else" => arm = self.block(Some(part)),
                _ => continue,
            }
            arms.push(arm);
        }
        StmtKind::Match { subject, arms }
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
}
