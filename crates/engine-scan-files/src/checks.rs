//! Checks on the files of a project: evidence and gaps.

#[cfg(test)]
mod tests;

use engine_model::{
    Artefact, ArtefactKind, Check, CheckContext, EvidenceKind, Language, Location, ObservationBuilder, Report, System,
    Zone, declare_check,
};

use crate::kinds::{TEMPLATE, THRESHOLD};
use crate::read::{IGNORED, LISTED};

/// The checks of this layer.
pub const CHECKS: &[Check] = &[
    COMMITTED_SECRETS_FILE,
    EVALUATION_NOT_IN_PIPELINE,
    SHORT_LOG_RETENTION,
    UNMONITORED_DEPLOYMENT,
    UNFILLED_MODEL_CARD,
];

declare_check! {
    /// Secrets file not excluded from version control.
    ///
    /// Anyone who can read the repository or its history can use the secrets in an environment file such as `.env`.
    /// Art. 15(5) requires high-risk systems to be protected against attacks.
    /// This check reports files with values that look like live secrets, unless version control ignores the file. A tracked file is
    /// reported even if an ignore rule matches it. In a folder without version control, a file that matches an ignore rule is
    /// also reported, because nothing shows that it stays out of a repository.
    /// The secrets of the file are evidence of this finding and are not reported one by one. In a project without an AI system,
    /// the secret checks report each of them instead. Either way they are reported in every project, with or without an AI system,
    /// because the secrets can be abused today. Sample files without live values are not reported. Values are never shown.
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
    /// //- .env
    /// OPENAI_API_KEY=sk-proj-q8Zr2LwT5vN1xKc7Hb3M
    /// LOG_LEVEL=info
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
    /// //- .env.example
    /// OPENAI_API_KEY=your-key-here
    /// LOG_LEVEL=info
    /// ```
    COMMITTED_SECRETS_FILE {
        id: "l1-committed-secrets-file",
        layer: L1,
        obligation: "OBL-047",
        severity: High,
        impact: Exposes,
        fix: "Remove the file from version control and add it to .gitignore. Revoke the keys at their providers and create new ones.",
        fixable: false,
        run: secrets,
    }
}

declare_check! {
    /// Model evaluation not run in the pipeline.
    ///
    /// Art. 9(8) requires high-risk systems to be tested against metrics and thresholds that were defined in advance.
    /// An evaluation suite that no pipeline runs proves nothing about the released version.
    /// A pipeline that runs an evaluation is reported as evidence.
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
    /// //- promptfooconfig.yaml
    /// prompts: [prompts/rank.txt]
    /// providers: [openai:gpt-4.1]
    /// tests:
    ///   - vars: {cv: a}
    ///     assert:
    ///       - type: contains
    ///         value: reason
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: pytest tests/test_retrieval.py
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
    /// //- promptfooconfig.yaml
    /// prompts: [prompts/rank.txt]
    /// providers: [openai:gpt-4.1]
    /// tests:
    ///   - vars: {cv: a}
    ///     assert:
    ///       - type: contains
    ///         value: reason
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: npx promptfoo eval
    /// ```
    EVALUATION_NOT_IN_PIPELINE {
        id: "l1-evaluation-not-in-pipeline",
        layer: L1,
        obligation: "OBL-024",
        also: &["OBL-043"],
        evidence: "Model evaluation in the pipeline found",
        severity: Low,
        impact: Prepares,
        fix: "Run the evaluation suite in the pipeline. Let the pipeline fail if a result is below its threshold.",
        fixable: false,
        run: evaluation,
    }
}

declare_check! {
    /// Log retention shorter than six months.
    ///
    /// Art. 19(1) requires providers to keep the automatic logs of a high-risk system for at least six months. Art. 26(6) requires the
    /// same of deployers. This check counts six months as 180 days. A retention of 180 days or more is reported as evidence.
    /// Backups, metrics and build artefacts do not count as logs.
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
    /// //- infra/logs.tf
    /// resource "aws_cloudwatch_log_group" "app" {
    ///   name              = "/ecs/ranking"
    ///   retention_in_days = 30
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
    /// //- infra/logs.tf
    /// resource "aws_cloudwatch_log_group" "app" {
    ///   name              = "/ecs/ranking"
    ///   retention_in_days = 365
    /// }
    /// //- infra/db.tf
    /// resource "aws_db_instance" "main" {
    ///   backup_retention_period = 7
    /// }
    /// ```
    SHORT_LOG_RETENTION {
        id: "l1-short-log-retention",
        layer: L1,
        obligation: "OBL-055",
        also: &["OBL-075"],
        evidence: "Log retention of 180 days or more",
        severity: Medium,
        impact: Prepares,
        fix: "Keep the logs of the AI system for at least 180 days.",
        fixable: false,
        run: retention,
    }
}

declare_check! {
    /// Deployment without monitoring.
    ///
    /// Art. 72 requires providers to monitor a high-risk system in operation. Art. 26(5) requires the same of deployers.
    /// Telemetry packages, alerts and dashboards are reported as evidence. Monitoring can also be configured outside this project, so
    /// check that before you act on this finding.
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
    /// //- docker-compose.yml
    /// services:
    ///   api:
    ///     build: .
    ///     ports: ["8000:8000"]
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
    /// //- docker-compose.yml
    /// services:
    ///   api:
    ///     build: .
    ///     ports: ["8000:8000"]
    /// //- ops/prometheus.yml
    /// scrape_configs:
    ///   - job_name: api
    ///     static_configs:
    ///       - targets: ["api:8000"]
    /// ```
    UNMONITORED_DEPLOYMENT {
        id: "l1-unmonitored-deployment",
        layer: L1,
        obligation: "OBL-113",
        also: &["OBL-073"],
        evidence: "Monitoring of a deployment found",
        severity: Low,
        impact: Prepares,
        fix: "Collect metrics and errors of the AI system. Store alert rules or dashboards with the code.",
        fixable: false,
        run: monitoring,
    }
}

declare_check! {
    /// Model card is an unfilled template.
    ///
    /// Art. 11 requires technical documentation for high-risk systems. A model card is the usual place to describe a model, but a
    /// template with open placeholders describes nothing. A card with content is reported as evidence.
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
    /// //- MODEL_CARD.md
    /// # Model card for the ranker
    ///
    /// ## Model details
    ///
    /// [More Information Needed]
    ///
    /// ## Intended use
    ///
    /// [More Information Needed]
    ///
    /// ## Training data
    ///
    /// [More Information Needed]
    ///
    /// ## Evaluation
    ///
    /// [More Information Needed]
    ///
    /// ## Limitations
    ///
    /// [More Information Needed]
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
    /// //- MODEL_CARD.md
    /// # Model card for the ranker
    ///
    /// ## Model details
    ///
    /// A hosted language model with a prompt of 300 words that puts applications into an order.
    ///
    /// ## Intended use
    ///
    /// For recruiters of the service centre, and for no decision without a person.
    ///
    /// ## Limitations
    ///
    /// [More Information Needed]
    /// ```
    UNFILLED_MODEL_CARD {
        id: "l1-unfilled-model-card",
        layer: L1,
        obligation: "OBL-030",
        also: &["OBL-102"],
        evidence: "Filled-in model card found",
        severity: Low,
        impact: Prepares,
        fix: "Fill in the model card: intended use, training data, evaluation and limitations.",
        fixable: false,
        run: model_card,
    }
}

/// Six months in days.
const RETENTION_DAYS_MIN: u32 = 180;

fn secrets(context: &CheckContext<'_>, report: &mut Report) {
    let open: Vec<&Artefact> = of_kind(context, ArtefactKind::SecretsFile)
        .filter(|artefact| artefact.because != IGNORED)
        .collect();
    // Copies in one folder (`.env.backup`, `.env.backup2`) are reported once, at the first copy.
    let is_beside = |artefact: &Artefact, other: &Artefact| {
        let told = |artefact: &Artefact| (is_sample(&artefact.file), artefact.because.ends_with(LISTED));
        let folder = |artefact: &Artefact| artefact.file.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
        let near =
            folder(artefact) == folder(other) && artefact.file[..folder(artefact)] == other.file[..folder(other)];
        other.file != artefact.file
            && (near || holds_the_same(context, artefact, other))
            && told(artefact) == told(other)
            && !is_told_elsewhere(context, other)
    };
    for (at, artefact) in open.iter().copied().enumerate() {
        if open[..at].iter().any(|before| is_beside(artefact, before)) {
            continue;
        }
        let beside: Vec<&Artefact> = open[at + 1..]
            .iter()
            .copied()
            .filter(|other| is_beside(artefact, other))
            .collect();
        let sample = is_sample(&artefact.file);
        let others = others(&beside);
        let builder = if artefact.because.ends_with(LISTED) {
            let message = format!(
                "{}, but no version control was found that applies the rule{others}",
                artefact.because
            );
            report.fail(60, message)
        } else if sample {
            report.fail(
                79,
                format!(
                    "{}, although a sample file is meant to be shared{others}",
                    artefact.because
                ),
            )
        } else {
            let message = format!(
                "{}, and the file is not excluded from version control{others}",
                artefact.because
            );
            report.fail(79, message)
        };
        let mut entry = place(builder, context, artefact, EvidenceKind::Configuration);
        // All secrets of the file are fixed together, so each secret is evidence and not a separate finding.
        for other in &beside {
            entry = entry.evidence(
                EvidenceKind::Configuration,
                other.because.clone(),
                &other.file,
                other.line,
            );
        }
        let holds = |file: &str| artefact.file == file || beside.iter().any(|other| other.file == file);
        for secret in context.secrets.iter().filter(|secret| holds(&secret.file)) {
            let what = format!("{} {}", secret.title, secret.masked);
            entry = entry.evidence(EvidenceKind::Configuration, what, &secret.file, secret.line);
        }
        if sample {
            entry = entry.fix(
                "Replace the value with a placeholder and remove it from the Git history. Rotate the secret wherever it is used: service keys at the provider, application keys in the application.",
            );
        } else if artefact.because.ends_with(LISTED) {
            entry = entry.fix(
                "Make sure that no repository contains the file (`git rm --cached`) and that its history does not either. Replace the secrets if someone else may have read them.",
            );
        }
        if is_told_elsewhere(context, artefact) {
            entry.aside();
        }
    }
}

/// Whether two environment files contain the same secrets: both are fixed together.
fn holds_the_same(context: &CheckContext<'_>, one: &Artefact, other: &Artefact) -> bool {
    let held = |file: &str| -> std::collections::BTreeSet<&str> {
        let of = context.secrets.iter().filter(|secret| secret.file == file);
        of.map(|secret| secret.fingerprint.as_str()).collect()
    };
    let held_here = held(&one.file);
    !held_here.is_empty() && held_here == held(&other.file)
}

/// Names the other files with the same problem.
fn others(beside: &[&Artefact]) -> String {
    /// Files that are written out.
    const NAMED_MAX: usize = 4;
    let mut names: Vec<String> = beside
        .iter()
        .take(NAMED_MAX)
        .map(|other| format!("`{}`", other.file))
        .collect();
    if let Some(more @ 1..) = beside.len().checked_sub(NAMED_MAX) {
        names.push(format!("{more} more"));
    }
    match names.as_slice() {
        [] => String::new(),
        names => format!("; same problem in {}", names.join(", ")),
    }
}

/// Whether a file is a sample of the settings, which belongs in version control: `.env.example`.
fn is_sample(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
    name.split(['.', '-', '_'])
        .any(|part| matches!(part, "example" | "examples" | "sample" | "template" | "dist" | "tmpl"))
}

/// Whether each live-looking value of an environment file is also in another file, where the finding about that secret names this file
/// as a further place.
fn is_told_elsewhere(context: &CheckContext<'_>, artefact: &Artefact) -> bool {
    let whole: Vec<&str> = of_kind(context, ArtefactKind::SecretsFile)
        .map(|other| other.file.as_str())
        .collect();
    let here: Vec<_> = context
        .secrets
        .iter()
        .filter(|secret| secret.file == artefact.file)
        .collect();
    // The reason names each key between two marks, and counts those beyond the first few.
    let keys = artefact.because.matches('`').count() / 2;
    let counted = artefact.because.contains(" more keys ");
    !counted
        && !here.is_empty()
        && here.len() >= keys
        && here.iter().all(|secret| {
            context.secrets.iter().any(|other| {
                other.fingerprint == secret.fingerprint
                    && !whole.contains(&other.file.as_str())
                    && Zone::of_path(&other.file, "") == Zone::Product
            })
        })
}

fn evaluation(context: &CheckContext<'_>, report: &mut Report) {
    let mut run = false;
    let limits = of_kind(context, ArtefactKind::Evaluation).any(|artefact| artefact.because.contains(THRESHOLD));
    for artefact in of_kind(context, ArtefactKind::CiEvaluation) {
        run = true;
        // Without thresholds in the repository it is unknown how the step decides.
        let (confidence, limits) = if limits {
            (75, "thresholds found in the repository")
        } else {
            (60, "no thresholds found in the repository")
        };
        let message = format!("Evaluation in CI: {}; {limits}", artefact.because);
        place(
            report.pass(confidence, message),
            context,
            artefact,
            EvidenceKind::Configuration,
        );
    }
    if run || of_kind(context, ArtefactKind::CiPipeline).next().is_none() {
        return;
    }
    for artefact in of_kind(context, ArtefactKind::Evaluation).filter(|artefact| artefact.because.contains(THRESHOLD)) {
        let message = format!(
            "No pipeline in the repository runs this evaluation: {}",
            artefact.because
        );
        place(report.fail(60, message), context, artefact, EvidenceKind::Configuration);
    }
}

fn retention(context: &CheckContext<'_>, report: &mut Report) {
    for artefact in of_kind(context, ArtefactKind::LogConfiguration) {
        let Some(days) = artefact.days else { continue };
        let builder = if days < RETENTION_DAYS_MIN {
            report.fail(
                70,
                format!("{}, less than six months ({RETENTION_DAYS_MIN} days)", artefact.because),
            )
        } else {
            report.pass(70, artefact.because.clone())
        };
        place(builder, context, artefact, EvidenceKind::Configuration);
    }
}

/// Parts of the names of packages that send figures, traces or errors somewhere.
const TELEMETRY: &[&str] = &[
    "opentelemetry",
    "sentry",
    "langfuse",
    "langsmith",
    "prometheus",
    "ddtrace",
    "datadog",
    "dd-trace",
    "newrelic",
    "openinference",
    "openllmetry",
    "traceloop",
    "evidently",
    "micrometer",
    "actuator",
    "applicationinsights",
    "azure-monitor",
    "honeycomb",
    "helicone",
    "arize",
    "whylogs",
];

fn monitoring(context: &CheckContext<'_>, report: &mut Report) {
    let mut seen = false;
    for artefact in of_kind(context, ArtefactKind::Monitoring) {
        seen = true;
        place(
            report.pass(65, format!("Monitoring found: {}", artefact.because)),
            context,
            artefact,
            EvidenceKind::Configuration,
        );
    }
    let telemetry = context.has_systems()
        && context.inventory.packages.iter().any(|package| {
            let name = package.name.to_lowercase();
            TELEMETRY.iter().any(|part| name.contains(part))
        });
    if seen
        || telemetry
        || context
            .product_files()
            .any(|file| is_watching(&file.path, file.language))
    {
        return;
    }
    let deployment = of_kind(context, ArtefactKind::Deployment)
        .filter(|artefact| !is_for_development(&artefact.file))
        .find(|artefact| deploys_ai(context, &artefact.file));
    if let Some(artefact) = deployment {
        let message = format!(
            "Deployment found ({}), but no monitoring: no alerts, dashboards or telemetry packages",
            artefact.because
        );
        place(report.fail(88, message), context, artefact, EvidenceKind::Configuration);
    }
}

/// Whether code of the project collects figures itself, by the name of its file or folder.
fn is_watching(path: &str, language: Language) -> bool {
    language.is_code()
        && path.split('/').any(|part| {
            let stem = part.split('.').next().unwrap_or(part);
            // In programs that learn, metrics are those of a model.
            let of_a_service = || {
                path.rsplit('/')
                    .nth(1)
                    .is_some_and(|folder| matches!(folder, "services" | "api" | "middleware" | "routers" | "routes"))
            };
            let figures =
                stem == "metrics" && (!matches!(language, Language::Python | Language::Notebook) || of_a_service());
            figures
                || matches!(
                    stem,
                    "telemetry" | "monitoring" | "observability" | "prometheus" | "tracing" | "instrumentation"
                )
        })
}

/// Whether the name of a deployment description marks it as one for development.
fn is_for_development(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.split(['.', '-', '_']).any(|part| {
        matches!(
            part,
            "dev" | "development" | "local" | "test" | "tests" | "override" | "debug"
        )
    })
}

/// Whether a description may deploy an AI system: one in a folder with code covers that code, one elsewhere covers all code.
fn deploys_ai(context: &CheckContext<'_>, description: &str) -> bool {
    let Some((folder, _)) = description.rsplit_once('/') else {
        return true;
    };
    let below = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let ai = context
        .systems
        .iter()
        .flat_map(|system| &system.files)
        .any(|file| below(file));
    ai || !context
        .product_files()
        .any(|file| file.language.is_code() && file.language != Language::Shell && below(&file.path))
}

fn model_card(context: &CheckContext<'_>, report: &mut Report) {
    for artefact in of_kind(context, ArtefactKind::ModelCard) {
        let builder = if artefact.because.starts_with(TEMPLATE) {
            report.fail(80, format!("The model card is {}", artefact.because))
        } else {
            report.pass(79, format!("Model card found: {}", artefact.because))
        };
        place(builder, context, artefact, EvidenceKind::Document);
    }
}

/// The artefacts of a kind, where there is an AI system at all.
fn of_kind<'a>(context: &CheckContext<'a>, kind: ArtefactKind) -> impl Iterator<Item = &'a Artefact> + use<'a> {
    let artefacts = if context.has_systems() { context.artefacts } else { &[] };
    artefacts.iter().filter(move |artefact| artefact.kind == kind)
}

fn place<'r>(
    builder: ObservationBuilder<'r>,
    context: &CheckContext<'_>,
    artefact: &Artefact,
    kind: EvidenceKind,
) -> ObservationBuilder<'r> {
    let builder = builder
        .at(Location::line(artefact.file.clone(), artefact.line))
        .anchor(anchor(artefact))
        .evidence(kind, artefact.because.clone(), &artefact.file, artefact.line);
    match system_of(context, &artefact.file) {
        Some(system) => builder.system(system),
        None => builder,
    }
}

/// Distinguishes two artefacts of one file: the name in the reason, without its figures.
fn anchor(artefact: &Artefact) -> String {
    artefact.because.split('`').nth(1).unwrap_or_default().to_owned()
}

/// The system that a file belongs to: the system whose folder contains it, or the only system.
fn system_of<'a>(context: &CheckContext<'a>, file: &str) -> Option<&'a System> {
    if let [only] = context.systems {
        return Some(only);
    }
    let mut inside = context
        .systems
        .iter()
        .filter(|system| !system.scope.is_empty() && context.in_scope(system, file));
    let first = inside.next()?;
    inside.next().is_none().then_some(first)
}
