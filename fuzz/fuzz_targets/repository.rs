//! Opens a repository of which one file is foreign, and reads what its revision names.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use engine_git::Revision;
use libfuzzer_sys::fuzz_target;

/// Files of a git folder; the first byte selects one, `A` the first.
const FILES: [&str; 9] = [
    "HEAD",
    "config",
    "index",
    "packed-refs",
    "shallow",
    "refs/heads/main",
    "objects/9d/aeafb9864cf43055ae93beb0afd6c7d144bfa4",
    "commondir",
    "objects/info/commit-graph",
];

/// A repository without a commit.
static REPOSITORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let top = std::env::temp_dir().join(format!("fuzz-repository-{}", std::process::id()));
    for folder in ["refs/heads", "objects/info", "objects/pack", "objects/9d"] {
        fs::create_dir_all(top.join(".git").join(folder)).expect("a folder");
    }
    top.canonicalize().expect("a path")
});

fuzz_target!(|data: &[u8]| {
    let Some((first, content)) = data.split_first() else {
        return;
    };
    let git = REPOSITORY.join(".git");
    for name in FILES {
        let _ = fs::remove_file(git.join(name));
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    fs::write(
        git.join("config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    )
    .expect("a file");
    fs::write(
        git.join("refs/heads/main"),
        "9daeafb9864cf43055ae93beb0afd6c7d144bfa4\n",
    )
    .expect("a file");
    let name = FILES[usize::from(first.wrapping_sub(b'A')) % FILES.len()];
    fs::write(git.join(name), content).expect("a file");
    if let Ok(revision) = Revision::open(&REPOSITORY, "HEAD") {
        let reader = revision.reader();
        for path in revision.paths().take(100) {
            let _ = reader.read(path, 1 << 20);
        }
        let _ = revision.same_in_index(&REPOSITORY);
    }
    let _ = Revision::names(&REPOSITORY);
});
