//! Deep analysis: a configured language model looks again at findings whose confidence is in the uncertain zone.
//!
//! Its verdict annotates a finding and may move its confidence a little in the reply. It sets and clears no status, no score and no gate, and
//! the stored scan stays as the deterministic layers made it.

mod asking;
mod question;

use std::collections::BTreeMap;

use engine_evidence::EntryType;
use engine_llm::{Model, Provider};
use engine_model::{
    ConfidenceLevel, Date, ErrorCode, Failure, Finding, FindingType, LayerDetail, LayerStatus, ScanResult,
};
use engine_signing::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Engine;
use crate::credentials::{ModelSettings, WantedModel};
use crate::language_model::{self, Cleaner, LlmUsage};
use crate::project::ProjectState;
use crate::requests::{OperatorRole, RiskClass, ScanRequest, Secret};
use crate::scan::ScanHooks;
use crate::sync::SyncReply;
use asking::{Asked, Limits, ask_all};
use question::Question;

/// The lowest and the highest confidence of a candidate.
const ZONE: std::ops::RangeInclusive<u8> = 50..=80;

/// Findings that are analysed where a client names no number.
const FINDINGS_DEFAULT: u32 = 25;

/// Findings that are analysed at most.
const FINDINGS_MAX: u32 = 200;

/// Tokens of one reply at most.
const REPLY_TOKENS: u32 = 512;

/// Points by which a verdict may move the confidence of a finding.
const MOVE_MAX: u8 = 15;

/// Bounds of a moved confidence: a verdict makes no finding certain and drops none.
const MOVED: std::ops::RangeInclusive<u8> = 35..=95;

/// Characters of a model's name in a request.
const MODEL_CHARS: usize = 200;

/// Body of `POST /scan/deep`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeepScanRequest {
    /// The project's folder, absolute or relative to the folder that the engine was started in.
    pub path: String,
    /// Token of a remote dashboard.
    #[serde(default)]
    pub saas_token: Option<Secret>,
    /// Address of a remote dashboard.
    #[serde(default)]
    pub saas_url: Option<String>,
    /// The date for which the law is evaluated; today if absent.
    #[serde(default)]
    pub as_of: Option<Date>,
    /// The role of the operator; derived from the code if absent.
    #[serde(default)]
    pub role: Option<OperatorRole>,
    /// The risk class of the systems, as declared by a person.
    #[serde(default)]
    pub risk_class: Option<RiskClass>,
    /// Ids of the systems to report on; all if absent.
    #[serde(default)]
    pub systems: Option<Vec<String>>,
    /// The maximum number of findings in the reply; all if absent.
    #[serde(default)]
    pub limit: Option<u32>,
    /// The maximum cost in US dollars by list price. No question is sent that could exceed it.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_cost: Option<f64>,
    /// The maximum number of findings to analyse, 25 if absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    pub max_findings: Option<u32>,
    /// The model; the one of the settings if absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// The provider, if several are configured.
    #[serde(default)]
    pub provider: Option<Provider>,
}

impl DeepScanRequest {
    /// An analysis of a folder with nothing else asked.
    pub fn of(path: impl Into<String>) -> Self {
        let ScanRequest {
            path,
            saas_token,
            saas_url,
            as_of,
            role,
            risk_class,
            systems,
            limit,
        } = ScanRequest::of(path);
        Self {
            path,
            saas_token,
            saas_url,
            as_of,
            role,
            risk_class,
            systems,
            limit,
            max_cost: None,
            max_findings: None,
            model: None,
            provider: None,
        }
    }

    /// The scan in it; its list of findings is cut at the end.
    fn scan(&self) -> ScanRequest {
        ScanRequest {
            path: self.path.clone(),
            saas_token: self.saas_token.clone(),
            saas_url: self.saas_url.clone(),
            as_of: self.as_of,
            role: self.role,
            risk_class: self.risk_class,
            systems: self.systems.clone(),
            limit: None,
        }
    }
}

/// The opinion of a model on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeepOpinion {
    /// The lines show what the finding says.
    Supports,
    /// The lines speak against it.
    Doubts,
    /// The lines do not settle it.
    Unclear,
}

/// The verdict of a model on one finding. It is AI-generated and changes no status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeepVerdict {
    /// The finding.
    pub finding_id: String,
    /// The verdict.
    pub verdict: DeepOpinion,
    /// How sure the model says it is, 0 to 100.
    pub confidence: u8,
    /// Its reason, AI-generated.
    pub reasoning: String,
    /// Lines of the file that it cites; all of them were shown to it.
    pub cited_lines: Vec<u32>,
    /// The confidence of the finding before.
    pub confidence_before: u8,
    /// The confidence of the finding in this reply.
    pub confidence_after: u8,
}

/// A finding without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeepFailure {
    /// The finding.
    pub finding_id: String,
    /// A stable short name of the reason.
    pub reason: String,
    /// The same in words.
    pub message: String,
}

/// The result of a deep analysis.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeepReport {
    /// The model.
    pub model: String,
    /// The provider.
    pub provider: String,
    /// Findings with a confidence of 50 to 80.
    pub candidates: u64,
    /// Those with a verdict.
    pub analysed: u64,
    /// The verdicts, in the order of the findings.
    pub verdicts: Vec<DeepVerdict>,
    /// The cost in US dollars by list price; null where the price is unknown.
    pub cost: Option<f64>,
    /// Tokens and requests.
    pub usage: LlmUsage,
    /// Findings without a verdict, and why.
    pub failures: Vec<DeepFailure>,
    /// Why not all candidates were asked about: `maxFindings`, `maxCost`, `model-failed` or `cancelled`.
    pub stopped: Option<String>,
    /// Always true: verdicts and reasons are written by a language model.
    pub ai_generated: bool,
    /// The meaning of a verdict.
    pub notice: String,
    /// The entry of the evidence chain with the hash of each question.
    pub evidence_id: Option<String>,
}

/// Reply of `POST /scan/deep`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DeepScanReply {
    /// The scan.
    #[serde(flatten)]
    pub scan: ScanResult,
    /// The outcome of the push to the dashboard; absent where the request named none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncReply>,
    /// What the model said.
    pub deep: DeepReport,
}

impl Engine {
    /// Scans a project and has a language model look again at uncertain findings.
    pub fn scan_deep(&self, request: &DeepScanRequest, hooks: &ScanHooks<'_>) -> Result<DeepScanReply, Failure> {
        let limits = limits(request)?;
        let state = self.project(&request.path)?;
        let wanted = WantedModel {
            provider: request.provider,
            model: request.model.clone(),
            key: None,
        };
        // Everything that is missing is told before the work.
        let mut settings = self.assistant(&state, &wanted)?;
        let tokens = settings.target.reply_tokens.unwrap_or(REPLY_TOKENS);
        settings.target.reply_tokens = Some(tokens.min(REPLY_TOKENS));
        if request.max_cost.is_some() && settings.prices.is_none() {
            return Err(Failure::new(
                ErrorCode::Impossible,
                format!(
                    "the price of `{}` is unknown, so `maxCost` cannot be kept; add LLM_INPUT_PER_MILLION and LLM_OUTPUT_PER_MILLION to \
                     the settings, or use `maxFindings`",
                    engine_scanner::mask_secrets(settings.model())
                ),
            )
            .field("maxCost"));
        }
        let model = Model::new(self.outbound.clone(), settings.endpoint(question::SYSTEM, false)?);
        let mut scan = self.scan_with(&request.scan(), hooks)?;
        // A dashboard gets the scan as it is stored, without the words of a model.
        let sync = self.push_scan(&request.scan(), &scan);
        let report = self.analysed(&state, &settings, &model, &mut scan, limits, hooks)?;
        scan.warnings.extend(
            settings
                .warnings
                .iter()
                .filter(|warning| !scan.warnings.contains(warning))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let (status, detail) = layer(&report, &scan.findings);
        scan.layers.insert("L5".to_owned(), status);
        scan.layer_details.insert("L5".to_owned(), detail);
        if let Some(limit) = request.limit {
            scan.findings.truncate(limit as usize);
        }
        Ok(DeepScanReply {
            scan,
            sync,
            deep: report,
        })
    }

    fn analysed(
        &self,
        state: &ProjectState,
        settings: &ModelSettings,
        model: &Model,
        scan: &mut ScanResult,
        limits: Limits,
        hooks: &ScanHooks<'_>,
    ) -> Result<DeepReport, Failure> {
        let cleaner = Cleaner::new(settings, scan.findings.iter().map(|finding| finding.id.clone()));
        let seed = (self.options.clock.new_id)();
        let order = candidates(&scan.findings);
        let mut failures = BTreeMap::new();
        let mut questions = Vec::new();
        for &index in &order {
            match Question::about(state, &scan.findings[index], &seed, &cleaner) {
                Ok(question) => questions.push((index, question)),
                Err(why) => drop(failures.insert(index, why.to_owned())),
            }
        }
        let mut stopped = (questions.len() > limits.findings).then(|| "maxFindings".to_owned());
        questions.truncate(limits.findings);
        let (asked, early) = language_model::wait_for(ask_all(model, settings, &cleaner, questions, limits, hooks))?;
        stopped = early.map(str::to_owned).or(stopped);
        let mut usage = LlmUsage::none(settings);
        let mut verdicts = BTreeMap::new();
        let mut recorded = BTreeMap::new();
        for one in asked {
            let finding = &mut scan.findings[one.index];
            usage.requests += one.usage.requests;
            usage.input_tokens += one.usage.input_tokens;
            usage.output_tokens += one.usage.output_tokens;
            usage.estimated |= one.usage.estimated;
            usage.cost = usage.cost.zip(one.usage.cost).map(|(sum, cost)| sum + cost);
            recorded.insert(one.index, entry(&finding.id, &one));
            match one.verdict {
                Err(why) => drop(failures.insert(one.index, why)),
                Ok(opinion) => drop(verdicts.insert(one.index, verdict(finding, opinion))),
            }
        }
        let ids: Vec<String> = scan.findings.iter().map(|finding| finding.id.clone()).collect();
        let mut report = DeepReport {
            model: cleaner.foreign(settings.model()),
            provider: settings.provider.name().to_owned(),
            candidates: order.len() as u64,
            analysed: verdicts.len() as u64,
            verdicts: verdicts.into_values().collect(),
            cost: usage.cost,
            usage,
            failures: failures
                .into_iter()
                .map(|(index, reason)| DeepFailure {
                    finding_id: ids[index].clone(),
                    message: in_words(&reason),
                    reason,
                })
                .collect(),
            stopped,
            ai_generated: true,
            notice: "Verdicts and reasons are AI-generated and may be wrong. They annotate findings; status, score and gate come from the \
                     scan alone."
                .to_owned(),
            evidence_id: None,
        };
        if !recorded.is_empty() {
            let payload = json!({
                "scan": scan.id,
                "model": report.model,
                "provider": report.provider,
                "fenceSeed": seed,
                "candidates": report.candidates,
                "analysed": report.analysed,
                "cost": report.cost.map(money),
                "questions": recorded.into_values().collect::<Vec<Value>>(),
            });
            match self.record_analysis(state, payload) {
                Ok(id) => report.evidence_id = id,
                Err(failure) => scan.warnings.push(format!(
                    "{}. The analysis is not recorded in the evidence chain",
                    failure.details.trim_end_matches('.')
                )),
            }
        }
        Ok(report)
    }

    fn record_analysis(&self, state: &ProjectState, payload: Value) -> Result<Option<String>, Failure> {
        let Some(store) = state.store() else {
            return Ok(None);
        };
        let keys = self.signer().keys()?;
        let draft = self.draft(EntryType::Analysis, None, payload, Vec::new());
        let id = draft.id.clone();
        let added = store
            .record(draft, &self.chain_name(), &keys.secret)
            .map_err(|error| crate::project::conflict(&error))?;
        self.recorded(state, &added);
        Ok(Some(id))
    }
}

fn limits(request: &DeepScanRequest) -> Result<Limits, Failure> {
    let wrong = |field: &str, details: String| Err(Failure::new(ErrorCode::InvalidRequest, details).field(field));
    let findings = request.max_findings.unwrap_or(FINDINGS_DEFAULT);
    if !(1..=FINDINGS_MAX).contains(&findings) {
        return wrong(
            "maxFindings",
            format!("`maxFindings` must be between 1 and {FINDINGS_MAX}"),
        );
    }
    if request.max_cost.is_some_and(|cost| !cost.is_finite() || cost <= 0.0) {
        return wrong("maxCost", "`maxCost` must be a number above 0".to_owned());
    }
    if let Some(model) = &request.model
        && !is_model_name(model)
    {
        return wrong(
            "model",
            format!("`model` must have 1 to {MODEL_CHARS} visible characters"),
        );
    }
    Ok(Limits {
        findings: findings as usize,
        cost: request.max_cost,
    })
}

/// Whether a text can be the name of a model.
pub(crate) fn is_model_name(name: &str) -> bool {
    !name.trim().is_empty()
        && name.chars().count() <= MODEL_CHARS
        && !name.chars().any(|c| c.is_control() || engine_llm::is_hidden(c))
}

/// The findings to ask about: open gaps first, the severe ones before the others.
fn candidates(findings: &[Finding]) -> Vec<usize> {
    let mut out: Vec<usize> = (0..findings.len())
        .filter(|index| ZONE.contains(&findings[*index].confidence) && findings[*index].suppressed.is_none())
        .collect();
    out.sort_by_key(|index| {
        let finding = &findings[*index];
        (
            finding.kind != FindingType::Fail,
            std::cmp::Reverse(finding.severity),
            *index,
        )
    });
    out
}

/// Annotates a finding, and moves its confidence a little.
fn verdict(finding: &mut Finding, opinion: question::Opinion) -> DeepVerdict {
    let before = finding.confidence;
    let step = u16::from(MOVE_MAX) * u16::from(opinion.confidence.min(100)) / 100;
    let step = u8::try_from(step).unwrap_or(MOVE_MAX).min(MOVE_MAX);
    let after = match opinion.verdict {
        DeepOpinion::Supports => before.saturating_add(step),
        DeepOpinion::Doubts => before.saturating_sub(step),
        DeepOpinion::Unclear => before,
    };
    let after = after.clamp(*MOVED.start(), *MOVED.end());
    finding.confidence = after;
    finding.confidence_level = ConfidenceLevel::of(after);
    DeepVerdict {
        finding_id: finding.id.clone(),
        verdict: opinion.verdict,
        confidence: opinion.confidence,
        reasoning: opinion.reasoning,
        cited_lines: opinion.cited_lines,
        confidence_before: before,
        confidence_after: after,
    }
}

/// A question in the evidence: hashes and counts, no text.
fn entry(finding: &str, asked: &Asked) -> Value {
    json!({
        "finding": finding,
        "prompts": asked.prompts.iter().map(Digest::to_string).collect::<Vec<_>>(),
        "reply": asked.reply.as_ref().map(Digest::to_string),
        "outcome": match &asked.verdict {
            Ok(opinion) => json!(opinion.verdict),
            Err(why) => json!(why),
        },
        "inputTokens": asked.usage.input_tokens,
        "outputTokens": asked.usage.output_tokens,
        "cost": asked.usage.cost.map(money),
    })
}

/// Money as text: records that are signed hold no fractions.
fn money(amount: f64) -> String {
    format!("{amount:.6}")
}

/// The reason of a failure in words.
fn in_words(reason: &str) -> String {
    match reason {
        question::NO_PLACE => "the finding names no place in a file that could be shown to the model",
        question::SECRET => "the finding is about a secret, and secrets are not sent",
        question::NOT_READ => "the file could not be read as text",
        question::NOT_JSON => "the reply was not JSON of the asked form",
        question::NO_LINES => "the reply cited no line",
        question::FOREIGN_LINES => "the reply cited lines that were not shown",
        question::NO_REASON => "the reply gave no reason",
        "http-401" | "http-403" => "the service refused the key",
        "http-404" => "the service does not know the model or the address",
        "busy" => "the service is busy",
        "empty-reply" => "the reply was empty",
        "filtered" => "the service withheld its reply",
        "reply-too-long" => "the reply was too long",
        _ => "the model gave no usable reply",
    }
    .to_owned()
}

/// The status of the layer. It passes only where every candidate has a verdict and no gap was supported.
fn layer(report: &DeepReport, findings: &[Finding]) -> (LayerStatus, LayerDetail) {
    let gap = |id: &str| {
        findings
            .iter()
            .any(|finding| finding.id == id && finding.kind == FindingType::Fail)
    };
    let supported = report
        .verdicts
        .iter()
        .filter(|verdict| verdict.verdict == DeepOpinion::Supports && gap(&verdict.finding_id))
        .count() as u64;
    let open = report.candidates - report.analysed;
    let (status, reason) = match (report.candidates, report.analysed, supported, open) {
        (0, ..) => (LayerStatus::Skip, "no finding has a confidence of 50 to 80".to_owned()),
        (candidates, 0, ..) => (
            LayerStatus::Skip,
            format!("the model gave no verdict on any of {candidates} findings"),
        ),
        (candidates, analysed, 0, 0) => (
            LayerStatus::Pass,
            format!("{analysed} of {candidates} findings analysed; the model supports no gap"),
        ),
        (candidates, analysed, supported, _) => (
            LayerStatus::Warn,
            format!("{analysed} of {candidates} findings analysed; the model supports {supported} gaps"),
        ),
    };
    let detail = LayerDetail {
        title: "analysis by a language model, AI-generated".to_owned(),
        checks: 0,
        failed: supported,
        passed: 0,
        reason,
    };
    (status, detail)
}

#[cfg(test)]
mod tests;
