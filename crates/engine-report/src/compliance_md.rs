//! `COMPLIANCE.md`: a short note for people who open the repository.

use std::fmt::Write;

use engine_messages::{Counted, Key, Language, Messages};
use engine_model::{Applies, Date, ObligationStatus, ScanResult};

use crate::badge::{Badge, Standing, badge_title};
use crate::markdown::prose;

/// The first line of every such file: without it, the file is a person's own and is left alone.
pub const COMPLIANCE_MD_MARK: &str = "<!-- Written by engine-server. POST /badge/generate replaces this file. -->";

/// The note on a scan, with an image that lies at `image`, relative to the note.
pub fn compliance_md(scan: &ScanResult, today: Date, language: Language, image: &str) -> String {
    let messages = Messages::of(language);
    let text = |key| messages.text(key);
    let title = badge_title(&Badge {
        scan: Some(scan),
        today,
        language,
    });
    let mut out = String::new();
    let _ = writeln!(out, "{COMPLIANCE_MD_MARK}\n\n# {}\n", text(Key::NoteTitle));
    let _ = writeln!(out, "![{}]({image})\n", prose(&title));
    let _ = writeln!(out, "{}\n", text(Key::NoteIntro));
    let day = scan
        .scanned_at
        .get(..10)
        .and_then(|day| day.parse().ok())
        .unwrap_or(scan.as_of);
    let state = messages.fill(Key::NoteState, &[("date", &messages.date(day))]);
    let standing = Standing::of(scan);
    let _ = writeln!(out, "| {state} | |\n| --- | --- |");
    let mut row = |label: &str, value: &str| {
        let _ = writeln!(out, "| {label} | {} |", prose(value));
    };
    let readiness = match standing {
        Standing::Rated(score) => messages.fill(
            Key::SummaryReadinessValue,
            &[("score", &format!("{:.0}", score.floor()))],
        ),
        other => other.words(scan, messages),
    };
    row(
        text(Key::SummaryReadiness),
        &format!("{readiness} ({})", text(Key::BadgeSelfAssessed)),
    );
    if matches!(standing, Standing::NotAssessed | Standing::Partly | Standing::Rated(_)) {
        row(text(Key::SummarySystems), &messages.number(scan.systems.len() as u64));
        row(text(Key::NoteDuties), &duties(scan, messages));
    }
    if let Some((date, number)) = next(scan) {
        let count = messages.count(Counted::CountDuties, number);
        row(
            text(Key::NoteNext),
            &messages.fill(Key::NoteNextValue, &[("date", &messages.date(date)), ("count", &count)]),
        );
    }
    row(text(Key::ReportLaw), &scan.regulation_version);
    row(text(Key::ReportEngine), &scan.engine_version);
    let _ = writeln!(out, "\n{} {}", text(Key::NoteRenew), text(Key::NoteCheck));
    out
}

fn duties(scan: &ScanResult, messages: &Messages) -> String {
    let in_force = || {
        scan.obligations
            .iter()
            .filter(|own| own.record.applies == Applies::Applies)
    };
    let with = |status| messages.number(in_force().filter(|own| own.record.status == status).count() as u64);
    messages.fill(
        Key::NoteDutiesValue,
        &[
            ("all", &messages.number(scan.score.applicable)),
            ("evaluated", &messages.number(scan.score.evaluated)),
            ("evidenced", &with(ObligationStatus::Evidenced)),
            ("gaps", &with(ObligationStatus::Gap)),
        ],
    )
}

/// The next date on which a duty begins for certain, and how many begin then.
pub(crate) fn next(scan: &ScanResult) -> Option<(Date, u64)> {
    let certain = || {
        scan.upcoming
            .iter()
            .filter(|row| row.certain && row.applies_from > scan.as_of)
    };
    let date = certain().map(|row| row.applies_from).min()?;
    Some((date, certain().filter(|row| row.applies_from == date).count() as u64))
}
