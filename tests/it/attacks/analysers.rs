//! External analysers that turn hostile, and file names that want to be their options.

use std::fs;

use serde_json::{Value, json};

use super::live::in_terminal;
use super::{Tally, ask, attacked, memory_peak_mib};
use crate::support::{Daemon, fingerprint};
use crate::tools::{Fake, TOOLS, named, product, script};

/// Memory of the daemon in MiB; an analyser may write 64 MiB.
const MEMORY_MIB: u64 = 600;

/// What a hostile analyser does instead of its work, as a shell script.
fn ways() -> Vec<(&'static str, String)> {
    let finding = |path: &str, line: &str, rule: &str, message: &str| {
        let result = format!(
            r#"{{"filename":"{path}","path":"{path}","line_number":{line},"line_range":[{line}],"start":{{"line":{line},"col":1,"offset":0}},"end":{{"line":{line},"col":2,"offset":0}},"col_offset":1,"code":"{message}","test_id":"{rule}","check_id":"{rule}","test_name":"{rule}","issue_severity":"HIGH","issue_confidence":"HIGH","issue_text":"{message}","extra":{{"message":"{message}","severity":"ERROR"}}}}"#
        );
        let whole = format!(
            r#"{{"version":"1","errors":[],"metrics":{{"_totals":{{}},"{path}":{{}}}},"results":[{result}],"paths":{{"scanned":["{path}"]}},"plugins_used":[{{"name":"x"}}],"summary":{{"scanned":{{"total_scanned":1}}}},"issues":[{{"description":"{message}","operator":"{rule}","module":"{rule}","source":"{path}","severity":"CRITICAL"}}]}}"#
        );
        format!(
            "cat > report.tmp <<'QX7F'\n{whole}\nQX7F\nwhile [ $# -gt 0 ]; do [ \"$1\" = --output-file ] && cp report.tmp \"$2\"; shift; done\ncat report.tmp\n"
        )
    };
    vec![
        ("endless output", "yes '{\"results\":'\n".to_owned()),
        ("an endless line", "cat /dev/zero\n".to_owned()),
        ("endless errors", "yes >&2\n".to_owned()),
        ("a deep report", "head -c 2000000 /dev/zero | tr '\\0' '['\n".to_owned()),
        ("a path outside", finding("/etc/passwd", "1", "B307", "m")),
        ("a path above", finding("../../../../etc/passwd", "1", "B307", "m")),
        ("no path", finding("", "1", "B307", "m")),
        ("a line that is none", finding("app.py", "-5", "B307", "m")),
        ("a huge line", finding("app.py", "99999999999999999999", "B307", "m")),
        ("markup", finding("app.py", "1", "<script>qx7f</script>", "<b id=qx7f>")),
        ("a command of a terminal", finding("app.py", "1", "\\u001b[2Jqx7f", "\\u009b31m\\u202e")),
        ("a command of a build server", finding("app.py", "1", "B307\\n::error::qx7f", "\\n##vso[x]")),
        ("a rule of a megabyte", finding("app.py", "1", &"qx7f".repeat(20_000), "m")),
        (
            "a report that is a link",
            "while [ $# -gt 0 ]; do [ \"$1\" = --output-file ] && rm -f \"$2\" && ln -s /etc/passwd \"$2\"; shift; done\ncat /etc/passwd\n".to_owned(),
        ),
        (
            "a report that is a pipe",
            "while [ $# -gt 0 ]; do [ \"$1\" = --output-file ] && rm -f \"$2\" && mkfifo \"$2\"; shift; done\n".to_owned(),
        ),
        (
            "a report that never ends",
            "while [ $# -gt 0 ]; do [ \"$1\" = --output-file ] && rm -f \"$2\" && ln -s /dev/zero \"$2\"; shift; done\n".to_owned(),
        ),
        ("a view that is gone", "for last; do :; done\nrm -rf \"$last\"\necho '{}'\n".to_owned()),
        (
            "a view with links",
            "for last; do :; done\nfor f in \"$last\"/*; do rm -f \"$f\"; ln -s /etc/passwd \"$f\"; done\necho '{}'\n".to_owned(),
        ),
        ("errors with commands", "printf '\\033[2J\\302\\2331m::error::qx7f\\n##vso[x]' >&2\nexit 3\n".to_owned()),
    ]
}

fn tier2(daemon: &Daemon) -> Option<crate::support::Reply> {
    ask(daemon, "POST", "/scan/tier2", Some(&json!({"path": "."})))
}

#[test]
#[ignore = "slow: each analyser misbehaves in each way"]
fn hostile_analysers_do_no_harm() {
    let mut tally = Tally::of("analysers");
    let folder = product();
    let fake = Fake::new();
    let running = fake.daemon_of(attacked(), folder.path(), &[("ENGINE_TOOL_SECONDS", "2")]);
    fake.install(&running);
    let before = fingerprint(folder.path());
    for tool in TOOLS {
        let program = Fake::program(&running, tool);
        let sound = fs::read_to_string(&program).unwrap();
        for (way, text) in ways() {
            script(&program, &format!("#!/bin/sh\n{text}"));
            let reply = tier2(&running);
            let Some(reply) = reply.filter(|reply| reply.status == 200) else {
                tally.case(format!("{tool}: {way}"), false, "no answer");
                continue;
            };
            let foreign = ["root:x:0:0", "/etc/passwd", "../..", "<script>qx7f", "<b id=qx7f"];
            let record = named(&reply.json(), tool).to_string();
            let body = reply.json();
            let of_tool = body["findings"].as_array().into_iter().flatten().filter(|finding| {
                finding["checkId"]
                    .as_str()
                    .is_some_and(|check| check.starts_with("ext-"))
            });
            let texts: String = of_tool.map(Value::to_string).chain([record.clone()]).collect();
            let found = foreign
                .iter()
                .find(|one| texts.contains(**one))
                .map(|one| (*one).to_owned());
            // JSON escapes control characters; what a reader makes of it counts.
            let live = in_terminal(&texts.replace("\\u001b", "\u{1b}").replace("\\n", "\n")).or(found);
            tally.case(
                format!("{tool}: {way}"),
                live.is_none() && texts.len() < 400_000,
                format!("{live:?} {} bytes, {record:.300}", texts.len()),
            );
        }
        script(&program, &sound);
    }
    tally.case("the tree", fingerprint(folder.path()) == before, "it changed");
    let peak = memory_peak_mib(&running);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(75);
}

/// Names of files that a shell or a program could take for something else.
const NAMES: [(&str, &str); 12] = [
    ("an option", "-rf.py"),
    ("a long option", "--config=evil.py"),
    ("help", "--help.py"),
    ("two dashes", "--"),
    ("a list of files", "@files.py"),
    ("a command", "$(touch qx7f-made).py"),
    ("an old command", "`touch qx7f-made`.py"),
    ("two commands", "a;touch qx7f-made;.py"),
    ("a line break", "a\ntouch qx7f-made\n.py"),
    ("a pattern", "*.py"),
    ("quotes", "a\"'b.py"),
    ("settings", "bandit.yaml"),
];

#[test]
#[ignore = "slow: starts the analysers"]
fn names_of_files_are_no_options_of_analysers() {
    let mut tally = Tally::of("names of files");
    let folder = product();
    for (_, name) in NAMES {
        fs::write(folder.path().join(name), "eval(input())\n").unwrap();
    }
    let fake = Fake::new();
    let running = fake.daemon_of(attacked(), folder.path(), &[]);
    fake.install(&running);
    let seen = fake.folder.path().join("seen");
    for tool in TOOLS {
        let program = Fake::program(&running, tool);
        let sound = fs::read_to_string(&program).unwrap();
        let spy = format!(
            "#!/bin/sh\nfor one; do printf '%s\\n' \"<$one>\" >> '{}'; done\n",
            seen.display()
        );
        script(&program, &sound.replace("#!/bin/sh\n", &spy));
    }
    tally.answered("scan", tier2(&running).as_ref());
    let arguments = fs::read_to_string(&seen).unwrap_or_default();
    tally.case("the analysers ran", arguments.lines().count() > 8, &arguments);
    for (what, name) in NAMES {
        let given = what != "two dashes" && arguments.contains(&format!("<{name}>"));
        let made = folder.path().join("qx7f-made").exists() || fake.folder.path().join("qx7f-made").exists();
        tally.case(format!("{what} as a name"), !given && !made, &arguments);
    }
    for (what, body) in [
        ("an unknown tool", json!({"tools": ["../../bin/sh"]})),
        (
            "a tool as an option",
            json!({"tools": ["--index-url=http://127.0.0.1:1"]}),
        ),
        ("a tool of a file", json!({"tools": ["file:///etc/passwd"]})),
        ("tools without an end", json!({"tools": vec!["bandit"; 100_000]})),
        ("another field", json!({"index": "http://127.0.0.1:1"})),
    ] {
        tally.refused(what, ask(&running, "POST", "/tools/update", Some(&body)).as_ref());
    }
    tally.end(18);
}
