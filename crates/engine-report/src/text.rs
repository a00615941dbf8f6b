//! The report for a terminal: what this is, what to fix now, the duties in force, what to decide, what to prepare.
//!
//! By default it has at most [`LINES_MAX`] lines. Items that do not fit are counted, gravest first shown, and no sentence is cut:
//! a text that is too long ends after one of its sentences.

use engine_model::{Action, ActionKind, Applicability, Severity, System};

use crate::TextOptions;
use crate::actions::{answers, short};
use crate::external;
use crate::foreign::{columns, count};
use crate::sentences::{brief, sentence};
use crate::terminal::{Style, Terminal, keep};
use crate::view::{self, View};

/// Lines of the report unless everything is asked for.
const LINES_MAX: usize = 60;

/// Places shown per item.
const PLACES_MAX: usize = 3;

/// Columns that an explanation takes at most by default; its first sentence is always shown whole.
const BRIEF_MAX: usize = 170;

/// Columns that advice takes at most by default.
const ADVICE_MAX: usize = 100;

/// How many items of each part are shown.
#[derive(Clone, Copy, PartialEq)]
struct Limits {
    systems: usize,
    fix_now: usize,
    duties: usize,
    decisions: usize,
    questions: usize,
    /// Effects and likely answers of questions.
    effects: bool,
    prepare: usize,
    /// From 1 on, no advice except under FIX NOW; from 2 on, no line on suppressed findings and unread files.
    terse: u8,
    /// Whether everything is shown, with its reasons.
    verbose: bool,
}

/// What a report shows where it fits.
const MOST: Limits = Limits {
    systems: 8,
    fix_now: 10,
    duties: 8,
    decisions: 4,
    questions: 6,
    effects: true,
    prepare: 6,
    terse: 0,
    verbose: false,
};

/// What gives way, one step after the other, until the report fits: what can wait first, what must be fixed now last.
const STEPS: [fn(&mut Limits); 25] = [
    |limits| limits.prepare = 3,
    |limits| limits.questions = 4,
    |limits| limits.duties = 6,
    |limits| limits.prepare = 1,
    |limits| limits.systems = 5,
    |limits| limits.duties = 4,
    |limits| limits.questions = 3,
    |limits| limits.decisions = 2,
    |limits| limits.effects = false,
    |limits| limits.duties = 3,
    |limits| limits.fix_now = 8,
    |limits| limits.systems = 3,
    |limits| limits.questions = 2,
    |limits| limits.duties = 2,
    |limits| (limits.fix_now, limits.decisions) = (6, 1),
    |limits| (limits.systems, limits.questions) = (2, 1),
    |limits| (limits.fix_now, limits.prepare) = (4, 0),
    |limits| limits.terse = 1,
    |limits| (limits.duties, limits.systems) = (1, 1),
    |limits| limits.fix_now = 3,
    |limits| (limits.systems, limits.decisions) = (0, 0),
    |limits| limits.fix_now = 2,
    |limits| limits.terse = 2,
    |limits| limits.duties = 0,
    |limits| limits.fix_now = 1,
];

/// What takes the room that a step too many has left, the most urgent first.
const FILL: [fn(&mut Limits); 4] = [
    |limits| limits.fix_now = MOST.fix_now.min(limits.fix_now + 1),
    |limits| limits.duties = MOST.duties.min(limits.duties + 1),
    |limits| limits.systems = MOST.systems.min(limits.systems + 1),
    |limits| limits.questions = MOST.questions.min(limits.questions + 1),
];

const ALL: Limits = Limits {
    systems: usize::MAX,
    fix_now: usize::MAX,
    duties: usize::MAX,
    decisions: usize::MAX,
    questions: usize::MAX,
    effects: true,
    prepare: usize::MAX,
    terse: 0,
    verbose: true,
};

pub(crate) fn render(scan: &engine_model::ScanResult, options: &TextOptions) -> String {
    let view = View::of(scan);
    if options.verbose {
        return Report::of(&view, options, ALL).finish();
    }
    let fits = |text: &str| text.lines().count() <= LINES_MAX;
    let mut limits = MOST;
    let mut text = Report::of(&view, options, limits).finish();
    for step in STEPS {
        if fits(&text) {
            break;
        }
        step(&mut limits);
        text = Report::of(&view, options, limits).finish();
    }
    for fill in FILL {
        loop {
            let mut more = limits;
            fill(&mut more);
            let longer = Report::of(&view, options, more).finish();
            if more == limits || !fits(&longer) {
                break;
            }
            (limits, text) = (more, longer);
        }
    }
    text
}

struct Report<'a> {
    out: Terminal,
    prefix: &'a str,
    view: &'a View<'a>,
    limits: Limits,
    /// The advice of the item before: it is not repeated.
    advice: String,
}

impl<'a> Report<'a> {
    fn of(view: &'a View<'a>, options: &'a TextOptions, limits: Limits) -> Self {
        let mut report = Report {
            out: Terminal::new(options.colour, options.width),
            prefix: options.path_prefix.as_deref().unwrap_or(""),
            view,
            limits,
            advice: String::new(),
        };
        report.head();
        report.systems();
        report.fix_now();
        report.duties();
        report.decide();
        report.prepare();
        report.foot();
        report
    }

    fn finish(self) -> String {
        self.out.finish()
    }

    fn scan(&self) -> &'a engine_model::ScanResult {
        self.view.scan
    }

    fn head(&mut self) {
        let scan = self.scan();
        let basis = format!(
            "EU AI Act as of {}. From source code; not legal advice.",
            short(scan.as_of)
        );
        let room = self
            .out
            .width()
            .saturating_sub(columns(&self.view.project) + columns(&basis));
        let gap = "\u{a0}".repeat(room.max(2));
        if columns(&self.view.project) + columns(&basis) + 2 <= self.out.width() {
            let line = keep(&basis);
            self.out.line(
                0,
                0,
                &[
                    (Style::Bold, &self.view.project),
                    (Style::Plain, &gap),
                    (Style::Dim, &line),
                ],
            );
        } else {
            self.out.line(0, 0, &[(Style::Bold, &self.view.project)]);
            self.out.line(0, 0, &[(Style::Dim, &basis)]);
        }
        let style = match scan.applicability {
            Applicability::SystemsFound => Style::Bold,
            Applicability::Undetermined => Style::Yellow,
            Applicability::NoAiFound | Applicability::Library => Style::Plain,
        };
        let verdict = format!("{}.", self.view.verdict());
        let read = format!(" {}", self.view.work(self.limits.verbose));
        self.out.line(0, 0, &[(style, &verdict), (Style::Plain, &read)]);
        let because = scan.applicability != Applicability::SystemsFound || self.limits.verbose;
        if because && !scan.applicability_reason.is_empty() {
            let reason = self.cut(&sentence(&scan.applicability_reason));
            self.out.line(0, 0, &[(Style::Plain, &reason)]);
        }
        for (label, text, grave) in self.view.standing() {
            let style = if grave { Style::Red } else { Style::Bold };
            self.out.line(0, 2, &[(style, &label), (Style::Plain, &text)]);
        }
        if let Some(next) = self.view.what_would_change() {
            self.out.line(0, 0, &[(Style::Plain, next)]);
        }
        let skipped = self.view.unparsed();
        if !skipped.is_empty() {
            self.out
                .line(0, 2, &[(Style::Yellow, "Not fully read: "), (Style::Plain, &skipped)]);
        }
    }

    fn systems(&mut self) {
        let systems = &self.scan().systems;
        if systems.is_empty() {
            return;
        }
        self.out.gap();
        for system in systems.iter().take(self.limits.systems) {
            self.system(system);
        }
        if systems.len() > self.limits.systems {
            let rest = systems.len() - self.limits.systems;
            let noun = if self.limits.systems == 0 {
                "system"
            } else {
                "more system"
            };
            self.rest(&format!("{}: --verbose lists them", count(rest, noun)));
        }
    }

    fn system(&mut self, system: &System) {
        let mut spans = vec![(Style::Bold, system.name.clone()), (Style::Plain, String::from(" "))];
        if !system.scope.is_empty() && system.scope != system.name {
            spans.push((Style::Dim, format!("({}) ", self.path(&system.scope))));
        }
        spans.push((
            Style::Plain,
            format!("{}.", self.view.about_system(system, self.limits.verbose)),
        ));
        let spans: Vec<(Style, &str)> = spans.iter().map(|(style, text)| (*style, text.as_str())).collect();
        self.out.line(1, 3, &spans);
        if self.limits.verbose {
            self.note("Role", &format!("{}. {}", system.role, sentence(&system.role_basis)));
            self.note(
                "Risk class",
                &format!("{}. {}", self.view.class(system), sentence(&system.risk_basis)),
            );
            self.note("Obligations", &format!("{}.", view::tally(system)));
            let entries: Vec<String> = system
                .entry_points
                .iter()
                .map(|entry| format!("{} {}", entry.name, self.path(&view::at(&entry.file, Some(entry.line)))))
                .collect();
            if !entries.is_empty() {
                self.note("Entry points", &entries.join(", "));
            }
        }
    }

    fn note(&mut self, label: &str, text: &str) {
        let label = format!("{label}: ");
        self.out.line(3, 5, &[(Style::Dim, &label), (Style::Plain, text)]);
    }

    /// A line for what is left out.
    fn rest(&mut self, text: &str) {
        self.out.line(3, 3, &[(Style::Dim, text)]);
    }

    fn actions(&self, kind: ActionKind) -> Vec<&'a Action> {
        self.view.actions.iter().filter(|action| action.kind == kind).collect()
    }

    fn fix_now(&mut self) {
        let all = self.actions(ActionKind::FixNow);
        if all.is_empty() {
            return;
        }
        self.out
            .coloured_heading(Style::Red, "FIX NOW", ", whatever the law says");
        for action in all.iter().take(self.limits.fix_now) {
            self.item(action);
        }
        self.left_out(&all, self.limits.fix_now);
    }

    /// Says how many items are left out, and how grave they are: none is graver than those shown.
    fn left_out(&mut self, all: &[&Action], shown: usize) {
        let Some(rest) = all.get(shown..).filter(|rest| !rest.is_empty()) else {
            return;
        };
        let grave = rest.iter().filter_map(|action| action.severity).max();
        let grave = grave.map_or_else(String::new, |severity| format!(" ({} or lower)", severity.name()));
        self.rest(&format!("{} more{grave}: --verbose lists them", rest.len()));
    }

    /// An item with its place, what was found, and what to do.
    fn item(&mut self, action: &Action) {
        let number = number(action.rank);
        let mut spans = vec![
            (Style::Bold, number),
            (Style::Plain, " ".to_owned()),
            (Style::Bold, action.title.clone()),
        ];
        if let Some(severity) = action.severity {
            spans.push((Style::Plain, " ".to_owned()));
            spans.push((severity_style(severity), format!("({})", severity.name())));
        }
        // A place that the explanation names is not repeated.
        let why = self.brief(&action.why, BRIEF_MAX, action.place.as_deref());
        let mut places: Vec<&String> = action.place.iter().chain(&action.places).collect();
        let shown = if self.limits.verbose { places.len() } else { PLACES_MAX };
        let more = places.len().saturating_sub(shown);
        places.truncate(shown);
        for (index, place) in places.iter().enumerate() {
            spans.push((Style::Plain, if index == 0 { " ".to_owned() } else { ", ".to_owned() }));
            spans.push((Style::Cyan, self.path(place)));
        }
        if more > 0 {
            spans.push((Style::Plain, format!(", {more} more")));
        }
        let spans: Vec<(Style, &str)> = spans.iter().map(|(style, text)| (*style, text.as_str())).collect();
        self.out.line(0, 3, &spans);
        self.out.line(3, 3, &[(Style::Plain, &why)]);
        let advises = self.limits.terse == 0 || action.kind == ActionKind::FixNow;
        if advises && !action.how.is_empty() && (self.limits.verbose || action.how != self.advice) {
            self.advice.clone_from(&action.how);
            let how = self.brief(&action.how, ADVICE_MAX, None);
            self.out.line(3, 7, &[(Style::Green, "Do: "), (Style::Plain, &how)]);
        }
        if let Some(command) = &action.command {
            let label = match (action.findings.is_empty(), answers(command)) {
                (true, _) => "Or answer: ",
                (false, true) => "Answer: ",
                (false, false) => "Preview a fix: ",
            };
            let command = self.command(command);
            self.out.line(3, 7, &[(Style::Dim, label), (Style::Plain, &command)]);
        }
    }

    fn duties(&mut self) {
        if self.scan().systems.is_empty() {
            return;
        }
        let today = &self.view.today;
        let date = short(self.scan().as_of);
        if today.is_empty() {
            self.out.heading("DUTIES IN FORCE", &format!(" on {date}: none"));
            return;
        }
        self.out
            .heading("DUTIES IN FORCE", &format!(" on {date}: {}", today.heading()));
        let (gaps, open): (Vec<_>, Vec<_>) = self
            .actions(ActionKind::Duty)
            .into_iter()
            .partition(|action| !action.findings.is_empty());
        for action in gaps.iter().take(self.limits.duties) {
            self.item(action);
        }
        self.left_out(&gaps, self.limits.duties);
        if !today.evidenced.is_empty() {
            let shown = match self.limits {
                Limits { verbose: true, .. } => usize::MAX,
                Limits { terse: 0, .. } => 3,
                _ => 1,
            };
            let named: Vec<String> = today
                .evidenced
                .iter()
                .take(shown)
                .map(|row| self.evidenced(row))
                .collect();
            let more = today.evidenced.len().saturating_sub(shown);
            let more = if more > 0 {
                format!("; {more} more")
            } else {
                String::new()
            };
            let text = format!("{}{more}.", named.join("; "));
            self.out
                .line(3, 5, &[(Style::Green, "With evidence: "), (Style::Plain, &text)]);
        }
        for action in open.iter().take(self.limits.duties) {
            let number = number(action.rank);
            let title = action.title.clone();
            let article = match &action.article {
                Some(article) => format!(" ({})", keep(article)),
                None => String::new(),
            };
            let how = self.cut(&action.how);
            self.out.line(
                0,
                3,
                &[
                    (Style::Bold, &number),
                    (Style::Plain, " "),
                    (Style::Bold, &title),
                    (Style::Plain, &article),
                    (Style::Plain, ": "),
                    (Style::Plain, &how),
                ],
            );
            if self.limits.verbose {
                if let Some(place) = &action.place {
                    let place = self.path(place);
                    self.out.line(3, 3, &[(Style::Cyan, &place)]);
                }
                self.out.line(3, 3, &[(Style::Plain, &action.why)]);
            }
        }
        self.left_out(&open, self.limits.duties);
        let perhaps = &self.view.perhaps_now;
        if !perhaps.is_empty() && self.limits.effects {
            let shown = if self.limits.verbose { usize::MAX } else { 3 };
            let named: Vec<String> = perhaps
                .iter()
                .take(shown)
                .map(|row| format!("{} ({})", row.title, keep(&first(&row.article))))
                .collect();
            let more = perhaps.len().saturating_sub(shown);
            let more = if more > 0 {
                format!("; {more} more")
            } else {
                String::new()
            };
            let text = format!("{}{more}.", named.join("; "));
            self.out.line(
                3,
                5,
                &[
                    (Style::Yellow, "In force if your answers say so: "),
                    (Style::Plain, &text),
                ],
            );
        }
        let mut elsewhere = open.iter().filter(|action| action.question.is_none());
        if let Some(command) = elsewhere.find_map(|action| action.command.as_ref())
            && self.limits.effects
        {
            let command = self.command(command);
            self.out
                .line(3, 7, &[(Style::Dim, "Evidence elsewhere: "), (Style::Plain, &command)]);
        }
    }

    fn evidenced(&self, row: &view::Row<'_>) -> String {
        let record = &row.first.record;
        let place = record
            .evidence
            .iter()
            .find_map(|found| found.file.as_deref().map(|file| self.path(&view::at(file, found.line))));
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        format!("{} ({}{place})", record.title, keep(&record.article))
    }

    fn decide(&mut self) {
        let (notices, questions): (Vec<_>, Vec<_>) = self
            .actions(ActionKind::Decide)
            .into_iter()
            .partition(|action| !action.findings.is_empty());
        if notices.is_empty() && questions.is_empty() {
            return;
        }
        let all = count(questions.len(), "question");
        let command = self.command("engine-server answer .");
        let rest = if questions.is_empty() {
            String::new()
        } else {
            format!(": {all} only you can answer: {command}")
        };
        self.out.heading("DECIDE", &rest);
        for action in notices.iter().take(self.limits.decisions) {
            self.item(action);
        }
        self.left_out(&notices, self.limits.decisions);
        for (index, action) in questions.iter().enumerate().take(self.limits.questions) {
            self.question(index + 1, action);
        }
        if questions.len() > self.limits.questions {
            let rest = questions.len() - self.limits.questions;
            self.rest(&format!("{}: --verbose lists them", count(rest, "more question")));
        }
    }

    fn question(&mut self, number: usize, action: &Action) {
        let open = self.view.questions.get(number - 1);
        let about = open.map_or_else(String::new, |open| self.view.about(open));
        let about = if about.is_empty() { about } else { format!(" [{about}]") };
        let label = format!("Q{number}");
        self.out.line(
            0,
            3,
            &[
                (Style::Bold, &label),
                (Style::Plain, " "),
                (Style::Bold, &action.title),
                (Style::Dim, &about),
            ],
        );
        let likely = open.and_then(|open| open.question.suggestion.as_ref());
        if let Some(likely) = likely {
            let text = format!("{}: {}.", likely.value, likely.because.trim_end_matches('.'));
            self.out.line(3, 5, &[(Style::Plain, "Likely "), (Style::Plain, &text)]);
        } else if self.limits.verbose || self.limits.effects && action.place.is_some() {
            let why = self.cut(&action.why);
            let place = action
                .place
                .as_ref()
                .map_or_else(String::new, |place| format!(" ({})", self.path(place)));
            self.out.line(3, 5, &[(Style::Plain, &why), (Style::Cyan, &place)]);
        }
        if self.limits.verbose && likely.is_some() {
            self.out.line(3, 5, &[(Style::Plain, &action.why)]);
        }
        if self.limits.effects {
            let effect = self.cut(&action.how);
            self.out.line(3, 5, &[(Style::Plain, &effect)]);
        }
        if let Some(command) = &action.command {
            let command = self.command(command);
            self.out
                .line(3, 5, &[(Style::Dim, "Answer: "), (Style::Plain, &command)]);
        }
    }

    fn prepare(&mut self) {
        let days = self.view.days();
        let (certain, findings): (Vec<_>, Vec<_>) = self
            .actions(ActionKind::Prepare)
            .into_iter()
            .partition(|action| action.findings.is_empty());
        if days.is_empty() && findings.is_empty() && self.view.later().is_empty() {
            return;
        }
        self.out.heading("PREPARE", "");
        for (date, day) in days {
            let date = format!("{:>11}", short(date));
            self.out.line(
                0,
                12,
                &[
                    (Style::Cyan, &keep_spaces(&date)),
                    (Style::Plain, " "),
                    (Style::Plain, &day),
                ],
            );
        }
        let later = self.view.later();
        if !later.is_empty() {
            self.out.line(1, 3, &[(Style::Plain, &later)]);
        }
        if self.limits.verbose {
            for action in &certain {
                let number = number(action.rank);
                let until = action
                    .until
                    .map_or_else(String::new, |date| format!(" from {}", short(date)));
                let head = format!(
                    "{} ({}{until})",
                    action.title,
                    action.article.as_deref().unwrap_or_default()
                );
                self.out.line(
                    0,
                    3,
                    &[(Style::Bold, &number), (Style::Plain, " "), (Style::Bold, &head)],
                );
                self.out.line(3, 3, &[(Style::Plain, &action.why)]);
                self.out
                    .line(3, 7, &[(Style::Green, "Do: "), (Style::Plain, &action.how)]);
            }
        }
        for action in findings.iter().take(self.limits.prepare) {
            if self.limits.verbose {
                self.item(action);
            } else {
                self.later(action);
            }
        }
        self.left_out(&findings, self.limits.prepare);
    }

    /// A finding for a later date: its title, its place, and the date.
    fn later(&mut self, action: &Action) {
        let number = number(action.rank);
        let place = action.place.as_ref().map_or_else(String::new, |place| self.path(place));
        let more = match action.places.len() {
            0 => String::new(),
            number => format!(", {number} more"),
        };
        let law = match (&action.article, action.until) {
            (Some(article), Some(date)) => format!(" ({}, from {})", keep(&first(article)), keep(&short(date))),
            _ => String::new(),
        };
        self.out.line(
            0,
            3,
            &[
                (Style::Bold, &number),
                (Style::Plain, " "),
                (Style::Plain, &action.title),
                (Style::Plain, " "),
                (Style::Cyan, &place),
                (Style::Plain, &more),
                (Style::Dim, &law),
            ],
        );
    }

    fn foot(&mut self) {
        self.out.gap();
        let suppressed = self.view.suppressed();
        if !suppressed.is_empty() && self.limits.terse < 2 {
            self.out.line(0, 2, &[(Style::Dim, &suppressed)]);
        }
        let listed = self.scan().findings.len() as u64;
        if self.scan().findings_total > listed {
            let text = format!("{listed} of {} findings were requested.", self.scan().findings_total);
            self.out.line(0, 2, &[(Style::Dim, &text)]);
        }
        let skipped = self.view.skipped();
        if !skipped.is_empty() && self.limits.terse < 2 {
            let text = format!("Not read: {skipped}.");
            self.out.line(0, 2, &[(Style::Dim, &text)]);
        }
        for line in external::lines(self.scan()) {
            self.out.line(0, 2, &[(Style::Dim, &format!("External tool: {line}."))]);
        }
        if self.limits.verbose {
            for row in &self.view.today.voluntary {
                let record = &row.first.record;
                let text = format!("Voluntary: {} ({}).", record.title, keep(&record.article));
                self.out.line(0, 2, &[(Style::Dim, &text)]);
            }
            self.out.line(0, 2, &[(Style::Dim, &self.scan().disclaimer)]);
        }
        let mut basis = format!(
            "Law data {}, engine {}.",
            self.scan().regulation_version,
            self.scan().engine_version
        );
        if !self.limits.verbose && !self.view.actions.is_empty() {
            let target = match self.prefix {
                "" => ".".to_owned(),
                prefix => keep(&shell_word(prefix)),
            };
            basis = format!("All details: engine-server scan {target} --verbose. {basis}");
        }
        self.out.line(0, 2, &[(Style::Dim, &basis)]);
    }

    /// The text in whole sentences, as many as fit by default.
    fn cut(&self, text: &str) -> String {
        self.brief(text, BRIEF_MAX, None)
    }

    /// The text in whole sentences within some columns, without a place that is shown beside it already.
    fn brief(&self, text: &str, most: usize, place: Option<&str>) -> String {
        let text = match place {
            Some(place) => text.replacen(&format!(" ({place})"), "", 1),
            None => text.to_owned(),
        };
        if self.limits.verbose { text } else { brief(&text, most) }
    }

    /// A command as it runs from where the reader is.
    fn command(&self, command: &str) -> String {
        if self.prefix.is_empty() {
            return command.to_owned();
        }
        let target = keep(&shell_word(self.prefix.trim_end_matches('/')));
        let (program, rest) = command.split_once(" .").unwrap_or((command, ""));
        format!("{program} {target}{rest}")
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

/// A rank in a column of its own.
fn number(rank: u64) -> String {
    keep_spaces(&format!("{rank:>2}"))
}

/// The first of several provisions.
fn first(article: &str) -> String {
    article.split(", ").next().unwrap_or(article).to_owned()
}

/// A path as one word of a command: in quotation marks unless a shell reads every character as itself.
fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+,=~".contains(c);
    if path.chars().all(plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// Text whose leading spaces stay.
fn keep_spaces(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

const fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Critical | Severity::High => Style::Red,
        Severity::Medium => Style::Yellow,
        Severity::Low => Style::Cyan,
        Severity::Info => Style::Dim,
    }
}
