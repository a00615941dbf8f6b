//! The report as Markdown. Text of the project passes `prose`, `cell`, `code` or `cell_code`, and nothing else writes it.

use std::fmt::Write;

use engine_model::{Applicability, Evidence, Finding, ObligationStatus, ScanResult, Severity, System};

use crate::foreign::{clean, clip, count};
use crate::text::by_severity;
use crate::view::{self, Group, Row, Step, View};

/// Bytes after which lists are cut; the rest of the page is left for what follows them.
const BYTES_MAX: usize = 44_000;

/// Rows of a table; a comment on a pull request holds 65,536 characters.
const ROWS_MAX: usize = 40;

/// Groups of findings told in full.
const GROUPS_MAX: usize = 30;

/// Other findings listed per group.
const PLACES_MAX: usize = 5;

/// Characters of one message.
const MESSAGE_MAX: usize = 400;

pub(crate) fn render(scan: &ScanResult) -> String {
    let mut page = Page {
        text: String::new(),
        view: View::of(scan),
        scan,
    };
    match scan.applicability {
        Applicability::SystemsFound => page.systems_found(),
        Applicability::NoAiFound => {
            page.head("no AI system observed");
            let read = page.view.read();
            page.paragraph(&format!(
                "Read {}: {}.",
                prose(&read),
                prose(scan.applicability_reason.trim_end_matches('.'))
            ));
            page.paragraph("No obligations of the EU AI Act follow from this source.");
            page.findings();
            page.foot();
        }
        Applicability::Library => {
            page.head("a library that uses models, not itself an AI system");
            page.paragraph(&format!("**Why:** {}", prose(&scan.applicability_reason)));
            page.paragraph(
                "**What would change this:** an entry point, a service or a deployment in this project that runs the \
                 code; whoever builds a system on the library has the duties for that system.",
            );
            page.findings();
            page.questions();
            page.foot();
        }
        Applicability::Undetermined => {
            page.head("whether the EU AI Act is relevant could not be determined");
            page.paragraph(&format!("**Why:** {}", prose(&scan.applicability_reason)));
            page.paragraph(
                "**What would change this:** a use of a model that can be followed in the code, or the removal of what \
                 points to one; until then no obligation is claimed.",
            );
            page.findings();
            page.questions();
            page.foot();
        }
    }
    let end = page.text.trim_end().len();
    page.text.truncate(end);
    page.text.push('\n');
    page.text
}

struct Page<'a> {
    text: String,
    view: View<'a>,
    scan: &'a ScanResult,
}

impl<'a> Page<'a> {
    fn systems_found(&mut self) {
        let systems = count(self.scan.systems.len(), "AI system");
        self.head(&format!("the EU AI Act is relevant, {systems} observed"));
        self.paragraph(&format!("**Why:** {}", prose(&self.scan.applicability_reason)));
        self.score();
        self.steps();
        for (index, system) in self.scan.systems.iter().enumerate() {
            // Half of the page is kept for the obligations and findings of all systems.
            if self.text.len() > BYTES_MAX / 2 {
                self.paragraph(&format!(
                    "And {} more.",
                    count(self.scan.systems.len() - index, "system")
                ));
                break;
            }
            self.system(system);
        }
        self.today();
        self.next();
        self.findings();
        self.questions();
        self.foot();
    }

    fn head(&mut self, verdict: &str) {
        let project = prose(&self.view.project);
        let _ = writeln!(self.text, "## {project}: {verdict}\n");
        let line = format!(
            "As of {}, law data {}, engine {}. Self-assessed.",
            self.scan.as_of,
            code(&self.scan.regulation_version),
            code(&self.scan.engine_version)
        );
        self.paragraph(&line);
    }

    /// Whether the page has come near to what a comment holds.
    fn full(&self) -> bool {
        self.text.len() > BYTES_MAX
    }

    fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}\n");
    }

    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.text, "### {text}\n");
    }

    fn item(&mut self, text: &str) {
        let _ = writeln!(self.text, "- {text}");
    }

    fn open(&mut self, summary: &str) {
        let _ = writeln!(self.text, "<details>\n<summary>{summary}</summary>\n");
    }

    fn close(&mut self) {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        let _ = writeln!(self.text, "\n\n</details>\n");
    }

    fn end(&mut self) {
        self.text.push('\n');
    }

    fn score(&mut self) {
        let Some(grade) = &self.scan.score.grade else { return };
        let score = &self.scan.score;
        let mut line = format!(
            "**Score {}, {} of 100** {}; {} with what is to come; self-assessed.",
            prose(grade),
            view::score(score.compliance),
            self.view.scored(),
            view::score(score.readiness),
        );
        for cap in &score.caps {
            let _ = write!(
                line,
                " Capped at {}: {}.",
                view::score(cap.cap),
                prose(cap.reason.trim_end_matches('.'))
            );
        }
        self.paragraph(&line);
    }

    fn system(&mut self, system: &System) {
        let scope = if system.scope.is_empty() {
            "the whole project".to_owned()
        } else {
            code(&system.scope)
        };
        self.heading(&format!("System {} ({scope})", prose(&system.name)));
        let entries: Vec<String> = system
            .entry_points
            .iter()
            .take(5)
            .map(|e| {
                format!(
                    "{} {}",
                    code(&clip(&e.name, 60)),
                    code(&view::at(&e.file, Some(e.line)))
                )
            })
            .collect();
        if !entries.is_empty() {
            let more = system.entry_points.len() - entries.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            self.item(&format!("**Entry points:** {}{more}", entries.join(", ")));
        }
        let used: Vec<String> = view::used(self.scan, system)
            .iter()
            .map(|used| prose(&used.describe()))
            .collect();
        if !used.is_empty() {
            self.item(&format!("**Uses:** {}", used.join(", ")));
        }
        let flow = view::flow(self.scan, system);
        if !flow.is_empty() {
            self.item(&format!("**Data flow:** {}", prose(&flow)));
        }
        self.item(&format!(
            "**Role:** {}: {}",
            prose(&system.role),
            prose(&system.role_basis)
        ));
        self.item(&format!(
            "**Risk class:** {}: {}",
            prose(&system.risk_class),
            prose(&system.risk_basis)
        ));
        self.item(&format!("**Obligations:** {}", view::tally(system)));
        if let Some(passes) = self.view.passes.get(system.id.as_str()) {
            let named = view::titles(passes.iter().copied(), 6);
            let line = format!("**Evidence observed:** {}", prose(&named));
            self.item(&line);
        }
        self.end();
    }

    fn today(&mut self) {
        let none = self.view.today.is_empty();
        self.heading(&format!(
            "Applies today ({}): {}",
            self.scan.as_of,
            self.view.today.heading()
        ));
        let today = std::mem::take(&mut self.view.today);
        if none {
            self.paragraph("None of the obligations that were considered applies on this date.");
        }
        self.table(&today.open);
        for (status, rows) in [
            (ObligationStatus::Evidenced, &today.evidenced),
            (ObligationStatus::NotEvaluated, &today.not_evaluated),
        ] {
            if !rows.is_empty() {
                self.open(&format!("{} {}", rows.len(), view::status_words(status)));
                self.table(rows);
                self.close();
            }
        }
        self.view.today = today;
    }

    fn table(&mut self, rows: &[Row<'a>]) {
        if rows.is_empty() {
            return;
        }
        let several = self.scan.systems.len() > 1;
        let (head, line) = if several { (" System |", " --- |") } else { ("", "") };
        let _ = writeln!(
            self.text,
            "| Status | Provision | Obligation | Since |{head} Evidence |"
        );
        let _ = writeln!(self.text, "| --- | --- | --- | --- |{line} --- |");
        for (index, row) in rows.iter().enumerate() {
            if index == ROWS_MAX || self.text.len() > BYTES_MAX / 4 * 3 {
                let _ = writeln!(self.text, "\nAnd {} more.", rows.len() - index);
                break;
            }
            let record = &row.first.record;
            let since = record.applies_from.map(|date| date.to_string()).unwrap_or_default();
            let system = if several {
                format!(" {} |", cell(&self.view.names(&row.systems)))
            } else {
                String::new()
            };
            let places: Vec<String> = record.evidence.iter().filter_map(place).take(2).collect();
            let _ = writeln!(
                self.text,
                "| {} | {} | {} | {since} |{system} {} |",
                view::status_words(record.status),
                cell(&record.article),
                cell(&clip(&record.title, MESSAGE_MAX)),
                places.join(", ")
            );
        }
        self.end();
    }

    fn next(&mut self) {
        if self.view.next.is_empty() && self.view.perhaps_now.is_empty() {
            return;
        }
        self.heading("Comes next");
        let mut rows = Vec::new();
        for (date, day) in &self.view.next {
            for (list, words) in [(&day.certain, "certain"), (&day.open, "depends on an answer")] {
                if !list.is_empty() {
                    let titles = view::titles(list.iter().map(|row| row.title.as_str()), 5);
                    rows.push(format!("| {date} | {} | {words} | {} |", list.len(), cell(&titles)));
                }
            }
        }
        if !self.view.perhaps_now.is_empty() {
            let titles = view::titles(self.view.perhaps_now.iter().map(|row| row.title.as_str()), 5);
            rows.push(format!(
                "| now | {} | depends on an answer | {} |",
                self.view.perhaps_now.len(),
                cell(&titles)
            ));
        }
        let _ = writeln!(
            self.text,
            "| From | Obligations | | Among them |\n| --- | ---: | --- | --- |"
        );
        for row in rows {
            let _ = writeln!(self.text, "{row}");
        }
        self.end();
    }

    fn findings(&mut self) {
        let gaps = std::mem::take(&mut self.view.gaps);
        if !gaps.is_empty() {
            self.heading(&format!("Findings: {}", by_severity(&gaps)));
            let mut shown = 0;
            while shown < gaps.len().min(GROUPS_MAX) && !self.full() {
                self.group(&gaps[shown]);
                shown += 1;
            }
            self.end();
            if gaps.len() > shown {
                self.paragraph(&format!("Not shown: {}.", by_severity(&gaps[shown..])));
            }
        } else if self.scan.applicability == Applicability::SystemsFound {
            self.heading("Findings: no gap was observed for what applies today");
        }
        self.view.gaps = gaps;
        let notices = std::mem::take(&mut self.view.notices);
        if !notices.is_empty() {
            let number: usize = notices
                .iter()
                .map(|group| 1 + group.same.len() + group.other.len())
                .sum();
            self.open(&format!("Worth knowing: {}, no gap today", count(number, "notice")));
            for (index, group) in notices.iter().enumerate() {
                if index == GROUPS_MAX || self.full() {
                    self.item(&format!("and {} more kinds", notices.len() - index));
                    break;
                }
                let more = group.same.len() + group.other.len();
                let more = if more > 0 {
                    format!(" (and {more} more)")
                } else {
                    String::new()
                };
                self.item(&format!("{}{}{more}", at(group.first), message(group.first)));
            }
            self.close();
        }
        self.view.notices = notices;
        self.set_aside();
    }

    fn set_aside(&mut self) {
        let set_aside = std::mem::take(&mut self.view.set_aside);
        if !set_aside.is_empty() {
            self.open(&format!("Set aside: {}", count(set_aside.len(), "finding")));
            for (index, finding) in set_aside.iter().enumerate() {
                if index == ROWS_MAX || self.full() {
                    self.item(&format!("and {} more", set_aside.len() - index));
                    break;
                }
                let Some(why) = &finding.suppressed else { continue };
                let mut line = format!(
                    "{}{}: {}, {}",
                    at(finding),
                    code(&finding.check_id),
                    prose(&why.kind.replace('_', " ")),
                    prose(&clip(&why.reason, MESSAGE_MAX))
                );
                if let Some(owner) = &why.owner {
                    let _ = write!(line, ", decided by {}", prose(owner));
                }
                if let Some(until) = why.until {
                    let _ = write!(line, ", until {until}");
                }
                self.item(&line);
            }
            self.close();
        }
        self.view.set_aside = set_aside;
    }

    fn group(&mut self, group: &Group<'_>) {
        let first = group.first;
        let provision = view::provision(first, self.scan.as_of)
            .map(|text| format!(", {}", prose(&text)))
            .unwrap_or_default();
        let unsure = if first.confidence < 80 {
            format!(", confidence {} %", first.confidence)
        } else {
            String::new()
        };
        self.item(&format!(
            "**{}**{provision}{unsure} {}{}",
            severity(first.severity),
            at(first),
            message(first)
        ));
        if let Some(fix) = &first.fix {
            let _ = writeln!(self.text, "  - **Do:** {}", prose(&clip(fix, MESSAGE_MAX)));
        }
        for finding in group.same.iter().take(PLACES_MAX) {
            let _ = writeln!(self.text, "  - also {}", at(finding).trim_end_matches(": "));
        }
        for finding in group.other.iter().take(PLACES_MAX) {
            let _ = writeln!(self.text, "  - {}{}", at(finding), message(finding));
        }
        let shown = group.same.len().min(PLACES_MAX) + group.other.len().min(PLACES_MAX);
        let more = group.same.len() + group.other.len() - shown;
        if more > 0 {
            let _ = writeln!(self.text, "  - and {more} more of {}", code(&first.check_id));
        }
    }

    fn questions(&mut self) {
        if self.view.questions.is_empty() {
            return;
        }
        self.heading("Questions to answer");
        let questions = std::mem::take(&mut self.view.questions);
        for (index, asked) in questions.iter().enumerate() {
            if index == ROWS_MAX / 2 || self.full() {
                let _ = writeln!(self.text, "\nAnd {} more.", questions.len() - index);
                break;
            }
            let names = self.view.about(asked);
            let names = if names.is_empty() {
                names
            } else {
                format!(" ({})", prose(&names))
            };
            let question = &asked.question;
            let places: Vec<String> = question
                .evidence
                .iter()
                .filter_map(|e| e.file.as_deref().map(|file| code(&view::at(file, e.line))))
                .take(PLACES_MAX)
                .collect();
            let places = if places.is_empty() {
                String::new()
            } else {
                format!(" Seen at {}.", places.join(", "))
            };
            let _ = writeln!(self.text, "{}. **{}**{names}", index + 1, prose(&question.text));
            let _ = writeln!(self.text, "   {}{places}", prose(&clip(&question.why, MESSAGE_MAX)));
            let _ = writeln!(self.text, "   Effect: {}", prose(&clip(&question.effect, MESSAGE_MAX)));
            if !question.command.is_empty() {
                let _ = writeln!(self.text, "   Answer: {}", code(&question.command));
            }
        }
        self.end();
        self.view.questions = questions;
    }

    fn steps(&mut self) {
        let steps: Vec<String> = self.view.steps().iter().map(step).collect();
        if steps.is_empty() {
            return;
        }
        self.heading("What to do next");
        for (index, line) in steps.iter().enumerate() {
            let _ = writeln!(self.text, "{}. {line}", index + 1);
        }
        self.end();
    }

    fn foot(&mut self) {
        let mut line = format!("Read {}.", prose(&self.view.read()));
        let skipped = self.view.skipped();
        if !skipped.is_empty() {
            let _ = write!(line, " Not read: {}.", prose(&skipped));
        }
        self.paragraph("---");
        self.paragraph(&line);
        self.paragraph(&prose(&self.scan.disclaimer));
    }
}

fn step(step: &Step<'_>) -> String {
    match step {
        Step::Fix { finding, more } => {
            let what = finding
                .fix
                .as_deref()
                .filter(|fix| !fix.is_empty())
                .unwrap_or(&finding.title);
            let more = if *more > 0 {
                format!(" (and {more} more like it)")
            } else {
                String::new()
            };
            format!("{}{}{more}", at(finding), prose(&clip(what, MESSAGE_MAX / 2)))
        }
        Step::Answer { asked, questions, open } => {
            let first = if *questions == 1 {
                "Answer"
            } else {
                "Answer the questions below, first"
            };
            let hang = if *open == 0 {
                String::new()
            } else {
                format!(
                    " {} {} on answers.",
                    count(*open, "obligation"),
                    if *open == 1 { "depends" } else { "depend" }
                )
            };
            format!("{first}: {}{hang}", prose(asked))
        }
        Step::Finish {
            file,
            line,
            completeness,
        } => format!(
            "{}: finish the document; {completeness} % of its required sections have substance.",
            code(&view::at(file, Some(*line)))
        ),
        Step::Prepare { date, first, number } => {
            let more = if *number > 1 {
                format!(" and {} more", number - 1)
            } else {
                String::new()
            };
            format!(
                "Get ready for {date}: {} {}{more}.",
                prose(&first.article),
                prose(&first.title)
            )
        }
        Step::Evidence { number } => format!(
            "Bring evidence for the {} that no check could evaluate: documents, runs, named people.",
            count(*number, "obligation")
        ),
    }
}

fn severity(severity: Severity) -> &'static str {
    severity.name()
}

/// The place of a finding and a colon; nothing when it is about the project as a whole.
fn at(finding: &Finding) -> String {
    let cell = finding.cell.map(|cell| format!(" (cell {cell})")).unwrap_or_default();
    view::place(finding)
        .map(|place| format!("{}{cell}: ", code(&place)))
        .unwrap_or_default()
}

fn message(finding: &Finding) -> String {
    prose(&clip(&finding.message, MESSAGE_MAX))
}

fn place(evidence: &Evidence) -> Option<String> {
    evidence
        .file
        .as_deref()
        .map(|file| cell_code(&view::at(file, evidence.line)))
}

/// Foreign text as text: what stands between backticks becomes code, all else loses its meaning to Markdown and HTML.
pub(crate) fn prose(text: &str) -> String {
    written(text, code)
}

/// The same for a cell of a table, where a bar would end the cell.
fn cell(text: &str) -> String {
    written(text, cell_code)
}

fn written(text: &str, code: fn(&str) -> String) -> String {
    let text = clean(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(&text, true);
    }
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        // Without room around it a code span could join another and swallow what lies between.
        let quoted = index % 2 == 1 && !part.trim().is_empty();
        match (index % 2 == 1, quoted) {
            (true, true) => out.push_str(&code(part)),
            (true, false) => {}
            (false, _) => {
                if part.is_empty() && index > 0 && index + 1 < parts.len() {
                    out.push(' ');
                }
                out.push_str(&escape(part, index == 0));
            }
        }
    }
    out
}

/// Foreign text without any meaning to Markdown or HTML.
fn escape(text: &str, start: bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (index, c) in text.char_indices() {
        let rest = &text[index + c.len_utf8()..];
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' => out.push_str("&#124;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '!' | '#' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // A name after this sign would call a person to the pull request; a scheme or `www.` would become a link.
            '@' => out.push_str("@\u{2060}"),
            ':' if rest.starts_with("//") => out.push_str("&#58;"),
            '.' if out.ends_with(['w', 'W']) => out.push_str(".\u{2060}"),
            // These open a list or a heading, but only where a line begins.
            '-' | '+' | '=' | '.' | ')' if start && out.bytes().all(|b| b.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Foreign text as a code span.
fn code(text: &str) -> String {
    let text = clean(text);
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Foreign text as code in a cell of a table.
fn cell_code(text: &str) -> String {
    if !text.contains(['|', '\\', '`']) {
        return code(text);
    }
    // A bar ends a cell even inside backticks, so the characters are spelt out.
    let mut out = String::from("<code>");
    for c in clean(text).chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | '/' | '.' | '-') {
            out.push(c);
        } else {
            let _ = write!(out, "&#{};", u32::from(c));
        }
    }
    out.push_str("</code>");
    out
}
