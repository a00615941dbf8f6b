//! What is asked of runs that are kept: results, findings, remedies, comparisons, and the audit that joins a scan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine_eval::{Comparison, EvalFailure, EvalResult, Verdict};
use engine_model::{
    ConfidenceLevel, ErrorCode, Evidence, EvidenceKind, Explanation, Failure, Finding, FindingType, Layer, ScanResult,
    Score, Severity,
};
use engine_regulation::{Obligation, regulation};
use engine_signing::Digest;
use engine_store::{EvalFilter, EvalRow, RunKind, StoreError};
use serde::de::DeserializeOwned;

use super::requests::{
    AuditEval, AuditRunReply, AuditRunRequest, AuditScan, CombinedScore, CompareRequest, EvalFindings, EvalFixesReply,
    EvalFixesRequest, EvalList, EvalListRequest, EvalManualFix, EvalQuery, EvalRunLine, JoinedFindings,
    RemediationReply, RemediationReportReply, RemediationReportRequest, RemediationRequest,
};
use super::setup::{self, invalid, unknown_run};
use super::{EvalRun, blocking};
use crate::gate::open_gaps;
use crate::project::{ProjectState, conflict};
use crate::{Engine, ScanRequest};

/// Runs listed where a client names no number.
const LIST_DEFAULT: u32 = 100;

/// Most runs listed at once.
const LIST_MAX: u32 = 1_000;

/// Ids of probes in one question.
const IDS_MAX: usize = 1_000;

/// Weights of the two halves of an audit.
const SCAN_WEIGHT: f64 = 0.4;
const EVAL_WEIGHT: f64 = 0.6;

/// How sure a finding is that rests on rules, and on what a model says.
const CONFIDENCE_RULES: u8 = 90;
const CONFIDENCE_MODEL: u8 = 70;

impl Engine {
    /// The newest evaluation, or the one of an id.
    pub fn eval_last(&self, query: &EvalQuery) -> Result<EvalResult, Failure> {
        let state = self.project_or_current(query.path.as_deref())?;
        last(&state, RunKind::Eval, query.run_id.as_deref(), query.agent.as_deref())
    }

    /// Runs of a project.
    pub fn eval_list(&self, request: &EvalListRequest) -> Result<EvalList, Failure> {
        let limit = request.limit.unwrap_or(LIST_DEFAULT);
        if limit == 0 || limit > LIST_MAX {
            return Err(invalid(
                "limit",
                format!("`limit` must be between 1 and {LIST_MAX}; use `cursor` for the next page"),
            ));
        }
        let state = self.project_or_current(request.path.as_deref())?;
        let rows = rows(
            &state,
            &EvalFilter {
                kind: RunKind::Eval,
                agent: request.agent.clone(),
                with_result: false,
                before: request.cursor,
                limit,
            },
        )?;
        let more = rows.len() == limit as usize;
        Ok(EvalList {
            cursor: rows.last().filter(|_| more).map(|row| row.seq),
            judge_configured: self.judge_settings(&state)?.0.is_some(),
            results: rows.into_iter().map(line).collect(),
        })
    }

    /// Failed probes as findings of a scan.
    pub fn eval_findings(&self, query: &EvalQuery) -> Result<EvalFindings, Failure> {
        let state = self.project_or_current(query.path.as_deref())?;
        let result: EvalResult = last(&state, RunKind::Eval, query.run_id.as_deref(), query.agent.as_deref())?;
        let scan = state.last_scan()?;
        let all = findings(&result);
        Ok(EvalFindings {
            joined: joined(&all, scan.as_deref().map_or(&[], |scan| &scan.findings)),
            scan_id: scan.map(|scan| scan.id.clone()),
            findings: all,
            run_id: result.id,
            target: result.target,
            timestamp: result.timestamp,
        })
    }

    /// What a person must do about the failed probes of the newest run. Nothing is changed.
    pub fn eval_fixes(&self, request: &EvalFixesRequest) -> Result<EvalFixesReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let result: EvalResult = last(&state, RunKind::Eval, None, None)?;
        let manual: Vec<EvalManualFix> = findings(&result)
            .into_iter()
            .map(|finding| EvalManualFix {
                description: finding.fix.unwrap_or_default(),
                check_id: finding.check_id,
                title: finding.title,
                severity: finding.severity,
            })
            .collect();
        Ok(EvalFixesReply {
            run_id: result.id,
            applied_count: 0,
            applied: Vec::new(),
            manual_count: manual.len() as u64,
            manual,
        })
    }

    /// What to do about probes.
    pub fn eval_remediation(&self, request: &RemediationRequest) -> Result<RemediationReply, Failure> {
        if request.test_ids.is_empty() {
            return Err(invalid(
                "testIds",
                "`testIds` is missing; give probe ids from `failures` of a result, separated by commas",
            ));
        }
        if request.test_ids.len() > IDS_MAX {
            return Err(invalid(
                "testIds",
                format!("`testIds` has more than {IDS_MAX} probe ids; send them in parts"),
            ));
        }
        Ok(engine_eval::remedies(
            setup::suite()?,
            request.test_ids.iter().map(String::as_str),
        ))
    }

    /// What to do about everything that failed in a run.
    pub fn eval_remediation_report(
        &self,
        request: &RemediationReportRequest,
    ) -> Result<RemediationReportReply, Failure> {
        let output = request.output_path.as_deref().map(setup::output).transpose()?;
        let state = self.project_or_current(request.path.as_deref())?;
        let result: EvalResult = last(&state, RunKind::Eval, request.run_id.as_deref(), None)?;
        let report = engine_eval::remediation_report(setup::suite()?, &result);
        if let Some(path) = output {
            state.ensure()?.ok_or_else(setup::read_only)?;
            state.write_new(&path, report.markdown_report.as_bytes())?;
        }
        let critical = result.failures.iter().filter(|one| one.severity == Severity::Critical);
        let critical: BTreeSet<&str> = critical.map(|one| one.category.as_str()).collect();
        Ok(RemediationReportReply {
            report,
            score: result.score.map(below),
            grade: result.grade.unwrap_or_else(not_assessed),
            total_failures: result.failed,
            critical_gaps: critical.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Two runs beside each other, probe by probe.
    pub fn eval_compare(&self, request: &CompareRequest) -> Result<Comparison, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let after: EvalResult = last(&state, RunKind::Eval, request.after.as_deref(), None)?;
        let before: EvalResult = if let Some(id) = &request.before {
            last(&state, RunKind::Eval, Some(id), None)?
        } else {
            let earlier = earlier(&state, &after)?;
            last(&state, RunKind::Eval, Some(&earlier), None)?
        };
        Ok(engine_eval::compare(&before, &after))
    }

    /// Begins an audit: the scan is made at once, the evaluation follows.
    pub async fn start_audit(self: &Arc<Self>, request: AuditRunRequest) -> Result<(ScanResult, EvalRun), Failure> {
        // What is wrong with the request is told before the scan.
        let ask = setup::Ask::eval(request)?;
        let (engine, path) = (Arc::clone(self), ask.path.clone());
        let scan = blocking(move || {
            let state = engine.project_or_current(path.as_deref())?;
            engine.scan(&ScanRequest::of(state.path().to_string_lossy()))
        })
        .await?;
        Ok((scan, self.start_run(ask).await?))
    }

    /// Joins a scan and an evaluation.
    pub fn audit_reply(scan: ScanResult, eval: EvalResult) -> AuditRunReply {
        let scan_score = scan.score.assessed.then_some(scan.score.compliance);
        let score = scan_score
            .zip(eval.score)
            .map(|(scan, eval)| ((SCAN_WEIGHT * scan + EVAL_WEIGHT * eval) * 100.0).round() / 100.0);
        let reason = match (scan_score, eval.score) {
            (None, _) => Some("the scan has no score, because no obligation was evaluated"),
            (_, None) => Some("the evaluation has too little evidence for a score"),
            _ => None,
        };
        let failed = findings(&eval);
        let joined = joined(&failed, &scan.findings);
        let mut all = scan.findings.clone();
        all.extend(failed);
        AuditRunReply {
            combined: CombinedScore {
                score: score.map(below),
                scan_weight: SCAN_WEIGHT,
                eval_weight: EVAL_WEIGHT,
                scan_score,
                eval_score: eval.score,
                reason: reason.map(str::to_owned),
            },
            findings: all,
            joined,
            score,
            scan: AuditScan {
                id: scan.id.clone(),
                score: scan_score.map(below),
                grade: scan.score.grade.clone().unwrap_or_else(not_assessed),
                findings: open_gaps(&scan),
            },
            eval: AuditEval {
                id: eval.id.clone(),
                score: eval.score.map(below),
                grade: eval.grade.clone().unwrap_or_else(not_assessed),
                tests: eval.total,
                passed: eval.passed,
                failed: eval.failed,
                security_score: eval.security_score.map(below),
                security_grade: eval
                    .security_score
                    .map(|score| engine_eval::score::grade(score).to_owned()),
            },
            scan_result: scan,
            eval_result: eval,
        }
    }
}

/// A score without its fraction.
fn below(score: f64) -> u64 {
    engine_model::whole(score.floor())
}

fn not_assessed() -> String {
    "not assessed".to_owned()
}

/// The run of the same target before this one; another endpoint's run says nothing about it.
fn earlier(state: &ProjectState, after: &EvalResult) -> Result<String, Failure> {
    let place = state.reading(|store| store.eval(&after.id))?;
    let filter = EvalFilter {
        kind: RunKind::Eval,
        agent: None,
        with_result: true,
        before: place.map_err(|error| conflict(&error))?.map(|row| row.seq),
        limit: LIST_DEFAULT,
    };
    let found = rows(state, &filter)?.into_iter().find(|row| row.target == after.target);
    found.map(|row| row.id).ok_or_else(|| {
        Failure::new(
            ErrorCode::NoRunYet,
            "no earlier run of this target found; run POST /eval/run again, or give `before`",
        )
    })
}

fn rows(state: &ProjectState, filter: &EvalFilter) -> Result<Vec<EvalRow>, Failure> {
    state
        .reading(|store| store.evals(filter))?
        .map_err(|error| conflict(&error))
}

fn line(row: EvalRow) -> EvalRunLine {
    EvalRunLine {
        id: row.id,
        target: row.target,
        score: row.score,
        timestamp: row.started_at,
        state: row.state.name().to_owned(),
        agent: row.agent,
        security_score: row.security,
    }
}

/// The result of a run: of the one that is named, else of the newest.
pub(crate) fn last<T: DeserializeOwned>(
    state: &ProjectState,
    kind: RunKind,
    id: Option<&str>,
    agent: Option<&str>,
) -> Result<T, Failure> {
    let none = || {
        let how = match kind {
            RunKind::Eval => "evaluate an endpoint with POST /eval/run first",
            RunKind::RedTeam => "test an agent with POST /redteam/run first",
        };
        Failure::new(ErrorCode::NoRunYet, format!("this project has no stored run; {how}"))
    };
    let failed = |error: StoreError| conflict(&error);
    let id = if let Some(id) = id {
        let row = state
            .reading(|store| store.eval(id))?
            .map_err(failed)?
            .filter(|row| row.kind == kind);
        row.filter(|row| row.has_result).ok_or_else(|| unknown_run("runId"))?.id
    } else {
        let filter = EvalFilter {
            kind,
            agent: agent.map(str::to_owned),
            with_result: true,
            before: None,
            limit: 1,
        };
        rows(state, &filter)?.pop().ok_or_else(none)?.id
    };
    state
        .reading(|store| store.eval_result(&id))?
        .map_err(failed)?
        .ok_or_else(none)
}

/// Lets the newest evaluation with a security score speak in the score of a scan: what was seen to fail on the live
/// endpoint is not made good by clean files, so the lower of the two counts.
pub(crate) fn weigh_in(state: &ProjectState, score: &mut Score) -> Result<(), Failure> {
    let filter = EvalFilter {
        kind: RunKind::Eval,
        agent: None,
        with_result: false,
        before: None,
        limit: LIST_DEFAULT,
    };
    let newest = rows(state, &filter)?.into_iter().find_map(|row| row.security);
    if let Some(seen) = newest {
        score.security = Some(score.security.map_or(seen, |files| files.min(seen)));
    }
    Ok(())
}

/// Failed probes as findings, so that clients of scans need to know nothing else.
pub(crate) fn findings(result: &EvalResult) -> Vec<Finding> {
    result.failures.iter().map(|failure| finding(result, failure)).collect()
}

/// What both say about the same obligation, in the order of its id. What files show and how the endpoint behaves are
/// independent evidence, so an obligation that both speak of is looked at first.
fn joined(eval: &[Finding], scan: &[Finding]) -> Vec<JoinedFindings> {
    let mut all: BTreeMap<&str, JoinedFindings> = BTreeMap::new();
    for finding in eval {
        let Some(id) = finding.obligation_id.as_deref() else {
            continue;
        };
        all.entry(id)
            .or_insert_with(|| JoinedFindings {
                obligation_id: id.to_owned(),
                article: regulation()
                    .obligation(id)
                    .map(|obligation| format!("Art. {}", obligation.article))
                    .unwrap_or_default(),
                eval: Vec::new(),
                scan: scan
                    .iter()
                    .filter(|other| other.obligation_id.as_deref() == Some(id))
                    .filter(|other| other.kind == FindingType::Fail && other.suppressed.is_none())
                    .map(|other| other.id.clone())
                    .collect(),
            })
            .eval
            .push(finding.id.clone());
    }
    all.into_values().collect()
}

fn finding(result: &EvalResult, failure: &EvalFailure) -> Finding {
    let obligation = obligation(&failure.articles);
    let probe = result.results.iter().find(|probe| probe.id == failure.id);
    let by_rules = probe.is_none_or(|probe| probe.judge == "rules");
    let confidence = if by_rules { CONFIDENCE_RULES } else { CONFIDENCE_MODEL };
    let flaky = probe.is_some_and(|probe| probe.flaky && probe.verdict == Verdict::Fail);
    let category = setup::suite().ok().and_then(|suite| suite.category(&failure.category));
    Finding {
        // The same probe of the same target is the same finding in every run.
        id: Digest::of(format!("eval\0{}\0{}", result.target, failure.id).as_bytes()).to_string()[..16].to_owned(),
        check_id: format!("eval-{}", failure.id),
        obligation_id: obligation.map(|obligation| obligation.id.clone()),
        kind: FindingType::Fail,
        layer: Layer::Eval,
        severity: failure.severity,
        impact: Some(engine_model::Impact::Misleads),
        confidence,
        confidence_level: ConfidenceLevel::of(confidence),
        title: failure.probe.clone(),
        message: format!(
            "{}{}. Expected: {}",
            if flaky { "In some attempts only: " } else { "" },
            failure.reason,
            failure.expected
        ),
        explanation: Some(Explanation {
            article: failure
                .articles
                .iter()
                .map(|article| format!("Art. {article}"))
                .collect::<Vec<_>>()
                .join(", "),
            applies_from: obligation.map(|obligation| obligation.applies_from),
            certain_from: None,
            why: category.map(|category| category.why.clone()).unwrap_or_default(),
            penalty: None,
        }),
        file: None,
        line: None,
        column: None,
        end_line: None,
        end_column: None,
        cell: None,
        system: None,
        evidence: vec![Evidence {
            kind: EvidenceKind::Run,
            reference: format!("{}#{}", result.id, failure.id),
            file: None,
            line: None,
            hash: None,
        }],
        code_context: None,
        fix: category.map(|category| category.remedy.clone()),
        fixable: false,
        suppressed: None,
        baseline: None,
    }
}

/// The obligation that stands in the first of these provisions that has one.
fn obligation(articles: &[String]) -> Option<&'static Obligation> {
    articles.iter().find_map(|article| {
        let exact = format!("Art. {article}");
        let number = article.split('(').next().unwrap_or(article);
        let all = regulation().obligations();
        all.iter()
            .find(|obligation| obligation.references.contains(&exact))
            .or_else(|| all.iter().find(|obligation| obligation.article == number))
    })
}
