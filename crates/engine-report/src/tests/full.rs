//! The report as blocks and as Markdown.

use engine_messages::Language;
use engine_model::{CodeContext, CodeLine, FindingType, ScanResult, Severity};
use engine_pdf::{Block, Document};
use engine_regulation::regulation;

use super::fixtures::{crowded, date, finding, helpdesk, library, no_ai, undetermined, unevaluated};
use crate::{
    CategoryFacts, Edition, EvaluationFacts, EvidenceFacts, PassportFacts, ReportFacts, ShareFacts, ShareKind,
    SignatureState, report, report_markdown, share_page, shared_report,
};

/// Facts about a scan with everything that can be kept beside it.
pub(super) fn facts(scan: &ScanResult) -> ReportFacts<'_> {
    let evaluations = vec![EvaluationFacts {
        target: "https://desk.example/api/chat?key=topsecret".to_owned(),
        timestamp: "2026-08-30T10:00:00Z".to_owned(),
        passed: 40,
        failed: 10,
        without_verdict: 3,
        score: Some(78.5),
        complete: false,
        categories: vec![CategoryFacts {
            name: "bias".to_owned(),
            passed: 18,
            failed: 2,
            score: Some(90.0),
            interval: Some((0.699, 0.972)),
        }],
    }];
    let passports = vec![PassportFacts {
        name: "main | agent".to_owned(),
        autonomy: Some(4),
        risk_class: "limited".to_owned(),
        completeness: 61.1,
        signature: SignatureState::Valid,
    }];
    let evidence = EvidenceFacts {
        entries: 12,
        last_entry: "2026-09-01T10:00:00.000Z".to_owned(),
        last_hash: "ab".repeat(32),
        head: "engine/chain\n12\nq6urq6s=\n\n— engine AAAA\n".to_owned(),
        key_id: Some("k1".to_owned()),
    };
    // A test leaks a few small values, so that facts can be made in one line.
    ReportFacts {
        scan,
        language: Language::En,
        edition: Edition::Full,
        organisation: Some("Acme & Sons"),
        jurisdiction: None,
        digest: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        evaluations: evaluations.leak(),
        passports: passports.leak(),
        evidence: Some(Box::leak(Box::new(evidence))),
    }
}

fn markdown(scan: &ScanResult) -> String {
    report_markdown(&report(&facts(scan)))
}

fn headings(document: &Document) -> Vec<(u8, &str)> {
    document
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Heading(heading) => Some((heading.level, heading.text.as_str())),
            _ => None,
        })
        .collect()
}

fn parts(document: &Document) -> Vec<&str> {
    headings(document)
        .into_iter()
        .filter(|(level, _)| *level == 1)
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn given_a_full_report_then_it_has_every_part_in_order() {
    let scan = helpdesk();
    assert_eq!(
        parts(&report(&facts(&scan))),
        [
            "Summary for management",
            "AI systems",
            "Timeline of duties",
            "Score by obligation",
            "Findings",
            "Evaluations of a live endpoint",
            "Passports of agents",
            "Open questions",
            "Evidence chain",
            "Method and limits",
            "Glossary"
        ]
    );
}

#[test]
fn given_a_short_edition_then_it_has_no_code_and_fewer_parts() {
    let scan = with_code(helpdesk());
    let mut facts = facts(&scan);
    assert!(
        report(&facts)
            .blocks
            .iter()
            .any(|block| matches!(block, Block::Code(_)))
    );
    facts.edition = Edition::Short;
    let short = report(&facts);
    assert_eq!(
        parts(&short),
        [
            "Summary for management",
            "AI systems",
            "Timeline of duties",
            "Findings",
            "Evidence chain",
            "Method and limits"
        ]
    );
    assert!(!short.blocks.iter().any(|block| matches!(block, Block::Code(_))));
    assert!(short.title.contains("short edition"));
}

fn with_code(mut scan: ScanResult) -> ScanResult {
    for finding in &mut scan.findings {
        finding.code_context = Some(CodeContext {
            start_line: 44,
            lines: (44..49)
                .map(|num| CodeLine {
                    num,
                    content: format!("\tanswer_{num} = ask(`x`)"),
                })
                .collect(),
            highlight_line: 46,
        });
    }
    scan
}

#[test]
fn given_code_around_a_finding_then_its_line_is_marked() {
    let scan = with_code(helpdesk());
    let text = markdown(&scan);
    assert!(text.contains(">   46      answer_46 = ask(`x`)"), "{text}");
}

#[test]
fn given_every_state_language_and_form_then_no_claim_no_secret_and_no_machine_path_is_in_it() {
    let place = regulation().jurisdiction("DE").unwrap().record();
    for scan in [helpdesk(), crowded(), no_ai(), library(), undetermined(), unevaluated()] {
        for language in Language::ALL {
            for edition in [Edition::Full, Edition::Short] {
                let mut facts = facts(&scan);
                facts.language = *language;
                facts.edition = edition;
                facts.jurisdiction = Some(&place);
                let document = report(&facts);
                let shared = share_page(
                    &shared_report(&facts, ShareKind::Audit),
                    &ShareFacts {
                        kind: ShareKind::Audit,
                        created: date("2026-09-01"),
                        expires: date("2026-10-01"),
                        language: *language,
                    },
                );
                for output in [report_markdown(&document), shared, format!("{document:?}")] {
                    let lower = output.to_lowercase();
                    for bad in [
                        " compliant",
                        "certified",
                        " approved",
                        "guaranteed",
                        "/home/",
                        "/srv/",
                        "topsecret",
                    ] {
                        let at = lower.find(bad);
                        assert_eq!(at, None, "{bad}: {}", around(&output, at));
                    }
                }
            }
        }
    }
}

fn around(text: &str, at: Option<usize>) -> String {
    let Some(at) = at else { return String::new() };
    let start = text.floor_char_boundary(at.saturating_sub(80));
    let end = text.floor_char_boundary((at + 80).min(text.len()));
    text[start..end].to_owned()
}

#[test]
fn given_the_same_facts_then_the_blocks_are_the_same() {
    let scan = crowded();
    assert_eq!(report(&facts(&scan)), report(&facts(&scan)));
}

#[test]
fn given_nothing_assessed_then_no_number_is_shown() {
    let scan = unevaluated();
    let document = report(&facts(&scan));
    let Some(Block::Facts(numbers)) = document.blocks.get(1) else {
        panic!("the numbers come first");
    };
    assert!(numbers[0].value.starts_with("not assessed"), "{numbers:?}");
    assert!(
        !numbers.iter().any(|fact| fact.label.starts_with("Score")),
        "{numbers:?}"
    );
}

#[test]
fn given_no_ai_system_then_no_duty_is_claimed() {
    let text = markdown(&no_ai());
    assert!(
        text.contains("No duty of the AI Act follows from this source code"),
        "{text}"
    );
    assert!(text.contains("No AI system was found"), "{text}");
}

#[test]
fn given_the_score_then_its_arithmetic_can_be_repeated() {
    for scan in [helpdesk(), crowded()] {
        let text = markdown(&scan);
        let number = |before: &str| -> f64 {
            let rest = text.split_once(before).unwrap().1;
            let end = rest.find([',', ' ']).unwrap();
            rest[..end].trim_end_matches('.').parse().unwrap()
        };
        let (sum, weights) = (number("weight × value "), number("sum of weights "));
        let score = 100.0 * sum / weights;
        assert!((score - scan.score.compliance).abs() < 0.3, "{sum} {weights} {score}");
    }
}

#[test]
fn given_a_jurisdiction_then_authority_contact_and_status_are_named() {
    let scan = helpdesk();
    let place = regulation().jurisdiction("de").unwrap().record();
    let mut facts = facts(&scan);
    facts.jurisdiction = Some(&place);
    let text = report_markdown(&report(&facts));
    assert!(text.contains("National authorities: Germany"), "{text}");
    for row in ["Market surveillance authority", "National status", "Official languages"] {
        assert!(text.contains(row), "{row}");
    }
}

#[test]
fn given_2000_findings_then_the_tables_stay_bounded() {
    let mut scan = helpdesk();
    for number in 0..2_000_u32 {
        let kind = [FindingType::Fail, FindingType::Info][number as usize % 2];
        let file = format!("services/part_{}/handler_{number}.py", number % 40);
        let mut one = finding(
            "l4-x",
            kind,
            Severity::Medium,
            Some((&file, number + 1)),
            "No log was found here.",
        );
        one.title = format!("Problem number {}", number % 700);
        scan.findings.push(one);
    }
    let scan = with_code(scan);
    let document = report(&facts(&scan));
    let rows: usize = document
        .blocks
        .iter()
        .map(|block| match block {
            Block::Table(table) => table.rows.len(),
            Block::Code(_) => 10,
            _ => 1,
        })
        .sum();
    assert!(rows < 1_100, "{rows}");
    assert!(report_markdown(&document).contains("more groups with"));
    let pdf = engine_pdf::to_pdf(&document).unwrap();
    let pages = pdf
        .windows(11)
        .filter(|window| window.starts_with(b"/Type /Page") || window.starts_with(b"/Type/Page"))
        .count();
    assert!(
        (5..60).contains(&pages) && pdf.len() < 5 << 20,
        "{pages} pages, {} bytes",
        pdf.len()
    );
}

#[test]
fn given_foreign_text_then_markdown_has_no_meaning_in_it() {
    let mut scan = helpdesk();
    scan.systems[0].name = "<b>x</b> | [y](https://evil.example) `z".to_owned();
    let text = markdown(&scan);
    assert!(!text.contains("<b>") && !text.contains("](https://evil"), "{text}");
}

#[test]
fn given_a_language_then_headings_are_in_it() {
    let scan = helpdesk();
    let mut facts = facts(&scan);
    facts.language = Language::De;
    let document = report(&facts);
    assert_eq!(document.language, "de");
    assert!(parts(&document).contains(&"Zusammenfassung für die Leitung"));
    assert!(report_markdown(&document).contains("sind auf Englisch"));
}
