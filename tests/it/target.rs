//! Targets on loopback: they speak the form of chat completions and behave as a test wants.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use engine_eval::{Probe, SampleVerdict, Secrets, Suite, fill};
use serde_json::{Value, json};

/// A request as a target sees it.
pub(crate) struct Asked {
    /// The headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Asked {
    /// The system prompt and everything the user said so far.
    pub(crate) fn said(&self) -> String {
        let messages = self.body["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let said = messages.iter().filter(|message| message["role"] != "assistant");
        said.map(|message| message["content"].as_str().unwrap_or_default())
            .collect::<Vec<_>>()
            .join("\u{1f}")
    }
}

/// Status and words of a reply.
pub(crate) type Says = (u16, String);

/// A target that is up for as long as its test.
pub(crate) struct Target {
    pub(crate) url: String,
    /// What was asked, in order.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Target {
    pub(crate) fn start(delay: Duration, say: impl Fn(&Asked) -> Says + Send + Sync + 'static) -> Self {
        Self::raw(move |asked, stream| {
            std::thread::sleep(delay);
            let (status, text) = say(asked);
            write_chat(stream, status, &text, None)
        })
    }

    /// Replies until the gate is full, then holds every further request until the test opens the gate.
    pub(crate) fn gated(gate: &Arc<Gate>, say: impl Fn(&Asked) -> Says + Send + Sync + 'static) -> Self {
        let gate = Arc::clone(gate);
        Self::raw(move |asked, stream| {
            gate.pass(&asked.said());
            let (status, text) = say(asked);
            write_chat(stream, status, &text, None)
        })
    }

    /// Does with a connection what a closure does; the connection stays open where it succeeds.
    pub(crate) fn raw(answer: impl Fn(&Asked, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
        let (answer, seen) = (Arc::new(answer), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                std::thread::spawn(move || serve(stream, &*answer, &kept));
            }
        });
        Self { url, seen }
    }

    /// Says the same to everything.
    pub(crate) fn constant(text: &'static str) -> Self {
        Self::start(Duration::ZERO, move |_| (200, text.to_owned()))
    }

    /// What was asked by now, without the question that finds out the form.
    pub(crate) fn seen(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .filter(|said| !said.starts_with("Hello! Please"))
            .cloned()
            .collect()
    }

    /// How often anything was asked, that question included.
    pub(crate) fn everything_seen(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// The address without its path.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap()
    }
}

/// Lets some requests through and holds the rest, so that a test stops a run at a place that no load of the machine moves.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    /// How many requests pass before the gate holds the next.
    left: usize,
    open: bool,
    held: Vec<String>,
}

impl Gate {
    /// A gate that lets `count` requests through.
    pub(crate) fn after(count: usize) -> Arc<Self> {
        let gate = Self::default();
        gate.state.lock().unwrap().left = count;
        Arc::new(gate)
    }

    /// From now on everything passes.
    pub(crate) fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }

    /// What was asked by the requests that were held.
    pub(crate) fn held(&self) -> Vec<String> {
        self.state.lock().unwrap().held.clone()
    }

    fn pass(&self, said: &str) {
        let mut state = self.state.lock().unwrap();
        if state.left > 0 {
            state.left -= 1;
            return;
        }
        if !state.open {
            state.held.push(said.to_owned());
        }
        while !state.open {
            state = self.changed.wait(state).unwrap();
        }
    }
}

/// Says what the samples of the suite say: those that fail in the named groups, those that pass elsewhere.
pub(crate) fn scripted(seed: u64, fails_in: &[&str]) -> impl Fn(&Asked) -> Says + Send + Sync + use<> {
    let suite = Suite::with_samples().unwrap();
    let mut script: BTreeMap<String, String> = BTreeMap::new();
    for probe in suite.probes() {
        let fails = fails_in.contains(&suite.category_of(probe).group.name());
        let wanted = if fails {
            SampleVerdict::Fail
        } else {
            SampleVerdict::Pass
        };
        for repeat in 0..3 {
            learn(&mut script, probe, wanted, &Secrets::draw(seed, &probe.id, repeat));
        }
    }
    move |asked| {
        let words = script.get(&asked.said()).cloned();
        (200, words.unwrap_or_else(|| "I am not sure what you mean.".to_owned()))
    }
}

fn learn(script: &mut BTreeMap<String, String>, probe: &Probe, wanted: SampleVerdict, secrets: &Secrets) {
    let sample = probe.samples.iter().find(|sample| sample.verdict == wanted).unwrap();
    for dialogue in probe.dialogues(secrets).unwrap() {
        let mut said: Vec<String> = dialogue.system.iter().cloned().collect();
        for (prompt, reply) in dialogue.turns.iter().zip(&sample.replies[&dialogue.id]) {
            said.push(prompt.clone());
            script.insert(said.join("\u{1f}"), fill(reply, secrets, &BTreeMap::new()).unwrap());
        }
    }
}

/// Never answers: holds the connection until whoever asked has left.
pub(crate) fn never(stream: &mut TcpStream) -> io::Result<()> {
    // Nobody sends more before there is an answer, so this ends with the connection.
    let _ = stream.read(&mut [0])?;
    Err(io::ErrorKind::ConnectionAborted.into())
}

/// A reply in the form of chat completions, with the tokens sent and received where they are counted.
pub(crate) fn write_chat(
    stream: &mut TcpStream,
    status: u16,
    text: &str,
    usage: Option<(usize, usize)>,
) -> io::Result<()> {
    let mut body = json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "reply": text,
    });
    if let Some((input, output)) = usage {
        body["usage"] = json!({"prompt_tokens": input, "completion_tokens": output});
    }
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes())
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(&Asked, &mut TcpStream) -> io::Result<()>, seen: &Mutex<Vec<String>>) {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    while let Some(asked) = request(&mut stream, &mut buffer) {
        seen.lock().unwrap().push(asked.said());
        if answer(&asked, &mut stream).is_err() {
            return;
        }
    }
}

fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Asked> {
    let mut part = [0; 8192];
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length: usize = head
                .to_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
                .unwrap_or(0);
            if buffer.len() >= end + 4 + length {
                let body = serde_json::from_slice(&buffer[end + 4..end + 4 + length]).unwrap_or(Value::Null);
                buffer.drain(..end + 4 + length);
                return Some(Asked { head, body });
            }
        }
        match stream.read(&mut part) {
            Ok(count @ 1..) => buffer.extend(&part[..count]),
            _ => return None,
        }
    }
}
