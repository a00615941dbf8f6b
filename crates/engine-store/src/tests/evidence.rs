//! The chain in the database: many callers, failing changes, edits by hand, and what the user's directory remembers.

use std::sync::Arc;

use engine_evidence::{Draft, Entry, EntryType, Verdict};
use engine_signing::{SecretKey, Trust};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::{AuditFilter, Mode, Personal, StateDir, Store, StoreError, UserDir, UserDirError};

fn key() -> SecretKey {
    SecretKey::from_seed(&[1; 32])
}

fn trust() -> Trust {
    let mut trust = Trust::default();
    trust.pin(key().public(), "test");
    trust
}

fn draft(n: usize) -> Draft {
    Draft {
        id: format!("id-{n}"),
        timestamp: "2026-11-20T10:00:00.000Z".to_owned(),
        kind: if n.is_multiple_of(2) {
            EntryType::Scan
        } else {
            EntryType::Passport
        },
        actor: "engine".to_owned(),
        agent: (n % 3 == 1).then(|| "agent-1".to_owned()),
        payload: json!({"number": n}),
        artifacts: Vec::new(),
    }
}

fn store() -> (TempDir, StateDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path(), Mode::ReadWrite).unwrap();
    let store = Store::open(&state).unwrap();
    (folder, state, store)
}

fn verdict(store: &Store) -> (Verdict, Option<u64>) {
    let report = store.verify_evidence(&trust(), &[], None).unwrap().0;
    (report.verdict, report.broken_at)
}

#[test]
fn two_hundred_callers_at_once_lose_nothing_and_leave_one_valid_chain() {
    let (_folder, state, store) = store();
    let store = Arc::new(store);
    let callers: Vec<_> = (0..200)
        .map(|n| {
            let store = Arc::clone(&store);
            std::thread::spawn(move || {
                (0..5)
                    .map(|round| {
                        let added = store.record(draft(n * 10 + round), "chain", &key()).unwrap();
                        added.entries.last().unwrap().seq
                    })
                    .collect::<Vec<u64>>()
            })
        })
        .collect();
    let mut seqs: Vec<u64> = callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect();
    seqs.sort_unstable();
    assert_eq!(
        seqs,
        (1..=1_000).collect::<Vec<u64>>(),
        "each has its own place after the first entry"
    );
    assert_eq!(verdict(&store), (Verdict::Valid, None));
    drop(store);
    let store = Store::open(&state).unwrap();
    let report = store.verify_evidence(&trust(), &[], None).unwrap().0;
    assert_eq!(
        (report.verdict, report.entries),
        (Verdict::Valid, 1_001),
        "beyond entry 1,000 as well"
    );
}

#[test]
fn a_change_that_fails_takes_its_entry_with_it_and_nobody_elses() {
    let (_folder, _state, store) = store();
    store.record(draft(1), "chain", &key()).unwrap();
    let failed = store.record_with(draft(2), "chain", &key(), |connection| {
        connection.execute("INSERT INTO meta (key, value) VALUES ('left', 'behind')", [])?;
        Err::<(), _>(StoreError::Busy)
    });
    assert!(matches!(failed, Err(StoreError::Busy)));
    assert_eq!(store.meta_get("left").unwrap(), None);
    let too_large = Draft {
        payload: json!({"text": "x".repeat(engine_evidence::ENTRY_BYTES_MAX)}),
        ..draft(3)
    };
    let failed = store.record_with(too_large, "chain", &key(), |connection| {
        connection.execute("INSERT INTO meta (key, value) VALUES ('left', 'behind')", [])?;
        Ok(())
    });
    assert!(matches!(failed, Err(StoreError::Evidence(_))));
    assert_eq!(store.meta_get("left").unwrap(), None, "no change without its evidence");
    let kept = store.record_with(draft(4), "chain", &key(), |connection| {
        connection.execute("INSERT INTO meta (key, value) VALUES ('kept', 'yes')", [])?;
        Ok(())
    });
    assert_eq!(kept.unwrap().1.entries[0].seq, 2);
    assert_eq!(store.meta_get("kept").unwrap().as_deref(), Some("yes"));
    assert_eq!(verdict(&store), (Verdict::Valid, None));
}

/// A table that may not grow stands for a disk that is full: the database answers both with the same error.
#[test]
fn a_full_disk_is_told_and_the_chain_stays_valid() {
    let (_folder, _state, store) = store();
    for n in 0..5 {
        store.record(draft(n), "chain", &key()).unwrap();
    }
    let pages: i64 = store
        .writer()
        .unwrap()
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    store
        .writer()
        .unwrap()
        .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        .unwrap();
    let large = |n| Draft {
        payload: json!({"text": "x".repeat(100_000)}),
        ..draft(n)
    };
    let error = (10..20)
        .find_map(|n| store.record(large(n), "chain", &key()).err())
        .unwrap();
    assert!(matches!(error, StoreError::DiskFull), "{error:?}");
    assert!(error.to_string().contains("free some space"));
    assert_eq!(verdict(&store), (Verdict::Valid, None));
    store
        .writer()
        .unwrap()
        .query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(()))
        .unwrap();
    store.record(large(30), "chain", &key()).unwrap();
    assert_eq!(verdict(&store), (Verdict::Valid, None));
}

#[test]
fn edits_by_hand_in_the_database_are_noticed() {
    let edits: [(&str, Verdict, Option<u64>); 9] = [
        (
            "UPDATE evidence SET entry = replace(entry, '\"number\":4', '\"number\":5') WHERE seq = 4",
            Verdict::Tampered,
            Some(4),
        ),
        (
            "UPDATE evidence SET entry = replace(entry, '10:00:00', '09:00:00') WHERE seq = 2",
            Verdict::Tampered,
            Some(2),
        ),
        (
            "UPDATE evidence SET entry = '{}' WHERE seq = 3",
            Verdict::Corrupt,
            Some(3),
        ),
        ("DELETE FROM evidence WHERE seq = 0", Verdict::Missing, Some(0)),
        ("DELETE FROM evidence WHERE seq = 5", Verdict::Missing, Some(5)),
        ("DELETE FROM evidence WHERE seq >= 8", Verdict::Truncated, Some(8)),
        (
            "UPDATE evidence SET seq = -1 WHERE seq = 3; UPDATE evidence SET seq = 3 WHERE seq = 6; UPDATE evidence SET seq = 6 WHERE seq = -1",
            Verdict::Reordered,
            Some(3),
        ),
        ("DELETE FROM evidence_end", Verdict::Missing, Some(10)),
        (
            "UPDATE evidence_end SET head = replace(head, '10', '11')",
            Verdict::Tampered,
            None,
        ),
    ];
    for (edit, verdict, at) in edits {
        let (_folder, state, store) = store();
        for n in 1..10 {
            store.record(draft(n), "chain", &key()).unwrap();
        }
        drop(store);
        Connection::open(state.path().join("state.db"))
            .unwrap()
            .execute_batch(edit)
            .unwrap();
        let store = Store::open(&state).unwrap();
        let report = store.verify_evidence(&trust(), &[], None).unwrap().0;
        assert_eq!(report.verdict, verdict, "{edit}: {report:?}");
        if at.is_some() {
            assert_eq!(report.broken_at, at, "{edit}");
        }
    }
}

#[test]
fn verifying_after_one_entry_reads_one_entry() {
    let (_folder, _state, store) = store();
    for n in 0..50 {
        store.record(draft(n), "chain", &key()).unwrap();
    }
    let (report, prefix) = store.verify_evidence(&trust(), &[], None).unwrap();
    assert!(report.valid);
    store.record(draft(50), "chain", &key()).unwrap();
    let (again, _) = store.verify_evidence(&trust(), &[], prefix).unwrap();
    let (whole, _) = store.verify_evidence(&trust(), &[], None).unwrap();
    assert_eq!(again, whole);
    assert_eq!(again.entries, 52);
}

#[test]
fn the_audit_trail_is_filtered_and_paged_without_gaps() {
    let (_folder, state, store) = store();
    for n in 0..25 {
        store.record(draft(n), "chain", &key()).unwrap();
    }
    let mut filter = AuditFilter {
        limit: 4,
        ..AuditFilter::default()
    };
    let mut seen = Vec::new();
    loop {
        let page = store.audit(&filter).unwrap();
        assert!(page.lines.len() <= 4);
        seen.extend(page.lines.iter().map(|line| line.seq));
        filter.before = page.cursor;
        if page.cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, (0..26).rev().collect::<Vec<u64>>());
    let only = |filter: AuditFilter| -> Vec<Entry> {
        let page = store.audit(&AuditFilter { limit: 100, ..filter }).unwrap();
        page.lines.into_iter().filter_map(|line| line.entry).collect()
    };
    let agent = only(AuditFilter {
        agent: Some("agent-1".to_owned()),
        ..AuditFilter::default()
    });
    assert!(!agent.is_empty() && agent.iter().all(|entry| entry.agent.as_deref() == Some("agent-1")));
    let scans = only(AuditFilter {
        kind: Some("scan".to_owned()),
        ..AuditFilter::default()
    });
    assert_eq!(scans.len(), 13);
    let later = only(AuditFilter {
        since: Some("2026-11-20T10:00:01.000Z".to_owned()),
        ..AuditFilter::default()
    });
    assert!(later.is_empty());
    // What somebody made unreadable stands in its place, whatever is asked for.
    let raw = Connection::open(state.path().join("state.db")).unwrap();
    raw.execute("UPDATE evidence SET entry = '{}' WHERE seq IN (7, 9)", [])
        .unwrap();
    assert_eq!(store.first_unreadable().unwrap(), Some(7));
    let page = store
        .audit(&AuditFilter {
            kind: Some("scan".to_owned()),
            limit: 100,
            ..AuditFilter::default()
        })
        .unwrap();
    let unreadable: Vec<u64> = page
        .lines
        .iter()
        .filter(|line| line.entry.is_none())
        .map(|line| line.seq)
        .collect();
    assert_eq!(unreadable, [9, 7]);
}

#[test]
fn a_key_is_made_once_only_for_its_owner_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDir::new(&folder.path().join("data"));
    assert!(!user.path().exists(), "nothing is made before it is needed");
    let first = user.keys(None).unwrap();
    let again = UserDir::new(user.path()).keys(None).unwrap();
    assert_eq!(first.secret.public(), again.secret.public());
    let file = user.path().join("signing-key.pem");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(user.path())), (0o600, 0o700));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = user.keys(None).unwrap_err();
        assert!(matches!(error, UserDirError::Open { mode: 0o644, .. }), "{error}");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    std::fs::write(&file, "not a key").unwrap();
    assert!(matches!(user.keys(None), Err(UserDirError::Key { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), b"not a key", "what is there stays");
}

#[test]
fn a_key_of_the_environment_is_used_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let user = UserDir::new(&folder.path().join("data"));
    let keys = user.keys(Some(&key())).unwrap();
    assert_eq!(keys.secret.public(), key().public());
    assert!(keys.trust.get(&key().public().id()).is_some());
    assert!(!user.path().join("signing-key.pem").exists());
}

#[test]
fn a_rotation_leaves_old_evidence_valid_and_the_old_key_on_file() {
    let (project, _state, store) = store();
    let folder = tempfile::tempdir().unwrap();
    let user = UserDir::new(&folder.path().join("data"));
    let old = user.keys(None).unwrap();
    store.record(draft(1), "chain", &old.secret).unwrap();
    let (new, rotation) = user.rotate("2026-11-20T11:00:00.000Z", "a new laptop").unwrap();
    assert_ne!(new.secret.public(), old.secret.public());
    let entry = Draft {
        kind: EntryType::KeyRotation,
        payload: serde_json::to_value(&rotation).unwrap(),
        ..draft(2)
    };
    store.record(entry, "chain", &old.secret).unwrap();
    let added = store.record(draft(3), "chain", &new.secret).unwrap();
    user.remember(project.path(), &added.head).unwrap();
    let trust = UserDir::new(user.path()).keys(None).unwrap().trust;
    let seen = user.remembered(project.path()).unwrap();
    let report = store.verify_evidence(&trust, &seen, None).unwrap().0;
    assert_eq!((report.verdict, report.entries), (Verdict::Valid, 4), "{report:?}");
    let retired = user.path().join(format!("retired-{}.pem", old.secret.public().id()));
    assert!(retired.is_file());
}

#[test]
fn heads_are_remembered_per_project_and_never_go_back() {
    let (project, state, store) = store();
    let folder = tempfile::tempdir().unwrap();
    let user = UserDir::new(folder.path());
    let mut heads = Vec::new();
    for n in 0..100 {
        heads.push(store.record(draft(n), "chain", &key()).unwrap().head);
        user.remember(project.path(), heads.last().unwrap()).unwrap();
    }
    user.remember(project.path(), &heads[3]).unwrap();
    let seen = user.remembered(project.path()).unwrap();
    assert!(seen.len() <= 32, "{}", seen.len());
    assert_eq!(seen.iter().map(|head| head.size).max(), Some(101));
    assert!(seen.first().unwrap().size < 20, "the list reaches far back");
    assert!(
        user.remembered(folder.path()).unwrap().is_empty(),
        "another project has its own"
    );
    assert_eq!(
        store.verify_evidence(&trust(), &seen, None).unwrap().0.verdict,
        Verdict::Valid
    );
    drop(store);
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = std::fs::remove_file(state.path().join(name));
    }
    let store = Store::open(&state).unwrap();
    let report = store.verify_evidence(&trust(), &seen, None).unwrap().0;
    assert_eq!(
        (report.verdict, report.broken_at),
        (Verdict::Missing, Some(0)),
        "a deleted database is missed"
    );
}

#[test]
fn who_takes_the_remembered_heads_away_gains_no_first_use() {
    let (project, state, store) = store();
    let folder = tempfile::tempdir().unwrap();
    let user = UserDir::new(folder.path());
    for n in 0..60 {
        let head = store.record(draft(n), "chain", &key()).unwrap().head;
        user.remember(project.path(), &head).unwrap();
    }
    assert!(!user.heads_are_gone(project.path()).unwrap());
    std::fs::remove_dir_all(folder.path().join("heads")).unwrap();
    assert!(user.heads_are_gone(project.path()).unwrap());
    let seen = user.remembered(project.path()).unwrap();
    assert_eq!(seen.iter().map(|head| head.size).collect::<Vec<_>>(), [2]);
    // Another chain in its place, taken over by the key of this machine, and another key on the same chain.
    let other = SecretKey::from_seed(&[9; 32]);
    let mut replaced = Trust::default();
    replaced.pin(other.public(), "made on this machine");
    store.record(draft(60), "chain", &other).unwrap();
    let report = store.verify_evidence(&replaced, &seen, None).unwrap().0;
    assert_eq!((report.verdict, report.broken_at), (Verdict::ForeignKey, Some(0)));
    drop(store);
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = std::fs::remove_file(state.path().join(name));
    }
    let store = Store::open(&state).unwrap();
    for (n, key) in [(1, &other), (2, &other), (3, &key())] {
        store.record(draft(n), "another", key).unwrap();
    }
    let report = store.verify_evidence(&trust(), &seen, None).unwrap().0;
    assert_eq!((report.verdict, report.broken_at), (Verdict::Missing, Some(0)));
    // The next head is remembered again, and that others were lost stays known.
    let head = store.record(draft(4), "another", &key()).unwrap().head;
    user.remember(project.path(), &head).unwrap();
    assert!(user.heads_are_gone(project.path()).unwrap());
    user.forget(project.path()).unwrap();
    assert!(user.remembered(project.path()).unwrap().is_empty());
}

#[test]
fn personal_data_is_erased_for_good_and_the_chain_stays_valid() {
    let (_folder, state, store) = store();
    let keep = |value: &str, n| {
        let personal = Personal::new(value).unwrap();
        let digest = personal.digest().to_owned();
        let entry = Draft {
            payload: json!({"personal": [digest]}),
            ..draft(n)
        };
        store.keep_personal(personal, None, entry, "chain", &key()).unwrap();
        digest
    };
    let first = keep("Erika Mustermann-Quastenflosser", 1);
    let second = keep("Max Beispiel-Nasenbaer", 2);
    assert_ne!(
        first,
        keep("Erika Mustermann-Quastenflosser", 3),
        "no digest tells who is the same"
    );
    let on_disk = |text: &str| {
        std::fs::read_dir(state.path()).unwrap().flatten().any(|file| {
            let bytes = std::fs::read(file.path()).unwrap_or_default();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        })
    };
    assert!(on_disk("Max Beispiel-Nasenbaer"));

    let one = vec![second.clone()];
    let hold = |reason: Option<&str>, n| {
        store.hold_personal(one.clone(), reason.map(str::to_owned), draft(n), "chain", &key())
    };
    hold(Some("case 17"), 4).unwrap();
    let both = vec![first.clone(), second.clone()];
    let before = store.evidence_snapshot().unwrap().rows;
    let refused = store.erase_personal(both.clone(), draft(5), "chain", &key());
    assert!(matches!(refused, Err(StoreError::LegalHold { .. })), "{refused:?}");
    assert_eq!(store.personal().unwrap().len(), 3, "all or none");
    assert_eq!(
        store.evidence_snapshot().unwrap().rows,
        before,
        "and no entry says otherwise"
    );
    hold(None, 6).unwrap();
    store.erase_personal(both, draft(7), "chain", &key()).unwrap();
    assert_eq!(store.personal().unwrap().len(), 1);
    assert!(store.personal().unwrap()[0].fits);
    assert!(!on_disk("Max Beispiel-Nasenbaer"), "nor in the log or in free pages");
    let gone = store.erase_personal(vec![second], draft(8), "chain", &key());
    assert!(matches!(gone, Err(StoreError::NoPersonal { .. })), "{gone:?}");
    assert_eq!(verdict(&store), (Verdict::Valid, None));
}

#[test]
fn a_chain_is_read_in_pieces_as_it_is_kept() {
    let (_folder, _state, store) = store();
    assert_eq!(store.evidence_snapshot().unwrap(), crate::EvidenceSnapshot::default());
    for n in 0..3 {
        store.record(draft(n), "chain", &key()).unwrap();
    }
    let snapshot = store.evidence_snapshot().unwrap();
    store.record(draft(3), "chain", &key()).unwrap();
    let rows = store.evidence_rows(None, snapshot.last).unwrap();
    assert_eq!((snapshot.rows, rows.len()), (4, 4), "what came later is not in it");
    assert_eq!(
        snapshot.bytes,
        rows.iter().map(|(_, text)| text.len() as u64).sum::<u64>()
    );
    assert_eq!(store.evidence_rows(Some(rows[2].0), snapshot.last).unwrap().len(), 1);
}

#[test]
fn a_commit_of_somebody_else_is_noticed_and_an_own_one_is_none() {
    let (_folder, state, store) = store();
    store.record(draft(1), "chain", &key()).unwrap();
    let before = store.foreign_commits().unwrap();
    assert!(before.is_some());
    store.record(draft(2), "chain", &key()).unwrap();
    store.meta_set("own", "change").unwrap();
    assert_eq!(store.foreign_commits().unwrap(), before);
    Connection::open(state.path().join("state.db"))
        .unwrap()
        .execute_batch("DELETE FROM evidence WHERE seq = 1")
        .unwrap();
    assert_ne!(store.foreign_commits().unwrap(), before);
}

#[test]
fn tables_that_are_gone_are_damage() {
    for table in ["evidence", "evidence_end"] {
        let (_folder, state, store) = store();
        store.record(draft(1), "chain", &key()).unwrap();
        drop(store);
        Connection::open(state.path().join("state.db"))
            .unwrap()
            .execute_batch(&format!("DROP TABLE {table}"))
            .unwrap();
        let store = Store::open(&state).unwrap();
        let verified = store.verify_evidence(&trust(), &[], None);
        assert!(matches!(verified, Err(StoreError::Corrupt)), "{table}: {verified:?}");
    }
}
