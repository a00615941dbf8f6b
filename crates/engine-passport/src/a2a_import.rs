//! Agent cards of A2A as they come in, of today and of version 0.3.

use std::sync::LazyLock;

use engine_signing::{Jws, JwsVerdict, Trust};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::EXTENSION_URI;
use crate::a2a::{CARD, card, interfaces_0_3};
use crate::document::Document;
use crate::exchange::{Format, ImportError, Imported, Incoming, make_new, refuse, take_over};
use crate::provenance::ForeignSignature;
use crate::schema::check;
use crate::slug::check_name;

static CARD_0_3: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../schemas/a2a-agent-card-0.3.json")).unwrap_or_default());

/// Takes over a card. A passport that it carries is taken as such; everything else of the card is kept beside it.
pub(crate) fn import(data: Value, trust: &Trust, now: &str) -> Result<Imported, ImportError> {
    let old = data.get("supportedInterfaces").is_none() && data.get("url").is_some();
    let (schema, version) = if old { (&*CARD_0_3, "0.3") } else { (&*CARD, "1.0") };
    refuse(check(schema, &data, true))?;
    let Value::Object(whole) = &data else {
        return Err(crate::DocumentError::NotAnObject.into());
    };
    let mut foreign = whole.clone();
    let signatures = signatures(&mut foreign, trust);
    let passport = take_extension(&mut foreign);
    let mut incoming = Incoming::new(Format::A2a, data);
    if signatures.iter().any(|signature| signature.verdict == "tampered") {
        incoming
            .warnings
            .push("a signature of the agent card is not valid".to_owned());
    }
    incoming.signatures = signatures;
    let name = foreign.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
    let Some(passport) = passport else {
        incoming.added = fields(&foreign, old);
        incoming.added.push(kept(version, &foreign));
        return make_new(incoming, &name, now);
    };
    let carried = Document::of(passport.clone())?;
    if name != carried.name() {
        check_name(&name).map_err(ImportError::Name)?;
        let (card, inside) = (shown(&name), shown(carried.name()));
        incoming.warnings.push(format!(
            "the agent card is named `{card}`, but the passport inside it is named `{inside}`; the agent is imported as \
             `{card}`, so the signature of the passport no longer covers it"
        ));
        incoming.added.push(("name", Value::String(name)));
    }
    if foreign != card(&carried) {
        incoming.warnings.push(
            "the agent card contradicts the passport inside it; both are kept, and the passport takes precedence"
                .to_owned(),
        );
        incoming.added.push(kept(version, &foreign));
    }
    take_over(incoming, passport, trust, now)
}

/// A foreign name in a sentence.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}

/// The card as it came, for the passport.
fn kept(version: &str, card: &Map<String, Value>) -> (&'static str, Value) {
    ("interop.a2a", json!({"version": version, "card": card}))
}

/// Takes the signatures out of a card and checks each.
fn signatures(card: &mut Map<String, Value>, trust: &Trust) -> Vec<ForeignSignature> {
    let Some(Value::Array(list)) = card.remove("signatures") else {
        return Vec::new();
    };
    list.into_iter()
        .map(|signature| {
            let verdict = Jws::deserialize(&signature).map_or("not_checked", |jws| match jws.verify(trust, card) {
                JwsVerdict::Valid => "valid",
                JwsVerdict::UnknownKey => "unknown_key",
                JwsVerdict::Tampered => "tampered",
                JwsVerdict::NotChecked => "not_checked",
            });
            ForeignSignature {
                of: "a2a".to_owned(),
                verdict: verdict.to_owned(),
                signature,
            }
        })
        .collect()
}

/// Takes the passport out of a card.
fn take_extension(card: &mut Map<String, Value>) -> Option<Value> {
    let capabilities = card.get_mut("capabilities")?.as_object_mut()?;
    let extensions = capabilities.get_mut("extensions")?.as_array_mut()?;
    let at = extensions
        .iter()
        .position(|one| one.get("uri").and_then(Value::as_str) == Some(EXTENSION_URI))?;
    let passport = extensions.remove(at).get("params").cloned();
    if extensions.is_empty() {
        capabilities.remove("extensions");
    }
    passport
}

/// What a card tells in the words of a passport.
fn fields(card: &Map<String, Value>, old: bool) -> Vec<(&'static str, Value)> {
    let mut fields = Vec::new();
    for (name, path) in [("description", "description"), ("version", "version")] {
        if let Some(value) = card.get(name).filter(|value| value.is_string()) {
            fields.push((path, value.clone()));
        }
    }
    if let Some(provider) = card.get("provider") {
        for (name, path) in [("organization", "provider.organization"), ("url", "provider.url")] {
            if let Some(value) = provider.get(name).filter(|value| value.is_string()) {
                fields.push((path, value.clone()));
            }
        }
    }
    let interfaces = if old {
        interfaces_0_3(card)
    } else {
        card.get("supportedInterfaces").cloned().unwrap_or_default()
    };
    let endpoints: Vec<Value> = interfaces
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| {
            json!({
                "kind": "a2a",
                "name": one.get("url"),
                "file": null,
                "url": one.get("url"),
                "protocol_binding": one.get("protocolBinding"),
                "protocol_version": one.get("protocolVersion"),
            })
        })
        .collect();
    if !endpoints.is_empty() {
        fields.push(("endpoints", Value::Array(endpoints)));
    }
    fields
}
