//! `l4-unlabelled-deep-fake`: swapped faces and cloned voices without a label.

use engine_model::{Call, Capability, CheckContext, EvidenceKind, Report, TraceKind, declare_check};

use super::calls;
use super::unmarked_synthetic_content::speaks_of_something_else;

declare_check! {
    /// Unlabelled face swap or voice clone.
    ///
    /// Article 50(4): deployers of a system that generates deep fakes must disclose that the content is generated or
    /// manipulated. The label may be next to the content, in its metadata, or in a field of the response.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import cv2
    /// import insightface
    /// from flask import Flask, request, send_file
    ///
    /// app = Flask(__name__)
    /// finder = insightface.app.FaceAnalysis(name="buffalo_l")
    /// swapper = insightface.model_zoo.get_model("inswapper_128.onnx")
    ///
    /// @app.post("/swap")
    /// def swap():
    ///     picture = cv2.imread(request.form["path"])
    ///     faces = finder.get(picture)
    ///     return {"picture": swapper.get(picture, faces[0], faces[1], paste_back=True)}
    /// ```
    /// ```text
    /// //- src/speak.ts
    /// import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
    /// import express from "express";
    ///
    /// const app = express();
    /// const client = new ElevenLabsClient();
    ///
    /// app.post("/speak", async (req, res) => {
    ///   const audio = await client.speechToSpeech.convert(req.body.voice, { audio: req.body.audio });
    ///   res.json({ audio });
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import cv2
    /// import insightface
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// finder = insightface.app.FaceAnalysis(name="buffalo_l")
    /// swapper = insightface.model_zoo.get_model("inswapper_128.onnx")
    ///
    /// @app.post("/swap")
    /// def swap():
    ///     picture = cv2.imread(request.form["path"])
    ///     faces = finder.get(picture)
    ///     changed = swapper.get(picture, faces[0], faces[1], paste_back=True)
    ///     return {"picture": changed, "label": "This picture was generated with AI."}
    /// ```
    UNLABELLED_DEEP_FAKE {
        id: "l4-unlabelled-deep-fake",
        layer: L4,
        obligation: "OBL-097",
        evidence: "Label on face swap or cloned voice",
        severity: High,
        impact: Misleads,
        fix: "Label the content, on it or next to it, so that people see or hear the label at the first exposure. Keep the label when the content is published.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let fakes: Vec<_> = calls(context, system)
            .into_iter()
            .filter(|call| call.can(Capability::FaceSwap) || call.can(Capability::VoiceCloning))
            .collect();
        let is_labelled = |call: &&&Call| call.disclosure == Some(true) && !speaks_of_something_else(call);
        if let Some(labelled) = fakes.iter().find(is_labelled) {
            let place = labelled
                .traced(TraceKind::ToldOfAi)
                .and_then(|trace| trace.chain.first())
                .filter(|place| !place.reference.is_empty())
                .and_then(|place| Some((place.reference.as_str(), place.file.as_deref()?, place.line?)));
            let message = place.map_or_else(
                || "Content made from a person's face or voice is labelled.".to_owned(),
                |(text, file, line)| {
                    format!("Content made from a person's face or voice is labelled: \"{text}\" ({file}:{line}).")
                },
            );
            let entry = report.pass(70, message).call(labelled).system(system);
            if let Some((text, file, line)) = place {
                entry.evidence(EvidenceKind::Code, text, file, line);
            }
        } else if let Some(first) = fakes.first() {
            let words = if first.can(Capability::FaceSwap) {
                Capability::FaceSwap.words()
            } else {
                Capability::VoiceCloning.words()
            };
            report
                .fail(
                    79,
                    format!("The call {words}, and no label that discloses this to people was found."),
                )
                .call(first)
                .system(system);
        }
    }
}
