//! Dates that a document states about itself.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::{Date, DocumentDate, DocumentDateKind};

use crate::words::automaton;

/// Dates that are kept of one document.
const DATES_MAX: usize = 200;
/// Bytes of a line that are looked at.
const LINE_BYTES_MAX: usize = 400;

/// Words that announce the date of the next review, folded.
const NEXT_REVIEW: &[&str] = &[
    "next review",
    "review due",
    "review by",
    "review date",
    "nachste prufung",
    "nachste uberprufung",
    "uberprufung bis",
    "nachste uberarbeitung",
    "prochaine revision",
    "prochain reexamen",
    "proxima revision",
    "prossima revisione",
    "prossimo riesame",
    "nastepny przeglad",
    "volgende herziening",
    "volgende beoordeling",
];

/// Words that announce the date of a version or an approval, folded.
const VERSION: &[&str] = &[
    "version",
    "last updated",
    "last update",
    "updated on",
    "last reviewed",
    "last review",
    "reviewed on",
    "approved",
    "date of issue",
    "effective date",
    "as of",
    "last modified",
    "stand:",
    "stand vom",
    "fassung vom",
    "freigegeben",
    "genehmigt",
    "zuletzt gepruft",
    "zuletzt aktualisiert",
    "derniere mise a jour",
    "date de version",
    "approuve",
    "ultima actualizacion",
    "aprobado",
    "ultimo aggiornamento",
    "versione",
    "approvato",
    "wersja",
    "ostatnia aktualizacja",
    "zatwierdzono",
    "laatst bijgewerkt",
    "versie",
    "goedgekeurd",
];

/// Front matter keys whose value is a date of the document.
const KEYS: &[&str] = &[
    "date:",
    "updated:",
    "last_updated:",
    "lastupdated:",
    "lastmod:",
    "version_date:",
    "approved:",
];

/// What announces a date of the document, whatever it is of.
static ANNOUNCED: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&[NEXT_REVIEW, VERSION].concat()));

/// All dates on lines that say what the date is of. Other dates, of events and of data, are none of the document's own. `folded` is
/// the text in lower case without accents.
pub(crate) fn read(text: &str, folded: &str) -> Vec<DocumentDate> {
    let mut out = Vec::new();
    let mut in_history = false;
    for (index, (line, folded)) in text.lines().zip(folded.lines()).enumerate() {
        if out.len() >= DATES_MAX {
            break;
        }
        let mut end = folded.len().min(LINE_BYTES_MAX);
        while !folded.is_char_boundary(end) {
            end -= 1;
        }
        let folded = &folded[..end];
        if line.starts_with('#') || line.starts_with('=') {
            in_history = [
                "history",
                "historie",
                "historique",
                "historial",
                "changelog",
                "versions",
                "review",
            ]
            .iter()
            .any(|word| folded.contains(word));
        }
        if !folded.bytes().any(|b| b.is_ascii_digit()) {
            continue;
        }
        let key = KEYS.iter().any(|key| folded.trim_start().starts_with(key));
        let history = in_history && folded.trim_start().starts_with('|');
        if !key && !history && !ANNOUNCED.is_match(folded) {
            continue;
        }
        let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        for (at, date) in dates_in(folded) {
            // The nearest announcement before a date decides: "Approved on 1 March 2025, next review 1 March 2026".
            let before = &folded[..at];
            let next = NEXT_REVIEW.iter().filter_map(|phrase| before.rfind(phrase)).max();
            let version = VERSION.iter().filter_map(|phrase| before.rfind(phrase)).max();
            let kind = match (next, version) {
                (Some(next), Some(version)) if next < version => DocumentDateKind::Version,
                (Some(_), _) => DocumentDateKind::NextReview,
                (None, Some(_)) => DocumentDateKind::Version,
                (None, None) if key || history => DocumentDateKind::Version,
                (None, None) => continue,
            };
            out.push(DocumentDate {
                line: number,
                kind,
                date,
            });
        }
    }
    out
}

/// Names of months in seven languages, folded; the position of a list is the month.
const MONTHS: [&[&str]; 12] = [
    &[
        "january", "jan", "januar", "janner", "janvier", "enero", "gennaio", "stycznia", "januari",
    ],
    &[
        "february", "feb", "februar", "fevrier", "febrero", "febbraio", "lutego", "februari",
    ],
    &["march", "mar", "marz", "mars", "marzo", "marca", "maart"],
    &["april", "apr", "avril", "abril", "aprile", "kwietnia"],
    &["may", "mai", "mayo", "maggio", "maja", "mei"],
    &["june", "jun", "juni", "juin", "junio", "giugno", "czerwca"],
    &["july", "jul", "juli", "juillet", "julio", "luglio", "lipca"],
    &["august", "aug", "aout", "agosto", "sierpnia", "augustus"],
    &[
        "september",
        "sep",
        "sept",
        "septembre",
        "septiembre",
        "settembre",
        "wrzesnia",
    ],
    &[
        "october",
        "oct",
        "oktober",
        "okt",
        "octobre",
        "octubre",
        "ottobre",
        "pazdziernika",
    ],
    &["november", "nov", "novembre", "noviembre", "listopada"],
    &[
        "december",
        "dec",
        "dezember",
        "dez",
        "decembre",
        "diciembre",
        "dicembre",
        "grudnia",
    ],
];

/// The dates of a folded line with their places, in the three forms that leave no doubt about day and month.
fn dates_in(folded: &str) -> Vec<(usize, Date)> {
    let mut out = Vec::new();
    let words: Vec<(usize, &str)> = words(folded);
    for (index, &(at, word)) in words.iter().enumerate() {
        let word = word.trim_end_matches('.');
        if let Some(date) = iso(word).or_else(|| dotted(word)) {
            out.push((at, date));
            continue;
        }
        let next = |step: usize| words.get(index + step).map(|(_, word)| *word);
        // `12 March 2025`, `12. März 2025`, `12 de marzo de 2025`; and `March 12, 2025`.
        if let Some(day) = day(word) {
            let skip = usize::from(next(1) == Some("de"));
            if let Some(month) = next(1 + skip).and_then(month) {
                let skip = skip + usize::from(next(2 + skip) == Some("de"));
                if let Some(date) = next(2 + skip)
                    .and_then(year)
                    .and_then(|year| Date::new(year, month, day).ok())
                {
                    out.push((at, date));
                }
            }
        } else if let Some(month) = month(word)
            && let (Some(day), Some(year)) = (next(1).and_then(day), next(2).and_then(year))
            && let Ok(date) = Date::new(year, month, day)
        {
            out.push((at, date));
        }
    }
    out
}

fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() || c == '.' || c == '-' {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            out.push((from, &text[from..at]));
        }
    }
    if let Some(from) = start {
        out.push((from, &text[from..]));
    }
    out
}

fn day(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    let word = ["st", "nd", "rd", "th", "er"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    word.parse().ok().filter(|day| (1..=31).contains(day))
}

fn month(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    MONTHS
        .iter()
        .position(|names| names.contains(&word))
        .and_then(|index| i8::try_from(index + 1).ok())
}

fn year(word: &str) -> Option<i16> {
    word.trim_end_matches('.')
        .parse()
        .ok()
        .filter(|year| (1990..=2100).contains(year))
}

fn iso(word: &str) -> Option<Date> {
    let word = word.split('t').next()?;
    let mut parts = word.split('-');
    let date = Date::new(
        year(parts.next()?)?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    )
    .ok()?;
    parts.next().is_none().then_some(date)
}

fn dotted(word: &str) -> Option<Date> {
    let mut parts = word.split('.');
    let (day, month, year_part) = (parts.next()?, parts.next()?, parts.next()?);
    let date = Date::new(year(year_part)?, month.parse().ok()?, day.parse().ok()?).ok()?;
    parts.next().is_none().then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[(DocumentDateKind, &str)]) {
        let found: Vec<_> = read(line, &crate::words::fold(line))
            .into_iter()
            .map(|date| (date.kind, date.date.to_string()))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, date)| (*kind, (*date).to_owned()))
            .collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn unambiguous_date_formats_are_parsed() {
        use DocumentDateKind::{NextReview, Version};
        check("Version 1.2, 2025-03-12", &[(Version, "2025-03-12")]);
        check("Approved by M. Ode on 12 March 2025.", &[(Version, "2025-03-12")]);
        check("Stand: 12.03.2025", &[(Version, "2025-03-12")]);
        check("Nächste Prüfung: 1. März 2026", &[(NextReview, "2026-03-01")]);
        check("Próxima revisión: 3 de mayo de 2026", &[(NextReview, "2026-05-03")]);
        check(
            "Last updated March 3, 2024. Next review: 2025-03-03",
            &[(Version, "2024-03-03"), (NextReview, "2025-03-03")],
        );
        check(
            "## Review history\n| 2025-03-18 | J. Okafor | first |",
            &[(Version, "2025-03-18")],
        );
    }

    #[test]
    fn ambiguous_date_formats_are_ignored() {
        check("The data was collected on 2021-04-03.", &[]);
        check("Version of 03/04/2025", &[]);
        check("Version 1.2.3", &[]);
        check("Approved on 2025-13-40", &[]);
    }
}
