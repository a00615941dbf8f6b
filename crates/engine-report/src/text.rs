//! The report for a terminal: what applies, what is open, where, and what to do next.

use std::fmt::Write;

use engine_model::{Applicability, CallKind, Evidence, Finding, ObligationStatus, ScanResult, Severity, System, Zone};

use crate::TextOptions;
use crate::foreign::{clean, clip, count};
use crate::terminal::{Style, Terminal, keep};
use crate::view::{self, Group, Row, Step, View};

/// Entry points shown per system.
const ENTRY_POINTS_MAX: usize = 3;

/// Open obligations shown; the rest is a count.
const OPEN_MAX: usize = 8;

/// Groups of findings shown; the rest is a count by severity.
const GROUPS_MAX: usize = 12;

/// Other places or messages shown per group.
const PLACES_MAX: usize = 3;

/// Lines that a notice may take below its first.
const NOTICE_LINES: usize = 2;

/// Notices shown.
const NOTICES_MAX: usize = 5;
/// Further lines that a notice may take to differ from another.
const MORE_LINES_MAX: usize = 3;

/// Questions shown.
const QUESTIONS_MAX: usize = 6;

/// Titles named on one line.
const TITLES_MAX: usize = 3;

/// Lines that one message or advice may take.
const LINES_MAX: usize = 2;

pub(crate) fn render(scan: &ScanResult, options: &TextOptions) -> String {
    let mut report = Report {
        out: Terminal::new(options.colour, options.width),
        prefix: options.path_prefix.as_deref().unwrap_or(""),
        view: View::of(scan),
        scan,
    };
    match scan.applicability {
        Applicability::SystemsFound => report.systems_found(),
        Applicability::NoAiFound => report.no_ai_found(),
        Applicability::Library => report.library(),
        Applicability::Undetermined => report.undetermined(),
    }
    report.out.finish()
}

struct Report<'a> {
    out: Terminal,
    prefix: &'a str,
    view: View<'a>,
    scan: &'a ScanResult,
}

impl Report<'_> {
    fn systems_found(&mut self) {
        let systems = count(self.scan.systems.len(), "AI system");
        self.headline(Style::Bold, &format!("the EU AI Act is relevant, {systems} observed"));
        self.note("Why", &self.scan.applicability_reason);
        self.basis();
        self.score();
        for system in &self.scan.systems {
            self.system(system);
        }
        self.today();
        self.next();
        self.findings();
        self.questions();
        self.steps();
        self.foot();
    }

    fn no_ai_found(&mut self) {
        self.headline(Style::Green, "no AI system observed");
        let read = self.view.read();
        self.say(&format!("Read {read}: {}.", full_stop(&self.scan.applicability_reason)));
        let date = self.scan.as_of;
        self.say(&format!(
            "No obligations of the EU AI Act follow from this source ({}, law data {}).",
            keep(&format!("as of {date}")),
            self.scan.regulation_version
        ));
        self.findings();
        self.foot();
    }

    fn library(&mut self) {
        self.headline(Style::Bold, "a library that uses models, not itself an AI system");
        self.note("Why", &self.scan.applicability_reason);
        let places: Vec<String> = self
            .scan
            .inventory
            .calls
            .iter()
            .filter(|call| call.zone == Zone::Product && call.kind == CallKind::Call)
            .map(|call| self.path(&view::at(&call.file, Some(call.line))))
            .collect();
        if !places.is_empty() {
            let shown = view::titles(places.iter().map(String::as_str), TITLES_MAX);
            self.note("Uses of a model", &shown.replace("; ", ", ").replace(", and ", " and "));
        }
        self.note(
            "What would change this",
            "an entry point, a service or a deployment in this project that runs the code; whoever builds a system on \
             the library has the duties for that system.",
        );
        self.basis();
        self.findings();
        self.questions();
        self.foot();
    }

    fn undetermined(&mut self) {
        self.headline(
            Style::Yellow,
            "whether the EU AI Act is relevant could not be determined",
        );
        self.note("Why", &self.scan.applicability_reason);
        self.note(
            "What would change this",
            "a use of a model that can be followed in the code, or the removal of what points to one; until then no \
             obligation is claimed.",
        );
        self.basis();
        self.findings();
        self.questions();
        self.foot();
    }

    fn headline(&mut self, style: Style, verdict: &str) {
        let project = format!("{}:", self.view.project);
        self.out
            .line(0, 2, &[(Style::Bold, &project), (Style::Plain, " "), (style, verdict)]);
    }

    fn say(&mut self, text: &str) {
        self.out.line(2, 2, &[(Style::Plain, text)]);
    }

    fn note(&mut self, label: &str, text: &str) {
        self.out
            .line(2, 4, &[(Style::Dim, label), (Style::Dim, ": "), (Style::Plain, text)]);
    }

    fn basis(&mut self) {
        let text = format!(
            "{}, law data {}, engine {}; read {}",
            self.scan.as_of,
            self.scan.regulation_version,
            self.scan.engine_version,
            self.view.read()
        );
        self.note("As of", &text);
    }

    fn score(&mut self) {
        let Some(grade) = &self.scan.score.grade else { return };
        let score = &self.scan.score;
        let colour = match score.zone.as_str() {
            "green" => Style::Green,
            "yellow" => Style::Yellow,
            _ => Style::Red,
        };
        let head = format!("{grade}, {} of 100", view::score(score.compliance));
        let rest = format!(
            " {}; {} with what is to come; self-assessed",
            self.view.scored(),
            view::score(score.readiness),
        );
        self.out.line(
            2,
            4,
            &[(Style::Dim, "Score: "), (colour, &keep(&head)), (Style::Plain, &rest)],
        );
        for cap in &score.caps {
            let reason = format!("capped at {}: {}", view::score(cap.cap), cap.reason);
            self.out.line(4, 6, &[(Style::Plain, &clip(&reason, self.room(4)))]);
        }
    }

    fn system(&mut self, system: &System) {
        let scope = if system.scope.is_empty() {
            "the whole project".to_owned()
        } else {
            self.path(&system.scope)
        };
        self.out
            .heading(&format!("System {}", system.name), &format!(" ({scope})"));
        let entries: Vec<String> = system
            .entry_points
            .iter()
            .take(ENTRY_POINTS_MAX)
            .map(|e| format!("{} {}", clip(&e.name, 48), self.path(&view::at(&e.file, Some(e.line)))))
            .collect();
        if !entries.is_empty() {
            let more = system.entry_points.len() - entries.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            self.note("Entry points", &format!("{}{more}", entries.join(", ")));
        }
        let used: Vec<String> = view::used(self.scan, system).iter().map(view::Used::describe).collect();
        if !used.is_empty() {
            self.note("Uses", &used.join(", "));
        }
        let flow = view::flow(self.scan, system);
        if !flow.is_empty() {
            self.note("Data flow", &flow);
        }
        let first = &self.scan.systems[0];
        let told = system.id != first.id && system.role == first.role && system.role_basis == first.role_basis;
        let basis = if told {
            "on the same basis as above"
        } else {
            system.role_basis.as_str()
        };
        self.note("Role", &format!("{}: {basis}", system.role));
        self.note("Risk class", &format!("{}: {}", system.risk_class, system.risk_basis));
        self.note("Obligations", &view::tally(system));
        if let Some(passes) = self.view.passes.get(system.id.as_str()) {
            let named = view::titles(passes.iter().copied(), TITLES_MAX);
            self.note(
                "Evidence observed",
                &clip(&named, self.room(2) - "Evidence observed: ".len()),
            );
        }
    }

    fn today(&mut self) {
        let none = self.view.today.is_empty();
        let date = self.scan.as_of;
        self.out.heading(
            &format!("Applies today ({date})"),
            &format!(": {}", self.view.today.heading()),
        );
        if none {
            self.say("None of the obligations that were considered applies on this date.");
            return;
        }
        let open = std::mem::take(&mut self.view.today.open);
        for row in open.iter().take(OPEN_MAX) {
            self.obligation(row);
        }
        if open.len() > OPEN_MAX {
            let rest = &open[OPEN_MAX..];
            self.say(&format!(
                "and {} more open: {}",
                rest.len(),
                self.named(rest, TITLES_MAX)
            ));
        }
        if !self.view.today.evidenced.is_empty() {
            let line = format!(
                "{}: {}",
                self.view.today.evidenced.len(),
                self.named(&self.view.today.evidenced, 5)
            );
            self.out
                .line(2, 14, &[(Style::Green, &label("evidenced")), (Style::Plain, &line)]);
        }
        if !self.view.today.not_evaluated.is_empty() {
            let rows = &self.view.today.not_evaluated;
            let line = format!("{}: {}", rows.len(), self.named(rows, 5));
            self.out
                .line(2, 16, &[(Style::Dim, &label("not evaluated")), (Style::Plain, &line)]);
        }
        self.view.today.open = open;
    }

    fn obligation(&mut self, row: &Row<'_>) {
        let record = &row.first.record;
        let style = if record.status == ObligationStatus::Gap {
            Style::Red
        } else {
            Style::Yellow
        };
        let mut tail = String::new();
        if let Some(date) = record.applies_from {
            let _ = write!(tail, ", {}", keep(&format!("since {date}")));
        }
        let names = self.view.names(&row.systems);
        if !names.is_empty() {
            let _ = write!(tail, " [{names}]");
        }
        if let Some(place) = record
            .evidence
            .iter()
            .find_map(|evidence| self.evidence_place(evidence))
        {
            let _ = write!(tail, " {place}");
        }
        let title = format!("{} {}", citation(&record.article), record.title);
        let status = label(view::status_words(record.status));
        self.out
            .line(2, 14, &[(style, &status), (Style::Plain, &title), (Style::Dim, &tail)]);
    }

    /// Titles with their articles; those of one article are named together.
    fn named(&self, rows: &[Row<'_>], most: usize) -> String {
        let mut by_article: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for row in rows {
            let record = &row.first.record;
            let article = record.article.split(['(', ',']).next().unwrap_or_default().trim();
            match by_article.iter_mut().find(|(known, ..)| *known == article) {
                Some((.., titles)) => titles.push(&record.title),
                None => by_article.push((article, &record.article, vec![&record.title])),
            }
        }
        let parts: Vec<String> = by_article
            .iter()
            .map(|(article, whole, titles)| match titles.as_slice() {
                [one] => format!("{} {one}", citation(whole)),
                [first, rest @ ..] => format!("{} {first} and {} more", keep(article), rest.len()),
                [] => keep(article),
            })
            .collect();
        let text = view::titles(parts.iter().map(String::as_str), most);
        clip(&text, self.room(16) * LINES_MAX)
    }

    fn next(&mut self) {
        if self.view.next.is_empty() && self.view.perhaps_now.is_empty() {
            return;
        }
        self.out.heading("Comes next", "");
        let days: Vec<_> = self
            .view
            .next
            .iter()
            .map(|(date, day)| {
                let certain = view::titles(day.certain.iter().map(|row| row.title.as_str()), TITLES_MAX);
                let open = view::titles(day.open.iter().map(|row| row.title.as_str()), 2);
                (date.to_string(), (day.certain.len(), certain), (day.open.len(), open))
            })
            .collect();
        for (date, (certain, certain_titles), (open, open_titles)) in days {
            let mut text = Vec::new();
            if certain > 0 {
                text.push(format!("{certain} certain: {certain_titles}"));
            }
            if open > 0 {
                let verb = if open == 1 { "depends" } else { "depend" };
                text.push(format!("{open} {verb} on an answer: {open_titles}"));
            }
            let text = format!(" {}", text.join(". "));
            self.out.line(
                2,
                14,
                &[(Style::Cyan, &date), (Style::Plain, " "), (Style::Plain, &text)],
            );
        }
        if !self.view.perhaps_now.is_empty() {
            let rows = &self.view.perhaps_now;
            let text = format!(
                "{} of those in force {} on an answer: {}",
                rows.len(),
                if rows.len() == 1 { "depends" } else { "depend" },
                view::titles(rows.iter().map(|row| row.title.as_str()), TITLES_MAX)
            );
            self.out.line(
                2,
                14,
                &[
                    (Style::Cyan, "now\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}"),
                    (Style::Plain, " "),
                    (Style::Plain, &text),
                ],
            );
        }
    }

    fn findings(&mut self) {
        let gaps = std::mem::take(&mut self.view.gaps);
        if !gaps.is_empty() {
            self.out.heading("Findings", &format!(": {}", by_severity(&gaps)));
            for group in gaps.iter().take(GROUPS_MAX) {
                self.group(group);
            }
            if gaps.len() > GROUPS_MAX {
                self.say(&format!(
                    "Not shown: {}. The JSON output holds all.",
                    by_severity(&gaps[GROUPS_MAX..])
                ));
            }
        } else if self.scan.applicability == Applicability::SystemsFound {
            self.out
                .heading("Findings", ": no gap was observed for what applies today");
        }
        self.view.gaps = gaps;
        self.notices();
        let total = self.view.set_aside.len();
        if total > 0 {
            let accepted = self
                .view
                .set_aside
                .iter()
                .filter(|f| f.suppressed.as_ref().is_some_and(|s| s.kind == "accepted_risk"));
            let accepted = accepted.count();
            self.out.gap();
            self.note(
                "Set aside",
                &format!(
                    "{} ({accepted} as accepted risk, {} as wrong)",
                    count(total, "finding"),
                    total - accepted
                ),
            );
        }
        let listed = self.scan.findings.len() as u64;
        if self.scan.findings_total > listed {
            self.say(&format!(
                "Only {listed} of {} findings were asked for.",
                self.scan.findings_total
            ));
        }
    }

    fn notices(&mut self) {
        let notices = std::mem::take(&mut self.view.notices);
        if !notices.is_empty() {
            let number: usize = notices.iter().map(Group::len).sum();
            self.out
                .heading("Worth knowing", &format!(": {}, no gap today", count(number, "notice")));
            let shown: Vec<&Finding> = notices.iter().take(NOTICES_MAX).map(|group| group.first).collect();
            for group in notices.iter().take(NOTICES_MAX) {
                let others: Vec<&Finding> = shown
                    .iter()
                    .copied()
                    .filter(|other| other.id != group.first.id)
                    .collect();
                self.message(group.first, group.same.len() + group.other.len(), &others);
            }
            if notices.len() > NOTICES_MAX {
                let rest: usize = notices[NOTICES_MAX..].iter().map(Group::len).sum();
                self.say(&format!("and {rest} more"));
            }
        }
        self.view.notices = notices;
    }

    fn group(&mut self, group: &Group<'_>) {
        let first = group.first;
        let mut tail = String::new();
        if let Some(provision) = view::provision(first, self.scan.as_of) {
            let _ = write!(tail, " {}", citation(&provision));
        }
        if first.confidence < 80 {
            let _ = write!(tail, " {}", keep(&format!("(confidence {} %)", first.confidence)));
        }
        let severity = first.severity.name();
        let place = self.place(first);
        self.out.line(
            2,
            6,
            &[
                (Style::Bold, &place),
                (Style::Plain, " "),
                (severity_style(first.severity), severity),
                (Style::Plain, &tail),
            ],
        );
        let message = clip(&first.message, self.room(6) * LINES_MAX);
        self.out.line(6, 6, &[(Style::Plain, &message)]);
        if let Some(fix) = &first.fix {
            let fix = clip(fix, self.room(6) * LINES_MAX - 8);
            self.out.line(
                6,
                8,
                &[(Style::Green, "Do:"), (Style::Plain, " "), (Style::Plain, &fix)],
            );
        }
        if !group.same.is_empty() {
            let mut places: Vec<String> = Vec::new();
            for finding in &group.same {
                let place = self.place(finding);
                if !places.contains(&place) && places.len() < PLACES_MAX {
                    places.push(place);
                }
            }
            let more = group.same.len().saturating_sub(places.len());
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let text = format!("{}{more}", places.join(", "));
            self.out.line(
                6,
                8,
                &[(Style::Dim, "Also:"), (Style::Plain, " "), (Style::Plain, &text)],
            );
        }
        for finding in group.other.iter().take(PLACES_MAX) {
            self.message(finding, 0, &[]);
        }
        if group.other.len() > PLACES_MAX {
            let text = format!("and {} more of {}", group.other.len() - PLACES_MAX, first.check_id);
            self.out.line(6, 8, &[(Style::Dim, &text)]);
        }
    }

    /// One line: the place, then the message, cut at the width; further ones as long as it reads like another message without them.
    fn message(&mut self, finding: &Finding, more: usize, others: &[&Finding]) {
        let place = self.place(finding);
        let more = if more > 0 {
            format!(" (and {more} more)")
        } else {
            String::new()
        };
        let taken = 2 + crate::foreign::columns(&place) + 1 + more.len();
        // What a notice says first is what was seen; why it matters follows, and goes on in the next lines.
        let beside = self.out.width().saturating_sub(taken);
        let room = beside + NOTICE_LINES * self.room(6);
        let alike = |room: usize| {
            let cut = clip(&finding.message, room);
            others
                .iter()
                .any(|other| other.message != finding.message && clip(&other.message, room) == cut)
        };
        let room = (0..=MORE_LINES_MAX)
            .map(|lines| room + lines * self.room(6))
            .find(|room| !alike(*room))
            .unwrap_or(room);
        let message = clip(&finding.message, room);
        self.out.line(
            2,
            6,
            &[
                (Style::Bold, &place),
                (Style::Plain, " "),
                (Style::Plain, &message),
                (Style::Dim, &more),
            ],
        );
    }

    fn questions(&mut self) {
        let questions = std::mem::take(&mut self.view.questions);
        if questions.is_empty() {
            return;
        }
        self.out.heading("Questions", " to answer: engine-server answer .");
        for (index, asked) in questions.iter().take(QUESTIONS_MAX).enumerate() {
            let names = self.view.about(asked);
            let names = if names.is_empty() { names } else { format!(" [{names}]") };
            let number = format!("Q{}", index + 1);
            let question = &asked.question;
            self.out.line(
                2,
                5,
                &[
                    (Style::Plain, &number),
                    (Style::Plain, " "),
                    (Style::Bold, &question.text),
                    (Style::Dim, &names),
                ],
            );
            // Several pieces of evidence may stand at one place, which is named once.
            let mut places: Vec<String> = Vec::new();
            for place in question.evidence.iter().filter_map(|e| self.evidence_place(e)) {
                if places.len() < PLACES_MAX && !places.contains(&place) {
                    places.push(place);
                }
            }
            let why = clip(&question.why, self.room(5) * LINES_MAX - 10);
            let why = if places.is_empty() {
                why
            } else {
                format!("{why} {}", places.join(", "))
            };
            self.out
                .line(5, 7, &[(Style::Dim, "Why:"), (Style::Plain, " "), (Style::Plain, &why)]);
            let effect = clip(&question.effect, self.room(5) * LINES_MAX - 12);
            self.out.line(
                5,
                7,
                &[(Style::Dim, "Effect:"), (Style::Plain, " "), (Style::Plain, &effect)],
            );
            if let Some(likely) = &question.suggestion {
                let likely = format!("`{}`, because {}.", likely.value, likely.because.trim_end_matches('.'));
                self.out.line(
                    5,
                    7,
                    &[(Style::Dim, "Likely:"), (Style::Plain, " "), (Style::Plain, &likely)],
                );
            }
        }
        if questions.len() > QUESTIONS_MAX {
            self.say(&format!("and {} more", questions.len() - QUESTIONS_MAX));
        }
        self.view.questions = questions;
    }

    fn steps(&mut self) {
        let lines: Vec<String> = self.view.steps().iter().map(|step| self.step(step)).collect();
        if lines.is_empty() {
            return;
        }
        self.out.heading("What to do next", "");
        for (index, line) in lines.iter().enumerate() {
            let number = format!("{}.", index + 1);
            let line = clip(line, self.room(5) * LINES_MAX);
            self.out.line(
                2,
                5,
                &[(Style::Bold, &number), (Style::Plain, " "), (Style::Plain, &line)],
            );
        }
    }

    fn step(&self, step: &Step<'_>) -> String {
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
                format!("{}{more}: {}", self.place(finding), clip(what, self.room(5) + 30))
            }
            Step::Answer { asked, questions, open } => {
                let first = if *questions == 1 {
                    "Answer"
                } else {
                    "Answer the questions above, first"
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
                format!("{first}: {asked}{hang}")
            }
            Step::Finish {
                file,
                line,
                completeness,
            } => {
                let place = self.path(&view::at(file, Some(*line)));
                format!("{place}: finish the document; {completeness} % of its required sections have substance.")
            }
            Step::Prepare { date, first, number } => {
                let more = if *number > 1 {
                    format!(" and {} more", number - 1)
                } else {
                    String::new()
                };
                format!(
                    "Get ready for {date}: {} {}{more}.",
                    citation(&first.article),
                    first.title
                )
            }
            Step::Evidence { number } => format!(
                "Bring evidence for the {} that no check could evaluate: documents, runs, named people.",
                count(*number, "obligation")
            ),
        }
    }

    fn foot(&mut self) {
        if self.scan.applicability != Applicability::NoAiFound {
            self.out.gap();
        }
        let skipped = self.view.skipped();
        if !skipped.is_empty() {
            self.note("Not read", &skipped);
        }
        // A terminal gets the first sentence; the other formats carry the whole.
        let disclaimer = self
            .scan
            .disclaimer
            .split_once(". ")
            .map_or(self.scan.disclaimer.as_str(), |(first, _)| first);
        self.out
            .line(2, 2, &[(Style::Dim, &format!("{}.", full_stop(disclaimer)))]);
    }

    /// Columns that are left beside an indent.
    fn room(&self, indent: usize) -> usize {
        self.out.width() - indent
    }

    fn place(&self, finding: &Finding) -> String {
        let Some(place) = view::place(finding) else {
            return keep("(whole project)");
        };
        let cell = finding
            .cell
            .map(|cell| format!("\u{a0}(cell\u{a0}{cell})"))
            .unwrap_or_default();
        format!("{}{cell}", self.path(&place))
    }

    fn evidence_place(&self, evidence: &Evidence) -> Option<String> {
        evidence
            .file
            .as_deref()
            .map(|file| self.path(&view::at(file, evidence.line)))
    }

    /// A path as the reader can open it, in one piece.
    fn path(&self, path: &str) -> String {
        let slash = if self.prefix.is_empty() || self.prefix.ends_with('/') {
            ""
        } else {
            "/"
        };
        keep(&format!("{}{slash}{path}", self.prefix))
    }
}

impl Group<'_> {
    fn len(&self) -> usize {
        1 + self.same.len() + self.other.len()
    }
}

/// A status in a column of its own.
fn label(words: &str) -> String {
    let words = keep(words);
    let fill = 14_usize.saturating_sub(words.chars().count()).max(1);
    format!("{words}{}", "\u{a0}".repeat(fill))
}

/// Provisions that break between each other, but not inside.
fn citation(text: &str) -> String {
    clean(text).split(", ").map(keep).collect::<Vec<_>>().join(", ")
}

fn full_stop(text: &str) -> &str {
    text.trim_end_matches('.')
}

const fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Critical | Severity::High => Style::Red,
        Severity::Medium => Style::Yellow,
        Severity::Low => Style::Cyan,
        Severity::Info => Style::Dim,
    }
}

/// `3 open (1 critical, 2 high)`.
pub(crate) fn by_severity(groups: &[Group<'_>]) -> String {
    let parts: Vec<String> = [
        Severity::Critical,
        Severity::High,
        Severity::Medium,
        Severity::Low,
        Severity::Info,
    ]
    .into_iter()
    .map(|severity| {
        (
            severity,
            groups
                .iter()
                .filter(|g| g.first.severity == severity)
                .map(Group::len)
                .sum::<usize>(),
        )
    })
    .filter(|(_, number)| *number > 0)
    .map(|(severity, number)| format!("{number} {}", severity.name()))
    .collect();
    let total: usize = groups.iter().map(Group::len).sum();
    format!("{total} open ({})", parts.join(", "))
}
