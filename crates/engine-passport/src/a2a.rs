//! Agent cards of A2A: a passport as a card that can be published, with the passport itself as an extension.

use std::sync::LazyLock;

use engine_signing::{CanonicalError, Jws, SecretKey};
use serde_json::{Map, Value, json};

use crate::EXTENSION_URI;
use crate::document::Document;
use crate::exchange::Exported;
use crate::schema::{check, prune};

/// The schema of an agent card, version 1.0; unknown fields are refused.
pub(crate) static CARD: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../schemas/a2a-agent-card-1.0.json")).unwrap_or_default());

/// What is said where a card must say something and nobody did.
const NOT_STATED: &str = "not stated";

/// Writes a card, signed over its canonical JSON.
pub(crate) fn export(document: &Document, key: &SecretKey) -> Result<Exported, CanonicalError> {
    let mut card = card(document);
    let extension = json!({
        "uri": EXTENSION_URI,
        "description": "The passport of the agent, with the origin of each value and its own signature.",
        "params": document,
    });
    let mut capabilities = capabilities(&mut card);
    match capabilities.get_mut("extensions").and_then(Value::as_array_mut) {
        Some(extensions) => extensions.push(extension),
        None => {
            capabilities.insert("extensions".to_owned(), json!([extension]));
        }
    }
    card.insert("capabilities".to_owned(), Value::Object(capabilities));
    let signature = Jws::sign(key, &card)?;
    card.insert("signatures".to_owned(), json!([signature]));
    let data = Value::Object(card);
    Ok(Exported {
        valid: check(&CARD, &data, false).is_empty(),
        data,
    })
}

/// The card of a passport, without the passport itself and without signatures. A card that the agent came with is the
/// ground; what the passport says now is written over it.
pub(crate) fn card(document: &Document) -> Map<String, Value> {
    let mut card = ground(document);
    card.insert("name".to_owned(), json!(document.name()));
    let purpose = document
        .text_at("description")
        .or_else(|| document.text_at("intended_purpose"));
    say(&mut card, "description", purpose);
    say(&mut card, "version", document.text_at("version"));
    if let (Some(organization), Some(url)) = (
        document.text_at("provider.organization"),
        document.text_at("provider.url"),
    ) {
        card.insert("provider".to_owned(), json!({"organization": organization, "url": url}));
    }
    if !card.contains_key("supportedInterfaces") {
        card.insert("supportedInterfaces".to_owned(), interfaces(document));
    }
    let mut able = capabilities(&mut card);
    // An empty list says nothing; without it, a card that comes back is the one that went out.
    able.retain(|name, value| name != "extensions" || value.as_array().is_none_or(|list| !list.is_empty()));
    card.insert("capabilities".to_owned(), Value::Object(able));
    for (modes, talks) in [
        (
            "defaultInputModes",
            document.texts_at("data.inputs").contains(&"user_input"),
        ),
        ("defaultOutputModes", document.text_at("type") == Some("assistant")),
    ] {
        let list = if talks { json!(["text/plain"]) } else { json!([]) };
        card.entry(modes).or_insert(list);
    }
    if !card.contains_key("skills") {
        card.insert("skills".to_owned(), skills(document));
    }
    card
}

/// The card that the agent came with, in the form of today.
fn ground(document: &Document) -> Map<String, Value> {
    let Some(Value::Object(foreign)) = document.get("interop.a2a.card") else {
        return Map::new();
    };
    let mut card = if document.text_at("interop.a2a.version") == Some("0.3") {
        Value::Object(from_0_3(foreign))
    } else {
        Value::Object(foreign.clone())
    };
    // What the schema does not know stays in the passport and is not published.
    prune(&CARD, &CARD, &mut card, 0);
    match card {
        Value::Object(card) => card,
        _ => Map::new(),
    }
}

/// Writes a text that the card must have.
fn say(card: &mut Map<String, Value>, name: &str, text: Option<&str>) {
    match text {
        Some(text) => {
            card.insert(name.to_owned(), json!(text));
        }
        None => {
            card.entry(name).or_insert_with(|| json!(NOT_STATED));
        }
    }
}

/// The capabilities of a card; where there are none, or something else than an object, an empty object.
fn capabilities(card: &mut Map<String, Value>) -> Map<String, Value> {
    match card.remove("capabilities") {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

/// Endpoints that A2A is spoken at; where nobody said so, none.
fn interfaces(document: &Document) -> Value {
    let endpoints = document.get("endpoints").and_then(Value::as_array);
    endpoints
        .into_iter()
        .flatten()
        .filter_map(|endpoint| {
            let text = |name: &str| endpoint.get(name).and_then(Value::as_str);
            Some(json!({
                "url": text("url")?,
                "protocolBinding": text("protocol_binding")?,
                "protocolVersion": text("protocol_version")?,
            }))
        })
        .collect()
}

/// The purpose as a skill, and one for each tool.
fn skills(document: &Document) -> Value {
    let mut skills = Vec::new();
    if let Some(purpose) = document.text_at("intended_purpose") {
        let tag = document
            .text_at("domain")
            .or_else(|| document.text_at("type"))
            .unwrap_or("agent");
        skills.push(json!({"id": "purpose", "name": document.name(), "description": purpose, "tags": [tag]}));
    }
    for tool in document.texts_at("permissions.tools") {
        skills.push(json!({
            "id": format!("tool:{tool}"),
            "name": tool,
            "description": format!("Calls the tool `{tool}`."),
            "tags": ["tool"],
        }));
    }
    Value::Array(skills)
}

/// A card of version 0.3 in the form of 1.0.
fn from_0_3(old: &Map<String, Value>) -> Map<String, Value> {
    let mut card = Map::new();
    for name in [
        "name",
        "description",
        "version",
        "provider",
        "iconUrl",
        "documentationUrl",
        "defaultInputModes",
        "defaultOutputModes",
    ] {
        if let Some(value) = old.get(name) {
            card.insert(name.to_owned(), value.clone());
        }
    }
    card.insert("supportedInterfaces".to_owned(), interfaces_0_3(old));
    let mut capabilities = match old.get("capabilities") {
        Some(Value::Object(capabilities)) => capabilities.clone(),
        _ => Map::new(),
    };
    if let Some(extended) = old.get("supportsAuthenticatedExtendedCard") {
        capabilities.insert("extendedAgentCard".to_owned(), extended.clone());
    }
    card.insert("capabilities".to_owned(), Value::Object(capabilities));
    if let Some(security) = old.get("security") {
        card.insert("securityRequirements".to_owned(), requirements(security));
    }
    if let Some(Value::Object(schemes)) = old.get("securitySchemes") {
        let schemes: Map<String, Value> = schemes
            .iter()
            .filter_map(|(name, scheme)| Some((name.clone(), scheme_of_0_3(scheme)?)))
            .collect();
        card.insert("securitySchemes".to_owned(), Value::Object(schemes));
    }
    let skills = old.get("skills").and_then(Value::as_array);
    let skills = skills.into_iter().flatten().cloned().map(|mut skill| {
        if let Some(members) = skill.as_object_mut()
            && let Some(security) = members.remove("security")
        {
            members.insert("securityRequirements".to_owned(), requirements(&security));
        }
        skill
    });
    card.insert("skills".to_owned(), skills.collect());
    card
}

/// The main address and the others, each once.
pub(crate) fn interfaces_0_3(old: &Map<String, Value>) -> Value {
    let version = old.get("protocolVersion").cloned().unwrap_or_else(|| json!("0.3"));
    let main = json!({
        "url": old.get("url"),
        // The protocol says that a card without it means this one.
        "protocolBinding": old.get("preferredTransport").and_then(Value::as_str).unwrap_or("JSONRPC"),
        "protocolVersion": version,
    });
    let mut all = vec![main];
    let others = old.get("additionalInterfaces").and_then(Value::as_array);
    for other in others.into_iter().flatten() {
        let other = json!({
            "url": other.get("url"),
            "protocolBinding": other.get("transport"),
            "protocolVersion": version,
        });
        if !all.contains(&other) {
            all.push(other);
        }
    }
    Value::Array(all)
}

fn requirements(security: &Value) -> Value {
    let list = security.as_array();
    list.into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .map(|one| {
            let schemes: Map<String, Value> = one
                .iter()
                .map(|(name, scopes)| (name.clone(), json!({"list": scopes})))
                .collect();
            json!({"schemes": schemes})
        })
        .collect()
}

fn scheme_of_0_3(scheme: &Value) -> Option<Value> {
    let mut members = scheme.as_object()?.clone();
    let kind = members.remove("type")?;
    let name = match kind.as_str()? {
        "apiKey" => {
            let place = members.remove("in")?;
            members.insert("location".to_owned(), place);
            "apiKeySecurityScheme"
        }
        "http" => "httpAuthSecurityScheme",
        "oauth2" => {
            // Of several flows a card of today names one.
            if let Some(Value::Object(flows)) = members.get_mut("flows") {
                let first = flows.iter().next().map(|(name, flow)| (name.clone(), flow.clone()));
                *flows = first.into_iter().collect();
            }
            "oauth2SecurityScheme"
        }
        "openIdConnect" => "openIdConnectSecurityScheme",
        "mutualTLS" => "mtlsSecurityScheme",
        _ => return None,
    };
    Some(json!({name: members}))
}
