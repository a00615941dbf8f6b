//! The labelled corpus in `tests/corpus`: each case scanned as a project of its own, the figures that come of it, and the
//! thresholds that they must reach.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, anyhow, bail};
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

    fn fact(&self, name: &str) -> (u32, u32) {
        self.facts.get(name).copied().unwrap_or_default()
    }
}

/// The lowest share of right facts over all languages, in percent, by the name of the fact.
const FACTS_MIN: [(&str, u32); 5] = [
    ("provider", 90),
    ("errors", 85),
    ("logging", 85),
    ("approval", 85),
    ("disclosure", 85),
];

/// The lowest share of cases with a call in which one is found, in percent.
const CALLS_MIN: u32 = 95;

/// The lowest share of labelled lines that are found, in percent.
const LINES_MIN: u32 = 90;

/// The figures as a document, and the thresholds that they miss.
pub(crate) struct Report {
    pub(crate) text: String,
    pub(crate) missed: Vec<String>,
}

/// Where the project's own cases lie.
fn own() -> PathBuf {
    root().join("tests/corpus")
}

/// Measures the cases of a folder, by language.
pub(crate) fn measure(folder: &Path) -> Result<BTreeMap<String, Tally>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
    {
        all.extend(cases(path)?);
    }
    if all.is_empty() {
        bail!("{} contains no cases", folder.display());
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (case, tally) in all.iter().zip(judge_all(&all)?) {
        tallies.entry(case.language.clone()).or_default().add(&tally);
    }
    Ok(tallies)
}

/// Judges cases on every processor; the tallies are in the order of the cases.
fn judge_all(cases: &[Case]) -> Result<Vec<Tally>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut judged = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { break judged };
            judged.push((at, judge(case)));
        }
    };
    let mut judged = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut judged = Vec::new();
        for worker in workers {
            judged.extend(worker.join().map_err(|_| anyhow!("the scan of a case panicked"))?);
        }
        anyhow::Ok(judged)
    })?;
    judged.sort_by_key(|(at, _)| *at);
    Ok(judged.into_iter().map(|(_, tally)| tally).collect())
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

/// Measures the project's own corpus.
pub(crate) fn report() -> Result<Report> {
    let tallies = measure(&own())?;
    let mut text = String::from(include_str!("accuracy.md"));
    text.push_str(&table(&tallies));
    Ok(Report {
        text,
        missed: missed(&sum(&tallies)),
    })
}

/// All languages together.
fn sum(tallies: &BTreeMap<String, Tally>) -> Tally {
    let mut all = Tally::default();
    for tally in tallies.values() {
        all.add(tally);
    }
    all
}

/// The thresholds that the figures of all languages miss, each with the figure and the threshold.
fn missed(all: &Tally) -> Vec<String> {
    let shares = [
        ("cases found", all.calls, CALLS_MIN),
        ("lines right", all.lines, LINES_MIN),
    ];
    let facts = FACTS_MIN.map(|(name, least)| (name, all.fact(name), least));
    let mut missed: Vec<String> = shares
        .into_iter()
        .chain(facts)
        .filter(|(_, (whole, part), least)| {
            *whole == 0 || u64::from(*part) * 100 < u64::from(*least) * u64::from(*whole)
        })
        .map(|(name, (whole, part), least)| format!("{name}: {part} of {whole}, at least {least} % required"))
        .collect();
    let (negatives, flagged) = all.negatives;
    if flagged > 0 {
        missed.push(format!("negatives flagged: {flagged} of {negatives}, 0 allowed"));
    }
    missed
}

/// The figures as a table, one row for each language.
fn table(tallies: &BTreeMap<String, Tally>) -> String {
    let all = sum(tallies);
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
        let fact = |name: &str| share(tally.fact(name));
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

    fn at_thresholds() -> Tally {
        Tally {
            calls: (100, CALLS_MIN),
            lines: (100, LINES_MIN),
            negatives: (50, 0),
            facts: FACTS_MIN
                .into_iter()
                .map(|(name, least)| (name, (100, least)))
                .collect(),
            wrong: Vec::new(),
        }
    }

    #[test]
    fn given_figures_at_their_thresholds_then_none_is_missed() {
        assert_eq!(missed(&at_thresholds()), [""; 0]);
    }

    #[test]
    fn given_figures_below_their_thresholds_then_each_is_named() {
        let mut tally = at_thresholds();
        tally.calls.1 -= 1;
        tally.facts.insert("logging", (1000, 849));
        tally.negatives.1 = 2;
        assert_eq!(
            missed(&tally),
            [
                "cases found: 94 of 100, at least 95 % required",
                "logging: 849 of 1000, at least 85 % required",
                "negatives flagged: 2 of 50, 0 allowed",
            ]
        );
    }

    #[test]
    fn given_no_labels_then_every_share_is_missed() {
        assert_eq!(missed(&Tally::default()).len(), 7);
    }

    #[test]
    fn every_case_counts_for_its_language() {
        let text = "=== a | python | none\n//- a.py\nx = 1\n\
                    === b | python | call | lines=b.py:4 | provider=openai\n//- b.py\nimport openai\n\n\
                    client = openai.OpenAI()\nprint(client.responses.create(model=\"gpt-4.1\", input=input()))\n\
                    === c | go | call | lines=c.go:1\n//- c.go\npackage c\n";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("some.txt"), text).unwrap();
        let tallies = measure(folder.path()).unwrap();
        assert_eq!(tallies["python"].calls, (1, 1));
        assert_eq!(tallies["python"].negatives, (1, 0));
        assert_eq!(tallies["go"].calls, (1, 0));
        assert_eq!(tallies["go"].wrong, ["c: no call was found ()"]);
    }
}
