//! How each package registry writes and compares names.

use engine_model::Ecosystem;

/// Reads the wire name of an ecosystem or its package URL type, for instance `rubygems` or `gem`.
pub fn ecosystem(text: &str) -> Option<Ecosystem> {
    match text {
        "go" => Some(Ecosystem::Go),
        "rubygems" => Some(Ecosystem::RubyGems),
        _ => Ecosystem::ALL
            .into_iter()
            .find(|ecosystem| ecosystem.purl_type() == text),
    }
}

/// Writes a package name the way its registry compares names, so that two spellings of one package are equal.
pub fn normalize_name(ecosystem: Ecosystem, name: &str) -> String {
    let name = name.trim();
    match ecosystem {
        Ecosystem::PyPI => pep503(name),
        Ecosystem::Cargo => name.to_ascii_lowercase().replace('_', "-"),
        Ecosystem::NuGet | Ecosystem::Composer | Ecosystem::Conda => name.to_ascii_lowercase(),
        Ecosystem::Maven => without_scala_version(name).to_owned(),
        Ecosystem::Npm | Ecosystem::Go | Ecosystem::RubyGems => name.to_owned(),
    }
}

/// PEP 503: lower case, and every run of `-`, `_` and `.` is one `-`.
fn pep503(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    let mut separator = false;
    for character in name.chars() {
        if matches!(character, '-' | '_' | '.') {
            separator = true;
            continue;
        }
        if separator {
            normal.push('-');
            separator = false;
        }
        normal.extend(character.to_lowercase());
    }
    if separator {
        normal.push('-');
    }
    normal
}

/// The Python package behind the name that a conda channel gives it; most names are the same.
pub(crate) fn python_name(conda: &str) -> &str {
    match conda {
        "pytorch" | "pytorch-cpu" | "pytorch-gpu" => "torch",
        "tensorflow-base" | "tensorflow-cpu" => "tensorflow",
        "py-xgboost" => "xgboost",
        "py-opencv" => "opencv-python",
        "keras-base" => "keras",
        name => name,
    }
}

/// `spark-mllib_2.13` and `spark-mllib_3` are builds of `spark-mllib` for one Scala version.
fn without_scala_version(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((base, "2.10" | "2.11" | "2.12" | "2.13" | "3")) => base,
        _ => name,
    }
}
