//! The actions of a result: what to fix now, the duties in force, what to decide, and what to prepare, in this order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use engine_model::{
    Action, ActionKind, Applies, Date, Finding, FindingType, Impact, ObligationRecord, ObligationStatus, OpenQuestion,
    ProjectObligation, Question, ScanResult, Severity, open_questions,
};
use engine_regulation::{Obligation, regulation};

use crate::view::{at, place};

/// The ids of all checks for secrets: places of several kinds of keys are one action.
const SECRETS: &str = "secret-";

/// What to do about a result, in the order in which a person should act.
pub(crate) fn actions(scan: &ScanResult) -> Vec<Action> {
    let mut actions = fix_now(scan);
    actions.extend(duties(scan));
    actions.extend(decisions(scan));
    actions.extend(preparations(scan));
    for (index, action) in actions.iter_mut().enumerate() {
        action.rank = index as u64 + 1;
    }
    actions
}

/// Whether a finding is one of a practice that Art. 5 prohibits, which comes before everything else.
fn is_prohibition(finding: &Finding) -> bool {
    finding.kind == FindingType::Fail
        && finding.severity == Severity::Critical
        && finding
            .obligation_id
            .as_deref()
            .and_then(|id| regulation().obligation(id))
            .is_some_and(Obligation::is_prohibition)
}

/// Findings that belong to one action.
fn family(finding: &Finding) -> &str {
    if finding.check_id.starts_with(SECRETS) {
        SECRETS
    } else {
        &finding.check_id
    }
}

/// Groups findings: secrets are one action, other findings of a check with the same advice are one, and models are one each, since each has
/// a date of its own.
fn grouped<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Vec<&'a Finding>> {
    let mut groups: Vec<(String, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let family = family(finding);
        let key = match family {
            SECRETS => SECRETS.to_owned(),
            "l3-retired-model" => format!("{family}\0{}", finding.id),
            _ => format!(
                "{family}\0{}\0{}",
                finding.title,
                finding.fix.as_deref().unwrap_or_default()
            ),
        };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(finding),
            None => groups.push((key, vec![finding])),
        }
    }
    let mut groups: Vec<Vec<&Finding>> = groups.into_iter().map(|(_, group)| group).collect();
    for group in &mut groups {
        group.sort_by_key(|finding| (Reverse(finding.severity), finding.file.as_deref(), finding.line));
    }
    groups
}

/// An action for findings that belong together; the gravest one speaks for all.
fn of_findings(kind: ActionKind, group: &[&Finding], scan: &ScanResult) -> Action {
    let first = group[0];
    let mut places: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    for finding in group {
        let cell = finding.cell.map_or_else(String::new, |cell| format!(" (cell {cell})"));
        if let Some(place) = place(finding).map(|place| format!("{place}{cell}"))
            && known.insert(place.clone())
        {
            places.push(place);
        }
    }
    let secrets = family(first) == SECRETS && group.len() > 1;
    let mut places = places.into_iter();
    let place = places.next();
    let explanation = first.explanation.as_ref();
    let until = explanation
        .and_then(|explanation| explanation.applies_from)
        .filter(|date| *date > scan.as_of && kind == ActionKind::Prepare);
    let ids = |of: &dyn Fn(&Finding) -> Option<String>| -> Vec<String> {
        let all: BTreeSet<String> = group.iter().filter_map(|finding| of(finding)).collect();
        all.into_iter().collect()
    };
    Action {
        rank: 0,
        kind,
        title: if secrets {
            "Committed secrets".to_owned()
        } else {
            first.title.clone()
        },
        place,
        why: if secrets {
            kinds_of_secrets(group)
        } else {
            first.message.clone()
        },
        how: if secrets {
            "Revoke and replace them. Read them from the environment or a secrets vault. Remove them from the Git history."
                .to_owned()
        } else {
            first.fix.clone().unwrap_or_default()
        },
        until,
        command: fix_command(group),
        places: places.collect(),
        article: explanation.map(|explanation| explanation.article.clone()),
        severity: Some(first.severity),
        impact: first.impact,
        systems: ids(&|finding| finding.system.clone()),
        findings: group.iter().map(|finding| finding.id.clone()).collect(),
        obligations: ids(&|finding| finding.obligation_id.clone()),
        question: None,
    }
}

/// The command that shows the fixes of a group; none where no strategy exists for any of its findings.
fn fix_command(group: &[&Finding]) -> Option<String> {
    let fixable = group.iter().filter(|finding| finding.fixable);
    let checks: BTreeSet<&str> = fixable.map(|finding| finding.check_id.as_str()).collect();
    let mut checks = checks.into_iter();
    let first = checks.next()?;
    Some(match checks.next() {
        None => format!("engine-server fix . --check {first}"),
        Some(_) => "engine-server fix .".to_owned(),
    })
}

/// What a group of secrets is made of, such as `3 findings: AI key (1), password (2).`
fn kinds_of_secrets(group: &[&Finding]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for finding in group {
        let title = finding.title.strip_prefix("Committed ").unwrap_or(&finding.title);
        match kinds.iter_mut().find(|(known, _)| *known == title) {
            Some((_, number)) => *number += 1,
            None => kinds.push((title, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(title, number)| {
            if number == 1 {
                title.to_owned()
            } else {
                format!("{title} ({number})")
            }
        })
        .collect();
    format!("{} secrets in the repository: {}.", group.len(), kinds.join(", "))
}

/// What does harm today: prohibited practices first, then by severity; what exposes comes before what breaks.
fn fix_now(scan: &ScanResult) -> Vec<Action> {
    let urgent = scan.findings.iter().filter(|finding| finding.is_urgent());
    let mut groups = grouped(urgent);
    groups.sort_by_key(|group| {
        let first = group[0];
        (
            !is_prohibition(first),
            Reverse(first.severity),
            first.impact != Some(Impact::Exposes),
            Reverse(first.kind == FindingType::Fail),
            first.check_id.clone(),
            first.file.clone(),
            first.line,
        )
    });
    groups
        .iter()
        .map(|group| of_findings(ActionKind::FixNow, group, scan))
        .collect()
}

/// Whether a finding says what is wrong, and is neither suppressed nor urgent.
fn is_plain(finding: &Finding, kind: FindingType) -> bool {
    finding.kind == kind && finding.suppressed.is_none() && !finding.is_urgent()
}

/// Gaps of today, then the duties in force without evidence, those that one step settles together first.
fn duties(scan: &ScanResult) -> Vec<Action> {
    let mut groups = grouped(
        scan.findings
            .iter()
            .filter(|finding| is_plain(finding, FindingType::Fail)),
    );
    groups.sort_by_key(|group| {
        let first = group[0];
        (
            Reverse(first.severity),
            first.file.clone(),
            first.line,
            first.check_id.clone(),
        )
    });
    let mut actions: Vec<Action> = groups
        .iter()
        .map(|group| of_findings(ActionKind::Duty, group, scan))
        .collect();
    let is_reported = |obligation: &ProjectObligation| {
        scan.findings.iter().any(|finding| {
            finding.kind == FindingType::Fail
                && finding.obligation_id.as_ref() == Some(&obligation.record.obligation_id)
                && finding
                    .system
                    .as_ref()
                    .is_none_or(|system| *system == obligation.system)
        })
    };
    // Duties that one step settles are one action.
    let mut settled: Vec<(Step<'_>, Action)> = Vec::new();
    let questions = open_questions(&scan.systems);
    let open = scan.obligations.iter().filter(|obligation| {
        let record = &obligation.record;
        record.applies == Applies::Applies
            && !is_voluntary(record)
            && match record.status {
                ObligationStatus::NotEvaluated | ObligationStatus::Incomplete => true,
                ObligationStatus::Gap => !is_reported(obligation),
                ObligationStatus::Evidenced => false,
            }
    });
    for obligation in open {
        let record = &obligation.record;
        let step = Step::of(record, &obligation.system, scan, &questions);
        if let Some((_, action)) = settled.iter_mut().find(|(known, _)| *known == step) {
            if !action.obligations.contains(&record.obligation_id) {
                action.obligations.push(record.obligation_id.clone());
            }
            if !action.systems.contains(&obligation.system) {
                action.systems.push(obligation.system.clone());
            }
        } else {
            let action = step.action(record, &obligation.system);
            settled.push((step, action));
        }
    }
    for (step, action) in &mut settled {
        step.conclude(action);
    }
    settled.sort_by_key(|(step, action)| (step.rank(), Reverse(action.obligations.len())));
    actions.extend(settled.into_iter().map(|(_, action)| action));
    actions
}

/// The index of an open question about a system, or about all of them.
fn position(questions: &[OpenQuestion], id: &str, system: Option<&str>) -> Option<usize> {
    questions.iter().position(|open| {
        let about = open.system.as_deref();
        open.question.id == id && (about.is_none() || system.is_none() || about == system)
    })
}

/// Whether a record is about a code of conduct (Art. 95), which is no duty.
pub(crate) fn is_voluntary(record: &ObligationRecord) -> bool {
    is_invitation(&record.obligation_id)
}

/// Whether the provision behind an id invites and does not oblige.
pub(crate) fn is_invitation(obligation_id: &str) -> bool {
    regulation()
        .obligation(obligation_id)
        .is_some_and(Obligation::is_voluntary)
}

/// The one step that would settle a duty.
#[derive(Clone, Debug, PartialEq)]
enum Step<'a> {
    /// Answer an open question.
    Answer { number: usize, key: String },
    /// Finish a document that is there.
    Finish { file: &'a str, line: u32, completeness: u8 },
    /// Write a document.
    Write { id: &'a str, title: &'a str },
    /// Name a person and where the evidence is kept.
    Name { obligation: String },
}

impl<'a> Step<'a> {
    fn of(record: &ObligationRecord, system: &str, scan: &'a ScanResult, questions: &[OpenQuestion]) -> Self {
        if let Some(id) = &record.question_id
            && let Some(number) = position(questions, id, Some(system))
        {
            return Self::Answer {
                number: number + 1,
                key: questions[number].question.key.clone(),
            };
        }
        let law = regulation();
        let documents = law
            .obligation(&record.obligation_id)
            .map_or(&[][..], |obligation| &obligation.satisfied_by_documents);
        let begun = scan
            .documents
            .iter()
            .filter(|found| documents.contains(&found.kind))
            .max_by_key(|found| (found.completeness, Reverse(&found.file)));
        if let Some(found) = begun.filter(|_| record.status == ObligationStatus::Incomplete) {
            return Self::Finish {
                file: &found.file,
                line: found.line,
                completeness: found.completeness,
            };
        }
        // What people do, such as keeping a channel for complaints, is shown by who does it.
        let by_document = law
            .obligation(&record.obligation_id)
            .is_some_and(|obligation| obligation.checkable_by.document);
        match documents.iter().find_map(|id| law.document(id)).filter(|_| by_document) {
            Some(document) => Self::Write {
                id: &document.id,
                title: &document.title,
            },
            None => Self::Name {
                obligation: record.obligation_id.clone(),
            },
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Finish { .. } => 0,
            Self::Answer { .. } => 1,
            Self::Write { .. } => 2,
            Self::Name { .. } => 3,
        }
    }

    fn action(&self, record: &ObligationRecord, system: &str) -> Action {
        Action {
            rank: 0,
            kind: ActionKind::Duty,
            title: record.title.clone(),
            place: match self {
                Self::Finish { file, line, .. } => Some(at(file, Some(*line))),
                _ => None,
            },
            why: String::new(),
            how: String::new(),
            until: None,
            command: None,
            places: Vec::new(),
            article: Some(record.article.clone()),
            severity: None,
            impact: None,
            systems: vec![system.to_owned()],
            findings: Vec::new(),
            obligations: vec![record.obligation_id.clone()],
            question: None,
        }
    }

    /// Writes why and how, once all duties of the step are known.
    fn conclude(&self, action: &mut Action) {
        let (duties, need) = match action.obligations.len() {
            1 => ("this duty".to_owned(), "needs"),
            number => (format!("these {number} duties"), "need"),
        };
        action.article = Some(articles(&action.obligations));
        let first = action.obligations.first().cloned().unwrap_or_default();
        action.why = match self {
            Self::Finish { completeness, .. } => {
                format!("The document covers {completeness} % of the sections that {duties} {need}.")
            }
            Self::Answer { number, .. } => format!("The status of {duties} depends on question {number}."),
            Self::Write { .. } | Self::Name { .. } => {
                format!("In force, and no evidence for {duties} was found in the project.")
            }
        };
        let state = format!("engine-server answer . --evidence {first}=\"<where it is kept>\"");
        (action.how, action.command) = match self {
            Self::Finish { .. } => (
                "Complete the missing sections, and let a named person sign it.".to_owned(),
                None,
            ),
            Self::Answer { number, key } => {
                action.question = Some(key.clone());
                (
                    format!("Answer question {number}."),
                    Some(format!("engine-server answer . Q{number}=<answer>")),
                )
            }
            Self::Write { id, title } if action.obligations.len() > 1 => {
                (*title).clone_into(&mut action.title);
                (
                    format!("Write this document (`{id}`), or state where it is kept."),
                    Some(state),
                )
            }
            Self::Write { id, title } => (
                format!("Write the document “{title}” (`{id}`), or state where it is kept."),
                Some(state),
            ),
            Self::Name { .. } => (
                "Name who is responsible and where the record is kept.".to_owned(),
                Some(state),
            ),
        };
    }
}

/// The provisions of several duties, those of one article together: `Art. 5: 8 prohibited practices`.
fn articles(obligations: &[String]) -> String {
    let mut by_article: Vec<(&str, Vec<&Obligation>)> = Vec::new();
    for obligation in obligations.iter().filter_map(|id| regulation().obligation(id)) {
        match by_article.iter_mut().find(|(known, _)| *known == obligation.article) {
            Some((_, all)) => all.push(obligation),
            None => by_article.push((&obligation.article, vec![obligation])),
        }
    }
    by_article
        .into_iter()
        .map(|(article, all)| match all.as_slice() {
            [one] => one.citation(),
            bans if bans.iter().all(|one| one.is_prohibition()) => {
                format!("Art. {article}: {} prohibited practices", bans.len())
            }
            _ => format!("Art. {article}: {} duties", all.len()),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// The record that a finding is about.
fn record<'a>(scan: &'a ScanResult, finding: &Finding) -> Option<&'a ObligationRecord> {
    let id = finding.obligation_id.as_deref()?;
    scan.obligations
        .iter()
        .filter(|known| known.record.obligation_id == id)
        .filter(|known| finding.system.as_ref().is_none_or(|system| *system == known.system))
        .map(|known| &known.record)
        .min_by_key(|record| record.applies)
}

/// Whether a notice is about a duty that is in force for those to whom it applies, so that it must be decided now.
fn is_in_force(scan: &ScanResult, finding: &Finding) -> bool {
    record(scan, finding).is_some_and(|record| {
        record.applies == Applies::Undetermined && record.applies_from.is_some_and(|date| date <= scan.as_of)
    })
}

/// Notices for duties in force of which it is open whether they apply, then the questions.
fn decisions(scan: &ScanResult) -> Vec<Action> {
    let questions = open_questions(&scan.systems);
    let now = scan
        .findings
        .iter()
        .filter(|finding| is_plain(finding, FindingType::Info) && is_in_force(scan, finding));
    let mut groups = grouped(now);
    groups.sort_by_key(|group| (Reverse(group[0].severity), group[0].file.clone(), group[0].line));
    let mut actions: Vec<Action> = groups
        .iter()
        .map(|group| {
            let mut action = of_findings(ActionKind::Decide, group, scan);
            let asked = record(scan, group[0]).and_then(|record| record.question_id.as_deref());
            let number = asked.and_then(|id| position(&questions, id, group[0].system.as_deref()));
            if let Some(number) = number {
                action.question = Some(questions[number].question.key.clone());
                action.how = format!("{} Or answer question {}.", action.how, number + 1);
                action.command = Some(command(&questions[number].question, number + 1));
            }
            action
        })
        .collect();
    actions.extend(questions.iter().enumerate().map(|(index, open)| {
        let question = &open.question;
        let mut places: Vec<String> = Vec::new();
        for found in &question.evidence {
            if let Some(file) = &found.file {
                let place = at(file, found.line);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        let mut places = places.into_iter();
        Action {
            rank: 0,
            kind: ActionKind::Decide,
            title: question.text.clone(),
            place: places.next(),
            why: question.why.clone(),
            how: question.effect.clone(),
            until: None,
            command: Some(command(question, index + 1)),
            places: places.collect(),
            article: (!question.provision.is_empty()).then(|| question.provision.clone()),
            severity: None,
            impact: None,
            systems: open.system.iter().cloned().collect(),
            findings: Vec::new(),
            obligations: Vec::new(),
            question: Some(question.key.clone()),
        }
    }));
    actions
}

/// Options that a command names one by one.
const OPTIONS_MAX: usize = 4;

/// The command that answers a question with the likely answer, else with a place for one.
pub(crate) fn command(question: &Question, number: usize) -> String {
    // As in the command of the question, without the parentheses that a shell would take for its own.
    let likely = question
        .suggestion
        .as_ref()
        .map(|likely| likely.value.replace(['(', ')'], ""));
    let value = match (likely, question.kind.as_str()) {
        (Some(value), _) => value,
        (None, "yes_no") => "yes".to_owned(),
        (None, "date") => "<date>".to_owned(),
        (None, _) => match question.options.as_slice() {
            [] => "<text>".to_owned(),
            [first, .., last] if question.options.len() > OPTIONS_MAX => {
                format!("<{}|…|{}>", first.value, last.value)
            }
            options => {
                let values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
                format!("<{}>", values.join("|"))
            }
        },
    };
    format!("engine-server answer . Q{number}={value}")
}

/// Whether a command answers a question. Others preview a fix.
pub(crate) fn answers(command: &str) -> bool {
    command.starts_with("engine-server answer ")
}

/// What will bind for certain, by date, then the findings for duties that may or will bind later.
fn preparations(scan: &ScanResult) -> Vec<Action> {
    let mut actions = Vec::new();
    for row in scan
        .upcoming
        .iter()
        .filter(|row| row.certain && row.applies_from > scan.as_of && !is_invitation(&row.obligation_id))
    {
        let law = regulation();
        let obligation = law.obligation(&row.obligation_id);
        let document = obligation
            .into_iter()
            .flat_map(|obligation| &obligation.satisfied_by_documents)
            .find_map(|id| law.document(id));
        actions.push(Action {
            rank: 0,
            kind: ActionKind::Prepare,
            title: row.title.clone(),
            place: None,
            why: obligation.map_or_else(String::new, |obligation| obligation.description.clone()),
            how: document.map_or_else(
                || "Name who is responsible.".to_owned(),
                |document| {
                    if obligation.is_some_and(Obligation::is_prohibition) {
                        format!(
                            "Check that no system does this, and record it in “{}” (`{}`).",
                            document.title, document.id
                        )
                    } else {
                        format!(
                            "Put it in place, and record it in “{}” (`{}`).",
                            document.title, document.id
                        )
                    }
                },
            ),
            until: Some(row.applies_from),
            command: None,
            places: Vec::new(),
            article: Some(row.article.clone()),
            severity: None,
            impact: Some(Impact::Prepares),
            systems: row.systems.clone(),
            findings: Vec::new(),
            obligations: vec![row.obligation_id.clone()],
            question: None,
        });
    }
    let later = scan
        .findings
        .iter()
        .filter(|finding| is_plain(finding, FindingType::Info) && !is_in_force(scan, finding));
    let mut groups = grouped(later);
    groups.sort_by_key(|group| {
        let first = group[0];
        (
            Reverse(first.severity),
            first.file.clone(),
            first.line,
            first.check_id.clone(),
        )
    });
    actions.extend(groups.iter().map(|group| of_findings(ActionKind::Prepare, group, scan)));
    actions
}

/// A date as people write it, such as `2 Dec 2027`.
pub(crate) fn short(date: Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}
