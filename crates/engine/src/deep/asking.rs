//! Asks a model about findings: a few at a time, within the budget, and no longer than the client waits.

use std::time::Duration;

use engine_llm::{Ask, Conversation, Model, NoReply, Speaker, THOUGHT_FACTOR, by_length};
use engine_signing::Digest;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::REPLY_TOKENS;
use super::question::{self, Question};
use crate::credentials::ModelSettings;
use crate::language_model::{self, Cleaner, LlmUsage};
use crate::scan::ScanHooks;

/// Questions on their way at the same time.
const PARALLEL: usize = 4;

/// Time for one reply.
const REPLY: Duration = Duration::from_mins(2);

/// Times that a finding is asked about: a reply in another form than the asked one is asked for once more.
const ASKED_MAX: usize = 2;

/// How often a client that left is noticed.
const POLL: Duration = Duration::from_millis(100);

/// What came of asking about one finding.
pub(super) struct Asked {
    pub(super) index: usize,
    pub(super) verdict: Result<question::Opinion, String>,
    pub(super) lasting: bool,
    pub(super) prompts: Vec<Digest>,
    pub(super) reply: Option<Digest>,
    pub(super) usage: LlmUsage,
    pub(super) reserved: f64,
}

/// The budget of an analysis.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) findings: usize,
    pub(super) cost: Option<f64>,
}

/// Asks about all findings, a few at a time, within the budget.
pub(super) async fn ask_all(
    model: &Model,
    settings: &ModelSettings,
    cleaner: &Cleaner,
    questions: Vec<(usize, Question)>,
    limits: Limits,
    hooks: &ScanHooks<'_>,
) -> (Vec<Asked>, Option<&'static str>) {
    let mut waiting = questions.into_iter().peekable();
    let mut running: JoinSet<Asked> = JoinSet::new();
    let (mut spent, mut reserved) = (0.0, 0.0);
    let mut out = Vec::new();
    let mut stopped = None;
    loop {
        while stopped.is_none() && running.len() < PARALLEL {
            let Some((_, question)) = waiting.peek() else { break };
            let most = most_cost(settings, question);
            if limits.cost.is_some_and(|limit| spent + reserved + most > limit) {
                // What is on its way may cost less than it could; then there is room for more.
                if running.is_empty() {
                    stopped = Some("maxCost");
                }
                break;
            }
            if let Some((index, question)) = waiting.next() {
                reserved += most;
                running.spawn(ask(
                    model.clone(),
                    settings.clone(),
                    cleaner.clone(),
                    index,
                    question,
                    most,
                ));
            }
        }
        match tokio::time::timeout(POLL, running.join_next()).await {
            Ok(None) => break,
            Ok(Some(Ok(asked))) => {
                reserved -= asked.reserved;
                spent += asked.usage.cost.unwrap_or(0.0);
                if asked.lasting {
                    stopped = Some("model-failed");
                }
                out.push(asked);
            }
            Err(_) if (hooks.cancel)() => {
                running.abort_all();
                stopped = Some("cancelled");
            }
            // A question that was given up, or nothing new.
            Ok(Some(Err(_))) | Err(_) => {}
        }
    }
    (out, stopped)
}

/// What a question can cost at most, with the second request that an unusable reply leads to.
fn most_cost(settings: &ModelSettings, question: &Question) -> f64 {
    let input = by_length(question.bytes(), 0).input;
    let times = ASKED_MAX as u64;
    let reply = u64::from(settings.target.reply_tokens.unwrap_or(REPLY_TOKENS));
    // A model that counts its thoughts may write more.
    let written = reply * u64::from(THOUGHT_FACTOR);
    language_model::cost(settings.prices.as_ref(), times * (input + reply), times * written).unwrap_or(0.0)
}

async fn ask(
    model: Model,
    settings: ModelSettings,
    cleaner: Cleaner,
    index: usize,
    question: Question,
    reserved: f64,
) -> Asked {
    let mut conversation = Conversation {
        turns: vec![(Speaker::User, question.text.clone())],
        reply_schema: Some(question::schema()),
        ..Conversation::default()
    };
    let mut out = Asked {
        index,
        verdict: Err(String::new()),
        lasting: false,
        prompts: Vec::new(),
        reply: None,
        usage: LlmUsage::none(&settings),
        reserved,
    };
    for _ in 0..ASKED_MAX {
        out.prompts.push(Digest::of(&model.body(&conversation)));
        let ask = Ask {
            conversation: &conversation,
            deadline: Instant::now() + REPLY,
        };
        let said = match model.ask(ask, &mut |_| {}).await {
            Ok(said) => said,
            Err(fault) => {
                out.usage.requests += 1;
                out.lasting = fault.is_lasting();
                out.verdict = Err(fault.name());
                // An empty reply is a reply in a wrong form; everything else is not asked for again.
                if matches!(fault, NoReply::Empty) {
                    continue;
                }
                return out;
            }
        };
        out.usage.add(&said, settings.prices.as_ref());
        // The service may have wanted a plainer form; what it answered is what counts.
        if let Some(prompt) = out.prompts.last_mut() {
            *prompt = Digest::of(&said.sent);
        }
        out.reply = Some(Digest::of(said.answer.text.as_bytes()));
        match question.read(&said.answer.text, &cleaner) {
            Ok(opinion) => {
                out.verdict = Ok(opinion);
                return out;
            }
            Err(why) => {
                out.verdict = Err(why.to_owned());
                let said: String = said.answer.text.chars().take(question::ECHO_CHARS).collect();
                conversation.turns.push((Speaker::Assistant, cleaner.mask(&said)));
                conversation.turns.push((Speaker::User, question::again(why)));
            }
        }
    }
    out
}
