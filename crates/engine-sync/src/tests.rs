//! The client against a loopback server that says exactly what a test wants.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine_evidence::{Chain, Draft, EntryType};
use engine_outbound::{Client, Limits};
use engine_signing::{Digest, SecretKey, Tree, verify_consistency};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::wire::{EvidenceRequest, HeldHead, ItemAction, Kind, Project};
use crate::{Address, ChainSource, Dashboard, Outgoing, SyncError, Token, contract};

const TOKEN: &str = "dashboard-token-0123456789";

/// What came, in order: the head and the body of each request.
type Seen = Arc<Mutex<Vec<(String, Value)>>>;

/// A server that answers by a function of the number of the request and its body; an empty answer closes the connection.
async fn server(answer: impl Fn(usize, &Value) -> String + Send + Sync + 'static) -> (Dashboard, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut text = Vec::new();
            let (head, body) = loop {
                let mut buffer = [0; 16_384];
                let count = stream.read(&mut buffer).await.unwrap_or(0);
                if count == 0 {
                    break (String::new(), Value::Null);
                }
                text.extend_from_slice(&buffer[..count]);
                let Some(at) = text.windows(4).position(|four| four == b"\r\n\r\n") else {
                    continue;
                };
                let head = String::from_utf8_lossy(&text[..at]).to_lowercase();
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
                    .unwrap_or(0);
                if text.len() >= at + 4 + length {
                    break (head, serde_json::from_slice(&text[at + 4..]).unwrap_or_default());
                }
            };
            if head.is_empty() {
                continue;
            }
            let number = kept.lock().unwrap().len();
            let reply = answer(number, &body);
            kept.lock().unwrap().push((head, body));
            let _ = stream.write_all(reply.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    let dashboard = Dashboard::new(
        Client::new(Limits::default()),
        Address::parse(&address).unwrap(),
        Token::parse(TOKEN).unwrap(),
        Duration::from_mins(2),
    );
    (dashboard, seen)
}

fn reply(status: u16, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn project() -> Project {
    Project {
        name: "desk".to_owned(),
        chain: Some("chain".to_owned()),
    }
}

fn items(count: usize) -> Vec<Outgoing> {
    (0..count)
        .map(|number| Outgoing {
            id: number.to_string(),
            name: format!("item {number}"),
            json: json!({"id": number.to_string()}).to_string().into_bytes(),
        })
        .collect()
}

fn created(body: &Value) -> Value {
    let items = body["items"].as_array().cloned().unwrap_or_default();
    let results: Vec<Value> = items
        .iter()
        .map(|item| json!({"id": item["id"], "action": "created"}))
        .collect();
    json!({ "results": results })
}

#[tokio::test(flavor = "multi_thread")]
async fn given_passing_failures_then_the_same_request_is_repeated_with_the_same_key() {
    let (dashboard, seen) = server(|number, body| match number {
        0 => reply(500, "", &json!({"error": "again"})),
        1 => String::new(),
        2 => reply(429, "Retry-After: 0\r\n", &json!({"error": "slow down"})),
        _ => reply(200, "", &created(body)),
    })
    .await;
    let pushed = dashboard.push(Kind::Passport, &project(), items(2)).await;
    assert_eq!((pushed.stopped.as_ref(), pushed.count(ItemAction::Created)), (None, 2));
    let seen = seen.lock().unwrap();
    let keys: Vec<&str> = seen
        .iter()
        .map(|(head, _)| head.lines().find(|line| line.starts_with("idempotency-key: ")).unwrap())
        .collect();
    assert_eq!(keys.len(), 4);
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert!(
        seen[0].0.starts_with("post /api/sync/passport http/1.1"),
        "{}",
        seen[0].0
    );
    assert!(seen[0].0.contains(&format!("authorization: bearer {TOKEN}")));
    assert_eq!(seen[0].1["project"]["name"], "desk");
}

#[tokio::test(flavor = "multi_thread")]
async fn given_a_batch_that_is_too_long_then_it_is_halved_down_to_the_item_that_is_rejected() {
    let (dashboard, seen) = server(|_, body| {
        let items = body["items"].as_array().unwrap();
        if items.iter().any(|item| item["id"] == "5") {
            reply(413, "", &json!({"error": "too long"}))
        } else {
            reply(200, "", &created(body))
        }
    })
    .await;
    let pushed = dashboard.push(Kind::Documents, &project(), items(8)).await;
    assert_eq!(pushed.stopped, None);
    assert_eq!(
        (pushed.count(ItemAction::Created), pushed.count(ItemAction::Rejected)),
        (7, 1)
    );
    assert_eq!(pushed.outcomes[5].action, Some(ItemAction::Rejected));
    assert!(seen.lock().unwrap().len() < 16);
}

#[tokio::test(flavor = "multi_thread")]
async fn given_results_for_some_items_then_the_others_are_unconfirmed_and_foreign_ids_are_ignored() {
    let (dashboard, _) = server(|_, _| {
        let results = json!([
            {"id": "0", "action": "conflict", "error": format!("your token {TOKEN} is nice")},
            {"id": "other", "action": "created"},
        ]);
        reply(200, "", &json!({ "results": results }))
    })
    .await;
    let pushed = dashboard.push(Kind::Passport, &project(), items(2)).await;
    assert_eq!(pushed.outcomes.len(), 2);
    assert_eq!(pushed.outcomes[0].action, Some(ItemAction::Conflict));
    assert_eq!(pushed.outcomes[0].error.as_deref(), Some("your token [token] is nice"));
    assert_eq!(pushed.outcomes[1].action, None);
    assert!(pushed.outcomes[1].error.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn given_a_failure_in_the_second_batch_then_the_first_counts() {
    let (dashboard, _) = server(|number, body| match number {
        0 => reply(200, "", &created(body)),
        _ => reply(400, "", &json!({"error": "no"})),
    })
    .await;
    let pushed = dashboard.push(Kind::Passport, &project(), items(60)).await;
    assert!(matches!(pushed.stopped, Some(SyncError::Status { status: 400, .. })));
    assert_eq!(pushed.count(ItemAction::Created), 50);
    assert!(pushed.outcomes[50..].iter().all(|outcome| outcome.action.is_none()));
}

#[tokio::test(flavor = "multi_thread")]
async fn given_a_wait_beyond_the_deadline_then_the_wait_is_reported() {
    let (dashboard, seen) = server(|_, _| reply(429, "Retry-After: 86400\r\n", &json!({"error": "tomorrow"}))).await;
    let error = dashboard.status().await.unwrap_err();
    let SyncError::Status {
        status, retry_after, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((*status, *retry_after), (429, Some(86_400)));
    assert!(
        error.to_string().ends_with("tomorrow. Try again in 86400 seconds"),
        "{error}"
    );
    assert_eq!(seen.lock().unwrap().len(), 1);
}

/// A chain in memory.
struct Entries {
    head: String,
    hashes: Vec<Digest>,
    texts: Vec<String>,
}

impl Entries {
    fn new(count: u64) -> Self {
        let key = SecretKey::from_seed(&[7; 32]);
        let (mut chain, first) = Chain::begin("chain", "g", "2026-11-28T10:00:00.000Z", &key).unwrap();
        let mut all = vec![first];
        for number in 1..count {
            let draft = Draft {
                id: format!("id-{number}"),
                timestamp: "2026-11-28T10:00:00.000Z".to_owned(),
                kind: EntryType::Scan,
                actor: "test".to_owned(),
                agent: None,
                payload: json!({ "number": number }),
                artifacts: Vec::new(),
            };
            all.extend(chain.append(draft, &key).unwrap());
        }
        Self {
            head: chain.head(&key).unwrap(),
            hashes: all.iter().map(|one| one.entry.hash).collect(),
            texts: all.into_iter().map(|one| one.text).collect(),
        }
    }

    fn held(&self, size: usize) -> HeldHead {
        let mut tree = Tree::new();
        self.hashes[..size].iter().for_each(|hash| tree.push(hash.as_bytes()));
        HeldHead {
            size: size as u64,
            root: Digest::from_bytes(tree.root()),
        }
    }
}

impl ChainSource for Entries {
    fn head(&self) -> &str {
        &self.head
    }

    fn hashes(&self) -> &[Digest] {
        &self.hashes
    }

    fn texts(&self, from: u64, most: u64) -> Result<Vec<String>, String> {
        let from = usize::try_from(from).unwrap();
        let to = self.texts.len().min(from + usize::try_from(most).unwrap());
        Ok(self.texts[from..to].to_vec())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn given_a_dashboard_with_a_beginning_then_only_new_entries_come_with_a_proof() {
    let chain = Entries::new(1_300);
    let all = Arc::new(chain.hashes.clone());
    let known = chain.held(77);
    let whole = chain.held(1_300);
    let size = Mutex::new(77_usize);
    let (dashboard, seen) = server(move |_, body| {
        let request: EvidenceRequest = serde_json::from_value(body.clone()).unwrap();
        let mut size = size.lock().unwrap();
        *size += request.entries.len();
        let mut tree = Tree::new();
        all[..*size].iter().for_each(|hash| tree.push(hash.as_bytes()));
        let head = HeldHead {
            size: *size as u64,
            root: Digest::from_bytes(tree.root()),
        };
        reply(200, "", &json!({ "head": head }))
    })
    .await;
    let uploaded = dashboard.upload(&project(), &chain).await;
    assert_eq!(
        (uploaded.stopped.as_ref(), uploaded.before, uploaded.held),
        (None, Some(77), 1_300)
    );
    assert_eq!(uploaded.root, Some(whole.root));
    let requests: Vec<EvidenceRequest> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|(_, body)| serde_json::from_value(body.clone()).unwrap())
        .collect();
    let sizes: Vec<usize> = requests.iter().map(|request| request.entries.len()).collect();
    assert_eq!(sizes, [0, 500, 500, 223], "a question, and three bounded chunks");
    assert_eq!(requests[1].after, Some(known));
    assert_eq!(requests[1].entries[0], chain.texts[77]);
    for request in &requests[1..] {
        let after = request.after.unwrap();
        let proof: Vec<[u8; 32]> = request.proof.iter().map(|hash| *hash.as_bytes()).collect();
        assert!(verify_consistency(
            after.size,
            after.root.as_bytes(),
            whole.size,
            whole.root.as_bytes(),
            &proof
        ));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn given_other_evidence_in_the_dashboard_then_nothing_is_uploaded() {
    let chain = Entries::new(20);
    for head in [
        json!({"size": 5, "root": chain.held(6).root}),
        json!({"size": 21, "root": chain.held(20).root}),
        json!({"size": u64::MAX, "root": chain.held(20).root}),
    ] {
        let (dashboard, seen) = server(move |_, _| reply(200, "", &json!({ "head": head }))).await;
        let uploaded = dashboard.upload(&project(), &chain).await;
        assert!(matches!(uploaded.stopped, Some(SyncError::Diverged { ours: 20, .. })));
        assert!(!uploaded.sent);
        assert_eq!(seen.lock().unwrap().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn given_a_dashboard_that_takes_nothing_then_the_upload_ends() {
    let chain = Entries::new(20);
    for answer in [json!({ "head": null }), json!({ "head": chain.held(3) }), json!({})] {
        let (dashboard, seen) = server(move |_, _| reply(200, "", &answer)).await;
        let uploaded = dashboard.upload(&project(), &chain).await;
        assert!(uploaded.stopped.is_some());
        assert!(seen.lock().unwrap().len() < 4);
    }
}

#[test]
fn the_contract_is_the_one_in_the_documentation() {
    let mut text = serde_json::to_string_pretty(&contract()).unwrap();
    text.push('\n');
    let written = include_str!("../../../docs/dashboard-openapi.json");
    assert!(
        written == text,
        "docs/dashboard-openapi.json is not up to date; run `cargo xtask codegen`"
    );
}

#[test]
fn every_reference_of_the_contract_leads_to_a_schema() {
    fn walk(value: &Value, document: &Value, count: &mut usize) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| walk(one, document, count)),
            Value::Object(all) => {
                if let Some(reference) = all.get("$ref").and_then(Value::as_str) {
                    *count += 1;
                    assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
                }
                all.values().for_each(|one| walk(one, document, count));
            }
            _ => {}
        }
    }
    let document = contract();
    let mut count = 0;
    walk(&document, &document, &mut count);
    assert!(count > 20, "{count}");
    assert_eq!(document["paths"].as_object().unwrap().len(), 5);
}
