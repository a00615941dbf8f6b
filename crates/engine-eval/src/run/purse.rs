//! What a run may spend: requests, tokens, money and time, shared by everybody who spends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{RunSettings, Stop};
use crate::plan::Prices;

/// The resources that a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Requests sent to the target, including repeated ones.
    pub requests: u64,
    /// Tokens sent to the target.
    pub input_tokens: u64,
    /// Tokens received from the target.
    pub output_tokens: u64,
    /// Requests sent to the judge model.
    #[serde(default)]
    pub judge_requests: u64,
    /// Tokens sent to the judge model.
    #[serde(default)]
    pub judge_input_tokens: u64,
    /// Tokens received from the judge model.
    #[serde(default)]
    pub judge_output_tokens: u64,
    /// Cost of the target and the judge model, where prices are known.
    pub cost: Option<f64>,
    /// Number of times the target throttled a request.
    pub throttled: u64,
}

impl Spent {
    /// Requests to the target and to the judge; this is what a limit of requests holds.
    pub fn all_requests(&self) -> u64 {
        self.requests + self.judge_requests
    }

    /// Tokens of both, sent and received; this is what a limit of tokens holds.
    pub fn all_tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens + self.judge_input_tokens + self.judge_output_tokens
    }
}

/// Who a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payee {
    /// The target.
    Target,
    /// The model that judges.
    Judge,
}

/// The limits of a run and what is left of them. Clones share both.
#[derive(Debug, Clone)]
pub struct Purse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    spent: Mutex<Spent>,
    max_requests: u64,
    max_tokens: u64,
    max_cost: f64,
    prices: Option<Prices>,
    judge_prices: Option<Prices>,
    deadline: Option<Instant>,
}

impl Purse {
    /// A full purse; its time runs from now on.
    pub fn of(settings: &RunSettings) -> Self {
        Self(Arc::new(Inner {
            spent: Mutex::new(Spent {
                cost: settings.prices.map(|_| 0.0),
                ..Spent::default()
            }),
            max_requests: settings.max_requests.unwrap_or(u64::MAX),
            max_tokens: settings.max_tokens.unwrap_or(u64::MAX),
            max_cost: settings.max_cost.unwrap_or(f64::INFINITY),
            prices: settings.prices,
            // A judge without prices of its own is taken to cost what the target costs: too much is safer than nothing.
            judge_prices: settings.judge_prices.or(settings.prices),
            deadline: settings.total_ms.map(|ms| Instant::now() + Duration::from_millis(ms)),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        // Counts stay whole even if another worker panicked while it held them.
        self.0.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the time is up.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// What was spent by now.
    pub fn spent(&self) -> Spent {
        *self.lock()
    }

    /// Why nothing more may be sent, if nothing may.
    pub fn empty(&self) -> Option<Stop> {
        self.0.exhausted(&self.lock())
    }

    /// Counts one more request, before it is sent; refused once any limit is reached.
    pub fn take(&self, payee: Payee) -> Result<(), Stop> {
        let mut spent = self.lock();
        if let Some(why) = self.0.exhausted(&spent) {
            return Err(why);
        }
        match payee {
            Payee::Target => spent.requests += 1,
            Payee::Judge => spent.judge_requests += 1,
        }
        Ok(())
    }

    /// Counts the tokens of a reply.
    pub fn book(&self, payee: Payee, input: u64, output: u64) {
        let mut spent = self.lock();
        let prices = match payee {
            Payee::Target => {
                spent.input_tokens += input;
                spent.output_tokens += output;
                self.0.prices
            }
            Payee::Judge => {
                spent.judge_input_tokens += input;
                spent.judge_output_tokens += output;
                self.0.judge_prices
            }
        };
        if let Some(prices) = prices {
            #[expect(clippy::cast_precision_loss, reason = "tokens of a run")]
            let cost = prices.of(input as f64, output as f64);
            *spent.cost.get_or_insert(0.0) += cost;
        }
    }

    /// Counts requests that were sent before anybody could be asked: those of an earlier part of the run, and those that
    /// found out the form of the target.
    pub fn book_requests(&self, requests: u64) {
        self.lock().requests += requests;
    }

    pub(super) fn throttled(&self) {
        self.lock().throttled += 1;
    }
}

impl Inner {
    fn exhausted(&self, spent: &Spent) -> Option<Stop> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Stop::Time)
        } else if spent.all_requests() >= self.max_requests {
            Some(Stop::MaxRequests)
        } else if spent.all_tokens() >= self.max_tokens {
            Some(Stop::MaxTokens)
        } else if spent.cost.is_some_and(|cost| cost >= self.max_cost) {
            Some(Stop::MaxCost)
        } else {
            None
        }
    }
}
