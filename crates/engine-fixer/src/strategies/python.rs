//! Strategies for Python.

mod approval;
mod failures;
mod greeting;
mod imports;
mod interaction_log;
mod loggers;
mod phrases;
mod places;
mod source;
mod weights;

#[cfg(test)]
mod tests;

pub(crate) use self::approval::PYTHON_APPROVAL_BEFORE_COMMAND;
pub(crate) use self::failures::PYTHON_ERROR_HANDLING;
pub(crate) use self::greeting::PYTHON_GREETING_DISCLOSURE;
pub(crate) use self::interaction_log::PYTHON_INTERACTION_LOG;
pub(crate) use self::weights::PYTHON_WEIGHTS_ONLY;
