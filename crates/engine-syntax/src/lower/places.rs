//! Moves the places of a module that was lowered from a text put together.

use crate::ir::{Module, Span, Stmt, StmtKind};

/// Gives every place the line and cell that its row has in the file.
pub(super) fn shift(module: &mut Module, rows: &[(u32, u32)]) {
    let moved = |span: &mut Span| {
        let row = |line: u32| rows.get(line.saturating_sub(1) as usize).or(rows.last()).copied();
        if let Some((line, cell)) = row(span.line) {
            span.end_line = row(span.end_line).map_or(line, |(end, _)| end);
            span.line = line;
            span.cell = cell;
        }
    };
    let row = |at: u32| {
        rows.get(at.saturating_sub(1) as usize)
            .or(rows.last())
            .map_or((at, None), |(line, cell)| (*line, Some(*cell)))
    };
    for lines in &mut module.unparsed {
        let last = row(lines.last).0;
        (lines.first, lines.cell) = row(lines.first);
        lines.last = last;
    }
    for expr in &mut module.exprs {
        let mut span = expr.span();
        moved(&mut span);
        expr.place = span.into();
        if let crate::ir::Expr::Block(body) = &mut expr.kind {
            shift_block(body, &moved);
        }
    }
    for function in &mut module.functions {
        moved(&mut function.span);
        shift_block(&mut function.body, &moved);
    }
    for class in &mut module.classes {
        moved(&mut class.span);
        for field in &mut class.fields {
            moved(&mut field.span);
        }
    }
    for import in &mut module.imports {
        moved(&mut import.span);
    }
    shift_block(&mut module.body, &moved);
}

/// Statements nest no deeper than the lowering lets them.
fn shift_block(stmts: &mut [Stmt], moved: &impl Fn(&mut Span)) {
    for stmt in stmts {
        moved(&mut stmt.span);
        match &mut stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                shift_block(then, moved);
                shift_block(otherwise, moved);
            }
            StmtKind::Match { arms, .. } => {
                for arm in arms {
                    shift_block(arm, moved);
                }
            }
            StmtKind::Loop { body, .. } | StmtKind::With { body, .. } | StmtKind::Block(body) => {
                shift_block(body, moved);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                shift_block(body, moved);
                for handler in handlers {
                    moved(&mut handler.span);
                    shift_block(&mut handler.body, moved);
                }
                shift_block(finally, moved);
            }
            StmtKind::Expr(_)
            | StmtKind::Assign { .. }
            | StmtKind::Return(_)
            | StmtKind::Raise(_)
            | StmtKind::Function(_)
            | StmtKind::Class(_)
            | StmtKind::Import(_) => {}
        }
    }
}
