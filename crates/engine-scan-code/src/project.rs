//! The files of a project as units, and which file an import means.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use engine_model::{FileInfo, Language, SourceText, Zone};
use engine_syntax::Module;
use rayon::prelude::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::aliases::Declared;
use crate::config_files::Loaded;
use crate::first_party::Own;
use crate::graph::{self, Graph};
use crate::modules::Texts;
use crate::prompt_files::PromptFiles;
use crate::settings::Settings;
use crate::{CodeFacts, shapes};

/// Tables of JSON beyond this number or length hold data and no settings.
const TABLES_MAX: usize = 50;
const TABLE_BYTES_MAX: usize = 64 * 1024;

/// Modules of Python's own library, and of libraries that are no AI, after which projects call files of their own: in a package such a name is the
/// library's.
const OF_OTHERS: [&str; 129] = [
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "builtins",
    "calendar",
    "celery",
    "cmd",
    "code",
    "codecs",
    "collections",
    "compression",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "discord",
    "django",
    "docker",
    "dotenv",
    "elasticsearch",
    "email",
    "enum",
    "errno",
    "fastapi",
    "flask",
    "functools",
    "git",
    "github",
    "gitlab",
    "glob",
    "graphlib",
    "grpc",
    "gzip",
    "hashlib",
    "heapq",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "jwt",
    "kafka",
    "keyword",
    "kubernetes",
    "linecache",
    "locale",
    "logging",
    "loguru",
    "math",
    "mimetypes",
    "multiprocessing",
    "numbers",
    "operator",
    "os",
    "pandas",
    "parser",
    "pathlib",
    "pickle",
    "platform",
    "plotly",
    "pprint",
    "profile",
    "prometheus_client",
    "pydantic",
    "queue",
    "random",
    "re",
    "redis",
    "requests",
    "resource",
    "rich",
    "sched",
    "schedule",
    "secrets",
    "select",
    "selenium",
    "sentry_sdk",
    "shelve",
    "shutil",
    "signal",
    "site",
    "slack",
    "socket",
    "sqlalchemy",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stripe",
    "struct",
    "subprocess",
    "symbol",
    "sys",
    "tarfile",
    "telegram",
    "telebot",
    "tempfile",
    "test",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "token",
    "tokenize",
    "toml",
    "trace",
    "traceback",
    "twilio",
    "types",
    "typing",
    "unittest",
    "urllib",
    "uuid",
    "uvicorn",
    "warnings",
    "weakref",
    "websockets",
    "xml",
    "yaml",
    "zipfile",
];

/// A parsed file.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) zone: Zone,
    pub(crate) language: Language,
    pub(crate) module: Arc<Module>,
    /// Digest of the lowered code.
    pub(crate) code: [u8; 32],
}

/// What modules mean, seen from one file: numbers of paths.
type Resolved = HashMap<Box<str>, Option<u32>>;

/// All paths of a project, findable by their ends.
pub(crate) struct Paths<'a> {
    all: HashMap<&'a str, u32>,
    list: Vec<&'a str>,
    /// Paths by file name without ending.
    by_stem: HashMap<&'a str, Vec<&'a str>>,
    /// Folders that hold source files.
    dirs: HashMap<&'a str, u32>,
    dir_list: Vec<&'a str>,
    /// The same folders by their last part, each list in order.
    dirs_by_name: HashMap<&'a str, Vec<&'a str>>,
    /// What was asked before: the same imports are looked at again and again.
    asked: RefCell<HashMap<Box<str>, Resolved>>,
    /// The same for the imports of Go, which mean the same wherever they stand.
    asked_folders: RefCell<Resolved>,
    /// Names under which the project knows itself.
    own: Own,
    /// Names that manifests give to files of the project.
    declared: Declared,
    settings: Settings,
    loaded: Loaded,
    /// Prompts that stand in files of their own.
    pub(crate) prompts: PromptFiles,
    /// Texts in files of their own that may tell people who answers.
    pub(crate) said: PromptFiles,
}

pub(crate) fn is_python(language: Language) -> bool {
    matches!(language, Language::Python | Language::Notebook)
}

pub(crate) fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx)
}

pub(crate) fn is_jvm(language: Language) -> bool {
    matches!(language, Language::Java | Language::Kotlin)
}

/// The folder of a path.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

pub(crate) fn join_path(dir: &str, rest: &str) -> String {
    let mut parts: Vec<&str> = if dir.is_empty() {
        Vec::new()
    } else {
        dir.split('/').collect()
    };
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

impl<'a> Paths<'a> {
    pub(crate) fn new(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut out = Self {
            all: HashMap::default(),
            list: Vec::new(),
            by_stem: HashMap::default(),
            dirs: HashMap::default(),
            dir_list: Vec::new(),
            dirs_by_name: HashMap::default(),
            asked: RefCell::default(),
            asked_folders: RefCell::default(),
            own: Own::default(),
            declared: Declared::default(),
            settings: Settings::default(),
            loaded: Loaded::default(),
            prompts: PromptFiles::default(),
            said: PromptFiles::default(),
        };
        for path in paths {
            out.add(path);
            out.by_stem.entry(stem(path)).or_default().push(path);
            let dir = folder(path);
            if !out.dirs.contains_key(dir) {
                out.dirs.insert(dir, crate::values::id(out.dir_list.len()));
                out.dir_list.push(dir);
                let name = dir.rsplit('/').next().unwrap_or(dir);
                out.dirs_by_name.entry(name).or_default().push(dir);
            }
        }
        #[expect(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
        for dirs in out.dirs_by_name.values_mut() {
            dirs.sort_unstable();
        }
        out
    }

    fn add(&mut self, path: &'a str) {
        if !self.all.contains_key(path) {
            self.all.insert(path, crate::values::id(self.list.len()));
            self.list.push(path);
            // Who asked before this path was known was told that there is none.
            self.asked.get_mut().clear();
        }
    }

    fn has(&self, path: &str) -> Option<&'a str> {
        self.all.get_key_value(path).map(|(path, _)| *path)
    }

    /// The paths that end with one of these endings of path, the nearest to `from` first.
    fn with_suffix(&self, from: &str, wanted: &[String]) -> Option<&'a str> {
        let mut best: Option<(&'a str, usize)> = None;
        for suffix in wanted {
            for path in self.by_stem.get(stem(suffix)).into_iter().flatten() {
                let fits = path
                    .strip_suffix(suffix.as_str())
                    .is_some_and(|head| head.is_empty() || head.ends_with('/'));
                if fits {
                    let near = path.bytes().zip(from.bytes()).take_while(|(a, b)| a == b).count();
                    if best.is_none_or(|(known, score)| near > score || (near == score && path.len() < known.len())) {
                        best = Some((path, near));
                    }
                }
            }
        }
        best.map(|(path, _)| path)
    }

    /// The file that a module name means, seen from another file.
    pub(crate) fn resolve(&self, from: &str, language: Language, module: &str) -> Option<&'a str> {
        if let Some(known) = self.asked.borrow().get(from).and_then(|of| of.get(module)) {
            return known.map(|at| self.list[at as usize]);
        }
        let found = self.look_up(from, language, module);
        let mut asked = self.asked.borrow_mut();
        if !asked.contains_key(from) {
            asked.insert(from.into(), Resolved::default());
        }
        if let Some(of) = asked.get_mut(from) {
            of.insert(module.into(), found.and_then(|path| self.all.get(path).copied()));
        }
        found
    }

    fn look_up(&self, from: &str, language: Language, module: &str) -> Option<&'a str> {
        if is_python(language) {
            self.python(from, module)
        } else if is_script(language) {
            self.script(from, module)
        } else if language == Language::Rust {
            self.rust(from, module)
        } else if language == Language::Php {
            self.php(from, module)
        } else if language == Language::Ruby {
            self.ruby(from, module)
        } else {
            None
        }
    }

    /// Files of configuration that code loads by itself.
    pub(crate) const fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// What the settings of a framework say.
    pub(crate) const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether an import names a part of the project itself, found or not.
    pub(crate) fn is_own(&self, from: &str, language: Language, module: &str) -> bool {
        let Some(inside) = self.own.inside(from, language, module) else {
            return false;
        };
        // A name alone is not enough where many a project is called like what it uses: the code must be there.
        if is_python(language) {
            let package = module.split('.').next().unwrap_or(module);
            return self.own_package(inside.folder, package).is_some();
        }
        if language == Language::Rust {
            return self.has(&join_path(inside.folder, "src/lib.rs")).is_some();
        }
        true
    }

    /// The folder in which a package of a Python project lies.
    fn own_package(&self, root: &str, package: &str) -> Option<String> {
        ["", "src/", "lib/", "python/"]
            .iter()
            .map(|base| join_path(root, base))
            .find(|base| {
                self.has(&join_path(base, &format!("{package}/__init__.py"))).is_some()
                    || self.dirs.contains_key(join_path(base, package).as_str())
            })
    }

    fn python(&self, from: &str, module: &str) -> Option<&'a str> {
        let file = |base: &str| {
            let init = if base.is_empty() {
                "__init__.py".to_owned()
            } else {
                format!("{base}/__init__.py")
            };
            self.has(&format!("{base}.py")).or_else(|| self.has(&init))
        };
        if let Some(inside) = self.own.inside(from, Language::Python, module) {
            let package = module.split('.').next().unwrap_or(module);
            if let Some(base) = self.own_package(inside.folder, package) {
                return file(&join_path(&base, &module.replace('.', "/"))).filter(|path| *path != from);
            }
        }
        let dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let rest = module[dots..].replace('.', "/");
        if dots > 0 {
            let mut dir = folder(from);
            for _ in 1..dots {
                dir = folder(dir);
            }
            return file(&join_path(dir, &rest));
        }
        if rest.is_empty() {
            return None;
        }
        let known = shapes::knows_root(Language::Python, module);
        // Beside the file, as a script sees it, then from each folder above.
        let mut dir = folder(from);
        let mut beside = None;
        loop {
            let base = join_path(dir, &rest);
            if let Some(path) = file(&base)
                && path != from
            {
                let root_level = dir.is_empty() || matches!(dir, "src" | "lib" | "python");
                let package = self.has(&join_path(dir, "__init__.py")).is_some();
                if rest.contains('/') || root_level || (!known && !package) {
                    return Some(path);
                }
                // A script that is started in a package finds what lies beside it, where nothing else is called so.
                if beside.is_none() && !known && dir == folder(from) && !OF_OTHERS.contains(&module) {
                    beside = Some(path);
                }
            }
            if dir.is_empty() {
                break;
            }
            dir = folder(dir);
        }
        if rest.contains('/') && !known {
            return self.with_suffix(from, &[format!("{rest}.py"), format!("{rest}/__init__.py")]);
        }
        beside
    }

    fn script_file(&self, base: &str) -> Option<&'a str> {
        const ENDINGS: [&str; 9] = ["", ".ts", ".tsx", ".js", ".mjs", ".jsx", ".cjs", ".mts", ".cts"];
        const INDEXES: [&str; 5] = ["/index.ts", "/index.tsx", "/index.js", "/index.mjs", "/index.jsx"];
        for ending in ENDINGS.iter().chain(&INDEXES) {
            if let Some(path) = self.has(&format!("{base}{ending}")) {
                return Some(path);
            }
        }
        let (head, ending) = base.rsplit_once('.')?;
        if matches!(ending, "js" | "mjs" | "cjs" | "jsx") {
            for ending in [".ts", ".tsx", ".mts", ".cts"] {
                if let Some(path) = self.has(&format!("{head}{ending}")) {
                    return Some(path);
                }
            }
        }
        None
    }

    fn script(&self, from: &str, module: &str) -> Option<&'a str> {
        self.script_by_name(from, module).or_else(|| {
            let path = self.declared.path(from, module)?;
            self.script_file(&path)
        })
    }

    fn script_by_name(&self, from: &str, module: &str) -> Option<&'a str> {
        if module.starts_with('.') {
            return self.script_file(&join_path(folder(from), module));
        }
        if let Some(inside) = self.own.inside(from, Language::TypeScript, module) {
            let bases = if inside.rest.is_empty() {
                vec![
                    "src/index".to_owned(),
                    "index".to_owned(),
                    "lib/index".to_owned(),
                    "src/main".to_owned(),
                ]
            } else {
                ["src/", "", "lib/"]
                    .iter()
                    .map(|base| format!("{base}{}", inside.rest))
                    .collect()
            };
            return bases
                .iter()
                .find_map(|base| self.script_file(&join_path(inside.folder, base)));
        }
        let rest = ["@/", "~/", "#/", "$lib/", "~~/", "@@/"]
            .iter()
            .find_map(|alias| module.strip_prefix(alias))
            .or_else(|| (module.contains('/') && !module.starts_with(['@', '#', '~', '$'])).then_some(module));
        let Some(rest) = rest else {
            return self.aliased(from, module);
        };
        let mut dir = folder(from);
        loop {
            for base in ["src/", "", "app/", "src/lib/", "lib/"] {
                let path = self.script_file(&join_path(dir, &format!("{base}{rest}")));
                if path.is_some() {
                    return path;
                }
            }
            if dir.is_empty() {
                return None;
            }
            dir = folder(dir);
        }
    }

    /// The file behind an alias that looks like a scope of packages: `@services/client` for `src/services/client.ts`.
    fn aliased(&self, from: &str, module: &str) -> Option<&'a str> {
        const BASES: [&str; 6] = ["src/", "", "app/", "src/app/", "src/lib/", "lib/"];
        if shapes::knows_root(Language::TypeScript, module) {
            return None;
        }
        let plain = module.strip_prefix(['@', '#', '~', '$'])?;
        let (name, rest) = plain.split_once('/').unwrap_or((plain, "index"));
        if name.is_empty() || rest.is_empty() {
            return None;
        }
        let mut dir = folder(from);
        loop {
            let below = BASES
                .iter()
                .find_map(|base| self.script_file(&join_path(dir, &format!("{base}{name}/{rest}"))));
            let package = || {
                ["", "packages/", "libs/"]
                    .iter()
                    .find_map(|base| self.script_file(&join_path(dir, &format!("{base}{name}/src/{rest}"))))
            };
            if let Some(path) = below.or_else(package) {
                return Some(path);
            }
            if dir.is_empty() {
                return None;
            }
            dir = folder(dir);
        }
    }

    /// The file that another one requires: beside it, below the root, or the one that ends so.
    fn php(&self, from: &str, module: &str) -> Option<&'a str> {
        let rest = module.strip_prefix("./")?;
        let beside = join_path(folder(from), rest);
        let found = self.has(&beside).or_else(|| self.has(&join_path("", rest)));
        found
            .or_else(|| self.with_suffix(from, &[rest.trim_start_matches("../").to_owned()]))
            .filter(|path| *path != from)
    }

    /// The file that `require_relative` names beside a file, or `require` below a folder of libraries.
    fn ruby(&self, from: &str, module: &str) -> Option<&'a str> {
        if module.starts_with(char::is_uppercase) {
            return None;
        }
        let file = format!("{}.rb", module.trim_end_matches(".rb"));
        let found = match file.strip_prefix("./") {
            Some(rest) => self.has(&join_path(folder(from), rest)),
            None => self.has(&format!("lib/{file}")).or_else(|| {
                let below = file
                    .contains('/')
                    .then(|| self.with_suffix(from, &[format!("lib/{file}")]));
                below.flatten()
            }),
        };
        found.filter(|path| *path != from)
    }

    fn rust(&self, from: &str, module: &str) -> Option<&'a str> {
        let mut parts: Vec<&str> = module.split("::").collect();
        if let Some(inside) = self.own.inside(from, Language::Rust, module)
            && let Some(lib) = self.has(&join_path(inside.folder, "src/lib.rs"))
        {
            if inside.rest.is_empty() {
                return Some(lib);
            }
            let base = join_path(inside.folder, &format!("src/{}", inside.rest.replace("::", "/")));
            return self
                .has(&format!("{base}.rs"))
                .or_else(|| self.has(&join_path(&base, "mod.rs")));
        }
        let own = stem(from);
        let mut dir = if matches!(own, "mod" | "lib" | "main") {
            folder(from).to_owned()
        } else {
            join_path(folder(from), own)
        };
        // A module below this file is meant before a crate of its name: `mod ollama; use ollama::api::chat;`.
        if !matches!(own, "lib" | "main") && !matches!(parts.first(), Some(&"self" | &"super" | &"crate")) {
            let base = join_path(&dir, &parts.join("/"));
            let below = self
                .has(&format!("{base}.rs"))
                .or_else(|| self.has(&join_path(&base, "mod.rs")));
            if below.is_some() {
                return below;
            }
        }
        if shapes::knows_root(Language::Rust, module) || matches!(parts.first(), Some(&"std" | &"core" | &"alloc")) {
            return None;
        }
        let mut anchored = true;
        match parts.first().copied() {
            Some("self") => {
                parts.remove(0);
            }
            Some("super") => {
                while parts.first() == Some(&"super") {
                    parts.remove(0);
                    dir = folder(&dir).to_owned();
                }
            }
            _ => anchored = false,
        }
        let file = |base: &str| {
            self.has(&format!("{base}.rs"))
                .or_else(|| self.has(&join_path(base, "mod.rs")))
                .or_else(|| self.has(&join_path(base, "lib.rs")))
                .or_else(|| self.has(&join_path(base, "main.rs")))
        };
        if anchored {
            return file(&join_path(&dir, &parts.join("/")));
        }
        let rest = parts[1..].join("/");
        let mut root = folder(from);
        loop {
            if root.is_empty() || root.ends_with("src") || root == "src" {
                // `crate` alone is the root; any other name alone is a module beside it.
                if (!rest.is_empty() || parts[0] == "crate")
                    && let Some(path) = file(&join_path(root, &rest))
                {
                    return Some(path);
                }
                if parts[0] != "crate"
                    && let Some(path) = file(&join_path(root, &parts.join("/")))
                {
                    return Some(path);
                }
            }
            if root.is_empty() {
                return None;
            }
            root = folder(root);
        }
    }

    /// The folder of this project that a Go import means.
    pub(crate) fn go_folder(&self, module: &str) -> Option<&'a str> {
        if let Some(known) = self.asked_folders.borrow().get(module) {
            return known.map(|at| self.dir_list[at as usize]);
        }
        let found = self.look_up_folder(module);
        let number = found.and_then(|dir| self.dirs.get(dir).copied());
        self.asked_folders.borrow_mut().insert(module.into(), number);
        found
    }

    fn look_up_folder(&self, module: &str) -> Option<&'a str> {
        if let Some(inside) = self.own.inside("", Language::Go, module) {
            let dir = join_path(inside.folder, inside.rest);
            return self.dirs.get_key_value(dir.as_str()).map(|(dir, _)| *dir);
        }
        if shapes::knows_root(Language::Go, module) || !module.contains('/') {
            return None;
        }
        let parts: Vec<&str> = module.split('/').collect();
        for skip in 1..parts.len() {
            let suffix = parts[skip..].join("/");
            if let Some(dir) = self.dirs.get_key_value(suffix.as_str()) {
                return Some(dir.0);
            }
            if skip + 1 < parts.len() || parts.len() <= 3 {
                let tail = format!("/{suffix}");
                let named = parts.last().and_then(|name| self.dirs_by_name.get(name));
                if let Some(dir) = named.into_iter().flatten().find(|dir| dir.ends_with(&tail)) {
                    return Some(dir);
                }
            }
        }
        None
    }

    /// The folder that a Python package name means, where it has no file of its own.
    pub(crate) fn python_folder(&self, from: &str, module: &str) -> Option<&'a str> {
        let rest = module.trim_start_matches('.').replace('.', "/");
        let mut dir = folder(from);
        loop {
            if let Some(found) = self.dirs.get_key_value(join_path(dir, &rest).as_str()) {
                return Some(found.0);
            }
            if dir.is_empty() {
                return None;
            }
            dir = folder(dir);
        }
    }
}

/// Tables of JSON that scripts import, as modules with one default export.
fn tables<'a>(
    files: &[(&'a FileInfo, &'a CodeFacts)],
    chosen: &HashSet<&str>,
    source: &dyn SourceText,
) -> Vec<Source<'a>> {
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for (info, facts) in files {
        if !is_script(info.language) || !chosen.contains(info.path.as_str()) {
            continue;
        }
        for module in facts.imports.iter().filter(|module| module.starts_with('.')) {
            let json = module
                .rsplit_once('.')
                .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"));
            if json {
                wanted.insert(join_path(folder(&info.path), module));
            }
        }
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    files
        .iter()
        .filter(|(info, _)| wanted.contains(&info.path))
        .take(TABLES_MAX)
        .filter_map(|(info, _)| {
            let file = source.file(&info.path)?;
            let text = file.text().filter(|text| text.len() <= TABLE_BYTES_MAX)?;
            let module = engine_syntax::lower(Language::TypeScript, &format!("export default {text}"))?;
            Some(Source {
                path: &info.path,
                zone: info.zone,
                language: Language::TypeScript,
                code: module.digest(),
                module: Arc::new(module),
            })
        })
        .collect()
}

/// What a project gives to resolution.
pub(crate) struct Gathered<'a> {
    /// The lowered files from which, or through which, a path to a model can lead.
    pub(crate) sources: Vec<Source<'a>>,
    pub(crate) paths: Paths<'a>,
    /// Files that were lowered once and hang together with no path to a model; they may still hold prompts.
    pub(crate) aside: Vec<(&'a FileInfo, &'a CodeFacts)>,
}

/// The lowered files of a project: those that the prefilter found and what stands in import relation to them, as far as
/// they hang together with one in which a path to a model can begin.
pub(crate) fn gather<'a>(
    files: &[(&'a FileInfo, &'a CodeFacts)],
    source: &dyn SourceText,
    texts: &Texts<'_>,
) -> Gathered<'a> {
    let wanted: Vec<(&'a FileInfo, &'a CodeFacts)> = files
        .iter()
        .copied()
        .filter(|(info, _)| crate::wants(&info.path, info.language, info.zone))
        // A page whose scripts name nothing of the kind is markup.
        .filter(|(info, facts)| facts.parsed || !engine_syntax::is_page(&info.path))
        .collect();
    let parsed = || wanted.iter().copied().filter(|(_, facts)| facts.parsed);
    let methods = wanted.iter().fold(0, |bits, (_, facts)| bits | facts.methods);
    let settings = if parsed().any(|(info, _)| takes_settings(info.language)) {
        Settings::read(files, source)
    } else {
        Settings::default()
    }
    .with_samples(files, source);
    // An address may stand in the settings of a framework, and the code only asks for it.
    let told = settings.hold_an_address();
    let leads = |info: &FileInfo, facts: &CodeFacts| {
        facts.outline.leads || facts.outline.versatile & methods != 0 || (told && takes_settings(info.language))
    };
    let product = parsed().any(|(info, facts)| leads(info, facts));
    let waiting = |(info, facts): &(&FileInfo, &CodeFacts)| {
        !facts.mentions.is_empty() && crate::read::waits(info.zone, info.language)
    };
    if !product && !wanted.iter().any(waiting) {
        return Gathered {
            sources: Vec::new(),
            paths: Paths::new(std::iter::empty()),
            aside: parsed().collect(),
        };
    }
    let mut paths = Paths::new(wanted.iter().map(|(info, _)| info.path.as_str()));
    paths.own = Own::read(files, source);
    paths.declared = Declared::own(files);
    paths.settings = settings;
    paths.loaded = Loaded::read(files, source);
    paths.prompts = PromptFiles::read(files, source);
    paths.said = PromptFiles::said(files, source);
    let leading = graph::tests_that_lead(&wanted, &paths);
    if !product && leading.is_empty() {
        return Gathered {
            sources: Vec::new(),
            paths,
            aside: parsed().collect(),
        };
    }
    let (chosen, mut live) = if product {
        let graph = Graph::new(&wanted, &paths, told);
        let (chosen, brought) = graph.chosen();
        let live = graph.live(&chosen, &brought, &paths);
        (chosen, live)
    } else {
        let chosen = (0..wanted.len()).filter(|at| wanted[*at].1.parsed).collect();
        (chosen, BTreeSet::new())
    };
    live.extend(leading);
    let aside = chosen
        .iter()
        .filter(|at| !live.contains(at))
        .map(|at| wanted[*at])
        .filter(|(_, facts)| facts.parsed)
        .collect();
    let live_paths: HashSet<&str> = live.iter().map(|at| wanted[*at].0.path.as_str()).collect();
    let mut sources = tables(files, &live_paths, source);
    for table in &sources {
        paths.add(table.path);
    }
    sources.extend(
        live.par_iter()
            .filter_map(|at| lowered(wanted[*at], texts))
            .collect::<Vec<_>>(),
    );
    Gathered { sources, paths, aside }
}

/// Languages whose frameworks are told addresses by files of settings.
pub(crate) fn takes_settings(language: Language) -> bool {
    is_jvm(language) || language == Language::CSharp
}

/// A file as resolution needs it; its text is asked for again where the lowered file was let go.
fn lowered<'a>((info, facts): (&'a FileInfo, &'a CodeFacts), texts: &Texts<'_>) -> Option<Source<'a>> {
    let module = texts.module(info, facts)?;
    Some(Source {
        path: &info.path,
        zone: info.zone,
        // A notebook holds the language of its kernel.
        language: if info.language == Language::Notebook {
            module.language
        } else {
            info.language
        },
        code: module.digest(),
        module,
    })
}
