//! Word and PDF documents count as Markdown documents do.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use engine_model::{DocumentState, FindingType, MemoryTree, ObligationStatus, fixture};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::high_risk;
use crate::{Evaluation, scan_memory};

const CODE: &str = "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\n\napp = FastAPI()\nclient = OpenAI()\n\n\n\
                    @app.post(\"/chat\")\ndef chat(message: str):\n    answer = client.responses.create(model=\"gpt-4.1-2025-04-14\", \
                    input=message)\n    return {\"answer\": answer.output_text}\n";
const KIND: &str = "risk-management-file";
const SENTENCE: &str =
    "Recruiters open each application, compare it with the score and write down why they differ, every week.";

fn scan(path: &str, bytes: Option<Vec<u8>>) -> Evaluation {
    let mut tree: MemoryTree = fixture(CODE).unwrap();
    if let Some(bytes) = bytes {
        tree.insert(path, bytes);
    }
    scan_memory(&tree, &high_risk())
}

fn statuses(evaluation: &Evaluation) -> Vec<(String, ObligationStatus)> {
    evaluation.systems[0]
        .obligations
        .iter()
        .map(|record| (record.obligation_id.clone(), record.status))
        .collect()
}

/// What was found. The id of a finding about a document comes from its path, so it is not compared.
fn gaps(evaluation: &Evaluation) -> Vec<(String, Option<String>, FindingType)> {
    let mut gaps: Vec<_> = evaluation
        .findings
        .iter()
        .map(|finding| (finding.check_id.clone(), finding.obligation_id.clone(), finding.kind))
        .collect();
    gaps.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    gaps
}

/// The heading and the text of each section.
fn sections(body: &str) -> Vec<(String, String)> {
    let document = engine_regulation::regulation().document(KIND).unwrap();
    document
        .sections
        .iter()
        .map(|section| (section.title.clone(), body.to_owned()))
        .collect()
}

fn markdown(body: &str) -> Vec<u8> {
    let mut out = String::from("# Risk management of the AI system\n\n");
    for (heading, text) in sections(body) {
        let _ = write!(out, "## {heading}\n\n{text}\n\n");
    }
    out.into_bytes()
}

fn word(body: &str) -> Vec<u8> {
    let paragraph = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let mut text = paragraph("Title", "Risk management of the AI system");
    for (heading, body) in sections(body) {
        text += &paragraph("Heading1", &heading);
        text += &paragraph("Normal", &body);
    }
    let part = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{text}</w:body></w:document>"
    );
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file("word/document.xml", SimpleFileOptions::default())
        .unwrap();
    writer.write_all(part.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

fn pdf(body: &str) -> Vec<u8> {
    let mut text = String::from("BT 72 800 Td /F 24 Tf (Risk management of the AI system) Tj ");
    for (heading, body) in sections(body) {
        let _ = write!(text, "0 -30 Td /F 16 Tf ({heading}) Tj 0 -30 Td /F 11 Tf ({body}) Tj ");
    }
    format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj\n\
         4 0 obj <</Length {}>>stream\n{text}\nendstream endobj\n5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n\
         trailer <</Root 1 0 R>>\n",
        text.len()
    )
    .into_bytes()
}

#[test]
fn word_and_pdf_documents_are_evidence_as_markdown_is() {
    let without = scan("", None);
    let known = scan("docs/risks.md", Some(markdown(SENTENCE)));
    assert_ne!(statuses(&without), statuses(&known), "the document must matter");
    for (path, bytes) in [("docs/risks.docx", word(SENTENCE)), ("docs/risks.pdf", pdf(SENTENCE))] {
        let found = scan(path, Some(bytes.clone()));
        assert_eq!(found.documents.len(), 1, "{path}");
        let document = &found.documents[0];
        assert_eq!(
            (document.file.as_str(), document.kind.as_str(), document.state),
            (path, KIND, DocumentState::Filled)
        );
        assert_eq!(statuses(&found), statuses(&known), "{path}");
        assert_eq!(gaps(&found), gaps(&known), "{path}");
        assert!(found.not_evaluated.is_empty(), "{path}");
        assert_eq!(found, scan(path, Some(bytes)), "{path}");
    }
}

#[test]
fn documents_of_headings_are_scaffolds_in_every_format() {
    let known = scan("docs/risks.md", Some(markdown("TBD")));
    assert_eq!(known.documents[0].state, DocumentState::Scaffold);
    for (path, bytes) in [("docs/risks.docx", word("TBD")), ("docs/risks.pdf", pdf("TBD"))] {
        let found = scan(path, Some(bytes));
        assert_eq!(found.documents[0].state, DocumentState::Scaffold, "{path}");
        assert_eq!(statuses(&found), statuses(&known), "{path}");
    }
}

#[test]
fn unread_documents_are_listed() {
    for (path, bytes) in [
        ("docs/scan.pdf", b"%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]>> endobj\n3 0 obj <</Type/Page>> endobj\ntrailer <</Root 1 0 R>>".to_vec()),
        ("docs/broken.docx", b"PK\x03\x04".to_vec()),
    ] {
        let size = bytes.len() as u64;
        let found = scan(path, Some(bytes));
        assert_eq!(found.not_evaluated, [(path.to_owned(), size)]);
        assert!(found.documents.is_empty());
    }
}
