//! Model names that are written in a place other than the call.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::catalogue;
use engine_model::{CallKind, Evidence, EvidenceKind, Trace, TraceKind, Zone};
use engine_syntax::ir::{Expr, ExprId, StmtKind};

use crate::calls::Found;
use crate::facts::evidence;
use crate::flow::pattern_names;
use crate::index::{BindSource, Index, NONE, Role};
use crate::origins::{Origin, may_end};
use crate::project::is_script;
use crate::values::{ExprRef, Value, id};
use crate::world::World;

/// Places of one name that are kept; a name that stands everywhere tells nothing.
const PLACES_MAX: usize = 40;

/// Notes, for each call of a model with a date of retirement, the one place where its name can be changed; a default that nobody asks for is none.
pub(crate) fn fill(world: &World<'_>, unasked: &BTreeSet<ExprRef>, found: &mut [Found]) {
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
    for (place, text) in product_texts(world) {
        // A name stands alone, or in an address: `…/models/gemini-2.0-flash:generateContent`.
        let known = match places.get_mut(text) {
            Some(known) => Some(known),
            None if text.contains("models/") => places
                .iter_mut()
                .find(|(name, _)| in_address(text, name))
                .map(|(_, known)| known),
            None => None,
        };
        if let Some(known) = known
            && known.len() < PLACES_MAX
            && !is_compared(world, place)
            && !unasked.contains(&place)
        {
            known.push(place);
        }
    }
    // Where every call that knows the place of a name knows the same one, the others mean it too.
    let mut agreed: BTreeMap<String, Option<Origin>> = BTreeMap::new();
    for record in found.iter().filter(|record| record.call.zone == Zone::Product) {
        if let (Some(name), Some(at)) = (&record.call.model, record.model_at) {
            let known = agreed.entry(name.clone()).or_insert(Some(at));
            *known = known.filter(|known| *known == at);
        }
    }
    for record in found.iter_mut() {
        let Some(name) = &record.call.model else { continue };
        let Some(all) = places.get(name) else { continue };
        let named_here = all.iter().any(|place| place.0 == record.at.0);
        if record.model_at.is_none() && !named_here {
            record.model_at = agreed.get(name).copied().flatten();
        }
        let handed = given(world, record.at, all);
        let mut chain: Vec<Evidence> = match record.model_at {
            // Several callers hand over a name of their own: each is to be changed.
            _ if handed.len() > 1 => handed
                .iter()
                .map(|place| evidence(world, *place, name.clone()))
                .collect(),
            Some(at) => written(world, at, name).into_iter().collect(),
            None if record.call.kind != CallKind::Call => Vec::new(),
            None => {
                let place = choose(world, record.at, all).or_else(|| handed.first().copied());
                place
                    .map(|place| evidence(world, place, name.clone()))
                    .into_iter()
                    .collect()
            }
        };
        if chain.is_empty() {
            continue;
        }
        let place = match record.model_at {
            Some(Origin::Code(place)) => Some(place),
            Some(Origin::File(..)) => None,
            None => choose(world, record.at, all),
        };
        if let Some(place) = place {
            chain.extend(beside(world, unasked, place));
        }
        record.call.traces.push(Trace {
            kind: TraceKind::ModelNamed,
            chain,
        });
        record.call.traces.sort();
    }
}

/// The place of a name as it was found while the call was read.
fn written(world: &World<'_>, at: Origin, name: &str) -> Option<Evidence> {
    match at {
        Origin::Code(place) => Some(evidence(world, place, name)),
        Origin::File(file, line) => Some(Evidence {
            kind: EvidenceKind::Configuration,
            reference: name.to_owned(),
            file: Some(world.origins.path(file)?),
            line: Some(line),
            hash: None,
        }),
    }
}

/// Lines around a name within which others of its maker are offered beside it.
const BESIDE_LINES: u32 = 8;

/// Names of other models that end and that are offered beside one: in the same list, table or chain of branches, or in a few lines of the
/// same function.
fn beside(world: &World<'_>, unasked: &BTreeSet<ExprRef>, at: ExprRef) -> Vec<Evidence> {
    let module = world.module(at.0);
    let index = world.index(at.0);
    let Expr::Str(own) = module.expr(at.1) else {
        return Vec::new();
    };
    let near = world.span(at).line;
    let choice = choice_of(index, at.1);
    let function = index.function_of(at.1);
    let mut out: Vec<Evidence> = Vec::new();
    for (id, expr) in (0..).zip(&module.exprs) {
        let Expr::Str(text) = &expr.kind else { continue };
        let id = ExprId(id);
        if text == own || out.len() >= BESIDE_MAX || !may_end(text) || index.expr_scope[id.0 as usize] == NONE {
            continue;
        }
        let same_maker = |a: &str, b: &str| {
            catalogue().model(a).map(|known| known.provider) == catalogue().model(b).map(|known| known.provider)
        };
        let close = expr.span().line.abs_diff(near) <= BESIDE_LINES
            && index.function_of(id) == function
            && same_maker(text, own);
        let offered = close || choice.is_some_and(|choice| index.statements_around(id).contains(&choice));
        let asked = || {
            let parent = index.ancestors(id).next();
            !parent.is_some_and(|parent| looks_up(world, ExprRef(at.0, id), parent))
        };
        if offered
            && !unasked.contains(&ExprRef(at.0, id))
            && asked()
            && out.iter().all(|known| known.reference != **text)
        {
            out.push(evidence(world, ExprRef(at.0, id), text.to_string()));
        }
    }
    out
}

/// The statement that holds a choice of which an expression is one: a table or a list with all that is in it, branches with all that belong to them.
fn choice_of(index: &Index<'_>, at: ExprId) -> Option<u32> {
    let mut stmt = index.expr_stmt[at.0 as usize];
    if stmt == NONE {
        return None;
    }
    let mut inside = 0;
    for _ in 0..BRANCHES_MAX {
        let info = &index.stmts[stmt as usize];
        let up = match info.role {
            // The next branch of a chain stands in the last part of the one before it.
            Role::Otherwise | Role::Arm => true,
            Role::Then => {
                inside += 1;
                inside == 1
            }
            _ => false,
        };
        if !up || info.parent == NONE {
            break;
        }
        stmt = info.parent;
    }
    Some(stmt)
}

/// Branches of one chain that are climbed.
const BRANCHES_MAX: usize = 40;

/// Names beside one that are told.
const BESIDE_MAX: usize = 12;

/// The models that may be asked in place of those that the calls name, with who is asked and where in the product they are written.
pub(crate) fn further(
    world: &World<'_>,
    unasked: &BTreeSet<ExprRef>,
    found: &[Found],
) -> Vec<(String, Option<String>, String)> {
    let mut wanted: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for record in found {
        let asks = matches!(record.call.kind, CallKind::Call | CallKind::Construct);
        let runs = asks && record.call.zone == Zone::Product;
        for name in record.further.iter().filter(|_| runs) {
            wanted.entry(name).or_insert_with(|| record.call.provider.clone());
        }
    }
    let mut out = Vec::new();
    if wanted.is_empty() {
        return out;
    }
    for (place, text) in product_texts(world) {
        // A name stands alone, or in an address.
        let known = wanted.get_key_value(text).or_else(|| {
            let mut named = wanted.iter().filter(|_| text.contains("models/"));
            named.find(|(name, _)| in_address(text, name))
        });
        if let Some((name, provider)) = known
            && out.len() < PLACES_MAX
            && !world.is_test(place)
            && !unasked.contains(&place)
            && !is_compared(world, place)
        {
            let line = world.span(place).line;
            out.push((
                (*name).to_owned(),
                provider.clone(),
                format!("{}:{line}", world.unit(place.0).path),
            ));
        }
    }
    out.sort();
    out.dedup();
    out
}

/// All texts in the code of the product, with their places.
pub(crate) fn product_texts<'m>(world: &World<'m>) -> impl Iterator<Item = (ExprRef, &'m str)> {
    (0..id(world.units.len()))
        .filter(|unit| world.unit(*unit).zone == Zone::Product)
        .flat_map(|unit| {
            let index = world.index(unit);
            let exprs = index.module.exprs.iter().enumerate();
            exprs.filter_map(move |(at, expr)| match &expr.kind {
                Expr::Str(text) if index.expr_scope[at] != NONE => Some((ExprRef(unit, ExprId(id(at))), &**text)),
                _ => None,
            })
        })
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
        .is_some_and(|parent| match world.module(at.0).expr(parent) {
            Expr::Test(_) => true,
            Expr::List(_) => !is_walked(world, ExprRef(at.0, parent)),
            _ => looks_up(world, at, parent),
        })
}

/// Whether a text is the key of a table of prices or limits, or what is looked up there: `LIMITS["gpt-4-turbo-preview"].max_output`.
fn looks_up(world: &World<'_>, at: ExprRef, parent: ExprId) -> bool {
    match world.module(at.0).expr(parent) {
        Expr::Map(entries) => entries
            .iter()
            .any(|entry| entry.key == Some(at.1) && holds_figures(world, ExprRef(at.0, entry.value))),
        Expr::Index { key, .. } => *key == at.1,
        _ => false,
    }
}

/// Whether a value is a number, or a record of numbers alone.
fn holds_figures(world: &World<'_>, at: ExprRef) -> bool {
    match world.expr(at) {
        Expr::Number(_) => true,
        Expr::Map(entries) => {
            !entries.is_empty()
                && entries
                    .iter()
                    .all(|entry| matches!(world.expr(ExprRef(at.0, entry.value)), Expr::Number(_)))
        }
        Expr::List(parts) => {
            !parts.is_empty()
                && parts
                    .iter()
                    .all(|part| matches!(world.expr(ExprRef(at.0, *part)), Expr::Number(_)))
        }
        _ => false,
    }
}

/// Whether a loop takes what a list holds one after another: `for (const name of NAMES)`.
fn is_walked(world: &World<'_>, list: ExprRef) -> bool {
    let index = world.index(list.0);
    let names = index.scopes.iter().flat_map(|scope| scope.names.values().flatten());
    names
        .filter_map(|binding| match binding.source {
            BindSource::Each(over) => Some(ExprRef(list.0, over)),
            _ => None,
        })
        .any(|over| {
            let holds = |value: &Value| match value {
                Value::Literal(walked) if *walked == list => true,
                // `[...NAMES]`
                Value::Literal(walked) => matches!(world.expr(*walked), Expr::List(parts) if parts.iter().any(|part| {
                    let inner = ExprRef(walked.0, *part);
                    matches!(world.expr(inner), Expr::Other(_))
                        && world.module(inner.0).children(inner.1).iter().any(|child| {
                            world.eval(ExprRef(inner.0, *child)).iter().any(|value| matches!(value, Value::Literal(at) if *at == list))
                        })
                })),
                _ => false,
            };
            world.eval(over).iter().any(holds)
        })
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
