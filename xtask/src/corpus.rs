//! The labelled corpus in `tests/corpus`: each case scanned as a project of its own, and the figures that come of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use engine_model::{Call, CallKind, Date, ErrorHandling, Logging, MemoryTree, Zone};
use engine_scanner::{Settings, scan_memory};

use crate::root;

/// One labelled case.
struct Case {
    id: String,
    language: String,
    kind: String,
    fields: BTreeMap<String, String>,
    tree: MemoryTree,
}

/// A label of a call: the file and the lines that are right.
struct Place {
    file: String,
    lines: Vec<u32>,
}

/// How far from the label a line may be.
const SLACK: u32 = 3;

/// What was counted for one language.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Cases with a call, and those in which one was found.
    pub(crate) calls: (u32, u32),
    /// Labelled lines, and those found within three lines.
    pub(crate) lines: (u32, u32),
    /// Negative cases, and those that were flagged.
    pub(crate) negatives: (u32, u32),
    /// Labelled facts and those that were told right, by name.
    pub(crate) facts: BTreeMap<&'static str, (u32, u32)>,
    /// What went wrong, by case.
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        let add = |a: &mut (u32, u32), b: (u32, u32)| *a = (a.0 + b.0, a.1 + b.1);
        add(&mut self.calls, other.calls);
        add(&mut self.lines, other.lines);
        add(&mut self.negatives, other.negatives);
        for (name, counts) in &other.facts {
            add(self.facts.entry(name).or_default(), *counts);
        }
        self.wrong.extend(other.wrong.iter().cloned());
    }
}

/// Where the project's own cases lie.
fn own() -> PathBuf {
    root().join("tests/corpus")
}

/// Measures the cases of a folder, by language.
pub(crate) fn measure(folder: &Path) -> Result<BTreeMap<String, Tally>> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
    {
        for case in cases(path)? {
            let tally = tallies.entry(case.language.clone()).or_default();
            tally.add(&judge(&case));
        }
    }
    if tallies.is_empty() {
        bail!("{} contains no cases", folder.display());
    }
    Ok(tallies)
}

/// Prints what is wrong, case by case, and the figures; of another folder where one is named.
pub(crate) fn print(folder: Option<&Path>) -> Result<()> {
    let tallies = measure(folder.unwrap_or(&own()))?;
    for tally in tallies.values() {
        for line in &tally.wrong {
            println!("{line}");
        }
    }
    print!("{}", table(&tallies));
    Ok(())
}

/// The figures as a document.
pub(crate) fn report() -> Result<String> {
    let tallies = measure(&own())?;
    let mut out = String::from(include_str!("accuracy.md"));
    out.push_str(&table(&tallies));
    Ok(out)
}

/// The figures as a table, one row for each language.
fn table(tallies: &BTreeMap<String, Tally>) -> String {
    let mut all = Tally::default();
    for tally in tallies.values() {
        all.add(tally);
    }
    let mut out = String::from(
        "| language | cases found | lines right | negatives flagged | provider | model | errors | logging | approval | disclosure |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let names = tallies
        .iter()
        .map(|(name, tally)| (name.as_str(), tally))
        .chain([("all", &all)]);
    for (name, tally) in names {
        let share = |(whole, part): (u32, u32)| {
            if whole == 0 {
                "-".to_owned()
            } else {
                format!("{part} of {whole}")
            }
        };
        let fact = |name: &str| share(tally.facts.get(name).copied().unwrap_or_default());
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            share(tally.calls),
            share(tally.lines),
            share(tally.negatives),
            fact("provider"),
            fact("model"),
            fact("errors"),
            fact("logging"),
            fact("approval"),
            fact("disclosure"),
        );
    }
    out
}

fn cases(path: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(path)?;
    let mut cases = Vec::new();
    let mut open: Option<(Case, String)> = None;
    let close = |open: Option<(Case, String)>, cases: &mut Vec<Case>| -> Result<()> {
        if let Some((mut case, text)) = open {
            case.tree = engine_model::fixture(&text).map_err(|_| anyhow::anyhow!("{}: text before a file", case.id))?;
            cases.push(case);
        }
        Ok(())
    };
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("=== ") {
            close(open.take(), &mut cases)?;
            let mut parts = head.split(" | ").map(str::trim);
            let mut next = || {
                parts
                    .next()
                    .map(str::to_owned)
                    .with_context(|| format!("{}: {head}", path.display()))
            };
            let (id, language, kind) = (next()?, next()?, next()?);
            let fields = parts
                .filter_map(|part| part.split_once('='))
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .collect();
            open = Some((
                Case {
                    id,
                    language,
                    kind,
                    fields,
                    tree: MemoryTree::default(),
                },
                String::new(),
            ));
        } else if let Some((_, text)) = &mut open {
            text.push_str(line);
            text.push('\n');
        }
    }
    close(open.take(), &mut cases)?;
    Ok(cases)
}

fn judge(case: &Case) -> Tally {
    let mut tally = Tally::default();
    let evaluation = scan_memory(&case.tree, &Settings::on(Date::constant(2026, 11, 20)));
    let product: Vec<&Call> = evaluation
        .inventory
        .calls
        .iter()
        .filter(|call| call.zone == Zone::Product)
        .collect();
    let found: Vec<&Call> = product
        .iter()
        .copied()
        .filter(|call| matches!(call.kind, CallKind::Call | CallKind::ModelLoad))
        .collect();
    let wrong = |what: String| format!("{}: {what}", case.id);
    if case.kind != "call" {
        if case.kind == "construct" {
            return tally;
        }
        let flagged = if case.kind == "types" {
            !found.is_empty()
        } else {
            !product.is_empty()
        };
        tally.negatives = (1, u32::from(flagged));
        if flagged && let Some(call) = product.first() {
            tally
                .wrong
                .push(wrong(format!("flagged {}:{} {}", call.file, call.line, call.symbol)));
        }
        return tally;
    }
    tally.calls = (1, u32::from(!found.is_empty()));
    let places = places(case.fields.get("lines").map_or("", String::as_str));
    if found.is_empty() {
        tally.wrong.push(wrong(format!(
            "no call was found ({})",
            case.fields.get("how").map_or("", String::as_str)
        )));
    }
    for place in &places {
        let near = found
            .iter()
            .find(|call| call.file == place.file && place.lines.iter().any(|line| line.abs_diff(call.line) <= SLACK));
        tally.lines.0 += 1;
        tally.lines.1 += u32::from(near.is_some());
        if near.is_none() && !found.is_empty() {
            let seen: Vec<String> = found
                .iter()
                .map(|call| format!("{}:{}", call.file, call.line))
                .collect();
            tally.wrong.push(wrong(format!(
                "{} {:?} was not found, but {}",
                place.file,
                place.lines,
                seen.join(", ")
            )));
        }
    }
    let at_first = places.first().and_then(|place| {
        let own = found.iter().filter(|call| call.file == place.file);
        own.min_by_key(|call| place.lines.iter().map(|line| line.abs_diff(call.line)).min())
    });
    if let Some(call) = at_first.or(found.first()) {
        facts(case, call, &mut tally);
    }
    tally
}

fn facts(case: &Case, call: &Call, tally: &mut Tally) {
    let told = [
        ("provider", call.provider.clone().unwrap_or_else(|| "-".to_owned())),
        (
            "errors",
            match call.error_handling {
                ErrorHandling::Yes => "yes",
                ErrorHandling::Propagate => "propagate",
                ErrorHandling::No => "no",
            }
            .to_owned(),
        ),
        (
            "logging",
            match call.logging {
                Logging::Yes => "yes",
                Logging::Console => "console",
                Logging::No => "no",
            }
            .to_owned(),
        ),
        ("model", call.model.clone().unwrap_or_else(|| "-".to_owned())),
        ("approval", tristate(call.human_approval)),
        ("disclosure", tristate(call.disclosure)),
    ];
    for (name, value) in told {
        let Some(label) = case.fields.get(name).filter(|label| *label != "-") else {
            continue;
        };
        let right = if name == "model" {
            // Prefixes of routers and folders are not part of a name, and a name may hold a slash.
            value == *label || value.ends_with(&format!("/{label}")) || value.ends_with(&format!(":{label}"))
        } else {
            label.split('/').any(|label| label == value)
        };
        let counts = tally.facts.entry(name).or_default();
        *counts = (counts.0 + 1, counts.1 + u32::from(right));
        if !right {
            tally
                .wrong
                .push(format!("{}: {name} is {value}, labelled {label}", case.id));
        }
    }
}

fn tristate(fact: Option<bool>) -> String {
    if fact == Some(true) { "yes" } else { "no" }.to_owned()
}

fn places(text: &str) -> Vec<Place> {
    text.split(',')
        .filter_map(|part| {
            let (file, lines) = part.trim().rsplit_once(':')?;
            let lines: Vec<u32> = lines.split('/').filter_map(|line| line.parse().ok()).collect();
            (!lines.is_empty()).then(|| Place {
                file: file.to_owned(),
                lines,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_judged_well_enough() {
        let mut all = Tally::default();
        for tally in measure(&own()).unwrap().values() {
            all.add(tally);
        }
        let share = |(whole, part): (u32, u32)| f64::from(part) / f64::from(whole.max(1));
        let wrong = all.wrong.join("\n");
        assert!(share(all.calls) >= 0.95, "cases found: {:?}\n{wrong}", all.calls);
        assert!(share(all.lines) >= 0.90, "lines right: {:?}\n{wrong}", all.lines);
        assert!(share(all.facts["provider"]) >= 0.90, "{:?}\n{wrong}", all.facts);
        for fact in ["errors", "logging", "approval", "disclosure"] {
            assert!(share(all.facts[fact]) >= 0.85, "{fact}: {:?}\n{wrong}", all.facts);
        }
        assert_eq!(all.negatives.1, 0, "negatives flagged\n{wrong}");
    }
}
