//! Names that several blocks of one function declare: each block has its own then.
//!
//! A name that one block declares alone stays with the function. That is as right, and keeps the scopes few.

use engine_model::Language;
use engine_syntax::ir::{Declares, Pattern, Stmt, StmtKind};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::NESTING_MAX;

/// Names that more than one block of a body declares, functions inside of it left out.
pub(super) fn repeated(language: Language, body: &[Stmt]) -> HashSet<&str> {
    let mut names = Names::default();
    if has(language) {
        names.block(body, 0);
    }
    names.repeated
}

/// Whether a block of a language has names of its own.
pub(super) const fn has(language: Language) -> bool {
    matches!(
        language,
        Language::JavaScript
            | Language::TypeScript
            | Language::Go
            | Language::Rust
            | Language::Java
            | Language::Kotlin
            | Language::CSharp
    )
}

/// Whether a list of statements declares a name itself.
pub(super) fn declares(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        matches!(
            stmt.kind,
            StmtKind::Assign {
                declares: Declares::InBlock,
                ..
            }
        )
    })
}

/// Whether a list of statements declares one of these names itself.
pub(super) fn declares_one(stmts: &[Stmt], names: &HashSet<&str>) -> bool {
    let declares = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign {
            target,
            declares: Declares::InBlock,
            ..
        } => binds_one(target, names),
        _ => false,
    };
    !names.is_empty() && stmts.iter().any(declares)
}

/// Whether a pattern binds one of these names.
pub(super) fn binds_one(pattern: &Pattern, names: &HashSet<&str>) -> bool {
    match pattern {
        Pattern::Name(name) => names.contains(&**name),
        Pattern::Tuple(parts) => parts.iter().any(|part| binds_one(part, names)),
        Pattern::Object(parts) => parts.iter().any(|(_, part)| binds_one(part, names)),
        Pattern::Place(_) | Pattern::Ignore => false,
    }
}

#[derive(Default)]
struct Names<'m> {
    /// The block that declares each name first, by a number of its own.
    first: HashMap<&'m str, u32>,
    repeated: HashSet<&'m str>,
    blocks: u32,
}

impl<'m> Names<'m> {
    fn block(&mut self, stmts: &'m [Stmt], depth: u32) {
        self.blocks += 1;
        let own = self.blocks;
        if depth >= NESTING_MAX {
            return;
        }
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign {
                    target,
                    declares: Declares::InBlock,
                    ..
                } => self.pattern(target, own),
                StmtKind::If { then, otherwise, .. } => {
                    self.block(then, depth + 1);
                    self.block(otherwise, depth + 1);
                }
                StmtKind::Match { arms, .. } => {
                    for arm in arms {
                        self.block(arm, depth + 1);
                    }
                }
                StmtKind::Loop { pattern, body, .. } => {
                    self.blocks += 1;
                    let around = self.blocks;
                    if let Some(pattern) = pattern {
                        self.pattern(pattern, around);
                    }
                    self.block(body, depth + 1);
                }
                StmtKind::With { items, body } => {
                    self.blocks += 1;
                    let around = self.blocks;
                    for (_, pattern) in items {
                        if let Some(pattern) = pattern {
                            self.pattern(pattern, around);
                        }
                    }
                    self.block(body, depth + 1);
                }
                StmtKind::Try {
                    body,
                    handlers,
                    finally,
                } => {
                    self.block(body, depth + 1);
                    for handler in handlers {
                        self.block(&handler.body, depth + 1);
                    }
                    self.block(finally, depth + 1);
                }
                StmtKind::Block(stmts) => self.block(stmts, depth + 1),
                _ => {}
            }
        }
    }

    fn pattern(&mut self, pattern: &'m Pattern, block: u32) {
        match pattern {
            Pattern::Name(name) => {
                if *self.first.entry(name).or_insert(block) != block {
                    self.repeated.insert(name);
                }
            }
            Pattern::Tuple(parts) => parts.iter().for_each(|part| self.pattern(part, block)),
            Pattern::Object(parts) => parts.iter().for_each(|(_, part)| self.pattern(part, block)),
            Pattern::Place(_) | Pattern::Ignore => {}
        }
    }
}
