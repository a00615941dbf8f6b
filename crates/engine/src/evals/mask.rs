//! Secrets that a caller hands over for the target, taken out of everything that comes back.

use std::collections::BTreeMap;

use engine_eval::{TargetSettings, Turn};
use engine_outbound::Target;
use serde_json::Value;

use super::spellings::Spellings;

/// Shorter values are words that stand everywhere, and masking them would only hide the reply.
const LETTERS_MIN: usize = 6;

/// Headers that say how a message is written and hold no secret.
const PLAIN: [&str; 6] = [
    "accept",
    "accept-language",
    "accept-encoding",
    "content-type",
    "user-agent",
    "x-request-id",
];

/// Names of fields whose values are secrets.
const TELLING: [&str; 8] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "auth",
    "credential",
    "cookie",
];

/// Fields of a result that quote what a target said. Everything else is in the engine's own words.
const QUOTING: [&str; 12] = [
    "response",
    "reply",
    "answer",
    "replies",
    "turns",
    "transcript",
    "reason",
    "message",
    "evidence",
    "excerpt",
    "found",
    "model",
];

/// The secrets of a run, found in every spelling in which a target may send them back.
#[derive(Clone, Default)]
pub(crate) struct Mask(Spellings);

impl Mask {
    pub(crate) fn of(settings: &TargetSettings) -> Self {
        let mut values = Vec::new();
        if let Some(key) = &settings.api_key {
            values.push(key.reveal().to_owned());
        }
        for (name, value) in &settings.headers {
            if !PLAIN.contains(&name.to_ascii_lowercase().as_str()) {
                values.push(value.reveal().to_owned());
                // `Bearer abc`, `session=abc; other=def`: the parts are secrets by themselves.
                values.extend(value.reveal().split([' ', ';', ',']).map(str::to_owned));
                values.extend(value.reveal().split([' ', ';', ',', '=']).map(str::to_owned));
            }
        }
        if let Ok(target) = Target::parse(&settings.target) {
            let pairs = target.query().unwrap_or_default().split('&');
            values.extend(pairs.filter_map(|pair| Some(pair.split_once('=')?.1.to_owned())));
            values.extend(target.secret_segments().map(str::to_owned));
        }
        match &settings.request_template {
            Some(Value::String(text)) => {
                if let Ok(template) = serde_json::from_str(text) {
                    of_template(&template, false, &mut values);
                }
            }
            Some(template) => of_template(template, false, &mut values),
            None => {}
        }
        let mut secrets: Vec<String> = values.iter().flat_map(|value| with_parts(value)).collect();
        secrets.retain(|value| value.chars().count() >= LETTERS_MIN && !is_scheme(value));
        secrets.sort_unstable();
        secrets.dedup();
        Self(Spellings::of(&secrets))
    }

    /// Whether there is nothing to take out.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text without the secrets.
    pub(crate) fn text(&self, text: &mut String) {
        if let Some(masked) = self.0.masked(text, true) {
            *text = masked;
        }
    }

    /// A value without the secrets, in its texts. Names of fields stay, unless one holds a secret that is no everyday word.
    pub(crate) fn value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                let named: Vec<(String, String)> = fields
                    .keys()
                    .filter_map(|name| Some((name.clone(), self.0.masked(name, false)?)))
                    .collect();
                for (name, clean) in named {
                    if let Some(value) = fields.remove(&name) {
                        fields.insert(clean, value);
                    }
                }
                fields.values_mut().for_each(|field| self.value(field));
            }
            _ => {}
        }
    }

    /// A result without the secrets: the texts that quote a target. Names of fields and the engine's own words stay as they are,
    /// so that it remains a result.
    pub(crate) fn result(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.result(item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if QUOTING.contains(&name.as_str()) {
                        self.quoted(field);
                    } else {
                        self.result(field);
                    }
                }
            }
            _ => {}
        }
    }

    /// Texts below a field that quotes.
    fn quoted(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.quoted(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.quoted(field)),
            _ => {}
        }
    }

    /// A reply without the secrets.
    pub(crate) fn turn(&self, turn: &mut Turn) {
        if self.is_empty() {
            return;
        }
        self.text(&mut turn.response);
        self.value(&mut turn.body);
        turn.headers = std::mem::take(&mut turn.headers)
            .into_iter()
            .map(|(name, mut value)| {
                let name = self.0.masked(&name, false).unwrap_or(name);
                self.text(&mut value);
                (name, value)
            })
            .collect::<BTreeMap<_, _>>();
    }
}

fn is_scheme(value: &str) -> bool {
    ["bearer", "basic", "digest", "apikey", "token"]
        .iter()
        .any(|scheme| value.eq_ignore_ascii_case(scheme))
}

/// A value with everything in it that a target may take for the value itself: without quotes, decoded, and its halves.
fn with_parts(value: &str) -> Vec<String> {
    let bare = value.trim().trim_matches(['"', '\'']).to_owned();
    let mut all = vec![value.trim().to_owned(), bare.clone()];
    let decoded = percent_decoded(&bare);
    if decoded != bare {
        all.push(decoded.replace('+', " "));
        all.push(decoded);
    }
    // What `Basic` carries in base64 may come back as it was meant.
    let standard = bare.replace('-', "+").replace('_', "/");
    let standard = standard.trim_end_matches('=');
    let decoded = data_encoding::BASE64_NOPAD.decode(standard.as_bytes()).ok();
    let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some(text) = text.filter(|text| !text.chars().any(char::is_control))
        && (text.contains(':') || bare.len() >= 16)
    {
        all.push(text);
    }
    let halves: Vec<String> = all
        .iter()
        .filter(|one| !one.contains("://"))
        .filter_map(|one| one.split_once(':'))
        .flat_map(|(user, password)| [user.trim().to_owned(), password.trim().to_owned()])
        .collect();
    all.extend(halves);
    all
}

/// A text with its percent signs decoded, as far as they are UTF-8.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Values of a template that its field calls secret, or that look like one.
fn of_template(value: &Value, secret: bool, out: &mut Vec<String>) {
    match value {
        Value::String(text) if secret || engine_scanner::mask_secrets(text) != *text => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| of_template(item, secret, out)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = name.to_ascii_lowercase();
                let telling = !name.starts_with("max") && TELLING.iter().any(|word| name.contains(word));
                of_template(field, secret || telling, out);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
