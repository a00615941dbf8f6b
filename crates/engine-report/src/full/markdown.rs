//! The blocks of a report as Markdown. All text passes `prose`, so that nothing in it has a meaning to Markdown or HTML.

use std::fmt::Write;

use engine_pdf::{Bar, Block, Callout, Cell, Code, Document, Fact, Qr, Span, Table, Timeline, Tone};

use crate::foreign::is_hidden;
use crate::markdown::prose;

/// Marks of a bar that is drawn with text.
const BAR_MARKS: u32 = 20;

/// A report as GitHub-flavoured Markdown.
pub fn report_markdown(document: &Document) -> String {
    let mut page = Markdown { text: String::new() };
    page.cover(document);
    for block in &document.blocks {
        page.block(block);
    }
    let end = page.text.trim_end().len();
    page.text.truncate(end);
    page.text.push('\n');
    page.text
}

struct Markdown {
    text: String,
}

impl Markdown {
    fn cover(&mut self, document: &Document) {
        let _ = writeln!(self.text, "# {}\n", prose(&document.title));
        if let Some(cover) = &document.cover {
            let _ = writeln!(
                self.text,
                "**{}**\n\n{}\n",
                prose(&cover.kicker),
                prose(&cover.subtitle)
            );
            self.facts(&cover.facts);
            let _ = writeln!(self.text, "> {}\n", prose(&cover.note));
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => {
                let level = usize::from(heading.level.clamp(1, 5)) + 1;
                let _ = writeln!(self.text, "{} {}\n", "#".repeat(level), prose(&heading.text));
            }
            Block::Paragraph(spans) => {
                let _ = writeln!(self.text, "{}\n", inline(spans));
            }
            Block::List(list) => {
                for (index, item) in list.items.iter().enumerate() {
                    let mark = if list.ordered {
                        format!("{}.", index + 1)
                    } else {
                        "-".to_owned()
                    };
                    let _ = writeln!(self.text, "{mark} {}", inline(item));
                }
                self.text.push('\n');
            }
            Block::Table(table) => self.table(table),
            Block::Code(code) => self.code(code),
            Block::BarChart(chart) => {
                let _ = writeln!(self.text, "**{}**\n", prose(&chart.title));
                let _ = writeln!(self.text, "| | | |\n| --- | --- | ---: |");
                for bar in &chart.rows {
                    let _ = writeln!(
                        self.text,
                        "| {} | {} | {}{} {} |",
                        prose(&bar.label),
                        drawn(bar),
                        number(bar.value),
                        prose(&chart.unit),
                        prose(&bar.note)
                    );
                }
                self.text.push('\n');
            }
            Block::Timeline(line) => self.timeline(line),
            Block::Facts(facts) => self.facts(facts),
            Block::Callout(callout) => self.callout(callout),
            Block::Qr(qr) => self.qr(qr),
            Block::PageBreak => {}
        }
    }

    fn table(&mut self, table: &Table) {
        if !table.caption.is_empty() {
            let _ = writeln!(self.text, "**{}**\n", prose(&table.caption));
        }
        let header: Vec<String> = table.header.iter().map(|text| prose(text)).collect();
        let _ = writeln!(self.text, "| {} |", header.join(" | "));
        let _ = writeln!(self.text, "|{}", " --- |".repeat(table.columns.len()));
        for row in &table.rows {
            let cells: Vec<String> = row.cells.iter().map(cell).collect();
            let _ = writeln!(self.text, "| {} |", cells.join(" | "));
        }
        self.text.push('\n');
    }

    fn code(&mut self, code: &Code) {
        let longest = code
            .lines
            .iter()
            .flat_map(|line| line.split(|c| c != '`').map(str::len))
            .max()
            .unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        if !code.file.is_empty() {
            let _ = writeln!(self.text, "{}\n", code_span(&code.file));
        }
        let _ = writeln!(self.text, "{fence}text");
        for (line, text) in (code.start_line..).zip(&code.lines) {
            let mark = if Some(line) == code.highlight { '>' } else { ' ' };
            let text: String = text.chars().filter(|c| !is_hidden(*c)).collect();
            let _ = writeln!(self.text, "{mark}{line:>5}  {}", text.trim_end());
        }
        let _ = writeln!(self.text, "{fence}\n");
    }

    fn timeline(&mut self, line: &Timeline) {
        let _ = writeln!(self.text, "**{}**\n", prose(&line.title));
        for event in &line.events {
            let _ = writeln!(self.text, "- {} {}", symbol(event.tone), prose(&event.label));
        }
        self.text.push('\n');
    }

    fn facts(&mut self, facts: &[Fact]) {
        let _ = writeln!(self.text, "| | |\n| --- | --- |");
        for fact in facts {
            let tone = fact.tone.map_or_else(String::new, |tone| format!("{} ", symbol(tone)));
            let _ = writeln!(self.text, "| {} | {tone}{} |", prose(&fact.label), prose(&fact.value));
        }
        self.text.push('\n');
    }

    fn callout(&mut self, callout: &Callout) {
        let _ = writeln!(
            self.text,
            "> {} **{}** {}\n",
            symbol(callout.tone),
            prose(&callout.title),
            inline(&callout.text)
        );
    }

    fn qr(&mut self, qr: &Qr) {
        let _ = writeln!(self.text, "**{}**\n\n```text", prose(&qr.caption));
        for line in qr.text.lines() {
            let line: String = line.chars().filter(|c| !is_hidden(*c) && *c != '`').collect();
            let _ = writeln!(self.text, "{line}");
        }
        let _ = writeln!(self.text, "```\n");
    }
}

/// The symbol of a tone; its words stand beside it.
pub(crate) const fn symbol(tone: Tone) -> &'static str {
    match tone {
        Tone::Red => "✖",
        Tone::Amber => "▲",
        Tone::Green => "✔",
        Tone::Grey => "○",
        Tone::Blue => "◆",
    }
}

fn inline(spans: &[Span]) -> String {
    spans.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    match span {
        Span::Text(text) => spaced(text, prose),
        Span::Strong(text) => spaced(text, |text| format!("**{}**", prose(text))),
        Span::Code(text) => code_span(text),
        Span::Link { text, url } if is_plain(url) && text != url => format!("[{}]({url})", prose(text)),
        Span::Link { url, .. } if is_plain(url) => format!("<{url}>"),
        Span::Link { text, .. } => prose(text),
    }
}

/// An address that stands in Markdown as it is.
fn is_plain(url: &str) -> bool {
    url.starts_with("https://")
        && url
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._~:/?#@&=%+".contains(c))
}

/// Keeps the space around a piece of a sentence, which the escaping drops.
fn spaced(text: &str, write: impl Fn(&str) -> String) -> String {
    let inner = text.trim_matches(' ');
    if inner.is_empty() {
        return text.to_owned();
    }
    let start = text.len() - text.trim_start_matches(' ').len();
    let end = text.len() - text.trim_end_matches(' ').len();
    format!("{}{}{}", " ".repeat(start), write(inner), " ".repeat(end))
}

/// Text as code; what a code span cannot hold in a table is escaped as text.
fn code_span(text: &str) -> String {
    if text.contains(['`', '|', '\\']) {
        prose(&text.replace('`', "'"))
    } else {
        prose(&format!("`{text}`"))
    }
}

/// A cell: a line feed is a line break.
fn cell(cell: &Cell) -> String {
    let tone = cell.tone.map_or_else(String::new, |tone| format!("{} ", symbol(tone)));
    let mut out = tone;
    for one in &cell.spans {
        let lines: Vec<&str> = one.content().split('\n').collect();
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                out.push_str("<br>");
            }
            let piece = match one {
                Span::Text(_) => Span::text(*line),
                Span::Strong(_) => Span::strong(*line),
                Span::Code(_) => Span::code(*line),
                Span::Link { url, .. } => Span::link(*line, url.clone()),
            };
            if !line.is_empty() {
                out.push_str(&span(&piece));
            }
        }
    }
    out
}

fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn drawn(bar: &Bar) -> String {
    let share = if bar.max > 0.0 {
        (bar.value / bar.max).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut out = String::new();
    for mark in 1..=BAR_MARKS {
        out.push(if f64::from(mark) <= (share * f64::from(BAR_MARKS)).round() {
            '█'
        } else {
            '░'
        });
    }
    out
}
