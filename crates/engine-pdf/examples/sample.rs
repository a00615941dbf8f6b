//! A sample with every kind of block: `cargo run -p engine-pdf --example sample > sample.pdf`.

use std::io::Write;

use engine_pdf::{
    Bar, BarChart, Block, Callout, Cell, Code, Column, Contents, Cover, Document, Event, Fact, Footer, Header, Heading,
    List, Qr, Row, Span, Table, Timeline, Tone, to_pdf,
};

fn heading(level: u8, text: &str) -> Block {
    Block::Heading(Heading {
        level,
        text: text.to_owned(),
    })
}

fn paragraph(text: &str) -> Block {
    Block::Paragraph(vec![Span::text(text)])
}

fn event(date: &str, label: &str, tone: Tone) -> Event {
    Event {
        date: date.to_owned(),
        label: label.to_owned(),
        tone,
    }
}

fn bar(label: &str, value: f64, note: &str, tone: Tone) -> Bar {
    Bar {
        label: label.to_owned(),
        value,
        max: 100.0,
        note: note.to_owned(),
        tone,
    }
}

fn summary() -> Vec<Block> {
    vec![
        heading(1, "Summary"),
        paragraph(
            "The scan looked at 412 files and found two systems with artificial intelligence. One of them ranks \
             applicants for a job, which Annex III(4)(a) names. The other one answers questions of visitors.",
        ),
        Block::Facts(vec![
            Fact::toned(Tone::Amber, "Readiness, self-assessed", "61 of 100"),
            Fact::new("Systems", "2"),
            Fact::toned(Tone::Red, "Findings that need action", "14"),
            Fact::new("Open questions", "9"),
            Fact::toned(Tone::Blue, "Next date", "2 August 2026"),
            Fact::toned(
                Tone::Grey,
                "Highest class",
                "High risk, Annex III(4)(a), not confirmed by a person",
            ),
        ]),
        Block::Callout(Callout {
            tone: Tone::Amber,
            title: "This is what was observed, not legal advice".to_owned(),
            text: vec![
                Span::text("The report lists what the files show. A duty may apply that no file shows. See "),
                Span::link(
                    "Regulation (EU) 2024/1689",
                    "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
                ),
                Span::text(" for the text of the law."),
            ],
        }),
        Block::Timeline(Timeline {
            title: "When the duties begin".to_owned(),
            from: "2024-06-01".to_owned(),
            to: "2028-01-01".to_owned(),
            today: Some("2026-11-28".to_owned()),
            events: vec![
                event("2024-08-01", "The regulation entered into force", Tone::Grey),
                event(
                    "2025-02-02",
                    "Forbidden practices and AI literacy, Articles 4 and 5",
                    Tone::Green,
                ),
                event(
                    "2025-08-02",
                    "Models for general purposes, Articles 51 to 56",
                    Tone::Grey,
                ),
                event(
                    "2026-08-02",
                    "High-risk systems of Annex III, and transparency, Article 50",
                    Tone::Red,
                ),
                event("2026-08-10", "Registration in the EU database, Article 49", Tone::Amber),
                event(
                    "2027-08-02",
                    "High-risk systems that are part of products of Annex I",
                    Tone::Blue,
                ),
            ],
            alt: String::new(),
        }),
        Block::BarChart(BarChart {
            title: "Score by obligation".to_owned(),
            unit: "%".to_owned(),
            rows: vec![
                bar("Risk management, Article 9", 35.0, "3 of 8 parts", Tone::Red),
                bar("Data governance, Article 10", 62.5, "", Tone::Amber),
                bar("Record keeping, Article 12", 90.0, "logs kept 180 days", Tone::Green),
                bar(
                    "Human oversight, Article 14, and the training of the people who do it",
                    0.0,
                    "no answer",
                    Tone::Grey,
                ),
                bar("Transparency towards persons, Article 50", 100.0, "", Tone::Green),
            ],
            alt: String::new(),
        }),
    ]
}

fn findings() -> Vec<Block> {
    let row = |index: usize| {
        let (tone, word) = match index % 4 {
            0 => (Tone::Red, "High"),
            1 => (Tone::Amber, "Medium"),
            2 => (Tone::Green, "Closed"),
            _ => (Tone::Grey, "Unknown"),
        };
        Row::from(vec![
            Cell::text(format!("F-{:03}", index + 1)),
            Cell::toned(tone, word),
            Cell::spans(vec![
                Span::text("The answer of the model is returned without disclosure in "),
                Span::code(format!(
                    "services/assistant/handlers/conversation_router_{index}.py:{}",
                    index * 7 + 3
                )),
            ]),
            Cell::text("Art. 50(1)"),
            Cell::text(format!("{}", (index * 13) % 100)),
        ])
    };
    vec![
        heading(1, "Findings"),
        heading(2, "All findings"),
        Block::Table(Table {
            caption: "Findings by weight".to_owned(),
            columns: vec![Column::left(0.9), Column::left(1.3), Column::left(4.6), Column::left(1.2), Column::right(1.0)],
            header: ["Number", "Severity", "What was seen", "Duty", "Certainty, %"].map(str::to_owned).to_vec(),
            rows: (0..42).map(row).collect(),
            row_headers: true,
        }),
        heading(2, "In detail"),
        heading(3, "F-001: the answer of the model is returned without disclosure"),
        Block::Paragraph(vec![
            Span::text("The function "),
            Span::code("route_conversation()"),
            Span::text(" hands the text of the model to the person. "),
            Span::strong("Article 50(1)"),
            Span::text(" asks that a person is told, unless it is obvious."),
        ]),
        Block::Code(Code {
            file: "services/assistant/handlers/conversation_router.py".to_owned(),
            start_line: 41,
            lines: [
                "def route_conversation(request: Request) -> Response:",
                "    prompt = build_prompt(request.messages, persona=\"Eva\")",
                "    answer = client.chat.completions.create(model=\"m\", messages=prompt, temperature=0.2, max_tokens=800, user=request.user_id)",
                "    return Response(answer.choices[0].message.content)",
                "",
                "# Πώς μπορώ να βοηθήσω; Как мога да помогна?",
            ]
            .map(str::to_owned)
            .to_vec(),
            highlight: Some(43),
        }),
        Block::List(List {
            ordered: true,
            items: vec![
                vec![Span::text("Say at the beginning of a conversation that an AI system answers.")],
                vec![Span::text("Keep the text of the notice in "), Span::code("locales/*.json"), Span::text(", one for each language.")],
                vec![Span::text("Run the probes of the group “transparency” again.")],
            ],
        }),
    ]
}

fn annex() -> Vec<Block> {
    vec![
        Block::PageBreak,
        heading(1, "Method and limits"),
        paragraph(
            "Български: Системите с изкуствен интелект се оценяват по файловете на проекта. Ελληνικά: Τα συστήματα \
             τεχνητής νοημοσύνης αξιολογούνται από τα αρχεία του έργου. Polski: zażółć gęślą jaźń. Čeština: příliš \
             žluťoučký kůň. Magyar: árvíztűrő tükörfúrógép. Latviešu: glāžšķūņa rūķīši. Malti: il-ħaġa ġdida żgħira. \
             Gaeilge: Ḋíolḟaıḋ ṁé. Română: știință, țară. Deutsch: Maßnahmen für große Systeme.",
        ),
        paragraph("Arrows and signs: → ← ↔ ⇒ ✓ ✗ ☐ ☑ ☒ ▲ ● ○ ◆ ≤ ≥ ≠ € … No glyph: 漢字 עברית 😀. Hidden: a\u{202e}b."),
        Block::List(List {
            ordered: false,
            items: vec![
                vec![Span::text(
                    "Comments, texts and tests never make a project an AI system.",
                )],
                vec![Span::text(
                    "A finding is what a file shows at one time. It is not a judgement on a person or a company.",
                )],
            ],
        }),
        heading(2, "Head of the evidence"),
        Block::Qr(Qr {
            text: "blake3:9f2c1d44b0b8e7f6a1c3d5e7f90123456789abcdef0123456789abcdef012345".to_owned(),
            caption: "Digest of the newest entry".to_owned(),
            alt: String::new(),
        }),
        paragraph("Compare the digest with the answer of the command verify."),
    ]
}

fn main() -> std::io::Result<()> {
    let document = Document {
        title: "Readiness report".to_owned(),
        language: "en".to_owned(),
        author: "Example Ltd".to_owned(),
        subject: "What the files of the project example-hiring show about duties of the EU AI Act.".to_owned(),
        created: "2026-11-28".to_owned(),
        header: Header {
            left: "Readiness report, self-assessed".to_owned(),
            right: "example-hiring".to_owned(),
        },
        footer: Footer {
            parts: ["2026-11-28", "Law as of 2026-08-02", "Project 9f2c1d44b0b8"]
                .map(str::to_owned)
                .to_vec(),
        },
        cover: Some(Cover {
            kicker: "EU AI Act, Regulation (EU) 2024/1689".to_owned(),
            subtitle: "Two systems, one of them in an area of Annex III".to_owned(),
            facts: vec![
                Fact::new("Organisation", "Example Ltd, Example Street 1, 1000 Sofia, България"),
                Fact::new("Project", "example-hiring"),
                Fact::new("Date", "2026-11-28"),
                Fact::new("Law version", "2026-08-02"),
                Fact::toned(Tone::Amber, "State", "Draft, 9 questions open"),
            ],
            note:
                "This report is a self-assessment by software. It is not legal advice and no statement of an authority."
                    .to_owned(),
        }),
        contents: Some(Contents {
            title: "Contents".to_owned(),
            depth: 2,
        }),
        blocks: [summary(), findings(), annex()].concat(),
        ..Document::default()
    };
    let bytes = to_pdf(&document).map_err(std::io::Error::other)?;
    std::io::stdout().lock().write_all(&bytes)
}
