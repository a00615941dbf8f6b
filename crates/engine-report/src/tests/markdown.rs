//! The report as Markdown: snapshots and the limit of a comment.

use engine_model::{Applies, FindingType, ObligationStatus, Severity};

use super::fixtures::{finding, finished, helpdesk, library, no_ai, record, system, undetermined, unevaluated};
use crate::markdown;

#[test]
fn markdown_of_a_project_with_two_systems() {
    insta::assert_snapshot!(markdown(&helpdesk()));
}

#[test]
fn markdown_of_a_project_without_ai() {
    insta::assert_snapshot!(markdown(&no_ai()));
}

#[test]
fn markdown_of_a_project_without_assessed_obligations() {
    insta::assert_snapshot!(markdown(&unevaluated()));
}

#[test]
fn details_are_closed_and_tables_have_equal_columns() {
    for scan in [helpdesk(), no_ai(), library(), undetermined(), unevaluated()] {
        let page = markdown(&scan);
        assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
        let mut columns = None;
        for line in page.lines() {
            let bars = line.starts_with('|').then(|| line.matches('|').count());
            if bars.is_some() && columns.is_some() {
                assert_eq!(bars, columns, "{line}");
            }
            columns = bars;
        }
        assert!(!page.contains("\n\n\n"), "{page}");
    }
}

#[test]
fn items_beyond_30_are_counted() {
    let mut scan = helpdesk();
    scan.findings = (0..40)
        .map(|n| {
            finding(
                &format!("l4-check-{n:02}"),
                FindingType::Fail,
                Severity::Low,
                Some(("a.py", n + 1)),
                "No log was found.",
            )
        })
        .collect();
    let page = markdown(&finished(scan));
    // 40 gaps and the duties without evidence are one list.
    assert!(page.contains("\nAnd 12 more.\n"), "{page}");
}

#[test]
fn a_comment_on_a_pull_request_holds_the_markdown_of_a_large_result() {
    let mut scan = helpdesk();
    let long = "<script>".repeat(200);
    for severity in [Severity::Low, Severity::Critical] {
        scan.findings = (0..3000)
            .map(|n| {
                finding(
                    &format!("l4-check-{}", n % 300),
                    FindingType::Fail,
                    severity,
                    Some(("a.py", n + 1)),
                    &long,
                )
            })
            .collect();
        let open = |n: usize| {
            record(
                &format!("OBL-{n}"),
                "Art. 9",
                &long,
                "2025-02-02",
                Applies::Applies,
                ObligationStatus::Gap,
            )
        };
        scan.systems = (0..200)
            .map(|n| system(&format!("system-{n}"), &long, Vec::new()))
            .collect();
        scan.systems[1].obligations = (0..500).map(open).collect();
        scan = finished(scan);
        let length = markdown(&scan).len();
        assert!(length < 65_536, "{length}");
    }
}

#[test]
fn words_that_end_with_w_have_no_hidden_character_after_them() {
    use crate::markdown::prose;
    assert_eq!(prose("2 to fix now."), "2 to fix now.");
    for address in ["www.example.com", "WWW.example.com"] {
        assert!(prose(address).contains(".\u{2060}"));
    }
}
