//! All strategies, one module a topic.

mod content_marking;
mod csharp;
mod documents;
mod go;
mod java;
mod kotlin;
mod manifests;
mod model_calls;
mod models;
mod pages;
mod papers;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod secrets;
mod settings;

use crate::Strategy;

/// Every strategy. Where several fit a finding, the first one is taken.
pub static STRATEGIES: &[&Strategy] = &[
    &models::SUCCESSOR_MODEL,
    &models::PINNED_MODEL,
    &pages::PAGE_DISCLOSURE,
    &pages::DECISION_NOTICE,
    &pages::EMOTION_NOTICE,
    &pages::ACCESSIBLE_PAGE,
    &script::SCRIPT_ERROR_HANDLING,
    &script::SCRIPT_INTERACTION_LOG,
    &script::SCRIPT_GREETING_DISCLOSURE,
    &script::SCRIPT_APPROVAL_BEFORE_COMMAND,
    &script::SCRIPT_CONTENT_MARKING,
    &python::PYTHON_ERROR_HANDLING,
    &python::PYTHON_INTERACTION_LOG,
    &python::PYTHON_GREETING_DISCLOSURE,
    &python::PYTHON_APPROVAL_BEFORE_COMMAND,
    &python::PYTHON_WEIGHTS_ONLY,
    &content_marking::PYTHON_CONTENT_MARKING,
    &manifests::PINNED_DEPENDENCY,
    &manifests::DECLARED_DEPENDENCY,
    &go::GO_ERROR_HANDLING,
    &go::GO_INTERACTION_LOG,
    &java::JAVA_ERROR_HANDLING,
    &java::JAVA_INTERACTION_LOG,
    &php::PHP_ERROR_HANDLING,
    &php::PHP_INTERACTION_LOG,
    &ruby::RUBY_ERROR_HANDLING,
    &ruby::RUBY_INTERACTION_LOG,
    &csharp::CSHARP_ERROR_HANDLING,
    &csharp::CSHARP_INTERACTION_LOG,
    &kotlin::KOTLIN_ERROR_HANDLING,
    &kotlin::KOTLIN_INTERACTION_LOG,
    &rust::RUST_ERROR_HANDLING,
    &rust::RUST_INTERACTION_LOG,
    &settings::IGNORED_SECRETS_FILE,
    &settings::LOG_RETENTION,
    &settings::EVALUATION_IN_PIPELINE,
    &secrets::SECRET_TO_ENVIRONMENT,
    &documents::DOCUMENT_DRAFT,
    &papers::DOCUMENTED_MODEL,
    &papers::DOCUMENTED_VERSION,
];

/// The strategy of a name.
pub fn strategy(id: &str) -> Option<&'static Strategy> {
    STRATEGIES.iter().copied().find(|strategy| strategy.id == id)
}
