//! One file by itself: whether it is worth parsing, and what it brings in.

use engine_model::SourceFile;
use engine_syntax::Module;
use serde::{Deserialize, Serialize};

/// What is remembered of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeFacts {
    /// The lowered file, if it was parsed.
    pub module: Option<Module>,
    /// Whether the text was parsed.
    pub parsed: bool,
    /// The modules that the file imports as its lines tell, sorted.
    pub imports: Vec<String>,
    /// Literals of the prefilter that the text holds, sorted; a file without any was not parsed.
    pub mentions: Vec<String>,
    /// Whether part of the text was not evaluated: bytes that are no text, or more work than one file may cost.
    #[serde(default)]
    pub cut: bool,
}

/// Reads one file. A file without any literal that an AI call needs is not parsed.
pub fn read(file: &SourceFile<'_>) -> CodeFacts {
    let Some(text) = file.text() else {
        return CodeFacts {
            cut: !file.bytes.is_empty(),
            ..CodeFacts::default()
        };
    };
    let mentions = crate::prefilter::mentions(file.language, &text);
    let imports = crate::prefilter::imports(file.language, &text);
    if mentions.is_empty() {
        return CodeFacts {
            imports,
            ..CodeFacts::default()
        };
    }
    let module = engine_syntax::lower(file.language, &text);
    CodeFacts {
        parsed: module.is_some(),
        cut: module.as_ref().is_none_or(|module| module.truncated),
        module,
        imports,
        mentions,
    }
}
