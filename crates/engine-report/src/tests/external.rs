//! External tools in the reports: which ran, and why others did not.

use engine_messages::Language;
use engine_model::{ScanResult, ToolRecord, ToolRunStatus};

use super::fixtures::helpdesk;
use super::full::facts;
use super::{on_one_line, plain, verbose};
use crate::{Edition, ReportFacts, markdown, report, report_markdown, text};

fn tool(name: &str, status: ToolRunStatus, error: Option<&str>) -> ToolRecord {
    ToolRecord {
        name: name.to_owned(),
        version: "1.2.3".to_owned(),
        status,
        exit_code: None,
        elapsed: 0.0,
        findings: 12,
        duplicates: 3,
        files: 40,
        files_left_out: 0,
        error: error.map(str::to_owned),
    }
}

fn with_tools() -> ScanResult {
    let mut scan = helpdesk();
    let mut cut = tool("detect-secrets", ToolRunStatus::Ran, None);
    cut.files_left_out = 1;
    scan.tools = vec![
        tool("bandit", ToolRunStatus::Ran, None),
        cut,
        tool("semgrep", ToolRunStatus::TimedOut, Some("it took longer than 300 s")),
        tool("modelscan", ToolRunStatus::Missing, None),
        tool("other", ToolRunStatus::Failed, Some("no report\u{1b}[31m <b>x</b>")),
    ];
    scan
}

const LINES: [&str; 5] = [
    "bandit 1.2.3: 12 findings in 40 files; 3 known from another source",
    "detect-secrets 1.2.3: 12 findings in 40 files; 3 known from another source; 1 file left out because of size",
    "semgrep 1.2.3: ended at its time limit; it took longer than 300 s",
    "modelscan 1.2.3: did not run: not installed",
    "other 1.2.3: failed; no report",
];

#[test]
fn text_and_markdown_name_each_tool_with_its_outcome() {
    let scan = with_tools();
    let short = on_one_line(&text(&scan, &plain()));
    let long = on_one_line(&text(&scan, &verbose()));
    let page = markdown(&scan);
    for line in LINES {
        assert!(short.contains(&format!("External tool: {line}")), "{line} in {short}");
        assert!(long.contains(line), "{line} in {long}");
        assert!(page.contains(&format!("- {line}")), "{line} in {page}");
    }
    for report in [&short, &page] {
        assert!(!report.contains('\u{1b}'), "{report}");
    }
    assert!(!page.contains("<b>"), "{page}");
}

#[test]
fn reports_without_external_tools_do_not_mention_them() {
    let scan = helpdesk();
    assert!(!text(&scan, &verbose()).contains("External tool"));
    assert!(!markdown(&scan).contains("External tool"));
    assert!(!report_markdown(&report(&facts(&scan))).contains("External tools"));
}

#[test]
fn report_has_a_table_of_the_tools_in_each_language() {
    let scan = with_tools();
    for (language, heading, words) in [
        (Language::En, "External tools", "3 known from another source"),
        (Language::De, "Externe Werkzeuge", "3 aus anderer Quelle bekannt"),
        (Language::Fr, "Outils externes", "3 déjà connus d'une autre source"),
    ] {
        for edition in [Edition::Full, Edition::Short] {
            let facts = ReportFacts {
                language,
                edition,
                ..facts(&scan)
            };
            let page = report_markdown(&report(&facts));
            assert!(page.contains(&format!("### {heading}\n")), "{page}");
            assert!(page.contains(words), "{page}");
            assert!(page.contains("modelscan"), "{page}");
        }
    }
}
