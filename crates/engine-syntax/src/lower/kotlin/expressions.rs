//! Expressions.

use ecow::EcoString;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Lowering, if_parts, is_type, left_of};
use crate::ir::{Arg, Expr, ExprId, Param, Pattern, Stmt, StmtKind, TypeRef};
use crate::lower::builder::{Builder, Unknown, children, field, has_token, named_type, plain, unescape};
use crate::lower::names::path;
use crate::lower::spine::FromTheLeft;

/// Functions by which a container (Koin, Kodein) hands out what their type argument names, where they are given nothing else.
const ASKS_A_CONTAINER: [&str; 6] = [
    "get",
    "inject",
    "koinInject",
    "koinViewModel",
    "instance",
    "getKoinInstance",
];

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
            "identifier" => {
                let name = self.text(node);
                let kind = match &*name {
                    "true" => Expr::Bool(true),
                    "false" => Expr::Bool(false),
                    "null" => Expr::Null,
                    _ => Expr::Name(name),
                };
                self.b.at(node, kind)
            }
            "this_expression" => self.b.at(node, Expr::Name("this".into())),
            "super_expression" => self.b.at(node, Expr::Name("super".into())),
            "user_type" | "nullable_type" => {
                let name = self.type_ref(node).name;
                path(&mut self.b, node, &name, ".")
            }
            "string_literal" | "multiline_string_literal" => self.string(node),
            "character_literal" => {
                let text = self.b.text_of(node).trim_matches('\'');
                let text = unescape(text, Unknown::Dropped).into();
                self.b.at(node, Expr::Str(text))
            }
            "number_literal" | "float_literal" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "collection_literal" => {
                let items = children(node).into_iter().map(|item| self.expr(item)).collect();
                self.b.at(node, Expr::List(items))
            }
            "lambda_literal" => self.lambda(node),
            "annotated_lambda" => match children(node).into_iter().rfind(|part| part.kind() == "lambda_literal") {
                Some(lambda) => self.lambda(lambda),
                None => self.b.left_out(node),
            },
            "anonymous_function" => {
                let id = self.function(node, None);
                let function = self.b.function_mut(id);
                function.exported = false;
                function.receiver = None;
                self.b.at(node, Expr::Function(id))
            }
            "object_literal" => self.object_literal(node),
            "callable_reference" => self.reference(node),
            "if_expression" => self.if_expression(node),
            "when_expression" => {
                let body = self.when(node);
                self.b.at(node, Expr::Block(body))
            }
            "try_expression" => {
                let kind = self.try_kind(node);
                let body = thin_vec![self.b.stmt(node, kind)];
                self.b.at(node, Expr::Block(body))
            }
            "return_expression"
            | "throw_expression"
            | "continue_expression"
            | "break_expression"
            | "assignment"
            | "block"
            | "for_statement"
            | "while_statement"
            | "do_while_statement" => {
                let mut body = ThinVec::new();
                self.stmt(node, &mut body);
                self.b.at(node, Expr::Block(body))
            }
            "label" | "modifiers" | "annotation" | "type_arguments" => self.b.left_out(node),
            _ => self.parts(node),
        }
    }

    /// Keeps the parts of what is not understood.
    pub(super) fn parts(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            if part.kind().ends_with("_declaration") {
                let mut body = ThinVec::new();
                self.stmt(part, &mut body);
                kept.push(self.b.at(part, Expr::Block(body)));
            } else {
                kept.push(self.expr(part));
            }
        }
        self.b.at(node, Expr::Other(kept.into()))
    }

    /// Puts what follows an operand around it.
    pub(super) fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.kind() {
            "navigation_expression" => {
                let name = match children(node).get(1..).and_then(<[_]>::last) {
                    Some(name) => self.text(*name),
                    None => "class".into(),
                };
                self.b.at(node, Expr::Member { object: operand, name })
            }
            "call_expression" => self.call(node, operand),
            "index_expression" => {
                let mut keys = ThinVec::new();
                for key in children(node).into_iter().skip(1) {
                    keys.push(self.expr(key));
                }
                let key = if let [key] = keys[..] {
                    key
                } else {
                    self.b.at(node, Expr::List(keys))
                };
                self.b.at(node, Expr::Index { object: operand, key })
            }
            "infix_expression" => {
                let parts = children(node);
                let (Some(name), Some(right)) = (parts.get(1), parts.get(2)) else {
                    return operand;
                };
                let name = self.text(*name);
                let callee = self.b.at(node, Expr::Member { object: operand, name });
                let args = thin_vec![plain(self.expr(*right))];
                self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: false,
                    },
                )
            }
            "in_expression" => {
                let right = self.expr_in(node, "right");
                self.b.at(node, Expr::Test(thin_vec![operand, right]))
            }
            "is_expression" => self.b.at(node, Expr::Test(thin_vec![operand])),
            "as_expression" => {
                let to = field(node, "right").map_or_else(|| named_type(""), |of| self.type_ref(of));
                self.b.at(
                    node,
                    Expr::Cast {
                        value: operand,
                        to: to.into(),
                    },
                )
            }
            "unary_expression" => match field(node, "operator").map_or("", |operator| operator.kind()) {
                "!" => self.b.at(node, Expr::Test(thin_vec![operand])),
                "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                    let text = self.text(node);
                    self.b.at(node, Expr::Number(text))
                }
                "-" => self.b.at(node, Expr::Other(thin_vec![operand])),
                _ => operand,
            },
            _ => operand,
        }
    }

    pub(super) fn call(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        let mut args = ThinVec::new();
        let parts = children(node);
        if let [inner, lambda] = parts.as_slice()
            && lambda.kind() == "annotated_lambda"
            && inner.kind() == "call_expression"
            && children(*inner)
                .last()
                .is_some_and(|last| last.kind() == "value_arguments")
        {
            // The grammar reads `f(x) { … }` as a call of `f(x)`; the braces are its last argument.
            let last = plain(self.expr(*lambda));
            let span = self.b.span(node);
            let entry = &mut self.b.module.exprs[callee.0 as usize];
            if let Expr::Call { args, .. } = &mut entry.kind {
                args.push(last);
                entry.place = span.into();
                return callee;
            }
        }
        let mut asked = None;
        for part in parts.into_iter().skip(1) {
            match part.kind() {
                "value_arguments" => args.append(&mut self.args(part)),
                "annotated_lambda" | "lambda_literal" => args.push(plain(self.expr(part))),
                "type_arguments" => asked = self.asked_for(callee, part),
                _ => {}
            }
        }
        let is_bare = args.is_empty();
        let call = self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        );
        match asked.filter(|_| is_bare) {
            Some(to) => self.b.at(
                node,
                Expr::Cast {
                    value: call,
                    to: to.into(),
                },
            ),
            None => call,
        }
    }

    /// The type that a container is asked for: `koin.get<Buyer>()`, `by inject<Buyer>()`.
    fn asked_for(&mut self, callee: ExprId, list: Node<'_>) -> Option<TypeRef> {
        let (Expr::Name(name) | Expr::Member { name, .. }) = self.b.module.expr(callee) else {
            return None;
        };
        if !ASKS_A_CONTAINER.contains(&&**name) {
            return None;
        }
        let [only] = children(list)[..] else { return None };
        Some(self.type_ref(only))
    }

    pub(super) fn args(&mut self, list: Node<'_>) -> ThinVec<Arg> {
        let items = children(list);
        let mut args = Vec::with_capacity(items.len());
        for item in items {
            if item.kind() != "value_argument" {
                args.push(plain(self.expr(item)));
                continue;
            }
            let parts = children(item);
            let Some(value) = parts.last() else {
                continue;
            };
            let name = parts
                .first()
                .filter(|_| parts.len() > 1 && has_token(item, "="))
                .map(|name| self.text(*name));
            let spread = has_token(item, "*") || value.kind() == "spread_expression";
            let value = self.expr(*value);
            args.push(Arg { name, value, spread });
        }
        args.into()
    }

    pub(super) fn string(&mut self, node: Node<'_>) -> ExprId {
        let raw = node.kind() == "multiline_string_literal";
        let mut kept: ThinVec<ExprId> = ThinVec::new();
        let mut pending = String::new();
        for part in children(node) {
            match part.kind() {
                "string_content" => self.string_content(part, raw, &mut pending, &mut kept),
                "escape_sequence" => pending.push_str(self.b.text_of(part)),
                _ => {
                    self.flush(node, raw, &mut pending, &mut kept);
                    let inner = if part.kind() == "interpolation" {
                        children(part).into_iter().next()
                    } else {
                        Some(part)
                    };
                    kept.extend(inner.map(|inner| self.expr(inner)));
                }
            }
        }
        if kept.is_empty() {
            let text = if raw {
                pending
            } else {
                unescape(&pending, Unknown::Dropped)
            };
            return self.b.at(node, Expr::Str(text.into()));
        }
        self.flush(node, raw, &mut pending, &mut kept);
        self.b.template(node, kept)
    }

    /// Text between quotes; the grammar leaves `$name` in it.
    pub(super) fn string_content(
        &mut self,
        node: Node<'_>,
        raw: bool,
        pending: &mut String,
        kept: &mut ThinVec<ExprId>,
    ) {
        let mut text = self.b.text_of(node);
        loop {
            let starts_name = text.starts_with(|ch: char| ch.is_alphabetic() || ch == '_');
            if starts_name && pending.ends_with('$') && (raw || !pending.ends_with("\\$")) {
                let end = text
                    .find(|ch: char| !ch.is_alphanumeric() && ch != '_')
                    .unwrap_or(text.len());
                pending.pop();
                self.flush(node, raw, pending, kept);
                let name = text[..end].into();
                kept.push(self.b.at(node, Expr::Name(name)));
                text = &text[end..];
            }
            let Some(at) = text.find('$') else {
                pending.push_str(text);
                return;
            };
            pending.push_str(&text[..=at]);
            text = &text[at + 1..];
        }
    }

    /// Adds the text so far as a part.
    pub(super) fn flush(&mut self, node: Node<'_>, raw: bool, pending: &mut String, kept: &mut ThinVec<ExprId>) {
        if pending.is_empty() {
            return;
        }
        let text = std::mem::take(pending);
        let text = if raw { text } else { unescape(&text, Unknown::Dropped) };
        kept.push(self.b.at(node, Expr::Str(text.into())));
    }

    pub(super) fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let mut params = ThinVec::new();
        let mut body = ThinVec::new();
        let mut declared = false;
        for part in children(node) {
            if part.kind() == "lambda_parameters" {
                declared = true;
                for param in children(part) {
                    let (pattern, annotation) = self.variable(param);
                    params.push(Param {
                        pattern,
                        annotation,
                        default: None,
                        decorators: ThinVec::new(),
                        rest: false,
                    });
                }
            } else {
                self.stmt(part, &mut body);
            }
        }
        if !declared && self.b.text_of(node).contains("it") {
            let pattern = Pattern::Name("it".into());
            params.push(Param {
                pattern,
                annotation: None,
                default: None,
                decorators: ThinVec::new(),
                rest: false,
            });
        }
        if let Some(last) = body.last_mut() {
            match &last.kind {
                StmtKind::Expr(value) => last.kind = StmtKind::Return(Some(*value)),
                StmtKind::If { .. } | StmtKind::Match { .. } | StmtKind::Try { .. } => {
                    // The branches give the lambda its value.
                    let span = last.span;
                    let kind = std::mem::replace(&mut last.kind, StmtKind::Return(None));
                    let value = self.b.expr(Expr::Block(thin_vec![Stmt { kind, span }]), span);
                    last.kind = StmtKind::Return(Some(value));
                }
                _ => {}
            }
        }
        let function = self.b.function_mut(id);
        function.params = params;
        function.body = body;
        self.b.at(node, Expr::Function(id))
    }

    pub(super) fn object_literal(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_class(span);
        let mut nested = ThinVec::new();
        self.class_parts(node, id, &mut nested);
        let class = self.b.at(node, Expr::Class(id));
        if nested.is_empty() {
            return class;
        }
        nested.push(Stmt {
            kind: StmtKind::Expr(class),
            span,
        });
        self.b.expr(Expr::Block(nested), span)
    }

    /// `Foo::bar`, `::bar`, `Foo::class`.
    pub(super) fn reference(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let of = parts
            .iter()
            .find(|part| is_type(**part))
            .map(|of| self.type_ref(*of).name);
        let name: EcoString = match parts.iter().rfind(|part| part.kind() == "identifier") {
            Some(name) => self.text(*name),
            None => "class".into(),
        };
        match of {
            Some(of) => {
                let object = path(&mut self.b, node, &of, ".");
                self.b.at(node, Expr::Member { object, name })
            }
            None => self.b.at(node, Expr::Name(name)),
        }
    }

    /// An `if` for its value: a choice when both sides are plain values, else a block.
    pub(super) fn if_expression(&mut self, node: Node<'_>) -> ExprId {
        let plain_value = |part: Node<'_>| {
            !matches!(
                part.kind(),
                "block" | "assignment" | "if_expression" | "return_expression" | "throw_expression"
            )
        };
        if let (Some(then), Some(otherwise)) = if_parts(node)
            && plain_value(then)
            && plain_value(otherwise)
        {
            let condition = self.expr_in(node, "condition");
            let condition = Some(self.b.as_condition(condition));
            let values = thin_vec![self.expr(then), self.expr(otherwise)];
            return self.b.at(node, Expr::Choice { condition, values });
        }
        let mut body = ThinVec::new();
        self.if_statement(node, &mut body);
        self.b.at(node, Expr::Block(body))
    }
}
