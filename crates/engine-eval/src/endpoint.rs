//! How a target is spoken to. The forms of requests and replies are those of `engine-llm`; this module finds out which one a target wants.

mod detect;
mod paths;

pub use detect::{Detection, Tried, detect};
pub use engine_llm::{
    Answer, BadSettings, BadTemplate, Broken, Conversation, DotPath, Endpoint, Key, Shape, Speaker, TargetSettings,
    Template, Usage, read,
};
pub use paths::PathMiss;
