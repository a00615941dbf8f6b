//! Facts of single files, put together: lockfiles answer what manifests ask for.

mod bills;

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use engine_model::{Dependency, DependencyRelation, DependencyScope, Ecosystem, FileInfo, McpServer, Package, Zone};

use crate::facts::{Answer, DependencyFacts, Manifest, Note, Root};
use crate::format::{Format, Role};
use crate::formats::{COMPILED_FROM, all_exact, is_local, resolve_msbuild, resolve_properties};
use crate::package::{
    exact, is_pinned_source, merge_duplicates, normal_name, package_at, purl, require, source_qualifier, stronger, zone,
};

/// Maven parents of parents; real chains in one tree are a few long.
const PARENTS_MAX: usize = 8;

/// Bills of materials that one module may draw in, through others too.
const IMPORTS_MAX: usize = 64;

/// Requirements files that one may draw in, through others too.
const INCLUDES_MAX: usize = 256;

/// Versions of one name that an arrow without a version may mean.
const CANDIDATES_MAX: usize = 32;

/// What all files together say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// Every package, with its version where a file fixes one, sorted.
    pub packages: Vec<Package>,
    /// Every manifest that describes a project, in the order of the paths.
    pub manifests: Vec<ManifestRecord>,
    /// Servers of the Model Context Protocol, sorted.
    pub mcp_servers: Vec<McpServer>,
    /// What could not be understood, with the file.
    pub notes: Vec<(String, Note)>,
}

/// A manifest and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestRecord {
    /// Path relative to the project's root.
    pub file: String,
    /// The part that the manifest plays.
    pub zone: Zone,
    /// Its format.
    pub format: Format,
    /// What it says.
    pub manifest: Manifest,
    /// The lockfiles that answer it: those of the nearest folder at or above its own.
    pub lockfiles: Vec<String>,
}

/// Puts the facts of all files together. The order of the input does not matter.
pub fn join<F: Borrow<DependencyFacts>>(facts: &[(FileInfo, F)]) -> Joined {
    let mut files: Vec<File<'_>> = facts
        .iter()
        .filter_map(|(info, facts)| File::new(info, facts.borrow()))
        .collect();
    files.sort_by(|a, b| a.path.cmp(b.path));
    let locks = Locks::new(&files);
    let mut notes = Vec::new();
    maven_parents(&mut files, &mut notes);
    maven_modules(&mut files);
    version_catalogues(&mut files, &mut notes);
    central_versions(&mut files);
    requirement_includes(&mut files, &mut notes);
    compiled_lists(&mut files);
    cargo_workspace(&mut files);
    go_checksums(&mut files);
    let asked = answer(&mut files, &locks);
    bills::name(&mut files);
    let nothing = Asked::default();
    for (index, file) in files.iter_mut().enumerate() {
        if file.format.role() == Role::Lock {
            classify(file, asked.get(&index).unwrap_or(&nothing));
        }
        merge_duplicates(&mut file.packages);
    }

    let mut joined = Joined::default();
    for file in &files {
        if let Some(manifest) = &file.facts.manifest {
            let lockfiles = locks
                .above(file)
                .iter()
                .map(|lock| files[*lock].path.to_owned())
                .collect();
            joined.manifests.push(ManifestRecord {
                file: file.path.to_owned(),
                zone: file.zone,
                format: file.format,
                manifest: manifest.clone(),
                lockfiles,
            });
        }
        joined.mcp_servers.extend(file.facts.mcp_servers.iter().cloned());
        joined
            .notes
            .extend(file.facts.notes.iter().map(|note| (file.path.to_owned(), note.clone())));
    }
    joined.notes.extend(notes);
    joined.notes.sort_by(|a, b| (&a.0, a.1.line).cmp(&(&b.0, b.1.line)));
    joined.packages = files.into_iter().flat_map(|file| file.packages).collect();
    let catalogue = engine_catalogue::catalogue();
    for package in &mut joined.packages {
        package.purl = purl(package.ecosystem, &package.name, package.version.as_deref());
        let source = package
            .requirement
            .as_deref()
            .filter(|text| package.version.is_some() || is_pinned_source(text));
        package
            .purl
            .push_str(&source.and_then(source_qualifier).unwrap_or_default());
        let known = catalogue.package(package.ecosystem, &package.name);
        package.ai_kind = known.map(|known| kind_name(known.kind));
        package.provider = known.and_then(|known| known.provider.clone());
    }
    joined.packages.sort_by_cached_key(|package| {
        (
            package.ecosystem,
            normal_name(package.ecosystem, &package.name),
            package.version.clone(),
            package.file.clone(),
            package.line,
        )
    });
    joined
        .mcp_servers
        .sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    joined
}

/// The catalogue's kind as a word.
fn kind_name(kind: engine_catalogue::PackageKind) -> String {
    let debug = format!("{kind:?}");
    let mut out = String::with_capacity(debug.len() + 2);
    for (index, c) in debug.char_indices() {
        if c.is_ascii_uppercase() && index > 0 {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

struct File<'a> {
    path: &'a str,
    folder: &'a str,
    format: Format,
    ecosystem: Option<Ecosystem>,
    zone: Zone,
    facts: &'a DependencyFacts,
    packages: Vec<Package>,
}

impl<'a> File<'a> {
    fn new(info: &'a FileInfo, facts: &'a DependencyFacts) -> Option<Self> {
        let format = facts.format?;
        let path = info.path.as_str();
        // Facts may have been remembered from another place in the tree.
        let zone = zone(path);
        let mut packages = facts.packages.clone();
        for package in &mut packages {
            path.clone_into(&mut package.file);
            package.zone = zone;
        }
        Some(Self {
            path,
            folder: path.rsplit_once('/').map_or("", |(folder, _)| folder),
            format,
            ecosystem: format.ecosystem(),
            zone,
            facts,
            packages,
        })
    }
}

/// A folder and those above it, up to the root of the tree.
fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = if current.is_empty() {
            None
        } else {
            Some(current.rsplit_once('/').map_or("", |(above, _)| above))
        };
        Some(current)
    })
}

/// Lockfiles by ecosystem and folder.
struct Locks {
    by_folder: BTreeMap<(Ecosystem, String), Vec<usize>>,
    /// Folders that a lockfile lists as its own, where it lists them.
    members: HashMap<usize, BTreeSet<String>>,
}

impl Locks {
    fn new(files: &[File<'_>]) -> Self {
        let mut by_folder: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let mut members = HashMap::new();
        for (index, file) in files.iter().enumerate() {
            if let Some(ecosystem) = file.ecosystem
                && file.format.role() == Role::Lock
            {
                // One file for each configuration lies two folders below the build.
                let folder = file
                    .folder
                    .strip_suffix("gradle/dependency-locks")
                    .unwrap_or(file.folder);
                if let Some(listed) = &file.facts.members {
                    let folders = listed.iter().filter_map(|path| relative_folder(file.folder, path));
                    members.insert(index, folders.chain([file.folder.to_owned()]).collect());
                }
                by_folder
                    .entry((ecosystem, folder.trim_end_matches('/').to_owned()))
                    .or_default()
                    .push(index);
            }
        }
        Self { by_folder, members }
    }

    /// The lockfiles of the nearest folder at or above a manifest's own.
    fn above(&self, file: &File<'_>) -> Vec<usize> {
        let Some(ecosystem) = file.ecosystem else {
            return Vec::new();
        };
        // A Maven build has no lockfile; Gradle's does not answer it.
        if file.format == Format::Pom || file.format.role() != Role::Manifest {
            return Vec::new();
        }
        for folder in upwards(file.folder) {
            if let Some(found) = self.by_folder.get(&(ecosystem, folder.to_owned())) {
                let speaks = |lock: &usize| {
                    let listed = self.members.get(lock);
                    listed.is_none_or(|folders| folders.contains(file.folder))
                };
                let speaking: Vec<usize> = found.iter().copied().filter(speaks).collect();
                if !speaking.is_empty() {
                    return speaking;
                }
            }
        }
        Vec::new()
    }
}

/// What manifests ask of a lockfile.
#[derive(Default)]
struct Asked {
    /// Names, where the lockfile does not tell which of several versions is meant.
    names: Vec<(String, DependencyScope)>,
    /// Packages that the lockfile itself sets behind what was asked for.
    roots: Vec<Root>,
}

/// What lockfiles answer, by key and range.
type Answers<'a> = HashMap<(&'a str, &'a str), &'a Answer>;

fn find_answer<'a>(answers: &Answers<'a>, key: &str, range: &str) -> Option<&'a Answer> {
    let of_registry = format!("npm:{range}");
    [range, of_registry.as_str(), ""]
        .into_iter()
        .find_map(|range| answers.get(&(key, range)).copied())
}

/// Takes out of manifests what a lockfile answers, and remembers who asked.
fn answer(files: &mut [File<'_>], locks: &Locks) -> HashMap<usize, Asked> {
    let mut asked: HashMap<usize, Asked> = HashMap::new();
    let local: BTreeSet<(Ecosystem, String)> = files
        .iter()
        .filter_map(|file| {
            let manifest = file.facts.manifest.as_ref()?;
            let name = manifest.name.as_deref()?;
            Some((manifest.ecosystem, normal_name(manifest.ecosystem, name)))
        })
        .collect();
    let mut answers: HashMap<usize, Answers<'_>> = HashMap::new();
    let mut names: HashMap<usize, HashMap<String, BTreeSet<String>>> = HashMap::new();
    for index in 0..files.len() {
        let governing = locks.above(&files[index]);
        if governing.is_empty() {
            continue;
        }
        for lock in &governing {
            names.entry(*lock).or_insert_with(|| {
                let mut known: HashMap<String, BTreeSet<String>> = HashMap::new();
                for package in &files[*lock].packages {
                    let key = normal_name(package.ecosystem, &package.name);
                    known.entry(key).or_default().extend(package.version.clone());
                }
                known
            });
        }
        // Lists of requirements are not what a lock was made from: an exact version of their own stays.
        let own_versions = matches!(
            files[index].format,
            Format::Requirements | Format::SetupCfg | Format::SetupPy | Format::NugetConfig
        );
        // A list that fixes everything was resolved by itself, and its entries are no direct wishes.
        let resolved_itself = own_versions && all_exact(&files[index].packages);
        let by_key =
            !files[index].facts.asks.is_empty() && governing.iter().any(|lock| !files[*lock].facts.answers.is_empty());
        if by_key {
            for lock in &governing {
                let known = answers.entry(*lock).or_insert_with(|| {
                    let list = files[*lock].facts.answers.iter();
                    list.map(|answer| ((answer.key.as_str(), answer.range.as_str()), answer))
                        .collect()
                });
                let wanted = asked.entry(*lock).or_default();
                for ask in &files[index].facts.asks {
                    match find_answer(known, &ask.key, &ask.range) {
                        Some(found) => wanted.roots.push(Root {
                            name: found.name.clone(),
                            version: found.version.clone(),
                            scope: ask.scope,
                        }),
                        None => wanted.names.push((ask.key.clone(), ask.scope)),
                    }
                }
            }
        }
        let conditional: BTreeSet<&str> = files[index].facts.conditional.iter().map(String::as_str).collect();
        let packages = std::mem::take(&mut files[index].packages);
        let mut kept = Vec::new();
        for package in packages {
            let key = normal_name(package.ecosystem, &package.name);
            let mut answered = false;
            for lock in &governing {
                let Some(versions) = names.get(lock).and_then(|known| known.get(&key)) else {
                    continue;
                };
                let differs = own_versions && package.version.as_ref().is_some_and(|own| !versions.contains(own));
                if differs {
                    continue;
                }
                answered = true;
                if !resolved_itself && !by_key {
                    let wanted = asked.entry(*lock).or_default();
                    wanted.names.push((key.clone(), package.scope));
                }
            }
            let elsewhere = package.requirement.as_deref().is_some_and(|text| {
                is_local(text) || text == "path:" || (text == "workspace" && package.ecosystem == Ecosystem::Cargo)
            });
            // A member of the same tree, or a wish whose condition the package manager found never to hold.
            let settled = !own_versions
                && (local.contains(&(package.ecosystem, key.clone())) || conditional.contains(package.name.as_str()));
            if !answered && !elsewhere && !settled {
                kept.push(package);
            }
        }
        files[index].packages = kept;
    }
    asked
}

/// Decides what is direct and when it is needed, by walking the graph from what was asked for.
fn classify(file: &mut File<'_>, asked: &Asked) {
    let Some(ecosystem) = file.ecosystem else { return };
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, package) in file.packages.iter().enumerate() {
        by_name
            .entry(normal_name(ecosystem, &package.name))
            .or_default()
            .push(index);
    }
    let find = |packages: &[Package], name: &str, version: Option<&str>| -> Vec<usize> {
        let Some(known) = by_name.get(&normal_name(ecosystem, name)) else {
            return Vec::new();
        };
        let matching: Vec<usize> = known
            .iter()
            .copied()
            .filter(|index| version.is_none() || packages[*index].version.as_deref() == version)
            .collect();
        let found = if matching.is_empty() { known.clone() } else { matching };
        // An arrow that could mean any of so many says nothing, and a hostile file could repeat it without end.
        if version.is_none() && found.len() > CANDIDATES_MAX {
            Vec::new()
        } else {
            found
        }
    };
    let wishes: BTreeMap<&str, DependencyScope> =
        asked.names.iter().fold(BTreeMap::new(), |mut wishes, (name, scope)| {
            let entry = wishes.entry(name.as_str()).or_insert(*scope);
            *entry = stronger(*entry, *scope);
            wishes
        });
    let mut direct: BTreeMap<usize, DependencyScope> = BTreeMap::new();
    let mut want = |index: usize, scope: DependencyScope| {
        let entry = direct.entry(index).or_insert(scope);
        *entry = stronger(*entry, scope);
    };
    for root in file.facts.roots.iter().chain(&asked.roots) {
        let scope = match root.scope {
            DependencyScope::Unknown => wishes
                .get(normal_name(ecosystem, &root.name).as_str())
                .copied()
                .unwrap_or(DependencyScope::Unknown),
            scope => scope,
        };
        for index in find(&file.packages, &root.name, root.version.as_deref()) {
            want(index, scope);
        }
    }
    if file.facts.roots.is_empty() || !file.facts.answers.is_empty() {
        for (name, scope) in &wishes {
            for index in find(&file.packages, name, None) {
                want(index, *scope);
            }
        }
    }
    if direct.is_empty() {
        return;
    }
    let arrows: Vec<Vec<usize>> = file
        .packages
        .iter()
        .map(|package| {
            let to = |needed: &Dependency| find(&file.packages, &needed.name, needed.version.as_deref());
            package.dependencies.iter().flat_map(to).collect()
        })
        .collect();
    let mut scopes = vec![DependencyScope::Unknown; file.packages.len()];
    for scope in [
        DependencyScope::Required,
        DependencyScope::Optional,
        DependencyScope::Peer,
        DependencyScope::Development,
    ] {
        let mut queue: VecDeque<usize> = direct
            .iter()
            .filter(|(_, s)| **s == scope)
            .map(|(index, _)| *index)
            .collect();
        while let Some(index) = queue.pop_front() {
            if scopes[index] == DependencyScope::Unknown {
                scopes[index] = scope;
                queue.extend(arrows[index].iter().copied());
            }
        }
    }
    for (index, package) in file.packages.iter_mut().enumerate() {
        if package.relation == DependencyRelation::Unknown {
            package.relation = if direct.contains_key(&index) {
                DependencyRelation::Direct
            } else {
                DependencyRelation::Transitive
            };
        }
        if package.scope == DependencyScope::Unknown {
            package.scope = scopes[index];
        }
    }
}

/// The Maven modules by their paths.
fn poms(files: &[File<'_>]) -> HashMap<String, usize> {
    files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::Pom)
        .map(|(index, file)| (file.path.to_owned(), index))
        .collect()
}

/// The parents of a Maven module in the same tree, the nearest first.
fn parents(files: &[File<'_>], poms: &HashMap<String, usize>, index: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut current = index;
    while chain.len() < PARENTS_MAX {
        let Some(parent) = &files[current].facts.parent else {
            break;
        };
        let Some(path) = relative(files[current].folder, &parent.relative_path) else {
            break;
        };
        let found = poms.get(&path).or_else(|| poms.get(&format!("{path}/pom.xml")));
        let Some(next) = found.copied() else { break };
        let name = files[next]
            .facts
            .manifest
            .as_ref()
            .and_then(|manifest| manifest.name.as_deref());
        if name != Some(parent.name.as_str()) || chain.contains(&next) || next == index {
            break;
        }
        chain.push(next);
        current = next;
    }
    chain
}

/// Versions and properties that modules take from parents in the same tree.
fn maven_parents(files: &mut [File<'_>], notes: &mut Vec<(String, Note)>) {
    let poms = poms(files);
    let by_name: HashMap<&str, usize> = poms
        .values()
        .filter_map(|index| Some((files[*index].facts.manifest.as_ref()?.name.as_deref()?, *index)))
        .collect::<BTreeMap<_, _>>()
        .into_iter()
        .collect();
    for index in 0..files.len() {
        if files[index].format != Format::Pom {
            continue;
        }
        for include in &files[index].facts.includes {
            if !by_name.contains_key(include.path.as_str()) {
                let text = format!("versions come from `{}`, which is not in the repository", include.path);
                notes.push((
                    files[index].path.to_owned(),
                    Note {
                        line: include.line,
                        text,
                    },
                ));
            }
        }
        let settled = |package: &Package| package.version.is_some() && !package.name.contains("${");
        if files[index].packages.iter().all(settled) {
            continue;
        }
        let chain = parents(files, &poms, index);
        // Bills of materials of the same tree set versions after everything that stands nearer.
        let mut imported = Vec::new();
        let mut at = 0;
        while at <= chain.len() + imported.len() && imported.len() < IMPORTS_MAX {
            let source = match at {
                0 => index,
                at if at <= chain.len() => chain[at - 1],
                at => match imported.get(at - chain.len() - 1) {
                    Some(source) => *source,
                    None => break,
                },
            };
            for include in &files[source].facts.includes {
                if let Some(found) = by_name.get(include.path.as_str())
                    && *found != index
                    && !imported.contains(found)
                {
                    imported.push(*found);
                }
            }
            at += 1;
        }
        if chain.is_empty() && imported.is_empty() {
            continue;
        }
        let mut properties: HashMap<&str, &str> = HashMap::new();
        let mut managed: HashMap<String, String> = HashMap::new();
        // The module itself comes first, and what stands nearer counts.
        for source in std::iter::once(index).chain(chain) {
            let facts = files[source].facts;
            for (name, value) in &facts.properties {
                properties.entry(name).or_insert(value);
            }
            for constraint in &facts.constraints {
                managed
                    .entry(constraint.name.clone())
                    .or_insert_with(|| constraint.version.clone());
            }
        }
        for source in imported {
            // A bill of materials is read with its own properties.
            let facts = files[source].facts;
            let own: HashMap<&str, &str> = facts
                .properties
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let look_up = |name: &str| own.get(name).map(|value| (*value).to_owned());
            for constraint in &facts.constraints {
                managed
                    .entry(resolve_properties(&constraint.name, &look_up))
                    .or_insert_with(|| resolve_properties(&constraint.version, &look_up));
            }
        }
        let look_up = |name: &str| properties.get(name).map(|value| (*value).to_owned());
        let mut packages = std::mem::take(&mut files[index].packages);
        for package in &mut packages {
            if package.name.contains("${") {
                package.name = resolve_properties(&package.name, &look_up);
            }
            if package.version.is_some() {
                continue;
            }
            let written = managed.get(&package.name).cloned();
            if let Some(text) = package.requirement.clone().or(written) {
                package.requirement = None;
                require(package, &resolve_properties(&text, &look_up));
            }
        }
        files[index].packages = packages;
    }
}

/// Modules that need each other need no registry: what the same tree builds in the same version is no package.
fn maven_modules(files: &mut [File<'_>]) {
    let modules: BTreeSet<(String, Option<String>)> = files
        .iter()
        .filter(|file| file.format == Format::Pom)
        .filter_map(|file| {
            let manifest = file.facts.manifest.as_ref()?;
            Some((manifest.name.clone()?, manifest.version.clone()))
        })
        .collect();
    let names: BTreeSet<String> = modules.iter().map(|(name, _)| name.clone()).collect();
    for file in files.iter_mut().filter(|file| file.format == Format::Pom) {
        file.packages.retain(|package| {
            let same = match &package.version {
                // A version that is managed elsewhere, or one that a parent outside the tree sets.
                None => names.contains(&package.name),
                version => modules.contains(&(package.name.clone(), version.clone())),
            };
            !same
        });
    }
}

/// `libs.some.alias` in build files means an entry of the catalogue that stands above them.
fn version_catalogues(files: &mut [File<'_>], notes: &mut Vec<(String, Note)>) {
    let mut catalogues: HashMap<(String, String), usize> = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        if file.format == Format::VersionCatalog {
            let name = file.path.rsplit('/').next().unwrap_or(file.path);
            let name = name.strip_suffix(".versions.toml").unwrap_or(name).to_owned();
            let folder = match file.folder.strip_suffix("gradle") {
                Some(above) if above.is_empty() || above.ends_with('/') => above.trim_end_matches('/'),
                _ => file.folder,
            };
            catalogues.insert((folder.to_owned(), name), index);
        }
    }
    let mut used: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for index in 0..files.len() {
        if files[index].format != Format::GradleBuild {
            continue;
        }
        let facts = files[index].facts;
        for ask in &facts.asks {
            let Some((name, alias)) = ask.key.split_once('.') else {
                continue;
            };
            let source = upwards(files[index].folder)
                .find_map(|folder| catalogues.get(&(folder.to_owned(), name.to_owned())).copied());
            let found: Vec<&Answer> = source.map_or_else(Vec::new, |source| {
                let answers = files[source].facts.answers.iter();
                answers.filter(|answer| answer.key == alias).collect()
            });
            if found.is_empty() {
                let text = format!("`{}` is not in a version catalogue of the repository", ask.key);
                notes.push((files[index].path.to_owned(), Note { line: ask.line, text }));
            }
            let packages: Vec<Package> = found
                .iter()
                .map(|answer| {
                    let mut package = package_at(files[index].path, Ecosystem::Maven, &answer.name, ask.line);
                    package.zone = files[index].zone;
                    require(&mut package, answer.version.as_deref().unwrap_or(""));
                    package.scope = ask.scope;
                    package.relation = DependencyRelation::Direct;
                    package
                })
                .collect();
            if let Some(source) = source {
                used.entry(source)
                    .or_default()
                    .extend(packages.iter().map(|package| package.name.clone()));
            }
            files[index].packages.extend(packages);
        }
    }
    // What build files take from a catalogue stands there; the rest is declared for whoever uses it.
    for (source, names) in used {
        files[source].packages.retain(|package| !names.contains(&package.name));
        for package in &mut files[source].packages {
            package.relation = DependencyRelation::Unknown;
        }
    }
}

/// Constraints that a requirements file draws in fix the versions of what it and its includes name.
fn requirement_includes(files: &mut [File<'_>], notes: &mut Vec<(String, Note)>) {
    let places: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .map(|(index, file)| (file.path, index))
        .collect();
    let mut fixed: BTreeMap<usize, BTreeMap<String, Option<String>>> = BTreeMap::new();
    for index in 0..files.len() {
        if files[index].format != Format::Requirements && files[index].format != Format::Constraints {
            continue;
        }
        let (mut members, mut sources) = (vec![index], BTreeSet::new());
        let mut at = 0;
        while at < members.len() && members.len() < INCLUDES_MAX {
            let member = members[at];
            at += 1;
            for include in &files[member].facts.includes {
                let target = relative(files[member].folder, &include.path).and_then(|path| places.get(path.as_str()));
                match target.copied() {
                    Some(target) if include.constraints_only => {
                        sources.insert(target);
                    }
                    Some(target) if !members.contains(&target) => members.push(target),
                    None if member == index => {
                        let text = format!(
                            "includes `{}`, which is not among the files that were read",
                            include.path
                        );
                        notes.push((
                            files[index].path.to_owned(),
                            Note {
                                line: include.line,
                                text,
                            },
                        ));
                    }
                    Some(_) | None => {}
                }
            }
        }
        if sources.is_empty() || files[index].format == Format::Constraints {
            continue;
        }
        let mut versions: BTreeMap<String, String> = BTreeMap::new();
        for source in sources {
            let facts = files[source].facts;
            let listed = facts
                .constraints
                .iter()
                .map(|found| (&found.name, found.version.as_str()));
            let named = facts.packages.iter().filter_map(|package| {
                let version = package.version.as_deref()?;
                Some((&package.name, version))
            });
            for (name, version) in listed {
                if let Some(version) = exact(Ecosystem::PyPI, version) {
                    versions.insert(normal_name(Ecosystem::PyPI, name), version.to_owned());
                }
            }
            for (name, version) in named {
                versions.insert(normal_name(Ecosystem::PyPI, name), version.to_owned());
            }
        }
        for member in members {
            let known = fixed.entry(member).or_default();
            for (name, version) in &versions {
                known
                    .entry(name.clone())
                    .and_modify(|other| {
                        // Two ways to install it fix two versions, and then none can be stated.
                        if other.as_deref() != Some(version.as_str()) {
                            *other = None;
                        }
                    })
                    .or_insert_with(|| Some(version.clone()));
            }
        }
    }
    for (index, versions) in fixed {
        for package in &mut files[index].packages {
            let found = versions.get(&normal_name(package.ecosystem, &package.name));
            let address = package.requirement.as_deref().is_some_and(|text| text.contains("://"));
            if let Some(Some(version)) = found
                && package.ecosystem == Ecosystem::PyPI
                && package.version.is_none()
                && !address
            {
                package.version = Some(version.clone());
                package.requirement = None;
            }
        }
    }
}

/// A list that was compiled from others answers them, as a lockfile would.
fn compiled_lists(files: &mut [File<'_>]) {
    let places: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .map(|(index, file)| (file.path, index))
        .collect();
    let mut answered: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        for (_, source) in file.facts.properties.iter().filter(|(key, _)| key == COMPILED_FROM) {
            let base = source.rsplit('/').next().unwrap_or(source);
            // Paths are written relative to where the compiler ran, which is the list's folder or one above it.
            let found = upwards(file.folder)
                .find_map(|folder| places.get(relative(folder, source)?.as_str()).copied())
                .or_else(|| places.get(relative(file.folder, base)?.as_str()).copied());
            if let Some(found) = found.filter(|found| *found != index) {
                let names = answered.entry(found).or_default();
                names.extend(
                    file.packages
                        .iter()
                        .map(|package| normal_name(package.ecosystem, &package.name)),
                );
            }
        }
    }
    for (index, names) in answered {
        files[index]
            .packages
            .retain(|package| !names.contains(&normal_name(package.ecosystem, &package.name)));
    }
}

/// The same, where no path means the folder itself.
fn relative_folder(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(folder.to_owned());
    }
    relative(folder, path)
}

/// A path relative to a folder, without leaving the tree.
fn relative(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Versions that .NET projects take from the central file above them.
fn central_versions(files: &mut [File<'_>]) {
    let central: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::DotnetCentral && is_central(file.path))
        .map(|(index, file)| (file.folder, index))
        .collect();
    let shared: HashMap<&str, Vec<usize>> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| matches!(file.format, Format::DotnetBuild | Format::DotnetCentral))
        .fold(HashMap::new(), |mut shared, (index, file)| {
            shared.entry(file.folder).or_default().push(index);
            shared
        });
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for index in 0..files.len() {
        if !matches!(files[index].format, Format::DotnetProject | Format::DotnetBuild)
            || files[index].packages.is_empty()
        {
            continue;
        }
        let mut properties: BTreeMap<String, String> = files[index].facts.properties.iter().cloned().collect();
        let above = upwards(files[index].folder)
            .filter_map(|folder| shared.get(folder))
            .flatten();
        for (name, value) in above.flat_map(|source| &files[*source].facts.properties) {
            properties.entry(name.clone()).or_insert_with(|| value.clone());
        }
        for package in &mut files[index].packages {
            if let Some(text) = package.requirement.take_if(|text| text.contains("$(")) {
                require(package, &resolve_msbuild(&text, &properties));
            }
        }
        let Some(source) = upwards(files[index].folder).find_map(|folder| central.get(folder).copied()) else {
            continue;
        };
        let sources = imported(files, &central, source);
        used.extend(&sources);
        // What the nearest file says counts before what it draws in.
        let versions: HashMap<String, &str> = sources
            .iter()
            .rev()
            .flat_map(|source| files[*source].facts.constraints.iter().rev())
            .map(|found| (found.name.to_ascii_lowercase(), found.version.as_str()))
            .collect();
        for package in &mut files[index].packages {
            if package.version.is_none()
                && package.requirement.is_none()
                && let Some(version) = versions.get(&package.name.to_ascii_lowercase())
            {
                require(package, &resolve_msbuild(version, &properties));
            }
        }
    }
    // Where projects say what they use, a version that nobody uses is no package of the tree.
    used.extend(
        files
            .iter()
            .enumerate()
            .filter(|(_, file)| file.format == Format::DotnetCentral && !is_central(file.path))
            .map(|(index, _)| index),
    );
    for index in used {
        files[index]
            .packages
            .retain(|package| package.relation == DependencyRelation::Direct);
    }
}

/// Whether a file is the one that the build looks for by its name.
fn is_central(path: &str) -> bool {
    path.rsplit('/').next() == Some("Directory.Packages.props")
}

/// A central file and those that it draws in, the nearest first.
fn imported(files: &[File<'_>], central: &HashMap<&str, usize>, source: usize) -> Vec<usize> {
    let mut found = vec![source];
    let mut at = 0;
    while at < found.len() && found.len() < INCLUDES_MAX {
        let file = &files[found[at]];
        at += 1;
        for include in &file.facts.includes {
            let target = if include.path.contains("GetPathOfFileAbove")
                || include.path.contains("GetDirectoryNameOfFileAbove")
            {
                upwards(file.folder)
                    .skip(1)
                    .find_map(|folder| central.get(folder).copied())
            } else {
                relative(file.folder, &include.path)
                    .and_then(|path| files.iter().position(|other| other.path == path))
                    .filter(|index| matches!(files[*index].format, Format::DotnetCentral | Format::DotnetBuild))
            };
            if let Some(target) = target.filter(|target| !found.contains(target)) {
                found.push(target);
            }
        }
    }
    found
}

/// Requirements that members take from the workspace above them.
fn cargo_workspace(files: &mut [File<'_>]) {
    let roots: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::CargoToml && !file.facts.constraints.is_empty())
        .map(|(index, file)| (file.folder, index))
        .collect();
    for index in 0..files.len() {
        if files[index].format != Format::CargoToml {
            continue;
        }
        let Some(root) = upwards(files[index].folder).find_map(|folder| roots.get(folder).copied()) else {
            continue;
        };
        let constraints = &files[root].facts.constraints;
        let versions: HashMap<&str, &str> = constraints
            .iter()
            .map(|found| (found.name.as_str(), found.version.as_str()))
            .collect();
        for package in &mut files[index].packages {
            if package.requirement.as_deref() == Some("workspace")
                && let Some(version) = versions.get(package.name.as_str())
            {
                package.requirement = None;
                require(package, version);
            }
        }
        files[index]
            .packages
            .retain(|package| package.requirement.as_deref() != Some("path:"));
    }
}

/// `go.sum` holds the digests of what `go.mod` names; it names more only for modules older than Go 1.17.
fn go_checksums(files: &mut [File<'_>]) {
    let sums: HashMap<&str, usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::GoSum)
        .map(|(index, file)| (file.folder, index))
        .collect();
    let mut covered = Vec::new();
    for (target, file) in files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.format == Format::GoMod)
    {
        let Some(sum) = sums.get(file.folder).copied() else {
            continue;
        };
        let version = file
            .facts
            .properties
            .iter()
            .find(|(key, _)| key == "go")
            .map_or("1", |(_, value)| value);
        let minor = version
            .split('.')
            .nth(1)
            .and_then(|text| text.parse::<u32>().ok())
            .unwrap_or(0);
        covered.push((sum, minor >= 17, target));
    }
    for (sum, complete, target) in covered {
        let checksums = &files[sum].facts.checksums;
        let index: HashMap<(&str, &str), &str> = checksums
            .iter()
            .map(|sum| ((sum.name.as_str(), sum.version.as_str()), sum.hash.as_str()))
            .collect();
        for package in &mut files[target].packages {
            let key = (package.name.as_str(), package.version.as_deref().unwrap_or(""));
            if let Some(hash) = index.get(&key) {
                package.hashes = vec![(*hash).to_owned()];
            }
        }
        let named: BTreeSet<String> = files[target]
            .packages
            .iter()
            .map(|package| package.name.clone())
            .collect();
        files[sum]
            .packages
            .retain(|package| !complete && !named.contains(&package.name));
        for package in &mut files[sum].packages {
            package.relation = DependencyRelation::Transitive;
        }
    }
}
