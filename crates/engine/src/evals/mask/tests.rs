//! What a target may send back, and what must stay readable.

use engine_eval::Key;
use serde_json::json;

use super::*;

fn settings() -> (String, TargetSettings) {
    let key = ["sk", "Zx81kQp0", "77aa"].join("-");
    let settings = TargetSettings {
        target: "https://h/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs/x?sig=Query%2FSecret%2099&mode=short".to_owned(),
        headers: [
            ("Authorization".to_owned(), Key::new(format!("Bearer {key}"))),
            ("Content-Type".to_owned(), Key::new("application/json")),
            ("X-Login".to_owned(), Key::new("Basic YWxpY2U4ODpoN3kkcTF6UCE=")),
            ("X-Quoted".to_owned(), Key::new("\"Quoted8Value\"")),
        ]
        .into(),
        request_template: Some(
            json!({"user": {"api_key": "TemplateSecret1"}, "model": "some-model-name", "q": "{{prompt}}"}),
        ),
        ..TargetSettings::default()
    };
    (key, settings)
}

fn masked(settings: &TargetSettings, text: &str) -> String {
    let mut text = text.to_owned();
    Mask::of(settings).text(&mut text);
    text
}

#[test]
fn what_a_caller_hands_over_is_found_in_every_form() {
    let (key, settings) = settings();
    let mask = Mask::of(&settings);
    let mut turn = Turn {
        response: format!("You sent Bearer {key} and TemplateSecret1 as application/json to some-model-name"),
        body: json!({ key.clone(): [data_encoding::BASE64.encode(key.as_bytes())] }),
        headers: [("x-echo".to_owned(), key.clone())].into(),
        ..Turn::default()
    };
    mask.turn(&mut turn);
    let told = serde_json::to_string(&turn).unwrap();
    for secret in [
        key.as_str(),
        "TemplateSecret1",
        &data_encoding::BASE64_NOPAD.encode(key.as_bytes()),
    ] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
    assert!(
        told.contains("application/json") && told.contains("some-model-name"),
        "{told}"
    );
}

#[test]
fn every_spelling_of_a_secret_is_masked() {
    let (key, settings) = settings();
    let each = |format: &dyn Fn(u8) -> String| key.bytes().map(format).collect::<String>();
    let basic = data_encoding::BASE64.encode(format!("alice:{key}").as_bytes());
    for spelled in [
        key.clone(),
        key.to_uppercase(),
        each(&|byte| format!("%{byte:02x}")),
        each(&|byte| format!("%{byte:02X}")),
        each(&|byte| format!("%25{byte:02x}")),
        each(&|byte| format!("\\u{byte:04x}")),
        each(&|byte| format!("\\x{byte:02x}")),
        each(&|byte| format!("&#{byte};")),
        each(&|byte| format!("&#x{byte:X};")),
        key.replace('-', "%2d"),
        data_encoding::HEXLOWER.encode(key.as_bytes()),
        data_encoding::HEXUPPER.encode(key.as_bytes()),
        each(&|byte| format!("{byte:02x}:")),
        data_encoding::BASE64URL_NOPAD.encode(key.as_bytes()),
        data_encoding::BASE64.encode(key.as_bytes()),
        basic.clone(),
        data_encoding::BASE64URL.encode(format!("?>{key}?>").as_bytes()),
        format!("{}\r\n{}", &basic[..10], &basic[10..]),
        "alice88:h7y$q1zP!".to_owned(),
        "h7y$q1zP!".to_owned(),
        "alice88".to_owned(),
        "h7y%24q1zP%21".to_owned(),
        "YWxpY2U4ODpoN3kkcTF6UCE".to_owned(),
        "Quoted8Value".to_owned(),
        "Query%2FSecret%2099".to_owned(),
        "Query/Secret 99".to_owned(),
        "Query\\/Secret 99".to_owned(),
        "AAHdqTcvCH1vGWJxfSeofSAs".to_owned(),
    ] {
        let out = masked(&settings, &format!("before {spelled} after"));
        assert!(out.contains("[secret]"), "{spelled}: {out}");
        assert!(out.starts_with("before ") && out.ends_with(" after"), "{out}");
        for part in ["Zx81kQp0", "h7y$q1zP!", "Quoted8Value", "AAHdqTcvCH1vGWJxfSeofSAs"] {
            assert!(!out.contains(part), "{spelled}: {out}");
        }
    }
    let plain = "A reply about short modes, ümläuts, 100% of it, C:\\users and a & b.";
    assert_eq!(masked(&settings, plain), plain);
}

#[test]
fn everyday_words_leave_results_as_they_are() {
    let settings = TargetSettings {
        target: "https://h/x?category=response&kind=target&a=b".to_owned(),
        headers: [
            ("X-Tenant".to_owned(), Key::new("category")),
            ("X-Short".to_owned(), Key::new("pass")),
        ]
        .into(),
        ..TargetSettings::default()
    };
    let mask = Mask::of(&settings);
    let mut result = json!({
        "category": "category", "target": "http://h/x", "verdict": "pass", "probes": [{"response": "the category", "id": "response-1"}],
    });
    mask.result(&mut result);
    assert_eq!(
        result,
        json!({
            "category": "category", "target": "http://h/x", "verdict": "pass", "probes": [{"response": "the [secret]", "id": "response-1"}],
        })
    );
    let mut body = json!({"response": "target", "category": {"pass": "pass"}, "categories": "responses"});
    mask.value(&mut body);
    assert_eq!(
        body,
        json!({"response": "[secret]", "category": {"pass": "pass"}, "categories": "responses"})
    );
}
