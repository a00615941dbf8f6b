//! Providers that a framework takes from configuration: Spring properties, starters in a build file.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CallKind, Ecosystem, FileInfo, SourceText, Zone};

use crate::calls::Found;
use crate::identity::Context;
use crate::model_text::pinned;
use crate::origins::Origin;
use crate::values::Seg;
use crate::wiring::{self, Bean};
use crate::world::World;
use crate::{CodeFacts, ManifestNames};

/// What the settings of a module name.
#[derive(Clone, Debug, Default)]
struct Named {
    provider: Option<String>,
    /// The model with its place.
    model: Option<(String, Origin)>,
    /// Models that services ask for by names.
    beans: Vec<Bean>,
}

/// Keys of Spring AI with the provider that each stands for.
const SPRING: [(&str, &str); 18] = [
    ("azure.openai", "azure-openai"),
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("ollama", "ollama"),
    ("mistralai", "mistral"),
    ("vertex.ai", "google-vertex"),
    ("google.genai", "google"),
    ("bedrock", "aws-bedrock"),
    ("huggingface", "huggingface"),
    ("deepseek", "deepseek"),
    ("minimax", "minimax"),
    ("watsonx.ai", "ibm-watsonx"),
    ("community.dashscope", "alibaba"),
    ("dashscope", "alibaba"),
    ("zhipuai", "zhipu"),
    ("moonshot", "moonshot"),
    ("qianfan", "baidu"),
    ("oci.genai", "oracle"),
];

/// Starters by the end of their names.
const STARTERS: [(&str, &str); 9] = [
    ("azure-openai", "azure-openai"),
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("ollama", "ollama"),
    ("mistral-ai", "mistral"),
    ("vertex-ai-gemini", "google-vertex"),
    ("bedrock-converse", "aws-bedrock"),
    ("google-genai", "google"),
    ("deepseek", "deepseek"),
];

/// Gives records of Spring AI and of declarative services the provider that configuration names.
pub(crate) fn settle(
    world: &World<'_>,
    context: &Context<'_>,
    files: &[(&FileInfo, &CodeFacts)],
    source: &dyn SourceText,
    found: &mut [Found],
) {
    let packages: &ManifestNames = context.manifest;
    let origins = &world.origins;
    let open = |found: &Found| {
        (found.call.provider.is_none() || found.call.model.is_none())
            && found.call.kind != CallKind::McpServer
            && matches!(
                found.call.sdk.as_deref(),
                Some("spring-ai" | "spring-ai-alibaba" | "langchain4j")
            )
    };
    if !found.iter().any(open) {
        return;
    }
    // Settings belong to the module in which they lie: a project may hold many, each with a provider of its own.
    let mut modules: BTreeMap<String, Named> = BTreeMap::new();
    for (info, _) in files {
        let name = info.path.rsplit('/').next().unwrap_or("");
        let settings =
            name.starts_with("application") && [".properties", ".yml", ".yaml"].iter().any(|end| name.ends_with(end));
        if !settings || info.zone != Zone::Product {
            continue;
        }
        let Some(file) = source.file(&info.path) else { continue };
        let Some(text) = file.text() else { continue };
        let settings = properties(&text);
        let (provider, model) = spring(&settings);
        let known = modules.entry(module_of(&info.path).to_owned()).or_default();
        known.provider = known.provider.take().or(provider);
        known.model = known.model.take().or_else(|| {
            let (model, line) = model?;
            Some((model, Origin::File(origins.file(&info.path), line)))
        });
        known.beans.extend(wiring::beans(&settings, &info.path, origins));
    }
    let everywhere = started(|name| packages.contains(Ecosystem::Maven, name));
    let single = found
        .iter()
        .filter(|found| open(found))
        .map(|found| module_of(&found.call.file).to_owned())
        .collect::<BTreeSet<_>>()
        .len()
        < 2;
    let mut builds: BTreeMap<String, Option<String>> = BTreeMap::new();
    for found in found.iter_mut().filter(|found| open(found)) {
        let module = module_of(&found.call.file).to_owned();
        let near = modules
            .get(&module)
            .or_else(|| if single { modules.values().next() } else { None });
        let Named {
            mut provider,
            model,
            beans,
        } = near.cloned().unwrap_or_default();
        if is_declared(found)
            && let Some(wired) = wiring::of_call(world, found.at)
        {
            if found.call.tools.is_empty() {
                found.call.tools = wired.tools;
            }
            if let Some(name) = wired.model {
                wire(world, context, &beans, &name, found);
                continue;
            }
        }
        // What is handed in by its type is the only bean of that type.
        if found.path.segs.contains(&Seg::Typed)
            && found.call.model.is_none()
            && let Some(bean) = wiring::bean_of_type(&beans, &found.call.symbol, found.call.provider.as_deref())
        {
            ask(bean, found);
            continue;
        }
        if provider.is_none() {
            let own = builds.entry(module.clone()).or_insert_with(|| built(&module, source));
            provider.clone_from(own);
        }
        if provider.is_none() && (single || !builds.values().any(Option::is_some)) {
            provider.clone_from(&everywhere);
        }
        // A client that is told by its class has the model of its own settings, and of no others.
        if found.call.provider.is_some() {
            if found.call.provider != provider && !is_told_by_settings(found, provider.as_deref()) {
                continue;
            }
            found.call.provider.clone_from(&provider);
        } else {
            found.call.provider.clone_from(&provider);
        }
        // The settings that are read are those of the model that writes.
        let writes = ![
            "Transcription",
            "Speech",
            "Image",
            "Moderation",
            "Embedding",
            // A store has texts turned into vectors, whatever model writes elsewhere.
            "VectorStore",
            "ai.model.Model",
        ]
        .iter()
        .any(|kind| found.call.symbol.contains(kind));
        if found.call.model.is_none() && writes {
            found.call.model_pinned = model.as_ref().and_then(|(model, _)| pinned(model));
            found.model_at = model.as_ref().map(|(_, at)| *at);
            found.call.model = model.map(|(model, _)| model);
        }
    }
}

/// Whether a client that every provider of Spring gives is taken for one of a maker, while its settings name the cloud of that maker.
fn is_told_by_settings(found: &Found, provider: Option<&str>) -> bool {
    let generic = found.call.symbol.contains("ai.chat.client.ChatClient")
        || found.call.symbol.contains("ai.chat.model.ChatModel");
    let pair = (found.call.provider.as_deref(), provider);
    generic
        && found.call.host.is_none()
        && matches!(
            pair,
            (Some("google"), Some("google-vertex")) | (Some("openai"), Some("azure-openai"))
        )
}

/// Whether a record is a call of a method that a library implements by asking a model.
fn is_declared(found: &Found) -> bool {
    found.call.symbol.starts_with("dev.langchain4j.service.AiServices.")
}

/// Gives a record the model that its service names; no other one of the settings is asked.
fn wire(world: &World<'_>, context: &Context<'_>, beans: &[Bean], name: &str, found: &mut Found) {
    if let Some(bean) = wiring::bean(beans, name) {
        ask(bean, found);
    } else if let Some(given) = wiring::given_by_method(world, context, name) {
        found.call.provider = given.provider;
        found.call.host = given.host;
        found.model_at = given.model_at;
        found.call.model = given.model;
    }
    found.call.model_pinned = found.call.model.as_deref().and_then(pinned);
}

/// Gives a record the provider and the model of a bean.
fn ask(bean: &Bean, found: &mut Found) {
    found.call.provider = Some(bean.provider.clone());
    found.model_at = bean.model.as_ref().map(|(_, at)| *at);
    found.call.model = bean.model.as_ref().map(|(model, _)| model.clone());
    found.call.model_pinned = found.call.model.as_deref().and_then(pinned);
}

/// The folder of the module that a file belongs to: what lies before its sources.
fn module_of(path: &str) -> &str {
    path.split_once("src/").map_or("", |(module, _)| module)
}

/// The provider whose starter the build file of a module names.
fn built(module: &str, source: &dyn SourceText) -> Option<String> {
    ["pom.xml", "build.gradle", "build.gradle.kts"].iter().find_map(|name| {
        let file = source.file(&format!("{module}{name}"))?;
        let text = file.text()?;
        started(|starter| {
            starter
                .split_once(':')
                .is_some_and(|(_, artifact)| text.contains(artifact))
        })
    })
}

/// The provider of the first starter that is there.
fn started(has: impl Fn(&str) -> bool) -> Option<String> {
    STARTERS.iter().find_map(|(end, id)| {
        let named = [
            format!("org.springframework.ai:spring-ai-starter-model-{end}"),
            format!("org.springframework.ai:spring-ai-{end}-spring-boot-starter"),
            format!("dev.langchain4j:langchain4j-{end}-spring-boot-starter"),
            format!(
                "dev.langchain4j:langchain4j-{}-spring-boot-starter",
                end.replace("openai", "open-ai")
            ),
            format!("io.quarkiverse.langchain4j:quarkus-langchain4j-{end}"),
        ];
        named.iter().any(|name| has(name)).then(|| (*id).to_owned())
    })
}

/// The provider and the model, with its line, that properties or their YAML form name.
fn spring(settings: &[(String, String, u32)]) -> (Option<String>, Option<(String, u32)>) {
    let mut provider = None;
    let mut model = None;
    let mut elsewhere = None;
    for (key, value, line) in settings {
        let rest = key
            .strip_prefix("spring.ai.")
            .or_else(|| key.strip_prefix("quarkus.langchain4j."))
            .or_else(|| key.strip_prefix("langchain4j."));
        let Some(rest) = rest else { continue };
        let rest = rest.replace("open-ai", "openai").replace("mistral-ai", "mistralai");
        for (prefix, id) in SPRING {
            if rest.starts_with(prefix) && provider.as_deref().is_none_or(|known| known == id) {
                provider = Some(id.to_owned());
                // Many services speak the protocol of one: its client is pointed to them by an address.
                if id == "openai" && rest.ends_with("base-url") {
                    let parts = [crate::values::Part::Known(value.as_str().into())];
                    elsewhere = crate::identity::host_provider(value, &parts).and_then(|(provider, _)| provider);
                }
                let names = [
                    "chat.options.model",
                    "chat.model",
                    "chat-model.model-name",
                    "chat-model.model-id",
                    "deployment-name",
                ];
                // A model that streams beside another one is told where nothing else is named.
                let beside = model.is_some() && rest.contains("streaming-chat-model");
                if !beside
                    && names.iter().any(|end| rest.ends_with(end))
                    && let Some(named) = without_placeholder(value)
                {
                    model = Some((named.to_owned(), *line));
                }
                break;
            }
        }
    }
    (elsewhere.or(provider), model)
}

/// The text of a setting: of `${NAME:text}` what stands there where the environment says nothing.
pub(crate) fn without_placeholder(value: &str) -> Option<&str> {
    let text = match value.strip_prefix("${") {
        Some(rest) => rest.strip_suffix('}')?.split_once(':')?.1,
        None => value,
    };
    (!text.is_empty() && !text.contains("${")).then_some(text)
}

/// A value of YAML without the remark behind it.
fn without_remark(value: &str) -> &str {
    if value.starts_with(['"', '\'']) {
        return value;
    }
    value.find(" #").map_or(value, |at| value[..at].trim_end())
}

/// Dotted keys with values and lines, from properties or from indented YAML.
pub(crate) fn properties(text: &str) -> Vec<(String, String, u32)> {
    let mut out = Vec::new();
    let mut stack: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).take(20_000) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', '!']) || stack.len() > 64 {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let equals = trimmed.find('=');
        let colon = trimmed.find(':');
        if let Some(at) = equals.filter(|at| colon.is_none_or(|colon| *at < colon)) {
            out.push((
                trimmed[..at].trim().to_owned(),
                trimmed[at + 1..].trim().to_owned(),
                number,
            ));
        } else if let Some(at) = colon {
            while stack.last().is_some_and(|(depth, _)| *depth >= indent) {
                stack.pop();
            }
            stack.push((indent, trimmed[..at].trim_matches(['"', '\'', '-', ' ']).to_owned()));
            let value = without_remark(trimmed[at + 1..].trim()).trim_matches(['"', '\'']);
            if !value.is_empty() {
                let key: Vec<&str> = stack.iter().map(|(_, key)| key.as_str()).collect();
                out.push((key.join("."), value.to_owned(), number));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{properties, spring};

    #[test]
    fn the_line_of_a_name_is_known() {
        let text = "server:\n  port: 80\nspring:\n  ai:\n    openai:\n      chat:\n        options:\n          model: gpt-4o\n";
        assert_eq!(spring(&properties(text)).1, Some(("gpt-4o".to_owned(), 8)));
    }

    #[test]
    fn both_forms_of_settings_name_the_provider() {
        let spring = |text: &str| {
            let (provider, model) = spring(&properties(text));
            (provider, model.map(|(model, _)| model))
        };
        let expected = (Some("ollama".to_owned()), Some("llama3.1".to_owned()));
        assert_eq!(spring("spring.ai.ollama.chat.options.model=llama3.1\n"), expected);
        assert_eq!(
            spring("spring:\n  ai:\n    ollama:\n      chat:\n        options:\n          model: llama3.1\n"),
            expected
        );
        assert_eq!(
            spring("spring:\n  ai:\n    ollama:\n      chat:\n        model: llama3.1 # or another\n"),
            expected
        );
        assert_eq!(
            spring("spring.ai.ollama.chat.options.model=${CHAT_MODEL:llama3.1}\n"),
            expected
        );
        assert_eq!(
            spring("spring.ai.ollama.chat.options.model=${CHAT_MODEL}\n"),
            (Some("ollama".to_owned()), None)
        );
        assert_eq!(
            spring(
                "spring.ai.openai.base-url=https://api.deepseek.com\nspring.ai.openai.chat.options.model=deepseek-chat\n"
            ),
            (Some("deepseek".to_owned()), Some("deepseek-chat".to_owned()))
        );
    }
}
