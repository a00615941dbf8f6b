//! What a call recognises in people, told by what is called; records about people are the matter of `people`.

use std::collections::BTreeSet;

use engine_model::CallKind;

use crate::calls::Found;
use crate::world::World;
use crate::{Signal, SignalKind};

pub(crate) fn find(world: &World<'_>, found: &[Found]) -> Vec<Signal> {
    let mut out = BTreeSet::new();
    for (which, record) in found.iter().enumerate() {
        if record.call.kind != CallKind::Call {
            continue;
        }
        let symbol = record.call.symbol.as_str();
        let texts: Vec<&str> = super::facts::texts_in(world, record.at);
        let emotion = symbol.contains("detect_emotions")
            || symbol.contains("top_emotion")
            || (symbol.contains("DeepFace.analyze") && (texts.is_empty() || texts.contains(&"emotion")))
            || record
                .call
                .model
                .as_deref()
                .is_some_and(|model| model.to_ascii_lowercase().contains("emotion"));
        if emotion {
            out.insert(signal(SignalKind::Emotion, record, which));
        }
        let biometric = [
            "face_encodings",
            "compare_faces",
            "search_faces",
            "index_faces",
            "DeepFace.verify",
            "DeepFace.find",
            "DeepFace.represent",
            "verify_files",
            "FaceAnalysis",
            "InceptionResnet",
            "identify",
            "verify_face",
        ]
        .iter()
        .any(|part| symbol.contains(part));
        if biometric {
            out.insert(signal(SignalKind::Biometric, record, which));
        }
    }
    out.into_iter().collect()
}

fn signal(kind: SignalKind, record: &Found, which: usize) -> Signal {
    Signal {
        kind,
        file: record.call.file.clone(),
        line: record.call.line,
        detail: record.call.symbol.clone(),
        call: which,
    }
}
