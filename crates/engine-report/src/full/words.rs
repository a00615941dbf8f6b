//! Words of the law in the language of the report.

use engine_messages::{Key, Messages};
use engine_model::{ObligationStatus, Severity};
use engine_pdf::Tone;

/// The role of an operator; a word that is not known stays as it is.
pub(super) fn role<'m>(messages: &'m Messages, role: &'m str) -> &'m str {
    match role {
        "provider" => messages.text(Key::RoleProvider),
        "deployer" => messages.text(Key::RoleDeployer),
        "both" | "provider and deployer" => messages.text(Key::RoleProviderAndDeployer),
        "importer" => messages.text(Key::RoleImporter),
        "distributor" => messages.text(Key::RoleDistributor),
        "unknown" | "" => messages.text(Key::RoleUnknown),
        other => other,
    }
}

/// The class of a system.
pub(super) fn class<'m>(messages: &'m Messages, class: &str) -> &'m str {
    messages.text(match class {
        "prohibited" => Key::ClassProhibited,
        "high" => Key::ClassHigh,
        "limited" => Key::ClassLimited,
        "minimal" => Key::ClassMinimal,
        _ => Key::ClassUnknown,
    })
}

/// The tone of a class: no class is green, since none says that nothing is to be done.
pub(super) fn class_tone(class: &str) -> Tone {
    match class {
        "prohibited" => Tone::Red,
        "high" => Tone::Amber,
        "limited" | "minimal" => Tone::Blue,
        _ => Tone::Grey,
    }
}

/// The status of a duty.
pub(super) fn status(messages: &Messages, status: ObligationStatus) -> &str {
    messages.text(match status {
        ObligationStatus::Evidenced => Key::StatusEvidenced,
        ObligationStatus::Gap => Key::StatusGap,
        ObligationStatus::Incomplete => Key::StatusIncomplete,
        ObligationStatus::NotEvaluated => Key::StatusNotEvaluated,
    })
}

/// The tone of a status.
pub(super) const fn status_tone(status: ObligationStatus) -> Tone {
    match status {
        ObligationStatus::Evidenced => Tone::Green,
        ObligationStatus::Gap => Tone::Red,
        ObligationStatus::Incomplete => Tone::Amber,
        ObligationStatus::NotEvaluated => Tone::Grey,
    }
}

/// The severity of a finding.
pub(super) fn severity(messages: &Messages, severity: Severity) -> &str {
    messages.text(match severity {
        Severity::Critical => Key::SeverityCritical,
        Severity::High => Key::SeverityHigh,
        Severity::Medium => Key::SeverityMedium,
        Severity::Low => Key::SeverityLow,
        Severity::Info => Key::SeverityInfo,
    })
}

/// The tone of a severity.
pub(super) const fn severity_tone(severity: Severity) -> Tone {
    match severity {
        Severity::Critical | Severity::High => Tone::Red,
        Severity::Medium => Tone::Amber,
        Severity::Low | Severity::Info => Tone::Blue,
    }
}
