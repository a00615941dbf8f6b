//! A scan that remembers gives the same bytes as one that does not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// Contents that change what a scan finds, alone or together.
const TEXTS: [&str; 12] = [
    CHAT,
    "import openai\n\nclient = openai.OpenAI()\n",
    "from .llm import client\n\n\ndef ask(q):\n    return client.chat.completions.create(model=\"gpt-4o\", messages=[{\"role\": \"user\", \"content\": q}])\n",
    "import logging\n\n# openai is only named here\nlog = logging.getLogger(__name__)\n",
    "SYSTEM_PROMPT = \"\"\"You answer for the torch museum. Be polite, be short, and never tell where the keys of the torch room are kept, even if somebody asks for them again and again and in many ways.\"\"\"\n",
    "import boto3\n\ns3 = boto3.client(\"s3\")\n",
    "import boto3\n\nmodel = boto3.client(\"bedrock-runtime\")\n\n\ndef ask(q):\n    return model.invoke_model(modelId=\"anthropic.claude-3-haiku-20240307-v1:0\", body=q)\n",
    "print('plain')\n",
    "",
    "# compliance-ignore: l4-no-error-handling -- tried elsewhere\nx = 1\n",
    "import requests\n\n\ndef ask(q):\n    return requests.post(\"https://api.openai.com/v1/chat/completions\", json={\"model\": \"gpt-4o\", \"messages\": q})\n",
    "API_KEY = \"sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2n\"\n",
];

const PATHS: [&str; 10] = [
    "app.py",
    "llm.py",
    "chat/__init__.py",
    "chat/llm.py",
    "chat/ask.py",
    "jobs/nightly.py",
    "tests/test_app.py",
    "a.py",
    "b.py",
    "z/deep/er/c.py",
];

const OTHERS: [(&str, &str); 8] = [
    (
        "web/index.html",
        "<body>\n<p>You are chatting with an AI.</p>\n</body>\n",
    ),
    (
        "web/index.html",
        "<body>\n<p>You are chatting with an AI.</p>\n</body>\n<script>a()</script>\n",
    ),
    (
        "web/index.html",
        "<body>\n\n<p>You are chatting with an AI.</p>\n</body>\n",
    ),
    ("README.md", "# Demo\n\nThis service answers with an AI.\n"),
    ("requirements.txt", "openai==1.51.0\nfastapi==0.115.0\n"),
    (
        "docs/risk.md",
        "# Risk management\n\n## Known risks\n\nThe model may invent facts about people.\n",
    ),
    (
        ".env",
        "OPENAI_API_KEY=sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2n\n",
    ),
    (".gitignore", "z/\n"),
];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Other(usize),
    Append(usize),
    Delete(usize),
    Rename(usize, usize),
    Touch(usize),
    Restart,
    /// A file that a caller names, and whether the whole is scanned after it.
    Quick(usize, usize, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let (paths, texts, others) = (0..PATHS.len(), 0..TEXTS.len(), 0..OTHERS.len());
    prop_oneof![
        4 => (paths.clone(), texts.clone()).prop_map(|(path, text)| Step::Write(path, text)),
        1 => others.prop_map(Step::Other),
        1 => paths.clone().prop_map(Step::Append),
        1 => paths.clone().prop_map(Step::Delete),
        1 => (paths.clone(), paths.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => paths.clone().prop_map(Step::Touch),
        1 => Just(Step::Restart),
        3 => (paths, texts, any::<bool>()).prop_map(|(path, text, scan)| Step::Quick(path, text, scan)),
    ]
}

/// The engine with a clock far behind every file, so that the times of files are trusted at once.
fn late(dir: &Path, read_only: bool) -> Engine {
    Engine::start(Options {
        working_dir: dir.to_owned(),
        project: None,
        read_only,
        clock: Clock {
            now: || Timestamp::from_second(4_000_000_000).unwrap(),
            new_id: || {
                static NEXT: AtomicU64 = AtomicU64::new(1);
                format!("00000000-0000-4000-9000-{:012}", NEXT.fetch_add(1, Ordering::Relaxed))
            },
        },
        signing: Signing {
            data_dir: Some(dir.join(".compliance/private/user")),
            key: None,
        },
    })
    .unwrap()
}

/// The same as a daemon, which holds lowered code from one scan to the next.
fn daemon(dir: &Path) -> Engine {
    let engine = late(dir, false);
    engine.publish_port(1);
    engine
}

/// All that a scan says but what differs by nature.
fn said(mut scan: ScanResult) -> String {
    scan.id.clear();
    // The gate judges against the scan before, which a cold scan has not.
    scan.gate = None;
    scan.elapsed = 0.0;
    scan.duration = 0;
    scan.cache = engine_model::CacheStats::default();
    serde_json::to_string_pretty(&scan).unwrap()
}

fn cold(dir: &Path) -> String {
    said(late(dir, true).scan(&ScanRequest::of(".")).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "a test changes its own project")]
fn apply(dir: &Path, step: &Step) {
    match step {
        Step::Write(path, text) | Step::Quick(path, text, _) => write(dir, PATHS[*path], TEXTS[*text]),
        Step::Other(at) => write(dir, OTHERS[*at].0, OTHERS[*at].1),
        Step::Append(path) | Step::Touch(path) => {
            if let Ok(text) = fs::read_to_string(dir.join(PATHS[*path])) {
                let more = if matches!(step, Step::Append(_)) {
                    "# more\n"
                } else {
                    ""
                };
                write(dir, PATHS[*path], &format!("{text}{more}"));
            }
        }
        Step::Delete(path) => drop(fs::remove_file(dir.join(PATHS[*path]))),
        Step::Rename(from, to) => {
            fs::create_dir_all(dir.join(PATHS[*to]).parent().unwrap()).unwrap();
            drop(fs::rename(dir.join(PATHS[*from]), dir.join(PATHS[*to])));
        }
        Step::Restart => {}
    }
}

#[test]
fn incremental_scan_equals_a_full_scan() {
    incremental_equals_full(8);
}

#[test]
#[ignore = "slow: two dozen sequences of changes, with two scans after each change"]
fn incremental_scan_equals_a_full_scan_in_many_cases() {
    incremental_equals_full(24);
}

fn incremental_equals_full(cases: u32) {
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let steps = proptest::collection::vec(step(), 1..14);
    runner
        .run(&steps, |steps| {
            let dir = tempfile::tempdir().unwrap();
            write(dir.path(), "app.py", TEXTS[0]);
            let mut warm = daemon(dir.path());
            warm.scan(&ScanRequest::of(".")).unwrap();
            for step in &steps {
                apply(dir.path(), step);
                match step {
                    Step::Restart => {
                        drop(warm);
                        warm = daemon(dir.path());
                    }
                    Step::Quick(path, _, scan) => {
                        // What a comparison finds by reading the named file alone is what a whole scan finds.
                        let state = warm.project(".").unwrap();
                        let settings = warm.settings(&state, None, None, None).unwrap();
                        let changed = std::collections::BTreeSet::from([PATHS[*path].to_owned()]);
                        let quick = warm
                            .run_changed(&state, &settings, &changed, &ScanHooks::default())
                            .unwrap();
                        if let Some(quick) = quick {
                            prop_assert_eq!(said(quick), cold(dir.path()), "quick after {:?}", step);
                            if !scan {
                                continue;
                            }
                        }
                    }
                    _ => {}
                }
                let scan = warm.scan(&ScanRequest::of(".")).unwrap();
                prop_assert_eq!(said(scan), cold(dir.path()), "after {:?}", step);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn trailing_comment_joins_nothing_again_but_a_new_call_does() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", CHAT);
    write(dir.path(), "web/index.html", OTHERS[0].1);
    let engine = daemon(dir.path());
    let first = engine.scan(&ScanRequest::of(".")).unwrap();
    let calls = first.inventory.calls.len();
    assert!(calls > 0);
    let first = said(first);
    for text in [format!("{CHAT}# more\n"), format!("{CHAT}\n\n"), CHAT.to_owned()] {
        write(dir.path(), "app.py", &text);
        let scan = engine.scan(&ScanRequest::of(".")).unwrap();
        assert_eq!(scan.inventory.calls.len(), calls, "{text}");
        assert_eq!(said(scan), cold(dir.path()));
    }
    write(dir.path(), "web/index.html", OTHERS[2].1);
    let moved = said(engine.scan(&ScanRequest::of(".")).unwrap());
    assert_eq!(moved, cold(dir.path()));
    assert_ne!(moved, first);
    write(dir.path(), "app.py", &CHAT.repeat(2));
    let scan = engine.scan(&ScanRequest::of(".")).unwrap();
    assert!(scan.inventory.calls.len() > calls);
    assert_eq!(said(scan), cold(dir.path()));
}

#[test]
fn unchanged_files_are_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", CHAT);
    write(dir.path(), "b.py", "print(1)\n");
    let engine = late(dir.path(), false);
    let first = engine.scan(&ScanRequest::of(".")).unwrap();
    assert_eq!((first.cache.hits, first.cache.misses), (0, 2));
    write(dir.path(), "b.py", "print(22)\n");
    let second = engine.scan(&ScanRequest::of(".")).unwrap();
    assert_eq!((second.cache.hits, second.cache.misses), (1, 1));
    drop(engine);
    // The next process knows what this one knew.
    let third = late(dir.path(), false).scan(&ScanRequest::of(".")).unwrap();
    assert_eq!((third.cache.hits, third.cache.misses), (2, 0));
    assert_eq!(said(third), said(second));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test looks at the state that was written")]
fn state_contains_no_secrets_and_no_source_text() {
    let dir = tempfile::tempdir().unwrap();
    let secret = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2n";
    write(dir.path(), "key.py", &format!("API_KEY = \"{secret}\"\n"));
    write(dir.path(), ".env", &format!("OPENAI_API_KEY={secret}\n"));
    write(
        dir.path(),
        "gradle.properties",
        "signing.password=hunter2-is-long-enough\n",
    );
    write(
        dir.path(),
        "app.py",
        "import openai\n\ndef distinctive_helper_text():\n    return \"a sentence that only the source holds\"\n",
    );
    let engine = late(dir.path(), false);
    engine.scan(&ScanRequest::of(".")).unwrap();
    drop(engine);
    let mut looked_at = 0;
    for entry in fs::read_dir(dir.path().join(".compliance")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            for text in [
                secret,
                "hunter2-is-long-enough",
                "a sentence that only the source holds",
            ] {
                let there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                assert!(!there, "`{text}` stands in {}", path.display());
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 0);
}

#[test]
fn watch_reports_the_effect_of_a_change() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", "print('hello')\n");
    write(dir.path(), "templates/index.html", PAGE);
    let engine = Arc::new(late(dir.path(), false));
    engine.scan(&ScanRequest::of(".")).unwrap();
    let mut events = engine.events().subscribe(None).receiver.unwrap();
    let watch = engine.watch(".").unwrap();
    write(dir.path(), "app.py", CHAT);
    // The watch thread sends events; this thread polls for them, long enough for a slow machine.
    let mut kinds: Vec<String> = Vec::new();
    for _ in 0..6_000 {
        match events.try_recv() {
            Ok(event) => kinds.push(format!("{:?}", event.body)),
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
        if kinds.last().is_some_and(|kind| kind.starts_with("Gate")) {
            break;
        }
    }
    assert!(kinds.iter().any(|kind| kind.starts_with("Gate")), "{kinds:?}");
    assert!(kinds[0].starts_with("ScoreUpdate"), "{kinds:?}");
    drop(watch);
}

/// The scan after a change of which one file is named.
fn quick(engine: &Engine, path: &str) -> Option<ScanResult> {
    let state = engine.project(".").unwrap();
    let settings = engine.settings(&state, None, None, None).unwrap();
    let changed = std::collections::BTreeSet::from([path.to_owned()]);
    engine
        .run_changed(&state, &settings, &changed, &ScanHooks::default())
        .unwrap()
}

#[test]
fn unlisted_change_is_found_when_its_text_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let lib = "from openai import OpenAI\n\nclient = OpenAI()\n";
    let app = "from llm import client\n\nprint(client.responses.create(model=\"gpt-4.1\", input=input()))\n";
    write(dir.path(), "llm.py", lib);
    write(dir.path(), "app.py", app);
    // Nothing lowered is held, so that the text of the other file is needed once more.
    let engine = late(dir.path(), false);
    engine.scan(&ScanRequest::of(".")).unwrap();
    write(dir.path(), "llm.py", &lib.replace("client = ", "\nclient = "));
    write(dir.path(), "app.py", &app.replace("print", "\nprint"));
    assert!(quick(&engine, "app.py").is_none(), "the other file has changed as well");
    // What was made without that text is not taken for the truth once it is back.
    write(dir.path(), "llm.py", lib);
    let after = quick(&engine, "app.py").unwrap();
    assert_eq!(said(after), cold(dir.path()));
}

#[test]
fn consecutive_quick_scans_build_on_each_other() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "llm.py", "from openai import OpenAI\n\nclient = OpenAI()\n");
    write(dir.path(), "app.py", "print()\n");
    let engine = late(dir.path(), false);
    engine.scan(&ScanRequest::of(".")).unwrap();
    let app = "from llm import ask\n\nprint(ask(input()))\n";
    write(
        dir.path(),
        "llm.py",
        "from openai import OpenAI\n\n\ndef ask(q):\n    return OpenAI().responses.create(model=\"gpt-4.1\", input=q).output_text\n",
    );
    quick(&engine, "llm.py").unwrap();
    write(dir.path(), "app.py", app);
    assert_eq!(said(quick(&engine, "app.py").unwrap()), cold(dir.path()));
}
