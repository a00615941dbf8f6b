//! Questions about the practices of Art. 5 that what a system can do, and what its data flow shows, raise.
//!
//! Structure is reported by the checks of the code layer; what is weaker ends here, as a question with its places.

use engine_model::{Call, CallKind, Capability, Evidence, EvidenceKind, TraceKind};
use engine_regulation::Known;

use crate::ask::RaisedQuestion;

/// Evidence shown per question; more says nothing new.
const EVIDENCE_MAX: usize = 6;

/// Whether some call of the system has one of these capabilities.
pub(crate) fn can(calls: &[&Call], wanted: &[Capability]) -> bool {
    calls
        .iter()
        .any(|call| call.kind == CallKind::Call && wanted.iter().any(|known| call.can(*known)))
}

/// Whether the system makes deep fakes: known where a given face or voice is put into other content, open for other media.
pub(crate) fn deep_fake(calls: &[&Call]) -> Known {
    if can(calls, &[Capability::FaceSwap, Capability::VoiceCloning]) {
        return Known::Yes;
    }
    let media = calls
        .iter()
        .any(|call| call.kind == CallKind::Call && call.capabilities.iter().any(|known| known.is_media()));
    if media { Known::Unknown } else { Known::No }
}

/// Whether emotions or traits of people are read, as Art. 50(3) means it.
pub(crate) fn reads_people(calls: &[&Call]) -> Known {
    let reads = calls
        .iter()
        .any(|call| call.kind == CallKind::Call && call.capabilities.iter().any(|known| known.exposes_people()));
    if reads { Known::Yes } else { Known::No }
}

/// Whether people may be identified at a distance: code shows that they are identified, not from where.
pub(crate) fn identifies(calls: &[&Call]) -> Known {
    if can(
        calls,
        &[Capability::BiometricIdentification, Capability::BiometricTemplate],
    ) {
        Known::Unknown
    } else {
        Known::No
    }
}

/// Whether people are identified on the pictures of a camera.
fn watches(call: &Call) -> bool {
    call.can(Capability::BiometricIdentification)
        && (call.traced(TraceKind::LiveCamera).is_some() || call.traced(TraceKind::RemoteCamera).is_some())
}

/// Whether people may be identified in real time: code shows the camera, not where it hangs and for whom.
pub(crate) fn in_real_time(calls: &[&Call]) -> Known {
    if calls.iter().any(|call| call.kind == CallKind::Call && watches(call)) {
        Known::Unknown
    } else {
        Known::No
    }
}

/// One question and what raises it.
struct Row {
    id: &'static str,
    raised: fn(&Call) -> bool,
    traces: &'static [TraceKind],
}

const ROWS: [Row; 5] = [
    Row {
        id: "art-5-emotion",
        // Where a system that reads emotions is used, at work or at school, code seldom shows: whoever runs one is asked.
        raised: |call| call.can(Capability::EmotionInference),
        traces: &[TraceKind::WorkerRecord, TraceKind::PupilRecord],
    },
    Row {
        id: "art-5-biometric-categorisation",
        raised: |call| call.can(Capability::SensitiveCategorisation),
        traces: &[TraceKind::PersonRecord],
    },
    Row {
        id: "art-5-face-scraping",
        raised: |call| {
            call.can(Capability::BiometricTemplate)
                && (call.traced(TraceKind::CrawledPages).is_some()
                    || call.traced(TraceKind::RemoteCamera).is_some() && call.traced(TraceKind::FaceIndex).is_some())
        },
        traces: &[TraceKind::CrawledPages, TraceKind::RemoteCamera, TraceKind::FaceIndex],
    },
    Row {
        id: "art-5-real-time-identification",
        raised: watches,
        traces: &[TraceKind::LiveCamera, TraceKind::RemoteCamera, TraceKind::WatchList],
    },
    Row {
        id: "art-5-intimate-imagery",
        raised: |call| {
            call.can(Capability::IntimateImagery)
                || call.can(Capability::FaceSwap)
                || call.traced(TraceKind::SafetyOff).is_some()
        },
        traces: &[TraceKind::SafetyOff],
    },
];

/// The questions that a system raises, in the order of the table.
pub(crate) fn questions(calls: &[&Call]) -> Vec<RaisedQuestion> {
    let mut out = Vec::new();
    for row in &ROWS {
        let raising: Vec<&&Call> = calls
            .iter()
            .filter(|call| call.kind == CallKind::Call && (row.raised)(call))
            .collect();
        let Some(first) = raising.first() else { continue };
        let mut evidence = Vec::new();
        for call in &raising {
            evidence.push(place(call));
            for kind in row.traces {
                evidence.extend(call.traced(*kind).into_iter().flat_map(|trace| trace.chain.clone()));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        evidence.retain(|place| seen.insert(place.clone()));
        evidence.truncate(EVIDENCE_MAX);
        let does: Vec<&str> = first.capabilities.iter().map(|known| known.words()).collect();
        out.push(RaisedQuestion {
            id: row.id,
            why: format!(
                "`{}` at {}:{} {}.",
                first.symbol,
                first.file,
                first.line,
                does.join(", ")
            ),
            suggestion: None,
            evidence,
        });
    }
    out
}

fn place(call: &Call) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: call.symbol.clone(),
        file: Some(call.file.clone()),
        line: Some(call.line),
        hash: None,
    }
}
