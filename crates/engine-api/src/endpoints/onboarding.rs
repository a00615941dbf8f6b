//! Onboarding: detection, questions, answers, and the guide of eight steps.

use engine::{
    CompleteReply, CompleteRequest, Detected, GuidedStartRequest, GuidedStatus, GuidedStepReply, GuidedStepRequest,
    OnboardingStatus, ProjectRequest, QuestionForm,
};
use engine_model::{ErrorCode, Failure};
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;

use super::agent::ProjectQuery;
use crate::{Body, Context, Effect, Endpoint, Example, Json, PathAndBody, Query};

/// Failures of routes that list or answer questions.
const ERRORS: &[ErrorCode] = &[
    ErrorCode::InvalidPath,
    ErrorCode::NoProject,
    ErrorCode::StateConflict,
    ErrorCode::Impossible,
    ErrorCode::ReadOnly,
];

/// `POST /onboarding/detect`
pub(super) enum Detect {}

impl Endpoint for Detect {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/onboarding/detect";
    const SUMMARY: &'static str = "Detect the languages, frameworks, models and AI systems of a project";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: r#"{"path": "/no/such/directory"}"#,
            status: 400,
        },
    ];

    type Input = Body<ProjectRequest>;
    type Output = Json<Detected>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.onboarding_detect(request.path.as_deref())?))
            .await
    }
}

/// `GET /onboarding/questions`
pub(super) enum GetQuestions {}

impl Endpoint for GetQuestions {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/onboarding/questions";
    const SUMMARY: &'static str = "List every question with the effect of each answer";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/onboarding/questions",
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: "/onboarding/questions?project=.",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<QuestionForm>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.onboarding_questions(query.path.as_deref())?))
            .await
    }
}

/// `POST /onboarding/complete`
pub(super) enum Complete {}

impl Endpoint for Complete {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/onboarding/complete";
    const SUMMARY: &'static str = "Write answers into the profile and return their effects";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "two answers",
            request: r#"{"answers": {"main.role": ["provider", "deployer"], "organisation.established": "eu"}, "by": "A. Person"}"#,
            status: 200,
        },
        Example {
            name: "an answer with its reason",
            request: r#"{"answers": {"main.art-5-social-scoring": {"value": "no", "why": "it answers questions of customers"}}, "by": "A. Person"}"#,
            status: 200,
        },
        Example {
            name: "answers that say which documents are due",
            request: r#"{"answers": {"main.annex-iii-credit": "yes", "main.annex-iii-exemption": "none", "main.use": ["workplace"]}, "by": "A. Person"}"#,
            status: 200,
        },
        Example {
            name: "no answers",
            request: "{}",
            status: 200,
        },
        Example {
            name: "an answer that the question does not offer",
            request: r#"{"answers": {"main.role": "provder"}}"#,
            status: 400,
        },
        Example {
            name: "an unknown question",
            request: r#"{"answers": {"main.rolle": "provider"}}"#,
            status: 400,
        },
        Example {
            name: "an unknown system",
            request: r#"{"answers": {"mian.role": "provider"}}"#,
            status: 400,
        },
    ];

    type Input = Body<CompleteRequest>;
    type Output = Json<CompleteReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.onboarding_complete(&request)?))
            .await
    }
}

/// `GET /onboarding/status`
pub(super) enum GetOnboarding {}

impl Endpoint for GetOnboarding {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/onboarding/status";
    const SUMMARY: &'static str = "Return whether onboarding of the project is complete";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/onboarding/status",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/onboarding/status?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<OnboardingStatus>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.onboarding_status(query.path.as_deref())?))
            .await
    }
}

/// `POST /onboarding/guided/start`
pub(super) enum StartGuide {}

impl Endpoint for StartGuide {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/onboarding/guided/start";
    const SUMMARY: &'static str = "Start or resume the onboarding guide of eight steps";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "{}",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: r#"{"path": "/no/such/directory"}"#,
            status: 400,
        },
    ];

    type Input = Body<GuidedStartRequest>;
    type Output = Json<GuidedStatus>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.guided_start(&request)?))
            .await
    }
}

/// `GET /onboarding/guided/status`
pub(super) enum GetGuide {}

impl Endpoint for GetGuide {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/onboarding/guided/status";
    const SUMMARY: &'static str = "Return the progress of the onboarding guide";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/onboarding/guided/status",
            status: 200,
        },
        Example {
            name: "an unknown field",
            request: "/onboarding/guided/status?step=1",
            status: 400,
        },
    ];

    type Input = Query<ProjectQuery>;
    type Output = Json<GuidedStatus>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.guided_status(query.path.as_deref())?))
            .await
    }
}

/// The path parameter of `POST /onboarding/guided/step/{n}`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StepPath {
    /// The number of the step, from 1 to 8.
    n: u32,
}

/// `POST /onboarding/guided/step/{n}`
pub(super) enum DoStep {}

impl Endpoint for DoStep {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/onboarding/guided/step/{n}";
    const SUMMARY: &'static str = "Complete one step of the onboarding guide";
    const EFFECT: Effect = Effect::Write;
    const ERRORS: &'static [ErrorCode] = ERRORS;
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the first step",
            request: "/onboarding/guided/step/1 {}",
            status: 200,
        },
        Example {
            name: "the same step again",
            request: "/onboarding/guided/step/1 {}",
            status: 200,
        },
        Example {
            name: "a step before the earlier ones are done",
            request: "/onboarding/guided/step/5 {}",
            status: 422,
        },
        Example {
            name: "an unknown step",
            request: "/onboarding/guided/step/9 {}",
            status: 422,
        },
        Example {
            name: "a step that is not a number",
            request: "/onboarding/guided/step/one {}",
            status: 400,
        },
        Example {
            name: "answers for the second step",
            request: r#"/onboarding/guided/step/2 {"answers": {"main.placed-on-market": "2026-03-01"}, "by": "A. Person"}"#,
            status: 200,
        },
    ];

    type Input = PathAndBody<StepPath, GuidedStepRequest>;
    type Output = Json<GuidedStepReply>;

    async fn call(context: Context, PathAndBody(path, request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.guided_step(path.n, &request)?))
            .await
    }
}
