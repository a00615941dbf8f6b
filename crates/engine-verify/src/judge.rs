//! The checks, one after the other.

use std::collections::BTreeSet;

use engine_evidence::{Remembered, Report, Verdict};
use engine_package::{
    DocumentIndex, DocumentStanding, FileRecord, HeadList, KeyList, Manifest, Statement, checksums, paths,
};
use engine_signing::{Domain, KeyId, PublicKey, Signature, Trust, canonical, parse};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chain::Chain;
use crate::gather::Gathered;
use crate::outcome::{Check, CheckOutcome, Fault, FaultKind, Outcome};
use crate::{Options, Trusted, signed_a_kept_head};

/// A judgement that is under way.
pub(crate) struct Judge {
    pub(crate) gathered: Gathered,
    checks: Vec<Check>,
    faults: Vec<Fault>,
    notices: Vec<String>,
    best: Verdict,
}

/// The signature of a passport.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PassportSignature {
    algorithm: String,
    key_id: String,
    public_key: String,
    value: String,
}

impl Judge {
    pub(crate) const fn new(gathered: Gathered) -> Self {
        Self {
            gathered,
            checks: Vec::new(),
            faults: Vec::new(),
            notices: Vec::new(),
            best: Verdict::FirstUse,
        }
    }

    pub(crate) fn fault(&mut self, kind: FaultKind, verdict: Verdict, file: &str, message: impl Into<String>) {
        self.faults.push(Fault {
            kind,
            verdict,
            file: (!file.is_empty()).then(|| file.to_owned()),
            seq: None,
            message: message.into(),
        });
    }

    pub(crate) fn notice(&mut self, notice: impl Into<String>) {
        self.notices.push(notice.into());
    }

    /// Closes a check: it failed if a fault was added since `before`.
    pub(crate) fn close(&mut self, name: &'static str, before: usize, detail: impl Into<String>) {
        let failed = self.faults.len() > before;
        self.checks.push(Check {
            name,
            outcome: if failed {
                CheckOutcome::Failed
            } else {
                CheckOutcome::Passed
            },
            detail: if failed {
                format!("{} faults (listed below)", self.faults.len() - before)
            } else {
                detail.into()
            },
        });
    }

    pub(crate) fn skip(&mut self, name: &'static str, detail: impl Into<String>) {
        self.checks.push(Check {
            name,
            outcome: CheckOutcome::NotChecked,
            detail: detail.into(),
        });
    }

    pub(crate) fn count(&self) -> usize {
        self.faults.len()
    }

    /// A file as JSON of a known shape; a fault where it lacks or is something else.
    pub(crate) fn json<T: DeserializeOwned>(&mut self, path: &str, kind: FaultKind) -> Option<T> {
        let Some(bytes) = self.gathered.kept.get(path) else {
            self.fault(kind, Verdict::Missing, path, "the file is not in the package");
            return None;
        };
        let read = parse(bytes)
            .map_err(|error| error.to_string())
            .and_then(|value| serde_json::from_value(value).map_err(|error| error.to_string()));
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault(
                    kind,
                    Verdict::Corrupt,
                    path,
                    format!("could not read the file: {error}"),
                );
                None
            }
        }
    }

    /// The manifest, held against every file.
    pub(crate) fn manifest(&mut self) -> Option<Manifest> {
        let before = self.count();
        let Some(manifest) = self.json::<Manifest>(paths::MANIFEST, FaultKind::Manifest) else {
            self.close("files", before, "");
            return None;
        };
        if manifest.version != Manifest::VERSION {
            self.fault(
                FaultKind::Manifest,
                Verdict::Corrupt,
                paths::MANIFEST,
                format!(
                    "this verifier does not know version {} of the manifest",
                    manifest.version
                ),
            );
        }
        let mut listed = BTreeSet::new();
        for file in &manifest.files {
            let path = file.path.as_str();
            match self.gathered.files.get(path) {
                None => self.fault(
                    FaultKind::File,
                    Verdict::Missing,
                    path,
                    "listed in the manifest, but not in the package",
                ),
                Some(found) if found != file => {
                    self.fault(
                        FaultKind::File,
                        Verdict::Tampered,
                        path,
                        "the content differs from the manifest",
                    );
                }
                Some(_) => {}
            }
            listed.insert(path);
        }
        let own = [paths::MANIFEST, paths::STATEMENT];
        let more: Vec<String> = self
            .gathered
            .files
            .keys()
            .filter(|path| !listed.contains(path.as_str()) && !own.contains(&path.as_str()))
            .cloned()
            .collect();
        for path in more {
            self.fault(
                FaultKind::File,
                Verdict::Tampered,
                &path,
                "in the package, but not listed in the manifest",
            );
        }
        let summed: Vec<FileRecord> = manifest
            .files
            .iter()
            .filter(|file| file.path != paths::CHECKSUMS)
            .cloned()
            .collect();
        let sums = self
            .gathered
            .kept
            .get(paths::CHECKSUMS)
            .map(Vec::as_slice)
            .unwrap_or_default();
        if sums != checksums(&summed).as_bytes() {
            self.fault(
                FaultKind::File,
                Verdict::Tampered,
                paths::CHECKSUMS,
                "the checksums differ from the manifest",
            );
        }
        self.close(
            "files",
            before,
            format!("{} files match the manifest", manifest.files.len()),
        );
        Some(manifest)
    }

    /// The keys that the package names.
    pub(crate) fn keys(&mut self) -> Option<KeyList> {
        let before = self.count();
        let keys = self.json::<KeyList>(paths::KEYS, FaultKind::Key);
        for record in keys.iter().flat_map(|keys| &keys.trusted) {
            let place = format!("{}{}.pem", paths::KEY_FOLDER, record.id);
            let pem = self.gathered.kept.get(&place);
            let same = record.key.id() == record.id && record.key.to_pem().ok().map(String::into_bytes).as_ref() == pem;
            if !same {
                self.fault(
                    FaultKind::Key,
                    Verdict::Tampered,
                    &place,
                    "the key differs from the one in `keys.json`",
                );
            }
        }
        let count = keys.as_ref().map_or(0, |keys| keys.trusted.len());
        self.close(
            "keys",
            before,
            format!("keys listed: {count}; listing alone does not make a key trusted"),
        );
        keys
    }

    /// The signed statement. The key that signed comes back.
    pub(crate) fn statement(&mut self, manifest: Option<&Manifest>, keys: Option<&KeyList>) -> Option<PublicKey> {
        let before = self.count();
        let (Some(manifest), Some(keys)) = (manifest, keys) else {
            self.skip("statement", "cannot be checked without the manifest and the keys");
            return None;
        };
        let signer = keys.trusted.iter().find(|record| record.id == keys.signer);
        let Some(signer) = signer.map(|record| record.key) else {
            self.fault(
                FaultKind::Key,
                Verdict::Missing,
                paths::KEYS,
                "the key that signed the package is not among its keys",
            );
            self.close("statement", before, "");
            return None;
        };
        let kept = &self.gathered.kept;
        let bytes = kept.get(paths::MANIFEST).map(Vec::as_slice).unwrap_or_default();
        let verified = kept
            .get(paths::STATEMENT)
            .map(|envelope| Statement::verify(envelope, &signer, manifest, bytes));
        match verified {
            None => self.fault(
                FaultKind::Statement,
                Verdict::Missing,
                paths::STATEMENT,
                "the file is not in the package",
            ),
            Some(Err(error)) => {
                self.fault(
                    FaultKind::Statement,
                    Verdict::Tampered,
                    paths::STATEMENT,
                    error.to_string(),
                );
            }
            Some(Ok(())) => {}
        }
        self.close(
            "statement",
            before,
            format!("the manifest is signed by the key {}", signer.id()),
        );
        (self.count() == before).then_some(signer)
    }

    /// The head of the chain, and the heads that the machine remembers.
    pub(crate) fn heads(&mut self) -> (Option<String>, Vec<String>) {
        let head = self
            .gathered
            .kept
            .get(paths::HEAD)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let notes = self
            .json::<HeadList>(paths::HEADS, FaultKind::Chain)
            .unwrap_or_default()
            .notes;
        if let Some(bad) = notes.iter().find(|note| Remembered::from_note(note).is_none()) {
            let shown: String = bad.chars().take(40).collect();
            self.fault(
                FaultKind::Chain,
                Verdict::Corrupt,
                paths::HEADS,
                format!("`{shown}` is not a chain head"),
            );
        }
        (head, notes)
    }

    /// Which keys count. The key list of the package counts if a known key signed it.
    pub(crate) fn trust(
        &mut self,
        options: &Options,
        keys: Option<&KeyList>,
        signer: Option<&PublicKey>,
        head: Option<&str>,
        notes: &[String],
    ) -> Trusted {
        let mut trust = Trust::default();
        for key in &options.pins {
            trust.pin(*key, "pinned");
        }
        let named = keys.map(|keys| keys.trusted.as_slice()).unwrap_or_default();
        for record in named.iter().filter(|record| signed_a_kept_head(options, &record.key)) {
            trust.pin(record.key, "signed a head that was kept");
        }
        let known = !trust.keys().is_empty();
        let mut rotations = keys.map(|keys| keys.rotations.clone()).unwrap_or_default();
        // A rotation counts once the key that hands over is trusted, whatever the order of the list.
        while let Some(at) = rotations.iter().position(|rotation| trust.follow(rotation).is_ok()) {
            rotations.remove(at);
        }
        let vouched = known && signer.is_some_and(|signer| trust.get(&signer.id()).is_some());
        let asked = !options.pins.is_empty() || !options.heads.is_empty();
        if vouched || !asked {
            for record in named {
                trust.pin(record.key, &record.origin);
            }
        }
        if let Some(signer) = signer
            && asked
            && !vouched
        {
            let verdict = Verdict::ForeignKey;
            let message = format!(
                "no key or head that you gave vouches for the key {} that signed the package",
                signer.id()
            );
            self.fault(FaultKind::Key, verdict, paths::STATEMENT, message);
        }
        if vouched {
            self.best = Verdict::Valid;
        } else if !asked {
            self.notice(
                "no key was pinned; compare the key with its owner through another channel, then check again with --pin",
            );
        }
        // Whose heads they are is told by their names only; a signature of an unknown key says no less than the statement.
        if head.is_none() && notes.is_empty() {
            self.notice("the package contains no head of the chain");
        }
        Trusted { trust, vouched }
    }

    /// The chain as a whole, and what the manifest says of it.
    pub(crate) fn chain(&mut self, manifest: Option<&Manifest>, chain: &Chain) {
        let before = self.count();
        let report = &chain.report;
        for issue in &report.issues {
            match issue.verdict {
                Some(verdict) => self.faults.push(Fault {
                    kind: FaultKind::Chain,
                    verdict,
                    file: Some(paths::ENTRIES.to_owned()),
                    seq: issue.seq,
                    message: issue.message.clone(),
                }),
                None if report.verdict == Verdict::FirstUse => {}
                None => self.notices.push(issue.message.clone()),
            }
        }
        if chain.blake3 != self.gathered.files.get(paths::ENTRIES).map(|file| file.blake3.clone()) {
            self.fault(
                FaultKind::Archive,
                Verdict::Corrupt,
                paths::ENTRIES,
                "the file changed while it was read",
            );
        }
        if let Some(manifest) = manifest {
            let name = report
                .head
                .as_deref()
                .and_then(Remembered::from_note)
                .map(|head| head.chain);
            let same = (manifest.entries, &manifest.newest_entry, &manifest.chain)
                == (report.entries, &report.last_entry, &name);
            if !same {
                self.fault(
                    FaultKind::Manifest,
                    Verdict::Tampered,
                    paths::MANIFEST,
                    "the chain name, number of entries or newest time differs from the chain",
                );
            }
        }
        self.close(
            "chain",
            before,
            format!(
                "{} entries, each linked and signed; the head matches them",
                report.entries
            ),
        );
    }

    /// The documents, held against the index and the entries.
    pub(crate) fn documents(&mut self, chain: &Chain) {
        let before = self.count();
        let Some(index) = self.json::<DocumentIndex>(paths::DOCUMENTS, FaultKind::Document) else {
            self.close("documents", before, "");
            return;
        };
        let mut placed: BTreeSet<&str> = BTreeSet::from([paths::DOCUMENTS]);
        let mut named = BTreeSet::new();
        for record in &index.documents {
            let stated = chain.artifacts.get(&record.path);
            named.insert(record.path.as_str());
            if stated.map(|stated| (stated.blake3, stated.seq)) != Some((record.blake3, record.seq)) {
                let message = format!("entry {} does not match this record of `{}`", record.seq, record.path);
                self.fault(FaultKind::Document, Verdict::Tampered, paths::DOCUMENTS, message);
            }
            let included = record.standing == DocumentStanding::Included;
            match &record.file {
                Some(file) if included => {
                    let same = self
                        .gathered
                        .files
                        .get(file)
                        .is_some_and(|found| found.blake3 == record.blake3.to_string());
                    if !same {
                        let message = format!("the content differs from `{}` in entry {}", record.path, record.seq);
                        self.fault(FaultKind::Document, Verdict::Tampered, file, message);
                    }
                    placed.insert(file);
                }
                None if !included => {
                    let word = match record.standing {
                        DocumentStanding::Changed => "was changed after",
                        DocumentStanding::Gone => "has been missing from the project since",
                        _ => "is not in the package; when packed, it matched",
                    };
                    self.notice(format!("`{}` {word} entry {}", record.path, record.seq));
                }
                _ => {
                    let message = format!("the record of `{}` contradicts itself", record.path);
                    self.fault(FaultKind::Document, Verdict::Tampered, paths::DOCUMENTS, message);
                }
            }
        }
        for path in chain.artifacts.keys().filter(|path| !named.contains(path.as_str())) {
            let message = format!("entries mention `{path}`, but the index does not list it");
            self.fault(FaultKind::Document, Verdict::Missing, paths::DOCUMENTS, message);
        }
        let more: Vec<String> = self
            .gathered
            .files
            .keys()
            .filter(|path| path.starts_with(paths::DOCUMENT_FOLDER) && !placed.contains(path.as_str()))
            .cloned()
            .collect();
        for path in more {
            self.fault(
                FaultKind::Document,
                Verdict::Tampered,
                &path,
                "no chain entry mentions this file",
            );
        }
        self.close(
            "documents",
            before,
            format!("documents that match the chain entries: {}", placed.len() - 1),
        );
    }

    /// The passports, each by its own signature.
    pub(crate) fn passports(&mut self, trusted: &Trusted, options: &Options, chain: &Report) {
        let before = self.count();
        let files: Vec<(String, Vec<u8>)> = self
            .gathered
            .kept
            .iter()
            .filter(|(path, _)| path.starts_with(paths::PASSPORT_FOLDER))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect();
        if files.is_empty() {
            self.skip("passports", "the package contains no passports");
            return;
        }
        for (path, bytes) in &files {
            match passport_key(bytes) {
                None => self.fault(
                    FaultKind::Passport,
                    Verdict::Tampered,
                    path,
                    "the signature is not valid",
                ),
                Some(id) if trusted.trust.get(&id).is_some() => {}
                // What the chain says of a key that signs in it holds for what else it signed.
                Some(id) if chain.first_use_keys.contains(&id.to_string()) => self.notice(format!(
                    "{path} is signed by the key {id}, which is on trust since first use of the chain"
                )),
                Some(id) if chain.valid && trusted.vouched && chain.keys.contains(&id.to_string()) => {}
                Some(id) if trusted.vouched || !options.pins.is_empty() => {
                    let message = format!("signed by the key {id}, which is not trusted");
                    self.fault(FaultKind::Passport, Verdict::ForeignKey, path, message);
                }
                Some(id) => self.notice(format!(
                    "{path} is signed by the key {id}, which is not listed in the package"
                )),
            }
        }
        self.close(
            "passports",
            before,
            format!("passports with valid signatures: {}", files.len()),
        );
    }

    pub(crate) fn finish(self, manifest: Option<Manifest>, signer: Option<PublicKey>, chain: Chain) -> Outcome {
        let mut outcome = Outcome {
            valid: false,
            verdict: self.best,
            broken_at: None,
            chain: manifest.as_ref().and_then(|manifest| manifest.chain.clone()),
            entries: chain.report.entries,
            newest_entry: chain.report.last_entry.clone(),
            scan: manifest.and_then(|manifest| manifest.scan),
            signer: signer.map(|key| key.id().to_string()),
            public_key: signer.map(|key| key.to_string()),
            checks: self.checks,
            faults: self.faults,
            notices: self.notices,
            chain_report: Some(chain.report),
        };
        outcome.settle(self.best);
        outcome
    }
}

/// The key that signed a passport, if its signature fits.
fn passport_key(bytes: &[u8]) -> Option<KeyId> {
    let Value::Object(mut members) = parse(bytes).ok()? else {
        return None;
    };
    let signature: PassportSignature = serde_json::from_value(members.remove("signature")?).ok()?;
    let key = PublicKey::parse(&signature.public_key).ok()?;
    let value: Signature = signature.value.parse().ok()?;
    let message = canonical(&members).ok()?;
    let spelled = signature.algorithm == "ed25519"
        && signature.key_id == key.id().as_str()
        && signature.public_key == key.to_string();
    (spelled && key.verify(Domain::Passport, &message, &value).is_ok()).then(|| key.id())
}
