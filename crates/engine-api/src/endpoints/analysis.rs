//! What a project comes to by other measures, and what it would come to after a change. Nothing here is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{
    ControlReadiness, ControlReadinessRequest, CostReply, CostRequest, Debt, DebtRequest, FrameworkScores,
    FrameworkScoresRequest, ScanHooks, SimulateActionsReply, SimulateActionsRequest, WhatIfReply, WhatIfRequest,
};
use engine_model::{ErrorCode, Failure};
use http::Method;

use super::scan::SetOnDrop;
use crate::{Body, Context, Effect, Endpoint, Example, Json, Published, Query};

/// `GET /frameworks/scores`
pub(super) enum GetFrameworkScores {}

impl Endpoint for GetFrameworkScores {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/frameworks/scores";
    const SUMMARY: &'static str = "Score a project against every framework, with the evidence for each control";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/frameworks/scores",
            status: 200,
        },
        Example {
            name: "a project on a date",
            request: "/frameworks/scores?path=.&asOf=2027-12-02",
            status: 200,
        },
        Example {
            name: "an invalid date",
            request: "/frameworks/scores?path=.&asOf=soon",
            status: 400,
        },
    ];

    type Input = Query<FrameworkScoresRequest>;
    type Output = Json<FrameworkScores>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.framework_scores(&query)?))
            .await
    }
}

/// `GET /debt`
pub(super) enum GetDebt {}

impl Endpoint for GetDebt {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/debt";
    const SUMMARY: &'static str = "Calculate compliance debt: the open gaps of a project, weighted by age";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the debt of today",
            request: "/debt?path=.",
            status: 200,
        },
        Example {
            name: "the debt of earlier days too",
            request: "/debt?path=.&trend=true",
            status: 200,
        },
        Example {
            name: "a value other than true or false",
            request: "/debt?path=.&trend=always",
            status: 400,
        },
    ];

    type Input = Query<DebtRequest>;
    type Output = Json<Published<Debt>>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&Published(engine.debt(&query)?)))
            .await
    }
}

/// `GET /cost-estimate`
pub(super) enum GetCostEstimate {}

impl Endpoint for GetCostEstimate {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/cost-estimate";
    const SUMMARY: &'static str = "Estimate the hours and euros needed to meet the open obligations of a project";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::UnknownPassport,
        ErrorCode::StateConflict,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "all systems",
            request: "/cost-estimate?path=.",
            status: 200,
        },
        Example {
            name: "one hourly rate for all roles",
            request: "/cost-estimate?path=.&hourlyRate=120.5",
            status: 200,
        },
        Example {
            name: "a rate of zero",
            request: "/cost-estimate?path=.&hourlyRate=0",
            status: 400,
        },
        Example {
            name: "an unknown agent",
            request: "/cost-estimate?path=.&agent=no-such-agent",
            status: 404,
        },
    ];

    type Input = Query<CostRequest>;
    type Output = Json<CostReply>;

    async fn call(context: Context, Query(query): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.cost_estimate(&query)?))
            .await
    }
}

/// `POST /simulate`
pub(super) enum Simulate {}

impl Endpoint for Simulate {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/simulate";
    const SUMMARY: &'static str = "Predict the score after each planned fix and document";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::StateConflict,
        ErrorCode::Impossible,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "two new documents",
            request: r#"{"path": ".", "actions": ["doc:fria", "doc:tech-documentation"]}"#,
            status: 200,
        },
        Example {
            name: "a fixed check and a new document",
            request: r#"{"path": ".", "actions": ["fix:l4-undisclosed-interaction", {"type": "doc", "target": "fria"}], "passportCompleteness": 80}"#,
            status: 200,
        },
        Example {
            name: "an unknown check",
            request: r#"{"path": ".", "actions": ["fix:l4-undisclosed-interacton"]}"#,
            status: 422,
        },
        Example {
            name: "an unknown document",
            request: r#"{"path": ".", "actions": ["doc:freia"]}"#,
            status: 422,
        },
        Example {
            name: "an action without its type",
            request: r#"{"path": ".", "actions": ["l4-undisclosed-interaction"]}"#,
            status: 400,
        },
        Example {
            name: "a completeness above 100",
            request: r#"{"path": ".", "actions": [], "passportCompleteness": 140}"#,
            status: 400,
        },
    ];

    type Input = Body<SimulateActionsRequest>;
    type Output = Json<SimulateActionsReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        // Many actions on a large project take a while: a simulation that no client waits for is ended.
        let left = Arc::new(AtomicBool::new(false));
        let _guard = SetOnDrop(Arc::clone(&left));
        context
            .work(move |engine| {
                let hooks = ScanHooks {
                    cancel: &|| left.load(Ordering::Relaxed),
                    ..ScanHooks::default()
                };
                Json::of(&engine.simulate_actions(&request, &hooks)?)
            })
            .await
    }
}

/// `POST /whatif`
pub(super) enum WhatIf {}

impl Endpoint for WhatIf {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/whatif";
    const SUMMARY: &'static str =
        "Compare a project with a variant: another country, risk class, role or date, or one more package";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::UnknownJurisdiction,
        ErrorCode::StateConflict,
        ErrorCode::Impossible,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "another country",
            request: r#"{"path": ".", "type": "jurisdiction", "params": {"from": "DE", "to": "FR"}}"#,
            status: 200,
        },
        Example {
            name: "another risk class",
            request: r#"{"path": ".", "type": "risk_level", "params": {"from": "limited", "to": "high"}}"#,
            status: 200,
        },
        Example {
            name: "one more package",
            request: r#"{"path": ".", "type": "tool", "params": {"name": "pypi:anthropic"}}"#,
            status: 200,
        },
        Example {
            name: "a later date",
            request: r#"{"path": ".", "type": "date", "params": {"to": "2027-12-02"}}"#,
            status: 200,
        },
        Example {
            name: "another role",
            request: r#"{"path": ".", "type": "role", "params": {"to": "deployer"}}"#,
            status: 200,
        },
        Example {
            name: "an unknown type",
            request: r#"{"path": ".", "type": "tools", "params": {"name": "openai"}}"#,
            status: 400,
        },
        Example {
            name: "an unknown parameter",
            request: r#"{"path": ".", "type": "risk_level", "params": {"too": "high"}}"#,
            status: 400,
        },
        Example {
            name: "a country outside the EEA",
            request: r#"{"path": ".", "type": "jurisdiction", "params": {"from": "DE", "to": "US"}}"#,
            status: 404,
        },
        Example {
            name: "an unknown package",
            request: r#"{"path": ".", "type": "tool", "params": {"name": "opnai"}}"#,
            status: 422,
        },
    ];

    type Input = Body<WhatIfRequest>;
    type Output = Json<WhatIfReply>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let left = Arc::new(AtomicBool::new(false));
        let _guard = SetOnDrop(Arc::clone(&left));
        context
            .work(move |engine| {
                let hooks = ScanHooks {
                    cancel: &|| left.load(Ordering::Relaxed),
                    ..ScanHooks::default()
                };
                Json::of(&engine.what_if(&request, &hooks)?)
            })
            .await
    }
}

/// `GET /cert/readiness`
pub(super) enum GetControlReadiness {}

impl Endpoint for GetControlReadiness {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/cert/readiness";
    const INSTEAD: Option<&'static str> = Some("/frameworks/scores");
    const SUMMARY: &'static str = "Return the self-assessed score for the controls of AIUC-1 in short";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[ErrorCode::InvalidPath, ErrorCode::NoProject, ErrorCode::StateConflict];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "the current project",
            request: "/cert/readiness?path=.&name=main",
            status: 200,
        },
        Example {
            name: "a folder that does not exist",
            request: "/cert/readiness?path=no-such-folder",
            status: 400,
        },
    ];

    type Input = Query<ControlReadinessRequest>;
    type Output = Json<ControlReadiness>;

    async fn call(context: Context, Query(request): Self::Input) -> Result<Self::Output, Failure> {
        context
            .work(move |engine| Json::of(&engine.control_readiness(&request)?))
            .await
    }
}
