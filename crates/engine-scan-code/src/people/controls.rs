//! What holds the risk of a decision about a person down: checks of the input, reasons, notices, switches, review.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::{StepRole, StructureStep, Zone};
use engine_syntax::ir::{Expr, ExprId, Stmt, StmtKind};

use super::areas::{WORDS, flat, split};
use super::carried::{Item, What};
use super::decisions::step;
use crate::calls::Found;
use crate::facts::{callee_name, symbols};
use crate::index::NONE;
use crate::values::{ClassRef, ExprRef, FunctionRef, Value};
use crate::world::World;

/// Callers are followed this many levels up.
const LEVELS_MAX: usize = 3;

/// Calls that check data or put it in order before it is used.
const CHECKS: [&str; 32] = [
    "validate",
    "safeParse",
    "parse",
    "safeParseAsync",
    "parseAsync",
    "dropna",
    "fillna",
    "isna",
    "isnull",
    "notnull",
    "notna",
    "is_valid",
    "isValid",
    "full_clean",
    "model_validate",
    "model_validate_json",
    "validateSync",
    "validateOrReject",
    "Validate",
    "Struct",
    "check_schema",
    "clip",
    "drop_duplicates",
    "assert_frame_equal",
    "expect_column_values_to_not_be_null",
    "requireNonNull",
    "ShouldBindJSON",
    "BindJSON",
    "ValidateAndThrow",
    "TryValidateModel",
    "validationResult",
    "check_input",
];

/// Types whose instances have been checked when they exist.
const CHECKED_BASES: [&str; 12] = [
    "BaseModel",
    "Schema",
    "Serializer",
    "ModelSerializer",
    "FlaskForm",
    "ModelForm",
    "DataFrameModel",
    "SchemaModel",
    "AbstractValidator",
    "BaseSettings",
    "SQLModel",
    "TypedModel",
];

/// What a field of a schema says of the values that it takes.
const LIMITS: [&str; 12] = [
    "ge",
    "gt",
    "le",
    "lt",
    "min_length",
    "max_length",
    "pattern",
    "regex",
    "multiple_of",
    "validate",
    "min_value",
    "max_value",
];

/// Words of a name that switches something on or off.
const SWITCHES: [&str; 18] = [
    "enabled",
    "disabled",
    "enable",
    "disable",
    "flag",
    "flags",
    "killswitch",
    "kill",
    "paused",
    "pause",
    "suspended",
    "suspend",
    "halted",
    "halt",
    "toggle",
    "toggles",
    "maintenance",
    "shutdown",
];

/// Libraries that keep switches.
const SWITCH_LIBRARIES: [&str; 14] = [
    "ldclient",
    "launchdarkly",
    "@launchdarkly",
    "UnleashClient",
    "unleash",
    "flagsmith",
    "openfeature",
    "@openfeature",
    "growthbook",
    "@growthbook",
    "statsig",
    "waffle",
    "configcat",
    "flipt",
];

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

/// Phrases that tell a person of an automated decision, in lower case.
const NOTICES: [&str; 22] = [
    "automated decision",
    "automated-decision",
    "automatically assessed",
    "automatically evaluated",
    "assessed automatically",
    "evaluated automatically",
    "assessed by ai",
    "evaluated by ai",
    "screened by ai",
    "with the help of ai",
    "assisted by ai",
    "an ai system",
    "ai system helps",
    "uses artificial intelligence",
    "automatisierte entscheidung",
    "automatisierten entscheidung",
    "automatisch bewertet",
    "mithilfe einer ki",
    "décision automatisée",
    "decisión automatizada",
    "decisione automatizzata",
    "geautomatiseerde besluit",
];

#[expect(
    clippy::expect_used,
    reason = "the phrases are literals and a test builds the automaton"
)]
static NOTICE: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(NOTICES)
        .expect("the phrases fit into one automaton")
});

/// All controls around a call, in a stable order.
pub(crate) fn of(
    world: &World<'_>,
    record: &Found,
    items: &[Item],
    name: &str,
    steps: &[StructureStep],
) -> Vec<StructureStep> {
    let around = around(world, record.at);
    let units: BTreeSet<u32> = steps
        .iter()
        .filter_map(|step| world.by_path.get(step.file.as_str()).copied())
        .chain([record.at.0])
        .collect();
    let beside = beside(world, &around, steps);
    let mut out = Vec::new();
    out.extend(validation(world, record.at, items, name, &around));
    out.extend(switch(world, &around).or_else(|| stand_in(world, &around)));
    let reasons: Vec<StructureStep> = units
        .iter()
        .filter_map(|unit| explanation(world, *unit, &beside))
        .collect();
    let best = reasons
        .iter()
        .find(|step| step.role == StepRole::Explanation)
        .or_else(|| reasons.first());
    out.extend(best.cloned());
    if record.call.disclosure == Some(true) {
        out.push(step(world, StepRole::Notice, "a text that names the AI", record.at));
    } else {
        out.extend(notice(world));
    }
    if record.call.human_approval == Some(true) {
        out.push(step(world, StepRole::Review, "approval by a person", record.at));
    }
    out.sort();
    out.dedup();
    out
}

/// A place with the functions around it and the places that call them: each is where a check could stand.
fn around(world: &World<'_>, at: ExprRef) -> Vec<ExprRef> {
    let mut out = vec![at];
    let mut next = 0;
    let mut level_end = 1;
    for _ in 0..LEVELS_MAX {
        while next < level_end {
            let place = out[next];
            next += 1;
            for function in world.index(place.0).functions_around(place.1) {
                for caller in world.callers_of(FunctionRef(place.0, function)).into_iter().take(8) {
                    if world.unit(caller.0).zone == Zone::Product && !out.contains(&caller) && out.len() < 40 {
                        out.push(caller);
                    }
                }
            }
        }
        level_end = out.len();
    }
    out
}

/// Whether two expressions stand in one function, or both at the top of one file.
fn together(world: &World<'_>, a: ExprRef, b: ExprId) -> bool {
    let index = world.index(a.0);
    match index.functions_around(a.1).last() {
        Some(outer) => index.within(b, *outer),
        None => index.function_of(b).is_none(),
    }
}

fn validation(
    world: &World<'_>,
    call: ExprRef,
    items: &[Item],
    record: &str,
    around: &[ExprRef],
) -> Option<StructureStep> {
    for item in items {
        if let What::Class(class) = &item.what {
            let node = world.module(class.0).class(class.1);
            // Only the type of the record itself checks the record.
            if node.name.as_deref() != Some(record) {
                continue;
            }
            let base = node.bases.iter().find(|base| {
                let last = base.name.rsplit(['.', ':']).next().unwrap_or(&base.name);
                CHECKED_BASES.contains(&last)
            });
            let constrained = node.fields.iter().any(|field| !field.decorators.is_empty());
            if base.is_some() || constrained {
                return Some(StructureStep {
                    role: StepRole::Validation,
                    reference: node.name.as_deref().unwrap_or("").to_owned(),
                    file: world.unit(class.0).path.to_owned(),
                    line: node.span.line,
                });
            }
        }
    }
    if let Some(checked) = checked_input(world, around) {
        return Some(checked);
    }
    let carried: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| match &item.what {
            What::Field(_, name) | What::Key(name) | What::Form(name) | What::Name(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    for place in around {
        let index = world.index(place.0);
        for other in &index.calls {
            let at = ExprRef(place.0, *other);
            let name = callee_name(world, at);
            // Text that a model or a server sent is parsed too; that is no check of what goes in.
            let parses = matches!(name, "parse" | "parseAsync")
                && matches!(
                    crate::facts::object_name(world, at),
                    "JSON" | "Date" | "json" | "URL" | "path" | "url"
                );
            if CHECKS.contains(&name) && !parses && at != call && together(world, *place, *other) {
                return Some(step(world, StepRole::Validation, name, at));
            }
        }
        for (condition, stmt) in &index.conditions {
            if *stmt == NONE || !together(world, *place, *condition) {
                continue;
            }
            let refuses = match &index.stmts[*stmt as usize].stmt.kind {
                StmtKind::If { then, otherwise, .. } => {
                    then.iter().take(4).any(leaves)
                        // Nothing but a word to the person, and the model is asked in the other branch.
                        || then.len() <= 2
                            && index.statements_around(place.1).contains(stmt)
                            && starts_after(otherwise, world.span(*place).line, then)
                }
                _ => false,
            };
            let named = names(world, ExprRef(place.0, *condition));
            if refuses
                && world.span(ExprRef(place.0, *condition)).line <= world.span(*place).line
                && named.iter().any(|name| carried.contains(name))
                // Whether there is a key to the service, or somebody signed in, says nothing of the record.
                && !named.iter().any(|name| is_access(name))
            {
                return Some(step(
                    world,
                    StepRole::Validation,
                    "a condition that refuses input",
                    ExprRef(place.0, *condition),
                ));
            }
        }
    }
    None
}

/// A parameter on the way to the call whose type was checked when its value came in: a schema with limits or with checks of its own.
fn checked_input(world: &World<'_>, around: &[ExprRef]) -> Option<StructureStep> {
    for place in around {
        for function in world.index(place.0).functions_around(place.1) {
            let function = world.function(FunctionRef(place.0, function));
            for annotation in function.params.iter().filter_map(|param| param.annotation.as_ref()) {
                for value in world.typed(place.0, annotation, 0) {
                    if let Value::Instance(class, _) = value
                        && is_constrained_schema(world, class)
                    {
                        let node = world.module(class.0).class(class.1);
                        return Some(StructureStep {
                            role: StepRole::Validation,
                            reference: node.name.as_deref().unwrap_or("").to_owned(),
                            file: world.unit(class.0).path.to_owned(),
                            line: node.span.line,
                        });
                    }
                }
            }
        }
    }
    None
}

/// Whether a class is a schema that refuses values, and not only one that names fields.
fn is_constrained_schema(world: &World<'_>, class: ClassRef) -> bool {
    let module = world.module(class.0);
    let node = module.class(class.1);
    let schema = node.bases.iter().any(|base| {
        let last = base.name.rsplit(['.', ':']).next().unwrap_or(&base.name);
        CHECKED_BASES.contains(&last)
    });
    if !schema {
        return false;
    }
    let limited = node.fields.iter().filter_map(|field| field.value).any(|value| {
        matches!(module.expr(value), Expr::Call { args, .. } if args
            .iter()
            .any(|arg| arg.name.as_deref().is_some_and(|name| LIMITS.contains(&name))))
    });
    limited
        || node.methods.iter().any(|method| {
            module.function(*method).decorators.iter().any(|decorator| {
                let named = match module.expr(*decorator) {
                    Expr::Call { callee, .. } => *callee,
                    _ => *decorator,
                };
                matches!(module.expr(named), Expr::Name(name) | Expr::Member { name, .. }
                    if matches!(&**name, "field_validator" | "validator" | "model_validator" | "root_validator" | "validates"))
            })
        })
}

/// Whether the place of a line lies in the other branch of a condition.
fn starts_after(otherwise: &[Stmt], line: u32, then: &[Stmt]) -> bool {
    let last = then.last().map_or(0, |stmt| stmt.span.line);
    otherwise
        .first()
        .is_some_and(|stmt| stmt.span.line > last && line >= stmt.span.line)
}

/// Whether a name is one of a key, a session or a person who signed in.
fn is_access(name: &str) -> bool {
    split(name).iter().any(|word| {
        matches!(
            word.as_str(),
            "key"
                | "apikey"
                | "keys"
                | "token"
                | "secret"
                | "password"
                | "session"
                | "login"
                | "auth"
                | "authenticated"
                | "authorization"
                | "credentials"
                | "permission"
                | "permissions"
                | "role"
                | "settings"
                | "config"
        )
    })
}

/// Whether a name is one of the key to a service of models: where it is empty, nothing is asked.
fn is_service_key(name: &str) -> bool {
    let flat = flat(name);
    flat.ends_with("apikey") || flat.ends_with("apitoken")
}

/// Whether a statement leaves the function or the round.
fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Raise(_))
}

/// Names, fields and keys in an expression.
fn names<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    let mut out = Vec::new();
    let mut stack = vec![at.1];
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        if steps > 200 {
            break;
        }
        match world.module(at.0).expr(id) {
            Expr::Name(name) | Expr::Member { name, .. } => out.push(&**name),
            Expr::Str(text) if text.len() <= 60 => out.push(&**text),
            _ => {}
        }
        stack.extend(world.module(at.0).children(id));
    }
    out
}

/// A condition around the call, or one before it that leaves, on something that switches.
fn switch(world: &World<'_>, around: &[ExprRef]) -> Option<StructureStep> {
    for place in around {
        let index = world.index(place.0);
        let own: Vec<u32> = index.statements_around(place.1);
        for (condition, stmt) in &index.conditions {
            let at = ExprRef(place.0, *condition);
            if *stmt == NONE || !together(world, *place, *condition) {
                continue;
            }
            let encloses = own.contains(stmt);
            let guards = match &index.stmts[*stmt as usize].stmt.kind {
                StmtKind::If { then, .. } => {
                    then.iter().take(4).any(leaves) && world.span(at).line < world.span(*place).line
                }
                _ => false,
            };
            if !encloses && !guards {
                continue;
            }
            // Without a key the program goes another way and gives no error: taking the key away takes the model out.
            let goes_on = matches!(&index.stmts[*stmt as usize].stmt.kind, StmtKind::If { then, .. }
                if then.iter().take(4).any(|stmt| matches!(stmt.kind, StmtKind::Return(Some(_)))));
            if let Some(name) = names(world, at).into_iter().find(|name| {
                split(name).iter().any(|word| SWITCHES.contains(&word.as_str()))
                    || flat(name) == "killswitch"
                    || guards && goes_on && is_service_key(name)
            }) {
                return Some(step(world, StepRole::Switch, name, at));
            }
            // `if (this.model) { … }`: what asks the model is made only where it is set up.
            if let Some(name) = receiver(world, *place)
                && (encloses || goes_on)
                && asks_for_presence(world, at, name)
            {
                return Some(step(world, StepRole::Switch, name, at));
            }
            let mut stack = vec![*condition];
            while let Some(id) = stack.pop() {
                let inner = ExprRef(place.0, id);
                if matches!(world.expr(inner), Expr::Call { .. })
                    && symbols(world, inner)
                        .iter()
                        .any(|symbol| SWITCH_LIBRARIES.iter().any(|library| symbol.starts_with(library)))
                {
                    return Some(step(world, StepRole::Switch, callee_name(world, inner), inner));
                }
                stack.extend(world.module(place.0).children(id));
            }
        }
    }
    None
}

/// The functions in which a decision comes about: those of its steps, of the call, and of what leads to it.
fn beside(world: &World<'_>, around: &[ExprRef], steps: &[StructureStep]) -> BTreeSet<FunctionRef> {
    let mut out = BTreeSet::new();
    for place in around {
        out.extend(world.function_of(*place));
        out.extend(world.named_function_of(*place));
    }
    for decided in steps.iter().filter(|step| {
        matches!(
            step.role,
            StepRole::Branch | StepRole::Ranking | StepRole::Stored | StepRole::Reply
        )
    }) {
        let Some(unit) = world.by_path.get(decided.file.as_str()).copied() else {
            continue;
        };
        for (id, node) in world.module(unit).exprs.iter().enumerate() {
            if node.span.line == decided.line && world.index(unit).expr_scope[id] != NONE {
                let at = ExprRef(unit, ExprId(crate::values::id(id)));
                out.extend(world.function_of(at));
                out.extend(world.named_function_of(at));
            }
        }
    }
    out
}

/// The last name of what a call is called on.
fn receiver<'w>(world: &World<'w>, at: ExprRef) -> Option<&'w str> {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return None;
    };
    let Expr::Member { object, .. } = world.expr(ExprRef(at.0, *callee)) else {
        return None;
    };
    match world.expr(ExprRef(at.0, *object)) {
        Expr::Name(name) | Expr::Member { name, .. } if !matches!(&**name, "self" | "this") => Some(&**name),
        _ => None,
    }
}

/// Whether a condition asks for nothing else than whether something is there.
fn asks_for_presence(world: &World<'_>, condition: ExprRef, name: &str) -> bool {
    let module = world.module(condition.0);
    let mut stack = vec![condition.1];
    let mut named = false;
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        match module.expr(id) {
            Expr::Name(known) | Expr::Member { name: known, .. } => named |= **known == *name,
            Expr::Str(_) | Expr::Number(_) | Expr::Call { .. } => return false,
            _ => {}
        }
        if steps > 24 {
            return false;
        }
        stack.extend(module.children(id));
    }
    named
}

/// Words in the name of a class that answers without a model.
const STAND_INS: [&str; 13] = [
    "mock",
    "fake",
    "dummy",
    "stub",
    "rule",
    "rules",
    "deterministic",
    "manual",
    "noop",
    "disabled",
    "heuristic",
    "offline",
    "static",
];

/// A class of the product without a model that a setting puts in the place of the one which asks it.
fn stand_in(world: &World<'_>, around: &[ExprRef]) -> Option<StructureStep> {
    around.iter().find_map(|place| {
        let Expr::Call { callee, .. } = world.expr(*place) else {
            return None;
        };
        let Expr::Member { object, .. } = world.expr(ExprRef(place.0, *callee)) else {
            return None;
        };
        world.eval(ExprRef(place.0, *object)).iter().find_map(|value| {
            let Value::Instance(class, _) = value else { return None };
            let node = world.module(class.0).class(class.1);
            let name = node.name.as_deref()?;
            let stands_in = world.unit(class.0).zone == Zone::Product
                && split(name).iter().any(|word| STAND_INS.contains(&word.as_str()));
            stands_in.then(|| StructureStep {
                role: StepRole::Switch,
                reference: name.to_owned(),
                file: world.unit(class.0).path.to_owned(),
                line: node.span.line,
            })
        })
    })
}

/// Reasons that are kept beside a decision, or worked out by a library; else something of such a name in the same file.
fn explanation(world: &World<'_>, unit: u32, beside: &BTreeSet<FunctionRef>) -> Option<StructureStep> {
    let module = world.module(unit);
    if let Some(import) = module.imports.iter().find(|import| {
        let root = import.module.split(['.', '/']).next().unwrap_or("");
        EXPLAINERS.contains(&root)
    }) {
        return Some(StructureStep {
            role: StepRole::Explanation,
            reference: import.module.to_string(),
            file: world.unit(unit).path.to_owned(),
            line: import.span.line,
        });
    }
    let reasons = &WORDS.reasons;
    let mut elsewhere = None;
    for (id, node) in module.exprs.iter().enumerate() {
        let at = ExprRef(unit, ExprId(crate::values::id(id)));
        if world.index(unit).expr_scope[id] == NONE || in_stand_in(world, at) {
            continue;
        }
        let name = match &node.kind {
            Expr::Member { name, .. } => Some(&**name),
            Expr::Index { key, .. } => match module.expr(*key) {
                Expr::Str(key) => Some(&**key),
                _ => None,
            },
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
            continue;
        };
        let near = world
            .index(unit)
            .functions_around(at.1)
            .into_iter()
            .any(|function| beside.contains(&FunctionRef(unit, function)));
        if near || world.index(unit).function_of(at.1).is_none() {
            return Some(step(world, StepRole::Explanation, name, at));
        }
        elsewhere.get_or_insert_with(|| step(world, StepRole::ReasonsElsewhere, name, at));
    }
    let named = world.index(unit).stmts.iter().find_map(|info| match &info.stmt.kind {
        StmtKind::Assign {
            target: engine_syntax::ir::Pattern::Name(name),
            value: Some(value),
            ..
        } if reasons.contains(&flat(name)) => {
            let near = world
                .index(unit)
                .functions_around(*value)
                .into_iter()
                .any(|function| beside.contains(&FunctionRef(unit, function)));
            near.then(|| step(world, StepRole::Explanation, name, ExprRef(unit, *value)))
        }
        _ => None,
    });
    if named.is_some() {
        return named;
    }
    let field = module.classes.iter().find_map(|class| {
        let field = class.fields.iter().find(|field| reasons.contains(&flat(&field.name)))?;
        // A record that holds the verdict beside its reasons.
        let rated = class
            .fields
            .iter()
            .any(|field| super::decisions::is_verdict_field(&field.name));
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
    field.or(elsewhere)
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

/// A text of the product that tells people of an automated decision.
fn notice(world: &World<'_>) -> Option<StructureStep> {
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        for (id, node) in world.module(unit).exprs.iter().enumerate() {
            if let Expr::Str(text) = &node.kind
                && text.len() <= 800
                && NOTICE.is_match(&**text)
                && !text.trim_start().to_lowercase().starts_with("you are")
            {
                let at = ExprRef(unit, ExprId(crate::values::id(id)));
                return Some(step(world, StepRole::Notice, "a text that tells of it", at));
            }
        }
    }
    None
}
