//! Providers by address: known hosts, paths that only model servers have, and other required evidence.

use engine_catalogue::{HostKind, catalogue};

use crate::identity::{Identity, host_name, host_provider, is_loopback};
use crate::values::Part;

/// Who answers at an address, if it is one of a model service or asks a model that everybody knows.
pub(crate) fn judge(
    url: &str,
    parts: &[Part],
    model: impl Fn() -> Option<String>,
    prompt: impl Fn() -> bool,
    proof: impl Fn(Proof<'_>) -> bool,
) -> Option<Identity> {
    judge_known(url, parts, model, prompt, proof).or_else(|| asks_a_named_model(url))
}

fn judge_known(
    url: &str,
    parts: &[Part],
    model: impl Fn() -> Option<String>,
    prompt: impl Fn() -> bool,
    proof: impl Fn(Proof<'_>) -> bool,
) -> Option<Identity> {
    // Behind a base that ends in a slash a path is written without one: `{base}v1/chat/completions`.
    let parted = url
        .strip_prefix("{}")
        .filter(|rest| {
            ["v1/", "v2/", "openai/", "api/"]
                .iter()
                .any(|first| rest.starts_with(first))
        })
        .map(|rest| format!("{{}}/{rest}"));
    let url = parted.as_deref().unwrap_or(url);
    // Under an ordinary path of a stranger's host a model is asked only where a model that is known is named.
    let name = host_name(url);
    let stranger =
        !name.is_empty() && !name.contains("{}") && !is_loopback(&name) && name.contains('.') && !in_house(&name);
    let weak_proof = |known_host: bool| {
        let known_model = || model().is_some_and(|model| catalogue().model(&model).is_some());
        if known_host || is_loopback(&name) || in_house(&name) || parts.iter().any(names_models) {
            return model().is_some() || prompt();
        }
        // The server of one's own is told by its path, where the code around it is named after it, or where the body asks for an answer
        // of a model in pieces.
        let own = url.starts_with("{}")
            && catalogue()
                .request(url)
                .is_some_and(|target| target.provider == "ollama")
            && (proof(Proof::Named("ollama")) || proof(Proof::Streamed));
        own || known_model()
            || proof(Proof::Header("anthropic-version"))
            || !stranger && prompt() && proof(Proof::Conversation)
    };
    let Some(target) = catalogue().request(url) else {
        return own_server(url).filter(|_| prompt());
    };
    if target.host.is_none() && is_plain_completion(url) && !weak_proof(false) {
        return None;
    }
    // Courses and orders are completed, too: behind an address that is not known, a body that can be read must ask something.
    let unknown_host = target.host.is_none() && url.starts_with("{}");
    if unknown_host && ends_in_completions(url) && proof(Proof::Readable) && !weak_proof(true) {
        return None;
    }
    let asked_with = asked_with(url);
    if target.host.is_none() && !asked_with.is_empty() && proof(Proof::Lacks(asked_with)) {
        return None;
    }
    // Videos are embedded, too.
    let strange = |model: String| catalogue().model(&model).is_none() && !model.to_ascii_lowercase().contains("embed");
    // The port of a neighbour says as little.
    let neighbour = target.host.is_some_and(|host| host.host == "localhost") && !is_loopback(&name);
    let embeds = (unknown_host || neighbour) && url.ends_with("/embeddings") && !parts.iter().any(names_models);
    if embeds && model().is_some_and(strange) {
        return None;
    }
    // People complete chats, too: without the version of the protocol in its path, a stranger's host must be asked like a model.
    let unversioned = target.host.is_none() && stranger && url.contains("chat/completions") && !url.contains("/v1/");
    if unversioned && !weak_proof(false) && !(prompt() && proof(Proof::Conversation)) {
        return None;
    }
    if is_remark(url) || counts_tokens(url) {
        return None;
    }
    let known_host = target.host.is_some_and(|host| host.kind != HostKind::Telemetry);
    let served = target.shape.is_some() || (known_host && !is_listing(url));
    if !(target.model_call || served && weak_proof(known_host)) {
        return None;
    }
    let small = target
        .host
        .is_some_and(|host| host.kind == HostKind::Local && matches!(host.provider.as_str(), "llama-cpp" | "lmstudio"));
    let deployment = segment_after(url, "deployments");
    let mut provider = target.provider.to_owned();
    if small && is_loopback(&name) {
        "local".clone_into(&mut provider);
    } else if small && target.shape.is_some_and(|shape| shape.provider == "openai-compatible") {
        // The port of another machine tells no server; the path tells its protocol.
        "openai-compatible".clone_into(&mut provider);
    }
    if target.host.is_none() {
        if deployment.is_some() && url.contains("/openai/deployments/") {
            "azure-openai".clone_into(&mut provider);
        } else if is_loopback(&name) && matches!(provider.as_str(), "openai-compatible" | "llama-cpp" | "huggingface") {
            "local".clone_into(&mut provider);
        } else if let Some((Some(found), _)) = host_provider(url, parts)
            && found != "local"
        {
            provider = found;
        } else if stranger && provider == "anthropic" {
            // Who relays a protocol is not whoever made it: what is sent goes to the one who keeps that host.
            "anthropic-compatible".clone_into(&mut provider);
        }
    }
    let in_path = deployment
        .or_else(|| {
            segment_after(url, "models")
                .map(|name| name.split(':').next().unwrap_or(&name).to_owned())
                .filter(|name| {
                    provider == "huggingface" || provider.starts_with("google") || catalogue().model(name).is_some()
                })
        })
        .or_else(|| segment_after(url, "model").filter(|_| provider == "aws-bedrock"))
        .or_else(|| {
            segment_after(url, "engines")
                .filter(|_| matches!(&*provider, "openai" | "azure-openai" | "openai-compatible"))
        })
        .or_else(|| target.host.and(asked_in_query(url)));
    Some(Identity {
        provider: Some(provider),
        model: in_path.filter(|model| !model.is_empty() && !model.contains("{}")),
        model_at: None,
        host: (!name.is_empty() && !name.contains("{}") && !url.starts_with('/')).then_some(name),
        assumed: false,
        address: Some(url.to_owned()),
        output: None,
        further: Vec::new(),
    })
}

/// What else may show that a request under an ordinary path asks a model.
#[derive(Clone, Copy)]
pub(crate) enum Proof<'h> {
    /// A header that only one protocol has.
    Header(&'h str),
    /// A body of which every part stands in the code.
    Readable,
    /// A function, class or file that is called after the server.
    Named(&'h str),
    /// A body with turns of a conversation, or with a prompt for a model that is chosen elsewhere.
    Conversation,
    /// A body that names a model, holds a prompt or messages, and says whether the answer comes in pieces.
    Streamed,
    /// A body of which every field stands in the code, and none of these is among them.
    Lacks(&'h [&'h str]),
}

/// Fields without which nothing is asked under an ordinary path of a host that nobody knows: words, streets and maps are completed
/// and embedded under the same ones, and people send each other messages.
fn asked_with(url: &str) -> &'static [&'static str] {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    match path.rsplit('/').next() {
        Some("completions") => &["messages", "prompt", "input"],
        Some("embeddings") => &["input", "inputs", "text", "texts", "content", "prompt"],
        Some("messages") => &["model", "max_tokens"],
        _ => &[],
    }
}

/// Whether an address is read from a variable that is named after models.
fn names_models(part: &Part) -> bool {
    matches!(part, Part::Env(name) if in_house(&name.to_ascii_lowercase()) || crate::senders::told_by_setting(name).is_some())
}

/// Whether a host's name says that a server of models stands behind it.
fn in_house(name: &str) -> bool {
    name.split(['.', '-', '_']).any(|part| {
        matches!(
            part,
            "llm"
                | "llms"
                | "ollama"
                | "vllm"
                | "openai"
                | "anthropic"
                | "claude"
                | "gpt"
                | "ai"
                | "inference"
                | "litellm"
                | "lmstudio"
                | "tgi"
                | "genai"
                | "mistral"
                | "llama"
        )
    })
}

/// A server on this machine that completes what it is given, as the small servers around local models do.
fn own_server(url: &str) -> Option<Identity> {
    let name = host_name(url);
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    let completes = ["/completion", "/infill", "/generate_stream"]
        .iter()
        .any(|end| path.ends_with(end));
    (completes && is_loopback(&name)).then(|| Identity {
        provider: Some("local".to_owned()),
        host: Some(name),
        ..Identity::default()
    })
}

/// A request to a host that nobody knows, whose path asks a model that everybody knows for an answer:
/// `/v1/models/gemini-1.5-pro/completions`.
pub(crate) fn asks_a_named_model(url: &str) -> Option<Identity> {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    let last = path.rsplit(['/', ':']).next().unwrap_or(path);
    if !matches!(
        last,
        "completions" | "completion" | "generate" | "generateContent" | "chat" | "invoke"
    ) {
        return None;
    }
    let name = segment_after(path, "models")?;
    let model = name.split(':').next().unwrap_or(&name).to_owned();
    let info = catalogue().model(&model)?;
    Some(Identity {
        provider: Some(info.via.unwrap_or(info.provider).to_owned()),
        model: Some(model),
        host: Some(host_name(url)),
        address: Some(url.to_owned()),
        ..Identity::default()
    })
}

/// Whether only the oldest path of the protocol speaks for a model: others complete words and parts under it too.
fn is_plain_completion(url: &str) -> bool {
    ends_in_completions(url) && !is_loopback(&host_name(url)) && !url.starts_with("{}")
}

fn ends_in_completions(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    path.ends_with("/v1/completions")
}

/// Whether an address lists or manages instead of asking a model.
fn is_listing(url: &str) -> bool {
    [
        "/models",
        "/files",
        "/usage",
        "/billing",
        "/api/tags",
        "/health",
        "/status",
        "/login",
        "/oauth",
    ]
    .iter()
    .any(|end| url.trim_end_matches('/').ends_with(end))
}

/// Whether a request says something about a conversation that was held, instead of asking: a rating, or whether it is shown.
fn is_remark(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let rated = matches!(
        last.as_str(),
        "feedback" | "message_feedback" | "message-feedback" | "ratings"
    );
    rated || path.contains("/backend-api/conversation/")
}

/// Whether a request only has a text cut into tokens, or counted by them: no model answers.
fn counts_tokens(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    let last = path.rsplit(['/', ':']).next().unwrap_or(path);
    let word: String = last
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    matches!(
        word.as_str(),
        "tokenize" | "detokenize" | "tokenizecompletion" | "counttokens" | "tokencount" | "computetokens"
    )
}

/// The model that the query of an address names: `/v1/realtime?model=gpt-4o-realtime-preview`.
fn asked_in_query(url: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    let query = query.split('#').next().unwrap_or(query);
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("model="))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

/// The segments of a path behind one with a name; models of a hub have two.
fn segment_after(url: &str, name: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let mut segments = path.split('/');
    segments.by_ref().find(|segment| *segment == name)?;
    let first = segments.next().filter(|segment| !segment.is_empty())?;
    if name == "models"
        && path.contains("huggingface")
        && let Some(second) = segments.next()
        && second != "v1"
    {
        return Some(format!("{first}/{second}"));
    }
    Some(first.to_owned())
}

/// The value of `"model"` in a JSON text.
pub(crate) fn model_in_json(text: &str) -> Option<String> {
    for quote in ["\"model\"", "\\\"model\\\"", "'model'", "model=", "model:"] {
        let Some(at) = text.find(quote) else { continue };
        let rest = text[at + quote.len()..].trim_start_matches([' ', ':', '\\', '"', '\'', '\n', '\t']);
        let end = rest.find(['"', '\\', '\'', ',', '}', ' ', '&']).unwrap_or(rest.len());
        let name = &rest[..end];
        if !name.is_empty() && !name.contains(['{', '$']) {
            return Some(name.to_owned());
        }
    }
    None
}
