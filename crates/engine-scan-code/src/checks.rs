//! The checks of this layer, one module each.

mod answer_reaches_shell;
mod deserialised_model;
mod emotion_of_workers_or_pupils;
mod floating_model;
mod intimate_imagery;
mod live_watch_list;
mod no_human_oversight;
mod remote_identification;
mod scraped_face_index;
mod sensitive_biometric_categorisation;
mod unannounced_emotion_recognition;
mod undisclosed_interaction;
mod unhandled_model_failure;
mod unlabelled_deep_fake;
mod unlogged_model_call;
mod unmarked_synthetic_content;

use engine_model::{Call, CheckContext, Effect, System, Trace};

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
];

/// Whether what a call gives is language or media for people, and not numbers for a program.
fn speaks(call: &Call) -> bool {
    if !call.capabilities.is_empty() {
        return call.capabilities.iter().any(|known| known.is_media());
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
    ]
    .iter()
    .any(|word| symbol.contains(word))
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

/// Calls of a system, sorted by place.
fn calls<'a>(context: &CheckContext<'a>, system: &System) -> Vec<&'a Call> {
    let mut calls: Vec<&Call> = context.model_calls(system).collect();
    calls.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    calls
}

/// Whether the answer reaches a person as a reply, a page or a message.
fn reaches_person(call: &Call) -> bool {
    call.effects
        .iter()
        .any(|effect| matches!(effect, Effect::Page | Effect::Mail))
}

/// A count with its noun: `1 call`, `3 calls`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}
