//! Names of settings that hold what a model service asks for: its key, its address, its model.

/// What the names of such settings begin with, the owner of the service.
const OWNERS: [&str; 22] = [
    "ANTHROPIC",
    "ASSEMBLYAI",
    "AZURE_OPENAI",
    "CHATGPT",
    "CLAUDE",
    "COHERE",
    "DASHSCOPE",
    "DEEPGRAM",
    "DEEPSEEK",
    "ELEVENLABS",
    "GEMINI",
    "GROQ",
    "HUGGINGFACE",
    "HUGGINGFACEHUB",
    "LLM",
    "MISTRAL",
    "OLLAMA",
    "OPENAI",
    "OPENROUTER",
    "PERPLEXITY",
    "XAI",
    "ZHIPUAI",
];

/// What build tools want in front of a name, so that it reaches the browser.
const OPENINGS: [&str; 6] = [
    "EXPO_PUBLIC_",
    "NEXT_PUBLIC_",
    "NUXT_",
    "PUBLIC_",
    "REACT_APP_",
    "VITE_",
];

/// What stands behind the owner.
const HELD: [&str; 12] = [
    "ACCESS_TOKEN",
    "API_BASE",
    "API_KEY",
    "API_TOKEN",
    "API_URL",
    "BASE_URL",
    "ENDPOINT",
    "HOST",
    "KEY",
    "SECRET",
    "TOKEN",
    "URL",
];

/// Names whose first word is many a thing's.
const WHOLE: [&str; 4] = [
    "FIREWORKS_API_KEY",
    "MOONSHOT_API_KEY",
    "REPLICATE_API_TOKEN",
    "TOGETHER_API_KEY",
];

/// Whether a text is the name of a setting that holds the key or the address of a model service: `OPENAI_API_KEY`.
#[must_use]
pub fn is_setting_of_a_model_service(text: &str) -> bool {
    let name = OPENINGS
        .iter()
        .find_map(|opening| text.strip_prefix(opening))
        .unwrap_or(text);
    let is_held = |owner: &str| {
        let held = name.strip_prefix(owner).and_then(|rest| rest.strip_prefix('_'));
        held.is_some_and(|held| HELD.contains(&held))
    };
    WHOLE.contains(&name) || OWNERS.iter().any(|owner| is_held(owner))
}

#[cfg(test)]
mod tests {
    use super::is_setting_of_a_model_service;

    #[test]
    fn names_of_keys_and_addresses_are_known_and_words_in_other_names_are_not() {
        for name in [
            "OPENAI_API_KEY",
            "VITE_GEMINI_API_KEY",
            "AZURE_OPENAI_ENDPOINT",
            "OLLAMA_HOST",
            "LLM_BASE_URL",
            "TOGETHER_API_KEY",
        ] {
            assert!(is_setting_of_a_model_service(name), "{name}");
        }
        for name in [
            "OPENAI",
            "API_KEY",
            "OPENAI_SLUG",
            "openai_api_key",
            "MY_OPENAI_API_KEY_LIST",
            "REPLICATE_HOST",
            "GROQ_",
            "FULLMISTRAL_KEY",
        ] {
            assert!(!is_setting_of_a_model_service(name), "{name}");
        }
    }
}
