//! `l4-emotion-of-workers-or-pupils`: emotions stored with the identity of a worker or a student.

use engine_model::{Capability, CheckContext, Effect, Report, TraceKind, declare_check};

use super::{calls, follow};

declare_check! {
    /// Emotion inference on workers or students.
    ///
    /// Article 5(1)(f) prohibits inferring the emotions of people at work and in education, except for medical or
    /// safety reasons.
    ///
    /// The evidence is a data flow: the call, the field with its output, and the field or record that identifies the
    /// person. Mood detection from text is not covered. Words alone raise a question, never this finding.
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
    /// db = sqlite3.connect("shifts.db")
    ///
    /// @app.post("/shift/{employee_id}")
    /// def shift(employee_id: int, frame: str):
    ///     result = DeepFace.analyze(frame, actions=["emotion"])
    ///     mood = result[0]["dominant_emotion"]
    ///     db.execute("INSERT INTO shift_log (employee_id, mood) VALUES (?, ?)", (employee_id, mood))
    /// ```
    /// ```text
    /// //- src/lesson.ts
    /// import * as faceapi from "face-api.js";
    /// import express from "express";
    /// import { PrismaClient } from "@prisma/client";
    ///
    /// const app = express();
    /// const prisma = new PrismaClient();
    ///
    /// app.post("/lesson", async (req, res) => {
    ///   const face = await faceapi.detectSingleFace(req.body.frame).withFaceExpressions();
    ///   await prisma.lesson.create({ data: { studentId: req.body.studentId, expression: face.expressions } });
    ///   res.json({ ok: true });
    /// });
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
    /// db = sqlite3.connect("booth.db")
    ///
    /// @app.post("/booth/{film_id}")
    /// def booth(film_id: int, frame: str):
    ///     result = DeepFace.analyze(frame, actions=["emotion"])
    ///     mood = result[0]["dominant_emotion"]
    ///     db.execute("INSERT INTO reactions (film_id, mood) VALUES (?, ?)", (film_id, mood))
    /// ```
    /// ```text
    /// //- app.py
    /// import sqlite3
    ///
    /// from transformers import pipeline
    ///
    /// db = sqlite3.connect("survey.db")
    /// emotion = pipeline("text-classification", model="j-hartmann/emotion-english-distilroberta-base")
    ///
    /// def keep(employee_id, answer):
    ///     mood = emotion(answer)[0]["label"]
    ///     db.execute("INSERT INTO survey (employee_id, mood) VALUES (?, ?)", (employee_id, mood))
    ///
    /// if __name__ == "__main__":
    ///     keep(input(), input())
    /// ```
    EMOTION_OF_WORKERS_OR_PUPILS {
        id: "l4-emotion-of-workers-or-pupils",
        layer: L4,
        obligation: "OBL-007",
        severity: Critical,
        impact: Exposes,
        fix: "Stop inferring emotions of workers, pupils and students. If the system never covers them, or only for medical or safety reasons, document that and answer the question.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        for call in calls(context, system) {
            if !call.can(Capability::EmotionInference) {
                continue;
            }
            let Some((trace, whom)) = [
                (TraceKind::WorkerRecord, "a worker or an applicant"),
                (TraceKind::PupilRecord, "a pupil or a student"),
            ]
            .into_iter()
            .find_map(|(kind, whom)| call.traced(kind).map(|trace| (trace, whom))) else {
                continue;
            };
            // A table that is read beside that of the people says a little less than a record that holds both.
            let sure = match (trace.chain.len(), call.effects.contains(&Effect::Database)) {
                (4.., _) => 65,
                (_, true) => 80,
                (_, false) => 70,
            };
            let message = format!(
                "Observed: emotions are inferred, and the output is kept with data that identifies {whom} ({}). This is \
                 prohibited unless the reason is medical or safety: answer the question `art-5-emotion`.",
                follow(trace)
            );
            let mut finding = report.fail(sure, message).call(call).system(system);
            for place in &trace.chain {
                finding = finding.because(place.clone());
            }
        }
    }
}
