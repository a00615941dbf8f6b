//! The state of one project: its root, its state directory, its database and its lock.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use engine_evidence::Draft;
use engine_model::{ErrorCode, Failure, ScanResult};
use engine_project::Root;
use engine_signing::SecretKey;
use engine_store::{EvidenceAdded, FileChange, Lock, Mode, Personal, StateDir, Store, StoreError};

use crate::cache::Cache;
use crate::evaluations::Evaluations;
use crate::evidence::ChainWatch;
use crate::later::Later;
use crate::written::Texts;

/// A project that is open.
pub(crate) struct ProjectState {
    root: Root,
    read_only: bool,
    /// The state. A project that has none gets one with the first change that is kept: a look at it writes nothing.
    state: OnceLock<State>,
    /// Held while the state is opened.
    opening: Mutex<()>,
    /// What this process listens on.
    port: Mutex<Option<u16>>,
    /// The files that people write beside the state; they are read even where nothing may be written.
    files: StateDir,
    /// The last scan, kept so that a comparison does not read it again.
    last: Mutex<Option<Arc<ScanResult>>>,
    /// The last scan of this process with texts of it.
    written: Mutex<Option<Written>>,
    /// What is remembered of its files; loaded when it is first asked for.
    cache: Mutex<Option<Arc<Cache>>>,
    /// What was evaluated last.
    evaluations: Arc<Evaluations>,
    /// Held while the project is scanned: two scans of one project would do the same work twice.
    scanning: Mutex<()>,
    chain: Arc<Mutex<ChainWatch>>,
    /// Held while passports are changed: what is read before a change must still be there when it is written.
    passports: Mutex<()>,
}

/// A scan with texts of it.
type Written = (Arc<ScanResult>, Arc<Texts>);

struct State {
    dir: StateDir,
    store: Arc<Store>,
    /// Writes down what is remembered of the files; dropped, and so waited for, before the lock is let go.
    later: Later,
    /// Does the same for heads of the chain: nothing larger is in their way.
    heads: Later,
    lock: Mutex<Option<Lock>>,
}

/// Opens the folder of a project. Relative paths begin at the working folder.
pub(crate) fn open_root(working_dir: &Path, path: &str) -> Result<Root, Failure> {
    if path.is_empty() {
        return Err(Failure::new(
            ErrorCode::InvalidPath,
            "`path` is empty; give the folder of the project",
        )
        .field("path"));
    }
    engine_project::open(&working_dir.join(path))
        .map_err(|error| Failure::new(ErrorCode::InvalidPath, error.to_string()).field("path"))
}

/// A path without `.` and without `..` after a name, as it is written; links are not looked at.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

impl ProjectState {
    /// Opens the state of a project. A project without state has none, and gets none before something is kept.
    pub(crate) fn open(root: Root, read_only: bool, port: Option<u16>) -> Result<Self, Failure> {
        let files = StateDir::open(root.path(), Mode::ReadOnly).map_err(|error| conflict(&error))?;
        let has_state = files.has_database();
        let state = Self {
            root,
            read_only,
            state: OnceLock::new(),
            opening: Mutex::new(()),
            port: Mutex::new(port),
            files,
            last: Mutex::new(None),
            written: Mutex::new(None),
            cache: Mutex::new(None),
            evaluations: Arc::default(),
            scanning: Mutex::new(()),
            chain: Arc::default(),
            passports: Mutex::new(()),
        };
        if has_state {
            state.ensure()?;
        }
        Ok(state)
    }

    /// Opens the state where it is not open yet, and creates it where it lacks. Read-only, there is none.
    pub(crate) fn ensure(&self) -> Result<Option<&Store>, Failure> {
        if self.read_only {
            return Ok(None);
        }
        if let Some(state) = self.state.get() {
            return Ok(Some(&state.store));
        }
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if self.state.get().is_none() {
            if !self.root.is_in_place() {
                return Err(moved(self.root.path()));
            }
            let port = *self.port.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody else sets it while the lock is held.
            let _ = self.state.set(open_state(self.root.path(), port)?);
        }
        Ok(self.opened())
    }

    /// Whether nothing may be written.
    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub(crate) fn evaluations(&self) -> &Arc<Evaluations> {
        &self.evaluations
    }

    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn path(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn publish_port(&self, port: u16) {
        *self.port.lock().unwrap_or_else(PoisonError::into_inner) = Some(port);
        let Some(state) = self.state.get() else { return };
        if let Some(lock) = state.lock.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && let Err(error) = lock.publish(Some(port))
        {
            tracing::warn!(%error, "could not write the port to the lock file; other engines cannot report this port");
        }
    }

    /// Waits for a scan of this project that is under way.
    pub(crate) fn scanning(&self) -> MutexGuard<'_, ()> {
        self.scanning.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is remembered of the files.
    pub(crate) fn cache(&self) -> Arc<Cache> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.get_or_insert_with(|| {
            let loaded = self.state.get().map(|state| Cache::load(&state.store));
            Arc::new(loaded.unwrap_or_default())
        });
        Arc::clone(known)
    }

    /// Remembers the files as they are now, in memory.
    pub(crate) fn remember(&self, cache: Arc<Cache>) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache);
    }

    /// Remembers the files as they are now, in memory, unless others were remembered since `before`.
    pub(crate) fn remember_after(&self, before: &Arc<Cache>, now: Arc<Cache>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.as_ref().is_some_and(|known| Arc::ptr_eq(known, before)) {
            *cache = Some(now);
        }
    }

    /// Has written down what `now` knows beyond `before`; whoever asked does not wait for it.
    pub(crate) fn write_down(&self, now: Arc<Cache>, before: Arc<Cache>) {
        if let Some(state) = self.state.get() {
            state.later.write(&state.store, now, before);
        }
    }

    /// Has something done beside the work that goes on; whoever asked does not wait for it. Nothing is done of a project that is only read.
    pub(crate) fn later(&self, job: impl FnOnce() + Send + 'static) {
        if let Some(state) = self.state.get() {
            state.heads.run(&state.store, Box::new(job));
        }
    }

    /// Waits for what [`Self::later`] was asked for: whoever looks at it sees all of it.
    pub(crate) fn settle(&self) {
        if let Some(state) = self.state.get() {
            state.heads.settle();
        }
    }

    /// The last scan, from memory or from the database.
    pub(crate) fn last_scan(&self) -> Result<Option<Arc<ScanResult>>, Failure> {
        if let Some(last) = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(Some(last));
        }
        let Some(state) = self.state.get() else {
            return Ok(None);
        };
        let stored = match state.store.last_scan() {
            Ok(stored) => stored.map(Arc::new),
            // A result of another version is history, not a fault: the next scan stands on its own.
            Err(error @ StoreError::UnreadableResult { .. }) => {
                tracing::warn!(%error, "could not read the last scan: another engine version stored it; scan again");
                None
            }
            Err(error) => return Err(conflict(&error)),
        };
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&stored);
        Ok(stored)
    }

    /// Keeps a scan in memory, for the next comparison.
    pub(crate) fn keep(&self, scan: &Arc<ScanResult>, texts: Texts) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(scan));
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) =
            texts.are_kept().then(|| (Arc::clone(scan), Arc::new(texts)));
    }

    /// The last scan of this process with texts of it.
    pub(crate) fn written(&self) -> Option<Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The database, created where it lacks: for what is about to be kept. None for a project that is only read.
    pub(crate) fn store(&self) -> Option<&Store> {
        self.ensure().unwrap_or_else(|failure| {
            tracing::warn!(details = failure.details, "could not open the state of a project");
            None
        })
    }

    /// The database, where there is one and it is open.
    pub(crate) fn opened(&self) -> Option<&Store> {
        self.state.get().map(|state| &*state.store)
    }

    /// Reads the database, also where nothing may be written: another engine may own it then.
    pub(crate) fn reading<T>(&self, read: impl FnOnce(&Store) -> T) -> Result<T, Failure> {
        match self.state.get() {
            Some(state) => Ok(read(&state.store)),
            None => Store::open(&self.files)
                .map(|store| read(&store))
                .map_err(|error| conflict(&error)),
        }
    }

    /// The same for a thread that outlives the request.
    pub(crate) fn chain_watch(&self) -> Arc<Mutex<ChainWatch>> {
        Arc::clone(&self.chain)
    }

    /// What is remembered of the chain.
    pub(crate) fn chain(&self) -> MutexGuard<'_, ChainWatch> {
        self.chain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change of passports that is under way.
    pub(crate) fn passports(&self) -> MutexGuard<'_, ()> {
        self.passports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes files of the state directory together with an entry of the chain.
    pub(crate) fn change_files(
        &self,
        changes: Vec<FileChange>,
        personal: Vec<Personal>,
        draft: Draft,
        chain: &str,
        key: &SecretKey,
    ) -> Result<EvidenceAdded, Failure> {
        self.ensure()?;
        let Some(state) = self.state.get() else {
            return Err(Failure::new(
                ErrorCode::ReadOnly,
                "the engine is read-only and changed nothing; start it without `--read-only`",
            ));
        };
        state
            .store
            .save_files_recorded(&state.dir, changes, personal, draft, chain, key)
            .map_err(|error| conflict(&error))
    }

    /// Names of the files in a folder of the state directory, sorted.
    pub(crate) fn state_files(&self, folder: &str) -> Result<Vec<String>, Failure> {
        self.files.list(folder).map_err(|error| conflict(&error))
    }

    /// A file of the state directory, or nothing when there is no such file.
    pub(crate) fn state_file(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.files.read(name).map_err(|error| conflict(&error))
    }

    /// Names of the files in a folder of the state directory.
    pub(crate) fn state_list(&self, folder: &str) -> Result<Vec<String>, Failure> {
        self.files.list(folder).map_err(|error| conflict(&error))
    }

    /// Writes a file that people read beside the state, whoever holds the state itself.
    pub(crate) fn write_file(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        if !self.root.is_in_place() {
            return Err(moved(self.root.path()));
        }
        let dir = StateDir::open(self.root.path(), Mode::ReadWrite).map_err(|error| conflict(&error))?;
        dir.write_atomic(name, bytes).map_err(|error| conflict(&error))?;
        Ok(dir.path().join(name))
    }
}

impl ProjectState {
    /// Writes a file that a caller named, where none is.
    pub(crate) fn write_new(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        if !self.root.is_in_place() {
            return Err(moved(self.root.path()));
        }
        let dir = StateDir::open(self.root.path(), Mode::ReadWrite).map_err(|error| conflict(&error))?;
        if dir.write_new(name, bytes).map_err(|error| conflict(&error))? {
            return Ok(());
        }
        Err(file_exists(name))
    }

    /// Refuses a place that a caller named for a new file, where something is there already.
    pub(crate) fn refuse_existing(&self, name: &str) -> Result<(), Failure> {
        match self.state_file(name)? {
            Some(_) => Err(file_exists(name)),
            None => Ok(()),
        }
    }
}

fn file_exists(name: &str) -> Failure {
    let details = format!("`.compliance/{name}` exists already and is not overwritten; choose another `outputPath`");
    Failure::new(ErrorCode::StateConflict, details).field("outputPath")
}

fn open_state(root: &Path, port: Option<u16>) -> Result<State, Failure> {
    let dir = StateDir::open(root, Mode::ReadWrite).map_err(|error| conflict(&error))?;
    let lock = dir.lock(port).map_err(|error| conflict(&error))?;
    let store = Store::open(&dir).map_err(|error| conflict(&error))?;
    // What a process that died had recorded and not yet written.
    if let Err(error) = store.finish_files(&dir) {
        tracing::warn!(%error, "could not write a file after its change was recorded; the engine tries again at its next start");
    }
    Ok(State {
        dir,
        store: Arc::new(store),
        later: Later::default(),
        heads: Later::default(),
        lock: Mutex::new(Some(lock)),
    })
}

/// The failure of a project whose folder is no longer where it was.
pub(crate) fn moved(path: &Path) -> Failure {
    let details = format!(
        "the folder `{}` was moved or replaced while the engine used it, and nothing was written; put the folder back, or name the \
         new one as `path`",
        path.display()
    );
    Failure::new(ErrorCode::StateConflict, details).field("path")
}

/// A failure of the state, with all its causes: the user must be able to act on it.
pub(crate) fn conflict(error: &dyn std::error::Error) -> Failure {
    let mut details = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        details.push_str(": ");
        details.push_str(&cause.to_string());
        source = cause.source();
    }
    Failure::new(ErrorCode::StateConflict, details)
}

/// The last part of a path as a name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A relative path of a changed file, or why it cannot be one.
pub(crate) fn relative(path: &str) -> Result<String, &'static str> {
    let given = PathBuf::from(path);
    if given.is_absolute() {
        return Err("it must be relative to the project's folder");
    }
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return Err("it is outside the project's folder; give a path inside it"),
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        Err("it does not name a file; give a path such as `api/chat.py`")
    } else {
        Ok(parts.join("/"))
    }
}
