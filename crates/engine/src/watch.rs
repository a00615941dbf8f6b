//! Watching a project: changes of its files lead to an evaluation, told on the event bus.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use engine_model::{ErrorCode, EventBody, Failure, ScanResult};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::project::ProjectState;
use crate::scan::{Running, ScanHooks, project_config, timestamp};
use crate::{Engine, gate};

/// Changes that follow one another faster than this are taken together: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(150);

/// Without a pause for this long, an evaluation is made all the same.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Watches a project for as long as it lives.
pub struct Watch {
    // Dropping the watcher closes the channel, and with it the thread ends.
    _watcher: RecommendedWatcher,
}

impl Engine {
    /// Watches the files of a project and announces what their changes do to score and gate. Nothing is kept: the history
    /// holds the scans that somebody asked for.
    pub fn watch(self: &Arc<Self>, path: &str) -> Result<Watch, Failure> {
        let state = self.project(path)?;
        let refused = |error: notify::Error| {
            Failure::new(
                ErrorCode::InvalidPath,
                format!("could not watch the files of the project: {error}; start the engine without --watch"),
            )
            .field("path")
        };
        let (sender, receiver) = channel();
        let root = state.path().to_owned();
        let inside = root.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let matters = event.as_ref().map_or(true, |event| matters(event, &inside));
            if matters {
                // Nobody listens any more once the engine is gone.
                let _ = sender.send(());
            }
        })
        .map_err(refused)?;
        watcher.watch(&root, RecursiveMode::Recursive).map_err(refused)?;
        let engine = Arc::downgrade(self);
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || follow(&engine, &state, &receiver))
            .map_err(|error| {
                Failure::new(
                    ErrorCode::Internal,
                    format!("could not start the watch thread: {error}; start the engine without --watch"),
                )
            })?;
        Ok(Watch { _watcher: watcher })
    }

    /// Evaluates the project as it is now and announces score and gate against `before`.
    fn look_again(&self, state: &ProjectState, before: Option<&ScanResult>) -> Result<ScanResult, Failure> {
        let _running = Running::begin(&self.scans)?;
        let settings = self.settings(state, before.map(|scan| scan.as_of), None, None)?;
        let mut scan = self.run(state, &settings, &ScanHooks::default())?;
        let project = state.path().to_string_lossy().into_owned();
        let score = |scan: &ScanResult| scan.score.assessed.then_some(scan.score.compliance);
        let (old, new) = (before.and_then(score), score(&scan));
        let send = |body| {
            self.events()
                .send(body, timestamp((self.options.clock.now)()), project.clone());
        };
        if old != new {
            send(EventBody::ScoreUpdate {
                before: old,
                after: new,
                reason: "watch".to_owned(),
            });
        }
        let gate = gate::evaluate(&scan, before, &project_config(state)?.gate);
        send(gate::event(&scan, &gate));
        scan.gate = Some(gate);
        Ok(scan)
    }
}

/// Whether an event can change what a scan finds. The engine writes its own state, and reading is no change.
fn matters(event: &notify::Event, root: &Path) -> bool {
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    event.paths.is_empty() || event.paths.iter().any(|path| !is_own(path, root))
}

/// Whether a path lies in the private part of the state folder, or in the data of git.
fn is_own(path: &Path, root: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(root) else {
        return false;
    };
    let mut parts = inside.iter();
    match parts.next().and_then(|part| part.to_str()) {
        Some(".git") => true,
        // The documents that a person finishes there count, and so do the files with rules.
        Some(".compliance") => !matches!(
            parts.next().and_then(|part| part.to_str()),
            Some("documents" | "suppressions.toml" | "baseline.json" | "config.toml")
        ),
        _ => false,
    }
}

/// Takes changes together and evaluates, until the watch or the engine is gone.
fn follow(engine: &Weak<Engine>, state: &ProjectState, changes: &Receiver<()>) {
    let mut before: Option<ScanResult> = None;
    while changes.recv().is_ok() {
        let first = Instant::now();
        while first.elapsed() < WAIT_MAX {
            match changes.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let Some(engine) = engine.upgrade() else { return };
        let known = match before.take() {
            Some(before) => Some(before),
            None => state.last_scan().ok().flatten().map(Arc::unwrap_or_clone),
        };
        match engine.look_again(state, known.as_ref()) {
            Ok(scan) => before = Some(scan),
            Err(failure) => {
                tracing::warn!(details = %failure.details, "could not evaluate a change of the files; its effect is not reported on GET /events");
                before = known;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_does_not_wake_itself() {
        let root = Path::new("/p");
        for own in ["/p/.compliance/state.db-wal", "/p/.compliance", "/p/.git/index"] {
            assert!(is_own(Path::new(own), root), "{own}");
        }
        for other in [
            "/p/app.py",
            "/p/.compliance/documents/a.md",
            "/p/.compliance/suppressions.toml",
            "/p/.github/a",
        ] {
            assert!(!is_own(Path::new(other), root), "{other}");
        }
    }
}
