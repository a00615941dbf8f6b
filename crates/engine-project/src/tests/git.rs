//! The walk beside git itself, over generated trees and rule files: what is read is what git tracks or would add.
//!
//! `ENGINE_GIT_CASES` and `ENGINE_GIT_SEED` set the number of cases and where they start.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{paths, walk};

/// Rule files that the normal run compares.
const CASES: usize = 60;
/// Cases of the slow run; each has several rule files.
const CASES_SLOW: usize = 5_000;

/// Names of files and folders, with letters that rules give a meaning to.
const NAMES: &[&str] = &[
    "a", "b", "ab", "c", "a.py", "b.log", "x y", "a ", "#a", "!b", "a[b]", "{a,b}", "é.py", "a\\b", "A", "-", "]",
    "b\t", "**",
];

/// Pieces that rules are put together from.
const PIECES: &[&str] = &[
    "a",
    "b",
    "ab",
    "c",
    "*",
    "**",
    "?",
    "/",
    "/",
    "/",
    ".py",
    ".log",
    "x y",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]-]",
    "[[:alpha:]]",
    "[[:upper:]]x",
    "[[:none:]]",
    "[",
    "]",
    "[a",
    "[\\]]",
    "\\",
    "\\a",
    "\\#",
    "\\!",
    "\\*",
    "\\ ",
    " ",
    "\t",
    "{a,b}",
    "!",
    "#",
    "é",
    "-",
    "[a-",
    "[/]",
    "[b-a]",
    "**/",
    "/**",
    "/**/",
    "[[:]",
    "[--a]",
    "\\\\",
];

/// Whole rules, as people write them.
const RULES: &[&str] = &[
    "a",
    "/a",
    "a/",
    "*.py",
    "!*.py",
    "b/*",
    "!b/a.py",
    "**/c",
    "a/**",
    "a/**/b",
    "*b*",
    "!a/",
    "/b/c",
    "c/a.py",
    "[ab].py",
    "x\\ y",
    "# a",
    "",
    "  ",
    "!",
    "! ",
    "/",
    "!/",
    "//",
    "*",
    "!*/",
    "*.log ",
    "a.*",
    "!/c",
    "?",
    "!**/b.log",
    "a**b",
    "a/**b",
    "**",
    "!**",
    "**/",
    "/**",
    "*/",
    "*/*",
    "!*/*",
    "a/*/b",
    "/*",
    "!/a",
    "\\#a",
    "\\!b",
    "a\\ ",
    "a \\ ",
    "a\\",
    "{a,b}",
    "*.{py,log}",
    "a\r",
    "b \r",
    "é*",
    "??.py",
    "[[:alpha:]].py",
    "ab/..",
    "./a",
    "a/./b",
    "\u{FEFF}a",
    "c/**/",
    "**/a/**",
    "b/**/*.py",
    "x?y",
    "[!a]*",
    "a[[]b]",
];

/// A small generator, so that the cases are many and the same each time.
struct Pick(u64);

impl Pick {
    fn below(&mut self, choices: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % choices
    }

    fn one<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    fn rule(&mut self) -> String {
        if self.below(2) == 0 {
            return self.one(RULES).to_owned();
        }
        let negated = if self.below(4) == 0 { "!" } else { "" };
        let pieces: String = (0..=self.below(4)).map(|_| self.one(PIECES)).collect();
        [negated, &pieces].concat()
    }

    fn rules(&mut self) -> String {
        let rules: Vec<String> = (0..=self.below(5)).map(|_| self.rule()).collect();
        let end = ["", "\n"][self.below(2)];
        let start = if self.below(20) == 0 { "\u{FEFF}" } else { "" };
        [start, &rules.join("\n"), end].concat()
    }
}

/// Runs git without the settings of the user.
fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("XDG_CONFIG_HOME", "/dev/null")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

fn listed(folder: &Path, arguments: &[&str]) -> BTreeSet<String> {
    let out = git(folder, arguments).expect("git lists the files");
    String::from_utf8(out)
        .unwrap()
        .split_terminator('\0')
        .map(str::to_owned)
        .collect()
}

/// A tree with rule files and some tracked files; what was written, for a message.
fn tree(folder: &Path, pick: &mut Pick, fold: bool) -> (String, usize) {
    let mut files = Vec::new();
    for _ in 0..16 {
        // Where git compares without case, no two names of a disk differ in case alone.
        let name = |name| if fold && name == "A" { "a" } else { name };
        let parts: Vec<_> = (0..=pick.below(4)).map(|_| name(pick.one(NAMES))).collect();
        let path = folder.join(parts.join("/"));
        // A name may be taken by a file where a folder is needed, or the other way round.
        if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() && fs::write(&path, "x").is_ok() {
            files.push(parts.join("/"));
        }
    }
    let mut text = format!("files {files:?}\n");
    let mut count = 0;
    for place in ["", "a", "b", "ab", "c", "a/b", "x y", "A/c"] {
        if folder.join(place).is_dir() && (place.is_empty() || pick.below(2) == 0) {
            let rules = pick.rules();
            fs::write(folder.join(place).join(".gitignore"), &rules).unwrap();
            writeln!(text, "{place}/.gitignore {rules:?}").unwrap();
            count += 1;
        }
    }
    for file in &files {
        if pick.below(4) == 0 {
            git(folder, &["--literal-pathspecs", "add", "-f", "--", file]);
            writeln!(text, "tracked {file:?}").unwrap();
        }
    }
    (text, count)
}

/// What git would have in the project: what it tracks, as far as it is there, and what it does not ignore.
fn expected(folder: &Path) -> BTreeSet<String> {
    let mut all = listed(folder, &["ls-files", "-z", "--others", "--exclude-standard"]);
    all.extend(listed(folder, &["ls-files", "-z", "--cached"]));
    all.retain(|path| folder.join(path).is_file());
    all
}

/// Compares one tree; gives the number of its rule files.
fn compare(pick: &mut Pick) -> Option<usize> {
    let holder = tempfile::tempdir().unwrap();
    let mut folder: PathBuf = holder.path().join("p");
    fs::create_dir(&folder).unwrap();
    git(&folder, &["init", "-q"])?;
    let linked = pick.below(6) == 0;
    if linked {
        fs::write(folder.join("first"), "x").unwrap();
        git(&folder, &["add", "first"])?;
        git(&folder, &["commit", "-q", "-m", "first"])?;
        git(&folder, &["worktree", "add", "-q", "../w"])?;
    }
    let (mut text, mut count) = (String::new(), 0);
    if pick.below(2) == 0 {
        let rules = pick.rules();
        fs::write(folder.join(".git/info/exclude"), &rules).unwrap();
        writeln!(text, "exclude {rules:?}").unwrap();
        count += 1;
    }
    if pick.below(3) == 0 {
        git(&folder, &["config", "core.excludesFile", ".rules/own file"])?;
        text.push_str("with core.excludesFile\n");
    }
    let fold = pick.below(8) == 0;
    if fold {
        git(&folder, &["config", "core.ignoreCase", "true"])?;
        text.push_str("without case\n");
    }
    if linked {
        folder = holder.path().join("w");
        text.push_str("linked work tree\n");
    }
    if pick.below(2) == 0 {
        let rules = pick.rules();
        fs::create_dir(folder.join(".rules")).unwrap();
        fs::write(folder.join(".rules/own file"), &rules).unwrap();
        writeln!(text, "excludes {rules:?}").unwrap();
        count += 1;
    }
    let (rest, rules) = tree(&folder, pick, fold);
    text.push_str(&rest);
    let wanted = expected(&folder);
    let walked = walk(&folder);
    let read: BTreeSet<String> = paths(&walked).into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = wanted.difference(&read).collect();
    let beyond: Vec<_> = read.difference(&wanted).collect();
    assert!(
        missing.is_empty() && beyond.is_empty(),
        "not read {missing:?}, read beyond git {beyond:?}\n{text}{:?}",
        walked.skipped
    );
    Some(count + rules)
}

fn run(cases: usize) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let cases = number("ENGINE_GIT_CASES").map_or(cases, |cases| usize::try_from(cases).unwrap());
    let start = number("ENGINE_GIT_SEED").unwrap_or(1);
    let mut rule_files = 0;
    for case in 0..cases {
        let seed = (start + case as u64).wrapping_mul(0x2545_F491_4F6C_DD1D) | 1;
        match compare(&mut Pick(seed)) {
            Some(count) => rule_files += count,
            // Without git there is nothing to compare with.
            None => return,
        }
    }
    assert!(rule_files >= cases, "{rule_files} rule files in {cases} cases");
    eprintln!("{cases} trees with {rule_files} rule files");
}

#[test]
fn the_walk_reads_what_git_tracks_and_what_it_does_not_ignore() {
    run(CASES);
}

#[test]
#[ignore = "runs git some ten thousand times"]
fn the_walk_reads_what_git_has_over_ten_thousand_rule_files() {
    run(CASES_SLOW);
}
