//! The order of parts and actions is the same in every format.

use std::collections::BTreeMap;

use engine_model::{Action, ActionKind, ScanResult, Severity, open_questions};

use super::fixtures::{crowded, helpdesk};
use super::{WIDTHS, plain, verbose};
use crate::markdown::prose;
use crate::{TextOptions, actions, markdown, sarif, text};

/// The offsets of texts, each of which occurs.
fn offsets(report: &str, parts: &[&str]) -> Vec<usize> {
    parts
        .iter()
        .map(|part| report.find(part).unwrap_or_else(|| panic!("{part} in {report}")))
        .collect()
}

/// How the line of an action begins in the text report.
fn head(action: &Action) -> String {
    let word = action.title.split(' ').next().unwrap();
    format!("{:>2} {word} ", action.rank)
}

/// Whether a line of a report begins with an action.
fn shows(report: &str, action: &Action) -> bool {
    let head = head(action);
    report.lines().any(|line| format!("{line} ").starts_with(&head))
}

/// The lists of the text report; within each one what comes first is shown first.
fn lists(scan: &ScanResult) -> BTreeMap<(ActionKind, bool), Vec<Action>> {
    let mut lists: BTreeMap<(ActionKind, bool), Vec<Action>> = BTreeMap::new();
    for action in actions(scan) {
        let list = (action.kind, action.findings.is_empty());
        lists.entry(list).or_default().push(action);
    }
    lists
}

#[test]
fn ranks_are_consecutive_and_parts_follow_one_another() {
    for scan in [helpdesk(), crowded()] {
        let actions = actions(&scan);
        assert_eq!(scan.actions, actions);
        let ranks: Vec<u64> = actions.iter().map(|action| action.rank).collect();
        assert_eq!(ranks, (1..=actions.len() as u64).collect::<Vec<_>>());
        assert!(actions.is_sorted_by_key(|action| action.kind));
        for kind in [
            ActionKind::FixNow,
            ActionKind::Duty,
            ActionKind::Decide,
            ActionKind::Prepare,
        ] {
            assert!(actions.iter().any(|action| action.kind == kind), "{kind:?}");
        }
    }
}

#[test]
fn the_crowded_project_has_the_numbers_of_its_description() {
    let scan = crowded();
    let number = |part: &str| {
        let check = format!("l4-{part}-");
        scan.findings.iter().filter(|f| f.check_id.starts_with(&check)).count()
    };
    assert_eq!(scan.systems.len(), 12);
    assert_eq!(number("urgent"), 40);
    assert_eq!(number("gap"), 30);
    assert_eq!(number("notice"), 30);
    assert_eq!(open_questions(&scan.systems).len(), 20);
    assert!(scan.findings.iter().filter(|f| f.is_urgent()).count() >= 40);
}

#[test]
fn parts_have_the_same_order_in_text_and_markdown() {
    for scan in [helpdesk(), crowded()] {
        for width in WIDTHS {
            for options in [plain(), verbose()] {
                let report = text(&scan, &TextOptions { width, ..options });
                let parts = [
                    "EU AI Act as of",
                    "Gate: ",
                    "Score: ",
                    "\nFIX NOW",
                    "\nDUTIES IN FORCE",
                    "\nDECIDE",
                    "\nPREPARE",
                ];
                assert!(offsets(&report, &parts).is_sorted(), "{report}");
            }
        }
        let page = markdown(&scan);
        let parts = [
            "## helpdesk",
            "**Gate: ",
            "**Score:",
            "### Fix now",
            "### Duties in force",
            "### Decide",
            "### Prepare",
        ];
        assert!(offsets(&page, &parts).is_sorted(), "{page}");
    }
}

#[test]
fn verbose_text_shows_every_action_with_its_rank_or_question_number() {
    for scan in [helpdesk(), crowded()] {
        let report = text(&scan, &verbose());
        let mut question = 0;
        let mut before = 0;
        for action in actions(&scan) {
            let head = if action.kind == ActionKind::Decide && action.findings.is_empty() {
                question += 1;
                format!("\nQ{question} ")
            } else {
                format!("\n{}", head(&action))
            };
            let at = report.find(&head).unwrap_or_else(|| panic!("{head} in {report}"));
            assert!(at > before, "{head} comes too early in {report}");
            before = at;
        }
    }
}

#[test]
fn markdown_shows_actions_with_their_ranks() {
    for scan in [helpdesk(), crowded()] {
        let page = markdown(&scan);
        let all = actions(&scan);
        let mut shown = 0;
        for line in page.lines() {
            let Some((rank, rest)) = line.split_once(". **") else {
                continue;
            };
            let Ok(rank) = rank.parse::<usize>() else { continue };
            let title = prose(&all[rank - 1].title);
            assert!(rest.starts_with(&format!("{title}**")), "{line}");
            shown += 1;
        }
        assert!(shown >= 10, "{page}");
    }
}

#[test]
fn sarif_results_follow_the_ranks_and_name_rank_and_kind() {
    for scan in [helpdesk(), crowded()] {
        let of: BTreeMap<String, (u64, ActionKind)> = actions(&scan)
            .into_iter()
            .flat_map(|action| {
                action
                    .findings
                    .clone()
                    .into_iter()
                    .map(move |id| (id, (action.rank, action.kind)))
            })
            .collect();
        let log = sarif(&scan);
        let mut ranks = Vec::new();
        for result in log["runs"][0]["results"].as_array().unwrap() {
            let id = result["partialFingerprints"]["complianceFindingId/v1"]
                .as_str()
                .unwrap();
            let properties = &result["properties"];
            if let Some((rank, kind)) = of.get(id) {
                assert_eq!(properties["actionRank"], *rank);
                assert_eq!(properties["actionKind"], kind.name());
                ranks.push(*rank);
            } else {
                assert!(properties.get("actionRank").is_none());
                ranks.push(u64::MAX);
            }
        }
        assert!(ranks.is_sorted(), "{ranks:?}");
        assert!(ranks[0] == 1);
    }
}

#[test]
fn what_is_left_out_comes_later_and_is_never_graver() {
    let scan = crowded();
    for width in WIDTHS {
        let report = text(&scan, &TextOptions { width, ..plain() });
        for ((kind, _), list) in lists(&scan) {
            // Questions have numbers of their own, and what binds for certain is listed by date.
            if list[0].severity.is_none() && kind != ActionKind::Duty {
                continue;
            }
            let shown = list.iter().take_while(|action| shows(&report, action)).count();
            let rest = &list[shown..];
            assert!(
                rest.iter().all(|action| !shows(&report, action)),
                "{kind:?} in {report}"
            );
            let least = list[..shown].iter().filter_map(|action| action.severity).min();
            let gravest: Option<Severity> = rest.iter().filter_map(|action| action.severity).max();
            if let (Some(least), Some(gravest)) = (least, gravest) {
                assert!(
                    gravest <= least,
                    "{kind:?}: {gravest:?} is left out and {least:?} shown"
                );
            }
            if !rest.is_empty() {
                let grave = gravest.map_or_else(String::new, |severity| format!(" ({} or lower)", severity.name()));
                let said = format!("{} more{grave}: --verbose lists them", rest.len());
                assert!(report.contains(&said), "{said} in {report}");
            }
        }
        assert!(report.contains("systems: --verbose lists them"), "{report}");
        assert!(report.contains("more questions: --verbose lists them"), "{report}");
    }
}

#[test]
fn at_least_two_urgent_actions_are_shown_at_every_width() {
    let scan = crowded();
    for width in WIDTHS {
        let report = text(&scan, &TextOptions { width, ..plain() });
        let all = actions(&scan);
        let urgent = all.iter().filter(|action| action.kind == ActionKind::FixNow);
        let shown = urgent.filter(|action| shows(&report, action)).count();
        assert!(shown >= width / 30, "{shown} at {width}: {report}");
    }
}

#[test]
fn prohibited_practices_come_first_then_severity_then_exposure() {
    let mut scan = helpdesk();
    let mut ban = scan.findings[0].clone();
    ban.id = "ban".to_owned();
    ban.title = "Prohibited practice".to_owned();
    ban.severity = Severity::Critical;
    ban.obligation_id = Some("OBL-002".to_owned());
    let mut other = ban.clone();
    other.id = "other".to_owned();
    other.title = "A critical problem".to_owned();
    other.check_id = "a-first-by-name".to_owned();
    other.obligation_id = None;
    other.impact = Some(engine_model::Impact::Exposes);
    scan.findings.extend([other, ban]);
    let titles: Vec<String> = actions(&scan)
        .into_iter()
        .filter(|action| action.kind == ActionKind::FixNow)
        .map(|action| action.title)
        .collect();
    assert_eq!(
        titles,
        [
            "Prohibited practice",
            "A critical problem",
            "Committed secrets",
            "Retired model"
        ]
    );
}
