//! Controls that limit the risk of a decision about a person: input validation, reasons, disclosures, off switches,
//! review.

mod reasons;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::{StepRole, StructureStep, Zone};
use engine_syntax::ir::{Expr, ExprId, Stmt, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

use self::reasons::{Reasons, reasons};
use super::areas::{flat, split};
use super::call_inputs::{Item, What};
use super::decisions::step;
use crate::calls::Found;
use crate::facts::{callee_name, symbols};
use crate::flow::Flow;
use crate::index::NONE;
use crate::memo::Memo;
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

/// Calls that put a whole record into its types and fail where a value does not fit.
const CONVERSIONS: [&str; 2] = ["astype", "to_numeric"];

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

/// A condition that could refuse input or switch something.
struct Condition<'m> {
    at: ExprId,
    stmt: u32,
    line: u32,
    /// What it leads to leaves the function, within its first statements.
    leaves: bool,
    /// What it leads to is short, so that it may be a word to the person.
    short: bool,
    /// Names in it, where none is one of a key, a session or a person who signed in.
    names: Vec<&'m str>,
}

/// A condition on something that switches.
struct Switch {
    at: ExprId,
    stmt: u32,
    line: u32,
    leaves: bool,
    /// What it leads to gives something else.
    goes_on: bool,
    /// What switches by its name.
    named: Option<StructureStep>,
    /// The same where the function goes on without the service, so that the key to it counts too.
    keyed: Option<StructureStep>,
    /// What switches as a part of a library.
    library: Option<StructureStep>,
}

/// Conditions of a file on something that switches, in order.
struct Switches<'m> {
    all: Vec<Switch>,
    /// Those that switch by what they name.
    by_name: Vec<usize>,
    /// Those that only ask whether something is there, by the names in them.
    asked: FxHashMap<&'m str, Vec<usize>>,
}

/// Looks for controls; what a file or the project says for all calls is worked out once.
pub(crate) struct Controls<'w, 'm, 'f> {
    world: &'w World<'m>,
    flow: &'f Flow<'w, 'm>,
    found: &'f [Found],
    notice: OnceCell<Option<StructureStep>>,
    reasons: Memo<u32, Rc<Reasons<'m>>>,
    checks: Memo<u32, Rc<[ExprId]>>,
    conditions: Memo<u32, Rc<[Condition<'m>]>>,
    switches: Memo<u32, Rc<Switches<'m>>>,
    schemas: Memo<FunctionRef, Option<StructureStep>>,
    /// Functions of what stands on the lines of a file.
    lines: Memo<u32, Rc<FxHashMap<u32, BTreeSet<FunctionRef>>>>,
}

impl<'w, 'm, 'f> Controls<'w, 'm, 'f> {
    pub(crate) fn new(world: &'w World<'m>, flow: &'f Flow<'w, 'm>, found: &'f [Found]) -> Self {
        Self {
            world,
            flow,
            found,
            notice: OnceCell::new(),
            reasons: Memo::default(),
            checks: Memo::default(),
            conditions: Memo::default(),
            switches: Memo::default(),
            schemas: Memo::default(),
            lines: Memo::default(),
        }
    }

    /// All controls around a call, in a stable order.
    pub(crate) fn of(
        &self,
        (record, which): (&Found, usize),
        items: &[Item],
        name: &str,
        steps: &[StructureStep],
    ) -> Vec<StructureStep> {
        let world = self.world;
        let around = around(world, record.at);
        let units: BTreeSet<u32> = steps
            .iter()
            .filter_map(|step| world.by_path.get(step.file.as_str()).copied())
            .chain([record.at.0])
            .collect();
        let beside = self.beside(&around, steps);
        let mut out = Vec::new();
        out.extend(self.validation(record.at, items, name, &around));
        out.extend(self.switch(&around).or_else(|| stand_in(world, &around)));
        // Where reasons are put in one file and read in another, the first tells that they are kept.
        let best = units
            .iter()
            .filter_map(|unit| self.explanation(*unit, &beside, which))
            .min_by_key(|(rank, step)| (step.role != StepRole::Explanation, *rank));
        out.extend(best.map(|(_, step)| step));
        if record.call.disclosure == Some(true) {
            out.push(step(world, StepRole::Notice, "a text that names the AI", record.at));
        } else {
            out.extend(self.notice.get_or_init(|| notice(world)).clone());
        }
        if record.call.human_approval == Some(true) {
            out.push(step(world, StepRole::Review, "human approval", record.at));
        }
        out.sort();
        out.dedup();
        out
    }

    /// Calls of a file that check data.
    fn checks(&self, unit: u32) -> Rc<[ExprId]> {
        self.checks.get_or(unit, || {
            let world = self.world;
            let calls = world.index(unit).calls.iter().copied();
            calls
                .filter(|call| {
                    let at = ExprRef(unit, *call);
                    let name = callee_name(world, at);
                    // Text that a model or a server sent is parsed too; that is no check of what goes in.
                    let parses = matches!(name, "parse" | "parseAsync")
                        && matches!(
                            crate::facts::object_name(world, at),
                            "JSON" | "Date" | "json" | "URL" | "path" | "url"
                        );
                    CHECKS.contains(&name) && !parses || CONVERSIONS.contains(&name) && refuses(world, at)
                })
                .collect()
        })
    }

    /// Conditions of a file that could refuse input.
    fn conditions(&self, unit: u32) -> Rc<[Condition<'m>]> {
        self.conditions.get_or(unit, || {
            let index = self.world.index(unit);
            let conditions = index.conditions.iter();
            conditions
                .filter_map(|(at, stmt)| {
                    let StmtKind::If { then, .. } = &index.stmts.get(*stmt as usize)?.stmt.kind else {
                        return None;
                    };
                    let (leaves, short) = (then.iter().take(4).any(leaves), then.len() <= 2);
                    let names = names(self.world, ExprRef(unit, *at));
                    // Whether there is a key to the service, or somebody signed in, says nothing of the record.
                    ((leaves || short) && !names.iter().any(|name| is_access(name))).then(|| Condition {
                        at: *at,
                        stmt: *stmt,
                        line: index.module.span(*at).line,
                        leaves,
                        short,
                        names,
                    })
                })
                .collect()
        })
    }

    /// Conditions of a file on something that switches.
    fn switches(&self, unit: u32) -> Rc<Switches<'m>> {
        self.switches.get_or(unit, || {
            let index = self.world.index(unit);
            let mut out = Switches {
                all: Vec::new(),
                by_name: Vec::new(),
                asked: FxHashMap::default(),
            };
            for (at, stmt) in index.conditions.iter().filter(|(_, stmt)| *stmt != NONE) {
                let then = match &index.stmts[*stmt as usize].stmt.kind {
                    StmtKind::If { then, .. } => then.as_slice(),
                    _ => &[],
                };
                // Without a key the program goes another way and gives no error: taking the key away takes the model out.
                let goes_on = then
                    .iter()
                    .take(4)
                    .any(|stmt| matches!(stmt.kind, StmtKind::Return(Some(_))));
                let place = ExprRef(unit, *at);
                let named = named_switch(self.world, place, false);
                let switch = Switch {
                    at: *at,
                    stmt: *stmt,
                    line: index.module.span(*at).line,
                    leaves: then.iter().take(4).any(leaves),
                    goes_on,
                    keyed: if goes_on {
                        named_switch(self.world, place, true)
                    } else {
                        named.clone()
                    },
                    named,
                    library: switch_of_library(self.world, place),
                };
                let asked = asked_for_presence(self.world, place);
                let by_name = switch.named.is_some() || switch.keyed.is_some() || switch.library.is_some();
                if by_name {
                    out.by_name.push(out.all.len());
                }
                for name in &asked {
                    out.asked.entry(name).or_default().push(out.all.len());
                }
                if by_name || !asked.is_empty() {
                    out.all.push(switch);
                }
            }
            Rc::new(out)
        })
    }

    /// The functions in which a decision comes about: those of its steps, of the call, and of what leads to it.
    fn beside(&self, around: &[ExprRef], steps: &[StructureStep]) -> BTreeSet<FunctionRef> {
        let world = self.world;
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
            if let Some(unit) = world.by_path.get(decided.file.as_str()).copied() {
                out.extend(self.lines(unit).get(&decided.line).into_iter().flatten());
            }
        }
        out
    }

    fn lines(&self, unit: u32) -> Rc<FxHashMap<u32, BTreeSet<FunctionRef>>> {
        self.lines.get_or(unit, || {
            let world = self.world;
            let mut out: FxHashMap<u32, BTreeSet<FunctionRef>> = FxHashMap::default();
            for (id, node) in world.module(unit).exprs.iter().enumerate() {
                if world.index(unit).expr_scope[id] != NONE {
                    let at = ExprRef(unit, ExprId(crate::values::id(id)));
                    let on_line = out.entry(node.span().line).or_default();
                    on_line.extend(world.function_of(at));
                    on_line.extend(world.named_function_of(at));
                }
            }
            Rc::new(out)
        })
    }

    /// Reasons that are kept beside a decision, or worked out by a library; else something of such a name in the same file.
    ///
    /// What another prompt makes up that was given neither the decision nor what it rests on is no reason of it.
    ///
    /// The number before it is smaller the plainer it is.
    fn explanation(&self, unit: u32, beside: &BTreeSet<FunctionRef>, which: usize) -> Option<(u8, StructureStep)> {
        let known = self.reasons.get_or(unit, || Rc::new(reasons(self.world, unit)));
        if let Some(library) = &known.library {
            return Some((0, library.clone()));
        }
        let here = || beside.iter().filter(|function| function.0 == unit);
        let explained = |id, name| step(self.world, StepRole::Explanation, name, ExprRef(unit, id));
        let near = here()
            .filter_map(|function| known.near.get(&function.1))
            .chain(&known.top)
            .filter(|(_, id, name)| !self.is_made_up(ExprRef(unit, *id), name, which));
        if let Some(((rank, _), id, name)) = near.min_by_key(|(number, ..)| *number) {
            return Some((*rank, explained(*id, name)));
        }
        let named = here().filter_map(|function| known.named.get(&function.1));
        if let Some((_, id, name)) = named.min_by_key(|(number, ..)| *number) {
            return Some((2, explained(*id, name)));
        }
        let elsewhere = || {
            let (id, name) = known.first?;
            Some(step(self.world, StepRole::ReasonsElsewhere, name, ExprRef(unit, id)))
        };
        known.field.clone().or_else(elsewhere).map(|step| (3, step))
    }

    /// Whether what stands under the name of reasons is an answer of another call than the one that decided, and that other call was not given
    /// the answer of this one.
    fn is_made_up(&self, at: ExprRef, name: &str, which: usize) -> bool {
        let module = self.world.module(at.0);
        let value = match module.expr(at.1) {
            Expr::Map(entries) => entries
                .iter()
                .find(|entry| matches!(entry.key.map(|key| module.expr(key)), Some(Expr::Str(key)) if **key == *name))
                .map(|entry| entry.value),
            Expr::Call { args, .. } => args
                .iter()
                .find(|arg| arg.name.as_deref() == Some(name))
                .map(|arg| arg.value),
            _ => Some(at.1),
        };
        let Some(value) = value else { return false };
        let answers = &self.flow.origins(ExprRef(at.0, value)).answers;
        !answers.is_empty()
            && !answers.iter().any(|answer| {
                answer == which
                    || self
                        .found
                        .get(answer)
                        .is_some_and(|other| self.flow.of_arguments(other.at).answers.contains(which))
            })
    }
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
                for caller in world.callers_of(FunctionRef(place.0, function)).iter().take(8) {
                    if world.unit(caller.0).zone == Zone::Product && !out.contains(caller) && out.len() < 40 {
                        out.push(*caller);
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
    match index.outermost_function_of(a.1) {
        Some(outer) => index.within(b, outer),
        None => index.function_of(b).is_none(),
    }
}

impl Controls<'_, '_, '_> {
    fn validation(&self, call: ExprRef, items: &[Item], record: &str, around: &[ExprRef]) -> Option<StructureStep> {
        let world = self.world;
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
        if let Some(checked) = self.checked_input(around) {
            return Some(checked);
        }
        let carried: FxHashSet<&str> = items
            .iter()
            .filter_map(|item| match &item.what {
                What::Field(_, name) | What::Key(name) | What::Form(name) | What::Name(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        for place in around {
            let index = world.index(place.0);
            let (checks, conditions) = (self.checks(place.0), self.conditions(place.0));
            if !world.spend(call.0, checks.len() + conditions.len()) {
                return None;
            }
            let check = checks
                .iter()
                .map(|check| ExprRef(place.0, *check))
                .find(|check| *check != call && together(world, *place, check.1));
            if let Some(check) = check {
                return Some(step(world, StepRole::Validation, callee_name(world, check), check));
            }
            let line = world.span(*place).line;
            let own: FxHashSet<u32> = index.statements_around(place.1).into_iter().collect();
            for condition in conditions.iter() {
                if condition.line > line
                    || !condition.names.iter().any(|name| carried.contains(name))
                    || !together(world, *place, condition.at)
                {
                    continue;
                }
                // Nothing but a word to the person, and the model is asked in the other branch.
                let in_other_branch = || {
                    condition.short
                        && own.contains(&condition.stmt)
                        && matches!(&index.stmts[condition.stmt as usize].stmt.kind,
                            StmtKind::If { then, otherwise, .. } if starts_after(otherwise, line, then))
                };
                if condition.leaves || in_other_branch() {
                    return Some(step(
                        world,
                        StepRole::Validation,
                        "a condition that rejects input",
                        ExprRef(place.0, condition.at),
                    ));
                }
            }
        }
        None
    }

    /// A parameter on the way to the call whose type was checked when its value came in: a schema with limits or with checks
    /// of its own.
    fn checked_input(&self, around: &[ExprRef]) -> Option<StructureStep> {
        around.iter().find_map(|place| {
            let functions = self.world.index(place.0).functions_around(place.1);
            functions.into_iter().find_map(|function| {
                let function = FunctionRef(place.0, function);
                self.schemas
                    .get_or(function, || checked_parameter(self.world, function))
            })
        })
    }

    /// A condition around the call, or one before it that leaves, on something that switches.
    fn switch(&self, around: &[ExprRef]) -> Option<StructureStep> {
        let world = self.world;
        for place in around {
            let switches = self.switches(place.0);
            let called_on = receiver(world, *place);
            let asked = called_on.and_then(|name| switches.asked.get(name));
            let mut candidates = switches.by_name.clone();
            candidates.extend(asked.into_iter().flatten());
            if !world.spend(place.0, candidates.len()) {
                return None;
            }
            candidates.sort_unstable();
            candidates.dedup();
            let own: FxHashSet<u32> = world.index(place.0).statements_around(place.1).into_iter().collect();
            let line = world.span(*place).line;
            for at in candidates {
                let switch = &switches.all[at];
                let encloses = own.contains(&switch.stmt);
                let guards = switch.leaves && switch.line < line;
                if !(encloses || guards) || !together(world, *place, switch.at) {
                    continue;
                }
                let named = if guards { &switch.keyed } else { &switch.named };
                if named.is_some() {
                    return named.clone();
                }
                // `if (this.model) { … }`: what asks the model is made only where it is set up.
                if let Some(name) = called_on
                    && (encloses || switch.goes_on)
                    && asked.is_some_and(|asked| asked.binary_search(&at).is_ok())
                {
                    return Some(step(world, StepRole::Switch, name, ExprRef(place.0, switch.at)));
                }
                if switch.library.is_some() {
                    return switch.library.clone();
                }
            }
        }
        None
    }
}

/// A parameter of a function whose type is a schema that refuses values.
fn checked_parameter(world: &World<'_>, function: FunctionRef) -> Option<StructureStep> {
    let params = world.function(function).params.iter();
    params
        .filter_map(|param| param.annotation.as_ref())
        .find_map(|annotation| {
            world.typed(function.0, annotation, 0).into_iter().find_map(|value| {
                let Value::Instance(class, _) = value else { return None };
                let node = world.module(class.0).class(class.1);
                is_constrained_schema(world, class).then(|| StructureStep {
                    role: StepRole::Validation,
                    reference: node.name.as_deref().unwrap_or("").to_owned(),
                    file: world.unit(class.0).path.to_owned(),
                    line: node.span.line,
                })
            })
        })
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

/// Whether a failure of a conversion is dealt with as one of the value.
fn refuses(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    index.statements_around(at.1).into_iter().any(|stmt| {
        let info = &index.stmts[stmt as usize];
        matches!(&info.stmt.kind, StmtKind::Try { handlers, .. } if handlers.iter().any(|handler| {
            handler.types.iter().any(|of| matches!(&*of.name, "ValueError" | "TypeError"))
        }))
    })
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

/// What switches in a condition by its name; the key to a service of models does where the function goes on without it.
fn named_switch(world: &World<'_>, at: ExprRef, with_key: bool) -> Option<StructureStep> {
    let named = names(world, at).into_iter().find(|name| {
        split(name).iter().any(|word| SWITCHES.contains(&word.as_str()))
            || flat(name) == "killswitch"
            || with_key && is_service_key(name)
    });
    named.map(|name| step(world, StepRole::Switch, name, at))
}

/// A call in a condition of a library for switches.
fn switch_of_library(world: &World<'_>, at: ExprRef) -> Option<StructureStep> {
    let mut stack = vec![at.1];
    while let Some(id) = stack.pop() {
        let inner = ExprRef(at.0, id);
        if matches!(world.expr(inner), Expr::Call { .. })
            && symbols(world, inner)
                .iter()
                .any(|symbol| SWITCH_LIBRARIES.iter().any(|library| symbol.starts_with(library)))
        {
            return Some(step(world, StepRole::Switch, callee_name(world, inner), inner));
        }
        stack.extend(world.module(at.0).children(id));
    }
    None
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

/// The names in a condition that asks for nothing else than whether something is there.
fn asked_for_presence<'w>(world: &World<'w>, condition: ExprRef) -> BTreeSet<&'w str> {
    let module = world.module(condition.0);
    let mut stack = vec![condition.1];
    let mut named = BTreeSet::new();
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        match module.expr(id) {
            Expr::Name(known) | Expr::Member { name: known, .. } => {
                named.insert(&**known);
            }
            Expr::Str(_) | Expr::Number(_) | Expr::Call { .. } => return BTreeSet::new(),
            _ => {}
        }
        if steps > 24 {
            return BTreeSet::new();
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
                return Some(step(world, StepRole::Notice, "a text that discloses it", at));
            }
        }
    }
    None
}
