//! Model files: classes of known libraries, and one report for many files.

use engine_model::{Applicability, fixture};

use super::today;
use crate::scan_memory;

const APP: &str =
    "//- app.py\nimport openai\n\nprint(openai.OpenAI().responses.create(model=\"gpt-5.5\", input=input()))\n";

/// A pickle that imports names of modules, each given with the number of its letters in hex.
fn pickle(path: &str, names: &[(&str, &str)]) -> String {
    let text = |text: &str| format!("8c {:02x} \"{text}\"", text.len());
    let names: Vec<String> = names
        .iter()
        .map(|(module, name)| format!("{} {} 93 30\n", text(module), text(name)))
        .collect();
    format!("//- hex:{path}\n80 04\n{}4e 2e\n", names.concat())
}

/// What is told of files of which it is not known what loading them does: place and message.
fn unknown(tree: &str) -> Vec<(String, String)> {
    scan_memory(&fixture(tree).unwrap(), &today())
        .findings
        .into_iter()
        .filter(|finding| finding.check_id == "l3-unverified-model-file")
        .map(|finding| (finding.file.unwrap_or_default(), finding.message))
        .collect()
}

#[test]
fn sharded_model_is_reported_once() {
    let file = |at: usize| pickle(&format!("models/part{at}/model.pkl"), &[("some.lib", "Rebuilt")]);
    let other = pickle("models/scaler.pkl", &[("other", "Scaler")]);
    let told = unknown(&format!("{APP}{}{}{}{other}", file(1), file(2), file(3)));
    let places: Vec<&str> = told.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["models/part1/model.pkl", "models/scaler.pkl"]);
    assert!(
        told[0]
            .1
            .contains("; same problem in 2 other files, such as `models/part2/model.pkl`"),
        "{}",
        told[0].1
    );
    assert!(!told[1].1.contains("same problem"), "{}", told[1].1);
}

#[test]
fn classes_of_known_and_declared_libraries_are_allowed() {
    let known = pickle(
        "models/a.pkl",
        &[("sklearn.metrics._regression", "mean_absolute_percentage_error")],
    );
    assert!(unknown(&format!("{APP}{known}")).is_empty());
    let part = pickle("models/a.pkl", &[("some.parts.learner", "Learner")]);
    let declared = "//- requirements.txt\nopenai==2.8.1\nsome.parts==1.4.0\n";
    assert!(unknown(&format!("{APP}{part}{declared}")).is_empty());
    let alike = "//- requirements.txt\nopenai==2.8.1\nsome-parts==1.4.0\n";
    assert_eq!(unknown(&format!("{APP}{part}{alike}")).len(), 1);
}

/// The names in order, called with nothing.
fn called(path: &str, module: &str, name: &str) -> String {
    let text = |text: &str| format!("8c {:02x} \"{text}\"", text.len());
    format!("//- hex:{path}\n80 04 {} {} 93 29 52 2e\n", text(module), text(name))
}

#[test]
fn called_function_of_declared_library_is_unverified() {
    let declared = "//- requirements.txt\nopenai==2.8.1\nmlflow==3.1.0\n";
    for name in ["apply_patch", "prepare"] {
        let file = called("models/a.pkl", "mlflow.tools", name);
        assert_eq!(unknown(&format!("{APP}{file}{declared}")).len(), 1, "{name}");
    }
    for name in ["Model", "_rebuild_model", "_unpickle_tree"] {
        let file = called("models/a.pkl", "mlflow.tools", name);
        assert!(unknown(&format!("{APP}{file}{declared}")).is_empty(), "{name}");
    }
    let referenced = pickle("models/a.pkl", &[("mlflow.tools", "prepare")]);
    assert!(unknown(&format!("{APP}{referenced}{declared}")).is_empty());
}

#[test]
fn tree_with_only_a_dangerous_pickle_is_undetermined() {
    let tree = called("weights.pkl", "posix", "system");
    let evaluation = scan_memory(&fixture(&tree).unwrap(), &today());
    assert_eq!(evaluation.applicability, Applicability::Undetermined);
    assert!(evaluation.reason.contains("weights.pkl"), "{}", evaluation.reason);
    let told: Vec<&str> = evaluation
        .findings
        .iter()
        .map(|finding| finding.check_id.as_str())
        .collect();
    assert_eq!(told, ["l3-unsafe-model-file"]);
    let harmless = called("data.pkl", "collections", "OrderedDict");
    let evaluation = scan_memory(&fixture(&harmless).unwrap(), &today());
    assert_eq!(evaluation.applicability, Applicability::NoAiFound);
}

#[test]
fn configuration_that_calls_the_project_itself_is_quiet() {
    let told = |tree: &str| -> Vec<String> {
        let evaluation = scan_memory(&fixture(tree).unwrap(), &today());
        evaluation
            .findings
            .into_iter()
            .map(|finding| finding.check_id)
            .collect()
    };
    let config = |name: &str| {
        format!(
            "//- conf/job.yaml\njob:\n  _target_: {name}\n//- jobs/tasks.py\ndef run_command():\n    return 1\n//- os/a.py\nX = 1\n"
        )
    };
    assert!(told(&config("jobs.tasks.run_command")).is_empty());
    assert_eq!(told(&config("other.tasks.run_command")), ["l3-unsafe-model-file"]);
    assert_eq!(told(&config("os.system")), ["l3-unsafe-model-file"]);
}
