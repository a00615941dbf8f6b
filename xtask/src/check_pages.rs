//! The documentation of checks: one page for each check, and an index in the order of the law.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use engine_model::{Check, Example, Impact, Layer};
use engine_regulation::{Obligation, Route, regulation};

use crate::codegen::GENERATED;

/// The folder that holds the pages and nothing else.
pub(crate) const FOLDER: &str = "docs/checks";

/// Every page with its path, and the index.
pub(crate) fn pages<'a>(checks: impl Iterator<Item = &'a Check>) -> Vec<(PathBuf, String)> {
    let checks: Vec<&Check> = checks.collect();
    let mut out = vec![(PathBuf::from(FOLDER).join("README.md"), index(&checks))];
    out.extend(checks.iter().map(|check| {
        let path = PathBuf::from(FOLDER).join(format!("{}.md", check.id));
        (path, page(check))
    }));
    out
}

/// The list of all checks, grouped by article.
fn index(checks: &[&Check]) -> String {
    let mut out = format!(
        "{GENERATED}# Checks\n\nThe scanner has {} checks. Each page shows what a finding means for you, examples that are reported \
         and examples that are not, and how to fix the problem or suppress the finding. All examples run as tests.\n\n\
         The severity is the weight of a gap in the score. The impact says what the problem does today:\n\n",
        checks.len()
    );
    for impact in [Impact::Breaks, Impact::Exposes, Impact::Misleads, Impact::Prepares] {
        let _ = writeln!(out, "- **{}**: {}", impact.name(), meaning(impact));
    }
    let law = regulation();
    let mut groups: BTreeMap<(u32, &str), Vec<(&Check, &Obligation)>> = BTreeMap::new();
    for check in checks {
        if let Some(obligation) = law.obligation(check.obligation) {
            groups
                .entry(place(&obligation.article))
                .or_default()
                .push((check, obligation));
        }
    }
    for mut group in groups.into_values() {
        group.sort_by_key(|(check, obligation)| (&obligation.id, check.id));
        let article = group
            .first()
            .and_then(|(_, obligation)| law.article(&obligation.article));
        if let Some(article) = article {
            let _ = write!(out, "\n## Art. {}: {}\n\n", article.number, article.title);
        }
        out.push_str(
            "| check | id | obligation | provision | applies from | severity | impact |\n\
             | --- | --- | --- | --- | --- | --- | --- |\n",
        );
        for (check, obligation) in group {
            let _ = writeln!(
                out,
                "| [{}]({}.md) | `{}` | {} | {} | {} | {} | {} |",
                check.title(),
                check.id,
                check.id,
                obligation.title,
                obligation.citation(),
                obligation.applies_from.strftime("%-d %B %Y"),
                check.severity.name(),
                check.impact.name()
            );
        }
    }
    out
}

/// The place of an article in the law: 4 is before 4a, and 4a before 5.
fn place(article: &str) -> (u32, &str) {
    let digits = article.trim_end_matches(|c: char| !c.is_ascii_digit());
    (digits.parse().unwrap_or(u32::MAX), &article[digits.len()..])
}

/// The page of a check.
fn page(check: &Check) -> String {
    let mut out = format!("{GENERATED}# {}\n\n| | |\n| --- | --- |\n", check.title());
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "| {name} | {} |", value.replace('|', "\\|"));
        }
    };
    let code = |ids: &[&str]| ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    row("Check", &code(&[check.id]));
    row("Former ids", &code(check.aliases));
    row("Layer", layer(check.layer));
    row("Severity", check.severity.name());
    row("Impact", &format!("{}: {}", check.impact.name(), meaning(check.impact)));
    let law = regulation();
    if let Some(obligation) = law.obligation(check.obligation) {
        let article = law.article(&obligation.article).map(|article| article.title.as_str());
        row(
            "Article",
            &format!("{}, {}", obligation.citation(), article.unwrap_or_default()),
        );
        row("Applies from", &dates(obligation));
        let actors: Vec<&str> = obligation.actors.iter().map(|role| role.label()).collect();
        row("Binds", &actors.join(", "));
        row("Risk class", obligation.risk_class.label());
        row("Applies only if", obligation.condition.as_deref().unwrap_or_default());
        row("Obligation", &obligation.title);
        row("Obligation id", &obligation.id);
    }
    row("Title of evidence", check.evidence);
    if let Some(obligation) = law.obligation(check.obligation) {
        let _ = write!(out, "\n## What the law requires\n\n> {}\n", obligation.description);
        let notes: Vec<&String> = obligation.date_note.iter().chain(&obligation.note).collect();
        let also: Vec<&Obligation> = check.also.iter().filter_map(|id| law.obligation(id)).collect();
        if !notes.is_empty() {
            out.push_str("\nNotes:\n\n");
        }
        for note in notes {
            let _ = writeln!(out, "- {note}");
        }
        if !also.is_empty() {
            out.push_str("\nThe check is also relevant for:\n\n");
        }
        for other in also {
            let _ = writeln!(out, "- {}: {} ({})", other.citation(), other.title, other.id);
        }
    }
    let _ = write!(out, "\n## What it means for you\n\n{}\n", check.explanation());
    let examples = check.examples();
    for (title, reported) in [("Reported", true), ("Not reported", false)] {
        let shown: Vec<&Example> = examples.iter().filter(|example| example.reported == reported).collect();
        let _ = write!(out, "\n## {title}\n");
        for (number, example) in (1..).zip(&shown) {
            if shown.len() > 1 {
                let _ = write!(out, "\nExample {number}:\n");
            }
            let fence = fence(&example.tree);
            let _ = write!(out, "\n{fence}text\n{}{fence}\n", example.tree);
        }
    }
    let _ = write!(out, "\n## How to fix it\n\n{}\n", check.fix);
    let _ = write!(
        out,
        "\n## How to suppress a finding\n\nMark a false alarm with a comment on the line of the finding, or on the line above it. \
         Give the reason:\n\n```text\n# compliance-ignore: {0} -- reason\n```\n\n\
         To cover more than one line, or to accept the risk, add an entry to `.compliance/suppressions.toml`. \
         An accepted risk does not fail the gate, but still counts as a gap in the score.\n\n\
         ```toml\n[[suppression]]\ncheck = \"{0}\"\npath = \"api/\"            # optional: one file or folder\n\
         kind = \"accepted_risk\"   # or \"false_positive\"\nreason = \"why\"\nowner = \"who decided\"\n\
         until = \"2027-06-30\"     # optional: the finding is open again after this day\n```\n",
        check.id
    );
    out
}

/// The dates of an obligation, one for each way into it.
fn dates(obligation: &Obligation) -> String {
    let dates: Vec<String> = obligation
        .applies_from_by_route
        .iter()
        .map(|(route, date)| {
            let date = date.strftime("%-d %B %Y");
            if *route == Route::All {
                date.to_string()
            } else {
                format!("{date} {}", route.label())
            }
        })
        .collect();
    dates.join("; ")
}

const fn meaning(impact: Impact) -> &'static str {
    match impact {
        Impact::Breaks => "the product fails now, or will fail within weeks.",
        Impact::Exposes => "credentials, machines or people are at risk.",
        Impact::Misleads => "a person or an auditor receives wrong information, or none.",
        Impact::Prepares => "nothing fails today. The work prepares for an obligation.",
    }
}

const fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::L1 => "L1, files",
        Layer::L2 => "L2, documents",
        Layer::L3 => "L3, dependencies",
        Layer::L4 => "L4, code",
        Layer::L5 => "L5, language model",
        Layer::Eval => "probes of a live endpoint",
    }
}

/// A fence that is longer than any in the text.
pub(crate) fn fence(text: &str) -> String {
    let longest = text
        .lines()
        .map(str::trim_start)
        .map(|line| line.len() - line.trim_start_matches('`').len())
        .max();
    "`".repeat(longest.map_or(3, |length| (length + 1).max(3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_all_checks_then_each_has_a_page_that_the_index_links() {
        let pages = pages(engine_scanner::checks());
        let (first, index) = &pages[0];
        assert!(first.ends_with("docs/checks/README.md"));
        assert_eq!(pages.len(), engine_scanner::checks().count() + 1);
        for check in engine_scanner::checks() {
            let path = PathBuf::from(FOLDER).join(format!("{}.md", check.id));
            let (_, page) = pages.iter().find(|(other, _)| *other == path).unwrap();
            assert!(
                index.contains(&format!("]({}.md) | `{}` |", check.id, check.id)),
                "{}",
                check.id
            );
            assert!(page.contains(&format!("# {}\n", check.title())), "{}", check.id);
            for section in [
                "What it means for you",
                "Reported",
                "Not reported",
                "How to fix it",
                "How to suppress a finding",
            ] {
                assert!(page.contains(&format!("\n## {section}\n\n")), "{}: {section}", check.id);
            }
            assert!(page.contains(&format!("# compliance-ignore: {} -- reason", check.id)));
        }
    }

    #[test]
    fn given_the_index_then_articles_are_in_the_order_of_the_law() {
        let checks: Vec<&Check> = engine_scanner::checks().collect();
        let index = index(&checks);
        let places: Vec<(u32, &str)> = index
            .lines()
            .filter_map(|line| line.strip_prefix("## Art. ")?.split(':').next())
            .map(place)
            .collect();
        assert!(places.len() > 5 && places.is_sorted());
    }

    #[test]
    fn given_a_fence_in_an_example_then_the_fence_around_it_is_longer() {
        assert_eq!(fence("x = 1\n"), "```");
        assert_eq!(fence("  ```python\n```\n"), "````");
    }
}
