//! Compliance documents: templates filled from facts and answers, with sources.
//!
//! [`kinds`] lists the 36 documents of the law data, each with its template. [`which_apply`] says which of them a system
//! needs on a date, and why not the others. [`generate`] fills a template from [`Facts`] and a [`Request`]. What the engine
//! writes is a quotation and names its source; what only a person knows is an open question with a mark. [`update`] carries
//! a person's edits into a new version, [`finalise`] makes a draft final, and [`stale_sources`] names the values that have
//! changed since. Headings and fixed labels exist in each language of `engine-messages`; a mark below each heading names its
//! section. Nothing here opens a file or reads a clock.

mod applicability;
mod condition;
mod escape;
mod fact;
mod facts;
mod finalise;
mod front;
mod generate;
mod kinds;
mod marks;
mod merge;
mod names;
mod outline;
mod request;
mod source;
mod stale;
mod table;
mod table_names;
mod template;
mod translate;

#[cfg(test)]
mod tests;

pub use applicability::{DocumentDuty, Due, which_apply};
pub use condition::Condition;
pub use fact::Fact;
pub use facts::{EvaluationCategory, EvaluationFacts, Facts};
pub use finalise::{FinaliseError, finalise};
pub use generate::{Generated, generate};
pub use kinds::{Kind, kind, kinds};
pub use merge::{Updated, update};
pub use outline::{OpenQuestion, Outline, Status};
pub use request::{Industry, Request, RequestField, Statement};
pub use stale::{StaleSource, stale_sources};
pub use table_names::TableName;
pub use template::{Part, Section, Template, TemplateError};
