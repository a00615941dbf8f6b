//! Chat about the results of a project.

use engine::ChatRequest;
use engine_model::{ErrorCode, Failure};
use http::Method;

use crate::{Body, ChatFrames, Context, Effect, Endpoint, Example, Sse};

/// `POST /chat`
pub(super) enum Chat {}

impl Endpoint for Chat {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/chat";
    const SUMMARY: &'static str = "Answer a question about the results of a project with a configured language model, as a stream; nothing is changed";
    const EFFECT: Effect = Effect::Read;
    const ERRORS: &'static [ErrorCode] = &[
        ErrorCode::InvalidPath,
        ErrorCode::NoProject,
        ErrorCode::NoScanYet,
        ErrorCode::StateConflict,
        ErrorCode::Impossible,
        ErrorCode::MissingPart,
    ];
    const EXAMPLES: &'static [Example] = &[
        Example {
            name: "no language model",
            request: r#"{"path": ".", "message": "Which gaps are critical?"}"#,
            status: 424,
        },
        Example {
            name: "with earlier turns",
            request: r#"{"path": ".", "message": "And why?", "history": [{"role": "user", "content": "Which gap comes first?"}, {"role": "assistant", "content": "The missing disclosure."}]}"#,
            status: 424,
        },
        Example {
            name: "no message",
            request: "{}",
            status: 400,
        },
        Example {
            name: "an empty message",
            request: r#"{"path": ".", "message": " "}"#,
            status: 400,
        },
        Example {
            name: "an unknown provider",
            request: r#"{"path": ".", "message": "Hello", "provider": "unknown-provider"}"#,
            status: 400,
        },
    ];

    type Input = Body<ChatRequest>;
    type Output = Sse<ChatFrames>;

    async fn call(context: Context, Body(request): Self::Input) -> Result<Self::Output, Failure> {
        let run = context.shared().start_chat(request).await?;
        Ok(Sse(ChatFrames::of(run)))
    }
}
