//! Branches disabled by a constant of their file: `const USE_OPENAI = false; if (USE_OPENAI && key) { … }`.

use engine_syntax::ir::{Expr, ExprId, Module, Pattern, Stmt, StmtKind};

use crate::index::{Index, NONE, Role};
use crate::values::ExprRef;
use crate::world::World;

/// Parts of one condition that are looked at.
const PARTS_MAX: usize = 64;

/// The name of the constant that keeps a place from being run, with its line.
pub(super) fn switched_off<'m>(index: &Index<'m>, at: ExprId) -> Option<(&'m str, u32)> {
    let mut stmt = index.expr_stmt[at.0 as usize];
    while stmt != NONE {
        let info = &index.stmts[stmt as usize];
        if info.parent != NONE
            && let StmtKind::If { condition, .. } = &index.stmts[info.parent as usize].stmt.kind
            && let Some((holds, name, line)) = known(index, *condition)
            && matches!((info.role, holds), (Role::Then, false) | (Role::Otherwise, true))
        {
            return Some((name, line));
        }
        stmt = info.parent;
    }
    None
}

/// The class or function of Python around a place that another of its name replaces further down, before anything asks for it, with the line of
/// the other.
pub(super) fn replaced(world: &World<'_>, at: ExprRef) -> Option<(String, u32)> {
    if !crate::project::is_python(world.unit(at.0).language) {
        return None;
    }
    let module = world.module(at.0);
    let line = world.span(at).line;
    let declared = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Class(class) => {
            let class = module.class(*class);
            Some((class.name.clone()?, class.decorators.is_empty(), class.span))
        }
        StmtKind::Function(function) => {
            let function = module.function(*function);
            Some((function.name.clone()?, function.decorators.is_empty(), function.span))
        }
        _ => None,
    };
    let mut all = module.body.iter().filter_map(declared);
    let (name, plain, span) = all.find(|(_, _, span)| (span.line..=span.end_line).contains(&line))?;
    let (_, _, other) = all.find(|(known, ..)| *known == name)?;
    // What stands in the other's own head, such as a base of the same name, asks for it as well.
    let asked = module.exprs.iter().any(|expr| {
        matches!(&expr.kind, Expr::Name(known) if *known == name)
            && (span.end_line + 1..=other.line).contains(&expr.span().line)
    });
    let extended = module
        .classes
        .iter()
        .any(|class| class.span == other && class.bases.iter().any(|base| *base.name == *name));
    (plain && !asked && !extended).then(|| (name.to_string(), other.line))
}

/// Whether a condition holds, where a constant alone tells, with the constant and its line.
fn known<'m>(index: &Index<'m>, condition: ExprId) -> Option<(bool, &'m str, u32)> {
    let module = index.module;
    match module.expr(condition) {
        Expr::Name(name) => constant(module, name).map(|(value, line)| (value, &**name, line)),
        // A test with one part is a `not`.
        Expr::Test(parts) if parts.len() == 1 => match module.expr(parts[0]) {
            Expr::Name(name) => constant(module, name).map(|(value, line)| (!value, &**name, line)),
            _ => None,
        },
        Expr::Test(_) => module
            .required
            .iter()
            .take(PARTS_MAX)
            .filter(|part| belongs(index, **part, condition))
            .find_map(|part| match module.expr(*part) {
                Expr::Name(name) => constant(module, name)
                    .filter(|(value, _)| !value)
                    .map(|(_, line)| (false, &**name, line)),
                _ => None,
            }),
        _ => None,
    }
}

/// Whether nothing but `and` stands between a part and its condition.
fn belongs(index: &Index<'_>, part: ExprId, condition: ExprId) -> bool {
    if part == condition {
        return false;
    }
    for above in index.ancestors(part) {
        match index.module.expr(above) {
            Expr::Test(parts) if parts.len() == 1 => return false,
            Expr::Test(_) | Expr::Choice { .. } if above == condition => return true,
            Expr::Test(_) | Expr::Choice { .. } => {}
            _ => return false,
        }
    }
    false
}

/// What a constant of a file is, with its line: a name in capitals that the file sets once, at its top or in a class, to true or false.
fn constant(module: &Module, name: &str) -> Option<(bool, u32)> {
    let capitals = name.len() > 3
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if !capitals {
        return None;
    }
    let truth = |value: ExprId| match module.expr(value) {
        Expr::Bool(value) => Some(*value),
        _ => None,
    };
    let tops = module.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Assign {
            target: Pattern::Name(known),
            value: Some(value),
            ..
        } if **known == *name => Some((*value, stmt.span.line)),
        _ => None,
    });
    let fields = module
        .classes
        .iter()
        .flat_map(|class| &class.fields)
        .filter_map(|field| {
            let value = field.value.filter(|_| &*field.name == name)?;
            Some((value, field.span.line))
        });
    let mut all = tops.chain(fields);
    let (value, line) = all.next()?;
    if all.next().is_some() || is_set_again(module, name) {
        return None;
    }
    Some((truth(value)?, line))
}

/// Whether an expression of the file sets a name: `(USE_OPENAI = true)`, `settings.USE_OPENAI = true`.
fn is_set_again(module: &Module, name: &str) -> bool {
    module.exprs.iter().any(|expr| match &expr.kind {
        Expr::Assign { target, .. } => match &**target {
            Pattern::Name(known) => **known == *name,
            Pattern::Place(place) => {
                matches!(module.expr(*place), Expr::Member { name: known, .. } if **known == *name)
            }
            _ => false,
        },
        _ => false,
    })
}
