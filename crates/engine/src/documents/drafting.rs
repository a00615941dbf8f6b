//! Drafts of documents as fixes: the same text that the document generator would write.

use engine_documents::{DocumentDuty, Due, Request, generate, which_apply};
use engine_fixer::{DocumentDraft, Drafts, NoFix};
use engine_messages::Language;
use engine_model::{Date, Finding};
use engine_regulation::regulation;
use engine_scanner::{Evaluation, mask_secrets, missing_document};

use super::gathering::{Gathered, Seen};
use super::writing::{kept_beside, last_path};
use super::{known_kind, shown_path, stem};

/// What drafts are written from: an evaluation, and what is kept beside it.
pub(crate) struct Drafting<'a> {
    pub(crate) gathered: &'a Gathered,
    pub(crate) evaluation: &'a Evaluation,
    pub(crate) as_of: Date,
    /// When the tree was read.
    pub(crate) read_at: &'a str,
    pub(crate) files_read: u64,
}

impl Drafts for Drafting<'_> {
    fn draft(&self, finding: &Finding) -> Result<DocumentDraft, NoFix> {
        let kind = missing_document(finding)
            .and_then(|id| known_kind(id).ok())
            .ok_or_else(|| NoFix::here("the kind of document could not be determined"))?;
        let systems = &self.evaluation.systems;
        let system = systems
            .iter()
            .find(|system| Some(&system.id) == finding.system.as_ref())
            .ok_or_else(|| NoFix::here("the system of the finding could not be determined"))?;
        let agents = crate::scan::scored_agents(self.evaluation);
        let seen = Seen {
            as_of: self.as_of,
            scanned_at: self.read_at,
            law_version: &regulation().version().id,
            systems,
            agents: &agents,
            inventory: &self.evaluation.inventory,
            findings: &self.evaluation.findings,
            documents: &self.evaluation.documents,
            files_read: self.files_read,
        };
        let subject = self.gathered.subject(seen, system, None);
        let facts = subject.facts();
        let duty = which_apply(&facts).into_iter().find(|duty| duty.kind == kind.id());
        if let Some(DocumentDuty {
            due: Due::Not { reason },
            ..
        }) = &duty
            && kind.document.applies_from.is_some()
        {
            return Err(NoFix::here(format!(
                "the law does not require this document of the system. {reason}"
            )));
        }
        let request = Request {
            language: Some(Language::default()),
            ..Request::default()
        };
        let made = generate(kind, &facts, &request);
        let text = mask_secrets(&made.content);
        let stem = stem(kind, &system.id, subject.is_one_of_several());
        let beside = kept_beside(&text, &request)
            .map_err(|_| NoFix::here("the draft could not be written down for later versions"))?;
        Ok(DocumentDraft {
            title: kind.title().to_owned(),
            path: shown_path(&stem),
            text,
            kept_beside: (format!(".compliance/{}", last_path(&stem)), beside),
            questions: made.manual_fields.len(),
        })
    }
}
