//! The reference of fixes: a table of all strategies, and the first example of each.

use std::fmt::Write as _;

use engine_fixer::{FixExample, STRATEGIES, Strategy};
use engine_model::Language;

use crate::check_pages::fence;
use crate::codegen::GENERATED;

/// The path of the page.
pub(crate) const PATH: &str = "docs/fixes.md";

/// The page of all strategies.
pub(crate) fn page() -> String {
    of(STRATEGIES)
}

fn of(strategies: &[&Strategy]) -> String {
    let mut out = format!(
        "{GENERATED}# Fixes\n\nThe engine has {} strategies to fix findings. If several strategies match a finding, it uses the first one \
         in this table that fits the code. [Fixing findings](guide/fixing-findings.md) explains how to preview, apply and undo a fix. All \
         examples run as tests.\n\n\
         | strategy | description | checks | languages | kind |\n| --- | --- | --- | --- | --- |\n",
        strategies.len()
    );
    for strategy in strategies {
        let _ = writeln!(
            out,
            "| [`{0}`](#{0}) | {1} | {2} | {3} | {4} |",
            strategy.id,
            first_sentence(&strategy.title()).replace('|', "\\|"),
            checks(strategy),
            languages(strategy),
            strategy.kind.name()
        );
    }
    for strategy in strategies {
        let _ = write!(out, "\n## {}\n\n{}\n", strategy.id, strategy.title());
        if let Some(FixExample { before, after }) = strategy.examples().first() {
            block(&mut out, "Before", before);
            block(&mut out, "After (changed and new files)", after);
        }
    }
    out
}

/// The checks of a strategy, each with a link to its page.
fn checks(strategy: &Strategy) -> String {
    let links = strategy.checks.iter().map(|id| format!("[`{id}`](checks/{id}.md)"));
    links.collect::<Vec<_>>().join(", ")
}

/// The languages of the file of a finding.
fn languages(strategy: &Strategy) -> String {
    if strategy.languages.is_empty() {
        return "any".to_owned();
    }
    let names = strategy.languages.iter().map(|language| label(*language));
    names.collect::<Vec<_>>().join(", ")
}

/// The name of a language in a sentence.
const fn label(language: Language) -> &'static str {
    match language {
        Language::Python => "Python",
        Language::JavaScript => "JavaScript",
        Language::TypeScript => "TypeScript",
        Language::Tsx => "TSX",
        Language::Go => "Go",
        Language::Rust => "Rust",
        Language::Java => "Java",
        Language::Kotlin => "Kotlin",
        Language::CSharp => "C#",
        Language::Php => "PHP",
        Language::Ruby => "Ruby",
        Language::Html => "HTML",
        Language::Markup => "documents",
        other => other.name(),
    }
}

/// A text up to the end of its first sentence.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// A titled block with a tree of files.
fn block(out: &mut String, title: &str, tree: &str) {
    let fence = fence(tree);
    let _ = write!(out, "\n{title}:\n\n{fence}text\n{tree}{fence}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_all_strategies_then_each_has_a_row_and_an_example() {
        let page = page();
        for strategy in STRATEGIES {
            let id = strategy.id;
            assert!(page.contains(&format!("\n| [`{id}`](#{id}) | ")), "{id}");
            let (_, section) = page.split_once(&format!("\n## {id}\n\n")).unwrap();
            // Files of an example can have headings of their own, so the first titles after the heading count.
            let before = section.find("\nBefore:\n\n").unwrap();
            let after = section.find("\nAfter (changed and new files):\n\n").unwrap();
            assert!(before < after, "{id}");
        }
    }

    #[test]
    fn given_a_strategy_then_its_checks_have_a_page() {
        for strategy in STRATEGIES {
            for id in strategy.checks {
                assert!(engine_scanner::check(id).is_some(), "{}: {id}", strategy.id);
            }
        }
    }

    #[test]
    fn given_a_paragraph_then_the_row_has_its_first_sentence() {
        assert_eq!(first_sentence("One thing. Another one."), "One thing.");
        assert_eq!(first_sentence("Calls `a.b` once."), "Calls `a.b` once.");
    }
}
