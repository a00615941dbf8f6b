//! Small targets on loopback: they speak real HTTP and behave as a test wants.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::fill::{Secrets, fill};
use crate::suite::{Sample, SampleVerdict, Suite};

/// What a target does with one request.
pub(crate) enum Act {
    /// Sends a whole reply with this status, these headers and this body.
    Reply(u16, String, Vec<u8>),
    /// Sends bytes as they are, and closes.
    Raw(Vec<u8>),
    /// Sends nothing and holds the connection.
    Hang,
    /// Sends these words once the gate releases them.
    Held(Arc<Gate>, &'static str),
    /// Sends for as long as somebody reads.
    Endless,
    /// A byte now and then.
    Slow,
}

type Behaviour = dyn Fn(&str, &Value) -> Act + Send + Sync;

/// Holds replies back until a test releases them, one by one.
#[derive(Debug)]
pub(crate) struct Gate {
    arrived: watch::Sender<usize>,
    released: Semaphore,
}

impl Gate {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            arrived: watch::Sender::new(0),
            released: Semaphore::new(0),
        })
    }

    /// Waits until at least so many requests have arrived, and counts them.
    pub(crate) async fn arrived(&self, wanted: usize) -> usize {
        let mut arrived = self.arrived.subscribe();
        arrived
            .wait_for(|count| *count >= wanted)
            .await
            .map(|count| *count)
            .unwrap()
    }

    pub(crate) fn release_one(&self) {
        self.released.add_permits(1);
    }

    async fn pass(&self) {
        self.arrived.send_modify(|count| *count += 1);
        self.released.acquire().await.unwrap().forget();
    }
}

/// Requests that hang, and which side ended them.
#[derive(Debug, Clone, Copy, Default)]
struct Hung {
    begun: usize,
    abandoned: usize,
    outlasted: usize,
}

/// A target that is up for as long as its test.
pub(crate) struct Mock {
    pub(crate) url: String,
    pub(crate) requests: Arc<AtomicUsize>,
    /// User texts in the order in which they came, if asked for.
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
    hung: Arc<watch::Sender<Hung>>,
}

impl Mock {
    pub(crate) async fn start(
        path: &str,
        delay_ms: u64,
        behaviour: impl Fn(&str, &Value) -> Act + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let behaviour: Arc<Behaviour> = Arc::new(behaviour);
        let requests = Arc::new(AtomicUsize::new(0));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let hung = Arc::new(watch::Sender::new(Hung::default()));
        let mock = Self {
            url,
            requests: Arc::clone(&requests),
            seen: Arc::clone(&seen),
            hung: Arc::clone(&hung),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                let (behaviour, requests) = (Arc::clone(&behaviour), Arc::clone(&requests));
                let (seen, hung) = (Arc::clone(&seen), Arc::clone(&hung));
                tokio::spawn(async move {
                    let _ = serve(stream, delay_ms, &*behaviour, &requests, &seen, &hung).await;
                });
            }
        });
        mock
    }

    /// Waits until a request hangs.
    pub(crate) async fn hanging(&self) {
        let mut hung = self.hung.subscribe();
        drop(hung.wait_for(|hung| hung.begun > 0).await.unwrap());
    }

    /// Waits until no request hangs any more. Whether the other side ended each of them.
    pub(crate) async fn all_hanging_abandoned(&self) -> bool {
        let mut hung = self.hung.subscribe();
        let ended = hung
            .wait_for(|hung| hung.begun > 0 && hung.abandoned + hung.outlasted == hung.begun)
            .await;
        ended.is_ok_and(|hung| hung.outlasted == 0)
    }

    /// A chat endpoint that answers with words.
    pub(crate) async fn chat(say: impl Fn(&Value) -> String + Send + Sync + 'static) -> Self {
        Self::start("/v1/chat/completions", 0, move |_, body| words(&say(body))).await
    }
}

/// A reply in the form of chat completions.
pub(crate) fn words(text: &str) -> Act {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]});
    Act::Reply(
        200,
        "content-type: application/json\r\n".to_owned(),
        body.to_string().into_bytes(),
    )
}

async fn serve(
    mut stream: TcpStream,
    delay_ms: u64,
    behaviour: &Behaviour,
    requests: &AtomicUsize,
    seen: &Mutex<Vec<String>>,
    hung: &watch::Sender<Hung>,
) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let Some((path, body)) = request(&mut stream, &mut buffer).await? else {
            return Ok(());
        };
        requests.fetch_add(1, Ordering::SeqCst);
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        seen.lock().unwrap().push(last_user(&body));
        if delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        }
        let mut act = behaviour(&path, &body);
        if let Act::Held(gate, text) = act {
            gate.pass().await;
            act = words(text);
        }
        match act {
            Act::Held(..) => return Ok(()),
            Act::Reply(status, headers, body) => {
                let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len());
                stream.write_all(&[head.into_bytes(), body].concat()).await?;
            }
            Act::Raw(bytes) => return stream.write_all(&bytes).await,
            Act::Hang => {
                hung.send_modify(|hung| hung.begun += 1);
                let mut more = [0];
                tokio::select! {
                    _ = stream.read(&mut more) => hung.send_modify(|hung| hung.abandoned += 1),
                    () = tokio::time::sleep(Duration::from_mins(1)) => hung.send_modify(|hung| hung.outlasted += 1),
                }
                return Ok(());
            }
            Act::Endless => {
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
                    .await?;
                let part = vec![b'a'; 64 * 1024];
                loop {
                    stream.write_all(&part).await?;
                }
            }
            Act::Slow => {
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n")
                    .await?;
                loop {
                    stream.write_all(b"a").await?;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }
}

async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<(String, Vec<u8>)>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            let length: usize = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .map_or(0, |length| length.trim().parse().unwrap());
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            while buffer.len() < end + 4 + length {
                if stream.read_buf(buffer).await? == 0 {
                    return Ok(None);
                }
            }
            let body = buffer[end + 4..end + 4 + length].to_vec();
            buffer.drain(..end + 4 + length);
            return Ok(Some((path, body)));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

/// The last thing that a user says in a chat request.
pub(crate) fn last_user(body: &Value) -> String {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    messages
        .last()
        .and_then(|message| message["content"].as_str())
        .unwrap_or_default()
        .to_owned()
}

/// The key of a dialogue: its system prompt and everything the user said so far.
fn key(body: &Value) -> String {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let said = messages.iter().filter(|message| message["role"] != "assistant");
    said.map(|message| message["content"].as_str().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\u{1f}")
}

/// Words, headers and body of one reply.
type Line = (String, BTreeMap<String, String>, Value);

/// Replies by what was said. Equal questions get their replies in turn.
type Script = BTreeMap<String, (Vec<Line>, AtomicUsize)>;

/// A target that says what the samples of the suite say: those that pass, and those that fail in the named categories.
pub(crate) fn scripted(
    suite: &Suite,
    seed: u64,
    fails_in: &dyn Fn(&str) -> bool,
) -> impl Fn(&str, &Value) -> Act + Send + Sync + use<> {
    let mut script = Script::new();
    for probe in suite.probes() {
        let wanted = if fails_in(&suite.category_of(probe).id) {
            SampleVerdict::Fail
        } else {
            SampleVerdict::Pass
        };
        let sample = probe.samples.iter().find(|sample| sample.verdict == wanted).unwrap();
        for repeat in 0..3 {
            learn(&mut script, probe, sample, &Secrets::draw(seed, &probe.id, repeat));
        }
    }
    let line = move |body: &Value| {
        let (lines, turn) = script.get(&key(body))?;
        lines.get(turn.fetch_add(1, Ordering::SeqCst) % lines.len()).cloned()
    };
    move |_, body| match line(body) {
        None => words("I am not sure what you mean."),
        Some((text, headers, extra)) => {
            let mut reply =
                json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]});
            if let Some(extra) = extra.as_object() {
                reply.as_object_mut().unwrap().extend(extra.clone());
            }
            let mut head = String::new();
            for (name, value) in headers.iter().filter(|(name, _)| name.as_str() != "content-type") {
                head.extend([name, ": ", value, "\r\n"]);
            }
            head.push_str("content-type: application/json\r\n");
            Act::Reply(200, head, reply.to_string().into_bytes())
        }
    }
}

fn learn(script: &mut Script, probe: &crate::suite::Probe, sample: &Sample, secrets: &Secrets) {
    for dialogue in probe.dialogues(secrets).unwrap() {
        let mut said: Vec<String> = dialogue.system.iter().cloned().collect();
        let last = dialogue.turns.len() - 1;
        for (turn, (prompt, reply)) in dialogue.turns.iter().zip(&sample.replies[&dialogue.id]).enumerate() {
            said.push(prompt.clone());
            let text = fill(reply, secrets, &BTreeMap::new()).unwrap();
            let mut headers = sample.headers.get(&dialogue.id).cloned().unwrap_or_default();
            // Each call has an id of its own, also within a dialogue.
            for (_, id) in headers
                .iter_mut()
                .filter(|(name, _)| turn > 0 && name.ends_with("request-id"))
            {
                id.extend(["-", &turn.to_string()]);
            }
            let body = sample.body.get(&dialogue.id).cloned().unwrap_or(Value::Null);
            let key = said.join("\u{1f}");
            // Dialogues of a probe may begin alike: the one that ends here is judged by this reply.
            if turn < last && script.contains_key(&key) {
                continue;
            }
            let (lines, _) = script.entry(key).or_default();
            if turn == last && last > 0 {
                lines.clear();
            }
            // Repetitions of a probe without tokens say the same again.
            if !lines.contains(&(text.clone(), headers.clone(), body.clone())) {
                lines.push((text, headers, body));
            }
        }
    }
}
