//! The evidence chain: entries added by many callers at once, a whole chain verified, and one entry more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use engine_evidence::{Artifact, Draft, EntryType, Verdict};
use engine_signing::{Digest, SecretKey, Trust};
use engine_store::{Mode, StateDir, Store};
use serde_json::json;
use tempfile::TempDir;

/// Entries of a long chain.
const LONG: usize = 100_000;

/// Callers that wait at the same time, and entries that each adds.
const CALLERS: usize = 64;
const EACH: usize = 40;

fn key() -> SecretKey {
    SecretKey::from_seed(&[1; 32])
}

fn trust() -> Trust {
    let mut trust = Trust::default();
    trust.pin(key().public(), "bench");
    trust
}

/// An entry as a scan leaves it.
fn draft(number: usize) -> Draft {
    Draft {
        id: format!("0198a6c4-6a3e-7c1e-9d5b-{number:012}"),
        timestamp: "2026-11-20T10:00:00.000Z".to_owned(),
        kind: EntryType::Scan,
        actor: "engine-server 0.1.0".to_owned(),
        agent: None,
        payload: json!({
            "scanId": format!("0198a6c4-6a3e-7c1e-9d5c-{number:012}"),
            "score": "61.40",
            "findings": {"critical": 0, "high": 3, "medium": 5, "low": 1},
            "result": {"blake3": Digest::of(&number.to_le_bytes()), "stored": Digest::of(b"stored")},
        }),
        artifacts: vec![Artifact {
            path: "docs/risk-management.md".to_owned(),
            blake3: Digest::of(b"a document"),
        }],
    }
}

fn store() -> Option<(TempDir, Store)> {
    let folder = tempfile::tempdir().ok()?;
    let state = StateDir::open(folder.path(), Mode::ReadWrite).ok()?;
    let store = Store::open(&state).ok()?;
    Some((folder, store))
}

/// Adds entries from many callers; each of them is on the disk when its caller goes on.
fn append(store: &Arc<Store>, callers: usize, each: usize) -> usize {
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for caller in 0..callers {
            let (store, done) = (Arc::clone(store), &done);
            scope.spawn(move || {
                for number in 0..each {
                    if store.record(draft(caller * each + number), "bench", &key()).is_ok() {
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    done.into_inner()
}

fn appends(c: &mut Criterion) {
    let Some((_folder, store)) = store() else { return };
    let store = Arc::new(store);
    let mut group = c.benchmark_group("evidence/append");
    group.sample_size(10);
    for callers in [CALLERS, 256] {
        group.throughput(Throughput::Elements((callers * EACH) as u64));
        group.bench_function(format!("grouped-{callers}"), |b| {
            b.iter(|| assert_eq!(append(&store, callers, EACH), callers * EACH));
        });
    }
    group.throughput(Throughput::Elements(1));
    group.bench_function("alone", |b| b.iter(|| append(&store, 1, 1)));
    group.finish();
}

fn verifies(c: &mut Criterion) {
    let Some((_folder, store)) = store() else { return };
    let store = Arc::new(store);
    append(&store, 200, LONG / 200);
    let mut group = c.benchmark_group("evidence/verify");
    group.sample_size(10);
    group.throughput(Throughput::Elements(LONG as u64));
    group.bench_function("cold-100k", |b| {
        b.iter(|| {
            let verified = store.verify_evidence(&trust(), &[], None);
            assert!(verified.is_ok_and(|(report, _)| report.verdict == Verdict::Valid && report.entries > LONG as u64));
        });
    });
    let Ok((_, Some(prefix))) = store.verify_evidence(&trust(), &[], None) else {
        return;
    };
    let mut prefix = Some(prefix);
    group.throughput(Throughput::Elements(1));
    group.bench_function("one-more-after-100k", |b| {
        b.iter_batched(
            || append(&store, 1, 1),
            |_| {
                let verified = store.verify_evidence(&trust(), &[], prefix.take());
                prefix = verified.ok().and_then(|(_, prefix)| prefix);
                assert!(prefix.is_some());
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, appends, verifies);
criterion_main!(benches);
