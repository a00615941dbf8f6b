//! Gives back what lists have room for and do not hold: a large tree is held as a whole.

use thin_vec::ThinVec;

use crate::ir::{Expr, Module, Pattern, Stmt, StmtKind};

/// Fits every list of a module to its length.
pub(super) fn fit(module: &mut Module) {
    module.imports.shrink_to_fit();
    module.exports.shrink_to_fit();
    module.functions.shrink_to_fit();
    module.classes.shrink_to_fit();
    module.exprs.shrink_to_fit();
    block(&mut module.body);
    for function in &mut module.functions {
        function.params.shrink_to_fit();
        function.decorators.shrink_to_fit();
        for param in &mut function.params {
            param.decorators.shrink_to_fit();
            pattern(&mut param.pattern);
        }
        block(&mut function.body);
    }
    for class in &mut module.classes {
        class.bases.shrink_to_fit();
        class.decorators.shrink_to_fit();
        class.fields.shrink_to_fit();
        class.methods.shrink_to_fit();
    }
    for expr in &mut module.exprs {
        match &mut expr.kind {
            Expr::Call { args, .. } => args.shrink_to_fit(),
            Expr::Template(parts) | Expr::List(parts) | Expr::Test(parts) | Expr::Other(parts) => parts.shrink_to_fit(),
            Expr::Map(entries) => entries.shrink_to_fit(),
            Expr::Choice { values, .. } => values.shrink_to_fit(),
            Expr::Element(element) => {
                element.attributes.shrink_to_fit();
                element.children.shrink_to_fit();
            }
            Expr::Block(stmts) => block(stmts),
            Expr::Comprehension { loops, .. } => loops.shrink_to_fit(),
            Expr::Assign { target, .. } => pattern(target),
            Expr::Name(_)
            | Expr::Member { .. }
            | Expr::Index { .. }
            | Expr::Str(_)
            | Expr::Number(_)
            | Expr::Bool(_)
            | Expr::Null
            | Expr::Function(_)
            | Expr::Class(_)
            | Expr::Await(_)
            | Expr::Propagate(_)
            | Expr::Import(_)
            | Expr::Cast { .. } => {}
        }
    }
}

/// Statements nest no deeper than the builder lets them.
fn block(stmts: &mut ThinVec<Stmt>) {
    stmts.shrink_to_fit();
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Assign { target, .. } => pattern(target),
            StmtKind::If { then, otherwise, .. } => {
                block(then);
                block(otherwise);
            }
            StmtKind::Match { arms, .. } => {
                arms.shrink_to_fit();
                arms.iter_mut().for_each(block);
            }
            StmtKind::Loop { body, .. } | StmtKind::Block(body) => block(body),
            StmtKind::With { items, body } => {
                items.shrink_to_fit();
                block(body);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                block(body);
                handlers.shrink_to_fit();
                for handler in handlers {
                    handler.types.shrink_to_fit();
                    block(&mut handler.body);
                }
                block(finally);
            }
            StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Raise(_)
            | StmtKind::Function(_)
            | StmtKind::Class(_)
            | StmtKind::Import(_) => {}
        }
    }
}

fn pattern(pattern: &mut Pattern) {
    match pattern {
        Pattern::Tuple(parts) => {
            parts.shrink_to_fit();
            parts.iter_mut().for_each(self::pattern);
        }
        Pattern::Object(parts) => {
            parts.shrink_to_fit();
            parts.iter_mut().for_each(|(_, part)| self::pattern(part));
        }
        Pattern::Name(_) | Pattern::Place(_) | Pattern::Ignore => {}
    }
}
