//! What all tests need: projects on the disk, the daemon as a process, and a small HTTP client.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longest that a test waits for anything. Only what hangs takes that long, on a machine that is busy too.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_engine-server");

/// A small service that sends what its users write to a model.
pub(crate) const CHAT: &str = r#"//- app/main.py
from fastapi import FastAPI
from openai import OpenAI

app = FastAPI()
client = OpenAI()


@app.post("/chat")
def chat(message: str) -> str:
    reply = client.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "user", "content": message}],
    )
    return reply.choices[0].message.content
//- templates/index.html
<!doctype html>
<html lang="en">
<head><title>Desk</title></head>
<body><h1>Ask our desk</h1><form><label>Question <input name="message"></label></form></body>
</html>
//- requirements.txt
fastapi==0.115.0
openai==1.51.0
//- README.md
# Chat

Answers questions of customers.
"#;

/// A project in a folder of its own; each file follows a line with `//- ` and its path.
pub(crate) fn project(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_project(folder.path(), text);
    folder
}

pub(crate) fn write_project(folder: &Path, text: &str) {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("//- ") {
            files.push((path, String::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.push_str(line);
            content.push('\n');
        }
    }
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// A copy of one of the example projects, in a folder of its own.
pub(crate) fn example(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/projects")
            .join(name),
        folder.path(),
    );
    folder
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() == ".compliance" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Digest and time of every file and folder outside `.compliance`.
pub(crate) fn fingerprint(folder: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(root: &Path, folder: &Path, all: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() == ".compliance" && folder == root {
                continue;
            }
            let path = entry.path();
            let metadata = entry.metadata().unwrap();
            let content = if metadata.is_dir() {
                walk(root, &path, all);
                "folder".to_owned()
            } else {
                blake3::hash(&fs::read(&path).unwrap()).to_hex().to_string()
            };
            let modified = if metadata.is_dir() {
                None
            } else {
                metadata.modified().ok()
            };
            let text = format!("{content} {modified:?} {:?}", metadata.permissions());
            all.insert(path.strip_prefix(root).unwrap().to_owned(), text);
        }
    }
    let mut all = BTreeMap::new();
    walk(folder, folder, &mut all);
    all
}

/// Where the daemons and commands of the tests keep their keys: never in the folder of whoever runs the tests.
pub(crate) const DATA_DIR: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/user");

/// The binary, about to be started.
pub(crate) fn binary() -> Command {
    let mut command = Command::new(BINARY);
    command
        .env("ENGINE_DATA_DIR", DATA_DIR)
        // No test uses a package runner that happens to be on the machine.
        .env("UV", "")
        .env_remove("ENGINE_SIGNING_KEY");
    // Whoever runs the tests may have keys of language models.
    for name in engine::SETTING_NAMES {
        command.env_remove(name);
    }
    command
}

/// Runs the binary to its end.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    binary()
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The daemon as a process of its own; it is killed when the test ends.
pub(crate) struct Daemon {
    pub(crate) child: Child,
    pub(crate) port: u16,
}

impl Daemon {
    /// Starts a daemon in a folder, on a free port.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = binary();
        command.current_dir(folder).args(["--port", "0"]).args(arguments);
        Self::spawn(command)
    }

    pub(crate) fn spawn(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let port = line
            .trim()
            .strip_prefix("listening on http://127.0.0.1:")
            .and_then(|port| port.parse().ok());
        Self {
            port: port.unwrap_or_else(|| panic!("the daemon did not start: {line:?}")),
            child,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.send("GET", target, "", b"")
    }

    pub(crate) fn post(&self, target: &str, body: &str) -> Reply {
        self.send("POST", target, "Content-Type: application/json\r\n", body.as_bytes())
    }

    /// Sends one request with the headers given beside the usual ones.
    pub(crate) fn send(&self, method: &str, target: &str, headers: &str, body: &[u8]) -> Reply {
        let length = if body.is_empty() && method != "POST" {
            String::new()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{headers}{length}\r\n",
            self.port
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    /// Sends bytes as they are and reads until the daemon closes.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        Reply::read(&mut stream)
    }

    /// Tells the daemon to stop, as a service manager does.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let pid = self.child.id();
        assert!(
            Command::new("sh")
                .args(["-c", &format!("kill -TERM {pid}")])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for the end of the process.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let mut code = None;
        wait_for("the end of the daemon", || match self.child.try_wait().unwrap() {
            Some(status) => {
                code = status.code();
                true
            }
            None => false,
        });
        code
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A reply as it came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    /// The body as it came, where it is no text.
    pub(crate) bytes: Vec<u8>,
}

impl Reply {
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let body = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .map(|at| bytes.split_off(at + 4));
        let text = String::from_utf8(bytes).unwrap();
        let body = body.unwrap_or_default();
        Self {
            body: String::from_utf8_lossy(&body).into_owned(),
            bytes: body,
            ..Self::parse(&text)
        }
    }

    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("this is no reply: {text:?}"));
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .and_then(|status| status.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        Self {
            status: status.unwrap_or_else(|| panic!("no status: {head}")),
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
            bytes: body.as_bytes().to_vec(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// An error has its status, its code, and the shape that all errors have.
    pub(crate) fn assert_failure(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status, "{body}");
        assert_eq!(body["details"], body["message"], "{body}");
        assert!(
            body["error"].is_string() && body["details"].as_str().is_some_and(|details| details.len() > 10),
            "{body}"
        );
        self.assert_headers();
        body
    }

    /// What every reply says about itself.
    pub(crate) fn assert_headers(&self) {
        assert_eq!(self.header("x-content-type-options"), "nosniff", "{self:?}");
        assert_eq!(self.header("cache-control"), "no-store", "{self:?}");
        assert!(!self.header("content-type").is_empty(), "{self:?}");
        assert!(
            !self.headers.keys().any(|name| name.starts_with("access-control-")),
            "{self:?}"
        );
    }
}

/// Reads from a stream until a text has come; returns all that was read.
pub(crate) fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(wanted) {
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the stream ended before `{wanted}`: {text}");
        text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    text
}

/// Polls until something has happened.
pub(crate) fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !happened() {
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}
