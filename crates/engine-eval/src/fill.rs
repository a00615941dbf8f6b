//! Placeholders of the suite, filled anew for each run from its seed.
//!
//! `{{token}}` is a word that nobody says by accident, `{{canary}}` a secret value, `{{host}}` the attacker's host;
//! `{{repeat:N:text}}` repeats; other names are slots of a template. Sample replies may disguise a value:
//! `{{canary|base64}}`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::{BASE64, HEXLOWER};

use crate::dice::Dice;

/// A filled text may not be longer.
const FILLED_BYTES_MAX: usize = 1 << 20;

const WORDS: [&str; 48] = [
    "KESTREL",
    "BASALT",
    "JUNIPER",
    "HARBOUR",
    "LANTERN",
    "SORREL",
    "QUARRY",
    "MERIDIAN",
    "TEASEL",
    "OSPREY",
    "GRANITE",
    "BRAMBLE",
    "PLOVER",
    "CINNABAR",
    "FERRY",
    "THISTLE",
    "CORMORANT",
    "SLATE",
    "ROWAN",
    "TURNSTONE",
    "AMBER",
    "CURLEW",
    "FOXGLOVE",
    "GANNET",
    "HEATHER",
    "IBEX",
    "JASPER",
    "KELP",
    "LICHEN",
    "MARTEN",
    "NETTLE",
    "OBSIDIAN",
    "PUMICE",
    "QUINCE",
    "RAVEN",
    "SAMPHIRE",
    "TANSY",
    "URCHIN",
    "VERVAIN",
    "WILLOW",
    "YARROW",
    "ZIRCON",
    "ALDER",
    "BITTERN",
    "COBALT",
    "DUNLIN",
    "ERMINE",
    "FLINT",
];

/// The values of one probe in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secrets {
    /// A word to be said by whoever obeys.
    pub token: String,
    /// A value that must not come out.
    pub canary: String,
    /// A host that must not be called; it lies in a reserved domain that belongs to nobody.
    pub host: String,
}

impl Secrets {
    /// The values that a seed gives to a probe. Each repetition has its own, so that nothing can be remembered.
    pub fn draw(seed: u64, probe: &str, repeat: u32) -> Self {
        let mut dice = Dice::new(seed, &["secrets", probe, &repeat.to_string()]);
        let mut word = || dice.pick(&WORDS).copied().unwrap_or("KESTREL");
        let (token, first, second, host) = (word(), word(), word(), word());
        let number = 10_000 + dice.below(90_000);
        let (left, right) = (1_000 + dice.below(9_000), 1_000 + dice.below(9_000));
        Self {
            token: format!("{token}-{number}"),
            canary: format!("{first}{left}{second}{right}"),
            host: format!("{}-{:05x}.example", host.to_ascii_lowercase(), dice.below(1 << 20)),
        }
    }
}

/// Why a text cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlaceholder {
    /// A name that nothing fills.
    #[error("no value for the placeholder `{0}`")]
    Unknown(String),
    /// Braces that do not close.
    #[error("a placeholder has no closing braces")]
    Open,
    /// Not a number, or too much text.
    #[error("the repetition `{0}` has no valid count, or its text is too long")]
    Repeat(String),
}

/// Fills a text.
pub fn fill(text: &str, secrets: &Secrets, slots: &BTreeMap<String, String>) -> Result<String, BadPlaceholder> {
    fill_nested(text, secrets, slots, 0).map(Cow::into_owned)
}

fn fill_nested<'a>(
    text: &'a str,
    secrets: &Secrets,
    slots: &BTreeMap<String, String>,
    depth: usize,
) -> Result<Cow<'a, str>, BadPlaceholder> {
    if !text.contains("{{") {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        // A third brace belongs to the text, as in JSON around a placeholder.
        let at = at + rest[at + 2..].bytes().take_while(|byte| *byte == b'{').count();
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let end = closing(inner).ok_or(BadPlaceholder::Open)?;
        put(&mut out, &inner[..end], secrets, slots, depth)?;
        rest = &inner[end + 2..];
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// Where the placeholder ends, past those within it.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while let Some(found) = text
        .get(at..)
        .and_then(|rest| rest.find(['{', '}']).map(|found| at + found))
    {
        let pair = text.as_bytes().get(found..found + 2);
        if pair == Some(b"{{") {
            depth += 1;
            at = found + 2;
        } else if pair == Some(b"}}") {
            if depth == 0 {
                return Some(found);
            }
            depth -= 1;
            at = found + 2;
        } else {
            at = found + 1;
        }
    }
    None
}

fn put(
    out: &mut String,
    name: &str,
    secrets: &Secrets,
    slots: &BTreeMap<String, String>,
    depth: usize,
) -> Result<(), BadPlaceholder> {
    if let Some(rest) = name.strip_prefix("repeat:") {
        let bad = || BadPlaceholder::Repeat(name.chars().take(40).collect());
        let (times, text) = rest.split_once(':').ok_or_else(bad)?;
        let times: usize = times.parse().map_err(|_| bad())?;
        if depth > 0 {
            return Err(bad());
        }
        let text = fill_nested(text, secrets, slots, depth + 1)?;
        if text.len().saturating_mul(times).saturating_add(out.len()) > FILLED_BYTES_MAX {
            return Err(bad());
        }
        out.push_str(&text.repeat(times));
        return Ok(());
    }
    let (name, filter) = name
        .split_once('|')
        .map_or((name, None), |(name, filter)| (name, Some(filter)));
    let value = match name {
        "token" => &secrets.token,
        "canary" => &secrets.canary,
        "host" => &secrets.host,
        _ => slots
            .get(name)
            .ok_or_else(|| BadPlaceholder::Unknown(name.to_owned()))?,
    };
    match filter {
        None => out.push_str(value),
        Some(filter) => {
            let disguised =
                disguise(value, filter).ok_or_else(|| BadPlaceholder::Unknown(format!("{name}|{filter}")))?;
            out.push_str(&disguised);
        }
    }
    Ok(())
}

const SPELLING: [&str; 26] = [
    "Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot", "Golf", "Hotel", "India", "Juliett", "Kilo", "Lima",
    "Mike", "November", "Oscar", "Papa", "Quebec", "Romeo", "Sierra", "Tango", "Uniform", "Victor", "Whiskey", "Xray",
    "Yankee", "Zulu",
];

/// A value as a reply may disguise it.
pub(crate) fn disguise(value: &str, filter: &str) -> Option<String> {
    let joined = |by: &str| value.chars().map(String::from).collect::<Vec<_>>().join(by);
    let half = value.chars().count() / 2;
    Some(match filter {
        "lower" => value.to_lowercase(),
        "reverse" => value.chars().rev().collect(),
        "spaced" => joined(" "),
        "lines" => joined("\n"),
        "base64" => BASE64.encode(value.as_bytes()),
        "hex" => HEXLOWER.encode(value.as_bytes()),
        "rot13" => value.chars().map(rot13).collect(),
        "leet" => value.chars().map(leet).collect(),
        "html" => value.chars().fold(String::new(), |mut out, c| {
            out.push_str("&#");
            out.push_str(&u32::from(c).to_string());
            out.push(';');
            out
        }),
        "head" => value.chars().take(half).collect(),
        "tail" => value.chars().skip(half).collect(),
        "acrostic" => value
            .chars()
            .filter_map(|c| match c.to_ascii_uppercase() {
                letter @ 'A'..='Z' => SPELLING
                    .get(usize::from(letter as u8 - b'A'))
                    .map(|word| (*word).to_owned()),
                digit @ '0'..='9' => Some(digit.to_string()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n"),
        _ => return None,
    })
}

pub(crate) fn rot13(c: char) -> char {
    let turn = |c: char, base: u8| char::from((c as u8 - base + 13) % 26 + base);
    match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        _ => c,
    }
}

pub(crate) fn leet(c: char) -> char {
    match c.to_ascii_lowercase() {
        'a' => '4',
        'e' => '3',
        'i' => '1',
        'o' => '0',
        's' => '5',
        't' => '7',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, BadPlaceholder> {
        let secrets = Secrets {
            token: "KESTREL-48213".to_owned(),
            canary: "AB12".to_owned(),
            host: "h.example".to_owned(),
        };
        fill(text, &secrets, &BTreeMap::from([("name".to_owned(), "Ana".to_owned())]))
    }

    #[test]
    fn placeholders_are_filled_and_everything_else_is_kept() {
        assert_eq!(filled("a {{token}} b {{name}}").unwrap(), "a KESTREL-48213 b Ana");
        assert_eq!(filled("{{{token}}}").unwrap(), "{KESTREL-48213}");
        assert_eq!(filled("{{repeat:3:[}}x{{repeat:2:{{name}} }}").unwrap(), "[[[xAna Ana ");
        assert_eq!(filled("{\"a\": {\"b\": 1}}").unwrap(), "{\"a\": {\"b\": 1}}");
        assert_eq!(
            filled("{{canary|reverse}} {{canary|hex}} {{canary|head}}").unwrap(),
            "21BA 41423132 AB"
        );
        assert_eq!(filled("{{canary|acrostic}}").unwrap(), "Alpha\nBravo\n1\n2");
    }

    #[test]
    fn what_cannot_be_filled_is_told() {
        assert_eq!(filled("{{nobody}}"), Err(BadPlaceholder::Unknown("nobody".to_owned())));
        assert_eq!(
            filled("{{token|loud}}"),
            Err(BadPlaceholder::Unknown("token|loud".to_owned()))
        );
        assert_eq!(filled("{{token"), Err(BadPlaceholder::Open));
        assert!(matches!(
            filled("{{repeat:99999999:long}}"),
            Err(BadPlaceholder::Repeat(_))
        ));
        assert!(matches!(
            filled("{{repeat:2:{{repeat:2:x}}}}"),
            Err(BadPlaceholder::Repeat(_))
        ));
    }

    #[test]
    fn values_follow_from_the_seed_and_differ_between_probes_and_repetitions() {
        let one = Secrets::draw(5, "p", 0);
        assert_eq!(one, Secrets::draw(5, "p", 0));
        assert_ne!(one, Secrets::draw(6, "p", 0));
        assert_ne!(one, Secrets::draw(5, "q", 0));
        assert_ne!(one, Secrets::draw(5, "p", 1));
        assert!(one.canary.len() >= 12 && one.host.ends_with(".example"));
    }
}
