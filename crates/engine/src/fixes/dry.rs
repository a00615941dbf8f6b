//! A project with some files changed in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use engine_fixer::{Edit, FixInput, NoFix, Plan};
use engine_model::{Date, Failure, FileInfo, Finding, SourceFile, SourceText};
use engine_project::{Root, Tree};
use engine_scanner::{Evaluation, FileFacts, Memory, ScanInput, Settings};
use rayon::prelude::*;

use super::batch::taken_for_fixed;
use crate::Engine;
use crate::cache::WalkSaid;
use crate::documents::{Drafting, Gathered};
use crate::evaluations::{Evaluations, Question};
use crate::project::ProjectState;
use crate::scan::{KEPT_BYTES_MAX, ScanHooks, ended, timestamp};

/// Contents that take the place of those on the disk, by path.
pub(crate) type Overlay = BTreeMap<String, Vec<u8>>;

/// A tree that was read once and is evaluated with changes in memory.
pub(crate) struct Dry {
    files: Vec<(FileInfo, FileFacts)>,
    said: Arc<WalkSaid>,
    tree: Tree,
    memory: Arc<Memory>,
    evaluations: Arc<Evaluations>,
    /// What evaluations with changes remember, so that they leave the memory of the project as it is.
    changed_memory: OnceLock<Memory>,
    root: Root,
    paths: Vec<String>,
    /// What drafts of documents are filled from beside the evaluation.
    gathered: Gathered,
    read_at: String,
    /// Changed files that were read, by path, with the digest of the content: rounds of planning evaluate the same changes again.
    changed: Mutex<BTreeMap<String, ReadFile>>,
}

/// What was read of a content, by its digest.
type ReadFile = (blake3::Hash, (FileInfo, FileFacts));

/// The texts of a tree, some of them changed.
struct Overlaid<'a> {
    dry: &'a Dry,
    overlay: &'a Overlay,
}

impl SourceText for Overlaid<'_> {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        if let Some((path, bytes)) = self.overlay.get_key_value(path) {
            return Some(SourceFile::new(path.as_str(), bytes.as_slice()));
        }
        self.dry.tree.file(path)
    }
}

/// The same for plans: a file that the walk leaves out, such as a list of ignored files, is known by its name.
struct Planning<'a>(Overlaid<'a>);

impl SourceText for Planning<'_> {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        self.0.file(path).or_else(|| {
            let present = self.0.dry.root.present(path).ok()??;
            Some(SourceFile::new(path.to_owned(), present.bytes))
        })
    }
}

impl Engine {
    /// Reads what has changed of a project, for evaluations in memory.
    pub(crate) fn dry(&self, state: &ProjectState, hooks: &ScanHooks<'_>) -> Result<Dry, Failure> {
        let now = (self.options.clock.now)();
        let refreshed = self.refreshed(state, now, hooks)?;
        let said = refreshed.after.walk.clone().ok_or_else(ended)?;
        let memory = Arc::clone(&refreshed.after.memory);
        // A command evaluates the same files several times as well.
        memory.hold(KEPT_BYTES_MAX);
        state.remember(Arc::clone(&refreshed.after));
        // Between two fixes nothing is written down: that would take longer than the fix.
        if refreshed.misses > 0 {
            state.write_down(refreshed.after, refreshed.before);
        }
        Ok(Dry {
            paths: refreshed.files.iter().map(|(info, _)| info.path.clone()).collect(),
            files: refreshed.files,
            said,
            tree: refreshed.tree,
            memory,
            evaluations: Arc::clone(state.evaluations()),
            changed_memory: OnceLock::new(),
            root: state.root().clone(),
            gathered: Gathered::of(state)?,
            read_at: timestamp(now),
            changed: Mutex::default(),
        })
    }
}

impl Dry {
    /// Evaluates the tree as it is.
    pub(crate) fn evaluate(&self, settings: &Settings) -> Arc<Evaluation> {
        self.evaluated(&Overlay::new(), settings, &self.memory)
    }

    /// Evaluates the tree with changes, each time with those before and some more.
    pub(crate) fn evaluate_with(&self, overlay: &Overlay, settings: &Settings) -> Arc<Evaluation> {
        self.evaluated(
            overlay,
            settings,
            self.changed_memory.get_or_init(|| self.memory.fork()),
        )
    }

    /// Evaluates the tree with changes that have nothing to do with those of other evaluations.
    pub(crate) fn evaluate_apart(&self, overlay: &Overlay, settings: &Settings) -> Evaluation {
        // Only findings and score are compared.
        let settings = Settings {
            quotes_code: false,
            ..settings.clone()
        };
        self.joined(self.files_with(overlay), overlay, &settings, &self.memory.fork())
    }

    /// The changes of the last evaluation are made: the next scan begins with what it remembers.
    pub(crate) fn keep_changes(&self) {
        if let Some(memory) = self.changed_memory.get() {
            self.memory.adopt(memory);
        }
    }

    /// Evaluates what was not evaluated before. The scan after a fix asks the same question, so findings quote their lines here as well.
    fn evaluated(&self, overlay: &Overlay, settings: &Settings, memory: &Memory) -> Arc<Evaluation> {
        let files = self.files_with(overlay);
        let question = Question::of(&files, &self.said, settings);
        self.evaluations.find(&question).unwrap_or_else(|| {
            let evaluation = Arc::new(self.joined(files, overlay, settings, memory));
            if !self.tree.is_stale() {
                self.evaluations.keep(question, &evaluation);
            }
            evaluation
        })
    }

    /// All files, those that are changed as they are then.
    fn files_with(&self, overlay: &Overlay) -> Vec<(FileInfo, FileFacts)> {
        let mut files = self.files.clone();
        // Which files a changed list of ignored files leaves out is seen by the next walk; mostly they are the same.
        let read: Vec<_> = overlay
            .par_iter()
            .map(|(path, bytes)| (path.as_str(), self.read(path, bytes)))
            .collect();
        for (path, read) in read {
            match files.binary_search_by(|(info, _)| info.path.as_str().cmp(path)) {
                Ok(at) => files[at] = read,
                Err(at) => files.insert(at, read),
            }
        }
        files
    }

    fn joined(
        &self,
        files: Vec<(FileInfo, FileFacts)>,
        overlay: &Overlay,
        settings: &Settings,
        memory: &Memory,
    ) -> Evaluation {
        let secrets: Vec<String> = self.said.ignored_secrets.iter().map(|file| file.path.clone()).collect();
        let source = Overlaid { dry: self, overlay };
        let input = ScanInput {
            files,
            large: self.said.large.clone(),
            ignored_secrets: &secrets,
            source: &source,
            memory,
        };
        // On a worker: what the reading of the files let go there is used again.
        rayon::scope(|_| engine_scanner::evaluate(input, settings))
    }

    /// Reads a changed file, once for each content.
    fn read(&self, path: &str, bytes: &[u8]) -> (FileInfo, FileFacts) {
        let digest = blake3::hash(bytes);
        {
            let known = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((of, read)) = known.get(path)
                && *of == digest
            {
                return read.clone();
            }
        }
        let file = SourceFile::new(path, bytes);
        let read = (file.info(), engine_scanner::read(&file));
        let mut known = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.to_owned(), (digest, read.clone()));
        read
    }

    /// Plans the fix for a finding of an evaluation of this tree with these changes.
    pub(crate) fn plan(
        &self,
        finding: &Finding,
        evaluation: &Evaluation,
        overlay: &Overlay,
        as_of: Date,
    ) -> Result<Plan, NoFix> {
        self.plan_among(&self.paths_with(overlay), finding, evaluation, overlay, as_of)
    }

    /// The paths of all files with these changes, in order.
    pub(crate) fn paths_with<'p>(&'p self, overlay: &'p Overlay) -> Vec<&'p str> {
        let mut paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
        for path in overlay.keys() {
            if let Err(at) = paths.binary_search(&path.as_str()) {
                paths.insert(at, path);
            }
        }
        paths
    }

    /// The same as [`Self::plan`], where the paths are known.
    pub(crate) fn plan_among(
        &self,
        paths: &[&str],
        finding: &Finding,
        evaluation: &Evaluation,
        overlay: &Overlay,
        as_of: Date,
    ) -> Result<Plan, NoFix> {
        let plan = self.with_input(paths, finding, evaluation, overlay, as_of, engine_fixer::plan)?;
        self.may_be_ignored(finding, &plan)?;
        Ok(plan)
    }

    /// An ignore rule hides a file only from version control that does not track it already.
    fn may_be_ignored(&self, finding: &Finding, plan: &Plan) -> Result<(), NoFix> {
        let Some(file) = finding.file.as_deref() else {
            return Ok(());
        };
        if !taken_for_fixed(plan) {
            return Ok(());
        }
        if !self.root.has_entry(".git") {
            return Err(NoFix::here(
                "the folder is not a git repository, so an ignore rule hides nothing; move the file out of the project",
            ));
        }
        if engine_git::Revision::open(self.root.path(), "HEAD").is_ok_and(|head| head.holds(file)) {
            return Err(NoFix::here(format!(
                "git tracks `{file}`, so an ignore rule changes nothing; run `git rm --cached {file}` first"
            )));
        }
        Ok(())
    }

    /// Makes a plan of edits that somebody proposed for the tree as it is.
    pub(crate) fn propose(
        &self,
        finding: &Finding,
        evaluation: &Evaluation,
        as_of: Date,
        path: &str,
        edits: Vec<Edit>,
        description: String,
    ) -> Result<Plan, NoFix> {
        let none = Overlay::new();
        self.with_input(&self.paths_with(&none), finding, evaluation, &none, as_of, |input| {
            engine_fixer::proposed(input, path, edits, description)
        })
    }

    fn with_input<T>(
        &self,
        paths: &[&str],
        finding: &Finding,
        evaluation: &Evaluation,
        overlay: &Overlay,
        as_of: Date,
        then: impl FnOnce(FixInput<'_>) -> T,
    ) -> T {
        then(FixInput {
            finding,
            inventory: &evaluation.inventory,
            systems: &evaluation.systems,
            as_of,
            paths,
            source: &Planning(Overlaid { dry: self, overlay }),
            documents: &Drafting {
                gathered: &self.gathered,
                evaluation,
                as_of,
                read_at: &self.read_at,
                files_read: self.files.len() as u64,
            },
        })
    }

    /// The content of a file with these changes; empty where there is none.
    pub(crate) fn bytes(&self, path: &str, overlay: &Overlay) -> Vec<u8> {
        let planning = Planning(Overlaid { dry: self, overlay });
        planning
            .file(path)
            .map(|file| file.bytes.into_owned())
            .unwrap_or_default()
    }
}
