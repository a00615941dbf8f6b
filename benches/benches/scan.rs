//! The walk on a disk, and a whole scan in memory, over corpora of stated size.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine_benches::{generate, write_to};
use engine_model::Date;
use engine_scanner::{Settings, scan_memory};

fn walk(c: &mut Criterion) {
    let corpus = generate("medium-1000", 1_000);
    let Ok(dir) = tempfile::tempdir() else { return };
    if write_to(&corpus, dir.path()).is_err() {
        return;
    }
    let Ok(root) = engine_project::open(dir.path()) else {
        return;
    };
    let mut group = c.benchmark_group("walk");
    group.sample_size(20);
    group.throughput(Throughput::Elements(corpus.files));
    group.bench_function(corpus.name, |b| {
        b.iter(|| {
            engine_project::read(&root, &engine_project::Options::default(), &|| false, &|file| {
                file.bytes.len()
            })
            .files
            .len()
        });
    });
    group.finish();
}

fn scan(c: &mut Criterion) {
    let settings = Settings::on(Date::constant(2026, 11, 20));
    let mut group = c.benchmark_group("scan");
    group.sample_size(10);
    for corpus in [generate("small-50", 50), generate("medium-1000", 1_000)] {
        group.throughput(Throughput::Bytes(corpus.bytes));
        group.bench_function(corpus.name, |b| {
            b.iter(|| scan_memory(&corpus.tree, &settings).findings.len());
        });
    }
    group.finish();
}

criterion_group!(benches, walk, scan);
criterion_main!(benches);
