//! Go.
//!
//! Results of several values are lists: `return a, err` gives a list, `a, err := f()` binds a tuple, and the declared
//! result `(A, error)` is the type `()` of two arguments.

mod expressions;

use ecow::EcoString;
use std::cell::RefCell;
use std::collections::BTreeMap;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{Builder, Unknown, children, field, fields, named_type, parse, unescape};
use super::not_understood;
use super::operators::{Chain, combine};
use crate::ir::{
    Binding, ClassId, Declares, Expr, ExprId, Field, FunctionId, Import, Module, Param, Pattern, Span, Stmt, StmtKind,
    TypeRef,
};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// `else if` branches beyond which a chain becomes one `Match`: nested statements are walked recursively.
const ELSE_IF_MAX: usize = 40;

/// Lowers a Go file.
pub(super) fn lower(text: &str) -> Module {
    let Some(tree) = parse(&PARSER, || tree_sitter_go::LANGUAGE.into(), text) else {
        return not_understood(Language::Go);
    };
    let mut lowering = Lowering {
        b: Builder::new(Language::Go, text),
        classes: BTreeMap::new(),
        results: Vec::new(),
    };
    let mut body = ThinVec::new();
    lowering.stmts(tree.root_node(), &mut body);
    lowering.declare_foreign_types(&mut body);
    lowering.b.module.body = body;
    lowering.b.module
}

struct Lowering<'t> {
    b: Builder<'t>,
    /// Types by name, and whether this file declares them: methods stand apart from their type, may come before it,
    /// or be in another file of the package.
    classes: BTreeMap<EcoString, (ClassId, bool)>,
    /// Named results of the functions around the current place: a bare `return` hands them out.
    results: Vec<Vec<EcoString>>,
}

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "selector_expression"
        | "index_expression"
        | "slice_expression"
        | "type_assertion_expression"
        | "unary_expression" => field(node, "operand"),
        "call_expression" => field(node, "function"),
        "binary_expression" => field(node, "left"),
        "parenthesized_expression" => node.named_child(0),
        _ => None,
    }
}

fn exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// Whether a name is a type of the language itself, so that its call is a conversion.
fn is_builtin_type(name: &str) -> bool {
    matches!(
        name,
        "string"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
            | "byte"
            | "rune"
            | "float32"
            | "float64"
            | "bool"
            | "any"
            | "error"
    )
}

/// The names that an import without alias may have: the last part of its path without a version, and that part without
/// the `go` of its repository's name, since only the package itself says how it is called.
fn package_names(path: &str) -> Vec<&str> {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let mut last = parts.next().unwrap_or(path);
    if is_version(last)
        && let Some(before) = parts.next()
    {
        last = before;
    }
    if let Some((name, version)) = last.rsplit_once('.')
        && is_version(version)
    {
        last = name;
    }
    let mut names = vec![last];
    let bare = last
        .strip_prefix("go-")
        .or_else(|| last.strip_suffix("-go"))
        .unwrap_or(last);
    let product = bare.strip_suffix("-sdk").unwrap_or(bare);
    for name in [bare, product] {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> EcoString {
        self.b.text_of(node).into()
    }

    /// The content of a string literal.
    fn literal(&self, node: Node<'_>) -> String {
        let text = self.b.text_of(node);
        if let Some(raw) = text.strip_prefix('`') {
            return raw.strip_suffix('`').unwrap_or(raw).replace('\r', "");
        }
        let quote = if text.starts_with('\'') { '\'' } else { '"' };
        let inner = text.strip_prefix(quote).unwrap_or(text);
        unescape(inner.strip_suffix(quote).unwrap_or(inner), Unknown::Dropped)
    }

    // Statements.

    fn stmts(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        for child in children(node) {
            self.stmt(child, out);
        }
    }

    fn block(&mut self, node: Option<Node<'_>>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        if let Some(node) = node {
            self.stmts(node, &mut body);
        }
        body
    }

    fn stmt(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        if !self.b.enter() {
            return;
        }
        match node.kind() {
            "statement_list" | "source_file" | "ERROR" | "import_spec_list" | "import_declaration"
            | "const_declaration" | "var_declaration" | "var_spec_list" | "type_declaration" => self.stmts(node, out),
            "package_clause" => {
                self.b.module.package = node.named_child(0).map(|name| self.text(name));
            }
            "import_spec" => self.import(node, out),
            "const_spec" | "var_spec" => self.var_spec(node, out),
            "type_spec" | "type_alias" => self.type_spec(node, out),
            "function_declaration" => self.function_declaration(node, out),
            "method_declaration" => self.method_declaration(node, out),
            "short_var_declaration" | "assignment_statement" | "receive_statement" => self.assignment(node, out),
            "expression_statement" => self.expression_statement(node, out),
            "inc_statement" | "dec_statement" | "go_statement" | "defer_statement" => {
                if let Some(inner) = node.named_child(0) {
                    let value = self.expr(inner);
                    out.push(self.b.stmt(node, StmtKind::Expr(value)));
                }
            }
            "return_statement" => self.return_statement(node, out),
            "if_statement" => self.if_statement(node, out),
            "for_statement" => self.for_statement(node, out),
            "expression_switch_statement" | "type_switch_statement" | "select_statement" => self.switch(node, out),
            "labeled_statement" => {
                for child in children(node).into_iter().filter(|child| child.kind() != "label_name") {
                    self.stmt(child, out);
                }
            }
            "block" => {
                let body = self.block(Some(node));
                out.push(self.b.stmt(node, StmtKind::Block(body)));
            }
            "break_statement"
            | "continue_statement"
            | "goto_statement"
            | "fallthrough_statement"
            | "empty_statement"
            | "comment" => {}
            _ => {
                let value = self.expr(node);
                out.push(self.b.stmt(node, StmtKind::Expr(value)));
            }
        }
        self.b.leave();
    }

    fn import(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let Some(path) = field(node, "path") else {
            return;
        };
        let path = self.literal(path);
        let bind = |local: &str| Binding {
            local: local.into(),
            module: path.as_str().into(),
            item: None,
            type_only: false,
        };
        let mut star = false;
        let bindings = match field(node, "name") {
            Some(name) => match self.b.text_of(name) {
                "." => {
                    star = true;
                    ThinVec::new()
                }
                "_" => ThinVec::new(),
                alias => thin_vec![bind(alias)],
            },
            None => package_names(&path).into_iter().map(bind).collect(),
        };
        let span = self.b.span(node);
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        self.b.module.imports.push(Import {
            module: path.as_str().into(),
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

    fn var_spec(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut names: ThinVec<Pattern> = fields(node, "name").into_iter().map(|name| self.named(name)).collect();
        let annotation = field(node, "type").map(|of| self.type_ref(of));
        let value = field(node, "value").map(|list| self.list(list));
        let target = if names.len() == 1 {
            names.remove(0)
        } else {
            Pattern::Tuple(names)
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
    }

    fn named(&self, node: Node<'_>) -> Pattern {
        match self.b.text_of(node) {
            "_" | "" => Pattern::Ignore,
            name => Pattern::Name(name.into()),
        }
    }

    /// The value of an expression list: its only member, or a list.
    fn list(&mut self, node: Node<'_>) -> ExprId {
        if node.kind() != "expression_list" {
            return self.expr(node);
        }
        let items = children(node);
        if let [only] = items.as_slice() {
            return self.expr(*only);
        }
        let values = items.into_iter().map(|item| self.expr(item)).collect();
        self.b.at(node, Expr::List(values))
    }

    /// What an expression list on the left binds.
    fn targets(&mut self, node: Node<'_>) -> Pattern {
        if node.kind() != "expression_list" {
            return self.target(node);
        }
        let items = children(node);
        if let [only] = items.as_slice() {
            return self.target(*only);
        }
        Pattern::Tuple(items.into_iter().map(|item| self.target(item)).collect())
    }

    fn target(&mut self, node: Node<'_>) -> Pattern {
        if node.kind() == "identifier" {
            return self.named(node);
        }
        let place = self.expr(node);
        self.b.place(place)
    }

    fn assignment(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let Some(right) = field(node, "right") else {
            return self.stmts(node, out);
        };
        let mut value = self.list(right);
        let Some(left) = field(node, "left") else {
            out.push(self.b.stmt(node, StmtKind::Expr(value)));
            return;
        };
        let operator = field(node, "operator").map_or("=", |operator| self.b.text_of(operator));
        if operator != "=" {
            let before = self.list(left);
            value = combine(
                &mut self.b,
                node,
                operator.trim_end_matches('='),
                before,
                value,
                &mut Chain::default(),
            );
        }
        let target = self.targets(left);
        let mut cursor = node.walk();
        let declares = if node.children(&mut cursor).any(|child| child.kind() == ":=") {
            Declares::InBlock
        } else {
            Declares::Nothing
        };
        out.push(self.b.stmt(
            node,
            StmtKind::Assign {
                target,
                value: Some(value),
                annotation: None,
                declares,
            },
        ));
    }

    fn expression_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let Some(inner) = node.named_child(0) else {
            return;
        };
        let value = self.expr(inner);
        let kind = match self.b.module.expr(value) {
            Expr::Call { callee, args, .. } if matches!(self.b.module.expr(*callee), Expr::Name(name) if &**name == "panic") => {
                StmtKind::Raise(args.first().map(|arg| arg.value))
            }
            _ => StmtKind::Expr(value),
        };
        out.push(self.b.stmt(node, kind));
    }

    fn return_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let value = match node.named_child(0) {
            Some(list) => Some(self.list(list)),
            None => self.bare_return(node),
        };
        out.push(self.b.stmt(node, StmtKind::Return(value)));
    }

    /// What a `return` without values hands out: the named results.
    fn bare_return(&mut self, node: Node<'_>) -> Option<ExprId> {
        let names = self.results.last().cloned().unwrap_or_default();
        let mut values: ThinVec<ExprId> = names
            .into_iter()
            .map(|name| self.b.at(node, Expr::Name(name)))
            .collect();
        if values.len() > 1 {
            return Some(self.b.at(node, Expr::List(values)));
        }
        values.pop()
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches: Vec<(ThinVec<Stmt>, ExprId, ThinVec<Stmt>, Span)> = Vec::new();
        let mut otherwise = ThinVec::new();
        let mut at = Some(node);
        while let Some(node) = at.take() {
            let mut before = ThinVec::new();
            if let Some(initializer) = field(node, "initializer") {
                self.stmt(initializer, &mut before);
            }
            let condition = match field(node, "condition") {
                Some(condition) => self.expr(condition),
                None => self.b.left_out(node),
            };
            let then = self.block(field(node, "consequence"));
            branches.push((before, condition, then, self.b.span(node)));
            match field(node, "alternative") {
                Some(next) if next.kind() == "if_statement" => at = Some(next),
                last => otherwise = self.block(last),
            }
        }
        if branches.len() > ELSE_IF_MAX {
            let mut arms: Vec<ThinVec<Stmt>> = Vec::with_capacity(branches.len() + 1);
            for (mut arm, condition, then, _) in branches {
                arm.push(Stmt {
                    kind: StmtKind::Expr(condition),
                    span: self.b.module.span(condition),
                });
                arm.extend(then);
                arms.push(arm);
            }
            arms.push(otherwise);
            out.push(self.b.stmt(
                node,
                StmtKind::Match {
                    subject: None,
                    arms: arms.into(),
                },
            ));
            return;
        }
        for (mut before, condition, then, span) in branches.into_iter().rev() {
            let kind = StmtKind::If {
                condition,
                then,
                otherwise,
            };
            let whole = Stmt { kind, span };
            otherwise = if before.is_empty() {
                thin_vec![whole]
            } else {
                before.push(whole);
                thin_vec![Stmt {
                    kind: StmtKind::Block(before),
                    span,
                }]
            };
        }
        out.append(&mut otherwise);
    }

    fn for_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let head = children(node)
            .into_iter()
            .find(|child| child.kind() != "block" || field(node, "body") != Some(*child));
        let mut before = ThinVec::new();
        let mut body = ThinVec::new();
        let mut after = ThinVec::new();
        let (mut pattern, mut subject) = (None, None);
        match head {
            Some(clause) if clause.kind() == "for_clause" => {
                if let Some(initializer) = field(clause, "initializer") {
                    self.stmt(initializer, &mut before);
                }
                subject = field(clause, "condition").map(|condition| self.expr(condition));
                if let Some(update) = field(clause, "update") {
                    self.stmt(update, &mut after);
                }
            }
            Some(clause) if clause.kind() == "range_clause" => {
                let over = field(clause, "right").map(|right| self.expr(right));
                subject = over;
                let items = field(clause, "left").map(children).unwrap_or_default();
                match items.as_slice() {
                    [] => {}
                    [only] => pattern = Some(self.target(*only)),
                    [key, value, ..] => {
                        // The round binds the element; the key comes from the same value.
                        pattern = Some(self.target(*value));
                        let target = self.target(*key);
                        if target != Pattern::Ignore {
                            let value = over.map(|over| self.b.at(*key, Expr::Other(thin_vec![over])));
                            let kind = StmtKind::Assign {
                                target,
                                value,
                                annotation: None,
                                declares: Declares::InBlock,
                            };
                            body.push(self.b.stmt(*key, kind));
                        }
                    }
                }
            }
            Some(condition) => subject = Some(self.expr(condition)),
            None => {}
        }
        if let Some(block) = field(node, "body") {
            self.stmts(block, &mut body);
        }
        body.append(&mut after);
        let whole = self.b.stmt(node, StmtKind::Loop { pattern, subject, body });
        self.with_before(node, before, whole, out);
    }

    /// Pushes a statement, in one block with what stands before it.
    fn with_before(&self, node: Node<'_>, mut before: ThinVec<Stmt>, whole: Stmt, out: &mut ThinVec<Stmt>) {
        if before.is_empty() {
            out.push(whole);
        } else {
            before.push(whole);
            out.push(self.b.stmt(node, StmtKind::Block(before)));
        }
    }

    fn switch(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut before = ThinVec::new();
        if let Some(initializer) = field(node, "initializer") {
            self.stmt(initializer, &mut before);
        }
        let subject = field(node, "value").map(|value| self.expr(value));
        let alias = field(node, "alias").map(|alias| self.targets(alias));
        let mut arms = ThinVec::new();
        for case in children(node) {
            let mut arm = ThinVec::new();
            match case.kind() {
                "expression_case" => self.case_values(case, &mut arm),
                "type_case" | "default_case" => self.type_case(case, subject, alias.as_ref(), &mut arm),
                "communication_case" => {
                    if let Some(communication) = field(case, "communication") {
                        self.stmt(communication, &mut arm);
                    }
                }
                _ => continue,
            }
            for part in children(case)
                .into_iter()
                .filter(|part| part.kind() == "statement_list")
            {
                self.stmt(part, &mut arm);
            }
            arms.push(arm);
        }
        let whole = self.b.stmt(node, StmtKind::Match { subject, arms });
        self.with_before(node, before, whole, out);
    }

    /// Keeps what a case asks when it is more than a constant.
    fn case_values(&mut self, case: Node<'_>, arm: &mut ThinVec<Stmt>) {
        let values = field(case, "value").map(children).unwrap_or_default();
        for value in values {
            if !value.kind().ends_with("_literal") || value.kind() == "func_literal" {
                let asked = self.expr(value);
                if !matches!(self.b.module.expr(asked), Expr::Name(_) | Expr::Bool(_) | Expr::Null) {
                    arm.push(self.b.stmt(value, StmtKind::Expr(asked)));
                }
            }
        }
    }

    /// Binds the name of a type switch, converted where one type is asked.
    fn type_case(&mut self, case: Node<'_>, subject: Option<ExprId>, alias: Option<&Pattern>, arm: &mut ThinVec<Stmt>) {
        let (Some(subject), Some(alias)) = (subject, alias) else {
            return;
        };
        let value = match fields(case, "type").as_slice() {
            [only] if self.b.text_of(*only) != "nil" => {
                let to = self.type_ref(*only);
                self.b.at(
                    *only,
                    Expr::Cast {
                        value: subject,
                        to: to.into(),
                    },
                )
            }
            _ => subject,
        };
        let kind = StmtKind::Assign {
            target: alias.clone(),
            value: Some(value),
            annotation: None,
            declares: Declares::InBlock,
        };
        arm.push(self.b.stmt(case, kind));
    }

    // Declarations.

    fn class_of(&mut self, name: &str, node: Node<'_>) -> ClassId {
        if let Some((id, _)) = self.classes.get(name) {
            return *id;
        }
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        self.b.class_mut(id).name = Some(name.into());
        self.classes.insert(name.into(), (id, false));
        id
    }

    /// Declares the types that only have methods here, so that every class has its statement.
    fn declare_foreign_types(&mut self, body: &mut ThinVec<Stmt>) {
        for (id, _) in self.classes.values().filter(|(_, declared)| !declared) {
            let span = self.b.module.class(*id).span;
            body.push(Stmt {
                kind: StmtKind::Class(*id),
                span,
            });
        }
    }

    fn type_spec(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let (Some(name), Some(of)) = (field(node, "name"), field(node, "type")) else {
            return;
        };
        let name = self.b.text_of(name);
        let id = self.class_of(name, node);
        self.classes.insert(name.into(), (id, true));
        self.b.class_mut(id).span = self.b.span(node);
        match of.kind() {
            "struct_type" => self.struct_fields(of, id),
            "interface_type" => self.interface(of, id),
            _ => {
                let base = self.type_ref(of);
                self.b.class_mut(id).bases.push(base);
            }
        }
        out.push(self.b.stmt(node, StmtKind::Class(id)));
    }

    fn struct_fields(&mut self, node: Node<'_>, id: ClassId) {
        let lists = children(node);
        for declaration in lists.iter().flat_map(|list| children(*list)) {
            let Some(of) = field(declaration, "type") else {
                continue;
            };
            let annotation = self.type_ref(of);
            let decorators: ThinVec<ExprId> = field(declaration, "tag")
                .map(|tag| self.expr(tag))
                .into_iter()
                .collect();
            let span = self.b.span(declaration);
            let names = fields(declaration, "name");
            let mut names: Vec<EcoString> = names.into_iter().map(|name| self.text(name)).collect();
            if names.is_empty() {
                names.push(annotation.name.rsplit('.').next().unwrap_or_default().into());
                self.b.class_mut(id).bases.push(annotation.clone());
            }
            for name in names {
                let annotation = Some(annotation.clone());
                let decorators = decorators.clone();
                self.b.class_mut(id).fields.push(Field {
                    name,
                    annotation,
                    value: None,
                    decorators,
                    span,
                });
            }
        }
    }

    fn interface(&mut self, node: Node<'_>, id: ClassId) {
        self.b.class_mut(id).is_interface = true;
        for element in children(node) {
            match element.kind() {
                "method_elem" => {
                    let function = self.signature(element);
                    let name = field(element, "name").map(|name| self.text(name));
                    let entry = self.b.function_mut(function);
                    entry.exported = name.as_deref().is_some_and(exported);
                    entry.name = name;
                    entry.class = Some(id);
                    self.b.class_mut(id).methods.push(function);
                }
                "type_elem" => {
                    let base = self.type_ref(element);
                    self.b.class_mut(id).bases.push(base);
                }
                _ => {}
            }
        }
    }

    /// Reserves a function with its parameters, result and named results in scope.
    fn signature(&mut self, node: Node<'_>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let params = field(node, "parameters")
            .map(|list| self.params(list))
            .unwrap_or_default();
        let result = field(node, "result");
        let mut named = ThinVec::new();
        let returns = match result {
            Some(list) if list.kind() == "parameter_list" => {
                let mut types = ThinVec::new();
                for param in self.params(list) {
                    let annotation = param.annotation.unwrap_or_else(|| named_type(""));
                    if param.pattern != Pattern::Ignore {
                        let (target, annotation) = (param.pattern, Some(annotation.clone()));
                        let kind = StmtKind::Assign {
                            target,
                            value: None,
                            annotation: annotation.map(Box::new),
                            declares: Declares::InBlock,
                        };
                        named.push(self.b.stmt(list, kind));
                    }
                    types.push(annotation);
                }
                match types.len() {
                    0 => None,
                    1 => types.pop(),
                    _ => Some(TypeRef {
                        name: "()".into(),
                        args: types,
                    }),
                }
            }
            Some(of) => Some(self.type_ref(of)),
            None => None,
        };
        let function = self.b.function_mut(id);
        function.params = params;
        function.returns = returns;
        function.body = named;
        id
    }

    /// Lowers a function with its body.
    fn function(&mut self, node: Node<'_>) -> FunctionId {
        let id = self.signature(node);
        let mut body = std::mem::take(&mut self.b.function_mut(id).body);
        let results = body
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Assign {
                    target: Pattern::Name(name),
                    ..
                } => Some(name.clone()),
                _ => None,
            })
            .collect();
        self.results.push(results);
        if let Some(block) = field(node, "body") {
            self.stmts(block, &mut body);
        }
        self.results.pop();
        self.b.function_mut(id).body = body;
        id
    }

    fn function_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let id = self.function(node);
        let name = field(node, "name").map(|name| self.text(name));
        let function = self.b.function_mut(id);
        function.exported = name.as_deref().is_some_and(exported);
        function.name = name;
        out.push(self.b.stmt(node, StmtKind::Function(id)));
    }

    fn method_declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let receiver = field(node, "receiver").and_then(|list| self.params(list).into_iter().next());
        let class = receiver
            .as_ref()
            .and_then(|receiver| receiver.annotation.as_ref())
            .map(|of| of.name.clone());
        let class = class.map(|name| self.class_of(&name, node));
        let id = self.function(node);
        let name = field(node, "name").map(|name| self.text(name));
        let function = self.b.function_mut(id);
        function.exported = name.as_deref().is_some_and(exported);
        function.name = name;
        function.class = class;
        function.receiver = receiver.and_then(|receiver| match receiver.pattern {
            Pattern::Name(name) => Some(name),
            _ => None,
        });
        match class {
            Some(class) => self.b.class_mut(class).methods.push(id),
            None => out.push(self.b.stmt(node, StmtKind::Function(id))),
        }
    }

    fn params(&mut self, node: Node<'_>) -> ThinVec<Param> {
        let mut params = ThinVec::new();
        for declaration in children(node) {
            let rest = declaration.kind() == "variadic_parameter_declaration";
            if !rest && declaration.kind() != "parameter_declaration" {
                continue;
            }
            let annotation = field(declaration, "type").map(|of| self.type_ref(of));
            let mut names: ThinVec<Pattern> = fields(declaration, "name")
                .into_iter()
                .map(|name| self.named(name))
                .collect();
            if names.is_empty() {
                names.push(Pattern::Ignore);
            }
            for pattern in names {
                let annotation = annotation.clone();
                params.push(Param {
                    pattern,
                    annotation,
                    default: None,
                    decorators: ThinVec::new(),
                    rest,
                });
            }
        }
        params
    }

    fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        let mut node = node;
        while matches!(
            node.kind(),
            "pointer_type" | "parenthesized_type" | "negated_type" | "type_constraint"
        ) {
            let Some(inner) = node.named_child(0) else {
                break;
            };
            node = inner;
        }
        if !self.b.enter() {
            return named_type("");
        }
        let of = |name: &str, args: ThinVec<TypeRef>| TypeRef {
            name: name.into(),
            args,
        };
        let result = match node.kind() {
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                of("[]", self.type_fields(node, &["element"]))
            }
            "map_type" => of("map", self.type_fields(node, &["key", "value"])),
            "channel_type" => of("chan", self.type_fields(node, &["value"])),
            "function_type" => of("func", self.type_fields(node, &["result"])),
            "parameter_list" => {
                let types = self
                    .params(node)
                    .into_iter()
                    .filter_map(|param| param.annotation)
                    .collect();
                of("()", types)
            }
            "struct_type" => of("struct", ThinVec::new()),
            "interface_type" => of("interface", ThinVec::new()),
            "generic_type" => {
                let name = field(node, "type")
                    .map(|name| self.type_ref(name).name)
                    .unwrap_or_default();
                let args = field(node, "type_arguments").map(children).unwrap_or_default();
                TypeRef {
                    name,
                    args: args.into_iter().map(|arg| self.type_ref(arg)).collect(),
                }
            }
            "type_elem" => {
                let members = children(node);
                if let [only] = members.as_slice() {
                    self.type_ref(*only)
                } else {
                    of("|", members.into_iter().map(|member| self.type_ref(member)).collect())
                }
            }
            _ => named_type(self.b.text_of(node)),
        };
        self.b.leave();
        result
    }

    fn type_fields(&mut self, node: Node<'_>, names: &[&str]) -> ThinVec<TypeRef> {
        names
            .iter()
            .filter_map(|name| field(node, name))
            .map(|of| self.type_ref(of))
            .collect()
    }
}

/// The type of `(*T)(x)`, which reads like a call of what a pointer points to.
fn pointer_conversion(call: Node<'_>) -> Option<Node<'_>> {
    let function = field(call, "function").filter(|function| function.kind() == "parenthesized_expression")?;
    let pointer = function
        .named_child(0)
        .filter(|inner| inner.kind() == "unary_expression")?;
    field(pointer, "operator").filter(|operator| operator.kind() == "*")?;
    field(pointer, "operand").filter(|operand| matches!(operand.kind(), "identifier" | "selector_expression"))
}

fn is_type(kind: &str) -> bool {
    kind.ends_with("_type") || matches!(kind, "type_identifier" | "identifier")
}
