//! Where names stand in the texts of a tree, whatever the files are: code, pages, manifests, settings, scripts.
//!
//! What a text says of the names that are asked for has a digest, so that a change of a text that says the same of them changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use engine_model::{FileInfo, Language, Zone};
use rayon::prelude::*;
use rustc_hash::FxHashMap as HashMap;
use serde::{Deserialize, Serialize};

use crate::CodeFacts;
use crate::dead_code::stem_of;
use crate::modules::Texts;
use crate::project::is_script;

/// Texts that are searched, and the longest that is.
const FILES_MAX: usize = 20_000;
const BYTES_MAX: u64 = 96 * 1024 * 1024;
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Ways to find code while a program runs, without its name, by the languages that have them.
const LOOKS_UP: [(&str, u8); 73] = [
    ("import_module", PYTHON),
    ("__import__", PYTHON),
    ("pkgutil", PYTHON),
    ("spec_from_file_location", PYTHON),
    ("load_extension", PYTHON),
    ("runpy", PYTHON),
    ("__subclasses__", PYTHON),
    ("__init_subclass__", PYTHON),
    ("globals()", PYTHON),
    ("inspect.getmembers", PYTHON),
    ("getattr(sys.modules", PYTHON),
    ("require.context", SCRIPT),
    ("import.meta.glob", SCRIPT),
    ("importAll", SCRIPT),
    ("require_tree", SCRIPT),
    ("autoload", SCRIPT),
    ("AutoLoad", SCRIPT),
    ("moleculer", SCRIPT),
    ("require-dir", SCRIPT),
    ("require-all", SCRIPT),
    ("loadModules", SCRIPT),
    ("meteor/", SCRIPT),
    ("nuxt", SCRIPT),
    ("auto-import", SCRIPT_FILES),
    ("AutoImport", SCRIPT_FILES),
    ("\"sails\"", SCRIPT),
    ("\"egg\"", SCRIPT),
    ("import(", SCRIPT),
    ("require(", SCRIPT),
    ("GetTypes(", CSHARP),
    ("GetExportedTypes", CSHARP),
    ("DefinedTypes", CSHARP),
    ("Activator.CreateInstance", CSHARP),
    ("ActivatorUtilities", CSHARP),
    ("Type.GetType", CSHARP),
    (".GetMethod(", CSHARP),
    (".GetMethods(", CSHARP),
    (".Scan(", CSHARP),
    ("RegisterAssembly", CSHARP),
    ("FromAssembl", CSHARP),
    ("Assembly.Load", CSHARP),
    ("GeneratePackageOnBuild", CSHARP),
    ("<PackageId>", CSHARP),
    ("Class.forName", JVM),
    ("ServiceLoader", JVM),
    ("ClassPathScanning", JVM),
    ("Reflections(", JVM),
    ("loadClass(", JVM),
    ("getDeclaredMethod", JVM),
    (".getMethod(", JVM),
    ("memberFunctions", JVM),
    ("maven-publish", JVM),
    ("mavenPublishing", JVM),
    ("java-library", JVM),
    ("com.android.library", JVM),
    ("central-publishing", JVM),
    ("getattr(", PYTHON_FUNCTIONS),
    ("classifiers", PYTHON_FUNCTIONS),
    ("\"publishConfig\"", SCRIPT_FUNCTIONS),
    ("\"exports\":", SCRIPT_FUNCTIONS),
    ("\"typings\":", SCRIPT_FUNCTIONS),
    ("\"types\": \"", SCRIPT_FUNCTIONS),
    ("import * as ", SCRIPT_FUNCTIONS),
    ("new $", PHP),
    ("class_exists", PHP),
    ("ReflectionClass", PHP),
    ("get_declared_classes", PHP),
    ("DirectoryIterator", PHP),
    ("glob(", PHP),
    ("->load->library", PHP),
    ("->load->model", PHP),
    ("$class::", PHP),
    ("\"type\": \"library\"", PHP),
];

const PYTHON: u8 = 1;
const SCRIPT: u8 = 2;
const CSHARP: u8 = 4;
const JVM: u8 = 8;
/// Ways that lead to functions and not to whole files: by a name that is put together, or from whoever installs the package.
const PYTHON_FUNCTIONS: u8 = 16;
const SCRIPT_FUNCTIONS: u8 = 32;
/// Ways that bring in files of scripts without a line for it, while what is in them is called by its name.
const SCRIPT_FILES: u8 = 64;
const PHP: u8 = 128;

/// Endings of files that hold no text which names code.
const NO_TEXT: [&str; 36] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "svg", "bmp", "pdf", "zip", "gz", "tar", "jar", "war", "dll", "exe",
    "so", "dylib", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "wav", "ogg", "webm", "lock", "map", "pkl",
    "csv", "parquet", "db", "sqlite", "bin",
];

/// What a name that is asked for is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A class of the file that is its own.
    Class,
    /// A method or function.
    Method,
    /// A function at the top of a file, or a method, of a language in which names are bound while the program runs.
    Function,
    /// A variable or field.
    Value,
    /// The name of a file without its ending.
    File,
    /// The name of a folder.
    Folder,
    /// Something that a class extends.
    Base,
    /// The last step of a path at which a file answers.
    Route,
    /// What stands before the steps of a path that is put together.
    OpenRoute,
}

/// A name that is searched for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The file that declares it.
    pub(crate) own: String,
    pub(crate) kind: Kind,
}

impl Token {
    pub(crate) fn base(name: &str) -> Self {
        Self {
            text: name.to_owned(),
            own: String::new(),
            kind: Kind::Base,
        }
    }

    pub(crate) fn file(path: &str) -> Self {
        Self {
            text: stem_of(path).to_owned(),
            own: path.to_owned(),
            kind: Kind::File,
        }
    }

    /// A name that a file may share with all others.
    pub(crate) fn name(path: &str, name: &str) -> Self {
        Self {
            text: name.to_owned(),
            own: path.to_owned(),
            kind: Kind::Value,
        }
    }

    pub(crate) fn folder(path: &str) -> Self {
        Self {
            text: path.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_owned(),
            own: String::new(),
            kind: Kind::Folder,
        }
    }
}

/// What a place does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum How {
    /// Anything that is not one of the others.
    Uses,
    /// It declares a type or a method of the name.
    Declares,
    /// It hands it out of the file under the same name.
    Exports,
}

/// A place of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the file among those that were searched.
    pub(crate) file: usize,
    pub(crate) line: u32,
    pub(crate) how: How,
}

/// The places of all names that were searched for.
#[derive(Debug, Default)]
pub(crate) struct Mentioned {
    /// The files that were searched, by their numbers.
    files: Vec<String>,
    /// The number of the name that each token asks for.
    names: Vec<usize>,
    /// The places of each name.
    places: Vec<Vec<Place>>,
    looks_up: u8,
}

impl Mentioned {
    /// Files that declare a thing of the same name have the same places: they are held once.
    pub(crate) fn of(&self, token: usize) -> &[Place] {
        let places = self.names.get(token).and_then(|name| self.places.get(*name));
        places.map_or(&[], Vec::as_slice)
    }

    /// The files that were searched, by their numbers.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// The file of a place.
    pub(crate) fn file(&self, place: &Place) -> &str {
        &self.files[place.file]
    }

    /// Whether code of a language finds other code without its name.
    pub(crate) const fn looks_up(&self, language: Language) -> bool {
        self.looks_up & group(language) != 0
    }

    /// Whether code of a language finds files without their names.
    pub(crate) const fn looks_up_files(&self, language: Language) -> bool {
        let own = group(language);
        self.looks_up & (own | files_of(own)) != 0
    }

    /// Whether code of a language finds functions without their names, or others do who install it.
    pub(crate) const fn looks_up_functions(&self, language: Language) -> bool {
        self.looks_up & functions_of(group(language)) != 0
    }
}

const fn functions_of(group: u8) -> u8 {
    match group {
        PYTHON => PYTHON_FUNCTIONS,
        SCRIPT => SCRIPT_FUNCTIONS,
        _ => 0,
    }
}

const fn files_of(group: u8) -> u8 {
    if group == SCRIPT { SCRIPT_FILES } else { 0 }
}

const fn group(language: Language) -> u8 {
    match language {
        Language::Python | Language::Notebook => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Html => SCRIPT,
        Language::CSharp => CSHARP,
        Language::Java | Language::Kotlin => JVM,
        Language::Php => PHP,
        _ => 0,
    }
}

/// What was searched for, and what each text said: enough to tell whether another text says the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Search {
    pub(crate) tokens: Vec<Token>,
    /// Digests of what was said, by file.
    pub(crate) files: BTreeMap<String, [u8; 32]>,
}

/// Names that are searched for at once.
///
/// Many files may declare a thing of one name. The name is searched for once, whoever declares it.
pub(crate) struct Searcher<'t> {
    /// The names, each a text and what it is one of.
    names: Vec<(&'t str, Kind)>,
    /// The numbers of the names with one text, by the pattern of the automaton.
    of_text: Vec<Vec<usize>>,
    /// The number of the name that each token asks for.
    of_token: Vec<usize>,
    /// The names that a file declares.
    own: HashMap<&'t str, Vec<usize>>,
    automaton: AhoCorasick,
}

/// What one text says of the names.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Number of the name, line, and what the place does with it.
    pub(crate) places: Vec<(usize, u32, How)>,
    looks_up: u8,
}

/// What one text said of the names, by the digest of the text.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    of: [u8; 32],
    pub(crate) said: Arc<Said>,
    /// Digest of what it said.
    digest: [u8; 32],
}

/// What texts said of the names of one search, by path.
pub(crate) type Answers = HashMap<String, Answer>;

/// Searches all texts of a tree; none where they are too many.
pub(crate) fn searched(files: &[(&FileInfo, &CodeFacts)], tokens: Vec<Token>, texts: &Texts<'_>) -> Option<Mentioned> {
    let mut counted = Searched::default();
    let wanted: Vec<&FileInfo> = files
        .iter()
        .map(|(info, _)| *info)
        .filter(|info| counted.counts(info))
        .collect();
    if !counted.are_few() {
        return None;
    }
    let searcher = Searcher::new(&tokens)?;
    let mut out = Mentioned {
        files: Vec::with_capacity(wanted.len()),
        names: searcher.of_token.clone(),
        places: vec![Vec::new(); searcher.names.len()],
        looks_up: 0,
    };
    let mut said_by = BTreeMap::new();
    // A text that has not changed says of the same names what it said before.
    let before = texts.answers(&tokens);
    let answers: Vec<Answer> = wanted
        .par_iter()
        .map(|info| {
            if let Some(known) = before.get(&info.path).filter(|known| known.of == info.digest) {
                return known.clone();
            }
            let text = texts.text(&info.path);
            // What could not be read is asked again.
            let of = text.as_ref().map_or([0; 32], |_| info.digest);
            let said = text.map(|text| searcher.look(&info.path, &text)).unwrap_or_default();
            Answer {
                of,
                digest: searcher.digest_of(&said, &info.path),
                said: Arc::new(said),
            }
        })
        .collect();
    drop(before);
    let mut kept = Answers::default();
    for (file, (info, answer)) in wanted.into_iter().zip(answers).enumerate() {
        said_by.insert(info.path.clone(), answer.digest);
        out.looks_up |= answer.said.looks_up;
        for (name, line, how) in &answer.said.places {
            out.places[*name].push(Place {
                file,
                line: *line,
                how: *how,
            });
        }
        out.files.push(info.path.clone());
        kept.insert(info.path.clone(), answer);
    }
    drop(searcher);
    texts.keep_answers(&tokens, kept);
    texts.keep_search(Search { tokens, files: said_by });
    Some(out)
}

/// Counts the files that are searched: whether the texts of a tree are few enough.
#[derive(Default)]
pub(crate) struct Searched {
    count: usize,
    bytes: u64,
}

impl Searched {
    /// Whether a file is searched; it counts if it is.
    pub(crate) fn counts(&mut self, info: &FileInfo) -> bool {
        let is_searched = is_searched(info);
        if is_searched {
            self.count += 1;
            self.bytes += info.size;
        }
        is_searched
    }

    pub(crate) const fn are_few(&self) -> bool {
        self.count <= FILES_MAX && self.bytes <= BYTES_MAX
    }
}

/// Whether a file may name what runs: no test, no copy of others, no prose that is not for machines.
pub(crate) fn is_searched(info: &FileInfo) -> bool {
    let name = info.path.rsplit('/').next().unwrap_or(&info.path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !matches!(info.zone, Zone::Test | Zone::Vendored | Zone::Generated)
        && info.size <= FILE_BYTES_MAX
        && info.language != Language::Notebook
        && !is_no_text(ending)
        && !matches!(
            name,
            "package-lock.json" | "pnpm-lock.yaml" | "composer.lock" | "Pipfile.lock"
        )
}

/// Whether files with an ending hold no text that names anything.
fn is_no_text(ending: &str) -> bool {
    (2..=7).contains(&ending.len()) && NO_TEXT.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

impl<'t> Searcher<'t> {
    pub(crate) fn new(tokens: &'t [Token]) -> Option<Self> {
        let (mut names, mut of_text, mut texts) = (Vec::new(), Vec::<Vec<usize>>::new(), Vec::new());
        let mut known_names: HashMap<(&str, Kind), usize> = HashMap::default();
        let mut known_texts: HashMap<&str, usize> = HashMap::default();
        let mut own: HashMap<&str, Vec<usize>> = HashMap::default();
        let mut of_token = Vec::with_capacity(tokens.len());
        for token in tokens {
            let text = token.text.as_str();
            let pattern = *known_texts.entry(text).or_insert_with(|| {
                texts.push(text);
                of_text.push(Vec::new());
                texts.len() - 1
            });
            let name = *known_names.entry((text, token.kind)).or_insert_with(|| {
                names.push((text, token.kind));
                of_text[pattern].push(names.len() - 1);
                names.len() - 1
            });
            of_token.push(name);
            own.entry(token.own.as_str()).or_default().push(name);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(texts.into_iter().chain(LOOKS_UP.iter().map(|(text, _)| *text)))
            .ok()?;
        Some(Self {
            names,
            of_text,
            of_token,
            own,
            automaton,
        })
    }

    /// Digest of what a text says.
    pub(crate) fn digest(&self, path: &str, text: &str) -> [u8; 32] {
        self.digest_of(&self.look(path, text), path)
    }

    /// Places of a name count by their lines in a file that declares it only.
    fn digest_of(&self, said: &Said, path: &str) -> [u8; 32] {
        let own = self.own.get(path).map_or(&[][..], Vec::as_slice);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[said.looks_up]);
        let mut places: Vec<(usize, u32, How)> = said
            .places
            .iter()
            .map(|(name, line, how)| (*name, if own.contains(name) { *line } else { 0 }, *how))
            .collect();
        places.sort_unstable();
        places.dedup();
        for (name, line, how) in places {
            hasher.update(&(name as u64).to_le_bytes());
            hasher.update(&line.to_le_bytes());
            hasher.update(&[how as u8]);
        }
        *hasher.finalize().as_bytes()
    }

    fn look(&self, path: &str, text: &str) -> Said {
        let language = crate::language_of(path, Language::of_path(path));
        let own = match language {
            // Builds say what is handed to others.
            Language::Xml => CSHARP | JVM,
            Language::Other => JVM | SCRIPT,
            Language::Toml => JVM | SCRIPT | PYTHON_FUNCTIONS,
            Language::Json => SCRIPT | SCRIPT_FUNCTIONS | SCRIPT_FILES | PHP,
            _ => group(language) | functions_of(group(language)) | files_of(group(language)),
        };
        let bytes = text.as_bytes();
        let mut said = Said::default();
        let (mut line, mut counted) = (1_u32, 0);
        for hit in self.automaton.find_overlapping_iter(text) {
            let at = hit.pattern().as_usize();
            let (start, end) = (hit.start(), hit.end());
            if let Some((mark, bit)) = at.checked_sub(self.of_text.len()).and_then(|at| LOOKS_UP.get(at)) {
                let is_part = start > 0 && is_word(bytes[start - 1]);
                let literal = match *bit {
                    SCRIPT => mark.ends_with('(') && (names_one(&text[end..]) || is_part),
                    PYTHON_FUNCTIONS => mark.ends_with('(') && (is_part || gets_one(&text[end..])),
                    SCRIPT_FUNCTIONS => mark.starts_with("import") && !is_of_tree(&text[end..]),
                    _ => false,
                };
                if own & bit != 0 && !literal && !is_comment(line_of(text, start), language) {
                    said.looks_up |= bit;
                }
                continue;
            }
            if start > 0 && is_word(bytes[start - 1]) || bytes.get(end).is_some_and(|next| is_word(*next)) {
                continue;
            }
            let whole = line_of(text, start);
            if is_comment(whole, language) {
                continue;
            }
            let before = text[..start].rsplit('\n').next().unwrap_or("");
            let after = &text[end..];
            for name in &self.of_text[at] {
                let kind = self.names[*name].1;
                let Some(how) = how(kind, path, language, whole, before, after) else {
                    continue;
                };
                let handed_out = kind == Kind::Function
                    && is_script(language)
                    && (is_in_list(text, start, after) || is_handed_by_name(whole, after));
                let how = if handed_out { How::Exports } else { how };
                // Names may overlap, and stand on one line then.
                if let Some(between) = text.get(counted..start) {
                    line += u32::try_from(between.matches('\n').count()).unwrap_or(0);
                    counted = start;
                }
                said.places.push((*name, line, how));
            }
        }
        said
    }
}

/// What a place does with a name; none where it says nothing.
fn how(kind: Kind, path: &str, language: Language, line: &str, before: &str, after: &str) -> Option<How> {
    let prose = language == Language::Markup && path.rsplit('.').next() != Some("mdx");
    match kind {
        Kind::Base => {
            let word = before
                .trim_end()
                .rsplit(|c: char| !c.is_alphanumeric())
                .next()
                .unwrap_or("");
            matches!(word, "interface" | "class" | "record" | "struct" | "trait" | "object").then_some(How::Declares)
        }
        Kind::Route => {
            // `post('story')`, not one of the words of a type.
            let handed = before
                .strip_suffix(['"', '\'', '`'])
                .is_some_and(|before| before.trim_end().ends_with(['(', ',', ':', '=']));
            let quoted = handed && after.starts_with(['"', '\'', '`']) && speaks_of_a_request(line);
            // `/api/story-image` is another path than `/api/story`.
            let is_part =
                after.starts_with('-') || after.starts_with('.') && after[1..].starts_with(char::is_alphanumeric);
            (!prose && !is_part && (before.ends_with('/') || quoted)).then_some(How::Uses)
        }
        Kind::OpenRoute => {
            let open = ["/${", "/\"", "/'", "/`", "/:", "/*"]
                .iter()
                .any(|end| after.starts_with(end));
            (!prose && open).then_some(How::Uses)
        }
        Kind::Folder => {
            let part = after.starts_with(['/', '.']) || before.ends_with(['/', '.', '\\']);
            (part && (!prose || is_command(line))).then_some(How::Uses)
        }
        Kind::File => {
            // The name of a package that is called like the file.
            let package = path.ends_with("package.json") && after.starts_with("\":");
            // `gemini-pro` is another word than the file `gemini`.
            let is_part = after
                .strip_prefix('-')
                .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
            (!package && !is_part && (!prose || is_command(line))).then_some(How::Uses)
        }
        Kind::Class | Kind::Method | Kind::Function | Kind::Value if prose => None,
        // A step of an address is no function: `${host}/embeddings`.
        Kind::Function if before.ends_with("}/") || before.ends_with('/') && before.contains("://") => None,
        Kind::Class => {
            let out = is_script(language) && hands_out(line);
            Some(if out { How::Exports } else { How::Uses })
        }
        Kind::Method | Kind::Function if declares(before, after) => Some(How::Declares),
        Kind::Method | Kind::Function | Kind::Value => Some(How::Uses),
    }
}

/// Whether a line has to do with a request: then a word in quotes may be the step of a path.
fn speaks_of_a_request(line: &str) -> bool {
    const WORDS: [&str; 13] = [
        "fetch", "axios", "post", "get(", "put(", "request", "api", "url", "path", "endpoint", "swr", "query", "mutat",
    ];
    let lower = line.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Whether a line of a script hands out what it names.
fn hands_out(line: &str) -> bool {
    let trimmed = line.trim_start();
    let starts = [
        "export ",
        "module.exports = {",
        "module.exports.",
        "exports.",
        "window.",
        "globalThis.",
    ];
    starts.iter().any(|start| trimmed.starts_with(start))
        && !trimmed.contains(" as ")
        && !trimmed.contains("default")
        && !trimmed.contains("new ")
}

/// Whether a name stands by itself in a list of what a script hands out: `export { ask, tell }`, `module.exports = {\n  ask,\n};`, or
/// `const service = { ask, tell };` where the file hands out `service` as a whole.
fn is_in_list(text: &str, start: usize, after: &str) -> bool {
    /// A longer list is one of another kind.
    const LIST_BYTES_MAX: usize = 2_000;
    let before = &text[..start];
    let mut from = before.len().saturating_sub(LIST_BYTES_MAX);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let Some((head, inside)) = before[from..].rsplit_once('{') else {
        return false;
    };
    let head = head.trim_end();
    let names = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ',') || c.is_whitespace();
    inside.chars().all(names)
        && after.trim_start().starts_with([',', '}'])
        && (head.ends_with("module.exports =")
            || head.ends_with("export")
            || head.ends_with("export default")
            || kept_in(head).is_some_and(|name| is_the_whole_of(&text[start..], name)))
}

/// The name of a constant to which the end of a text gives a value: `const service =`.
fn kept_in(head: &str) -> Option<&str> {
    let (declared, name) = head.strip_suffix('=')?.trim_end().rsplit_once(' ')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    (declared.ends_with("const") && !name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Whether a script hands out a name as all that it has, soon behind it or at its end: `export default service;`.
fn is_the_whole_of(behind: &str, name: &str) -> bool {
    /// Bytes that are looked at behind the name, and as many at the end of the file.
    const NEAR: usize = 2_000;
    let cut = |mut at: usize| {
        while !behind.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (soon, last) = (cut(behind.len().min(NEAR)), cut(behind.len().saturating_sub(NEAR)));
    [&behind[..soon], &behind[last..]]
        .into_iter()
        .any(|text| hands_out_whole(text, name))
}

fn hands_out_whole(text: &str, name: &str) -> bool {
    ["export default ", "module.exports = "].iter().any(|hands| {
        text.match_indices(hands).any(|(at, _)| {
            text[at + hands.len()..]
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([';', '\n', '\r']))
        })
    })
}

/// Whether a line hands out a name as it is: `exports.ask = ask;`.
fn is_handed_by_name(line: &str, after: &str) -> bool {
    let line = line.trim_start();
    let after = after.trim_start();
    (line.starts_with("exports.") || line.starts_with("module.exports."))
        && (after.is_empty() || after.starts_with([';', '=', '\n']))
}

/// Whether what stands behind `getattr(` names one attribute.
fn gets_one(after: &str) -> bool {
    let inner = after.split(')').next().unwrap_or(after);
    inner
        .split_once(',')
        .is_some_and(|(_, name)| name.trim_start().starts_with(['"', '\'']))
}

/// Whether what stands behind `import * as` is a module of the tree.
fn is_of_tree(after: &str) -> bool {
    let line = after.split('\n').next().unwrap_or(after);
    line.split_once("from").is_some_and(|(_, module)| {
        module
            .trim_start()
            .trim_start_matches(['"', '\'', '`'])
            .starts_with(['.', '~', '#', '$'])
            || module.contains("@/")
    })
}

/// Whether what stands around a name declares a method: a type or a keyword before it and parameters behind it.
fn declares(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    // A part of an interface of TypeScript that may be missing: `embeddings?(input: string): Promise<number[]>;`.
    if before.trim().is_empty() && after.starts_with("?(") {
        return true;
    }
    if !after.starts_with('(') && !after.starts_with('<') {
        return false;
    }
    let before = before.rsplit(['{', '}', ';']).next().unwrap_or(before).trim();
    let types =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '<' | '>' | '[' | ']' | ',' | '.' | '?' | '@' | '\t');
    !before.is_empty()
        && before.chars().all(types)
        && before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | ']' | '?'))
        && !before.split(|c: char| !c.is_alphanumeric()).any(|word| {
            matches!(
                word,
                "return"
                    | "await"
                    | "new"
                    | "throw"
                    | "yield"
                    | "else"
                    | "case"
                    | "in"
                    | "is"
                    | "as"
                    | "not"
                    | "do"
                    | "when"
                    | "assert"
                    | "goto"
                    | "lock"
            )
        })
}

/// Whether what stands behind `import(` or `require(` names one module.
fn names_one(after: &str) -> bool {
    let mut rest = after.trim_start();
    while let Some((_, behind)) = rest.strip_prefix("/*").and_then(|inner| inner.split_once("*/")) {
        rest = behind.trim_start();
    }
    let Some(quote) = rest.chars().next() else { return true };
    match quote {
        '"' | '\'' | ')' => true,
        '`' => !rest[1..].split('`').next().unwrap_or("").contains("${"),
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    &text[start..end]
}

/// Whether a line is nothing but a remark.
fn is_comment(line: &str, language: Language) -> bool {
    let line = line.trim_start();
    match language {
        Language::Python | Language::Shell | Language::Yaml | Language::Toml | Language::Ruby | Language::Other => {
            line.starts_with('#')
        }
        Language::Html | Language::Xml => line.starts_with("<!--") && line.contains("-->"),
        Language::Json | Language::Markup => false,
        _ => {
            line.starts_with("//")
                || line.starts_with("/*")
                || line == "*"
                || line.starts_with("* ")
                || line.starts_with("*/")
        }
    }
}

/// Whether a line of prose holds a command that starts something.
fn is_command(line: &str) -> bool {
    [
        "python",
        "node ",
        "nodemon",
        "npm ",
        "npx ",
        "bun ",
        "deno ",
        "uvicorn",
        "gunicorn",
        "hypercorn",
        "streamlit",
        "flask",
        "fastapi",
        "tsx ",
        "ts-node",
        "yarn ",
        "pnpm ",
        "./",
        "java ",
        "docker",
        "celery",
        "chainlit",
        "gradio",
        "uv run",
        "poetry run",
        "pm2 ",
        "$ ",
    ]
    .iter()
    .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Searcher, Token, declares, names_one};

    #[test]
    fn a_declaration_has_a_type_before_the_name_and_parameters_behind_it() {
        assert!(declares("    public Task<IEnumerable<Part>> ", "(string prompt);"));
        assert!(declares("    suspend fun ", "(prompt: String): String"));
        for before in [
            "        return ",
            "        var x = ",
            "        await client.",
            "        ",
            "        Run(",
        ] {
            assert!(!declares(before, "(prompt);"), "{before}");
        }
    }

    #[test]
    fn a_module_that_is_brought_in_by_a_constant_name_is_one() {
        assert!(names_one("'./a')") && names_one(" /* webpackChunkName: \"a\" */ \"./a\")") && names_one("`./a`)"));
        assert!(!names_one("`./${name}`)") && !names_one("path.join(dir, file))"));
    }

    #[test]
    fn names_that_overlap_are_both_seen_on_their_line() {
        let token = |text: &str| Token {
            text: text.to_owned(),
            own: "utils/x.js".to_owned(),
            kind: Kind::File,
        };
        for tokens in [
            [token("service"), token("ai-service")],
            [token("ai-service"), token("service")],
        ] {
            let searcher = Searcher::new(&tokens).unwrap();
            let said = searcher.look("a.js", "\nimport './ai-service';\n\nimport 'service';\n");
            let mut lines: Vec<(&str, u32)> = said
                .places
                .iter()
                .map(|(name, line, _)| (searcher.names[*name].0, *line))
                .collect();
            lines.sort_unstable();
            assert_eq!(lines, [("ai-service", 2), ("service", 2), ("service", 4)]);
        }
    }
}
