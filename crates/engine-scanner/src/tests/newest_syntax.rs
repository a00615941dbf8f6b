//! The newest syntax of each language, one construct a case: its call to a model is found, or the lines that were not read are listed.
//!
//! The cases are in `tests/syntax`, in files named after their languages. A case begins with `=== <name> | call=<line>`; lines that a grammar
//! does not read follow as `| unread=<first>-<last>,…`. A grammar that falls behind, or catches up, changes what a case says.

use std::fmt::Write as _;

use engine_model::{CallKind, Date, MemoryTree};

use crate::{Settings, scan_memory};

/// The languages with the ending of their files and their cases.
const LANGUAGES: [(&str, &str, &str); 10] = [
    (
        "Python 3.14",
        "a.py",
        include_str!("../../../../tests/syntax/python.txt"),
    ),
    (
        "TypeScript 5.9",
        "src/a.ts",
        include_str!("../../../../tests/syntax/typescript.txt"),
    ),
    (
        "JavaScript 2026",
        "src/a.js",
        include_str!("../../../../tests/syntax/javascript.txt"),
    ),
    ("Go 1.26", "main.go", include_str!("../../../../tests/syntax/go.txt")),
    (
        "Java 25",
        "src/Desk.java",
        include_str!("../../../../tests/syntax/java.txt"),
    ),
    (
        "Kotlin 2.3",
        "src/Desk.kt",
        include_str!("../../../../tests/syntax/kotlin.txt"),
    ),
    ("C# 14", "Desk.cs", include_str!("../../../../tests/syntax/csharp.txt")),
    (
        "Rust 2024",
        "src/main.rs",
        include_str!("../../../../tests/syntax/rust.txt"),
    ),
    (
        "PHP 8.5",
        "src/desk.php",
        include_str!("../../../../tests/syntax/php.txt"),
    ),
    (
        "Ruby 4.0",
        "lib/desk.rb",
        include_str!("../../../../tests/syntax/ruby.txt"),
    ),
];

/// Constructs that each language has at least.
const CASES_MIN: usize = 8;

/// The header of a case as the scan would write it.
fn told(name: &str, path: &str, text: &str) -> String {
    let mut tree = MemoryTree::default();
    tree.insert(path, text.as_bytes().to_vec());
    let found = scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 29)));
    let mut out = name.to_owned();
    let calls = found.inventory.calls.iter().filter(|call| call.kind == CallKind::Call);
    for call in calls {
        let _ = write!(out, " | call={}", call.line);
    }
    for file in &found.not_parsed {
        let lines: Vec<String> = file
            .lines
            .iter()
            .map(|lines| format!("{}-{}", lines.first, lines.last))
            .collect();
        let _ = write!(out, " | unread={}", lines.join(","));
    }
    out
}

#[test]
fn newest_syntax_is_read_or_listed() {
    let mut wrong = String::new();
    for (language, path, cases) in LANGUAGES {
        let cases: Vec<&str> = cases.split("=== ").skip(1).collect();
        assert!(cases.len() >= CASES_MIN, "{language}");
        for case in cases {
            let (header, text) = case.split_once('\n').unwrap();
            let name = header.split('|').next().unwrap().trim();
            let told = told(name, path, text);
            // A call that is neither found nor listed would be lost without a word.
            let silent = !told.contains("call=") && !told.contains("unread=");
            if told != header || silent {
                let _ = writeln!(wrong, "{language}: === {told}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
