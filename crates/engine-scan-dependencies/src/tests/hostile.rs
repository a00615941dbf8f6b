//! Broken and hostile input ends without a panic, with what could be understood, and costs no more than it is long.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::facts_of;
use super::growth::grows_with_length;

const PATHS: [&str; 33] = [
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "requirements.txt",
    "constraints.txt",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pylock.toml",
    "environment.yml",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
    "pom.xml",
    "gradle.lockfile",
    "build.gradle",
    "libs.versions.toml",
    "App.csproj",
    "Directory.Packages.props",
    "packages.lock.json",
    "packages.config",
    "composer.lock",
    "Gemfile",
    "Gemfile.lock",
    ".mcp.json",
];

#[track_caller]
fn ends(text: &str) {
    for path in PATHS {
        grows_with_length(path, text.len(), |length| facts_of(path, &text[..length]));
    }
}

#[test]
fn deep_nesting_ends_without_filling_the_stack() {
    let depth = 100_000;
    ends(&"{\"dependencies\":{\"a\":".repeat(depth));
    ends(&"[".repeat(depth));
    ends(&format!("a = {}", "[".repeat(depth)));
    ends(&"<a>".repeat(depth));
    ends(&format!("a: {}", "{b: [".repeat(depth)));
    let steps: Vec<String> = (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    ends(&steps.concat());
    ends(&"- ".repeat(depth));
    ends(&format!("a = {}1", "a.".repeat(depth)));
}

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn ten_megabytes_on_one_line_end() {
    let length = 10 * 1024 * 1024;
    for unit in ["a", "\""] {
        ends(&unit.repeat(length / unit.len()));
    }
    for unit in ["a@1, ", "${a}", "\\", " ", "<", "$(", "a==1 ", "[x]", "'"] {
        ends(&unit.repeat(length / 10 / unit.len()));
    }
}

fn small_mistakes_end(times: usize) {
    for unit in [
        "=\n",
        ":\n",
        "?\n",
        "\"\n",
        "a: {\n",
        "a: '\n",
        "- - -\n",
        "<a\n",
        "]\n",
        "[[\n",
        "}\n",
        "-r x\n",
        "a==1 \\\n",
    ] {
        ends(&unit.repeat(times));
    }
}

#[test]
fn small_mistakes_cost_no_more_than_they_are_long() {
    small_mistakes_end(10_000);
}

#[test]
#[ignore = "slow: 50,000 mistakes of each kind in each format"]
fn many_small_mistakes_cost_no_more_than_they_are_long() {
    small_mistakes_end(50_000);
}

#[test]
fn entities_and_aliases_are_not_expanded() {
    let mut bomb = String::from("<!DOCTYPE p [<!ENTITY a \"boom\">");
    for level in 1..40 {
        let _ = write!(bomb, "<!ENTITY a{level} \"&a{0};&a{0};\">", level - 1);
    }
    bomb.push_str("<!ENTITY x SYSTEM \"file:///etc/hostname\">]>");
    bomb.push_str("<project><dependencies><dependency><groupId>g&a39;&x;</groupId><artifactId>a</artifactId>");
    bomb.push_str("<version>1&amp;2</version></dependency></dependencies></project>");
    let facts = facts_of("pom.xml", &bomb);
    assert_eq!(facts.packages[0].name, "g:a");
    assert_eq!(facts.packages[0].version.as_deref(), Some("1&2"));

    let mut laughs = String::from("a0: &a0 [lol]\n");
    for level in 1..40 {
        let _ = writeln!(laughs, "a{level}: &a{level} [*a{0}, *a{0}]", level - 1);
    }
    ends(&laughs);
    let doubling: Vec<String> = (1..60)
        .map(|level| format!("<p{level}>${{p{0}}}${{p{0}}}</p{level}>", level - 1))
        .collect();
    let doubling = doubling.concat();
    ends(&format!(
        "<project><properties><p0>x</p0>{doubling}</properties><dependencies><dependency><groupId>g</groupId>\
         <artifactId>a</artifactId><version>${{p59}}</version></dependency></dependencies></project>"
    ));
}

#[test]
fn entries_before_a_parse_error_are_kept_and_the_error_is_noted() {
    let json = facts_of("package.json", "{\"dependencies\": {\"openai\": \"4.0.0\",\n \"zod\": ");
    assert_eq!(json.packages[0].name, "openai");
    assert_eq!(json.notes[0].line, 2);
    let toml = facts_of(
        "poetry.lock",
        "[[package]]\nname = \"a\"\nversion = \"1\"\n\n[[package]]\nname = \n",
    );
    assert_eq!(toml.packages.len(), 1);
    assert_eq!(toml.notes[0].line, 6);
    let xml = facts_of(
        "App.csproj",
        "<Project><ItemGroup>\n<PackageReference Include=\"OpenAI\" Version=\"2.1.0\" />\n<PackageRef",
    );
    assert_eq!(xml.packages[0].version.as_deref(), Some("2.1.0"));
}

#[test]
fn binary_content_under_a_known_name_is_noted() {
    let facts = crate::read(&engine_model::SourceFile::new("package.json", b"\x00\x01\x02".to_vec()));
    assert!(facts.packages.is_empty());
    assert_eq!(facts.notes.len(), 1);
}

#[test]
fn the_work_on_a_large_lockfile_grows_with_its_length() {
    let mut text = String::from("lockfileVersion: '9.0'\npackages:\n");
    for index in 0..20_000 {
        let _ = write!(
            text,
            "  p{index}@1.0.{index}:\n    resolution: {{integrity: sha512-AAAA}}\n"
        );
    }
    let path = "pnpm-lock.yaml";
    let facts = grows_with_length(path, text.len(), |length| facts_of(path, &text[..length]));
    assert_eq!(facts.packages.len(), 20_000);
}

#[test]
fn one_name_in_many_versions_does_not_multiply() {
    let mut text = String::new();
    for index in 0..5_000 {
        let _ = write!(
            text,
            "[[package]]\nname = \"a\"\nversion = \"{index}\"\ndependencies = {{ a = \"*\" }}\n"
        );
    }
    let joined = grows_with_length("poetry.lock", text.len(), |length| {
        let file = engine_model::SourceFile::new("poetry.lock", &text.as_bytes()[..length]);
        crate::join(&[(file.info(), crate::read(&file))])
    });
    assert_eq!(joined.packages.len(), 5_000);
}

const SEEDS: [&str; 8] = [
    "{\"packages\": {\"\": {\"dependencies\": {\"a\": \"^1\"}}, \"node_modules/a\": {\"version\": \"1.0.0\"}}, \"dependencies\": {\"a\": {\"version\": \"1\", \"requires\": {\"b\": \"1\"}}}}",
    "\"a@^1\", b@npm:c@2:\n  version \"1\"\n  dependencies:\n    c \"2\"\n",
    "__metadata:\n  version: 6\n\"a@npm:1\":\n  version: 1\n  resolution: \"a@npm:1\"\n  dependencies:\n    b: ^1\n",
    "lockfileVersion: 5.3\nimporters:\n  .:\n    dependencies:\n      a: 1_b@2\npackages:\n  /a/1:\n    resolution: {integrity: sha512-AAAA}\n    cpu: [x, 'y']\n",
    "a==1 --hash=sha256:x ; python_version < \"3\"\n-r b\nc @ http://u:p@h/x\n-e git+https://h#egg=q\n",
    "[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { registry = \"r\" }\ndependencies = [{ name = \"b\" }]\n[project]\ndependencies = [\"x>=1\"]\n",
    "<project><properties><v>1</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version></dependency></dependencies></project>",
    "GEM\n  specs:\n    a (1)\n      b (>= 1)\nDEPENDENCIES\n  a\nmodule x\nrequire (\n\ta.b/c v1 // indirect\n)\nimplementation(\"g:a:$v\")\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics_on_mutated_files(
        seed in 0..SEEDS.len(),
        path in 0..PATHS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<char>(), 0_u8..4), 0..12),
    ) {
        let mut text: Vec<char> = SEEDS[seed].chars().collect();
        for (at, with, kind) in edits {
            let at = at.index(text.len().max(1)).min(text.len().saturating_sub(1));
            match kind {
                0 if !text.is_empty() => { text.remove(at); }
                1 => text.insert(at, with),
                2 if !text.is_empty() => text.truncate(at),
                _ if !text.is_empty() => {
                    let tail: Vec<char> = text[at..].to_vec();
                    text.extend(tail);
                }
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        let facts = facts_of(PATHS[path], &text);
        let file = engine_model::SourceFile::new(PATHS[path], text.into_bytes());
        crate::join(&[(file.info(), facts)]);
    }
}
