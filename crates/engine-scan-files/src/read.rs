//! Reads one file, and joins what was read.

use std::borrow::Borrow;

use engine_model::{Artefact, ArtefactKind, FileInfo, Language, SourceFile, Zone};
use serde::{Deserialize, Serialize};

use crate::kinds::DETECTORS;
use crate::view::View;

/// Bytes of a file that are looked at; what tells a file stands near its top.
const FILE_BYTES_MAX: usize = 512 * 1024;
/// Candidates that one file can give.
const CANDIDATES_MAX: usize = 64;

/// What was told of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// What the file could be, in the order of kinds and lines.
    pub candidates: Vec<Candidate>,
}

/// One thing that a file could be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Candidate {
    /// What it is.
    pub kind: ArtefactKind,
    /// Line of what told it, from 1.
    pub line: u32,
    /// What told it, in a few words; never a value of a secret.
    pub because: String,
    /// Days for which logs are kept, where they are stated.
    pub days: Option<u32>,
}

/// Whether a file can be one of the artefacts.
pub fn wants(path: &str, language: Language, zone: Zone) -> bool {
    // Nothing of these counts, whatever it is.
    if matches!(zone, Zone::Example | Zone::Vendored | Zone::Generated) {
        return false;
    }
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    if matches!(
        name,
        "package-lock.json"
            | "composer.lock"
            | "packages.lock.json"
            | "pnpm-lock.yaml"
            | "yarn.lock"
            | "cargo.lock"
            | "poetry.lock"
            | "uv.lock"
    ) {
        return false;
    }
    match language {
        Language::Markup
        | Language::Json
        | Language::Yaml
        | Language::Toml
        | Language::Xml
        | Language::Html
        | Language::Tsx
        | Language::Ruby => true,
        Language::JavaScript => name.ends_with('x'),
        // Files without a known ending hold most configuration: Dockerfile, CODEOWNERS, .env, *.tf, *.conf.
        Language::Other => !BINARY_ENDINGS.iter().any(|ending| name.ends_with(ending)),
        _ => false,
    }
}

/// Endings of files that hold no text.
const BINARY_ENDINGS: &[&str] = &[
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".ico",
    ".svg",
    ".pdf",
    ".zip",
    ".gz",
    ".tar",
    ".whl",
    ".jar",
    ".woff",
    ".woff2",
    ".ttf",
    ".otf",
    ".mp3",
    ".mp4",
    ".wav",
    ".onnx",
    ".pt",
    ".pth",
    ".bin",
    ".safetensors",
    ".gguf",
    ".pkl",
    ".npy",
    ".npz",
    ".parquet",
    ".h5",
    ".so",
    ".dll",
    ".dylib",
    ".exe",
    ".class",
    ".o",
    ".a",
    ".sqlite",
    ".db",
    ".csv",
    ".tsv",
    ".jsonl",
    ".lock",
    ".sum",
    ".c",
    ".cc",
    ".cpp",
    ".h",
    ".hpp",
    ".swift",
    ".scala",
    ".css",
    ".scss",
    ".less",
    ".map",
    ".snap",
    ".proto",
    ".sql",
];

/// What a file could be. Content that is no text gives nothing.
pub fn read(file: &SourceFile<'_>) -> FileFacts {
    let Some(text) = file.text() else {
        return FileFacts::default();
    };
    let mut end = text.len().min(FILE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let view = View::of(&file.path, file.language, &text[..end]);
    let mut candidates = Vec::new();
    for detect in DETECTORS {
        detect(&view, &mut candidates);
    }
    candidates.sort();
    candidates.dedup();
    candidates.truncate(CANDIDATES_MAX);
    FileFacts { candidates }
}

/// The artefacts of a project in the order of kind, path and line. `ignored_secrets` are files of environment values that
/// version control ignores, of which only the name was seen.
pub fn join<F: Borrow<FileFacts>>(facts: &[(FileInfo, F)], ignored_secrets: &[String]) -> Vec<Artefact> {
    let mut out = Vec::new();
    for (file, facts) in facts {
        let facts: &FileFacts = facts.borrow();
        for candidate in facts
            .candidates
            .iter()
            .filter(|candidate| counts(file.zone, candidate.kind))
        {
            let listed = candidate.kind == ArtefactKind::SecretsFile && ignored_secrets.contains(&file.path);
            out.push(Artefact {
                kind: candidate.kind,
                file: file.path.clone(),
                line: candidate.line,
                because: if listed {
                    format!("{}{LISTED}", candidate.because)
                } else {
                    candidate.because.clone()
                },
                days: candidate.days,
            });
        }
    }
    let read: Vec<&str> = facts.iter().map(|(file, _)| file.path.as_str()).collect();
    for path in ignored_secrets.iter().filter(|path| !read.contains(&path.as_str())) {
        out.push(Artefact {
            kind: ArtefactKind::SecretsFile,
            file: path.clone(),
            line: 1,
            because: IGNORED.to_owned(),
            days: None,
        });
    }
    out.sort();
    out.dedup();
    out
}

/// Suffix of the reason for a file that ignore rules match in a folder without version control.
pub(crate) const LISTED: &str = "; an ignore rule matches the file";

/// Reason for a secrets file that version control ignores.
pub(crate) const IGNORED: &str = "ignored by version control; only the file name was read";

/// Whether a file of a zone can be an artefact of a kind. Suites of evaluations lie among tests, policies among documents.
fn counts(zone: Zone, kind: ArtefactKind) -> bool {
    match zone {
        Zone::Product => true,
        Zone::Docs => !matches!(
            kind,
            ArtefactKind::DisclosureNotice
                | ArtefactKind::ApplicationManifest
                | ArtefactKind::LibraryManifest
                | ArtefactKind::Deployment
                | ArtefactKind::ContainerImage
                | ArtefactKind::LogConfiguration
                | ArtefactKind::PromptFile
        ),
        Zone::Test => kind == ArtefactKind::Evaluation,
        Zone::Example | Zone::Vendored | Zone::Generated => false,
    }
}
