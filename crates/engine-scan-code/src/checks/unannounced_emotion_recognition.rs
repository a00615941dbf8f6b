//! `l4-unannounced-emotion-recognition`: emotion or trait recognition without a disclosure.

use engine_model::{CheckContext, Report, TraceKind, declare_check};

use super::{calls, follow, named};

declare_check! {
    /// Undisclosed emotion or trait recognition.
    ///
    /// Article 50(3): deployers of emotion recognition or biometric categorisation must inform the people who are
    /// exposed to it. A disclosure is a text in the product that names the subject and the processing.
    ///
    /// A page may inform its user that a mood is detected and mention the camera or the face. This may be enough, so
    /// it is not reported. Pages outside the code cannot be seen: the missing disclosure is less certain than the
    /// recognition itself.
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
        evidence: "Emotion or trait recognition disclosed",
        severity: High,
        impact: Misleads,
        fix: "Inform people before the first picture or sound is recorded, where they see it. State what is inferred from them and why.",
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
                    format!("Emotion or trait recognition is disclosed to people ({place})."),
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
                        "{} {}, and no disclosure to the exposed people was found in the product.",
                        named(first),
                        words.join(" and ")
                    ),
                )
                .call(first)
                .system(system);
        }
    }
}
