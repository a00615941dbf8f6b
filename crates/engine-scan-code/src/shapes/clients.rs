//! Clients of hosted models that the catalogue of packages knows and no shape describes: what such a library is asked is told by the
//! names that all of them have for it.

use engine_catalogue::{Package, PackageKind, catalogue};
use engine_model::{CallKind, Ecosystem};

use super::{Family, Output, Sdk, ShapeRow};

/// Methods that ask a model, in words.
const ASKS: [&str; 33] = [
    "chat stream",
    "stream chat",
    "chat completion",
    "chat completions",
    "chat completion stream",
    "create chat",
    "create chat stream",
    "create chat completion",
    "create chat completion stream",
    "create completion",
    "create completion stream",
    "create message",
    "create messages",
    "create messages stream",
    "create response",
    "send message",
    "send message stream",
    "generate content",
    "generate content stream",
    "generate text",
    "generate response",
    "generate stream",
    "complete",
    "complete stream",
    "ask stream",
    "embed text",
    "embed texts",
    "create embedding",
    "create embeddings",
    "get embeddings",
    "transcribe",
    "transcribe file",
    "transcribe url",
];

/// Methods that ask a model where a library hands out no part of itself under such a name.
const SHORT: [&str; 6] = ["chat", "completion", "generate", "ask", "embed", "rerank"];

/// Methods that make a picture, in words.
const DRAWS: [&str; 5] = [
    "generate image",
    "generate images",
    "create image",
    "create image edit",
    "text to image",
];

/// Parts of a client whose methods are short.
const PARTS: &str =
    "{completions,messages,responses,embeddings,transcriptions,Completions,Messages,Responses,Embeddings}";

/// Words in the way in which a language writes a method.
fn written(family: Family, words: &str) -> Vec<String> {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars
            .next()
            .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
            .unwrap_or_default()
    };
    let pascal: String = words.split(' ').map(capital).collect();
    match family {
        Family::Python | Family::Rust | Family::Ruby | Family::Shell => vec![words.replace(' ', "_")],
        Family::Script | Family::Jvm | Family::Php => {
            let mut chars = pascal.chars();
            let first = chars.next().map(|first| first.to_ascii_lowercase().to_string());
            vec![first.unwrap_or_default() + chars.as_str()]
        }
        Family::Go => vec![pascal],
        Family::DotNet => vec![format!("{pascal}Async"), pascal],
    }
}

fn family_of(ecosystem: Ecosystem) -> Option<Family> {
    Some(match ecosystem {
        Ecosystem::PyPI => Family::Python,
        Ecosystem::Npm => Family::Script,
        Ecosystem::Go => Family::Go,
        Ecosystem::Cargo => Family::Rust,
        Ecosystem::Maven => Family::Jvm,
        Ecosystem::NuGet => Family::DotNet,
        Ecosystem::Composer => Family::Php,
        Ecosystem::RubyGems => Family::Ruby,
        Ecosystem::Conda => return None,
    })
}

/// The shapes of one package.
fn client(family: Family, package: &Package) -> Sdk {
    // Where parts of a client are handed out by methods, `chat()` is such a part.
    let parts_are_called = matches!(family, Family::Rust | Family::Jvm | Family::Php | Family::Ruby);
    let list = |words: &[&str]| -> Vec<String> { words.iter().flat_map(|words| written(family, words)).collect() };
    let mut asks = list(&ASKS);
    if !parts_are_called {
        asks.extend(list(&SHORT));
    }
    // A module is no client: what is asked hangs on something that was made.
    let on_client = format!("**().**.{{{}}}", asks.join(","));
    let by_part = if parts_are_called {
        format!("**().**.{PARTS}().{{create,create_stream,createStreaming,stream,send}}")
    } else {
        format!("**().**.{PARTS}.{{create,stream,Create,CreateAsync,New,NewStreaming}}")
    };
    Sdk {
        name: package.name.clone(),
        roots: package
            .imports
            .iter()
            .filter(|root| !root.ends_with('*'))
            .map(|root| match family {
                Family::Rust => root.replace('-', "_"),
                _ => root.clone(),
            })
            .collect(),
        provider: package.provider.clone(),
        call: vec![on_client, by_part],
        shape: vec![ShapeRow {
            path: vec![format!("**().**.{{{}}}", list(&DRAWS).join(","))],
            kind: CallKind::Call,
            provider: None,
            model: Vec::new(),
            output: Some(Output::Image),
        }],
        ..Sdk::default()
    }
}

/// Clients of models in the catalogue of which no part is described.
pub(super) fn undescribed(is_described: &dyn Fn(Family, &str) -> bool) -> Vec<(Family, Sdk)> {
    catalogue()
        .packages()
        .iter()
        .filter(|package| package.kind == PackageKind::Sdk && package.ai_system && package.provider.is_some())
        .filter_map(|package| {
            let family = family_of(package.ecosystem)?;
            let mut sdk = client(family, package);
            sdk.roots.retain(|root| !is_described(family, root));
            (!sdk.roots.is_empty()).then_some((family, sdk))
        })
        .collect()
}
