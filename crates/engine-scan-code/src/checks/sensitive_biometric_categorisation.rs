//! `l4-sensitive-biometric-categorisation`: race and the like, read from a face and kept with a person.

use engine_model::{Capability, CheckContext, Effect, Report, TraceKind, declare_check};

use super::{calls, follow};

declare_check! {
    /// A sensitive trait read from a face or a voice that is kept beside what names a person.
    ///
    /// Article 5(1)(g) prohibits to sort people one by one by their biometric data in order to infer race, political
    /// opinion, trade union membership, belief, sex life or sexual orientation. Labelling of data sets that were
    /// lawfully acquired is left out there, which is why a name of a person must stand beside the trait.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import sqlite3
    ///
    /// from deepface import DeepFace
    /// from fastapi import FastAPI
    ///
    /// app = FastAPI()
    /// db = sqlite3.connect("club.db")
    ///
    /// @app.post("/door/{visitor_id}")
    /// def door(visitor_id: int, frame: str):
    ///     result = DeepFace.analyze(frame, actions=["race"])
    ///     race = result[0]["dominant_race"]
    ///     db.execute("INSERT INTO visits (visitor_id, race) VALUES (?, ?)", (visitor_id, race))
    /// ```
    /// ```text
    /// //- app.py
    /// from deepface import DeepFace
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    ///
    /// @app.post("/profile")
    /// def profile():
    ///     found = DeepFace.analyze(request.files["photo"])
    ///     row = {"customer": request.form["customer"], "ethnicity": found[0]["dominant_race"]}
    ///     collection.insert_one(row)
    ///     return "ok"
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import sqlite3
    ///
    /// from deepface import DeepFace
    /// from fastapi import FastAPI
    ///
    /// app = FastAPI()
    /// db = sqlite3.connect("club.db")
    ///
    /// @app.post("/door/{visitor_id}")
    /// def door(visitor_id: int, frame: str):
    ///     result = DeepFace.analyze(frame)
    ///     age = result[0]["age"]
    ///     db.execute("INSERT INTO visits (visitor_id, age) VALUES (?, ?)", (visitor_id, age))
    /// ```
    SENSITIVE_BIOMETRIC_CATEGORISATION {
        id: "l4-sensitive-biometric-categorisation",
        layer: L4,
        obligation: "OBL-008",
        severity: Critical,
        fix: "Do not read the trait: name the other attributes that you need and leave this one out, and delete what was kept.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        for call in calls(context, system) {
            if !call.can(Capability::SensitiveCategorisation) {
                continue;
            }
            let Some(trace) = call.traced(TraceKind::PersonRecord) else {
                continue;
            };
            let stored = call.effects.contains(&Effect::Database);
            let message = format!(
                "Observed: a sensitive trait is read from biometric data, and the answer is kept beside what names a \
                 person ({}). This is prohibited unless a data set that was lawfully acquired is only labelled: answer the question \
                 `art-5-biometric-categorisation`.",
                follow(trace)
            );
            let mut finding = report
                .fail(if stored { 80 } else { 70 }, message)
                .call(call)
                .system(system);
            for place in &trace.chain {
                finding = finding.because(place.clone());
            }
        }
    }
}
