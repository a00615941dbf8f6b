//! Reads one file.

use std::borrow::Cow;

use engine_model::{Language, SourceFile, Zone};

use crate::facts::{Secret, SecretFacts};
use crate::find::{self, Surroundings, find};

/// Endings of files in which no person writes secrets: pictures, archives, styles, lockfiles, maps.
const ENDINGS_OUT: &[&str] = &[
    "svg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "ico",
    "bmp",
    "avif",
    "pdf",
    "zip",
    "gz",
    "tgz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "tar",
    "jar",
    "war",
    "class",
    "so",
    "dll",
    "dylib",
    "exe",
    "bin",
    "wasm",
    "o",
    "a",
    "pyc",
    "woff",
    "woff2",
    "ttf",
    "eot",
    "otf",
    "mp3",
    "mp4",
    "webm",
    "mov",
    "avi",
    "wav",
    "ogg",
    "flac",
    "css",
    "scss",
    "less",
    "sass",
    "map",
    "lock",
    "sum",
    "po",
    "pot",
    "mo",
    "onnx",
    "pt",
    "pth",
    "safetensors",
    "gguf",
    "npy",
    "npz",
    "parquet",
    "arrow",
    "pkl",
    "h5",
    "db",
    "sqlite",
    "sqlite3",
];

/// Names of lockfiles, and of files that a tool writes the same for everybody, whose ending does not say so.
const NAMES_OUT: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lockb",
    "packages.lock.json",
    "gradle.lockfile",
    "deno.lock",
    "pipfile.lock",
    "composer.lock",
    "project.assets.json",
    "paket.lock",
    "flake.lock",
    "module.bazel.lock",
    // What IIS Express writes for everybody, with keys that only the machine can open.
    "applicationhost.config",
    "administration.config",
    "redirection.config",
];

/// Whether the file is worth reading for secrets: nearly everything that is text.
pub fn wants(path: &str, language: Language, zone: Zone) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    if NAMES_OUT.contains(&name.as_str()) {
        return false;
    }
    if name
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ENDINGS_OUT.contains(&ending))
    {
        return false;
    }
    // Bundles hold the text of sources that are read elsewhere.
    let bundle = name.contains(".min.") || name.contains(".bundle.") || name.contains(".chunk.");
    !(bundle || zone == Zone::Generated && matches!(language, Language::JavaScript | Language::Html))
}

/// Finds the secrets of one file. `fingerprint_key` keys the fingerprints, so that a stored one says nothing about a
/// guessed secret to somebody without the key.
///
/// It takes time linear in the length of the file, and what it returns never holds a secret.
pub fn read(file: &SourceFile<'_>, fingerprint_key: &[u8; 32]) -> SecretFacts {
    let Some(text) = file.text().or_else(|| unmarked_utf16(&file.bytes).map(Cow::Owned)) else {
        return SecretFacts::default();
    };
    let name = file.name().to_ascii_lowercase();
    let surroundings = Surroundings {
        language: file.language,
        zone: file.zone,
        file: &name,
        masking: false,
        depth: 0,
    };
    let mut cursor = Cursor {
        text: &text,
        at: 0,
        line: 1,
        column: 1,
    };
    let found = find(&text, surroundings)
        .into_iter()
        .map(|hit| {
            let (line, column) = cursor.to(hit.place.start);
            let (_, end_column) = cursor.to(hit.place.end);
            let (end_line, _) = cursor.to(hit.all.end);
            let secret = &text[hit.all.clone()];
            Secret {
                rule: hit.rule.into_owned(),
                check: hit.check.into_owned(),
                title: hit.title.into_owned(),
                provider: hit.provider,
                confidence: hit.confidence,
                line,
                column,
                end_column,
                end_line,
                masked: find::masked(&text[hit.place.clone()], hit.hidden),
                fingerprint: blake3::keyed_hash(fingerprint_key, secret.as_bytes())
                    .to_hex()
                    .to_string(),
            }
        })
        .collect();
    SecretFacts { found }
}

/// A place in the text that only moves forward, so that lines and columns of all places cost one pass.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    column: u32,
}

impl Cursor<'_> {
    fn to(&mut self, place: usize) -> (u32, u32) {
        if place > self.at {
            for c in self.text[self.at..place].chars() {
                if c == '\n' {
                    self.line += 1;
                    self.column = 1;
                } else {
                    self.column += 1;
                }
            }
            self.at = place;
        }
        (self.line, self.column)
    }
}

/// Bytes that are UTF-16 without a mark: every second one of the first is zero.
fn unmarked_utf16(bytes: &[u8]) -> Option<String> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let head = &pairs[..pairs.len().min(256)];
    if head.len() < 8 {
        return None;
    }
    let zeros = |which: usize| {
        head.iter()
            .filter(|pair| pair[which] == 0 && pair[1 - which] != 0)
            .count()
    };
    let read: fn([u8; 2]) -> u16 = if zeros(1) * 10 >= head.len() * 9 {
        u16::from_le_bytes
    } else if zeros(0) * 10 >= head.len() * 9 {
        u16::from_be_bytes
    } else {
        return None;
    };
    Some(
        char::decode_utf16(pairs.iter().map(|pair| read(*pair)))
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    )
}
