//! Manifests with one more package.

use engine_model::SourceFile;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::manifest::{Added, Tool, Wanted};

fn tool(name: &str) -> Tool {
    Wanted::read(name).unwrap().choose(|_| false, |_| false).unwrap()
}

/// The manifest with a package, and the line of the package.
fn added(name: &str, before: Option<&str>) -> (String, usize) {
    match tool(name).added_to(before).unwrap() {
        Added::Edit { text, line } => (text, line),
        Added::Already { line } => panic!("line {line} has it already"),
    }
}

#[test]
fn a_member_keeps_the_layout_of_its_file() {
    let cases = [
        (None, "{\n  \"dependencies\": {\n    \"openai\": \"*\"\n  }\n}\n", 3),
        (Some("{}"), "{\n  \"dependencies\": {\n    \"openai\": \"*\"\n  }\n}", 3),
        (
            Some("{\n\t\"name\": \"x\"\n}\n"),
            "{\n\t\"dependencies\": {\n\t\t\"openai\": \"*\"\n\t},\n\t\"name\": \"x\"\n}\n",
            3,
        ),
        (
            Some("{\r\n    \"dependencies\": {}\r\n}\r\n"),
            "{\r\n    \"dependencies\": {\r\n        \"openai\": \"*\"\r\n    }\r\n}\r\n",
            3,
        ),
        (
            Some("{\"dependencies\":{\"a\":\"1\"}}"),
            "{\"dependencies\":{\"openai\": \"*\", \"a\":\"1\"}}",
            1,
        ),
        (
            // A nested object of the same name, and the name as a value, are other things.
            Some(
                "{\n  \"a\": {\"dependencies\": {}},\n  \"b\": \"dependencies\",\n  \"dependencies\": {\n    \"a\": \"1\"\n  }\n}\n",
            ),
            "{\n  \"a\": {\"dependencies\": {}},\n  \"b\": \"dependencies\",\n  \"dependencies\": {\n    \"openai\": \"*\",\n    \"a\": \"1\"\n  }\n}\n",
            5,
        ),
    ];
    for (before, after, line) in cases {
        assert_eq!(added("npm:openai", before), (after.to_owned(), line));
    }
}

#[test]
fn a_requirement_is_the_last_line() {
    assert_eq!(added("pypi:openai", None), ("openai\n".to_owned(), 1));
    assert_eq!(added("pypi:openai", Some("a==1")), ("a==1\nopenai\n".to_owned(), 2));
    assert_eq!(
        added("pypi:openai", Some("a==1\r\n")),
        ("a==1\r\nopenai\r\n".to_owned(), 2)
    );
    assert_eq!(added("pypi:openai", Some("openai-agents==1\n# openai\n")).1, 3);
    for line in ["openai", "OpenAI >= 2", "openai[voice]==2.1", "  openai==1"] {
        let before = format!("a\n{line}\n");
        assert_eq!(
            tool("pypi:openai").added_to(Some(&before)).unwrap(),
            Added::Already { line: 2 },
            "{line}"
        );
    }
}

#[test]
fn names_are_read_in_every_usual_spelling() {
    for name in ["npm:openai", "pkg:npm/openai", " npm:openai "] {
        assert_eq!(tool(name).name, "openai");
    }
    assert_eq!(tool("pypi:Face.Recognition").name, tool("pypi:face_recognition").name);
    assert_eq!(tool("@anthropic-ai/sdk").ecosystem.manifest(), "package.json");
    // A whole namespace has one row; the name is that of the request.
    assert_eq!(tool("@ai-sdk/some-new-provider").name, "@ai-sdk/some-new-provider");
    for name in ["@ai-sdk/a\nb", "@ai-sdk/a\": 1", "", "pypi:", &"x".repeat(500)] {
        assert!(Wanted::read(name).is_err(), "{name:?}");
    }
}

/// JSON of a few levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\{}: ]{0,8}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let key = prop_oneof![Just("dependencies".to_owned()), "[a-z\"{]{1,4}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(key, inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>()))
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_package_is_added_to_any_manifest_and_nothing_else_changes(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let tool = tool("npm:openai");
        let takes = value.as_object().is_some_and(|root| root.get("dependencies").is_none_or(Value::is_object));
        match tool.added_to(Some(&text)) {
            Err(failure) => prop_assert!(!takes, "{failure}"),
            Ok(Added::Already { .. }) => prop_assert!(value["dependencies"].get("openai").is_some()),
            Ok(Added::Edit { text: edited, line }) => {
                prop_assert!(takes);
                let mut expected = value.clone();
                expected.as_object_mut().unwrap().entry("dependencies").or_insert(json!({}))["openai"] = json!("*");
                prop_assert_eq!(serde_json::from_str::<Value>(&edited).unwrap(), expected, "{}", edited);
                let shown = edited.lines().nth(line - 1).unwrap();
                prop_assert!(shown.contains("\"openai\": \"*\""), "{}: {}", line, edited);
                let again = Added::Already { line };
                prop_assert_eq!(tool.added_to(Some(&edited)).unwrap(), again, "{}", edited);
            }
        }
    }

    #[test]
    fn a_requirement_is_read_again_as_it_was_written(lines in proptest::collection::vec("[a-z=<>0-9 #.-]{0,12}", 0..6), ends in any::<bool>()) {
        let mut text = lines.join("\n");
        if ends {
            text.push('\n');
        }
        if let Added::Edit { text: edited, line } = tool("pypi:openai").added_to(Some(&text)).unwrap() {
            prop_assert!(edited.starts_with(&text));
            prop_assert_eq!(edited.lines().nth(line - 1), Some("openai"));
            let file = SourceFile::new("requirements.txt", edited.into_bytes());
            prop_assert!(file.text().is_some());
        }
    }
}
