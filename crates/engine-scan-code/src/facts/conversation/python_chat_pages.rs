//! Pages with a chat field that are written in Python and send its text to a server.

use std::collections::BTreeMap;

use engine_model::Zone;
use engine_syntax::ir::Expr;

use crate::facts::callee_name;
use crate::values::ExprRef;
use crate::world::World;

/// The paths to which pages with a field for a talk post something, with the field.
pub(super) fn posts(world: &World<'_>, fields: &BTreeMap<u32, ExprRef>) -> BTreeMap<String, ExprRef> {
    let mut out = BTreeMap::new();
    for (unit, field) in fields
        .iter()
        .filter(|(unit, _)| world.unit(**unit).zone == Zone::Product)
    {
        for call in &world.index(*unit).calls {
            let at = ExprRef(*unit, *call);
            let Expr::Call { args, .. } = world.expr(at) else {
                continue;
            };
            let Some(first) = args
                .first()
                .filter(|_| matches!(callee_name(world, at), "post" | "stream"))
            else {
                continue;
            };
            let Some(parts) = world.text(&world.eval(ExprRef(*unit, first.value))) else {
                continue;
            };
            let address = crate::values::render(&parts);
            let behind_host = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
            if let Some(at) = behind_host.find('/') {
                let path = behind_host[at..].trim_end_matches('/');
                if path.len() > 1 {
                    out.entry(path.to_owned()).or_insert(*field);
                }
            }
        }
    }
    out
}
