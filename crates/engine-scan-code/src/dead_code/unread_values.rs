//! Local values that are created and stored under a name, but never read again.

use engine_model::CallKind;
use engine_syntax::ir::{Expr, Pattern, StmtKind};

use crate::calls::Found;
use crate::index::NONE;
use crate::project::{is_python, is_script};
use crate::world::World;

/// Makers between what is made and the name that keeps it: `Predictor(llm=ChatModel(…))`.
const AROUND_MAX: usize = 4;

/// The variable of a function that keeps what a record makes and that nothing reads, with its line.
pub(super) fn unread<'w>(world: &World<'w>, found: &Found) -> Option<(&'w str, u32)> {
    let unit = found.at.0;
    let language = world.unit(unit).language;
    if found.call.kind != CallKind::Construct || !(is_python(language) || is_script(language)) {
        return None;
    }
    let index = world.index(unit);
    let module = index.module;
    let function = index.function_of(found.at.1)?;
    let stmt = index.expr_stmt[found.at.1.0 as usize];
    if stmt == NONE || module.truncated {
        return None;
    }
    let stmt = &index.stmts[stmt as usize].stmt;
    let StmtKind::Assign {
        target: Pattern::Name(name),
        value: Some(value),
        ..
    } = &stmt.kind
    else {
        return None;
    };
    // Whatever else stands around it may do something with it.
    let mut made = found.at.1;
    for above in index.ancestors(found.at.1).take(AROUND_MAX) {
        if made == *value {
            break;
        }
        let makes = match module.expr(above) {
            Expr::Call { callee, new, .. } => {
                *new || matches!(module.expr(*callee), Expr::Name(name) if name.starts_with(char::is_uppercase))
            }
            _ => false,
        };
        if !makes {
            return None;
        }
        made = above;
    }
    // A name of the module, which another function may read, is declared with `global`.
    let own = index.function_scope[function.0 as usize];
    let is_own = index
        .scopes
        .get(own as usize)
        .is_some_and(|scope| scope.names.contains_key(&**name));
    let is_read = || {
        index
            .exprs_of(Some(function))
            .into_iter()
            .any(|id| matches!(module.expr(id), Expr::Name(known) if known == name))
    };
    (made == *value && is_own && !is_read()).then_some((&**name, stmt.span.line))
}
