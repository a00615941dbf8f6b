//! How cost grows with the size of each kind of input: twice as much may cost at most two and a half times as much.

#![expect(clippy::cast_precision_loss, reason = "sizes that are compared by their ratio")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Tally, ask, cpu_seconds, daemon, memory_peak_mib};
use crate::support::project;

/// What doubling may cost.
const FACTOR_MAX: f64 = 2.5;

/// Work below this is start-up and noise, not growth.
const SECONDS_MIN: f64 = 1.0;
const MEMORY_MIB_MIN: u64 = 96;
const REPLY_BYTES_MIN: usize = 512 * 1024;

/// Attempts: other work on the machine may disturb one of them.
const ATTEMPTS: usize = 3;

struct Cost {
    seconds: f64,
    memory_mib: u64,
    reply_bytes: usize,
}

/// Cost of a first scan of a project, and of a list if one is named.
fn cost(lay: &dyn Fn(&Path, usize), n: usize, route: &str) -> Cost {
    let folder = project("//- app/main.py\nx = 1\n");
    lay(folder.path(), n);
    let running = daemon(folder.path(), &[]);
    let path = folder.path().to_str().unwrap();
    let before = cpu_seconds(&running);
    let reply = if route == "/scan" {
        ask(&running, "POST", route, Some(&json!({"path": path})))
    } else {
        ask(&running, "GET", &format!("{route}?path={path}"), None)
    };
    Cost {
        seconds: cpu_seconds(&running) - before,
        memory_mib: memory_peak_mib(&running),
        reply_bytes: reply.map_or(0, |reply| reply.body.len()),
    }
}

fn doubles_too_fast(small: &Cost, large: &Cost) -> Option<String> {
    let too_much = |what: &str, small: f64, large: f64, least: f64| {
        (large > least && large > small.max(least / FACTOR_MAX) * FACTOR_MAX)
            .then(|| format!("{what}: {small:.2} to {large:.2}"))
    };
    too_much("seconds", small.seconds, large.seconds, SECONDS_MIN)
        .or_else(|| {
            too_much(
                "MiB",
                small.memory_mib as f64,
                large.memory_mib as f64,
                MEMORY_MIB_MIN as f64,
            )
        })
        .or_else(|| {
            too_much(
                "bytes",
                small.reply_bytes as f64,
                large.reply_bytes as f64,
                REPLY_BYTES_MIN as f64,
            )
        })
}

const CALL: &str = "from openai import OpenAI\nclient = OpenAI()\ndef ask(q):\n    return client.responses.create(model=\"gpt-4.1\", input=q)\n";

fn folders(root: &Path, n: usize) {
    for number in 0..n {
        let folder = root.join(format!("p{number}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("app.py"), CALL).unwrap();
        fs::write(
            folder.join("pyproject.toml"),
            format!("[project]\nname = \"p{number}\"\ndependencies = [\"openai\"]\n"),
        )
        .unwrap();
    }
}

fn calls(root: &Path, n: usize) {
    let mut text = "from openai import OpenAI\nclient = OpenAI()\n".to_owned();
    for number in 0..n {
        let _ = write!(
            text,
            "def ask{number}(q):\n    return client.responses.create(model=\"gpt-3.5-turbo-0301\", input=q)\n"
        );
    }
    fs::write(root.join("app/calls.py"), text).unwrap();
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

fn requirements(root: &Path, n: usize) {
    let text = lines(n, |number| format!("package{number}==1.0.{number}\n"));
    fs::write(root.join("requirements.txt"), text).unwrap();
    fs::write(root.join("app/main.py"), CALL).unwrap();
}

fn suppressions(root: &Path, n: usize) {
    fs::create_dir_all(root.join(".compliance")).unwrap();
    let entry =
        "[[suppression]]\ncheck = 'l4-undisclosed-interaction'\nkind = 'accepted_risk'\nreason = 'r'\nowner = 'o'\n";
    fs::write(root.join(".compliance/suppressions.toml"), entry.repeat(n)).unwrap();
}

fn passports(root: &Path, n: usize) {
    let folder = root.join(".compliance/passports");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..n {
        let passport =
            json!({"name": format!("p{number}"), "agent_id": format!("id-{number}"), "note": "x".repeat(20_000)});
        fs::write(folder.join(format!("p{number}.json")), passport.to_string()).unwrap();
    }
}

fn files(root: &Path, n: usize) {
    for number in 0..n {
        let folder = root.join(format!("m{}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join(format!("f{number}.py")),
            format!("def f{number}(x):\n    return x + {number}\n"),
        )
        .unwrap();
    }
}

fn documents(root: &Path, n: usize) {
    for number in 0..n {
        fs::write(
            root.join(format!("d{number}.md")),
            format!("# Risk management {number}\n\nOur AI system is described here.\n\n## Section\n\nText.\n"),
        )
        .unwrap();
    }
}

fn profile(root: &Path, n: usize) {
    fs::create_dir_all(root.join(".compliance")).unwrap();
    let text = lines(n, |number| format!("unknown{number} = {number}\n"));
    fs::write(root.join(".compliance/profile.toml"), text).unwrap();
}

/// What lays out an input of a size.
type Lay = fn(&Path, usize);

#[test]
#[ignore = "slow: scans of large inputs"]
fn doubling_an_input_at_most_doubles_its_cost() {
    let mut tally = Tally::of("growth");
    let kinds: [(&str, Lay, usize, &str); 10] = [
        ("folders with a package and a call", folders, 60, "/scan"),
        ("calls of a retired model", calls, 400, "/scan"),
        ("requirements", requirements, 8_000, "/scan"),
        ("requirements in a bill of materials", requirements, 8_000, "/sbom"),
        ("suppressions", suppressions, 2_000, "/scan"),
        ("passports", passports, 50, "/agent/list"),
        ("passports in the registry", passports, 50, "/agent/registry"),
        ("files", files, 1_000, "/scan"),
        ("documents", documents, 200, "/scan"),
        ("lines of a profile", profile, 4_000, "/scan"),
    ];
    for (name, lay, n, route) in kinds {
        let mut worst = None;
        for _ in 0..ATTEMPTS {
            let costs = [n, 2 * n, 4 * n].map(|n| cost(&lay, n, route));
            let seen: Vec<String> = costs
                .iter()
                .map(|cost| {
                    format!(
                        "{:.2} s, {} MiB, {} bytes",
                        cost.seconds, cost.memory_mib, cost.reply_bytes
                    )
                })
                .collect();
            println!("{name}: {seen:?}");
            worst = costs.windows(2).find_map(|pair| doubles_too_fast(&pair[0], &pair[1]));
            if worst.is_none() {
                break;
            }
        }
        tally.case(name, worst.is_none(), worst.unwrap_or_default());
    }
    tally.end(10);
}
