//! One question: sent, waited for, sent again where the target asked for patience, and read.

use std::collections::BTreeMap;
use std::time::Duration;

use engine_eval_judge::reasoning::{Parted, part, without_thought};
use engine_llm::{asked_to_wait, by_length};
use engine_outbound::{Client, Fault, HeaderMap, Method, Reply, Request};
use tokio::sync::watch;
use tokio::time::Instant;

use super::pace::Pace;
use super::{Journal, Stop, Turn, TurnKey, outcome};
use crate::endpoint::{Answer, Conversation, Endpoint, Shape, Usage, read};

/// Times that a question is sent again because the target was busy.
const RETRIES_MAX: u32 = 5;

/// How long replies that are on their way are waited for after a run was stopped.
const GRACE: Duration = Duration::from_secs(2);

/// Characters of a reply that are judged and kept; a whole run of the longest replies stays under 100 MB.
const KEPT_CHARS: usize = 32_000;

/// Characters of reasoning that are kept.
const REASONING_CHARS: usize = 8_000;

/// A body of more bytes is left out of the record.
const BODY_BYTES: usize = 16 * 1024;

/// Values of headers are kept up to this length.
const HEADER_CHARS: usize = 300;

pub(super) struct Sender<'a> {
    pub(super) client: &'a Client,
    pub(super) endpoint: &'a Endpoint,
    pub(super) pace: &'a Pace,
    pub(super) cancelled: watch::Receiver<bool>,
    pub(super) request_ms: u64,
    pub(super) journal: &'a dyn Journal,
    pub(super) key: &'a TurnKey,
}

/// What one try came to.
enum Tried {
    Done(Turn),
    Busy { asked: Option<Duration>, status: u16 },
}

impl Sender<'_> {
    /// Sends and reads. None where the run was stopped before anything went out.
    pub(super) async fn ask(&mut self, conversation: &Conversation) -> Option<Turn> {
        let prompt = conversation
            .turns
            .last()
            .map(|(_, text)| text.clone())
            .unwrap_or_default();
        let body = self.endpoint.body(conversation);
        let mut tries = 0;
        let mut last_status = None;
        loop {
            if !self.admit().await {
                // A question that went out and was turned away was asked, though nobody answered it.
                return (tries > 0).then(|| failed(&prompt, outcome::RATE_LIMITED, last_status, tries));
            }
            // Written down once it may go out and before it does: what was never sent must not look as if it had been.
            if tries == 0
                && let Err(error) = self.journal.sending(self.key).await
            {
                self.pace.release();
                self.pace.stop(Stop::Journal { why: error.to_string() });
                return None;
            }
            tries += 1;
            let came = self.once(&body, &prompt).await;
            self.pace.release();
            match came {
                Tried::Done(mut turn) => {
                    turn.requests = tries;
                    if turn.input_tokens == 0 && turn.status.is_some() {
                        let thought = turn.reasoning.as_deref().unwrap_or_default();
                        let said = turn.response.chars().count() + thought.chars().count();
                        let usage = by_length(body.len(), said);
                        (turn.input_tokens, turn.output_tokens) = (usage.input, usage.output);
                    }
                    self.pace.book(&turn);
                    return Some(turn);
                }
                Tried::Busy { asked, status } => {
                    last_status = Some(status);
                    if tries > RETRIES_MAX || !self.pace.pause(asked) {
                        let turn = failed(&prompt, outcome::RATE_LIMITED, last_status, tries);
                        self.pace.book(&turn);
                        return Some(turn);
                    }
                }
            }
        }
    }

    async fn admit(&mut self) -> bool {
        let mut cancelled = self.cancelled.clone();
        tokio::select! {
            biased;
            _ = cancelled.wait_for(|stop| *stop) => false,
            admitted = self.pace.admit() => admitted,
        }
    }

    async fn once(&mut self, body: &[u8], prompt: &str) -> Tried {
        let mut deadline = Instant::now() + Duration::from_millis(self.request_ms);
        if let Some(total) = self.pace.deadline {
            deadline = deadline.min(total);
        }
        let request = Request {
            target: &self.endpoint.target,
            method: Method::POST,
            headers: &self.endpoint.headers,
            body: body.to_vec().into(),
            deadline,
            last_frames: self.endpoint.last_frames(),
        };
        let got = tokio::select! {
            got = self.client.send(&request) => got,
            () = left(self.cancelled.clone()) => return Tried::Done(failed(prompt, outcome::INTERRUPTED, None, 1)),
        };
        match got {
            Err(fault) => Tried::Done(of_fault(prompt, &fault)),
            Ok(reply) if matches!(reply.status, 429 | 503 | 529) => Tried::Busy {
                asked: asked_to_wait(&reply.headers),
                status: reply.status,
            },
            Ok(reply) => Tried::Done(self.of_reply(prompt, reply, deadline).await),
        }
    }

    async fn of_reply(&self, prompt: &str, reply: Reply, deadline: Instant) -> Turn {
        let mut turn = Turn {
            prompt: prompt.to_owned(),
            status: Some(reply.status),
            latency: reply.elapsed.as_secs_f64() * 1000.0,
            bytes: reply.bytes,
            headers: told_headers(&reply.headers),
            ..Turn::default()
        };
        let answer = match read(self.endpoint, &reply) {
            Ok(Answer {
                ticket: Some(ticket), ..
            }) => match self.collect(&ticket, deadline).await {
                Ok((answer, more)) => {
                    turn.latency += more;
                    Ok(answer)
                }
                Err(name) => Err(name),
            },
            Ok(answer) => Ok(answer),
            Err(broken) => Err(broken.name()),
        };
        match answer {
            Err(name) => turn.transport = name,
            Ok(answer) => {
                let (text, thought) = parted(&answer.text, &answer.thought);
                turn.reasoning = thought;
                let transport = if reply.oversize() {
                    outcome::OVERSIZE
                } else if answer.filtered && text.trim().is_empty() {
                    outcome::FILTERED
                } else if text.trim().is_empty() && !answer.calls_tool {
                    outcome::EMPTY
                } else {
                    outcome::OK
                };
                transport.clone_into(&mut turn.transport);
                let Usage { input, output } = answer.usage.unwrap_or_default();
                (turn.input_tokens, turn.output_tokens) = (input, output);
                if answer.calls_tool && text.trim().is_empty() {
                    // Rules read words: a bare call of a tool is shown to them as the call that it is.
                    "[tool call]".clone_into(&mut turn.response);
                } else {
                    turn.response = clean(text.trim_start_matches(['\n', '\r']), KEPT_CHARS);
                }
                let body = without_thought(&answer.body);
                if body.to_string().len() <= BODY_BYTES {
                    turn.body = body;
                }
            }
        }
        turn
    }

    /// Fetches a result that is ready elsewhere.
    async fn collect(&self, ticket: &str, deadline: Instant) -> Result<(Answer, f64), String> {
        debug_assert_eq!(self.endpoint.shape, Shape::Gradio);
        let usable = ticket.len() <= 100
            && ticket
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        let path = format!("{}/{ticket}", self.endpoint.target.path().trim_end_matches('/'));
        let target = if usable {
            self.endpoint.target.with_path(&path).ok()
        } else {
            None
        };
        let target = target.ok_or_else(|| "invalid-json".to_owned())?;
        let request = Request {
            target: &target,
            method: Method::GET,
            headers: &self.endpoint.headers,
            body: Vec::new().into(),
            deadline,
            last_frames: &["event: complete", "event: error"],
        };
        let reply = self
            .client
            .send(&request)
            .await
            .map_err(|fault| fault.name().to_owned())?;
        let more = reply.elapsed.as_secs_f64() * 1000.0;
        read(self.endpoint, &reply)
            .map(|answer| (answer, more))
            .map_err(super::super::endpoint::Broken::name)
    }
}

/// The answer in a text and the reasoning in it and beside it. Reasoning is taken off once, before anything is judged,
/// kept as the reply, or sent back in the next turn.
fn parted(text: &str, beside: &str) -> (String, Option<String>) {
    let Parted { answer, thought } = part(text);
    let thought = [beside.trim(), thought.trim()].join("\n\n");
    let thought = clean(thought.trim(), REASONING_CHARS);
    (answer, (!thought.is_empty()).then_some(thought))
}

/// Takes the reasoning off a turn that an earlier version of the engine stored with it.
pub fn part_reasoning(turn: &mut Turn) {
    let (text, thought) = parted(&turn.response, turn.reasoning.as_deref().unwrap_or_default());
    if thought.is_some() {
        turn.response = text;
        turn.reasoning = thought;
        turn.body = without_thought(&turn.body);
        if turn.response.trim().is_empty() && turn.transport == outcome::OK {
            outcome::EMPTY.clone_into(&mut turn.transport);
        }
    }
}

/// Ends when whoever stopped a run has waited long enough for what is on its way.
pub(super) async fn left(mut cancelled: watch::Receiver<bool>) {
    // A sender that is gone has left as well.
    let _ = cancelled.wait_for(|stop| *stop).await;
    tokio::time::sleep(GRACE).await;
}

fn failed(prompt: &str, transport: &str, status: Option<u16>, requests: u32) -> Turn {
    Turn {
        prompt: prompt.to_owned(),
        transport: transport.to_owned(),
        status,
        requests,
        ..Turn::default()
    }
}

fn of_fault(prompt: &str, fault: &Fault) -> Turn {
    let mut turn = failed(prompt, fault.name(), None, 1);
    match fault {
        Fault::TooSlow { waited_ms, bytes, .. } => (turn.latency, turn.bytes) = (millis(*waited_ms), *bytes),
        Fault::NoReply { waited_ms, .. } => turn.latency = millis(*waited_ms),
        Fault::Endless { bytes, .. } | Fault::Truncated { bytes, .. } => turn.bytes = *bytes,
        Fault::Bomb { unpacked, .. } => turn.bytes = *unpacked,
        _ => {}
    }
    turn
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of one reply")]
fn millis(ms: u64) -> f64 {
    ms as f64
}

/// Headers without what belongs to a session or a key.
fn told_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let private = |name: &str| {
        ["cookie", "auth", "token", "secret", "key", "session"]
            .iter()
            .any(|part| name.contains(part))
    };
    headers
        .iter()
        .filter(|(name, _)| !private(name.as_str()))
        .filter_map(|(name, value)| {
            Some((
                name.as_str().to_owned(),
                value.to_str().ok()?.chars().take(HEADER_CHARS).collect(),
            ))
        })
        .take(60)
        .collect()
}

/// Replies are foreign text: commands to a terminal are taken out before anybody sees them.
fn clean(text: &str, chars_max: usize) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r'))
        .take(chars_max)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_outbound::HeaderValue;

    #[test]
    fn commands_to_a_terminal_do_not_survive() {
        assert_eq!(clean("a\u{1b}[31mb\u{0}c\nd\u{9b}e", KEPT_CHARS), "a[31mbc\nde");
    }

    #[test]
    fn headers_of_sessions_and_keys_are_not_kept() {
        let mut headers = HeaderMap::new();
        for name in ["set-cookie", "x-api-key", "authorization", "x-request-id"] {
            headers.insert(
                engine_outbound::HeaderName::from_static(name),
                HeaderValue::from_static("v"),
            );
        }
        assert_eq!(told_headers(&headers).into_keys().collect::<Vec<_>>(), ["x-request-id"]);
    }
}
