//! Source files as the scanner sees them: bytes with a path, a language and a zone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A programming or data language that the scanner recognises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python source.
    Python,
    /// JavaScript source, with or without JSX.
    JavaScript,
    /// TypeScript source.
    TypeScript,
    /// TypeScript source with JSX.
    Tsx,
    /// Go source.
    Go,
    /// Rust source.
    Rust,
    /// Java source.
    Java,
    /// Kotlin source.
    Kotlin,
    /// C# source.
    CSharp,
    /// Shell script.
    Shell,
    /// Ruby source.
    Ruby,
    /// PHP source.
    Php,
    /// Jupyter notebook.
    Notebook,
    /// Prose: Markdown, reStructuredText, `AsciiDoc` or plain text.
    Markup,
    /// JSON data.
    Json,
    /// YAML data.
    Yaml,
    /// TOML data.
    Toml,
    /// XML data.
    Xml,
    /// HTML, and single-file components built on it.
    Html,
    /// Anything else.
    Other,
}

impl Language {
    /// The language that a file name tells, by its ending or its whole name.
    pub fn of_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "Dockerfile" | "Makefile" | "Containerfile" | "go.mod" | "go.sum" | "LICENSE" | "NOTICE" => {
                return Self::Other;
            }
            "Gemfile" | "Rakefile" => return Self::Ruby,
            "Cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" | "Pipfile" => return Self::Toml,
            "Pipfile.lock" | "composer.lock" | "bun.lock" => return Self::Json,
            "README" | "CHANGELOG" | "SECURITY" => return Self::Markup,
            _ => {}
        }
        let Some((_, ending)) = name.rsplit_once('.') else {
            return Self::Other;
        };
        match ending.to_ascii_lowercase().as_str() {
            "py" | "pyi" | "pyw" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "rs" => Self::Rust,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "cs" => Self::CSharp,
            "sh" | "bash" | "zsh" | "ksh" => Self::Shell,
            "rb" | "gemspec" | "rake" | "ru" => Self::Ruby,
            "php" => Self::Php,
            "ipynb" => Self::Notebook,
            "md" | "mdx" | "markdown" | "rst" | "adoc" | "asciidoc" | "txt" => Self::Markup,
            "json" | "jsonc" | "json5" => Self::Json,
            "yaml" | "yml" => Self::Yaml,
            "toml" => Self::Toml,
            "xml" | "csproj" | "fsproj" | "vbproj" | "props" | "targets" | "pom" => Self::Xml,
            "html" | "htm" | "vue" | "svelte" | "astro" => Self::Html,
            _ => Self::Other,
        }
    }

    /// The language of a file by its name, else by the interpreter that its first line asks for.
    pub fn of(path: &str, head: &str) -> Self {
        match Self::of_path(path) {
            Self::Other => Self::of_first_line(head).unwrap_or(Self::Other),
            named => named,
        }
    }

    /// The language of the interpreter behind `#!` at the start of a text.
    fn of_first_line(head: &str) -> Option<Self> {
        let line = head.trim_start_matches('\u{feff}').strip_prefix("#!")?.lines().next()?;
        let mut words = line
            .split_whitespace()
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        let first = words.next()?;
        // `env` may be given flags and variables before the program.
        let program = if first == "env" {
            words.find(|word| !word.starts_with('-') && !word.contains('='))?
        } else {
            first
        };
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Some(match bare {
            "sh" | "bash" | "zsh" | "ksh" | "dash" | "ash" | "mksh" => Self::Shell,
            "python" | "pypy" | "uv" => Self::Python,
            "node" | "nodejs" | "zx" => Self::JavaScript,
            "bun" | "deno" | "tsx" | "ts-node" => Self::TypeScript,
            "ruby" => Self::Ruby,
            "php" => Self::Php,
            _ => return None,
        })
    }

    /// The name that goes over the wire and into documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::CSharp => "csharp",
            Self::Shell => "shell",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::Notebook => "notebook",
            Self::Markup => "markup",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Xml => "xml",
            Self::Html => "html",
            Self::Other => "other",
        }
    }

    /// Whether the language holds instructions that run, as opposed to prose or data.
    pub const fn is_code(self) -> bool {
        matches!(
            self,
            Self::Python
                | Self::JavaScript
                | Self::TypeScript
                | Self::Tsx
                | Self::Go
                | Self::Rust
                | Self::Java
                | Self::Kotlin
                | Self::CSharp
                | Self::Shell
                | Self::Ruby
                | Self::Php
                | Self::Notebook
        )
    }
}

/// The zone of a file: only product code can make a project an AI system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    /// Code and configuration that ships or runs.
    Product,
    /// Tests, mocks and their data.
    Test,
    /// Examples, demos, tutorials, benchmarks.
    Example,
    /// Documentation.
    Docs,
    /// Copies of third-party code.
    Vendored,
    /// Build output, bundles, generated sources.
    Generated,
}

impl Zone {
    /// The zone that a relative path tells. `head` is the first part of the text, in which generators leave their mark.
    pub fn of_path(path: &str, head: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        if is_reference_page(&lower, head) {
            return Self::Generated;
        }
        let (dirs, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        // Below `src/main` the folders of Java and Kotlin are package names: `com.example.demo` is a plain application.
        let dirs = dirs.find("src/main/").map_or(dirs, |at| &dirs[..at]);
        let mut around = "";
        for dir in dirs.split('/') {
            if is_copy(around, dir) {
                return Self::Generated;
            }
            around = dir;
            match dir {
                "vendor" | "vendored" | "third_party" | "third-party" | "thirdparty" | "node_modules"
                | "site-packages" | "bower_components" | "extern" | "_vendor" => return Self::Vendored,
                "test" | "tests" | "__tests__" | "__mocks__" | "testing" | "testdata" | "test_data" | "fixtures"
                | "__fixtures__" | "spec" | "specs" | "e2e" | "mocks" | "cypress" | "playwright" | "__snapshots__" => {
                    return Self::Test;
                }
                "examples" | "example" | "demo" | "demos" | "samples" | "sample" | "tutorial" | "tutorials"
                | "cookbook" | "cookbooks" | ".devcontainer" | "benchmarks" | "benchmark" | "bench" | "benches"
                | "playground" => {
                    return Self::Example;
                }
                "dist" | "__generated__" | "generated" | ".next" | "playwright-report" | "lcov-report" | "htmlcov"
                | "storybook-static" => return Self::Generated,
                // Earlier states of files, which editors and notebooks keep beside them.
                ".history" | ".lh" | ".localhistory" | ".local-history" | ".ipynb_checkpoints" => {
                    return Self::Generated;
                }
                "docs" | "doc" | "documentation" => return Self::Docs,
                // What a coding agent runs for whoever develops the product is no part of it; its settings are read as such.
                ".claude" | ".cursor" | ".codex" | ".gemini" | ".windsurf" | ".roo" | ".kiro" | ".opencode"
                | ".continue"
                    if is_program(name) =>
                {
                    return Self::Example;
                }
                _ => {
                    // Collections of samples name their programs so: `chat-example`, `rag-tutorial`.
                    if dir.rsplit_once(['-', '_', '.']).is_some_and(|(_, last)| {
                        matches!(
                            last,
                            "example" | "examples" | "sample" | "samples" | "tutorial" | "tutorials"
                        )
                    }) {
                        return Self::Example;
                    }
                    // .NET names its test projects `Acme.Tests`.
                    if [".tests", "-tests", "_tests"]
                        .iter()
                        .any(|ending| dir.ends_with(ending))
                    {
                        return Self::Test;
                    }
                }
            }
        }
        // Gradle names its test source sets `integrationTest`, `androidTest` and the like.
        if path
            .split('/')
            .zip(path.split('/').skip(1))
            .any(|(dir, set)| dir == "src" && set.ends_with("Test"))
        {
            return Self::Test;
        }
        let stem = name.split('.').next().unwrap_or(name);
        // Most names have one point: what stands between two need not be looked for.
        let is_dotted = name.bytes().filter(|byte| *byte == b'.').count() > 1;
        let test_name = stem.starts_with("test_")
            || stem.strip_prefix("test-").is_some_and(|_| {
                // A script or a bare page of that name tries something out; a route of that name may sell a test drive.
                [".ts", ".js", ".mjs", ".cjs", ".py", ".sh", ".html"]
                    .iter()
                    .any(|ending| name.ends_with(ending))
            })
            || stem.ends_with("_test")
            || name.ends_with("_spec.rb")
            || stem.ends_with("_tests")
            || stem == "conftest"
            || stem == "tests"
            // The environment of a suite of tests, which a pipeline copies into place.
            || matches!(name, ".env.test" | ".env.testing" | ".env.ci" | ".env.e2e")
            || is_dotted
                && [".test.", ".spec.", ".mock.", ".stories."]
                    .iter()
                    .any(|part| name.contains(part));
        let original = path.rsplit('/').next().unwrap_or(path);
        let test_class = [".java", ".kt", ".cs"].iter().any(|ending| {
            original.strip_suffix(ending).is_some_and(|stem| {
                stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("TestCase") || stem.ends_with("IT")
            })
        });
        if test_name || test_class {
            return Self::Test;
        }
        // Whoever calls a file so runs it once.
        if matches!(
            stem,
            "deleteme" | "delete_me" | "delete-me" | "todelete" | "to_delete" | "throwaway"
        ) {
            return Self::Example;
        }
        let generated_name = is_dotted
            && [".min.", ".generated.", ".bundle."]
                .iter()
                .any(|part| name.contains(part))
            || name.ends_with("_pb2.py")
            || name.ends_with("_pb2_grpc.py")
            || name.ends_with(".pb.go")
            || name.ends_with(".g.cs")
            || name.ends_with(".designer.cs")
            // What changes other files is none of what it changes.
            || name
                .rsplit_once('.')
                .is_some_and(|(_, ending)| matches!(ending, "diff" | "patch"))
            || name.strip_suffix(".rbi").is_some()
            // What Rails and Sorbet write down of tables and libraries.
            || (lower == "db/schema.rb" || lower.ends_with("/db/schema.rb"))
            || lower.starts_with("sorbet/rbi/");
        let mut end = head.len().min(600);
        while !head.is_char_boundary(end) {
            end -= 1;
        }
        let marks = [
            "@generated",
            "Code generated by",
            "DO NOT EDIT",
            "Generated by the protocol buffer compiler",
            "auto generated by",
            "auto-generated by",
            "automatically generated by",
            "Do not edit the class manually",
            "<auto-generated",
        ];
        let head = &head[..end];
        let is_comment = |line: &str| {
            let line = line.trim_start();
            ["//", "#", "/*", "*", "<!--", "--"]
                .iter()
                .any(|open| line.starts_with(open))
        };
        // To look for a text takes longer to prepare than most heads take to be read: most have no comment.
        let marked = head.split('\n').any(is_comment)
            && marks.iter().any(|mark| {
                head.find(mark)
                    .is_some_and(|at| is_comment(head[..at].rsplit('\n').next().unwrap_or("")))
            });
        if generated_name || marked {
            Self::Generated
        } else {
            Self::Product
        }
    }
}

/// Whether a folder holds copies of a day that a script has put aside: `backups/20250920_232509`, `backup-2025-09-20`.
fn is_copy(around: &str, dir: &str) -> bool {
    let put_aside = ["backups", "backup", "bak"];
    let day = if put_aside.contains(&around) {
        Some(dir)
    } else {
        put_aside
            .iter()
            .find_map(|name| dir.strip_prefix(name)?.strip_prefix(['-', '_', '.']))
    };
    day.is_some_and(|day| {
        let digits: Vec<u8> = day
            .bytes()
            .filter(|byte| !matches!(byte, b'-' | b'_' | b'.' | b't' | b':'))
            .take_while(u8::is_ascii_digit)
            .take(8)
            .collect();
        digits.len() == 8 && matches!(digits[..2], [b'1', b'9'] | [b'2', b'0'])
    })
}

/// Whether a file holds code, as its name tells.
fn is_program(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        matches!(
            ending,
            "py" | "js" | "mjs" | "cjs" | "ts" | "mts" | "sh" | "bash" | "rb" | "go" | "rs" | "php"
        )
    })
}

/// What generators of references write into the head of each page.
const REFERENCE_MARKS: [&str; 13] = [
    "<!-- Generated by javadoc",
    "<!-- Generated by: javadoc",
    "localStorage.getItem(\"dokka-",
    "content=\"Doxygen ",
    "content=\"rustdoc\"",
    "content=\"typedoc\"",
    "content=\"pdoc ",
    "content=\"docfx ",
    "content=\"phpDocumentor\"",
    "<title>JSDoc: ",
    "Documentation by YARD ",
    "Generated by groovydoc",
    "<!-- Generated by ldoc",
];

/// Whether a page is part of a reference that a program wrote from code: it says nothing that the code does not say.
fn is_reference_page(lower: &str, head: &str) -> bool {
    let ending = lower.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("html" | "htm")) && REFERENCE_MARKS.iter().any(|mark| head.contains(mark))
}

/// One file of a project, with its bytes.
#[derive(Clone, Debug)]
pub struct SourceFile<'a> {
    /// Path relative to the project's root, with `/` between its parts.
    pub path: Cow<'a, str>,
    /// The content as read.
    pub bytes: Cow<'a, [u8]>,
    /// BLAKE3 of the content.
    pub digest: [u8; 32],
    /// The language told by the name.
    pub language: Language,
    /// The part that the file plays.
    pub zone: Zone,
}

impl<'a> SourceFile<'a> {
    /// A file from its path and bytes; language, zone and digest are derived.
    pub fn new(path: impl Into<Cow<'a, str>>, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        let (path, bytes) = (path.into(), bytes.into());
        let digest = *blake3::hash(&bytes).as_bytes();
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(600)]);
        let zone = Zone::of_path(&path, &head);
        let language = Language::of(&path, &head);
        Self {
            path,
            bytes,
            digest,
            language,
            zone,
        }
    }

    /// The content as text: UTF-8 (with or without byte order mark) or UTF-16 with one; `None` for binary content.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        decode(&self.bytes)
    }

    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// What is kept of the file when its bytes are gone.
    pub fn info(&self) -> FileInfo {
        FileInfo {
            path: self.path.to_string(),
            size: self.bytes.len() as u64,
            digest: self.digest,
            language: self.language,
            zone: self.zone,
        }
    }
}

/// Bytes as text, or `None` when they are binary.
fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Some(utf8(rest)),
        [0xFF, 0xFE, rest @ ..] => return Some(Cow::Owned(utf16(rest, u16::from_le_bytes))),
        [0xFE, 0xFF, rest @ ..] => return Some(Cow::Owned(utf16(rest, u16::from_be_bytes))),
        _ => {}
    }
    // A NUL byte early on marks binary content, as git does it.
    if bytes[..bytes.len().min(8000)].contains(&0) {
        return None;
    }
    Some(utf8(bytes))
}

/// Whole texts are looked at at once, which is ten times as fast as piece by piece.
fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| read(*pair)))
        .map(|c| c.unwrap_or('\u{FFFD}'))
        .collect()
}

/// What is known of a file after its bytes are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Path relative to the project's root.
    pub path: String,
    /// Length in bytes.
    pub size: u64,
    /// BLAKE3 of the content.
    pub digest: [u8; 32],
    /// The language told by the name.
    pub language: Language,
    /// The part that the file plays.
    pub zone: Zone,
}

/// Why a file or folder was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// Ignored by a rule of `.gitignore` or `.ignore`.
    Ignored,
    /// A folder of installed dependencies.
    DependencyFolder,
    /// A Python virtual environment.
    VirtualEnvironment,
    /// A folder of build output.
    BuildOutput,
    /// Data of a version control system.
    VersionControl,
    /// State files of the engine.
    EngineState,
    /// A symbolic link that leads outside the project, in a loop, or to a missing file.
    SymbolicLink,
    /// Larger than the size limit for one file.
    TooLarge,
    /// Beyond the depth limit for folders.
    TooDeep,
    /// Beyond the size limit of the whole tree.
    TreeLimit,
    /// Not a regular file: a pipe, a socket, a device.
    NotRegular,
    /// No permission, or a disk error.
    Unreadable,
    /// It was deleted while the scan read it.
    Vanished,
    /// The name is not valid Unicode.
    NameEncoding,
    /// Read, but not fully evaluated: code with binary content, or beyond the work limit for one file.
    NotEvaluated,
    /// Read, but some lines were not understood: a syntax error, or syntax that is newer than the grammar.
    NotParsed,
}

/// Something in the tree that was not read, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedFile {
    /// Path relative to the project's root; a folder stands for all that is below it.
    pub path: String,
    /// Why it was not read.
    pub reason: SkipReason,
    /// Length in bytes, where known.
    pub bytes: Option<u64>,
    /// Whether the path is a folder.
    pub directory: bool,
}

/// Gives the text of a file again after its facts were taken; the scanner core itself opens no files.
pub trait SourceText: Sync {
    /// The file, or `None` when it is gone or has changed since it was first read.
    fn file(&self, path: &str) -> Option<SourceFile<'_>>;
}

/// A tree of files in memory, for tests, benches and callers that hold the text already.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryTree {
    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.remove(path)
    }

    /// All files in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = SourceFile<'_>> {
        self.files
            .iter()
            .map(|(path, bytes)| SourceFile::new(path.as_str(), bytes.as_slice()))
    }
}

impl SourceText for MemoryTree {
    fn file(&self, path: &str) -> Option<SourceFile<'_>> {
        let (path, bytes) = self.files.get_key_value(path)?;
        Some(SourceFile::new(path.as_str(), bytes.as_slice()))
    }
}

/// A fixture text that does not open with a file header, or whose bytes are not written as its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixtureError;

/// Reads a tree from one string: `//- path` opens a file, the lines up to the next header are its text.
///
/// Bytes that are no text have two headers of their own. After `//- hex:path` the lines hold pairs of hexadecimal digits and
/// ASCII text in double quotes, with spaces anywhere and comments from `#`; after `//- base64:path` they hold base64.
pub fn fixture(text: &str) -> Result<MemoryTree, FixtureError> {
    let mut tree = MemoryTree::default();
    let mut current: Option<(&str, String)> = None;
    let mut close = |file: Option<(&str, String)>| {
        let Some((header, text)) = file else { return Ok(()) };
        let (path, bytes) = match header.split_once(':') {
            Some(("hex", path)) => (path, from_hex(&text).ok_or(FixtureError)?),
            Some(("base64", path)) => (path, from_base64(&text).ok_or(FixtureError)?),
            _ => (header, text.into_bytes()),
        };
        tree.insert(path, bytes);
        Ok(())
    };
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("//- ") {
            close(current.replace((header.trim(), String::new())))?;
        } else if let Some((_, text)) = &mut current {
            text.push_str(line);
            text.push('\n');
        } else if !line.trim().is_empty() {
            return Err(FixtureError);
        }
    }
    close(current)?;
    Ok(tree)
}

/// Pairs of hexadecimal digits and quoted ASCII; a comment runs from `#` to the end of its line.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    for line in text.lines() {
        let mut bytes = line.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'#' => break,
                b'"' => loop {
                    match bytes.next()? {
                        b'"' => break,
                        byte => out.push(byte),
                    }
                },
                _ if byte.is_ascii_whitespace() => {}
                _ => {
                    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                    out.push(digit(byte)? << 4 | digit(bytes.next()?)?);
                }
            }
        }
    }
    Some(out)
}

/// Base64 with the usual alphabet, white space anywhere, padding optional.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0x00FF_FFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits & 0xFF) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_day_and_environments_of_tests_are_no_product() {
        for (path, zone) in [
            ("backups/20250920_232509/ai.py", Zone::Generated),
            ("tools/backup/2025-09-20/ai.py", Zone::Generated),
            ("backup_20250920/src/ai.py", Zone::Generated),
            (".history/app/chat_20250920232509.ts", Zone::Generated),
            ("notebooks/.ipynb_checkpoints/train-checkpoint.ipynb", Zone::Generated),
            ("app/history/chat.ts", Zone::Product),
            ("backup/upload.py", Zone::Product),
            ("app/backups/v2/ai.py", Zone::Product),
            ("backup-service/ai.py", Zone::Product),
            ("20250920/ai.py", Zone::Product),
            ("deleteme.py", Zone::Example),
            ("tools/delete_me.ts", Zone::Example),
            ("app/delete_message.ts", Zone::Product),
            (".env.testing", Zone::Test),
            (".env", Zone::Product),
            (".env.production", Zone::Product),
        ] {
            assert_eq!(Zone::of_path(path, ""), zone, "{path}");
        }
    }

    #[test]
    fn what_changes_files_is_none_of_them() {
        for (path, zone) in [
            ("deploy/nginx.diff", Zone::Generated),
            ("patches/0001-logs.patch", Zone::Generated),
            ("deploy/patch.yaml", Zone::Product),
            ("src/diff.py", Zone::Product),
        ] {
            assert_eq!(Zone::of_path(path, ""), zone, "{path}");
        }
    }

    #[test]
    fn a_script_without_an_ending_is_told_by_its_first_line() {
        for (head, language) in [
            ("#!/bin/bash\nset -e\n", Language::Shell),
            ("#!/usr/bin/env -S zsh -f\n", Language::Shell),
            ("#!/usr/bin/env python3.12\n", Language::Python),
            ("#!/usr/bin/env node\n", Language::JavaScript),
            ("#!/usr/bin/perl\n", Language::Other),
            ("# no #!/bin/sh at the start\n", Language::Other),
        ] {
            assert_eq!(Language::of("bin/ask", head), language, "{head}");
        }
        assert_eq!(Language::of("notes.txt", "#!/bin/sh\n"), Language::Markup);
    }

    #[test]
    fn a_fixture_is_split_at_its_headers() {
        let tree = fixture("//- a.py\nx = 1\n//- b/c.md\n# T\n").unwrap();
        let paths: Vec<_> = tree.files().map(|file| file.path.to_string()).collect();
        assert_eq!(paths, ["a.py", "b/c.md"]);
        assert_eq!(tree.file("a.py").unwrap().text().unwrap(), "x = 1\n");
    }

    #[test]
    fn a_fixture_holds_bytes_as_hexadecimal_or_base64() {
        let tree =
            fixture("//- hex:m.bin\n80 02 # PROTO 2\n\"cos\" 0a2E\n//- base64:d/n.bin\ngAJj\nb3M=\n//- c.py\nx\n")
                .unwrap();
        let bytes = |path: &str| tree.file(path).unwrap().bytes.into_owned();
        assert_eq!(bytes("m.bin"), b"\x80\x02cos\n.");
        assert_eq!(bytes("d/n.bin"), b"\x80\x02cos");
        assert_eq!(bytes("c.py"), b"x\n");
        assert!(fixture("//- hex:m.bin\n8\n").is_err());
        assert!(fixture("//- hex:m.bin\n\"open\n").is_err());
        assert!(fixture("//- base64:m.bin\n*\n").is_err());
    }

    #[test]
    fn text_is_told_from_binary_and_utf16_is_read() {
        let file = |bytes: &[u8]| SourceFile::new("x.txt", bytes.to_vec()).text().map(Cow::into_owned);
        assert_eq!(file(b"\xEF\xBB\xBFhi").as_deref(), Some("hi"));
        assert_eq!(file(b"\xFF\xFEh\0i\0").as_deref(), Some("hi"));
        assert_eq!(file(b"a\0b"), None);
    }

    #[test]
    fn zones_follow_folders_names_and_marks() {
        let zone = |path: &str| Zone::of_path(path, "");
        assert_eq!(zone("src/app.py"), Zone::Product);
        assert_eq!(zone("src/app.test.ts"), Zone::Test);
        assert_eq!(zone("pkg/x_test.go"), Zone::Test);
        assert_eq!(zone("scripts/test-analysis.ts"), Zone::Test);
        assert_eq!(zone("frontend/test-websocket.html"), Zone::Test);
        assert_eq!(zone("app/test-drive.tsx"), Zone::Product);
        assert_eq!(zone("src/main/java/a/LatestOffer.java"), Zone::Product);
        assert_eq!(zone("src/main/java/a/OfferTest.java"), Zone::Test);
        assert_eq!(zone("src/main/java/com/example/demo/App.java"), Zone::Product);
        assert_eq!(zone("app/src/androidTest/java/a/Shot.kt"), Zone::Test);
        assert_eq!(zone("src/latest/app.ts"), Zone::Product);
        assert_eq!(zone("vendor/x/y.go"), Zone::Vendored);
        assert_eq!(zone("examples/chat.py"), Zone::Example);
        assert_eq!(zone("open-ai-examples/src/main/java/a/Chat.java"), Zone::Example);
        assert_eq!(zone("src/sampler/app.py"), Zone::Product);
        assert_eq!(zone("src/main/java/com/acme/chat_example/App.java"), Zone::Product);
        assert_eq!(
            Zone::of_path(
                "docs/api/a.html",
                "<html>\n<head>\n<!-- Generated by javadoc (17) on Mon -->\n"
            ),
            Zone::Generated
        );
        assert_eq!(Zone::of_path(".claude/hooks/speak.py", ""), Zone::Example);
        assert_eq!(Zone::of_path(".claude/settings.json", ""), Zone::Product);
        assert_eq!(
            Zone::of_path("docs/a.html", "<html>\n<head>\n<title>How javadoc is used</title>\n"),
            Zone::Docs
        );
        assert_eq!(
            Zone::of_path("a.go", "// Code generated by protoc. DO NOT EDIT.\n"),
            Zone::Generated
        );
        assert_eq!(Zone::of_path("a.go", "var warning = \"DO NOT EDIT\"\n"), Zone::Product);
    }
}
