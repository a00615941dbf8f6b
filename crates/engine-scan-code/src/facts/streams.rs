//! Streams that raise no error when they are opened: a failure arrives as part of the stream, or at a registered
//! function.

use engine_model::{Call, ErrorHandling, Evidence};
use engine_syntax::ir::{Expr, ExprId, FunctionId};

use crate::memo::Memo;
use crate::values::ExprRef;
use crate::world::World;

/// Functions of the AI SDK that open such a stream.
const OPENS: [&str; 2] = ["ai.streamText", "ai.streamObject"];

/// What such a stream gives that throws when the call has failed.
const THROWS: [&str; 8] = [
    "textStream",
    "text",
    "object",
    "response",
    "finishReason",
    "steps",
    "usage",
    "content",
];

/// What is known of functions in which such streams are read.
pub(super) struct Streams<'w, 'm> {
    world: &'w World<'m>,
    reads: Memo<(u32, Option<FunctionId>), bool>,
}

impl<'w, 'm> Streams<'w, 'm> {
    pub(super) fn new(world: &'w World<'m>) -> Self {
        Self {
            world,
            reads: Memo::default(),
        }
    }

    /// Whether a failure of a stream is told to a function that is named for it where the stream is opened.
    pub(super) fn is_told(&self, call: &Call, at: ExprRef) -> bool {
        OPENS.contains(&call.symbol.as_str()) && self.names_handler(at)
    }

    /// The place of a stream around which something is caught that it does not throw, and whose failure nobody looks at there. Whether whoever gets
    /// the stream does so is not seen.
    pub(super) fn find(&self, call: &Call, at: ExprRef) -> Option<Evidence> {
        let caught = OPENS.contains(&call.symbol.as_str()) && call.error_handling == ErrorHandling::Yes;
        if !caught || self.names_handler(at) {
            return None;
        }
        let around = self.world.index(at.0).outermost_function_of(at.1);
        let reads = self.reads.get_or((at.0, around), || self.reads_failure(at.0, around));
        (!reads).then(|| super::evidence(self.world, at, "opening the stream raises no error"))
    }

    fn names_handler(&self, at: ExprRef) -> bool {
        let Expr::Call { args, .. } = self.world.expr(at) else {
            return false;
        };
        let module = self.world.module(at.0);
        args.iter().any(|arg| match module.expr(arg.value) {
            Expr::Map(entries) => entries.iter().any(|entry| {
                entry.key.is_some_and(
                    |key| matches!(module.expr(key), Expr::Str(key) | Expr::Name(key) if &**key == "onError"),
                )
            }),
            _ => false,
        })
    }

    /// Whether a function asks a stream for what throws, or asks of its parts whether they are a failure.
    fn reads_failure(&self, unit: u32, function: Option<FunctionId>) -> bool {
        let index = self.world.index(unit);
        let module = index.module;
        let parent = |id: ExprId| index.ancestors(id).next();
        index.exprs_of(function).into_iter().any(|id| match module.expr(id) {
            // `part.type === "error"`, `case "error":`
            Expr::Str(text) => {
                &**text == "error" && parent(id).is_none_or(|above| matches!(module.expr(above), Expr::Test(_)))
            }
            Expr::Member { name, .. } => {
                &**name == "textStream"
                    || THROWS.contains(&&**name)
                        && parent(id).is_some_and(|above| matches!(module.expr(above), Expr::Await(_)))
            }
            _ => false,
        })
    }
}
