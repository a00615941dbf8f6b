//! The shape of a passport, its origin, its signature, and what is told of it.

use super::*;

#[test]
fn a_fresh_passport_has_the_36_fields_in_their_order_and_knows_what_it_does_not_know() {
    let document = signed(&world());
    let text = document.text();
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  \"")?.split_once('"').map(|(name, _)| name))
        .collect();
    assert_eq!(names, TOP_LEVEL);
    let provenance = document.provenance();
    assert_eq!(provenance.fields["model.name"], SourceKind::Code);
    assert_eq!(provenance.fields["role"], SourceKind::Default);
    assert_eq!(provenance.fields["owner.contact"], SourceKind::Unknown);
    assert_eq!(document.get("owner.contact"), Some(&Value::Null));
    assert_eq!(document.get("intended_purpose"), Some(&Value::Null));
    assert!(
        FIELDS.iter().all(|field| provenance.fields.contains_key(field.path)),
        "every field says where it comes from"
    );
    assert!(validate(text.as_bytes(), &trust(), None).valid);
}

#[test]
fn a_passport_that_nobody_answered_is_less_than_half_complete_and_answers_raise_it() {
    let required: Vec<_> = FIELDS.iter().filter(|field| field.required).collect();
    let from_code = required.iter().filter(|field| field.from_code).count() + 1;
    assert!(
        2 * from_code < required.len(),
        "code alone, with a risk class, fills {from_code} of {}",
        required.len()
    );
    let mut document = generated(&world(), NOW);
    let fresh = completeness(&document);
    assert!(fresh.completeness < 50.0 && fresh.filled_count > 5, "{fresh:?}");
    let before = document.clone();
    let answers = override_paths(&object(json!({
        "owner": {"organization": "Acme", "contact": "ai@acme.example"},
        "data.personal_data": [],
        "role": "deployer",
    })))
    .unwrap();
    apply_overrides(&mut document, &before, &answers).unwrap();
    let answered = completeness(&document);
    assert_eq!(answered.filled_count, fresh.filled_count + 4, "{answered:?}");
    assert_eq!(document.provenance().fields["role"], SourceKind::Answer);
}

#[test]
fn an_override_of_the_risk_class_is_in_it_and_signed_and_survives() {
    let world = world();
    let mut document = generated(&world, NOW);
    let before = document.clone();
    apply_overrides(
        &mut document,
        &before,
        &override_paths(&object(json!({"risk_class": "high"}))).unwrap(),
    )
    .unwrap();
    sign(&mut document, &key()).unwrap();
    assert_eq!(signature(&document, &trust()), SignatureVerdict::Valid);
    assert_eq!(document.text_at("compliance.eu_ai_act.risk_class"), Some("high"));
    let again = regenerate(&document, &generated(&world, LATER));
    assert_eq!(again.text_at("compliance.eu_ai_act.risk_class"), Some("high"));
    assert_eq!(
        again.provenance().fields["compliance.eu_ai_act.risk_class"],
        SourceKind::Answer
    );
    let mut back = again.clone();
    let null = override_paths(&object(json!({"risk_class": null}))).unwrap();
    apply_overrides(&mut back, &generated(&world, LATER), &null).unwrap();
    assert_eq!(
        back.text_at("compliance.eu_ai_act.risk_class"),
        Some("limited"),
        "an answer can be taken back"
    );
}

#[test]
fn overrides_that_mean_nothing_are_refused_with_what_was_meant() {
    let refused = |value: Value| override_paths(&object(value)).unwrap_err().to_string();
    assert!(
        refused(json!({"ownr": {"contact": "x"}})).contains("did you mean `owner"),
        "{}",
        refused(json!({"ownr": 1}))
    );
    assert!(refused(json!({"signature": null})).contains("only by the engine"));
    assert!(refused(json!({"name": "x"})).contains("/agent/rename"));
    assert!(refused(json!({"owner..contact": "x"})).contains("not a field"));
}

#[test]
fn edits_in_the_file_survive_and_what_code_says_is_brought_up_to_date() {
    let mut world = world();
    let mut document = signed(&world);
    document.set("description", json!("Answers customers."));
    document.set("permissions.tools", json!(["refund"]));
    document.set("x-team", json!({"cost_centre": 12}));
    assert_eq!(signature(&document, &trust()), SignatureVerdict::Tampered);
    world.agent.model = Some("gpt-4.1".to_owned());
    world.agent.tools.push("delete".to_owned());
    let mut again = regenerate(&document, &generated(&world, LATER));
    sign(&mut again, &key()).unwrap();
    assert_eq!(again.text_at("description"), Some("Answers customers."));
    assert_eq!(again.provenance().fields["description"], SourceKind::Answer);
    assert_eq!(again.texts_at("permissions.tools"), ["refund"], "a person's list stays");
    assert_eq!(again.text_at("model.name"), Some("gpt-4.1"), "nobody wrote this one");
    assert_eq!(again.get("x-team.cost_centre"), Some(&json!(12)));
    assert_eq!(again.text_at("created"), Some(NOW));
    assert_eq!(again.text_at("updated"), Some(LATER));
    let differs = drift(&again, Some(&generated(&world, LATER)));
    assert!(
        differs
            .iter()
            .any(|one| one.field == "permissions.tools" && one.kind == DriftKind::Contradicted),
        "{differs:?}"
    );
    assert!(validate(again.text().as_bytes(), &trust(), None).valid);
}

#[test]
fn drift_tells_changed_gone_and_unsupported_values_and_nothing_else() {
    let mut world = world();
    let document = signed(&world);
    assert_eq!(
        drift(&document, Some(&generated(&world, LATER))),
        [],
        "the same code is no drift"
    );
    world.agent.human_approval = Some(false);
    world.agent.framework = None;
    let kinds: Vec<(String, DriftKind)> = drift(&document, Some(&generated(&world, LATER)))
        .into_iter()
        .map(|drift| (drift.field, drift.kind))
        .collect();
    assert!(
        kinds.contains(&("oversight.human_approval".to_owned(), DriftKind::CodeChanged)),
        "{kinds:?}"
    );
    assert!(
        kinds.contains(&("framework.name".to_owned(), DriftKind::NoLongerSeen)),
        "{kinds:?}"
    );
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    assert_eq!(drift(&document, None)[0].kind, DriftKind::AgentGone);
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn changing_any_single_byte_fails_validation() {
    let text = signed(&world()).text().into_bytes();
    assert!(validate(&text, &trust(), None).valid);
    let windows = String::from_utf8(text.clone()).unwrap().replace('\n', "\r\n");
    assert!(
        validate(windows.as_bytes(), &trust(), None).valid,
        "git may change all line endings"
    );
    for at in 0..text.len() {
        let mut changed = text.clone();
        let change = [0x01, 0x20, 0x80][at % 3];
        changed[at] ^= change;
        let verdict = validate(&changed, &trust(), None);
        assert!(!verdict.valid, "byte {at} changed by {change:#x}: {verdict:?}");
        if at % 4 == 0 {
            changed.remove(at);
            assert!(!validate(&changed, &trust(), None).valid, "byte {at} removed");
        }
    }
}

#[test]
fn each_way_to_tamper_has_its_verdict() {
    let document = signed(&world());
    assert_eq!(signature(&document, &Trust::default()), SignatureVerdict::UnknownKey);
    let other = SecretKey::from_seed(&[9; 32]);
    let mut by_other = document.clone();
    sign(&mut by_other, &other).unwrap();
    assert_eq!(signature(&by_other, &trust()), SignatureVerdict::UnknownKey);
    let changed = |path: &str, value: Value| {
        let mut changed = document.clone();
        changed.set(path, value);
        signature(&changed, &trust())
    };
    let foreign = by_other.text_at("signature.public_key").unwrap().to_owned();
    for (path, value) in [
        ("autonomy_level", json!(1)),
        ("compliance.eu_ai_act.risk_class", json!("minimal")),
        ("provenance.fields.role", json!("answer")),
        ("provenance.renames", json!([{"from": "a", "to": "b", "at": NOW}])),
        ("extra", json!(true)),
        ("signature", Value::Null),
        ("signature.algorithm", json!("none")),
        ("signature.key_id", json!("00000000000000000000000000000000")),
        ("signature.public_key", json!(foreign)),
        ("signature.value", json!("AAAA")),
        ("signature.note", json!("x")),
    ] {
        assert_eq!(changed(path, value), SignatureVerdict::Tampered, "{path}");
    }
}

#[test]
fn a_signature_of_somebody_else_is_kept_before_it_is_replaced() {
    let mut document = generated(&world(), NOW);
    let theirs = SecretKey::from_seed(&[9; 32]);
    sign(&mut document, &theirs).unwrap();
    let original = document.digest().unwrap().to_string();
    assert!(keep_foreign_signature(&mut document, &trust(), LATER));
    sign(&mut document, &key()).unwrap();
    let kept = &document.provenance().imports[0];
    assert_eq!(kept.original, original);
    assert_eq!(kept.signatures[0].signature["key_id"], json!(theirs.public().id()));
    assert_eq!(signature(&document, &trust()), SignatureVerdict::Valid);
    assert!(
        !keep_foreign_signature(&mut document, &trust(), LATER),
        "a signature of ours is none of theirs"
    );
}

#[test]
fn a_rename_keeps_the_name_before_and_refuses_what_is_no_name() {
    let mut document = signed(&world());
    rename(&mut document, "@acme/bot 🤖", LATER).unwrap();
    assert_eq!(document.name(), "@acme/bot 🤖");
    assert_eq!(document.provenance().renames[0].from, "helpdesk");
    let again = regenerate(&document, &generated(&world(), LATER));
    assert_eq!(again.name(), "@acme/bot 🤖", "code does not take the name back");
    for bad in ["", "   ", "a\nb", &"x".repeat(1025)] {
        assert!(rename(&mut document, bad, LATER).is_err(), "{bad:?}");
    }
}

#[test]
fn permissions_stand_side_by_side_and_contradictions_are_told() {
    let mut world = world();
    let mut strict = generated(&world, NOW);
    world.agent.agent_id = "other".to_owned();
    world.agent.name = "other".to_owned();
    world.agent.human_approval = Some(false);
    world.agent.autonomy_level = 4;
    let mut free = generated(&world, NOW);
    strict.set("constraints.denied", json!(["find_order", "processes:run"]));
    strict.set("constraints.approval_required", json!(["tool:refund"]));
    free.set("constraints.approval_required", json!(["refund"]));
    free.set("constraints.human_approval", json!(true));
    free.set("compliance.eu_ai_act.risk_class", json!("high"));
    let found = permissions(&[free, strict]);
    assert_eq!(found.agents, ["helpdesk", "other"]);
    let row = serde_json::to_value(&found.grants["tool:refund"]).unwrap();
    assert_eq!(row, json!({"helpdesk": "approval_seen", "other": "without_approval"}));
    let row = serde_json::to_value(&found.grants["processes:run"]).unwrap();
    assert_eq!(row, json!({"helpdesk": "denied", "other": "none"}));
    let kinds: Vec<(&str, Option<&str>)> = found
        .conflicts
        .iter()
        .map(|conflict| (conflict.kind.as_str(), conflict.permission.as_deref()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("denied_but_granted", Some("tool:find_order")),
            ("approval_required_but_not_shown", Some("tool:refund")),
            ("approval_required_but_missing", Some("tool:refund")),
            ("approval_required_but_missing", None),
            ("high_risk_unapproved", None),
            ("approval_differs", Some("tool:find_order")),
            ("approval_differs", Some("tool:refund")),
        ]
    );
}

/// The keywords that the checker knows, and those that constrain nothing.
const KEYWORDS: [&str; 24] = [
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "$comment",
    "definitions",
    "title",
    "description",
    "default",
    "format",
    "contentEncoding",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "minimum",
    "maximum",
];

#[test]
fn the_schemas_use_no_keyword_that_the_checker_does_not_know() {
    fn walk(value: &Value, names: bool) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let known =
                        KEYWORDS.contains(&name.as_str()) || ["minLength", "maxLength"].contains(&name.as_str());
                    assert!(names || known, "the checker does not know `{name}`");
                    // What a default or a choice holds is a value and no schema.
                    if !names && ["default", "const", "enum"].contains(&name.as_str()) {
                        continue;
                    }
                    walk(
                        member,
                        !names && ["properties", "$defs", "definitions"].contains(&name.as_str()),
                    );
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, false)),
            _ => {}
        }
    }
    walk(passport_schema(), false);
    for text in [
        include_str!("../../schemas/a2a-agent-card-1.0.json"),
        include_str!("../../schemas/a2a-agent-card-0.3.json"),
        include_str!("../../schemas/control-sheet.schema.json"),
    ] {
        walk(&serde_json::from_str(text).unwrap(), false);
    }
}

#[test]
fn the_published_schema_is_the_one_of_the_type() {
    let same = *passport_schema() == draw_passport_schema();
    assert!(
        same,
        "docs/agent-passport.schema.json is not up to date; run `cargo xtask codegen`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_checker_and_a_full_implementation_agree(at in 0usize..FIELDS.len(), value in any_value()) {
        let mut document = signed(&world());
        document.set(FIELDS[at].path, value);
        let value = document.to_value();
        let full = jsonschema::validator_for(passport_schema()).unwrap();
        prop_assert_eq!(check(passport_schema(), &value, false).is_empty(), full.is_valid(&value));
    }
}

#[test]
fn a_group_without_members_wipes_nothing_and_null_takes_back_all_its_answers() {
    let fresh = generated(&world(), NOW);
    let mut document = fresh.clone();
    let said = |value| override_paths(&object(value)).unwrap();
    let answers = json!({"owner": {"organization": "ACME", "team": "Desk"}, "risk_class": "high"});
    apply_overrides(&mut document, &fresh, &said(answers)).unwrap();
    let answered = document.clone();
    apply_overrides(&mut document, &fresh, &said(json!({"owner": {}, "compliance": {}}))).unwrap();
    assert_eq!(document, answered);
    apply_overrides(&mut document, &fresh, &said(json!({"owner": null, "compliance": null}))).unwrap();
    assert_eq!(document, fresh, "values and their origin");
    let twice = json!({"owner.team": "a", "owner": {"team": "b"}});
    assert!(matches!(
        override_paths(&object(twice)),
        Err(OverrideError::Twice { .. })
    ));
}

#[test]
fn a_class_that_a_person_states_says_so_and_a_lighter_one_than_code_shows_is_told() {
    let fresh = generated(&world(), NOW);
    let stated = |class: &str| {
        let mut document = fresh.clone();
        let overrides = override_paths(&object(json!({"risk_class": class}))).unwrap();
        apply_overrides(&mut document, &fresh, &overrides).unwrap();
        regenerate(&document, &fresh)
    };
    let basis = |document: &Document| document.text_at("compliance.eu_ai_act.risk_basis").unwrap().to_owned();
    let heavier = stated("high");
    assert_eq!(
        basis(&heavier),
        "stated by a person; the code alone points to `limited`: a case of Art. 50 was observed"
    );
    assert_eq!(drift(&heavier, Some(&fresh)), []);
    let told = drift(&stated("minimal"), Some(&fresh));
    assert_eq!(
        (told.len(), told[0].field.as_str(), told[0].kind),
        (1, "compliance.eu_ai_act.risk_class", DriftKind::Contradicted)
    );
    assert_eq!(basis(&stated("limited")), "a case of Art. 50 was observed");
}

#[test]
fn obligations_follow_the_class_that_is_stated_and_come_back_with_it() {
    let fresh = generated(&world(), NOW);
    let act = |document: &Document, field: &str| document.get(&format!("compliance.eu_ai_act.{field}")).cloned();
    let of_code = json!(["OBL-001", "OBL-002", "OBL-003"]);
    assert_eq!(act(&fresh, "obligations"), Some(of_code.clone()));
    let stated = ["OBL-001".to_owned(), "OBL-099".to_owned()];
    let mut document = regenerate(&fresh, &fresh);
    let said = |value| override_paths(&object(value)).unwrap();
    apply_overrides(&mut document, &fresh, &said(json!({"risk_class": "high"}))).unwrap();
    assert_eq!(stated_class(&document, &fresh), Some("high"));
    follow_class(&mut document, &fresh, Some(&stated));
    assert_eq!(act(&document, "obligations"), Some(json!(stated)));
    assert_eq!(
        act(&document, "observed_class"),
        Some(json!("limited")),
        "what code shows stays beside it"
    );
    assert_eq!(
        act(&document, "obligations_basis"),
        Some(json!(
            "risk class `high`, as stated; obligations under `limited`, the class found in the code: OBL-001, OBL-002, OBL-003"
        ))
    );
    let provenance = document.provenance();
    assert_eq!(
        provenance.fields["compliance.eu_ai_act.obligations"],
        SourceKind::Answer
    );
    assert_eq!(
        provenance.derived["compliance.eu_ai_act.obligations"],
        "compliance.eu_ai_act.risk_class"
    );
    assert_eq!(drift(&document, Some(&fresh)), [], "a graver class is theirs to say");
    // It follows anew each time, and back to what code shows when the answer is taken back.
    let mut again = regenerate(&document, &fresh);
    follow_class(&mut again, &fresh, Some(&stated[..1]));
    assert_eq!(act(&again, "obligations"), Some(json!(["OBL-001"])));
    apply_overrides(&mut again, &fresh, &said(json!({"risk_class": null}))).unwrap();
    assert_eq!(stated_class(&again, &fresh), None);
    follow_class(&mut again, &fresh, None);
    assert_eq!(act(&again, "obligations"), Some(of_code));
    assert!(again.provenance().derived.is_empty());
    // A list that a person writes is theirs.
    let own = json!({"compliance.eu_ai_act.obligations": ["OBL-007"]});
    apply_overrides(&mut document, &fresh, &said(own)).unwrap();
    follow_class(&mut document, &fresh, Some(&stated));
    assert_eq!(act(&document, "obligations"), Some(json!(["OBL-007"])));
}

#[test]
fn a_word_that_is_none_of_several_is_refused_with_all_of_them() {
    let mut document = signed(&world());
    document.set("compliance.eu_ai_act.risk_class", json!("extreme"));
    let issues = check(passport_schema(), &document.to_value(), false);
    assert!(
        issues[0].message.contains("\"minimal\"") && issues[0].message.contains("\"high\""),
        "{issues:?}"
    );
}

#[test]
fn what_starts_another_agent_is_no_entry_of_this_one() {
    let mut world = world();
    let mut other = world.agent.clone();
    other.agent_id = "other".to_owned();
    other.files = vec!["app/job.py".to_owned()];
    for (file, kind) in [("app/job.py", "job"), ("app/routes.py", "http")] {
        let entry = json!({"kind": kind, "name": file, "file": file, "line": 1});
        world.system.entry_points.push(serde_json::from_value(entry).unwrap());
    }
    let agents = [world.agent.clone(), other.clone()];
    let files = |agent: &Agent| {
        let document = generate(&Facts {
            agent,
            system: &world.system,
            agents: &agents,
            inventory: &world.inventory,
            name: "n",
            now: NOW,
            scanned_at: NOW,
            engine_version: "0",
            regulation_version: "0",
        });
        let endpoints = document.get("endpoints").unwrap().as_array().unwrap().clone();
        endpoints
            .iter()
            .map(|one| one["file"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&world.agent), ["app/main.py", "app/routes.py"]);
    assert_eq!(files(&other), ["app/job.py", "app/routes.py"]);
}
