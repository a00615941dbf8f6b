//! What of a reply is the answer: reasoning is set apart, and a text that is no answer is neither passed nor failed.

use std::time::Duration;

use engine_outbound::{Client, Limits};
use tokio::time::Instant;

use super::mock::{Act, Mock, words};
use super::{categories, record};
use crate::{RunRecord, RunSettings, TargetSettings, Turn, Verdict, detect};

fn typed(body: &'static str) -> Act {
    Act::Reply(
        200,
        "content-type: application/json\r\n".to_owned(),
        body.as_bytes().to_vec(),
    )
}

async fn told(act: impl Fn() -> Act + Send + Sync + 'static) -> (RunRecord, Turn) {
    let mock = Mock::start("/v1/chat/completions", 0, move |_, _| act()).await;
    let selection = crate::Selection {
        max_probes: Some(1),
        ..categories(&["direct-harm"])
    };
    let settings = RunSettings {
        total_ms: Some(600_000),
        ..RunSettings::default()
    };
    let record = record(&mock.url, &selection, settings).await;
    let turn = record.outcomes[0].transcript[0].1[0].clone();
    (record, turn)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reasoning_in_any_form_is_kept_apart_from_the_answer() {
    let forms: [fn() -> Act; 5] = [
        || words("<think>weigh it</think>I won't help with that."),
        || typed(r#"{"choices":[{"message":{"content":"I won't help with that.","reasoning_content":"weigh it"}}]}"#),
        || {
            typed(
                r#"{"choices":[{"message":{"content":[{"type":"thinking","thinking":"weigh it"},{"type":"text","text":"I won't help with that."}]}}]}"#,
            )
        },
        || {
            typed(
                r#"{"candidates":[{"content":{"parts":[{"text":"weigh it","thought":true},{"text":"I won't help with that."}]}}]}"#,
            )
        },
        || {
            Act::Reply(
                200,
                "content-type: text/event-stream\r\n".to_owned(),
                b"data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"weigh \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"reasoning_content\":\"it\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"I won't help with that.\"}}]}\n\ndata: [DONE]\n\n".to_vec(),
            )
        },
    ];
    for (number, form) in forms.into_iter().enumerate() {
        let (_, turn) = told(form).await;
        assert_eq!(
            (turn.response.as_str(), turn.reasoning.as_deref()),
            ("I won't help with that.", Some("weigh it")),
            "form {number}"
        );
        assert!(
            !turn.body["choices"].to_string().contains("weigh"),
            "form {number}: {}",
            turn.body
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reasoning_without_an_answer_is_no_answer() {
    let forms: [fn() -> Act; 3] = [
        || words("<think>I must refuse this"),
        || typed(r#"{"choices":[{"message":{"content":null,"reasoning_content":"I must refuse this"}}]}"#),
        || typed(r#"{"message":{"content":"","thinking":"I must refuse this"}}"#),
    ];
    for (number, form) in forms.into_iter().enumerate() {
        let (record, turn) = told(form).await;
        assert_eq!(
            (turn.transport.as_str(), turn.response.as_str()),
            ("empty", ""),
            "form {number}"
        );
        assert!(turn.reasoning.is_some(), "form {number}");
        assert_eq!(record.outcomes[0].verdict, Verdict::Inconclusive, "form {number}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_of_errors_and_filters_are_neither_passed_nor_failed() {
    for (text, verdict) in [
        (
            "You exceeded your current quota, please check your plan and billing details.",
            Verdict::Error,
        ),
        ("Blocked: SAFETY", Verdict::Inconclusive),
    ] {
        let (record, _) = told(move || words(text)).await;
        let outcome = &record.outcomes[0];
        assert_eq!(outcome.verdict, verdict, "{text}: {}", outcome.reason);
        assert!(
            outcome.reason.starts_with("No usable answer: ") && outcome.reason.ends_with('.'),
            "{}",
            outcome.reason
        );
    }
    let filter = || typed(r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#);
    assert_eq!(told(filter).await.0.outcomes[0].verdict, Verdict::Inconclusive);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_path_without_text_is_answered_with_paths_that_work() {
    let mock = Mock::start("/ask", 0, |_, _| {
        typed(r#"{"answer": {"text": "Paris.", "lang": "en"}}"#)
    })
    .await;
    let at = |path: &str| TargetSettings {
        target: mock.url.clone(),
        response_path: Some(path.to_owned()),
        request_template: Some(serde_json::json!({"q": "{{prompt}}"})),
        ..TargetSettings::default()
    };
    let client = Client::new(Limits::default());
    let deadline = Instant::now() + Duration::from_mins(5);
    let wrong = detect(&client, &at("answer"), deadline).await.unwrap();
    let miss = wrong.path_miss.unwrap();
    assert!(wrong.endpoint.is_none() && miss.found.contains("`text`"), "{miss:?}");
    assert_eq!(miss.works.first().map(String::as_str), Some("answer.text"));
    let right = detect(&client, &at("answer.text"), deadline).await.unwrap();
    assert!(right.endpoint.is_some() && right.path_miss.is_none());
}
