//! One question to a model: sent, sent again where that helps, and read as it comes.

use std::time::Duration;

use engine_outbound::{Client, Fault, Method, Opened, Reply, Request};
use tokio::time::Instant;

use crate::wait::{asked_to_wait, by_length};
use crate::wire::{Answer, Broken, Conversation, Endpoint, Shape, StreamReader, Usage, event_data, read};

/// Bytes of a reply; what is longer is no answer.
const REPLY_BYTES_MAX: usize = 512 << 10;

/// Bytes of an error that are looked at for what the service does not know.
const ERROR_BYTES_MAX: usize = 16 << 10;

/// Times that a question is sent again because the service was busy or the connection broke.
const RETRIES_MAX: u32 = 3;

/// The first pause before that; it doubles, and chance makes it up to half longer or shorter.
const PAUSE: Duration = Duration::from_millis(400);

/// No pause is longer. A service that asks for more is told busy.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Times that a question is put in a plainer form because the service refused the form.
const PLAINER_MAX: u32 = 3;

/// Why a model gave no usable reply. Nothing of what the service wrote stands in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// The connection.
    #[error("the connection failed (`{}`)", .0.name())]
    Connection(Fault),
    /// A status that is no success.
    #[error("the service returned status {0}")]
    Status(u16),
    /// Busy for longer than it is waited.
    #[error("the service is busy")]
    Busy(Option<u64>),
    /// The service knows no tools.
    #[error("the model takes no tools")]
    NoTools,
    /// A reply that cannot be read.
    #[error("the reply cannot be read (`{}`)", .0.name())]
    Unreadable(Broken),
    /// A reply without words.
    #[error("the reply is empty")]
    Empty,
    /// The service withheld the words.
    #[error("the service withheld its reply")]
    Filtered,
    /// Too long.
    #[error("the reply is longer than {REPLY_BYTES_MAX} bytes")]
    TooLong,
}

impl NoReply {
    /// A stable short name.
    pub fn name(&self) -> String {
        match self {
            Self::Connection(fault) => fault.name().to_owned(),
            Self::Status(status) => format!("http-{status}"),
            Self::Busy(_) => "busy".to_owned(),
            Self::NoTools => "no-tools".to_owned(),
            Self::Unreadable(broken) => broken.name(),
            Self::Empty => "empty-reply".to_owned(),
            Self::Filtered => "filtered".to_owned(),
            Self::TooLong => "reply-too-long".to_owned(),
        }
    }

    /// Whether the next question would fail in the same way: wrong key, unknown model, no such host.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Status(status) => matches!(status, 401..=404),
            Self::Connection(fault) => fault.before_sending() || matches!(fault, Fault::Redirect { .. }),
            _ => false,
        }
    }

    /// Whether time ran out.
    pub fn is_slow(&self) -> bool {
        matches!(self, Self::Connection(Fault::NoReply { .. } | Fault::TooSlow { .. }))
    }
}

/// A reply with what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The reply.
    pub answer: Answer,
    /// Tokens.
    pub usage: Usage,
    /// Whether the tokens were estimated by length.
    pub estimated: bool,
    /// Requests that it took.
    pub requests: u32,
    /// The body of the request that was answered, byte by byte.
    pub sent: Vec<u8>,
}

/// One question.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The dialogue.
    pub conversation: &'a Conversation,
    /// When the last byte of the reply must have come.
    pub deadline: Instant,
}

/// A model that can be asked. Clones share connections.
#[derive(Debug, Clone)]
pub struct Model {
    client: Client,
    endpoint: Endpoint,
}

/// What became of one request.
enum Tried {
    Said(Box<Answer>),
    Busy(u16, Option<Duration>),
    Refused(u16, String),
    Failed(NoReply, bool),
}

impl Model {
    /// A model behind an endpoint.
    pub fn new(client: Client, endpoint: Endpoint) -> Self {
        Self { client, endpoint }
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The bytes of a question, as they are sent first.
    pub fn body(&self, conversation: &Conversation) -> Vec<u8> {
        self.endpoint.body(conversation)
    }

    /// Asks, and hands on the words as they come where the service streams them. Words that were handed on are never taken
    /// back: a reply that breaks after its first words is a failure and is not asked for again.
    pub async fn ask(&self, ask: Ask<'_>, hear: &mut (dyn FnMut(&str) + Send)) -> Result<Said, NoReply> {
        let mut endpoint = self.endpoint.clone();
        let mut conversation = ask.conversation.clone();
        let (mut requests, mut retries, mut plainer) = (0, 0, 0);
        let mut pause = PAUSE;
        loop {
            let body = endpoint.body(&conversation);
            requests += 1;
            let wait = match self.once(&endpoint, body.clone(), ask.deadline, hear).await {
                Tried::Said(answer) => return finished(*answer, body, requests),
                Tried::Refused(status, why) => {
                    plainer += 1;
                    if plainer > PLAINER_MAX || !simplify(&mut endpoint, &mut conversation, &why)? {
                        return Err(NoReply::Status(status));
                    }
                    continue;
                }
                Tried::Failed(fault, true) => return Err(fault),
                Tried::Failed(fault, false) if retries >= RETRIES_MAX => return Err(fault),
                Tried::Failed(..) => None,
                Tried::Busy(status, asked) => {
                    let long = asked.is_some_and(|asked| asked > PAUSE_MAX);
                    if retries >= RETRIES_MAX || long {
                        return Err(if status == 429 || long {
                            NoReply::Busy(asked.map(|asked| asked.as_secs()))
                        } else {
                            NoReply::Status(status)
                        });
                    }
                    asked
                }
            };
            retries += 1;
            let wait = wait.unwrap_or_else(|| jittered(pause));
            pause = (pause * 2).min(PAUSE_MAX);
            if Instant::now() + wait >= ask.deadline {
                return Err(NoReply::Busy(Some(wait.as_secs())));
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(
        &self,
        endpoint: &Endpoint,
        body: Vec<u8>,
        deadline: Instant,
        hear: &mut (dyn FnMut(&str) + Send),
    ) -> Tried {
        let request = Request {
            target: &endpoint.target,
            method: Method::POST,
            headers: &endpoint.headers,
            body: body.into(),
            deadline,
            last_frames: endpoint.last_frames(),
        };
        let opened = match self.client.open(&request).await {
            Ok(opened) => opened,
            Err(fault) => {
                let again = matches!(fault, Fault::Reset { .. } | Fault::Network { .. });
                return Tried::Failed(NoReply::Connection(fault), !again);
            }
        };
        match opened.status {
            200..=299 => {}
            // Some servers answer 500 to what they do not know.
            status @ (500 | 501) => {
                let wait = asked_to_wait(&opened.headers);
                let why = start_of(opened).await;
                let unknown = ["tool", "jinja", "response_format", "json_schema", "grammar"];
                return if unknown.iter().any(|word| why.contains(word)) {
                    Tried::Refused(status, why)
                } else {
                    Tried::Busy(status, wait)
                };
            }
            408 | 409 | 425 | 429 | 502 | 503 | 504 | 529 => {
                return Tried::Busy(opened.status, asked_to_wait(&opened.headers));
            }
            status @ (400 | 422) => return Tried::Refused(status, start_of(opened).await),
            status => return Tried::Failed(NoReply::Status(status), true),
        }
        let streamed = opened.is_stream();
        let mut heard = false;
        let read = if streamed {
            let mut hear = |text: &str| {
                heard = true;
                hear(text);
            };
            streamed_reply(endpoint, opened, &mut hear).await
        } else {
            whole_reply(endpoint, opened).await
        };
        match read {
            Ok(answer) => {
                if !streamed && !answer.text.is_empty() {
                    hear(&answer.text);
                }
                Tried::Said(Box::new(answer))
            }
            Err(fault) => {
                let again = matches!(
                    fault,
                    NoReply::Connection(Fault::Reset { .. } | Fault::Truncated { .. } | Fault::Network { .. })
                );
                Tried::Failed(fault, heard || !again)
            }
        }
    }
}

/// A reply with its tokens.
fn finished(answer: Answer, sent: Vec<u8>, requests: u32) -> Result<Said, NoReply> {
    if answer.text.trim().is_empty() && answer.calls.is_empty() {
        return Err(if answer.filtered {
            NoReply::Filtered
        } else {
            NoReply::Empty
        });
    }
    let told = answer.usage.filter(|usage| usage.input > 0);
    let written: usize = answer.calls.iter().map(|call| call.arguments.chars().count()).sum();
    Ok(Said {
        usage: told.unwrap_or_else(|| by_length(sent.len(), answer.text.chars().count() + written)),
        estimated: told.is_none(),
        requests,
        sent,
        answer,
    })
}

/// Puts a question in a plainer form, given why it was refused; false where there is none.
fn simplify(endpoint: &mut Endpoint, conversation: &mut Conversation, why: &str) -> Result<bool, NoReply> {
    let names = |words: &[&str]| words.iter().any(|word| why.contains(word));
    let openai = endpoint.shape == Shape::OpenAiChat;
    if openai && !endpoint.completion_tokens && names(&["max_completion_tokens", "temperature"]) {
        endpoint.completion_tokens = true;
        return Ok(true);
    }
    if conversation.reply_schema.is_some() {
        conversation.reply_schema = None;
        return Ok(true);
    }
    if !conversation.tools.is_empty() && names(&["tool", "function"]) {
        return Err(NoReply::NoTools);
    }
    // An id marks the plainest form of a conversation: nothing is asked for that an older service may not know.
    if openai && endpoint.stream && conversation.id.is_empty() && names(&["stream_options", "include_usage"]) {
        "plain".clone_into(&mut conversation.id);
        return Ok(true);
    }
    Ok(false)
}

/// A pause that is up to half longer or shorter, so that many clients do not come back at once.
fn jittered(pause: Duration) -> Duration {
    let mut byte = [128_u8];
    // Without random numbers the pause has its plain length.
    let _ = getrandom::fill(&mut byte);
    pause.mul_f64(0.5 + f64::from(byte[0]) / 255.0)
}

/// The first part of an error, in lower case.
async fn start_of(mut opened: Opened) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < ERROR_BYTES_MAX {
        match opened.next().await {
            Ok(Some(part)) => bytes.extend(part),
            _ => break,
        }
    }
    bytes.truncate(ERROR_BYTES_MAX);
    String::from_utf8_lossy(&bytes).to_ascii_lowercase()
}

async fn whole_reply(endpoint: &Endpoint, mut opened: Opened) -> Result<Answer, NoReply> {
    let mut body = Vec::new();
    while let Some(part) = opened.next().await.map_err(NoReply::Connection)? {
        body.extend(part);
        if body.len() > REPLY_BYTES_MAX {
            return Err(NoReply::TooLong);
        }
    }
    let reply = Reply {
        status: opened.status,
        headers: std::mem::take(&mut opened.headers),
        bytes: body.len() as u64,
        body,
        first_byte: opened.first_byte,
        elapsed: opened.first_byte,
    };
    read(endpoint, &reply).map_err(NoReply::Unreadable)
}

async fn streamed_reply(
    endpoint: &Endpoint,
    mut opened: Opened,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<Answer, NoReply> {
    let kind = opened.headers.get("content-type").and_then(|value| value.to_str().ok());
    let events = kind.is_some_and(|kind| kind.contains("event-stream"));
    let last_frames = endpoint.last_frames();
    let mut reader = StreamReader::default();
    let (mut rest, mut bytes): (Vec<u8>, usize) = (Vec::new(), 0);
    let mut ended = false;
    while !ended {
        let part = opened.next().await.map_err(NoReply::Connection)?;
        let at_end = part.is_none();
        let part = part.unwrap_or_default();
        bytes += part.len();
        if bytes > REPLY_BYTES_MAX {
            return Err(NoReply::TooLong);
        }
        rest.extend(part);
        if at_end && !rest.is_empty() {
            // The last line may lack its end; half a frame is told as unreadable below.
            rest.push(b'\n');
        }
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let line = std::str::from_utf8(&line).map_err(|_| NoReply::Unreadable(Broken::BadUtf8))?;
            let line = line.trim_end_matches(['\r', '\n']);
            let data = if events { event_data(line) } else { Some(line.trim()) };
            let Some(data) = data.filter(|data| !data.is_empty()) else {
                continue;
            };
            let before = reader.text().len();
            let after = reader.take(endpoint, data).map_err(NoReply::Unreadable)?;
            if after > before {
                hear(&reader.text()[before..]);
            }
            ended |= last_frames.iter().any(|frame| data.contains(frame));
        }
        ended |= at_end;
    }
    reader.finish().map_err(NoReply::Unreadable)
}
