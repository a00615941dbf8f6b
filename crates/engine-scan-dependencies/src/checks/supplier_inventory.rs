//! `l3-unknown-supplier`: a model call whose supplier could not be determined.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::{HostKind, catalogue};
use engine_model::{Call, CheckContext, EvidenceKind, Location, Report, StatementKind, System, Zone, declare_check};

use super::{AiPackages, listed};

declare_check! {
    /// Unknown model supplier.
    ///
    /// Article 25(4) requires written agreements with the suppliers of models, tools and components of a high-risk system. To make
    /// them, you need to know the supplier behind each model call. This check reports a call without a known model or provider,
    /// in a system without an AI package.
    ///
    /// Evidence names each supplier and a place in the code: the called provider by name or address, and for local weights their
    /// publisher. This evidence is listed under its obligation, not as a finding, because the inventory lists the suppliers.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import os
    /// import requests
    ///
    /// def answer(question):
    ///     url = os.environ["MODEL_URL"] + "/v1/chat/completions"
    ///     reply = requests.post(url, json={"messages": [{"role": "user", "content": question}]})
    ///     return reply.json()["choices"][0]["message"]["content"]
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- requirements.txt
    /// openai==1.54.3
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import joblib
    ///
    /// model = joblib.load("model.joblib")
    ///
    /// if __name__ == "__main__":
    ///     print(model.predict([[1, 2]]))
    /// ```
    SUPPLIER_INVENTORY {
        id: "l3-unknown-supplier",
        layer: L3,
        obligation: "OBL-069",
        evidence: "Model suppliers identified",
        severity: Low,
        impact: Prepares,
        fix: "Name the model and its supplier in a configuration file in the repository.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    let known = AiPackages::of(context);
    for system in context.systems {
        let mut suppliers: BTreeMap<String, &Call> = BTreeMap::new();
        let mut through: BTreeMap<String, &Call> = BTreeMap::new();
        let mut open = None;
        for call in context.model_calls(system).filter(|call| call.zone == Zone::Product) {
            match supplier(call) {
                Supplier::Named(name) => {
                    suppliers.entry(name).or_insert(call);
                }
                Supplier::Usual(name) => {
                    through.entry(name).or_insert(call);
                }
                Supplier::Open => {
                    open.get_or_insert(call);
                }
                Supplier::Nobody => {}
            }
        }
        // A framework runs the clients that are made beside it.
        if suppliers.is_empty() {
            suppliers = through;
        }
        let silent = || {
            suppliers.is_empty()
                && known.of_system(context, system).is_empty()
                && context
                    .model_calls(system)
                    .all(|call| call.model.as_deref().and_then(maker).is_none())
                && !reaches_others(context, system)
        };
        if let Some(call) = open.filter(|_| silent()) {
            report
                .fail(
                    60,
                    format!(
                        "The supplier of the model behind `{}` ({}:{}) could not be determined from the project.",
                        call.symbol, call.file, call.line
                    ),
                )
                .call(call)
                .system(system)
                .evidence(EvidenceKind::Code, call.symbol.as_str(), &call.file, call.line);
            continue;
        }
        let Some(first) = suppliers.values().min_by_key(|call| (&call.file, call.line)) else {
            continue;
        };
        let names = listed(suppliers.keys().map(String::as_str));
        let mut entry = report
            .pass(93, format!("Model suppliers identified: {names}."))
            .system(system)
            .at(Location::line(&first.file, first.line))
            .anchor("suppliers");
        for (name, call) in &suppliers {
            entry = entry.evidence(
                EvidenceKind::Code,
                format!("{name}: {}", call.symbol),
                &call.file,
                call.line,
            );
        }
        // The inventory lists every supplier, so this evidence appears only with its obligation.
        entry.aside();
    }
}

/// The supplier of the model behind a call.
enum Supplier {
    /// A provider, an address, or the publisher of the weights.
    Named(String),
    /// The default provider of a framework.
    Usual(String),
    /// An unknown third party.
    Open,
    /// The project itself, as far as code shows.
    Nobody,
}

fn supplier(call: &Call) -> Supplier {
    let model = call.model.as_deref();
    match call.provider.as_deref() {
        Some(hub @ "huggingface") if call.host.is_none() => match model.and_then(maker) {
            Some(maker) if maker != hub => Supplier::Named(format!("{maker} via {hub}")),
            Some(maker) => Supplier::Named(maker),
            None => Supplier::Open,
        },
        Some("local") | None if call.host.is_none() => match model {
            // A local model without a name is first-party. A word that is not a model name (a file, a setting, a mode) identifies no supplier.
            None if call.provider.is_some() => Supplier::Nobody,
            None => Supplier::Open,
            Some(model) => maker(model).map_or(Supplier::Nobody, Supplier::Named),
        },
        // Where any address will do, the name of a model may be one of many.
        Some("openai-compatible" | "anthropic-compatible" | "unknown" | "local") | None => match call.host.as_deref() {
            Some(host) if !is_own_machine(host) => Supplier::Named(host.to_owned()),
            Some(_) => model.and_then(maker).map_or(Supplier::Open, Supplier::Named),
            None => Supplier::Open,
        },
        Some(runner) if runs_here(runner) => model.and_then(maker).map_or(Supplier::Open, Supplier::Named),
        Some(provider) => {
            let told = model.is_some()
                || call.host.is_some()
                || call
                    .sdk
                    .as_deref()
                    .is_none_or(|sdk| sdk.contains(provider) || provider.contains(sdk));
            let name = provider.to_owned();
            if told {
                Supplier::Named(name)
            } else {
                Supplier::Usual(name)
            }
        }
    }
}

/// Whether a provider is a program that runs third-party models locally.
fn runs_here(provider: &str) -> bool {
    catalogue()
        .hosts()
        .iter()
        .any(|host| host.kind == HostKind::Local && host.provider == provider)
}

/// The publisher of a model: its owner before a slash, or the provider in the catalogue.
fn maker(model: &str) -> Option<String> {
    let owner = model
        .split_once('/')
        .filter(|(owner, name)| !owner.is_empty() && !owner.starts_with(['.', '~']) && !name.contains('/'))
        .filter(|(_, name)| !name.contains('{') && !FILES.iter().any(|ending| name.ends_with(ending)))
        .map(|(owner, _)| owner.to_owned());
    owner.or_else(|| catalogue().model(model).map(|known| known.provider.to_owned()))
}

/// File endings: a name with such an ending is not a model repository.
const FILES: [&str; 12] = [
    ".pkl", ".joblib", ".pt", ".pth", ".onnx", ".bin", ".h5", ".keras", ".gguf", ".json", ".yaml", ".tflite",
];

/// Whether an address is on the local machine or network.
fn is_own_machine(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    !name.contains('.')
        || name.starts_with("127.")
        || name == "0.0.0.0"
        || matches!(name.rsplit('.').next(), Some("internal" | "local"))
}

/// Whether the files of a system's calls name the address of a service that none of its calls is known to reach.
fn reaches_others(context: &CheckContext<'_>, system: &System) -> bool {
    let hosts: BTreeSet<&str> = context
        .model_calls(system)
        .filter_map(|call| call.host.as_deref())
        .collect();
    let providers: BTreeSet<&str> = context
        .model_calls(system)
        .filter_map(|call| call.provider.as_deref())
        .collect();
    context
        .statements
        .iter()
        .filter(|statement| statement.kind == StatementKind::ServiceAddress)
        .filter(|statement| system.files.contains(&statement.file))
        .any(|statement| {
            let host = statement.value.as_str();
            !hosts.contains(host)
                && catalogue()
                    .host(host)
                    .is_none_or(|known| !providers.contains(known.provider.as_str()))
        })
}
