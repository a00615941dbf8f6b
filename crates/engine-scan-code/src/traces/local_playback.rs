//! Whether speech output is only played to the person at the machine.

use engine_model::{CallKind, Capability, Effect, TraceKind};

use super::{add, evidence};
use crate::calls::Found;
use crate::facts::{callee_name, symbols, texts_in};
use crate::values::ExprRef;
use crate::world::World;

/// Calls that play a sound to whoever sits at the machine, by the end of what they stand for.
const PLAYERS: [&str; 14] = [
    "playsound.playsound",
    "winsound.PlaySound",
    "pygame.mixer.music.play",
    "pygame.mixer.Sound().play",
    "pydub.playback.play",
    "sounddevice.play",
    "simpleaudio.play_buffer",
    "WaveObject.from_wave_file().play",
    "elevenlabs.play",
    "elevenlabs.play.play",
    "IPython.display.Audio",
    "play-sound.default().play",
    "pyaudio.PyAudio().open().write",
    "soundfile.play",
];

/// Programs that do so.
const PLAYER_PROGRAMS: [&str; 9] = [
    "mpg123", "mpg321", "afplay", "ffplay", "aplay", "mpv", "vlc", "start ", "paplay",
];

/// Calls that hand a sound to somebody else, or put it where others get it.
const HANDS_ON: [&str; 22] = [
    "send_file",
    "FileResponse",
    "StreamingResponse",
    "send_audio",
    "send_voice",
    "reply_voice",
    "reply_audio",
    "sendVoice",
    "sendAudio",
    "answer_voice",
    "answer_audio",
    "upload",
    "upload_file",
    "upload_fileobj",
    "put_object",
    "putObject",
    "sendFile",
    "audio",
    "Audio",
    "download_button",
    "set_audio",
    "write_videofile",
];

/// Whether what is read aloud is only played on the spot, by the file in which it is made.
pub(super) fn mark(world: &World<'_>, record: &mut Found) {
    let call = &record.call;
    let reads_aloud =
        call.capabilities.iter().all(|known| *known == Capability::TextToSpeech) && !call.capabilities.is_empty();
    let goes_out = call
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Page | Effect::Mail | Effect::Database));
    if !reads_aloud || goes_out || call.kind != CallKind::Call {
        return;
    }
    let unit = record.at.0;
    if world
        .index(unit)
        .calls
        .iter()
        .any(|id| HANDS_ON.contains(&callee_name(world, ExprRef(unit, *id))))
    {
        return;
    }
    let player = first(world, unit);
    if let Some(at) = player {
        let place = evidence(world, at, callee_name(world, at));
        add(&mut record.call, TraceKind::PlayedHere, vec![place]);
    }
}

/// The first call of a file that plays a sound to whoever sits at the machine.
pub(crate) fn first(world: &World<'_>, unit: u32) -> Option<ExprRef> {
    let mut calls = world.index(unit).calls.iter().map(|id| ExprRef(unit, *id));
    calls.find(|at| match callee_name(world, *at) {
        "play" | "playsound" | "PlaySound" | "play_buffer" | "write" => symbols(world, *at).iter().any(|symbol| {
            PLAYERS
                .iter()
                .any(|known| symbol.ends_with(known) || symbol.starts_with(known))
        }),
        "system" | "run" | "call" | "Popen" | "exec" | "spawn" | "execSync" => {
            texts_in(world, *at).iter().any(|text| {
                PLAYER_PROGRAMS
                    .iter()
                    .any(|program| text.trim_start().starts_with(program))
            })
        }
        _ => false,
    })
}
