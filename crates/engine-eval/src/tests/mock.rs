//! Small targets on loopback: they speak real HTTP and behave as a test wants.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

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
    /// Sends for as long as somebody reads.
    Endless,
    /// A byte now and then.
    Slow,
}

type Behaviour = dyn Fn(&str, &Value) -> Act + Send + Sync;

/// A target that is up for as long as its test.
pub(crate) struct Mock {
    pub(crate) url: String,
    pub(crate) requests: Arc<AtomicUsize>,
    /// User texts in the order in which they came, if asked for.
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
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
        let mock = Self {
            url,
            requests: Arc::clone(&requests),
            seen: Arc::clone(&seen),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                let (behaviour, requests, seen) = (Arc::clone(&behaviour), Arc::clone(&requests), Arc::clone(&seen));
                tokio::spawn(async move {
                    let _ = serve(stream, delay_ms, &*behaviour, &requests, &seen).await;
                });
            }
        });
        mock
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
        match behaviour(&path, &body) {
            Act::Reply(status, headers, body) => {
                let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len());
                stream.write_all(&[head.into_bytes(), body].concat()).await?;
            }
            Act::Raw(bytes) => return stream.write_all(&bytes).await,
            Act::Hang => {
                tokio::time::sleep(Duration::from_mins(1)).await;
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
