//! One request: checked, routed, answered.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use engine_api::{Effect, Found, Frames, Reply, ReplyBody, Request, Route};
use engine_model::{ErrorCode, Failure};
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::channel::Channel;
use hyper::body::{Body, Bytes, Incoming};
use tokio::task::JoinHandle;
use tokio::time::{Instant as TokioInstant, MissedTickBehavior, interval_at};
use tracing::{Instrument, Span, field};

use crate::connection::Activity;
use crate::reply::{self, Answer, ReplyBytes};
use crate::server::{Shared, wait};
use crate::{body, guard, page};

/// Answers a request. One log span records the route and the outcome, never the content.
pub(crate) async fn handle(shared: Arc<Shared>, activity: Arc<Activity>, request: http::Request<Incoming>) -> Answer {
    let busy = activity.busy();
    let started = Instant::now();
    let span = tracing::info_span!(
        "request",
        method = known_method(request.method()),
        route = field::Empty,
        status = field::Empty,
        ms = field::Empty
    );
    let mut answer = respond(&shared, &activity, request).instrument(span.clone()).await;
    let bytes = answer.body().size_hint().exact().unwrap_or(0);
    if !shared.connections.room_for_reply(&activity, bytes).await {
        let details = "too many replies wait to be read by their clients; try again in a few seconds";
        answer = reply::failure(&Failure::new(ErrorCode::Busy, details).retry_after(2));
    }
    let status = answer.status();
    span.record("status", status.as_u16());
    span.record("ms", started.elapsed().as_secs_f64() * 1e3);
    span.in_scope(|| {
        if status.is_server_error() {
            tracing::error!("failed");
        } else {
            tracing::debug!("answered");
        }
    });
    answer.body_mut().hold(busy);
    answer
}

/// A method may be any word; only those that exist are logged.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

async fn respond(shared: &Arc<Shared>, activity: &Activity, request: http::Request<Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    let refuse = if page::opens_share(&parts) {
        reply::failure_page
    } else {
        reply::failure
    };
    let (route, params) = match find(shared, &parts) {
        Ok(found) => found,
        Err(answer) => {
            body::discard(body, &parts.headers);
            return *answer;
        }
    };
    Span::current().record("route", route.path);
    let refuse = if route.is_deprecated_at(parts.uri.path()) {
        reply::failure_text
    } else {
        refuse
    };
    // What may have a body may also come without one, and then without its type.
    let bodiless = body.is_end_stream();
    let mut place = None;
    let bytes = if route.takes_body && !bodiless {
        if let Err(failure) = guard::check_json(&parts.headers) {
            body::discard(body, &parts.headers);
            return reply::failure(&failure);
        }
        match body::read(body, &shared.limits, &shared.bodies, activity).await {
            Ok((bytes, held)) => {
                // Counted until the request is answered: what is parsed from it is larger than itself.
                place = Some(held);
                bytes
            }
            Err((failure, rest)) => {
                if let Some(rest) = rest {
                    body::discard(rest, &parts.headers);
                }
                let mut answer = reply::failure(&failure);
                reply::set_close(&mut answer);
                return answer;
            }
        }
    } else {
        body::discard(body, &parts.headers);
        Vec::new()
    };
    let mut headers = parts.headers;
    if shared.token.is_some() {
        // The token of the daemon is for the daemon: no endpoint may take it for that of another service.
        headers.remove(AUTHORIZATION);
    }
    let request = Request {
        params,
        query: parts.uri.query().map(str::to_owned),
        headers,
        body: bytes,
    };
    let called = call(shared, route, request).await;
    drop(place);
    match called {
        Ok(reply) => succeed(shared, reply, &parts.method),
        Err(failure) => refuse(&failure),
    }
}

type Params = Vec<(String, String)>;

/// The route of a request that may be answered, or the answer to one that has no route or may not have one.
fn find(shared: &Shared, parts: &Parts) -> Result<(&'static Route, Params), Box<Answer>> {
    let allowed = |checked: Result<(), Failure>| checked.map_err(|failure| Box::new(reply::failure(&failure)));
    allowed(guard::check_source(parts))?;
    // A browser cannot show the token of the daemon when it opens the page, which then asks for it. The page has no data.
    if let Some(page) = page::answer(parts, &shared.page) {
        return Err(Box::new(page));
    }
    guard::check_bearer(&parts.headers, shared.token.as_ref()).map_err(|failure| {
        Box::new(if page::opens_share(parts) {
            reply::failure_page(&failure)
        } else {
            reply::failure(&failure)
        })
    })?;
    allowed(shared.page.check(parts))?;
    match shared.router.find(&parts.method, parts.uri.path()) {
        Ok(Found::Route(route, params)) => Ok((route, params)),
        Ok(Found::Options(allow)) => Err(Box::new(reply::options(&allow))),
        Err(miss) => {
            let mut answer = if miss.text {
                reply::failure_text(&miss.failure)
            } else {
                reply::failure(&miss.failure)
            };
            if let Some(allow) = &miss.allow {
                reply::set_allow(&mut answer, allow);
            }
            Err(Box::new(answer))
        }
    }
}

/// Calls an endpoint on a separate task, so that a panic ends that task only.
async fn call(shared: &Arc<Shared>, route: &'static Route, request: Request) -> Result<Reply, Failure> {
    let pending = route.call(shared.context.clone(), request).in_current_span();
    let joined = match route.effect {
        Effect::Read => AbortOnDrop(tokio::spawn(pending)).await_result().await,
        Effect::Write => {
            let writing = shared.writes.begin();
            let task = tokio::spawn(async move {
                let result = pending.await;
                drop(writing);
                result
            });
            task.await
        }
    };
    joined.unwrap_or_else(|error| {
        tracing::error!(panic = error.is_panic(), "the request handler panicked");
        Err(Failure::new(
            ErrorCode::Internal,
            "internal error in the engine; see the engine log for its location, and report both to the maintainers. Other requests are not affected",
        ))
    })
}

/// A task that is cancelled when its client disconnects.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> AbortOnDrop<T> {
    async fn await_result(mut self) -> Result<T, tokio::task::JoinError> {
        (&mut self.0).await
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn succeed(shared: &Arc<Shared>, reply: Reply, method: &Method) -> Answer {
    match reply.body {
        ReplyBody::Bytes(bytes) => reply::whole(reply.content_type, bytes),
        ReplyBody::Fixed(bytes) => reply::fixed(reply.content_type, bytes),
        ReplyBody::Download(download) => reply::download(reply.content_type, *download, *method == Method::HEAD),
        ReplyBody::Events(_) if method == Method::HEAD => reply::whole(reply.content_type, Vec::new()),
        ReplyBody::Events(frames) => match stream(shared, frames) {
            Ok(body) => reply::answer(StatusCode::OK, reply.content_type, body),
            Err(failure) => reply::failure(&failure),
        },
    }
}

/// Sends frames as they come, with signs of life between them, until the client leaves or the daemon stops.
fn stream(shared: &Arc<Shared>, mut frames: Box<dyn Frames>) -> Result<ReplyBytes, Failure> {
    let Ok(slot) = Arc::clone(&shared.streams).try_acquire_owned() else {
        let details = format!(
            "{} event streams are open, the maximum; close one and try again",
            shared.limits.streams
        );
        return Err(Failure::new(ErrorCode::Busy, details).retry_after(15));
    };
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
    let stopping = shared.stopping.clone();
    let pause = shared.limits.heartbeat;
    tokio::spawn(async move {
        let _slot = slot;
        let send = async move {
            let mut heartbeat = interval_at(TokioInstant::now() + pause, pause);
            heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut bytes = Bytes::from_static(b": connected\n\n");
            while sender.send_data(bytes).await.is_ok() {
                bytes = tokio::select! {
                    frame = frames.next() => match frame {
                        Some(frame) => Bytes::from(frame),
                        None => break,
                    },
                    _ = heartbeat.tick() => Bytes::from_static(b": alive\n\n"),
                };
            }
        };
        // A client that does not read must not keep the daemon from stopping.
        tokio::select! {
            () = send => {}
            () = wait(stopping) => {}
        }
    });
    Ok(ReplyBytes::stream(body))
}
