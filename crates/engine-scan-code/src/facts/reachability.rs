//! Whether any code of the project leads to a call.

use std::collections::BTreeSet;

use engine_model::{Evidence, EvidenceKind, Language, TraceKind, Zone};
use engine_syntax::ir::{Expr, Pattern, StmtKind};
use rustc_hash::FxHashSet as HashSet;

use crate::checks::lies_aside;
use crate::entry::Entry;
use crate::index::NONE;
use crate::values::{ExprRef, FunctionRef, id};
use crate::world::World;

/// Functions between a call and one that nobody names.
const LEVELS_MAX: usize = 5;

/// Functions that a runtime or a framework starts by their name.
const BY_NAME: [&str; 18] = [
    "main",
    "init",
    "action",
    "actions",
    "loader",
    "load",
    "default",
    "fetch",
    "scheduled",
    "middleware",
    "getServerSideProps",
    "getStaticProps",
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "run",
    "setup",
];

/// What is named anywhere in a project, and where it is started.
pub(super) struct Reached<'w, 'm> {
    world: &'w World<'m>,
    /// Functions that something outside of the code starts.
    started: BTreeSet<FunctionRef>,
    /// Every name, member and text of the code.
    names: HashSet<&'m str>,
}

impl<'w, 'm> Reached<'w, 'm> {
    pub(super) fn new(world: &'w World<'m>, entries: &[Entry]) -> Self {
        let started: BTreeSet<FunctionRef> = entries
            .iter()
            // The pages of an extension call functions out of their markup, which is not read.
            .filter(|entry| {
                !lies_aside(world.unit(entry.unit).path) && entry.name != crate::message_handlers::EXTENSION
            })
            .filter_map(|entry| entry.function)
            .collect();
        let mut names = HashSet::default();
        for unit in 0..id(world.units.len()) {
            // What a script beside the product names is not used by the product.
            if lies_aside(world.unit(unit).path) {
                continue;
            }
            let module = world.module(unit);
            for (at, expr) in module.exprs.iter().enumerate() {
                if world.index(unit).expr_scope[at] == NONE {
                    continue;
                }
                if let Expr::Name(name) | Expr::Member { name, .. } | Expr::Str(name) = &expr.kind {
                    names.insert(&**name);
                }
            }
        }
        Self { world, started, names }
    }

    /// What is known of the way to a call where no call of the tree begins it.
    ///
    /// Nothing is said of a tree without a place where it starts, as others call what it holds.
    pub(super) fn unseen(&self, at: ExprRef) -> Option<(TraceKind, Evidence)> {
        let world = self.world;
        let unit = world.unit(at.0);
        if unit.zone != Zone::Product || self.started.is_empty() || lies_aside(unit.path) {
            return None;
        }
        let mut function = world.named_function_or_caller(at)?;
        for _ in 0..LEVELS_MAX {
            let node = world.function(function);
            let name = node.name.as_deref()?;
            if self.started.contains(&function)
                || !node.decorators.is_empty()
                || BY_NAME.contains(&name)
                || name.contains("handler")
                || name.starts_with("__")
            {
                return None;
            }
            let callers = world.callers_of(function);
            let mut callers = callers
                .iter()
                .copied()
                .filter(|caller| world.function_of(*caller) != Some(function))
                .filter(|caller| !lies_aside(world.unit(caller.0).path));
            let Some(first) = callers.next() else {
                let kind = if self.overrides(function) || self.names.contains(name) {
                    TraceKind::HandedOver
                } else if says(unit.language) {
                    TraceKind::Unreached
                } else {
                    return None;
                };
                let place = Evidence {
                    kind: EvidenceKind::Code,
                    reference: name.to_owned(),
                    file: Some(world.unit(function.0).path.to_owned()),
                    line: Some(node.span.line),
                    hash: None,
                };
                return Some((kind, place));
            };
            // `const step = async (state) => ask(state)`, handed on by its name.
            if let Some(held) = self.held(first) {
                return Some((TraceKind::HandedOver, held));
            }
            // Where several ways lead here, one may be open that is not followed to its end.
            let outer = world.named_function_of(first)?;
            if callers.any(|caller| world.named_function_of(caller) != Some(outer)) {
                return None;
            }
            function = outer;
        }
        None
    }
}

impl Reached<'_, '_> {
    /// The name under which a lambda around a place is kept, where nobody calls it by that name and it is handed on.
    fn held(&self, at: ExprRef) -> Option<Evidence> {
        let world = self.world;
        let lambda = world.function_of(at)?;
        let index = world.index(lambda.0);
        let expr = index.function_expr[lambda.1.0 as usize]?;
        let stmt = index.expr_stmt[expr.0 as usize];
        if stmt == NONE || self.started.contains(&lambda) || !world.callers_of(lambda).is_empty() {
            return None;
        }
        let StmtKind::Assign {
            target: Pattern::Name(name),
            value: Some(value),
            ..
        } = &index.stmts[stmt as usize].stmt.kind
        else {
            return None;
        };
        let given = *value == expr
            && index.calls.iter().any(|call| {
                let Expr::Call { args, .. } = index.module.expr(*call) else {
                    return false;
                };
                args.iter().any(|arg| {
                    let mut inner = arg.value;
                    while let Expr::Cast { value, .. } = index.module.expr(inner) {
                        inner = *value;
                    }
                    matches!(index.module.expr(inner), Expr::Name(known) if known == name)
                })
            });
        given.then(|| super::evidence(world, ExprRef(lambda.0, expr), name.to_string()))
    }

    /// Whether a method stands in a class that extends another, which may call it.
    fn overrides(&self, function: FunctionRef) -> bool {
        let module = self.world.module(function.0);
        self.world
            .function(function)
            .class
            .is_some_and(|class| !module.class(class).bases.is_empty())
    }
}

/// Whether a function of a language that nobody names does not run. Frameworks of other languages start what a file hands out by the
/// place of the file, or by annotations.
const fn says(language: Language) -> bool {
    matches!(
        language,
        Language::Go | Language::Rust | Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx
    )
}
