//! Small projects that real package managers locked, held against what the managers themselves list.
//!
//! Each folder below `managers/` holds the manifests and the lockfile as they were written, and `expected.json` with what
//! the manager's own listing says: packages, what the project asked for itself, arrows, what is needed at run time, and
//! `open`: peers that nothing installs, which stay without a version. What lies in the same tree is no package; what it
//! needs, the project needs.
#![expect(clippy::disallowed_methods, reason = "a test reads its fixtures from disk")]
#![expect(clippy::unwrap_used, reason = "a fixture that cannot be read fails the test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine_model::{DependencyRelation, DependencyScope, Ecosystem, Package, SourceFile};
use engine_scan_dependencies::{Joined, join, read, wants};
use serde_json::Value;

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn joined(folder: &Path) -> Joined {
    let mut paths = Vec::new();
    files_below(folder, &mut paths);
    paths.sort();
    let mut facts = Vec::new();
    for path in paths {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        if wants(&name) {
            let file = SourceFile::new(name, std::fs::read(&path).unwrap());
            facts.push((file.info(), read(&file)));
        }
    }
    join(&facts)
}

/// A name the way Python compares names; the others differ if they are written differently.
fn shown(package: &Package) -> String {
    let version = package.version.as_deref().unwrap_or("?");
    format!("{}@{version}", plain(package.ecosystem, &package.name))
}

fn plain(ecosystem: Ecosystem, name: &str) -> String {
    if ecosystem == Ecosystem::PyPI {
        name.replace('_', "-")
    } else {
        name.to_owned()
    }
}

fn listed(expected: &Value, key: &str) -> Option<BTreeSet<String>> {
    let items = expected.get(key)?.as_array()?;
    Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

#[track_caller]
fn agrees(manager: &str, what: &str, expected: &Value, found: &BTreeSet<String>) {
    if let Some(wanted) = listed(expected, what) {
        let missing: Vec<&String> = wanted.difference(found).collect();
        let extra: Vec<&String> = found.difference(&wanted).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{manager}, {what}: missing {missing:?}, too many {extra:?}"
        );
    }
}

fn check(manager: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/managers")
        .join(manager);
    let expected: Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let packages = joined(&folder).packages;
    let of = |keep: &dyn Fn(&Package) -> bool| -> BTreeSet<String> {
        let locked = packages.iter().filter(|package| package.version.is_some());
        locked.filter(|package| keep(package)).map(shown).collect()
    };
    let all = of(&|_| true);
    assert!(!all.is_empty(), "{manager}: nothing was read");
    agrees(manager, "packages", &expected, &all);
    agrees(
        manager,
        "direct",
        &expected,
        &of(&|package| package.relation == DependencyRelation::Direct),
    );
    agrees(
        manager,
        "runtime",
        &expected,
        &of(&|package| package.scope == DependencyScope::Required),
    );
    let arrows: BTreeSet<String> = packages
        .iter()
        .flat_map(|package| {
            package.dependencies.iter().map(|needed| {
                let version = needed.version.as_deref().unwrap_or("?");
                format!(
                    "{} -> {}@{version}",
                    shown(package),
                    plain(package.ecosystem, &needed.name)
                )
            })
        })
        .collect();
    agrees(manager, "edges", &expected, &arrows);
    let open: BTreeSet<String> = packages
        .iter()
        .filter(|package| package.version.is_none())
        .map(|package| package.name.clone())
        .collect();
    agrees(manager, "open", &expected, &open);
}

macro_rules! managers {
    ($($test:ident: $folder:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check($folder);
            }
        )*

        #[test]
        fn every_folder_is_tested() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/managers");
            let mut found: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            found.sort();
            let mut tested = vec![$($folder),*];
            tested.sort_unstable();
            assert_eq!(found, tested);
        }
    };
}

managers! {
    npm_6_lists_the_same: "npm-6",
    npm_7_with_a_workspace_lists_the_same: "npm-7",
    npm_11_with_a_workspace_lists_the_same: "npm-11",
    yarn_1_with_a_workspace_lists_the_same: "yarn-1",
    yarn_2_with_a_workspace_lists_the_same: "yarn-2",
    yarn_4_with_a_workspace_lists_the_same: "yarn-4",
    pnpm_7_with_a_workspace_lists_the_same: "pnpm-7",
    pnpm_8_with_a_workspace_lists_the_same: "pnpm-8",
    pnpm_9_with_a_workspace_lists_the_same: "pnpm-9",
    bun_with_a_workspace_lists_the_same: "bun",
    poetry_lists_the_same: "poetry-2",
    pdm_lists_the_same: "pdm",
    uv_with_a_workspace_lists_the_same: "uv",
    pipenv_lists_the_same: "pipenv",
    pip_tools_lists_the_same: "pip-tools",
    cargo_with_a_workspace_lists_the_same: "cargo",
    bundler_lists_the_same: "bundler",
    composer_lists_the_same: "composer",
    go_lists_the_same: "go",
}
