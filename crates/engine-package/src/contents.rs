//! What lies in a package: its files, keys, heads and documents.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use engine_signing::{Digest, KeyId, PublicKey, Rotation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Where things lie in a package.
pub mod paths {
    /// How to check the package, for a person.
    pub const README: &str = "README.md";
    /// The entries of the chain, one on a line, as they are kept.
    pub const ENTRIES: &str = "evidence/entries.jsonl";
    /// The signed head of the chain.
    pub const HEAD: &str = "evidence/head.note";
    /// Heads that the machine remembers outside the project.
    pub const HEADS: &str = "evidence/remembered.json";
    /// Which claim rests on what.
    pub const MATRIX_JSON: &str = "claims/matrix.json";
    /// The same as a table.
    pub const MATRIX_CSV: &str = "claims/matrix.csv";
    /// Files that entries speak of.
    pub const DOCUMENTS: &str = "documents/index.json";
    /// The folder of the documents themselves.
    pub const DOCUMENT_FOLDER: &str = "documents/";
    /// Evaluations that entries record.
    pub const EVALS: &str = "evals/index.json";
    /// The folder of their results.
    pub const EVAL_FOLDER: &str = "evals/";
    /// The keys, and which one signs the package.
    pub const KEYS: &str = "keys/keys.json";
    /// The folder of the keys as PEM.
    pub const KEY_FOLDER: &str = "keys/";
    /// The folder of the passports.
    pub const PASSPORT_FOLDER: &str = "passports/";
    /// The result of the last scan.
    pub const SCAN: &str = "scans/last.json";
    /// The folder of the JSON Schemas.
    pub const SCHEMA_FOLDER: &str = "schemas/";
    /// SHA-256 of the files above, for `sha256sum -c`.
    pub const CHECKSUMS: &str = "checksums.sha256";
    /// The list of all files above, with their digests.
    pub const MANIFEST: &str = "manifest.json";
    /// The signed statement about the manifest.
    pub const STATEMENT: &str = "statement.dsse.json";
    /// The folder of the chain. It comes first: what follows is chosen by its entries.
    pub(crate) const EVIDENCE_FOLDER: &str = "evidence/";
}

/// The place of a path in the order of a package: README, chain, the other files by path, and what is about all of them.
pub fn path_order(path: &str) -> (u8, &str) {
    let rank = match path {
        paths::README => 0,
        paths::CHECKSUMS => 3,
        paths::MANIFEST => 4,
        paths::STATEMENT => 5,
        other if other.starts_with(paths::EVIDENCE_FOLDER) => 1,
        _ => 2,
    };
    (rank, path)
}

/// A file of a package with its digests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileRecord {
    /// Path below the folder of the package.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hexadecimal digits.
    pub blake3: String,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
}

impl FileRecord {
    /// The record of a file whose bytes went through both hashers.
    pub(crate) fn new(path: String, bytes: u64, blake3: &blake3::Hasher, sha256: Sha256) -> Self {
        Self {
            path,
            bytes,
            blake3: blake3.finalize().to_hex().to_string(),
            sha256: HEXLOWER.encode(&sha256.finalize()),
        }
    }

    /// The record of a file that is at hand as a whole.
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        let mut blake3 = blake3::Hasher::new();
        blake3.update(bytes);
        Self::new(
            path.to_owned(),
            bytes.len() as u64,
            &blake3,
            Sha256::new().chain_update(bytes),
        )
    }
}

/// The manifest of a package: its files and their origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format.
    pub version: u32,
    /// The name of the chain; `null` before its first entry.
    pub chain: Option<String>,
    /// Entries of the chain.
    pub entries: u64,
    /// Time of the newest entry; the package knows no other time.
    pub newest_entry: Option<String>,
    /// Id of the scan whose result is in the package.
    pub scan: Option<String>,
    /// Version of the engine that wrote it.
    pub engine_version: String,
    /// Version of the regulation data.
    pub regulation_version: String,
    /// The files except the manifest and the statement, in the order of the archive.
    pub files: Vec<FileRecord>,
}

impl Manifest {
    /// The version that is written.
    pub const VERSION: u32 = 1;
}

/// Lines as `sha256sum -c` reads them.
pub fn checksums(files: &[FileRecord]) -> String {
    let mut text = String::new();
    for file in files {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{}  {}", file.sha256, file.path);
    }
    text
}

/// The keys that a package names. It trusts none of them by that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyList {
    /// The key that signs the package.
    pub signer: KeyId,
    /// The keys that the machine trusts.
    pub trusted: Vec<KeyRecord>,
    /// Statements by which one key took over from another, as the chain holds them.
    pub rotations: Vec<Rotation>,
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyRecord {
    /// Its short name.
    pub id: KeyId,
    /// The key, in base64.
    pub key: PublicKey,
    /// How the machine came to trust it.
    pub origin: String,
}

/// Heads that the machine remembers outside the project, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeadList {
    /// Signed notes.
    pub notes: Vec<String>,
}

/// Files that entries of the evidence chain refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentIndex {
    /// One record per path, in order of the paths.
    pub documents: Vec<DocumentRecord>,
}

/// The current status of a file, compared with the newest entry that refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentRecord {
    /// Path in the project.
    pub path: String,
    /// The sequence number of the newest entry that refers to it.
    pub seq: u64,
    /// The digest of the file in that entry.
    #[schemars(with = "String")]
    pub blake3: Digest,
    /// The current status of the file.
    pub standing: DocumentStanding,
    /// Its path in the package.
    pub file: Option<String>,
}

/// The current status of a file that an entry refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentStanding {
    /// Unchanged since the entry, and in the package.
    Included,
    /// Unchanged since the entry, but left out: it names people, or part of it looks like a secret.
    Withheld,
    /// Unchanged since the entry, but left out because it is too large.
    TooLarge,
    /// The content differs from that in the entry.
    Changed,
    /// The file does not exist.
    Gone,
}
