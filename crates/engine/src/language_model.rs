//! What every use of a language model shares: waiting, fences around foreign text, masks over replies, and what it cost.

use std::collections::BTreeSet;

use engine_llm::{NoReply, Prices, Provider, Said, is_hidden, prices_as_of};
use engine_model::{ErrorCode, Failure};
use schemars::JsonSchema;
use serde::Serialize;

use crate::credentials::ModelSettings;
use crate::evals::Mask;

/// Characters of a finding's id.
const ID_CHARS: usize = 20;

/// Words of a verdict in law, which no model and no engine can give. Each is taken out of what a model writes.
const CLAIMS: [&str; 21] = [
    "non-compliant",
    "noncompliant",
    "compliant",
    "certified",
    "certification",
    "approved",
    "guaranteed",
    "guarantees",
    "guarantee",
    "legally safe",
    "konform",
    "rechtskonform",
    "zertifiziert",
    "garantiert",
    "conforme",
    "certifié",
    "certificado",
    "certificato",
    "garanti",
    "garantizado",
    "zgodny",
];

/// What stands in the place of a word that was taken out.
const REMOVED: &str = "[claim removed]";

/// The tokens and the cost of requests to a language model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmUsage {
    /// Requests sent, including repeated ones.
    pub requests: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Whether tokens were estimated by the length of the text, because the service did not count them.
    pub estimated: bool,
    /// The cost by list price; null where the price of the model is unknown.
    pub cost: Option<f64>,
    /// The currency of the cost.
    pub currency: String,
    /// The date of the price list, if the price comes from it.
    pub prices_as_of: Option<String>,
}

impl LlmUsage {
    /// Nothing used yet.
    pub(crate) fn none(settings: &ModelSettings) -> Self {
        let listed = settings.provider != Provider::Compatible && settings.prices.is_some();
        Self {
            cost: settings.prices.map(|_| 0.0),
            currency: "USD".to_owned(),
            prices_as_of: prices_as_of(settings.provider).filter(|_| listed).map(str::to_owned),
            ..Self::default()
        }
    }

    /// Counts a reply. Says what it cost.
    pub(crate) fn add(&mut self, said: &Said, prices: Option<&Prices>) -> Option<f64> {
        self.requests += u64::from(said.requests);
        self.input_tokens += said.usage.input;
        self.output_tokens += said.usage.output;
        self.estimated |= said.estimated;
        let cost = cost(prices, said.usage.input, said.usage.output);
        self.cost = self.cost.zip(cost).map(|(before, cost)| before + cost);
        cost
    }
}

/// What tokens cost.
#[expect(clippy::cast_precision_loss, reason = "tokens of a few requests")]
pub(crate) fn cost(prices: Option<&Prices>, input: u64, output: u64) -> Option<f64> {
    prices.map(|prices| prices.of(input as f64, output as f64))
}

/// Waits for a request on a thread that may block.
pub(crate) fn wait_for<T>(asked: impl Future<Output = T>) -> Result<T, Failure> {
    match tokio::runtime::Handle::try_current() {
        Ok(handle) => Ok(handle.block_on(asked)),
        Err(_) => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map(|runtime| runtime.block_on(asked))
            .map_err(|error| {
                Failure::new(
                    ErrorCode::TargetFailed,
                    format!("cannot wait for the language model: {error}"),
                )
            }),
    }
}

/// Why a model gave no answer, for the caller.
pub(crate) fn failure(fault: &NoReply, settings: &ModelSettings) -> Failure {
    let code = if fault.is_slow() {
        ErrorCode::TargetTimeout
    } else {
        ErrorCode::TargetFailed
    };
    let next = match fault {
        NoReply::Status(401 | 403) => format!("check the key behind {}", settings.env_var),
        NoReply::Status(404) => "check the name of the model and the address".to_owned(),
        NoReply::Busy(Some(seconds)) => format!("try again in {} seconds", seconds.max(&1)),
        NoReply::Busy(None) | NoReply::Connection(_) => "try again later".to_owned(),
        _ => "try again, or choose another model".to_owned(),
    };
    let failure = Failure::new(code, format!("no answer from the language model: {fault}; {next}"));
    match fault {
        NoReply::Busy(Some(seconds)) => failure.retry_after(u32::try_from((*seconds).max(1)).unwrap_or(u32::MAX)),
        _ => failure,
    }
}

/// A line that a text does not contain and nobody can foresee who does not know the seed.
pub(crate) fn fence(seed: &str, text: &str) -> String {
    let digest = blake3::hash(format!("{seed}\0{text}").as_bytes()).to_hex();
    let mut fence = format!("=== {}", digest.get(..24).unwrap_or_default());
    while text.contains(&fence) {
        fence.push('=');
    }
    fence
}

/// Takes secrets out of what comes from a model or goes to one.
#[derive(Clone, Default)]
pub(crate) struct Cleaner {
    keys: Mask,
    /// Ids of findings, which look like secrets and are none.
    ids: BTreeSet<String>,
}

impl Cleaner {
    /// Hides the keys of a model; ids are left as they are.
    pub(crate) fn new(settings: &ModelSettings, ids: impl IntoIterator<Item = String>) -> Self {
        Self {
            keys: Mask::of(&settings.target),
            ids: ids.into_iter().collect(),
        }
    }

    /// A text without secrets.
    pub(crate) fn mask(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.keys.text(&mut text);
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in hex_runs(&text) {
            // An id in brackets is a citation, also one that does not exist: it is checked and named later.
            let cited = text[..start].ends_with('[') && text[end..].starts_with(']');
            if cited || self.ids.contains(&text[start..end]) {
                out.push_str(&engine_scanner::mask_secrets(&text[from..start]));
                out.push_str(&text[start..end]);
                from = end;
            }
        }
        out.push_str(&engine_scanner::mask_secrets(&text[from..]));
        out
    }

    /// A text of a model on its way to a person: no commands to a terminal, no secrets, no claims.
    pub(crate) fn foreign(&self, text: &str) -> String {
        let visible: String = text.chars().filter(|c| !is_hidden(*c)).collect();
        without_claims(&self.mask(&visible))
    }
}

/// Runs of hexadecimal digits that are as long as an id and stand alone.
pub(crate) fn hex_runs(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            at += 1;
        }
        let is_id = at - start == ID_CHARS
            && bytes[start..at]
                .iter()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte));
        if is_id {
            out.push((start, at));
        }
        at = at.max(start + 1);
    }
    out
}

/// A text without words of a verdict in law.
pub(crate) fn without_claims(text: &str) -> String {
    let mut out = text.to_owned();
    let lower = text.to_ascii_lowercase();
    for claim in CLAIMS.into_iter().filter(|claim| lower.contains(claim)) {
        let mut from = 0;
        while let Some(start) = find_word(&out, claim, from) {
            out.replace_range(start..start + claim.len(), REMOVED);
            from = start + REMOVED.len();
        }
    }
    without_commands(&out)
}

/// The same text with no line that a build server takes for a command.
fn without_commands(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        if line.trim_start().starts_with("::") {
            line.replacen("::", ": :", 1)
        } else {
            line.replace("##vso[", "## vso[").replace("##[", "## [")
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where a word begins in a text, in letters of any case.
fn find_word(text: &str, word: &str, from: usize) -> Option<usize> {
    let whole = |start: usize, end: usize| {
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    };
    text[from..].char_indices().map(|(at, _)| from + at).find(|start| {
        text.get(*start..*start + word.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(word) && whole(*start, *start + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_taken_out_in_any_case_and_words_that_contain_them_stay() {
        assert_eq!(
            without_claims("This looks COMPLIANT and certified; a compliance gap, uncertified."),
            "This looks [claim removed] and [claim removed]; a compliance gap, uncertified."
        );
        assert_eq!(without_claims("nothing to remove"), "nothing to remove");
        assert_eq!(
            without_claims("a\n ::error::b\n##vso[c]\nd::e"),
            "a\n : :error::b\n## vso[c]\nd::e"
        );
    }

    #[test]
    fn ids_of_findings_stay_and_other_long_words_do_not() {
        let id = "0a1b2c3d4e5f60718293";
        let cleaner = Cleaner {
            ids: [id.to_owned()].into(),
            ..Cleaner::default()
        };
        let secret = ["sk", "proj", "q8Zr2LwT5vN1xKc7Hb3M0aB4cD6eF9gH"].join("-");
        let text = cleaner.foreign(&format!("see [{id}] and \u{1b}[31m{secret}\u{202e}"));
        assert!(text.contains(id), "{text}");
        assert!(
            !text.contains(&secret) && !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{text}"
        );
    }

    #[test]
    fn a_fence_differs_by_seed_and_is_not_in_the_text() {
        let text = "x = 1";
        assert_ne!(fence("a", text), fence("b", text));
        assert!(!text.contains(&fence("a", text)));
    }
}
