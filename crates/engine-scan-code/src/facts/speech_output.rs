//! Spoken output: read aloud into a file that is sent as a message, or played to the person at the machine who speaks
//! to it.

use std::collections::BTreeSet;

use engine_catalogue::words_of;
use engine_model::{CallKind, Effect, Zone};

use super::effects::Reach;
use super::messengers::Messengers;
use super::{callee_name, symbols};
use crate::calls::Found;
use crate::flow::{Answers, Flow};
use crate::values::{ExprRef, FunctionRef, id};
use crate::world::World;

/// Functions through which a text is handed to the voice: `speak(text)` that runs `speak_async(text)`.
const LEVELS_MAX: usize = 2;
/// Callers of such a function that are looked at.
const CALLERS_MAX: usize = 200;

/// Modules by which a program hears a person at a microphone.
const MICROPHONES: [&str; 4] = ["speech_recognition", "sounddevice", "pyaudio", "vosk"];

/// Where the answers of models are said to somebody.
pub(super) fn all(world: &World<'_>, flow: &Flow<'_, '_>, messengers: &Messengers, found: &[Found]) -> Vec<Reach> {
    let mut out = Vec::new();
    let heard = std::cell::OnceCell::new();
    for voice in found.iter().filter(|found| is_voice(found)) {
        let unit = voice.at.0;
        let place = sent(world, messengers, unit).map(|at| (at, Effect::Mail)).or_else(|| {
            let played = crate::traces::played_in(world, unit)?;
            heard.get_or_init(|| hears(world)).then_some((played, Effect::Page))
        });
        let Some((at, effect)) = place else { continue };
        let answers = texts(world, flow, voice.at);
        if !answers.is_empty() {
            out.push(Reach { at, effect, answers });
        }
    }
    out
}

/// Whether a place is one where somebody who speaks to the machine is answered aloud.
pub(super) fn is_aloud(world: &World<'_>, at: ExprRef) -> bool {
    (crate::traces::played_in(world, at.0) == Some(at)
        || callee_name(world, at) == "say" && symbols(world, at).iter().any(|symbol| symbol.starts_with("pyttsx3.")))
        && hears(world)
}

/// Whether a call reads a text aloud.
fn is_voice(found: &Found) -> bool {
    let symbol = found.call.symbol.to_ascii_lowercase();
    matches!(found.call.kind, CallKind::Call | CallKind::Construct)
        && (symbol.contains("speech.") && symbol.ends_with("create")
            || [
                "gtts.",
                "edge_tts.",
                "text_to_speech",
                "texttospeech",
                "synthesize_speech",
            ]
            .iter()
            .any(|known| symbol.contains(known)))
        && !symbol.contains("transcri")
}

/// Whether a file of the product hears somebody at a microphone.
fn hears(world: &World<'_>) -> bool {
    (0..id(world.units.len())).any(|unit| {
        world.unit(unit).zone == Zone::Product
            && world.module(unit).imports.iter().any(|import| {
                let root = import.module.split('.').next().unwrap_or("");
                MICROPHONES.contains(&root)
            })
    })
}

/// The call of a file that sends a sound to people.
fn sent(world: &World<'_>, messengers: &Messengers, unit: u32) -> Option<ExprRef> {
    world
        .index(unit)
        .calls
        .iter()
        .map(|call| ExprRef(unit, *call))
        .find(|at| {
            words_of(callee_name(world, *at))
                .iter()
                .any(|word| matches!(word.as_str(), "audio" | "voice"))
                && messengers.sends(world, *at)
        })
}

/// The answers that a voice is given, by itself or by who hands a text to the function around it.
fn texts(world: &World<'_>, flow: &Flow<'_, '_>, at: ExprRef) -> Answers {
    let mut out = flow.of_arguments(at).answers.clone();
    let mut speakers: BTreeSet<FunctionRef> = world.named_function_of(at).into_iter().collect();
    for _ in 0..LEVELS_MAX {
        let mut next = BTreeSet::new();
        for speaker in &speakers {
            if world.function(*speaker).params.is_empty() {
                continue;
            }
            for caller in world.callers_of(*speaker).iter().take(CALLERS_MAX) {
                out.add(&flow.of_arguments(*caller).answers);
                next.extend(world.named_function_of(*caller));
            }
        }
        // Only who is handed the text hands it on.
        speakers = next
            .into_iter()
            .filter(|function| !world.function(*function).params.is_empty())
            .collect();
    }
    out
}
