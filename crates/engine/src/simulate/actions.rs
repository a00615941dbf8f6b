//! The actions of a simulation: what a request means, what each takes for done, and what a person reads of it.

use std::collections::BTreeSet;

use engine_model::{DocumentState, ErrorCode, Failure, Finding, Outcome, nearest};
use engine_regulation::regulation;
use engine_scanner::{Evaluation, Settings, check, checks};

use super::{is_open, shown};
use crate::requests::{ActionKind, ActionParts, SimulatedAction};

/// Most actions in one simulation.
const ACTIONS_MAX: usize = 100;

/// Places and ids that one sentence names.
const NAMED_MAX: usize = 5;

/// One action of a simulation.
pub(super) struct Action {
    pub(super) kind: ActionKind,
    pub(super) target: String,
    /// Where the request names it.
    field: String,
}

/// The actions of a request, each once.
pub(super) fn actions(given: &[SimulatedAction]) -> Result<Vec<Action>, Failure> {
    if given.len() > ACTIONS_MAX {
        let details = format!(
            "`actions` has {} actions, but at most {ACTIONS_MAX} are allowed; send them in parts",
            given.len()
        );
        return Err(Failure::new(ErrorCode::InvalidRequest, details).field("actions"));
    }
    let mut actions: Vec<Action> = Vec::with_capacity(given.len());
    for (index, one) in given.iter().enumerate() {
        let field = format!("actions.{index}");
        let ActionParts { kind, target } = match one {
            SimulatedAction::Parts(parts) => parts.clone(),
            SimulatedAction::Text(text) => parts(text).map_err(|failure| failure.field(field.clone()))?,
        };
        let target = match kind {
            ActionKind::Doc => crate::documents::own_id(target.trim()),
            ActionKind::Fix | ActionKind::Passport => target.trim(),
        };
        let target = target.to_owned();
        if !actions.iter().any(|known| known.kind == kind && known.target == target) {
            actions.push(Action { kind, target, field });
        }
    }
    Ok(actions)
}

/// Reads `fix:<check id>` or `doc:<document id>`.
fn parts(text: &str) -> Result<ActionParts, Failure> {
    let kind = |word: &str| match word {
        "fix" => Some(ActionKind::Fix),
        "doc" => Some(ActionKind::Doc),
        _ => None,
    };
    let (word, target) = text.split_once(':').unwrap_or(("", text));
    if let Some(kind) = kind(word.trim()) {
        let target = target.to_owned();
        return Ok(ActionParts { kind, target });
    }
    let target = target.trim();
    let meant = if check(target).is_some() {
        Some(format!("`fix:{target}`"))
    } else if regulation().document(target).is_some() {
        Some(format!("`doc:{target}`"))
    } else {
        nearest(word.trim(), ["fix", "doc"]).map(|kind| format!("`{kind}:{}`", shown(target)))
    };
    let details = format!(
        "`{}` is not an action{} Write `fix:<check id>` or `doc:<document id>`.",
        shown(text),
        meant.map_or_else(|| ".".to_owned(), |meant| format!("; did you mean {meant}?"))
    );
    Err(Failure::new(ErrorCode::InvalidRequest, details))
}

impl Action {
    /// Refuses what is unknown, and what the project has nothing for. `open` are the checks with open findings.
    pub(super) fn is_possible(&self, open: &BTreeSet<String>) -> Result<(), Failure> {
        match self.kind {
            ActionKind::Doc => self.is_a_document(),
            ActionKind::Fix => self.has_findings(open),
            ActionKind::Passport => self.is_a_field(),
        }
    }

    fn is_a_field(&self) -> Result<(), Failure> {
        let paths = || engine_passport::FIELDS.iter().map(|field| field.path);
        if paths().any(|path| path == self.target) {
            return Ok(());
        }
        let target = shown(&self.target);
        Err(self.impossible(match nearest(&self.target, paths()) {
            Some(path) => format!("unknown passport field `{target}`; did you mean `{path}`?"),
            None => format!("unknown passport field `{target}`; GET /agent/completeness lists the fields"),
        }))
    }

    fn is_a_document(&self) -> Result<(), Failure> {
        if regulation().document(&self.target).is_some() {
            return Ok(());
        }
        let ids = || regulation().documents().iter().map(|document| document.id.as_str());
        let meant = nearest(&self.target, ids()).map(|id| format!("; did you mean `doc:{id}`?"));
        let details = match meant {
            Some(meant) => format!("unknown document `{}`{meant}", shown(&self.target)),
            None => format!(
                "unknown document `{}`; use one of {}",
                shown(&self.target),
                ids().collect::<Vec<_>>().join(", ")
            ),
        };
        Err(self.impossible(details))
    }

    fn has_findings(&self, open: &BTreeSet<String>) -> Result<(), Failure> {
        if open.contains(&self.target) {
            return Ok(());
        }
        let target = shown(&self.target);
        let is_known = check(&self.target).is_some();
        let what = if is_known {
            format!("check `{target}` has no open finding in this project")
        } else {
            format!("unknown check `{target}`")
        };
        let meant = if is_known {
            nearest(&self.target, open.iter().map(String::as_str))
        } else {
            nearest(&self.target, checks().map(|check| check.id))
        };
        let meant = meant.map_or_else(String::new, |id| format!("; did you mean `fix:{id}`?"));
        let named: Vec<String> = open.iter().take(NAMED_MAX).map(|id| format!("`{id}`")).collect();
        let more = if open.len() > NAMED_MAX { " and others" } else { "" };
        let separator = if meant.is_empty() { "." } else { "" };
        let details = if named.is_empty() {
            format!("{what}{meant}{separator} No check has an open finding, so leave the action out.")
        } else {
            format!(
                "{what}{meant}{separator} Checks with open findings: {}{more}.",
                named.join(", ")
            )
        };
        Err(self.impossible(details))
    }

    fn impossible(&self, details: String) -> Failure {
        Failure::new(ErrorCode::Impossible, details).field(self.field.clone())
    }

    /// Takes the action for done in the settings, and says what it is.
    pub(super) fn apply(&self, now: &Evaluation, settings: &mut Settings) -> String {
        match self.kind {
            ActionKind::Fix => {
                let own: Vec<&Finding> = self.open_in(now).collect();
                settings.resolved.extend(own.iter().map(|finding| finding.id.clone()));
                describe_fix(&self.target, &own)
            }
            ActionKind::Doc => {
                let description = describe_document(&self.target, now);
                settings.written.insert(self.target.clone());
                description
            }
            ActionKind::Passport => format!(
                "Fill the passport field `{}`. No obligation depends on it, so the score stays.",
                self.target
            ),
        }
    }

    fn open_in<'e>(&self, evaluation: &'e Evaluation) -> impl Iterator<Item = &'e Finding> + use<'e, '_> {
        let own = |finding: &&Finding| engine_scanner::is_check(&self.target, &finding.check_id) && is_open(finding);
        evaluation.findings.iter().filter(own)
    }

    /// Ids of the findings that the action resolves.
    pub(super) fn resolved(&self, before: &Evaluation, after: &Evaluation) -> Result<Vec<String>, Failure> {
        let left: BTreeSet<&str> = after
            .findings
            .iter()
            .filter(|finding| is_open(finding))
            .map(|finding| finding.id.as_str())
            .collect();
        let gone: Vec<String> = before
            .findings
            .iter()
            .filter(|finding| is_open(finding) && !left.contains(finding.id.as_str()))
            .map(|finding| finding.id.clone())
            .collect();
        if self.kind == ActionKind::Fix && gone.is_empty() && self.open_in(before).next().is_some() {
            let details = format!(
                "the findings of check `{}` are notices, not gaps, so no fix is possible; leave the action out",
                self.target
            );
            return Err(self.impossible(details));
        }
        Ok(gone)
    }
}

/// What a fix does: `Fix “Undisclosed AI interaction” in 2 places: api/chat.py:46, web/chat.tsx:12`.
fn describe_fix(target: &str, findings: &[&Finding]) -> String {
    let Some(first) = findings.first() else {
        return format!("Check `{target}`: an earlier action resolves its findings.");
    };
    let places: BTreeSet<String> = findings
        .iter()
        .filter_map(|finding| {
            let file = finding.file.as_ref()?;
            Some(
                finding
                    .line
                    .map_or_else(|| file.clone(), |line| format!("{file}:{line}")),
            )
        })
        .collect();
    let count = findings.len();
    let named: Vec<&str> = places.iter().take(NAMED_MAX).map(String::as_str).collect();
    let place = match named.as_slice() {
        [] => String::new(),
        named => {
            let more = if places.len() > NAMED_MAX { " and others" } else { "" };
            format!(" ({}{more})", named.join(", "))
        }
    };
    let titles: BTreeSet<&str> = findings.iter().map(|finding| finding.title.as_str()).collect();
    let what = if titles.len() == 1 {
        first.title.clone()
    } else {
        check(target).map_or_else(|| first.title.clone(), |check| check.title_of(Outcome::Fail))
    };
    let findings = if count == 1 { "finding" } else { "findings" };
    format!("Fix {count} {findings} “{what}”{place}.")
}

/// What a document action does.
fn describe_document(kind: &str, now: &Evaluation) -> String {
    let title = regulation()
        .document(kind)
        .map_or(kind, |document| document.title.as_str());
    let own = |finished: bool| -> Vec<String> {
        let documents = now.documents.iter().filter(|document| document.kind == kind);
        documents
            .filter(|document| (document.state == DocumentState::Filled && !document.draft) == finished)
            .take(NAMED_MAX)
            .map(|document| format!("`{}`", document.file))
            .collect()
    };
    match (own(false).as_slice(), own(true).as_slice()) {
        ([], []) => format!("Write “{title}” with all required sections."),
        ([], finished) => format!("“{title}” is already complete in {}.", finished.join(", ")),
        (unfinished, _) => format!(
            "Complete the required sections of “{title}” in {}.",
            unfinished.join(", ")
        ),
    }
}
