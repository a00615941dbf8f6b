//! Calls, with and without parentheses.

use ecow::{EcoString, eco_format};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Locals, Lowering};
use crate::ir::{Arg, Expr, ExprId, Import, Pattern, Span, Stmt, StmtKind};
use crate::lower::builder::{children, field, plain};

/// Methods that go through all elements of what they are called on.
const EACH: [&str; 14] = [
    "each",
    "each_char",
    "each_entry",
    "each_key",
    "each_line",
    "each_pair",
    "each_slice",
    "each_value",
    "each_with_index",
    "find_each",
    "find_in_batches",
    "in_batches",
    "reverse_each",
    "times",
];

/// Methods that give a constant text or list as it is.
const SAME: [&str; 11] = [
    "chomp",
    "dup",
    "freeze",
    "html_safe",
    "squish",
    "strip",
    "strip_heredoc",
    "to_a",
    "to_s",
    "to_sym",
    "to_str",
];

impl Lowering<'_> {
    /// A call that is a statement of its own kind: whether it is one.
    pub(super) fn statement_call(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) -> bool {
        if node.kind() == "identifier" {
            if self.b.text_of(node) != "raise" {
                return false;
            }
            out.push(self.b.stmt(node, StmtKind::Raise(None)));
            return true;
        }
        let Some(method) = field(node, "method") else {
            return false;
        };
        let name = self.b.text_of(method);
        if let Some(receiver) = field(node, "receiver") {
            return EACH.contains(&name) && self.each(node, receiver, name, out);
        }
        match name {
            "require" | "require_relative" | "load" | "autoload" => self.required(node, name, out),
            "raise" | "fail" => {
                let kind = self.raised(node);
                out.push(self.b.stmt(node, kind));
                true
            }
            "loop" => {
                let Some(block) = field(node, "block") else {
                    return false;
                };
                let body = self.block_body(block);
                let kind = StmtKind::Loop {
                    pattern: None,
                    subject: None,
                    body,
                };
                out.push(self.b.stmt(node, kind));
                true
            }
            _ => false,
        }
    }

    /// The statements of a block that is no function of its own.
    fn block_body(&mut self, block: Node<'_>) -> ThinVec<Stmt> {
        let mut body = ThinVec::new();
        self.locals.push(Locals {
            open: true,
            ..Locals::default()
        });
        if let Some(inner) = field(block, "body") {
            self.stmts(inner, &mut body);
        }
        self.close();
        body
    }

    /// Leaves a block, of which the method around has to know whether it hands on to its own.
    fn close(&mut self) {
        let locals = self.locals.pop().unwrap_or_default();
        if let Some(around) = self.locals.last_mut() {
            around.yields |= locals.yields;
        }
    }

    /// `list.each do |item| … end` is a loop.
    fn each(&mut self, node: Node<'_>, receiver: Node<'_>, name: &str, out: &mut ThinVec<Stmt>) -> bool {
        let Some(block) = field(node, "block") else {
            return false;
        };
        let subject = Some(self.expr(receiver));
        self.locals.push(Locals {
            open: true,
            ..Locals::default()
        });
        let mut bound: ThinVec<Pattern> = self
            .params(field(block, "parameters"))
            .into_iter()
            .map(|param| param.pattern)
            .collect();
        let mut body = ThinVec::new();
        let pattern = if bound.len() > 1 && !matches!(name, "each" | "each_pair") {
            let rest = bound.split_off(1);
            for other in rest {
                body.push(self.assigned(block, other, None));
            }
            bound.pop()
        } else if bound.len() > 1 {
            Some(Pattern::Tuple(bound))
        } else {
            bound.pop()
        };
        if let Some(inner) = field(block, "body") {
            self.stmts(inner, &mut body);
        }
        self.close();
        let pattern = pattern.or(Some(Pattern::Ignore));
        out.push(self.b.stmt(node, StmtKind::Loop { pattern, subject, body }));
        true
    }

    /// `require "openai"`, `require_relative "lib/llm"`.
    fn required(&mut self, node: Node<'_>, name: &str, out: &mut ThinVec<Stmt>) -> bool {
        let list = field(node, "arguments").map(children).unwrap_or_default();
        let Some(path) = list.last().filter(|path| path.kind() == "string") else {
            return false;
        };
        let path = self.b.text_of(*path).trim_matches(['"', '\'']);
        if path.is_empty() || path.contains(['#', '\\', '\n']) {
            return false;
        }
        let relative = name == "require_relative" || path.starts_with("./");
        let module: EcoString = if relative {
            eco_format!("./{}", path.trim_start_matches("./"))
        } else {
            path.into()
        };
        let span = self.b.span(node);
        let index = u32::try_from(self.b.module.imports.len()).unwrap_or(u32::MAX);
        self.b.module.imports.push(Import {
            module,
            bindings: ThinVec::new(),
            star: true,
            type_only: false,
            optional: false,
            span,
        });
        let kind = StmtKind::Import(index);
        out.push(Stmt { kind, span });
        true
    }

    /// A call without something that it is called on.
    pub(super) fn plain_call(&mut self, node: Node<'_>) -> ExprId {
        if node.kind() == "super" {
            return self.call_of_base(node, None);
        }
        let Some(method) = field(node, "method") else {
            return self.b.left_out(node);
        };
        let block = field(node, "block");
        match (self.b.text_of(method), block) {
            ("lambda" | "proc", Some(block)) => return self.lambda(node, block),
            ("raise" | "fail", _) => {
                let kind = self.raised(node);
                let body = thin_vec![self.b.stmt(node, kind)];
                return self.b.at(node, Expr::Block(body));
            }
            ("super", _) => return self.call_of_base(node, field(node, "arguments")),
            ("new", _) => {
                if let Some(class) = self.own_class(method) {
                    return self.called(node, class, true);
                }
            }
            _ => {}
        }
        let callee = match method.kind() {
            "constant" | "identifier" => self.b.name(method),
            _ => self.expr(method),
        };
        self.called(node, callee, false)
    }

    /// What the class that this one extends does under the same name.
    fn call_of_base(&mut self, node: Node<'_>, list: Option<Node<'_>>) -> ExprId {
        let base = self.b.at(node, Expr::Name("super".into()));
        let Some((name, names)) = self.methods.last().cloned() else {
            return base;
        };
        let callee = if &*name == "initialize" {
            base
        } else {
            self.b.at(node, Expr::Member { object: base, name })
        };
        if list.is_some() {
            return self.called(node, callee, false);
        }
        let args = names
            .into_iter()
            .map(|name| {
                let value = self.b.at(node, Expr::Name(name));
                plain(value)
            })
            .collect();
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    /// Puts what follows an operand around it.
    pub(super) fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        if node.kind() == "element_reference" {
            let object = field(node, "object");
            let keys: Vec<Node<'_>> = children(node)
                .into_iter()
                .filter(|part| Some(*part) != object)
                .collect();
            let key = if let [only] = keys.as_slice() {
                self.expr(*only)
            } else {
                let parts = keys.into_iter().map(|key| self.expr(key)).collect();
                self.b.at(node, Expr::Other(parts))
            };
            return self.b.at(node, Expr::Index { object: operand, key });
        }
        let Some(method) = field(node, "method") else {
            // `handler.(text)`
            return self.called(node, operand, false);
        };
        let name = self.b.text_of(method);
        let given = field(node, "arguments").map(children).unwrap_or_default();
        match name {
            "new" => {
                if let (Expr::Name(of), Some(block)) = (self.b.module.expr(operand), field(node, "block"))
                    && &**of == "Proc"
                {
                    return self.lambda(node, block);
                }
                if matches!(self.b.module.expr(operand), Expr::Name(own) if &**own == "self")
                    && let Some(class) = self.own_class(method)
                {
                    return self.called(node, class, true);
                }
                return self.called(node, operand, true);
            }
            "class" if matches!(self.b.module.expr(operand), Expr::Name(own) if &**own == "self") => return operand,
            "call" if matches!(self.b.module.expr(operand), Expr::Name(name) if name.starts_with(char::is_lowercase) && &**name != "self" && &**name != "super") =>
            {
                return self.called(node, operand, false);
            }
            name if SAME.contains(&name)
                && given.is_empty()
                && matches!(
                    self.b.module.expr(operand),
                    Expr::Str(_) | Expr::Template(_) | Expr::List(_) | Expr::Map(_)
                ) =>
            {
                return operand;
            }
            "send" | "public_send" | "__send__" | "try" | "try!" => {
                if let Some(symbol) = given.first().filter(|part| part.kind() == "simple_symbol") {
                    let name: EcoString = self.b.text_of(*symbol).trim_start_matches(':').into();
                    let callee = self.b.at(*symbol, Expr::Member { object: operand, name });
                    let made = self.called(node, callee, false);
                    if let Expr::Call { args, .. } = &mut self.b.module.exprs[made.0 as usize].kind {
                        args.remove(0);
                    }
                    return made;
                }
            }
            _ => {}
        }
        // The arguments of a call are no part of what is called.
        let (whole, last) = (self.b.span(node), self.b.span(method));
        let span = Span {
            end_line: last.end_line,
            end_column: last.end_column,
            ..whole
        };
        let name = name.into();
        let callee = self.b.expr(Expr::Member { object: operand, name }, span);
        self.called(node, callee, false)
    }

    /// A call with its arguments and its block.
    fn called(&mut self, node: Node<'_>, callee: ExprId, new: bool) -> ExprId {
        let list = field(node, "arguments");
        let mut args = list.map(|list| self.args(list)).unwrap_or_default();
        if let Some(block) = field(node, "block") {
            let value = self.lambda(block, block);
            args.push(Arg {
                name: Some("block".into()),
                value,
                spread: false,
            });
        }
        self.b.at(node, Expr::Call { callee, args, new })
    }

    pub(super) fn args(&mut self, list: Node<'_>) -> ThinVec<Arg> {
        let mut args = ThinVec::new();
        let mut keyed: Vec<Node<'_>> = Vec::new();
        for part in children(list) {
            match part.kind() {
                "pair" => {
                    let Some(key) = field(part, "key") else { continue };
                    match key.kind() {
                        "hash_key_symbol" | "simple_symbol" => {
                            let name: EcoString = self.b.text_of(key).trim_matches(':').into();
                            let value = self.value_of(part, key);
                            args.push(Arg {
                                name: Some(name),
                                value,
                                spread: false,
                            });
                        }
                        _ => keyed.push(part),
                    }
                }
                "block_argument" => {
                    let Some(inner) = children(part).into_iter().next() else {
                        continue;
                    };
                    let value = self.expr(inner);
                    args.push(Arg {
                        name: Some("block".into()),
                        value,
                        spread: false,
                    });
                }
                "splat_argument" | "hash_splat_argument" => {
                    let value = self.expr(part);
                    args.push(Arg {
                        name: None,
                        value,
                        spread: true,
                    });
                }
                "forward_argument" | "block" | "do_block" | "heredoc_body" => {}
                _ => {
                    let value = self.expr(part);
                    args.push(plain(value));
                }
            }
        }
        if let Some(first) = keyed.first().copied() {
            let entries = self.pairs(&keyed);
            let value = self.b.at(first, Expr::Map(entries));
            args.push(plain(value));
        }
        args
    }
}
