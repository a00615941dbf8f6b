//! What code says about the risk class of a system: facts for the law, and questions for people.
//!
//! Words raise a question, never a verdict. A signal counts only when the data flow of a call carries it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use engine_model::{
    Call, CallKind, EntryPointKind, Evidence, EvidenceKind, Package, Statement, StatementKind, StepRole, Structure,
    StructureKind, StructureStep,
};
use engine_profile::{SeenKind, Suggested};
use engine_regulation::{Condition, Known, LawQuery, Role as LawRole, TransparencyCase};
use engine_scan_code::{CodeJoin, Signal, SignalKind};

use crate::ask::RaisedQuestion;

use crate::interaction::{self, is_generative};
use crate::systems::SystemDraft;
use crate::{Role, Settings, practices};

/// What code shows about a system, before any answer.
#[derive(Clone, Debug)]
pub(crate) struct Assessment {
    /// What code shows to the law.
    pub(crate) query: LawQuery,
    pub(crate) role: String,
    pub(crate) role_basis: String,
    pub(crate) risk_class: String,
    pub(crate) risk_basis: String,
    /// The questions that code raises.
    pub(crate) raised: Vec<RaisedQuestion>,
    /// The facts in code on which answers are given.
    pub(crate) seen: BTreeSet<String>,
    /// Decisions about people that the output of a model leads to, each with the question of its area.
    pub(crate) decisions: Vec<(&'static str, StructureStep)>,
    /// The first call that code shows for a case of Art. 50.
    pub(crate) cases: BTreeMap<TransparencyCase, (Evidence, &'static str)>,
}

/// Evidence shown per question; more says nothing new.
const EVIDENCE_MAX: usize = 5;

/// Assesses a system from its calls, entry points and signals.
pub(crate) fn assess(
    draft: &SystemDraft,
    code: &CodeJoin,
    statements: &[Statement],
    settings: &Settings,
    is_served: bool,
    packages: &[Package],
) -> Assessment {
    let calls: Vec<&Call> = draft.calls.iter().map(|index| &code.calls[*index]).collect();
    let own: BTreeSet<usize> = draft.calls.iter().copied().collect();
    let signals: Vec<&Signal> = code
        .signals
        .iter()
        .filter(|signal| own.contains(&signal.call))
        .collect();
    let mut raised: Vec<RaisedQuestion> = Vec::new();
    let mut query = LawQuery::new(settings.as_of);

    let (role, role_basis) = match settings.role {
        Some(Role::Provider) => ("provider", "stated in the request"),
        Some(Role::Deployer) => ("deployer", "stated in the request"),
        Some(Role::Both) => ("provider and deployer", "stated in the request"),
        None => (
            "provider",
            "assumed, because the code of this project develops the AI system. Code does not show who places the system on the \
             market or puts it into service under their own name (Art. 3(3)). If that is another organisation, state your role \
             in the profile",
        ),
    };
    let known = |yes: bool| if yes { Known::Yes } else { Known::No };
    query = query
        .role(LawRole::Provider, known(settings.role != Some(Role::Deployer)))
        .role(
            LawRole::Deployer,
            match settings.role {
                None => Known::Unknown,
                Some(Role::Provider) => Known::No,
                Some(Role::Deployer | Role::Both) => Known::Yes,
            },
        );
    for other in [
        LawRole::Importer,
        LawRole::Distributor,
        LawRole::AuthorisedRepresentative,
        LawRole::ProductManufacturer,
        LawRole::ThirdParty,
        LawRole::GpaiProvider,
    ] {
        query = query.role(other, Known::No);
    }
    if settings.role.is_none() {
        raised.push(RaisedQuestion {
            id: "role",
            why: String::new(),
            suggestion: Some(Suggested {
                value: "provider".to_owned(),
                because: "the code of this project develops the system".to_owned(),
            }),
            evidence: Vec::new(),
        });
    }

    let unasked = interaction::unasked(draft, code, packages);
    let (interaction, ground) = interaction::observe(draft, code, statements, is_served, unasked);
    let open = ground.clone().filter(|_| interaction.is_unknown());
    let generated: Vec<&&Call> = calls
        .iter()
        .filter(|call| call.kind == CallKind::Call && is_generative(call))
        .collect();
    query = match ground {
        Some(ground) if interaction.is_no() => query.ruled_out(TransparencyCase::DirectInteraction, ground),
        _ => query.transparency(TransparencyCase::DirectInteraction, interaction),
    };
    query = query
        .transparency(TransparencyCase::SyntheticContent, !generated.is_empty())
        .transparency(TransparencyCase::EmotionOrBiometric, practices::reads_people(&calls))
        .transparency(TransparencyCase::DeepFake, practices::deep_fake(&calls))
        .condition(Condition::RemoteBiometricIdentification, practices::identifies(&calls))
        .condition(Condition::RealTimeIdentification, practices::in_real_time(&calls))
        .transparency(TransparencyCase::PublicInterestText, Known::No)
        .gpai(false)
        .gpai_systemic(false);
    if let Some((training, published)) = engine_scan_cross::trains_and_publishes(statements, &draft.scope) {
        query = query
            .role(LawRole::GpaiProvider, Known::Unknown)
            .gpai(Known::Unknown)
            .gpai_systemic(Known::Unknown);
        raised.push(general_purpose(training, published));
    }
    if interaction.is_unknown() {
        raised.push(RaisedQuestion {
            id: "direct-interaction",
            why: open.unwrap_or_else(|| interaction::open_at(&calls)),
            suggestion: None,
            evidence: calls
                .iter()
                .filter(|call| interaction::speaks(call))
                .take(EVIDENCE_MAX)
                .map(|call| place(call))
                .collect(),
        });
    }

    let structures: Vec<&Structure> = code
        .structures
        .iter()
        .filter(|found| own.contains(&found.call))
        .map(|found| &found.structure)
        .collect();
    let has = |kind: StructureKind| structures.iter().find(|structure| structure.kind == kind);
    if has(StructureKind::SensitiveDataForBias).is_some() {
        query = query.condition(Condition::SensitiveDataForBias, true);
    }
    if let Some(published) = has(StructureKind::TextPublished) {
        query = query.transparency(TransparencyCase::PublicInterestText, Known::Unknown);
        raised.push(public_text_question(published));
    }
    let mut by_kind: BTreeMap<SignalKind, Vec<&Signal>> = BTreeMap::new();
    for signal in &signals {
        by_kind.entry(signal.kind).or_default().push(signal);
    }
    let mut indicators = Vec::new();
    let mut decided: Vec<(&'static str, StructureStep)> = Vec::new();
    let mut owned = false;
    for (kind, found) in &by_kind {
        let row = row(*kind);
        let decision = structures.iter().find(|structure| {
            structure.kind == StructureKind::PersonDecision && structure.area.map(SignalKind::from) == Some(*kind)
        });
        // Applicants who improve their own documents or practise an interview are not selected by anyone here: the use stays a
        // question, and no obligation depends on it.
        let own = (*kind == SignalKind::Employment)
            .then(|| engine_scan_cross::own_papers(statements))
            .into_iter()
            .flatten()
            .find(|said| {
                decision.is_none_or(|found| {
                    engine_scan_code::only_rates(found) || engine_scan_code::is_taken_to_practise(found, &said.value)
                })
            });
        owned |= own.is_some();
        if row.annex_iii && own.is_none() {
            indicators.push(row.reference);
        }
        let mut seen: Vec<&str> = Vec::new();
        for signal in found {
            if !seen.contains(&signal.detail.as_str()) {
                seen.push(&signal.detail);
            }
        }
        let details = seen
            .iter()
            .map(|s| format!("`{s}`"))
            .take(3)
            .collect::<Vec<_>>()
            .join(", ");
        let mut why = format!(
            "Data sent to a model includes {details} (relevant for {}).",
            in_words(&[row.reference])
        );
        let mut shown: Vec<Evidence> = found.iter().take(EVIDENCE_MAX).map(|signal| evidence(signal)).collect();
        if let Some(step) = decision.and_then(|decision| decision.steps.iter().rfind(|step| decides(step.role))) {
            let _ = write!(
                why,
                " The output leads to a decision about that person: `{}` ({}:{}).",
                step.reference, step.file, step.line
            );
            shown.truncate(EVIDENCE_MAX - 1);
            shown.push(step_evidence(step));
        }
        if let Some(own) = own {
            let _ = write!(
                why,
                " The product addresses the applicants themselves: “{}” ({}:{}).",
                own.value, own.file, own.line
            );
        }
        if let Some(step) = decision.and_then(|found| found.steps.iter().rfind(|step| decides(step.role))) {
            decided.push((row.id, step.clone()));
        }
        let suggestion = match (own, decision) {
            (Some(own), _) => Some(Suggested {
                value: "none".to_owned(),
                because: format!(
                    "the product addresses the applicants themselves ({}:{})",
                    own.file, own.line
                ),
            }),
            (None, Some(_)) => row.likely.map(|value| Suggested {
                value: value.to_owned(),
                because: decided.last().map_or_else(String::new, |(_, step)| {
                    format!(
                        "the output leads to a decision about a person at {}:{}",
                        step.file, step.line
                    )
                }),
            }),
            (None, None) => None,
        };
        raised.push(RaisedQuestion {
            id: row.id,
            why,
            suggestion,
            evidence: shown,
        });
    }
    let practices = practices::questions(&calls);
    if practices.iter().all(|question| question.id != "art-5-emotion") {
        raised.extend(prohibited_question(&by_kind));
    }
    raised.extend(practices);
    let (risk_class, risk_basis) = if indicators.is_empty() {
        query = query.high_risk(false);
        if interaction.is_yes() {
            (
                "limited",
                "users interact with the system (Art. 50(1)); no sign of a high-risk use (Annex III) was found"
                    .to_owned(),
            )
        } else if !generated.is_empty() {
            // Generated content alone is not a case of Art. 50(1) without user interaction.
            let talk = if interaction.is_unknown() {
                untold(&calls)
            } else {
                "no interaction with users was found"
            };
            (
                "limited",
                format!(
                    "{talk}; no sign of a high-risk use (Annex III) was found; Art. 50(2) (marking) covers \
                     generated content unless an exception applies{}",
                    provisional(interaction)
                ),
            )
        } else if interaction.is_unknown() {
            (
                "minimal",
                format!(
                    "{}; no sign of a prohibited practice (Art. 5) or a high-risk use (Annex III) was found{}",
                    untold(&calls),
                    provisional(interaction)
                ),
            )
        } else {
            (
                "minimal",
                "no sign of a prohibited practice (Art. 5), a high-risk use (Annex III) or a case of Art. 50 was found"
                    .to_owned(),
            )
        }
    } else {
        let points = in_words(&indicators);
        query = query.high_risk_indicator(format!("data sent to a model suggests {points}"));
        (
            "unknown",
            format!("data sent to a model suggests {points}; a person must state what the system is used for"),
        )
    };
    let risk_basis = if owned {
        format!(
            "{risk_basis}; documents of applicants go to a model, but the product addresses the applicants themselves, so the \
             use remains an open question"
        )
    } else {
        risk_basis
    };
    let cases = shown_cases(&calls, interaction, &generated);
    let seen = seen(draft, &calls, &signals, &structures, statements);
    Assessment {
        query,
        role: role.to_owned(),
        role_basis: role_basis.to_owned(),
        risk_class: risk_class.to_owned(),
        risk_basis,
        raised,
        seen,
        decisions: decided,
        cases,
    }
}

/// References with the topics of the points of Annex III.
fn in_words(references: &[&str]) -> String {
    let points = references
        .iter()
        .filter_map(|reference| reference.strip_prefix("Annex III point "));
    let named = engine_regulation::annex_iii_points(points);
    if named.is_empty() { references.join(", ") } else { named }
}

/// The cases of Art. 50 that code shows plainly, each with its first place and what it does there.
fn shown_cases(
    calls: &[&Call],
    interaction: Known,
    generated: &[&&Call],
) -> BTreeMap<TransparencyCase, (Evidence, &'static str)> {
    let mut cases = BTreeMap::new();
    let speaking = calls.iter().find(|call| interaction::speaks(call));
    if let Some(call) = speaking.filter(|_| interaction.is_yes()) {
        cases.insert(
            TransparencyCase::DirectInteraction,
            (place(call), "users exchange messages with the model"),
        );
    }
    if let Some(call) = generated.first() {
        cases.insert(
            TransparencyCase::SyntheticContent,
            (place(call), "a model generates content"),
        );
    }
    let reads =
        |call: &&&Call| call.kind == CallKind::Call && call.capabilities.iter().any(|known| known.exposes_people());
    if let Some(call) = calls.iter().find(reads) {
        cases.insert(
            TransparencyCase::EmotionOrBiometric,
            (
                place(call),
                "a model infers emotions or categorises people by biometrics",
            ),
        );
    }
    cases
}

/// The facts in code on which answers are given. Lines, names and counts are left out: moving or renaming changes nothing.
fn seen(
    draft: &SystemDraft,
    calls: &[&Call],
    signals: &[&Signal],
    structures: &[&Structure],
    statements: &[Statement],
) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut add = |kind: SeenKind, what: &str| {
        seen.insert(format!("{}: {what}", kind.prefix()));
    };
    for call in calls.iter().filter(|call| call.kind == CallKind::Call && call.runs()) {
        for sends in &call.sends {
            if let Some(what) = input_words(*sends) {
                add(SeenKind::Input, what);
            }
        }
        for effect in &call.effects {
            add(SeenKind::Effect, effect_words(*effect));
        }
        for capability in &call.capabilities {
            add(SeenKind::Capability, capability.words());
        }
    }
    for signal in signals {
        add(SeenKind::People, area_words(signal.kind));
    }
    for structure in structures {
        match (structure.kind, structure.area) {
            (StructureKind::PersonDecision, Some(area)) => add(SeenKind::Decision, area_words(SignalKind::from(area))),
            (StructureKind::SensitiveDataForBias, _) => add(SeenKind::Training, "sensitive data against bias"),
            (StructureKind::FeedbackLoop, _) => add(SeenKind::Training, "feedback from output to training"),
            (StructureKind::ModelAdapted, _) => add(SeenKind::Training, "fine-tuning of a model"),
            (StructureKind::TextPublished, _) => add(SeenKind::Effect, "text published to everyone"),
            _ => {}
        }
    }
    for entry in &draft.entry_points {
        if let Some(what) = interface_words(entry.kind) {
            add(SeenKind::Interface, what);
        }
    }
    for statement in statements {
        match statement.kind {
            StatementKind::Training => add(SeenKind::Training, "training of a model"),
            StatementKind::WeightsPublished => add(SeenKind::Training, "publication of weights"),
            _ => {}
        }
    }
    seen
}

const fn input_words(sends: engine_model::Sends) -> Option<&'static str> {
    match sends {
        engine_model::Sends::UserInput => Some("user input"),
        engine_model::Sends::File => Some("file content"),
        engine_model::Sends::Database => Some("database rows"),
        // A text in the code, or what could not be traced, is no kind of data.
        engine_model::Sends::Constant | engine_model::Sends::Unknown => None,
    }
}

const fn effect_words(effect: engine_model::Effect) -> &'static str {
    match effect {
        engine_model::Effect::Tool => "a tool",
        engine_model::Effect::Shell => "a shell or process",
        engine_model::Effect::Database => "a database",
        engine_model::Effect::Mail => "a message to a person",
        engine_model::Effect::Page => "a page or reply",
        engine_model::Effect::Branch => "a decision of the program",
    }
}

const fn interface_words(kind: EntryPointKind) -> Option<&'static str> {
    match kind {
        EntryPointKind::Http => Some("web service"),
        EntryPointKind::Page => Some("page"),
        EntryPointKind::Message => Some("messages"),
        EntryPointKind::Command => Some("command line"),
        EntryPointKind::Job => Some("scheduled job"),
        EntryPointKind::Main | EntryPointKind::Library => None,
    }
}

/// An area of life in words.
const fn area_words(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::Employment => "applicants or workers",
        SignalKind::Education => "pupils or students",
        SignalKind::Credit => "credit applicants",
        SignalKind::Insurance => "insured people",
        SignalKind::Benefits => "recipients of benefits",
        SignalKind::Emergency => "people in an emergency",
        SignalKind::Health => "patients",
        SignalKind::LawEnforcement => "suspects or victims",
        SignalKind::Migration => "migrants or travellers",
        SignalKind::Justice => "parties to a case or voters",
        SignalKind::Biometric => "faces, voices or bodies",
        SignalKind::Emotion => "emotions",
        SignalKind::Infrastructure => "users of infrastructure",
        SignalKind::Manipulation => "traits by which people can be moved",
        SignalKind::Vulnerability => "weaknesses of people",
        SignalKind::SocialScoring => "social behaviour",
        SignalKind::CrimePrediction => "traits of the accused",
    }
}

/// What could not be determined about user interaction.
fn untold(calls: &[&Call]) -> &'static str {
    if interaction::is_read(calls) {
        "people see the output, but it is open whether they interact with the system (Art. 50(1))"
    } else {
        "the output could not be traced, so it is open whether users interact with the system (Art. 50(1))"
    }
}

/// The end of a basis that rests on an open question.
const fn provisional(interaction: Known) -> &'static str {
    if interaction.is_unknown() {
        ". This class is provisional until the open questions are answered"
    } else {
        ""
    }
}

fn place(call: &Call) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: call.symbol.clone(),
        file: Some(call.file.clone()),
        line: Some(call.line),
        hash: None,
    }
}

fn evidence(signal: &Signal) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: signal.detail.clone(),
        file: Some(signal.file.clone()),
        line: Some(signal.line),
        hash: None,
    }
}

/// Whether a step is one at which an answer decides.
const fn decides(role: StepRole) -> bool {
    matches!(
        role,
        StepRole::Branch | StepRole::Ranking | StepRole::Stored | StepRole::Reply
    )
}

fn step_evidence(step: &StructureStep) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: step.reference.clone(),
        file: Some(step.file.clone()),
        line: Some(step.line),
        hash: None,
    }
}

/// The question that published text raises.
fn public_text_question(structure: &Structure) -> RaisedQuestion {
    RaisedQuestion {
        id: "public-interest-text",
        why: "Generated text is published to the general public. Code does not show what it is about.".to_owned(),
        suggestion: None,
        evidence: structure.steps.iter().take(EVIDENCE_MAX).map(step_evidence).collect(),
    }
}

/// The question that a kind of data about people raises.
struct Row {
    id: &'static str,
    reference: &'static str,
    annex_iii: bool,
    /// The answer that a decision about the person makes likely.
    likely: Option<&'static str>,
}

const fn row(kind: SignalKind) -> Row {
    let (id, reference, annex_iii, likely) = match kind {
        SignalKind::Employment => ("annex-iii-employment", "Annex III point 4", true, Some("4(a)")),
        SignalKind::Education => ("annex-iii-education", "Annex III point 3", true, Some("3(b)")),
        SignalKind::Credit => ("annex-iii-credit", "Annex III point 5(b)", true, Some("yes")),
        SignalKind::Insurance => ("annex-iii-insurance", "Annex III point 5(c)", true, Some("yes")),
        SignalKind::Benefits => ("annex-iii-benefits", "Annex III point 5(a)", true, None),
        SignalKind::Emergency => ("annex-iii-emergency", "Annex III point 5(d)", true, Some("yes")),
        SignalKind::LawEnforcement => ("annex-iii-law-enforcement", "Annex III point 6", true, None),
        SignalKind::Migration => ("annex-iii-migration", "Annex III point 7", true, None),
        SignalKind::Justice => ("annex-iii-justice", "Annex III point 8", true, None),
        SignalKind::Biometric => ("annex-iii-biometrics", "Annex III point 1", true, None),
        SignalKind::Emotion => ("annex-iii-emotion", "Annex III point 1(c)", true, None),
        SignalKind::Infrastructure => ("annex-iii-infrastructure", "Annex III point 2", true, None),
        SignalKind::Manipulation => ("art-5-manipulation", "Art. 5(1)(a)", false, None),
        SignalKind::Vulnerability => ("art-5-vulnerability", "Art. 5(1)(b)", false, None),
        SignalKind::SocialScoring => ("art-5-social-scoring", "Art. 5(1)(c)", false, None),
        SignalKind::CrimePrediction => ("art-5-crime-prediction", "Art. 5(1)(d)", false, None),
        SignalKind::Health => ("annex-i", "Annex I, Section A, point 11", false, None),
    };
    Row {
        id,
        reference,
        annex_iii,
        likely,
    }
}

/// The question that training and publishing a language model raise together.
fn general_purpose(training: &Statement, published: &Statement) -> RaisedQuestion {
    let place = |statement: &Statement, what: &str| Evidence {
        kind: EvidenceKind::Code,
        reference: what.to_owned(),
        file: Some(statement.file.clone()),
        line: Some(statement.line),
        hash: None,
    };
    RaisedQuestion {
        id: "gpai-provider",
        why: format!(
            "A language model is trained {} and its weights are published.",
            training.value
        ),
        suggestion: None,
        evidence: vec![
            place(training, "training of a language model"),
            place(published, "publication of weights"),
        ],
    }
}

/// The question under Art. 5 that two signals raise together.
fn prohibited_question(by_kind: &BTreeMap<SignalKind, Vec<&Signal>>) -> Option<RaisedQuestion> {
    let emotion = by_kind.get(&SignalKind::Emotion)?;
    let place = [SignalKind::Employment, SignalKind::Education]
        .into_iter()
        .find_map(|kind| by_kind.get(&kind))?;
    Some(RaisedQuestion {
        id: "art-5-emotion",
        why: format!(
            "The same system processes data on emotions (`{}`) and on workers, applicants, pupils or students (`{}`).",
            emotion.first().map(|s| s.detail.as_str()).unwrap_or_default(),
            place.first().map(|s| s.detail.as_str()).unwrap_or_default()
        ),
        suggestion: None,
        evidence: emotion
            .iter()
            .chain(place)
            .take(EVIDENCE_MAX)
            .map(|signal| evidence(signal))
            .collect(),
    })
}
