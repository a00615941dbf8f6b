//! Fixes: identifiers that lead elsewhere, and files, folders and state that are exchanged between a preview, the change and its undo.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Tally, ask, daemon, pipe};
use crate::support::{CHAT, Daemon, Reply, fingerprint, project, write_project};

/// Identifiers that are none.
const IDS: [(&str, &str); 12] = [
    ("a folder above", "../../etc/passwd"),
    ("an absolute path", "/etc/passwd"),
    ("a path of the project", "app/main.py"),
    ("an end of a text", "a\0b"),
    ("a line break", "a\n::error::b"),
    ("a command of a terminal", "\u{1b}[2J\u{9b}x"),
    ("an option", "--no-verify"),
    ("markup", "<script>alert(1)</script>"),
    ("a direction mark", "\u{202e}x"),
    ("a query", "' OR 1=1 --"),
    ("a variable", "${jndi:ldap://x}"),
    ("nothing", ""),
];

fn post(daemon: &Daemon, route: &str, body: &Value) -> Option<Reply> {
    ask(daemon, "POST", route, Some(body))
}

#[test]
#[ignore = "slow: each case plans the fixes"]
fn identifiers_of_fixes_lead_nowhere() {
    let mut tally = Tally::of("identifiers of fixes");
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    tally.answered("scan", post(&running, "/scan", &json!({"path": "."})).as_ref());
    let before = fingerprint(folder.path());
    for (name, text) in IDS {
        for field in ["fixId", "checkId", "findingId", "obligationId"] {
            let body = json!({"path": ".", field: text});
            for route in ["/fix/preview", "/fix/apply"] {
                tally.refused(
                    format!("{route} with {name} as {field}"),
                    post(&running, route, &body).as_ref(),
                );
            }
        }
    }
    let long = "a".repeat(1_000_000);
    for field in ["fixId", "checkId", "findingId", "obligationId"] {
        let reply = post(&running, "/fix/apply", &json!({"path": ".", field: long}));
        tally.refused(format!("a megabyte as {field}"), reply.as_ref());
    }
    for id in [
        json!(-1),
        json!(0),
        json!(i64::MAX),
        json!(1e30),
        json!("1"),
        json!([1]),
        json!({"id": 1}),
        json!(true),
    ] {
        let reply = post(&running, "/fix/undo", &json!({"path": ".", "id": id}));
        tally.refused(format!("undo of {id}"), reply.as_ref());
    }
    tally.case("the tree", fingerprint(folder.path()) == before, "it changed");
    tally.end(100);
}

/// A project in which one file has a fix, beside a folder that is not part of it and has the same file.
struct Scene {
    place: tempfile::TempDir,
    /// The file with the fix, within the project.
    file: String,
    fix: String,
    finding: String,
    /// The file as it was.
    text: String,
}

impl Scene {
    fn new(daemon: &Daemon) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let scene = Self {
            file: String::new(),
            fix: String::new(),
            finding: String::new(),
            text: String::new(),
            place,
        };
        write_project(&scene.home(), CHAT);
        write_project(&scene.outside(), CHAT);
        let scan = post(daemon, "/scan", &json!({"path": scene.home()}))?;
        (scan.status == 200).then_some(())?;
        let preview = ask(
            daemon,
            "GET",
            &format!("/fix/preview?path={}", scene.home().display()),
            None,
        )?
        .json();
        let fix = preview["fixes"].as_array()?.iter().find(|fix| {
            let file = fix["file"].as_str().unwrap_or_default();
            scene.home().join(file).is_file() && file.contains('/')
        })?;
        let file = fix["file"].as_str()?.to_owned();
        Some(Self {
            fix: fix["fixId"].as_str()?.to_owned(),
            finding: fix["findingId"].as_str()?.to_owned(),
            text: fs::read_to_string(scene.home().join(&file)).unwrap(),
            file,
            place: scene.place,
        })
    }

    fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    fn outside(&self) -> PathBuf {
        self.place.path().join("outside")
    }

    fn apply(&self, daemon: &Daemon) -> Option<Reply> {
        let body = json!({"path": self.home(), "findingId": self.finding, "fixId": self.fix});
        post(daemon, "/fix/apply", &body)
    }

    fn undo(&self, daemon: &Daemon) -> Option<Reply> {
        post(daemon, "/fix/undo", &json!({"path": self.home()}))
    }
}

/// What takes the place of what.
type Exchange = fn(&Scene);

fn instead(path: &Path, make: impl FnOnce(&Path)) {
    let aside = path.with_extension("aside");
    fs::rename(path, &aside).unwrap();
    make(path);
}

const EXCHANGES: [(&str, Exchange); 9] = [
    ("the file by a link to a file outside", |scene| {
        instead(&scene.home().join(&scene.file), |path| {
            symlink(scene.outside().join(&scene.file), path).unwrap();
        });
    }),
    ("the file by a link that leads out by `..`", |scene| {
        instead(&scene.home().join(&scene.file), |path| {
            symlink(format!("../../outside/{}", scene.file), path).unwrap();
        });
    }),
    ("the file by another name of a file outside", |scene| {
        instead(&scene.home().join(&scene.file), |path| {
            fs::hard_link(scene.outside().join(&scene.file), path).unwrap();
        });
    }),
    ("the file by a link to a device", |scene| {
        instead(&scene.home().join(&scene.file), |path| {
            symlink("/dev/zero", path).unwrap();
        });
    }),
    ("the file by a pipe", |scene| {
        instead(&scene.home().join(&scene.file), pipe);
    }),
    ("the file by a folder", |scene| {
        instead(&scene.home().join(&scene.file), |path| fs::create_dir(path).unwrap());
    }),
    ("its folder by a link to a folder outside", |scene| {
        let folder = scene.file.split('/').next().unwrap().to_owned();
        instead(&scene.home().join(&folder), |path| {
            symlink(scene.outside().join(&folder), path).unwrap();
        });
    }),
    ("the state by a link to a folder outside", |scene| {
        instead(&scene.home().join(".compliance"), |path| {
            symlink(scene.outside(), path).unwrap();
        });
    }),
    ("the project by a link to a folder outside", |scene| {
        instead(&scene.home(), |path| symlink(scene.outside(), path).unwrap());
    }),
];

#[test]
#[ignore = "slow: a project for each exchange"]
fn exchanges_between_preview_apply_and_undo_lead_nowhere() {
    let mut tally = Tally::of("exchanges");
    let place = tempfile::tempdir().unwrap();
    let running = daemon(place.path(), &[]);
    for (name, exchange) in EXCHANGES {
        for moment in ["apply", "undo"] {
            let Some(scene) = Scene::new(&running) else {
                tally.case(format!("{name} before {moment}"), false, "no fix to try");
                continue;
            };
            if moment == "undo" {
                let applied = scene.apply(&running);
                let done = applied
                    .as_ref()
                    .is_some_and(|reply| reply.status == 200 && reply.json()["applied"] == true);
                tally.case(format!("{name}: applied before"), done, super::shown(applied.as_ref()));
            }
            let before = fingerprint(&scene.outside());
            exchange(&scene);
            let reply = if moment == "apply" {
                scene.apply(&running)
            } else {
                scene.undo(&running)
            };
            tally.answered(format!("{name} before {moment}"), reply.as_ref());
            tally.case(
                format!("{name} before {moment}: outside"),
                fingerprint(&scene.outside()) == before && !scene.outside().join(".compliance").exists(),
                "it changed",
            );
            let outside = fs::read_to_string(scene.outside().join(&scene.file)).unwrap_or_default();
            tally.case(
                format!("{name} before {moment}: the file outside"),
                outside == scene.text,
                "it changed",
            );
        }
    }
    tally.end(60);
}

#[test]
#[ignore = "slow: changes in a race"]
fn exchanges_in_a_race_lead_nowhere() {
    let mut tally = Tally::of("exchanges in a race");
    let place = tempfile::tempdir().unwrap();
    let running = daemon(place.path(), &[]);
    for what in ["file", "folder", "state"] {
        let Some(scene) = Scene::new(&running) else {
            tally.case(format!("{what} exchanged"), false, "no fix to try");
            continue;
        };
        let (path, target) = match what {
            "file" => (scene.home().join(&scene.file), scene.outside().join(&scene.file)),
            "folder" => {
                let folder = scene.file.split('/').next().unwrap();
                (scene.home().join(folder), scene.outside().join(folder))
            }
            _ => (scene.home().join(".compliance"), scene.outside()),
        };
        let before = fingerprint(&scene.outside());
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let aside = path.with_extension("aside");
                while !done.load(Ordering::Relaxed) {
                    if fs::rename(&path, &aside).is_ok() {
                        let _ = symlink(&target, &path);
                        std::thread::sleep(Duration::from_micros(300));
                        let _ = fs::remove_file(&path);
                        let _ = fs::rename(&aside, &path);
                    }
                    std::thread::sleep(Duration::from_micros(700));
                }
            });
            for round in 0..12 {
                let reply = scene.apply(&running);
                tally.case(format!("{what}: apply {round}"), reply.is_some(), "no answer");
                let reply = scene.undo(&running);
                tally.case(format!("{what}: undo {round}"), reply.is_some(), "no answer");
            }
            done.store(true, Ordering::Relaxed);
        });
        tally.case(
            format!("{what} exchanged: outside"),
            fingerprint(&scene.outside()) == before && !scene.outside().join(".compliance").exists(),
            "it changed",
        );
    }
    tally.end(75);
}
