//! The shared page: self-contained, escaped, the same every time.

use engine_messages::Language;
use engine_model::ScanResult;

use super::fixtures::{date, helpdesk};
use super::full::facts;
use crate::{ShareFacts, ShareKind, share_page, shared_report};

fn page(scan: &ScanResult, kind: ShareKind, language: Language) -> String {
    let mut facts = facts(scan);
    facts.language = language;
    share_page(
        &shared_report(&facts, kind),
        &ShareFacts {
            kind,
            created: date("2026-09-01"),
            expires: date("2026-10-01"),
            language,
        },
    )
}

#[test]
fn given_a_page_then_nothing_in_it_comes_from_elsewhere() {
    let html = page(&helpdesk(), ShareKind::Audit, Language::En);
    for outside in [
        "<script", "<img", "<link", "<iframe", "@import", "url(", "src=", " style=", " on",
    ] {
        let found = html.find(outside).filter(|_| outside != " on");
        assert_eq!(found, None, "{outside}");
    }
    assert!(html.contains("default-src 'none'; style-src 'sha256-"));
    assert!(html.contains("prefers-color-scheme:dark"));
}

#[test]
fn given_the_policy_then_it_names_the_style_that_is_there() {
    use sha2::{Digest, Sha256};
    let html = page(&helpdesk(), ShareKind::Scan, Language::De);
    let style = html.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let digest = data_encoding::BASE64.encode(&Sha256::digest(style.as_bytes()));
    assert!(html.contains(&format!("'sha256-{digest}'")));
    assert!(html.contains("<html lang=\"de\">"));
}

#[test]
fn given_foreign_text_then_it_is_text() {
    let mut scan = helpdesk();
    scan.systems[0].name = "<script>alert(1)</script>\" onload=\"x".to_owned();
    scan.findings[0].title = "</title><img src=x>`a`".to_owned();
    let html = page(&scan, ShareKind::Scan, Language::En);
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
}

#[test]
fn given_the_same_result_then_the_bytes_are_the_same() {
    let once = page(&helpdesk(), ShareKind::Audit, Language::Fr);
    assert_eq!(once, page(&helpdesk(), ShareKind::Audit, Language::Fr));
    assert!(!once.contains("/home/ada"));
}

#[test]
fn given_an_evaluation_alone_then_the_page_has_no_findings() {
    let html = page(&helpdesk(), ShareKind::Eval, Language::En);
    assert!(
        html.contains("Evaluations of a live endpoint") && !html.contains(">Findings<"),
        "{html}"
    );
}

#[test]
fn given_a_project_named_by_its_folder_alone_then_names_that_contain_it_stay() {
    let mut scan = helpdesk();
    scan.project_path = "desk".to_owned();
    scan.systems[0].name = "desk-screening".to_owned();
    let html = page(&scan, ShareKind::Scan, Language::En);
    assert!(
        html.contains("desk-screening") && !html.contains(">.-screening"),
        "{html}"
    );
}

#[test]
fn given_a_table_then_each_cell_names_its_column() {
    let html = page(&helpdesk(), ShareKind::Scan, Language::En);
    for label in ["Role", "Provision", "Places"] {
        assert!(html.contains(&format!(" data-label=\"{label}\">")), "{label}");
    }
}
