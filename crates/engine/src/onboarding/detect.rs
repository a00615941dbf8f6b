//! What is detected without asking anyone.

use std::collections::BTreeSet;

use engine_model::{DependencyRelation, DependencyScope, ScanResult, Zone};

use super::shapes::{Detected, DetectedSystem};
use crate::project::ProjectState;

/// Application frameworks by the name of their package, each with the name that people use.
const FRAMEWORKS: &[(&str, &str)] = &[
    ("@angular/core", "Angular"),
    ("@nestjs/core", "NestJS"),
    ("aiogram", "aiogram"),
    ("astro", "Astro"),
    ("chainlit", "Chainlit"),
    ("discord.py", "discord.py"),
    ("django", "Django"),
    ("electron", "Electron"),
    ("express", "Express"),
    ("fastapi", "FastAPI"),
    ("fastify", "Fastify"),
    ("flask", "Flask"),
    ("github.com/gin-gonic/gin", "Gin"),
    ("github.com/labstack/echo/v4", "Echo"),
    ("gradio", "Gradio"),
    ("actix-web", "Actix Web"),
    ("axum", "Axum"),
    ("laravel/framework", "Laravel"),
    ("next", "Next.js"),
    ("nuxt", "Nuxt"),
    ("org.springframework.boot:spring-boot-starter-web", "Spring Boot"),
    ("python-telegram-bot", "python-telegram-bot"),
    ("rails", "Rails"),
    ("react", "React"),
    ("streamlit", "Streamlit"),
    ("svelte", "Svelte"),
    ("symfony/framework-bundle", "Symfony"),
    ("vue", "Vue"),
];

/// Configuration of build servers.
const BUILD_SERVERS: &[(&str, &str)] = &[
    (".github/workflows/", "GitHub Actions"),
    (".gitlab-ci.yml", "GitLab CI"),
    ("Jenkinsfile", "Jenkins"),
    (".circleci/", "CircleCI"),
    ("azure-pipelines.yml", "Azure Pipelines"),
    ("bitbucket-pipelines.yml", "Bitbucket Pipelines"),
    (".woodpecker", "Woodpecker"),
    (".drone.yml", "Drone"),
];

/// Configuration of deployments, by the name of the file.
const DEPLOYMENTS: &[(&str, &str)] = &[
    ("Dockerfile", "container"),
    ("Containerfile", "container"),
    ("docker-compose.yml", "compose"),
    ("docker-compose.yaml", "compose"),
    ("compose.yaml", "compose"),
    ("Chart.yaml", "Helm"),
    ("serverless.yml", "Serverless"),
    ("fly.toml", "Fly.io"),
    ("render.yaml", "Render"),
    ("vercel.json", "Vercel"),
    ("Procfile", "Procfile"),
    ("app.yaml", "App Engine"),
    ("wrangler.toml", "Cloudflare Workers"),
];

pub(super) fn detected(state: &ProjectState, scan: &ScanResult) -> Detected {
    let mut languages: Vec<(&String, u64)> = scan
        .languages
        .iter()
        .filter(|(name, _)| !["json", "yaml", "toml", "markdown", "markup", "text", "xml"].contains(&name.as_str()))
        .map(|(name, files)| (name, *files))
        .collect();
    languages.sort_by_key(|(name, files)| (std::cmp::Reverse(*files), (*name).clone()));
    let languages: Vec<String> = languages.into_iter().map(|(name, _)| name.clone()).collect();
    let direct = || {
        scan.inventory.packages.iter().filter(|package| {
            package.zone == Zone::Product
                && package.scope != DependencyScope::Development
                && package.relation != DependencyRelation::Transitive
        })
    };
    let frameworks: BTreeSet<&str> = direct()
        .filter_map(|package| {
            let name = package.name.to_ascii_lowercase();
            FRAMEWORKS
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, title)| *title)
        })
        .collect();
    let frameworks: Vec<String> = frameworks.into_iter().map(str::to_owned).collect();
    let ai: BTreeSet<String> = direct()
        .filter(|package| package.ai_kind.is_some())
        .map(|package| package.name.clone())
        .collect();
    let models: BTreeSet<String> = scan
        .systems
        .iter()
        .flat_map(|system| system.models.iter().cloned())
        .collect();
    let cache = state.cache();
    let found = |table: &[(&str, &str)], fits: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
        let names: BTreeSet<&str> = cache
            .paths()
            .flat_map(|path| {
                table
                    .iter()
                    .filter(move |(known, _)| fits(path, known))
                    .map(|(_, title)| *title)
            })
            .collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let calls: Vec<f64> = scan
        .inventory
        .calls
        .iter()
        .filter(|call| call.system.is_some())
        .map(|call| f64::from(call.confidence))
        .collect();
    Detected {
        language: languages.first().cloned(),
        languages,
        framework: frameworks.first().cloned(),
        frameworks,
        ai_systems: scan
            .systems
            .iter()
            .map(|system| DetectedSystem {
                id: system.id.clone(),
                name: system.name.clone(),
                scope: system.scope.clone(),
                providers: system.providers.clone(),
                models: system.models.clone(),
                calls: scan
                    .inventory
                    .calls
                    .iter()
                    .filter(|call| {
                        call.kind == engine_model::CallKind::Call && call.system.as_ref() == Some(&system.id)
                    })
                    .count() as u64,
            })
            .collect(),
        ai_libraries: ai.into_iter().collect(),
        models: models.into_iter().collect(),
        cicd: found(BUILD_SERVERS, &|path, known| {
            path.strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || known.ends_with('/') || rest.starts_with(['/', '.']))
        }),
        deployment: found(DEPLOYMENTS, &|path, known| path.rsplit('/').next() == Some(known)),
        confidence: mean(&calls),
        applicability: scan.applicability,
        reason: scan.applicability_reason.clone(),
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    let number = u32::try_from(values.len()).ok().filter(|number| *number > 0)?;
    Some((values.iter().sum::<f64>() / f64::from(number) * 10.0).round() / 10.0)
}
