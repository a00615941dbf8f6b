//! Judges replies of language models by grammar, counting and decoding.
//!
//! A reply goes one way: reasoning taken off, transport verdict, whether it is an answer at all, speaker tags, segments,
//! language, features, and a verdict with its reasons. Word lists are data files. The crate opens no file, reads no clock, and takes time linear in
//! the length of a reply.

mod answers;
mod calls;
mod disclosure;
pub mod evaluate;
mod format;
mod hate;
mod identifiers;
mod injection;
mod jailbreak;
mod language;
mod leak;
mod lexicon;
mod matcher;
mod parity;
pub mod reasoning;
mod refusal;
mod segments;
mod specificity;
mod text;
mod transport;
pub mod truth;
mod usable;
mod views;

pub use disclosure::{Disclosure, Nature, disclosure};
pub use evaluate::{NoAnswer, Outcome, Replies, Reply, Request, Verdict, evaluate};
pub use hate::{Hate, hate};
pub use identifiers::{Kind, identifiers};
pub use injection::{Injection, injection};
pub use jailbreak::{Jailbreak, jailbreak};
pub use language::{detect, is_unknown};
pub use leak::{Leak, leak};
pub use parity::{Features, features};
pub use refusal::{Refusal, Stand, refusal};
pub use text::Span;
pub use transport::{REPLY_BYTES_MAX, Transport, transport};
pub use usable::{Unusable, unusable};
pub use views::View;
