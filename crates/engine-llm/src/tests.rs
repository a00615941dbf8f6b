//! A model server on loopback that misbehaves in every way.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine_outbound::{Client, Limits};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    Ask, Conversation, Endpoint, Exchange, Key, Model, NoReply, Said, Shape, Speaker, TargetSettings, Tool, ToolCall,
};

const KEY: &str = "model-key-7Qx91Zp04Lm";

/// What a server does with a request.
#[derive(Clone)]
enum Act {
    /// Sends a whole reply.
    Reply(u16, &'static str, String),
    /// Sends these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Says nothing until the client leaves.
    Silence,
    /// Sends the same frame until the client leaves.
    Endless(&'static str),
}

struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Value>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Does one act for each request; the last one for all that follow.
    fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen, heads) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (kept, kept_heads) = (Arc::clone(&seen), Arc::clone(&heads));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let Some((head, body)) = request(&mut stream) else {
                    continue;
                };
                let number = {
                    let mut kept = kept.lock().unwrap();
                    kept.push(body);
                    kept_heads.lock().unwrap().push(head);
                    kept.len() - 1
                };
                let act = acts.get(number).or(acts.last()).unwrap().clone();
                std::thread::spawn(move || answer(&mut stream, &act));
            }
        });
        Self { url, seen, heads }
    }

    fn requests(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }
}

fn request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length: usize = head
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

fn answer(stream: &mut TcpStream, act: &Act) {
    match act {
        Act::Reply(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all((head + body).as_bytes());
        }
        Act::Bytes(bytes) => drop(stream.write_all(bytes)),
        Act::Silence => drop(stream.read(&mut [0])),
        Act::Endless(frame) => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
            while stream.write_all(frame.as_bytes()).is_ok() {}
        }
    }
}

fn json_reply(status: u16, body: &Value) -> Act {
    Act::Reply(status, "content-type: application/json\r\n", body.to_string())
}

fn chat(text: &str) -> Act {
    json_reply(
        200,
        &json!({"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
    )
}

fn events(text: &str) -> Act {
    Act::Reply(200, "content-type: text/event-stream\r\n", text.to_owned())
}

fn model(server: &Server, shape: Shape, path: &str) -> Model {
    let settings = TargetSettings {
        target: format!("{}{path}", server.url),
        model: Some("m".to_owned()),
        api_key: Some(Key::new(KEY)),
        stream: true,
        system_prompt: Some("Be brief.".to_owned()),
        ..TargetSettings::default()
    };
    Model::new(Client::new(Limits::default()), Endpoint::new(&settings, shape).unwrap())
}

fn question() -> Conversation {
    Conversation {
        turns: vec![(Speaker::User, "Why?".to_owned())],
        ..Conversation::default()
    }
}

async fn ask(model: &Model, conversation: &Conversation, patience: Duration) -> (Result<Said, NoReply>, String) {
    let mut heard = String::new();
    let ask = Ask {
        conversation,
        deadline: Instant::now() + patience,
    };
    let said = model.ask(ask, &mut |text| heard.push_str(text)).await;
    (said, heard)
}

/// Asks in the form of chat completions.
async fn check(acts: Vec<Act>) -> (Result<Said, NoReply>, String, usize) {
    let server = Server::start(acts);
    let model = model(&server, Shape::OpenAiChat, "/v1/chat/completions");
    let (said, heard) = ask(&model, &question(), Duration::from_mins(2)).await;
    if let Err(fault) = &said {
        let told = format!("{fault} {fault:?} {}", fault.name());
        assert!(!told.contains(KEY) && !told.contains("planted"), "{told}");
    }
    (said, heard, server.requests().len())
}

#[tokio::test]
async fn words_are_heard_as_they_come_and_tokens_are_counted() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Be\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"cause\"}}]}\n\n\
                  data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
    let (said, heard, _) = check(vec![events(stream)]).await;
    let said = said.unwrap();
    assert_eq!((heard.as_str(), said.answer.text.as_str()), ("Because", "Because"));
    assert_eq!((said.usage.input, said.usage.output, said.estimated), (9, 2, false));
    let (said, heard, _) = check(vec![chat("Whole.")]).await;
    assert_eq!((heard.as_str(), said.unwrap().usage.input), ("Whole.", 7));
}

#[tokio::test]
async fn tokens_that_are_not_counted_are_estimated() {
    let (said, ..) = check(vec![json_reply(
        200,
        &json!({"choices": [{"message": {"content": "Yes."}}]}),
    )])
    .await;
    let said = said.unwrap();
    assert!(
        said.estimated && said.usage.input > 10 && said.usage.output == 1,
        "{said:?}"
    );
}

#[tokio::test]
async fn a_busy_service_is_asked_again_and_a_broken_one_given_up() {
    let busy = Act::Reply(429, "retry-after: 0\r\n", String::new());
    let (said, _, requests) = check(vec![busy.clone(), busy.clone(), chat("Now.")]).await;
    assert_eq!((said.unwrap().requests, requests), (3, 3));
    let (said, _, requests) = check(vec![Act::Reply(500, "retry-after: 0\r\n", "planted".to_owned())]).await;
    assert_eq!((said.unwrap_err(), requests), (NoReply::Status(500), 4));
    let (said, _, requests) = check(vec![Act::Reply(429, "retry-after: 3600\r\n", String::new())]).await;
    assert_eq!((said.unwrap_err(), requests), (NoReply::Busy(Some(3600)), 1));
    let (said, _, requests) = check(vec![Act::Bytes(Vec::new()), chat("Again.")]).await;
    assert_eq!((said.unwrap().answer.text.as_str(), requests), ("Again.", 2));
}

#[tokio::test]
async fn a_refused_key_is_told_at_once() {
    let (said, _, requests) = check(vec![Act::Reply(401, "", format!("invalid key {KEY} planted"))]).await;
    let fault = said.unwrap_err();
    assert_eq!((&fault, requests, fault.is_lasting()), (&NoReply::Status(401), 1, true));
}

#[tokio::test]
async fn replies_of_every_broken_kind_are_failures_with_a_name() {
    let garbage = Act::Bytes(b"\x00\xff\x13garbage\r\n\r\n".to_vec());
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"planted";
    let cut = b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"choices\"".to_vec();
    let long = format!(
        "{{\"choices\":[{{\"message\":{{\"content\":\"{}\"}}}}]}}",
        "x".repeat(700_000)
    );
    for (act, name) in [
        (garbage, "protocol"),
        (
            Act::Reply(200, "content-type: application/json\r\n", "{planted".to_owned()),
            "invalid-json",
        ),
        (
            Act::Reply(200, "content-type: text/html\r\n", "<html>planted</html>".to_owned()),
            "wrong-type",
        ),
        (json_reply(200, &json!({"planted": 1})), "no-text"),
        (
            json_reply(200, &json!({"error": {"message": "planted"}})),
            "reported-error",
        ),
        (chat(""), "empty-reply"),
        (events(""), "empty-reply"),
        (events(half), "invalid-json"),
        (
            events("data: {\"error\":{\"message\":\"planted\"}}\n\n"),
            "reported-error",
        ),
        (Act::Bytes(cut), "truncated"),
        (
            Act::Reply(200, "content-type: application/json\r\n", long),
            "reply-too-long",
        ),
        (
            Act::Endless("data: {\"choices\":[{\"delta\":{\"content\":\"more \"}}]}\n\n"),
            "reply-too-long",
        ),
        (
            Act::Endless("data: {\"choices\":[{\"delta\":{}}]}\n\n"),
            "reply-too-long",
        ),
        (
            Act::Reply(302, "location: http://127.0.0.2:1/planted\r\n", String::new()),
            "redirect",
        ),
        (
            Act::Reply(307, "location: https://elsewhere.example/\r\n", String::new()),
            "redirect",
        ),
    ] {
        let (said, ..) = check(vec![act]).await;
        assert_eq!(said.unwrap_err().name(), name);
    }
}

#[tokio::test]
async fn a_silent_service_ends_with_the_deadline() {
    let server = Server::start(vec![Act::Silence]);
    let model = model(&server, Shape::OpenAiChat, "/v1/chat/completions");
    let (said, _) = ask(&model, &question(), Duration::from_millis(300)).await;
    let fault = said.unwrap_err();
    assert!(fault.is_slow(), "{fault:?}");
}

#[tokio::test]
async fn a_stream_that_breaks_after_its_first_words_is_not_asked_for_again() {
    let bytes = b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ncontent-length: 900\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"First\"}}]}\n\n"
        .to_vec();
    let (said, heard, requests) = check(vec![Act::Bytes(bytes), chat("Second")]).await;
    assert_eq!(
        (said.unwrap_err().name().as_str(), heard.as_str(), requests),
        ("truncated", "First", 1)
    );
}

#[tokio::test]
async fn a_form_that_the_service_does_not_know_is_made_plainer() {
    let refused = |why: &str| json_reply(400, &json!({"error": {"message": why}}));
    let server = Server::start(vec![
        refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        refused("response_format is not supported"),
        chat("Fine."),
    ]);
    let conversation = Conversation {
        reply_schema: Some(json!({"type": "object"})),
        ..question()
    };
    let model = model(&server, Shape::OpenAiChat, "/v1/chat/completions");
    let (said, _) = ask(&model, &conversation, Duration::from_mins(1)).await;
    assert_eq!(said.unwrap().answer.text, "Fine.");
    let sent = server.requests();
    assert!(sent[0]["max_tokens"].is_number() && sent[0]["response_format"].is_object());
    assert!(sent[1]["max_completion_tokens"].is_number() && sent[1].get("temperature").is_none());
    assert!(sent[2].get("response_format").is_none() && sent[2]["max_completion_tokens"].is_number());
    let (said, _, requests) = check(vec![refused("planted")]).await;
    assert_eq!((said.unwrap_err(), requests), (NoReply::Status(400), 1));
}

#[tokio::test]
async fn a_model_without_tools_says_so() {
    let tools = vec![Tool {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        parameters: vec!["at".to_owned()],
    }];
    for (status, why) in [
        (400, "tools are not supported"),
        (500, "tools param requires --jinja flag"),
    ] {
        let server = Server::start(vec![json_reply(status, &json!({"error": {"message": why}}))]);
        let model = model(&server, Shape::OpenAiChat, "/v1/chat/completions");
        let conversation = Conversation {
            tools: tools.clone(),
            ..question()
        };
        let (said, _) = ask(&model, &conversation, Duration::from_mins(1)).await;
        assert_eq!((said.unwrap_err(), server.requests().len()), (NoReply::NoTools, 1));
    }
}

/// The calls of a reply, in a form.
async fn calls(shape: Shape, act: Act) -> Vec<ToolCall> {
    let server = Server::start(vec![act]);
    let model = model(&server, shape, "/x");
    let (said, _) = ask(&model, &question(), Duration::from_mins(1)).await;
    said.unwrap().answer.calls
}

#[tokio::test]
async fn calls_of_tools_are_read_in_every_form() {
    let arguments = "{\"at\":\"x\"}";
    let function = json!({"id": "c1", "function": {"name": "look", "arguments": arguments}});
    let openai = json_reply(
        200,
        &json!({"choices": [{"message": {"content": null, "tool_calls": [function]}}]}),
    );
    let streamed = events(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"at\\\":\"}}]}}]}\n\n\
         data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"x\\\"}\"}}]}}]}\n\ndata: [DONE]\n\n",
    );
    let anthropic = json_reply(
        200,
        &json!({"content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "x"}}]}),
    );
    let anthropic_stream = events(
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"look\"}}\n\n\
         event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"partial_json\":\"{\\\"at\\\":\\\"x\\\"}\"}}\n\n\
         event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    );
    let ollama = Act::Reply(
        200,
        "content-type: application/x-ndjson\r\n",
        "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"look\",\"arguments\":{\"at\":\"x\"}}}]},\"done\":false}\n\
         {\"message\":{\"content\":\"\"},\"done\":true,\"prompt_eval_count\":5,\"eval_count\":1}\n"
            .to_owned(),
    );
    for (shape, act, id) in [
        (Shape::OpenAiChat, openai, "c1"),
        (Shape::OpenAiChat, streamed, "c1"),
        (Shape::Anthropic, anthropic, "c1"),
        (Shape::Anthropic, anthropic_stream, "c1"),
        (Shape::OllamaChat, ollama, ""),
    ] {
        let calls = calls(shape.clone(), act).await;
        assert_eq!(calls.len(), 1, "{shape:?}: {calls:?}");
        assert_eq!(
            (calls[0].id.as_str(), calls[0].name.as_str()),
            (id, "look"),
            "{shape:?}"
        );
        assert_eq!(calls[0].object()["at"], "x", "{shape:?}");
    }
}

#[tokio::test]
async fn results_of_tools_are_given_back_in_the_form_of_the_service() {
    let conversation = Conversation {
        exchanges: vec![Exchange {
            text: "Let me look.".to_owned(),
            calls: vec![(
                ToolCall {
                    id: "c1".to_owned(),
                    name: "look".to_owned(),
                    arguments: "{\"at\":\"x\"}".to_owned(),
                },
                "found".to_owned(),
            )],
        }],
        ..question()
    };
    let server = Server::start(vec![chat("Done.")]);
    for shape in [Shape::OpenAiChat, Shape::OllamaChat, Shape::Anthropic] {
        let model = model(&server, shape, "/x");
        ask(&model, &conversation, Duration::from_mins(1)).await.0.unwrap();
    }
    let sent = server.requests();
    assert_eq!(
        sent[0]["messages"][2]["tool_calls"][0]["function"]["arguments"],
        "{\"at\":\"x\"}"
    );
    assert_eq!(
        sent[0]["messages"][3],
        json!({"role": "tool", "tool_call_id": "c1", "content": "found"})
    );
    assert_eq!(
        sent[1]["messages"][2]["tool_calls"][0]["function"]["arguments"]["at"],
        "x"
    );
    assert_eq!(sent[1]["messages"][3]["tool_name"], "look");
    assert_eq!(sent[2]["system"], "Be brief.");
    assert_eq!(sent[2]["messages"][1]["content"][1]["type"], "tool_use");
    assert_eq!(sent[2]["messages"][2]["content"][0]["tool_use_id"], "c1");
    let heads = server.heads.lock().unwrap();
    assert!(
        heads[0].contains(&format!("bearer {}", KEY.to_lowercase())),
        "{heads:?}"
    );
    assert!(
        heads[2].contains("x-api-key") && heads[2].contains("anthropic-version"),
        "{heads:?}"
    );
}

#[test]
fn keys_hide_in_debug() {
    let server = Server::start(vec![chat("x")]);
    let model = model(&server, Shape::OpenAiChat, "/v1/chat/completions");
    assert!(!format!("{model:?}").contains(KEY));
}
