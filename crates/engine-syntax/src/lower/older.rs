//! Spellings that a grammar does not know yet, written in an older form with the same meaning.
//!
//! Each function is one or a few constructs of one language. It sees a text with errors only, and what it gives counts only if more of the
//! text is understood with it. A rewritten text has the lines of the first one; columns may differ. A grammar that learns a construct
//! makes its function idle: the tests over the newest syntax name the state.

mod csharp;
mod kotlin;
mod others;
mod texts;

use engine_model::Language;
pub(super) use texts::closed_texts;

/// A rewriting of a text; none where it has nothing to rewrite.
pub(super) type Rewrite = fn(Language, &str) -> Option<String>;

/// The rewritings of a language, in the order in which they are tried.
pub(super) fn rewrites(language: Language) -> &'static [Rewrite] {
    match language {
        Language::CSharp => &[csharp::directives, csharp::unions, csharp::expressions],
        Language::Kotlin => &[
            kotlin::guards,
            kotlin::contexts,
            kotlin::names,
            kotlin::one_line_bodies,
            kotlin::backing_fields,
        ],
        Language::Go => &[others::go],
        Language::Java => &[others::java],
        Language::JavaScript | Language::TypeScript | Language::Tsx => &[others::javascript],
        Language::Php => &[others::php],
        Language::Python => &[others::python],
        Language::Ruby => &[others::ruby],
        Language::Rust => &[others::rust],
        _ => &[],
    }
}

/// A text with what its grammar reads as something else, without an error: an extension block as a constructor.
pub(super) fn misread(language: Language, text: &str) -> Option<String> {
    (language == Language::CSharp && text.contains("extension"))
        .then(|| csharp::extension_blocks(language, text))
        .flatten()
}

/// The name that a class of a rewritten extension block of C# has; as long as `extension` with the word `class`.
pub(super) const EXTENSION_CLASS: &str = "__E";
