//! What the structure of a system says about its risk class: facts for the law, and questions for people.
//!
//! Words raise a question, never a verdict. A signal counts only when the data flow of a call carries it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use engine_model::{
    Call, CallKind, Evidence, EvidenceKind, Package, Question, Statement, StepRole, Structure, StructureKind,
    StructureStep,
};
use engine_regulation::{Condition, Known, LawQuery, Role as LawRole, TransparencyCase, regulation};
use engine_scan_code::{CodeJoin, Signal, SignalKind};

use crate::interaction::{self, is_generative};
use crate::systems::SystemDraft;
use crate::{Role, Settings, StatedClass, practices};

/// What is assumed about a system, and why.
#[derive(Clone, Debug)]
pub(crate) struct Assessment {
    pub(crate) query: LawQuery,
    pub(crate) role: String,
    pub(crate) role_basis: String,
    pub(crate) risk_class: String,
    pub(crate) risk_basis: String,
    pub(crate) questions: Vec<Question>,
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
    let mut questions = Vec::new();
    let mut query = LawQuery::new(settings.as_of);

    let (role, role_basis) = match settings.role {
        Some(Role::Provider) => ("provider", "stated in the request"),
        Some(Role::Deployer) => ("deployer", "stated in the request"),
        Some(Role::Both) => ("provider and deployer", "stated in the request"),
        None => (
            "provider",
            "the system is built here around a model; who develops a system and places it on the market or puts it \
             into service under its own name is its provider (Art. 3(3))",
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
        questions.push(Question {
            id: "role".to_owned(),
            text: "Who puts this system into service under its own name, and who uses it under its own authority?"
                .to_owned(),
            why: "Duties differ between provider (Art. 3(3)) and deployer (Art. 3(4)); code shows who builds it, not who uses it."
                .to_owned(),
            effect: "`provider` drops the duties of deployers, `deployer` those of providers, `both` keeps all."
                .to_owned(),
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
        .transparency(TransparencyCase::PublicInterestText, Known::No)
        .gpai(false)
        .gpai_systemic(false);
    if let Some((training, published)) = engine_scan_cross::trains_and_publishes(statements, &draft.scope) {
        query = query
            .role(LawRole::GpaiProvider, Known::Unknown)
            .gpai(Known::Unknown)
            .gpai_systemic(Known::Unknown);
        questions.push(general_purpose(training, published));
    }
    if interaction.is_unknown() {
        questions.push(Question {
            id: "direct-interaction".to_owned(),
            text: "Does a person exchange messages with this system directly?".to_owned(),
            why: format!(
                "Art. 50(1) binds systems that interact directly with people. {}",
                open.unwrap_or_else(|| interaction::open_at(&calls))
            ),
            effect: "`yes`: people must be told that they are dealing with an AI system. `no`: the duty falls away."
                .to_owned(),
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
        questions.push(public_text_question(published));
    }
    let mut by_kind: BTreeMap<SignalKind, Vec<&Signal>> = BTreeMap::new();
    for signal in &signals {
        by_kind.entry(signal.kind).or_default().push(signal);
    }
    let mut indicators = Vec::new();
    let mut owned = false;
    for (kind, found) in &by_kind {
        let row = row(*kind);
        let decision = structures.iter().find(|structure| {
            structure.kind == StructureKind::PersonDecision && structure.area.map(SignalKind::from) == Some(*kind)
        });
        // Who has a paper of their own made better is chosen by nobody here: that stays a question, and nothing hangs on it.
        // The same holds for who takes an interview to practise, whatever is kept of it.
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
        let mut why = format!("{}: the data of a model call carries {details}.", row.reference);
        let mut shown: Vec<Evidence> = found.iter().take(EVIDENCE_MAX).map(|signal| evidence(signal)).collect();
        if let Some(step) = decision.and_then(|decision| decision.steps.iter().rfind(|step| decides(step.role))) {
            let _ = write!(
                why,
                " The answer reaches a decision about that person: `{}` ({}:{}).",
                step.reference, step.file, step.line
            );
            shown.truncate(EVIDENCE_MAX - 1);
            shown.push(step_evidence(step));
        }
        if let Some(own) = own {
            let _ = write!(
                why,
                " The product speaks to those whose papers they are: “{}” ({}:{}).",
                own.value, own.file, own.line
            );
        }
        questions.push(Question {
            id: row.id.to_owned(),
            text: row.question.to_owned(),
            why,
            effect: if own.is_some() { OWN_PAPER } else { row.effect }.to_owned(),
            evidence: shown,
        });
    }
    let practices = practices::questions(&calls);
    if practices.iter().all(|question| question.id != "art-5-emotion") {
        questions.extend(prohibited_question(&by_kind));
    }
    questions.extend(practices);
    let (risk_class, risk_basis) = if indicators.is_empty() {
        query = query.high_risk(false);
        if interaction.is_yes() {
            (
                "limited",
                "a case of Art. 50 was observed, and nothing that points to Annex III".to_owned(),
            )
        } else if !generated.is_empty() {
            // A model that makes something is no case of Art. 50(1), as long as nobody is seen to talk with it.
            let talk = if interaction.is_unknown() {
                untold(&calls)
            } else {
                "no talk with people was observed"
            };
            (
                "limited",
                format!("{talk}, and nothing points to Annex III; what a model makes may be a case of Art. 50(2)"),
            )
        } else if interaction.is_unknown() {
            (
                "minimal",
                format!(
                    "{}, and nothing that points to Art. 5 or Annex III was observed",
                    untold(&calls)
                ),
            )
        } else {
            (
                "minimal",
                "nothing that points to Art. 5, Annex III or Art. 50 was observed".to_owned(),
            )
        }
    } else {
        query = query.high_risk_indicator(format!("data flow that points to {}", indicators.join(", ")));
        (
            "unknown",
            format!(
                "the data flow of a call points to {}; a person must say what the system is for",
                indicators.join(", ")
            ),
        )
    };
    let risk_basis = if owned {
        format!(
            "{risk_basis}; that the papers of applicants are read stays a question, for the product speaks to those whose they are"
        )
    } else {
        risk_basis
    };
    let (query, risk_class, risk_basis) = match settings.risk_class {
        None => (query, risk_class, risk_basis),
        Some(stated) => (
            as_stated(query, stated),
            stated.name(),
            format!("stated by a person; code alone points to `{risk_class}`: {risk_basis}"),
        ),
    };
    Assessment {
        query,
        role: role.to_owned(),
        role_basis: role_basis.to_owned(),
        risk_class: risk_class.to_owned(),
        risk_basis,
        questions,
    }
}

/// What is not known of a talk with people, where it is open.
fn untold(calls: &[&Call]) -> &'static str {
    if interaction::is_read(calls) {
        "whether people talk with what gives them its answers (Art. 50(1)) is open"
    } else {
        "where the answers go was not followed, so whether people talk with the system (Art. 50(1)) is open"
    }
}

/// What the law is asked where a person states the class. A case of Art. 50 stays as code shows it, unless they say that
/// there is none; a ban binds everybody in any class.
fn as_stated(query: LawQuery, class: StatedClass) -> LawQuery {
    match class {
        StatedClass::Prohibited => query,
        StatedClass::High => query.high_risk(true),
        StatedClass::Limited => query.high_risk(false),
        StatedClass::Minimal => [
            TransparencyCase::DirectInteraction,
            TransparencyCase::SyntheticContent,
            TransparencyCase::EmotionOrBiometric,
            TransparencyCase::DeepFake,
            TransparencyCase::PublicInterestText,
        ]
        .into_iter()
        .fold(query.high_risk(false), |query, case| {
            query.transparency(case, Known::No)
        }),
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

/// What a text that goes out to everybody asks.
fn public_text_question(structure: &Structure) -> Question {
    Question {
        id: "public-interest-text".to_owned(),
        text: TransparencyCase::PublicInterestText.question().to_owned(),
        why: format!(
            "{}: generated text is published to everybody; what it is about cannot be told from code.",
            TransparencyCase::PublicInterestText.paragraph()
        ),
        effect: "`yes`: the text must be labelled as generated. `no`: that duty falls away.".to_owned(),
        evidence: structure.steps.iter().take(EVIDENCE_MAX).map(step_evidence).collect(),
    }
}

/// What a signal asks.
struct Row {
    id: &'static str,
    reference: &'static str,
    annex_iii: bool,
    question: &'static str,
    effect: &'static str,
}

const HIGH: &str =
    "`yes`: the system is high-risk unless Art. 6(3) excepts it, with duties from 2027-12-02. `no`: they fall away.";

/// What hangs on a question where the product speaks to those whose papers it reads.
const OWN_PAPER: &str = "`yes`: state the risk class `high`; the system is high-risk unless Art. 6(3) excepts it, with duties from 2027-12-02. `no`: nothing changes.";

const PRACTICE: &str = "`yes`: the practice has been prohibited since 2025-02-02. `no`: nothing changes.";

fn row(kind: SignalKind) -> Row {
    let annex = |id, reference, question| Row {
        id,
        reference,
        annex_iii: true,
        question,
        effect: HIGH,
    };
    let practice = |id, reference, question| Row {
        id,
        reference,
        annex_iii: false,
        question,
        effect: PRACTICE,
    };
    match kind {
        SignalKind::Employment => annex(
            "annex-iii-employment",
            "Annex III point 4",
            "Is the answer used to select, evaluate, promote, task or dismiss applicants or workers?",
        ),
        SignalKind::Education => annex(
            "annex-iii-education",
            "Annex III point 3",
            "Is the answer used to admit, assign, grade or supervise pupils or students?",
        ),
        SignalKind::Credit => annex(
            "annex-iii-credit",
            "Annex III point 5(b)",
            "Is the answer used to judge the creditworthiness of people, other than to detect fraud?",
        ),
        SignalKind::Insurance => annex(
            "annex-iii-insurance",
            "Annex III point 5(c)",
            "Is the answer used to assess the risk or set the price of life or health insurance of people?",
        ),
        SignalKind::Benefits => annex(
            "annex-iii-benefits",
            "Annex III point 5(a)",
            "Does a public body, or somebody for it, use the answer to grant, reduce or refuse benefits or services?",
        ),
        SignalKind::Emergency => annex(
            "annex-iii-emergency",
            "Annex III point 5(d)",
            "Is the answer used to rank emergency calls, dispatch help or triage patients?",
        ),
        SignalKind::LawEnforcement => annex(
            "annex-iii-law-enforcement",
            "Annex III point 6",
            "Is the answer used by or for the police or prosecution about people?",
        ),
        SignalKind::Migration => annex(
            "annex-iii-migration",
            "Annex III point 7",
            "Is the answer used on visa, asylum or residence applications or at borders?",
        ),
        SignalKind::Justice => annex(
            "annex-iii-justice",
            "Annex III point 8",
            "Is the answer used by courts on facts and law, or to influence how people vote?",
        ),
        SignalKind::Biometric => annex(
            "annex-iii-biometrics",
            "Annex III point 1",
            "Does the system recognise or categorise people by face, voice or body, beyond confirming who they say they are?",
        ),
        SignalKind::Emotion => annex(
            "annex-iii-emotion",
            "Annex III point 1(c)",
            "Does the system read emotions or intentions of people from biometric data such as face or voice?",
        ),
        SignalKind::Infrastructure => annex(
            "annex-iii-infrastructure",
            "Annex III point 2",
            "Is the system a safety component of traffic, energy, water or digital infrastructure?",
        ),
        SignalKind::Manipulation => practice(
            "art-5-manipulation",
            "Art. 5(1)(a)",
            "Is the message meant to move people in a way that they do not notice or cannot resist, with harm to them?",
        ),
        SignalKind::Vulnerability => practice(
            "art-5-vulnerability",
            "Art. 5(1)(b)",
            "Does the message use a weakness of people, such as age, disability or need, to move them to their harm?",
        ),
        SignalKind::SocialScoring => practice(
            "art-5-social-scoring",
            "Art. 5(1)(c)",
            "Does the rating of behaviour or traits lead to worse treatment of people elsewhere, or out of proportion?",
        ),
        SignalKind::CrimePrediction => practice(
            "art-5-crime-prediction",
            "Art. 5(1)(d)",
            "Is the risk that a person commits an offence judged from profiling or traits alone, without facts of a deed?",
        ),
        SignalKind::Health => Row {
            id: "annex-i-medical",
            reference: "Annex I, Section A, point 11",
            annex_iii: false,
            question: "Is the system a medical device, or its safety component?",
            effect: "`yes`: the system is high-risk if a third party must assess the device, with duties from 2028-08-02.",
        },
    }
}

/// The question that training and publishing a language model raise together.
fn general_purpose(training: &Statement, published: &Statement) -> Question {
    let place = |statement: &Statement, what: &str| Evidence {
        kind: EvidenceKind::Code,
        reference: what.to_owned(),
        file: Some(statement.file.clone()),
        line: Some(statement.line),
        hash: None,
    };
    Question {
        id: "gpai-provider".to_owned(),
        text: "Is the model that is trained and published here a general-purpose model, and how much computation went into it?"
            .to_owned(),
        why: format!(
            "Art. 3(63): a language model is trained {} and its weights are published.",
            training.value
        ),
        effect: "`yes`: the duties of Art. 53 apply to who places the model on the market; above 10^25 floating point \
                 operations (Art. 51(2)) those of Art. 55 as well. `no`: they fall away."
            .to_owned(),
        evidence: vec![
            place(training, "training of a language model"),
            place(published, "publication of weights"),
        ],
    }
}

/// The question under Art. 5 that two signals raise together.
fn prohibited_question(by_kind: &BTreeMap<SignalKind, Vec<&Signal>>) -> Option<Question> {
    let emotion = by_kind.get(&SignalKind::Emotion)?;
    let place = [SignalKind::Employment, SignalKind::Education]
        .into_iter()
        .find_map(|kind| by_kind.get(&kind))?;
    let practice = regulation().obligation("OBL-007")?;
    Some(Question {
        id: "art-5-emotion".to_owned(),
        text:
            "Are emotions of people at work or in education inferred, for a reason that is neither medical nor safety?"
                .to_owned(),
        why: format!(
            "{}: one system carries both `{}` and `{}`.",
            practice.citation(),
            emotion.first().map(|s| s.detail.as_str()).unwrap_or_default(),
            place.first().map(|s| s.detail.as_str()).unwrap_or_default()
        ),
        effect: "`yes`: the practice has been prohibited since 2025-02-02.".to_owned(),
        evidence: emotion
            .iter()
            .chain(place)
            .take(EVIDENCE_MAX)
            .map(|signal| evidence(signal))
            .collect(),
    })
}
