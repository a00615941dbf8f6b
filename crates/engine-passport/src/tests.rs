//! What must be true of passports, whatever stands in them.

mod exchanging;
mod shape;

use std::collections::BTreeSet;

use engine_model::{Agent, Inventory, System};
use engine_signing::{SecretKey, Trust};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::*;

const NOW: &str = "2026-11-20T10:00:00.000Z";
const LATER: &str = "2026-11-21T10:00:00.000Z";

fn key() -> SecretKey {
    SecretKey::from_seed(&[3; 32])
}

fn trust() -> Trust {
    let mut trust = Trust::default();
    trust.pin(key().public(), "this machine");
    trust
}

struct World {
    agent: Agent,
    system: System,
    inventory: Inventory,
}

/// A helpdesk agent with two tools, behind approval, whose call is logged.
fn world() -> World {
    let agent = json!({
        "name": "helpdesk", "agentId": "helpdesk-agent", "system": "helpdesk", "framework": "openai-agents",
        "provider": "openai", "model": "gpt-4o", "autonomyLevel": 3,
        "autonomyEvidence": [{"signal": "tools", "reason": "the model may call refund", "file": "app/main.py", "line": 4}],
        "tools": ["find_order", "refund"], "humanApproval": true,
        "riskClass": "limited", "files": ["app/main.py"], "findings": 0, "critical": 0, "high": 0, "score": null,
    });
    let system = json!({
        "id": "helpdesk", "name": "helpdesk", "scope": "", "providers": ["openai"], "models": ["gpt-4o"],
        "entryPoints": [{"kind": "http", "name": "POST /chat", "file": "app/main.py", "line": 9}],
        "role": "provider", "roleBasis": "the system is built here", "riskClass": "limited",
        "riskBasis": "a case of Art. 50 was observed", "questions": [], "files": ["app/main.py"],
        "obligations": [
            record("OBL-001", "evidenced"), record("OBL-002", "not_evaluated"), record("OBL-003", "gap"),
        ],
    });
    let inventory = json!({
        "calls": [{
            "file": "app/main.py", "line": 12, "column": 5, "cell": null, "kind": "call", "provider": "openai",
            "sdk": "openai", "model": "gpt-4o", "modelPinned": false, "sends": ["user_input"], "errorHandling": "yes",
            "logging": "yes", "humanApproval": true, "disclosure": true, "effects": ["tool", "page"],
            "capabilities": [], "traces": [], "system": "helpdesk", "zone": "product", "function": "chat",
            "symbol": "openai.OpenAI().chat", "host": null, "tools": ["refund"], "confidence": 90,
        }],
        "packages": [], "models": [], "datasets": [], "services": [], "mcpServers": [], "prompts": [],
        "modelFiles": [], "structures": [],
    });
    World {
        agent: serde_json::from_value(agent).unwrap(),
        system: serde_json::from_value(system).unwrap(),
        inventory: serde_json::from_value(inventory).unwrap(),
    }
}

fn record(id: &str, status: &str) -> Value {
    json!({
        "obligationId": id, "article": "Art. 4", "title": "t", "appliesFrom": null, "applies": "applies",
        "because": "b", "status": status, "question": null, "asksForDocument": false,
        "evidence": [{"kind": "document", "ref": "docs/literacy.md", "file": "docs/literacy.md", "line": 1, "hash": null}],
    })
}

fn generated(world: &World, now: &str) -> Document {
    generate(&Facts {
        agent: &world.agent,
        agents: std::slice::from_ref(&world.agent),
        system: &world.system,
        inventory: &world.inventory,
        name: &world.agent.name,
        now,
        scanned_at: now,
        engine_version: "0.1.0",
        regulation_version: "2026-07-27",
    })
}

fn signed(world: &World) -> Document {
    let mut document = generated(world, NOW);
    sign(&mut document, &key()).unwrap();
    document
}

/// Any JSON value, not too deep.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_000_i64..1_000_000).prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

#[test]
fn slugs_are_safe_and_different_for_different_names() {
    let names = [
        "@acme/bot",
        "../../x",
        "CON",
        "con",
        "nul.txt",
        "COM1",
        "lpt9",
        "🤖",
        "agent",
        "Support Agent",
        "support_agent",
        "a/b",
        "a\\b",
        "a:b",
        "Bot",
        "bot",
        ".hidden",
        "x.json",
        "ünïcödé",
        "日本語",
        "--",
        ".",
        "..",
        "originals",
    ];
    let mut taken = BTreeSet::new();
    let long = "n".repeat(300);
    for name in names.iter().copied().chain([long.as_str()]) {
        let slug = slug(name, &taken);
        assert!(
            slug.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{slug}"
        );
        assert!(
            !slug.is_empty() && slug.len() <= 100 && !slug.starts_with('-'),
            "{slug}"
        );
        assert!(!["con", "nul", "com1", "lpt9"].contains(&slug.as_str()), "{slug}");
        assert!(taken.insert(slug.clone()), "{name} and another name share {slug}");
    }
    assert!(
        taken.contains("support-agent") && taken.contains("bot"),
        "a plain name stays as it is: {taken:?}"
    );
}

proptest! {
    #[test]
    fn any_name_has_a_safe_slug_of_its_own(names in prop::collection::vec("\\PC{1,40}", 1..12)) {
        let mut taken = BTreeSet::new();
        for name in &names {
            let slug = slug(name, &taken);
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!slug.is_empty() && slug.len() <= 140);
            prop_assert!(taken.insert(slug));
        }
    }

    #[test]
    fn whatever_a_person_adds_survives_types_files_and_regeneration(
        top in "[a-z]{1,6}_own", inner in "[a-z]{1,6}_own", value in any_value(),
    ) {
        let world = world();
        let mut document = generated(&world, NOW);
        document.set(&top, value.clone());
        document.set(&format!("owner.{inner}"), value.clone());
        let typed = Document::from(&document.typed().unwrap());
        prop_assert_eq!(&typed, &document, "types keep what they do not name");
        let read = Document::parse(document.text().as_bytes()).unwrap();
        prop_assert_eq!(&read, &document, "a file keeps it");
        let again = regenerate(&document, &generated(&world, LATER));
        prop_assert_eq!(again.get(&top), Some(&value));
        let nested = format!("owner.{inner}");
        prop_assert_eq!(again.get(&nested), Some(&value));
    }

    #[test]
    fn foreign_json_never_panics(value in any_value(), at in 0usize..36) {
        let world = world();
        let mut whole = signed(&world).to_value();
        whole[TOP_LEVEL[at]] = value.clone();
        let text = serde_json::to_vec(&whole).unwrap();
        let _ = validate(&text, &trust(), None);
        for format in [Format::A2a, Format::Aiuc1, Format::Nist, Format::Passport] {
            let _ = import(format, value.clone(), &trust(), NOW);
            let _ = import(format, whole.clone(), &trust(), NOW);
        }
        if let Ok(document) = Document::of(whole) {
            let _ = regenerate(&document, &generated(&world, LATER));
            let _ = permissions(std::slice::from_ref(&document));
            let _ = completeness(&document);
            let _ = drift(&document, Some(&generated(&world, LATER)));
            let _ = export(&document, Format::A2a, &[], &key(), NOW);
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("no object: {other}"),
    }
}
