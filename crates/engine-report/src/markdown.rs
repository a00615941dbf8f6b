//! The report as Markdown, in the order of the text report. Text of the project passes `prose`, `cell`, `code` or `cell_code`, and
//! nothing else writes it.

use std::fmt::Write;

use engine_model::{Action, ActionKind, Evidence, ObligationStatus, ScanResult, System};

use crate::actions::{answers, short};
use crate::external;
use crate::foreign::{clean, clip, count};
use crate::sentences::{brief, sentence};
use crate::view::{self, Row, View};

/// Bytes after which lists are cut; the rest of the page is left for what follows them.
const BYTES_MAX: usize = 44_000;

/// Rows of a table; a comment on a pull request holds 65,536 characters.
const ROWS_MAX: usize = 40;

/// Items of one part.
const ITEMS_MAX: usize = 30;

/// Further places listed per item.
const PLACES_MAX: usize = 5;

/// Characters of one text, which ends after a sentence.
const TEXT_MAX: usize = 400;

pub(crate) fn render(scan: &ScanResult) -> String {
    let mut page = Page {
        text: String::new(),
        view: View::of(scan),
        scan,
    };
    page.head();
    page.systems();
    page.part(ActionKind::FixNow, "Fix now, whatever the law says");
    page.duties();
    page.decide();
    page.prepare();
    page.suppressed();
    page.foot();
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
    fn head(&mut self) {
        let project = prose(&self.view.project);
        let _ = writeln!(self.text, "## {project}: {}\n", prose(&self.view.verdict()));
        for (label, text, _) in self.view.standing() {
            self.paragraph(&format!("**{}**{}", prose(&label), prose_after(&text)));
        }
        let mut line = prose(&self.view.work(true));
        if !self.scan.applicability_reason.is_empty() {
            let _ = write!(line, " {}", prose(&sentence(&self.scan.applicability_reason)));
        }
        if let Some(next) = self.view.what_would_change() {
            let _ = write!(line, " {next}");
        }
        self.paragraph(&line);
        let unparsed = self.view.unparsed();
        if !unparsed.is_empty() {
            self.paragraph(&format!("**Not fully read:** {}", prose(&unparsed)));
        }
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

    fn systems(&mut self) {
        let systems = &self.scan.systems;
        if systems.is_empty() {
            return;
        }
        for (index, system) in systems.iter().enumerate() {
            // Half of the page is kept for what is to be done.
            if index == ROWS_MAX || self.text.len() > BYTES_MAX / 4 {
                self.item(&format!("And {}.", count(systems.len() - index, "more system")));
                break;
            }
            self.system(system);
        }
        self.end();
    }

    fn system(&mut self, system: &System) {
        let scope = if system.scope.is_empty() {
            "whole project".to_owned()
        } else {
            code(&system.scope)
        };
        let about = self.view.about_system(system, false);
        let line = format!(
            "**{}** ({scope}): {}. Obligations: {}.",
            prose(&system.name),
            prose(&about),
            view::tally(system)
        );
        self.item(&line);
        let _ = writeln!(
            self.text,
            "  - Role: {}. {}",
            prose(&system.role),
            prose(&sentence(&system.role_basis))
        );
        let _ = writeln!(
            self.text,
            "  - Risk class: {}. {}",
            prose(&self.view.class(system)),
            prose(&sentence(&system.risk_basis))
        );
    }

    fn actions(&self, kind: ActionKind) -> Vec<Action> {
        let actions = self.view.actions.iter();
        actions.filter(|action| action.kind == kind).cloned().collect()
    }

    fn part(&mut self, kind: ActionKind, title: &str) {
        let actions = self.actions(kind);
        if actions.is_empty() {
            return;
        }
        self.heading(title);
        self.list(&actions);
    }

    /// A numbered list; the number is the rank of an action, the same in every format.
    fn list(&mut self, actions: &[Action]) {
        for (index, action) in actions.iter().enumerate() {
            if index == ITEMS_MAX || self.full() {
                let _ = writeln!(self.text, "\nAnd {} more.", actions.len() - index);
                break;
            }
            self.action(action);
        }
        self.end();
    }

    fn action(&mut self, action: &Action) {
        let severity = action
            .severity
            .map_or_else(String::new, |severity| format!(" ({})", severity.name()));
        let place = action
            .place
            .as_ref()
            .map_or_else(String::new, |place| format!(" {}", code(place)));
        let law = match (&action.article, action.until) {
            (Some(article), Some(date)) => format!(" {}, from {}.", prose(article), short(date)),
            (Some(article), None) if action.kind == ActionKind::Duty => format!(" {}.", prose(article)),
            _ => String::new(),
        };
        let _ = writeln!(
            self.text,
            "{}. **{}**{severity}{place}: {}{law}",
            action.rank,
            prose(&action.title),
            prose(&brief(&action.why, TEXT_MAX))
        );
        if !action.how.is_empty() {
            let _ = writeln!(self.text, "   - **Do:** {}", prose(&brief(&action.how, TEXT_MAX)));
        }
        if let Some(command) = &action.command {
            let label = if action.findings.is_empty() || answers(command) {
                "Answer"
            } else {
                "Preview a fix"
            };
            let _ = writeln!(self.text, "   - {label}: {}", code(command));
        }
        let places: Vec<String> = action.places.iter().take(PLACES_MAX).map(|place| code(place)).collect();
        if !places.is_empty() {
            let more = action.places.len() - places.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let _ = writeln!(self.text, "   - Also {}{more}", places.join(", "));
        }
    }

    fn duties(&mut self) {
        if self.scan.systems.is_empty() {
            return;
        }
        let today = std::mem::take(&mut self.view.today);
        let date = short(self.scan.as_of);
        if today.is_empty() {
            self.heading(&format!("Duties in force on {date}: none"));
        } else {
            self.heading(&format!("Duties in force on {date}: {}", today.heading()));
            let actions = self.actions(ActionKind::Duty);
            self.list(&actions);
            for (status, rows) in [
                (ObligationStatus::Gap, &today.open),
                (ObligationStatus::Evidenced, &today.evidenced),
                (ObligationStatus::NotEvaluated, &today.not_evaluated),
            ] {
                if !rows.is_empty() {
                    let what = if status == ObligationStatus::Gap {
                        "gap or incomplete"
                    } else {
                        view::status_words(status)
                    };
                    self.open(&format!("{} {what}", rows.len()));
                    self.table(rows);
                    self.close();
                }
            }
        }
        self.view.today = today;
    }

    fn table(&mut self, rows: &[Row<'a>]) {
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
                cell(&clip(&record.title, TEXT_MAX)),
                places.join(", ")
            );
        }
        self.end();
    }

    fn decide(&mut self) {
        let (notices, questions): (Vec<_>, Vec<_>) = self
            .actions(ActionKind::Decide)
            .into_iter()
            .partition(|action| !action.findings.is_empty());
        if notices.is_empty() && questions.is_empty() {
            return;
        }
        let title = if questions.is_empty() {
            "Decide".to_owned()
        } else {
            format!("Decide: {} only you can answer", count(questions.len(), "question"))
        };
        self.heading(&title);
        if !notices.is_empty() {
            self.list(&notices);
        }
        for (index, action) in questions.iter().enumerate() {
            if index == ROWS_MAX / 2 || self.full() {
                let _ = writeln!(self.text, "\nAnd {} more.", questions.len() - index);
                break;
            }
            self.question(index, action);
        }
        self.end();
    }

    fn question(&mut self, index: usize, action: &Action) {
        let open = self.view.questions.get(index);
        let about = open.map_or_else(String::new, |open| self.view.about(open));
        let about = if about.is_empty() {
            about
        } else {
            format!(" ({})", prose(&about))
        };
        let likely = open
            .and_then(|open| open.question.suggestion.as_ref())
            .map(|likely| format!("Likely {}: {}.", likely.value, likely.because.trim_end_matches('.')));
        let places: Vec<String> = action
            .place
            .iter()
            .chain(&action.places)
            .take(PLACES_MAX)
            .map(|place| code(place))
            .collect();
        let places = if places.is_empty() {
            String::new()
        } else {
            format!(" See {}.", places.join(", "))
        };
        let _ = writeln!(self.text, "- **Q{}: {}**{about}", index + 1, prose(&action.title));
        let _ = writeln!(self.text, "  - {}{places}", prose(&brief(&action.why, TEXT_MAX)));
        if let Some(likely) = likely {
            let _ = writeln!(self.text, "  - {}", prose(&likely));
        }
        let _ = writeln!(self.text, "  - {}", prose(&brief(&action.how, TEXT_MAX)));
        if let Some(command) = &action.command {
            let _ = writeln!(self.text, "  - Answer: {}", code(command));
        }
    }

    fn prepare(&mut self) {
        let days = self.view.days();
        let findings: Vec<Action> = self
            .actions(ActionKind::Prepare)
            .into_iter()
            .filter(|action| !action.findings.is_empty())
            .collect();
        if days.is_empty() && findings.is_empty() && self.view.later().is_empty() {
            return;
        }
        self.heading("Prepare");
        if !days.is_empty() {
            let _ = writeln!(self.text, "| From | Duties |\n| --- | --- |");
            for (date, text) in days {
                let _ = writeln!(self.text, "| {} | {} |", short(date), cell(&text));
            }
            self.end();
        }
        let later = self.view.later();
        if !later.is_empty() {
            self.paragraph(&later);
        }
        if !findings.is_empty() {
            let summary = format!("{} for later dates or open questions", count(findings.len(), "finding"));
            self.open(&summary);
            self.list(&findings);
            self.close();
        }
    }

    fn suppressed(&mut self) {
        let suppressed = std::mem::take(&mut self.view.set_aside);
        if !suppressed.is_empty() {
            self.open(&format!("Suppressed: {}", count(suppressed.len(), "finding")));
            for (index, finding) in suppressed.iter().enumerate() {
                if index == ROWS_MAX || self.full() {
                    self.item(&format!("and {} more", suppressed.len() - index));
                    break;
                }
                let Some(why) = &finding.suppressed else { continue };
                let place = view::place(finding)
                    .map(|place| format!("{}: ", code(&place)))
                    .unwrap_or_default();
                let mut line = format!(
                    "{place}{}: {}, {}",
                    code(&finding.check_id),
                    prose(&why.kind.replace('_', " ")),
                    prose(&clip(&why.reason, TEXT_MAX))
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
        self.view.set_aside = suppressed;
    }

    fn foot(&mut self) {
        let mut line = format!(
            "As of {}, law data {}, engine {}.",
            self.scan.as_of,
            code(&self.scan.regulation_version),
            code(&self.scan.engine_version)
        );
        let skipped = self.view.skipped();
        if !skipped.is_empty() {
            let _ = write!(line, " Not read: {}.", prose(&skipped));
        }
        let tools = external::lines(self.scan);
        if !tools.is_empty() {
            self.heading("External tools");
            for tool in &tools {
                self.item(&prose(tool));
            }
            self.end();
        }
        self.paragraph("---");
        self.paragraph(&line);
        self.paragraph(&prose(&self.scan.disclaimer));
    }
}

/// Foreign text after a label, whose leading space or comma stays.
fn prose_after(text: &str) -> String {
    let space = if text.starts_with(' ') { " " } else { "" };
    format!("{space}{}", prose(text))
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
            '.' if out.to_ascii_lowercase().ends_with("www") => out.push_str(".\u{2060}"),
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
