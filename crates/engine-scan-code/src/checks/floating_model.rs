//! `l4-floating-model`: model names without a fixed version.

use std::collections::BTreeMap;

use engine_catalogue::catalogue;
use engine_model::{Call, CheckContext, Date, EvidenceKind, Report, declare_check};

use super::{calls, more, named};

declare_check! {
    /// Unpinned model version.
    ///
    /// Article 15(1): a high-risk system must perform consistently throughout its lifecycle. Your tests and
    /// documentation cover one version. A floating name can point to another version, with different output, at any
    /// time.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-5.5", input=input()).output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI(base_url="https://openrouter.ai/api/v1")
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="meta-llama/llama-3.3-70b-instruct:free", input=input()).output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-4o-2024-08-06", input=input()).output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.chat.completions.create(model="gpt-3.5-turbo", messages=[{"role": "user", "content": input()}]))
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from google import genai
    ///
    /// client = genai.Client()
    ///
    /// if __name__ == "__main__":
    ///     print(client.models.generate_content(model="gemini-2.5-flash-lite", contents=input()).text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI(base_url="https://api.perplexity.ai")
    ///
    /// if __name__ == "__main__":
    ///     print(client.chat.completions.create(model="sonar-pro", messages=[{"role": "user", "content": input()}]))
    /// ```
    FLOATING_MODEL {
        id: "l4-floating-model",
        layer: L4,
        obligation: "OBL-045",
        also: &["OBL-031"],
        evidence: "Model versions pinned",
        severity: Low,
        impact: Breaks,
        fix: "Use the dated version of the model that you tested. Move to a newer version deliberately.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut floating: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
        let mut pinned: Vec<&Call> = Vec::new();
        // What is asked of Azure is the name of a deployment, which fixes its version by itself.
        for call in calls(context, system).into_iter().filter(|call| {
            !call
                .provider
                .as_deref()
                .is_some_and(|provider| provider.starts_with("azure"))
                && !call.is_of_unknown_host()
        }) {
            match (&call.model, call.model_pinned) {
                (Some(model), Some(false)) => floating.entry(model).or_default().push(call),
                (Some(_), Some(true)) => pinned.push(call),
                _ => {}
            }
        }
        let any = !floating.is_empty();
        // A name that is or will soon be retired has to be exchanged anyway: that is said once, by the check for it.
        let ends = |model: &str| {
            context
                .inventory
                .models
                .iter()
                .any(|known| known.name == model && known.retirement(context.as_of).is_some())
                || is_of_retired(model, context.as_of)
        };
        // A name of something that is only tried out moves nowhere: it ends.
        floating.retain(|model, _| !ends(model) && !is_preview(model) && moves(model));
        pinned.retain(|call| !call.model.as_deref().is_some_and(ends));
        for (model, places) in &floating {
            let first = places[0];
            let mut finding = report
                .fail(
                    92,
                    format!(
                        "{} uses `{model}`, a name that the provider moves to newer versions{}.",
                        named(first),
                        more(places)
                    ),
                )
                .call(first)
                .anchor(*model)
                .system(system);
            for call in places.iter().skip(1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        }
        if let Some(call) = pinned.first().filter(|_| !any) {
            let mut names: Vec<&str> = pinned.iter().filter_map(|call| call.model.as_deref()).collect();
            names.sort_unstable();
            names.dedup();
            let names: Vec<String> = names.iter().take(4).map(|name| format!("`{name}`")).collect();
            report
                .pass(
                    85,
                    format!("Model names are pinned to a version: {}.", names.join(", ")),
                )
                .call(call)
                .system(system);
        }
    }
}

/// Providers that are known to move a name of theirs on to newer weights, and that offer names which fix a version beside it. Perplexity and
/// `DeepSeek` move theirs as well and offer none: there is nothing to write instead.
const MOVING: [&str; 6] = ["openai", "anthropic", "google", "mistral", "xai", "cohere"];

/// Whether a name is one that its provider moves on. Weights that are published under a name stay what they are, and of the names of
/// further services, for speech say, nothing is known.
fn moves(model: &str) -> bool {
    catalogue().model(model).is_some_and(|known| {
        !known.open_weights
            && MOVING.contains(&known.provider)
            // Of Google's and Mistral's names those with `latest` move; the others are versions.
            && (!matches!(known.provider, "google" | "mistral") || model.contains("latest"))
    })
}

/// Whether a longer name belongs to one that its provider has retired: `gpt-3.5-turbo-16k` moves nowhere once `gpt-3.5-turbo` is gone.
fn is_of_retired(model: &str, on: Date) -> bool {
    let shorter = model.match_indices('-').skip(1).map(|(at, _)| &model[..at]);
    let mut known = shorter.filter_map(|name| catalogue().model(name).filter(|known| !known.generic));
    known.any(|known| known.is_retired_on(on))
}

/// Whether a name is one of a version that is offered for trying out.
fn is_preview(model: &str) -> bool {
    model
        .split(['-', ':', '@', '/', '.', '_'])
        .any(|part| matches!(part, "exp" | "experimental" | "preview" | "beta" | "alpha"))
}
