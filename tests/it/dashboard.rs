//! A dashboard on loopback: it keeps what the contract says, checks the evidence like a stranger, and fails as a test wants.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine_signing::{Checkpoint, Digest, Tree, verify_consistency};
use serde_json::{Value, json};

/// A request as the dashboard saw it.
#[derive(Clone, Debug)]
pub(crate) struct Pushed {
    /// Method and path.
    pub(crate) route: String,
    /// The headers, names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
    /// The body as it came.
    pub(crate) text: String,
}

impl Pushed {
    pub(crate) fn token(&self) -> &str {
        let header = self.headers.get("authorization").map_or("", String::as_str);
        header.strip_prefix("Bearer ").unwrap_or_default()
    }
}

/// What the dashboard does with a request instead of keeping it.
#[derive(Clone, Debug)]
pub(crate) enum Failing {
    /// Not at all.
    Not,
    /// A status with headers and a body.
    Says(u16, String, String),
    /// Nothing, until the other side leaves.
    Silent,
    /// The connection is closed without a reply.
    Closed,
    /// A reply that ends in the middle.
    Half,
    /// A reply without an end.
    Huge,
    /// It keeps what came, and closes the connection without a reply.
    KeptAndClosed,
}

#[derive(Default)]
struct State {
    seen: Vec<Pushed>,
    failing: Vec<Failing>,
    always: Option<Failing>,
    items: BTreeMap<String, String>,
    hashes: Vec<Digest>,
    answers: BTreeMap<String, Value>,
    /// Entries that it takes of one request at most.
    takes: Option<usize>,
}

/// A dashboard that is up for as long as its test.
pub(crate) struct Dashboard {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

impl Dashboard {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    let _ = serve(stream, &shared);
                });
            }
        });
        Self { url, state }
    }

    /// The address without its scheme.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// The next requests fail in these ways, in order.
    pub(crate) fn fail_next(&self, failing: impl IntoIterator<Item = Failing>) {
        self.state.lock().unwrap().failing = failing.into_iter().collect();
    }

    /// Every request fails in this way.
    pub(crate) fn fail_always(&self, failing: Option<Failing>) {
        self.state.lock().unwrap().always = failing;
    }

    /// It takes at most so many entries of a request.
    pub(crate) fn take_entries(&self, most: usize) {
        self.state.lock().unwrap().takes = Some(most);
    }

    /// It holds another chain from now on.
    pub(crate) fn corrupt(&self) {
        let mut state = self.state.lock().unwrap();
        if let Some(first) = state.hashes.first_mut() {
            *first = Digest::of(b"another entry");
        }
        state.answers.clear();
    }

    /// It no longer recognises repetitions, as after some time.
    pub(crate) fn forget(&self) {
        self.state.lock().unwrap().answers.clear();
    }

    /// Requests that came since the last call.
    pub(crate) fn seen(&self) -> Vec<Pushed> {
        std::mem::take(&mut self.state.lock().unwrap().seen)
    }

    /// The number of entries that it holds.
    pub(crate) fn entries(&self) -> usize {
        self.state.lock().unwrap().hashes.len()
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    loop {
        let Some(request) = read(&mut stream)? else {
            return Ok(());
        };
        let failing = {
            let mut state = state.lock().unwrap();
            state.seen.push(request.clone());
            if state.failing.is_empty() {
                state.always.clone()
            } else {
                Some(state.failing.remove(0))
            }
        };
        match failing {
            None | Some(Failing::Not) => {
                let (status, body) = state.lock().unwrap().answer(&request);
                say(
                    &mut stream,
                    status,
                    "Content-Type: application/json\r\n",
                    &body.to_string(),
                )?;
            }
            Some(Failing::Says(status, headers, body)) => say(&mut stream, status, &headers, &body)?,
            Some(Failing::Silent) => {
                let _ = stream.read(&mut [0; 16]);
                return Ok(());
            }
            Some(Failing::Closed) => return Ok(()),
            Some(Failing::Half) => {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"results\": [",
                )?;
                return Ok(());
            }
            Some(Failing::Huge) => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{")?;
                let spaces = [b' '; 16_384];
                while stream.write_all(&spaces).is_ok() {}
                return Ok(());
            }
            Some(Failing::KeptAndClosed) => {
                state.lock().unwrap().answer(&request);
                return Ok(());
            }
        }
    }
}

fn say(stream: &mut TcpStream, status: u16, headers: &str, body: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn read(stream: &mut TcpStream) -> io::Result<Option<Pushed>> {
    stream.set_read_timeout(Some(Duration::from_mins(5)))?;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 65_536];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let route = lines
        .next()
        .unwrap_or_default()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        body.extend_from_slice(&buffer[..count]);
    }
    Ok(Some(Pushed {
        route,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        text: String::from_utf8_lossy(&body).into_owned(),
    }))
}

impl State {
    fn answer(&mut self, request: &Pushed) -> (u16, Value) {
        if request.route == "GET /api/sync/status" {
            return (200, json!({"account": "team desk"}));
        }
        let key = request.headers.get("idempotency-key").cloned().unwrap_or_default();
        if key.len() != 64 || request.body["version"] != 1 {
            return (400, json!({"error": "not the contract"}));
        }
        if request.route == "POST /api/sync/evidence" {
            return self.evidence(&request.body);
        }
        if let Some(known) = self.answers.get(&key) {
            return (200, known.clone());
        }
        let Some(items) = request.body["items"].as_array() else {
            return (400, json!({"error": "no items"}));
        };
        let results: Vec<Value> = items
            .iter()
            .map(|item| {
                let (id, digest) = (item["id"].as_str().unwrap(), item["digest"].as_str().unwrap());
                let action = match self.items.insert(format!("{}/{id}", request.route), digest.to_owned()) {
                    None => "created",
                    Some(before) if before == digest => "unchanged",
                    Some(_) => "updated",
                };
                json!({"id": id, "action": action})
            })
            .collect();
        let reply = json!({ "results": results });
        self.answers.insert(key, reply.clone());
        (200, reply)
    }

    fn root(&self) -> Option<([u8; 32], Value)> {
        let mut tree = Tree::new();
        self.hashes.iter().for_each(|hash| tree.push(hash.as_bytes()));
        let head = json!({"size": tree.size(), "root": Digest::from_bytes(tree.root())});
        (!self.hashes.is_empty()).then(|| (tree.root(), head))
    }

    /// Takes entries that continue what it holds, after checking everything that a stranger can check.
    fn evidence(&mut self, body: &Value) -> (u16, Value) {
        let held = self.root();
        let shown = |state: &Self| state.root().map_or(Value::Null, |(_, head)| head);
        let entries = body["entries"].as_array().unwrap();
        if entries.is_empty() {
            return (200, json!({ "head": shown(self) }));
        }
        if body["after"] != shown(self) {
            return (409, json!({ "head": shown(self) }));
        }
        let note = Checkpoint::parse(body["head"].as_str().unwrap()).unwrap();
        if let Some((root, _)) = held {
            let proof: Vec<[u8; 32]> = body["proof"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hash| *hash.as_str().unwrap().parse::<Digest>().unwrap().as_bytes())
                .collect();
            let size = self.hashes.len() as u64;
            assert!(
                verify_consistency(size, &root, note.size, &note.root, &proof),
                "the proof does not show that the chain continues"
            );
        }
        for text in entries.iter().take(self.takes.unwrap_or(usize::MAX)) {
            let entry = engine_evidence::Entry::read(text.as_str().unwrap()).unwrap();
            assert_eq!(entry.seq, self.hashes.len() as u64);
            let before = self.hashes.last().copied().unwrap_or(Digest::from_bytes([0; 32]));
            assert_eq!(entry.prev_hash, before);
            self.hashes.push(entry.hash);
        }
        if self.hashes.len() as u64 == note.size {
            assert_eq!(self.root().unwrap().0, note.root, "the signed head covers what came");
        }
        (200, json!({ "head": shown(self) }))
    }
}
