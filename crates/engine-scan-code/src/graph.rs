//! Groups of connected files, by imports and names alone, before resolution.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{FileInfo, Language, Zone};
use rustc_hash::FxHashMap as HashMap;

use crate::prefilter::BINDING;
use crate::project::{Paths, folder, is_jvm, is_python, is_script, stem, takes_settings};
use crate::{CodeFacts, shapes};

/// Files that are lowered although the prefilter passed over them.
const ON_DEMAND_FILES_MAX: usize = 3_000;

/// How many steps along imports such files may lie away from a file that the prefilter found.
const ON_DEMAND_STEPS_MAX: usize = 4;

/// Files that make a constant of one name; where more do, the name tells none of them.
const MAKERS_MAX: usize = 4;

/// The files of a project, in the order of their paths, with the arrows between them.
pub(crate) struct Graph<'a> {
    files: &'a [(&'a FileInfo, &'a CodeFacts)],
    /// For each file those that it imports, in order.
    imports: Vec<Vec<usize>>,
    /// For each file those that import it, in order.
    importers: Vec<Vec<usize>>,
    /// Files by folder, of languages in which a folder is a package.
    folders: HashMap<&'a str, Vec<usize>>,
    by_path: HashMap<&'a str, usize>,
    /// Whether settings of a framework hold an address.
    told: bool,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(files: &'a [(&'a FileInfo, &'a CodeFacts)], paths: &Paths<'a>, told: bool) -> Self {
        let mut out = Self {
            files,
            imports: vec![Vec::new(); files.len()],
            importers: vec![Vec::new(); files.len()],
            folders: HashMap::default(),
            by_path: HashMap::default(),
            told,
        };
        let mut jvm: HashMap<&str, Vec<usize>> = HashMap::default();
        // Files of Ruby by the names of the classes that they hold by custom.
        let mut ruby: HashMap<String, Vec<usize>> = HashMap::default();
        // Files of C# by the classes that they hold and what these implement: a file may be called anything.
        let mut dotnet: HashMap<&str, Vec<usize>> = HashMap::default();
        // The same by the constants that they make.
        let mut constants: HashMap<&str, Vec<usize>> = HashMap::default();
        for (at, (info, facts)) in files.iter().enumerate() {
            for name in &facts.outline.constants {
                constants.entry(name).or_default().push(at);
            }
            if info.language == Language::CSharp {
                for name in facts.outline.classes.iter().chain(&facts.outline.bases) {
                    dotnet.entry(name).or_default().push(at);
                }
            }
            out.by_path.insert(&info.path, at);
            jvm.entry(stem(&info.path)).or_default().push(at);
            if info.language == Language::Ruby {
                ruby.entry(squeezed(stem(&info.path))).or_default().push(at);
            }
            let family = is_python(info.language) || is_script(info.language) || info.language == Language::Shell;
            if !family {
                out.folders.entry(folder(&info.path)).or_default().push(at);
            }
        }
        for (at, (info, facts)) in files.iter().enumerate() {
            let mut targets: Vec<usize> = Vec::new();
            for module in &facts.imports {
                let mut add = |path: Option<&str>| targets.extend(path.and_then(|path| out.by_path.get(path)));
                add(paths.resolve(&info.path, info.language, module));
                // What is imported may itself be a module: `from core import llm`, `use crate::llm::ask`.
                let separator = match info.language {
                    Language::Rust | Language::Ruby => "::",
                    Language::Php => "\\",
                    _ => ".",
                };
                if let Some((head, _)) = module.rsplit_once(separator) {
                    add(paths.resolve(&info.path, info.language, head));
                }
                if info.language == Language::Go
                    && let Some(dir) = paths.go_folder(module)
                {
                    targets.extend(out.folders.get(dir).into_iter().flatten());
                }
                if is_jvm(info.language) && !module.contains('.') {
                    // A class without a package before it is one of the same package.
                    let dir = folder(&info.path);
                    let named = jvm.get(module.as_str()).into_iter().flatten().copied();
                    targets.extend(named.filter(|other| folder(&files[*other].0.path) == dir));
                } else if is_jvm(info.language) || matches!(info.language, Language::CSharp | Language::Php) {
                    targets.extend(classes_of(files, &jvm, info.language, module));
                }
            }
            if info.language == Language::CSharp {
                for module in &facts.imports {
                    let holders = dotnet.get(module.as_str());
                    targets.extend(
                        holders
                            .filter(|holders| holders.len() <= MAKERS_MAX)
                            .into_iter()
                            .flatten(),
                    );
                }
            }
            if info.language == Language::Ruby {
                for module in &facts.imports {
                    targets.extend(classes_of_ruby(files, &ruby, module));
                    let makers = constants.get(module.as_str());
                    targets.extend(makers.filter(|makers| makers.len() <= MAKERS_MAX).into_iter().flatten());
                }
            }
            targets.sort_unstable();
            targets.dedup();
            targets.retain(|target| *target != at);
            for target in &targets {
                out.importers[*target].push(at);
            }
            out.imports[at] = targets;
        }
        out
    }

    /// The files that were lowered, and those that stand in import relation to one that brings in a library, in order; and
    /// for each of the latter the file that brought it in.
    pub(crate) fn chosen(&self) -> (BTreeSet<usize>, Vec<(usize, usize)>) {
        let mut chosen: BTreeSet<usize> = (0..self.files.len()).filter(|at| self.files[*at].1.parsed).collect();
        // A library for many things matters where a method that asks a model is named in its own language.
        let mut methods: BTreeMap<u8, u8> = BTreeMap::new();
        for (info, facts) in self.files {
            *methods.entry(family(info.language)).or_default() |= facts.methods;
        }
        let named = |language: Language| methods.get(&family(language)).copied().unwrap_or(0);
        let leads =
            |at: usize| self.leads(at) || self.files[at].1.outline.versatile & named(self.files[at].0.language) != 0;
        let mut frontier: Vec<usize> = chosen
            .iter()
            .copied()
            .filter(|at| leads(*at) && self.is_followed(*at))
            .collect();
        let mut extra = 0;
        let mut brought = Vec::new();
        let mut passed: BTreeSet<usize> = frontier.iter().copied().collect();
        for _ in 0..ON_DEMAND_STEPS_MAX {
            let mut next = Vec::new();
            for at in frontier {
                let (info, facts) = self.files[at];
                let mates = if facts.mentions.iter().any(|literal| literal.len() > 3) {
                    self.folders.get(folder(&info.path))
                } else {
                    None
                };
                let near = self.imports[at]
                    .iter()
                    .chain(&self.importers[at])
                    .chain(mates.into_iter().flatten());
                for other in near.copied() {
                    let zone = self.files[other].0.zone;
                    if zone == Zone::Test || (zone != Zone::Product && info.zone == Zone::Product) {
                        continue;
                    }
                    if extra < ON_DEMAND_FILES_MAX && chosen.insert(other) {
                        extra += 1;
                        brought.push((at, other));
                        passed.insert(other);
                        next.push(other);
                    } else if chosen.contains(&other) && passed.insert(other) {
                        // One that was lowered for its own words hands what it is given on like any other.
                        next.push(other);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            frontier = next;
        }
        (chosen, brought)
    }

    /// Whether a path to a model can begin in a file.
    fn leads(&self, at: usize) -> bool {
        let (info, facts) = self.files[at];
        facts.outline.leads || (facts.parsed && self.told && takes_settings(info.language))
    }

    /// Only files that bring in a library or name a host are worth following; a bare deserialiser is not.
    fn is_followed(&self, at: usize) -> bool {
        let (info, facts) = self.files[at];
        facts.imports.iter().any(|module| brings_in(info.language, module))
            || facts
                .mentions
                .iter()
                .any(|literal| is_telling(literal) || literal.ends_with(['_', ':']))
    }

    /// Those of the chosen files that hang together with one in which a path to a model can begin, in order.
    ///
    /// Values travel along imports, within packages, and from a class to those that extend it; nothing else leads from
    /// one file to another.
    pub(crate) fn live(
        &self,
        chosen: &BTreeSet<usize>,
        brought: &[(usize, usize)],
        paths: &Paths<'a>,
    ) -> BTreeSet<usize> {
        let mut sets = Sets::new(self.files.len());
        // A file that was passed over has no outline that could tell its package.
        for (at, other) in brought {
            sets.join(*at, *other);
        }
        // The first file with a name stands for all of them.
        let mut packages: BTreeMap<String, usize> = BTreeMap::new();
        let mut classes: HashMap<(u8, &str), usize> = HashMap::default();
        for at in chosen.iter().copied() {
            let (info, facts) = self.files[at];
            let near = self.imports[at].iter().chain(&self.importers[at]);
            for other in near.filter(|other| chosen.contains(other)) {
                sets.join(at, *other);
            }
            for module in &facts.outline.modules {
                if let Some(other) = paths
                    .resolve(&info.path, info.language, module)
                    .and_then(|path| self.by_path.get(path))
                    .filter(|other| chosen.contains(other))
                {
                    sets.join(at, *other);
                }
                if info.language == Language::Go
                    && let Some(dir) = paths.go_folder(module)
                {
                    sets.join(at, *packages.entry(format!("go:{dir}")).or_insert(at));
                }
                if is_jvm(info.language) {
                    sets.join(at, *packages.entry(format!("jvm:{module}")).or_insert(at));
                }
                if info.language == Language::Php && !module.is_empty() && !module.starts_with('.') {
                    sets.join(at, *packages.entry(format!("php:{module}")).or_insert(at));
                }
            }
            let package = match info.language {
                Language::Go => Some(format!("go:{}", folder(&info.path))),
                // Names of these languages are looked up in the whole project where no import says more.
                Language::Rust => Some("rust".to_owned()),
                Language::CSharp => Some("csharp".to_owned()),
                Language::Ruby => Some("ruby".to_owned()),
                Language::Php => Some(format!("php:{}", facts.outline.package.as_deref().unwrap_or(""))),
                Language::Java | Language::Kotlin => facts.outline.package.as_ref().map(|name| format!("jvm:{name}")),
                _ => None,
            };
            if let Some(package) = package {
                sets.join(at, *packages.entry(package).or_insert(at));
            }
            // What one file puts into a context, another takes out of it by its name.
            if facts.outline.shares {
                let key = format!("context:{}", family(info.language));
                sets.join(at, *packages.entry(key).or_insert(at));
            }
            if is_jvm(info.language)
                && let Some(package) = &facts.outline.package
            {
                for class in &facts.outline.classes {
                    let key = format!("jvm:{package}.{class}");
                    sets.join(at, *packages.entry(key).or_insert(at));
                }
            }
            for name in facts.outline.classes.iter().chain(&facts.outline.bases) {
                sets.join(at, *classes.entry((family(info.language), name)).or_insert(at));
            }
        }
        // A library for many things leads to a model where a method that asks one is named near it.
        let mut marks: BTreeMap<usize, (bool, u8, u8)> = BTreeMap::new();
        for at in chosen.iter().copied() {
            let facts = &self.files[at].1;
            let marks = marks.entry(sets.find(at)).or_default();
            marks.0 |= self.leads(at);
            marks.1 |= facts.outline.versatile;
            marks.2 |= facts.methods;
        }
        let is_live = |set: usize| {
            marks
                .get(&set)
                .is_some_and(|(leads, libraries, methods)| *leads || libraries & methods != 0)
        };
        if !marks.keys().any(|set| is_live(*set)) {
            return BTreeSet::new();
        }
        chosen
            .iter()
            .copied()
            .filter(|at| is_live(sets.find(*at)) || self.files[*at].1.outline.notice)
            .collect()
    }
}

/// Tests that bring in a library of others or name a host by themselves, in order. What they call of the product is found
/// there, and nothing that they do says anything about it.
pub(crate) fn tests_that_lead(files: &[(&FileInfo, &CodeFacts)], paths: &Paths<'_>) -> Vec<usize> {
    let leads = |info: &FileInfo, facts: &CodeFacts| {
        let (own, others): (Vec<&String>, Vec<&String>) = facts
            .imports
            .iter()
            .partition(|module| paths.is_own(&info.path, info.language, module));
        others.iter().any(|module| brings_in(info.language, module))
            || facts.mentions.iter().any(|literal| {
                is_telling(literal)
                    && !own
                        .iter()
                        .any(|module| module.to_ascii_lowercase().starts_with(literal.as_str()))
            })
    };
    (0..files.len())
        .filter(|at| {
            let (info, facts) = files[*at];
            !facts.parsed
                && !facts.mentions.is_empty()
                && crate::read::waits(info.zone, info.language)
                && leads(info, facts)
        })
        .collect()
}

/// Whether an import brings in a library through which a model can be reached.
fn brings_in(language: Language, module: &str) -> bool {
    shapes::knows_root(language, module)
        && !matches!(
            module.split('.').next(),
            Some("pickle" | "cloudpickle" | "dill" | "requests" | "urllib" | "http")
        )
}

/// Whether a literal of the prefilter is a host, a path or a binding, and no word.
fn is_telling(literal: &str) -> bool {
    literal.contains('.') && literal.len() > 6 || literal.contains('/') || literal == BINDING
}

/// The files that an import of a class may mean: those with its name, in a folder that is called like its package.
fn classes_of<'t>(
    files: &'t [(&FileInfo, &CodeFacts)],
    by_stem: &'t HashMap<&str, Vec<usize>>,
    language: Language,
    module: &'t str,
) -> impl Iterator<Item = usize> + 't {
    let mut parts = module.rsplit(['.', '\\']);
    let (last, before, above) = (parts.next(), parts.next(), parts.next());
    // `a.b.Class`, and `a.b.Class.method` of a static import.
    let outer = before.filter(|name| name.starts_with(char::is_uppercase));
    [(last, before), (outer, above)]
        .into_iter()
        .filter_map(|(class, package)| Some((class?, package)))
        .flat_map(move |(class, package)| {
            let named = by_stem.get(class).into_iter().flatten().copied();
            named.filter(move |at| {
                let dir = folder(&files[*at].0.path);
                let dir = dir.rsplit('/').next().unwrap_or(dir);
                // Folders of C# follow no rule, and those of Kotlin leave out what all packages have in common.
                language == Language::Php && package.is_some_and(|package| package.eq_ignore_ascii_case(dir))
                    || !is_jvm(language) && language != Language::Php
                    || package.is_none_or(|package| package == dir)
                    || matches!(dir, "" | "src" | "java" | "kotlin" | "lib")
            })
        })
}

/// A name without underscores and capitals: `OpenAIClient` lies in `openai_client.rb` or in `open_ai_client.rb`.
fn squeezed(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The files that a constant of Ruby may mean: those that are named like it, in a folder that is named like its module.
fn classes_of_ruby<'t>(
    files: &'t [(&FileInfo, &CodeFacts)],
    by_name: &'t HashMap<String, Vec<usize>>,
    module: &str,
) -> impl Iterator<Item = usize> + 't {
    let mut parts = module.rsplit("::").map(squeezed);
    let (last, around) = (parts.next(), parts.next());
    let outer = around.clone();
    let named = last.and_then(|name| by_name.get(&name)).into_iter().flatten().copied();
    let inside = named.filter(move |at| {
        let dir = folder(&files[*at].0.path);
        let dir = squeezed(dir.rsplit('/').next().unwrap_or(dir));
        around.as_ref().is_none_or(|around| *around == dir)
    });
    // `Models::DEFAULT` stands in the file of `Models`.
    let holds = outer.and_then(|name| by_name.get(&name)).into_iter().flatten().copied();
    inside.chain(holds).take(64)
}

/// Languages whose classes can extend one another.
fn family(language: Language) -> u8 {
    if is_jvm(language) {
        1
    } else if is_script(language) {
        2
    } else if is_python(language) {
        3
    } else {
        10_u8.saturating_add(language as u8)
    }
}

/// Disjoint sets of files.
struct Sets(Vec<usize>);

impl Sets {
    fn new(len: usize) -> Self {
        Self((0..len).collect())
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        // The lower number stands for both, so that the sets do not depend on the order of joining.
        if a != b {
            self.0[a.max(b)] = a.min(b);
        }
    }
}
