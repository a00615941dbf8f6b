//! Expressions.

use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Lowering, is_value, left_of, only};
use crate::ir::{Arg, Expr, ExprId, Pattern, StmtKind};
use crate::lower::builder::{Builder, Unknown, children, field, has_token, named_type, plain, unescape};
use crate::lower::operators::{Chain, combine, effect};
use crate::lower::spine::FromTheLeft;

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
    pub(super) fn expr(&mut self, node: Node<'_>) -> ExprId {
        self.lowered_from_the_left(node)
    }

    pub(super) fn atom(&mut self, node: Node<'_>) -> ExprId {
        if node.is_missing() {
            return self.b.left_out(node);
        }
        match node.kind() {
            "identifier" | "self" | "super" | "crate" | "type_identifier" | "field_identifier" | "primitive_type"
            | "metavariable" => {
                let name = self.text(node);
                self.b.at(node, Expr::Name(name))
            }
            "scoped_identifier" | "scoped_type_identifier" | "generic_type" | "generic_type_with_turbofish" => {
                self.path_of(node)
            }
            "string_literal" | "raw_string_literal" | "char_literal" => {
                let text = self.literal(node).into();
                self.b.at(node, Expr::Str(text))
            }
            "boolean_literal" => {
                let value = self.b.text_of(node) == "true";
                self.b.at(node, Expr::Bool(value))
            }
            "integer_literal" | "float_literal" | "negative_literal" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "struct_expression" => self.struct_expression(node),
            "array_expression" | "tuple_expression" | "unit_expression" => self.list(node),
            "closure_expression" => self.closure(node),
            "macro_invocation" => self.macro_expression(node),
            "assignment_expression" | "compound_assignment_expr" => self.assignment(node),
            "let_condition" => self.let_condition(node),
            "let_chain" => self.condition(Some(node), node),
            "if_expression" => self.if_expression(node),
            "block" => {
                let body = self.block(Some(node));
                self.b.at(node, Expr::Block(body))
            }
            "unsafe_block" | "async_block" | "try_block" | "gen_block" | "const_block" => {
                let block = children(node).into_iter().rfind(|part| part.kind() == "block");
                let body = self.block(block);
                self.b.at(node, Expr::Block(body))
            }
            "match_expression" => {
                let kind = self.match_kind(node);
                let body = thin_vec![self.b.stmt(node, kind)];
                self.b.at(node, Expr::Block(body))
            }
            "while_expression"
            | "loop_expression"
            | "for_expression"
            | "return_expression"
            | "break_expression"
            | "yield_expression"
            | "continue_expression" => {
                let mut body = ThinVec::new();
                self.stmt(node, &[], &mut body);
                self.b.at(node, Expr::Block(body))
            }
            "label" | "lifetime" | "attribute_item" => self.b.left_out(node),
            _ => self.parts(node),
        }
    }

    /// Keeps the parts of what is not understood.
    pub(super) fn parts(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            if is_value(part) {
                kept.push(self.expr(part));
            } else {
                let mut body = ThinVec::new();
                self.stmt(part, &[], &mut body);
                kept.push(self.b.at(part, Expr::Block(body)));
            }
        }
        self.b.at(node, Expr::Other(kept.into()))
    }

    pub(super) fn literal(&self, node: Node<'_>) -> String {
        let text = self.b.text_of(node).trim_start_matches(['b', 'c']);
        if node.kind() == "raw_string_literal" {
            let text = text.strip_prefix('r').unwrap_or(text).trim_matches('#');
            let text = text.strip_prefix('"').unwrap_or(text);
            return text.strip_suffix('"').unwrap_or(text).to_owned();
        }
        let quote = if node.kind() == "char_literal" { '\'' } else { '"' };
        let inner = text.strip_prefix(quote).unwrap_or(text);
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        if !inner.contains("\\\n") && !inner.contains("\\\r\n") {
            return unescape(inner, Unknown::Dropped);
        }
        // A backslash at the end of a line swallows the indentation of the next one, unless it is itself escaped.
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner;
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if rest.starts_with(['\n', '\r']) {
                rest = rest.trim_start();
            } else {
                out.push('\\');
                let escaped = rest.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..escaped]);
                rest = &rest[escaped..];
            }
        }
        out.push_str(rest);
        unescape(&out, Unknown::Dropped)
    }

    pub(super) fn list(&mut self, node: Node<'_>) -> ExprId {
        let length = field(node, "length");
        let items = children(node)
            .into_iter()
            .filter(|item| item.kind() != "attribute_item" && Some(*item) != length);
        let items = items.map(|item| self.expr(item)).collect();
        self.b.at(node, Expr::List(items))
    }

    /// Puts what follows an operand around it.
    pub(super) fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.kind() {
            "call_expression" => {
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
            "field_expression" => {
                let name = self.field_text(node, "field").unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            "index_expression" => {
                let key = match children(node).get(1) {
                    Some(key) => self.expr(*key),
                    None => self.b.left_out(node),
                };
                self.b.at(node, Expr::Index { object: operand, key })
            }
            "try_expression" => self.b.at(node, Expr::Propagate(operand)),
            "await_expression" => self.b.at(node, Expr::Await(operand)),
            "type_cast_expression" => {
                let to = field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of));
                self.b.at(
                    node,
                    Expr::Cast {
                        value: operand,
                        to: to.into(),
                    },
                )
            }
            "unary_expression" => match node.child(0).map_or("", |operator| operator.kind()) {
                "!" => self.b.at(node, Expr::Test(thin_vec![operand])),
                "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                    let text = self.text(node);
                    self.b.at(node, Expr::Number(text))
                }
                "-" => self.b.at(node, Expr::Other(thin_vec![operand])),
                _ => operand,
            },
            // References, parentheses and type arguments say nothing about the value.
            _ => operand,
        }
    }

    pub(super) fn args(&mut self, list: Node<'_>) -> ThinVec<Arg> {
        let items = children(list);
        let mut args = Vec::with_capacity(items.len());
        for item in items.into_iter().filter(|item| item.kind() != "attribute_item") {
            args.push(plain(self.expr(item)));
        }
        args.into()
    }

    pub(super) fn struct_expression(&mut self, node: Node<'_>) -> ExprId {
        let callee = match field(node, "name") {
            Some(name) => self.path_of(name),
            None => self.b.left_out(node),
        };
        let mut args = ThinVec::new();
        for part in field(node, "body").map(children).unwrap_or_default() {
            let inner = children(part).into_iter().rfind(|part| part.kind() != "attribute_item");
            let Some(inner) = inner else {
                continue;
            };
            let name = match part.kind() {
                "shorthand_field_initializer" => Some(self.text(inner)),
                "field_initializer" => self.field_text(part, "field"),
                _ => None,
            };
            let value = self.expr(inner);
            args.push(Arg {
                name,
                value,
                spread: part.kind() == "base_field_initializer",
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

    pub(super) fn closure(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let (params, _) = self.params(field(node, "parameters"));
        let returns = field(node, "return_type").map(|of| self.type_ref(of));
        let mut is_async = has_token(node, "async");
        let mut inner = field(node, "body");
        if let Some(block) = inner.filter(|inner| inner.kind() == "async_block") {
            is_async = true;
            inner = children(block).into_iter().rfind(|part| part.kind() == "block");
        }
        let body = match inner {
            Some(block) if block.kind() == "block" => self.block(Some(block)),
            Some(value) => {
                let result = self.expr(value);
                let kind = match effect(&mut self.b, result) {
                    StmtKind::Expr(result) => StmtKind::Return(Some(result)),
                    assignment => assignment,
                };
                thin_vec![self.b.stmt(value, kind)]
            }
            None => ThinVec::new(),
        };
        let function = self.b.function_mut(id);
        function.params = params;
        function.returns = returns;
        function.is_async = is_async;
        function.body = body;
        self.b.at(node, Expr::Function(id))
    }

    pub(super) fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let mut value = self.expr_in(node, "right");
        if let Some(operator) = field(node, "operator") {
            let before = self.expr_in(node, "left");
            let operator = operator.kind().trim_end_matches('=');
            value = combine(&mut self.b, node, operator, before, value, &mut Chain::default());
        }
        let target = match field(node, "left") {
            Some(left) if left.kind() == "tuple_expression" => {
                let mut parts = ThinVec::new();
                for part in children(left) {
                    let place = self.expr(part);
                    parts.push(self.b.place(place));
                }
                Pattern::Tuple(parts)
            }
            Some(left) if self.b.text_of(left) != "_" => {
                let place = self.expr(left);
                self.b.place(place)
            }
            _ => Pattern::Ignore,
        };
        self.b.at(
            node,
            Expr::Assign {
                target: Box::new(target),
                value,
            },
        )
    }

    /// An `if` for its value: a choice when both sides are plain values, else a block.
    pub(super) fn if_expression(&mut self, node: Node<'_>) -> ExprId {
        let otherwise = field(node, "alternative").and_then(|clause| children(clause).into_iter().next());
        if let (Some(then), Some(otherwise)) = (only(field(node, "consequence")), only(otherwise)) {
            let condition = Some(self.condition(field(node, "condition"), node));
            let values = thin_vec![self.expr(then), self.expr(otherwise)];
            return self.b.at(node, Expr::Choice { condition, values });
        }
        let mut body = ThinVec::new();
        self.if_statement(node, &mut body);
        self.b.at(node, Expr::Block(body))
    }
}
