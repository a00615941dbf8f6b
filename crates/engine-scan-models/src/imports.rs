//! What is known of the names that serialised objects import. The names are data, in `data/imports.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use engine_model::ModelImportKind;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    #[serde(rename = "version")]
    _version: String,
    known: Vec<Rule>,
    dangerous: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    module: String,
    #[serde(default)]
    names: Vec<String>,
    /// All classes of the module and its submodules: a name in capitals at the end of a path of plain modules.
    #[serde(default)]
    classes: bool,
    #[serde(default)]
    why: String,
}

struct Tables {
    known: BTreeSet<String>,
    classes: BTreeSet<String>,
    /// Paths that are dangerous with all that is below them, and why.
    dangerous: BTreeMap<String, String>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the data is compiled in and read in a test")]
    let data: Data = toml::from_str(include_str!("../data/imports.toml")).expect("the data on imports is well-formed");
    let mut tables = Tables {
        known: BTreeSet::new(),
        classes: BTreeSet::new(),
        dangerous: BTreeMap::new(),
    };
    for rule in data.known {
        if rule.classes {
            tables.classes.insert(rule.module.clone());
        }
        for name in rule.names {
            tables.known.insert(format!("{}.{name}", rule.module));
        }
    }
    for rule in data.dangerous {
        if rule.names.is_empty() {
            tables.dangerous.insert(rule.module, rule.why);
        } else {
            for name in rule.names {
                tables
                    .dangerous
                    .insert(format!("{}.{name}", rule.module), rule.why.clone());
            }
        }
    }
    tables
});

/// Modules of the interpreter that hide inside others: `torch.serialization.os.system` is `os.system`.
const REACHED_THROUGH: &[&str] = &[
    "os",
    "posix",
    "nt",
    "sys",
    "subprocess",
    "builtins",
    "__builtins__",
    "importlib",
    "runpy",
    "pty",
    "socket",
    "ctypes",
    "shutil",
    "marshal",
    "pickle",
    "_pickle",
    "pdb",
    "imp",
    "urllib",
    "requests",
    "webbrowser",
    "multiprocessing",
    "threading",
    "tempfile",
    "inspect",
    "pkgutil",
    "io",
    "__globals__",
    "__subclasses__",
    "__loader__",
    "__import__",
];

/// What is known of a dotted path, and why it is dangerous if it is.
pub(crate) fn judge(path: &str) -> (ModelImportKind, &'static str) {
    let tables = &*TABLES;
    if tables.known.contains(path) {
        return (ModelImportKind::Known, "");
    }
    if let Some(why) = dangerous(path) {
        return (ModelImportKind::Dangerous, why);
    }
    // A module of the interpreter that is reached as an attribute of another one.
    let segments: Vec<(usize, &str)> = path
        .split('.')
        .scan(0, |at, segment| {
            let start = *at;
            *at += segment.len() + 1;
            Some((start, segment))
        })
        .collect();
    for (start, segment) in segments.iter().skip(1) {
        if REACHED_THROUGH.contains(segment) {
            let why = dangerous(&path[*start..]).unwrap_or("gives access to the interpreter through another module");
            // The last segment alone is a submodule or a function of that name, as in `xgboost.io`.
            if start + segment.len() < path.len() || segment.starts_with("__") {
                return (ModelImportKind::Dangerous, why);
            }
        }
    }
    if segments.last().is_some_and(|(_, last)| is_class(last))
        && segments.iter().rev().skip(1).all(|(_, segment)| !is_class(segment))
        && prefixes(path).skip(1).any(|prefix| tables.classes.contains(prefix))
    {
        return (ModelImportKind::Known, "");
    }
    (ModelImportKind::Unknown, "")
}

fn dangerous(path: &str) -> Option<&'static str> {
    prefixes(path).find_map(|prefix| TABLES.dangerous.get(prefix).map(String::as_str))
}

/// A path and all that it lies in, the longest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent))
}

fn is_class(name: &str) -> bool {
    name.trim_start_matches('_')
        .starts_with(|c: char| c.is_ascii_uppercase())
}

/// The library that an import speaks of.
pub(crate) fn framework(path: &str) -> Option<&'static str> {
    Some(match path.split('.').next()? {
        "torch" | "torchvision" | "pytorch_lightning" | "lightning" => "pytorch",
        "sklearn" | "imblearn" => "scikit-learn",
        "xgboost" => "xgboost",
        "lightgbm" => "lightgbm",
        "catboost" => "catboost",
        "keras" | "tensorflow" => "tensorflow",
        "transformers" => "transformers",
        "gensim" => "gensim",
        "spacy" => "spacy",
        "statsmodels" => "statsmodels",
        "prophet" | "fbprophet" => "prophet",
        "fastai" => "fastai",
        "flair" => "flair",
        "ultralytics" => "ultralytics",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_the_longest_rule() {
        let kind = |path: &str| judge(path).0;
        for path in [
            "numpy.core.multiarray._reconstruct",
            "collections.OrderedDict",
            "torch._utils._rebuild_tensor_v2",
            "torch.FloatStorage",
            "sklearn.linear_model._logistic.LogisticRegression",
            "sklearn.tree._tree.Tree",
            "_loss.CyHalfSquaredError",
            "_loss.__pyx_unpickle_CyHalfSquaredError",
            "builtins.dict",
            "joblib.numpy_pickle.NumpyArrayWrapper",
        ] {
            assert_eq!(kind(path), ModelImportKind::Known, "{path}");
        }
        for path in [
            "os.system",
            "posix.system",
            "builtins.eval",
            "__builtin__.eval",
            "subprocess.Popen",
            "torch.load",
            "torch.hub.load",
            "torch.serialization.os.system",
            "sklearn.utils.os.system",
            "numpy.testing._private.utils.runstring",
            "sys.modules",
            "collections.OrderedDict.__init__.__globals__",
            "importlib",
        ] {
            assert_eq!(kind(path), ModelImportKind::Dangerous, "{path}");
        }
        for path in [
            "app.models.Scorer",
            "_loss.Scorer",
            "__main__.Net",
            "sklearn.utils.helper",
            "osprey.Thing",
        ] {
            assert_eq!(kind(path), ModelImportKind::Unknown, "{path}");
        }
    }

    #[test]
    fn every_dangerous_name_has_a_reason() {
        for (path, why) in &TABLES.dangerous {
            assert!(why.len() > 10, "{path}");
            assert!(!TABLES.known.contains(path), "{path} is in both lists");
        }
    }
}
