//! PDF documents that are written here by hand, whole and hostile ones.

use std::fmt::Write as _;
use std::io::Write as _;

use engine_model::{Document, DocumentState, FileInfo, SourceFile};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use crate::{DocumentFacts, Unread, join, read, wants};

const SENTENCE: &str =
    "Recruiters open each application, compare it with the score and write down why they differ, every week.";

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<<{entries}/Length {}>>stream\n", content.len()).into_bytes();
    out.extend_from_slice(content);
    out.extend_from_slice(b"\nendstream");
    out
}

/// A file of objects, numbered from 1, with a table that tells where they are.
fn file(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let table = out.len();
    let mut tail = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(tail, "{place:010} 00000 n ");
    }
    let _ = write!(
        tail,
        "trailer\n<</Size {}/Root 1 0 R{trailer}>>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    out.extend_from_slice(tail.as_bytes());
    out
}

const CATALOGUE: &str = "<</Type/Catalog/Pages 2 0 R>>";
const PAGES: &str = "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]>>";
const PAGE: &str = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>";
const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
const BOLD: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>";

/// One page with a content.
fn one_page(content: Vec<u8>, trailer: &str) -> Vec<u8> {
    let plain = |text: &str| text.as_bytes().to_vec();
    file(
        &[
            plain(CATALOGUE),
            plain(PAGES),
            plain(PAGE),
            content,
            plain(FONT),
            plain(BOLD),
        ],
        trailer,
    )
}

/// The content of a page: size or weight of each line, and its text.
fn content(lines: &[(&str, &str)]) -> String {
    let mut out = String::from("BT 1 0 0 1 72 780 Tm\n");
    for (font, text) in lines {
        let _ = writeln!(out, "{font} Tf 0 -30 Td ({text}) Tj");
    }
    out + "ET\n"
}

fn plan(heading: &str, body: &str) -> String {
    let document = engine_regulation::regulation()
        .document("human-oversight-plan")
        .unwrap();
    let mut lines = vec![
        ("/F1 24", "Human oversight plan"),
        ("/F1 11", "For the AI system of this repository."),
    ];
    for section in &document.sections {
        lines.push((heading, section.title.as_str()));
        if !body.is_empty() {
            lines.push(("/F1 11", body));
        }
    }
    content(&lines)
}

fn facts(bytes: &[u8]) -> DocumentFacts {
    let file = SourceFile::new("docs/plan.pdf", bytes);
    assert!(wants(&file.path, file.language, file.zone));
    read(&file)
}

fn classify(bytes: &[u8]) -> Option<Document> {
    let file = SourceFile::new("docs/plan.pdf", bytes);
    let info = FileInfo {
        path: file.path.to_string(),
        size: bytes.len() as u64,
        digest: file.digest,
        language: file.language,
        zone: file.zone,
    };
    join(&[(info, read(&file))]).pop()
}

fn headings(found: &DocumentFacts) -> Vec<(u8, &str, u32)> {
    found
        .sections
        .iter()
        .map(|section| (section.level, section.heading.as_str(), section.line))
        .collect()
}

#[test]
fn given_all_sections_filled_then_document_is_filled() {
    // Headings in larger letters, in bold letters, and in the letters of the text.
    for heading in ["/F1 16", "/F2 11", "/F1 11"] {
        let text = plan(heading, SENTENCE);
        for content in [
            stream("", text.as_bytes()),
            stream("/Filter/FlateDecode", &deflated(text.as_bytes())),
        ] {
            let bytes = one_page(content, "");
            let found = classify(&bytes).unwrap_or_else(|| panic!("{heading}: {:#?}", facts(&bytes)));
            assert_eq!(found.kind, "human-oversight-plan");
            assert_eq!(
                (found.state, found.completeness),
                (DocumentState::Filled, 100),
                "{heading}: {found:#?}"
            );
            assert_eq!(found.sections[0].line, Some(3));
        }
    }
}

#[test]
fn given_headings_only_then_document_is_scaffold() {
    for body in ["", "TBD", "[insert text]", "____________"] {
        let found = classify(&one_page(stream("", plan("/F1 16", body).as_bytes()), "")).unwrap();
        assert_eq!(
            (found.state, found.completeness),
            (DocumentState::Scaffold, 0),
            "{body}: {found:#?}"
        );
    }
}

#[test]
fn given_objects_in_object_streams_then_text_is_read() {
    let plain = |text: &str| text.as_bytes().to_vec();
    let packed = [(1, CATALOGUE), (2, PAGES), (3, PAGE), (5, FONT), (6, BOLD)];
    let (mut head, mut body) = (String::new(), String::new());
    for (number, object) in packed {
        let _ = write!(head, "{number} {} ", body.len());
        body += object;
        body.push('\n');
    }
    let container = stream(
        &format!("/Type/ObjStm/N 5/First {}/Filter/FlateDecode", head.len()),
        &deflated((head.clone() + &body).as_bytes()),
    );
    let table = stream("/Type/XRef/Root 1 0 R/Size 9/W[1 2 1]", b"....");
    let mut out = b"%PDF-1.7\n".to_vec();
    for (number, object) in [
        (4, stream("", plan("/F1 16", SENTENCE).as_bytes())),
        (7, container),
        (8, table),
    ] {
        out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        out.extend_from_slice(&object);
        out.extend_from_slice(b"\nendobj\n");
    }
    out.extend_from_slice(&plain("startxref\n12\n%%EOF\n"));
    let found = classify(&out).unwrap();
    assert_eq!((found.state, found.completeness), (DocumentState::Filled, 100));
}

#[test]
fn given_composite_font_then_its_map_gives_characters() {
    let map = "/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange <0000><FFFF> endcodespacerange \
               1 beginbfrange <0001><001A><0061> endbfrange 2 beginbfchar <0020><0020> <0030><00DC> endbfchar endcmap";
    let wide = "<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Any/Encoding/Identity-H/ToUnicode 6 0 R\
                /DescendantFonts[<</Type/Font/Subtype/CIDFontType2/DW 500>>]>>";
    let codes = |text: &str| {
        text.bytes().fold(String::new(), |mut out, byte| {
            let code = match byte {
                b' ' => 0x20,
                b'U' => 0x30,
                letter => letter - b'a' + 1,
            };
            let _ = write!(out, "{code:04X}");
            out
        })
    };
    let text = format!("BT /F1 12 Tf 72 700 Td <{}> Tj ET", codes("Uberwachung durch menschen"));
    let plain = |text: &str| text.as_bytes().to_vec();
    let bytes = file(
        &[
            plain(CATALOGUE),
            plain(PAGES),
            plain(PAGE),
            stream("", text.as_bytes()),
            plain(wide),
            stream("", map.as_bytes()),
        ],
        "",
    );
    assert_eq!(headings(&facts(&bytes)), [(1, "Überwachung durch menschen", 1)]);
}

#[test]
fn given_kerned_words_then_spaces_are_found() {
    let text = "BT /F1 20 Tf 72 700 Td [(Human)-400(over)20(sight)-400(plan)] TJ /F1 10 Tf 0 -40 Td (one) Tj 60 0 Td (two) Tj \
                0 -12 Td (three four five six seven eight nine ten eleven twelve.) Tj ET";
    let found = facts(&one_page(stream("", text.as_bytes()), ""));
    assert_eq!(headings(&found), [(1, "Human oversight plan", 1)]);
    assert!(found.sections[0].words >= 10);
}

#[test]
fn given_encrypted_or_scanned_file_then_reason_is_kept() {
    let text = stream("", plan("/F1 16", SENTENCE).as_bytes());
    assert_eq!(facts(&one_page(text, "/Encrypt 6 0 R")).unread, Some(Unread::Encrypted));
    let scan = stream("", b"q 595 0 0 842 0 0 cm /Im1 Do Q");
    assert_eq!(facts(&one_page(scan, "")).unread, Some(Unread::NoText));
    for bytes in [&b""[..], b"%PDF-1.7", b"hello", b"%PDF-1.7\n1 0 obj\n"] {
        assert_eq!(facts(bytes).unread, Some(Unread::Damaged));
    }
}

#[test]
fn given_truncated_file_then_reading_ends() {
    let whole = one_page(
        stream("/Filter/FlateDecode", &deflated(plan("/F1 16", SENTENCE).as_bytes())),
        "",
    );
    for length in (0..whole.len()).step_by(7) {
        let found = facts(&whole[..length]);
        assert!(found.unread.is_some() || !found.sections.is_empty(), "{length}");
    }
}

#[test]
fn given_cycles_then_reading_ends() {
    let plain = |text: &str| text.as_bytes().to_vec();
    let text = stream("", plan("/F1 16", SENTENCE).as_bytes());
    let whole = |pages: &str, page: &str, content: Vec<u8>| {
        facts(&file(
            &[
                plain(CATALOGUE),
                plain(pages),
                plain(page),
                content,
                plain(FONT),
                plain(BOLD),
            ],
            "",
        ))
    };
    let own_kid = "<</Type/Pages/Parent 2 0 R/Kids[2 0 R 3 0 R 2 0 R 3 0 R]/Count 4>>";
    assert!(!whole(own_kid, PAGE, text.clone()).sections.is_empty());
    for page in [
        "<</Type/Page/Parent 3 0 R/Contents 3 0 R/Resources 3 0 R>>",
        "<</Type/Page/Contents[4 0 R 4 0 R]/Resources<</Font 5 0 R>>>>",
        "3 0 R",
    ] {
        let _ = whole(PAGES, page, text.clone());
    }
    let own_length = b"<</Length 4 0 R/Filter 4 0 R/DecodeParms 4 0 R>>stream\nBT ET\nendstream".to_vec();
    assert_eq!(whole(PAGES, PAGE, own_length).unread, Some(Unread::NoText));
    let form = stream(
        "/Subtype/Form/Resources<</XObject<</X 4 0 R>>>>",
        "/X Do ".repeat(500).as_bytes(),
    );
    let with_form = "<</Type/Page/Contents 4 0 R/Resources<</XObject<</X 4 0 R>>>>>>";
    assert_eq!(whole(PAGES, with_form, form).unread, Some(Unread::NoText));
    let loops = "<</Type/Font/Subtype/Type0/ToUnicode 5 0 R/DescendantFonts[5 0 R]/W 5 0 R/Encoding 5 0 R>>";
    let bytes = file(&[plain(CATALOGUE), plain(PAGES), plain(PAGE), text, plain(loops)], "");
    let _ = facts(&bytes);
}

#[test]
fn given_streams_that_unpack_to_far_more_then_reading_stops() {
    let bomb = deflated(&vec![b' '; 100 * 1024 * 1024]);
    assert_eq!(
        facts(&one_page(stream("/Filter/FlateDecode", &bomb), "")).unread,
        Some(Unread::Limit)
    );
    let twice = deflated(&bomb);
    let content = stream("/Filter[/FlateDecode/FlateDecode]", &twice);
    assert_eq!(facts(&one_page(content, "")).unread, Some(Unread::Limit));
    // The same as an object stream, with its type written in another way.
    for kind in ["/ObjStm", "/Obj#53tm", "/#4f#62#6a#53#74#6d"] {
        let container = stream(&format!("/Type{kind}/N 1/First 4/Filter/FlateDecode"), &bomb);
        let _ = facts(&one_page(container, ""));
    }
    let ranges = stream("", b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange");
    let font = b"<</Type/Font/Subtype/Type0/ToUnicode 4 0 R>>".to_vec();
    let plain = |text: &str| text.as_bytes().to_vec();
    let page = "<</Type/Page/Contents 6 0 R/Resources<</Font<</F1 5 0 R>>>>>>";
    let text = stream("", b"BT /F1 12 Tf (text) Tj ET");
    let _ = facts(&file(
        &[plain(CATALOGUE), plain(PAGES), plain(page), ranges, font, text],
        "",
    ));
}

#[test]
fn given_many_objects_that_overlap_then_reading_stops() {
    for objects in [3_000, 60_000] {
        let mut out = b"%PDF-1.7\n".to_vec();
        for number in 1..objects {
            out.extend_from_slice(format!("{number} 0 obj [(\n").as_bytes());
        }
        out.extend_from_slice(b"/Root 1 0 R");
        assert_eq!(facts(&out).unread, Some(Unread::Limit));
    }
    let depth = "[".repeat(300_000);
    let _ = facts(&one_page(depth.clone().into_bytes(), ""));
    let _ = facts(&one_page(stream("", depth.as_bytes()), ""));
    let _ = facts(&one_page("<</A ".repeat(100_000).into_bytes(), ""));
}

#[test]
fn given_long_resources_on_many_pages_then_reading_stops() {
    // Each page refers to the same long list, which the library would read again for each of them.
    let plain = |text: &str| text.as_bytes().to_vec();
    let kids = (5..3005)
        .map(|number| format!("{number} 0 R"))
        .collect::<Vec<_>>()
        .join(" ");
    let mut objects = vec![
        plain(CATALOGUE),
        plain(&format!("<</Type/Pages/Kids[{kids}]/Count 3000>>")),
        plain(&format!("<</Font<</F1 4 0 R>>/A({})>>", "a".repeat(200_000))),
        plain(FONT),
    ];
    objects.extend((0..3000).map(|_| plain("<</Type/Page/Parent 2 0 R/Resources 3 0 R>>")));
    assert_eq!(facts(&file(&objects, "")).unread, Some(Unread::Limit));
}

#[test]
fn given_object_without_an_end_then_the_others_are_read() {
    let mut bytes = one_page(stream("", plan("/F1 16", SENTENCE).as_bytes()), "");
    let whole = facts(&bytes);
    bytes.extend_from_slice(b"\n99 0 obj <</A (never closed");
    assert!(!whole.sections.is_empty());
    assert_eq!(facts(&bytes).sections, whole.sections);
}

#[test]
fn given_headers_on_every_page_then_they_are_no_headings() {
    let plain = |text: &str| text.as_bytes().to_vec();
    let mut objects = vec![
        plain(CATALOGUE),
        plain("<</Type/Pages/Kids[5 0 R 7 0 R 9 0 R]/Count 3>>"),
        plain(FONT),
        plain(BOLD),
    ];
    for page in 0..3 {
        let number = 6 + 2 * page;
        objects.push(plain(&format!(
            "<</Type/Page/Parent 2 0 R/Contents {number} 0 R/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>"
        )));
        let text = content(&[
            ("/F2 11", "Brightwater, internal"),
            ("/F1 16", ["One", "Two", "Three"][page]),
            ("/F1 11", SENTENCE),
            ("/F1 11", "Page 1"),
        ]);
        objects.push(stream("", text.as_bytes()));
    }
    let found = facts(&file(&objects, ""));
    let names: Vec<&str> = found.sections.iter().map(|section| section.heading.as_str()).collect();
    assert_eq!(names, ["One", "Two", "Three"]);
}

#[test]
fn given_same_bytes_then_same_facts() {
    let bytes = one_page(stream("", plan("/F1 16", SENTENCE).as_bytes()), "");
    assert_eq!(facts(&bytes), facts(&bytes));
}

proptest! {
    #[test]
    fn reader_accepts_any_change_of_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..16), cut in any::<prop::sample::Index>(), packed in any::<bool>()) {
        let text = plan("/F1 16", SENTENCE);
        let content = if packed { stream("/Filter/FlateDecode", &deflated(text.as_bytes())) } else { stream("", text.as_bytes()) };
        let mut bytes = one_page(content, "");
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = facts(&bytes);
        let _ = facts(&bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn reader_accepts_any_mix_of_objects(parts in prop::collection::vec(prop::sample::select(vec!["1 0 obj", "2 0 obj", "3 0 obj", "endobj", "<<", ">>", "[", "]", "(", ")", "<", ">", "/Type", "/Catalog", "/Pages", "/Page", "/Kids", "/ObjStm", "/N 9", "/First 9", "/W[1 2 1]", "/XRef", "/Length 5", "/Length 1 0 R", "stream\n", "endstream", "1 0 R", "2 0 R", "/Root 1 0 R", "/Contents 3 0 R", "/Resources 1 0 R", "/Font", "/F1", "BT", "ET", "Tf", "Tj", "9", "-1", "99999999999", "xref", "trailer", "startxref", "0", "\n", "%", "/Filter", "/FlateDecode", "/ASCII85Decode", "/RunLengthDecode", "/ASCIIHexDecode", "/LZWDecode", "#", "\u{0}"]), 0..120)) {
        let _ = facts(format!("%PDF-1.7\n{}", parts.join(" ")).as_bytes());
    }

    #[test]
    fn reader_accepts_any_content(parts in prop::collection::vec(prop::sample::select(vec!["BT", "ET", "/F1 12 Tf", "/F9 1e38 Tf", "(a) Tj", "[(a) -500 (b)] TJ", "(", ")", "<41", ">", "1 0 0 1 0 0 cm", "1e38 1e38 1e38 1e38 1e38 1e38 cm", "q", "Q", "T*", "12 TL", "'", "1 2 (x) \"", "/X Do", "BI", "ID", "EI", "[", "]", "<<", ">>", "-99999 Tc", "0 0 Td", "\u{0}"]), 0..80)) {
        let _ = facts(&one_page(stream("", parts.join(" ").as_bytes()), ""));
    }
}
