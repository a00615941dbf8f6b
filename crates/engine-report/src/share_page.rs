//! The blocks of a report as one self-contained page: no script, no asset from elsewhere, and a policy that allows neither.

use std::fmt::Write;

use data_encoding::BASE64;
use engine_messages::{Key, Language, Messages};
use engine_model::Date;
use engine_pdf::{Align, Bar, Block, Callout, Cell, Code, Document, Fact, Row, Span, Table, Timeline, Tone};
use sha2::{Digest, Sha256};

use crate::full::symbol;
use crate::markup::escape;

/// The style of the page. The policy names its digest, so that no other style works.
const STYLE: &str = include_str!("share_page/style.css");

/// What is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareKind {
    /// A scan.
    Scan,
    /// An evaluation of a live endpoint.
    Eval,
    /// Both.
    Audit,
}

/// What a page says about itself.
#[derive(Clone, Copy, Debug)]
pub struct ShareFacts {
    /// What is shared.
    pub kind: ShareKind,
    /// The day on which it was shared.
    pub created: Date,
    /// The last day on which it can be read.
    pub expires: Date,
    /// The language of its fixed sentences.
    pub language: Language,
}

/// A shared document as a page. The same document always gives the same bytes.
pub fn share_page(document: &Document, facts: &ShareFacts) -> String {
    let messages = Messages::of(facts.language);
    let kind = messages.text(match facts.kind {
        ShareKind::Scan => Key::ShareKindScan,
        ShareKind::Eval => Key::ShareKindEval,
        ShareKind::Audit => Key::ShareKindAudit,
    });
    let kicker = format!("{} · {kind}", messages.text(Key::ShareHeading));
    let dates = messages.fill(
        Key::ShareExpires,
        &[
            ("created", &messages.date(facts.created)),
            ("expires", &messages.date(facts.expires)),
        ],
    );
    page(document, messages, Some((&kicker, &dates)))
}

/// A report as a page.
pub fn report_page(document: &Document, language: Language) -> String {
    page(document, Messages::of(language), None)
}

/// A page; a shared one says what is shared, and until when.
fn page(document: &Document, messages: &Messages, shared: Option<(&str, &str)>) -> String {
    let digest = BASE64.encode(&Sha256::digest(STYLE.as_bytes()));
    let policy = format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'");
    let mut page = Html { text: String::new() };
    let _ = write!(
        page.text,
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" \
         content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">{}</a>\n",
        escape(&document.language),
        escape(&document.title),
        escape(messages.text(Key::ShareSkip)),
    );
    page.header(document, shared);
    page.text.push_str("<main id=\"content\">\n");
    for block in &document.blocks {
        page.block(block);
    }
    let note = document.cover.as_ref().map_or("", |cover| cover.note.as_str());
    let _ = write!(
        page.text,
        "</main>\n<footer>\n<p>{}</p>\n<p>{}</p>\n</footer>\n</body>\n</html>\n",
        escape(note),
        escape(&document.footer.parts.join(" · "))
    );
    page.text
}

struct Html {
    text: String,
}

impl Html {
    fn header(&mut self, document: &Document, shared: Option<(&str, &str)>) {
        let cover = document.cover.clone().unwrap_or_default();
        self.text.push_str("<header>\n<p class=\"kicker\">");
        if let Some((kicker, _)) = shared {
            let _ = write!(self.text, "{} · ", escape(kicker));
        }
        let _ = write!(
            self.text,
            "{}</p>\n<h1>{}</h1>\n<p>{}</p>\n",
            escape(&cover.kicker),
            escape(&document.title),
            escape(&cover.subtitle)
        );
        if let Some((_, dates)) = shared {
            let _ = writeln!(self.text, "<p class=\"soft\">{}</p>", escape(dates));
        }
        self.facts(&cover.facts);
        self.text.push_str("</header>\n");
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => {
                let level = heading.level.clamp(1, 5) + 1;
                let _ = writeln!(self.text, "<h{level}>{}</h{level}>", escape(&heading.text));
            }
            Block::Paragraph(spans) => {
                let _ = writeln!(self.text, "<p>{}</p>", inline(spans));
            }
            Block::List(list) => {
                let tag = if list.ordered { "ol" } else { "ul" };
                let _ = writeln!(self.text, "<{tag}>");
                for item in &list.items {
                    let _ = writeln!(self.text, "<li>{}</li>", inline(item));
                }
                let _ = writeln!(self.text, "</{tag}>");
            }
            Block::Table(table) => self.table(table),
            Block::Code(code) => self.code(code),
            Block::BarChart(chart) => self.bars(&chart.title, &chart.unit, &chart.rows),
            Block::Timeline(line) => self.timeline(line),
            Block::Facts(facts) => self.facts(facts),
            Block::Callout(callout) => self.callout(callout),
            Block::Qr(qr) => {
                let _ = writeln!(
                    self.text,
                    "<figure><figcaption>{}</figcaption><pre class=\"wrap\" tabindex=\"0\">{}</pre></figure>",
                    escape(&qr.caption),
                    escape(&qr.text)
                );
            }
            Block::PageBreak => {}
        }
    }

    fn table(&mut self, table: &Table) {
        // A wide table scrolls by itself, and so it takes the focus of the keyboard.
        self.text.push_str("<div class=\"scroll\" tabindex=\"0\">\n<table>\n");
        if !table.caption.is_empty() {
            let _ = writeln!(self.text, "<caption>{}</caption>", escape(&table.caption));
        }
        self.text.push_str("<thead><tr>");
        for (index, text) in table.header.iter().enumerate() {
            let _ = write!(
                self.text,
                "<th scope=\"col\"{}>{}</th>",
                side(table, index),
                escape(text)
            );
        }
        self.text.push_str("</tr></thead>\n<tbody>\n");
        for row in &table.rows {
            self.row(table, row);
        }
        self.text.push_str("</tbody>\n</table>\n</div>\n");
    }

    fn row(&mut self, table: &Table, row: &Row) {
        self.text.push_str("<tr>");
        for (index, one) in row.cells.iter().take(table.columns.len()).enumerate() {
            let (open, close) = if index == 0 && table.row_headers {
                ("th scope=\"row\"", "th")
            } else {
                ("td", "td")
            };
            // A narrow window shows a row as a block, with the heads of the columns before its cells.
            let label = table.header.get(index).map_or("", String::as_str);
            let _ = write!(
                self.text,
                "<{open}{} data-label=\"{}\">{}</{close}>",
                side(table, index),
                escape(label),
                cell(one)
            );
        }
        self.text.push_str("</tr>\n");
    }

    fn code(&mut self, code: &Code) {
        self.text.push_str("<figure>");
        if !code.file.is_empty() {
            let _ = write!(
                self.text,
                "<figcaption><code>{}</code></figcaption>",
                escape(&code.file)
            );
        }
        self.text.push_str("<pre tabindex=\"0\">");
        for (line, text) in (code.start_line..).zip(&code.lines) {
            if Some(line) == code.highlight {
                let _ = writeln!(self.text, "<mark>&gt;{line:>5}  {}</mark>", escape(text));
            } else {
                let _ = writeln!(self.text, " {line:>5}  {}", escape(text));
            }
        }
        self.text.push_str("</pre></figure>\n");
    }

    fn bars(&mut self, title: &str, unit: &str, bars: &[Bar]) {
        let _ = writeln!(
            self.text,
            "<div class=\"scroll\" tabindex=\"0\">\n<table>\n<caption>{}</caption>\n<tbody>",
            escape(title)
        );
        for bar in bars {
            let share = if bar.max > 0.0 {
                (bar.value / bar.max).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let tone = tone(bar.tone);
            let _ = writeln!(
                self.text,
                "<tr><th scope=\"row\">{}</th><td><svg class=\"bar {tone}\" aria-hidden=\"true\"><rect class=\"track\" width=\"100%\" \
                 height=\"100%\" rx=\"2\"/><rect class=\"fill\" width=\"{:.1}%\" height=\"100%\" rx=\"2\"/></svg></td><td class=\"right\">\
                 {:.0}{}</td><td><span class=\"{tone}\">{} {}</span></td></tr>",
                escape(&bar.label),
                share * 100.0,
                bar.value,
                escape(unit),
                symbol(bar.tone),
                escape(&bar.note)
            );
        }
        self.text.push_str("</tbody>\n</table>\n</div>\n");
    }

    fn timeline(&mut self, line: &Timeline) {
        let _ = writeln!(
            self.text,
            "<p><strong>{}</strong></p>\n<ul class=\"dates\">",
            escape(&line.title)
        );
        for event in &line.events {
            let _ = writeln!(
                self.text,
                "<li><span class=\"{}\" aria-hidden=\"true\">{}</span> {}</li>",
                tone(event.tone),
                symbol(event.tone),
                escape(&event.label)
            );
        }
        self.text.push_str("</ul>\n");
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.text.push_str("<dl>\n");
        for fact in facts {
            let _ = writeln!(
                self.text,
                "<div><dt>{}</dt><dd>{}{}</dd></div>",
                escape(&fact.label),
                mark(fact.tone),
                escape(&fact.value)
            );
        }
        self.text.push_str("</dl>\n");
    }

    fn callout(&mut self, callout: &Callout) {
        let _ = writeln!(
            self.text,
            "<aside>{}<strong>{}</strong> {}</aside>",
            mark(Some(callout.tone)),
            escape(&callout.title),
            inline(&callout.text)
        );
    }
}

/// The alignment of a column, as an attribute.
fn side(table: &Table, column: usize) -> &'static str {
    match table.columns.get(column).map(|column| column.align) {
        Some(Align::Right) => " class=\"right\"",
        _ => "",
    }
}

const fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Red => "red",
        Tone::Amber => "amber",
        Tone::Green => "green",
        Tone::Grey => "grey",
        Tone::Blue => "blue",
    }
}

/// The symbol of a tone; the words beside it carry the meaning.
fn mark(of: Option<Tone>) -> String {
    of.map_or_else(String::new, |of| {
        format!(
            "<span class=\"{}\" aria-hidden=\"true\">{}</span> ",
            tone(of),
            symbol(of)
        )
    })
}

fn cell(cell: &Cell) -> String {
    format!("{}{}", mark(cell.tone), inline(&cell.spans).replace('\n', "<br>"))
}

fn inline(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| match span {
            Span::Strong(text) => format!("<strong>{}</strong>", escape(text)),
            Span::Code(text) => format!("<code>{}</code>", escape(text)),
            Span::Link { text, url } if url.starts_with("https://") => {
                format!(
                    "<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>",
                    escape(url),
                    escape(text)
                )
            }
            Span::Text(text) | Span::Link { text, .. } => escape(text),
        })
        .collect()
}
