//! A result as it is written down: for the database, for replies, and for its digests.

use engine_model::{ErrorCode, Failure, ListText, ScanResult};
use engine_signing::Digest;
use engine_store::{WrittenLists, WrittenScan};

use crate::evidence::Digests;
use crate::project::conflict;

/// Texts of a result, of which the next result takes over what is equal.
#[derive(Debug)]
pub(crate) struct Texts {
    lists: WrittenLists,
    /// The findings as they may leave the machine; none if the result names a person.
    portable: Option<ListText>,
}

/// Bytes of texts that are kept of one project for its next result.
const TEXTS_BYTES_MAX: usize = 32 << 20;

impl Texts {
    /// Whether they are small enough to be kept.
    pub(crate) fn are_kept(&self) -> bool {
        let portable = self.portable.as_ref().map_or(0, |text| text.json().len());
        self.lists.bytes() + portable <= TEXTS_BYTES_MAX
    }
}

/// A result as it is kept, as one JSON text, its digests, and what the next one takes over.
pub(crate) struct WrittenDown {
    pub(crate) scan: WrittenScan,
    pub(crate) json: Vec<u8>,
    pub(crate) digests: Digests,
    pub(crate) texts: Texts,
}

/// Writes a result down. What is equal to a part of `before`, the result before with its texts, is not written again.
pub(crate) fn write(scan: &mut ScanResult, before: Option<(&ScanResult, &Texts)>) -> Result<WrittenDown, Failure> {
    enum Portable {
        Findings(ListText),
        Whole(Vec<u8>),
    }
    let known = before.map(|(scan, texts)| (scan, &texts.lists));
    let portable = |scan: &ScanResult| {
        let known = before.and_then(|(scan, texts)| Some((&*scan.findings, texts.portable.as_ref()?)));
        Ok(match engine_package::portable_findings(scan, known)? {
            Some(findings) => Portable::Findings(findings),
            None => Portable::Whole(engine_package::portable_bytes(scan)?),
        })
    };
    let (written, portable) = WrittenScan::of(scan, known, portable).map_err(|error| conflict(&error))?;
    let rest = match portable {
        Portable::Whole(_) => Vec::new(),
        Portable::Findings(_) => portable_rest(scan).map_err(|error| conflict(&error))?,
    };
    let (whole, handed_on) = rayon::join(
        || {
            let whole = written.whole()?;
            Some((Digest::of(&whole), whole))
        },
        || {
            let portable = match &portable {
                Portable::Whole(portable) => written.with_inventory(portable),
                Portable::Findings(findings) => written.with_all(&rest, findings),
            };
            portable.map(|portable| Digest::of(&portable))
        },
    );
    let (Some((stored, json)), Some(handed_on)) = (whole, handed_on) else {
        return Err(Failure::new(
            ErrorCode::Internal,
            "internal error: could not write the result; report this with the version of the engine",
        ));
    };
    let texts = Texts {
        lists: written.lists().clone(),
        portable: match portable {
            Portable::Findings(findings) => Some(findings),
            Portable::Whole(_) => None,
        },
    };
    Ok(WrittenDown {
        scan: written,
        json,
        digests: Digests {
            portable: handed_on,
            stored,
        },
        texts,
    })
}

/// A result as it may leave the machine, without the parts that are nearly all of it.
fn portable_rest(scan: &mut ScanResult) -> serde_json::Result<Vec<u8>> {
    let inventory = std::mem::take(&mut scan.inventory);
    let (systems, obligations) = (std::mem::take(&mut scan.systems), std::mem::take(&mut scan.obligations));
    let findings = std::mem::take(&mut scan.findings);
    let rest = engine_package::portable_bytes(scan);
    (scan.systems, scan.obligations, scan.findings) = (systems, obligations, findings);
    scan.inventory = inventory;
    rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::{CHAT, engine, write as put};
    use crate::{AnswerRequest, ScanRequest};

    /// Writes a result, with or without what was written before, and checks every text and digest against the plain writer of JSON.
    fn written(scan: &ScanResult, before: Option<(&ScanResult, &Texts)>) -> Texts {
        let mut copy = scan.clone();
        let done = write(&mut copy, before).unwrap();
        assert_eq!(copy, *scan);
        assert_eq!(done.json, serde_json::to_vec(scan).unwrap());
        assert_eq!(done.digests.stored, Digest::of(&done.json));
        let portable = engine_package::portable_bytes(scan).unwrap();
        assert_eq!(done.digests.portable, Digest::of(&portable));
        assert_eq!(done.scan.whole().unwrap(), done.json);
        done.texts
    }

    #[test]
    fn texts_taken_over_are_those_that_would_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let key = "sk-proj-9f8e7d6c5b4a39281706f5e4d3c2b1a0";
        put(dir.path(), "requirements.txt", "openai==1.51.0\n");
        for number in 0..5 {
            put(
                dir.path(),
                &format!("a{number}.py"),
                &format!("# {number}\n{CHAT}\nKEY{number} = \"{key}{number}\"\n"),
            );
        }
        let engine = engine(dir.path());
        let scan = || engine.scan(&ScanRequest::of(".")).unwrap();
        let mut scans = vec![scan()];
        put(dir.path(), "a2.py", &format!("\n\n{CHAT}"));
        scans.push(scan());
        put(
            dir.path(),
            "a0.py",
            &format!("KEY = \"{key}\"  # compliance-ignore: secret-ai-key -- a sample\n"),
        );
        scans.push(scan());
        let system = scans[0].systems[0].id.clone();
        let request = AnswerRequest {
            path: Some(".".to_owned()),
            answers: serde_json::from_value(json!({ format!("{system}.annex-iii-employment"): "none" })).unwrap(),
            by: Some("Ada Example".to_owned()),
            ..AnswerRequest::default()
        };
        engine.answer(&request).unwrap();
        scans.push(scan());
        let somebody = |scan: &ScanResult| engine_package::portable(scan).systems != scan.systems;
        assert!(somebody(&scans[3]) && !somebody(&scans[0]));
        for scan in &scans {
            let texts = written(scan, None);
            for next in &scans {
                written(next, Some((scan, &texts)));
            }
        }
    }
}
