//! The scan: walk, facts, law, score, state, events.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use engine_model::{
    Agent, CacheStats, Date, ErrorCode, EventBody, Failure, FileInfo, ProfileRecord, ScanResult, Score, SkipReason,
    SkippedRecord, SourceText, SuppressionRecord,
};
use engine_project::{LargeFile, Tree, Walked};
use engine_regulation::regulation;
use engine_scanner::{Evaluation, FileFacts, LargeFacts, Memory, Role, ScanInput, Settings, StatedClass};
use engine_scoring::{CheckCounts, ScoreInput};
use serde_json::Value;

use crate::cache::{Cache, WalkSaid};
use crate::evaluations::{Evaluations, Question};
use crate::evidence::Kept;
use crate::project::{self, ProjectState, conflict};
use crate::requests::{BaselineRequest, OperatorRole, RiskClass, ScanRequest};
use crate::tools::ExternalRuns;
use crate::{Engine, SCANS_MAX, VERSION, baseline, config, gate, insight, profile, suppressions, written};

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
    /// A baseline to use instead of the project's own.
    pub baseline: Option<BaselineFile<'a>>,
    /// What external tools found, to be included.
    pub external: Option<&'a ExternalRuns>,
}

/// A result that is kept, with its JSON.
pub(crate) struct Scanned {
    pub(crate) result: Arc<ScanResult>,
    json: Vec<u8>,
    /// What the caller is told beside it.
    pub(crate) warnings: Vec<String>,
}

/// A baseline that lies elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaselineFile<'a> {
    /// What it is called in the reply.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// A baseline that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineWritten {
    /// Where it stands.
    pub file: PathBuf,
    /// Gaps that it names.
    pub findings: u64,
    /// Whether the content is another one than before.
    pub changed: bool,
    /// Why the evidence chain has no entry about it yet. The next scan that is stored adds one.
    pub unrecorded: Option<String>,
}

impl Default for ScanHooks<'_> {
    fn default() -> Self {
        Self {
            cancel: &|| false,
            progress: &|_| {},
            baseline: None,
            external: None,
        }
    }
}

/// Counts a scan as running for as long as it lives.
pub(crate) struct Running<'a>(&'a AtomicU64);

impl<'a> Running<'a> {
    pub(crate) fn begin(scans: &'a AtomicU64) -> Result<Self, Failure> {
        if scans.fetch_add(1, Ordering::Relaxed) >= SCANS_MAX {
            scans.fetch_sub(1, Ordering::Relaxed);
            return Err(Failure::new(
                ErrorCode::Busy,
                "too many scans are running; try again in a few seconds",
            )
            .retry_after(5));
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
        let scanned = self.scanned(request, hooks)?;
        let mut reply = Arc::unwrap_or_clone(scanned.result);
        reply.warnings = scanned.warnings;
        if let Some(limit) = request.limit {
            reply.findings.truncate(limit as usize);
        }
        Ok(reply)
    }

    /// Scans a project, keeps the result and gives it as JSON: a large one is written once for all that it is needed for. Where the request
    /// names a dashboard, the result is sent there, and the reply says what became of it.
    pub fn scan_json(&self, request: &ScanRequest) -> Result<Vec<u8>, Failure> {
        self.scan_json_with(request, &ScanHooks::default())
    }

    pub(crate) fn scan_json_with(&self, request: &ScanRequest, hooks: &ScanHooks<'_>) -> Result<Vec<u8>, Failure> {
        let scanned = self.scanned(request, hooks)?;
        let sync = self.push_scan(request, &scanned.result);
        let json = if scanned.warnings.is_empty() && request.limit.is_none() {
            scanned.json
        } else {
            let mut reply = Arc::unwrap_or_clone(scanned.result);
            reply.warnings = scanned.warnings;
            if let Some(limit) = request.limit {
                reply.findings.truncate(limit as usize);
            }
            serde_json::to_vec(&reply).map_err(|error| conflict(&error))?
        };
        match sync {
            Some(sync) => crate::sync::with_sync(json, &sync),
            None => Ok(json),
        }
    }

    fn scanned(&self, request: &ScanRequest, hooks: &ScanHooks<'_>) -> Result<Scanned, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project(&request.path)?;
        let _one_at_a_time = state.scanning();
        // A state that cannot be used is told before the work, not after it.
        state.ensure()?;
        self.scan_and_keep(&state, request, None, hooks)
    }

    /// Scans a project that nobody else is scanning, and keeps the result. Where a caller says which files have changed, only these are read.
    pub(crate) fn scan_and_keep(
        &self,
        state: &Arc<ProjectState>,
        request: &ScanRequest,
        changed: Option<&BTreeSet<String>>,
        hooks: &ScanHooks<'_>,
    ) -> Result<Scanned, Failure> {
        let before = state.last_scan()?;
        let mut settings = self.settings(state, request.as_of, request.role, request.systems.clone())?;
        settings.risk_class = request.risk_class.map(stated);
        let gate_config = project_config(state)?;
        let narrow = match changed {
            Some(changed) => self.run_changed(state, &settings, changed, hooks)?,
            None => None,
        };
        let (mut scan, caches) = if let Some(scan) = narrow {
            (scan, None)
        } else {
            let (scan, before, after) = self.run_and_tell(state, &settings, hooks)?;
            (scan, Some((before, after)))
        };
        if let Some(runs) = hooks.external {
            scan = self.with_external(state, &mut settings, scan, runs, hooks)?;
        }
        crate::evals::weigh_in(state, &mut scan.score)?;
        crate::documents::name_stale(state, &mut scan)?;
        scan.gate = Some(gate::evaluate(&scan, before.as_deref(), &gate_config.gate));
        let known = state.written();
        let before_texts = known.as_ref().map(|(scan, texts)| (&**scan, &**texts));
        let written = written::write(&mut scan, before_texts)?;
        let scan = Arc::new(scan);
        self.record_edited_profile(state)?;
        if let Err(failure) = self.record_baseline(state) {
            tracing::warn!(
                details = failure.details,
                "could not record the baseline; the next scan tries again"
            );
        }
        let (added, mut warnings) = match self.keep_scan(state, &scan, written.scan, &written.digests)? {
            Kept::Recorded(added) => (Some(added), Vec::new()),
            Kept::ReadOnly => (None, Vec::new()),
            Kept::Damaged(why) => (None, vec![why]),
        };
        warnings.extend(self.settings_warnings(state));
        if added.is_some() {
            insight::remember(state, &scan, &settings);
        }
        state.keep(&scan, written.texts);
        if let Some((remembered, to_remember)) = caches {
            state.write_down(to_remember, remembered);
        }
        self.remember(state, Some(&scan));
        self.announce(state, &scan, before.as_deref());
        let_go((before, known));
        if let Some(added) = added {
            self.recorded_soon(state, &added);
            // On another date or for some systems, other findings are suppressed than those that people decided about today.
            if request.as_of.is_none() && request.systems.is_none() {
                self.record_suppressions(state, &scan);
            }
        }
        Ok(Scanned {
            result: scan,
            json: written.json,
            warnings,
        })
    }

    /// Writes the gaps of a project into its baseline. What the former baseline says about a gap that is still there is
    /// kept.
    pub fn write_baseline(&self, request: &BaselineRequest, hooks: &ScanHooks<'_>) -> Result<BaselineWritten, Failure> {
        let _running = Running::begin(&self.scans)?;
        let state = self.project(&request.path)?;
        let mut settings = self.settings(&state, request.as_of, request.role, None)?;
        settings.risk_class = request.risk_class.map(stated);
        let former = state.state_file(baseline::FILE)?;
        let name = state_file_name(baseline::FILE);
        let parsed = former
            .as_deref()
            .map(|bytes| baseline::parse(bytes, &name))
            .transpose()?;
        let scan = self.run(&state, &settings, hooks)?;
        let words = baseline::Words {
            reason: request.reason.as_deref().map(engine_scanner::mask_secrets),
            owner: request.owner.as_deref().map(engine_scanner::mask_secrets),
            until: request.until,
        };
        let drawn = baseline::draw(&scan.findings, parsed.as_ref(), &words, scan.as_of);
        let text = drawn.text()?;
        let changed = former.as_deref() != Some(text.as_bytes());
        let file = state.write_file(baseline::FILE, text.as_bytes())?;
        let unrecorded = match self.record_baseline(&state) {
            Ok(true) => None,
            Ok(false) => Some("the engine is read-only, or another engine uses this project".to_owned()),
            Err(failure) => Some(failure.details),
        };
        Ok(BaselineWritten {
            file,
            findings: drawn.len() as u64,
            changed,
            unrecorded,
        })
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
        settings.suppressions = set_aside(state)?.rules;
        settings.profile = profile::load(state)?.profile;
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
        // Files of people are read first: one that cannot be understood is told before the work, not after it.
        let marks = marks(state, hooks)?;
        let now = (self.options.clock.now)();
        let Refreshed {
            before,
            after,
            files,
            tree,
            misses,
        } = self.refreshed(state, now, hooks)?;
        let Some(said) = after.walk.clone() else {
            return Err(ended());
        };
        let read = ReadFiles {
            files,
            said: &said,
            tree: &tree,
            is_stale: &|| tree.is_stale(),
            memory: &after.memory,
        };
        let mut result = self.evaluated(state, settings, read, marks, now)?;
        result.cache = CacheStats {
            hits: result.files_scanned.saturating_sub(misses),
            misses,
        };
        state.remember(Arc::clone(&after));
        result.elapsed = milliseconds(started);
        result.duration = engine_model::whole(result.elapsed);
        Ok((result, before, after))
    }

    /// Reads what has changed of the tree.
    pub(crate) fn refreshed(
        &self,
        state: &ProjectState,
        now: jiff::Timestamp,
        hooks: &ScanHooks<'_>,
    ) -> Result<Refreshed, Failure> {
        let before = state.cache();
        let (files, bytes, misses) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let held = Held::default();
        before.memory.hold(self.kept_bytes());
        let tell = |size: u64| {
            let files = files.fetch_add(1, Ordering::Relaxed) + 1;
            let bytes = bytes.fetch_add(size, Ordering::Relaxed) + size;
            (hooks.progress)(Progress { files, bytes });
        };
        let mut walked = engine_project::read_changed(
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
                let facts = before.same_content(file).unwrap_or_else(|| {
                    misses.fetch_add(1, Ordering::Relaxed);
                    held.read(file)
                });
                tell(file.bytes.len() as u64);
                facts
            },
        );
        let large = engine_project::read_large(&mut walked, hooks.cancel, &engine_scanner::read_large);
        if walked.cancelled || (hooks.cancel)() {
            return Err(ended());
        }
        let now_ns = i64::try_from(now.as_nanosecond()).unwrap_or(0);
        let after = Arc::new(Cache::of_walk(&walked, large, now_ns, Arc::clone(&before.memory)));
        let tree = Tree::new(&walked);
        Ok(Refreshed {
            before,
            after,
            files: walked.files,
            tree,
            misses: misses.into_inner(),
        })
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
        let marks = marks(state, hooks)?;
        let cache = state.cache();
        let Some(said) = &cache.walk else { return Ok(None) };
        if changed.iter().any(|path| !cache.holds(path) || steers_the_walk(path)) {
            return Ok(None);
        }
        let paths: Vec<&str> = changed.iter().map(String::as_str).collect();
        let misses = AtomicU64::new(0);
        let read = engine_project::read_files(state.root(), &engine_project::Limits::default(), &paths, &|file| {
            cache.same_content(file).unwrap_or_else(|| {
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
        let now_known = cache.with_changed(read.into_iter().flatten());
        let files = now_known.all();
        let tree = Tree::of(state.root(), files.iter().map(|(info, _)| info));
        let now_known = now_known.settled();
        let now = (self.options.clock.now)();
        let read = ReadFiles {
            files,
            said,
            tree: &tree,
            is_stale: &|| tree.is_stale(),
            memory: &cache.memory,
        };
        let mut result = self.evaluated(state, settings, read, marks, now)?;
        if tree.is_stale() {
            // Something has changed that nobody spoke of: the walk finds it.
            return Ok(None);
        }
        state.remember_after(&cache, Arc::new(now_known));
        let misses = misses.into_inner();
        result.cache = CacheStats {
            hits: result.files_scanned.saturating_sub(misses),
            misses,
        };
        result.elapsed = milliseconds(started);
        result.duration = engine_model::whole(result.elapsed);
        Ok(Some(result))
    }

    pub(crate) fn evaluated(
        &self,
        state: &ProjectState,
        settings: &Settings,
        read: ReadFiles<'_>,
        marks: Marks,
        now: jiff::Timestamp,
    ) -> Result<ScanResult, Failure> {
        let files_scanned = read.files.len() as u64;
        // On a worker: what the reading of the files let go there is used again.
        let evaluated = rayon::scope(|_| evaluate(read, settings, state.evaluations()));
        unknown_systems(settings, &evaluated.evaluation)?;
        let id = (self.options.clock.new_id)();
        let mut result = result(id, timestamp(now), state.path(), settings, evaluated);
        result.suppressions.extend(marks.refused);
        result.profile = marks.profile;
        result.baseline = marks
            .baseline
            .map(|(baseline, name)| baseline.mark(&mut result.findings, settings.as_of, &name));
        result.files_scanned = files_scanned;
        crate::fixes::mark_fixable(&mut result.findings);
        result.actions = engine_report::actions(&result);
        Ok(result)
    }

    /// Bytes of lowered files that are kept of one project: a daemon is asked again, a command is not.
    fn kept_bytes(&self) -> usize {
        if self.port.load(Ordering::Relaxed) == 0 {
            0
        } else {
            KEPT_BYTES_MAX
        }
    }

    fn announce(&self, state: &ProjectState, scan: &ScanResult, before: Option<&ScanResult>) {
        let project = state.path().to_string_lossy().into_owned();
        let score = |scan: &ScanResult| scan.score.assessed.then_some(scan.score.compliance);
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
        if let Some(gate) = &scan.gate {
            send(gate::event(scan, gate));
        }
    }
}

/// Lowered files that one scan holds until they are resolved. Beyond these they are let go and made again where they are
/// needed, which costs time and no other answer.
const HELD_BYTES_MAX: usize = 128 << 20;

/// Lowered files that a daemon keeps of one project from one scan to the next, so that a change lowers what has changed.
pub(crate) const KEPT_BYTES_MAX: usize = 96 << 20;

/// How much of a tree is held in lowered form.
#[derive(Default)]
struct Held(AtomicUsize);

impl Held {
    fn read(&self, file: &engine_model::SourceFile<'_>) -> FileFacts {
        let facts = engine_scanner::read(file);
        let bytes = facts.held_bytes();
        if bytes == 0 || self.0.fetch_add(bytes, Ordering::Relaxed) + bytes <= HELD_BYTES_MAX {
            return facts;
        }
        self.0.fetch_sub(bytes, Ordering::Relaxed);
        facts.settled()
    }
}

/// Reads the tree of a project.
/// Files of a project, those that are too long to be read whole, and the texts that resolution may ask for again.
pub(crate) type Read = (Walked<FileFacts>, Vec<LargeFile<LargeFacts>>, Tree);

pub(crate) fn walk(state: &ProjectState, hooks: &ScanHooks<'_>) -> Result<Read, Failure> {
    let (files, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let held = Held::default();
    let mut walked = engine_project::read(
        state.root(),
        &engine_project::Options::default(),
        hooks.cancel,
        &|file| {
            let facts = held.read(file);
            let files = files.fetch_add(1, Ordering::Relaxed) + 1;
            let bytes = bytes.fetch_add(file.bytes.len() as u64, Ordering::Relaxed) + file.bytes.len() as u64;
            (hooks.progress)(Progress { files, bytes });
            facts
        },
    );
    let large = engine_project::read_large(&mut walked, hooks.cancel, &engine_scanner::read_large);
    if walked.cancelled || (hooks.cancel)() {
        return Err(Failure::new(
            ErrorCode::RequestTimeout,
            "the scan was cancelled; start it again",
        ));
    }
    let tree = Tree::new(&walked);
    Ok((walked, large, tree))
}

/// A class of risk as the scanner takes it.
pub(crate) const fn stated(class: RiskClass) -> StatedClass {
    match class {
        RiskClass::High => StatedClass::High,
        RiskClass::Limited => StatedClass::Limited,
        RiskClass::Minimal => StatedClass::Minimal,
    }
}

/// What people have set aside in a file.
fn set_aside(state: &ProjectState) -> Result<suppressions::Suppressions, Failure> {
    let bytes = state.state_file(suppressions::FILE)?;
    bytes.map_or_else(
        || Ok(suppressions::Suppressions::default()),
        |bytes| suppressions::parse(&bytes),
    )
}

/// What people have set.
pub(crate) fn project_config(state: &ProjectState) -> Result<config::Config, Failure> {
    let bytes = state.state_file(config::FILE)?;
    bytes.map_or_else(|| Ok(config::Config::default()), |bytes| config::parse(&bytes))
}

/// A file of the state directory as it is called in a reply.
pub(crate) fn state_file_name(file: &str) -> String {
    format!("{}/{file}", engine_store::STATE_DIR_NAME)
}

/// The score of an evaluation.
pub(crate) fn score(evaluation: &Evaluation) -> Score {
    let (total, passed, failed) = evaluation.check_counts;
    engine_scoring::score(&ScoreInput {
        applicability: evaluation.applicability,
        systems: &evaluation.systems,
        findings: &evaluation.findings,
        checks: CheckCounts { total, passed, failed },
    })
}

/// A tree as it is now.
pub(crate) struct Refreshed {
    /// What was remembered before.
    pub(crate) before: Arc<Cache>,
    /// What is to be remembered.
    pub(crate) after: Arc<Cache>,
    /// The files that were read, with their facts.
    pub(crate) files: Vec<(FileInfo, FileFacts)>,
    pub(crate) tree: Tree,
    /// Files whose facts were not known.
    pub(crate) misses: u64,
}

/// Everything that was read of a project, now or before.
pub(crate) struct ReadFiles<'a> {
    pub(crate) files: Vec<(FileInfo, FileFacts)>,
    pub(crate) said: &'a WalkSaid,
    pub(crate) tree: &'a dyn SourceText,
    /// Whether a text was read that has changed since: what it led to is no answer about the files above.
    pub(crate) is_stale: &'a (dyn Fn() -> bool + Sync),
    pub(crate) memory: &'a Memory,
}

/// What people have written about findings.
pub(crate) struct Marks {
    /// Suppressions that were not taken, each with the reason.
    refused: Vec<SuppressionRecord>,
    baseline: Option<(baseline::Baseline, String)>,
    /// Whether the profile could be read.
    profile: ProfileRecord,
}

pub(crate) fn marks(state: &ProjectState, hooks: &ScanHooks<'_>) -> Result<Marks, Failure> {
    let baseline = match hooks.baseline {
        Some(file) => Some((baseline::parse(file.bytes, file.name)?, file.name.to_owned())),
        None => match state.state_file(baseline::FILE)? {
            Some(bytes) => {
                let name = state_file_name(baseline::FILE);
                Some((baseline::parse(&bytes, &name)?, name))
            }
            None => None,
        },
    };
    Ok(Marks {
        refused: set_aside(state)?.refused,
        baseline,
        profile: profile::load(state)?.record,
    })
}

/// An evaluation together with what the walk said.
struct Evaluated {
    evaluation: Evaluation,
    skipped: Vec<SkippedRecord>,
    skipped_total: u64,
    bytes: u64,
}

fn evaluate(read: ReadFiles<'_>, settings: &Settings, known: &Evaluations) -> Evaluated {
    let bytes = read.files.iter().map(|(info, _)| info.size).sum();
    let mut skipped: Vec<SkippedRecord> = read
        .said
        .skipped
        .iter()
        .map(|file| SkippedRecord {
            path: if file.directory {
                format!("{}/", file.path)
            } else {
                file.path.clone()
            },
            reason: file.reason,
            bytes: file.bytes,
            lines: Vec::new(),
        })
        .collect();
    let secrets: Vec<String> = read.said.ignored_secrets.iter().map(|file| file.path.clone()).collect();
    let question = Question::of(&read.files, read.said, settings);
    let evaluation = known.find(&question).unwrap_or_else(|| {
        let evaluation = Arc::new(engine_scanner::evaluate(
            ScanInput {
                files: read.files,
                large: read.said.large.clone(),
                ignored_secrets: &secrets,
                source: read.tree,
                memory: read.memory,
            },
            settings,
        ));
        if !(read.is_stale)() {
            known.keep(question, &evaluation);
        }
        evaluation
    });
    let evaluation = Arc::unwrap_or_clone(evaluation);
    skipped.extend(evaluation.not_evaluated.iter().map(|(path, bytes)| SkippedRecord {
        path: path.clone(),
        reason: SkipReason::NotEvaluated,
        bytes: Some(*bytes),
        lines: Vec::new(),
    }));
    skipped.extend(evaluation.not_parsed.iter().map(|file| SkippedRecord {
        path: file.path.clone(),
        reason: SkipReason::NotParsed,
        bytes: Some(file.bytes),
        lines: file.lines.clone(),
    }));
    skipped.sort_by(|a, b| (&a.path, a.reason).cmp(&(&b.path, b.reason)));
    let skipped_total = skipped.len() as u64;
    skipped.truncate(SKIPPED_SHOWN);
    Evaluated {
        evaluation,
        skipped,
        skipped_total,
        bytes,
    }
}

/// Lets go of a result without waiting for it: a large one is made of a million small parts.
pub(crate) fn let_go<T: Send + 'static>(result: T) {
    rayon::spawn(move || drop(result));
}

pub(crate) fn ended() -> Failure {
    Failure::new(ErrorCode::RequestTimeout, "the scan was cancelled; start it again")
}

/// Whether a file says which other files are read.
pub(crate) fn steers_the_walk(path: &str) -> bool {
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
            format!("unknown system `{id}`; a scan without `systems` lists all systems"),
        )
        .field("systems")),
    }
}

/// The agents of an evaluation with the scores of their systems.
pub(crate) fn scored_agents(evaluation: &Evaluation) -> Vec<Agent> {
    let mut agents = evaluation.agents.clone();
    for agent in &mut agents {
        agent.score = evaluation
            .systems
            .iter()
            .find(|system| system.id == agent.system)
            .and_then(|system| engine_scoring::system_score(system, &evaluation.findings));
    }
    agents
}

fn result(id: String, scanned_at: String, path: &Path, settings: &Settings, evaluated: Evaluated) -> ScanResult {
    let Evaluated {
        evaluation,
        skipped,
        skipped_total,
        bytes,
    } = evaluated;
    let score = score(&evaluation);
    let agents = scored_agents(&evaluation);
    ScanResult {
        id,
        project_path: path.to_string_lossy().into_owned(),
        scanned_at,
        as_of: settings.as_of,
        score,
        frameworks: engine_scoring::framework_scores(&evaluation.systems, &evaluation.findings),
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
        duration: 0,
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
        suppressions: evaluation.suppressions,
        actions: Vec::new(),
        baseline: None,
        gate: None,
        profile: ProfileRecord::default(),
        tools: Vec::new(),
        external_tool_results: Vec::new(),
        warnings: Vec::new(),
    }
}

/// RFC 3339 in UTC, to the millisecond.
pub(crate) fn timestamp(now: jiff::Timestamp) -> String {
    format!("{now:.3}")
}

pub(crate) fn milliseconds(started: Instant) -> f64 {
    (started.elapsed().as_secs_f64() * 1e6).round() / 1e3
}
