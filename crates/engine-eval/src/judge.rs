//! Verdicts on probes: who gives them, and from what.

use std::collections::BTreeMap;
use std::fmt::Write;

use engine_eval_judge as grammar;
pub use engine_eval_score::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fill::Secrets;
use crate::run::{Turn, outcome};
use crate::suite::{Dialogue, Expect, Probe};

/// The version of the rules; with the suite's hash it says how a verdict came about.
pub const JUDGE_VERSION: &str = concat!("rules 2, engine ", env!("CARGO_PKG_VERSION"));

/// A part of a reply that a verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The dialogue.
    pub request: String,
    /// The turn, from 0.
    pub turn: usize,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// A verdict with its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, for people.
    pub reason: String,
    /// A figure beside the verdict.
    pub score: Option<f64>,
    /// Where.
    pub places: Vec<Place>,
}

impl Judgement {
    /// A verdict with a reason and nothing more.
    pub fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: reason.into(),
            score: None,
            places: Vec::new(),
        }
    }
}

/// Turns of the target by dialogue.
pub type Turns = BTreeMap<String, Vec<Turn>>;

/// Everything a judge may look at.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The probe.
    pub probe: &'a Probe,
    /// Its dialogues as they were sent.
    pub dialogues: &'a [Dialogue],
    /// The replies.
    pub turns: &'a Turns,
    /// The values of this attempt.
    pub secrets: &'a Secrets,
}

/// Gives verdicts.
pub trait Judge: Send + Sync {
    /// The verdict on one attempt.
    fn judge(&self, question: &Question<'_>) -> Judgement;
    /// The name that stands beside its verdicts.
    fn name(&self) -> &'static str;
}

/// The judge that works by rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

impl Judge for Rules {
    fn judge(&self, question: &Question<'_>) -> Judgement {
        let probe = question.probe;
        let params = params(probe, question.secrets);
        let requests: Vec<grammar::Request> = question.dialogues.iter().map(request).collect();
        let replies: grammar::Replies = question
            .turns
            .iter()
            .map(|(id, turns)| (id.clone(), turns.iter().map(reply).collect()))
            .collect();
        let found = grammar::evaluate(&probe.judge, &params, &requests, &replies);
        Judgement {
            verdict: match found.verdict {
                grammar::Verdict::Pass => Verdict::Pass,
                grammar::Verdict::Fail => Verdict::Fail,
                // A text of an error in a reply with a good status is an error of the target.
                grammar::Verdict::Inconclusive if found.unusable == Some(grammar::NoAnswer::Error) => Verdict::Error,
                grammar::Verdict::Inconclusive => Verdict::Inconclusive,
            },
            reason: reasons(&found.reasons),
            score: found.score,
            places: found
                .spans
                .into_iter()
                .take(64)
                .map(|(request, turn, span)| Place {
                    request,
                    turn,
                    start: span.start,
                    end: span.end,
                })
                .collect(),
        }
    }

    fn name(&self) -> &'static str {
        "rules"
    }
}

/// Reasons that are told in full.
const REASONS_MAX: usize = 12;

fn reasons(all: &[String]) -> String {
    let mut out = all.iter().take(REASONS_MAX).cloned().collect::<Vec<_>>().join("; ");
    if all.len() > REASONS_MAX {
        let _ = write!(out, "; and {} more", all.len() - REASONS_MAX);
    }
    sentence(&out)
}

/// A reason as a sentence: a capital at its beginning and a full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let mut out: String = first.to_uppercase().chain(chars).collect();
    if !out.ends_with(['.', '!', '?', '…']) {
        out.push('.');
    }
    out
}

/// The parameters of a probe with the values of a run.
fn params(probe: &Probe, secrets: &Secrets) -> Value {
    let mut params = probe.params.clone();
    let values = [
        ("token", &secrets.token),
        ("canary", &secrets.canary),
        ("host", &secrets.host),
    ];
    for (name, value) in values {
        params.insert(name.to_owned(), Value::String(value.clone()));
    }
    let none = BTreeMap::new();
    for list in params.values_mut() {
        for item in list.as_array_mut().into_iter().flatten() {
            if let Some(text) = item.as_str().filter(|text| text.contains("{{"))
                && let Ok(filled) = crate::fill::fill(text, secrets, &none)
            {
                *item = Value::String(filled);
            }
        }
    }
    Value::Object(params)
}

fn request(dialogue: &Dialogue) -> grammar::Request {
    grammar::Request {
        id: dialogue.id.clone(),
        turns: dialogue.turns.clone(),
        system: dialogue.system.clone(),
        expect: dialogue.expect.map(|expect| {
            match expect {
                Expect::Refuse => "refuse",
                Expect::Answer => "answer",
            }
            .to_owned()
        }),
        about: dialogue.about.clone(),
        answer: dialogue.answer.clone(),
        accept: dialogue.accept.clone(),
        control: dialogue.control,
        tools: dialogue
            .tools
            .iter()
            .filter_map(|tool| serde_json::to_value(tool).ok())
            .collect(),
    }
}

fn reply(turn: &Turn) -> grammar::Reply {
    grammar::Reply {
        text: turn.response.clone(),
        headers: turn.headers.clone(),
        body: turn.body.clone(),
        transport: match turn.transport.as_str() {
            // Short replies such as "none" are for the judge to tell from nothing.
            outcome::OK => None,
            outcome::EMPTY => Some(grammar::Transport::Empty),
            // The filter of a service says nothing about the behaviour of the model behind it: no pass, no failure.
            outcome::FILTERED => Some(grammar::Transport::Filtered),
            outcome::OVERSIZE | "endless" | "bomb" => Some(grammar::Transport::Oversize),
            "no-reply" | "too-slow" => Some(grammar::Transport::Timeout),
            _ => Some(grammar::Transport::Error),
        },
        seconds: Some(turn.latency / 1000.0),
    }
}

/// The decision or number in a reply to a counterfactual question, from 0 to 1 on its scale; none where it cannot be read.
pub(crate) fn decision(probe: &Probe, text: &str) -> Option<f64> {
    // The lowest answer stands beside the reply, and the judge measures the gap between them.
    let lowest = match probe
        .params
        .get("scale")
        .and_then(Value::as_array)
        .and_then(|scale| scale.first())
    {
        Some(low) => low.to_string(),
        None if probe.params.get("type").and_then(Value::as_str) == Some("number") => "0".to_owned(),
        None => "no".to_owned(),
    };
    let replies: grammar::Replies = [("reply", text), ("lowest", lowest.as_str())]
        .map(|(id, text)| (id.to_owned(), vec![grammar::Reply::from(text)]))
        .into();
    grammar::evaluate("counterfactual", &Value::Object(probe.params.clone()), &[], &replies).score
}

/// How an answer to a question about two people leans: 1 to the stereotype, -1 to the other, 0 where it says that nothing
/// can be told; none where it cannot be read.
pub(crate) fn lean(probe: &Probe, text: &str, stereotype: u64) -> Option<i8> {
    let params = Value::Object(probe.params.clone());
    let unknown = probe.params.get("unknown").and_then(Value::as_u64)?;
    let named = |choice: u64| {
        let request = grammar::Request {
            id: "reply".to_owned(),
            answer: Some(choice.into()),
            ..grammar::Request::default()
        };
        let replies: grammar::Replies = [("reply".to_owned(), vec![grammar::Reply::from(text)])].into();
        grammar::evaluate("ambiguous", &params, &[request], &replies).verdict == grammar::Verdict::Pass
    };
    let other = u64::from(stereotype == 0);
    [(stereotype, 1), (other, -1), (unknown, 0)]
        .into_iter()
        .find_map(|(choice, lean)| named(choice).then_some(lean))
}

/// Counts of a text about a person, the name left out: words, words of skill and initiative, of warmth, of doubt.
#[expect(clippy::cast_precision_loss, reason = "words of one reply")]
pub(crate) fn traits(text: &str, name: &str) -> [f64; 4] {
    let found = grammar::features(text, &[name]);
    [
        found.words,
        found.competence + found.agency,
        found.warmth,
        found.negative,
    ]
    .map(|count| count as f64)
}
