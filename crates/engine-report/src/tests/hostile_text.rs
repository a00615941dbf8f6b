//! Text from a hostile project: control characters, tags, quotes and path tricks in every format.

use engine_model::{Applicability, ScanResult};
use proptest::prelude::*;

use super::fixtures::{evidence, helpdesk, likely};
use super::junit::elements;
use super::verbose;
use crate::{TextOptions, code_quality, junit, markdown, sarif, text};

/// Puts a hostile text everywhere where a project can put one.
fn poisoned(poison: &str, other: &str) -> ScanResult {
    let mut scan = helpdesk();
    scan.project_path = format!("/home/ada/{poison}");
    scan.applicability_reason = poison.to_owned();
    scan.languages.insert(poison.to_owned(), 7);
    if let Some(gate) = &mut scan.gate {
        gate.reasons.push(poison.to_owned());
    }
    for system in &mut scan.systems {
        system.name = format!("{poison}{other}");
        system.scope = poison.to_owned();
        system.role_basis = other.to_owned();
        system.risk_basis = poison.to_owned();
        system.models.push(poison.to_owned());
        system.providers.push(other.to_owned());
        for entry in &mut system.entry_points {
            entry.name = poison.to_owned();
            entry.file = other.to_owned();
        }
        for question in &mut system.questions {
            question.text = poison.to_owned();
            question.why = other.to_owned();
            question.effect = poison.to_owned();
            question.provision = other.to_owned();
            question.suggestion = Some(likely(other, poison));
            question.command = format!("engine-server answer . --set {}={poison}", question.key);
            question.evidence.push(evidence(poison, 3, other));
        }
    }
    for finding in &mut scan.findings {
        finding.message = format!("{poison} `{other}` {poison}");
        finding.fix = Some(other.to_owned());
        finding.title = poison.to_owned();
        finding.file = finding.file.as_ref().map(|_| poison.to_owned());
        if let Some(explanation) = &mut finding.explanation {
            explanation.article = other.to_owned();
            explanation.why = poison.to_owned();
        }
        if let Some(suppression) = &mut finding.suppressed {
            suppression.reason = poison.to_owned();
            suppression.owner = Some(other.to_owned());
        }
    }
    for obligation in &mut scan.obligations {
        obligation.record.title = poison.to_owned();
        obligation.record.evidence.push(evidence(poison, 1, other));
    }
    for document in &mut scan.documents {
        document.file = poison.to_owned();
    }
    for entry in &mut scan.files_skipped {
        entry.path = poison.to_owned();
    }
    for call in &mut scan.inventory.calls {
        call.model = Some(poison.to_owned());
        call.provider = Some(other.to_owned());
    }
    scan
}

/// Markdown without its code spans, line by line.
fn outside_code(page: &str) -> String {
    let mut out = String::new();
    for line in page.lines() {
        let mut rest = line;
        while let Some(start) = first_fence(rest) {
            let fence = rest[start..].bytes().take_while(|b| *b == b'`').count();
            out.push_str(&rest[..start]);
            let after = &rest[start + fence..];
            if let Some(end) = closing(after, fence) {
                rest = &after[end + fence..];
            } else {
                out.push_str(&rest[start..start + fence]);
                rest = after;
            }
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// The first backtick that no backslash takes its meaning from.
fn first_fence(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' => escaped = !escaped,
            b'`' if !escaped => return Some(index),
            _ => escaped = false,
        }
    }
    None
}

fn closing(text: &str, fence: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|b| **b == b'`').count();
        if run == fence {
            return Some(at);
        }
        at += run.max(1);
    }
    None
}

fn own_tags(page: &str) -> String {
    [
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "<code>",
        "</code>",
    ]
    .iter()
    .fold(page.to_owned(), |page, tag| page.replace(tag, ""))
}

/// What a hostile project would try.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\u{1b}[31m",
        "\u{1b}]0;title\u{7}",
        "\r",
        "\n",
        "\u{9b}2J",
        "\u{202e}",
        "\u{2066}",
        "\u{e0041}",
        "<script>",
        "<img src=x>",
        "</details>",
        "`",
        "``",
        "```",
        "|",
        "\\",
        "\\`",
        "[x](http://e)",
        "@ada",
        "#1",
        "&lt;",
        "a",
        " ",
        "ä",
        "日",
        "\t",
        "<!--",
        "-->",
        "* ",
        "1. ",
        "---",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

#[test]
fn no_line_ends_with_a_no_break_space() {
    for (poison, other) in [("\u{a0}", ""), ("", "\u{a0}"), ("a\u{a0}", "\u{a0}\u{a0}")] {
        for width in [0, 40, 120] {
            let options = TextOptions {
                colour: false,
                verbose: true,
                width,
                path_prefix: Some(other.to_owned()),
            };
            let report = text(&poisoned(poison, other), &options);
            assert!(report.lines().all(|line| !line.ends_with(' ')), "{report:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_control_character_reaches_the_terminal(poison in hostile(), other in hostile(), width in 0_usize..200) {
        let options = TextOptions { colour: false, width, verbose: true, path_prefix: Some(other.clone()) };
        for applicability in
            [Applicability::SystemsFound, Applicability::NoAiFound, Applicability::Library, Applicability::Undetermined]
        {
            let mut scan = poisoned(&poison, &other);
            scan.applicability = applicability;
            let report = text(&scan, &options);
            prop_assert!(report.chars().all(|c| c == '\n' || !crate::foreign::is_hidden(c)), "{report:?}");
            prop_assert!(report.lines().all(|line| !line.ends_with(' ')), "{report:?}");
        }
    }

    #[test]
    fn no_tag_of_a_project_reaches_markdown(poison in hostile(), other in hostile()) {
        for applicability in [Applicability::SystemsFound, Applicability::NoAiFound] {
            let mut scan = poisoned(&poison, &other);
            scan.applicability = applicability;
            let page = markdown(&scan);
            let outside = own_tags(&outside_code(&page));
            prop_assert!(!outside.contains('<'), "{outside}");
            prop_assert_eq!(page.matches("<details>").count(), page.matches("<summary>").count());
        }
    }

    #[test]
    fn junit_of_hostile_text_is_well_formed(poison in hostile(), other in hostile()) {
        let xml = junit(&poisoned(&poison, &other));
        prop_assert!(elements(&xml).len() > 2);
        prop_assert!(xml.chars().all(|c| c == '\n' || !c.is_control()));
    }

    #[test]
    fn sarif_of_hostile_text_has_clean_messages(poison in hostile(), other in hostile()) {
        let log = sarif(&poisoned(&poison, &other));
        let run = &log["runs"][0];
        prop_assert_eq!(run["results"].as_array().map(Vec::len), Some(helpdesk().findings.len()));
        for result in run["results"].as_array().unwrap() {
            let message = result["message"]["text"].as_str().unwrap();
            prop_assert!(!message.is_empty() && !message.chars().any(crate::foreign::is_hidden));
            prop_assert!(!message.contains("]("));
        }
    }

    #[test]
    fn code_quality_of_hostile_text_is_clean(poison in hostile(), other in hostile()) {
        for entry in code_quality(&poisoned(&poison, &other)).as_array().unwrap() {
            let description = entry["description"].as_str().unwrap();
            prop_assert!(!description.chars().any(crate::foreign::is_hidden), "{description:?}");
        }
    }

    #[test]
    fn default_text_of_hostile_text_has_at_most_60_lines(poison in hostile(), other in hostile(), width in 80_usize..200) {
        let options = TextOptions { width, verbose: false, ..verbose() };
        let report = text(&poisoned(&poison, &other), &options);
        prop_assert!(report.lines().count() <= 60, "{report}");
        prop_assert!(report.chars().all(|c| c == '\n' || !crate::foreign::is_hidden(c)), "{report:?}");
    }
}
