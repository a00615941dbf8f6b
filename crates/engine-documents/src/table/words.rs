//! Facts of tables in words.

use engine_model::{Document, DocumentState, Effect, ErrorHandling, EvidenceKind, Logging, ObligationStatus, Sends};

pub(super) fn listed<'t>(words: impl Iterator<Item = &'t str>) -> String {
    let words: Vec<&str> = words.collect();
    if words.is_empty() {
        "could not be determined".to_owned()
    } else {
        words.join(", ")
    }
}

pub(super) fn pinned(known: Option<bool>) -> &'static str {
    match known {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}

pub(super) fn approval(known: Option<bool>) -> String {
    match known {
        Some(true) => "found",
        Some(false) => "not found",
        None => "could not be determined",
    }
    .to_owned()
}

pub(super) fn sends(sends: Sends) -> &'static str {
    match sends {
        Sends::UserInput => "user input",
        Sends::File => "file content",
        Sends::Database => "database rows",
        Sends::Constant => "text in the code",
        Sends::Unknown => "could not be determined",
    }
}

pub(super) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Tool => "tool call",
        Effect::Shell => "shell or process",
        Effect::Database => "database",
        Effect::Mail => "mail or message",
        Effect::Page => "user interface or reply",
        Effect::Branch => "decision in the program",
    }
}

pub(super) fn status(status: ObligationStatus) -> &'static str {
    match status {
        ObligationStatus::Evidenced => "evidence found",
        ObligationStatus::Gap => "gap",
        ObligationStatus::Incomplete => "partial evidence",
        ObligationStatus::NotEvaluated => "not evaluated",
    }
}

pub(super) fn kind(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Code => "code: shows that it exists, and not how well it works",
        // Weak evidence says what it shows, so that nobody takes it for the whole of a provision.
        EvidenceKind::Dependency => "dependency: shows which packages and versions are used, and no more",
        EvidenceKind::Configuration => "configuration: shows the setting, and not that it is applied",
        EvidenceKind::Document => "document",
        EvidenceKind::Run => "evaluation run",
        EvidenceKind::Person => "statement of a person",
    }
}

pub(super) fn log(logging: Logging) -> &'static str {
    match logging {
        Logging::Yes => "log found",
        Logging::Console => "console output only",
        Logging::No => "no log found",
    }
}

pub(super) fn error_handling(handling: ErrorHandling) -> &'static str {
    match handling {
        ErrorHandling::Yes => "handled at the call site",
        ErrorHandling::Propagate => "passed on to the caller",
        ErrorHandling::No => "no error handling found",
    }
}

pub(super) fn state_of_document(document: &Document) -> &'static str {
    match (document.draft, document.state) {
        (true, _) => "draft",
        (false, DocumentState::Filled) => "filled",
        (false, DocumentState::Partial) => "partly filled",
        (false, DocumentState::Scaffold) => "empty sections only",
    }
}
