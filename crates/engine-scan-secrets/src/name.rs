//! What the name of a value says about it.

use crate::rules::RULES;

/// What a name speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// A password, which people choose.
    Password,
    /// A token, a secret or a key of an interface, which machines make.
    Token,
    /// A key of any kind.
    Key,
    /// Nothing secret, by itself.
    Plain,
}

/// A name, told apart.
pub(crate) struct Name {
    pub(crate) sense: Sense,
    /// Group of services, with the name of the service.
    pub(crate) service: Option<(usize, String)>,
}

/// Letters and digits of a name in lower case, and its words.
pub(crate) fn words(name: &str) -> (String, Vec<String>) {
    let mut flat = String::with_capacity(name.len());
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let bytes = name.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            continue;
        }
        let capital = byte.is_ascii_uppercase();
        let starts = capital
            && at > 0
            && (bytes[at - 1].is_ascii_lowercase()
                || bytes[at - 1].is_ascii_digit()
                || (bytes[at - 1].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)));
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.push(byte.to_ascii_lowercase() as char);
        flat.push(byte.to_ascii_lowercase() as char);
    }
    if !word.is_empty() {
        words.push(word);
    }
    (flat, words)
}

/// Tells a name apart. `around` holds words that stand near it on the line and may name the service.
pub(crate) fn tell(name: &str, around: &[&str]) -> Name {
    let rules = &*RULES;
    let (flat, words) = words(name);
    let last = words.last().map_or("", String::as_str);
    let service = service_of(&flat, &words).or_else(|| {
        around.iter().filter(|text| !text.is_empty()).find_map(|text| {
            let (flat, words) = self::words(text);
            service_of(&flat, &words)
        })
    });
    let plain = Name {
        sense: Sense::Plain,
        service: None,
    };
    if words.is_empty() || flat.len() > 80 {
        return plain;
    }
    let client_id = flat.ends_with("clientid") && service.is_some();
    let key_id = flat.ends_with("keyid") && flat.contains("access");
    if rules.vocabulary.around.contains(last) && !client_id && !key_id {
        return plain;
    }
    if words.iter().any(|word| rules.vocabulary.technical.contains(word))
        || flat.starts_with("csrf")
        || flat.starts_with("xsrf")
    {
        return plain;
    }
    let password = rules
        .vocabulary
        .password
        .iter()
        .any(|word| flat.ends_with(word.as_str()));
    let sense = if (password || last == "pw") && !matches!(last, "bypass" | "compass") {
        Sense::Password
    } else if rules.strong.is_match(&flat) || matches!(last, "auth" | "login" | "pat") && service.is_some() {
        Sense::Token
    } else if flat.ends_with("key")
        || flat.ends_with("keys")
        || client_id
        || (service.is_some() && (flat.contains("key") || flat.ends_with("access")))
    {
        Sense::Key
    } else {
        Sense::Plain
    };
    Name { sense, service }
}

fn service_of(flat: &str, words: &[String]) -> Option<(usize, String)> {
    let rules = &*RULES;
    // `undefined` names nobody.
    let named = rules
        .services
        .find_iter(flat)
        .find(|found| !(flat[..found.start()].ends_with("un") && flat[found.range()] == *"defined"));
    if let Some(found) = named {
        let (group, name) = &rules.name_groups[found.pattern().as_usize()];
        return Some((*group, name.clone()));
    }
    let at_start = |name: &str| flat.starts_with(name) && name.len() >= 3;
    words
        .iter()
        .find_map(|word| rules.short_names.get_key_value(word))
        .or_else(|| {
            rules
                .short_names
                .iter()
                .find(|(name, _)| at_start(name) && flat_key(flat, name))
        })
        .map(|(name, group)| (*group, name.clone()))
}

/// Whether what follows the short name of a service in a name without marks is a word for a key.
fn flat_key(flat: &str, name: &str) -> bool {
    ["key", "token", "secret", "api", "access", "pass"]
        .iter()
        .any(|word| flat[name.len()..].starts_with(word))
}
