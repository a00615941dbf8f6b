//! Lowers a text in each language; the C code of the grammars runs here too.

#![no_main]

use engine_fuzz::choose;
use engine_model::Language;
use engine_syntax::lower;
use libfuzzer_sys::fuzz_target;

const LANGUAGES: [Language; 13] = [
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Go,
    Language::Rust,
    Language::Java,
    Language::Kotlin,
    Language::CSharp,
    Language::Shell,
    Language::Notebook,
    // Seeds name their language by its place: new ones come last.
    Language::Php,
    Language::Ruby,
];

fuzz_target!(|data: &[u8]| {
    if let Some((language, bytes)) = choose(&LANGUAGES, data) {
        let text = String::from_utf8_lossy(bytes);
        let module = lower(*language, &text);
        assert!(text.contains('\0') || module.is_some(), "{language:?} has a lowering");
    }
});
