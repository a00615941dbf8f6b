//! The checks of this layer, one module each.

mod adapted_model;
mod answer_reaches_shell;
mod bias_data;
mod deserialised_model;
mod emotion_of_workers_or_pupils;
mod feedback_loop;
mod floating_model;
mod intimate_imagery;
mod live_watch_list;
mod no_human_oversight;
mod no_suspension;
mod person_decision;
mod remote_identification;
mod scraped_face_index;
mod sensitive_biometric_categorisation;
mod unannounced_emotion_recognition;
mod unchecked_person_input;
mod undisclosed_interaction;
mod unexplained_decision;
mod unhandled_model_failure;
mod uninformed_affected_person;
mod unlabelled_deep_fake;
mod unlabelled_publication;
mod unlogged_model_call;
mod unmarked_synthetic_content;

use std::collections::BTreeSet;

use engine_model::{
    Call, CheckContext, Effect, EvidenceKind, Location, ObservationBuilder, PersonArea, StatementKind, StepRole,
    Structure, StructureKind, StructureStep, System, Trace,
};

use engine_catalogue::words_of;

use crate::people::areas::{WORDS, flat};
use crate::people::practice::{is_practice, names_practice};

/// All checks of this layer.
pub const CHECKS: &[engine_model::Check] = &[
    undisclosed_interaction::UNDISCLOSED_INTERACTION,
    unmarked_synthetic_content::UNMARKED_SYNTHETIC_CONTENT,
    unlogged_model_call::UNLOGGED_MODEL_CALL,
    unhandled_model_failure::UNHANDLED_MODEL_FAILURE,
    no_human_oversight::NO_HUMAN_OVERSIGHT,
    answer_reaches_shell::ANSWER_REACHES_SHELL,
    floating_model::FLOATING_MODEL,
    deserialised_model::DESERIALISED_MODEL,
    emotion_of_workers_or_pupils::EMOTION_OF_WORKERS_OR_PUPILS,
    sensitive_biometric_categorisation::SENSITIVE_BIOMETRIC_CATEGORISATION,
    scraped_face_index::SCRAPED_FACE_INDEX,
    live_watch_list::LIVE_WATCH_LIST,
    intimate_imagery::INTIMATE_IMAGERY,
    intimate_imagery::UNFILTERED_IMAGE_GENERATION,
    remote_identification::THIN_IDENTIFICATION_LOG,
    remote_identification::SINGLE_PERSON_IDENTIFICATION,
    unannounced_emotion_recognition::UNANNOUNCED_EMOTION_RECOGNITION,
    unlabelled_deep_fake::UNLABELLED_DEEP_FAKE,
    person_decision::PERSON_DECISION,
    unchecked_person_input::UNCHECKED_PERSON_INPUT,
    uninformed_affected_person::UNINFORMED_AFFECTED_PERSON,
    unexplained_decision::UNEXPLAINED_DECISION,
    no_suspension::NO_SUSPENSION,
    feedback_loop::FEEDBACK_LOOP,
    adapted_model::ADAPTED_MODEL,
    bias_data::UNPROTECTED_BIAS_DATA,
    unlabelled_publication::UNLABELLED_PUBLICATION,
];

/// Whether what a call gives is language or media for people, and not numbers for a program.
fn speaks(call: &Call) -> bool {
    // A browser that writes down what somebody dictates answers nothing.
    let listens = call.symbol.contains("Recognition");
    if listens && call.sdk.as_deref().is_some_and(|sdk| sdk.starts_with("web-speech")) {
        return false;
    }
    if !call.capabilities.is_empty() {
        return call.capabilities.iter().any(|known| known.is_media());
    }
    if measures(call) {
        return false;
    }
    let symbol = call.symbol.to_ascii_lowercase();
    ![
        "embed",
        "moderation",
        "classif",
        "rerank",
        "transcri",
        "encode",
        "predict",
        "detect",
        "decision_function",
        // A store of vectors gives what was put into it.
        "similarity",
        "vectorstore",
    ]
    .iter()
    .any(|word| symbol.contains(word))
}

/// Whether a call runs a network of one's own, reads letters off a picture or makes vectors, as its library or its model tells: it says nothing.
pub fn measures(call: &Call) -> bool {
    /// Libraries whose networks are asked by being called.
    const NETWORKS: [&str; 9] = [
        "torch.",
        "torchvision.",
        "tensorflow.",
        "keras.",
        "onnxruntime.",
        "easyocr.",
        "paddleocr.",
        "pytesseract.",
        "tesseract",
    ];
    /// Parts of the names of models that give vectors.
    const VECTORS: [&str; 7] = ["embed", "-e5-", "/e5-", "bge-", "minilm", "gte-", "mpnet"];
    let symbol = call.symbol.to_ascii_lowercase();
    let generates = || ["generat", "chat", "complet"].iter().any(|word| symbol.contains(word));
    let network = call.provider.as_deref() == Some("local") && NETWORKS.iter().any(|root| symbol.starts_with(root));
    let vectors = call.model.as_deref().is_some_and(|model| {
        let lower = model.to_ascii_lowercase();
        VECTORS.iter().any(|part| lower.contains(part)) && !lower.contains("rerank")
    });
    (network || vectors) && !generates()
}

/// The places of a trace in words: `app.py:3 mood, app.py:4 employee_id`.
fn follow(trace: &Trace) -> String {
    let places: Vec<String> = trace
        .chain
        .iter()
        .map(|place| {
            let file = place.file.as_deref().unwrap_or("");
            let line = place.line.unwrap_or(0);
            format!("`{}` at {file}:{line}", place.reference)
        })
        .collect();
    places.join(", ")
}

/// Calls of a system in use, sorted by place. What only explores, trains or measures stays in the inventory.
fn calls<'a>(context: &CheckContext<'a>, system: &System) -> Vec<&'a Call> {
    let mut calls: Vec<&Call> = context
        .model_calls(system)
        .filter(|call| in_use(call) && !fills_an_index(call))
        .collect();
    // What lies beside a product in a folder of scripts prepares or tries it.
    let aside = |call: &&Call| lies_aside(&call.file) || is_snippet(&call.file);
    if !calls.iter().all(aside) {
        calls.retain(|call| !aside(call));
    }
    calls.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    calls
}

/// Whether a call only puts texts into a store of vectors: it is asked nothing, and what it gives is read by the program.
fn fills_an_index(call: &Call) -> bool {
    call.sdk.as_deref() == Some("langchain-stores")
}

/// Whether a file is a snippet that shows how a library is used, by its whole name: `example.mjs`.
fn is_snippet(file: &str) -> bool {
    matches!(
        stem(file),
        "example" | "examples" | "sample" | "quickstart" | "quick_start" | "quick-start" | "snippet"
    )
}

/// Whether a file lies in a folder of scripts.
pub(crate) fn lies_aside(file: &str) -> bool {
    file.rsplit('/')
        .skip(1)
        .any(|folder| matches!(folder, "scripts" | "script" | "hack"))
}

/// Whether a file is a script that somebody runs by hand beside a product.
pub(crate) fn is_by_hand(file: &str) -> bool {
    lies_aside(file) || tries_out(file)
}

/// Whether a call belongs to what runs, and not to what comes before: a cell of a notebook explores, and a script that trains or
/// measures a model of one's own has ended before anybody uses the model.
fn in_use(call: &Call) -> bool {
    // What a function does that nobody calls does not happen.
    if call.cell.is_some() || !call.runs() || tries_out(&call.file) {
        return false;
    }
    if !runs_here(call) {
        return true;
    }
    let shown = reaches_person(call);
    let trained_here = matches!(
        call.sdk.as_deref(),
        Some("scikit-learn" | "xgboost" | "lightgbm" | "catboost")
    ) && !call.symbol.to_ascii_lowercase().contains("load");
    let prepares = words_of(stem(&call.file)).iter().any(|word| {
        matches!(
            word.as_str(),
            "train"
                | "training"
                | "trainer"
                | "retrain"
                | "retraining"
                | "finetune"
                | "finetuning"
                | "benchmark"
                | "validate"
                | "validation"
        )
    });
    !(prepares || call.symbol.contains(".fit()") || trained_here && !shown)
}

/// Whether a file is one that somebody runs by hand to try something out: `scripts/testGemini.js`, `evals/answers.ts`.
fn tries_out(file: &str) -> bool {
    let stem = stem(file);
    let holds = |word: &&str| {
        stem.as_bytes()
            .windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    // Every check asks this of every call: few names are worth being split into words.
    let tests = ["test", "playground", "scratch", "sandbox"].iter().any(holds) && {
        let words = words_of(stem);
        [words.first(), words.last()].into_iter().flatten().any(|word| {
            matches!(
                word.as_str(),
                "test" | "tests" | "smoketest" | "playground" | "scratch" | "sandbox"
            )
        })
    };
    tests
        || file.rsplit('/').skip(1).any(|folder| {
            matches!(
                folder,
                "eval"
                    | "evals"
                    | "evaluation"
                    | "evaluations"
                    | "experiments"
                    | "benchmarks"
                    | "playground"
                    | "scratch"
            )
        })
}

/// The name of a file without its endings.
fn stem(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or("").split('.').next().unwrap_or("")
}

/// Whether the model runs in the process itself: no limit of a service, no time-out and no refusal can come between.
fn runs_here(call: &Call) -> bool {
    /// Libraries that run weights of a hub in the process.
    const LOADS: [&str; 5] = [
        "transformers.",
        "diffusers.",
        "sentence_transformers.",
        "@xenova/transformers",
        "@huggingface/transformers",
    ];
    let loads = || LOADS.iter().any(|root| call.symbol.starts_with(root));
    call.host.is_none()
        && match call.provider.as_deref() {
            Some("local") => true,
            Some("huggingface") => loads(),
            _ => false,
        }
}

/// A call with its place, for the message of a finding: "`openai.OpenAI().responses.create` (app.py:7)". Of a long chain its end says most,
/// and of a request who answers it.
fn named(call: &Call) -> String {
    /// A longer name is cut where a step begins.
    const SYMBOL_MAX: usize = 60;
    let symbol = call.symbol.as_str();
    let from = symbol
        .char_indices()
        .find(|(at, c)| *c == '.' && symbol.len() - at <= SYMBOL_MAX)
        .map_or(0, |(at, _)| at);
    let provider = call
        .provider
        .as_deref()
        .filter(|provider| call.host.is_some() && !matches!(*provider, "local" | "unknown"));
    let words = match (symbol.len(), provider) {
        (0..=SYMBOL_MAX, Some(provider)) => format!("`{symbol}` to `{provider}`"),
        (0..=SYMBOL_MAX, None) => format!("`{symbol}`"),
        (_, Some(provider)) => format!("the request to `{provider}`"),
        (_, None) => format!("`…{}`", &symbol[from..]),
    };
    format!("{words} ({}:{})", call.file, call.line)
}

/// The further calls a finding speaks of, as the end of a sentence, with the places of the first of them.
fn more(calls: &[&Call]) -> String {
    further("; the same applies to", calls)
}

/// The calls after the first one, as the end of a text: what they have in common, their number and their places.
fn further(common: &str, calls: &[&Call]) -> String {
    /// Places that a sentence names; all of them are evidence.
    const NAMED_MAX: usize = 5;
    let mut told = BTreeSet::new();
    let mut rest: Vec<String> = calls
        .iter()
        .map(|call| (call.file.as_str(), call.line))
        .filter(|place| told.insert(*place))
        .skip(1)
        .map(|(file, line)| format!("{file}:{line}"))
        .collect();
    let count = rest.len();
    if count == 0 {
        return String::new();
    }
    rest.truncate(NAMED_MAX);
    let and_more = if count > NAMED_MAX { ", …" } else { "" };
    let calls = if count == 1 { "call" } else { "calls" };
    format!("{common} {count} more {calls} ({}{and_more})", rest.join(", "))
}

/// Whether the answer reaches a person as a reply, a page or a message.
fn reaches_person(call: &Call) -> bool {
    call.effects
        .iter()
        .any(|effect| matches!(effect, Effect::Page | Effect::Mail))
}

/// The structures of one kind in a system, in the order of their places; of decisions the plainest first.
fn structures<'a>(context: &CheckContext<'a>, system: &System, kind: StructureKind) -> Vec<&'a Structure> {
    let mut found: Vec<&Structure> = context
        .inventory
        .structures
        .iter()
        .filter(|structure| structure.kind == kind && structure.system.as_deref() == Some(system.id.as_str()))
        // What a notebook tries out decides about nobody, and neither does what people take to practise.
        .filter(|structure| {
            kind != StructureKind::PersonDecision
                || structure.cell.is_none()
                    && !is_rehearsal(context, system, structure)
                    && !is_of_own_paper(context, system, structure)
        })
        .collect();
    // What only hands out a class says less than a verdict or a rating that is kept.
    found.sort_by_key(|structure| kind == StructureKind::PersonDecision && only_hands_out(structure));
    found
}

/// Whether the answer is handed out under a name for any result, and nothing else is done with it.
fn only_hands_out(structure: &Structure) -> bool {
    !structure
        .steps
        .iter()
        .any(|step| matches!(step.role, StepRole::Branch | StepRole::Ranking | StepRole::Stored))
}

/// Whether a structure is about an interview, a test or an exam, by its names.
fn is_sat(structure: &Structure) -> bool {
    let words = |name: &str| words_of(name).iter().any(|word| SAT.contains(&word.as_str()));
    let sat = words(&structure.file)
        || structure.function.as_deref().is_some_and(words)
        || structure
            .steps
            .iter()
            .any(|step| words(&step.reference) || words(&step.file));
    sat && matches!(structure.area, Some(PersonArea::Employment | PersonArea::Education))
}

/// Whether what a structure judges is taken to practise, as a text of the product says.
pub fn is_taken_to_practise(structure: &Structure, text: &str) -> bool {
    is_sat(structure) && is_practice(text)
}

/// Whether the product says of an interview, a test or an exam that people take it to practise, and not to those who choose among people.
fn is_rehearsal(context: &CheckContext<'_>, system: &System, structure: &Structure) -> bool {
    if !is_sat(structure) {
        return false;
    }
    let own = || {
        context
            .statements
            .iter()
            .filter(|statement| {
                matches!(
                    statement.kind,
                    StatementKind::AiNamed | StatementKind::OwnPaper | StatementKind::ChoosesPeople
                )
            })
            .filter(|statement| context.speaks_of(system, &statement.file))
    };
    (names_practice(&system.id) || own().any(|statement| is_practice(&statement.value)))
        && !own().any(|statement| {
            let lower = statement.value.to_lowercase();
            statement.kind == StatementKind::ChoosesPeople || CHOOSERS.iter().any(|word| lower.contains(word))
        })
}

/// Whether a structure only keeps or hands out a rating, which whoever owns a paper may ask for: nobody is refused or put into an order.
pub fn only_rates(structure: &Structure) -> bool {
    structure.area == Some(PersonArea::Employment)
        && !structure.steps.iter().any(|step| match step.role {
            StepRole::Branch | StepRole::Ranking | StepRole::Message => true,
            StepRole::Stored | StepRole::Reply => {
                let last = flat(step.reference.rsplit('.').next().unwrap_or(&step.reference));
                WORDS.verdicts.contains(&last) && !WORDS.ratings.contains(&last)
            }
            _ => false,
        })
}

/// Whether the product speaks to those whose papers it rates, and nowhere to those who choose among people.
fn is_of_own_paper(context: &CheckContext<'_>, system: &System, structure: &Structure) -> bool {
    let of = |kind: StatementKind| {
        context
            .statements
            .iter()
            .any(|said| said.kind == kind && context.speaks_of(system, &said.file))
    };
    only_rates(structure) && of(StatementKind::OwnPaper) && !of(StatementKind::ChoosesPeople)
}

/// Words for what people sit, in names of functions and files and in what a prompt orders.
const SAT: [&str; 9] = [
    "interview",
    "interviews",
    "interviewer",
    "exam",
    "exams",
    "quiz",
    "test",
    "transcript",
    "assessment",
];

/// Words of texts for those who choose among people.
const CHOOSERS: [&str; 9] = [
    "candidates",
    "applicants",
    "recruiter",
    "hiring team",
    "hiring process",
    "your hiring",
    "employers",
    "shortlist",
    "talent acquisition",
];

/// The first place of a structure that plays a part in holding its risk down.
fn control(structure: &Structure, role: StepRole) -> Option<&StructureStep> {
    structure.controls.iter().find(|step| step.role == role)
}

/// The place at which a structure decides: of several fields the one of the record itself, which is what stays (`submission.score`),
/// before one of an object on the way there.
fn decided(structure: &Structure) -> Option<&StructureStep> {
    let first = structure.steps.iter().find(|step| {
        matches!(
            step.role,
            StepRole::Branch | StepRole::Ranking | StepRole::Stored | StepRole::Reply
        )
    })?;
    let record = structure.steps.first().filter(|step| step.role == StepRole::Record);
    let of_record = |step: &&StructureStep| {
        let owner = step.reference.split_once('.').map_or("", |(owner, _)| owner);
        step.role == StepRole::Stored
            && record.is_some_and(|record| crate::people::plain(&record.reference) == crate::people::plain(owner))
    };
    (first.role == StepRole::Stored)
        .then(|| structure.steps.iter().find(of_record))
        .flatten()
        .or(Some(first))
}

/// The decision of a structure, for the sentence of a finding: "the field `score` (app.py:60)".
fn decision(structure: &Structure) -> String {
    decided(structure).map_or_else(String::new, |step| {
        let place = format!("`{}` ({}:{})", step.reference, step.file, step.line);
        match step.role {
            StepRole::Branch => format!("the verdict {place}"),
            StepRole::Ranking => format!("the ranking by {place}"),
            _ => format!("the field {place}"),
        }
    })
}

/// The record that goes into the call of a structure, for the sentence of a finding.
fn record(structure: &Structure) -> String {
    structure.steps.first().map_or_else(String::new, |step| {
        if step.reference.starts_with('“') {
            format!("the prompt {} ({}:{})", step.reference, step.file, step.line)
        } else {
            format!("`{}` ({}:{})", step.reference, step.file, step.line)
        }
    })
}

/// The place of the call in the middle of a structure.
fn place(structure: &Structure) -> Location {
    Location {
        file: structure.file.clone(),
        line: structure.line,
        column: structure.column,
        cell: structure.cell,
    }
}

/// The place of one step.
fn step_place(step: &StructureStep) -> Location {
    Location {
        file: step.file.clone(),
        line: step.line,
        column: 1,
        cell: None,
    }
}

/// Adds every step of a structure to a finding as evidence.
fn places<'r>(mut finding: ObservationBuilder<'r>, structure: &Structure) -> ObservationBuilder<'r> {
    for step in &structure.steps {
        finding = finding.evidence(EvidenceKind::Code, step.reference.clone(), &step.file, step.line);
    }
    finding
}

/// Whether the call in the middle of a structure runs at all: what holds a decision of a function down that nobody calls says nothing.
fn runs(context: &CheckContext<'_>, system: &System, structure: &Structure) -> bool {
    !context.records(system).any(|call| {
        (&call.file, call.line, call.column) == (&structure.file, structure.line, structure.column) && !call.runs()
    })
}

/// Reports the first decision about a person that lacks a control, else the control that was observed.
fn each_decision_has(
    context: &CheckContext<'_>,
    report: &mut engine_model::Report,
    role: StepRole,
    (gap_confidence, evidence_confidence): (u8, u8),
    is_open: impl Fn(&Structure) -> bool,
    gap: impl Fn(&Structure) -> String,
    evidence: impl Fn(&str) -> String,
) {
    for system in context.systems {
        let decisions = structures(context, system, StructureKind::PersonDecision);
        let open = decisions
            .iter()
            .find(|structure| is_open(structure) && control(structure, role).is_none());
        if let Some(structure) = open {
            let finding = report
                .fail(gap_confidence, gap(structure))
                .at(place(structure))
                .system(system)
                .anchor(structure.function.as_deref().unwrap_or("").to_owned());
            places(finding, structure);
        } else if let Some(step) = decisions
            .iter()
            .filter(|structure| runs(context, system, structure))
            .find_map(|structure| control(structure, role))
        {
            report
                .pass(evidence_confidence, evidence(&step.reference))
                .at(step_place(step))
                .system(system);
        }
    }
}
