//! The note beside a project.

use engine_messages::Language;
use engine_model::Applicability;

use super::fixtures::{date, helpdesk, nothing};
use crate::compliance_md::{COMPLIANCE_MD_MARK, compliance_md};

#[test]
fn given_a_scan_then_the_note_is_short_and_names_its_basis() {
    let note = compliance_md(&helpdesk(), date("2026-09-02"), Language::En, ".compliance/badge.svg");
    assert!(note.starts_with(COMPLIANCE_MD_MARK));
    assert!(
        note.contains("](.compliance/badge.svg)") && note.contains("not legal advice"),
        "{note}"
    );
    assert!(note.contains("| State on 1 September 2026 | |"), "{note}");
    assert!(note.lines().count() < 25, "{note}");
}

#[test]
fn given_any_scan_and_language_then_the_note_claims_nothing_and_has_no_machine_path() {
    for scan in [
        helpdesk(),
        nothing("/srv/secret-place/x", Applicability::NoAiFound, "none"),
    ] {
        for language in Language::ALL {
            let note = compliance_md(&scan, date("2026-12-24"), *language, "badge.svg").to_lowercase();
            for claim in ["compliant", "certified", "approved", "guarantee", "/srv/", "/home/"] {
                assert!(!note.contains(claim), "{claim}: {note}");
            }
        }
    }
}

#[test]
fn given_no_ai_system_then_the_note_has_no_number_of_duties() {
    let scan = nothing("/srv/x", Applicability::NoAiFound, "none");
    let note = compliance_md(&scan, date("2026-09-02"), Language::En, "badge.svg");
    assert!(
        note.contains("no AI system found") && !note.contains("Duties"),
        "{note}"
    );
}
