//! Models, providers and packages that documents name, held against those that code uses.

use std::collections::BTreeSet;

use engine_catalogue::{model, normalize_name, provider};
use engine_model::{
    Call, CheckContext, DependencyRelation, DependencyScope, Document, EvidenceKind, Package, Report, Sends, Statement,
    StatementKind, System, Zone, declare_check,
};

use super::subject::{calls_of, contradiction, document, said, speaks, speaks_of, systems_of, uses_of};

/// Kinds of documents that name tools and models of other systems too.
const ABOUT_OTHERS: &[&str] = &[
    "ai-usage-policy",
    "ai-literacy-record",
    "statement-of-applicability",
    "qms",
    "art5-screening",
    "gpai-training-summary",
];

/// The statements of a kind in one document that describes the system.
/// Whether a document holds notes and plans rather than what the product is said to be.
fn is_internal(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.split('/').rev().skip(1).any(|part| {
        part.starts_with('.') && !matches!(part, ".github" | ".compliance")
            || matches!(
                part,
                "planning" | "plans" | "archive" | "notes" | "adr" | "rfcs" | "proposals" | "old"
            )
    })
}

fn in_description<'a>(context: &CheckContext<'a>, kind: StatementKind) -> Vec<(&'a Document, Vec<&'a Statement>)> {
    let mut out: Vec<(&Document, Vec<&Statement>)> = Vec::new();
    for statement in said(context, kind) {
        let Some(document) = document(context, &statement.file) else {
            continue;
        };
        if ABOUT_OTHERS.contains(&document.kind.as_str()) || is_internal(&document.file) {
            continue;
        }
        match out.last_mut().filter(|(last, _)| last.file == document.file) {
            Some((_, statements)) => statements.push(statement),
            None => out.push((document, vec![statement])),
        }
    }
    out
}

declare_check! {
    /// Documented model differs from code.
    ///
    /// Art. 11(1) requires up-to-date technical documentation of a high-risk system. A system with another model needs new tests. Reported if the
    /// document and the code both name models and have none in common. The message says so if the documented model is retired on the date of the
    /// scan. Not reported: sentences about the past and about alternatives.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Architecture
    ///
    /// The text of a CV goes to the hosted model gpt-3.5-turbo-0613, which answers with an order and a reason.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Architecture
    ///
    /// The text of a CV goes to the hosted model gpt-4.1-2025-04-14, which answers with an order and a reason.
    /// ```
    DOCUMENTED_MODEL {
        id: "cross-documented-model",
        layer: L2,
        obligation: "OBL-031",
        also: &["OBL-030"],
        severity: Medium,
        impact: Misleads,
        fix: "Update the document to the model that code calls, and test the system with this model.",
        fixable: false,
        run: documented_model,
    }
}

fn documented_model(context: &CheckContext<'_>, report: &mut Report) {
    for (document, statements) in in_description(context, StatementKind::Model) {
        let systems = systems_of(context, &document.file);
        let calls: Vec<&Call> = uses_of(context, &systems)
            .into_iter()
            .filter(|call| speaks(call))
            .collect();
        let called = models_of(context, &systems);
        if called.is_empty()
            || statements
                .iter()
                .any(|statement| called.iter().any(|(name, ..)| same_model(&statement.value, name)))
        {
            continue;
        }
        // A name that comes from configuration at run time can be the documented one.
        let open = calls.iter().any(|call| call.model.is_none());
        let retired =
            |statement: &&&Statement| model(&statement.value).is_some_and(|known| known.is_retired_on(context.as_of));
        let gone = statements.iter().find(retired);
        let (Some(statement), Some((name, file, line))) = (
            gone.or(statements.first()).filter(|_| gone.is_some() || !open),
            called.first(),
        ) else {
            continue;
        };
        let suffix = if gone.is_some() {
            " (retired by its provider)"
        } else {
            ""
        };
        let at = (statement.file.as_str(), statement.line);
        contradiction(
            report,
            "OBL-031",
            &systems,
            if open { 65 } else { 80 },
            at,
            format!(
                "the document names the model `{}`{suffix}, but code calls `{name}` ({file}:{line})",
                statement.value
            ),
        )
        .anchor(statement.value.as_str())
        .evidence(EvidenceKind::Document, statement.value.clone(), at.0, at.1)
        .evidence(EvidenceKind::Code, name.clone(), file, *line);
    }
}

/// Models that calls of some systems name, with a place.
fn models_of(context: &CheckContext<'_>, systems: &[&System]) -> Vec<(String, String, u32)> {
    let mut out: Vec<(String, String, u32)> = Vec::new();
    for call in uses_of(context, systems).into_iter().filter(|call| speaks(call)) {
        if let Some(name) = &call.model
            && !out.iter().any(|(known, ..)| known == name)
        {
            out.push((name.clone(), call.file.clone(), call.line));
        }
    }
    for named in &context.inventory.models {
        for occurrence in &named.occurrences {
            if let Some((file, line)) = occurrence.rsplit_once(':')
                && systems
                    .iter()
                    .any(|system| system.files.iter().any(|known| known == file))
                && !out.iter().any(|(known, ..)| known == &named.name)
            {
                out.push((named.name.clone(), file.to_owned(), line.parse().unwrap_or(1)));
            }
        }
    }
    out
}

/// Whether two names mean one model: equal without the path before them, or one is a dated name of the other.
fn same_model(left: &str, right: &str) -> bool {
    let bare = |name: &str| {
        let name = name.to_ascii_lowercase();
        let name = name.rsplit('/').next().unwrap_or(&name);
        name.strip_prefix("models/").unwrap_or(name).to_owned()
    };
    let (left, right) = (bare(left), bare(right));
    let dated = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with("-latest")
                || rest.starts_with(['@', ':'])
                || rest
                    .strip_prefix('-')
                    .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '-') && rest.len() >= 4)
        })
    };
    dated(&left, &right) || dated(&right, &left)
}

declare_check! {
    /// Documented model provider differs from code.
    ///
    /// Art. 11(1) requires up-to-date technical documentation of a high-risk system. Reported if the document names model providers, the provider of
    /// every call is known, and they have none in common. Companies that also sell other services do not count by name alone.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Architecture
    ///
    /// The text of a CV goes to Anthropic, whose model answers with an order and a reason.
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Architecture
    ///
    /// The text of a CV goes to OpenAI, whose model answers with an order and a reason.
    /// ```
    DOCUMENTED_PROVIDER {
        id: "cross-documented-provider",
        layer: L2,
        obligation: "OBL-031",
        also: &["OBL-030"],
        severity: Medium,
        impact: Misleads,
        fix: "Update the document to the provider that code calls.",
        fixable: false,
        run: documented_provider,
    }
}

/// Providers that people name for other things than models.
const OF_OTHER_THINGS: &[&str] = &[
    "google-cloud",
    "aws",
    "azure-ai",
    "microsoft",
    "huggingface",
    "nvidia",
    "meta",
    "ollama",
    "ibm",
];
/// Providers that are no company that receives data, or that route to others.
const NOBODY: &[&str] = &[
    "local",
    "ollama",
    "openai-compatible",
    "anthropic-compatible",
    "unknown",
    "litellm",
    "openrouter",
    "vercel",
    "langchain",
];

/// The companies behind an id: a cloud serves models of others, and either name tells it.
fn companies(id: &str) -> Vec<&str> {
    match id {
        "azure-openai" => vec!["microsoft", "openai"],
        "azure-ai" | "microsoft" => vec!["microsoft"],
        "google" | "google-vertex" | "google-cloud" => vec!["google"],
        "aws" | "aws-bedrock" | "aws-sagemaker" | "amazon" => vec!["amazon"],
        other => vec![other],
    }
}

fn share_a_company(left: &str, right: &str) -> bool {
    companies(left).iter().any(|company| companies(right).contains(company))
}

fn title(id: &str) -> &str {
    provider(id).map_or(id, |known| known.title.as_str())
}

fn documented_provider(context: &CheckContext<'_>, report: &mut Report) {
    for (document, statements) in in_description(context, StatementKind::Provider) {
        let named: Vec<&&Statement> = statements
            .iter()
            .filter(|statement| !OF_OTHER_THINGS.contains(&statement.value.as_str()))
            .collect();
        let Some(statement) = named.first() else { continue };
        let systems = systems_of(context, &document.file);
        let calls = uses_of(context, &systems);
        let known: Option<Vec<(&str, &Call)>> = calls
            .iter()
            .filter(|call| speaks(call))
            .map(|call| Some((call.provider.as_deref()?, *call)))
            .collect();
        let Some(known) = known else { continue };
        let Some((first, call)) = known.first() else { continue };
        let settled = known.iter().any(|(id, _)| {
            NOBODY.contains(id) || statements.iter().any(|statement| share_a_company(&statement.value, id))
        });
        // A model that the document names says the same, and says it more exactly.
        let models = said(context, StatementKind::Model).any(|model| model.file == document.file);
        if settled || models {
            continue;
        }
        let at = (statement.file.as_str(), statement.line);
        contradiction(
            report,
            "OBL-031",
            &systems,
            70,
            at,
            format!(
                "the document names {} as model provider, but code calls {} ({}:{})",
                title(&statement.value),
                title(first),
                call.file,
                call.line
            ),
        )
        .anchor(statement.value.as_str())
        .evidence(EvidenceKind::Document, title(&statement.value), at.0, at.1)
        .evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
    }
}

declare_check! {
    /// Documented version differs from pinned version.
    ///
    /// Art. 11(1) and Annex IV require software versions in the technical documentation. The check compares the documented versions of AI packages
    /// in the catalogue with the pinned versions. A shorter number in the document (`1.30` for `1.30.5`) counts as the same version.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Software versions
    ///
    /// The client library is openai 1.30, on Python 3.12, in a container that is built for each release.
    /// //- requirements.txt
    /// openai==2.8.0
    /// fastapi==0.115.6
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Software versions
    ///
    /// The client library is openai 1.30, on Python 3.12, in a container that is built for each release.
    /// //- requirements.txt
    /// openai==1.30.5
    /// fastapi==0.115.6
    /// ```
    DOCUMENTED_VERSION {
        id: "cross-documented-version",
        layer: L2,
        obligation: "OBL-031",
        also: &["OBL-030"],
        severity: Low,
        impact: Misleads,
        fix: "Update the document to the pinned version, or refer to the lockfile instead.",
        fixable: false,
        run: documented_version,
    }
}

fn documented_version(context: &CheckContext<'_>, report: &mut Report) {
    for (document, statements) in in_description(context, StatementKind::PackageVersion) {
        let systems = systems_of(context, &document.file);
        let mut seen = BTreeSet::new();
        for statement in statements {
            let Some((name, version)) = statement.value.split_once(' ') else {
                continue;
            };
            let fixed: Vec<&Package> = context
                .inventory
                .packages
                .iter()
                .filter(|package| {
                    package.zone == Zone::Product
                        && package.version.is_some()
                        && normalize_name(package.ecosystem, &package.name) == normalize_name(package.ecosystem, name)
                        && systems.iter().any(|system| speaks_of(context, &package.file, system))
                })
                .collect();
            let same = fixed
                .iter()
                .any(|package| package.version.as_deref().is_some_and(|fixed| is_part(version, fixed)));
            let Some(package) = fixed.first().filter(|_| !same && seen.insert(name)) else {
                continue;
            };
            let at = (statement.file.as_str(), statement.line);
            contradiction(
                report,
                "OBL-031",
                &systems,
                75,
                at,
                format!(
                    "the document names `{name}` {version}, but {}:{} pins {}",
                    package.file,
                    package.line.unwrap_or(1),
                    package.version.as_deref().unwrap_or_default()
                ),
            )
            .anchor(name)
            .evidence(EvidenceKind::Document, statement.value.clone(), at.0, at.1)
            .evidence(
                EvidenceKind::Dependency,
                package.purl.clone(),
                &package.file,
                package.line.unwrap_or(1),
            );
        }
    }
}

/// Whether a version is another one, written shorter or longer.
fn is_part(left: &str, right: &str) -> bool {
    let parts = |version: &str| -> Vec<String> {
        version
            .trim_start_matches(['v', '='])
            .split(['.', '-', '+'])
            .map(str::to_owned)
            .collect()
    };
    parts(left).iter().zip(parts(right)).all(|(a, b)| *a == b)
}

declare_check! {
    /// AI provider missing from supplier list.
    ///
    /// Art. 25(4) requires a written agreement with each supplier of a model on what a high-risk system needs from it. A supplier that is not
    /// listed probably has no such agreement. The check reads privacy notices, processing agreements and supplier lists with at least two entries.
    /// Self-hosted models have no provider and are not reported.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/privacy.md
    /// # Privacy notice
    ///
    /// ## Processors
    ///
    /// - Hetzner Online GmbH, Gunzenhausen: servers
    /// - Postmark, Chicago: letters to applicants
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/privacy.md
    /// # Privacy notice
    ///
    /// ## Processors
    ///
    /// - Hetzner Online GmbH, Gunzenhausen: servers
    /// - OpenAI Ireland Ltd, Dublin: model that orders applications
    /// ```
    UNLISTED_PROVIDER {
        id: "cross-unlisted-provider",
        layer: L2,
        obligation: "OBL-069",
        severity: Medium,
        impact: Misleads,
        fix: "Add the provider to the list, with the data that it receives. Or stop sending data to it.",
        fixable: false,
        run: unlisted_provider,
    }
}

fn unlisted_provider(context: &CheckContext<'_>, report: &mut Report) {
    for list in said(context, StatementKind::SupplierList) {
        let systems = systems_of(context, &list.file);
        let mentioned: Vec<&Statement> = said(context, StatementKind::Mention)
            .filter(|statement| statement.file == list.file)
            .collect();
        let mut seen = BTreeSet::new();
        for call in calls_of(context, &systems) {
            let Some(id) = call.provider.as_deref() else { continue };
            let data = call.sends.iter().any(|sends| *sends != Sends::Constant);
            // A host of its own may be a gateway or a server on own machines.
            if NOBODY.contains(&id) || id == "huggingface" || !data || call.host.is_some() {
                continue;
            }
            if mentioned.iter().any(|statement| share_a_company(&statement.value, id)) || !seen.insert(id) {
                continue;
            }
            let at = (list.file.as_str(), list.line);
            contradiction(
                report,
                "OBL-069",
                &systems,
                75,
                at,
                format!(
                    "the list does not name {}, but {}:{} sends data to it",
                    title(id),
                    call.file,
                    call.line
                ),
            )
            .anchor(id)
            .evidence(EvidenceKind::Document, list.value.clone(), at.0, at.1)
            .evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

declare_check! {
    /// Incomplete bill of materials.
    ///
    /// Art. 25(4) covers the suppliers of models, tools and components. A bill of materials is the usual list of them. Reported if it does not list
    /// an AI package that a manifest declares directly. Models are reported only if the bill of materials lists models at all.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- requirements.txt
    /// openai==2.8.0
    /// fastapi==0.115.6
    /// //- sbom.cdx.json
    /// {
    ///   "bomFormat": "CycloneDX",
    ///   "specVersion": "1.5",
    ///   "components": [
    ///     { "type": "library", "name": "fastapi", "version": "0.115.6", "purl": "pkg:pypi/fastapi@0.115.6" }
    ///   ]
    /// }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- requirements.txt
    /// openai==2.8.0
    /// fastapi==0.115.6
    /// //- sbom.cdx.json
    /// {
    ///   "bomFormat": "CycloneDX",
    ///   "specVersion": "1.5",
    ///   "components": [
    ///     { "type": "library", "name": "fastapi", "version": "0.115.6", "purl": "pkg:pypi/fastapi@0.115.6" },
    ///     { "type": "library", "name": "openai", "version": "2.8.0", "purl": "pkg:pypi/openai@2.8.0" }
    ///   ]
    /// }
    /// ```
    INCOMPLETE_BILL {
        id: "cross-incomplete-bill",
        layer: L3,
        obligation: "OBL-069",
        severity: Low,
        impact: Misleads,
        fix: "Regenerate the bill of materials with each release.",
        fixable: false,
        run: incomplete_bill,
    }
}

fn incomplete_bill(context: &CheckContext<'_>, report: &mut Report) {
    for bill in said(context, StatementKind::BillOfMaterials) {
        let systems = systems_of(context, &bill.file);
        let listed: Vec<&str> = said(context, StatementKind::Component)
            .filter(|component| component.file == bill.file)
            .map(|component| component.value.as_str())
            .collect();
        let folder = bill.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        // A folder that holds bills only speaks for the whole project.
        let of_folder = |package: &Package| {
            package
                .file
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let narrow = !folder.is_empty() && context.inventory.packages.iter().any(of_folder);
        let missing: Vec<&Package> = context
            .inventory
            .packages
            .iter()
            .filter(|package| {
                package.ai_kind.is_some()
                    && package.zone == Zone::Product
                    && package.scope == DependencyScope::Required
                    && package.relation == DependencyRelation::Direct
                    && (!narrow || of_folder(package))
                    && systems.iter().any(|system| speaks_of(context, &package.file, system))
                    && !listed.iter().any(|name| {
                        normalize_name(package.ecosystem, name) == normalize_name(package.ecosystem, &package.name)
                    })
            })
            .collect();
        let models = if bill.value.ends_with("with models") {
            models_of(context, &systems)
                .into_iter()
                .filter(|(name, ..)| !listed.iter().any(|listed| same_model(listed, name)))
                .collect()
        } else {
            Vec::new()
        };
        let mut names: Vec<String> = missing.iter().map(|package| format!("`{}`", package.name)).collect();
        names.extend(models.iter().map(|(name, ..)| format!("`{name}`")));
        names.sort();
        names.dedup();
        if names.is_empty() {
            continue;
        }
        let more = names.len().saturating_sub(NAMES_MAX);
        names.truncate(NAMES_MAX);
        let mut text = names.join(", ");
        if more > 0 {
            text = format!("{text} and {more} more");
        }
        let at = (bill.file.as_str(), bill.line);
        let mut builder = contradiction(
            report,
            "OBL-069",
            &systems,
            80,
            at,
            format!("the bill of materials does not list {text}"),
        )
        .anchor("bill")
        .evidence(EvidenceKind::Configuration, bill.value.clone(), at.0, at.1);
        for package in missing.iter().take(NAMES_MAX) {
            builder = builder.evidence(
                EvidenceKind::Dependency,
                package.purl.clone(),
                &package.file,
                package.line.unwrap_or(1),
            );
        }
        for (name, file, line) in models.iter().take(NAMES_MAX) {
            builder = builder.evidence(EvidenceKind::Code, name.clone(), file, *line);
        }
    }
}

/// Names that a message lists.
const NAMES_MAX: usize = 6;
