//! Composed values: concatenated texts, blocks with branches, and objects that a container returns.

use engine_syntax::ir::{Expr, ExprId, Stmt, StmtKind};
use rustc_hash::FxHashMap as HashMap;

use super::{VALUES_MAX, merge};
use crate::project::is_script;
use crate::values::{ExprRef, Part, Root, Value};
use crate::world::World;

/// Branches within branches whose values are looked at.
const BLOCKS_MAX: u32 = 12;

/// Parts of a text that are looked at for more than one value each.
const PARTS_MAX: usize = 8;

impl World<'_> {
    /// What a block gives as a value: its last expression, or the last one of each branch with which it ends.
    pub(super) fn block_values(&self, unit: u32, stmts: &[Stmt], depth: u32, out: &mut Vec<Value>) {
        let Some(last) = stmts.last().filter(|_| depth < BLOCKS_MAX) else {
            return;
        };
        match &last.kind {
            StmtKind::Expr(value) => merge(out, &self.eval(ExprRef(unit, *value))),
            StmtKind::If { then, otherwise, .. } if !otherwise.is_empty() => {
                self.block_values(unit, then, depth + 1, out);
                self.block_values(unit, otherwise, depth + 1, out);
            }
            StmtKind::Match { arms, .. } => {
                for arm in arms {
                    self.block_values(unit, arm, depth + 1, out);
                }
            }
            StmtKind::Try { body, handlers, .. } => {
                self.block_values(unit, body, depth + 1, out);
                for handler in handlers {
                    self.block_values(unit, &handler.body, depth + 1, out);
                }
            }
            StmtKind::Block(inner) => self.block_values(unit, inner, depth + 1, out),
            _ => {}
        }
    }

    /// The texts that parts can make together: what stands first in each, then every other text of one of them.
    pub(super) fn templates(&self, unit: u32, parts: &[ExprId]) -> Vec<Value> {
        let mut out = vec![self.template(unit, parts)];
        for (at, part) in parts.iter().enumerate().take(PARTS_MAX) {
            let values = self.eval(ExprRef(unit, *part));
            for other in values.iter().filter(|value| matches!(value, Value::Text(_))).skip(1) {
                if out.len() >= VALUES_MAX {
                    return out;
                }
                merge(&mut out, &[self.template_with(unit, parts, Some((at, other)))]);
            }
        }
        out
    }

    /// The text that parts make together.
    pub(crate) fn template(&self, unit: u32, parts: &[ExprId]) -> Value {
        self.template_with(unit, parts, None)
    }

    fn template_with(&self, unit: u32, parts: &[ExprId], other: Option<(usize, &Value)>) -> Value {
        let mut out: Vec<Part> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if let Some((_, Value::Text(text))) = other.filter(|(place, _)| *place == at) {
                out.extend(text.iter().cloned());
                continue;
            }
            let values = self.eval(ExprRef(unit, *part));
            let chosen = values.iter().find(|value| matches!(value, Value::Text(_))).or_else(|| {
                values
                    .iter()
                    .find(|value| matches!(value, Value::Env(_) | Value::Number(_)))
            });
            match chosen {
                Some(Value::Text(parts)) => out.extend(parts.iter().cloned()),
                Some(Value::Number(number)) => out.push(Part::Known(number.clone())),
                Some(Value::Env(name)) => out.push(Part::Env(name.clone())),
                _ => out.push(
                    values
                        .iter()
                        .filter_map(|value| match value {
                            Value::Path(path) if matches!(path.root, Root::Param(..)) => Some(path),
                            _ => None,
                        })
                        // What was given says more than what was cut off it: `path = path.substring(1)`.
                        .min_by_key(|path| path.segs.len())
                        .map_or(Part::Unknown, |path| Part::Open(path.clone())),
                ),
            }
            if out.len() > 400 {
                break;
            }
        }
        Value::Text(out.into())
    }

    /// What a container hands to a parameter that names a token: `@Inject(LLM) private readonly llm: OpenAI`.
    pub(super) fn provided(&self, unit: u32, decorators: &[ExprId]) -> Vec<Value> {
        for decorator in decorators {
            let Expr::Call { callee, args, .. } = self.module(unit).expr(*decorator) else {
                continue;
            };
            if !is_script(self.unit(unit).language)
                || !matches!(self.module(unit).expr(*callee), Expr::Name(name) if &**name == "Inject")
            {
                continue;
            }
            let Some(token) = args.first().and_then(|arg| token_name(self.module(unit), arg.value)) else {
                continue;
            };
            let providers = self.providers.get_or_init(|| self.find_providers());
            let mut out = Vec::new();
            for at in providers.get(token).into_iter().flatten() {
                for value in self.entry(*at, "useFactory") {
                    merge(&mut out, &self.call(&value, *at));
                }
                merge(&mut out, &self.entry(*at, "useValue"));
                for value in self.entry(*at, "useClass") {
                    if let Value::Class(class) = value {
                        merge(&mut out, &[Value::Instance(class, None)]);
                    }
                }
            }
            if !out.is_empty() {
                return out;
            }
        }
        Vec::new()
    }

    /// Records of a container by the names of their tokens: `{ provide: LLM, useFactory: … }`.
    fn find_providers(&self) -> HashMap<Box<str>, Vec<ExprRef>> {
        let mut out: HashMap<Box<str>, Vec<ExprRef>> = HashMap::default();
        for (unit, other) in (0..).zip(&self.units) {
            if !is_script(other.language) {
                continue;
            }
            let module = other.index.module;
            for (at, expr) in module.exprs.iter().enumerate() {
                let Expr::Map(entries) = &expr.kind else { continue };
                let provide = entries.iter().find(|entry| {
                    entry.key.is_some_and(
                        |key| matches!(module.expr(key), Expr::Str(name) | Expr::Name(name) if &**name == "provide"),
                    )
                });
                if let Some(token) = provide.and_then(|entry| token_name(module, entry.value)) {
                    let at = ExprRef(unit, ExprId(crate::values::id(at)));
                    out.entry(token.into()).or_default().push(at);
                }
            }
        }
        out
    }
}

/// The name under which a container knows a token: that of a constant, a class or a text.
fn token_name(module: &engine_syntax::Module, token: ExprId) -> Option<&str> {
    match module.expr(token) {
        Expr::Name(name) | Expr::Str(name) | Expr::Member { name, .. } => Some(name),
        _ => None,
    }
}
