//! Where the name of a model is written, when that is not where the model is asked.

use std::collections::BTreeMap;

use engine_catalogue::catalogue;
use engine_model::{CallKind, Trace, TraceKind, Zone};
use engine_syntax::ir::{Expr, ExprId, StmtKind};

use crate::calls::Found;
use crate::facts::evidence;
use crate::flow::pattern_names;
use crate::index::NONE;
use crate::project::is_script;
use crate::values::{ExprRef, id};
use crate::world::World;

/// Places of one name that are kept; a name that stands everywhere tells nothing.
const PLACES_MAX: usize = 40;

/// Notes, for each call of a model with a date of retirement, the one place where its name can be changed.
pub(crate) fn fill(world: &World<'_>, found: &mut [Found]) {
    let mut places: BTreeMap<String, Vec<ExprRef>> = BTreeMap::new();
    for record in found.iter() {
        if let Some(name) = &record.call.model
            && !places.contains_key(name)
            && catalogue().model(name).is_some_and(|known| known.retired.is_some())
        {
            places.insert(name.clone(), Vec::new());
        }
    }
    if places.is_empty() {
        return;
    }
    for unit in 0..id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        let index = world.index(unit);
        for (at, expr) in index.module.exprs.iter().enumerate() {
            let Expr::Str(text) = &expr.kind else { continue };
            if index.expr_scope[at] == NONE {
                continue;
            }
            // A name stands alone, or in an address: `…/models/gemini-2.0-flash:generateContent`.
            let known = match places.get_mut(&**text) {
                Some(known) => Some(known),
                None if text.contains("models/") => places
                    .iter_mut()
                    .find(|(name, _)| in_address(text, name))
                    .map(|(_, known)| known),
                None => None,
            };
            let place = ExprRef(unit, ExprId(id(at)));
            if let Some(known) = known
                && known.len() < PLACES_MAX
                && !is_compared(world, place)
            {
                known.push(place);
            }
        }
    }
    for record in found.iter_mut().filter(|record| record.call.kind == CallKind::Call) {
        let Some(name) = &record.call.model else { continue };
        let Some(all) = places.get(name) else { continue };
        let chosen = choose(world, record.at, all).map_or_else(|| given(world, record.at, all), |place| vec![place]);
        if chosen.is_empty() {
            continue;
        }
        record.call.traces.push(Trace {
            kind: TraceKind::ModelNamed,
            chain: chosen
                .into_iter()
                .map(|place| evidence(world, place, name.clone()))
                .collect(),
        });
        record.call.traces.sort();
    }
}

/// Whether an address asks for a model of this very name.
fn in_address(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        text[..at].ends_with('/')
            && !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '.')
    })
}

/// Whether a text is only compared or offered among others, and asks for nothing.
fn is_compared(world: &World<'_>, at: ExprRef) -> bool {
    world
        .index(at.0)
        .ancestors(at.1)
        .next()
        .is_some_and(|parent| matches!(world.module(at.0).expr(parent), Expr::Test(_) | Expr::List(_)))
}

/// The places at which callers hand a name to the function of a call, where the file of the call holds none: each is to be changed.
fn given(world: &World<'_>, call: ExprRef, all: &[ExprRef]) -> Vec<ExprRef> {
    if all.iter().any(|place| place.0 == call.0) {
        return Vec::new();
    }
    let Some(around) = world.named_function_of(call) else {
        return Vec::new();
    };
    let callers = world.callers_of(around);
    let mut out: Vec<ExprRef> = all
        .iter()
        .copied()
        .filter(|place| {
            let index = world.index(place.0);
            let asks = |parent: ExprId| callers.contains(&ExprRef(place.0, parent));
            index.ancestors(place.1).any(asks)
        })
        .collect();
    out.sort_by_key(|place| (world.unit(place.0).path, world.span(*place).line));
    out
}

/// The place that decides for a call: in the call, in its function, in its file, and elsewhere; none where several may.
fn choose(world: &World<'_>, call: ExprRef, all: &[ExprRef]) -> Option<ExprRef> {
    let here: Vec<ExprRef> = all.iter().copied().filter(|place| place.0 == call.0).collect();
    let index = world.index(call.0);
    if let Some(inside) = here
        .iter()
        .find(|place| index.ancestors(place.1).any(|parent| parent == call.1))
    {
        return Some(*inside);
    }
    let line = |place: &ExprRef| world.span(*place).line;
    let around = world.home_of(call);
    let near = here
        .iter()
        .filter(|place| around.is_some() && world.home_of(**place) == around && line(place) <= line(&call))
        .max_by_key(|place| line(place));
    if let Some(near) = near {
        return Some(*near);
    }
    if !here.is_empty() {
        return only(world, &here);
    }
    // What another language names reaches no call of this one.
    let language = world.unit(call.0).language;
    let same = |place: &&ExprRef| {
        let other = world.unit(place.0).language;
        other == language || is_script(other) && is_script(language)
    };
    let all: Vec<ExprRef> = all.iter().filter(same).copied().collect();
    only(world, &all)
}

/// The only place, or the only one that is bound to a name for a model.
fn only(world: &World<'_>, places: &[ExprRef]) -> Option<ExprRef> {
    if let [only] = places {
        return Some(*only);
    }
    let mut bound = places
        .iter()
        .copied()
        .filter(|place| is_bound_to_a_model(world, *place));
    let first = bound.next()?;
    bound.next().is_none().then_some(first)
}

fn is_bound_to_a_model(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let stmt = index.expr_stmt[at.1.0 as usize];
    stmt != NONE
        && matches!(&index.stmts[stmt as usize].stmt.kind, StmtKind::Assign { target, .. }
            if pattern_names(target).iter().any(|name| name.to_ascii_lowercase().contains("model")))
}
