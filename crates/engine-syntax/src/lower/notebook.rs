//! Lowers Jupyter notebooks: the code of their cells, with the lines of the notebook file.
//!
//! Commands of the system shell (`!curl`, `%%bash`) are calls whose names begin with `!`. A notebook with a kernel for
//! another language gives a module of that language.
//! Each cell is parsed for itself, so that a broken one does not swallow the next; all cells share one module. Columns
//! are those of the cell's own line, not of the JSON around it. The JSON is read by a scanner that keeps track of lines
//! and takes what it can get from a broken file.

use engine_model::{Language, LineRange};
use thin_vec::ThinVec;

use super::{places, python, shell};
use crate::ir::Module;

/// Cell magics whose cell is still Python.
const PYTHON_MAGICS: &[&str] = &[
    "time", "timeit", "capture", "prun", "memit", "mprun", "python", "python3", "py", "wandb", "heat", "debug",
];

/// Cell magics whose cell is a shell script.
const SHELL_MAGICS: &[&str] = &["bash", "sh", "shell", "system", "sx", "!"];

/// Bytes that each cell of code counts beside its own. The cells of one notebook together are held to the length of one file.
const CELL_BYTES: usize = 64;

/// Lowers a notebook.
pub(super) fn lower(text: &str) -> Module {
    let mut module = Module::new(Language::Notebook);
    let notebook = read(text);
    if let Some(language) = notebook.language.as_deref().and_then(kernel) {
        return whole(&notebook, language);
    }
    let mut left = super::guard::SOURCE_BYTES_MAX;
    for (index, cell) in notebook.cells.iter().enumerate() {
        let language = cell
            .language
            .as_deref()
            .or(notebook.language.as_deref())
            .unwrap_or("python");
        if !cell.is_code || !is_python(language) {
            continue;
        }
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let (source, rows) = cell.source(number);
        // A parser that is started anew for each cell takes as long as for some lines more.
        left = left.saturating_sub(source.len() + CELL_BYTES);
        if left == 0 {
            module.truncated = true;
            break;
        }
        match magic(&source) {
            Some(name) if SHELL_MAGICS.contains(&name) => {
                let blank = without_first_magic(&source);
                shell::lower_into(&mut module, &blank, rows.clone());
                note_losses(&mut module, &rows);
            }
            Some(name) if !PYTHON_MAGICS.contains(&name) => {}
            _ => {
                let (python, commands) = without_magics(&source);
                python::lower_into(&mut module, &python, rows.clone());
                note_losses(&mut module, &rows);
                for (row, command) in commands {
                    shell::lower_into(&mut module, &command, rows.get(row..).unwrap_or_default().to_vec());
                }
            }
        }
    }
    module.unparsed.truncate(super::recovery::RANGES_MAX);
    module
}

/// Notes the lines of a cell that its grammar could not read.
fn note_losses(module: &mut Module, rows: &[(u32, u32)]) {
    let row = |at: u32| rows.get(at.saturating_sub(1) as usize).or(rows.last());
    let lines = super::builder::losses().lines();
    let lines = lines.into_iter().filter_map(|(first, last)| {
        let (first, cell) = *row(first)?;
        Some(LineRange {
            first,
            last: row(last)?.0,
            cell: Some(cell),
        })
    });
    module.unparsed.extend(lines);
}

/// The language of a kernel other than Python.
fn kernel(name: &str) -> Option<Language> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "typescript" | "tslab" => Language::TypeScript,
        "javascript" | "node" => Language::JavaScript,
        "c#" | "csharp" | ".net (c#)" | "polyglot-notebook" => Language::CSharp,
        "kotlin" => Language::Kotlin,
        "java" => Language::Java,
        "go" | "gophernotes" => Language::Go,
        "rust" | "evcxr" => Language::Rust,
        "bash" => Language::Shell,
        _ => return None,
    })
}

/// A notebook in another language: its cells one after another, as its kernel sees them.
fn whole(notebook: &Notebook, language: Language) -> Module {
    let mut source = String::new();
    let mut rows = ThinVec::new();
    for (index, cell) in notebook.cells.iter().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let (text, lines) = cell.source(number);
        // Lines of the kernel's own (`#r "nuget:…"`, `%use`, `:dep`) are no code of the language.
        if !cell.is_code || magic(&text).is_some() {
            continue;
        }
        for (line, row) in text.lines().zip(lines) {
            let own = line.starts_with(['%', ':', '@']) || line.starts_with("#!") || line.starts_with("#r ");
            source.push_str(if own { "" } else { line });
            source.push('\n');
            rows.push(row);
        }
    }
    let Some(mut module) = super::lower(language, &source) else {
        return Module::new(Language::Notebook);
    };
    places::shift(&mut module, &rows);
    module
}

fn is_python(language: &str) -> bool {
    let language = language.to_ascii_lowercase();
    language.starts_with("python") || language.starts_with("ipython")
}

/// What a notebook says.
#[derive(Default)]
struct Notebook {
    language: Option<String>,
    cells: Vec<Cell>,
}

/// A cell with the pieces of its source and the line where each stands in the file.
#[derive(Default)]
struct Cell {
    is_code: bool,
    language: Option<String>,
    pieces: Vec<(String, u32)>,
}

impl Cell {
    /// The text of the cell with the line and cell of each row.
    fn source(&self, number: u32) -> (String, Vec<(u32, u32)>) {
        let mut source = String::new();
        let mut rows: Vec<(u32, u32)> = Vec::new();
        let mut begun = false;
        for (piece, line) in &self.pieces {
            for part in piece.split_inclusive('\n') {
                if !begun {
                    rows.push((*line, number));
                }
                source.push_str(part);
                begun = !part.ends_with('\n');
            }
        }
        (source, rows)
    }
}

/// The name of the magic that makes a cell something else.
fn magic(source: &str) -> Option<&str> {
    let first = source.lines().map(str::trim).find(|line| !line.is_empty())?;
    first
        .strip_prefix("%%")
        .and_then(|magic| magic.split_whitespace().next())
}

/// The source with its first magic blanked out; rows stay where they are.
fn without_first_magic(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut seen = false;
    for line in source.split_inclusive('\n') {
        if !seen && line.trim_start().starts_with("%%") {
            seen = true;
            out.push('\n');
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The source with `pass` in place of what only the notebook's shell understands, and the commands with their rows;
/// rows stay where they are.
fn without_magics(source: &str) -> (String, Vec<(usize, String)>) {
    let mut out = String::with_capacity(source.len());
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut open: Option<&str> = None;
    let mut continued = false;
    let mut command = false;
    for (row, line) in source.split_inclusive('\n').enumerate() {
        let body = line.trim_end_matches(['\n', '\r']);
        if open.is_none() && (continued || is_magic(body)) {
            let indent = &body[..body.len() - body.trim_start().len()];
            if !continued {
                out.push_str(indent);
                out.push_str("pass");
                let text = body.split_once('!').filter(|(before, _)| {
                    let before = before.trim();
                    before.is_empty() || before.ends_with('=')
                });
                command = text.is_some();
                if let Some((_, text)) = text {
                    commands.push((row, format!("{text}\n")));
                }
            } else if command && let Some((_, text)) = commands.last_mut() {
                text.push_str(line);
            }
            out.push_str(&line[body.len()..]);
            continued = body.ends_with('\\');
            continue;
        }
        let mut rest = body;
        // Inside a text in triple quotes nothing is a magic.
        loop {
            let quote = match open {
                Some(quote) => rest.find(quote).map(|at| (at, quote)),
                None => ["\"\"\"", "'''"]
                    .into_iter()
                    .filter_map(|quote| Some((rest.find(quote)?, quote)))
                    .min(),
            };
            let Some((at, quote)) = quote else { break };
            open = if open.is_some() { None } else { Some(quote) };
            rest = &rest[at + quote.len()..];
        }
        out.push_str(line);
    }
    (out, commands)
}

/// Whether a line is a magic, a command of the system shell, or a question for help.
fn is_magic(line: &str) -> bool {
    let line = line.trim();
    let named = |text: &str| text.starts_with(|ch: char| ch.is_ascii_alphabetic() || ch == '_');
    match line.chars().next() {
        Some('!' | '?') => return true,
        Some('%') => return line.starts_with("%%") || named(&line[1..]),
        _ => {}
    }
    if line.ends_with('?') && named(line) && !line.contains(['#', '"', '\'', ' ']) {
        return true;
    }
    // `files = !ls` and `out = %magic`; the left side is a plain target.
    line.split_once('=').is_some_and(|(left, right)| {
        let right = right.trim_start();
        let target = left.trim();
        let plain = named(target)
            && target
                .chars()
                .all(|ch| ch.is_alphanumeric() || matches!(ch, '_' | ',' | ' ' | '.'));
        plain && (right.starts_with('!') || right.strip_prefix('%').is_some_and(named))
    })
}

/// A container around the place where the scanner is.
enum Frame<'t> {
    Object { key: &'t str },
    Array { index: usize },
}

/// Reads the JSON of a notebook in one pass.
fn read(text: &str) -> Notebook {
    let bytes = text.as_bytes();
    let mut notebook = Notebook::default();
    let mut stack: Vec<Frame<'_>> = Vec::new();
    let (mut at, mut line) = (0, 1);
    let mut pending: Option<&str> = None;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => line += 1,
            b'{' => stack.push(Frame::Object { key: "" }),
            b'[' => stack.push(Frame::Array { index: 0 }),
            b'}' | b']' => {
                stack.pop();
            }
            b',' => {
                if let Some(Frame::Array { index }) = stack.last_mut() {
                    *index += 1;
                }
            }
            b':' => {
                if let (Some(Frame::Object { key }), Some(text)) = (stack.last_mut(), pending.take()) {
                    *key = text.get(1..text.len() - 1).unwrap_or("");
                }
            }
            b'"' => {
                let end = string_end(bytes, at);
                let Some(raw) = text.get(at..end) else { break };
                at = end;
                if matches!(stack.last(), Some(Frame::Object { .. })) && next_is_colon(bytes, at) {
                    pending = Some(raw);
                } else {
                    notebook.take(&stack, raw, line);
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    notebook
}

/// The byte behind a string that begins at a quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn next_is_colon(bytes: &[u8], from: usize) -> bool {
    bytes[from..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

impl Notebook {
    /// Takes a string that stands at a place of interest.
    fn take(&mut self, stack: &[Frame<'_>], raw: &str, line: u32) {
        use Frame::{Array, Object};
        let decode = || serde_json::from_str::<String>(raw).ok();
        // The third format has its cells in worksheets.
        let (base, inner) = match stack {
            [
                Object { key: "worksheets" },
                Array { index: 0 },
                Object { key: "cells" },
                Array { index },
                rest @ ..,
            ]
            | [Object { key: "cells" }, Array { index }, rest @ ..] => (*index, rest),
            [
                Object { key: "metadata" },
                Object { key: "kernelspec" },
                Object { key: "language" },
            ]
            | [
                Object { key: "metadata" },
                Object { key: "language_info" },
                Object { key: "name" },
            ] => {
                self.language = self.language.take().or_else(decode);
                return;
            }
            _ => return,
        };
        if !matches!(
            inner,
            [Object {
                key: "cell_type" | "language" | "source" | "input"
            }] | [
                Object {
                    key: "source" | "input"
                },
                Array { .. }
            ]
        ) {
            return;
        }
        // A file cannot name a cell without a byte for it, so the number of cells is bounded by its size.
        while self.cells.len() <= base {
            self.cells.push(Cell::default());
        }
        let cell = &mut self.cells[base];
        match inner {
            [Object { key: "cell_type" }] => cell.is_code = raw == "\"code\"",
            [Object { key: "language" }] => cell.language = decode(),
            _ => cell.pieces.extend(decode().map(|piece| (piece, line))),
        }
    }
}
