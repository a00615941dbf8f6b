//! Tests of the crate: its data, the limits of a process, the view, and the reading of reports.

mod reports;

use std::collections::BTreeSet;

use crate::{Input, LeftOut, TOOLS, Tool, View, ViewLimits, rules};

#[test]
fn every_package_is_pinned_with_digests_and_no_host() {
    for tool in &TOOLS {
        assert!(
            tool.version().starts_with(|c: char| c.is_ascii_digit()),
            "{}",
            tool.name
        );
        let mut pinned = 0;
        let mut lines = tool.lock.lines().filter(|line| !line.starts_with('#')).peekable();
        while let Some(line) = lines.next() {
            assert!(line.contains("==") && !line.contains("://"), "{}: {line}", tool.name);
            pinned += 1;
            let mut digests = 0;
            while let Some(digest) = lines.next_if(|line| line.starts_with("    ")) {
                let digest = digest.trim().trim_end_matches(" \\");
                let hex = digest
                    .strip_prefix("--hash=sha256:")
                    .unwrap_or_else(|| panic!("{digest}"));
                assert!(
                    hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
                    "{digest}"
                );
                digests += 1;
            }
            assert!(digests > 0, "{}: {line}", tool.name);
        }
        assert!(pinned > 5, "{}: {pinned}", tool.name);
    }
}

#[test]
fn folders_name_tool_version_and_packages() {
    let folders: BTreeSet<String> = TOOLS.iter().map(Tool::folder).collect();
    assert_eq!(folders.len(), TOOLS.len());
    for tool in &TOOLS {
        assert!(tool.folder().starts_with(&format!("{}-{}-", tool.name, tool.version())));
    }
}

#[test]
fn every_rule_has_a_meaning() {
    let table = rules();
    for row in table.all() {
        assert!(Tool::named(&row.tool).is_some(), "{row:?}");
        assert!(table.kind(&row.kind).is_some(), "{row:?}");
        assert!(
            !row.title.is_empty() && !row.title.ends_with('.') && row.title.split(' ').count() <= 8,
            "{row:?}"
        );
        assert!(!row.message.ends_with('.') && row.fix.ends_with('.'), "{row:?}");
    }
    for tool in &TOOLS {
        assert!(table.rule(tool.name, "a-rule-of-tomorrow").is_some(), "{}", tool.name);
    }
    let mut seen = BTreeSet::new();
    for row in table.all() {
        for rule in &row.rules {
            assert!(seen.insert((row.tool.clone(), rule.clone())), "{rule} has two rows");
        }
    }
    for kind in table.kinds() {
        assert!(kind.obligation.starts_with("OBL-"), "{kind:?}");
    }
    let own = include_str!("../data/rules.yml");
    for id in own.lines().filter_map(|line| line.strip_prefix("  - id: ")) {
        assert!(seen.contains(&("semgrep".to_owned(), id.to_owned())), "{id} has no row");
    }
    let secret = table.kind("secret").unwrap();
    assert!(secret.is_same_as("secret-ai-key") && !secret.is_same_as("l3-unsafe-model-file"));
}

fn view() -> View {
    View::new(ViewLimits::default()).unwrap()
}

#[test]
fn names_of_the_project_do_not_reach_the_tools() {
    let mut view = view();
    for name in [
        ".bandit",
        "pyproject.toml",
        ".semgrepignore",
        "tests/a b;rm -rf.PY",
        "x.verylongendingindeed",
        "run.pyw",
    ] {
        view.add(name, b"x = 1\n").unwrap();
    }
    let folder = view.files_for(Tool::named("bandit").unwrap());
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "f000000.bandit",
            "f000001.toml",
            "f000002",
            "f000003.py",
            "f000004",
            "f000005.py"
        ]
    );
    assert_eq!(view.count(Tool::named("bandit").unwrap()), 2);
    assert_eq!(view.count(Tool::named("detect-secrets").unwrap()), 6);
}

#[test]
fn model_files_go_to_the_tool_for_models() {
    let mut view = view();
    view.add("a.pkl", b"\x80\x04\0.").unwrap();
    view.add("b.pkl", b"cposix\nsystem\n(S'x'\ntR.").unwrap();
    assert_eq!(view.add("c.png", b"\x89PNG\0"), Err(LeftOut::NotWanted));
    assert_eq!(view.add_model("d.txt", &b"x".as_slice()), Err(LeftOut::NotWanted));
    assert_eq!(view.count(Tool::named("modelscan").unwrap()), 2);
    // A model file in letters may hold a secret too.
    assert_eq!(view.count(Tool::named("detect-secrets").unwrap()), 1);
}

#[test]
fn files_beyond_the_limits_are_counted() {
    let mut view = View::new(ViewLimits {
        text_bytes_max: 10,
        model_bytes_max: 20,
        bytes_max: 30,
        files_max: 3,
    })
    .unwrap();
    view.add("a.py", b"0123456789").unwrap();
    assert_eq!(view.add("b.py", b"01234567890"), Err(LeftOut::TooLong));
    assert_eq!(view.add("c.bin", &[0; 21]), Err(LeftOut::TooLong));
    view.add("d.bin", &[0; 20]).unwrap();
    assert_eq!(view.add("e.py", b"0"), Err(LeftOut::Full));
    let left_out = |name| view.left_out(Tool::named(name).unwrap());
    assert_eq!(left_out("bandit"), (2, vec!["b.py", "e.py"]));
    assert_eq!(left_out("modelscan"), (1, vec!["c.bin"]));
    assert_eq!(left_out("semgrep").0, 2);
}

#[test]
fn a_view_leaves_nothing_behind() {
    let view = view();
    let folder = view.folder().to_path_buf();
    assert!(folder.is_dir());
    drop(view);
    assert!(!folder.exists());
}

#[test]
fn a_tool_reads_its_kind() {
    for (name, input) in [("bandit", Input::Python), ("modelscan", Input::Models)] {
        assert_eq!(Tool::named(name).unwrap().input, input);
    }
    assert!(Tool::named("pylint").is_none());
}

#[cfg(unix)]
mod processes {
    use std::process::Command;
    use std::time::Duration;

    use crate::process::{Ended, Limits, Ran, run};

    fn shell(text: &str, seconds: u64, output: usize, stop: &dyn Fn() -> bool) -> Ran {
        let limits = Limits {
            time: Duration::from_secs(seconds),
            output,
        };
        run(Command::new("/bin/sh").args(["-c", text]), limits, stop)
    }

    #[test]
    fn a_process_ends_as_what_it_was() {
        let long = 600;
        let ran = shell("echo out; echo err >&2; exit 3", long, 100, &|| false);
        assert!(matches!(ran.ended, Ended::Exited(3)), "{ran:?}");
        assert_eq!(
            (ran.stdout.as_slice(), ran.stderr.as_slice()),
            (&b"out\n"[..], &b"err\n"[..])
        );
        assert!(matches!(
            shell("kill -9 $$", long, 100, &|| false).ended,
            Ended::Killed(9)
        ));
        assert!(matches!(shell("sleep 1000", 0, 100, &|| false).ended, Ended::TimedOut));
        assert!(matches!(shell("sleep 1000", long, 100, &|| true).ended, Ended::Stopped));
        let loud = shell("while :; do echo 0123456789; done", long, 1000, &|| false);
        assert!(matches!(loud.ended, Ended::TooMuchOutput), "{:?}", loud.ended);
        assert_eq!(loud.stdout.len(), 1000);
        let missing = run(
            &mut Command::new("/no/such/program"),
            Limits {
                time: Duration::from_secs(1),
                output: 1,
            },
            &|| false,
        );
        assert!(matches!(missing.ended, Ended::NotStarted(_)));
    }

    #[test]
    fn a_long_error_keeps_its_end() {
        let ran = shell("seq 1 100000 >&2; echo last >&2; exit 1", 600, 100, &|| false);
        assert!(
            ran.stderr.ends_with(b"last\n") && ran.stderr.len() < 200_000,
            "{}",
            ran.stderr.len()
        );
    }

    #[test]
    fn what_a_process_started_ends_with_it() {
        ends_with_its_parent("sleep 1000 & echo $!; exit 0");
    }

    /// Out of the group, and handed over to another parent.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_left_its_group_ends_too() {
        ends_with_its_parent("setsid sleep 1000 & echo $!; sleep 0.2; exit 0");
        ends_with_its_parent("setsid sh -c '(sleep 1000 & echo $!) & exit 0'; sleep 0.2; exit 0");
    }

    fn ends_with_its_parent(text: &str) {
        let ran = shell(text, 600, 100, &|| false);
        assert!(matches!(ran.ended, Ended::Exited(0)), "{ran:?}");
        let pid = String::from_utf8(ran.stdout).unwrap();
        assert!(!pid.trim().is_empty(), "{text}");
        let alive = || {
            let state = Command::new("/bin/sh")
                .args(["-c", &format!("ps -o stat= -p {} | grep -v Z", pid.trim())])
                .output()
                .unwrap();
            !state.stdout.is_empty()
        };
        while alive() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

mod places {
    use std::ffi::OsString;

    use crate::Place;

    fn place(network: &[(&str, &str)]) -> Place {
        Place {
            network: network
                .iter()
                .map(|(a, b)| (OsString::from(a), OsString::from(b)))
                .collect(),
            ..Place::default()
        }
    }

    #[test]
    fn destinations_are_hosts_without_passwords() {
        assert_eq!(
            place(&[]).destinations(),
            ["files.pythonhosted.org:443", "pypi.org:443"]
        );
        let own = place(&[
            ("UV_DEFAULT_INDEX", "https://user:hunter22@index.example/simple"),
            ("UV_INDEX", "more=http://more.example:8080/x https://third.example"),
            ("https_proxy", "http://proxy.example:3128"),
        ]);
        assert_eq!(
            own.destinations(),
            [
                "index.example:443",
                "more.example:8080",
                "proxy.example:3128",
                "third.example:443"
            ]
        );
        assert!(!format!("{own:?}").contains("hunter22"));
    }

    #[test]
    fn no_runner_says_what_to_do() {
        for runner in [
            None,
            Some(OsString::new()),
            Some("/no/such/uv".into()),
            Some("/bin/sh".into()),
        ] {
            let place = Place {
                runner,
                ..Place::default()
            };
            assert!(place.runner().unwrap_err().reason.contains("pip install uv"));
        }
    }
}
