//! What was changed is noticed: in the state by the daemon, and in a package by the offline verifier, each with its verdict.

use std::fs;
use std::path::Path;

use engine_evidence::{Draft, EntryType, Verdict};
use engine_package::{FileRecord, Manifest, Statement, Writer, checksums, path_order, paths};
use engine_signing::{Checkpoint, Digest, Domain, SecretKey, Tree, canonical};
use engine_verify::{Options, Outcome, verify_bytes};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::audit_package::{Files, helpdesk, packed, secret, unpack};
use crate::evidence::Place;

/// Scans before the changes; the chain has one entry more.
const SCANS: usize = 6;

/// A place with some history, and what is needed to put it back.
struct Scene {
    place: Place,
    owner: SecretKey,
    attacker: SecretKey,
    /// The database after half of the scans, and after all.
    old: Vec<u8>,
    now: Vec<u8>,
    /// Packages of the same moments.
    old_package: Vec<u8>,
    package: Vec<u8>,
    old_head: String,
}

/// The chain as it is kept.
#[derive(Clone)]
struct Chain {
    rows: Vec<(i64, String)>,
    head: Option<String>,
}

impl Chain {
    fn read(database: &Path) -> Self {
        let database = Connection::open(database).unwrap();
        let rows = database
            .prepare("SELECT seq, entry FROM evidence ORDER BY seq")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let head = database
            .query_row("SELECT head FROM evidence_end", [], |row| row.get(0))
            .ok();
        Self { rows, head }
    }

    fn write(&self, database: &Path) {
        let database = Connection::open(database).unwrap();
        database.execute("DELETE FROM evidence", []).unwrap();
        for row in &self.rows {
            database
                .execute("INSERT INTO evidence (seq, entry) VALUES (?, ?)", row.clone())
                .unwrap();
        }
        match &self.head {
            Some(head) => database.execute("UPDATE evidence_end SET head = ?", [head]).unwrap(),
            None => database.execute("DELETE FROM evidence_end", []).unwrap(),
        };
    }

    fn entry(&self, at: usize) -> Value {
        serde_json::from_str(&self.rows[at].1).unwrap()
    }

    /// Changes a field and nothing else.
    fn edit(&mut self, at: usize, change: impl FnOnce(&mut Value)) {
        let mut entry = self.entry(at);
        change(&mut entry);
        self.rows[at].1 = String::from_utf8(canonical(&entry).unwrap()).unwrap();
    }

    /// Makes entries from one on fit together again and signs them, and the head, with a key.
    fn sign_from(&mut self, at: usize, key: &SecretKey) {
        for place in at..self.rows.len() {
            let before = place.checked_sub(1).map(|before| self.entry(before)["hash"].clone());
            let mut entry = self.entry(place);
            if let Some(hash) = before {
                entry["prevHash"] = hash;
            }
            entry["keyId"] = json!(key.public().id());
            let members = entry.as_object_mut().unwrap();
            members.remove("hash");
            members.remove("signature");
            let hash = Digest::of_json(&entry).unwrap();
            entry["hash"] = json!(hash);
            entry["signature"] = json!(key.sign(Domain::Evidence, hash.as_bytes()));
            self.rows[place].1 = String::from_utf8(canonical(&entry).unwrap()).unwrap();
        }
        self.sign_head(key);
    }

    fn sign_head(&mut self, key: &SecretKey) {
        let mut tree = Tree::new();
        for at in 0..self.rows.len() {
            let hash: Digest = serde_json::from_value(self.entry(at)["hash"].clone()).unwrap();
            tree.push(hash.as_bytes());
        }
        let mut head = Checkpoint::parse(self.head.as_ref().unwrap()).unwrap();
        (head.size, head.root) = (tree.size(), tree.root());
        self.head = Some(head.sign(key).unwrap());
    }
}

impl Scene {
    fn new() -> Self {
        let place = helpdesk();
        let scan = || assert_eq!(place.run(&["scan", "."]).0, Some(0));
        (0..SCANS / 2).for_each(|_| scan());
        let old = fs::read(place.database()).unwrap();
        let old_head = Chain::read(&place.database()).head.unwrap();
        let old_package = packed(&place).unwrap();
        (SCANS / 2..SCANS).for_each(|_| scan());
        Self {
            owner: secret(&place),
            attacker: SecretKey::from_seed(&[66; 32]),
            now: fs::read(place.database()).unwrap(),
            package: packed(&place).unwrap(),
            old,
            old_head,
            old_package,
            place,
        }
    }

    fn restore(&self) {
        for name in ["state.db-wal", "state.db-shm"] {
            let _ = fs::remove_file(self.place.database().with_file_name(name));
        }
        fs::write(self.place.database(), &self.now).unwrap();
    }

    /// What an auditor knows: the key of the owner, and a head from an earlier visit.
    fn auditor(&self) -> Options {
        Options {
            pins: vec![self.owner.public()],
            heads: vec![self.old_head.clone()],
            known_heads: Vec::new(),
        }
    }

    fn judge(&self, package: &[u8]) -> Outcome {
        verify_bytes(package, &self.auditor()).unwrap()
    }
}

/// A package with changed files whose digests, statement and signature were made right again.
pub(crate) fn repack(files: &Files, key: &SecretKey) -> Vec<u8> {
    let mut manifest: Manifest = serde_json::from_slice(&files[paths::MANIFEST]).unwrap();
    let own = [paths::CHECKSUMS, paths::MANIFEST, paths::STATEMENT];
    manifest.files = files
        .iter()
        .filter(|(path, _)| !own.contains(&path.as_str()))
        .map(|(path, bytes)| FileRecord::of(path, bytes))
        .collect();
    let sums = checksums(&manifest.files);
    manifest.files.push(FileRecord::of(paths::CHECKSUMS, sums.as_bytes()));
    let mut files = files.clone();
    let bytes = serde_json::to_vec_pretty(&manifest).unwrap();
    let statement = Statement::about(&manifest, &bytes).sign(key).unwrap();
    files.insert(paths::CHECKSUMS.to_owned(), sums.into_bytes());
    files.insert(paths::MANIFEST.to_owned(), bytes);
    files.insert(paths::STATEMENT.to_owned(), statement.into_bytes());
    pack(&files)
}

fn pack(files: &Files) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut in_order: Vec<_> = files.iter().collect();
    in_order.sort_by_key(|(path, _)| path_order(path));
    for (path, bytes) in in_order {
        writer.add(path, bytes).unwrap();
    }
    writer.finish().unwrap().out
}

type ChangeChain = fn(&mut Chain, &Scene);

fn set(field: &'static str, value: Value) -> impl FnOnce(&mut Value) {
    move |entry| entry[field] = value
}

/// Changes of the chain, wherever it is kept, and the verdict on each.
const CHAIN: &[(&str, Verdict, Option<u64>, ChangeChain)] = &[
    ("seq of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("seq", json!(4)));
    }),
    ("id of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("id", json!("x")));
    }),
    ("time of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("timestamp", json!("2020-01-01T00:00:00.000Z")));
    }),
    ("type of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("type", json!("fix")));
    }),
    ("actor of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("actor", json!("nobody")));
    }),
    ("agent of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("agent", json!("bot")));
    }),
    ("score in an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, |entry| entry["payload"]["score"] = json!("99.00"));
    }),
    ("path of an artifact", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, |entry| entry["artifacts"][0]["path"] = json!("docs/other.md"));
    }),
    ("digest of an artifact", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, |entry| entry["artifacts"][0]["blake3"] = json!(Digest::of(b"x")));
    }),
    ("artifacts removed", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("artifacts", json!([])));
    }),
    ("link of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("prevHash", json!(Digest::of(b"x"))));
    }),
    ("digest of an entry", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, set("hash", json!(Digest::of(b"x"))));
    }),
    ("key of an entry", Verdict::Tampered, Some(3), |c, s| {
        c.edit(3, set("keyId", json!(s.attacker.public().id())));
    }),
    ("signature of an entry", Verdict::Tampered, Some(3), |c, s| {
        c.edit(3, set("signature", json!(s.attacker.sign(Domain::Evidence, b"x"))));
    }),
    ("signature of the entry before", Verdict::Tampered, Some(3), |c, _| {
        let signature = c.entry(2)["signature"].clone();
        c.edit(3, set("signature", signature));
    }),
    ("a space in an entry", Verdict::Tampered, Some(3), |c, _| {
        c.rows[3].1.insert(1, ' ');
    }),
    ("a field more", Verdict::Corrupt, Some(3), |c, _| {
        c.edit(3, set("note", json!("x")));
    }),
    ("a name twice", Verdict::Corrupt, Some(3), |c, _| {
        c.rows[3].1.insert_str(1, "\"actor\":\"x\",");
    }),
    ("another JSON", Verdict::Corrupt, Some(3), |c, _| {
        "{\"a\":1}".clone_into(&mut c.rows[3].1);
    }),
    ("an edit with a new digest", Verdict::Tampered, Some(3), |c, _| {
        c.edit(3, |entry| {
            entry["payload"]["score"] = json!("99.00");
            let mut bare = entry.clone();
            bare.as_object_mut().unwrap().remove("hash");
            bare.as_object_mut().unwrap().remove("signature");
            entry["hash"] = json!(Digest::of_json(&bare).unwrap());
        });
    }),
    ("the name of the chain", Verdict::Tampered, Some(0), |c, _| {
        c.edit(0, |entry| entry["payload"]["chain"] = json!("other"));
    }),
    ("the key of the chain", Verdict::Tampered, Some(0), |c, s| {
        c.edit(0, |entry| entry["payload"]["publicKey"] = json!(s.attacker.public()));
    }),
    ("head dropped", Verdict::Missing, None, |c, _| c.head = None),
    ("head garbled", Verdict::Corrupt, None, |c, _| {
        c.head = Some("nothing\n".to_owned());
    }),
    ("head of an earlier time", Verdict::Tampered, None, |c, s| {
        c.head = Some(s.old_head.clone());
    }),
    ("head signed by another", Verdict::Tampered, None, |c, s| {
        c.sign_head(&s.attacker);
    }),
    ("root of the head", Verdict::Tampered, None, |c, s| {
        let mut head = Checkpoint::parse(c.head.as_ref().unwrap()).unwrap();
        head.root = [7; 32];
        c.head = Some(head.sign(&s.owner).unwrap());
    }),
    ("first entry dropped", Verdict::Missing, Some(0), |c, _| {
        drop(c.rows.remove(0));
    }),
    ("middle entry dropped", Verdict::Missing, Some(3), |c, _| {
        drop(c.rows.remove(3));
    }),
    ("two middle entries dropped", Verdict::Missing, Some(2), |c, _| {
        drop(c.rows.drain(2..4));
    }),
    ("last entry dropped", Verdict::Truncated, Some(6), |c, _| {
        drop(c.rows.pop());
    }),
    ("last three entries dropped", Verdict::Truncated, Some(4), |c, _| {
        c.rows.truncate(4);
    }),
    ("all entries dropped", Verdict::Missing, Some(0), |c, _| c.rows.clear()),
    (
        "tail dropped, older head put in",
        Verdict::RolledBack,
        Some(4),
        |c, s| {
            c.rows.truncate(4);
            c.head = Some(s.old_head.clone());
        },
    ),
    ("two entries swapped", Verdict::Reordered, Some(2), |c, _| {
        let text = c.rows[2].1.clone();
        c.rows[2].1 = std::mem::replace(&mut c.rows[3].1, text);
    }),
    ("the last moved to the front", Verdict::Reordered, Some(1), |c, _| {
        let texts: Vec<String> = c.rows.iter().map(|(_, text)| text.clone()).collect();
        let order = [0, 6, 1, 2, 3, 4, 5];
        order
            .iter()
            .zip(&mut c.rows)
            .for_each(|(from, row)| row.1.clone_from(&texts[*from]));
    }),
    ("an entry repeated at the end", Verdict::Tampered, None, |c, _| {
        let text = c.rows[2].1.clone();
        c.rows.push((7, text));
    }),
    ("one entry put over another", Verdict::Tampered, Some(3), |c, _| {
        c.rows[4].1 = c.rows[3].1.clone();
    }),
    ("backdated by the owner", Verdict::Tampered, None, |c, s| {
        c.edit(5, set("timestamp", json!("2020-01-01T00:00:00.000Z")));
        c.sign_from(5, &s.owner);
    }),
    ("history rewritten by the owner", Verdict::RolledBack, None, |c, s| {
        c.edit(5, |entry| entry["payload"]["filesScanned"] = json!(1));
        c.sign_from(5, &s.owner);
    }),
    ("all signed by another key", Verdict::Tampered, None, |c, s| {
        c.edit(0, |entry| entry["payload"]["publicKey"] = json!(s.attacker.public()));
        c.sign_from(0, &s.attacker);
    }),
    ("an entry by another key", Verdict::ForeignKey, Some(7), |c, s| {
        let mut tree = Tree::new();
        for at in 0..c.rows.len() {
            let hash: Digest = serde_json::from_value(c.entry(at)["hash"].clone()).unwrap();
            tree.push(hash.as_bytes());
        }
        let last = c.entry(6);
        let state = json!({
            "chain": c.entry(0)["payload"]["chain"],
            "size": 7,
            "peaks": tree.peaks().iter().map(|peak| Digest::from_bytes(*peak)).collect::<Vec<_>>(),
            "lastHash": last["hash"],
            "lastTime": last["timestamp"],
            "lastKey": last["keyId"],
        });
        let mut chain = engine_evidence::Chain::resume(&serde_json::from_value(state).unwrap()).unwrap();
        let draft = Draft {
            id: "forged".to_owned(),
            timestamp: last["timestamp"].as_str().unwrap().to_owned(),
            kind: EntryType::Report,
            actor: "engine".to_owned(),
            agent: None,
            payload: json!({}),
            artifacts: Vec::new(),
        };
        for added in chain.append(draft, &s.attacker).unwrap() {
            c.rows.push((i64::try_from(added.entry.seq).unwrap(), added.text));
        }
        c.head = Some(chain.head(&s.attacker).unwrap());
    }),
];

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn every_change_of_the_chain_has_its_verdict_in_the_state_and_in_a_package() {
    let scene = Scene::new();
    let whole = Chain::read(&scene.place.database());
    assert_eq!(whole.rows.len(), SCANS + 1);
    assert_eq!(scene.place.verify()["verdict"], "valid");
    assert_eq!(
        scene.judge(&scene.package).verdict,
        Verdict::Valid,
        "{}",
        scene.judge(&scene.package).text()
    );
    for (what, verdict, at, change) in CHAIN {
        let mut chain = whole.clone();
        change(&mut chain, &scene);
        scene.restore();
        chain.write(&scene.place.database());
        let report = scene.place.verify();
        assert_eq!(report["verdict"], json!(verdict), "{what}: {report}");
        assert_eq!(report["valid"], false, "{what}");
        if let Some(at) = at {
            assert_eq!(report["brokenAt"], json!(at), "{what}: {report}");
        }
        // The package that the engine makes of such a state says the same.
        let outcome = scene.judge(&packed(&scene.place).unwrap());
        assert_eq!(outcome.verdict, *verdict, "{what}, packed: {}", outcome.text());
        // And so does one in which the chain was changed and everything around it made right again by the owner.
        let mut files = unpack(&scene.package);
        let mut text: String = chain.rows.iter().map(|(_, text)| text.clone() + "\n").collect();
        files.insert(paths::ENTRIES.to_owned(), std::mem::take(&mut text).into_bytes());
        match &chain.head {
            Some(head) => drop(files.insert(paths::HEAD.to_owned(), head.clone().into_bytes())),
            None => drop(files.remove(paths::HEAD)),
        }
        let outcome = scene.judge(&repack(&files, &scene.owner));
        assert!(
            !outcome.valid && outcome.verdict >= *verdict,
            "{what}, in a package: {}",
            outcome.text()
        );
    }
}

type ChangeState = fn(&Scene);

/// Changes of the state beside the chain: the verdict of the daemon, and that on the package made of it.
const STATE: &[(&str, Option<Verdict>, Option<Verdict>, ChangeState)] = &[
    (
        "an old copy",
        Some(Verdict::RolledBack),
        Some(Verdict::RolledBack),
        |s| {
            fs::write(s.place.database(), &s.old).unwrap();
        },
    ),
    (
        "the database deleted",
        Some(Verdict::Missing),
        Some(Verdict::Missing),
        |s| {
            fs::remove_file(s.place.database()).unwrap();
        },
    ),
    ("the database cut in half", None, None, |s| {
        fs::write(s.place.database(), &s.now[..s.now.len() / 2]).unwrap();
    }),
    (
        "the database emptied",
        Some(Verdict::Missing),
        Some(Verdict::Missing),
        |s| {
            fs::write(s.place.database(), b"").unwrap();
        },
    ),
    (
        "the score in the result",
        Some(Verdict::Tampered),
        Some(Verdict::Tampered),
        |s| {
            result(s, |scan| scan["score"]["compliance"] = json!(99.0));
        },
    ),
    (
        "a status in the result",
        Some(Verdict::Tampered),
        Some(Verdict::Tampered),
        |s| {
            law(s, |law| law["systems"][0]["obligations"][0]["status"] = json!("gap"));
        },
    ),
    (
        "a finding taken out of the result",
        Some(Verdict::Tampered),
        Some(Verdict::Tampered),
        |s| {
            result(s, |scan| drop(scan["findings"].as_array_mut().unwrap().pop()));
        },
    ),
    (
        "the scan gone from the history",
        Some(Verdict::Missing),
        Some(Verdict::Missing),
        |s| {
            let database = Connection::open(s.place.database()).unwrap();
            database
                .execute("DELETE FROM scans WHERE seq = (SELECT max(seq) FROM scans)", [])
                .unwrap();
        },
    ),
];

fn result(scene: &Scene, change: impl FnOnce(&mut Value)) {
    let database = Connection::open(scene.place.database()).unwrap();
    let newest = "seq = (SELECT max(seq) FROM scans)";
    let bytes: Vec<u8> = database
        .query_row(&format!("SELECT result FROM scans WHERE {newest}"), [], |row| {
            row.get(0)
        })
        .unwrap();
    let mut scan: Value = serde_json::from_slice(&bytes).unwrap();
    change(&mut scan);
    database
        .execute(
            &format!("UPDATE scans SET result = ? WHERE {newest}"),
            [serde_json::to_vec(&scan).unwrap()],
        )
        .unwrap();
}

/// Changes the systems and obligations of the newest scan, which are kept beside its result.
fn law(scene: &Scene, change: impl FnOnce(&mut Value)) {
    let database = Connection::open(scene.place.database()).unwrap();
    let newest = "digest = (SELECT law FROM scans WHERE seq = (SELECT max(seq) FROM scans))";
    let bytes: Vec<u8> = database
        .query_row(
            &format!("SELECT inventory FROM inventories WHERE {newest}"),
            [],
            |row| row.get(0),
        )
        .unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut law: Value = serde_json::from_str(&format!("{{{text}}}")).unwrap();
    change(&mut law);
    let text = format!(r#""systems":{},"obligations":{}"#, law["systems"], law["obligations"]);
    database
        .execute(
            &format!("UPDATE inventories SET inventory = ? WHERE {newest}"),
            [text.into_bytes()],
        )
        .unwrap();
}

#[test]
fn every_change_of_the_state_beside_the_chain_has_its_verdict() {
    let scene = Scene::new();
    for (what, daemon, package, change) in STATE {
        scene.restore();
        change(&scene);
        let (code, out, err) = scene.place.run(&["verify", ".", "--json"]);
        match daemon {
            Some(verdict) => {
                let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{what}: {out}{err}"));
                assert_eq!(report["verdict"], json!(verdict), "{what}: {report}");
            }
            None => assert!(
                code != Some(0) && (out.contains("corrupt") || err.contains("damaged")),
                "{what}: {out}{err}"
            ),
        }
        match (package, packed(&scene.place)) {
            (Some(verdict), Ok(bytes)) => {
                let outcome = scene.judge(&bytes);
                assert_eq!(outcome.verdict, *verdict, "{what}: {}", outcome.text());
            }
            (None, Err(_)) => {}
            (expected, made) => panic!("{what}: {expected:?}, {:?}", made.map(|bytes| bytes.len())),
        }
    }
}

type ChangeFiles = fn(&mut Files, &Scene);

pub(crate) fn json_of(files: &mut Files, path: &str, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&files[path]).unwrap();
    change(&mut value);
    files.insert(path.to_owned(), serde_json::to_vec_pretty(&value).unwrap());
}

fn take(files: &mut Files, part: &str) -> String {
    let path = files
        .keys()
        .find(|path| path.contains(part) && path.rsplit('.').next() == Some("md"))
        .unwrap()
        .clone();
    files.remove(&path);
    path
}

/// Changes of a package: who makes manifest and signature right again, if anyone, and the verdict.
const PACKAGE: &[(&str, Mended, Verdict, ChangeFiles)] = &[
    ("the manifest gone", Mended::Not, Verdict::Missing, |f, _| {
        drop(f.remove(paths::MANIFEST));
    }),
    ("the statement gone", Mended::Not, Verdict::Missing, |f, _| {
        drop(f.remove(paths::STATEMENT));
    }),
    ("the keys gone", Mended::Not, Verdict::Missing, |f, _| {
        drop(f.remove(paths::KEYS));
    }),
    ("a file more", Mended::Not, Verdict::Tampered, |f, _| {
        drop(f.insert("more.txt".to_owned(), vec![1]));
    }),
    ("the scan gone", Mended::Not, Verdict::Missing, |f, _| {
        drop(f.remove(paths::SCAN));
    }),
    ("the payload type", Mended::Not, Verdict::Tampered, |f, _| {
        json_of(f, paths::STATEMENT, |value| value["payloadType"] = json!("text/plain"));
    }),
    ("the score, unsigned", Mended::Not, Verdict::Tampered, |f, _| score(f)),
    (
        "the score, signed by another",
        Mended::Attacker,
        Verdict::Tampered,
        |f, s| {
            score(f);
            usurp(f, s);
        },
    ),
    (
        "the score, signed by the owner",
        Mended::Owner,
        Verdict::Tampered,
        |f, _| score(f),
    ),
    ("nothing but the key", Mended::Attacker, Verdict::ForeignKey, usurp),
    (
        "a score that does not follow, recorded by the owner",
        Mended::Owner,
        Verdict::Tampered,
        |f, s| {
            f.remove(paths::HEADS);
            f.insert(paths::HEADS.to_owned(), b"{\"notes\": []}".to_vec());
            lie(f, s);
        },
    ),
    ("the matrix", Mended::Owner, Verdict::Tampered, |f, _| {
        json_of(f, paths::MATRIX_JSON, |value| {
            value["claims"][0]["status"] = json!("evidenced");
        });
    }),
    ("the table", Mended::Owner, Verdict::Tampered, |f, _| {
        let text = String::from_utf8(f[paths::MATRIX_CSV].clone()).unwrap();
        f.insert(
            paths::MATRIX_CSV.to_owned(),
            text.replacen("\"gap\"", "\"evidenced\"", 1).into_bytes(),
        );
    }),
    ("a document altered", Mended::Owner, Verdict::Tampered, |f, _| {
        let path = take(f, paths::DOCUMENT_FOLDER);
        f.insert(path, b"# Other\n".to_vec());
    }),
    ("a document gone", Mended::Owner, Verdict::Tampered, |f, _| {
        drop(take(f, paths::DOCUMENT_FOLDER));
    }),
    (
        "a document nobody recorded",
        Mended::Owner,
        Verdict::Tampered,
        |f, _| {
            f.insert("documents/0.md".to_owned(), b"# New\n".to_vec());
        },
    ),
    ("the index emptied", Mended::Owner, Verdict::Tampered, |f, _| {
        f.insert(paths::DOCUMENTS.to_owned(), b"{\"documents\": []}".to_vec());
    }),
    ("a passport altered", Mended::Owner, Verdict::Tampered, |f, _| {
        json_of(f, "passports/bot.json", |value| {
            value["owner"] = json!("somebody");
        });
    }),
    (
        "a passport without its signature",
        Mended::Owner,
        Verdict::Tampered,
        |f, _| {
            json_of(f, "passports/bot.json", |value| {
                drop(value.as_object_mut().unwrap().remove("signature"));
            });
        },
    ),
    ("another key in a file", Mended::Owner, Verdict::Tampered, |f, s| {
        let path = f
            .keys()
            .find(|path| path.rsplit('.').next() == Some("pem"))
            .unwrap()
            .clone();
        f.insert(path, s.attacker.public().to_pem().unwrap().into_bytes());
    }),
    (
        "a later time in the manifest",
        Mended::Owner,
        Verdict::Tampered,
        |f, _| {
            json_of(f, paths::MANIFEST, |value| {
                value["newestEntry"] = json!("2099-01-01T00:00:00.000Z");
            });
        },
    ),
    ("an earlier package", Mended::Not, Verdict::RolledBack, |f, s| {
        *f = unpack(&s.old_package);
    }),
    (
        "the scan of an earlier package",
        Mended::Owner,
        Verdict::Tampered,
        |f, s| {
            f.insert(paths::SCAN.to_owned(), unpack(&s.old_package)[paths::SCAN].clone());
        },
    ),
    (
        "source text put into the scan",
        Mended::Owner,
        Verdict::Tampered,
        |f, _| {
            json_of(f, paths::SCAN, |value| value["projectPath"] = json!("/home/somebody"));
        },
    ),
];

/// Who makes manifest and signature right again.
#[derive(Clone, Copy)]
enum Mended {
    Not,
    Owner,
    Attacker,
}

fn score(files: &mut Files) {
    json_of(files, paths::SCAN, |value| value["score"]["compliance"] = json!(99.0));
}

/// Names another key as the signer.
fn usurp(files: &mut Files, scene: &Scene) {
    let key = scene.attacker.public();
    json_of(files, paths::KEYS, |value| {
        value["signer"] = json!(key.id());
        let own = json!({"id": key.id(), "key": key, "origin": "made on this machine"});
        value["trusted"].as_array_mut().unwrap().push(own);
    });
    let place = format!("{}{}.pem", paths::KEY_FOLDER, key.id());
    files.insert(place, key.to_pem().unwrap().into_bytes());
}

/// A better score in the result, in the entry that records it and in the head, all signed by the owner.
fn lie(files: &mut Files, scene: &Scene) {
    let mut scan: engine_model::ScanResult = serde_json::from_slice(&files[paths::SCAN]).unwrap();
    scan.score.compliance = 99.0;
    let bytes = engine_package::portable_bytes(&scan).unwrap();
    let text = String::from_utf8(files[paths::ENTRIES].clone()).unwrap();
    let mut chain = Chain {
        rows: (0..).zip(text.lines().map(str::to_owned)).collect(),
        head: Some(String::from_utf8(files[paths::HEAD].clone()).unwrap()),
    };
    chain.edit(SCANS, |entry| {
        entry["payload"]["score"] = json!("99.00");
        entry["payload"]["result"]["blake3"] = json!(Digest::of(&bytes));
    });
    chain.sign_from(SCANS, &scene.owner);
    let text: String = chain.rows.iter().map(|(_, text)| text.clone() + "\n").collect();
    files.insert(paths::SCAN.to_owned(), bytes);
    files.insert(paths::ENTRIES.to_owned(), text.into_bytes());
    files.insert(paths::HEAD.to_owned(), chain.head.unwrap().into_bytes());
    let last: engine_evidence::Entry = serde_json::from_str(&chain.rows[SCANS].1).unwrap();
    let matrix = engine_package::Matrix::of(&scan, last.seq, last.hash);
    files.insert(paths::MATRIX_JSON.to_owned(), matrix.json().unwrap().into_bytes());
    files.insert(paths::MATRIX_CSV.to_owned(), matrix.csv().into_bytes());
}

#[test]
fn every_change_of_a_package_has_its_verdict() {
    let scene = Scene::new();
    let target = scene.place.data.path().join("changed.tar.gz");
    for (what, mended, verdict, change) in PACKAGE {
        let mut files = unpack(&scene.package);
        change(&mut files, &scene);
        let bytes = match mended {
            Mended::Not => pack(&files),
            Mended::Owner => repack(&files, &scene.owner),
            Mended::Attacker => repack(&files, &scene.attacker),
        };
        // A head from the same visit as the package that is checked.
        let options = Options {
            heads: vec![Chain::read(&scene.place.database()).head.unwrap()],
            ..scene.auditor()
        };
        let outcome = verify_bytes(&bytes, &options).unwrap();
        assert_eq!(outcome.verdict, *verdict, "{what}: {}", outcome.text());
        assert!(!outcome.valid, "{what}");
        // The engine on the machine of the owner comes to a verdict that is no better.
        fs::write(&target, &bytes).unwrap();
        let (code, out, err) = scene.place.run(&["verify", target.to_str().unwrap()]);
        assert_eq!(code, Some(1), "{what}: {out}{err}");
    }
}

#[test]
fn a_score_that_does_not_follow_is_named_even_if_its_owner_recorded_it() {
    let scene = Scene::new();
    let mut files = unpack(&scene.package);
    files.insert(paths::HEADS.to_owned(), b"{\"notes\": []}".to_vec());
    lie(&mut files, &scene);
    let outcome = scene.judge(&repack(&files, &scene.owner));
    let kinds: Vec<_> = outcome.faults.iter().map(|fault| fault.kind).collect();
    assert!(
        kinds.iter().all(|kind| *kind == engine_verify::FaultKind::Score),
        "{}",
        outcome.text()
    );
    assert!(outcome.text().contains("score.compliance"), "{}", outcome.text());
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn a_changed_byte_in_any_file_of_a_package_and_a_cut_or_longer_archive_are_noticed() {
    let scene = Scene::new();
    for (path, content) in unpack(&scene.package) {
        for at in [0, content.len() / 2, content.len() - 1] {
            let mut files = unpack(&scene.package);
            files.get_mut(&path).unwrap()[at] ^= 1;
            let outcome = scene.judge(&pack(&files));
            assert!(!outcome.valid, "{path}, byte {at}: {}", outcome.text());
        }
    }
    let package = &scene.package;
    for length in [package.len() - 1, package.len() / 2, 100] {
        assert_eq!(
            scene.judge(&package[..length]).verdict,
            Verdict::Corrupt,
            "cut to {length}"
        );
    }
    let longer = [package.as_slice(), b"x"].concat();
    assert_eq!(scene.judge(&longer).verdict, Verdict::Tampered);
    for at in (10..package.len() - 16).step_by(package.len() / 64) {
        let mut changed = package.clone();
        changed[at] ^= 4;
        // One text can be compressed in several ways, so a bit may differ and unpack to the same bytes.
        let noticed = !scene.judge(&changed).valid;
        assert!(
            noticed || unpack(&changed) == unpack(package),
            "byte {at} of the archive"
        );
    }
    assert!(verify_bytes(b"no package", &Options::default()).is_err());
}
