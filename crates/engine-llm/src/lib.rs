//! Talks to language models: wire formats, streams, retries, tokens and costs.
//!
//! This is the only place that knows the form of a request to a model. Everything goes through `engine-outbound`, within a deadline and
//! within limits. Keys hide in `Debug` and appear in no error. A reply is foreign text: whoever uses it decides what it may do.

mod model;
mod prices;
mod text;
mod wait;
mod wire;

pub use model::{Ask, Model, NoReply, Said};
pub use prices::{PriceSource, Prices, Provider, price, prices_as_of};
pub use text::is_hidden;
pub use wait::{asked_to_wait, by_length};
pub use wire::{
    Answer, BadSettings, BadTemplate, Broken, Conversation, DotPath, Endpoint, Exchange, Key, Shape, Speaker,
    StreamReader, THOUGHT_FACTOR, TargetSettings, Template, Tool, ToolCall, Usage, read,
};

#[cfg(test)]
mod tests;
