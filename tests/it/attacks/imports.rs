//! Passports that come from elsewhere and want to be taken for those that are there.

use serde_json::{Value, json};

use super::{MEMORY_MIB, Tally, ask, daemon, memory_peak_mib};
use crate::support::{CHAT, project};

#[test]
fn an_imported_passport_takes_nobodys_place() {
    let folder = project(CHAT);
    let daemon = daemon(folder.path(), &["--project", "."]);
    let mut tally = Tally::of("imports");
    let made = ask(&daemon, "POST", "/agent/init", Some(&json!({"path": "."})))
        .unwrap()
        .json();
    let own = made["manifests"][0].clone();
    let (name, id) = (
        own["name"].as_str().unwrap().to_owned(),
        own["agent_id"].as_str().unwrap().to_owned(),
    );
    let import = |passport: &Value, force: bool| {
        let body = json!({"path": ".", "format": "passport", "data": passport, "force": force});
        ask(&daemon, "POST", "/agent/import", Some(&body))
    };
    let with = |name: &str, id: &str| {
        let mut passport = own.clone();
        passport["name"] = json!(name);
        passport["agent_id"] = json!(id);
        passport.as_object_mut().unwrap().remove("signature");
        passport
    };
    let look_alike: String = name
        .chars()
        .map(|c| {
            if c == 'a' {
                '\u{430}'
            } else if c == 'e' {
                '\u{435}'
            } else {
                c
            }
        })
        .collect();
    for (what, passport) in [
        ("the same id", with("Another", &id)),
        ("the same name", with(&name, "other-id")),
        ("the name in capitals", with(&name.to_uppercase(), "other-id-2")),
        ("the name with a space", with(&format!("{name} "), "other-id-3")),
        (
            "the name with an invisible letter",
            with(&format!("{name}\u{200b}"), "other-id-4"),
        ),
        ("the name in letters that look alike", with(&look_alike, "other-id-5")),
        (
            "the name in full width",
            with(
                &name
                    .chars()
                    .map(|c| {
                        if c.is_ascii_lowercase() {
                            char::from_u32(c as u32 + 0xFEE0).unwrap()
                        } else {
                            c
                        }
                    })
                    .collect::<String>(),
                "other-id-6",
            ),
        ),
        ("the id as its name", with(&id, "other-id-7")),
        ("the id in capitals as its name", with(&id.to_uppercase(), "other-id-8")),
        ("the name as its id", with("Another 2", &name)),
        ("turned writing", with(&format!("\u{202e}{name}"), "other-id-9")),
    ] {
        let reply = import(&passport, false);
        let holds = reply
            .as_ref()
            .is_some_and(|reply| reply.status == 409 || reply.status == 400);
        tally.case(what, holds, super::shown(reply.as_ref()));
        let found = ask(
            &daemon,
            "GET",
            &format!("/agent/show?path=.&name={}", encoded(&id)),
            None,
        )
        .map(|reply| reply.json());
        let same = found
            .as_ref()
            .is_some_and(|found| found["agent_id"] == id.as_str() && found["name"] == name.as_str());
        tally.case(format!("{what}: look-up"), same, format!("{found:?}"));
    }
    for (what, rename) in [
        ("to the id of another", id.clone()),
        ("to the name in capitals", name.to_uppercase()),
    ] {
        let other = with("Free name", "free-id");
        let _ = import(&other, false);
        let body = json!({"path": ".", "oldName": "Free name", "newName": rename});
        tally.refused(
            format!("rename {what}"),
            ask(&daemon, "POST", "/agent/rename", Some(&body)).as_ref(),
        );
    }
    for (what, data) in [
        ("nothing", json!({})),
        ("a list as name", json!({"name": [], "agent_id": "x"})),
        ("a long name", json!({"name": "n".repeat(500_000), "agent_id": "y"})),
        (
            "a name of control characters",
            json!({"name": "\u{1b}[31m", "agent_id": "z"}),
        ),
        ("a path as id", json!({"name": "p", "agent_id": "../../../etc/passwd"})),
    ] {
        let reply = ask(
            &daemon,
            "POST",
            "/agent/import",
            Some(&json!({"path": ".", "format": "passport", "data": data})),
        );
        tally.answered(what, reply.as_ref());
    }
    let escaped = folder.path().join("etc").exists() || folder.path().parent().unwrap().join("etc").exists();
    tally.case("no file elsewhere", !escaped, "a folder `etc` was made");
    let peak = memory_peak_mib(&daemon);
    tally.case("memory", peak < MEMORY_MIB, format!("{peak} MiB"));
    tally.end(30);
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect::<Vec<_>>()
        .concat()
}
