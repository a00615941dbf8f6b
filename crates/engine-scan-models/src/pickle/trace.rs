//! What streams of serialised objects would import and call, as it is come upon.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{ModelFileProblemKind, ModelImportKind};

use super::IMPORTS_MAX;
use crate::imports;

/// One import, as it was come upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) name: String,
    pub(crate) kind: ModelImportKind,
    pub(crate) called: bool,
    pub(crate) why: &'static str,
    /// Whether the name says something only once it is called.
    latent: bool,
}

/// What a stream, or several in one file, would do.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) imports: Vec<Import>,
    pub(crate) problems: Vec<(ModelFileProblemKind, String)>,
    pub(crate) pickles: u32,
    pub(crate) protocol: u8,
    pub(crate) opcodes: u64,
    by_name: BTreeMap<String, usize>,
    /// Bytes of streams inside streams that were followed.
    pub(super) inner_bytes: usize,
    /// Names whose use was found to do harm, or could not be followed.
    unsettled: BTreeSet<&'static str>,
}

impl Trace {
    pub(super) fn import(&mut self, name: &str, called: bool) {
        if let Some(import) = self.by_name.get(name).and_then(|index| self.imports.get_mut(*index)) {
            import.called |= called;
            if called && import.latent {
                import.kind = ModelImportKind::Dangerous;
            }
            return;
        }
        if self.imports.len() >= IMPORTS_MAX {
            self.problem(
                ModelFileProblemKind::NotRead,
                "it has more imports than this scan reads",
            );
            return;
        }
        let judged = imports::judge(name);
        let kind = if judged.generic && !called {
            ModelImportKind::Unknown
        } else {
            judged.kind
        };
        self.by_name.insert(name.to_owned(), self.imports.len());
        self.imports.push(Import {
            name: name.to_owned(),
            kind,
            called,
            why: judged.why,
            latent: judged.generic,
        });
    }

    /// Lowers the judgement on a name whose use turned out to be harmless.
    pub(super) fn harmless(&mut self, name: &str) {
        self.settle(name, ModelImportKind::Unknown);
    }

    /// Sets the judgement on a function by what it was given: once it was given what could not be followed, it stays dangerous.
    pub(super) fn given(&mut self, name: &'static str, followed: bool) {
        if !followed {
            self.unsettled.insert(name);
        }
        let kind = if self.unsettled.contains(name) {
            ModelImportKind::Dangerous
        } else {
            ModelImportKind::Known
        };
        self.settle(name, kind);
    }

    /// Sets the judgement on a name.
    pub(super) fn settle(&mut self, name: &str, kind: ModelImportKind) {
        if let Some(import) = self.by_name.get(name).and_then(|index| self.imports.get_mut(*index)) {
            import.kind = kind;
        }
    }

    pub(crate) fn problem(&mut self, kind: ModelFileProblemKind, message: impl Into<String>) {
        let problem = (kind, message.into());
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}
