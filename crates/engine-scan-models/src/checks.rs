//! What model files mean for the duties of a system.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::package_by_import;
use engine_model::{
    Check, CheckContext, Ecosystem, EvidenceKind, Location, ModelFile, ModelFileProblem, ModelFileProblemKind,
    ModelImportKind, Report, Severity, System, Zone, declare_check,
};

/// The checks of this crate.
pub const CHECKS: &[Check] = &[UNSAFE_MODEL_FILE, UNVERIFIED_MODEL_FILE, LYING_MODEL_FILE];

/// Problems that one finding names.
const NAMED_MAX: usize = 3;

/// Files with the same problem that a finding names as evidence.
const OTHERS_MAX: usize = 20;

/// What is told of a file: how much it weighs, and what it shares with other files of which the same is to be said.
struct Told {
    severity: Severity,
    /// One finding names all files that have the same here; what has nothing here stands alone.
    shared: Option<String>,
}

/// A finding in the making.
struct Draft<'a> {
    file: &'a ModelFile,
    problems: Vec<&'a ModelFileProblem>,
    told: Told,
    /// Other files of which the same is to be said.
    others: Vec<&'a ModelFile>,
}

/// Reports the problems of some kinds: one finding for each file, or for files that share what is told of them.
fn report_files(
    context: &CheckContext<'_>,
    report: &mut Report,
    confidence: u8,
    kinds: &[ModelFileProblemKind],
    tell: &dyn Fn(&[&ModelFileProblem], &ModelFile) -> Option<Told>,
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
        let Some(told) = (!problems.is_empty()).then(|| tell(&problems, file)).flatten() else {
            continue;
        };
        if let Some(shared) = &told.shared {
            let key = (system_of(context, file).map_or("", |system| &system.id), shared.clone());
            if let Some(first) = known.get(&key).and_then(|at| drafts.get_mut(*at)) {
                first.told.severity = first.told.severity.max(told.severity);
                first.others.push(file);
                continue;
            }
            known.insert(key, drafts.len());
        }
        drafts.push(Draft {
            file,
            problems,
            told,
            others: Vec::new(),
        });
    }
    for draft in drafts {
        report_draft(context, report, confidence, &draft);
    }
}

/// The system in whose folder a file lies.
fn system_of<'a>(context: &CheckContext<'a>, file: &ModelFile) -> Option<&'a System> {
    context
        .systems
        .iter()
        .find(|system| context.in_scope(system, &file.file))
}

fn report_draft(context: &CheckContext<'_>, report: &mut Report, confidence: u8, draft: &Draft<'_>) {
    let (file, severity) = (draft.file, draft.told.severity);
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
        [one] => format!("; the same holds for `{}`", one.file),
        [one, ..] => format!(
            "; the same holds for {} other files, such as `{}`",
            draft.others.len(),
            one.file
        ),
    };
    let message = format!(
        "observed: `{}` ({}): {}{more}{others}",
        file.file,
        file.format,
        named.join("; ")
    );
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
        observation = observation.evidence(EvidenceKind::Configuration, "the same", &other.file, 1);
    }
}

declare_check! {
    /// A model file that runs code when it is loaded or used.
    ///
    /// Art. 15(5) asks to protect high-risk systems against attacks that use their vulnerabilities, manipulated models among
    /// them. Serialised Python objects can call any function while they are loaded; some formats hold code of their own, or
    /// reach files beyond their folder. The file was taken apart and not loaded. What it calls decides the weight.
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
        fix: "Do not load the file. Ask where it came from, and take the model in a format without code, such as safetensors or ONNX, with a checksum that you compare.",
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
    report_files(context, report, 90, &kinds, &|problems, _| {
        let runs = problems
            .iter()
            .any(|problem| problem.kind == ModelFileProblemKind::RunsCode);
        Some(Told {
            severity: if runs { Severity::Critical } else { Severity::High },
            shared: None,
        })
    });
}

declare_check! {
    /// A model file of which it is not known what loading it does.
    ///
    /// It imports something that is neither on the list of names that only rebuild data nor on the list of dangerous ones, or
    /// part of it could not be looked at. Classes of the project itself and of packages that its manifests name come along with
    /// the code that loads the file, and are left alone. What loads without serialised objects needs no such trust.
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
        fix: "Find out what the names do, or load with `weights_only=True` or a list of allowed classes; take the model in a format without code where there is one.",
        run: unverified_model_file,
    }
}

fn unverified_model_file(context: &CheckContext<'_>, report: &mut Report) {
    let kinds = [ModelFileProblemKind::UnknownImport, ModelFileProblemKind::NotRead];
    report_files(context, report, 60, &kinds, &|problems, file| {
        // Whatever is not known of a file that runs code anyway adds nothing.
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
        // A model in many files, each of which imports the same, is one question.
        let foreign: BTreeSet<&str> = file
            .imports
            .iter()
            .filter(|import| import.kind == ModelImportKind::Unknown && !comes_along(context, &import.name))
            .map(|import| root(&import.name))
            .collect();
        if worse || (foreign.is_empty() && !unread) {
            return None;
        }
        Some(Told {
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

/// Whether a name belongs to the project, to a package that it names, or to a known library for models: who loads the file trusts
/// that code already.
fn comes_along(context: &CheckContext<'_>, name: &str) -> bool {
    let root = root(name);
    if root == "__main__" || package_by_import(Ecosystem::PyPI, name).is_some() {
        return true;
    }
    let plain = |name: &str| name.replace('_', "-").to_ascii_lowercase();
    // Packages that are brought in under another name than they are installed by.
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
        || context.product_files().any(|file| {
            let path = file.path.strip_suffix(".py").unwrap_or("");
            path.split('/').any(|part| part == root)
        })
}

declare_check! {
    /// A model file that is not what its name or its header says.
    ///
    /// Lengths beyond the end of the file, checksums that do not hold, a directory that names other members than the headers:
    /// loaders differ in what they make of such files, and scanners are led past the content by them.
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
    LYING_MODEL_FILE {
        id: "l3-lying-model-file",
        layer: L3,
        obligation: "OBL-047",
        severity: Medium,
        fix: "Fetch the file again from its source and compare its checksum; do not load it before.",
        run: lying_model_file,
    }
}

fn lying_model_file(context: &CheckContext<'_>, report: &mut Report) {
    let kinds = [
        ModelFileProblemKind::WrongSuffix,
        ModelFileProblemKind::Lying,
        ModelFileProblemKind::Broken,
    ];
    report_files(context, report, 80, &kinds, &|problems, _| {
        let broken = problems
            .iter()
            .all(|problem| problem.kind == ModelFileProblemKind::Broken);
        Some(Told {
            severity: if broken { Severity::Low } else { Severity::Medium },
            shared: None,
        })
    });
}
