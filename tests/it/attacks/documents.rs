//! Documents: types, names and statements of a caller that want to leave the folder of documents or to become markup.

use std::fs;

use serde_json::{Value, json};

use super::live::{TEXTS, in_markdown};
use super::{Tally, ask, daemon};
use crate::support::{fingerprint, project};

/// A job of a public body that scores applicants: every kind of document is due.
const JOB: &str = r#"//- job.py
import anthropic


def score(client: anthropic.Anthropic, applicant) -> int:
    message = client.messages.create(
        model="claude-sonnet-4-5-20250929",
        max_tokens=400,
        messages=[{"role": "user", "content": f"Rate this CV:\n{applicant.cv_text}"}],
    )
    return int(message.content[0].text)


def screen(applicants) -> None:
    for applicant in applicants:
        applicant.shortlisted = score(anthropic.Anthropic(), applicant) >= 70


if __name__ == "__main__":
    screen([])
//- requirements.txt
anthropic==0.40.0
"#;

/// Names and types that lead elsewhere.
const NAMES: [(&str, &str); 14] = [
    ("a folder above", "../../notes"),
    ("a path within the project", "app/main"),
    ("an absolute path", "/etc/passwd"),
    ("a drive", "C:\\windows\\system32"),
    ("an end of a text", "fria\0.md"),
    ("a line break", "fria\n../x"),
    ("a percent-encoded path", "..%2f..%2fx"),
    ("an option", "-rf"),
    ("a variable", "${HOME}"),
    ("a command", "$(touch /tmp/qx7f)"),
    ("nothing", ""),
    ("a space", " "),
    ("another case", "FRIA\u{130}"),
    ("a direction mark", "\u{202e}airf"),
];

#[test]
#[ignore = "slow: many documents"]
fn documents_stay_in_their_folder_and_texts_stay_text() {
    let mut tally = Tally::of("documents");
    let folder = project(JOB);
    let running = daemon(folder.path(), &["--project", "."]);
    let post = |route: &str, body: &Value| ask(&running, "POST", route, Some(body));
    let scan = post("/scan", &json!({"path": "."}));
    tally.answered("scan", scan.as_ref());
    let system = scan.unwrap().json()["systems"][0]["id"].as_str().unwrap().to_owned();
    let answers = json!({
        format!("{system}.role"): ["provider", "deployer"],
        format!("{system}.purpose"): "It ranks applications for one vacancy.",
        format!("{system}.annex-iii-employment"): "4(a)",
        format!("{system}.profiling"): "yes",
        format!("{system}.in-union"): "yes",
        "organisation.established": "eu",
        "organisation.public-role": "public-body",
        "organisation.countries": "DE",
    });
    let answered = post(
        "/onboarding/complete",
        &json!({"path": ".", "answers": answers, "by": "Ada Example"}),
    );
    tally.case(
        "answers",
        answered.as_ref().is_some_and(|reply| reply.status == 200),
        super::shown(answered.as_ref()),
    );
    let before = fingerprint(folder.path());
    for (name, text) in NAMES {
        let typed = post("/agent/doc", &json!({"path": ".", "docType": text}));
        tally.refused(format!("type as {name}"), typed.as_ref());
        if !text.trim().is_empty() {
            for route in ["/agent/doc", "/agent/fria", "/agent/notify", "/agent/policy"] {
                let mut body = json!({"path": ".", "name": text});
                if route == "/agent/doc" {
                    body["docType"] = json!("fria");
                }
                tally.refused(format!("{route} for {name}"), post(route, &body).as_ref());
            }
        }
        let finalised = post(
            "/agent/doc",
            &json!({"path": ".", "docType": "ai-literacy-record", "finalise": {"name": text, "date": "2026-01-01"}}),
        );
        tally.refused(format!("final by {name}"), finalised.as_ref());
        let policy = post("/agent/policy", &json!({"path": ".", "industry": text}));
        tally.refused(format!("industry as {name}"), policy.as_ref());
    }
    tally.case("the tree", fingerprint(folder.path()) == before, "it changed");
    for (name, text) in TEXTS {
        for (route, body) in [
            (
                "/agent/fria",
                json!({"path": ".", "organization": text, "assessor": text, "impact": text, "mitigation": text, "approval": text}),
            ),
            (
                "/agent/notify",
                json!({"path": ".", "companyName": text, "contactName": text, "contactEmail": text, "affectedRoles": text,
                    "impactDescription": text}),
            ),
            (
                "/agent/policy",
                json!({"path": ".", "organization": text, "approver": text, "industry": "hr"}),
            ),
            (
                "/agent/doc",
                json!({"path": ".", "docType": "ai-literacy-record", "organization": text}),
            ),
        ] {
            let reply = post(route, &body);
            let Some(made) = reply.as_ref().filter(|reply| reply.status == 200) else {
                tally.case(format!("{route} with {name}"), false, super::shown(reply.as_ref()));
                continue;
            };
            let made = made.json();
            let saved = made["savedPath"].as_str().unwrap_or_default();
            let inside = saved.starts_with(".compliance/documents/") && !saved.contains("..");
            let content = made["content"].as_str().unwrap_or_default();
            let stored = fs::read_to_string(folder.path().join(saved)).unwrap_or_default();
            let found = in_markdown(content).or_else(|| in_markdown(&stored));
            // The status is in the front matter; the same words in the text state nothing.
            let claims = stored
                .lines()
                .skip(1)
                .take_while(|line| *line != "---")
                .any(|line| line == "status: final" || line == "status: \"final\"");
            tally.case(
                format!("{route} with {name}"),
                inside && stored == content && found.is_none() && !claims,
                format!("{saved} {found:?}"),
            );
        }
    }
    let after = fingerprint(folder.path());
    tally.case(
        "the tree at the end",
        after == before,
        "a file outside of the state changed",
    );
    tally.end(150);
}
