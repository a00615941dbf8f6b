//! Checks on model files.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::package_by_import;
use engine_model::{
    Check, CheckContext, Ecosystem, EvidenceKind, Location, ModelFile, ModelFileProblem, ModelFileProblemKind,
    ModelImport, ModelImportKind, Report, Severity, System, Zone, declare_check,
};

use crate::imports::{is_listed, is_plain};
use crate::loader::FORMAT as LOADER_CONFIG;

/// The checks of this crate.
pub const CHECKS: &[Check] = &[UNSAFE_MODEL_FILE, UNVERIFIED_MODEL_FILE, MISLABELLED_MODEL_FILE];

/// Problems that one finding names.
const NAMED_MAX: usize = 3;

/// Files with the same problem that a finding lists as evidence.
const OTHERS_MAX: usize = 20;

/// The severity of a file's problems, and the key that it shares with other files that have the same problem.
struct Rating {
    severity: Severity,
    /// Files with the same key share one finding; a file without a key gets its own.
    shared: Option<String>,
}

/// A finding under construction.
struct Draft<'a> {
    file: &'a ModelFile,
    problems: Vec<&'a ModelFileProblem>,
    rating: Rating,
    /// Other files with the same problem.
    others: Vec<&'a ModelFile>,
}

/// Reports the problems of some kinds: one finding per file, or one for all files with the same shared key.
fn report_files(
    context: &CheckContext<'_>,
    report: &mut Report,
    confidence: u8,
    kinds: &[ModelFileProblemKind],
    rate: &dyn Fn(&[&ModelFileProblem], &ModelFile) -> Option<Rating>,
) {
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for file in &context.inventory.model_files {
        if !matches!(file.zone, Some(Zone::Product | Zone::Vendored) | None) {
            continue;
        }
        let problems: Vec<&ModelFileProblem> = file
            .problems
            .iter()
            .filter(|problem| kinds.contains(&problem.kind))
            .collect();
        let Some(rating) = (!problems.is_empty()).then(|| rate(&problems, file)).flatten() else {
            continue;
        };
        if let Some(shared) = &rating.shared {
            let key = (system_of(context, file).map_or("", |system| &system.id), shared.clone());
            if let Some(first) = known.get(&key).and_then(|at| drafts.get_mut(*at)) {
                first.rating.severity = first.rating.severity.max(rating.severity);
                first.others.push(file);
                continue;
            }
            known.insert(key, drafts.len());
        }
        drafts.push(Draft {
            file,
            problems,
            rating,
            others: Vec::new(),
        });
    }
    for draft in drafts {
        report_draft(context, report, confidence, &draft);
    }
}

/// The system whose folder contains a file.
fn system_of<'a>(context: &CheckContext<'a>, file: &ModelFile) -> Option<&'a System> {
    context
        .systems
        .iter()
        .find(|system| context.in_scope(system, &file.file))
}

fn report_draft(context: &CheckContext<'_>, report: &mut Report, confidence: u8, draft: &Draft<'_>) {
    let (file, severity) = (draft.file, draft.rating.severity);
    let named: Vec<String> = draft
        .problems
        .iter()
        .take(NAMED_MAX)
        .map(|problem| match &problem.member {
            Some(member) => format!("{} (in `{member}`)", problem.message),
            None => problem.message.clone(),
        })
        .collect();
    let more = draft.problems.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    let others = match draft.others.as_slice() {
        [] => String::new(),
        [one] => format!("; same problem in `{}`", one.file),
        [one, ..] => format!(
            "; same problem in {} other files, such as `{}`",
            draft.others.len(),
            one.file
        ),
    };
    let message = format!("`{}` ({}): {}{more}{others}", file.file, file.format, named.join("; "));
    let observation = if severity == Severity::Info {
        report.info(confidence, message)
    } else {
        report.fail(confidence, message)
    };
    let mut observation = observation.severity(severity);
    if let Some(system) = system_of(context, file) {
        observation = observation.system(system);
    }
    observation = observation
        .at(Location {
            file: file.file.clone(),
            line: 1,
            column: 1,
            cell: None,
        })
        .anchor(file.format.clone());
    for problem in draft.problems.iter().take(NAMED_MAX) {
        observation = observation.evidence(EvidenceKind::Configuration, problem.message.clone(), &file.file, 1);
    }
    for other in draft.others.iter().take(OTHERS_MAX) {
        observation = observation.evidence(EvidenceKind::Configuration, "same problem", &other.file, 1);
    }
}

declare_check! {
    /// Unsafe model file.
    ///
    /// The file can run code or access files outside its folder when it is loaded or used. Serialised Python objects can call any
    /// function while they load. Some other formats contain code themselves. A configuration can name a function that its
    /// loader calls (`_target_`, `loader_module`). The scan analyses the file without loading it.
    /// The severity is critical if loading the file runs a dangerous function, otherwise high.
    /// Art. 15(5) requires high-risk systems to be protected against attacks, including attacks through manipulated models.
    /// This finding is reported in every project, with or without an AI system, because the file can be abused today.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import pickle
    /// import openai
    ///
    /// model = pickle.load(open("models/ranker.pkl", "rb"))
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=str(model)))
    /// //- models/ranker.pkl
    /// cposix
    /// system
    /// (S'echo loaded'
    /// tR.
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- hex:models/ranker.pt
    /// 80 04                     # protocol 4
    /// 8c 08 "builtins" 8c 04 "eval" 93
    /// 8c 03 "1+1" 85 52 2e      # a tuple of one text, the call, the end
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- hex:models/ranker.pkl
    /// 80 04
    /// 8c 0b "collections" 8c 0b "OrderedDict" 93
    /// 29 52 2e                  # no arguments, the call, the end
    /// ```
    UNSAFE_MODEL_FILE {
        id: "l3-unsafe-model-file",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        impact: Exposes,
        fix: "Do not load the file. Find out where it came from. Replace it with a format without code, such as safetensors or ONNX, and verify its checksum.",
        run: unsafe_model_file,
    }
}

fn unsafe_model_file(context: &CheckContext<'_>, report: &mut Report) {
    let kinds = [
        ModelFileProblemKind::RunsCode,
        ModelFileProblemKind::ReachesCode,
        ModelFileProblemKind::ReachesFiles,
        ModelFileProblemKind::HoldsCode,
        ModelFileProblemKind::HostileTemplate,
    ];
    report_files(context, report, 90, &kinds, &|problems, file| {
        let mut dangerous = file
            .imports
            .iter()
            .filter(|import| import.kind == ModelImportKind::Dangerous)
            .peekable();
        // What a configuration calls in the project itself is code that can be read, whatever its name says.
        let own = dangerous.peek().is_some()
            && dangerous.all(|import| !is_listed(&import.name) && is_own(context, root(&import.name)));
        if own && file.format == LOADER_CONFIG {
            return None;
        }
        let runs = problems
            .iter()
            .any(|problem| problem.kind == ModelFileProblemKind::RunsCode);
        Some(Rating {
            severity: if runs { Severity::Critical } else { Severity::High },
            shared: None,
        })
    });
}

declare_check! {
    /// Unverified model file.
    ///
    /// The scan could not determine what loading this file does. The file imports names that are neither on the safe list nor on
    /// the dangerous list, or part of it could not be read. Imports from the project itself and classes of packages in its
    /// manifests are not reported, because the code that loads the file already trusts them. A function of a package that is
    /// called is reported, unless its name says that it rebuilds an object. Formats without serialised objects, such
    /// as safetensors, do not have this risk.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- hex:models/ranker.pkl
    /// 80 04
    /// 8c 08 "some.lib" 8c 07 "rebuild" 93
    /// 29 52 2e
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- hex:models/ranker.safetensors
    /// 3b 00 00 00 00 00 00 00
    /// "{" 22 "w" 22 ":{" 22 "dtype" 22 ":" 22 "F32" 22 "," 22 "shape" 22 ":[1]," 22 "data_offsets" 22 ":[0,4]}} "
    /// 00 00 80 3f
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- ranking/core.py
    /// def rebuild():
    ///     return []
    /// //- hex:models/ranker.pkl
    /// 80 04
    /// 8c 0c "ranking.core" 8c 07 "rebuild" 93
    /// 29 52 2e
    /// ```
    UNVERIFIED_MODEL_FILE {
        id: "l3-unverified-model-file",
        layer: L3,
        obligation: "OBL-047",
        severity: Medium,
        impact: Exposes,
        fix: "Check what the imported names do. Load the file with `weights_only=True` or an allowlist of classes. Prefer a format without code if there is one.",
        run: unverified_model_file,
    }
}

fn unverified_model_file(context: &CheckContext<'_>, report: &mut Report) {
    let kinds = [ModelFileProblemKind::UnknownImport, ModelFileProblemKind::NotRead];
    report_files(context, report, 60, &kinds, &|problems, file| {
        // Unknown imports add nothing to a file that is already reported for running code.
        let worse = file.problems.iter().any(|problem| {
            problem.kind == ModelFileProblemKind::RunsCode || problem.kind == ModelFileProblemKind::ReachesCode
        });
        let called = file
            .imports
            .iter()
            .any(|import| import.kind == ModelImportKind::Unknown && import.called);
        let unread = problems
            .iter()
            .any(|problem| problem.kind == ModelFileProblemKind::NotRead);
        // A model in many files with the same imports is one finding.
        let foreign: BTreeSet<&str> = file
            .imports
            .iter()
            .filter(|import| import.kind == ModelImportKind::Unknown && !comes_along(context, import))
            .map(|import| root(&import.name))
            .collect();
        if worse || (foreign.is_empty() && !unread) {
            return None;
        }
        Some(Rating {
            severity: if called || unread {
                Severity::Medium
            } else {
                Severity::Info
            },
            shared: (!unread).then(|| foreign.into_iter().collect::<Vec<_>>().join(",")),
        })
    });
}

/// The package of a name.
fn root(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Whether a package is a module or a folder of the project.
fn is_own(context: &CheckContext<'_>, root: &str) -> bool {
    context.product_files().any(|file| {
        let path = file.path.strip_suffix(".py").unwrap_or("");
        path.split('/').any(|part| part == root)
    })
}

/// Whether a name belongs to the project, or is one of a declared package or a known model library that only makes an object: the
/// code that loads the file already trusts it. A function of a package that is called and does not say that it rebuilds an
/// object may do anything.
fn comes_along(context: &CheckContext<'_>, import: &ModelImport) -> bool {
    let name = &import.name;
    let root = root(name);
    if root == "__main__" || is_own(context, root) {
        return true;
    }
    if import.called && !is_plain(name) {
        return false;
    }
    if package_by_import(Ecosystem::PyPI, name).is_some() {
        return true;
    }
    let plain = |name: &str| name.replace('_', "-").to_ascii_lowercase();
    // Packages whose import name differs from the package name.
    let own = match root {
        "PIL" => "pillow".to_owned(),
        "cv2" => "opencv-python".to_owned(),
        "yaml" => "pyyaml".to_owned(),
        "dateutil" => "python-dateutil".to_owned(),
        _ => plain(root),
    };
    context
        .inventory
        .packages
        .iter()
        .any(|package| plain(&package.name).split('.').next() == Some(own.as_str()))
}

declare_check! {
    /// Mislabelled or damaged model file.
    ///
    /// The content of the file contradicts its name, its header or its checksums, or the file is damaged. Examples are lengths beyond
    /// the end of the file, wrong checksums, and an archive directory that does not match the member headers. Loaders interpret
    /// such files differently, and scanners can miss dangerous content in them.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- hex:models/ranker.safetensors
    /// ff ff ff 00 00 00 00 00
    /// "{}"
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import openai
    ///
    /// print(openai.OpenAI().responses.create(model="gpt-4.1", input=input()))
    /// //- hex:models/ranker.gguf
    /// "GGUF" 03000000 0000000000000000 0100000000000000
    /// 1400000000000000 "general.architecture" 08000000 0500000000000000 "llama"
    /// ```
    MISLABELLED_MODEL_FILE {
        id: "l3-mislabelled-model-file",
        aliases: &["l3-lying-model-file"],
        layer: L3,
        obligation: "OBL-047",
        severity: Medium,
        impact: Misleads,
        fix: "Do not load the file. Download it again from its source and verify its checksum.",
        run: mislabelled_model_file,
    }
}

fn mislabelled_model_file(context: &CheckContext<'_>, report: &mut Report) {
    let kinds = [
        ModelFileProblemKind::WrongSuffix,
        ModelFileProblemKind::Lying,
        ModelFileProblemKind::Broken,
    ];
    report_files(context, report, 80, &kinds, &|problems, _| {
        let broken = problems
            .iter()
            .all(|problem| problem.kind == ModelFileProblemKind::Broken);
        Some(Rating {
            severity: if broken { Severity::Low } else { Severity::Medium },
            shared: None,
        })
    });
}
