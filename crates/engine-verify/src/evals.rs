//! Evaluations: each the one that was recorded, and its counts and scores computed again from its verdicts.

use std::collections::{BTreeMap, BTreeSet};

use engine_eval_score::{Cap, Counts, FORMULA, OVERALL, Row, Verdict as Judged, grade, tally, wilson};
use engine_evidence::{Entry, Verdict};
use engine_model::Severity;
use engine_package::{EvalIndex, EvalIndexed, EvalStanding, is_portable_eval, paths};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::chain::Chain;
use crate::judge::Judge;
use crate::outcome::FaultKind;

/// A probe of a result, as far as it counts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Probe {
    category: String,
    group: String,
    method: String,
    severity: Severity,
    verdict: Judged,
    passed: bool,
    flaky: bool,
    attempts: u32,
    failed_attempts: u32,
}

impl Probe {
    fn row(&self) -> Row<'_> {
        Row {
            category: &self.category,
            group: &self.group,
            severity: self.severity,
            attack: self.method == "security",
            verdict: self.verdict,
            attempts: self.attempts,
            failed_attempts: self.failed_attempts,
        }
    }
}

impl Judge {
    /// Compares the evaluations with the entries that record them. Returns those in the package if nothing is wrong:
    /// faults that only follow from others are not reported.
    pub(crate) fn evals(&mut self, chain: &Chain) -> Option<Vec<(EvalIndexed, Value)>> {
        let before = self.count();
        let Some(index) = self.json::<EvalIndex>(paths::EVALS, FaultKind::Eval) else {
            self.close("evals", before, "");
            return None;
        };
        let mut placed = BTreeSet::from([paths::EVALS.to_owned()]);
        let mut named = BTreeSet::new();
        let mut results = Vec::new();
        let mut absent = 0;
        for record in index.runs {
            named.insert(record.run.clone());
            let Some(entry) = chain.runs.get(&record.run) else {
                let message = format!("no entry records the run `{}`", record.run);
                self.fault(FaultKind::Eval, Verdict::Tampered, paths::EVALS, message);
                placed.extend(record.file);
                continue;
            };
            if !is_as_recorded(&record, entry) {
                let message = format!(
                    "entry {} does not match this record of the run `{}`",
                    record.seq, record.run
                );
                self.fault(FaultKind::Eval, Verdict::Tampered, paths::EVALS, message);
            }
            match (record.standing, &record.file) {
                (EvalStanding::Included, Some(file)) => {
                    placed.insert(file.clone());
                    let file = file.clone();
                    results.extend(self.result(&record, entry, &file).map(|value| (record, value)));
                }
                (EvalStanding::LeftOut | EvalStanding::Gone, None) => absent += 1,
                _ => {
                    let message = format!("the record of the run `{}` contradicts itself", record.run);
                    self.fault(FaultKind::Eval, Verdict::Tampered, paths::EVALS, message);
                }
            }
        }
        for run in chain.runs.keys().filter(|run| !named.contains(*run)) {
            let message = format!("entries record the run `{run}`, but the index does not list it");
            self.fault(FaultKind::Eval, Verdict::Missing, paths::EVALS, message);
        }
        let more: Vec<String> = self
            .gathered
            .files
            .keys()
            .filter(|path| path.starts_with(paths::EVAL_FOLDER) && !placed.contains(*path))
            .cloned()
            .collect();
        for path in more {
            self.fault(
                FaultKind::Eval,
                Verdict::Tampered,
                &path,
                "no chain entry mentions this file",
            );
        }
        if absent > 0 {
            self.notice(format!(
                "the results of {absent} runs that the chain records are not in the package"
            ));
        }
        if named.is_empty() && chain.runs.is_empty() {
            self.skip("evals", "the chain records no evaluation");
        } else {
            let detail = format!("{} results match the chain entries; scores recomputed", results.len());
            self.close("evals", before, detail);
        }
        (self.count() == before).then_some(results)
    }

    /// One result: the recorded one, without what does not belong into a package, and with numbers that follow.
    fn result(&mut self, record: &EvalIndexed, entry: &Entry, file: &str) -> Option<Value> {
        let found = self.gathered.files.get(file).map(|found| found.blake3.clone());
        let recorded = match (found, record.blake3) {
            (Some(found), Some(stated)) if found == stated.to_string() => true,
            (Some(_), _) => {
                let message = format!("the digest differs from the one in entry {}", record.seq);
                self.fault(FaultKind::Eval, Verdict::Tampered, file, message);
                false
            }
            (None, _) => {
                self.fault(
                    FaultKind::Eval,
                    Verdict::Missing,
                    file,
                    "the file is not in the package",
                );
                return None;
            }
        };
        // Where it is another text anyway, that it cannot be read is no fault of its own.
        let result: Value = if recorded {
            self.json(file, FaultKind::Eval)?
        } else {
            engine_signing::parse(self.gathered.kept.get(file)?).ok()?
        };
        if !is_portable_eval(&result) {
            let message =
                "it contains data that a package must not contain: headers, bodies, or the query of an address";
            self.fault(FaultKind::Eval, Verdict::Tampered, file, message);
        }
        if entry.payload["formula"] != FORMULA {
            self.notice(format!(
                "{file}: another version of the scoring formula; its scores were not checked"
            ));
            return Some(result);
        }
        let wrong = match record.kind.as_str() {
            "redteam" => attacks(&result, entry),
            _ => evaluation(&result, entry),
        };
        match wrong {
            Err(why) if recorded => {
                self.fault(
                    FaultKind::Eval,
                    Verdict::Corrupt,
                    file,
                    format!("could not read the file: {why}"),
                );
            }
            Err(_) => {}
            Ok(wrong) => {
                for place in wrong {
                    let message = format!(
                        "`{place}` does not follow from the verdicts in the file, or differs from the chain entry"
                    );
                    self.fault(FaultKind::Score, Verdict::Tampered, file, message);
                }
            }
        }
        Some(result)
    }
}

/// Whether a record says of a run what its newest entry says.
fn is_as_recorded(record: &EvalIndexed, entry: &Entry) -> bool {
    let result = &entry.payload["result"];
    let stated = result["blake3"].as_str().filter(|_| result["stored"].is_string());
    record.kind == entry.kind.as_str()
        && (record.seq, record.entry) == (entry.seq, entry.hash)
        && record.blake3.map(|digest| digest.to_string()).as_deref() == stated
        && (record.standing != EvalStanding::Included || record.blake3.is_some())
}

fn probes(result: &Value, list: &str) -> Result<Vec<Probe>, String> {
    Vec::<Probe>::deserialize(&result[list]).map_err(|error| error.to_string())
}

/// Collects places at which a value is not the expected one.
struct Compare<'a> {
    result: &'a Value,
    entry: &'a Entry,
    wrong: Vec<String>,
}

impl Compare<'_> {
    fn same(&mut self, name: &str, expected: &Value) {
        if !equal(&self.result[name], expected) {
            self.wrong.push(name.to_owned());
        }
    }

    /// The same for a value that the entry states as well.
    fn told(&mut self, name: &str, expected: &Value) {
        self.same(name, expected);
        self.stated(name, expected);
    }

    fn stated(&mut self, name: &str, expected: &Value) {
        if !equal(&self.entry.payload[name], expected) {
            self.wrong.push(format!("{name} of entry {}", self.entry.seq));
        }
    }
}

/// Whether two values are the same; a whole number is one in any spelling.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|o| equal(value, o)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        _ => one == other,
    }
}

/// Places of an evaluation that do not follow from its verdicts, or differ from the entry.
fn evaluation(result: &Value, entry: &Entry) -> Result<Vec<String>, String> {
    let probes = probes(result, "results")?;
    let caps = Vec::<Cap>::deserialize(&result["caps"]).map_err(|error| error.to_string())?;
    let rows: Vec<Row<'_>> = probes.iter().map(Probe::row).collect();
    // Replies to harmless questions are not in the file, so what they hold down is taken as it is told.
    let overall = caps.into_iter().filter(|cap| cap.scope == OVERALL).collect();
    let again = tally(&rows, overall);
    let mut compare = Compare {
        result,
        entry,
        wrong: Vec::new(),
    };
    if probes
        .iter()
        .any(|probe| probe.passed != (probe.verdict == Judged::Pass) || probe.flaky != probe.row().is_flaky())
    {
        compare.wrong.push("results".to_owned());
    }
    let Counts {
        all,
        passed,
        failed,
        errors,
        inconclusive,
        not_judged,
        skipped,
        flaky,
    } = again.counts;
    compare.told("total", &json!(all - skipped));
    compare.same("totalTests", &json!(all - skipped));
    compare.told("passed", &json!(passed));
    compare.told("failed", &json!(failed));
    compare.told("errors", &json!(errors));
    compare.told("inconclusive", &json!(inconclusive));
    compare.same("notJudged", &json!(not_judged));
    compare.told("skipped", &json!(skipped));
    compare.same("flaky", &json!(flaky));
    compare.same("score", &json!(again.score));
    compare.same("overallScore", &json!(again.score));
    compare.same("grade", &json!(again.score.map(grade)));
    compare.same("coverage", &json!(again.coverage));
    compare.same("caps", &json!(again.caps));
    compare.same("groupScores", &json!(again.groups));
    let security = again.groups.get("security").copied().flatten();
    compare.same("securityScore", &json!(security));
    compare.same("interval", &json!(wilson(passed, passed + failed)));
    let written = |score: Option<f64>| json!(score.map(|score| format!("{score:.2}")));
    compare.stated("score", &written(again.score));
    compare.stated("securityScore", &written(security));
    let given = result["categories"].as_object();
    let names: BTreeSet<&String> = given
        .into_iter()
        .flat_map(|given| given.keys())
        .chain(again.categories.keys())
        .collect();
    for name in names {
        let fits = again.categories.get(name).is_some_and(|category| {
            let counts = category.counts;
            let expected = json!({
                "total": counts.all,
                "passed": counts.passed,
                "failed": counts.failed,
                "errors": counts.errors,
                "inconclusive": counts.inconclusive,
                "notJudged": counts.not_judged,
                "skipped": counts.skipped,
                "flaky": counts.flaky,
                "score": category.score,
                "coverage": category.coverage,
                "criticalCapped": category.critical_capped,
                "interval": wilson(counts.passed, counts.passed + counts.failed),
            });
            let given = &result["categories"][name.as_str()];
            expected.as_object().is_some_and(|expected| {
                expected
                    .iter()
                    .all(|(field, value)| equal(&given[field.as_str()], value))
            })
        });
        if !fits {
            compare.wrong.push(format!("categories.{name}"));
        }
    }
    // Every failed probe is told among the failures, and no other.
    let failures = result["failures"].as_array().map_or(0, Vec::len);
    if failures != failed {
        compare.wrong.push("failures".to_owned());
    }
    Ok(compare.wrong)
}

/// The same for a run of attacks: one that failed as a probe worked as an attack.
fn attacks(result: &Value, entry: &Entry) -> Result<Vec<String>, String> {
    let probes = probes(result, "transcripts")?;
    let mut by_category: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for probe in &probes {
        by_category.entry(&probe.category).or_default().push(probe.row());
    }
    let all: Vec<Row<'_>> = probes.iter().map(Probe::row).collect();
    let mut compare = Compare {
        result,
        entry,
        wrong: Vec::new(),
    };
    for (name, expected) in rate(&all) {
        match name {
            "attempts" | "successes" | "withoutVerdict" => compare.told(name, &expected),
            _ => compare.same(name, &expected),
        }
    }
    let given = result["categories"].as_object();
    let names = given.into_iter().flat_map(|given| given.keys().map(String::as_str));
    let names: BTreeSet<&str> = names.chain(by_category.keys().copied()).collect();
    for name in names {
        let fits = by_category.get(name).is_some_and(|rows| {
            rate(rows)
                .iter()
                .all(|(field, value)| equal(&result["categories"][name][*field], value))
        });
        if !fits {
            compare.wrong.push(format!("categories.{name}"));
        }
    }
    Ok(compare.wrong)
}

#[expect(clippy::cast_precision_loss, reason = "counts of attacks")]
fn rate(rows: &[Row<'_>]) -> [(&'static str, Value); 5] {
    let counts = Counts::of(rows);
    let attempts = counts.passed + counts.failed;
    let share = (attempts > 0).then(|| counts.failed as f64 / attempts as f64);
    [
        ("attempts", json!(attempts)),
        ("successes", json!(counts.failed)),
        ("withoutVerdict", json!(counts.all - attempts)),
        ("attackSuccessRate", json!(share)),
        ("interval", json!(wilson(counts.failed, attempts))),
    ]
}
