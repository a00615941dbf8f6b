//! What a target said, fit to leave the machine: without secrets, without what identifies people, without the project's place.

use std::path::Path;

use aho_corasick::{AhoCorasick, MatchKind};
use engine_eval_judge::{Kind, identifiers};

/// What stands where something identified a person.
const PERSONAL: &str = "[personal]";

/// What stands where nothing can be said for certain.
const WITHHELD: &str = "[withheld]";

/// Cleans a text that a target said. The same text of the same project gives the same text again.
pub(crate) fn cleaner(project: &Path) -> impl Fn(&str) -> String + use<> {
    let place = project.to_string_lossy().into_owned();
    move |text| {
        let text = if place.len() > 1 {
            text.replace(&place, ".")
        } else {
            text.to_owned()
        };
        without_people(&without_secrets(&text))
    }
}

/// A text without what looks like a secret, also to the wider net: an encoded answer that it takes for one is the lesser harm.
fn without_secrets(text: &str) -> String {
    let text = engine_scan_secrets::mask(text);
    text.split_inclusive('\n').map(engine_scanner::mask_secrets).collect()
}

/// A text without accounts, cards, addresses, telephone and personal numbers, however they are spaced.
fn without_people(text: &str) -> String {
    let found: Vec<Vec<u8>> = identifiers(text)
        .into_iter()
        .filter(|(kind, _)| !matches!(kind, Kind::Doi | Kind::Isbn))
        .map(|(_, value)| bare(&value).0)
        .filter(|value| !value.is_empty())
        .collect();
    if found.is_empty() {
        return text.to_owned();
    }
    let Ok(search) = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&found)
    else {
        return WITHHELD.to_owned();
    };
    let (plain, places) = bare(text);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for hit in search.find_iter(&plain) {
        let (Some((start, _)), Some((_, end))) = (places.get(hit.start()), places.get(hit.end() - 1)) else {
            continue;
        };
        out.push_str(text.get(done..*start).unwrap_or_default());
        out.push_str(PERSONAL);
        done = *end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Letters and digits alone, in lower case, with the place of each byte in the text.
fn bare(text: &str) -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        let mut buffer = [0; 4];
        for lower in c.to_lowercase() {
            let encoded = lower.encode_utf8(&mut buffer).as_bytes();
            bytes.extend_from_slice(encoded);
            places.extend(std::iter::repeat_n((at, at + c.len_utf8()), encoded.len()));
        }
    }
    (bytes, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_identifies_people_and_secrets_and_the_place_of_the_project_go_and_words_stay() {
        let clean = cleaner(Path::new("/home/erika/desk"));
        let key = ["sk-proj-", &"Ab3dEf9hIj".repeat(5)].concat();
        let text = format!(
            "Write to Erika.Mustermann@example.org or call +49 30 901820; pay DE89 3704 0044 0532 0130 00. The key is {key}. \
             See /home/erika/desk/app.py, Art. 50(1), 12 of 14."
        );
        let cleaned = clean(&text);
        for gone in ["ustermann", "901820", "3704 0044", key.as_str(), "/home/erika"] {
            assert!(!cleaned.contains(gone), "{gone} in {cleaned}");
        }
        for stays in ["Write to [personal] or call", "See ./app.py, Art. 50(1), 12 of 14."] {
            assert!(cleaned.contains(stays), "{stays}: {cleaned}");
        }
        assert_eq!(clean(&cleaned), cleaned, "cleaning again changes nothing");
        assert_eq!(clean("Ünïcödé stays — as it is."), "Ünïcödé stays — as it is.");
    }
}
