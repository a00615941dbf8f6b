//! Endpoint declarations, inputs and outputs, `OpenAPI`; no sockets.
//!
//! An endpoint is declared once, as a type that implements [`Endpoint`]. Routing, strict parsing, the `OpenAPI` document
//! and the contract tests all come from that declaration, so they always agree. The document is generated with the feature
//! `schemas` into `docs/openapi.json`; a daemon serves that file and needs no code that describes types.

mod chat_stream;
#[cfg(feature = "schemas")]
mod constraints;
mod context;
mod endpoint;
mod endpoints;
mod event_stream;
mod fix_stream;
mod input;
#[cfg(feature = "schemas")]
mod openapi;
mod output;
mod published;
mod router;
mod run_stream;
mod sse;
mod strict;

pub use chat_stream::ChatFrames;
pub use context::{Context, WORK_MAX};
pub use endpoint::{Effect, Endpoint, Example, Pending, Request, Route};
pub use endpoints::ROUTES;
pub use event_stream::EventFrames;
pub use fix_stream::FixFrames;
pub use input::{Body, Empty, Input, InputShape, LastEventId, Path, PathAndBody, Query};
#[cfg(feature = "schemas")]
pub use openapi::{openapi, openapi_of};
pub use output::{Download, Json, JsonOrPage, Output, OutputShape, Pdf, Reply, ReplyBody, Svg, TarGz};
pub use published::{OtherNames, Published};
pub use router::{Found, Miss, Router};
pub use run_stream::RunFrames;
pub use sse::{Described, Frames, NextFrame, Sse};

#[cfg(test)]
mod tests;
