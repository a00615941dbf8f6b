//! The lowerings seen from outside: a source goes in, the dump of its module comes out.

#[cfg(feature = "typescript")]
mod component;
mod csharp;
mod dump;
mod go;
mod hostile;
mod hostile_typed;
mod java;
mod javascript;
mod kotlin;
mod notebook;
mod php;
mod places;
mod python;
mod recovery;
mod ruby;
mod rust;
mod shell;

use engine_model::Language;

use crate::ir::Module;
use crate::lower;
use dump::dump;

/// Lowers a source.
fn module(language: Language, source: &str) -> Module {
    lower(language, source).expect("the language has a lowering")
}

/// Compares the dump of a source with what is expected.
#[track_caller]
fn check_in(language: Language, source: &str, expected: &str) {
    let found = dump(&module(language, source));
    let trimmed = expected.trim_matches('\n');
    assert!(found == trimmed, "<<<{found}>>>\nexpected:\n{trimmed}");
}
