//! No text breaks the writer.

#[expect(dead_code, reason = "the other tests need the rest")]
mod common;

use engine_pdf::{
    Bar, BarChart, Block, Callout, Cell, Code, Column, Contents, Cover, Document, Event, Fact, Footer, Header, Heading,
    List, Qr, Row, Span, Table, Timeline, Tone, to_pdf,
};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z /._-]{0,300}",
        "[\\x00-\\x1f\u{200b}-\u{200f}\u{202a}-\u{202e}\u{300}-\u{36f}a-c \\n\\t]{0,60}",
        "[а-яα-ωa-z\u{1f600}-\u{1f64f}漢字א-ת ]{0,80}",
    ]
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        text().prop_map(Span::Text),
        text().prop_map(Span::Strong),
        text().prop_map(Span::Code),
        (text(), "https://[a-z]{1,9}\\.example/[a-z]{0,9}").prop_map(|(text, url)| Span::Link { text, url }),
    ]
}

fn spans() -> impl Strategy<Value = Vec<Span>> {
    prop::collection::vec(span(), 0..4)
}

fn tone() -> impl Strategy<Value = Tone> {
    prop::sample::select(vec![Tone::Red, Tone::Amber, Tone::Green, Tone::Grey, Tone::Blue])
}

fn block() -> impl Strategy<Value = Block> {
    let cell = (spans(), prop::option::of(tone())).prop_map(|(spans, tone)| Cell { spans, tone });
    let row = prop::collection::vec(cell, 0..5).prop_map(Row::from);
    prop_oneof![
        (any::<u8>(), text()).prop_map(|(level, text)| Block::Heading(Heading { level, text })),
        spans().prop_map(Block::Paragraph),
        (any::<bool>(), prop::collection::vec(spans(), 0..4))
            .prop_map(|(ordered, items)| Block::List(List { ordered, items })),
        (
            text(),
            prop::collection::vec(any::<f32>(), 0..4),
            prop::collection::vec(text(), 0..4),
            prop::collection::vec(row, 0..9)
        )
            .prop_map(|(caption, weights, header, rows)| {
                let columns = weights.into_iter().map(Column::right).collect();
                Block::Table(Table {
                    caption,
                    columns,
                    header,
                    rows,
                    row_headers: true,
                })
            }),
        (text(), any::<u32>(), prop::collection::vec(text(), 0..20), any::<u32>()).prop_map(
            |(file, start_line, lines, at)| {
                Block::Code(Code {
                    file,
                    start_line,
                    lines,
                    highlight: Some(at % 30),
                })
            }
        ),
        (
            text(),
            prop::collection::vec((text(), any::<f64>(), any::<f64>(), tone()), 0..9)
        )
            .prop_map(|(title, bars)| {
                let rows = bars.into_iter().map(|(label, value, max, tone)| Bar {
                    note: label.clone(),
                    label,
                    value,
                    max,
                    tone,
                });
                Block::BarChart(BarChart {
                    title,
                    unit: "%".to_owned(),
                    rows: rows.collect(),
                    alt: String::new(),
                })
            }),
        (
            text(),
            prop::collection::vec(("20[12][0-9]-0[1-9]-1[0-9]", text(), tone()), 0..9)
        )
            .prop_map(|(title, events)| {
                let events = events
                    .into_iter()
                    .map(|(date, label, tone)| Event { date, label, tone })
                    .collect();
                let (from, to) = ("2010-01-01".to_owned(), "2030-01-01".to_owned());
                Block::Timeline(Timeline {
                    title,
                    from,
                    to,
                    today: None,
                    events,
                    alt: String::new(),
                })
            }),
        prop::collection::vec((text(), text(), prop::option::of(tone())), 0..7).prop_map(|facts| {
            Block::Facts(
                facts
                    .into_iter()
                    .map(|(label, value, tone)| Fact { label, value, tone })
                    .collect(),
            )
        }),
        (tone(), text(), spans()).prop_map(|(tone, title, text)| Block::Callout(Callout { tone, title, text })),
        (text(), text()).prop_map(|(text, caption)| Block::Qr(Qr {
            text,
            caption,
            alt: String::new()
        })),
        Just(Block::PageBreak),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn given_any_document_then_a_file_with_its_structure(
        blocks in prop::collection::vec(block(), 0..12),
        title in text(),
        other in text(),
        with_cover in any::<bool>(),
    ) {
        let document = Document {
            title: format!("T{title}"),
            language: other.clone(),
            author: other.clone(),
            subject: other.clone(),
            created: "2026-08-02".to_owned(),
            header: Header { left: title.clone(), right: other.clone() },
            footer: Footer { parts: vec![other.clone(), title.clone()] },
            cover: with_cover.then(|| Cover {
                kicker: other.clone(),
                subtitle: title.clone(),
                facts: vec![Fact::new(title.clone(), other.clone())],
                note: other.clone(),
            }),
            contents: Some(Contents { title: other.clone(), depth: 3 }),
            blocks,
            ..Document::default()
        };
        let pdf = to_pdf(&document).unwrap();
        common::check(&pdf);
    }
}
