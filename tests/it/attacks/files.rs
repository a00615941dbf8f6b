//! Files of the state folder and of the tree that want to exhaust the daemon, and requests that write where they may not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{MEMORY_MIB, Tally, ask, attacked, daemon, memory_peak_mib, pipe};
use crate::support::{CHAT, Daemon, Reply, fingerprint, project};

fn scan(daemon: &Daemon, folder: &Path) -> Option<Reply> {
    ask(
        daemon,
        "POST",
        "/scan",
        Some(&json!({"path": folder.to_str().unwrap()})),
    )
}

fn state(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(".compliance").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn special_files_in_the_state_folder_are_refused() {
    let place = project(CHAT);
    let daemon = daemon(place.path(), &[]);
    let outside = project("//- secret.txt\nnobody reads this\n");
    let mut tally = Tally::of("special state files");
    for name in [
        "suppressions.toml",
        "config.toml",
        "baseline.json",
        "profile.toml",
        "passports/x.json",
        "state.db",
        "state.db-wal",
        "lock",
        ".gitignore",
    ] {
        for kind in ["pipe", "zero", "outside", "folder"] {
            let folder = project(CHAT);
            let path = folder.path().join(".compliance").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match kind {
                "pipe" => pipe(&path),
                "zero" => symlink("/dev/zero", &path).unwrap(),
                "outside" => symlink(outside.path().join("secret.txt"), &path).unwrap(),
                _ => fs::create_dir(&path).unwrap(),
            }
            let reply = scan(&daemon, folder.path());
            tally.answered(format!("{name} as {kind}: scan"), reply.as_ref());
            let leaks = reply.is_some_and(|reply| reply.body.contains("nobody reads this"));
            tally.case(format!("{name} as {kind}: content"), !leaks, "it came back");
        }
    }
    for kind in ["link", "file", "pipe"] {
        let folder = project(CHAT);
        let path = folder.path().join(".compliance");
        match kind {
            "link" => symlink(outside.path(), &path).unwrap(),
            "file" => fs::write(&path, "x").unwrap(),
            _ => pipe(&path),
        }
        tally.refused(format!(".compliance as {kind}"), scan(&daemon, folder.path()).as_ref());
    }
    let written = fs::read_dir(outside.path()).unwrap().count();
    tally.case("outside the project", written == 1, format!("{written} entries"));
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(75);
}

#[test]
fn large_files_of_the_state_are_named_and_not_worked_off() {
    let place = project(CHAT);
    let daemon = daemon(place.path(), &[]);
    let mut tally = Tally::of("large state files");
    let entry = "[[suppression]]\ncheck = 'l4-x'\nkind = 'accepted_risk'\nreason = 'r'\nowner = 'o'\n";
    let limits: [(&str, String); 8] = [
        ("suppressions.toml", "[[suppression]]\n".repeat(64_000)),
        ("suppressions.toml", entry.repeat(10_001)),
        (
            "suppressions.toml",
            format!("suppression = [{}]", "{check='a'},".repeat(64_000)),
        ),
        ("suppressions.toml", "#".repeat(30_000_000)),
        ("config.toml", format!("[gate]\n{}", "# x\n".repeat(8_000_000))),
        ("config.toml", format!("a = {}", "[".repeat(200_000))),
        ("baseline.json", format!("[{}", "[".repeat(3_000_000))),
        ("profile.toml", "#".repeat(30_000_000)),
    ];
    for (index, (name, text)) in limits.into_iter().enumerate() {
        let folder = project(CHAT);
        state(folder.path(), name, text);
        tally.refused(format!("{name} {index}"), scan(&daemon, folder.path()).as_ref());
    }
    for (name, text) in [
        ("suppressions.toml", entry.repeat(9_000)),
        (
            "profile.toml",
            "[answers]\n".to_owned() + &(0..30_000).map(|n| format!("a{n} = 1\n")).collect::<Vec<_>>().concat(),
        ),
        ("baseline.json", "{}".to_owned()),
    ] {
        let folder = project(CHAT);
        state(folder.path(), name, text);
        tally.answered(format!("{name} below the limit"), scan(&daemon, folder.path()).as_ref());
    }
    let folder = project(CHAT);
    for number in 0..60 {
        let filler = "x".repeat(900_000);
        state(
            folder.path(),
            &format!("passports/p{number}.json"),
            json!({"name": format!("p{number}"), "note": filler}).to_string(),
        );
    }
    let query = format!("?path={}", folder.path().to_str().unwrap());
    for route in [
        "/agent/list",
        "/agent/registry",
        "/agent/completeness",
        "/agent/autonomy",
        "/agent/permissions",
    ] {
        tally.answered(
            format!("60 passports: {route}"),
            ask(&daemon, "GET", &format!("{route}{query}"), None).as_ref(),
        );
    }
    let folder = project(CHAT);
    state(folder.path(), "passports/deep.json", "[".repeat(400_000));
    let query = format!("?path={}", folder.path().to_str().unwrap());
    tally.answered(
        "deep passport",
        ask(&daemon, "GET", &format!("/agent/list{query}"), None).as_ref(),
    );
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(17);
}

#[test]
fn no_get_writes_into_a_project_that_was_never_scanned() {
    let place = project(CHAT);
    let daemon = daemon(place.path(), &[]);
    let folder = project(CHAT);
    let before = fingerprint(folder.path());
    let mut tally = Tally::of("reading");
    let document = ask(&daemon, "GET", "/openapi.json", None).unwrap().json();
    let encoded = folder.path().to_str().unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(get) = methods.get("get") else { continue };
        if path == "/events" {
            continue;
        }
        let takes_path = get["parameters"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["name"] == "path"));
        let target = path
            .replace("{id}", &"0".repeat(32))
            .replace("{code}", "DE")
            .replace("{n}", "1");
        let query = if takes_path {
            format!("?path={encoded}")
        } else {
            String::new()
        };
        for method in ["GET", "HEAD"] {
            let reply = ask(&daemon, method, &format!("{target}{query}"), None);
            tally.answered(format!("{method} {target}"), reply.as_ref());
            let clean = !folder.path().join(".compliance").exists();
            tally.case(
                format!("{method} {target} writes nothing"),
                clean,
                "`.compliance` is there",
            );
        }
    }
    tally.case("the tree", fingerprint(folder.path()) == before, "it changed");
    tally.end(60);
}

#[test]
fn links_that_take_the_place_of_folders_lead_nowhere() {
    let mut tally = Tally::of("links");
    let outside = tempfile::tempdir().unwrap();
    // The folder of the running project is replaced.
    let place = tempfile::tempdir().unwrap();
    let home = place.path().join("home");
    fs::create_dir(&home).unwrap();
    crate::support::write_project(&home, CHAT);
    let running = daemon(&home, &["--project", "."]);
    let first = scan(&running, &home);
    tally.answered("the project", first.as_ref());
    fs::rename(&home, place.path().join("moved")).unwrap();
    symlink(outside.path(), &home).unwrap();
    for (method, route, body) in [
        ("POST", "/scan", Some(json!({"path": home.to_str().unwrap()}))),
        ("POST", "/scan", Some(json!({"path": "."}))),
        ("POST", "/agent/init", Some(json!({}))),
        ("POST", "/report/markdown", Some(json!({}))),
        ("POST", "/onboarding/guided/start", Some(json!({}))),
        ("GET", "/sbom", None),
    ] {
        let reply = ask(&running, method, route, body.as_ref());
        tally.answered(format!("{method} {route} after the exchange"), reply.as_ref());
        let written = fs::read_dir(outside.path()).unwrap().count();
        tally.case(
            format!("{method} {route} writes nothing elsewhere"),
            written == 0,
            format!("{written} entries"),
        );
    }
    drop(running);
    // Folders of the state are exchanged while passports are made.
    for folder_name in ["passports", "reports", "documents"] {
        let folder = project(CHAT);
        let busy = daemon(folder.path(), &["--project", "."]);
        tally.answered("scan", scan(&busy, folder.path()).as_ref());
        let target = folder.path().join(".compliance").join(folder_name);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let aside = target.with_extension("aside");
                    let _ = fs::rename(&target, &aside);
                    let _ = symlink(outside.path(), &target);
                    std::thread::sleep(Duration::from_micros(300));
                    let _ = fs::remove_file(&target);
                    let _ = fs::rename(&aside, &target);
                    std::thread::sleep(Duration::from_micros(300));
                }
            });
            for round in 0..4 {
                let init = json!({"path": ".", "force": true, "overrides": {"description": format!("round {round}")}});
                let reply = ask(&busy, "POST", "/agent/init", Some(&init));
                tally.answered(format!("{folder_name} exchanged: init"), reply.as_ref());
                let reply = ask(&busy, "POST", "/report/markdown", Some(&json!({"path": "."})));
                tally.answered(format!("{folder_name} exchanged: report"), reply.as_ref());
            }
            done.store(true, Ordering::Relaxed);
        });
        let written = fs::read_dir(outside.path()).unwrap().count();
        tally.case(
            format!("{folder_name} exchanged"),
            written == 0,
            format!("{written} entries outside"),
        );
    }
    tally.end(35);
}

#[test]
fn the_daemon_survives_what_happens_to_its_files() {
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("files of the daemon");
    tally.answered("scan", scan(&running, folder.path()).as_ref());
    for name in ["state.db-shm", "state.db-wal", "lock"] {
        let path = folder.path().join(".compliance").join(name);
        if path.exists() {
            fs::OpenOptions::new().write(true).truncate(true).open(&path).unwrap();
        } else {
            fs::write(&path, b"").unwrap();
        }
        for route in ["/agent/evidence", "/debt", "/fix/history", "/shares", "/eval/list"] {
            let reply = ask(&running, "GET", &format!("{route}?path=."), None);
            tally.case(format!("{name} emptied: {route}"), reply.is_some(), "no answer");
        }
        let status = ask(&running, "GET", "/status", None);
        tally.case(
            format!("{name} emptied"),
            status.is_some_and(|reply| reply.status == 200),
            "the daemon is gone",
        );
    }
    drop(running);
    // A key that is a pipe.
    let data = tempfile::tempdir().unwrap();
    pipe(&data.path().join("signing-key.pem"));
    let folder = project(CHAT);
    let mut command = attacked();
    command
        .current_dir(folder.path())
        .args(["--port", "0"])
        .env("ENGINE_DATA_DIR", data.path());
    let running = Daemon::spawn(command);
    tally.answered("a key that is a pipe", scan(&running, folder.path()).as_ref());
    tally.end(19);
}

#[test]
fn many_projects_do_not_use_up_the_descriptors() {
    let place = project(CHAT);
    let running = daemon(place.path(), &[]);
    let mut tally = Tally::of("projects");
    let all = tempfile::tempdir().unwrap();
    for number in 0..120 {
        let folder = all.path().join(number.to_string());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.py"), "x = 1\n").unwrap();
        let reply = scan(&running, &folder);
        tally.case(
            format!("project {number}"),
            reply.as_ref().is_some_and(|reply| reply.status == 200),
            super::shown(reply.as_ref()),
        );
    }
    let open = fs::read_dir(format!("/proc/{}/fd", running.child.id()))
        .unwrap()
        .count();
    tally.case("descriptors", open < 400, format!("{open} are open"));
    // One that was closed is opened again, by this daemon and, once it is closed, by another engine.
    tally.case(
        "the first again",
        scan(&running, &all.path().join("0")).is_some_and(|reply| reply.status == 200),
        "not opened",
    );
    tally.end(122);
}

#[test]
fn reports_are_written_to_new_files_below_their_folder_only() {
    let folder = project(CHAT);
    let running = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("output paths");
    tally.answered("scan", scan(&running, folder.path()).as_ref());
    state(folder.path(), "baseline.json", "kept");
    state(folder.path(), "reports/mine.md", "kept");
    state(folder.path(), "documents/fria.md", "kept");
    let outputs = [
        "baseline.json",
        ".compliance/baseline.json",
        "documents/fria.md",
        "reports/../baseline.json",
        "reports/../../app/main.py",
        "reports/mine.md",
        ".compliance/reports/mine.md",
        "private/x.json",
        "notes.txt",
        "passports/x.json",
        "state.db",
        "lock",
        ".env",
        "reports/.env",
        "/etc/x.md",
        "../x.md",
        "reports/x.sh",
        "reports",
        "reports/a\u{0}b.md",
        "reports\\..\\..\\x.md",
    ];
    for output in outputs {
        for route in ["/report/markdown", "/eval/remediation-report"] {
            let reply = ask(
                &running,
                "POST",
                route,
                Some(&json!({"path": ".", "outputPath": output})),
            );
            tally.refused(format!("{route} {output:?}"), reply.as_ref());
        }
        let body = json!({"path": ".", "target": "http://127.0.0.1:9/", "outputPath": output, "maxProbes": 1});
        tally.refused(
            format!("/eval/run {output:?}"),
            ask(&running, "POST", "/eval/run", Some(&body)).as_ref(),
        );
    }
    for name in ["baseline.json", "reports/mine.md", "documents/fria.md"] {
        let text = fs::read_to_string(folder.path().join(".compliance").join(name)).unwrap();
        tally.case(format!("{name} is untouched"), text == "kept", text);
    }
    tally.end(60);
}
