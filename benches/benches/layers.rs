//! Each layer over the files that it wants, and the lowering of each language, in bytes per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine_benches::generate;
use engine_model::{Language, SourceFile};

fn lowering(c: &mut Criterion) {
    let corpus = generate("medium-1000", 1_000);
    let mut group = c.benchmark_group("parse");
    group.sample_size(10);
    for language in [Language::Python, Language::Tsx, Language::Go] {
        let texts: Vec<String> = corpus
            .tree
            .files()
            .filter(|file| file.language == language)
            .filter_map(|file| file.text().map(std::borrow::Cow::into_owned))
            .collect();
        group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
        group.bench_function(language.name(), |b| {
            b.iter(|| {
                texts
                    .iter()
                    .filter_map(|text| engine_syntax::lower(language, text))
                    .count()
            });
        });
    }
    group.finish();
}

fn layers(c: &mut Criterion) {
    let corpus = generate("medium-1000", 1_000);
    let files: Vec<SourceFile<'_>> = corpus.tree.files().collect();
    let mut group = c.benchmark_group("layer");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(corpus.bytes));
    group.bench_function("L1-files", |b| {
        b.iter(|| {
            let wanted = files
                .iter()
                .filter(|file| engine_scan_files::wants(&file.path, file.language, file.zone));
            wanted.map(engine_scan_files::read).count()
        });
    });
    group.bench_function("L2-documents", |b| {
        b.iter(|| {
            let wanted = files
                .iter()
                .filter(|file| engine_scan_documents::wants(&file.path, file.language, file.zone));
            wanted.map(engine_scan_documents::read).count()
        });
    });
    group.bench_function("L3-dependencies", |b| {
        b.iter(|| {
            let wanted = files.iter().filter(|file| engine_scan_dependencies::wants(&file.path));
            wanted.map(engine_scan_dependencies::read).count()
        });
    });
    group.bench_function("L4-code", |b| {
        b.iter(|| {
            let wanted = files
                .iter()
                .filter(|file| engine_scan_code::wants(&file.path, file.language, file.zone));
            wanted.map(engine_scan_code::read).count()
        });
    });
    group.finish();
}

criterion_group!(benches, lowering, layers);
criterion_main!(benches);
