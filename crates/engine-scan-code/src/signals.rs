//! The names in code that carry what a call sends.

use std::collections::{BTreeMap, BTreeSet};

use engine_syntax::ir::Expr;

use crate::index::{BindSource, NONE};
use crate::values::ExprRef;
use crate::world::World;

/// The names that carry what a call sends, two bindings back.
pub(crate) fn carried(world: &World<'_>, at: ExprRef, names: &mut BTreeMap<String, u32>) {
    let Expr::Call { args, .. } = world.expr(at) else {
        return;
    };
    let mut stack: Vec<(ExprRef, u32)> = args.iter().map(|arg| (ExprRef(at.0, arg.value), 0)).collect();
    let mut seen = BTreeSet::new();
    while let Some((part, depth)) = stack.pop() {
        if seen.len() > 1_500 || !seen.insert(part) {
            continue;
        }
        match world.expr(part) {
            Expr::Name(name) => {
                names.entry(name.to_string()).or_insert(world.span(part).line);
                if depth < 2 {
                    let index = world.index(part.0);
                    let mut scope = index.expr_scope[part.1.0 as usize];
                    while scope != NONE {
                        if let Some(bindings) = index.scopes[scope as usize].names.get(&**name) {
                            for binding in bindings {
                                if let BindSource::Value(value) | BindSource::Each(value) = binding.source {
                                    stack.push((ExprRef(part.0, value), depth + 1));
                                }
                            }
                            break;
                        }
                        scope = index.scopes[scope as usize].parent;
                    }
                }
            }
            Expr::Member { name, object } => {
                names.entry(name.to_string()).or_insert(world.span(part).line);
                stack.push((ExprRef(part.0, *object), depth));
            }
            _ => stack.extend(
                world
                    .module(part.0)
                    .children(part.1)
                    .into_iter()
                    .map(|id| (ExprRef(part.0, id), depth)),
            ),
        }
    }
}
