//! The chat without a model: extracts, citations, tools and limits.

use serde_json::{Map, Value, json};

use super::*;
use crate::ScanRequest;
use crate::tests::{CHAT, PAGE, engine, write};

/// The facts of a small project.
fn facts() -> Facts {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "app.py", CHAT);
    write(folder.path(), "templates/index.html", PAGE);
    let scan = engine(folder.path()).scan(&ScanRequest::of(".")).unwrap();
    assert!(
        scan.findings
            .iter()
            .any(|finding| finding.kind == engine_model::FindingType::Fail)
    );
    Facts::new(Arc::new(scan), &[])
}

fn call(facts: &Facts, name: &str, arguments: &[(&str, &str)]) -> Value {
    let arguments: Map<String, Value> = arguments
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let text = facts.call(name, &arguments);
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

#[test]
fn every_offered_tool_gives_results_and_an_unknown_one_an_error() {
    let facts = facts();
    for tool in tools::offered() {
        let arguments: Vec<(&str, &str)> = tool
            .parameters
            .iter()
            .map(|name| (name.as_str(), if name == "number" { "50" } else { "all" }))
            .collect();
        let result = call(&facts, &tool.name, &arguments);
        let wanted_error = tool.name == "get_finding";
        assert_eq!(result.get("error").is_some(), wanted_error, "{}: {result}", tool.name);
    }
    assert!(call(&facts, "delete_everything", &[])["error"].is_string());
    let listed = call(&facts, "list_findings", &[("severity", "all")]);
    let id = listed["findings"][0]["id"].as_str().unwrap().to_owned();
    let one = call(&facts, "get_finding", &[("id", &id)]);
    assert_eq!(one["id"], json!(id));
    assert!(one["message"].as_str().is_some_and(|message| !message.is_empty()));
    assert_eq!(call(&facts, "get_article", &[("number", "Art. 50")])["article"], "50");
    assert_eq!(call(&facts, "get_article", &[("number", "annex iii")])["annex"], "III");
    assert!(call(&facts, "get_article", &[("number", "999")])["error"].is_string());
}

#[test]
fn an_extract_names_findings_and_articles_and_stays_short() {
    let facts = facts();
    let extract = facts.extract("What does Article 50 require of app.py?");
    assert!(
        extract.contains("Finding [") && extract.contains("Art. 50:"),
        "{extract}"
    );
    assert!(extract.chars().count() < 3_100);
}

/// An id of the facts.
fn known(facts: &Facts) -> String {
    call(facts, "list_findings", &[("severity", "all")])["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn citations_are_checked_and_statements_without_one_are_listed() {
    let facts = facts();
    let id = known(&facts);
    let text = format!(
        "# Gaps\nThe reply has no error handling. [{id}]\nThe chat must say that it is an AI (Art. 50(1)).\n- The duty OBL-094 applies to this system.\n\
         The system sends data to a third party.\nIs that all you wanted?\nThe other one is [0123456789abcdef0123] in that file.\n\
         Nobody may do that under Art. 999 of the Act.\n"
    );
    let checked = citations::check(&text, &facts);
    let references: Vec<&str> = checked
        .citations
        .iter()
        .map(|citation| citation.reference.as_str())
        .collect();
    assert!(
        references.contains(&id.as_str()) && references.contains(&"Art. 50(1)") && references.contains(&"OBL-094"),
        "{references:?}"
    );
    assert_eq!(checked.unverified, ["0123456789abcdef0123", "Art. 999"]);
    assert_eq!((checked.statements, checked.uncited_total), (6, 3), "{checked:?}");
    assert!(checked.uncited[0].contains("third party"), "{checked:?}");
}

#[test]
fn provisions_of_other_laws_are_not_taken_for_the_act() {
    let facts = facts();
    let checked = citations::check("Decisions about people fall under Article 22 GDPR as well.", &facts);
    assert!(checked.citations.is_empty(), "{checked:?}");
    assert_eq!(checked.unverified, ["Art. 22 of another law"]);
    let checked = citations::check("Hiring is listed in Annex III, point 4, of the Act.", &facts);
    assert_eq!((checked.citations.len(), checked.uncited_total), (1, 0), "{checked:?}");
}

#[test]
fn no_text_makes_the_check_of_citations_panic() {
    let facts = facts();
    for text in [
        "",
        "Art. 50(",
        "Art. ",
        "Art.\u{a0}50(1)(a)(((",
        "OBL-",
        "Annex ",
        "…。！？",
        "Art. 5é",
        "article 50a articles 4",
        "0123456789abcdef0123é[0123456789abcdef0123]",
    ] {
        let checked = citations::check(text, &facts);
        assert!(checked.uncited_total <= checked.statements, "{text}");
    }
}

#[test]
fn earlier_turns_alternate_and_begin_with_the_person() {
    let turn = |role, content: &str| ChatTurn {
        role,
        content: content.to_owned(),
    };
    let secret = ["sk", "proj", "q8Zr2LwT5vN1xKc7Hb3M0aB4cD6eF9gH"].join("-");
    let turns = history(
        &[
            turn(ChatRole::Assistant, "Hello."),
            turn(ChatRole::User, "One"),
            turn(ChatRole::User, &secret),
            turn(ChatRole::Assistant, "Two"),
            turn(ChatRole::User, "Three"),
        ],
        &Cleaner::default(),
    );
    let speakers: Vec<Speaker> = turns.iter().map(|(speaker, _)| *speaker).collect();
    assert_eq!(
        speakers,
        [Speaker::User, Speaker::Assistant, Speaker::User, Speaker::Assistant]
    );
    assert!(
        !turns[0].1.contains(&secret) && turns[0].1.starts_with("One\n"),
        "{turns:?}"
    );
}
