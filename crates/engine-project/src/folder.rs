//! Which folders hold something other than a project's own sources, told by their names and by what lies beside them.

use std::collections::BTreeSet;

use engine_model::SkipReason;

use crate::disk::{Entry, Kind};
use crate::ignore_rules::Verdict;

/// The end of the name of a folder in which pip records what it installed.
const DIST_INFO: &str = ".dist-info";

/// Names of the entries of one folder, as far as they are valid Unicode.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    files: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(entries: &'a [Entry]) -> Self {
        let mut names = Self::default();
        for entry in entries {
            let Some(name) = entry.name.to_str() else { continue };
            match entry.kind {
                Kind::File => names.files.insert(name),
                Kind::Folder => names.folders.insert(name),
                Kind::Link | Kind::Special => false,
            };
        }
        names
    }

    pub(crate) fn file(&self, name: &str) -> bool {
        self.files.contains(name)
    }

    pub(crate) fn folder(&self, name: &str) -> bool {
        self.folders.contains(name)
    }

    fn any_file(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.file(name))
    }

    /// Whether a folder is a package that pip installed beside the records of what it installed: `sqlalchemy` beside
    /// `SQLAlchemy-2.0.37.dist-info`, `jose` beside `python_jose-3.3.0.dist-info`, `yaml` beside `PyYAML-6.0.2.dist-info`.
    fn installed(&self, name: &str) -> bool {
        let mut records = self.folders.iter().filter_map(|other| other.strip_suffix(DIST_INFO));
        records.any(|record| {
            let of = record.split_once('-').map_or(record, |(of, _)| of);
            let whole = of.eq_ignore_ascii_case(name);
            let of_python = of
                .get(2..)
                .is_some_and(|rest| of[..2].eq_ignore_ascii_case("py") && rest.eq_ignore_ascii_case(name));
            whole
                || of_python
                || of
                    .strip_prefix("python_")
                    .is_some_and(|rest| rest.eq_ignore_ascii_case(name))
        })
    }

    fn file_ending(&self, endings: &[&str]) -> bool {
        self.files
            .iter()
            .any(|name| endings.iter().any(|ending| name.ends_with(ending)))
    }
}

/// Whether a path lies in a folder that no walk enters, whatever lies beside it.
pub fn is_left_out(path: &str) -> bool {
    let mut names: Vec<&str> = path.split('/').collect();
    names.pop();
    names
        .into_iter()
        .any(|name| by_name(name, &Names::default(), Verdict::Kept).is_some())
}

/// Lockfiles with the manifests that they fix.
const LOCKFILES: [(&str, &[&str]); 19] = [
    ("package-lock.json", &["package.json"]),
    ("npm-shrinkwrap.json", &["package.json"]),
    ("yarn.lock", &["package.json"]),
    ("pnpm-lock.yaml", &["package.json"]),
    ("bun.lock", &["package.json"]),
    ("bun.lockb", &["package.json"]),
    ("deno.lock", &["deno.json", "deno.jsonc", "package.json"]),
    ("poetry.lock", &["pyproject.toml"]),
    ("uv.lock", &["pyproject.toml"]),
    ("pdm.lock", &["pyproject.toml"]),
    ("pylock.toml", &["pyproject.toml"]),
    ("Pipfile.lock", &["Pipfile"]),
    ("conda-lock.yml", &["environment.yml", "environment.yaml"]),
    ("Cargo.lock", &["Cargo.toml"]),
    ("go.sum", &["go.mod"]),
    ("composer.lock", &["composer.json"]),
    ("Gemfile.lock", &["Gemfile"]),
    ("gradle.lockfile", &["build.gradle", "build.gradle.kts"]),
    ("pubspec.lock", &["pubspec.yaml"]),
];

/// Whether a file is a lockfile beside its manifest. Projects list lockfiles among the files to ignore and commit them all the same; what
/// is installed here is what it says.
pub(crate) fn is_lockfile(name: &str, beside: &Names<'_>) -> bool {
    LOCKFILES
        .iter()
        .any(|(lockfile, manifests)| *lockfile == name && beside.any_file(manifests))
}

/// The reason to leave out a folder that its name and its siblings give. `beside` are the names in its parent.
pub(crate) fn by_name(name: &str, beside: &Names<'_>, verdict: Verdict) -> Option<SkipReason> {
    use SkipReason::{BuildOutput, DependencyFolder, VersionControl, VirtualEnvironment};
    match name {
        ".git" | ".hg" | ".svn" | ".bzr" | ".jj" | "_darcs" | ".pijul" => return Some(VersionControl),
        ".compliance" => return Some(SkipReason::EngineState),
        "node_modules" | "bower_components" | "jspm_packages" | "site-packages" | "dist-packages"
        | "__pypackages__" | ".pnpm-store" | ".eggs" | ".terraform" | ".dart_tool" => return Some(DependencyFolder),
        ".tox" | ".nox" => return Some(VirtualEnvironment),
        "__pycache__" | ".mypy_cache" | ".pytest_cache" | ".ruff_cache" | ".ipynb_checkpoints" | ".next" | ".nuxt"
        | ".svelte-kit" | ".turbo" | ".parcel-cache" | ".angular" | ".gradle" | ".nyc_output" | "cdk.out"
        | ".aws-sam" | ".serverless" | "DerivedData" => return Some(BuildOutput),
        _ => {}
    }
    if name.ends_with(".egg-info") || name.starts_with("cmake-build-") {
        return Some(BuildOutput);
    }
    if name.ends_with(DIST_INFO) || beside.installed(name) {
        return Some(DependencyFolder);
    }
    // The names below are ordinary words. A project that lists one among the folders to keep means it.
    if verdict == Verdict::Kept {
        return None;
    }
    let ignored = verdict == Verdict::Ignored;
    match name {
        "target" if ignored || beside.any_file(&["Cargo.toml", "pom.xml", "build.sbt"]) => Some(BuildOutput),
        "build" if ignored || beside.any_file(&["build.gradle", "build.gradle.kts"]) => Some(BuildOutput),
        "bin" | "obj" if ignored || beside.file_ending(&[".csproj", ".fsproj", ".vbproj"]) => Some(BuildOutput),
        "dist" | "out" | "coverage" | "htmlcov" | ".cache" | ".output" if ignored => Some(BuildOutput),
        "_build" if ignored || beside.file("mix.exs") => Some(BuildOutput),
        "deps" if beside.file("mix.exs") => Some(DependencyFolder),
        "Pods" if beside.file("Podfile") => Some(DependencyFolder),
        "Carthage" if beside.file("Cartfile") => Some(DependencyFolder),
        "vendor" if ignored => Some(DependencyFolder),
        _ => None,
    }
}

/// The reason to leave out a folder that its own entries give. `above` tells names of files in its parent.
pub(crate) fn by_content(name: &str, within: &Names<'_>, above: ParentMarks) -> Option<SkipReason> {
    let environment = within.file("pyvenv.cfg")
        && ["bin", "Scripts", "lib", "Lib", "lib64"]
            .iter()
            .any(|folder| within.folder(folder));
    if environment || within.folder("conda-meta") && within.folder("lib") {
        return Some(SkipReason::VirtualEnvironment);
    }
    if within.file("CMakeCache.txt") && within.folder("CMakeFiles") {
        return Some(SkipReason::BuildOutput);
    }
    if name == "vendor" {
        let go = above.go && within.file("modules.txt");
        let php = above.php && within.file("autoload.php") && within.folder("composer");
        if go || php {
            return Some(SkipReason::DependencyFolder);
        }
    }
    if name == "bundle" && above.place == Place::RubyVendor && within.folder("ruby") {
        return Some(SkipReason::DependencyFolder);
    }
    if (name == "cache" || name == "unplugged") && above.place == Place::Yarn {
        return Some(SkipReason::DependencyFolder);
    }
    None
}

/// What a folder's parent tells about the folders in it, kept small because one goes with every folder still to be walked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ParentMarks {
    go: bool,
    php: bool,
    ruby: bool,
    place: Place,
}

/// Where a package manager keeps folders whose own names are ordinary words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Elsewhere,
    /// The `vendor` folder of a Ruby project.
    RubyVendor,
    /// The `.yarn` folder.
    Yarn,
}

impl ParentMarks {
    /// The marks that a folder of this name and content sets for its children; `above` are its own.
    pub(crate) fn of(name: &str, names: &Names<'_>, above: Self) -> Self {
        let place = match name {
            "vendor" if above.ruby => Place::RubyVendor,
            ".yarn" => Place::Yarn,
            _ => Place::Elsewhere,
        };
        Self {
            go: names.file("go.mod") || names.file("go.work"),
            php: names.file("composer.json"),
            ruby: names.file("Gemfile"),
            place,
        }
    }
}

/// The first bytes of a `CACHEDIR.TAG`, as its specification has them.
pub(crate) const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
