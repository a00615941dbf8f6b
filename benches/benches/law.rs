//! The law: loading the tables, asking about every obligation.

use criterion::{Criterion, criterion_group, criterion_main};
use engine_model::Date;
use engine_regulation::{LawQuery, regulation};

fn law(c: &mut Criterion) {
    regulation();
    let query = LawQuery::new(Date::constant(2026, 11, 20));
    c.bench_function("law/evaluate-131", |b| {
        b.iter(|| std::hint::black_box(&query).evaluate());
    });
    c.bench_function("law/catalogue-lookup", |b| {
        let catalogue = engine_catalogue::catalogue();
        b.iter(|| catalogue.package(engine_model::Ecosystem::PyPI, std::hint::black_box("langchain-openai")));
    });
}

criterion_group!(benches, law);
criterion_main!(benches);
