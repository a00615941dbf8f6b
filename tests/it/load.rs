//! The daemon answers while it works.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Daemon, Reply, read_until, wait_for};

/// Files of the generated project.
const FILES: usize = 5_000;

/// What an answer may take in a build that is not optimised, on a machine that does other things too.
const STATUS_MAX: Duration = Duration::from_millis(50);

fn generate(folder: &Path) {
    for number in 0..FILES {
        let module = folder.join(format!("pkg{}", number / 100));
        fs::create_dir_all(&module).unwrap();
        let mut text = String::from("import json\nfrom openai import OpenAI\n\nclient = OpenAI()\n\n\n");
        for function in 0..10 {
            let _ = writeln!(
                text,
                "def handle_{function}(message):\n    data = json.loads(message)\n    return data[\"{number}\"]\n\n"
            );
        }
        if number % 500 == 0 {
            text.push_str("def ask(text):\n    return client.responses.create(model=\"gpt-4o\", input=text)\n");
        }
        fs::write(module.join(format!("m{number}.py")), text).unwrap();
    }
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn the_status_is_told_at_once_while_a_large_project_is_scanned() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path());
    let daemon = Daemon::start(folder.path(), &[]);
    let mut scan = daemon.connect();
    let body = r#"{"path": "."}"#;
    let head = "POST /scan HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";
    write!(scan, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();

    wait_for("the scan", || daemon.get("/status").json()["status"] == "scanning");
    let mut stream = daemon.connect();
    let mut took = Vec::new();
    loop {
        let started = Instant::now();
        stream
            .write_all(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let text = read_until(&mut stream, "\"outbound\":[]}");
        took.push(started.elapsed());
        if Reply::parse(&text).json()["status"] != "scanning" {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let reply = Reply::read(&mut scan);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["filesScanned"], FILES);
    assert!(took.len() >= 10, "the scan was over too soon to measure: {took:?}");
    took.sort_unstable();
    let of_twenty = |share: usize| took[took.len() * share / 20];
    println!(
        "{} answers: median {:?}, 95 % {:?}, longest {:?}",
        took.len(),
        of_twenty(10),
        of_twenty(19),
        took[took.len() - 1]
    );
    // One in twenty may be late: the machine of a test has other work.
    assert!(of_twenty(19) < STATUS_MAX, "{took:?}");
}
