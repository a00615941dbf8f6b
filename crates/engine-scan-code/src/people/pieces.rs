//! Prompts that are put together piece by piece in a builder of text.

use std::collections::{BTreeMap, BTreeSet};

use engine_syntax::ir::{Expr, FunctionId};

use super::call_inputs::{Item, What};
use super::purposes::{TEXT_BYTES_MAX, text_of};
use crate::values::ExprRef;
use crate::world::World;

/// Methods that put a piece behind what a builder holds.
const APPENDS: [&str; 8] = [
    "append",
    "Append",
    "appendLine",
    "AppendLine",
    "push_str",
    "WriteString",
    "appendln",
    "write",
];

/// Texts that go piece by piece into one builder: the whole stands with the first piece, and nothing with the others.
pub(super) fn in_pieces(world: &World<'_>, items: &[Item]) -> BTreeMap<ExprRef, String> {
    let mut builders: BTreeMap<(u32, Option<FunctionId>, &str), BTreeSet<ExprRef>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.what == What::Text) {
        let Some(call) = world.parent(item.at) else { continue };
        let Expr::Call { callee, .. } = world.expr(call) else {
            continue;
        };
        if let Expr::Member { name, .. } = world.expr(ExprRef(call.0, *callee))
            && APPENDS.contains(&&**name)
            && let Some(builder) = builder_of(world, call)
        {
            let function = world.index(call.0).named_function_of(call.1);
            builders.entry((call.0, function, builder)).or_default().insert(item.at);
        }
    }
    let mut out = BTreeMap::new();
    for pieces in builders.into_values().filter(|pieces| pieces.len() > 1) {
        let mut ordered: Vec<ExprRef> = pieces.iter().copied().collect();
        ordered.sort_by_key(|at| {
            let span = world.span(*at);
            (span.line, span.column)
        });
        // Each piece keeps the line that it stands on.
        let mut whole = String::new();
        let mut line = ordered.first().map_or(0, |first| world.span(*first).line);
        for piece in &ordered {
            if whole.len() > TEXT_BYTES_MAX {
                break;
            }
            let text = text_of(world, *piece, 0).replace(['\n', '\r'], " ");
            let next = world.span(*piece).line;
            while line < next {
                whole.push('\n');
                line += 1;
            }
            whole.push_str(&text);
            whole.push(' ');
        }
        for (at, piece) in ordered.into_iter().enumerate() {
            out.insert(
                piece,
                if at == 0 {
                    std::mem::take(&mut whole)
                } else {
                    String::new()
                },
            );
        }
    }
    out
}

/// The name of the builder at the beginning of a chain: `prompt` of `prompt.append(a).append(b)`.
fn builder_of<'w>(world: &World<'w>, mut at: ExprRef) -> Option<&'w str> {
    for _ in 0..64 {
        at = match world.expr(at) {
            Expr::Name(name) => return Some(name),
            Expr::Call { callee, .. } => ExprRef(at.0, *callee),
            Expr::Member { object, .. } => ExprRef(at.0, *object),
            _ => return None,
        };
    }
    None
}
