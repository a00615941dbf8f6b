//! Secrets in projects with and without an AI system.

use engine_model::{Applicability, Finding, FindingType, fixture};
use engine_scan_secrets::expand_examples;

use super::today;
use crate::scan_memory;

/// The findings about secrets of a tree without an AI system.
fn secrets(tree: &str) -> Vec<Finding> {
    let evaluation = scan_memory(&fixture(&expand_examples(tree)).unwrap(), &today());
    assert_eq!(evaluation.applicability, Applicability::NoAiFound, "{tree}");
    evaluation
        .findings
        .into_iter()
        .filter(|finding| finding.check_id.starts_with("secret-"))
        .collect()
}

#[test]
fn key_in_project_without_ai_is_a_finding_without_obligation() {
    for (tree, check) in [
        (
            "//- src/config.py\nACCESS = \"{{aws_access_key_id}}\"\n",
            "secret-cloud-key",
        ),
        (
            "//- src/config.py\nTOKEN = \"{{github_token}}\"\n",
            "secret-source-host-token",
        ),
        (
            "//- src/config.ts\nexport const key = \"{{stripe_key}}\";\n",
            "secret-service-token",
        ),
        ("//- deploy/server.key\n{{private_key}}\n", "secret-private-key"),
        (
            "//- src/config.py\nURL = \"{{connection_string}}\"\n",
            "secret-connection-string",
        ),
        (
            "//- src/config.py\nAPI_TOKEN = \"{{random_token}}\"\n",
            "secret-generic-assignment",
        ),
        (
            "//- src/config.py\nXUNFEI_API_KEY = \"sk-{{random_token}}{{random_token}}\"\n",
            "secret-ai-key",
        ),
    ] {
        let found = secrets(tree);
        let [finding] = found.as_slice() else {
            panic!("{tree}: {found:#?}")
        };
        assert_eq!(
            (
                finding.check_id.as_str(),
                finding.kind,
                finding.obligation_id.as_deref()
            ),
            (check, FindingType::Fail, None),
            "{finding:#?}"
        );
    }
}

/// Base64, broken over lines as the command writes it.
fn wrapped(text: &str) -> Vec<String> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in text.as_bytes().chunks_exact(3) {
        let number = part.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        for at in 0..4 {
            out.push(char::from(LETTERS[number >> (18 - 6 * at) & 63]));
        }
    }
    let lines = out.as_bytes().chunks(76);
    lines.map(|line| String::from_utf8(line.to_vec()).unwrap()).collect()
}

#[test]
fn lines_around_an_encoded_key_do_not_show_it() {
    let lines = wrapped(&format!("{}  ", expand_examples("{{openai_key}}")));
    let tree = format!(
        "//- deploy/secret.yaml\nkind: Secret\ndata:\n  openai: |\n    {}\n",
        lines.join("\n    ")
    );
    let found = secrets(&tree);
    let [finding] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!((finding.check_id.as_str(), finding.line), ("secret-ai-key", Some(4)));
    let shown = serde_json::to_string(finding).unwrap();
    assert!(shown.contains("openai: |"), "the context is shown: {shown}");
    for line in lines {
        assert!(!shown.contains(&line[..12]), "{shown}");
    }
}
