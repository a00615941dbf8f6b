//! A model server on loopback that does what a test scripts, request by request.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A key that must appear nowhere.
pub(crate) const KEY: &str = "model-key-7Qx91Zp04LmT2";

/// What the server does with a request.
pub(crate) enum Act {
    /// Sends a whole reply with this status, these headers and this body.
    Reply(u16, String, String),
    /// Sends these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Sends the first bytes, then says nothing until the client leaves.
    Hang(Vec<u8>),
    /// Sends the first bytes, then the others until the client leaves.
    Endless(Vec<u8>, Vec<u8>),
}

impl Act {
    /// A reply in the form of chat completions.
    pub(crate) fn says(text: &str) -> Self {
        Self::json(
            200,
            &json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10}}),
        )
    }

    /// The same as a stream, word by word.
    pub(crate) fn streams(text: &str) -> Self {
        let mut body = String::new();
        for word in text.split_inclusive(' ') {
            body.push_str("data: ");
            body.push_str(&json!({"choices": [{"delta": {"content": word}}]}).to_string());
            body.push_str("\n\n");
        }
        body.push_str(
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10}}\n\ndata: [DONE]\n\n",
        );
        Self::Reply(200, "content-type: text/event-stream\r\n".to_owned(), body)
    }

    /// A call of a tool.
    pub(crate) fn calls(name: &str, arguments: &Value) -> Self {
        Self::json(
            200,
            &json!({"choices": [{"message": {"content": null, "tool_calls": [
                {"id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}
            ]}}]}),
        )
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Reply(
            status,
            "content-type: application/json\r\n".to_owned(),
            body.to_string(),
        )
    }

    pub(crate) fn status(status: u16, headers: &str) -> Self {
        Self::Reply(status, headers.to_owned(), format!("{{\"error\": \"planted {KEY}\"}}"))
    }
}

/// A server that is up for as long as its test.
pub(crate) struct ModelServer {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
    left: Arc<Mutex<usize>>,
}

impl ModelServer {
    /// Does what `act` says for each request, given its number and its body.
    pub(crate) fn start(act: impl Fn(usize, &Value) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let left = Arc::new(Mutex::new(0));
        let (act, kept, gone) = (Arc::new(act), Arc::clone(&seen), Arc::clone(&left));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (act, kept, gone) = (Arc::clone(&act), Arc::clone(&kept), Arc::clone(&gone));
                std::thread::spawn(move || {
                    let Some((head, body)) = request(&mut stream) else {
                        return;
                    };
                    let number = {
                        let mut kept = kept.lock().unwrap();
                        kept.push((head, body.clone()));
                        kept.len() - 1
                    };
                    if answer(&mut stream, &act(number, &body)) {
                        *gone.lock().unwrap() += 1;
                    }
                });
            }
        });
        Self { port, seen, left }
    }

    /// What was sent, in order.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.seen.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// The headers of the requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(|(head, _)| head.clone()).collect()
    }

    /// Clients that left before they had everything.
    pub(crate) fn left(&self) -> usize {
        *self.left.lock().unwrap()
    }

    /// Settings that name this server.
    pub(crate) fn settings(&self) -> String {
        format!(
            "LLM_URL=http://127.0.0.1:{}/v1\nLLM_MODEL=small-model\nLLM_KEY={KEY}\n",
            self.port
        )
    }
}

/// The number in a model's name such as `kind-3`.
pub(crate) fn chosen(body: &Value) -> usize {
    let name = body["model"].as_str().unwrap();
    name.strip_prefix("kind-").unwrap().parse().unwrap()
}

fn request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut part = [0; 8192];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length: usize = head
                .to_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let body = serde_json::from_slice(&bytes[end + 4..end + 4 + length]).unwrap_or(Value::Null);
                return Some((head, body));
            }
        }
        match stream.read(&mut part) {
            Ok(count @ 1..) => bytes.extend(&part[..count]),
            _ => return None,
        }
    }
}

/// Says whether the client left first.
fn answer(stream: &mut TcpStream, act: &Act) -> bool {
    match act {
        Act::Reply(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all((head + body).as_bytes()).is_err()
        }
        Act::Bytes(bytes) => stream.write_all(bytes).is_err(),
        Act::Hang(first) => {
            let _ = stream.write_all(first);
            let _ = stream.read(&mut [0]);
            true
        }
        Act::Endless(first, again) => {
            let mut sent = stream.write_all(first);
            while sent.is_ok() {
                sent = stream.write_all(again);
            }
            true
        }
    }
}
