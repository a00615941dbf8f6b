//! Compliance documents: generated from a scan, kept as files beside the project, each change with its entry in the chain.

mod drafting;
mod gathering;
mod requests;
mod stale;
mod writing;

use engine_documents::{Kind, Outline, RequestField, Status, kind, kinds};
use engine_model::{ErrorCode, Failure};

pub(crate) use drafting::Drafting;
pub(crate) use gathering::Gathered;
pub use requests::{
    DocAllReply, DocAllRequest, DocNotDue, DocProblem, DocReply, DocRequest, Finalisation, FriaRequest, NotifyRequest,
    PolicyRequest,
};
pub(crate) use stale::name_stale;
pub(crate) use writing::{DueDocument, due};

use crate::project::ProjectState;

#[cfg(test)]
mod tests;

/// The folder of documents in the state directory.
const FOLDER: &str = "documents";

/// The folder of what was generated last, which git does not keep.
const GENERATED: &str = "private/documents";

/// Files in the folder of documents that are read.
const DOCUMENTS_MAX: usize = 2_000;

/// Bytes of a document that is read back; a longer one is not the engine's.
const DOCUMENT_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Name of the file of a document, without its ending: the type, and the system where there are several.
fn stem(kind: &Kind, system: &str, several: bool) -> String {
    if several {
        // The ids of systems are slugs; anything else would not be a file name.
        let slug: String = system
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' })
            .collect();
        format!("{}-{slug}", kind.id())
    } else {
        kind.id().to_owned()
    }
}

/// Path of a document, relative to the state directory.
fn path_of(stem: &str) -> String {
    format!("{FOLDER}/{stem}.md")
}

/// The same, relative to the project.
fn shown_path(stem: &str) -> String {
    format!(".compliance/{FOLDER}/{stem}.md")
}

/// Other ids under which published clients ask for a kind.
const OTHER_IDS: [(&str, &str); 6] = [
    ("ai-literacy", "ai-literacy-record"),
    ("gpai-systemic-risk", "gpai-systemic-risk-file"),
    ("gpai-transparency", "gpai-technical-documentation"),
    ("monitoring-policy", "post-market-monitoring-plan"),
    ("risk-management", "risk-management-file"),
    ("technical-documentation", "tech-documentation"),
];

/// The id of a kind for an id of published clients, or the id as it is.
pub(crate) fn own_id(id: &str) -> &str {
    let own = OTHER_IDS.iter().find(|(other, _)| *other == id);
    own.map_or(id, |(_, own)| own)
}

/// The kind of a request, or a refusal that names all.
fn known_kind(id: &str) -> Result<&'static Kind, Failure> {
    kind(own_id(id)).ok_or_else(|| {
        let id: String = id.chars().take(60).collect();
        let all: Vec<&str> = kinds().iter().map(Kind::id).collect();
        let details = format!("no document type is named `{id}`; choose one of {}", all.join(", "));
        Failure::new(ErrorCode::Impossible, details).field("docType")
    })
}

/// A document as it lies in its file.
#[derive(Clone, Debug)]
struct Stored {
    bytes: Vec<u8>,
    text: String,
    outline: Outline,
}

impl Stored {
    fn is_final(&self) -> bool {
        self.outline.status == Status::Final
    }
}

/// The document in a file: none where there is no file, and a refusal where the file is not of this type.
fn stored(state: &ProjectState, kind: &Kind, stem: &str) -> Result<Option<Stored>, Failure> {
    let Some(bytes) = state.state_file(&path_of(stem))? else {
        return Ok(None);
    };
    let foreign = || {
        let details = format!(
            "{} exists and is not a generated document of the type `{}`; move it away, or restore its front matter",
            shown_path(stem),
            kind.id()
        );
        Failure::new(ErrorCode::StateConflict, details)
    };
    let text = String::from_utf8(bytes.clone())
        .ok()
        .filter(|text| text.len() <= DOCUMENT_BYTES_MAX)
        .ok_or_else(foreign)?;
    let outline = Outline::of(&text)
        .filter(|outline| outline.kind == kind.id())
        .ok_or_else(foreign)?;
    Ok(Some(Stored { bytes, text, outline }))
}

/// The fields of a request with their texts.
type Stated<'r> = Vec<(RequestField, Option<&'r str>)>;
