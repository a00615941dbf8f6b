//! Groups calls into systems: what is deployed together is one system.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Call, CallKind, Effect, EntryPoint, EntryPointKind, FileInfo, Zone};
use engine_scan_code::{CodeEntryPoint, CodeJoin};

use crate::applicability::Manifests;

/// A system before the law was asked about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SystemDraft {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) scope: String,
    pub(crate) entry_points: Vec<EntryPoint>,
    /// Indexes into the calls of the join.
    pub(crate) calls: Vec<usize>,
}

/// A folder with a manifest of its own: what it holds is built and deployed together.
#[derive(Clone, Debug)]
struct Unit {
    folder: String,
    name: Option<String>,
    library: bool,
    /// Whether nobody but manifests of npm says that it is a library: these speak of scripts, and of nothing in another language.
    of_scripts: bool,
}

impl Unit {
    /// Whether what a file of it holds is offered to others.
    fn offers(&self, file: &str) -> bool {
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        self.library && !(self.of_scripts && OTHER_THAN_SCRIPTS.contains(&ending))
    }
}

/// Endings of code that nobody gets out of a package of npm to import it.
const OTHER_THAN_SCRIPTS: [&str; 8] = ["php", "py", "rb", "go", "java", "kt", "cs", "rs"];

/// Whether a record by itself shows that a model is used, as opposed to a client that is only built.
pub(crate) fn is_use(call: &Call) -> bool {
    call.zone == Zone::Product && matches!(call.kind, CallKind::Call | CallKind::Declare | CallKind::ModelLoad)
}

/// The systems of a project, and the units that hold calls but only offer them to others.
pub(crate) fn group(files: &[&FileInfo], manifests: &Manifests, code: &CodeJoin) -> Grouping {
    let uses: Vec<usize> = (0..code.calls.len())
        .filter(|index| is_use(&code.calls[*index]))
        .collect();
    if uses.is_empty() {
        return Grouping::default();
    }
    let units = units(files, manifests, code);
    let reached = reached_by(code);
    let homes: Vec<usize> = code
        .entry_points
        .iter()
        .map(|entry| units.of(&entry.entry.file))
        .collect();
    let owners: Vec<usize> = code.calls.iter().map(|call| units.of(&call.file)).collect();
    let units = units.all;
    let mut library_units = BTreeSet::new();
    let mut assigned: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut homeless = Vec::new();
    // Where calls of one unit went because entry points of another lead to them.
    let mut lent: BTreeMap<usize, usize> = BTreeMap::new();
    for &call in &uses {
        let own = owners[call];
        let entries = reached.get(&call).map(Vec::as_slice).unwrap_or_default();
        let from: BTreeSet<usize> = entries.iter().map(|entry| homes[*entry]).collect();
        if from.contains(&own) || (from.is_empty() && !units[own].offers(&code.calls[call].file)) {
            assigned.entry(own).or_default().push(call);
        } else if let Some(first) = from.first() {
            assigned.entry(*first).or_default().push(call);
            lent.entry(own).or_insert(*first);
        } else {
            library_units.insert(own);
            homeless.push((own, call));
        }
    }
    if assigned.is_empty() {
        // What an application of the tree needs and starts is no offer to others, though the way to the call was not followed.
        homeless.retain(|(own, call)| match started_with(&units, *own, manifests) {
            Some(application) => {
                assigned.entry(application).or_default().push(*call);
                false
            }
            None => true,
        });
    }
    if assigned.is_empty() {
        return Grouping {
            drafts: Vec::new(),
            libraries: names(&units, &library_units),
            uses,
        };
    }
    // A library of the same repository is part of the application that stands nearest to it.
    for (own, call) in homeless {
        if let Some(nearest) = nearest(&units, own, assigned.keys().copied()) {
            assigned.entry(nearest).or_default().push(call);
        }
    }
    join_assemblies(&units, &lent, manifests, &mut assigned);
    join_dictation(&units, &code.calls, &mut assigned);
    let mut drafts = Vec::new();
    let mut taken = BTreeSet::new();
    for (unit, calls) in assigned {
        split(&units[unit], &calls, code, &reached, &mut taken, &mut drafts);
    }
    Grouping {
        drafts,
        libraries: Vec::new(),
        uses,
    }
}

/// A project of .NET that builds no program is part of the program that runs some of it, handlers of messages and jobs included.
fn join_assemblies(
    units: &[Unit],
    lent: &BTreeMap<usize, usize>,
    manifests: &Manifests,
    assigned: &mut BTreeMap<usize, Vec<usize>>,
) {
    for (&own, &program) in lent {
        let mut here = manifests
            .product()
            .filter(|manifest| folder(&manifest.file) == units[own].folder)
            .peekable();
        let is_assembly = here.peek().is_some()
            && here.all(|manifest| {
                !manifest.is_application()
                    && [".csproj", ".fsproj", ".vbproj"]
                        .iter()
                        .any(|ending| manifest.file.ends_with(ending))
            });
        if !is_assembly || lent.contains_key(&program) {
            continue;
        }
        if let Some(calls) = assigned.remove(&own) {
            let joined = assigned.entry(program).or_default();
            joined.extend(calls);
            joined.sort_unstable();
        }
    }
}

/// A browser that writes down what is said into a field of text is part of what takes the text, and no system beside it.
fn join_dictation(units: &[Unit], calls: &[Call], assigned: &mut BTreeMap<usize, Vec<usize>>) {
    let dictates = |call: &usize| {
        calls[*call]
            .sdk
            .as_deref()
            .is_some_and(|sdk| sdk.starts_with("web-speech"))
    };
    let (alone, others): (Vec<usize>, Vec<usize>) = assigned
        .iter()
        .map(|(unit, own)| (*unit, own.iter().all(dictates)))
        .fold(Default::default(), |(mut alone, mut others), (unit, is_alone)| {
            if is_alone {
                alone.push(unit);
            } else {
                others.push(unit);
            }
            (alone, others)
        });
    for unit in alone {
        if let Some(nearest) = nearest(units, unit, others.iter().copied())
            && let Some(own) = assigned.remove(&unit)
        {
            let joined = assigned.entry(nearest).or_default();
            joined.extend(own);
            joined.sort_unstable();
        }
    }
}

/// The application that needs a library unit of the same tree, by itself or through other units, and says how it is started.
fn started_with(units: &[Unit], library: usize, manifests: &Manifests) -> Option<usize> {
    let mut wanted: Vec<&str> = units[library].name.as_deref().into_iter().collect();
    let mut seen: BTreeSet<&str> = wanted.iter().copied().collect();
    let mut found: BTreeSet<usize> = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        for manifest in manifests.product().filter(|manifest| manifest.needs.contains(name)) {
            let at = units.iter().position(|unit| unit.folder == folder(&manifest.file));
            found.extend(at.filter(|_| manifest.is_started));
            if let Some(name) = manifest.name.as_deref()
                && seen.insert(name)
            {
                wanted.push(name);
            }
        }
    }
    nearest(units, library, found.into_iter())
}

/// What grouping found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grouping {
    pub(crate) drafts: Vec<SystemDraft>,
    /// Names of units that only offer their calls to others; set when there is no system.
    pub(crate) libraries: Vec<String>,
    /// Indexes of all calls that count as use.
    pub(crate) uses: Vec<usize>,
}

fn names(units: &[Unit], which: &BTreeSet<usize>) -> Vec<String> {
    which
        .iter()
        .map(|unit| units[*unit].name.clone().unwrap_or_else(|| units[*unit].folder.clone()))
        .collect()
}

/// The units in the order of their folders; the root is always one.
fn units(files: &[&FileInfo], manifests: &Manifests, code: &CodeJoin) -> Units {
    let mut units: BTreeMap<String, Unit> = BTreeMap::new();
    units.insert(
        String::new(),
        Unit {
            folder: String::new(),
            name: None,
            library: false,
            of_scripts: true,
        },
    );
    for manifest in manifests.product() {
        let folder = folder(&manifest.file).to_owned();
        let unit = units.entry(folder.clone()).or_insert_with(|| Unit {
            folder,
            name: None,
            library: false,
            of_scripts: true,
        });
        if unit.name.is_none() {
            unit.name.clone_from(&manifest.name);
        }
        unit.library |= manifest.is_library();
        unit.of_scripts &= !manifest.is_library() || manifest.file.ends_with("package.json");
    }
    for manifest in manifests.product().filter(|manifest| manifest.is_application()) {
        if let Some(unit) = units.get_mut(folder(&manifest.file)) {
            unit.library = false;
        }
    }
    for file in files {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        if file.zone == Zone::Product && (name == "Dockerfile" || name == "Containerfile" || name == "Procfile") {
            let folder = folder(&file.path);
            if let Some(unit) = units.get_mut(folder) {
                unit.library = false;
            }
        }
    }
    let mut units = Units::new(units.into_values().collect());
    // Where the manifest is silent, the files tell whether code is offered or run.
    let bare: Vec<(usize, &str)> = manifests
        .product()
        .filter_map(|manifest| Some((units.at(folder(&manifest.file))?, manifest.bare_python()?)))
        .collect();
    if bare.is_empty() {
        return units;
    }
    let runs: BTreeSet<usize> = code
        .entry_points
        .iter()
        .filter(|entry| entry.zone == Zone::Product && entry.entry.kind != EntryPointKind::Library)
        .map(|entry| units.of(&entry.entry.file))
        .collect();
    let mut held: BTreeMap<usize, Vec<&FileInfo>> = BTreeMap::new();
    for file in files {
        held.entry(units.of(&file.path)).or_default().push(file);
    }
    for (at, name) in bare {
        let files = held.get(&at).map(Vec::as_slice).unwrap_or_default();
        if !runs.contains(&at) && only_offers(&units.all[at], name, files) {
            units.all[at].library = true;
            units.all[at].of_scripts = false;
        }
    }
    units
}

/// Folders of a unit in which files lie that are no part of what it offers or runs.
const BESIDE: [&str; 12] = [
    "benchmarks",
    "ci",
    "doc",
    "docs",
    "example",
    "examples",
    "notebooks",
    "requirements",
    "samples",
    "test",
    "tests",
    "tools",
];

/// Python files of a project's root that build, test or configure it.
const OF_THE_BUILD: [&str; 8] = [
    "__init__.py",
    "conf.py",
    "conftest.py",
    "fabfile.py",
    "noxfile.py",
    "setup.py",
    "tasks.py",
    "versioneer.py",
];

/// Whether a Python project without entry points holds one importable package under its own name, and nothing that anybody
/// could run: no module or script beside the package, no `__main__`, nothing that is put into a container or on a server.
fn only_offers(unit: &Unit, name: &str, files: &[&FileInfo]) -> bool {
    let mut offered = false;
    for file in files {
        let inside = match unit.folder.as_str() {
            "" => Some(file.path.as_str()),
            folder => file.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
        };
        let Some(inside) = inside else { continue };
        let inside = inside.strip_prefix("src/").unwrap_or(inside);
        let (top, rest) = inside.split_once('/').unwrap_or(("", inside));
        let last = rest.rsplit('/').next().unwrap_or(rest);
        if file.zone != Zone::Product || BESIDE.contains(&top) || top.starts_with('.') {
            continue;
        }
        let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
        let of_the_package = !top.is_empty() && is_package_of(top, name);
        let runnable = last == "__main__.py"
            || is_deployment(last)
            || ["sh", "ipynb", "service"].contains(&ending)
            || (ending == "py" && !of_the_package && !OF_THE_BUILD.contains(&last));
        if runnable {
            return false;
        }
        offered |= of_the_package && rest == "__init__.py";
    }
    offered
}

/// Files that say how something is put to run.
fn is_deployment(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let known = [
        "procfile",
        "app.yaml",
        "fly.toml",
        "render.yaml",
        "vercel.json",
        "serverless.yml",
        "serverless.yaml",
        "chart.yaml",
        "skaffold.yaml",
    ];
    known.contains(&name.as_str())
        || ["dockerfile", "containerfile", "docker-compose", "compose."]
            .iter()
            .any(|begin| name.starts_with(begin))
}

/// Whether a folder is the package of a project: its name, or the words with which it begins or ends, as in
/// `acme_llm` of `acme-llm-wrapper`.
fn is_package_of(folder: &str, project: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '.', ' '], "_");
    let (folder, project) = (plain(folder), plain(project));
    let part = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.starts_with('_'))
            || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('_'))
    };
    folder == project || part(&project, &folder) || part(&folder, &project)
}

pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// All units, findable by their folders.
struct Units {
    all: Vec<Unit>,
    folders: BTreeMap<String, usize>,
}

impl Units {
    fn new(all: Vec<Unit>) -> Self {
        let folders = all.iter().enumerate().map(|(at, unit)| (unit.folder.clone(), at));
        Self {
            folders: folders.collect(),
            all,
        }
    }

    fn at(&self, folder: &str) -> Option<usize> {
        self.folders.get(folder).copied()
    }

    /// The unit with the longest folder above a file.
    fn of(&self, file: &str) -> usize {
        folders_above(file).find_map(|folder| self.at(folder)).unwrap_or(0)
    }
}

/// The folders above a file, the nearest first, the root last.
pub(crate) fn folders_above(file: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(file)), |below| (!below.is_empty()).then(|| folder(below)))
}

fn nearest(units: &[Unit], own: usize, candidates: impl Iterator<Item = usize>) -> Option<usize> {
    let shared = |other: usize| {
        units[own]
            .folder
            .split('/')
            .zip(units[other].folder.split('/'))
            .take_while(|(a, b)| a == b)
            .count()
    };
    candidates.max_by_key(|candidate| (shared(*candidate), std::cmp::Reverse(*candidate)))
}

/// For each call the product entry points that lead to it; exported functions of a library lead nowhere by themselves.
pub(crate) fn reached_by(code: &CodeJoin) -> BTreeMap<usize, Vec<usize>> {
    let mut reached: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, entry) in code.entry_points.iter().enumerate() {
        if entry.zone == Zone::Product && entry.entry.kind != EntryPointKind::Library {
            for call in &entry.calls {
                reached.entry(*call).or_default().push(index);
            }
        }
    }
    reached
}

/// One unit is one system, unless a folder of it holds a job of its own whose answers decide or are stored.
fn split(
    unit: &Unit,
    calls: &[usize],
    code: &CodeJoin,
    reached: &BTreeMap<usize, Vec<usize>>,
    taken: &mut BTreeSet<String>,
    drafts: &mut Vec<SystemDraft>,
) {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &call in calls {
        groups
            .entry(top_folder(&unit.folder, &code.calls[call].file))
            .or_default()
            .push(call);
    }
    let interactive = |entry: &CodeEntryPoint| {
        matches!(
            entry.entry.kind,
            EntryPointKind::Http | EntryPointKind::Page | EntryPointKind::Message
        )
    };
    let entries = |calls: &[usize]| -> Vec<&CodeEntryPoint> {
        let indexes: BTreeSet<usize> = calls
            .iter()
            .filter_map(|call| reached.get(call))
            .flatten()
            .copied()
            .collect();
        indexes.into_iter().map(|index| &code.entry_points[index]).collect()
    };
    let any_interactive = groups.values().any(|calls| entries(calls).into_iter().any(interactive));
    let mut rest = Vec::new();
    let mut apart = Vec::new();
    for (name, calls) in groups {
        let own = entries(&calls);
        let decides = calls.iter().any(|call| {
            code.calls[*call]
                .effects
                .iter()
                .any(|e| matches!(e, Effect::Database | Effect::Branch | Effect::Mail))
        });
        let batch = !own.is_empty()
            && own
                .iter()
                .all(|entry| is_batch(entry) && top_folder(&unit.folder, &entry.entry.file) == name);
        if any_interactive && batch && decides && !name.is_empty() {
            apart.push((name, calls));
        } else {
            rest.extend(calls);
        }
    }
    rest.sort_unstable();
    let folder_name = unit.folder.rsplit('/').next().filter(|name| !name.is_empty());
    // The name of the project's own folder says where a person put it: a result must not depend on that.
    let main_name = unit.name.as_deref().or(folder_name).unwrap_or("main");
    if !rest.is_empty() {
        drafts.push(draft_of(main_name, &unit.folder, rest, code, reached, taken));
    }
    for (name, calls) in apart {
        let scope = if unit.folder.is_empty() {
            name.clone()
        } else {
            format!("{}/{name}", unit.folder)
        };
        drafts.push(draft_of(
            name.rsplit('/').next().unwrap_or(&name),
            &scope,
            calls,
            code,
            reached,
            taken,
        ));
    }
}

/// Whether an entry point is started by a timer or an operator and not by somebody who waits for an answer. A module of
/// a script language that runs statements when it is loaded is not a program of its own.
fn is_batch(entry: &CodeEntryPoint) -> bool {
    let script = [".ts", ".tsx", ".js", ".jsx", ".mjs"]
        .iter()
        .any(|ending| entry.entry.file.ends_with(ending));
    match entry.entry.kind {
        EntryPointKind::Job | EntryPointKind::Command => true,
        EntryPointKind::Main => !script,
        _ => false,
    }
}

pub(crate) fn draft_of(
    name: &str,
    scope: &str,
    calls: Vec<usize>,
    code: &CodeJoin,
    reached: &BTreeMap<usize, Vec<usize>>,
    taken: &mut BTreeSet<String>,
) -> SystemDraft {
    let indexes: BTreeSet<usize> = calls
        .iter()
        .filter_map(|call| reached.get(call))
        .flatten()
        .copied()
        .collect();
    let mut entry_points: Vec<EntryPoint> = indexes
        .into_iter()
        .map(|index| code.entry_points[index].entry.clone())
        .collect();
    entry_points.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    entry_points.dedup();
    let base = slug(name);
    let mut id = base.clone();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        id = format!("{base}-{number}");
        number += 1;
    }
    SystemDraft {
        id,
        name: name.to_owned(),
        scope: scope.to_owned(),
        entry_points,
        calls,
    }
}

/// The first folder below the unit that tells something: `src` and folders that hold nothing else are passed over.
fn top_folder(unit: &str, file: &str) -> String {
    let inside = if unit.is_empty() {
        file
    } else {
        file.strip_prefix(unit)
            .map_or(file, |rest| rest.trim_start_matches('/'))
    };
    let mut parts: Vec<&str> = inside.split('/').collect();
    parts.pop();
    match parts.as_slice() {
        ["src", first, ..] => format!("src/{first}"),
        ["src"] | [] => String::new(),
        [first, ..] => (*first).to_owned(),
    }
}

/// A name as a stable id.
pub(crate) fn slug(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() {
        "system".to_owned()
    } else {
        out.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{slug, top_folder};

    #[test]
    fn a_slug_is_safe_and_stable() {
        assert_eq!(slug("@acme/Web App"), "acme-web-app");
        assert_eq!(slug("../../x"), "x");
        assert_eq!(slug("!!!"), "system");
    }

    #[test]
    fn the_top_folder_passes_over_src() {
        assert_eq!(top_folder("", "screening/job.py"), "screening");
        assert_eq!(top_folder("web", "web/src/chat/a.ts"), "src/chat");
        assert_eq!(top_folder("", "main.py"), "");
    }
}
