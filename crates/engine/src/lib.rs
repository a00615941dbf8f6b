//! Use cases, state and the event bus; no HTTP.
//!
//! The engine composes the cores: it opens a project, scans it, keeps the result, and tells who listens. Its calls block
//! and belong on a blocking thread; only [`EventBus`] is waited on asynchronously. Time and ids come in through
//! [`Clock`], so that a test can hold them still.

mod aiuc;
mod audit_package;
mod baseline;
mod bus;
mod cache;
mod chat;
mod config;
mod credentials;
mod deep;
mod diff;
mod documents;
mod evals;
mod evaluations;
mod evidence;
mod fixes;
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod insight;
mod language_model;
mod later;
mod law;
mod onboarding;
mod open_projects;
mod passports;
mod posture;
mod profile;
mod project;
mod redteam;
mod reports;
mod requests;
mod retention;
mod revision;
mod scan;
mod shares;
mod simulate;
mod suppressed;
mod suppressions;
mod sync;
mod tools;
mod watch;
mod whatif;
mod written;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use engine_model::{EngineStatus, ErrorCode, Failure, LastScan, ScanResult, Score};
use engine_regulation::regulation;
use jiff::Timestamp;

pub use aiuc::{ControlGroup, ControlReadiness, ControlReadinessRequest};
pub use audit_package::{AuditPackage, audit_package_schemas};
pub use bus::{EventBus, Subscription};
pub use chat::{ChatDone, ChatEvent, ChatRequest, ChatRole, ChatRun, ChatTurn, Citation, CitationKind};
pub use credentials::{Environment, LlmInfo, SETTING_NAMES, SettingSource, SettingsFile};
pub use deep::{DeepFailure, DeepOpinion, DeepReport, DeepScanReply, DeepScanRequest, DeepVerdict};
pub use diff::Compared;
pub use documents::{
    DocAllReply, DocAllRequest, DocNotDue, DocProblem, DocReply, DocRequest, Finalisation, FriaRequest, NotifyRequest,
    PolicyRequest,
};
pub use engine_documents::{Industry, Kind as DocumentKind, kinds as document_kinds};
pub use engine_eval::{
    Comparison, EvalResult, Prices, RedTeamReport, RemediationReport, Remedies, RunEvent, Stop,
    Verdict as ProbeVerdict, eval_junit, eval_markdown, eval_sarif, score::grade as eval_grade,
};
pub use engine_evidence::{Entry, EntryType, Report, Verdict};
pub use engine_llm::Provider as LlmProvider;
pub use engine_messages::Language;
pub use engine_passport::{Document as PassportDocument, Permissions, passport_schema};
pub use engine_regulation::JurisdictionRecord;
pub use engine_scoring::{CostEstimate, Debt, FrameworkScores};
pub use engine_signing::{KeyError, PublicKey, SecretKey, Trust};
pub use engine_store::PersonalRecord;
pub use engine_tools::{NETWORK_VARIABLES, Place as ToolPlace};
pub use evals::{
    AuditEval, AuditRunReply, AuditRunRequest, AuditScan, CombinedScore, CompareRequest, EvalFindings, EvalFixesReply,
    EvalFixesRequest, EvalHeaders, EvalList, EvalListRequest, EvalManualFix, EvalQuery, EvalRequest, EvalRun,
    EvalRunLine, EvalSeed, EvalStarted, Hidden, JoinedFindings, RemediationReply, RemediationReportReply,
    RemediationReportRequest, RemediationRequest, Run,
};
pub use evidence::{AuditEntry, AuditLine, AuditRequest, EvidenceSummary, Signing, UnreadableEntry, VerifyRequest};
pub use fixes::{
    Applied, ApplyAllReply, ApplyAllRequest, ApplySummary, FixAction, FixHistory, FixHistoryEntry, FixHistoryRequest,
    FixItem, FixPlanView, FixPreview, FixPreviewRequest, FixProgress, FixRequest, FixResult, ToolchainCheck,
    ToolchainStatus, UndoReply, UndoRequest, UnfixedFinding, ValidateReply, Validation,
};
pub use gate::{fails, fails_anew};
pub use insight::CostReply;
pub use language_model::LlmUsage;
pub use law::{FrameworkList, JurisdictionList};
pub use onboarding::{
    CompleteReply, CompleteRequest, Computed, DataView, Detected, DetectedSystem, FormQuestion, GuidedStartRequest,
    GuidedStatus, GuidedStep, GuidedStepReply, GuidedStepRequest, ObligationView, OnboardingStatus, OrganisationView,
    ProfileView, ProjectRequest, QuestionBlock, QuestionForm, SystemView,
};
pub use passports::{
    AgentAutonomy, AgentCompleteness, AutonomyEvidence, AutonomyReply, ChainState, CompletenessReply, ExportReply,
    ExportRequest, FieldChange, ImportReply, ImportRequest, InitReply, InitRequest, NamedRequest, NotMade,
    PassportChanges, RegistryEntry, RenameRequest, ValidationReply, passport_completeness,
};
pub use posture::{
    ActionPart, ArticleCount, Dimension, DocumentsPart, ObligationsPart, OpenObligation, PassportsPart, Posture,
    PostureAction, PostureCategory, PostureDisclaimer, PostureRequest, ReadinessPart, ReportedAction, ReportedDocument,
    ReportedPassport, StatusReport, SummaryPart,
};
pub use profile::{AnswerReply, AnswerRequest, EvidenceRequest};
pub use redteam::RedTeamRequest;
pub use reports::{
    BadgeGenerateRequest, BadgeReply, BadgeRequest, ReportFile, ReportFormat, ReportReply, ReportRequest, SavedReport,
};
pub use requests::{
    ActionKind, ActionParts, BaselineRequest, CostRequest, DebtRequest, FrameworkScoresRequest, OperatorRole,
    RiskClass, ScanDiffRequest, ScanRequest, Secret, SimulateActionsRequest, SimulatedAction, SimulationRequest,
    WhatIfKind, WhatIfRequest,
};
pub use retention::RetentionStep;
pub use scan::{BaselineFile, BaselineWritten, Progress, ScanHooks};
pub use shares::{
    RevokeRequest, ScanType, ShareList, ShareListRequest, ShareRecord, ShareRequest, ShareStatus, SharedForm,
    SharedResult,
};
pub use simulate::{ActionImpact, PassportCompleteness, SimulateActionsReply, Simulation};
pub use sync::{LastSync, ScanReply, SyncAction, SyncItem, SyncKind, SyncReply, SyncRequest, SyncStatus, SyncedChain};
pub use tools::{ExternalRuns, ToolView, ToolsReply, ToolsUpdateRequest, UpdateResult};
pub use watch::Watch;
pub use whatif::{FromTo, ObligationCounts, WhatIfDate, WhatIfFinding, WhatIfObligation, WhatIfReply, WhatIfSide};

use project::ProjectState;

/// The version of the engine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where time and ids come from.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The time.
    pub now: fn() -> Timestamp,
    /// A new id, unique among all that were ever given.
    pub new_id: fn() -> String,
}

/// How an engine is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder that relative paths are resolved against.
    pub working_dir: PathBuf,
    /// The project to begin with.
    pub project: Option<PathBuf>,
    /// Whether nothing may be written, not even the state of a project.
    pub read_only: bool,
    /// Where time and ids come from.
    pub clock: Clock,
    /// Where keys lie, and which one signs.
    pub signing: Signing,
}

/// Scans at the same time; each uses all cores, so more would only take turns.
const SCANS_MAX: u64 = 8;

/// The engine.
pub struct Engine {
    options: Options,
    started: Instant,
    bus: EventBus,
    port: AtomicU16,
    scans: AtomicU64,
    syncs: AtomicU64,
    signer: evidence::Signer,
    /// Settings of the environment, where a project has none of its own.
    environment: Environment,
    /// Who speaks to endpoints, and where that went.
    outbound: engine_outbound::Client,
    /// The run against an endpoint that is under way; one at a time, so that budgets and rates are those of one run.
    running: Arc<evals::Running>,
    /// The external tools.
    tools: tools::Desk,
    projects: Mutex<open_projects::OpenProjects>,
    /// Held for writing while projects are closed: one that is opened again must find its lock free.
    closing: RwLock<()>,
    /// What `GET /status` tells of the last scan; small, so that reading it never waits for a scan.
    last: RwLock<Last>,
}

/// What is remembered of the last scan for the status.
#[derive(Clone, Debug, Default)]
struct Last {
    project: Option<PathBuf>,
    scanned_at: Option<String>,
    agents: u64,
    findings: u64,
    score: Option<f64>,
    /// The score of a preview of fixes after that scan: what published clients compare its gain with.
    previewed: Option<Previewed>,
}

/// A preview of fixes; it has no score where no obligation was evaluated.
#[derive(Clone, Copy, Debug)]
struct Previewed {
    score: Option<f64>,
}

impl Engine {
    /// Starts an engine. With a project its state is opened and its last scan is remembered.
    pub fn start(options: Options) -> Result<Self, Failure> {
        let engine = Self {
            bus: EventBus::new(),
            started: Instant::now(),
            port: AtomicU16::new(0),
            scans: AtomicU64::new(0),
            syncs: AtomicU64::new(0),
            signer: evidence::Signer::new(&options.signing, options.read_only),
            environment: Environment::default(),
            outbound: engine_outbound::Client::new(engine_outbound::Limits::default()),
            running: Arc::default(),
            tools: tools::Desk::default(),
            projects: Mutex::default(),
            closing: RwLock::new(()),
            last: RwLock::new(Last::default()),
            options,
        };
        if let Some(project) = engine.options.project.clone() {
            let state = engine.project(&project.to_string_lossy())?;
            // The project of a daemon is locked from its start, so that commands find the daemon.
            state.ensure()?;
            let last = state.last_scan()?;
            engine.remember(&state, last.as_deref());
        }
        Ok(engine)
    }

    /// The state of the engine. It waits for nothing.
    pub fn status(&self) -> EngineStatus {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner).clone();
        let scanning = self.scans.load(Ordering::Relaxed) > 0;
        let newest = last.previewed.map_or(last.score, |preview| preview.score);
        EngineStatus {
            status: if scanning { "scanning" } else { "ok" }.to_owned(),
            version: VERSION.to_owned(),
            mode: if self.options.read_only { "read-only" } else { "daemon" }.to_owned(),
            uptime: self.started.elapsed().as_secs(),
            last_result: (last.scanned_at.is_some() || last.previewed.is_some()).then(|| LastScan {
                scanned_at: last.scanned_at.clone(),
                score: newest,
                findings: last.findings,
            }),
            score: newest,
            last_scan: last.scanned_at,
            agents_count: last.agents,
            total_findings: last.findings,
            compliance_score: last.score,
            ready: true,
            pid: std::process::id(),
            project: last.project.map(|path| path.to_string_lossy().into_owned()),
            regulation_version: regulation().version().id.clone(),
            outbound: self
                .outbound
                .destinations()
                .into_iter()
                .map(|to| to.destination)
                .collect(),
        }
    }

    /// The events.
    pub fn events(&self) -> &EventBus {
        &self.bus
    }

    /// Says which port the daemon listens on, so that the lock of each project can name it.
    pub fn publish_port(&self, port: u16) {
        self.port.store(port, Ordering::Relaxed);
        for state in self.projects().all() {
            state.publish_port(port);
        }
    }

    /// Lets go of the state of all projects and ends all event streams.
    pub fn stop(&self) {
        self.running.stop();
        self.tools.stop();
        self.bus.close();
        self.projects().clear();
    }

    /// The time, as it goes over the wire.
    fn timestamp(&self) -> String {
        scan::timestamp((self.options.clock.now)())
    }

    fn projects(&self) -> MutexGuard<'_, open_projects::OpenProjects> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of the project at a path, opened if it is not yet. Where too many are open, the one that was used least recently
    /// is closed.
    fn project(&self, path: &str) -> Result<Arc<ProjectState>, Failure> {
        let root = project::open_root(&self.options.working_dir, path)?;
        let given = self.options.working_dir.join(path);
        let given = project::without_dots(&given);
        // A folder that is in use and was replaced by a link would lead the engine to write elsewhere.
        if given != root.path() && self.projects().holds(&given) {
            return Err(project::moved(&given));
        }
        if let Some(state) = self.projects().used(root.path()) {
            return Ok(state);
        }
        let state = {
            let _none_is_closed = self.closing.read().unwrap_or_else(PoisonError::into_inner);
            // The state is opened outside the lock: a slow disk must not hold up requests for other projects.
            let port = Some(self.port.load(Ordering::Relaxed)).filter(|port| *port != 0);
            let opened = ProjectState::open(root.clone(), self.options.read_only, port);
            let mut projects = self.projects();
            if let Some(state) = projects.used(root.path()) {
                return Ok(state);
            }
            let state = Arc::new(opened?);
            projects.add(&state);
            state
        };
        // What a process that died had begun is ended before anybody sees the project.
        self.end_unfinished_fixes(&state);
        self.close_unused();
        Ok(state)
    }

    /// Closes projects that nobody uses, where more are open than may be.
    fn close_unused(&self) {
        if !self.projects().is_full() {
            return;
        }
        let _closing = self.closing.write().unwrap_or_else(PoisonError::into_inner);
        let unused = self.projects().take_unused();
        // What is still to be written of them is written here, outside the lock.
        drop(unused);
    }

    /// The project of a request: the one it names, else the current one.
    fn project_or_current(&self, path: Option<&str>) -> Result<Arc<ProjectState>, Failure> {
        if let Some(path) = path {
            return self.project(path);
        }
        let current = self.last.read().unwrap_or_else(PoisonError::into_inner).project.clone();
        let Some(current) = current else {
            return Err(Failure::new(
                ErrorCode::NoProject,
                "no current project; give `path`, scan a project with POST /scan, or start the engine with --project",
            )
            .field("path"));
        };
        self.project(&current.to_string_lossy())
    }

    fn remember(&self, state: &ProjectState, scan: Option<&ScanResult>) {
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        *last = Last {
            project: Some(state.path().to_owned()),
            scanned_at: scan.map(|scan| scan.scanned_at.clone()),
            agents: scan.map_or(0, |scan| scan.agents.len() as u64),
            findings: scan.map_or(0, gate::open_gaps),
            score: scan
                .filter(|scan| scan.score.assessed)
                .map(|scan| scan.score.compliance),
            previewed: None,
        };
    }

    /// Remembers the score of a preview of the project that the status is about.
    fn remember_preview(&self, state: &ProjectState, score: &Score) {
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        if last.project.as_deref().is_none_or(|project| project == state.path()) {
            last.previewed = Some(Previewed {
                score: score.assessed.then_some(score.compliance),
            });
        }
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
