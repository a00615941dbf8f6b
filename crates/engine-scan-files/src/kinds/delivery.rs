//! Pipelines, container images, deployments and their monitoring.

use engine_model::{ArtefactKind, Language};

use crate::read::Candidate;
use crate::view::{View, candidate, number};

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    if let Some((line, because)) = pipeline(view) {
        out.push(candidate(ArtefactKind::CiPipeline, line, because));
        if let Some((line, because)) = evaluation_step(view) {
            out.push(candidate(ArtefactKind::CiEvaluation, line, because));
        }
        return;
    }
    if let Some((line, because)) = image(view) {
        out.push(candidate(ArtefactKind::ContainerImage, line, because));
    }
    if let Some((line, because)) = deployment(view) {
        out.push(candidate(ArtefactKind::Deployment, line, because));
    }
    if let Some((line, because)) = monitoring(view) {
        out.push(candidate(ArtefactKind::Monitoring, line, because));
    }
}

/// A pipeline of one of the common services, by its shape.
pub(crate) fn pipeline(view: &View<'_>) -> Option<(u32, &'static str)> {
    if view.language == Language::Yaml {
        let trigger = view.has_key("on") || view.has_key("true");
        if trigger && view.has_key("jobs") && (view.has("runs-on:") || view.has("uses:")) {
            return Some((view.key_line("jobs"), "a GitHub workflow with jobs"));
        }
        if view.has_key("jobs")
            && (view.has_key("workflows") || view.has_key("orbs") || view.has("- checkout"))
            && view.has("steps:")
        {
            return Some((view.key_line("jobs"), "a CircleCI pipeline with jobs"));
        }
        let tasks = ["- task:", "- script:", "- bash:"]
            .into_iter()
            .any(|step| view.has(step));
        if tasks
            && (view.has_key("pool") || view.has_key("trigger") || view.has_key("pr"))
            && (view.has_key("steps") || view.has_key("jobs") || view.has_key("stages"))
        {
            return Some((
                view.line_with("- task:").or(view.line_with("- script:")).unwrap_or(1),
                "an Azure pipeline with tasks",
            ));
        }
        let script = view.line_where(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with("script:"));
        if let Some(line) = script
            && (view.has_key("stages") || view.has_key("image") || view.name.contains("gitlab-ci"))
        {
            return Some((line, "a GitLab pipeline with scripts"));
        }
        return None;
    }
    if view.language == Language::Other
        && (view.has("pipeline {") && view.has("stages {") || view.has("node") && view.has("stage('"))
    {
        return Some((view.line_with("stage").unwrap_or(1), "a Jenkins pipeline with stages"));
    }
    None
}

/// Programs that evaluate or attack a model.
const EVALUATORS: &[&str] = &[
    "promptfoo eval",
    "promptfoo@latest eval",
    "promptfoo redteam",
    "deepeval test",
    "lm_eval",
    "lm-eval",
    "inspect eval",
    "garak",
    "giskard",
    "pyrit",
    "braintrust eval",
    "trulens",
    "ragas",
    "oaieval",
    "evidently",
    "langsmith evaluate",
    "promptfoo-action",
];
/// Programs that run something of the project.
const RUNNERS: &[&str] = &[
    "pytest", "python", "npm", "pnpm", "yarn", "bun", "npx", "make", "uv", "poetry", "go", "cargo", "mvn", "gradlew",
    "just", "task", "dotnet", "node",
];
/// Words of a command that evaluates.
const EVALUATION_WORDS: &[&str] = &[
    "eval",
    "evals",
    "evaluate",
    "evaluation",
    "evaluations",
    "redteam",
    "fairness",
    "biastest",
];

fn evaluation_step(view: &View<'_>) -> Option<(u32, String)> {
    for (index, line) in view.lines.iter().enumerate() {
        if let Some(program) = EVALUATORS.iter().find(|program| contains_word(line, program)) {
            return Some((number(index), format!("a pipeline step runs `{program}`")));
        }
        let words: Vec<&str> = line
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let runner = words.iter().position(|word| RUNNERS.contains(word));
        let evaluates = words.iter().rposition(|word| EVALUATION_WORDS.contains(word));
        if let (Some(runner), Some(evaluates)) = (runner, evaluates)
            && runner < evaluates
        {
            return Some((
                number(index),
                format!("a pipeline step runs {} for `{}`", words[runner], words[evaluates]),
            ));
        }
    }
    None
}

/// Whether a text stands in a line with no letter next to it.
pub(crate) fn contains_word(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + needle.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn image(view: &View<'_>) -> Option<(u32, String)> {
    if view.language != Language::Other {
        return None;
    }
    let mut from: Option<(u32, String)> = None;
    for (index, line) in view.text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or("").to_ascii_uppercase();
        match (&from, word.as_str()) {
            (None, "FROM") => from = Some((number(index), words.next().unwrap_or("").to_owned())),
            (None, "ARG") => {}
            // A text that only opens with the word is no recipe for an image.
            (None, _) => return None,
            (Some((line, base)), "RUN" | "CMD" | "COPY" | "ENTRYPOINT" | "ADD" | "USER" | "EXPOSE") => {
                return Some((*line, format!("an image built on `{base}`")));
            }
            _ => {}
        }
    }
    None
}

/// Images of stores, queues and tools: a file that starts only these runs none of the project.
const INFRASTRUCTURE: &[&str] = &[
    "postgres",
    "postgresql",
    "pgvector",
    "postgis",
    "timescaledb",
    "mysql",
    "mariadb",
    "mongo",
    "mongodb",
    "redis",
    "valkey",
    "memcached",
    "rabbitmq",
    "kafka",
    "cp-kafka",
    "zookeeper",
    "nats",
    "minio",
    "localstack",
    "elasticsearch",
    "opensearch",
    "kibana",
    "qdrant",
    "chroma",
    "weaviate",
    "milvus",
    "neo4j",
    "cassandra",
    "mssql",
    "adminer",
    "phpmyadmin",
    "pgadmin4",
    "mailhog",
    "mailpit",
    "azurite",
    "redis-stack",
    "redisinsight",
];

/// Whether a file of services builds one of the tree, or runs an image that may be one of the project.
fn runs_own(view: &View<'_>) -> bool {
    view.lines
        .iter()
        .map(|line| line.trim_start().trim_start_matches("- "))
        .any(|line| {
            if line.starts_with("build:") || line.starts_with("dockerfile:") {
                return true;
            }
            let Some(image) = line.strip_prefix("image:") else {
                return false;
            };
            let image = image.trim().trim_matches(['"', '\'']);
            let name = image.rsplit('/').next().unwrap_or(image);
            let name = name.split([':', '@']).next().unwrap_or(name);
            !name.is_empty() && !INFRASTRUCTURE.contains(&name)
        })
}

fn deployment(view: &View<'_>) -> Option<(u32, &'static str)> {
    match view.language {
        Language::Yaml => {
            if view.has_key("services") && runs_own(view) && !view.has_key("type") {
                return Some((view.key_line("services"), "a compose file with services"));
            }
            if view.has_key("apiversion") && view.has_key("kind") {
                let kinds = [
                    "deployment",
                    "statefulset",
                    "daemonset",
                    "cronjob",
                    "job",
                    "pod",
                    "service",
                    "ingress",
                ];
                let line = view.line_where(|line| {
                    line.strip_prefix("kind:")
                        .is_some_and(|kind| kinds.contains(&kind.trim()))
                })?;
                return Some((line, "a Kubernetes resource"));
            }
            if view.has_key("provider") && view.has_key("functions") {
                return Some((
                    view.key_line("functions"),
                    "a Serverless Framework configuration with functions",
                ));
            }
            if view.has_key("awstemplateformatversion") || view.has("aws::serverless") {
                return Some((view.key_line("resources"), "a CloudFormation template"));
            }
            if view.has_key("services") && view.has("type: web") && (view.has("env:") || view.has("runtime:")) {
                return Some((view.key_line("services"), "a Render configuration with a web service"));
            }
            if view.has_key("apiversion") && view.has_key("appversion") && view.has_key("version") {
                return Some((view.key_line("appversion"), "a Helm chart"));
            }
            None
        }
        Language::Toml => (view.has("[http_service]") || view.has("[[services]]")).then(|| {
            (
                view.line_with("[http_service]")
                    .or(view.line_with("[[services]]"))
                    .unwrap_or(1),
                "a Fly.io configuration with a service",
            )
        }),
        Language::Json => {
            // Pages that are only sent to their one file run nothing.
            let serves = view.lines.iter().any(|line| {
                line.split_once("\"destination\"")
                    .is_some_and(|(_, rest)| !rest.contains(".html") && !rest.contains("\"/\""))
            });
            let vercel = view.has("\"rewrites\"") && serves || view.has("\"builds\"") && view.has("\"@vercel/");
            vercel.then_some((1, "a Vercel configuration"))
        }
        Language::Other => {
            let resource = view.line_where(|line| line.starts_with("resource \""));
            if let Some(line) = resource
                && view.has("{")
            {
                return Some((line, "Terraform resources"));
            }
            let process = view.line_where(|line| line.starts_with("web: "))?;
            view.lines
                .iter()
                .all(|line| line.is_empty() || line.contains(": "))
                .then_some((process, "a Procfile with a web process"))
        }
        _ => None,
    }
}

fn monitoring(view: &View<'_>) -> Option<(u32, &'static str)> {
    match view.language {
        Language::Yaml => {
            if view.has_key("scrape_configs") {
                return Some((
                    view.key_line("scrape_configs"),
                    "a Prometheus configuration that collects metrics",
                ));
            }
            if view.has("- alert:") && view.has("expr:") {
                return Some((view.line_with("- alert:").unwrap_or(1), "alert rules"));
            }
            if view.has_key("receivers") && view.has_key("exporters") && view.has_key("service") {
                return Some((view.key_line("service"), "an OpenTelemetry collector configuration"));
            }
            if view.has_key("receivers") && view.has_key("route") {
                return Some((view.key_line("receivers"), "an alerting configuration with receivers"));
            }
            let kind = view.line_where(|line| {
                matches!(
                    line.trim(),
                    "kind: servicemonitor" | "kind: prometheusrule" | "kind: podmonitor"
                )
            });
            if let Some(line) = kind {
                return Some((line, "a Kubernetes resource for monitoring"));
            }
            let images = [
                "image: prom/",
                "image: grafana/",
                "image: langfuse/",
                "image: otel/",
                "image: quay.io/prometheus",
                "image: docker.io/langfuse",
                "image: ghcr.io/langfuse",
            ];
            images
                .into_iter()
                .find_map(|image| view.line_with(image))
                .map(|line| (line, "a deployed monitoring service"))
        }
        Language::Json => {
            let dashboard = view.has("\"panels\"") && view.has("\"targets\"") && view.has("\"schemaversion\"");
            dashboard.then(|| (view.line_with("\"panels\"").unwrap_or(1), "a Grafana dashboard"))
        }
        Language::Other | Language::Toml => {
            let resources = [
                "resource \"aws_cloudwatch_metric_alarm\"",
                "resource \"google_monitoring_alert_policy\"",
                "resource \"azurerm_monitor_metric_alert\"",
                "resource \"datadog_monitor\"",
                "resource \"grafana_dashboard\"",
            ];
            if let Some(line) = resources.into_iter().find_map(|resource| view.line_with(resource)) {
                return Some((line, "a Terraform alert"));
            }
            let sentry =
                view.line_where(|line| line.starts_with("defaults.project=") || line.starts_with("defaults.org="));
            sentry.map(|line| (line, "a Sentry project"))
        }
        _ => None,
    }
}
