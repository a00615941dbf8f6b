//! Findings from observations: the law behind each, a stable fingerprint, and an order.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Applies, Check, ConfidenceLevel, Date, Evidence, EvidenceKind, Explanation, Finding, FindingType, Impact,
    ObligationRecord, ObligationStatus, Observation, Outcome, Severity, System,
};
use engine_regulation::{PenaltyTier, RiskClass, regulation};

use crate::StatedClass;
use crate::missing::MISSING_DOCUMENT;

/// Art. 15(5), protection against attacks: a duty of high-risk systems, and worth knowing for every other.
const SECURITY: &str = "OBL-047";

/// An observation together with the check that made it.
#[derive(Clone)]
pub(crate) struct Observed {
    pub(crate) check: &'static Check,
    pub(crate) observation: Observation,
    /// The fingerprint, once [`identify`] has given it.
    pub(crate) id: String,
    /// The check that an external tool made, which has no declaration of its own.
    pub(crate) named: Option<String>,
}

impl Observed {
    pub(crate) fn new(check: &'static Check, observation: Observation) -> Self {
        Self {
            check,
            observation,
            id: String::new(),
            named: None,
        }
    }

    /// The id of the check in a finding.
    fn check_id(&self) -> &str {
        self.named.as_deref().unwrap_or(self.check.id)
    }

    /// Whether it says that a document is unfinished, which is a part of the way and no gap of its own.
    pub(crate) fn is_about_an_unfinished_document(&self) -> bool {
        self.check.id.starts_with(UNFINISHED)
    }

    /// Whether it only asks if people understand what they are told: that is a question for a person, and no finding.
    pub(crate) fn asks_people(&self) -> bool {
        self.observation.outcome == Outcome::Info && crate::obligations::INFORMING.contains(&self.obligation())
    }

    /// What the observed problem does today.
    pub(crate) fn impact(&self) -> Impact {
        self.observation.impact.unwrap_or(self.check.impact)
    }

    /// The obligation that the observation speaks to.
    pub(crate) fn obligation(&self) -> &str {
        self.observation.obligation.as_deref().unwrap_or(self.check.obligation)
    }
}

/// The confidence from which evidence is a finding of its own.
const EVIDENCE_SHOWN_MIN: u8 = 65;

/// The checks of documents that are there and lack substance.
const UNFINISHED: &str = "l2-incomplete-";

/// Gives every observation its fingerprint. All of them are counted, also those that become no finding on the date, so
/// that an id does not depend on the date.
pub(crate) fn identify(observed: &mut [Observed]) {
    let mut ordinals: BTreeMap<String, u32> = BTreeMap::new();
    // One fact about several systems (a lockfile above all of them) is one finding, and is set aside as one.
    let mut same: BTreeMap<(&str, String), String> = BTreeMap::new();
    for item in observed {
        let observation = &item.observation;
        // What is missing lies in no file: the call that it is shown at is only the most telling place.
        let file = observation
            .location
            .as_ref()
            .map(|location| location.file.as_str())
            .filter(|_| item.check.id != MISSING_DOCUMENT.id);
        // Evidence that reads the same for several systems says nothing new at the second place.
        let place = match observation.outcome {
            Outcome::Pass => None,
            Outcome::Fail | Outcome::Info => observation.location.as_ref(),
        };
        let fact = format!(
            "{:?}\0{:?}\0{place:?}\0{}\0{}",
            observation.outcome, observation.obligation, observation.anchor, observation.message
        );
        item.id = same
            .entry((item.check.id, fact))
            .or_insert_with(|| fingerprint(item.check.first_id(), file, &observation.anchor, &mut ordinals))
            .clone();
    }
}

/// Turns observations into findings. What speaks to no obligation of a system is dropped, unless it is a grave
/// fault of security. What hangs on the class speaks where a person has stated one, or where the duty applies anyway.
pub(crate) fn findings(
    observed: &[Observed],
    systems: &[System],
    stated: Option<StatedClass>,
    as_of: Date,
) -> Vec<Finding> {
    let speaks = |item: &&Observed| stated.is_some() || !hangs_on_the_class(item, systems);
    let mut findings: Vec<Finding> = observed
        .iter()
        .filter(speaks)
        .filter_map(|item| finding(item, systems, as_of))
        .collect();
    findings.sort_by(|a, b| order(a).cmp(&order(b)));
    // Of one fact about several systems the one that binds most is shown.
    let mut seen = BTreeSet::new();
    findings.retain(|finding| seen.insert(finding.id.clone()));
    findings
}

/// Whether a check reports security problems that matter in every project, with or without an AI system: secrets, unsafe
/// model files, hostile configuration.
pub(crate) fn is_of_every_project(check: &Check) -> bool {
    is_of_model_files(check) || check.impact == Impact::Exposes && check.obligation == SECURITY
}

/// Whether a check reports what model files do when they are loaded.
fn is_of_model_files(check: &Check) -> bool {
    engine_scan_models::CHECKS.iter().any(|own| own.id == check.id)
}

/// Whether a check reports committed secrets: one that opens little is still worth knowing.
fn is_of_secrets(check: &Check) -> bool {
    engine_scan_secrets::CHECKS.iter().any(|own| own.id == check.id)
}

/// A model that nobody serves any more breaks a system, whatever the law asks of it.
const BREAKS: &str = "l3-retired-model";

/// Whether what a check says is worth knowing also where it is no duty of the system.
fn is_worth_knowing(check: &Check) -> bool {
    is_of_model_files(check) || check.id == BREAKS || crate::external::is_external(check)
}

/// How sure a problem must be to be urgent.
const URGENT_CONFIDENCE_MIN: u8 = 50;

/// Whether an observed problem does harm today, so that it is a finding whether or not an obligation requires its fix.
fn acts_today(item: &Observed, severity: Severity, applies: Option<Applies>) -> bool {
    if item.observation.outcome != Outcome::Fail || item.observation.confidence < URGENT_CONFIDENCE_MIN {
        return false;
    }
    match item.impact() {
        Impact::Exposes => severity >= Severity::High && [SECURITY, ""].contains(&item.obligation()),
        Impact::Breaks => {
            severity >= Severity::Medium
                && (item.check.id == BREAKS || !matches!(applies, Some(Applies::DoesNotApply) | None))
        }
        Impact::Misleads | Impact::Prepares => false,
    }
}

/// What a high-risk system has to show around its decisions: its frame, its records, what the people it decides about learn, how it is
/// stopped, and that what it runs is the same tomorrow. While nobody has said that a system is one, it stands with its duty: readers of such findings put them aside. That a decision
/// about people is seen, and that nobody oversees it, is what raises the question, and speaks before the answer.
const BY_CLASS: [&str; 13] = [
    "l1-inaccessible-interface",
    "l1-nameless-interface",
    "l1-unmonitored-deployment",
    "l3-undeclared-ai-dependency",
    "l3-unpinned-ai-dependency",
    "l4-deserialised-model",
    "l4-no-suspension",
    "l4-single-person-identification",
    "l4-thin-identification-log",
    "l4-unchecked-person-input",
    "l4-unexplained-decision",
    "l4-unlogged-model-call",
    "l4-untold-affected-person",
];

/// Further checks whose evidence stands with its duty while it is open whether the duty binds: failures that are handled, names that fix a
/// version, and a text that names an AI where nobody is seen to talk with one.
const WAIT: [&str; 3] = [
    "l4-floating-model",
    "l4-undisclosed-interaction",
    "l4-unhandled-model-failure",
];

/// Whether the evidence of a check waits until it is known that its duty binds.
fn waits(check: &Check) -> bool {
    BY_CLASS.contains(&check.id) || WAIT.contains(&check.id)
}

/// Whether something is missing for a duty of high-risk systems alone, of which it is open whether it binds.
fn hangs_on_the_class(item: &Observed, systems: &[System]) -> bool {
    item.observation.outcome == Outcome::Fail
        && BY_CLASS.contains(&item.check.id)
        && strongest(item.obligation(), &item.observation, systems)
            .is_some_and(|record| record.applies == Applies::Undetermined && !record.is_expected())
}

/// Gaps first, the grave ones before the others, then by place.
fn order(finding: &Finding) -> impl Ord + use<'_> {
    let kind = match finding.kind {
        FindingType::Fail => 0,
        FindingType::Info => 1,
        FindingType::Pass => 2,
    };
    (
        kind,
        std::cmp::Reverse(finding.severity),
        finding.file.as_deref().unwrap_or(""),
        finding.line.unwrap_or(0),
        finding.check_id.as_str(),
        finding.id.as_str(),
    )
}

fn finding(item: &Observed, systems: &[System], as_of: Date) -> Option<Finding> {
    let Observed {
        check, observation, id, ..
    } = item;
    // Evidence that is hardly more likely right than wrong stays with its obligation, where a person weighs it.
    if item.asks_people()
        || observation.aside
        || observation.outcome == Outcome::Pass && observation.confidence < EVIDENCE_SHOWN_MIN
    {
        return None;
    }
    let record = strongest(item.obligation(), observation, systems);
    let applies = record.map(|record| record.applies);
    let expected = record.is_some_and(ObligationRecord::is_expected);
    let severity = observation.severity.unwrap_or(check.severity);
    // Where other evidence stands for the duty, an unfinished document beside it is worth knowing and opens nothing.
    let beside = item.is_about_an_unfinished_document()
        && record.is_some_and(|record| record.status == ObligationStatus::Evidenced);
    let today = acts_today(item, severity, applies);
    let kind = match (observation.outcome, applies) {
        (Outcome::Fail, Some(Applies::Applies)) if beside => FindingType::Info,
        (Outcome::Fail, Some(Applies::Applies)) => FindingType::Fail,
        _ if today => FindingType::Fail,
        // A wrong answer is a fault of the profile itself, whether or not a duty depends on it.
        (Outcome::Fail, _) if crate::answers::is_about_answers(check) => FindingType::Fail,
        // Nothing in code brings such a duty into play, and who begins its paper takes it for theirs: that is worth a word as
        // long as nobody has said so.
        (Outcome::Fail, Some(Applies::DoesNotApply) | None)
            if item.is_about_an_unfinished_document() && begun_by_who_it_binds(item.obligation()) =>
        {
            FindingType::Info
        }
        (Outcome::Fail, Some(Applies::DoesNotApply) | None)
            if (severity < Severity::High || item.obligation() != SECURITY)
                && !is_worth_knowing(check)
                && !is_of_secrets(check) =>
        {
            return None;
        }
        (Outcome::Pass, Some(Applies::DoesNotApply) | None) => return None,
        // What code does for such a duty is worth a word once it is known that the duty binds at all.
        (Outcome::Pass, Some(Applies::Undetermined)) if waits(check) && !expected => return None,
        (Outcome::Info, Some(Applies::DoesNotApply) | None)
            if !item.obligation().is_empty() && !is_worth_knowing(check) =>
        {
            return None;
        }
        (Outcome::Fail | Outcome::Info, _) => FindingType::Info,
        (Outcome::Pass, _) => FindingType::Pass,
    };
    let mut message = capital(&observation.message);
    if observation.outcome == Outcome::Fail && kind == FindingType::Info {
        let note = law_of(record, observation, systems, as_of);
        message = format!("{}. {note}", message.trim_end_matches('.'));
    } else if !message.ends_with(['.', '?', '!']) {
        message.push('.');
    }
    let location = observation.location.as_ref();
    let mut evidence = observation.evidence.clone();
    if evidence.is_empty()
        && let Some(location) = location
    {
        evidence.push(Evidence {
            kind: EvidenceKind::Code,
            reference: item.check_id().to_owned(),
            file: Some(location.file.clone()),
            line: Some(location.line),
            hash: None,
        });
    }
    Some(Finding {
        id: id.clone(),
        check_id: item.check_id().to_owned(),
        // Without an AI system there is no obligation to name.
        obligation_id: (!item.obligation().is_empty() && !systems.is_empty()).then(|| item.obligation().to_owned()),
        kind,
        layer: check.layer,
        // Evidence has no consequence.
        severity: if kind == FindingType::Pass {
            Severity::Info
        } else {
            severity
        },
        impact: (kind != FindingType::Pass).then(|| item.impact()),
        confidence: observation.confidence,
        confidence_level: ConfidenceLevel::of(observation.confidence),
        title: observation
            .title
            .clone()
            .unwrap_or_else(|| check.title_of(observation.outcome)),
        message,
        explanation: record.map(explanation),
        file: location.map(|l| l.file.clone()),
        line: location.map(|l| l.line),
        column: location.map(|l| l.column),
        end_line: location.map(|l| observation.end_line.unwrap_or(l.line)),
        end_column: None,
        cell: location.and_then(|l| l.cell),
        system: observation.system.clone().or_else(|| {
            let [only] = systems else { return None };
            Some(only.id.clone())
        }),
        evidence,
        code_context: None,
        fix: (kind != FindingType::Pass)
            .then(|| observation.fix.clone().unwrap_or_else(|| check.fix.to_owned()))
            .filter(|fix| !fix.is_empty()),
        fixable: false,
        suppressed: None,
        baseline: None,
    })
}

/// What the law says about a problem that is no gap on the date of the scan, in one sentence.
fn law_of(record: Option<&ObligationRecord>, observation: &Observation, systems: &[System], as_of: Date) -> String {
    if systems.is_empty() {
        return "No AI system was found, so this is not a gap under the AI Act.".to_owned();
    }
    let Some(record) = record else {
        return "This is not a gap under the AI Act.".to_owned();
    };
    let article = first_provision(&record.article);
    match (record.applies, record.applies_from) {
        (Applies::Applies, _) => format!("Other evidence already covers {article}."),
        (Applies::Upcoming, Some(date)) => format!("{article} makes this a gap from {}.", in_words(date)),
        (Applies::Undetermined, Some(date)) => {
            // The facts are settled and only the start is open.
            if let Some(starts) = record.starts_in_words(as_of) {
                return format!("{article}: {starts}.");
            }
            let date = in_words(date);
            let deciding = system_of(observation, systems).map(|system| deciding(record, system));
            if record.question_id.as_deref() == Some("role") {
                return format!(
                    "{article} makes this a gap from {date} if your organisation is {}.",
                    bound(record)
                );
            }
            match (deciding.unwrap_or_default().as_slice(), record.question.as_deref()) {
                ([only], _) => {
                    format!("{article} makes this a gap from {date} if the answer to this question is yes: {only}")
                }
                ([_, ..], _) => format!("{article} makes this a gap from {date} if the system is high-risk."),
                ([], Some(question)) => {
                    let annex = |id: &String| id.starts_with("annex-");
                    let answer = if record.question_id.as_ref().is_some_and(annex) {
                        "the answer to this question is yes"
                    } else {
                        "your answer to this question brings the duty into force"
                    };
                    format!("{article} makes this a gap from {date} if {answer}: {question}")
                }
                ([], None) => {
                    format!(
                        "{article} makes this a gap from {date} if your answers to the open questions bring the duty into force."
                    )
                }
            }
        }
        _ => "Not a gap on this date.".to_owned(),
    }
}

/// The roles that an obligation binds, such as `the provider or the deployer`.
fn bound(record: &ObligationRecord) -> String {
    let roles: Vec<String> = regulation()
        .obligation(&record.obligation_id)
        .into_iter()
        .flat_map(|obligation| &obligation.actors)
        .map(|role| format!("the {}", role.label()))
        .collect();
    roles.join(" or ")
}

/// A date as people write it, such as `2 December 2027`.
fn in_words(date: Date) -> String {
    date.strftime("%-d %B %Y").to_string()
}

/// Art. 6(4): the assessment of who holds a system not to be high-risk.
const HELD_NOT_HIGH_RISK: &str = "OBL-016";

/// Whether only those whom the duty binds write a paper for it: providers of general-purpose models, and those who hold a
/// system of Annex III not to be high-risk.
fn begun_by_who_it_binds(obligation: &str) -> bool {
    if obligation == HELD_NOT_HIGH_RISK {
        return true;
    }
    regulation()
        .obligation(obligation)
        .is_some_and(|o| matches!(o.risk_class, RiskClass::Gpai | RiskClass::GpaiSystemic))
}

/// The system that an observation is about, else the first.
fn system_of<'a>(observation: &Observation, systems: &'a [System]) -> Option<&'a System> {
    systems
        .iter()
        .find(|system| observation.system.as_ref() == Some(&system.id))
        .or(systems.first())
}

/// A sentence with its capital letter; names in quotation marks keep their own.
fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// The first of several provisions; the explanation of a finding names all of them.
fn first_provision(article: &str) -> &str {
    article.split(", ").next().unwrap_or(article)
}

/// The questions of a system on one of which an undetermined duty hangs: those of the class for duties of high-risk systems, the one
/// about conversations for Art. 50(1).
fn deciding<'a>(record: &ObligationRecord, system: &'a System) -> Vec<&'a str> {
    let of_people = record.article.starts_with("Art. 50(");
    let asked = |wanted: &dyn Fn(&str) -> bool| -> Vec<&'a str> {
        let questions = system.questions.iter().filter(|question| wanted(&question.id));
        questions.map(|question| question.text.as_str()).collect()
    };
    if of_people {
        return asked(&|id| id == "direct-interaction" && record.article.starts_with("Art. 50(1)"));
    }
    // The products of Annex I come later than the uses of Annex III.
    let uses = asked(&|id| id.starts_with("annex-iii-"));
    if uses.is_empty() {
        asked(&|id| id.starts_with("annex-"))
    } else {
        uses
    }
}

/// The record that decides: of the named system, else the one that binds most.
fn strongest<'a>(obligation: &str, observation: &Observation, systems: &'a [System]) -> Option<&'a ObligationRecord> {
    systems
        .iter()
        .filter(|system| observation.system.as_ref().is_none_or(|id| *id == system.id))
        .filter_map(|system| {
            system
                .obligations
                .iter()
                .find(|record| record.obligation_id == obligation)
        })
        .min_by_key(|record| record.applies)
}

fn explanation(record: &ObligationRecord) -> Explanation {
    Explanation {
        article: record.article.clone(),
        applies_from: record.applies_from,
        certain_from: record.certain_from,
        why: record.because.clone(),
        penalty: regulation()
            .obligation(&record.obligation_id)
            .and_then(|obligation| regulation().penalty(&obligation.penalty_tier))
            .and_then(penalty),
    }
}

/// The ceiling of a fine, with its provision.
fn penalty(tier: &PenaltyTier) -> Option<String> {
    let provision = tier.provision.as_deref()?;
    let (Some(fixed), Some(percent)) = (tier.fixed_eur, tier.turnover_percent) else {
        return Some(format!("set by national law ({provision})"));
    };
    Some(format!(
        "up to EUR {} or {percent} % of worldwide annual turnover, whichever is higher; for SMEs the lower ({provision})",
        thousands(fixed)
    ))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A fingerprint from what does not move: the check, the file, what the check anchors on, and the ordinal among equals.
fn fingerprint(check: &str, file: Option<&str>, anchor: &str, ordinals: &mut BTreeMap<String, u32>) -> String {
    let base = format!("{check}\0{}\0{anchor}", file.unwrap_or(""));
    let ordinal = ordinals.entry(base.clone()).or_default();
    let text = format!("{base}\0{ordinal}");
    *ordinal += 1;
    blake3::hash(text.as_bytes()).to_hex()[..20].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_of_a_fine_names_its_provision() {
        let tier = regulation().penalty("TIER-99-4").unwrap();
        let text = penalty(tier).unwrap();
        assert!(
            text.starts_with("up to EUR 15 000 000 or 3 %") && text.contains("Art. 99(4)"),
            "{text}"
        );
    }

    #[test]
    fn equal_observations_are_told_apart_by_their_order() {
        let mut ordinals = BTreeMap::new();
        let first = fingerprint("l4-x", Some("a.py"), "f#g", &mut ordinals);
        let second = fingerprint("l4-x", Some("a.py"), "f#g", &mut ordinals);
        assert_ne!(first, second);
        assert_eq!(first, fingerprint("l4-x", Some("a.py"), "f#g", &mut BTreeMap::new()));
    }
}
