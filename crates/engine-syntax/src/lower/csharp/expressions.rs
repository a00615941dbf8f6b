//! Expressions.

use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Lowering, left_of, values};
use crate::ir::{Arg, Expr, ExprId, MapEntry, Param, Pattern, StmtKind, TypeRef};
use crate::lower::builder::{Builder, Unknown, all_children, children, field, named_type, plain, unescape};
use crate::lower::names::{path, text_block, without_arguments};
use crate::lower::operators::{Chain, combine};
use crate::lower::spine::FromTheLeft;

/// Methods by which a container hands out what its type argument names.
const ASKS_A_CONTAINER: [&str; 7] = [
    "GetRequiredService",
    "GetService",
    "GetRequiredKeyedService",
    "GetKeyedService",
    "CreateInstance",
    "GetInstance",
    "Resolve",
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
            "identifier" | "generic_name" | "this" | "base" | "predefined_type" | "implicit_parameter" => {
                let name = self.simple_name(node);
                self.b.at(node, Expr::Name(name))
            }
            "qualified_name" | "alias_qualified_name" => {
                let text = without_arguments(self.b.text_of(node)).replace("::", ".");
                path(&mut self.b, node, &text, ".")
            }
            "literal"
            | "constant_pattern"
            | "expression_element"
            | "spread_element"
            | "collection_element"
            | "argument"
            | "arrow_expression_clause" => self.last_value(node),
            "string_literal" | "verbatim_string_literal" | "raw_string_literal" | "character_literal" => {
                self.string(node)
            }
            "interpolated_string_expression" => self.interpolated(node),
            "boolean_literal" => {
                let value = self.b.text_of(node) == "true";
                self.b.at(node, Expr::Bool(value))
            }
            "null_literal" | "default_expression" => self.b.at(node, Expr::Null),
            "integer_literal" | "real_literal" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "object_creation_expression" | "implicit_object_creation_expression" => self.creation(node),
            "array_creation_expression"
            | "implicit_array_creation_expression"
            | "stackalloc_expression"
            | "implicit_stackalloc_expression" => {
                match children(node)
                    .into_iter()
                    .find(|part| part.kind() == "initializer_expression")
                {
                    Some(list) => self.list(list),
                    None => self.b.at(node, Expr::List(ThinVec::new())),
                }
            }
            "anonymous_object_creation_expression" => self.anonymous_object(node),
            "collection_expression" | "initializer_expression" | "tuple_expression" => self.list(node),
            "lambda_expression" | "anonymous_method_expression" => self.lambda(node),
            "assignment_expression" => self.assignment(node),
            "query_expression" => self.query(node),
            "throw_expression" => {
                let value = Some(self.last_value(node));
                let body = thin_vec![self.b.stmt(node, StmtKind::Raise(value))];
                self.b.at(node, Expr::Block(body))
            }
            "typeof_expression" => self.type_question(node),
            "declaration_expression" => match field(node, "name") {
                Some(name) => self.b.name(name),
                None => self.b.left_out(node),
            },
            "array_type" | "nullable_type" | "tuple_type" | "implicit_type" | "sizeof_expression" => {
                self.b.left_out(node)
            }
            _ => self.parts(node),
        }
    }

    pub(super) fn list(&mut self, node: Node<'_>) -> ExprId {
        let items = values(node).into_iter().map(|item| self.expr(item)).collect();
        self.b.at(node, Expr::List(items))
    }

    pub(super) fn type_question(&mut self, node: Node<'_>) -> ExprId {
        let name = field(node, "type").map(|of| self.type_ref(of).name).unwrap_or_default();
        let callee = self.b.at(node, Expr::Name("typeof".into()));
        let of = path(&mut self.b, node, &name, ".");
        self.b.at(
            node,
            Expr::Call {
                callee,
                args: thin_vec![plain(of)],
                new: false,
            },
        )
    }

    /// Keeps the parts of what is not understood.
    pub(super) fn parts(&mut self, node: Node<'_>) -> ExprId {
        let parts = values(node);
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            let kind = part.kind();
            if kind.ends_with("statement") || kind.ends_with("_declaration") || kind == "block" {
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
            "member_access_expression" => {
                let name = self.field_text(node, "name").unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            "conditional_access_expression" => self.conditional_access(node, operand),
            "element_access_expression" => match field(node, "subscript") {
                Some(subscript) => self.index(node, operand, subscript),
                None => operand,
            },
            "invocation_expression" => {
                let args = field(node, "arguments").map(|list| self.args(list)).unwrap_or_default();
                let call = self.b.at(
                    node,
                    Expr::Call {
                        callee: operand,
                        args,
                        new: false,
                    },
                );
                match self.asked_for(node, operand) {
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
            "conditional_expression" => {
                let condition = Some(self.b.as_condition(operand));
                let values = thin_vec![self.expr_in(node, "consequence"), self.expr_in(node, "alternative")];
                self.b.at(node, Expr::Choice { condition, values })
            }
            "cast_expression" => self.cast(node, operand, "type"),
            "as_expression" => self.cast(node, operand, "right"),
            "is_expression" => self.b.at(node, Expr::Test(thin_vec![operand])),
            "is_pattern_expression" => self.is_pattern(node, operand),
            "await_expression" => self.b.at(node, Expr::Await(operand)),
            "prefix_unary_expression" => self.prefix(node, operand),
            "switch_expression" => self.switch_expression(node, operand),
            "with_expression" => self.with_expression(node, operand),
            _ => operand,
        }
    }

    /// The type that a container is asked for: `services.GetRequiredService<IChatClient>()`.
    fn asked_for(&mut self, node: Node<'_>, callee: ExprId) -> Option<TypeRef> {
        let (Expr::Name(name) | Expr::Member { name, .. }) = self.b.module.expr(callee) else {
            return None;
        };
        if !ASKS_A_CONTAINER.contains(&&**name) {
            return None;
        }
        let mut named = field(node, "function")?;
        while named.kind() != "generic_name" {
            named = match named.kind() {
                "member_access_expression" => field(named, "name")?,
                "conditional_access_expression" | "member_binding_expression" => *children(named).last()?,
                _ => return None,
            };
        }
        self.type_ref(named).args.into_iter().next()
    }

    pub(super) fn cast(&mut self, node: Node<'_>, value: ExprId, name: &str) -> ExprId {
        let to = field(node, name).map_or_else(|| named_type(""), |of| self.type_ref(of));
        self.b.at(node, Expr::Cast { value, to: to.into() })
    }

    pub(super) fn conditional_access(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match children(node).last() {
            Some(binding) if binding.kind() == "member_binding_expression" => {
                let name = self.field_text(*binding, "name").unwrap_or_default();
                self.b.at(node, Expr::Member { object: operand, name })
            }
            Some(binding) if binding.kind() == "element_binding_expression" => self.index(node, operand, *binding),
            _ => operand,
        }
    }

    pub(super) fn index(&mut self, node: Node<'_>, object: ExprId, list: Node<'_>) -> ExprId {
        let keys = children(list);
        let key = match keys.as_slice() {
            [only] => self.expr(*only),
            _ => self.list(list),
        };
        self.b.at(node, Expr::Index { object, key })
    }

    pub(super) fn prefix(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.child(0).map_or("", |operator| operator.kind()) {
            "!" => self.b.at(node, Expr::Test(thin_vec![operand])),
            "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "-" | "~" => self.b.at(node, Expr::Other(thin_vec![operand])),
            _ => operand,
        }
    }

    pub(super) fn is_pattern(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        let Some((target, to)) = field(node, "pattern").and_then(|pattern| self.pattern(pattern)) else {
            return self.b.at(node, Expr::Test(thin_vec![operand]));
        };
        let value = match to {
            Some(to) => self.b.at(
                node,
                Expr::Cast {
                    value: operand,
                    to: to.into(),
                },
            ),
            None => operand,
        };
        let bound = self.b.at(
            node,
            Expr::Assign {
                target: Box::new(target),
                value,
            },
        );
        self.b.at(node, Expr::Test(thin_vec![bound]))
    }

    pub(super) fn switch_expression(&mut self, node: Node<'_>, subject: ExprId) -> ExprId {
        let mut arms = ThinVec::new();
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "switch_expression_arm")
        {
            let mut arm = ThinVec::new();
            let parts = values(part);
            let (value, labels) = match parts.split_last() {
                Some((value, labels)) => (*value, labels),
                None => continue,
            };
            for label in labels {
                self.case_label(*label, subject, &mut arm);
            }
            if value.kind() == "throw_expression" {
                let thrown = Some(self.last_value(value));
                arm.push(self.b.stmt(value, StmtKind::Raise(thrown)));
            } else {
                let result = self.expr(value);
                arm.push(self.b.stmt(value, StmtKind::Expr(result)));
            }
            arms.push(arm);
        }
        let body = thin_vec![self.b.stmt(
            node,
            StmtKind::Match {
                subject: Some(subject),
                arms,
            },
        )];
        self.b.at(node, Expr::Block(body))
    }

    pub(super) fn with_expression(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        let callee = self.b.at(
            node,
            Expr::Member {
                object: operand,
                name: "with".into(),
            },
        );
        let mut args = ThinVec::new();
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "with_initializer")
        {
            let name = part.named_child(0).map(|name| self.text(name));
            let value = self.last_value(part);
            args.push(Arg {
                name,
                value,
                spread: false,
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

    pub(super) fn string(&mut self, node: Node<'_>) -> ExprId {
        let text = self.b.text_of(node);
        let content = match node.kind() {
            "verbatim_string_literal" => {
                let inner = text.strip_prefix("@\"").unwrap_or(text);
                inner
                    .rsplit_once('"')
                    .map_or(inner, |(inner, _)| inner)
                    .replace("\"\"", "\"")
            }
            "raw_string_literal" => {
                let inner = children(node)
                    .into_iter()
                    .find(|part| part.kind() == "raw_string_content");
                text_block(inner.map_or("", |inner| self.b.text_of(inner)), false)
            }
            kind => {
                let quote = if kind == "character_literal" { '\'' } else { '"' };
                let inner = text.strip_prefix(quote).unwrap_or(text);
                unescape(
                    inner.rsplit_once(quote).map_or(inner, |(inner, _)| inner),
                    Unknown::Dropped,
                )
            }
        };
        self.b.at(node, Expr::Str(content.into()))
    }

    pub(super) fn interpolated(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let start = parts
            .iter()
            .find(|part| part.kind() == "interpolation_start")
            .map_or("", |part| self.b.text_of(*part));
        let raw = parts.iter().any(|part| part.kind() == "interpolation_quote");
        let verbatim = start.contains('@');
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            let text = match part.kind() {
                "string_content" if raw => self.b.text_of(part).to_owned(),
                "string_content" => {
                    let text = self.b.text_of(part).replace("{{", "{").replace("}}", "}");
                    if verbatim { text.replace("\"\"", "\"") } else { text }
                }
                "escape_sequence" => unescape(self.b.text_of(part), Unknown::Dropped),
                "interpolation" => {
                    let inner = values(part)
                        .into_iter()
                        .find(|inner| inner.kind() != "interpolation_brace");
                    kept.extend(inner.map(|inner| self.expr(inner)));
                    continue;
                }
                _ => continue,
            };
            let same = kept
                .last()
                .and_then(|last: &ExprId| match &mut self.b.module.exprs[last.0 as usize].kind {
                    Expr::Str(before) if part.kind() != "interpolation" => Some(before),
                    _ => None,
                });
            match same {
                Some(before) if !before.is_empty() => *before = format!("{before}{text}").into(),
                _ => kept.push(self.b.at(part, Expr::Str(text.into()))),
            }
        }
        self.b.template(node, kept.into())
    }

    pub(super) fn args(&mut self, list: Node<'_>) -> ThinVec<Arg> {
        let items = children(list);
        let mut args = Vec::with_capacity(items.len());
        for item in items {
            let name = self.field_text(item, "name").filter(|_| item.kind() == "argument");
            let value = if item.kind() == "argument" {
                self.last_value(item)
            } else {
                self.expr(item)
            };
            args.push(Arg {
                name,
                value,
                spread: false,
            });
        }
        args.into()
    }

    pub(super) fn creation(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let of = field(node, "type");
        let list = parts.iter().find(|part| part.kind() == "argument_list");
        let initializer = parts.iter().find(|part| part.kind() == "initializer_expression");
        let mut args = list.map(|list| self.args(*list)).unwrap_or_default();
        if let Some(initializer) = initializer {
            let elements = values(*initializer);
            let member = |element: &Node<'_>| {
                element.kind() == "assignment_expression"
                    && field(*element, "left").is_some_and(|left| left.kind() == "identifier")
            };
            if elements.iter().any(member) {
                for element in elements {
                    let name = if member(&element) {
                        self.field_text(element, "left")
                    } else {
                        None
                    };
                    let value = if name.is_some() {
                        self.expr_in(element, "right")
                    } else {
                        self.expr(element)
                    };
                    args.push(Arg {
                        name,
                        value,
                        spread: false,
                    });
                }
            } else if !elements.is_empty() || (args.is_empty() && of.is_none()) {
                let contents = self.contents(*initializer, &elements);
                if args.is_empty() {
                    return contents;
                }
                args.push(plain(contents));
            }
        }
        let callee = match of {
            Some(of) => {
                let name = self.type_ref(of).name;
                path(&mut self.b, of, &name, ".")
            }
            None => self.b.at(node, Expr::Name("new".into())),
        };
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: true,
            },
        )
    }

    /// Elements of an initialiser: a map when they have keys, else a list.
    pub(super) fn contents(&mut self, node: Node<'_>, elements: &[Node<'_>]) -> ExprId {
        let keyed = |element: &Node<'_>| {
            (element.kind() == "initializer_expression" && values(*element).len() == 2)
                || (element.kind() == "assignment_expression"
                    && field(*element, "left").is_some_and(|left| left.kind() == "element_binding_expression"))
        };
        if elements.is_empty() || !elements.iter().all(keyed) {
            return self.list(node);
        }
        let mut entries = Vec::with_capacity(elements.len());
        for element in elements {
            let (key, value) = if let (Some(left), Some(right)) = (field(*element, "left"), field(*element, "right")) {
                (left.named_child(0), Some(right))
            } else {
                let pair = values(*element);
                (pair.first().copied(), pair.last().copied())
            };
            let key = key.map(|key| self.expr(key));
            let value = match value {
                Some(value) => self.expr(value),
                None => self.b.left_out(*element),
            };
            entries.push(MapEntry { key, value });
        }
        self.b.at(node, Expr::Map(entries.into()))
    }

    pub(super) fn anonymous_object(&mut self, node: Node<'_>) -> ExprId {
        let mut entries = ThinVec::new();
        let mut pending = None;
        let mut after_equals = false;
        let parts = all_children(node);
        for (index, part) in parts.iter().enumerate() {
            if part.kind() == "=" {
                after_equals = true;
            } else if part.kind() == "identifier" && parts.get(index + 1).is_some_and(|next| next.kind() == "=") {
                let text = self.text(*part);
                pending = Some(self.b.at(*part, Expr::Str(text)));
            } else if (part.is_named() && !part.is_extra()) || part.kind() == "this" {
                let value = self.expr(*part);
                let own = match self.b.module.expr(value) {
                    Expr::Name(name) | Expr::Member { name, .. } => Some(name.clone()),
                    _ => None,
                };
                let key = match pending.take().filter(|_| after_equals) {
                    Some(key) => Some(key),
                    None => own.map(|name| self.b.at(*part, Expr::Str(name))),
                };
                after_equals = false;
                entries.push(MapEntry { key, value });
            }
        }
        self.b.at(node, Expr::Map(entries))
    }

    pub(super) fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let modifiers = self.modifiers(node);
        let params = match field(node, "parameters") {
            Some(list) if list.kind() == "parameter_list" => self.params(list),
            Some(only) => {
                let pattern = self.named(Some(only));
                thin_vec![Param {
                    pattern,
                    annotation: None,
                    default: None,
                    decorators: ThinVec::new(),
                    rest: false,
                }]
            }
            None => ThinVec::new(),
        };
        let inner = field(node, "body").or_else(|| children(node).into_iter().find(|part| part.kind() == "block"));
        let body = match inner {
            Some(block) if block.kind() == "block" => self.block(Some(block)),
            Some(value) => thin_vec![self.result(value)],
            None => ThinVec::new(),
        };
        let function = self.b.function_mut(id);
        function.params = params;
        function.decorators = modifiers.decorators;
        function.is_async = modifiers.is_async;
        function.body = body;
        self.b.at(node, Expr::Function(id))
    }

    /// What an assignment, a loop or a declaration binds.
    pub(super) fn target(&mut self, node: Node<'_>) -> Pattern {
        if !self.b.enter() {
            return Pattern::Ignore;
        }
        let pattern = match node.kind() {
            "identifier" | "discard" => self.named(Some(node)),
            "tuple_pattern" => Pattern::Tuple(children(node).into_iter().map(|part| self.target(part)).collect()),
            "tuple_expression" => Pattern::Tuple(children(node).into_iter().map(|part| self.target(part)).collect()),
            "argument" => values(node).last().map_or(Pattern::Ignore, |inner| self.target(*inner)),
            "declaration_expression" => self.named(field(node, "name")),
            _ => {
                let place = self.expr(node);
                self.b.place(place)
            }
        };
        self.b.leave();
        pattern
    }

    pub(super) fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let operator = field(node, "operator").map_or("=", |operator| self.b.text_of(operator));
        let mut value = self.expr_in(node, "right");
        if operator != "=" {
            let before = self.expr_in(node, "left");
            let operator = operator.strip_suffix('=').unwrap_or(operator);
            value = combine(&mut self.b, node, operator, before, value, &mut Chain::default());
        }
        let target = field(node, "left").map_or(Pattern::Ignore, |left| self.target(left));
        self.b.at(
            node,
            Expr::Assign {
                target: Box::new(target),
                value,
            },
        )
    }

    pub(super) fn query(&mut self, node: Node<'_>) -> ExprId {
        let mut loops = ThinVec::new();
        let mut value = None;
        for clause in children(node) {
            let parts = values(clause);
            match clause.kind() {
                "from_clause" | "join_clause" => {
                    let of = field(clause, "type");
                    let named = parts
                        .iter()
                        .find(|part| part.kind() == "identifier" && Some(**part) != of);
                    let target = self.named(named.copied());
                    let over = parts.iter().skip_while(|part| Some(*part) != named).nth(1);
                    if let Some(over) = over {
                        loops.push((target, self.expr(*over)));
                    }
                }
                "let_clause" => {
                    let target = self.named(parts.first().copied());
                    let inner = self.last_value(clause);
                    let once = self.b.at(clause, Expr::List(thin_vec![inner]));
                    loops.push((target, once));
                }
                "where_clause" => {
                    let asked = self.last_value(clause);
                    let asked = self.b.as_condition(asked);
                    loops.push((Pattern::Ignore, asked));
                }
                "select_clause" => value = Some(self.last_value(clause)),
                "group_clause" => value = Some(self.parts(clause)),
                _ => {}
            }
        }
        let value = match value {
            Some(value) => value,
            None => self.b.left_out(node),
        };
        self.b.at(node, Expr::Comprehension { loops, value })
    }
}
