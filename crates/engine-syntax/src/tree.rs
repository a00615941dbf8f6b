//! The trees themselves, for tools that edit a file in place; a scan works on the lowered form alone.

use std::cell::RefCell;

use engine_model::Language;
use tree_sitter::Parser;
pub use tree_sitter::{Node, Tree, TreeCursor};

use crate::lower::builder::{self, ParserSlot};

/// Declares one parser for each thread and grammar, and the function that picks it.
macro_rules! grammars {
    ($($(#[$gate:meta])? $slot:ident: $($language:ident)|+ => $grammar:expr;)+) => {
        thread_local! {
            $($(#[$gate])? static $slot: RefCell<Option<Parser>> = const { RefCell::new(None) };)+
        }

        fn parse_with(language: Language, text: &str) -> Option<Tree> {
            match language {
                $($(#[$gate])? $(Language::$language)|+ => {
                    let slot: &'static ParserSlot = &$slot;
                    builder::parse(slot, || $grammar.into(), text)
                })+
                _ => None,
            }
        }
    };
}

grammars! {
    #[cfg(feature = "python")] PYTHON: Python => tree_sitter_python::LANGUAGE;
    #[cfg(feature = "javascript")] JAVASCRIPT: JavaScript => tree_sitter_javascript::LANGUAGE;
    #[cfg(feature = "typescript")] TYPESCRIPT: TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    #[cfg(feature = "typescript")] TSX: Tsx => tree_sitter_typescript::LANGUAGE_TSX;
    #[cfg(feature = "go")] GO: Go => tree_sitter_go::LANGUAGE;
    #[cfg(feature = "java")] JAVA: Java => tree_sitter_java::LANGUAGE;
    #[cfg(feature = "csharp")] CSHARP: CSharp => tree_sitter_c_sharp::LANGUAGE;
    #[cfg(feature = "rust")] RUST: Rust => tree_sitter_rust::LANGUAGE;
    #[cfg(feature = "kotlin")] KOTLIN: Kotlin => tree_sitter_kotlin_ng::LANGUAGE;
    #[cfg(feature = "php")] PHP: Php => tree_sitter_php::LANGUAGE_PHP;
    #[cfg(feature = "ruby")] RUBY: Ruby => tree_sitter_ruby::LANGUAGE;
    #[cfg(feature = "shell")] SHELL: Shell => tree_sitter_bash::LANGUAGE;
    #[cfg(feature = "data")] HTML: Html => tree_sitter_html::LANGUAGE;
    #[cfg(feature = "data")] JSON: Json => tree_sitter_json::LANGUAGE;
    #[cfg(feature = "data")] TOML: Toml => tree_sitter_toml_ng::LANGUAGE;
    #[cfg(feature = "data")] YAML: Yaml => tree_sitter_yaml::LANGUAGE;
}

/// Parses a text. `None` if there is no grammar for the language, or if the text is too large or too broken to be parsed to its end.
///
/// Positions in the tree are byte offsets into `text`; a byte order mark must be taken off first.
pub fn parse(language: Language, text: &str) -> Option<Tree> {
    let tree = parse_with(language, text);
    let in_part = builder::parsed_in_part();
    tree.filter(|_| !in_part)
}

/// The number of nodes that are errors or were made up for missing text.
pub fn errors(tree: &Tree) -> usize {
    if !tree.root_node().has_error() {
        return 0;
    }
    let mut count = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            count += 1;
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_tree_are_counted() {
        let tree = |text| parse(Language::Python, text).unwrap();
        assert_eq!(errors(&tree("x = 1\n")), 0);
        assert!(errors(&tree("def f(:\n    pass\n")) > 0);
        assert!(parse(Language::Other, "x").is_none());
    }
}
