//! Trees that want to do harm: the scan ends, in bounded memory, finds what is there, and names what it skipped.
//!
//! Every tree holds one real use of a model beside the hostile thing. The sizes are those of a quick run;
//! `cargo xtask hostile` sets `HOSTILE_FULL` and runs them at full size.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{BINARY, CHAT, PATIENCE, project};

/// Memory that the process may map, in KiB.
const MEMORY_KIB: u64 = 512 * 1024;

/// Whether the trees have the sizes of the long run.
fn full() -> bool {
    std::env::var_os("HOSTILE_FULL").is_some()
}

/// Runs a command to its end. One that hangs is killed and fails the test.
#[track_caller]
fn end_of(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let kill = format!("kill -KILL {}", child.id());
    let (ended, waiting) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hangs = waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
        hangs && Command::new("sh").args(["-c", &kill]).status().unwrap().success()
    });
    let output = child.wait_with_output().unwrap();
    drop(ended);
    assert!(!watch.join().unwrap(), "the command does not end: {command:?}");
    output
}

/// Scans under the limit of memory, and asserts what holds for every tree.
#[track_caller]
fn scan(folder: &Path) -> Value {
    let output = end_of(
        Command::new("sh")
            .args(["-c", &format!("ulimit -v {MEMORY_KIB} && exec \"$0\" \"$@\"")])
            .args([BINARY, "scan", ".", "--no-state", "--format", "json"])
            .current_dir(folder)
            .stdin(Stdio::null()),
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {errors}", output.status);
    let scan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let planted = scan["inventory"]["calls"]
        .as_array()
        .unwrap()
        .iter()
        .any(|call| call["file"] == "app/main.py" && call["line"] == 10 && call["kind"] == "call");
    assert!(
        planted,
        "the planted call was not found: {}",
        scan["applicabilityReason"]
    );
    assert_eq!(scan["applicability"], "systems_found");
    scan
}

/// The reason for which a path was skipped.
fn reason<'a>(scan: &'a Value, path: &str) -> Option<&'a str> {
    scan["filesSkipped"]
        .as_array()?
        .iter()
        .find(|skipped| skipped["path"] == path)?["reason"]
        .as_str()
}

#[track_caller]
fn assert_skipped(scan: &Value, path: &str, why: &str) {
    assert_eq!(reason(scan, path), Some(why), "{path}: {}", scan["filesSkipped"]);
}

fn tree() -> TempDir {
    project(CHAT)
}

#[test]
fn pipes_sockets_and_devices_are_named_and_not_opened() {
    let folder = tree();
    assert!(
        Command::new("mkfifo")
            .arg(folder.path().join("pipe.py"))
            .status()
            .unwrap()
            .success()
    );
    let _socket = UnixListener::bind(folder.path().join("socket.py")).unwrap();
    // Only the superuser can make a device; elsewhere the pipe speaks for it.
    let device = Command::new("mknod")
        .args([
            folder.path().join("zero.py").as_os_str(),
            OsStr::new("c"),
            OsStr::new("1"),
            OsStr::new("5"),
        ])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let scan = scan(folder.path());
    assert_skipped(&scan, "pipe.py", "not-regular");
    assert_skipped(&scan, "socket.py", "not-regular");
    if device {
        assert_skipped(&scan, "zero.py", "not-regular");
    }
}

#[test]
fn a_sparse_gibibyte_is_named_and_costs_nothing() {
    let folder = tree();
    File::create(folder.path().join("huge.py"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    File::create(folder.path().join("huge.bin"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    let scan = scan(folder.path());
    assert_skipped(&scan, "huge.py", "too-large");
    assert_skipped(&scan, "huge.bin", "too-large");
}

#[test]
fn two_thousand_nested_folders_end_at_the_limit() {
    let folder = tree();
    let mut path = folder.path().to_path_buf();
    for _ in 0..2_000 {
        path.push("d");
        fs::create_dir(&path).unwrap();
    }
    fs::write(path.join("deep.py"), "import openai\n").unwrap();
    let scan = scan(folder.path());
    let deep: Vec<&str> = scan["filesSkipped"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|skipped| skipped["reason"] == "too-deep")
        .filter_map(|skipped| skipped["path"].as_str())
        .collect();
    assert!(deep.len() == 1 && deep[0].starts_with("d/d/d/"), "{deep:?}");
    // The folder of the test removes itself with one open handle for each level, of which there are not enough.
    assert!(
        Command::new("rm")
            .args(["-rf", "d"])
            .current_dir(folder.path())
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn links_in_circles_and_out_of_the_tree_are_not_followed() {
    let outside =
        project("//- other/app.py\nimport openai\nopenai.OpenAI().responses.create(model='gpt-4.1', input='x')\n");
    let folder = tree();
    symlink("..", folder.path().join("app/up")).unwrap();
    symlink("loop", folder.path().join("loop")).unwrap();
    symlink(".", folder.path().join("self")).unwrap();
    symlink(outside.path().join("other"), folder.path().join("out")).unwrap();
    symlink(outside.path().join("other/app.py"), folder.path().join("out.py")).unwrap();
    symlink("/etc/passwd", folder.path().join("model.pkl")).unwrap();
    let scan = scan(folder.path());
    for path in ["app/up", "loop", "self", "out", "out.py", "model.pkl"] {
        assert_skipped(&scan, path, "symbolic-link");
    }
    assert_eq!(
        scan["inventory"]["calls"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|call| call["kind"] == "call")
            .count(),
        1
    );
    assert_eq!(scan["inventory"]["modelFiles"], Value::Array(Vec::new()));
}

#[test]
fn what_may_not_be_read_is_named() {
    let folder = tree();
    let file = folder.path().join("locked.py");
    let closed = folder.path().join("closed");
    fs::write(&file, "import openai\n").unwrap();
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("a.py"), "x = 1\n").unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o000)).unwrap();
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    // The superuser reads everything.
    let readable = File::open(&file).is_ok();
    let scan = scan(folder.path());
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o755)).unwrap();
    if !readable {
        assert_skipped(&scan, "locked.py", "unreadable");
        assert_skipped(&scan, "closed/", "unreadable");
    }
}

#[test]
fn names_that_are_no_unicode_are_named_as_far_as_they_can_be() {
    let folder = tree();
    fs::write(folder.path().join(OsStr::from_bytes(b"caf\xE9.py")), "import openai\n").unwrap();
    fs::create_dir(folder.path().join(OsStr::from_bytes(b"\xFF\xFE"))).unwrap();
    fs::write(folder.path().join("line\nbreak\u{1b}[31m.py"), "x = 1\n").unwrap();
    let scan = scan(folder.path());
    assert_skipped(&scan, "caf\u{FFFD}.py", "name-encoding");
    assert_skipped(&scan, "\u{FFFD}\u{FFFD}/", "name-encoding");
}

#[test]
fn text_in_utf_16_is_read_and_bytes_that_are_no_text_are_named() {
    let folder = tree();
    let code = "import OpenAI from 'openai';\nconst client = new OpenAI();\nexport const ask = async (q) => client.responses.create({ model: 'gpt-4.1', input: q });\n";
    let wide: Vec<u8> = [0xFEFF]
        .into_iter()
        .chain(code.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(folder.path().join("app/wide.ts"), wide).unwrap();
    fs::write(folder.path().join("app/nul.py"), b"import openai\0\nopenai.OpenAI()\n").unwrap();
    let late = [b"import openai\n".as_slice(), &b"x = 1\n".repeat(3000), b"\0"].concat();
    fs::write(folder.path().join("app/late.py"), late).unwrap();
    fs::write(folder.path().join("app/odd.ts"), b"\xFF\xFEi").unwrap();
    let scan = scan(folder.path());
    let calls = scan["inventory"]["calls"].as_array().unwrap();
    assert!(
        calls
            .iter()
            .any(|call| call["file"] == "app/wide.ts" && call["kind"] == "call"),
        "{calls:?}"
    );
    assert_skipped(&scan, "app/nul.py", "not-evaluated");
    assert_skipped(&scan, "app/late.py", "not-evaluated");
}

#[test]
fn fifty_megabytes_on_one_line_are_named_and_seven_are_read() {
    let folder = tree();
    let mut file = File::create(folder.path().join("app/line.js")).unwrap();
    let piece = b"a=b(c);".repeat(150_000);
    for _ in 0..50 {
        file.write_all(&piece).unwrap();
    }
    drop(file);
    let line = format!(
        "import OpenAI from 'openai';{}",
        "f({a:1,b:[2,3]});".repeat(if full() { 430_000 } else { 60_000 })
    );
    fs::write(folder.path().join("app/bundle.js"), line).unwrap();
    fs::write(
        folder.path().join("app/lib.min.js"),
        "!function(e,t){e.openai=t}(this,1);".repeat(30_000),
    )
    .unwrap();
    fs::write(folder.path().join("one-line.md"), "openai ".repeat(200_000)).unwrap();
    fs::write(
        folder.path().join("one-line.json"),
        format!("[{}1]", "1,".repeat(500_000)),
    )
    .unwrap();
    let scan = scan(folder.path());
    assert_skipped(&scan, "app/line.js", "too-large");
}

#[test]
fn lock_files_nested_deep_and_repeated_end() {
    let folder = tree();
    let deep = format!("{}{}", r#"{"dependencies":{"a":"#.repeat(50_000), "1");
    fs::write(folder.path().join("package-lock.json"), deep).unwrap();
    fs::write(folder.path().join("composer.lock"), "[".repeat(500_000)).unwrap();
    fs::write(
        folder.path().join("pnpm-lock.yaml"),
        (0..2_000)
            .flat_map(|depth| [" ".repeat(depth), "a:\n".to_owned()])
            .collect::<String>(),
    )
    .unwrap();
    fs::write(folder.path().join("Cargo.lock"), format!("a = {}", "[".repeat(300_000))).unwrap();
    fs::write(folder.path().join("pom.xml"), "<a>".repeat(300_000)).unwrap();
    let mut path = folder.path().to_path_buf();
    for number in 0..60 {
        path.push("packages");
        fs::create_dir(&path).unwrap();
        let lock = format!(
            r#"{{"lockfileVersion":3,"packages":{{"":{{"name":"p{number}"}},"node_modules/left{number}":{{"version":"1.0.0"}}}}}}"#
        );
        fs::write(path.join("package-lock.json"), lock).unwrap();
    }
    let scan = scan(folder.path());
    let packages = scan["inventory"]["packages"].as_array().unwrap();
    assert_eq!(
        packages
            .iter()
            .filter(|package| package["name"].as_str().is_some_and(|name| name.starts_with("left")))
            .count(),
        60
    );
    assert!(
        packages.iter().any(|package| package["name"] == "openai"),
        "{}",
        packages.len()
    );
}

/// Serialised objects that call a shell.
const PICKLE: &[u8] = b"cposix\nsystem\n(S'echo loaded'\ntR.";

fn unsafe_files(scan: &Value) -> Vec<&str> {
    let findings = scan["findings"].as_array().unwrap();
    let mut files: Vec<&str> = findings
        .iter()
        .filter(|finding| finding["checkId"] == "l3-unsafe-model-file")
        .filter_map(|finding| finding["file"].as_str())
        .collect();
    files.sort_unstable();
    files
}

#[test]
fn bombs_end_with_their_budget_and_are_named() {
    let folder = tree();
    let size = if full() { 4_u64 << 30 } else { 256 << 20 };
    let pack = |name: &str, head: &[u8]| {
        let mut packer = flate2::GzBuilder::new().write(
            File::create(folder.path().join(name)).unwrap(),
            flate2::Compression::fast(),
        );
        packer.write_all(head).unwrap();
        let zeros = vec![b'N'; 1 << 20];
        for _ in 0..size >> 20 {
            packer.write_all(&zeros).unwrap();
        }
        packer.finish().unwrap();
    };
    pack("bomb.pkl.gz", b"\x80\x04");
    pack("bomb.pkl", b"\x80\x04");
    // An archive of archives, one in the other, each with a pickle.
    let mut archive = store("m/data.pkl", PICKLE_4);
    for _ in 0..30 {
        archive = store("m/inner.pt", &archive);
    }
    fs::write(folder.path().join("nested.pt"), &archive).unwrap();
    fs::write(folder.path().join("ranker.pt"), store("m/data.pkl", PICKLE_4)).unwrap();
    let scan = scan(folder.path());
    let files = scan["inventory"]["modelFiles"].as_array().unwrap();
    for name in ["bomb.pkl", "bomb.pkl.gz", "nested.pt"] {
        let file = files
            .iter()
            .find(|file| file["file"] == name)
            .unwrap_or_else(|| panic!("{name}: {files:?}"));
        assert_eq!(file["read"], "part", "{file}");
    }
    assert_eq!(unsafe_files(&scan), ["ranker.pt"]);
}

/// The same with a header of protocol 4.
const PICKLE_4: &[u8] = b"\x80\x04cposix\nsystem\n(S'echo loaded'\ntR.";

/// A zip archive of one stored member, with its checksum left at zero: what loads it often does not look.
fn store(name: &str, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    let name_length = u16::try_from(name.len()).unwrap().to_le_bytes();
    let fields = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &length,
        &length,
        &name_length,
    ]
    .concat();
    let mut out = [b"PK\x03\x04".as_slice(), &fields, &[0, 0], name.as_bytes(), content].concat();
    let start = u32::try_from(out.len()).unwrap().to_le_bytes();
    let directory = [b"PK\x01\x02\x14\0".as_slice(), &fields, &[0; 16], name.as_bytes()].concat();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    out.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    out.extend(start);
    out.extend([0, 0]);
    out
}

#[test]
fn ten_gibibytes_of_weights_are_told_by_their_header() {
    let folder = tree();
    let size = 10_u64 << 30;
    let header = format!(r#"{{"w":{{"dtype":"U8","shape":[{size}],"data_offsets":[0,{size}]}}}}"#);
    let mut file = File::create(folder.path().join("model.safetensors")).unwrap();
    file.write_all(&(header.len() as u64).to_le_bytes()).unwrap();
    file.write_all(header.as_bytes()).unwrap();
    file.set_len(8 + header.len() as u64 + size).unwrap();
    // Serialised objects with a long object in front of the call.
    let mut file = File::create(folder.path().join("model.pkl")).unwrap();
    file.write_all(b"\x80\x04\x8e").unwrap();
    file.write_all(&(9_u64 << 30).to_le_bytes()).unwrap();
    file.set_len(11 + (9 << 30)).unwrap();
    drop(file);
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(folder.path().join("model.pkl"))
        .unwrap();
    file.write_all(b"0cposix\nsystem\n(S'id'\ntR.").unwrap();
    drop(file);
    let scan = scan(folder.path());
    let files = scan["inventory"]["modelFiles"].as_array().unwrap();
    let weights = files.iter().find(|file| file["file"] == "model.safetensors").unwrap();
    assert_eq!(
        (&weights["parameters"], &weights["read"]),
        (&Value::from(size), &Value::from("structure"))
    );
    assert_eq!(unsafe_files(&scan), ["model.pkl"]);
    assert_eq!(reason(&scan, "model.safetensors"), None, "what was told is not skipped");
}

#[test]
fn files_that_change_grow_and_vanish_during_the_scan_do_no_harm() {
    let folder = tree();
    let busy = folder.path().join("busy");
    fs::create_dir(&busy).unwrap();
    let name = |number: usize| busy.join(format!("f{number}.py"));
    for number in 0..400 {
        fs::write(name(number), "import openai\nx = openai.OpenAI()\n").unwrap();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !done.load(Ordering::Relaxed) {
                for number in 0..400 {
                    let path = name(number);
                    // Any of these may fail, as the folder changes under them too.
                    let _ = match (number + round) % 5 {
                        0 => fs::remove_file(&path),
                        1 => fs::write(&path, "x = 1\n".repeat(5_000)),
                        2 => fs::remove_file(&path).and_then(|()| symlink("/etc/passwd", &path)),
                        3 => fs::create_dir(&path),
                        _ => fs::remove_dir(&path).and_then(|()| fs::write(&path, [0, 1, 2])),
                    };
                }
                round += 1;
            }
        });
        for _ in 0..3 {
            scan(folder.path());
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_hundred_thousand_tiny_files_are_all_read() {
    let folder = tree();
    let count = if full() { 100_000 } else { 12_000 };
    for group in 0..count / 500 {
        let group_folder = folder.path().join(format!("g{group}"));
        fs::create_dir(&group_folder).unwrap();
        for number in 0..500 {
            fs::write(group_folder.join(format!("f{number}.py")), format!("x = {number}\n")).unwrap();
        }
    }
    let scan = scan(folder.path());
    assert_eq!(scan["filesScanned"], count / 500 * 500 + 4);
    assert_eq!(scan["filesSkippedTotal"], 0);
}

#[test]
fn a_tree_of_model_files_alone_is_undetermined_and_says_what_they_do() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.pt"), store("m/data.pkl", PICKLE_4)).unwrap();
    fs::write(folder.path().join("notes.txt"), PICKLE).unwrap();
    let output = Command::new(BINARY)
        .args(["scan", ".", "--no-state", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let scan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(scan["applicability"], "undetermined", "{}", scan["applicabilityReason"]);
    assert_eq!(scan["obligations"], Value::Array(Vec::new()));
    assert_eq!(unsafe_files(&scan), ["model.pt", "notes.txt"]);
    assert!(
        scan["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|finding| finding["obligationId"].is_null() && finding["explanation"].is_null()),
        "{}",
        scan["findings"]
    );
}
