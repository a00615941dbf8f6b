//! What is known of the names that serialised objects import. The names are data, in `data/imports.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use engine_embed::embed;
use engine_model::ModelImportKind;
use serde::Deserialize;

use crate::behaviour::{Behaviour, Effect, is_class, words};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    #[serde(rename = "version")]
    _version: String,
    known: Vec<Rule>,
    dangerous: Vec<Rule>,
    behaviour: Vec<Behaviour>,
    rebuilds: Vec<Words>,
    settings: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    words: Vec<String>,
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
    #[serde(default)]
    effect: Effect,
}

impl Rule {
    /// The paths that the rule names: its names in its module, or the module with all that is in it.
    fn paths(&self) -> Vec<String> {
        if self.names.is_empty() {
            return vec![self.module.clone()];
        }
        let path = |name: &String| format!("{}.{name}", self.module);
        self.names.iter().map(path).collect()
    }
}

struct Tables {
    known: BTreeSet<String>,
    classes: BTreeSet<String>,
    /// Paths that are dangerous with all that is below them, what they lead to, and why.
    dangerous: BTreeMap<String, (Effect, String)>,
    behaviours: Vec<Behaviour>,
    /// Words of functions that rebuild an object.
    rebuilds: BTreeSet<String>,
    /// Paths that a configuration may name, with all that is below them.
    settings: BTreeSet<String>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the data is compiled in and read in a test")]
    let data: Data =
        engine_embed::from_toml(&embed!("../data/imports.toml").text()).expect("the data on imports is well-formed");
    let mut tables = Tables {
        known: BTreeSet::new(),
        classes: BTreeSet::new(),
        dangerous: BTreeMap::new(),
        behaviours: data.behaviour,
        rebuilds: data.rebuilds.into_iter().flat_map(|rule| rule.words).collect(),
        settings: data.settings.iter().flat_map(Rule::paths).collect(),
    };
    for rule in data.known {
        if rule.classes {
            tables.classes.insert(rule.module.clone());
        }
        if !rule.names.is_empty() {
            tables.known.extend(rule.paths());
        }
    }
    for rule in data.dangerous {
        for path in rule.paths() {
            tables.dangerous.insert(path, (rule.effect, rule.why.clone()));
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

/// What is known of a dotted path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) kind: ModelImportKind,
    /// Why it is dangerous, if it is.
    pub(crate) why: &'static str,
    pub(crate) effect: Effect,
    /// Whether the name is that of a function like many others, which says something only where it is called.
    pub(crate) generic: bool,
}

impl Judgement {
    const fn of(kind: ModelImportKind) -> Self {
        Self {
            kind,
            why: "",
            effect: Effect::Network,
            generic: false,
        }
    }

    const fn dangerous(effect: Effect, why: &'static str) -> Self {
        Self {
            kind: ModelImportKind::Dangerous,
            why,
            effect,
            generic: false,
        }
    }
}

/// What is known of a dotted path: by its own rule, by what its name says it does, and only then by its package.
pub(crate) fn judge(path: &str) -> Judgement {
    let tables = &*TABLES;
    if tables.known.contains(path) {
        return Judgement::of(ModelImportKind::Known);
    }
    if let Some((effect, why)) = dangerous(path) {
        return Judgement::dangerous(effect, why);
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
            let (effect, why) = dangerous(&path[*start..])
                .unwrap_or((Effect::Code, "gives access to the interpreter through another module"));
            // The last segment alone is a submodule or a function of that name, as in `xgboost.io`.
            if start + segment.len() < path.len() || segment.starts_with("__") {
                return Judgement::dangerous(effect, why);
            }
        }
    }
    // The classes of a TorchScript archive, whose code is in it; Python cannot import them.
    if path.starts_with("__torch__.") {
        return Judgement::of(ModelImportKind::Known);
    }
    if let Some(rule) = tables.behaviours.iter().find(|rule| rule.covers(path)) {
        return Judgement {
            generic: rule.generic,
            ..Judgement::dangerous(rule.effect, &rule.why)
        };
    }
    if segments.last().is_some_and(|(_, last)| is_class(last))
        && segments.iter().rev().skip(1).all(|(_, segment)| !is_class(segment))
        && prefixes(path).skip(1).any(|prefix| tables.classes.contains(prefix))
    {
        return Judgement::of(ModelImportKind::Known);
    }
    Judgement::of(ModelImportKind::Unknown)
}

/// What is known of a callable in a configuration that a person wrote: what only reads files or loads a model is no harm
/// there, and a name that says little is not held against it.
pub(crate) fn judge_setting(path: &str) -> Judgement {
    let judgement = judge(path);
    let usual = judgement.generic
        || judgement.effect < Effect::Code
        || prefixes(path).any(|prefix| TABLES.settings.contains(prefix));
    if judgement.kind == ModelImportKind::Dangerous && usual {
        return Judgement::of(ModelImportKind::Unknown);
    }
    judgement
}

/// What is known of an operator of `TorchScript`; only rules that name it count, because operators have short names.
pub(crate) fn judge_operator(path: &str) -> Judgement {
    TABLES
        .dangerous
        .get(path)
        .map_or(Judgement::of(ModelImportKind::Unknown), |(effect, why)| {
            Judgement::dangerous(*effect, why)
        })
}

/// Whether a rule names a path as dangerous, so that its own words do not matter.
pub(crate) fn is_listed(path: &str) -> bool {
    dangerous(path).is_some()
}

/// Whether a name by itself is that of a class, or of a function that rebuilds an object and does nothing else.
pub(crate) fn is_plain(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    is_class(name) || words(name).iter().any(|word| TABLES.rebuilds.contains(word))
}

fn dangerous(path: &str) -> Option<(Effect, &'static str)> {
    prefixes(path).find_map(|prefix| {
        let (effect, why) = TABLES.dangerous.get(prefix)?;
        Some((*effect, why.as_str()))
    })
}

/// A path and all that it lies in, the longest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent))
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
        let kind = |path: &str| judge(path).kind;
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
            "mlflow.projects.backend.local._run_entry_point",
            "huggingface_hub.utils._subprocess.run_subprocess",
            "spacy.util.run_command",
            "werkzeug.utils.import_string",
            "transformers.dynamic_module_utils.get_class_from_dynamic_module",
            "langchain_experimental.utilities.PythonREPL",
            "joblib.numpy_pickle.load",
            "some.lib.load_pickle",
            "gevent.subprocess.Popen",
            "numpy.core._multiarray_umath.load_library",
        ] {
            assert_eq!(kind(path), ModelImportKind::Dangerous, "{path}");
        }
        for path in [
            "app.models.Scorer",
            "_loss.Scorer",
            "__main__.Net",
            "sklearn.utils.helper",
            "osprey.Thing",
            "sklearn.metrics._regression.mean_absolute_percentage_error",
            "app.metrics.eval_auc",
            "app.features.loader",
        ] {
            assert_eq!(kind(path), ModelImportKind::Unknown, "{path}");
        }
    }

    #[test]
    fn generic_names_count_only_where_they_are_called() {
        assert!(judge("mlflow.projects.run").generic);
        assert!(!judge("app.jobs.run_command").generic);
    }

    #[test]
    fn functions_are_plain_by_their_name_and_not_by_their_package() {
        for path in [
            "pandas.core.indexes.base._new_Index",
            "lightgbm.Booster",
            "a.__pyx_unpickle_Tree",
        ] {
            assert!(is_plain(path), "{path}");
        }
        for path in ["mlflow.projects.submit", "torch.nn.functional.relu"] {
            assert!(!is_plain(path), "{path}");
        }
    }

    #[test]
    fn settings_may_name_what_serialised_objects_may_not() {
        let kind = |path: &str| judge_setting(path).kind;
        for path in [
            "os.path.join",
            "functools.partial",
            "pandas.read_csv",
            "app.train.main",
            "hydra.utils.get_class",
            "transformers.AutoModel.from_pretrained",
            "app.data.load_model",
        ] {
            assert_ne!(kind(path), ModelImportKind::Dangerous, "{path}");
        }
        for path in [
            "os.system",
            "subprocess.run",
            "builtins.exec",
            "torch.hub.load",
            "app.util.run_command",
        ] {
            assert_eq!(kind(path), ModelImportKind::Dangerous, "{path}");
        }
    }

    #[test]
    fn every_dangerous_name_has_a_reason() {
        for (path, (_, why)) in &TABLES.dangerous {
            assert!(why.len() > 10, "{path}");
            assert!(!TABLES.known.contains(path), "{path} is in both lists");
        }
    }
}
