//! The facts of one file, from every layer that wants to read it.

use engine_model::{ReadAt, SourceFile};
use engine_scan_code::CodeFacts;
use engine_scan_cross::CrossFacts;
use engine_scan_dependencies::DependencyFacts;
use engine_scan_documents::DocumentFacts;
use engine_scan_models::ModelFacts;
use engine_scan_secrets::SecretFacts;

use crate::suppress::{InlineSuppression, inline_suppressions};

/// What the layers made of one file. It depends on nothing but the file, so it can be remembered by its digest.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    pub(crate) files: Option<engine_scan_files::FileFacts>,
    pub(crate) documents: Option<DocumentFacts>,
    pub(crate) dependencies: Option<DependencyFacts>,
    pub(crate) code: Option<CodeFacts>,
    pub(crate) secrets: Option<SecretFacts>,
    pub(crate) cross: Option<CrossFacts>,
    pub(crate) models: Option<ModelFacts>,
    pub(crate) suppressions: Vec<InlineSuppression>,
}

/// The key of the fingerprints of secrets. It is the same everywhere, so that a finding has the same id on every machine;
/// what it keeps apart is this use of the hash from every other.
const FINGERPRINT_KEY: &[u8; 32] = b"engine-scanner secret places, v1";

/// Takes the facts of one file.
pub fn read(file: &SourceFile<'_>) -> FileFacts {
    FileFacts {
        files: engine_scan_files::wants(&file.path, file.language).then(|| engine_scan_files::read(file)),
        documents: engine_scan_documents::wants(&file.path, file.language).then(|| engine_scan_documents::read(file)),
        dependencies: engine_scan_dependencies::wants(&file.path).then(|| engine_scan_dependencies::read(file)),
        code: engine_scan_code::wants(&file.path, file.language, file.zone).then(|| engine_scan_code::read(file)),
        secrets: engine_scan_secrets::wants(&file.path, file.language, file.zone)
            .then(|| engine_scan_secrets::read(file, FINGERPRINT_KEY)),
        cross: engine_scan_cross::wants(&file.path, file.language, file.zone)
            .then(|| engine_scan_cross::read(file))
            .filter(|facts| !facts.statements.is_empty()),
        models: engine_scan_models::read(file),
        suppressions: inline_suppressions(file),
    }
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
