//! The daemon answers while it works.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::support::{Daemon, Reply, read_until, wait_for};

/// Files of the generated project.
const FILES: usize = 5_000;

/// Answers during one scan, at least. Each takes less than this part of the scan, so none waits for the work.
const ANSWERS_MIN: usize = 50;

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
fn the_status_is_told_many_times_while_one_large_project_is_scanned() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path());
    let daemon = Daemon::start(folder.path(), &[]);
    let mut scan = daemon.connect();
    let body = r#"{"path": "."}"#;
    let head = "POST /scan HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";
    write!(scan, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();

    wait_for("the scan", || daemon.get("/status").json()["status"] == "scanning");
    let mut stream = daemon.connect();
    let mut answers = 0;
    loop {
        stream
            .write_all(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let text = read_until(&mut stream, "\"outbound\":[]}");
        if Reply::parse(&text).json()["status"] != "scanning" {
            break;
        }
        answers += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    let reply = Reply::read(&mut scan);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["filesScanned"], FILES);
    println!("{answers} answers during the scan");
    // How long one takes on an optimised build is told by `cargo xtask bench http`.
    assert!(answers >= ANSWERS_MIN, "{answers}");
}
