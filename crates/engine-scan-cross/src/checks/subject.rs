//! Whom a statement is about, and how a contradiction is reported.

use engine_model::{
    Applies, Call, CallKind, CheckContext, Document, DocumentState, Location, ObservationBuilder, Report, SectionState,
    Severity, Statement, StatementKind, System, Zone,
};

/// The systems that a file speaks about: the one in whose folder it lies, else all of them.
pub(super) fn systems_of<'a>(context: &CheckContext<'a>, file: &str) -> Vec<&'a System> {
    context.systems_of(file)
}

/// Whether a file speaks about a system.
pub(super) fn speaks_of(context: &CheckContext<'_>, file: &str, system: &System) -> bool {
    context.speaks_of(system, file)
}

/// The places where systems send data to a model, in the order of files and lines.
pub(super) fn calls_of<'a>(context: &CheckContext<'a>, systems: &[&System]) -> Vec<&'a Call> {
    let mut calls: Vec<&Call> = systems
        .iter()
        .flat_map(|system| context.model_calls(system))
        .filter(|call| call.runs())
        .collect();
    calls.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    calls
}

/// The same with agents that are declared.
pub(super) fn uses_of<'a>(context: &CheckContext<'a>, systems: &[&System]) -> Vec<&'a Call> {
    let mut calls: Vec<&Call> = systems
        .iter()
        .flat_map(|system| context.records(system))
        .filter(|call| {
            call.zone == Zone::Product && call.runs() && matches!(call.kind, CallKind::Call | CallKind::Declare)
        })
        .collect();
    calls.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    calls
}

/// Whether an answer is text for people, as opposed to numbers and labels.
pub(super) fn speaks(call: &Call) -> bool {
    let symbol = call.symbol.to_ascii_lowercase();
    ![
        "embed",
        "moderation",
        "classif",
        "rerank",
        "transcri",
        "encode",
        "predict",
        "detect",
        "tokeniz",
    ]
    .iter()
    .any(|word| symbol.contains(word))
}

/// The document of the law that a file is.
pub(super) fn document<'a>(context: &CheckContext<'a>, file: &str) -> Option<&'a Document> {
    context.documents.iter().find(|document| document.file == file)
}

/// Documents of a kind that say something.
pub(super) fn documents<'a>(context: &CheckContext<'a>, kind: &'static str) -> impl Iterator<Item = &'a Document> {
    context
        .documents
        .iter()
        .filter(move |document| document.kind == kind && document.state != DocumentState::Scaffold)
}

/// The state of a section and the line of its heading.
pub(super) fn section(document: &Document, key: &str) -> (SectionState, Option<u32>) {
    document
        .sections
        .iter()
        .find(|section| section.key == key)
        .map_or((SectionState::Missing, None), |section| (section.state, section.line))
}

/// Whether a section of a document of a kind is filled by a person.
pub(super) fn has_section(context: &CheckContext<'_>, system: &System, kind: &'static str, key: &str) -> bool {
    documents(context, kind).any(|document| {
        !document.draft
            && speaks_of(context, &document.file, system)
            && section(document, key).0 == SectionState::Filled
    })
}

/// Whether a file is one that readers take for the word of the product: its first page, its terms, its privacy notice.
pub(super) fn is_front(file: &str) -> bool {
    let lower = file.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let stem = name.split('.').next().unwrap_or(name);
    [
        "readme",
        "privacy",
        "terms",
        "faq",
        "about",
        "index",
        "legal",
        "disclaimer",
        "imprint",
        "impressum",
        "datenschutz",
    ]
    .iter()
    .any(|front| stem.starts_with(front))
}

/// Statements of a kind.
pub(super) fn said<'a>(
    context: &CheckContext<'a>,
    kind: StatementKind,
) -> impl Iterator<Item = &'a Statement> + use<'a> {
    context
        .statements
        .iter()
        .filter(move |statement| statement.kind == kind)
}

/// Statements of a kind about a system.
pub(super) fn said_of<'a>(context: &CheckContext<'a>, kind: StatementKind, system: &System) -> Vec<&'a Statement> {
    said(context, kind)
        .filter(|statement| speaks_of(context, &statement.file, system))
        .collect()
}

/// Reports a contradiction at the place that makes the claim. Where the duty behind it binds none of the systems, the
/// contradiction is something to know: two files of one project still cannot both be right.
pub(super) fn contradiction<'r>(
    report: &'r mut Report,
    obligation: &str,
    systems: &[&System],
    confidence: u8,
    at: (&str, u32),
    message: String,
) -> ObservationBuilder<'r> {
    let binds = systems.iter().any(|system| {
        system
            .obligations
            .iter()
            .any(|record| record.obligation_id == obligation && record.applies != Applies::DoesNotApply)
    });
    let builder = if binds {
        report.fail(confidence, message)
    } else {
        report
            .info(
                confidence,
                format!("{message} (not required for this system, but resolve the contradiction)"),
            )
            .obligation("")
            .severity(Severity::Low)
    };
    let builder = builder.at(Location::line(at.0, at.1));
    match systems {
        [only] => builder.system(only),
        _ => builder,
    }
}

/// A number of things, in words.
pub(super) fn counted(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
