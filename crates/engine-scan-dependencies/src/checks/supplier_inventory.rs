//! `l3-unknown-supplier`: a use of a model whose supplier nothing tells.

use std::collections::BTreeSet;

use engine_catalogue::catalogue;
use engine_model::{CheckContext, EvidenceKind, Location, Report, declare_check};

use super::{ai_packages, listed};

declare_check! {
    /// Models of third parties that no inventory of suppliers can name.
    ///
    /// Article 25(4) asks for written agreements with those who supply models, tools and components. That begins with
    /// knowing who they are: the packages, the services and the models behind each call. A call that names no model, in a
    /// system without an AI package and without a known provider, leaves its supplier open.
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
        severity: Low,
        fix: "Name the provider and the model in configuration that is kept with the code, so that the supplier can be told.",
        run: run,
    }
}

/// What stands for a supplier without being one: the project's own machine, and a protocol that anybody may speak.
const NOBODY: [&str; 3] = ["local", "openai-compatible", "unknown"];

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let packages = ai_packages(context, system);
        let mut suppliers: BTreeSet<&str> = BTreeSet::new();
        let mut models: BTreeSet<&str> = BTreeSet::new();
        let mut open = None;
        let mut known = None;
        for call in context.model_calls(system) {
            let supplier = call.provider.as_deref().filter(|provider| !NOBODY.contains(provider));
            match (supplier, call.model.as_deref()) {
                (Some(provider), _) => {
                    suppliers.insert(provider);
                    known.get_or_insert(call);
                }
                // A model that runs here and has no name was made here, as far as code shows: nobody supplies it.
                (None, None) if call.provider.as_deref() == Some("local") => {}
                // Nor does a word that no provider gives to a model tell who made it: a file, a setting, a mode of a library.
                (None, Some(model)) if !is_told(model) => {}
                (None, Some(model)) => {
                    models.insert(model);
                    known.get_or_insert(call);
                }
                (None, None) => {
                    open.get_or_insert(call);
                }
            }
        }
        if let Some(call) = open.filter(|_| suppliers.is_empty() && models.is_empty() && packages.is_empty()) {
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
        let Some(call) = known else { continue };
        let mut message = if suppliers.is_empty() {
            format!("The models that are used are named: {}", listed(models.iter().copied()))
        } else {
            format!("Suppliers of models can be told: {}", listed(suppliers.iter().copied()))
        };
        if !packages.is_empty() {
            message.push_str("; packages ");
            message.push_str(&listed(packages.iter().map(|package| package.name.as_str())));
        }
        message.push('.');
        let mut entry = report
            .pass(93, message)
            .system(system)
            .at(Location::line(&call.file, call.line))
            .anchor("suppliers")
            .evidence(EvidenceKind::Code, call.symbol.as_str(), &call.file, call.line);
        for package in packages.iter().take(10) {
            entry = entry.evidence(
                EvidenceKind::Dependency,
                package.purl.as_str(),
                &package.file,
                package.line.unwrap_or(1),
            );
        }
    }
}

/// Whether the name of a model tells who made it: the catalogue knows it, or it names its owner before a slash.
fn is_told(model: &str) -> bool {
    let owned = model
        .split_once('/')
        .is_some_and(|(owner, name)| !owner.is_empty() && !owner.starts_with(['.', '~']) && !name.contains('/'))
        && !model.rsplit('/').next().unwrap_or("").contains(['.', '{']);
    owned || catalogue().model(model).is_some()
}
