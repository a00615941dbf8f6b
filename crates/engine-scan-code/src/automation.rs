//! Requests whose address is not in the code: workflows of an automation platform with a model behind them, and
//! settings for which only the sample environment file names the service.

use engine_catalogue::words_of;

use crate::arguments::Site;
use crate::identity::{Identity, host_name};
use crate::shapes::Match;
use crate::values::{ExprRef, Part, render};
use crate::world::World;

/// Pieces of addresses at which a platform starts a flow that somebody drew.
pub(crate) const FLOWS: [&str; 6] = [
    "/webhook/",
    "/webhook-test/",
    "hook.make.com",
    "/api/v1/prediction/",
    "/api/v1/run/",
    "n8n.cloud",
];

/// Parts of settings that are named after such a platform, in lower case.
pub(crate) const PLATFORMS: [&str; 5] = ["n8n", "flowise", "langflow", "make_webhook", "dify"];

/// The header with which the services of Azure that look, listen and read are asked.
const AZURE_HEADER: &str = "ocp-apim-subscription-key";

/// Words with which people name what answers them. A flow alone is no AI.
const NAMES: [&str; 13] = [
    "ai", "chatbot", "chat", "llm", "gpt", "chatgpt", "openai", "gemini", "claude", "mistral", "ollama", "copilot",
    "rag",
];

/// Whether a setting is named after a flow behind which an AI stands: `N8N_CHAT_URL`, `CHATBOT_WEBHOOK_URL`.
pub(crate) fn names_flow(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let hook = lower.contains("webhook") && words_of(name).iter().any(|word| NAMES.contains(&word.as_str()));
    hook || PLATFORMS
        .iter()
        .any(|platform| lower.starts_with(platform) || lower.contains(&format!("_{platform}")))
        && ["url", "uri", "endpoint", "webhook", "host"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Whether a text in a file says that it may ask one of these.
pub(crate) fn names_header(text: &str) -> bool {
    text.len() == AZURE_HEADER.len() && text.eq_ignore_ascii_case(AZURE_HEADER)
}

/// Whether a name says that an AI is behind what it names.
fn names_ai(name: &str) -> bool {
    words_of(name).iter().any(|word| NAMES.contains(&word.as_str()))
}

/// Whether an address starts a flow of a platform: by its host, its port, or a path that only such a platform has.
fn is_flow(address: &str) -> bool {
    let host = host_name(address);
    let by_platform = PLATFORMS.iter().any(|platform| host.contains(platform))
        || host.starts_with("hook.") && host.ends_with("make.com")
        || address.contains(":5678/");
    let lower = address.to_ascii_lowercase();
    by_platform && FLOWS.iter().any(|piece| lower.contains(piece))
        || lower.contains("/api/v1/prediction/") && host.contains("flow")
        || host.starts_with("hook.") && host.ends_with("make.com")
}

impl World<'_> {
    /// A request that starts a flow of a platform, where the address, the setting or the code around it is named after an AI. Who
    /// answers there the flow tells, and not the code.
    pub(crate) fn asks_a_flow(&self, site: &Site<'_>, hit: Match, addresses: &[Vec<Part>]) -> Option<Identity> {
        if matches!(site.path.last_name(), Some("get" | "Get" | "GetAsync")) {
            return None;
        }
        let (address, text) = addresses.iter().find_map(|parts| {
            let text = render(parts);
            let set = parts
                .iter()
                .any(|part| matches!(part, Part::Env(name) if names_flow(name)));
            (set || is_flow(&text)).then_some((parts, text))
        })?;
        let settings = address
            .iter()
            .chain(addresses.iter().flatten())
            .any(|part| matches!(part, Part::Env(name) if names_ai(name)));
        let path = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
        let path = path.split_once('/').map_or("", |(_, path)| path);
        let named =
            settings || path.split(|c: char| !c.is_ascii_alphanumeric()).any(names_ai) || self.is_around_named(site.at);
        if !named {
            return None;
        }
        let asks = hit
            .shape
            .body
            .iter()
            .any(|reference| !self.refer(site, reference).is_empty());
        let host = host_name(&text);
        asks.then(|| Identity {
            host: (!host.is_empty() && !host.contains("{}")).then_some(host),
            address: text.contains("://").then_some(text),
            ..Identity::default()
        })
    }

    /// Whether the function, class or file around a place is named after an AI.
    fn is_around_named(&self, at: ExprRef) -> bool {
        let index = self.index(at.0);
        let class = index
            .class_of_scope(index.expr_scope[at.1.0 as usize])
            .and_then(|class| index.module.class(class).name.as_deref());
        let function = index
            .named_function_of(at.1)
            .and_then(|function| index.module.function(function).name.as_deref());
        let path = self.unit(at.0).path;
        // A handler in a file of its own is named by its folder: `app/api/chat/route.ts`.
        let folder = path.rsplit('/').nth(1).unwrap_or("");
        class.is_some_and(names_ai)
            || function.is_some_and(names_ai)
            || names_ai(crate::project::stem(path))
            || names_ai(folder)
    }

    /// A request to an address that only the environment holds, where the sample of an environment file names the service.
    pub(crate) fn asks_by_its_sample(&self, addresses: &[Vec<Part>]) -> Option<Vec<Part>> {
        addresses.iter().find_map(|parts| {
            let set = parts.iter().find_map(|part| match part {
                Part::Env(name) => self.paths.settings().sample(name),
                _ => None,
            })?;
            let whole = parts.iter().map(|part| match part {
                Part::Env(name) if self.paths.settings().sample(name) == Some(set) => Part::Known(set.into()),
                part => part.clone(),
            });
            Some(whole.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{is_flow, names_flow};

    #[test]
    fn a_setting_of_a_flow_names_a_platform_or_an_ai() {
        for name in [
            "N8N_URL",
            "CHATBOT_WEBHOOK_URL",
            "AI_WEBHOOK_URL",
            "NEXT_PUBLIC_N8N_WEBHOOK",
            "FLOWISE_API_ENDPOINT",
        ] {
            assert!(names_flow(name), "{name}");
        }
        for name in [
            "WEBHOOK_URL",
            "STRIPE_WEBHOOK_SECRET",
            "CHAT_URL",
            "MODIFY_URL",
            "MAIL_WEBHOOK_URL",
        ] {
            assert!(!names_flow(name), "{name}");
        }
    }

    #[test]
    fn an_address_of_a_flow_is_told_by_platform_and_path() {
        for address in [
            "https://n8n.acme.com/webhook/support-chat",
            "http://10.0.0.1:5678/webhook/x",
            "https://hook.eu1.make.com/abcdef",
            "https://flowise.acme.com/api/v1/prediction/1",
        ] {
            assert!(is_flow(address), "{address}");
        }
        for address in [
            "https://acme.com/webhook/chat",
            "https://n8n.acme.com/login",
            "https://api.stripe.com/webhook/ai",
        ] {
            assert!(!is_flow(address), "{address}");
        }
    }
}
