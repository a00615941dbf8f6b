//! Everything that a report is made of, gathered from the state of a project.

use std::sync::Arc;

use engine_eval::EvalResult;
use engine_messages::Language;
use engine_model::{ErrorCode, Failure, ScanResult};
use engine_passport::SignatureVerdict;
use engine_pdf::Document;
use engine_regulation::JurisdictionRecord;
use engine_report::{
    CategoryFacts, Edition, EvaluationFacts, EvidenceFacts, PassportFacts, ReportFacts, ShareKind, SignatureState,
};
use engine_signing::Digest;
use engine_store::RunKind;

use crate::project::{ProjectState, conflict, name};
use crate::{Engine, RegistryEntry, evals};

/// What a report is made of.
pub(crate) struct Gathered {
    pub(crate) scan: Arc<ScanResult>,
    pub(crate) eval: Option<EvalResult>,
    pub(crate) language: Language,
    pub(crate) organisation: Option<String>,
    pub(crate) jurisdiction: Option<JurisdictionRecord>,
    digest: String,
    evaluations: Vec<EvaluationFacts>,
    passports: Vec<PassportFacts>,
    evidence: Option<EvidenceFacts>,
}

impl Gathered {
    fn facts(&self, edition: Edition) -> ReportFacts<'_> {
        ReportFacts {
            scan: &self.scan,
            language: self.language,
            edition,
            organisation: self.organisation.as_deref(),
            jurisdiction: self.jurisdiction.as_ref(),
            digest: &self.digest,
            evaluations: &self.evaluations,
            passports: &self.passports,
            evidence: self.evidence.as_ref(),
        }
    }

    /// The report.
    pub(crate) fn report(&self, edition: Edition) -> Document {
        engine_report::report(&self.facts(edition))
    }

    /// What of it may be shared.
    pub(crate) fn shared(&self, kind: ShareKind) -> Document {
        engine_report::shared_report(&self.facts(Edition::Full), kind)
    }

    /// Replaces the scan by the one that may leave the machine.
    pub(crate) fn make_portable(&mut self, state: &ProjectState) {
        let mut scan = engine_package::portable(&self.scan);
        // The report names the project by the name of its folder.
        scan.project_path = name(state.path());
        self.scan = Arc::new(scan);
    }
}

impl Engine {
    /// Gathers what is kept beside a scan.
    pub(crate) fn gather(&self, state: &Arc<ProjectState>, scan: &Arc<ScanResult>) -> Result<Gathered, Failure> {
        let path = state.path().to_string_lossy().into_owned();
        let portable = engine_package::portable_bytes(scan).map_err(|error| conflict(&error))?;
        let eval = match evals::last::<EvalResult>(state, RunKind::Eval, None, None) {
            Ok(result) => Some(result),
            Err(failure) if failure.code == ErrorCode::NoRunYet => None,
            Err(failure) => return Err(failure),
        };
        let passports = self.registry(Some(&path))?;
        let chain = self.evidence(Some(&path))?;
        let evidence = chain.head.map(|head| EvidenceFacts {
            entries: chain.entries,
            last_entry: chain.last_entry.unwrap_or_default(),
            last_hash: chain.last_hash.unwrap_or_default(),
            head,
            key_id: chain.key_id,
        });
        Ok(Gathered {
            scan: Arc::clone(scan),
            evaluations: eval.iter().map(evaluation).collect(),
            eval,
            language: Language::default(),
            organisation: None,
            jurisdiction: None,
            digest: Digest::of(&portable).to_string(),
            passports: passports.iter().filter_map(passport).collect(),
            evidence,
        })
    }
}

fn evaluation(result: &EvalResult) -> EvaluationFacts {
    let count = |number: usize| number as u64;
    EvaluationFacts {
        target: result.target.clone(),
        timestamp: result.timestamp.clone(),
        passed: count(result.passed),
        failed: count(result.failed),
        without_verdict: count(result.errors + result.inconclusive + result.not_judged + result.skipped),
        score: result.score,
        complete: result.complete,
        categories: result
            .categories
            .iter()
            .map(|(name, category)| CategoryFacts {
                name: if category.title.is_empty() {
                    name.clone()
                } else {
                    category.title.clone()
                },
                passed: count(category.passed),
                failed: count(category.failed),
                score: category.score,
                interval: category.interval.as_ref().map(|interval| (interval.low, interval.high)),
            })
            .collect(),
    }
}

/// A passport; none for an agent that has no passport.
fn passport(entry: &RegistryEntry) -> Option<PassportFacts> {
    entry.file.as_ref()?;
    Some(PassportFacts {
        name: entry.name.clone(),
        autonomy: entry.autonomy_level,
        risk_class: entry.risk_class.clone().unwrap_or_default(),
        completeness: entry.completeness.unwrap_or_default(),
        signature: match entry.signature {
            Some(SignatureVerdict::Valid) => SignatureState::Valid,
            Some(SignatureVerdict::Tampered) => SignatureState::Tampered,
            Some(SignatureVerdict::UnknownKey) => SignatureState::UnknownKey,
            None => SignatureState::None,
        },
    })
}
