//! Methods, blocks and lambdas.

use ecow::EcoString;
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

use super::{Locals, Lowering};
use crate::ir::{ClassId, Expr, ExprId, FunctionId, Param, Pattern, Span, Stmt, StmtKind};
use crate::lower::builder::{children, field};

/// Statements inside of statements whose last value is handed back.
const NESTING_MAX: u32 = 60;

impl Lowering<'_> {
    pub(super) fn method(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let name: EcoString = field(node, "name")
            .map(|name| self.b.text_of(name).trim_start_matches(':').into())
            .unwrap_or_default();
        self.locals.push(Locals::default());
        self.methods.push((name.clone(), Vec::new()));
        let mut params = self.params(field(node, "parameters"));
        let names = params.iter().filter_map(|param| match &param.pattern {
            Pattern::Name(name) => Some(name.clone()),
            _ => None,
        });
        let names: Vec<EcoString> = names.collect();
        if let Some(around) = self.methods.last_mut() {
            around.1 = names;
        }
        let mut body = self.block(field(node, "body"));
        self.methods.pop();
        let locals = self.locals.pop().unwrap_or_default();
        if locals.yields && !locals.names.contains("block") {
            params.push(named("block"));
        }
        let is_setter = name.ends_with('=');
        let is_made = &*name == "initialize" && class.is_some();
        if !is_setter && !is_made {
            self.hand_back(&mut body, 0);
        }
        let function = self.b.function_mut(id);
        function.name = Some(if is_made { "<init>".into() } else { name });
        function.params = params;
        function.body = body;
        function.exported = true;
        function.class = class;
        id
    }

    /// A block or a lambda.
    pub(super) fn closure(&mut self, node: Node<'_>, body: Node<'_>) -> FunctionId {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let listed = field(node, "parameters").or_else(|| field(body, "parameters"));
        self.locals.push(Locals {
            open: true,
            unnamed: listed.is_none(),
            ..Locals::default()
        });
        let mut params = self.params(listed);
        let mut stmts = ThinVec::new();
        if let Some(inner) = field(body, "body") {
            self.stmts(inner, &mut stmts);
        }
        self.hand_back(&mut stmts, 0);
        let locals = self.locals.pop().unwrap_or_default();
        if let Some(given) = locals.given {
            params.push(named(&given));
        }
        if locals.yields
            && let Some(around) = self.locals.last_mut()
        {
            around.yields = true;
        }
        let function = self.b.function_mut(id);
        function.params = params;
        function.body = stmts;
        id
    }

    /// A block as an expression.
    pub(super) fn lambda(&mut self, node: Node<'_>, body: Node<'_>) -> ExprId {
        let id = self.closure(node, body);
        self.b.at(node, Expr::Function(id))
    }

    pub(super) fn params(&mut self, list: Option<Node<'_>>) -> ThinVec<Param> {
        let mut params = ThinVec::new();
        let locals = list
            .map(|list| crate::lower::builder::fields(list, "locals"))
            .unwrap_or_default();
        for part in list.map(children).unwrap_or_default() {
            if locals.contains(&part) {
                let name = self.text(part);
                self.declare(&name);
                continue;
            }
            let pattern = match part.kind() {
                "identifier" => Pattern::Name(self.text(part)),
                "destructured_parameter" => {
                    Pattern::Tuple(self.params(Some(part)).into_iter().map(|param| param.pattern).collect())
                }
                _ => match field(part, "name") {
                    Some(name) => Pattern::Name(self.text(name)),
                    None => Pattern::Ignore,
                },
            };
            if let Pattern::Name(name) = &pattern {
                let name = name.clone();
                self.declare(&name);
            }
            let default = field(part, "value").map(|value| self.expr(value));
            params.push(Param {
                pattern,
                annotation: None,
                default,
                decorators: ThinVec::new(),
                rest: matches!(
                    part.kind(),
                    "splat_parameter" | "hash_splat_parameter" | "forward_parameter"
                ),
            });
        }
        params
    }

    /// Makes the last value of a body the one that it hands back.
    pub(super) fn hand_back(&mut self, body: &mut ThinVec<Stmt>, depth: u32) {
        if depth > NESTING_MAX {
            return;
        }
        let Some(last) = body.last_mut() else { return };
        let span = last.span;
        let read = match &mut last.kind {
            StmtKind::Expr(value) => {
                last.kind = StmtKind::Return(Some(*value));
                return;
            }
            StmtKind::Assign { target, .. } => match target {
                Pattern::Name(name) => Some(Expr::Name(name.clone())),
                Pattern::Place(place) => match self.b.module.expr(*place) {
                    Expr::Member { object, name } => match self.b.module.expr(*object) {
                        Expr::Name(own) if &**own == "self" => Some(Expr::Member {
                            object: *object,
                            name: name.clone(),
                        }),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            },
            StmtKind::If { then, otherwise, .. } => {
                let (mut then, mut otherwise) = (std::mem::take(then), std::mem::take(otherwise));
                self.hand_back(&mut then, depth + 1);
                self.hand_back(&mut otherwise, depth + 1);
                self.put_back(body, |kind| {
                    if let StmtKind::If {
                        then: t, otherwise: o, ..
                    } = kind
                    {
                        *t = then;
                        *o = otherwise;
                    }
                });
                return;
            }
            StmtKind::Match { arms, .. } => {
                let mut inner = std::mem::take(arms);
                for arm in &mut inner {
                    self.hand_back(arm, depth + 1);
                }
                self.put_back(body, |kind| {
                    if let StmtKind::Match { arms, .. } = kind {
                        *arms = inner;
                    }
                });
                return;
            }
            StmtKind::Try {
                body: tried, handlers, ..
            } => {
                let (mut inner, mut caught) = (std::mem::take(tried), std::mem::take(handlers));
                self.hand_back(&mut inner, depth + 1);
                for handler in &mut caught {
                    self.hand_back(&mut handler.body, depth + 1);
                }
                self.put_back(body, |kind| {
                    if let StmtKind::Try { body, handlers, .. } = kind {
                        *body = inner;
                        *handlers = caught;
                    }
                });
                return;
            }
            _ => None,
        };
        if let Some(read) = read {
            let value = self.read_again(read, span);
            body.push(Stmt {
                kind: StmtKind::Return(Some(value)),
                span,
            });
        }
    }

    /// What was just set, as a value of its own.
    fn read_again(&mut self, read: Expr, span: Span) -> ExprId {
        let read = match read {
            Expr::Member { name, .. } => {
                let object = self.b.expr(Expr::Name("self".into()), span);
                Expr::Member { object, name }
            }
            other => other,
        };
        self.b.expr(read, span)
    }

    #[expect(clippy::unused_self, reason = "it belongs to what hands values back")]
    fn put_back(&self, body: &mut ThinVec<Stmt>, put: impl FnOnce(&mut StmtKind)) {
        if let Some(last) = body.last_mut() {
            put(&mut last.kind);
        }
    }

    /// A method that gives a field of its object: `attr_reader :client`.
    pub(super) fn reader(&mut self, node: Node<'_>, class: ClassId, name: &str) {
        let span = self.b.span(node);
        let id = self.b.reserve_function(span);
        let value = self.own(node, name);
        let body = thin_vec![self.b.stmt(node, StmtKind::Return(Some(value)))];
        let function = self.b.function_mut(id);
        function.name = Some(name.into());
        function.body = body;
        function.class = Some(class);
        self.b.class_mut(class).methods.push(id);
    }
}

/// A parameter of which only the name is known.
fn named(name: &str) -> Param {
    Param {
        pattern: Pattern::Name(name.into()),
        annotation: None,
        default: None,
        decorators: ThinVec::new(),
        rest: false,
    }
}
