//! Wiring of a declared service to one of several models: by the name of a bean, or of a group of settings.
//!
//! `@AiService(wiringMode = EXPLICIT, streamingChatModel = "qwenStreamingChatModel")` asks the bean of that name, which `LangChain4j` makes from
//! `langchain4j.community.dashscope.streaming-chat-model.*` or a method of the project gives; `@RegisterAiService(modelName = "small")` of Quarkus
//! asks what `quarkus.langchain4j.<provider>.small.*` describes.

use engine_model::Zone;
use engine_syntax::ir::{Expr, ExprId};

use crate::config::without_placeholder;
use crate::identity::{Context, Identity};
use crate::origins::{Origin, Origins};
use crate::values::{ClassRef, ExprRef, FunctionRef, Value};
use crate::world::World;

/// Sections of settings with the first part of the names of their beans, and the provider that each stands for.
const SECTIONS: [(&str, &str, &str); 14] = [
    ("azure-open-ai", "azureOpenAi", "azure-openai"),
    ("azure-openai", "azureOpenAi", "azure-openai"),
    ("open-ai", "openAi", "openai"),
    ("openai", "openAi", "openai"),
    ("anthropic", "anthropic", "anthropic"),
    ("ollama", "ollama", "ollama"),
    ("mistral-ai", "mistralAi", "mistral"),
    ("mistral", "mistralAi", "mistral"),
    ("google-ai-gemini", "googleAiGemini", "google"),
    ("ai.gemini", "googleAiGemini", "google"),
    ("vertex-ai-gemini", "vertexAiGemini", "google-vertex"),
    ("vertex.ai.gemini", "vertexAiGemini", "google-vertex"),
    ("github-models", "githubModels", "github-models"),
    ("community.dashscope", "qwen", "alibaba"),
];

/// A model that settings describe.
#[derive(Clone, Debug)]
pub(crate) struct Bean {
    /// The name by which a service asks for it.
    name: String,
    pub(crate) provider: String,
    /// The name of the model with its place.
    pub(crate) model: Option<(String, Origin)>,
}

/// What a declared service is wired to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wiring {
    /// The bean or group of settings.
    pub(crate) model: Option<String>,
    pub(crate) tools: Vec<String>,
}

/// The models that settings describe by keys and values.
pub(crate) fn beans(settings: &[(String, String, u32)], path: &str, origins: &Origins) -> Vec<Bean> {
    let mut out: Vec<Bean> = Vec::new();
    for (key, value, line) in settings {
        let Some((name, provider, is_model)) = described(key, value) else {
            continue;
        };
        let at = out.iter().position(|bean| bean.name == name).unwrap_or_else(|| {
            out.push(Bean {
                name,
                provider: provider.to_owned(),
                model: None,
            });
            out.len() - 1
        });
        if is_model
            && let Some(model) = without_placeholder(value)
            && let Some(bean) = out.get_mut(at)
        {
            bean.model = Some((model.to_owned(), Origin::File(origins.file(path), *line)));
        }
    }
    out
}

/// The bean of which a key speaks, its provider, and whether the value names its model.
fn described(key: &str, value: &str) -> Option<(String, &'static str, bool)> {
    let quarkus = key.strip_prefix("quarkus.langchain4j.");
    let rest = quarkus.or_else(|| key.strip_prefix("langchain4j."))?;
    let (head, kind, field) = if let Some((head, field)) = rest.split_once("embedding-model.") {
        (head, "EmbeddingModel", field)
    } else {
        let (head, field) = rest.split_once("chat-model.")?;
        match head.strip_suffix("streaming-") {
            Some(head) => (head, "StreamingChatModel", field),
            None => (head, "ChatModel", field),
        }
    };
    let head = head.strip_suffix('.')?;
    let is_model = matches!(field, "model-name" | "model-id" | "deployment-name");
    let section = SECTIONS.iter().find(|(section, ..)| {
        head.strip_prefix(section)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let Some((section, bean, provider)) = section else {
        // `quarkus.langchain4j.small.chat-model.provider=openai`
        let known = SECTIONS.iter().find(|(section, ..)| *section == value)?;
        return (quarkus.is_some() && field == "provider").then(|| (head.trim_matches('"').to_owned(), known.2, false));
    };
    let group = head[section.len()..].trim_start_matches('.').trim_matches('"');
    match (quarkus.is_some(), group.is_empty()) {
        (true, false) if kind != "EmbeddingModel" => Some((group.to_owned(), *provider, is_model)),
        (false, true) => Some((format!("{bean}{kind}"), *provider, is_model)),
        _ => None,
    }
}

/// The bean of a name; older versions of the library say `ChatLanguageModel`.
pub(crate) fn bean<'b>(beans: &'b [Bean], name: &str) -> Option<&'b Bean> {
    let plain = name.replace("ChatLanguageModel", "ChatModel");
    beans.iter().find(|bean| bean.name == name || bean.name == plain)
}

/// The only bean that an object can be which is known by its type: `EmbeddingModel`, `QwenStreamingChatModel`.
pub(crate) fn bean_of_type<'b>(beans: &'b [Bean], symbol: &str, provider: Option<&str>) -> Option<&'b Bean> {
    let kind = [
        "EmbeddingModel",
        "StreamingChatModel",
        "StreamingChatLanguageModel",
        "ChatModel",
        "ChatLanguageModel",
    ]
    .into_iter()
    .find(|kind| symbol.contains(kind))?
    .replace("Language", "");
    let is = |bean: &&Bean| {
        let own = bean
            .name
            .strip_suffix(&*kind)
            .is_some_and(|rest| !rest.ends_with("Streaming"));
        own && provider.is_none_or(|provider| bean.provider == provider)
    };
    let mut fitting = beans.iter().filter(is);
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

/// What the service is wired to whose method a place calls.
pub(crate) fn of_call(world: &World<'_>, at: ExprRef) -> Option<Wiring> {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return None;
    };
    let method = world
        .eval(ExprRef(at.0, *callee))
        .iter()
        .find_map(|value| match value {
            Value::Function(function) => Some(*function),
            _ => None,
        })?;
    let class = ClassRef(method.0, world.function(method).class?);
    let module = world.module(class.0);
    module.class(class.1).decorators.iter().find_map(|decorator| {
        let Expr::Call { callee, args, .. } = module.expr(*decorator) else {
            return None;
        };
        let is =
            matches!(module.expr(*callee), Expr::Name(name) if matches!(&**name, "AiService" | "RegisterAiService"));
        if !is {
            return None;
        }
        let given = |name: &str| {
            args.iter()
                .find(|arg| arg.name.as_deref() == Some(name))
                .map(|arg| arg.value)
        };
        let text = |name: &str| given(name).and_then(|value| world.key_text(ExprRef(class.0, value)));
        let streams = world
            .function(method)
            .returns
            .as_ref()
            .is_some_and(|of| matches!(of.name.rsplit('.').next(), Some("Flux" | "TokenStream" | "Multi")));
        let plain = text("chatModel").or_else(|| text("chatLanguageModel"));
        let streaming = text("streamingChatModel").or_else(|| text("streamingChatLanguageModel"));
        let (first, second) = if streams {
            (streaming, plain)
        } else {
            (plain, streaming)
        };
        let tools = given("tools")
            .map(|value| tools(world, ExprRef(class.0, value)))
            .unwrap_or_default();
        Some(Wiring {
            model: first.or(second).or_else(|| text("modelName")),
            tools,
        })
    })
}

/// The methods that a service may run: of beans by their names, or of classes.
fn tools(world: &World<'_>, at: ExprRef) -> Vec<String> {
    let parts: Vec<ExprId> = match world.expr(at) {
        Expr::List(parts) => parts.to_vec(),
        _ => vec![at.1],
    };
    let mut out: Vec<String> = Vec::new();
    for part in parts {
        let part = ExprRef(at.0, part);
        let (class, name) = match world.expr(part) {
            Expr::Str(name) => (world.class_near(at.0, &class_of_bean(name)), Some(name.to_string())),
            _ => (world.class_literal(part), None),
        };
        let Some(class) = class else {
            out.extend(name);
            continue;
        };
        let module = world.module(class.0);
        let methods = module
            .class(class.1)
            .methods
            .iter()
            .map(|method| module.function(*method));
        let marked = methods.filter(|method| method.decorators.iter().any(|mark| is_marked(module, *mark, "Tool")));
        out.extend(marked.filter_map(|method| method.name.as_deref().map(str::to_owned)));
    }
    out.sort();
    out.dedup();
    out
}

/// Whether an annotation has a name.
fn is_marked(module: &engine_syntax::ir::Module, mark: ExprId, wanted: &str) -> bool {
    let callee = match module.expr(mark) {
        Expr::Call { callee, .. } => *callee,
        _ => mark,
    };
    matches!(module.expr(callee), Expr::Name(name) if **name == *wanted)
}

/// The name of a class by that of its bean: `appointmentTools` is made of `AppointmentTools`.
fn class_of_bean(bean: &str) -> String {
    let mut chars = bean.chars();
    chars
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
        .unwrap_or_default()
}

/// Who stands behind a bean that a method of the project gives.
pub(crate) fn given_by_method(world: &World<'_>, context: &Context<'_>, name: &str) -> Option<Identity> {
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        let module = world.module(unit);
        let named = (0..).zip(&module.functions).find(|(_, function)| {
            function.name.as_deref() == Some(name)
                && function.decorators.iter().any(|mark| is_marked(module, *mark, "Bean"))
        });
        if let Some((number, _)) = named {
            let function = FunctionRef(unit, engine_syntax::ir::FunctionId(number));
            let given = world.results(function, None);
            return given
                .iter()
                .map(|value| world.identity_of(value, context, 1, unit))
                .find(|found| found.provider.is_some() || found.model.is_some());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{bean, bean_of_type, beans};
    use crate::config::properties;
    use crate::origins::Origins;

    #[test]
    fn beans_are_told_by_the_sections_of_settings() {
        let text = "langchain4j.open-ai.chat-model.model-name=gpt-a\nlangchain4j.community.dashscope.streaming-chat-model.api-key=k\nlangchain4j.community.dashscope.streaming-chat-model.model-name=${M:qwen-plus}\nlangchain4j.ollama.embedding-model.model-name=nomic\n";
        let all = beans(&properties(text), "application.properties", &Origins::default());
        let of = |name: &str| {
            bean(&all, name).map(|bean| {
                (
                    bean.provider.as_str(),
                    bean.model.as_ref().map(|(model, _)| model.as_str()),
                )
            })
        };
        assert_eq!(of("openAiChatModel"), Some(("openai", Some("gpt-a"))));
        assert_eq!(of("openAiChatLanguageModel"), Some(("openai", Some("gpt-a"))));
        assert_eq!(of("qwenStreamingChatModel"), Some(("alibaba", Some("qwen-plus"))));
        assert_eq!(of("qwenChatModel"), None);
        assert_eq!(of("ollamaChatModel"), None);
        let typed = |symbol: &str, provider| bean_of_type(&all, symbol, provider).map(|bean| bean.name.as_str());
        assert_eq!(
            typed("dev.langchain4j.model.embedding.EmbeddingModel().embed", None),
            Some("ollamaEmbeddingModel")
        );
        assert_eq!(
            typed("a.StreamingChatLanguageModel().chat", None),
            Some("qwenStreamingChatModel")
        );
        assert_eq!(typed("a.ChatModel().chat", Some("alibaba")), None);
    }

    #[test]
    fn groups_of_quarkus_have_names_of_their_own() {
        let text = "quarkus.langchain4j.openai.chat-model.model-name=gpt-a\nquarkus.langchain4j.small.chat-model.provider=ollama\nquarkus.langchain4j.ollama.small.chat-model.model-id=llama3.2\nquarkus.langchain4j.openai.\"large\".chat-model.model-name=gpt-b\n";
        let all = beans(&properties(text), "application.properties", &Origins::default());
        let of = |name: &str| {
            bean(&all, name).map(|bean| {
                (
                    bean.provider.as_str(),
                    bean.model.as_ref().map(|(model, _)| model.as_str()),
                )
            })
        };
        assert_eq!(of("small"), Some(("ollama", Some("llama3.2"))));
        assert_eq!(of("large"), Some(("openai", Some("gpt-b"))));
        assert_eq!(of("openai"), None);
    }
}
