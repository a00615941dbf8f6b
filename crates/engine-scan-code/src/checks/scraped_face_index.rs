//! `l4-scraped-face-index`: faces from web pages or cameras that fill a face template database.

use engine_model::{Capability, CheckContext, Report, Severity, TraceKind, declare_check};

use super::{calls, follow};

declare_check! {
    /// Face database filled from web or CCTV.
    ///
    /// Article 5(1)(e) prohibits creating or expanding face databases by untargeted scraping of facial images from
    /// the internet or from CCTV footage.
    ///
    /// Code rarely shows whether the collection targets particular people. The confidence reflects this, and a camera
    /// alone weighs less than a crawler.
    ///
    /// Reported:
    /// ```text
    /// //- crawl.py
    /// import io
    ///
    /// import face_recognition
    /// import faiss
    /// import numpy as np
    /// import requests
    /// from bs4 import BeautifulSoup
    ///
    /// index = faiss.IndexFlatL2(128)
    ///
    /// def crawl(url):
    ///     page = BeautifulSoup(requests.get(url).text, "html.parser")
    ///     for tag in page.find_all("img"):
    ///         picture = face_recognition.load_image_file(io.BytesIO(requests.get(tag["src"]).content))
    ///         for face in face_recognition.face_encodings(picture):
    ///             index.add(np.array([face]))
    ///
    /// if __name__ == "__main__":
    ///     crawl(input())
    /// ```
    /// ```text
    /// //- src/crawl.ts
    /// import { RekognitionClient, IndexFacesCommand } from "@aws-sdk/client-rekognition";
    /// import puppeteer from "puppeteer";
    ///
    /// const client = new RekognitionClient({});
    ///
    /// async function main() {
    ///   const browser = await puppeteer.launch();
    ///   const page = await browser.newPage();
    ///   await page.goto(process.argv[2]);
    ///   const sources = await page.$$eval("img", (all) => all.map((one) => one.src));
    ///   for (const source of sources) {
    ///     const bytes = await (await fetch(source)).arrayBuffer();
    ///     await client.send(new IndexFacesCommand({ CollectionId: "faces", Image: { Bytes: new Uint8Array(bytes) } }));
    ///   }
    /// }
    ///
    /// main();
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import face_recognition
    /// import faiss
    /// import numpy as np
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// index = faiss.IndexFlatL2(128)
    ///
    /// @app.post("/enrol")
    /// def enrol():
    ///     picture = face_recognition.load_image_file(request.files["photo"])
    ///     for face in face_recognition.face_encodings(picture):
    ///         index.add(np.array([face]))
    ///     return "ok"
    /// ```
    SCRAPED_FACE_INDEX {
        id: "l4-scraped-face-index",
        layer: L4,
        obligation: "OBL-006",
        severity: Critical,
        impact: Exposes,
        fix: "Use only faces of people who enrol themselves, or a source that permits this use. Delete the collected faces.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        for call in calls(context, system) {
            let template = call.can(Capability::BiometricTemplate);
            let Some(store) = call.traced(TraceKind::FaceIndex).filter(|_| template) else {
                continue;
            };
            let source = [
                (TraceKind::CrawledPages, 70, Severity::Critical, "pictures on web pages"),
                (TraceKind::RemoteCamera, 55, Severity::High, "a network camera"),
            ]
            .into_iter()
            .find_map(|(kind, sure, severity, words)| call.traced(kind).map(|trace| (trace, sure, severity, words)));
            let Some((source, sure, severity, words)) = source else {
                continue;
            };
            let message = format!(
                "Observed: faces from {words} are added to a face template database ({}; {}). This is prohibited if \
                 the collection is untargeted: answer the question `art-5-face-scraping`.",
                follow(source),
                follow(store)
            );
            let mut finding = report.fail(sure, message).call(call).system(system).severity(severity);
            for place in source.chain.iter().chain(&store.chain) {
                finding = finding.because(place.clone());
            }
        }
    }
}
