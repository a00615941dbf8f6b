//! The rules, read from the data once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use engine_embed::{embed, from_toml};
use regex::Regex;
use serde::Deserialize;

/// A form that gives a key away.
#[derive(Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a line of the data with its own name"
)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) check: String,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) provider: Option<String>,
    /// The marks at which it is tried.
    pub(crate) prefixes: Vec<String>,
    pattern: String,
    /// How far before the mark the secret may begin.
    #[serde(default)]
    pub(crate) back: usize,
    /// How far behind the mark it may reach, where that is unusually far.
    #[serde(default = "reach")]
    pub(crate) reach: usize,
    /// The least Shannon entropy in bits per character.
    pub(crate) entropy: f64,
    pub(crate) confidence: u8,
    /// `crc32-base62`, where the last characters are a checksum: it moves the confidence.
    #[serde(default)]
    pub(crate) checksum: Option<String>,
    /// The mark is a name rather than part of the secret: any character may stand before it.
    #[serde(default)]
    pub(crate) loose: bool,
    /// Identifiers have the same form, so that a secret must look random.
    #[serde(default)]
    pub(crate) irregular: bool,
    /// The secret holds capitals, small letters and digits.
    #[serde(default)]
    pub(crate) mixed: bool,
    /// The least number of digits.
    #[serde(default)]
    pub(crate) digits: usize,
    /// A character many times over does not speak against it.
    #[serde(default)]
    pub(crate) runs: bool,
    /// A hyphen behind it says that it goes on, and is another thing.
    #[serde(default)]
    pub(crate) closed: bool,
    /// What stands before a use that is meant to be seen, as in a signed URL.
    #[serde(default)]
    pub(crate) unless_after: Vec<String>,
    /// Alphabets in order do not speak against it.
    #[serde(default)]
    pub(crate) sequence: bool,
    /// One of these words must stand near, in lower case.
    #[serde(default)]
    pub(crate) context: Vec<String>,
    /// Names of files, in lower case, in which it is shipped to everybody and is no secret.
    #[serde(default)]
    pub(crate) shipped_in: Vec<String>,
    /// Words, in lower case, that stand near it where it is shipped to everybody.
    #[serde(default)]
    pub(crate) shipped_with: Vec<String>,
    /// Words, in lower case, one of which stands near the key that the giver built into a client of its own, and that others copy.
    #[serde(default)]
    pub(crate) foreign_with: Vec<String>,
}

/// Most keys are shorter.
const fn reach() -> usize {
    360
}

/// Names of services whose keys have no form of their own.
#[derive(Deserialize)]
struct GroupText {
    check: String,
    confidence: u8,
    names: String,
}

/// The same, split.
pub(crate) struct Group {
    pub(crate) check: String,
    pub(crate) confidence: u8,
}

#[derive(Deserialize)]
pub(crate) struct Words {
    pub(crate) strong: Vec<String>,
    pub(crate) password: Vec<String>,
    pub(crate) around: BTreeSet<String>,
    pub(crate) technical: BTreeSet<String>,
    pub(crate) stand_in: Vec<String>,
    pub(crate) shown: Vec<String>,
    pub(crate) sample: BTreeSet<String>,
}

#[derive(Deserialize)]
struct RuleFile {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
struct NamedFile {
    group: Vec<GroupText>,
}

#[derive(Deserialize)]
struct PublishedFile {
    /// Issuers of tokens that every installation for development shares.
    token_issuers: Vec<String>,
    source: Vec<Published>,
}

#[derive(Deserialize)]
struct Published {
    digests: Vec<String>,
}

/// All rules, ready to run.
pub(crate) struct Rules {
    pub(crate) forms: Vec<Rule>,
    pub(crate) patterns: Vec<Regex>,
    /// The marks of the forms, as they are written.
    pub(crate) marks: AhoCorasick,
    /// Rules for each mark.
    pub(crate) by_mark: Vec<Vec<usize>>,
    /// The words at which assignments and blocks are looked for, in any case.
    pub(crate) words: AhoCorasick,
    /// The word of each pattern of `words`.
    pub(crate) word_kinds: Vec<Word>,
    pub(crate) groups: Vec<Group>,
    /// Long names of services, as parts of a name.
    pub(crate) services: AhoCorasick,
    /// Group and name of each pattern of `services`.
    pub(crate) name_groups: Vec<(usize, String)>,
    /// Short names of services, as whole words.
    pub(crate) short_names: BTreeMap<String, usize>,
    pub(crate) vocabulary: Words,
    pub(crate) strong: AhoCorasick,
    pub(crate) stand_in: AhoCorasick,
    /// BLAKE3 of keys that are published on purpose, in hex.
    pub(crate) published: BTreeSet<String>,
    /// Issuers of tokens that everybody has.
    pub(crate) issuers: Vec<String>,
}

/// What a word opens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// Part of a name that a value may be assigned to.
    Name,
    /// The first line of a key in PEM form.
    Pem,
    /// Between scheme and authority of a URL.
    Authority,
    /// A command that takes a user and a password.
    Command,
    /// The kind of a Kubernetes object.
    Kind,
}

const NAME_WORDS: &[&str] = &[
    "token",
    "secret",
    "passw",
    "pwd",
    "passphrase",
    "passcode",
    "pass",
    "_pw",
    "-pw",
    "key",
    "credential",
    "authorization",
    "access",
    "private",
    "bearer",
    "login",
    "auth",
];

/// Names of up to this many letters count as whole words only.
const SHORT_NAME: usize = 4;

#[expect(clippy::expect_used, reason = "the data is part of the program, and a test reads it")]
pub(crate) static RULES: LazyLock<Rules> = LazyLock::new(|| build().expect("the rules are well-formed"));

fn build() -> Result<Rules, Box<dyn std::error::Error>> {
    let mut rules = Vec::new();
    for file in [
        embed!("../rules/ai.toml"),
        embed!("../rules/cloud.toml"),
        embed!("../rules/hosts.toml"),
        embed!("../rules/services.toml"),
    ] {
        rules.extend(from_toml::<RuleFile>(&file.text())?.rule);
    }
    let named: NamedFile = from_toml(&embed!("../rules/named.toml").text())?;
    let vocabulary: Words = from_toml(&embed!("../rules/words.toml").text())?;
    let published: PublishedFile = from_toml(&embed!("../rules/published.toml").text())?;

    let mut patterns = Vec::with_capacity(rules.len());
    let mut marks: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let anchor = if rule.back == 0 { "^" } else { "" };
        patterns.push(Regex::new(&format!("{anchor}(?:{})", rule.pattern))?);
        for prefix in &rule.prefixes {
            marks.entry(prefix).or_default().push(index);
        }
    }
    let by_mark = marks.values().cloned().collect();
    let marks = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::Standard)
        .build(marks.keys())?;

    let mut word_list: Vec<(&str, Word)> = NAME_WORDS.iter().map(|word| (*word, Word::Name)).collect();
    word_list.push(("-----begin", Word::Pem));
    word_list.push(("://", Word::Authority));
    word_list.push(("curl", Word::Command));
    for kind in ["kind:", "kind\":", "kind\" :", "kind':"] {
        word_list.push((kind, Word::Kind));
    }
    let words = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(word_list.iter().map(|(word, _)| word))?;
    let word_kinds = word_list.iter().map(|(_, kind)| *kind).collect();

    let mut groups = Vec::new();
    let mut long = Vec::new();
    let mut name_groups = Vec::new();
    let mut short_names = BTreeMap::new();
    for group in named.group {
        for name in group.names.split_whitespace() {
            if name.len() <= SHORT_NAME {
                short_names.insert(name.to_owned(), groups.len());
            } else {
                long.push(name.to_owned());
                name_groups.push((groups.len(), name.to_owned()));
            }
        }
        groups.push(Group {
            check: group.check,
            confidence: group.confidence,
        });
    }
    let services = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&long)?;
    let strong = AhoCorasick::new(&vocabulary.strong)?;
    let stand_in = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(&vocabulary.stand_in)?;
    Ok(Rules {
        forms: rules,
        patterns,
        marks,
        by_mark,
        words,
        word_kinds,
        groups,
        services,
        name_groups,
        short_names,
        vocabulary,
        strong,
        stand_in,
        issuers: published.token_issuers,
        published: published.source.into_iter().flat_map(|source| source.digests).collect(),
    })
}
