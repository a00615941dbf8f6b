//! The tools, each with its pinned packages.

use std::sync::LazyLock;
use std::time::Duration;

use engine_embed::embed;

/// What a tool reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Python source.
    Python,
    /// Python, JavaScript and TypeScript source.
    Code,
    /// Every text file.
    Text,
    /// Model files.
    Models,
}

/// One external analyser.
#[derive(Debug)]
pub struct Tool {
    /// Its name; also the name of its package and of its program.
    pub name: &'static str,
    /// What it looks for.
    pub purpose: &'static str,
    /// What it reads.
    pub input: Input,
    /// Packages with versions and digests.
    pub(crate) lock: LazyLock<String>,
    /// Longest time of one run.
    pub(crate) time: Duration,
}

/// The tools, in the order in which one of two equal findings is kept.
pub static TOOLS: [Tool; 4] = [
    Tool {
        name: "semgrep",
        purpose: "patterns and data flow in code",
        input: Input::Code,
        lock: LazyLock::new(|| embed!("../data/locks/semgrep.txt").text()),
        time: Duration::from_mins(10),
    },
    Tool {
        name: "bandit",
        purpose: "security problems in Python code",
        input: Input::Python,
        lock: LazyLock::new(|| embed!("../data/locks/bandit.txt").text()),
        time: Duration::from_mins(5),
    },
    Tool {
        name: "detect-secrets",
        purpose: "secrets in text files",
        input: Input::Text,
        lock: LazyLock::new(|| embed!("../data/locks/detect-secrets.txt").text()),
        time: Duration::from_mins(5),
    },
    Tool {
        name: "modelscan",
        purpose: "model files that run code when they are loaded",
        input: Input::Models,
        lock: LazyLock::new(|| embed!("../data/locks/modelscan.txt").text()),
        time: Duration::from_mins(5),
    },
];

/// Characters of a digest in the name of a folder.
const DIGEST_SHOWN: usize = 12;

impl Tool {
    /// The tool with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The pinned version.
    pub fn version(&self) -> &str {
        self.lock
            .lines()
            .find_map(|line| line.strip_prefix(self.name)?.strip_prefix("=="))
            .map_or("", |rest| rest.split([' ', '\\', ';']).next().unwrap_or(rest))
    }

    /// What tells its set of packages from every other.
    pub(crate) fn digest(&self) -> String {
        blake3::hash(self.lock.as_bytes()).to_hex()[..DIGEST_SHOWN].to_owned()
    }

    /// The name of its folder. Another version or another set of packages has another folder.
    pub(crate) fn folder(&self) -> String {
        format!("{}-{}-{}", self.name, self.version(), self.digest())
    }

    /// Whether it reads a file with this ending.
    pub fn reads(&self, ending: &str) -> bool {
        match self.input {
            Input::Python => ending == "py",
            Input::Code => matches!(
                ending,
                "py" | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts"
            ),
            Input::Text => true,
            Input::Models => is_model_ending(ending),
        }
    }
}

/// Endings of model files that modelscan opens.
pub(crate) fn is_model_ending(ending: &str) -> bool {
    matches!(
        ending,
        "pkl"
            | "pickle"
            | "joblib"
            | "dill"
            | "dat"
            | "data"
            | "bin"
            | "pt"
            | "pth"
            | "ckpt"
            | "h5"
            | "keras"
            | "npy"
            | "npz"
            | "zip"
            | "pb"
    )
}
