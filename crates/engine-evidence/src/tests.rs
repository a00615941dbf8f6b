//! Chains that are changed in every way that someone could gain from, and the verdicts on them.

use engine_signing::{Digest, Domain, Rotation, SecretKey, Trust, canonical};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32])
}

fn draft(n: usize) -> Draft {
    Draft {
        id: format!("id-{n}"),
        timestamp: format!("2026-11-20T10:{:02}:{:02}.000Z", n / 60 % 60, n % 60),
        kind: if n.is_multiple_of(3) {
            EntryType::Scan
        } else {
            EntryType::Passport
        },
        actor: "engine".to_owned(),
        agent: n.is_multiple_of(2).then(|| format!("agent-{}", n % 5)),
        payload: json!({"number": n, "nested": {"list": [1, "two", null]}}),
        artifacts: vec![Artifact {
            path: format!(".compliance/passports/a{n}.json"),
            blake3: Digest::of(&n.to_be_bytes()),
        }],
    }
}

/// A kept chain: its rows, its head, and what is remembered of it.
#[derive(Clone)]
struct Kept {
    rows: Vec<Row>,
    head: Option<String>,
    remembered: Vec<Remembered>,
    trust: Trust,
}

impl Kept {
    fn new(entries: usize) -> Self {
        let (mut chain, first) = Chain::begin("test-chain", "id", "2026-11-20T09:00:00.000Z", &key(1)).unwrap();
        let mut trust = Trust::default();
        trust.pin(key(1).public(), "this machine");
        let mut kept = Self {
            rows: vec![row(&first)],
            head: None,
            remembered: Vec::new(),
            trust,
        };
        kept.grow(&mut chain, 1..entries, &key(1));
        kept
    }

    fn chain(&self) -> Chain {
        let mut tree = engine_signing::Tree::new();
        let mut last = None;
        for row in &self.rows {
            let entry = Entry::read(&row.text).unwrap();
            tree.push(entry.hash.as_bytes());
            last = Some(entry);
        }
        let last = last.unwrap();
        Chain::resume(&ChainState {
            chain: "test-chain".to_owned(),
            size: tree.size(),
            peaks: tree.peaks().iter().map(|peak| Digest::from_bytes(*peak)).collect(),
            last_hash: last.hash,
            last_time: last.timestamp,
            last_key: last.key_id,
        })
        .unwrap()
    }

    fn grow(&mut self, chain: &mut Chain, numbers: std::ops::Range<usize>, key: &SecretKey) {
        for n in numbers {
            self.rows.extend(chain.append(draft(n), key).unwrap().iter().map(row));
        }
        self.head = Some(chain.head(key).unwrap());
        self.remember();
    }

    fn remember(&mut self) {
        self.remembered
            .push(Remembered::from_note(self.head.as_deref().unwrap()).unwrap());
    }

    fn verify(&self) -> Report {
        let mut verification = Verification::new(&self.trust, &self.remembered);
        for rows in self.rows.chunks(7) {
            verification.feed(rows);
        }
        verification.finish(self.head.as_deref()).0
    }

    /// The verdict, and where it starts.
    fn verdict(&self) -> (Verdict, Option<u64>) {
        let report = self.verify();
        assert_eq!(report.valid, report.verdict <= Verdict::FirstUse, "{report:?}");
        (report.verdict, report.broken_at)
    }

    /// Changes one member of an entry's JSON and writes it back in canonical form.
    fn edit(&mut self, seq: usize, change: impl FnOnce(&mut Value)) {
        let mut value: Value = serde_json::from_str(&self.rows[seq].text).unwrap();
        change(&mut value);
        self.rows[seq].text = String::from_utf8(canonical(&value).unwrap()).unwrap();
    }
}

fn row(appended: &Appended) -> Row {
    Row {
        seq: appended.entry.seq,
        text: appended.text.clone(),
    }
}

#[test]
fn a_whole_chain_is_valid_and_tells_its_head_and_keys() {
    let kept = Kept::new(40);
    let report = kept.verify();
    assert_eq!(
        (report.verdict, report.valid, report.broken_at),
        (Verdict::Valid, true, None)
    );
    assert_eq!(report.entries, 40);
    assert_eq!(report.keys, [key(1).public().id().to_string()]);
    assert_eq!(report.first_entry.as_deref(), Some("2026-11-20T09:00:00.000Z"));
    assert_eq!(report.last_entry.as_deref(), Some("2026-11-20T10:00:39.000Z"));
    assert!(report.issues.is_empty(), "{:?}", report.issues);
}

#[test]
fn any_changed_byte_of_any_entry_is_noticed_where_it_is() {
    let kept = Kept::new(6);
    for seq in 0..kept.rows.len() {
        for at in 0..kept.rows[seq].text.len() {
            let mut changed = kept.clone();
            let mut bytes = changed.rows[seq].text.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(text) = String::from_utf8(bytes) else { continue };
            changed.rows[seq].text = text;
            let (verdict, broken_at) = changed.verdict();
            assert!(
                matches!(verdict, Verdict::Tampered | Verdict::Corrupt),
                "{seq} {at}: {verdict:?}"
            );
            assert_eq!(broken_at, Some(seq as u64), "{at}");
        }
    }
}

#[test]
fn an_edit_with_a_digest_that_fits_is_noticed_by_the_signature() {
    for member in ["timestamp", "actor", "id", "payload", "agent", "artifacts", "type"] {
        let mut kept = Kept::new(9);
        kept.edit(4, |value| {
            value[member] = match member {
                "artifacts" => json!([]),
                "type" => json!("fix"),
                "timestamp" => json!("2026-11-20T10:00:04.500Z"),
                _ => json!("changed"),
            };
            let mut unsigned = value.clone();
            unsigned
                .as_object_mut()
                .unwrap()
                .retain(|name, _| name != "hash" && name != "signature");
            value["hash"] = json!(Digest::of_json(&unsigned).unwrap());
        });
        assert_eq!(kept.verdict(), (Verdict::Tampered, Some(4)), "{member}");
    }
}

#[test]
fn another_spelling_of_the_same_entry_is_noticed() {
    let mut kept = Kept::new(5);
    kept.rows[2].text = kept.rows[2].text.replacen(':', ": ", 1);
    assert_eq!(kept.verdict(), (Verdict::Tampered, Some(2)));
    let mut kept = Kept::new(5);
    kept.rows[2].text = kept.rows[2].text.replacen("\"number\":2", "\"number\":2.0", 1);
    assert_eq!(kept.verdict(), (Verdict::Tampered, Some(2)));
    let mut kept = Kept::new(5);
    kept.rows[2].text = kept.rows[2]
        .text
        .replacen("{\"actor\"", "{\"actor\":\"x\",\"actor\"", 1);
    assert_eq!(kept.verdict(), (Verdict::Corrupt, Some(2)));
}

#[test]
fn entries_that_are_gone_are_missed_at_the_beginning_in_the_middle_and_at_the_end() {
    let mut head = Kept::new(12);
    head.rows.drain(..3);
    assert_eq!(head.verdict(), (Verdict::Missing, Some(0)));
    let mut middle = Kept::new(12);
    middle.rows.drain(5..8);
    assert_eq!(middle.verdict(), (Verdict::Missing, Some(5)));
    assert!(
        middle.verify().issues[0].message.contains("entries 5 to 7"),
        "{:?}",
        middle.verify().issues
    );
    let mut tail = Kept::new(12);
    tail.rows.truncate(9);
    assert_eq!(tail.verdict(), (Verdict::Truncated, Some(9)));
    // Even where nothing was remembered, the head tells.
    tail.remembered.clear();
    assert_eq!(tail.verdict(), (Verdict::Truncated, Some(9)));
}

#[test]
fn renumbering_does_not_hide_a_removed_entry() {
    let mut kept = Kept::new(12);
    kept.rows.remove(5);
    for (seq, row) in kept.rows.iter_mut().enumerate() {
        row.seq = seq as u64;
    }
    let (verdict, at) = kept.verdict();
    assert_eq!((verdict, at), (Verdict::Missing, Some(5)));
}

#[test]
fn swapped_and_turned_entries_are_reordered() {
    let mut swapped = Kept::new(12);
    let text = swapped.rows[4].text.clone();
    swapped.rows[4].text = swapped.rows[8].text.clone();
    swapped.rows[8].text = text;
    assert_eq!(swapped.verdict(), (Verdict::Reordered, Some(4)));
    let mut neighbours = Kept::new(12);
    neighbours.rows.swap(10, 11);
    assert_eq!(neighbours.verdict(), (Verdict::Reordered, Some(10)));
    let mut turned = Kept::new(12);
    turned.rows.reverse();
    assert_eq!(turned.verdict().0, Verdict::Reordered);
    let mut doubled = Kept::new(12);
    let row = doubled.rows[3].clone();
    doubled.rows.insert(6, row);
    assert_eq!(doubled.verdict().0, Verdict::Tampered);
}

#[test]
fn an_old_copy_is_rolled_back_and_stays_so_when_it_grows_again() {
    let old = Kept::new(10);
    let mut now = old.clone();
    let mut chain = now.chain();
    now.grow(&mut chain, 10..20, &key(1));
    assert_eq!(now.verdict(), (Verdict::Valid, None));
    let mut replayed = old.clone();
    replayed.remembered = now.remembered.clone();
    assert_eq!(replayed.verdict(), (Verdict::RolledBack, Some(10)));
    let mut chain = replayed.chain();
    for n in 30..45 {
        replayed
            .rows
            .extend(chain.append(draft(n), &key(1)).unwrap().iter().map(row));
    }
    replayed.head = Some(chain.head(&key(1)).unwrap());
    assert_eq!(replayed.verdict(), (Verdict::RolledBack, Some(10)));
}

#[test]
fn a_chain_that_another_key_made_anew_is_foreign_where_the_chain_is_known() {
    let known = Kept::new(8);
    let (mut chain, first) = Chain::begin("test-chain", "id", "2026-11-20T09:00:00.000Z", &key(2)).unwrap();
    let mut forged = Kept {
        rows: vec![row(&first)],
        ..known.clone()
    };
    forged.grow(&mut chain, 1..9, &key(2));
    forged.remembered = known.remembered.clone();
    let (verdict, at) = forged.verdict();
    assert!(verdict >= Verdict::ForeignKey, "{verdict:?}");
    assert!(at.is_none_or(|at| at == 0), "{at:?}");
    // Where nothing is known of it, it is a first use: whole, and to be compared by a person.
    forged.remembered.clear();
    assert_eq!(forged.verdict(), (Verdict::FirstUse, None));
    assert!(
        forged.verify().issues[0]
            .message
            .contains(key(2).public().id().as_str())
    );
}

#[test]
fn a_key_that_begins_to_sign_unasked_is_foreign_and_one_that_was_handed_over_to_is_not() {
    let mut kept = Kept::new(5);
    let mut chain = kept.chain();
    kept.grow(&mut chain, 5..8, &key(2));
    assert_eq!(kept.rows.len(), 9, "the key introduces itself");
    assert_eq!(kept.verdict(), (Verdict::ForeignKey, Some(5)));
    kept.trust.pin(key(2).public(), "pinned by hand");
    assert_eq!(kept.verdict(), (Verdict::Valid, None));

    let mut rotated = Kept::new(5);
    let mut chain = rotated.chain();
    let rotation = Rotation::sign(&key(1), &key(3), "2026-11-20T10:01:00.000Z", "a new laptop").unwrap();
    let entry = Draft {
        kind: EntryType::KeyRotation,
        payload: serde_json::to_value(&rotation).unwrap(),
        ..draft(60)
    };
    rotated
        .rows
        .extend(chain.append(entry, &key(1)).unwrap().iter().map(row));
    rotated.grow(&mut chain, 61..65, &key(3));
    assert_eq!(
        rotated.rows.len(),
        10,
        "a key that was handed over to needs no introduction"
    );
    assert_eq!(rotated.verdict(), (Verdict::Valid, None));
}

/// The chain of key 1 on the machine of key 2, which has added nothing yet.
fn second_machine() -> Kept {
    let mut kept = Kept::new(5);
    kept.remembered.clear();
    kept.trust = Trust::default();
    kept.trust.pin(key(2).public(), "made on this machine");
    kept
}

fn introduction(of: &SecretKey) -> Draft {
    let introduction = Introduction {
        public_key: of.public(),
        reason: "a person compared it with its owner".to_owned(),
    };
    Draft {
        kind: EntryType::KeyIntroduction,
        payload: serde_json::to_value(&introduction).unwrap(),
        ..draft(50)
    }
}

fn names(keys: &[SecretKey]) -> Vec<String> {
    keys.iter().map(|key| key.public().id().to_string()).collect()
}

#[test]
fn a_second_machine_takes_over_what_was_there_on_first_use_and_nothing_that_comes_later() {
    let mut kept = second_machine();
    let report = kept.verify();
    assert_eq!((report.verdict, report.first_use_keys.len()), (Verdict::FirstUse, 0));
    let mut chain = kept.chain();
    kept.grow(&mut chain, 5..8, &key(2));
    let report = kept.verify();
    assert_eq!((report.verdict, report.broken_at), (Verdict::Valid, None), "{report:?}");
    assert_eq!(report.first_use_keys, names(&[key(1)]));
    let notice = &report.issues[0];
    assert_eq!((notice.kind, notice.verdict), (IssueKind::Notice, None));
    assert!(notice.message.contains(key(1).public().id().as_str()), "{notice:?}");
    // What the key goes on to sign counts, and so does the key that it hands over to.
    kept.grow(&mut chain, 8..10, &key(1));
    let rotation = Rotation::sign(&key(1), &key(4), "2026-11-20T10:01:00.000Z", "a new laptop").unwrap();
    let entry = Draft {
        kind: EntryType::KeyRotation,
        payload: serde_json::to_value(&rotation).unwrap(),
        ..draft(60)
    };
    kept.rows.extend(chain.append(entry, &key(1)).unwrap().iter().map(row));
    kept.grow(&mut chain, 61..63, &key(4));
    assert_eq!(kept.verdict(), (Verdict::Valid, None));
    // A key that comes later is foreign, whoever it says that it is.
    let before = kept.rows.len() as u64;
    kept.rows
        .extend(chain.append(introduction(&key(3)), &key(3)).unwrap().iter().map(row));
    kept.grow(&mut chain, 63..65, &key(3));
    assert_eq!(kept.verdict(), (Verdict::ForeignKey, Some(before)));
    kept.trust.pin(key(1).public(), "pinned by hand");
    kept.trust.pin(key(3).public(), "pinned by hand");
    let report = kept.verify();
    assert_eq!(
        (report.verdict, report.first_use_keys.len()),
        (Verdict::Valid, 0),
        "{report:?}"
    );
}

#[test]
fn a_key_that_takes_the_place_of_another_is_no_first_use() {
    // The signing key of this machine was replaced: heads of the chain had been seen before the new one came.
    let mut kept = Kept::new(5);
    kept.trust = Trust::default();
    kept.trust.pin(key(2).public(), "made on this machine");
    let mut chain = kept.chain();
    kept.grow(&mut chain, 5..8, &key(2));
    assert_eq!(kept.verdict(), (Verdict::ForeignKey, Some(0)));
    // Where a person knows the first key, nobody else came before it.
    let mut pinned = second_machine();
    let mut chain = pinned.chain();
    pinned.grow(&mut chain, 5..7, &key(3));
    pinned.grow(&mut chain, 7..9, &key(2));
    pinned.remembered.clear();
    assert_eq!(pinned.verify().first_use_keys, names(&[key(1), key(3)]));
    pinned.trust.pin(key(1).public(), "pinned by hand");
    assert_eq!(pinned.verdict(), (Verdict::ForeignKey, Some(5)));
}

#[test]
fn a_key_that_a_known_key_introduces_is_known_and_one_that_a_stranger_introduces_is_not() {
    let mut kept = Kept::new(5);
    let mut chain = kept.chain();
    kept.rows
        .extend(chain.append(introduction(&key(2)), &key(1)).unwrap().iter().map(row));
    for n in 0..4 {
        let signer = if n % 2 == 0 { key(2) } else { key(1) };
        kept.grow(&mut chain, 10 + n..11 + n, &signer);
        assert_eq!(kept.verdict(), (Verdict::Valid, None));
    }
    let before = kept.rows.len() as u64;
    kept.rows
        .extend(chain.append(introduction(&key(4)), &key(3)).unwrap().iter().map(row));
    kept.grow(&mut chain, 20..22, &key(4));
    assert_eq!(kept.verdict(), (Verdict::ForeignKey, Some(before)));
    assert_eq!(
        kept.verify()
            .issues
            .iter()
            .filter(|issue| issue.verdict == Some(Verdict::ForeignKey))
            .count(),
        2,
        "the stranger, and whom it introduced"
    );
}

#[test]
fn a_head_that_is_gone_altered_or_of_another_chain_is_noticed() {
    let kept = Kept::new(8);
    let mut gone = kept.clone();
    gone.head = None;
    assert_eq!(gone.verdict(), (Verdict::Missing, Some(8)));
    let mut broken = kept.clone();
    broken.head = Some("nonsense".to_owned());
    assert_eq!(broken.verdict(), (Verdict::Corrupt, Some(8)));
    let mut older = kept.clone();
    older.head = Kept::new(7).head;
    assert_eq!(older.verdict().0, Verdict::Tampered);
    let note = kept.head.clone().unwrap();
    for at in 0..note.len() {
        let mut bytes = note.clone().into_bytes();
        bytes[at] ^= 1;
        if let Ok(head) = String::from_utf8(bytes) {
            let mut changed = kept.clone();
            changed.head = Some(head);
            assert!(changed.verdict().0 > Verdict::FirstUse, "{at}");
        }
    }
    let (mut chain, _) = Chain::begin("other", "id", "2026-11-20T09:00:00.000Z", &key(1)).unwrap();
    for n in 1..8 {
        chain.append(draft(n), &key(1)).unwrap();
    }
    let mut other = kept.clone();
    other.head = Some(chain.head(&key(1)).unwrap());
    assert_eq!(other.verdict().0, Verdict::Tampered);
}

#[test]
fn a_chain_that_is_gone_is_missing_and_none_at_all_is_a_first_use() {
    let mut gone = Kept::new(8);
    gone.rows.clear();
    gone.head = None;
    assert_eq!(gone.verdict(), (Verdict::Missing, Some(0)));
    gone.remembered.clear();
    assert_eq!(gone.verdict(), (Verdict::FirstUse, None));
    let mut replaced = Kept::new(8);
    replaced.remembered[0].chain = "another".to_owned();
    assert_eq!(replaced.verdict(), (Verdict::Missing, Some(0)));
}

#[test]
fn a_clock_that_was_set_back_leaves_the_chain_valid_and_a_backdated_entry_does_not() {
    let mut kept = Kept::new(5);
    let mut chain = kept.chain();
    let late = Draft {
        timestamp: "2020-01-01T00:00:00.000Z".to_owned(),
        ..draft(9)
    };
    let added = chain.append(late, &key(1)).unwrap();
    assert_eq!(added[0].entry.timestamp, "2026-11-20T10:00:04.000Z");
    kept.rows.extend(added.iter().map(row));
    kept.head = Some(chain.head(&key(1)).unwrap());
    assert_eq!(kept.verdict(), (Verdict::Valid, None));

    // Whoever holds the key can make such an entry, but not one that goes unseen.
    let mut backdated = Kept::new(5);
    let (entry, text) = Entry::make(
        Draft {
            timestamp: "2020-01-01T00:00:00.000Z".to_owned(),
            ..draft(5)
        },
        5,
        Entry::read(&backdated.rows[4].text).unwrap().hash,
        &key(1),
    )
    .unwrap();
    backdated.rows.push(Row { seq: entry.seq, text });
    let (verdict, at) = backdated.verdict();
    assert_eq!((verdict, at), (Verdict::Tampered, Some(5)));
}

#[test]
fn what_was_verified_once_need_not_be_read_again() {
    let mut kept = Kept::new(30);
    let mut verification = Verification::new(&kept.trust, &kept.remembered);
    verification.feed(&kept.rows);
    let (report, prefix) = verification.finish(kept.head.as_deref());
    assert!(report.valid);
    let prefix = prefix.unwrap();
    assert_eq!(prefix.entries(), 30);
    let mut chain = kept.chain();
    kept.grow(&mut chain, 30..33, &key(1));
    let mut verification = Verification::resume(prefix.clone(), &kept.remembered);
    verification.feed(&kept.rows[30..]);
    let (report, _) = verification.finish(kept.head.as_deref());
    assert_eq!((report.verdict, report.entries), (Verdict::Valid, 33), "{report:?}");
    let whole = kept.verify();
    assert_eq!(report, whole);
    let mut verification = Verification::resume(prefix, &kept.remembered);
    verification.feed(&kept.rows[31..]);
    assert_eq!(verification.finish(kept.head.as_deref()).0.verdict, Verdict::Missing);
}

#[test]
fn an_entry_that_is_too_large_or_has_no_canonical_form_is_refused_and_nothing_is_lost() {
    let mut chain = Kept::new(3).chain();
    let before = chain.state();
    for payload in [
        json!({"text": "x".repeat(ENTRY_BYTES_MAX)}),
        json!({"number": u64::MAX}),
    ] {
        assert!(chain.append(Draft { payload, ..draft(3) }, &key(1)).is_err());
        assert_eq!(chain.state(), before);
    }
    assert!(chain.append(draft(3), &key(1)).is_ok());
}

#[test]
fn the_signature_covers_the_domain_and_the_digest() {
    let kept = Kept::new(2);
    let entry = Entry::read(&kept.rows[1].text).unwrap();
    assert!(entry.is_signed_by(&key(1).public()));
    assert!(
        key(1)
            .public()
            .verify(Domain::Passport, entry.hash.as_bytes(), &entry.signature)
            .is_err()
    );
}

proptest! {
    #[test]
    fn no_mixture_of_changes_passes_for_valid(
        entries in 2_usize..20,
        changes in proptest::collection::vec((0_u8..6, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let kept = Kept::new(entries);
        let mut changed = kept.clone();
        for (kind, one, two) in changes {
            if changed.rows.is_empty() {
                break;
            }
            let (a, b) = (one.index(changed.rows.len()), two.index(changed.rows.len()));
            match kind {
                0 => { changed.rows.remove(a); }
                1 => { let row = changed.rows[a].clone(); changed.rows.insert(b, row); }
                2 => changed.rows.swap(a, b),
                3 => changed.rows.truncate(a),
                4 => changed.edit(a, |value| value["actor"] = json!("someone")),
                _ => changed.head = None,
            }
        }
        let same = changed.rows == kept.rows && changed.head == kept.head;
        prop_assert_eq!(changed.verdict().0 == Verdict::Valid, same);
    }

    #[test]
    fn foreign_rows_never_panic(texts in proptest::collection::vec("\\PC{0,80}", 0..10), head in "\\PC{0,80}", seqs in any::<[u64; 10]>()) {
        let trust = Trust::default();
        let rows: Vec<Row> = texts.into_iter().zip(seqs).map(|(text, seq)| Row { seq, text }).collect();
        let mut verification = Verification::new(&trust, &[]);
        verification.feed(&rows);
        let (report, _) = verification.finish(Some(&head));
        prop_assert!(!report.valid);
    }
}

#[test]
fn a_file_that_an_entry_took_away_is_not_missed_and_one_that_came_again_is_known() {
    let digest = Digest::of(b"a");
    let file = |path: &str| Artifact {
        path: path.to_owned(),
        blake3: digest,
    };
    let mut kept = Kept::new(2);
    let mut chain = kept.chain();
    for (n, payload, files) in [
        (2, json!({}), vec![file("old"), file("other")]),
        (3, json!({"removed": ["old", 7, "never"]}), vec![file("new")]),
        (4, json!({"removed": ["new"]}), vec![file("new")]),
    ] {
        let draft = Draft {
            payload,
            artifacts: files,
            ..draft(n)
        };
        kept.rows.extend(chain.append(draft, &key(1)).unwrap().iter().map(row));
    }
    let mut verification = Verification::new(&kept.trust, &[]);
    verification.feed(&kept.rows[2..]);
    let known: Vec<&String> = verification.artifacts().keys().collect();
    assert_eq!(known, ["new", "other"]);
    assert_eq!(verification.artifacts()["new"].seq, 4);
}

#[test]
fn a_kept_end_that_does_not_fit_the_entries_is_noticed_before_anything_follows_it() {
    let kept = Kept::new(8);
    let verdict = |end: String| {
        let mut verification = Verification::new(&kept.trust, &kept.remembered);
        verification.set_end(end);
        verification.feed(&kept.rows);
        verification.finish(kept.head.as_deref()).0.verdict
    };
    let end = serde_json::to_value(kept.chain().state()).unwrap();
    assert_eq!(verdict(end.to_string()), Verdict::Valid);
    assert_eq!(verdict("x".to_owned()), Verdict::Corrupt);
    for (field, value) in [
        ("chain", json!("other")),
        ("lastTime", json!("2999-01-01T00:00:00.000Z")),
        ("lastHash", json!(Digest::of(b"x"))),
        ("lastKey", json!(key(2).public().id())),
        ("peaks", json!([Digest::of(b"x")])),
    ] {
        let mut changed = end.clone();
        changed[field] = value;
        assert_eq!(verdict(changed.to_string()), Verdict::Tampered, "{field}");
    }
}
