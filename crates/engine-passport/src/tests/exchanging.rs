//! Passports in other formats: what goes out, what comes back, what is refused.

use engine_model::ObligationRecord;
use engine_signing::{Jws, JwsVerdict};

use super::*;

const FORMATS: [Format; 4] = [Format::A2a, Format::Aiuc1, Format::Nist, Format::Passport];

fn strict_schema() -> jsonschema::Validator {
    let mut schema: Value = serde_json::from_str(include_str!("../../tests/data/a2a-strict.json")).unwrap();
    schema["$ref"] = json!("#/$defs/AgentCard");
    jsonschema::validator_for(&schema).unwrap()
}

fn records() -> Vec<ObligationRecord> {
    world().system.obligations
}

fn out(document: &Document, format: Format) -> Exported {
    let exported = export(document, format, &records(), &key(), NOW).unwrap();
    assert!(exported.valid, "{}", exported.data);
    exported
}

#[test]
fn a_card_fits_the_published_schema_and_its_signature_covers_its_canonical_form() {
    let card = out(&signed(&world()), Format::A2a).data;
    let schema = strict_schema();
    let errors: Vec<String> = schema.iter_errors(&card).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let jws: Jws = serde_json::from_value(card["signatures"][0].clone()).unwrap();
    let mut unsigned = card.clone();
    unsigned.as_object_mut().unwrap().remove("signatures");
    assert_eq!(jws.verify(&trust(), &unsigned), JwsVerdict::Valid);
    unsigned["description"] = json!("something else");
    assert_eq!(jws.verify(&trust(), &unsigned), JwsVerdict::Tampered);
    assert_eq!(card["capabilities"]["extensions"][0]["uri"], EXTENSION_URI);
    assert_eq!(card["version"], "not stated", "nothing is made up");
}

#[test]
fn a_round_trip_through_every_format_loses_nothing() {
    let mut document = generated(&world(), NOW);
    document.set("x-own", json!({"nested": [1, 2.5, "ü"]}));
    document.set("description", json!("Answers customers."));
    sign(&mut document, &key()).unwrap();
    for format in FORMATS {
        let exported = out(&document, format);
        let back = import(format, exported.data, &trust(), LATER).unwrap();
        assert!(back.untouched, "{format:?}: {:?}", back.warnings);
        assert_eq!(back.document, document, "{format:?}");
    }
}

#[test]
fn a_passport_of_somebody_else_keeps_its_signature_and_all_its_values() {
    let mut document = generated(&world(), NOW);
    let theirs = SecretKey::from_seed(&[9; 32]);
    sign(&mut document, &theirs).unwrap();
    for format in FORMATS {
        let exported = export(&document, format, &records(), &theirs, NOW).unwrap();
        let mut back = import(format, exported.data.clone(), &trust(), LATER).unwrap();
        assert!(!back.untouched);
        sign(&mut back.document, &key()).unwrap();
        let provenance = back.document.provenance();
        let record = provenance.imports.last().unwrap();
        assert_eq!(
            record.original,
            engine_signing::Digest::of_json(&exported.data).unwrap().to_string()
        );
        let passport = record.signatures.iter().find(|one| one.of == "passport").unwrap();
        assert_eq!(passport.verdict, "unknown_key");
        assert_eq!(Some(&passport.signature), document.get("signature"));
        for field in FIELDS {
            assert_eq!(
                back.document.get(field.path),
                document.get(field.path),
                "{format:?} {}",
                field.path
            );
        }
        assert_eq!(provenance.fields, document.provenance().fields);
        if format == Format::A2a {
            let card = record.signatures.iter().find(|one| one.of == "a2a").unwrap();
            assert_eq!(card.verdict, "unknown_key");
        }
        assert!(validate(back.document.text().as_bytes(), &trust(), None).valid);
    }
}

#[test]
fn a_passport_that_was_changed_on_its_way_counts_as_imported_and_says_so() {
    let mut document = signed(&world());
    document.set("autonomy_level", json!(1));
    let back = import(Format::Passport, document.to_value(), &trust(), LATER).unwrap();
    assert_eq!(back.signatures[0].verdict, "tampered");
    assert!(back.warnings[0].contains("is not valid"), "{:?}", back.warnings);
    assert_eq!(back.document.provenance().fields["autonomy_level"], SourceKind::Import);
    assert_eq!(
        completeness(&back.document).filled_count,
        0,
        "nobody here vouches for any of it"
    );
}

#[test]
fn a_card_of_somebody_else_comes_back_as_it_came() {
    let foreign = json!({
        "name": "Recipe Agent", "description": "Cooks.", "version": "2.1",
        "supportedInterfaces": [{"url": "https://r.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "provider": {"organization": "Cooks Inc", "url": "https://r.example"},
        "capabilities": {"streaming": true, "extensions": [{"uri": "urn:other", "params": {"k": 1}}]},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["application/json"],
        "skills": [{"id": "s", "name": "cook", "description": "cooks", "tags": ["food"]}],
        "signatures": [{"protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "AAAA"}],
    });
    let mut back = import(Format::A2a, foreign.clone(), &trust(), NOW).unwrap();
    sign(&mut back.document, &key()).unwrap();
    assert_eq!(back.signatures[0].verdict, "not_checked");
    assert_eq!(back.document.text_at("provider.organization"), Some("Cooks Inc"));
    assert_eq!(back.document.provenance().fields["version"], SourceKind::Import);
    let mut card = object(out(&back.document, Format::A2a).data);
    card.remove("signatures");
    let extensions = card["capabilities"]["extensions"].as_array_mut().unwrap();
    assert_eq!(extensions.pop().unwrap()["uri"], EXTENSION_URI);
    let mut expected = object(foreign);
    expected.remove("signatures");
    assert_eq!(card, expected);
}

#[test]
fn a_card_of_version_0_3_is_taken_over_and_published_in_the_form_of_today() {
    let old = json!({
        "name": "Old Agent", "description": "Works.", "version": "1.0.0", "protocolVersion": "0.3.0",
        "url": "https://o.example/rpc", "preferredTransport": "HTTP+JSON",
        "additionalInterfaces": [{"url": "https://o.example/grpc", "transport": "GRPC"}],
        "capabilities": {"streaming": false, "stateTransitionHistory": true},
        "supportsAuthenticatedExtendedCard": true,
        "security": [{"key": [], "oauth": ["read"]}],
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "oauth": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://o.example/t", "scopes": {"read": "r"}}}},
        },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "n", "description": "d", "tags": [], "security": [{"key": []}]}],
        "x-unknown": {"kept": true},
    });
    let mut back = import(Format::A2a, old.clone(), &trust(), NOW).unwrap();
    sign(&mut back.document, &key()).unwrap();
    assert_eq!(
        back.document.get("interop.a2a.card"),
        Some(&old),
        "the card is kept as it came"
    );
    assert_eq!(back.document.get("endpoints.0"), None);
    let card = out(&back.document, Format::A2a).data;
    assert!(strict_schema().is_valid(&card), "{card}");
    assert_eq!(card["supportedInterfaces"][1]["protocolBinding"], "GRPC");
    assert_eq!(card["capabilities"]["extendedAgentCard"], true);
    assert_eq!(
        card["securitySchemes"]["key"]["apiKeySecurityScheme"]["location"],
        "header"
    );
    assert_eq!(
        card["securityRequirements"][0]["schemes"]["oauth"]["list"],
        json!(["read"])
    );
    let again = import(Format::A2a, card, &trust(), LATER).unwrap();
    assert!(again.untouched && again.document == back.document);
}

#[test]
fn sheets_have_every_control_with_evidence_and_say_what_nobody_looked_at() {
    for (format, count) in [(Format::Aiuc1, 49), (Format::Nist, 72)] {
        let sheet = out(&signed(&world()), format).data;
        let controls = sheet["controls"].as_array().unwrap();
        assert_eq!(controls.len(), count);
        let of = |status: &str| controls.iter().filter(|control| control["status"] == status).count();
        assert!(of("gap") > 0 && of("not_assessed") > 10, "{}", sheet["summary"]);
        for control in controls {
            let linked = !control["evidence"].as_array().unwrap().is_empty();
            assert_eq!(linked, control["status"] != "not_assessed", "{control}");
        }
        let nothing = export(&signed(&world()), format, &[], &key(), NOW).unwrap().data;
        assert_eq!(nothing["summary"]["not_assessed"], count);
        assert!(!sheet.to_string().contains("compliant") && !sheet.to_string().contains("certified"));
    }
}

#[test]
fn what_a_sheet_without_a_passport_says_is_kept_as_stated_by_others() {
    let sheet = json!({
        "agent": {"name": "Bought Bot"},
        "controls": [{"id": "GOVERN 1.1", "status": "evidenced", "note": "our audit"}],
    });
    let mut back = import(Format::Nist, sheet, &trust(), NOW).unwrap();
    sign(&mut back.document, &key()).unwrap();
    let again = export(&back.document, Format::Nist, &[], &key(), NOW).unwrap();
    assert!(again.valid);
    let control = &again.data["controls"][0];
    assert_eq!(
        (&control["id"], &control["status"]),
        (&json!("GOVERN 1.1"), &json!("not_assessed"))
    );
    assert_eq!(control["stated"]["note"], "our audit");
}

#[test]
fn hostile_documents_are_refused_with_the_place_that_is_wrong() {
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let mut big = signed(&world()).to_value();
    big["x"] = json!("y".repeat(2 * 1024 * 1024));
    let mut wrong = signed(&world()).to_value();
    wrong["owner"] = json!("Acme");
    let mut number = signed(&world()).to_value();
    number["x"] = json!(u64::MAX);
    let mut nested = generated(&world(), NOW).to_value();
    nested["x"] = (0..60).fold(json!(1), |inner, _| json!({"a": inner}));
    let refused = |format, data| import(format, data, &trust(), NOW).unwrap_err().to_string();
    for format in FORMATS {
        assert!(refused(format, deep.clone()).contains("levels deep"), "{format:?}");
        assert!(refused(format, json!([1])).contains("object"), "{format:?}");
        assert!(!refused(format, json!({})).is_empty(), "{format:?}");
    }
    assert!(refused(Format::Passport, big).contains("bytes"));
    assert!(refused(Format::Passport, wrong).contains("`owner`"));
    assert!(refused(Format::Passport, number).contains("2^53"));
    assert!(refused(Format::Passport, nested).contains("levels deep"));
    assert!(refused(Format::A2a, json!({"name": 1, "url": "x"})).contains('`'));
    assert!(refused(Format::Nist, json!({"agent": {"name": "x"}, "controls": [{"id": 1}]})).contains("controls.0"));
    assert!(
        refused(
            Format::Nist,
            json!({"format": "aiuc-1", "agent": {"name": "x"}, "controls": []})
        )
        .contains("format")
    );
}

#[test]
fn a_passport_written_by_hand_needs_no_more_than_a_name() {
    let back = import(Format::Passport, json!({"name": "By hand", "x": 1}), &trust(), NOW).unwrap();
    assert_eq!(back.document.name(), "By hand");
    assert_eq!(back.document.get("x"), Some(&json!(1)));
    assert!(TOP_LEVEL.iter().all(|name| back.document.get(name).is_some()));
    assert!(check(passport_schema(), &back.document.to_value(), false).is_empty());
}

#[test]
fn a_signature_that_somebody_adds_to_our_card_is_kept_in_the_passport() {
    let document = signed(&world());
    let mut card = out(&document, Format::A2a).data;
    let mut unsigned = card.as_object().unwrap().clone();
    unsigned.remove("signatures");
    let theirs = serde_json::to_value(Jws::sign(&SecretKey::from_seed(&[9; 32]), &unsigned).unwrap()).unwrap();
    card["signatures"].as_array_mut().unwrap().push(theirs.clone());
    let back = import(Format::A2a, card, &trust(), LATER).unwrap();
    assert!(!back.untouched);
    let kept = back.document.provenance().imports.pop().unwrap().signatures;
    let found = kept.iter().find(|one| one.signature == theirs).unwrap();
    assert_eq!((found.of.as_str(), found.verdict.as_str()), ("a2a", "unknown_key"));
}
