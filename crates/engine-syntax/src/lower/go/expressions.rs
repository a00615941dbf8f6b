//! Expressions.

use ecow::EcoString;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Lowering, is_builtin_type, is_type, left_of, pointer_conversion};
use crate::ir::{Arg, Expr, ExprId, MapEntry};
use crate::lower::builder::{Builder, children, field, named_type, plain};
use crate::lower::operators::{Chain, combine};
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

    fn joined(&mut self, node: Node<'_>, left: ExprId, chain: &mut Chain) -> ExprId {
        self.binary(node, left, chain)
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
            "identifier" | "field_identifier" | "type_identifier" | "package_identifier" | "iota" => self.b.name(node),
            "interpreted_string_literal" | "raw_string_literal" | "rune_literal" => {
                let text = self.literal(node).into();
                self.b.at(node, Expr::Str(text))
            }
            "int_literal" | "float_literal" | "imaginary_literal" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "nil" => self.b.at(node, Expr::Null),
            "true" => self.b.at(node, Expr::Bool(true)),
            "false" => self.b.at(node, Expr::Bool(false)),
            "func_literal" => {
                let id = self.function(node);
                self.b.at(node, Expr::Function(id))
            }
            "composite_literal" => self.composite(node),
            "type_conversion_expression" => self.conversion(node),
            "type_instantiation_expression" | "generic_type" => match field(node, "type") {
                Some(of) => self.expr(of),
                None => self.b.left_out(node),
            },
            "qualified_type" => self.type_path(node),
            "literal_element" | "pointer_type" | "parenthesized_type" | "expression_list" => self.list_or_only(node),
            "literal_value" => self.literal_value(node, None),
            "struct_type" | "interface_type" | "map_type" | "slice_type" | "array_type" | "channel_type"
            | "function_type" => self.b.left_out(node),
            _ => self.parts(node),
        }
    }

    pub(super) fn list_or_only(&mut self, node: Node<'_>) -> ExprId {
        let items = children(node);
        if let [only] = items.as_slice() {
            return self.expr(*only);
        }
        let values = items.into_iter().map(|item| self.expr(item)).collect();
        self.b.at(node, Expr::List(values))
    }

    /// Keeps the parts of what is not understood.
    pub(super) fn parts(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            if part.kind().contains("statement") || part.kind().contains("declaration") || part.kind() == "block" {
                let mut body = ThinVec::new();
                self.stmt(part, &mut body);
                values.push(self.b.at(part, Expr::Block(body)));
            } else {
                values.push(self.expr(part));
            }
        }
        self.b.at(node, Expr::Other(values.into()))
    }

    pub(super) fn type_path(&mut self, node: Node<'_>) -> ExprId {
        let (Some(package), Some(name)) = (field(node, "package"), field(node, "name")) else {
            return self.b.name(node);
        };
        let object = self.b.name(package);
        let name = self.text(name);
        self.b.at(node, Expr::Member { object, name })
    }

    pub(super) fn conversion(&mut self, node: Node<'_>) -> ExprId {
        let value = match field(node, "operand") {
            Some(operand) => self.expr(operand),
            None => self.b.left_out(node),
        };
        let to = field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of));
        self.b.at(node, Expr::Cast { value, to: to.into() })
    }

    pub(super) fn binary(&mut self, node: Node<'_>, left: ExprId, chain: &mut Chain) -> ExprId {
        let right = match field(node, "right") {
            Some(right) => self.expr(right),
            None => self.b.left_out(node),
        };
        let operator = field(node, "operator").map_or("", |operator| self.b.text_of(operator));
        combine(&mut self.b, node, operator, left, right, chain)
    }

    /// Puts what follows an operand around it.
    pub(super) fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.kind() {
            "selector_expression" => {
                let name = field(node, "field").map(|name| self.text(name)).unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            "index_expression" => {
                let key = match field(node, "index") {
                    Some(index) => self.expr(index),
                    None => self.b.left_out(node),
                };
                self.b.at(node, Expr::Index { object: operand, key })
            }
            "slice_expression" => {
                let mut parts = thin_vec![operand];
                for name in ["start", "end", "capacity"] {
                    if let Some(part) = field(node, name) {
                        parts.push(self.expr(part));
                    }
                }
                self.b.at(node, Expr::Other(parts))
            }
            "type_assertion_expression" => {
                let to = field(node, "type").map_or_else(|| named_type(""), |of| self.type_ref(of));
                self.b.at(
                    node,
                    Expr::Cast {
                        value: operand,
                        to: to.into(),
                    },
                )
            }
            "unary_expression" => self.unary(node, operand),
            "call_expression" => self.call(node, operand),
            _ => operand,
        }
    }

    pub(super) fn unary(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match field(node, "operator").map_or("", |operator| self.b.text_of(operator)) {
            // A pointer is followed like the value that it points to.
            "&" | "*" | "+" => operand,
            "!" => self.b.at(node, Expr::Test(thin_vec![operand])),
            "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            _ => self.b.at(node, Expr::Other(thin_vec![operand])),
        }
    }

    pub(super) fn call(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        let list = field(node, "arguments").map(children).unwrap_or_default();
        let function = field(node, "function").filter(|function| function.kind() == "identifier");
        match (
            function.map_or("", |function| self.b.text_of(function)),
            list.as_slice(),
        ) {
            ("new", [of]) if is_type(of.kind()) => {
                let callee = self.expr(*of);
                return self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args: ThinVec::new(),
                        new: true,
                    },
                );
            }
            ("make", [of, ..]) if of.kind() == "map_type" => return self.b.at(node, Expr::Map(ThinVec::new())),
            ("make", [of, ..]) if of.kind() == "slice_type" => return self.b.at(node, Expr::List(ThinVec::new())),
            ("make", [of, rest @ ..]) if of.kind() == "channel_type" => {
                let parts = rest.iter().map(|part| self.expr(*part)).collect();
                return self.b.at(node, Expr::Other(parts));
            }
            (name, [value]) if is_builtin_type(name) && value.kind() != "variadic_argument" => {
                let to = named_type(name);
                let value = self.expr(*value);
                return self.b.at(node, Expr::Cast { value, to: to.into() });
            }
            _ => {}
        }
        if let [value] = list.as_slice()
            && let Some(to) = pointer_conversion(node)
        {
            let to = self.type_ref(to);
            let value = self.expr(*value);
            return self.b.at(node, Expr::Cast { value, to: to.into() });
        }
        let mut args = Vec::with_capacity(list.len());
        for argument in list {
            if argument.kind() == "variadic_argument" {
                if let Some(inner) = argument.named_child(0) {
                    let value = self.expr(inner);
                    args.push(Arg {
                        name: None,
                        value,
                        spread: true,
                    });
                }
            } else {
                args.push(plain(self.expr(argument)));
            }
        }
        self.b.at(
            node,
            Expr::Call {
                callee,
                args: args.into(),
                new: false,
            },
        )
    }

    pub(super) fn composite(&mut self, node: Node<'_>) -> ExprId {
        let Some(body) = field(node, "body") else {
            return self.b.left_out(node);
        };
        self.literal_of(node, body, field(node, "type"))
    }

    /// Lowers the braces of a literal for a type, which the elements of a list or map inherit.
    pub(super) fn literal_of(&mut self, node: Node<'_>, body: Node<'_>, of: Option<Node<'_>>) -> ExprId {
        let mut of = of;
        while let Some(inner) = of.filter(|of| matches!(of.kind(), "pointer_type" | "parenthesized_type")) {
            of = inner.named_child(0);
        }
        if !self.b.enter() {
            return self.b.left_out(node);
        }
        let result = match of.map_or("", |of| of.kind()) {
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                let element = of.and_then(|of| field(of, "element"));
                let items = children(body);
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    let value = field(item, "value").unwrap_or(item);
                    values.push(self.element(value, element));
                }
                self.b.at(node, Expr::List(values.into()))
            }
            "map_type" => {
                let key_type = of.and_then(|of| field(of, "key"));
                let value_type = of.and_then(|of| field(of, "value"));
                let mut entries = ThinVec::new();
                for item in children(body) {
                    let key = field(item, "key").map(|key| self.element(key, key_type));
                    let value = self.element(field(item, "value").unwrap_or(item), value_type);
                    entries.push(MapEntry { key, value });
                }
                self.b.at(node, Expr::Map(entries))
            }
            "type_identifier" | "qualified_type" | "generic_type" => {
                let callee = match of {
                    Some(of) => self.expr(of),
                    None => self.b.left_out(node),
                };
                let args = self.struct_args(body);
                self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: true,
                    },
                )
            }
            _ => self.literal_value(body, Some(node)),
        };
        self.b.leave();
        result
    }

    /// A literal without a named type: a map of its fields, or a list.
    pub(super) fn literal_value(&mut self, body: Node<'_>, whole: Option<Node<'_>>) -> ExprId {
        let node = whole.unwrap_or(body);
        let args = self.struct_args(body);
        if args.iter().any(|arg| arg.name.is_some()) {
            let mut entries = Vec::with_capacity(args.len());
            for arg in args {
                let key = arg.name.map(|name| {
                    let span = self.b.module.span(arg.value);
                    self.b.expr(Expr::Str(name), span)
                });
                entries.push(MapEntry { key, value: arg.value });
            }
            return self.b.at(node, Expr::Map(entries.into()));
        }
        self.b
            .at(node, Expr::List(args.into_iter().map(|arg| arg.value).collect()))
    }

    pub(super) fn struct_args(&mut self, body: Node<'_>) -> ThinVec<Arg> {
        let items = children(body);
        let mut args = Vec::with_capacity(items.len());
        for item in items {
            let name = field(item, "key").and_then(|key| self.field_name(key));
            let value = self.element(field(item, "value").unwrap_or(item), None);
            args.push(Arg {
                name,
                value,
                spread: false,
            });
        }
        args.into()
    }

    /// The name that a key spells: a field, or a constant of a type that is a map (`gin.H{"error": err}`).
    pub(super) fn field_name(&self, key: Node<'_>) -> Option<EcoString> {
        let key = if key.kind() == "literal_element" {
            key.named_child(0)?
        } else {
            key
        };
        match key.kind() {
            "identifier" | "field_identifier" => Some(self.text(key)),
            "interpreted_string_literal" | "raw_string_literal" => Some(self.literal(key).into()),
            _ => None,
        }
    }

    /// A member of a literal, of the inherited type when it is only braces.
    pub(super) fn element(&mut self, node: Node<'_>, of: Option<Node<'_>>) -> ExprId {
        let inner = if node.kind() == "literal_element" {
            node.named_child(0).unwrap_or(node)
        } else {
            node
        };
        if inner.kind() == "literal_value" {
            return self.literal_of(inner, inner, of);
        }
        self.expr(inner)
    }
}
