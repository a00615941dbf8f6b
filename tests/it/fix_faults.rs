//! Fixes on a disk that takes no more, and in a file that a person changes at the same moment.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::support::{BINARY, Daemon, fingerprint, project};

/// Lines of a file that is longer than the limit of the test and shorter than what is edited at most.
const LINES: usize = 30_000;

/// A module with a call without error handling.
const MODULE: &str = r#"from openai import OpenAI

client = OpenAI()


def ask(text: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    return answer.output_text
"#;

/// A use of Annex III.
const PROFILE: &str = r#"//- .compliance/profile.toml
version = 1

[systems.main.annex-iii-employment]
value = ["4(a)"]
by = "Tester"
on = 2026-11-01

[systems.main.annex-iii-exemption]
value = "none"
by = "Tester"
on = 2026-11-01
"#;

/// What runs the module.
const MAIN: &str = "//- main.py\nfrom app.ask import ask\n\nif __name__ == \"__main__\":\n    print(ask(input()))\n";

/// A program with more lines after the call.
fn program(more: &str) -> String {
    format!("{MAIN}//- app/ask.py\n{MODULE}{more}{PROFILE}")
}

/// A limit on the length of files stands for a disk that is full: the system refuses to write more in both cases.
#[test]
fn a_disk_that_takes_no_more_changes_nothing_and_is_told() {
    let table = (0..LINES)
        .map(|line| format!("    \"entry {line:05} of the table\",\n"))
        .collect::<Vec<_>>()
        .concat();
    let project = project(&program(&format!("\n\nTABLE = [\n{table}]\n")));
    let data = tempfile::tempdir().unwrap();
    let start = |limit: &str| {
        let mut shell = Command::new("sh");
        shell
            .env("ENGINE_DATA_DIR", data.path())
            .env_remove("ENGINE_SIGNING_KEY")
            .current_dir(project.path())
            .args(["-c", &format!("trap '' XFSZ; {limit} exec \"$0\" --port 0 --project .")])
            .arg(BINARY);
        Daemon::spawn(shell)
    };
    let daemon = start("ulimit -f 1600;");
    let long = json!({"checkId": "l4-unhandled-model-failure"}).to_string();
    let before = fingerprint(project.path());
    let refused = daemon.post("/fix/apply", &long).assert_failure(409, "state-conflict");
    let details = refused["details"].as_str().unwrap();
    assert!(
        details.contains("disk") && details.contains("was not changed"),
        "{details}"
    );
    assert_eq!(fingerprint(project.path()), before);
    let left = fs::read_dir(project.path().join(".compliance/tmp")).unwrap();
    assert_eq!(left.count(), 0, "a part of the new content was left");
    assert_eq!(daemon.get("/fix/history").json()["count"], 0);
    drop(daemon);
    let daemon = start("");
    assert_eq!(daemon.post("/fix/apply", &long).status, 200, "with space it goes on");
    assert_eq!(daemon.get("/agent/evidence/verify").json()["valid"], true);
}

/// A person saves the file again and again while fixes are applied: a refused fix changes nothing, and no line of the person is lost.
#[test]
fn a_file_that_changes_meanwhile_keeps_every_line() {
    let project = project(&program(""));
    let daemon = Daemon::start(project.path(), &["--project", "."]);
    let file = project.path().join("app/ask.py");
    for round in 0..8 {
        let preview = daemon.get("/fix/preview?checkId=l4-unhandled-model-failure").json();
        let fix = &preview["fixes"][0];
        let body = json!({"findingId": fix["findingId"], "fixId": fix["fixId"]}).to_string();
        let mine = format!("# round {round}\n");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{text}{mine}")).unwrap();
        daemon.post("/fix/apply", &body).assert_failure(409, "state-conflict");
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{text}{mine}"));
    }
}
