//! `l4-live-watch-list`: faces from a live camera, compared with a watch list.

use engine_model::{Capability, CheckContext, Report, TraceKind, declare_check};

use super::{calls, follow};

declare_check! {
    /// Live face matching against watch list.
    ///
    /// Article 5(1)(h) prohibits real-time remote biometric identification in public spaces for law enforcement,
    /// except for three narrow objectives with an authorisation.
    ///
    /// Code does not show the operator or the location of the camera. It can show the structure: a live picture that
    /// is compared with a list of suspects or wanted people.
    ///
    /// Reported:
    /// ```text
    /// //- watch.py
    /// import boto3
    /// import cv2
    ///
    /// client = boto3.client("rekognition")
    ///
    /// def main():
    ///     camera = cv2.VideoCapture("rtsp://10.0.0.4/stream")
    ///     while True:
    ///         ok, frame = camera.read()
    ///         jpeg = cv2.imencode(".jpg", frame)[1].tobytes()
    ///         hits = client.search_faces_by_image(CollectionId="wanted-persons", Image={"Bytes": jpeg})
    ///         for hit in hits["FaceMatches"]:
    ///             print(hit["Face"]["ExternalImageId"])
    ///
    /// if __name__ == "__main__":
    ///     main()
    /// ```
    /// ```text
    /// //- src/watch.ts
    /// import * as faceapi from "face-api.js";
    /// import { suspects } from "./data";
    ///
    /// async function main() {
    ///   const stream = await navigator.mediaDevices.getUserMedia({ video: true });
    ///   const face = await faceapi.detectSingleFace(stream).withFaceLandmarks().withFaceDescriptor();
    ///   const matcher = new faceapi.FaceMatcher(suspects);
    ///   const suspect = matcher.findBestMatch(face.descriptor, suspects);
    ///   console.log(suspect.label);
    /// }
    ///
    /// main();
    /// //- src/data.ts
    /// export const suspects: any[] = [];
    /// ```
    /// Not reported:
    /// ```text
    /// //- door.py
    /// import boto3
    /// import cv2
    ///
    /// client = boto3.client("rekognition")
    ///
    /// def main():
    ///     camera = cv2.VideoCapture(0)
    ///     ok, frame = camera.read()
    ///     jpeg = cv2.imencode(".jpg", frame)[1].tobytes()
    ///     hits = client.search_faces_by_image(CollectionId="tenants", Image={"Bytes": jpeg})
    ///     print(hits["FaceMatches"])
    ///
    /// if __name__ == "__main__":
    ///     main()
    /// ```
    LIVE_WATCH_LIST {
        id: "l4-live-watch-list",
        layer: L4,
        obligation: "OBL-009",
        severity: Critical,
        impact: Exposes,
        fix: "Remove the live picture or the watch list, unless a law of the Member State and an authorisation permit this use. In that case, record both.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        for call in calls(context, system) {
            let list = call
                .traced(TraceKind::WatchList)
                .filter(|_| call.can(Capability::BiometricIdentification));
            let camera = call
                .traced(TraceKind::RemoteCamera)
                .or_else(|| call.traced(TraceKind::LiveCamera));
            let (Some(list), Some(camera)) = (list, camera) else {
                continue;
            };
            let message = format!(
                "Observed: faces from a live camera are compared with a list of wanted people ({}; {}). In public spaces \
                 and for law enforcement this is prohibited, except for narrow objectives: answer the question \
                 `art-5-real-time-identification`.",
                follow(camera),
                follow(list)
            );
            let mut finding = report.fail(60, message).call(call).system(system);
            for place in camera.chain.iter().chain(&list.chain) {
                finding = finding.because(place.clone());
            }
        }
    }
}
