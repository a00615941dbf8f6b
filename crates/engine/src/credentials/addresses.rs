//! Addresses of language models: who stands behind them, how they are completed, and which are known.

use engine_catalogue::HostKind;
use engine_llm::{Prices, Provider, Shape, price};
use engine_outbound::Target;

/// Where a local Ollama server listens.
const OLLAMA_PORT: u16 = 11434;

/// The price of a model; a model on this machine costs nothing by the token.
pub(super) fn listed(provider: Provider, model: &str, address: &str) -> Option<Prices> {
    let local = Target::parse(address).is_ok_and(|target| is_loopback(target.host()));
    if local {
        return Some(Prices {
            input_per_million: 0.0,
            output_per_million: 0.0,
        });
    }
    price(provider, model)
}

/// Who stands behind an address, in which form it is spoken to, and the address with the path that takes a conversation. Services with the
/// interface of `OpenAI` are often written as their base, `https://host` or `https://host/v1`.
pub(super) fn service(url: &str) -> (Provider, Shape, String) {
    let base = url.trim_end_matches('/');
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    let path = path.map(|path| path.split(['?', '#']).next().unwrap_or(path));
    match path {
        None if host == "api.anthropic.com" => (Provider::Anthropic, Shape::Anthropic, format!("{base}/v1/messages")),
        Some("api/chat") => (Provider::Ollama, Shape::OllamaChat, url.to_owned()),
        path => {
            let provider = if host == "api.openai.com" {
                Provider::OpenAi
            } else {
                Provider::Compatible
            };
            match path {
                None => (provider, Shape::OpenAiChat, format!("{base}/v1/chat/completions")),
                Some(path) if path == "v1" || path.ends_with("/v1") => {
                    (provider, Shape::OpenAiChat, format!("{base}/chat/completions"))
                }
                Some(path) => match Shape::of_path(&format!("/{path}")) {
                    Some(Shape::Anthropic) => (Provider::Anthropic, Shape::Anthropic, url.to_owned()),
                    Some(Shape::OllamaGenerate) => (Provider::Ollama, Shape::OllamaGenerate, url.to_owned()),
                    shape => (provider, shape.unwrap_or(Shape::OpenAiChat), url.to_owned()),
                },
            }
        }
    }
}

/// The address of an Ollama server, which is often written as a host alone. `0.0.0.0` is where a server listens, not where it is.
pub(super) fn ollama(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.replacen("0.0.0.0", "127.0.0.1", 1);
    let has_port = rest
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port || scheme == "https" {
        format!("{scheme}://{rest}/api/chat")
    } else {
        format!("{scheme}://{rest}:{OLLAMA_PORT}/api/chat")
    }
}

/// Whether an address is on this machine, or is the interface of a provider that the catalogue names.
pub(super) fn is_known(address: &str) -> bool {
    let full = if address.contains("://") {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    let Ok(target) = Target::parse(&full) else {
        return false;
    };
    let host = target.host();
    is_loopback(host)
        || target.is_secure()
            && engine_catalogue::host(host)
                .is_some_and(|known| known.kind == HostKind::Api && known.host.eq_ignore_ascii_case(host))
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

/// An address without what could be a key.
pub(super) fn shown(address: &str) -> String {
    Target::parse(address).map_or_else(
        |_| engine_scanner::mask_secrets(&address.chars().take(200).collect::<String>()),
        |target| target.to_string(),
    )
}
