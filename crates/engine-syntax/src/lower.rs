//! Chooses the lowering for a language.

pub(crate) mod builder;
mod code;
#[cfg(feature = "typescript")]
mod component;
#[cfg(feature = "csharp")]
mod csharp;
#[cfg(feature = "go")]
mod go;
mod guard;
#[cfg(feature = "java")]
mod java;
#[cfg(any(feature = "javascript", feature = "typescript"))]
mod javascript;
#[cfg(feature = "kotlin")]
mod kotlin;
mod losses;
#[cfg(any(feature = "java", feature = "csharp", feature = "rust", feature = "kotlin"))]
mod names;
#[cfg(feature = "notebook")]
mod notebook;
mod older;
#[cfg(any(
    feature = "go",
    feature = "java",
    feature = "csharp",
    feature = "rust",
    feature = "kotlin",
    feature = "php",
    feature = "ruby"
))]
mod operators;
#[cfg(feature = "php")]
mod php;
#[cfg(feature = "notebook")]
mod places;
#[cfg(feature = "python")]
mod python;
mod recovery;
#[cfg(feature = "ruby")]
mod ruby;
#[cfg(feature = "rust")]
mod rust;
#[cfg(feature = "shell")]
mod shell;
#[cfg(any(
    feature = "csharp",
    feature = "go",
    feature = "java",
    feature = "kotlin",
    feature = "php",
    feature = "ruby",
    feature = "rust"
))]
mod spine;
mod tight;

use std::sync::OnceLock;

#[cfg(feature = "typescript")]
pub use component::{is_component, is_page, lower_component};
use engine_model::Language;

use crate::ir::Module;

/// Whether a language can be lowered with the features of this build.
pub fn supports(language: Language) -> bool {
    // An empty text asks the one list of lowerings below, so that no second list can differ from it. It is asked once:
    // every lowering makes a parser.
    static KNOWN: [OnceLock<bool>; LANGUAGES] = [const { OnceLock::new() }; LANGUAGES];
    match KNOWN.get(language as usize) {
        Some(known) => *known.get_or_init(|| lower(language, "").is_some()),
        None => lower(language, "").is_some(),
    }
}

/// Languages that the model tells apart.
const LANGUAGES: usize = Language::Other as usize + 1;

/// Lowers a file; `None` when the language has no lowering or the text is binary.
///
/// Text that defeats the parser gives an empty module that is marked as truncated.
pub fn lower(language: Language, text: &str) -> Option<Module> {
    if text.as_bytes().contains(&0) {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A notebook is data around its cells; each cell is cut by itself.
    let (text, whole) = if language == Language::Notebook {
        (text, true)
    } else {
        guard::evaluated(text)
    };
    let mut module = recovery::lower(language, text)?;
    module.truncated |= builder::parsed_in_part() || !whole;
    tight::fit(&mut module);
    Some(module)
}

/// Lowers a text as it stands; what the grammar could not read is left to [`builder::losses`].
fn lower_once(language: Language, text: &str) -> Option<Module> {
    Some(match language {
        #[cfg(feature = "python")]
        Language::Python => python::lower(text),
        #[cfg(feature = "javascript")]
        Language::JavaScript => javascript::lower(language, text),
        #[cfg(feature = "typescript")]
        Language::TypeScript | Language::Tsx => javascript::lower(language, text),
        #[cfg(feature = "notebook")]
        Language::Notebook => notebook::lower(text),
        #[cfg(feature = "shell")]
        Language::Shell => shell::lower(text),
        #[cfg(feature = "go")]
        Language::Go => go::lower(text),
        #[cfg(feature = "java")]
        Language::Java => java::lower(text),
        #[cfg(feature = "csharp")]
        Language::CSharp => csharp::lower(text),
        #[cfg(feature = "rust")]
        Language::Rust => rust::lower(text),
        #[cfg(feature = "kotlin")]
        Language::Kotlin => kotlin::lower(text),
        #[cfg(feature = "php")]
        Language::Php => php::lower(text),
        #[cfg(feature = "ruby")]
        Language::Ruby => ruby::lower(text),
        _ => return None,
    })
}

/// The module of a text that was not understood at all.
fn not_understood(language: Language) -> Module {
    Module {
        truncated: true,
        ..Module::new(language)
    }
}
