//! Word documents that are packed here, whole and hostile ones.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use engine_model::{Document, DocumentState, FileInfo, SectionState, SourceFile};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{DocumentFacts, Unread, join, read, wants};

const SENTENCE: &str =
    "Recruiters open each application, compare it with the score and write down why they differ, every week.";
const NAMESPACE: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";

fn packed(parts: &[(&str, &str)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn main_part(body: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document {NAMESPACE}><w:body>{body}</w:body></w:document>")
}

fn docx(body: &str) -> Vec<u8> {
    packed(&[("word/document.xml", &main_part(body))], CompressionMethod::Deflated)
}

fn paragraph(style: &str, text: &str) -> String {
    let style = if style.is_empty() {
        String::new()
    } else {
        format!("<w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>")
    };
    format!("<w:p>{style}<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

fn facts(bytes: &[u8]) -> DocumentFacts {
    let file = SourceFile::new("docs/plan.docx", bytes);
    assert!(wants(&file.path, file.language, file.zone));
    read(&file)
}

fn classify(bytes: &[u8]) -> Option<Document> {
    let file = SourceFile::new("docs/plan.docx", bytes);
    let info = FileInfo {
        path: file.path.to_string(),
        size: bytes.len() as u64,
        digest: file.digest,
        language: file.language,
        zone: file.zone,
    };
    join(&[(info, read(&file))]).pop()
}

fn plan(body: &str) -> String {
    let document = engine_regulation::regulation()
        .document("human-oversight-plan")
        .unwrap();
    let mut out = paragraph("Title", "Human oversight plan");
    out += &paragraph("", "For the AI system of this repository.");
    for section in &document.sections {
        out += &paragraph("Heading1", &section.title);
        out += body;
    }
    out
}

#[test]
fn given_all_sections_filled_then_document_is_filled() {
    let found = classify(&docx(&plan(&paragraph("", SENTENCE)))).unwrap();
    assert_eq!(found.kind, "human-oversight-plan");
    assert_eq!(
        (found.state, found.completeness, found.line),
        (DocumentState::Filled, 100, 1)
    );
    // Title, introduction, and then heading and text in turn: the line is the number of the paragraph.
    assert_eq!(found.sections[0].line, Some(3));
    assert_eq!(found.sections[1].line, Some(5));
}

#[test]
fn given_headings_only_then_document_is_scaffold() {
    let prompt = "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Click or tap here to enter the text of this \
                  section about all of the measures that you take each week.</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Who</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>How it is done</w:t></w:r></w:p></w:tc></w:tr>\
                 <w:tr><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let field = "<w:p><w:r><w:instrText>INCLUDETEXT \"http://example.com/all the words that make a section count as filled today\"</w:instrText></w:r></w:p>";
    let removed = format!("<w:p><w:del><w:r><w:delText>{SENTENCE}</w:delText></w:r></w:del></w:p>");
    let hidden = format!("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{SENTENCE}</w:t></w:r></w:p>");
    for body in [
        String::new(),
        paragraph("", "TBD"),
        prompt.to_owned(),
        table.to_owned(),
        field.to_owned(),
        removed,
        hidden,
        format!(
            "<w:p><w:r><w:rPr><w:i/></w:rPr><w:t>{}</w:t></w:r></w:p>",
            "Describe the measures that you take."
        ),
        "<w:p><w:r><w:t>\u{2610} to be done by the team that owns the screening of all applications</w:t></w:r></w:p>"
            .to_owned(),
    ] {
        let found = classify(&docx(&plan(&body))).unwrap();
        assert_eq!(
            (found.state, found.completeness),
            (DocumentState::Scaffold, 0),
            "{body}: {found:#?}"
        );
    }
}

#[test]
fn given_localised_and_derived_styles_then_headings_are_found() {
    let styles = format!(
        "<w:styles {NAMESPACE}>\
         <w:style w:type=\"paragraph\" w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Kapitel\"><w:name w:val=\"Kapitel\"/><w:basedOn w:val=\"berschrift1\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Ebene\"><w:name w:val=\"Ebene\"/><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"a\"><w:name w:val=\"a\"/><w:basedOn w:val=\"b\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"b\"><w:name w:val=\"b\"/><w:basedOn w:val=\"a\"/></w:style>\
         </w:styles>"
    );
    let body = [
        paragraph("berschrift1", "Eins"),
        paragraph("Kapitel", "Zwei"),
        paragraph("Ebene", "Drei"),
        paragraph("a", "Text in a style that is based on itself"),
        "<w:p><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr><w:r><w:t>Vier</w:t></w:r></w:p>".to_owned(),
        paragraph("TOC1", "Eins 3"),
    ]
    .concat();
    let types = "<Types><Override PartName=\"/word/document2.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>";
    let bytes = packed(
        &[
            ("[Content_Types].xml", types),
            ("word/styles.xml", &styles),
            ("word/document2.xml", &main_part(&body)),
        ],
        CompressionMethod::Deflated,
    );
    let found = facts(&bytes);
    let outline: Vec<(u8, &str, u32)> = found
        .sections
        .iter()
        .map(|section| (section.level, section.heading.as_str(), section.line))
        .collect();
    assert_eq!(
        outline,
        [(1, "Eins", 1), (1, "Zwei", 2), (2, "Drei", 3), (3, "Vier", 5)]
    );
    assert_eq!(found.unread, None);
}

#[test]
fn given_lists_and_tables_then_sections_are_filled() {
    let item = |text: &str| {
        format!("<w:p><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let list = item("Reviewers read the case file") + &item("Managers approve each refusal");
    let row = |left: &str, right: &str| {
        format!(
            "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>",
            paragraph("", left),
            paragraph("", right)
        )
    };
    let table = format!(
        "<w:tbl>{}{}</w:tbl>",
        row("Who", "How"),
        row("Recruiter", "button in the list")
    );
    let body = [
        paragraph("Heading1", "List"),
        list,
        paragraph("Heading1", "Table"),
        table,
        paragraph("Heading1", "Entities"),
        paragraph("", "R&amp;D &lt;team&gt; &#x41;"),
    ]
    .concat();
    let found = facts(&docx(&body));
    let state = |at: usize| found.sections[at].state();
    assert_eq!((state(0), found.sections[0].items), (SectionState::Filled, 2));
    assert_eq!((state(1), found.sections[1].rows), (SectionState::Filled, 1));
}

#[test]
fn given_hostile_packages_then_reading_stops_with_a_reason() {
    let bomb = docx(&paragraph("", &"a".repeat(40 * 1024 * 1024)));
    assert!(bomb.len() < 1024 * 1024);
    assert_eq!(facts(&bomb).unread, Some(Unread::Limit));

    let whole = docx(&plan(&paragraph("", SENTENCE)));
    for length in [0, 3, 30, whole.len() / 2, whole.len() - 1] {
        assert_eq!(facts(&whole[..length]).unread, Some(Unread::Damaged), "{length}");
    }
    assert_eq!(
        facts(&packed(&[("word/other.xml", "")], CompressionMethod::Stored)).unread,
        Some(Unread::Damaged)
    );
    assert_eq!(facts(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1]).unread, Some(Unread::Encrypted));

    let mut laughs = String::from("<!DOCTYPE lolz [<!ENTITY lol \"lol\">");
    for level in 1..12 {
        let _ = write!(
            laughs,
            "<!ENTITY lol{level} \"{}\">",
            format!("&lol{};", level - 1).repeat(10)
        );
    }
    laughs += "]>";
    let part = main_part(&paragraph("", "&lol11;"));
    let part = part.replace("?><", &format!("?>{laughs}<"));
    let found = facts(&packed(&[("word/document.xml", &part)], CompressionMethod::Deflated));
    assert_eq!((found.unread, found.preamble.words), (Some(Unread::Damaged), 0));

    let deep = "<w:p>".repeat(100_000);
    assert_eq!(facts(&docx(&deep)).unread, Some(Unread::Limit));

    let entries: Vec<(String, String)> = (0..5000)
        .map(|at| (format!("word/media/{at}"), String::new()))
        .collect();
    let entries: Vec<(&str, &str)> = entries
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    assert_eq!(
        facts(&packed(&entries, CompressionMethod::Stored)).unread,
        Some(Unread::Limit)
    );
}

#[test]
fn given_100_000_paragraphs_then_first_ones_are_read() {
    let mut body = String::new();
    for at in 0..100_000 {
        body += &paragraph("Heading1", &format!("Part {at}"));
    }
    let bytes = packed(&[("word/document.xml", &main_part(&body))], CompressionMethod::Stored);
    let found = facts(&bytes);
    assert_eq!((found.unread, found.sections.len()), (Some(Unread::Limit), 1001));
}

#[test]
fn given_same_bytes_then_same_facts() {
    let bytes = docx(&plan(&paragraph("", SENTENCE)));
    let found = facts(&bytes);
    assert_eq!(found, facts(&bytes));
}

#[test]
fn given_lock_files_and_other_places_then_not_wanted() {
    for path in [
        "docs/~$plan.docx",
        "tests/plan.docx",
        "vendor/plan.pdf",
        ".compliance/reports/report.pdf",
        "docs/plan.doc",
    ] {
        let file = SourceFile::new(path, &b""[..]);
        assert!(!wants(path, file.language, file.zone), "{path}");
    }
}

proptest! {
    #[test]
    fn reader_accepts_any_change_of_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let mut bytes = packed(&[("word/document.xml", &main_part(&plan(&paragraph("", SENTENCE))))], CompressionMethod::Stored);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = facts(&bytes);
        let _ = facts(&bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn reader_accepts_any_mix_of_elements(parts in prop::collection::vec(prop::sample::select(vec!["<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>", "</w:t>", "text ", "<w:tbl>", "</w:tbl>", "<w:tr>", "</w:tr>", "<w:tc>", "</w:tc>", "<w:sdt>", "</w:sdt>", "<w:showingPlcHdr/>", "<w:del>", "</w:del>", "&amp;", "&x;", "&#0;", "<![CDATA[x]]>", "<!--", "-->", "<w:pStyle w:val=\"Heading1\"/>", "<w:numId w:val=\"1\"/>", "\u{0}", "é"]), 0..60)) {
        let _ = facts(&docx(&parts.concat()));
    }
}
