//! Every form of request and reply, streamed and whole, and how the right one is found.

use std::time::Duration;

use engine_outbound::{Client, Limits};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::mock::{Act, Mock, words};
use crate::{
    BadSettings, BadTemplate, Conversation, DotPath, Endpoint, Key, Shape, Speaker, TargetSettings, Template, Tool,
    detect,
};

fn settings(url: &str) -> TargetSettings {
    TargetSettings {
        target: url.to_owned(),
        ..TargetSettings::default()
    }
}

fn typed(kind: &str, body: &str) -> Act {
    Act::Reply(200, format!("content-type: {kind}\r\n"), body.as_bytes().to_vec())
}

fn dialogue() -> Conversation {
    Conversation {
        id: "c1".to_owned(),
        system: Some("Be brief.".to_owned()),
        turns: vec![
            (Speaker::User, "One?".to_owned()),
            (Speaker::Assistant, "One.".to_owned()),
            (Speaker::User, "Two \"quoted\"\n?".to_owned()),
        ],
        tools: vec![Tool {
            name: "send".to_owned(),
            description: "Sends.".to_owned(),
            parameters: vec!["to".to_owned()],
        }],
        ..Conversation::default()
    }
}

fn body(settings: &TargetSettings, shape: Shape) -> Value {
    serde_json::from_slice(&Endpoint::new(settings, shape).unwrap().body(&dialogue())).unwrap()
}

#[test]
fn chat_forms_keep_turns_system_prompt_and_tools_in_their_places() {
    let settings = settings("http://localhost/x");
    let chat = body(&settings, Shape::OpenAiChat);
    assert_eq!(chat["messages"][0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!(chat["messages"].as_array().unwrap().len(), 4);
    assert_eq!(chat["tools"][0]["function"]["parameters"]["required"], json!(["to"]));
    let anthropic = body(&settings, Shape::Anthropic);
    assert_eq!(
        (&anthropic["system"], anthropic["messages"].as_array().unwrap().len()),
        (&json!("Be brief."), 3)
    );
    assert_eq!(anthropic["tools"][0]["input_schema"]["type"], "object");
    let responses = body(&settings, Shape::OpenAiResponses);
    assert_eq!(
        (&responses["instructions"], &responses["input"][1]["role"]),
        (&json!("Be brief."), &json!("assistant"))
    );
    assert_eq!(responses["tools"][0]["name"], "send");
}

#[test]
fn forms_without_turns_get_the_dialogue_as_text() {
    let plain = body(&settings("http://localhost/x"), Shape::Message);
    let text = plain["message"].as_str().unwrap();
    assert!(
        text.starts_with("Be brief.\n\n")
            && text.contains("User: One?\n\nAssistant: One.\n\nUser: Two")
            && text.ends_with("Assistant:")
    );
    assert!(text.contains("send(to)"));
    assert!(body(&settings("http://localhost/x"), Shape::Gradio)["data"][0].is_string());
}

#[test]
fn a_template_is_filled_without_breaking_out_of_its_strings() {
    let template = json!({"q": "say: {{prompt}}", "deep": [{"x": "{{probe}}"}], "n": 5, "h": "{{history}}", "id": "{{conversation}}", "s": "{{system}}"});
    for given in [template.clone(), Value::String(template.to_string())] {
        let got = body(
            &settings("http://localhost/x"),
            Shape::Template(Template::new(given).unwrap()),
        );
        assert_eq!(got["q"], "say: Two \"quoted\"\n?");
        assert_eq!(
            (&got["deep"][0]["x"], &got["n"], &got["id"], &got["s"]),
            (&got["deep"][0]["x"], &json!(5), &json!("c1"), &json!("Be brief."))
        );
        assert_eq!(got["h"].as_array().unwrap().len(), 3);
    }
    assert_eq!(Template::new(json!({"a": "b"})), Err(BadTemplate::NoPrompt));
    assert_eq!(Template::new(json!("no json")), Err(BadTemplate::NotJson));
    assert_eq!(
        Template::new(json!({"a": "{{prompt}}".to_owned() + &"x".repeat(70_000)})),
        Err(BadTemplate::TooLarge)
    );
}

#[test]
fn paths_are_names_and_numbers() {
    let value = json!({"a": [{"b": {"c": "found"}}]});
    for path in ["a.0.b.c", "$.a[0].b.c", "a[0]['b'].c"] {
        assert_eq!(
            DotPath::parse(path).unwrap().find(&value),
            Some(&json!("found")),
            "{path}"
        );
    }
    assert!(DotPath::parse("a..b").is_err() && DotPath::parse("").is_err());
    assert_eq!(DotPath::parse("a.7.b").unwrap().find(&value), None);
}

#[test]
fn keys_and_headers_are_sent_and_never_shown() {
    let mut settings = settings("http://localhost/v1/messages");
    settings.api_key = Some(Key::new("KEYVALUE"));
    settings.headers.insert("X-Tenant".to_owned(), Key::new("TENANTVALUE"));
    let endpoint = Endpoint::told(&settings).unwrap().unwrap();
    assert_eq!(endpoint.shape, Shape::Anthropic);
    assert_eq!(
        (&endpoint.headers["x-api-key"], &endpoint.headers["x-tenant"]),
        (&"KEYVALUE".parse().unwrap(), &"TENANTVALUE".parse().unwrap())
    );
    let shown = format!("{settings:?} {endpoint:?}");
    assert!(!shown.contains("KEYVALUE") && !shown.contains("TENANTVALUE"), "{shown}");
    settings.headers.insert("Host".to_owned(), Key::new("elsewhere"));
    assert_eq!(
        Endpoint::told(&settings).unwrap_err(),
        BadSettings::Header("Host".to_owned())
    );
}

async fn said(path: &str, shape: Shape, act: fn(&Value) -> Act) -> crate::RunRecord {
    let mock = Mock::start(path, 0, move |_, body| act(body)).await;
    let mut parts = super::parts(
        "http://localhost/v1/chat/completions",
        &super::categories(&["exact-accuracy"]),
        crate::RunSettings::default(),
    );
    parts.endpoint = Endpoint::new(&settings(&mock.url), shape).unwrap();
    parts.plan.cases.truncate(1);
    crate::start(parts).finish().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_of_every_form_are_read() {
    type Case = (&'static str, Shape, fn(&Value) -> Act);
    let cases: Vec<Case> = vec![
        ("chat", Shape::OpenAiChat, |_| words("Hello there")),
        ("chat in parts", Shape::OpenAiChat, |_| {
            typed(
                "application/json",
                r#"{"choices":[{"message":{"content":[{"type":"text","text":"Hello "},{"type":"text","text":"there"}]}}]}"#,
            )
        }),
        ("chat streamed", Shape::OpenAiChat, |_| {
            typed(
                "text/event-stream",
                "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hello \"}}]}\n\n: ping\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"there\"}}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
            )
        }),
        ("completions", Shape::OpenAiCompletions, |_| {
            typed("application/json", r#"{"choices":[{"text":"Hello there"}]}"#)
        }),
        ("responses", Shape::OpenAiResponses, |_| {
            typed(
                "application/json",
                r#"{"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"Hello there"}]}]}"#,
            )
        }),
        ("responses streamed", Shape::OpenAiResponses, |_| {
            typed(
                "text/event-stream",
                "event: response.created\ndata: {\"type\":\"response.created\"}\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hello \"}\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"there\"}\n\ndata: {\"type\":\"response.output_text.done\",\"text\":\"Hello there\"}\n\ndata: {\"type\":\"response.completed\"}\n\n",
            )
        }),
        ("messages", Shape::Anthropic, |_| {
            typed(
                "application/json",
                r#"{"content":[{"type":"text","text":"Hello there"}],"usage":{"input_tokens":4,"output_tokens":2}}"#,
            )
        }),
        ("messages streamed", Shape::Anthropic, |_| {
            typed(
                "text/event-stream",
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":4}}}\n\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello there\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
            )
        }),
        ("ollama", Shape::OllamaChat, |_| {
            typed(
                "application/json",
                r#"{"message":{"role":"assistant","content":"Hello there"},"done":true}"#,
            )
        }),
        ("ollama streamed", Shape::OllamaChat, |_| {
            typed(
                "application/x-ndjson",
                "{\"message\":{\"content\":\"Hello \"},\"done\":false}\n{\"message\":{\"content\":\"there\"},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true,\"eval_count\":2}\n",
            )
        }),
        ("ollama generate", Shape::OllamaGenerate, |_| {
            typed(
                "application/x-ndjson",
                "{\"response\":\"Hello \",\"done\":false}\n{\"response\":\"there\",\"done\":true}\n",
            )
        }),
        ("gradio", Shape::Gradio, |_| {
            typed("application/json", r#"{"data":["Hello there"]}"#)
        }),
        ("gradio in two steps", Shape::Gradio, |body| {
            if body.is_null() {
                typed(
                    "text/event-stream",
                    "event: generating\ndata: null\n\nevent: complete\ndata: [\"Hello there\"]\n\n",
                )
            } else {
                typed("application/json", r#"{"event_id":"abc123"}"#)
            }
        }),
        ("message", Shape::Message, |_| {
            typed("application/json", r#"{"reply":"Hello there"}"#)
        }),
        ("plain text", Shape::Message, |_| typed("text/plain", "Hello there")),
        ("text generation", Shape::Message, |_| {
            typed("application/json", r#"[{"generated_text":"Hello there"}]"#)
        }),
    ];
    for (name, shape, act) in cases {
        let record = said("/ask", shape, act).await;
        let turn = &record.outcomes[0].transcript[0].1[0];
        assert_eq!(
            (turn.response.as_str(), turn.transport.as_str()),
            ("Hello there", "ok"),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_tools_are_kept_whole_and_streamed() {
    let whole = |_: &Value| {
        typed(
            "application/json",
            r#"{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"send","arguments":"{\"to\":\"x\"}"}}]}}]}"#,
        )
    };
    let streamed = |_: &Value| {
        typed(
            "text/event-stream",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"send\",\"arguments\":\"{\\\"to\\\":\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"x\\\"}\"}}]}}]}\n\ndata: [DONE]\n\n",
        )
    };
    for act in [whole as fn(&Value) -> Act, streamed] {
        let record = said("/ask", Shape::OpenAiChat, act).await;
        let turn = &record.outcomes[0].transcript[0].1[0];
        assert_eq!(turn.transport, "ok");
        let text = turn.body.to_string();
        assert!(
            text.contains("\"send\"") && text.contains("to") && text.contains('x'),
            "{text}"
        );
    }
}

async fn found(mock: &Mock) -> crate::Detection {
    let client = Client::new(Limits::default());
    detect(&client, &settings(&mock.url), Instant::now() + Duration::from_mins(5))
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_of_a_target_is_detected_from_its_path_or_by_requests() {
    let chat = Mock::start("/v1/chat/completions", 0, |path, _| {
        if path == "/v1/models" {
            typed("application/json", r#"{"data":[{"id":"own-model"}]}"#)
        } else {
            words("Paris.")
        }
    })
    .await;
    let got = found(&chat).await;
    let endpoint = got.endpoint.unwrap();
    assert_eq!(
        (endpoint.shape, endpoint.model.as_deref(), got.tried.len()),
        (Shape::OpenAiChat, Some("own-model"), 1)
    );
    let plain = Mock::start("/assistant", 0, |_, body| {
        if body["message"].is_string() {
            typed("application/json", r#"{"answer":"Paris."}"#)
        } else {
            Act::Reply(400, String::new(), b"{}".to_vec())
        }
    })
    .await;
    assert_eq!(found(&plain).await.endpoint.unwrap().shape, Shape::Message);
    let root = Mock::start("", 0, |path, body| {
        if path == "/api/chat" && body["messages"].is_array() {
            typed("application/json", r#"{"message":{"content":"Paris."},"done":true}"#)
        } else {
            Act::Reply(404, String::new(), Vec::new())
        }
    })
    .await;
    assert_eq!(found(&root).await.endpoint.unwrap().shape, Shape::OllamaChat);
    let named = Mock::start("/ask", 0, |_, body| {
        if body["frage"].is_string() {
            typed("application/json", r#"{"text":"Paris."}"#)
        } else {
            let missing = br#"{"detail":[{"type":"missing","loc":["body","frage"],"msg":"Field required"}]}"#;
            Act::Reply(422, "content-type: application/json\r\n".to_owned(), missing.to_vec())
        }
    })
    .await;
    let got = found(&named).await;
    assert!(matches!(got.endpoint.unwrap().shape, Shape::Template(_)));
    assert_eq!(got.requests, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_of_unknown_form_is_reported_with_its_status() {
    let closed = Mock::start("/ask", 0, |_, _| Act::Reply(403, String::new(), b"{}".to_vec())).await;
    let got = found(&closed).await;
    assert!(got.endpoint.is_none() && got.status == Some(403));
    assert!(
        got.tried.iter().all(|tried| tried.outcome == "http-403"),
        "{:?}",
        got.tried
    );
}
