//! Defaults that are never reached: `name or self.model or "model-x"` where `self.model` always gives something.

use engine_syntax::ir::{ClassId, Expr, ExprId, FunctionId, Module, Pattern, StmtKind};

use crate::index::Index;
use crate::world::World;

/// Names and properties on the way to what always gives something.
const STEPS_MAX: u32 = 6;

impl World<'_> {
    /// How many of several values that stand in for one another can come about: those behind one that is never empty cannot.
    pub(super) fn reachable_of(&self, unit: u32, condition: Option<ExprId>, values: &[ExprId]) -> usize {
        let last = values.len().saturating_sub(1);
        if condition.is_some()
            || !matches!(
                values.last().map(|value| self.module(unit).expr(*value)),
                Some(Expr::Str(_))
            )
        {
            return values.len();
        }
        let index = self.index(unit);
        let settled = values[..last]
            .iter()
            .position(|value| never_empty(index, *value, STEPS_MAX));
        settled.map_or(values.len(), |at| at + 1)
    }
}

/// Whether an expression gives a text with something in it, whatever happened before.
fn never_empty(index: &Index<'_>, at: ExprId, steps: u32) -> bool {
    let Some(steps) = steps.checked_sub(1) else {
        return false;
    };
    let module = index.module;
    match module.expr(at) {
        Expr::Str(text) => !text.is_empty(),
        Expr::Template(parts) => parts
            .iter()
            .any(|part| matches!(module.expr(*part), Expr::Str(text) if !text.is_empty())),
        Expr::Choice {
            condition: None,
            values,
        } => values.iter().any(|value| never_empty(index, *value, steps)),
        Expr::Choice { values, .. } => values.iter().all(|value| never_empty(index, *value, steps)),
        Expr::Name(name) => {
            let Some(function) = index.function_of(at) else {
                return false;
            };
            let mut sets = index
                .stmts_of(function)
                .iter()
                .filter_map(|info| match &info.stmt.kind {
                    StmtKind::Assign {
                        target: Pattern::Name(known),
                        value,
                        ..
                    } if known == name => Some(*value),
                    _ => None,
                });
            let is_given = module
                .function(function)
                .params
                .iter()
                .any(|param| matches!(&param.pattern, Pattern::Name(known) if known == name));
            let Some(first) = sets.next().filter(|_| !is_given) else {
                return false;
            };
            std::iter::once(first)
                .chain(sets)
                .all(|value| value.is_some_and(|value| never_empty(index, value, steps)))
        }
        Expr::Member { object, name } => {
            let is_own = matches!(module.expr(*object), Expr::Name(own) if matches!(&**own, "self" | "this"));
            let class = index.function_of(at).and_then(|function| class_of(module, function));
            is_own
                && class
                    .and_then(|class| property(module, class, name))
                    .and_then(|getter| index.returns.get(getter.0 as usize))
                    .is_some_and(|given| {
                        !given.is_empty() && given.iter().all(|value| never_empty(index, *value, steps))
                    })
        }
        _ => false,
    }
}

fn class_of(module: &Module, function: FunctionId) -> Option<ClassId> {
    module.function(function).class
}

/// The function that works out a property of a class: `@property def model(self)`.
fn property(module: &Module, class: ClassId, name: &str) -> Option<FunctionId> {
    module.class(class).methods.iter().copied().find(|method| {
        let method = module.function(*method);
        let is_marked = |mark: &ExprId| matches!(module.expr(*mark), Expr::Name(mark) if matches!(&**mark, "property" | "cached_property"));
        method.name.as_deref() == Some(name) && method.decorators.iter().any(is_marked)
    })
}
