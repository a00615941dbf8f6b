//! `l4-unmarked-synthetic-content`: generated media without a mark.

use engine_model::{Call, Capability, CheckContext, EvidenceKind, Report, Severity, TraceKind, declare_check};

use super::{calls, further, named};
use crate::facts::notices;

declare_check! {
    /// Unmarked synthetic content.
    ///
    /// Article 50(2): content that an AI system generates must be marked in a machine-readable way. This check covers
    /// images, sound and video.
    ///
    /// Speech that is only played on the spot to the person at the machine, and passed on to no one, is not reported.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/picture")
    /// def picture(prompt: str):
    ///     image = client.images.generate(model="dall-e-2", prompt=prompt)
    ///     return {"url": image.data[0].url}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/picture")
    /// def picture(prompt: str):
    ///     image = client.images.generate(model="dall-e-2", prompt=prompt)
    ///     return {"url": image.data[0].url, "ai_generated": True}
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/rate")
    /// def rate(text: str):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=text).output_text
    /// //- photos.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def portrait(name: str):
    ///     return client.images.generate(model="dall-e-2", prompt=name)
    /// //- scripts/samples.py
    /// from photos import portrait
    ///
    /// portrait("a person for the demo")
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from gtts import gTTS
    /// from playsound import playsound
    ///
    /// def say(text: str):
    ///     gTTS(text=text, lang="en").save("reply.mp3")
    ///     playsound("reply.mp3")
    ///
    /// say(input())
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// from flask import Flask, request, send_file
    /// from gtts import gTTS
    ///
    /// app = Flask(__name__)
    ///
    /// @app.post("/say")
    /// def say():
    ///     gTTS(text=request.json["text"], lang="en").save("reply.mp3")
    ///     return send_file("reply.mp3")
    /// ```
    UNMARKED_SYNTHETIC_CONTENT {
        id: "l4-unmarked-synthetic-content",
        layer: L4,
        obligation: "OBL-095",
        evidence: "Marking of generated content found",
        severity: High,
        impact: Misleads,
        fix: "Mark the generated content. Keep the provider's content credentials (C2PA), write the origin into the metadata, or send a field that states it with the content.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let media: Vec<_> = calls(context, system)
            .into_iter()
            .filter(|call| call.capabilities.iter().any(|known| known.is_media()))
            // What nothing of the product leads to makes nothing for anybody.
            .filter(|call| call.traced(TraceKind::Unreached).is_none())
            // A script that makes samples for a test or a corpus hands them to nobody.
            .filter(|call| !is_of_samples(&call.file))
            // Neither does what is only played on the spot to whoever sits there.
            .filter(|call| call.traced(TraceKind::PlayedHere).is_none())
            .collect();
        if let Some(marked) = media.iter().find(|call| is_marked(call)) {
            let place = marked
                .traced(TraceKind::ToldOfAi)
                .and_then(|trace| trace.chain.first())
                .and_then(|place| Some((place.reference.as_str(), place.file.as_deref()?, place.line?)));
            let message = place.map_or_else(
                || "Generated content is marked.".to_owned(),
                |(text, file, line)| format!("Generated content is marked: `{text}` ({file}:{line})."),
            );
            let entry = report.pass(70, message).call(marked).system(system);
            if let Some((text, file, line)) = place {
                entry.evidence(EvidenceKind::Code, text, file, line);
            }
            continue;
        }
        // Where every provider says that it marks by itself, that is evidence, though none that stands in the code.
        if let Some(first) = media.first()
            && let Some(own) = media.iter().map(|call| own_mark(call)).collect::<Option<Vec<_>>>()
            && let Some(own) = own.first()
        {
            let says = format!(
                "{} {}. {} states that it marks the output automatically ({}; {}, as of {})",
                named(first),
                makes(first),
                own.by,
                own.mark,
                own.source,
                own.date
            );
            if own.lasts {
                report
                    .pass(60, format!("{says}. No additional mark was found in the code."))
                    .call(first)
                    .system(system);
            } else if !is_gone(context, first) {
                report
                    .info(
                        70,
                        format!("{says}. This mark is lost when the output is encoded or saved again. Whether the code keeps it could not be determined."),
                    )
                    .call(first)
                    .severity(Severity::Low)
                    .system(system);
            }
            continue;
        }
        if let Some(first) = media.first() {
            // What people see beside it is a mark for people, and none that a machine reads.
            let visible = first
                .traced(TraceKind::ToldOfAi)
                .filter(|_| first.disclosure != Some(true))
                .and_then(|trace| trace.chain.first())
                // A setting may say anything, and the name of a maker in terms of use says nothing of the result.
                .filter(|place| !place.reference.starts_with('$') && says_that_it_was_made(&place.reference))
                .and_then(|place| Some((place.reference.as_str(), place.file.as_deref()?, place.line?)));
            let mark = visible.map_or_else(
                || "no mark of the output was found".to_owned(),
                |(text, file, line)| {
                    format!("only a visible mark was found (\"{text}\", {file}:{line}), not a machine-readable one")
                },
            );
            let mut finding = report
                .fail(
                    83,
                    format!(
                        "{} {}, but {mark}{}.",
                        named(first),
                        makes(first),
                        // The others may make another kind of media.
                        further(". No machine-readable mark was found for the media output of", &media)
                    ),
                )
                .call(first)
                .system(system);
            for call in media.iter().filter(|_| media.len() > 1).take(20) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        }
    }
}

/// A mark that a provider or a library says to put into what it makes.
struct OwnMark {
    by: &'static str,
    providers: &'static [&'static str],
    /// How the names of models begin that mark; none where all do.
    models: &'static [&'static str],
    /// A part of the symbol of a library that marks; none where the provider does.
    library: Option<&'static str>,
    made: Capability,
    /// Whether the mark stands in what is seen or heard itself, and not beside it.
    lasts: bool,
    mark: &'static str,
    source: &'static str,
    date: &'static str,
}

const OWN_MARKS: [OwnMark; 5] = [
    OwnMark {
        by: "OpenAI",
        providers: &["openai"],
        models: &["gpt-image-", "chatgpt-image"],
        library: None,
        made: Capability::ImageGeneration,
        lasts: true,
        mark: "a SynthID watermark since May 2026, and C2PA metadata",
        source: "https://help.openai.com/en/articles/8912793",
        date: "2026-11-27",
    },
    OwnMark {
        by: "OpenAI",
        providers: &["openai"],
        models: &["dall-e-3"],
        library: None,
        made: Capability::ImageGeneration,
        lasts: false,
        mark: "C2PA metadata",
        source: "https://help.openai.com/en/articles/8912793",
        date: "2026-11-27",
    },
    OwnMark {
        by: "Google",
        providers: &["google", "google-vertex"],
        // Every model of Google that makes pictures.
        models: &[],
        library: None,
        made: Capability::ImageGeneration,
        lasts: true,
        mark: "a SynthID watermark",
        source: "https://ai.google.dev/gemini-api/docs/image-generation",
        date: "2026-11-27",
    },
    OwnMark {
        by: "Google",
        providers: &["google", "google-vertex"],
        // Every model of Google that makes films is one of Veo.
        models: &[],
        library: None,
        made: Capability::VideoGeneration,
        lasts: true,
        mark: "a SynthID watermark",
        source: "https://ai.google.dev/gemini-api/docs/video",
        date: "2026-11-27",
    },
    OwnMark {
        by: "The library",
        providers: &[],
        models: &[],
        library: Some("chatterbox"),
        made: Capability::TextToSpeech,
        lasts: true,
        mark: "PerTh watermark",
        source: "https://pypi.org/project/chatterbox-tts/",
        date: "2026-11-27",
    },
];

/// Whether the model of a call answers no more: nothing is made that could lose its mark.
fn is_gone(context: &CheckContext<'_>, call: &Call) -> bool {
    context.inventory.models.iter().any(|model| {
        Some(&model.name) == call.model.as_ref()
            && model
                .retirement(context.as_of)
                .is_some_and(|date| date <= context.as_of)
    })
}

/// The mark that is put into what a call makes before it answers.
fn own_mark(call: &Call) -> Option<&'static OwnMark> {
    let symbol = call.symbol.to_ascii_lowercase();
    OWN_MARKS.iter().find(|own| {
        let made: Vec<_> = call.capabilities.iter().filter(|known| known.is_media()).collect();
        let by = match own.library {
            Some(library) => symbol.contains(library),
            None => call
                .provider
                .as_deref()
                .is_some_and(|name| own.providers.contains(&name)),
        };
        let model = call.model.as_deref().unwrap_or("");
        let of_model = own.models.is_empty() || own.models.iter().any(|begin| model.starts_with(begin));
        let only_that = made
            .iter()
            .all(|known| **known == own.made || own.library.is_some() && **known == Capability::VoiceCloning);
        by && of_model && only_that
    })
}

/// Whether a file makes what a system is measured with, by its folder or its name.
fn is_of_samples(file: &str) -> bool {
    const MEASURED: [&str; 17] = [
        "bench",
        "benchmark",
        "benchmarks",
        "eval",
        "evals",
        "evaluation",
        "corpus",
        "fixture",
        "fixtures",
        "testset",
        "poc",
        "data_generation",
        "data-generation",
        "dataset_generation",
        "synthetic_data",
        "seed",
        "seeds",
    ];
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let words = engine_catalogue::words_of(name.split('.').next().unwrap_or(name));
    folder.split('/').any(|part| MEASURED.contains(&part))
        || folder.split('/').any(|part| matches!(part, "scripts" | "tools"))
            && words.iter().any(|word| MEASURED.contains(&word.as_str()))
}

/// Parts of words with which a text says that something was made.
const MADE: [&str; 16] = [
    "generat",
    "created",
    "made by",
    "made with",
    "produced",
    "synthetic",
    "artificial",
    "generiert",
    "erstellt",
    "künstlich",
    "génér",
    "creado",
    "creato",
    "сгенер",
    "созда",
    "生成",
];

/// What is read: a text that is marked as generated marks no picture and no voice ("AI-generated response").
const OF_TEXT: [&str; 22] = [
    "response",
    "responses",
    "answer",
    "answers",
    "reply",
    "replies",
    "text",
    "texts",
    "message",
    "messages",
    "summary",
    "summaries",
    "question",
    "questions",
    "feedback",
    "draft",
    "drafts",
    "email",
    "emails",
    "antwort",
    "antworten",
    "ответ",
];

/// Whether people are told where the content appears: beside the call or on a page. The greeting of a bot marks no picture that follows.
fn is_marked(call: &Call) -> bool {
    call.disclosure == Some(true)
        && !speaks_of_something_else(call)
        && call.disclosure_at.as_ref().is_none_or(|place| {
            let ending = place.file.rsplit('.').next().unwrap_or("");
            place.file == call.file || matches!(ending, "html" | "htm" | "tsx" | "jsx" | "vue" | "svelte" | "astro")
        })
}

/// Whether the text that tells of an AI speaks of no picture and of nothing made: it tells who answers.
pub(super) fn speaks_of_something_else(call: &Call) -> bool {
    call.traced(TraceKind::ToldOfAi)
        .and_then(|trace| trace.chain.first())
        .is_some_and(|place| {
            let lower = place.reference.to_lowercase();
            let words = || lower.split(|c: char| !c.is_alphanumeric());
            let of_text = || words().any(|word| OF_TEXT.contains(&word));
            !lower.is_empty()
                && !notices::is_of_media(&lower)
                && (!MADE.iter().any(|word| lower.contains(word)) || of_text())
        })
}

/// Whether a text says of something that it was made, or speaks of pictures, sound or films.
fn says_that_it_was_made(text: &str) -> bool {
    let lower = text.to_lowercase();
    notices::is_of_media(&lower) || MADE.iter().any(|word| lower.contains(word))
}

/// What a call makes, in words.
fn makes(call: &Call) -> String {
    let words: Vec<&str> = call
        .capabilities
        .iter()
        .filter(|known| known.is_media())
        .map(|known| known.words())
        .collect();
    words.join(" and ")
}
