//! Model files: classes of known libraries, and one report for many files.

use engine_model::fixture;

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
