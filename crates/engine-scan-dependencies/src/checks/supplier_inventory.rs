//! `l3-unknown-supplier`: a use of a model whose supplier nothing tells.

use std::collections::BTreeSet;

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
    SUPPLIER_INVENTORY {
        id: "l3-unknown-supplier",
        layer: L3,
        obligation: "OBL-069",
        severity: Low,
        fix: "Name the provider and the model in configuration that is kept with the code, so that the supplier can be told.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let packages = ai_packages(context, system);
        let mut suppliers: BTreeSet<&str> = BTreeSet::new();
        let mut open = None;
        let mut known = None;
        for call in context.model_calls(system) {
            match call.provider.as_deref() {
                // An address that speaks a known protocol tells nothing about who answers there.
                Some("openai-compatible" | "unknown") | None if call.model.is_none() => {
                    open.get_or_insert(call);
                }
                Some(provider) => {
                    suppliers.insert(provider);
                    known.get_or_insert(call);
                }
                None => {
                    known.get_or_insert(call);
                }
            }
        }
        if let Some(call) = open.filter(|_| suppliers.is_empty() && packages.is_empty()) {
            report
                .fail(
                    60,
                    "Who supplies the model behind this call cannot be told from the project.",
                )
                .call(call)
                .system(system)
                .evidence(EvidenceKind::Code, call.symbol.as_str(), &call.file, call.line);
            continue;
        }
        let Some(call) = known else { continue };
        let mut message = format!(
            "Suppliers can be told from the project: {}",
            listed(suppliers.iter().copied())
        );
        if suppliers.is_empty() {
            "The models that are used are named in the project".clone_into(&mut message);
        }
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
