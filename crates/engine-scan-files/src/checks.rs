//! What the files of a project show about its duties, and what speaks against them.

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
    /// A file of environment values with live-looking secrets that is not kept out of version control.
    ///
    /// Art. 15(5) asks to protect high-risk systems against attacks; a key in the history of a repository is open to all who read it.
    /// Values are never shown. Samples without live values, and files that version control ignores, are left alone; what git tracks is not
    /// ignored, whatever its rules say. In a tree without version control nothing shows that a file is kept out that is
    /// to be ignored. The secrets of the file
    /// are evidence of it and not reported one by one.
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
        fix: "Take the file out of version control, add it to .gitignore, and replace the keys at their providers.",
        fixable: false,
        run: secrets,
    }
}

declare_check! {
    /// An evaluation of the model that no pipeline runs.
    ///
    /// Art. 9(8) asks to test high-risk systems against metrics and thresholds that were set before; a suite that nobody runs shows nothing about the version that ships.
    /// A pipeline that runs an evaluation is evidence.
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
        evidence: "A pipeline runs the evaluation of a model",
        severity: Low,
        fix: "Run the suite in the pipeline and let it fail below the thresholds.",
        fixable: false,
        run: evaluation,
    }
}

declare_check! {
    /// Logs that are deleted after less than six months.
    ///
    /// Art. 19(1) asks providers, and Art. 26(6) deployers, to keep the automatic logs of a high-risk system for at least six months; 180 days are taken for them.
    /// A retention of 180 days or more is evidence. Backups, metrics and artefacts of builds are no logs.
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
        evidence: "Logs are kept long enough",
        severity: Medium,
        fix: "Keep the logs of the AI system for at least 180 days.",
        fixable: false,
        run: retention,
    }
}

declare_check! {
    /// A deployment without any monitoring in the tree.
    ///
    /// Art. 72 asks providers, and Art. 26(5) deployers, to watch a high-risk system in operation.
    /// Telemetry packages, alerts and dashboards are evidence. Monitoring can also live elsewhere, so the confidence is low.
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
        evidence: "A deployment is watched",
        severity: Low,
        fix: "Collect figures and errors of the AI system, and keep alerts or dashboards beside the code.",
        fixable: false,
        run: monitoring,
    }
}

declare_check! {
    /// A model card that is still a template.
    ///
    /// Art. 11 asks for technical documentation; a model card is the usual place for the description of a model, and a template describes none.
    /// A card with content is evidence.
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
        evidence: "A model card tells what the model is",
        severity: Low,
        fix: "Fill in the card: use, training data, evaluation and limits of the model.",
        fixable: false,
        run: model_card,
    }
}

/// Days that stand for six months.
const RETENTION_DAYS_MIN: u32 = 180;

fn secrets(context: &CheckContext<'_>, report: &mut Report) {
    let open: Vec<&Artefact> = of_kind(context, ArtefactKind::SecretsFile)
        .filter(|artefact| artefact.because != IGNORED)
        .collect();
    // Copies beside one another (`.env.backup`, `.env.backup2`) are one lesson, told at the first of them.
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
                "{}, and no version control is in sight that would keep it out{others}",
                artefact.because
            );
            report.fail(60, message)
        } else if sample {
            report.fail(
                79,
                format!(
                    "{}, and a sample is there for everybody to read{others}",
                    artefact.because
                ),
            )
        } else {
            let message = format!(
                "{}, and the file is not kept out of version control{others}",
                artefact.because
            );
            report.fail(79, message)
        };
        let mut entry = place(builder, context, artefact, EvidenceKind::Configuration);
        // All that the file holds is mended together, so that each secret is evidence and no finding of its own.
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
                "Put a made-up value in its place, take it out of the history, and replace it wherever it is in use: a key of a service at its provider, a key of the application by a new one.",
            );
        } else if artefact.because.ends_with(LISTED) {
            entry = entry.fix(
                "Make sure that no history holds the file (`git rm --cached`), and replace what it holds where anybody else may have read it.",
            );
        }
        if is_told_elsewhere(context, artefact) {
            entry.aside();
        }
    }
}

/// Whether two files of environment values hold the same secrets: both are mended in one go.
fn holds_the_same(context: &CheckContext<'_>, one: &Artefact, other: &Artefact) -> bool {
    let held = |file: &str| -> std::collections::BTreeSet<&str> {
        let of = context.secrets.iter().filter(|secret| secret.file == file);
        of.map(|secret| secret.fingerprint.as_str()).collect()
    };
    let held_here = held(&one.file);
    !held_here.is_empty() && held_here == held(&other.file)
}

/// What is said of the files beside one that is told of.
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
        names => format!("; the same holds for {}", names.join(", ")),
    }
}

/// Whether a file shows others which values a program wants, so that it belongs into version control: `.env.example`.
fn is_sample(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
    name.split(['.', '-', '_'])
        .any(|part| matches!(part, "example" | "examples" | "sample" | "template" | "dist" | "tmpl"))
}

/// Whether each value that looks live in a file of environment values stands in another file too, where the finding about that secret names
/// this file as a further place.
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
        // Without limits in the tree it is open what the step is measured against.
        let (confidence, limits) = if limits {
            (75, "against limits in the tree")
        } else {
            (60, "with limits that are not in the tree")
        };
        let message = format!("{} in the pipeline, {limits}", artefact.because);
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
        let message = format!("{}, which no pipeline in the tree runs", artefact.because);
        place(report.fail(60, message), context, artefact, EvidenceKind::Configuration);
    }
}

fn retention(context: &CheckContext<'_>, report: &mut Report) {
    for artefact in of_kind(context, ArtefactKind::LogConfiguration) {
        let Some(days) = artefact.days else { continue };
        let builder = if days < RETENTION_DAYS_MIN {
            report.fail(70, format!("{}, less than {RETENTION_DAYS_MIN}", artefact.because))
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
            report.pass(65, artefact.because.clone()),
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
            "{}, and nothing in the tree watches it: no alerts, dashboards or telemetry packages",
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

/// Whether a description is meant for the machines of those who develop: its name says so.
fn is_for_development(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.split(['.', '-', '_']).any(|part| {
        matches!(
            part,
            "dev" | "development" | "local" | "test" | "tests" | "override" | "debug"
        )
    })
}

/// Whether a description may deploy an AI system: one in a folder with code speaks for that code, and one elsewhere for all.
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
            report.fail(80, format!("the model card is {}", artefact.because))
        } else {
            report.pass(79, format!("a model card: {}", artefact.because))
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

/// What tells two artefacts of one file apart: the name in what told them, without its figures.
fn anchor(artefact: &Artefact) -> String {
    artefact.because.split('`').nth(1).unwrap_or_default().to_owned()
}

/// The system that a file belongs to: the one in whose folder it lies, or the only one there is.
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
