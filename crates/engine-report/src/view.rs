//! What a report says, before it is laid out: what is grouped, what is left for a count, and what comes first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use engine_model::{
    Action, ActionKind, Applicability, Applies, Call, CallKind, Date, Effect, ErrorHandling, Finding, FindingType,
    GateVerdict, Logging, ObligationStatus, OpenQuestion, ProjectObligation, ScanResult, Sends, Severity, SkipReason,
    SkippedRecord, System, UpcomingObligation, Zone, open_questions,
};

use crate::actions::{is_invitation, is_voluntary, short};
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
    /// Codes of conduct (Art. 95), which are no duties.
    pub(crate) voluntary: Vec<Row<'a>>,
}

impl Today<'_> {
    fn rows(&self) -> impl Iterator<Item = &Row<'_>> {
        self.open.iter().chain(&self.evidenced).chain(&self.not_evaluated)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }

    /// How many obligations apply and what is known of them: `14 (1 gap, 2 with evidence, 11 without evidence)`, and the voluntary codes.
    pub(crate) fn heading(&self) -> String {
        let distinct: BTreeSet<&str> = self.rows().map(|row| row.first.record.obligation_id.as_str()).collect();
        let gaps = |status| self.open.iter().filter(|row| row.first.record.status == status).count();
        let parts: Vec<String> = [
            (gaps(ObligationStatus::Gap), "gap", "gaps"),
            (gaps(ObligationStatus::Incomplete), "incomplete", "incomplete"),
            (self.evidenced.len(), "with evidence", "with evidence"),
            (self.not_evaluated.len(), "without evidence", "without evidence"),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, several)| format!("{number} {}", if number == 1 { one } else { several }))
        .collect();
        // The score counts a voluntary code as well, so the two numbers would not agree without it.
        let codes: BTreeSet<&str> = self
            .voluntary
            .iter()
            .map(|row| row.first.record.obligation_id.as_str())
            .collect();
        let besides = match codes.len() {
            0 => String::new(),
            1 => ", and 1 voluntary code".to_owned(),
            several => format!(", and {several} voluntary codes"),
        };
        format!("{} ({}){besides}", distinct.len(), parts.join(", "))
    }
}

/// Duties named per date.
const CERTAIN_MAX: usize = 4;

/// What begins on one date.
#[derive(Default)]
pub(crate) struct Day<'a> {
    pub(crate) certain: Vec<&'a UpcomingObligation>,
    pub(crate) open: Vec<&'a UpcomingObligation>,
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
    /// What to do, in order.
    pub(crate) actions: Vec<Action>,
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
        let mut next: BTreeMap<Date, Day<'_>> = BTreeMap::new();
        let mut perhaps_now = Vec::new();
        for row in scan.upcoming.iter().filter(|row| !is_invitation(&row.obligation_id)) {
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
            actions: crate::actions(scan),
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

    /// What the project is, in a sentence without its full stop.
    pub(crate) fn verdict(&self) -> String {
        match self.scan.applicability {
            Applicability::SystemsFound => format!("{} found", count(self.scan.systems.len(), "AI system")),
            Applicability::NoAiFound => "No AI system found".to_owned(),
            Applicability::Library => "A library that calls models, not an AI system itself".to_owned(),
            Applicability::Undetermined => "Could not determine whether the project has an AI system".to_owned(),
        }
    }

    /// What was read, and how many calls and loads of models the product has.
    pub(crate) fn work(&self, verbose: bool) -> String {
        let number = |kind| {
            let calls = self.scan.inventory.calls.iter();
            calls
                .filter(|call| call.zone == Zone::Product && call.kind == kind)
                .count()
        };
        let mut parts = Vec::new();
        for (kind, noun) in [(CallKind::Call, "model call"), (CallKind::ModelLoad, "loaded model")] {
            if number(kind) > 0 {
                parts.push(count(number(kind), noun));
            }
        }
        let read = if verbose {
            self.read()
        } else {
            count(usize::try_from(self.scan.files_scanned).unwrap_or(usize::MAX), "file")
        };
        if parts.is_empty() {
            format!("Read {read}.")
        } else {
            format!("Read {read}: {}.", parts.join(", "))
        }
    }

    /// The gate and the score in words, with whether it is bad news. Nothing looks clean that was not assessed.
    pub(crate) fn standing(&self) -> Vec<(String, String, bool)> {
        let mut lines = Vec::new();
        let urgent = self
            .actions
            .iter()
            .filter(|action| action.kind == ActionKind::FixNow)
            .count();
        let urgent = if urgent > 0 {
            format!(" {urgent} to fix now.")
        } else {
            String::new()
        };
        let gate = self.scan.gate.as_ref().map(|gate| {
            let reasons = gate.reasons.join("; ");
            match gate.verdict {
                GateVerdict::Passed if gate.known_findings > 0 => {
                    let known = count(
                        usize::try_from(gate.known_findings).unwrap_or(usize::MAX),
                        "known finding",
                    );
                    let text = format!(", for new findings only. Not counted: {known}.");
                    ("Gate: passed".to_owned(), text, false)
                }
                GateVerdict::Passed => ("Gate: passed.".to_owned(), String::new(), false),
                GateVerdict::Failed => ("Gate: FAILED".to_owned(), format!(", {reasons}."), true),
                GateVerdict::NotAssessed => {
                    let why = reasons.trim_start_matches("not assessed: ").to_owned();
                    ("Gate: not assessed".to_owned(), format!(", {why}."), false)
                }
            }
        });
        match gate {
            Some((label, text, bad)) => lines.push((label, format!("{text}{urgent}"), bad)),
            None if urgent.is_empty() => {}
            None => lines.push(("Urgent:".to_owned(), urgent, true)),
        }
        if let Some(text) = self.scored() {
            lines.push(("Score:".to_owned(), format!(" {text}"), false));
        }
        lines
    }

    /// The score with what it rests on; none where no obligation can apply.
    pub(crate) fn scored(&self) -> Option<String> {
        let rated = &self.scan.score;
        if self.scan.applicability != Applicability::SystemsFound {
            return None;
        }
        let of = format!(
            "{} of {} obligations in force assessed",
            rated.evaluated, rated.applicable
        );
        if !rated.assessed {
            return Some(format!(
                "not assessed ({} of {} obligations in force evaluated).",
                rated.evaluated, rated.applicable
            ));
        }
        let caps = rated.caps.iter().fold(String::new(), |mut text, cap| {
            let _ = write!(
                text,
                " Capped at {}: {}.",
                score(cap.cap),
                cap.reason.trim_end_matches('.')
            );
            text
        });
        Some(match &rated.grade {
            Some(grade) => format!(
                "{of}. Grade {grade}, {} of 100; {} of 100 with what comes later. Self-assessed.{caps}",
                score(rated.compliance),
                score(rated.readiness)
            ),
            None => format!("{of}, too few for a grade.{caps}"),
        })
    }

    /// What would change the verdict on a project without a system.
    pub(crate) const fn what_would_change(&self) -> Option<&'static str> {
        match self.scan.applicability {
            Applicability::Library => Some(
                "This changes if the project gains an entry point, a service or a deployment that runs the code. \
                 A system that others build on the library is theirs.",
            ),
            Applicability::Undetermined => Some(
                "This changes once a call of a model can be traced, or once the signs of one are removed. Until then no \
                 obligation is claimed.",
            ),
            Applicability::NoAiFound => Some("No obligation of the EU AI Act follows from this source code."),
            Applicability::SystemsFound => None,
        }
    }

    /// Files that were not evaluated to their end, for one line.
    pub(crate) fn unparsed(&self) -> String {
        let cut: Vec<String> = self
            .scan
            .files_skipped
            .iter()
            .filter(|entry| matches!(entry.reason, SkipReason::NotEvaluated | SkipReason::NotParsed))
            .map(|entry| format!("{}{}", entry.path, lines_of(entry)))
            .collect();
        if cut.is_empty() {
            String::new()
        } else {
            format!("{}.", titles(cut.iter().map(String::as_str), 3).replace("; ", ", "))
        }
    }

    /// A system in one line: its class, the role, what it calls, and where data goes.
    pub(crate) fn about_system(&self, system: &System, verbose: bool) -> String {
        let class = match system.risk_class.as_str() {
            "prohibited" => "Indicator of a prohibited practice".to_owned(),
            "high" => "High-risk".to_owned(),
            "limited" => format!("Limited risk{}", self.provisional(system)),
            "minimal" => format!("Minimal risk{}", self.provisional(system)),
            _ => match self.class_question(system) {
                Some(number) => format!("Risk class open (Q{number})"),
                None => "Risk class open".to_owned(),
            },
        };
        let mut text = format!("{class}, {}", system.role);
        let used = used(self.scan, system);
        let most = if verbose { used.len() } else { 3 };
        let names: Vec<String> = used
            .iter()
            .take(most)
            .map(|used| if verbose { used.describe() } else { used.name.clone() })
            .collect();
        if !names.is_empty() {
            let more = used.len().saturating_sub(most);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let _ = write!(text, ". Models: {}{more}", names.join(", "));
        }
        let flow = flow(self.scan, system, verbose);
        if !flow.is_empty() {
            let _ = write!(text, ". {flow}");
        }
        text
    }

    /// The class of a system in one word, with the number of open questions on which a low class depends.
    pub(crate) fn class(&self, system: &System) -> String {
        format!("{}{}", system.risk_class, self.provisional(system))
    }

    /// What follows a low class that open questions can change.
    fn provisional(&self, system: &System) -> String {
        let about = |open: &OpenQuestion| open.system.as_ref().is_none_or(|id| *id == system.id);
        let open = self
            .questions
            .iter()
            .filter(|open| about(open) && open.question.is_about_class())
            .count();
        if open == 0 || !matches!(system.risk_class.as_str(), "limited" | "minimal") {
            return String::new();
        }
        format!(" (provisional: {} open)", count(open, "question"))
    }

    /// The number of the question that decides the class of a system.
    fn class_question(&self, system: &System) -> Option<usize> {
        let about = |open: &OpenQuestion| open.system.as_ref().is_none_or(|id| *id == system.id);
        let number = |wanted: &dyn Fn(&str) -> bool| {
            self.questions
                .iter()
                .position(|open| about(open) && wanted(&open.question.id))
                .map(|index| index + 1)
        };
        number(&|id| id.starts_with("annex-iii"))
            .or_else(|| number(&|id| id.starts_with("annex-")))
            .or_else(|| number(&|id| id == "direct-interaction"))
    }

    /// What begins on each date, for one line each: what is certain by name.
    pub(crate) fn days(&self) -> Vec<(Date, String)> {
        self.next
            .iter()
            .filter(|(_, day)| !day.certain.is_empty())
            .map(|(date, day)| {
                let named: Vec<String> = day
                    .certain
                    .iter()
                    .take(CERTAIN_MAX)
                    .map(|row| {
                        let article = row.article.split(", ").next().unwrap_or_default();
                        format!("{} ({article})", row.title)
                    })
                    .collect();
                let more = day.certain.len().saturating_sub(CERTAIN_MAX);
                let more = if more > 0 {
                    format!("; {more} more")
                } else {
                    String::new()
                };
                (*date, format!("{}{more}.", named.join("; ")))
            })
            .collect()
    }

    /// What begins later if answers say so, in one line; empty where nothing depends on answers.
    pub(crate) fn later(&self) -> String {
        let open = || self.next.iter().filter(|(_, day)| !day.open.is_empty());
        let days: Vec<String> = open()
            .map(|(date, day)| format!("{} from {}", day.open.len(), short(*date)))
            .collect();
        if days.is_empty() {
            return String::new();
        }
        let all: usize = open().map(|(_, day)| day.open.len()).sum();
        format!(
            "Up to {} on your answers: {}.",
            count(all, "more duty")
                .replacen("duties", "duties depend", 1)
                .replacen("duty", "duty depends", 1),
            days.join(", ")
        )
    }

    /// What people have suppressed, for one line; empty where nothing is.
    pub(crate) fn suppressed(&self) -> String {
        let total = self.set_aside.len();
        if total == 0 {
            return String::new();
        }
        let accepted = self
            .set_aside
            .iter()
            .filter(|finding| finding.suppressed.as_ref().is_some_and(|s| s.kind == "accepted_risk"))
            .count();
        format!(
            "Suppressed: {} ({accepted} as accepted risk, {} as false positive).",
            count(total, "finding"),
            total - accepted
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
            _ if is_voluntary(&row.first.record) => today.voluntary.push(row),
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
            name: named_model(&provider, model),
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

/// A model with the one who serves it.
///
/// The client library of `openai` is the usual way to reach other providers as well, and `openai` serves no model of another maker: such a
/// call is named by the maker.
pub(crate) fn named_model(provider: &str, model: String) -> String {
    match engine_catalogue::model(&model) {
        Some(known) if provider == "openai" && known.provider != provider => {
            format!("{} {model} through an OpenAI client", known.provider)
        }
        _ if provider.is_empty() => model,
        _ => format!("{provider} {model}"),
    }
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

/// How many places call or load a model, what they send, what the output reaches and, at length, what is missing around the calls.
///
/// Loads are no calls, and what no code runs is no call without error handling.
pub(crate) fn flow(scan: &ScanResult, system: &System, verbose: bool) -> String {
    let own = |kind| -> Vec<&Call> {
        let calls = scan.inventory.calls.iter();
        calls
            .filter(|call| call.system.as_deref() == Some(system.id.as_str()) && call.kind == kind)
            .collect()
    };
    let (calls, loads) = (own(CallKind::Call), own(CallKind::ModelLoad));
    if calls.is_empty() && loads.is_empty() {
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
    let mut parts = Vec::new();
    if !calls.is_empty() {
        parts.push(count(calls.len(), "call"));
    }
    if !loads.is_empty() {
        parts.push(count(loads.len(), "loaded model"));
    }
    let mut words = parts.join(", ");
    if !sends.is_empty() {
        let _ = write!(words, "; in: {}", list(&sends));
    }
    if !effects.is_empty() {
        let _ = write!(words, "; out: {}", list(&effects));
    }
    if !verbose {
        return words;
    }
    let running = || calls.iter().filter(|call| call.runs());
    let dead = calls.len() - running().count();
    let lacks: Vec<String> = [
        (
            running()
                .filter(|call| call.error_handling == ErrorHandling::No)
                .count(),
            "without error handling",
        ),
        (
            running().filter(|call| call.logging == Logging::No).count(),
            "without a log",
        ),
        (dead, "in dead code"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
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
        Sends::UserInput => Some("user input"),
        Sends::File => Some("files"),
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
        Effect::Mail => "messages",
        Effect::Page => "a page or reply",
        Effect::Branch => "a decision in code",
    }
}

/// The obligations of a system in numbers.
pub(crate) fn tally(system: &System) -> String {
    let number = |applies, status: Option<ObligationStatus>| {
        system
            .obligations
            .iter()
            .filter(|o| o.applies == applies && !is_voluntary(o) && status.is_none_or(|status| o.status == status))
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
            ", {open} {} on open questions",
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
        Some(date) if date <= as_of && explanation.certain_from.is_some_and(|certain| certain > as_of) => {
            let certain = explanation.certain_from.unwrap_or(date);
            format!("{article}, since {date} or from {certain}")
        }
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

/// The lines of a file that were not understood, with the reason: ` (lines 4, 11–13: syntax not understood)`. In a notebook each has its
/// cell: ` (cell 3 line 7: syntax not understood)`.
pub(crate) fn lines_of(entry: &SkippedRecord) -> String {
    const SHOWN_MAX: usize = 4;
    let lines: Vec<String> = entry
        .lines
        .iter()
        .take(SHOWN_MAX)
        .map(|lines| {
            let (word, range) = if lines.last == lines.first {
                ("line", lines.first.to_string())
            } else {
                ("lines", format!("{}–{}", lines.first, lines.last))
            };
            match lines.cell {
                Some(cell) => format!("cell {cell} {word} {range}"),
                None => range,
            }
        })
        .collect();
    let word = match entry.lines.as_slice() {
        [] => return String::new(),
        [one, ..] if one.cell.is_some() => "",
        [one] if one.first == one.last => "line ",
        _ => "lines ",
    };
    let more = if entry.lines.len() > SHOWN_MAX { " …" } else { "" };
    format!(" ({word}{}{more}: syntax not understood)", lines.join(", "))
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
        SkipReason::NotEvaluated => "not fully evaluated",
        SkipReason::NotParsed => "not fully parsed",
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
