//! External tools: what is installed, installing them, and a scan that includes them.

mod merge;
mod shapes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use engine_model::{ErrorCode, Failure, ScanResult, Zone};
use engine_project::Limits;
use engine_scanner::{Settings, mask_secrets};
use engine_tools::{NoRunner, Place, RunStatus, Runner, TOOLS, Tool, ToolRun, ToolsError, View, ViewLimits};

pub use shapes::{ToolView, ToolsReply, ToolsUpdateRequest, UpdateResult};

use crate::Engine;
use crate::project::{ProjectState, conflict};
use crate::requests::ScanRequest;
use crate::scan::{Running, ScanHooks, ended, milliseconds};

/// Where the tools are, and who uses them.
#[derive(Default)]
pub(crate) struct Desk {
    place: Place,
    /// Held while tools run or are installed: they use all cores and much memory.
    busy: Mutex<()>,
    stopping: AtomicBool,
    /// Runs that had ended when their client left.
    finished: Mutex<Option<Finished>>,
}

/// Runs of tools that ended before their client left. A client that waits for a short time only gets their results with its next request.
struct Finished {
    project: PathBuf,
    /// The files that the tools saw.
    files: Files,
    runs: Vec<ToolRun>,
    at: Instant,
}

/// Names in one request; each tool has one.
const NAMES_MAX: usize = 16;

/// How long such runs count.
const FINISHED_AGE_MAX: Duration = Duration::from_mins(10);

impl Desk {
    /// Takes the finished runs of the same files. A tool that is no longer installed has none.
    fn take_finished(&self, project: &Path, files: &Files) -> Vec<ToolRun> {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Without the digest of a file there is no telling whether it is still the same.
        let known = files.values().all(|(digest, _)| *digest != merge::UNKNOWN);
        let same = |finished: &Finished| {
            finished.project == project && finished.files == *files && finished.at.elapsed() <= FINISHED_AGE_MAX
        };
        let Some(finished) = finished.filter(|finished| known && same(finished)) else {
            return Vec::new();
        };
        let installed = engine_tools::installed(&self.place);
        let there = |run: &ToolRun| installed.iter().any(|tool| tool.name == run.name && tool.installed);
        finished.runs.into_iter().filter(there).collect()
    }

    /// Keeps the runs that ended by themselves and did all their work.
    fn keep_finished(&self, project: &Path, files: Files, runs: Vec<ToolRun>) {
        let whole = |run: &ToolRun| run.status == RunStatus::Ran && run.error.is_none();
        *self.finished.lock().unwrap_or_else(PoisonError::into_inner) = Some(Finished {
            project: project.to_path_buf(),
            files,
            runs: runs.into_iter().filter(whole).collect(),
            at: Instant::now(),
        });
    }

    /// Ends what runs, and waits until it has ended.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        drop(self.busy.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn alone(&self) -> Result<MutexGuard<'_, ()>, Failure> {
        match self.busy.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                ErrorCode::Busy,
                "the external tools are in use by another request; try again when it has finished",
            )
            .retry_after(10)),
        }
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

/// What external tools found in a project, for the scan that includes it.
#[derive(Debug)]
pub struct ExternalRuns {
    runs: Vec<ToolRun>,
    /// The files as the tools saw them: digest and zone.
    files: BTreeMap<String, ([u8; 32], Zone)>,
    elapsed: f64,
}

impl Engine {
    /// Sets where the package runner and the tools are.
    #[must_use]
    pub fn with_tools(mut self, place: Place) -> Self {
        self.tools.place = place;
        self
    }

    /// What is installed. Nothing is installed and no connection is opened.
    pub fn tools_status(&self) -> ToolsReply {
        let place = &self.tools.place;
        let tools = engine_tools::installed(place).into_iter().map(shapes::view).collect();
        shapes::reply(place, place.runner(), tools)
    }

    /// Installs the pinned version of each tool that is not there.
    pub fn update_tools(
        &self,
        request: &ToolsUpdateRequest,
        cancel: &(dyn Fn() -> bool + Sync),
    ) -> Result<ToolsReply, Failure> {
        if self.options.read_only {
            return Err(Failure::new(
                ErrorCode::ReadOnly,
                "the engine is read-only and installs nothing; start it without `--read-only`",
            ));
        }
        let wanted = wanted(request.tools.as_deref())?;
        let place = &self.tools.place;
        let runner = place.runner().map_err(|why| no_runner(&why))?;
        let again = request.force.unwrap_or(false);
        let _alone = self.tools.alone()?;
        let there = engine_tools::installed(place);
        let connects = |tool: &&Tool| again || !there.iter().any(|one| one.name == tool.name && one.installed);
        if wanted.iter().any(connects) {
            for destination in place.destinations() {
                self.outbound.note(&destination);
            }
        }
        let stop = || cancel() || self.tools.is_stopping();
        let done =
            engine_tools::update(place, &runner, &wanted, again, &stop).map_err(|error| tools_failure(&error))?;
        let mut done: BTreeMap<&str, _> = done.into_iter().map(|update| (update.tool.name, update)).collect();
        let tools = engine_tools::installed(place)
            .into_iter()
            .map(|tool| match done.remove(tool.name) {
                Some(update) => shapes::updated(update),
                None => shapes::view(tool),
            })
            .collect();
        Ok(shapes::reply(place, Ok(runner), tools))
    }

    /// Scans a project, runs the external tools on the same files, and keeps one result with both.
    pub fn scan_tier2(&self, request: &ScanRequest, hooks: &ScanHooks<'_>) -> Result<Vec<u8>, Failure> {
        let runs = self.run_tools(request, hooks)?;
        self.scan_json_with(request, &with(hooks, &runs))
    }

    /// The same as a value.
    pub fn scan_tier2_with(&self, request: &ScanRequest, hooks: &ScanHooks<'_>) -> Result<ScanResult, Failure> {
        let runs = self.run_tools(request, hooks)?;
        self.scan_with(request, &with(hooks, &runs))
    }

    fn run_tools(&self, request: &ScanRequest, hooks: &ScanHooks<'_>) -> Result<ExternalRuns, Failure> {
        let place = &self.tools.place;
        // The folder is checked before the runner: a wrong request is wrong on every machine.
        let state = self.project(&request.path)?;
        place.runner().map_err(|why| no_runner(&why))?;
        let _alone = self.tools.alone()?;
        let _running = Running::begin(&self.scans)?;
        let started = Instant::now();
        let mut settings = self.settings(&state, request.as_of, request.role, request.systems.clone())?;
        settings.risk_class = request.risk_class.map(crate::scan::stated);
        // Walks the tree, so that the tools get the files that the engine reads, and no others.
        let first = self.run(&state, &settings, hooks)?;
        let (view, files) = copies(&state, &first, hooks)?;
        let _lock = place.lock_for_run().map_err(|error| tools_failure(&error))?;
        let stop = || (hooks.cancel)() || self.tools.is_stopping();
        let mut finished = self.tools.take_finished(state.path(), &files);
        let runs = std::thread::scope(|scope| {
            let started: Vec<_> = TOOLS
                .iter()
                .map(|tool| {
                    let done = finished.iter().position(|run| run.name == tool.name);
                    let done = done.map(|at| finished.swap_remove(at));
                    let (view, stop) = (&view, &stop);
                    scope.spawn(move || done.unwrap_or_else(|| engine_tools::run(place, tool, view, stop)))
                })
                .collect();
            started
                .into_iter()
                .map(std::thread::ScopedJoinHandle::join)
                .collect::<Result<Vec<_>, _>>()
        });
        let runs = runs.map_err(|_| {
            Failure::new(
                ErrorCode::Internal,
                "internal error while a tool ran; see the engine log",
            )
        })?;
        if stop() {
            self.tools.keep_finished(state.path(), files, runs);
            return Err(ended());
        }
        Ok(ExternalRuns {
            runs,
            files,
            elapsed: milliseconds(started),
        })
    }

    /// Evaluates a project again, with what the tools found beside the engine's own findings.
    pub(crate) fn with_external(
        &self,
        state: &ProjectState,
        settings: &mut Settings,
        scan: ScanResult,
        runs: &ExternalRuns,
        hooks: &ScanHooks<'_>,
    ) -> Result<ScanResult, Failure> {
        let now: BTreeMap<String, [u8; 32]> = digests(state);
        let merged = merge::merge(&scan.findings, &runs.runs, &runs.files, &now);
        settings.external = Arc::new(merged.external);
        let cache = scan.cache;
        let (elapsed, own) = (runs.elapsed, scan.elapsed);
        drop(scan);
        let mut scan = match self.run_changed(state, settings, &std::collections::BTreeSet::new(), hooks)? {
            Some(scan) => scan,
            None => self.run(state, settings, hooks)?,
        };
        scan.cache = cache;
        scan.elapsed += elapsed + own;
        scan.duration = engine_model::milliseconds(scan.elapsed);
        scan.tools = merged.records;
        scan.external_tool_results = merge::results(merged.results, &scan.findings, !scan.systems.is_empty());
        Ok(scan)
    }
}

/// The hooks of the scan that includes the runs. The client may leave now: what is stored is stored whole.
fn with<'a>(hooks: &ScanHooks<'a>, runs: &'a ExternalRuns) -> ScanHooks<'a> {
    ScanHooks {
        cancel: hooks.cancel,
        progress: hooks.progress,
        baseline: hooks.baseline,
        external: Some(runs),
    }
}

fn digests(state: &ProjectState) -> BTreeMap<String, [u8; 32]> {
    let cache = state.cache();
    cache.infos().map(|info| (info.path.clone(), info.digest)).collect()
}

type Files = BTreeMap<String, ([u8; 32], Zone)>;

/// Copies the files that the engine reads, and model files that are too long to be read whole.
fn copies(state: &ProjectState, scan: &ScanResult, hooks: &ScanHooks<'_>) -> Result<(View, Files), Failure> {
    let failed = |error: &std::io::Error| {
        Failure::new(
            ErrorCode::StateConflict,
            format!("could not copy the files for the external tools: {error}; make room in the temporary folder"),
        )
    };
    let mut view = View::new(ViewLimits::default()).map_err(|error| failed(&error))?;
    let mut files = Files::new();
    let cache = state.cache();
    let limits = Limits::default();
    for info in cache.infos() {
        if (hooks.cancel)() {
            return Err(ended());
        }
        let adding = std::cell::RefCell::new(&mut view);
        let read = engine_project::read_files(state.root(), &limits, &[&info.path], &|file| {
            adding.borrow_mut().add(&file.path, &file.bytes)
        });
        for (info, added) in read.into_iter().flatten() {
            if added == Err(engine_tools::LeftOut::Disk) {
                return Err(failed(&std::io::Error::other("the disk refused")));
            }
            files.insert(info.path.clone(), (info.digest, info.zone));
        }
    }
    for model in &scan.inventory.model_files {
        if files.contains_key(&model.file) {
            continue;
        }
        if (hooks.cancel)() {
            return Err(ended());
        }
        let Some(source) = engine_project::ranges(state.root(), &model.file) else {
            continue;
        };
        if view.add_model(&model.file, source.as_ref()) == Err(engine_tools::LeftOut::Disk) {
            return Err(failed(&std::io::Error::other("the disk refused")));
        }
        files.insert(
            model.file.clone(),
            (merge::UNKNOWN, model.zone.unwrap_or(Zone::Product)),
        );
    }
    Ok((view, files))
}

fn wanted(names: Option<&[String]>) -> Result<Vec<&'static Tool>, Failure> {
    let Some(names) = names else {
        return Ok(TOOLS.iter().collect());
    };
    if names.len() > NAMES_MAX {
        let details = format!("`tools` has {} names, but at most {NAMES_MAX} are allowed", names.len());
        return Err(Failure::new(ErrorCode::InvalidRequest, details).field("tools"));
    }
    let mut wanted: Vec<&'static Tool> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let tool = Tool::named(name).ok_or_else(|| {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Failure::new(
                ErrorCode::InvalidRequest,
                format!("unknown tool `{}`; use one of {}", mask_secrets(name), known.join(", ")),
            )
            .field(format!("tools.{index}"))
        })?;
        // Each is installed once.
        if !wanted.iter().any(|known| known.name == tool.name) {
            wanted.push(tool);
        }
    }
    Ok(wanted)
}

fn no_runner(why: &NoRunner) -> Failure {
    Failure::new(ErrorCode::MissingPart, why.to_string())
}

fn tools_failure(error: &ToolsError) -> Failure {
    match error {
        ToolsError::InUse => Failure::new(ErrorCode::Busy, error.to_string()).retry_after(10),
        ToolsError::NoFolder => Failure::new(ErrorCode::MissingPart, error.to_string()),
        ToolsError::Io { .. } => conflict(error),
    }
}

/// Why a runner is missing, for a reply.
fn runner_error(runner: &Result<Runner, NoRunner>) -> Option<String> {
    runner.as_ref().err().map(ToString::to_string)
}
