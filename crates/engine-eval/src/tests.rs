//! Whole runs against small targets that speak real HTTP.

mod adapters;
mod answers;
mod budgets;
mod faults;
mod mock;
mod outputs;
mod scores;
mod stopping;
mod weaknesses;

use std::sync::Arc;

use engine_outbound::{Client, Limits};

use crate::{
    Endpoint, EvalResult, NoJournal, Plan, Rules, RunAbout, RunParts, RunRecord, RunSettings, Selection, Suite,
    TargetSettings, start,
};

pub(crate) const SEED: u64 = 42;

pub(crate) fn suite() -> &'static Suite {
    Suite::with_samples().unwrap()
}

pub(crate) fn endpoint(url: &str) -> Endpoint {
    let settings = TargetSettings {
        target: url.to_owned(),
        model: Some("mock".to_owned()),
        ..TargetSettings::default()
    };
    Endpoint::told(&settings).unwrap().unwrap()
}

pub(crate) fn parts(url: &str, selection: &Selection, settings: RunSettings) -> RunParts {
    RunParts {
        plan: Plan::of(suite(), selection, SEED).unwrap(),
        endpoint: endpoint(url),
        client: Client::new(Limits::default()),
        judge: Arc::new(Rules),
        grader: None,
        journal: Arc::new(NoJournal),
        past: Vec::new(),
        settings,
        purse: None,
    }
}

pub(crate) async fn record(url: &str, selection: &Selection, settings: RunSettings) -> RunRecord {
    start(parts(url, selection, settings)).finish().await.unwrap()
}

pub(crate) async fn result(url: &str, selection: &Selection) -> EvalResult {
    let settings = RunSettings {
        concurrency: 8,
        ..RunSettings::default()
    };
    EvalResult::of(suite(), &record(url, selection, settings).await, RunAbout::default())
}

pub(crate) fn categories(names: &[&str]) -> Selection {
    Selection {
        categories: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Selection::default()
    }
}

/// Everything that rules judge.
pub(crate) fn by_rules() -> Selection {
    Selection {
        det: true,
        security: true,
        ..Selection::default()
    }
}
