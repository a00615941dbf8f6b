//! What an endpoint is: a type without values that declares everything there is to know about it.

use std::future::Future;
use std::pin::Pin;

use engine_model::{ErrorCode, Failure};
use http::{HeaderMap, Method};
#[cfg(feature = "schemas")]
use schemars::SchemaGenerator;

use crate::context::aside;
use crate::{Context, Input, Output, Reply};
#[cfg(feature = "schemas")]
use crate::{InputShape, OutputShape};

/// What becomes of a call when its client leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only reads, and is given up.
    Read,
    /// It changes something, and runs to its end once begun.
    Write,
}

/// A request with the status that it is answered with. Every example is run as a test.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What it shows.
    pub name: &'static str,
    /// The body of a `POST`; path and query of a `GET`; path, a space and the body of a `POST` with parameters in its path.
    pub request: &'static str,
    /// The status of the reply, when the daemon runs in the folder of the example project.
    pub status: u16,
}

impl Example {
    /// Path with query, and the body, for a route.
    pub fn parts<'e>(&'e self, route: &'e Route) -> (&'e str, &'e str) {
        match (route.takes_body, self.request.starts_with('/')) {
            (true, true) => self.request.split_once(' ').unwrap_or((self.request, "")),
            (true, false) => (route.path, self.request),
            (false, _) => (self.request, ""),
        }
    }
}

/// A request as an endpoint sees it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Parameters in the path, still percent-encoded.
    pub params: Vec<(String, String)>,
    /// The query, without the question mark.
    pub query: Option<String>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; empty for endpoints that take none.
    pub body: Vec<u8>,
}

/// One endpoint.
pub trait Endpoint: 'static {
    /// Its method.
    const METHOD: Method;
    /// Its path; `{name}` stands for a parameter.
    const PATH: &'static str;
    /// Deprecated paths of the same endpoint, with which clients were published.
    const ALIASES: &'static [&'static str] = &[];
    /// The path to use instead, where this endpoint is deprecated: its reply is made for published clients.
    const INSTEAD: Option<&'static str> = None;
    /// What it does, in a few words.
    const SUMMARY: &'static str;
    /// What becomes of it when the client leaves.
    const EFFECT: Effect;
    /// Failures of its own, beside those that every endpoint has.
    const ERRORS: &'static [ErrorCode];
    /// Requests with the status of their replies.
    const EXAMPLES: &'static [Example];

    /// What it is given.
    type Input: Input;
    /// What it answers.
    type Output: Output;

    /// Answers a request.
    fn call(context: Context, input: Self::Input) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// An answer that is being worked on.
pub type Pending = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send>>;

/// An endpoint as a value, for lists.
#[derive(Debug)]
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path; `{name}` stands for a parameter.
    pub path: &'static str,
    /// Deprecated paths of the same endpoint.
    pub aliases: &'static [&'static str],
    /// The path to use instead, where the endpoint is deprecated.
    pub instead: Option<&'static str>,
    /// What it does.
    pub summary: &'static str,
    /// What becomes of it when the client leaves.
    pub effect: Effect,
    /// Failures of its own.
    pub errors: &'static [ErrorCode],
    /// Requests with the status of their replies.
    pub examples: &'static [Example],
    /// Whether it reads a body.
    pub takes_body: bool,
    #[cfg(feature = "schemas")]
    pub(crate) input: fn(&mut SchemaGenerator) -> InputShape,
    #[cfg(feature = "schemas")]
    pub(crate) output: fn(&mut SchemaGenerator) -> OutputShape,
    call: fn(Context, Request) -> Pending,
}

impl Route {
    /// The route of an endpoint.
    pub const fn of<E: Endpoint>() -> Self {
        Self {
            method: E::METHOD,
            path: E::PATH,
            aliases: E::ALIASES,
            instead: E::INSTEAD,
            summary: E::SUMMARY,
            effect: E::EFFECT,
            errors: E::ERRORS,
            examples: E::EXAMPLES,
            takes_body: <E::Input as Input>::TAKES_BODY,
            #[cfg(feature = "schemas")]
            input: <E::Input as Input>::shape,
            #[cfg(feature = "schemas")]
            output: <E::Output as Output>::shape,
            call: call::<E>,
        }
    }

    /// Whether a path of it is deprecated. Failures there are plain text: published clients take any JSON for a success, whatever its status.
    pub fn is_deprecated_at(&self, path: &str) -> bool {
        self.instead.is_some() || self.aliases.contains(&path)
    }

    /// Its path, then its deprecated ones.
    pub fn paths(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.path).chain(self.aliases.iter().copied())
    }

    /// Reads a request as the declared input and answers it.
    pub fn call(&self, context: Context, request: Request) -> Pending {
        (self.call)(context, request)
    }
}

/// A longer body is parsed on a thread that may take its time, so that other requests are answered meanwhile.
const PARSED_AT_ONCE_BYTES_MAX: usize = 16 * 1024;

fn call<E: Endpoint>(context: Context, request: Request) -> Pending {
    let long = request.body.len() > PARSED_AT_ONCE_BYTES_MAX;
    Box::pin(async move {
        let input = {
            // What was parsed is all that is needed from here on; a long body is not kept twice.
            let parse = move || <E::Input as Input>::parse(&request);
            if long { aside(parse).await? } else { parse()? }
        };
        E::call(context, input).await?.reply()
    })
}
