//! How large and how slow a large report becomes: `cargo test --release -p engine-pdf --test size -- --ignored`.

use std::time::Instant;

use engine_pdf::{Block, Cell, Column, Document, Footer, Header, Heading, Row, Span, Table, Tone, to_pdf};

fn findings(count: usize) -> Document {
    let row = |index: usize| {
        Row::from(vec![
            Cell::text(format!("F-{index:04}")),
            Cell::toned(
                [Tone::Red, Tone::Amber, Tone::Green, Tone::Grey][index % 4],
                ["High", "Medium", "Low", "Open"][index % 4],
            ),
            Cell::text("The answer of a model is returned without disclosure"),
            Cell::spans(vec![Span::code(format!(
                "services/handlers/router_{index}.py:{}",
                index % 900 + 1
            ))]),
            Cell::text(format!("Art. {}({})", index % 113 + 1, index % 5 + 1)),
        ])
    };
    Document {
        title: "Two thousand findings".to_owned(),
        language: "en".to_owned(),
        created: "2026-11-28".to_owned(),
        header: Header {
            left: "Readiness report".to_owned(),
            right: "example".to_owned(),
        },
        footer: Footer {
            parts: vec!["2026-11-28".to_owned()],
        },
        blocks: vec![
            Block::Heading(Heading {
                level: 1,
                text: "Findings".to_owned(),
            }),
            Block::Table(Table {
                columns: [0.8, 1.0, 3.6, 3.2, 1.1].map(Column::left).to_vec(),
                header: ["Number", "Severity", "What was seen", "Where", "Duty"]
                    .map(str::to_owned)
                    .to_vec(),
                rows: (0..count).map(row).collect(),
                row_headers: true,
                ..Table::default()
            }),
        ],
        ..Document::default()
    }
}

#[test]
#[ignore = "a measurement of the release build"]
fn given_two_thousand_findings_then_below_two_seconds_sixty_pages_and_five_megabytes() {
    let document = findings(2000);
    let start = Instant::now();
    let bytes = to_pdf(&document).unwrap();
    let took = start.elapsed();
    let text = String::from_utf8_lossy(&bytes);
    let pages = text
        .matches("/Type /Page\n")
        .count()
        .max(text.matches("/Type/Page/").count());
    println!("{took:?}, {pages} pages, {} bytes", bytes.len());
    assert!(took.as_secs_f32() < 2.0, "{took:?}");
    assert!(bytes.len() < 5_000_000, "{} bytes", bytes.len());
    assert!((1..60).contains(&pages), "{pages} pages");
    if let Some(path) = option_env!("ENGINE_PDF_OUT") {
        use std::io::Write;
        std::fs::File::create(path).unwrap().write_all(&bytes).unwrap();
    }
}
