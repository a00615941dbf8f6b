//! Files of a git folder with mutated bytes: the repository is refused or read, and nothing panics or hangs.

use std::fs;
use std::time::{Duration, Instant};

use super::repository;
use crate::Revision;

/// Seconds for the loop; `MUTATION_SECONDS` sets another number.
fn seconds() -> Duration {
    #[expect(clippy::disallowed_methods, reason = "a test that can be given more time")]
    let given = std::env::var("MUTATION_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(given.unwrap_or(60))
}

#[test]
#[ignore = "slow: mutated inputs for some time"]
fn mutated_repositories_are_read_or_refused() {
    let dir = repository();
    super::git(dir.path(), &["pack-refs", "--all"]);
    let root = dir.path().canonicalize().expect("a path");
    let git = root.join(".git");
    let mut files = Vec::new();
    let mut folders = vec![git];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().contains("hooks") {
                files.push(path);
            }
        }
    }
    files.sort();
    let (started, mut number, mut count) = (Instant::now(), 7_u64, 0_usize);
    let mut below = |most: usize| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(number >> 33).expect("a number") % most.max(1)
    };
    while started.elapsed() < seconds() {
        let path = &files[below(files.len())];
        let whole = fs::read(path).expect("a file");
        let mut bytes = whole.clone();
        for _ in 0..=below(6) {
            let at = below(bytes.len());
            match below(4) {
                0 if !bytes.is_empty() => bytes[at] = u8::try_from(below(256)).expect("a byte"),
                1 => bytes.truncate(at),
                2 => bytes.extend(std::iter::repeat_n(
                    u8::try_from(below(256)).expect("a byte"),
                    below(5_000),
                )),
                _ => bytes
                    .splice(at..at, b"ref: refs/heads/main\n[core]\n\tworktree=..\n".iter().copied())
                    .for_each(drop),
            }
        }
        // Objects are written without leave to change them.
        fs::remove_file(path).expect("gone");
        fs::write(path, &bytes).expect("a file");
        for spec in ["HEAD", "v1", "main~1"] {
            if let Ok(revision) = Revision::open(&root, spec) {
                let reader = revision.reader();
                for path in revision.paths().take(50) {
                    let _ = reader.read(path, 1 << 20);
                }
                let _ = revision.same_in_index(&root);
            }
        }
        let _ = Revision::names(&root);
        fs::remove_file(path).expect("gone");
        fs::write(path, &whole).expect("a file");
        count += 1;
    }
    println!("repositories: {count} inputs");
    assert!(
        count > 50 && Revision::open(&root, "HEAD").is_ok(),
        "put back as it was"
    );
}
