//! The checks of this layer, one module each.

mod answer_reaches_shell;
mod deserialised_model;
mod floating_model;
mod no_human_oversight;
mod undisclosed_interaction;
mod unhandled_model_failure;
mod unlogged_model_call;
mod unmarked_synthetic_content;

use engine_model::{Call, CheckContext, Effect, System};

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
];

/// Whether what a call gives is language or media for people, and not numbers for a program.
fn speaks(call: &Call) -> bool {
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
