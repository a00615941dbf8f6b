//! How a target is spoken to in a run, without its secrets: what must be the same when the run goes on.

use engine_eval::TargetSettings;
use engine_signing::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mask::Mask;

/// The form of requests. Texts are kept by their digest only; secrets are left out of it, so that a key may change between
/// the parts of a run, and nobody can try keys against the digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Form {
    request_template: Option<String>,
    response_path: Option<String>,
    system_prompt: Option<String>,
    model: Option<String>,
    /// The form that was found; known once the target has answered.
    #[serde(default)]
    pub(super) adapter: Option<String>,
}

impl Form {
    pub(super) fn of(settings: &TargetSettings) -> Self {
        let mask = Mask::of(settings);
        let clean = |text: &String| {
            let mut text = text.clone();
            mask.text(&mut text);
            text
        };
        let digest = |text: String| Digest::of(text.as_bytes()).to_string();
        let template = settings.request_template.as_ref().map(|given| {
            // A template may come as a string of JSON; spaces and the order of fields are no difference.
            let mut template = match given {
                Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| given.clone()),
                other => other.clone(),
            };
            mask.value(&mut template);
            engine_signing::canonical(&template).unwrap_or_else(|_| template.to_string().into_bytes())
        });
        Self {
            request_template: template.map(|bytes| Digest::of(&bytes).to_string()),
            response_path: settings.response_path.clone(),
            system_prompt: settings.system_prompt.as_ref().map(clean).map(digest),
            model: settings.model.as_ref().map(clean),
            adapter: None,
        }
    }

    /// The first field of a request that is not as it was.
    pub(super) fn differs(&self, now: &Self) -> Option<&'static str> {
        [
            ("requestTemplate", &self.request_template, &now.request_template),
            ("responsePath", &self.response_path, &now.response_path),
            ("systemPrompt", &self.system_prompt, &now.system_prompt),
            ("model", &self.model, &now.model),
        ]
        .into_iter()
        .find_map(|(field, before, now)| (before != now).then_some(field))
    }
}

#[cfg(test)]
mod tests {
    use engine_eval::Key;
    use serde_json::json;

    use super::*;

    fn settings() -> TargetSettings {
        TargetSettings {
            target: "http://127.0.0.1/x".to_owned(),
            model: Some("m".to_owned()),
            api_key: Some(Key::new("FirstKey-81kQp0")),
            request_template: Some(json!({"q": "{{prompt}}", "api_key": "TemplateSecret1"})),
            system_prompt: Some("Be brief.".to_owned()),
            response_path: Some("a.b".to_owned()),
            ..TargetSettings::default()
        }
    }

    #[test]
    fn a_form_is_the_same_with_other_keys_and_another_spelling_of_its_template() {
        let before = Form::of(&settings());
        let mut other = settings();
        other.api_key = Some(Key::new("SecondKey-77aaZx"));
        other.request_template = Some(Value::String(
            "{\"api_key\" : \"TemplateSecret2\", \"q\":\"{{prompt}}\"}".to_owned(),
        ));
        assert_eq!(before.differs(&Form::of(&other)), None);
        let kept = serde_json::to_string(&before).unwrap();
        assert!(!kept.contains("brief") && !kept.contains("TemplateSecret"), "{kept}");
    }

    #[test]
    fn every_part_that_changes_what_is_asked_is_told_by_its_name() {
        let before = Form::of(&settings());
        let changed = |change: fn(&mut TargetSettings)| {
            let mut other = settings();
            change(&mut other);
            before.differs(&Form::of(&other))
        };
        assert_eq!(changed(|s| s.model = None), Some("model"));
        assert_eq!(
            changed(|s| s.system_prompt = Some("Be long.".to_owned())),
            Some("systemPrompt")
        );
        assert_eq!(changed(|s| s.response_path = None), Some("responsePath"));
        assert_eq!(
            changed(|s| s.request_template = Some(json!({"frage": "{{prompt}}"}))),
            Some("requestTemplate")
        );
    }
}
