//! Sort orders that rank people, as opposed to those that only arrange parts of an output.

use engine_syntax::ir::{Expr, ExprId};

use super::areas::split;
use super::call_inputs::last_name;
use crate::facts::callee_name;
use crate::flow::pattern_names;
use crate::values::ExprRef;
use crate::world::World;

/// Calls that put things into an order.
const ORDERS: [&str; 16] = [
    "sorted",
    "sort",
    "sort_values",
    "sort_by",
    "sort_by_key",
    "sort_unstable_by",
    "sortBy",
    "orderBy",
    "OrderBy",
    "OrderByDescending",
    "sortedByDescending",
    "sortedBy",
    "nlargest",
    "toSorted",
    "Slice",
    "rank",
];

/// Last words of fields by which things are kept in their place: who they are, where they stood, and when they came.
const ARRANGES: [&str; 34] = [
    "id",
    "ids",
    "uuid",
    "key",
    "index",
    "idx",
    "position",
    "pos",
    "offset",
    "start",
    "end",
    "line",
    "page",
    "number",
    "num",
    "no",
    "sequence",
    "seq",
    "order",
    "step",
    "date",
    "time",
    "timestamp",
    "at",
    "on",
    "created",
    "updated",
    "modified",
    "deadline",
    "due",
    "day",
    "name",
    "title",
    "slug",
];

/// The same in other scripts, with which a name ends.
const ARRANGES_ELSEWHERE: [&str; 16] = [
    "번호",
    "학번",
    "이름",
    "날짜",
    "순서",
    "编号",
    "編號",
    "序号",
    "学号",
    "姓名",
    "日期",
    "番号",
    "名前",
    "氏名",
    "номер",
    "дата",
];

/// Last words of names of what an answer, a search or a paper is made of, and of what a model goes by: none of them is a person.
const PARTS: [&str; 43] = [
    "question",
    "chunk",
    "message",
    "token",
    "passage",
    "snippet",
    "paragraph",
    "sentence",
    "section",
    "segment",
    "page",
    "line",
    "word",
    "keyword",
    "skill",
    "topic",
    "tag",
    "criterion",
    "criteria",
    "category",
    "citation",
    "source",
    "event",
    "log",
    "slot",
    "date",
    "time",
    "timestamp",
    "feature",
    "importance",
    "contribution",
    "factor",
    "coefficient",
    "weight",
    "reason",
    "emotion",
    "suggestion",
    "tip",
    "mistake",
    "key",
    "contour",
    "frame",
    "embedding",
];

/// Whether a call puts things into an order that can be one of people: by something of theirs that is no mere place in a list.
pub(super) fn ranks(world: &World<'_>, at: ExprRef) -> bool {
    ORDERS.contains(&callee_name(world, at))
        && is_by_something(world, at)
        && !is_of_parts(world, at)
        && !only_arranges(world, at)
}

/// Whether things are put into an order by something of theirs; an order of texts by themselves ranks nobody.
fn is_by_something(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    args.iter().any(|arg| {
        matches!(arg.name.as_deref(), Some("key" | "by" | "columns" | "ascending"))
            || matches!(
                world.module(at.0).expr(arg.value),
                Expr::Function(_) | Expr::Str(_) | Expr::Name(_)
            ) && arg.name.is_none()
                && !matches!(callee_name(world, at), "sorted")
            || is_comparator(world, ExprRef(at.0, arg.value))
    })
}

/// Whether an argument says by what things are put into an order: `Comparator.comparing(Result::getScore).reversed()`.
fn is_comparator(world: &World<'_>, mut at: ExprRef) -> bool {
    for _ in 0..6 {
        let Expr::Call { callee, .. } = world.expr(at) else {
            return false;
        };
        let name = callee_name(world, at);
        if name.starts_with("comparing") || matches!(name, "compareBy" | "compareByDescending") {
            return true;
        }
        let Expr::Member { object, .. } = world.expr(ExprRef(at.0, *callee)) else {
            return false;
        };
        at = ExprRef(at.0, *object);
    }
    false
}

/// Whether what is put into an order is named for parts: `chunks.sort(…)`, `sorted(zip(features, values), …)`.
fn is_of_parts(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return false;
    };
    let is_part = |at: ExprRef| {
        last_name(world, at).is_some_and(|name| {
            let last = split(name).pop().unwrap_or_default();
            let one = match last.strip_suffix("ies") {
                Some(stem) => format!("{stem}y"),
                None => last.strip_suffix('s').unwrap_or(&last).to_owned(),
            };
            PARTS.contains(&last.as_str()) || PARTS.contains(&one.as_str())
        })
    };
    // What is sorted stands before the dot, or first between the brackets.
    let receiver = match world.expr(ExprRef(at.0, *callee)) {
        Expr::Member { object, .. } => Some(*object),
        _ => None,
    };
    let mut sorted = receiver.into_iter().chain(args.first().map(|arg| arg.value));
    sorted.any(|value| {
        let mut value = ExprRef(at.0, value);
        // `chunks.items()`, `list(chunks)`, `[...chunks]`, `zip(features, values)`.
        for _ in 0..4 {
            if is_part(value) {
                return true;
            }
            value = match world.expr(value) {
                Expr::Call { callee, args, .. } => match world.expr(ExprRef(at.0, *callee)) {
                    Expr::Member { object, .. } if !args.is_empty() || is_view(world, value) => ExprRef(at.0, *object),
                    _ => match args.first() {
                        Some(first) => ExprRef(at.0, first.value),
                        None => return false,
                    },
                },
                Expr::List(parts) | Expr::Other(parts) => match parts.as_slice() {
                    [only] => ExprRef(at.0, *only),
                    _ => return false,
                },
                _ => return false,
            };
        }
        false
    })
}

/// Whether a call only looks at a map in another way: `importance.items()`.
fn is_view(world: &World<'_>, at: ExprRef) -> bool {
    matches!(
        callee_name(world, at),
        "items" | "values" | "keys" | "entries" | "entrySet" | "stream" | "iter" | "copy" | "slice"
    )
}

/// Whether each field by which things are put into an order only keeps them in their place: `key=lambda part: part.question_id`.
fn only_arranges(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let mut fields = Vec::new();
    for arg in args {
        match arg.name.as_deref() {
            Some("key" | "by" | "columns") if !of_key(world, ExprRef(at.0, arg.value), &mut fields) => return false,
            None => {
                let value = ExprRef(at.0, arg.value);
                let says = matches!(world.expr(value), Expr::Function(_) | Expr::Str(_)) || is_comparator(world, value);
                if says && !of_key(world, value, &mut fields) {
                    return false;
                }
            }
            _ => {}
        }
    }
    !fields.is_empty()
        && fields.iter().all(|field| {
            split(field).last().is_some_and(|last| {
                ARRANGES.contains(&last.as_str()) || ARRANGES_ELSEWHERE.iter().any(|end| last.ends_with(end))
            })
        })
}

/// Expressions of one key that are looked at.
const KEY_MAX: usize = 60;

/// Adds the fields that a key reads; not so where it reads something without a name.
fn of_key(world: &World<'_>, key: ExprRef, fields: &mut Vec<String>) -> bool {
    let unit = key.0;
    let module = world.module(unit);
    let mut stack: Vec<ExprId> = vec![key.1];
    let mut seen = 0;
    while let Some(id) = stack.pop() {
        seen += 1;
        if seen > KEY_MAX {
            return false;
        }
        match module.expr(id) {
            // `"score"`, and the direction beside it.
            Expr::Str(text) => {
                if !matches!(&**text, "asc" | "desc" | "ASC" | "DESC" | "") {
                    fields.push(text.trim_start_matches('-').to_string());
                }
            }
            Expr::Member { object, name } => {
                // What is asked of a field is none: `a.createdAt.getTime()` is asked where it is called.
                fields.push(name.to_string());
                if !matches!(module.expr(*object), Expr::Name(_)) {
                    stack.push(*object);
                }
            }
            Expr::Index { object, key } => match module.expr(*key) {
                Expr::Str(text) => {
                    fields.push(text.to_string());
                    if !matches!(module.expr(*object), Expr::Name(_)) {
                        stack.push(*object);
                    }
                }
                // The thing itself, by its place: `results[i].Score`.
                Expr::Name(_) if matches!(module.expr(*object), Expr::Name(_)) => {}
                _ => return false,
            },
            Expr::Call { callee, args, .. } => {
                match module.expr(*callee) {
                    Expr::Member { object, name } => {
                        // `Result::getDate`, `result.getDate()`, `result.get("date", 0)`.
                        let of_it = matches!(module.expr(*object), Expr::Name(_)) && args.is_empty();
                        if of_it {
                            fields.push(name.strip_prefix("get").unwrap_or(name).to_owned());
                        } else if !matches!(module.expr(*object), Expr::Name(_)) {
                            stack.push(*object);
                        }
                    }
                    Expr::Name(_) => {}
                    _ => return false,
                }
                stack.extend(args.iter().map(|arg| arg.value));
            }
            Expr::Function(function) => {
                let node = module.function(*function);
                // A lambda that takes its thing apart names the fields: `({ date })`, `|(score, _)|`.
                if node.params.iter().any(|param| pattern_names(&param.pattern).len() != 1) {
                    return false;
                }
                let returns = &world.index(unit).returns[function.0 as usize];
                if returns.is_empty() {
                    return false;
                }
                stack.extend(returns.iter().copied());
            }
            Expr::Name(_) | Expr::Number(_) | Expr::Bool(_) | Expr::Null => {}
            _ => stack.extend(module.children(id)),
        }
    }
    true
}
