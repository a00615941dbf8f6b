//! Pictures stored as files: the record of an identification contains the path of the matching picture, not the
//! picture.

use engine_catalogue::{Capabilities, NameKind};
use engine_model::TraceKind;
use engine_syntax::ir::Expr;

use super::{add, evidence};
use crate::calls::Found;
use crate::facts::{callee_name, object_name};
use crate::values::{ExprRef, FunctionRef, id};
use crate::world::World;

/// Calls that write a picture to a file, whatever library they are of.
const WRITES: [&str; 3] = ["imwrite", "imsave", "write_jpeg"];

/// Records of a function that are looked at.
const RECORDS_MAX: usize = 40;

/// Notes the record beside a picture that is kept as a file, at each identification in the function that keeps it or one that calls it.
pub(super) fn keep(
    world: &World<'_>,
    table: &Capabilities,
    homes: &[(usize, u32, Option<FunctionRef>)],
    found: &mut [Found],
) {
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != engine_model::Zone::Product {
            continue;
        }
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            if !writes_picture(world, table, at) {
                continue;
            }
            let Some(function) = world.named_function_of(at) else {
                continue;
            };
            let Some((name, record)) = record_beside(world, table, function) else {
                continue;
            };
            let callers = world.callers_of(function);
            let leads = |home: &Option<FunctionRef>| {
                home.is_some_and(|home| {
                    home == function
                        || callers
                            .iter()
                            .any(|caller| world.named_function_of(*caller) == Some(home))
                })
            };
            for (which, _, _) in homes.iter().filter(|(_, _, home)| leads(home)) {
                if found[*which].call.traced(TraceKind::LogInput).is_none() {
                    let place = evidence(world, record, name.clone());
                    add(&mut found[*which].call, TraceKind::LogInput, vec![place]);
                }
            }
        }
    }
}

/// Whether a call writes a picture to a file.
fn writes_picture(world: &World<'_>, table: &Capabilities, at: ExprRef) -> bool {
    let name = callee_name(world, at);
    WRITES.contains(&name) || name == "save" && table.names(NameKind::LogInput, object_name(world, at))
}

/// The record of a function that names a picture under a key of its own.
fn record_beside(world: &World<'_>, table: &Capabilities, function: FunctionRef) -> Option<(String, ExprRef)> {
    let index = world.index(function.0);
    let maps = index.exprs_of(Some(function.1)).into_iter();
    maps.filter_map(|at| match index.module.expr(at) {
        Expr::Map(entries) => Some((at, entries)),
        _ => None,
    })
    .take(RECORDS_MAX)
    .find_map(|(at, entries)| {
        let named = entries.iter().find_map(|entry| match index.module.expr(entry.key?) {
            Expr::Str(key) if table.names(NameKind::LogInput, key) => Some(key.to_string()),
            _ => None,
        })?;
        Some((named, ExprRef(function.0, at)))
    })
}
