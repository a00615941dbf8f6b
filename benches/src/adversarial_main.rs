//! Files and trees of 1 MiB, written to cost as much as they can: what a scan makes of each, in CPU time.
//!
//! `adversarial [PART..]` runs the cases whose name holds a part and prints the dearest; `adversarial --max-ms N` fails
//! when one costs more.
#![expect(
    clippy::disallowed_methods,
    reason = "the time that threads spent is read from the system's own files"
)]
#![expect(clippy::print_stdout, reason = "a measuring tool speaks on standard output")]

use std::process::ExitCode;
use std::time::Instant;

use engine_benches::adversarial::cases;
use engine_model::{Date, MemoryTree};
use engine_scanner::{Settings, scan_memory};

/// Cases that are printed.
const SHOWN: usize = 40;

fn trees(out: &str, dirs: &[String]) {
    for dir in dirs {
        let root = engine_project::open(std::path::Path::new(dir)).unwrap();
        let mut walked = engine_project::read(&root, &engine_project::Options::default(), &|| false, &|file| engine_scanner::read(file));
        let large = engine_project::read_large(&mut walked, &|| false, &engine_scanner::read_large);
        let tree = engine_project::Tree::new(&walked);
        let ignored: Vec<String> = walked.ignored_secrets.iter().map(|file| file.path.clone()).collect();
        let started = cpu_ms();
        let evaluation = engine_scanner::evaluate(
            engine_scanner::ScanInput {
                files: walked.files,
                large: large.into_iter().map(|file| (file.path, file.value)).collect(),
                ignored_secrets: &ignored,
                source: &tree,
                memory: &engine_scanner::Memory::default(),
            },
            &Settings::on(Date::constant(2026, 11, 22)),
        );
        let spent = cpu_ms() - started;
        let mut findings = evaluation.findings.clone();
        findings.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
        let value = serde_json::json!({
            "inventory": evaluation.inventory, "findings": evaluation.findings, "systems": evaluation.systems,
            "documents": evaluation.documents, "applicability": evaluation.applicability, "applicabilityReason": evaluation.reason,
            "notEvaluated": evaluation.not_evaluated,
        });
        let name = dir.trim_end_matches('/').rsplit('/').next().unwrap();
        std::fs::write(format!("{out}/{name}.json"), serde_json::to_vec(&value).unwrap()).unwrap();
        println!("{name} evaluate {spent:.0} ms, not evaluated {}", evaluation.not_evaluated.len());
    }
}

fn main() -> ExitCode {
    let all: Vec<String> = std::env::args().skip(1).collect();
    if all.first().is_some_and(|first| first == "--trees") {
        trees(&all[1], &all[2..]);
        return ExitCode::SUCCESS;
    }
    let mut wanted = Vec::new();
    let mut max_ms = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--max-ms" {
            max_ms = arguments.next().and_then(|text| text.parse::<f64>().ok());
        } else {
            wanted.push(argument);
        }
    }
    let settings = Settings::on(Date::constant(2026, 11, 20));
    // The first scan builds the tables that all share.
    scan_memory(&MemoryTree::default(), &settings);
    let mut costs = Vec::new();
    for case in cases() {
        if !wanted.is_empty() && !wanted.iter().any(|part| case.name.contains(part.as_str())) {
            continue;
        }
        let mut tree = MemoryTree::default();
        for (path, text) in case.files() {
            tree.insert(path, text);
        }
        let mut best = (f64::MAX, f64::MAX);
        for _ in 0..2 {
            let (cpu, wall) = (cpu_ms(), Instant::now());
            scan_memory(&tree, &settings);
            best.0 = best.0.min(cpu_ms() - cpu);
            best.1 = best.1.min(wall.elapsed().as_secs_f64() * 1e3);
            if best.0 < 150.0 {
                break;
            }
        }
        costs.push((best.0, best.1, case.name));
    }
    costs.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (cpu, wall, name) in costs.iter().take(SHOWN) {
        println!("{cpu:>8.0} ms CPU {wall:>8.0} ms wall  {name}");
    }
    let above = max_ms.map_or(0, |max| costs.iter().filter(|(cpu, ..)| *cpu > max).count());
    println!("{} cases, {above} above the limit", costs.len());
    if above > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// CPU time of all threads of the process; zero where the system does not tell.
fn cpu_ms() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<f64>().ok())
        .sum::<f64>()
        / 1e6
}
