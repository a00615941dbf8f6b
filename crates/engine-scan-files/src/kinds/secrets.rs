//! Files of environment values: with live-looking secrets, or as samples without.

use std::collections::BTreeSet;

use engine_model::{ArtefactKind, Language};

use crate::read::Candidate;
use crate::view::{View, candidate, number};

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    if view.language != Language::Other || !is_environment(view) {
        return;
    }
    let mut live: Vec<(u32, &str)> = Vec::new();
    let mut named = None;
    for (index, line) in view.text.lines().enumerate() {
        let Some((key, value)) = assignment(line) else { continue };
        if !names_secret(key) && !value.contains("://") {
            continue;
        }
        if names_secret(key) {
            named.get_or_insert(number(index));
        }
        if looks_live(key, value) {
            live.push((number(index), key));
        }
    }
    if let Some((line, key)) = live.first() {
        let keys: Vec<String> = live.iter().take(NAMES_MAX).map(|(_, key)| format!("`{key}`")).collect();
        let because = match (live.len(), keys.split_last()) {
            (count, _) if count > NAMES_MAX => {
                format!(
                    "{} and {} more keys have values that look like live secrets",
                    keys.join(", "),
                    count - NAMES_MAX
                )
            }
            (2.., Some((last, before))) => format!(
                "{} and {last} have values that look like live secrets",
                before.join(", ")
            ),
            _ => format!("`{key}` has a value that looks like a live secret"),
        };
        out.push(candidate(ArtefactKind::SecretsFile, *line, because));
    } else if let Some(line) = named {
        out.push(candidate(
            ArtefactKind::SecretsSample,
            line,
            "names of secrets without live values",
        ));
    }
}

/// Names of keys that are told.
const NAMES_MAX: usize = 6;

/// Lines of assignments that are looked at to tell the file.
const LINES_MAX: usize = 400;

/// A file in which every line assigns a value to a name in capitals.
fn is_environment(view: &View<'_>) -> bool {
    if !(view.name.starts_with(".env")
        || view.name.rsplit_once('.').is_some_and(|(_, ending)| ending == "env")
        || view.name.contains(".env.")
        || view.stem == "env"
        || !view.name.contains('.'))
    {
        return false;
    }
    let mut assignments = 0;
    for line in view
        .text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .take(LINES_MAX)
    {
        if assignment(line).is_none() {
            return false;
        }
        assignments += 1;
    }
    assignments > 0
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (key, value) = line.split_once('=')?;
    let key = key.trim();
    let name = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    // A comment may follow a value that is not quoted.
    let value = value.trim();
    let value = if value.starts_with(['"', '\'']) {
        value.trim_matches(['"', '\''])
    } else {
        value.split(" #").next().unwrap_or(value).trim()
    };
    name.then_some((key, value))
}

fn names_secret(key: &str) -> bool {
    let key = key.to_ascii_uppercase();
    let public = key.contains("PUBLIC")
        || key.contains("PUBLISHABLE")
        || key.contains("ANON_KEY")
        // Firebase hands this key to every browser; what may be done with it is settled by its rules.
        || key.contains("FIREBASE") && key.ends_with("API_KEY")
        || key.ends_with("_ID")
        || key.contains("MAX_TOKENS")
        || key.contains("TOKEN_LIMIT");
    !public
        && key.split('_').any(|part| {
            matches!(
                part,
                "KEY"
                    | "APIKEY"
                    | "SECRET"
                    | "TOKEN"
                    | "PASSWORD"
                    | "PASSWD"
                    | "PWD"
                    | "CREDENTIAL"
                    | "CREDENTIALS"
                    | "PAT"
                    | "SECRETS"
            )
        })
}

/// Words of values that stand for a value, in lower case.
const SAMPLE_WORDS: &[&str] = &[
    "your",
    "change",
    "replace",
    "generate",
    "openssl",
    "example",
    "xxx",
    "dummy",
    "placeholder",
    "todo",
    "insert",
    "here",
    "sample",
    "fake",
    "...",
    "***",
    "not-",
    "none",
    "null",
    "secret-key",
    "mykey",
    "my-",
    "my_",
    "abc123",
    "123456",
    "00000",
    "test",
    "deine",
    "votre",
    "redacted",
    "password",
];

/// Beginnings of keys that services give out.
const KEY_STARTS: &[&str] = &[
    "sk-",
    "sk_live_",
    "akia",
    "ghp_",
    "gho_",
    "github_pat_",
    "hf_",
    "aiza",
    "xoxb-",
    "xoxp-",
    "glpat-",
    "sg.",
    "gsk_",
    "pplx-",
    "r8_",
    "lsv2_",
    "eyj",
];

fn looks_live(key: &str, value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if value.is_empty()
        || value.contains(['<', '>', '$', ' ', '{'])
        || SAMPLE_WORDS.iter().any(|word| lower.contains(word))
    {
        return false;
    }
    if let Some((_, rest)) = value.split_once("://") {
        // A URL is a secret where it carries a password of its own.
        let password = rest.split_once('@').and_then(|(user, host)| {
            let (name, password) = user.split_once(':')?;
            let local = host.starts_with("localhost") || host.starts_with("127.");
            // `cloudinary://API_KEY:API_SECRET@CLOUD_NAME` names what belongs there.
            let named = password.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            // `quizuser:quizpass` is typed for a container on the same machine.
            let typed = password.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
                && password.to_ascii_lowercase().contains("pass");
            let named = named || typed;
            (!local && !named && name != password && password.len() >= 8).then_some(password)
        });
        return password.is_some_and(|password| variety(password) >= 6);
    }
    if !names_secret(key) {
        return false;
    }
    if KEY_STARTS.iter().any(|start| lower.starts_with(start)) {
        return value.len() >= 20 && variety(value) >= 8;
    }
    let upper = key.to_ascii_uppercase();
    let password = upper.contains("PASSW") || upper.contains("PWD");
    let letters = value.chars().any(char::is_alphabetic);
    let digits = value.chars().any(|c| c.is_ascii_digit());
    let path = value.starts_with(['/', '.']) || matches!(lower.rsplit_once('.'), Some((_, "json" | "pem")));
    let long = value.len() >= if password { 10 } else { 20 };
    !path && long && letters && digits && variety(value) >= 7
}

/// How many different characters a value has; a made-up one repeats a few.
fn variety(value: &str) -> usize {
    value.chars().take(200).collect::<BTreeSet<char>>().len()
}
