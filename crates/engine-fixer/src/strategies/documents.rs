//! Drafts of documents that the law requires and that were not found.

use crate::strategy::{Site, declare_strategy};
use crate::{Draft, NoFix};

declare_strategy! {
    /// Writes the draft of a required document, filled from the scan.
    ///
    /// The draft lies in `.compliance/documents/` and is marked as a draft. Each value names its source, and each open question
    /// is marked. A draft without answers is not evidence: the finding stays, and the score does not change. `…` stands for
    /// further lines.
    ///
    /// Before:
    /// ```text app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// ```
    /// After:
    /// ```text .compliance/documents/tech-documentation.md
    /// ---
    /// docType: tech-documentation
    /// …
    /// status: draft
    /// …
    /// ```
    DOCUMENT_DRAFT {
        id: "document-draft",
        checks: ["l1-missing-document"],
        kind: Document,
        languages: [],
        plan: draft,
        leaves_open: true,
    }
}

fn draft(site: &Site<'_>, fix: &mut Draft) -> Result<(), NoFix> {
    let document = site.documents.draft(site.finding)?;
    if site.has(&document.path) || site.source.file(&document.path).is_some() {
        return Err(NoFix::here(format!(
            "`{}` exists; answer its questions, and the finding changes",
            document.path
        )));
    }
    fix.describe(format!(
        "Writes the draft of `{}` to `{}`.",
        document.title, document.path
    ));
    if document.questions > 0 {
        fix.manual(format!(
            "Answer the {} in the draft. Until then it is not evidence, and the finding stays.",
            match document.questions {
                1 => "open question".to_owned(),
                many => format!("{many} open questions"),
            }
        ));
    }
    fix.manual("Check the values that the draft quotes, and each source that it names.");
    fix.manual("Make it final with your name and a date: `engine-server doc` or `POST /doc`.");
    fix.create(document.path, document.text);
    let (path, text) = document.kept_beside;
    // An earlier draft that somebody removed can have left one.
    match site.code(&path) {
        Ok(there) => fix.replace(&there, 0..there.text.len(), &text),
        Err(_) => fix.create(path, text),
    }
    Ok(())
}
