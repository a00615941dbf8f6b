//! Where code names the reasons of a decision about a person.

use engine_model::{StepRole, StructureStep};
use engine_syntax::Module;
use engine_syntax::ir::{Expr, ExprId, FunctionId, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::callee_name;
use crate::index::NONE;
use crate::people::areas::{WORDS, flat, split};
use crate::values::ExprRef;
use crate::world::World;

/// Libraries that work out why a model gave an answer.
const EXPLAINERS: [&str; 12] = [
    "shap",
    "lime",
    "eli5",
    "captum",
    "interpret",
    "alibi",
    "dice_ml",
    "dalex",
    "aix360",
    "shapash",
    "omnixai",
    "treeinterpreter",
];

/// What is done with reasons at a place, and the number of the place.
pub(super) type Rank = (u8, usize);

/// Where a file names reasons.
pub(super) struct Reasons<'m> {
    /// A library for reasons.
    pub(super) library: Option<StructureStep>,
    /// The first of all places.
    pub(super) first: Option<(ExprId, &'m str)>,
    /// The best place outside of functions, and the best in each function: by what is done there, then by its number.
    pub(super) top: Option<(Rank, ExprId, &'m str)>,
    pub(super) near: FxHashMap<FunctionId, (Rank, ExprId, &'m str)>,
    /// The first variable of such a name in each function.
    pub(super) named: FxHashMap<FunctionId, (usize, ExprId, &'m str)>,
    /// A field of a record.
    pub(super) field: Option<StructureStep>,
}

/// Where a file names reasons: of a library, in its expressions, as variables, as a field of a record.
pub(super) fn reasons<'m>(world: &World<'m>, unit: u32) -> Reasons<'m> {
    let module = world.module(unit);
    let index = world.index(unit);
    let library = module.imports.iter().find(|import| {
        let root = import.module.split(['.', '/']).next().unwrap_or("");
        EXPLAINERS.contains(&root)
    });
    let mut out = Reasons {
        library: library.map(|import| StructureStep {
            role: StepRole::Explanation,
            reference: import.module.to_string(),
            file: world.unit(unit).path.to_owned(),
            line: import.span.line,
        }),
        first: None,
        top: None,
        near: FxHashMap::default(),
        named: FxHashMap::default(),
        field: None,
    };
    if out.library.is_some() {
        return out;
    }
    let reasons = &WORDS.reasons;
    let mut whole = None;
    let conditions: FxHashSet<ExprId> = index.conditions.iter().map(|(condition, _)| *condition).collect();
    for (number, node) in module.exprs.iter().enumerate() {
        let id = ExprId(crate::values::id(number));
        if index.expr_scope[number] == NONE {
            continue;
        }
        let name = match &node.kind {
            Expr::Member { name, .. } => Some(&**name),
            Expr::Index { key, .. } => match module.expr(*key) {
                Expr::Str(key) => Some(&**key),
                _ => None,
            },
            // What is put in the place of an answer that failed gives no reasons.
            Expr::Map(entries)
                if entries.iter().any(|entry| {
                    matches!(module.expr(entry.value), Expr::Str(text) if crate::facts::notices::is_aside(text))
                        && entry.key.is_some_and(
                            |key| matches!(module.expr(key), Expr::Str(key) if reasons.contains(&flat(key))),
                        )
                }) =>
            {
                None
            }
            Expr::Map(entries) => entries.iter().find_map(|entry| match module.expr(entry.key?) {
                Expr::Str(key) if reasons.contains(&flat(key)) => Some(&**key),
                _ => None,
            }),
            Expr::Call { args, .. } => args
                .iter()
                .filter_map(|arg| arg.name.as_deref())
                .find(|name| reasons.contains(&flat(name))),
            _ => None,
        };
        let Some(name) = name.filter(|name| reasons.contains(&flat(name))) else {
            if whole.is_none() {
                whole = kept_whole(module, &node.kind).map(|name| (id, name));
            }
            continue;
        };
        let at = ExprRef(unit, id);
        if in_stand_in(world, at) || is_printed(world, at) || in_handler(world, at) {
            continue;
        }
        out.first.get_or_insert((id, name));
        let written = matches!(node.kind, Expr::Map(_) | Expr::Call { .. });
        let asked = || index.ancestors(id).any(|above| conditions.contains(&above)) || conditions.contains(&id);
        // Where it is only asked whether there are any, nothing is said of them yet.
        if !written && asked() {
            continue;
        }
        // Where reasons are put, before where they are read.
        let number = (u8::from(!written), number);
        let functions = index.functions_around(id);
        if functions.is_empty() && out.top.is_none_or(|(known, ..)| number < known) {
            out.top = Some((number, id, name));
        }
        for function in functions {
            let known = out.near.entry(function).or_insert((number, id, name));
            if number < known.0 {
                *known = (number, id, name);
            }
        }
    }
    for (number, info) in index.stmts.iter().enumerate() {
        if let StmtKind::Assign {
            target: engine_syntax::ir::Pattern::Name(name),
            value: Some(value),
            ..
        } = &info.stmt.kind
            && reasons.contains(&flat(name))
            && !in_handler(world, ExprRef(unit, *value))
            && !is_searched(module, *value)
        {
            for function in index.functions_around(*value) {
                out.named.entry(function).or_insert((number, *value, name));
            }
        }
    }
    out.field = module.classes.iter().find_map(|class| {
        let field = class.fields.iter().find(|field| reasons.contains(&flat(&field.name)))?;
        // A record that holds the verdict beside its reasons.
        let rated = class
            .fields
            .iter()
            .any(|field| crate::people::decisions::is_verdict_field(&field.name));
        Some(StructureStep {
            role: if rated {
                StepRole::Explanation
            } else {
                StepRole::ReasonsElsewhere
            },
            reference: field.name.to_string(),
            file: world.unit(unit).path.to_owned(),
            line: field.span.line,
        })
    });
    out.first = out.first.or(whole);
    out
}

/// Whether a text is brought into small letters, so that words can be looked for in it: nothing of it is kept.
fn is_searched(module: &Module, value: ExprId) -> bool {
    let Expr::Call { callee, .. } = module.expr(value) else {
        return false;
    };
    matches!(
        module.expr(*callee),
        Expr::Member { name, .. } if matches!(&**name, "lower" | "casefold" | "toLowerCase" | "lowercase" | "downcase" | "ToLower" | "ToLowerInvariant")
    )
}

/// The name under which a verdict's own record is kept beside it: `save({ analysis, score: analysis.score })`. Whether reasons are in it is up to
/// what the model was asked for.
fn kept_whole<'m>(module: &'m Module, expr: &'m Expr) -> Option<&'m str> {
    let parts: Vec<(&str, ExprId)> = match expr {
        Expr::Map(entries) => entries
            .iter()
            .filter_map(|entry| match module.expr(entry.key?) {
                Expr::Str(key) | Expr::Name(key) => Some((&**key, entry.value)),
                _ => None,
            })
            .collect(),
        Expr::Call { args, .. } => args
            .iter()
            .filter_map(|arg| Some((arg.name.as_deref()?, arg.value)))
            .collect(),
        _ => return None,
    };
    let of = |id: ExprId| match module.expr(id) {
        Expr::Member { object, .. } | Expr::Index { object, .. } => match module.expr(*object) {
            Expr::Name(record) => Some(&**record),
            _ => None,
        },
        _ => None,
    };
    let rated = parts
        .iter()
        .filter(|(name, _)| crate::people::decisions::is_verdict_field(name))
        .find_map(|(_, value)| of(*value))?;
    parts
        .iter()
        .find(|(_, value)| matches!(module.expr(*value), Expr::Name(name) if **name == *rated))
        .map(|(name, _)| *name)
}

/// Whether a place lies where a failure is dealt with: the reason of a failure is none of a decision.
fn in_handler(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    index
        .statements_around(at.1)
        .iter()
        .any(|stmt| index.stmts[*stmt as usize].role == crate::index::Role::HandlerBody)
}

/// Whether a place lies in a function that stands in for the model while a program is written.
fn in_stand_in(world: &World<'_>, at: ExprRef) -> bool {
    world.index(at.0).functions_around(at.1).into_iter().any(|function| {
        let name = world.module(at.0).function(function).name.as_deref().unwrap_or("");
        split(name)
            .iter()
            .any(|word| matches!(word.as_str(), "mock" | "fake" | "dummy" | "stub" | "placeholder"))
    })
}

/// Whether a place lies in what is only printed for whoever wrote the program: `console.log(Object.keys(feedback))`. Nobody finds a
/// reason there.
fn is_printed(world: &World<'_>, at: ExprRef) -> bool {
    world.index(at.0).ancestors(at.1).any(|above| {
        let above = ExprRef(at.0, above);
        matches!(world.expr(above), Expr::Call { .. })
            && (crate::facts::object_name(world, above) == "console"
                || matches!(
                    callee_name(world, above),
                    "print"
                        | "println"
                        | "printf"
                        | "pprint"
                        | "debug"
                        | "trace"
                        | "Println"
                        | "Printf"
                        | "WriteLine"
                        | "dbg"
                ))
    })
}
