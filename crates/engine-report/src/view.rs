//! What a report says, before it is laid out: what is grouped, what is left for a count, and what comes first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use engine_model::{
    Applies, Call, CallKind, Date, DocumentState, Effect, ErrorHandling, Finding, FindingType, Logging,
    ObligationStatus, OpenQuestion, ProjectObligation, ScanResult, Sends, Severity, SkipReason, System,
    UpcomingObligation, open_questions,
};

use crate::foreign::{clean, count, thousands};

/// An obligation with the systems for which it stands alike.
pub(crate) struct Row<'a> {
    pub(crate) first: &'a ProjectObligation,
    pub(crate) systems: Vec<&'a str>,
}

/// What the obligations that apply today amount to.
#[derive(Default)]
pub(crate) struct Today<'a> {
    /// Gaps, those with the gravest findings first, then incomplete ones.
    pub(crate) open: Vec<Row<'a>>,
    pub(crate) evidenced: Vec<Row<'a>>,
    pub(crate) not_evaluated: Vec<Row<'a>>,
}

impl Today<'_> {
    fn rows(&self) -> impl Iterator<Item = &Row<'_>> {
        self.open.iter().chain(&self.evidenced).chain(&self.not_evaluated)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }

    /// How many obligations apply, and how many they are when each counts once per system, as in the score.
    pub(crate) fn heading(&self) -> String {
        let distinct: BTreeSet<&str> = self.rows().map(|row| row.first.record.obligation_id.as_str()).collect();
        let per_system: usize = self.rows().map(|row| row.systems.len()).sum();
        let obligations = count(distinct.len(), "obligation");
        if per_system == distinct.len() {
            obligations
        } else {
            format!("{obligations}, {per_system} over all systems")
        }
    }
}

/// What begins on one date.
#[derive(Default)]
pub(crate) struct Day<'a> {
    pub(crate) certain: Vec<&'a UpcomingObligation>,
    pub(crate) open: Vec<&'a UpcomingObligation>,
}

/// Findings of one check and one weight.
pub(crate) struct Group<'a> {
    pub(crate) first: &'a Finding,
    /// The same message at other places.
    pub(crate) same: Vec<&'a Finding>,
    /// Other messages of the same check.
    pub(crate) other: Vec<&'a Finding>,
}

/// A model as a system uses it.
pub(crate) struct Used {
    pub(crate) name: String,
    pub(crate) pinned: Option<bool>,
    pub(crate) retired: Option<String>,
}

/// The parts of a report.
pub(crate) struct View<'a> {
    pub(crate) scan: &'a ScanResult,
    pub(crate) project: String,
    pub(crate) today: Today<'a>,
    /// Obligations in force since an earlier date, if a question is answered so.
    pub(crate) perhaps_now: Vec<&'a UpcomingObligation>,
    pub(crate) next: BTreeMap<Date, Day<'a>>,
    pub(crate) gaps: Vec<Group<'a>>,
    pub(crate) notices: Vec<Group<'a>>,
    pub(crate) passes: BTreeMap<&'a str, BTreeSet<&'a str>>,
    pub(crate) set_aside: Vec<&'a Finding>,
    pub(crate) questions: Vec<OpenQuestion>,
}

impl<'a> View<'a> {
    pub(crate) fn of(scan: &'a ScanResult) -> Self {
        let name = scan
            .project_path
            .trim_end_matches(['/', '\\'])
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default();
        let project = clean(name).into_owned();
        let active = |kind| {
            scan.findings
                .iter()
                .filter(move |f| f.kind == kind && f.suppressed.is_none())
        };
        let mut passes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for finding in active(FindingType::Pass) {
            passes
                .entry(finding.system.as_deref().unwrap_or(""))
                .or_default()
                .insert(&finding.title);
        }
        let mut next: BTreeMap<Date, Day<'_>> = BTreeMap::new();
        let mut perhaps_now = Vec::new();
        for row in &scan.upcoming {
            if row.applies_from <= scan.as_of {
                perhaps_now.push(row);
                continue;
            }
            let day = next.entry(row.applies_from).or_default();
            if row.certain {
                day.certain.push(row);
            } else {
                day.open.push(row);
            }
        }
        Self {
            project: if project.is_empty() {
                "project".to_owned()
            } else {
                project
            },
            today: today(scan),
            perhaps_now,
            next,
            gaps: groups(active(FindingType::Fail)),
            notices: groups(active(FindingType::Info)),
            passes,
            set_aside: scan.findings.iter().filter(|f| f.suppressed.is_some()).collect(),
            questions: open_questions(&scan.systems),
            scan,
        }
    }

    /// The name of a system by its id.
    pub(crate) fn system_name(&self, id: &'a str) -> &'a str {
        self.scan
            .systems
            .iter()
            .find(|system| system.id == id)
            .map_or(id, |system| system.name.as_str())
    }

    /// Names of systems, or nothing where the project has just one.
    pub(crate) fn names(&self, ids: &[&'a str]) -> String {
        if self.scan.systems.len() < 2 {
            return String::new();
        }
        ids.iter().map(|id| self.system_name(id)).collect::<Vec<_>>().join(", ")
    }

    /// What a question is about, where a project holds more than one system.
    pub(crate) fn about(&self, open: &OpenQuestion) -> String {
        match &open.system {
            Some(id) if self.scan.systems.len() > 1 => self.system_name(id).to_owned(),
            _ => String::new(),
        }
    }

    /// Obligations that apply and of which something is known, and all that apply.
    fn evaluated(&self) -> (usize, usize) {
        let applying = || {
            self.scan
                .obligations
                .iter()
                .filter(|o| o.record.applies == Applies::Applies)
        };
        (
            applying()
                .filter(|o| o.record.status != ObligationStatus::NotEvaluated)
                .count(),
            applying().count(),
        )
    }

    /// What the score rests on: of few obligations it says little, whatever its height.
    pub(crate) fn scored(&self) -> String {
        let (evaluated, applying) = self.evaluated();
        let open = applying - evaluated;
        if open == 0 {
            return format!("over all {} that apply today", count(applying, "obligation"));
        }
        format!(
            "over {evaluated} of {} that apply today, {open} not evaluated ({} % evaluated)",
            count(applying, "obligation"),
            score(self.scan.score.coverage)
        )
    }

    /// What was not read, by reason, for one line; empty when everything was read.
    pub(crate) fn skipped(&self) -> String {
        let total = usize::try_from(self.scan.files_skipped_total).unwrap_or(usize::MAX);
        if total == 0 {
            return String::new();
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.scan.files_skipped {
            *reasons.entry(skip_words(entry.reason)).or_default() += 1;
        }
        let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(words, number)| (Reverse(*number), *words));
        let known = self.scan.files_skipped.len();
        let list = reasons
            .iter()
            .map(|(words, n)| format!("{} {words}", thousands(*n as u64)))
            .collect::<Vec<_>>()
            .join(", ");
        let what = if total == 1 {
            "1 file or folder".to_owned()
        } else {
            format!("{} files or folders", thousands(total as u64))
        };
        match known {
            0 => what,
            _ if known < total => format!("{what} (of the first {known}: {list})"),
            _ => format!("{what} ({list})"),
        }
    }

    /// What was read, for one line.
    pub(crate) fn read(&self) -> String {
        let files = count(usize::try_from(self.scan.files_scanned).unwrap_or(usize::MAX), "file");
        let mut languages: Vec<(&String, u64)> = self
            .scan
            .languages
            .iter()
            .map(|(name, n)| (name, *n))
            .filter(|(_, n)| *n > 0)
            .collect();
        languages.sort_by_key(|(name, number)| (Reverse(*number), *name));
        if languages.is_empty() {
            return files;
        }
        let named = languages
            .iter()
            .take(4)
            .map(|(name, n)| format!("{} {}", thousands(*n), clean(name)))
            .collect::<Vec<_>>();
        let more = if languages.len() > 4 { " and others" } else { "" };
        format!("{files} ({}{more})", named.join(", "))
    }

    /// Three to five things to do, the most pressing first.
    pub(crate) fn steps(&self) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let step = |group: &Group<'a>| Step::Fix {
            finding: group.first,
            more: group.same.len() + group.other.len(),
        };
        let weight = |wanted: fn(Severity) -> bool, most: usize| {
            self.gaps
                .iter()
                .filter(move |group| wanted(group.first.severity))
                .take(most)
                .map(step)
                .collect::<Vec<_>>()
        };
        steps.extend(weight(|s| s == Severity::Critical, 2));
        if let Some(asked) = self.questions.first() {
            let open = self
                .scan
                .obligations
                .iter()
                .filter(|o| o.record.applies == Applies::Undetermined)
                .count();
            steps.push(Step::Answer {
                asked: asked.question.text.clone(),
                questions: self.questions.len(),
                open,
            });
        }
        steps.extend(weight(|s| s == Severity::High, 2));
        let documents = self.scan.documents.iter();
        let unfinished = documents
            .filter(|d| d.draft || d.state != DocumentState::Filled)
            .max_by_key(|d| (d.completeness, Reverse(&d.file)));
        if let Some(document) = unfinished {
            steps.push(Step::Finish {
                file: &document.file,
                line: document.line,
                completeness: document.completeness,
            });
        }
        if steps.len() < 5 {
            steps.extend(weight(|s| s < Severity::High, 1));
        }
        // For what the Act forbids there is nothing to get ready.
        let prepared = self.next.iter().find_map(|(date, day)| {
            let mut duties = day.certain.iter().filter(|duty| !duty.article.starts_with("Art. 5("));
            Some((*date, *duties.next()?, duties.count() + 1))
        });
        if let Some((date, first, number)) = prepared {
            steps.push(Step::Prepare { date, first, number });
        }
        if steps.len() < 3 && !self.today.not_evaluated.is_empty() {
            steps.push(Step::Evidence {
                number: self.today.not_evaluated.len(),
            });
        }
        steps.truncate(5);
        steps
    }
}

/// One thing to do.
pub(crate) enum Step<'a> {
    /// Close a gap; `more` findings are of the same check.
    Fix { finding: &'a Finding, more: usize },
    /// Answer a question; `open` obligations hang on answers.
    Answer {
        asked: String,
        questions: usize,
        open: usize,
    },
    /// Finish a document.
    Finish { file: &'a str, line: u32, completeness: u8 },
    /// Get ready for a date.
    Prepare {
        date: Date,
        first: &'a UpcomingObligation,
        number: usize,
    },
    /// Bring evidence for what no check could tell.
    Evidence { number: usize },
}

fn today(scan: &ScanResult) -> Today<'_> {
    let mut rows: BTreeMap<(&str, ObligationStatusRank), Row<'_>> = BTreeMap::new();
    for obligation in scan.obligations.iter().filter(|o| o.record.applies == Applies::Applies) {
        let key = (obligation.record.obligation_id.as_str(), rank(obligation.record.status));
        rows.entry(key)
            .or_insert_with(|| Row {
                first: obligation,
                systems: Vec::new(),
            })
            .systems
            .push(&obligation.system);
    }
    let mut grave: BTreeMap<&str, Severity> = BTreeMap::new();
    for finding in scan
        .findings
        .iter()
        .filter(|f| f.kind == FindingType::Fail && f.suppressed.is_none())
    {
        if let Some(id) = finding.obligation_id.as_deref() {
            let entry = grave.entry(id).or_insert(finding.severity);
            *entry = finding.severity.max(*entry);
        }
    }
    let mut today = Today::default();
    for row in rows.into_values() {
        match row.first.record.status {
            ObligationStatus::Gap | ObligationStatus::Incomplete => today.open.push(row),
            ObligationStatus::Evidenced => today.evidenced.push(row),
            ObligationStatus::NotEvaluated => today.not_evaluated.push(row),
        }
    }
    today.open.sort_by_key(|row| {
        let record = &row.first.record;
        (
            rank(record.status),
            Reverse(grave.get(record.obligation_id.as_str()).copied()),
            &record.obligation_id,
        )
    });
    today
}

type ObligationStatusRank = u8;

const fn rank(status: ObligationStatus) -> ObligationStatusRank {
    match status {
        ObligationStatus::Gap => 0,
        ObligationStatus::Incomplete => 1,
        ObligationStatus::Evidenced => 2,
        ObligationStatus::NotEvaluated => 3,
    }
}

fn groups<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(Reverse<Severity>, &str), Group<'a>> = BTreeMap::new();
    for finding in findings {
        groups
            .entry((Reverse(finding.severity), &finding.check_id))
            .and_modify(|group| {
                let same = group.first.message == finding.message;
                if same {
                    group.same.push(finding);
                } else {
                    group.other.push(finding);
                }
            })
            .or_insert_with(|| Group {
                first: finding,
                same: Vec::new(),
                other: Vec::new(),
            });
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|group| {
        let first = group.first;
        (
            Reverse(first.severity),
            first.file.as_deref(),
            first.line,
            &first.check_id,
        )
    });
    groups
}

/// What a system uses: each provider and model once, with whether the name fixes a version.
pub(crate) fn used(scan: &ScanResult, system: &System) -> Vec<Used> {
    let mut models: BTreeMap<(String, String), Option<bool>> = BTreeMap::new();
    let own = || {
        scan.inventory
            .calls
            .iter()
            .filter(|call| call.system.as_deref() == Some(system.id.as_str()))
    };
    for call in own() {
        if let Some(model) = &call.model {
            let provider = call.provider.clone().unwrap_or_default();
            let pinned = models.entry((provider, model.clone())).or_insert(call.model_pinned);
            // One place that lets the version float is enough to say that it floats.
            *pinned = match (*pinned, call.model_pinned) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), _) | (_, Some(true)) => Some(true),
                _ => None,
            };
        }
    }
    let named: BTreeSet<String> = models.keys().map(|(_, model)| model.clone()).collect();
    for model in system.models.iter().filter(|model| !named.contains(*model)) {
        let known = scan.inventory.models.iter().find(|known| known.name == *model);
        let provider = known.and_then(|known| known.provider.clone()).unwrap_or_default();
        models.insert((provider, model.clone()), known.and_then(|known| known.pinned));
    }
    let served: BTreeSet<String> = models.keys().map(|(provider, _)| provider.clone()).collect();
    let mut used: Vec<Used> = models
        .into_iter()
        .map(|((provider, model), pinned)| Used {
            retired: scan
                .inventory
                .models
                .iter()
                .find(|known| known.name == model)
                .and_then(|known| known.retired.as_deref())
                .map(|date| retirement(date, scan.as_of)),
            name: if provider.is_empty() {
                model
            } else {
                format!("{provider} {model}")
            },
            pinned,
        })
        .collect();
    let providers: BTreeSet<&String> = system
        .providers
        .iter()
        .filter(|provider| !served.contains(*provider))
        .collect();
    used.extend(providers.into_iter().map(|provider| Used {
        name: format!("{provider} (model not resolved)"),
        pinned: None,
        retired: None,
    }));
    used
}

/// The retirement of a model in words that are true on the date of the scan.
fn retirement(date: &str, as_of: Date) -> String {
    let past = date.parse::<Date>().is_ok_and(|date| date <= as_of);
    if past {
        format!("retired by its provider on {date}")
    } else {
        format!("to be retired by its provider on {date}")
    }
}

impl Used {
    /// The name with what is known about its version.
    pub(crate) fn describe(&self) -> String {
        let mut words = Vec::new();
        match self.pinned {
            Some(true) => words.push("pinned".to_owned()),
            Some(false) => words.push("floating version".to_owned()),
            None => {}
        }
        words.extend(self.retired.clone());
        if words.is_empty() {
            self.name.clone()
        } else {
            format!("{} ({})", self.name, words.join(", "))
        }
    }
}

/// How many places send data to a model, what they send, what the answer reaches and what is missing around them.
pub(crate) fn flow(scan: &ScanResult, system: &System) -> String {
    let calls: Vec<&Call> = scan
        .inventory
        .calls
        .iter()
        .filter(|call| call.system.as_deref() == Some(system.id.as_str()))
        .filter(|call| matches!(call.kind, CallKind::Call | CallKind::ModelLoad))
        .collect();
    if calls.is_empty() {
        return String::new();
    }
    let sends: BTreeSet<&str> = calls
        .iter()
        .flat_map(|call| &call.sends)
        .filter_map(|sends| sends_words(*sends))
        .collect();
    let effects: BTreeSet<&str> = calls
        .iter()
        .flat_map(|call| &call.effects)
        .map(|effect| effect_words(*effect))
        .collect();
    let mut words = count(calls.len(), "model call");
    if !sends.is_empty() {
        let _ = write!(words, "; sends {}", list(&sends));
    }
    if !effects.is_empty() {
        let _ = write!(words, "; the answer reaches {}", list(&effects));
    }
    let lacking = |without: &dyn Fn(&Call) -> bool, what: &str| {
        let number = calls.iter().filter(|call| without(call)).count();
        (number > 0).then(|| format!("{number} without {what}"))
    };
    let lacks: Vec<String> = [
        lacking(&|call| call.error_handling == ErrorHandling::No, "error handling"),
        lacking(&|call| call.logging == Logging::No, "logging"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !lacks.is_empty() {
        let _ = write!(words, "; {}", lacks.join(", "));
    }
    words
}

fn list(words: &BTreeSet<&str>) -> String {
    words.iter().copied().collect::<Vec<_>>().join(", ")
}

const fn sends_words(sends: Sends) -> Option<&'static str> {
    match sends {
        Sends::UserInput => Some("input of people"),
        Sends::File => Some("file content"),
        Sends::Database => Some("database rows"),
        Sends::Constant => Some("fixed text"),
        Sends::Unknown => None,
    }
}

const fn effect_words(effect: Effect) -> &'static str {
    match effect {
        Effect::Tool => "tools",
        Effect::Shell => "a shell",
        Effect::Database => "a database",
        Effect::Mail => "messages to people",
        Effect::Page => "a page or reply",
        Effect::Branch => "a decision of the program",
    }
}

/// The obligations of a system in numbers.
pub(crate) fn tally(system: &System) -> String {
    let number = |applies, status: Option<ObligationStatus>| {
        system
            .obligations
            .iter()
            .filter(|o| o.applies == applies && status.is_none_or(|status| o.status == status))
            .count()
    };
    let statuses = [
        (ObligationStatus::Gap, "gap"),
        (ObligationStatus::Incomplete, "incomplete"),
        (ObligationStatus::Evidenced, "evidenced"),
        (ObligationStatus::NotEvaluated, "not evaluated"),
    ];
    let stands: Vec<String> = statuses
        .into_iter()
        .map(|(status, words)| (number(Applies::Applies, Some(status)), words))
        .filter(|(n, _)| *n > 0)
        .map(|(n, words)| format!("{n} {words}"))
        .collect();
    let apply = number(Applies::Applies, None);
    let mut line = if stands.is_empty() {
        "none applies today".to_owned()
    } else {
        format!(
            "{apply} {} today ({})",
            if apply == 1 { "applies" } else { "apply" },
            stands.join(", ")
        )
    };
    let (upcoming, open) = (number(Applies::Upcoming, None), number(Applies::Undetermined, None));
    if upcoming > 0 {
        let _ = write!(line, ", {upcoming} to come");
    }
    if open > 0 {
        let _ = write!(
            line,
            ", {open} {} on an answer",
            if open == 1 { "depends" } else { "depend" }
        );
    }
    line
}

/// `file:line`, with the cell of a notebook; none when the finding is about the project as a whole.
pub(crate) fn place(finding: &Finding) -> Option<String> {
    let file = finding.file.as_deref()?;
    Some(at(file, finding.line))
}

/// `file:line`, or just the file.
pub(crate) fn at(file: &str, line: Option<u32>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// Where a finding is shown. One about the project as a whole is shown at what it rests on, else where its system starts,
/// else at the root: readers of most formats drop what has no place.
pub(crate) fn place_of(scan: &ScanResult, finding: &Finding) -> (String, Option<u32>) {
    if let Some(file) = &finding.file {
        return (file.clone(), finding.line.filter(|line| *line > 0));
    }
    let rests_on = finding
        .evidence
        .iter()
        .find_map(|e| e.file.clone().map(|file| (file, e.line)));
    if let Some(place) = rests_on {
        return place;
    }
    let system = scan
        .systems
        .iter()
        .find(|system| finding.system.as_deref() == Some(system.id.as_str()));
    if let Some(entry) = system.and_then(|system| system.entry_points.first()) {
        return (entry.file.clone(), Some(entry.line));
    }
    let file = system.and_then(|system| system.files.first().cloned());
    (file.unwrap_or_else(|| ".".to_owned()), None)
}

/// The provision behind a finding, with the date since when or from when it applies.
pub(crate) fn provision(finding: &Finding, as_of: Date) -> Option<String> {
    let explanation = finding.explanation.as_ref()?;
    let article = &explanation.article;
    Some(match explanation.applies_from {
        Some(date) if date <= as_of => format!("{article}, since {date}"),
        Some(date) => format!("{article}, from {date}"),
        None => article.clone(),
    })
}

/// Titles for a line: some of them, and how many there are beyond.
pub(crate) fn titles<'t>(titles: impl Iterator<Item = &'t str>, most: usize) -> String {
    let all: Vec<&str> = titles.collect();
    let mut line = all.iter().take(most).copied().collect::<Vec<_>>().join("; ");
    if all.len() > most {
        let _ = write!(line, "; and {} more", all.len() - most);
    }
    line
}

/// The reason in words that follow a count.
pub(crate) const fn skip_words(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Ignored => "ignored by .gitignore",
        SkipReason::DependencyFolder => "installed dependencies",
        SkipReason::VirtualEnvironment => "virtual environment",
        SkipReason::BuildOutput => "build output",
        SkipReason::VersionControl => "version control data",
        SkipReason::EngineState => "the engine's own state",
        SkipReason::SymbolicLink => "symbolic link",
        SkipReason::TooLarge => "too large",
        SkipReason::TooDeep => "nested too deep",
        SkipReason::TreeLimit => "past the limit for the tree",
        SkipReason::NotRegular => "not a regular file",
        SkipReason::Unreadable => "unreadable",
        SkipReason::Vanished => "vanished during the scan",
        SkipReason::NameEncoding => "name not valid Unicode",
        SkipReason::NotEvaluated => "not evaluated to its end",
    }
}

/// The status in words.
pub(crate) const fn status_words(status: ObligationStatus) -> &'static str {
    match status {
        ObligationStatus::Evidenced => "evidenced",
        ObligationStatus::Gap => "gap",
        ObligationStatus::Incomplete => "incomplete",
        ObligationStatus::NotEvaluated => "not evaluated",
    }
}

/// A score as people read it.
pub(crate) fn score(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    if tenths.fract() == 0.0 {
        format!("{tenths:.0}")
    } else {
        format!("{tenths:.1}")
    }
}
