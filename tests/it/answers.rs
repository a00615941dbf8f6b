//! `engine-server answer`: answers from the command line, the list of questions, and a dialogue in a real terminal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{BINARY, CHAT, DATA_DIR, binary, example, fingerprint, project, wait_for};

/// Runs `answer` with a home folder of its own, so that no name comes from whoever runs the tests.
fn answer(project: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let output = binary()
        .arg("answer")
        .args(arguments)
        .current_dir(project)
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn profile(project: &Path) -> String {
    fs::read_to_string(project.join(".compliance/profile.toml")).unwrap()
}

fn list(project: &Path) -> Value {
    let (code, out, err) = answer(project, &["--list", "--json"]);
    assert_eq!(code, Some(0), "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn set_keeps_answers_and_says_what_is_left() {
    let project = example("helpdesk");
    let folder = project.path();
    let before = fingerprint(folder);
    let waiting = list(folder)["undetermined"].as_u64().unwrap();
    let (code, out, err) = answer(
        folder,
        &[
            ".",
            "--set",
            "main.role=provider,deployer",
            "--set",
            "helpdesk-screening.annex-iii-employment=4a",
            "--by",
            "A. Person",
            "--why",
            "contract 12",
            "--on",
            "2026-11-20",
        ],
    );
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for line in [
        "Saved in .compliance/profile.toml:\n",
        "  helpdesk-screening.annex-iii-employment = 4(a)\n",
        "  main.role = provider, deployer\n",
        "questions are open, and ",
        "Next: engine-server answer .\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let kept = profile(folder);
    for word in ["A. Person", "contract 12", "2026-11-20"] {
        assert!(kept.contains(word), "{word}: {kept}");
    }
    assert!(list(folder)["undetermined"].as_u64().unwrap() < waiting);
    assert_eq!(fingerprint(folder), before, "nothing else is written");

    // The same once more changes nothing, and an answer can be taken back.
    let again = [".", "--set", "main.role=provider,deployer", "--by", "A. Person"];
    let (code, out, _) = answer(
        folder,
        &[&again[..], &["--why", "contract 12", "--on", "2026-11-20"]].concat(),
    );
    assert_eq!(code, Some(0));
    assert!(
        out.contains("Nothing changed: .compliance/profile.toml already contains these answers."),
        "{out}"
    );
    let (code, out, err) = answer(folder, &["--unset", "main.role"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("  main.role: withdrawn\n"), "{out}");
    assert!(!profile(folder).contains("deployer"));
}

#[test]
fn positional_answers_can_name_questions_by_number() {
    let project = example("helpdesk");
    let folder = project.path();
    let first = &list(folder)["questions"][0];
    assert_eq!(first["number"], "Q1");
    let value = first["options"][0]["value"].as_str().unwrap().to_owned();
    let key = first["key"].as_str().unwrap();
    let (code, out, err) = answer(folder, &[".", &format!("Q1={value}"), "main.development=none"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(&format!("  {key} = {value}\n")), "{out}");
    assert!(out.contains("  main.development = none\n"), "{out}");
    assert!(out.contains("No name was saved. Use --by to give one.\n"), "{out}");
    // Without a path the folder is the present one.
    let (code, out, err) = answer(folder, &["main.placed-on-market=2026-03-01", "--json"]);
    assert_eq!(code, Some(0), "{err}");
    let reply: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(reply["answered"]["main.placed-on-market"][0], "2026-03-01");
}

#[test]
fn a_bad_answer_is_refused_with_the_nearest_one() {
    let project = example("helpdesk");
    let folder = project.path();
    for (arguments, said) in [
        (&["main.rol=both"][..], "did you mean `main.role`?"),
        (&["mian.role=both"], "did you mean `main`?"),
        (&["main.role=provder"], "did you mean `provider`?"),
        (&["main.placed-on-market=soon"], "answer a date such as `2026-03-01`"),
        (&["role=both"], "`main.role`"),
        (&["Q99=yes"], "the open questions are Q1 to "),
        (
            &["--evidence", "OBL-01=training", "--by", "A. Person"],
            "did you mean `OBL-0",
        ),
        (&["--evidence", "OBL-001=training"], "--by NAME"),
        (&["--evidence", "OBL-001"], "OBLIGATION=REFERENCE"),
        (&["main.role=both", "main.role=provider"], "is answered twice"),
        (&["--set", "main.role"], "write it as KEY=VALUE"),
        (&[".", "other"], "two folders given"),
        (&["--list", "main.role=both"], "`--list` cannot be combined"),
        (&["--why", "so"], "need an answer"),
        (&["no-such-folder", "main.role=both"], "no folder found"),
    ] {
        let (code, out, err) = answer(folder, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {out}");
        assert!(err.contains(said), "{arguments:?}: {err}");
        assert!(!err.contains("GET /"), "{arguments:?}: {err}");
    }
    assert!(!folder.join(".compliance/profile.toml").exists());
}

#[test]
fn a_prohibited_practice_is_named_and_a_screening_needs_a_reason() {
    let project = example("helpdesk");
    let folder = project.path();
    let (code, out, err) = answer(folder, &["main.art-5-social-scoring=yes", "--by", "A. Person"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("Warning: prohibited practice. Art. 5(1)(c): this practice"),
        "{out}"
    );
    let (code, out, _) = answer(folder, &["main.art-5-social-scoring=no", "--by", "A. Person"]);
    assert_eq!(code, Some(0));
    assert!(
        !out.contains("Warning") && out.contains("counts as a screening only with a name and a reason"),
        "{out}"
    );
}

#[test]
fn evidence_is_stated_under_the_name_that_git_knows() {
    let project = example("helpdesk");
    let folder = project.path();
    fs::create_dir(folder.join(".git")).unwrap();
    fs::write(folder.join(".git/config"), "[user]\n\tname = \"B. Person\" ; work\n").unwrap();
    let evidence = [
        "--evidence",
        "OBL-129=whistle-blower channel, intranet page 3",
        "--until",
        "2027-06-30",
    ];
    let (code, out, err) = answer(folder, &evidence);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("  evidence for OBL-129 (Art. 87, "), "{out}");
    assert!(out.contains("Name: B. Person, from git."), "{out}");
    let kept = profile(folder);
    for word in ["OBL-129", "intranet page 3", "B. Person", "2027-06-30"] {
        assert!(kept.contains(word), "{word}: {kept}");
    }
    let of_one = [
        "--evidence",
        "obl-099=design review",
        "--system",
        "main",
        "--by",
        "A. Person",
    ];
    let (code, _, err) = answer(folder, &of_one);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        profile(folder).contains("[[systems.main.evidence]]"),
        "{}",
        profile(folder)
    );
}

#[test]
fn the_list_shows_each_question_with_its_answers_and_writes_nothing() {
    let project = example("helpdesk");
    let folder = project.path();
    let listed = list(folder);
    let questions = listed["questions"].as_array().unwrap();
    assert_eq!(listed["open"].as_u64().unwrap(), questions.len() as u64);
    assert!(questions.len() > 3 && listed["undetermined"].as_u64().unwrap() > 0);
    for question in questions {
        for field in [
            "number", "key", "system", "text", "why", "kind", "status", "effect", "command",
        ] {
            assert!(
                question[field].as_str().is_some_and(|text| !text.is_empty()),
                "{field}: {question}"
            );
        }
    }
    let (code, out, _) = answer(folder, &["--list"]);
    assert_eq!(code, Some(0));
    let employment = out.find("helpdesk-screening.annex-iii-employment (").unwrap();
    for line in [
        "Likely: 4(a), because",
        "4(a) = Recruitment",
        "unknown = I do not know",
        "more obligations",
    ] {
        assert!(out[employment..].contains(line), "{line}: {out}");
    }
    // Where many answers have the same effect, it is named once.
    let product = &out[out.find("helpdesk-screening.annex-i (").unwrap()..];
    assert!(product.contains("What it changes:\n      a-2, a-3,"), "{out}");
    // Without a terminal the list is printed, with a hint.
    let (code, hinted, _) = answer(folder, &["."]);
    assert_eq!(code, Some(0));
    assert!(
        hinted.starts_with(&out) && hinted.contains("in a terminal, or pass answers such as"),
        "{hinted}"
    );
    assert!(!folder.join(".compliance").exists());

    let no_ai = example("no-ai");
    let (code, out, _) = answer(no_ai.path(), &[]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("No AI system was found, so there is nothing to answer.\n"),
        "{out}"
    );
}

#[test]
fn a_broken_profile_is_named_by_line_and_column_and_stays_as_it_is() {
    let project = project(CHAT);
    let folder = project.path();
    fs::create_dir(folder.join(".compliance")).unwrap();
    let broken = "# ours\n[systems.main]\nrole = \"chef\"\n";
    fs::write(folder.join(".compliance/profile.toml"), broken).unwrap();
    for arguments in [&["main.role=both"][..], &["--list"], &["."]] {
        let (code, out, err) = answer(folder, arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(".compliance/profile.toml: line 3, column 8:"), "{err}");
        assert_eq!(profile(folder), broken);
    }
}

/// A terminal of tmux, on a server of its own that ends with it.
struct Tmux {
    folder: TempDir,
}

impl Tmux {
    /// None where tmux is not installed.
    fn start(project: &Path) -> Option<Self> {
        Command::new("tmux").arg("-V").output().ok()?;
        let tmux = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let started = tmux
            .command()
            .args(["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "400", "-c"])
            .arg(project)
            .arg(format!("'{BINARY}' answer .; echo ended with $?; exec cat"))
            .status()
            .unwrap();
        assert!(started.success());
        Some(tmux)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command
            .arg("-S")
            .arg(self.folder.path().join("socket"))
            .env("ENGINE_DATA_DIR", DATA_DIR)
            .env("HOME", self.folder.path())
            .env("SHELL", "/bin/sh")
            .env_remove("ENGINE_SIGNING_KEY")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("TMUX");
        command
    }

    fn screen(&self) -> String {
        let output = self.command().args(["capture-pane", "-p", "-J"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Waits for a text on the screen that was not there before `seen`, and types a line.
    fn type_at(&self, wanted: &str, typed: &str) {
        wait_for(wanted, || {
            self.screen().lines().last().is_some_and(|line| line.contains(wanted))
        });
        let sent = self.command().args(["send-keys", "-l", typed]).status().unwrap();
        assert!(sent.success());
        let sent = self.command().args(["send-keys", "Enter"]).status().unwrap();
        assert!(sent.success());
        // The line leaves the end of the screen once the program has read it.
        wait_for("the next line", || {
            !self
                .screen()
                .lines()
                .last()
                .is_some_and(|line| line.ends_with(typed) && line.contains(wanted))
        });
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").status();
    }
}

#[test]
fn a_dialogue_in_a_terminal_settles_the_report() {
    let project = example("helpdesk");
    let Some(tmux) = Tmux::start(project.path()) else {
        println!("tmux is not installed, so the dialogue in a terminal was not tested");
        return;
    };
    tmux.type_at("Your name, saved with each answer", "A. Person");
    let waiting = list(project.path())["undetermined"].as_u64().unwrap();
    // The last answer that each question gives its keyboard is the one that rules most out, or both roles.
    for _ in 0..40 {
        wait_for("a prompt", || {
            let screen = tmux.screen();
            screen.contains("ended with") || screen.lines().last().is_some_and(|line| line.ends_with(':'))
        });
        let screen = tmux.screen();
        if screen.contains("ended with") {
            break;
        }
        let last = screen.lines().last().unwrap().to_owned();
        let block = screen.rfind("Question ").map_or("", |at| &screen[at..]);
        let (at, typed) = if last.starts_with("Reason") {
            ("Reason", "the contract says so")
        } else if last.starts_with("Was ") {
            ("Was ", "y")
        } else if last.starts_with("Evidence for") {
            ("Evidence for", "the handbook of the team")
        } else if block.contains("select applicants") {
            ("Answer (", "1")
        } else if block.contains("Which role") {
            ("Answer (", "1,2")
        } else if last.contains("such as 1,3") {
            ("Answer (", "0")
        } else if last.contains("a date") {
            ("Answer (", "2026-03-01")
        } else if block.contains("None") || block.contains(") No") {
            ("Answer (", "no")
        } else {
            ("Answer (", "1")
        };
        tmux.type_at(at, typed);
    }
    wait_for("the end", || tmux.screen().contains("ended with 0"));
    let screen = tmux.screen();
    assert!(screen.contains("Done\n"), "{screen}");
    assert!(!screen.contains('\u{1b}'), "{screen}");
    let now = list(project.path());
    assert!(now["undetermined"].as_u64().unwrap() < waiting / 4, "{now}: {screen}");
    assert!(profile(project.path()).contains("A. Person"));
}
