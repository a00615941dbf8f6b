//! The audit package of a project: all that a stranger needs to check its evidence, and nothing that is not theirs to see.
//!
//! The same state gives the same bytes: the order is fixed, and the only time is that of the newest entry.
//! Whatever is wrong with the chain is packed as it is, for the verifier to find.

mod schemas;

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};

use engine_evidence::{Entry, EntryType, Remembered, Stated};
use engine_model::{ErrorCode, Failure, ScanResult};
use engine_package::{
    DocumentIndex, DocumentRecord, DocumentStanding, EvalIndex, EvalIndexed, EvalStanding, Finished, HeadList, KeyList,
    KeyRecord, Manifest, Matrix, Statement, Writer, checksums, path_is_plain, paths, portable, portable_bytes,
};
use engine_regulation::regulation;
use engine_signing::{Digest, Rotation, Trust};
use engine_store::{EvidenceSnapshot, Keys, RunState, Store, StoreError};
use serde_json::Value;
use tempfile::SpooledTempFile;

use crate::evals::portable_result;
use crate::project::{ProjectState, conflict};
use crate::{Engine, VERSION};

pub use schemas::audit_package_schemas;

/// A longer document is named in the package and not part of it.
const DOCUMENT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Documents and passports of a package, each.
const DOCUMENTS_MAX: usize = 2_000;

/// A longer package goes to the disk while it is made.
const MEMORY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The folder of the passports in the project.
const PASSPORTS: &str = ".compliance/passports/";

/// Rotations of keys that are listed; the chain holds them all.
const ROTATIONS_MAX: u32 = 1_000;

/// Bytes of all results of evaluations in a package; the newest come first.
const EVALS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How a machine comes to trust a key, where it is not a person's own words.
const ORIGINS: [&str; 2] = ["made on this machine", "given by the environment"];

/// An audit package that was made.
#[derive(Debug)]
pub struct AuditPackage {
    out: SpooledTempFile,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// A name for it as a file; it says which chain and how many entries.
    pub name: String,
}

impl Read for AuditPackage {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.out.read(buffer)
    }
}

/// What the package is made of, before its bytes are written.
struct Parts<'a> {
    state: &'a ProjectState,
    store: &'a Store,
    keys: Keys,
    notes: Vec<String>,
    snapshot: EvidenceSnapshot,
    scan: Option<(ScanResult, Entry)>,
}

/// What the chain tells while it is packed.
#[derive(Default)]
struct Told {
    artifacts: BTreeMap<String, Stated>,
    newest: Option<String>,
    /// The newest entry of each evaluation and run of attacks.
    runs: BTreeMap<String, Entry>,
}

/// Evaluations, with the results that go into the package, by their places.
#[derive(Default)]
struct Evals {
    index: EvalIndex,
    files: BTreeMap<String, Vec<u8>>,
}

type Out = Writer<SpooledTempFile>;

impl Engine {
    /// Makes the audit package of a project. Nothing is recorded by that, and nothing in the project changes.
    pub fn audit_package(&self, path: Option<&str>) -> Result<AuditPackage, Failure> {
        let state = self.project_or_current(path)?;
        let notes = match &self.signer.user {
            Some(user) => {
                state.settle();
                user.notes(state.path()).map_err(|error| conflict(&error))?
            }
            None => Vec::new(),
        };
        // A passport that changes in between would be another one than the chain says.
        let _unchanged = state.passports();
        state.reading(|store| self.pack(&state, store, notes))?
    }

    fn pack(&self, state: &ProjectState, store: &Store, notes: Vec<String>) -> Result<AuditPackage, Failure> {
        let snapshot = store.evidence_snapshot().map_err(|error| conflict(&error))?;
        if snapshot.rows == 0 && notes.is_empty() {
            return Err(Failure::new(
                ErrorCode::NoScanYet,
                "this project has no recorded scan yet; scan it with POST /scan",
            ));
        }
        let parts = Parts {
            state,
            store,
            keys: self.signer.keys()?,
            notes,
            scan: last_scan(store).map_err(|error| conflict(&error))?,
            snapshot,
        };
        let finished = parts.write().map_err(|error| conflict(&error))?;
        let chain = parts.chain().unwrap_or_else(|| "none".to_owned());
        let plain: String = chain.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        Ok(AuditPackage {
            out: finished.out,
            bytes: finished.bytes,
            sha256: finished.sha256,
            name: format!("audit-package-{plain}-{}.tar.gz", parts.snapshot.rows),
        })
    }
}

/// The newest scan that is recorded, with its entry, if its result is still kept.
fn last_scan(store: &Store) -> Result<Option<(ScanResult, Entry)>, StoreError> {
    let Some(entry) = store.newest_evidence(EntryType::Scan, 1)?.pop() else {
        return Ok(None);
    };
    let id = entry.payload["scanId"].as_str().unwrap_or_default();
    match store.scan(id) {
        Ok(scan) => Ok(scan.map(|scan| (portable(&scan), entry))),
        Err(StoreError::ResultDropped { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Parts<'_> {
    fn chain(&self) -> Option<String> {
        Some(Remembered::from_note(self.snapshot.head.as_deref()?)?.chain)
    }

    fn write(&self) -> io::Result<Finished<SpooledTempFile>> {
        let mut out = Writer::new(SpooledTempFile::new(MEMORY_BYTES_MAX))?;
        let newest = self.newest()?;
        out.add(paths::README, self.readme(newest.as_deref()).as_bytes())?;
        let told = self.entries(&mut out)?;
        if let Some(head) = &self.snapshot.head {
            out.add(paths::HEAD, head.as_bytes())?;
        }
        let notes = HeadList {
            notes: self.notes.clone(),
        };
        out.add(paths::HEADS, &json(&notes)?)?;
        let evals = self.evals(&told.runs)?;
        if let Some(matrix) = self.matrix(&evals) {
            out.add(paths::MATRIX_CSV, matrix.csv().as_bytes())?;
            out.add(paths::MATRIX_JSON, matrix.json()?.as_bytes())?;
        }
        let stated = self.documents(&mut out, &told.artifacts)?;
        for (place, bytes) in &evals.files {
            out.add(place, bytes)?;
        }
        out.add(paths::EVALS, &json(&evals.index)?)?;
        self.key_files(&mut out)?;
        self.passports(&mut out, &stated)?;
        if let Some((scan, _)) = &self.scan {
            out.add(paths::SCAN, &portable_bytes(scan)?)?;
        }
        schemas::add(&mut out)?;
        let sums = checksums(out.files());
        out.add(paths::CHECKSUMS, sums.as_bytes())?;
        let manifest = Manifest {
            version: Manifest::VERSION,
            chain: self.chain(),
            entries: self.snapshot.rows,
            newest_entry: told.newest,
            scan: self.scan.as_ref().map(|(scan, _)| scan.id.clone()),
            engine_version: VERSION.to_owned(),
            regulation_version: regulation().version().id.clone(),
            files: out.files().to_vec(),
        };
        let bytes = json(&manifest)?;
        out.add(paths::MANIFEST, &bytes)?;
        let statement = Statement::about(&manifest, &bytes)
            .sign(&self.keys.secret)
            .map_err(io::Error::other)?;
        out.add(paths::STATEMENT, statement.as_bytes())?;
        let mut finished = out.finish()?;
        finished.out.seek(SeekFrom::Start(0))?;
        Ok(finished)
    }

    /// The time of the last entry, for the README; the manifest has it from the entries as they were packed.
    fn newest(&self) -> io::Result<Option<String>> {
        let rows = self
            .store
            .evidence_rows(self.snapshot.last.checked_sub(1), self.snapshot.last)
            .map_err(io::Error::other)?;
        Ok(rows
            .last()
            .and_then(|(_, text)| read(text))
            .map(|entry| entry.timestamp))
    }

    fn readme(&self, newest: Option<&str>) -> String {
        let chain = self.chain();
        let scan = self.scan.as_ref().map(|(scan, _)| scan.id.as_str());
        include_str!("audit_readme.md")
            .replace("{chain}", chain.as_deref().unwrap_or("none"))
            .replace("{entries}", &self.snapshot.rows.to_string())
            .replace("{newest}", newest.unwrap_or("no time"))
            .replace("{scan}", scan.unwrap_or("none"))
            .replace("{engine}", VERSION)
            .replace("{rules}", &regulation().version().id)
            .replace("{signer}", self.keys.secret.public().id().as_str())
    }

    fn entries(&self, out: &mut Out) -> io::Result<Told> {
        let mut told = Told::default();
        let snapshot = &self.snapshot;
        let mut file = out.begin(paths::ENTRIES, snapshot.bytes + snapshot.rows)?;
        let mut after = None;
        loop {
            let rows = self
                .store
                .evidence_rows(after, snapshot.last)
                .map_err(io::Error::other)?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            for (_, mut text) in rows {
                // No entry holds a line break, so where one is the text is another anyway.
                text.iter_mut()
                    .filter(|byte| **byte == b'\n')
                    .for_each(|byte| *byte = b' ');
                file.write(&text)?;
                file.write(b"\n")?;
                if let Some(entry) = read(&text) {
                    entry.tell(&mut told.artifacts);
                    told.newest = Some(entry.timestamp.clone());
                    if let Some(run) = engine_package::run_of(&entry) {
                        told.runs.insert(run.to_owned(), entry);
                    }
                }
            }
        }
        file.end()?;
        Ok(told)
    }

    /// The evaluations that entries record. A result that is not the recorded one is packed as it is, for the verifier to find.
    fn evals(&self, runs: &BTreeMap<String, Entry>) -> io::Result<Evals> {
        let mut newest: Vec<(&String, &Entry)> = runs.iter().collect();
        newest.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.seq));
        let mut evals = Evals::default();
        let mut room = EVALS_BYTES_MAX;
        for (run, entry) in newest {
            let stated = |name: &str| entry.payload["result"][name].as_str()?.parse::<Digest>().ok();
            let mut record = EvalIndexed {
                run: run.clone(),
                kind: entry.kind.as_str().to_owned(),
                seq: entry.seq,
                entry: entry.hash,
                blake3: stated("blake3").filter(|_| stated("stored").is_some()),
                standing: EvalStanding::LeftOut,
                file: None,
            };
            let row = self.store.eval(run).map_err(io::Error::other)?;
            let under_way = row.is_some_and(|row| row.state == RunState::Running);
            match self.store.eval_bytes(run).map_err(io::Error::other)? {
                None => record.standing = EvalStanding::Gone,
                Some(bytes) if !under_way => {
                    // What is no JSON any more is packed as it is.
                    let as_kept = stated("stored") == Some(Digest::of(&bytes));
                    let portable = portable_result(&bytes, self.state.path()).unwrap_or(bytes);
                    let as_recorded = record.blake3 == Some(Digest::of(&portable));
                    if let Some(blake3) = record.blake3.filter(|_| as_recorded || !as_kept)
                        && portable.len() <= room
                    {
                        room -= portable.len();
                        let place = EvalIndexed::place(entry.seq, &blake3);
                        evals.files.insert(place.clone(), portable);
                        record.standing = EvalStanding::Included;
                        record.file = Some(place);
                    }
                }
                Some(_) => {}
            }
            evals.index.runs.push(record);
        }
        evals.index.runs.reverse();
        Ok(evals)
    }

    /// The claims of the scan and what evaluations showed; none where there is neither.
    fn matrix(&self, evals: &Evals) -> Option<Matrix> {
        let results: BTreeMap<&String, Value> = evals
            .files
            .iter()
            .map(|(place, bytes)| (place, serde_json::from_slice(bytes).unwrap_or_default()))
            .collect();
        let runs: Vec<(&EvalIndexed, &Value)> = evals
            .index
            .runs
            .iter()
            .filter_map(|record| Some((record, results.get(record.file.as_ref()?)?)))
            .collect();
        let claims = match &self.scan {
            Some((scan, entry)) => Matrix::of(scan, entry.seq, entry.hash),
            None if runs.is_empty() => return None,
            None => Matrix::default(),
        };
        Some(claims.with_evaluations(&runs))
    }

    /// Writes the documents and their index; the passports that the index counts on come back by their place.
    fn documents(&self, out: &mut Out, artifacts: &BTreeMap<String, Stated>) -> io::Result<BTreeMap<String, Digest>> {
        let mut passports = BTreeMap::new();
        let mut documents = Vec::with_capacity(artifacts.len());
        // By their place in the package, so that they are written in order and none twice.
        let mut included: BTreeMap<String, &str> = BTreeMap::new();
        for (path, stated) in artifacts {
            let mut standing = self.standing(path, stated);
            let mut file = None;
            if standing == DocumentStanding::Included {
                if let Some(place) = passport_place(path) {
                    passports.insert(place.clone(), stated.blake3);
                    file = Some(place);
                } else if included.len() < DOCUMENTS_MAX {
                    let place = format!("{}{}{}", paths::DOCUMENT_FOLDER, short(&stated.blake3), ending(path));
                    included.insert(place.clone(), path);
                    file = Some(place);
                } else {
                    standing = DocumentStanding::TooLarge;
                }
            }
            documents.push(DocumentRecord {
                path: path.clone(),
                seq: stated.seq,
                blake3: stated.blake3,
                standing,
                file,
            });
        }
        for (place, path) in included {
            let bytes = self.read(path).unwrap_or_default();
            if Some(Digest::of(&bytes)) != artifacts.get(path).map(|stated| stated.blake3) {
                return Err(changed(path));
            }
            out.add(&place, &bytes)?;
        }
        out.add(paths::DOCUMENTS, &json(&DocumentIndex { documents })?)?;
        Ok(passports)
    }

    fn standing(&self, path: &str, stated: &Stated) -> DocumentStanding {
        let Some(bytes) = self.read(path) else {
            return DocumentStanding::Gone;
        };
        if Digest::of(&bytes) != stated.blake3 {
            DocumentStanding::Changed
        } else if bytes.len() as u64 > DOCUMENT_BYTES_MAX {
            DocumentStanding::TooLarge
        } else if path == crate::profile::shown() || path == crate::baseline::shown() || holds_a_secret(path, &bytes) {
            // Both name people; entries state each answer by digest, and a baseline by counts.
            DocumentStanding::Withheld
        } else {
            DocumentStanding::Included
        }
    }

    /// A file of the project, below its root and through no link.
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let limits = engine_project::Limits::default();
        engine_project::read_files(self.state.root(), &limits, &[path], &|file| file.bytes.to_vec())
            .pop()
            .flatten()
            .map(|(_, bytes)| bytes)
    }

    fn key_files(&self, out: &mut Out) -> io::Result<()> {
        let list = KeyList {
            signer: self.keys.secret.public().id(),
            trusted: trusted(&self.keys.trust),
            rotations: self
                .store
                .newest_evidence(EntryType::KeyRotation, ROTATIONS_MAX)
                .map_err(io::Error::other)?
                .into_iter()
                .rev()
                .filter_map(|entry| serde_json::from_value::<Rotation>(entry.payload).ok())
                .collect(),
        };
        let pems: BTreeMap<String, String> = list
            .trusted
            .iter()
            .filter_map(|record| {
                let place = format!("{}{}.pem", paths::KEY_FOLDER, record.id);
                Some((place, record.key.to_pem().ok()?))
            })
            .collect();
        for (place, pem) in pems {
            out.add(&place, pem.as_bytes())?;
        }
        out.add(paths::KEYS, &json(&list)?)
    }

    fn passports(&self, out: &mut Out, stated: &BTreeMap<String, Digest>) -> io::Result<()> {
        let names = self
            .state
            .state_list("passports")
            .map_err(|failure| io::Error::other(failure.details))?;
        let mut files = BTreeMap::new();
        for name in names {
            let path = format!("{PASSPORTS}{name}");
            let Some(place) = passport_place(&path).filter(|_| files.len() < DOCUMENTS_MAX) else {
                continue;
            };
            if let Some(bytes) = self.read(&path).filter(|bytes| !holds_a_secret(&path, bytes)) {
                files.insert(place, bytes);
            }
        }
        if let Some((place, _)) = stated
            .iter()
            .find(|(place, digest)| files.get(*place).is_none_or(|bytes| Digest::of(bytes) != **digest))
        {
            return Err(changed(place));
        }
        for (place, bytes) in files {
            out.add(&place, &bytes)?;
        }
        Ok(())
    }
}

fn changed(path: &str) -> io::Error {
    io::Error::other(format!("`{path}` changed during packing; try again"))
}

/// An entry, if the text is one.
fn read(text: &[u8]) -> Option<Entry> {
    Entry::read(std::str::from_utf8(text).ok()?).ok()
}

fn json<T: serde::Serialize>(value: &T) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.write_all(b"\n")?;
    Ok(bytes)
}

/// The trusted keys. What a person wrote about a key may name people, so it stays here.
fn trusted(trust: &Trust) -> Vec<KeyRecord> {
    let mut keys: Vec<KeyRecord> = trust
        .keys()
        .iter()
        .map(|trusted| {
            let told = ORIGINS.contains(&trusted.origin.as_str()) || trusted.origin.starts_with("handed over by ");
            KeyRecord {
                id: trusted.key.id(),
                key: trusted.key,
                origin: if told {
                    trusted.origin.clone()
                } else {
                    "pinned by hand".to_owned()
                },
            }
        })
        .collect();
    keys.sort_by(|a, b| a.id.cmp(&b.id));
    keys
}

/// Where a passport lies in the package: under its own name, or under a digest of it where the name is not plain.
fn passport_place(path: &str) -> Option<String> {
    let name = path.strip_prefix(PASSPORTS)?;
    let slug = name.strip_suffix(".json")?;
    if slug.contains('/') {
        return None;
    }
    let place = format!("{}{name}", paths::PASSPORT_FOLDER);
    Some(if path_is_plain(&place) {
        place
    } else {
        format!("{}{}.json", paths::PASSPORT_FOLDER, short(&Digest::of(name.as_bytes())))
    })
}

fn short(digest: &Digest) -> String {
    digest.to_string().chars().take(32).collect()
}

/// The ending of a file where it is a plain one, so that a person can open the copy.
fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ending)) if (1..=8).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            format!(".{}", ending.to_ascii_lowercase())
        }
        _ => String::new(),
    }
}

/// Whether something in a file looks like a secret. It errs on the side of leaving a file out: its digest is told anyway.
pub(crate) fn holds_a_secret(path: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // A passport holds keys and signatures, which look like secrets to the wider net.
    let suspicious = !path.starts_with(PASSPORTS) && text.lines().any(suspicious);
    if suspicious {
        return true;
    }
    engine_project::is_secret_name(path.rsplit('/').next().unwrap_or(path)) || engine_scan_secrets::mask(&text) != text
}

/// Whether the wider net for secrets takes something out of a line. Digests look like secrets to it, and documents name them.
fn suspicious(line: &str) -> bool {
    let plain: String = line
        .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| {
            let word = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            word.len() < 7 || !word.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
        .collect();
    engine_scanner::mask_secrets(&plain) != plain
}
