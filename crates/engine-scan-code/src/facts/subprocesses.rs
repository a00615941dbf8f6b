//! Scripts that another file of the product starts as a process: their printed output is read there.

use engine_model::{Evidence, EvidenceKind, FileInfo, Zone};

use crate::CodeFacts;
use crate::modules::Texts;
use crate::readings::Reading;

/// Files that are read.
const FILES_MAX: usize = 200;
/// The longest that is.
const BYTES_MAX: u64 = 256 * 1024;
/// Lines that are kept.
const LINES_MAX: usize = 2_000;

/// Modules with which a program starts others.
const MODULES: [&str; 9] = [
    "child_process",
    "node:child_process",
    "execa",
    "python-shell",
    "subprocess",
    "asyncio",
    "os/exec",
    "std::process",
    "System.Diagnostics",
];

/// Calls that do so without an import of their own.
const CALLS: [&str; 4] = ["ProcessBuilder", "Runtime.getRuntime", "Process.Start", "os.system"];

/// Lines of files that start programs, which name a script.
#[derive(Debug, Default)]
pub(crate) struct Started(Vec<(String, u32, String)>);

impl Started {
    /// Reads the lines of a product.
    pub(crate) fn read(files: &[(&FileInfo, &CodeFacts)], texts: &Texts<'_>) -> Self {
        let mut out = Self::default();
        let wanted = files.iter().filter(|(info, facts)| {
            let imports = |module: &String| {
                MODULES.iter().any(|known| {
                    module
                        .strip_prefix(known)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
                })
            };
            let without = matches!(
                info.language,
                engine_model::Language::Java | engine_model::Language::Kotlin | engine_model::Language::CSharp
            );
            info.zone == Zone::Product && info.size <= BYTES_MAX && (without || facts.imports.iter().any(imports))
        });
        for (info, facts) in wanted.take(FILES_MAX) {
            let said = texts.said(Reading::Starts, info);
            let (calls, named): (Vec<_>, Vec<_>) = said.lines.iter().partition(|(number, _)| *number == 0);
            if facts.imports.is_empty() && calls.is_empty() {
                continue;
            }
            for (number, line) in named {
                if out.0.len() >= LINES_MAX {
                    return out;
                }
                out.0.push((info.path.clone(), *number, line.clone()));
            }
        }
        out
    }

    /// The place that starts a script.
    pub(super) fn by(&self, script: &str) -> Option<Evidence> {
        let name = script.rsplit('/').next().unwrap_or(script);
        let (file, line, _) = self.0.iter().find(|(file, _, line)| {
            file != script
                && !line.trim_start().starts_with(['#', '*'])
                && !line.trim_start().starts_with("//")
                && names(line, name)
        })?;
        Some(Evidence {
            kind: EvidenceKind::Code,
            reference: format!("starts {name}"),
            file: Some(file.clone()),
            line: Some(*line),
            hash: None,
        })
    }
}

/// The lines of a text that name a script, and as line 0 a call that starts a program without an import.
pub(crate) fn lines(text: &str) -> Vec<(u32, String)> {
    let call = CALLS.iter().find(|call| text.contains(**call));
    let named = text.lines().enumerate().filter(|(_, line)| {
        line.contains(['"', '\'', '`']) && line.len() < 400 && SCRIPTS.iter().any(|ending| line.contains(ending))
    });
    call.map(|call| (0, (*call).to_owned()))
        .into_iter()
        .chain(named.map(|(number, line)| (crate::values::id(number + 1), line.to_owned())))
        .take(LINES_MAX)
        .collect()
}

/// Endings of scripts.
const SCRIPTS: [&str; 7] = [".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".sh"];

/// Whether a line names a file by its whole name.
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let whole = |c: char| !c.is_alphanumeric() && c != '_' && c != '-' && c != '.';
        line[..at].chars().next_back().is_none_or(whole) && line[at + name.len()..].chars().next().is_none_or(whole)
    })
}

#[cfg(test)]
mod tests {
    use super::{Started, names};

    #[test]
    fn a_script_is_started_under_its_whole_name() {
        assert!(names("spawn('python', ['python/predict.py'])", "predict.py"));
        assert!(!names("spawn('python', ['python/my_predict.py'])", "predict.py"));
        assert!(!names("load('predict.pyc')", "predict.py"));
        let started = Started(vec![(
            "app.js".into(),
            4,
            "spawn('python3', ['./ai/predict.py'])".into(),
        )]);
        assert!(started.by("ai/predict.py").is_some());
        assert!(started.by("ai/train.py").is_none());
    }
}
