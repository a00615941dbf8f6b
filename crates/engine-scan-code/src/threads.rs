//! Chat threads that a service stores for a program: one call adds a message, another starts a run, and a third reads
//! the output.

use engine_model::CallKind;
use engine_syntax::ir::Expr;
use rustc_hash::FxHashMap as HashMap;

use crate::calls::Found;
use crate::facts::callee_name;
use crate::values::{ExprRef, id};
use crate::world::World;

/// Calls that are looked at for each run.
const CALLS_MAX: usize = 64;

/// What belongs to the runs of a project.
#[derive(Default)]
pub(crate) struct Threads {
    /// Where the answer of a run is read, with the run.
    pub(crate) read: Vec<(ExprRef, usize)>,
    /// Where something is said to a run.
    pub(crate) said: HashMap<ExprRef, Vec<ExprRef>>,
}

/// Joins each run with the calls that put messages into threads and read them out again: those of its function, else of its file, else
/// of the project.
pub(crate) fn join(world: &World<'_>, found: &[Found]) -> Threads {
    let mut threads = Threads::default();
    let runs: Vec<(usize, ExprRef)> = found
        .iter()
        .enumerate()
        .filter(|(_, found)| found.call.kind == CallKind::Call && found.call.symbol.contains(".threads."))
        .map(|(at, found)| (at, found.at))
        .collect();
    if runs.is_empty() {
        return threads;
    }
    let mut lists = Vec::new();
    let mut creates = Vec::new();
    for unit in 0..id(world.units.len()) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            match callee_name(world, at) {
                "list" if is_of_thread(world, at) => lists.push(at),
                "create" if is_of_thread(world, at) => creates.push(at),
                _ => {}
            }
        }
    }
    let near = |one: ExprRef, other: ExprRef| {
        let function = world.named_function_of(one);
        match (
            function.is_some() && function == world.named_function_of(other),
            one.0 == other.0,
        ) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 2,
        }
    };
    for list in lists.into_iter().take(CALLS_MAX) {
        if let Some((run, _)) = runs.iter().min_by_key(|(_, run)| near(*run, list)) {
            threads.read.push((list, *run));
        }
    }
    for (_, run) in runs.iter().take(CALLS_MAX) {
        let Some(closest) = creates.iter().map(|create| near(*run, *create)).min() else {
            break;
        };
        let said = creates.iter().filter(|create| near(*run, **create) == closest);
        threads.said.insert(*run, said.copied().take(CALLS_MAX).collect());
    }
    threads
}

/// Whether a call is one of the messages of a thread: `client.beta.threads.messages.list(…)`.
fn is_of_thread(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return false;
    };
    let module = world.module(at.0);
    let Expr::Member { object, .. } = module.expr(*callee) else {
        return false;
    };
    let Expr::Member { object, name } = module.expr(*object) else {
        return false;
    };
    &**name == "messages" && matches!(module.expr(*object), Expr::Member { name, .. } if &**name == "threads")
}
