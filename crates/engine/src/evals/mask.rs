//! Secrets that a caller hands over for the target, taken out of everything that comes back.

use std::collections::BTreeMap;

use engine_eval::{TargetSettings, Turn};
use engine_outbound::Target;
use serde_json::Value;

/// What stands in the place of a secret.
const MASK: &str = "[secret]";

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

/// The secrets of a run in every form in which a target may send them back, the longest first.
#[derive(Clone, Default)]
pub(super) struct Mask(Vec<String>);

impl Mask {
    pub(super) fn of(settings: &TargetSettings) -> Self {
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
        if let Some(query) = Target::parse(&settings.target).ok().as_ref().and_then(Target::query) {
            values.extend(
                query
                    .split('&')
                    .filter_map(|pair| Some(pair.split_once('=')?.1.to_owned())),
            );
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
        let mut forms: Vec<String> = values
            .iter()
            .map(|value| value.trim())
            .filter(|value| {
                value.chars().count() >= LETTERS_MIN && !matches!(*value, "Bearer" | "bearer" | "Basic" | "Digest")
            })
            .flat_map(forms)
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        Self(forms)
    }

    /// Whether there is nothing to take out.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text without the secrets.
    pub(super) fn text(&self, text: &mut String) {
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MASK);
            }
        }
    }

    /// A value without the secrets, in its texts and in the names of its fields.
    pub(super) fn value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                let named: Vec<String> = fields.keys().filter(|name| self.finds(name)).cloned().collect();
                for name in named {
                    if let Some(value) = fields.remove(&name) {
                        let mut clean = name;
                        self.text(&mut clean);
                        fields.insert(clean, value);
                    }
                }
                fields.values_mut().for_each(|field| self.value(field));
            }
            _ => {}
        }
    }

    /// A reply without the secrets.
    pub(super) fn turn(&self, turn: &mut Turn) {
        if self.is_empty() {
            return;
        }
        self.text(&mut turn.response);
        self.value(&mut turn.body);
        turn.headers = std::mem::take(&mut turn.headers)
            .into_iter()
            .map(|(mut name, mut value)| {
                self.text(&mut name);
                self.text(&mut value);
                (name, value)
            })
            .collect::<BTreeMap<_, _>>();
    }

    fn finds(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text.contains(secret.as_str()))
    }
}

/// A secret as it is, in base64, percent-encoded, and as it stands in JSON.
fn forms(value: &str) -> Vec<String> {
    let base64 = data_encoding::BASE64_NOPAD.encode(value.as_bytes());
    let percent = value.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&data_encoding::HEXUPPER.encode(&[byte]));
        }
        out
    });
    let json = Value::String(value.to_owned()).to_string();
    let mut all = vec![value.to_owned(), base64, percent, json.trim_matches('"').to_owned()];
    // What `Basic` carries in base64 may come back as it was meant.
    if let Ok(bytes) = data_encoding::BASE64.decode(value.as_bytes())
        && let Ok(text) = String::from_utf8(bytes)
        && text.contains(':')
    {
        all.extend(text.split_once(':').map(|(_, password)| password.to_owned()));
        all.push(text);
    }
    all.retain(|form| form.len() >= LETTERS_MIN);
    all
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
mod tests {
    use engine_eval::Key;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_caller_hands_over_is_found_in_every_form() {
        let key = ["sk", "Zx81kQp0", "77aa"].join("-");
        let settings = TargetSettings {
            target: "https://h/x?sig=QuerySecret99".to_owned(),
            headers: [
                ("Authorization".to_owned(), Key::new(format!("Bearer {key}"))),
                ("Content-Type".to_owned(), Key::new("application/json")),
            ]
            .into(),
            request_template: Some(
                json!({"user": {"api_key": "TemplateSecret1"}, "model": "some-model-name", "q": "{{prompt}}"}),
            ),
            ..TargetSettings::default()
        };
        let mask = Mask::of(&settings);
        let mut turn = Turn {
            response: format!(
                "You sent Bearer {key}, TemplateSecret1 and QuerySecret99 as application/json to some-model-name"
            ),
            body: json!({ key.clone(): [data_encoding::BASE64.encode(key.as_bytes())] }),
            headers: [("x-echo".to_owned(), key.clone())].into(),
            ..Turn::default()
        };
        mask.turn(&mut turn);
        let told = serde_json::to_string(&turn).unwrap();
        for secret in [
            key.as_str(),
            "TemplateSecret1",
            "QuerySecret99",
            &data_encoding::BASE64_NOPAD.encode(key.as_bytes()),
        ] {
            assert!(!told.contains(secret), "{secret} in {told}");
        }
        assert!(
            told.contains("application/json") && told.contains("some-model-name"),
            "{told}"
        );
    }
}
