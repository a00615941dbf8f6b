//! `l4-thin-identification-log` and `l4-single-person-identification`: logs and confirmation of biometric identification.

use engine_model::{Call, Capability, CheckContext, Effect, Report, TraceKind, declare_check};

use super::{calls, follow, named};

declare_check! {
    /// Incomplete biometric identification log.
    ///
    /// Article 12(3): logs of remote biometric identification must contain four items. They are the period of each use, the
    /// reference database, the input that led to a match, and the people who verified the result.
    ///
    /// The check reads the values that the code passes to a logger or writes to a database around the call.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import boto3
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// client = boto3.client("rekognition")
    ///
    /// @app.post("/find")
    /// def find():
    ///     hits = client.search_faces_by_image(CollectionId="guests", Image={"Bytes": request.data})
    ///     return {"matches": hits["FaceMatches"]}
    /// ```
    /// ```text
    /// //- src/find.ts
    /// import { RekognitionClient, SearchFacesByImageCommand } from "@aws-sdk/client-rekognition";
    /// import express from "express";
    ///
    /// const app = express();
    /// const client = new RekognitionClient({});
    ///
    /// app.post("/find", async (req, res) => {
    ///   const found = await client.send(new SearchFacesByImageCommand({ CollectionId: "guests", Image: { Bytes: req.body } }));
    ///   res.json(found.FaceMatches);
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import logging
    ///
    /// import boto3
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// client = boto3.client("rekognition")
    /// log = logging.getLogger("identification")
    ///
    /// @app.post("/find")
    /// def find():
    ///     hits = client.search_faces_by_image(CollectionId="guests", Image={"Bytes": request.data})
    ///     log.info("match", extra={"collection": "guests", "image_digest": digest(request.data), "verified_by": request.headers["X-Officer"]})
    ///     return {"matches": hits["FaceMatches"]}
    /// ```
    THIN_IDENTIFICATION_LOG {
        id: "l4-thin-identification-log",
        layer: L4,
        obligation: "OBL-034",
        evidence: "Complete biometric identification log found",
        severity: High,
        impact: Prepares,
        fix: "Log each use: start and end, the reference database with its version, the input that matched, and the people who verified the result.",
        run: run_log,
    }
}

declare_check! {
    /// Biometric match without two-person confirmation.
    ///
    /// Article 14(5): no action may be based on an identification unless at least two competent people have confirmed
    /// it separately, except where the law provides otherwise.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import sqlite3
    ///
    /// import boto3
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// client = boto3.client("rekognition")
    /// db = sqlite3.connect("gate.db")
    ///
    /// @app.post("/gate")
    /// def gate():
    ///     hits = client.search_faces_by_image(CollectionId="banned", Image={"Bytes": request.data})
    ///     face = hits["FaceMatches"][0]["Face"]["FaceId"]
    ///     db.execute("INSERT INTO refusals (face) VALUES (?)", (face,))
    ///     return "refused"
    /// ```
    /// ```text
    /// //- src/gate.ts
    /// import { RekognitionClient, SearchFacesByImageCommand } from "@aws-sdk/client-rekognition";
    /// import express from "express";
    /// import { PrismaClient } from "@prisma/client";
    ///
    /// const app = express();
    /// const client = new RekognitionClient({});
    /// const prisma = new PrismaClient();
    ///
    /// app.post("/gate", async (req, res) => {
    ///   const found = await client.send(new SearchFacesByImageCommand({ CollectionId: "banned", Image: { Bytes: req.body } }));
    ///   await prisma.refusal.create({ data: { face: found.FaceMatches[0].Face.FaceId } });
    ///   res.json({ refused: true });
    /// });
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import sqlite3
    ///
    /// import boto3
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// client = boto3.client("rekognition")
    /// db = sqlite3.connect("gate.db")
    ///
    /// @app.post("/gate")
    /// def gate():
    ///     hits = client.search_faces_by_image(CollectionId="banned", Image={"Bytes": request.data})
    ///     face = hits["FaceMatches"][0]["Face"]["FaceId"]
    ///     confirmations = set(request.headers.getlist("X-Officer"))
    ///     if len(confirmations) < 2:
    ///         return "ask a second officer"
    ///     db.execute("INSERT INTO refusals (face) VALUES (?)", (face,))
    ///     return "refused"
    /// ```
    SINGLE_PERSON_IDENTIFICATION {
        id: "l4-single-person-identification",
        layer: L4,
        obligation: "OBL-042",
        evidence: "Two-person confirmation of biometric matches",
        severity: High,
        impact: Prepares,
        fix: "Hold back the effect until two different people with the authority to do so have confirmed the match. Record both names.",
        run: run_persons,
    }
}

/// Calls of a system that identify people among many.
fn identifying<'a>(context: &CheckContext<'a>, system: &engine_model::System) -> Vec<&'a Call> {
    calls(context, system)
        .into_iter()
        .filter(|call| call.can(Capability::BiometricIdentification))
        .collect()
}

fn run_log(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let calls = identifying(context, system);
        let missing = |call: &Call| -> Vec<&'static str> {
            [
                // That a row or a file name carries the time is seen too rarely to say that it does not.
                (TraceKind::LogDatabase, "the reference database"),
                (TraceKind::LogInput, "the input that matched"),
                (TraceKind::LogVerifier, "the person who verified the result"),
            ]
            .into_iter()
            .filter(|(kind, _)| call.traced(*kind).is_none())
            .map(|(_, words)| words)
            .collect()
        };
        let thin = calls.iter().find(|call| !missing(call).is_empty());
        if let Some(call) = thin {
            let message = format!(
                "{} identifies people. Not found in any log of it: {}.",
                named(call),
                missing(call).join(", ")
            );
            report.fail(68, message).call(call).system(system);
        } else if let Some(call) = calls.first() {
            report
                .pass(
                    65,
                    "Each identification is logged with the database, the input and the person who verified it.",
                )
                .call(call)
                .system(system);
        }
    }
}

fn run_persons(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let acting: Vec<&Call> = identifying(context, system)
            .into_iter()
            .filter(|call| {
                call.effects
                    .iter()
                    .any(|effect| matches!(effect, Effect::Database | Effect::Branch | Effect::Mail | Effect::Shell))
            })
            .collect();
        if let Some(alone) = acting.iter().find(|call| call.traced(TraceKind::TwoPersons).is_none()) {
            report
                .fail(
                    82,
                    format!(
                        "The identification by {} has an effect, and no confirmation by two people was found.",
                        named(alone)
                    ),
                )
                .call(alone)
                .system(system);
        } else if let Some(call) = acting.first() {
            let places = call.traced(TraceKind::TwoPersons).map(follow).unwrap_or_default();
            report
                .pass(
                    65,
                    format!("Two people confirm an identification before it takes effect ({places})."),
                )
                .call(call)
                .system(system);
        }
    }
}
