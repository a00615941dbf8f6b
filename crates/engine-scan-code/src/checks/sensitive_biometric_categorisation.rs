//! `l4-sensitive-biometric-categorisation`: sensitive traits inferred from biometric data and kept with an identity.

use engine_model::{Capability, CheckContext, Effect, Report, TraceKind, declare_check};

use super::{calls, follow};

declare_check! {
    /// Sensitive trait inferred from biometric data.
    ///
    /// Article 5(1)(g) prohibits categorising individual people by their biometric data to infer certain traits. The
    /// traits are race, political opinions, trade union membership, beliefs, sex life and sexual orientation.
    ///
    /// The labelling of lawfully acquired data sets is exempt. The check therefore requires data that identifies a
    /// person next to the trait.
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
        impact: Exposes,
        fix: "Do not infer this trait: request only the other attributes that you need. Delete the stored values.",
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
                "Observed: a sensitive trait is inferred from biometric data, and the output is kept with data that \
                 identifies a person ({}). This is prohibited, except for labelling a lawfully acquired data set: answer \
                 the question `art-5-biometric-categorisation`.",
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
