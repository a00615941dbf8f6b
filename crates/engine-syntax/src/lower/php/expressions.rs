//! Expressions.

use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::Lowering;
use crate::ir::{Arg, Expr, ExprId, MapEntry, Pattern, Span, Stmt};
use crate::lower::builder::{Builder, children, field, has_token, plain};
use crate::lower::operators::{Chain, combine};
use crate::lower::spine::FromTheLeft;

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "binary_expression" => field(node, "left"),
        "member_access_expression"
        | "nullsafe_member_access_expression"
        | "member_call_expression"
        | "nullsafe_member_call_expression" => field(node, "object"),
        "scoped_call_expression" | "scoped_property_access_expression" => field(node, "scope"),
        "function_call_expression" => field(node, "function"),
        "conditional_expression" => field(node, "condition"),
        "unary_op_expression" | "update_expression" => field(node, "argument"),
        "cast_expression" => field(node, "value"),
        "subscript_expression"
        | "class_constant_access_expression"
        | "parenthesized_expression"
        | "error_suppression_expression"
        | "clone_expression"
        | "by_ref" => children(node).into_iter().next(),
        _ => None,
    }
}

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

    fn binary(&mut self, node: Node<'_>, left: ExprId, chain: &mut Chain) -> ExprId {
        let operator = field(node, "operator").map_or("", |operator| self.b.text_of(operator));
        if operator.eq_ignore_ascii_case("instanceof") {
            return self.b.at(node, Expr::Test(thin_vec![left]));
        }
        let right = self.expr_in(node, "right");
        match operator.to_ascii_lowercase().as_str() {
            "." => self.b.concat(node, left, right),
            // What stands on the right is called with what stands on the left.
            "|>" => self.b.at(
                node,
                Expr::Call {
                    callee: right,
                    args: thin_vec![plain(left)],
                    new: false,
                },
            ),
            "and" => combine(&mut self.b, node, "&&", left, right, chain),
            "or" | "xor" => combine(&mut self.b, node, "||", left, right, chain),
            "<>" | "<=>" => self.b.at(node, Expr::Test(thin_vec![left, right])),
            // Both sides are numbers or arrays, and never text.
            "+" => self.b.at(node, Expr::Other(thin_vec![left, right])),
            operator => combine(&mut self.b, node, operator, left, right, chain),
        }
    }

    fn atom(&mut self, node: Node<'_>) -> ExprId {
        if node.is_missing() {
            return self.b.left_out(node);
        }
        match node.kind() {
            "variable_name" => {
                let name = self.bare_name(node);
                self.b.at(node, Expr::Name(name))
            }
            "name" | "relative_scope" => {
                let name = self.class_name(node);
                self.b.at(node, Expr::Name(name))
            }
            "qualified_name" | "relative_name" => {
                let text = self.b.text_of(node);
                // A function or a constant of PHP itself.
                let own = text.strip_prefix('\\').filter(|rest| !rest.contains('\\'));
                let of_class = node.parent().is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "scoped_call_expression"
                            | "class_constant_access_expression"
                            | "scoped_property_access_expression"
                            | "object_creation_expression"
                    )
                });
                let name = match own {
                    Some(own) if !of_class => own.into(),
                    _ => self.class_name(node),
                };
                self.b.at(node, Expr::Name(name))
            }
            "string" => self.quoted(node),
            "encapsed_string" => self.interpolated(node, node),
            "heredoc" | "nowdoc" => self.heredoc(node),
            "shell_command_expression" => {
                let command = self.interpolated(node, node);
                self.call_of(node, "shell_exec", thin_vec![command])
            }
            "integer" | "float" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "boolean" => {
                let holds = self.b.text_of(node).eq_ignore_ascii_case("true");
                self.b.at(node, Expr::Bool(holds))
            }
            "null" => self.b.at(node, Expr::Null),
            "array_creation_expression" => self.array(node),
            "object_creation_expression" => self.creation(node),
            "anonymous_function" | "arrow_function" => self.closure(node),
            "assignment_expression" | "reference_assignment_expression" => self.assignment(node),
            "augmented_assignment_expression" => self.augmented(node),
            "match_expression" => {
                let kind = self.match_kind(node);
                let body = thin_vec![self.b.stmt(node, kind)];
                self.b.at(node, Expr::Block(body))
            }
            "yield_expression" => {
                let mut given = ThinVec::new();
                for part in children(node) {
                    if part.kind() == "array_element_initializer" {
                        given.extend(children(part).into_iter().map(|value| self.expr(value)));
                    } else {
                        given.push(self.expr(part));
                    }
                }
                self.b.at(node, Expr::Other(given))
            }
            "throw_expression" => {
                let mut body = ThinVec::new();
                self.effect_of(node, &mut body);
                self.b.at(node, Expr::Block(body))
            }
            "print_intrinsic" => {
                let values = children(node).into_iter().map(|value| self.expr(value)).collect();
                self.call_of(node, "echo", values)
            }
            "include_expression" | "include_once_expression" | "require_expression" | "require_once_expression" => {
                let values = children(node).into_iter().map(|value| self.expr(value)).collect();
                self.call_of(node, "require", values)
            }
            _ => self.parts(node),
        }
    }

    /// Keeps the parts of what is not understood.
    fn parts(&mut self, node: Node<'_>) -> ExprId {
        let mut kept = ThinVec::new();
        for part in children(node) {
            if part.kind().ends_with("_statement") || part.kind().ends_with("_declaration") {
                let mut body = ThinVec::new();
                self.stmt(part, &mut body);
                kept.push(self.b.at(part, Expr::Block(body)));
            } else {
                kept.push(self.expr(part));
            }
        }
        self.b.at(node, Expr::Other(kept))
    }

    /// Puts what follows an operand around it.
    fn wrap(&mut self, node: Node<'_>, operand: ExprId) -> ExprId {
        match node.kind() {
            "member_access_expression" | "nullsafe_member_access_expression" | "scoped_property_access_expression" => {
                self.member(node, field(node, "name"), operand)
            }
            "class_constant_access_expression" => {
                let name = children(node).into_iter().nth(1);
                self.member(node, name, operand)
            }
            "member_call_expression" | "nullsafe_member_call_expression" | "scoped_call_expression" => {
                let callee = match field(node, "name") {
                    // `parent::__construct($x)`
                    Some(name) if self.b.text_of(name) == "__construct" => operand,
                    name => self.member(node, name, operand),
                };
                self.called(node, callee)
            }
            "function_call_expression" => self.function_call(node, operand),
            "subscript_expression" => {
                let inside_text = node
                    .parent()
                    .is_some_and(|parent| matches!(parent.kind(), "encapsed_string" | "heredoc_body"));
                let key = match children(node).into_iter().nth(1) {
                    Some(key) if key.kind() == "name" && inside_text => {
                        let key_text = self.text(key);
                        self.b.at(key, Expr::Str(key_text))
                    }
                    Some(key) => self.expr(key),
                    None => self.b.at(node, Expr::Null),
                };
                self.b.at(node, Expr::Index { object: operand, key })
            }
            "conditional_expression" => {
                let Some(body) = field(node, "body") else {
                    let other = self.expr_in(node, "alternative");
                    return self.b.either(node, operand, other);
                };
                let condition = Some(self.b.as_condition(operand));
                let values = thin_vec![self.expr(body), self.expr_in(node, "alternative")];
                self.b.at(node, Expr::Choice { condition, values })
            }
            "unary_op_expression" => match field(node, "operator").map_or("", |operator| self.b.text_of(operator)) {
                "!" => self.b.at(node, Expr::Test(thin_vec![operand])),
                "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                    let text = self.text(node);
                    self.b.at(node, Expr::Number(text))
                }
                "-" | "~" => self.b.at(node, Expr::Other(thin_vec![operand])),
                _ => operand,
            },
            "update_expression" => self.b.at(node, Expr::Other(thin_vec![operand])),
            _ => operand,
        }
    }

    /// A member by its name, or by a name that is only known at run time.
    fn member(&mut self, node: Node<'_>, name: Option<Node<'_>>, object: ExprId) -> ExprId {
        match name {
            // What stands behind a case of an enumeration is the case itself.
            Some(name)
                if self.b.text_of(name) == "value"
                    && node.kind() == "member_access_expression"
                    && field(node, "object").is_some_and(|of| of.kind() == "class_constant_access_expression") =>
            {
                object
            }
            Some(name) if name.kind() == "name" => {
                // The arguments of a call are no part of what is called.
                let (whole, last) = (self.b.span(node), self.b.span(name));
                let span = Span {
                    end_line: last.end_line,
                    end_column: last.end_column,
                    ..whole
                };
                let name = self.text(name);
                self.b.expr(Expr::Member { object, name }, span)
            }
            Some(name) if node.kind().starts_with("scoped_property") => {
                let name = self.bare_name(name);
                self.b.at(node, Expr::Member { object, name })
            }
            Some(name) => {
                let key = self.expr(name);
                self.b.at(node, Expr::Index { object, key })
            }
            None => self.b.at(
                node,
                Expr::Member {
                    object,
                    name: "class".into(),
                },
            ),
        }
    }

    fn called(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        let Some(list) = field(node, "arguments") else {
            return callee;
        };
        // `strlen(...)` is the function itself.
        if children(list).iter().any(|part| part.kind() == "variadic_placeholder") {
            return callee;
        }
        let args = self.args(list);
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    fn function_call(&mut self, node: Node<'_>, callee: ExprId) -> ExprId {
        let made = self.called(node, callee);
        let name = match self.b.module.expr(callee) {
            Expr::Name(name) => name.clone(),
            _ => return made,
        };
        let given: Vec<ExprId> = match self.b.module.expr(made) {
            Expr::Call { args, .. } => args.iter().map(|arg| arg.value).collect(),
            _ => return made,
        };
        match (&*name, given.as_slice()) {
            ("define", [key, value, ..]) => {
                let Expr::Str(constant) = self.b.module.expr(*key) else {
                    return made;
                };
                let target = Box::new(Pattern::Name(constant.clone()));
                self.b.at(node, Expr::Assign { target, value: *value })
            }
            ("curl_setopt", [handle, option, value]) => {
                let target = Box::new(Pattern::Place(self.option(node, *handle, *option)));
                self.b.at(node, Expr::Assign { target, value: *value })
            }
            ("compact", names) => {
                let mut entries = ThinVec::new();
                for key in names {
                    if let Expr::Str(name) = self.b.module.expr(*key) {
                        let name = name.clone();
                        let value = self.b.at(node, Expr::Name(name));
                        entries.push(MapEntry { key: Some(*key), value });
                    }
                }
                self.b.at(node, Expr::Map(entries))
            }
            _ => made,
        }
    }

    /// The place in a handle of curl where an option is kept.
    fn option(&mut self, node: Node<'_>, handle: ExprId, option: ExprId) -> ExprId {
        let key = match self.b.module.expr(option) {
            Expr::Name(name) => {
                let name = name.clone();
                self.b.at(node, Expr::Str(name))
            }
            _ => option,
        };
        self.b.at(node, Expr::Index { object: handle, key })
    }

    /// `curl_setopt_array($ch, […])` puts each of its options; whether the call was one.
    pub(super) fn options(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) -> bool {
        let named = field(node, "function").map(|name| self.b.text_of(name).trim_start_matches('\\'));
        if named != Some("curl_setopt_array") {
            return false;
        }
        let Some(list) = field(node, "arguments") else {
            return false;
        };
        let args: Vec<ExprId> = self.args(list).into_iter().map(|arg| arg.value).collect();
        let [handle, given, ..] = args.as_slice() else {
            return false;
        };
        let entries: Vec<(ExprId, ExprId)> = if let Expr::Map(entries) = self.b.module.expr(*given) {
            entries
                .iter()
                .filter_map(|entry| Some((entry.key?, entry.value)))
                .collect()
        } else {
            let key = self.b.at(node, Expr::Str("options".into()));
            vec![(key, *given)]
        };
        for (key, value) in entries {
            let name = match self.b.module.expr(*handle) {
                Expr::Name(name) => Some(name.clone()),
                _ => None,
            };
            // Each statement holds a handle of its own.
            let handle = match name {
                Some(name) => self.b.at(node, Expr::Name(name)),
                None => *handle,
            };
            let place = self.option(node, handle, key);
            out.push(self.assigned(node, Pattern::Place(place), Some(value)));
        }
        true
    }

    pub(super) fn args(&mut self, list: Node<'_>) -> ThinVec<Arg> {
        let mut args = ThinVec::new();
        for item in children(list) {
            if item.kind() != "argument" {
                args.push(plain(self.expr(item)));
                continue;
            }
            let name = field(item, "name");
            let Some(value) = children(item)
                .into_iter()
                .rfind(|part| Some(*part) != name && part.kind() != "reference_modifier")
            else {
                continue;
            };
            let name = name.map(|name| self.text(name));
            let (value, spread) = match value.kind() {
                "variadic_unpacking" => (children(value).into_iter().next().unwrap_or(value), true),
                _ => (value, false),
            };
            let value = self.expr(value);
            args.push(Arg { name, value, spread });
        }
        args
    }

    fn array(&mut self, node: Node<'_>) -> ExprId {
        let items = children(node);
        let keyed = items.iter().any(|item| has_token(*item, "=>"));
        if !keyed {
            let mut values = ThinVec::new();
            for item in items {
                for part in children(item) {
                    let part = match part.kind() {
                        "variadic_unpacking" => children(part).into_iter().next().unwrap_or(part),
                        _ => part,
                    };
                    values.push(self.expr(part));
                }
            }
            return self.b.at(node, Expr::List(values));
        }
        let mut entries = ThinVec::new();
        for (position, item) in items.into_iter().enumerate() {
            let parts = children(item);
            match parts.as_slice() {
                [key, value] => {
                    let key = Some(self.expr(*key));
                    let value = self.expr(*value);
                    entries.push(MapEntry { key, value });
                }
                [spread] if spread.kind() == "variadic_unpacking" => {
                    let value = self.expr(children(*spread).into_iter().next().unwrap_or(*spread));
                    entries.push(MapEntry { key: None, value });
                }
                [value] => {
                    let number = position.to_string();
                    let key = Some(self.b.at(*value, Expr::Number(number.into())));
                    let value = self.expr(*value);
                    entries.push(MapEntry { key, value });
                }
                _ => {}
            }
        }
        self.b.at(node, Expr::Map(entries))
    }

    fn creation(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        if let Some(class) = parts.iter().find(|part| part.kind() == "anonymous_class") {
            return self.anonymous_class(*class);
        }
        let Some(of) = parts.iter().find(|part| part.kind() != "arguments") else {
            return self.b.left_out(node);
        };
        let callee = self.expr(*of);
        let list = parts.iter().find(|part| part.kind() == "arguments");
        let args = list.map(|list| self.args(*list)).unwrap_or_default();
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: true,
            },
        )
    }

    fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let value = self.expr_in(node, "right");
        let target = match field(node, "left") {
            Some(left) => self.pattern(left),
            None => Pattern::Ignore,
        };
        let target = Box::new(target);
        self.b.at(node, Expr::Assign { target, value })
    }

    fn augmented(&mut self, node: Node<'_>) -> ExprId {
        let left = self.expr_in(node, "left");
        let right = self.expr_in(node, "right");
        // The place that is set is not the value that it had.
        let target = match field(node, "left") {
            Some(place) => self.pattern(place),
            None => Pattern::Ignore,
        };
        let operator = field(node, "operator").map_or("", |operator| self.b.text_of(operator));
        let value = match operator {
            ".=" => self.b.concat(node, left, right),
            "??=" => self.b.either(node, left, right),
            _ => self.b.at(node, Expr::Other(thin_vec![left, right])),
        };
        let target = Box::new(target);
        self.b.at(node, Expr::Assign { target, value })
    }
}
