//! Strategies for JavaScript and TypeScript.

mod approval;
mod failures;
mod greetings;
mod log_lines;
mod loggers;
mod marking;
mod places;
mod source;
#[cfg(test)]
mod tests;

pub(crate) use self::approval::SCRIPT_APPROVAL_BEFORE_COMMAND;
pub(crate) use self::failures::SCRIPT_ERROR_HANDLING;
pub(crate) use self::greetings::SCRIPT_GREETING_DISCLOSURE;
pub(crate) use self::log_lines::SCRIPT_INTERACTION_LOG;
pub(crate) use self::marking::SCRIPT_CONTENT_MARKING;
