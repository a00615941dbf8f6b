//! Measuring: criterion by name, one tree as a whole process, and the daemon over HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{root, run};

/// Runs of each program; the median is shown, with the least and the most.
const RUNS: usize = 5;

/// `cargo xtask bench [FILTER]`.
pub(crate) fn criterion(filter: &[&str]) -> Result<()> {
    let mut args = vec!["bench", "--package", "engine-benches", "--benches", "--"];
    args.extend(filter);
    run("cargo", &args)
}

/// `cargo xtask bench eval`.
pub(crate) fn eval() -> Result<()> {
    run("cargo", &["build", "--release", "--package", "engine-server"])?;
    let server = root().join("target/release/engine-server");
    let server = server.to_str().context("the path of the project is not UTF-8")?;
    run(
        "cargo",
        &[
            "run",
            "--release",
            "--package",
            "engine-benches",
            "--bin",
            "eval-rate",
            "--",
            server,
        ],
    )
}

/// What one run of a program cost.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) wall_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) peak_kib: u64,
}

/// `cargo xtask bench scan DIR`.
pub(crate) fn scan(dir: &Path) -> Result<()> {
    run(
        "cargo",
        &[
            "build",
            "--release",
            "--package",
            "engine-server",
            "--package",
            "engine-benches",
            "--bins",
        ],
    )?;
    let dir = dir
        .canonicalize()
        .with_context(|| format!("no folder at {}", dir.display()))?;
    let dir = dir.to_string_lossy().into_owned();
    let server = root().join("target/release/engine-server");
    let floor = root().join("target/release/hash-tree");
    let counted = Command::new(&floor).arg(&dir).output()?;
    println!("{dir}: {}", String::from_utf8_lossy(&counted.stdout).trim());
    // The two programs take turns, so that a busy moment of the machine falls on both.
    let (mut floors, mut scans) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        floors.push(measure(&floor, &[&dir])?);
        scans.push(measure(&server, &["scan", &dir, "--no-state", "--format", "json"])?);
    }
    let floor = report("read and hash", &mut floors);
    let scan = report("scan, cold", &mut scans);
    println!(
        "ratio: wall {:.1}, CPU {:.1}",
        scan.wall_ms / floor.wall_ms,
        scan.cpu_ms / floor.cpu_ms
    );
    let counts: Vec<f64> = String::from_utf8_lossy(&counted.stdout)
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    if let [files, bytes] = counts.as_slice() {
        println!(
            "cold: {:.0} files/s, {:.1} MB/s",
            files / scan.wall_ms * 1e3,
            bytes / scan.wall_ms / 1e3
        );
    }
    // A copy is scanned from here on: remembered facts and edits must not reach the tree that was named.
    let copy = root().join(format!("target/bench-tree-{}", std::process::id()));
    copy_tree(Path::new(&dir), &copy)?;
    let outcome = again(&server, &copy);
    std::fs::remove_dir_all(&copy)?;
    outcome
}

/// Files whose age is below this are read again, whatever their times say.
const RACY: Duration = Duration::from_millis(2_500);

/// Edits of single files, and comparisons, that are timed.
const EDITS: usize = 60;

/// Scans of a tree that is known: unchanged in a new process, one file changed and ten files compared in the daemon.
fn again(server: &Path, copy: &Path) -> Result<()> {
    let dir = copy.to_string_lossy().into_owned();
    std::thread::sleep(RACY);
    let mut first = vec![measure(server, &["scan", &dir, "--format", "json"])?];
    report("first, kept", &mut first);
    let mut warm = Vec::new();
    for _ in 0..RUNS {
        warm.push(measure(server, &["scan", &dir, "--format", "json"])?);
    }
    report("unchanged", &mut warm);
    let mut edited = Vec::new();
    sources(copy, copy, &mut edited)?;
    edited.sort();
    let step = (edited.len() / EDITS).max(1);
    let edited: Vec<String> = edited.into_iter().step_by(step).take(EDITS).collect();
    let (mut child, port) = start(server)?;
    let whole = serde_json::json!({ "path": dir, "limit": 1 }).to_string();
    let mut daemon = Vec::new();
    for _ in 0..2 {
        let started = Instant::now();
        post(port, "/scan", &whole)?;
        daemon.push(started.elapsed().as_secs_f64() * 1e3);
    }
    show("POST /scan, unchanged", &mut daemon[1..], "ms");
    let mut changed = Vec::new();
    for path in &edited {
        let file = copy.join(path);
        let before = std::fs::read(&file)?;
        let mut after = before.clone();
        after.extend_from_slice(b"\n");
        std::fs::write(&file, &after)?;
        let started = Instant::now();
        post(port, "/scan", &whole)?;
        changed.push(started.elapsed().as_secs_f64() * 1e3);
        std::fs::write(&file, before)?;
    }
    show("POST /scan, one file changed", &mut changed, "ms");
    let mut compared = Vec::new();
    for chunk in edited.chunks(10) {
        let kept: Vec<(std::path::PathBuf, Vec<u8>)> = chunk
            .iter()
            .map(|path| Ok((copy.join(path), std::fs::read(copy.join(path))?)))
            .collect::<Result<_>>()?;
        for (file, before) in &kept {
            let mut after = before.clone();
            after.extend_from_slice(b"\n");
            std::fs::write(file, after)?;
        }
        let body = serde_json::json!({ "path": dir, "changedFiles": chunk }).to_string();
        let started = Instant::now();
        post(port, "/scan/diff", &body)?;
        compared.push(started.elapsed().as_secs_f64() * 1e3);
        for (file, before) in kept {
            std::fs::write(file, before)?;
        }
    }
    show("POST /scan/diff, ten files", &mut compared, "ms");
    std::thread::sleep(Duration::from_secs(4));
    println!(
        "memory of the daemon after that: {} MiB",
        status_kib(child.id(), "VmRSS:") / 1024
    );
    child.kill()?;
    child.wait()?;
    Ok(())
}

fn post(port: u16, path: &str, body: &str) -> Result<String> {
    request(
        port,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
    )
}

/// Copies plain files and folders; links and the data of git are left out.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" && entry.file_name() != ".compliance" {
            copy_tree(&entry.path(), &to.join(entry.file_name()))?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Source files below a folder, relative to it.
fn sources(root: &Path, dir: &Path, out: &mut Vec<String>) -> Result<()> {
    const ENDINGS: [&str; 11] = ["py", "ts", "tsx", "js", "go", "rs", "java", "kt", "cs", "md", "json"];
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with(".compliance") {
                sources(root, &path, out)?;
            }
        } else if path
            .extension()
            .and_then(|end| end.to_str())
            .is_some_and(|end| ENDINGS.contains(&end))
        {
            out.push(path.strip_prefix(root)?.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

fn report(name: &str, costs: &mut [Cost]) -> Cost {
    let median = |costs: &mut [Cost], by: fn(&Cost) -> f64| {
        costs.sort_by(|a, b| by(a).total_cmp(&by(b)));
        (by(&costs[costs.len() / 2]), by(&costs[0]), by(&costs[costs.len() - 1]))
    };
    let (wall, wall_min, wall_max) = median(costs, |cost| cost.wall_ms);
    let (cpu, cpu_min, cpu_max) = median(costs, |cost| cost.cpu_ms);
    let peak = costs.iter().map(|cost| cost.peak_kib).max().unwrap_or_default();
    println!(
        "{name:<14} wall {wall:>7.0} ms ({wall_min:.0} to {wall_max:.0})   CPU {cpu:>7.0} ms ({cpu_min:.0} to {cpu_max:.0})   peak {:>5} MiB",
        peak / 1024
    );
    Cost {
        wall_ms: wall,
        cpu_ms: cpu,
        peak_kib: peak,
    }
}

/// Runs a program to its end and reads what the kernel says of it.
pub(crate) fn measure(program: &Path, args: &[&str]) -> Result<Cost> {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let mut cost = Cost::default();
    loop {
        cost.peak_kib = cost.peak_kib.max(peak_kib(child.id()));
        // The times are read before the child is reaped, while the kernel still keeps them.
        cost.cpu_ms = cost.cpu_ms.max(cpu_ms(child.id()));
        if is_zombie(child.id()) {
            cost.wall_ms = started.elapsed().as_secs_f64() * 1e3;
            cost.cpu_ms = cost.cpu_ms.max(cpu_ms(child.id()));
            child.wait()?;
            return Ok(cost);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn peak_kib(pid: u32) -> u64 {
    status_kib(pid, "VmHWM:")
}

fn status_kib(pid: u32, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

/// The fields of `/proc/PID/stat` after the name, which may hold spaces.
fn stat(pid: u32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .map(|(_, rest)| rest.split(' ').map(str::to_owned).collect())
        .unwrap_or_default()
}

fn is_zombie(pid: u32) -> bool {
    stat(pid).first().is_none_or(|state| state == "Z" || state == "X")
}

/// User and system time; the kernel counts in hundredths of a second.
fn cpu_ms(pid: u32) -> f64 {
    let stat = stat(pid);
    let ticks: f64 = [11, 12]
        .iter()
        .filter_map(|index| stat.get(*index))
        .filter_map(|text| text.parse::<f64>().ok())
        .sum();
    ticks * 10.0
}

/// `cargo xtask bench http`.
pub(crate) fn http() -> Result<()> {
    run("cargo", &["build", "--release", "--package", "engine-server"])?;
    let server = root().join("target/release/engine-server");
    let mut starts = Vec::new();
    for _ in 0..RUNS {
        let started = Instant::now();
        let (mut child, port) = start(&server)?;
        get(port, "/status")?;
        starts.push(started.elapsed().as_secs_f64() * 1e3);
        child.kill()?;
        child.wait()?;
    }
    show("start to first answer", &mut starts, "ms");
    let (mut child, port) = start(&server)?;
    get(port, "/status")?;
    std::thread::sleep(Duration::from_millis(500));
    println!("idle memory: {} MiB", status_kib(child.id(), "VmRSS:") / 1024);
    let mut idle = (0..500).map(|_| timed(port, "/status")).collect::<Result<Vec<_>>>()?;
    show("GET /status, idle", &mut idle, "ms");
    let corpus = std::env::temp_dir().join(format!("engine-bench-{}", std::process::id()));
    write_corpus(&corpus, 5_000)?;
    let body = serde_json::json!({ "path": corpus }).to_string();
    let scan = std::thread::spawn(move || -> Result<f64> {
        let started = Instant::now();
        request(
            port,
            &format!(
                "POST /scan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            ),
        )?;
        Ok(started.elapsed().as_secs_f64() * 1e3)
    });
    let mut busy = Vec::new();
    while !scan.is_finished() {
        busy.push(timed(port, "/status")?);
    }
    let scanned = scan
        .join()
        .map_err(|_| anyhow::anyhow!("the scan request panicked"))??;
    show("GET /status while 5,000 files are scanned", &mut busy, "ms");
    println!("the scan itself: {scanned:.0} ms");
    child.kill()?;
    child.wait()?;
    std::fs::remove_dir_all(&corpus)?;
    Ok(())
}

fn write_corpus(dir: &Path, files: usize) -> Result<()> {
    for index in 0..files {
        let folder = dir.join(format!("m{:03}", index / 50));
        std::fs::create_dir_all(&folder)?;
        let mut text = String::from("import logging\n");
        if index.is_multiple_of(50) {
            text.push_str("from openai import OpenAI\nclient = OpenAI()\n\ndef ask(q):\n    return client.responses.create(model=\"gpt-4.1\", input=q)\n");
        }
        for part in 0..40 {
            let function =
                format!("\ndef f{part}(rows):\n    return [row * {part} for row in rows if row > {index}]\n");
            text.push_str(&function);
        }
        std::fs::write(folder.join(format!("f{index}.py")), text)?;
    }
    Ok(())
}

fn start(server: &Path) -> Result<(Child, u16)> {
    let mut child = Command::new(server)
        .args(["serve", "--port", "0"])
        .env("ENGINE_DATA_DIR", root().join("target/bench-data"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the daemon")?;
    let mut stdout = child.stdout.take().context("the daemon has no output")?;
    let mut line = String::new();
    let mut byte = [0];
    while stdout.read(&mut byte)? == 1 {
        line.push(char::from(byte[0]));
        if byte[0] == b'\n'
            && let Some(port) = line
                .trim()
                .rsplit(':')
                .next()
                .map(|rest| rest.trim_end_matches('/'))
                .and_then(|p| p.parse().ok())
        {
            return Ok((child, port));
        }
    }
    bail!("the daemon did not print its port: {line}")
}

fn get(port: u16, path: &str) -> Result<String> {
    request(
        port,
        &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
    )
}

fn request(port: u16, text: &str) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.write_all(text.as_bytes())?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply)?;
    let reply = String::from_utf8_lossy(&reply).into_owned();
    if !reply.starts_with("HTTP/1.1 200") {
        let body = reply.split("\r\n\r\n").nth(1).unwrap_or_default();
        bail!(
            "the daemon answered {}: {body}",
            reply.lines().next().unwrap_or_default()
        );
    }
    Ok(reply)
}

fn timed(port: u16, path: &str) -> Result<f64> {
    let started = Instant::now();
    get(port, path)?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

fn show(name: &str, values: &mut [f64], unit: &str) {
    values.sort_by(f64::total_cmp);
    if values.is_empty() {
        println!("{name}: nothing was measured");
        return;
    }
    let at = |share: usize| values[(values.len() - 1) * share / 100];
    println!(
        "{name}: p50 {:.2} {unit}, p95 {:.2}, p99 {:.2}, most {:.2} ({} values)",
        at(50),
        at(95),
        at(99),
        at(100),
        values.len()
    );
}
