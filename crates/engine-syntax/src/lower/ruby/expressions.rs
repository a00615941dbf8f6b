//! Expressions.

use ecow::EcoString;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::Lowering;
use crate::ir::{Expr, ExprId, MapEntry, Pattern, StmtKind};
use crate::lower::builder::{Builder, children, field, plain};
use crate::lower::operators::{Chain, combine};
use crate::lower::spine::FromTheLeft;

/// The operand that an expression begins with, so that long chains are walked and not descended.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "binary" => field(node, "left"),
        "call" => field(node, "receiver"),
        "element_reference" => field(node, "object"),
        _ => None,
    }
}

/// Whether a text is only the path of a constant: `OpenAI::Client`.
fn is_constant_path(text: &str) -> bool {
    text.trim_start_matches(':')
        .starts_with(|c: char| c.is_ascii_uppercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b' ' | b'\n'))
}

impl<'t> FromTheLeft<'t> for Lowering<'t> {
    const BINARY: &'static str = "binary";

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
        let right = self.expr_in(node, "right");
        match operator {
            "||" | "or" => self.b.either(node, left, right),
            "&&" | "and" => self.b.both(node, left, right),
            "<<" => {
                let callee = self.b.at(
                    node,
                    Expr::Member {
                        object: left,
                        name: "push".into(),
                    },
                );
                let args = thin_vec![plain(right)];
                self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: false,
                    },
                )
            }
            "=~" | "!~" | "<=>" => self.b.at(node, Expr::Test(thin_vec![left, right])),
            // `"Hello %s" % name`
            "%" if matches!(self.b.module.expr(left), Expr::Str(_) | Expr::Template(_)) => {
                self.b.concat(node, left, right)
            }
            operator => combine(&mut self.b, node, operator, left, right, chain),
        }
    }

    fn word(&mut self, node: Node<'_>) -> ExprId {
        let name = self.text(node);
        let local = self.is_local(&name);
        let callee = self.b.at(node, Expr::Name(name));
        if local {
            return callee;
        }
        self.b.at(
            node,
            Expr::Call {
                callee,
                args: ThinVec::new(),
                new: false,
            },
        )
    }

    fn atom(&mut self, node: Node<'_>) -> ExprId {
        if node.is_missing() {
            return self.b.left_out(node);
        }
        match node.kind() {
            "identifier" => self.word(node),
            "constant" => self.constant_path(node),
            "scope_resolution" => {
                if is_constant_path(self.b.text_of(node)) {
                    return self.constant_path(node);
                }
                let object = self.expr_in(node, "scope");
                let name = field(node, "name").map(|name| self.text(name)).unwrap_or_default();
                self.b.at(node, Expr::Member { object, name })
            }
            "instance_variable" | "class_variable" => {
                let name = self.text(node);
                self.own(node, &name)
            }
            "global_variable" | "self" | "file" => self.b.name(node),
            "call" | "super" => self.plain_call(node),
            "string" => self.string(node),
            "chained_string" => self.chained(node),
            "heredoc_beginning" => self.heredoc(node),
            "subshell" => {
                let command = self.interpolated(node, node, false);
                self.call_of(node, "system", thin_vec![command])
            }
            "simple_symbol" => {
                let name: EcoString = self.b.text_of(node).trim_start_matches(':').into();
                self.b.at(node, Expr::Str(name))
            }
            "hash_key_symbol" | "bare_string" | "bare_symbol" | "character" => {
                let text = self.text(node);
                self.b.at(node, Expr::Str(text))
            }
            "delimited_symbol" => self.interpolated(node, node, false),
            "integer" | "float" | "rational" | "complex" => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "true" | "false" => {
                let holds = node.kind() == "true";
                self.b.at(node, Expr::Bool(holds))
            }
            "nil" => self.b.at(node, Expr::Null),
            "array" | "string_array" | "symbol_array" | "right_assignment_list" => {
                if children(node).iter().any(|part| part.kind() == "pair") {
                    return self.hash(node);
                }
                self.listed(node)
            }
            "hash" => self.hash(node),
            "lambda" => match field(node, "body") {
                Some(body) => self.lambda(node, body),
                None => self.b.left_out(node),
            },
            "block" | "do_block" => self.lambda(node, node),
            "assignment" => self.assignment(node),
            "operator_assignment" => self.augmented(node),
            "conditional" => {
                let condition = Some(self.condition_in(node, false));
                let values = thin_vec![self.expr_in(node, "consequence"), self.expr_in(node, "alternative")];
                self.b.at(node, Expr::Choice { condition, values })
            }
            "unary" => self.unary(node),
            "yield" => {
                if let Some(locals) = self.locals.last_mut() {
                    locals.yields = true;
                }
                let args = children(node)
                    .into_iter()
                    .next()
                    .map(|list| self.args(list))
                    .unwrap_or_default();
                let callee = self.b.at(node, Expr::Name("block".into()));
                self.b.at(
                    node,
                    Expr::Call {
                        callee,
                        args,
                        new: false,
                    },
                )
            }
            "retry" => self.call_of(node, "retry", ThinVec::new()),
            "match_pattern" => {
                let value = self.expr_in(node, "value");
                let target = match field(node, "pattern") {
                    Some(bound) => self.pattern(bound),
                    None => Pattern::Ignore,
                };
                let target = Box::new(target);
                self.b.at(node, Expr::Assign { target, value })
            }
            "test_pattern" => {
                let value = self.expr_in(node, "value");
                self.b.at(node, Expr::Test(thin_vec![value]))
            }
            "parenthesized_statements" | "begin" => {
                let parts = children(node);
                match parts.as_slice() {
                    [only] if !matches!(only.kind(), "rescue" | "ensure") => self.expr(*only),
                    _ => self.as_block(node),
                }
            }
            "splat_argument" | "hash_splat_argument" | "block_argument" => match children(node).into_iter().next() {
                Some(inner) => self.expr(inner),
                None => self.b.left_out(node),
            },
            "if" | "unless" | "case" | "case_match" | "while" | "until" | "for" | "rescue_modifier" | "if_modifier"
            | "unless_modifier" | "while_modifier" | "until_modifier" | "return" | "next" | "break" | "method"
            | "singleton_method" | "class" | "module" | "singleton_class" => self.as_block(node),
            "pair" => {
                let entries = self.pairs(&[node]);
                self.b.at(node, Expr::Map(entries))
            }
            _ => self.parts(node),
        }
    }

    /// Statements that stand where a value is asked for.
    fn as_block(&mut self, node: Node<'_>) -> ExprId {
        let mut body = ThinVec::new();
        self.stmt(node, &mut body);
        self.b.at(node, Expr::Block(body))
    }

    /// Keeps the parts of what is not understood.
    fn parts(&mut self, node: Node<'_>) -> ExprId {
        let mut kept = ThinVec::new();
        for part in children(node) {
            match part.kind() {
                "string_content" | "escape_sequence" | "heredoc_body" => {}
                "then" | "else" | "elsif" | "do" | "body_statement" | "rescue" | "ensure" => {
                    kept.push(self.as_block(part));
                }
                "interpolation" => kept.extend(children(part).into_iter().map(|inner| self.expr(inner))),
                _ => kept.push(self.expr(part)),
            }
        }
        self.b.at(node, Expr::Other(kept))
    }

    fn unary(&mut self, node: Node<'_>) -> ExprId {
        let operand = self.expr_in(node, "operand");
        match field(node, "operator").map_or("", |operator| self.b.text_of(operator)) {
            "!" | "not" | "defined?" => self.b.at(node, Expr::Test(thin_vec![operand])),
            "-" if matches!(self.b.module.expr(operand), Expr::Number(_)) => {
                let text = self.text(node);
                self.b.at(node, Expr::Number(text))
            }
            "-" | "~" => self.b.at(node, Expr::Other(thin_vec![operand])),
            _ => operand,
        }
    }

    fn hash(&mut self, node: Node<'_>) -> ExprId {
        let entries = self.pairs(&children(node));
        self.b.at(node, Expr::Map(entries))
    }

    pub(super) fn pairs(&mut self, parts: &[Node<'_>]) -> ThinVec<MapEntry> {
        let mut entries = ThinVec::new();
        for part in parts {
            match part.kind() {
                "pair" => {
                    let Some(key) = field(*part, "key") else { continue };
                    let value = self.value_of(*part, key);
                    let key = Some(self.expr(key));
                    entries.push(MapEntry { key, value });
                }
                "hash_splat_argument" => {
                    let value = self.expr(*part);
                    entries.push(MapEntry { key: None, value });
                }
                _ => {
                    let value = self.expr(*part);
                    let key = Some(self.b.left_out(*part));
                    entries.push(MapEntry { key, value });
                }
            }
        }
        entries
    }

    /// The value of a pair; `model:` alone names what it hands on.
    pub(super) fn value_of(&mut self, pair: Node<'_>, key: Node<'_>) -> ExprId {
        match field(pair, "value") {
            Some(value) => self.expr(value),
            None => self.word(key),
        }
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
        if let Some(left) = field(node, "left").filter(|left| left.kind() == "identifier") {
            let name = self.text(left);
            self.declare(&name);
        }
        let operator = field(node, "operator").map_or("", |operator| self.b.text_of(operator));
        let left = self.expr_in(node, "left");
        let right = self.expr_in(node, "right");
        // The place that is set is not the value that it had.
        let target = match field(node, "left") {
            Some(place) => self.pattern(place),
            None => Pattern::Ignore,
        };
        let value = match operator {
            "||=" => self.b.either(node, left, right),
            "&&=" => right,
            "+=" => combine(&mut self.b, node, "+", left, right, &mut Chain::default()),
            _ => self.b.at(node, Expr::Other(thin_vec![left, right])),
        };
        let target = Box::new(target);
        self.b.at(node, Expr::Assign { target, value })
    }

    /// `raise X, "why"` as a statement of its own.
    pub(super) fn raised(&mut self, node: Node<'_>) -> StmtKind {
        let given = field(node, "arguments").map(|list| self.args(list)).unwrap_or_default();
        let mut values = given.into_iter().map(|arg| arg.value);
        let Some(first) = values.next() else {
            return StmtKind::Raise(None);
        };
        let rest: ThinVec<_> = values.map(plain).collect();
        if rest.is_empty() {
            return StmtKind::Raise(Some(first));
        }
        let made = self.b.at(
            node,
            Expr::Call {
                callee: first,
                args: rest,
                new: true,
            },
        );
        StmtKind::Raise(Some(made))
    }
}
