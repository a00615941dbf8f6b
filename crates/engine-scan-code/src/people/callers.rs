//! Matching of inputs and outputs where many places share one client.
//!
//! A client that several places call joins the data of one with the answer of another, because data flow does not tell its callers
//! apart. Here they are: each place that calls the client leads up to its own files, and an answer belongs to data of the same way.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::StructureStep;

use super::Record;
use crate::values::{ExprRef, FunctionRef};
use crate::world::World;

/// Levels of functions with a single caller that lead from a call to where its callers part.
const SINGLE_MAX: usize = 4;

/// Levels of callers above that.
const LEVELS_MAX: usize = 5;

/// Callers that are told apart; a client with more is told apart no further.
const WAYS_MAX: usize = 24;

/// Functions that are called, by the file and the function that calls them.
#[derive(Default)]
pub(super) struct Called {
    by: BTreeMap<(u32, Option<FunctionRef>), BTreeSet<FunctionRef>>,
}

impl Called {
    #[expect(clippy::iter_over_hash_type, reason = "what is gathered is kept in order")]
    pub(super) fn new(world: &World<'_>) -> Self {
        let mut by: BTreeMap<(u32, Option<FunctionRef>), BTreeSet<FunctionRef>> = BTreeMap::new();
        for (function, callers) in world.callers.borrow().iter() {
            for caller in callers.iter() {
                by.entry((caller.0, world.named_function_of(*caller)))
                    .or_default()
                    .insert(*function);
            }
        }
        Self { by }
    }

    /// Adds the files of what a function calls, and of what that calls.
    fn files_below<'w>(&self, world: &'w World<'_>, from: (u32, Option<FunctionRef>), files: &mut BTreeSet<&'w str>) {
        for function in self.by.get(&from).into_iter().flatten() {
            files.insert(world.unit(function.0).path);
            for next in self.by.get(&(function.0, Some(*function))).into_iter().flatten() {
                files.insert(world.unit(next.0).path);
            }
        }
    }
}

/// The files that lie on the way to each caller, with those of what is called there.
pub(super) struct Ways<'w> {
    ways: Vec<BTreeSet<&'w str>>,
}

impl<'w> Ways<'w> {
    /// The ways up from one call.
    pub(super) fn of(world: &'w World<'_>, called: &Called, call: ExprRef) -> Self {
        let mut at = call;
        for _ in 0..SINGLE_MAX {
            let Some(function) = world.named_function_of(at) else {
                break;
            };
            match &*world.callers_of(function) {
                [] => break,
                [single] => at = *single,
                callers => {
                    let ways = callers
                        .iter()
                        .take(WAYS_MAX)
                        .map(|caller| files_of_way(world, called, *caller));
                    return Self { ways: ways.collect() };
                }
            }
        }
        Self { ways: Vec::new() }
    }

    /// Columns as each caller gives them, that is those on its way and those that stand on none; at last all together.
    pub(super) fn split(&self, columns: Record) -> Vec<Record> {
        if self.ways.is_empty() {
            return vec![columns];
        }
        let on_none = |file: &str| !self.ways.iter().any(|way| way.contains(file));
        let of_way = |way: &BTreeSet<&str>| Record {
            fields: columns
                .fields
                .iter()
                .filter(|(_, step)| way.contains(&*step.file) || on_none(&step.file))
                .map(|(name, step)| (name.clone(), step.clone()))
                .collect(),
            place: columns.place.clone(),
        };
        let mut each: Vec<Record> = self.ways.iter().map(of_way).collect();
        each.push(columns);
        each
    }

    /// Whether what becomes of an answer may belong to data. What stands on no way, as a type or a helper does, belongs to any.
    pub(super) fn join(&self, data: &[&StructureStep], step: &StructureStep) -> bool {
        let on = |way: &BTreeSet<&'w str>, file: &str| way.contains(file);
        let mut of_data = self
            .ways
            .iter()
            .filter(|way| data.iter().any(|part| on(way, &part.file)))
            .peekable();
        of_data.peek().is_none()
            || !self.ways.iter().any(|way| on(way, &step.file))
            || of_data.any(|way| on(way, &step.file))
    }
}

/// The files of a place, of all that leads to it, and of what is called on the way.
fn files_of_way<'w>(world: &'w World<'_>, called: &Called, at: ExprRef) -> BTreeSet<&'w str> {
    let mut files = BTreeSet::from([world.unit(at.0).path]);
    let mut seen: BTreeSet<(u32, Option<FunctionRef>)> = BTreeSet::new();
    let mut level = vec![at];
    for _ in 0..LEVELS_MAX {
        let mut next: Vec<ExprRef> = Vec::new();
        for place in level {
            let function = world.named_function_of(place);
            if !seen.insert((place.0, function)) {
                continue;
            }
            called.files_below(world, (place.0, function), &mut files);
            if let Some(function) = function {
                next.extend(world.callers_of(function).iter().take(8));
            }
        }
        next.truncate(40);
        files.extend(next.iter().map(|place| world.unit(place.0).path));
        level = next;
    }
    files
}
