//! Facts from the text of a single file, cached with a digest: an edit that does not change them causes no new join.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine_model::{FileInfo, SourceText};
use serde::{Deserialize, Serialize};

/// What is asked of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Reading {
    /// Lines that start a script as a program.
    Starts,
    /// Failures that are taken for all handlers of requests.
    Handlers,
    /// Whether whatever lies in a folder is brought in.
    Folders,
    /// Names of components that a page or a configuration names.
    Components,
    /// Choices for and against somebody, with the areas whose people the page speaks of.
    Choices,
    /// Questions to a person, with what follows them.
    Questions,
}

impl Reading {
    fn of(self, info: &FileInfo, text: &str) -> Vec<(u32, String)> {
        match self {
            Self::Starts => crate::facts::subprocesses::lines(text),
            Self::Handlers => crate::facts::handlers::failures(info.language, text),
            Self::Folders => crate::unused_components::folders(text),
            Self::Components => crate::unused_components::named_components(text),
            Self::Choices => crate::people::confirmation::areas_of_choices(text),
            Self::Questions => crate::people::confirmation::questions(text),
        }
    }
}

/// What a text says, with the lines on which it does.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) lines: Vec<(u32, String)>,
    /// Digest of them.
    pub(crate) digest: [u8; 32],
}

impl Said {
    fn of(lines: Vec<(u32, String)>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (line, text) in &lines {
            hasher.update(&line.to_le_bytes());
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        Self {
            digest: *hasher.finalize().as_bytes(),
            lines,
        }
    }
}

/// Everything that was asked for, each text once.
#[derive(Debug, Default)]
pub(crate) struct Readings(Mutex<BTreeMap<(Reading, String), Arc<Said>>>);

impl Readings {
    /// What a file says; one that cannot be read says nothing.
    pub(crate) fn of(&self, reading: Reading, info: &FileInfo, source: &dyn SourceText) -> Arc<Said> {
        let key = (reading, info.path.clone());
        if let Some(said) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(said);
        }
        let file = source.file(&info.path);
        let text = file.as_ref().and_then(engine_model::SourceFile::text);
        let said = Arc::new(Said::of(text.map_or_else(Vec::new, |text| reading.of(info, &text))));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, Arc::clone(&said));
        said
    }

    /// What was asked for.
    pub(crate) fn asked(self) -> Vec<Asked> {
        let known = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let asked = known.into_iter().map(|((reading, path), said)| Asked {
            reading,
            path,
            digest: said.digest,
        });
        asked.collect()
    }
}

/// What was asked of a text, with the digest of what it said.
pub(crate) struct Asked {
    pub(crate) reading: Reading,
    pub(crate) path: String,
    pub(crate) digest: [u8; 32],
}
