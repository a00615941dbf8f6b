//! A copy of files for the tools, outside the project.
//!
//! Files have numbers for names, so that no configuration, no ignore file and no name of the project has an effect on a
//! tool. Only files that the engine itself reads are handed over; a symbolic link never is.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine_model::ReadAt;
use tempfile::TempDir;

use crate::catalogue::{Tool, is_model_ending};
use crate::{Input, TOOLS};

/// Limits of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewLimits {
    /// A longer text file is left out.
    pub text_bytes_max: u64,
    /// A longer model file is left out.
    pub model_bytes_max: u64,
    /// Bytes of all files together.
    pub bytes_max: u64,
    /// Number of files.
    pub files_max: usize,
}

impl Default for ViewLimits {
    fn default() -> Self {
        Self {
            text_bytes_max: 2 << 20,
            model_bytes_max: 512 << 20,
            bytes_max: 2 << 30,
            files_max: 200_000,
        }
    }
}

/// Why a file is not in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It is longer than the limit.
    TooLong,
    /// The view is full.
    Full,
    /// No tool reads it.
    NotWanted,
    /// The copy could not be written.
    Disk,
}

/// A file of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Path in the project.
    pub(crate) path: String,
    pub(crate) ending: String,
    /// Number of lines; 0 for a model file.
    pub(crate) lines: u32,
}

/// Copies of files, removed when it is dropped.
#[derive(Debug)]
pub struct View {
    folder: TempDir,
    limits: ViewLimits,
    texts: BTreeMap<String, Entry>,
    models: BTreeMap<String, Entry>,
    bytes: u64,
    /// Files that tools would read and that were left out, by tool.
    left_out: BTreeMap<&'static str, Vec<String>>,
}

/// Bytes in which a zero marks a file that is no text.
const BINARY_PROBE: usize = 8000;

/// Paths of left-out files that are kept as examples.
const LEFT_OUT_SHOWN: usize = 3;

/// Bytes that are copied at once.
const COPY_BYTES: usize = 1 << 20;

/// Longest ending of a name that is kept.
const ENDING_MAX: usize = 12;

impl View {
    /// An empty view in a new folder that only its owner can read.
    ///
    /// # Errors
    ///
    /// Where the system refuses a temporary folder.
    pub fn new(limits: ViewLimits) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("engine-tools-").tempdir()?;
        for name in ["files", "models"] {
            fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self {
            folder,
            limits,
            texts: BTreeMap::new(),
            models: BTreeMap::new(),
            bytes: 0,
            left_out: BTreeMap::new(),
        })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder that a tool reads.
    pub(crate) fn files_for(&self, tool: &Tool) -> PathBuf {
        let name = if tool.input == Input::Models { "models" } else { "files" };
        self.folder.path().join(name)
    }

    /// Adds a file of the project. A model file is handed to the tool for models, a text file to the others.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), LeftOut> {
        let ending = ending(path);
        let is_binary = bytes.iter().take(BINARY_PROBE).any(|byte| *byte == 0);
        if is_model_ending(&ending) {
            self.add_model(path, &bytes)?;
            if is_binary {
                return Ok(());
            }
        }
        if is_binary {
            return Err(LeftOut::NotWanted);
        }
        self.room(path, bytes.len() as u64, self.limits.text_bytes_max, false)?;
        let name = self.name(&ending);
        let target = self.folder.path().join("files").join(&name);
        fs::write(&target, bytes).map_err(|_| LeftOut::Disk)?;
        self.bytes += bytes.len() as u64;
        let lines = bytes.split(|byte| *byte == b'\n').count();
        let entry = Entry {
            path: path.to_owned(),
            ending,
            lines: u32::try_from(lines).unwrap_or(u32::MAX),
        };
        self.texts.insert(name, entry);
        Ok(())
    }

    /// Adds a model file piece by piece.
    pub fn add_model(&mut self, path: &str, source: &dyn ReadAt) -> Result<(), LeftOut> {
        let ending = ending(path);
        if !is_model_ending(&ending) {
            return Err(LeftOut::NotWanted);
        }
        self.room(path, source.length(), self.limits.model_bytes_max, true)?;
        let name = self.name(&ending);
        let target = self.folder.path().join("models").join(&name);
        copy(source, &target, self.limits.model_bytes_max).map_err(|_| LeftOut::Disk)?;
        self.bytes += source.length();
        let entry = Entry {
            path: path.to_owned(),
            ending,
            lines: 0,
        };
        self.models.insert(name, entry);
        Ok(())
    }

    fn room(&mut self, path: &str, bytes: u64, limit: u64, model: bool) -> Result<(), LeftOut> {
        let why = if bytes > limit {
            LeftOut::TooLong
        } else if self.bytes.saturating_add(bytes) > self.limits.bytes_max
            || self.texts.len() + self.models.len() >= self.limits.files_max
        {
            LeftOut::Full
        } else {
            return Ok(());
        };
        let ending = ending(path);
        for tool in &TOOLS {
            if (tool.input == Input::Models) == model && tool.reads(&ending) {
                self.left_out.entry(tool.name).or_default().push(path.to_owned());
            }
        }
        Err(why)
    }

    fn name(&self, ending: &str) -> String {
        let number = self.texts.len() + self.models.len();
        if ending.is_empty() {
            format!("f{number:06}")
        } else {
            format!("f{number:06}.{ending}")
        }
    }

    fn entries(&self, tool: &Tool) -> &BTreeMap<String, Entry> {
        if tool.input == Input::Models {
            &self.models
        } else {
            &self.texts
        }
    }

    /// Files that a tool reads.
    pub fn count(&self, tool: &Tool) -> u64 {
        self.entries(tool)
            .values()
            .filter(|entry| tool.reads(&entry.ending))
            .count() as u64
    }

    /// Files that a tool would read and does not get: how many, and examples.
    pub fn left_out(&self, tool: &Tool) -> (u64, Vec<&str>) {
        let left_out = self.left_out.get(tool.name).map(Vec::as_slice).unwrap_or_default();
        let shown = left_out.iter().take(LEFT_OUT_SHOWN).map(String::as_str).collect();
        (left_out.len() as u64, shown)
    }

    /// The file behind a name that a tool wrote.
    pub(crate) fn entry(&self, tool: &Tool, named: &str) -> Option<&Entry> {
        let name = named.rsplit(['/', '\\']).next().unwrap_or(named);
        self.entries(tool).get(name)
    }
}

fn copy(source: &dyn ReadAt, target: &Path, limit: u64) -> io::Result<()> {
    let mut file = File::create_new(target)?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut offset = 0;
    while offset < limit {
        let count = source.read_at(offset, &mut buffer);
        if count == 0 {
            break;
        }
        file.write_all(&buffer[..count])?;
        offset += count as u64;
    }
    Ok(())
}

/// The ending of a name, where it is a short word: the tools choose their parser by it.
fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, ending)) = name.rsplit_once('.') else {
        return String::new();
    };
    let ending = ending.to_ascii_lowercase();
    let plain = ending.len() <= ENDING_MAX && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let ending = if plain { ending } else { String::new() };
    // The other endings of the same languages, as all tools know them.
    match ending.as_str() {
        "pyw" | "pyi" => "py".to_owned(),
        _ => ending,
    }
}
