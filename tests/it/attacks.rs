//! Attacks on the daemon: every case tries to break in, to exhaust, to write or to send where it may not. None may succeed.
//!
//! The suite can be pointed at any build: `ATTACK_BINARY=/path/to/engine-server cargo nextest run -E 'test(attacks)'`. Each group
//! prints its cases and its successes. Cases that need minutes or much memory run with `cargo xtask slow`.
#![cfg(unix)]

mod addresses;
mod analysers;
mod dashboards;
mod documents;
mod files;
mod fixes;
mod floods;
mod growth;
mod http;
mod imports;
mod live;
mod markup;
mod models;
mod outputs;
mod repositories;
mod schema;
mod targets;

use std::fmt::Display;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{BINARY, DATA_DIR, Daemon, Reply};

/// How long an answer may take in a suite that must end; a hang is a success of an attack.
const HANG: Duration = Duration::from_secs(90);

/// Memory of the daemon in MiB that no single case may make it hold.
const MEMORY_MIB: u64 = 600;

/// The binary under attack, about to be started.
fn attacked() -> Command {
    let binary = std::env::var_os("ATTACK_BINARY").unwrap_or_else(|| BINARY.into());
    let mut command = Command::new(binary);
    command
        .env("ENGINE_DATA_DIR", DATA_DIR)
        // No case uses a package runner, a key or a model of whoever runs the suite.
        .env("UV", "")
        .env_remove("ENGINE_SIGNING_KEY")
        .stdin(Stdio::null());
    for name in engine::SETTING_NAMES {
        command.env_remove(name);
    }
    command
}

/// A daemon of the binary under attack.
fn daemon(folder: &Path, arguments: &[&str]) -> Daemon {
    let mut command = attacked();
    command.current_dir(folder).args(["--port", "0"]).args(arguments);
    Daemon::spawn(command)
}

/// Cases of one group and what became of them.
struct Tally {
    group: &'static str,
    cases: usize,
    successes: Vec<String>,
}

impl Tally {
    fn of(group: &'static str) -> Self {
        Self {
            group,
            cases: 0,
            successes: Vec::new(),
        }
    }

    /// Counts a case; the attack had success where it does not hold.
    fn case(&mut self, name: impl Display, holds: bool, said: impl Display) {
        self.cases += 1;
        if !holds {
            self.successes.push(format!("{name}: {said}"));
        }
    }

    /// Counts a request that must be refused with a status from 400 to 499 and a short reply.
    fn refused(&mut self, name: impl Display, reply: Option<&Reply>) {
        let holds = reply.is_some_and(|reply| (400..500).contains(&reply.status) && reply.body.len() < 20_000);
        self.case(name, holds, shown(reply));
    }

    /// Counts a request that must be answered, in whatever way but a fault.
    fn answered(&mut self, name: impl Display, reply: Option<&Reply>) {
        let holds = reply.is_some_and(|reply| reply.status < 500);
        self.case(name, holds, shown(reply));
    }

    /// Says what became of the cases.
    fn end(self, at_least: usize) {
        eprintln!(
            "{}: {} cases, {} successes",
            self.group,
            self.cases,
            self.successes.len()
        );
        assert!(self.successes.is_empty(), "{}: {:#?}", self.group, self.successes);
        assert!(self.cases >= at_least, "{}: only {} cases ran", self.group, self.cases);
    }
}

fn shown(reply: Option<&Reply>) -> String {
    reply.map_or_else(
        || "no answer".to_owned(),
        |reply| {
            let body: String = reply.body.chars().take(300).collect();
            format!("{} {body}", reply.status)
        },
    )
}

/// Sends a request; none where no answer comes in time or the connection breaks.
fn ask(daemon: &Daemon, method: &str, target: &str, body: Option<&Value>) -> Option<Reply> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let kind = if body.is_empty() {
        ""
    } else {
        "Content-Type: application/json\r\n"
    };
    raw(
        daemon,
        format!(
            "{method} {target} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{kind}Content-Length: {}\r\n\r\n{body}",
            daemon.port,
            body.len()
        )
        .as_bytes(),
    )
}

/// Sends bytes as they are.
fn raw(daemon: &Daemon, bytes: &[u8]) -> Option<Reply> {
    use std::io::{Read, Write};
    let mut stream = daemon.connect();
    stream.set_read_timeout(Some(HANG)).ok()?;
    // The daemon may answer and close before it has read everything.
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let mut buffer = [0; 16_384];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => all.extend_from_slice(&buffer[..count]),
            Err(_) if !all.is_empty() => break,
            Err(_) => return None,
        }
    }
    let text = String::from_utf8_lossy(&all).into_owned();
    text.contains("\r\n\r\n").then(|| Reply::parse(&text))
}

/// Resident memory of the daemon in MiB.
fn memory_mib(daemon: &Daemon) -> u64 {
    status_kib(daemon, "VmRSS:") / 1024
}

/// The most resident memory that the daemon had, in MiB.
fn memory_peak_mib(daemon: &Daemon) -> u64 {
    status_kib(daemon, "VmHWM:") / 1024
}

fn status_kib(daemon: &Daemon, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok())
        .unwrap_or(0)
}

/// Seconds of processor time that the daemon has used.
fn cpu_seconds(daemon: &Daemon) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemon.child.id())).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    // Fields 14 and 15 of the line, of which two stand before the name ends; a tick is a hundredth of a second.
    (ticks(11) + ticks(12)) / 100.0
}

/// Makes a pipe at a path.
fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs git in a folder with settings of its own.
fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
