//! The result of the scan: the one that was recorded, its score computed again, and the matrix drawn from it again.

use engine_evidence::{Entry, Verdict};
use engine_model::ScanResult;
use engine_package::{EvalIndexed, Manifest, Matrix, paths, portable};
use engine_regulation::regulation;
use engine_scoring::{CheckCounts, FORMULA, ScoreInput, framework_scores, score, system_score};
use serde_json::Value;

use crate::chain::Chain;
use crate::judge::Judge;
use crate::outcome::FaultKind;

impl Judge {
    pub(crate) fn scan(&mut self, manifest: Option<&Manifest>, chain: &Chain, evals: Option<&[(EvalIndexed, Value)]>) {
        let held = self.gathered.files.get(paths::SCAN).map(|file| file.blake3.clone());
        let stated = manifest.and_then(|manifest| manifest.scan.as_deref());
        let Some(digest) = held else {
            let before = self.count();
            if stated.is_some() || chain.last_scan.is_some() {
                self.fault(
                    FaultKind::Scan,
                    Verdict::Missing,
                    paths::SCAN,
                    "the file is not in the package",
                );
                self.close("scan", before, "");
            } else {
                self.skip("scan", "the package contains no scan result");
                if evals.is_some_and(|evals| !evals.is_empty()) {
                    self.matrix(Matrix::default(), evals);
                }
            }
            return;
        };
        let before = self.count();
        let Some(scan) = self.json::<ScanResult>(paths::SCAN, FaultKind::Scan) else {
            self.close("scan", before, "");
            return;
        };
        match &chain.last_scan {
            None => self.fault(
                FaultKind::Scan,
                Verdict::Missing,
                paths::SCAN,
                "no entry of the chain records a scan",
            ),
            Some(entry) => self.recorded(&scan, &digest, stated, entry),
        }
        if manifest.is_some() && stated.is_none() {
            self.fault(
                FaultKind::Scan,
                Verdict::Tampered,
                paths::MANIFEST,
                "the manifest names no scan",
            );
        }
        if portable(&scan) != scan {
            let message =
                "it contains data that a package must not contain: a path, lines of source, or the name of a person";
            self.fault(FaultKind::Scan, Verdict::Tampered, paths::SCAN, message);
        }
        self.close("scan", before, format!("the scan {} matches the chain", scan.id));
        self.score(&scan);
        if let Some(entry) = &chain.last_scan {
            self.matrix(Matrix::of(&scan, entry.seq, entry.hash), evals);
        }
    }

    fn recorded(&mut self, scan: &ScanResult, digest: &str, stated: Option<&str>, entry: &Entry) {
        let said = |name: &str| entry.payload[name].as_str().unwrap_or_default();
        let wrong = [
            (
                stated.is_some_and(|stated| stated != scan.id),
                "the manifest names another scan",
            ),
            (said("scanId") != scan.id, "the chain records another scan"),
            (
                entry.payload["result"]["blake3"].as_str() != Some(digest),
                "the digest differs from the chain",
            ),
            (
                said("score") != format!("{:.2}", scan.score.compliance),
                "the score differs from the chain",
            ),
            (
                said("asOf") != scan.as_of.to_string() || said("regulationVersion") != scan.regulation_version,
                "the date or the rules version differs from the chain",
            ),
        ];
        for (wrong, message) in wrong {
            if wrong {
                let message = format!("{message} (entry {})", entry.seq);
                self.fault(FaultKind::Scan, Verdict::Tampered, paths::SCAN, message);
            }
        }
    }

    /// Computes every score again, from findings, obligations and the rules.
    fn score(&mut self, scan: &ScanResult) {
        let rules = &regulation().version().id;
        if scan.regulation_version != *rules || scan.score.formula != FORMULA {
            let detail = format!(
                "not recomputed: the scan used the rules {}, this verifier has {rules}; use the verifier with the rules of the scan",
                scan.regulation_version
            );
            self.skip("score", detail);
            return;
        }
        let before = self.count();
        let given = &scan.score;
        let mut again = score(&ScoreInput {
            applicability: scan.applicability,
            systems: &scan.systems,
            findings: &scan.findings,
            checks: CheckCounts {
                total: given.total_checks,
                passed: given.passed_checks,
                failed: given.failed_checks,
            },
        });
        // What was seen on a live endpoint may lower it further, also by a run that came before those in the package.
        if given
            .security
            .is_some_and(|given| again.security.is_none_or(|files| given <= files))
        {
            again.security = given.security;
        }
        let mut wrong = Vec::new();
        differences("score", &written(given), &written(&again), &mut wrong);
        let frameworks = framework_scores(&scan.systems, &scan.findings);
        differences(
            "frameworks",
            &written(&scan.frameworks),
            &written(&frameworks),
            &mut wrong,
        );
        for agent in &scan.agents {
            let system = scan.systems.iter().find(|system| system.id == agent.system);
            let own = system.and_then(|system| system_score(system, &scan.findings));
            differences(
                &format!("agents.{}.score", agent.name),
                &written(&agent.score),
                &written(&own),
                &mut wrong,
            );
        }
        if scan.findings_total != scan.findings.len() as u64 {
            wrong.push("findingsTotal".to_owned());
        }
        for place in wrong {
            let message = format!("`{place}` does not follow from the findings and the rules {rules}");
            self.fault(FaultKind::Score, Verdict::Tampered, paths::SCAN, message);
        }
        let detail = format!(
            "{} follows from {} findings and the rules {rules}",
            given.compliance,
            scan.findings.len()
        );
        self.close("score", before, detail);
    }

    fn matrix(&mut self, claims: Matrix, evals: Option<&[(EvalIndexed, Value)]>) {
        let Some(evals) = evals else {
            self.skip("matrix", "not checked: its evaluations do not match the chain");
            return;
        };
        let before = self.count();
        let runs: Vec<(&EvalIndexed, &Value)> = evals.iter().map(|(record, result)| (record, result)).collect();
        let matrix = claims.with_evaluations(&runs);
        let drawn = [
            (paths::MATRIX_JSON, matrix.json().unwrap_or_default()),
            (paths::MATRIX_CSV, matrix.csv()),
        ];
        for (path, text) in drawn {
            match self.gathered.kept.get(path) {
                None => self.fault(
                    FaultKind::Matrix,
                    Verdict::Missing,
                    path,
                    "the file is not in the package",
                ),
                Some(bytes) if bytes != text.as_bytes() => {
                    self.fault(
                        FaultKind::Matrix,
                        Verdict::Tampered,
                        path,
                        "the content does not follow from the scan and the evaluations",
                    );
                }
                Some(_) => {}
            }
        }
        self.close(
            "matrix",
            before,
            format!(
                "{} claims follow from the scan, and {} lines from evaluations",
                matrix.claims.len(),
                matrix.evaluations.len()
            ),
        );
    }
}

fn written<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Places at which two values differ; a list that differs is named as a whole.
fn differences(place: &str, given: &Value, again: &Value, wrong: &mut Vec<String>) {
    match (given, again) {
        (Value::Object(given), Value::Object(again)) => {
            let names: std::collections::BTreeSet<&String> = given.keys().chain(again.keys()).collect();
            for name in names {
                let of = |members: &serde_json::Map<String, Value>| members.get(name).cloned().unwrap_or_default();
                differences(&format!("{place}.{name}"), &of(given), &of(again), wrong);
            }
        }
        _ if given != again => wrong.push(place.to_owned()),
        _ => {}
    }
}
