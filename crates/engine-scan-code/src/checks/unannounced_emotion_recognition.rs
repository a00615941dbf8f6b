//! `l4-unannounced-emotion-recognition`: people whose emotions or traits are read and who are not told.

use engine_model::{CheckContext, Report, TraceKind, declare_check};

use super::{calls, follow, named};

declare_check! {
    /// Emotions or traits read from people's faces or voices without a notice to them.
    ///
    /// Article 50(3): who deploys emotion recognition or biometric categorisation informs the people who are exposed to
    /// it. A notice is a text in the product that names the matter and what is done. A page that says to whoever uses it that a mood is found, and
    /// speaks of the camera or the face, leaves it open whether that is enough. Pages outside the code are not
    /// seen, so the absence is less sure than the reading itself.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fer import FER
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// reader = FER()
    ///
    /// @app.post("/mood")
    /// def mood():
    ///     return {"mood": reader.top_emotion(request.files["photo"])}
    /// ```
    /// ```text
    /// //- src/Booth.tsx
    /// import * as faceapi from "face-api.js";
    /// import { useState } from "react";
    ///
    /// export function Booth({ video }) {
    ///   const [mood, setMood] = useState("");
    ///   async function read() {
    ///     const face = await faceapi.detectSingleFace(video).withFaceExpressions();
    ///     setMood(face.expressions.asSortedArray()[0].expression);
    ///   }
    ///   return <button onClick={read}>{mood}</button>;
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- src/Booth.tsx
    /// import * as faceapi from "face-api.js";
    /// import { useState } from "react";
    ///
    /// export function Booth({ video }) {
    ///   const [mood, setMood] = useState("");
    ///   async function read() {
    ///     const face = await faceapi.detectSingleFace(video).withFaceExpressions();
    ///     setMood(face.expressions.asSortedArray()[0].expression);
    ///   }
    ///   return (
    ///     <div>
    ///       <p>This camera analyses your facial expression to estimate your emotion. Nothing is stored.</p>
    ///       <button onClick={read}>{mood}</button>
    ///     </div>
    ///   );
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fer import FER
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// reader = FER()
    ///
    /// @app.post("/mood")
    /// def mood():
    ///     return {"mood": reader.top_emotion(request.files["photo"])}
    /// //- templates/input.html
    /// <!doctype html>
    /// <html lang="en"><body><h1>Let us find your mood today</h1><p>Face towards the camera.</p></body></html>
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fer import FER
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// reader = FER()
    ///
    /// @app.post("/mood")
    /// def mood():
    ///     return {"mood": reader.top_emotion(request.files["photo"])}
    /// //- templates/input.html
    /// <!doctype html>
    /// <html lang="en"><body><h1>Songs for every mood</h1><p>Face towards the camera.</p></body></html>
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fer import FER
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// reader = FER()
    ///
    /// @app.post("/clock-in")
    /// def clock_in():
    ///     return {"mood": reader.top_emotion(request.files["photo"])}
    /// //- templates/input.html
    /// <!doctype html>
    /// <html lang="en"><body><h1>Clock in</h1><p>We analyse your face to tell how you feel when you clock in.</p></body></html>
    /// ```
    UNANNOUNCED_EMOTION_RECOGNITION {
        id: "l4-unannounced-emotion-recognition",
        layer: L4,
        obligation: "OBL-096",
        evidence: "People are told that emotions or traits are read",
        severity: High,
        fix: "Tell people before the first picture or sound is taken, where they see it, what is read from them and what for.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let reading: Vec<_> = calls(context, system)
            .into_iter()
            .filter(|call| call.capabilities.iter().any(|known| known.exposes_people()))
            .collect();
        if let Some(told) = reading.iter().find(|call| call.traced(TraceKind::Notice).is_some()) {
            let place = told.traced(TraceKind::Notice).map(follow).unwrap_or_default();
            report
                .pass(
                    65,
                    format!("People are told that emotions or traits are read ({place})."),
                )
                .call(told)
                .system(system);
        } else if let Some(first) = reading
            .first()
            .filter(|_| reading.iter().all(|call| call.traced(TraceKind::NamedOnPage).is_none()))
        {
            let words: Vec<&str> = first
                .capabilities
                .iter()
                .filter(|known| known.exposes_people())
                .map(|known| known.words())
                .collect();
            report
                .fail(
                    86,
                    format!(
                        "{} {}, and no text in the product tells the people who are exposed to it.",
                        named(first),
                        words.join(" and ")
                    ),
                )
                .call(first)
                .system(system);
        }
    }
}
