//! The files of a project as units, and which file an import means.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine_model::{FileInfo, Language, SourceText, Zone};
use engine_syntax::Module;

use crate::own::Own;
use crate::settings::Settings;
use crate::{CodeFacts, shapes};

/// Files that are parsed although the prefilter passed over them.
const ON_DEMAND_FILES_MAX: usize = 3_000;

/// How many steps along imports such files may lie away from a file that the prefilter found.
const ON_DEMAND_STEPS_MAX: usize = 4;

/// Tables of JSON beyond this number or length hold data and no settings.
const TABLES_MAX: usize = 50;
const TABLE_BYTES_MAX: usize = 64 * 1024;

/// A parsed file.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) zone: Zone,
    pub(crate) language: Language,
    pub(crate) module: Cow<'a, Module>,
}

/// All paths of a project, findable by their ends.
pub(crate) struct Paths<'a> {
    all: BTreeSet<&'a str>,
    /// Paths by file name without ending.
    by_stem: HashMap<&'a str, Vec<&'a str>>,
    /// Folders that hold source files.
    dirs: BTreeSet<&'a str>,
    /// Names under which the project knows itself.
    own: Own,
    settings: Settings,
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

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

fn join_path(dir: &str, rest: &str) -> String {
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
            all: BTreeSet::new(),
            by_stem: HashMap::new(),
            dirs: BTreeSet::new(),
            own: Own::default(),
            settings: Settings::default(),
        };
        for path in paths {
            out.all.insert(path);
            out.by_stem.entry(stem(path)).or_default().push(path);
            out.dirs.insert(folder(path));
        }
        out
    }

    fn has(&self, path: &str) -> Option<&'a str> {
        self.all.get(path).copied()
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
        if is_python(language) {
            self.python(from, module)
        } else if is_script(language) {
            self.script(from, module)
        } else if language == Language::Rust {
            self.rust(from, module)
        } else {
            None
        }
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
                    || self.dirs.contains(join_path(base, package).as_str())
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
            }
            if dir.is_empty() {
                break;
            }
            dir = folder(dir);
        }
        if rest.contains('/') && !known {
            return self.with_suffix(from, &[format!("{rest}.py"), format!("{rest}/__init__.py")]);
        }
        None
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
            .or_else(|| (module.contains('/') && !module.starts_with('@')).then_some(module))?;
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
        if shapes::knows_root(Language::Rust, module) || matches!(parts.first(), Some(&"std" | &"core" | &"alloc")) {
            return None;
        }
        let own = stem(from);
        let mut dir = if matches!(own, "mod" | "lib" | "main") {
            folder(from).to_owned()
        } else {
            join_path(folder(from), own)
        };
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
                if let Some(path) = file(&join_path(root, &rest)) {
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
        if let Some(inside) = self.own.inside("", Language::Go, module) {
            return self.dirs.get(join_path(inside.folder, inside.rest).as_str()).copied();
        }
        if shapes::knows_root(Language::Go, module) || !module.contains('/') {
            return None;
        }
        let parts: Vec<&str> = module.split('/').collect();
        for skip in 1..parts.len() {
            let suffix = parts[skip..].join("/");
            if let Some(dir) = self.dirs.get(suffix.as_str()) {
                return Some(dir);
            }
            if skip + 1 < parts.len() || parts.len() <= 3 {
                let tail = format!("/{suffix}");
                if let Some(dir) = self.dirs.iter().find(|dir| dir.ends_with(&tail)) {
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
            if let Some(found) = self.dirs.get(join_path(dir, &rest).as_str()) {
                return Some(found);
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
    files: &'a [(FileInfo, CodeFacts)],
    chosen: &BTreeMap<&str, bool>,
    source: &dyn SourceText,
) -> Vec<Source<'a>> {
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for (info, facts) in files {
        if !is_script(info.language) || !chosen.contains_key(info.path.as_str()) {
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
                module: Cow::Owned(module),
            })
        })
        .collect()
}

/// The parsed files of a project: those that the prefilter found, and what stands in import relation to them.
pub(crate) fn gather<'a>(files: &'a [(FileInfo, CodeFacts)], source: &dyn SourceText) -> (Vec<Source<'a>>, Paths<'a>) {
    let wanted = |info: &FileInfo| crate::wants(&info.path, info.language, info.zone);
    let mut paths = Paths::new(
        files
            .iter()
            .filter(|(info, _)| wanted(info))
            .map(|(info, _)| info.path.as_str()),
    );
    paths.own = Own::read(files, source);
    paths.settings = Settings::read(files, source);
    let by_path: BTreeMap<&str, &'a (FileInfo, CodeFacts)> = files
        .iter()
        .filter(|(info, _)| wanted(info))
        .map(|file| (file.0.path.as_str(), file))
        .collect();
    // Arrows of imports between files of the project, both ways.
    let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut importers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut folders: BTreeMap<(&str, bool), Vec<&str>> = BTreeMap::new();
    for (info, _) in by_path.values() {
        let family = is_python(info.language) || is_script(info.language) || info.language == Language::Shell;
        if !family {
            folders.entry((folder(&info.path), true)).or_default().push(&info.path);
        }
    }
    let mut jvm: HashMap<&str, Vec<&str>> = HashMap::new();
    for path in by_path.keys() {
        jvm.entry(stem(path)).or_default().push(path);
    }
    for (path, (info, facts)) in &by_path {
        for module in &facts.imports {
            let mut targets: Vec<&str> = Vec::new();
            targets.extend(paths.resolve(path, info.language, module));
            // What is imported may itself be a module: `from core import llm`, `use crate::llm::ask`.
            let separator = if info.language == Language::Rust { "::" } else { "." };
            if let Some((head, _)) = module.rsplit_once(separator) {
                targets.extend(paths.resolve(path, info.language, head));
            }
            if info.language == Language::Go
                && let Some(dir) = paths.go_folder(module)
            {
                targets.extend(folders.get(&(dir, true)).into_iter().flatten().copied());
            }
            if (is_jvm(info.language) || info.language == Language::CSharp)
                && let Some(class) = module.rsplit('.').next()
            {
                targets.extend(jvm.get(class).into_iter().flatten().copied());
            }
            for target in targets {
                if target != *path {
                    imports.entry(path).or_default().insert(target);
                    importers.entry(target).or_default().insert(path);
                }
            }
        }
    }
    let mut chosen: BTreeMap<&str, bool> = by_path
        .iter()
        .filter(|(_, (_, facts))| facts.module.is_some())
        .map(|(path, _)| (*path, true))
        .collect();
    // Only files that bring in a library or name a host are worth following; a bare deserialiser is not.
    let leads = |path: &&str| {
        let (info, facts) = by_path[path];
        facts.imports.iter().any(|module| {
            shapes::knows_root(info.language, module)
                && !matches!(
                    module.split('.').next(),
                    Some("pickle" | "cloudpickle" | "dill" | "requests" | "urllib" | "http")
                )
        }) || facts
            .mentions
            .iter()
            .any(|literal| literal.contains('.') && literal.len() > 6 || literal.starts_with('/'))
    };
    let mut frontier: Vec<&str> = chosen.keys().copied().filter(leads).collect();
    let mut extra = 0;
    for _ in 0..ON_DEMAND_STEPS_MAX {
        let mut next = Vec::new();
        for path in frontier {
            let info = &by_path[path].0;
            let mates = if by_path[path].1.mentions.iter().any(|literal| literal.len() > 3) {
                folders.get(&(folder(path), true))
            } else {
                None
            };
            let near = imports
                .get(path)
                .into_iter()
                .flatten()
                .chain(importers.get(path).into_iter().flatten())
                .chain(mates.into_iter().flatten());
            for other in near {
                if by_path[other].0.zone != Zone::Product && info.zone == Zone::Product {
                    continue;
                }
                if extra < ON_DEMAND_FILES_MAX && !chosen.contains_key(other) {
                    extra += 1;
                    chosen.insert(other, false);
                    next.push(*other);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        frontier = next;
    }
    let mut sources = Vec::new();
    let tables = tables(files, &chosen, source);
    paths.all.extend(tables.iter().map(|table| table.path));
    sources.extend(tables);
    for (path, _) in chosen {
        let (info, facts) = by_path[path];
        let module = if let Some(module) = &facts.module {
            Cow::Borrowed(module)
        } else {
            let Some(file) = source.file(path) else { continue };
            let Some(text) = file.text() else { continue };
            let Some(module) = engine_syntax::lower(info.language, &text) else {
                continue;
            };
            Cow::Owned(module)
        };
        sources.push(Source {
            path: &info.path,
            zone: info.zone,
            // A notebook holds the language of its kernel.
            language: if info.language == Language::Notebook {
                module.language
            } else {
                info.language
            },
            module,
        });
    }
    (sources, paths)
}
