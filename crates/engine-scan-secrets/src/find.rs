//! Finds secrets in a text: the forms that give a key away, then names with values, URLs, blocks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use engine_model::{Language, Zone};

use crate::assign::{self, Assignment};
use crate::checksum;
use crate::dummy;
use crate::judge::{self, StandIn};
use crate::name::{self, Name, Sense};
use crate::rules::{RULES, Rule, Rules, Word};
use crate::{block, encoded, kubernetes, url};

/// What is known of the text.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) language: Language,
    pub(crate) zone: Zone,
    /// The name of the file in lower case.
    pub(crate) file: &'a str,
    /// The text is to be masked: what may be a sample is taken as well.
    pub(crate) masking: bool,
    /// How many texts in base64 the text was behind.
    pub(crate) depth: u8,
}

/// A secret in the text.
pub(crate) struct Hit {
    pub(crate) rule: Cow<'static, str>,
    pub(crate) check: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) provider: Option<String>,
    pub(crate) confidence: u8,
    /// Where it stands.
    pub(crate) place: Range<usize>,
    /// All of it, where it is a block of lines.
    pub(crate) all: Range<usize>,
    /// No character of it is shown.
    pub(crate) hidden: bool,
    /// Of two that overlap, the one with the greater weight stays.
    pub(crate) weight: u8,
}

/// How far behind a mark in the middle of it a key may reach.
const MARKED_MAX: usize = 120;

/// Longer values count only if they are made of the characters of keys.
const LONG_VALUE: usize = 300;

/// How much text around a place is searched for words that belong to it.
const NEAR: usize = 160;

/// All secrets in the order of their places.
pub(crate) fn find(text: &str, surroundings: Surroundings<'_>) -> Vec<Hit> {
    let rules = &*RULES;
    let mut hits = Vec::new();
    for found in rules.marks.find_overlapping_iter(text.as_bytes()) {
        for index in &rules.by_mark[found.pattern().as_usize()] {
            formed(rules, *index, text, found.start()..found.end(), surroundings, &mut hits);
        }
    }
    // A name may hold several of the words, a block several first lines: each is read once.
    let (mut named, mut blocked, mut commanded, mut listed) = (0, 0, 0, 0);
    for found in rules.words.find_iter(text.as_bytes()) {
        match rules.word_kinds[found.pattern().as_usize()] {
            Word::Name => {
                if found.start() < named {
                    continue;
                }
                let name = assign::name_at(text.as_bytes(), found.start(), found.end());
                named = name.end;
                assigned(text, name, surroundings, &mut hits);
            }
            Word::Pem => {
                if found.start() < blocked {
                    continue;
                }
                if let Some(block) = block::private_key(text, found.start()) {
                    blocked = block.all.end;
                    let confidence = if block.encrypted { 80 } else { 96 };
                    hits.push(Hit {
                        rule: "secret-private-key".into(),
                        check: "secret-private-key".into(),
                        title: block.kind.into(),
                        provider: None,
                        confidence: lowered(confidence, surroundings.zone),
                        place: block.header,
                        all: block.all,
                        hidden: true,
                        weight: 4,
                    });
                }
            }
            Word::Authority => authority(text, found.start(), found.end(), surroundings, &mut hits),
            Word::Command => {
                if found.start() >= commanded {
                    commanded = command(text, found.start(), surroundings, &mut hits);
                }
            }
            Word::Kind => {
                if found.start() < listed {
                    continue;
                }
                let (end, values) = kubernetes::values(text, found.start());
                listed = end;
                for value in values {
                    hits.push(Hit {
                        rule: "secret-kubernetes-value".into(),
                        check: "secret-generic-assignment".into(),
                        title: "Kubernetes secret value".into(),
                        provider: None,
                        confidence: lowered(85, surroundings.zone),
                        all: value.all,
                        place: value.first,
                        hidden: true,
                        weight: 3,
                    });
                }
            }
        }
    }
    hits.extend(encoded::secrets(text, surroundings));
    settle(hits)
}

/// Of hits that overlap, keeps those with the greatest weight.
fn settle(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| {
        (b.weight, a.place.start, b.confidence, a.place.end, &a.rule).cmp(&(
            a.weight,
            b.place.start,
            a.confidence,
            b.place.end,
            &b.rule,
        ))
    });
    let mut kept: BTreeMap<usize, Hit> = BTreeMap::new();
    for hit in hits {
        let before = kept.range(..hit.all.end).next_back();
        if before.is_none_or(|(_, other)| other.all.end <= hit.all.start) {
            kept.insert(hit.all.start, hit);
        }
    }
    kept.into_values().collect()
}

/// What a place outside the product takes off the confidence.
pub(crate) fn lowered(confidence: u8, zone: Zone) -> u8 {
    let off = match zone {
        Zone::Product => 0,
        Zone::Example | Zone::Generated => 20,
        Zone::Docs => 30,
        Zone::Test | Zone::Vendored => 35,
    };
    confidence.saturating_sub(off)
}

fn window(text: &str, from: usize, to: usize) -> (usize, &str) {
    let mut from = from.min(text.len());
    let mut to = to.min(text.len());
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    (from, text.get(from..to).unwrap_or(""))
}

/// Whether a key may begin here: nothing that continues a word stands before it.
fn begins(bytes: &[u8], at: usize) -> bool {
    if at == 0 {
        return true;
    }
    let before = bytes[at - 1];
    // A piece of a word with hyphens.
    if before == b'-' && at >= 2 && bytes[at - 2].is_ascii_alphanumeric() {
        return false;
    }
    if !before.is_ascii_alphanumeric() && before != b'_' {
        return true;
    }
    // The end of an escaped line in a string, an escaped quote in a URL, and the path of a bot.
    at >= 2 && bytes[at - 2] == b'\\' && matches!(before, b'n' | b't' | b'r')
        || at >= 3 && bytes[at - 3] == b'%' && before.is_ascii_hexdigit()
        || bytes[..at].ends_with(b"/bot")
}

fn ends(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at)
        .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// How much base64 around a match says that it is a piece of something longer by chance.
const BLOB_MIN: usize = 60;

/// Whether the place is a piece of a longer text in base64, such as a picture.
fn in_blob(bytes: &[u8], place: &Range<usize>) -> bool {
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if !bytes[place.clone()].iter().all(base64) {
        return false;
    }
    let before = bytes[place.start.saturating_sub(200)..place.start]
        .iter()
        .rev()
        .take_while(|byte| base64(byte));
    let after = bytes[place.end..(place.end + 200).min(bytes.len())]
        .iter()
        .take_while(|byte| base64(byte));
    let around: Vec<u8> = before.chain(after).copied().collect();
    around.len() >= BLOB_MIN && around.contains(&b'+')
}

/// Tries a form at one of its marks.
fn formed(
    rules: &Rules,
    index: usize,
    text: &str,
    mark: Range<usize>,
    surroundings: Surroundings<'_>,
    hits: &mut Vec<Hit>,
) {
    let rule = &rules.forms[index];
    let bytes = text.as_bytes();
    if rule.back == 0 && !rule.loose && !begins(bytes, mark.start) {
        return;
    }
    let (from, area) = window(
        text,
        mark.start.saturating_sub(rule.back),
        mark.end + if rule.back > 0 { MARKED_MAX } else { rule.reach },
    );
    let Some(captures) = rules.patterns[index].captures(area) else {
        return;
    };
    let Some(secret) = captures.get(1).or_else(|| captures.get(0)) else {
        return;
    };
    let place = from + secret.start()..from + secret.end();
    let whole = captures
        .get(0)
        .map_or(place.clone(), |whole| from + whole.start()..from + whole.end());
    if rule.back > 0 && !(whole.start <= mark.start && mark.end <= whole.end) {
        return;
    }
    if !rule.loose && !begins(bytes, place.start)
        || !ends(bytes, place.end)
        || rule.closed && bytes.get(place.end) == Some(&b'-')
    {
        return;
    }
    if rule
        .unless_after
        .iter()
        .any(|before| bytes[..place.start].ends_with(before.as_bytes()))
    {
        return;
    }
    let value = &text[place.clone()];
    if in_blob(bytes, &place) {
        return;
    }
    let Some(confidence) = formed_confidence(rule, value, text, &place, surroundings) else {
        return;
    };
    hits.push(Hit {
        rule: rule.id.as_str().to_owned().into(),
        check: rule.check.as_str().to_owned().into(),
        title: rule.title.as_str().to_owned().into(),
        provider: rule.provider.clone(),
        confidence: lowered(confidence, surroundings.zone),
        all: place.clone(),
        place,
        hidden: false,
        weight: 3,
    });
}

fn formed_confidence(
    rule: &Rule,
    value: &str,
    text: &str,
    place: &Range<usize>,
    surroundings: Surroundings<'_>,
) -> Option<u8> {
    if judge::entropy(value.as_bytes()) < rule.entropy {
        return None;
    }
    let figures = judge::Figures::of(value);
    if figures.digits < rule.digits || rule.mixed && (figures.upper == 0 || figures.lower == 0 || figures.digits == 0) {
        return None;
    }
    if rule.irregular && judge::is_worded(value) {
        return None;
    }
    if !rule.context.is_empty() {
        let (_, near) = window(text, place.start.saturating_sub(NEAR), place.end + NEAR);
        let near = near.to_ascii_lowercase();
        if !rule.context.iter().any(|word| near.contains(word.as_str())) {
            return None;
        }
    }
    let mut confidence = rule.confidence;
    if !surroundings.masking {
        // The body behind the mark is judged: a mark may hold words and signs of its own.
        let body = value.get(4.min(value.len())..).unwrap_or(value);
        if judge::is_template(body) || !rule.runs && judge::has_run(body) {
            return None;
        }
        if !rule.sequence && (judge::is_sequence(body) || !rule.runs && judge::is_periodic(body)) {
            return None;
        }
        // A form that many services share says less than one of a single service.
        let doubtful = rule.provider.is_none() && rule.confidence < 90;
        if is_published(value)
            || dummy::is_altered(value)
            || doubtful && dummy::is_dummy(text, value, surroundings.zone)
            || is_shipped(rule, text, place, surroundings)
            // The key of an AI service whose form leaves no doubt may be a live one that somebody pasted as the sample.
            || !(rule.check == "secret-ai-key" && rule.confidence >= 90)
                && dummy::is_shown(text, place.start, surroundings.language)
        {
            return None;
        }
    }
    match rule.checksum.as_deref() {
        Some("crc32-base62") => {
            confidence = if checksum::crc32_base62(value) {
                99
            } else {
                confidence.saturating_sub(10)
            };
        }
        Some("jwt") => {
            let header = checksum::base64(value.split('.').next()?)?;
            let header = String::from_utf8_lossy(&header);
            if !header.trim_start().starts_with('{')
                || !header.contains("\"alg\"") && !header.contains("\"typ\"") && !header.contains("\"enc\"")
            {
                return None;
            }
            if (is_known_token(value) || checksum::is_for_everybody(value)) && !surroundings.masking {
                return None;
            }
        }
        _ => {}
    }
    Some(confidence)
}

/// How far before a field of an example its request begins.
const EXCHANGE_WITHIN: usize = 2000;

/// Whether a field stands in the body of a request or an answer that a document shows: what an interface takes, and nobody's secret.
fn is_in_documented_exchange(text: &str, assignment: &Assignment, surroundings: Surroundings<'_>) -> bool {
    let start = assignment.name.start;
    if surroundings.language != Language::Markup || !text[..start].ends_with('"') {
        return false;
    }
    let (_, before) = window(text, start.saturating_sub(EXCHANGE_WITHIN), start);
    let Some((_, block)) = before.rsplit_once("```") else {
        return false;
    };
    block.lines().any(|line| {
        let line = line.trim_start_matches(['#', '/', '<', '>', ' ']);
        let request = ["GET ", "POST ", "PUT ", "PATCH ", "DELETE "].iter().any(|method| {
            line.strip_prefix(method)
                .is_some_and(|rest| rest.starts_with(['/', 'h', '{']))
        });
        request || line.starts_with("HTTP/") || line.starts_with("Response") || line.starts_with("curl ")
    })
}

/// Whether the payload of a token says that everybody has it.
fn is_known_token(value: &str) -> bool {
    let payload = value.split('.').nth(1).and_then(checksum::base64).unwrap_or_default();
    let payload = String::from_utf8_lossy(&payload);
    RULES.issuers.iter().any(|issuer| payload.contains(issuer.as_str()))
}

/// Whether a value is meant to be seen, or is text in escapes rather than a key.
fn is_made_public(text: &str, value: &str, assignment: &Assignment) -> bool {
    // The token in the address of a stored file, which everybody who may see the file is given.
    if text[..assignment.value.start].ends_with("alt=media&token=") {
        return true;
    }
    if checksum::is_for_everybody(value) || value.starts_with("eyJ") && is_known_token(value) || judge::is_point(value)
    {
        return true;
    }
    if RULES
        .vocabulary
        .shown
        .iter()
        .any(|start| value.starts_with(start.as_str()))
    {
        return true;
    }
    if value.contains("\\u") || text[..assignment.value.start].ends_with('\\') && value.starts_with('u') {
        return true;
    }
    if assignment.basic {
        let decoded = checksum::base64(value).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let Some((user, password)) = decoded.as_deref().and_then(|pair| pair.trim().split_once(':')) else {
            return true;
        };
        return password.is_empty() || user == password || judge::is_sample(password) || judge::is_template(password);
    }
    // The key of a search box is sent to every reader; the name of its index stands beside it.
    let (_, near) = window(
        text,
        assignment.name.start.saturating_sub(NEAR),
        assignment.value.end + NEAR,
    );
    let near = near.to_ascii_lowercase();
    let index = near.contains("index") && (near.contains("appid") || near.contains("app_id"));
    value.len() == 32 && (index || near.contains("docsearch") || near.contains("searchparameters"))
}

/// How far around a key a word may stand that tells whose client it belongs to.
const CLIENT_WITHIN: usize = 600;

/// Whether a key stands in the configuration that every copy of an application brings along, or is that of a foreign client.
fn is_shipped(rule: &Rule, text: &str, place: &Range<usize>, surroundings: Surroundings<'_>) -> bool {
    if rule.shipped_in.iter().any(|file| file == surroundings.file) {
        return true;
    }
    if rule.shipped_with.is_empty() && rule.foreign_with.is_empty() {
        return false;
    }
    let near = |within: usize| {
        let (_, near) = window(text, place.start.saturating_sub(within), place.end + within);
        near.to_ascii_lowercase()
    };
    let (close, wide) = (near(2 * NEAR), near(CLIENT_WITHIN));
    // `FIREBASE_API_KEY=…` is what every browser is handed, wherever its other half stands.
    let (_, before) = window(text, place.start.saturating_sub(NEAR), place.start);
    let line = before.rsplit('\n').next().unwrap_or("").to_ascii_lowercase();
    if !rule.shipped_with.is_empty() && line.contains("firebase") && line.contains("api") {
        return true;
    }
    // The same names in a file of environment values are parted: `FIREBASE_AUTH_DOMAIN`.
    let whole = || close.replace('_', "");
    !rule.shipped_with.is_empty()
        && (rule.shipped_with.iter().all(|word| close.contains(word.as_str()))
            || rule.shipped_with.iter().all(|word| whole().contains(word.as_str())))
        || rule.foreign_with.iter().any(|word| wide.contains(word.as_str()))
}

/// Whether the owner of a key publishes it in samples.
fn is_published(value: &str) -> bool {
    RULES
        .published
        .contains(blake3::hash(value.as_bytes()).to_hex().as_str())
}

/// A name with a value.
fn assigned(text: &str, name: Range<usize>, surroundings: Surroundings<'_>, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let netrc = surroundings.file.ends_with("netrc") || surroundings.file == ".pgpass";
    let Some(assignment) = assign::value_of(bytes, name, surroundings.language, netrc) else {
        return;
    };
    let Some(value) = text.get(assignment.value.clone()) else {
        return;
    };
    let Some(name_text) = text.get(assignment.name.clone()) else {
        return;
    };
    if !could_be(value) {
        return;
    }
    // Words before the name on its line may name the service, and so may a comment behind the value.
    let (_, before) = window(text, assignment.name.start.saturating_sub(40), assignment.name.start);
    let before = before.rsplit(['\n', ';']).next().unwrap_or("");
    let (_, after) = window(text, assignment.value.end, assignment.value.end + 80);
    let after = after.split('\n').next().unwrap_or("");
    let comment = after
        .find("# ")
        .or_else(|| after.find("// "))
        .map_or("", |at| &after[at..]);
    let named = name::tell(name_text, &[before, comment]);
    let Some((confidence, weight)) = judged(&named, value, &assignment, surroundings) else {
        return;
    };
    // A value without quotes is an expression in most languages, unless nobody would name a thing so.
    let code =
        surroundings.language.is_code() && !matches!(surroundings.language, Language::Shell | Language::Notebook);
    if !assignment.quoted
        && !assignment.headed
        && code
        && (named.service.is_none() || confidence <= 45 || value.contains(['.', '_']))
    {
        return;
    }
    if !surroundings.masking
        && (judge::stand_in(value) == Some(StandIn::Plain)
            || judge::encodes_stand_in(value)
            || is_published(value)
            || dummy::is_shown(text, assignment.name.start, surroundings.language))
    {
        return;
    }
    if !surroundings.masking
        && (is_made_public(text, value, &assignment)
            || is_in_documented_exchange(text, &assignment, surroundings)
            || RULES.forms.iter().any(|rule| {
                rule.prefixes.iter().any(|mark| value.starts_with(mark.as_str()))
                    && is_shipped(rule, text, &assignment.value, surroundings)
            }))
    {
        return;
    }
    // What stands in the query of a URL was made to be passed on, and mostly for a short time.
    let query = assignment.name.start > 0 && matches!(bytes[assignment.name.start - 1], b'?' | b'&');
    if query && named.service.is_none() && name_text.to_ascii_lowercase().ends_with("token") {
        return;
    }
    let confidence = if query {
        confidence.saturating_sub(20)
    } else {
        confidence
    };
    if !surroundings.masking && is_idle(text, value, &named, &assignment, surroundings) {
        return;
    }
    let hidden = named.sense == Sense::Password || named.sense == Sense::Plain;
    let (rule, check, title, provider): (Cow<'static, str>, Cow<'static, str>, Cow<'static, str>, Option<String>) =
        match (&named.service, named.sense) {
            (_, Sense::Password) => (
                "secret-password".into(),
                "secret-generic-assignment".into(),
                "Password".into(),
                None,
            ),
            (Some((group, service)), _) => (
                "secret-named-key".into(),
                RULES.groups[*group].check.clone().into(),
                format!("Service key or token named `{service}`").into(),
                Some(service.clone()),
            ),
            (None, Sense::Token) => (
                "secret-generic-token".into(),
                "secret-generic-assignment".into(),
                "Token or secret".into(),
                None,
            ),
            _ => (
                "secret-generic-key".into(),
                "secret-generic-assignment".into(),
                "Key".into(),
                None,
            ),
        };
    hits.push(Hit {
        rule,
        check,
        title,
        provider,
        confidence: lowered(confidence, surroundings.zone),
        all: assignment.value.clone(),
        place: assignment.value,
        hidden,
        weight,
    });
}

/// Whether a value that only its name identifies is a dummy: in a commented-out line, or invented for a test.
///
/// The key of a service in a comment is one all the same, as is a password that nobody would think up: whoever reads the file has them.
fn is_idle(text: &str, value: &str, named: &Name, assignment: &Assignment, surroundings: Surroundings<'_>) -> bool {
    // A signed token says by its form that a service gave it out.
    let chosen = (named.sense != Sense::Password || !judge::is_random(value)) && !value.contains(".eyJ");
    named.service.is_none() && chosen && dummy::is_commented_out(text, assignment.name.start, surroundings.language)
        || named.sense != Sense::Password && dummy::is_dummy(text, value, surroundings.zone)
}

/// Whether a value has the characters of a secret at all.
fn could_be(value: &str) -> bool {
    let key = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'_' | b'-' | b'.');
    if value.len() > LONG_VALUE {
        return value.trim_end_matches('=').bytes().all(key);
    }
    value.len() >= 6 && value.bytes().all(|b| b.is_ascii_graphic())
}

/// Whether the value of a name is a secret, how sure that is, and how much it weighs against others at the place.
fn judged(named: &Name, value: &str, assignment: &Assignment, surroundings: Surroundings<'_>) -> Option<(u8, u8)> {
    if named.sense == Sense::Plain {
        return None;
    }
    let typed = judge::is_sequence(value) || judge::is_periodic(value);
    if value.contains("://") || is_path(value) {
        return None;
    }
    let quiet = matches!(surroundings.zone, Zone::Test | Zone::Vendored | Zone::Generated);
    if named.sense == Sense::Password {
        return password(value, typed, assignment, surroundings, named.service.is_some())
            .map(|confidence| (confidence, 1));
    }
    // Keys hold no braces; formats that make them do.
    if value.contains(['{', '}']) {
        return None;
    }
    if let Some((group, service)) = &named.service {
        let sure = RULES.groups[*group].confidence;
        if judge::is_uuid(value) {
            return Some((
                if typed || value.starts_with("123e4567") {
                    45
                } else {
                    sure - 5
                },
                2,
            ));
        }
        if typed {
            return (is_usual_length(value) && !quiet && !judge::has_run(value)).then_some((45, 2));
        }
        let figures = judge::Figures::of(value);
        if figures.digits == figures.length {
            return (figures.length >= 15 && figures.entropy >= 2.5 && named.sense == Sense::Token).then_some((60, 2));
        }
        // Keys that begin so have a form of their own, and what is shorter than any of them shows where one belongs.
        if PREFIXES.iter().any(|start| value.starts_with(start)) && value.len() < SK_BYTES_MIN {
            return None;
        }
        if judge::is_random(value) && value.len() >= 12 && !names_itself(value, service) && !names_a_model(value) {
            return Some((sure, 2));
        }
        return None;
    }
    if quiet && named.sense == Sense::Key || typed {
        return None;
    }
    if named.sense == Sense::Token {
        if judge::is_uuid(value) {
            return (!quiet).then_some((60, 1));
        }
        let digits = value.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        return (value.len() >= 14 && judge::is_random(value) && !digits && !is_digest(value)).then_some((75, 1));
    }
    (value.len() >= 15
        && judge::is_random(value)
        && !judge::is_uuid(value)
        && !is_digest(value)
        && !value.contains(['.', ':', '/']))
    .then_some((62, 1))
}

/// What stands in front of keys of many services.
const PREFIXES: [&str; 7] = [
    "sk-", "sk_test_", "sk_live_", "pk_test_", "pk_live_", "rk_test_", "rk_live_",
];

/// No service gives out keys with such a piece in front that are shorter.
const SK_BYTES_MIN: usize = 24;

/// Whether a value holds the name of its service: then it names a model or a package of it.
fn names_itself(value: &str, service: &str) -> bool {
    service.len() >= 4 && name::words(value).0.contains(service)
}

/// Whether a value is the name of a model, which stands where keys stand: `NewClient(key, "gpt-3.5-turbo")`.
fn names_a_model(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.len() <= 48
        && [
            "gpt-",
            "claude-",
            "gemini-",
            "models/",
            "llama",
            "mistral",
            "mixtral",
            "deepseek-",
            "qwen",
            "text-embedding",
            "text-davinci",
            "whisper-",
            "dall-e",
            "command-r",
            "gemma",
            "phi-",
            "codestral",
            "o1-",
            "o3-",
            "o4-",
            "chatgpt-",
        ]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// Whether a value that was typed rather than made could still be a key: keys come in lengths of four, and vary.
fn is_usual_length(value: &str) -> bool {
    value.len() >= 16 && value.len().is_multiple_of(4) && judge::entropy(value.as_bytes()) >= 3.0
}

/// Whether a value is a digest with its name, or a hash of a password, from which the secret is not to be had.
fn is_digest(value: &str) -> bool {
    [
        "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha1:", "sha512:", "md5:", "md5-", "h1:", "pbkdf2",
        "$2a$", "$2b$", "$2y$", "$argon2", "bcrypt", "sha1$", "md5$", "scrypt",
    ]
    .iter()
    .any(|start| value.starts_with(start))
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~', '\\']) && !value.ends_with('=') && value.matches(['/', '\\']).count() >= 2
        || value.starts_with("./")
        || value.starts_with("../")
        || [
            ".json", ".pem", ".key", ".crt", ".p12", ".jks", ".txt", ".yaml", ".yml", ".py", ".ts", ".js", ".go",
            ".html", ".md", ".com", ".org", ".net", ".io",
        ]
        .iter()
        .any(|ending| value.ends_with(ending))
}

/// Whether the value of a password is one: people choose them, so that they need not look random.
fn password(
    value: &str,
    typed: bool,
    assignment: &Assignment,
    surroundings: Surroundings<'_>,
    service: bool,
) -> Option<u8> {
    if judge::is_sample(value) || is_digest(value) || value.len() > 200 {
        return None;
    }
    if judge::is_random(value) && !typed {
        return Some(if assignment.quoted { 80 } else { 74 });
    }
    // Documents show how something is written, and a password in them is meant only where nobody would think it up.
    let quiet = surroundings.zone != Zone::Product || surroundings.language == Language::Markup;
    if service && typed && is_usual_length(value) {
        return Some(45);
    }
    if quiet || typed || value.len() < 8 {
        return None;
    }
    let figures = judge::Figures::of(value);
    let letters = figures.upper + figures.lower;
    // Code and attributes are written with dots, brackets and sharp signs as well.
    if figures.digits >= 1
        && letters >= 4
        && !value.contains(['.', '(', ')', '[', ']', '{', '}', '=', '/', ':', '#', '|', '<', '>'])
    {
        let named = judge::is_worded(value) && value.contains(['-', '_']);
        return (!named).then_some(if assignment.quoted { 65 } else { 55 });
    }
    None
}

/// A URL with a password.
fn authority(text: &str, sign: usize, at: usize, surroundings: Surroundings<'_>, hits: &mut Vec<Hit>) {
    let Some((user, password, host)) = url::userinfo(text, at) else {
        return;
    };
    let (user, value) = (&text[user], &text[password.clone()]);
    let product = surroundings.zone == Zone::Product;
    let confidence = match url::password_confidence(user, value, host, product) {
        Some(confidence) => confidence,
        None if surroundings.masking && !value.is_empty() => 50,
        None => return,
    };
    let scheme = text[..sign]
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'))
        .next()
        .unwrap_or("");
    let web = matches!(scheme, "http" | "https" | "git+https" | "ftp");
    hits.push(Hit {
        rule: if web {
            "secret-url-password"
        } else {
            "secret-connection-string"
        }
        .into(),
        check: "secret-connection-string".into(),
        title: if web {
            "Password in a URL"
        } else {
            "Password in a connection string"
        }
        .into(),
        provider: None,
        confidence,
        all: password.clone(),
        place: password,
        hidden: true,
        weight: 2,
    });
}

/// A command with a user and a password; returns where it ends.
fn command(text: &str, at: usize, surroundings: Surroundings<'_>, hits: &mut Vec<Hit>) -> usize {
    let (end, credential) = url::curl_user(text, at);
    let Some((user, password)) = credential else {
        return end;
    };
    let (user, value) = (&text[user], &text[password.clone()]);
    let strong = value.len() >= 6 && value.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_punctuation());
    let plain = user.contains(['$', '<', '{', '`'])
        || value.contains(['{', '<', '(', '`', '['])
        || judge::stand_in(value) == Some(StandIn::Plain);
    if !strong || plain || user == value || judge::is_sample(value) || surroundings.zone == Zone::Test {
        return end;
    }
    hits.push(Hit {
        rule: "secret-command-password".into(),
        check: "secret-generic-assignment".into(),
        title: "Password in a command".into(),
        provider: None,
        confidence: lowered(70, surroundings.zone),
        all: password.clone(),
        place: password,
        hidden: true,
        weight: 1,
    });
    end
}

/// What is shown of a secret.
pub(crate) fn masked(secret: &str, hidden: bool) -> String {
    let mut shown = String::new();
    if !hidden && secret.len() >= 16 {
        shown.extend(secret.chars().take(4));
    }
    shown.push_str("****");
    shown
}

/// Takes every secret out of a text: what stays is up to four characters and `****`.
///
/// It errs on the side of masking: what [`crate::read`] would call a sample is masked as well.
pub fn mask(text: &str) -> Cow<'_, str> {
    masked_text(text, false)
}

/// Takes those secrets out of a text that its single lines do not show for what they are: blocks of lines and values in
/// base64. The text keeps its lines, and a key in PEM form its first one.
pub fn mask_lines(text: &str) -> Cow<'_, str> {
    masked_text(text, true)
}

fn masked_text(text: &str, by_line: bool) -> Cow<'_, str> {
    let surroundings = Surroundings {
        language: Language::Other,
        zone: Zone::Product,
        file: "",
        masking: true,
        depth: 0,
    };
    let mut hits = find(text, surroundings);
    if by_line {
        hits.retain(|hit| hit.weight > 3 || hit.rule == "secret-kubernetes-value");
    }
    if hits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for hit in hits {
        let start = if by_line && hit.rule == "secret-private-key" {
            hit.place.end
        } else {
            hit.all.start
        };
        out.push_str(&text[at..start]);
        let secret = &text[start..hit.all.end];
        out.push_str(&masked(secret, hit.hidden));
        if by_line {
            for _ in 0..secret.matches('\n').count() {
                out.push_str("\n****");
            }
        }
        at = hit.all.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}
