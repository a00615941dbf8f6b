//! `JUnit` XML and Code Quality.

use std::collections::BTreeMap;

use engine_model::{Applies, FindingType, ObligationStatus};

use super::fixtures::{finished, helpdesk, no_ai, retired};
use crate::{code_quality, junit};

/// The elements of an XML text with their attributes; panics where the text is not well-formed.
pub(super) fn elements(xml: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut out = Vec::new();
    let mut depth = 0;
    loop {
        match reader.read_event().unwrap() {
            event @ (quick_xml::events::Event::Start(_) | quick_xml::events::Event::Empty(_)) => {
                if matches!(event, quick_xml::events::Event::Start(_)) {
                    depth += 1;
                }
                let (quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag)) = event else {
                    unreachable!()
                };
                let attributes = tag
                    .attributes()
                    .map(|attribute| {
                        let attribute = attribute.unwrap();
                        let key = attribute.key.as_ref().to_owned();
                        let value = attribute.value.into_owned();
                        (key, quick_xml::escape::unescape(&value).unwrap().into_owned())
                    })
                    .collect();
                out.push((tag.name().as_ref().to_owned(), attributes));
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    out
}

#[test]
fn junit_fails_gaps_passes_evidence_and_skips_the_rest() {
    let scan = helpdesk();
    let xml = junit(&scan);
    insta::assert_snapshot!("helpdesk_junit", xml);
    let elements = elements(&xml);
    let number = |name: &str| elements.iter().filter(|(tag, _)| tag == name).count().to_string();
    let all = &elements[0].1;
    assert_eq!(all["tests"], number("testcase"));
    assert_eq!(all["failures"], number("failure"));
    assert_eq!(all["skipped"], number("skipped"));
    assert_eq!(all["errors"], "0");
    let gaps = scan
        .obligations
        .iter()
        .filter(|row| row.record.applies == Applies::Applies && row.record.status == ObligationStatus::Gap)
        .count();
    assert!(gaps > 0 && all["failures"].parse::<usize>().unwrap() >= gaps);
}

#[test]
fn junit_fails_for_each_urgent_finding() {
    let mut scan = helpdesk();
    scan.findings = vec![retired("gpt-4-0613", "api/chat.py", 12, "chat", FindingType::Info)];
    let xml = junit(&finished(scan));
    assert!(xml.contains("classname=\"project.l3-retired-model\""), "{xml}");
    assert!(xml.contains("<failure type=\"gap\" message=\"`gpt-4-0613`"), "{xml}");
}

#[test]
fn code_quality_lists_open_gaps_and_urgent_findings_once() {
    let mut scan = helpdesk();
    scan.findings
        .push(retired("gpt-4-0613", "api/chat.py", 13, "chat", FindingType::Info));
    let scan = finished(scan);
    let report = code_quality(&scan);
    insta::assert_json_snapshot!("helpdesk_code_quality", report);
    let entries = report.as_array().unwrap();
    let open = scan
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingType::Fail && finding.suppressed.is_none() || finding.is_urgent())
        .count();
    assert_eq!(entries.len(), open);
    let mut prints: Vec<&str> = entries
        .iter()
        .map(|entry| entry["fingerprint"].as_str().unwrap())
        .collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), open);
    for entry in entries {
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&entry["severity"].as_str().unwrap()));
        assert!(entry["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
        assert!(!entry["location"]["path"].as_str().unwrap().starts_with('/'));
    }
    assert_eq!(code_quality(&no_ai()).as_array().unwrap().len(), 0);
}
