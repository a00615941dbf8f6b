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

fn main() -> ExitCode {
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
