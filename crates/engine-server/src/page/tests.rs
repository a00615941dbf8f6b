//! The page: its files, its policy and its token.

#![expect(
    clippy::disallowed_methods,
    reason = "the test lists the files of the page on the disk"
)]

use std::collections::BTreeSet;
use std::path::Path;

use http::{Request, StatusCode};
use http_body_util::BodyExt as _;

use super::*;

fn parts(method: &Method, path: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn text(answer: Answer) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let bytes = runtime.block_on(answer.into_body().collect()).unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

const HTML: (&str, &str) = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");

#[test]
fn given_a_browser_then_the_page_with_its_token_and_a_strict_policy() {
    let token = PageToken::mint();
    let answer = answer(&parts(&Method::GET, "/", &[HTML]), &token).unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let policy = answer.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let page = text(answer);
    assert!(page.contains(&token.0) && !page.contains(TOKEN_PLACE));
    // Nothing inline, which the policy would refuse, and nothing from elsewhere.
    for forbidden in ["<style", " style=", " onclick=", "<script>", "http:", "https:"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn given_a_json_client_then_no_page() {
    let token = PageToken::mint();
    for headers in [&[][..], &[("Accept", "application/json")], &[("Accept", "*/*")]] {
        assert!(answer(&parts(&Method::GET, "/", headers), &token).is_none());
    }
    assert!(answer(&parts(&Method::POST, "/", &[HTML]), &token).is_none());
    assert!(answer(&parts(&Method::GET, "/page/no-such.js", &[HTML]), &token).is_none());
    assert!(answer(&parts(&Method::GET, "/page/../index.html", &[HTML]), &token).is_none());
}

#[test]
fn given_a_browser_without_the_token_then_it_changes_nothing() {
    let token = PageToken::mint();
    let other = PageToken::mint();
    assert_ne!(token.0, other.0);
    for site in [("Origin", "http://127.0.0.1:1"), ("Sec-Fetch-Site", "same-origin")] {
        for method in [Method::POST, Method::DELETE, Method::PUT] {
            let failure = token.check(&parts(&method, "/scan", &[site])).unwrap_err();
            assert_eq!(failure.code, ErrorCode::ForeignOrigin);
            let wrong = parts(&method, "/scan", &[site, ("X-Engine-Token", &other.0)]);
            assert!(token.check(&wrong).is_err());
            let twice = parts(
                &method,
                "/scan",
                &[site, ("X-Engine-Token", &token.0), ("X-Engine-Token", &token.0)],
            );
            assert!(token.check(&twice).is_err());
            let right = parts(&method, "/scan", &[site, ("X-Engine-Token", &token.0)]);
            assert!(token.check(&right).is_ok());
        }
        assert!(token.check(&parts(&Method::GET, "/status", &[site])).is_ok());
    }
    assert!(
        token.check(&parts(&Method::POST, "/scan", &[])).is_ok(),
        "not a browser"
    );
}

#[test]
fn given_the_folder_of_the_page_then_every_file_is_served() {
    fn walk(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{below}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("page"),
        "/page/",
        &mut found,
    );
    assert!(found.remove("/page/index.html"));
    let served: BTreeSet<String> = FILES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(found, served);
}

#[test]
fn given_a_module_then_it_makes_no_markup_and_names_no_other_host() {
    for (name, content_type, file) in FILES {
        if *content_type != SCRIPT {
            continue;
        }
        let text = file.text();
        for forbidden in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "https://",
        ] {
            assert!(!text.contains(forbidden), "{name}: {forbidden}");
        }
    }
}

/// The keys of a catalogue, and the values they have in it.
fn catalogue(name: &str) -> Vec<(String, String)> {
    let (.., file) = FILES.iter().find(|(file, ..)| *file == name).unwrap();
    file.text()
        .lines()
        .filter_map(|line| {
            let entry = line.trim().strip_suffix(',')?;
            let (key, value) = entry.split_once("\": \"")?;
            Some((
                key.trim_start_matches('"').to_owned(),
                value.trim_end_matches('"').to_owned(),
            ))
        })
        .collect()
}

/// The names that a text puts values in.
fn places(text: &str) -> BTreeSet<String> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()))
        .collect()
}

#[test]
fn given_each_language_then_the_same_keys_and_no_claims() {
    let english = catalogue("/page/messages.en.js");
    assert!(english.len() > 500);
    for name in ["/page/messages.de.js", "/page/messages.fr.js"] {
        let other = catalogue(name);
        let keys = |all: &[(String, String)]| all.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&english), keys(&other), "{name}");
        for ((key, first), (_, second)) in english.iter().zip(&other) {
            assert_eq!(places(first), places(second), "{name}: {key}");
            assert_eq!(first.matches('|').count(), second.matches('|').count(), "{name}: {key}");
        }
    }
    let claims = [
        "compliant",
        "certified",
        "approved",
        "guarantee",
        "konform",
        "zertifiziert",
        "garantiert",
        "conforme",
        "certifié",
        "garanti",
    ];
    for name in ["/page/messages.en.js", "/page/messages.de.js", "/page/messages.fr.js"] {
        for (key, text) in catalogue(name) {
            let lower = text.to_lowercase();
            assert!(
                !claims.iter().any(|claim| lower.contains(claim)),
                "{name}: {key}: {text}"
            );
        }
    }
}
