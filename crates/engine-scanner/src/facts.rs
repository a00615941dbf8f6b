//! The facts of one file, from every layer that wants to read it.

use std::sync::Arc;

use engine_model::{ReadAt, SourceFile};
use engine_scan_code::CodeFacts;
use engine_scan_cross::CrossFacts;
use engine_scan_dependencies::DependencyFacts;
use engine_scan_documents::DocumentFacts;
use engine_scan_models::ModelFacts;
use engine_scan_secrets::SecretFacts;
use serde::{Deserialize, Serialize};

use crate::suppress::{InlineSuppression, inline_suppressions};

/// What the layers made of one file. It depends on nothing but the file, so it can be remembered by its digest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileFacts {
    // Shared, because a daemon keeps the facts of every file and hands them to each evaluation.
    pub(crate) files: Option<Arc<engine_scan_files::FileFacts>>,
    pub(crate) documents: Option<Arc<DocumentFacts>>,
    pub(crate) dependencies: Option<Arc<DependencyFacts>>,
    pub(crate) code: Option<Arc<CodeFacts>>,
    pub(crate) secrets: Option<Arc<SecretFacts>>,
    #[serde(skip)]
    pub(crate) cross: Option<Arc<CrossFacts>>,
    pub(crate) models: Option<ModelFacts>,
    pub(crate) suppressions: Arc<[InlineSuppression]>,
    /// Whether statements were left out when the facts were written down.
    #[serde(default)]
    partial: bool,
}

impl FileFacts {
    /// The same without what is only worth holding during one evaluation.
    #[must_use]
    pub fn settled(mut self) -> Self {
        if let Some(code) = &mut self.code
            && code.module.is_some()
        {
            *code = Arc::new(code.without_module());
        }
        self
    }

    /// Bytes that are only worth holding during one evaluation, roughly.
    pub fn held_bytes(&self) -> usize {
        self.code.as_ref().map_or(0, |code| code.held_bytes())
    }

    /// Whether the facts may be written down. Properties and servers in manifests carry values as they stand in the
    /// text, and a value may be a password; and a file that holds a secret is read anew each time rather than trusted to
    /// have left it nowhere.
    pub fn may_be_stored(&self) -> bool {
        let plain = |facts: &Arc<DependencyFacts>| {
            facts.properties.is_empty() && facts.mcp_servers.is_empty() && facts.includes.is_empty()
        };
        self.secrets.as_ref().is_none_or(|facts| facts.found.is_empty()) && self.dependencies.as_ref().is_none_or(plain)
    }

    /// The facts as they may be written down: statements of documents are text of the project and stay out.
    #[must_use]
    pub fn stored(&self) -> Self {
        let mut stored = self.clone();
        stored.partial = stored.cross.take().is_some();
        stored
    }

    /// Whether statements were left out, so that the file has to be looked at again.
    pub const fn is_partial(&self) -> bool {
        self.partial
    }

    /// The facts with the statements that were left out.
    #[must_use]
    pub fn completed(mut self, file: &SourceFile<'_>) -> Self {
        if std::mem::take(&mut self.partial) {
            self.cross = statements(file);
        }
        self
    }
}

/// Digest of everything that facts depend on beside the file: the code of the layers and the data that is built into it.
pub fn facts_version() -> [u8; 32] {
    *blake3::hash(env!("FACTS_DIGEST").as_bytes()).as_bytes()
}

/// The key of the fingerprints of secrets. It is the same everywhere, so that a finding has the same id on every machine;
/// what it keeps apart is this use of the hash from every other.
const FINGERPRINT_KEY: &[u8; 32] = b"engine-scanner secret places, v1";

/// Takes the facts of one file.
pub fn read(file: &SourceFile<'_>) -> FileFacts {
    FileFacts {
        files: engine_scan_files::wants(&file.path, file.language, file.zone)
            .then(|| Arc::new(engine_scan_files::read(file))),
        documents: engine_scan_documents::wants(&file.path, file.language, file.zone)
            .then(|| Arc::new(engine_scan_documents::read(file))),
        dependencies: engine_scan_dependencies::wants(&file.path)
            .then(|| Arc::new(engine_scan_dependencies::read(file))),
        code: (engine_scan_code::wants(&file.path, file.language, file.zone)
            || engine_scan_code::unread_language(&file.path, file.language, file.zone).is_some()
            || engine_scan_code::declares_names(&file.path))
        .then(|| Arc::new(engine_scan_code::read(file))),
        secrets: engine_scan_secrets::wants(&file.path, file.language, file.zone)
            .then(|| Arc::new(engine_scan_secrets::read(file, FINGERPRINT_KEY))),
        cross: statements(file),
        models: engine_scan_models::read(file),
        suppressions: inline_suppressions(file).into(),
        partial: false,
    }
}

/// What a document, a page or a pipeline states.
fn statements(file: &SourceFile<'_>) -> Option<Arc<CrossFacts>> {
    engine_scan_cross::wants(&file.path, file.language, file.zone)
        .then(|| engine_scan_cross::read(file))
        .filter(|facts| !facts.statements.is_empty())
        .map(Arc::new)
}

/// What was made of a file that is too long to be read whole. It is read anew by each scan: that costs a few ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct LargeFacts {
    pub(crate) model: ModelFacts,
}

/// Takes the facts of a file by ranges; `None` when nothing is to be said about it.
pub fn read_large(path: &str, file: &dyn ReadAt) -> Option<LargeFacts> {
    let mut head = [0; engine_scan_models::HEAD_BYTES];
    let count = file.read_at(0, &mut head);
    if !engine_scan_models::wants(path, &head[..count]) {
        return None;
    }
    engine_scan_models::read_part(path, file).map(|model| LargeFacts { model })
}

#[cfg(test)]
mod tests {
    use engine_model::fixture;

    use super::read;

    #[test]
    fn statements_are_not_persisted_and_restored_from_file() {
        let tree = fixture("//- README.md\n# Shop\n\nThis product does not use artificial intelligence.\n").unwrap();
        let file = tree.files().next().unwrap();
        let facts = read(&file);
        assert!(facts.cross.is_some(), "the fixture must hold a statement");
        assert!(!facts.is_partial());
        let stored = facts.stored();
        assert!(stored.is_partial() && stored.cross.is_none());
        let text = serde_json::to_string(&stored).unwrap();
        assert!(!text.contains("artificial intelligence"), "{text}");
        let again: super::FileFacts = serde_json::from_str(&text).unwrap();
        let completed = again.completed(&file);
        assert!(!completed.is_partial());
        assert_eq!(completed.cross, facts.cross);
    }
}
