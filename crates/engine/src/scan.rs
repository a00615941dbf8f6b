//! The scan: walk, facts, law, score, state, events.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use engine_model::{CacheStats, Date, ErrorCode, EventBody, Failure, FileInfo, ScanResult, SkippedRecord};
use engine_project::Tree;
use engine_regulation::regulation;
use engine_scanner::{Evaluation, FileFacts, Memory, Role, ScanInput, Settings};
use engine_scoring::{CheckCounts, ScoreInput};
use serde_json::Value;

use crate::cache::{Cache, WalkSaid};
use crate::project::{self, ProjectState};
use crate::requests::{OperatorRole, ScanRequest};
use crate::{Engine, SCANS_MAX, VERSION, gate, suppressions};

/// Entries of `filesSkipped` in a reply; `filesSkippedTotal` counts them all.
const SKIPPED_SHOWN: usize = 100;

/// How far a scan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files read so far.
    pub files: u64,
    /// Bytes read so far.
    pub bytes: u64,
}

/// What a caller wants to know or to decide while a scan runs.
pub struct ScanHooks<'a> {
    /// Asked often; true ends the scan early.
    pub cancel: &'a (dyn Fn() -> bool + Sync),
    /// Told after each file.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

impl Default for ScanHooks<'_> {
    fn default() -> Self {
        Self {
            cancel: &|| false,
            progress: &|_| {},
        }
    }
}

/// Counts a scan as running for as long as it lives.
pub(crate) struct Running<'a>(&'a AtomicU64);

impl<'a> Running<'a> {
    pub(crate) fn begin(scans: &'a AtomicU64) -> Result<Self, Failure> {
        if scans.fetch_add(1, Ordering::Relaxed) >= SCANS_MAX {
            scans.fetch_sub(1, Ordering::Relaxed);
            return Err(
                Failure::new(ErrorCode::Busy, "too many scans are under way; try again in a moment").retry_after(5),
            );
        }
        Ok(Self(scans))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Engine {
    /// Scans a project and keeps the result.
    pub fn scan(&self, request: &ScanRequest) -> Result<ScanResult, Failure> {
        self.scan_with(request, &ScanHooks::default())
    }

    /// The same, with a word on how far it is and a way to end it.
    pub fn scan_with(&self, request: &ScanRequest, hooks: &ScanHooks<'_>) -> Result<ScanResult, Failure> {
        if request.saas_token.is_some() || request.saas_url.is_some() {
            return Err(Failure::new(
                ErrorCode::MissingPart,
                "this build cannot push results to a dashboard yet; leave out `saasToken` and `saasUrl`",
            )
            .field(if request.saas_token.is_some() {
                "saasToken"
            } else {
                "saasUrl"
            }));
        }
        let _running = Running::begin(&self.scans)?;
        let state = self.project(&request.path)?;
        let _one_at_a_time = state.scanning();
        let before = state.last_scan()?;
        let settings = self.settings(&state, request.as_of, request.role, request.systems.clone())?;
        let (scan, known, now_known) = self.run_and_tell(&state, &settings, hooks)?;
        let scan = Arc::new(scan);
        let added = self.keep_scan(&state, &scan)?;
        state.keep(&scan);
        state.write_down(&now_known, &known);
        self.remember(&state, Some(&scan));
        self.announce(&state, &scan, before.as_deref());
        if let Some(added) = added {
            self.recorded(&state, &added);
        }
        let mut reply = Arc::unwrap_or_clone(scan);
        if let Some(limit) = request.limit {
            reply.findings.truncate(limit as usize);
        }
        Ok(reply)
    }

    /// The bill of materials of a project as it is now; nothing is kept.
    pub fn sbom(&self, path: Option<&str>) -> Result<Value, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project_or_current(path)?;
        let settings = self.settings(&state, None, None, None)?;
        let scan = self.run(&state, &settings, &ScanHooks::default())?;
        let subject = engine_sbom::Subject {
            name: project::name(state.path()),
            version: None,
        };
        let serial = format!("urn:uuid:{}", (self.options.clock.new_id)());
        Ok(engine_sbom::cyclonedx(
            &scan.inventory,
            &subject,
            &serial,
            &scan.scanned_at,
        ))
    }

    pub(crate) fn settings(
        &self,
        state: &ProjectState,
        as_of: Option<Date>,
        role: Option<OperatorRole>,
        systems: Option<Vec<String>>,
    ) -> Result<Settings, Failure> {
        let today = (self.options.clock.now)().to_zoned(jiff::tz::TimeZone::UTC).date();
        let mut settings = Settings::on(as_of.unwrap_or(today));
        settings.role = role.map(|role| match role {
            OperatorRole::Provider => Role::Provider,
            OperatorRole::Deployer => Role::Deployer,
            OperatorRole::Both => Role::Both,
        });
        settings.systems = systems.unwrap_or_default();
        if let Some(bytes) = state.state_file(suppressions::FILE)? {
            settings.suppressions = suppressions::parse(&bytes)?;
        }
        Ok(settings)
    }

    /// Reads what has changed of the tree and evaluates it; announces nothing and writes nothing.
    pub(crate) fn run(
        &self,
        state: &ProjectState,
        settings: &Settings,
        hooks: &ScanHooks<'_>,
    ) -> Result<ScanResult, Failure> {
        self.run_and_tell(state, settings, hooks).map(|(scan, ..)| scan)
    }

    /// The same, with what was remembered before and after.
    fn run_and_tell(
        &self,
        state: &ProjectState,
        settings: &Settings,
        hooks: &ScanHooks<'_>,
    ) -> Result<(ScanResult, Arc<Cache>, Arc<Cache>), Failure> {
        let started = Instant::now();
        let now = (self.options.clock.now)();
        let before = state.cache();
        let (files, bytes, misses) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let tell = |size: u64| {
            let files = files.fetch_add(1, Ordering::Relaxed) + 1;
            let bytes = bytes.fetch_add(size, Ordering::Relaxed) + size;
            (hooks.progress)(Progress { files, bytes });
        };
        let walked = engine_project::read_changed(
            state.root(),
            &engine_project::Options::default(),
            hooks.cancel,
            &|path, stat| {
                let known = before.unchanged(path, stat);
                if let Some(known) = &known {
                    tell(known.info.size);
                }
                known
            },
            &|file| {
                let facts = before.same_content(&file.path, &file.digest).unwrap_or_else(|| {
                    misses.fetch_add(1, Ordering::Relaxed);
                    engine_scanner::read(file)
                });
                tell(file.bytes.len() as u64);
                facts
            },
        );
        if walked.cancelled || (hooks.cancel)() {
            return Err(ended());
        }
        let now_ns = i64::try_from(now.as_nanosecond()).unwrap_or(0);
        let after = Arc::new(Cache::of_walk(&walked, now_ns, Arc::clone(&before.memory)));
        let tree = Tree::new(&walked);
        let said = WalkSaid {
            skipped: walked.skipped,
            ignored_secrets: walked.ignored_secrets,
        };
        let mut result = self.evaluated(state, settings, walked.files, &said, &tree, &after.memory, now)?;
        let misses = misses.into_inner();
        result.cache = CacheStats {
            hits: result.files_scanned.saturating_sub(misses),
            misses,
        };
        state.remember(Arc::clone(&after));
        result.elapsed = milliseconds(started);
        result.duration = result.elapsed;
        Ok((result, before, after))
    }

    /// Reads only the files that a caller says have changed and takes all others as they were when this process walked
    /// the tree last. `None` where that is not enough: nothing is known yet, a file is new, or rules of the walk changed.
    pub(crate) fn run_changed(
        &self,
        state: &ProjectState,
        settings: &Settings,
        changed: &BTreeSet<String>,
        hooks: &ScanHooks<'_>,
    ) -> Result<Option<ScanResult>, Failure> {
        let started = Instant::now();
        let cache = state.cache();
        let Some(said) = &cache.walk else { return Ok(None) };
        if changed.iter().any(|path| !cache.holds(path) || steers_the_walk(path)) {
            return Ok(None);
        }
        let paths: Vec<&str> = changed.iter().map(String::as_str).collect();
        let misses = AtomicU64::new(0);
        let read = engine_project::read_files(state.root(), &engine_project::Limits::default(), &paths, &|file| {
            cache.same_content(&file.path, &file.digest).unwrap_or_else(|| {
                misses.fetch_add(1, Ordering::Relaxed);
                engine_scanner::read(file)
            })
        });
        if read.iter().any(Option::is_none) {
            // Whether a file is gone or is no plain file any more is for the walk to say.
            return Ok(None);
        }
        if (hooks.cancel)() {
            return Err(ended());
        }
        let files = cache.with_changed(&paths.into_iter().zip(read).collect());
        let tree = Tree::of(state.root(), files.iter().map(|(info, _)| info));
        let now = (self.options.clock.now)();
        let mut result = self.evaluated(state, settings, files, said, &tree, &cache.memory, now)?;
        let misses = misses.into_inner();
        result.cache = CacheStats {
            hits: result.files_scanned.saturating_sub(misses),
            misses,
        };
        result.elapsed = milliseconds(started);
        result.duration = result.elapsed;
        Ok(Some(result))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a result is made of all that was read and all that was asked"
    )]
    fn evaluated(
        &self,
        state: &ProjectState,
        settings: &Settings,
        files: Vec<(FileInfo, FileFacts)>,
        said: &WalkSaid,
        tree: &Tree,
        memory: &Memory,
        now: jiff::Timestamp,
    ) -> Result<ScanResult, Failure> {
        let files_scanned = files.len() as u64;
        let bytes = files.iter().map(|(info, _)| info.size).sum();
        let evaluated = evaluate(files, bytes, said, tree, memory, settings);
        unknown_systems(settings, &evaluated.evaluation)?;
        let id = (self.options.clock.new_id)();
        let mut result = result(id, timestamp(now), state.path(), settings, evaluated);
        result.files_scanned = files_scanned;
        Ok(result)
    }

    fn announce(&self, state: &ProjectState, scan: &ScanResult, before: Option<&ScanResult>) {
        let project = state.path().to_string_lossy().into_owned();
        let score = |scan: &ScanResult| scan.score.grade.is_some().then_some(scan.score.compliance);
        let send = |body| {
            self.bus
                .send(body, timestamp((self.options.clock.now)()), project.clone());
        };
        send(EventBody::ScanComplete {
            scan_id: scan.id.clone(),
            score: score(scan),
            findings: gate::open_gaps(scan),
            elapsed: scan.elapsed,
        });
        let (old, new) = (before.and_then(score), score(scan));
        if old != new {
            send(EventBody::ScoreUpdate {
                before: old,
                after: new,
                reason: "scan".to_owned(),
            });
        }
        send(gate::evaluate(scan, before));
    }
}

/// An evaluation together with what the walk said.
struct Evaluated {
    evaluation: Evaluation,
    skipped: Vec<SkippedRecord>,
    skipped_total: u64,
    bytes: u64,
}

fn evaluate(
    files: Vec<(FileInfo, FileFacts)>,
    bytes: u64,
    said: &WalkSaid,
    tree: &Tree,
    memory: &Memory,
    settings: &Settings,
) -> Evaluated {
    let skipped = said
        .skipped
        .iter()
        .take(SKIPPED_SHOWN)
        .map(|file| SkippedRecord {
            path: if file.directory {
                format!("{}/", file.path)
            } else {
                file.path.clone()
            },
            reason: file.reason,
            bytes: file.bytes,
        })
        .collect();
    let secrets: Vec<String> = said.ignored_secrets.iter().map(|file| file.path.clone()).collect();
    Evaluated {
        skipped,
        skipped_total: said.skipped.len() as u64,
        bytes,
        evaluation: engine_scanner::evaluate(
            ScanInput {
                files,
                ignored_secrets: &secrets,
                source: tree,
                memory,
            },
            settings,
        ),
    }
}

fn ended() -> Failure {
    Failure::new(ErrorCode::RequestTimeout, "the scan was ended before it was done")
}

/// Whether a file says which other files are read.
fn steers_the_walk(path: &str) -> bool {
    matches!(
        path.rsplit('/').next().unwrap_or(path),
        ".gitignore" | ".ignore" | "CACHEDIR.TAG" | "pyvenv.cfg"
    )
}

fn unknown_systems(settings: &Settings, evaluation: &Evaluation) -> Result<(), Failure> {
    let known: Vec<&str> = evaluation.systems.iter().map(|system| system.id.as_str()).collect();
    match settings.systems.iter().find(|id| !known.contains(&id.as_str())) {
        None => Ok(()),
        Some(id) => Err(Failure::new(
            ErrorCode::InvalidRequest,
            format!("no system has the id `{id}`; a scan without `systems` lists them all"),
        )
        .field("systems")),
    }
}

fn result(id: String, scanned_at: String, path: &Path, settings: &Settings, evaluated: Evaluated) -> ScanResult {
    let Evaluated {
        evaluation,
        skipped,
        skipped_total,
        bytes,
    } = evaluated;
    let (total, passed, failed) = evaluation.check_counts;
    let score = engine_scoring::score(&ScoreInput {
        applicability: evaluation.applicability,
        systems: &evaluation.systems,
        findings: &evaluation.findings,
        checks: CheckCounts { total, passed, failed },
    });
    let mut agents = evaluation.agents;
    for agent in &mut agents {
        agent.score = evaluation
            .systems
            .iter()
            .find(|system| system.id == agent.system)
            .and_then(|system| engine_scoring::system_score(system, &evaluation.findings));
    }
    ScanResult {
        id,
        project_path: path.to_string_lossy().into_owned(),
        scanned_at,
        as_of: settings.as_of,
        score,
        frameworks: engine_scoring::framework_scores(&evaluation.systems),
        applicability: evaluation.applicability,
        applicability_reason: evaluation.reason,
        systems: evaluation.systems,
        obligations: evaluation.obligations,
        findings_total: evaluation.findings.len() as u64,
        findings: evaluation.findings,
        agents,
        layers: evaluation.layers,
        layer_details: evaluation.layer_details,
        inventory: evaluation.inventory,
        documents: evaluation.documents,
        summary: evaluation.summary,
        upcoming: evaluation.upcoming,
        elapsed: 0.0,
        duration: 0.0,
        files_scanned: 0,
        bytes_scanned: bytes,
        files_skipped: skipped,
        files_skipped_total: skipped_total,
        languages: evaluation.languages,
        regulation_version: regulation().version().id.clone(),
        engine_version: VERSION.to_owned(),
        disclaimer: format!(
            "Self-assessed from source code: indicators and evidence, not a legal opinion. {}",
            regulation().notice()
        ),
        cache: CacheStats::default(),
    }
}

/// RFC 3339 in UTC, to the millisecond.
pub(crate) fn timestamp(now: jiff::Timestamp) -> String {
    format!("{now:.3}")
}

pub(crate) fn milliseconds(started: Instant) -> f64 {
    (started.elapsed().as_secs_f64() * 1e6).round() / 1e3
}
