//! Text of others: what of it is never shown.

pub(crate) use engine_llm::is_hidden;
