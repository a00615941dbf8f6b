//! The last evaluations of a project, so that nothing is evaluated twice for the same question.
//!
//! An evaluation depends on the contents of the files and on the settings alone. A preview asks for what the scan before it has found, a fix
//! for what the preview has found, and the scan after a fix for what the fix was judged by.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use engine_model::FileInfo;
use engine_scanner::{Evaluation, FileFacts, LargeFacts, Settings};

use crate::cache::WalkSaid;

/// Evaluations that are kept of one project: before a fix, after it, and one on other terms.
const KEPT_MAX: usize = 3;

/// Findings, obligations and calls that a kept evaluation may hold: more would be held twice beside the scan.
const PARTS_MAX: usize = 10_000;

/// What an evaluation depends on.
#[derive(Debug, PartialEq)]
pub(crate) struct Question {
    files: [u8; 32],
    large: Vec<(String, LargeFacts)>,
    ignored_secrets: Vec<String>,
    settings: Settings,
}

impl Question {
    /// What is asked about files in the order of their paths.
    pub(crate) fn of(files: &[(FileInfo, FileFacts)], said: &WalkSaid, settings: &Settings) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (info, _) in files {
            hasher.update(&(info.path.len() as u64).to_le_bytes());
            hasher.update(info.path.as_bytes());
            hasher.update(&[info.zone as u8]);
            hasher.update(&info.digest);
        }
        Self {
            files: *hasher.finalize().as_bytes(),
            large: said.large.clone(),
            ignored_secrets: said.ignored_secrets.iter().map(|file| file.path.clone()).collect(),
            settings: settings.clone(),
        }
    }
}

/// The last evaluations, the newest first.
#[derive(Debug, Default)]
pub(crate) struct Evaluations {
    kept: Mutex<VecDeque<(Question, Arc<Evaluation>)>>,
}

impl Evaluations {
    /// The answer to a question that was asked before.
    pub(crate) fn find(&self, question: &Question) -> Option<Arc<Evaluation>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, _)| of == question)?;
        let found = kept.remove(at)?;
        let evaluation = Arc::clone(&found.1);
        kept.push_front(found);
        Some(evaluation)
    }

    /// How many answers are kept.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Keeps an answer for the next time.
    pub(crate) fn keep(&self, question: Question, evaluation: &Arc<Evaluation>) {
        if !is_small(evaluation) {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _)| *of != question);
        kept.push_front((question, Arc::clone(evaluation)));
        let count = kept.len().min(KEPT_MAX);
        let old = kept.split_off(count);
        drop(kept);
        drop(old);
    }
}

/// Whether an evaluation may be kept.
pub(crate) fn is_small(evaluation: &Evaluation) -> bool {
    let inventory = &evaluation.inventory;
    let parts = evaluation.findings.len()
        + evaluation.obligations.len()
        + inventory.calls.len()
        + inventory.packages.len()
        + inventory.prompts.len();
    parts <= PARTS_MAX
}

#[cfg(test)]
mod tests {
    use engine_model::{Date, MemoryTree};

    use super::*;

    fn asked(text: &str, as_of: &str) -> (Question, Arc<Evaluation>) {
        let mut tree = MemoryTree::default();
        tree.insert("app.py", text);
        let settings = Settings::on(as_of.parse::<Date>().unwrap());
        let files: Vec<_> = tree
            .files()
            .map(|file| (file.info(), engine_scanner::read(&file)))
            .collect();
        let evaluation = engine_scanner::scan_memory(&tree, &settings);
        let said = WalkSaid::default();
        (Question::of(&files, &said, &settings), Arc::new(evaluation))
    }

    #[test]
    fn same_contents_and_settings_are_the_same_question() {
        let kept = Evaluations::default();
        let (question, evaluation) = asked("import openai\n", "2026-11-29");
        assert!(kept.find(&question).is_none());
        kept.keep(question, &evaluation);
        let (again, _) = asked("import openai\n", "2026-11-29");
        assert!(Arc::ptr_eq(&kept.find(&again).unwrap(), &evaluation));
        let (other_text, _) = asked("import openai  # changed\n", "2026-11-29");
        assert!(kept.find(&other_text).is_none());
        let (other_date, _) = asked("import openai\n", "2027-12-02");
        assert!(kept.find(&other_date).is_none());
    }

    #[test]
    fn oldest_answer_is_let_go_first() {
        let kept = Evaluations::default();
        for day in ["2026-11-29", "2026-11-30", "2026-12-01", "2026-12-02"] {
            let (question, evaluation) = asked("import openai\n", day);
            kept.keep(question, &evaluation);
        }
        assert!(kept.find(&asked("import openai\n", "2026-11-29").0).is_none());
        assert!(kept.find(&asked("import openai\n", "2026-11-30").0).is_some());
        assert!(kept.find(&asked("import openai\n", "2026-12-02").0).is_some());
    }
}
