//! `l3-unknown-supplier`: a use of a model whose supplier nothing tells.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::{HostKind, catalogue};
use engine_model::{Call, CheckContext, EvidenceKind, Location, Report, StatementKind, System, Zone, declare_check};

use super::{AiPackages, listed};

declare_check! {
    /// Models of third parties that no inventory of suppliers can name.
    ///
    /// Article 25(4) asks for written agreements with those who supply models, tools and components. That begins with
    /// knowing who they are: the packages, the services and the models behind each call. A call that names no model, in a
    /// system without an AI package and without a known provider, leaves its supplier open.
    ///
    /// Evidence names each supplier with a place: the party that is called, by its name or its address, and for weights that run here
    /// who made them. It stands with its obligation and is no finding: the inventory lists the suppliers.
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
        evidence: "Suppliers of models can be told",
        severity: Low,
        fix: "Name the provider and the model in configuration that is kept with the code, so that the supplier can be told.",
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
                        "Who supplies the model behind `{}` ({}:{}) cannot be told from the project.",
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
            .pass(93, format!("Suppliers of models can be told: {names}."))
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
        // The inventory lists every supplier already: this is evidence for the duty and no finding to read.
        entry.aside();
    }
}

/// Who supplies what answers a call.
enum Supplier {
    /// A provider, an address, or who made the weights.
    Named(String),
    /// The provider that a framework takes where nothing else is said.
    Usual(String),
    /// Somebody, and nothing says who.
    Open,
    /// The project itself, as far as code shows.
    Nobody,
}

fn supplier(call: &Call) -> Supplier {
    let model = call.model.as_deref();
    match call.provider.as_deref() {
        Some(hub @ "huggingface") if call.host.is_none() => match model.and_then(maker) {
            Some(maker) if maker != hub => Supplier::Named(format!("{maker} by way of {hub}")),
            Some(maker) => Supplier::Named(maker),
            None => Supplier::Open,
        },
        Some("local") | None if call.host.is_none() => match model {
            // A model that runs here and has no name was made here, and a word that nobody gives to a model tells nobody:
            // a file, a setting, a mode of a library.
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

/// Whether a provider is a program that runs models of others on one's own machine.
fn runs_here(provider: &str) -> bool {
    catalogue()
        .hosts()
        .iter()
        .any(|host| host.kind == HostKind::Local && host.provider == provider)
}

/// Who made a model: its owner before a slash, or who the catalogue says.
fn maker(model: &str) -> Option<String> {
    let owner = model
        .split_once('/')
        .filter(|(owner, name)| !owner.is_empty() && !owner.starts_with(['.', '~']) && !name.contains('/'))
        .filter(|(_, name)| !name.contains('{') && !FILES.iter().any(|ending| name.ends_with(ending)))
        .map(|(owner, _)| owner.to_owned());
    owner.or_else(|| catalogue().model(model).map(|known| known.provider.to_owned()))
}

/// Endings of files: what is named so is no repository of a model.
const FILES: [&str; 12] = [
    ".pkl", ".joblib", ".pt", ".pth", ".onnx", ".bin", ".h5", ".keras", ".gguf", ".json", ".yaml", ".tflite",
];

/// Whether an address is one's own machine or network.
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
