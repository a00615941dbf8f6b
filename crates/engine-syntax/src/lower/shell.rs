//! Lowers shell scripts: commands are calls.
//!
//! Choices that the intermediate form leaves open:
//! - A word is a `Str`, `$VAR` the name `VAR`, `$1` the name `1`; `${VAR:-x}` is a choice. A function has as many parameters
//!   as it asks for words: `1`, `2`.
//! - `a | b` gives `b` an argument named `|` with the call of `a`. Redirections are arguments named by their operator,
//!   here documents too; variables set for one command are arguments named by the variable.
//! - `a || b` is a `Try` whose handler is `b`; `a && b` is `a` then `b`, but `[ test ] && b` is an `If`.
//! - A group and a subshell are blocks; a condition of several commands is a block.

use std::borrow::Cow;
use std::cell::RefCell;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use tree_sitter::{Node, Parser};

use super::builder::{self, Builder, ParserSlot, Unknown, children, field, fields, has_token, plain, unescape};
use crate::ir::{Arg, Declares, Expr, ExprId, Handler, Module, Param, Pattern, Stmt, StmtKind};

/// Alternations of `&&` and `||` beyond which a list is no longer nested.
const TRY_DEPTH_MAX: u32 = 40;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Lowers a shell script.
pub(super) fn lower(text: &str) -> Module {
    let slot: &'static ParserSlot = &PARSER;
    let safe = without_wide_digits(text);
    let Some(tree) = builder::parse(slot, || tree_sitter_bash::LANGUAGE.into(), &safe) else {
        return super::not_understood(Language::Shell);
    };
    let mut shell = Shell {
        b: Builder::new(Language::Shell, text),
    };
    let body = shell.block(tree.root_node());
    shell.b.module.body = body;
    shell.b.module
}

/// Lowers a text behind what the module of a notebook holds already; the names of its commands begin with `!`.
#[cfg(feature = "notebook")]
pub(super) fn lower_into(module: &mut Module, text: &str, rows: Vec<(u32, u32)>) {
    let slot: &'static ParserSlot = &PARSER;
    let safe = without_wide_digits(text);
    let Some(tree) = builder::parse(slot, || tree_sitter_bash::LANGUAGE.into(), &safe) else {
        module.truncated = true;
        return;
    };
    let first = module.exprs.len();
    let mut shell = Shell {
        b: Builder::new(module.language, text),
    };
    shell.b.rows = rows;
    std::mem::swap(&mut shell.b.module, module);
    let body = shell.block(tree.root_node());
    shell.b.module.body.extend(body);
    std::mem::swap(&mut shell.b.module, module);
    for at in first..module.exprs.len() {
        if let Expr::Call { callee, .. } = module.exprs[at].kind
            && let Expr::Name(name) = &mut module.exprs[callee.0 as usize].kind
            && !name.starts_with('!')
        {
            *name = format!("!{name}").into();
        }
    }
}

/// The text as the grammar may see it, with every byte at its place.
///
/// The grammar's scanner asks the C function `isdigit` about the character behind `{`, `{1` or `{1..`, which reads
/// outside its table when that character is wide. Such a character is shown to it as letters.
fn without_wide_digits(text: &str) -> Cow<'_, str> {
    let mut shown = None::<String>;
    let (mut braced, mut from) = (false, 0);
    for (at, ch) in text.char_indices() {
        if braced && !ch.is_ascii() {
            let shown = shown.get_or_insert_with(|| String::with_capacity(text.len()));
            shown.push_str(&text[from..at]);
            shown.extend(std::iter::repeat_n('x', ch.len_utf8()));
            from = at + ch.len_utf8();
        }
        braced = ch == '{' || (braced && (ch.is_ascii_digit() || ch == '.'));
    }
    match shown {
        Some(mut shown) => {
            shown.push_str(&text[from..]);
            Cow::Owned(shown)
        }
        None => Cow::Borrowed(text),
    }
}

/// The lowering of one file.
struct Shell<'t> {
    b: Builder<'t>,
}

impl Shell<'_> {
    fn block(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
        let mut out = ThinVec::new();
        for child in children(node) {
            self.stmt(child, &mut out);
        }
        out
    }

    fn one(&mut self, node: Node<'_>) -> ThinVec<Stmt> {
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
            "variable_assignment" => self.assignment(node, Declares::Nothing, out),
            "variable_assignments" | "program" | "do_group" | "ERROR" => {
                for child in children(node) {
                    self.stmt(child, out);
                }
            }
            "declaration_command" => self.declaration(node, out),
            "pipeline" => {
                let parts = pipeline_parts(node);
                self.pipeline(node, None, &parts, out);
            }
            "list" => self.list(node, out),
            "redirected_statement" => self.redirected(node, out),
            "compound_statement" | "subshell" => {
                let body = self.block(node);
                self.push(node, StmtKind::Block(body), out);
            }
            "if_statement" => self.if_statement(node, out),
            "while_statement" => {
                let subject = self.condition(node);
                let body = field(node, "body").map(|body| self.block(body)).unwrap_or_default();
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
            "for_statement" | "select_statement" => {
                let pattern = field(node, "variable").map(|name| Pattern::Name(self.b.text_of(name).into()));
                let values = fields(node, "value");
                let subject = match values.as_slice() {
                    [] => None,
                    [one] => Some(self.expr(*one)),
                    many => {
                        let parts = self.exprs(many);
                        Some(self.b.at(node, Expr::List(parts)))
                    }
                };
                let body = field(node, "body").map(|body| self.block(body)).unwrap_or_default();
                self.push(node, StmtKind::Loop { pattern, subject, body }, out);
            }
            "c_style_for_statement" => {
                let body = field(node, "body").map(|body| self.block(body)).unwrap_or_default();
                self.push(
                    node,
                    StmtKind::Loop {
                        pattern: None,
                        subject: None,
                        body,
                    },
                    out,
                );
            }
            "case_statement" => {
                let subject = field(node, "value").map(|value| self.expr(value));
                let mut arms = ThinVec::new();
                for item in children(node).into_iter().filter(|child| child.kind() == "case_item") {
                    let values = fields(item, "value");
                    let mut arm = ThinVec::new();
                    for child in children(item).into_iter().filter(|child| !values.contains(child)) {
                        self.stmt(child, &mut arm);
                    }
                    arms.push(arm);
                }
                self.push(node, StmtKind::Match { subject, arms }, out);
            }
            "function_definition" => self.function(node, out),
            "comment" | "heredoc_body" | "heredoc_end" | "heredoc_start" => {}
            _ => {
                let value = self.expr(node);
                self.push(node, StmtKind::Expr(value), out);
            }
        }
    }

    fn function(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let id = self.b.reserve_function(self.b.span(node));
        let name = field(node, "name").map(|name| self.b.text_of(name).into());
        let body = match field(node, "body") {
            Some(body) if body.kind() == "compound_statement" => self.block(body),
            Some(body) => self.one(body),
            None => ThinVec::new(),
        };
        let given = field(node, "body").map_or(0, |body| words_asked_for(self.b.text_of(body)));
        let function = self.b.function_mut(id);
        function.name = name;
        function.body = body;
        function.exported = true;
        function.params = (1..=given).map(positional).collect();
        self.push(node, StmtKind::Function(id), out);
    }

    fn assignment(&mut self, node: Node<'_>, declares: Declares, out: &mut ThinVec<Stmt>) {
        let Some(name) = field(node, "name") else {
            return;
        };
        let target = if name.kind() == "subscript" {
            Pattern::Place(self.expr(name))
        } else {
            Pattern::Name(self.b.text_of(name).into())
        };
        let value = field(node, "value").map(|value| self.expr(value));
        self.push(
            node,
            StmtKind::Assign {
                target,
                value,
                annotation: None,
                declares,
            },
            out,
        );
    }

    fn declaration(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let word = node.child(0).map_or("", |word| word.kind());
        let is_local = matches!(word, "local" | "declare" | "typeset");
        let declares = if is_local {
            Declares::InFunction
        } else {
            Declares::Nothing
        };
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => self.assignment(child, declares, out),
                "variable_name" if is_local => {
                    let target = Pattern::Name(self.b.text_of(child).into());
                    self.push(
                        child,
                        StmtKind::Assign {
                            target,
                            value: None,
                            annotation: None,
                            declares,
                        },
                        out,
                    );
                }
                "variable_name" => {
                    let callee = self.b.at(node, Expr::Name(word.into()));
                    let args = thin_vec![plain(self.b.name(child))];
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
                _ => {}
            }
        }
    }

    /// `a && b || c`, which the grammar nests on the left.
    fn list(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut passed = ThinVec::new();
        let mut current = node;
        while current.kind() == "list" {
            let Some(left) = children(current).first().copied() else {
                break;
            };
            passed.push(current);
            current = left;
        }
        let mut done = self.one(current);
        let mut depth = 0;
        for node in passed.into_iter().rev() {
            let right = children(node).get(1).map(|right| self.one(*right)).unwrap_or_default();
            if has_token(node, "||") {
                self.or_else(node, &mut done, right, &mut depth);
            } else {
                self.and_then(node, &mut done, right);
            }
        }
        out.append(&mut done);
    }

    fn or_else(&mut self, node: Node<'_>, done: &mut ThinVec<Stmt>, right: ThinVec<Stmt>, depth: &mut u32) {
        let span = self.b.span(node);
        let handler = Handler {
            types: ThinVec::new(),
            name: None,
            body: right,
            span,
        };
        if let [
            Stmt {
                kind: StmtKind::Try { handlers, .. },
                ..
            },
        ] = done.as_mut_slice()
        {
            handlers.push(handler);
        } else if *depth >= TRY_DEPTH_MAX {
            self.b.module.truncated = true;
            done.extend(handler.body);
        } else {
            *depth += 1;
            let body = std::mem::take(done);
            let kind = StmtKind::Try {
                body,
                handlers: thin_vec![handler],
                finally: ThinVec::new(),
            };
            done.push(Stmt { kind, span });
        }
    }

    fn and_then(&mut self, node: Node<'_>, done: &mut ThinVec<Stmt>, right: ThinVec<Stmt>) {
        if let [
            Stmt {
                kind: StmtKind::Expr(asked),
                ..
            },
        ] = done[..]
            && matches!(self.b.module.expr(asked), Expr::Test(_))
        {
            let kind = StmtKind::If {
                condition: asked,
                then: right,
                otherwise: ThinVec::new(),
            };
            *done = thin_vec![self.b.stmt(node, kind)];
            return;
        }
        done.extend(right);
    }

    /// Lowers a pipeline behind a first value; the last command is the value of the whole.
    fn pipeline(&mut self, node: Node<'_>, first: Option<ExprId>, parts: &[Node<'_>], out: &mut ThinVec<Stmt>) {
        let mut before = first;
        for part in parts {
            let mut body = self.one(*part);
            if let [
                Stmt {
                    kind: StmtKind::Expr(id),
                    ..
                },
            ] = body[..]
            {
                if let Some(given) = before
                    && let Expr::Call { args, .. } = &mut self.b.module.exprs[id.0 as usize].kind
                {
                    args.push(Arg {
                        name: Some("|".into()),
                        value: given,
                        spread: false,
                    });
                } else if let Some(given) = before {
                    self.push(node, StmtKind::Expr(given), out);
                }
                before = Some(id);
                continue;
            }
            // A loop or group in a pipeline stays a statement behind what feeds it.
            if let Some(given) = before.take() {
                self.push(node, StmtKind::Expr(given), out);
            }
            out.append(&mut body);
        }
        if let Some(last) = before {
            self.push(node, StmtKind::Expr(last), out);
        }
    }

    fn redirected(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let body_node = field(node, "body");
        let mut body = body_node.map(|body| self.one(body)).unwrap_or_default();
        let mut piped: Vec<Node<'_>> = Vec::new();
        let mut next: Option<(bool, Node<'_>)> = None;
        let mut args = ThinVec::new();
        for redirect in children(node).into_iter().filter(|child| Some(*child) != body_node) {
            args.extend(self.redirect(redirect));
            if redirect.kind() == "heredoc_redirect" {
                let rest = children(redirect);
                piped.extend(
                    rest.iter()
                        .filter(|child| child.kind() == "pipeline")
                        .flat_map(|node| pipeline_parts(*node)),
                );
                let or_else = field(redirect, "operator").is_some_and(|operator| operator.kind() == "||");
                next = field(redirect, "right").map(|right| (or_else, right)).or(next);
                for argument in fields(redirect, "argument") {
                    args.push(plain(self.expr(argument)));
                }
                for inner in fields(redirect, "redirect") {
                    args.extend(self.redirect(inner));
                }
            }
        }
        let call = match body[..] {
            [
                Stmt {
                    kind: StmtKind::Expr(id),
                    ..
                },
            ] => Some(id),
            _ => None,
        };
        if let Some(call) = call
            && let Expr::Call { args: given, .. } = &mut self.b.module.exprs[call.0 as usize].kind
        {
            given.extend(args);
        } else if !args.is_empty() {
            let values = args.into_iter().map(|arg| arg.value).collect();
            let beside = self.b.at(node, Expr::Other(values));
            self.push(node, StmtKind::Expr(beside), &mut body);
        }
        if !piped.is_empty() {
            let first = call;
            if first.is_some() {
                body.clear();
            }
            self.pipeline(node, first, &piped, &mut body);
        }
        if let Some((or_else, right)) = next {
            let right = self.one(right);
            if or_else {
                self.or_else(node, &mut body, right, &mut 0);
            } else {
                self.and_then(node, &mut body, right);
            }
        }
        out.append(&mut body);
    }

    /// A redirection as an argument named by its operator.
    fn redirect(&mut self, node: Node<'_>) -> Option<Arg> {
        let named = |name: &str, value| {
            Some(Arg {
                name: Some(name.into()),
                value,
                spread: false,
            })
        };
        match node.kind() {
            "heredoc_redirect" => {
                let quoted = children(node)
                    .iter()
                    .any(|child| child.kind() == "heredoc_start" && self.b.text_of(*child).contains(['\'', '"', '\\']));
                let body = children(node)
                    .into_iter()
                    .find(|child| child.kind() == "heredoc_body")?;
                let value = if quoted {
                    let text = self.b.text_of(body).into();
                    self.b.at(body, Expr::Str(text))
                } else {
                    self.interpolated(body, body.start_byte(), body.end_byte())
                };
                named("<<", value)
            }
            "herestring_redirect" => {
                let value = node.named_child(0)?;
                let value = self.expr(value);
                named("<<<", value)
            }
            "file_redirect" => {
                let target = field(node, "destination")?;
                let value = self.expr(target);
                let operator = builder::all_children(node).into_iter().find(|child| !child.is_named());
                let operator = operator.map_or(">", |operator| operator.kind());
                // `2>&1` joins two streams and names no file; `>&2` says that the line is for the one who runs it.
                let second =
                    matches!(self.b.module.expr(value), Expr::Str(text) | Expr::Number(text) if &**text == "2");
                if operator == ">&" && second && field(node, "descriptor").is_none() {
                    named(">&2", value)
                } else if operator.ends_with('&') {
                    None
                } else {
                    named(operator, value)
                }
            }
            _ => None,
        }
    }

    fn if_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let mut branches = ThinVec::new();
        let mut otherwise = ThinVec::new();
        let (mut clauses, mut then) = (ThinVec::new(), ThinVec::new());
        let conditions = fields(node, "condition");
        let condition = self.condition(node).unwrap_or_else(|| self.b.left_out(node));
        for child in children(node) {
            match child.kind() {
                "elif_clause" | "else_clause" => clauses.push(child),
                _ if conditions.contains(&child) => {}
                _ => self.stmt(child, &mut then),
            }
        }
        branches.push((condition, then, self.b.span(node)));
        for clause in clauses {
            if clause.kind() == "else_clause" {
                otherwise.extend(self.block(clause));
                continue;
            }
            // The grammar does not mark the condition of an `elif`: it is what stands before the `then`.
            let (mut asked, mut then, mut behind) = (ThinVec::new(), ThinVec::new(), false);
            for child in builder::all_children(clause) {
                behind |= child.kind() == "then";
                if child.is_named() && !child.is_extra() {
                    self.stmt(child, if behind { &mut then } else { &mut asked });
                }
            }
            let condition = self.value_of(clause, asked);
            branches.push((condition, then, self.b.span(clause)));
        }
        out.extend(self.b.if_chain(branches, otherwise));
    }

    fn condition(&mut self, node: Node<'_>) -> Option<ExprId> {
        let mut asked = ThinVec::new();
        for part in fields(node, "condition") {
            self.stmt(part, &mut asked);
        }
        if asked.is_empty() {
            None
        } else {
            Some(self.value_of(node, asked))
        }
    }

    /// Statements as one value.
    fn value_of(&mut self, node: Node<'_>, body: ThinVec<Stmt>) -> ExprId {
        match body[..] {
            [
                Stmt {
                    kind: StmtKind::Expr(id),
                    ..
                },
            ] => id,
            [] => self.b.left_out(node),
            _ => self.b.at(node, Expr::Block(body)),
        }
    }

    fn exprs(&mut self, nodes: &[Node<'_>]) -> ThinVec<ExprId> {
        nodes.iter().map(|node| self.expr(*node)).collect()
    }

    fn expr(&mut self, node: Node<'_>) -> ExprId {
        if !self.b.enter() {
            return self.b.left_out(node);
        }
        let id = self.expr_inner(node);
        self.b.leave();
        id
    }

    fn expr_inner(&mut self, node: Node<'_>) -> ExprId {
        match node.kind() {
            "command" => self.command(node),
            "word" | "number" | "extglob_pattern" | "regex" | "test_operator" | "special_character"
            | "brace_expression" => {
                let text = self.b.text_of(node).replace("\\\n", "");
                let text = if text.contains('\\') {
                    unescape_word(&text)
                } else {
                    text
                };
                self.b.at(node, Expr::Str(text.into()))
            }
            "raw_string" => {
                let text = self.b.text_of(node);
                let text = text.strip_prefix('\'').unwrap_or(text);
                let text = text.strip_suffix('\'').unwrap_or(text).into();
                self.b.at(node, Expr::Str(text))
            }
            "ansi_c_string" => {
                let text = self.b.text_of(node).trim_start_matches("$'");
                let text = unescape(text.strip_suffix('\'').unwrap_or(text), Unknown::Kept);
                self.b.at(node, Expr::Str(text.into()))
            }
            "string" => self.interpolated(node, node.start_byte() + 1, node.end_byte().saturating_sub(1)),
            "translated_string" => match node.named_child(0) {
                Some(inner) => self.expr(inner),
                None => self.b.left_out(node),
            },
            "concatenation" => {
                let mut parts = ThinVec::new();
                for child in children(node) {
                    let part = self.expr(child);
                    match self.b.module.expr(part) {
                        Expr::Template(inner) => parts.extend(inner.iter().copied()),
                        _ => parts.push(part),
                    }
                }
                self.b.template(node, parts)
            }
            "simple_expansion" | "variable_name" | "special_variable_name" => {
                let name = self.b.text_of(node).trim_start_matches('$').into();
                self.b.at(node, Expr::Name(name))
            }
            "expansion" => self.expansion(node),
            "subscript" => {
                let name = field(node, "name").map_or("", |name| self.b.text_of(name)).into();
                let object = self.b.at(node, Expr::Name(name));
                match field(node, "index") {
                    Some(index) => {
                        let key = self.expr(index);
                        self.b.at(node, Expr::Index { object, key })
                    }
                    None => object,
                }
            }
            "command_substitution" | "process_substitution" => {
                let body = self.block(node);
                self.value_of(node, body)
            }
            "array" => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::List(parts))
            }
            "test_command" | "negated_command" | "binary_expression" | "unary_expression" => {
                let parts = self.exprs(&operands(node));
                if let [only] = parts[..]
                    && matches!(self.b.module.expr(only), Expr::Test(_))
                {
                    return only;
                }
                self.b.at(node, Expr::Test(parts))
            }
            "parenthesized_expression" if node.named_child_count() == 1 => match node.named_child(0) {
                Some(inner) => self.expr(inner),
                None => self.b.left_out(node),
            },
            "list"
            | "pipeline"
            | "redirected_statement"
            | "if_statement"
            | "while_statement"
            | "for_statement"
            | "case_statement"
            | "compound_statement"
            | "subshell"
            | "variable_assignment"
            | "declaration_command" => {
                let body = self.one(node);
                self.value_of(node, body)
            }
            "file_redirect" => match self.redirect(node) {
                Some(arg) => arg.value,
                None => self.b.left_out(node),
            },
            _ => {
                let parts = self.exprs(&children(node));
                self.b.at(node, Expr::Other(parts))
            }
        }
    }

    fn command(&mut self, node: Node<'_>) -> ExprId {
        let callee = match field(node, "name") {
            Some(name) => self.callee(name),
            None => self.b.left_out(node),
        };
        let (mut args, mut behind) = (ThinVec::new(), ThinVec::new());
        for child in children(node) {
            match child.kind() {
                "command_name" => {}
                "variable_assignment" => {
                    let name = field(child, "name").map(|name| self.b.text_of(name).into());
                    if let Some(value) = field(child, "value") {
                        behind.push(Arg {
                            name,
                            value: self.expr(value),
                            spread: false,
                        });
                    }
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => behind.extend(self.redirect(child)),
                _ => args.push(plain(self.expr(child))),
            }
        }
        args.append(&mut behind);
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    fn callee(&mut self, name: Node<'_>) -> ExprId {
        let id = match name.named_child(0) {
            Some(inner) => self.expr(inner),
            None => self.b.left_out(name),
        };
        if let Expr::Str(text) = self.b.module.expr(id) {
            let text = text.clone();
            self.b.module.exprs[id.0 as usize].kind = Expr::Name(text);
        }
        id
    }

    fn expansion(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = children(node).into_iter();
        let Some(first) = parts.next() else {
            return self.b.left_out(node);
        };
        let name = self.expr(first);
        let rest: Vec<Node<'_>> = parts.collect();
        let operator = field(node, "operator").map_or("", |operator| operator.kind());
        if !matches!(operator, ":-" | "-" | ":=" | "=") {
            return name;
        }
        let from = field(node, "operator").map_or(node.end_byte(), |operator| operator.end_byte());
        let text = self.b.text.get(from..node.end_byte().saturating_sub(1)).unwrap_or("");
        // The grammar takes the beginning of a plain default for the name of a variable.
        let value = match rest.as_slice() {
            [only] if text.contains(['$', '`']) => self.expr(*only),
            _ => {
                let plain = unescape_word(text.trim_matches(['"', '\'']));
                self.b.at(node, Expr::Str(plain.into()))
            }
        };
        self.b.either(node, name, value)
    }

    /// A text with expansions, from one byte to another.
    fn interpolated(&mut self, node: Node<'_>, from: usize, to: usize) -> ExprId {
        let mut parts = ThinVec::new();
        let mut from = from;
        for child in children(node) {
            if matches!(child.kind(), "string_content" | "heredoc_content") {
                continue;
            }
            self.constant(node, from, child.start_byte(), &mut parts);
            from = child.end_byte();
            parts.push(self.expr(child));
        }
        self.constant(node, from, to, &mut parts);
        if let [one] = parts[..]
            && !matches!(self.b.module.expr(one), Expr::Str(_))
        {
            return one;
        }
        self.b.template(node, parts)
    }

    fn constant(&mut self, node: Node<'_>, from: usize, to: usize, parts: &mut ThinVec<ExprId>) {
        if let Some(text) = self.b.text.get(from..to).filter(|text| !text.is_empty()) {
            let text = unescape_quoted(text);
            parts.push(self.b.at(node, Expr::Str(text.into())));
        }
    }
}

/// The highest number of a word that a body asks for: `$2`, `${2:-x}`.
fn words_asked_for(body: &str) -> u8 {
    let number = |(at, _): (usize, &str)| {
        let rest = body[at + 1..].trim_start_matches('{').as_bytes();
        rest.first()
            .filter(|byte| byte.is_ascii_digit())
            .map(|byte| byte - b'0')
    };
    body.match_indices('$').filter_map(number).max().unwrap_or(0)
}

/// The parameter of a function that stands for a word behind its name.
fn positional(number: u8) -> Param {
    Param {
        pattern: Pattern::Name(number.to_string().into()),
        annotation: None,
        default: None,
        decorators: ThinVec::new(),
        rest: false,
    }
}

/// The commands of a pipeline, which the grammar may nest on the left.
fn pipeline_parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.kind() == "pipeline" {
            open.extend(children(node).into_iter().rev());
        } else {
            parts.push(node);
        }
    }
    parts
}

/// The operands of a test: operators are left out.
fn operands(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = children(node);
    found.retain(|child| child.kind() != "test_operator");
    found
}

/// A word without its backslashes.
fn unescape_word(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        if ch == '\\' {
            out.extend(chars.next());
        } else {
            out.push(ch);
        }
    }
    out
}

/// A text in double quotes: a backslash escapes only what would be special there.
fn unescape_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(ch) = chars.next() {
        if ch == '\\' {
            match chars.next_if(|next| matches!(next, '"' | '$' | '`' | '\\' | '\n')) {
                Some('\n') => {}
                Some(next) => out.push(next),
                None => out.push('\\'),
            }
        } else {
            out.push(ch);
        }
    }
    out
}
