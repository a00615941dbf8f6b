//! What a reader of the file finds: structure, headers, descriptions, links.

mod common;

use common::{check, contents, elements, objects, pages};
use engine_pdf::{
    Bar, BarChart, Block, Callout, Cell, Code, Column, Contents, Cover, Document, Event, Fact, Heading, List, PdfError,
    Qr, Row, Span, Table, Timeline, Tone, to_pdf,
};

fn titled(blocks: Vec<Block>) -> Document {
    Document {
        title: "A report".to_owned(),
        language: "en".to_owned(),
        blocks,
        ..Document::default()
    }
}

fn heading(level: u8, text: &str) -> Block {
    Block::Heading(Heading {
        level,
        text: text.to_owned(),
    })
}

fn paragraph(text: &str) -> Block {
    Block::Paragraph(vec![Span::text(text)])
}

fn table(rows: usize) -> Table {
    Table {
        caption: "Findings".to_owned(),
        columns: vec![Column::left(1.0), Column::left(3.0), Column::right(1.0)],
        header: vec!["Number".to_owned(), "What".to_owned(), "Count".to_owned()],
        rows: (0..rows)
            .map(|row| Row::from(vec![Cell::text(format!("R{row}")), Cell::text("seen"), Cell::default()]))
            .collect(),
        row_headers: true,
    }
}

fn count(pdf: &[u8], kind: &str) -> usize {
    elements(pdf).iter().filter(|(found, _)| found == kind).count()
}

fn every_block() -> Document {
    Document {
        cover: Some(Cover {
            kicker: "Kind".to_owned(),
            subtitle: "Below".to_owned(),
            facts: vec![
                Fact::new("Date", "2026-08-02"),
                Fact::toned(Tone::Amber, "State", "Draft"),
            ],
            note: "No advice.".to_owned(),
        }),
        contents: Some(Contents {
            title: "Contents".to_owned(),
            depth: 2,
        }),
        created: "2026-08-02".to_owned(),
        author: "Example".to_owned(),
        subject: "A subject".to_owned(),
        ..titled(vec![
            heading(1, "One"),
            Block::Paragraph(vec![
                Span::text("See "),
                Span::link("the law", "https://eur-lex.europa.eu/eli/reg/2024/1689/oj"),
                Span::strong(" now "),
                Span::code("a/b.py"),
            ]),
            Block::List(List {
                ordered: true,
                items: vec![vec!["first".into()], vec!["second".into()]],
            }),
            heading(2, "Two"),
            Block::Table(table(3)),
            Block::Code(Code {
                file: "a.py".to_owned(),
                start_line: 9,
                lines: vec!["x = 1".to_owned(), String::new(), "\ty = 2".to_owned()],
                highlight: Some(11),
            }),
            Block::BarChart(BarChart {
                title: "Score".to_owned(),
                unit: "%".to_owned(),
                rows: vec![Bar {
                    label: "A".to_owned(),
                    value: 12.5,
                    max: 100.0,
                    note: "low".to_owned(),
                    tone: Tone::Red,
                }],
                alt: String::new(),
            }),
            Block::Timeline(Timeline {
                title: "Dates".to_owned(),
                from: "2024-01-01".to_owned(),
                to: "2028-01-01".to_owned(),
                today: Some("2026-01-01".to_owned()),
                events: vec![Event {
                    date: "2026-08-02".to_owned(),
                    label: "applies".to_owned(),
                    tone: Tone::Blue,
                }],
                alt: String::new(),
            }),
            Block::Facts(vec![
                Fact::new("Systems", "2"),
                Fact::toned(Tone::Red, "Findings", "14"),
            ]),
            Block::Callout(Callout {
                tone: Tone::Blue,
                title: "Note".to_owned(),
                text: vec!["A text.".into()],
            }),
            Block::Qr(Qr {
                text: "digest".to_owned(),
                caption: "Head".to_owned(),
                alt: String::new(),
            }),
            Block::PageBreak,
            heading(1, "Three"),
        ])
    }
}

#[test]
fn given_every_kind_of_block_then_the_file_has_its_structure() {
    let pdf = to_pdf(&every_block()).unwrap();
    check(&pdf);
    assert_eq!(count(&pdf, "H1"), 3);
    assert_eq!(count(&pdf, "H2"), 1);
    assert_eq!(count(&pdf, "Figure"), 3);
    assert_eq!(count(&pdf, "Table"), 1);
    assert_eq!(count(&pdf, "TR"), 4);
    assert_eq!(count(&pdf, "TH"), 6);
    assert_eq!(count(&pdf, "TD"), 6);
    assert_eq!(count(&pdf, "TOCI"), 3);
    assert_eq!(count(&pdf, "Link"), 4);
    let text = String::from_utf8_lossy(&pdf).into_owned();
    assert!(
        text.contains("/Alt(Score: A 12.5 % (low))"),
        "the alt text lists the bars"
    );
    assert!(text.contains("/URI(https://eur-lex.europa.eu/eli/reg/2024/1689/oj)"));
    assert!(text.contains("Link to the law"));
}

#[test]
fn given_the_same_document_then_the_same_bytes() {
    assert_eq!(to_pdf(&every_block()).unwrap(), to_pdf(&every_block()).unwrap());
}

#[test]
fn given_no_title_then_an_error() {
    assert_eq!(
        to_pdf(&Document {
            title: " \n".to_owned(),
            ..Document::default()
        }),
        Err(PdfError::NoTitle)
    );
}

#[test]
fn given_nothing_but_a_title_then_one_page() {
    let pdf = to_pdf(&titled(Vec::new())).unwrap();
    check(&pdf);
    assert_eq!(pages(&pdf), 1);
}

#[test]
fn given_page_breaks_in_a_row_then_no_empty_page() {
    let breaks = vec![
        Block::PageBreak,
        paragraph("a"),
        Block::PageBreak,
        Block::PageBreak,
        paragraph("b"),
        Block::PageBreak,
    ];
    assert_eq!(pages(&to_pdf(&titled(breaks)).unwrap()), 2);
}

#[test]
fn given_a_long_table_then_each_row_is_tagged_once_and_its_header_is_read_once() {
    let pdf = to_pdf(&titled(vec![Block::Table(table(120))])).unwrap();
    check(&pdf);
    assert!(pages(&pdf) > 2);
    assert_eq!(count(&pdf, "TR"), 121);
    assert_eq!(count(&pdf, "TH"), 123);
    assert_eq!(count(&pdf, "TD"), 240);
}

#[test]
fn given_a_row_taller_than_a_page_then_it_goes_on_and_stays_one_row() {
    let mut tall = table(2);
    tall.rows[0].cells[1] = Cell::text("word ".repeat(4000));
    let pdf = to_pdf(&titled(vec![heading(1, "Tall"), Block::Table(tall)])).unwrap();
    check(&pdf);
    assert!(pages(&pdf) > 2);
    assert_eq!(count(&pdf, "TR"), 3);
    assert_eq!(count(&pdf, "TD"), 4);
}

#[test]
fn given_a_heading_at_the_foot_of_a_page_then_it_moves_with_its_text() {
    // Whatever the number of lines before it, the heading shares its page with the paragraph.
    for lines in 40..60 {
        let mut blocks: Vec<Block> = (0..lines).map(|_| paragraph("line")).collect();
        blocks.push(heading(1, "Heading"));
        blocks.push(paragraph("last"));
        let pdf = to_pdf(&titled(blocks)).unwrap();
        let found = elements(&pdf);
        let page = |element: &str| element.split("/Pg ").nth(1).map(str::to_owned);
        let at = found.iter().position(|(kind, _)| kind == "H1").unwrap();
        let next = &found[at + 1..].iter().find(|(kind, _)| kind == "P").unwrap().1;
        assert_eq!(page(&found[at].1), page(next), "{lines}");
    }
}

#[test]
fn given_a_level_that_skips_then_it_is_written_one_below_the_last() {
    let pdf = to_pdf(&titled(vec![heading(4, "a"), heading(6, "b"), heading(1, "c")])).unwrap();
    assert_eq!((count(&pdf, "H1"), count(&pdf, "H2"), count(&pdf, "H6")), (2, 1, 0));
}

#[test]
fn given_targets_that_are_not_https_then_no_link() {
    let spans = [
        "http://a.example",
        "javascript:alert(1)",
        "https://",
        "file:///etc",
        "https://a.example/ b",
        "https://ä.example",
    ]
    .map(|url| Span::link("text", url));
    let pdf = to_pdf(&titled(vec![Block::Paragraph(spans.to_vec())])).unwrap();
    check(&pdf);
    assert_eq!(count(&pdf, "Link"), 0);
    assert!(!String::from_utf8_lossy(&pdf).contains("/URI"));
}

#[test]
fn given_a_link_over_two_pages_then_each_page_has_its_own() {
    let text = "law ".repeat(4000);
    let pdf = to_pdf(&titled(vec![Block::Paragraph(vec![Span::link(
        text,
        "https://a.example",
    )])]))
    .unwrap();
    check(&pdf);
    let links = objects(&pdf)
        .iter()
        .filter(|object| common::dictionary(object).contains("/Subtype/Link"))
        .count();
    assert_eq!(links, pages(&pdf));
    assert_eq!(count(&pdf, "Link"), 1);
}

#[test]
fn given_text_of_all_scripts_then_no_missing_glyph() {
    let text = "Bulgarian: Системите. Ελληνικά: Πώς; ΐ ΰ. żółć ğ ș ț ħ ŧ ẁ ḋ İ ı ß ﬁ “„‚‘’” — … € → ✓ ☒ ▲";
    check(
        &to_pdf(&titled(vec![
            paragraph(text),
            Block::Code(Code {
                lines: vec![text.to_owned()],
                ..Code::default()
            }),
        ]))
        .unwrap(),
    );
}

#[test]
fn given_hidden_and_unknown_characters_then_they_are_marked() {
    let text = "a\u{202e}b\u{0}c\u{7}d\u{feff}e\u{200b}f\u{fffe}g\u{e000}h 漢字 עברית العربية 😀👨‍👩‍👧 a\u{489}\u{20dd} \u{10ffff}";
    let cell = Table {
        rows: vec![Row::from(vec![Cell::text(text)])],
        ..Table::default()
    };
    let document = Document {
        title: text.to_owned(),
        language: "not a tag".to_owned(),
        author: text.to_owned(),
        created: text.to_owned(),
        ..titled(vec![
            heading(1, text),
            paragraph(text),
            Block::Table(cell),
            Block::Qr(Qr {
                text: text.to_owned(),
                ..Qr::default()
            }),
        ])
    };
    let pdf = to_pdf(&document).unwrap();
    check(&pdf);
    let text = String::from_utf8_lossy(&pdf);
    assert!(
        !contents(&pdf)
            .concat()
            .windows(4)
            .any(|part| part.eq_ignore_ascii_case(b"202e"))
    );
    assert!(!text.contains("202E") && !text.contains('\u{202e}'));
}

#[test]
fn given_a_word_of_a_megabyte_then_it_is_broken() {
    let word = "a".repeat(1_000_000);
    let pdf = to_pdf(&titled(vec![heading(1, &word[..5000]), paragraph(&word)])).unwrap();
    assert!(pages(&pdf) > 100);
}

#[test]
fn given_charts_with_numbers_that_are_none_then_they_are_drawn_without_length() {
    let bars = [f64::NAN, f64::INFINITY, -5.0, 0.0, 1e300].map(|value| Bar {
        label: "a".repeat(500),
        value,
        max: if value == 0.0 { 0.0 } else { 10.0 },
        ..Bar::default()
    });
    let chart = BarChart {
        rows: bars.iter().cloned().cycle().take(60).collect(),
        ..BarChart::default()
    };
    let timeline = Timeline {
        from: "2026-01-01".to_owned(),
        to: "1999-01-01".to_owned(),
        events: vec![Event {
            date: "never".to_owned(),
            label: "x".to_owned(),
            tone: Tone::Red,
        }],
        ..Timeline::default()
    };
    let table = Table {
        columns: vec![Column::left(f32::NAN), Column::left(-1.0), Column::left(f32::MAX)],
        ..table(1)
    };
    check(
        &to_pdf(&titled(vec![
            Block::BarChart(chart),
            Block::Timeline(timeline),
            Block::Table(table),
        ]))
        .unwrap(),
    );
}
