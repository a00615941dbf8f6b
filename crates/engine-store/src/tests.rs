//! What holds for every state directory, on real folders.

mod evals;
mod evidence;
mod files;
mod shares;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use engine_model::{Applicability, CacheStats, Inventory, ScanResult, Score, Summary};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::database::MIGRATIONS;
use crate::*;

fn project() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn writable(project: &TempDir) -> StateDir {
    StateDir::open(project.path(), Mode::ReadWrite).unwrap()
}

fn store(project: &TempDir) -> Store {
    Store::open(&writable(project)).unwrap()
}

pub(crate) fn scan(id: &str, compliance: f64) -> ScanResult {
    ScanResult {
        id: id.to_owned(),
        project_path: "/p".to_owned(),
        scanned_at: "2026-01-02T03:04:05Z".to_owned(),
        as_of: engine_model::Date::constant(2026, 8, 2),
        score: Score {
            compliance,
            security: None,
            readiness: 12.345_678_901_234_5,
            grade: Some("B".to_owned()),
            coverage: 100.0 / 3.0,
            assessed: true,
            evaluated: 1,
            applicable: 3,
            formula: "share".to_owned(),
            breakdown: Vec::new(),
            caps: Vec::new(),
            total_score: compliance,
            zone: "yellow".to_owned(),
            category_scores: Vec::new(),
            critical_cap_applied: false,
            total_checks: 0,
            passed_checks: 0,
            failed_checks: 0,
            skipped_checks: 0,
        },
        frameworks: BTreeMap::new(),
        applicability: Applicability::SystemsFound,
        applicability_reason: "one system was observed".to_owned(),
        systems: Vec::new(),
        obligations: Vec::new(),
        findings: Vec::new(),
        findings_total: 7,
        agents: Vec::new(),
        layers: BTreeMap::new(),
        layer_details: BTreeMap::new(),
        inventory: Inventory::default(),
        documents: Vec::new(),
        summary: Summary::default(),
        upcoming: Vec::new(),
        actions: Vec::new(),
        elapsed: 0.1 + 0.2,
        duration: 7,
        files_scanned: 3,
        bytes_scanned: 4,
        files_skipped: Vec::new(),
        files_skipped_total: 0,
        languages: BTreeMap::new(),
        regulation_version: "2024/1689".to_owned(),
        engine_version: "0.1.0".to_owned(),
        disclaimer: "self-assessed".to_owned(),
        cache: CacheStats::default(),
        suppressions: Vec::new(),
        baseline: None,
        gate: None,
        profile: engine_model::ProfileRecord::default(),
        tools: Vec::new(),
        external_tool_results: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Names of all entries below a folder.
fn entries(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            }
        }
    }
    found
}

#[cfg(unix)]
fn mode_of(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn the_state_directory_ignores_its_private_parts_and_keeps_what_a_person_reads() {
    let project = project();
    let state = writable(&project);
    let text = fs::read_to_string(state.path().join(".gitignore")).unwrap();
    let rules: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        rules,
        [
            "*.db",
            "*.db-*",
            "*.db.*",
            ".env",
            ".env.*",
            ".tmp-*",
            "/lock",
            "/tmp/",
            "/cache/",
            "/private/"
        ]
    );
    let git = |arguments: &[&str]| {
        std::process::Command::new("git")
            .arg("-C")
            .arg(project.path())
            .args(arguments)
            .output()
            .ok()
    };
    // Where git is at hand, it is asked itself.
    if git(&["init", "-q"]).is_some_and(|output| output.status.success()) {
        let ignored = |path: &str| git(&["check-ignore", "-q", path]).unwrap().status.success();
        for path in [
            "state.db",
            "state.db-wal",
            "state.db-shm",
            ".env",
            "lock",
            "tmp/x",
            "cache/x",
            "private/key.json",
        ] {
            assert!(ignored(&format!(".compliance/{path}")), "{path}");
        }
        for path in [
            "passports/a.json",
            "documents/a.md",
            "reports/a.pdf",
            "suppressions.toml",
            "baseline.json",
            "config.toml",
        ] {
            assert!(!ignored(&format!(".compliance/{path}")), "{path}");
        }
    }
}

#[test]
fn edits_of_the_ignore_file_stay() {
    let project = project();
    let path = writable(&project).path().join(".gitignore");
    fs::write(&path, "mine\n").unwrap();
    writable(&project);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
}

#[cfg(unix)]
#[test]
fn a_link_or_a_file_in_the_place_of_the_state_directory_is_refused() {
    let (one, two, elsewhere) = (project(), project(), project());
    std::os::unix::fs::symlink(elsewhere.path(), one.path().join(".compliance")).unwrap();
    fs::write(two.path().join(".compliance"), "x").unwrap();
    for mode in [Mode::ReadWrite, Mode::ReadOnly] {
        assert!(matches!(
            StateDir::open(one.path(), mode),
            Err(OpenStateError::SymbolicLink { .. })
        ));
        assert!(matches!(
            StateDir::open(two.path(), mode),
            Err(OpenStateError::NotAFolder { .. })
        ));
        assert!(matches!(
            StateDir::open(&two.path().join(".compliance"), mode),
            Err(OpenStateError::NoProject { .. })
        ));
    }
    assert!(entries(elsewhere.path()).is_empty());
    assert_eq!(fs::read(two.path().join(".compliance")).unwrap(), b"x");
}

#[test]
fn a_file_is_written_as_a_whole_and_read_back() {
    let project = project();
    let state = writable(&project);
    assert_eq!(state.read("passports/a.json").unwrap(), None);
    state.write_atomic("passports/a.json", b"one").unwrap();
    state.write_atomic("passports/a.json", b"two").unwrap();
    state.write_atomic("passports/b.json", b"").unwrap();
    assert_eq!(state.read("passports/a.json").unwrap().unwrap(), b"two");
    assert_eq!(state.list("passports").unwrap(), ["a.json", "b.json"]);
    assert!(state.remove("passports/b.json").unwrap());
    assert!(!state.remove("passports/b.json").unwrap());
    assert_eq!(state.list("nothing").unwrap(), [""; 0]);
    let expected = [
        ".compliance",
        ".compliance/.gitignore",
        ".compliance/passports",
        ".compliance/passports/a.json",
    ];
    assert_eq!(entries(project.path()), expected.map(str::to_owned).into());
}

#[test]
fn a_path_that_leaves_the_state_directory_is_refused() {
    let project = project();
    let state = writable(&project);
    for path in [
        "../x",
        "a/../../x",
        "/etc/x",
        "",
        "a//b",
        "./a",
        "a\\b",
        "c:x",
        "a/",
        "a\0b",
    ] {
        assert!(
            matches!(state.write_atomic(path, b"x"), Err(StateFileError::BadPath { .. })),
            "{path}"
        );
        assert!(
            matches!(state.read(path), Err(StateFileError::BadPath { .. })),
            "{path}"
        );
    }
    for path in ["state.db", "state.db-wal", "lock", "passports/.tmp-x"] {
        assert!(
            matches!(state.write_atomic(path, b"x"), Err(StateFileError::Reserved { .. })),
            "{path}"
        );
        assert!(
            matches!(state.remove(path), Err(StateFileError::Reserved { .. })),
            "{path}"
        );
    }
    state.write_atomic("a", b"x").unwrap();
    assert!(matches!(
        state.write_atomic("a/b", b"x"),
        Err(StateFileError::WrongKind { .. })
    ));
    state.write_atomic("d/e", b"x").unwrap();
    assert!(matches!(
        state.write_atomic("d", b"x"),
        Err(StateFileError::WrongKind { .. })
    ));
    assert_eq!(entries(project.path()).len(), 5);
}

#[cfg(unix)]
#[test]
fn links_inside_the_state_directory_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (project, elsewhere) = (project(), project());
    let state = writable(&project);
    fs::write(elsewhere.path().join("victim"), "v").unwrap();
    symlink(elsewhere.path(), state.path().join("documents")).unwrap();
    symlink(elsewhere.path().join("victim"), state.path().join("config.toml")).unwrap();
    for path in ["documents/x.md", "config.toml"] {
        assert!(
            matches!(state.write_atomic(path, b"x"), Err(StateFileError::SymbolicLink { .. })),
            "{path}"
        );
        assert!(
            matches!(state.read(path), Err(StateFileError::SymbolicLink { .. })),
            "{path}"
        );
    }
    symlink(elsewhere.path().join("victim"), state.path().join("lock")).unwrap();
    assert!(matches!(state.lock(None), Err(LockError::Io { .. })));
    for name in ["state.db", "state.db-wal"] {
        let link = state.path().join(name);
        symlink(elsewhere.path().join("victim"), &link).unwrap();
        assert!(
            matches!(Store::open(&state), Err(OpenStoreError::NotAFile { .. })),
            "{name}"
        );
        fs::remove_file(link).unwrap();
    }
    assert_eq!(fs::read(elsewhere.path().join("victim")).unwrap(), b"v");
    assert_eq!(entries(elsewhere.path()).len(), 1);
}

#[cfg(unix)]
#[test]
fn private_files_can_be_read_by_their_owner_only() {
    let project = project();
    let state = writable(&project);
    let store = Store::open(&state).unwrap();
    store.meta_set("a", "b").unwrap();
    let _lock = state.lock(None).unwrap();
    for path in ["private/key.json", "cache/x", ".env"] {
        state.write_atomic(path, b"x").unwrap();
        assert_eq!(mode_of(&state.path().join(path)), 0o600, "{path}");
    }
    for path in ["state.db", "state.db-wal", "lock"] {
        assert_eq!(mode_of(&state.path().join(path)), 0o600, "{path}");
    }
    // The index of the log is in memory: as a file, whoever empties it would end the process.
    assert!(!state.path().join("state.db-shm").exists());
    assert_eq!(mode_of(&state.path().join("private")), 0o700);
    state.write_atomic("documents/a.md", b"x").unwrap();
    // What others may read depends on the mask of the user; that they may not write does not.
    assert_eq!(mode_of(&state.path().join("documents/a.md")) & !0o044, 0o600);
    assert_eq!(mode_of(state.path()) & !0o055, 0o700);
}

#[test]
fn what_a_killed_writer_left_behind_is_passed_over_and_cleaned_once_it_is_old() {
    let project = project();
    let state = writable(&project);
    state.write_atomic("passports/a.json", b"whole").unwrap();
    let (old, young) = (
        state.path().join("passports/.tmp-old"),
        state.path().join("passports/.tmp-young"),
    );
    fs::write(&old, "ha").unwrap();
    fs::write(&young, "ha").unwrap();
    let long_ago = SystemTime::now() - Duration::from_hours(2);
    fs::File::options()
        .write(true)
        .open(&old)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    assert_eq!(state.list("passports").unwrap(), ["a.json"]);
    let state = writable(&project);
    assert!(!old.exists() && young.exists());
    assert_eq!(state.read("passports/a.json").unwrap().unwrap(), b"whole");
}

#[test]
fn a_second_daemon_learns_the_process_and_the_port_of_the_first() {
    let project = project();
    let state = writable(&project);
    assert_eq!(state.holder().unwrap(), None);
    let mut lock = state.lock(None).unwrap();
    lock.publish(Some(3578)).unwrap();
    let error = writable(&project).lock(Some(1)).unwrap_err();
    let holder = Holder {
        pid: Some(std::process::id()),
        port: Some(3578),
    };
    assert!(matches!(&error, LockError::Held { holder: found, .. } if *found == holder));
    let message = error.to_string();
    assert!(
        message.contains(&format!("process {}", std::process::id())),
        "{message}"
    );
    assert!(message.contains("port 3578"), "{message}");
    assert_eq!(state.holder().unwrap(), Some(holder));
    // A scan beside the daemon needs no lock.
    Store::open(&state).unwrap().save_scan(&scan("beside", 1.0)).unwrap();
    drop(lock);
    assert_eq!(state.holder().unwrap(), None);
    drop(state.lock(Some(9)).unwrap());
}

#[test]
fn a_lock_file_of_a_process_that_is_gone_holds_nobody_up() {
    let project = project();
    let state = writable(&project);
    fs::write(state.path().join("lock"), "pid 1\nport 1\n").unwrap();
    let _lock = state.lock(Some(2)).unwrap();
    assert_eq!(state.holder().unwrap().unwrap().port, Some(2));
}

#[test]
fn scans_and_notes_survive_a_restart_to_the_last_digit() {
    let project = project();
    let (first, second) = (scan("one", 61.1), scan("two", 100.0 / 7.0));
    {
        let store = store(&project);
        assert_eq!(store.last_scan().unwrap(), None);
        store.save_scan(&first).unwrap();
        store.save_scan(&second).unwrap();
        store.meta_set("profile", "a").unwrap();
        store.meta_set("profile", "b").unwrap();
    }
    let store = store(&project);
    assert_eq!(store.last_scan().unwrap().unwrap(), second);
    assert_eq!(store.scan("one").unwrap().unwrap(), first);
    assert_eq!(store.scan("three").unwrap(), None);
    assert_eq!(store.meta_get("profile").unwrap().as_deref(), Some("b"));
    assert_eq!(store.meta_get("none").unwrap(), None);
    let history = store.history(10, None).unwrap();
    assert_eq!(
        history.iter().map(|line| line.id.as_str()).collect::<Vec<_>>(),
        ["two", "one"]
    );
    let line = store.summary("one").unwrap().unwrap();
    assert_eq!((line.findings, line.agents, line.score), (7, 0, 61.1));
    assert_eq!(
        (line.as_of, line.applicability, line.has_result),
        (first.as_of, first.applicability, true)
    );
    assert!(matches!(store.save_scan(&first), Err(StoreError::DuplicateScan { id }) if id == "one"));
    assert_eq!(store.history(10, None).unwrap().len(), 2);
}

#[test]
fn every_applicability_comes_back() {
    let project = project();
    let store = store(&project);
    for applicability in [
        Applicability::NoAiFound,
        Applicability::Library,
        Applicability::SystemsFound,
        Applicability::Undetermined,
    ] {
        let id = format!("{applicability:?}");
        store
            .save_scan(&ScanResult {
                applicability,
                ..scan(&id, 1.0)
            })
            .unwrap();
        assert_eq!(store.summary(&id).unwrap().unwrap().applicability, applicability);
    }
}

#[test]
fn old_scans_keep_their_summary_only_and_the_history_is_read_in_pages() {
    let project = project();
    let store = store(&project);
    let kept = FULL_RESULTS_MAX;
    for index in 0..kept + 3 {
        store
            .save_scan(&scan(&format!("s{index}"), f64::from(index % 100)))
            .unwrap();
    }
    assert!(matches!(store.scan("s2"), Err(StoreError::ResultDropped { id }) if id == "s2"));
    assert!(store.scan("s3").unwrap().is_some());
    assert!(!store.summary("s2").unwrap().unwrap().has_result);
    let inventories: i64 = Connection::open(project.path().join(".compliance/state.db"))
        .unwrap()
        .query_row("SELECT count(*) FROM inventories", [], |row| row.get(0))
        .unwrap();
    assert_eq!(
        inventories, 2,
        "one inventory and one list of obligations for all scans that saw the same"
    );
    let mut all = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.history(50, cursor).unwrap();
        let Some(last) = page.last() else { break };
        cursor = Some(last.seq);
        all.extend(page.into_iter().map(|line| line.id));
    }
    let expected: Vec<_> = (0..kept + 3).rev().map(|index| format!("s{index}")).collect();
    assert_eq!(all, expected);
}

#[test]
fn a_write_that_was_cut_off_leaves_the_state_before_it() {
    let project = project();
    let state = writable(&project);
    let store = Store::open(&state).unwrap();
    store.save_scan(&scan("whole", 1.0)).unwrap();
    let mut other = Connection::open(state.path().join("state.db")).unwrap();
    other.pragma_update(None, "cache_size", 1).unwrap();
    let transaction = other.transaction().unwrap();
    transaction
        .execute("INSERT INTO meta VALUES ('torn', hex(zeroblob(2000000)))", [])
        .unwrap();
    // The files as they are in the middle of the transaction are what a killed process leaves.
    let after = self::project();
    let copy = after.path().join(".compliance");
    fs::create_dir(&copy).unwrap();
    for name in ["state.db", "state.db-wal"] {
        fs::copy(state.path().join(name), copy.join(name)).unwrap();
    }
    assert!(
        fs::metadata(copy.join("state.db-wal")).unwrap().len() > 100_000,
        "the torn write had reached the disk"
    );
    drop(transaction);
    let restarted = self::store(&after);
    assert_eq!(restarted.last_scan().unwrap().unwrap().id, "whole");
    assert_eq!(restarted.meta_get("torn").unwrap(), None);
    restarted.meta_set("torn", "mended").unwrap();
}

#[test]
fn a_log_that_was_torn_loses_at_most_its_last_write() {
    let project = project();
    let state = writable(&project);
    let store = Store::open(&state).unwrap();
    store.save_scan(&scan("one", 1.0)).unwrap();
    let whole = fs::metadata(state.path().join("state.db-wal")).unwrap().len();
    store.save_scan(&scan("two", 1.0)).unwrap();
    let after = self::project();
    let copy = after.path().join(".compliance");
    fs::create_dir(&copy).unwrap();
    fs::copy(state.path().join("state.db"), copy.join("state.db")).unwrap();
    let log = fs::read(state.path().join("state.db-wal")).unwrap();
    fs::write(
        copy.join("state.db-wal"),
        &log[..usize::try_from(whole).unwrap() + 1000],
    )
    .unwrap();
    assert_eq!(self::store(&after).last_scan().unwrap().unwrap().id, "one");
}

#[test]
fn migrations_lead_from_every_version_to_the_newest_and_are_taken_once() {
    let newest = i64::try_from(MIGRATIONS.len()).unwrap();
    for start in 0..=MIGRATIONS.len() {
        let project = project();
        let state = writable(&project);
        let old = Connection::open(state.path().join("state.db")).unwrap();
        for step in &MIGRATIONS[..start] {
            old.execute_batch(step).unwrap();
        }
        old.pragma_update(None, "user_version", i64::try_from(start).unwrap())
            .unwrap();
        drop(old);
        for id in ["a", "b"] {
            Store::open(&state).unwrap().save_scan(&scan(id, 1.0)).unwrap();
        }
        let look = Connection::open(state.path().join("state.db")).unwrap();
        let pragma = |name: &str| {
            look.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        assert_eq!(pragma("user_version"), newest);
        assert_eq!(
            look.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0))
                .unwrap(),
            "wal"
        );
        assert_eq!(Store::open(&state).unwrap().history(10, None).unwrap().len(), 2);
    }
}

#[test]
fn the_writer_is_set_to_last() {
    let project = project();
    let store = store(&project);
    let writer = store.writer().unwrap();
    let pragma = |name: &str| {
        writer
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(
        (pragma("synchronous"), pragma("foreign_keys"), pragma("busy_timeout")),
        (2, 1, 5000)
    );
}

#[test]
fn the_database_of_a_newer_engine_is_refused_and_not_touched() {
    let project = project();
    let state = writable(&project);
    let path = state.path().join("state.db");
    let newer = Connection::open(&path).unwrap();
    newer
        .execute_batch("PRAGMA user_version = 99; CREATE TABLE future (x);")
        .unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    let names = entries(project.path());
    let error = Store::open(&state).unwrap_err();
    assert!(matches!(error, OpenStoreError::Newer { found: 99, .. }));
    assert!(error.to_string().contains("update the engine"));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(entries(project.path()), names);
}

#[test]
fn the_version_of_a_newer_engine_is_seen_in_the_log_too() {
    let project = project();
    let state = writable(&project);
    let path = state.path().join("state.db");
    Store::open(&state).unwrap();
    // Copied while it is open, the version stands in the log only.
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    let after = self::project();
    let copy = after.path().join(".compliance");
    fs::create_dir(&copy).unwrap();
    for name in ["state.db", "state.db-wal"] {
        fs::copy(state.path().join(name), copy.join(name)).unwrap();
    }
    let files = || ["state.db", "state.db-wal"].map(|name| fs::read(copy.join(name)).unwrap());
    let before = files();
    assert!(matches!(
        Store::open(&writable(&after)),
        Err(OpenStoreError::Newer { found: 99, .. })
    ));
    assert!(files() == before, "neither the file nor its log has changed");
}

#[test]
fn a_damaged_database_is_refused_and_left_as_it_is() {
    let sound = {
        let project = project();
        let store = store(&project);
        store.save_scan(&scan("a", 1.0)).unwrap();
        drop(store);
        fs::read(project.path().join(".compliance/state.db")).unwrap()
    };
    let mut header = sound.clone();
    header[100..4096].fill(0xAA);
    let damages: [(&str, Vec<u8>); 4] = [
        (
            "text",
            b"this is not a database, it is a letter to whom it may concern".repeat(10),
        ),
        ("short", b"SQLite format 3\0".to_vec()),
        ("cut", sound[..5000].to_vec()),
        ("scribbled", header),
    ];
    for (name, bytes) in damages {
        let project = project();
        let state = writable(&project);
        let path = state.path().join("state.db");
        fs::write(&path, &bytes).unwrap();
        let error = Store::open(&state).unwrap_err();
        assert!(matches!(error, OpenStoreError::Corrupt { .. }), "{name}: {error:?}");
        assert!(error.to_string().contains("move it away"));
        assert!(fs::read(&path).unwrap() == bytes, "{name}: left as it was");
    }
}

#[test]
fn reads_do_not_wait_for_a_write() {
    let project = project();
    let state = writable(&project);
    let store = Store::open(&state).unwrap();
    store.save_scan(&scan("first", 1.0)).unwrap();
    // A write that has begun and not ended, held by this very thread.
    let mut writer = store.writer().unwrap();
    let transaction = writer
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    transaction.execute("INSERT INTO meta VALUES ('k', 'v')", []).unwrap();
    assert_eq!(store.last_scan().unwrap().unwrap().id, "first");
    assert_eq!(store.meta_get("k").unwrap(), None);
    transaction.commit().unwrap();
    assert_eq!(store.meta_get("k").unwrap().as_deref(), Some("v"));
}

#[test]
fn threads_and_processes_write_and_read_side_by_side() {
    let project = project();
    let state = writable(&project);
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let state = &state;
            // A store of its own stands for another process; opening races on purpose.
            scope.spawn(move || {
                let store = Store::open(state).unwrap();
                for index in 0..5 {
                    store.save_scan(&scan(&format!("{writer}-{index}"), 1.0)).unwrap();
                    let last = store.last_scan().unwrap().unwrap();
                    assert!(last.id.contains('-'));
                }
            });
        }
    });
    let store = Store::open(&state).unwrap();
    let ids: BTreeSet<_> = store
        .history(100, None)
        .unwrap()
        .into_iter()
        .map(|line| line.id)
        .collect();
    assert_eq!(ids.len(), 15);
    let shared: fn(&Store) -> &(dyn Send + Sync) = |store| store;
    shared(&store);
}

#[test]
fn read_only_mode_reads_and_changes_nothing() {
    let project = project();
    let read_only = || StateDir::open(project.path(), Mode::ReadOnly).unwrap();
    let empty = Store::open(&read_only()).unwrap();
    assert_eq!(empty.last_scan().unwrap(), None);
    assert_eq!(empty.history(5, None).unwrap(), []);
    assert!(entries(project.path()).is_empty());

    let daemon = store(&project);
    daemon.save_scan(&scan("a", 1.0)).unwrap();
    // Also what another process has written since is seen.
    assert_eq!(empty.last_scan().unwrap().unwrap().id, "a");
    drop(daemon);

    let before = entries(project.path());
    let bytes = fs::read(project.path().join(".compliance/state.db")).unwrap();
    let state = read_only();
    let reader = Store::open(&state).unwrap();
    assert_eq!(reader.last_scan().unwrap().unwrap().id, "a");
    assert!(matches!(reader.save_scan(&scan("b", 1.0)), Err(StoreError::ReadOnly)));
    assert!(matches!(reader.meta_set("a", "b"), Err(StoreError::ReadOnly)));
    assert!(matches!(state.write_atomic("a", b"b"), Err(StateFileError::ReadOnly)));
    assert!(matches!(state.remove("a"), Err(StateFileError::ReadOnly)));
    assert!(matches!(state.lock(None), Err(LockError::ReadOnly)));
    assert_eq!(entries(project.path()), before);
    assert!(fs::read(project.path().join(".compliance/state.db")).unwrap() == bytes);
}

#[test]
fn a_path_with_odd_characters_works_in_both_modes() {
    let project = project();
    let odd = project.path().join("a b?c#d%20é");
    fs::create_dir(&odd).unwrap();
    Store::open(&StateDir::open(&odd, Mode::ReadWrite).unwrap())
        .unwrap()
        .save_scan(&scan("a", 1.0))
        .unwrap();
    let reader = Store::open(&StateDir::open(&odd, Mode::ReadOnly).unwrap()).unwrap();
    assert_eq!(reader.last_scan().unwrap().unwrap().id, "a");
    assert_eq!(entries(project.path()).len(), 4);
}

#[test]
fn nothing_is_created_outside_the_state_directory() {
    let project = project();
    let state = writable(&project);
    let _lock = state.lock(Some(1)).unwrap();
    let store = Store::open(&state).unwrap();
    store.save_scan(&scan("a", 1.0)).unwrap();
    state.write_atomic("documents/a.md", b"x").unwrap();
    assert!(
        entries(project.path())
            .iter()
            .all(|name| name.starts_with(".compliance"))
    );
    assert_eq!(fs::read_dir(project.path()).unwrap().count(), 1);
}

fn row(path: &str, facts: &[u8]) -> FactRow {
    FactRow {
        path: path.to_owned(),
        facts: facts.to_vec(),
    }
}

#[test]
fn facts_are_remembered_for_the_rules_that_made_them() {
    let project = tempfile::tempdir().unwrap();
    let state = StateDir::open(project.path(), Mode::ReadWrite).unwrap();
    let store = Store::open(&state).unwrap();
    store
        .save_facts(&[1; 32], &[row("b.py", b"{}"), row("a.py", b"[1]")], &[])
        .unwrap();
    store
        .save_facts(&[1; 32], &[row("b.py", b"[2]")], &["gone.py".to_owned()])
        .unwrap();
    assert_eq!(
        store.facts(&[1; 32]).unwrap(),
        [row("a.py", b"[1]"), row("b.py", b"[2]")]
    );
    assert!(
        store.facts(&[2; 32]).unwrap().is_empty(),
        "other rules make other facts"
    );
    store.save_facts(&[1; 32], &[], &["a.py".to_owned()]).unwrap();
    assert_eq!(store.facts(&[1; 32]).unwrap(), [row("b.py", b"[2]")]);
}

#[test]
fn damaged_and_foreign_facts_are_passed_over() {
    let project = tempfile::tempdir().unwrap();
    let state = StateDir::open(project.path(), Mode::ReadWrite).unwrap();
    let store = Store::open(&state).unwrap();
    let rows = [row("a.py", b"[1]"), row("b.py", b"[2]"), row("c.py", b"[3]")];
    store.save_facts(&[1; 32], &rows, &[]).unwrap();
    drop(store);
    let database = state.path().join("state.db");
    let connection = Connection::open(&database).unwrap();
    connection
        .execute_batch(
            "UPDATE facts SET facts = x'5b395d' WHERE path = 'a.py'; \
             UPDATE facts SET path = 'other.py' WHERE path = 'b.py';",
        )
        .unwrap();
    drop(connection);
    let store = Store::open(&state).unwrap();
    assert_eq!(store.facts(&[1; 32]).unwrap(), [row("c.py", b"[3]")]);
    drop(store);
    // A state that came with somebody else's copy of the project must not hide what is in it.
    let copy = tempfile::tempdir().unwrap();
    let copied = StateDir::open(copy.path(), Mode::ReadWrite).unwrap();
    fs::copy(&database, copied.path().join("state.db")).unwrap();
    assert!(Store::open(&copied).unwrap().facts(&[1; 32]).unwrap().is_empty());
}
