//! What model files mean for the duties of a system.

use engine_model::{
    Check, CheckContext, EvidenceKind, Location, ModelFile, ModelFileProblem, ModelFileProblemKind, ModelImportKind,
    Report, Severity, Zone, declare_check,
};

/// The checks of this crate.
pub const CHECKS: &[Check] = &[UNSAFE_MODEL_FILE, UNVERIFIED_MODEL_FILE, LYING_MODEL_FILE];

/// Problems that one finding names.
const NAMED_MAX: usize = 3;

/// Reports the problems of some kinds, one finding for each file.
fn report_files(
    context: &CheckContext<'_>,
    report: &mut Report,
    confidence: u8,
    kinds: &[ModelFileProblemKind],
    severity: &dyn Fn(&[&ModelFileProblem], &ModelFile) -> Option<Severity>,
) {
    for file in &context.inventory.model_files {
        if !matches!(file.zone, Some(Zone::Product | Zone::Vendored) | None) {
            continue;
        }
        let problems: Vec<&ModelFileProblem> = file
            .problems
            .iter()
            .filter(|problem| kinds.contains(&problem.kind))
            .collect();
        let Some(severity) = (!problems.is_empty()).then(|| severity(&problems, file)).flatten() else {
            continue;
        };
        let named: Vec<String> = problems
            .iter()
            .take(NAMED_MAX)
            .map(|problem| match &problem.member {
                Some(member) => format!("{} (in `{member}`)", problem.message),
                None => problem.message.clone(),
            })
            .collect();
        let more = problems.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 {
            format!("; and {more} more")
        } else {
            String::new()
        };
        let message = format!(
            "observed: `{}` ({}): {}{more}",
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
        if let Some(system) = context
            .systems
            .iter()
            .find(|system| context.in_scope(system, &file.file))
        {
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
        for problem in problems.iter().take(NAMED_MAX) {
            observation = observation.evidence(EvidenceKind::Configuration, problem.message.clone(), &file.file, 1);
        }
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
        Some(if runs { Severity::Critical } else { Severity::High })
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
        let foreign = file
            .imports
            .iter()
            .any(|import| import.kind == ModelImportKind::Unknown && !comes_along(context, &import.name));
        (!worse && (foreign || unread)).then_some(if called || unread {
            Severity::Medium
        } else {
            Severity::Info
        })
    });
}

/// Whether a name belongs to the project or to a package that it names: who loads the file trusts that code already.
fn comes_along(context: &CheckContext<'_>, name: &str) -> bool {
    let root = name.split('.').next().unwrap_or(name);
    if root == "__main__" {
        return true;
    }
    let plain = |name: &str| name.replace('_', "-").to_ascii_lowercase();
    let own = plain(root);
    context
        .inventory
        .packages
        .iter()
        .any(|package| plain(&package.name) == own)
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
        Some(if broken { Severity::Low } else { Severity::Medium })
    });
}
